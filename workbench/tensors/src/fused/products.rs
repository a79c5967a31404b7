//! Products of matrices whose entries are lanes, one prompt per lane, or single numbers.

use gemm::Parallelism;
use workbench_ground::lanes::{self, Lanes, PortableDouble, PortableSingle, Real};
#[cfg(target_arch = "x86_64")]
use workbench_ground::lanes::{D4, D8, S8, S16};

/// Numbers that fill registers of any width from 128 to 512 bits, or half of one.
const FILLED: usize = 8;

/// A matrix in memory: entry (i, j) is at `i * steps[0] + j * steps[1]`.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<'a, V> {
    pub(crate) entries: &'a [V],
    pub(crate) steps: [usize; 2],
}

impl<'a, V> Matrix<'a, V> {
    /// Rows one after the other, `step` entries apart.
    pub(crate) fn rows(entries: &'a [V], step: usize) -> Matrix<'a, V> {
        Matrix { entries, steps: [step, 1] }
    }

    /// The transposed matrix.
    pub(crate) fn transposed(self) -> Matrix<'a, V> {
        Matrix { entries: self.entries, steps: [self.steps[1], self.steps[0]] }
    }

    fn holds(&self, rows: usize, columns: usize) -> bool {
        self.entries.len() > (rows - 1) * self.steps[0] + (columns - 1) * self.steps[1]
    }
}

/// Lanes whose matrices can be multiplied.
pub(crate) trait Cell: Lanes {
    /// c = a b, or c += a b, for a `(m, k)`, b `(k, n)` and c `(m, n)` with rows `step` apart; sizes are `[m, k, n]`, none zero.
    fn multiply(sizes: [usize; 3], a: Matrix<'_, Self>, b: Matrix<'_, Self>, c: &mut [Self], step: usize, add: bool);

    /// Entries from one row to the next at which products are fastest.
    fn stride(width: usize) -> usize {
        width
    }

    /// Columns of a product of so many at which it is fastest: those up to the stride are zero.
    fn columns(width: usize) -> usize {
        width
    }
}

macro_rules! cells {
    ($($lanes:ty),*) => {$(
        impl Cell for $lanes {
            fn multiply(sizes: [usize; 3], a: Matrix<'_, Self>, b: Matrix<'_, Self>, c: &mut [Self], step: usize, add: bool) {
                in_lanes(sizes, a, b, c, step, add);
            }
        }
    )*};
}
cells!(PortableSingle, PortableDouble);
#[cfg(target_arch = "x86_64")]
cells!(S16, S8, D8, D4);

/// The product, three rows and four columns at a time in registers.
#[inline(never)]
fn in_lanes<V: Lanes>([m, k, n]: [usize; 3], a: Matrix<'_, V>, b: Matrix<'_, V>, c: &mut [V], step: usize, add: bool) {
    assert!(a.holds(m, k) && b.holds(k, n) && c.len() > (m - 1) * step + n - 1);
    V::vectorize(
        #[inline(always)]
        || {
            let mut i = 0;
            while i < m {
                let rows = (m - i).min(3);
                let mut j = 0;
                while j < n {
                    let columns = match n - j {
                        1 => 1,
                        2 | 3 => 2,
                        _ => 4,
                    };
                    // SAFETY: rows i..i + rows and columns j..j + columns lie within the matrices, whose last entries lie within
                    // their slices by the assertion above.
                    unsafe {
                        let a = (a.entries.as_ptr().add(i * a.steps[0]), a.steps);
                        let b = (b.entries.as_ptr().add(j * b.steps[1]), b.steps);
                        let c = (c.as_mut_ptr().add(i * step + j), step);
                        match (rows, columns) {
                            (3, 4) => block::<V, 3, 4>(k, a, b, c, add),
                            (3, 2) => block::<V, 3, 2>(k, a, b, c, add),
                            (3, _) => block::<V, 3, 1>(k, a, b, c, add),
                            (2, 4) => block::<V, 2, 4>(k, a, b, c, add),
                            (2, 2) => block::<V, 2, 2>(k, a, b, c, add),
                            (2, _) => block::<V, 2, 1>(k, a, b, c, add),
                            (_, 4) => block::<V, 1, 4>(k, a, b, c, add),
                            (_, 2) => block::<V, 1, 2>(k, a, b, c, add),
                            _ => block::<V, 1, 1>(k, a, b, c, add),
                        }
                    }
                    j += columns;
                }
                i += rows;
            }
        },
    );
}

