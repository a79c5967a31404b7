//! Many descents at once: methods and dimensions on common embeddings and data, with runs as independent units.

use super::method::Method;
use super::parametrization::Parametrization;
use super::run::TrainingRun;
use super::runs::{Descent, Kept, TrainingRuns};
use crate::data::target::Target;
use crate::data::zipf::Zipf;
use crate::store::embedding::Embeddings;
use rayon::prelude::*;
use workbench_ground::Error;
use workbench_ground::check::positive;
use workbench_ground::stats::{Stream, Streams};
use workbench_ground::work::{Finished, Observer, Unwatched};

const OP: &str = "TrainingStudy::run";

/// A grid of descents: every method in every dimension, on common embeddings and common data within a run.
///
/// In one run all methods see the same embeddings, the same first weights and the same sequence of samples (batches of size b take b
/// of them a step); dimensions are prefixes of one set of coordinates. Differences within a run are therefore paired. Runs are
/// independent.
///
/// **Source**: Section 3 and C, "averaged over 100 runs".
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memory::{Method, Target, TrainingStudy, Zipf};
/// let descent = |rate: f64, label: &str| Ok::<_, workbench_memory::Error>(Method::sgd(rate)?.steps(500).label(label));
/// let runs = TrainingStudy::new(Zipf::new(2.0, 20)?, Target::modulo(5)?)
///     .methods(vec![descent(1.0, "fast")?, descent(0.001, "slow")?])
///     .dims(vec![50])
///     .runs(20)
///     .run(&Streams::new(1), "rates")?;
/// // The large rate stores more.
/// assert!(runs.difference("fast", "slow", 50)?.high < 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TrainingStudy {
    pub(super) law: Zipf,
    pub(super) target: Target,
    pub(super) methods: Vec<Method>,
    pub(super) dims: Vec<usize>,
    pub(super) parametrization: Parametrization,
    pub(super) runs: usize,
    keep_tables: bool,
}

impl TrainingStudy {
    /// A study of a law and a target, of no methods yet, with the model of Eq. 1, d = 100 and 100 runs until told otherwise.
    pub fn new(law: Zipf, target: Target) -> TrainingStudy {
        TrainingStudy {
            law,
            target,
            methods: Vec::new(),
            dims: vec![100],
            parametrization: Parametrization::Model,
            runs: 100,
            keep_tables: false,
        }
    }

    /// The methods to compare.
    pub fn methods(self, methods: Vec<Method>) -> TrainingStudy {
        TrainingStudy { methods, ..self }
    }

    /// The dimensions, ascending.
    pub fn dims(self, dims: Vec<usize>) -> TrainingStudy {
        TrainingStudy { dims, ..self }
    }

    /// The scale of embeddings, first weights and rates.
    pub fn parametrization(self, parametrization: Parametrization) -> TrainingStudy {
        TrainingStudy { parametrization, ..self }
    }

    /// The number of independent runs.
    pub fn runs(self, runs: usize) -> TrainingStudy {
        TrainingStudy { runs, ..self }
    }

    /// Also keeps the score table at every recorded step, and the coefficients where the method has some: `16 N M` bytes each.
    pub fn keep_tables(self) -> TrainingStudy {
        TrainingStudy { keep_tables: true, ..self }
    }

    /// Runs the grid. The result does not depend on the number of threads.
    ///
    /// **Errors**: empty lists, dimensions that do not ascend, infinitely many inputs, methods whose parts do not fit, a stream name
    /// already used, [`Error::Diverged`] of any run, [`Error::Stopped`].
    ///
    /// Cost per run: `N d_max` Gaussians, one kernel `N^2 d` for each dimension where scores are carried, and the steps.
    pub fn run(&self, streams: &Streams, name: &str) -> Result<TrainingRuns, Error> {
        self.run_watched(streams, name, &mut Unwatched)
    }

