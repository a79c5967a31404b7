//! Projection of W on the form of Eq. 2.

use super::task::TrainingTask;
use ndarray::{Array1, Array2};
use ndarray_linalg::LeastSquaresSvd;
use workbench_ground::Error;

/// Minimises `|W - sum_x q(x) u_{f_*(x)} e_x^T|` given the scores and the norm of W.
///
/// The normal equations need only inner products: `A q = b` with `A[x, x'] = (e_x . e_x') (u_y . u_y')` and `b[x] = u_y^T W e_x`.
pub(super) fn project(task: &TrainingTask, scores: &Array2<f64>, norm: f64) -> Result<(Array1<f64>, f64), Error> {
    let (kernel, gram, labels) = (task.kernel()?, task.gram(), task.labels());
    let n = task.n_inputs();
    let a = Array2::from_shape_fn((n, n), |(i, j)| kernel[[i, j]] * gram[[labels[i], labels[j]]]);
    let b = Array1::from_shape_fn(n, |i| scores[[i, labels[i]]]);
    let solved = a.least_squares(&b).map_err(|_| {
        let allowed = "scores for which the least-squares decomposition converges";
        Error::parameter("TrainingRun::on_stored_pairs", "norm of W", norm, allowed)
    })?;
    let inside = solved.solution.dot(&b);
    let outside = if norm > 0.0 { 1.0 - inside / (norm * norm) } else { 0.0 };
    Ok((solved.solution, outside.clamp(0.0, 1.0)))
}
