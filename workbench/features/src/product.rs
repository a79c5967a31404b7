//! Matrix products of tiles on one thread; parallelism is over tiles.

use gemm::Parallelism;

/// A row-major or transposed matrix in a slice: (rows, columns, row step, column step).
#[derive(Clone, Copy)]
pub(super) struct View {
    rows: usize,
    cols: usize,
    row_step: usize,
    col_step: usize,
}

impl View {
    /// Row-major, `rows` x `cols`.
    pub(super) fn rows(rows: usize, cols: usize) -> View {
        View { rows, cols, row_step: cols, col_step: 1 }
    }

    /// The transpose.
    pub(super) fn t(self) -> View {
        View { rows: self.cols, cols: self.rows, row_step: self.col_step, col_step: self.row_step }
    }

    fn fits(&self, len: usize) -> bool {
        self.rows == 0 || self.cols == 0 || (self.rows - 1) * self.row_step + (self.cols - 1) * self.col_step < len
    }
}

/// `out` = `a` `b`, or `out` + `a` `b`. **Panics** if a slice is shorter than its view or the shapes do not chain.
pub(super) fn product<T: number::Number>(out: (&mut [T], View), a: (&[T], View), b: (&[T], View), add: bool) {
    let ((out, ov), (a, av), (b, bv)) = (out, a, b);
    assert!(
        ov.fits(out.len())
            && av.fits(a.len())
            && bv.fits(b.len())
            && av.cols == bv.rows
            && ov.rows == av.rows
            && ov.cols == bv.cols,
        "shapes of a tile product"
    );
    // SAFETY: the views have just been held against the lengths of their slices.
    unsafe {
        gemm::gemm(
            ov.rows,
            ov.cols,
            av.cols,
            out.as_mut_ptr(),
            ov.col_step as isize,
            ov.row_step as isize,
            add,
            a.as_ptr(),
            av.col_step as isize,
            av.row_step as isize,
            b.as_ptr(),
            bv.col_step as isize,
            bv.row_step as isize,
            T::ONE,
            T::ONE,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

pub(super) mod number {
    /// f32 or f64.
    pub trait Number: 'static {
        /// 1.
        const ONE: Self;
    }
    impl Number for f32 {
        const ONE: f32 = 1.0;
    }
    impl Number for f64 {
        const ONE: f64 = 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn products_and_transposes() {
        let a = Array2::from_shape_fn((5, 3), |(i, j)| (i * 3 + j) as f64);
        let b = Array2::from_shape_fn((5, 4), |(i, j)| (i as f64 - 2.0) * j as f64);
        let mut out = Array2::from_elem((3, 4), 1.0);
        let parts = |x: &Array2<f64>| x.as_slice().unwrap().to_vec();
        product(
            (out.as_slice_mut().unwrap(), View::rows(3, 4)),
            (&parts(&a), View::rows(5, 3).t()),
            (&parts(&b), View::rows(5, 4)),
            true,
        );
        assert_eq!(out, a.t().dot(&b) + 1.0);
    }
}