/// R rows and C columns of a product.
///
/// # Safety
/// The entries of an `(R, k)`, a `(k, C)` and an `(R, C)` matrix lie at the pointers with the given steps.
#[inline(always)]
unsafe fn block<V: Lanes, const R: usize, const C: usize>(
    k: usize,
    (a, a_steps): (*const V, [usize; 2]),
    (b, b_steps): (*const V, [usize; 2]),
    (c, step): (*mut V, usize),
    add: bool,
) {
    let mut held = [[V::zero(); C]; R];
    if add {
        for (i, row) in held.iter_mut().enumerate() {
            for (j, sum) in row.iter_mut().enumerate() {
                // SAFETY: as promised by the caller, here and below.
                *sum = unsafe { *c.add(i * step + j) };
            }
        }
    }
    for p in 0..k {
        let x: [V; R] = std::array::from_fn(|i| unsafe { *a.add(i * a_steps[0] + p * a_steps[1]) });
        let y: [V; C] = std::array::from_fn(|j| unsafe { *b.add(p * b_steps[0] + j * b_steps[1]) });
        for (row, x) in held.iter_mut().zip(x) {
            for (sum, y) in row.iter_mut().zip(y) {
                *sum = sum.plus(x, y);
            }
        }
    }
    for (i, row) in held.iter().enumerate() {
        for (j, sum) in row.iter().enumerate() {
            unsafe { *c.add(i * step + j) = *sum };
        }
    }
}

macro_rules! numbers {
    ($($t:ty),*) => {$(
        impl Cell for $t {
            fn multiply([m, k, n]: [usize; 3], a: Matrix<'_, $t>, b: Matrix<'_, $t>, c: &mut [$t], step: usize, add: bool) {
                if n % FILLED <= 1 && b.steps[1] == 1 {
                    return lanes::multiply([m, k, n], (a.entries, a.steps), (b.entries, b.steps[0]), (c, step), add);
                }
                assert!(a.holds(m, k) && b.holds(k, n) && c.len() > (m - 1) * step + n - 1);
                let (one, s) = (<$t as Real>::of(1.0), |step: usize| step as isize);
                // SAFETY: the last entry of each matrix lies within its slice, by the assertion.
                unsafe {
                    gemm::gemm(
                        m, n, k,
                        c.as_mut_ptr(), 1, s(step), add,
                        a.entries.as_ptr(), s(a.steps[1]), s(a.steps[0]),
                        b.entries.as_ptr(), s(b.steps[1]), s(b.steps[0]),
                        one, one, false, false, false,
                        Parallelism::None,
                    );
                }
            }

            fn stride(width: usize) -> usize {
                width.next_multiple_of(FILLED)
            }

            fn columns(width: usize) -> usize {
                if width % FILLED == 1 { width } else { Self::stride(width) }
            }
        }
    )*};
}
numbers!(f32, f64);

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees<V: Cell>() {
        if !V::available() {
            return;
        }
        let value = |i: usize| V::splat(V::Scalar::of((0.37 * i as f64).sin()));
        let number = |v: V| v.total() / V::N as f64;
        for [m, k, n] in [[6, 20, 6], [1, 6, 21], [7, 3, 5], [2, 1, 3], [9, 4, 2], [1, 1, 1]] {
            // Rows longer than the matrix, one factor transposed.
            let x: Vec<V> = (0..m * (k + 2)).map(value).collect();
            let y: Vec<V> = (0..n * (k + 1)).map(|i| value(i + 7)).collect();
            for add in [false, true] {
                let mut c: Vec<V> = (0..m * (n + 1)).map(|i| value(i + 3)).collect();
                let before = c.clone();
                let (a, b) = (Matrix::rows(&x, k + 2), Matrix::rows(&y, k + 1).transposed());
                V::multiply([m, k, n], a, b, &mut c, n + 1, add);
                for i in 0..m {
                    for j in 0..=n {
                        let at = i * (n + 1) + j;
                        let own = if add || j == n { number(before[at]) } else { 0.0 };
                        let sum = (0..k).map(|p| number(x[i * (k + 2) + p]) * number(y[j * (k + 1) + p]));
                        let want = own + if j == n { 0.0 } else { sum.sum::<f64>() };
                        assert!((number(c[at]) - want).abs() < 2e-6, "{m} {k} {n} {i} {j}");
                    }
                }
            }
        }
    }

    #[test]
    fn products_are_those_of_plain_loops() {
        agrees::<PortableSingle>();
        agrees::<PortableDouble>();
        agrees::<f32>();
        agrees::<f64>();
        #[cfg(target_arch = "x86_64")]
        {
            agrees::<S16>();
            agrees::<S8>();
            agrees::<D8>();
            agrees::<D4>();
        }
    }
}
