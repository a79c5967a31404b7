//! The sweeps, a file for each: what outgrows one machine, as plain functions over the papers' rooms.
//!
//! | sweep | what it computes |
//! | --- | --- |
//! | [`ErrorCurves`] | Figures 8 and 9 of the heavy-tailed document: errors over dimension and data |
//! | [`StoredMemories`] | Figure 10: what memories store |
//! | [`TrainedMemories`] | Figure 11: what is trained, along the dimension |
//! | [`LearnedPlanes`] | Figure 12: learned embeddings in the plane |
//! | [`Memformers`] | ensembles of memformers over depth, batch and seed |
//! | [`MetaTraining`] | learned optimizers, trained from many meta-seeds |
//! | [`LongTrainings`] | the experiment of B.1 at its own size, each training kept and gone on with |
//! | [`Rehearsal`] | the largest of n normals: to try a scheduler with |
//!
//! At quick scale the figures have the document's own sizes, at paper scale ten times those; Figures 8 to 10 and 12 have both there, so
//! that their checks can take them.

mod error_curves;
mod learned_planes;
mod long_trainings;
mod memformers;
mod meta_training;
mod rehearsal;
mod stored_memories;
mod trained_memories;

pub use error_curves::ErrorCurves;
pub use learned_planes::LearnedPlanes;
pub use long_trainings::LongTrainings;
pub use memformers::Memformers;
pub use meta_training::MetaTraining;
pub use rehearsal::Rehearsal;
pub use stored_memories::StoredMemories;
pub use trained_memories::TrainedMemories;

use crate::error::{Error, Result};
use crate::sweep::AnySweep;

/// Classes M of the figures.
const CLASSES: usize = 5;

/// All of them.
pub fn all() -> Vec<AnySweep> {
    vec![
        AnySweep::of::<ErrorCurves>(),
        AnySweep::of::<StoredMemories>(),
        AnySweep::of::<TrainedMemories>(),
        AnySweep::of::<LearnedPlanes>(),
        AnySweep::of::<Memformers>(),
        AnySweep::of::<MetaTraining>(),
        AnySweep::of::<LongTrainings>(),
        AnySweep::of::<Rehearsal>(),
    ]
}

/// The sweep of a name.
///
/// # Errors
/// [`Error::Unknown`].
pub fn named(name: &str) -> Result<AnySweep> {
    let found = all().into_iter().find(|sweep| sweep.name == name);
    found.ok_or_else(|| Error::Unknown {
        name: name.to_string(),
        known: all().iter().map(|sweep| sweep.name).collect::<Vec<_>>().join(", "),
    })
}
