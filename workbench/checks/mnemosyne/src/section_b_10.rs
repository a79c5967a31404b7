//! B.10: the two groups of BERT-Base.
//!
//! **Claim** (`mnemosyne/b10-parameter-split`). Everything except the token embedding, about 86M parameters, is trained by tensor-wise
//! Mnemosyne.
//!
//! With the reading of Table 2 (the head of a masked language model, 30,522 tokens) one count must give 110M and 86M at once. Refuted by a
//! count that does not round to 86M. The two printed numbers also imply a vocabulary by themselves; no vocabulary is printed, so that the
//! check stands on that of the public model being it.

use workbench_ledger::{Check, Done, Margin, Sheet};
use workbench_optimizer::counts::{BertHead, BertShape, numbers_in};

use super::printed_tables::{MILLION, millions};

const TOKENS: Margin = Margin::rounding(
    "implied tokens",
    1_303.0,
    "two numbers rounded to a million leave a million between them, divided by 768 numbers for a token",
);

/// The split of BERT-Base.
pub const CHECK: Check = Check {
    claim: "mnemosyne/b10-parameter-split",
    metric: "millions of parameters outside the table of tokens, exact; tokens",
    against: "a count that does not round to 86M",
    protocol: &["BERT-Base of Table 2; everything but the token embedding"],
    choices: &["the head of a masked language model, as the loss column of Table 2 asks"],
    departures: &["no vocabulary is given; it touches this count through one bias for each token only"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let shape = BertShape::base();
    let layout = shape.layout(BertHead::Masked)?;
    let rest = numbers_in(&layout, |name| name != "tokens");
    let label = "everything but the table of tokens, masked language model: millions";
    s.printed(MILLION).of("count").equals(label, 86.0, millions(rest));
    let implied = (110.0 - 86.0) * 1e6 / shape.hidden as f64;
    let label = "tokens that 110M less 86M imply, beside those of the public model";
    s.support(TOKENS).of("count").equals(label, shape.vocabulary as f64, implied);
    for (way, count) in [
        ("token vectors as wide as the MLP", layout.len().abs_diff(shape.vocabulary * shape.mlp)),
        ("scores with a table of their own", rest + numbers_in(&layout, |name| name == "tokens")),
        ("one layer forgotten", numbers_in(&layout, |name| name != "tokens" && !name.contains("encoder/11/"))),
    ] {
        s.twin(MILLION).of("count").equals(format!("{way}: millions"), 86.0, millions(count));
    }
    s.note(
        "other readings: 85.5M for the bare encoder, 86.0M with a pooler, 86.7M with every head of the public model",
    );
    Ok(())
}
