//! Simulated errors over schemes, dimensions and data sizes, with runs as independent units.

mod members;

use super::results::Errors;
use crate::blocks::blocks;
use crate::data::samples::Samples;
use crate::data::target::Target;
use crate::data::zipf::Zipf;
use crate::store::associative_memory::margin;
use crate::store::embedding::fill_normal;
use crate::store::scheme::Scheme;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, Array4, s};
use rayon::prelude::*;
use workbench_ground::Error;
use workbench_ground::check::positive;
use workbench_ground::stats::{Label, Runs, Stream, Streams};
use workbench_ground::work::{Finished, Observer, Unwatched};

/// Coordinates handled at a time.
const BLOCK: usize = 64;
const OP: &str = "Experiment::run";

/// A grid of simulations: every scheme, dimension and data size, on common embeddings within a run.
///
/// In one run all schemes see the same embeddings and the same data; dimensions are prefixes of one set of coordinates, and the data
/// of a larger T contain those of a smaller one. Differences within a run are therefore paired. Runs are independent.
///
/// **Source**: the model of Eq. 1 to 5, as in Fig. 1, 8 and 9 ("averaged over 100 runs").
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memory::{Experiment, Samples, Scheme, Target, Zipf};
/// let errors = Experiment::new(Zipf::new(2.0, 50)?, Target::modulo(5)?)
///     .schemes(vec![Scheme::uniform(), Scheme::power(1.0)?])
///     .dims(vec![10, 1000])
///     .samples(vec![Samples::Population])
///     .runs(20)
///     .run(&Streams::new(1), "demo")?;
/// // Uniform weights: overflow at d = 10, everything stored at d = 1000.
/// let equal = |dim: usize| errors.mean(&Scheme::uniform(), dim, Samples::Population);
/// assert!(equal(10)?.value > 0.3 && equal(1000)?.value < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Experiment {
    law: Zipf,
    target: Target,
    schemes: Vec<Scheme>,
    dims: Vec<usize>,
    samples: Vec<Samples>,
    runs: usize,
}

impl Experiment {
    /// An experiment on a law and a target, with uniform weights, population data, d = 100 and 100 runs until told otherwise.
    pub fn new(law: Zipf, target: Target) -> Experiment {
        Experiment {
            law,
            target,
            schemes: vec![Scheme::uniform()],
            dims: vec![100],
            samples: vec![Samples::Population],
            runs: 100,
        }
    }

    /// The weighting schemes to compare.
    pub fn schemes(self, schemes: Vec<Scheme>) -> Experiment {
        Experiment { schemes, ..self }
    }

    /// The dimensions, ascending.
    pub fn dims(self, dims: Vec<usize>) -> Experiment {
        Experiment { dims, ..self }
    }

    /// The data sizes, in any order.
    pub fn samples(self, samples: Vec<Samples>) -> Experiment {
        Experiment { samples, ..self }
    }

    /// The number of independent runs.
    pub fn runs(self, runs: usize) -> Experiment {
        Experiment { runs, ..self }
    }

    /// Runs the grid. The result does not depend on the number of threads.
    ///
    /// **Errors**: an empty list, zero sizes, dimensions that do not ascend, infinitely many inputs, schemes that do not fit
    /// the law, a stream name already used, [`Error::Stopped`] within a run (its steps are finished runs).
    ///
    /// Cost per run: `N d_max` Gaussians and, for each distinct stored set, `4 N M d` operations.
    pub fn run(&self, streams: &Streams, name: &str) -> Result<Errors, Error> {
        self.run_watched(streams, name, &mut Unwatched)
    }

    /// [`Experiment::run`], telling `observer` after each finished run, from the thread that finished it.
    ///
    /// **Errors**: as [`Experiment::run`].
    ///
    /// ```
    /// use workbench_ground::{stats::Streams, work::Seen};
    /// use workbench_memory::{Experiment, Target, Zipf};
    /// let mut seen = Seen::default();
    /// let experiment = Experiment::new(Zipf::new(2.0, 50)?, Target::modulo(5)?).runs(20);
    /// experiment.run_watched(&Streams::new(1), "watched", &mut seen)?;
    /// assert_eq!(seen.0.last().map(|step| (step.done, step.of)), Some((20, 20)));
    /// # Ok::<(), workbench_memory::Error>(())
    /// ```
    pub fn run_watched(
        &self,
        streams: &Streams,
        name: &str,
        observer: &mut (dyn Observer + Send),
    ) -> Result<Errors, Error> {
        let n = self.check()?;
        let population = self.population_weights()?;
        let jobs = (0..self.runs)
            .map(|i| {
                Ok((
                    streams.replicate(&format!("{name}: embeddings"), i)?,
                    streams.replicate(&format!("{name}: data"), i)?,
                ))
            })
            .collect::<Result<Vec<_>, Error>>()?;
        let finished = Finished::new(OP, self.runs, observer);
        let results = jobs
            .into_par_iter()
            .map(|(mut embeddings, mut data)| {
                let errors = self.one_run(n, &population, &mut embeddings, &mut data, &finished)?;
                finished.one();
                Ok(errors)
            })
            .collect::<Result<Vec<_>, Error>>()?;
        let shape = (self.schemes.len(), self.samples.len(), self.runs, self.dims.len());
        let mut values = Array4::zeros(shape);
        for (run, result) in results.iter().enumerate() {
            for (k, &value) in result.iter().enumerate() {
                let (cell, dim) = (k / self.dims.len(), k % self.dims.len());
                values[[cell / self.samples.len(), cell % self.samples.len(), run, dim]] = value;
            }
        }
        self.labelled(values)
    }

