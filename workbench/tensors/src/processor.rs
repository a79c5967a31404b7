//! Where tensors live.

use candle_core::{DType, Device};
use workbench_ground::Error;
use workbench_memformer::Precision;

/// The processor that a batch of tokens is kept and computed on.
///
/// ```
/// use workbench_tensors::Processor;
/// assert!(Processor::Cpu.open().is_ok());
/// // Without the crate's feature `cuda`, or without a device, the request is refused.
/// if let Err(error) = Processor::Cuda(0).open() {
///     assert!(error.to_string().contains("Processor::Cpu"));
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processor {
    /// The machine's own cores.
    Cpu,
    /// The NVIDIA device with this number; needs the crate's feature `cuda`.
    Cuda(usize),
}

impl Processor {
    /// The device in candle's terms.
    ///
    /// **Errors**: [`Error::Unavailable`] for CUDA in a build without the feature; [`Error::Outside`] when there is no such device or
    /// its driver does not start.
    pub fn open(self) -> Result<Device, Error> {
        match self {
            Processor::Cpu => Ok(Device::Cpu),
            Processor::Cuda(_) if !cfg!(feature = "cuda") => Err(Error::unavailable(
                "Processor::open",
                "CUDA in this build",
                "build with `--features cuda`, which needs the CUDA toolkit, or use `Processor::Cpu`",
            )),
            Processor::Cuda(index) => {
                let next = format!("CUDA device {index} does not start: look at `nvidia-smi`, or use `Processor::Cpu`");
                Device::new_cuda(index).map_err(Error::outside("Processor::open", next))
            }
        }
    }

    /// Waits for what the device was told to do.
    ///
    /// **Errors**: a device that failed.
    pub fn synchronize(self) -> Result<(), Error> {
        self.open()?.synchronize().map_err(tensor("Processor::synchronize"))
    }
}

/// The type of numbers.
pub(crate) fn dtype(precision: Precision) -> DType {
    match precision {
        Precision::Single => DType::F32,
        Precision::Double => DType::F64,
    }
}

/// Wraps an error of the tensor library.
pub(crate) fn tensor(op: &'static str) -> impl FnOnce(candle_core::Error) -> Error {
    Error::outside(op, "check the shapes of the tensors")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuda_is_refused_where_it_is_not() {
        let error = match Processor::Cuda(4096).open() {
            Ok(_) => panic!("there is no such device"),
            Err(error) => error.to_string(),
        };
        let wanted = if cfg!(feature = "cuda") {
            "device 4096"
        } else {
            "--features cuda"
        };
        assert!(error.contains(wanted) && error.contains("Processor::Cpu"), "{error}");
        assert!(Processor::Cpu.synchronize().is_ok());
    }
}
