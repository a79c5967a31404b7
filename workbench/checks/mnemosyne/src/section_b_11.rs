//! B.11: the soft prompt.
//!
//! **Claim** (`mnemosyne/b11-prompt-count`). A soft prompt of length 30 with vectors of size 4096 makes 122880 trainable parameters.
//!
//! A prompt stands before the embedded text, so its vectors are as wide as the embedding of Table 4, and nothing else is trained. Against
//! it: another product, or another width.

use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_optimizer::Layout;
use workbench_optimizer::counts::T5Shape;

use super::section_b::counted;

/// A prompt for T5XXL.
#[derive(Clone, Debug)]
pub struct SoftPrompt {
    /// Vectors.
    pub length: usize,
    /// Numbers in each, as printed in B.11.
    pub width: usize,
}

impl Default for SoftPrompt {
    fn default() -> SoftPrompt {
        SoftPrompt { length: 30, width: 4096 }
    }
}

const PRINTED: f64 = 122_880.0;

impl SoftPrompt {
    fn count(&self, width: usize) -> Result<f64, Failure> {
        Ok(Layout::of(&[("prompt", &[self.length, width])])?.len() as f64)
    }
}

impl TypedCheck for SoftPrompt {
    const CLAIM: &'static str = "mnemosyne/b11-prompt-count";
    const PLAN: Plan = Plan::new(
        "trainable numbers, exact; width of a prompt vector less the embedding dimension of Table 4",
        "a count that is not 122880; a width that is not that of Table 4",
        &[],
    )
    .protocol(&["30 vectors of 4096 numbers before the text; T5XXL of Table 4"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let model = T5Shape::xxl();
        let exactly = |label: &str, count: f64| counted(label, PRINTED, 0.0, count);
        let deep = self.count(self.width)? * model.encoder as f64;
        let evidence = Evidence::of(exactly("trainable numbers of the prompt", self.count(self.width)?))
            .and(Finding::identity(
                "width of a prompt vector less the embedding dimension",
                self.width.abs_diff(model.width) as f64,
                0.0,
            ))
            .twin(exactly("vectors as wide as one head", self.count(model.head_width)?))
            .twin(exactly("vectors as wide as the MLP", self.count(model.mlp)?))
            .twin(exactly("a prompt before each layer of the encoder", deep));
        Ok(evidence.into())
    }
}
