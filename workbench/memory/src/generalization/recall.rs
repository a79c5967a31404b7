//! Recall of inputs, run by run: several memories on common embeddings and common data.

use super::recalls::Recalls;
use crate::data::samples::Samples;
use crate::data::target::Target;
use crate::data::zipf::Zipf;
use crate::store::associative_memory::AssociativeMemory;
use crate::store::associative_memory::margin;
use crate::store::embedding::Embeddings;
use crate::store::scheme::Scheme;
use ndarray::Array3;
use rayon::prelude::*;
use workbench_ground::Error;
use workbench_ground::check::positive;
use workbench_ground::stats::Streams;
use workbench_ground::work::{Finished, Observer, Unwatched};

/// Memories that are compared input by input. Within a run they share the data and the embeddings; a smaller dimension takes the
/// first coordinates of a larger one.
///
/// **Source**: Eq. 1 to 5, as in Fig. 10.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memory::{RecallStudy, Samples, Scheme, Target, Zipf};
/// let recalls = RecallStudy::new(Zipf::new(1.0, 10)?, Target::modulo(5)?)
///     .memory(Scheme::uniform(), 10)
///     .memory(Scheme::uniform(), 200)
///     .samples(Samples::Draws(1000))
///     .runs(50)
///     .run(&Streams::new(1), "demo")?;
/// assert!(recalls.all_recalled(1)?.value > recalls.all_recalled(0)?.value);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecallStudy {
    law: Zipf,
    target: Target,
    memories: Vec<(Scheme, usize)>,
    samples: Samples,
    runs: usize,
}

impl RecallStudy {
    /// A study without memories yet, on population weights, 100 runs until told otherwise.
    pub fn new(law: Zipf, target: Target) -> RecallStudy {
        RecallStudy { law, target, memories: Vec::new(), samples: Samples::Population, runs: 100 }
    }

    /// Adds a memory with its weights and its dimension.
    pub fn memory(mut self, scheme: Scheme, dim: usize) -> RecallStudy {
        self.memories.push((scheme, dim));
        self
    }

    /// How much data the memories are built from.
    pub fn samples(self, samples: Samples) -> RecallStudy {
        RecallStudy { samples, ..self }
    }

    /// The number of independent runs.
    pub fn runs(self, runs: usize) -> RecallStudy {
        RecallStudy { runs, ..self }
    }

    /// Runs the study. The result does not depend on the number of threads.
    ///
    /// **Errors**: no memories, zero sizes, infinitely many inputs, a stream name already used, a request to stop.
    ///
    /// Cost per run: `N d_max` Gaussians and `N M d` operations for each memory.
    pub fn run(&self, streams: &Streams, name: &str) -> Result<Recalls, Error> {
        self.run_watched(streams, name, &mut Unwatched)
    }

    /// [`RecallStudy::run`], telling `observer` after each finished run.
    ///
    /// **Errors**: as [`RecallStudy::run`].
    pub fn run_watched(
        &self,
        streams: &Streams,
        name: &str,
        observer: &mut (dyn Observer + Send),
    ) -> Result<Recalls, Error> {
        const OP: &str = "RecallStudy::run";
        let n = self.law.enumerable(OP)?;
        positive(OP, "number of memories", self.memories.len())?;
        positive(OP, "runs", self.runs)?;
        let widest = self.memories.iter().map(|m| m.1).max().unwrap_or(0);
        for (_, dim) in &self.memories {
            positive(OP, "dim (d)", *dim)?;
        }
        let jobs = (0..self.runs)
            .map(|i| {
                Ok((
                    streams.replicate(&format!("{name}: embeddings"), i)?,
                    streams.replicate(&format!("{name}: data"), i)?,
                ))
            })
            .collect::<Result<Vec<_>, Error>>()?;
        let labels = self.target.labels(n);
        let finished = Finished::new(OP, self.runs, observer);
        let results = jobs
            .into_par_iter()
            .map(|(mut embeddings, mut data)| {
                finished.go_on()?;
                let wide = Embeddings::draw(n, self.target.n_classes(), widest, &mut embeddings)?;
                let counts = match self.samples {
                    Samples::Population => None,
                    Samples::Draws(t) => Some(self.law.sample_counts(t, &mut data)?),
                };
                let mut recalled = Vec::with_capacity(self.memories.len() * n);
                for (scheme, dim) in &self.memories {
                    let e = wide.truncated(*dim)?;
                    let q = match &counts {
                        None => scheme.population_weights(&self.law, *dim)?,
                        Some(counts) => scheme.empirical_weights(counts, n, *dim)?,
                    };
                    let scores = AssociativeMemory::store(&e, &q, &labels)?.scores(&e.inputs)?;
                    recalled.extend((0..n).map(|x| margin(scores.row(x).iter().copied(), labels[x]) > 0.0));
                }
                finished.one();
                Ok(recalled)
            })
            .collect::<Result<Vec<Vec<bool>>, Error>>()?;
        let recalled =
            Array3::from_shape_fn((self.memories.len(), self.runs, n), |(m, run, x)| results[run][m * n + x]);
        self.found(recalled)
    }

