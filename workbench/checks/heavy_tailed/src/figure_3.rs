//! Figure 3: generalization error of descent with batch one against its approximations.
//!
//! **Claims**, N = 100, M = 5, f_*(x) = x mod 5, alpha = 2. Compared are descent, its approximation through q(x) of Eq. 2, and the update rule
//! of Eq. 11. `heavy-tailed/fig-3-left`: one run, d = 100, gamma = 10. `heavy-tailed/fig-3-middle`: mean of 100 runs, d = 100, gamma = 1;
//! the approximations follow. `heavy-tailed/fig-3-right`: mean, d = 10, gamma = 1; "our approximation is not valid anymore".
//!
//! The approximation is q(x) = f^n(0) of Eq. 11 at the counts that occurred, stored as in Eq. 2; inputs have norm one (C.1). It runs on the same
//! embeddings and samples as descent, the differences are paired. Figure 3 "validates" Eq. 11 at d = N: refuted by a curve that is not
//! even half way to descent from that of a map that never saturates, or no nearer than at d = N/10, where it is "not valid anymore"; on the right by an
//! Eq. 11 that does not leave descent, or leaves it no more than at d = N. All in absolute error: in ratios Eq. 11 leaves descent on the left
//! too. Eq. 10, which feels interference as descent does, stands beside it, and on the left and in the middle so do the long inputs of Eq. 1.

use std::sync::Arc;

use ndarray::ArrayView1;
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, difference, mean, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Says, Sheet};
use workbench_memory::{
    Gradient, Ideal, Method, Parametrization, Quantity, Tracked, TrainingRuns, TrainingStudy, log_grid,
};

use super::population_gradient::{CLASSES, law, target};

/// Curves that follow each other.
pub const FOLLOWS: Margin = Margin::ours(
    "follows",
    0.015,
    "a fortieth of the error at the start: about where two curves of one plot part for the eye",
);

/// Samples of a run; the caption names none.
const SAMPLES: usize = 10_000;
/// Methods of a study: descent itself.
pub const DESCENT: &str = "descent";
/// The leading term.
pub const LEADING: &str = "Eq. 10";
/// The idealised update at the counts that occurred.
const COUNTS: &str = "Eq. 11";
/// The same with its exponent all but left out, so that each visit adds the same.
pub const NEVER_SATURATES: &str = "no saturation";

/// Dimension and rate of a panel.
#[derive(Clone, Copy, Debug)]
pub struct PanelOf {
    /// Its name in streams.
    pub name: &'static str,
    /// Dimension d.
    pub dim: usize,
    /// Learning rate.
    pub rate: f64,
}

/// Left, middle and right.
pub const PANELS: [PanelOf; 3] = [
    PanelOf { name: "left", dim: 100, rate: 10.0 },
    PanelOf { name: "middle", dim: 100, rate: 1.0 },
    PanelOf { name: "right", dim: 10, rate: 1.0 },
];

/// Eq. 11 with a thousandth of q in the exponent.
const LATE: &str = "exp(q/1000)";

/// The right panel with d = 10 N in the place of N/10.
pub const ROOMIER: PanelOf = PanelOf { name: "roomier", dim: 1000, rate: 1.0 };

/// The map of Eq. 11 without saturation.
pub fn never_saturates() -> Ideal {
    Ideal { gap: 1e-9, ..Ideal::printed(CLASSES) }
}

fn study(s: &Sheet, panel: PanelOf, inputs: Parametrization) -> Result<Arc<TrainingRuns>, Failure> {
    let few = if panel.name == "left" { s.scale().pick(280, 1000) } else { s.scale().pick(250, 500) };
    let runs = if inputs == Parametrization::Unit { s.knob("runs", few, 2..)? } else { s.scale().pick(100, 300) };
    let long = if inputs == Parametrization::Unit { "" } else { ", inputs of Eq. 1" };
    let name = format!("figure 3 {}{long}", panel.name);
    s.shared(&format!("{name}, {runs} runs"), |own| {
        let grid: Vec<usize> = log_grid(1, SAMPLES, 5)?.into_iter().collect();
        let method = |gradient: Gradient, label: &str| -> Result<Method, Failure> {
            let method = Method::sgd(panel.rate)?.gradient(gradient).label(label);
            Ok(method.tracking(Tracked::Scores).without_moments().steps(SAMPLES).record(grid.clone()))
        };
        let methods = vec![
            method(Gradient::Exact, DESCENT)?,
            method(Gradient::Leading, LEADING)?,
            method(Gradient::Ideal(Ideal::printed(CLASSES)), COUNTS)?,
            method(Gradient::Ideal(never_saturates()), NEVER_SATURATES)?,
            method(Gradient::Ideal(Ideal { gap: 0.001, ..Ideal::printed(CLASSES) }), LATE)?,
        ];
        let study = TrainingStudy::new(law()?, target()?).methods(methods).parametrization(inputs);
        Ok(study.dims(vec![panel.dim]).runs(runs).run(own.streams(), &name)?)
    })
}

