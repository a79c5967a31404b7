//! What single visits do: descent with batch one, watched association by association.

use super::method::Method;
use super::task::TrainingTask;
use super::trainer::Trainer;
use crate::{Embeddings, Error, Target, Zipf};
use ndarray::Array2;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use workbench_ground::check::positive;
use workbench_ground::stats::{Stream, Streams};
use workbench_ground::work;

const OP: &str = "watch_visits";

/// One step with batch one, seen from the associations.
///
/// **Source**: Fig. 6 and 14: "stochastic gradient descent will hit an association that is not properly stored in memory yet".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visit {
    /// Number of this step; the first is 1.
    pub step: u64,
    /// The row of the visited input; row `x - 1` is rank x.
    pub input: usize,
    /// Whether the input was recalled before the step.
    pub known: bool,
    /// Whether it is recalled after it.
    pub stored: bool,
    /// Other inputs that were recalled before and are not after.
    pub broken: usize,
    /// Inputs recalled after the step.
    pub recalled: usize,
    /// The error of Eq. 3 after the step.
    pub error: f64,
}

/// The visits of one descent, and score tables at chosen steps.
#[derive(Clone, Debug)]
pub struct Visits {
    /// Every step in order.
    pub steps: Vec<Visit>,
    /// Scores `(M, N)` before the first step and after each: only filled by [`film_visits`].
    pub scores: Vec<Array2<f64>>,
}

impl Visits {
    /// The steps that met an association that was not stored.
    pub fn hits(&self) -> Vec<Visit> {
        self.steps.iter().filter(|v| !v.known).copied().collect()
    }

    /// Errors after each step.
    pub fn errors(&self) -> Vec<f64> {
        self.steps.iter().map(|v| v.error).collect()
    }

    /// The first hit at or after a step.
    pub fn first_hit(&self, from: u64) -> Option<Visit> {
        self.steps.iter().find(|v| v.step >= from && !v.known).copied()
    }
}

/// Runs `runs` descents with batch one under each method, on the same embeddings and the same data, and watches every visit. The number of
/// steps is that of the method; its batch is not used.
///
/// Embeddings are on the unit sphere (Appendix C.1) and W starts at zero. Returns one list of runs for each method.
///
/// **Errors**: zero sizes, methods that do not fit, [`Error::Diverged`], [`Error::Stopped`].
///
/// Cost: `steps N M` per run and method for score tables.
pub fn watch_visits(
    law: &Zipf,
    target: &Target,
    dim: usize,
    methods: &[Method],
    runs: usize,
    streams: &Streams,
    name: &str,
) -> Result<Vec<Vec<Visits>>, Error> {
    watch(Embeddings::spherical, (law, target, dim), methods, runs, streams, name)
}

/// As [`watch_visits`], with the inputs of Eq. 1: `N(0, I_d)`, of squared norm about d.
///
/// **Errors**: as [`watch_visits`].
pub fn watch_visits_of_equation_1(
    law: &Zipf,
    target: &Target,
    dim: usize,
    methods: &[Method],
    runs: usize,
    streams: &Streams,
    name: &str,
) -> Result<Vec<Vec<Visits>>, Error> {
    watch(Embeddings::draw, (law, target, dim), methods, runs, streams, name)
}

/// Draws the embeddings of so many inputs and classes in so many dimensions.
type Draw = fn(usize, usize, usize, &mut Stream) -> Result<Embeddings, Error>;

fn watch(
    draw: Draw,
    (law, target, dim): (&Zipf, &Target, usize),
    methods: &[Method],
    runs: usize,
    streams: &Streams,
    name: &str,
) -> Result<Vec<Vec<Visits>>, Error> {
    positive(OP, "methods", methods.len())?;
    positive(OP, "runs", runs)?;
    let n = law.enumerable(OP)?;
    let done = AtomicU64::new(0);
    let by_run = (0..runs as u64)
        .into_par_iter()
        .map(|i| {
            let mut embeddings = streams.restart_replicate(&format!("{name}: embeddings, d = {dim}"), i)?;
            let embeddings = draw(n, target.n_classes(), dim, &mut embeddings)?;
            let task = TrainingTask::new(embeddings, &target.labels(n), &law.probabilities(n))?;
            let watched = methods
                .iter()
                .map(|method| {
                    work::check(OP, done.load(Ordering::Relaxed), runs as u64)?;
                    let mut data = streams.restart_replicate(&format!("{name}: data"), i)?;
                    film(&task, method, &mut data, false)
                })
                .collect::<Result<Vec<Visits>, Error>>()?;
            done.fetch_add(1, Ordering::Relaxed);
            Ok(watched)
        })
        .collect::<Result<Vec<_>, Error>>()?;
    Ok((0..methods.len())
        .map(|k| by_run.iter().map(|run| run[k].clone()).collect())
        .collect())
}

