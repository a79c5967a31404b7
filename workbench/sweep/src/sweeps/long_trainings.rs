//! The experiment of B.1 of the Mnemosyne appendix at its own size, from many meta-seeds, each training kept in a file and gone on with.

use serde::{Deserialize, Serialize};
use workbench_ground::Error;
use workbench_ground::work::{self, Unwatched};
use workbench_optimizer::Saved;
use workbench_optimizer::bank::{Course, Recipe};
use workbench_optimizer::tasks::Suite;
use workbench_record::Scale;

use crate::{Column, Draws, Kind, Rows, Sweep};

/// Windows between two checkpoints: about a minute.
const EVERY: u64 = 500;

/// The losses of long trainings along their windows. What is trained lies in the folder of the sweep, `checkpoints/RECIPE-SEED.course`; a
/// process that is stopped or killed, or a plan with more windows, goes on from there to the same bits. Together they become a file of the
/// bank by `cargo run --example train_optimizers -- datasets --recipe RECIPE --keep checkpoints/RECIPE-*.course`.
#[derive(Clone, Copy, Debug)]
pub struct LongTrainings;

/// A recipe of [`Recipe::long`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Point {
    /// Its name.
    pub recipe: String,
    /// Windows.
    pub windows: u64,
}

impl Sweep for LongTrainings {
    type Point = Point;
    const NAME: &'static str = "long-trainings";
    const TITLE: &'static str = "the experiment of B.1 at its own size, its controls, from many meta-seeds";
    const COLUMNS: &'static [Column] = &[("window", Kind::Count), ("task", Kind::Number), ("imitation", Kind::Number)];
    const FILES: &'static [&'static str] = &["mnist-28x28.idx3.gz", "mnist-28x28-labels.idx1.gz"];

    fn grid(scale: Scale) -> Vec<Point> {
        let recipes = ["document", "document-lstm", "document-no-memory", "document-average"];
        let recipes = &recipes[..scale.pick(2, recipes.len())];
        recipes.iter().map(|recipe| Point { recipe: (*recipe).into(), windows: scale.pick(3, 10_000) }).collect()
    }

    fn replicates(scale: Scale) -> usize {
        scale.pick(2, 12)
    }

    /// The seed of a training is its replicate from 1 on, as in the bank, whatever the seed of the sweep.
    fn at(point: &Point, draws: &Draws) -> Result<Rows, Error> {
        let (recipe, seed) = (Recipe::named(&point.recipe)?, draws.replicate() + 1);
        let tasks = Suite::new(draws.data()).tasks(recipe.tasks)?;
        let mut course = Course::begin(&recipe, &tasks, seed)?;
        let path = draws.checkpoints()?.join(format!("{}-{seed}.course", point.recipe));
        if path.exists() {
            let saved = Saved::read(&path)?;
            if saved.steps > point.windows {
                let problem = format!("{} has {} windows, {} are planned", path.display(), saved.steps, point.windows);
                return Err(Error::refused("long-trainings", problem, "plan as many, or move the file away"));
            }
            course.restore(&saved)?;
        }
        course.run(point.windows, EVERY, &mut |course| course.save().write(&path), &mut Unwatched)?;
        work::check("long-trainings", course.windows() as usize, point.windows as usize)?;
        let (each, points) = (course.curve().each() as usize, course.curve().points());
        let of = |column: usize| points.iter().map(move |point| point[column]);
        Ok(Rows::default().counts((1..=points.len()).map(|at| at * each)).numbers(of(0)).numbers(of(1)))
    }
}
