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
use workbench_optimizer::score::Run;
use workbench_optimizer::task::{Split, Task};
use workbench_optimizer::tasks::{Network, Suite, Supervised};

use super::section_b_1::{lab, layout, logs, runs};
use super::section_b_7_1::{RECIPE, pre_train};
use super::section_b_rules::{Mechanism, exact};

/// The model, before it is frozen.
const MODEL: &str = "text-l1-h2-d16-k8-m32@surnames-12";

/// A prompt before a frozen model.
#[derive(Clone, Debug)]
pub struct PromptTuning {
    /// Vectors of the prompt.
    pub length: usize,
    /// Examples of a batch.
    pub batch: usize,
    /// Steps of the tuning.
    pub steps: usize,
}

impl Default for PromptTuning {
    fn default() -> PromptTuning {
        PromptTuning { length: 30, batch: 32, steps: 60 }
    }
}

/// The task, and the weights that were frozen.
fn prompt(setting: &Setting, of: &PromptTuning) -> Result<(Supervised<Network>, Vec<f64>), Failure> {
    let suite = Suite::new(lab(setting)?.bank.folder()).with_batches(of.batch);
    let text = suite.task(MODEL)?;
    let weights = pre_train(setting, &text, setting.scale().pick(200, 600))?;
    let Network::Language(model) = text.model().clone() else {
        return Err("surnames are a text".into());
    };
    Ok((suite.prompt(model, weights.clone(), of.length)?, weights))
}

/// Share of names whose sex is found.
fn right(task: &Supervised<Network>, theta: &[f64]) -> Result<f64, Failure> {
    let all = task.all(Split::Validation).ok_or("names have a validation part")?;
    Ok(task.accuracy(theta, &all)?)
}

impl PromptTuning {
    fn tuned(&self, setting: &Setting, task: &Supervised<Network>) -> Result<Vec<Run>, Failure> {
        let bank = lab(setting)?.bank.get(RECIPE)?;
        let make = |seed: u64| bank[seed as usize].optimizer(layout(task)?);
        runs(setting, task, self.steps, bank.len() as u64, make)
    }

    /// What can be checked without the result.
    ///
    /// # Errors
    /// Those of the task and the rules.
    pub fn mechanism(&self, setting: &Setting) -> Result<Mechanism, Failure> {
        let (task, weights) = prompt(setting, self)?;
        let Network::Prompt(model) = task.model() else {
            return Err("the task is a prompt".into());
        };
        let (shape, width) = (layout(&task)?, shape_width(&task)?);
        let found = self.tuned(setting, &task)?;
        let pairs = model.frozen().iter().zip(&weights);
        let changed = pairs.filter(|(a, b)| a.to_bits() != b.to_bits()).count();
        let state = lab(setting)?.bank.get(RECIPE)?[0].optimizer(shape.clone())?.state_len();
        let trained = |length: usize| shape.len().abs_diff(length * width) as f64;
        let findings = vec![
            exact("numbers trained less 30 vectors as wide as the model", trained(self.length), shape.len(), "numbers"),
            exact("numbers of the frozen model that change", changed as f64, weights.len(), "numbers"),
            exact(
                "state less 544 for each number of the prompt",
                state.abs_diff(544 * shape.len()) as f64,
                state,
                "numbers",
            ),
        ];
        let shares = found.iter().map(|run| right(&task, &run.theta)).collect::<Result<Vec<_>, _>>()?;
        let before = right(&task, &task.start(&mut setting.streams().restart_replicate("evaluation: start", 0)?))?;
        let change = paired_difference(&logs(&found, self.steps), &logs(&found, 0))?;
        let reason = "B.11 gives a set-up and no result; T5XXL and SuperGLUE are not here";
        Ok(Mechanism::new(reason, findings)
            .twin(exact(
                "a prompt for each of two layers: off by",
                trained(2 * self.length),
                shape.len(),
                "numbers",
            ))
            .remark(format!(
                "after {} steps of four kept optimizers the log loss has changed by {:.2} [{:.2}, {:.2}] and the share of names that are right from {before:.2} to {:.2}",
                self.steps,
                change.value,
                change.low,
                change.high,
                mean(&shares)?.value
            )))
    }
}

/// The width of the prompt's vectors.
fn shape_width(task: &Supervised<Network>) -> Result<usize, Failure> {
    let tensor = task.tensors().first().ok_or("a prompt has one tensor")?;
    Ok(*tensor.shape.last().ok_or("a prompt has two axes")?)
}
