//! The proof of Lemma 1, its first two displays and the inequality between them.
//!
//! **Claims.** (`heavy-tailed/lemma-1-unseen-mass`) The expected error is the unseen mass, sum p (1 - p)^T.
//! (`heavy-tailed/lemma-1-log-inequality`) 2 ln 2 a <= ln(1 + a) <= a for any a >= -1/2. (`heavy-tailed/lemma-1-exp-sandwich`) sum 1{p <=
//! 1/2} p e^(-kpT) <= sum_{x >= 2} p e^(-kpT) <= E(f^) <= sum p e^(-pT) with k = 2 ln 2.
//!
//! Against the first speaks one data set list whose fraction differs from the sum's. The second: the gap ln(1 + a) - k a is concave and
//! zero at -1/2 and 0, so it should be positive between and negative outside. The third: every x >= 2 has p <= 1/2, so the first sum
//! holds all terms of the second, and one more if p(1) <= 1/2; its first sign should turn.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{LOG_FACTOR, UnseenSandwich, Zipf, unseen_by_enumeration, unseen_sandwich};

use super::proof_of_lemma_3::Broken;
use crate::vocabulary::{EXACT, Largest, ROUNDING, largest_of, least_of};

/// All data sets of small problems.
#[derive(Clone, Debug)]
pub struct UnseenMass {
    /// Weights of the inputs; probabilities are these over their sum.
    pub weights: Vec<Vec<usize>>,
    /// Samples T, from 1.
    pub samples: u32,
}

impl Default for UnseenMass {
    fn default() -> UnseenMass {
        UnseenMass {
            weights: vec![
                vec![1, 1],
                vec![2, 1],
                vec![6, 3, 2],
                vec![3, 2, 1],
                vec![12, 6, 4, 3],
                vec![1, 1, 1, 1],
                vec![144, 36, 16, 9],
            ],
            samples: 6,
        }
    }
}

impl TypedCheck for UnseenMass {
    const CLAIM: &'static str = "heavy-tailed/lemma-1-unseen-mass";
    const PLAN: Plan = Plan::new(
        "the error summed over all data sets against the sum over inputs, in integers over one denominator",
        "one case in which the two fractions differ",
        &[EXACT],
    )
    .protocol(&["all N^T data sets, N up to 4, T up to 6; the display's left side is read as the expected error E(f^)"])
    .rivals(&["a memory that answers every unseen input with the class of the most frequent one"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let (mut right, mut shorter) = (Broken::default(), Broken::default());
        let mut gain = Largest::default();
        for weights in &self.weights {
            let in_default: Vec<bool> = (0..weights.len()).map(|x| x == 0).collect();
            let total: u128 = weights.iter().map(|w| *w as u128).sum();
            for t in 1..=self.samples {
                let f = unseen_by_enumeration(weights, &in_default, t)?;
                let before = unseen_by_enumeration(weights, &in_default, t - 1)?;
                right.see(f.enumerated != f.formula);
                shorter.see(f.enumerated != before.formula * total);
                gain.see((f.enumerated - f.with_default) as f64 / f.enumerated as f64);
            }
        }
        Ok(Evidence::of(right.none("error against Σ p (1 − p)^T"))
            .twin(shorter.none("T − 1 in the place of T"))
            .twin(
                Finding::identity("a memory that guesses: largest part of the error that it saves", gain.0, EXACT)
                    .cases(right.of)
                    .unit("cases"),
            )
            .note("for memories that are wrong on every unseen input, as the lemma's is")
            .into())
    }
}

/// The two bounds on a logarithm, on grids.
#[derive(Clone, Debug)]
pub struct LogInequality {
    /// Points of each grid.
    pub points: u32,
    /// Where the grid on the right ends.
    pub end: f64,
}

impl Default for LogInequality {
    fn default() -> LogInequality {
        LogInequality { points: 20_000, end: 10.0 }
    }
}

fn gap(a: f64) -> f64 {
    a.ln_1p() - LOG_FACTOR * a
}

impl LogInequality {
    fn grid(&self, from: f64, to: f64) -> Vec<f64> {
        let step = (to - from) / f64::from(self.points);
        (0..=self.points).map(|i| from + step * f64::from(i)).collect()
    }

