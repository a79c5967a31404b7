//! Weight that an input needs to be recalled: probes among random outputs, the noise of the probe's own class integrated out.

use crate::store::scheme::bad_weights;
use crate::theory::lemma_3::outputs::GivenOutputs;
use rand::Rng;
use rand_distr::{ChiSquared, Distribution, StandardNormal};
use workbench_ground::Error;
use workbench_ground::check::{positive, within};
use workbench_ground::stats::{Stream, normal_cdf};
use workbench_ground::work;

/// Draws of output embeddings, noise and length of the probe, for stored energies `Q_y` that are held fixed.
///
/// A probe of class f and weight q, stored beside the rest, is recalled when $qr+\sqrt{Q_f}\,z>B$, with $B$ the best of the rivals in
/// units of the signal. One draw is one pair $(B,r)$.
///
/// **Source**: Eq. 24 to 26, with the energies of Eq. 30 prescribed.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memory::ProbeDraws;
/// // Four classes with equal energy in 30 dimensions: a probe is lost half of the time near q^2 d = 2.
/// let draws = ProbeDraws::new(&[1.0; 4], 0, 30, 4000, &mut Streams::new(1).stream("probe")?)?;
/// let q = draws.weight_at(0.5)?;
/// assert!((draws.failure(q) - 0.5).abs() < 1e-9 && 30.0 * q * q > 0.3 && 30.0 * q * q < 6.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeDraws {
    draws: Vec<(f64, f64)>,
    own: f64,
}

impl ProbeDraws {
    /// Draws for energies `energy[y]` of the stored inputs, the probe not among them.
    ///
    /// **Errors**: fewer than two classes, a class that does not exist, no draws, energies that are negative or not finite, a class of the
    /// probe without energy, [`Error::Stopped`]. Cost: `n_draws M^3`.
    pub fn new(
        energy: &[f64],
        class: usize,
        dim: usize,
        n_draws: usize,
        stream: &mut Stream,
    ) -> Result<ProbeDraws, Error> {
        const OP: &str = "ProbeDraws::new";
        positive(OP, "n_draws", n_draws)?;
        let m = energy.len();
        if class >= m || m < 2 {
            return Err(Error::no_such(OP, "class with a rival", class, m));
        }
        if energy.iter().any(|q| !(q.is_finite() && *q >= 0.0)) || energy[class] == 0.0 {
            return Err(bad_weights(OP, "have an energy that is negative, not finite, or zero for the probe's class"));
        }
        let mut draws = Vec::with_capacity(n_draws);
        for i in 0..n_draws {
            work::check(OP, i, n_draws)?;
            let outputs = GivenOutputs::random(m, dim, stream)?;
            let noise: Vec<f64> = energy.iter().map(|q| q.sqrt() * stream.sample::<f64, _>(StandardNormal)).collect();
            let best = (0..m)
                .filter(|&y| y != class)
                .map(|y| {
                    let sum: f64 = (0..m).filter(|&k| k != class).map(|k| noise[k] * outputs.pull(k, y, class)).sum();
                    let gap = -outputs.lead(class, y);
                    if gap > 1e-14 { sum / gap } else { f64::INFINITY }
                })
                .fold(f64::NEG_INFINITY, f64::max);
            // The law exists for every positive dimension, and `GivenOutputs::random` has refused zero.
            let radius = ChiSquared::new(dim as f64).map_or(0.0, |law| law.sample(stream).sqrt());
            draws.push((best, radius));
        }
        Ok(ProbeDraws { draws, own: energy[class].sqrt() })
    }

    /// The number of draws.
    pub fn len(&self) -> usize {
        self.draws.len()
    }

    /// Whether there are no draws; never true.
    pub fn is_empty(&self) -> bool {
        self.draws.is_empty()
    }

    /// The share of probes of weight `q` that are lost.
    pub fn failure(&self, q: f64) -> f64 {
        let sum: f64 = self.draws.iter().map(|(b, r)| normal_cdf((b - q * r) / self.own)).sum();
        sum / self.draws.len() as f64
    }

