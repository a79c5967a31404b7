//! The one operation that the pass is made of: c = alpha a b + beta c for a batch of matrices that lie anywhere in tensors.
//!
//! With free steps and with beta a product writes where its result belongs and adds to what is there, so that no copy, transposition,
//! sum or allocation stands between two products: each of them is one call of the device's library.

use candle_core::{CpuStorage, InplaceOp3, Layout, Result, Tensor, bail};
use gemm::Parallelism;

/// Matrices in a tensor: entry (i, j) of the k-th is at `from + k * batch + i * steps[0] + j * steps[1]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) from: usize,
    pub(super) size: [usize; 2],
    pub(super) steps: [usize; 2],
    pub(super) batch: usize,
}

impl Block {
    /// One matrix, rows one after the other.
    pub(super) fn new(rows: usize, columns: usize) -> Block {
        Block {
            from: 0,
            size: [rows, columns],
            steps: [columns, 1],
            batch: 0,
        }
    }

    /// The same from another entry on.
    pub(super) fn at(mut self, from: usize) -> Block {
        self.from = from;
        self
    }

    /// The same for matrices that lie `step` apart.
    pub(super) fn every(mut self, step: usize) -> Block {
        self.batch = step;
        self
    }

    /// The same with rows that lie `step` apart.
    pub(super) fn rows_every(mut self, step: usize) -> Block {
        self.steps[0] = step;
        self
    }

    /// The transposed matrices.
    pub(super) fn turned(mut self) -> Block {
        self.size.swap(0, 1);
        self.steps.swap(0, 1);
        self
    }

    fn last(&self, batches: usize) -> usize {
        let [rows, columns] = self.size;
        self.from + (batches - 1) * self.batch + (rows - 1) * self.steps[0] + (columns - 1) * self.steps[1]
    }

    /// How a library that knows columns one after the other takes these rows: as they are (false) or turned (true), and the distance
    /// from one run of entries to the next. `None` when neither rows nor columns lie together.
    #[cfg(any(test, feature = "cuda"))]
    fn leading(&self) -> Option<(bool, usize)> {
        let ([rows, columns], [down, across]) = (self.size, self.steps);
        if (across == 1 || columns == 1) && (rows == 1 || down >= columns) {
            Some((false, if rows == 1 { columns } else { down }))
        } else if (down == 1 || rows == 1) && (columns == 1 || across >= rows) {
            Some((true, if columns == 1 { rows } else { across }))
        } else {
            None
        }
    }
}

/// alpha a b + beta c.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    pub(super) batches: usize,
    pub(super) alpha: f64,
    pub(super) beta: f64,
    pub(super) c: Block,
    pub(super) a: Block,
    pub(super) b: Block,
}

impl Product {
    /// c = a b for so many matrices.
    pub(super) fn new(batches: usize, c: Block, a: Block, b: Block) -> Product {
        Product {
            batches,
            alpha: 1.0,
            beta: 0.0,
            c,
            a,
            b,
        }
    }

    /// The same times a number.
    pub(super) fn times(mut self, alpha: f64) -> Product {
        self.alpha = alpha;
        self
    }

    /// The same added to what is there, if `adds`.
    pub(super) fn adding(mut self, adds: bool) -> Product {
        self.beta = if adds { 1.0 } else { 0.0 };
        self
    }

    /// Runs on tensors with the entries of c, a and b.
    pub(super) fn run(&self, c: &Tensor, a: &Tensor, b: &Tensor) -> Result<()> {
        let ([m, n], [p, k], [q, r]) = (self.c.size, self.a.size, self.b.size);
        if m != p || n != r || k != q || m * n * k * self.batches == 0 {
            bail!("a ({p}, {k}) times a ({q}, {r}) matrix does not fit a ({m}, {n}) one");
        }
        for (block, tensor) in [(self.c, c), (self.a, a), (self.b, b)] {
            let len = tensor.elem_count();
            if block.last(self.batches) >= len || !tensor.is_contiguous() {
                bail!("{block:?} is not within {len} numbers");
            }
        }
        // Columns of the result that lie together are rows of the turned product.
        if self.c.steps[1] == 1 || self.c.size[1] == 1 {
            return c.inplace_op3(a, b, self);
        }
        let turned = Product {
            c: self.c.turned(),
            a: self.b.turned(),
            b: self.a.turned(),
            ..*self
        };
        if turned.c.steps[1] != 1 && turned.c.size[1] != 1 {
            bail!("rows and columns of {:?} are both scattered", self.c);
        }
        c.inplace_op3(b, a, &turned)
    }
}

