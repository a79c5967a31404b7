//! B.8: a tensor-wise Mnemosyne on embedding and cls of a ViT.
//!
//! **Claim** (`mnemosyne/b8-tensorwise`), not tested: the text gives a set-up, embedding and cls by tensor-wise Mnemosyne, the head by Adam,
//! everything else frozen, batches of 128 for all; what came out of it is in the main body. And the tensor-wise cell itself is defined there:
//! ours encodes chunks of a tensor, with one memory each.
//!
//! The mechanism is checked, with weights as they are drawn: what a rule may touch does not depend on how well it was trained.

use workbench_ledger::{Failure, Finding, Setting};
use workbench_optimizer::cell::{Cell, Form, TensorWise};
use workbench_optimizer::counts::{VitReading, VitShape};
use workbench_optimizer::task::{Task, Tensor};
use workbench_optimizer::tasks::Suite;
use workbench_optimizer::{Error, Layout, Learned, Optimizer};

use super::section_b::TABLE_1;
use super::section_b_1::{lab, layout};
use super::section_b_7_1::adam;
use super::section_b_rules::{Make, Mechanism, Part, Shares, exact, gradients};

/// Rate of Adam; the text gives none for the head.
const HEAD: f64 = 1e-3;

/// Embedding and cls tensor-wise, the head by Adam.
#[derive(Clone, Debug)]
pub struct FineTuning {
    /// Coordinates of a chunk.
    pub chunk: usize,
    /// Steps on given gradients.
    pub steps: usize,
}

impl Default for FineTuning {
    fn default() -> FineTuning {
        FineTuning { chunk: 64, steps: 6 }
    }
}

/// A tensor-wise cell of the form of B.1 with weights as they are drawn.
///
/// **Errors**: those of the cell.
pub fn tensor_wise(setting: &Setting, chunk: usize) -> Result<(TensorWise, Vec<f64>), Failure> {
    let cell = TensorWise::new(Form::default(), chunk)?;
    let weights = cell.start(&mut setting.streams().restart("weights of a tensor-wise cell")?)?;
    Ok((cell, weights))
}

/// Chunks that tensors are cut into, none of which crosses into the next tensor.
pub fn chunks(layout: &Layout, chunk: usize) -> usize {
    layout.tensors().iter().map(|t| t.range.len().div_ceil(chunk)).sum()
}

/// 0: embedding with positions, and cls; 1: head; 2: the rest.
fn part(tensor: &Tensor) -> usize {
    let name = tensor.name.as_str();
    let embedding = name.starts_with("patches") || name.starts_with("embedding") || name == "positions";
    match name {
        _ if embedding => 0,
        "class" | "cls" => 0,
        _ if name.starts_with("head") => 1,
        _ => 2,
    }
}

fn by_adam(layout: Layout) -> Result<Box<dyn Optimizer>, Error> {
    Ok(Box::new(adam(HEAD, layout)?))
}

fn shares<'a>(layout: Layout, rule: &'a Make<'a>) -> Shares<'a> {
    let of = |name, rule| Part { name, rule };
    Shares {
        layout,
        parts: vec![
            of("embedding and cls", Some(rule)),
            of("head", Some(&by_adam as &Make<'_>)),
            of("everything else", None),
        ],
        which: &part,
    }
}

/// What the tensor-wise cell remembers for the part of ViT-H, patches of 14, beside the cell of B.1, in millions of numbers.
fn of_vit_h(chunk: usize) -> Result<[f64; 2], Failure> {
    let shape = VitShape { patch: 14, ..TABLE_1[3].shape.exchanged() };
    let whole = Shares { layout: shape.layout(&VitReading::whole(1000))?, parts: Vec::new(), which: &part };
    let own = whole.layout_of(0)?;
    let state = |units: usize| 544.0 * units as f64 / 1e6;
    Ok([state(chunks(&own, chunk)), state(own.len())])
}

impl FineTuning {
    /// What can be checked without the result.
    ///
    /// # Errors
    /// Those of the task and the rules.
    pub fn mechanism(&self, setting: &Setting) -> Result<Mechanism, Failure> {
        let task = Suite::new(lab(setting)?.bank.folder()).with_batches(128).task("vit-l2-h2-d16-k8-m32-p2@mnist-7")?;
        let mut stream = setting.streams().restart("B.8: gradients")?;
        let start = task.start(&mut stream);
        let seen = gradients(&task, &start, self.steps, &mut stream)?;
        let (cell, weights) = tensor_wise(setting, self.chunk)?;
        let rule = |own: Layout| -> Result<Box<dyn Optimizer>, Error> {
            Ok(Box::new(Learned::plain(cell.clone(), weights.clone(), own)?))
        };
        let shares = shares(layout(&task)?, &rule);
        let mut findings = shares.findings(&start, &seen)?;
        let (own, states) = (shares.layout_of(0)?, shares.groups()?.state_lens());
        let off = |units: usize| states[0].abs_diff(units * cell.state_len()) as f64;
        let count = |label: &str, units| exact(label, off(units), states[0], "numbers");
        findings.push(count("state less 544 for each chunk of each tensor", chunks(&own, self.chunk)));
        let smaller = (states[0] as f64 / (own.len() * cell.state_len()) as f64).ln();
        findings.push(Finding::at_most(
            "log of the state over that of the coordinate-wise cell",
            0.0,
            workbench_ground::stats::Estimate::exact(smaller),
        ));
        let [small, large] = of_vit_h(self.chunk)?;
        let reason = "B.8 describes a set-up; its result and the tensor-wise cell's definition are in the main body, which is not here";
        Ok(Mechanism::new(reason, findings)
            .twin(count("chunks across tensors: state off by", own.len().div_ceil(self.chunk)))
            .twin(count("one memory for each tensor: state off by", own.tensors().len()))
            .remark(format!(
                "for ViT-H with patches of 14 the state would hold {small:.1} million numbers, coordinate-wise {large:.0}"
            )))
    }
}
