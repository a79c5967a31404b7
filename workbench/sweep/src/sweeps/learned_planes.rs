//! Figure 12 of "Associative Memories with Heavy-Tailed Data": embeddings learned in the plane.

use serde::{Deserialize, Serialize};
use workbench_ground::Error;
use workbench_ground::stats::normal_array2;
use workbench_memory::{
    DescentRule, LearnedMemory, LearnedTraining, MemoryStart, Readout, Target, TrainedParts, Zipf, sectors,
};
use workbench_record::Scale;

use crate::{Column, Draws, Kind, Rows, Sweep};

/// Error, classes with a sector, and how inputs stand to their outputs, for W = I; beside them what the checks of the figure tell apart:
/// labels one off, and inputs that were not trained.
///
/// The sizes of the document are in the grid at each scale, with as many seeds as its checks have, so that they can take them.
#[derive(Clone, Copy, Debug)]
pub struct LearnedPlanes;

/// A plane.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Point {
    /// Inputs N.
    pub inputs: usize,
    /// Classes M.
    pub classes: usize,
    /// Dimension d: a plane, or the line that stands against it.
    pub dimension: usize,
}

/// Base rate of Adam; the caption gives none.
const RATE: f64 = 0.1;

impl Sweep for LearnedPlanes {
    type Point = Point;
    const NAME: &'static str = "learned-planes";
    const TITLE: &'static str = "heavy-tailed memories, Figure 12: learned embeddings in the plane";
    const COLUMNS: &'static [Column] = &[
        ("error", Kind::Number),
        ("sectors", Kind::Count),
        ("cosine", Kind::Number),
        ("cosine_weighted", Kind::Number),
        ("nearest_own", Kind::Number),
        ("cosine_one_off", Kind::Number),
        ("untrained_weighted", Kind::Number),
        ("untrained_nearest_own", Kind::Number),
    ];

    fn grid(scale: Scale) -> Vec<Point> {
        let point = |(inputs, classes, dimension)| Point { inputs, classes, dimension };
        let document = [(100, 5, 2), (100, 10, 2), (100, 10, 1)];
        let enlarged: &[(usize, usize, usize)] =
            scale.pick(&[], &[(1000, 5, 2), (1000, 10, 2), (1000, 50, 2), (1000, 100, 2)]);
        document.iter().chain(enlarged).copied().map(point).collect()
    }

    fn replicates(scale: Scale) -> usize {
        scale.pick(60, 150)
    }

    fn at(point: &Point, draws: &Draws) -> Result<Rows, Error> {
        let (law, target) = (Zipf::new(2.0, point.inputs)?, Target::modulo(point.classes)?);
        let labels = target.labels(point.inputs);
        let p = law.probabilities(labels.len());
        let runs = LearnedTraining::new(law, target, point.dimension, Readout::Linear, TrainedParts::Embeddings)
            .memory_start(MemoryStart::Identity)
            .rule(DescentRule::ADAM)
            .rate(RATE)?
            .run(&draws.streams("run")?, "run", 1)?;
        let model = runs.model(0)?;
        let sectors = match point.dimension {
            2 => sectors(&model.outputs)?.iter().flatten().count(),
            // A line has none.
            _ => 0,
        };
        let inputs = normal_array2(&mut draws.stream("untrained inputs")?, labels.len(), point.dimension);
        let untrained = LearnedMemory { inputs, ..model.clone() };
        let (seen, untrained) = (Seen::of(&model, &labels, &p), Seen::of(&untrained, &labels, &p));
        Ok(Rows::default()
            .numbers(runs.last())
            .counts([sectors])
            .numbers([seen.cosine])
            .numbers([seen.weighted])
            .numbers([seen.nearest])
            .numbers([seen.one_off])
            .numbers([untrained.weighted])
            .numbers([untrained.nearest]))
    }
}

/// How inputs stand to the outputs of their classes.
struct Seen {
    cosine: f64,
    weighted: f64,
    nearest: f64,
    /// The mean cosine if inputs were counted from zero.
    one_off: f64,
}

impl Seen {
    fn of(model: &LearnedMemory, labels: &[usize], p: &[f64]) -> Seen {
        let cosines = model.cosines();
        let (inputs, classes) = cosines.dim();
        let own: Vec<f64> = (0..inputs).map(|x| cosines[[x, labels[x]]]).collect();
        let is_nearest = |x: &usize| cosines.row(*x).iter().all(|cosine| *cosine <= own[*x]);
        let off: f64 = (0..inputs).map(|x| cosines[[x, (labels[x] + classes - 1) % classes]]).sum();
        let n = inputs as f64;
        Seen {
            cosine: own.iter().sum::<f64>() / n,
            weighted: own.iter().zip(p).map(|(cosine, p)| cosine * p).sum(),
            nearest: (0..inputs).filter(is_nearest).count() as f64 / n,
            one_off: off / n,
        }
    }
}
