//! Arrays of random numbers from a named stream.

use ndarray::{Array2, Axis, s};
use rand_distr::{Distribution, StandardNormal};

use super::{Error, Stream};

/// A matrix of independent N(0, 1) draws, row by row.
///
/// **Shapes**: (rows, cols). **Panics** if rows * cols exceeds the address space.
///
/// ```
/// use workbench_ground::stats::{Streams, normal_array2};
/// let x = normal_array2(&mut Streams::new(1).stream("x")?, 3, 2);
/// assert_eq!(x.dim(), (3, 2));
/// # Ok::<(), workbench_ground::stats::Error>(())
/// ```
pub fn normal_array2(stream: &mut Stream, rows: usize, cols: usize) -> Array2<f64> {
    Array2::from_shape_simple_fn((rows, cols), || StandardNormal.sample(stream))
}

/// `n` independent N(0, 1) draws in single precision.
///
/// Each is a double-precision draw, rounded: the tails are those of the double-precision law.
pub fn normal_f32(stream: &mut Stream, n: usize) -> Vec<f32> {
    (0..n).map(|_| stream.normal() as f32).collect()
}

/// Rows drawn uniformly from the unit sphere in `cols` dimensions.
///
/// **Shapes**: (rows, cols); each row has Euclidean length 1 (for `cols = 0` there is nothing to scale).
/// **Panics** if rows * cols exceeds the address space.
///
/// ```
/// use workbench_ground::stats::{Streams, unit_sphere};
/// let x = unit_sphere(&mut Streams::new(1).stream("x")?, 5, 3);
/// assert!(x.rows().into_iter().all(|r| (r.dot(&r) - 1.0).abs() < 1e-14));
/// # Ok::<(), workbench_ground::stats::Error>(())
/// ```
pub fn unit_sphere(stream: &mut Stream, rows: usize, cols: usize) -> Array2<f64> {
    let mut x = normal_array2(stream, rows, cols);
    if cols > 0 {
        for mut row in x.rows_mut() {
            let mut length = row.dot(&row).sqrt();
            while length == 0.0 {
                row.iter_mut().for_each(|v| *v = stream.normal());
                length = row.dot(&row).sqrt();
            }
            row /= length;
        }
    }
    x
}

/// Rows of a matrix that is uniformly distributed on the orthogonal group (Haar), by [`orthonormalized`] Gaussian rows.
///
/// **Shapes**: (rows, cols), with at most `cols` rows.
///
/// **Errors**: [`Error::Parameter`] for more rows than columns. Cost O(rows^2 cols).
///
/// ```
/// use workbench_ground::stats::{Streams, orthonormal};
/// let q = orthonormal(&mut Streams::new(1).stream("q")?, 3, 5)?;
/// assert!((q.row(0).dot(&q.row(0)) - 1.0).abs() < 1e-14 && q.row(0).dot(&q.row(2)).abs() < 1e-14);
/// # Ok::<(), workbench_ground::stats::Error>(())
/// ```
pub fn orthonormal(stream: &mut Stream, rows: usize, cols: usize) -> Result<Array2<f64>, Error> {
    if rows > cols {
        let allowed = "at most the number of columns";
        return Err(Error::parameter("orthonormal", "rows", rows as f64, allowed));
    }
    Ok(orthonormalized(normal_array2(stream, rows, cols)))
}

/// Gram-Schmidt on the rows of a matrix, each row twice, which keeps them orthogonal to rounding at any size.
///
/// A row keeps the sign of what is left of it. With Gaussian rows that makes the result uniform on the orthogonal group; the Q of a QR
/// decomposition, whose signs are the library's, is not.
///
/// Rows that depend on earlier ones have no direction of their own and come out as rounding leaves them. Cost O(rows^2 cols).
pub fn orthonormalized(rows: Array2<f64>) -> Array2<f64> {
    let mut rows = closer(rows);
    for i in 0..rows.nrows() {
        let (done, mut rest) = rows.view_mut().split_at(Axis(0), i);
        let mut row = rest.row_mut(0);
        for _ in 0..2 {
            for earlier in done.rows() {
                let overlap = row.dot(&earlier);
                row.scaled_add(-overlap, &earlier);
            }
        }
        let length = row.dot(&row).sqrt();
        row.mapv_inplace(|v| v / length);
    }
    rows
}