/// The products with the machine's own cores.
macro_rules! by_cores {
    ($told:expr, $t:ty, $c:expr, $a:expr, $b:expr, $from:expr) => {{
        let (told, c, a, b, from): (&Product, &mut [$t], &[$t], &[$t], [usize; 3]) = ($told, $c, $a, $b, $from);
        let inside = |block: &Block, from: usize, len: usize| from + block.last(told.batches) < len;
        let fits = inside(&told.c, from[0], c.len()) && inside(&told.a, from[1], a.len()) && inside(&told.b, from[2], b.len());
        if !fits {
            bail!("{told:?} leaves its tensors");
        }
        let ([m, n], k) = (told.c.size, told.a.size[1]);
        let step = |step: usize| step as isize;
        for i in 0..told.batches {
            // SAFETY: the last entry of the last matrix of each tensor lies within it, as was just seen; c is borrowed alone.
            unsafe {
                gemm::gemm(
                    m, n, k,
                    c.as_mut_ptr().add(from[0] + told.c.from + i * told.c.batch), step(told.c.steps[1]), step(told.c.steps[0]),
                    told.beta != 0.0,
                    a.as_ptr().add(from[1] + told.a.from + i * told.a.batch), step(told.a.steps[1]), step(told.a.steps[0]),
                    b.as_ptr().add(from[2] + told.b.from + i * told.b.batch), step(told.b.steps[1]), step(told.b.steps[0]),
                    told.beta as $t, told.alpha as $t, false, false, false,
                    Parallelism::None,
                );
            }
        }
    }};
}

impl InplaceOp3 for Product {
    fn name(&self) -> &'static str {
        "products of matrices"
    }

    fn cpu_fwd(
        &self,
        c: &mut CpuStorage,
        c_layout: &Layout,
        a: &CpuStorage,
        a_layout: &Layout,
        b: &CpuStorage,
        b_layout: &Layout,
    ) -> Result<()> {
        let from = [c_layout, a_layout, b_layout].map(Layout::start_offset);
        match (c, a, b) {
            (CpuStorage::F32(c), CpuStorage::F32(a), CpuStorage::F32(b)) => by_cores!(self, f32, c, a, b, from),
            (CpuStorage::F64(c), CpuStorage::F64(a), CpuStorage::F64(b)) => by_cores!(self, f64, c, a, b, from),
            _ => bail!("{}: all numbers have to be f32, or all f64", self.name()),
        }
        Ok(())
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        c: &mut candle_core::CudaStorage,
        c_layout: &Layout,
        a: &candle_core::CudaStorage,
        a_layout: &Layout,
        b: &candle_core::CudaStorage,
        b_layout: &Layout,
    ) -> Result<()> {
        use candle_core::cuda_backend::CudaStorageSlice as Slice;
        let from = [c_layout, a_layout, b_layout].map(Layout::start_offset);
        let blas = c.device.cublas_handle();
        match (&mut c.slice, &a.slice, &b.slice) {
            (Slice::F32(c), Slice::F32(a), Slice::F32(b)) => by_library::run(self, &blas, c, a, b, from),
            (Slice::F64(c), Slice::F64(a), Slice::F64(b)) => by_library::run(self, &blas, c, a, b, from),
            _ => bail!("{}: all numbers have to be f32, or all f64", self.name()),
        }
    }
}

