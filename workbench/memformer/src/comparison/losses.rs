//! Losses of methods on prompts that no training has seen, or on those that it has.

use ndarray::{Array1, Array2, Array3, ArrayView1, Axis, s};
use rayon::prelude::*;

use crate::methods::first_order::FirstOrderMethod;
use crate::methods::quadratic::Quadratic;
use crate::{Batch, Error, Parameters, Prompts, RegisterKind, RegisterWeight, Statistics, TaskLaw};
use std::ops::Range;
use workbench_ground::check::{position, positive, same_shape};
use workbench_ground::stats::{Label, Runs, Stream};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work;

/// Losses below it are rounding: conjugate gradients end there, and a logarithm of zero would spoil every mean.
const FLOOR: f64 = 1e-30;
/// Prompts that a thread takes at a time.
const CHUNK: usize = 64;

/// What is measured at an iterate w of a prompt with the truth $w^\ast$.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Score {
    /// $\langle w-w^\ast,x\rangle^2$ for the prompt's query x: Eq. 2.7 before the mean is taken.
    Answer,
    /// The same with the mean over queries taken, $(w-w^\ast)^\top(\Sigma+\mu\mu^\top)(w-w^\ast)$: the same expectation with less noise.
    Query,
    /// R(w) of Eq. 2.11, the misfit on the prompt's own examples, which is what conjugate gradients make least.
    Examples,
}

/// Losses of one method: a row for each layer or step, from 0 on, a column for each prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct Losses {
    answer: Array2<f64>,
    query: Array2<f64>,
    examples: Array2<f64>,
}

impl Losses {
    /// The values of a score, `(steps + 1, B)`; nothing is below 1e-30.
    pub fn of(&self, score: Score) -> &Array2<f64> {
        match score {
            Score::Answer => &self.answer,
            Score::Query => &self.query,
            Score::Examples => &self.examples,
        }
    }

    /// The losses after the last step.
    pub(super) fn last(&self) -> [Array1<f64>; 3] {
        let row = |values: &Array2<f64>| values.row(values.nrows() - 1).to_owned();
        [row(&self.answer), row(&self.query), row(&self.examples)]
    }

    /// Adds a step.
    pub(super) fn push(&mut self, last: [Array1<f64>; 3]) {
        for (values, row) in [&mut self.answer, &mut self.query, &mut self.examples].into_iter().zip(last) {
            let (rows, columns) = values.dim();
            let mut more = Array2::zeros((rows + 1, columns));
            more.slice_mut(s![..rows, ..]).assign(values);
            more.row_mut(rows).assign(&row);
            *values = more;
        }
    }

    /// $\log_{10}$ of the losses after `step` steps, one for each prompt.
    ///
    /// **Errors**: no such step.
    pub fn decades(&self, score: Score, step: usize) -> Result<Vec<f64>, Error> {
        let values = self.of(score);
        position("Losses::decades", "step", step, values.nrows())?;
        Ok(values.row(step).iter().map(|v| v.log10()).collect())
    }

    /// Mean over prompts of $\log_{10}$ of the loss, for each step: every prompt counts the same, easy ones as well.
    pub fn mean_of_logs(&self, score: Score) -> Vec<f64> {
        let rows = self.of(score).outer_iter();
        rows.map(|row| row.iter().map(|v| v.log10()).sum::<f64>() / row.len() as f64).collect()
    }

    /// $\log_{10}$ of the mean loss over prompts, for each step: the prompts with the largest losses decide.
    pub fn log_of_means(&self, score: Score) -> Vec<f64> {
        let rows = self.of(score).outer_iter();
        rows.map(|row| (row.sum() / row.len() as f64).log10()).collect()
    }

    /// $\log_{10}$ of the losses by name: a run for each prompt, axes "score" ("answer", "query", "examples") and "step" (from 0).
    ///
    /// **Errors**: those of [`Runs::new`].
    pub fn labelled(&self) -> Result<Runs, Error> {
        by_score("step", |score| self.of(score).t().mapv(f64::log10))
    }
}

