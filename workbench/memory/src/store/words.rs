//! The energy that a memory of a real text stores.

use super::profile::Profile;
use super::scheme::Scheme;
use crate::data::corpus::WordCounts;
use crate::data::target::Target;
use crate::data::zipf::Counts;
use workbench_ground::Error;

impl WordCounts {
    /// The profile of a memory on this text, for `ConditionalDraws`: exact expected errors under the real law.
    ///
    /// **Source**: Eq. 30, with the frequencies of the text as p.
    ///
    /// **Errors**: a threshold beyond the number of words, weights that store nothing.
    pub fn profile(&self, target: &Target, scheme: &Scheme, dim: usize) -> Result<Profile, Error> {
        let n = self.len();
        let counts = Counts { seen: (1..).zip(self.counts().iter().copied()).collect(), total: self.total() };
        let weights = scheme.empirical_weights(&counts, n, dim)?;
        Profile::from_weights(&self.frequencies(), &weights, &target.labels(n), target.n_classes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::zipf::Zipf;

    #[test]
    fn the_profile_is_that_of_the_law() {
        let zipf = Zipf::new(1.2, 60).unwrap();
        let words = (1..=60).map(|x| (format!("{x:06}"), (1e12 * zipf.probability(x)).round() as usize));
        let text = WordCounts::new(words.collect()).unwrap();
        let target = Target::modulo(5).unwrap();
        let scheme = Scheme::power(1.0).unwrap().top(20).unwrap();
        let real = text.profile(&target, &scheme, 10).unwrap();
        let law = Profile::population(&zipf, &target, &scheme, 10).unwrap();
        assert!((real.total_energy() / law.total_energy() - 1.0).abs() < 1e-6);
        assert!((real.stored_mass() / law.stored_mass() - 1.0).abs() < 1e-6);
    }
}
