//! Attention with the softmax kernel: exact, and in linear time through a feature map.

mod fast;

pub use fast::LinearAttention;

use super::{Error, FeatureMap};
use ndarray::{Array1, Array2, Axis};
use workbench_ground::check::{finite, positive, same};
use workbench_ground::stats::log_sum_exp;

/// Whether a token sees all tokens or only those up to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// All tokens see all tokens.
    Bidirectional,
    /// Token t sees tokens 1, ..., t.
    Causal,
}

/// Softmax attention with the usual scale, $o_i=\sum_je^{q_i^\top k_j/\sqrt N}v_j/\sum_je^{q_i^\top k_j/\sqrt N}$, in log space; N is the
/// dimension of queries and keys. [`unscaled_attention`] has the kernel $e^{q^\top k}$ of the document.
///
/// **Source**: Vaswani et al. (2017), Eq. 1.
///
/// **Shapes**: queries `(n, dim)`, keys `(m, dim)`, values `(m, dim_v)` to `(n, dim_v)`; causal attention needs `n = m`.
///
/// **Errors**: no rows, shapes that do not match, entries that are not finite. **Cost** O(n m (dim + dim_v)) time, O(n m) memory: the
/// scores are formed, for it is what others are held against; [`LinearAttention`] is for long sequences.
///
/// ```
/// use ndarray::array;
/// use workbench_features::{Direction, softmax_attention, unscaled_attention};
/// let (q, v) = (array![[1.0, 0.0, 0.0, 0.0]], array![[1.0], [0.0]]);
/// let k = array![[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]];
/// let scaled = softmax_attention(&q, &k, &v, Direction::Bidirectional)?; // N = 4: half the inner products
/// assert!((scaled[(0, 0)] - 1.0 / (1.0 + (-1f64).exp())).abs() < 1e-15);
/// let unscaled = unscaled_attention(&q, &k, &v, Direction::Bidirectional)?;
/// assert!((unscaled[(0, 0)] - 1.0 / (1.0 + (-2f64).exp())).abs() < 1e-15);
/// # Ok::<(), workbench_features::Error>(())
/// ```
pub fn softmax_attention(
    queries: &Array2<f64>,
    keys: &Array2<f64>,
    values: &Array2<f64>,
    direction: Direction,
) -> Result<Array2<f64>, Error> {
    check("softmax_attention", queries, keys, values, direction)?;
    let scale = (queries.ncols() as f64).sqrt().recip();
    weighted(&(scale * queries.dot(&keys.t())), values, direction)
}

/// Exact attention with the softmax kernel itself, $o_i=\sum_je^{q_i^\top k_j}v_j/\sum_je^{q_i^\top k_j}$, in log space: there is no
/// $1/\sqrt N$.
///
/// **Source**: A.1, whose features estimate the softmax kernel $e^{x^\top y}$.
///
/// **Shapes**: as [`softmax_attention`]. **Errors**: as there. **Cost** as there.
pub fn unscaled_attention(
    queries: &Array2<f64>,
    keys: &Array2<f64>,
    values: &Array2<f64>,
    direction: Direction,
) -> Result<Array2<f64>, Error> {
    check("unscaled_attention", queries, keys, values, direction)?;
    weighted(&queries.dot(&keys.t()), values, direction)
}

/// [`unscaled_attention`] with the kernel replaced by the estimate of a map, pair by pair: quadratic time, for comparison.
///
/// **Source**: A.1, which estimates the softmax kernel by $\phi(x)^\top\phi(y)$.
///
/// **Errors**: as there, and another dimension than the map's. **Cost** O(n m r).
pub fn estimated_attention(
    map: &FeatureMap,
    queries: &Array2<f64>,
    keys: &Array2<f64>,
    values: &Array2<f64>,
    direction: Direction,
) -> Result<Array2<f64>, Error> {
    const OP: &str = "estimated_attention";
    check(OP, queries, keys, values, direction)?;
    let (q, k) = (map.log_features_of_rows(queries)?, map.log_features_of_rows(keys)?);
    let mut logs = Array2::zeros((q.nrows(), k.nrows()));
    for (i, q) in q.rows().into_iter().enumerate() {
        workbench_ground::work::check(OP, i, queries.nrows())?;
        for (j, k) in k.rows().into_iter().enumerate() {
            logs[(i, j)] = log_sum_exp(&(&q + &k).to_vec());
        }
    }
    weighted(&logs, values, direction)
}

