//! Output embeddings held fixed: the law of the margins, the signal-to-noise ratios, and the error between two closed forms.
//!
//! Given u, input x of class f loses to class y with a probability that depends on one number,
//!
//! $$ R_y=\frac{q(x)^2\,\langle u_f,u_y-u_f\rangle^2}{\sum_{x'\ne x}q(x')^2\,\langle u_{f_*(x')},u_y-u_f\rangle^2}. $$
//!
//! Given $r=\lVert e_x\rVert$ it is $\Phi(-r\sqrt{R_y})$; over r, which has the law of a Gaussian vector's norm, it is a Student tail.

use crate::store::profile::{InputGroup, Profile};
use ndarray::{Array1, Array2};
use rand::Rng;
use rand_distr::{ChiSquared, Distribution, StandardNormal};
use workbench_ground::Error;
use workbench_ground::check::{above_zero, position, positive, same, within};
use workbench_ground::stats::{Stream, largest_of, least_of, student_tail};

/// Energies below this share of the whole are rounding of `Q_f - q^2`.
const ROUNDING: f64 = 1e-14;

/// The Gaussian law of $Z_y$, $y\ne f$, given the output embeddings and the length of $e_x$.
///
/// $$ Z_y=\sum_{x'}q(x')\,\langle e_{x'},e_x\rangle\,\langle u_{f_*(x')},u_y-u_f\rangle $$
///
/// is the lead of class y over the right one; the input is lost when one of them is positive.
///
/// **Source**: Eq. 24 to 26.
#[derive(Clone, Debug, PartialEq)]
pub struct MarginLaw {
    /// The rivals y, in ascending order.
    pub rivals: Vec<usize>,
    /// $\mu_y=q(x)\,\lVert e_x\rVert^2\langle u_f,u_y-u_f\rangle$.
    pub mean: Array1<f64>,
    /// $\Sigma_{yy'}=\lVert e_x\rVert^2\sum_{x'\ne x}q(x')^2\langle u_{f_\ast(x')},u_y-u_f\rangle\langle u_{f_\ast(x')},u_{y'}-u_f\rangle$.
    pub covariance: Array2<f64>,
}

/// Output embeddings known through their inner products $\langle u_y,u_{y'}\rangle$, and the dimension d of the input embeddings.
///
/// Nothing but the Gram matrix matters: the memory compares scores, and those are inner products.
///
/// **Source**: proof of Lemma 3, from Eq. 24 to Eq. 29.
///
/// ```
/// use workbench_memory::{GivenOutputs, Profile};
/// use ndarray::array;
/// // Two inputs in two classes, orthonormal outputs, d = 3: a Student tail with t = sqrt(3).
/// let outputs = GivenOutputs::from_gram(array![[1.0, 0.0], [0.0, 1.0]], 3)?;
/// let profile = Profile::from_weights(&[1.0, 0.0], &[1.0, 1.0], &[0, 1], 2)?;
/// let (low, high) = outputs.error_between(&profile)?;
/// assert!(low == high && (low - 0.0908450569).abs() < 1e-9);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GivenOutputs {
    gram: Array2<f64>,
    dim: usize,
}

impl GivenOutputs {
    /// Outputs given as rows.
    ///
    /// **Shapes**: `(M, d)`; the rows need not have norm one.
    ///
    /// **Errors**: an empty array, entries that are not finite.
    pub fn new(outputs: &Array2<f64>) -> Result<GivenOutputs, Error> {
        GivenOutputs::from_gram(outputs.dot(&outputs.t()), outputs.ncols())
    }

