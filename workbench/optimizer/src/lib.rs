//! Learned optimizers that are associative memories of their past gradients, their rivals, and tasks to train them on.
//!
//! Document: Mnemosyne, appendix, part B.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`task`] | what is optimised: layout of the parameters, loss, gradient, Hessian-vector products |

#![warn(missing_docs)]

pub mod task;

pub use workbench_ground::Error;
