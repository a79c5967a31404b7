//! Figure 11 of "Associative Memories with Heavy-Tailed Data": W, the embeddings, both, or a ReLU model, trained by Adam, along d.

use serde::{Deserialize, Serialize};
use workbench_ground::Error;
use workbench_memory::{BatchSize, DescentRule, LearnedTraining, Readout, Target, TrainedParts, Zipf};
use workbench_record::Scale;

use super::CLASSES;
use crate::{Column, Draws, Kind, Rows, Sweep};

/// Errors after a thousand updates.
#[derive(Clone, Copy, Debug)]
pub struct TrainedMemories;

/// What is trained.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// Only W (blue).
    Memory,
    /// e and u, with W at its random start (orange).
    Embeddings,
    /// e, u and W, the other reading of orange.
    Everything,
    /// `u_y^T ReLU(e_x)` with e and u (green).
    Relu,
}

/// A training.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Point {
    /// What is trained.
    pub model: Model,
    /// Base rate of Adam.
    pub rate: f64,
    /// Dimension d.
    pub dimension: usize,
    /// Inputs N.
    pub inputs: usize,
    /// Samples of an update.
    pub batch: usize,
}

/// The rates among which the figure's checks choose.
const RATES: [(Model, &[f64]); 4] = [
    (Model::Memory, &[1.0, 10.0]),
    (Model::Embeddings, &[0.3]),
    (Model::Everything, &[0.3]),
    (Model::Relu, &[0.03, 0.3]),
];
/// Updates, as printed.
const UPDATES: usize = 1000;

impl Sweep for TrainedMemories {
    type Point = Point;
    const NAME: &'static str = "trained-memories";
    const TITLE: &'static str = "heavy-tailed memories, Figure 11: what is trained, along the dimension";
    const COLUMNS: &'static [Column] =
        &[("error", Kind::Number), ("first_zero", Kind::Number), ("diverged", Kind::Count)];

    fn grid(scale: Scale) -> Vec<Point> {
        let dims: &[usize] = scale.pick(&[2, 4, 8, 16, 32], &[20, 40, 80, 160, 320, 640]);
        let mut points = Vec::new();
        for (model, rates) in RATES {
            for rate in rates {
                points.extend(dims.iter().map(|dimension| Point {
                    model,
                    rate: *rate,
                    dimension: *dimension,
                    inputs: scale.pick(100, 1000),
                    batch: scale.pick(1000, 10_000),
                }));
            }
        }
        points
    }

    fn replicates(scale: Scale) -> usize {
        scale.pick(1, 16)
    }

    fn at(point: &Point, draws: &Draws) -> Result<Rows, Error> {
        let (readout, parts) = match point.model {
            Model::Memory => (Readout::Linear, TrainedParts::Memory),
            Model::Embeddings => (Readout::Linear, TrainedParts::Embeddings),
            Model::Everything => (Readout::Linear, TrainedParts::Everything),
            Model::Relu => (Readout::Relu, TrainedParts::Embeddings),
        };
        let (law, target) = (Zipf::new(2.0, point.inputs)?, Target::modulo(CLASSES)?);
        let runs = LearnedTraining::new(law, target, point.dimension, readout, parts)
            .rule(DescentRule::ADAM)
            .rate(point.rate)?
            .batch(BatchSize::Samples(point.batch))
            .steps(UPDATES)
            .run(&draws.streams("run")?, "run", 1)?;
        let first_zero = runs.first_zero()[0].map_or(f64::INFINITY, |step| step as f64);
        Ok(Rows::default()
            .numbers(runs.last())
            .numbers([first_zero])
            .counts([usize::from(runs.diverged()[0].is_some())]))
    }
}
