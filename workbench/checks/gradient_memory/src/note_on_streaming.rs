//! The note on online learning: predict first, then update.
//!
//! **Claim** (`gradient-memory/streaming-order`). At step t + 1 the state is W_t; the prediction y_{t+1} is made with it, and only then
//! does W_{t+1} replace it.
//!
//! For the squared error that is W_{t+1} = W_t (I - eta x x^T) + eta v x^T. With the gradient at W_{t+1} instead, the equation is
//! solved by a shorter step, eta / (1 + eta |x|^2): the implicit step.

use workbench_gradient_memory::{GradientStep, ImplicitStep, Loss, UpdateRule, closed_form_step, run_stream};
use workbench_ground::stats::{Estimate, normal_array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use crate::vocabulary::{Largest, Least, apart, row};

const STEP: Margin = Margin::new("one step", 1e-13, "rounding of one step on entries of order one");
const ANOTHER: Margin = Margin::new("another memory", 1e-4, "far above rounding at every single step");

/// One stream of pairs, in both orders.
#[derive(Clone, Debug)]
pub struct PredictThenUpdate {
    /// Length of the stream.
    pub steps: usize,
    /// Dimension of keys, of values.
    pub dims: (usize, usize),
    /// Step size.
    pub eta: f64,
}

impl Default for PredictThenUpdate {
    fn default() -> PredictThenUpdate {
        PredictThenUpdate { steps: 200, dims: (6, 4), eta: 0.4 }
    }
}

impl TypedCheck for PredictThenUpdate {
    const CLAIM: &'static str = "gradient-memory/streaming-order";
    const PLAN: Plan = Plan::new(
        "largest entry of a difference, absolute, at every step",
        "a step that the recursion misses, or an order that makes no difference",
        &[STEP, ANOTHER],
    )
    .departures(&["the document names no loss; the recursion is that of the squared error"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (d_k, d_v) = self.dims;
        let mut draws = setting.stream("streaming")?;
        let keys = normal_array2(&mut draws, self.steps, d_k) / 3.0;
        let values = normal_array2(&mut draws, self.steps, d_v);
        let mut rule: Box<dyn UpdateRule> = Box::new(GradientStep::new(d_v, d_k, self.eta, Loss::Squared)?);
        let mut swapped: Box<dyn UpdateRule> = Box::new(ImplicitStep::new(d_v, d_k, self.eta)?);
        let trace = run_stream(&mut rule, Loss::Squared, &keys, &values)?;
        let other = run_stream(&mut swapped, Loss::Squared, &keys, &values)?;
        let (mut recursion, mut before) = (Largest::default(), Largest::default());
        let (mut after, mut order, mut half) = (Least::default(), Least::default(), Least::default());
        for t in 0..self.steps {
            let (x, v, w) = (row(&keys, t), row(&values, t), &trace.weights);
            let said = row(&trace.predictions, t);
            recursion.see(apart(&closed_form_step(&w[t], &x, &v, self.eta)?, &w[t + 1]));
            half.see(apart(&closed_form_step(&w[t], &x, &v, self.eta / 2.0)?, &w[t + 1]));
            before.see(apart(&said, &x.dot(&w[t].t())));
            after.see(apart(&said, &x.dot(&w[t + 1].t())));
            order.see(apart(&other.weights[t + 1], &w[t + 1]));
        }
        let steps = self.steps;
        let evidence = Evidence::of(
            Finding::identity("step against the closed-form recursion", recursion.0, STEP).cases(steps).unit("steps"),
        )
        .and(Finding::identity("prediction against W_t x", before.0, STEP).cases(steps).unit("steps"))
        .and(
            Finding::at_least("distance of the swapped order, least of all steps", ANOTHER, Estimate::exact(order.0))
                .cases(steps)
                .unit("steps"),
        )
        .twin(Finding::identity("prediction against W_{t+1} x, least of all steps", after.0, STEP))
        .twin(Finding::identity("step against the recursion with η halved, least of all steps", half.0, STEP));
        Ok(evidence.into())
    }
}
