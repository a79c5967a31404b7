//! Choice of the processor that is expected to be the faster one.

use crate::architecture::{AttentionKind, FullArchitecture};
use crate::device::plan::Sizes;
use crate::device::processor::Processor;
use std::fmt;
use workbench_memformer::Precision;

/// Multiplications a second of one core in the fused pass, in single precision: about what `bench_full` shows on a server's core. In
/// double precision half of it.
const CORE: f64 = 1.5e10;
/// Those of one core in candle's graph.
const CORE_IN_GRAPH: f64 = 3e9;
/// Those of a device in products of many small matrices, from launch to launch. An H100 showed 1.5e12 at d = 5 and 5.5e12 at d = 64, and an
/// H200 7e12 with softmax attention at d = 64, where large matrices came to 2.3e13 and 2.5e13.
const DEVICE: f64 = 4e12;
/// Seconds from one operation on a device to the next, however small it is; what goes there and back in a step takes some of them.
const LAUNCH: f64 = 5e-6;
const TRANSFERS: f64 = 8.0;

/// What the pass of devices is made of, counted before it runs.
///
/// ```
/// use workbench_tensors::{Cost, FullArchitecture};
/// use workbench_memformer::Precision;
/// let cost = Cost::of(&FullArchitecture::new(3, 5)?, 20, 20_000, Precision::Single);
/// assert_eq!(cost.launches, 21);
/// # Ok::<(), workbench_ground::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Products and kernels that a device is asked for in one training step when all prompts go through at once: at most 13 L and, with
    /// softmax attention, 12 L + 3, whatever the number of heads.
    pub launches: usize,
    /// Multiplications of such a step.
    pub multiplications: usize,
    /// Bytes that it keeps on the device beside the tokens.
    pub bytes: usize,
}

impl Cost {
    /// Of a training step over `prompts` prompts of `examples` examples.
    pub fn of(architecture: &FullArchitecture, examples: usize, prompts: usize, precision: Precision) -> Cost {
        let sizes = Sizes::new(architecture, examples, prompts.max(1), precision);
        Cost { launches: sizes.launches(), multiplications: sizes.prompts * sizes.work(), bytes: sizes.bytes() }
    }
}

/// A processor, and why.
///
/// ```
/// use workbench_tensors::{FullArchitecture, Processor};
/// use workbench_memformer::Precision;
/// let choice = Processor::best(&FullArchitecture::new(3, 5)?, 20, 100, Precision::Single);
/// assert_eq!(choice.processor, Processor::Cpu);
/// println!("{choice}");
/// # Ok::<(), workbench_ground::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The processor.
    pub processor: Processor,
    /// Why this one, in words.
    pub reason: String,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "on {}: {}", self.processor, self.reason)
    }
}

impl Processor {
    /// The processor on which a training step over `prompts` prompts of `examples` examples is expected to be faster: the first CUDA
    /// device or, where there is none or the step is too small for one, the machine's own cores.
    ///
    /// What is expected follows from counts of operations and from round rates of processors, not from a measurement on this machine:
    /// where it matters, time both.
    pub fn best(architecture: &FullArchitecture, examples: usize, prompts: usize, precision: Precision) -> Choice {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let own = on_cores(architecture, examples, prompts, precision, cores);
        let device = on_device(architecture, examples, prompts, precision);
        let expected = format!(
            "a step is expected to take {} on {cores} core{} and {} on a device",
            duration(own),
            if cores == 1 { "" } else { "s" },
            duration(device)
        );
        let (processor, reason) = if own <= device {
            (Processor::Cpu, expected)
        } else {
            match Processor::Cuda(0).open() {
                Ok(_) => (Processor::Cuda(0), expected),
                Err(error) => (Processor::Cpu, format!("a device would pay here, but {}", why(&error.to_string()))),
            }
        };
        Choice { processor, reason }
    }
}

/// An error without the operation in front and the advice behind it: the advice was taken.
fn why(error: &str) -> &str {
    let cause = error.split_once(": ").map_or(error, |(_, cause)| cause);
    cause.split_once("; ").map_or(cause, |(cause, _)| cause)
}

fn on_cores(model: &FullArchitecture, examples: usize, prompts: usize, precision: Precision, cores: usize) -> f64 {
    let (w, t) = (model.dim() as f64 + 1.0, examples as f64 + 1.0);
    let (layers, heads) = (model.depth() as f64, model.heads() as f64);
    let (work, rate) = match model.attention() {
        AttentionKind::Linear => (layers * (6.0 * heads * w.powi(3) + 5.0 * w * w * t), CORE),
        AttentionKind::Softmax => (3.0 * layers * heads * (2.0 * t * t * w + 3.0 * t * w * w), CORE_IN_GRAPH),
    };
    prompts as f64 * work / (rate * cores as f64) * slower(precision)
}

fn on_device(model: &FullArchitecture, examples: usize, prompts: usize, precision: Precision) -> f64 {
    let cost = Cost::of(model, examples, prompts, precision);
    (cost.launches as f64 + TRANSFERS) * LAUNCH + cost.multiplications as f64 / DEVICE * slower(precision)
}

fn slower(precision: Precision) -> f64 {
    match precision {
        Precision::Single => 1.0,
        Precision::Double => 2.0,
    }
}

fn duration(seconds: f64) -> String {
    if seconds < 1e-4 {
        format!("{:.0} µs", (1e6 * seconds).max(1.0))
    } else if seconds < 1.0 {
        format!("{:.3} ms", 1e3 * seconds)
    } else {
        format!("{seconds:.1} s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_steps_stay_on_the_cores_and_large_ones_ask_for_a_device() {
        let model = |depth, d| FullArchitecture::new(depth, d).unwrap();
        let best = |a: &FullArchitecture, n, b| Processor::best(a, n, b, Precision::Single);
        let small = best(&model(3, 5), 20, 64);
        assert_eq!(small.processor, Processor::Cpu);
        assert!(small.to_string().contains("own cores: a step is expected to take"), "{small}");
        let large = best(&model(8, 64), 256, 4096);
        match Processor::Cuda(0).open() {
            Ok(_) => assert_eq!(large.processor, Processor::Cuda(0)),
            Err(_) => {
                assert_eq!(large.processor, Processor::Cpu);
                assert!(large.reason.contains("would pay here, but CUDA in this build is not available"), "{large}");
            }
        }
        for cores in [1, 64] {
            let (own, device) = (
                on_cores(&model(8, 64), 256, 4096, Precision::Single, cores),
                on_device(&model(8, 64), 256, 4096, Precision::Single),
            );
            assert!(own > device, "{cores}: {own} {device}");
        }
    }

    #[test]
    fn reasons_have_neither_the_operation_nor_advice_that_was_taken() {
        assert_eq!(why("Processor::open: no device (ERROR_NO_DEVICE); look at it"), "no device (ERROR_NO_DEVICE)");
        assert_eq!([duration(2.5e-5), duration(0.00123), duration(3.0)], ["25 µs", "1.230 ms", "3.0 s"]);
    }
}
