//! Appendix A.2: the terms of Eq. 18, and how equal equal is.

use ndarray::{Array1, ArrayView1};
use workbench_features::compact::{Patterns, Signs};
use workbench_ledger::{Failure, Margin};

/// What logarithms may differ by; a small difference of logarithms is a relative difference.
pub const LOGS: Margin = Margin::rounding(
    "logarithms",
    1e-10,
    "logarithms of some hundred, summed in double precision and integrated adaptively, keep twelve digits; two to spare",
);

/// What two roads to a variance may differ by, relative.
pub const VARIANCE: Margin = Margin::rounding(
    "variance",
    1e-10,
    "the grid reaches about 1e-12, and the six terms cancel to a hundredth or so of the largest",
);

/// One factor of Eq. 18 and the constants in it: the same form gives $a_k^\mu$ at a pattern, $b_k$ at the input and $c_k$ at the
/// flipped input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor {
    /// $\widehat A$.
    pub a_hat: f64,
    /// B.
    pub b: f64,
    /// $\ln D$.
    pub log_d: f64,
    /// $C\lVert x\rVert^2=-\frac N2$.
    pub half: f64,
}

impl Factor {
    /// The constants as printed in A.1.1 and Eq. 18, for sign vectors of length `n`.
    pub fn printed(n: usize, a_hat: f64) -> Factor {
        let n = n as f64;
        Factor { a_hat, b: (1.0 + 4.0 * a_hat).sqrt(), log_d: 0.25 * n * (1.0 + 4.0 * a_hat).ln(), half: -0.5 * n }
    }

    /// $\ln\bigl(De^{-N/2}\exp(B\omega^\top x-\widehat A\lVert\omega\rVert^2)\bigr)$.
    pub fn log(&self, projection: ArrayView1<f64>, x: &Array1<f64>) -> f64 {
        self.log_d + self.half + self.b * projection.dot(x) - self.a_hat * projection.dot(&projection)
    }
}

/// The input at the edge of the ball of pattern 0: its first `flips` entries negated.
pub fn edge_input(code: &Patterns, flips: usize) -> Result<Signs, Failure> {
    Ok(code.pattern(0)?.flipped_at(&(0..flips).collect::<Vec<_>>())?)
}