    /// Outputs given by their inner products, `(M, M)`; such a family exists in every `dim` that is at least the rank.
    ///
    /// **Errors**: no classes, `dim = 0`, a matrix that is not square, not finite or not symmetric.
    pub fn from_gram(gram: Array2<f64>, dim: usize) -> Result<GivenOutputs, Error> {
        const OP: &str = "GivenOutputs::from_gram";
        positive(OP, "n_classes (M)", gram.nrows())?;
        positive(OP, "dim (d)", dim)?;
        same(OP, ("rows of the Gram matrix", gram.nrows()), ("columns", gram.ncols()))?;
        for ((i, j), &value) in gram.indexed_iter() {
            if !value.is_finite() || (value - gram[[j, i]]).abs() > 1e-12 * (gram[[i, i]].abs() + gram[[j, j]].abs()) {
                let allowed = "a symmetric matrix of finite inner products";
                return Err(Error::parameter(OP, "inner product", value, allowed));
            }
        }
        Ok(GivenOutputs { gram, dim })
    }

    /// $M$ unit vectors with all inner products equal to $c$: orthonormal for $c=0$, a simplex for $c=-1/(M-1)$.
    ///
    /// Their coherence is $\lvert c\rvert$ exactly. The answers of a memory do not depend on c, since the common part of all scores
    /// cancels.
    ///
    /// **Errors**: no classes, `dim = 0`, c outside `[-1/(M-1), 1)`.
    pub fn equiangular(n_classes: usize, c: f64, dim: usize) -> Result<GivenOutputs, Error> {
        let least = -1.0 / (n_classes.max(2) as f64 - 1.0);
        let allowed = "a number from -1/(M-1) to below 1";
        let inside = c >= least - 1e-15 && c < 1.0;
        within("GivenOutputs::equiangular", "inner product c", c, inside, allowed)?;
        let gram = Array2::from_shape_fn((n_classes, n_classes), |(i, j)| if i == j { 1.0 } else { c });
        GivenOutputs::from_gram(gram, dim)
    }

    /// Independent uniform unit vectors in any dimension, through the triangular factor of their Gram matrix.
    ///
    /// **Source**: Bartlett's decomposition of a Wishart matrix.
    ///
    /// **Errors**: no classes, `dim = 0`. Cost: `M^3`, whatever `dim` is.
    pub fn random(n_classes: usize, dim: usize, stream: &mut Stream) -> Result<GivenOutputs, Error> {
        const OP: &str = "GivenOutputs::random";
        positive(OP, "n_classes (M)", n_classes)?;
        positive(OP, "dim (d)", dim)?;
        let mut factor = Array2::<f64>::zeros((n_classes, n_classes));
        for i in 0..n_classes {
            for j in (0..i).filter(|&j| j < dim) {
                factor[[i, j]] = stream.sample(StandardNormal);
            }
            if i < dim {
                // The law exists for every positive number of degrees of freedom.
                factor[[i, i]] = ChiSquared::new((dim - i) as f64).map_or(0.0, |law| law.sample(stream).sqrt());
            }
        }
        for mut row in factor.rows_mut() {
            let norm = row.dot(&row).sqrt();
            row /= norm;
        }
        let mut gram = factor.dot(&factor.t());
        gram.diag_mut().fill(1.0);
        GivenOutputs::from_gram(gram, dim)
    }

    /// The inner products, `(M, M)`.
    pub fn gram(&self) -> &Array2<f64> {
        &self.gram
    }

    /// The dimension d of the input embeddings.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The number of classes M.
    pub fn n_classes(&self) -> usize {
        self.gram.nrows()
    }

    /// The largest $\lvert\langle u_y,u_{y'}\rangle\rvert$ over pairs: the smallest $\eta$ for which unit vectors are quasi orthogonal.
    ///
    /// **Source**: Definition 1, Eq. 17.
    pub fn coherence(&self) -> f64 {
        self.gram.indexed_iter().filter(|((i, j), _)| i != j).fold(0.0, |m, (_, g)| m.max(g.abs()))
    }

    /// $\chi_{u,x}$ of Eq. 28 for an input of class f: whether $\langle u_f,u_y-u_f\rangle\le0$ for every y.
    pub fn is_on_top(&self, class: usize) -> bool {
        (0..self.n_classes()).all(|y| self.lead(class, y) <= 0.0)
    }