/// Rows whose numbers stand far apart, as those of a transposed matrix, with one number between two of them.
///
/// Far apart, each number is on a line of the cache of its own, and a large matrix takes ten times as long. Side by side, sums would be
/// taken in another order and have other last bits; with one number between them it is the same order.
fn closer(rows: Array2<f64>) -> Array2<f64> {
    if rows.strides()[1].unsigned_abs() <= 2 {
        return rows;
    }
    let (n, m) = rows.dim();
    let mut apart = Array2::zeros((n, 2 * m)).slice_move(s![.., ..;2]);
    apart.assign(&rows);
    apart
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Streams;

    fn stream() -> Stream {
        Streams::new(9).stream("tensors").unwrap()
    }

    #[test]
    fn draws_have_the_moments_of_their_law() {
        let n = 40_000.0;
        let x = normal_array2(&mut stream(), 200, 200);
        let m = |k: i32| x.iter().map(|v| v.powi(k)).sum::<f64>() / n;
        // Five standard errors: Var Z = 1, Var Z^2 = 2, Var Z^4 = 96.
        assert!(m(1).abs() < 5.0 / n.sqrt());
        assert!((m(2) - 1.0).abs() < 5.0 * (2.0 / n).sqrt());
        assert!((m(4) - 3.0).abs() < 5.0 * (96.0 / n).sqrt());
        let y = normal_f32(&mut stream(), 40_000);
        assert!(y.iter().zip(x.iter()).all(|(a, b)| *a == *b as f32), "the same stream, rounded");
    }

    #[test]
    fn the_sphere_is_uniform() {
        let x = unit_sphere(&mut stream(), 20_000, 3);
        assert!(x.rows().into_iter().all(|r| (r.dot(&r) - 1.0).abs() < 1e-14));
        // Archimedes: each coordinate is uniform on [-1, 1], variance 1/3, and its square has variance 4/45.
        for c in x.columns() {
            assert!((c.sum() / 20_000.0).abs() < 5.0 * (1.0 / 60_000f64).sqrt());
            assert!((c.dot(&c) / 20_000.0 - 1.0 / 3.0).abs() < 5.0 * (4.0 / 45.0 / 20_000f64).sqrt());
        }
        assert_eq!(unit_sphere(&mut stream(), 4, 0).dim(), (4, 0));
        assert!(unit_sphere(&mut stream(), 9, 1).iter().all(|v| v.abs() == 1.0));
    }

    #[test]
    fn how_far_apart_the_numbers_stand_does_not_matter() {
        // Columns of a larger matrix, so that no number of this one is moved closer on the way in.
        let far = |n: usize, m: usize, apart: usize| {
            let wide = normal_array2(&mut Streams::new(9).stream("far").unwrap(), n, m);
            let mut out = Array2::zeros((n, apart * m)).slice_move(s![.., ..;apart]);
            out.assign(&wide);
            out
        };
        for (n, m) in [(1, 1), (3, 5), (20, 31), (33, 33), (70, 130)] {
            let near = orthonormalized(far(n, m, 2));
            for apart in [3, 8, 64] {
                let other = orthonormalized(far(n, m, apart));
                assert!(near.iter().zip(&other).all(|(a, b)| a.to_bits() == b.to_bits()), "{n} {m} {apart}");
            }
            let mut plain = far(n, m, 8);
            for i in 0..n {
                let (done, mut rest) = plain.view_mut().split_at(Axis(0), i);
                let mut row = rest.row_mut(0);
                for _ in 0..2 {
                    for earlier in done.rows() {
                        let overlap = row.dot(&earlier);
                        row.scaled_add(-overlap, &earlier);
                    }
                }
                let length = row.dot(&row).sqrt();
                row.mapv_inplace(|v| v / length);
            }
            assert!(near.iter().zip(&plain).all(|(a, b)| a.to_bits() == b.to_bits()), "{n} {m}: as it stood");
        }
    }

    #[test]
    fn orthonormal_rows_are_uniform() {
        let q = orthonormal(&mut stream(), 60, 60).unwrap();
        let gram = q.dot(&q.t());
        assert!(gram.indexed_iter().all(|((i, j), v)| (v - f64::from(i == j)).abs() < 1e-13));
        // Of a uniform matrix of order d the trace has mean 0 and variance 1; without the signs the diagonal leans to one side.
        let mut s = stream();
        let traces: Vec<f64> = (0..4000).map(|_| orthonormal(&mut s, 3, 3).unwrap().diag().sum()).collect();
        let mean = traces.iter().sum::<f64>() / 4000.0;
        let variance = traces.iter().map(|t| t * t).sum::<f64>() / 4000.0;
        assert!(mean.abs() < 5.0 / 4000f64.sqrt(), "{mean}");
        assert!((variance - 1.0).abs() < 5.0 * (2.0f64 / 4000.0).sqrt(), "{variance}");
        // A row alone is uniform on the sphere.
        let rows: Vec<f64> = (0..4000).map(|_| orthonormal(&mut s, 2, 3).unwrap()[[1, 0]]).collect();
        assert!(
            (rows.iter().map(|v| v * v).sum::<f64>() / 4000.0 - 1.0 / 3.0).abs()
                < 5.0 * (4.0f64 / 45.0 / 4000.0).sqrt()
        );
        assert_eq!(orthonormal(&mut s, 0, 4).unwrap().dim(), (0, 4));
        let error = orthonormal(&mut s, 4, 3).unwrap_err().to_string();
        assert!(error.contains("rows") && error.contains("at most the number of columns"), "{error}");
    }

    #[test]
    fn the_first_draws_never_change() {
        // Pinned on first writing: a change means that every recorded number was made by another generator.
        let x = normal_array2(&mut Streams::new(1).stream("golden").unwrap(), 1, 3);
        let got: Vec<String> = x.iter().map(|v| format!("{v:.15e}")).collect();
        assert_eq!(got, ["1.300571635531316e0", "7.307929611944486e-1", "1.167559518172864e0"]);
    }
}
