//! Positive random features of the softmax kernel $e^{x^\top y}$, as logarithms.

use super::{Draws, Ensemble, Error};
use ndarray::{Array1, Array2, ArrayView1, Axis, s};
use workbench_ground::check::{finite, positive, same, within};
use workbench_ground::stats::{Stream, log_sum_exp};

/// A family of feature maps: everything but the projections.
///
/// All four are the map of A.1.1 with $B=\sqrt{1+4\widehat A}$, $C=-\frac12$, $D=(1+4\widehat A)^{N/4}$; FAVOR+ has $\widehat A=0$, and
/// the hyperbolic ones use each projection with both signs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MapKind {
    /// FAVOR+, Eq. 9.
    FavorPlus,
    /// Hyperbolic cosine features, Eq. 10.
    Hyperbolic,
    /// FAVOR++ with its parameter $\widehat A\ge0$, A.1.1.
    FavorPlusPlus {
        /// $\widehat A$; see [`a_hat`](super::a_hat) for its relation to $\rho$.
        a_hat: f64,
    },
    /// FAVOR++ with each projection used with both signs, A.1.1, last paragraph.
    HyperbolicPlusPlus {
        /// $\widehat A$.
        a_hat: f64,
    },
}

impl MapKind {
    /// $\widehat A$; zero for the maps without the parameter.
    pub fn a_hat(self) -> f64 {
        match self {
            MapKind::FavorPlus | MapKind::Hyperbolic => 0.0,
            MapKind::FavorPlusPlus { a_hat } | MapKind::HyperbolicPlusPlus { a_hat } => a_hat,
        }
    }

    /// Whether each projection is used with both signs.
    pub fn is_hyperbolic(self) -> bool {
        matches!(self, MapKind::Hyperbolic | MapKind::HyperbolicPlusPlus { .. })
    }

    /// The field's name of the map.
    pub fn name(self) -> &'static str {
        match self {
            MapKind::FavorPlus => "FAVOR+",
            MapKind::Hyperbolic => "hyperbolic",
            MapKind::FavorPlusPlus { .. } => "FAVOR++",
            MapKind::HyperbolicPlusPlus { .. } => "hyperbolic FAVOR++",
        }
    }

    /// Number of projections behind `r` features.
    ///
    /// **Errors**: `r` of zero, odd `r` for a hyperbolic map.
    pub fn projections(self, r: usize) -> Result<usize, Error> {
        positive("MapKind::projections", "number of features r", r)?;
        if !self.is_hyperbolic() {
            return Ok(r);
        }
        if r % 2 == 1 {
            let problem = format!("r = {r} is odd, but hyperbolic features come in pairs exp(+w.z), exp(-w.z)");
            let op = "MapKind::projections";
            return Err(Error::refused(op, problem, format!("use r = {}", r + 1)));
        }
        Ok(r / 2)
    }

    pub(crate) fn check(self, op: &'static str) -> Result<(), Error> {
        let a_hat = self.a_hat();
        let allowed = "a finite A-hat >= 0, for instance a_hat(rho)";
        within(op, "A-hat", a_hat, a_hat >= 0.0, allowed)
    }
}

/// A random feature map $\phi:\mathbb R^N\to\mathbb R_{>0}^r$ with $\mathbb E\,\phi(x)^\top\phi(y)=e^{x^\top y}$.
///
/// $$ \ln\phi_i(z)=\ln D-\tfrac12\ln r-\widehat A\lVert\omega_i\rVert^2+B\,\omega_i^\top z-\tfrac12\lVert z\rVert^2 $$
///
/// **Source**: A.1, Eqs. 9 and 10, and A.1.1; the printed product signs stand for concatenation. Everything is kept as logarithms, so
/// that vectors of any length up to about 1e150 work.
///
/// **Shapes**: vectors `(dim)`, features `(r)`. A hyperbolic map has first the `r/2` features with plus, then those with minus.
///
/// ```
/// use workbench_features::{Draws, FeatureMap};
/// use workbench_ground::stats::Streams;
/// let draws = Draws::independent(20_000, 2, &mut Streams::new(1).stream("w")?)?;
/// let map = FeatureMap::hyperbolic(draws)?;
/// let (x, y) = (ndarray::array![0.3, 0.1], ndarray::array![-0.2, 0.5]);
/// assert!((map.kernel_estimate(&x, &y)? / x.dot(&y).exp() - 1.0).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "PRF")]
#[doc(alias = "positive random features")]
pub struct FeatureMap {
    kind: MapKind,
    draws: Draws,
    /// Per projection: ln D - ln(r) / 2 - A-hat |w|^2.
    offsets: Array1<f64>,
    scale: f64,
}

