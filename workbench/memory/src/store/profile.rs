//! Profile that the expected error depends on: masses, weights and classes of groups of inputs, and the energy stored per class.

use crate::data::target::Target;
use crate::data::zipf::{Counts, Zipf};
use crate::data::zipf::{ENUMERATION_LIMIT, too_many_inputs};
use crate::store::scheme::Scheme;
use crate::store::scheme::Weighting;
use crate::store::scheme::bad_weights;
use workbench_ground::Error;
use workbench_ground::check::{positions, positive, same};
use workbench_ground::work;

/// Ranks up to this one are kept one by one when a law is grouped.
const SINGLE_RANKS: usize = 64;
/// Cells per doubling of the rank beyond. Weights within a cell differ by at most 12 % times `rho alpha`, which changes the
/// error of the cell by less than 0.2 % of itself (the effect is of second order around the cell's mean weight).
const CELLS_PER_OCTAVE: f64 = 6.0;
/// Longest target pattern whose class sums are taken residue by residue.
const PERIOD_LIMIT: usize = 256;
/// Ranks beyond this one are put into one last cell.
const RANK_LIMIT: usize = 1 << 60;

/// Ranks listed between two checks for a request to stop.
const RANKS_BETWEEN_LOOKS: usize = 1 << 16;

/// Inputs of one class that share a weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InputGroup {
    /// Total probability of the inputs.
    pub mass: f64,
    /// Their weight q, zero when they are not stored.
    pub weight: f64,
    /// Their class.
    pub class: usize,
}

/// A weighting scheme seen through a law: what the expected error at any dimension depends on.
///
/// By rotation invariance, the probability that an input is not recalled depends only on its own weight, on its class and on the
/// energies $Q_y=\sum_{x:f_*(x)=y}q(x)^2$.
///
/// **Source**: Eq. 30 ($Q_y$), Eq. 25 and 26 (mean and covariance given the output embeddings).
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    groups: Vec<InputGroup>,
    energy: Vec<f64>,
}

impl Profile {
    /// The scheme in the limit of infinite data, for any law, also with infinitely many inputs.
    ///
    /// Frequent inputs are kept one by one, the others in cells of nearly equal weight with exact masses and energies.
    ///
    /// **Errors**: a threshold beyond N, weights whose squares do not sum ($2\rho\alpha\le1$ on infinitely many inputs), a
    /// target with a long pattern on too many inputs.
    ///
    /// Cost: a few hundred cells, each a few dozen powers.
    pub fn population(law: &Zipf, target: &Target, scheme: &Scheme, dim: usize) -> Result<Profile, Error> {
        const OP: &str = "Profile::population";
        positive(OP, "dim (d)", dim)?;
        let last = scheme.stored_under(law, dim)?.or(law.n_inputs());
        if let Weighting::Power(rho) = scheme.weighting
            && last.is_none()
            && 2.0 * rho * law.alpha() <= 1.0
        {
            return Err(bad_weights(OP, "are not square-summable on infinitely many inputs"));
        }
        let stored_count = last.unwrap_or(usize::MAX);
        let long_pattern = target.period() > PERIOD_LIMIT;
        let one_by_one = long_pattern || matches!(scheme.weighting, Weighting::Explicit(_));
        let mut groups = Vec::new();
        let mut energy = vec![0.0; target.n_classes()];
        let sums = ClassSums { law, target };
        if one_by_one {
            let end = last.unwrap_or(usize::MAX);
            if end > ENUMERATION_LIMIT {
                return Err(too_many_inputs(OP, end, ENUMERATION_LIMIT));
            }
            for x in 1..=end {
                if x.is_multiple_of(RANKS_BETWEEN_LOOKS) {
                    work::check(OP, x, end)?;
                }
                let (mass, class) = (law.probability(x), target.class(x));
                let weight = scheme.weight(x, mass, stored_count);
                energy[class] += weight * weight;
                groups.push(InputGroup { mass, weight, class });
            }
        } else {
            for (from, to) in cells(scheme, last) {
                let weight = match (&scheme.weighting, to) {
                    (Weighting::Power(0.0), _) => 1.0,
                    (Weighting::Power(rho), _) => law.moment(1.0 + rho, from, to) / law.mass(from, to),
                    (_, to) => {
                        let middle = to.map_or(from, |to| ((from as f64 * to as f64).sqrt().round() as usize).max(1));
                        scheme.weight(middle, law.probability(middle), stored_count)
                    }
                };
                for (class, mass) in sums.by_class(1.0, from, to).into_iter().enumerate() {
                    groups.push(InputGroup { mass, weight, class });
                }
                if let Weighting::Graded(_) = scheme.weighting {
                    for (class, count) in sums.by_class(0.0, from, to).into_iter().enumerate() {
                        energy[class] += count * weight * weight;
                    }
                }
            }
            if let Weighting::Power(rho) = scheme.weighting {
                energy = sums.by_class(2.0 * rho, 1, last);
            }
        }
        if let Some(last) = last {
            let rest = match law.n_inputs() {
                Some(n) if n <= last => None,
                n_inputs => Some(n_inputs),
            };
            if let Some(end) = rest {
                let masses = if long_pattern && end.is_some() {
                    sums.one_by_one(last + 1, end.unwrap_or(last))
                } else {
                    sums.by_class(1.0, last + 1, end)
                };
                groups.extend(masses.into_iter().enumerate().map(|(class, mass)| InputGroup {
                    mass,
                    weight: 0.0,
                    class,
                }));
            }
        }
        Profile::finish(OP, groups, energy)
    }

