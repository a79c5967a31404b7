//! Optimal memories: closed forms for squared error, and a descent for every loss.

use ndarray::{Array1, Array2};
use ndarray_linalg::{Cholesky, Diag, FactorizeHInto, QR, SVD, SolveH, SolveTriangular, UPLO};

use super::Loss;
use super::objective::norm;
use crate::Error;
use crate::pairs::{fits_finite, paired};
use workbench_ground::check::{above_zero, finite_matrix, not_negative};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work;

/// The decomposition by LAPACK has all left vectors, n of n numbers, and counts them up to here in 32 bits.
const SQUARED: usize = 46_340;

fn check(op: &'static str, keys: &Array2<f64>, values: &Array2<f64>) -> Result<(), Error> {
    paired(op, keys, values)?;
    finite_matrix(op, "keys", keys)?;
    finite_matrix(op, "values", values)
}

/// The linear memory of least squared error and, where that leaves a choice, of least norm: $W=(K^+V)^\top$.
///
/// $K^+$ is the pseudo-inverse of the keys (n, d_k) from their singular value decomposition, with singular values below
/// `1e-13 max(n, d_k)` of the largest one counted as zero.
///
/// **Source**: Definition 1 with $M=W$ and squared error. **Shapes**: keys (n, d_k), values (n, d_v), result (d_v, d_k).
///
/// **Errors**: shapes, an empty batch, entries that are not finite, a failed decomposition, [`Error::Stopped`].
/// Cost O(n^2 d_k) time and n^2 numbers for n above d_k, since all n left vectors come out of the decomposition, of which d_k count; beyond
/// 46,340 pairs, where so many cannot be had, O(n d_k^2) and O(n d_k) memory by way of a QR decomposition. That way has other last bits, and
/// is kept to where there were none; [`ridge_memory`] and [`descend`] are linear in n everywhere.
///
/// ```
/// use workbench_gradient_memory::pseudo_inverse_memory;
/// use ndarray::array;
/// let w = pseudo_inverse_memory(&array![[1.0], [1.0]], &array![[1.0], [3.0]])?;
/// assert!((w[[0, 0]] - 2.0).abs() < 1e-15); // the mean
/// # Ok::<(), workbench_gradient_memory::Error>(())
/// ```
pub fn pseudo_inverse_memory(keys: &Array2<f64>, values: &Array2<f64>) -> Result<Array2<f64>, Error> {
    let op = "pseudo-inverse memory";
    check(op, keys, values)?;
    let tall = keys.nrows() > SQUARED && keys.nrows() >= keys.ncols();
    let (u, s, vt) = if tall { tall_triples(op, keys)? } else { triples(op, keys)? };
    let cut = 1e-13 * keys.nrows().max(keys.ncols()) as f64 * s.iter().copied().fold(0.0, f64::max);
    let mut w = Array2::zeros((values.ncols(), keys.ncols()));
    for (k, &size) in s.iter().enumerate().filter(|(_, size)| **size > cut) {
        work::check(op, k, s.len())?;
        let image = values.t().dot(&u.column(k)) / size;
        let row = vt.row(k);
        for ((i, j), entry) in w.indexed_iter_mut() {
            *entry += image[i] * row[j];
        }
    }
    Ok(w)
}

/// Left vectors as columns, values, and right vectors as rows.
type Triples = (Array2<f64>, Array1<f64>, Array2<f64>);

fn triples(op: &'static str, matrix: &Array2<f64>) -> Result<Triples, Error> {
    let (u, s, vt) = matrix.svd(true, true).map_err(Error::linear_algebra(op))?;
    // Both factors were asked for, so both are there; an absent one is reported, not assumed.
    match (u, vt) {
        (Some(u), Some(vt)) => Ok((u, s, vt)),
        _ => Err(Error::empty(op, "a factor of the decomposition", "look for entries that are not finite")),
    }
}

/// Of a tall matrix, by those of R in its QR decomposition: no matrix is larger than it.
fn tall_triples(op: &'static str, matrix: &Array2<f64>) -> Result<Triples, Error> {
    let (q, r) = matrix.qr().map_err(Error::linear_algebra(op))?;
    let (u, s, vt) = triples(op, &r)?;
    Ok((q.dot(&u), s, vt))
}

