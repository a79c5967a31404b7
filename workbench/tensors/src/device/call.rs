//! Calls of products on a device: as one call of its library, or, for many small matrices, as one kernel of our own; large ones are a kernel
//! of `tiled` where `multiplication` says so.
//!
//! The library works in tiles of some dozens of rows and columns, most of which a matrix of six rows leaves empty. A thread for each number
//! of such a result asks for no more than what has to be read.

use super::product::{Block, NAME, Product};
use candle_core::{Result, bail};

/// Matrices with more rows, columns or terms are left to the library.
const SMALL: usize = 16;
/// So are products of fewer matrices.
const MANY: usize = 32;

/// The arguments of the library for a product: it keeps columns one after the other, so it is told the transposed product.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Told {
    transposed: [bool; 2],
    sizes: [usize; 3],
    leading: [usize; 3],
    batch: [usize; 3],
}

/// How a library that knows columns one after the other takes rows: as they are (false) or transposed (true), and the distance from one run of
/// entries to the next. `None` when neither rows nor columns lie together.
fn leading(block: &Block) -> Option<(bool, usize)> {
    let ([rows, columns], [down, across]) = (block.size, block.steps);
    if (across == 1 || columns == 1) && (rows == 1 || down >= columns) {
        Some((false, if rows == 1 { columns } else { down }))
    } else if (down == 1 || rows == 1) && (columns == 1 || across >= rows) {
        Some((true, if columns == 1 { rows } else { across }))
    } else {
        None
    }
}

/// For the library: c' = b' a'.
fn told(product: &Product) -> Result<Told> {
    let (Some(b), Some(a), Some((false, c))) = (leading(&product.b), leading(&product.a), leading(&product.c)) else {
        bail!("{NAME}: rows and columns of a matrix are both scattered: {product:?}")
    };
    let ([m, n], k) = (product.c.size, product.a.size[1]);
    Ok(Told {
        transposed: [b.0, a.0],
        sizes: [n, m, k],
        leading: [b.1, a.1, c],
        batch: [product.b.batch, product.a.batch, product.c.batch],
    })
}

/// The sizes that the kernel `small` is told, in the order of its text; `None` for what the library is told.
fn small(product: &Product) -> Option<[u32; 13]> {
    let ([m, n], k) = (product.c.size, product.a.size[1]);
    let all = product.batches * m * n;
    if m.max(n).max(k) > SMALL || product.batches < MANY || all > i32::MAX as usize {
        return None;
    }
    let place = |block: &Block| [block.batch, block.steps[0], block.steps[1]].map(|step| step as u32);
    let [c, a, b] = [&product.c, &product.a, &product.b].map(place);
    let sizes = [all, m, n, k].map(|size| size as u32);
    let mut out = [0; 13];
    out.copy_from_slice(&[&sizes[..], &c, &a, &b].concat());
    Some(out)
}

#[cfg(feature = "cuda")]
pub(super) mod by_device {
    use super::{NAME, Product, Result, bail, small, told};
    use crate::device::launch::{TEXT, by_device::grid};
    use crate::device::multiplication::Multiplication;
    use crate::device::tiled::{THREADS, tiled};
    use candle_core::cuda_backend::cudarc::cublas::sys::cublasOperation_t::{CUBLAS_OP_N, CUBLAS_OP_T};
    use candle_core::cuda_backend::cudarc::cublas::{CudaBlas, Gemm, GemmConfig, StridedBatchedConfig};
    use candle_core::cuda_backend::cudarc::driver::{CudaSlice, DeviceRepr, LaunchConfig, PushKernelArg};
    use candle_core::cuda_backend::{WrapErr, kernel_name};
    use candle_core::{CudaDevice, WithDType};

