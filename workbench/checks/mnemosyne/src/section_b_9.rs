//! B.9: what is fine-tuned of ViT-Base.
//!
//! **Claim** (`mnemosyne/b9-parameter-count`). The top 8 layers of ViT-Base with head, cls and embedding hold about 50M parameters; the
//! bottom 4 layers stay fixed.
//!
//! Counted from Table 1 under every reading of what belongs to a layer, to the embedding and to the head. That the memory ran out there is
//! a statement about a machine, and no count speaks about it. "About" has no digits, so the number is held against the two others that the
//! paragraph speaks of: the whole model, which Adam tunes, and what is left if the four bottom layers are meant. Refuted by one of them that
//! is as near to 50M, as a ratio, or 8 + 4 layers that are not all. That the count is 57 or 58 million, and 50 the top seven layers, stands
//! beside it.

use std::ops::Range;

use workbench_display::{Table, columns};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_optimizer::counts::{VitReading, VitShape, numbers_in};

use super::printed_tables::{TABLE_1, TEN_MILLIONS, millions};
use crate::vocabulary::{largest_of, least_of};

const BASE: VitShape = TABLE_1[0].shape;
/// Layers that are tuned, and layers that stay as they are.
const TUNED: usize = 8;
const FIXED: usize = 4;
/// The printed number of millions, said with "about".
const ABOUT: f64 = 50.0;
/// Classes of the head.
const CLASSES: usize = 1000;

/// The upper layers of ViT-Base, and what is not in a layer.
pub const CHECK: Check = Check {
    claim: "mnemosyne/b9-parameter-count",
    metric: "distance from 50M, as the logarithm of a ratio, of the parameters in the named tensors, less that of all layers and of the bottom four; exact",
    against: "a count that is no nearer to 50M than these; 8 + 4 layers that are not all of Table 1",
    protocol: &["ViT-Base of Table 1, patches of side 16; top 8 layers, bottom 4"],
    choices: &[
        "colour images of side 224",
        "\"about 50M\" is what is nearer to 50M, as a ratio, than the other two counts: any printed number from 42M to 70M would have passed",
    ],
    departures: &["the data set of B.9 is not named; the head has 1000 classes or is left out, 0.8M at most"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let ([least, most], [_, seven]) = (top(TUNED)?, top(TUNED - 1)?);
    let (whole, layout) = (VitReading::whole(CLASSES), BASE.layout(&VitReading::whole(CLASSES))?);
    let from = |count: f64| (count / ABOUT).ln().abs();
    // Each rival at the reading that brings it nearest.
    let near = |layers: Range<usize>| Ok::<_, Failure>(least_of(span(layers)?.map(from)));
    let rivals =
        [("all layers", near(0..BASE.layers)?), ("the bottom four layers and what is in no layer", near(0..FIXED)?)];
    for (name, rival) in rivals {
        let label = format!("log distance of the top 8 layers from 50M, less that of {name}, worst readings of both");
        let worst = largest_of([from(least), from(most)]) - rival;
        s.printed(Margin::ZERO).over(16, "readings").at_most(label, worst);
    }
    let label = "tuned and fixed layers less the printed number of layers";
    s.printed(Margin::ZERO).same(label, (TUNED + FIXED).abs_diff(BASE.layers) as f64);
    let about = s.aside(TEN_MILLIONS).over(16, "readings");
    about.equals("top 8 layers, cls and embedding, least over the readings: millions", ABOUT, least);
    about.equals("top 8 layers and what is not in a layer, everything counted: millions", ABOUT, most);
    about.equals("top 7 layers and what is not in a layer, everything counted: millions", ABOUT, seven);

    let other = |row: usize| -> Result<f64, Failure> {
        let shape = TABLE_1[row].shape.exchanged();
        let top = shape.layers - TUNED..shape.layers;
        Ok(millions(numbers_in(&shape.layout(&whole)?, |name| tuned(name, top.clone()))))
    };
    for (way, count) in [
        ("the columns of ViT-Large", other(1)?),
        ("the columns of ViT-Huge", other(3)?),
        ("without what is in a layer", millions(numbers_in(&layout, |name| tuned(name, 0..0)))),
    ] {
        let nearest = least_of(rivals.map(|(_, rival)| rival));
        let label = format!("{way}: log distance from 50M, less that of the nearer of the two");
        s.twin(Margin::ZERO).of("count").at_most(label, from(count) - nearest);
    }
    s.note(format!(
        "the count is {least:.1} to {most:.1} million; fifty million are the top seven layers, {seven:.1} with everything counted"
    ));
    s.note("that the memory ran out at this size is not tested: it speaks of a machine and not of a count");
    let tops = [TUNED - 2, TUNED - 1, TUNED, TUNED + 1];
    let spans = tops.map(top).into_iter().collect::<Result<Vec<_>, _>>()?;
    let frame = columns(vec![
        ("top layers", tops.map(|top| top as f64).into()),
        ("least reading", spans.iter().map(|span| span[0]).collect::<Vec<f64>>().into()),
        ("everything counted", spans.iter().map(|span| span[1]).collect::<Vec<f64>>().into()),
    ])?;
    let title = "Millions of parameters in the top layers of ViT-Base, with head, cls and embedding";
    s.table(Table::new(frame).title(title).digits(4));
    Ok(())
}

/// A name in one of these layers, or in none.
fn tuned(name: &str, layers: Range<usize>) -> bool {
    let mut parts = name.split('/');
    match (parts.next(), parts.next().map(str::parse::<usize>)) {
        (Some("encoder"), Some(Ok(layer))) => layers.contains(&layer),
        _ => true,
    }
}

/// Least and largest millions over the readings, with this many top layers.
fn top(layers: usize) -> Result<[f64; 2], Failure> {
    span(BASE.layers - layers..BASE.layers)
}

/// The same with these layers.
fn span(layers: Range<usize>) -> Result<[f64; 2], Failure> {
    let readings = VitReading::all(CLASSES).into_iter().filter(|reading| reading.class_token);
    let these = |name: &str| tuned(name, layers.clone());
    let counts = readings.map(|reading| Ok(millions(numbers_in(&BASE.layout(&reading)?, these))));
    let counts = counts.collect::<Result<Vec<f64>, Failure>>()?;
    Ok([least_of(counts.iter().copied()), largest_of(counts)])
}