/// The ridge memory, with keys and values as columns of K and V.
///
/// $$ VK^\top(KK^\top+\lambda I)^{-1}=\arg\min_W\frac12\sum_i\lVert Wk_i-v_i\rVert^2+\frac\lambda2\lVert W\rVert_F^2 $$
///
/// **Source**: the paragraph after Definition 1 (regularisation). **Shapes**: keys (n, d_k), values (n, d_v) as rows.
///
/// **Errors**: shapes, an empty batch, entries that are not finite, `lambda` not above 0, [`Error::Stopped`].
/// Cost O((n + d_k) d_k (d_k + d_v)); up to some thousand dimensions it grows more slowly, since larger blocks multiply faster.
///
/// ```
/// use workbench_gradient_memory::ridge_memory;
/// use ndarray::array;
/// let w = ridge_memory(&array![[1.0]], &array![[3.0]], 0.5)?;
/// assert!((w[[0, 0]] - 2.0).abs() < 1e-15);
/// # Ok::<(), workbench_gradient_memory::Error>(())
/// ```
pub fn ridge_memory(keys: &Array2<f64>, values: &Array2<f64>, lambda: f64) -> Result<Array2<f64>, Error> {
    let op = "ridge memory";
    check(op, keys, values)?;
    let lambda = above_zero(op, "lambda", lambda)?;
    let mut correlation = keys.t().dot(keys);
    correlation.diag_mut().mapv_inplace(|c| c + lambda);
    let mixed = keys.t().dot(values);
    // Rows are solved all at once, as products of blocks; a lambda that rounding swamps leaves a matrix that is not definite.
    let Ok(lower) = correlation.cholesky(UPLO::Lower) else {
        let factors = correlation.factorizeh_into().map_err(Error::linear_algebra(op))?;
        let mut w = Array2::zeros((values.ncols(), keys.ncols()));
        for (i, column) in mixed.columns().into_iter().enumerate() {
            work::check(op, i, mixed.ncols())?;
            w.row_mut(i).assign(&factors.solveh(&column.to_owned()).map_err(Error::linear_algebra(op))?);
        }
        return Ok(w);
    };
    work::check(op, 0, 2)?;
    let half = lower.solve_triangular(UPLO::Lower, Diag::NonUnit, &mixed).map_err(Error::linear_algebra(op))?;
    work::check(op, 1, 2)?;
    let whole = lower.t().solve_triangular(UPLO::Upper, Diag::NonUnit, &half).map_err(Error::linear_algebra(op))?;
    Ok(whole.t().as_standard_layout().into_owned())
}

/// Where a descent ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Descent {
    /// The best memory found, (d_v, d_k).
    pub weights: Array2<f64>,
    /// The objective there.
    pub value: f64,
    /// Frobenius norm of the gradient there.
    pub gradient_norm: f64,
    /// Steps taken.
    pub steps: usize,
    /// Whether the gradient norm reached the tolerance. False when the steps ran out or a stop was requested.
    pub converged: bool,
}

/// One row, of all but the weights.
impl Tabulated for Descent {
    fn columns(&self) -> Result<Columns, Error> {
        Ok(Columns::new("Descent")
            .with("value", [self.value])
            .with("gradient norm", [self.gradient_norm])
            .with("steps", [self.steps])
            .with("converged", [self.converged]))
    }
}

