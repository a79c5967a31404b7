//! Models whose P and Q are free matrices, with heads and Hadamard weights of registers, as tensors: trained on the machine's own cores
//! or, with the crate's feature `cuda`, on a GPU.
//!
//! The restricted form (2.8) sees a prompt through d x d statistics, which `engine` uses; free matrices mix covariates and responses,
//! so the tokens themselves have to pass through the layers. A layer of linear attention still costs no more than its moments:
//! $PZM(Z^\top QZ)=(PSQ)Z$ with $S=ZMZ^\top$, `(d + 1, d + 1)` numbers per prompt.
//!
//! | file | idea |
//! | --- | --- |
//! | `architecture`, `parameters` | which parameters there are, their values, the way to and from the definition in plain arrays |
//! | `definition`, `graph` | the same definition in candle's tensors, with candle's gradients, for any device |
//! | `fused` | the same numbers and gradients in one pass on the machine's own cores |
//! | `device` | and as a handful of products over all prompts, for a GPU |
//! | `batch` | prompts on a processor |
//! | `form` | how much of trained matrices is of the restricted form |
//! | `choice` | which processor is expected to be the faster one |
//! | `training` | these models in the trainer of the restricted ones |
//! | `trial` | models trained alike and watched on the same fresh prompts |
//! | `arrays` | arrays as tensors |

#![warn(missing_docs)]

mod architecture;
mod arrays;
#[cfg(test)]
mod autograd;
mod batch;
mod choice;
mod definition;
mod device;
#[cfg(test)]
mod device_tests;
#[cfg(test)]
mod engine_tests;
mod form;
mod fused;
mod graph;
mod parameters;
#[cfg(test)]
mod tests;
mod training;
mod trial;

pub use architecture::{AttentionKind, Entries, FullArchitecture, HadamardWeight, TokenRegisters};
pub use arrays::candle_tensor;
pub use batch::TokenBatch;
pub use choice::{Choice, Cost};
pub use device::multiplication::Multiplication;
pub use device::processor::Processor;
pub use form::LemmaForm;
pub use parameters::FullParameters;
pub use trial::{Trial, TrialCurve};
