//! Readouts of a descent between two steps.

use super::dense;
use super::measures::{GradientMoments, Measures};
use super::method::{BatchSize, Gradient, Reduction};
use super::rule::DescentRule;
use super::run::{Table, TrainingRun};
use super::task::TrainingTask;
use crate::store::associative_memory::margin;
use ndarray::{Array1, Array2, Axis, s};
use workbench_ground::Error;
use workbench_ground::check::position;
use workbench_ground::stats::{Estimate, Stream, log_sum_exp, mean};
use workbench_ground::work;

impl TrainingRun {
    /// Scores $u_z^\top We_x$, after layer norm if there is one, `(N, M)`.
    pub fn scores(&self) -> Array2<f64> {
        let inputs = &self.task.embeddings().inputs;
        match (&self.table, &self.coefficients) {
            (Table::Scores(scores), _) => scores.t().as_standard_layout().to_owned(),
            (Table::Classes(classes), _) => inputs.dot(&classes.t()),
            (Table::Weights(w, _), _) => dense::scores(&self.task, w, &inputs.view(), self.method.layer_norm),
            (Table::Ideal(_), Some(coefficients)) => {
                inputs.dot(&self.task.gram().dot(&coefficients.t().dot(inputs)).t())
            }
            (Table::Ideal(_), None) => Array2::zeros((self.task.n_inputs(), self.task.n_classes())),
        }
    }

    /// $c(x,z)$ of $W=W_0+\sum_{x,z}c(x,z)\,u_ze_x^\top$, `(N, M)`; `None` with Adam, its sign limit and layer norm.
    pub fn coefficients(&self) -> Option<Array2<f64>> {
        self.coefficients.clone()
    }

    /// The matrix W, `(d, d)`.
    pub fn weights(&self) -> Array2<f64> {
        let e = self.task.embeddings();
        match (&self.table, &self.coefficients) {
            (Table::Weights(w, _), _) => w.clone(),
            (_, Some(c)) => {
                let learned = e.outputs.t().dot(&c.t().dot(&e.inputs));
                self.task.start().map_or(learned.clone(), |start| learned + &start.weights)
            }
            (_, None) => Array2::zeros((e.dim(), e.dim())),
        }
    }

    /// Score of the right class minus the best other score, for each input; an input is recalled when it is positive.
    pub fn margins(&self) -> Array1<f64> {
        self.scores().outer_iter().zip(self.task.labels()).map(|(row, &y)| margin(row.iter().copied(), y)).collect()
    }

    /// The generalization error, Eq. 3; ties count as errors.
    ///
    /// **Errors**: [`Error::Diverged`] for scores that are not finite.
    pub fn error(&self) -> Result<f64, Error> {
        Ok(self.measure_scores(&self.scores())?.0)
    }

    /// The loss of Eq. 9 under the law.
    ///
    /// **Errors**: [`Error::Diverged`] for scores that are not finite.
    pub fn loss(&self) -> Result<f64, Error> {
        Ok(self.measure_scores(&self.scores())?.1)
    }

    /// Error, loss and the number of recalled inputs.
    fn measure_scores(&self, scores: &Array2<f64>) -> Result<(f64, f64, usize), Error> {
        if scores.iter().any(|s| !s.is_finite()) {
            return Err(self.diverged("TrainingRun", self.norm()));
        }
        let (mut error, mut loss, mut recalled) = (0.0, 0.0, 0);
        for ((row, &y), p) in scores.outer_iter().zip(self.task.labels()).zip(self.task.probabilities()) {
            let row = row.to_vec();
            loss += p * (log_sum_exp(&row) - row[y]);
            if margin(row.iter().copied(), y) > 0.0 {
                recalled += 1;
            } else {
                error += p;
            }
        }
        Ok((error, loss, recalled))
    }

    /// The Frobenius norm of W.
    pub fn norm(&self) -> f64 {
        match self.table {
            Table::Ideal(_) => self.norm_at(&self.scores()),
            _ => self.norm2.max(0.0).sqrt(),
        }
    }

    fn norm_at(&self, scores: &Array2<f64>) -> f64 {
        match (&self.table, &self.coefficients) {
            // |W|^2 = sum c(x,z) u_z^T W e_x.
            (Table::Ideal(_), Some(c)) => (c * scores).sum().max(0.0).sqrt(),
            _ => self.norm2.max(0.0).sqrt(),
        }
    }

    /// Finished steps.
    pub fn steps_done(&self) -> usize {
        self.step
    }

    /// What is learned.
    pub fn task(&self) -> &TrainingTask {
        &self.task
    }

    /// Moments of the gradient of one input drawn from the law, at the present weights.
    ///
    /// **Source**: Fig. 16 right, C.2. Cost: `2 N M d`, with layer norm `2 N d^2`.
    ///
    /// **Errors**: [`Error::Stopped`] before it begins.
    pub fn gradient_moments(&self) -> Result<GradientMoments, Error> {
        work::check("TrainingRun::gradient_moments", 0, 1)?;
        Ok(self.moments_at(&self.scores()))
    }

