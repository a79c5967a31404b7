//! The reformulation with the norm read as the spectral norm.

use ndarray::Array2;
use ndarray_linalg::SVD;

use crate::Error;
use workbench_ground::check::{above_zero, finite_matrix, same};
use workbench_ground::work;

const OP: &str = "spectral reading";

/// The objective of the reformulation with its norm read as the spectral norm.
///
/// $$ \langle A,\mathrm{slope}\rangle+\frac1{2\eta}\,\sigma_{\max}(A-\mathrm{centre})^2 $$
///
/// **Source**: reformulation display, the norm as printed. **Shapes**: all (d_v, d_k).
///
/// **Errors**: shapes, entries that are not finite, `eta` not above 0.
pub fn spectral_objective(a: &Array2<f64>, slope: &Array2<f64>, centre: &Array2<f64>, eta: f64) -> Result<f64, Error> {
    check(a, slope, centre, eta)?;
    let largest = singular_values(&(a - centre))?.into_iter().fold(0.0, f64::max);
    Ok((a * slope).sum() + largest * largest / (2.0 * eta))
}

/// A minimiser of [`spectral_objective`]: $\mathrm{centre}-\eta\lVert G\rVert_\ast UV^\top$ for the slope $G=USV^\top$,
/// $\lVert G\rVert_\ast=\operatorname{tr}S$.
///
/// For a slope of rank one, $G=ux^\top$, it is the gradient step $\mathrm{centre}-\eta\,ux^\top$, one of many minimisers. For rank two or
/// more the gradient step is not a minimiser.
///
/// **Source**: ours. With $D=A-\mathrm{centre}$ and $s=\sigma_{\max}(D)$, $\langle D,G\rangle\ge-s\lVert G\rVert_\ast$, with equality at
/// $D=-sUV^\top$; then minimise over s.
///
/// **Errors**: as [`spectral_objective`], [`Error::Stopped`]. Cost of one singular value decomposition.
///
/// ```
/// use workbench_gradient_memory::spectral_step;
/// use ndarray::array;
/// let step = spectral_step(&array![[3.0, 0.0], [0.0, 1.0]], &array![[0.0, 0.0], [0.0, 0.0]], 0.5)?;
/// assert!((&step + &array![[2.0, 0.0], [0.0, 2.0]]).iter().all(|e| e.abs() < 1e-12));
/// # Ok::<(), workbench_gradient_memory::Error>(())
/// ```
pub fn spectral_step(slope: &Array2<f64>, centre: &Array2<f64>, eta: f64) -> Result<Array2<f64>, Error> {
    check(centre, slope, centre, eta)?;
    let (u, s, vt) = slope.svd(true, true).map_err(Error::linear_algebra(OP))?;
    // Both factors were asked for, so both are there; an absent one is reported, not assumed.
    let (Some(u), Some(vt)) = (u, vt) else {
        let what = "a factor of the decomposition";
        return Err(Error::empty(OP, what, "look for entries that are not finite"));
    };
    let total = s.sum();
    let mut step = centre.clone();
    // Directions that the slope does not have are left alone.
    let cut = 1e-13 * total;
    for k in (0..s.len()).filter(|&k| s[k] > cut) {
        work::check(OP, k, s.len())?;
        for ((i, j), entry) in step.indexed_iter_mut() {
            *entry -= eta * total * u[[i, k]] * vt[[k, j]];
        }
    }
    Ok(step)
}

/// Singular values of `a`, largest first.
///
/// **Source**: ours; the spectral norm is the largest of them.
///
/// **Errors**: a failed decomposition.
pub fn singular_values(a: &Array2<f64>) -> Result<Vec<f64>, Error> {
    Ok(a.svd(false, false).map_err(Error::linear_algebra("singular values"))?.1.to_vec())
}

fn check(a: &Array2<f64>, slope: &Array2<f64>, centre: &Array2<f64>, eta: f64) -> Result<(), Error> {
    above_zero(OP, "eta", eta)?;
    same(OP, ("the memory", a.dim()), ("the slope", slope.dim()))?;
    same(OP, ("the memory", a.dim()), ("the centre", centre.dim()))?;
    for (what, array) in [("the memory", a), ("the slope", slope), ("the centre", centre)] {
        finite_matrix(OP, what, array)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::rehearsal::stop_after;
    use workbench_ground::stats::{Streams, normal_array2};

    #[test]
    fn nothing_lies_below_the_spectral_step() {
        let streams = Streams::new(6);
        let mut noise = streams.stream("noise").unwrap();
        for rank in [1, 3] {
            let u = normal_array2(&mut noise, 4, rank);
            let x = normal_array2(&mut noise, rank, 5);
            let (slope, centre) = (u.dot(&x), normal_array2(&mut noise, 4, 5));
            let value = |a: &Array2<f64>| spectral_objective(a, &slope, &centre, 0.3).unwrap();
            let best = spectral_step(&slope, &centre, 0.3).unwrap();
            for size in [1e-3, 0.1, 1.0] {
                for _ in 0..200 {
                    let other = &best + &(size * normal_array2(&mut noise, 4, 5));
                    assert!(value(&other) >= value(&best) - 1e-12);
                }
            }
            // The bound of the derivation: -eta |G|_*^2 / 2 below the value at the centre.
            let nuclear: f64 = singular_values(&slope).unwrap().iter().sum();
            assert!((value(&centre) - value(&best) - 0.15 * nuclear * nuclear).abs() < 1e-10);
            let gradient_step = &centre - &(0.3 * &slope);
            let excess = value(&gradient_step) - value(&best);
            assert!(if rank == 1 { excess.abs() < 1e-10 } else { excess > 0.1 }, "{rank}: {excess}");
        }
    }

    #[test]
    fn bad_input() {
        let a = Array2::zeros((2, 3));
        assert!(matches!(spectral_step(&a, &Array2::zeros((3, 2)), 0.1), Err(Error::Shape { .. })));
        assert!(matches!(spectral_step(&a, &a, 0.0), Err(Error::Parameter { .. })));
        assert!(matches!(spectral_step(&(&a + f64::NAN), &a, 0.1), Err(Error::NotFinite { .. })));
        assert_eq!(spectral_step(&a, &a, 0.1).unwrap(), a);
        let slope = ndarray::array![[3.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let stopped = stop_after(1, || spectral_step(&slope, &a, 0.1));
        assert!(matches!(stopped, Err(Error::Stopped(stopped)) if (stopped.done, stopped.of) == (1, 2)));
    }
}
