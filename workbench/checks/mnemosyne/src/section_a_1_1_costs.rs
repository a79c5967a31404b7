//! A.1.1: what gamma and the thickened memory cost, counted.
//!
//! **Claims**. `mnemosyne/gamma-linear-time` (end of the bi-directional paragraph): rho* takes time linear in M, once; the cost per memory
//! vector stays O_M(1). `mnemosyne/thick-memory-cost` (end of the thickening paragraph): all operations cost only a factor c in space and
//! time, independent of M.
//!
//! Operations are counted by running the formulas on a number type that counts, and not timed. Linear with a constant term means that
//! counts lie on a line exactly; what does not grow with c (the sums of keys, rho*) makes that law affine. What would count against a
//! claim: a count off its line, or a step that costs more than the one before.

use workbench_features::{StreamCosts, operations_of_double_sum, operations_of_gamma, operations_of_thick_memory};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};

use crate::vocabulary::{EXACT, by_scale, largest_of};

/// Dimension of keys, width of values.
const DIM: usize = 8;
const WIDTH: usize = 2;
/// Features.
const FEATURES: usize = 6;

/// Largest distance of points from the line through the first two.
fn off_line(x: &[usize], y: &[u64]) -> f64 {
    let [x0, y0] = [x[0] as f64, y[0] as f64];
    let slope = (y[1] as f64 - y0) / (x[1] as f64 - x0);
    let off = |(x, y): (&usize, &u64)| (*y as f64 - y0 - slope * (*x as f64 - x0)).abs();
    largest_of(x.iter().zip(y).map(off))
}

/// How many entries differ from the first.
fn changes(list: &[u64]) -> f64 {
    list.iter().filter(|n| **n != list[0]).count() as f64
}

/// Queries and keys at once.
#[derive(Clone, Debug)]
pub struct LinearTime {
    /// Numbers of queries and keys for sums.
    pub sizes: Vec<usize>,
    /// The same for the double sum.
    pub pairs: Vec<usize>,
    /// Vectors absorbed one after the other.
    pub steps: usize,
}

impl Default for LinearTime {
    fn default() -> LinearTime {
        LinearTime { sizes: (4..=12).map(|e| 1 << e).collect(), pairs: vec![16, 32, 64, 128], steps: 1000 }
    }
}