    /// The scheme computed from a data set; inputs that are not stored are grouped by class.
    ///
    /// **Errors**: as [`Profile::population`]; a target with a long pattern on infinitely many inputs.
    pub fn empirical(
        law: &Zipf,
        target: &Target,
        scheme: &Scheme,
        counts: &Counts,
        dim: usize,
    ) -> Result<Profile, Error> {
        const OP: &str = "Profile::empirical";
        positive(OP, "dim (d)", dim)?;
        let sums = ClassSums { law, target };
        let mut unstored = match law.n_inputs() {
            Some(n) if n <= ENUMERATION_LIMIT && target.period() > PERIOD_LIMIT => sums.one_by_one(1, n),
            _ if target.period() > PERIOD_LIMIT => {
                return Err(too_many_inputs(OP, law.n_inputs().unwrap_or(usize::MAX), ENUMERATION_LIMIT));
            }
            n => sums.by_class(1.0, 1, n),
        };
        let mut energy = vec![0.0; target.n_classes()];
        let mut groups = Vec::new();
        for (x, weight) in scheme.empirical_entries(counts, dim)? {
            let (mass, class) = (law.probability(x), target.class(x));
            unstored[class] -= mass;
            energy[class] += weight * weight;
            groups.push(InputGroup { mass, weight, class });
        }
        groups.extend(unstored.into_iter().enumerate().map(|(class, mass)| InputGroup {
            mass: mass.max(0.0),
            weight: 0.0,
            class,
        }));
        Profile::finish(OP, groups, energy)
    }

    /// A profile from masses, weights and labels listed one by one.
    ///
    /// **Errors**: lengths that do not match, labels beyond `n_classes`, weights that are not finite or all zero.
    pub fn from_weights(p: &[f64], weights: &[f64], labels: &[usize], n_classes: usize) -> Result<Profile, Error> {
        const OP: &str = "Profile::from_weights";
        for (left_name, left) in [("weights", weights.len()), ("labels", labels.len())] {
            same(OP, (left_name, left), ("p", p.len()))?;
        }
        positions(OP, "class", labels, n_classes)?;
        let mut energy = vec![0.0; n_classes];
        let groups = (0..p.len())
            .map(|x| {
                energy[labels[x]] += weights[x] * weights[x];
                InputGroup { mass: p[x], weight: weights[x], class: labels[x] }
            })
            .collect();
        Profile::finish(OP, groups, energy)
    }

    /// The same weights scaled class by class so that every class has the same energy: $Q_y=1/M$ for all y.
    ///
    /// **Source**: B.2, footnote 1.
    ///
    /// **Errors**: a class that stores nothing, whose energy cannot be scaled.
    ///
    /// ```
    /// use workbench_memory::Profile;
    /// let profile = Profile::from_weights(&[0.5, 0.3, 0.2], &[3.0, 4.0, 1.0], &[0, 0, 1], 2)?.equalised()?;
    /// assert!(profile.energy().iter().all(|q| (q - 0.5).abs() < 1e-15));
    /// # Ok::<(), workbench_memory::Error>(())
    /// ```
    pub fn equalised(&self) -> Result<Profile, Error> {
        const OP: &str = "Profile::equalised";
        if self.energy.iter().any(|&q| q <= 0.0) {
            return Err(bad_weights(OP, "are all zero in some class"));
        }
        let each = 1.0 / self.n_classes() as f64;
        let groups = self
            .groups
            .iter()
            .map(|g| InputGroup { weight: g.weight * (each / self.energy[g.class]).sqrt(), ..*g })
            .collect();
        Profile::finish(OP, groups, vec![each; self.n_classes()])
    }

