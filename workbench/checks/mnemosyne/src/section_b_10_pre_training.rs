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

use super::section_b_1::{lab, layout};
use super::section_b_7_1::adam;
use super::section_b_8_tensor_wise::{chunks, tensor_wise};
use super::section_b_rules::{Make, Mechanism, Part, Shares, exact, gradients, walk};

/// The printed rate of the table of tokens.
const TOKENS: f64 = 1e-4;
/// Symbols are the tokens of this text.
const TEXT: &str = "text-l2-h2-d16-k8-m32@letters-16";

/// The table of tokens by Adam, the rest tensor-wise.
#[derive(Clone, Debug)]
pub struct PreTraining {
    /// Coordinates of a chunk.
    pub chunk: usize,
    /// Examples of a batch.
    pub batch: usize,
    /// Steps on given gradients.
    pub steps: usize,
}

impl Default for PreTraining {
    fn default() -> PreTraining {
        PreTraining { chunk: 64, batch: 512, steps: 4 }
    }
}

fn part(tensor: &Tensor) -> usize {
    usize::from(tensor.name != "symbols")
}

fn everything_else(_: &Tensor) -> usize {
    1
}

fn tokens(layout: Layout) -> Result<Box<dyn Optimizer>, Error> {
    Ok(Box::new(adam(TOKENS, layout)?))
}

fn shares<'a>(layout: Layout, rule: &'a Make<'a>, which: &'a dyn Fn(&Tensor) -> usize) -> Shares<'a> {
    let of = |name, rule| Part { name, rule };
    Shares { layout, parts: vec![of("table of tokens", Some(&tokens as &Make<'_>)), of("the rest", Some(rule))], which }
}

impl PreTraining {
    /// What can be checked without the result.
    ///
    /// # Errors
    /// Those of the task and the rules.
    pub fn mechanism(&self, setting: &Setting) -> Result<Mechanism, Failure> {
        let task = Suite::new(lab(setting)?.bank.folder()).with_batches(self.batch).task(TEXT)?;
        let mut stream = setting.streams().restart("B.10: gradients")?;
        let start = task.start(&mut stream);
        let seen = gradients(&task, &start, self.steps, &mut stream)?;
        let (cell, weights) = tensor_wise(setting, self.chunk)?;
        let rule = |own: Layout| -> Result<Box<dyn Optimizer>, Error> {
            Ok(Box::new(Learned::plain(cell.clone(), weights.clone(), own)?))
        };
        let right = shares(layout(&task)?, &rule, &part);
        let mut findings = right.findings(&start, &seen)?;
        let moved = walk(&mut right.groups()?, &start, &seen)?;
        let still = moved.iter().zip(&start).filter(|(a, b)| a.to_bits() == b.to_bits()).count();
        let unused = seen.iter().fold(vec![true; start.len()], |mut unused, gradient| {
            unused.iter_mut().zip(gradient).for_each(|(u, g)| *u &= *g == 0.0);
            unused
        });
        let excused = unused.iter().filter(|unused| **unused).count();
        findings.push(Finding::at_most(
            "numbers that stay although their gradient does not vanish",
            0.0,
            workbench_ground::stats::Estimate::exact(still as f64 - excused as f64),
        ));
        let states = right.groups()?.state_lens();
        let units = chunks(&right.layout_of(1)?, self.chunk);
        findings.push(exact(
            "state of the rest less 544 for each chunk",
            states[1].abs_diff(units * cell.state_len()) as f64,
            states[1],
            "numbers",
        ));
        let all = walk(&mut shares(layout(&task)?, &rule, &everything_else).groups()?, &start, &seen)?;
        let otherwise = right.differing(&all, &start, &seen)?[0];
        let bert = BertShape::base().layout(BertHead::Masked)?;
        let rest = numbers_in(&bert, |name| name != "tokens");
        let gigabytes = |units: f64| 4e-9 * 544.0 * units;
        let reason = "the result of B.10 is in Figure 7 of the main body, which is not here, nor are the corpora or the tensor-wise cell's definition";
        Ok(Mechanism::new(reason, findings)
            .twin(exact("tokens tensor-wise too: moved otherwise", otherwise, right.layout_of(0)?.len(), "numbers"))
            .remark(format!(
                "the rest of BERT-Base in chunks of {} would need {:.1} GB of state in single precision, coordinate by coordinate {:.0} GB",
                self.chunk,
                gigabytes(rest as f64 / self.chunk as f64),
                gigabytes(rest as f64)
            )))
    }
}
