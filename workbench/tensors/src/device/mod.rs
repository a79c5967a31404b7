//! The whole model and its adjoint as a handful of products over all prompts: what a GPU computes, in the same operations on any device.
//!
//! | file | idea |
//! | --- | --- |
//! | `product` | the one operation: products of matrices that lie anywhere, added to what is there |
//! | `call` | how it reaches a device: by the library, or by a kernel of our own for small matrices |
//! | `tiled` | which large products are a kernel of our own, in tiles |
//! | `multiplication` | the setting that lets them be one |
//! | `kernels` | what stands between products, as kernels of our own |
//! | `soften` | the softmax and its way back, as such kernels |
//! | `launch` | how a kernel is run |
//! | `pass` | forward through all layers |
//! | `scores` | a layer of softmax attention, forward and back |
//! | `back` | back, and the sums of the gradient |
//! | `weights` | parameters as the pass multiplies by them, its sums as their gradient |
//! | `prompts` | shorter prompts with the same moments |
//! | `plan` | sizes, memory, launches, counted before the run |
//! | `batch` | a batch on a device, in chunks that fit |
//! | `processor` | where tensors live |
//! | `open` | one device per index and process |
//! | `faults` | what a device reports, in our words |

mod back;
pub(crate) mod batch;
#[cfg(any(test, feature = "cuda"))]
mod call;
pub(crate) mod faults;
mod kernels;
mod launch;
pub(crate) mod multiplication;
pub(crate) mod open;
mod pass;
pub(crate) mod plan;
pub(crate) mod processor;
mod product;
mod prompts;
mod scores;
mod soften;
#[cfg(any(test, feature = "cuda"))]
mod tiled;
mod weights;