    /// One launch.
    pub(in crate::device) fn run<T: WithDType + DeviceRepr>(
        product: &Product,
        device: &CudaDevice,
        c: &mut CudaSlice<T>,
        a: &CudaSlice<T>,
        b: &CudaSlice<T>,
        from: [usize; 3],
    ) -> Result<()>
    where
        CudaBlas: Gemm<T>,
    {
        let blocks = [(product.c, c.len()), (product.a, a.len()), (product.b, b.len())];
        for ((block, len), from) in blocks.iter().zip(from) {
            if from + block.last(product.batches) >= *len {
                bail!("{NAME}: {block:?} leaves its tensor");
            }
        }
        let (a, b) = (a.slice(from[1] + product.a.from..), b.slice(from[2] + product.b.from..));
        let mut c = c.slice_mut(from[0] + product.c.from..);
        let (alpha, beta) = (T::from_f64(product.alpha), T::from_f64(product.beta));
        let tiles = match Multiplication::chosen() {
            Multiplication::Tiles => tiled(product),
            Multiplication::Library => None,
        };
        let own = match (small(product), &tiles) {
            (Some(sizes), _) => Some(("small", sizes.to_vec(), grid(sizes[0] as usize, 1))),
            (None, Some(told)) => {
                let blocks =
                    LaunchConfig { grid_dim: (told.tiles, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
                Some(("tiled", told.sizes.to_vec(), blocks))
            }
            (None, None) => None,
        };
        if let Some((name, sizes, blocks)) = own {
            let function = device.get_or_load_custom_func(&kernel_name::<T>(name), "workbench", TEXT)?;
            let mut launch = function.builder();
            sizes.iter().for_each(|size| {
                launch.arg(size);
            });
            launch.arg(&alpha).arg(&beta).arg(&a).arg(&b).arg(&mut c);
            // SAFETY: the arguments are those of the text, in its order; the last entry of the last matrix of each view lies within it, as
            // was just seen; c is borrowed alone.
            unsafe { launch.launch(blocks) }.w()?;
            return Ok(());
        }
        let told = told(product)?;
        let operation = |transposed: bool| if transposed { CUBLAS_OP_T } else { CUBLAS_OP_N };
        let config = StridedBatchedConfig {
            gemm: GemmConfig {
                transa: operation(told.transposed[0]),
                transb: operation(told.transposed[1]),
                m: told.sizes[0] as i32,
                n: told.sizes[1] as i32,
                k: told.sizes[2] as i32,
                alpha,
                lda: told.leading[0] as i32,
                ldb: told.leading[1] as i32,
                beta,
                ldc: told.leading[2] as i32,
            },
            batch_size: product.batches as i32,
            stride_a: told.batch[0] as i64,
            stride_b: told.batch[1] as i64,
            stride_c: told.batch[2] as i64,
        };
        // SAFETY: as above.
        unsafe { device.cublas_handle().gemm_strided_batched(config, &b, &a, &mut c) }.w()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the library does with its arguments, written as its manual says: columns one after the other.
    fn library(told: &Told, product: &Product, c: &mut [f64], a: &[f64], b: &[f64]) {
        let [m, n, k] = told.sizes;
        let entry = |x: &[f64], transposed: bool, from: usize, leading: usize, i: usize, j: usize| {
            x[from + if transposed { j + i * leading } else { i + j * leading }]
        };
        for batch in 0..product.batches {
            let (of_b, of_a) = (product.b.from + batch * told.batch[0], product.a.from + batch * told.batch[1]);
            for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let left = |p| entry(b, told.transposed[0], of_b, told.leading[0], i, p);
                let right = |p| entry(a, told.transposed[1], of_a, told.leading[1], p, j);
                let sum: f64 = (0..k).map(|p| left(p) * right(p)).sum();
                let to = &mut c[product.c.from + batch * told.batch[2] + i + j * told.leading[2]];
                *to = product.alpha * sum + if product.beta == 0.0 { 0.0 } else { product.beta * *to };
            }
        }
    }

    #[test]
    fn what_the_library_is_told_are_plain_loops() {
        let numbers = |from: usize| (0..600).map(|i| (0.37 * (i + from) as f64).sin()).collect::<Vec<f64>>();
        let (a, b, c) = (numbers(0), numbers(7), numbers(3));
        for product in crate::device::product::cases() {
            if product.c.steps[1] != 1 && product.c.size[1] != 1 {
                continue; // `Product::run` transposes these.
            }
            let (mut want, mut got) = (c.clone(), c.clone());
            crate::device::product::plain(&product, &mut want, &a, &b);
            library(&told(&product).unwrap(), &product, &mut got, &a, &b);
            assert!(got.iter().zip(&want).all(|(g, w)| (g - w).abs() < 1e-13), "{product:?}");
        }
    }

    #[test]
    fn many_small_matrices_are_a_kernel_s() {
        let of = |rows: usize, batches: usize| {
            let each = Block::new(rows, 6).every(100);
            small(&Product::new(
                batches,
                each.at(3),
                each.transposed().transposed(),
                Block::new(6, 6).transposed().every(40),
            ))
        };
        assert_eq!(of(7, 50), Some([2100, 7, 6, 6, 100, 6, 1, 100, 6, 1, 40, 1, 6]));
        assert_eq!((of(17, 50), of(7, 31)), (None, None));
    }
}
