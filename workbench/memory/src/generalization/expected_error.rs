//! The expected error over random embeddings, without drawing embeddings.
//!
//! Given the output embeddings u and r = ||e_x||, the numbers `S_k e_x / r` are independent Gaussians, so that
//! input x of class f is recalled exactly when `q r + s z_f > B_f`, with `s^2 = Q_f - q^2` and
//!
//! `B_f = max_{y != f} sum_{k != f} (G_yk - G_fk) sqrt(Q_k) z_k / (1 - G_yf)`,  `G = U U^T`.
//!
//! The threshold `B_f` depends neither on the input nor on `z_f`, so the Gaussian `z_f` is integrated exactly; a control variate
//! keeps rare failures in view. One draw costs M Gaussians, the Gram matrix and one radius, whatever d and N are: d = 2^60 and N = infinity are as cheap as d = 2.

use crate::{Error, ErrorCurve, InputGroup, Profile, Scheme, Target, Zipf};
use ndarray::{Array1, Array2};
use rand::Rng;
use rand_distr::{ChiSquared, Distribution, StandardNormal};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use work::Stopped;
use workbench_ground::check::{positive, same};
use workbench_ground::stats::{Stream, Streams, normal_cdf};
use workbench_ground::work;

/// Groups of inputs between two looks at the wish to stop; each takes a Gaussian probability for every class.
const GROUPS_BETWEEN_LOOKS: usize = 1024;

/// One draw of everything random that does not depend on the dimension, and the stream for what does.
#[derive(Clone)]
struct NoiseDraw {
    noise: Vec<f64>,
    below_diagonal: Vec<f64>,
    stream: Stream,
}

/// One competing class, in units in which the signal of the right class is `q r`.
struct Rival {
    /// Level that the score of the right class must pass, given the noise of the other classes.
    threshold: f64,
    /// Variance of that level over the noise, given the output embeddings.
    variance: f64,
    /// Whether the class has the same output embedding.
    always: bool,
}

/// Probability that an input of weight q fails, given one draw.
///
/// With the thresholds `b_1 >= b_2 >= ...` of the rivals, the plain estimate is `Phi((b_1 - q r) / s)`. For inputs with a clear signal
/// failures are rare events of the noise, which a mean over draws would miss. There the sum `S` of the pairwise failure
/// probabilities, whose expectation over the noise is known, serves as control variate: `Phi_1 - beta (S_draw - S_exact)`. The
/// coefficient `beta = 1 / (1 + 7/4 S_exact)` depends on no noise, so the estimate stays unbiased; it is near 1 where failures are rare
/// and the union bound is sharp, and near the regression slope where they are common.
fn failure(rivals: &[Rival], weight: f64, radius: f64, energy: f64, clear: bool) -> f64 {
    let Some(strongest) = rivals.first() else { return 0.0 };
    if strongest.always {
        return 1.0;
    }
    let signal = weight * radius;
    let spread2 = (energy - weight * weight).max(0.0);
    // Rounding in Q_f - q^2 must not invent noise for a class that stores this input alone.
    let alone = spread2 <= 1e-14 * energy;
    let spread = if alone { 0.0 } else { spread2.sqrt() };
    let beaten = |r: &Rival| {
        if alone {
            f64::from(u8::from(r.threshold >= signal))
        } else {
            normal_cdf((r.threshold - signal) / spread)
        }
    };
    let plain = beaten(strongest);
    if !clear {
        return plain;
    }
    let exact: f64 = rivals
        .iter()
        .map(|r| pairwise(signal, r.variance + spread * spread))
        .sum();
    let drawn: f64 = rivals.iter().map(beaten).sum();
    plain - (drawn - exact) / (1.0 + 1.75 * exact)
}

/// `P(N(0, variance) >= signal)`.
fn pairwise(signal: f64, variance: f64) -> f64 {
    if variance > 0.0 {
        normal_cdf(-signal / variance.sqrt())
    } else {
        f64::from(u8::from(signal <= 0.0))
    }
}

