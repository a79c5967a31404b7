//! Figure 13: Figure 3 with batches of a thousand.
//!
//! **Claims**. "The same results can be obtained for bigger batch sizes", |B| = 1000. `heavy-tailed/fig-13-left`: d = 100, gamma = 10.
//! `heavy-tailed/fig-13-middle`: d = 100, gamma = 1, the approximations follow. `heavy-tailed/fig-13-right`: d = 10, gamma = 1, they do not.
//!
//! Eq. 45 with b p(x) and with the counts of each batch, against descent. Printed are a sum over the batch (Eq. 44) and inputs of squared
//! norm about d (Eq. 1); so one batch moves q(x) by gamma times the count of x, from hundreds down to one, and the map can only add
//! logarithms to that. On the right, as in Figure 3, the approximation that is no longer valid is both Eq. 45 and Eq. 10.
//! Libraries average over the batch, and B.5 reads scores as if inputs had norm one: that reading is run beside the printed one, with the
//! same margin as Figure 3. Refuted on the left and in the middle by an Eq. 45 beyond the margin, on the right by one within it.

use std::sync::Arc;

use workbench_display::{Figure, Table, frame};
use workbench_ground::stats::mean;
use workbench_ledger::{Check, Done, Failure, Setting, Sheet};
use workbench_memory::{
    BatchSize, Gradient, Ideal, Method, Parametrization, Reduction, TrainingRuns, TrainingStudy, log_grid,
};

use super::figure_3::{DESCENT, FOLLOWS, LEADING, PANELS, PanelOf, above, distance, follows, mean_panel};
use super::population_gradient::{CLASSES, law, target};

/// Left panel: d = 100, rate 10.
pub const LEFT: Check = Check {
    claim: "heavy-tailed/fig-13-left",
    metric: "mean generalization error minus that of descent, paired by runs, over each decade of samples and at the end",
    against: "a difference of Eq. 45 beyond the margin of Figure 3",
    protocol: &["inputs of Eq. 1, W = 0 at the start, batches of a thousand summed as in Eq. 44, constant rate"],
    departures: &[
        "the caption names no time range: 200 batches, 500 at paper scale",
        "unit inputs and means over a batch beside the printed setting, since the caption names neither sum nor mean",
    ],
    run: left,
    ..Check::DEFAULT
};

/// Middle panel: d = 100, rate 1.
pub const MIDDLE: Check = Check { claim: "heavy-tailed/fig-13-middle", run: middle, ..LEFT };