/// First-order prediction of the error $\mathbb E\lVert\hat o-o\rVert^2$ of [`estimated_attention`] for each query, times the number of
/// independent projections:
///
/// $$ \sum_{jl}\operatorname{Cov}(X_j,X_l)\,\frac{(v_j-o)^\top(v_l-o)}{Z^2},\qquad X_j=X(q,k_j),\ Z=\sum_je^{q^\top k_j} $$
///
/// because $\hat o-o\approx\sum_j(\widehat K_j-K_j)(v_j-o)/Z$. Divide by the number of projections; valid when that is large.
///
/// **Source**: ours.
///
/// **Shapes**: as [`softmax_attention`]; result `(n)`. **Errors**: as there. **Cost** O(n m^2 dim).
pub fn attention_error_constants(
    kind: super::MapKind,
    queries: &Array2<f64>,
    keys: &Array2<f64>,
    values: &Array2<f64>,
) -> Result<Array1<f64>, Error> {
    const OP: &str = "attention_error_constants";
    check(OP, queries, keys, values, Direction::Bidirectional)?;
    kind.check(OP)?;
    let (a, dim, m) = (kind.a_hat(), queries.ncols() as f64, keys.nrows());
    let (b2, precision) = (1.0 + 4.0 * a, 1.0 + 8.0 * a);
    let flat = dim * b2.ln() - 0.5 * dim * precision.ln();
    let exact = unscaled_attention(queries, keys, values, Direction::Bidirectional)?;
    let mut constants = Array1::zeros(queries.nrows());
    for (i, q) in queries.rows().into_iter().enumerate() {
        workbench_ground::work::check(OP, i, queries.nrows())?;
        let logits = keys.dot(&q);
        let log_z = log_sum_exp(&logits.to_vec());
        let deviations = values - &exact.row(i);
        let gram = deviations.dot(&deviations.t());
        let sums = keys + &q;
        let products = sums.dot(&sums.t()); // (q + k_j).(q + k_l)
        for j in 0..m {
            for l in 0..m {
                // E X_j X_l / (K_j K_l) from s_j.s_l: |s_j + s_l|^2 = v_j + v_l + 2 s_j.s_l.
                let (vj, vl, dot) = (products[(j, j)], products[(l, l)], products[(j, l)]);
                let along = |cross: f64| flat + 0.5 * (b2 / precision) * (vj + vl + 2.0 * cross) - 0.5 * (vj + vl);
                let relative = if kind.is_hyperbolic() {
                    0.5 * (along(dot).exp_m1() + along(-dot).exp_m1())
                } else {
                    along(dot).exp_m1()
                };
                constants[i] += (logits[j] + logits[l] - 2.0 * log_z).exp() * relative * gram[(j, l)];
            }
        }
    }
    Ok(constants)
}

/// Mean over rows of the squared distance of two outputs.
///
/// **Source**: ours.
///
/// **Errors**: different shapes, no rows.
pub fn mean_squared_distance(a: &Array2<f64>, b: &Array2<f64>) -> Result<f64, Error> {
    const OP: &str = "mean_squared_distance";
    same(OP, ("rows", a.nrows()), ("rows of the other", b.nrows()))?;
    same(OP, ("columns", a.ncols()), ("columns of the other", b.ncols()))?;
    positive(OP, "number of rows", a.nrows())?;
    Ok((a - b).mapv(|x| x * x).sum() / a.nrows() as f64)
}

fn weighted(logs: &Array2<f64>, values: &Array2<f64>, direction: Direction) -> Result<Array2<f64>, Error> {
    let mut weights = logs.clone();
    for (i, mut row) in weights.axis_iter_mut(Axis(0)).enumerate() {
        let seen = match direction {
            Direction::Bidirectional => row.len(),
            Direction::Causal => i + 1,
        };
        row.slice_mut(ndarray::s![seen..]).fill(f64::NEG_INFINITY);
        let total = log_sum_exp(&row.to_vec());
        row.mapv_inplace(|x| (x - total).exp());
    }
    Ok(weights.dot(values))
}

