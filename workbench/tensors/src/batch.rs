//! Prompts on a processor, and the model's loss on them.

use super::architecture::{AttentionKind, FullArchitecture};
use super::definition;
use super::fused::operation::MeanSquaredError;
use super::fused::pack::{Fused, pack};
use super::parameters::FullParameters;
use super::processor::{Processor, dtype, tensor};
use candle_core::{Device, Tensor, Var};
use ndarray::{Array1, Array2, ArrayView1, Axis};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use workbench_ground::Error;
use workbench_ground::check::{finite, same_shape};
use workbench_ground::stats::Stream;
use workbench_ground::work;
use workbench_memformer::{Instructions, Precision, Prompts, TaskLaw};

/// Numbers in the scores of a chunk of prompts on the machine's own cores, at most: what lies between two looks at a stop request.
const CHUNK: usize = 1 << 17;

/// A batch of prompts as tokens, on a processor.
///
/// Linear attention on the machine's own cores goes through one fused pass over the prompts; softmax attention, and everything on a
/// GPU, through candle's tensors and their gradients. Both are the same function.
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
    device: Device,
    answers: Array1<f64>,
    /// On the machine's own cores.
    fused: Option<Arc<dyn Fused>>,
    /// Tokens and answers by chunks; made when asked for on the machine's own cores, at once elsewhere.
    chunks: OnceLock<Vec<(Tensor, Tensor)>>,
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
        TokenBatch::with_instructions(prompts, precision, processor, Instructions::best())
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
            return Err(Error::unavailable(OP, what, "use `Instructions::best()`"));
        }
        let device = processor.open()?;
        let fused = match processor {
            Processor::Cpu => Some(pack(prompts, precision, instructions)?),
            Processor::Cuda(_) => None,
        };
        let batch = TokenBatch {
            prompts: prompts.batch(),
            dim: prompts.dim(),
            examples: prompts.examples(),
            precision,
            processor,
            device,
            answers: prompts.answers(),
            fused,
            chunks: OnceLock::new(),
        };
        if batch.fused.is_none() {
            let tokens = |b: usize| Ok(prompts.tokens(b)?.into_iter().collect());
            let whole = batch.tensors(0..batch.prompts, &tokens)?;
            let _ = batch.chunks.set(vec![whole]);
        }
        Ok(batch)
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
    /// **Errors**: as [`TokenBatch::loss`]. Cost with linear attention: L (6 H d^3 + 5 n d^2) multiplications a prompt.
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
        let loss = || -> candle_core::Result<Tensor> {
            if let (Some(fused), AttentionKind::Linear) = (&self.fused, architecture.attention()) {
                return values
                    .contiguous()?
                    .apply_op1(MeanSquaredError::new(fused.clone(), *architecture));
            }
            let mut total: Option<Tensor> = None;
            for (tokens, answers) in self.chunks().map_err(candle_core::Error::wrap)? {
                let sum = squares(architecture, values, tokens, answers)?;
                total = Some(match total {
                    Some(total) => (total + sum)?,
                    None => sum,
                });
            }
            match total {
                Some(total) => total / self.prompts as f64,
                None => candle_core::bail!("a batch without prompts"),
            }
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
        Ok((responses + self.answers.view().insert_axis(Axis(0))).mapv(|e| e * e))
    }

    /// [Z_l]_{d+1, n+1} after each layer, `(L + 1, B)`.
    fn responses(&self, parameters: &FullParameters) -> Result<Array2<f64>, Error> {
        const OP: &str = "TokenBatch::losses";
        self.fits(parameters)?;
        if let Some(fused) = self.fused(parameters) {
            return fused.responses(parameters);
        }
        let architecture = parameters.architecture();
        let values = self.values(parameters).map_err(tensor(OP))?;
        let mut out = Array2::zeros((architecture.depth() + 1, self.prompts));
        let mut from = 0;
        for (tokens, answers) in self.chunks()? {
            work::check(OP, from as u64, self.prompts as u64)?;
            let here = answers.elem_count();
            let layers = definition::predictions(&architecture, &values, tokens).map_err(tensor(OP))?;
            for (mut row, layer) in out.rows_mut().into_iter().zip(layers) {
                let layer = numbers(&layer).map_err(tensor(OP))?;
                let to = ndarray::s![from..from + here];
                row.slice_mut(to).assign(&-&ArrayView1::from(&layer));
            }
            from += here;
        }
        Ok(out)
    }

    /// The definition in tensors, whatever the processor: what the fused pass is checked against.
    pub(crate) fn by_definition(&self, parameters: &FullParameters, wanted: bool) -> Result<(f64, Vec<f64>), Error> {
        const OP: &str = "TokenBatch::loss";
        let architecture = parameters.architecture();
        let chunks = self.chunks()?;
        let part = |(tokens, answers): &(Tensor, Tensor)| -> Result<(f64, Vec<f64>), Error> {
            work::check(OP, 0, chunks.len() as u64)?;
            let part = || -> candle_core::Result<(f64, Vec<f64>)> {
                let values = self.values(parameters)?;
                let total = squares(&architecture, values.as_tensor(), tokens, answers)?;
                let gradient = match wanted {
                    false => Vec::new(),
                    true => match total.backward()?.get(&values) {
                        Some(gradient) => numbers(gradient)?,
                        None => vec![0.0; parameters.values().len()],
                    },
                };
                Ok((numbers(&total.flatten_all()?)?[0], gradient))
            };
            part().map_err(tensor(OP))
        };
        let parts: Vec<_> = match chunks.len() {
            1 => vec![part(&chunks[0])?],
            _ => chunks.par_iter().map(part).collect::<Result<_, _>>()?,
        };
        let mean = 1.0 / self.prompts as f64;
        let loss = parts.iter().map(|(loss, _)| loss).sum::<f64>() * mean;
        let mut gradient = vec![0.0; if wanted { parameters.values().len() } else { 0 }];
        for (_, part) in &parts {
            gradient.iter_mut().zip(part).for_each(|(sum, g)| *sum += mean * g);
        }
        Ok((loss, gradient))
    }

    fn values(&self, parameters: &FullParameters) -> candle_core::Result<Var> {
        let values = Tensor::new(parameters.values(), &Device::Cpu)?.to_dtype(dtype(self.precision))?;
        Var::from_tensor(&values.to_device(&self.device)?)
    }

    fn fused(&self, parameters: &FullParameters) -> Option<&Arc<dyn Fused>> {
        match parameters.architecture().attention() {
            AttentionKind::Linear => self.fused.as_ref(),
            AttentionKind::Softmax => None,
        }
    }

    fn fits(&self, parameters: &FullParameters) -> Result<(), Error> {
        const OP: &str = "TokenBatch::loss";
        parameters.architecture().fits(OP, self.dim, self.examples)?;
        finite(OP, "the model's parameters", parameters.values())
    }

    /// Tokens and answers as tensors.
    fn chunks(&self) -> Result<&[(Tensor, Tensor)], Error> {
        if let (None, Some(fused)) = (self.chunks.get(), &self.fused) {
            let size = (CHUNK / (self.examples + 1).pow(2)).max(1);
            let mut chunks = Vec::new();
            for from in (0..self.prompts).step_by(size) {
                let to = (from + size).min(self.prompts);
                chunks.push(self.tensors(from..to, &|b| Ok(fused.tokens(b)))?);
            }
            let _ = self.chunks.set(chunks);
        }
        Ok(self.chunks.get().map_or(&[], Vec::as_slice))
    }

    /// Some prompts with tokens as rows, and their answers.
    fn tensors(
        &self,
        range: Range<usize>,
        tokens: &dyn Fn(usize) -> Result<Vec<f64>, Error>,
    ) -> Result<(Tensor, Tensor), Error> {
        const OP: &str = "TokenBatch::new";
        let (width, count, here) = (self.dim + 1, self.examples + 1, range.len());
        let answers: Vec<f64> = range.clone().map(|b| self.answers[b]).collect();
        let (mut single, mut double) = (Vec::new(), Vec::new());
        for b in range {
            if b.is_multiple_of(64) {
                work::check(OP, b as u64, self.prompts as u64)?;
            }
            let columns = tokens(b)?;
            let rows = (0..count).flat_map(|t| (0..width).map(move |i| (i, t)));
            for value in rows.map(|(i, t)| columns[i * count + t]) {
                match self.precision {
                    Precision::Single => single.push(value as f32),
                    Precision::Double => double.push(value),
                }
            }
        }
        finite(OP, "a prompt", &double)?;
        if let Some(i) = single.iter().position(|v| !v.is_finite()) {
            let name = "a prompt in single precision";
            return Err(Error::not_finite(OP, name, &[i], f64::from(single[i])));
        }
        let shape = (here, count, width);
        let make = || -> candle_core::Result<(Tensor, Tensor)> {
            let tokens = match self.precision {
                Precision::Single => Tensor::from_vec(single, shape, &self.device)?,
                Precision::Double => Tensor::from_vec(double, shape, &self.device)?,
            };
            let answers = Tensor::from_vec(answers, here, &Device::Cpu)?.to_dtype(dtype(self.precision))?;
            Ok((tokens, answers.to_device(&self.device)?))
        };
        make().map_err(tensor(OP))
    }
}

/// Sum of squared errors of some prompts.
fn squares(
    architecture: &FullArchitecture,
    values: &Tensor,
    tokens: &Tensor,
    answers: &Tensor,
) -> candle_core::Result<Tensor> {
    let predictions = definition::predictions(architecture, values, tokens)?;
    (&predictions[architecture.depth()] - answers)?.sqr()?.sum_all()
}

/// A tensor's numbers in double precision.
fn numbers(tensor: &Tensor) -> candle_core::Result<Vec<f64>> {
    tensor
        .flatten_all()?
        .to_device(&Device::Cpu)?
        .to_dtype(candle_core::DType::F64)?
        .to_vec1()
}
