//! A batch through the definition in candle's tensors and their gradients, on the machine's own cores: softmax attention there, and what
//! the passes are checked against.

use crate::architecture::FullArchitecture;
use crate::definition;
use crate::device::faults::fault;
use crate::device::processor::{dtype, numbers};
use crate::fused::pack::Fused;
use crate::parameters::FullParameters;
use candle_core::{Device, Tensor, Var};
use ndarray::{Array1, Array2, ArrayView1};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use workbench_ground::check::finite;
use workbench_ground::{Error, work};
use workbench_memformer::{Precision, Prompts};

/// Numbers in the scores of a chunk of prompts on the machine's own cores, at most: what lies between two looks at a stop request.
const CHUNK: usize = 1 << 17;
const OP: &str = "TokenBatch::loss";

/// Tokens and answers of some prompts.
type Chunk = (Tensor, Tensor);

/// Prompts as tensors, made when they are asked for.
pub(crate) struct Graph {
    prompts: Arc<dyn Fused>,
    pub(crate) answers: Array1<f64>,
    /// d + 1 and n + 1.
    width: usize,
    count: usize,
    precision: Precision,
    chunks: OnceLock<Vec<Chunk>>,
}

impl Graph {
    /// The prompts of `data`, whose rounded tokens are those of `prompts`.
    pub(crate) fn new(data: &Prompts, prompts: Arc<dyn Fused>, precision: Precision) -> Graph {
        Graph {
            prompts,
            answers: data.answers(),
            width: data.dim() + 1,
            count: data.examples() + 1,
            precision,
            chunks: OnceLock::new(),
        }
    }

    /// Mean squared error, and the numbers of its gradient if they are wanted.
    pub(crate) fn loss(&self, parameters: &FullParameters, wanted: bool) -> Result<(f64, Vec<f64>), Error> {
        let architecture = parameters.architecture();
        let chunks = self.chunks()?;
        let part = |(tokens, answers): &Chunk| -> Result<(f64, Vec<f64>), Error> {
            work::check(OP, 0, chunks.len())?;
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
            part().map_err(fault(OP))
        };
        let parts: Vec<_> = chunks.par_iter().map(part).collect::<Result<_, _>>()?;
        let mean = 1.0 / self.answers.len() as f64;
        let loss = parts.iter().map(|(loss, _)| loss).sum::<f64>() * mean;
        let mut gradient = vec![0.0; if wanted { parameters.values().len() } else { 0 }];
        for (_, part) in &parts {
            gradient.iter_mut().zip(part).for_each(|(sum, g)| *sum += mean * g);
        }
        Ok((loss, gradient))
    }

    /// [Z_l]_{d+1, n+1} after each layer, `(L + 1, B)`.
    pub(crate) fn responses(&self, parameters: &FullParameters) -> Result<Array2<f64>, Error> {
        const OP: &str = "TokenBatch::losses";
        let architecture = parameters.architecture();
        let chunks = self.chunks()?;
        let values = self.values(parameters).map_err(fault(OP))?.as_detached_tensor();
        let mut out = Array2::zeros((architecture.depth() + 1, self.answers.len()));
        let mut from = 0;
        for (tokens, answers) in chunks {
            work::check(OP, from, self.answers.len())?;
            let here = answers.elem_count();
            let layers = definition::predictions(&architecture, &values, tokens);
            for (mut row, layer) in out.rows_mut().into_iter().zip(layers.map_err(fault(OP))?) {
                let layer = numbers(&layer).map_err(fault(OP))?;
                let to = ndarray::s![from..from + here];
                row.slice_mut(to).assign(&-&ArrayView1::from(&layer));
            }
            from += here;
        }
        Ok(out)
    }

    /// The loss as a node of a graph.
    pub(crate) fn loss_tensor(&self, architecture: &FullArchitecture, values: &Tensor) -> candle_core::Result<Tensor> {
        let chunks = self.chunks().map_err(candle_core::Error::wrap)?;
        let mut total: Option<Tensor> = None;
        for (tokens, answers) in chunks {
            let sum = squares(architecture, values, tokens, answers)?;
            total = Some(match total {
                Some(total) => (total + sum)?,
                None => sum,
            });
        }
        match total {
            Some(total) => total / self.answers.len() as f64,
            None => candle_core::bail!("a batch without prompts"),
        }
    }

    fn values(&self, parameters: &FullParameters) -> candle_core::Result<Var> {
        let values = Tensor::new(parameters.values(), &Device::Cpu)?.to_dtype(dtype(self.precision))?;
        Var::from_tensor(&values)
    }

    /// Tokens and answers as tensors, a number of prompts at a time.
    fn chunks(&self) -> Result<&[Chunk], Error> {
        if let Some(chunks) = self.chunks.get() {
            return Ok(chunks);
        }
        let (prompts, per) = (self.answers.len(), (CHUNK / self.count.pow(2)).max(1));
        let ranges = (0..prompts).step_by(per).map(|from| from..(from + per).min(prompts));
        let chunks = ranges.map(|range| self.tensors(range)).collect::<Result<Vec<_>, _>>()?;
        Ok(self.chunks.get_or_init(|| chunks))
    }

    /// Some prompts with tokens as rows, and their answers.
    fn tensors(&self, range: Range<usize>) -> Result<Chunk, Error> {
        const OP: &str = "TokenBatch::new";
        let (width, count, here) = (self.width, self.count, range.len());
        let answers: Vec<f64> = range.clone().map(|b| self.answers[b]).collect();
        let mut rows = Vec::with_capacity(here * width * count);
        for b in range {
            if b.is_multiple_of(64) {
                work::check(OP, b, self.answers.len())?;
            }
            let columns = self.prompts.tokens(b);
            rows.extend((0..count).flat_map(|t| (0..width).map(move |i| i * count + t)).map(|at| columns[at]));
        }
        finite(OP, "a prompt", &rows)?;
        let make = || -> candle_core::Result<Chunk> {
            let send = |x: Tensor| x.to_dtype(dtype(self.precision));
            let tokens = Tensor::from_vec(rows, (here, count, width), &Device::Cpu)?;
            Ok((send(tokens)?, send(Tensor::from_vec(answers, here, &Device::Cpu)?)?))
        };
        make().map_err(fault(OP))
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
