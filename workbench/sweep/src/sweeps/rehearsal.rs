//! The mean of the largest of n normals: nothing of the documents, and as much computing at every point, to try a scheduler with.

use serde::{Deserialize, Serialize};
use workbench_ground::Error;
use workbench_ground::stats::largest_of;
use workbench_ground::work;
use workbench_record::Scale;

use crate::{Column, Draws, Kind, Rows, Sweep};

/// Each task draws as many normals as every other.
#[derive(Clone, Copy, Debug)]
pub struct Rehearsal;

/// How many normals, and how often.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Point {
    /// n.
    pub normals: usize,
    /// Sets of n.
    pub sets: usize,
}

impl Sweep for Rehearsal {
    type Point = Point;
    const NAME: &'static str = "rehearsal";
    const TITLE: &'static str = "the largest of n normals: to try a scheduler with";
    const COLUMNS: &'static [Column] = &[("mean_largest", Kind::Number)];

    fn grid(scale: Scale) -> Vec<Point> {
        let draws: usize = scale.pick(1 << 19, 1 << 27);
        let sizes = (1..=8).map(|power| 1usize << power);
        sizes.map(|normals| Point { normals, sets: draws / normals }).collect()
    }

    fn replicates(_: Scale) -> usize {
        8
    }

    fn at(point: &Point, draws: &Draws) -> Result<Rows, Error> {
        let (mut stream, mut sum) = (draws.stream("normals")?, 0.0);
        for set in 0..point.sets {
            if set % 1024 == 0 {
                work::check("Rehearsal", set, point.sets)?;
            }
            sum += largest_of((0..point.normals).map(|_| stream.normal()));
        }
        Ok(Rows::default().numbers([sum / point.sets as f64]))
    }
}
