//! The fused pass: loss and gradient of the restricted model over a batch, vectorised across prompts.
//!
//! | file | idea |
//! | --- | --- |
//! | `ops`, `small` | products of small matrices, for any d and for d known to the compiler |
//! | `vector`, `scalar`, `plain` | the pass for B = 0: any registers, a number for each pair of layers, none |
//! | `matrix` | the pass with B trained |
//! | `trace` | what every layer leaves of every prompt |
//! | `weights` | parameters as the passes read them |
//! | `batch` | prompts as the passes read them, and the choice of a pass |
//! | `draw` | batches drawn without their prompts |

pub(super) mod batch;
mod draw;
mod matrix;
mod ops;
mod plain;
mod scalar;
mod small;
mod trace;
mod vector;
mod weights;
