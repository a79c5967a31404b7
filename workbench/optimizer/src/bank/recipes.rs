//! Recipes of the kept optimizers.

use super::{document, practical};
use crate::cell::{Form, Memory, Mnemosyne, Steady, SteadyForm};
use crate::meta::{Path, RolloutObjective, Training};
use crate::rivals::{Lstm, LstmForm};
use crate::tasks::TRAINING;
use crate::{Error, Preprocess};

/// The rate of the meta-optimizer. The document's $3\cdot10^{-4}$ would need three times as many meta-steps for the same way.
const RATE: f64 = 1e-3;
/// $\mu$. As a mean over coordinates, imitation pulls about a thousand times more weakly than the task.
pub(super) const IMITATION: f64 = 1000.0;
/// Meta-steps of the short training, with which methods are compared: 50 roll-outs.
const SHORT: u64 = 1000;
/// Meta-steps of the finished optimizers: 75 roll-outs.
const LONG: u64 = 1500;
/// For claims about a method of training, or a cell.
const MANY: u64 = 12;
/// For differences on tasks far from those of the training, where trainings differ most: what twelve of them asked for.
const FAR: u64 = 64;
/// For claims about one finished optimizer, and along a sweep.
const FEW: u64 = 4;

/// What is trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Design {
    /// Encoders around a memory, or around none.
    Memory(Form),
    /// An LSTM with about as many trained weights as this form.
    LstmLike(Form),
    /// A rule that stands still where the gradient does.
    Steady(SteadyForm),
}

/// A training: what of it is fixed before it starts, and how often it is repeated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    /// Its name; the file is `optimizers-NAME.bin`.
    pub name: &'static str,
    /// What it is, in a line.
    pub title: &'static str,
    /// What is trained.
    pub design: Design,
    /// How; the seed is replaced by 1, 2, and so on.
    pub training: Training,
    /// The tasks that it is trained on.
    pub tasks: &'static [&'static str],
    /// Meta-steps, each a window of the training's length, or a pair of runs of every task where it goes by evolution.
    pub steps: u64,
    /// How often, from different seeds.
    pub seeds: u64,
}

impl Recipe {
    /// The recipe of this name.
    ///
    /// **Errors**: another name than those of [`Recipe::all`], [`Recipe::often`] and [`Recipe::long`].
    pub fn named(name: &str) -> Result<Recipe, Error> {
        let mut all = Recipe::all();
        all.extend(Recipe::often());
        all.extend(Recipe::long());
        let found = all.iter().find(|recipe| recipe.name == name);
        found.copied().ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|recipe| recipe.name).collect();
            let next = format!("one of {}", names.join(", "));
            Error::refused("Recipe::named", format!("`{name}` names no recipe"), next)
        })
    }

    /// Others, each as a [`Course`](super::Course): the experiment of B.1 at its own size, and the rules for use.
    pub fn long() -> Vec<Recipe> {
        [&document::recipes()[..], &practical::recipes()].concat()
    }

    /// Three of the light cell's, trained 64 times: the first twelve are those of [`Recipe::all`]. Their files lie beside the others, and
    /// no program holds them.
    pub fn often() -> Vec<Recipe> {
        let all = Recipe::all();
        let of = |(of, name)| {
            let found = all.iter().find(|recipe| recipe.name == of);
            found.map(|recipe| Recipe { name, seeds: FAR, ..*recipe })
        };
        [("light", "light-64"), ("task-only", "task-only-64"), ("unscaled", "unscaled-64")]
            .into_iter()
            .filter_map(of)
            .collect()
    }

    /// All of the document that are kept. All but `default` and its LSTM differ from `light` in one thing, which their titles say.
    pub fn all() -> Vec<Recipe> {
        let light = Recipe {
            name: "light",
            title: "the light cell; hybrid loss, random scaling, three MLPs",
            design: Design::Memory(Form::light()),
            training: Training { rate: RATE, objective: hybrid(IMITATION), ..Training::default() },
            tasks: &MLPS,
            steps: SHORT,
            seeds: MANY,
        };
        let mut all = vec![
            Recipe {
                name: "default",
                title: "the cell of B.1: two encoders of width 16; half as many meta-steps again",
                design: Design::Memory(Form::default()),
                steps: LONG,
                seeds: FEW,
                ..light
            },
            Recipe {
                name: "default-lstm",
                title: "an LSTM with as many weights as the cell of B.1, trained in the same way",
                design: Design::LstmLike(Form::default()),
                steps: LONG,
                seeds: FEW,
                ..light
            },
            light,
        ];
        all.extend(cells(&light));
        all.extend(losses(&light));
        all
    }
}

/// The MLPs of B.1.
const MLPS: [&str; 3] = [TRAINING[0], TRAINING[1], TRAINING[2]];

/// The hybrid loss of B.1 with this weight of the imitation.
pub(super) fn hybrid(imitation: f64) -> RolloutObjective {
    RolloutObjective { imitation, ..RolloutObjective::default() }
}

/// Other cells in the same training, and other tasks.
fn cells(light: &Recipe) -> [Recipe; 5] {
    let with = |name, title, memory| Recipe {
        name,
        title,
        design: Design::Memory(Form { memory, ..Form::light() }),
        ..*light
    };
    [
        with("no-memory", "the light cell without a memory", Memory::None),
        with("average", "the light cell with a plain average of the past for a memory", Memory::Average { tau: 0.1 }),
        Recipe {
            name: "lstm",
            title: "an LSTM with as many weights as the light cell",
            design: Design::LstmLike(Form::light()),
            ..*light
        },
        Recipe {
            name: "raw",
            title: "the light cell, given gradients that are not preprocessed",
            design: Design::Memory(Form { preprocess: Preprocess::Raw, ..Form::light() }),
            ..*light
        },
        Recipe {
            name: "with-vits",
            title: "the light cell, trained on three MLPs and three ViTs",
            tasks: &TRAINING,
            seeds: FEW,
            ..*light
        },
    ]
}

/// Other losses, and no scaling.
fn losses(light: &Recipe) -> [Recipe; 7] {
    let with = |name, title, objective, seeds| Recipe {
        name,
        title,
        training: Training { objective, ..light.training },
        seeds,
        ..*light
    };
    let clone = |path| RolloutObjective { task: 0.0, path, ..hybrid(IMITATION) };
    [
        Recipe {
            name: "unscaled",
            title: "the light cell without random scaling",
            training: Training { scaling: None, ..light.training },
            ..*light
        },
        with("task-only", "the light cell, imitation 0", hybrid(0.0), MANY),
        with("imitation-only", "the light cell, imitation of Adam alone, on its own path", clone(Path::Own), MANY),
        with("expert-path", "the light cell, imitation of Adam alone, on Adam's path", clone(Path::Expert), MANY),
        with("imitation-10", "the light cell, imitation 10", hybrid(10.0), FEW),
        with("imitation-100", "the light cell, imitation 100", hybrid(100.0), FEW),
        with("imitation-10000", "the light cell, imitation 10^4", hybrid(1e4), FEW),
    ]
}

impl Design {
    pub(super) fn cell(&self) -> Result<super::Rule, Error> {
        Ok(match self {
            Design::Memory(form) => super::Rule::Memory(Mnemosyne::new(*form)?),
            Design::LstmLike(form) => {
                let weights = crate::cell::count::count(form)?.trained;
                super::Rule::Lstm(Lstm::new(LstmForm::default().matching(weights))?)
            }
            Design::Steady(form) => super::Rule::Steady(Steady::new(*form)?),
        })
    }
}
