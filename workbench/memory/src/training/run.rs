//! One descent, step by step.

use super::dense;
use super::ideal::missing;
use super::kernels::{Single, add_batch, correction, single_class_steps, single_steps, through_gram};
use super::method::{BatchSize, Gradient, Ideal, Method, Reduction, Tracked};
use super::rule::{DescentRule, Moments};
use super::scratch::{Scratch, zeros};
use super::task::TrainingTask;
use ndarray::Array2;
use ndarray::linalg::general_mat_mul;
use workbench_ground::Error;
use workbench_ground::check::{positions, positive};
use workbench_ground::stats::Stream;
use workbench_ground::work;

const OP: &str = "TrainingRun::advance";
/// Operations between two looks at the request to stop: some hundredths of a second.
const OPERATIONS: usize = if cfg!(test) { 1 << 12 } else { 1 << 24 };
/// Single steps taken in one call of the inner loop.
const RUN: usize = 512;
/// Score tables of more inputs than this would need a kernel beyond half a gibibyte.
const LARGEST_KERNEL: usize = 8192;

/// A run of single steps on one of the two linear tables.
type Steps = fn(&mut Single<'_>, &[u32], &[f64]) -> usize;

/// A descent on the cross-entropy loss of one [`TrainingTask`] by one [`Method`].
///
/// With [`DescentRule::Sgd`] and without layer norm W stays $W_0+\sum_{x,z}c(x,z)\,u_ze_x^\top$, so that a step changes the scores of all
/// pairs by a table of rank one (batch one) or at most N, and W itself is formed only when [`TrainingRun::weights`] asks for it.
///
/// **Source**: Eq. 44, in the coordinates of Lemma 4.
///
/// Cost of a step with batch one: `2 N M` operations on scores or `4 M d` on classes, whichever is less, and `M` exponentials.
#[derive(Clone, Debug)]
pub struct TrainingRun {
    pub(super) task: TrainingTask,
    pub(super) method: Method,
    pub(super) table: Table,
    /// `c(x, z)`, `(N, M)`; none where W is not of that form.
    pub(super) coefficients: Option<Array2<f64>>,
    pub(super) step: usize,
    pub(super) norm2: f64,
    pub(super) update2: f64,
    counts: Vec<u32>,
    scratch: Scratch,
}

#[derive(Clone, Debug)]
pub(super) enum Table {
    /// Scores, `(M, N)`.
    Scores(Array2<f64>),
    /// `U W`, `(M, d)`.
    Classes(Array2<f64>),
    /// W and the state of the rule.
    Weights(Array2<f64>, Moments),
    /// The coefficients alone.
    Ideal(Ideal),
}

impl TrainingRun {
    /// A descent before its first step.
    ///
    /// **Errors**: a method whose parts do not fit together, an ideal update with weights that do not start at zero,
    /// [`Error::Stopped`].
    pub fn new(task: &TrainingTask, method: &Method) -> Result<TrainingRun, Error> {
        method.check()?;
        let (n, m, d) = (task.n_inputs(), task.n_classes(), task.dim());
        let dense = !method.rule.is_linear() || method.layer_norm.is_some();
        let cheaper = if n <= 2 * d && n <= LARGEST_KERNEL { Tracked::Scores } else { Tracked::Classes };
        let table = match (method.gradient, method.tracked) {
            (Gradient::Ideal(ideal), _) => {
                if let Some(start) = task.start() {
                    let (norm, allowed) = (start.square.sqrt(), "weights that start at zero with an ideal update");
                    return Err(Error::parameter("TrainingRun::new", "norm of the first weights", norm, allowed));
                }
                Table::Ideal(ideal)
            }
            (_, tracked) => match tracked.unwrap_or(if dense { Tracked::Weights } else { cheaper }) {
                Tracked::Scores => {
                    task.kernel()?;
                    Table::Scores(task.start().map_or_else(
                        || Array2::zeros((m, n)),
                        |start| start.classes.dot(&task.embeddings().inputs.t()),
                    ))
                }
                Tracked::Classes => {
                    Table::Classes(task.start().map_or_else(|| Array2::zeros((m, d)), |start| start.classes.clone()))
                }
                Tracked::Weights => Table::Weights(
                    task.start().map_or_else(|| Array2::zeros((d, d)), |start| start.weights.clone()),
                    Moments::new((d, d)),
                ),
            },
        };
        Ok(TrainingRun {
            table,
            coefficients: (!dense).then(|| Array2::zeros((n, m))),
            step: 0,
            norm2: task.start().map_or(0.0, |start| start.square),
            update2: 0.0,
            counts: vec![0; n],
            scratch: Scratch::default(),
            task: task.clone(),
            method: method.clone(),
        })
    }

    /// One step on the batch made of these rows, repeated rows counting as often as they stand there.
    ///
    /// The batch size of the method is not used: the sum or mean is over the rows given.
    ///
    /// **Errors**: no rows, a row beyond N, [`Error::Diverged`].
    pub fn step(&mut self, inputs: &[usize]) -> Result<(), Error> {
        positive("TrainingRun::step", "rows of the batch", inputs.len())?;
        positions("TrainingRun::step", "input", inputs, self.task.n_inputs())?;
        let mut rows = Vec::new();
        for &x in inputs {
            self.count(x, &mut rows);
        }
        self.counted_step(&rows, inputs.len())
    }

    /// One step on the population gradient, whatever the batch of the method.
    ///
    /// **Errors**: [`Error::Diverged`].
    pub fn population_step(&mut self) -> Result<(), Error> {
        let rows: Vec<usize> = (0..self.task.n_inputs()).collect();
        let p = self.task.probabilities().to_vec();
        self.weighted_step(&rows, &p)
    }

    /// `steps` steps on batches drawn from the stream; the population needs no draws.
    ///
    /// Batches of size b take the stream's samples in order, b a step, so that methods with different b see the same data.
    ///
    /// **Errors**: [`Error::Diverged`], with the step and the norm; [`Error::Stopped`]. It then stands at the last finished
    /// step. Cost: `steps` times that of one.
    pub fn advance(&mut self, steps: usize, stream: &mut Stream) -> Result<(), Error> {
        let end = self.step + steps;
        let mut spent = 0;
        let mut rows = Vec::new();
        while self.step < end {
            if spent >= OPERATIONS {
                work::check(OP, self.step, end)?;
                spent = 0;
            }
            spent += match self.method.batch {
                BatchSize::Samples(1) if self.has_short_steps() => self.short_steps(end, stream)?,
                BatchSize::Samples(b) => {
                    rows.clear();
                    for i in 0..b {
                        if i % OPERATIONS == OPERATIONS - 1
                            && let Err(stopped) = work::check(OP, self.step, end)
                        {
                            // The batch is given up: its counts must not leak into a later one.
                            rows.iter().for_each(|&x: &usize| self.counts[x] = 0);
                            return Err(stopped.into());
                        }
                        let x = self.task.sample(stream);
                        self.count(x, &mut rows);
                    }
                    let cost = 16 * b + self.step_cost(rows.len());
                    self.counted_step(&rows, b)?;
                    cost
                }
                BatchSize::Population => {
                    self.population_step()?;
                    self.step_cost(self.task.n_inputs())
                }
            };
        }
        Ok(())
    }

    /// Plain steps on a linear table, taken many at a time.
    fn has_short_steps(&self) -> bool {
        let rows_are_slices = self.task.embeddings().inputs.is_standard_layout();
        self.method.rule == DescentRule::Sgd
            && match &self.table {
                Table::Scores(_) => true,
                Table::Classes(classes) => rows_are_slices && classes.is_standard_layout(),
                Table::Weights(..) | Table::Ideal(_) => false,
            }
    }

    fn short_steps(&mut self, end: usize, stream: &mut Stream) -> Result<usize, Error> {
        let cost = self.step_cost(1);
        let run = (end - self.step).min(RUN).min(OPERATIONS / cost + 1);
        let mut inputs = [0u32; RUN];
        let mut rates = [0f64; RUN];
        for i in 0..run {
            inputs[i] = self.task.sample(stream) as u32;
            rates[i] = self.method.schedule.rate(self.step + i);
        }
        let Some(coefficients) = &mut self.coefficients else {
            return Ok(0);
        };
        let (table, rows, take): (_, _, Steps) = match &mut self.table {
            Table::Scores(scores) => (scores, self.task.kernel()?, single_steps),
            Table::Classes(classes) => (classes, &self.task.embeddings().inputs, single_class_steps),
            Table::Weights(..) | Table::Ideal(_) => return Ok(0),
        };
        // All of these are in standard layout: made so and never reshaped, but for embeddings, which were asked.
        let mut state = Single {
            table: table.as_slice_mut().unwrap_or_default(),
            coefficients: coefficients.as_slice_mut().unwrap_or_default(),
            rows: rows.as_slice().unwrap_or_default(),
            squares: self.task.squared_norms(),
            gram: self.task.gram().as_slice().unwrap_or_default(),
            labels: self.task.labels(),
            leading: self.method.gradient == Gradient::Leading,
            norm2: self.norm2,
            update2: self.update2,
            limit2: self.method.norm_limit * self.method.norm_limit,
        };
        let done = take(&mut state, &inputs[..run], &rates[..run]);
        (self.norm2, self.update2) = (state.norm2, state.update2);
        self.step += done;
        self.watch_norm()?;
        Ok(done * cost)
    }

    /// Counts one sample of a batch.
    fn count(&mut self, x: usize, rows: &mut Vec<usize>) {
        if self.counts[x] == 0 {
            rows.push(x);
        }
        self.counts[x] += 1;
    }

    /// A step on the rows whose counts are not zero; sets the counts back.
    fn counted_step(&mut self, rows: &[usize], size: usize) -> Result<(), Error> {
        let scale = match self.method.reduction {
            Reduction::Sum => 1.0,
            Reduction::Mean => 1.0 / size as f64,
        };
        let mut weights = std::mem::take(&mut self.scratch.weights);
        weights.clear();
        let counts = &mut self.counts;
        weights.extend(rows.iter().map(|&x| scale * f64::from(std::mem::take(&mut counts[x]))));
        if let Table::Ideal(Ideal { expected_counts: true, .. }) = self.table {
            let rows: Vec<usize> = (0..self.task.n_inputs()).collect();
            let expected: Vec<f64> = self.task.probabilities().iter().map(|p| scale * size as f64 * p).collect();
            return self.weighted_step(&rows, &expected);
        }
        let done = self.weighted_step(rows, &weights);
        self.scratch.weights = weights;
        done
    }

    /// Operations of a step on so many inputs, roughly.
    fn step_cost(&self, rows: usize) -> usize {
        let (n, m, d) = (self.task.n_inputs(), self.task.n_classes(), self.task.dim());
        let rescaled = if matches!(self.method.rule, DescentRule::Rescaled { .. }) { 2 * n * m * d } else { 0 };
        let own = match (&self.table, self.method.layer_norm) {
            (Table::Ideal(_), _) => 40 * rows,
            (Table::Scores(_), _) => rows * m * (2 * n + 2 * m + 40),
            (Table::Classes(_), _) => rows * m * (4 * d + 40) + 2 * m * m * d,
            (Table::Weights(..), None) => 10 * d * d + 4 * (m + 2) * d * (d + rows),
            (Table::Weights(..), Some(_)) => 10 * d * d + 4 * rows * d * (d + m),
        };
        own + rescaled
    }

    /// The step on `sum_i weights[i] l(rows[i])`.
    fn weighted_step(&mut self, rows: &[usize], weights: &[f64]) -> Result<(), Error> {
        let mut rate = self.method.schedule.rate(self.step);
        if let DescentRule::Rescaled { power } = self.method.rule {
            let variance = self.gradient_moments()?.variance;
            // Without variance there is no gradient left to rescale.
            rate = if variance > 0.0 { rate * variance.powf(-power) } else { 0.0 };
        }
        let task = self.task.clone();
        if let Table::Ideal(ideal) = self.table {
            return self.ideal_step(ideal, rows, weights, rate);
        }
        if let Table::Weights(w, moments) = &mut self.table {
            let (gradient, corrections) = dense::gradient(&task, w, rows, weights, self.method.layer_norm);
            self.update2 = moments.update(self.method.rule, rate, w, &gradient)?;
            self.norm2 = w.iter().map(|w| w * w).sum();
            if let (Some(coefficients), Some(corrections)) = (&mut self.coefficients, corrections) {
                for (&x, row) in rows.iter().zip(corrections.outer_iter()) {
                    coefficients.row_mut(x).scaled_add(rate, &row);
                }
            }
            self.step += 1;
            return self.watch_norm();
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let done = self.linear_step(&task, rows, weights, rate, &mut scratch);
        self.scratch = scratch;
        done
    }

    /// The step where W keeps the form of its coefficients: a plain rate, scores or classes as the table.
    fn linear_step(
        &mut self,
        task: &TrainingTask,
        rows: &[usize],
        weights: &[f64],
        rate: f64,
        scratch: &mut Scratch,
    ) -> Result<(), Error> {
        let (n, m) = (task.n_inputs(), task.n_classes());
        let gram = task.gram().as_slice().unwrap_or_default();
        let leading = self.method.gradient == Gradient::Leading;
        let Scratch { deltas, changes, own, inputs, sums, moved, product, .. } = scratch;
        // Corrections of all rows at the scores before the step.
        zeros(deltas, rows.len() * m);
        zeros(own, m);
        let mut along = 0.0;
        for ((&x, &weight), delta) in rows.iter().zip(weights).zip(deltas.chunks_exact_mut(m)) {
            self.scores_of(x, own);
            let y = task.labels()[x];
            correction(own, y, delta);
            for (z, delta) in delta.iter_mut().enumerate() {
                *delta = if leading && z != y { 0.0 } else { rate * weight * *delta };
            }
            along += delta_dot(delta, own);
        }
        match &mut self.table {
            Table::Scores(scores) => {
                zeros(changes, deltas.len());
                for (delta, change) in deltas.chunks_exact(m).zip(changes.chunks_exact_mut(m)) {
                    through_gram(gram, delta, change);
                }
                inputs.clear();
                inputs.extend(rows.iter().map(|&x| x as u32));
                let kernel = task.kernel()?.as_slice().unwrap_or_default();
                add_batch(scores.as_slice_mut().unwrap_or_default(), inputs, changes, kernel, n, m);
                self.update2 = if let [x] = rows {
                    task.squared_norms()[*x] * delta_dot(deltas, changes)
                } else {
                    let after: f64 = rows
                        .iter()
                        .zip(deltas.chunks_exact(m))
                        .map(|(&x, delta)| (0..m).map(|z| delta[z] * scores[[z, x]]).sum::<f64>())
                        .sum();
                    (after - along).max(0.0)
                };
            }
            Table::Classes(classes) => {
                let shape = (m, task.dim());
                if sums.dim() != shape {
                    *sums = Array2::zeros(shape);
                    *moved = Array2::zeros(shape);
                    *product = Array2::zeros(shape);
                }
                sums.fill(0.0);
                for (&x, delta) in rows.iter().zip(deltas.chunks_exact(m)) {
                    let e = task.embeddings().inputs.row(x);
                    for (mut sum, delta) in sums.outer_iter_mut().zip(delta) {
                        sum.scaled_add(*delta, &e);
                    }
                }
                general_mat_mul(1.0, task.gram(), sums, 0.0, moved);
                product.assign(moved);
                *product *= &*sums;
                self.update2 = product.sum();
                *classes += &*moved;
            }
            // Handled above.
            Table::Weights(..) | Table::Ideal(_) => (),
        }
        self.norm2 += 2.0 * along + self.update2;
        if let Some(coefficients) = &mut self.coefficients {
            for (&x, delta) in rows.iter().zip(deltas.chunks_exact(m)) {
                coefficients.row_mut(x).iter_mut().zip(delta).for_each(|(c, d)| *c += d);
            }
        }
        self.step += 1;
        self.watch_norm()
    }

    fn ideal_step(&mut self, ideal: Ideal, rows: &[usize], weights: &[f64], rate: f64) -> Result<(), Error> {
        let task = self.task.clone();
        let Some(coefficients) = &mut self.coefficients else {
            return Ok(());
        };
        for (&x, &weight) in rows.iter().zip(weights) {
            let norm = if ideal.with_norms { task.squared_norms()[x] } else { 1.0 };
            let q = &mut coefficients[[x, task.labels()[x]]];
            *q += rate * weight * missing(ideal.gap * norm * *q, ideal.competitors);
            if !q.is_finite() {
                self.norm2 = f64::INFINITY;
            }
        }
        self.step += 1;
        self.watch_norm()
    }

    fn watch_norm(&self) -> Result<(), Error> {
        let norm = self.norm2.sqrt();
        if self.norm2.is_nan() || norm > self.method.norm_limit {
            return Err(self.diverged(OP, norm));
        }
        Ok(())
    }

    pub(super) fn diverged(&self, op: &'static str, norm: f64) -> Error {
        Error::Diverged {
            op,
            step: self.step,
            name: "norm of the weights",
            value: norm,
            rate: Some(self.method.schedule.rate(self.step.saturating_sub(1))),
            next: format!("the norm may be {:.1e} at most: lower the rate or let it decay", self.method.norm_limit)
                .into(),
        }
    }

    /// Scores of one input, for the linear tables.
    pub(super) fn scores_of(&self, x: usize, out: &mut [f64]) {
        match &self.table {
            Table::Scores(scores) => out.iter_mut().enumerate().for_each(|(z, s)| *s = scores[[z, x]]),
            Table::Classes(classes) => {
                let e = self.task.embeddings().inputs.row(x);
                for (s, row) in out.iter_mut().zip(classes.outer_iter()) {
                    *s = row.dot(&e);
                }
            }
            Table::Weights(..) | Table::Ideal(_) => (),
        }
    }
}

fn delta_dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
