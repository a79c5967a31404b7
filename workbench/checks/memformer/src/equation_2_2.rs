//! Eq. 2.2: attention with a softmax.
//!
//! **Claim** (`memformer/eq-2-2`). Attn_smax(Z) = W_v Z M smax(Z^T W_k^T W_q Z), the softmax over each column.
//!
//! The room's attention, with P = W_v and Q = W_k^T W_q, is compared with the printed product, W_k and W_q apart. What the check stands on
//! are three consequences: columns of the softmax sum to one; exchanging examples exchanges their outputs; and for small scores e S a softmax
//! is uniform attention plus *centred* linear attention, (1 + e (S - mean of its column)) / (n + 1), up to e^2. Refuted by an entry that is
//! not the printed product's.

use ndarray::{Array2, Axis, s};
use workbench_ground::stats::{Stream, normal_array2};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{Head, Mask, largest_difference, masked_softmax_attention};

use super::prompts_and_heads::{WIDTH, free_head, prompts, softmax_of_columns};
use super::task_law::EXAMPLES;
use crate::vocabulary::{ROUNDING, largest};

const ORDER: Margin = Margin::statistical(
    "order",
    0.1,
    "orders are whole numbers; a tenth leaves room for the next term and tells two from one",
);

/// Softmax attention on prompts.
pub const CHECK: Check = Check {
    claim: "memformer/eq-2-2",
    metric: "largest entry of a difference; order in the size of the scores at which an error falls",
    against: "an entry that is not that of the printed product",
    choices: &[
        "d = 5, n = 20, prompts of Section 3.3's law; normal W_v, and W_k and W_q of size 0.2; for the consequences a normal W_kᵀ W_q",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let (mut stream, mut weights, batch) = (s.stream("softmax")?, s.stream("softmax, W_k and W_q")?, prompts(s)?);
    let size = s.knob("size of the entries of W_kᵀ W_q", 0.1, 0.0..=10.0)?;
    let halvings = s.knob("halvings of the scores", 8, 2..=20)?;
    for b in s.cases("prompts", 5, 20)? {
        as_printed(s, &mut weights, &batch.tokens(b)?)?;
        let head = free_head(&mut stream, 1.0, size)?;
        on_prompt(s, &mut stream, (&head, &batch.tokens(b)?), halvings)?;
    }
    Ok(())
}

/// The room's attention against the printed product, and against wrong ones.
fn as_printed(s: &Sheet, stream: &mut Stream, z: &Array2<f64>) -> Done {
    let n = EXAMPLES;
    let mut draw = |size: f64| size * normal_array2(stream, WIDTH, WIDTH);
    let (w_v, w_k, w_q) = (draw(1.0), draw(0.2), draw(0.2));
    let room = masked_softmax_attention(&Head::new(w_v.clone(), w_k.t().dot(&w_q))?, z)?;
    let scores = w_k.dot(z).t().dot(&w_q.dot(z));
    let values = w_v.dot(z).dot(&Mask::Printed.matrix::<f64>(n));
    let off = |weights: &Array2<f64>| largest_difference(&values.dot(weights), &room);
    let label = "the room's attention against the printed product";
    s.printed(ROUNDING).same(label, off(&softmax_of_columns(&scores)));

    let (twin, turned) = (s.twin(ROUNDING), softmax_of_columns(&scores.t().to_owned()));
    twin.same("softmax over rows: attention against the room's", off(&turned.t().to_owned()));
    twin.same("W_qᵀ W_k for W_kᵀ W_q: attention against the room's", off(&turned));
    let examples_only = softmax_of_columns(&scores.slice(s![..n, ..]).to_owned());
    let inside = w_v.dot(&z.slice(s![.., ..n])).dot(&examples_only);
    twin.same("the mask inside of the softmax: attention against the room's", largest_difference(&inside, &room));
    Ok(())
}

fn on_prompt(s: &Sheet, stream: &mut Stream, (head, z): (&Head, &Array2<f64>), halvings: i32) -> Done {
    let n = EXAMPLES;
    let (support, twin) = (s.support(ROUNDING), s.twin(ROUNDING));

    let scores = z.t().dot(head.q()).dot(z);
    let weights = softmax_of_columns(&scores);
    let of_rows = softmax_of_columns(&scores.t().to_owned()).t().to_owned();
    let off_one = |weights: &Array2<f64>| largest(&(weights.sum_axis(Axis(0)) - 1.0));
    support.same("column sums against one", off_one(&weights));
    twin.same("softmax over rows: column sums against one", off_one(&of_rows));

    let room = masked_softmax_attention(head, z)?;
    let mut order = stream.permutation(n);
    order.push(n);
    let exchanged = |order: &[usize]| -> Result<f64, Failure> {
        let before = masked_softmax_attention(head, &z.select(Axis(1), order))?;
        Ok(largest_difference(&before, &room.select(Axis(1), order)))
    };
    support.same("examples exchanged: outputs exchanged", exchanged(&order)?);
    order.swap(0, n);
    twin.same("query exchanged with an example", exchanged(&order)?);

    let [centred, raw] = expansion_orders(head, z, halvings)?;
    s.support(ORDER).equals("order of the error of the centred expansion", 2.0, centred);
    s.twin(ORDER).equals("order of the error without centring", 2.0, raw);
    Ok(())
}

/// log2 of the ratio of the expansion's errors at the last two halvings of the scores, with the scores centred and without.
fn expansion_orders(head: &Head, z: &Array2<f64>, halvings: i32) -> Result<[f64; 2], Failure> {
    let n = z.ncols() - 1;
    let values = head.p().dot(z).dot(&Mask::Printed.matrix::<f64>(n)) / (n + 1) as f64;
    let errors = |halvings: i32| -> Result<[f64; 2], Failure> {
        let small = Head::new(head.p().clone(), 0.5f64.powi(halvings + 2) * head.q())?;
        let s = z.t().dot(small.q()).dot(z);
        let means = s.sum_axis(Axis(0)) / (n + 1) as f64;
        let exact = masked_softmax_attention(&small, z)?;
        Ok([1.0 + &s - &means, 1.0 + &s].map(|weights| largest_difference(&exact, &values.dot(&weights))))
    };
    let (before, last) = (errors(halvings - 1)?, errors(halvings)?);
    Ok([0, 1].map(|i| (before[i] / last[i]).log2()))
}
