//! Trained optimizers: kept in `datasets/`, with the recipes that trained them.
//!
//! | item | what it is |
//! | --- | --- |
//! | [`Recipe`], [`Design`] | what is fixed before a training starts |
//! | [`Recipe::train`] | the training, from a seed to its weights |
//! | [`Trained`] | weights with their cell, ready to step a user's parameters |
//! | [`trained`] | those of a recipe, from the program itself |
//! | [`Bank`] | those of a folder, each file read once |
//! | [`Course`] | a training that may be cut off, taken up again from a file |
//!
//! A file holds all repetitions of one recipe. It is refused if its sum or version is wrong, and also if the recipe has changed since:
//! optimizers are never given out under another description than their own. Training is deterministic: the same seed gives the same bits
//! on processors with registers of the same width (the files were made with 16 numbers side by side), whatever the number of threads.
//! `cargo run --example train_optimizers -- datasets NAME` makes a file again.

mod course;
mod document;
mod practical;
mod recipes;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use workbench_ground::work::{self, Observer, Step, Unwatched};

use super::{Error, Layout, Learned, Optimizer, Saved, save_weights, weights_of};
use crate::cell::{Cell, Mnemosyne, Steady};
use crate::meta::Training;
use crate::rivals::Lstm;
use crate::tasks::Suite;

pub use course::{Course, CourseCurve};
pub use document::NETWORKS;
pub use practical::PRACTICE;
pub use recipes::{Design, Recipe};

/// Roll-outs that one training may give up because a loss was not finite.
const LOST: u32 = 100;

/// A cell of any kind.
#[derive(Clone, Debug)]
enum Rule {
    Memory(Mnemosyne),
    Lstm(Lstm),
    Steady(Steady),
}

/// The same with a cell of each kind.
macro_rules! each {
    ($rule:expr, $cell:ident => $value:expr) => {
        match $rule {
            Rule::Memory($cell) => $value,
            Rule::Lstm($cell) => $value,
            Rule::Steady($cell) => $value,
        }
    };
}

/// A trained optimizer.
#[derive(Clone, Debug)]
pub struct Trained {
    rule: Rule,
    weights: Vec<f64>,
    seed: u64,
}

impl Trained {
    /// An optimizer for parameters of this layout, fused, in single precision, before its first step.
    ///
    /// **Errors**: those of [`Learned::fused`].
    pub fn optimizer(&self, layout: Layout) -> Result<Box<dyn Optimizer>, Error> {
        let weights = self.weights.clone();
        Ok(each!(&self.rule, cell => Box::new(Learned::fused(cell.clone(), weights, layout)?)))
    }

    /// The weights of its cell, trained ones first.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// How many of them are trained.
    pub fn trained(&self) -> usize {
        each!(&self.rule, cell => cell.trained())
    }

    /// Numbers that it remembers for each parameter.
    pub fn state_len(&self) -> usize {
        each!(&self.rule, cell => cell.state_len())
    }

    /// The seed of its training.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    fn save(&self, steps: u64) -> Saved {
        each!(&self.rule, cell => save_weights(cell, &self.weights, steps))
    }

    fn restore(rule: Rule, saved: &Saved, seed: u64) -> Result<Trained, Error> {
        let weights = each!(&rule, cell => weights_of(cell, saved)?);
        Ok(Trained { rule, weights, seed })
    }
}

impl Recipe {
    /// Trains once. A roll-out whose loss is not finite is given up and the next begins.
    ///
    /// **Errors**: data that cannot be used, more than a hundred roll-outs given up, a request to stop.
    pub fn train(&self, suite: &Suite, seed: u64) -> Result<Trained, Error> {
        self.train_watched(suite, seed, &mut Unwatched)
    }

    /// [`Recipe::train`], telling `observer` the loss of each window.
    ///
    /// **Errors**: as there.
    pub fn train_watched(&self, suite: &Suite, seed: u64, observer: &mut dyn Observer) -> Result<Trained, Error> {
        observer.value_is("loss");
        let tasks = suite.tasks(self.tasks)?;
        let mut course = Course::begin(self, &tasks, seed)?;
        while course.windows() < self.steps {
            work::check("Recipe::train", course.windows() as usize, self.steps as usize)?;
            let value = Some(course.window()?.loss);
            observer.observe(Step { done: course.windows() as usize, of: self.steps as usize, value });
        }
        Ok(course.trained())
    }

    /// The name of its file.
    pub fn file(&self) -> String {
        format!("optimizers-{}.bin", self.name)
    }

