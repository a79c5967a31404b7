//! Gradient step as a regularised minimisation: the first line of the reformulation.
//!
//! **Claim** (`gradient-memory/eq-reformulation`). W_{t+1} = argmin_W <W x_{1+1}, grad_y L(W_t, x_{t+1})> + 1/(2 eta) |W - W_t|_2^2, with
//! the index printed as 1 + 1.
//!
//! With u held at W_t the first term is linear in W with gradient u x^T, the second has gradient (W - W_t) / eta if the norm is
//! Frobenius'; the Hessian is I / eta, so the minimiser is the step and no other. The index is read as printed (x_2) and as x_{t+1}. The
//! norm of a matrix is taken over its entries, as is usual where a weight matrix stands in a penalty; what the largest singular value would
//! give is shown beside it. The minimiser comes from conjugate gradients on the objective, which know nothing of the step.

use ndarray::Array2;
use workbench_gradient_memory::{
    Fraction, GradientStep, InnerObjective, Loss, UpdateRule, exact_first_order_condition, exact_gradient_step,
    fraction_matrix, singular_values, spectral_objective, spectral_step,
};
use workbench_ground::stats::{Stream, normal_array2};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};

use super::gradient_step::none_differs;
use crate::vocabulary::{EXACT, apart, row};

const SOLVER: Margin = Margin::rounding("solver", 1e-11, "conjugate gradients on a quadratic whose Hessian is I / eta");
const CURVATURE: Margin = Margin::rounding("curvature", 1e-9, "eigenvalues of a Hessian of order one over eta");
const LEAST_VALUE: Margin =
    Margin::rounding("least value", 1e-10, "two objectives of order one, each from a decomposition");

/// The step against the minimiser, on both readings of the index.
pub const CHECK: Check = Check {
    claim: "gradient-memory/eq-reformulation",
    metric: "largest entry of step minus minimiser; entries of the first-order condition that are not zero; excess of the objective",
    against: "a minimiser that is not the step",
    choices: &["squared error, Huber's and one with tanh, on random streams of 20 steps; W of shape (4, 6)"],
    departures: &[
        "the norm is read entry by entry, as Frobenius's; as the largest singular value it stands beside, and for a batch it is a wrong form",
    ],
    run,
    ..Check::DEFAULT
};

/// Dimension of keys, of values.
const DIMS: (usize, usize) = (6, 4);

fn run(s: &Sheet) -> Done {
    s.misprint("the key is x_{t+1}");
    let eta = s.knob("step size η", 0.3, 0.01..=1.0)?;
    let mut draws = s.stream("reformulation")?;
    index(s, eta, &mut draws)?;
    norm(s, eta, &mut draws)?;
    condition(s)
}

/// The index: the key of the step, or the second key whatever the step.
fn index(s: &Sheet, eta: f64, draws: &mut Stream) -> Done {
    let ((d_k, d_v), steps) = (DIMS, s.knob("steps", 20, 2..)?);
    let keys = normal_array2(draws, steps + 1, d_k) / 2.0;
    let values = normal_array2(draws, steps + 1, d_v);
    for loss in [Loss::Squared, Loss::Huber { delta: 0.5 }, Loss::TanhSquared] {
        let mut rule = GradientStep::new(d_v, d_k, eta, loss)?;
        // Row t holds x_{t+1}, counted from x_1.
        for t in s.each("steps", 1..=steps) {
            let (x, v, w) = (row(&keys, t), row(&values, t), rule.weights().clone());
            let u = loss.output_gradient(&w, &x, &v)?;
            let problem =
                |key: &Array2<f64>| InnerObjective::new("W").linear(u.t().dot(key)).anchor(1.0 / eta, w.clone());
            rule.step(&x, &v)?;
            let with_second = apart(&problem(&row(&keys, 1)).minimise()?, rule.weights());
            if t == 1 {
                s.changed(SOLVER).same("step against the argmin with the key x_2, t = 1", with_second);
            } else {
                let label = "step against the argmin with the key x_2, t = 2 to 20, least distance";
                s.printed(SOLVER).least().same(label, with_second);
            }
            let with_its_own = apart(&problem(&x).minimise()?, rule.weights());
            s.changed(SOLVER).same("step against the argmin with the key x_{t+1}", with_its_own);
            let (low, high) = problem(&x).curvature()?;
            s.support(CURVATURE).equals("least Hessian eigenvalue times η", 1.0, low * eta);
            s.support(CURVATURE).equals("largest Hessian eigenvalue times η", 1.0, high * eta);
        }
    }
    Ok(())
}

