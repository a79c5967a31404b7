//! Training of models with free P and Q, by the same [`Trainer`] and [`TrainingProtocol`] as the restricted ones.

use super::architecture::FullArchitecture;
use super::batch::TokenBatch;
use super::parameters::FullParameters;
use crate::device::processor::Processor;
use rand::RngCore;
use std::ops::Range;
use std::path::Path;
use workbench_ground::Error;
use workbench_ground::stats::Stream;
use workbench_memformer::{Part, Precision, TaskLaw, Trainable, Trainer, TrainingProtocol};

impl Trainable for FullParameters {
    type Architecture = FullArchitecture;
    type Batch = TokenBatch;
    type Processor = Processor;
    const FORMAT: &'static str = "memformer training run, free P and Q";

    fn architecture(&self) -> FullArchitecture {
        FullParameters::architecture(self)
    }

    fn dim(&self) -> usize {
        FullParameters::architecture(self).dim()
    }

    fn values(&self) -> &[f64] {
        FullParameters::values(self)
    }

    fn values_mut(&mut self) -> &mut [f64] {
        FullParameters::values_mut(self)
    }

    fn from_values(architecture: FullArchitecture, values: Vec<f64>) -> Result<FullParameters, Error> {
        FullParameters::from_values(architecture, values)
    }

    fn trained(&self, part: Part) -> Vec<Range<usize>> {
        FullParameters::architecture(self).ranges(part)
    }

    fn groups(&self) -> Vec<Range<usize>> {
        FullParameters::architecture(self).groups()
    }

    fn draw(
        law: &TaskLaw,
        protocol: &TrainingProtocol,
        processor: &Processor,
        stream: &mut Stream,
    ) -> Result<TokenBatch, Error> {
        TokenBatch::draw(law, protocol.examples, protocol.batch, protocol.precision, *processor, stream)
    }

    fn redraw(
        batch: &mut TokenBatch,
        law: &TaskLaw,
        protocol: &TrainingProtocol,
        processor: &Processor,
        stream: &mut Stream,
    ) -> Result<(), Error> {
        *batch = Self::draw(law, protocol, processor, stream)?;
        Ok(())
    }

    fn draws_ahead(law: &TaskLaw, protocol: &TrainingProtocol) -> bool {
        /// Numbers of a batch from which a thread is worth its start.
        const LARGE: usize = 1 << 16;
        protocol.batch * (protocol.examples + 2) * law.dim() >= LARGE
    }

    fn sizes(batch: &TokenBatch) -> (usize, usize, Precision) {
        (batch.dim(), batch.prompts(), batch.precision())
    }

    fn pass(&self, batch: &TokenBatch) -> Result<(f64, Vec<f64>), Error> {
        batch.pass(self)
    }
}

