//! B.8: what is fine-tuned of ViT-H.
//!
//! **Claim** (`mnemosyne/b8-parameter-count`). Embedding and cls layer of the ViT-H of Table 1 hold about 1M parameters.
//!
//! The embedding is the matrix that makes a vector of each patch, so the side of the patch decides. Table 1 prints 32, which is charged there
//! (`mnemosyne/table-1`): here its patches have 14 or 16, and 32 is a wrong twin. Position embeddings may be meant as well or not: both are
//! counted. Refuted by a count that does not round to one million.

use workbench_display::{Table, columns};
use workbench_ledger::{Check, Done, Failure, Sheet};
use workbench_optimizer::Layout;
use workbench_optimizer::counts::{VitReading, VitShape, numbers_in};

use super::printed_tables::{MILLION, TABLE_1, millions};

/// Embedding and cls of ViT-H.
pub const CHECK: Check = Check {
    claim: "mnemosyne/b8-parameter-count",
    metric: "millions of parameters in the named tensors, exact",
    against: "a count that does not round to one million",
    protocol: &["ViT-Huge of Table 1: hidden dimension 1280"],
    choices: &["colour images of side 224"],
    departures: &[
        "patches of side 14 and of 16 for the 32 of Table 1, which is a misprint of the table",
        "the text does not say whether position embeddings belong to the embedding; both readings are counted",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.see("mnemosyne/table-1");
    let sides = [TABLE_1[3].shape.patch, 14, 16];
    let counts = sides.map(both).into_iter().collect::<Result<Vec<_>, _>>()?;
    for (side, [plain, placed]) in sides.iter().zip(&counts) {
        let says = if *side == sides[0] { s.twin(MILLION) } else { s.printed(MILLION) }.of("count");
        says.equals(format!("patches of side {side}, embedding and cls: millions"), 1.0, *plain);
        says.equals(format!("patches of side {side}, embedding, cls and positions: millions"), 1.0, *placed);
    }

    let shape = huge(14);
    let embedding = |shape| Ok::<_, Failure>(numbers_in(&all_of(shape)?, |name| name.starts_with("embedding/")));
    let kernel = numbers_in(&all_of(shape)?, |name| name == "embedding/kernel");
    for (way, count) in [
        ("one side of the patch for its area", kernel / shape.patch),
        ("one colour for three", kernel / 3),
        ("the MLP dimension for the hidden one", embedding(VitShape { hidden: shape.mlp, ..shape })?),
        ("an embedding for each layer", shape.layers * embedding(shape)?),
    ] {
        s.twin(MILLION).of("count").equals(format!("side 14, {way}: millions"), 1.0, millions(count));
    }
    s.note("patches of side 32 in one colour would give 1.3 million too; the data sets of B.7 are in colour");
    let frame = columns(vec![
        ("side of a patch", sides.map(|side| side as f64).into()),
        ("embedding and cls", counts.iter().map(|count| count[0]).collect::<Vec<f64>>().into()),
        ("and positions", counts.iter().map(|count| count[1]).collect::<Vec<f64>>().into()),
    ])?;
    s.table(Table::new(frame).title("Millions of parameters that B.8 fine-tunes in ViT-H").digits(4));
    Ok(())
}

fn huge(patch: usize) -> VitShape {
    VitShape { patch, ..TABLE_1[3].shape.exchanged() }
}

fn all_of(shape: VitShape) -> Result<Layout, Failure> {
    Ok(shape.layout(&VitReading::whole(1000))?)
}

/// Millions in embedding and cls, and with the positions.
fn both(patch: usize) -> Result<[f64; 2], Failure> {
    let layout = all_of(huge(patch))?;
    let tuned = numbers_in(&layout, |name| name.starts_with("embedding/") || name == "cls");
    let positions = numbers_in(&layout, |name| name == "positions");
    Ok([millions(tuned), millions(tuned + positions)])
}
