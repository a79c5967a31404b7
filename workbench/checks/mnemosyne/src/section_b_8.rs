//! B.8: what is fine-tuned of ViT-H.
//!
//! **Claim** (`mnemosyne/b8-parameter-count`). Embedding and cls layer of the ViT-H of Table 1 hold about 1M parameters.
//!
//! The embedding is the matrix that makes a vector of each patch, so the side of the patch decides. Table 1 prints 32. Position embeddings
//! may be meant as well or not: both are counted. Against it: a count that does not round to one million.

use workbench_display::{Table, columns};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_optimizer::Layout;
use workbench_optimizer::counts::{VitReading, VitShape, numbers_in};

use super::section_b::{MILLION, TABLE_1, counted, millions};

/// Embedding and cls of ViT-H.
#[derive(Clone, Debug)]
pub struct EmbeddingAndCls {
    /// Sides of patches beside the printed one.
    pub sides: Vec<usize>,
}

impl Default for EmbeddingAndCls {
    fn default() -> EmbeddingAndCls {
        EmbeddingAndCls { sides: vec![14, 16] }
    }
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

/// The two findings of a patch.
fn findings(patch: usize) -> Result<[Finding; 2], Failure> {
    let [plain, placed] = both(patch)?;
    let finding =
        |what: &str, count| counted(format!("patches of side {patch}, {what}: millions"), 1.0, MILLION, count);
    Ok([finding("embedding and cls", plain), finding("embedding, cls and positions", placed)])
}

/// Wrong ways to count a patch of side 14.
fn twins() -> Result<Vec<Finding>, Failure> {
    let (shape, embedding) = (huge(14), |name: &str| name.starts_with("embedding/"));
    let kernel = numbers_in(&all_of(shape)?, |name| name == "embedding/kernel");
    let wide = VitShape { hidden: shape.mlp, ..shape };
    let ways = [
        ("one side of the patch for its area", kernel / shape.patch),
        ("one colour for three", kernel / 3),
        ("the MLP dimension for the hidden one", numbers_in(&all_of(wide)?, embedding)),
        ("an embedding for each layer", shape.layers * numbers_in(&all_of(shape)?, embedding)),
    ];
    let finding = |(way, count)| counted(format!("side 14, {way}: millions"), 1.0, MILLION, millions(count));
    Ok(ways.into_iter().map(finding).collect())
}

impl TypedCheck for EmbeddingAndCls {
    const CLAIM: &'static str = "mnemosyne/b8-parameter-count";
    const PLAN: Plan = Plan::new(
        "millions of parameters in the named tensors, exact",
        "a count that does not round to one million",
        &[MILLION],
    )
    .protocol(&["ViT-Huge of Table 1: hidden dimension 1280, patches of side 32, colour images of side 224"])
    .departures(&[
        "the text does not say whether position embeddings belong to the embedding; both readings are counted",
    ]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let printed = TABLE_1[3].shape.patch;
        let mut mended = Vec::new();
        for &side in &self.sides {
            mended.extend(findings(side)?);
        }
        let [plain, placed] = findings(printed)?;
        let mut evidence =
            Evidence::of(plain).and(placed).misprint("the patches of this ViT-H have side 14 or 16, not 32", mended);
        for twin in twins()? {
            evidence = evidence.twin(twin);
        }
        let sides: Vec<usize> = [&[printed], self.sides.as_slice()].concat();
        let counts = sides.iter().map(|&side| both(side)).collect::<Result<Vec<_>, _>>()?;
        let frame = columns(vec![
            ("side of a patch", sides.iter().map(|&side| side as f64).collect::<Vec<f64>>().into()),
            ("embedding and cls", counts.iter().map(|c| c[0]).collect::<Vec<f64>>().into()),
            ("and positions", counts.iter().map(|c| c[1]).collect::<Vec<f64>>().into()),
        ])?;
        let table = Table::new(frame).title("Millions of parameters that B.8 fine-tunes in ViT-H").digits(4);
        let note = "patches of side 32 in one colour would give 1.3 million too; the data sets of B.7 are in colour";
        Ok(Checked::from(evidence.note(note)).table(table))
    }
}