impl TypedCheck for LinearTime {
    const CLAIM: &'static str = "mnemosyne/gamma-linear-time";
    const PLAN: Plan = Plan::new(
        "floating-point operations, counted: distance from an affine law in M, changes from step to step",
        "a count off the line; a vector that costs more than the one before",
        &[EXACT],
    )
    .protocol(&["N = 8; M from 2^4 to 2^12; a memory of one slice of 4 features takes a thousand vectors"])
    .rivals(&["the double sum over pairs, counted in the same way"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let of = |sizes: &[usize], count: fn(usize, usize) -> Result<u64, workbench_features::Error>| {
            sizes.iter().map(|m| count(*m, DIM)).collect::<Result<Vec<u64>, _>>()
        };
        let sums = of(&self.sizes, operations_of_gamma)?;
        let double = of(&self.pairs, operations_of_double_sum)?;
        let squares: Vec<usize> = self.pairs.iter().map(|m| m * m).collect();
        let absorb = operations_of_thick_memory(1, 4, DIM, WIDTH, self.steps)?.absorb;
        let anew = (1..=64).map(|t| operations_of_gamma(t, DIM)).collect::<Result<Vec<u64>, _>>()?;
        let law = |label: &str, off: f64, sizes: &[usize]| {
            Finding::identity(label, off, EXACT).cases(sizes.len() as u64).unit("sizes")
        };
        let per = |x: &[usize], y: &[u64]| (y[1] - y[0]) / (x[1] - x[0]) as u64;
        let evidence = Evidence::of(law(
            "operations for γ and ρ*: distance from a line in M",
            off_line(&self.sizes, &sums),
            &self.sizes,
        ))
        .and(
            Finding::identity("vectors that cost more or less to absorb than the first", changes(&absorb), EXACT)
                .cases(self.steps as u64)
                .unit("vectors"),
        )
        .and(law("operations of the double sum: distance from a line in M²", off_line(&squares, &double), &self.pairs))
        .twin(law("the double sum: distance from a line in M", off_line(&self.pairs, &double), &self.pairs))
        .twin(
            Finding::identity(
                "γ computed anew from all vectors, 64 times: costs that differ from the first",
                changes(&anew),
                EXACT,
            )
            .cases(anew.len() as u64)
            .unit("vectors"),
        )
        .note(format!(
            "{} operations per query and key at N = {DIM}, {} per pair in the double sum",
            per(&self.sizes, &sums),
            per(&squares, &double)
        ));
        Ok(evidence.into())
    }
}

/// A stream.
#[derive(Clone, Debug)]
pub struct FactorC {
    /// Grid points c.
    pub chunks: Vec<usize>,
    /// Patterns; by scale if 0.
    pub steps: usize,
}

impl Default for FactorC {
    fn default() -> FactorC {
        FactorC { chunks: vec![1, 2, 4, 8, 16], steps: 0 }
    }
}

/// The three counts of a stream.
const COUNTS: [fn(&StreamCosts) -> &[u64]; 3] = [|costs| &costs.absorb, |costs| &costs.read, |costs| &costs.stored];

impl FactorC {
    /// Largest distance of the counts of the first step from a line in c, with `features` at each c.
    fn off_line(&self, costs: &[StreamCosts]) -> f64 {
        let of = |count: &fn(&StreamCosts) -> &[u64]| {
            let first: Vec<u64> = costs.iter().map(|costs| count(costs)[0]).collect();
            off_line(&self.chunks, &first)
        };
        largest_of(COUNTS.iter().map(of))
    }
}

impl TypedCheck for FactorC {
    const CLAIM: &'static str = "mnemosyne/thick-memory-cost";
    const PLAN: Plan = Plan::new(
        "operations to absorb and to read, numbers stored, counted: distance from an affine law in c, changes along the stream",
        "a count off the line; a step that costs or stores more than the first",
        &[EXACT],
    )
    .protocol(&["c = 1, 2, 4, 8, 16; 6 features, keys of 8 and values of 2 entries"])
    .departures(&["\"a factor c\" is read as affine in c: the sums of keys and ρ* are kept once, whatever c"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let steps = by_scale(self.steps, setting.scale().pick(500, 10_000));
        let costs = |features: fn(usize) -> usize, steps: usize| -> Result<Vec<StreamCosts>, Failure> {
            let of = |c: &usize| operations_of_thick_memory(*c, features(*c), DIM, WIDTH, steps);
            Ok(self.chunks.iter().map(of).collect::<Result<Vec<_>, _>>()?)
        };
        let (all, growing) = (costs(|_| FEATURES, steps)?, costs(|c| FEATURES * c, 1)?);
        let moving: f64 = all.iter().flat_map(|costs| COUNTS.map(|count| changes(count(costs)))).sum();
        let recomputed = (1..=FEATURES * DIM).map(|t| operations_of_gamma(t, DIM)).collect::<Result<Vec<u64>, _>>()?;
        let counts = (COUNTS.len() * self.chunks.len()) as u64;
        let stream =
            |label: &str, moving: f64, steps: u64| Finding::identity(label, moving, EXACT).cases(steps).unit("counts");
        let law = |label: &str, off: f64| Finding::identity(label, off, EXACT).cases(counts).unit("counts");
        let evidence = Evidence::of(law("operations and size: distance from a line in c", self.off_line(&all)))
            .and(stream("counts that differ from those of the first step", moving, counts * steps as u64))
            .twin(law("features that grow with c: distance from a line in c", self.off_line(&growing)))
            .twin(stream(
                "γ from all patterns anew at each step: counts that differ from the first",
                changes(&recomputed),
                recomputed.len() as u64,
            ))
            .note(format!(
                "absorbing takes {} operations at c = {} and {} at c = {}",
                all[0].absorb[0],
                self.chunks[0],
                all[all.len() - 1].absorb[0],
                self.chunks[self.chunks.len() - 1]
            ));
        Ok(evidence.into())
    }
}