impl FeatureMap {
    /// FAVOR+ (Eq. 9): one feature per projection.
    ///
    /// **Errors**: none for draws made by [`Draws`].
    #[doc(alias = "FAVOR+")]
    pub fn favor_plus(draws: Draws) -> Result<FeatureMap, Error> {
        FeatureMap::over(MapKind::FavorPlus, draws)
    }

    /// Hyperbolic features (Eq. 10): two features per projection.
    ///
    /// **Errors**: none for draws made by [`Draws`].
    pub fn hyperbolic(draws: Draws) -> Result<FeatureMap, Error> {
        FeatureMap::over(MapKind::Hyperbolic, draws)
    }

    /// FAVOR++ (A.1.1) with parameter `a_hat` $\ge0$: one feature per projection.
    ///
    /// **Errors**: a negative or infinite `a_hat`.
    #[doc(alias = "FAVOR++")]
    pub fn favor_plus_plus(draws: Draws, a_hat: f64) -> Result<FeatureMap, Error> {
        FeatureMap::over(MapKind::FavorPlusPlus { a_hat }, draws)
    }

    /// The map of this kind over these projections.
    ///
    /// **Errors**: a negative or infinite `a_hat`.
    pub fn over(kind: MapKind, draws: Draws) -> Result<FeatureMap, Error> {
        kind.check("FeatureMap::over")?;
        let a_hat = kind.a_hat();
        let features = draws.len() * if kind.is_hyperbolic() { 2 } else { 1 };
        let log_d = 0.25 * draws.dim() as f64 * (4.0 * a_hat).ln_1p();
        let constant = log_d - 0.5 * (features as f64).ln();
        let offsets = draws.rows().map_axis(Axis(1), |w| constant - a_hat * w.dot(&w));
        let scale = (1.0 + 4.0 * a_hat).sqrt();
        Ok(FeatureMap { kind, draws, offsets, scale })
    }

