//! B.8: a tensor-wise Mnemosyne on embedding and cls of a ViT.
//!
//! **Claim** (`mnemosyne/b8-tensorwise`), not tested: the text gives a set-up, embedding and cls by tensor-wise Mnemosyne, the head by Adam,
//! everything else frozen, batches of 128 for all, and no result. The tensor-wise cell itself is not defined here either: ours encodes chunks of a tensor, with one memory each.
//!
//! The mechanism is checked, with weights as they are drawn: what a rule may touch does not depend on how well it was trained.

use workbench_ledger::{Failure, Finding, Setting};
use workbench_optimizer::cell::{Cell, Form, TensorWise};
use workbench_optimizer::counts::{VitReading, VitShape};
use workbench_optimizer::task::{Task, Tensor};
use workbench_optimizer::tasks::Suite;
use workbench_optimizer::{Error, Layout, Learned, Optimizer};

use super::frozen_features::adam;
use super::optimizer_laboratory::{lab, layout};
use super::printed_tables::{TABLE_1, millions};
use super::section_b_rules::{Make, Mechanism, Part, Shares, exact, gradients};

/// Rate of Adam; the text gives none for the head.
const HEAD: f64 = 1e-3;

/// Coordinates of a chunk.
pub const CHUNK: usize = 64;

/// Embedding and cls tensor-wise, the head by Adam.
#[derive(Clone, Debug, Default)]
pub struct FineTuning {}

impl FineTuning {
    /// What can be checked without the result.
    ///
    /// # Errors
    /// Those of the task and the rules.
    pub fn mechanism(&self, setting: &Setting) -> Result<Mechanism, Failure> {
        let task = Suite::new(lab(setting)?.bank.folder()).with_batches(128).task("vit-l2-h2-d16-k8-m32-p2@mnist-7")?;
        let mut stream = setting.streams().restart("B.8: gradients")?;
        let start = task.start(&mut stream);
        let seen = gradients(&task, &start, 6, &mut stream)?;
        let (cell, weights) = tensor_wise(setting)?;
        let rule = |own: Layout| -> Result<Box<dyn Optimizer>, Error> {
            Ok(Box::new(Learned::plain(cell.clone(), weights.clone(), own)?))
        };
        let shares = shares(layout(&task)?, &rule);
        let mut findings = shares.findings(&start, &seen)?;
        let (own, state) = (shares.layout_of(0)?, shares.groups()?.state_lens()[0]);
        let count =
            |label: &str, units| exact(label, state.abs_diff(units * cell.state_len()) as f64, state, "numbers");
        findings.push(count("state less 544 for each chunk of each tensor", chunks(&own)));
        let smaller = (state as f64 / (own.len() * cell.state_len()) as f64).ln();
        let label = "log of the state over that of the coordinate-wise cell";
        findings.push(Finding::at_most(label, 0.0, smaller.into()));

        // What it would remember for ViT-H with patches of 14, beside the cell of B.1.
        let shape = VitShape { patch: 14, ..TABLE_1[3].shape.exchanged() };
        let whole = Shares { layout: shape.layout(&VitReading::whole(1000))?, parts: Vec::new(), which: &part };
        let vit_h = whole.layout_of(0)?;
        let [small, large] = [chunks(&vit_h), vit_h.len()].map(|units| millions(544 * units));
        let reason = "B.8 describes a set-up: no result is printed here, and the tensor-wise cell is not defined here";
        Ok(Mechanism::new(reason, findings)
            .twin(count("chunks across tensors: state off by", own.len().div_ceil(CHUNK)))
            .twin(count("one memory for each tensor: state off by", own.tensors().len()))
            .remark(format!(
                "for ViT-H with patches of 14 the state would hold {small:.1} million numbers, coordinate-wise {large:.0}"
            )))
    }
}

/// A tensor-wise cell of the form of B.1 with weights as they are drawn.
///
/// **Errors**: those of the cell.
pub fn tensor_wise(setting: &Setting) -> Result<(TensorWise, Vec<f64>), Failure> {
    let cell = TensorWise::new(Form::default(), CHUNK)?;
    let weights = cell.start(&mut setting.streams().restart("weights of a tensor-wise cell")?)?;
    Ok((cell, weights))
}

/// Chunks that tensors are cut into, none of which crosses into the next tensor.
pub fn chunks(layout: &Layout) -> usize {
    layout.tensors().iter().map(|t| t.range.len().div_ceil(CHUNK)).sum()
}

/// 0: embedding with positions, and cls; 1: head; 2: the rest.
fn part(tensor: &Tensor) -> usize {
    let starts = |names: &[&str]| names.iter().any(|name| tensor.name.starts_with(name));
    match tensor.name.as_str() {
        "class" | "cls" | "positions" => 0,
        _ if starts(&["patches", "embedding"]) => 0,
        _ if starts(&["head"]) => 1,
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
