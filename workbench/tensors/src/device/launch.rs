//! A kernel of `kernels` as an operation of candle's: by the machine's own cores, or by a device.

use candle_core::{CpuStorage, InplaceOp3, Layout, Result, Storage, Tensor, WithDType, bail};
use std::ops::{AddAssign, DivAssign, Mul, Sub, SubAssign};

/// The kernels as a device's driver reads them.
#[cfg(feature = "cuda")]
pub(super) const TEXT: &str = include_str!("kernels.ptx");
/// Threads of a block.
#[cfg(feature = "cuda")]
const THREADS: usize = 256;

/// A number of a kernel.
pub(super) trait Number:
    WithDType + AddAssign + SubAssign + Mul<Output = Self> + Sub<Output = Self> + DivAssign
{
    /// e to it.
    fn exp(self) -> Self;
    /// The numbers of a storage, if it holds such.
    fn of(storage: &mut CpuStorage) -> Option<&mut [Self]>;
}

impl Number for f32 {
    fn exp(self) -> f32 {
        f32::exp(self)
    }

    fn of(storage: &mut CpuStorage) -> Option<&mut [f32]> {
        match storage {
            CpuStorage::F32(numbers) => Some(numbers),
            _ => None,
        }
    }
}

impl Number for f64 {
    fn exp(self) -> f64 {
        f64::exp(self)
    }

    fn of(storage: &mut CpuStorage) -> Option<&mut [f64]> {
        match storage {
            CpuStorage::F64(numbers) => Some(numbers),
            _ => None,
        }
    }
}

/// A kernel with its sizes. It reads up to three tensors and writes one.
pub(super) trait Kernel {
    /// Its name in `kernels.cu`, without that of the type.
    const NAME: &'static str;
    /// Its first arguments there.
    fn sizes(&self) -> Vec<usize>;
    /// Threads that are needed, and how often.
    fn threads(&self) -> (usize, usize);
    /// Where each tensor is read and written from on, and how many numbers: in the order of the text.
    fn spans(&self) -> [(usize, usize); 4];
    /// The same in loops.
    fn by_cores<T: Number>(&self, first: &[T], second: &[T], third: &[T], to: &mut [T]);
}

/// A kernel and the tensor that candle's operation on three has no place for.
struct Launch<'a, K>(&'a K, Option<&'a Tensor>);

/// Runs a kernel on its tensors, in the order of its text.
pub(super) fn run(
    kernel: &impl Kernel,
    to: &Tensor,
    first: Option<&Tensor>,
    second: &Tensor,
    third: &Tensor,
) -> Result<()> {
    let tensors = [first, Some(second), Some(third), Some(to)];
    for (tensor, (from, count)) in tensors.iter().zip(kernel.spans()) {
        let Some(tensor) = tensor else { continue };
        let held = tensor.elem_count();
        // The kernels count numbers of one state and threads in 32 bits.
        if from + count > held || !tensor.is_contiguous() {
            bail!("{}: {count} numbers from {from} on are not within {held}", name(kernel));
        }
    }
    let (threads, times) = kernel.threads();
    let most = kernel.sizes().into_iter().chain([threads]).max().unwrap_or_default();
    if most > i32::MAX as usize || times > usize::from(u16::MAX) {
        bail!("{}: {most} numbers, {times} times, are too many for a kernel", name(kernel));
    }
    to.inplace_op3(second, third, &Launch(kernel, first))
}

fn name<K: Kernel>(_: &K) -> &'static str {
    K::NAME
}

impl<K: Kernel> Launch<'_, K> {
    /// By the machine's own cores, if all numbers are of this type.
    fn on_cores<T: Number>(&self, to: (&mut CpuStorage, &Layout), read: [(&CpuStorage, &Layout); 2]) -> Option<()> {
        let held = self.0.spans();
        let inside = |(from, count): (usize, usize), layout: &Layout| {
            layout.start_offset() + from..layout.start_offset() + from + count
        };
        let second = &read[0].0.as_slice::<T>().ok()?[inside(held[1], read[0].1)];
        let third = &read[1].0.as_slice::<T>().ok()?[inside(held[2], read[1].1)];
        let to = &mut T::of(to.0)?[inside(held[3], to.1)];
        let Some(first) = self.1 else {
            self.0.by_cores(&[], second, third, to);
            return Some(());
        };
        let (storage, layout) = first.storage_and_layout();
        let Storage::Cpu(storage) = &*storage else { return None };
        let first = &storage.as_slice::<T>().ok()?[inside(held[0], layout)];
        self.0.by_cores(first, second, third, to);
        Some(())
    }
}

