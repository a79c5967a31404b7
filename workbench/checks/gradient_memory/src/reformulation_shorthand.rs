//! Shorthand of the reformulation, and what is held fixed: its second line.
//!
//! **Claim** (`gradient-memory/eq-reformulation-yu`). With u_{t+1} = grad_y L(W_t, x_{t+1}) the problem reads
//! W_{t+1} = argmin_W <y_{t+1}, u_{t+1}> + 1/(2 eta) |W - W_t|_2^2.
//!
//! The note defines y_{t+1} as the prediction made with W_t: a constant, and then nothing is learned. So y has to mean W x_{t+1}, as
//! under the equals sign above it, and u has to stay at W_t. If u moved too, the memory would aim at half the value.

use workbench_gradient_memory::{GradientStep, InnerObjective, Loss, UpdateRule};
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Check, Done, Margin, Sheet};

use crate::vocabulary::apart;

const SOLVER: Margin = Margin::new("solver", 1e-11, "conjugate gradients on a quadratic whose Hessian is I / eta");
const ANOTHER: Margin = Margin::new("another minimiser", 1e-2, "far above what a solver leaves");

/// Steps against three readings of the second line.
pub const CHECK: Check = Check {
    claim: "gradient-memory/eq-reformulation-yu",
    metric: "largest entry of step minus minimiser, absolute; over draws the least where it should differ, the largest where it should not",
    against: "a minimiser that is not the step, with y as the note defines it",
    protocol: &["twenty draws with the squared error and twenty with cross-entropy, W of shape (4, 6)"],
    departures: &[
        "y = W x is what the equals sign above the line says; read so, the line needs no change, but the note defines the same symbol as the prediction of the old weights",
        "the norm is Frobenius's, as in the first line",
        "u that moves has a closed form for the squared error, so it is asked there only",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.misprint("y is W x, a function of the variable, and u stays at W_t");
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

            let still = near.clone().minimise()?;
            let label = "step against the argmin with y at W_t x, as the note defines it, least";
            s.printed(SOLVER).least().same(label, apart(&still, step));
            s.changed(SOLVER).same("y at W_t x: the argmin is W_t", apart(&still, &w));

            let slope = loss.output_gradient(&w, &x, &v)?.t().dot(&x);
            let moving = near.clone().linear(slope.clone()).minimise()?;
            s.changed(SOLVER).same("step against that argmin", apart(&moving, step));
            let twice_held = InnerObjective::new("W").anchor(2.0 / eta, w.clone()).linear(slope).minimise()?;
            let label = "penalty 1/eta for 1/(2 eta): step against the argmin, least";
            s.twin(SOLVER).same(label, apart(&twice_held, step));

            if loss == Loss::Squared {
                let both = near.clone().fit(2.0, x.clone(), &v / 2.0).minimise()?;
                let label = "u moving too: distance of the argmin from the step, least";
                s.changed(ANOTHER).at_least(label, apart(&both, step));
                // W_t + 2 eta / (1 + 2 eta |x|^2) (v/2 - W_t x) x^T.
                let rate = 2.0 * eta / (1.0 + 2.0 * eta * (&x * &x).sum());
                let by_hand = &w + &(rate * (&v / 2.0 - x.dot(&w.t())).t().dot(&x));
                s.changed(SOLVER).same("u moving too: argmin against its closed form", apart(&both, &by_hand));
                let at_the_value = near.fit(2.0, x.clone(), v).minimise()?;
                let label = "u moving too, aiming at the whole value: argmin against the closed form, least";
                s.twin(SOLVER).same(label, apart(&at_the_value, &by_hand));
            }
        }
    }
    Ok(())
}