/// The one dimension of a panel's study.
fn dimension(study: &TrainingRuns) -> usize {
    study.dims().first().copied().unwrap_or_default()
}

/// Absolute difference of the error from that of descent, run by run: mean over the records, which are even in ln of the samples.
///
/// # Errors
/// No such method.
pub fn apart(study: &TrainingRuns, method: &str) -> Result<Vec<f64>, Failure> {
    let d = dimension(study);
    let gap = study.errors(method, d)? - study.errors(DESCENT, d)?;
    let of_run = |run: ArrayView1<f64>| run.iter().map(|gap| gap.abs()).sum::<f64>() / run.len() as f64;
    Ok(gap.outer_iter().map(of_run).collect())
}

/// States that a method is less than half as far from descent as a map that never saturates, run by run.
///
/// # Errors
/// A single run.
pub fn nearer(says: Says, label: impl Into<String>, study: &TrainingRuns, method: &str) -> Done {
    let half: Vec<f64> = apart(study, NEVER_SATURATES)?.into_iter().map(|far| 0.5 * far).collect();
    says.of("runs").at_most(label, paired_difference(&apart(study, method)?, &half)?);
    Ok(())
}

/// States that a method is nearer to descent here than there.
///
/// # Errors
/// A single run.
pub fn nearer_here(
    says: Says,
    label: impl Into<String>,
    here: &TrainingRuns,
    there: &TrainingRuns,
    method: &str,
) -> Done {
    says.of("runs").at_most(label, difference(&apart(here, method)?, &apart(there, method)?)?);
    Ok(())
}

/// Largest mean difference from descent, over the decades of the records up to `until` samples and at the last of these records, in
/// absolute value, with its interval.
///
/// # Errors
/// A single run.
pub fn distance(study: &TrainingRuns, method: &str, until: f64) -> Result<Estimate, Failure> {
    let d = dimension(study);
    let gap = study.errors(method, d)? - study.errors(DESCENT, d)?;
    let samples = study.samples(DESCENT)?;
    let inside = samples.iter().filter(|t| **t <= until).count();
    let decade = |k: &usize| (samples[*k] / samples[0] * 1.000_001).log10() as usize;
    let mut windows = vec![vec![inside - 1]];
    for of in 0..=decade(&(inside - 1)) {
        windows.push((0..inside).filter(|k| decade(k) == of).collect());
    }
    let mut worst: Option<Estimate> = None;
    for window in windows.iter().filter(|window| !window.is_empty()) {
        let average = |run: ArrayView1<f64>| window.iter().map(|k| run[*k]).sum::<f64>() / window.len() as f64;
        let reach = in_absolute_value(mean(&gap.outer_iter().map(average).collect::<Vec<f64>>())?)?;
        worst = worst.filter(|worst| reach.value <= worst.value).or(Some(reach));
    }
    Ok(worst.ok_or("no records to compare")?)
}

fn in_absolute_value(e: Estimate) -> Result<Estimate, Failure> {
    let (low, high) = (e.low.abs().min(e.high.abs()), e.low.abs().max(e.high.abs()));
    let nearest = if e.low <= 0.0 && e.high >= 0.0 { 0.0 } else { low };
    Ok(Estimate::new(e.value.abs(), nearest, high, e.n, e.confidence)?)
}

/// States that a method follows descent.
///
/// # Errors
/// A single run.
pub fn follows(says: Says, label: impl Into<String>, study: &TrainingRuns, method: &str, until: f64) -> Done {
    says.of("runs").at_most(label, distance(study, method, until)?);
    Ok(())
}

