//! Section 3, theoretical approximation of gradient updates: the setting and the margins that its checks share.
//!
//! N = 100 inputs with a Zipf law of exponent 2, M = 5 classes, f_*(x) = x mod 5, as in Figures 3 and 13. Inputs are those of Eq. 1,
//! whose squared norm is about d, or on the unit sphere as in Appendix C.1; a check says which.

use ndarray::Array2;
use workbench_ground::stats::{Estimate, Stream, mean};
use workbench_ledger::{Failure, Margin};
use workbench_memory::{Embeddings, Method, Parametrization, Target, TrainingRun, TrainingTask, Zipf};

/// Inputs.
pub const INPUTS: usize = 100;
/// Classes.
pub const CLASSES: usize = 5;
/// A dimension far above the number of inputs: d / N = 100.
pub const ROOM: usize = 10_000;
/// Dimensions with d / N = 0.1, 1, 10, 100.
pub const DIMS: [usize; 4] = [10, 100, 1000, ROOM];

/// A constant that depends on M is the right one.
pub const LEVEL: Margin = Margin::statistical(
    "level",
    0.05,
    "M - 1 in the place of M moves a root by an eighth at M = 5, and its square by a quarter",
);

/// The law of the inputs.
///
/// # Errors
/// None for these numbers.
pub fn law() -> Result<Zipf, Failure> {
    Ok(Zipf::new(2.0, INPUTS)?)
}

/// The class of each input.
///
/// # Errors
/// None for these numbers.
pub fn target() -> Result<Target, Failure> {
    Ok(Target::modulo(CLASSES)?)
}

/// Embeddings that are drawn once for all dimensions.
///
/// # Errors
/// None for these sizes.
pub fn drawn(dim: usize, stream: &mut Stream) -> Result<Embeddings, Failure> {
    Ok(Embeddings::draw(INPUTS, CLASSES, dim, stream)?)
}

/// The task in `dim` dimensions, from W = 0.
///
/// # Errors
/// More dimensions than were drawn.
pub fn task(raw: &Embeddings, inputs: Parametrization, dim: usize) -> Result<TrainingTask, Failure> {
    let (labels, p) = (target()?.labels(INPUTS), law()?.probabilities(INPUTS));
    Ok(TrainingTask::new(inputs.embeddings(raw, dim)?, &labels, &p)?)
}

/// A descent after so many steps on a copy of these data.
///
/// # Errors
/// Those of the run.
pub fn descended(task: &TrainingTask, method: &Method, steps: usize, data: &Stream) -> Result<TrainingRun, Failure> {
    let mut run = TrainingRun::new(task, method)?;
    run.advance(steps, &mut data.clone())?;
    Ok(run)
}

/// Coefficients of the stored pairs `(x, f_*(x))`.
pub fn own(run: &TrainingRun) -> Vec<f64> {
    let table = run.coefficients().unwrap_or_else(|| Array2::zeros((0, 0)));
    let labels = run.task().labels().iter();
    labels.zip(table.outer_iter()).map(|(y, coefficients)| coefficients[*y]).collect()
}

/// How often each input occurs among the first `total` samples.
pub fn counts(task: &TrainingTask, total: usize, data: &Stream) -> Vec<f64> {
    let (mut seen, mut data) = (vec![0.0; task.n_inputs()], data.clone());
    for _ in 0..total {
        seen[task.sample(&mut data)] += 1.0;
    }
    seen
}

/// `|a - q| / |q|`. Zero weights have the distance one.
pub fn relative(a: &[f64], q: &[f64]) -> f64 {
    let apart: f64 = a.iter().zip(q).map(|(a, q)| (a - q).powi(2)).sum();
    (apart / q.iter().map(|q| q * q).sum::<f64>()).sqrt()
}

/// Frobenius norm.
pub fn size(a: &Array2<f64>) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Largest entry of the difference over the norm of the second.
pub fn within(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    crate::vocabulary::apart(a, b) / size(b)
}

/// Mean over runs of what a function takes from each.
///
/// # Errors
/// Fewer than two runs.
pub fn over_runs<T>(runs: &[T], of: impl Fn(&T) -> f64) -> Result<Estimate, Failure> {
    Ok(mean(&runs.iter().map(of).collect::<Vec<f64>>())?)
}
