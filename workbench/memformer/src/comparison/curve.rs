//! Loss against layers over several runs, and differences of two such curves, run by run.

use ndarray::{Array2, Axis};

use super::losses::{Losses, Score, TestSet, by_score};
use crate::methods::first_order::FirstOrderMethod;
use crate::{Error, Parameters};
use workbench_ground::check::{positive, same_shape};
use workbench_ground::stats::{CONFIDENCE, Estimate, Runs, mean, paired_difference_at};
use workbench_ground::tabulated::{Columns, Tabulated};

/// How the losses of the prompts of a run become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Averaging {
    /// The mean over prompts of $\log_{10}$ of the loss: easy prompts pull it down, and the prompts that conjugate gradients have solved
    /// pull it to rounding.
    MeanOfLogs,
    /// $\log_{10}$ of the mean loss over prompts: the worst prompts decide.
    LogOfMeans,
}

/// Losses after 0, 1, ..., L layers of one method, for each run.
///
/// A run has its own covariance, its own trained models and its own prompts. The unit of every interval is the run: prompts of a run share
/// a trained model, and are no independent evidence on training.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::{Averaging, ConjugateGradient, Curve, Score, SingleMemory, TaskLaw, TestSet};
/// let streams = Streams::new(1);
/// let law = TaskLaw::isotropic(4)?;
/// let tests = (0..6)
///     .map(|i| TestSet::draw(&law, 20, 200, &mut streams.replicate("test", i)?))
///     .collect::<Result<Vec<_>, _>>()?;
/// let own = Curve::of_method(&ConjugateGradient, &tests, 3)?;
/// let shared = Curve::of_method(&SingleMemory::gradient_descent(0.7, 3)?, &tests, 3)?;
/// let ahead = own.advantage(&shared, Score::Examples, Averaging::MeanOfLogs, 3)?;
/// assert!(ahead.low > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Curve {
    runs: Vec<Losses>,
}

impl Curve {
    /// The same method in every run.
    ///
    /// **Errors**: no run, and as [`TestSet::losses`].
    pub fn of_method(method: &dyn FirstOrderMethod, tests: &[TestSet], steps: usize) -> Result<Curve, Error> {
        positive("Curve::of_method", "the number of runs", tests.len())?;
        let runs = tests.iter().map(|test| test.losses(method, steps));
        Ok(Curve { runs: runs.collect::<Result<_, Error>>()? })
    }

    /// A method of its own for each run, such as a preconditioner that knows the run's covariance, or one model read off after each layer.
    ///
    /// **Errors**: another number of methods than of runs, and as [`TestSet::losses`].
    pub fn of_methods<M: FirstOrderMethod>(methods: &[M], tests: &[TestSet], steps: usize) -> Result<Curve, Error> {
        const OP: &str = "Curve::of_methods";
        positive(OP, "the number of runs", tests.len())?;
        same_shape(OP, "the methods", &[methods.len()], &[tests.len()])?;
        let runs = methods.iter().zip(tests).map(|(method, test)| test.losses(method, steps));
        Ok(Curve { runs: runs.collect::<Result<_, Error>>()? })
    }

    /// A model of its own for each run and number of layers: `models` holds run after run, in each the models of 1, 2, ..., L layers.
    ///
    /// **Errors**: a number of models that is not runs times L, a model of another depth, and as [`TestSet::losses`].
    pub fn of_models(models: &[Parameters], tests: &[TestSet]) -> Result<Curve, Error> {
        const OP: &str = "Curve::of_models";
        positive(OP, "the number of runs", tests.len())?;
        let depths = models.len() / tests.len();
        positive(OP, "the number of models for each run", depths)?;
        same_shape(OP, "the models", &[models.len()], &[depths * tests.len()])?;
        let mut runs = Vec::with_capacity(tests.len());
        for (models, test) in models.chunks_exact(depths).zip(tests) {
            let mut whole: Option<Losses> = None;
            for (i, model) in models.iter().enumerate() {
                let depth = i + 1;
                same_shape(OP, "the depth of a model", &[model.architecture().depth()], &[depth])?;
                let losses = test.losses(model, depth)?;
                let last = losses.last();
                match &mut whole {
                    None => whole = Some(losses),
                    Some(whole) => whole.push(last),
                }
            }
            runs.extend(whole);
        }
        Ok(Curve { runs })
    }

    /// The losses, run by run.
    pub fn runs(&self) -> &[Losses] {
        &self.runs
    }

    /// Layers or steps L.
    pub fn layers(&self) -> usize {
        self.runs[0].of(Score::Query).nrows() - 1
    }

    /// One number for each run and layer, `(runs, L + 1)`, in decades.
    pub fn decades(&self, score: Score, averaging: Averaging) -> Array2<f64> {
        let mut all = Array2::zeros((self.runs.len(), self.layers() + 1));
        for (mut row, losses) in all.outer_iter_mut().zip(&self.runs) {
            let values = match averaging {
                Averaging::MeanOfLogs => losses.mean_of_logs(score),
                Averaging::LogOfMeans => losses.log_of_means(score),
            };
            row.iter_mut().zip(values).for_each(|(to, from)| *to = from);
        }
        all
    }