/// One descent with batch one, with the scores before the first step and after every step.
///
/// **Source**: Fig. 6 and 14. **Errors**: as [`watch_visits`].
pub fn film_visits(task: &TrainingTask, method: &Method, data: &mut Stream) -> Result<Visits, Error> {
    film(task, method, data, true)
}

fn film(task: &TrainingTask, method: &Method, data: &mut Stream, keep: bool) -> Result<Visits, Error> {
    let steps = method.steps;
    let mut trainer = Trainer::new(task, method)?;
    let mut known: Vec<bool> = trainer.margins().iter().map(|m| *m > 0.0).collect();
    let mut film = Visits {
        steps: Vec::with_capacity(steps as usize),
        scores: Vec::new(),
    };
    let keep_scores = |trainer: &Trainer, film: &mut Visits| {
        if keep {
            film.scores
                .push(trainer.scores().reversed_axes().as_standard_layout().to_owned());
        }
    };
    keep_scores(&trainer, &mut film);
    for step in 1..=steps {
        if step % 256 == 0 {
            work::check(OP, step, steps)?;
        }
        let input = task.sample(data);
        trainer.step(&[input])?;
        let after: Vec<bool> = trainer.margins().iter().map(|m| *m > 0.0).collect();
        film.steps.push(Visit {
            step,
            input,
            known: known[input],
            stored: after[input],
            broken: (0..after.len())
                .filter(|&x| x != input && known[x] && !after[x])
                .count(),
            recalled: after.iter().filter(|k| **k).count(),
            error: after
                .iter()
                .zip(task.probabilities())
                .filter(|(k, _)| !**k)
                .map(|(_, p)| p)
                .sum(),
        });
        known = after;
        keep_scores(&trainer, &mut film);
    }
    Ok(film)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_visit_by_hand() {
        // Orthonormal inputs and outputs: a visit stores its own pair and breaks nothing.
        let e = Embeddings::from_parts(Array2::eye(3), Array2::eye(3)).unwrap();
        let task = TrainingTask::new(e, &[0, 1, 2], &[0.5, 0.3, 0.2]).unwrap();
        let mut data = Streams::new(1).stream("d").unwrap();
        let film = film_visits(&task, &Method::sgd(1.0).unwrap().steps(40), &mut data).unwrap();
        assert_eq!((film.steps.len(), film.scores.len()), (40, 41));
        let hits = film.hits();
        assert!(hits.iter().all(|h| h.stored && h.broken == 0) && hits.len() == 3);
        assert_eq!(film.steps.last().unwrap().error, 0.0);
        assert_eq!(film.first_hit(1).unwrap(), film.steps[0]);
        // First step from zero scores: 1 - 1/3 on the pair, -1/3 on its rivals.
        let x = film.steps[0].input;
        assert!((film.scores[1][[x, x]] - 2.0 / 3.0).abs() < 1e-15);
        assert!((film.scores[1][[(x + 1) % 3, x]] + 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn methods_share_embeddings_and_data() {
        let (law, target) = (Zipf::new(1.5, 10).unwrap(), Target::modulo(5).unwrap());
        let methods = [10.0, 0.1].map(|g| Method::sgd(g).unwrap().steps(30));
        let runs = watch_visits(&law, &target, 5, &methods, 4, &Streams::new(1), "v").unwrap();
        for (a, b) in runs[0].iter().zip(&runs[1]) {
            assert!(a.steps.iter().zip(&b.steps).all(|(a, b)| a.input == b.input));
        }
        // The same data with other inputs.
        let long = watch_visits_of_equation_1(&law, &target, 5, &methods, 4, &Streams::new(1), "v").unwrap();
        for (a, b) in runs[0].iter().zip(&long[0]) {
            assert!(a.steps.iter().zip(&b.steps).all(|(a, b)| a.input == b.input));
            assert_ne!(a.errors(), b.errors());
        }
        assert!(watch_visits(&law, &target, 5, &[], 4, &Streams::new(1), "v").is_err());
        assert!(watch_visits(&law, &target, 5, &methods, 0, &Streams::new(1), "v").is_err());
        assert!(watch_visits(&law, &target, 0, &methods, 1, &Streams::new(1), "v").is_err());
    }
}
