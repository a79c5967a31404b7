//! Reformulation, first line: a gradient step is a regularised minimisation.
//!
//! **Claim** (`gradient-memory/eq-reformulation`). W_{t+1} = argmin_W <W x_{1+1}, grad_y L(W_t, x_{t+1})> + 1/(2 eta) |W - W_t|_2^2, with
//! the index printed as 1 + 1.
//!
//! With u held at W_t the first term is linear in W with gradient u x^T, the second has gradient (W - W_t) / eta if the norm is
//! Frobenius'; the Hessian is I / eta, so the minimiser is the step and no other. Two things are read in two ways: the index (x_2, or
//! x_{t+1}) and the norm (Frobenius, or the largest singular value). The minimiser comes from conjugate gradients on the objective,
//! which know nothing of the step.

use ndarray::Array2;
use workbench_gradient_memory::{
    Fraction, GradientStep, InnerObjective, Loss, UpdateRule, entries_that_differ, exact_first_order_condition,
    exact_gradient_step, fraction_matrix, singular_values, spectral_objective, spectral_step,
};
use workbench_ground::stats::{Estimate, Stream, normal_array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use crate::vocabulary::{EXACT, Largest, Least, apart, row};

const SOLVER: Margin = Margin::new("solver", 1e-11, "conjugate gradients on a quadratic whose Hessian is I / eta");
const CURVATURE: Margin = Margin::new("curvature", 1e-9, "eigenvalues of a Hessian of order one over eta");
const LEAST_VALUE: Margin = Margin::new("least value", 1e-10, "two objectives of order one, each from a decomposition");
const ANOTHER: Margin = Margin::new("another minimiser", 1e-2, "far above what a solver leaves");
const WORSE: Margin = Margin::new("worse", 0.1, "a tenth of the objective's size");

/// The step against the minimiser, on both readings of index and norm.
#[derive(Clone, Debug)]
pub struct Argmin {
    /// Step size.
    pub eta: f64,
    /// Steps of each run.
    pub steps: usize,
    /// Dimension of keys, of values.
    pub dims: (usize, usize),
}

impl Default for Argmin {
    fn default() -> Argmin {
        Argmin { eta: 0.3, steps: 20, dims: (6, 4) }
    }
}

#[derive(Default)]
struct Index {
    corrected: Largest,
    first: Largest,
    literal: Least,
    least_curvature: Least,
    largest_curvature: Largest,
}

struct Norm {
    one: f64,
    second: f64,
    second_apart: f64,
    batch: f64,
    batch_apart: f64,
}

#[derive(Default)]
struct Condition {
    wrong: usize,
    compared: usize,
    wrong_with_half: usize,
}

impl Argmin {
    /// The index: the key of the step, or the second key whatever the step.
    fn index(&self, draws: &mut Stream) -> Result<Index, Failure> {
        let (d_k, d_v) = self.dims;
        let keys = normal_array2(draws, self.steps + 1, d_k) / 2.0;
        let values = normal_array2(draws, self.steps + 1, d_v);
        let mut seen = Index::default();
        for loss in [Loss::Squared, Loss::Huber { delta: 0.5 }, Loss::TanhSquared] {
            let mut rule = GradientStep::new(d_v, d_k, self.eta, loss)?;
            // Row t holds x_{t+1}, counted from x_1.
            for t in 1..=self.steps {
                let (x, v, w) = (row(&keys, t), row(&values, t), rule.weights().clone());
                let u = loss.output_gradient(&w, &x, &v)?;
                let problem = |key: &Array2<f64>| {
                    let linear = InnerObjective::new("W").linear(u.t().dot(key));
                    linear.anchor(1.0 / self.eta, w.clone())
                };
                rule.step(&x, &v)?;
                seen.corrected.see(apart(&problem(&x).minimise()?, rule.weights()));
                let gap = apart(&problem(&row(&keys, 1)).minimise()?, rule.weights());
                match t {
                    1 => seen.first.see(gap),
                    _ => seen.literal.see(gap),
                }
                let (low, high) = problem(&x).curvature()?;
                seen.least_curvature.see(low);
                seen.largest_curvature.see(high);
            }
        }
        Ok(seen)
    }

    /// The norm read as the largest singular value: for one sample the step is one minimiser of many, for a batch it is none.
    fn norm(&self, draws: &mut Stream) -> Result<Norm, Failure> {
        let ((d_k, d_v), eta) = (self.dims, self.eta);
        let w = normal_array2(draws, d_v, d_k);
        let (u, x) = (normal_array2(draws, 3, d_v), normal_array2(draws, 3, d_k));
        let excess = |at: &Array2<f64>, slope: &Array2<f64>| -> Result<f64, Failure> {
            let least = spectral_objective(&spectral_step(slope, &w, eta)?, slope, &w, eta)?;
            Ok(spectral_objective(at, slope, &w, eta)? - least)
        };
        // Rank one, rank three.
        let (one, batch) = (row(&u, 0).t().dot(&row(&x, 0)), u.t().dot(&x));
        let (one_step, batch_step) = (&w - &(eta * &one), &w - &(eta * &batch));
        let free = across(&row(&u, 1), &row(&u, 0)).t().dot(&across(&row(&x, 1), &row(&x, 0)));
        // Half of what may be added at no cost.
        let size = 0.5 * eta * singular_values(&one)?[0] / singular_values(&free)?[0];
        let second = &one_step + &(size * &free);
        Ok(Norm {
            one: excess(&one_step, &one)?.abs(),
            second: excess(&second, &one)?.abs(),
            second_apart: apart(&second, &one_step),
            batch: excess(&batch_step, &batch)?,
            batch_apart: apart(&spectral_step(&batch, &w, eta)?, &batch_step),
        })
    }

    /// The first-order condition at the step, in fractions.
    fn condition(&self, draws: &mut Stream) -> Result<Condition, Failure> {
        let (eta, half) = (Fraction::new(2, 7), Fraction::new(1, 7));
        let mut seen = Condition::default();
        for n in [1, 1, 2, 3] {
            let w = fraction_matrix(draws, 3, 4);
            let (x, v) = (fraction_matrix(draws, n, 4), fraction_matrix(draws, n, 3));
            let zero = w.mapv(|_| Fraction::new(0, 1));
            for loss in [Loss::Squared, Loss::Huber { delta: 1.5 }] {
                let step = exact_gradient_step(loss, &w, &x, &v, &eta)?;
                let condition = exact_first_order_condition(loss, &step, &w, &x, &v, &eta)?;
                seen.wrong += entries_that_differ(&condition, &zero)?;
                seen.compared += condition.len();
                // The factor 1/2 of the penalty dropped is the same as half the step size.
                let without = exact_first_order_condition(loss, &step, &w, &x, &v, &half)?;
                seen.wrong_with_half += entries_that_differ(&without, &zero)?;
            }
        }
        Ok(seen)
    }
}

/// The part of `a` that is orthogonal to `b`.
fn across(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    a - &((a * b).sum() / (b * b).sum() * b)
}

impl TypedCheck for Argmin {
    const CLAIM: &'static str = "gradient-memory/eq-reformulation";
    const PLAN: Plan = Plan::new(
        "largest entry of step minus minimiser; entries of the first-order condition that are not zero; excess of the objective",
        "a minimiser that is not the step",
        &[SOLVER, EXACT, CURVATURE, LEAST_VALUE, ANOTHER, WORSE],
    )
    .departures(&["the document names neither loss nor sizes; squared, Huber's and one with tanh, on random streams, are ours"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut draws = setting.stream("reformulation")?;
        let index = self.index(&mut draws)?;
        let norm = self.norm(&mut draws)?;
        let condition = self.condition(&mut setting.stream("reformulation, exact")?)?;
        let steps = 3 * self.steps;
        let exactly = |label: &str, value| Finding::identity(label, value, LEAST_VALUE);
        let far = |label: &str, margin: Margin, value| Finding::at_least(label, margin, Estimate::exact(value));
        let evidence = Evidence::of(
            Finding::identity(
                "step against the argmin with the key x_2, t = 2 to 20, least distance",
                index.literal.0,
                SOLVER,
            )
            .cases(steps - 3),
        )
        .misprint(
            "the key is x_{t+1}, and the norm is the Frobenius norm",
            vec![
                Finding::identity("step against the argmin with the key x_{t+1}", index.corrected.0, SOLVER)
                    .cases(steps),
                Finding::identity("step against the argmin with the key x_2, t = 1", index.first.0, SOLVER).cases(3),
                Finding::identity(
                    "entries of the first-order condition that are not 0, exact",
                    condition.wrong as f64,
                    EXACT,
                )
                .cases(condition.compared),
                Finding::equals(
                    "least Hessian eigenvalue times η",
                    1.0,
                    CURVATURE,
                    Estimate::exact(index.least_curvature.0 * self.eta),
                ),
                Finding::equals(
                    "largest Hessian eigenvalue times η",
                    1.0,
                    CURVATURE,
                    Estimate::exact(index.largest_curvature.0 * self.eta),
                ),
                exactly("spectral norm, one sample: excess at the step", norm.one),
                exactly("spectral norm, one sample: excess at another minimiser", norm.second),
                far("spectral norm, one sample: distance of that minimiser", ANOTHER, norm.second_apart),
                far("spectral norm, batch of three: excess at the gradient step", WORSE, norm.batch),
                far("spectral norm, batch of three: distance of its minimiser", WORSE, norm.batch_apart),
            ],
        )
        .twin(Finding::identity(
            "factor 1/2 of the penalty dropped: entries of the condition that are not 0",
            condition.wrong_with_half as f64,
            EXACT,
        ));
        Ok(evidence.into())
    }
}
