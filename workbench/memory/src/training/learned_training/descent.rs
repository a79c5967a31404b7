//! One step of a rule on all parts of a model with learned embeddings.

use super::{LearnedTraining, TrainedParts};
use crate::training::learned::{LearnedMemory, Readout};
use crate::training::rule::{DescentRule, Moments};
use ndarray::{Array2, Axis};
use workbench_ground::Error;

/// The state of a rule over all parts of a model.
pub(super) struct Descent {
    rule: DescentRule,
    parts: TrainedParts,
    memory_factor: f64,
    embedding_factor: f64,
    memory: Moments,
    inputs: Moments,
    outputs: Moments,
    dense: Array2<f64>,
}

impl Descent {
    pub(super) fn new(training: &LearnedTraining, model: &LearnedMemory) -> Descent {
        let d = model.inputs.ncols() as f64;
        Descent {
            rule: training.rule,
            parts: training.parts,
            memory_factor: d.powf(training.powers.0),
            embedding_factor: d.powf(training.powers.1),
            memory: Moments::new(model.memory.dim()),
            inputs: Moments::new(model.inputs.dim()),
            outputs: Moments::new(model.outputs.dim()),
            dense: Array2::zeros(model.inputs.dim()),
        }
    }

    pub(super) fn step(
        &mut self,
        model: &mut LearnedMemory,
        active: Vec<usize>,
        labels: &[usize],
        weights: &[f64],
        rate: f64,
    ) -> Result<(), Error> {
        let gradient = model.gradient_on(active, labels, weights);
        if self.parts != TrainedParts::Embeddings && model.readout == Readout::Linear {
            let rate = rate * self.memory_factor;
            self.memory.update(self.rule, rate, &mut model.memory, &gradient.memory)?;
        }
        if self.parts == TrainedParts::Memory {
            return Ok(());
        }
        let rate = rate * self.embedding_factor;
        self.outputs.update(self.rule, rate, &mut model.outputs, &gradient.outputs)?;
        if let DescentRule::Adam { .. } = self.rule {
            // Adam's memory moves inputs that are not in the batch too.
            self.dense.fill(0.0);
            for (row, &x) in gradient.inputs.outer_iter().zip(&gradient.active) {
                self.dense.row_mut(x).assign(&row);
            }
            self.inputs.update(self.rule, rate, &mut model.inputs, &self.dense)?;
            return Ok(());
        }
        for (row, &x) in gradient.inputs.axis_iter(Axis(0)).zip(&gradient.active) {
            for (e, g) in model.inputs.row_mut(x).iter_mut().zip(row) {
                let g = if self.rule == DescentRule::Sign && *g != 0.0 { g.signum() } else { *g };
                *e -= rate * g;
            }
        }
        Ok(())
    }
}
