//! The batch of prompts that a run is on, and the next one, which another thread may draw meanwhile.
//!
//! A batch is decided by the run's seed and its own number, so it is the same whoever draws it, and when.

use super::protocol::TrainingProtocol;
use super::trainable::Trainable;
use crate::{Error, TaskLaw};
use std::thread::{Builder, JoinHandle};
use workbench_ground::stats::Streams;

/// The prompts at hand, and which batch of the run they are.
#[derive(Debug)]
pub(super) struct Prompts<M: Trainable> {
    now: Option<(usize, M::Batch)>,
    ahead: Option<Ahead<M::Batch>>,
}

/// A batch that another thread draws, and its number.
type Ahead<B> = (usize, JoinHandle<Result<B, Error>>);

impl<M: Trainable> Prompts<M> {
    /// None yet.
    pub fn none() -> Prompts<M> {
        Prompts { now: None, ahead: None }
    }

    /// These as the first batch.
    pub fn given(batch: M::Batch) -> Prompts<M> {
        Prompts { now: Some((0, batch)), ahead: None }
    }

    /// Those at hand.
    pub fn now(&self) -> Option<&M::Batch> {
        self.now.as_ref().map(|(_, batch)| batch)
    }

    /// The batch of this number, drawn from the run's seed unless it is at hand. **Errors**: a stop request.
    pub fn of(
        &mut self,
        number: usize,
        seed: u64,
        law: &TaskLaw,
        protocol: &TrainingProtocol,
        processor: &M::Processor,
    ) -> Result<&M::Batch, Error> {
        if self.now.as_ref().is_none_or(|(held, _)| *held != number) {
            match self.drawn(number) {
                Some(batch) => self.now = Some((number, batch)),
                None => self.draw(number, seed, law, protocol, processor)?,
            }
            if M::draws_ahead(law, protocol) && protocol.last_batch() > number {
                self.ahead = ahead::<M>(number + 1, seed, law.clone(), protocol.clone(), processor.clone());
            }
        }
        self.now().ok_or_else(|| Error::zero("Trainer::run", "the batch size (B)"))
    }

    /// The batch of this number if another thread has drawn it. One that was stopped, or went wrong, is drawn again here, where its
    /// error is heard.
    fn drawn(&mut self, number: usize) -> Option<M::Batch> {
        let (_, thread) = self.ahead.take().filter(|(of, _)| *of == number)?;
        thread.join().ok()?.ok()
    }

    fn draw(
        &mut self,
        number: usize,
        seed: u64,
        law: &TaskLaw,
        protocol: &TrainingProtocol,
        processor: &M::Processor,
    ) -> Result<(), Error> {
        let mut stream = Streams::new(seed).restart_replicate("batch", number)?;
        match &mut self.now {
            Some((held, batch)) => {
                // Not this batch until it is whole: a stop in between must not leave half of it.
                *held = usize::MAX;
                M::redraw(batch, law, protocol, processor, &mut stream)?;
                *held = number;
            }
            None => self.now = Some((number, M::draw(law, protocol, processor, &mut stream)?)),
        }
        Ok(())
    }
}

/// A thread that draws a batch; `None` where the system has no more threads.
fn ahead<M: Trainable>(
    number: usize,
    seed: u64,
    law: TaskLaw,
    protocol: TrainingProtocol,
    processor: M::Processor,
) -> Option<Ahead<M::Batch>> {
    let draw = move || {
        let mut stream = Streams::new(seed).restart_replicate("batch", number)?;
        M::draw(&law, &protocol, &processor, &mut stream)
    };
    let thread = Builder::new().name("next batch".into()).spawn(draw).ok()?;
    Some((number, thread))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, Batch, Parameters, Part, Phase, RegisterKind, RegisterWeight, RunStatus, Trainer};
    use workbench_ground::stats::Stream;

    /// The same model with batches that another thread draws.
    #[derive(Clone, Debug, PartialEq)]
    struct Early(Parameters);

    impl Trainable for Early {
        type Architecture = Architecture;
        type Batch = Batch;
        type Processor = ();
        const FORMAT: &'static str = "drawn ahead";
        fn architecture(&self) -> Architecture {
            self.0.architecture()
        }
        fn dim(&self) -> usize {
            Trainable::dim(&self.0)
        }
        fn values(&self) -> &[f64] {
            self.0.values()
        }
        fn values_mut(&mut self) -> &mut [f64] {
            self.0.values_mut()
        }
        fn from_values(architecture: Architecture, values: Vec<f64>) -> Result<Early, Error> {
            Parameters::from_values(architecture, values).map(Early)
        }
        fn trained(&self, part: Part) -> Vec<std::ops::Range<usize>> {
            self.0.trained(part)
        }
        fn groups(&self) -> Vec<std::ops::Range<usize>> {
            self.0.groups()
        }
        fn draw(law: &TaskLaw, protocol: &TrainingProtocol, _: &(), stream: &mut Stream) -> Result<Batch, Error> {
            <Parameters as Trainable>::draw(law, protocol, &(), stream)
        }
        fn redraw(
            batch: &mut Batch,
            law: &TaskLaw,
            protocol: &TrainingProtocol,
            _: &(),
            stream: &mut Stream,
        ) -> Result<(), Error> {
            <Parameters as Trainable>::redraw(batch, law, protocol, &(), stream)
        }
        fn draws_ahead(_: &TaskLaw, _: &TrainingProtocol) -> bool {
            assert!(std::thread::current().name() != Some("next batch"), "threads do not draw ahead themselves");
            true
        }
        fn sizes(batch: &Batch) -> (usize, usize, crate::Precision) {
            Parameters::sizes(batch)
        }
        fn pass(&self, batch: &Batch) -> Result<(f64, Vec<f64>), Error> {
            batch.pass(&self.0)
        }
    }

    fn phases() -> Vec<Phase> {
        vec![
            Phase::new(&[Part::Preconditioners], 400, 0.03).halving_every(200),
            Phase::new(&[Part::Registers], 300, 0.01),
        ]
    }

    #[test]
    fn batches_drawn_ahead_are_the_same() {
        let weight = RegisterWeight::Scalar;
        let registers = RegisterKind::Separate { weight, tied: false };
        let model = Architecture::new(3, 3).unwrap().with_registers(registers);
        let small = || TrainingProtocol::document().with_batch(300).with_phases(phases());
        let law = TaskLaw::isotropic(3).unwrap();
        let start = || {
            let mut stream = Streams::new(31).stream("run").unwrap();
            Trainer::new(model, law.clone(), small(), &mut stream).unwrap()
        };
        let mut own = start();
        own.run().unwrap();
        let again = start();
        let seed = again.seed;
        let ahead = || Trainer::from_parts(law.clone(), small(), seed, Early(again.parameters.clone()), ()).unwrap();
        let mut run = ahead();
        for steps in [1, 150, 60, 10_000] {
            run.run_for(steps).unwrap();
        }
        assert_eq!(run.parameters().0, *own.parameters());
        assert_eq!(run.fresh_losses(), own.fresh_losses());
        // A stop on the way, and a run that ends before the batch drawn for it.
        let mut stopped = ahead();
        let end = workbench_ground::rehearsal::stop_after(150, || stopped.run()).unwrap();
        assert_eq!(end, RunStatus::Stopped);
        stopped.run().unwrap();
        assert_eq!(stopped.parameters().0, *own.parameters());
        ahead().run_for(1).unwrap();
    }
}
