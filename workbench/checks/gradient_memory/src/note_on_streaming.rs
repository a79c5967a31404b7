//! Online learning, predict first, then update: the note on streaming.
//!
//! **Claim** (`gradient-memory/streaming-order`). At step t + 1 the state is W_t; the prediction y_{t+1} is made with it, and only then
//! does W_{t+1} replace it.
//!
//! For the squared error that is W_{t+1} = W_t (I - eta x x^T) + eta v x^T. With the gradient at W_{t+1} instead, the equation is
//! solved by a shorter step, eta / (1 + eta |x|^2): the implicit step.

use workbench_gradient_memory::{GradientStep, ImplicitStep, Loss, UpdateRule, closed_form_step, run_stream};
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Check, Done, Margin, Sheet};

use crate::vocabulary::{apart, row};

const STEP: Margin = Margin::rounding("one step", 1e-13, "rounding of one step on entries of order one");

/// One stream of pairs, in both orders.
pub const CHECK: Check = Check {
    claim: "gradient-memory/streaming-order",
    metric: "largest entry of a difference, absolute, at every step",
    against: "a step that the recursion misses, or an order that makes no difference",
    choices: &["squared error, whose recursion has a closed form; 200 random pairs"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let (d_k, d_v) = (6, 4);
    let steps = s.knob("steps", 200, 1..)?;
    let eta = s.knob("step size η", 0.4, 0.0..=1.0)?;
    let mut draws = s.stream("streaming")?;
    let keys = normal_array2(&mut draws, steps, d_k) / 3.0;
    let values = normal_array2(&mut draws, steps, d_v);
    let mut rule: Box<dyn UpdateRule> = Box::new(GradientStep::new(d_v, d_k, eta, Loss::Squared)?);
    let mut swapped: Box<dyn UpdateRule> = Box::new(ImplicitStep::new(d_v, d_k, eta)?);
    let trace = run_stream(&mut rule, Loss::Squared, &keys, &values)?;
    let other = run_stream(&mut swapped, Loss::Squared, &keys, &values)?;
    let (printed, twin) = (s.printed(STEP), s.twin(STEP));
    for t in s.each("steps", 0..steps) {
        let (x, v, said) = (row(&keys, t), row(&values, t), row(&trace.predictions, t));
        let (before, after) = (&trace.weights[t], &trace.weights[t + 1]);
        let recursion = |eta: f64| closed_form_step(before, &x, &v, eta);
        printed.same("step against the closed-form recursion", apart(&recursion(eta)?, after));
        printed.same("prediction against W_t x", apart(&said, &x.dot(&before.t())));
        let order = apart(&other.weights[t + 1], after);
        s.printed(STEP).at_least("distance of the swapped order, least of all steps", order);
        twin.same("prediction against W_{t+1} x, least of all steps", apart(&said, &x.dot(&after.t())));
        let half = apart(&recursion(eta / 2.0)?, after);
        twin.same("step against the recursion with η halved, least of all steps", half);
    }
    Ok(())
}