    /// The weight at which a share `level` of the probes is lost, by bisection; 0 where even weightless probes do better.
    ///
    /// **Errors**: a level outside (0, 1), a level that no weight reaches (equal output embeddings), [`Error::Stopped`].
    pub fn weight_at(&self, level: f64) -> Result<f64, Error> {
        const OP: &str = "ProbeDraws::weight_at";
        const HALVINGS: usize = 60;
        let allowed = "a share between 0 and 1";
        within(OP, "level", level, level > 0.0 && level < 1.0, allowed)?;
        let (mut low, mut high) = (0.0, self.own);
        while self.failure(high) > level {
            work::check(OP, 0, HALVINGS)?;
            if high > 1e9 * self.own {
                let allowed = "a share above that of equal output embeddings";
                return Err(Error::parameter(OP, "level", level, allowed));
            }
            low = high;
            high *= 2.0;
        }
        for done in 0..HALVINGS {
            work::check(OP, done, HALVINGS)?;
            let middle = 0.5 * (low + high);
            if self.failure(middle) > level {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(0.5 * (low + high))
    }

    /// The draws cut into `parts` of equal size, for intervals that treat parts as units.
    ///
    /// **Errors**: no parts, or more parts than draws.
    pub fn split(&self, parts: usize) -> Result<Vec<ProbeDraws>, Error> {
        positive("ProbeDraws::split", "parts", parts)?;
        let each = self.draws.len() / parts;
        positive("ProbeDraws::split", "draws per part", each)?;
        Ok((0..parts)
            .map(|i| ProbeDraws { draws: self.draws[i * each..(i + 1) * each].to_vec(), own: self.own })
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generalization::expected_error::ConditionalDraws;
    use crate::store::profile::Profile;
    use workbench_ground::stats::{Streams, mean};

    #[test]
    fn agrees_with_the_conditional_draws() {
        // Class 0 holds the probe (weight 0.5) and one input of weight 1, the others one input of weight 1 each.
        let streams = Streams::new(3);
        let (m, d) = (5usize, 20usize);
        let weights = [0.5, 1.0, 1.0, 1.0, 1.0, 1.0];
        let p = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let profile = Profile::from_weights(&p, &weights, &[0, 0, 1, 2, 3, 4], m).unwrap();
        let draws = ConditionalDraws::new(m, 20_000, &mut streams.stream("draws").unwrap()).unwrap();
        let error = mean(draws.expected_error(&profile, d).unwrap().as_slice().unwrap()).unwrap();
        let probe = ProbeDraws::new(&[1.0; 5], 0, d, 20_000, &mut streams.stream("probe").unwrap()).unwrap();
        let parts: Vec<f64> = probe.split(20).unwrap().iter().map(|part| part.failure(0.5)).collect();
        let seen = mean(&parts).unwrap();
        assert!((seen.value - error.value).abs() < seen.half_width() + error.half_width(), "{seen:?} {error:?}");
    }

    #[test]
    fn heavier_probes_are_lost_less() {
        let probe = ProbeDraws::new(&[1.0, 2.0, 0.0], 0, 10, 500, &mut Streams::new(1).stream("p").unwrap()).unwrap();
        assert!(probe.failure(0.0) > probe.failure(1.0) && probe.failure(1.0) > probe.failure(4.0));
        assert!(probe.weight_at(0.1).unwrap() > probe.weight_at(0.4).unwrap());
        assert_eq!(probe.len(), 500);
    }

    #[test]
    fn refuses_bad_input() {
        let mut s = Streams::new(1).stream("p").unwrap();
        assert!(matches!(ProbeDraws::new(&[1.0; 3], 3, 10, 5, &mut s), Err(Error::NoSuch { .. })));
        assert!(matches!(ProbeDraws::new(&[1.0; 3], 0, 10, 0, &mut s), Err(Error::Zero { .. })));
        assert!(matches!(ProbeDraws::new(&[1.0; 3], 0, 0, 5, &mut s), Err(Error::Zero { .. })));
        assert!(matches!(
            ProbeDraws::new(&[0.0, 1.0], 0, 10, 5, &mut s),
            Err(Error::Refused { problem, .. }) if problem.starts_with("the weights ")
        ));
        let probe = ProbeDraws::new(&[1.0; 3], 0, 10, 5, &mut s).unwrap();
        assert!(probe.weight_at(1.0).is_err() && probe.split(6).is_err() && probe.split(0).is_err());
    }
}
