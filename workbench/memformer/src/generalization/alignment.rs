//! Alignment of a model's matrices in training with multiples of $\Sigma^{-1}$.

use super::distance::{conjugated, distance_to_identity};
use crate::{Error, RunStatus, Trainer};
use ndarray::Array2;
use ndarray_linalg::Inverse;
use rayon::prelude::*;
use workbench_ground::check::positive;
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work;

/// Distances of the $A_\ell$ along a run, each in three coordinates.
///
/// **Source**: Appendix D, Figs. 18 to 20. **Shapes**: all distances `(L, T)`, for T moments of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Alignment {
    /// Steps taken at each moment.
    pub steps: Vec<usize>,
    /// $\mathrm{Dist}(\Sigma^{1/2}A_\ell\Sigma^{1/2},I)$: zero exactly where $A_\ell$ is a multiple of $\Sigma^{-1}$.
    pub inverse: Array2<f64>,
    /// $\mathrm{Dist}(A_\ell,I)$: zero where $A_\ell$ is a multiple of the identity.
    pub identity: Array2<f64>,
    /// $\mathrm{Dist}(\Sigma^{-1/2}A_\ell\Sigma^{-1/2},I)$: zero where $A_\ell$ is a multiple of $\Sigma$ itself.
    pub covariance: Array2<f64>,
    /// $a_\ell$, the mean of the diagonal of $\Sigma^{1/2}A_\ell\Sigma^{1/2}$.
    pub multiples: Array2<f64>,
}

/// One row for each moment: the three distances and the multiple of every $A_\ell$.
impl Tabulated for Alignment {
    fn columns(&self) -> Result<Columns, Error> {
        let mut columns = Columns::new("Alignment").x("step", &self.steps);
        for (name, table) in [
            ("inverse", &self.inverse),
            ("identity", &self.identity),
            ("covariance", &self.covariance),
            ("multiple", &self.multiples),
        ] {
            for (l, row) in table.outer_iter().enumerate() {
                columns = columns.with(&format!("{name}, A{l}"), &row);
            }
        }
        Ok(columns)
    }
}

impl Alignment {
    /// Runs a trainer to the end of its protocol and measures every `every` steps, from the start on.
    ///
    /// After a stop request it returns what it has. **Errors**: those of [`Trainer::run`], a matrix of zeros.
    ///
    /// ```
    /// use workbench_ground::stats::Streams;
    /// use workbench_memformer::{Alignment, Architecture, Part, Phase, TaskLaw, Trainer, TrainingProtocol};
    /// let streams = Streams::new(1);
    /// let law = TaskLaw::rotated(&[1.0, 0.25], &mut streams.stream("rotation")?)?;
    /// let protocol = TrainingProtocol::rotated()
    ///     .with_batch(4000)
    ///     .with_phases(vec![Phase::new(&[Part::Preconditioners], 600, 0.05).halving_every(100)]);
    /// let mut trainer = Trainer::new(Architecture::new(1, 2)?, law, protocol, &mut streams.stream("run")?)?;
    /// let seen = Alignment::follow(&mut trainer, 100)?;
    /// assert_eq!(seen.steps.len(), 7);
    /// assert!(seen.inverse[[0, 6]] < 0.05 && seen.identity[[0, 6]] > 0.3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn follow(trainer: &mut Trainer, every: usize) -> Result<Alignment, Error> {
        const OP: &str = "Alignment::follow";
        positive(OP, "the number of steps between two looks", every)?;
        let root = trainer.law().root()?;
        let inverse_root = root.inv().map_err(Error::linear_algebra(OP))?;
        let layers = trainer.parameters().architecture().depth();
        let (mut steps, mut columns) = (Vec::new(), Vec::new());
        loop {
            steps.push(trainer.steps_taken());
            for l in 0..layers {
                let a = trainer.parameters().a(l)?.to_owned();
                let whitened = conjugated(&a, &root)?;
                columns.push([
                    distance_to_identity(&whitened)?,
                    distance_to_identity(&a)?,
                    distance_to_identity(&conjugated(&a, &inverse_root)?)?,
                    super::distance::mean_diagonal(&whitened)?,
                ]);
            }
            let whole = trainer.steps_taken() >= trainer.protocol().steps();
            if whole || trainer.run_for(every)? == RunStatus::Stopped {
                break;
            }
        }
        let table = |k: usize| Array2::from_shape_fn((layers, steps.len()), |(l, t)| columns[t * layers + l][k]);
        Ok(Alignment { inverse: table(0), identity: table(1), covariance: table(2), multiples: table(3), steps })
    }

    /// [`Alignment::follow`] for several trainers, one thread each; every run is the same as it would be alone.
    ///
    /// **Errors**: those of the first run that has one, a stop request.
    pub fn follow_all(trainers: &mut [Trainer], every: usize) -> Result<Vec<Alignment>, Error> {
        const OP: &str = "Alignment::follow_all";
        let follow = |trainer: &mut Trainer| {
            let seen = Alignment::follow(trainer, every)?;
            work::check(OP, trainer.steps_taken(), trainer.protocol().steps())?;
            Ok(seen)
        };
        trainers.par_iter_mut().map(follow).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, Part, Phase, TaskLaw, TrainingProtocol};
    use workbench_ground::stats::Streams;

    fn trainer(steps: usize) -> Trainer {
        let streams = Streams::new(7);
        let law = TaskLaw::rotated(&[1.0, 0.25, 1.0], &mut streams.stream("u").unwrap()).unwrap();
        let protocol = TrainingProtocol::rotated()
            .with_batch(2000)
            .with_phases(vec![Phase::new(&[Part::Preconditioners], steps, 0.05).halving_every(200)]);
        Trainer::new(Architecture::new(2, 3).unwrap(), law, protocol, &mut streams.stream("run").unwrap()).unwrap()
    }

    #[test]
    fn looking_does_not_change_the_run() {
        let (mut looked, mut plain) = (trainer(250), trainer(250));
        let seen = Alignment::follow(&mut looked, 100).unwrap();
        plain.run().unwrap();
        assert_eq!(looked.parameters(), plain.parameters());
        assert_eq!(seen.steps, [0, 100, 200, 250]);
        assert!(seen.inverse[[0, 3]] < 0.5 * seen.inverse[[0, 0]]);
        let shown = seen.columns().unwrap();
        assert_eq!((shown.list.len(), shown.list[4].0.as_str()), (9, "identity, A1"));
        assert_eq!(shown.list[4].1, (&seen.identity.row(1)).into());
    }

    #[test]
    fn together_is_the_same_as_alone() {
        let (mut both, mut alone) = ([trainer(50), trainer(100)], trainer(100));
        let seen = Alignment::follow_all(&mut both, 50).unwrap();
        assert_eq!(seen[1], Alignment::follow(&mut alone, 50).unwrap());
        assert_eq!(seen[0].steps, [0, 50]);
    }

    #[test]
    fn a_stop_keeps_what_was_seen() {
        let mut run = trainer(100_000);
        let seen = workbench_ground::rehearsal::stop_after(60, || Alignment::follow(&mut run, 10)).unwrap();
        assert!(seen.steps.len() > 1 && *seen.steps.last().unwrap() < 1000);
        assert!(Alignment::follow(&mut run, 0).is_err());
    }
}
