//! Eq. 23: when a memory answers wrongly.
//!
//! **Claim** (`heavy-tailed/eq-23`; the number stands twice). For any q, also one that depends on the data, and a unique argmax,
//! f_q(x) != f_*(x) exactly when max_y sum_x' q(x') <e_x', e_x> <u_{f_*(x')}, u_y - u_{f_*(x)}> > 0.
//!
//! Embeddings with integer coordinates and weights that are counts of samples make both sides exact, and ties do occur. "Any q" has no
//! sign: some samples count minus one, so that weights are zero and negative too. Refuted by one query on which the two sides differ.

use ndarray::{Array2, array};
use workbench_ground::stats::Stream;
use workbench_ledger::{Check, Done, Failure, Sheet};
use workbench_memory::{AssociativeMemory, Embeddings, exact_scores};

use crate::vocabulary::{EXACT, largest_of};

/// Both sides in integers.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-23",
    metric: "queries on which the two sides differ, in integers",
    against: "one query with a unique argmax on which they differ",
    protocol: &["ties are set aside, as the document assumes a unique argmax"],
    choices: &[
        "embeddings are small integers, so that equal means equal; five inputs, four classes",
        "weights are counts of samples, some of which count minus one; queries are compared, their mass is not formed",
    ],
    run,
    ..Check::DEFAULT
};

const CLASSES: usize = 4;
const INPUTS: usize = 5;

fn run(s: &Sheet) -> Done {
    let (mut stream, mut queries, mut ties) = (s.stream("integers")?, 0, 0);
    let (printed, twin) = (s.printed(EXACT).of("cases"), s.twin(EXACT).of("cases"));
    for _ in s.cases("memories", 400, 3000)? {
        let stored = Stored::draw(&mut stream);
        for x in 0..INPUTS {
            queries += 1;
            let scores = exact_scores(&stored.outputs, &stored.samples, &stored.labels, x)?;
            let best = scores.iter().max();
            if scores.iter().filter(|&score| Some(score) == best).count() > 1 {
                ties += 1;
                continue;
            }
            let wrong = Some(&scores[stored.labels[x]]) != best;
            let differs = |lead: Option<i64>| wrong != (lead > Some(0));
            let others = |k: usize| stored.inputs[k] != x;
            let label = "the two sides are the same, unique argmax: cases that break it";
            printed.never(label, differs(stored.lead(x, 1, |_| true)));
            let turned = stored.lead(x, -1, |_| true);
            twin.never("u_f - u_y in the place of u_y - u_f: cases that break it", differs(turned));
            twin.never("the sum without x' = x: cases that break it", differs(stored.lead(x, 1, others)));
        }
    }
    let label = "largest lead of an empty memory and of two equal outputs, where the argmax is not unique";
    s.aside(EXACT).over(2, "memories").same(label, lead_in_ties()?);
    s.note(format!(
        "{ties} ties among {queries} queries were set aside; there the maximum is 0 or hides which class is answered, and this project \
         counts a tie as an error"
    ));
    Ok(())
}

/// A stored list of samples: output embeddings; input, embedding and label of each sample. One that counts minus one has the embedding
/// turned round.
struct Stored {
    outputs: Vec<Vec<i64>>,
    inputs: Vec<usize>,
    samples: Vec<Vec<i64>>,
    labels: Vec<usize>,
}

impl Stored {
    fn draw(stream: &mut Stream) -> Stored {
        let mut vectors = |n: usize| -> Vec<Vec<i64>> {
            let entry = |stream: &mut Stream| stream.below(7) as i64 - 3;
            (0..n).map(|_| (0..3).map(|_| entry(stream)).collect()).collect()
        };
        let (outputs, distinct) = (vectors(CLASSES), vectors(INPUTS));
        // Every input once, then eight samples, every other one of which counts minus one: q is the sum.
        let mut data: Vec<usize> = (0..INPUTS).collect();
        data.extend((0..8).map(|_| stream.below(INPUTS as u64) as usize));
        let sample = |k: usize| -> Vec<i64> {
            let sign: i64 = if k >= INPUTS && k.is_multiple_of(2) { -1 } else { 1 };
            distinct[data[k]].iter().map(|entry| sign * entry).collect()
        };
        Stored {
            outputs,
            samples: (0..data.len()).map(sample).collect(),
            labels: data.iter().map(|&x| (x * 7 + 3) % CLASSES).collect(),
            inputs: data,
        }
    }

    /// The maximum in Eq. 23, with the sign of the difference of outputs, over the samples that `counts`.
    fn lead(&self, x: usize, sign: i64, counts: impl Fn(usize) -> bool) -> Option<i64> {
        let u = |sample: usize| &self.outputs[self.labels[sample]];
        let of_class = |y: usize| -> i64 {
            let pull = |k: usize| sign * (dot(u(k), &self.outputs[y]) - dot(u(k), u(x)));
            let counted = (0..self.samples.len()).filter(|&k| counts(k));
            counted.map(|k| dot(&self.samples[k], &self.samples[x]) * pull(k)).sum()
        };
        (0..self.outputs.len()).map(of_class).max()
    }
}

fn dot(a: &[i64], b: &[i64]) -> i64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The largest lead where the argmax is not unique: nothing stored, and two classes with one embedding.
fn lead_in_ties() -> Result<f64, Failure> {
    let none = Embeddings::from_parts(Array2::eye(3), Array2::eye(3))?;
    let empty = AssociativeMemory::store(&none, &[0.0; 3], &[0, 1, 2])?.margins(&none, &[0, 1, 2])?;
    let equal = Embeddings::from_parts(Array2::eye(2), array![[1.0, 0.0], [1.0, 0.0]])?;
    let alike = AssociativeMemory::store(&equal, &[1.0, 1.0], &[0, 1])?.margins(&equal, &[0, 1])?;
    Ok(largest_of(empty.iter().chain(&alike).map(|v| v.abs())))
}
