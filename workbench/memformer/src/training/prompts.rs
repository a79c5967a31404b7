//! The batch of prompts that a run is on.

use super::protocol::Protocol;
use super::trainable::Trainable;
use crate::{Error, TaskLaw};
use workbench_ground::stats::Streams;

/// The prompts at hand, and which batch of the run they are.
#[derive(Debug)]
pub(super) struct Prompts<M: Trainable> {
    now: Option<(u64, M::Batch)>,
}

impl<M: Trainable> Prompts<M> {
    /// None yet.
    pub fn none() -> Prompts<M> {
        Prompts { now: None }
    }

    /// These as the first batch.
    pub fn given(batch: M::Batch) -> Prompts<M> {
        Prompts { now: Some((0, batch)) }
    }

    /// Those at hand.
    pub fn now(&self) -> Option<&M::Batch> {
        self.now.as_ref().map(|(_, batch)| batch)
    }

    /// The batch of this number, drawn from the run's seed unless it is at hand. **Errors**: a stop request.
    pub fn of(
        &mut self,
        number: u64,
        seed: u64,
        law: &TaskLaw,
        protocol: &Protocol,
        place: &M::Place,
    ) -> Result<&M::Batch, Error> {
        if self.now.as_ref().is_none_or(|(held, _)| *held != number) {
            let mut stream = Streams::new(seed).restart_replicate("batch", number)?;
            match &mut self.now {
                Some((held, batch)) => {
                    // Not this batch until it is whole: a stop in between must not leave half of it.
                    *held = u64::MAX;
                    M::redraw(batch, law, protocol, place, &mut stream)?;
                    *held = number;
                }
                None => self.now = Some((number, M::draw(law, protocol, place, &mut stream)?)),
            }
        }
        self.now()
            .ok_or_else(|| Error::zero("Trainer::run", "the batch size (B)"))
    }
}
