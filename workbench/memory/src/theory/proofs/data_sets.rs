//! All data sets of a tiny problem, each with the exact error of the memory built from it.

use super::types::{type_class, visit};
use crate::data::zipf::Counts;
use crate::store::scheme::Scheme;
use workbench_ground::Error;
use workbench_ground::check::{positive, within};
use workbench_ground::stats::student_tail;

/// Probability over the embeddings that an input of weight q is answered wrongly when there are two classes.
///
/// With $M=2$ the margin is $(1-G)\bigl(qr^2+rz\sqrt{\lVert q\rVert^2-q^2}\bigr)$, whatever the output embeddings and labels are, so the
/// probability is that of a Student variable with d degrees of freedom above $q\sqrt d/\sqrt{\lVert q\rVert^2-q^2}$.
///
/// **Source**: Eq. 25 and 26 with $M=2$, integrated over $\lVert e_x\rVert$.
///
/// **Errors**: an energy that is not positive or below `q^2`, `dim = 0`.
///
/// ```
/// use workbench_memory::two_class_failure;
/// assert_eq!(two_class_failure(1.0, 1.0, 8)?, 0.0); // alone in the memory
/// assert_eq!(two_class_failure(0.0, 1.0, 8)?, 0.5); // not stored: a guess
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn two_class_failure(weight: f64, total_energy: f64, dim: usize) -> Result<f64, Error> {
    const OP: &str = "two_class_failure";
    positive(OP, "dim (d)", dim)?;
    let rest = total_energy - weight * weight;
    let allowed = "a positive energy that includes q^2";
    let inside = total_energy > 0.0 && rest > -1e-12 * total_energy;
    within(OP, "total_energy (||q||^2)", total_energy, inside, allowed)?;
    if weight == 0.0 {
        return Ok(0.5);
    }
    if rest <= 1e-14 * total_energy {
        return Ok(0.0);
    }
    let d = dim as f64;
    Ok(student_tail(weight * d.sqrt() / rest.sqrt(), d))
}

/// One data set, up to the order of its samples.
#[derive(Clone, Debug, PartialEq)]
pub struct DataSet {
    /// How often each input occurs.
    pub counts: Vec<usize>,
    /// Probability of these counts.
    pub probability: f64,
    /// `qhat(x)`.
    pub weights: Vec<f64>,
    /// Probability over the embeddings that input x is answered wrongly.
    pub failure: Vec<f64>,
}

/// All data sets of one length, for a memory with two classes.
///
/// ```
/// use workbench_memory::{DataSets, Scheme};
/// let sets = DataSets::two_classes(&[0.7, 0.3], 2, &Scheme::power(1.0)?, 10)?;
/// assert_eq!(sets.list().len(), 3);
/// // Both inputs unseen once: an unseen input is a coin flip.
/// let unseen = 0.7 * 0.3f64.powi(2) + 0.3 * 0.7f64.powi(2);
/// assert!(sets.error() > 0.5 * unseen);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DataSets {
    p: Vec<f64>,
    list: Vec<DataSet>,
}

/// The probability that an input fails, split by an event of the data.
///
/// **Source**: B.2, finite data, first displays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventSplit {
    /// $\mathbb P(f(x)\ne f_\ast(x))$.
    pub error: f64,
    /// $\mathbb P(\hat q\notin E_x)$.
    pub outside: f64,
    /// $\mathbb P(f(x)\ne f_\ast(x)\mid\hat q\in E_x)$, 0 if the event has no probability.
    pub error_inside: f64,
    /// $\mathbb P(f(x)\ne f_\ast(x)\mid\hat q\notin E_x)$, 0 if the complement has no probability.
    pub error_outside: f64,
}

impl EventSplit {
    /// The right side as printed: $\mathbb P(\hat q\notin E_x)+\mathbb P(f(x)\ne f_\ast(x)\mid\hat q\in E_x)$.
    pub fn printed(&self) -> f64 {
        self.outside + self.error_inside
    }

    /// The law of total probability.
    pub fn exact(&self) -> f64 {
        self.outside * self.error_outside + (1.0 - self.outside) * self.error_inside
    }
}

impl DataSets {
    /// Lists every count vector of `total` samples from `p`, with weights from `scheme` and exact failures at dimension `dim`.
    ///
    /// **Errors**: zero sizes, too many count vectors, schemes that cannot be applied to them, [`Error::Stopped`].
    ///
    /// Cost: `C(T + N - 1, N - 1) N` Student probabilities.
    pub fn two_classes(p: &[f64], total: usize, scheme: &Scheme, dim: usize) -> Result<DataSets, Error> {
        const OP: &str = "DataSets::two_classes";
        positive(OP, "T (number of samples)", total)?;
        positive(OP, "dim (d)", dim)?;
        let n = p.len();
        let mut list: Vec<Result<DataSet, Error>> = Vec::new();
        visit(OP, n, total, |counts| list.push(data_set(counts, p, scheme, dim)))?;
        Ok(DataSets { p: p.to_vec(), list: list.into_iter().collect::<Result<_, _>>()? })
    }