    /// The law of the margins of one input, given the length `radius` of its embedding.
    ///
    /// **Errors**: a profile with another number of classes, a radius that is not positive and finite.
    pub fn margin_law(&self, profile: &Profile, input: &InputGroup, radius: f64) -> Result<MarginLaw, Error> {
        self.fits("GivenOutputs::margin_law", profile)?;
        let op = "GivenOutputs::margin_law";
        above_zero(op, "radius |e_x|", radius)?;
        let f = input.class;
        let rivals: Vec<usize> = (0..self.n_classes()).filter(|&y| y != f).collect();
        let others = others_energy(profile, input);
        let mean = rivals.iter().map(|&y| input.weight * radius * radius * self.lead(f, y)).collect();
        let covariance = Array2::from_shape_fn((rivals.len(), rivals.len()), |(i, j)| {
            let sum: f64 = (0..self.n_classes())
                .map(|k| others[k] * self.pull(k, rivals[i], f) * self.pull(k, rivals[j], f))
                .sum();
            radius * radius * sum
        });
        Ok(MarginLaw { rivals, mean, covariance })
    }

    /// The signal-to-noise ratio $R_y$ of one input against one rival; infinite without noise, 0 without signal.
    ///
    /// **Source**: exponent of the display after Eq. 27, and Eq. 28. $\mu_y^2/\Sigma_{yy}=\lVert e_x\rVert^2R_y$.
    ///
    /// **Errors**: a profile with another number of classes, a rival that does not exist.
    pub fn ratio(&self, profile: &Profile, input: &InputGroup, rival: usize) -> Result<f64, Error> {
        self.fits("GivenOutputs::ratio", profile)?;
        position("GivenOutputs::ratio", "class", rival, self.n_classes())?;
        Ok(self.contest(profile, input, rival).0)
    }

    /// $\mathbb P(Z_y>0)$ over all input embeddings: $\mathbb P(t_d>\sqrt{dR_y})$ for an input with a signal of the right sign.
    ///
    /// A tie, no signal and no noise, counts as lost.
    ///
    /// **Source**: Eq. 24 to 26 integrated over $\lVert e_x\rVert$; where the document bounds, this is exact.
    ///
    /// **Errors**: as [`GivenOutputs::ratio`].
    pub fn pairwise_failure(&self, profile: &Profile, input: &InputGroup, rival: usize) -> Result<f64, Error> {
        self.ratio(profile, input, rival)?;
        Ok(self.beaten_by(profile, input, rival))
    }

    /// The error over input embeddings between its best simple bounds: $\sum_xp(x)\max_y\mathbb P(Z_y>0)$ and
    /// $\sum_xp(x)\min(1,\sum_y\mathbb P(Z_y>0))$.
    ///
    /// For two classes both are the error itself.
    ///
    /// **Source**: Eq. 27 with the events $Z_y>0$.
    ///
    /// **Errors**: a profile with another number of classes. Cost: a few hundred operations per group and class.
    pub fn error_between(&self, profile: &Profile) -> Result<(f64, f64), Error> {
        self.fits("GivenOutputs::error_between", profile)?;
        let (mut low, mut high) = (0.0, 0.0);
        for g in profile.groups() {
            let (mut most, mut sum) = (0.0, 0.0);
            for y in (0..self.n_classes()).filter(|&y| y != g.class) {
                let p = self.beaten_by(profile, g, y);
                most = largest_of([most, p]);
                sum += p;
            }
            low += g.mass * most;
            high += g.mass * least_of([sum, 1.0]);
        }
        Ok((low, high))
    }

