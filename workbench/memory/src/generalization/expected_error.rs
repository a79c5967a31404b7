//! The expected error over random embeddings, without drawing embeddings.
//!
//! Given the output embeddings u and $r=\lVert e_x\rVert$, the numbers $S_ke_x/r$ are independent Gaussians, so that
//! input x of class f is recalled exactly when $qr+sz_f>B_f$, with $s^2=Q_f-q^2$ and
//!
//! $$ B_f=\max_{y\ne f}\sum_{k\ne f}\frac{(G_{yk}-G_{fk})\sqrt{Q_k}\,z_k}{1-G_{yf}},\qquad G=UU^\top. $$
//!
//! The threshold $B_f$ depends neither on the input nor on $z_f$, so the Gaussian $z_f$ is integrated exactly; a control variate
//! keeps rare failures in view. One draw costs M Gaussians, the Gram matrix and one radius, whatever d and N are: $d=2^{60}$ and
//! $N=\infty$ are as cheap as $d=2$.

use super::noise_draw::NoiseDraw;
use crate::data::target::Target;
use crate::data::zipf::{Counts, Zipf};
use crate::error_curve::ErrorCurve;
use crate::store::profile::{InputGroup, Profile};
use crate::store::scheme::Scheme;
use ndarray::{Array1, Array2};
use rand::Rng;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use work::Stopped;
use workbench_ground::Error;
use workbench_ground::check::{positive, same};
use workbench_ground::stats::{Stream, Streams};
use workbench_ground::work;

/// A set of draws of output embeddings, radius and noise, shared by all dimensions and schemes.
///
/// Each gives an unbiased value of $\mathbb E_{e,u}\,\mathcal E(f_q)$: given the outputs, r and the other z, input x
/// is lost with the probability
///
/// $$ \Phi\Bigl(\frac{B_f-q(x)\,r}{\sqrt{Q_f-q(x)^2}}\Bigr),
/// \qquad B_f=\max_{y\ne f}\sum_{k\ne f}\frac{(G_{yk}-G_{fk})\sqrt{Q_k}\,z_k}{1-G_{yf}}. $$
///
/// Sharing them pairs the errors of different dimensions and schemes, which makes slopes and differences sharp. A draw is an
/// independent unit: intervals come from resampling draws.
///
/// **Source**: Eq. 24 to 26, integrated instead of bounded.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memory::{ConditionalDraws, Profile};
/// // Two classes: the error is a Student probability, whatever the output embeddings are.
/// let profile = Profile::from_weights(&[1.0], &[1.0], &[0], 2)?;
/// let draws = ConditionalDraws::new(2, 10, &mut Streams::new(1).stream("draws")?)?;
/// assert!(draws.expected_error(&profile, 8)?.iter().all(|&e| e == 0.0)); // nothing interferes with a single memory
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ConditionalDraws {
    n_classes: usize,
    draws: Vec<NoiseDraw>,
}

impl ConditionalDraws {
    /// Prepares `n_draws` draws for `n_classes` classes.
    ///
    /// **Errors**: zero classes or draws, [`Error::Stopped`] between two draws.
    pub fn new(n_classes: usize, n_draws: usize, stream: &mut Stream) -> Result<ConditionalDraws, Error> {
        positive("ConditionalDraws::new", "n_classes (M)", n_classes)?;
        positive("ConditionalDraws::new", "n_draws", n_draws)?;
        // Every draw gets a stream of its own, so that draws can be evaluated in any order.
        let children = Streams::new(stream.random());
        let draws = (0..n_draws)
            .map(|i| {
                work::check("ConditionalDraws::new", i, n_draws)?;
                Ok(NoiseDraw::new(n_classes, children.replicate("conditional draw", i)?))
            })
            .collect::<Result<_, Error>>()?;
        Ok(ConditionalDraws { n_classes, draws })
    }

    /// The number of draws.
    pub fn len(&self) -> usize {
        self.draws.len()
    }

    /// Whether there are no draws; never true.
    pub fn is_empty(&self) -> bool {
        self.draws.is_empty()
    }

