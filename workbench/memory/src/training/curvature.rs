//! The largest curvature of the loss in W.

use super::run::TrainingRun;
use super::task::TrainingTask;
use ndarray::Array2;
use workbench_ground::Error;
use workbench_ground::check::entries;
use workbench_ground::work;

const OP: &str = "sharpness";
/// Power iterations at most; the estimate is a lower bound that has settled long before.
const ITERATIONS: usize = 1000;

/// Largest eigenvalue of the Hessian of the loss of Eq. 9 in W, at the scores of a descent without layer norm.
///
/// $$ HV=\sum_xp(x)\,U^\top(\operatorname{diag}(s)-ss^\top)\,(UVe_x)\,e_x^\top $$
///
/// with s the softmax of the scores of x. Gradient descent at a constant rate is
/// locally stable up to a rate of 2 over it.
///
/// **Source**: Section 3, Practical considerations ("unstable loss gradients"); the measure is that of stability analysis.
///
/// **Errors**: scores that are not finite, [`Error::Stopped`]. Cost: `N M d + M d^2` per power iteration.
pub fn sharpness(descent: &TrainingRun) -> Result<f64, Error> {
    let scores = descent.scores();
    entries(OP, "scores", &scores, f64::is_finite, "finite scores; lower the rate")?;
    largest_curvature(descent.task(), &softmax(scores))
}

fn softmax(mut scores: Array2<f64>) -> Array2<f64> {
    for mut row in scores.outer_iter_mut() {
        let top = row.fold(f64::NEG_INFINITY, |m, v| m.max(*v));
        row.mapv_inplace(|s| (s - top).exp());
        let total = row.sum();
        row /= total;
    }
    scores
}

fn largest_curvature(task: &TrainingTask, shares: &Array2<f64>) -> Result<f64, Error> {
    let (e, p) = (task.embeddings(), task.probabilities());
    let d = task.dim();
    // A start with a part along every eigenvector, the same on every call.
    let mut v = Array2::from_shape_fn((d, d), |(i, j)| 1.0 + ((7 * i + 3 * j) as f64).sin());
    let mut value = 0.0;
    for k in 0..ITERATIONS {
        work::check(OP, k, ITERATIONS)?;
        let norm = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        if norm < f64::MIN_POSITIVE {
            return Ok(0.0);
        }
        v /= norm;
        let mut t = e.inputs.dot(&e.outputs.dot(&v).t()); // (N, M)
        for ((mut row, s), p) in t.outer_iter_mut().zip(shares.outer_iter()).zip(p) {
            let along = row.dot(&s);
            row.zip_mut_with(&s, |t, s| *t = p * s * (*t - along));
        }
        let next = e.outputs.t().dot(&t.t().dot(&e.inputs));
        let now = (&next * &v).sum();
        if k > 20 && (now - value).abs() <= 1e-10 * now.abs() {
            return Ok(now);
        }
        value = now;
        v = next;
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::target::Target;
    use crate::data::zipf::Zipf;
    use crate::store::embedding::Embeddings;
    use crate::theory::lemma_4::cross_entropy;
    use crate::training::method::Method;
    use workbench_ground::stats::Streams;

    #[test]
    fn one_pair_by_hand() {
        // One input e = (1, 0), two orthonormal outputs, uniform softmax: H is 1/4 on the direction (u_0 - u_1) e^T of squared norm 2.
        let e = Embeddings::from_parts(ndarray::array![[1.0, 0.0]], Array2::eye(2)).unwrap();
        let task = TrainingTask::new(e, &[0], &[1.0]).unwrap();
        let descent = TrainingRun::new(&task, &Method::sgd(1.0).unwrap()).unwrap();
        assert!((sharpness(&descent).unwrap() - 0.5).abs() < 1e-12);
    }

    #[test]
    fn bounds_second_differences() {
        let streams = Streams::new(1);
        let e = Embeddings::spherical(8, 3, 4, &mut streams.stream("e").unwrap()).unwrap();
        let (labels, p) = (Target::modulo(3).unwrap().labels(8), Zipf::new(1.5, 8).unwrap().probabilities(8));
        let task = TrainingTask::new(e.clone(), &labels, &p).unwrap();
        let mut descent = TrainingRun::new(&task, &Method::sgd(1.0).unwrap()).unwrap();
        for _ in 0..30 {
            descent.population_step().unwrap();
        }
        let (w, top) = (descent.weights(), sharpness(&descent).unwrap());
        let mut stream = streams.stream("directions").unwrap();
        let (mut largest, h) = (0.0f64, 1e-3);
        for _ in 0..200 {
            // Directions within the span of the outputs and inputs.
            let v = e.outputs.t().dot(&workbench_ground::stats::normal_array2(&mut stream, 3, 8)).dot(&e.inputs);
            let v = &v / v.iter().map(|v| v * v).sum::<f64>().sqrt();
            let loss = |t: f64| cross_entropy(&(&w + &(t * &v)), &e, &labels, &p).unwrap();
            let second = (loss(h) - 2.0 * loss(0.0) + loss(-h)) / (h * h);
            assert!(second <= top * 1.001 + 1e-7);
            largest = largest.max(second);
        }
        assert!(largest > 0.2 * top, "{largest} {top}");
    }
}
