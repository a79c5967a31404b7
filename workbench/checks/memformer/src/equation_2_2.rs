//! Eq. 2.2: attention with a softmax.
//!
//! **Claim** (`memformer/eq-2-2`). Attn_smax(Z) = W_v Z M smax(Z^T W_k^T W_q Z), the softmax over each column.
//!
//! Three consequences: columns of the softmax sum to one; exchanging examples exchanges their outputs; and for small scores e S a softmax
//! is uniform attention plus *centred* linear attention, (1 + e (S - mean of its column)) / (n + 1), up to e^2. Against it counts a column
//! that does not sum to one, an output that knows the order of the examples, an error that falls slower than the square.

use ndarray::{Array1, Array2, Axis};
use workbench_ground::stats::{Estimate, Stream};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{Head, Mask, largest_difference, masked_softmax_attention};

use super::section_2_1::{free_head, prompts, softmax_of_columns};
use super::section_3_3::EXAMPLES;
use crate::vocabulary::{ROUNDING, largest_of};

const ORDER: Margin =
    Margin::new("order", 0.1, "orders are whole numbers; a tenth leaves room for the next term and tells two from one");

/// Softmax attention on one prompt.
#[derive(Clone, Debug)]
pub struct SoftmaxAttention {
    /// Size of the entries of W_k^T W_q.
    pub scores: f64,
    /// How often the scores are halved.
    pub halvings: i32,
}

impl Default for SoftmaxAttention {
    fn default() -> SoftmaxAttention {
        SoftmaxAttention { scores: 0.1, halvings: 6 }
    }
}

/// How far the outputs of exchanged tokens are from exchanged outputs.
fn exchanged(head: &Head, z: &Array2<f64>, order: &[usize]) -> Result<f64, Failure> {
    let before = masked_softmax_attention(head, &z.select(Axis(1), order))?;
    let after = masked_softmax_attention(head, z)?.select(Axis(1), order);
    Ok(largest_difference(&before, &after))
}

/// Errors of the expansion as the scores halve, with the scores centred and without.
fn expansions(head: &Head, z: &Array2<f64>, halvings: i32) -> Result<[Vec<f64>; 2], Failure> {
    let n = z.ncols() - 1;
    let values = head.p().dot(z).dot(&Mask::Printed.matrix::<f64>(n)) / (n + 1) as f64;
    let [mut centred, mut raw] = [Vec::new(), Vec::new()];
    for k in 1..=halvings {
        let small = Head::new(head.p().clone(), 0.5f64.powi(k + 2) * head.q())?;
        let s = z.t().dot(small.q()).dot(z);
        let means: Array1<f64> = s.sum_axis(Axis(0)) / (n + 1) as f64;
        let exact = masked_softmax_attention(&small, z)?;
        centred.push(largest_difference(&exact, &values.dot(&(1.0 + &s - &means))));
        raw.push(largest_difference(&exact, &values.dot(&(1.0 + &s))));
    }
    Ok([centred, raw])
}

/// log2 of the last two errors' ratio; the scores halve.
fn order_of(errors: &[f64]) -> Estimate {
    let last = errors.len() - 1;
    Estimate::exact((errors[last - 1] / errors[last]).log2())
}

fn off_one(sums: &Array1<f64>) -> f64 {
    largest_of(sums.iter().map(|s| (s - 1.0).abs()))
}

impl SoftmaxAttention {
    fn head(&self, stream: &mut Stream) -> Result<Head, Failure> {
        free_head(stream, 1.0, self.scores)
    }
}

impl TypedCheck for SoftmaxAttention {
    const CLAIM: &'static str = "memformer/eq-2-2";
    const PLAN: Plan = Plan::new(
        "largest entry of a difference; order in the size of the scores at which an error falls",
        "columns that do not sum to one, outputs that know the order of the examples, an error that falls like the scores",
        &[ROUNDING, ORDER],
    )
    .protocol(&["d = 5, n = 20, one prompt of Section 3.3's law, normal W_v and W_k^T W_q"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("softmax")?;
        let (n, z) = (EXAMPLES, prompts(setting)?.tokens(0)?);
        let head = self.head(&mut stream)?;
        let weights = softmax_of_columns(&z.t().dot(head.q()).dot(&z));
        let of_rows = softmax_of_columns(&z.t().dot(head.q()).dot(&z).t().to_owned()).t().to_owned();
        let values = head.p().dot(&z).dot(&Mask::Printed.matrix::<f64>(n));
        let room = masked_softmax_attention(&head, &z)?;
        let mut order = stream.permutation(n);
        order.push(n);
        let examples = exchanged(&head, &z, &order)?;
        order.swap(0, n);
        let with_query = exchanged(&head, &z, &order)?;
        let [centred, raw] = expansions(&head, &z, self.halvings)?;
        let same = |label: &str, error: f64| Finding::identity(label, error, ROUNDING);
        let evidence = Evidence::of(same("column sums against one", off_one(&weights.sum_axis(Axis(0)))))
            .and(same(
                "the room's attention against the printed product",
                largest_difference(&values.dot(&weights), &room),
            ))
            .and(same("examples exchanged: outputs exchanged", examples))
            .and(Finding::equals("order of the error of the centred expansion", 2.0, ORDER, order_of(&centred)))
            .twin(Finding::equals("order of the error without centring", 2.0, ORDER, order_of(&raw)))
            .twin(same("query exchanged with an example", with_query))
            .twin(same("softmax over rows: column sums against one", off_one(&of_rows.sum_axis(Axis(0)))))
            .twin(same(
                "softmax over rows: attention against the room's",
                largest_difference(&values.dot(&of_rows), &room),
            ));
        Ok(evidence.into())
    }
}