/// A set of draws of output embeddings, radius and noise, shared by all dimensions and schemes.
///
/// Sharing them pairs the errors of different dimensions and schemes, which makes slopes and differences sharp. A draw is an
/// independent unit: intervals come from resampling draws.
///
/// **Source**: Eq. 24 to 26, integrated instead of bounded.
///
/// ```
/// use workbench::memory::{ConditionalDraws, Profile};
/// use workbench::stats::Streams;
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
        let draws = (0..n_draws as u64)
            .map(|i| {
                work::check("ConditionalDraws::new", i, n_draws as u64)?;
                let mut child = children.replicate("conditional draw", i)?;
                let noise = (0..n_classes).map(|_| child.sample(StandardNormal)).collect();
                let below_diagonal = (0..n_classes * (n_classes - 1) / 2)
                    .map(|_| child.sample(StandardNormal))
                    .collect();
                Ok(NoiseDraw {
                    noise,
                    below_diagonal,
                    stream: child,
                })
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

    /// An unbiased estimate of `E_{e,u} E(f_q)` from each draw. The control variate can make single values slightly negative.
    ///
    /// **Shapes**: `(n_draws)`.
    ///
    /// **Errors**: a profile with another number of classes, `dim = 0`, [`Error::Stopped`].
    ///
    /// Cost: `n_draws (M^3 + groups)`, independent of `dim`.
    pub fn expected_error(&self, profile: &Profile, dim: u64) -> Result<Array1<f64>, Error> {
        self.weighted(profile, dim, |_| true)
    }

    /// As [`ConditionalDraws::expected_error`], counting only inputs that are stored (`q > 0`).
    pub fn stored_error(&self, profile: &Profile, dim: u64) -> Result<Array1<f64>, Error> {
        self.weighted(profile, dim, |g| g.weight != 0.0)
    }

    /// Expected errors along a list of dimensions, draws as units.
    pub fn curve(&self, law: &Zipf, target: &Target, scheme: &Scheme, dims: &[u64]) -> Result<ErrorCurve, Error> {
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
        dim: u64,
        n_inputs: &[u64],
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
        dim: u64,
        sizes: &[u64],
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
                let mut data = children.replicate("data set", i as u64)?;
                let mut counts: Option<crate::Counts> = None;
                let mut row = Vec::with_capacity(sizes.len());
                for &t in sizes {
                    let more = t - counts.as_ref().map_or(0, |c| c.total);
                    let fresh = law.sample_counts(more, &mut data)?;
                    let merged = counts.map_or_else(|| fresh.clone(), |c| c.merge(&fresh));
                    let profile = Profile::empirical(law, target, scheme, &merged, dim)?;
                    row.push(draw.error(&profile, dim, &|_| true, &|| {
                        work::check(OP, i as u64, self.len() as u64)
                    })?);
                    counts = Some(merged);
                }
                Ok(row)
            })
            .collect::<Result<Vec<Vec<f64>>, Error>>()?;
        let errors = Array2::from_shape_fn((self.len(), sizes.len()), |(i, j)| rows[i][j]);
        ErrorCurve::new(sizes.iter().map(|&t| t as f64).collect(), errors)
    }

    fn weighted(&self, profile: &Profile, dim: u64, include: fn(&InputGroup) -> bool) -> Result<Array1<f64>, Error> {
        positive("ConditionalDraws::expected_error", "dim (d)", dim)?;
        let draws = ("classes of the draws", self.n_classes);
        let classes = ("classes of the profile", profile.n_classes());
        same("ConditionalDraws::expected_error", classes, draws)?;
        let finished = AtomicU64::new(0);
        let go_on = || {
            work::check(
                "ConditionalDraws::expected_error",
                finished.load(Ordering::Relaxed),
                self.len() as u64,
            )
        };
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

impl NoiseDraw {
    /// Error of one draw, the Gaussian of each input's own class integrated out.
    fn error(
        &self,
        profile: &Profile,
        dim: u64,
        include: &dyn Fn(&InputGroup) -> bool,
        go_on: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<f64, Stopped> {
        let m = profile.n_classes();
        let mut stream = self.stream.clone();
        let gram = self.gram(m, dim, &mut stream);
        let radius = chi(dim as f64, &mut stream);
        let energy = profile.energy();
        let mut rivals: Vec<Vec<Rival>> = Vec::with_capacity(m);
        for f in 0..m {
            go_on()?;
            rivals.push(self.rivals(f, &gram, energy));
        }
        let scale = dim as f64;
        let mut error = 0.0;
        for groups in profile.groups().chunks(GROUPS_BETWEEN_LOOKS) {
            go_on()?;
            for g in groups.iter().filter(|g| include(g)) {
                let clear = g.weight * g.weight * scale > energy[g.class];
                error += g.mass * failure(&rivals[g.class], g.weight, radius, energy[g.class], clear);
            }
        }
        Ok(error)
    }

    /// The classes that compete with class f, the strongest first.
    fn rivals(&self, f: usize, gram: &Array2<f64>, energy: &[f64]) -> Vec<Rival> {
        let m = energy.len();
        let mut list: Vec<Rival> = (0..m)
            .filter(|&y| y != f)
            .map(|y| {
                let gap = 1.0 - gram[[y, f]];
                if gap <= 1e-14 {
                    // u_y = u_f: a tie for ever, which counts as an error.
                    return Rival {
                        threshold: f64::INFINITY,
                        variance: 0.0,
                        always: true,
                    };
                }
                let (mut noise, mut variance) = (0.0, 0.0);
                for k in (0..m).filter(|&k| k != f) {
                    let factor = (gram[[y, k]] - gram[[f, k]]) / gap;
                    noise += factor * energy[k].sqrt() * self.noise[k];
                    variance += factor * factor * energy[k];
                }
                Rival {
                    threshold: noise,
                    variance,
                    always: false,
                }
            })
            .collect();
        list.sort_by(|a, b| b.threshold.total_cmp(&a.threshold));
        list
    }

    /// Gram matrix of M independent uniform unit vectors in dimension `dim`, through the Bartlett factor of a Wishart matrix.
    fn gram(&self, m: usize, dim: u64, stream: &mut Stream) -> Array2<f64> {
        let mut factor = Array2::<f64>::zeros((m, m));
        let mut normals = self.below_diagonal.iter();
        for i in 0..m {
            for j in 0..i {
                // Row i has i normals in store; only the first `dim` coordinates exist.
                let z = normals.next().copied().unwrap_or(0.0);
                factor[[i, j]] = if (j as u64) < dim { z } else { 0.0 };
            }
            if (i as u64) < dim {
                factor[[i, i]] = chi((dim - i as u64) as f64, stream);
            }
        }
        for mut row in factor.rows_mut() {
            let norm = row.dot(&row).sqrt();
            row /= norm;
        }
        factor.dot(&factor.t())
    }
}

/// The norm of a standard Gaussian vector in dimension `k`.
fn chi(k: f64, stream: &mut Stream) -> f64 {
    // `k >= 1`, the only thing that `ChiSquared::new` checks is `k > 0`.
    ChiSquared::new(k).map(|law| law.sample(stream).sqrt()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AssociativeMemory, Embeddings, Threshold};
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
        runs: u64,
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
        for (i, (alpha, m, d)) in [(2.0, 5, 3), (2.0, 5, 40), (0.5, 3, 10), (1.0, 4, 2), (1.0, 3, 1)]
            .into_iter()
            .enumerate()
        {
            let law = Zipf::new(alpha, n as u64).unwrap();
            for (target, scheme) in [
                (Target::modulo(m).unwrap(), Scheme::uniform()),
                (Target::heavy(m, 4).unwrap(), Scheme::power(0.5).unwrap()),
                (Target::modulo(m).unwrap(), Scheme::power(1.0).unwrap().top(9).unwrap()),
            ] {
                let weights = scheme.population_weights(&law, d as u64).unwrap();
                let brute = simulated(n, m, d, &weights, &law, &target, 2000);
                let profile = Profile::population(&law, &target, &scheme, d as u64).unwrap();
                let draws = ConditionalDraws::new(m, 8000, &mut Streams::new(i as u64).stream("d").unwrap()).unwrap();
                let exact = mean(draws.expected_error(&profile, d as u64).unwrap().as_slice().unwrap()).unwrap();
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
        for d in [1u64, 5, 50] {
            let profile = Profile::population(&law, &target, &scheme, d).unwrap();
            let q = scheme.population_weights(&law, d).unwrap();
            let total: f64 = q.iter().map(|q| q * q).sum();
            let student = StudentsT::new(0.0, 1.0, d as f64).unwrap();
            let closed: f64 = (1..=12u64)
                .map(|x| {
                    let q = q[x as usize - 1];
                    law.probability(x) * student.sf(q * (d as f64).sqrt() / (total - q * q).sqrt())
                })
                .sum();
            let draws = ConditionalDraws::new(2, 40_000, &mut Streams::new(d).stream("d").unwrap()).unwrap();
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
        assert!(
            union < 1e-6 && e.value > 0.5 * union && e.value < 4.0 * union,
            "{e:?} {union}"
        );
    }

    #[test]
    fn gram_matrices_have_the_moments_of_unit_vectors() {
        let draws = ConditionalDraws::new(6, 20_000, &mut Streams::new(8).stream("d").unwrap()).unwrap();
        for d in [1u64, 3, 5, 6, 40] {
            let mut sum = 0.0;
            let mut squares = 0.0;
            for draw in &draws.draws {
                let g = draw.gram(6, d, &mut draw.stream.clone());
                for i in 0..6 {
                    assert!((g[[i, i]] - 1.0).abs() < 1e-12);
                }
                sum += g[[5, 2]];
                squares += g[[5, 4]] * g[[5, 4]];
            }
            // E G = 0, E G^2 = 1/d; 20,000 draws, five standard errors.
            let n = draws.len() as f64;
            assert!((sum / n).abs() < 5.0 / (n * d as f64).sqrt());
            assert!((squares / n * d as f64 - 1.0).abs() < 5.0 * 2f64.sqrt() / n.sqrt());
        }
    }

    #[test]
    fn data_limited_error_at_huge_dimension() {
        // d = 2^60: what is seen is recalled, what is not is guessed.
        let law = Zipf::infinite(2.0).unwrap();
        let target = Target::modulo(5).unwrap();
        let streams = Streams::new(5);
        let draws = ConditionalDraws::new(5, 600, &mut streams.stream("d").unwrap()).unwrap();
        let curve = draws
            .sample_curve(
                &law,
                &target,
                &Scheme::uniform(),
                1 << 60,
                &[100, 1000],
                &mut streams.stream("t").unwrap(),
            )
            .unwrap();
        for (j, t) in [100u64, 1000].into_iter().enumerate() {
            let e = curve.at(j).unwrap();
            assert!(
                e.value < law.unseen_mass(t) && e.value > 0.6 * law.unseen_mass(t),
                "{e:?}"
            );
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
        assert!(matches!(
            ConditionalDraws::new(0, 5, &mut stream),
            Err(Error::Zero { .. })
        ));
        assert!(matches!(
            ConditionalDraws::new(5, 0, &mut stream),
            Err(Error::Zero { .. })
        ));
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
        assert!(
            draws
                .sample_curve(&law, &target, &Scheme::uniform(), 4, &[10, 10], &mut stream)
                .is_err()
        );
        assert!(
            draws
                .sample_curve(&law, &target, &Scheme::uniform(), 4, &[0], &mut stream)
                .is_err()
        );
    }
}
