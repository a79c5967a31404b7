//! A sweep of a moment, and plans of it.

use std::path::Path;

use serde::{Deserialize, Serialize};
use workbench_ground::Error as RoomError;
use workbench_record::Scale;
use workbench_sweep::{
    AnySweep, Column, Computed, DATA, Draws, How, Kind, Plan, Result, Rows, Sweep, Wanted, compute, merge,
};

/// Some normals, as many rows as the point says.
pub struct Toy;

#[derive(Serialize, Deserialize)]
pub struct Point {
    pub law: String,
    pub width: f64,
    pub rows: usize,
}

impl Sweep for Toy {
    type Point = Point;
    const NAME: &'static str = "toy";
    const TITLE: &'static str = "some normals";
    const COLUMNS: &'static [Column] = &[("value", Kind::Number), ("place", Kind::Count)];

    fn grid(scale: Scale) -> Vec<Point> {
        let point = |k: usize| Point {
            law: if k.is_multiple_of(2) { "even" } else { "odd" }.into(),
            width: 0.1 * k as f64,
            rows: 1 + k % 3,
        };
        (0..scale.pick(7, 9)).map(point).collect()
    }
    fn replicates(_: Scale) -> usize {
        3
    }
    fn at(point: &Point, draws: &Draws) -> Result<Rows, RoomError> {
        let mut stream = draws.stream("values")?;
        Ok(Rows::default().numbers((0..point.rows).map(|_| point.width * stream.normal())).counts(0..point.rows))
    }
}

pub fn toy() -> AnySweep {
    AnySweep::of::<Toy>()
}

pub fn wanted(shards: u64) -> Wanted {
    Wanted { scale: Scale::Quick, seed: 5, shards, replicates: None }
}

/// The plan of a sweep in so many shards, written into a folder; outside version control.
pub fn planned(sweep: &AnySweep, shards: u64, folder: &Path) -> Plan {
    let plan = Plan::new(sweep, wanted(shards), None).unwrap();
    plan.write(folder, Path::new("")).unwrap();
    plan
}

pub fn one(sweep: &AnySweep, plan: &Plan, folder: &Path, index: u64) -> Result<Computed> {
    compute(sweep, plan, folder, index, How::default())
}

/// All shards of a plan of the toy, in the order of their indices, not merged.
pub fn computed(shards: u64, folder: &Path) -> Plan {
    let plan = planned(&toy(), shards, folder);
    for index in 0..shards {
        one(&toy(), &plan, folder, index).unwrap();
    }
    plan
}

/// The bytes of the merged table.
pub fn merged(sweep: &AnySweep, plan: &Plan, folder: &Path) -> Vec<u8> {
    merge(sweep, plan, folder).unwrap();
    std::fs::read(folder.join(DATA)).unwrap()
}
