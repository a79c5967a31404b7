//! Eq. A.1: the row of labels.
//!
//! **Claim** (`memformer/eq-A1`). Under Eq. 2.8 the first d rows never change, and Y_{k+1} = Y_k - Y_k M X_0^T A_k X_0 / n.
//!
//! Against it counts a covariate that moves, or a label, of any token after any layer, that the recursion does not give.

use ndarray::s;
use workbench_ledger::{Checked, Evidence, Failure, Plan, Setting, TypedCheck};
use workbench_memformer::{Instance, Mask, label_rows, literal_forward};

use super::appendix_a_1::{cases, general, layers_of, sizes, transposes};
use super::exact::Tally;
use crate::vocabulary::EXACT;

/// Every label of three layers.
#[derive(Clone, Debug, Default)]
pub struct LabelRow {
    /// Prompts; by scale if 0.
    pub prompts: usize,
}

const LAYERS: usize = 3;

impl TypedCheck for LabelRow {
    const CLAIM: &'static str = "memformer/eq-A1";
    const PLAN: Plan = Plan::new(
        "labels and layers that differ, in fractions",
        "a label that the recursion does not give, a covariate that moves",
        &[EXACT],
    )
    .departures(&["d = 2 or 3, n = 3 to 5, three layers with general A, so that equal means equal"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("A.1")?;
        let [mut printed, mut transposed, mut open, mut moved] = [Tally::default(); 4];
        for case in 0..cases(setting, self.prompts) {
            let (d, n) = sizes(case);
            let prompt = Instance::draw(&mut stream, d, n)?;
            let a = general(&mut stream, LAYERS, d);
            let layers = layers_of(&a)?;
            let states = literal_forward(&layers, &prompt.tokens, Mask::Printed)?;
            let unmasked = literal_forward(&layers, &prompt.tokens, Mask::Absent)?;
            let (rows, other) = (label_rows(&prompt, &a)?, label_rows(&prompt, &transposes(&a))?);
            for l in 1..=LAYERS {
                moved.see(states[l].slice(s![..d, ..]) != prompt.tokens.slice(s![..d, ..]));
                for i in 0..=n {
                    printed.see(states[l][[d, i]] != rows[l][i]);
                    transposed.see(states[l][[d, i]] != other[l][i]);
                    open.see(unmasked[l][[d, i]] != rows[l][i]);
                }
            }
        }
        let evidence = Evidence::of(printed.none("labels that differ from the forward pass", "labels"))
            .and(moved.none("layers that change a covariate", "layers"))
            .twin(transposed.none("with the transpose of A: labels that differ", "labels"))
            .twin(open.none("against a forward pass without mask: labels that differ", "labels"));
        Ok(evidence.into())
    }
}