/// Right panel: d = 10, rate 1.
pub const RIGHT: Check = Check {
    claim: "heavy-tailed/fig-13-right",
    against: "an Eq. 10 or an Eq. 45 that stays within the margin of Figure 3",
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
/// Inputs of Eq. 1, sums as in Eq. 44.
const PRINTED: Reading = (Parametrization::Model, Reduction::Sum);
const UNIT_MEAN: Reading = (Parametrization::Unit, Reduction::Mean);
const UNIT: Reading = (Parametrization::Unit, Reduction::Sum);
const MEAN: Reading = (Parametrization::Model, Reduction::Mean);

fn left(s: &Sheet) -> Done {
    equation_45_follows(s, PANELS[0])?;
    let title = "Figure 13, left: how batches are put together decides whether Eq. 45 follows";
    s.figure(figure(s, PANELS[0], title)?);
    Ok(())
}

fn middle(s: &Sheet) -> Done {
    equation_45_follows(s, PANELS[1])?;
    // Only both changes together let Eq. 45 follow.
    for reading in [UNIT, MEAN] {
        let [inputs, batch] = words(reading);
        let label = format!("Eq. 45 with counts, inputs {inputs}, batch {batch}, γ = {}", PANELS[1].rate);
        s.changed(FOLLOWS).of("runs").at_least(label, distance(&*study(s, PANELS[1], reading)?, COUNTS, ALL)?);
    }
    s.table(table(s, PANELS[1])?);
    s.figure(figure(s, PANELS[1], "Figure 13, middle: the same at rate one")?);
    Ok(())
}

fn right(s: &Sheet) -> Done {
    let (panel, says, changed) = (PANELS[2], s.printed(FOLLOWS), s.changed(FOLLOWS));
    let (printed, other) = (study(s, panel, PRINTED)?, study(s, panel, UNIT_MEAN)?);
    let label = |what: &str| format!("d = 10, {what} minus descent at the end");
    above(says, label("Eq. 45 with b p(x)"), &printed, EXPECTED, DESCENT)?;
    above(says, label("Eq. 45 with counts"), &printed, COUNTS, DESCENT)?;
    let leading = equation_10_alone(s, panel)?.difference(LEADING, DESCENT, panel.dim)?;
    says.of("runs").at_least("d = 10, Eq. 10 minus descent at the end", leading);
    above(says, label("unit inputs, batch mean: Eq. 45 with counts"), &other, COUNTS, DESCENT)?;
    s.weaker("Eq. 45 leaves descent; Eq. 10, which feels interference as descent does, ends no higher than descent");
    above(changed, label("as printed: Eq. 45 with b p(x)"), &printed, EXPECTED, DESCENT)?;
    above(changed, label("as printed: Eq. 45 with counts"), &printed, COUNTS, DESCENT)?;
    above(changed, label("unit inputs and batch mean: Eq. 45 with counts"), &other, COUNTS, DESCENT)?;
    let twin = "M − 1 and M/(M − 1) in the place of descent: error of Eq. 45 minus theirs, d = 10";
    above(s.twin(FOLLOWS), twin, &printed, COUNTS, panel.wrong().1)?;

    changed.of("runs").at_most("d = 10, Eq. 10 minus descent, not above it at the end", leading);
    s.figure(figure(s, panel, "Figure 13, right: without room Eq. 45 does not follow")?);
    Ok(())
}

/// Eq. 45 follows descent: as printed, and with unit inputs and means.
fn equation_45_follows(s: &Sheet, panel: PanelOf) -> Done {
    let (printed, other, rate) = (study(s, panel, PRINTED)?, study(s, panel, UNIT_MEAN)?, panel.rate);
    let methods = [("Eq. 45 with b p(x)", EXPECTED), ("Eq. 45 with counts", COUNTS), ("Eq. 10", LEADING)];
    s.condition("with the mean over a batch and unit inputs; with the sum of Eq. 44 and the inputs of Eq. 1 only Eq. 10 follows, and Eq. 45 stands still after the first batch");
    for (what, method) in methods {
        let label = format!("{what} against descent, γ = {rate}: largest difference");
        follows(s.printed(FOLLOWS), label, &printed, method, ALL)?;
        let label = format!("unit inputs, batch mean, {what}, γ = {rate}: largest difference");
        follows(s.changed(FOLLOWS), label, &other, method, ALL)?;
    }
    let changed = s.changed(FOLLOWS).of("runs");
    let label = format!("as printed, γ = {rate}: error of Eq. 45 with counts minus that of descent at the end");
    above(changed, label, &printed, COUNTS, DESCENT)?;
    let errors = printed.errors(COUNTS, panel.dim)?;
    let since_first: Vec<f64> = errors.outer_iter().map(|run| run[run.len() - 1] - run[0]).collect();
    let label = format!("as printed, γ = {rate}: error of Eq. 45 with counts at the end minus that after one batch");
    changed.equals(label, 0.0, mean(&since_first)?);
    let label = format!("unit inputs, batch mean, a map that never saturates, γ = {rate}");
    follows(s.twin(FOLLOWS), label, &other, panel.wrong().1, ALL)?;
    let end = |method: &str| printed.mean(method, panel.dim).map(|error| error.value);
    s.note(format!(
        "{} batches of 1000; errors at the end, as printed: descent {:.4}, Eq. 10 {:.4}, Eq. 45 {:.4}",
        printed.samples(DESCENT)?.last().map_or(0.0, |samples| samples / BATCH as f64),
        end(DESCENT)?,
        end(LEADING)?,
        end(COUNTS)?
    ));
    Ok(())
}

fn study(setting: &Setting, panel: PanelOf, reading: Reading) -> Result<Arc<TrainingRuns>, Failure> {
    let scale = setting.scale();
    let (runs, steps) = match reading {
        UNIT_MEAN if !panel.roomy() => (scale.pick(120, 150), 500),
        PRINTED | UNIT_MEAN => (scale.pick(40, 100), scale.pick(200, 500)),
        _ => (scale.pick(24, 40), scale.pick(200, 500)),
    };
    let (inputs, reduction) = reading;
    let unit = if inputs == Parametrization::Unit { ", unit inputs" } else { "" };
    let averaged = if reduction == Reduction::Mean { ", mean" } else { "" };
    let name = format!("figure 13 {}{unit}{averaged}", panel.name);
    setting.shared(&format!("{name}, {runs} runs, {steps} steps"), |own| {
        let grid: Vec<usize> = log_grid(1, steps, 5)?.into_iter().collect();
        let (printed, (wrong, name_of_wrong)) = (Ideal::printed(CLASSES), panel.wrong());
        let mut gradients = vec![
            (Gradient::Exact, DESCENT),
            (Gradient::Leading, LEADING),
            (Gradient::Ideal(printed), COUNTS),
            (Gradient::Ideal(wrong), name_of_wrong),
            (Gradient::Ideal(printed.expected()), EXPECTED),
        ];
        if reading == UNIT_MEAN && !panel.roomy() {
            gradients.truncate(3);
        }
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

/// Eq. 10 beside descent, as printed, in many runs.
fn equation_10_alone(setting: &Setting, panel: PanelOf) -> Result<TrainingRuns, Failure> {
    let (runs, steps) = (setting.scale().pick(400, 1500), setting.scale().pick(100, 200));
    let gradients = [(Gradient::Exact, DESCENT), (Gradient::Leading, LEADING)];
    let study = among(panel, PRINTED, &gradients, |method| method.steps(steps))?.runs(runs);
    Ok(study.run(setting.streams(), &format!("figure 13 {}, Eq. 10 beside descent", panel.name))?)
}

fn words((inputs, reduction): Reading) -> [&'static str; 2] {
    let inputs = if inputs == Parametrization::Unit { "unit" } else { "of Eq. 1" };
    [inputs, if reduction == Reduction::Mean { "mean" } else { "sum" }]
}

fn figure(setting: &Setting, panel: PanelOf, title: &str) -> Result<Figure, Failure> {
    let shown = [DESCENT, LEADING, COUNTS, EXPECTED];
    let beside = if panel.roomy() { &shown[..] } else { &shown[..3] };
    let (printed, other) = (study(setting, panel, PRINTED)?, study(setting, panel, UNIT_MEAN)?);
    Ok(Figure::new(title)
        .panel(mean_panel("inputs of Eq. 1, sum over the batch", &printed, &shown)?)
        .panel(mean_panel("unit inputs, mean over the batch", &other, beside)?)
        .columns(2)
        .caption(&format!(
            "d = {}, γ = {}, |B| = 1000. Mean generalization error with 99.9 % bands.",
            panel.dim, panel.rate
        )))
}

/// Largest differences from descent under all four readings, in one panel.
fn table(setting: &Setting, panel: PanelOf) -> Result<Table, Failure> {
    let readings = [PRINTED, MEAN, UNIT, UNIT_MEAN];
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