    /// An unbiased estimate of $\mathbb E_{e,u}\,\mathcal E(f_q)$ from each draw. The control variate can make single values slightly
    /// negative.
    ///
    /// **Shapes**: `(n_draws)`.
    ///
    /// **Errors**: a profile with another number of classes, `dim = 0`, [`Error::Stopped`].
    ///
    /// Cost: `n_draws (M^3 + groups)`, independent of `dim`.
    pub fn expected_error(&self, profile: &Profile, dim: usize) -> Result<Array1<f64>, Error> {
        self.weighted(profile, dim, |_| true)
    }

    /// As [`ConditionalDraws::expected_error`], counting only inputs that are stored ($q>0$).
    pub fn stored_error(&self, profile: &Profile, dim: usize) -> Result<Array1<f64>, Error> {
        self.weighted(profile, dim, |g| g.weight != 0.0)
    }

    /// Expected errors along a list of dimensions, draws as units.
    pub fn curve(&self, law: &Zipf, target: &Target, scheme: &Scheme, dims: &[usize]) -> Result<ErrorCurve, Error> {
        let mut errors = Array2::zeros((self.len(), dims.len()));
        for (mut column, &d) in errors.columns_mut().into_iter().zip(dims) {
            column.assign(&self.expected_error(&Profile::population(law, target, scheme, d)?, d)?);
        }
        ErrorCurve::new(dims.iter().map(|&d| d as f64).collect(), errors)
    }

    /// Expected errors at one dimension along the number of inputs of a Zipf law, draws as units.
    pub fn curve_over_inputs(
        &self,
        alpha: f64,
        target: &Target,
        scheme: &Scheme,
        dim: usize,
        n_inputs: &[usize],
    ) -> Result<ErrorCurve, Error> {
        let mut errors = Array2::zeros((self.len(), n_inputs.len()));
        for (mut column, &n) in errors.columns_mut().into_iter().zip(n_inputs) {
            let profile = Profile::population(&Zipf::new(alpha, n)?, target, scheme, dim)?;
            column.assign(&self.expected_error(&profile, dim)?);
        }
        ErrorCurve::new(n_inputs.iter().map(|&n| n as f64).collect(), errors)
    }

    /// Expected errors along a list of sample sizes: every draw has its own data set, and the data set of a larger size
    /// contains that of a smaller one.
    ///
    /// **Errors**: sizes that are zero or not ascending.
    pub fn sample_curve(
        &self,
        law: &Zipf,
        target: &Target,
        scheme: &Scheme,
        dim: usize,
        sizes: &[usize],
        stream: &mut Stream,
    ) -> Result<ErrorCurve, Error> {
        const OP: &str = "ConditionalDraws::sample_curve";
        for (i, &t) in sizes.iter().enumerate() {
            positive(OP, "T (number of samples)", t)?;
            if i > 0 && sizes[i - 1] >= t {
                return Err(Error::parameter(OP, "T", t as f64, "sample sizes in ascending order"));
            }
        }
        let children = Streams::new(stream.random());
        let rows = self
            .draws
            .par_iter()
            .enumerate()
            .map(|(i, draw)| {
                let mut data = children.replicate("data set", i)?;
                let mut counts: Option<Counts> = None;
                let mut row = Vec::with_capacity(sizes.len());
                for &t in sizes {
                    let more = t - counts.as_ref().map_or(0, |c| c.total);
                    let fresh = law.sample_counts(more, &mut data)?;
                    let merged = counts.map_or_else(|| fresh.clone(), |c| c.merge(&fresh));
                    let profile = Profile::empirical(law, target, scheme, &merged, dim)?;
                    row.push(draw.error(&profile, dim, &|_| true, &|| work::check(OP, i, self.len()))?);
                    counts = Some(merged);
                }
                Ok(row)
            })
            .collect::<Result<Vec<Vec<f64>>, Error>>()?;
        let errors = Array2::from_shape_fn((self.len(), sizes.len()), |(i, j)| rows[i][j]);
        ErrorCurve::new(sizes.iter().map(|&t| t as f64).collect(), errors)
    }