/// What `of` gives for each score, `(runs, steps + 1)`, on an axis "score" and one of steps.
pub(super) fn by_score(steps: &'static str, of: impl Fn(Score) -> Array2<f64>) -> Result<Runs, Error> {
    let tables = [Score::Answer, Score::Query, Score::Examples].map(of);
    let (runs, count) = tables[0].dim();
    let values = Array3::from_shape_fn((runs, tables.len(), count), |(r, s, k)| tables[s][[r, k]]);
    let names = ["answer", "query", "examples"].map(Label::from).to_vec();
    let counted = (0..count).map(Label::from).collect();
    Runs::new(vec![("score", names), (steps, counted)], values.into_dyn())
}

/// $\log_{10}$ of the mean loss over prompts, one row after each step.
impl Tabulated for Losses {
    fn columns(&self) -> Result<Columns, Error> {
        let steps: Vec<usize> = (0..self.query.nrows()).collect();
        Ok(Columns::new("Losses after each step, in decades")
            .x("step", steps)
            .with("answer", self.log_of_means(Score::Answer))
            .with("query", self.log_of_means(Score::Query))
            .with("examples", self.log_of_means(Score::Examples)))
    }
}

/// Prompts on which methods are compared, each with its loss (2.11) and its query.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::{ConjugateGradient, Score, TaskLaw, TestSet};
/// let law = TaskLaw::isotropic(5)?;
/// let test = TestSet::draw(&law, 20, 100, &mut Streams::new(1).stream("test")?)?;
/// let own = test.losses(&ConjugateGradient, 5)?;
/// let left = own.log_of_means(Score::Query);
/// assert!((left[0] - 5f64.log10()).abs() < 0.2); // E |w*|^2 = d
/// assert!(left[5] < -20.0); // d steps are enough
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TestSet {
    statistics: Statistics,
    quadratics: Vec<Quadratic<f64>>,
    moment: Array2<f64>,
}

impl TestSet {
    /// `size` fresh prompts of `n` examples.
    ///
    /// **Errors**: n or the size zero, a stop request.
    pub fn draw(law: &TaskLaw, n: usize, size: usize, stream: &mut Stream) -> Result<TestSet, Error> {
        TestSet::of(Prompts::draw(law, n, size, stream)?.statistics()?, law)
    }

    /// The prompts with the given statistics; `law` says how queries are spread.
    ///
    /// **Errors**: an empty batch, another dimension.
    pub fn of(statistics: Statistics, law: &TaskLaw) -> Result<TestSet, Error> {
        const OP: &str = "TestSet::of";
        positive(OP, "the number of prompts", statistics.batch())?;
        same_shape(OP, "the law's covariance", &[law.dim()], &[statistics.dim()])?;
        let mean = law.mean().view().insert_axis(Axis(1));
        Ok(TestSet {
            quadratics: Quadratic::of_batch(&statistics)?,
            moment: law.covariance() + &mean.dot(&mean.t()),
            statistics,
        })
    }

    /// Number of prompts.
    pub fn size(&self) -> usize {
        self.quadratics.len()
    }

    /// The statistics of the prompts: what a batch for training is made of.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The losses (2.11) of the prompts.
    pub fn quadratics(&self) -> &[Quadratic<f64>] {
        &self.quadratics
    }

