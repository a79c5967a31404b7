//! Equation 9: the cross-entropy loss.
//!
//! **Claim** (`heavy-tailed/eq-9`). L(W) = E[l(X, Y; W)] with l(x, y; W) = -u_y^T W e_x + ln sum_z exp(u_z^T W e_x).
//!
//! It has to be the surprise -ln p_W(y|x) of the softmax, computed on another road, ln(1 + sum_{z != y} exp(s_z - s_y)), on average under
//! the law of the inputs. Refuted by a difference beyond rounding. That it is ln M at W = 0, and convex in W, which every chord between two
//! memories tests, is known of it and tests the code.

use ndarray::Array2;
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Check, Done, Sheet};
use workbench_memory::{Embeddings, Target, Zipf, cross_entropy};

use crate::vocabulary::{ROUNDING, largest_of};

/// The cross entropy.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-9",
    metric: "difference from -ln p_W(y|x) as a part of the loss, or of one where it is less",
    against: "a difference beyond rounding",
    protocol: &["embeddings of Eq. 1, inputs under a Zipf law"],
    choices: &[
        "eight inputs, two to seven classes; W of any size: scores from order one to far beyond the range of the exponential",
    ],
    departures: &[
        "the exponent of the law is one, where the document has α > 1, so that no single input decides the average",
    ],
    run,
    ..Check::DEFAULT
};

/// Inputs of a case, under a Zipf law: an average without the law is another number.
const INPUTS: usize = 8;

fn run(s: &Sheet) -> Done {
    let mut stream = s.stream("loss")?;
    let p = Zipf::new(1.0, INPUTS)?.probabilities(INPUTS);
    let average = |values: &[f64]| -> f64 { values.iter().zip(&p).map(|(v, p)| v * p).sum() };
    let (printed, twin) = (s.printed(ROUNDING), s.twin(ROUNDING));
    for case in s.cases("memories", 60, 60)? {
        let (m, d) = (2 + case % 6, 4 + case % 5);
        let (e, labels) = (Embeddings::draw(INPUTS, m, d, &mut stream)?, Target::modulo(m)?.labels(INPUTS));
        let a = normal_array2(&mut stream, d, d) * 10f64.powi(case as i32 % 4);
        let b = normal_array2(&mut stream, d, d);
        let scores = |w: &Array2<f64>| e.inputs.dot(&w.t()).dot(&e.outputs.t());
        let loss = |w: &Array2<f64>| cross_entropy(w, &e, &labels, &p);

        let (table, here) = (scores(&a), loss(&a)?);
        let by_input = surprises(&table, &labels);
        let direct = average(&by_input);
        let apart = |other: f64| (other - direct).abs() / direct.max(1.0);
        printed.same("loss against −ln p_W(y|x), as a part of max(1, loss)", apart(here));
        let flipped = average(&with_plus(&table, &labels));
        twin.same("sign of the first term flipped: difference as a part of max(1, loss)", apart(flipped));
        let plain = by_input.iter().sum::<f64>() / INPUTS as f64;
        twin.same("plain mean over the inputs in the place of the mean under p", apart(plain));

        let zero = loss(&Array2::zeros((d, d)))?;
        s.support(ROUNDING).same("|loss at W = 0 − ln M|", (zero - (m as f64).ln()).abs());

        let squared = |w: &Array2<f64>| -> f64 {
            let missing = surprises(&scores(w), &labels).into_iter().map(|s| 1.0 - (-s).exp());
            average(&missing.map(|m| m * m).collect::<Vec<f64>>())
        };
        for t in [0.1, 0.5, 0.8] {
            let between = &a * t + &b * (1.0 - t);
            let excess = loss(&between)? - t * here - (1.0 - t) * loss(&b)?;
            s.support(ROUNDING).at_most("largest excess of the loss over a chord, relative", excess / here);
            let excess = squared(&between) - t * squared(&a) - (1.0 - t) * squared(&b);
            s.aside(ROUNDING).largest().at_most("(1 − p_W)² in the place of −ln p_W: excess over a chord", excess);
        }
    }
    Ok(())
}

/// `s_y + ln sum_z exp(s_z)` of each row of scores.
fn with_plus(scores: &Array2<f64>, labels: &[usize]) -> Vec<f64> {
    let rows = scores.outer_iter().zip(labels);
    rows.map(|(s, &y)| {
        let most = largest_of(s);
        s[y] + most + s.iter().map(|z| (z - most).exp()).sum::<f64>().ln()
    })
    .collect()
}

/// `ln(1 + sum_{z != y} exp(s_z - s_y))` of each row of scores, with the largest difference taken out of the exponentials if it is
/// positive.
fn surprises(scores: &Array2<f64>, labels: &[usize]) -> Vec<f64> {
    let rows = scores.outer_iter().zip(labels);
    rows.map(|(s, &y)| {
        let above = || (0..s.len()).filter(|z| *z != y).map(|z| s[z] - s[y]);
        let most = above().fold(0.0, f64::max);
        let others = above().map(|above| (above - most).exp()).sum::<f64>();
        match most > 0.0 {
            true => most + ((-most).exp() + others).ln(),
            false => others.ln_1p(),
        }
    })
    .collect()
}