    /// The upper bound $\sum_xp(x)\min\{1,\sum_{y\ne f}(1+R_y)^{-d\chi/2}\}$.
    ///
    /// **Source**: Eq. 28. It needs weights that are not negative: the formula holds $q^2$, and a negative weight votes against its own
    /// class.
    ///
    /// **Errors**: a profile with another number of classes.
    #[doc(alias = "Chernoff")]
    pub fn chernoff_bound(&self, profile: &Profile) -> Result<f64, Error> {
        self.fits("GivenOutputs::chernoff_bound", profile)?;
        let d = self.dim as f64;
        Ok(profile
            .groups()
            .iter()
            .map(|g| {
                let rivals = (0..self.n_classes()).filter(|&y| y != g.class);
                let sum: f64 = if self.is_on_top(g.class) {
                    rivals.map(|y| (-0.5 * d * self.contest(profile, g, y).0.ln_1p()).exp()).sum()
                } else {
                    rivals.count() as f64
                };
                g.mass * least_of([sum, 1.0])
            })
            .sum())
    }

    /// The mass $p(\{x:d\,R_y\le1\text{ for some }y\})$ that the survival bound counts; the bound is $c$ times this.
    ///
    /// **Source**: Eq. 29, with the maximising y.
    ///
    /// **Errors**: a profile with another number of classes.
    pub fn surviving_mass(&self, profile: &Profile) -> Result<f64, Error> {
        self.fits("GivenOutputs::surviving_mass", profile)?;
        let lost = |g: &&InputGroup| {
            (0..self.n_classes()).any(|y| y != g.class && self.dim as f64 * self.contest(profile, g, y).0 <= 1.0)
        };
        Ok(profile.groups().iter().filter(lost).map(|g| g.mass).sum())
    }

    /// `<u_f, u_y - u_f>`.
    pub(crate) fn lead(&self, f: usize, y: usize) -> f64 {
        self.gram[[f, y]] - self.gram[[f, f]]
    }

    /// `<u_k, u_y - u_f>`.
    pub(crate) fn pull(&self, k: usize, y: usize, f: usize) -> f64 {
        self.gram[[k, y]] - self.gram[[k, f]]
    }

    /// The ratio, the signed signal `-q <u_f, u_y - u_f>`, and the noise energy.
    fn contest(&self, profile: &Profile, input: &InputGroup, rival: usize) -> (f64, f64, f64) {
        let signal = -input.weight * self.lead(input.class, rival);
        let others = others_energy(profile, input);
        let noise: f64 = others.iter().enumerate().map(|(k, q)| q * self.pull(k, rival, input.class).powi(2)).sum();
        let ratio = if signal == 0.0 { 0.0 } else { signal * signal / noise };
        (ratio, signal, noise)
    }

    fn beaten_by(&self, profile: &Profile, input: &InputGroup, rival: usize) -> f64 {
        let (ratio, signal, noise) = self.contest(profile, input, rival);
        if signal == 0.0 {
            return if noise > 0.0 { 0.5 } else { 1.0 };
        }
        let tail = student_tail((self.dim as f64 * ratio).sqrt(), self.dim as f64);
        if signal > 0.0 { tail } else { 1.0 - tail }
    }

    pub(crate) fn fits(&self, op: &'static str, profile: &Profile) -> Result<(), Error> {
        let outputs = ("output embeddings", self.n_classes());
        same(op, ("classes of the profile", profile.n_classes()), outputs)
    }
}

