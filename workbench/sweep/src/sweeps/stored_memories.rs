//! Figure 10 of "Associative Memories with Heavy-Tailed Data": what memories with little and much capacity store, for two schemes.

use ndarray::s;
use serde::{Deserialize, Serialize};
use workbench_ground::Error;
use workbench_memory::{RecallStudy, Samples, Scheme, Target, Zipf};
use workbench_record::Scale;

use super::CLASSES;
use crate::{Column, Draws, Kind, Rows, Sweep};

/// The four memories of the figure, and two with weights p in the opposite order of ranks (the wrong form that its checks tell apart), on
/// common embeddings and data, in blocks of draws: which inputs each of them loses.
///
/// The sizes of the document are in the grid at each scale, with as many draws as the checks of Figure 10 have, so that they can take them.
#[derive(Clone, Copy, Debug)]
pub struct StoredMemories;

/// The setting of the figure at a size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Point {
    /// Inputs N.
    pub inputs: usize,
    /// Exponent of the law.
    pub alpha: f64,
    /// Samples T.
    pub samples: usize,
    /// The dimension with little capacity.
    pub small: usize,
    /// The dimension with enough.
    pub large: usize,
}

/// Draws of embeddings and data in a task.
const DRAWS: usize = 100;
/// Inputs in a column of lost ones: as many bits as a table reader that has only floating point numbers keeps.
const BITS: usize = 50;

/// Weights of a memory, and where they stand among [`Point`]'s memories: equal, by frequency, by frequency in the opposite order of ranks.
fn schemes(law: &Zipf, inputs: usize) -> Result<[Scheme; 3], Error> {
    let backwards: Vec<f64> = law.probabilities(inputs).into_iter().rev().collect();
    Ok([Scheme::uniform(), Scheme::power(1.0)?, Scheme::explicit(&backwards)?])
}

/// The inputs from this position on that were not recalled, a bit for each.
fn lost(recalled: &[bool], from: usize) -> usize {
    let here = recalled.iter().skip(from).take(BITS).enumerate();
    here.filter(|(_, recalled)| !**recalled).map(|(bit, _)| 1 << bit).sum()
}

impl Sweep for StoredMemories {
    type Point = Point;
    const NAME: &'static str = "stored-memories";
    const TITLE: &'static str = "heavy-tailed memories, Figure 10: what four memories store";
    const COLUMNS: &'static [Column] = &[
        ("draw", Kind::Count),
        ("weights", Kind::Count),
        ("dimension", Kind::Count),
        ("error", Kind::Number),
        ("lost_to_50", Kind::Count),
        ("lost_from_51", Kind::Count),
    ];

    fn grid(scale: Scale) -> Vec<Point> {
        let sizes: &[usize] = scale.pick(&[1], &[1, 10]);
        let point = |times: &usize| Point {
            inputs: 10 * times,
            alpha: 1.0,
            samples: 1000 * times,
            small: 10 * *times,
            large: 50 * *times,
        };
        sizes.iter().map(point).collect()
    }

    fn replicates(scale: Scale) -> usize {
        scale.pick(60, 400)
    }

    fn at(point: &Point, draws: &Draws) -> Result<Rows, Error> {
        let law = Zipf::new(point.alpha, point.inputs)?;
        let mut study =
            RecallStudy::new(law.clone(), Target::modulo(CLASSES)?).samples(Samples::Draws(point.samples)).runs(DRAWS);
        let mut memories = Vec::new();
        for (weights, scheme) in schemes(&law, point.inputs)?.into_iter().enumerate() {
            for dimension in [point.small, point.large] {
                study = study.memory(scheme.clone(), dimension);
                memories.push((weights, dimension));
            }
        }
        let recalls = study.run(&draws.streams("draws")?, "draws")?;
        let each = || (0..memories.len()).flat_map(|memory| (0..DRAWS).map(move |draw| (memory, draw)));
        let mut errors = Vec::new();
        for memory in 0..memories.len() {
            errors.extend(recalls.errors(memory)?);
        }
        let bits = |from: usize| {
            let of = |(memory, draw)| -> Vec<bool> { recalls.values().slice(s![memory, draw, ..]).to_vec() };
            each().map(|at| lost(&of(at), from)).collect::<Vec<usize>>()
        };
        let (first, second) = (bits(0), bits(BITS));
        Ok(Rows::default()
            .counts(each().map(|(_, draw)| draw))
            .counts(each().map(|(memory, _)| memories[memory].0))
            .counts(each().map(|(memory, _)| memories[memory].1))
            .numbers(errors)
            .counts(first)
            .counts(second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lost_input_is_a_bit() {
        let recalled: Vec<bool> = (0..60).map(|x| x != 0 && x != 49 && x != 51).collect();
        assert_eq!(lost(&recalled, 0), 1 | 1 << 49);
        assert_eq!(lost(&recalled, BITS), 1 << 1);
        assert_eq!(lost(&recalled[..10], BITS), 0);
    }
}