fn check(
    op: &'static str,
    queries: &Array2<f64>,
    keys: &Array2<f64>,
    values: &Array2<f64>,
    direction: Direction,
) -> Result<(), Error> {
    positive(op, "number of queries", queries.nrows())?;
    positive(op, "number of keys", keys.nrows())?;
    positive(op, "dimension N", queries.ncols())?;
    let key_dim = ("dimension of the keys", keys.ncols());
    same(op, ("dimension of the queries", queries.ncols()), key_dim)?;
    let n_values = ("number of values", values.nrows());
    same(op, ("number of keys", keys.nrows()), n_values)?;
    if direction == Direction::Causal {
        let n_keys = ("number of keys", keys.nrows());
        same(op, ("number of queries", queries.nrows()), n_keys)?;
    }
    finite(op, "queries", queries)?;
    finite(op, "keys", keys)?;
    finite(op, "values", values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ensemble, MapKind, moments};
    use ndarray::array;
    use workbench_ground::stats::{Streams, normal_array2};

    fn data(scale: f64) -> (Array2<f64>, Array2<f64>, Array2<f64>) {
        let streams = Streams::new(4);
        let draw = |name: &str, m, d| normal_array2(&mut streams.stream(name).unwrap(), m, d);
        (draw("q", 5, 3) * scale, draw("k", 6, 3) * scale, draw("v", 6, 2))
    }

    #[test]
    fn exact_attention_by_hand_and_causal() {
        let (q, k, v) = (array![[1.0], [2.0]], array![[0.0], [3.0]], array![[1.0], [0.0]]);
        let out = unscaled_attention(&q, &k, &v, Direction::Bidirectional).unwrap();
        assert!((out[(0, 0)] - 1.0 / (1.0 + 3f64.exp())).abs() < 1e-15);
        let causal = unscaled_attention(&q, &k, &v, Direction::Causal).unwrap();
        assert_eq!(causal[(0, 0)], 1.0);
        assert!((causal[(1, 0)] - 1.0 / (1.0 + 6f64.exp())).abs() < 1e-15);
    }

    #[test]
    fn the_usual_scale_divides_inner_products_by_the_root_of_the_dimension() {
        let (q, k, v) = data(2.0);
        let short = 3f64.powf(-0.25);
        let scaled = softmax_attention(&q, &k, &v, Direction::Bidirectional).unwrap();
        let shorter = unscaled_attention(&(short * &q), &(short * &k), &v, Direction::Bidirectional).unwrap();
        assert!(mean_squared_distance(&scaled, &shorter).unwrap() < 1e-28);
        let unscaled = unscaled_attention(&q, &k, &v, Direction::Bidirectional).unwrap();
        assert!(mean_squared_distance(&scaled, &unscaled).unwrap() > 1e-3);
    }

    #[test]
    fn error_constants_agree_with_cross_moments_and_with_simulation() {
        let (q, k, v) = data(0.4);
        for kind in [MapKind::FavorPlus, MapKind::Hyperbolic, MapKind::FavorPlusPlus { a_hat: 0.1 }] {
            let constants = attention_error_constants(kind, &q, &k, &v).unwrap();
            // One query by the public cross moments.
            let exact = unscaled_attention(&q, &k, &v, Direction::Bidirectional).unwrap();
            let q0 = q.row(0).to_owned();
            let z: f64 = k.rows().into_iter().map(|k| k.dot(&q0).exp()).sum();
            let mut slow = 0.0;
            for j in 0..6 {
                for l in 0..6 {
                    let (kj, kl) = (k.row(j).to_owned(), k.row(l).to_owned());
                    let cross = moments::log_cross_moment(kind, (&q0, &kj), (&q0, &kl)).unwrap();
                    let covariance = cross.exp() - (q0.dot(&kj) + q0.dot(&kl)).exp();
                    let dot: f64 = (0..2).map(|c| (v[(j, c)] - exact[(0, c)]) * (v[(l, c)] - exact[(0, c)])).sum();
                    slow += covariance * dot / (z * z);
                }
            }
            assert!((constants[0] / slow - 1.0).abs() < 1e-9);
            let r = 512;
            let streams = Streams::new(8);
            let mut errors = Vec::new();
            for i in 0..200 {
                let mut stream = streams.replicate("w", i).unwrap();
                let map = FeatureMap::draw(kind, Ensemble::Independent, r, 3, &mut stream).unwrap();
                let estimate = estimated_attention(&map, &q, &k, &v, Direction::Bidirectional).unwrap();
                errors.push(mean_squared_distance(&estimate, &exact).unwrap());
            }
            let predicted = constants.mean().unwrap() / kind.projections(r).unwrap() as f64;
            let measured = workbench_ground::stats::mean(&errors).unwrap();
            assert!(measured.low < 1.03 * predicted && measured.high > 0.97 * predicted, "{measured:?} {predicted}");
        }
    }

    #[test]
    fn refuses_bad_input() {
        let (q, k, v) = data(1.0);
        let short = v.slice(ndarray::s![..3, ..]).to_owned();
        assert!(matches!(
            softmax_attention(&q, &k, &short, Direction::Bidirectional),
            Err(Error::Shape { left, right, .. }) if left == [6] && right == [3]
        ));
        assert!(matches!(
            softmax_attention(&q, &k, &v, Direction::Causal),
            Err(Error::Shape { left, right, .. }) if left == [5] && right == [6]
        ));
        let empty = Array2::zeros((0, 3));
        assert!(matches!(softmax_attention(&empty, &k, &v, Direction::Bidirectional), Err(Error::Zero { .. })));
        let mut nan = k.clone();
        nan[(0, 1)] = f64::NAN;
        assert!(matches!(softmax_attention(&q, &nan, &v, Direction::Bidirectional), Err(Error::NotFinite { .. })));
        assert!(mean_squared_distance(&k, &v).is_err());
    }
}
