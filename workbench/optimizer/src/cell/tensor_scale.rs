//! What a rule does with a tensor as a whole: gradients are shown to the cell in units of their tensor, and its answers become steps of a
//! set length.

use std::ops::Range;

use workbench_ground::check::{above_zero, not_negative};

use crate::{Error, Layout, Tensor};

/// Decay of the running mean square of a tensor's gradient.
const SQUARE: f64 = 0.99;
/// What is left of the largest mean square of a tensor's directions after a step.
const LARGEST: f64 = 0.99;

/// How long steps are. With $d$ the directions that a cell gives for a tensor of $n$ numbers and $f$ inputs,
///
/// $$ u_t=-\frac{\eta_t}{\sqrt{R_t}}\,d_t,\qquad R_t=\max\Bigl(\frac1n\lVert d_t\rVert^2,\ 0.99\,R_{t-1}\Bigr),\qquad
/// \eta_t=\eta_0e^{a_t}\Bigl(\frac f{64}\Bigr)^{-q} $$
///
/// so no update has a root mean square above $\eta_t$, and directions that fade are not blown up. The law knows of no end, so a run may
/// be of any length.
///
/// $a$ follows the agreement of the tensor's gradient with the step before it, $a_t=a_{t-1}+\kappa\,(c_t-c^*)$ with
/// $c_t=-\cos(g_t,u_{t-1})$: steps that went too far turn the gradient round. Where $c_t=0$ the step was the best along its line.
///
/// **Source**: not in the document. Celo2 (2026) norms each tensor's update to its root mean square; hypergradient descent (Baydin et al.
/// 2018) follows the agreement; $f^{-1}$ for Adam is the rule of the maximal update parametrisation (Yang et al. 2022). **State** three
/// numbers for each tensor, and with $\kappa>0$ one for each parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepLaw {
    /// $\eta_0>0$.
    pub rate: f64,
    /// $\kappa\ge0$.
    pub gain: f64,
    /// $c^*$.
    pub target: f64,
    /// $q\ge0$, for tensors of two and more axes; the first is that of the outputs.
    pub fan: f64,
}

impl Default for StepLaw {
    /// Steps of one length.
    fn default() -> StepLaw {
        StepLaw { rate: 0.01, gain: 0.0, target: 0.0, fan: 0.0 }
    }
}

impl StepLaw {
    /// **Errors**: a rate that is not positive, a negative gain or power of the inputs.
    pub fn check(&self) -> Result<(), Error> {
        const OP: &str = "StepLaw";
        above_zero(OP, "rate", self.rate)?;
        not_negative(OP, "gain", self.gain)?;
        not_negative(OP, "fan", self.fan)?;
        Ok(())
    }

    fn fan_of(&self, tensor: &Tensor) -> f64 {
        match &tensor.shape[..] {
            [_, inputs @ ..] if !inputs.is_empty() => {
                (inputs.iter().product::<usize>().max(1) as f64 / 64.0).powf(-self.fan)
            }
            _ => 1.0,
        }
    }

    pub(crate) fn numbers(&self) -> [f64; 4] {
        [self.rate, self.gain, self.target, self.fan]
    }
}

/// What became of one tensor's directions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Normed {
    /// $-\eta_t/\sqrt{R_t}$.
    factor: f64,
    /// $R_t$.
    largest: f64,
    /// Whether it is the mean square of these directions, and not what is left of an earlier one.
    attained: bool,
}

/// The tensors of a layout with what is remembered of each.
#[derive(Clone, Debug)]
pub(crate) struct TensorScale {
    law: StepLaw,
    tensors: Vec<Range<usize>>,
    /// Running mean squares of gradients.
    squares: Vec<f64>,
    /// $R$.
    largest: Vec<f64>,
    /// $a$.
    longer: Vec<f64>,
    fans: Vec<f64>,
    /// The last updates, if anything follows from them.
    last: Vec<f64>,
}

/// $a$ is held within this.
const LONGEST: f64 = 4.0;

impl TensorScale {
    pub fn new(law: StepLaw, layout: &Layout) -> TensorScale {
        let tensors: Vec<Range<usize>> = layout.tensors().iter().map(|tensor| tensor.range.clone()).collect();
        let zeros = vec![0.0; tensors.len()];
        TensorScale {
            law,
            squares: zeros.clone(),
            largest: zeros.clone(),
            longer: zeros,
            fans: layout.tensors().iter().map(|tensor| law.fan_of(tensor)).collect(),
            last: vec![0.0; if law.gain > 0.0 { layout.len() } else { 0 }],
            tensors,
        }
    }

    /// Takes in how a gradient agrees with the step before it.
    fn agree(&mut self, gradient: &[f64]) {
        for (range, longer) in self.tensors.iter().zip(&mut self.longer) {
            let (g, u) = (&gradient[range.clone()], &self.last[range.clone()]);
            let along: f64 = g.iter().zip(u).map(|(g, u)| g * u).sum();
            let lengths = g.iter().map(|g| g * g).sum::<f64>() * u.iter().map(|u| u * u).sum::<f64>();
            if lengths > 0.0 {
                let agreement = -along / lengths.sqrt();
                *longer = (*longer + self.law.gain * (agreement - self.law.target)).clamp(-LONGEST, LONGEST);
            }
        }
    }

