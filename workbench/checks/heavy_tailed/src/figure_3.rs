//! Figure 3: does the approximation predict the error of descent with batch one?
//!
//! **Claims**, N = 100, M = 5, f_*(x) = x mod 5, alpha = 2. Compared are descent, its approximation through q(x) of Eq. 2, and the update rule
//! of Eq. 11. `heavy-tailed/fig-3-left`: one run, d = 100, gamma = 10. `heavy-tailed/fig-3-middle`: mean of 100 runs, d = 100, gamma = 1;
//! the approximations follow. `heavy-tailed/fig-3-right`: mean, d = 10, gamma = 1; "our approximation is not valid anymore".
//!
//! The first approximation we read as Eq. 10: only right pairs are stored, with the probability that W_q gives, so the scheme has the form of
//! Eq. 2 at all times and feels interference. The second is f^n(0) at the counts that occurred. All run on the same embeddings and samples,
//! the differences are paired. On the left and in the middle a mean difference beyond the margin, in a decade of samples or at the end,
//! counts against the claim; on the right one within it. The right panel's "approximation" is both of them too: Section 3 says of d < N
//! that interference breaks Eq. 10.

use std::sync::Arc;

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{Gradient, Ideal, Method, Quantity, Tracked, TrainingRuns, TrainingStudy, log_grid};

use super::section_3_gradient::{CLASSES, INPUTS, law, target};
use crate::vocabulary::by_scale;

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

/// The studies of the three panels.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// Runs of a panel; by scale if 0.
    pub count: usize,
}

