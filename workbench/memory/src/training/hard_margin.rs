//! The smallest W that stores every pair with margin one.

use super::task::TrainingTask;
use ndarray::Array2;
use workbench_ground::Error;
use workbench_ground::check::above_zero;
use workbench_ground::work;

const OP: &str = "hard_margin_norm";
/// Sweeps over all constraints at most; tasks with tiny margins need many.
const SWEEPS: usize = 200_000;

/// Least Frobenius norm of a W with $u_y^\top We_x\ge u_z^\top We_x+1$ for every input x, y its class and z any other, as the two ends
/// of an interval that holds it.
///
/// $W=\sum a_{xz}(u_y-u_z)e_x^\top$ with $a\ge0$ maximising $\sum a-\lVert W\rVert^2/2$, one coordinate after the other. The lower end is
/// the root of twice the dual value; the upper one is $\lVert W\rVert$ over its least margin, which is feasible. Sweeps end when they agree
/// to `tolerance`, relative.
///
/// Descent on the cross-entropy of separable pairs ends up along this W, with $\lVert W_t\rVert$ growing as this norm times $\ln t$.
///
/// **Source**: Soudry et al. (2018), "The implicit bias of gradient descent on separable data", Theorem 7.
///
/// **Errors**: a tolerance that is not positive, pairs that cannot all be stored (or not within the sweeps), [`Error::Stopped`].
/// Cost per sweep: `(N M)^2`.
///
/// ```
/// use workbench_memory::{Embeddings, TrainingTask, hard_margin_norm};
/// use ndarray::array;
/// // One input and two orthonormal classes: W = (u_0 - u_1) e^T / 2.
/// let one = Embeddings::from_parts(array![[1.0, 0.0]], array![[1.0, 0.0], [0.0, 1.0]])?;
/// let (low, high) = hard_margin_norm(&TrainingTask::new(one, &[0], &[1.0])?, 1e-9)?;
/// assert!((low - 0.5f64.sqrt()).abs() < 1e-9 && (high - low).abs() < 1e-9);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn hard_margin_norm(task: &TrainingTask, tolerance: f64) -> Result<(f64, f64), Error> {
    above_zero(OP, "tolerance", tolerance)?;
    let products = constraint_products(task)?;
    let count = products.nrows();
    let mut a = vec![0.0f64; count];
    // Margins of the current W, one for each constraint.
    let mut margins = vec![0.0f64; count];
    for sweep in 0..SWEEPS {
        work::check(OP, sweep, SWEEPS)?;
        for k in 0..count {
            let next = (a[k] + (1.0 - margins[k]) / products[[k, k]]).max(0.0);
            let change = next - a[k];
            if change != 0.0 {
                a[k] = next;
                margins.iter_mut().zip(products.row(k)).for_each(|(m, g)| *m += change * g);
            }
        }
        let square: f64 = a.iter().zip(&margins).map(|(a, m)| a * m).sum();
        let dual = (2.0 * a.iter().sum::<f64>() - square).max(0.0).sqrt();
        let least = margins.iter().copied().fold(f64::INFINITY, f64::min);
        let primal = square.max(0.0).sqrt() / least;
        if least > 0.0 && primal - dual <= tolerance * primal {
            return Ok((dual, primal));
        }
    }
    let allowed = "pairs that can all be stored, with a margin that the sweeps can find";
    Err(Error::parameter(OP, "sweeps", SWEEPS as f64, allowed))
}

/// Inner products of `(u_y - u_z) e_x^T` over all inputs x and wrong classes z.
fn constraint_products(task: &TrainingTask) -> Result<Array2<f64>, Error> {
    let (kernel, gram, labels) = (task.kernel()?, task.gram(), task.labels());
    let pairs: Vec<(usize, usize)> = (0..task.n_inputs())
        .flat_map(|x| (0..task.n_classes()).filter(move |z| *z != labels[x]).map(move |z| (x, z)))
        .collect();
    let mut products = Array2::<f64>::zeros((pairs.len(), pairs.len()));
    for (i, (mut row, &(x, z))) in products.outer_iter_mut().zip(&pairs).enumerate() {
        work::check(OP, i, pairs.len())?;
        for (product, &(v, w)) in row.iter_mut().zip(&pairs) {
            let (y, u) = (labels[x], labels[v]);
            *product = kernel[[x, v]] * (gram[[y, u]] - gram[[y, w]] - gram[[z, u]] + gram[[z, w]]);
        }
    }
    Ok(products)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::target::Target;
    use crate::store::embedding::Embeddings;
    use crate::training::method::{BatchSize, Method, Tracked};
    use crate::training::run::TrainingRun;
    use ndarray::array;
    use workbench_ground::stats::Streams;

    #[test]
    fn descent_grows_at_its_rate() {
        let streams = Streams::new(3);
        let e = Embeddings::spherical(6, 3, 12, &mut streams.stream("e").unwrap()).unwrap();
        let task = TrainingTask::new(e, &Target::modulo(3).unwrap().labels(6), &[1.0 / 6.0; 6]).unwrap();
        let (low, high) = hard_margin_norm(&task, 1e-8).unwrap();
        assert!(low <= high && (high - low) < 1e-6, "{low} {high}");
        let method = Method::sgd(2.0).unwrap().batch(BatchSize::Population).tracking(Tracked::Scores);
        let mut descent = TrainingRun::new(&task, &method).unwrap();
        let mut stream = streams.stream("unused").unwrap();
        descent.advance(20_000, &mut stream).unwrap();
        let before = descent.norm();
        descent.advance(180_000, &mut stream).unwrap();
        let rate = (descent.norm() - before) / 10f64.ln();
        assert!((rate / low - 1.0).abs() < 0.05, "{rate} {low}");
    }

    #[test]
    fn what_cannot_be_stored_is_refused() {
        // One embedding, two classes.
        let twice = Embeddings::from_parts(array![[1.0, 0.0], [1.0, 0.0]], array![[1.0, 0.0], [0.0, 1.0]]).unwrap();
        let task = TrainingTask::new(twice, &[0, 1], &[0.5, 0.5]).unwrap();
        assert!(hard_margin_norm(&task, 1e-6).is_err());
        assert!(hard_margin_norm(&task, 0.0).is_err());
    }
}
