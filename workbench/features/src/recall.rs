//! Associative recall with several kernels: does a more accurate kernel make a better memory?

use super::{Draws, Error, FeatureMap, MapKind};
use ndarray::{Array1, Array2, Axis};
use workbench_ground::check::{above_zero, finite, not_negative, positive, same, within};
use workbench_ground::stats::{Stream, normal_array2};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work;

/// A way to estimate kernels between queries and keys from r features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RecallMap {
    /// One of the positive maps of the document.
    Positive(MapKind),
    /// $e^{(\lVert x\rVert^2+\lVert y\rVert^2)/2}$ times random cosines and sines: unbiased, of either sign.
    Trigonometric,
    /// $\max(0,\omega^\top z)$: estimates an arc-cosine kernel, not the softmax kernel.
    Relu,
    /// $e^{\omega^\top z}$ without the factor $e^{-\lVert z\rVert^2/2}$: long keys weigh too much.
    BareExponential,
}

/// A task: remember pairs of random keys and values, then answer for noisy copies of the keys.
///
/// Keys are $\mathcal N(0,s^2I)$ with lengths spread by a log-normal factor, values $\mathcal N(0,I)$, queries a key plus
/// $\mathcal N(0,\sigma^2s^2I)$; the state is discounted by $\lambda$ per pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecallTask {
    /// N.
    pub dim: usize,
    /// Stored pairs.
    pub pairs: usize,
    /// Entries of a value.
    pub value_dim: usize,
    /// s, the standard deviation of a key's entries.
    pub key_scale: f64,
    /// Standard deviation of the logarithm of a key's length factor.
    pub length_spread: f64,
    /// $\sigma$.
    pub noise: f64,
    /// $\lambda$.
    pub discount: f64,
}

/// What one map did on one task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecallErrors {
    /// Exact expected squared error of the kernel row of a query, each row scaled as well as can be, over the squared row; mean over
    /// queries. Between 0 and 1.
    pub kernel: f64,
    /// Mean squared distance of the memory's answer from that of the exact softmax memory with the same discount.
    pub to_softmax: f64,
    /// Mean squared distance from the stored value.
    pub to_value: f64,
}

/// One row: the error of the kernel and both distances of the memory's answers.
impl Tabulated for RecallErrors {
    fn columns(&self) -> Result<Columns, Error> {
        Ok(Columns::new("Associative recall")
            .with("kernel error", [self.kernel])
            .with("distance from softmax", [self.to_softmax])
            .with("distance from value", [self.to_value]))
    }
}

impl RecallMap {
    /// The field's name.
    pub fn name(self) -> String {
        match self {
            RecallMap::Positive(MapKind::FavorPlusPlus { a_hat }) => format!("FAVOR++, Â = {a_hat:.3}"),
            RecallMap::Positive(MapKind::HyperbolicPlusPlus { a_hat }) => format!("hyperbolic ++, Â = {a_hat:.3}"),
            RecallMap::Positive(kind) => kind.name().to_string(),
            RecallMap::Trigonometric => "trigonometric".to_string(),
            RecallMap::Relu => "ReLU".to_string(),
            RecallMap::BareExponential => "bare exponential".to_string(),
        }
    }

    /// Projections for `r` features; the trigonometric map uses each for a cosine and a sine.
    fn projections(self, r: usize) -> Result<usize, Error> {
        match self {
            RecallMap::Positive(kind) => kind.projections(r),
            RecallMap::Trigonometric => MapKind::Hyperbolic.projections(r),
            _ => {
                positive("RecallMap", "number of features r", r)?;
                Ok(r)
            }
        }
    }

