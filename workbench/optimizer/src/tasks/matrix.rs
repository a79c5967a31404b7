//! Products of matrices, as fast as plain loops can be made.

use workbench_ground::lanes::wide;

use super::ModelNumber;

/// Rows that share a row of $B$ while it is in registers.
const ROWS: usize = 4;

/// [`ModelNumber::multiply`] of plain numbers.
///
/// Blocks of four rows and up to sixteen columns are summed in registers over all of `k`; sums run over `k` in order.
pub(super) fn multiply<N: ModelNumber, const TRANSPOSED: bool>([m, k, n]: [usize; 3], a: &[N], b: &[N], c: &mut [N]) {
    debug_assert!(a.len() == m * k && b.len() == k * n && c.len() == m * n);
    if m * k * n == 0 {
        return;
    }
    wide(
        #[inline(always)]
        || {
            let mut column = 0;
            while column < n {
                let left = n - column;
                column += if left >= 16 {
                    columns::<N, TRANSPOSED, 16>([m, k, n], a, b, c, column)
                } else if left >= 8 {
                    columns::<N, TRANSPOSED, 8>([m, k, n], a, b, c, column)
                } else if left >= 4 {
                    columns::<N, TRANSPOSED, 4>([m, k, n], a, b, c, column)
                } else if left >= 2 {
                    columns::<N, TRANSPOSED, 2>([m, k, n], a, b, c, column)
                } else {
                    columns::<N, TRANSPOSED, 1>([m, k, n], a, b, c, column)
                };
            }
        },
    );
}

/// $C\leftarrow C+AB^\top$, with `b` holding `n` rows of `k` numbers. The transpose is made once, $kn$ copies beside $mkn$ products.
pub(super) fn multiply_by_transpose<N: ModelNumber>([m, k, n]: [usize; 3], a: &[N], b: &[N], c: &mut [N]) {
    N::multiply::<false>([m, k, n], a, &transposed(b, k), c);
}

/// The transpose of a matrix with rows of `width` numbers.
pub(super) fn transposed<N: ModelNumber>(matrix: &[N], width: usize) -> Vec<N> {
    let height = matrix.len() / width.max(1);
    let mut out = vec![N::default(); matrix.len()];
    for (i, row) in matrix.chunks_exact(width.max(1)).enumerate() {
        for (j, &value) in row.iter().enumerate() {
            out[j * height + i] = value;
        }
    }
    out
}

/// `W` columns of the product, from `column` on; gives back `W`.
#[inline(always)]
fn columns<N: ModelNumber, const TRANSPOSED: bool, const W: usize>(
    [m, k, n]: [usize; 3],
    a: &[N],
    b: &[N],
    c: &mut [N],
    column: usize,
) -> usize {
    let whole = m - m % ROWS;
    for row in (0..whole).step_by(ROWS) {
        block::<N, TRANSPOSED, ROWS, W>([m, k, n], a, b, c, [row, column]);
    }
    for row in whole..m {
        block::<N, TRANSPOSED, 1, W>([m, k, n], a, b, c, [row, column]);
    }
    W
}

#[inline(always)]
fn block<N: ModelNumber, const TRANSPOSED: bool, const R: usize, const W: usize>(
    [m, k, n]: [usize; 3],
    a: &[N],
    b: &[N],
    c: &mut [N],
    [row, column]: [usize; 2],
) {
    let mut sums = [[N::default(); W]; R];
    if TRANSPOSED {
        for (factors, line) in a.chunks_exact(m).zip(b.chunks_exact(n)) {
            let factors = &factors[row..row + R];
            add(&mut sums, std::array::from_fn(|r| factors[r]), &line[column..column + W]);
        }
    } else {
        let lines: [&[N]; R] = std::array::from_fn(|r| &a[(row + r) * k..(row + r + 1) * k]);
        for (at, line) in b.chunks_exact(n).enumerate() {
            add(&mut sums, std::array::from_fn(|r| lines[r][at]), &line[column..column + W]);
        }
    }
    for (r, sums) in sums.iter().enumerate() {
        let out = &mut c[(row + r) * n + column..][..W];
        for (out, &sum) in out.iter_mut().zip(sums) {
            *out += sum;
        }
    }
}

/// Adds one outer product to the sums of a block.
///
/// The rows are written out: where a compiler leaves a loop over them, the sums stand in memory and the columns are added one by one.
#[inline(always)]
fn add<N: ModelNumber, const R: usize, const W: usize>(sums: &mut [[N; W]; R], factors: [N; R], line: &[N]) {
    const { assert!(0 < R && R <= ROWS && ROWS == 4) };
    add_row(&mut sums[0], factors[0], line);
    if R > 1 {
        add_row(&mut sums[1], factors[1], line);
    }
    if R > 2 {
        add_row(&mut sums[2], factors[2], line);
    }
    if R > 3 {
        add_row(&mut sums[3], factors[3], line);
    }
}

#[inline(always)]
fn add_row<N: ModelNumber, const W: usize>(sums: &mut [N; W], factor: N, line: &[N]) {
    for (sum, &value) in sums.iter_mut().zip(line) {
        *sum += factor * value;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Complex, Dual};
    use super::*;
    use workbench_ground::stats::Streams;

    fn naive<N: ModelNumber>([m, k, n]: [usize; 3], a: &[N], b: &[N], c: &mut [N]) {
        for i in 0..m {
            for j in 0..n {
                let mut sum = N::default();
                for p in 0..k {
                    sum += a[i * k + p] * b[p * n + j];
                }
                c[i * n + j] += sum;
            }
        }
    }

    fn agrees<N: ModelNumber>(draw: impl Fn(f64, f64) -> N, exact: bool, apart: impl Fn(N, N) -> f64) {
        let mut stream = Streams::new(1).stream("matrices").unwrap();
        for sizes in [[1, 1, 1], [4, 3, 16], [5, 7, 31], [9, 2, 15], [3, 17, 9], [0, 3, 2], [2, 0, 3], [7, 5, 20]] {
            let [m, k, n] = sizes;
            let mut numbers =
                |count| -> Vec<N> { (0..count).map(|_| draw(stream.normal(), stream.normal())).collect() };
            let (a, b, start) = (numbers(m * k), numbers(k * n), numbers(m * n));
            let (mut slow, mut fast, mut turned, mut other) = (start.clone(), start.clone(), start.clone(), start);
            naive(sizes, &a, &b, &mut slow);
            N::multiply::<false>(sizes, &a, &b, &mut fast);
            N::multiply::<true>(sizes, &transposed(&a, k), &b, &mut turned);
            multiply_by_transpose(sizes, &a, &transposed(&b, n), &mut other);
            for (i, &slow) in slow.iter().enumerate() {
                for got in [fast[i], turned[i], other[i]] {
                    if exact {
                        assert_eq!(got, slow);
                    }
                    assert!(apart(got, slow) < 1e-13);
                }
            }
        }
    }

    #[test]
    fn products_are_those_of_the_definition_to_the_bit() {
        agrees(|x, _| x, true, |a, b| (a - b).abs());
        agrees(|x, _| x as f32, true, |_, _| 0.0);
        agrees(|re, im| Complex { re, im }, true, |_, _| 0.0);
        agrees(
            |value, slope| Dual { value, slope },
            false,
            |a, b| (a.value - b.value).abs().max((a.slope - b.slope).abs()),
        );
    }
}