/// States that the error of `a` at the end is above that of `b`.
///
/// # Errors
/// A single run.
pub fn above(says: Says, label: impl Into<String>, study: &TrainingRuns, a: &str, b: &str) -> Done {
    says.of("runs").at_least(label, study.difference(a, b, dimension(study))?);
    Ok(())
}

/// Eq. 11 is nearer to descent than half way to a map that never saturates, and nearer than without room.
fn validated(s: &Sheet, panel: PanelOf) -> Result<Arc<TrainingRuns>, Failure> {
    let (here, right, rate) =
        (study(s, panel, Parametrization::Unit)?, study(s, PANELS[2], Parametrization::Unit)?, panel.rate);
    let printed = s.printed(Margin::ZERO);
    let label = format!("γ = {rate}: distance of Eq. 11 from descent minus half that of a map that never saturates");
    nearer(printed, label, &here, COUNTS)?;
    let label = format!("γ = {rate}: distance of Eq. 11 from descent minus that in the right panel, d = N/10");
    nearer_here(printed, label, &here, &right, COUNTS)?;
    let label = format!(
        "exp(q/1000) in the place of exp(q), γ = {rate}: distance minus half that of a map that never saturates"
    );
    nearer(s.twin(Margin::ZERO), label, &here, LATE)?;
    let long = study(s, panel, Parametrization::Model)?;
    for (study, inputs) in [(&here, ""), (&long, ", inputs of Eq. 1")] {
        for method in [COUNTS, LEADING] {
            let label = format!("{method} against descent, γ = {rate}{inputs}: largest mean difference of errors");
            follows(s.aside(FOLLOWS), label, study, method, SAMPLES as f64)?;
        }
    }
    let end = |method: &str| here.mean(method, panel.dim).map(|error| error.value);
    s.note(format!(
        "errors at 10⁴ samples: descent {:.4}, Eq. 10 {:.4}, Eq. 11 {:.4}, without saturation {:.4}",
        end(DESCENT)?,
        end(LEADING)?,
        end(COUNTS)?,
        end(NEVER_SATURATES)?
    ));
    Ok(here)
}

fn error_panel(title: &str) -> Panel {
    Panel::new(title).x_label("samples").y_label("error").log_x().log_y().legend_below()
}

/// Mean errors along the samples.
///
/// # Errors
/// A single run.
pub fn mean_panel(title: &str, study: &TrainingRuns, methods: &[&str]) -> Result<Panel, Failure> {
    let mut panel = error_panel(title);
    for method in methods {
        let curve = study.curve(Quantity::Error, method, dimension(study))?;
        let colour = study.last().place("method", *method)?;
        panel = panel
            .band("", curve.x(), &curve.low()?, &curve.high()?)
            .colour(colour)
            .line(method, curve.x(), &curve.means())
            .colour(colour);
    }
    Ok(panel)
}

/// The first run.
fn single_panel(title: &str, study: &TrainingRuns, methods: &[&str]) -> Result<Panel, Failure> {
    let mut panel = error_panel(title).y_limits(1e-4, 1.0);
    for method in methods {
        let errors = study.errors(method, dimension(study))?;
        let run: Vec<f64> = errors.row(0).iter().map(|e| e.max(1e-4)).collect();
        panel = panel.line(method, &study.samples(method)?, &run).colour(study.last().place("method", *method)?);
    }
    Ok(panel)
}

const PROTOCOL: &[&str] = &["N = 100, M = 5, alpha = 2, batch one, constant rate"];
const CHOICES: &[&str] = &[
    "W = 0 at the start; the caption names no time range: 10^4 samples",
    "more runs than the caption's, for intervals; means on the left too, where it shows one run",
];
const DEPARTURES: &[&str] = &[
    "Eq. 11 at the counts that occurred, as the text after Eq. 45 recommends",
    "inputs of norm one as in C.1, which the caption does not say; those of Eq. 1 beside them in the left and middle panels, and Eq. 10 beside Eq. 11",
];
const METRIC: &str = "difference of the generalization error from that of descent, in absolute error and not in ratios, run by run, mean over the logarithm of the samples";

