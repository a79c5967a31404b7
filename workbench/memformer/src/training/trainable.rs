//! Trainable models.

use super::protocol::TrainingProtocol;
use crate::{Architecture, Batch, Error, Parameters, Part, Precision, TaskLaw};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use std::ops::Range;
use workbench_ground::stats::Stream;

/// A model that a [`crate::Trainer`] trains: its numbers, which of them belong to a part, and its loss on a batch.
pub trait Trainable: Clone + Debug + Sized + 'static {
    /// Which parameters there are.
    type Architecture: Debug + Serialize + DeserializeOwned;
    /// Prompts as the model reads them.
    type Batch: Debug + Send;
    /// Where batches are kept.
    type Processor: Clone + Debug + Send;
    /// The name of a checkpoint's format.
    const FORMAT: &'static str;

    /// The architecture.
    fn architecture(&self) -> Self::Architecture;
    /// Dimension d.
    fn dim(&self) -> usize;
    /// All numbers.
    fn values(&self) -> &[f64];
    /// All numbers.
    fn values_mut(&mut self) -> &mut [f64];
    /// A model with these numbers. **Errors**: another count, numbers that are not finite.
    fn from_values(architecture: Self::Architecture, values: Vec<f64>) -> Result<Self, Error>;
    /// Positions of the numbers of a part that are trained.
    fn trained(&self, part: Part) -> Vec<Range<usize>>;
    /// Positions of every matrix or weight that has a norm of its own.
    fn groups(&self) -> Vec<Range<usize>>;
    /// A fresh batch. **Errors**: sizes that do not fit, a stop request.
    fn draw(
        law: &TaskLaw,
        protocol: &TrainingProtocol,
        processor: &Self::Processor,
        stream: &mut Stream,
    ) -> Result<Self::Batch, Error>;
    /// Other prompts of the same number. **Errors**: as [`Trainable::draw`].
    fn redraw(
        batch: &mut Self::Batch,
        law: &TaskLaw,
        protocol: &TrainingProtocol,
        processor: &Self::Processor,
        stream: &mut Stream,
    ) -> Result<(), Error>;
    /// Whether the next batch is drawn on another thread while this one is in use: worth it where a batch takes long to draw and steps
    /// leave a core free, or wait for a device.
    fn draws_ahead(_law: &TaskLaw, _protocol: &TrainingProtocol) -> bool {
        false
    }
    /// Dimension, prompts and precision of a batch.
    fn sizes(batch: &Self::Batch) -> (usize, usize, Precision);
    /// The loss on a batch and the numbers of its gradient. **Errors**: a batch of other sizes, a stop request.
    fn pass(&self, batch: &Self::Batch) -> Result<(f64, Vec<f64>), Error>;
}

impl Trainable for Parameters {
    type Architecture = Architecture;
    type Batch = Batch;
    type Processor = ();
    const FORMAT: &'static str = "memformer training run";

    fn architecture(&self) -> Architecture {
        Parameters::architecture(self)
    }

    fn dim(&self) -> usize {
        Parameters::architecture(self).dim()
    }

    fn values(&self) -> &[f64] {
        Parameters::values(self)
    }

    fn values_mut(&mut self) -> &mut [f64] {
        Parameters::values_mut(self)
    }

    fn from_values(architecture: Architecture, values: Vec<f64>) -> Result<Parameters, Error> {
        Parameters::from_values(architecture, values)
    }

    fn trained(&self, part: Part) -> Vec<Range<usize>> {
        vec![Parameters::architecture(self).range(part)]
    }

    fn groups(&self) -> Vec<Range<usize>> {
        Parameters::architecture(self).groups()
    }

    fn draw(law: &TaskLaw, protocol: &TrainingProtocol, _: &(), stream: &mut Stream) -> Result<Batch, Error> {
        Batch::draw(law, protocol.examples, protocol.batch, protocol.precision, stream)
    }

    fn redraw(
        batch: &mut Batch,
        law: &TaskLaw,
        protocol: &TrainingProtocol,
        _: &(),
        stream: &mut Stream,
    ) -> Result<(), Error> {
        batch.redraw(law, protocol.examples, stream)
    }

    fn sizes(batch: &Batch) -> (usize, usize, Precision) {
        (batch.dim(), batch.prompts(), batch.precision())
    }

    fn pass(&self, batch: &Batch) -> Result<(f64, Vec<f64>), Error> {
        batch.pass(self)
    }
}
