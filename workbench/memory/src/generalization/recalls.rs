//! Recalled inputs of a study's memories, run by run.

use crate::store::scheme::Scheme;
use ndarray::{Array3, s};
use workbench_ground::Error;
use workbench_ground::check::{position, positive, within};
use workbench_ground::stats::{Estimate, Label, Runs, mean, paired_difference, proportion};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work;

const OP: &str = "Recalls";

/// Which inputs were recalled, `(memory, run, input)`; positions start at 0, ranks at 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Recalls {
    /// Scheme and dimension of each memory.
    pub(super) memories: Vec<(Scheme, usize)>,
    pub(super) recalled: Array3<bool>,
    pub(super) p: Vec<f64>,
}

impl Recalls {
    /// All values, `(memory, run, input)`.
    pub fn values(&self) -> &Array3<bool> {
        &self.recalled
    }

    /// The position of the memory with this scheme and dimension, for the other methods; the first if there are two.
    ///
    /// **Errors**: no such memory; the message lists those there are.
    ///
    /// ```
    /// use workbench_ground::stats::Streams;
    /// use workbench_memory::{RecallStudy, Scheme, Target, Zipf};
    /// let weighted = Scheme::power(1.0)?;
    /// let recalls = RecallStudy::new(Zipf::new(1.0, 10)?, Target::modulo(5)?)
    ///     .memory(Scheme::uniform(), 10)
    ///     .memory(weighted.clone(), 200)
    ///     .runs(20)
    ///     .run(&Streams::new(1), "named")?;
    /// assert!(recalls.rate(recalls.position_of(&weighted, 200)?, 1)?.value > 0.9);
    /// # Ok::<(), workbench_memory::Error>(())
    /// ```
    pub fn position_of(&self, scheme: &Scheme, dim: usize) -> Result<usize, Error> {
        let found = self.memories.iter().position(|(s, d)| s == scheme && *d == dim);
        found.ok_or_else(|| {
            let named = |scheme: &Scheme, dim: usize| format!("\"{}\", d = {dim}", scheme.label());
            let there: Vec<String> = self.memories.iter().map(|(s, d)| named(s, *d)).collect();
            let problem = format!("no memory {}; there are {}", named(scheme, dim), there.join("; "));
            Error::refused(OP, problem, "ask with a scheme and a dimension of the study")
        })
    }

    /// What was recalled, 1 or 0, run by run on the axes `memory`, by the names of its table, and `rank`.
    ///
    /// **Shapes**: values `(run, memory, rank)`.
    ///
    /// **Errors**: none for what a study recalled.
    pub fn labelled(&self) -> Result<Runs, Error> {
        let axes = vec![
            ("memory", self.names().into_iter().map(Label::Text).collect()),
            ("rank", (1..=self.p.len()).map(Label::from).collect()),
        ];
        let values = self.recalled.mapv(|recalled| f64::from(u8::from(recalled)));
        Runs::new(axes, values.permuted_axes([1, 0, 2]).into_dyn())
    }

    /// The names of the memories; the second of two that are alike has its position in it.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (memory, (scheme, dim)) in self.memories.iter().enumerate() {
            let mut name = format!("{}, d = {dim}", scheme.label());
            if names.contains(&name) {
                name = format!("{name} (memory {memory})");
            }
            names.push(name);
        }
        names
    }

    fn runs(&self, memory: usize) -> Result<Vec<Vec<bool>>, Error> {
        position(OP, "memory", memory, self.recalled.dim().0)?;
        Ok(self.recalled.slice(s![memory, .., ..]).outer_iter().map(|r| r.to_vec()).collect())
    }

    fn rank(&self, rank: usize) -> Result<usize, Error> {
        let inside = (1..=self.p.len()).contains(&rank);
        within(OP, "rank", rank as f64, inside, "ranks from 1 to N")?;
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
    /// **Errors**: no such memory, [`Error::Stopped`].
    pub fn rates(&self, memory: usize) -> Result<Vec<Estimate>, Error> {
        let (runs, n) = (self.runs(memory)?, self.p.len());
        let rate = |x: usize| -> Result<Estimate, Error> {
            work::check(OP, x, n)?;
            proportion(runs.iter().filter(|r| r[x]).count(), runs.len())
        };
        (0..n).map(rate).collect()
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
        Ok(self.runs(memory)?.iter().map(|r| r.iter().filter(|&&b| !b).count()).collect())
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
        positive(OP, "number of runs that differ", differ)?;
        proportion(only_a, differ)
    }

    /// The Jonckheere statistic of recall over ranks, one value per run: over all pairs of ranks, how often the more frequent input alone
    /// is recalled minus how often the rarer alone is, as a share of the pairs. Positive: recall falls with the rank. Runs are independent,
    /// inputs within a run are not, so the interval is that of the mean over runs.
    ///
    /// **Errors**: no such memory, one input, a single run.
    pub fn trend(&self, memory: usize) -> Result<Estimate, Error> {
        let n = self.p.len();
        positive(OP, "pairs of ranks", n.saturating_sub(1))?;
        let pairs = (n * (n - 1) / 2) as f64;
        // A recalled input is the more frequent one of its pairs with later ranks, and the rarer one of those with earlier ranks.
        let sign = |x: usize| (n - 1 - x) as f64 - x as f64;
        let statistic = |r: &Vec<bool>| (0..n).filter(|&x| r[x]).fold(0.0, |sum, x| sum + sign(x)) / pairs;
        mean(&self.runs(memory)?.iter().map(statistic).collect::<Vec<f64>>())
    }
}

/// One row for each rank: the share of runs in which each memory recalls it.
impl Tabulated for Recalls {
    fn columns(&self) -> Result<Columns, Error> {
        let mut columns = Columns::new("Recall by rank").x("rank", (1..=self.p.len()).collect::<Vec<usize>>());
        for (memory, name) in self.names().iter().enumerate() {
            columns = columns.with(name, self.rates(memory)?);
        }
        Ok(columns)
    }
}