    fn finish(op: &'static str, groups: Vec<InputGroup>, energy: Vec<f64>) -> Result<Profile, Error> {
        let total: f64 = energy.iter().sum();
        if !total.is_finite() {
            return Err(bad_weights(op, "are not finite and square-summable"));
        }
        if total <= 0.0 {
            return Err(bad_weights(op, "are all zero"));
        }
        // Equal weights of one class are one group.
        let mut groups: Vec<InputGroup> = groups.into_iter().filter(|g| g.mass > 0.0).collect();
        groups.sort_by(|a, b| a.class.cmp(&b.class).then(b.weight.total_cmp(&a.weight)));
        groups.dedup_by(|b, a| {
            let same = a.class == b.class && a.weight == b.weight;
            if same {
                a.mass += b.mass;
            }
            same
        });
        Ok(Profile { groups, energy })
    }

    /// The groups, by class and falling weight.
    pub fn groups(&self) -> &[InputGroup] {
        &self.groups
    }

    /// $Q_y$ for each class.
    pub fn energy(&self) -> &[f64] {
        &self.energy
    }

    /// $\lVert q\rVert^2$.
    pub fn total_energy(&self) -> f64 {
        self.energy.iter().sum()
    }

    /// $Q_\infty=\max_yQ_y$.
    pub fn largest_energy(&self) -> f64 {
        self.energy.iter().copied().fold(0.0, f64::max)
    }

    /// The number of classes M.
    pub fn n_classes(&self) -> usize {
        self.energy.len()
    }

    /// Mass of the inputs that are stored.
    pub fn stored_mass(&self) -> f64 {
        self.groups.iter().filter(|g| g.weight != 0.0).map(|g| g.mass).sum()
    }
}

/// Ranges of ranks that share a weight, up to `last` (None for no end).
fn cells(scheme: &Scheme, last: Option<usize>) -> Vec<(usize, Option<usize>)> {
    if matches!(scheme.weighting, Weighting::Power(0.0)) {
        return vec![(1, last)];
    }
    let end = last.unwrap_or(usize::MAX);
    let mut list: Vec<(usize, Option<usize>)> = (1..=SINGLE_RANKS.min(end)).map(|x| (x, Some(x))).collect();
    let ratio = (1.0 / CELLS_PER_OCTAVE).exp2();
    let mut from = SINGLE_RANKS + 1;
    while from <= end {
        if from >= RANK_LIMIT {
            list.push((from, last));
            break;
        }
        let to = ((from as f64 * ratio).floor() as usize).max(from + 1).min(end);
        list.push((from, Some(to)));
        from = to + 1;
    }
    list
}

struct ClassSums<'a> {
    law: &'a Zipf,
    target: &'a Target,
}