/// Minimises $\sum_i\mathcal L(Wk_i,v_i)+\frac{\mathrm{ridge}}2\lVert W\rVert_F^2$ over linear memories by accelerated gradient descent.
///
/// Only gradients of the objective go in: the step size is found by halving, and the momentum restarts when it points uphill. For a
/// convex loss it reaches the minimum; for `TanhSquared` a stationary point. It can be stopped, and then returns the best state so far
/// with `converged = false`.
///
/// **Source**: Definition 1 and the first display of the MLP example, for any loss.
///
/// **Errors**: as [`Loss::total`]; `ridge` below 0; `tolerance` not above 0; [`Error::NotFinite`] if the loss overflows.
/// Cost O(n d_v d_k) for each step.
///
/// ```
/// use workbench_gradient_memory::{Loss, descend};
/// use ndarray::array;
/// let found = descend(Loss::Squared, &array![[2.0]], &array![[4.0]], 0.0, 1e-12, 1000)?;
/// assert!(found.converged && (found.weights[[0, 0]] - 2.0).abs() < 1e-11);
/// # Ok::<(), workbench_gradient_memory::Error>(())
/// ```
pub fn descend(
    loss: Loss,
    keys: &Array2<f64>,
    values: &Array2<f64>,
    ridge: f64,
    tolerance: f64,
    max_steps: usize,
) -> Result<Descent, Error> {
    let op = "descend";
    check(op, keys, values)?;
    not_negative(op, "ridge", ridge)?;
    above_zero(op, "tolerance", tolerance)?;
    let objective = |w: &Array2<f64>| -> Result<f64, Error> {
        let value = loss.total(w, keys, values)? + 0.5 * ridge * norm(w).powi(2);
        if value.is_finite() {
            return Ok(value);
        }
        Err(Error::not_finite(op, "the objective at W", &[], value))
    };
    let slope = |w: &Array2<f64>| -> Result<Array2<f64>, Error> { Ok(loss.gradient(w, keys, values)? + ridge * w) };
    let mut w = Array2::zeros((values.ncols(), keys.ncols()));
    fits_finite(op, &w, keys, values)?;
    let mut ahead = w.clone();
    // The t_k of Nesterov's sequence; the momentum of a step is (t_k - 1) / t_{k+1}.
    let mut t = 1.0f64;
    let mut rate = 1.0 / (norm(keys).powi(2) + ridge);
    if !rate.is_finite() {
        rate = 1.0;
    }
    let mut steps = 0;
    let mut gradient = slope(&w)?;
    while norm(&gradient) > tolerance && steps < max_steps && !work::stop_requested() {
        let direction = slope(&ahead)?;
        let size = norm(&direction);
        rate *= 1.1;
        let mut next = &ahead - &(rate * &direction);
        // Short enough that the gradient changes by no more than itself. Unlike a decrease of the objective, this can still be
        // seen when the gradient is down to rounding.
        while norm(&(slope(&next)? - &direction)) > size && rate > 1e-300 {
            rate *= 0.5;
            next = &ahead - &(rate * &direction);
        }
        let moved = &next - &w;
        let next_t = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
        let momentum = (t - 1.0) / next_t;
        if (&direction * &moved).sum() > 0.0 {
            ahead = w.clone();
            t = 1.0;
            // A restart from the point itself; the next step is a plain gradient step.
            steps += 1;
            continue;
        }
        ahead = &next + &(momentum * &moved);
        t = next_t;
        w = next;
        gradient = slope(&w)?;
        steps += 1;
    }
    let gradient_norm = norm(&gradient);
    if gradient_norm > tolerance && steps < max_steps {
        work::stopped(op, steps, Some(max_steps));
    }
    Ok(Descent { value: objective(&w)?, weights: w, gradient_norm, steps, converged: gradient_norm <= tolerance })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Axis, array, concatenate};
    use workbench_ground::rehearsal;
    use workbench_ground::stats::{Streams, normal_array2};
    use workbench_ground::tabulated::Values;

    fn pairs(n: usize, d_k: usize, d_v: usize) -> (Array2<f64>, Array2<f64>) {
        let streams = Streams::new(n as u64);
        let draw = |name: &str, c| normal_array2(&mut streams.stream(name).unwrap(), n, c);
        (draw("keys", d_k), draw("values", d_v))
    }

    #[test]
    fn the_closed_form_has_no_gradient_and_agrees_with_descent() {
        for (n, d_k) in [(20, 4), (3, 6)] {
            let (keys, values) = pairs(n, d_k, 2);
            let w = pseudo_inverse_memory(&keys, &values).unwrap();
            assert!(norm(&Loss::Squared.gradient(&w, &keys, &values).unwrap()) < 1e-12);
            // Descent from zero stays in the span of the keys, so it finds the minimiser of least norm too.
            let found = descend(Loss::Squared, &keys, &values, 0.0, 1e-11, 20_000).unwrap();
            assert!(found.converged && norm(&(found.weights - &w)) < 1e-9);
        }
    }

    #[test]
    fn the_way_for_many_pairs_is_the_same_decomposition() {
        for (n, d) in [(20, 4), (300, 32), (100, 8)] {
            let (keys, _) = pairs(n, d, 2);
            let (u, s, vt) = triples("test", &keys).unwrap();
            let (tall_u, tall_s, tall_vt) = tall_triples("test", &keys).unwrap();
            let near = |a: &Array2<f64>, b: &Array2<f64>| norm(&(a - b)) < 1e-12;
            assert!(tall_u.dim() == (n, d) && near(&u.slice(ndarray::s![.., ..d]).to_owned(), &tall_u), "{n} {d}");
            assert!((s - tall_s).iter().all(|gap| gap.abs() < 1e-12) && near(&vt, &tall_vt), "{n} {d}");
        }
    }

    #[test]
    fn many_pairs_are_fitted_too() {
        let (keys, _) = pairs(SQUARED + 1, 2, 1);
        let truth = array![[0.5, -2.0]];
        let w = pseudo_inverse_memory(&keys, &keys.dot(&truth.t())).unwrap();
        assert!(norm(&(w - truth)) < 1e-12);
    }

    #[test]
    fn rank_deficient_keys_get_the_minimiser_of_least_norm() {
        let (keys, values) = pairs(6, 3, 2);
        let doubled = concatenate![Axis(1), keys, keys];
        let w = pseudo_inverse_memory(&doubled, &values).unwrap();
        let single = pseudo_inverse_memory(&keys, &values).unwrap();
        assert!(norm(&(w - concatenate![Axis(1), &single / 2.0, &single / 2.0])) < 1e-12);
        assert_eq!(
            pseudo_inverse_memory(&Array2::zeros((2, 2)), &Array2::ones((2, 1))).unwrap(),
            Array2::<f64>::zeros((1, 2))
        );
    }

    #[test]
    fn ridge_is_the_minimiser_and_tends_to_the_pseudo_inverse() {
        let (keys, values) = pairs(5, 8, 2);
        let w = ridge_memory(&keys, &values, 0.7).unwrap();
        let found = descend(Loss::Squared, &keys, &values, 0.7, 1e-12, 20_000).unwrap();
        assert!(norm(&(&found.weights - &w)) < 1e-10);
        let limit = pseudo_inverse_memory(&keys, &values).unwrap();
        assert!(norm(&(ridge_memory(&keys, &values, 1e-8).unwrap() - &limit)) < 1e-6);
        assert!(norm(&(w - limit)) > 1e-2);
    }

    #[test]
    fn cross_entropy_on_a_sample_that_cannot_be_separated() {
        let (keys, _) = pairs(40, 3, 1);
        let values = Array2::from_shape_fn((40, 3), |(i, j)| f64::from((i * 7 + i / 3) % 3 == j));
        let found = descend(Loss::CrossEntropy, &keys, &values, 0.0, 1e-9, 20_000).unwrap();
        assert!(found.converged, "{} after {}", found.gradient_norm, found.steps);
        assert!(found.value < 40.0 * 3f64.ln());
    }

    #[test]
    fn limits_of_a_descent_are_reported() {
        let (keys, values) = pairs(20, 4, 2);
        let short = descend(Loss::Squared, &keys, &values, 0.0, 1e-12, 3).unwrap();
        assert!(!short.converged && short.steps == 3);
        let columns = short.columns().unwrap();
        let names: Vec<&str> = columns.list.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["value", "gradient norm", "steps", "converged"]);
        assert_eq!((&columns.list[2].1, &columns.list[3].1), (&Values::from([3]), &Values::from([false])));
        let stopped = rehearsal::stop_after(2, || descend(Loss::Squared, &keys, &values, 0.0, 1e-12, 30).unwrap());
        assert!(!stopped.converged && stopped.steps < 30, "{}", stopped.steps);
        let closed = rehearsal::stop_after(1, || pseudo_inverse_memory(&keys, &values)).unwrap_err();
        assert!(matches!(closed, Error::Stopped(stopped) if (stopped.done, stopped.of) == (1, 4)));
        let ridge = rehearsal::stop_after(1, || ridge_memory(&keys, &values, 0.5)).unwrap_err();
        assert!(matches!(ridge, Error::Stopped(stopped) if (stopped.done, stopped.of) == (1, 2)));
        assert!(descend(Loss::Squared, &keys, &values, -1.0, 1e-12, 3).is_err());
        assert!(descend(Loss::Squared, &keys, &values, 0.0, 0.0, 3).is_err());
        assert!(ridge_memory(&keys, &values, 0.0).is_err());
        assert!(matches!(pseudo_inverse_memory(&keys, &Array2::ones((19, 2))), Err(Error::Shape { .. })));
        assert!(matches!(pseudo_inverse_memory(&array![[f64::NAN]], &array![[1.0]]), Err(Error::NotFinite { .. })));
        assert!(matches!(
            descend(Loss::Squared, &Array2::zeros((0, 2)), &Array2::zeros((0, 2)), 0.0, 1e-9, 9),
            Err(Error::Empty { .. })
        ));
    }
}