/// The arguments of the device's library for a product: it keeps columns one after the other, so it is told the turned product.
#[cfg(any(test, feature = "cuda"))]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Told {
    turns: [bool; 2],
    sizes: [usize; 3],
    leading: [usize; 3],
    batch: [usize; 3],
}

#[cfg(any(test, feature = "cuda"))]
impl Product {
    /// For the library: c' = b' a'.
    fn told(&self) -> Result<Told> {
        let (Some(b), Some(a), Some((false, c))) = (self.b.leading(), self.a.leading(), self.c.leading()) else {
            bail!("rows and columns of a matrix are both scattered: {self:?}")
        };
        let ([m, n], k) = (self.c.size, self.a.size[1]);
        Ok(Told {
            turns: [b.0, a.0],
            sizes: [n, m, k],
            leading: [b.1, a.1, c],
            batch: [self.b.batch, self.a.batch, self.c.batch],
        })
    }
}

#[cfg(feature = "cuda")]
mod by_library {
    use super::{Product, Result};
    use candle_core::bail;
    use candle_core::cuda_backend::WrapErr;
    use candle_core::cuda_backend::cudarc::cublas::sys::cublasOperation_t::{CUBLAS_OP_N, CUBLAS_OP_T};
    use candle_core::cuda_backend::cudarc::cublas::{CudaBlas, Gemm, GemmConfig, StridedBatchedConfig};
    use candle_core::cuda_backend::cudarc::driver::{CudaSlice, DeviceRepr};

    /// A number of a matrix.
    pub(super) trait Number: DeviceRepr {
        fn of(value: f64) -> Self;
    }

    impl Number for f32 {
        fn of(value: f64) -> f32 {
            value as f32
        }
    }

    impl Number for f64 {
        fn of(value: f64) -> f64 {
            value
        }
    }

