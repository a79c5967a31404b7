//! Note after Lemma 2.1: what the attention term is.
//!
//! **Claim** (`memformer/lemma-2-1-note`). The term Attn(Z_l) of Eq. 2.5 corresponds to the preconditioned gradient A_l grad R(w_l).
//!
//! With constant and sign: in the column of a token x the last row should be n <x, A_l grad R>, and the first d rows zero. A constant and
//! a sign are left open by "corresponds"; the matrix is not. Against it counts a column that is no such multiple.

use ndarray::{Array2, s};
use workbench_ledger::{Checked, Evidence, Failure, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Fraction, Instance, Mask, Number, literal_attention, literal_forward, matrix_vector, preconditioned_descent,
};

use super::appendix_a_1::{cases, general, layers_of, sizes, symmetric, transposes};
use super::exact::{Tally, dot, token, whole};
use crate::vocabulary::EXACT;

/// Every column of the term, in two layers of each prompt.
#[derive(Clone, Debug, Default)]
pub struct AttentionTerm {
    /// Prompts; by scale if 0.
    pub prompts: usize,
}

const LAYERS: usize = 2;

#[derive(Default)]
struct Seen {
    nonzero: Tally,
    transposed: Tally,
    printed: Tally,
    uphill: Tally,
    without_n: Tally,
}

fn compare(prompt: &Instance<Fraction>, a: &[Array2<Fraction>], seen: &mut Seen) -> Result<(), Failure> {
    let (d, n) = (prompt.dim(), prompt.examples());
    let (f, layers, many) = (prompt.quadratic(), layers_of(a)?, whole(n as i64));
    let states = literal_forward(&layers, &prompt.tokens, Mask::Printed)?;
    let gradients = preconditioned_descent(&f, &f.origin(), &transposes(a))?.gradients;
    for l in 0..LAYERS {
        let term = literal_attention(&layers[l], &states[l], Mask::Printed)?;
        term.slice(s![..d, ..]).iter().for_each(|v| seen.nonzero.see(*v != whole(0)));
        let right = matrix_vector(&a[l].t().to_owned(), &gradients[l])?;
        let printed = matrix_vector(&a[l], &gradients[l])?;
        for i in 0..=n {
            let (x, entry) = (token(&prompt.tokens, i), &term[[d, i]]);
            let pull = dot(&x, &right)?;
            seen.transposed.see(*entry != many.times(&pull));
            seen.uphill.see(*entry != many.times(&pull).negated());
            seen.without_n.see(*entry != pull);
            seen.printed.see(*entry != many.times(&dot(&x, &printed)?));
        }
    }
    Ok(())
}

impl TypedCheck for AttentionTerm {
    const CLAIM: &'static str = "memformer/lemma-2-1-note";
    const PLAN: Plan = Plan::new(
        "entries and columns that differ, in fractions",
        "a column of the term whose last entry is no fixed multiple of <x, A grad R>, or that has others",
        &[EXACT],
    )
    .departures(&["d = 2 or 3, n = 3 to 5, two layers, so that equal means equal"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("note")?;
        let [mut seen, mut even] = [Seen::default(), Seen::default()];
        for case in 0..cases(setting, self.prompts) {
            let (d, n) = sizes(case);
            let prompt = Instance::draw(&mut stream, d, n)?;
            let a = general(&mut stream, LAYERS, d);
            compare(&prompt, &a, &mut seen)?;
            compare(&prompt, &symmetric(&a), &mut even)?;
        }
        let evidence = Evidence::of(seen.printed.none("columns whose last entry is not n <x, A∇R>", "columns"))
            .and(seen.nonzero.none("nonzero entries in the first d rows", "entries"))
            .misprint(
                "the transpose, as in the lemma: the last row is n <x, Aᵀ∇R> in every column",
                vec![
                    seen.transposed.none("columns whose last entry is not n <x, Aᵀ∇R>", "columns"),
                    even.printed.none("symmetric A, as printed: columns that differ", "columns"),
                ],
            )
            .twin(seen.uphill.none("with the other sign: columns that differ", "columns"))
            .twin(seen.without_n.none("without the factor n: columns that differ", "columns"))
            .note("labels of tokens carry the sign y - <x, w>, so plus here is a step down");
        Ok(evidence.into())
    }
}
