//! Preprocessing of gradients for a cell.

use workbench_ground::check::above_zero;

use super::Error;
use super::number::CellNumber;

/// The unit roundoff that the public code adds to $|g|$ in single precision.
const CODE_EPSILON: f64 = 1.192_092_895_507_812_5e-7;

/// A map of one gradient to one or two inputs.
///
/// B.1 says "preprocessed as proposed in \[2\]", the LSTM optimizer of 2016; that paper and its public code differ.
///
/// | reading | inputs of $g$ |
/// | --- | --- |
/// | [`Preprocess::paper`] | $(\ln\lvert g\rvert/p,\ \operatorname{sgn}g)$ if $\lvert g\rvert\ge e^{-p}$, else $(-1,\ e^pg)$; $p=10$ |
/// | [`Preprocess::code`] | $(\max(-1,\ln(\lvert g\rvert+\epsilon)/p),\ \min(1,\max(-1,e^pg)))$; $p=5$, $\epsilon=2^{-23}$ |
/// | [`Preprocess::Raw`] | $g$ itself, for the ablation |
///
/// **Range** of the first input: at least -1; of the second: $[-1,1]$. Both maps are odd in the second input and even in the first.
///
/// ```
/// use workbench_optimizer::Preprocess;
/// let mut inputs = [0.0; 2];
/// Preprocess::paper().apply(-1.0f64, &mut inputs);
/// assert_eq!(inputs, [0.0, -1.0]);
/// Preprocess::paper().apply((-20f64).exp(), &mut inputs);
/// assert!(inputs[0] == -1.0 && (inputs[1] - (-10f64).exp()).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Preprocess {
    /// The gradient itself.
    Raw,
    /// As printed in the paper.
    Paper {
        /// $p$.
        p: f64,
    },
    /// As in the public code.
    Code {
        /// $p$, there called k.
        p: f64,
    },
}

impl Preprocess {
    /// The reading of the paper, with its $p=10$.
    pub fn paper() -> Preprocess {
        Preprocess::Paper { p: 10.0 }
    }

    /// The reading of the public code, with its $p=5$.
    pub fn code() -> Preprocess {
        Preprocess::Code { p: 5.0 }
    }

    /// Refuses a $p$ that is not positive.
    ///
    /// **Errors**: [`Error::Parameter`].
    pub fn check(self) -> Result<(), Error> {
        match self {
            Preprocess::Raw => Ok(()),
            Preprocess::Paper { p } | Preprocess::Code { p } => above_zero("Preprocess", "p", p).map(|_| ()),
        }
    }

    /// How many inputs there are.
    pub fn inputs(self) -> usize {
        match self {
            Preprocess::Raw => 1,
            Preprocess::Paper { .. } | Preprocess::Code { .. } => 2,
        }
    }

    /// The reading and its parameter as numbers, for saved states.
    pub(crate) fn numbers(self) -> [f64; 2] {
        match self {
            Preprocess::Raw => [0.0, 0.0],
            Preprocess::Paper { p } => [1.0, p],
            Preprocess::Code { p } => [2.0, p],
        }
    }

    /// The inputs of a gradient. **Shapes**: `inputs` holds [`Preprocess::inputs`] numbers; longer slices are filled in front.
    #[inline(always)]
    pub fn apply<N: CellNumber>(self, gradient: N, inputs: &mut [N]) {
        let (one, size) = (N::one(), gradient.magnitude());
        match self {
            Preprocess::Raw => inputs[0] = gradient,
            Preprocess::Paper { p } => {
                let bound = N::of((-p).exp());
                let sign = gradient.at_least(N::zero(), one, -one);
                inputs[0] = size.at_least(bound, size.ln() * N::of(1.0 / p), -one);
                inputs[1] = size.at_least(bound, sign, gradient * N::of(p.exp()));
            }
            Preprocess::Code { p } => {
                let log = (size + N::of(CODE_EPSILON)).ln() * N::of(1.0 / p);
                let steep = gradient * N::of(p.exp());
                inputs[0] = log.at_least(-one, log, -one);
                inputs[1] = steep.at_least(one, one, steep.at_least(-one, steep, -one));
            }
        }
    }

    /// $\partial L/\partial g$ from $\partial L/\partial$ inputs. At the switch point the derivative from above is taken.
    #[inline(always)]
    pub fn adjoint<N: CellNumber>(self, gradient: N, d_inputs: &[N]) -> N {
        let (zero, one, size) = (N::zero(), N::one(), gradient.magnitude());
        match self {
            Preprocess::Raw => d_inputs[0],
            Preprocess::Paper { p } => {
                let steep = d_inputs[1] * N::of(p.exp());
                size.at_least(N::of((-p).exp()), d_inputs[0] / (N::of(p) * gradient), steep)
            }
            Preprocess::Code { p } => {
                let sign = gradient.at_least(zero, one, -one);
                let shifted = size + N::of(CODE_EPSILON);
                let log = shifted.at_least(N::of((-p).exp()), sign * d_inputs[0] / (N::of(p) * shifted), zero);
                let steep = size.at_least(N::of((-p).exp()), zero, d_inputs[1] * N::of(p.exp()));
                log + steep
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Complex;

    const READINGS: [Preprocess; 3] = [Preprocess::Raw, Preprocess::Paper { p: 10.0 }, Preprocess::Code { p: 5.0 }];

    #[test]
    fn the_map_is_continuous_at_the_switch_and_odd() {
        let bound = (-10f64).exp();
        let (mut below, mut above) = ([0.0; 2], [0.0; 2]);
        Preprocess::paper().apply(bound * (1.0 - 1e-12), &mut below);
        Preprocess::paper().apply(bound * (1.0 + 1e-12), &mut above);
        assert!((below[0] - above[0]).abs() < 1e-11 && (below[1] - above[1]).abs() < 1e-11);
        for reading in READINGS {
            for exponent in -30..10 {
                let g = 1.7 * f64::from(exponent).exp();
                let (mut plus, mut minus) = ([0.0; 2], [0.0; 2]);
                reading.apply(g, &mut plus);
                reading.apply(-g, &mut minus);
                let odd = if reading == Preprocess::Raw { plus[0] == -minus[0] } else { plus[0] == minus[0] };
                assert!(odd && plus[1] == -minus[1] && plus[1].abs() <= 1.0 && reading.check().is_ok());
            }
        }
        assert!(Preprocess::Paper { p: 0.0 }.check().is_err());
    }

    #[test]
    fn adjoints_are_complex_steps() {
        for reading in READINGS {
            for g in [3.0, -0.2, 1e-3, -1e-4, 3e-6, -1e-9, 0.0] {
                let mut out = [Complex::default(); 2];
                reading.apply(Complex { re: g, im: 1e-20 }, &mut out);
                let slope = 0.3 * out[0].im / 1e-20 + if reading.inputs() > 1 { 0.7 * out[1].im / 1e-20 } else { 0.0 };
                let ours = reading.adjoint(g, &[0.3, 0.7]);
                assert!((ours - slope).abs() <= 1e-12 * (1.0 + slope.abs()), "{reading:?} {g}: {ours} {slope}");
            }
        }
    }
}