    fn values(&self, from: f64, to: f64, f: impl Fn(f64) -> f64) -> Vec<f64> {
        self.grid(from, to).into_iter().map(f).collect()
    }
}

fn log_figure(check: &LogInequality) -> Figure {
    let a = check.grid(-0.7, 1.0);
    let of = |f: fn(f64) -> f64| a.iter().map(|a| f(*a)).collect::<Vec<f64>>();
    let panel = Panel::new("two bounds on ln(1 + a)")
        .x_label("a")
        .y_label("value")
        .line("a", &a, &a)
        .line("ln(1 + a)", &a, &of(f64::ln_1p))
        .line("2 ln 2 · a", &a, &of(|a| LOG_FACTOR * a))
        .vline("−1/2", -0.5)
        .vline("0", 0.0);
    Figure::new("The lower line holds between −1/2 and 0 only")
        .panel(panel)
        .caption("The line 2 ln 2 · a cuts the logarithm twice, at −1/2 and at 0.")
}

impl TypedCheck for LogInequality {
    const CLAIM: &'static str = "heavy-tailed/lemma-1-log-inequality";
    const PLAN: Plan = Plan::new(
        "smallest and largest ln(1 + a) - 2 ln 2 a, and ln(1 + a) - a, on grids",
        "an a of at least -1/2 at which one side is broken",
        &[ROUNDING],
    )
    .protocol(&["grids of 20000 points up to a = 10; concavity by second differences"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let end = self.end;
        let right = |from: f64| largest_of(self.values(from, end, |a| a.ln_1p() - a));
        let inside = least_of(self.values(-0.5, 0.0, gap));
        let beyond = self.values(0.0, end, gap);
        let before = self.values(-0.99, -0.5, gap);
        let whole = self.values(-0.99, end, gap);
        let bend: Vec<f64> = whole.windows(3).map(|w| w[0] - 2.0 * w[1] + w[2]).collect();
        let at_least = |label: String, value: f64| Finding::at_least(label, 0.0, Estimate::exact(value));
        let at_most = |label: String, value: f64| Finding::at_most(label, 0.0, Estimate::exact(value));
        let factor = std::f64::consts::LN_2;
        let single = least_of(self.values(-0.5, 0.0, |a| a.ln_1p() - factor * a));
        let evidence = Evidence::of(at_least(
            format!("smallest ln(1+a) − 2 ln 2 a, −1/2 ≤ a ≤ {end}"),
            least_of(beyond.iter().chain([&inside])),
        ))
        .and(at_most(format!("largest ln(1+a) − a, −1/2 ≤ a ≤ {end}"), right(-0.5)))
        .condition(
            "the left side holds for -1/2 ≤ a ≤ 0 and for no other a, the right side for every a > -1",
            vec![
                at_least("between the zeros: smallest gap, −1/2 ≤ a ≤ 0".into(), inside),
                at_most(format!("right of them: largest gap, 0 < a ≤ {end}"), largest_of(&beyond[1..])),
                at_most("left of them: largest gap, −0.99 ≤ a < −1/2".into(), largest_of(&before[..before.len() - 1])),
                at_most("concave: largest second difference of the gap".into(), largest_of(&bend)),
                Finding::identity(
                    "the zeros: gap at −1/2 and at 0",
                    largest_of([-0.5, 0.0].map(|a| gap(a).abs())),
                    ROUNDING,
                ),
                at_most(format!("the right side further left: −0.999 ≤ a ≤ {end}"), right(-0.999)),
            ],
        )
        .twin(at_least("ln 2 in the place of 2 ln 2: smallest gap, −1/2 ≤ a ≤ 0".into(), single))
        .note("the proof uses a = -p(x) ≥ -1/2 only, where both sides are right");
        Ok(Checked::from(evidence).figure(log_figure(self)))
    }
}

/// The four members of the second display.
#[derive(Clone, Debug)]
pub struct ExpSandwich {
    /// Exponents of the laws.
    pub alphas: Vec<f64>,
    /// Numbers of inputs.
    pub inputs: Vec<usize>,
    /// Sample sizes.
    pub sizes: Vec<usize>,
}

impl Default for ExpSandwich {
    fn default() -> ExpSandwich {
        ExpSandwich {
            alphas: vec![0.5, 1.0, 1.2, 1.5, 2.0, 3.0],
            inputs: vec![2, 10, 100, 10_000],
            sizes: vec![1, 10, 100, 1000, 10_000, 100_000],
        }
    }
}

/// By more than the rounding of a sum of ten thousand terms.
fn exceeds(a: f64, b: f64) -> bool {
    a > b * (1.0 + 1e-12) + 1e-300
}

#[derive(Default)]
struct Signs {
    printed: [Broken; 3],
    turned: Broken,
    first_to_error: Broken,
    slow_below: Broken,
    fast_above: Broken,
    flat: usize,
    worst: Largest,
}

impl Signs {
    fn see(&mut self, law: &Zipf, t: usize, s: &UnseenSandwich) {
        let pairs = [(s.indicated, s.from_second), (s.from_second, s.error), (s.error, s.upper)];
        for (broken, (low, high)) in self.printed.iter_mut().zip(pairs) {
            broken.see(exceeds(low, high));
        }
        self.turned.see(exceeds(s.from_second, s.indicated));
        self.first_to_error.see(exceeds(s.indicated, s.error));
        let p = law.probability(1);
        let first = |factor: f64| p * (-factor * p * t as f64).exp();
        self.slow_below.see(exceeds(s.upper - first(1.0), s.error));
        self.fast_above.see(exceeds(s.error, s.from_second + first(LOG_FACTOR)));
        self.flat += usize::from(p <= 0.5);
        if s.from_second > 0.0 {
            self.worst.see(s.indicated / s.from_second);
        }
    }
}

impl TypedCheck for ExpSandwich {
    const CLAIM: &'static str = "heavy-tailed/lemma-1-exp-sandwich";
    const PLAN: Plan = Plan::new(
        "cases in which an inequality is broken by more than rounding, each inequality on its own",
        "one such case",
        &[EXACT],
    )
    .protocol(&["Zipf laws, alpha = 0.5 to 3, N = 2 to 10^4, T = 1 to 10^5: with p(1) above one half and below"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let mut signs = Signs::default();
        for alpha in &self.alphas {
            for inputs in &self.inputs {
                let law = Zipf::new(*alpha, *inputs)?;
                for t in &self.sizes {
                    signs.see(&law, *t, &unseen_sandwich(&law, *t)?);
                }
            }
        }
        let [first, second, third] = signs.printed;
        Ok(Evidence::of(first.none("first ≤, as printed"))
            .and(second.none("second ≤"))
            .and(third.none("third ≤"))
            .misprint(
                "the first sign is ≥ (equality when p(1) > 1/2), and the first sum too is at most the error",
                vec![
                    signs.turned.none("first sign turned, ≥"),
                    signs.first_to_error.none("first sum at most the error"),
                ],
            )
            .twin(signs.slow_below.none("e^(−pT) in the second member"))
            .twin(signs.fast_above.none("e^(−2 ln 2 pT) in the last member"))
            .note(format!(
                "first over second member at most {:.2}; {} of {} cases have p(1) ≤ 1/2",
                signs.worst.0, signs.flat, first.of
            ))
            .into())
    }
}
