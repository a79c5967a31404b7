//! Eq. 2.3: the mask.
//!
//! **Claim** (`memformer/eq-2-3`). M, the identity with a zero in its last place, makes sure that the label of x(n+1) is excluded.
//!
//! The last column of Z is changed at will, and the outputs of all *other* tokens are looked at. In the linear form (2.4), which the
//! document uses throughout, they must not move. In the softmax form (2.2) M acts after the softmax: the query's value is gone, its share
//! of the denominators is not, so a label other than the printed 0 moves the others; that is shown, and the form is not used afterwards.
//! Against the claim counts an output of another token that moves, in the linear form, with what the mask excludes.

use ndarray::{Array2, s};
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memformer::{Error, Head, attention, largest_difference, masked_softmax_attention, unmasked_attention};

use super::section_2_1::{WIDTH, free_head, prompts, softmax_of_columns};
use super::section_3_3::EXAMPLES;
use crate::vocabulary::{EXACT, Largest, Least};

/// Another last column, on random prompts and heads.
#[derive(Clone, Debug)]
pub struct OtherTokens {
    /// Prompts, each with a head of its own.
    pub prompts: usize,
    /// The label that is given to the query.
    pub label: f64,
}

impl Default for OtherTokens {
    fn default() -> OtherTokens {
        OtherTokens { prompts: 100, label: 3.0 }
    }
}

/// The softmax over the examples only: minus infinity for the query before it is taken.
fn masked_inside(head: &Head, z: &Array2<f64>) -> Result<Array2<f64>, Error> {
    let keys = z.slice(s![.., ..z.ncols() - 1]);
    Ok(head.p().dot(&keys).dot(&softmax_of_columns(&keys.t().dot(head.q()).dot(z))))
}

type Form = fn(&Head, &Array2<f64>) -> Result<Array2<f64>, Error>;

/// How far the outputs of the examples move when the prompt becomes `other`.
fn moves(form: Form, head: &Head, z: &Array2<f64>, other: &Array2<f64>) -> Result<f64, Failure> {
    let of_examples = |z: &Array2<f64>| Ok::<_, Error>(form(head, z)?.slice(s![.., ..EXAMPLES]).to_owned());
    Ok(largest_difference(&of_examples(z)?, &of_examples(other)?))
}

#[derive(Default)]
struct Seen {
    linear: Largest,
    soft_label: Largest,
    inside: Largest,
    open: Least,
}

impl OtherTokens {
    fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut stream = setting.stream("mask")?;
        let (batch, mut seen) = (prompts(setting)?, Seen::default());
        for b in 0..self.prompts {
            let z = batch.tokens(b)?;
            let head = free_head(&mut stream, 1.0, 0.1)?;
            let mut other = z.clone();
            other.column_mut(EXAMPLES).assign(&normal_array2(&mut stream, 1, WIDTH).row(0));
            let mut labelled = z.clone();
            labelled[[WIDTH - 1, EXAMPLES]] = self.label;
            let by = |form: Form, other| moves(form, &head, &z, other);
            seen.linear.see(by(attention, &other)?);
            seen.linear.see(by(attention, &labelled)?);
            seen.soft_label.see(by(masked_softmax_attention, &labelled)?);
            seen.inside.see(by(masked_inside, &other)?);
            seen.open.see(by(unmasked_attention, &other)?);
        }
        Ok(seen)
    }
}

impl TypedCheck for OtherTokens {
    const CLAIM: &'static str = "memformer/eq-2-3";
    const PLAN: Plan = Plan::new(
        "largest change of another token's output, absolute",
        "an output that moves, by a single bit, with what the mask excludes",
        &[EXACT],
    )
    .protocol(&["d = 5, n = 20, 100 prompts of Section 3.3's law, normal P and Q"])
    .departures(&["the sentence stands before the softmax form (2.2); it is judged in the linear form, which all statements after it use"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.see(setting)?;
        let still =
            |label: &str, change: f64| Finding::identity(label, change, EXACT).cases(self.prompts).unit("prompts");
        let evidence = Evidence::of(still("linear form (2.4): change with any last column", seen.linear.0))
            .and(still("softmax with the mask inside: change with any last column", seen.inside.0))
            .twin(still(
                "softmax form (2.2), mask outside, a label that is not the printed 0: change of another token's output",
                seen.soft_label.0,
            ))
            .twin(still("linear form without mask, least of the prompts", seen.open.0));
        Ok(evidence.into())
    }
}
