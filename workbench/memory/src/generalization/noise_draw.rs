//! The error of one draw of output embeddings, radius and noise: the Gaussian of each input's own class is integrated out.

use crate::store::profile::{InputGroup, Profile};
use ndarray::Array2;
use rand::Rng;
use rand_distr::{ChiSquared, Distribution, StandardNormal};
use work::Stopped;
use workbench_ground::stats::{Stream, normal_cdf};
use workbench_ground::work;

/// Groups of inputs between two checks for a request to stop; each takes a Gaussian probability for every class.
const GROUPS_BETWEEN_LOOKS: usize = 1024;

/// One draw of everything random that does not depend on the dimension, and the stream for what does.
#[derive(Clone)]
pub(super) struct NoiseDraw {
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
        if alone { f64::from(u8::from(r.threshold >= signal)) } else { normal_cdf((r.threshold - signal) / spread) }
    };
    let plain = beaten(strongest);
    if !clear {
        return plain;
    }
    let exact: f64 = rivals.iter().map(|r| pairwise(signal, r.variance + spread * spread)).sum();
    let drawn: f64 = rivals.iter().map(beaten).sum();
    plain - (drawn - exact) / (1.0 + 1.75 * exact)
}

/// `P(N(0, variance) >= signal)`.
fn pairwise(signal: f64, variance: f64) -> f64 {
    if variance > 0.0 { normal_cdf(-signal / variance.sqrt()) } else { f64::from(u8::from(signal <= 0.0)) }
}

impl NoiseDraw {
    /// Draws for so many classes; the stream is kept for what depends on the dimension.
    pub fn new(n_classes: usize, mut stream: Stream) -> NoiseDraw {
        let noise = (0..n_classes).map(|_| stream.sample(StandardNormal)).collect();
        let below_diagonal = (0..n_classes * (n_classes - 1) / 2).map(|_| stream.sample(StandardNormal)).collect();
        NoiseDraw { noise, below_diagonal, stream }
    }

    /// Error of one draw, the Gaussian of each input's own class integrated out.
    pub fn error(
        &self,
        profile: &Profile,
        dim: usize,
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
                    return Rival { threshold: f64::INFINITY, variance: 0.0, always: true };
                }
                let (mut noise, mut variance) = (0.0, 0.0);
                for k in (0..m).filter(|&k| k != f) {
                    let factor = (gram[[y, k]] - gram[[f, k]]) / gap;
                    noise += factor * energy[k].sqrt() * self.noise[k];
                    variance += factor * factor * energy[k];
                }
                Rival { threshold: noise, variance, always: false }
            })
            .collect();
        list.sort_by(|a, b| b.threshold.total_cmp(&a.threshold));
        list
    }

    /// Gram matrix of M independent uniform unit vectors in dimension `dim`, through the Bartlett factor of a Wishart matrix.
    pub fn gram(&self, m: usize, dim: usize, stream: &mut Stream) -> Array2<f64> {
        let mut factor = Array2::<f64>::zeros((m, m));
        let mut normals = self.below_diagonal.iter();
        for i in 0..m {
            for j in 0..i {
                // Row i has i normals in store; only the first `dim` coordinates exist.
                let z = normals.next().copied().unwrap_or(0.0);
                factor[[i, j]] = if j < dim { z } else { 0.0 };
            }
            if i < dim {
                factor[[i, i]] = chi((dim - i) as f64, stream);
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
    ChiSquared::new(k).map_or(0.0, |law| law.sample(stream).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::Streams;

    #[test]
    fn gram_matrices_have_the_moments_of_unit_vectors() {
        let streams = Streams::new(8);
        let draws: Vec<NoiseDraw> =
            (0..20_000).map(|i| NoiseDraw::new(6, streams.replicate("d", i).unwrap())).collect();
        for d in [1usize, 3, 5, 6, 40] {
            let mut sum = 0.0;
            let mut squares = 0.0;
            for draw in &draws {
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
}
