//! Learned optimizers, trained from many meta-seeds, and tested on the tasks of Figure 10 of the Mnemosyne appendix.

use serde::{Deserialize, Serialize};
use workbench_ground::Error;
use workbench_ground::stats::Streams;
use workbench_optimizer::bank::Recipe;
use workbench_optimizer::score::{Protocol, Purpose, run_each};
use workbench_optimizer::tasks::{FIGURE_10, Suite};
use workbench_optimizer::{Layout, Task};
use workbench_record::Scale;

use crate::{Column, Draws, Kind, Rows, Sweep};

/// Validation losses on tasks that the training did not see.
#[derive(Clone, Copy, Debug)]
pub struct MetaTraining;

/// A recipe of the bank.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Point {
    /// Its name.
    pub recipe: String,
    /// Meta-steps.
    pub meta_steps: u64,
    /// Steps of the tests.
    pub test_steps: usize,
}

impl Sweep for MetaTraining {
    type Point = Point;
    const NAME: &'static str = "meta-training";
    const TITLE: &'static str = "learned optimizers from many meta-seeds, on tasks that no training saw";
    const COLUMNS: &'static [Column] =
        &[("task", Kind::Count), ("loss_before", Kind::Number), ("loss_after", Kind::Number)];
    const FILES: &'static [&'static str] = &["mnist-14x14.idx3.gz", "mnist-14x14-labels.idx1.gz"];

    fn grid(scale: Scale) -> Vec<Point> {
        let recipes: &[&str] = scale.pick(
            &["light", "no-memory"],
            &["light", "no-memory", "average", "lstm", "unscaled", "task-only", "default"],
        );
        let all = Recipe::all().into_iter().filter(|recipe| recipes.contains(&recipe.name));
        let point = |recipe: Recipe| Point {
            recipe: recipe.name.into(),
            meta_steps: scale.pick(20, recipe.steps),
            test_steps: scale.pick(20, 200),
        };
        all.map(point).collect()
    }

    fn replicates(scale: Scale) -> usize {
        scale.pick(2, 48)
    }

    fn at(point: &Point, draws: &Draws) -> Result<Rows, Error> {
        let suite = Suite::new(draws.data());
        let recipe = Recipe { steps: point.meta_steps, ..Recipe::named(&point.recipe)? };
        let trained = recipe.train(&suite, draws.seed("meta-training")?)?;
        let protocol = Protocol { steps: point.test_steps, every: point.test_steps, batches: 4 };
        let streams = Streams::new(draws.seed("test")?);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for task in suite.tasks(&FIGURE_10)? {
            let make = |_: u64| trained.optimizer(Layout::new(task.tensors())?);
            let runs = run_each(&task, &protocol, (&streams.clone(), Purpose::Evaluation), &[0], make)?;
            before.push(runs[0].validation[0]);
            after.push(runs[0].last());
        }
        Ok(Rows::default().counts(0..FIGURE_10.len()).numbers(before).numbers(after))
    }
}