    /// Mean and second moment of one projection's term for K(x, y), from |x|^2, |y|^2 and x.y, divided by e^{x.y} and its square.
    fn relative_moments(self, dim: usize, x2: f64, y2: f64, dot: f64) -> Result<(f64, f64), Error> {
        let v = (x2 + y2 + 2.0 * dot).max(0.0);
        Ok(match self {
            RecallMap::Positive(kind) => (1.0, super::moments::log_relative_term_moment(kind, 2, dim, v)?.exp()),
            RecallMap::Trigonometric => {
                // The term is e^{(x2 + y2) / 2} cos(w.(x - y)); E cos^2 = (1 + e^{-2 d}) / 2 with d = |x - y|^2.
                let d = (x2 + y2 - 2.0 * dot).max(0.0);
                (1.0, 0.5 * (d.exp() + (-d).exp()))
            }
            RecallMap::Relu => {
                let norms = (x2 * y2).sqrt();
                let cosine = if norms > 0.0 { (dot / norms).clamp(-1.0, 1.0) } else { 0.0 };
                let angle = cosine.acos();
                let (sine, rest) = (angle.sin(), std::f64::consts::PI - angle);
                let scale = norms / (2.0 * std::f64::consts::PI) / dot.exp();
                let second = norms * norms / (2.0 * std::f64::consts::PI) / (2.0 * dot).exp();
                (scale * (sine + rest * cosine), second * (3.0 * sine * cosine + rest * (1.0 + 2.0 * cosine * cosine)))
            }
            RecallMap::BareExponential => {
                let mean = (0.5 * (x2 + y2)).exp();
                (mean, mean * mean * v.exp())
            }
        })
    }

    /// Estimated kernels, `(queries, keys)`.
    fn kernel(self, draws: &Draws, queries: &Array2<f64>, keys: &Array2<f64>) -> Result<Array2<f64>, Error> {
        if let RecallMap::Positive(kind) = self {
            let map = FeatureMap::over(kind, draws.clone())?;
            let features = |z: &Array2<f64>| Ok::<_, Error>(map.log_features_of_rows(z)?.mapv(f64::exp));
            return Ok(features(queries)?.dot(&features(keys)?.t()));
        }
        let along = |z: &Array2<f64>| z.dot(&draws.rows().t());
        let (q, k) = (along(queries), along(keys));
        let p = draws.len() as f64;
        Ok(match self {
            RecallMap::Relu => q.mapv(|x| x.max(0.0)).dot(&k.mapv(|x| x.max(0.0)).t()) / p,
            RecallMap::BareExponential => q.mapv(f64::exp).dot(&k.mapv(f64::exp).t()) / p,
            _ => {
                let cosines = q.mapv(f64::cos).dot(&k.mapv(f64::cos).t());
                let sines = q.mapv(f64::sin).dot(&k.mapv(f64::sin).t());
                let half = |z: &Array2<f64>| z.map_axis(Axis(1), |z| (0.5 * z.dot(&z)).exp());
                (cosines + sines) / p * &half(queries).insert_axis(Axis(1)) * &half(keys)
            }
        })
    }
}

