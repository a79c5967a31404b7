//! Products of matrices of plain numbers, a tile of the result in registers at a time.
//!
//! Nothing is packed: the factors lie in a cache, as those of one prompt or of one tile of tokens do, and columns fill registers.

#[cfg(target_arch = "x86_64")]
use super::{D4, D8, S8, S16};
use super::{Instructions, Lanes, PortableDouble, PortableSingle, Real};
use std::mem::MaybeUninit;
use tiles::Factors;

/// Numbers whose matrices [`multiply`] multiplies: `f32` and `f64`.
pub trait TileNumber: Real + tiles::Tiles {}

mod tiles {
    /// Matrices of one product: pointers, and the steps of [`multiply`](super::multiply).
    pub struct Factors<T> {
        pub sizes: [usize; 3],
        pub a: (*const T, [usize; 2]),
        pub b: (*const T, usize),
        pub c: (*mut T, usize),
        pub add: bool,
    }

    /// The product in the widest registers of this processor.
    pub trait Tiles: Sized {
        /// # Safety
        /// The entries of the three matrices lie at their pointers with their steps.
        unsafe fn tiles(factors: &Factors<Self>);
    }
}

macro_rules! numbers {
    ($number:ty, $wide:ident, $narrow:ident, $portable:ident) => {
        impl TileNumber for $number {}
        impl tiles::Tiles for $number {
            unsafe fn tiles(factors: &Factors<$number>) {
                // SAFETY: as promised by the caller, and the processor has just said that it has these instructions.
                unsafe {
                    match Instructions::here() {
                        #[cfg(target_arch = "x86_64")]
                        Instructions::Avx512 => wide::<$wide, $narrow>(factors),
                        #[cfg(target_arch = "x86_64")]
                        Instructions::Avx2 => narrow::<$narrow>(factors),
                        _ => narrow::<$portable>(factors),
                    }
                }
            }
        }
    };
}
numbers!(f32, S16, S8, PortableSingle);
numbers!(f64, D8, D4, PortableDouble);

/// `c = a b`, or `c += a b`, on the calling thread: a `(m, k)`, b `(k, n)` and c `(m, n)` for sizes `[m, k, n]`.
///
/// Entry (i, j) of a is at `i * steps[0] + j * steps[1]`; rows of b and c lie one step apart. Sums are in the order of k, with fused
/// multiply-adds where the processor has them. It is fastest where n is a multiple of 8, or one more and columns of a lie together
/// (`steps[0] == 1`): other columns go one by one. Matrices that do not fit a core's second cache are better multiplied by a library that packs them.
///
/// **Panics** if a matrix does not lie within its slice.
///
/// ```
/// use workbench_ground::lanes::multiply;
/// let (a, b) = ([1.0, 2.0, 3.0, 4.0], [1.0, 0.0, 0.0, 10.0f32]);
/// let mut c = [0.5; 4];
/// multiply([2, 2, 2], (&a, [1, 2]), (&b, 2), (&mut c, 2), true);
/// assert_eq!(c, [1.5, 30.5, 2.5, 40.5]); // the transpose of a times b
/// ```
pub fn multiply<T: TileNumber>(
    sizes: [usize; 3],
    a: (&[T], [usize; 2]),
    b: (&[T], usize),
    c: (&mut [T], usize),
    add: bool,
) {
    run(sizes, a, b, (c.0.as_mut_ptr(), c.0.len(), c.1), add);
}

/// `a b` as [`multiply`] has it, in room for new numbers, one row of the product after the other; returns them.
///
/// **Panics** if a factor does not lie within its slice, or the room is not that of `m n` numbers.
///
/// ```
/// use std::mem::MaybeUninit;
/// use workbench_ground::lanes::product_in;
/// let mut room = [const { MaybeUninit::uninit() }; 2];
/// let c = product_in([2, 1, 1], (&[2.0, 3.0f64], [1, 1]), (&[5.0], 1), &mut room);
/// assert_eq!(c, [10.0, 15.0]);
/// ```
pub fn product_in<'a, T: TileNumber>(
    sizes: [usize; 3],
    a: (&[T], [usize; 2]),
    b: (&[T], usize),
    room: &'a mut [MaybeUninit<T>],
) -> &'a mut [T] {
    let [m, _, n] = sizes;
    assert_eq!(Some(room.len()), m.checked_mul(n), "a product needs room for its rows times its columns");
    run(sizes, a, b, (room.as_mut_ptr().cast(), room.len(), n), false);
    // SAFETY: every entry of the product has just been written, and no other is in this room.
    unsafe { &mut *(std::ptr::from_mut(room) as *mut [T]) }
}

