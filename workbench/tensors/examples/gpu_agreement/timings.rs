//! Seconds of a training step, and what the device alone would need for it.

use super::agreement::{Sizes, multiplications};
use candle_core::{DType, Tensor};
use std::error::Error;
use std::time::{Duration, Instant};
use workbench_ground::stats::Streams;
use workbench_memformer::{Precision, TaskLaw};
use workbench_tensors::{AttentionKind, Cost, FullArchitecture, FullParameters, Multiplication, Processor, TokenBatch};

/// What a device does at best, measured in this run.
#[derive(Clone, Copy, Debug)]
pub struct Floor {
    /// Seconds from one of the smallest operations to the next, and for one that is waited for.
    pub launch: f64,
    pub round: f64,
    /// Multiplications a second in a product of large matrices, in single precision.
    pub multiplications: f64,
    /// Bytes a second that an operation reads and writes.
    pub bytes: f64,
}

/// Steps of one size.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// The sizes.
    pub sizes: Sizes,
    /// The attention.
    pub attention: AttentionKind,
    /// What multiplied matrices.
    pub multiplication: Multiplication,
    /// Median and least seconds of a step (loss and gradient).
    pub median: f64,
    pub least: f64,
    /// What its launches, its multiplications and its bytes would take alone; the largest of them is the floor.
    pub launches: f64,
    pub multiplications: f64,
    pub bytes: f64,
}

impl Timing {
    /// The part of the median that the device needs at best.
    pub fn share(&self) -> f64 {
        self.launches.max(self.multiplications).max(self.bytes) / self.median
    }
}

/// What a device takes to come to its pace.
const WARM: Duration = Duration::from_millis(500);

/// The device's floor. `large` is the width of the product, some thousands on a device.
pub fn floor(processor: Processor, large: usize) -> Result<Floor, Box<dyn Error>> {
    const LAUNCHES: usize = 2000;
    let device = processor.open()?;
    let seconds = |times: usize, work: &dyn Fn() -> candle_core::Result<()>| -> Result<f64, Box<dyn Error>> {
        work()?;
        processor.synchronize()?;
        let started = Instant::now();
        for _ in 0..times {
            work()?;
            processor.synchronize()?;
        }
        Ok(started.elapsed().as_secs_f64() / times as f64)
    };
    // From one tensor to another, so that no memory is asked for.
    let one = || Tensor::ones(1, DType::F32, &device);
    let (number, other) = (one()?, one()?);
    // All kinds of numbers: a product of ones takes less power, and so less time.
    let numbers: Vec<f32> = (0..large * large).map(|i| (0.37 * i as f64).sin() as f32).collect();
    let matrix = || Tensor::from_slice(&numbers, (large, large), &device);
    let (matrix, copy) = (matrix()?, matrix()?);
    Ok(Floor {
        launch: seconds(5, &|| (0..LAUNCHES).try_for_each(|_| number.slice_set(&other, 0, 0)))? / LAUNCHES as f64,
        round: seconds(200, &|| number.slice_set(&other, 0, 0))?,
        multiplications: (large as f64).powi(3) / seconds(5, &|| matrix.matmul(&copy).map(|_| ()))?,
        bytes: 8.0 * (large as f64).powi(2) / seconds(20, &|| copy.slice_set(&matrix, 0, 0))?,
    })
}

/// Steps in single precision on one batch, after those of half a second that are not counted: a device that was idle is slower at first.
/// All that can multiply matrices there takes turns, a step each, so that what else happens to the device happens to all of them.
pub fn time(
    processor: Processor,
    sizes: Sizes,
    attention: AttentionKind,
    repeats: usize,
    floor: &Floor,
) -> Result<Vec<Timing>, Box<dyn Error>> {
    let Sizes(d, n, layers, prompts) = sizes;
    let streams = Streams::new(4);
    let single = Precision::Single;
    let batch =
        TokenBatch::draw(&TaskLaw::isotropic(d)?, n, prompts, single, processor, &mut streams.stream("prompts")?)?;
    let architecture = FullArchitecture::new(layers, d)?.with_attention(attention);
    let scale = 0.1 / (d + 1) as f64;
    let model = FullParameters::random(architecture, scale, &mut streams.stream("start")?)?;
    let multiplications = multiplications(processor);
    let (mut turns, began) = (Vec::new(), Instant::now());
    while turns.len() < repeats {
        let mut turn = Vec::with_capacity(multiplications.len());
        let warm = began.elapsed() > WARM;
        for how in multiplications {
            how.choose();
            let started = Instant::now();
            // The loss comes back with the gradient: nothing is left to wait for.
            let (loss, _) = batch.loss_and_gradient(&model)?;
            if !loss.is_finite() {
                return Err(format!("{sizes:?}: a loss of {loss}").into());
            }
            turn.push(started.elapsed().as_secs_f64());
        }
        if warm {
            turns.push(turn);
        }
    }
    Multiplication::default().choose();
    let cost = Cost::of(&architecture, n, prompts, single);
    let timing = |(i, how): (usize, &Multiplication)| {
        let mut times: Vec<f64> = turns.iter().map(|turn| turn[i]).collect();
        times.sort_by(f64::total_cmp);
        Timing {
            sizes,
            attention,
            multiplication: *how,
            median: times[times.len() / 2],
            least: times[0],
            launches: cost.launches as f64 * floor.launch + floor.round,
            multiplications: cost.multiplications as f64 / floor.multiplications,
            // What is kept is written once and read once, at least.
            bytes: 2.0 * cost.bytes as f64 / floor.bytes,
        }
    };
    Ok(multiplications.iter().enumerate().map(timing).collect())
}