impl RecallTask {
    /// Draws one task, runs every map on it with independent projections, and returns their errors in order.
    ///
    /// Negative normalisers of the trigonometric map are kept as they are; its answers can be far off.
    ///
    /// **Errors**: a size of zero, odd `r` for a map with pairs of features, scales out of range. **Cost** O(maps pairs^2 r).
    pub fn run(&self, maps: &[RecallMap], r: usize, stream: &mut Stream) -> Result<Vec<RecallErrors>, Error> {
        const OP: &str = "RecallTask::run";
        for (name, value) in [("dimension N", self.dim), ("pairs", self.pairs), ("value_dim", self.value_dim)] {
            positive(OP, name, value)?;
        }
        above_zero(OP, "key_scale", self.key_scale)?;
        let allowed = "a finite number of at least 0";
        let inside = self.length_spread >= 0.0;
        within(OP, "length_spread", self.length_spread, inside, allowed)?;
        not_negative(OP, "noise", self.noise)?;
        let inside = self.discount > 0.0 && self.discount <= 1.0;
        within(OP, "discount", self.discount, inside, "0 < discount <= 1")?;
        let mut keys = normal_array2(stream, self.pairs, self.dim) * self.key_scale;
        for mut key in keys.rows_mut() {
            key *= (self.length_spread * stream.normal()).exp();
        }
        let values = normal_array2(stream, self.pairs, self.value_dim);
        let queries = &keys + &(normal_array2(stream, self.pairs, self.dim) * (self.noise * self.key_scale));
        let dots = queries.dot(&keys.t());
        let ages = Array1::from_shape_fn(self.pairs, |j| self.discount.powi((self.pairs - 1 - j) as i32));
        let exact = answers(&dots.mapv(f64::exp), &ages, &values);
        let mut errors = Vec::with_capacity(maps.len());
        for (i, map) in maps.iter().enumerate() {
            work::check(OP, i, maps.len())?;
            let p = map.projections(r)?;
            let draws = Draws::independent(p, self.dim, stream)?;
            let found = answers(&map.kernel(&draws, &queries, &keys)?, &ages, &values);
            let distance =
                |a: &Array2<f64>, b: &Array2<f64>| (a - b).mapv(|x| x * x).sum() / (self.pairs * self.value_dim) as f64;
            errors.push(RecallErrors {
                kernel: self.kernel_error(*map, p, &queries, &keys, &dots)?,
                to_softmax: distance(&found, &exact),
                to_value: distance(&found, &values),
            });
        }
        Ok(errors)
    }

    fn kernel_error(
        &self,
        map: RecallMap,
        p: usize,
        queries: &Array2<f64>,
        keys: &Array2<f64>,
        dots: &Array2<f64>,
    ) -> Result<f64, Error> {
        let squares = |z: &Array2<f64>| z.map_axis(Axis(1), |z| z.dot(&z));
        let (q2, k2) = (squares(queries), squares(keys));
        let mut total = 0.0;
        for (i, row) in dots.rows().into_iter().enumerate() {
            // min over c of E sum_j (c K^_j - K_j)^2 / sum_j K_j^2 = 1 - (sum_j m_j K_j)^2 / (sum_j s_j sum_j K_j^2).
            let (mut mk, mut s, mut kk) = (0.0, 0.0, 0.0);
            let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for (j, dot) in row.iter().enumerate() {
                let (mean, second) = map.relative_moments(self.dim, q2[i], k2[j], *dot)?;
                let weight = (2.0 * (dot - top)).exp();
                mk += weight * mean;
                kk += weight;
                s += weight * (mean * mean + (second - mean * mean) / p as f64);
            }
            total += 1.0 - mk * mk / (s * kk);
        }
        Ok(total / dots.nrows() as f64)
    }
}

fn answers(kernel: &Array2<f64>, ages: &Array1<f64>, values: &Array2<f64>) -> Array2<f64> {
    let weighted = kernel * ages;
    let totals = weighted.sum_axis(Axis(1)).insert_axis(Axis(1));
    weighted.dot(values) / totals
}

