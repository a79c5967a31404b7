//! Visits of single associations: descent with batch one, watched association by association.

use super::method::Method;
use super::run::TrainingRun;
use super::study::TrainingStudy;
use super::task::TrainingTask;
use crate::store::embedding::Embeddings;
use ndarray::Array2;
use rayon::prelude::*;
use workbench_ground::Error;
use workbench_ground::stats::{Stream, Streams};
use workbench_ground::tabulated::{Columns, Tabulated, Values};
use workbench_ground::work::{self, Finished, Observer, Unwatched};

const OP: &str = "TrainingStudy::visits";

/// One step with batch one, seen from the associations.
///
/// **Source**: Fig. 6 and 14: "stochastic gradient descent will hit an association that is not properly stored in memory yet".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visit {
    /// Number of this step; the first is 1.
    pub step: usize,
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
    pub fn first_hit(&self, from: usize) -> Option<Visit> {
        self.steps.iter().find(|v| v.step >= from && !v.known).copied()
    }
}

/// One row for each step, without curves: ranks, counts and errors have no axis in common.
impl Tabulated for Visits {
    fn columns(&self) -> Result<Columns, Error> {
        let counts = |of: fn(&Visit) -> usize| Values::from(self.steps.iter().map(of).collect::<Vec<usize>>());
        let truths = |of: fn(&Visit) -> bool| Values::from(self.steps.iter().map(of).collect::<Vec<bool>>());
        Ok(Columns::new("Visits")
            .with("step", counts(|v| v.step))
            .with("rank", counts(|v| v.input + 1))
            .with("known", truths(|v| v.known))
            .with("stored", truths(|v| v.stored))
            .with("broken", counts(|v| v.broken))
            .with("recalled", counts(|v| v.recalled))
            .with("error", self.errors()))
    }
}

impl TrainingStudy {
    /// Every visit of descents with batch one, in the one dimension of the study: all methods on the same embeddings and the same data.
    ///
    /// The number of steps is that of each method; its batch is not used. Returns one list of runs for each method.
    ///
    /// **Errors**: as [`TrainingStudy::run`], and more dimensions than one.
    ///
    /// Cost: `steps N M` per run and method for score tables.
    pub fn visits(&self, streams: &Streams, name: &str) -> Result<Vec<Vec<Visits>>, Error> {
        self.visits_watched(streams, name, &mut Unwatched)
    }

    /// [`TrainingStudy::visits`], telling `observer` after each finished run.
    ///
    /// **Errors**: as [`TrainingStudy::visits`].
    pub fn visits_watched(
        &self,
        streams: &Streams,
        name: &str,
        observer: &mut (dyn Observer + Send),
    ) -> Result<Vec<Vec<Visits>>, Error> {
        let n = self.check()?;
        let &[dim] = self.dims.as_slice() else {
            let allowed = "a study in one dimension: `.dims(vec![d])`";
            return Err(Error::parameter(OP, "number of dimensions", self.dims.len() as f64, allowed));
        };
        let (labels, p) = (self.target.labels(n), self.law.probabilities(n));
        let finished = Finished::new(OP, self.runs, observer);
        let by_run = (0..self.runs)
            .into_par_iter()
            .map(|i| {
                let stream = |what: &str| streams.restart_replicate(&format!("{name}: {what}"), i);
                let (mut embeddings, mut weights) = (stream("embeddings")?, stream("weights")?);
                let raw = Embeddings::draw(n, self.target.n_classes(), dim, &mut embeddings)?;
                let task = self.parametrization.task(&raw, dim, &labels, &p, &mut weights)?;
                let watched = self
                    .methods
                    .iter()
                    .map(|method| {
                        finished.go_on()?;
                        film(&task, &self.scaled(method, dim)?, &mut stream("data")?, false)
                    })
                    .collect::<Result<Vec<Visits>, Error>>()?;
                finished.one();
                Ok(watched)
            })
            .collect::<Result<Vec<_>, Error>>()?;
        Ok((0..self.methods.len()).map(|k| by_run.iter().map(|run| run[k].clone()).collect()).collect())
    }
}

/// One descent with batch one, with the scores before the first step and after every step.
///
/// **Source**: Fig. 6 and 14. **Errors**: as [`TrainingStudy::visits`].
pub fn film_visits(task: &TrainingTask, method: &Method, data: &mut Stream) -> Result<Visits, Error> {
    film(task, method, data, true)
}