/// `sum q(x')^2` over the other inputs of each class.
pub(crate) fn others_energy(profile: &Profile, input: &InputGroup) -> Vec<f64> {
    let mut others = profile.energy().to_vec();
    let own = &mut others[input.class];
    let rest = *own - input.weight * input.weight;
    *own = if rest <= ROUNDING * *own { 0.0 } else { rest };
    others
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::target::Target;
    use crate::data::zipf::Zipf;
    use crate::generalization::expected_error::ConditionalDraws;
    use crate::store::associative_memory::AssociativeMemory;
    use crate::store::embedding::Embeddings;
    use ndarray::array;
    use statrs::function::gamma::ln_gamma;
    use workbench_ground::stats::{Streams, integrate, mean, normal_cdf, unit_sphere};

    fn stream(name: &str) -> Stream {
        Streams::new(6).stream(name).unwrap()
    }

    fn zipf_profile(n: usize, m: usize, rho: f64) -> Profile {
        let law = Zipf::new(1.0, n).unwrap();
        let p = law.probabilities(n);
        let q: Vec<f64> = p.iter().map(|p| p.powf(rho)).collect();
        Profile::from_weights(&p, &q, &Target::modulo(m).unwrap().labels(n), m).unwrap()
    }

    #[test]
    fn a_ratio_that_is_no_number_is_no_bound() {
        // Signal and noise beyond the range of doubles.
        let given = GivenOutputs::from_gram(array![[1e200, 0.0], [0.0, 1e200]], 4).unwrap();
        let profile = zipf_profile(12, 2, 0.5);
        let (low, high) = given.error_between(&profile).unwrap();
        assert!(low.is_nan() && high.is_nan(), "{low} {high}");
        assert!(given.chernoff_bound(&profile).unwrap().is_nan());
    }

    #[test]
    fn a_memory_lies_between_the_two_forms() {
        for (m, d) in [(2, 4), (4, 10), (6, 40)] {
            let outputs = unit_sphere(&mut stream(&format!("u{m}")), m, d);
            let profile = zipf_profile(12, m, 0.5);
            let (low, high) = GivenOutputs::new(&outputs).unwrap().error_between(&profile).unwrap();
            let p = Zipf::new(1.0, 12).unwrap().probabilities(12);
            let q: Vec<f64> = p.iter().map(|p| p.sqrt()).collect();
            let labels = Target::modulo(m).unwrap().labels(12);
            let mut s = stream(&format!("e{m}"));
            let errors: Vec<f64> = (0..4000)
                .map(|_| {
                    let mut e = Embeddings::draw(12, m, d, &mut s).unwrap();
                    e.outputs = outputs.clone();
                    AssociativeMemory::store(&e, &q, &labels).unwrap().generalization_error(&e, &labels, &p).unwrap()
                })
                .collect();
            let seen = mean(&errors).unwrap();
            assert!(seen.high >= low && seen.low <= high, "m {m}: {low} {seen:?} {high}");
            if m == 2 {
                assert!(low == high && seen.contains(low));
            }
        }
    }

    #[test]
    fn random_outputs_agree_with_the_conditional_draws() {
        let profile = zipf_profile(20, 4, 0.5);
        let draws = ConditionalDraws::new(4, 4000, &mut stream("draws")).unwrap();
        let error = mean(draws.expected_error(&profile, 30).unwrap().as_slice().unwrap()).unwrap();
        let mut s = stream("grams");
        let (mut lows, mut highs) = (Vec::new(), Vec::new());
        for _ in 0..1000 {
            let outputs = GivenOutputs::random(4, 30, &mut s).unwrap();
            let (low, high) = outputs.error_between(&profile).unwrap();
            lows.push(low);
            highs.push(high);
        }
        assert!(mean(&lows).unwrap().low <= error.high && mean(&highs).unwrap().high >= error.low);
    }

    #[test]
    fn the_margin_law_gives_the_ratio_and_the_pairwise_failure() {
        let outputs = GivenOutputs::random(5, 12, &mut stream("u")).unwrap();
        let profile = zipf_profile(9, 5, 1.0);
        for g in profile.groups() {
            let law = outputs.margin_law(&profile, g, 2.5).unwrap();
            for (i, &y) in law.rivals.iter().enumerate() {
                let ratio = outputs.ratio(&profile, g, y).unwrap();
                let from_law = law.mean[i].powi(2) / law.covariance[[i, i]] / 6.25;
                assert!((ratio / from_law - 1.0).abs() < 1e-10);
                // Student's tail is the Gaussian one averaged over the radius.
                let density = |r: f64| {
                    let d = 12.0f64;
                    let ln = (d - 1.0) * r.ln() - 0.5 * r * r - (0.5 * d - 1.0) * 2f64.ln() - ln_gamma(0.5 * d);
                    ln.exp() * normal_cdf(-r * ratio.sqrt())
                };
                let average = integrate(&density, 0.0, 14.0, 1e-12).unwrap().value;
                let exact = outputs.pairwise_failure(&profile, g, y).unwrap();
                assert!((average / exact - 1.0).abs() < 1e-9, "{average} {exact}");
            }
        }
    }

    #[test]
    fn equal_angles_do_not_matter() {
        let profile = zipf_profile(12, 4, 0.3);
        let errors: Vec<(f64, f64)> = [-1.0 / 3.0, 0.0, 0.4, 0.9]
            .into_iter()
            .map(|c| {
                let outputs = GivenOutputs::equiangular(4, c, 20).unwrap();
                assert_eq!(outputs.coherence(), c.abs());
                outputs.error_between(&profile).unwrap()
            })
            .collect();
        assert!(errors.iter().all(|e| (e.0 - errors[0].0).abs() < 1e-12 && (e.1 - errors[0].1).abs() < 1e-12));
    }

    #[test]
    fn bounds_keep_their_side_and_negative_weights_break_the_upper_one() {
        let mut s = stream("u");
        for d in [5, 20, 80] {
            for profile in [zipf_profile(6, 4, 0.0), zipf_profile(30, 4, 1.0)] {
                let outputs = GivenOutputs::random(4, d, &mut s).unwrap();
                let (low, high) = outputs.error_between(&profile).unwrap();
                assert!(high <= outputs.chernoff_bound(&profile).unwrap() + 1e-12);
                assert!(low >= 0.079 * outputs.surviving_mass(&profile).unwrap());
            }
        }
        let outputs = GivenOutputs::equiangular(4, 0.0, 100).unwrap();
        let negative = Profile::from_weights(&[1.0, 0.0], &[-1.0, 0.1], &[0, 1], 4).unwrap();
        assert!(outputs.error_between(&negative).unwrap().0 > 0.999);
        assert!(outputs.chernoff_bound(&negative).unwrap() < 1e-20);
    }

    #[test]
    fn an_output_below_another_counts_as_lost() {
        // u_1 = 2 u_0: class 1 always scores more for inputs of class 0.
        let outputs = GivenOutputs::new(&array![[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]).unwrap();
        assert!(!outputs.is_on_top(0) && outputs.is_on_top(1));
        let profile = Profile::from_weights(&[1.0], &[1.0], &[0], 3).unwrap();
        assert_eq!(outputs.error_between(&profile).unwrap(), (1.0, 1.0));
        assert_eq!(outputs.chernoff_bound(&profile).unwrap(), 1.0);
    }

    #[test]
    fn refuses_bad_input() {
        assert!(matches!(GivenOutputs::from_gram(Array2::eye(3), 0), Err(Error::Zero { .. })));
        assert!(matches!(GivenOutputs::from_gram(Array2::zeros((2, 3)), 4), Err(Error::Shape { .. })));
        assert!(matches!(GivenOutputs::from_gram(array![[1.0, 0.5], [0.0, 1.0]], 4), Err(Error::Parameter { .. })));
        assert!(matches!(GivenOutputs::equiangular(4, 1.0, 4), Err(Error::Parameter { .. })));
        assert!(matches!(GivenOutputs::random(0, 4, &mut stream("r")), Err(Error::Zero { .. })));
        let outputs = GivenOutputs::equiangular(3, 0.0, 4).unwrap();
        let profile = Profile::from_weights(&[1.0], &[1.0], &[0], 2).unwrap();
        assert!(matches!(outputs.error_between(&profile), Err(Error::Shape { .. })));
        let profile = Profile::from_weights(&[1.0], &[1.0], &[0], 3).unwrap();
        let input = profile.groups()[0];
        assert!(matches!(outputs.ratio(&profile, &input, 3), Err(Error::NoSuch { .. })));
        assert!(matches!(outputs.margin_law(&profile, &input, 0.0), Err(Error::Parameter { .. })));
    }
}
