//! Two histories that a memory cannot tell apart.

use super::{Error, FeatureMap};
use ndarray::{Array1, Array2, Axis};
use ndarray_linalg::Solve;
use workbench_ground::check::{positive, same};
use workbench_ground::stats::log_sum_exp;

/// Newton steps before giving up.
const STEPS: usize = 200;

/// Keys and values of a history.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// `(n, dim)`.
    pub keys: Array2<f64>,
    /// `(n, dim_v)`.
    pub values: Array2<f64>,
}

/// A second history with the same state $(\mathbf N_t,\Psi_t)$ under `map` as the first, found from a starting guess for its keys.
///
/// The state is $r(1+\mathtt{dim\_v})$ numbers, a history $n(\mathtt{dim}+\mathtt{dim\_v})$. Newton steps of least length move the keys
/// until $\sum_j\phi(k'^j)=\sum_j\phi(k^j)$; the values of least length then solve $\sum_j\phi(k'^j)v'^{j\top}=\mathbf N_t$, a linear
/// system. The result serves to show that nothing computed from the state can depend on more than the state.
///
/// **Source**: A.1.1 says that the features of past keys cannot be recomputed for another rho; this makes it a proof by example.
///
/// **Shapes**: `start` is `(n', dim)` with `n' >= r`. **Errors**: shapes that do not match, too few keys, a Newton iteration that does not
/// converge (start elsewhere).
pub fn colliding_history(map: &FeatureMap, history: &History, start: &Array2<f64>) -> Result<History, Error> {
    const OP: &str = "colliding_history";
    positive(OP, "number of keys", history.keys.nrows())?;
    let n_values = ("number of values", history.values.nrows());
    same(OP, ("number of keys", history.keys.nrows()), n_values)?;
    let map_dim = ("dimension N of the map", map.dim());
    same(OP, ("dimension of the start", start.ncols()), map_dim)?;
    if start.nrows() < map.r() {
        return Err(Error::shape(
            OP,
            ("keys in the second history", start.nrows()),
            ("number of features r", map.r()),
            "give as many keys as features, or more",
        ));
    }
    let scale = log_sum_exp(&map.log_features_of_rows(&history.keys)?.iter().copied().collect::<Vec<_>>());
    let features = |keys: &Array2<f64>| -> Result<Array2<f64>, Error> {
        Ok(map.log_features_of_rows(keys)?.mapv(|x| (x - scale).exp()))
    };
    let first = features(&history.keys)?;
    let (psi, n) = (first.sum_axis(Axis(0)), first.t().dot(&history.values));
    let mut keys = start.clone();
    for step in 0..STEPS {
        workbench_ground::work::check(OP, step, STEPS)?;
        let phi = features(&keys)?;
        let gap = &phi.sum_axis(Axis(0)) - &psi;
        if gap.iter().zip(&psi).all(|(gap, psi)| gap.abs() <= 4.0 * f64::EPSILON * psi) {
            let gram = phi.t().dot(&phi);
            let mut values = Array2::zeros((keys.nrows(), n.ncols()));
            for (c, mut column) in values.axis_iter_mut(Axis(1)).enumerate() {
                column.assign(&phi.dot(&solve(&gram, n.column(c).to_owned())?));
            }
            return Ok(History { keys, values });
        }
        keys -= &newton_step(map, &keys, &phi, gap)?;
    }
    let allowed = "a start with keys near those of the first history";
    Err(Error::parameter(OP, "Newton steps", STEPS as f64, allowed))
}

/// The shortest change of the keys that closes the gap to first order: J^T (J J^T)^{-1} gap.
fn newton_step(
    map: &FeatureMap,
    keys: &Array2<f64>,
    phi: &Array2<f64>,
    gap: Array1<f64>,
) -> Result<Array2<f64>, Error> {
    let (r, dim, p) = (map.r(), map.dim(), map.draws().len());
    let mut jacobian = Array2::zeros((r, keys.len()));
    for (j, key) in keys.rows().into_iter().enumerate() {
        for i in 0..r {
            let (sign, w) = if i < p { (1.0, map.draws().row(i)) } else { (-1.0, map.draws().row(i - p)) };
            for c in 0..dim {
                jacobian[(i, j * dim + c)] = phi[(j, i)] * (sign * map.scale() * w[c] - key[c]);
            }
        }
    }
    let step = jacobian.t().dot(&solve(&jacobian.dot(&jacobian.t()), gap)?);
    // A long step leaves the region where the linearisation means anything.
    let length = step.dot(&step).sqrt();
    let damped = step * (0.5 / length.max(0.5));
    Ok(Array2::from_shape_fn(keys.dim(), |(j, c)| damped[j * dim + c]))
}

fn solve(matrix: &Array2<f64>, right: Array1<f64>) -> Result<Array1<f64>, Error> {
    matrix.solve_into(right).map_err(Error::linear_algebra("colliding_history"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Draws, KernelMemory};
    use ndarray::array;
    use workbench_ground::stats::{Streams, largest_of, normal_array2};

    #[test]
    fn same_state_at_one_rho_and_another_at_the_next() {
        let streams = Streams::new(3);
        let normal = |name: &str, m, d| normal_array2(&mut streams.stream(name).unwrap(), m, d);
        let draws = Draws::from_rows(normal("w", 4, 2)).unwrap();
        let first = History { keys: normal("k", 5, 2) * 0.5, values: normal("v", 5, 1) };
        let map = |a_hat| FeatureMap::favor_plus_plus(draws.clone(), a_hat).unwrap();
        let second = colliding_history(&map(0.1), &first, &(&first.keys + &(normal("other", 5, 2) * 0.3))).unwrap();
        let state = |a_hat, history: &History| {
            let mut memory = KernelMemory::new(map(a_hat), 1, 1.0).unwrap();
            memory.absorb_rows(&history.keys, &history.values).unwrap();
            let worst = |x: Array1<f64>, y: Array1<f64>| largest_of((x - y).iter().map(|d| d.abs()));
            (memory, worst)
        };
        let ((a, worst), (b, _)) = (state(0.1, &first), state(0.1, &second));
        assert!(worst(a.log_psi(), b.log_psi()) < 1e-13);
        assert!(worst(a.mean_values().column(0).to_owned(), b.mean_values().column(0).to_owned()) < 1e-9);
        let ((a, _), (b, _)) = (state(0.4, &first), state(0.4, &second));
        assert!(worst(a.log_psi(), b.log_psi()) > 1e-3);
        assert!((&first.keys - &second.keys).iter().any(|x| x.abs() > 0.05));
    }

    #[test]
    fn refuses_bad_input() {
        let map = FeatureMap::favor_plus(Draws::from_rows(array![[1.0], [2.0]]).unwrap()).unwrap();
        let history = History { keys: array![[1.0]], values: array![[1.0]] };
        assert!(matches!(
            colliding_history(&map, &history, &array![[1.0]]),
            Err(Error::Shape { left, right, .. }) if left == [1] && right == [2]
        ));
        assert!(matches!(colliding_history(&map, &history, &array![[1.0, 2.0]]), Err(Error::Shape { .. })));
        let empty = History { keys: Array2::zeros((0, 1)), values: Array2::zeros((0, 1)) };
        assert!(matches!(colliding_history(&map, &empty, &array![[1.0]]), Err(Error::Zero { .. })));
    }
}