    /// The losses in decades by name: axes "score" ("answer", "query", "examples") and "layer" (0 to L) beside the runs.
    ///
    /// **Errors**: those of [`Runs::new`].
    ///
    /// ```
    /// use workbench_ground::stats::Streams;
    /// use workbench_memformer::{Averaging, ConjugateGradient, Curve, TaskLaw, TestSet};
    /// let (streams, law) = (Streams::new(1), TaskLaw::isotropic(4)?);
    /// let tests = (0..3)
    ///     .map(|i| TestSet::draw(&law, 20, 100, &mut streams.replicate("test", i)?))
    ///     .collect::<Result<Vec<_>, _>>()?;
    /// let curve = Curve::of_method(&ConjugateGradient, &tests, 3)?;
    /// let left = curve.labelled(Averaging::MeanOfLogs)?.select("score", "query")?.select("layer", 3usize)?.mean()?;
    /// assert!(left.value < 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn labelled(&self, averaging: Averaging) -> Result<Runs, Error> {
        by_score("layer", |score| self.decades(score, averaging))
    }

    /// The mean over runs for each layer, in decades.
    pub fn line(&self, score: Score, averaging: Averaging) -> Vec<f64> {
        let all = self.decades(score, averaging);
        all.axis_iter(Axis(1)).map(|c| c.sum() / c.len() as f64).collect()
    }

    /// The lowest and the highest run for each layer, in decades.
    pub fn spread(&self, score: Score, averaging: Averaging) -> (Vec<f64>, Vec<f64>) {
        let all = self.decades(score, averaging);
        let by = |start: f64, pick: fn(f64, f64) -> f64| -> Vec<f64> {
            all.axis_iter(Axis(1)).map(|c| c.iter().copied().fold(start, pick)).collect()
        };
        (by(f64::INFINITY, f64::min), by(f64::NEG_INFINITY, f64::max))
    }

    /// By how many decades this loss is below the other after `layer` layers: the mean over runs of
    /// $\log_{10}(\mathrm{other})-\log_{10}(\mathrm{self})$, with Student's interval over runs.
    ///
    /// **Errors**: fewer than two runs, other numbers of runs, no such layer.
    pub fn advantage(
        &self,
        other: &Curve,
        score: Score,
        averaging: Averaging,
        layer: usize,
    ) -> Result<Estimate, Error> {
        self.advantage_at(other, score, averaging, layer, CONFIDENCE)
    }

    /// [`Curve::advantage`] at another confidence, for several comparisons at once.
    ///
    /// **Errors**: as there, and a confidence outside (0, 1).
    pub fn advantage_at(
        &self,
        other: &Curve,
        score: Score,
        averaging: Averaging,
        layer: usize,
        confidence: f64,
    ) -> Result<Estimate, Error> {
        let of = |curve: &Curve| -> Result<Vec<f64>, Error> {
            curve.has("Curve::advantage", layer)?;
            Ok(curve.decades(score, averaging).column(layer).to_vec())
        };
        paired_difference_at(&of(other)?, &of(self)?, confidence)
    }

    /// The share of prompts on which this loss is the smaller one: the mean over runs, with Student's interval over runs.
    ///
    /// **Errors**: as [`Curve::advantage`], other numbers of prompts.
    pub fn wins(&self, other: &Curve, score: Score, layer: usize) -> Result<Estimate, Error> {
        const OP: &str = "Curve::wins";
        self.has(OP, layer)?;
        other.has(OP, layer)?;
        same_shape(OP, "the runs", &[other.runs.len()], &[self.runs.len()])?;
        let mut shares = Vec::with_capacity(self.runs.len());
        for (a, b) in self.runs.iter().zip(&other.runs) {
            let (a, b) = (a.of(score).row(layer), b.of(score).row(layer));
            same_shape(OP, "the prompts", b.shape(), a.shape())?;
            let won = a.iter().zip(&b).filter(|(a, b)| a < b).count();
            shares.push(won as f64 / a.len() as f64);
        }
        mean(&shares)
    }

    fn has(&self, op: &'static str, layer: usize) -> Result<(), Error> {
        let len = self.layers() + 1;
        if layer < len {
            return Ok(());
        }
        Err(Error::no_such(op, "layer", layer, len))
    }
}

