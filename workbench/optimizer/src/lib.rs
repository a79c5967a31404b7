//! Learned optimizers that are associative memories of their past gradients, their rivals, and tasks to train them on.
//!
//! Document: Mnemosyne, appendix, part B.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`task`] | what is optimised: layout of the parameters, loss, gradient, Hessian-vector products |
//! | [`data`] | images, names and speeches, from `datasets/` or from the public files |
//! | [`score`] | how well an optimizer does: runs, both axes, tuned rates |
//! | [`tasks`] | models with these data: networks, small transformers, prompts, bowls |

#![warn(missing_docs)]

pub mod task;

// Tasks.
pub mod data;
pub mod score;
pub mod tasks;

pub use workbench_ground::Error;