impl ClassSums<'_> {
    /// `sum p(x)^s` over the ranks of the range, class by class.
    fn by_class(&self, s: f64, from: usize, to: Option<usize>) -> Vec<f64> {
        let mut sums = vec![0.0; self.target.n_classes()];
        let end = to.or(self.law.n_inputs());
        if let Some(end) = end
            && end.saturating_sub(from) < 2 * self.target.period()
        {
            for x in from..=end {
                sums[self.target.class(x)] += self.law.probability(x).powf(s);
            }
            return sums;
        }
        let period = self.target.period();
        for residue in 0..period {
            sums[self.target.class(residue)] += self.law.moment_of_residue(s, from, to, period, residue);
        }
        sums
    }

    fn one_by_one(&self, from: usize, to: usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.target.n_classes()];
        for x in (from..=to).rev() {
            sums[self.target.class(x)] += self.law.probability(x);
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::scheme::Threshold;

    #[test]
    fn grouped_and_listed_profiles_agree() {
        let n = 3000;
        let law = Zipf::new(1.5, n).unwrap();
        let target = Target::modulo(5).unwrap();
        for scheme in [
            Scheme::power(0.3).unwrap(),
            Scheme::power(1.0).unwrap().top(700).unwrap(),
            Scheme::uniform().top(50).unwrap(),
        ] {
            let grouped = Profile::population(&law, &target, &scheme, 64).unwrap();
            let weights = scheme.population_weights(&law, 64).unwrap();
            let listed = Profile::from_weights(&law.probabilities(n), &weights, &target.labels(n), 5).unwrap();
            for (a, b) in grouped.energy().iter().zip(listed.energy()) {
                assert!((a / b - 1.0).abs() < 1e-11);
            }
            let mass = |p: &Profile, y: usize| p.groups().iter().filter(|g| g.class == y).map(|g| g.mass).sum::<f64>();
            for y in 0..5 {
                assert!((mass(&grouped, y) - mass(&listed, y)).abs() < 1e-12);
            }
            assert!((grouped.stored_mass() - listed.stored_mass()).abs() < 1e-12);
        }
    }

    #[test]
    fn equalised_classes_have_equal_energy() {
        let law = Zipf::infinite(2.0).unwrap();
        let target = Target::modulo(5).unwrap();
        let plain = Profile::population(&law, &target, &Scheme::power(1.0).unwrap(), 64).unwrap();
        let even = plain.equalised().unwrap();
        assert!(even.energy().iter().all(|q| (q - 0.2).abs() < 1e-15));
        assert!((even.stored_mass() - plain.stored_mass()).abs() < 1e-15);
        let alone = Profile::from_weights(&[1.0], &[1.0], &[0], 2).unwrap();
        assert!(alone.equalised().is_err(), "a class that stores nothing");
    }

    #[test]
    fn infinite_law_keeps_all_mass() {
        let law = Zipf::infinite(2.0).unwrap();
        let target = Target::modulo(5).unwrap();
        for scheme in [
            Scheme::power(1.0).unwrap(),
            Scheme::power(0.5).unwrap().top(100_000).unwrap(),
            Scheme::uniform().threshold(Threshold::PerDimension(0.5)).unwrap(),
            Scheme::graded(1.0).unwrap().top(1000).unwrap(),
        ] {
            let profile = Profile::population(&law, &target, &scheme, 1 << 20).unwrap();
            assert!((profile.groups().iter().map(|g| g.mass).sum::<f64>() - 1.0).abs() < 1e-10);
        }
        // The graded energy is P (offset + 1) up to the end effect of Stirling's formula.
        let graded =
            Profile::population(&law, &target, &Scheme::graded(1.0).unwrap().top(100_000).unwrap(), 8).unwrap();
        assert!((graded.total_energy() / 2.0e5 - 1.0).abs() < 2e-3);
    }

    #[test]
    fn empirical_profile_of_many_samples_is_the_population() {
        let law = Zipf::new(1.0, 20).unwrap();
        let target = Target::modulo(3).unwrap();
        let counts = Counts {
            seen: (1..=20).map(|x| (x, (1e12 * law.probability(x)) as usize)).collect(),
            total: 1_000_000_000_000,
        };
        let scheme = Scheme::power(1.0).unwrap().top(10).unwrap();
        let a = Profile::empirical(&law, &target, &scheme, &counts, 4).unwrap();
        let b = Profile::population(&law, &target, &scheme, 4).unwrap();
        for (x, y) in a.energy().iter().zip(b.energy()) {
            assert!((x - y).abs() < 1e-9);
        }
        assert!((a.stored_mass() - b.stored_mass()).abs() < 1e-12);
    }

    #[test]
    fn refuses_bad_input() {
        let law = Zipf::infinite(2.0).unwrap();
        let target = Target::modulo(5).unwrap();
        assert!(matches!(
            Profile::population(&law, &target, &Scheme::uniform(), 8),
            Err(Error::Refused { problem, .. }) if problem.starts_with("the weights ")
        ));
        assert!(matches!(
            Profile::population(&law, &target, &Scheme::power(0.25).unwrap(), 8),
            Err(Error::Refused { problem, .. }) if problem.starts_with("the weights ")
        ));
        assert!(matches!(Profile::population(&law, &target, &Scheme::power(1.0).unwrap(), 0), Err(Error::Zero { .. })));
        assert!(matches!(Profile::from_weights(&[1.0], &[1.0, 2.0], &[0], 1), Err(Error::Shape { .. })));
        assert!(matches!(Profile::from_weights(&[1.0], &[1.0], &[1], 1), Err(Error::NoSuch { .. })));
        assert!(matches!(
            Profile::from_weights(&[1.0], &[0.0], &[0], 1),
            Err(Error::Refused { problem, .. }) if problem.starts_with("the weights ")
        ));
        let finite = Zipf::new(2.0, 5).unwrap();
        let beyond = Scheme::uniform().top(9).unwrap();
        assert!(matches!(
            Profile::population(&finite, &target, &beyond, 8),
            Err(Error::Refused { problem, .. }) if problem.starts_with("threshold P = ")
        ));
    }
}