    /// The errors of this experiment that were computed elsewhere, `(scheme, data size, run, dimension)`: read as those of
    /// [`Experiment::run`] are.
    ///
    /// **Errors**: as [`Experiment::run`] for what the experiment is; values of another shape.
    pub fn found(&self, values: Array4<f64>) -> Result<Errors, Error> {
        self.check()?;
        let shape = (self.schemes.len(), self.samples.len(), self.runs, self.dims.len());
        if values.dim() != shape {
            return Err(Error::refused(
                "Experiment::found",
                format!("the values have the shape {:?}, the experiment {shape:?}", values.dim()),
                "give an error for each scheme, data size, run and dimension",
            ));
        }
        self.labelled(values)
    }

    fn labelled(&self, values: Array4<f64>) -> Result<Errors, Error> {
        let axes = vec![
            ("scheme", self.schemes.iter().map(Label::from).collect()),
            ("T", self.samples.iter().copied().map(Label::from).collect()),
            ("d", self.dims.iter().copied().map(Label::from).collect()),
        ];
        Ok(Errors {
            runs: Runs::new(axes, values.permuted_axes([2, 0, 1, 3]).into_dyn())?,
            schemes: self.schemes.clone(),
            dims: self.dims.clone(),
            samples: self.samples.clone(),
        })
    }

    fn check(&self) -> Result<usize, Error> {
        let n = self.law.enumerable(OP)?;
        positive(OP, "number of schemes", self.schemes.len())?;
        positive(OP, "number of dimensions", self.dims.len())?;
        positive(OP, "number of data sizes", self.samples.len())?;
        positive(OP, "runs", self.runs)?;
        for (i, &d) in self.dims.iter().enumerate() {
            positive(OP, "dim (d)", d)?;
            if i > 0 && self.dims[i - 1] >= d {
                return Err(Error::parameter(OP, "dims", d as f64, "dimensions in ascending order"));
            }
        }
        for samples in &self.samples {
            if let Samples::Draws(t) = samples {
                positive(OP, "T (number of samples)", *t)?;
            }
        }
        Ok(n)
    }

