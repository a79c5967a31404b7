//! The gradient in the space of the weights, with or without layer norm.

use super::kernels::correction;
use super::method::LayerNorm;
use super::task::TrainingTask;
use ndarray::{Array1, Array2, ArrayView2, Axis};

/// `W e_x` of each row of `inputs` after layer norm, and the divisors `sqrt(mean(h^2) + epsilon) / gain` that were applied.
fn normalised(w: &Array2<f64>, inputs: &ArrayView2<f64>, norm: LayerNorm) -> (Array2<f64>, Array1<f64>) {
    let mut h = inputs.dot(&w.t());
    let mut divisors = Array1::zeros(h.nrows());
    for (mut h, divisor) in h.outer_iter_mut().zip(&mut divisors) {
        if norm.centred {
            let mean = h.sum() / h.len() as f64;
            h -= mean;
        }
        *divisor = (h.dot(&h) / h.len() as f64 + norm.epsilon).sqrt() / norm.gain;
        if *divisor > 0.0 {
            h /= *divisor;
        }
    }
    (h, divisors)
}

/// Scores of each row of `inputs`, `(rows, M)`.
pub(super) fn scores(
    task: &TrainingTask,
    w: &Array2<f64>,
    inputs: &ArrayView2<f64>,
    norm: Option<LayerNorm>,
) -> Array2<f64> {
    let outputs = &task.embeddings().outputs;
    match norm {
        Some(norm) => normalised(w, inputs, norm).0.dot(&outputs.t()),
        // Through the smaller of the two middle products.
        None if inputs.nrows() < outputs.nrows() => inputs.dot(&w.t()).dot(&outputs.t()),
        None => inputs.dot(&outputs.dot(w).t()),
    }
}

/// `weights[i] (1{z = f_*(x_i)} - softmax_z)` for each row of scores.
pub(super) fn corrections(scores: &Array2<f64>, labels: &[usize], weights: &[f64]) -> Array2<f64> {
    let mut result = Array2::zeros(scores.dim());
    let (mut row, mut buffer) = (vec![0.0; scores.ncols()], vec![0.0; scores.ncols()]);
    for (((scores, mut out), &y), &weight) in scores.outer_iter().zip(result.outer_iter_mut()).zip(labels).zip(weights)
    {
        row.iter_mut().zip(&scores).for_each(|(row, s)| *row = *s);
        correction(&row, y, &mut buffer);
        out.iter_mut().zip(&buffer).for_each(|(out, b)| *out = weight * b);
    }
    result
}

/// Minus the gradient as pairs of left vectors and inputs: row i of the result belongs to `- weights[i] dl/dW = row_i e_i^T`.
pub(super) fn left_vectors(
    task: &TrainingTask,
    w: &Array2<f64>,
    inputs: &ArrayView2<f64>,
    labels: &[usize],
    weights: &[f64],
    norm: Option<LayerNorm>,
) -> Array2<f64> {
    let outputs = &task.embeddings().outputs;
    let Some(norm) = norm else {
        let scores = scores(task, w, inputs, None);
        return corrections(&scores, labels, weights).dot(outputs);
    };
    let (n, divisors) = normalised(w, inputs, norm);
    let mut left = corrections(&n.dot(&outputs.t()), labels, weights).dot(outputs);
    for ((mut g, n), divisor) in left.outer_iter_mut().zip(n.outer_iter()).zip(&divisors) {
        if *divisor == 0.0 {
            g.fill(0.0);
            continue;
        }
        // n = h / divisor with divisor^2 gain^2 = mean(h^2) + epsilon: the part of g along n is taken off, divided by d gain^2.
        let along = g.dot(&n) / (g.len() as f64 * norm.gain * norm.gain);
        g.scaled_add(-along, &n);
        if norm.centred {
            let mean = g.sum() / g.len() as f64;
            g -= mean;
        }
        g /= *divisor;
    }
    left
}