    /// Gradients over the root of their tensor's running mean square; zero where there never was one.
    pub fn before(&mut self, time: u64, gradient: &[f64]) -> Vec<f64> {
        if self.law.gain > 0.0 {
            self.agree(gradient);
        }
        let mut shown = gradient.to_vec();
        let whole = 1.0 - SQUARE.powf(time as f64 + 1.0);
        for (range, square) in self.tensors.iter().zip(&mut self.squares) {
            let values = &mut shown[range.clone()];
            *square = SQUARE * *square + (1.0 - SQUARE) * mean_square(values);
            let scale = if *square > 0.0 { (whole / *square).sqrt() } else { 0.0 };
            values.iter_mut().for_each(|g| *g *= scale);
        }
        shown
    }

    /// Directions become updates.
    pub fn after(&mut self, directions: &mut [f64]) -> Vec<Normed> {
        let longer = self.longer.iter().zip(&self.fans);
        let one = |((range, largest), (longer, fan)): ((&Range<usize>, &mut f64), (&f64, &f64))| {
            let rate = self.law.rate * fan * longer.exp();
            let values = &mut directions[range.clone()];
            let (mean, before) = (mean_square(values), LARGEST * *largest);
            *largest = mean.max(before);
            let factor = if *largest > 0.0 { -rate / largest.sqrt() } else { 0.0 };
            let normed = Normed { factor, largest: *largest, attained: mean >= before };
            values.iter_mut().for_each(|d| *d *= normed.factor);
            normed
        };
        let normed = self.tensors.iter().zip(&mut self.largest).zip(longer).map(one).collect();
        if self.law.gain > 0.0 {
            self.last.copy_from_slice(directions);
        }
        normed
    }

    /// $\partial L/\partial u$ becomes $\partial L/\partial d$; to be called from the last step of a window to the first. `carry` holds
    /// $\partial L/\partial R_t$ of each tensor from the step after, and leaves with that of the step before.
    pub fn adjoint(&self, normed: &[Normed], directions: &[f64], carry: &mut [f64], d_update: &mut [f64]) {
        for ((range, normed), carry) in self.tensors.iter().zip(normed).zip(carry) {
            let (d, out) = (&directions[range.clone()], &mut d_update[range.clone()]);
            let along: f64 = d.iter().zip(out.iter()).map(|(d, u)| d * u).sum();
            out.iter_mut().for_each(|u| *u *= normed.factor);
            if normed.largest == 0.0 {
                continue;
            }
            let d_largest = *carry - 0.5 * normed.factor * along / normed.largest;
            if normed.attained {
                let pull = 2.0 * d_largest / d.len().max(1) as f64;
                out.iter_mut().zip(d).for_each(|(u, d)| *u += pull * d);
                *carry = 0.0;
            } else {
                *carry = LARGEST * d_largest;
            }
        }
    }

    /// How many tensors there are.
    pub fn count(&self) -> usize {
        self.tensors.len()
    }

    /// Numbers that are remembered.
    pub fn state_len(&self) -> usize {
        3 * self.tensors.len() + self.last.len()
    }

    pub fn state(&self) -> Vec<f64> {
        [&self.squares[..], &self.largest, &self.longer, &self.last].concat()
    }

    /// Takes a state of the right length.
    pub fn set_state(&mut self, state: &[f64]) {
        let (squares, rest) = state.split_at(self.tensors.len());
        let (largest, rest) = rest.split_at(self.tensors.len());
        let (longer, last) = rest.split_at(self.tensors.len());
        self.squares.copy_from_slice(squares);
        self.largest.copy_from_slice(largest);
        self.longer.copy_from_slice(longer);
        self.last.copy_from_slice(last);
    }
}

fn mean_square(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_step_is_longer_than_the_law_and_what_fades_stays_small() {
        let law = StepLaw { rate: 0.2, ..StepLaw::default() };
        let mut scale = TensorScale::new(law, &Layout::of(&[("x", &[4]), ("y", &[1])]).unwrap());
        for time in 0..100 {
            let mut directions = [3.0, -4.0, 0.0, 0.0, 0.0].map(|d| d * 0.5f64.powi(time));
            let normed = scale.after(&mut directions);
            let root = mean_square(&directions[..4]).sqrt();
            assert!(root <= law.rate * (1.0 + 1e-12) && directions[4] == 0.0 && directions[0] <= 0.0);
            assert_eq!(normed[0].attained, time == 0);
            assert!(time == 0 || root < law.rate * 0.51f64.powi(time));
        }
        assert!(StepLaw { rate: 0.0, ..law }.check().is_err() && StepLaw { fan: -1.0, ..law }.check().is_err());
    }

    #[test]
    fn gradients_come_in_units_of_their_tensor() {
        let layout = Layout::of(&[("x", &[2]), ("y", &[2])]).unwrap();
        let mut scale = TensorScale::new(StepLaw::default(), &layout);
        for time in 0..50 {
            let shown = scale.before(time, &[3e-9, -4e-9, 0.0, 0.0]);
            assert!((shown[0] - 3.0 / 12.5f64.sqrt()).abs() < 1e-12 && shown[2..] == [0.0; 2]);
        }
    }
}