impl<K: Kernel> InplaceOp3 for Launch<'_, K> {
    fn name(&self) -> &'static str {
        K::NAME
    }

    fn cpu_fwd(
        &self,
        to: &mut CpuStorage,
        to_layout: &Layout,
        second: &CpuStorage,
        second_layout: &Layout,
        third: &CpuStorage,
        third_layout: &Layout,
    ) -> Result<()> {
        let read = [(second, second_layout), (third, third_layout)];
        let done = self.on_cores::<f32>((to, to_layout), read);
        match done.or_else(|| self.on_cores::<f64>((to, to_layout), read)) {
            Some(()) => Ok(()),
            None => bail!("{}: all numbers have to be f32, or all f64", K::NAME),
        }
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        to: &mut candle_core::CudaStorage,
        to_layout: &Layout,
        second: &candle_core::CudaStorage,
        second_layout: &Layout,
        third: &candle_core::CudaStorage,
        third_layout: &Layout,
    ) -> Result<()> {
        let (to, read) = ((to, to_layout), [(second, second_layout), (third, third_layout)]);
        match to.0.slice {
            candle_core::cuda_backend::CudaStorageSlice::F64(_) => self.on_device::<f64>(to, read),
            _ => self.on_device::<f32>(to, read),
        }
    }
}

#[cfg(feature = "cuda")]
pub(super) mod by_device {
    use super::{Kernel, Launch, Layout, Number, Result, Storage, TEXT, THREADS, bail};
    use candle_core::CudaStorage;
    use candle_core::cuda_backend::cudarc::driver::{DeviceRepr, LaunchConfig, PushKernelArg};
    use candle_core::cuda_backend::{CudaDType, WrapErr, kernel_name};

    /// So many threads, so often.
    pub(in crate::device) fn grid(threads: usize, times: usize) -> LaunchConfig {
        LaunchConfig {
            grid_dim: (threads.div_ceil(THREADS) as u32, times as u32, 1),
            block_dim: (THREADS as u32, 1, 1),
            shared_mem_bytes: 0,
        }
    }

    impl<K: Kernel> Launch<'_, K> {
        pub(super) fn on_device<T: Number + CudaDType + DeviceRepr>(
            &self,
            to: (&mut CudaStorage, &Layout),
            read: [(&CudaStorage, &Layout); 2],
        ) -> Result<()> {
            let Launch(kernel, first) = self;
            let spans = kernel.spans();
            let first = first.map(|first| first.storage_and_layout());
            let first = match &first {
                None => None,
                Some((storage, layout)) => match &**storage {
                    Storage::Cuda(storage) => Some((storage, *layout)),
                    _ => bail!("{}: tensors of two devices", K::NAME),
                },
            };
            let mut views = Vec::with_capacity(3);
            for (operand, (from, count)) in [first, Some(read[0]), Some(read[1])].into_iter().zip(spans) {
                let Some((storage, layout)) = operand else { continue };
                let from = layout.start_offset() + from;
                views.push(storage.as_cuda_slice::<T>()?.slice(from..from + count));
            }
            let device = to.0.device.clone();
            let from = to.1.start_offset() + spans[3].0;
            let mut written = to.0.as_cuda_slice_mut::<T>()?.slice_mut(from..from + spans[3].1);
            let function = device.get_or_load_custom_func(&kernel_name::<T>(K::NAME), "workbench", TEXT)?;
            let sizes: Vec<u32> = kernel.sizes().into_iter().map(|size| size as u32).collect();
            let mut launch = function.builder();
            sizes.iter().for_each(|size| {
                launch.arg(size);
            });
            views.iter().for_each(|view| {
                launch.arg(view);
            });
            launch.arg(&mut written);
            let (threads, times) = kernel.threads();
            // SAFETY: the arguments are those of the text, in its order; each view is as long as the sizes say, and what is written to is
            // borrowed alone.
            unsafe { launch.launch(grid(threads, times)) }.w()?;
            Ok(())
        }
    }
}
