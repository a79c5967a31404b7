//! Appendix A.1, last display: the signs of the prediction.
//!
//! **Claim** (`memformer/a1-prediction`). g(x, y, k) = y - <theta, x> = y + <w_k, x>.
//!
//! The same proof has g = <theta_k, x> + y, and Eq. 2.9 has -<x, w>. Four candidates against the forward pass. Against the claim counts an
//! answer that is not the printed one.

use workbench_display::{Table, columns};
use workbench_ledger::{Checked, Evidence, Failure, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Fraction, Instance, Mask, Number, fraction_vector, identity, preconditioned_descent, query_outputs, recovered_theta,
};

use super::appendix_a_1::{cases, general, layers_of, sizes, symmetric};
use super::exact::{Tally, dot, part};
use crate::vocabulary::EXACT;

/// The candidates on random queries.
#[derive(Clone, Debug, Default)]
pub struct Signs {
    /// Prompts; by scale if 0.
    pub prompts: usize,
}

const LAYERS: usize = 3;
const CANDIDATES: [&str; 5] = ["y − ⟨θ, x⟩ (printed)", "y + ⟨w, x⟩ (printed)", "y + ⟨θ, x⟩", "y − ⟨w, x⟩", "⟨θ, x⟩"];

impl TypedCheck for Signs {
    const CLAIM: &'static str = "memformer/a1-prediction";
    const PLAN: Plan = Plan::new(
        "answers that differ, in fractions",
        "an answer of the forward pass that is not the printed expression",
        &[EXACT],
    )
    .departures(&["d = 2 or 3, n = 3 to 5, three layers; symmetric A, so that the transpose plays no part"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("prediction")?;
        let mut seen = [Tally::default(); CANDIDATES.len()];
        for case in 0..cases(setting, self.prompts) {
            let (d, n) = sizes(case);
            let prompt = Instance::draw(&mut stream, d, n)?;
            let a = symmetric(&general(&mut stream, LAYERS, d));
            let (f, layers) = (prompt.quadratic(), layers_of(&a)?);
            let theta = recovered_theta(&layers, &prompt, &identity(d), Mask::Printed)?;
            let w = preconditioned_descent(&f, &f.origin(), &a)?.iterates;
            // The label is never 0, or two candidates were one.
            let x = fraction_vector(&mut stream, d);
            let y = Fraction::draw(&mut stream).plus(&part(1, 7));
            let g = query_outputs(&layers, &prompt, &x, &y, Mask::Printed)?;
            for k in 1..=LAYERS {
                let (t, v) = (dot(&theta[k], &x)?, dot(&w[k], &x)?);
                let values = [y.minus(&t), y.plus(&v), y.plus(&t), y.minus(&v), t];
                seen.iter_mut().zip(&values).for_each(|(seen, value)| seen.see(g[k] != *value));
            }
        }
        let [minus_theta, plus_w, plus_theta, minus_w, unlabelled] = seen;
        let evidence = Evidence::of(minus_theta.none("answers that differ from y - <θ, x>", "answers"))
            .and(plus_w.none("answers that differ from y + <w, x>", "answers"))
            .misprint(
                "both signs turned: g = y + <θ, x> = y - <w, x>, as in Eq. 2.9",
                vec![
                    plus_theta.none("answers that differ from y + <θ, x>", "answers"),
                    minus_w.none("answers that differ from y - <w, x>", "answers"),
                ],
            )
            .twin(unlabelled.none("answers that differ from <θ, x>, without the label", "answers"));
        let frame = columns(vec![
            ("candidate", CANDIDATES.into()),
            ("answers that differ", seen.map(|s| s.off as f64).into()),
            ("of", seen.map(|s| s.of as f64).into()),
        ])?;
        let table = Table::new(frame).title("Five candidates for the prediction, in fractions").digits(4);
        Ok(Checked::from(evidence).table(table))
    }
}
