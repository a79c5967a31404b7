//! Training by gradient descent on fresh prompts.
//!
//! | file | idea |
//! | --- | --- |
//! | `protocol` | sizes, phases and learning rates of a run, with the document's values |
//! | `adam` | Adam and clipping |
//! | `trainable` | what a model has to offer to be trained |
//! | `divergence` | when a run has left the numbers |
//! | `prompts` | the batch that a run is on |
//! | `trainer` | the run itself: steps, fresh batches, stopping |
//! | `checkpoint` | a run on disk |
//! | `trainers` | several runs at a time |

pub(super) mod adam;
mod checkpoint;
pub(super) mod divergence;
mod prompts;
pub(super) mod protocol;
pub(super) mod trainable;
pub(super) mod trainer;
pub(super) mod trainers;