    /// A map with `r` features and projections drawn from `ensemble`.
    ///
    /// **Errors**: `r` or `dim` of zero, odd `r` for a hyperbolic kind, a bad `a_hat`.
    ///
    /// ```
    /// use workbench_features::{Ensemble, Error, FeatureMap, MapKind};
    /// use workbench_ground::stats::Streams;
    /// let mut stream = Streams::new(1).stream("w")?;
    /// let map = FeatureMap::draw(MapKind::Hyperbolic, Ensemble::BlockOrthogonal, 8, 3, &mut stream)?;
    /// assert_eq!((map.r(), map.draws().len()), (8, 4));
    /// let odd = FeatureMap::draw(MapKind::Hyperbolic, Ensemble::Independent, 7, 3, &mut stream);
    /// assert!(matches!(odd, Err(Error::Refused { problem, .. }) if problem.contains("r = 7 is odd")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn draw(
        kind: MapKind,
        ensemble: Ensemble,
        r: usize,
        dim: usize,
        stream: &mut Stream,
    ) -> Result<FeatureMap, Error> {
        FeatureMap::over(kind, Draws::draw(ensemble, kind.projections(r)?, dim, stream)?)
    }

    /// Number of features r.
    pub fn r(&self) -> usize {
        self.draws.len() * if self.kind.is_hyperbolic() { 2 } else { 1 }
    }

    /// Dimension N of the vectors.
    pub fn dim(&self) -> usize {
        self.draws.dim()
    }

    /// The family.
    pub fn kind(&self) -> MapKind {
        self.kind
    }

    /// The projections.
    pub fn draws(&self) -> &Draws {
        &self.draws
    }

    /// $B=\sqrt{1+4\widehat A}$.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Per projection $\ln D-\frac12\ln r-\widehat A\lVert\omega\rVert^2$.
    pub fn offsets(&self) -> &Array1<f64> {
        &self.offsets
    }

    /// Logarithms of the features of one vector.
    ///
    /// **Shapes**: `(dim)` to `(r)`. **Errors**: another length, an entry that is not finite, a squared norm that overflows.
    /// **Cost** O(r dim).
    ///
    /// ```
    /// use workbench_features::{Draws, FeatureMap};
    /// let map = FeatureMap::favor_plus(Draws::from_rows(ndarray::array![[1.0, 0.0], [0.0, 2.0]])?)?;
    /// let log_phi = map.log_features(&ndarray::array![100.0, 0.0])?; // exp of it is zero in f64
    /// assert!((log_phi[0] - (100.0 - 5000.0 - 0.5 * 2f64.ln())).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn log_features(&self, z: &Array1<f64>) -> Result<Array1<f64>, Error> {
        self.log_features_view(z.view())
    }

    /// [`FeatureMap::log_features`] of a view, such as a row of a matrix.
    ///
    /// **Errors**: as there.
    pub fn log_features_view(&self, z: ArrayView1<'_, f64>) -> Result<Array1<f64>, Error> {
        const OP: &str = "FeatureMap::log_features";
        let map_dim = ("dimension N of the map", self.dim());
        same(OP, ("length of the vector", z.len()), map_dim)?;
        finite(OP, "vector", z.iter())?;
        let norm2 = z.dot(&z);
        if !norm2.is_finite() {
            return Err(beyond_log_space(OP, norm2));
        }
        let n = self.draws.len();
        let along = self.draws.rows().dot(&z) * self.scale;
        let base = &self.offsets - 0.5 * norm2;
        if !self.kind.is_hyperbolic() {
            return Ok(base + along);
        }
        let mut logs = Array1::zeros(2 * n);
        logs.slice_mut(s![..n]).assign(&(&base + &along));
        logs.slice_mut(s![n..]).assign(&(&base - &along));
        Ok(logs)
    }

    /// Logarithms of the features of many vectors, one per row.
    ///
    /// **Shapes**: `(n, dim)` to `(n, r)`. **Errors**: as [`FeatureMap::log_features`]. **Cost** O(n r dim), one matrix product.
    pub fn log_features_of_rows(&self, z: &Array2<f64>) -> Result<Array2<f64>, Error> {
        const OP: &str = "FeatureMap::log_features_of_rows";
        same(OP, ("columns", z.ncols()), ("dimension N of the map", self.dim()))?;
        finite(OP, "vectors", z)?;
        let n = self.draws.len();
        let along = z.dot(&self.draws.rows().t()) * self.scale;
        let mut logs = Array2::zeros((z.nrows(), self.r()));
        for (i, row) in z.rows().into_iter().enumerate() {
            let norm2 = row.dot(&row);
            if !norm2.is_finite() {
                return Err(beyond_log_space(OP, norm2));
            }
            for k in 0..n {
                let base = self.offsets[k] - 0.5 * norm2;
                logs[(i, k)] = base + along[(i, k)];
                if self.kind.is_hyperbolic() {
                    logs[(i, n + k)] = base - along[(i, k)];
                }
            }
        }
        Ok(logs)
    }

    /// The estimate $\phi(x)^\top\phi(y)$ of $e^{x^\top y}$; infinite or zero where f64 ends.
    ///
    /// **Errors**: as [`FeatureMap::log_features`].
    pub fn kernel_estimate(&self, x: &Array1<f64>, y: &Array1<f64>) -> Result<f64, Error> {
        Ok(self.log_kernel_estimate(x, y)?.exp())
    }

    /// $\ln\phi(x)^\top\phi(y)$.
    ///
    /// **Errors**: as [`FeatureMap::log_features`].
    ///
    /// ```
    /// use workbench_features::{Draws, FeatureMap};
    /// let map = FeatureMap::favor_plus(Draws::from_rows(ndarray::array![[3.0]])?)?;
    /// let estimate = map.log_kernel_estimate(&ndarray::array![40.0], &ndarray::array![50.0])?;
    /// assert!((estimate - (3.0 * 90.0 - 800.0 - 1250.0)).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn log_kernel_estimate(&self, x: &Array1<f64>, y: &Array1<f64>) -> Result<f64, Error> {
        let sum = self.log_features(x)? + self.log_features(y)?;
        Ok(log_sum_exp(&sum.to_vec()))
    }
}

