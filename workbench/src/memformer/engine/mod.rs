//! The fused pass: loss and gradient of the restricted model over a batch, vectorised across prompts.
//!
//! | file | idea |
//! | --- | --- |
//! | `lanes` | registers of three kinds of processor behind one trait |
//! | `ops`, `small` | products of small matrices, for any d and for d known to the compiler |
//! | `vector`, `plain` | the pass for B = 0, with registers and without |
//! | `matrix` | the pass with B trained |
//! | `weights` | parameters as the passes read them |
//! | `batch` | prompts as the passes read them, and the choice of a pass |
//! | `draw` | batches drawn without their prompts |

#[cfg(test)]
mod autograd;
pub(super) mod batch;
mod draw;
mod lanes;
mod matrix;
mod ops;
mod plain;
mod small;
#[cfg(test)]
mod tests;
mod vector;
mod weights;