fn film(task: &TrainingTask, method: &Method, data: &mut Stream, keep: bool) -> Result<Visits, Error> {
    let steps = method.steps;
    let mut descent = TrainingRun::new(task, method)?;
    let mut known: Vec<bool> = descent.margins().iter().map(|m| *m > 0.0).collect();
    let mut film = Visits { steps: Vec::with_capacity(steps), scores: Vec::new() };
    let keep_scores = |descent: &TrainingRun, film: &mut Visits| {
        if keep {
            film.scores.push(descent.scores().reversed_axes().as_standard_layout().to_owned());
        }
    };
    keep_scores(&descent, &mut film);
    for step in 1..=steps {
        work::check(OP, step - 1, steps)?;
        let input = task.sample(data);
        descent.step(&[input])?;
        let after: Vec<bool> = descent.margins().iter().map(|m| *m > 0.0).collect();
        film.steps.push(Visit {
            step,
            input,
            known: known[input],
            stored: after[input],
            broken: (0..after.len()).filter(|&x| x != input && known[x] && !after[x]).count(),
            recalled: after.iter().filter(|k| **k).count(),
            error: after.iter().zip(task.probabilities()).filter(|(k, _)| !**k).map(|(_, p)| p).sum(),
        });
        known = after;
        keep_scores(&descent, &mut film);
    }
    Ok(film)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::target::Target;
    use crate::data::zipf::Zipf;
    use crate::training::parametrization::Parametrization;
    use workbench_ground::rehearsal::stop_after;
    use workbench_ground::work::Seen;

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
        let columns = film.columns().unwrap();
        let names: Vec<&str> = columns.list.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["step", "rank", "known", "stored", "broken", "recalled", "error"]);
        assert_eq!(columns.list[0].1, Values::from((1..=40).collect::<Vec<i64>>()));
        assert_eq!(columns.list[6].1, Values::from(film.errors()));
        // First step from zero scores: 1 - 1/3 on the pair, -1/3 on its rivals.
        let x = film.steps[0].input;
        assert!((film.scores[1][[x, x]] - 2.0 / 3.0).abs() < 1e-15);
        assert!((film.scores[1][[(x + 1) % 3, x]] + 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn methods_share_embeddings_and_data() {
        let (law, target) = (Zipf::new(1.5, 10).unwrap(), Target::modulo(5).unwrap());
        let methods = [10.0, 0.1].map(|g| Method::sgd(g).unwrap().steps(30));
        let study = TrainingStudy::new(law, target).methods(methods.to_vec()).dims(vec![5]).runs(4);
        let unit = study.clone().parametrization(Parametrization::Unit);
        let visits = |study: &TrainingStudy| study.visits(&Streams::new(1), "v");
        let runs = visits(&unit).unwrap();
        for (a, b) in runs[0].iter().zip(&runs[1]) {
            assert!(a.steps.iter().zip(&b.steps).all(|(a, b)| a.input == b.input));
        }
        let mut seen = Seen::default();
        unit.visits_watched(&Streams::new(1), "v", &mut seen).unwrap();
        assert_eq!(
            seen.0.iter().map(|step| (step.done, step.of)).collect::<Vec<_>>(),
            [1, 2, 3, 4].map(|run| (run, 4))
        );
        // The same data with the inputs of Eq. 1.
        let long = visits(&study).unwrap();
        for (a, b) in runs[0].iter().zip(&long[0]) {
            assert!(a.steps.iter().zip(&b.steps).all(|(a, b)| a.input == b.input));
            assert_ne!(a.errors(), b.errors());
        }
        for refused in [study.clone().methods(Vec::new()), study.clone().runs(0), study.clone().dims(vec![0])] {
            assert!(visits(&refused).is_err());
        }
        let two = visits(&study.dims(vec![5, 6])).unwrap_err().to_string();
        assert!(two.contains("2") && two.contains(".dims(vec![d])"), "{two}");
    }

    #[test]
    fn a_film_stops_between_steps() {
        let e = Embeddings::from_parts(Array2::eye(3), Array2::eye(3)).unwrap();
        let task = TrainingTask::new(e, &[0, 1, 2], &[0.5, 0.3, 0.2]).unwrap();
        let method = Method::sgd(1.0).unwrap().steps(40);
        let mut data = Streams::new(1).stream("d").unwrap();
        let stopped = stop_after(7, || film_visits(&task, &method, &mut data)).unwrap_err();
        assert!(matches!(stopped, Error::Stopped(stopped) if stopped.operation == OP && stopped.of == 40));
    }
}
