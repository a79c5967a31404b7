//! Learned optimizers that are associative memories of their past gradients, their rivals, and tasks to train them on.
//!
//! Document: Mnemosyne, appendix, part B.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`Optimizer`], [`Layout`], [`Saved`] | what all optimizers have in common: one step, the layout they are made for, their state as bytes |
//! | [`classical`] | gradient descent, momentum, Nesterov, RMSprop, Adam, AdamW as PyTorch defines them |
//! | [`Groups`], [`Rule`] | several rules on one vector of parameters, by name; frozen tensors |
//! | [`cell`] | the learned rules: temporal encoders around a memory, their controls, exact counts |
//! | [`super_groups`], [`Large`] | large tensors coordinate by coordinate, the others tensor-wise |
//! | [`counts`] | ViT, BERT and T5 by the shapes of their tensors: exact counts of parameters |
//! | [`Learned`] | a cell with weights as an optimizer: by its definition, and fused over registers |
//! | [`meta`] | training of the weights: windows with their adjoints, evolution, random scaling, checkpoints |
//! | [`bank`] | trained optimizers, kept as data, and the recipes that trained them |
//! | [`curves`] | curves of meta-training for many forms of the cell, made and kept |
//! | [`rivals`] | the LSTM optimizer and RNNprop, at their own sizes or at equal parameters |
//! | [`Preprocess`] | what a cell sees of a gradient, each reading named |
//! | [`number`] | the numbers that cells are defined over: real, complex, registers |
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

// Optimizers.
pub mod bank;
pub mod cell;
pub mod classical;
pub mod counts;
pub mod curves;
mod groups;
mod hybrid;
mod kernel;
mod layout;
mod learned;
pub mod meta;
pub mod number;
mod optimizer;
mod patterns;
mod preprocess;
pub mod rivals;
mod saved;

pub use groups::{Groups, Rule};
pub use hybrid::{Large, super_groups};
pub use kernel::{Precision, Runner};
pub use layout::Layout;
pub use learned::{Learned, save_weights, weights_of};
pub use optimizer::Optimizer;
pub use preprocess::Preprocess;
pub use saved::Saved;
pub use task::{Split, Task, Tensor};
pub use workbench_ground::Error;
