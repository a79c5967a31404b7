//! The one operation that the pass is made of: c = alpha a b + beta c for a batch of matrices that lie anywhere in tensors.
//!
//! With free steps and with beta a product writes where its result belongs and adds to what is there, so that no copy, transposition,
//! sum or allocation stands between two products: each of them is one call of the device's library.

#[cfg(feature = "cuda")]
use super::call::by_device;
use candle_core::{CpuStorage, InplaceOp3, Layout, Result, Tensor, bail};
use gemm::Parallelism;

/// What errors name.
pub(super) const NAME: &str = "products of matrices";

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
        Block { from: 0, size: [rows, columns], steps: [columns, 1], batch: 0 }
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
    pub(super) fn transposed(mut self) -> Block {
        self.size.swap(0, 1);
        self.steps.swap(0, 1);
        self
    }

    pub(super) fn last(&self, batches: usize) -> usize {
        let [rows, columns] = self.size;
        self.from + (batches - 1) * self.batch + (rows - 1) * self.steps[0] + (columns - 1) * self.steps[1]
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
        Product { batches, alpha: 1.0, beta: 0.0, c, a, b }
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
            bail!("{NAME}: a ({p}, {k}) times a ({q}, {r}) matrix does not fit a ({m}, {n}) one");
        }
        for (block, tensor) in [(self.c, c), (self.a, a), (self.b, b)] {
            let len = tensor.elem_count();
            if block.last(self.batches) >= len || !tensor.is_contiguous() {
                bail!("{NAME}: {block:?} is not within {len} numbers");
            }
        }
        // Columns of the result that lie together are rows of the transposed product.
        if self.c.steps[1] == 1 || self.c.size[1] == 1 {
            return c.inplace_op3(a, b, self);
        }
        let transposed = Product { c: self.c.transposed(), a: self.b.transposed(), b: self.a.transposed(), ..*self };
        if transposed.c.steps[1] != 1 && transposed.c.size[1] != 1 {
            bail!("{NAME}: rows and columns of {:?} are both scattered", self.c);
        }
        c.inplace_op3(b, a, &transposed)
    }
}

/// The products with the machine's own cores.
macro_rules! by_cores {
    ($told:expr, $t:ty, $c:expr, $a:expr, $b:expr, $from:expr) => {{
        let (told, c, a, b, from): (&Product, &mut [$t], &[$t], &[$t], [usize; 3]) = ($told, $c, $a, $b, $from);
        let inside = |block: &Block, from: usize, len: usize| from + block.last(told.batches) < len;
        let fits = inside(&told.c, from[0], c.len()) && inside(&told.a, from[1], a.len()) && inside(&told.b, from[2], b.len());
        if !fits {
            bail!("{NAME}: {told:?} leaves its tensors");
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
        NAME
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
        let device = c.device.clone();
        match (&mut c.slice, &a.slice, &b.slice) {
            (Slice::F32(c), Slice::F32(a), Slice::F32(b)) => by_device::run(self, &device, c, a, b, from),
            (Slice::F64(c), Slice::F64(a), Slice::F64(b)) => by_device::run(self, &device, c, a, b, from),
            _ => bail!("{}: all numbers have to be f32, or all f64", self.name()),
        }
    }
}

/// The definition.
#[cfg(test)]
pub(super) fn plain(product: &Product, c: &mut [f64], a: &[f64], b: &[f64]) {
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

/// Products of all kinds on tensors of 600 numbers.
#[cfg(test)]
pub(super) fn cases() -> Vec<Product> {
    let block = |rows, columns| Block::new(rows, columns).at(5).every(60);
    vec![
        Product::new(4, block(3, 5), block(3, 7), block(7, 5)),
        Product::new(4, block(3, 5).rows_every(9), block(7, 3).transposed(), block(7, 5)).times(0.5),
        Product::new(2, block(3, 5), block(3, 7).rows_every(8), block(5, 7).transposed()).adding(true),
        // The result transposed, a factor that all share, single rows and columns, steps between single numbers.
        Product::new(4, block(5, 3).transposed(), block(3, 7), block(7, 5).every(0)),
        Product::new(1, Block::new(1, 9), Block::new(1, 4), Block::new(4, 9)),
        Product::new(1, Block::new(9, 1), Block::new(9, 1).rows_every(11), Block::new(1, 1)).adding(true),
        Product::new(6, Block::new(1, 4).at(2).every(20), Block::new(1, 1).every(1), Block::new(1, 4).every(5)),
        Product::new(1, Block::new(1, 1), Block::new(9, 1).transposed(), Block::new(9, 1)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::Device;

    #[test]
    fn products_are_plain_loops() {
        let numbers = |from: usize| (0..600).map(|i| (0.37 * (i + from) as f64).sin()).collect::<Vec<f64>>();
        let (a, b, c) = (numbers(0), numbers(7), numbers(3));
        for product in cases() {
            let mut want = c.clone();
            plain(&product, &mut want, &a, &b);
            let tensor = |v: &Vec<f64>| Tensor::new(v.as_slice(), &Device::Cpu).unwrap();
            let to = tensor(&c);
            product.run(&to, &tensor(&a), &tensor(&b)).unwrap();
            let got: Vec<f64> = to.to_vec1().unwrap();
            assert!(got.iter().zip(&want).all(|(g, w)| (g - w).abs() < 1e-13), "{product:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let tensor = Tensor::zeros(20, candle_core::DType::F32, &Device::Cpu).unwrap();
        let other = tensor.copy().unwrap();
        let run = |c: Block, a: Block, b: Block| {
            Product::new(1, c, a, b).run(&other, &tensor, &tensor).unwrap_err().to_string()
        };
        let fits = Block::new(3, 3);
        assert!(run(fits, Block::new(3, 2), fits).contains("products of matrices: a (3, 2) times"));
        assert!(run(fits.at(12), fits, fits).contains("not within"));
        assert!(run(Block { steps: [5, 2], ..fits }, fits, fits).contains("scattered"));
    }
}
