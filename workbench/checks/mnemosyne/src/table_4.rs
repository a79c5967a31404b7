//! Table 4: T5XXL.
//!
//! **Claim** (`mnemosyne/table-4`). 24 encoder and 24 decoder layers, 64 heads of dimension 64, embedding dimension 4096, MLP dimension
//! 10240, 11B parameters, on 2x2x4 TPUv3.
//!
//! The public model with these columns has 32,128 tokens, a gate in its MLP and scores of their own; the table says nothing of the three.
//! Refuted by heads that are together not as wide as the embedding, or a count that does not round to 11B. The machine is not tested.

use workbench_display::{Table, columns};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_optimizer::counts::{T5Reading, T5Shape, numbers_in};

use super::printed_tables::BILLION;

/// T5XXL as printed.
pub const CHECK: Check = Check {
    claim: "mnemosyne/table-4",
    metric: "billions of parameters, exact; width of all heads less the embedding dimension",
    against: "a count with a gate that does not round to 11B; heads that do not make up the embedding",
    protocol: &["24 and 24 layers, 64 heads of 64, 4096, 10240"],
    choices: &["no biases, norms with a scale only"],
    departures: &[
        "vocabulary, gate and scores are not printed: those of the public model of this name, with scores of their own and from the table; a model without the gate is run as a twin",
    ],
    run,
    ..Check::DEFAULT
};

const READINGS: [(&str, T5Reading); 4] = [
    ("gate, scores of their own", reading(true, false)),
    ("gate, scores from the table", reading(true, true)),
    ("no gate, scores of their own", reading(false, false)),
    ("no gate, scores from the table", reading(false, true)),
];

const fn reading(gated: bool, tied: bool) -> T5Reading {
    T5Reading { gated, tied }
}

fn run(s: &Sheet) -> Done {
    let shape = T5Shape::xxl();
    let printed = s.printed(BILLION).of("count");
    printed.equals("T5XXL with scores of their own: billions", 11.0, billions(shape, reading(true, false))?);
    printed.equals("T5XXL with scores from the table of tokens: billions", 11.0, billions(shape, reading(true, true))?);
    let apart = (shape.heads * shape.head_width).abs_diff(shape.width);
    s.printed(Margin::ZERO).same("width of all heads less the embedding dimension", apart as f64);

    let layout = shape.layout(reading(true, false))?;
    let without = |part: &str| numbers_in(&layout, |name| !name.contains(part)) as f64 / 1e9;
    let wide = T5Shape { head_width: 2 * shape.head_width, ..shape };
    for (way, count) in [
        ("a decoder that does not look at the encoder", without("/cross/")),
        ("an MLP without its gate", billions(shape, reading(false, false))?),
        ("heads twice as wide", billions(wide, reading(true, false))?),
        ("attention without its last matrix", without("/out/kernel")),
    ] {
        s.twin(BILLION).of("count").equals(format!("{way}: billions"), 11.0, count);
    }
    let counts = READINGS.iter().map(|(_, reading)| billions(shape, *reading)).collect::<Result<Vec<f64>, _>>()?;
    let frame = columns(vec![("reading", READINGS.map(|(name, _)| name).into()), ("billions", counts.into())])?;
    s.table(Table::new(frame).title("Parameters of T5XXL under four readings").digits(5));
    Ok(())
}

fn billions(shape: T5Shape, reading: T5Reading) -> Result<f64, Failure> {
    Ok(shape.layout(reading)?.len() as f64 / 1e9)
}