/// Left panel: d = 100, rate 10.
pub const LEFT: Check = Check {
    claim: "heavy-tailed/fig-3-left",
    metric: METRIC,
    against: "an Eq. 11 that is not half way to descent from a map that never saturates, or no nearer than at d = N/10",
    protocol: PROTOCOL,
    choices: CHOICES,
    departures: DEPARTURES,
    run: left,
    ..Check::DEFAULT
};

/// Middle panel: d = 100, rate 1.
pub const MIDDLE: Check = Check { claim: "heavy-tailed/fig-3-middle", run: middle, ..LEFT };

/// Right panel: d = 10, rate 1.
pub const RIGHT: Check = Check {
    claim: "heavy-tailed/fig-3-right",
    metric: "mean generalization error minus that of descent after 10^4 samples, paired by runs; that minus the same at d = N",
    against: "an Eq. 11 that ends where descent does, or leaves it no more than at d = N",
    run: right,
    ..LEFT
};

fn left(s: &Sheet) -> Done {
    let study = validated(s, PANELS[0])?;
    let gap = study.difference(COUNTS, DESCENT, PANELS[0].dim)?;
    s.aside(FOLLOWS).of("runs").at_most("γ = 10: error of Eq. 11 minus that of descent at 10⁴ samples", gap);
    let shown = [DESCENT, COUNTS, NEVER_SATURATES];
    s.figure(
        Figure::new("Figure 3, left: Eq. 11 falls with descent, and ends above it")
            .panel(single_panel("one run, d = 100, γ = 10", &study, &shown)?)
            .panel(mean_panel("mean over runs", &study, &shown)?)
            .columns(2)
            .caption("Generalization error; zero is drawn at 10^{−4} on the left. Right: means with 99.9 % bands."),
    );
    Ok(())
}

fn middle(s: &Sheet) -> Done {
    let study = validated(s, PANELS[1])?;
    let shown = [DESCENT, COUNTS, NEVER_SATURATES];
    s.figure(
        Figure::new("Figure 3, middle: saturation is what the map has to know")
            .panel(mean_panel("d = 100, γ = 1", &study, &shown)?)
            .caption("Mean generalization error with 99.9 % bands."),
    );
    Ok(())
}

fn right(s: &Sheet) -> Done {
    let [study, roomy, roomier] = [PANELS[2], PANELS[1], ROOMIER].map(|panel| study(s, panel, Parametrization::Unit));
    let (study, roomy, roomier) = (study?, roomy?, roomier?);
    let printed = s.printed(Margin::ZERO);
    above(printed, "d = 10: error of Eq. 11 minus that of descent at 10⁴ samples", &study, COUNTS, DESCENT)?;
    printed.of("runs").at_least("that difference minus the one at d = 100", contrast(&study, &roomy)?);
    let label = "d = 1000 in the place of d = 10: that difference minus the one at d = 100";
    s.twin(Margin::ZERO).of("runs").at_least(label, contrast(&roomier, &roomy)?);
    let beside = s.aside(FOLLOWS);
    above(beside, "d = 10: error of Eq. 10 minus that of descent at 10⁴ samples", &study, LEADING, DESCENT)?;
    let away = distance(&study, LEADING, SAMPLES as f64)?;
    beside.of("runs").at_least("d = 10: Eq. 10 against descent, largest mean difference of errors", away);
    s.figure(
        Figure::new("Figure 3, right: without room Eq. 11 leaves descent early")
            .panel(mean_panel("d = 10, γ = 1", &study, &[DESCENT, COUNTS, LEADING])?)
            .caption("Mean generalization error with 99.9 % bands."),
    );
    Ok(())
}

/// Error of Eq. 11 minus that of descent at the end, here minus there.
fn contrast(here: &TrainingRuns, there: &TrainingRuns) -> Result<Estimate, Failure> {
    let gaps = |study: &TrainingRuns| -> Result<Vec<f64>, Failure> {
        let d = dimension(study);
        let gap = study.errors(COUNTS, d)? - study.errors(DESCENT, d)?;
        Ok(gap.outer_iter().map(|run| run[run.len() - 1]).collect())
    };
    Ok(difference(&gaps(here)?, &gaps(there)?)?)
}
