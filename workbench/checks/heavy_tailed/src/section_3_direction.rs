//! Section 3, practical considerations: only the direction of `W e_x` matters.
//!
//! **Claim** (`heavy-tailed/direction-only`). What matters for the prediction f_W is only the direction of W e_x, so it is natural to
//! rescale that vector; "this is precisely what layer-norm is doing".
//!
//! Positive factors, one for each input, must change no prediction. Layer norm is taken in two forms: division by the root mean square,
//! and the usual one, which first subtracts the mean over coordinates. Subtracting is no rescaling: it takes the direction (1, ..., 1)
//! out of R^d. One changed prediction counts against a form.

use ndarray::{Array2, Axis};
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{ErrorCurve, LearnedMemory, Readout};

use super::appendix_c_1::{POWER, at_power};
use crate::vocabulary::{EXACT, by_scale};

/// Predictions of random memories before and after a change of `W e_x`.
#[derive(Clone, Debug)]
pub struct DirectionOnly {
    /// Dimensions.
    pub dims: Vec<usize>,
    /// Memories in each dimension, with a hundred inputs each; by scale if 0.
    pub memories: usize,
}

impl Default for DirectionOnly {
    fn default() -> DirectionOnly {
        DirectionOnly { dims: vec![5, 20, 100, 400], memories: 0 }
    }
}

const INPUTS: usize = 100;

#[derive(Default)]
struct Seen {
    factors: usize,
    signs: usize,
    rescaled: usize,
    by_coordinate: usize,
    of: usize,
    /// Share of the predictions that centring changes, `[dimension][memory]`.
    centred: Vec<Vec<f64>>,
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

impl DirectionOnly {
    fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut stream = setting.stream("direction")?;
        let mut seen = Seen::default();
        for &d in &self.dims {
            let mut shares = Vec::new();
            for _ in 0..by_scale(self.memories, setting.scale().pick(300, 600)) {
                let model = LearnedMemory::start(INPUTS, 5, d, Readout::Linear, &mut stream)?;
                let hidden = model.inputs.dot(&model.memory.t());
                let base = predictions(&hidden, &model.outputs);
                let changed = |other: &Array2<f64>| {
                    let other = predictions(other, &model.outputs);
                    other.iter().zip(&base).filter(|(a, b)| a != b).count()
                };
                let factors = normal_array2(&mut stream, INPUTS, 1);
                seen.factors += changed(&(&hidden * &factors.mapv(|z| (2.0 * z).exp())));
                seen.signs += changed(&(&hidden * &factors));
                seen.rescaled += changed(&by_root_mean_square(&hidden, 1));
                seen.by_coordinate += changed(&by_root_mean_square(&hidden, 0));
                seen.of += INPUTS;
                shares.push(changed(&by_root_mean_square(&centred(&hidden), 1)) as f64 / INPUTS as f64);
            }
            seen.centred.push(shares);
        }
        Ok(seen)
    }
}

impl TypedCheck for DirectionOnly {
    const CLAIM: &'static str = "heavy-tailed/direction-only";
    const PLAN: Plan = Plan::new(
        "predictions that change, of a hundred inputs for each of many random memories",
        "one prediction that a positive factor changes; one that layer norm changes",
        &[EXACT, POWER],
    )
    .protocol(&["W, embeddings and widths as in Appendix C.1; the document does not write its layer norm down"])
    .departures(&["layer norm is read in both usual forms, with and without subtraction of the mean"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.see(setting)?;
        let none = |label: &str, count: usize| {
            Finding::identity(label, count as f64, EXACT).cases(seen.of).unit("predictions")
        };
        let memories = seen.centred.first().map_or(0, Vec::len);
        let table = Array2::from_shape_fn((memories, self.dims.len()), |(i, j)| seen.centred[j][i]);
        let shares = ErrorCurve::new(self.dims.iter().map(|d| *d as f64).collect(), table)?;
        let (narrow, wide) = (shares.at(0)?, shares.at(self.dims.len() - 1)?);
        let in_dim = |k: usize| format!("share of predictions that subtracting the mean changes, d = {}", self.dims[k]);
        // In few dimensions centring changes so much that shares bend away from a power.
        let wide_enough = shares.between(20.0, f64::INFINITY)?;
        let slope = wide_enough.slope(&mut setting.stream("bootstrap, direction")?)?;
        let evidence = Evidence::of(Finding::at_most(in_dim(0), 0.0, narrow).unit("memories"))
            .and(Finding::at_most(in_dim(self.dims.len() - 1), 0.0, wide).unit("memories"))
            .condition(
                "layer norm rescales only without its subtraction of the mean, which changes predictions, the more the smaller d is",
                vec![
                    none("predictions that positive factors change", seen.factors),
                    none("predictions that division by the root mean square changes", seen.rescaled),
                    Finding::excludes(format!("{}: not none", in_dim(0)), 0.0, narrow).unit("memories"),
                    at_power("power of d in that share, d of 20 and more", -0.5, slope).unit("memories"),
                ],
            )
            .twin(none("predictions that factors of either sign change", seen.signs))
            .twin(none(
                "predictions that division of each coordinate over inputs changes",
                seen.by_coordinate,
            ));
        Ok(evidence.into())
    }
}
