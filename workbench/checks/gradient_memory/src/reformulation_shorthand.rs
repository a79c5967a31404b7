//! Reformulation, second line: the shorthand, and what is held fixed.
//!
//! **Claim** (`gradient-memory/eq-reformulation-yu`). With u_{t+1} = grad_y L(W_t, x_{t+1}) the problem reads
//! W_{t+1} = argmin_W <y_{t+1}, u_{t+1}> + 1/(2 eta) |W - W_t|_2^2.
//!
//! The note defines y_{t+1} as the prediction made with W_t: a constant, and then nothing is learned. So y has to mean W x_{t+1}, and u
//! has to stay at W_t. If u moved too, the memory would aim at half the value.

use workbench_gradient_memory::{GradientStep, InnerObjective, Loss, UpdateRule};
use workbench_ground::stats::{Estimate, normal_array2};
use workbench_ledger::{Check, Checked, Evidence, Failure, Finding, Margin, Plan, Setting};

use crate::vocabulary::apart;

const SOLVER: Margin = Margin::new(
    "solver",
    1e-11,
    "conjugate gradients on a quadratic whose Hessian is I / eta",
);
const ANOTHER: Margin = Margin::new("another minimiser", 1e-2, "far above what a solver leaves");

/// One step against three readings of the second line.
#[derive(Clone, Debug)]
pub struct Shorthand {
    /// Step size.
    pub eta: f64,
    /// Dimension of keys, of values.
    pub dims: (usize, usize),
}

impl Default for Shorthand {
    fn default() -> Shorthand {
        Shorthand { eta: 0.3, dims: (6, 4) }
    }
}

impl Check for Shorthand {
    const CLAIM: &'static str = "gradient-memory/eq-reformulation-yu";
    const PLAN: Plan = Plan::new(
        "largest entry of step minus minimiser, absolute",
        "a minimiser that is not the step, with y as the note defines it",
        &[SOLVER, ANOTHER],
    )
    .departures(&["the loss is the squared error, for which u that moves has a closed form"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let ((d_k, d_v), eta) = (self.dims, self.eta);
        let mut draws = setting.stream("second line")?;
        let w = normal_array2(&mut draws, d_v, d_k);
        let (x, v) = (normal_array2(&mut draws, 1, d_k), normal_array2(&mut draws, 1, d_v));
        let mut rule = GradientStep::new(d_v, d_k, eta, Loss::Squared)?;
        rule.restart(&w)?;
        let u = Loss::Squared.output_gradient(&w, &x, &v)?;
        rule.step(&x, &v)?;
        let step = rule.weights();
        let near = InnerObjective::new("W").anchor(1.0 / eta, w.clone());
        let moving_y = near.clone().linear(u.t().dot(&x)).minimise()?;
        let frozen_y = near.clone().minimise()?;
        let moving_both = near.clone().fit(2.0, x.clone(), &v / 2.0).minimise()?;
        let at_the_value = near.fit(2.0, x.clone(), v.clone()).minimise()?;
        // W_t + 2 eta / (1 + 2 eta |x|^2) (v/2 - W_t x) x^T.
        let rate = 2.0 * eta / (1.0 + 2.0 * eta * (&x * &x).sum());
        let by_hand = &w + &(rate * (&v / 2.0 - x.dot(&w.t())).t().dot(&x));
        let evidence = Evidence::of(Finding::identity(
            "step against the argmin with y at W_t x, as the note defines it",
            apart(&frozen_y, step),
            SOLVER,
        ))
        .misprint(
            "y is W x, a function of the variable, and u stays at W_t",
            vec![
                Finding::identity("step against that argmin", apart(&moving_y, step), SOLVER),
                Finding::identity("y at W_t x: the argmin is W_t", apart(&frozen_y, &w), SOLVER),
                Finding::at_least(
                    "u moving too: distance of the argmin from the step",
                    ANOTHER,
                    Estimate::exact(apart(&moving_both, step)),
                ),
                Finding::identity(
                    "u moving too: argmin against its closed form",
                    apart(&moving_both, &by_hand),
                    SOLVER,
                ),
            ],
        )
        .twin(Finding::identity(
            "u moving too, aiming at the whole value: argmin against the closed form",
            apart(&at_the_value, &by_hand),
            SOLVER,
        ));
        Ok(evidence.into())
    }
}