    /// What tells it from other recipes; the tasks by a sum over their names.
    fn numbers(&self) -> Vec<f64> {
        let names = self.tasks.join(" ");
        let sum = names.bytes().fold(0x811c_9dc5u32, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        let mut all = Training { seed: 0, ..self.training }.numbers();
        all.extend([self.steps as f64, f64::from(sum)]);
        all
    }

    /// All repetitions as one file, in the order of their seeds from 1 on.
    pub fn save(&self, trained: &[Trained]) -> Saved {
        Saved {
            name: format!("optimizers {}", self.name),
            settings: self.numbers(),
            steps: self.steps,
            tensors: Vec::new(),
            numbers: Vec::new(),
            parts: trained.iter().map(|one| one.save(self.steps)).collect(),
        }
    }

    /// The optimizers in such a file.
    ///
    /// **Errors**: a file of another recipe, or of this one before it was changed; weights that are not those of the cell.
    pub fn restore(&self, saved: &Saved) -> Result<Vec<Trained>, Error> {
        const OP: &str = "Recipe::restore";
        let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
        let same = bits(&saved.settings) == bits(&self.numbers()) && saved.parts.len() as u64 == self.seeds;
        if saved.name != format!("optimizers {}", self.name) || !same {
            let problem = format!("the file was trained by another recipe than `{}` is now", self.name);
            let next = "train it anew: cargo run --example train_optimizers -- datasets NAME";
            return Err(Error::refused(OP, problem, next));
        }
        let cell = self.design.cell()?;
        let one = |(part, seed): (&Saved, u64)| Trained::restore(cell.clone(), part, seed);
        saved.parts.iter().zip(1..).map(one).collect()
    }
}

/// The files of `datasets/`, by the names of their recipes.
macro_rules! within {
    ($($name:literal)+) => {
        [$(($name, include_bytes!(concat!("../../weights/optimizers-", $name, ".bin")))),+]
    };
}

/// What every program holds that uses this crate: about one megabyte.
const WITHIN: &[(&str, &[u8])] = &within![
    "average"
    "default-lstm"
    "default"
    "document"
    "expert-path"
    "imitation-10"
    "imitation-100"
    "imitation-10000"
    "imitation-only"
    "light"
    "lstm"
    "no-memory"
    "practical"
    "practical-no-memory"
    "raw"
    "task-only"
    "unscaled"
    "with-vits"
];

/// All optimizers of a recipe, in the order of their seeds, as they come with the crate: no file is read.
///
/// ```
/// use workbench_optimizer::{Layout, Optimizer, bank};
/// let mut rule = bank::trained("practical")?[0].optimizer(Layout::of(&[("x", &[3])])?)?;
/// let mut x = [1.0, -2.0, 0.5];
/// let gradient = x.map(|x| 2.0 * x);
/// rule.step(&mut x, &gradient)?;
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
///
/// **Errors**: a name of no recipe; the message lists those there are.
pub fn trained(name: &str) -> Result<Vec<Trained>, Error> {
    let recipe = Recipe::named(name)?;
    let bytes = WITHIN.iter().find_map(|(of, bytes)| (*of == recipe.name).then_some(*bytes));
    recipe.restore(&Saved::from_bytes(bytes.unwrap_or_default())?)
}

/// The trained optimizers of a folder.
#[derive(Debug)]
pub struct Bank {
    folder: PathBuf,
    kept: Mutex<BTreeMap<String, Arc<Vec<Trained>>>>,
}

impl Bank {
    /// Of this folder; files are read when they are first asked for.
    pub fn new(folder: impl AsRef<Path>) -> Bank {
        Bank { folder: folder.as_ref().to_path_buf(), kept: Mutex::default() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All optimizers of a recipe, in the order of their seeds.
    ///
    /// **Errors**: a name of no recipe, a file that is not there, is damaged, or does not belong to the recipe.
    pub fn get(&self, name: &str) -> Result<Arc<Vec<Trained>>, Error> {
        // A panic elsewhere cannot leave the map half-changed: every change is one insert.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept.get(name) {
            return Ok(found.clone());
        }
        let recipe = Recipe::named(name)?;
        let path = self.folder.join(recipe.file());
        let refuse = |problem: String| Error::file("Bank::get", &path, problem, "see datasets/README.md");
        let bytes = std::fs::read(&path).map_err(|error| refuse(error.to_string()))?;
        let read = Saved::from_bytes(&bytes).and_then(|saved| recipe.restore(&saved));
        let found = Arc::new(read.map_err(|error| refuse(error.to_string()))?);
        kept.insert(name.to_string(), found.clone());
        Ok(found)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::data::folder;
    use crate::meta::Precision;

    /// A training of a moment, in double precision, so that every processor gives the same bits.
    pub(super) fn tiny() -> Recipe {
        let light = Recipe::named("light").unwrap();
        Recipe {
            name: "tiny",
            training: Training { precision: Precision::Double, rollout: 10, ..light.training },
            tasks: &["linear@digits-4"],
            steps: 3,
            seeds: 2,
            ..light
        }
    }

    #[test]
    fn a_recipe_and_a_seed_give_the_same_bits() {
        let (suite, recipe) = (Suite::new(folder()), tiny());
        let make = || [1, 2].map(|seed| recipe.train(&suite, seed).unwrap());
        let (once, again) = (make(), make());
        let bytes = recipe.save(&once).to_bytes();
        assert_eq!(bytes, recipe.save(&again).to_bytes());
        assert_ne!(once[0].weights(), once[1].weights());
        let read = recipe.restore(&Saved::from_bytes(&bytes).unwrap()).unwrap();
        assert!(read.iter().zip(&once).all(|(a, b)| a.weights() == b.weights() && a.seed() == b.seed()));
        let longer = Recipe { steps: 4, ..recipe };
        assert!(longer.restore(&recipe.save(&once)).is_err());
    }

    #[test]
    fn kept_optimizers_are_read_and_step() {
        let bank = Bank::new(folder());
        for (name, _) in WITHIN {
            let recipe = Recipe::named(name).unwrap();
            let trained = bank.get(recipe.name).unwrap();
            let within = super::trained(recipe.name).unwrap();
            assert!(within.iter().zip(trained.iter()).all(|(a, b)| a.weights() == b.weights()), "{}", recipe.name);
            assert_eq!(trained.len() as u64, recipe.seeds, "{}", recipe.name);
            for one in trained.iter() {
                let mut rule = one.optimizer(Layout::of(&[("x", &[3])]).unwrap()).unwrap();
                let mut theta = [0.0; 3];
                rule.step(&mut theta, &[0.1, -0.2, 0.0]).unwrap();
                assert!(theta.iter().all(|x| x.is_finite()) && theta[0] != theta[1]);
            }
        }
        assert!(bank.get("nobody").is_err());
        assert!(Bank::new("/nowhere").get("light").unwrap_err().to_string().contains("README"));
    }
}
