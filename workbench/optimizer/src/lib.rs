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
//!
//! # A problem of your own
//!
//! There are three doors. When a learned rule is worth it, and when Adam with a tuned rate is not to be beaten, stands with the numbers of
//! the record in `notebooks/learned-or-tuned.md`.
//!
//! **Numbers and a gradient**: any slice does, so any array of ndarray in standard order does. Least squares by the optimizer that
//! comes with the crate, with no rate to choose:
//!
//! ```
//! use ndarray::{Array1, Array2};
//! use workbench_ground::stats::Streams;
//! use workbench_optimizer::{Layout, Optimizer, bank};
//!
//! let mut noise = Streams::new(1).stream("least squares")?;
//! let x = Array2::from_shape_simple_fn((64, 3), || noise.normal());
//! let truth = ndarray::array![0.5, -0.3, 0.2];
//! let y = x.dot(&truth);
//! let loss = |w: &Array1<f64>| (x.dot(w) - &y).mapv(|e| e * e).mean();
//!
//! let mut rule = bank::trained("practical")?[0].optimizer(Layout::of(&[("w", &[3])])?)?;
//! let mut w = Array1::zeros(3);
//! let before = loss(&w);
//! for _ in 0..100 {
//!     let gradient = x.t().dot(&(x.dot(&w) - &y)) * (2.0 / 64.0);
//!     rule.step(w.as_slice_mut().ok_or("not in order")?, gradient.as_slice().ok_or("not in order")?)?;
//! }
//! assert!(loss(&w) < before.map(|loss| 0.1 * loss));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **A model in candle**: `workbench::variables::ModelOptimizer`, behind the feature `tensors`, steps its named variables.
//!
//! **An optimizer of your own**, trained on tasks of your own: implement [`Task`], give it to a [`meta::MetaTrainer`], and keep the weights.
//!
//! ```
//! use workbench_ground::stats::Stream;
//! use workbench_optimizer::cell::{Form, Mnemosyne};
//! use workbench_optimizer::meta::{MetaTrainer, Training};
//! use workbench_optimizer::{Error, Layout, Learned, Optimizer, Saved, Split, Task, Tensor, save_weights, weights_of};
//!
//! /// Half the squared distance to a point that is drawn anew for each batch.
//! #[derive(Debug)]
//! struct Nearest(Layout);
//!
//! impl Task for Nearest {
//!     type Batch = Vec<f64>;
//!     fn tensors(&self) -> &[Tensor] {
//!         self.0.tensors()
//!     }
//!     fn start(&self, stream: &mut Stream) -> Vec<f64> {
//!         vec![stream.normal(); self.len()]
//!     }
//!     fn batch(&self, _: Split, stream: &mut Stream) -> Vec<f64> {
//!         (0..self.len()).map(|_| 3.0 + 0.1 * stream.normal()).collect()
//!     }
//!     fn gradient(&self, theta: &[f64], point: &Vec<f64>, gradient: &mut [f64]) -> Result<f64, Error> {
//!         gradient.iter_mut().zip(theta.iter().zip(point)).for_each(|(g, (x, p))| *g = x - p);
//!         Ok(0.5 * gradient.iter().map(|g| g * g).sum::<f64>())
//!     }
//!     fn hessian_product(&self, _: &[f64], _: &Vec<f64>, along: &[f64], product: &mut [f64]) -> Result<(), Error> {
//!         product.copy_from_slice(along); // asked for by `Derivative::Exact` alone
//!         Ok(())
//!     }
//! }
//!
//! let task = Nearest(Layout::of(&[("x", &[4])])?);
//! let mut trainer = MetaTrainer::new(Mnemosyne::new(Form::light())?, vec![&task], Training { rate: 3e-3, ..Training::default() })?;
//! trainer.run(200)?;
//! let file = save_weights(trainer.cell(), trainer.weights(), trainer.steps()).to_bytes();
//!
//! let cell = Mnemosyne::new(Form::light())?;
//! let weights = weights_of(&cell, &Saved::from_bytes(&file)?)?;
//! let (mut rule, mut x) = (Learned::fused(cell, weights, task.0.clone())?, vec![0.0; 4]);
//! let (mut gradient, point) = (vec![0.0; 4], vec![3.0; 4]);
//! let before = task.loss(&x, &point)?;
//! for _ in 0..50 {
//!     task.gradient(&x, &point, &mut gradient)?;
//!     rule.step(&mut x, &gradient)?;
//! }
//! assert!(task.loss(&x, &point)? < before);
//! # Ok::<(), workbench_optimizer::Error>(())
//! ```
//!
#![doc = include_str!("../statements.md")]
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
mod layout;
mod learned;
pub mod meta;
pub mod number;
mod optimizer;
mod patterns;
mod preprocess;
#[cfg(test)]
mod properties;
pub mod rivals;
mod saved;

pub use cell::Runner;
pub use groups::{Groups, Rule};
pub use hybrid::{Large, super_groups};
pub use layout::Layout;
pub use learned::{Learned, save_weights, weights_of};
pub use optimizer::Optimizer;
pub use preprocess::Preprocess;
pub use saved::Saved;
pub use task::{Split, Task, Tensor};
pub use workbench_ground::Error;
pub use workbench_ground::lanes::Precision;