    /// What this study recalls as it was computed elsewhere, `(memory, run, input)`: read as that of [`RecallStudy::run`] is.
    ///
    /// **Errors**: infinitely many inputs; values of another shape.
    pub fn found(&self, recalled: Array3<bool>) -> Result<Recalls, Error> {
        const OP: &str = "RecallStudy::found";
        let n = self.law.enumerable(OP)?;
        let shape = (self.memories.len(), self.runs, n);
        if recalled.dim() != shape {
            return Err(Error::refused(
                OP,
                format!("the values have the shape {:?}, the study {shape:?}", recalled.dim()),
                "say of each memory, run and input whether it was recalled",
            ));
        }
        Ok(Recalls { memories: self.memories.clone(), recalled, p: self.law.probabilities(n) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::s;
    use workbench_ground::rehearsal::{count, stop_after};
    use workbench_ground::tabulated::{Tabulated, Values};
    use workbench_ground::work::Seen;

    fn study() -> RecallStudy {
        RecallStudy::new(Zipf::new(1.0, 10).unwrap(), Target::modulo(5).unwrap())
            .memory(Scheme::uniform(), 8)
            .memory(Scheme::power(1.0).unwrap(), 8)
            .memory(Scheme::uniform(), 300)
            .samples(Samples::Draws(1000))
            .runs(60)
    }

    #[test]
    fn numbers_agree_with_each_other() {
        let r = study().run(&Streams::new(3), "t").unwrap();
        assert_eq!(r.values().dim(), (3, 60, 10));
        let (wrong, errors) = (r.wrong(0).unwrap(), r.errors(0).unwrap());
        assert!(wrong.iter().zip(&errors).all(|(w, e)| (*w == 0) == (*e == 0.0)));
        let rates = r.rates(0).unwrap();
        let expected: f64 =
            rates.iter().zip(Zipf::new(1.0, 10).unwrap().probabilities(10)).map(|(r, p)| (1.0 - r.value) * p).sum();
        assert!((r.error(0).unwrap().value - expected).abs() < 1e-12);
        assert_eq!(r.all_recalled(2).unwrap().value, 1.0);
        assert_eq!(r.all_of(0, 4, 4).unwrap(), rates[3]);
        assert!(r.all_of(0, 1, 5).unwrap().value >= r.all_recalled(0).unwrap().value);
        assert!(r.recall_difference(2, 0, 1, 10).unwrap().value > 0.0);
        assert!((r.recall_share(0, 4, 4).unwrap().value - rates[3].value).abs() < 1e-12);
        assert!(r.trend(1).unwrap().low > 0.0 && r.trend(2).unwrap().value == 0.0);
        assert!(r.mcnemar(1, 0, 1).unwrap().value > 0.5);
        assert!((r.error_difference(0, 2).unwrap().value - r.error(0).unwrap().value).abs() < 1e-12);
    }

    #[test]
    fn memories_are_read_by_what_they_are() {
        let r = study().run(&Streams::new(3), "t").unwrap();
        let weighted = Scheme::power(1.0).unwrap();
        assert_eq!(r.position_of(&weighted, 8).unwrap(), 1);
        assert_eq!(r.position_of(&Scheme::uniform(), 300).unwrap(), 2);
        let said = r.position_of(&weighted, 300).unwrap_err().to_string();
        assert!(
            said.contains("no memory \"p^1\", d = 300; there are \"1\", d = 8; \"p^1\", d = 8; \"1\", d = 300"),
            "{said}"
        );
        // The second of two that are alike has a column of its own.
        let twice = study().memory(weighted.clone(), 8).run(&Streams::new(3), "t").unwrap();
        assert_eq!(twice.position_of(&weighted, 8).unwrap(), 1);
        let columns = twice.columns().unwrap();
        let names: Vec<&str> = columns.list.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["rank", "1, d = 8", "p^1, d = 8", "1, d = 300", "p^1, d = 8 (memory 3)"]);
        assert_eq!(columns.list[2].1, Values::from(r.rates(1).unwrap()));
        let labelled = twice.labelled().unwrap().select("memory", "p^1, d = 8 (memory 3)");
        let rare = labelled.unwrap().select("rank", 10_usize).unwrap().cell().unwrap();
        let recalled = twice.values().slice(s![3, .., 9]).mapv(|b| f64::from(u8::from(b)));
        assert_eq!(rare, recalled.to_vec());
    }

    #[test]
    fn every_run_is_told_and_changes_nothing() {
        let mut seen = Seen::default();
        let watched = study().run_watched(&Streams::new(3), "t", &mut seen).unwrap();
        assert_eq!(watched, study().run(&Streams::new(3), "t").unwrap());
        let told: Vec<(usize, usize)> = seen.0.iter().map(|step| (step.done, step.of)).collect();
        assert_eq!(told, (1..=60).map(|done| (done, 60)).collect::<Vec<_>>());
    }

    #[test]
    fn the_trend_is_a_sum_over_pairs_and_rates_stop() {
        let r = study().run(&Streams::new(3), "t").unwrap();
        let mut sum = 0.0;
        for run in r.values().slice(s![0, .., ..]).outer_iter() {
            for x in 0..10_usize {
                for y in x + 1..10 {
                    sum += f64::from(u8::from(run[x])) - f64::from(u8::from(run[y]));
                }
            }
        }
        assert!((r.trend(0).unwrap().value - sum / (45.0 * 60.0)).abs() < 1e-14);
        let (rates, looks) = count(|| r.rates(0));
        assert!(rates.is_ok() && looks >= 10, "{looks}");
        assert!(matches!(stop_after(4, || r.rates(0)), Err(Error::Stopped(stopped)) if stopped.done == 4));
    }

    #[test]
    fn refuses_bad_input() {
        let empty = RecallStudy::new(Zipf::new(1.0, 10).unwrap(), Target::modulo(5).unwrap());
        assert!(matches!(empty.run(&Streams::new(1), "a"), Err(Error::Zero { .. })));
        assert!(matches!(
            empty.clone().memory(Scheme::uniform(), 0).run(&Streams::new(1), "a"),
            Err(Error::Zero { .. })
        ));
        let endless =
            RecallStudy::new(Zipf::infinite(2.0).unwrap(), Target::modulo(5).unwrap()).memory(Scheme::uniform(), 3);
        assert!(matches!(
            endless.run(&Streams::new(1), "a"),
            Err(Error::Refused { problem, .. }) if problem == "needs finitely many inputs"
        ));
        let r = study().run(&Streams::new(3), "t").unwrap();
        assert!(matches!(r.rate(0, 0), Err(Error::Parameter { .. })));
        assert!(matches!(r.all_of(0, 1, 11), Err(Error::Parameter { .. })));
        assert!(matches!(r.rate(3, 1), Err(Error::NoSuch { .. })));
        assert!(matches!(r.mcnemar(2, 2, 1), Err(Error::Zero { .. })));
    }
}