    /// One call of the library.
    pub(super) fn run<T: Number>(
        product: &Product,
        blas: &CudaBlas,
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
                bail!("{block:?} leaves its tensor");
            }
        }
        let told = product.told()?;
        let turn = |turned: bool| if turned { CUBLAS_OP_T } else { CUBLAS_OP_N };
        let config = StridedBatchedConfig {
            gemm: GemmConfig {
                transa: turn(told.turns[0]),
                transb: turn(told.turns[1]),
                m: told.sizes[0] as i32,
                n: told.sizes[1] as i32,
                k: told.sizes[2] as i32,
                alpha: T::of(product.alpha),
                lda: told.leading[0] as i32,
                ldb: told.leading[1] as i32,
                beta: T::of(product.beta),
                ldc: told.leading[2] as i32,
            },
            batch_size: product.batches as i32,
            stride_a: told.batch[0] as i64,
            stride_b: told.batch[1] as i64,
            stride_c: told.batch[2] as i64,
        };
        let (a, b) = (a.slice(from[1] + product.a.from..), b.slice(from[2] + product.b.from..));
        let mut c = c.slice_mut(from[0] + product.c.from..);
        // SAFETY: the last entry of the last matrix of each slice lies within it, as was just seen; c is borrowed alone.
        unsafe { blas.gemm_strided_batched(config, &b, &a, &mut c) }.w()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::Device;

    /// What the library does with its arguments, written as its manual says: columns one after the other.
    fn library(told: &Told, product: &Product, c: &mut [f64], a: &[f64], b: &[f64]) {
        let [m, n, k] = told.sizes;
        let entry = |x: &[f64], turned: bool, from: usize, leading: usize, i: usize, j: usize| {
            x[from + if turned { j + i * leading } else { i + j * leading }]
        };
        for batch in 0..product.batches {
            for i in 0..m {
                for j in 0..n {
                    let left = |p| {
                        entry(
                            b,
                            told.turns[0],
                            product.b.from + batch * told.batch[0],
                            told.leading[0],
                            i,
                            p,
                        )
                    };
                    let right = |p| {
                        entry(
                            a,
                            told.turns[1],
                            product.a.from + batch * told.batch[1],
                            told.leading[1],
                            p,
                            j,
                        )
                    };
                    let sum: f64 = (0..k).map(|p| left(p) * right(p)).sum();
                    let to = &mut c[product.c.from + batch * told.batch[2] + i + j * told.leading[2]];
                    *to = product.alpha * sum + if product.beta == 0.0 { 0.0 } else { product.beta * *to };
                }
            }
        }
    }

    fn plain(product: &Product, c: &mut [f64], a: &[f64], b: &[f64]) {
        let place = |block: &Block, k: usize, i: usize, j: usize| {
            block.from + k * block.batch + i * block.steps[0] + j * block.steps[1]
        };
        for k in 0..product.batches {
            for i in 0..product.c.size[0] {
                for j in 0..product.c.size[1] {
                    let terms =
                        (0..product.a.size[1]).map(|p| a[place(&product.a, k, i, p)] * b[place(&product.b, k, p, j)]);
                    let sum = product.alpha * terms.sum::<f64>();
                    let to = &mut c[place(&product.c, k, i, j)];
                    *to = sum + if product.beta == 0.0 { 0.0 } else { product.beta * *to };
                }
            }
        }
    }

    #[test]
    fn products_and_what_the_library_is_told_are_plain_loops() {
        let numbers = |from: usize| (0..600).map(|i| (0.37 * (i + from) as f64).sin()).collect::<Vec<f64>>();
        let (a, b, c) = (numbers(0), numbers(7), numbers(3));
        let block = |rows, columns| Block::new(rows, columns).at(5).every(60);
        let cases = [
            Product::new(4, block(3, 5), block(3, 7), block(7, 5)),
            Product::new(4, block(3, 5).rows_every(9), block(7, 3).turned(), block(7, 5)).times(0.5),
            Product::new(2, block(3, 5), block(3, 7).rows_every(8), block(5, 7).turned()).adding(true),
            // The result turned, a factor that all share, single rows and columns, steps between single numbers.
            Product::new(4, block(5, 3).turned(), block(3, 7), block(7, 5).every(0)),
            Product::new(1, Block::new(1, 9), Block::new(1, 4), Block::new(4, 9)),
            Product::new(1, Block::new(9, 1), Block::new(9, 1).rows_every(11), Block::new(1, 1)).adding(true),
            Product::new(
                6,
                Block::new(1, 4).at(2).every(20),
                Block::new(1, 1).every(1),
                Block::new(1, 4).every(5),
            ),
            Product::new(1, Block::new(1, 1), Block::new(9, 1).turned(), Block::new(9, 1)),
        ];
        for product in cases {
            let mut want = c.clone();
            plain(&product, &mut want, &a, &b);
            let tensor = |v: &Vec<f64>| Tensor::new(v.as_slice(), &Device::Cpu).unwrap();
            let to = tensor(&c);
            product.run(&to, &tensor(&a), &tensor(&b)).unwrap();
            let got: Vec<f64> = to.to_vec1().unwrap();
            assert!(got.iter().zip(&want).all(|(g, w)| (g - w).abs() < 1e-13), "{product:?}");
            if product.c.steps[1] == 1 || product.c.size[1] == 1 {
                let mut got = c.clone();
                library(&product.told().unwrap(), &product, &mut got, &a, &b);
                assert!(got.iter().zip(&want).all(|(g, w)| (g - w).abs() < 1e-13), "{product:?}");
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let tensor = Tensor::zeros(20, candle_core::DType::F32, &Device::Cpu).unwrap();
        let other = tensor.copy().unwrap();
        let run = |c: Block, a: Block, b: Block| {
            Product::new(1, c, a, b)
                .run(&other, &tensor, &tensor)
                .unwrap_err()
                .to_string()
        };
        let fits = Block::new(3, 3);
        assert!(run(fits, Block::new(3, 2), fits).contains("does not fit"));
        assert!(run(fits.at(12), fits, fits).contains("not within"));
        assert!(run(Block { steps: [5, 2], ..fits }, fits, fits).contains("scattered"));
    }
}
