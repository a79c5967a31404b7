//! The setting of Figures 6, 7 and 14: descent with batch one, watched visit by visit.
//!
//! N = 10, M = 5, alpha = 1.5, f_*(x) = x mod 5, W = 0 at the start; the big learning rate is 10, the small one 0.1. A *hit* is a step that
//! meets an association which is not stored. Inputs are of norm one: so Appendix C.1 has them for descent, and the verdicts rest on them.
//! Beside them stand inputs as in Eq. 1, where the squared norm is about d and a step moves the scores d times as far.

use std::sync::Arc;

use ndarray::Array2;
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, Streams, proportion};
use workbench_ledger::{Failure, Margin, Setting};
use workbench_memory::{
    Embeddings, Method, Parametrization, Target, TrainingStudy, TrainingTask, Visit, Visits, Zipf, film_visits,
};

use super::learned_embeddings::apart;

/// What happens at most hits.
pub const MOSTLY: Margin = Margin::ours(
    "more often than not",
    0.5,
    "a step that stores does so in more than half of the cases, one that does not in fewer",
);

/// The big and the small learning rate.
pub const BIG: f64 = 10.0;
/// The small one.
pub const SMALL: f64 = 0.1;
/// Number of inputs of Figures 6 and 14.
pub const INPUTS: usize = 10;

/// Law of `n` inputs and the target.
///
/// # Errors
/// No inputs.
pub fn figure_6(n: usize) -> Result<(Zipf, Target), Failure> {
    Ok((Zipf::new(1.5, n)?, Target::modulo(5)?))
}

/// What the plans of these figures say about the length of inputs where only unit ones are run.
pub const UNIT_INPUTS: &str = "inputs on the unit sphere as in Appendix C.1, and W = 0 at the start; in Eq. 1 |e_x|^2 is about d, where the same rate is d times as large";

/// The same where both are run.
pub const BOTH_INPUTS: &str = "inputs of norm one, as Appendix C.1 has them for descent; beside them, judging nothing, those of Eq. 1, with |e_x|^2 about d, where a rate is d times as large; W = 0 at the start of both";

/// How long inputs are, in words.
pub fn in_words(inputs: Parametrization) -> &'static str {
    match inputs {
        Parametrization::Model => "inputs of Eq. 1",
        _ => "unit inputs",
    }
}

/// Descents on `n` inputs of such a length in one dimension.
///
/// # Errors
/// No inputs.
pub fn study(n: usize, inputs: Parametrization, methods: Vec<Method>, dim: usize) -> Result<TrainingStudy, Failure> {
    let (law, target) = figure_6(n)?;
    Ok(TrainingStudy::new(law, target).methods(methods).parametrization(inputs).dims(vec![dim]))
}

/// A thousand visits at the big and at the small rate in `dim` dimensions, run by run, computed once.
///
/// # Errors
/// A descent that diverges.
pub fn visits(
    setting: &Setting,
    inputs: Parametrization,
    dim: usize,
    runs: usize,
) -> Result<Arc<Vec<Vec<Visits>>>, Failure> {
    let name = format!("visits, {}", in_words(inputs));
    setting.shared(&format!("{name}, d = {dim}, {runs} runs"), |own| {
        let methods = vec![Method::sgd(BIG)?.steps(1000), Method::sgd(SMALL)?.steps(1000)];
        Ok(study(INPUTS, inputs, methods, dim)?.runs(runs).visits(own.streams(), &name)?)
    })
}

/// One hit of each run, the first from step 20 on among inputs from this rank on: independent events.
pub fn late_hits(runs: &[Visits], from_rank: usize) -> Vec<Visit> {
    let late = |v: &&Visit| v.step >= 20 && !v.known && v.input + 1 >= from_rank;
    runs.iter().filter_map(|run| run.steps.iter().find(late).copied()).collect()
}

/// Share of hits that store their association.
///
/// # Errors
/// No hits.
pub fn stored(hits: &[Visit]) -> Result<Estimate, Failure> {
    Ok(proportion(hits.iter().filter(|hit| hit.stored).count(), hits.len())?)
}

/// Share of the hits `a` that store their association minus that of the hits `b`, with both intervals.
///
/// # Errors
/// No hits.
pub fn oftener(a: &[Visit], b: &[Visit]) -> Result<Estimate, Failure> {
    apart(stored(a)?, stored(b)?)
}

/// One descent with the scores of all pairs at every step.
pub struct Filmed {
    /// The embeddings and data.
    pub task: TrainingTask,
    /// Its visits.
    pub visits: Visits,
    /// The learning rate.
    pub rate: f64,
}

/// Films one descent; the same embeddings and data for every rate.
///
/// # Errors
/// A rate that is not positive.
pub fn film(streams: &Streams, dim: usize, rate: f64, steps: usize) -> Result<Filmed, Failure> {
    let (law, target) = figure_6(INPUTS)?;
    let embeddings = Embeddings::spherical(INPUTS, 5, dim, &mut streams.restart(&format!("film, d = {dim}"))?)?;
    let task = TrainingTask::new(embeddings, &target.labels(INPUTS), &law.probabilities(INPUTS))?;
    let visits = film_visits(&task, &Method::sgd(rate)?.steps(steps), &mut streams.restart("film, data")?)?;
    Ok(Filmed { task, visits, rate })
}

impl Filmed {
    /// Scores `(M, N)` before and after a step.
    pub fn around(&self, visit: &Visit) -> (&Array2<f64>, &Array2<f64>) {
        (&self.visits.scores[visit.step - 1], &self.visits.scores[visit.step])
    }

    /// The matrix before and after a step as two panels in common colours, the visited association framed.
    pub fn pair(&self, visit: &Visit) -> [Panel; 2] {
        let (before, after) = self.around(visit);
        let (top, stored) = (top(before).max(top(after)), if visit.stored { ", stored" } else { "" });
        [
            matrix(&format!("t = {}", visit.step - 1), before, top, Some(visit)),
            matrix(&format!("t = {}{stored}", visit.step), after, top, Some(visit)),
        ]
    }

    /// The matrix after a step, in colours of its own.
    pub fn frame(&self, step: usize, title: &str) -> Panel {
        let scores = &self.visits.scores[step];
        matrix(title, scores, top(scores), step.checked_sub(1).map(|k| &self.visits.steps[k]))
    }
}

/// The largest score in absolute value.
fn top(scores: &Array2<f64>) -> f64 {
    scores.iter().fold(1e-9f64, |m, v| m.max(v.abs()))
}

fn matrix(title: &str, scores: &Array2<f64>, top: f64, visit: Option<&Visit>) -> Panel {
    let x: Vec<f64> = (1..=scores.ncols()).map(|x| x as f64).collect();
    let y: Vec<f64> = (0..scores.nrows()).map(|y| y as f64).collect();
    let panel = Panel::new(title).x_label("x").y_label("y");
    let panel = panel.heatmap(&(scores / top), &x, &y, "").signed_colour().colour_limits(-1.0, 1.0).no_colour_bar();
    match visit {
        Some(visit) => panel.mark_cell(visit.input as f64 + 1.0, ((visit.input + 1) % 5) as f64),
        None => panel,
    }
}

/// Adds the pairs of some hits to a figure.
pub fn with_pairs(figure: Figure, film: &Filmed, hits: &[Visit]) -> Figure {
    hits.iter().flat_map(|hit| film.pair(hit)).fold(figure, Figure::panel)
}
