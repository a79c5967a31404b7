//! Section 3, practical considerations: direction of `W e_x`, and layer norm.
//!
//! **Claim** (`heavy-tailed/direction-only`). What matters for the prediction f_W is only the direction of W e_x, so it is natural to
//! rescale that vector; "this is precisely what layer-norm is doing".
//!
//! Positive factors, one for each input, must change no prediction. Layer norm is taken in two forms: division by the root mean square,
//! and the usual one, which first subtracts the mean over coordinates. Subtracting is no rescaling: it takes the direction (1, ..., 1)
//! out of R^d. Refuted by one changed prediction.

use ndarray::{Array2, Axis};
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Check, Done, Margin, Sheet};
use workbench_memory::{ErrorCurve, LearnedMemory, Readout};

use super::powers_of_width::POWER;
use crate::vocabulary::EXACT;

/// Predictions of random memories before and after a change of `W e_x`.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/direction-only",
    metric: "predictions that change, of a hundred inputs for each of many random memories",
    against: "one prediction that a positive factor changes; one that layer norm changes",
    choices: &[
        "W and embeddings as in Appendix C.1; a hundred inputs, five classes, widths from 5 to 400",
        "the document does not write its layer norm down: it is read in both usual forms, with and without subtraction of the mean",
    ],
    run,
    ..Check::DEFAULT
};

const INPUTS: usize = 100;

fn run(s: &Sheet) -> Done {
    let mut stream = s.stream("direction")?;
    let dims = s.knobs("dimensions", &[5, 20, 100, 400], 1..)?;
    let memories = s.knob("memories in each dimension", s.scale().pick(300, 600), 2..)?;
    s.condition("layer norm rescales only without its subtraction of the mean, which changes predictions, the more the smaller d is");
    let mut shares = Array2::zeros((memories, dims.len()));
    for (j, d) in dims.iter().enumerate() {
        for i in 0..memories {
            let model = LearnedMemory::start(INPUTS, 5, *d, Readout::Linear, &mut stream)?;
            let hidden = model.inputs.dot(&model.memory.t());
            let base = predictions(&hidden, &model.outputs);
            let changed = |other: &Array2<f64>| -> Vec<bool> {
                predictions(other, &model.outputs).iter().zip(&base).map(|(a, b)| a != b).collect()
            };
            let factors = normal_array2(&mut stream, INPUTS, 1);
            for (says, label, other) in [
                (
                    s.both_forms(EXACT),
                    "predictions that positive factors change",
                    &hidden * &factors.mapv(|z| (2.0 * z).exp()),
                ),
                (
                    s.changed(EXACT),
                    "predictions that division by the root mean square changes",
                    by_root_mean_square(&hidden, 1),
                ),
                (s.twin(EXACT), "predictions that factors of either sign change", &hidden * &factors),
                (
                    s.twin(EXACT),
                    "predictions that division of each coordinate over inputs changes",
                    by_root_mean_square(&hidden, 0),
                ),
            ] {
                for changes in changed(&other) {
                    says.of("predictions").never(label, changes);
                }
            }
            let moved = changed(&by_root_mean_square(&centred(&hidden), 1));
            shares[[i, j]] = moved.iter().filter(|moved| **moved).count() as f64 / INPUTS as f64;
        }
    }
    let shares = ErrorCurve::new(dims.iter().map(|d| *d as f64).collect(), shares)?;
    let in_dim = |k: usize| format!("share of predictions that subtracting the mean changes, d = {}", dims[k]);
    for k in [0, dims.len() - 1] {
        s.printed(Margin::ZERO).of("memories").at_most(in_dim(k), shares.at(k)?);
    }
    let changed = s.changed(POWER).of("memories");
    // In few dimensions centring changes so much that shares bend away from a power.
    let slope = shares.between(20.0, f64::INFINITY)?.slope(&mut s.stream("bootstrap, direction")?)?;
    changed.equals("power of d in that share, d of 20 and more", -0.5, slope);
    Ok(())
}

fn predictions(hidden: &Array2<f64>, outputs: &Array2<f64>) -> Vec<usize> {
    let best = |scores: ndarray::ArrayView1<f64>| {
        let scores = scores.iter().enumerate();
        scores.fold((0, f64::NEG_INFINITY), |best, (y, s)| if *s > best.1 { (y, *s) } else { best }).0
    };
    hidden.dot(&outputs.t()).outer_iter().map(best).collect()
}

/// Divides by the root mean square along an axis: 1 is that of layer norm, 0 that of batch norm.
fn by_root_mean_square(hidden: &Array2<f64>, axis: usize) -> Array2<f64> {
    let size = hidden.map_axis(Axis(axis), |r| (r.dot(&r) / r.len() as f64).sqrt());
    hidden / &size.insert_axis(Axis(axis))
}

fn centred(hidden: &Array2<f64>) -> Array2<f64> {
    let means = hidden.map_axis(Axis(1), |r| r.sum() / r.len() as f64);
    hidden - &means.insert_axis(Axis(1))
}
