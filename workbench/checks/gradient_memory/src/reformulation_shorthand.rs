//! Shorthand of the reformulation, and what is held fixed: its second line.
//!
//! **Claim** (`gradient-memory/eq-reformulation-yu`). With u_{t+1} = grad_y L(W_t, x_{t+1}) the problem reads
//! W_{t+1} = argmin_W <y_{t+1}, u_{t+1}> + 1/(2 eta) |W - W_t|_2^2.
//!
//! The line stands behind an equals sign, and the line above writes the predicted output as W x: so y is W x_{t+1}, a function of the
//! variable, and u, which has W_t in it, is not. Read in any other way nothing is learned (y held at W_t x), or the memory aims at half the
//! value (u moving along). Refuted by a minimiser that is not the step.

use workbench_gradient_memory::{GradientStep, InnerObjective, Loss, UpdateRule};
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Check, Done, Margin, Sheet};

use crate::vocabulary::apart;

const SOLVER: Margin = Margin::rounding("solver", 1e-11, "conjugate gradients on a quadratic whose Hessian is I / eta");

/// Steps against three readings of the second line.
pub const CHECK: Check = Check {
    claim: "gradient-memory/eq-reformulation-yu",
    metric: "largest entry of step minus minimiser, absolute; over draws the largest, and the least for a wrong reading",
    against: "a minimiser that is not the step, or another reading of y and u that gives the step as well",
    protocol: &["y = W x, as in the line above the equals sign; u at W_t, as printed in it"],
    choices: &["twenty draws with the squared error and twenty with cross-entropy, W of shape (4, 6)"],
    departures: &[
        "the note uses y_{t+1} for the prediction of W_t too; y held there is among the wrong forms",
        "the norm is Frobenius's, as in the first line",
        "u that moves has a closed form for the squared error, so it is asked there only",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let (d_k, d_v) = (6, 4);
    let (eta, draws) = (s.knob("step size η", 0.3, 0.01..=1.0)?, s.knob("draws", 20, 1..)?);
    let mut stream = s.stream("second line")?;
    for loss in [Loss::Squared, Loss::CrossEntropy] {
        for _ in s.each("draws", 0..draws) {
            let (w, x) = (normal_array2(&mut stream, d_v, d_k), normal_array2(&mut stream, 1, d_k));
            let mut v = normal_array2(&mut stream, 1, d_v);
            if loss == Loss::CrossEntropy {
                // It wants probabilities.
                v = v.mapv(f64::exp);
                v /= v.sum();
            }
            let mut rule = GradientStep::new(d_v, d_k, eta, loss)?;
            rule.restart(&w)?;
            rule.step(&x, &v)?;
            let step = rule.weights();
            let near = InnerObjective::new("W").anchor(1.0 / eta, w.clone());

            let slope = loss.output_gradient(&w, &x, &v)?.t().dot(&x);
            let line = near.clone().linear(slope.clone()).minimise()?;
            s.printed(SOLVER).same("step against the argmin, y = W x as in the line above", apart(&line, step));

            let held = near.clone().minimise()?;
            s.twin(SOLVER).same("y held at W_t x: step against the argmin, least", apart(&held, step));
            let twice_held = InnerObjective::new("W").anchor(2.0 / eta, w.clone()).linear(slope).minimise()?;
            let label = "penalty 1/eta for 1/(2 eta): step against the argmin, least";
            s.twin(SOLVER).same(label, apart(&twice_held, step));

            if loss == Loss::Squared {
                let both = near.fit(2.0, x.clone(), &v / 2.0).minimise()?;
                s.twin(SOLVER).same("u moving too: step against the argmin, least", apart(&both, step));
                // W_t + 2 eta / (1 + 2 eta |x|^2) (v/2 - W_t x) x^T.
                let rate = 2.0 * eta / (1.0 + 2.0 * eta * (&x * &x).sum());
                let by_hand = &w + &(rate * (&v / 2.0 - x.dot(&w.t())).t().dot(&x));
                s.support(SOLVER).same("u moving too: argmin against its closed form", apart(&both, &by_hand));
            }
        }
    }
    Ok(())
}
