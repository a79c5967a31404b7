//! Eq. A.1: the row of labels.
//!
//! **Claim** (`memformer/eq-A1`). Under Eq. 2.8 the first d rows never change, and Y_{k+1} = Y_k - Y_k M X_0^T A_k X_0 / n.
//!
//! Refuted by a covariate that moves, or a label, of any token after any layer, that the recursion does not give.

use ndarray::s;
use workbench_ledger::{Check, Done, Sheet};
use workbench_memformer::{Instance, Mask, label_rows, literal_forward};

use super::exact_layers::{general, layers_of, sizes, transposes};
use crate::vocabulary::EXACT;

/// Every label of three layers.
pub const CHECK: Check = Check {
    claim: "memformer/eq-A1",
    metric: "labels and layers that differ, in fractions",
    against: "a label that the recursion does not give, a covariate that moves",
    departures: &["d = 2 or 3, n = 3 to 5, three layers with general A, so that equal means equal"],
    run,
    ..Check::DEFAULT
};

const LAYERS: usize = 3;

fn run(s: &Sheet) -> Done {
    let mut stream = s.stream("A.1")?;
    let (printed, twin) = (s.printed(EXACT).of("labels"), s.twin(EXACT).of("labels"));
    for case in s.cases("prompts", 20, 100)? {
        let (d, n) = sizes(case);
        let prompt = Instance::draw(&mut stream, d, n)?;
        let a = general(&mut stream, LAYERS, d);
        let layers = layers_of(&a)?;
        let states = literal_forward(&layers, &prompt.tokens, Mask::Printed)?;
        let unmasked = literal_forward(&layers, &prompt.tokens, Mask::Absent)?;
        let (rows, other) = (label_rows(&prompt, &a)?, label_rows(&prompt, &transposes(&a))?);
        for l in 1..=LAYERS {
            for i in 0..=n {
                let label = &states[l][[d, i]];
                printed.never("labels that differ from the forward pass", *label != rows[l][i]);
                twin.never("with the transpose of A: labels that differ", *label != other[l][i]);
                let label = "against a forward pass without mask: labels that differ";
                twin.never(label, unmasked[l][[d, i]] != rows[l][i]);
            }
            let moved = states[l].slice(s![..d, ..]) != prompt.tokens.slice(s![..d, ..]);
            s.printed(EXACT).of("layers").never("layers that change a covariate", moved);
        }
    }
    Ok(())
}