/// The gradient `sum_i weights[i] dl(x_i)/dW`, `(d, d)`, and, without layer norm, the corrections that it is made of.
pub(super) fn gradient(
    task: &TrainingTask,
    w: &Array2<f64>,
    rows: &[usize],
    weights: &[f64],
    norm: Option<LayerNorm>,
) -> (Array2<f64>, Option<Array2<f64>>) {
    let all = &task.embeddings().inputs;
    let labels: Vec<usize> = rows.iter().map(|&x| task.labels()[x]).collect();
    let everything = rows.len() == all.nrows() && rows.iter().enumerate().all(|(i, &x)| i == x);
    let gathered = if everything { None } else { Some(all.select(Axis(0), rows)) };
    let inputs = gathered.as_ref().map_or(all.view(), |rows| rows.view());
    let (mut gradient, corrections) = match norm {
        Some(_) => (left_vectors(task, w, &inputs, &labels, weights, norm).t().dot(&inputs), None),
        // Through the classes: M rows instead of one for each input.
        None => {
            let corrections = corrections(&scores(task, w, &inputs, None), &labels, weights);
            let gradient = task.embeddings().outputs.t().dot(&corrections.t().dot(&inputs));
            (gradient, Some(corrections))
        }
    };
    gradient.mapv_inplace(|g| -g);
    (gradient, corrections)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::target::Target;
    use crate::data::zipf::Zipf;
    use crate::store::embedding::Embeddings;
    use crate::theory::lemma_4::cross_entropy_gradient;
    use workbench_ground::stats::{Streams, log_sum_exp, normal_array2};

    fn task(n: usize, m: usize, d: usize) -> (TrainingTask, Array2<f64>) {
        let streams = Streams::new(5);
        let e = Embeddings::draw(n, m, d, &mut streams.stream("e").unwrap()).unwrap();
        let (labels, p) = (Target::modulo(m).unwrap().labels(n), Zipf::new(1.0, n).unwrap().probabilities(n));
        let w = normal_array2(&mut streams.stream("w").unwrap(), d, d);
        (TrainingTask::new(e, &labels, &p).unwrap(), w)
    }

    fn loss(task: &TrainingTask, w: &Array2<f64>, norm: Option<LayerNorm>) -> f64 {
        let scores = scores(task, w, &task.embeddings().inputs.view(), norm);
        scores
            .outer_iter()
            .zip(task.labels())
            .zip(task.probabilities())
            .map(|((row, &y), p)| p * (log_sum_exp(&row.to_vec()) - row[y]))
            .sum()
    }

    #[test]
    fn gradients_agree_with_differences() {
        let (task, w) = task(7, 3, 4);
        let mut odd = LayerNorm::standard();
        odd.gain = 0.7;
        odd.epsilon = 0.3;
        for norm in [None, Some(LayerNorm::standard()), Some(LayerNorm::rescaling()), Some(odd)] {
            let gradient = gradient(&task, &w, &[0, 1, 2, 3, 4, 5, 6], task.probabilities(), norm).0;
            for i in 0..4 {
                for j in 0..4 {
                    let shifted = |h: f64| {
                        let mut w = w.clone();
                        w[[i, j]] += h;
                        loss(&task, &w, norm)
                    };
                    let difference = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
                    assert!((difference - gradient[[i, j]]).abs() < 1e-8, "{norm:?}");
                }
            }
        }
    }

    #[test]
    fn two_roads_to_the_gradient() {
        let (task, w) = task(9, 4, 6);
        let rows: Vec<usize> = (0..9).collect();
        let ours = gradient(&task, &w, &rows, task.probabilities(), None).0;
        let theirs = cross_entropy_gradient(&w, task.embeddings(), task.labels(), task.probabilities()).unwrap();
        assert!((&ours - &theirs).iter().all(|x| x.abs() < 1e-13));
        // Parts of the inputs, in another order, with zero weights for the others.
        let some = gradient(&task, &w, &[5, 2], &[0.5, 2.0], None).0;
        let mut weights = vec![0.0; 9];
        (weights[5], weights[2]) = (0.5, 2.0);
        let all = gradient(&task, &w, &rows, &weights, None).0;
        assert!((&some - &all).iter().all(|x| x.abs() < 1e-13));
    }

    #[test]
    fn layer_norm_has_unit_mean_square() {
        let (task, w) = task(5, 3, 8);
        for norm in [LayerNorm::standard(), LayerNorm::rescaling()] {
            let (h, _) = normalised(&w, &task.embeddings().inputs.view(), norm);
            for row in h.outer_iter() {
                assert!((row.dot(&row) / 8.0 - 1.0).abs() < 1e-4);
                assert!(!norm.centred || row.sum().abs() < 1e-12);
            }
        }
        // Zero weights: nothing to normalise.
        let zero = Array2::zeros((8, 8));
        let none = LayerNorm { epsilon: 0.0, ..LayerNorm::rescaling() };
        let gradient = gradient(&task, &zero, &[0, 1], &[1.0, 1.0], Some(none)).0;
        assert!(gradient.iter().all(|g| *g == 0.0));
    }
}
