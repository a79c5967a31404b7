//! Prompts on a processor, and the model's loss on them.

use super::architecture::{AttentionKind, FullArchitecture};
use super::device::batch::OnDevice;
use super::fused::operation::MeanSquaredError;
use super::fused::pack::{Fused, pack};
use super::graph::Graph;
use super::parameters::FullParameters;
use crate::device::processor::{Processor, tensor};
use candle_core::Tensor;
use ndarray::{Array1, Array2, Axis};
use std::sync::Arc;
use workbench_ground::Error;
use workbench_ground::check::{finite, same_shape};
use workbench_ground::stats::Stream;
use workbench_ground::work;
use workbench_memformer::{Instructions, Precision, Prompts, TaskLaw};

/// A batch of prompts as tokens, on a processor.
///
/// Linear attention goes through a fused pass, one for the machine's own cores and one for devices; softmax attention through the one for
/// devices, or through candle's tensors and their gradients. All are the same function, and none of them needs more memory than there is:
/// what does not fit at once goes through in chunks, whose gradients add up to that of the batch.
///
/// ```
/// use workbench_tensors::{FullArchitecture, FullParameters, Processor, TokenBatch};
/// use workbench_memformer::{Precision, TaskLaw};
/// use workbench_ground::stats::Streams;
/// let streams = Streams::new(1);
/// let law = TaskLaw::isotropic(2)?;
/// let batch = TokenBatch::draw(&law, 10, 64, Precision::Single, Processor::Cpu, &mut streams.stream("p")?)?;
/// let model = FullParameters::random(FullArchitecture::new(2, 2)?, 0.1, &mut streams.stream("start")?)?;
/// let (loss, gradient) = batch.loss_and_gradient(&model)?;
/// let mut moved = model.clone();
/// for (value, slope) in moved.values_mut().iter_mut().zip(gradient.values()) {
///     *value -= 0.01 * slope;
/// }
/// assert!(batch.loss(&moved)? < loss);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TokenBatch {
    prompts: usize,
    dim: usize,
    examples: usize,
    precision: Precision,
    processor: Processor,
    fused: Arc<dyn Fused>,
    graph: Graph,
}

impl std::fmt::Debug for TokenBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenBatch")
            .field("prompts", &self.prompts)
            .field("examples", &self.examples)
            .field("dim", &self.dim)
            .field("precision", &self.precision)
            .field("processor", &self.processor)
            .finish()
    }
}

impl TokenBatch {
    /// These prompts.
    ///
    /// **Errors**: a processor that is not there, entries that are not finite in the chosen precision, a stop request.
    pub fn new(prompts: &Prompts, precision: Precision, processor: Processor) -> Result<TokenBatch, Error> {
        TokenBatch::with_instructions(prompts, precision, processor, Instructions::here())
    }

    /// As [`TokenBatch::new`], for chosen instructions of the machine's own cores, to compare them.
    ///
    /// **Errors**: as there; instructions that this machine does not have.
    pub fn with_instructions(
        prompts: &Prompts,
        precision: Precision,
        processor: Processor,
        instructions: Instructions,
    ) -> Result<TokenBatch, Error> {
        const OP: &str = "TokenBatch::new";
        if !instructions.available() {
            let what = "an instruction set that this processor lacks";
            return Err(Error::unavailable(OP, what, "use `Instructions::here()`"));
        }
        let fused: Arc<dyn Fused> = match processor {
            Processor::Cpu => pack(prompts, precision, instructions)?,
            Processor::Cuda(_) | Processor::Rehearsal => Arc::new(OnDevice::new(prompts, precision, processor)?),
        };
        Ok(TokenBatch {
            prompts: prompts.batch(),
            dim: prompts.dim(),
            examples: prompts.examples(),
            precision,
            processor,
            graph: Graph::new(prompts, fused.clone(), precision),
            fused,
        })
    }

    /// The same, planned as if the device had so many bytes free: to leave room for something else there.
    pub fn within(self, bytes: usize) -> TokenBatch {
        self.fused.limit(bytes);
        self
    }

    /// Fresh prompts of a law.
    ///
    /// **Errors**: as [`Prompts::draw`] and [`TokenBatch::new`].
    pub fn draw(
        law: &TaskLaw,
        n: usize,
        batch: usize,
        precision: Precision,
        processor: Processor,
        stream: &mut Stream,
    ) -> Result<TokenBatch, Error> {
        TokenBatch::new(&Prompts::draw(law, n, batch, stream)?, precision, processor)
    }

    /// Number of prompts B.
    pub fn prompts(&self) -> usize {
        self.prompts
    }

    /// Dimension d.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Examples per prompt, n.
    pub fn examples(&self) -> usize {
        self.examples
    }

    /// Precision of the numbers.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Where the batch lives.
    pub fn processor(&self) -> Processor {
        self.processor
    }