/// The product, in `c` of so many numbers; they are read only to be added to.
fn run<T: TileNumber>(
    sizes: [usize; 3],
    a: (&[T], [usize; 2]),
    b: (&[T], usize),
    c: (*mut T, usize, usize),
    add: bool,
) {
    let ([m, k, n], (c, c_len, c_step)) = (sizes, c);
    if m == 0 || n == 0 {
        return;
    }
    let inside = |len: usize, rows: usize, columns: usize, steps: [usize; 2]| {
        // A place too large to be counted lies in no slice.
        let last = |count: usize, step: usize| (count - 1).checked_mul(step);
        rows == 0
            || columns == 0
            || last(rows, steps[0])
                .zip(last(columns, steps[1]))
                .and_then(|(row, column)| row.checked_add(column))
                .is_some_and(|last| last < len)
    };
    assert!(
        inside(a.0.len(), m, k, a.1) && inside(b.0.len(), k, n, [b.1, 1]) && inside(c_len, m, n, [c_step, 1]),
        "the matrices of a product lie within their slices"
    );
    let factors = Factors { sizes, a: (a.0.as_ptr(), a.1), b: (b.0.as_ptr(), b.1), c: (c, c_step), add };
    // SAFETY: the last entry of each matrix lies within its slice, by the assertion; both callers borrow c alone.
    unsafe { T::tiles(&factors) }
}

/// With 32 registers: tiles of six rows and four registers, then eight rows and fewer, then half a register.
///
/// # Safety
/// As for [`tiles::Tiles::tiles`]; the processor has the instructions.
unsafe fn wide<V: Lanes, H: Lanes<Scalar = V::Scalar>>(factors: &Factors<V::Scalar>)
where
    V::Scalar: Lanes<Scalar = V::Scalar>,
{
    V::vectorize(
        #[inline(always)]
        || {
            // SAFETY: as promised by the caller.
            unsafe {
                let mut j = columns::<V, 4, 6>(factors, 0);
                j = columns::<V, 2, 8>(factors, j);
                j = columns::<V, 1, 8>(factors, j);
                if one_is_left(factors, j) {
                    return last_column::<V>(factors);
                }
                j = columns::<H, 1, 8>(factors, j);
                columns::<V::Scalar, 1, 8>(factors, j);
            }
        },
    );
}

/// With 16 registers.
///
/// # Safety
/// As for [`wide`].
unsafe fn narrow<V: Lanes>(factors: &Factors<V::Scalar>)
where
    V::Scalar: Lanes<Scalar = V::Scalar>,
{
    V::vectorize(
        #[inline(always)]
        || {
            // SAFETY: as promised by the caller.
            unsafe {
                let mut j = columns::<V, 2, 6>(factors, 0);
                j = columns::<V, 1, 8>(factors, j);
                if one_is_left(factors, j) {
                    return last_column::<V>(factors);
                }
                columns::<V::Scalar, 1, 8>(factors, j);
            }
        },
    );
}

/// Rows of a column that registers run down.
const COLUMN: usize = 128;

/// Whether only the last column is left, and columns of a lie together: then registers run down that column.
#[inline(always)]
fn one_is_left<T>(factors: &Factors<T>, j: usize) -> bool {
    let [m, _, n] = factors.sizes;
    j + 1 == n && factors.a.1[0] == 1 && m > 1 && m <= COLUMN
}

/// The product's last column, as the row b^T a^T.
///
/// # Safety
/// As for [`wide`]; [`one_is_left`].
#[inline(always)]
unsafe fn last_column<V: Lanes>(factors: &Factors<V::Scalar>)
where
    V::Scalar: Lanes<Scalar = V::Scalar>,
{
    let ([m, k, n], mut column) = (factors.sizes, [V::Scalar::of(0.0); COLUMN]);
    // SAFETY, here and below: the column of b, the columns of a and that of c lie within their matrices.
    let b = unsafe { factors.b.0.add(n - 1) };
    let row = Factors {
        sizes: [1, k, m],
        a: (b, [0, factors.b.1]),
        b: (factors.a.0, factors.a.1[1]),
        c: (column.as_mut_ptr(), COLUMN),
        add: false,
    };
    unsafe {
        let mut i = columns::<V, 4, 1>(&row, 0);
        i = columns::<V, 1, 1>(&row, i);
        columns::<V::Scalar, 1, 1>(&row, i);
    }
    for (i, value) in column[..m].iter().enumerate() {
        let place = unsafe { &mut *factors.c.0.add(i * factors.c.1 + n - 1) };
        *place = if factors.add { place.add(*value) } else { *value };
    }
}

/// The product's columns from `j` on, as far as C registers are full; returns the first column that is left.
///
/// # Safety
/// As for [`wide`].
#[inline(always)]
unsafe fn columns<V: Lanes, const C: usize, const ROWS: usize>(factors: &Factors<V::Scalar>, mut j: usize) -> usize {
    let [m, _, n] = factors.sizes;
    while j + C * V::N <= n {
        let mut i = 0;
        while i < m {
            // As many rows in each tile as in the others, or one less.
            let rows = (m - i).div_ceil((m - i).div_ceil(ROWS));
            // SAFETY: rows i..i + rows and C V::N columns from j on lie within the matrices.
            unsafe {
                match rows {
                    8 if ROWS >= 8 => tile::<V, C, 8>(factors, i, j),
                    7 if ROWS >= 7 => tile::<V, C, 7>(factors, i, j),
                    6 if ROWS >= 6 => tile::<V, C, 6>(factors, i, j),
                    5 if ROWS >= 5 => tile::<V, C, 5>(factors, i, j),
                    4 if ROWS >= 4 => tile::<V, C, 4>(factors, i, j),
                    3 if ROWS >= 3 => tile::<V, C, 3>(factors, i, j),
                    2 if ROWS >= 2 => tile::<V, C, 2>(factors, i, j),
                    _ => tile::<V, C, 1>(factors, i, j),
                }
            }
            i += rows;
        }
        j += C * V::N;
    }
    j
}

