//! Gradients divided by the root of their running mean square: the inputs of RNNprop.
//!
//! $$ m_t=\beta_1m_{t-1}+(1-\beta_1)g_t,\quad v_t=\beta_2v_{t-1}+(1-\beta_2)g_t^2,\quad
//! x_t=\left(\frac{\hat m_t}{\sqrt{\hat v_t}+\epsilon},\ \frac{g_t}{\sqrt{\hat v_t}+\epsilon}\right) $$
//!
//! with $\hat m_t=m_t/(1-\beta_1^t)$ and $\hat v_t=v_t/(1-\beta_2^t)$.

use crate::number::CellNumber;

/// Roots below this count as zero: their parameter has had no gradient yet.
const NONE: f64 = 1e-20;

/// Decays and epsilon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scaled {
    pub beta1: f64,
    pub beta2: f64,
    pub epsilon: f64,
}

impl Scaled {
    /// $1/(1-\beta_1^t)$ and $1/(1-\beta_2^t)$ for the step after `time` others.
    fn corrections<N: CellNumber>(&self, time: u64) -> (N, N) {
        let t = (time + 1) as f64;
        let correction = |beta: f64| N::of(1.0 / (1.0 - beta.powf(t)));
        (correction(self.beta1), correction(self.beta2))
    }

    /// `state` holds $m$ and $v$; `kept` takes $m$, $v$ and then the two inputs.
    #[inline(always)]
    pub fn forward<N: CellNumber>(&self, time: u64, g: N, state: &mut [N], kept: &mut [N]) {
        let (for_m, for_v) = self.corrections::<N>(time);
        state[0] = (state[0] * N::of(self.beta1)).plus(g, N::of(1.0 - self.beta1));
        state[1] = (state[1] * N::of(self.beta2)).plus(g * g, N::of(1.0 - self.beta2));
        kept[..2].copy_from_slice(&state[..2]);
        let below = (state[1] * for_v).sqrt() + N::of(self.epsilon);
        kept[2] = state[0] * for_m / below;
        kept[3] = g / below;
    }

    /// $\partial L/\partial g$; `carry` holds $\partial L/\partial m$ and $\partial L/\partial v$ from the step after.
    #[inline(always)]
    pub fn adjoint<N: CellNumber>(&self, time: u64, g: N, kept: &[N], d_inputs: &[N], carry: &mut [N]) -> N {
        let (for_m, for_v) = self.corrections::<N>(time);
        let root = (kept[1] * for_v).sqrt();
        let below = root + N::of(self.epsilon);
        let d_below = -(d_inputs[0] * kept[2] + d_inputs[1] * kept[3]) / below;
        let d_root = root.at_least(N::of(NONE), d_below / (root + root), N::zero());
        let d_m = carry[0] + d_inputs[0] * for_m / below;
        let d_v = carry[1] + d_root * for_v;
        carry[0] = d_m * N::of(self.beta1);
        carry[1] = d_v * N::of(self.beta2);
        let through_v = d_v * g * N::of(2.0 * (1.0 - self.beta2));
        d_inputs[1] / below + d_m * N::of(1.0 - self.beta1) + through_v
    }
}