impl FullParameters {
    /// A run from these values on a processor; of the protocol's phases, [`Part::UpperBlocks`] trains the entries of P that the
    /// architecture frees, [`Part::Preconditioners`] those of Q.
    ///
    /// The initial scale of the protocol plays no part. Parameters, moments and clipping stay in double precision on the machine's own
    /// cores; a GPU computes losses and gradients. Large batches are drawn by another thread while the one before is in use; a batch is
    /// the same on every processor, and so is a checkpoint.
    ///
    /// A device that is lost or full ends the run with an error; [`Trainer::keep`] has written a checkpoint before, with which
    /// [`FullParameters::load_trainer`] goes on.
    ///
    /// **Errors**: a protocol that cannot be run, a law of another dimension, weights for another number of examples, a processor that
    /// is not there.
    ///
    /// ```
    /// use workbench_tensors::{FullArchitecture, FullParameters, Processor};
    /// use workbench_memformer::{Part, Phase, TaskLaw, TrainingProtocol};
    /// use workbench_ground::stats::Streams;
    /// let mut stream = Streams::new(1).stream("run")?;
    /// let start = FullParameters::random(FullArchitecture::new(2, 3)?, 1e-3, &mut stream)?;
    /// let parts = [Part::UpperBlocks, Part::Preconditioners];
    /// let protocol = TrainingProtocol::document().with_batch(300).with_phases(vec![Phase::new(&parts, 200, 0.005)]);
    /// let mut trainer = start.trainer(TaskLaw::isotropic(3)?, protocol, Processor::Cpu, &mut stream)?;
    /// trainer.run()?;
    /// let fresh = trainer.fresh_losses();
    /// assert!(fresh[1].loss < 0.8 * fresh[0].loss);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn trainer(
        self,
        law: TaskLaw,
        protocol: TrainingProtocol,
        processor: Processor,
        stream: &mut Stream,
    ) -> Result<Trainer<FullParameters>, Error> {
        processor.open()?;
        let dim = law.dim();
        let examples = protocol.examples;
        let trainer = Trainer::from_parts(law, protocol, stream.next_u64(), self, processor)?;
        trainer.parameters().architecture().fits("FullParameters::trainer", dim, examples)?;
        Ok(trainer)
    }

    /// The run that [`Trainer::save`] wrote, going on on a processor, which may be another one.
    ///
    /// **Errors**: as [`Trainer::load`]; a processor that is not there.
    pub fn load_trainer(path: impl AsRef<Path>, processor: Processor) -> Result<Trainer<FullParameters>, Error> {
        processor.open()?;
        Trainer::read(path.as_ref(), processor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::{Entries, HadamardWeight, TokenRegisters};
    use workbench_ground::stats::Streams;
    use workbench_memformer::{Phase, RunStatus};

    const ALL: [Part; 2] = [Part::UpperBlocks, Part::Preconditioners];

    fn trainer(architecture: FullArchitecture, phases: Vec<Phase>) -> Trainer<FullParameters> {
        let mut stream = Streams::new(61).stream("run").unwrap();
        let start = FullParameters::random(architecture, 0.01, &mut stream).unwrap();
        let law = TaskLaw::isotropic(architecture.dim()).unwrap();
        let mut protocol = TrainingProtocol::document().with_batch(200).with_examples(9).with_phases(phases);
        protocol.resample_every = 20;
        start.trainer(law, protocol, Processor::Cpu, &mut stream).unwrap()
    }

    fn model() -> FullArchitecture {
        let weight = HadamardWeight::Full { examples: 9 };
        FullArchitecture::new(2, 3).unwrap().with_registers(TokenRegisters::Separate { weight, tied: false }).unwrap()
    }

    #[test]
    fn phases_and_held_entries_move_what_they_name() {
        let phases = vec![Phase::new(&ALL, 40, 0.02), Phase::new(&[Part::Registers], 30, 0.02)];
        let mut run = trainer(model().with_entries(Entries::Held, Entries::Block), phases);
        let start = run.parameters().clone();
        run.run_for(40).unwrap();
        let middle = run.parameters().clone();
        assert_eq!(middle.registers(), start.registers());
        for l in 0..2 {
            let (before, after) = (start.head(l, 0).unwrap(), middle.head(l, 0).unwrap());
            assert_eq!(before.p(), after.p());
            for ((i, j), q) in after.q().indexed_iter() {
                assert_eq!(*q != before.q()[[i, j]], i < 3 && j < 3, "{i} {j}");
            }
        }
        assert_eq!(run.run().unwrap(), RunStatus::Done);
        let end = run.parameters();
        assert_eq!(end.head(1, 0).unwrap(), middle.head(1, 0).unwrap());
        assert_ne!(end.registers(), middle.registers());
    }

    #[test]
    fn free_matrices_learn_and_the_run_goes_on_from_a_checkpoint() {
        let phases = || vec![Phase::new(&ALL, 300, 0.004)];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        let mut whole = trainer(model().with_heads(2).unwrap(), phases());
        whole.run().unwrap();
        let fresh = whole.fresh_losses();
        assert!(fresh[14].loss < 0.5 * fresh[0].loss, "{fresh:?}");
        let mut first = trainer(model().with_heads(2).unwrap(), phases());
        first.keep(&path, 1000);
        let end = workbench_ground::rehearsal::stop_after(60, || first.run()).unwrap();
        assert_eq!(end, RunStatus::Stopped);
        let mut second = FullParameters::load_trainer(&path, Processor::Cpu).unwrap();
        assert_eq!(second.steps_taken(), first.steps_taken());
        assert!(second.steps_taken() < 60);
        second.run().unwrap();
        assert_eq!(second.parameters(), whole.parameters());
        assert_eq!(second.fresh_losses(), whole.fresh_losses());
        let error = Trainer::load(&path).unwrap_err().to_string();
        assert!(error.contains("free P and Q"), "{error}");
    }

    #[test]
    fn large_batches_drawn_ahead_are_the_same() {
        let (architecture, law) = (FullArchitecture::new(2, 3).unwrap(), TaskLaw::isotropic(3).unwrap());
        let mut protocol = TrainingProtocol::document().with_batch(1500).with_phases(vec![Phase::new(&ALL, 9, 0.01)]);
        protocol.resample_every = 3;
        assert!(FullParameters::draws_ahead(&law, &protocol));
        for processor in [Processor::Cpu, Processor::Rehearsal] {
            let mut stream = Streams::new(62).stream("run").unwrap();
            let start = FullParameters::random(architecture, 0.01, &mut stream).unwrap();
            let seed = stream.clone().next_u64();
            let mut run = start.trainer(law.clone(), protocol.clone(), processor, &mut stream).unwrap();
            let streams = Streams::new(seed);
            for number in 0..3 {
                let model = run.parameters().clone();
                run.run_for(3).unwrap();
                let loss = |processor: Processor| {
                    let mut stream = streams.restart_replicate("batch", number).unwrap();
                    let batch = TokenBatch::draw(&law, 20, 1500, Precision::Single, processor, &mut stream).unwrap();
                    batch.loss(&model).unwrap()
                };
                let seen = run.fresh_losses()[number].loss;
                assert_eq!(seen, loss(processor));
                assert!((seen / loss(Processor::Cpu) - 1.0).abs() < 1e-5, "the same prompts on each");
            }
        }
    }

    #[test]
    fn divergence_and_misfits_are_named() {
        let mut run = trainer(model(), vec![Phase::new(&ALL, 500, 50.0)]);
        let error = run.run().unwrap_err();
        assert!(matches!(error, Error::Diverged { rate: Some(50.0), .. }), "{error}");
        assert!(run.parameters().values().iter().all(|v| v.is_finite()));
        let mut stream = Streams::new(1).stream("run").unwrap();
        let start = FullParameters::neutral(model());
        let law = TaskLaw::isotropic(3).unwrap();
        let protocol = TrainingProtocol::document();
        let error = start.clone().trainer(law.clone(), protocol.clone(), Processor::Cpu, &mut stream);
        let error = error.unwrap_err().to_string();
        assert!(error.contains("(4, 10) does not match the shape needed = (4, 21)"), "{error}");
        let protocol = protocol.with_examples(9);
        assert!(start.trainer(law, protocol, Processor::Cuda(999), &mut stream).is_err());
    }
}
