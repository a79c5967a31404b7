//! One device per index and process.
//!
//! candle's `Device::new_cuda` makes a context, handles and modules anew at each call, and puts its work into the stream of whatever
//! thread calls: what one thread wrote, another may read before it is there. Here a device is opened once, with one stream of its own, in
//! which all work of all threads stands in the order in which it was asked for; and a pass has the device to itself until it is done.

use super::pass::Room;
use crate::processor::Processor;
use candle_core::Device;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use workbench_ground::Error;

/// A device that was opened.
pub(crate) struct Opened {
    pub(crate) device: Device,
    /// Held by the pass that runs; the room of the last one.
    room: Mutex<Option<Room>>,
}

impl Opened {
    /// Waits until the device is free, and keeps others from it.
    pub(super) fn turn(&self) -> MutexGuard<'_, Option<Room>> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs what is made of candle's operations alone on the device; the machine's own cores serve several at once.
    pub(crate) fn alone<T>(&self, with: impl FnOnce() -> T) -> T {
        let _turn = (!self.device.is_cpu()).then(|| self.turn());
        with()
    }

    /// Bytes that are free; `None` for the machine's own memory.
    pub(crate) fn free(&self, op: &'static str) -> Result<Option<usize>, Error> {
        // Memory that was given back is free once the device comes to it.
        self.device.synchronize().map_err(super::faults::fault(op))?;
        free(&self.device, op)
    }
}

/// The device of a processor, opened at the first call.
pub(crate) fn opened(processor: Processor) -> Result<Arc<Opened>, Error> {
    static OPENED: Mutex<Vec<(Processor, Arc<Opened>)>> = Mutex::new(Vec::new());
    let mut all = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, opened)) = all.iter().find(|(p, _)| *p == processor) {
        return Ok(opened.clone());
    }
    let device = match processor {
        Processor::Cpu | Processor::Rehearsal => Device::Cpu,
        Processor::Cuda(index) => start(index)?,
    };
    let opened = Arc::new(Opened {
        device,
        room: Mutex::new(None),
    });
    all.push((processor, opened.clone()));
    Ok(opened)
}

#[cfg(not(feature = "cuda"))]
fn start(_: usize) -> Result<Device, Error> {
    Err(Error::unavailable(
        "Processor::open",
        "CUDA in this build",
        "build with `--features cuda` (`cargo workbench setup --cuda` does that for notebooks), or use `Processor::Cpu`",
    ))
}

#[cfg(not(feature = "cuda"))]
fn free(_: &Device, _: &'static str) -> Result<Option<usize>, Error> {
    Ok(None)
}

#[cfg(feature = "cuda")]
fn start(index: usize) -> Result<Device, Error> {
    use super::faults::{driver, fault};
    use candle_core::cuda_backend::cudarc::driver::CudaContext;
    const OP: &str = "Processor::open";
    let count = CudaContext::device_count().map_err(|e| driver(OP, &e))? as usize;
    if index >= count {
        return Err(Error::Refused {
            op: OP,
            problem: format!("there is no CUDA device {index}, this machine has {count}, counted from 0"),
            next: "look at `nvidia-smi`, or use `Processor::Cpu`".into(),
        });
    }
    let device = Device::new_cuda_with_stream(index).map_err(fault(OP))?;
    let cuda = device.as_cuda_device().map_err(fault(OP))?;
    // SAFETY: events order the work of several streams on one allocation. All work on this device goes into its one stream: the device
    // is opened here only, and its handles and allocations keep to its stream.
    unsafe { cuda.disable_event_tracking() };
    Ok(device)
}

#[cfg(feature = "cuda")]
fn free(device: &Device, op: &'static str) -> Result<Option<usize>, Error> {
    use super::faults::{driver, fault};
    if device.is_cpu() {
        return Ok(None);
    }
    let cuda = device.as_cuda_device().map_err(fault(op))?;
    let memory = cuda.cuda_stream().context().mem_get_info();
    memory.map(|(free, _)| Some(free)).map_err(|e| driver(op, &e))
}
