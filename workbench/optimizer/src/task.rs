//! Task: what is optimised.

use std::fmt::Debug;
use std::ops::Range;

use workbench_ground::stats::Stream;

use super::Error;

/// One tensor of the parameters: a name, its shape, and where its numbers stand among all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Its name, as `layers.0.weight`.
    pub name: String,
    /// Its shape; a vector has one number, a matrix two (rows, columns).
    pub shape: Vec<usize>,
    /// Where its numbers stand, row by row.
    pub range: Range<usize>,
}

/// Which data a batch is drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Split {
    /// What optimizers see.
    Training,
    /// What they are scored on.
    Validation,
}

/// A problem that a first-order optimizer can be run on: $\theta\in\mathbb R^p$ and a loss of it on a batch.
pub trait Task: Debug + Send + Sync {
    /// A batch.
    type Batch: Send + Sync;

    /// The tensors of the parameters, in order and without gaps.
    fn tensors(&self) -> &[Tensor];

    /// How many numbers they hold, $p$.
    fn len(&self) -> usize {
        self.tensors().last().map_or(0, |tensor| tensor.range.end)
    }

    /// Whether there is nothing to optimise.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Starting values.
    fn start(&self, stream: &mut Stream) -> Vec<f64>;

    /// A batch of this split.
    fn batch(&self, split: Split, stream: &mut Stream) -> Self::Batch;

    /// The loss, and its gradient into `gradient`.
    ///
    /// # Errors
    /// If `theta` or `gradient` has another length than the task.
    fn gradient(&self, theta: &[f64], batch: &Self::Batch, gradient: &mut [f64]) -> Result<f64, Error>;

    /// The loss alone. Unless a task has a cheaper way, this computes the gradient and forgets it.
    ///
    /// # Errors
    /// If `theta` has another length than the task.
    fn loss(&self, theta: &[f64], batch: &Self::Batch) -> Result<f64, Error> {
        self.gradient(theta, batch, &mut vec![0.0; self.len()])
    }

    /// The product of the loss's Hessian with `direction`, into `product`.
    ///
    /// # Errors
    /// If a length differs from the task's.
    fn hessian_product(
        &self,
        theta: &[f64],
        batch: &Self::Batch,
        direction: &[f64],
        product: &mut [f64],
    ) -> Result<(), Error>;
}
