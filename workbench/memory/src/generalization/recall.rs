//! Which inputs are recalled, run by run: several memories on common embeddings and common data.

use crate::data::samples::Samples;
use crate::data::target::Target;
use crate::data::zipf::Zipf;
use crate::store::associative_memory::AssociativeMemory;
use crate::store::associative_memory::margin;
use crate::store::embedding::Embeddings;
use crate::store::scheme::Scheme;
use ndarray::{Array3, s};
use rayon::prelude::*;
use workbench_ground::Error;
use workbench_ground::check::{position, positive, within};
use workbench_ground::stats::{Estimate, Streams, mean, paired_difference, proportion};
use workbench_ground::work;

/// Memories that are compared input by input. Within a run they share the data and the embeddings; a smaller dimension takes the
/// first coordinates of a larger one.
///
/// **Source**: Eq. 1 to 5, as in Fig. 10.
///
/// ```
/// use workbench::memory::{RecallStudy, Samples, Scheme, Target, Zipf};
/// use workbench::stats::Streams;
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
        RecallStudy {
            law,
            target,
            memories: Vec::new(),
            samples: Samples::Population,
            runs: 100,
        }
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
        let results = jobs
            .into_par_iter()
            .enumerate()
            .map(|(i, (mut embeddings, mut data))| {
                work::check(OP, i, self.runs)?;
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
                Ok(recalled)
            })
            .collect::<Result<Vec<Vec<bool>>, Error>>()?;
        let recalled = Array3::from_shape_fn((self.memories.len(), self.runs, n), |(m, run, x)| {
            results[run][m * n + x]
        });
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
        let p = self.law.probabilities(n);
        Ok(Recalls { recalled, p })
    }
}

/// Which inputs were recalled, `(memory, run, input)`; positions start at 0, ranks at 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Recalls {
    recalled: Array3<bool>,
    p: Vec<f64>,
}

impl Recalls {
    /// All values, `(memory, run, input)`.
    pub fn values(&self) -> &Array3<bool> {
        &self.recalled
    }

    fn runs(&self, memory: usize) -> Result<Vec<Vec<bool>>, Error> {
        position("Recalls", "memory", memory, self.recalled.dim().0)?;
        Ok(self
            .recalled
            .slice(s![memory, .., ..])
            .outer_iter()
            .map(|r| r.to_vec())
            .collect())
    }

    fn rank(&self, rank: usize) -> Result<usize, Error> {
        let inside = (1..=self.p.len()).contains(&rank);
        within("Recalls", "rank", rank as f64, inside, "ranks from 1 to N")?;
        Ok(rank - 1)
    }

    /// Share of runs in which the input of this rank is recalled, with an exact binomial interval.
    ///
    /// **Errors**: no such memory or rank.
    pub fn rate(&self, memory: usize, rank: usize) -> Result<Estimate, Error> {
        let x = self.rank(rank)?;
        let runs = self.runs(memory)?;
        proportion(runs.iter().filter(|r| r[x]).count(), runs.len())
    }

    /// [`Recalls::rate`] for every rank.
    ///
    /// **Errors**: no such memory.
    pub fn rates(&self, memory: usize) -> Result<Vec<Estimate>, Error> {
        (1..=self.p.len()).map(|rank| self.rate(memory, rank)).collect()
    }

    /// Share of runs in which every input is recalled.
    ///
    /// **Errors**: no such memory.
    pub fn all_recalled(&self, memory: usize) -> Result<Estimate, Error> {
        self.all_of(memory, 1, self.p.len())
    }

    /// Share of runs in which every input with ranks `from..=to` is recalled, with an exact binomial interval.
    ///
    /// **Errors**: no such memory or ranks.
    pub fn all_of(&self, memory: usize, from: usize, to: usize) -> Result<Estimate, Error> {
        let (first, last) = (self.rank(from)?, self.rank(to.max(from))?);
        let runs = self.runs(memory)?;
        let whole = runs.iter().filter(|r| r[first..=last].iter().all(|&b| b)).count();
        proportion(whole, runs.len())
    }

    /// The number of inputs not recalled, run by run.
    ///
    /// **Errors**: no such memory.
    pub fn wrong(&self, memory: usize) -> Result<Vec<usize>, Error> {
        Ok(self
            .runs(memory)?
            .iter()
            .map(|r| r.iter().filter(|&&b| !b).count())
            .collect())
    }

