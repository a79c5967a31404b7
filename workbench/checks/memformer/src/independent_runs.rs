//! Models of Section 4: the models, a training in short, scores of a model over independent runs, and the mark by which
//! entries of two forward passes are compared.

use ndarray::{Array1, Array2};
use workbench_display::{Table, Values, columns};
use workbench_ground::stats::{Streams, mean};
use workbench_ledger::{Failure, Margin, Says, Setting};
use workbench_memformer::{
    Architecture, Batch, Fraction, Parameters, Part, Phase, Quadratic, RegisterKind, RegisterWeight, Statistics,
    TrainingProtocol, conjugate_gradient,
};

use super::task_law::DIM;
use crate::vocabulary::largest_of;

/// Layers of a model.
pub const DEPTH: usize = 4;

/// How far behind a model trained on the test law still counts as having come there.
pub const BEHIND: Margin = Margin::ours(
    "behind",
    0.1,
    "decades: a quarter more loss, twice what two trainings of one model on one law differ by",
);
/// What ten runs tell from no difference.
pub const VISIBLE: Margin = Margin::statistical(
    "trainings apart",
    0.05,
    "decades: more than twice what two trainings of one model on one law differ by, 0.02; an eighth of the loss",
);
/// What Adam may leave of the best gates' loss.
pub const LEARNED: Margin =
    Margin::statistical("learned", 1e-3, "what Adam leaves after some hundred steps: a thousandth of the loss");

/// How long the models of Section 4 are trained, said in the plans of its checks.
pub const TRAINING: &str = "models train for 4000 steps (800 at quick scale), A at rate 0.02 and then Γ at 0.01, both halved: not in the document; those of \
     Section 3.3 have 30,000 here (4000 at quick scale)";

/// The same of the heads of a mixture.
pub const EXPERTS: &str = "heads of the mixture train for 8000 steps (2400 at quick scale), A at rate 0.02 and then Γ at 0.01, both halved: not in the document; \
     models of Section 3.3 have 30,000 here (4000 at quick scale)";

/// Independent runs: another rotation, other prompts, another start each.
pub fn runs(setting: &Setting) -> usize {
    setting.scale().pick(10, 12)
}

/// Steps of a training.
pub fn steps(setting: &Setting) -> usize {
    setting.scale().pick(800, 4000)
}

/// Prompts to test on.
pub fn tested(setting: &Setting) -> usize {
    setting.scale().pick(2000, 6000)
}

/// Prompts to tune on, none of which is tested on.
pub fn tuned(setting: &Setting) -> usize {
    setting.scale().pick(1000, 2000)
}

/// The streams of one run.
pub fn of_run(setting: &Setting, name: &str, run: usize) -> Result<Streams, Failure> {
    Ok(Streams::new(setting.streams().replicate(name, run)?.below(1 << 40)))
}

/// One scalar Gamma_j for each layer j, the same in all later layers, as in Section 3.3.
pub fn tied() -> RegisterKind {
    RegisterKind::Separate { weight: RegisterWeight::Scalar, tied: true }
}

/// Four layers in five dimensions.
pub fn shape(registers: RegisterKind) -> Result<Architecture, Failure> {
    Ok(Architecture::new(DEPTH, DIM)?.with_registers(registers))
}

/// Preconditioners first, then Gamma; a transformer without registers spends all steps on preconditioners.
pub fn school(steps: usize, registers: bool) -> TrainingProtocol {
    let (first, second) = if registers { (steps * 3 / 4, steps / 4) } else { (steps, 0) };
    let mut phases = vec![Phase::new(&[Part::Preconditioners], first, 0.02).halving_every(first / 6)];
    if registers {
        phases.push(Phase::new(&[Part::Registers], second, 0.01).halving_every(second / 4));
    }
    TrainingProtocol::document().with_phases(phases)
}

/// log10 of the mean.
pub fn log_mean(errors: &[f64]) -> f64 {
    (errors.iter().sum::<f64>() / errors.len() as f64).log10()
}

/// The mean.
pub fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// log10 of the mean squared error after each layer.
pub fn by_layer(model: &Parameters, test: &Batch) -> Result<Vec<f64>, Failure> {
    let losses = test.losses(model)?;
    Ok(losses.rows().into_iter().map(|row| log_mean(&row.to_vec())).collect())
}

