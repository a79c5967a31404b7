//! Figure 12 of "Associative Memories with Heavy-Tailed Data": embeddings learned in the plane.

use serde::{Deserialize, Serialize};
use workbench_ground::Error;
use workbench_memory::{LearnedTraining, MemoryStart, Readout, Rule, Target, Trains, Zipf, sectors};
use workbench_record::Scale;

use crate::{Column, Draws, Kind, Rows, Sweep};

/// Error, classes with a sector, and how inputs stand to their outputs, for d = 2 and W = I.
#[derive(Clone, Copy, Debug)]
pub struct LearnedPlanes;

/// A plane.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Point {
    /// Inputs N.
    pub inputs: u64,
    /// Classes M.
    pub classes: usize,
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
        ("nearest_own", Kind::Number),
    ];

    fn grid(scale: Scale) -> Vec<Point> {
        let classes: &[usize] = scale.pick(&[5, 10], &[5, 10, 50, 100]);
        let inputs = scale.pick(100, 1000);
        classes
            .iter()
            .map(|classes| Point {
                inputs,
                classes: *classes,
            })
            .collect()
    }

    fn replicates(scale: Scale) -> u64 {
        scale.pick(8, 150)
    }

    fn at(point: &Point, draws: &Draws) -> Result<Rows, Error> {
        let (law, target) = (Zipf::new(2.0, point.inputs)?, Target::modulo(point.classes)?);
        let labels = target.labels(point.inputs as usize);
        let runs = LearnedTraining::new(law, target, 2, Readout::Linear, Trains::Embeddings)
            .memory_start(MemoryStart::Identity)
            .rule(Rule::ADAM)
            .rate(RATE)?
            .run(&draws.streams("run")?, "run", 1)?;
        let model = runs.model(0)?;
        let cosines = model.cosines();
        let own = |x: usize| cosines[[x, labels[x]]];
        let is_nearest = |x: &usize| cosines.row(*x).iter().all(|cosine| *cosine <= own(*x));
        let inputs = labels.len();
        let with_sector = sectors(&model.outputs)?.iter().flatten().count();
        Ok(Rows::default()
            .numbers(runs.last())
            .counts([with_sector as u64])
            .numbers([(0..inputs).map(own).sum::<f64>() / inputs as f64])
            .numbers([(0..inputs).filter(is_nearest).count() as f64 / inputs as f64]))
    }
}