    /// The error of Eq. 3, run by run.
    ///
    /// **Errors**: no such memory.
    pub fn errors(&self, memory: usize) -> Result<Vec<f64>, Error> {
        let lost = |r: &Vec<bool>| r.iter().zip(&self.p).filter(|(b, _)| !**b).map(|(_, p)| p).sum();
        Ok(self.runs(memory)?.iter().map(lost).collect())
    }

    /// The mean error with its interval.
    ///
    /// **Errors**: no such memory, a single run.
    pub fn error(&self, memory: usize) -> Result<Estimate, Error> {
        mean(&self.errors(memory)?)
    }

    /// Error of memory `a` minus error of memory `b`, paired by run.
    ///
    /// **Errors**: no such memory, a single run.
    pub fn error_difference(&self, a: usize, b: usize) -> Result<Estimate, Error> {
        paired_difference(&self.errors(a)?, &self.errors(b)?)
    }

    /// Share of the inputs with ranks `from..=to` that a memory recalls, mean over runs.
    ///
    /// **Errors**: no such memory or ranks, a single run.
    pub fn recall_share(&self, memory: usize, from: usize, to: usize) -> Result<Estimate, Error> {
        mean(&self.shares(memory, from, to)?)
    }

    /// Share of the inputs with ranks `from..=to` that memory `a` recalls minus that of memory `b`, paired by run.
    ///
    /// **Errors**: no such memory or ranks, a single run.
    pub fn recall_difference(&self, a: usize, b: usize, from: usize, to: usize) -> Result<Estimate, Error> {
        paired_difference(&self.shares(a, from, to)?, &self.shares(b, from, to)?)
    }

    fn shares(&self, memory: usize, from: usize, to: usize) -> Result<Vec<f64>, Error> {
        let (first, last) = (self.rank(from)?, self.rank(to.max(from))?);
        let part = |r: &Vec<bool>| r[first..=last].iter().filter(|&&b| b).count() as f64 / (last - first + 1) as f64;
        Ok(self.runs(memory)?.iter().map(part).collect())
    }

    /// McNemar's test for one rank: among the runs in which exactly one of two memories recalls the input, the share of `a`.
    /// Above one half, `a` is better.
    ///
    /// **Errors**: no such memory or rank, no run in which they differ.
    pub fn mcnemar(&self, a: usize, b: usize, rank: usize) -> Result<Estimate, Error> {
        let x = self.rank(rank)?;
        let (left, right) = (self.runs(a)?, self.runs(b)?);
        let (mut only_a, mut differ) = (0, 0);
        for (l, r) in left.iter().zip(&right) {
            if l[x] != r[x] {
                differ += 1;
                only_a += usize::from(l[x]);
            }
        }
        positive("Recalls::mcnemar", "number of runs that differ", differ)?;
        proportion(only_a, differ)
    }

    /// The Jonckheere statistic of recall over ranks, one value per run: over all pairs of ranks, how often the more frequent input alone
    /// is recalled minus how often the rarer alone is, as a share of the pairs. Positive: recall falls with the rank. Runs are independent,
    /// inputs within a run are not, so the interval is that of the mean over runs.
    ///
    /// **Errors**: no such memory, one input, a single run.
    pub fn trend(&self, memory: usize) -> Result<Estimate, Error> {
        let n = self.p.len();
        positive("Recalls::trend", "pairs of ranks", (n).saturating_sub(1))?;
        let pairs = (n * (n - 1) / 2) as f64;
        let statistic = |r: &Vec<bool>| {
            let mut sum = 0.0;
            for (x, &frequent) in r.iter().enumerate() {
                for &rare in &r[x + 1..] {
                    sum += f64::from(u8::from(frequent)) - f64::from(u8::from(rare));
                }
            }
            sum / pairs
        };
        mean(&self.runs(memory)?.iter().map(statistic).collect::<Vec<f64>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let expected: f64 = rates
            .iter()
            .zip(Zipf::new(1.0, 10).unwrap().probabilities(10))
            .map(|(r, p)| (1.0 - r.value) * p)
            .sum();
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