/// Even the logarithm of the result is no finite number.
pub(crate) fn beyond_log_space(op: &'static str, norm2: f64) -> Error {
    let problem = format!("the logarithm of the result overflows (squared norm {norm2:e})");
    Error::refused(op, problem, "scale the vectors below length 1e150")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use workbench_ground::stats::Streams;

    fn draws(n: usize, dim: usize) -> Draws {
        Draws::independent(n, dim, &mut Streams::new(3).stream("w").unwrap()).unwrap()
    }

    /// The printed definitions, entry by entry, in ordinary numbers.
    fn direct(kind: MapKind, w: &Array2<f64>, z: &Array1<f64>) -> Vec<f64> {
        let (a, n) = (kind.a_hat(), z.len() as f64);
        let signs: &[f64] = if kind.is_hyperbolic() { &[1.0, -1.0] } else { &[1.0] };
        let r = (w.nrows() * signs.len()) as f64;
        let mut out = Vec::new();
        for sign in signs {
            for row in w.rows() {
                let b = (1.0 + 4.0 * a).sqrt();
                let exponent = -a * row.dot(&row) + sign * b * row.dot(z) - 0.5 * z.dot(z);
                out.push((1.0 + 4.0 * a).powf(n / 4.0) / r.sqrt() * exponent.exp());
            }
        }
        out
    }

    #[test]
    fn all_kinds_agree_with_direct_evaluation() {
        let (w, z) = (draws(5, 3), array![0.4, -1.1, 0.7]);
        for kind in [
            MapKind::FavorPlus,
            MapKind::Hyperbolic,
            MapKind::FavorPlusPlus { a_hat: 0.3 },
            MapKind::HyperbolicPlusPlus { a_hat: 2.0 },
        ] {
            let map = FeatureMap::over(kind, w.clone()).unwrap();
            let logs = map.log_features(&z).unwrap();
            for (log, value) in logs.iter().zip(direct(kind, w.rows(), &z)) {
                assert!((log.exp() / value - 1.0).abs() < 1e-13, "{kind:?}");
            }
            let rows = map.log_features_of_rows(&array![[0.4, -1.1, 0.7], [0.0, 0.0, 1.0]]).unwrap();
            assert!(rows.row(0).iter().zip(&logs).all(|(a, b)| (a - b).abs() < 1e-13));
        }
    }

    #[test]
    fn hyperbolic_is_favor_plus_on_mirrored_projections() {
        let (w, z) = (draws(6, 4), array![1.0, 0.2, -0.3, 0.5]);
        let antithetic = FeatureMap::favor_plus(w.with_mirror_images()).unwrap();
        let hyperbolic = FeatureMap::hyperbolic(w).unwrap();
        assert_eq!(antithetic.log_features(&z).unwrap(), hyperbolic.log_features(&z).unwrap());
    }

    #[test]
    fn a_hat_of_zero_is_favor_plus() {
        let (w, z) = (draws(6, 2), array![0.4, -0.3]);
        let a = FeatureMap::favor_plus(w.clone()).unwrap().log_features(&z).unwrap();
        let b = FeatureMap::favor_plus_plus(w, 0.0).unwrap().log_features(&z).unwrap();
        assert_eq!(a, b);
    }

    #[test]
    fn large_norms_stay_right_in_log_space() {
        // One projection: ln estimate = B w.(x + y) - 2 A |w|^2 + 2 ln D - (|x|^2 + |y|^2) / 2, here by hand.
        let map = FeatureMap::favor_plus_plus(Draws::from_rows(array![[2.0]]).unwrap(), 0.75).unwrap();
        let log = map.log_kernel_estimate(&array![1e6], &array![-1e3]).unwrap();
        let hand = 2.0 * 2.0 * (1e6 - 1e3) - 1.5 * 4.0 + 0.5 * 4f64.ln() - 0.5 * (1e12 + 1e6);
        assert!((log / hand - 1.0).abs() < 1e-15, "{log} {hand}");
        assert_eq!(map.kernel_estimate(&array![1e6], &array![1e3]).unwrap(), 0.0);
        let beyond = map.log_features(&array![1e160]);
        assert!(matches!(beyond, Err(Error::Refused { problem, .. }) if problem.contains("overflows")));
    }

    #[test]
    fn refuses_bad_input() {
        let map = FeatureMap::favor_plus(draws(2, 3)).unwrap();
        assert!(matches!(
            map.log_features(&array![1.0]),
            Err(Error::Shape { left, right, .. }) if left == [1] && right == [3]
        ));
        let nan = map.log_features(&array![1.0, f64::NAN, 0.0]);
        assert!(matches!(nan, Err(Error::NotFinite { at, .. }) if at == [1]));
        let inf = map.log_kernel_estimate(&array![0.0, 0.0, 0.0], &array![1.0, 0.0, f64::INFINITY]);
        assert!(matches!(inf, Err(Error::NotFinite { at, .. }) if at == [2]));
        assert!(matches!(map.log_features_of_rows(&Array2::zeros((2, 2))), Err(Error::Shape { .. })));
        for bad in [-0.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(
                FeatureMap::favor_plus_plus(draws(2, 3), bad),
                Err(Error::Parameter { name: "A-hat", .. })
            ));
        }
        assert!(matches!(MapKind::FavorPlus.projections(0), Err(Error::Zero { .. })));
        assert!(matches!(
            MapKind::HyperbolicPlusPlus { a_hat: 1.0 }.projections(5),
            Err(Error::Refused { problem, .. }) if problem.starts_with("r = 5 is odd")
        ));
    }
}
