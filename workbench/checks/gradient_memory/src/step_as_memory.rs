//! Reformulation read with Definition 1: many steps are a memory.
//!
//! **Claim** (`gradient-memory/step-as-memory`). A step stores the pair of key x_{t+1} and output gradient u_{t+1}, near the memory before.
//!
//! From W_0 = 0 the steps add up to W_T = -eta sum u_t x_t^T, and asking with x_s returns
//! -eta |x_s|^2 u_s - eta sum_{t != s} <x_t, x_s> u_t: the stored gradient with a minus sign, and interference that vanishes for
//! orthogonal keys.

use ndarray::{Array2, Axis, s};
use workbench_display::{Figure, Panel};
use workbench_gradient_memory::{GradientStep, Loss, StreamTrace, UpdateRule, pseudo_inverse_memory, run_stream};
use workbench_ground::stats::{Estimate, normal_array2, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use crate::vocabulary::{Largest, Least, apart};

const SUM: Margin = Margin::new("sum", 1e-13, "rounding of a dozen steps on entries of order one");
const INTERFERENCE: Margin = Margin::new("interference", 0.1, "a tenth of what is stored");

/// A dozen pairs under three kinds of keys.
#[derive(Clone, Debug)]
pub struct ManySteps {
    /// Pairs.
    pub pairs: usize,
    /// Dimension of keys and values; at least the pairs, so that orthonormal keys exist.
    pub dim: usize,
    /// Step size.
    pub eta: f64,
}

impl Default for ManySteps {
    fn default() -> ManySteps {
        ManySteps { pairs: 12, dim: 16, eta: 0.5 }
    }
}

#[derive(Default)]
struct Seen {
    sums: Largest,
    formula: Largest,
    twice: Least,
    /// The formula with the stored gradient not multiplied by the key's squared length, and with the stored keys' directions alone.
    unscaled: Least,
    directions: Least,
    alone: Vec<f64>,
    shares: Vec<Array2<f64>>,
}

impl ManySteps {
    const TITLES: [&'static str; 3] = ["orthogonal keys", "random directions", "with a common part"];

    fn store(&self, setting: &Setting) -> Result<Seen, Failure> {
        let &ManySteps { pairs, dim, eta } = self;
        let mut draws = setting.stream("steps as memory")?;
        let random = unit_sphere(&mut draws, pairs, dim);
        let mixed = &random + &unit_sphere(&mut draws, 1, dim);
        let lengths = mixed.mapv(|x| x * x).sum_axis(Axis(1)).mapv(f64::sqrt);
        let shared = &mixed / &lengths.insert_axis(Axis(1));
        let orthonormal = Array2::eye(dim).slice(s![..pairs, ..]).to_owned();
        let values = normal_array2(&mut draws, pairs, dim);
        let mut seen = Seen::default();
        // Keys of several lengths, so that a formula without them cannot pass.
        let long = |s: usize| 0.5 + s as f64 / (pairs.max(2) - 1) as f64;
        for mut keys in [orthonormal, random, shared] {
            for (s, mut key) in keys.rows_mut().into_iter().enumerate() {
                key *= long(s);
            }
            let mut rule: Box<dyn UpdateRule> = Box::new(GradientStep::new(dim, dim, eta, Loss::Squared)?);
            let StreamTrace { output_gradients: u, .. } = run_stream(&mut rule, Loss::Squared, &keys, &values)?;
            let sum = -eta * u.t().dot(&keys);
            seen.sums.see(apart(rule.weights(), &sum));
            let answers = rule.recall(&keys)?;
            let expected = answered(&keys, &u, eta, |_| 1.0);
            seen.formula.see(apart(&answers, &expected));
            seen.twice.see(apart(&answers, &(2.0 * &expected)));
            let squares = keys.mapv(|x| x * x).sum_axis(Axis(1));
            let stored = -eta * &u * &squares.clone().insert_axis(Axis(1));
            seen.alone.push(apart(&answers, &stored));
            seen.unscaled.see(apart(&answers, &(&expected - &stored - eta * &u)));
            let directions = answered(&keys, &u, eta, |t| 1.0 / squares[t].sqrt());
            seen.directions.see(apart(&answers, &directions));
            let shares = answers.dot(&pseudo_inverse_memory(&u, &Array2::eye(pairs))?.t()) / -eta;
            seen.shares.push(shares);
        }
        Ok(seen)
    }

    fn figure(&self, shares: &[Array2<f64>]) -> Figure {
        let index: Vec<f64> = (1..=self.pairs).map(|t| t as f64).collect();
        let panels = Self::TITLES.iter().zip(shares).map(|(title, share)| {
            Panel::new(title)
                .x_label("stored gradient u_{t}")
                .y_label("asked with key x_{s}")
                .heatmap(share, &index, &index, "share of −η u_{t}")
                .signed_colour()
                .colour_limits(-1.0, 1.0)
        });
        let start =
            Figure::new("Each key brings back its own gradient, and what its neighbours share with it").columns(3);
        panels.fold(start, Figure::panel).caption(
            "Measured shares: the answers expanded in the stored gradients. The diagonal is the pair itself, everything else is \
             interference.",
        )
    }
}

/// The formula with interference: row s is -eta sum_t <x_t, x_s> u_t, each stored key multiplied by a factor.
fn answered(keys: &Array2<f64>, u: &Array2<f64>, eta: f64, factor: impl Fn(usize) -> f64) -> Array2<f64> {
    let mut expected = Array2::zeros(u.dim());
    for s in 0..keys.nrows() {
        for t in 0..keys.nrows() {
            let share = -eta * factor(t) * keys.row(t).dot(&keys.row(s));
            expected.row_mut(s).scaled_add(share, &u.row(t));
        }
    }
    expected
}

impl TypedCheck for ManySteps {
    const CLAIM: &'static str = "gradient-memory/step-as-memory";
    const PLAN: Plan = Plan::new(
        "largest entry of a difference, absolute; values are standard normal",
        "weights that are not the sum of what was stored, or an answer that the formula misses",
        &[SUM, INTERFERENCE],
    )
    .departures(&["the document names no data; three sets of keys, from orthogonal to correlated, with lengths from 0.5 to 1.5, are ours"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.store(setting)?;
        let pairs = self.pairs;
        let evidence =
            Evidence::of(Finding::identity("W_T + η Σ u_t x_t^T, three key sets", seen.sums.0, SUM).cases(3))
                .and(
                    Finding::identity("answers against the formula with interference", seen.formula.0, SUM)
                        .cases(3 * pairs),
                )
                .and(
                    Finding::identity("orthogonal keys: answers against −η |x_s|² u_s alone", seen.alone[0], SUM)
                        .cases(pairs),
                )
                .and(Finding::at_least("correlated keys: interference", INTERFERENCE, Estimate::exact(seen.alone[2])))
                .twin(Finding::identity("random directions: answers without interference", seen.alone[1], SUM))
                .twin(Finding::identity(
                    "−η u_s without |x_s|²: answers against the formula, least",
                    seen.unscaled.0,
                    SUM,
                ))
                .twin(Finding::identity(
                    "stored keys taken as directions, without their lengths: answers, least",
                    seen.directions.0,
                    SUM,
                ))
                .twin(Finding::identity("answers against twice the formula", seen.twice.0, SUM));
        Ok(Checked::from(evidence).figure(self.figure(&seen.shares)))
    }
}
