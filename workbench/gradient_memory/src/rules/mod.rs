//! Update rules, one in each file, and the conformance test that all of them pass.

mod adam;
#[cfg(test)]
mod conformance;
mod delta;
mod gradient_step;
mod heavy_ball;
mod hebbian;
mod implicit;
mod nlms;
mod preconditioned;
mod recursive;
mod weight_decay;

pub use adam::{Adam, AdamSettings};
pub use delta::DeltaRule;
pub use gradient_step::GradientStep;
pub use heavy_ball::HeavyBall;
pub use hebbian::Hebbian;
pub use implicit::ImplicitStep;
pub use nlms::Nlms;
pub use preconditioned::Preconditioned;
pub use recursive::RecursiveLeastSquares;
pub use weight_decay::WeightDecay;

/// The methods that are the same for every rule with a field `weights`.
macro_rules! shared {
    () => {
        fn weights(&self) -> &ndarray::Array2<f64> {
            &self.weights.w
        }

        fn boxed(&self) -> Box<dyn crate::UpdateRule> {
            Box::new(self.clone())
        }
    };
}
use shared;
