//! One device per index and process.
//!
//! candle's `Device::new_cuda` makes a context, handles and modules anew at each call, and puts its work into the stream of whatever
//! thread calls: what one thread wrote, another may read before it is there. Here a device is opened once, with one stream of its own, in
//! which all work of all threads stands in the order in which it was asked for; and a pass has the device to itself until it is done.

use super::pass::Room;
use crate::device::processor::Processor;
use candle_core::Device;
#[cfg(feature = "cuda")]
use candle_core::cuda_backend::cudarc::driver::{
    CudaContext, DriverError,
    result::{device, mem_pool},
    sys,
};
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
    let opened = Arc::new(Opened { device, room: Mutex::new(None) });
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
    let all = u64::MAX;
    with_pool(cuda.cuda_stream().context(), |pool| {
        let kept = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        // SAFETY: the pool is the device's own, and the attribute is a number of 64 bits.
        unsafe { mem_pool::set_attribute(pool, kept, std::ptr::from_ref(&all).cast_mut().cast()) }
    })
    .map_err(|e| driver(OP, &e))?;
    Ok(device)
}

/// Does something with the pool that memory comes from, where a device has one. By the driver's own rule it gives memory back to the system
/// whenever the device is waited for, once a step, and takes it anew in the next one.
#[cfg(feature = "cuda")]
fn with_pool(
    context: &CudaContext,
    with: impl FnOnce(sys::CUmemoryPool) -> Result<(), DriverError>,
) -> Result<(), DriverError> {
    if !context.has_async_alloc() {
        return Ok(());
    }
    // SAFETY: the device is that of a context.
    with(unsafe { device::get_default_mem_pool(context.cu_device()) }?)
}

#[cfg(feature = "cuda")]
fn free(device: &Device, op: &'static str) -> Result<Option<usize>, Error> {
    use super::faults::{driver, fault};
    if device.is_cpu() {
        return Ok(None);
    }
    let cuda = device.as_cuda_device().map_err(fault(op))?;
    let stream = cuda.cuda_stream();
    let context = stream.context();
    // What the pool keeps would count as taken. SAFETY: it is the device's own.
    with_pool(context, |pool| unsafe { mem_pool::trim_to(pool, 0) }).map_err(|e| driver(op, &e))?;
    let memory = context.mem_get_info();
    memory.map(|(free, _)| Some(free)).map_err(|e| driver(op, &e))
}