/// R rows from `i` on and C registers from column `j` on.
///
/// # Safety
/// As for [`wide`]; these rows and columns lie within the matrices.
#[inline(always)]
unsafe fn tile<V: Lanes, const C: usize, const R: usize>(factors: &Factors<V::Scalar>, i: usize, j: usize) {
    // SAFETY, here and below: as promised by the caller.
    let load = |at: *const V::Scalar| V::from_slice(unsafe { std::slice::from_raw_parts(at, V::N) });
    let ((a, [row, inner]), (b, b_step), (c, c_step)) = (factors.a, factors.b, factors.c);
    let (mut a, mut b, c) = unsafe { (a.add(i * row), b.add(j), c.add(i * c_step + j)) };
    let mut held = [[V::zero(); C]; R];
    if factors.add {
        for (i, row) in held.iter_mut().enumerate() {
            for (j, sum) in row.iter_mut().enumerate() {
                *sum = load(unsafe { c.add(i * c_step + j * V::N) });
            }
        }
    }
    for _ in 0..factors.sizes[1] {
        let y: [V; C] = std::array::from_fn(|j| load(unsafe { b.add(j * V::N) }));
        for (i, sums) in held.iter_mut().enumerate() {
            let x = V::splat(unsafe { *a.add(i * row) });
            for (sum, y) in sums.iter_mut().zip(y) {
                *sum = sum.plus(x, y);
            }
        }
        // Past the last round these may point beyond the matrices, where nothing is read.
        (a, b) = (a.wrapping_add(inner), b.wrapping_add(b_step));
    }
    for (i, row) in held.iter().enumerate() {
        for (j, sum) in row.iter().enumerate() {
            let place = unsafe { std::slice::from_raw_parts_mut(c.add(i * c_step + j * V::N), V::N) };
            sum.write(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agree<T: TileNumber>(tolerance: f64) {
        let value = |i: usize| T::of((0.37 * i as f64).sin());
        for [m, k, n] in [
            [65, 65, 72],
            [65, 66, 65],
            [18, 5, 33],
            [9, 4, 24],
            [7, 3, 5],
            [1, 6, 131],
            [14, 1, 40],
            [3, 0, 8],
            [1, 1, 1],
        ] {
            // Rows longer than the matrix; the first factor plain and transposed.
            let (steps, x): ([[usize; 2]; 2], Vec<T>) =
                ([[k + 2, 1], [1, m]], (0..(m + 2) * (k + 2)).map(value).collect());
            let y: Vec<T> = (0..k * (n + 1)).map(|i| value(i + 7)).collect();
            let before: Vec<T> = (0..m * (n + 1)).map(|i| value(i + 3)).collect();
            for (steps, add) in steps.into_iter().flat_map(|steps| [(steps, false), (steps, true)]) {
                let mut c = before.clone();
                multiply([m, k, n], (&x, steps), (&y, n + 1), (&mut c, n + 1), add);
                for at in 0..m * (n + 1) {
                    let (i, j) = (at / (n + 1), at % (n + 1));
                    let own = if add || j == n { before[at].wide() } else { 0.0 };
                    let term = |p: usize| x[i * steps[0] + p * steps[1]].wide() * y[p * (n + 1) + j].wide();
                    let want = own + if j == n { 0.0 } else { (0..k).map(term).sum::<f64>() };
                    assert!((c[at].wide() - want).abs() < tolerance, "{m} {k} {n}, {i} {j}");
                }
                let mut room = vec![MaybeUninit::uninit(); m * n];
                multiply([m, k, n], (&x, steps), (&y, n + 1), (&mut c, n + 1), false);
                let new = product_in([m, k, n], (&x, steps), (&y, n + 1), &mut room);
                assert!((0..m * n).all(|at| new[at].wide() == c[at / n * (n + 1) + at % n].wide()), "{m} {k} {n}");
            }
        }
    }

    #[test]
    fn products_are_those_of_plain_loops() {
        agree::<f32>(1e-5);
        agree::<f64>(1e-13);
    }

    #[test]
    #[should_panic(expected = "lie within their slices")]
    fn a_step_that_no_slice_has_is_refused() {
        // Twice this step is zero where places are counted round.
        multiply([3, 1, 1], (&[1.0f32], [usize::MAX / 2 + 1, 1]), (&[1.0], 1), (&mut [0.0; 3], 1), false);
    }
}
