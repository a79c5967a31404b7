//! The batch of prompts that a run is on, and the next one, which another thread may draw meanwhile.
//!
//! A batch is decided by the run's seed and its own number, so it is the same whoever draws it, and when.

use super::protocol::Protocol;
use super::trainable::Trainable;
use crate::{Error, TaskLaw};
use std::thread::{Builder, JoinHandle};
use workbench_ground::stats::Streams;

/// The prompts at hand, and which batch of the run they are.
#[derive(Debug)]
pub(super) struct Prompts<M: Trainable> {
    now: Option<(u64, M::Batch)>,
    ahead: Option<(u64, JoinHandle<Result<M::Batch, Error>>)>,
}

impl<M: Trainable> Prompts<M> {
    /// None yet.
    pub fn none() -> Prompts<M> {
        Prompts { now: None, ahead: None }
    }

    /// These as the first batch.
    pub fn given(batch: M::Batch) -> Prompts<M> {
        Prompts {
            now: Some((0, batch)),
            ahead: None,
        }
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
            match self.drawn(number) {
                Some(batch) => self.now = Some((number, batch)),
                None => self.draw(number, seed, law, protocol, place)?,
            }
            if M::draws_ahead(law, protocol) && protocol.last_batch() > number {
                self.ahead = ahead::<M>(number + 1, seed, law.clone(), protocol.clone(), place.clone());
            }
        }
        self.now()
            .ok_or_else(|| Error::zero("Trainer::run", "the batch size (B)"))
    }

    /// The batch of this number if another thread has drawn it. One that was stopped, or went wrong, is drawn again here, where its
    /// error is heard.
    fn drawn(&mut self, number: u64) -> Option<M::Batch> {
        let (_, thread) = self.ahead.take().filter(|(of, _)| *of == number)?;
        thread.join().ok()?.ok()
    }

    fn draw(
        &mut self,
        number: u64,
        seed: u64,
        law: &TaskLaw,
        protocol: &Protocol,
        place: &M::Place,
    ) -> Result<(), Error> {
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
        Ok(())
    }
}

/// A thread that draws a batch; `None` where the system has no more threads.
fn ahead<M: Trainable>(
    number: u64,
    seed: u64,
    law: TaskLaw,
    protocol: Protocol,
    place: M::Place,
) -> Option<(u64, JoinHandle<Result<M::Batch, Error>>)> {
    let draw = move || {
        let mut stream = Streams::new(seed).restart_replicate("batch", number)?;
        M::draw(&law, &protocol, &place, &mut stream)
    };
    let thread = Builder::new().name("next batch".into()).spawn(draw).ok()?;
    Some((number, thread))
}
