//! Faults that a device reports, in our words, with what to do about them.

use std::fmt::Debug;
use workbench_ground::Error;

const GO_ON: &str = "a run goes on from its last checkpoint with `FullParameters::load_trainer`, on any processor";

/// Names of the driver's and the library's errors, what they mean here, and what helps.
const MEANINGS: [(&[&str], &str, &str); 5] = [
    (
        &["ERROR_OUT_OF_MEMORY", "STATUS_ALLOC_FAILED"],
        "the device ran out of memory",
        "see with `nvidia-smi` what else takes it, take a smaller batch (B), or use `Processor::Cpu`",
    ),
    (
        &["ERROR_NO_DEVICE", "ERROR_INVALID_DEVICE", "ERROR_DEVICE_NOT_LICENSED"],
        "there is no such NVIDIA device on this machine",
        "look at `nvidia-smi`, or use `Processor::Cpu`",
    ),
    (
        &[
            "ERROR_STUB_LIBRARY",
            "ERROR_INSUFFICIENT_DRIVER",
            "ERROR_SYSTEM_DRIVER_MISMATCH",
            "ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
            "ERROR_UNSUPPORTED_PTX_VERSION",
            "STATUS_NOT_INITIALIZED",
        ],
        "the NVIDIA driver is missing or older than the toolkit of this build",
        "update the driver, or build again with an older toolkit (`cargo workbench setup --cuda`), or use `Processor::Cpu`",
    ),
    (
        &["ERROR_NO_BINARY_FOR_GPU", "ERROR_INVALID_PTX", "ERROR_INVALID_IMAGE", "STATUS_ARCH_MISMATCH"],
        "this build has no code for the device's compute capability",
        "build again on this machine with `cargo workbench setup --cuda`, or with CUDA_COMPUTE_CAP set to it, or use `Processor::Cpu`",
    ),
    (
        &[
            "ERROR_DEVICE_UNAVAILABLE",
            "ERROR_ECC_UNCORRECTABLE",
            "ERROR_ILLEGAL_ADDRESS",
            "ERROR_ILLEGAL_INSTRUCTION",
            "ERROR_LAUNCH_FAILED",
            "ERROR_LAUNCH_TIMEOUT",
            "ERROR_HARDWARE_STACK_ERROR",
            "ERROR_CONTEXT_IS_DESTROYED",
            "ERROR_SYSTEM_NOT_READY",
            "ERROR_UNKNOWN",
            "STATUS_EXECUTION_FAILED",
            "STATUS_INTERNAL_ERROR",
            "STATUS_MAPPING_ERROR",
        ],
        "the device was lost",
        "restart the kernel or the program, since the driver refuses everything else in this one, or use `Processor::Cpu`",
    ),
];

/// Wraps an error of the tensor library: what a device reported in our words, all else with the library's.
pub(crate) fn fault(op: &'static str) -> impl FnOnce(candle_core::Error) -> Error {
    move |error| meaning(op, &error).unwrap_or_else(|| Error::outside(op, "check the shapes of the tensors")(error))
}

/// Wraps an error of the driver.
#[cfg(feature = "cuda")]
pub(crate) fn driver(op: &'static str, error: &impl Debug) -> Error {
    meaning(op, error).unwrap_or_else(|| Error::Refused {
        op,
        problem: format!("the NVIDIA driver says {error:?}"),
        next: "look at `nvidia-smi`, or use `Processor::Cpu`".into(),
    })
}

fn meaning(op: &'static str, error: &impl Debug) -> Option<Error> {
    let text = format!("{error:?}");
    let (name, problem, next) = MEANINGS.iter().find_map(|(names, problem, next)| {
        let name = names.iter().find(|name| text.contains(**name))?;
        Some((name, problem, next))
    })?;
    // Where a run can have begun, say how it goes on.
    let next = match op {
        "Processor::open" => (*next).to_string(),
        _ => format!("{next}; {GO_ON}"),
    };
    Some(Error::Refused { op, problem: format!("{problem} ({name})"), next: next.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_device_reports_comes_with_advice() {
        let say = |text: &str| fault("TokenBatch::loss")(candle_core::Error::Msg(text.into())).to_string();
        let lost = say("DriverError(CUDA_ERROR_LAUNCH_FAILED, \"unspecified launch failure\")");
        assert!(lost.contains("lost (ERROR_LAUNCH_FAILED)") && lost.contains("restart") && lost.contains("checkpoint"));
        let full = say("DriverError(CUDA_ERROR_OUT_OF_MEMORY, \"out of memory\")");
        assert!(full.contains("out of memory") && full.contains("smaller batch") && !full.contains("DriverError"));
        assert!(say("CublasError(CUBLAS_STATUS_ALLOC_FAILED)").contains("out of memory"));
        assert!(say("DriverError(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, \"\")").contains("older than the toolkit"));
        assert!(say("DriverError(CUDA_ERROR_NO_BINARY_FOR_GPU, \"\")").contains("CUDA_COMPUTE_CAP"));
        assert!(say("shape mismatch").contains("check the shapes"));
        let open = fault("Processor::open")(candle_core::Error::Msg("CUDA_ERROR_NO_DEVICE".into())).to_string();
        assert!(open.contains("no such NVIDIA device") && !open.contains("checkpoint"), "{open}");
    }
}
