//! B.10: BERT from scratch.
//!
//! **Claim** (`mnemosyne/b10-bert`), not tested: BERT-Base is pre-trained with batches of 512; the table of tokens by Adam at $10^{-4}$, the
//! rest by tensor-wise Mnemosyne; the baseline is Adam on everything. The curves are in Figure 7 of the main body, which is not here, nor are
//! the corpora.
//!
//! Checked instead, on a transformer of two layers that fills gaps in speeches: the same split, bit for bit, and what it would remember for
//! BERT-Base.

use workbench_ledger::{Failure, Finding, Setting};
use workbench_optimizer::cell::Cell;
use workbench_optimizer::counts::{BertHead, BertShape, numbers_in};
use workbench_optimizer::task::{Task, Tensor};
use workbench_optimizer::tasks::Suite;
use workbench_optimizer::{Error, Layout, Learned, Optimizer};

use super::frozen_features::adam;
use super::optimizer_laboratory::{lab, layout};
use super::section_b_8_tensor_wise::{CHUNK, chunks, tensor_wise};
use super::section_b_rules::{Mechanism, Part, Shares, exact, gradients, walk};

/// The printed rate of the table of tokens.
const TOKENS: f64 = 1e-4;
/// Symbols are the tokens of this text.
const TEXT: &str = "text-l2-h2-d16-k8-m32@letters-16";

/// The table of tokens by Adam, the rest tensor-wise.
#[derive(Clone, Debug, Default)]
pub struct PreTraining {}

impl PreTraining {
    /// What can be checked without the result.
    ///
    /// # Errors
    /// Those of the task and the rules.
    pub fn mechanism(&self, setting: &Setting) -> Result<Mechanism, Failure> {
        let task = Suite::new(lab(setting)?.bank.folder()).with_batches(512).task(TEXT)?;
        let mut stream = setting.streams().restart("B.10: gradients")?;
        let start = task.start(&mut stream);
        let seen = gradients(&task, &start, 4, &mut stream)?;
        let (cell, weights) = tensor_wise(setting)?;
        let tokens = |own: Layout| -> Result<Box<dyn Optimizer>, Error> { Ok(Box::new(adam(TOKENS, own)?)) };
        let rule = |own: Layout| -> Result<Box<dyn Optimizer>, Error> {
            Ok(Box::new(Learned::plain(cell.clone(), weights.clone(), own)?))
        };
        let all = layout(&task)?;
        let shares = |which: &'static dyn Fn(&Tensor) -> usize| Shares {
            layout: all.clone(),
            parts: vec![
                Part { name: "table of tokens", rule: Some(&tokens) },
                Part { name: "the rest", rule: Some(&rule) },
            ],
            which,
        };
        let right = shares(&|tensor| usize::from(tensor.name != "symbols"));
        let mut findings = right.findings(&start, &seen)?;
        let moved = walk(&mut right.groups()?, &start, &seen)?;
        let still = moved.iter().zip(&start).filter(|(a, b)| a.to_bits() == b.to_bits()).count();
        let unused = (0..start.len()).filter(|i| seen.iter().all(|gradient| gradient[*i] == 0.0)).count();
        let label = "numbers that stay although their gradient does not vanish";
        findings.push(Finding::at_most(label, 0.0, (still as f64 - unused as f64).into()));
        let state = right.groups()?.state_lens()[1];
        let formula = chunks(&right.layout_of(1)?) * cell.state_len();
        let label = "state of the rest less 544 for each chunk";
        findings.push(exact(label, state.abs_diff(formula) as f64, state, "numbers"));
        let everything = walk(&mut shares(&|_| 1).groups()?, &start, &seen)?;
        let otherwise = right.differing(&everything, &start, &seen)?[0];
        let rest = numbers_in(&BertShape::base().layout(BertHead::Masked)?, |name| name != "tokens") as f64;
        let gigabytes = |units: f64| 4e-9 * 544.0 * units;
        let reason = "the result of B.10 is in Figure 7 of the main body, which is not here, nor are the corpora or the tensor-wise cell's definition";
        Ok(Mechanism::new(reason, findings)
            .twin(exact("tokens tensor-wise too: moved otherwise", otherwise, right.layout_of(0)?.len(), "numbers"))
            .remark(format!(
                "the rest of BERT-Base in chunks of {CHUNK} would need {:.1} GB of state in single precision, coordinate by coordinate {:.0} GB",
                gigabytes(rest / CHUNK as f64),
                gigabytes(rest)
            )))
    }
}