    fn weighted(&self, profile: &Profile, dim: usize, include: fn(&InputGroup) -> bool) -> Result<Array1<f64>, Error> {
        positive("ConditionalDraws::expected_error", "dim (d)", dim)?;
        let draws = ("classes of the draws", self.n_classes);
        let classes = ("classes of the profile", profile.n_classes());
        same("ConditionalDraws::expected_error", classes, draws)?;
        let finished = AtomicUsize::new(0);
        let go_on = || work::check("ConditionalDraws::expected_error", finished.load(Ordering::Relaxed), self.len());
        let errors = self
            .draws
            .par_iter()
            .map(|draw| {
                let error = draw.error(profile, dim, &include, &go_on);
                finished.fetch_add(1, Ordering::Relaxed);
                error
            })
            .collect::<Result<Vec<f64>, Stopped>>()?;
        Ok(Array1::from(errors))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::associative_memory::AssociativeMemory;
    use crate::store::embedding::Embeddings;
    use crate::store::scheme::Threshold;
    use statrs::distribution::{ContinuousCDF, StudentsT};
    use workbench_ground::stats::mean;

    /// Mean error of simulated memories with a 99.9 % interval.
    fn simulated(
        n: usize,
        m: usize,
        d: usize,
        weights: &[f64],
        law: &Zipf,
        target: &Target,
        runs: usize,
    ) -> workbench_ground::stats::Estimate {
        let streams = Streams::new(77);
        let (labels, p) = (target.labels(n), law.probabilities(n));
        let errors: Vec<f64> = (0..runs)
            .map(|i| {
                let mut stream = streams.replicate("simulated", i).unwrap();
                let e = Embeddings::draw(n, m, d, &mut stream).unwrap();
                let memory = AssociativeMemory::store(&e, weights, &labels).unwrap();
                memory.generalization_error(&e, &labels, &p).unwrap()
            })
            .collect();
        mean(&errors).unwrap()
    }

    #[test]
    fn agrees_with_simulation() {
        let n = 30;
        for (i, (alpha, m, d)) in
            [(2.0, 5, 3), (2.0, 5, 40), (0.5, 3, 10), (1.0, 4, 2), (1.0, 3, 1)].into_iter().enumerate()
        {
            let law = Zipf::new(alpha, n).unwrap();
            for (target, scheme) in [
                (Target::modulo(m).unwrap(), Scheme::uniform()),
                (Target::heavy(m, 4).unwrap(), Scheme::power(0.5).unwrap()),
                (Target::modulo(m).unwrap(), Scheme::power(1.0).unwrap().top(9).unwrap()),
            ] {
                let weights = scheme.population_weights(&law, d).unwrap();
                let brute = simulated(n, m, d, &weights, &law, &target, 2000);
                let profile = Profile::population(&law, &target, &scheme, d).unwrap();
                let draws = ConditionalDraws::new(m, 8000, &mut Streams::new(i as u64).stream("d").unwrap()).unwrap();
                let exact = mean(draws.expected_error(&profile, d).unwrap().as_slice().unwrap()).unwrap();
                assert!(
                    (brute.value - exact.value).abs() < brute.half_width() + exact.half_width(),
                    "alpha {alpha} m {m} d {d} {}: {brute:?} {exact:?}",
                    scheme.label()
                );
            }
        }
    }

    #[test]
    fn two_classes_follow_student() {
        // M = 2: error of an input is P(t_d > q sqrt(d) / sqrt(||q||^2 - q^2)).
        let law = Zipf::new(1.0, 12).unwrap();
        let target = Target::modulo(2).unwrap();
        let scheme = Scheme::power(1.0).unwrap();
        for d in [1usize, 5, 50] {
            let profile = Profile::population(&law, &target, &scheme, d).unwrap();
            let q = scheme.population_weights(&law, d).unwrap();
            let total: f64 = q.iter().map(|q| q * q).sum();
            let student = StudentsT::new(0.0, 1.0, d as f64).unwrap();
            let closed: f64 = (1..=12usize)
                .map(|x| {
                    let q = q[x - 1];
                    law.probability(x) * student.sf(q * (d as f64).sqrt() / (total - q * q).sqrt())
                })
                .sum();
            let draws = ConditionalDraws::new(2, 40_000, &mut Streams::new(d as u64).stream("d").unwrap()).unwrap();
            let mut errors = draws.expected_error(&profile, d).unwrap().to_vec();
            if d == 1 {
                // In one dimension u_0 = u_1 with probability one half, a tie and so an error; else the formula holds.
                let ties = errors.iter().filter(|&&e| e > 1.0 - 1e-9).count() as f64 / errors.len() as f64;
                assert!((ties - 0.5).abs() < 0.02);
                errors.retain(|&e| e <= 1.0 - 1e-9);
            }
            let e = mean(&errors).unwrap();
            assert!(e.contains(closed), "d {d}: {e:?} {closed}");
        }
    }

    #[test]
    fn rare_failures_are_seen() {
        // 25 equal associations, 5 per class, at d = 256: failures far below one over the number of draws. With orthogonal
        // outputs the noise of each comparison has variance 4 + 5, which gives the union bound 4 P(t_d > sqrt(d / 9)); random
        // outputs change it by a factor.
        let profile =
            Profile::from_weights(&[0.04; 25], &[1.0; 25], &Target::modulo(5).unwrap().labels(25), 5).unwrap();
        let d = 256;
        let union = 4.0 * StudentsT::new(0.0, 1.0, d as f64).unwrap().sf((d as f64 / 9.0).sqrt());
        let draws = ConditionalDraws::new(5, 1000, &mut Streams::new(4).stream("d").unwrap()).unwrap();
        let e = mean(draws.expected_error(&profile, d).unwrap().as_slice().unwrap()).unwrap();
        assert!(union < 1e-6 && e.value > 0.5 * union && e.value < 4.0 * union, "{e:?} {union}");
    }

    #[test]
    fn data_limited_error_at_huge_dimension() {
        // d = 2^60: what is seen is recalled, what is not is guessed.
        let law = Zipf::infinite(2.0).unwrap();
        let target = Target::modulo(5).unwrap();
        let streams = Streams::new(5);
        let draws = ConditionalDraws::new(5, 600, &mut streams.stream("d").unwrap()).unwrap();
        let curve = draws
            .sample_curve(&law, &target, &Scheme::uniform(), 1 << 60, &[100, 1000], &mut streams.stream("t").unwrap())
            .unwrap();
        for (j, t) in [100usize, 1000].into_iter().enumerate() {
            let e = curve.at(j).unwrap();
            assert!(e.value < law.unseen_mass(t) && e.value > 0.6 * law.unseen_mass(t), "{e:?}");
        }
    }

    #[test]
    fn error_falls_with_dimension_and_no_signal_means_guessing() {
        let law = Zipf::infinite(2.0).unwrap();
        let target = Target::modulo(5).unwrap();
        let draws = ConditionalDraws::new(5, 4000, &mut Streams::new(5).stream("d").unwrap()).unwrap();
        let scheme = Scheme::uniform().threshold(Threshold::PerDimension(1e6)).unwrap();
        let e = mean(
            draws
                .expected_error(&Profile::population(&law, &target, &scheme, 1 << 30).unwrap(), 1 << 30)
                .unwrap()
                .as_slice()
                .unwrap(),
        )
        .unwrap();
        assert!((e.value - 0.8).abs() < 0.02, "{e:?}");
    }

    #[test]
    fn refuses_bad_input() {
        let mut stream = Streams::new(1).stream("d").unwrap();
        assert!(matches!(ConditionalDraws::new(0, 5, &mut stream), Err(Error::Zero { .. })));
        assert!(matches!(ConditionalDraws::new(5, 0, &mut stream), Err(Error::Zero { .. })));
        let draws = ConditionalDraws::new(3, 5, &mut stream).unwrap();
        let profile = Profile::from_weights(&[1.0], &[1.0], &[0], 2).unwrap();
        assert!(matches!(
            draws.expected_error(&profile, 8),
            Err(Error::Shape { left, right, .. }) if left == [2] && right == [3]
        ));
        let profile = Profile::from_weights(&[1.0], &[1.0], &[0], 3).unwrap();
        assert!(matches!(draws.expected_error(&profile, 0), Err(Error::Zero { .. })));
        let law = Zipf::new(1.0, 5).unwrap();
        let target = Target::modulo(3).unwrap();
        assert!(draws.sample_curve(&law, &target, &Scheme::uniform(), 4, &[10, 10], &mut stream).is_err());
        assert!(draws.sample_curve(&law, &target, &Scheme::uniform(), 4, &[0], &mut stream).is_err());
    }
}
