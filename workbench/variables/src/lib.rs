//! Learned and classical optimizers on the variables of a candle model.
//!
//! [`ModelOptimizer`] takes named variables and gives each an optimizer of `workbench_optimizer`. This is the room of those who have a
//! model in candle; for plain slices, arrays, and training an optimizer on tasks of one's own, see the front page of
//! `workbench_optimizer`.
//!
//! | file | idea |
//! | --- | --- |
//! | `model` | [`ModelOptimizer`]: steps, what they refuse, states |
//! | `each` | [`Each`]: the rule of a group of variables, chosen by name |
//! | `variable` | one variable as a slice, and back |
//!
//! A network of two layers, trained by the optimizer that comes with `workbench_optimizer`, with no rate to choose:
//!
//! ```
//! use candle_core::{DType, Device::Cpu, Tensor, Var};
//! use workbench_ground::stats::Streams;
//! use workbench_optimizer::bank;
//! use workbench_variables::ModelOptimizer;
//!
//! let mut noise = Streams::new(1).stream("network")?;
//! let mut draw = |rows: usize, columns: usize, size: f64| {
//!     let all: Vec<f32> = (0..rows * columns).map(|_| (size * noise.normal()) as f32).collect();
//!     Tensor::from_vec(all, (rows, columns), &Cpu)
//! };
//! let x = draw(128, 4, 1.0)?;
//! let y = x.narrow(1, 0, 2)?.sin()?.sum_keepdim(1)?;
//! let (up, bias) = (Var::from_tensor(&draw(4, 16, 0.5)?)?, Var::zeros((1, 16), DType::F32, &Cpu)?);
//! let down = Var::from_tensor(&draw(16, 1, 0.25)?)?;
//! let loss = || x.matmul(&up)?.broadcast_add(&bias)?.tanh()?.matmul(&down)?.sub(&y)?.sqr()?.mean_all();
//!
//! let kept = bank::trained("practical")?;
//! let named = [("up.weight", up.clone()), ("up.bias", bias.clone()), ("down.weight", down.clone())];
//! let mut rule = ModelOptimizer::all(named, |layout| kept[0].optimizer(layout))?;
//! let before = loss()?.to_scalar::<f32>()?;
//! for _ in 0..100 {
//!     rule.backward_step(&loss()?)?;
//! }
//! assert!(loss()?.to_scalar::<f32>()? < 0.5 * before);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod each;
mod model;
mod variable;

pub use each::Each;
pub use model::ModelOptimizer;
pub use workbench_ground::Error;
