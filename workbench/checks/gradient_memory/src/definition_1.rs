//! Definition 1: an associative memory is the best map for an objective.
//!
//! **Claim** (`gradient-memory/def-1`). For keys K, values V and an objective L~, the memory is M* = argmin L~(M(K), V).
//!
//! A definition can fail in two ways that can be measured: the minimum may not be where a formula says, and the objective may not
//! matter. For M = W linear and the squared error the minimum is the pseudo-inverse memory.

use workbench_gradient_memory::{Loss, descend, pseudo_inverse_memory};
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Check, Done, Margin, Sheet};

use crate::vocabulary::{ROUNDING, apart, largest};

const DESCENT: Margin = Margin::statistical(
    "descent",
    1e-8,
    "descent stops at a gradient of 1e-11; over the least curvature of these keys that leaves some 1e-9",
);
const FLAT: Margin = Margin::statistical("flat", 1e-8, "what descent would leave at a minimum");

/// One formula for the best memory, two objectives.
pub const CHECK: Check = Check {
    claim: "gradient-memory/def-1",
    metric: "largest entry of a difference or a gradient, absolute; keys and values are standard normal",
    against: "a slope at the formula's memory, a change that lowers the objective, or one memory that is best for both objectives",
    choices: &["four sizes, with more pairs than dimensions and with fewer; the squared error and Huber's loss"],
    run,
    ..Check::DEFAULT
};

/// Pairs, dimension of keys, dimension of values: more pairs than dimensions, and fewer.
const SIZES: [(usize, usize, usize); 4] = [(40, 6, 3), (5, 8, 3), (1, 4, 2), (120, 12, 7)];

fn run(s: &Sheet) -> Done {
    let mut draws = s.stream("definition 1")?;
    let (squared, huber) = (Loss::Squared, Loss::Huber { delta: 0.5 });
    let changes = s.knob("random changes", 300, 1..)?;
    for (n, d_k, d_v) in s.each("sizes", SIZES) {
        let (keys, values) = (normal_array2(&mut draws, n, d_k), normal_array2(&mut draws, n, d_v));
        let best = pseudo_inverse_memory(&keys, &values)?;
        let slope = squared.gradient(&best, &keys, &values)?;
        s.printed(ROUNDING).same("gradient of the squared error at the pseudo-inverse memory", largest(&slope));
        let reached = descend(squared, &keys, &values, 0.0, 1e-11, 100_000)?.weights;
        s.printed(DESCENT).same("pseudo-inverse against descent from zero", apart(&reached, &best));

        let least = squared.total(&best, &keys, &values)?;
        for k in s.each("changes", 0..changes) {
            let other = &best + &(10f64.powi(k % 3 - 2) * normal_array2(&mut draws, d_v, d_k));
            let rise = squared.total(&other, &keys, &values)? - least;
            s.printed(Margin::ZERO).at_least("least rise of the objective under a random change", rise);
        }
        // With fewer pairs than dimensions both objectives reach zero.
        if n > d_k {
            let best_for_huber = descend(huber, &keys, &values, 0.0, 1e-10, 100_000)?.weights;
            let moved = apart(&best_for_huber, &best);
            s.printed(DESCENT).at_least("distance to the optimal memory of the Huber objective", moved);
            let slope = huber.gradient(&best, &keys, &values)?;
            s.twin(FLAT).same("one memory for both objectives: Huber gradient there", largest(&slope));
        }
    }
    Ok(())
}
