//! Whether a processor computes the same losses and gradients as the machine's own cores, and how long it takes.
//!
//! Everything here takes the processor as an argument: a test runs it on the machine's own cores.

use candle_core::{DType, Tensor, Var};
use std::error::Error;
use std::time::Instant;
use workbench_ground::stats::Streams;
use workbench_memformer::{Precision, Prompts, TaskLaw};
use workbench_tensors::{
    AttentionKind, FullArchitecture, FullParameters, HadamardWeight, Processor, TokenBatch, TokenRegisters,
};

/// Differences granted to single precision: sums of some hundred products, in another order on every processor.
const SINGLE: f64 = 5e-5;
/// And to double precision.
const DOUBLE: f64 = 1e-11;

/// One model on one processor, against double precision on the machine's own cores and, for predictions of linear attention, against
/// the definition in plain arrays.
#[derive(Clone, Debug)]
pub struct Agreement {
    /// The model.
    pub model: String,
    /// The precision of the processor's numbers.
    pub precision: Precision,
    /// Largest difference of a prediction, as a part of the largest one.
    pub predictions: f64,
    /// The same for the gradient.
    pub gradient: f64,
    /// What is granted.
    pub tolerance: f64,
}

impl Agreement {
    /// Whether both differences are within the tolerance.
    pub fn holds(&self) -> bool {
        self.predictions <= self.tolerance && self.gradient <= self.tolerance
    }
}

/// Every kind of model on `processor`.
pub fn compare(processor: Processor) -> Result<Vec<Agreement>, Box<dyn Error>> {
    let (d, n) = (5, 20);
    let streams = Streams::new(3);
    let law = TaskLaw::isotropic(d)?;
    let prompts = Prompts::draw(&law, n, 300, &mut streams.stream("prompts")?)?;
    let exact = TokenBatch::new(&prompts, Precision::Double, Processor::Cpu)?;
    let plain = FullArchitecture::new(3, d)?;
    let separate = |weight, tied| plain.with_registers(TokenRegisters::Separate { weight, tied });
    let models = [
        ("no registers", plain),
        ("two heads", plain.with_heads(2)?),
        ("one register", plain.with_registers(TokenRegisters::Single)?),
        ("tied rows", separate(HadamardWeight::Rows, true)?),
        (
            "weights for each entry",
            separate(HadamardWeight::Full { examples: n }, false)?,
        ),
        ("softmax", plain.with_attention(AttentionKind::Softmax)),
    ];
    let mut out = Vec::new();
    for (name, architecture) in models {
        let mut model = FullParameters::random(architecture, 0.07, &mut streams.restart("start")?)?;
        for weight in model.registers_mut() {
            *weight = 0.7 * *weight + 0.1;
        }
        let (_, slopes) = exact.loss_and_gradient(&model)?;
        let answers: Vec<f64> = match architecture.attention() {
            AttentionKind::Softmax => exact.predictions(&model)?.to_vec(),
            AttentionKind::Linear => {
                let plain = model.transformer(n)?;
                let predict = |b: usize| plain.predict(&prompts.tokens(b)?);
                (0..prompts.batch()).map(predict).collect::<Result<_, _>>()?
            }
        };
        for (precision, tolerance) in [(Precision::Single, SINGLE), (Precision::Double, DOUBLE)] {
            let batch = TokenBatch::new(&prompts, precision, processor)?;
            let (_, gradient) = batch.loss_and_gradient(&model)?;
            out.push(Agreement {
                model: name.into(),
                precision,
                predictions: distance(batch.predictions(&model)?.as_slice().unwrap_or_default(), &answers),
                gradient: distance(gradient.values(), slopes.values()),
                tolerance,
            });
        }
    }
    Ok(out)
}

/// Largest difference as a part of the largest entry; infinite for different lengths or entries that are not numbers.
fn distance(got: &[f64], want: &[f64]) -> f64 {
    let scale = want.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let gaps = got.iter().zip(want).map(|(a, b)| (a - b).abs());
    let gap = gaps.fold(0.0, |m: f64, g| if g.is_nan() { f64::INFINITY } else { m.max(g) });
    if got.len() == want.len() {
        gap / scale
    } else {
        f64::INFINITY
    }
}

/// Sizes of a benchmark: d, n, layers, prompts.
#[derive(Clone, Copy, Debug)]
pub struct Sizes(pub usize, pub usize, pub usize, pub usize);

/// Median seconds of a step (loss and gradient) in single precision, and the operations in its graph.
pub fn seconds_per_step(processor: Processor, sizes: Sizes, repeats: usize) -> Result<(f64, usize), Box<dyn Error>> {
    let Sizes(d, n, layers, prompts) = sizes;
    let streams = Streams::new(4);
    let law = TaskLaw::isotropic(d)?;
    let single = Precision::Single;
    let batch = TokenBatch::draw(&law, n, prompts, single, processor, &mut streams.stream("prompts")?)?;
    let architecture = FullArchitecture::new(layers, d)?;
    let scale = 0.3 / (d + 1) as f64;
    let model = FullParameters::random(architecture, scale, &mut streams.stream("start")?)?;
    let values = Tensor::new(model.values(), &candle_core::Device::Cpu)?.to_dtype(DType::F32)?;
    let values = Var::from_tensor(&values.to_device(&processor.open()?)?)?;
    let operations = batch
        .loss_tensor(&architecture, values.as_tensor())?
        .sorted_nodes()
        .len();
    let mut times = Vec::new();
    for run in 0..repeats + 2 {
        let started = Instant::now();
        batch.loss_and_gradient(&model)?;
        processor.synchronize()?;
        if run >= 2 {
            times.push(started.elapsed().as_secs_f64());
        }
    }
    times.sort_by(f64::total_cmp);
    Ok((times[times.len() / 2], operations))
}

/// Seconds to launch the smallest operation there is, one after the other, and seconds to launch one and wait for it.
pub fn floor(processor: Processor) -> Result<(f64, f64), Box<dyn Error>> {
    const LAUNCHES: usize = 2000;
    let number = Tensor::new(&[1f32], &processor.open()?)?;
    let run = |launches: usize, times: usize| -> Result<f64, Box<dyn Error>> {
        let started = Instant::now();
        for _ in 0..times {
            for _ in 0..launches {
                number.affine(1.0, 1.0)?;
            }
            processor.synchronize()?;
        }
        Ok(started.elapsed().as_secs_f64() / (launches * times) as f64)
    };
    run(LAUNCHES, 1)?;
    Ok((run(LAUNCHES, 5)?, run(1, 200)?))
}