/// The norm read as the largest singular value: for one sample the step is one minimiser of many, for a batch it is none.
fn norm(s: &Sheet, eta: f64, draws: &mut Stream) -> Done {
    let (d_k, d_v) = DIMS;
    let w = normal_array2(draws, d_v, d_k);
    let (u, x) = (normal_array2(draws, 3, d_v), normal_array2(draws, 3, d_k));
    let excess = |at: &Array2<f64>, slope: &Array2<f64>| -> Result<f64, Failure> {
        let least = spectral_objective(&spectral_step(slope, &w, eta)?, slope, &w, eta)?;
        Ok(spectral_objective(at, slope, &w, eta)? - least)
    };
    // Rank one.
    let slope = row(&u, 0).t().dot(&row(&x, 0));
    let step = &w - &(eta * &slope);
    let none = s.aside(LEAST_VALUE);
    none.same("spectral norm, one sample: excess at the step", excess(&step, &slope)?.abs());
    let free = across(&row(&u, 1), &row(&u, 0)).t().dot(&across(&row(&x, 1), &row(&x, 0)));
    // Half of what may be added at no cost.
    let size = 0.5 * eta * singular_values(&slope)?[0] / singular_values(&free)?[0];
    let second = &step + &(size * &free);
    none.same("spectral norm, one sample: excess at another minimiser", excess(&second, &slope)?.abs());
    s.aside(SOLVER).at_least("spectral norm, one sample: distance of that minimiser", apart(&second, &step));

    // Rank three.
    let slope = u.t().dot(&x);
    let step = &w - &(eta * &slope);
    s.aside(LEAST_VALUE).at_least("spectral norm, batch of three: excess at the gradient step", excess(&step, &slope)?);
    let distance = apart(&spectral_step(&slope, &w, eta)?, &step);
    s.twin(SOLVER).same("spectral norm, batch of three: step against the argmin", distance);
    Ok(())
}

/// The first-order condition at the step, in fractions.
fn condition(s: &Sheet) -> Done {
    let (eta, half) = (Fraction::new(2, 7), Fraction::new(1, 7));
    let mut draws = s.stream("reformulation, exact")?;
    for n in [1, 1, 2, 3] {
        let w = fraction_matrix(&mut draws, 3, 4);
        let (x, v) = (fraction_matrix(&mut draws, n, 4), fraction_matrix(&mut draws, n, 3));
        let zero = w.mapv(|_| Fraction::new(0, 1));
        for loss in [Loss::Squared, Loss::Huber { delta: 1.5 }] {
            let step = exact_gradient_step(loss, &w, &x, &v, &eta)?;
            let slope = exact_first_order_condition(loss, &step, &w, &x, &v, &eta)?;
            let label = "entries of the first-order condition that are not 0, exact";
            none_differs(s.changed(EXACT), label, &slope, &zero)?;
            // The factor 1/2 of the penalty dropped is the same as half the step size.
            let slope = exact_first_order_condition(loss, &step, &w, &x, &v, &half)?;
            let label = "factor 1/2 of the penalty dropped: entries of the condition that are not 0";
            none_differs(s.twin(EXACT), label, &slope, &zero)?;
        }
    }
    Ok(())
}

/// The part of `a` that is orthogonal to `b`.
fn across(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    a - &((a * b).sum() / (b * b).sum() * b)
}
