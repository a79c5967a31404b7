//! Table 2: BERT-Base.
//!
//! **Claim** (`mnemosyne/table-2`). 12 heads, 12 layers, hidden dimension 768, MLP dimension 3072, 110M parameters, trained on 4x2 TPUv3
//! with the loss of masked language modelling.
//!
//! The table gives no vocabulary; the public model of this name has 30,522 tokens, 512 positions and two segments. Its loss column says what
//! stands on the encoder: the head of a masked language model. Refuted by heads that do not divide, or a count that does not round to
//! 110M. The machine is no count and is not tested.

use workbench_display::{Table, columns};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_optimizer::counts::{BertHead, BertShape, numbers_in};

use super::printed_tables::{MILLION, millions};

/// BERT-Base as printed.
pub const CHECK: Check = Check {
    claim: "mnemosyne/table-2",
    metric: "millions of parameters, exact; what heads leave of the hidden dimension",
    against: "heads that do not divide 768; a count that does not round to 110M",
    protocol: &["12 heads, 12 layers, 768, 3072; the loss of masked language modelling"],
    choices: &["the head of a masked language model, whose scores use the table of tokens again"],
    departures: &[
        "the table gives no vocabulary: that of the public model, 30,522 tokens, 512 positions and two segments; what other vocabularies do is reported",
    ],
    run,
    ..Check::DEFAULT
};

/// What may stand on the encoder, in words.
const HEADS: [(&str, BertHead); 4] = [
    ("nothing", BertHead::None),
    ("pooler", BertHead::Pooler),
    ("masked language model", BertHead::Masked),
    ("pooler, masked language model, next sentence", BertHead::All),
];

fn run(s: &Sheet) -> Done {
    let shape = BertShape::base();
    let layout = shape.layout(BertHead::Masked)?;
    let label = "BERT-Base with the head of a masked language model: millions";
    s.printed(MILLION).of("count").equals(label, 110.0, millions(layout.len()));
    s.printed(Margin::ZERO).same("what 12 heads leave of the hidden dimension", (shape.hidden % 12) as f64);

    let without = |part: &str| numbers_in(&layout, |name| !name.contains(part));
    for (way, count) in [
        ("no position embeddings", without("positions")),
        ("one layer forgotten", without("encoder/11/")),
        ("a second table of tokens for the scores", layout.len() + numbers_in(&layout, |name| name == "tokens")),
        ("attention without its last matrix", without("attention/out")),
    ] {
        s.twin(MILLION).of("count").equals(format!("{way}: millions"), 110.0, millions(count));
    }
    // Each token brings a vector and a bias.
    let each = shape.hidden + 1;
    let rest = layout.len() - each * shape.vocabulary;
    let (least, most) = ((109_500_000 - rest).div_ceil(each), (110_500_000 - rest) / each);
    s.note(format!(
        "the count rounds to 110M for vocabularies from {least} to {most} tokens; the cased one of 28,996 is outside"
    ));
    s.table(table(shape)?);
    Ok(())
}

fn table(shape: BertShape) -> Result<Table, Failure> {
    let counts = HEADS.iter().map(|(_, head)| Ok(shape.layout(*head)?.len() as f64));
    let counts = counts.collect::<Result<Vec<f64>, Failure>>()?;
    let rest = counts.iter().map(|count| count - (shape.vocabulary * shape.hidden) as f64);
    let frame = columns(vec![
        ("on the encoder", HEADS.map(|(name, _)| name).into()),
        ("all", (&counts).into()),
        ("all but the table of tokens", rest.collect::<Vec<f64>>().into()),
    ])?;
    Ok(Table::new(frame).title("Parameters of BERT-Base under four readings").digits(9))
}
