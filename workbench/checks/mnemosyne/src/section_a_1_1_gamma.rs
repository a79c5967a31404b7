//! A.1.1: gamma from sums, in both directions.
//!
//! **Claims**. `mnemosyne/gamma-rewrite` (after Eq. 11): the mean of |q^i + k^j|^2 over all pairs is 1/M^2 times (sum of |q^i|^2 + sum of
//! |k^j|^2 + 2 q'k) with q, k the sums of queries and of keys. `mnemosyne/gamma-t-rewrite` (uni-directional display): the mean of
//! |q^t + k^j|^2 over j <= t is 1/t times (|q^t|^2 + sum of |k^j|^2 + 2 q^t'k(t)).
//!
//! Integers decide both without rounding. Each |q^i|^2 occurs in M pairs and |q^t|^2 in t of them, so the brackets should hold M times the
//! squares, and t times the squared query. The cross parts are right as printed, and a footing; so are the functions that other checks use.
//! Refuted by one set of integer vectors with another double sum.

use ndarray::{Array2, Axis, s};
use workbench_features::{KeySums, gamma};
use workbench_ground::stats::Stream;
use workbench_ledger::{Check, Done, Margin, Sheet};

use crate::vocabulary::EXACT;

const INTEGERS: Margin = Margin::rounding(
    "integers in floating point",
    1e-9,
    "integers below a million, divided by t or M² and multiplied again, keep ten digits",
);

/// Dimension of the vectors; their entries are between -20 and 20.
const DIM: usize = 3;

/// Queries and keys at once.
pub const OF_PAIRS: Check = Check {
    claim: "mnemosyne/gamma-rewrite",
    metric: "M² γ by sums minus M² γ by the double sum, in integers",
    against: "one set of integer vectors with another double sum",
    choices: &["M = 1, ..., 10, vectors of three integers between -20 and 20"],
    run: of_pairs,
    ..Check::DEFAULT
};

fn of_pairs(s: &Sheet) -> Done {
    s.misprint("the sums of squares have the weight 1/M, not 1/M²");
    let mut stream = s.stream("integers")?;
    let draws = s.knob("draws for each M", 20, 1..)?;
    for m in s.each("draws", (1..=10).flat_map(|m| vec![m; draws])) {
        let (q, k) = (integers(m, &mut stream), integers(m, &mut stream));
        let (mut whole, mut part) = (0, 0);
        for q in q.rows() {
            for k in k.rows() {
                whole += (&q + &k).mapv(|x| x * x).sum();
                part += 2 * q.dot(&k);
            }
        }
        let sums = squares(&q) + squares(&k);
        let cross = q.sum_axis(Axis(0)).dot(&k.sum_axis(Axis(0)));
        let (m, off) = (m as i64, |form: i64| (form - whole).abs() as f64);
        s.printed(EXACT).same("M²γ as printed: largest difference", off(sums + 2 * cross));
        s.changed(EXACT).same("M²γ with M times the sums of squares: largest difference", off(m * sums + 2 * cross));
        s.support(EXACT).same("cross part alone: largest difference", (2 * cross - part).abs() as f64);
        let used = gamma(&q.mapv(|x| x as f64), &k.mapv(|x| x as f64))? * (m * m) as f64;
        let label = "M²γ by the function that other checks use: largest difference";
        s.support(INTEGERS).same(label, (used - whole as f64).abs());
        let label = "M times the squares, and q·k without its factor 2: largest difference";
        s.twin(EXACT).largest().same(label, off(m * sums + cross));
    }
    Ok(())
}

/// One query at a time.
pub const OF_STREAM: Check = Check {
    claim: "mnemosyne/gamma-t-rewrite",
    metric: "t γ_t by sums minus t γ_t by its definition, in integers",
    against: "one stream of integer vectors with another sum",
    choices: &["t = 1, ..., 10, vectors of three integers between -20 and 20"],
    run: of_stream,
    ..Check::DEFAULT
};

fn of_stream(sheet: &Sheet) -> Done {
    sheet.misprint("the squared query stands t times in the bracket: γ_t = ‖q‖² + (Λ_t + 2 q·Σ_t)/t");
    let mut stream = sheet.stream("integers, stream")?;
    let steps = sheet.knob("keys in a stream", 10, 1..)?;
    for _ in 0..sheet.knob("streams", 20, 1..)? {
        let (q, k) = (integers(steps, &mut stream), integers(steps, &mut stream));
        let mut sums = KeySums::new(DIM)?;
        for t in sheet.each("steps", 1..=steps) {
            let (query, keys) = (q.row(t - 1), k.slice(s![..t, ..]).to_owned());
            let whole: i64 = keys.rows().into_iter().map(|k| (&query + &k).mapv(|x| x * x).sum()).sum();
            let (square, cross) = (query.dot(&query), query.dot(&keys.sum_axis(Axis(0))));
            let off = |form: i64| (form - whole).abs() as f64;
            let printed = square + squares(&keys) + 2 * cross;
            sheet.printed(EXACT).same("tγ_t as printed: largest difference", off(printed));
            let mended = t as i64 * square + squares(&keys) + 2 * cross;
            sheet.changed(EXACT).same("tγ_t with t times the squared query: largest difference", off(mended));
            sums.absorb(&k.row(t - 1).mapv(|x| x as f64))?;
            let streamed = sums.gamma(&query.mapv(|x| x as f64))? * t as f64;
            let label = "tγ_t of the running sums: largest difference";
            sheet.support(INTEGERS).same(label, (streamed - whole as f64).abs());
            let wrong = t as i64 * (square + squares(&keys)) + 2 * cross;
            sheet.twin(EXACT).largest().same("t times all squares: largest difference", off(wrong));
        }
    }
    Ok(())
}

fn integers(rows: usize, stream: &mut Stream) -> Array2<i64> {
    Array2::from_shape_simple_fn((rows, DIM), || stream.below(41) as i64 - 20)
}

fn squares(x: &Array2<i64>) -> i64 {
    x.mapv(|x| x * x).sum()
}