    /// The data sets.
    pub fn list(&self) -> &[DataSet] {
        &self.list
    }

    /// `p(x)` by rank.
    pub fn law(&self) -> &[f64] {
        &self.p
    }

    /// The expected error over data and embeddings.
    pub fn error(&self) -> f64 {
        let wrong = |s: &DataSet| s.failure.iter().zip(&self.p).map(|(f, p)| f * p).sum::<f64>();
        self.list.iter().map(|s| s.probability * wrong(s)).sum()
    }

    /// Splits the failure of input `rank` (from 1) by an event of the data.
    ///
    /// **Errors**: a rank that does not exist.
    pub fn split(&self, rank: usize, inside: &dyn Fn(&DataSet) -> bool) -> Result<EventSplit, Error> {
        if rank == 0 || rank > self.p.len() {
            return Err(Error::no_such("DataSets::split", "rank", rank, self.p.len()));
        }
        let (mut mass, mut wrong) = ([0.0; 2], [0.0; 2]);
        for set in &self.list {
            let side = usize::from(inside(set));
            mass[side] += set.probability;
            wrong[side] += set.probability * set.failure[rank - 1];
        }
        let share = |side: usize| {
            if mass[side] > 0.0 { wrong[side] / mass[side] } else { 0.0 }
        };
        Ok(EventSplit { error: wrong[0] + wrong[1], outside: mass[0], error_inside: share(1), error_outside: share(0) })
    }
}

fn data_set(counts: &[usize], p: &[f64], scheme: &Scheme, dim: usize) -> Result<DataSet, Error> {
    let seen = counts.iter().enumerate().filter(|(_, c)| **c > 0).map(|(x, &c)| (x + 1, c)).collect();
    let data = Counts { seen, total: counts.iter().sum() };
    let weights = scheme.empirical_weights(&data, p.len(), dim)?;
    let energy: f64 = weights.iter().map(|q| q * q).sum();
    Ok(DataSet {
        counts: counts.to_vec(),
        probability: type_class(counts, p)?.ln_probability().exp(),
        failure: weights.iter().map(|&q| two_class_failure(q, energy, dim)).collect::<Result<_, _>>()?,
        weights,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::zipf::Zipf;
    use crate::generalization::expected_error::ConditionalDraws;
    use crate::store::profile::Profile;
    use workbench_ground::stats::{Streams, mean};

    #[test]
    fn failures_agree_with_conditional_draws() {
        let (p, q) = ([0.5, 0.3, 0.2], [0.6, 0.9, 0.4]);
        let draws = ConditionalDraws::new(2, 20_000, &mut Streams::new(3).stream("d").unwrap()).unwrap();
        let energy: f64 = q.iter().map(|q| q * q).sum();
        for labels in [[0, 1, 0], [0, 0, 0]] {
            let profile = Profile::from_weights(&p, &q, &labels, 2).unwrap();
            let drawn = mean(draws.expected_error(&profile, 5).unwrap().as_slice().unwrap()).unwrap();
            let exact: f64 = (0..3).map(|x| p[x] * two_class_failure(q[x], energy, 5).unwrap()).sum();
            assert!(drawn.contains(exact), "{drawn:?} {exact}");
        }
    }

    #[test]
    fn splits_add_up() {
        let p = Zipf::new(1.5, 3).unwrap().probabilities(3);
        let sets = DataSets::two_classes(&p, 5, &Scheme::power(0.5).unwrap(), 6).unwrap();
        assert!((sets.list().iter().map(|s| s.probability).sum::<f64>() - 1.0).abs() < 1e-12);
        let mut total = 0.0;
        for rank in 1..=3 {
            let split = sets.split(rank, &|s| s.counts[rank - 1] >= 2).unwrap();
            assert!((split.exact() - split.error).abs() < 1e-14 && split.error < split.printed());
            total += p[rank - 1] * split.error;
        }
        assert!((total - sets.error()).abs() < 1e-14);
    }

    #[test]
    fn refuses_bad_input() {
        assert!(matches!(two_class_failure(1.0, 0.5, 3), Err(Error::Parameter { .. })));
        assert!(matches!(two_class_failure(0.0, 0.0, 3), Err(Error::Parameter { .. })));
        assert!(matches!(two_class_failure(0.5, 1.0, 0), Err(Error::Zero { .. })));
        let sets = |t| DataSets::two_classes(&[0.5, 0.5], t, &Scheme::uniform(), 3);
        assert!(matches!(sets(0), Err(Error::Zero { .. })));
        assert!(matches!(sets(2).unwrap().split(3, &|_| true), Err(Error::NoSuch { .. })));
    }
}
