//! A.1.1: what gamma and the thickened memory cost, counted.
//!
//! **Claims**. `mnemosyne/gamma-linear-time` (end of the bi-directional paragraph): rho* takes time linear in M, once; the cost per memory
//! vector stays O_M(1). `mnemosyne/thick-memory-cost` (end of the thickening paragraph): all operations cost only a factor c in space and
//! time, independent of M.
//!
//! Operations are counted by running the formulas on a number type that counts, and not timed. Linear with a constant term means that counts
//! lie on a line exactly; what does not grow with c (the sums of keys, rho*) makes that law affine. Refuted by a count off its line, or a
//! step that costs more than the one before.

use workbench_features::{operations_of_double_sum, operations_of_gamma, operations_of_thick_memory};
use workbench_ledger::{Check, Done, Failure, Says, Sheet};

use crate::vocabulary::{EXACT, largest_of};

/// Dimension of keys, width of values.
const DIM: usize = 8;
const WIDTH: usize = 2;
/// Features.
const FEATURES: usize = 6;
/// Grid points c.
const CHUNKS: [usize; 5] = [1, 2, 4, 8, 16];

/// Queries and keys at once.
pub const LINEAR_TIME: Check = Check {
    claim: "mnemosyne/gamma-linear-time",
    metric: "floating-point operations, counted: distance from an affine law in M, changes from step to step",
    against: "a count off the line; a vector that costs more than the one before",
    choices: &["N = 8; M from 2^4 to 2^12; a memory of one slice of 4 features takes a thousand vectors"],
    departures: &[
        "γ with the weight 1/M of the sums of squares, see the display after Eq. 11; the printed weight costs one division less",
    ],
    rivals: &["the double sum over pairs, counted in the same way"],
    run: linear_time,
    ..Check::DEFAULT
};

fn linear_time(s: &Sheet) -> Done {
    let sizes: Vec<usize> = (4..=12).map(|e| 1 << e).collect();
    let sums = of_gamma(sizes.iter().copied())?;
    let label = "operations for γ and ρ*: distance from a line in M";
    s.printed(EXACT).over(sizes.len(), "sizes").same(label, off_line(&sizes, &sums));
    let absorb = operations_of_thick_memory(1, 4, DIM, WIDTH, s.knob("vectors", 1000, 1..)?)?.absorb;
    let vectors = s.printed(EXACT).of("vectors");
    never_change(vectors, "vectors that cost more or less to absorb than the first", &absorb);
    let label = "γ computed anew from all vectors, 64 times: costs that differ from the first";
    never_change(s.twin(EXACT).of("vectors"), label, &of_gamma(1..=64)?);

    let pairs = [16, 32, 64, 128];
    let squares = pairs.map(|m| m * m);
    let double = pairs.iter().map(|m| operations_of_double_sum(*m, DIM)).collect::<Result<Vec<u64>, _>>()?;
    let label = "operations of the double sum: distance from a line in M²";
    s.support(EXACT).over(pairs.len(), "sizes").same(label, off_line(&squares, &double));
    let label = "the double sum: distance from a line in M";
    s.twin(EXACT).over(pairs.len(), "sizes").same(label, off_line(&pairs, &double));
    let per = |x: &[usize], y: &[u64]| (y[1] - y[0]) / (x[1] - x[0]) as u64;
    let (one, pair) = (per(&sizes, &sums), per(&squares, &double));
    s.note(format!("{one} operations per query and key at N = {DIM}, {pair} per pair in the double sum"));
    Ok(())
}

/// A stream.
pub const FACTOR_C: Check = Check {
    claim: "mnemosyne/thick-memory-cost",
    metric: "operations to absorb and to read, numbers stored, counted: distance from an affine law in c, changes along the stream",
    against: "a count off the line; a step that costs or stores more than the first",
    choices: &["c = 1, 2, 4, 8, 16; 6 features, keys of 8 and values of 2 entries"],
    departures: &["\"a factor c\" is read as affine in c: the sums of keys and ρ* are kept once, whatever c"],
    run: factor_c,
    ..Check::DEFAULT
};

fn factor_c(s: &Sheet) -> Done {
    let steps = s.knob("patterns", s.scale().pick(500, 10_000), 1..)?;
    let all = of_streams(|_| FEATURES, steps)?;
    let growing = of_streams(|c| FEATURES * c, 1)?;
    // The three counts of the first step.
    let off = |counts: &[[Vec<u64>; 3]]| {
        largest_of([0, 1, 2].map(|k| off_line(&CHUNKS, &counts.iter().map(|of_c| of_c[k][0]).collect::<Vec<u64>>())))
    };
    let n = 3 * CHUNKS.len();
    s.printed(EXACT).over(n, "counts").same("operations and size: distance from a line in c", off(&all));
    let label = "features that grow with c: distance from a line in c";
    s.twin(EXACT).over(n, "counts").same(label, off(&growing));
    for counts in all.iter().flatten() {
        never_change(s.printed(EXACT).of("counts"), "counts that differ from those of the first step", counts);
    }
    let label = "γ from all patterns anew at each step: counts that differ from the first";
    never_change(s.twin(EXACT).of("counts"), label, &of_gamma(1..=FEATURES * DIM)?);
    let [few, many] = [&all[0], &all[CHUNKS.len() - 1]].map(|of_c| of_c[0][0]);
    s.note(format!("absorbing takes {few} operations at c = 1 and {many} at c = 16"));
    Ok(())
}

fn of_gamma(sizes: impl Iterator<Item = usize>) -> Result<Vec<u64>, Failure> {
    sizes.map(|m| Ok(operations_of_gamma(m, DIM)?)).collect()
}

/// At each c, with so many features: operations to absorb and to read, and numbers stored, at every step.
fn of_streams(features: fn(usize) -> usize, steps: usize) -> Result<Vec<[Vec<u64>; 3]>, Failure> {
    let of = |c: &usize| {
        let costs = operations_of_thick_memory(*c, features(*c), DIM, WIDTH, steps)?;
        Ok([costs.absorb, costs.read, costs.stored])
    };
    CHUNKS.iter().map(of).collect()
}

fn never_change(says: Says, label: &str, counts: &[u64]) {
    counts.iter().for_each(|count| says.never(label, *count != counts[0]));
}

/// Largest distance of points from the line through the first two.
fn off_line(x: &[usize], y: &[u64]) -> f64 {
    let [x0, y0] = [x[0] as f64, y[0] as f64];
    let slope = (y[1] as f64 - y0) / (x[1] as f64 - x0);
    let off = |(x, y): (&usize, &u64)| (*y as f64 - y0 - slope * (*x as f64 - x0)).abs();
    largest_of(x.iter().zip(y).map(off))
}
