//! Learned optimizers that are associative memories of their past gradients, their rivals, and tasks to train them on.
//!
//! Document: Mnemosyne, appendix, part B.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`task`] | what is optimised: layout of the parameters, loss, gradient, Hessian-vector products |
//! | [`data`] | images, names and speeches, from `datasets/` or from the public files |

#![warn(missing_docs)]

pub mod task;

// Tasks.
pub mod data;

pub use workbench_ground::Error;
