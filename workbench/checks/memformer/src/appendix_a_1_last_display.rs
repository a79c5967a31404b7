//! Appendix A.1, last display: the signs of the prediction.
//!
//! **Claim** (`memformer/a1-prediction`). g(x, y, k) = y - <theta, x> = y + <w_k, x>.
//!
//! The same proof has g = <theta_k, x> + y, and Eq. 2.9 has -<x, w>. Four candidates against the forward pass. Refuted by an answer that
//! is not the printed one.

use workbench_display::{Table, columns};
use workbench_ledger::{Check, Done, Sheet};
use workbench_memformer::{
    Fraction, Instance, Mask, Number, fraction_vector, identity, preconditioned_descent, query_outputs, recovered_theta,
};

use super::exact::{dot, part};
use super::exact_layers::{general, layers_of, sizes, symmetric};
use crate::vocabulary::EXACT;

/// The candidates on random queries.
pub const CHECK: Check = Check {
    claim: "memformer/a1-prediction",
    metric: "answers that differ, in fractions",
    against: "an answer of the forward pass that is not the printed expression",
    departures: &["d = 2 or 3, n = 3 to 5, three layers; symmetric A, so that the transpose plays no part"],
    run,
    ..Check::DEFAULT
};

const LAYERS: usize = 3;

fn run(s: &Sheet) -> Done {
    let mut stream = s.stream("prediction")?;
    s.misprint("both signs turned: g = y + <θ, x> = y - <w, x>, as in Eq. 2.9");
    let candidates = [
        (s.printed(EXACT), "y − ⟨θ, x⟩ (printed)", "answers that differ from y - <θ, x>"),
        (s.printed(EXACT), "y + ⟨w, x⟩ (printed)", "answers that differ from y + <w, x>"),
        (s.changed(EXACT), "y + ⟨θ, x⟩", "answers that differ from y + <θ, x>"),
        (s.changed(EXACT), "y − ⟨w, x⟩", "answers that differ from y - <w, x>"),
        (s.twin(EXACT), "⟨θ, x⟩", "answers that differ from <θ, x>, without the label"),
    ];
    let (mut off, mut answers) = ([0.0; 5], 0.0);
    for case in s.cases("prompts", 20, 100)? {
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
            for (i, (says, _, label)) in candidates.iter().enumerate() {
                let differs = g[k] != values[i];
                says.of("answers").never(*label, differs);
                off[i] += f64::from(u8::from(differs));
            }
            answers += 1.0;
        }
    }
    let frame = columns(vec![
        ("candidate", candidates.map(|(_, name, _)| name).into()),
        ("answers that differ", off.into()),
        ("of", [answers; 5].into()),
    ])?;
    s.table(Table::new(frame).title("Five candidates for the prediction, in fractions").digits(4));
    Ok(())
}
