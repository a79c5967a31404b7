//! Figure 13: Figure 3 with batches of a thousand.
//!
//! **Claims**. "The same results can be obtained for bigger batch sizes", |B| = 1000. `heavy-tailed/fig-13-left`: d = 100, gamma = 10.
//! `heavy-tailed/fig-13-middle`: d = 100, gamma = 1, the approximations follow. `heavy-tailed/fig-13-right`: d = 10, gamma = 1, they do not.
//!
//! Eq. 45 with b p(x), against descent. Captions name no length of inputs; they have norm one, as in C.1. Printed is a sum over the batch
//! (Eq. 44, and b p(x) in Eq. 45). So one batch moves q(x) by gamma times the count of x, from hundreds down to one, and the map can only
//! add logarithms to that, while descent goes on learning. Libraries average over the batch. Refuted on the left and in the middle by an
//! Eq. 45 whose error does not fall with that of descent after the first batch: half way between standing still and falling with it; on
//! the right by an Eq. 45 that does not leave descent. The reduction is charged in the middle panel; left and right are judged with the
//! mean. Eq. 10 and the long inputs of Eq. 1 stand beside it.

use std::sync::Arc;

use workbench_display::{Figure, Table, frame};
use workbench_ground::stats::{Estimate, difference, mean};
use workbench_ledger::{Check, Done, Failure, Margin, Says, Setting, Sheet};
use workbench_memory::{
    BatchSize, Gradient, Ideal, Method, Parametrization, Reduction, TrainingRuns, TrainingStudy, log_grid,
};

use super::descent_visits::UNIT_INPUTS;
use super::figure_3::{
    DESCENT, FOLLOWS, LEADING, NEVER_SATURATES, PANELS, PanelOf, ROOMIER, above, apart, distance, follows, mean_panel,
    nearer, never_saturates,
};
use super::population_gradient::{CLASSES, INPUTS, law, target};

/// Left panel: d = 100, rate 10.
pub const LEFT: Check = Check {
    claim: "heavy-tailed/fig-13-left",
    metric: "fall of the generalization error since the first batch, of Eq. 45 less half of that of descent, run by run; absolute difference from descent, mean over the logarithm of the batches",
    against: "an Eq. 45 that stands still after the first batch, or is not half way to descent from a map that never saturates",
    protocol: &["N = 100, M = 5, alpha = 2, batches of a thousand, constant rate"],
    choices: &[
        "the caption names no time range: 200 batches, 500 at paper scale",
        "40 to 120 runs, 100 to 240 at paper scale, for intervals; means on the left too, where Figure 3 shows one run",
    ],
    departures: &[UNIT_INPUTS, "means over a batch in the place of the sum of Eq. 44, which the middle panel judges"],
    run: left,
    ..Check::DEFAULT
};

/// Middle panel: d = 100, rate 1.
pub const MIDDLE: Check = Check {
    claim: "heavy-tailed/fig-13-middle",
    departures: &[UNIT_INPUTS, "means over a batch beside the sum of Eq. 44, since the caption names neither"],
    run: middle,
    ..LEFT
};

/// Right panel: d = 10, rate 1.
pub const RIGHT: Check = Check {
    claim: "heavy-tailed/fig-13-right",
    metric: "mean generalization error minus that of descent at the end, paired by runs; that minus the same at d = N",
    against: "an Eq. 45 that ends where descent does, or leaves it no more than at d = N",
    run: right,
    ..LEFT
};

const BATCH: usize = 1000;
/// Methods of a study, beside descent and Eq. 10: Eq. 45 with the counts of each batch, and with expected ones.
const COUNTS: &str = "Eq. 45, counts";
const EXPECTED: &str = "Eq. 45, b p(x)";
const ALL: f64 = f64::INFINITY;

/// How inputs are scaled and batches put together.
type Reading = (Parametrization, Reduction);
/// Inputs of C.1, sums as in Eq. 44.
const SUM: Reading = (Parametrization::Unit, Reduction::Sum);
const MEAN: Reading = (Parametrization::Unit, Reduction::Mean);
const LONG_SUM: Reading = (Parametrization::Model, Reduction::Sum);
const LONG_MEAN: Reading = (Parametrization::Model, Reduction::Mean);

fn left(s: &Sheet) -> Done {
    s.see("heavy-tailed/fig-13-middle");
    let panel = PANELS[0];
    let study = study(s, panel, MEAN)?;
    follows_descent(s, s.printed(Margin::ZERO), panel, &study, "")?;
    beside(s, panel, &study, "means over a batch")?;
    s.figure(figure(s, panel, "Figure 13, left: how batches are put together decides whether Eq. 45 follows")?);
    Ok(())
}

