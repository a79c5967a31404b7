//! The cross-entropy loss of the memory and its gradient.

use crate::blocks::watched_blocks;
use crate::store::embedding::Embeddings;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, s};
use workbench_ground::Error;
use workbench_ground::check::{positions, same};
use workbench_ground::stats::log_sum_exp;

/// The cross-entropy loss for deterministic labels.
///
/// $$ \mathcal L(W)=\mathbb E_{x\sim p}\Bigl[-u_{f_*(x)}^\top We_x+\ln\sum_z\exp(u_z^\top We_x)\Bigr] $$
///
/// **Source**: Eq. 9.
///
/// **Shapes**: `w` is `(d, d)`, `labels` and `p` have one entry per input.
///
/// **Errors**: sizes that do not match, [`Error::Stopped`].
pub fn cross_entropy(w: &Array2<f64>, embeddings: &Embeddings, labels: &[usize], p: &[f64]) -> Result<f64, Error> {
    let scores = scores("cross_entropy", w, embeddings, labels, p)?;
    Ok(scores.outer_iter().zip(labels).zip(p).map(|((row, &y), &p)| p * (log_sum_exp(&row.to_vec()) - row[y])).sum())
}

/// The gradient of [`cross_entropy`] in W, `(d, d)`.
///
/// $$ \nabla\mathcal L(W)=\sum_xp(x)\sum_z\bigl(\operatorname{softmax}_z(x)-1_{z=f_*(x)}\bigr)\,u_ze_x^\top $$
///
/// **Source**: Lemma 4, before any approximation.
pub fn cross_entropy_gradient(
    w: &Array2<f64>,
    embeddings: &Embeddings,
    labels: &[usize],
    p: &[f64],
) -> Result<Array2<f64>, Error> {
    let mut residual = scores("cross_entropy_gradient", w, embeddings, labels, p)?;
    for ((mut row, &y), &p) in residual.outer_iter_mut().zip(labels).zip(p) {
        let total = log_sum_exp(&row.to_vec());
        row.mapv_inplace(|s| (s - total).exp());
        row[y] -= 1.0;
        row *= p;
    }
    let ((n, d), m) = (embeddings.inputs.dim(), embeddings.outputs.nrows());
    let mut by_class = Array2::zeros((m, d));
    for inputs in watched_blocks("cross_entropy_gradient", n, 2 * m * d) {
        let rows = s![inputs?, ..];
        general_mat_mul(1.0, &residual.slice(rows).t(), &embeddings.inputs.slice(rows), 1.0, &mut by_class);
    }
    Ok(embeddings.outputs.t().dot(&by_class))
}

fn scores(
    op: &'static str,
    w: &Array2<f64>,
    e: &Embeddings,
    labels: &[usize],
    p: &[f64],
) -> Result<Array2<f64>, Error> {
    let (n, d) = e.inputs.dim();
    for (left_name, left, right_name, right) in [
        ("rows of W", w.nrows(), "d", d),
        ("columns of W", w.ncols(), "d", d),
        ("labels", labels.len(), "N", n),
        ("p", p.len(), "N", n),
    ] {
        same(op, (left_name, left), (right_name, right))?;
    }
    positions(op, "class", labels, e.outputs.nrows())?;
    // Through the classes first: `U W` costs M d^2 once, not N d^2.
    let (by_class, m) = (e.outputs.dot(w), e.outputs.nrows());
    let mut scores = Array2::zeros((n, m));
    for inputs in watched_blocks(op, n, 2 * m * d) {
        let rows = s![inputs?, ..];
        scores.slice_mut(rows).assign(&e.inputs.slice(rows).dot(&by_class.t()));
    }
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::target::Target;
    use crate::data::zipf::Zipf;
    use workbench_ground::stats::Streams;

    #[test]
    fn gradient_agrees_with_differences() {
        let streams = Streams::new(6);
        let e = Embeddings::draw(7, 3, 4, &mut streams.stream("e").unwrap()).unwrap();
        let (labels, p) = (Target::modulo(3).unwrap().labels(7), Zipf::new(1.0, 7).unwrap().probabilities(7));
        let w = Embeddings::draw(4, 1, 4, &mut streams.stream("w").unwrap()).unwrap().inputs;
        let gradient = cross_entropy_gradient(&w, &e, &labels, &p).unwrap();
        let h = 1e-5;
        for i in 0..4 {
            for j in 0..4 {
                let shifted = |h: f64| {
                    let mut w = w.clone();
                    w[[i, j]] += h;
                    cross_entropy(&w, &e, &labels, &p).unwrap()
                };
                let difference = (shifted(h) - shifted(-h)) / (2.0 * h);
                assert!((difference - gradient[[i, j]]).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn zero_memory_has_loss_log_m() {
        let e = Embeddings::draw(7, 3, 4, &mut Streams::new(6).stream("e").unwrap()).unwrap();
        let (labels, p) = (Target::modulo(3).unwrap().labels(7), Zipf::new(1.0, 7).unwrap().probabilities(7));
        assert!((cross_entropy(&Array2::zeros((4, 4)), &e, &labels, &p).unwrap() - 3f64.ln()).abs() < 1e-14);
        assert!(matches!(cross_entropy(&Array2::zeros((4, 3)), &e, &labels, &p), Err(Error::Shape { .. })));
        assert!(matches!(cross_entropy_gradient(&Array2::zeros((4, 4)), &e, &[5; 7], &p), Err(Error::NoSuch { .. })));
    }
}