/// Kendall's rank correlation of two lists: concordant minus discordant pairs over all pairs; ties count as neither.
///
/// **Source**: Kendall (1938), "A new measure of rank correlation".
///
/// **Errors**: different lengths, fewer than two entries, entries that are not finite, stopped.
///
/// ```
/// assert_eq!(workbench_features::kendall(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0])?, 1.0 / 3.0);
/// # Ok::<(), workbench_features::Error>(())
/// ```
pub fn kendall(x: &[f64], y: &[f64]) -> Result<f64, Error> {
    const OP: &str = "kendall";
    same(OP, ("length of x", x.len()), ("length of y", y.len()))?;
    positive(OP, "number of pairs", x.len().saturating_sub(1))?;
    finite(OP, "x", x)?;
    finite(OP, "y", y)?;
    let mut sum = 0.0;
    for i in 0..x.len() {
        work::check(OP, i, x.len())?;
        for j in 0..i {
            let product = (x[i] - x[j]) * (y[i] - y[j]);
            sum += if product > 0.0 {
                1.0
            } else if product < 0.0 {
                -1.0
            } else {
                0.0
            };
        }
    }
    Ok(sum / (x.len() * (x.len() - 1) / 2) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::{Streams, mean};
    use workbench_ground::tabulated::Values;

    const MAPS: [RecallMap; 5] = [
        RecallMap::Positive(MapKind::Hyperbolic),
        RecallMap::Positive(MapKind::FavorPlusPlus { a_hat: 0.05 }),
        RecallMap::Trigonometric,
        RecallMap::Relu,
        RecallMap::BareExponential,
    ];

    fn task() -> RecallTask {
        RecallTask { dim: 3, pairs: 12, value_dim: 2, key_scale: 0.3, length_spread: 0.2, noise: 0.2, discount: 0.95 }
    }

    /// Means and second moments against samples, at norms where samples can be trusted.
    #[test]
    fn moments_agree_with_samples() {
        let (x, y) = (ndarray::array![[0.4, -0.2, 0.1]], ndarray::array![[0.3, 0.2, -0.3]]);
        let streams = Streams::new(2);
        for (i, map) in MAPS.into_iter().enumerate() {
            let mut stream = streams.replicate("w", i).unwrap();
            let r = 2 * map.projections(2).unwrap();
            let p = map.projections(r).unwrap();
            let estimates: Vec<f64> = (0..40_000)
                .map(|_| map.kernel(&Draws::independent(p, 3, &mut stream).unwrap(), &x, &y).unwrap()[(0, 0)])
                .collect();
            let dot = x.dot(&y.t())[(0, 0)];
            let square = |z: &Array2<f64>| z.iter().map(|z| z * z).sum::<f64>();
            let (m, s) = map.relative_moments(3, square(&x), square(&y), dot).unwrap();
            let (first, second) = (m * dot.exp(), (m * m + (s - m * m) / p as f64) * (2.0 * dot).exp());
            assert!(mean(&estimates).unwrap().contains(first), "{map:?}");
            let squares: Vec<f64> = estimates.iter().map(|e| e * e).collect();
            assert!(mean(&squares).unwrap().contains(second), "{map:?}");
        }
    }

    #[test]
    fn many_features_make_the_unbiased_memories_exact() {
        let errors = task().run(&MAPS, 40_000, &mut Streams::new(1).stream("t").unwrap()).unwrap();
        for (map, error) in MAPS.iter().zip(&errors) {
            let unbiased = matches!(map, RecallMap::Positive(_) | RecallMap::Trigonometric);
            assert_eq!(error.to_softmax < 1e-3, unbiased, "{map:?} {error:?}");
            assert!((0.0..=1.0).contains(&error.kernel));
        }
        let columns = errors[0].columns().unwrap();
        assert!(columns.x.is_none() && columns.list.iter().all(|(_, values)| values.len() == 1));
        assert_eq!(columns.list[1].1, Values::from([errors[0].to_softmax]));
    }

    #[test]
    fn refuses_bad_input() {
        let mut stream = Streams::new(1).stream("t").unwrap();
        assert!(matches!(
            task().run(&MAPS, 3, &mut stream),
            Err(Error::Refused { problem, .. }) if problem.starts_with("r = 3 is odd")
        ));
        assert!(matches!(task().run(&MAPS[1..2], 0, &mut stream), Err(Error::Zero { .. })));
        let bad = [
            RecallTask { pairs: 0, ..task() },
            RecallTask { discount: 1.5, ..task() },
            RecallTask { noise: f64::NAN, ..task() },
            RecallTask { key_scale: 0.0, ..task() },
        ];
        assert!(bad.iter().all(|task| task.run(&MAPS, 4, &mut stream).is_err()));
        assert!(kendall(&[1.0], &[2.0]).is_err() && kendall(&[1.0, 2.0], &[2.0]).is_err());
    }
}