/// Squared errors after the last layer, a number for each prompt.
pub fn errors(model: &Parameters, test: &Batch) -> Result<Vec<f64>, Failure> {
    let losses = test.losses(model)?;
    Ok(losses.row(losses.nrows() - 1).to_vec())
}

/// log10 of the mean squared error after the last layer.
pub fn score(model: &Parameters, test: &Batch) -> Result<f64, Failure> {
    Ok(log_mean(&errors(model, test)?))
}

/// Squared errors of conjugate gradients with each prompt's own numbers: after each layer, for each prompt.
pub fn conjugate(test: &Statistics) -> Result<Vec<Vec<f64>>, Failure> {
    let mut after = vec![Vec::new(); DEPTH + 1];
    for (b, f) in Quadratic::of_batch(test)?.iter().enumerate() {
        let run = conjugate_gradient(f, &f.origin(), DEPTH)?;
        for (after, w) in after.iter_mut().zip(&run.iterates) {
            after.push((&test.truth().row(b) - w).dot(&test.query().row(b)).powi(2));
        }
    }
    Ok(after)
}

/// A model's squared errors over runs in both averages: log10 of the mean decides, the mean of log10 is shown beside it.
#[derive(Clone, Debug, Default)]
pub struct Scores {
    /// log10 of the mean over prompts, for each run.
    pub log_of_mean: Vec<f64>,
    /// Mean over prompts of log10, for each run.
    pub mean_of_logs: Vec<f64>,
}

impl Scores {
    /// Takes the errors of one run.
    pub fn push(&mut self, errors: &[f64]) {
        self.log_of_mean.push(log_mean(errors));
        let logs: Vec<f64> = errors.iter().map(|e| largest_of([*e, 1e-32]).log10()).collect();
        self.mean_of_logs.push(average(&logs));
    }

    /// Takes the errors of a model in one run.
    ///
    /// # Errors
    /// As [`errors`].
    pub fn test(&mut self, model: &Parameters, test: &Batch) -> Result<(), Failure> {
        self.push(&errors(model, test)?);
        Ok(())
    }

    /// Mean over runs of the deciding average.
    pub fn value(&self) -> f64 {
        average(&self.log_of_mean)
    }
}

/// A table of models in both averages.
pub fn both_averages(title: &str, models: &[(&str, &Scores)]) -> Result<Table, Failure> {
    let names: Vec<&str> = models.iter().map(|m| m.0).collect();
    let mut table: Vec<(&str, Values)> = vec![("model", names.into())];
    let value = |values: &[f64]| -> Result<f64, Failure> { Ok(mean(values)?.value) };
    let log_of_mean = models.iter().map(|m| value(&m.1.log_of_mean)).collect::<Result<Vec<_>, _>>()?;
    let mean_of_logs = models.iter().map(|m| value(&m.1.mean_of_logs)).collect::<Result<Vec<_>, _>>()?;
    table.push(("log₁₀ of the mean", log_of_mean.into()));
    table.push(("mean of log₁₀", mean_of_logs.into()));
    Ok(Table::new(columns(table)?).title(title).digits(3))
}

/// The same gate for each coordinate of a token of width `d + 1`.
pub fn gate(d: usize, value: &Fraction) -> Array1<Fraction> {
    Array1::from_elem(d + 1, value.clone())
}

/// States for every entry of two lists of states that it does not differ.
pub fn entries(says: Says, label: &str, a: &[Array2<Fraction>], b: &[Array2<Fraction>]) {
    for (x, y) in a.iter().zip(b).flat_map(|(a, b)| a.iter().zip(b)) {
        says.of("entries").never(label, x != y);
    }
}

/// For every number of the preconditioners whether it is not the same, bit for bit, in two lists of heads.
///
/// # Errors
/// A layer that is not there.
pub fn moved(a: &[Parameters], b: &[Parameters]) -> Result<Vec<bool>, Failure> {
    let mut moved = Vec::new();
    for (a, b) in a.iter().zip(b) {
        for layer in 0..DEPTH {
            let (x, y) = (a.a(layer)?, b.a(layer)?);
            moved.extend(x.iter().zip(y).map(|(x, y)| x.to_bits() != y.to_bits()));
        }
    }
    Ok(moved)
}
