//! N prompts of a class that is linear in its parameters.

use super::class::LinearClass;
use super::faces;
use crate::Error;
use ndarray::Array2;
use workbench_ground::check::{positive, same_shape, within};
use workbench_ground::stats::largest_of;

/// Sums of $gg^\top$ over prompts: all that empirical risks of a [`LinearClass`] depend on.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::LinearClass;
/// let class = LinearClass::one_step(20, 8, 2)?;
/// let mut sample = class.empty();
/// class.extend(&mut sample, 4096, &mut Streams::new(1).stream("prompts")?)?;
/// let learned = sample.minimiser(0.0, 1.5)?;
/// let excess = class.risk(&learned)? - class.risk(&class.best()?)?;
/// assert!(excess >= 0.0 && excess < 0.1);
/// // The training risk of what was learned is below that of the best of the population.
/// assert!(sample.risk(&learned)? <= sample.risk(&class.best()?)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sample {
    count: usize,
    sums: Array2<f64>,
}

impl Sample {
    pub(super) fn new(parameters: usize) -> Sample {
        Sample { count: 0, sums: Array2::zeros((parameters + 1, parameters + 1)) }
    }

    pub(super) fn push(&mut self, g: &[f64]) {
        self.count += 1;
        for (mut row, a) in self.sums.rows_mut().into_iter().zip(g) {
            row.iter_mut().zip(g).for_each(|(sum, b)| *sum += a * b);
        }
    }

    /// Number of prompts N.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Number of parameters p.
    pub fn parameters(&self) -> usize {
        self.sums.nrows() - 1
    }

    /// Mean of $gg^\top$. **Errors**: no prompt yet.
    pub fn moments(&self) -> Result<Array2<f64>, Error> {
        positive("Sample::moments", "the number of prompts (N)", self.count)?;
        Ok(&self.sums / self.count as f64)
    }

    /// Empirical risk. **Errors**: no prompt yet, another number of parameters.
    pub fn risk(&self, theta: &[f64]) -> Result<f64, Error> {
        same_shape("Sample::risk", "theta", &[theta.len()], &[self.parameters()])?;
        Ok(faces::value(&self.moments()?, theta))
    }

    /// A minimiser of the empirical risk over the box $[\mathrm{low},\mathrm{high}]^p$.
    ///
    /// The empirical risk is a convex quadratic: solved directly, or by faces of the box ($p\le3$) or by coordinates. **Errors**: no prompt
    /// yet, an empty box, a stop request.
    pub fn minimiser(&self, low: f64, high: f64) -> Result<Vec<f64>, Error> {
        const OP: &str = "Sample::minimiser";
        faces::check_box(OP, low, high)?;
        faces::minimiser(OP, &self.moments()?, low, high)
    }

    /// $\sup\lvert\mathrm{empirical}-\mathrm{population\;risk}\rvert$ over $[\mathrm{low},\mathrm{high}]^p$, exact: the largest value of a
    /// quadratic form over all faces of the box.
    ///
    /// **Errors**: no prompt yet, an empty box, another class, more than 8 parameters, a stop request. Cost 3^p solves.
    pub fn supremum(&self, class: &LinearClass, low: f64, high: f64) -> Result<f64, Error> {
        const OP: &str = "Sample::supremum";
        faces::check_box(OP, low, high)?;
        same_shape(OP, "the class", &[class.parameters()], &[self.parameters()])?;
        let (p, allowed) = (self.parameters(), "at most 8, since a box has 3^p faces");
        within(OP, "the number of parameters (p)", p as f64, p <= faces::MOST, allowed)?;
        let found = faces::extremes(OP, &(self.moments()? - class.moments()), low, high)?;
        Ok(largest_of([found.largest, -found.least]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::Streams;

    #[test]
    fn suprema_bound_every_deviation_and_the_chain_holds() {
        let class = LinearClass::one_step(10, 4, 2).unwrap();
        let mut stream = Streams::new(3).stream("chain").unwrap();
        for count in [1, 3, 30, 300] {
            let mut sample = class.empty();
            class.extend(&mut sample, count, &mut stream).unwrap();
            let (low, high) = (0.0, 1.2);
            let sup = sample.supremum(&class, low, high).unwrap();
            let best = class.best().unwrap();
            let learned = sample.minimiser(low, high).unwrap();
            for theta in [&best, &learned, &vec![0.0, 1.2], &vec![0.5, 0.1]] {
                let gap = (sample.risk(theta).unwrap() - class.risk(theta).unwrap()).abs();
                assert!(gap <= sup + 1e-12, "{gap} {sup}");
            }
            let r = |theta: &[f64]| class.risk(theta).unwrap();
            assert!(r(&learned) <= r(&best) + 2.0 * sup + 1e-12);
            assert!(sample.risk(&learned).unwrap() <= sample.risk(&best).unwrap() + 1e-12);
        }
    }

    #[test]
    fn bad_requests_are_named() {
        let class = LinearClass::one_step(10, 20, 20).unwrap();
        let mut sample = class.empty();
        assert!(sample.minimiser(0.0, 1.0).unwrap_err().to_string().contains("(N)"));
        class.extend(&mut sample, 3, &mut Streams::new(1).stream("s").unwrap()).unwrap();
        assert!(sample.supremum(&class, 0.0, 1.0).unwrap_err().to_string().contains("3^p"));
        assert!(sample.minimiser(1.0, 0.0).is_err());
        let theta = sample.minimiser(0.0, 1.0).unwrap();
        assert!(theta.iter().all(|t| (0.0..=1.0).contains(t)) && sample.risk(&theta).unwrap() < 1.0);
        assert!(sample.risk(&[0.0]).is_err());
    }
}