    /// All losses of a method after 0, 1, ..., `steps` steps from the origin.
    ///
    /// **Errors**: as [`FirstOrderMethod::run_steps`], a stop request. Cost: that of the method, and 2 d^2 for each step and prompt.
    pub fn losses(&self, method: &dyn FirstOrderMethod, steps: usize) -> Result<Losses, Error> {
        const OP: &str = "TestSet::losses";
        let size = self.size();
        let chunks: Vec<Vec<[f64; 3]>> = (0..size.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                work::check(OP, chunk * CHUNK, size)?;
                self.values(method, steps, chunk * CHUNK..size.min((chunk + 1) * CHUNK))
            })
            .collect::<Result<_, Error>>()?;
        let mut losses = [0; 3].map(|_| Array2::zeros((steps + 1, size)));
        for (i, values) in chunks.iter().flatten().enumerate() {
            for (losses, value) in losses.iter_mut().zip(values) {
                losses[[i % (steps + 1), i / (steps + 1)]] = *value;
            }
        }
        let [answer, query, examples] = losses;
        Ok(Losses { answer, query, examples })
    }

    /// The scores on some prompts, in the order of [`Losses`], after each step: prompt by prompt.
    fn values(&self, method: &dyn FirstOrderMethod, steps: usize, range: Range<usize>) -> Result<Vec<[f64; 3]>, Error> {
        let mut values = vec![[0.0; 3]; range.len() * (steps + 1)];
        let from = range.start;
        match method.model() {
            Some(model) if self.packs(model, steps) => {
                Batch::misses(&self.statistics, range, model, &mut |b, l, miss| {
                    if l <= steps {
                        values[b * (steps + 1) + l] = self.scores(from + b, miss);
                    }
                })?;
            }
            _ => {
                for (b, values) in range.zip(values.chunks_exact_mut(steps + 1)) {
                    let truth = self.statistics.truth().row(b);
                    let f = &self.quadratics[b];
                    let run = method.run_steps(f, &f.origin(), steps)?;
                    for (value, w) in values.iter_mut().zip(run.iterates) {
                        *value = self.scores(b, &(w - truth).to_vec());
                    }
                }
            }
        }
        Ok(values)
    }

    /// Whether many prompts can go through a model together; a model that does not fit is told so by [`FirstOrderMethod::run_steps`].
    fn packs(&self, model: &Parameters, steps: usize) -> bool {
        let architecture = model.architecture();
        let scalar = !matches!(
            architecture.registers(),
            RegisterKind::Separate { weight: RegisterWeight::Diagonal | RegisterWeight::Full, .. }
        );
        architecture.dim() == self.statistics.dim()
            && architecture.depth() >= steps
            && (scalar || !architecture.upper_block())
    }

    /// What an iterate leaves of a prompt, from its distance to the truth.
    fn scores(&self, b: usize, miss: &[f64]) -> [f64; 3] {
        let dot = |x: ArrayView1<f64>| x.iter().zip(miss).map(|(x, m)| x * m).sum::<f64>();
        let form = |h: &Array2<f64>| h.rows().into_iter().zip(miss).map(|(row, m)| m * dot(row)).sum::<f64>();
        let answer = dot(self.statistics.query().row(b)).powi(2);
        // A method that has left the numbers is infinitely bad, not good.
        [answer, form(&self.moment), 0.5 * form(&self.quadratics[b].hessian)]
            .map(|v| if v.is_nan() { f64::INFINITY } else { v.max(FLOOR) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, Batch, ConjugateGradient, Parameters, Precision, Trajectory};
    use workbench_ground::stats::{Streams, paired_difference};

    #[test]
    fn scores_are_what_they_say() {
        let streams = Streams::new(6);
        let law = TaskLaw::rotated(&[1.0, 0.5, 0.25], &mut streams.stream("law").unwrap())
            .unwrap()
            .with_means(Array1::from_elem(3, 0.5), Array1::zeros(3))
            .unwrap();
        let test = TestSet::draw(&law, 9, 4000, &mut streams.stream("test").unwrap()).unwrap();
        let model =
            Parameters::random(Architecture::new(2, 3).unwrap(), 0.2, &mut streams.stream("a").unwrap()).unwrap();
        let losses = test.losses(&model, 2).unwrap();
        let batch = Batch::new(test.statistics(), Precision::Double).unwrap();
        for (got, want) in losses.of(Score::Answer).iter().zip(&batch.losses(&model).unwrap()) {
            assert!((got - want).abs() < 1e-11 * (1.0 + want));
        }
        // The answer's error has the query score as its mean.
        for step in 0..3 {
            let row = |score| losses.of(score).row(step).to_vec();
            let gap = paired_difference(&row(Score::Answer), &row(Score::Query)).unwrap();
            assert!(gap.contains(0.0), "{gap:?}");
            assert_eq!(losses.decades(Score::Query, step).unwrap()[7], row(Score::Query)[7].log10());
        }
        for (b, f) in test.quadratics().iter().enumerate().take(5) {
            let w = &model.run(f).unwrap().iterates[2];
            assert!((losses.of(Score::Examples)[[2, b]] - f.value(w)).abs() < 1e-12);
        }
        assert!(losses.decades(Score::Query, 3).unwrap_err().to_string().contains("position 3"));
    }

    #[test]
    fn the_mean_of_logs_is_below_the_log_of_the_mean() {
        let streams = Streams::new(7);
        let law = TaskLaw::isotropic(3).unwrap();
        let test = TestSet::draw(&law, 9, 300, &mut streams.stream("test").unwrap()).unwrap();
        let losses = test.losses(&ConjugateGradient, 3).unwrap();
        let (logs, means) = (losses.mean_of_logs(Score::Query), losses.log_of_means(Score::Query));
        assert!(logs.iter().zip(&means).all(|(a, b)| a < b));
        assert!(logs[3] < -25.0 && logs[3] >= -30.0, "{logs:?}");
        let shown = losses.columns().unwrap();
        let names: Vec<&str> = shown.list.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["step", "answer", "query", "examples"]);
        assert_eq!(shown.list[2].1, (&means).into());
        assert!(TestSet::draw(&law, 9, 0, &mut streams.stream("none").unwrap()).is_err());
        let other = TaskLaw::isotropic(2).unwrap();
        let statistics = test.statistics().clone();
        assert!(
            TestSet::of(statistics, &other)
                .unwrap_err()
                .to_string()
                .contains("= 2 does not match the shape needed = 3;")
        );
    }

    /// A reader's own method.
    #[derive(Debug)]
    struct HalfWay;

    impl FirstOrderMethod for HalfWay {
        fn name(&self) -> &'static str {
            "half way"
        }
        fn run_steps(&self, f: &Quadratic<f64>, start: &Array1<f64>, steps: usize) -> Result<Trajectory<f64>, Error> {
            let end = f.minimiser()?;
            let left = |k: usize| 0.5f64.powi(k as i32);
            Ok(Trajectory {
                iterates: (0..=steps).map(|k| &end + &((start - &end) * left(k))).collect(),
                gradients: vec![Array1::zeros(f.dim()); steps],
            })
        }
    }

    /// A model that does not say that it is one.
    #[derive(Debug)]
    struct OneByOne(Parameters);

    impl FirstOrderMethod for OneByOne {
        fn name(&self) -> &'static str {
            "one by one"
        }
        fn run_steps(&self, f: &Quadratic<f64>, start: &Array1<f64>, steps: usize) -> Result<Trajectory<f64>, Error> {
            self.0.run_steps(f, start, steps)
        }
    }

    #[test]
    fn any_first_order_method_is_measured() {
        let streams = Streams::new(9);
        let law = TaskLaw::isotropic(3).unwrap();
        let test = TestSet::draw(&law, 9, 100, &mut streams.stream("test").unwrap()).unwrap();
        let own = test.losses(&HalfWay, 2).unwrap();
        let examples = own.of(Score::Examples);
        // Half of the way leaves a quarter of a quadratic's loss, prompt by prompt.
        for (start, next) in examples.row(0).iter().zip(examples.row(1)) {
            assert!((next / start - 0.25).abs() < 1e-9, "{start} {next}");
        }
        // A model goes through many prompts together; behind a pointer, too, and one by one it is the same up to rounding.
        let model =
            Parameters::random(Architecture::new(2, 3).unwrap(), 0.2, &mut streams.stream("model").unwrap()).unwrap();
        let together = test.losses(&model, 2).unwrap();
        assert_eq!(together, test.losses(&Box::new(&model), 2).unwrap());
        let alone = test.losses(&OneByOne(model), 2).unwrap();
        for (a, b) in together.of(Score::Query).iter().zip(alone.of(Score::Query)) {
            assert!((a - b).abs() < 1e-11 * (1.0 + b), "{a} {b}");
        }
    }

    #[test]
    fn a_stop_is_heard() {
        let streams = Streams::new(8);
        let law = TaskLaw::isotropic(3).unwrap();
        let test = TestSet::draw(&law, 9, 300, &mut streams.stream("test").unwrap()).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let stopped =
            pool.install(|| workbench_ground::rehearsal::stop_after(1, || test.losses(&ConjugateGradient, 3)));
        assert!(matches!(stopped, Err(Error::Stopped(_))));
    }
}
