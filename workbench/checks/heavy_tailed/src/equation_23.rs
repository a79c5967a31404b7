//! Eq. 23: when a memory answers wrongly.
//!
//! **Claim** (`heavy-tailed/eq-23`; the number stands twice). For any q, also one that depends on the data, and a unique argmax,
//! f_q(x) != f_*(x) exactly when max_y sum_x' q(x') <e_x', e_x> <u_{f_*(x')}, u_y - u_{f_*(x)}> > 0.
//!
//! Embeddings with integer coordinates and weights that are counts of samples make both sides exact, and ties do occur. Against it would
//! count one query on which the two sides differ.

use ndarray::{Array2, array};
use workbench_ground::stats::Stream;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{AssociativeMemory, Embeddings, exact_scores};

use super::proof_of_lemma_3::Broken;
use crate::vocabulary::{EXACT, by_scale, largest_of};

/// Both sides in integers.
#[derive(Clone, Debug)]
pub struct WrongAnswer {
    /// Memories; by scale if 0.
    pub memories: usize,
    /// Classes.
    pub classes: usize,
    /// Inputs, each with its own embedding.
    pub inputs: usize,
    /// Dimension of the embeddings.
    pub dim: usize,
    /// Samples beyond one for each input.
    pub samples: usize,
}

impl Default for WrongAnswer {
    fn default() -> WrongAnswer {
        WrongAnswer { memories: 0, classes: 4, inputs: 5, dim: 3, samples: 8 }
    }
}

#[derive(Default)]
struct Seen {
    equivalence: Broken,
    turned: Broken,
    without_itself: Broken,
    ties: usize,
}

/// One stored sample list: output embeddings, the embedding and the label of each sample.
struct Stored {
    outputs: Vec<Vec<i64>>,
    samples: Vec<Vec<i64>>,
    labels: Vec<usize>,
}

fn dot(a: &[i64], b: &[i64]) -> i64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Stored {
    fn draw(setting: &WrongAnswer, stream: &mut Stream) -> Stored {
        let mut vectors = |n: usize| -> Vec<Vec<i64>> {
            let entry = |stream: &mut Stream| stream.below(7) as i64 - 3;
            (0..n).map(|_| (0..setting.dim).map(|_| entry(stream)).collect()).collect()
        };
        let (outputs, distinct) = (vectors(setting.classes), vectors(setting.inputs));
        // Every input once, then samples: q is the empirical count.
        let mut data: Vec<usize> = (0..setting.inputs).collect();
        data.extend((0..setting.samples).map(|_| stream.below(setting.inputs as u64) as usize));
        Stored {
            outputs,
            samples: data.iter().map(|&x| distinct[x].clone()).collect(),
            labels: data.iter().map(|&x| (x * 7 + 3) % setting.classes).collect(),
        }
    }

    /// `<u_a, u_y - u_f>`.
    fn pull(&self, a: usize, y: usize, f: usize) -> i64 {
        dot(&self.outputs[a], &self.outputs[y]) - dot(&self.outputs[a], &self.outputs[f])
    }

    /// The left side of Eq. 23, with the sign of the difference of outputs, over the samples that `counts`.
    fn lead(&self, x: usize, sign: i64, counts: impl Fn(usize) -> bool) -> Option<i64> {
        let f = self.labels[x];
        let of_class = |y: usize| -> i64 {
            (0..self.samples.len())
                .filter(|&k| counts(k))
                .map(|k| dot(&self.samples[k], &self.samples[x]) * sign * self.pull(self.labels[k], y, f))
                .sum()
        };
        (0..self.outputs.len()).map(of_class).max()
    }
}

impl WrongAnswer {
    fn compare(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut stream = setting.stream("integers")?;
        let mut seen = Seen::default();
        for _ in 0..by_scale(self.memories, setting.scale().pick(400, 3000)) {
            let stored = Stored::draw(self, &mut stream);
            for x in 0..self.inputs {
                let scores = exact_scores(&stored.outputs, &stored.samples, &stored.labels, x)?;
                let best = scores.iter().max();
                if scores.iter().filter(|&s| Some(s) == best).count() > 1 {
                    seen.ties += 1;
                    continue;
                }
                let wrong = Some(&scores[stored.labels[x]]) != best;
                let positive = |lead: Option<i64>| lead > Some(0);
                let others = |k: usize| stored.samples[k] != stored.samples[x];
                seen.equivalence.see(wrong != positive(stored.lead(x, 1, |_| true)));
                seen.turned.see(wrong != positive(stored.lead(x, -1, |_| true)));
                seen.without_itself.see(wrong != positive(stored.lead(x, 1, others)));
            }
        }
        Ok(seen)
    }
}

/// The largest lead where the argmax is not unique: nothing stored, and two classes with one embedding.
fn lead_in_ties() -> Result<f64, Failure> {
    let none = Embeddings::from_parts(Array2::eye(3), Array2::eye(3))?;
    let empty = AssociativeMemory::store(&none, &[0.0; 3], &[0, 1, 2])?.margins(&none, &[0, 1, 2])?;
    let equal = Embeddings::from_parts(Array2::eye(2), array![[1.0, 0.0], [1.0, 0.0]])?;
    let alike = AssociativeMemory::store(&equal, &[1.0, 1.0], &[0, 1])?.margins(&equal, &[0, 1])?;
    Ok(largest_of(empty.iter().chain(&alike).map(|v| v.abs())))
}

impl TypedCheck for WrongAnswer {
    const CLAIM: &'static str = "heavy-tailed/eq-23";
    const PLAN: Plan = Plan::new(
        "queries on which the two sides differ, in integers",
        "one query with a unique argmax on which they differ",
        &[EXACT],
    )
    .protocol(&["ties are set aside, as the document assumes a unique argmax"])
    .departures(&["embeddings are small integers, so that equal means equal"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.compare(setting)?;
        let evidence = Evidence::of(seen.equivalence.none("the two sides are the same, unique argmax"))
            .and(Finding::identity(
                "largest lead of an empty memory and of two equal outputs, where the argmax is not unique",
                lead_in_ties()?,
                EXACT,
            ))
            .twin(seen.turned.none("u_f - u_y in the place of u_y - u_f"))
            .twin(seen.without_itself.none("the sum without x' = x"))
            .note(format!(
                "{} ties among {} queries were set aside; there the maximum is 0 or hides which class is answered, and this project \
                 counts a tie as an error",
                seen.ties,
                seen.ties + seen.equivalence.of
            ));
        Ok(evidence.into())
    }
}
