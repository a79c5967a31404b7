//! Table 1: the four vision transformers.
//!
//! **Claim** (`mnemosyne/table-1`). Heads, layers, hidden dimension, MLP dimension, parameters and patch size: ViT-Base 12, 12, 768, 3072,
//! 86M, 16; ViT-Large (16) 24, 16, 1024, 4096, 307M, 16; ViT-Large (32) the same with 32; ViT-Huge 32, 16, 1280, 5120, 632M, 32.
//!
//! The columns have to fit each other: heads share the hidden dimension, and the other columns give the number of parameters, up to the
//! rounding of what is printed. The table does not say whether biases, norms, class token, position embeddings or a head are counted, so all
//! 32 readings are. The two rows of ViT-Large print one number. The patch of ViT-Huge is held against the 632M of its row; the ~1M that B.8
//! gives for its embedding and cls stands beside it. Refuted by heads that do not divide, or a number that no reading rounds to.

use workbench_display::{Table, columns};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_optimizer::Layout;
use workbench_optimizer::counts::{VitReading, VitShape, numbers_in};

use super::printed_tables::{MILLION, Row, TABLE_1, millions, parameters};
use crate::vocabulary::least_of;

const LAYER: Margin = Margin::ours(
    "half a layer",
    0.015,
    "a layer is at least 3.1 % of its model in all four rows, so less than half of that tells the number of layers from its neighbours",
);
const ALIKE: Margin =
    Margin::rounding("round alike", 1.0, "two numbers that round to the same million lie within one million");

/// Classes of the head, in the readings that have one.
const CLASSES: usize = 1000;

/// The four rows.
pub const CHECK: Check = Check {
    claim: "mnemosyne/table-1",
    metric: "what heads leave of the hidden dimension; millions by which the count misses the Params column, and between the two rows of ViT-Large; millions in ViT-Huge; beside them those in its embedding and cls",
    against: "heads that do not divide the hidden dimension; a printed number that no reading rounds to",
    protocol: &["the four rows as printed"],
    choices: &[
        "colour images of side 224, as these models are usually trained; 32 readings: biases, norms, class token, positions, head of 1000 classes, each counted or not",
    ],
    departures: &[
        "the table gives no image side and says of no part whether it is counted; every reading is run, and one that rounds to the printed number is enough for a row",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.misprint(
        "heads and layers are exchanged in the rows of Large and Huge; the patches of ViT-Huge have side 14 or 16, not 32; ViT-Large (16) has 303M or 304M, not the 307M of ViT-Large (32)",
    );
    // Exchanging the equal numbers of ViT-Base changes nothing.
    let exchanged = TABLE_1.map(|row| Row { shape: row.shape.exchanged(), ..row });
    let mut right = exchanged;
    right[1].millions = 304.0;
    right[3].shape.patch = 14;
    for (row, mended) in s.each("rows", TABLE_1.iter().zip(&right)) {
        let label = "columns as labelled: what the heads leave of the hidden dimension, largest";
        s.printed(Margin::ZERO).same(label, row.shape.left_over() as f64);
        let label = "exchanged: what the heads leave of the hidden dimension, largest";
        s.changed(Margin::ZERO).same(label, mended.shape.left_over() as f64);
        let label = "columns as labelled: millions off the Params column, worst row under its best reading";
        s.printed(MILLION).at_most(label, least_of(gaps(row, Layout::len)?));
        let label = "all three mended: millions off the Params column, worst row under its best reading";
        s.changed(MILLION).at_most(label, least_of(gaps(mended, Layout::len)?));
    }
    for reading in s.each("readings", VitReading::all(CLASSES)) {
        let apart = parameters(&exchanged[2].shape, &reading)? - parameters(&exchanged[1].shape, &reading)?;
        let label = "millions between ViT-Large (32) and (16), both printed as 307M, least over the readings";
        s.printed(ALIKE).least().at_most(label, apart.abs());
    }
    for row in &exchanged {
        for gap in s.each("rows and readings", gaps(row, Layout::len)?) {
            let label = "exchanged: share off the Params column, largest over rows and readings";
            s.aside(LAYER).at_most(label, gap / row.millions);
        }
    }
    let with = |patch| VitShape { patch, ..exchanged[3].shape };
    let label = "ViT-Huge with patches of 32: millions in embedding and cls, which B.8 gives as 1M";
    let (beside, of) = (s.aside(MILLION).of("count"), |patch| below_the_layers(&with(patch)));
    beside.equals(label, 1.0, of(exchanged[3].shape.patch)?);
    for side in [14, 16] {
        let label = format!("ViT-Huge with patches of {side}: millions in embedding and cls");
        beside.equals(label, 1.0, of(side)?);
    }
    for reading in s.each("readings", VitReading::all(CLASSES)) {
        let label = "ViT-Huge exchanged, patches of 32: millions beyond 632, whatever is counted";
        let beyond = parameters(&with(exchanged[3].shape.patch), &reading)? - exchanged[3].millions;
        s.printed(MILLION).least().at_most(label, beyond);
    }
    for side in [14, 16] {
        let label = format!("ViT-Huge exchanged and with patches of side {side}, everything counted: millions");
        let finer = parameters(&with(side), &VitReading::whole(CLASSES))?;
        s.changed(MILLION).of("count").equals(label, exchanged[3].millions, finer);
    }
    for row in &right {
        let shorter = Row { shape: VitShape { layers: row.shape.layers - 1, ..row.shape }, ..*row };
        let without = |part: &'static str| gaps(row, move |layout| numbers_in(layout, |name| !name.contains(part)));
        for (way, gaps) in [
            ("one layer forgotten", gaps(&shorter, Layout::len)?),
            ("attention without its last matrix", without("attention/out")?),
            ("an MLP of one matrix", without("mlp/out")?),
        ] {
            for gap in s.each("rows and readings", gaps) {
                s.twin(MILLION).at_most(format!("{way}: millions off the Params column, at its best"), gap);
            }
        }
    }
    s.table(table(&exchanged)?);
    Ok(())
}

/// Millions in embedding and cls.
fn below_the_layers(shape: &VitShape) -> Result<f64, Failure> {
    let layout = shape.layout(&VitReading::whole(CLASSES))?;
    Ok(millions(numbers_in(&layout, |name| name.starts_with("embedding/") || name == "cls")))
}

/// Millions by which a count misses the Params column, under each reading.
fn gaps(row: &Row, count: impl Fn(&Layout) -> usize) -> Result<Vec<f64>, Failure> {
    let gap = |reading| Ok((millions(count(&row.shape.layout(reading)?)) - row.millions).abs());
    VitReading::all(CLASSES).iter().map(gap).collect()
}

fn table(exchanged: &[Row]) -> Result<Table, Failure> {
    let whole = VitReading::whole(CLASSES);
    let count = |rows: &[Row], reading| -> Result<Vec<f64>, Failure> {
        rows.iter().map(|row| parameters(&row.shape, reading)).collect()
    };
    let frame = columns(vec![
        ("model", TABLE_1.map(|row| row.name).into()),
        ("Params", TABLE_1.map(|row| row.millions).into()),
        ("as labelled", count(&TABLE_1, &whole)?.into()),
        ("exchanged, with a head", count(exchanged, &whole)?.into()),
        ("exchanged, no head", count(exchanged, &VitReading { classes: 0, ..whole })?.into()),
    ])?;
    Ok(Table::new(frame).title("Millions of parameters: printed, and counted from the other columns").digits(5))
}
