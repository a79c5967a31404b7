//! Note after Lemma 2.1: what the attention term is.
//!
//! **Claim** (`memformer/lemma-2-1-note`). The term Attn(Z_l) of Eq. 2.5 corresponds to the preconditioned gradient A_l grad R(w_l).
//!
//! With constant and sign: in the column of a token x the last row should be n <x, A_l grad R>. A constant and a sign are left open by
//! "corresponds", so one pair of them is asked in all columns. That the first d rows are zero follows from Eq. 2.8, and the check stands on
//! it. That the lemma's step is taken with the transpose of A is charged there, and mended here. Refuted by a column that is no such
//! multiple.

use ndarray::s;
use workbench_ledger::{Check, Done, Sheet};
use workbench_memformer::{
    Instance, Mask, Number, literal_attention, literal_forward, matrix_vector, preconditioned_descent,
};

use super::exact::{dot, token, whole};
use super::exact_layers::{general, layers_of, sizes, symmetric, transposes};
use crate::vocabulary::EXACT;

/// Every column of the term, in two layers of each prompt.
pub const CHECK: Check = Check {
    claim: "memformer/lemma-2-1-note",
    metric: "entries and columns that differ, in fractions",
    against: "a column of the term whose last entry is no fixed multiple of <x, A grad R>",
    departures: &["d = 2 or 3, n = 3 to 5, two layers, so that equal means equal"],
    run,
    ..Check::DEFAULT
};

const LAYERS: usize = 2;

fn run(s: &Sheet) -> Done {
    s.see("memformer/lemma-2-1");
    s.note("labels of tokens carry the sign y - <x, w>, so plus here is a step down");
    let mut stream = s.stream("note")?;
    let (printed, twin) = (s.printed(EXACT).of("columns"), s.twin(EXACT).of("columns"));
    for case in s.cases("prompts", 20, 100)? {
        let (d, n) = sizes(case);
        let prompt = Instance::draw(&mut stream, d, n)?;
        let any = general(&mut stream, LAYERS, d);
        let (f, many) = (prompt.quadratic(), whole(n as i64));
        for (a, even) in [(&any, false), (&symmetric(&any), true)] {
            let layers = layers_of(a)?;
            let states = literal_forward(&layers, &prompt.tokens, Mask::Printed)?;
            let gradients = preconditioned_descent(&f, &f.origin(), &transposes(a))?.gradients;
            for l in 0..LAYERS {
                let term = literal_attention(&layers[l], &states[l], Mask::Printed)?;
                let right = matrix_vector(&a[l].t().to_owned(), &gradients[l])?;
                let as_printed = matrix_vector(&a[l], &gradients[l])?;
                for i in 0..=n {
                    let (x, entry) = (token(&prompt.tokens, i), &term[[d, i]]);
                    let differs = *entry != many.times(&dot(&x, &as_printed)?);
                    if even {
                        printed.never("symmetric A: columns whose last entry is not n <x, A∇R>", differs);
                        continue;
                    }
                    twin.never("general A without its transpose: columns that differ", differs);
                    let pull = dot(&x, &right)?;
                    let label = "general A, the lemma's transpose: columns whose last entry is not n <x, Aᵀ∇R>";
                    printed.never(label, *entry != many.times(&pull));
                    twin.never("with the other sign: columns that differ", *entry != many.times(&pull).negated());
                    twin.never("without the factor n: columns that differ", *entry != pull);
                }
                for entry in term.slice(s![..d, ..]).iter().filter(|_| !even) {
                    s.support(EXACT).of("entries").never("nonzero entries in the first d rows", *entry != whole(0));
                }
            }
        }
    }
    Ok(())
}