fn middle(s: &Sheet) -> Done {
    s.condition("with the mean over a batch; with the sum of Eq. 44 and of Eq. 45 the map stands still after the first batch, while descent learns on");
    let panel = PANELS[1];
    let (sum, mean) = (study(s, panel, SUM)?, study(s, panel, MEAN)?);
    falls(s.printed(Margin::ZERO), "summed batches", panel, &sum, EXPECTED)?;
    falls(s.changed(Margin::ZERO), "means over a batch", panel, &mean, EXPECTED)?;
    follows_descent(s, s.changed(Margin::ZERO), panel, &mean, "means over a batch, ")?;
    beside(s, panel, &sum, "summed batches")?;
    beside(s, panel, &mean, "means over a batch")?;
    s.table(table(s, panel)?);
    s.figure(figure(s, panel, "Figure 13, middle: the same at rate one")?);
    Ok(())
}

fn right(s: &Sheet) -> Done {
    s.see("heavy-tailed/fig-13-middle");
    let (panel, printed) = (PANELS[2], s.printed(Margin::ZERO));
    let (study, roomy) = (study(s, panel, MEAN)?, study(s, PANELS[1], MEAN)?);
    above(printed, "d = 10: error of Eq. 45 minus that of descent at the end", &study, EXPECTED, DESCENT)?;
    let label = "that difference minus the one at d = 100";
    printed.of("runs").at_least(label, contrast((&study, panel), (&roomy, PANELS[1]))?);
    let roomier = self::study(s, ROOMIER, MEAN)?;
    let label = "d = 1000 in the place of d = 10: that difference minus the one at d = 100";
    s.twin(Margin::ZERO).of("runs").at_least(label, contrast((&roomier, ROOMIER), (&roomy, PANELS[1]))?);
    above(s.aside(FOLLOWS), "d = 10: error of Eq. 10 minus that of descent at the end", &study, LEADING, DESCENT)?;
    let label = "d = 10: error of Eq. 45 with counts minus that of descent at the end";
    above(s.aside(FOLLOWS), label, &study, COUNTS, DESCENT)?;
    s.figure(figure(s, panel, "Figure 13, right: without room Eq. 45 does not follow")?);
    Ok(())
}

/// Error of Eq. 45 minus that of descent at the end, here minus there.
fn contrast(here: (&TrainingRuns, PanelOf), there: (&TrainingRuns, PanelOf)) -> Result<Estimate, Failure> {
    let gaps = |(study, panel): (&TrainingRuns, PanelOf)| -> Result<Vec<f64>, Failure> {
        let gap = study.errors(EXPECTED, panel.dim)? - study.errors(DESCENT, panel.dim)?;
        Ok(gap.outer_iter().map(|run| run[run.len() - 1]).collect())
    };
    Ok(difference(&gaps(here)?, &gaps(there)?)?)
}

/// States that the error of a map, Eq. 45 or another, falls, after the first batch, by at least half of what that of descent does.
fn falls(says: Says, what: &str, panel: PanelOf, study: &TrainingRuns, map: &str) -> Done {
    let fall = |method: &str| -> Result<Vec<f64>, Failure> {
        let errors = study.errors(method, panel.dim)?;
        Ok(errors.outer_iter().map(|run| run[0] - run[run.len() - 1]).collect())
    };
    let both: Vec<f64> = fall(map)?.iter().zip(fall(DESCENT)?).map(|(map, descent)| map - 0.5 * descent).collect();
    let label = format!(
        "{what}, γ = {}: fall of the error since the first batch, of the map less half of that of descent",
        panel.rate
    );
    says.of("runs").at_least(label, mean(&both)?);
    Ok(())
}

/// Eq. 45 falls with descent and is nearer to it than a map that never saturates, which without room it is not.
fn follows_descent(s: &Sheet, says: Says, panel: PanelOf, study_here: &TrainingRuns, what: &str) -> Done {
    if what.is_empty() {
        falls(says, "means over a batch", panel, study_here, EXPECTED)?;
    }
    let rate = panel.rate;
    let label =
        format!("{what}γ = {rate}: distance of Eq. 45 from descent minus half that of a map that never saturates");
    nearer(says, label, study_here, EXPECTED)?;
    let right = study(s, PANELS[2], MEAN)?;
    let label = format!("{what}γ = {rate}: distance of Eq. 45 from descent minus that in the right panel, d = N/10");
    says.of("runs").at_most(label, difference(&apart(study_here, EXPECTED)?, &apart(&right, EXPECTED)?)?);
    falls(s.twin(Margin::ZERO), "no saturation, means over a batch", panel, study_here, NEVER_SATURATES)
}

