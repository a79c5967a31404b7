//! Learned methods of Section 5: fresh prompts with conjugate gradients on them, methods of Eq. 3.5 to be learned, and ratios of
//! mean losses.

use std::sync::Arc;

use ndarray::{Array2, arr1};
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Failure, Margin, Setting};
use workbench_memformer::{
    Architecture, Measure, Parameters, Part, Phase, Prompts, Quadratic, RegisterKind, RegisterWeight, TaskLaw,
    TrainingProtocol, conjugate_losses, descent_parameters,
};

use super::task_law::{DIM, EXAMPLES, SPECTRUM, law};

/// What counts as matching the loss of a rival.
pub const MATCH: Margin = Margin::printed("match", 1.0, "\"match or exceed\": no more loss than the rival");

/// Steps of the methods.
pub const STEPS: usize = 4;

/// Which axes the covariance has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axes {
    /// Rotated, as in Section 3.3.
    Rotated,
    /// Those of the coordinates: U = I.
    Coordinates,
    /// Those of the coordinates, and D as standard deviations: its squares are the variances that Appendix D prints.
    SpreadCoordinates,
}

impl Axes {
    /// All of them, in order.
    pub const ALL: [Axes; 3] = [Axes::Rotated, Axes::Coordinates, Axes::SpreadCoordinates];
}

/// A law, fresh prompts, and conjugate gradients on each of them.
pub struct Field {
    /// The law.
    pub law: TaskLaw,
    /// Prompts that no training sees.
    pub fresh: Vec<Quadratic<f64>>,
    /// Loss of conjugate gradients: (steps + 1, prompts).
    pub own: Array2<f64>,
}

impl Field {
    /// The squared error of the answer with the mean over the query taken.
    pub fn measure(&self) -> Measure {
        Measure::Query(self.law.covariance().clone())
    }
}

/// The field, the same each time.
pub fn field(setting: &Setting, axes: Axes) -> Result<Arc<Field>, Failure> {
    setting.shared(&format!("field of Section 5, {axes:?}"), |own| {
        let (law, name) = match axes {
            Axes::Rotated => (law(own)?, "fresh prompts"),
            Axes::Coordinates => (TaskLaw::new(Array2::from_diag(&arr1(&SPECTRUM)))?, "fresh prompts, U = I"),
            Axes::SpreadCoordinates => (
                TaskLaw::new(Array2::from_diag(&arr1(&SPECTRUM.map(|v| v * v))))?,
                "fresh prompts, U = I, D as standard deviations",
            ),
        };
        let size = own.scale().pick(8000, 20_000);
        let fresh = Prompts::draw(&law, EXAMPLES, size, &mut own.stream(name)?)?;
        let fresh = Quadratic::of_batch(&fresh.statistics()?)?;
        let own = conjugate_losses(&fresh, STEPS, &Measure::Query(law.covariance().clone()))?;
        Ok(Field { law, fresh, own })
    })
}

/// Gradient descent with rate 1/2, whose weights are to be learned: A = I, a weight for each past gradient in each step.
pub fn learner(weight: RegisterWeight, steps: usize) -> Result<Parameters, Failure> {
    let registers = RegisterKind::Separate { weight, tied: false };
    Ok(descent_parameters(Architecture::new(steps, DIM)?.with_registers(registers), 0.5)?)
}

/// So many steps of Adam on the weights, with a rate that is halved `halvings` times.
pub fn recipe(steps: usize, halvings: usize) -> TrainingProtocol {
    let phase = Phase::new(&[Part::Registers], steps, 0.02).halving_every(steps / halvings);
    TrainingProtocol::document().with_phases(vec![phase])
}

/// Mean of `a` over mean of `b`, paired: its interval is that of a - r b at the ratio r found.
pub fn ratio(a: &[f64], b: &[f64]) -> Result<Estimate, Failure> {
    let below = mean(b)?.value;
    let ratio = mean(a)?.value / below;
    let off: Vec<f64> = a.iter().zip(b).map(|(a, b)| (a - ratio * b) / below).collect();
    Ok(mean(&off)?.affine(1.0, ratio)?)
}