/// Means over prompts of the logarithms, one row after each layer, in decades.
impl Tabulated for Curve {
    fn columns(&self) -> Result<Columns, Error> {
        let decades = |score| -> Result<Vec<Estimate>, Error> {
            let decades = self.decades(score, Averaging::MeanOfLogs);
            decades.columns().into_iter().map(|runs| mean(&runs.to_vec())).collect()
        };
        Ok(Columns::new("Losses after each layer, in decades")
            .x("layer", (0..=self.layers()).collect::<Vec<usize>>())
            .with("answer", decades(Score::Answer)?)
            .with("query", decades(Score::Query)?)
            .with("examples", decades(Score::Examples)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, ConjugateGradient, SingleMemory, SteepestDescent, TaskLaw};
    use workbench_ground::stats::Streams;

    fn tests(runs: usize) -> Vec<TestSet> {
        let streams = Streams::new(4);
        let law = TaskLaw::isotropic(3).unwrap();
        (0..runs).map(|i| TestSet::draw(&law, 15, 100, &mut streams.replicate("test", i).unwrap()).unwrap()).collect()
    }

    fn descent(rate: f64, depth: usize) -> Parameters {
        let mut model = Parameters::neutral(Architecture::new(depth, 3).unwrap());
        for l in 0..depth {
            model.set_a(l, &(rate * Array2::<f64>::eye(3))).unwrap();
        }
        model
    }

    #[test]
    fn models_of_growing_depth_are_one_method() {
        let tests = tests(2);
        let models: Vec<Parameters> = (0..2).flat_map(|_| (1..=3).map(|l| descent(0.5, l))).collect();
        let memory = SingleMemory::gradient_descent(0.5, 3).unwrap();
        let one = Curve::of_method(&memory, &tests, 3).unwrap();
        let grown = Curve::of_models(&models, &tests).unwrap();
        let deep = Curve::of_methods::<&dyn FirstOrderMethod>(&[&descent(0.5, 3), &memory], &tests, 3).unwrap();
        for score in [Score::Answer, Score::Query, Score::Examples] {
            for averaging in [Averaging::MeanOfLogs, Averaging::LogOfMeans] {
                let want = one.decades(score, averaging);
                for other in [&grown, &deep] {
                    assert!((&want - &other.decades(score, averaging)).iter().all(|e| e.abs() < 1e-9));
                }
                let (low, high) = one.spread(score, averaging);
                for (l, mean) in one.line(score, averaging).into_iter().enumerate() {
                    assert!(low[l] <= mean && mean <= high[l]);
                    assert_eq!(low[l], want[[0, l]].min(want[[1, l]]));
                }
            }
        }
        assert_eq!(one.layers(), 3);
    }

    #[test]
    fn advantages_and_wins_have_their_signs() {
        let tests = tests(4);
        let own = Curve::of_method(&SteepestDescent, &tests, 2).unwrap();
        let slow = SingleMemory::gradient_descent(0.05, 2).unwrap();
        let slow = Curve::of_method(&slow, &tests, 2).unwrap();
        let (score, averaging) = (Score::Examples, Averaging::MeanOfLogs);
        let ahead = own.advantage(&slow, score, averaging, 2).unwrap();
        let behind = slow.advantage(&own, score, averaging, 2).unwrap();
        assert!(ahead.low > 0.5 && (ahead.value + behind.value).abs() < 1e-12, "{ahead:?}");
        assert_eq!(own.wins(&slow, score, 2).unwrap().value, 1.0); // a line search cannot lose in its own loss
        assert_eq!(slow.wins(&own, score, 2).unwrap().value, 0.0);
        assert!(own.wins(&slow, score, 3).unwrap_err().to_string().contains("position 3"));
        assert!(own.advantage(&slow, score, averaging, 3).is_err());
        let labelled = own.labelled(averaging).unwrap().select("score", "examples").unwrap();
        let last = labelled.select("layer", 2usize).unwrap().cell().unwrap();
        assert_eq!(last, own.decades(score, averaging).column(2).to_vec());
        let prompts = own.runs()[0].labelled().unwrap().select("score", "query").unwrap();
        let prompts = prompts.select("step", 1usize).unwrap().cell().unwrap();
        assert_eq!(prompts, own.runs()[0].decades(Score::Query, 1).unwrap());
        let wide = own.advantage_at(&slow, score, averaging, 1, 0.9999).unwrap();
        assert!(wide.half_width() > own.advantage(&slow, score, averaging, 1).unwrap().half_width());
    }

    #[test]
    fn bad_sets_of_models_are_named() {
        let tests = tests(2);
        let say = |models: &[Parameters]| Curve::of_models(models, &tests).unwrap_err().to_string();
        assert!(say(&[descent(0.5, 1)]).contains("models for each run"));
        assert!(
            say(&[descent(0.5, 1), descent(0.5, 2), descent(0.5, 1)])
                .contains("= 3 does not match the shape needed = 2;")
        );
        assert!(say(&[descent(0.5, 1), descent(0.5, 2)]).contains("= 2 does not match the shape needed = 1;"));
        assert!(Curve::of_method(&ConjugateGradient, &[], 2).is_err());
        assert!(Curve::of_methods(&[ConjugateGradient], &tests, 2).is_err());
    }
}
