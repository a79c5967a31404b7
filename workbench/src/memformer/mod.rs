//! Linear transformers with memory registers that learn first-order methods in context.
//!
//! Source: "Toward generalizable learning of all (linear) first-order methods via memory augmented Transformers", Dutta and Sra;
//! "the document" below. Its training protocol and data follow "Transformers learn to implement preconditioned gradient descent for
//! in-context learning", Ahn, Cheng, Daneshmand and Sra.
//!
//! A prompt holds n examples of a linear function and a query. A layer of linear attention takes one preconditioned gradient step on
//! the examples; registers let later layers use the steps of earlier ones.
//!
//! | in the document | here | shape | meaning |
//! | --- | --- | --- | --- |
//! | `n`, `d`, `B`, `L` | `examples`, `dim`, `batch`, `depth` | | examples per prompt, dimension, prompts, layers |
//! | `Sigma`, `D_X`, `D_W` | [`TaskLaw`] | `(d, d)` | law of covariates and targets |
//! | `Z_0` | [`Prompts::tokens`] | `(d + 1, n + 1)` | the prompt; tokens are columns |
//! | `X X^T / n` | [`Statistics`] `gram` | `(B, d, d)` | Hessian of the in-context loss (2.11) |
//! | `P`, `Q`; `A`, `B` | [`Head`] | `(d + 1, d + 1)`; `(d, d)` | matrices of a head, free or as in (2.8) |
//! | `Attn` | [`attention`] | `(d + 1, n + 1)` | masked linear attention (2.4) |
//! | `R`, `alpha`, `gamma`, `Gamma` | [`Memory`] | | registers of (3.2) and (3.4) |
//! | `TF_L` | [`LinearTransformer::predict`] | | the prediction (2.6) |
//!
//! | folder | idea |
//! | --- | --- |
//! | `prompts` | laws of the tasks, batches of prompts, statistics that decide a model's output |
//! | `model` | the architecture, defined once in plain arrays, and the parameters of its restricted form |
//! | `engine` | losses and gradients of the restricted form, vectorised across prompts |
//! | `training` | Adam on fresh prompts, in phases, with checkpoints |

mod engine;
mod error;
mod model;
mod prompts;
mod training;

pub use engine::batch::{Batch, Instructions, Precision};
pub use error::Error;
pub use model::attention::{Head, attention, softmax_attention, unmasked_attention};
pub use model::parameters::{Architecture, Parameters, Part, Registers, Weight};
pub use model::transformer::{LinearTransformer, Memory};
pub use prompts::batch::Prompts;
pub use prompts::law::{TaskLaw, random_orthogonal};
pub use prompts::statistics::Statistics;
pub use training::protocol::{Clip, Phase, Protocol};
pub use training::trainer::{End, Fresh, Trainer};
