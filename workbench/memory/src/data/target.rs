//! Target: the deterministic map $f_\ast$.

use workbench_ground::Error;
use workbench_ground::check::{positions, positive, within};
use workbench_ground::stats::Stream;

/// A deterministic map $f_\ast$ from input ranks to classes $0,\dots,M-1$, periodic in the rank: $f_\ast(x)=\mathrm{pattern}_{x\bmod L}$.
///
/// **Source**: Section 2, Data. The paper's choice is $f_\ast(x)=x\bmod M$; the others are needed because Theorem 3 speaks
/// about the worst $p(y\mid x)$, and Theorem 1 about every one.
///
/// ```
/// use workbench_memory::Target;
/// let target = Target::modulo(5)?;
/// assert_eq!((target.class(1), target.class(5), target.class(7)), (1, 0, 2));
/// # Ok::<(), workbench_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pattern: Vec<usize>,
    n_classes: usize,
}

impl Target {
    /// $f_\ast(x)=x\bmod M$.
    pub fn modulo(n_classes: usize) -> Result<Target, Error> {
        positive("Target::modulo", "n_classes (M)", n_classes)?;
        Ok(Target { pattern: (0..n_classes).collect(), n_classes })
    }

    /// Class 0 for all inputs but one in `period`; the exceptions run through the other classes in turn.
    ///
    /// With a long period nearly all stored energy competes in one class, the bad case of Theorem 3.
    ///
    /// **Errors**: fewer than two classes or no period.
    pub fn heavy(n_classes: usize, period: usize) -> Result<Target, Error> {
        positive("Target::heavy", "period", period)?;
        let allowed = "at least two classes";
        let inside = n_classes >= 2;
        within("Target::heavy", "n_classes (M)", n_classes as f64, inside, allowed)?;
        let mut pattern = vec![0; period * (n_classes - 1)];
        for y in 1..n_classes {
            pattern[(y - 1) * period] = y;
        }
        Ok(Target { pattern, n_classes })
    }

    /// Every input in class 0, although `n_classes` outputs exist.
    pub fn single_class(n_classes: usize) -> Result<Target, Error> {
        positive("Target::single_class", "n_classes (M)", n_classes)?;
        Ok(Target { pattern: vec![0], n_classes })
    }

    /// Random labels, each class as often as the others up to one, repeated with the given period.
    pub fn balanced_random(n_classes: usize, period: usize, stream: &mut Stream) -> Result<Target, Error> {
        positive("Target::balanced_random", "n_classes (M)", n_classes)?;
        positive("Target::balanced_random", "period", period)?;
        let pattern = stream.permutation(period).into_iter().map(|i| i % n_classes).collect();
        Ok(Target { pattern, n_classes })
    }

    /// A table of labels for the ranks 1, 2, ..., repeated beyond its end.
    ///
    /// **Errors**: an empty table, or a label that is not below `n_classes`.
    pub fn table(labels: &[usize], n_classes: usize) -> Result<Target, Error> {
        positive("Target::table", "labels", labels.len())?;
        positive("Target::table", "n_classes (M)", n_classes)?;
        positions("Target::table", "class", labels, n_classes)?;
        let mut pattern = labels.to_vec();
        pattern.rotate_right(1); // rank 1 sits at residue 1
        Ok(Target { pattern, n_classes })
    }

    /// $f_\ast(x)$.
    pub fn class(&self, x: usize) -> usize {
        self.pattern[x % self.pattern.len()]
    }

    /// The labels of the ranks `1..=n`.
    pub fn labels(&self, n: usize) -> Vec<usize> {
        (1..=n).map(|x| self.class(x)).collect()
    }

    /// The number of classes M.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// The length of the repeated pattern.
    pub fn period(&self) -> usize {
        self.pattern.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::Streams;

    #[test]
    fn modulo_is_the_papers_map() {
        assert_eq!(Target::modulo(3).unwrap().labels(7), vec![1, 2, 0, 1, 2, 0, 1]);
    }

    #[test]
    fn table_starts_at_rank_one() {
        let target = Target::table(&[2, 0, 1], 3).unwrap();
        assert_eq!(target.labels(5), vec![2, 0, 1, 2, 0]);
    }

    #[test]
    fn heavy_and_balanced_have_the_stated_shares() {
        let labels = Target::heavy(4, 10).unwrap().labels(300);
        for y in 1..4 {
            assert_eq!(labels.iter().filter(|&&l| l == y).count(), 10);
        }
        let mut stream = Streams::new(5).stream("labels").unwrap();
        let labels = Target::balanced_random(5, 100, &mut stream).unwrap().labels(100);
        for y in 0..5 {
            assert_eq!(labels.iter().filter(|&&l| l == y).count(), 20);
        }
        assert!(Target::single_class(3).unwrap().labels(9).iter().all(|&y| y == 0));
    }

    #[test]
    fn refuses_bad_input() {
        assert!(matches!(Target::modulo(0), Err(Error::Zero { .. })));
        assert!(matches!(Target::heavy(1, 5), Err(Error::Parameter { .. })));
        assert!(matches!(Target::heavy(2, 0), Err(Error::Zero { .. })));
        assert!(matches!(Target::table(&[], 2), Err(Error::Zero { .. })));
        assert!(matches!(Target::table(&[0, 2], 2), Err(Error::NoSuch { index: 2, .. })));
    }
}
