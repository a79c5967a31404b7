//! A rule for use, free of the document's limits, and its control. **Under way**: nothing of it is kept yet.
//!
//! What was found so far, mean log validation loss; `compare_rules` makes the tables.
//!
//! | ten tasks of [`UNSEEN`](crate::tasks::UNSEEN), two draws | 100 steps | 300 | 1,000 | 5,000 |
//! | --- | --- | --- | --- | --- |
//! | Adam at 0.013, its best single rate for them | -0.379 | -0.713 | -0.869 | -0.767 |
//! | the rule at its start | -0.542 | -0.793 | -0.948 | -0.861 |
//! | ahead on | 9 of 10 | 8 | 8 | 7 |
//!
//! | eight tasks of [`PRACTICE`], one draw for tuning | 100 steps | 300 | 1,000 |
//! | --- | --- | --- | --- |
//! | Adam at 0.02, the best of four rates | -0.186 | -0.485 | -0.768 |
//! | the rule at its start | -0.290 | -0.539 | -0.879 |
//!
//! So it is the law of steps, which is not learned, that is ahead of Adam: at its start the cell is inert. What training adds is not known.

use super::recipes::{Design, Recipe};
use crate::cell::{Memory, Scope, SteadyForm, StepLaw};
use crate::meta::{LossScale, RolloutObjective, Training};

/// What `practical` is trained on: two sets of data, four kinds of networks, fan-ins from 9 to 256. Images of fashion and digits, larger
/// images, texts of speeches and networks of the shapes in [`UNSEEN`](crate::tasks::UNSEEN) are not among them.
pub const PRACTICE: [&str; 8] = [
    "mlp-32-relu@mnist-7",
    "mlp-24-sigmoid@mnist-7",
    "mlp-28-36-sigmoid@mnist-7",
    "mlp-24-relu@mnist-7~256",
    "linear@mnist-7~64",
    "conv-4@mnist-7",
    "vit-l1-h2-d16-k8-m32-p3@mnist-7",
    "text-l1-h2-d12-k6-m24@surnames-10",
];

/// Windows of a training.
const WINDOWS: u64 = 20_000;

/// How long its steps are. Chosen on [`PRACTICE`], one draw for tuning, with the cell at its start: of 41 laws the best of the normed ones
/// in the mean log validation loss after 100, 300 and 1,000 steps (-0.29, -0.54, -0.88; Adam at 0.02, the best of four rates there: -0.19,
/// -0.49, -0.77; the best of all, which was not normed: -0.33, -0.58, -0.83).
const LAW: StepLaw = StepLaw {
    rate: 0.01,
    hold: 1000.0,
    power: 0.0,
    normed: true,
    gain: 0.06,
    target: 0.02,
    scope: Scope::Tensor,
    fan: 0.25,
};

/// The rule with the document's memory, and without.
pub(super) fn recipes() -> [Recipe; 2] {
    let form = SteadyForm { law: LAW, ..SteadyForm::default() };
    let practical = Recipe {
        name: "practical",
        title: "a rule for use: steady, with the memory of the document",
        design: Design::Steady(form),
        training: Training {
            window: 20,
            rate: 1e-3,
            objective: RolloutObjective { measure: LossScale::Log, ..RolloutObjective::default() },
            scaling: Some(0.5),
            horizons: Some([100, 2000]),
            together: 8,
            ..Training::default()
        },
        tasks: &PRACTICE,
        steps: WINDOWS,
        seeds: 2,
    };
    [
        practical,
        Recipe {
            name: "practical-no-memory",
            title: "the same rule without a memory",
            design: Design::Steady(SteadyForm { memory: Memory::None, ..form }),
            ..practical
        },
    ]
}
