//! Figure 3: generalization error of descent with batch one against its approximations.
//!
//! **Claims**, N = 100, M = 5, f_*(x) = x mod 5, alpha = 2. Compared are descent, its approximation through q(x) of Eq. 2, and the update rule
//! of Eq. 11. `heavy-tailed/fig-3-left`: one run, d = 100, gamma = 10. `heavy-tailed/fig-3-middle`: mean of 100 runs, d = 100, gamma = 1;
//! the approximations follow. `heavy-tailed/fig-3-right`: mean, d = 10, gamma = 1; "our approximation is not valid anymore".
//!
//! The first approximation we read as Eq. 10: only right pairs are stored, with the probability that W_q gives, so the scheme has the form of
//! Eq. 2 at all times and feels interference. The second is f^n(0) at the counts that occurred. All run on the same embeddings and samples,
//! the differences are paired. Refuted on the left and in the middle by a mean difference beyond the margin, in a decade of samples or at the
//! end; on the right by one within it. The right panel's "approximation" is both of them too: Section 3 says of d < N
//! that interference breaks Eq. 10.

use std::sync::Arc;

use ndarray::ArrayView1;
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Check, Done, Failure, Margin, Says, Sheet};
use workbench_memory::{Gradient, Ideal, Method, Quantity, Tracked, TrainingRuns, TrainingStudy, log_grid};

use super::population_gradient::{CLASSES, INPUTS, law, target};

