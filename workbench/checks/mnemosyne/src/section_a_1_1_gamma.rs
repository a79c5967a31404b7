//! A.1.1: gamma from sums, in both directions.
//!
//! **Claims**. `mnemosyne/gamma-rewrite` (after Eq. 11): the mean of |q^i + k^j|^2 over all pairs is 1/M^2 times (sum of |q^i|^2 + sum of
//! |k^j|^2 + 2 q'k) with q, k the sums of queries and of keys. `mnemosyne/gamma-t-rewrite` (uni-directional display): the mean of
//! |q^t + k^j|^2 over j <= t is 1/t times (|q^t|^2 + sum of |k^j|^2 + 2 q^t'k(t)).
//!
//! Integers decide both without rounding. Each |q^i|^2 occurs in M pairs and |q^t|^2 in t of them, so the brackets should hold M times
//! the squares, and t times the squared query. What would count against a claim: one set of integer vectors with another double sum.

use ndarray::{Array2, Axis, s};
use workbench_features::{KeySums, gamma};
use workbench_ground::stats::Stream;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use crate::vocabulary::{EXACT, Largest};

const INTEGERS: Margin = Margin::new(
    "integers in floating point",
    1e-9,
    "integers below a million, divided by t and multiplied again, keep ten digits",
);

/// Dimension of the vectors; their entries are between -20 and 20.
const DIM: usize = 3;

fn integers(rows: usize, stream: &mut Stream) -> Array2<i64> {
    Array2::from_shape_simple_fn((rows, DIM), || stream.below(41) as i64 - 20)
}

fn squares(x: &Array2<i64>) -> i64 {
    x.mapv(|x| x * x).sum()
}

/// Queries and keys at once.
#[derive(Clone, Debug)]
pub struct OfPairs {
    /// Numbers of queries and keys, from one on.
    pub most: usize,
    /// Draws for each.
    pub draws: usize,
}

impl Default for OfPairs {
    fn default() -> OfPairs {
        OfPairs { most: 10, draws: 20 }
    }
}

/// Largest differences from the double sum.
#[derive(Default)]
struct Differences {
    printed: Largest,
    mended: Largest,
    wrong: Largest,
    /// Of [`gamma`], which is what other checks use.
    used: Largest,
    /// Of the cross part alone, or of the streaming sums.
    other: Largest,
}

impl TypedCheck for OfPairs {
    const CLAIM: &'static str = "mnemosyne/gamma-rewrite";
    const PLAN: Plan = Plan::new(
        "M² γ by sums minus M² γ by the double sum, in integers",
        "one set of integer vectors with another double sum",
        &[EXACT, INTEGERS],
    )
    .protocol(&["M = 1, ..., 10"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (mut stream, mut seen) = (setting.stream("integers")?, Differences::default());
        for m in 1..=self.most {
            for _ in 0..self.draws {
                let (q, k) = (integers(m, &mut stream), integers(m, &mut stream));
                let sums = squares(&q) + squares(&k);
                let cross = q.sum_axis(Axis(0)).dot(&k.sum_axis(Axis(0)));
                let (mut whole, mut part) = (0, 0);
                for q in q.rows() {
                    for k in k.rows() {
                        whole += (&q + &k).mapv(|x| x * x).sum();
                        part += 2 * q.dot(&k);
                    }
                }
                let m = m as i64;
                let off = |form: i64| (form - whole).abs() as f64;
                seen.printed.see(off(sums + 2 * cross));
                seen.mended.see(off(m * sums + 2 * cross));
                seen.wrong.see(off(m * sums + cross));
                seen.other.see((2 * cross - part).abs() as f64);
                let float = |x: &Array2<i64>| x.mapv(|x| x as f64);
                let used = gamma(&float(&q), &float(&k))? * (m * m) as f64;
                seen.used.see((used - whole as f64).abs());
            }
        }
        let of = |label: &str, off: f64| {
            Finding::identity(label, off, EXACT).cases((self.most * self.draws) as u64).unit("draws")
        };
        let evidence = Evidence::of(of("M²γ as printed: largest difference", seen.printed.0))
            .misprint(
                "the sums of squares have the weight 1/M, not 1/M²",
                vec![
                    of("M²γ with M times the sums of squares: largest difference", seen.mended.0),
                    of("cross part alone: largest difference", seen.other.0),
                    Finding::identity(
                        "M²γ by the function that other checks use: largest difference",
                        seen.used.0,
                        INTEGERS,
                    )
                    .cases((self.most * self.draws) as u64)
                    .unit("draws"),
                ],
            )
            .twin(of("M times the squares and the cross part once: largest difference", seen.wrong.0));
        Ok(evidence.into())
    }
}

/// One query at a time.
#[derive(Clone, Debug)]
pub struct OfStream {
    /// Keys in a stream.
    pub steps: usize,
    /// Streams.
    pub draws: usize,
}

impl Default for OfStream {
    fn default() -> OfStream {
        OfStream { steps: 10, draws: 20 }
    }
}

impl TypedCheck for OfStream {
    const CLAIM: &'static str = "mnemosyne/gamma-t-rewrite";
    const PLAN: Plan = Plan::new(
        "t γ_t by sums minus t γ_t by its definition, in integers",
        "one stream of integer vectors with another sum",
        &[EXACT, INTEGERS],
    )
    .protocol(&["t = 1, ..., 10"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (mut stream, mut seen) = (setting.stream("integers, stream")?, Differences::default());
        for _ in 0..self.draws {
            let (q, k) = (integers(self.steps, &mut stream), integers(self.steps, &mut stream));
            let mut sums = KeySums::new(DIM)?;
            for t in 1..=self.steps {
                let (query, keys) = (q.row(t - 1), k.slice(s![..t, ..]).to_owned());
                let whole: i64 = keys.rows().into_iter().map(|k| (&query + &k).mapv(|x| x * x).sum()).sum();
                let (square, cross) = (query.dot(&query), query.dot(&keys.sum_axis(Axis(0))));
                let off = |form: i64| (form - whole).abs() as f64;
                seen.printed.see(off(square + squares(&keys) + 2 * cross));
                seen.mended.see(off(t as i64 * square + squares(&keys) + 2 * cross));
                seen.wrong.see(off(t as i64 * (square + squares(&keys)) + 2 * cross));
                sums.absorb(&k.row(t - 1).mapv(|x| x as f64))?;
                let streamed = sums.gamma(&query.mapv(|x| x as f64))? * t as f64;
                seen.other.see((streamed - whole as f64).abs());
            }
        }
        let cases = (self.steps * self.draws) as u64;
        let of = |label: &str, off: f64| Finding::identity(label, off, EXACT).cases(cases).unit("steps");
        let streaming = Finding::identity("tγ_t of the running sums: largest difference", seen.other.0, INTEGERS);
        let evidence = Evidence::of(of("tγ_t as printed: largest difference", seen.printed.0))
            .misprint(
                "the squared query stands t times in the bracket: γ_t = ‖q‖² + (Λ_t + 2 q·Σ_t)/t",
                vec![
                    of("tγ_t with t times the squared query: largest difference", seen.mended.0),
                    streaming.cases(cases).unit("steps"),
                ],
            )
            .twin(of("t times all squares: largest difference", seen.wrong.0));
        Ok(evidence.into())
    }
}
