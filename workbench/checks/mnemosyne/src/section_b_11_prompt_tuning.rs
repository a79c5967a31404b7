//! B.11: prompt tuning.
//!
//! **Claim** (`mnemosyne/b11-prompt-tuning`), not tested: coordinate-wise Mnemosyne prompt-tunes T5XXL on SuperGLUE with batches of 32 and a
//! soft prompt of 30 vectors. The text gives the set-up and no result, and neither model nor texts are here.
//!
//! Checked instead, with a small model of surnames that is frozen and asked for the sex of the bearers of first names: only the prompt's
//! numbers exist for the optimizer, the model keeps its bits, and what the optimizer remembers is counted. What the kept optimizers of the
//! bank, which never saw a text, do to the loss in a few steps is a remark.

use workbench_ground::stats::{mean, paired_difference};
use workbench_ledger::{Failure, Setting};
use workbench_optimizer::task::{Split, Task};
use workbench_optimizer::tasks::{Network, Suite};

use super::frozen_features::{RECIPE, pre_train};
use super::optimizer_laboratory::{lab, layout, logs, runs};
use super::section_b_rules::{Mechanism, exact};

/// The model, before it is frozen.
const MODEL: &str = "text-l1-h2-d16-k8-m32@surnames-12";

/// Steps of the tuning.
const STEPS: usize = 60;

/// A prompt before a frozen model.
#[derive(Clone, Debug, Default)]
pub struct PromptTuning {}

impl PromptTuning {
    /// What can be checked without the result.
    ///
    /// # Errors
    /// Those of the task and the rules.
    pub fn mechanism(&self, setting: &Setting) -> Result<Mechanism, Failure> {
        let lab = lab(setting)?;
        let suite = Suite::new(lab.bank.folder()).with_batches(32);
        let text = suite.task(MODEL)?;
        let weights = pre_train(setting, &text, setting.scale().pick(200, 600))?;
        let Network::Language(model) = text.model().clone() else {
            return Err("surnames are a text".into());
        };
        let task = suite.prompt(model, weights.clone(), 30)?;
        let Network::Prompt(model) = task.model() else {
            return Err("the task is a prompt".into());
        };
        let (shape, bank) = (layout(&task)?, lab.bank.get(RECIPE)?);
        let found =
            runs(setting, &task, STEPS, bank.len() as u64, |seed| bank[seed as usize].optimizer(layout(&task)?))?;
        let width = *task.tensors().first().and_then(|prompt| prompt.shape.last()).ok_or("a prompt has two axes")?;
        let trained = |length: usize| shape.len().abs_diff(length * width) as f64;
        let pairs = model.frozen().iter().zip(&weights);
        let changed = pairs.filter(|(a, b)| a.to_bits() != b.to_bits()).count() as f64;
        let state = bank[0].optimizer(shape.clone())?.state_len();
        let off = state.abs_diff(544 * shape.len()) as f64;
        let findings = vec![
            exact("numbers trained less 30 vectors as wide as the model", trained(30), shape.len(), "numbers"),
            exact("numbers of the frozen model that change", changed, weights.len(), "numbers"),
            exact("state less 544 for each number of the prompt", off, state, "numbers"),
        ];
        // The share of names whose sex is found.
        let all = task.all(Split::Validation).ok_or("names have a validation part")?;
        let shares = found.iter().map(|run| task.accuracy(&run.theta, &all)).collect::<Result<Vec<_>, _>>()?;
        let start = task.start(&mut setting.streams().restart_replicate("evaluation: start", 0)?);
        let (before, after) = (task.accuracy(&start, &all)?, mean(&shares)?.value);
        let change = paired_difference(&logs(&found, STEPS), &logs(&found, 0))?;
        let reason = "B.11 gives a set-up and no result; T5XXL and SuperGLUE are not here";
        Ok(Mechanism::new(reason, findings)
            .twin(exact("a prompt for each of two layers: off by", trained(60), shape.len(), "numbers"))
            .remark(format!(
                "after {STEPS} steps of four kept optimizers the log loss has changed by {:.2} [{:.2}, {:.2}] and the share of names that are right from {before:.2} to {after:.2}",
                change.value, change.low, change.high
            )))
    }
}
