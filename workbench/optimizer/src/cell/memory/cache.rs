//! Exact attention over a cache of the last steps.
//!
//! $$ \operatorname{read}_t=\sum_{t-h<j\le t}p_{tj}v_j,\qquad p_{tj}\propto e^{q_t^\top k_j} $$
//!
//! Keys and values of step $j$ stand at place $j\bmod h$ of the state, keys first.

use super::{Asked, Asking, Past};
use crate::number::CellNumber;

fn place(time: u64, steps: usize) -> usize {
    (time % steps as u64) as usize
}

/// How many steps are attended to at `time`, the present one among them.
fn seen(time: u64, steps: usize) -> usize {
    usize::try_from(time).map_or(steps, |time| steps.min(time + 1))
}

#[inline(always)]
fn dot<N: CellNumber>(a: &[N], b: &[N]) -> N {
    let mut sum = N::zero();
    for (a, b) in a.iter().zip(b) {
        sum = sum.plus(*a, *b);
    }
    sum
}

/// `tape` takes $p_{tj}$ by age, the present step first.
#[inline(always)]
pub(super) fn forward<N: CellNumber>(
    steps: usize,
    time: u64,
    asked: Asked<'_, N>,
    state: &mut [N],
    tape: &mut [N],
    read: &mut [N],
) {
    let d = asked.value.len();
    let (keys, values) = state.split_at_mut(steps * d);
    let now = place(time, steps);
    keys[now * d..(now + 1) * d].copy_from_slice(asked.key);
    values[now * d..(now + 1) * d].copy_from_slice(asked.value);
    tape.fill(N::zero());
    let weights = &mut tape[..seen(time, steps)];
    let mut top = N::of(f64::MIN / 4.0);
    for (age, weight) in weights.iter_mut().enumerate() {
        let at = place(time - age as u64, steps);
        *weight = dot(asked.query, &keys[at * d..(at + 1) * d]);
        top = weight.at_least(top, *weight, top);
    }
    let mut total = N::zero();
    for weight in weights.iter_mut() {
        *weight = (*weight - top).exp();
        total = total + *weight;
    }
    read.fill(N::zero());
    for (age, weight) in weights.iter_mut().enumerate() {
        *weight = *weight / total;
        let at = place(time - age as u64, steps);
        for (read, v) in read.iter_mut().zip(&values[at * d..(at + 1) * d]) {
            *read = read.plus(*weight, *v);
        }
    }
}

/// Steps before the window stand in its state and count as given; for those within it, what is carried are derivatives of key and value.
#[inline(always)]
pub(super) fn adjoint<N: CellNumber>(steps: usize, past: Past<'_, N>, at: usize, asking: Asking<'_, N>) {
    let d = asking.read.len();
    let time = past.window.time + at as u64;
    let weights = past.at(at, past.memory, seen(time, steps));
    let query = past.at(at, past.query, d);
    let (keys, values) = past.window.state.split_at(steps * d);
    let stored = |age: usize| {
        let at = place(time - age as u64, steps);
        at * d..(at + 1) * d
    };
    // The mean over the weights of the derivatives of the weights is what the derivative of a softmax takes off.
    let mean = dot(asking.read, past.at(at, past.read, d));
    asking.query.fill(N::zero());
    for (age, weight) in weights.iter().enumerate() {
        let inside = age <= at;
        let (key, value) = if inside {
            (past.at(at - age, past.key, d), past.at(at - age, past.value, d))
        } else {
            (&keys[stored(age)], &values[stored(age)])
        };
        let d_logit = *weight * (dot(asking.read, value) - mean);
        for (out, k) in asking.query.iter_mut().zip(key) {
            *out = out.plus(d_logit, *k);
        }
        if inside {
            let (carry_k, carry_v) = asking.carry[2 * d * (at - age)..2 * d * (at - age + 1)].split_at_mut(d);
            for i in 0..d {
                carry_k[i] = carry_k[i].plus(d_logit, query[i]);
                carry_v[i] = carry_v[i].plus(*weight, asking.read[i]);
            }
        }
    }
    let (carry_k, carry_v) = asking.carry[2 * d * at..2 * d * (at + 1)].split_at(d);
    asking.key.copy_from_slice(carry_k);
    asking.value.copy_from_slice(carry_v);
}