    fn moments_at(&self, scores: &Array2<f64>) -> GradientMoments {
        let (task, inputs) = (&self.task, &self.task.embeddings().inputs);
        let (labels, p) = (task.labels(), task.probabilities());
        let ones = vec![1.0; p.len()];
        let by_p = Array1::from(p.to_vec()).insert_axis(Axis(1));
        if let (Table::Weights(w, _), Some(norm)) = (&self.table, self.method.layer_norm) {
            let left = dense::left_vectors(task, w, &inputs.view(), labels, &ones, Some(norm));
            let mean = (&left * &by_p).t().dot(inputs);
            let square_of_mean = mean.iter().map(|g| g * g).sum();
            return GradientMoments::new(weighted_squares(&left, p, task.squared_norms()), square_of_mean);
        }
        let delta = dense::corrections(scores, labels, &ones);
        let mean_square = (&delta * &delta.dot(task.gram()))
            .sum_axis(Axis(1))
            .iter()
            .zip(p)
            .zip(task.squared_norms())
            .map(|((s, p), k)| s * p * k)
            .sum();
        let sums = (&delta * &by_p).t().dot(inputs);
        GradientMoments::new(mean_square, (&task.gram().dot(&sums) * &sums).sum())
    }

    /// The variance of the next update over its batch, at the present weights: a mean over so many updates, each from here.
    ///
    /// $\operatorname{Var}(\Delta W)=\mathbb E\lVert\Delta W\rVert^2-\lVert\mathbb E\,\Delta W\rVert^2$ with
    /// $\Delta W=-\gamma\sum_{x\in B}g_x$, norms those of Frobenius. The first term is the mean over the draws; the second is exact,
    /// $(\gamma b)^2\lVert\mathbb E\,g\rVert^2$ from [`TrainingRun::gradient_moments`], so that the estimate has no bias. With V the variance
    /// of the gradient of one input it must be $\gamma^2bV$, with the mean over the batch $\gamma^2V/b$. The descent stays where it is.
    ///
    /// **Source**: caption of Fig. 5, middle: step sizes for which this does not depend on b, $\gamma_b=\gamma/\sqrt b$ for Eq. 44.
    ///
    /// **Shapes**: a number, with its interval over the updates; $\Delta W$ is (d, d). Cost: so many clones and steps.
    ///
    /// **Errors**: an update whose mean is not known, that is any rule but plain descent on the exact gradient, or the population for a
    /// batch; fewer than two updates; [`Error::Diverged`], [`Error::Stopped`].
    pub fn update_variance(&self, updates: usize, stream: &mut Stream) -> Result<Estimate, Error> {
        const OP: &str = "TrainingRun::update_variance";
        let method = &self.method;
        let (DescentRule::Sgd, Gradient::Exact, BatchSize::Samples(b)) = (method.rule, method.gradient, method.batch)
        else {
            let instead = "use plain descent on the exact gradient of sampled batches";
            return Err(Error::unavailable(OP, "the mean of this update", instead));
        };
        let scale = match method.reduction {
            Reduction::Sum => b as f64,
            Reduction::Mean => 1.0,
        };
        let square_of_mean =
            (scale * method.schedule.rate(self.step)).powi(2) * self.gradient_moments()?.square_of_mean;
        let mut squares = Vec::with_capacity(updates);
        for done in 0..updates {
            work::check(OP, done, updates)?;
            let mut one = self.clone();
            one.advance(1, stream)?;
            squares.push(one.update2 - square_of_mean);
        }
        mean(&squares)
    }

    /// Everything that a study records; without the gradient's moments where the method does not ask for them.
    ///
    /// **Errors**: [`Error::Diverged`] for scores that are not finite.
    pub fn measure(&self) -> Result<Measures, Error> {
        let scores = self.scores();
        let (error, loss, recalled) = self.measure_scores(&scores)?;
        let moments = self.method.moments.then(|| self.moments_at(&scores));
        Ok(Measures {
            error,
            loss,
            recalled: recalled as f64,
            norm: self.norm_at(&scores),
            update_norm: self.update2.max(0.0).sqrt(),
            gradient_norm: moments.map_or(f64::NAN, |moments| moments.square_of_mean.sqrt()),
            gradient_variance: moments.map_or(f64::NAN, |moments| moments.variance),
        })
    }

    /// Least-squares coefficients of W on the stored pairs $u_{f_\ast(x)}e_x^\top$, and the share of $\lVert W\rVert^2$ outside their span.
    ///
    /// **Source**: Eq. 2 and 11: "an association scheme of the form (2)". Where the pairs are linearly dependent (d small) the solution
    /// of least norm.
    ///
    /// **Errors**: a decomposition that fails.
    ///
    /// Cost: `N^3`.
    pub fn on_stored_pairs(&self) -> Result<(Array1<f64>, f64), Error> {
        super::project::project(&self.task, &self.scores_without_norm(), self.norm())
    }

    fn scores_without_norm(&self) -> Array2<f64> {
        match &self.table {
            Table::Weights(w, _) => dense::scores(&self.task, w, &self.task.embeddings().inputs.view(), None),
            _ => self.scores(),
        }
    }

    /// The scores of one input.
    ///
    /// **Errors**: a row beyond N.
    pub fn scores_at(&self, x: usize) -> Result<Array1<f64>, Error> {
        position("TrainingRun::scores_at", "input", x, self.task.n_inputs())?;
        match &self.table {
            Table::Scores(_) | Table::Classes(_) => {
                let mut out = Array1::zeros(self.task.n_classes());
                self.scores_of(x, out.as_slice_mut().unwrap_or_default());
                Ok(out)
            }
            Table::Weights(w, _) => {
                let one = self.task.embeddings().inputs.slice(s![x..x + 1, ..]);
                Ok(dense::scores(&self.task, w, &one, self.method.layer_norm).row(0).to_owned())
            }
            Table::Ideal(_) => Ok(self.scores().row(x).to_owned()),
        }
    }
}

/// `sum_x p(x) |left_x|^2 |e_x|^2`.
fn weighted_squares(left: &Array2<f64>, p: &[f64], squares: &[f64]) -> f64 {
    left.outer_iter().zip(p).zip(squares).map(|((l, p), k)| l.dot(&l) * p * k).sum()
}
