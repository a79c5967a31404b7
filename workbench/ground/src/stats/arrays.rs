//! Arrays of random numbers from a named stream.

use ndarray::Array2;
use rand_distr::{Distribution, StandardNormal};

use super::Stream;

/// A matrix of independent N(0, 1) draws, row by row.
///
/// **Shapes**: (rows, cols). **Panics** if rows * cols exceeds the address space.
///
/// ```
/// use workbench::stats::{Streams, normal_array2};
/// let x = normal_array2(&mut Streams::new(1).stream("x")?, 3, 2);
/// assert_eq!(x.dim(), (3, 2));
/// # Ok::<(), workbench::stats::Error>(())
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
/// use workbench::stats::{Streams, unit_sphere};
/// let x = unit_sphere(&mut Streams::new(1).stream("x")?, 5, 3);
/// assert!(x.rows().into_iter().all(|r| (r.dot(&r) - 1.0).abs() < 1e-14));
/// # Ok::<(), workbench::stats::Error>(())
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
        assert!(
            y.iter().zip(x.iter()).all(|(a, b)| *a == *b as f32),
            "the same stream, rounded"
        );
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
    fn the_first_draws_never_change() {
        // Pinned on first writing: a change means that every recorded number was made by another generator.
        let x = normal_array2(&mut Streams::new(1).stream("golden").unwrap(), 1, 3);
        let got: Vec<String> = x.iter().map(|v| format!("{v:.15e}")).collect();
        assert_eq!(
            got,
            ["1.300571635531316e0", "7.307929611944486e-1", "1.167559518172864e0"]
        );
    }
}
