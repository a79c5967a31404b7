//! B.11: the soft prompt.
//!
//! **Claim** (`mnemosyne/b11-prompt-count`). A soft prompt of length 30 with vectors of size 4096 makes 122880 trainable parameters.
//!
//! A prompt stands before the embedded text, so its vectors are as wide as the embedding of Table 4, and nothing else is trained. Refuted
//! by another product, or another width.

use workbench_ledger::{Check, Done, Margin, Sheet};
use workbench_optimizer::Layout;
use workbench_optimizer::counts::T5Shape;

/// A prompt for T5XXL.
pub const CHECK: Check = Check {
    claim: "mnemosyne/b11-prompt-count",
    metric: "trainable numbers, exact; width of a prompt vector less the embedding dimension of Table 4",
    against: "a count that is not 122880; a width that is not that of Table 4",
    protocol: &["30 vectors of 4096 numbers before the text; T5XXL of Table 4"],
    run,
    ..Check::DEFAULT
};

/// Numbers in a prompt vector, as printed in B.11, and in all.
const WIDTH: usize = 4096;
const PRINTED: f64 = 122_880.0;

fn run(s: &Sheet) -> Done {
    let model = T5Shape::xxl();
    let prompt = Layout::of(&[("prompt", &[30, WIDTH])])?.len();
    let (printed, twin) = (s.printed(Margin::ZERO).of("count"), s.twin(Margin::ZERO).of("count"));
    printed.equals("trainable numbers of the prompt", PRINTED, prompt as f64);
    let label = "width of a prompt vector less the embedding dimension";
    s.printed(Margin::ZERO).same(label, WIDTH.abs_diff(model.width) as f64);
    twin.equals("vectors as wide as one head", PRINTED, (prompt / WIDTH * model.head_width) as f64);
    twin.equals("vectors as wide as the MLP", PRINTED, (prompt / WIDTH * model.mlp) as f64);
    twin.equals("a prompt before each layer of the encoder", PRINTED, (prompt * model.encoder) as f64);
    Ok(())
}