    /// Errors in the order scheme, sample, dimension.
    fn one_run(
        &self,
        n: usize,
        population: &[Vec<Vec<f64>>],
        embeddings: &mut Stream,
        data: &mut Stream,
        finished: &Finished,
    ) -> Result<Vec<f64>, Error> {
        let m = self.target.n_classes();
        let (labels, p) = (self.target.labels(n), self.law.probabilities(n));
        let members = self.members(n, population, data, finished)?;
        let mut sums = Array2::<f64>::zeros((members.len() * m, BLOCK));
        let mut interference = Array2::<f64>::zeros((members.len() * m, n));
        let mut outputs = Array2::<f64>::zeros((m, m));
        let mut errors = vec![f64::NAN; self.schemes.len() * self.samples.len() * self.dims.len()];
        let mut block = Array2::<f64>::zeros((n, BLOCK));
        let mut output_block = Array2::<f64>::zeros((m, BLOCK));
        let mut done = 0;
        for (i, &dim) in self.dims.iter().enumerate() {
            while done < dim {
                let width = BLOCK.min(dim - done);
                for c in 0..width {
                    finished.go_on()?;
                    fill_normal(output_block.column_mut(c).iter_mut(), embeddings);
                    fill_normal(block.column_mut(c).iter_mut(), embeddings);
                }
                let u = output_block.slice(s![.., ..width]);
                outputs += &u.dot(&u.t());
                // Members are sorted by their last dimension, largest first: those still growing come first.
                let growing = members.partition_point(|member| member.last() >= i);
                let mut sums = sums.slice_mut(s![..growing * m, ..width]);
                sums.fill(0.0);
                for (k, member) in members[..growing].iter().enumerate() {
                    finished.go_on()?;
                    for &(x, q) in &member.stored {
                        sums.row_mut(k * m + labels[x]).scaled_add(q, &block.slice(s![x, ..width]));
                    }
                }
                for inputs in blocks(n, 2 * width * growing * m) {
                    finished.go_on()?;
                    let mut target = interference.slice_mut(s![..growing * m, inputs.clone()]);
                    general_mat_mul(1.0, &sums, &block.slice(s![inputs, ..width]).t(), 1.0, &mut target);
                }
                done += width;
            }
            let norms: Array1<f64> = outputs.diag().mapv(f64::sqrt);
            let gram = Array2::from_shape_fn((m, m), |(a, b)| outputs[[a, b]] / (norms[a] * norms[b]));
            for (k, member) in members.iter().enumerate().filter(|(_, member)| member.dims.contains(&i)) {
                let mut error = 0.0;
                for inputs in blocks(n, 2 * m * m) {
                    finished.go_on()?;
                    let scores = gram.dot(&interference.slice(s![k * m..(k + 1) * m, inputs.clone()]));
                    for (scores, x) in scores.columns().into_iter().zip(inputs) {
                        if margin(scores.iter().copied(), labels[x]) <= 0.0 {
                            error += p[x];
                        }
                    }
                }
                for &cell in &member.cells {
                    errors[cell * self.dims.len() + i] = error;
                }
            }
        }
        Ok(errors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error_curve::ErrorCurve;
    use crate::store::associative_memory::AssociativeMemory;
    use crate::store::embedding::Embeddings;
    use crate::store::scheme::Threshold;
    use ndarray::Ix4;
    use workbench_ground::tabulated::Tabulated;

    fn small() -> Experiment {
        Experiment::new(Zipf::new(1.0, 30).unwrap(), Target::modulo(4).unwrap())
            .schemes(vec![
                Scheme::uniform(),
                Scheme::power(1.0).unwrap(),
                Scheme::uniform().threshold(Threshold::PerDimension(0.25)).unwrap(),
            ])
            .dims(vec![3, 70, 130])
            .samples(vec![Samples::Draws(50), Samples::Population, Samples::Draws(10)])
            .runs(4)
    }

    #[test]
    fn weights_that_were_not_run_are_refused_under_any_name() {
        let explicit = |first: f64| {
            let weights: Vec<f64> = (0..30).map(|x| if x == 0 { first } else { 1.0 }).collect();
            Scheme::explicit(&weights).unwrap()
        };
        let errors = small().schemes(vec![explicit(1.0)]).run(&Streams::new(9), "own").unwrap();
        assert!(errors.mean(&explicit(1.0), 70, Samples::Population).is_ok());
        let error = errors.mean(&explicit(2.0), 70, Samples::Population).unwrap_err();
        assert!(error.to_string().contains("explicit (30)"), "{error}");
        assert!(errors.difference(&explicit(1.0), &explicit(2.0), 70, Samples::Population).is_err());
    }

    #[test]
    fn agrees_with_one_memory_at_a_time() {
        let experiment = small();
        let errors = experiment.run(&Streams::new(9), "grid").unwrap();
        let streams = Streams::new(9);
        let (labels, p) = (experiment.target.labels(30), experiment.law.probabilities(30));
        for run in 0..4 {
            let e = Embeddings::draw(30, 4, 130, &mut streams.replicate("grid: embeddings", run).unwrap()).unwrap();
            let mut data = streams.replicate("grid: data", run).unwrap();
            let ten = experiment.law.sample_counts(10, &mut data).unwrap();
            let fifty = ten.merge(&experiment.law.sample_counts(40, &mut data).unwrap());
            for (si, scheme) in experiment.schemes.iter().enumerate() {
                for (di, &d) in experiment.dims.iter().enumerate() {
                    for (ti, counts) in [Some(&fifty), None, Some(&ten)].into_iter().enumerate() {
                        let q = match counts {
                            Some(counts) => scheme.empirical_weights(counts, 30, d).unwrap(),
                            None => scheme.population_weights(&experiment.law, d).unwrap(),
                        };
                        let e = e.truncated(d).unwrap();
                        let memory = AssociativeMemory::store(&e, &q, &labels).unwrap();
                        let one = memory.generalization_error(&e, &labels, &p).unwrap();
                        let grid = errors.runs().values()[[run, si, ti, di]];
                        assert!((one - grid).abs() < 1e-12, "scheme {si} d {d} sample {ti}: {one} {grid}");
                    }
                }
            }
        }
    }

    #[test]
    fn does_not_depend_on_threads_or_on_other_dimensions() {
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let three = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let a = one.install(|| small().run(&Streams::new(9), "grid").unwrap());
        let b = three.install(|| small().run(&Streams::new(9), "grid").unwrap());
        assert_eq!(a, b);
        let c = small().dims(vec![70]).run(&Streams::new(9), "grid").unwrap();
        let of = |errors: &Errors| errors.runs().select("d", 70usize).unwrap();
        assert_eq!(of(&a), of(&c));
    }

    #[test]
    fn differences_are_paired_and_zeros_counted() {
        let errors = small().dims(vec![3, 3000]).run(&Streams::new(9), "grid").unwrap();
        let values = errors.runs().values();
        let by_hand: f64 = (0..4).map(|r| values[[r, 1, 1, 0]] - values[[r, 0, 1, 0]]).sum::<f64>() / 4.0;
        let (equal, weighted, all) = (Scheme::uniform(), Scheme::power(1.0).unwrap(), Samples::Population);
        let gap = errors.difference(&weighted, &equal, 3, all).unwrap();
        assert!((gap.value - by_hand).abs() < 1e-15);
        assert_eq!(errors.zero_share(&equal, 3000, all).unwrap().value, 1.0);
        assert_eq!(errors.zero_share(&equal, 3, all).unwrap().value, 0.0);
    }

    #[test]
    fn errors_found_elsewhere_are_those_that_were_run() {
        let errors = small().run(&Streams::new(9), "grid").unwrap();
        let values = errors.runs().values().view().into_dimensionality::<Ix4>().unwrap();
        let values = values.permuted_axes([1, 2, 0, 3]).to_owned();
        assert_eq!(small().found(values.clone()).unwrap(), errors);
        let other = small().runs(5).found(values).unwrap_err();
        assert!(other.to_string().contains("(3, 3, 5, 3)"), "{other}");
    }

    #[test]
    fn a_table_has_one_row_per_cell() {
        let columns = small().run(&Streams::new(9), "grid").unwrap().columns().unwrap();
        assert!(columns.list.iter().all(|(_, values)| values.len() == 27));
        assert_eq!(columns.list.len(), 6);
    }

    #[test]
    fn refuses_bad_input() {
        let streams = Streams::new(9);
        assert!(matches!(small().dims(vec![]).run(&streams, "a"), Err(Error::Zero { .. })));
        assert!(matches!(small().dims(vec![0]).run(&streams, "b"), Err(Error::Zero { .. })));
        assert!(matches!(small().dims(vec![4, 4]).run(&streams, "c"), Err(Error::Parameter { .. })));
        assert!(matches!(small().runs(0).run(&streams, "d"), Err(Error::Zero { .. })));
        assert!(matches!(small().samples(vec![Samples::Draws(0)]).run(&streams, "e"), Err(Error::Zero { .. })));
        assert!(matches!(small().schemes(vec![]).run(&streams, "f"), Err(Error::Zero { .. })));
        let infinite = Experiment::new(Zipf::infinite(2.0).unwrap(), Target::modulo(4).unwrap());
        assert!(
            matches!(infinite.run(&streams, "g"), Err(Error::Refused { problem, .. }) if problem == "needs finitely many inputs")
        );
        let errors = small().run(&streams, "twice").unwrap();
        assert!(matches!(small().run(&streams, "twice"), Err(Error::Refused { op: "stream", .. })));
        let said = |refused: Result<ErrorCurve, Error>| refused.unwrap_err().to_string();
        let unknown = said(errors.over_dims(&Scheme::power(0.5).unwrap(), Samples::Population));
        assert!(unknown.contains("no scheme \"p^0.5\"; there are \"p^1\", \"1\""), "{unknown}");
        let unknown = said(errors.over_samples(&Scheme::uniform(), 71));
        assert!(unknown.contains("no d 71; there are 70, 130, 3"), "{unknown}");
    }

    #[test]
    fn curves_and_maps_read_the_cells_that_their_labels_name() {
        let errors = small().run(&Streams::new(9), "grid").unwrap();
        let (weighted, ten) = (Scheme::power(1.0).unwrap(), Samples::Draws(10));
        let mean = errors.mean(&weighted, 70, ten).unwrap();
        assert_eq!(errors.over_dims(&weighted, ten).unwrap().at(1).unwrap(), mean);
        assert_eq!(errors.over_samples(&weighted, 70).unwrap().at(2).unwrap(), mean);
        assert!((errors.map(&weighted).unwrap()[[1, 2]] - mean.value).abs() < 1e-15);
    }
}
