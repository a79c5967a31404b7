//! Faults of a device.

use super::ended::{Doubtful, Fault, ended};
use candle_core::{DType, Tensor};
use workbench_ground::stats::Streams;
use workbench_memformer::{Precision, TaskLaw};
use workbench_tensors::{AttentionKind, FullArchitecture, FullParameters, Processor, TokenBatch};

/// All faults, the last of which takes the device from this process.
pub fn all(processor: Processor, index: usize) -> Doubtful<Vec<Fault>> {
    let other = Processor::Cuda(index + 61);
    let absent = other.open().map_or_else(|error| error.to_string(), |_| "opened".into());
    let mut faults = vec![
        Fault::refusal("no such device", absent, "no CUDA device"),
        Fault::refusal("one prompt that does not fit", too_large(processor)?, "take"),
    ];
    let mut others = Vec::new();
    let taken = ended(processor, || fill(processor, &mut others))?;
    drop(others);
    processor.synchronize()?;
    faults.push(Fault::end("memory that others take", taken, &["memory", "MB free"]));
    let stopped = ended(processor, || stop(processor))?;
    faults.push(Fault::end("a device that fails in a run", stopped, &["the device was lost"]));
    Ok(faults)
}

/// Scores of 300,000 tokens with each other.
fn too_large(processor: Processor) -> Doubtful<String> {
    let (law, mut stream) = (TaskLaw::isotropic(1)?, Streams::new(8).stream("large")?);
    let architecture = FullArchitecture::new(1, 1)?.with_attention(AttentionKind::Softmax);
    let model = FullParameters::random(architecture, 0.1, &mut stream)?;
    let batch = TokenBatch::draw(&law, 300_000, 1, Precision::Single, processor, &mut stream)?;
    Ok(batch.loss(&model).map_or_else(|error| error.to_string(), |loss| format!("a loss of {loss}")))
}

/// Takes what memory there is, in halves down to what is too little for anything.
fn fill(processor: Processor, taken: &mut Vec<Tensor>) -> Doubtful<()> {
    let device = processor.open()?;
    let mut bytes: usize = 1 << 30;
    while bytes >= 512 {
        match Tensor::zeros(bytes, DType::U8, &device) {
            Ok(tensor) => taken.push(tensor),
            Err(_) => bytes /= 2,
        }
    }
    Ok(())
}

/// A kernel that does nothing but stop, after which the driver refuses this process.
#[cfg(feature = "cuda")]
fn stop(processor: Processor) -> Doubtful<()> {
    use candle_core::Device;
    use candle_core::cuda_backend::cudarc::driver::LaunchConfig;
    const TEXT: &str = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry stop()\n{\n  trap;\n  ret;\n}\n";
    let Device::Cuda(device) = processor.open()? else {
        return Err(format!("{processor} is no device").into());
    };
    let function = device.get_or_load_custom_func("stop", "stop", TEXT)?;
    // SAFETY: it has no arguments and touches no memory.
    unsafe { function.builder().launch(LaunchConfig::for_num_elems(1)) }?;
    Ok(())
}

#[cfg(not(feature = "cuda"))]
fn stop(processor: Processor) -> Doubtful<()> {
    Err(format!("{processor} is no device").into())
}
