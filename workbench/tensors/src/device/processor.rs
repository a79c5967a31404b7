//! Processors that tensors live on.

use crate::device::faults::fault;
use crate::device::open::opened;
use candle_core::{DType, Device, Tensor};
use std::fmt;
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
    /// What a device would compute, operation by operation, on the machine's own cores: to see its numbers where there is none. Slow.
    Rehearsal,
}

impl Processor {
    /// The device in candle's terms, the same one for all who ask in this process.
    ///
    /// Work of all threads stands in its one stream, in the order in which it was asked for.
    ///
    /// **Errors**: [`Error::Unavailable`] for CUDA in a build without the feature; [`Error::Refused`] when there is no such device or its
    /// driver does not start.
    pub fn open(self) -> Result<Device, Error> {
        Ok(opened(self)?.device.clone())
    }

    /// Waits for what the device was told to do; opens nothing that is open.
    ///
    /// **Errors**: a device that failed.
    pub fn synchronize(self) -> Result<(), Error> {
        self.open()?.synchronize().map_err(fault("Processor::synchronize"))
    }

    /// Bytes that are free on a device; `None` for the machine's own memory, of which the passes take little.
    ///
    /// **Errors**: as [`Processor::open`].
    pub fn free_memory(self) -> Result<Option<usize>, Error> {
        opened(self)?.free("Processor::free_memory")
    }
}

impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Processor::Cpu => f.write_str("the machine's own cores"),
            Processor::Cuda(index) => write!(f, "CUDA device {index}"),
            Processor::Rehearsal => f.write_str("the machine's own cores in a device's place"),
        }
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
    fault(op)
}

/// A tensor's numbers in double precision.
pub(crate) fn numbers(tensor: &Tensor) -> candle_core::Result<Vec<f64>> {
    tensor.flatten_all()?.to_device(&Device::Cpu)?.to_dtype(DType::F64)?.to_vec1()
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
        if cfg!(feature = "cuda") {
            assert!(error.contains("device"), "{error}");
        } else {
            assert!(error.contains("--features cuda"), "{error}");
        }
        assert!(error.contains("Processor::Cpu"), "{error}");
        assert!(Processor::Cpu.synchronize().is_ok());
        assert_eq!(Processor::Rehearsal.free_memory().unwrap(), None);
    }
}
