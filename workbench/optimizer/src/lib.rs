//! Learned optimizers that are associative memories of their past gradients, their rivals, and tasks to train them on.
//!
//! Document: Mnemosyne, appendix, part B.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`Optimizer`], [`Layout`], [`Saved`] | what all optimizers have in common: one step, the layout they are made for, their state as bytes |
//! | [`classical`] | gradient descent, momentum, Nesterov, RMSprop, Adam, AdamW as PyTorch defines them |
//! | [`Groups`], [`Rule`] | several rules on one vector of parameters, by name; frozen tensors |
//! | [`task`] | what is optimised: layout of the parameters, loss, gradient, Hessian-vector products |

#![warn(missing_docs)]

pub mod task;

// Optimizers.
pub mod classical;
mod groups;
mod layout;
mod optimizer;
mod saved;

pub use groups::{Groups, Rule};
pub use layout::Layout;
pub use optimizer::Optimizer;
pub use saved::Saved;
pub use task::{Split, Task, Tensor};
pub use workbench_ground::Error;
