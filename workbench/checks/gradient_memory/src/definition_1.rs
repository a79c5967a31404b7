//! Definition 1: an associative memory is the best map for an objective.
//!
//! **Claim** (`gradient-memory/def-1`). For keys K, values V and an objective L~, the memory is M* = argmin L~(M(K), V).
//!
//! A definition can fail in two ways that can be measured: the minimum may not be where a formula says, and the objective may not
//! matter. For M = W linear and the squared error the minimum is the pseudo-inverse memory.

use ndarray::Array2;
use workbench_gradient_memory::{Loss, descend, pseudo_inverse_memory};
use workbench_ground::stats::{Estimate, normal_array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use crate::vocabulary::{Largest, Least, ROUNDING, apart, largest};

const DESCENT: Margin = Margin::new(
    "descent",
    1e-8,
    "descent stops at a gradient of 1e-11; over the least curvature of these keys that leaves some 1e-9",
);
const ANOTHER: Margin =
    Margin::new("another memory", 0.01, "a hundredth of the entries' size, far above what rounding or descent leave");
const FLAT: Margin = Margin::new("flat", 1e-8, "what descent would leave at a minimum");

/// One formula for the best memory, two objectives.
#[derive(Clone, Debug)]
pub struct BestMap {
    /// Pairs, dimension of keys, dimension of values: more pairs than dimensions, and fewer.
    pub sizes: Vec<(usize, usize, usize)>,
    /// Random changes of each best memory, of three sizes.
    pub changes: i32,
    /// Where Huber's loss, the second objective, becomes linear.
    pub delta: f64,
}

impl Default for BestMap {
    fn default() -> BestMap {
        BestMap { sizes: vec![(40, 6, 3), (5, 8, 3), (1, 4, 2), (120, 12, 7)], changes: 300, delta: 0.5 }
    }
}

impl TypedCheck for BestMap {
    const CLAIM: &'static str = "gradient-memory/def-1";
    const PLAN: Plan = Plan::new(
        "largest entry of a difference or a gradient, absolute; keys and values are standard normal",
        "a slope at the formula's memory, a change that lowers the objective, or one memory that is best for both objectives",
        &[ROUNDING, DESCENT, ANOTHER, FLAT],
    )
    .departures(&["the document leaves dimensions and objective open; sizes, squared error and Huber's loss are ours"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut draws = setting.stream("definition 1")?;
        let huber = Loss::Huber { delta: self.delta };
        let (mut slope, mut gap, mut rise) = (Largest::default(), Largest::default(), Least::default());
        let (mut moved, mut huber_slope) = (Least::default(), Least::default());
        for &(n, d_k, d_v) in &self.sizes {
            let keys = normal_array2(&mut draws, n, d_k);
            let values = normal_array2(&mut draws, n, d_v);
            let best = pseudo_inverse_memory(&keys, &values)?;
            let at_best = Loss::Squared.total(&best, &keys, &values)?;
            let best_for =
                |loss, stop| Ok::<Array2<f64>, Failure>(descend(loss, &keys, &values, 0.0, stop, 100_000)?.weights);
            slope.see(largest(&Loss::Squared.gradient(&best, &keys, &values)?));
            gap.see(apart(&best_for(Loss::Squared, 1e-11)?, &best));
            for k in 0..self.changes {
                let other = &best + &(10f64.powi(k % 3 - 2) * normal_array2(&mut draws, d_v, d_k));
                rise.see(Loss::Squared.total(&other, &keys, &values)? - at_best);
            }
            // With fewer pairs than dimensions both objectives reach zero.
            if n > d_k {
                moved.see(apart(&best_for(huber, 1e-10)?, &best));
                huber_slope.see(largest(&huber.gradient(&best, &keys, &values)?));
            }
        }
        let sizes = self.sizes.len();
        let changes = sizes * self.changes.unsigned_abs() as usize;
        let evidence = Evidence::of(
            Finding::identity("gradient of the squared error at the pseudo-inverse memory", slope.0, ROUNDING)
                .cases(sizes),
        )
        .and(Finding::identity("pseudo-inverse against descent from zero", gap.0, DESCENT).cases(sizes))
        .and(
            Finding::at_least("least rise of the objective under a random change", 0.0, Estimate::exact(rise.0))
                .cases(changes),
        )
        .and(Finding::at_least(
            "distance to the optimal memory of the Huber objective",
            ANOTHER,
            Estimate::exact(moved.0),
        ))
        .twin(Finding::identity("one memory for both objectives: Huber gradient there", huber_slope.0, FLAT));
        Ok(evidence.into())
    }
}
