//! The discounted mean of all values: what is left of the compact memory when every key looks alike.
//!
//! $$ \operatorname{read}_t=\frac{\sum_{j\le t}\lambda^{t-j}v_j}{\sum_{j\le t}\lambda^{t-j}} $$

use super::{Asking, Past};
use crate::number::CellNumber;

/// `tape` takes one over the sum of the weights.
#[inline(always)]
pub(super) fn forward<N: CellNumber>(discount: f64, value: &[N], state: &mut [N], tape: &mut [N], read: &mut [N]) {
    let (sums, weight) = state.split_at_mut(value.len());
    let discount = N::of(discount);
    weight[0] = N::one().plus(weight[0], discount);
    tape[0] = N::one() / weight[0];
    for ((sum, v), read) in sums.iter_mut().zip(value).zip(read) {
        *sum = v.plus(*sum, discount);
        *read = *sum * tape[0];
    }
}

#[inline(always)]
pub(super) fn adjoint<N: CellNumber>(discount: f64, past: Past<'_, N>, at: usize, asking: Asking<'_, N>) {
    let d = asking.read.len();
    let share = past.at(at, past.memory, 1)[0];
    for j in 0..=at {
        let weight = N::of(discount.powi((at - j) as i32)) * share;
        for (carry, read) in asking.carry[j * d..(j + 1) * d].iter_mut().zip(asking.read) {
            *carry = carry.plus(weight, *read);
        }
    }
    asking.value.copy_from_slice(&asking.carry[at * d..(at + 1) * d]);
}
