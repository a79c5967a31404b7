//! Measures along a descent.

/// The numbers that a study records at a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measures {
    /// Generalization error, Eq. 3.
    pub error: f64,
    /// Cross-entropy under the law, Eq. 9.
    pub loss: f64,
    /// Number of inputs recalled.
    pub recalled: f64,
    /// Frobenius norm of W.
    pub norm: f64,
    /// Frobenius norm of the last step.
    pub update_norm: f64,
    /// Norm of the population gradient; `NaN` for a [`Method::without_moments`](super::method::Method::without_moments).
    pub gradient_norm: f64,
    /// Variance of the gradient of one input drawn from the law.
    pub gradient_variance: f64,
}

/// Moments of the gradient $g_X$ of one input X drawn from the law; norms are Frobenius norms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradientMoments {
    /// $\mathbb E\lVert g_X\rVert^2$.
    pub mean_square: f64,
    /// $\lVert\mathbb E g_X\rVert^2$.
    pub square_of_mean: f64,
    /// $\mathbb E\lVert g_X-\mathbb E g_X\rVert^2$.
    pub variance: f64,
}

impl GradientMoments {
    pub(super) fn new(mean_square: f64, square_of_mean: f64) -> GradientMoments {
        GradientMoments {
            mean_square,
            square_of_mean: square_of_mean.max(0.0),
            // Rounding can turn a variance of zero into a negative number.
            variance: (mean_square - square_of_mean).max(0.0),
        }
    }
}

/// One of the recorded numbers, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Generalization error.
    Error,
    /// Cross-entropy.
    Loss,
    /// Number of inputs recalled.
    Recalled,
    /// Norm of W.
    Norm,
    /// Norm of the last step.
    UpdateNorm,
    /// Norm of the population gradient.
    GradientNorm,
    /// Variance of the gradient.
    GradientVariance,
}

impl Quantity {
    /// What it is called in a table.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Error => "error",
            Quantity::Loss => "loss",
            Quantity::Recalled => "inputs recalled",
            Quantity::Norm => "norm of W",
            Quantity::UpdateNorm => "norm of the update",
            Quantity::GradientNorm => "norm of the gradient",
            Quantity::GradientVariance => "variance of the gradient",
        }
    }
}

impl Measures {
    /// One of the numbers.
    pub fn get(&self, quantity: Quantity) -> f64 {
        match quantity {
            Quantity::Error => self.error,
            Quantity::Loss => self.loss,
            Quantity::Recalled => self.recalled,
            Quantity::Norm => self.norm,
            Quantity::UpdateNorm => self.update_norm,
            Quantity::GradientNorm => self.gradient_norm,
            Quantity::GradientVariance => self.gradient_variance,
        }
    }
}