    /// [`TrainingStudy::run`], telling `observer` after each finished descent.
    ///
    /// **Errors**: as [`TrainingStudy::run`].
    pub fn run_watched(
        &self,
        streams: &Streams,
        name: &str,
        observer: &mut (dyn Observer + Send),
    ) -> Result<TrainingRuns, Error> {
        let n = self.check()?;
        let (labels, p) = (self.target.labels(n), self.law.probabilities(n));
        let jobs = (0..self.runs)
            .map(|i| {
                let stream = |what: &str| streams.replicate(&format!("{name}: {what}"), i);
                Ok([stream("embeddings")?, stream("data")?, stream("weights")?])
            })
            .collect::<Result<Vec<_>, Error>>()?;
        let finished = Finished::new(OP, self.runs * self.methods.len() * self.dims.len(), observer);
        let results = jobs
            .into_par_iter()
            .map(|streams| self.one_run(&labels, &p, streams, &finished))
            .collect::<Result<Vec<_>, Error>>()?;
        TrainingRuns::new(self.methods.clone(), self.dims.clone(), results)
    }

    pub(super) fn check(&self) -> Result<usize, Error> {
        let n = self.law.enumerable(OP)?;
        positive(OP, "number of methods", self.methods.len())?;
        positive(OP, "number of dimensions", self.dims.len())?;
        positive(OP, "runs", self.runs)?;
        for (i, &d) in self.dims.iter().enumerate() {
            positive(OP, "dim (d)", d)?;
            if i > 0 && self.dims[i - 1] >= d {
                return Err(Error::parameter(OP, "dims", d as f64, "dimensions in ascending order"));
            }
        }
        self.methods.iter().try_for_each(Method::check)?;
        Ok(n)
    }

    /// One entry for each method and dimension, dimensions innermost.
    fn one_run(
        &self,
        labels: &[usize],
        p: &[f64],
        [mut embeddings, data, weights]: [Stream; 3],
        finished: &Finished,
    ) -> Result<Vec<Descent>, Error> {
        let largest = self.dims.iter().copied().max().unwrap_or(1);
        let raw = Embeddings::draw(labels.len(), self.target.n_classes(), largest, &mut embeddings)?;
        let mut results: Vec<Vec<Descent>> = vec![Vec::new(); self.methods.len()];
        for &d in &self.dims {
            let task = self.parametrization.task(&raw, d, labels, p, &mut weights.clone())?;
            for (method, results) in self.methods.iter().zip(&mut results) {
                let mut run = TrainingRun::new(&task, &self.scaled(method, d)?)?;
                results.push(self.descend(&mut run, method, &mut data.clone())?);
                finished.one();
            }
        }
        Ok(results.into_iter().flatten().collect())
    }

    /// The method with its rates as the parametrisation scales them in `dim` dimensions.
    pub(super) fn scaled(&self, method: &Method, dim: usize) -> Result<Method, Error> {
        let factor = self.parametrization.rate_factor(&method.rule, dim);
        Ok(method.clone().schedule(method.schedule.times(factor)?))
    }

    fn descend(&self, run: &mut TrainingRun, method: &Method, data: &mut Stream) -> Result<Descent, Error> {
        let mut descent = Descent::default();
        for step in method.recorded() {
            run.advance(step - run.steps_done(), data)?;
            descent.measures.push(run.measure()?);
            if self.keep_tables {
                descent.tables.push(Kept { scores: run.scores(), coefficients: run.coefficients() });
            }
        }
        run.advance(method.steps - run.steps_done(), data)?;
        Ok(descent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::method::{BatchSize, LayerNorm};

    #[test]
    fn large_rates_store_and_layer_norm_learns() {
        let law = Zipf::new(2.0, 30).unwrap();
        let methods = vec![
            Method::sgd(10.0).unwrap().steps(3000),
            Method::sgd(1.0)
                .unwrap()
                .label("with layer norm")
                .layer_norm(LayerNorm::standard())
                .steps(300)
                .batch(BatchSize::Samples(10)),
            Method::sign(1.0).unwrap().batch(BatchSize::Samples(100)).steps(50),
        ];
        let runs = TrainingStudy::new(law, Target::modulo(5).unwrap())
            .methods(methods)
            .dims(vec![60])
            .parametrization(Parametrization::MaximalUpdate)
            .runs(4)
            .run(&Streams::new(1), "learn")
            .unwrap();
        for method in ["Sgd", "with layer norm", "Sign"] {
            let error = runs.mean(method, 60).unwrap();
            assert!(error.value < 0.1, "{method}: {error:?}");
        }
    }
}