impl Runs {
    fn study(&self, setting: &Setting, panel: PanelOf) -> Result<Arc<TrainingRuns>, Failure> {
        let (quick, paper) = match panel.name {
            "left" => (280, 1000),
            "middle" => (250, 500),
            _ => (250, 500),
        };
        let runs = by_scale(self.count, setting.scale().pick(quick, paper));
        let name = format!("figure 3 {}", panel.name);
        setting.shared(&format!("{name}, {runs} runs"), |own| {
            let grid: Vec<usize> = log_grid(1, SAMPLES, 5)?.into_iter().collect();
            let method = |gradient: Gradient, label: &str| -> Result<Method, Failure> {
                let method = Method::sgd(panel.rate)?.gradient(gradient).label(label);
                let method = method.tracking(Tracked::Scores).without_moments();
                Ok(method.steps(SAMPLES).record(grid.clone()))
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
}

/// The one dimension of a panel's study.
pub fn dimension(study: &TrainingRuns) -> usize {
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
    let decade = |k: usize| (samples[k] / samples[0] * 1.000_001).log10() as usize;
    let mut windows = vec![vec![inside - 1]];
    for k in 0..inside {
        windows.resize(windows.len().max(decade(k) + 2), Vec::new());
        windows[decade(k) + 1].push(k);
    }
    let mut worst: Option<Estimate> = None;
    for window in windows.iter().filter(|window| !window.is_empty()) {
        let runs: Vec<f64> =
            gap.outer_iter().map(|run| window.iter().map(|k| run[*k]).sum::<f64>() / window.len() as f64).collect();
        let reach = in_absolute_value(mean(&runs)?)?;
        if worst.is_none_or(|worst| reach.value > worst.value) {
            worst = Some(reach);
        }
    }
    Ok(worst.ok_or("no records to compare")?)
}

fn in_absolute_value(e: Estimate) -> Result<Estimate, Failure> {
    let (low, high) = (e.low.abs().min(e.high.abs()), e.low.abs().max(e.high.abs()));
    let nearest = if e.low <= 0.0 && e.high >= 0.0 { 0.0 } else { low };
    Ok(Estimate::new(e.value.abs(), nearest, high, e.n, e.confidence)?)
}

/// A finding that a method follows descent.
///
/// # Errors
/// A single run.
pub fn follows(label: &str, study: &TrainingRuns, method: &str, until: f64) -> Result<Finding, Failure> {
    Ok(Finding::at_most(label, FOLLOWS, distance(study, method, until)?).unit("runs"))
}

/// A finding that the error of `a` at the end is above that of `b`.
///
/// # Errors
/// A single run.
pub fn above(label: &str, study: &TrainingRuns, a: &str, b: &str) -> Result<Finding, Failure> {
    Ok(Finding::at_least(label, FOLLOWS, study.difference(a, b, dimension(study))?).unit("runs"))
}

/// That both approximations follow descent to the end.
fn both_follow(study: &TrainingRuns, rate: &str) -> Result<Evidence, Failure> {
    let follows = |name: &str, method| {
        let label = format!("{name} against descent, γ = {rate}: largest difference");
        follows(&label, study, method, SAMPLES as f64)
    };
    Ok(Evidence::of(follows("Eq. 11", COUNTS)?).and(follows("Eq. 10", LEADING)?))
}

/// A map that never saturates in the place of that of Eq. 11.
fn unsaturated(study: &TrainingRuns, panel: PanelOf) -> Result<Finding, Failure> {
    let label = format!("a map that never saturates, γ = {}: largest difference", panel.rate);
    follows(&label, study, panel.wrong().1, SAMPLES as f64)
}

/// Mean errors along the samples.
///
/// # Errors
/// A single run.
pub fn mean_panel(title: &str, study: &TrainingRuns, methods: &[&str]) -> Result<Panel, Failure> {
    let mut panel = Panel::new(title).x_label("samples").y_label("error").log_x().log_y().legend_below();
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
///
/// # Errors
/// No such method.
pub fn single_panel(title: &str, study: &TrainingRuns, methods: &[&str]) -> Result<Panel, Failure> {
    let mut panel =
        Panel::new(title).x_label("samples").y_label("error").log_x().log_y().y_limits(1e-4, 1.0).legend_below();
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
#[derive(Clone, Debug, Default)]
pub struct Left {
    /// Runs.
    pub runs: Runs,
}

impl TypedCheck for Left {
    const CLAIM: &'static str = "heavy-tailed/fig-3-left";
    const PLAN: Plan = Plan::new(METRIC, "a difference beyond the margin of Eq. 10 or of Eq. 11", &[FOLLOWS])
        .protocol(PROTOCOL)
        .departures(DEPARTURES);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let study = self.runs.study(setting, PANELS[0])?;
        let evidence = both_follow(&study, "10")?
            .weaker(
                "Eq. 10 follows to the end; Eq. 11 up to about 1000 samples, then its weights, all nearly equal, overflow d = N",
                vec![
                    follows("Eq. 10, γ = 10: largest difference up to 10⁴ samples", &study, LEADING, SAMPLES as f64)?,
                    follows("Eq. 11, γ = 10: largest difference up to 1000 samples", &study, COUNTS, 1000.0)?,
                    above("γ = 10: error of Eq. 11 minus that of descent at 10⁴ samples", &study, COUNTS, DESCENT)?,
                ],
            )
            .twin(unsaturated(&study, PANELS[0])?);
        let shown = [DESCENT, LEADING, COUNTS];
        let figure = Figure::new("Figure 3, left: Eq. 10 stays with descent, Eq. 11 as long as there is room")
            .panel(single_panel("one run, d = 100, γ = 10", &study, &shown)?)
            .panel(mean_panel("mean over runs", &study, &shown)?)
            .columns(2)
            .caption("Generalization error; zero is drawn at 10^{−4} on the left. Right: means with 99.9 % bands.");
        Ok(Checked::from(evidence).figure(figure))
    }
}

/// Middle panel: d = 100, rate 1.
#[derive(Clone, Debug, Default)]
pub struct Middle {
    /// Runs.
    pub runs: Runs,
}

impl TypedCheck for Middle {
    const CLAIM: &'static str = "heavy-tailed/fig-3-middle";
    const PLAN: Plan = Plan::new(METRIC, "a difference beyond the margin of Eq. 10 or of Eq. 11", &[FOLLOWS])
        .protocol(PROTOCOL)
        .departures(DEPARTURES);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let study = self.runs.study(setting, PANELS[1])?;
        let evidence = both_follow(&study, "1")?.twin(unsaturated(&study, PANELS[1])?).note(format!(
            "errors at 10⁴ samples: descent {:.4}, Eq. 10 {:.4}, Eq. 11 {:.4}",
            study.mean(DESCENT, PANELS[1].dim)?.value,
            study.mean(LEADING, PANELS[1].dim)?.value,
            study.mean(COUNTS, PANELS[1].dim)?.value
        ));
        let figure = Figure::new("Figure 3, middle: saturation is what the map has to know")
            .panel(mean_panel("d = 100, γ = 1", &study, &[DESCENT, LEADING, COUNTS, PANELS[1].wrong().1])?)
            .caption("Mean generalization error with 99.9 % bands.");
        Ok(Checked::from(evidence).figure(figure))
    }
}

/// Right panel: d = 10, rate 1.
#[derive(Clone, Debug, Default)]
pub struct Right {
    /// Runs.
    pub runs: Runs,
}

impl TypedCheck for Right {
    const CLAIM: &'static str = "heavy-tailed/fig-3-right";
    const PLAN: Plan = Plan::new(METRIC, "an Eq. 10 or an Eq. 11 that stays within the margin", &[FOLLOWS])
        .protocol(PROTOCOL)
        .departures(DEPARTURES);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (study, middle) = (self.runs.study(setting, PANELS[2])?, self.runs.study(setting, PANELS[1])?);
        let gap = |study: &TrainingRuns| study.difference(COUNTS, DESCENT, dimension(study));
        let (here, there) = (gap(&study)?, gap(&middle)?);
        let contrast = Estimate::new(
            here.value - there.value,
            here.low - there.high,
            here.high - there.low,
            here.n,
            here.confidence,
        )?;
        let away = distance(&study, LEADING, SAMPLES as f64)?;
        let leaves = |name: &str, method| {
            let label = format!("d = 10: error of {name} minus that of descent at 10⁴ samples");
            above(&label, &study, method, DESCENT)
        };
        let evidence = Evidence::of(leaves("Eq. 11", COUNTS)?)
            .and(leaves("Eq. 10", LEADING)?)
            .weaker(
                "Eq. 11 leaves; Eq. 10, which feels interference as descent does, is where descent is after 10⁴ samples",
                vec![
                    above(
                        "d = 10: error of Eq. 11 above that of descent at 10⁴ samples",
                        &study,
                        COUNTS,
                        DESCENT,
                    )?,
                    Finding::at_least("that difference minus the one at d = 100", FOLLOWS, contrast).unit("runs"),
                    Finding::equals(
                        "d = 10: error of Eq. 10 minus that of descent, alike at 10⁴ samples",
                        0.0,
                        FOLLOWS,
                        study.difference(LEADING, DESCENT, PANELS[2].dim)?,
                    )
                    .unit("runs"),
                ],
            )
            .note(format!(
                "Eq. 10 against descent on the way, d = 10: largest difference over a decade {:.3} [{:.3}, {:.3}]",
                away.value, away.low, away.high
            ))
            .twin(above(
                "M − 1 and M/(M − 1) in the place of descent: error of Eq. 11 minus theirs, d = 10",
                &study,
                COUNTS,
                PANELS[2].wrong().1,
            )?);
        let figure = Figure::new("Figure 3, right: without room Eq. 11 leaves descent early, Eq. 10 stays")
            .panel(mean_panel("d = 10, γ = 1", &study, &[DESCENT, LEADING, COUNTS])?)
            .caption("Mean generalization error with 99.9 % bands.");
        Ok(Checked::from(evidence).figure(figure))
    }
}
