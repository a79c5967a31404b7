//! Figure 10 of "Associative Memories with Heavy-Tailed Data": what memories with little and much capacity store, for two schemes.

use serde::{Deserialize, Serialize};
use workbench_ground::Error;
use workbench_memory::{RecallStudy, Samples, Scheme, Target, Zipf};
use workbench_record::Scale;

use super::CLASSES;
use crate::{Column, Draws, Kind, Rows, Sweep};

/// Four memories on common embeddings and data, in blocks of draws.
#[derive(Clone, Copy, Debug)]
pub struct StoredMemories;

/// The setting of the figure at a size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Point {
    /// Inputs N.
    pub inputs: u64,
    /// Exponent of the law.
    pub alpha: f64,
    /// Samples T.
    pub samples: u64,
    /// The dimension with little capacity.
    pub small: usize,
    /// The dimension with enough.
    pub large: usize,
}

/// Draws of embeddings and data in a task.
const DRAWS: usize = 100;

impl Sweep for StoredMemories {
    type Point = Point;
    const NAME: &'static str = "stored-memories";
    const TITLE: &'static str = "heavy-tailed memories, Figure 10: what four memories store";
    const COLUMNS: &'static [Column] = &[
        ("draw", Kind::Count),
        ("rho", Kind::Number),
        ("dimension", Kind::Count),
        ("error", Kind::Number),
        ("inputs_lost", Kind::Count),
    ];

    fn grid(scale: Scale) -> Vec<Point> {
        let times = scale.pick(1, 10);
        vec![Point {
            inputs: 10 * times,
            alpha: 1.0,
            samples: 1000 * times,
            small: 10 * times as usize,
            large: 50 * times as usize,
        }]
    }

    fn replicates(scale: Scale) -> u64 {
        scale.pick(16, 400)
    }

    fn at(point: &Point, draws: &Draws) -> Result<Rows, Error> {
        let memories = [0.0, 1.0].map(|rho| [(rho, point.small), (rho, point.large)]).concat();
        let mut study = RecallStudy::new(Zipf::new(point.alpha, point.inputs)?, Target::modulo(CLASSES)?)
            .samples(Samples::Draws(point.samples))
            .runs(DRAWS);
        for (rho, dimension) in &memories {
            study = study.memory(Scheme::power(*rho)?, *dimension);
        }
        let recalls = study.run(&draws.streams("draws")?, "draws")?;
        let each = || {
            memories
                .iter()
                .flat_map(|memory| (0..DRAWS).map(move |draw| (draw, *memory)))
        };
        let (mut errors, mut lost) = (Vec::new(), Vec::new());
        for memory in 0..memories.len() {
            errors.extend(recalls.errors(memory)?);
            lost.extend(recalls.wrong(memory)?.into_iter().map(|wrong| wrong as u64));
        }
        Ok(Rows::default()
            .counts(each().map(|(draw, _)| draw as u64))
            .numbers(each().map(|(_, (rho, _))| rho))
            .counts(each().map(|(_, (_, dimension))| dimension as u64))
            .numbers(errors)
            .counts(lost))
    }
}