/// Curves that follow each other.
pub const FOLLOWS: Margin = Margin::new(
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

impl PanelOf {
    /// Whether pairs have room, d = N.
    pub fn roomy(&self) -> bool {
        self.dim >= INPUTS
    }

    /// A wrong map and its name. With room its exponent is all but left out, so that each visit adds the same; without, M - 1 and
    /// M/(M - 1) stand for M and 1, and exp(q) stays as printed.
    pub fn wrong(&self) -> (Ideal, &'static str) {
        let printed = Ideal::printed(CLASSES);
        if self.roomy() {
            (Ideal { gap: 1e-9, ..printed }, "no saturation")
        } else {
            let changed = Ideal::corrected(CLASSES);
            (Ideal { with_norms: false, ..changed }, "M − 1, M/(M − 1)")
        }
    }
}

fn study(s: &Sheet, panel: PanelOf) -> Result<Arc<TrainingRuns>, Failure> {
    let few = if panel.name == "left" { s.scale().pick(280, 1000) } else { s.scale().pick(250, 500) };
    let (runs, name) = (s.knob("runs", few, 2..)?, format!("figure 3 {}", panel.name));
    s.shared(&format!("{name}, {runs} runs"), |own| {
        let grid: Vec<usize> = log_grid(1, SAMPLES, 5)?.into_iter().collect();
        let method = |gradient: Gradient, label: &str| -> Result<Method, Failure> {
            let method = Method::sgd(panel.rate)?.gradient(gradient).label(label);
            Ok(method.tracking(Tracked::Scores).without_moments().steps(SAMPLES).record(grid.clone()))
        };
        let (wrong, name_of_wrong) = panel.wrong();
        let methods = vec![
            method(Gradient::Exact, DESCENT)?,
            method(Gradient::Leading, LEADING)?,
            method(Gradient::Ideal(Ideal::printed(CLASSES)), COUNTS)?,
            method(Gradient::Ideal(wrong), name_of_wrong)?,
        ];
        let study = TrainingStudy::new(law()?, target()?).methods(methods);
        Ok(study.dims(vec![panel.dim]).runs(runs).run(own.streams(), &name)?)
    })
}

/// The one dimension of a panel's study.
fn dimension(study: &TrainingRuns) -> usize {
    study.dims().first().copied().unwrap_or_default()
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

/// Both approximations follow descent to the end; a map that never saturates does not.
fn both_follow(s: &Sheet, study: &TrainingRuns, panel: PanelOf) -> Done {
    for (name, method) in [("Eq. 11", COUNTS), ("Eq. 10", LEADING)] {
        let label = format!("{name} against descent, γ = {}: largest difference", panel.rate);
        follows(s.printed(FOLLOWS), label, study, method, SAMPLES as f64)?;
    }
    let label = format!("a map that never saturates, γ = {}: largest difference", panel.rate);
    follows(s.twin(FOLLOWS), label, study, panel.wrong().1, SAMPLES as f64)
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

const PROTOCOL: &[&str] = &["inputs of Eq. 1, W = 0 at the start, batch one, constant rate"];
const DEPARTURES: &[&str] = &[
    "the caption names no time range: 10^4 samples",
    "more runs than the caption's, so that intervals fit into the margin; means on the left too, where it shows one run",
    "Eq. 11 at the counts that occurred, as the text after Eq. 45 recommends",
    "follows is read in absolute error; where errors have become small, a curve that follows may still be twice as high (in the middle, at the end)",
];
const METRIC: &str =
    "mean generalization error minus that of descent, paired by runs, over each decade of samples and at the end";

/// Left panel: d = 100, rate 10.
pub const LEFT: Check = Check {
    claim: "heavy-tailed/fig-3-left",
    metric: METRIC,
    against: "a difference beyond the margin of Eq. 10 or of Eq. 11",
    protocol: PROTOCOL,
    departures: DEPARTURES,
    run: left,
    ..Check::DEFAULT
};

/// Middle panel: d = 100, rate 1.
pub const MIDDLE: Check = Check { claim: "heavy-tailed/fig-3-middle", run: middle, ..LEFT };

/// Right panel: d = 10, rate 1.
pub const RIGHT: Check = Check {
    claim: "heavy-tailed/fig-3-right",
    against: "an Eq. 10 or an Eq. 11 that stays within the margin",
    run: right,
    ..LEFT
};

fn left(s: &Sheet) -> Done {
    let study = study(s, PANELS[0])?;
    both_follow(s, &study, PANELS[0])?;
    s.weaker("Eq. 10 follows to the end; Eq. 11 up to about 1000 samples, then its weights, all nearly equal, overflow d = N");
    let changed = s.changed(FOLLOWS);
    follows(changed, "Eq. 10, γ = 10: largest difference up to 10⁴ samples", &study, LEADING, SAMPLES as f64)?;
    follows(changed, "Eq. 11, γ = 10: largest difference up to 1000 samples", &study, COUNTS, 1000.0)?;
    above(changed, "γ = 10: error of Eq. 11 minus that of descent at 10⁴ samples", &study, COUNTS, DESCENT)?;
    let shown = [DESCENT, LEADING, COUNTS];
    s.figure(
        Figure::new("Figure 3, left: Eq. 10 stays with descent, Eq. 11 as long as there is room")
            .panel(single_panel("one run, d = 100, γ = 10", &study, &shown)?)
            .panel(mean_panel("mean over runs", &study, &shown)?)
            .columns(2)
            .caption("Generalization error; zero is drawn at 10^{−4} on the left. Right: means with 99.9 % bands."),
    );
    Ok(())
}

fn middle(s: &Sheet) -> Done {
    let study = study(s, PANELS[1])?;
    both_follow(s, &study, PANELS[1])?;
    let end = |method: &str| study.mean(method, PANELS[1].dim).map(|error| error.value);
    s.note(format!(
        "errors at 10⁴ samples: descent {:.4}, Eq. 10 {:.4}, Eq. 11 {:.4}",
        end(DESCENT)?,
        end(LEADING)?,
        end(COUNTS)?
    ));
    let shown = [DESCENT, LEADING, COUNTS, PANELS[1].wrong().1];
    s.figure(
        Figure::new("Figure 3, middle: saturation is what the map has to know")
            .panel(mean_panel("d = 100, γ = 1", &study, &shown)?)
            .caption("Mean generalization error with 99.9 % bands."),
    );
    Ok(())
}

fn right(s: &Sheet) -> Done {
    let (study, roomy) = (study(s, PANELS[2])?, study(s, PANELS[1])?);
    let printed = s.printed(FOLLOWS);
    for (name, method) in [("Eq. 11", COUNTS), ("Eq. 10", LEADING)] {
        let label = format!("d = 10: error of {name} minus that of descent at 10⁴ samples");
        above(printed, label, &study, method, DESCENT)?;
    }
    s.weaker("Eq. 11 leaves; Eq. 10, which feels interference as descent does, is where descent is after 10⁴ samples");
    let changed = s.changed(FOLLOWS).of("runs");
    above(changed, "d = 10: error of Eq. 11 above that of descent at 10⁴ samples", &study, COUNTS, DESCENT)?;
    let gap = |study: &TrainingRuns| study.difference(COUNTS, DESCENT, dimension(study));
    let (here, there) = (gap(&study)?, gap(&roomy)?);
    let (low, high) = (here.low - there.high, here.high - there.low);
    let contrast = Estimate::new(here.value - there.value, low, high, here.n, here.confidence)?;
    changed.at_least("that difference minus the one at d = 100", contrast);
    let label = "d = 10: error of Eq. 10 minus that of descent, alike at 10⁴ samples";
    changed.equals(label, 0.0, study.difference(LEADING, DESCENT, PANELS[2].dim)?);
    let label = "M − 1 and M/(M − 1) in the place of descent: error of Eq. 11 minus theirs, d = 10";
    above(s.twin(FOLLOWS), label, &study, COUNTS, PANELS[2].wrong().1)?;
    let away = distance(&study, LEADING, SAMPLES as f64)?;
    s.note(format!(
        "Eq. 10 against descent on the way, d = 10: largest difference over a decade {:.3} [{:.3}, {:.3}]",
        away.value, away.low, away.high
    ));
    s.figure(
        Figure::new("Figure 3, right: without room Eq. 11 leaves descent early, Eq. 10 stays")
            .panel(mean_panel("d = 10, γ = 1", &study, &[DESCENT, LEADING, COUNTS])?)
            .caption("Mean generalization error with 99.9 % bands."),
    );
    Ok(())
}