/// Largest mean differences from descent.
fn beside(s: &Sheet, panel: PanelOf, study: &TrainingRuns, what: &str) -> Done {
    for method in [EXPECTED, COUNTS, LEADING] {
        let label = format!("{what}, γ = {}, {method} against descent: largest mean difference of errors", panel.rate);
        follows(s.aside(FOLLOWS), label, study, method, ALL)?;
    }
    let end = |method: &str| study.mean(method, panel.dim).map(|error| error.value);
    s.note(format!(
        "{what}: {} batches of 1000; errors at the end: descent {:.4}, Eq. 45 {:.4}, without saturation {:.4}",
        study.samples(DESCENT)?.last().map_or(0.0, |samples| samples / BATCH as f64),
        end(DESCENT)?,
        end(EXPECTED)?,
        end(NEVER_SATURATES)?
    ));
    Ok(())
}

fn study(setting: &Setting, panel: PanelOf, reading: Reading) -> Result<Arc<TrainingRuns>, Failure> {
    let scale = setting.scale();
    let (runs, steps) = match reading {
        MEAN if panel.dim < INPUTS => (scale.pick(120, 240), scale.pick(200, 500)),
        MEAN => (scale.pick(60, 120), scale.pick(200, 500)),
        SUM => (scale.pick(40, 100), scale.pick(200, 500)),
        _ => (scale.pick(24, 40), scale.pick(200, 500)),
    };
    let (inputs, reduction) = reading;
    let unit = if inputs == Parametrization::Unit { ", unit inputs" } else { "" };
    let averaged = if reduction == Reduction::Mean { ", mean" } else { "" };
    let name = format!("figure 13 {}{unit}{averaged}", panel.name);
    setting.shared(&format!("{name}, {runs} runs, {steps} steps"), |own| {
        let grid: Vec<usize> = log_grid(1, steps, 5)?.into_iter().collect();
        let printed = Ideal::printed(CLASSES);
        let gradients = [
            (Gradient::Exact, DESCENT),
            (Gradient::Leading, LEADING),
            (Gradient::Ideal(printed), COUNTS),
            (Gradient::Ideal(never_saturates().expected()), NEVER_SATURATES),
            (Gradient::Ideal(printed.expected()), EXPECTED),
        ];
        let run = |method: Method| method.steps(steps).record(grid.clone());
        Ok(among(panel, reading, &gradients, run)?.runs(runs).run(own.streams(), &name)?)
    })
}

/// Descents with these gradients on the same embeddings and samples.
fn among(
    panel: PanelOf,
    (inputs, reduction): Reading,
    gradients: &[(Gradient, &str)],
    run: impl Fn(Method) -> Method,
) -> Result<TrainingStudy, Failure> {
    let method = |(gradient, label): &(Gradient, &str)| -> Result<Method, Failure> {
        let method = Method::sgd(panel.rate)?.gradient(*gradient).label(label);
        Ok(run(method.batch(BatchSize::Samples(BATCH)).reduction(reduction)).without_moments())
    };
    let methods = gradients.iter().map(method).collect::<Result<_, _>>()?;
    let study = TrainingStudy::new(law()?, target()?).methods(methods);
    Ok(study.parametrization(inputs).dims(vec![panel.dim]))
}

fn words((inputs, reduction): Reading) -> [&'static str; 2] {
    let inputs = if inputs == Parametrization::Unit { "unit" } else { "of Eq. 1" };
    [inputs, if reduction == Reduction::Mean { "mean" } else { "sum" }]
}

fn figure(setting: &Setting, panel: PanelOf, title: &str) -> Result<Figure, Failure> {
    let shown = [DESCENT, LEADING, EXPECTED, NEVER_SATURATES];
    let (sum, mean) = (study(setting, panel, SUM)?, study(setting, panel, MEAN)?);
    Ok(Figure::new(title)
        .panel(mean_panel("sum over the batch", &sum, &shown)?)
        .panel(mean_panel("mean over the batch", &mean, &shown)?)
        .columns(2)
        .caption(&format!(
            "d = {}, γ = {}, |B| = 1000. Mean generalization error with 99.9 % bands.",
            panel.dim, panel.rate
        )))
}

/// Largest differences from descent under all four readings, in one panel.
fn table(setting: &Setting, panel: PanelOf) -> Result<Table, Failure> {
    let readings = [SUM, MEAN, LONG_SUM, LONG_MEAN];
    let column = |method: &str| -> Result<Vec<f64>, Failure> {
        readings.iter().map(|r| Ok(distance(&*study(setting, panel, *r)?, method, ALL)?.value)).collect()
    };
    let frame = frame!(
        "inputs" => readings.map(|reading| words(reading)[0]),
        "batch" => readings.map(|reading| words(reading)[1]),
        "Eq. 10" => column(LEADING)?,
        "Eq. 45, counts" => column(COUNTS)?,
        "Eq. 45, b p(x)" => column(EXPECTED)?,
    )?;
    Ok(Table::new(frame)
        .title("Largest mean difference from descent, by the scale of inputs and the reduction of batches")
        .caption(&format!("d = {}, γ = {}, |B| = 1000; in generalization error.", panel.dim, panel.rate))
        .digits(2))
}