    /// Mean squared error of the model's predictions.
    ///
    /// **Source**: Eq. 2.7, with the sign explained at [`workbench_memformer::LinearTransformer::loss`]. **Errors**: a model for another
    /// dimension or number of examples, parameters that are not finite, a stop request.
    pub fn loss(&self, parameters: &FullParameters) -> Result<f64, Error> {
        self.fits(parameters)?;
        match self.fused(parameters) {
            Some(fused) => fused.loss(parameters, false).map(|(loss, _)| loss),
            None => self.by_definition(parameters, false).map(|(loss, _)| loss),
        }
    }

    /// The loss and its gradient, as parameters of the same architecture; entries that are held have zeros there.
    ///
    /// **Errors**: as [`TokenBatch::loss`]. Cost with linear attention: L (6 H d^3 + 5 n d^2) multiplications a prompt, or
    /// L (6 H + 5) d^3 without registers and with n > d, when the first pass over a batch costs n d^2 more.
    pub fn loss_and_gradient(&self, parameters: &FullParameters) -> Result<(f64, FullParameters), Error> {
        let (loss, values) = self.pass(parameters)?;
        let mut gradient = parameters.clone();
        gradient.values_mut().copy_from_slice(&values);
        Ok((loss, gradient))
    }

    /// The loss and the numbers of its gradient.
    pub(crate) fn pass(&self, parameters: &FullParameters) -> Result<(f64, Vec<f64>), Error> {
        self.fits(parameters)?;
        let (loss, mut gradient) = match self.fused(parameters) {
            Some(fused) => fused.loss(parameters, true)?,
            None => self.by_definition(parameters, true)?,
        };
        parameters.hold(&mut gradient);
        Ok((loss, gradient))
    }

    /// The loss as a tensor of the parameters' numbers, in the order of [`FullParameters::from_values`]: a node of candle's graph, for
    /// losses and optimizers of one's own. Its gradient holds no entry back.
    ///
    /// **Shapes**: `values` is `(count)`, of this batch's precision and on its processor; the result is a scalar.
    /// **Errors**: as [`TokenBatch::loss`]; values of another length, type or device.
    pub fn loss_tensor(&self, architecture: &FullArchitecture, values: &Tensor) -> Result<Tensor, Error> {
        const OP: &str = "TokenBatch::loss_tensor";
        architecture.fits(OP, self.dim, self.examples)?;
        same_shape(OP, "the values", values.dims(), &[architecture.count()])?;
        let loss = || match (architecture.attention(), self.processor) {
            (AttentionKind::Softmax, Processor::Cpu) => self.graph.loss_tensor(architecture, values),
            _ => values.contiguous()?.apply_op1(MeanSquaredError::new(self.fused.clone(), *architecture)),
        };
        loss().map_err(|source| match work::check(OP, 0, 1) {
            Err(stopped) => Error::Stopped(stopped),
            Ok(()) => tensor(OP)(source),
        })
    }

    /// Predictions of the whole model, `(B)`. **Errors**: as [`TokenBatch::loss`].
    pub fn predictions(&self, parameters: &FullParameters) -> Result<Array1<f64>, Error> {
        Ok(-&self.responses(parameters)?.row(parameters.architecture().depth()))
    }

    /// Squared errors after each layer for each prompt.
    ///
    /// **Shapes**: `(L + 1, B)`. **Errors**: as [`TokenBatch::loss`].
    pub fn losses(&self, parameters: &FullParameters) -> Result<Array2<f64>, Error> {
        let responses = self.responses(parameters)?;
        Ok((responses + self.graph.answers.view().insert_axis(Axis(0))).mapv(|e| e * e))
    }

    /// [Z_l]_{d+1, n+1} after each layer, `(L + 1, B)`.
    fn responses(&self, parameters: &FullParameters) -> Result<Array2<f64>, Error> {
        self.fits(parameters)?;
        match self.fused(parameters) {
            Some(fused) => fused.responses(parameters),
            None => self.graph.responses(parameters),
        }
    }

    /// The definition in tensors, on the machine's own cores whatever the processor: what the fused passes are checked against.
    pub(crate) fn by_definition(&self, parameters: &FullParameters, wanted: bool) -> Result<(f64, Vec<f64>), Error> {
        self.graph.loss(parameters, wanted)
    }

    fn fused(&self, parameters: &FullParameters) -> Option<&Arc<dyn Fused>> {
        match (parameters.architecture().attention(), self.processor) {
            (AttentionKind::Softmax, Processor::Cpu) => None,
            _ => Some(&self.fused),
        }
    }

    fn fits(&self, parameters: &FullParameters) -> Result<(), Error> {
        const OP: &str = "TokenBatch::loss";
        parameters.architecture().fits(OP, self.dim, self.examples)?;
        finite(OP, "the model's parameters", parameters.values())
    }
}
