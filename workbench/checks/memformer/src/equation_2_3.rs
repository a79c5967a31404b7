//! Eq. 2.3: the mask.
//!
//! **Claim** (`memformer/eq-2-3`). M, the identity with a zero in its last place, makes sure that the label of x(n+1) is excluded.
//!
//! The sentence stands under the softmax form (2.2), so the label of the query is changed there, and the outputs of all *other* tokens are
//! looked at. M acts after the softmax: the query's value is gone, its share of the denominators is not, and after one layer its label is no
//! longer the 0 of (2.1). In the linear form (2.4), which all statements after it use, they must not move, whatever the last column, and so
//! with the mask inside of the softmax. Refuted by an output of another token that moves with what the mask excludes.

use ndarray::{Array2, s};
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Check, Done, Failure, Sheet};
use workbench_memformer::{Error, Head, attention, largest_difference, masked_softmax_attention, unmasked_attention};

use super::prompts_and_heads::{WIDTH, free_head, prompts, softmax_of_columns};
use super::task_law::EXAMPLES;
use crate::vocabulary::{EXACT, largest_of};

/// Another last column, on random prompts and heads.
pub const CHECK: Check = Check {
    claim: "memformer/eq-2-3",
    metric: "largest change of another token's output, absolute",
    against: "an output that moves, by a single bit, with what the mask excludes",
    choices: &["d = 5, n = 20, 100 prompts of Section 3.3's law, normal P and Q"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.condition(
        "in the linear form (2.4), which is the one that is used afterwards; in (2.2) the mask has to stand inside of the softmax",
    );
    let mut stream = s.stream("mask")?;
    let batch = prompts(s)?;
    let label_of_query = s.knob("label that is given to the query", 3.0, ..)?;
    for b in s.cases("prompts", 100, 100)? {
        let z = batch.tokens(b)?;
        let head = free_head(&mut stream, 1.0, 0.1)?;
        let mut other = z.clone();
        other.column_mut(EXAMPLES).assign(&normal_array2(&mut stream, 1, WIDTH).row(0));
        let mut labelled = z.clone();
        labelled[[WIDTH - 1, EXAMPLES]] = label_of_query;
        // How far the outputs of the examples move when the prompt becomes another.
        let moves = |form: Form, other: &Array2<f64>| -> Result<f64, Failure> {
            let of_examples = |z: &Array2<f64>| Ok::<_, Error>(form(&head, z)?.slice(s![.., ..EXAMPLES]).to_owned());
            Ok(largest_difference(&of_examples(&z)?, &of_examples(other)?))
        };
        let linear = largest_of([moves(attention, &other)?, moves(attention, &labelled)?]);
        s.changed(EXACT).same("linear form (2.4): change with any last column", linear);
        let label = "softmax with the mask inside: change with any last column";
        s.changed(EXACT).same(label, moves(masked_inside, &other)?);
        let label =
            "softmax form (2.2), mask outside, a label that is not the printed 0: change of another token's output";
        s.printed(EXACT).same(label, moves(masked_softmax_attention, &labelled)?);
        s.twin(EXACT).same("linear form without mask, least of the prompts", moves(unmasked_attention, &other)?);
    }
    Ok(())
}

type Form = fn(&Head, &Array2<f64>) -> Result<Array2<f64>, Error>;

/// The softmax over the examples only: minus infinity for the query before it is taken.
fn masked_inside(head: &Head, z: &Array2<f64>) -> Result<Array2<f64>, Error> {
    let keys = z.slice(s![.., ..z.ncols() - 1]);
    Ok(head.p().dot(&keys).dot(&softmax_of_columns(&keys.t().dot(head.q()).dot(z))))
}
