//! Appendix C.1, updates to W: which power of d the step needs.
//!
//! **Claims**. `heavy-tailed/c1-sgd-W`: with delta W = sum_j alpha_j u_{y_j} e_{x_j}^T of a number of terms that does not depend on d,
//! steps of size one keep |W' e_x| of order one for any input. `heavy-tailed/c1-adam-W`: with the sign of delta W, whose entries are of
//! order one instead of 1/d, it takes steps of size 1/d.
//!
//! The step is given every power d^s of a grid, on both sides of the stated one. The right power must leave |W' e| bounded and the change
//! of a visited input visible; each other one has to fail one of the two, in the way it predicts. One term and four, because the sign of
//! a matrix of rank one is again of rank one. A power that is off by a tenth counts against it.

use ndarray::{Array1, Array2};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Stream, normal_array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{Embeddings, ErrorCurve, MemoryUpdate, UpdateNorms, memory_update_norms};

use super::appendix_c_1::{POWER, at_power};
use crate::vocabulary::{EXACT, by_scale};

/// Widths and runs, common to both rules.
#[derive(Clone, Debug, Default)]
pub struct Widths {
    /// Dimensions; by scale if empty.
    pub dims: Vec<usize>,
    /// Updates in each dimension; by scale if 0.
    pub runs: usize,
}

impl Widths {
    fn dims(&self, setting: &Setting) -> Vec<usize> {
        match self.dims.is_empty() {
            true => setting.scale().pick(vec![32, 128, 512], vec![32, 128, 512, 2048]),
            false => self.dims.clone(),
        }
    }

    fn runs(&self, setting: &Setting) -> usize {
        by_scale(self.runs, setting.scale().pick(150, 60))
    }

    /// One update at rate `d^power`.
    fn norms(&self, setting: &Setting, sign: bool, terms: usize, power: f64) -> Result<UpdateNorms, Failure> {
        let name = match sign {
            true => format!("W, sign of {terms}"),
            false => "W, plain".to_string(),
        };
        let (dims, runs) = (self.dims(setting), self.runs(setting));
        let update = MemoryUpdate { sign, terms, power };
        Ok(memory_update_norms(update, &dims, runs, setting.streams(), &name)?)
    }

    /// Size of the change of a visited input under another update.
    fn other(&self, setting: &Setting, other: Other) -> Result<ErrorCurve, Failure> {
        let dims = self.dims(setting);
        let mut columns = Vec::new();
        for &d in &dims {
            let mut stream = setting.stream(&format!("{other:?} update of W, d = {d}"))?;
            let sizes = (0..self.runs(setting)).map(|_| other.change(d, &mut stream));
            columns.push(sizes.collect::<Result<Vec<f64>, Failure>>()?.into());
        }
        Ok(ErrorCurve::from_columns(dims.iter().map(|d| *d as f64).collect(), &columns)?)
    }
}

/// Updates beside the one on the sphere: with the other embeddings of the text, and wrong ones.
#[derive(Clone, Copy, Debug)]
enum Other {
    /// Gaussian embeddings, of norm one on average.
    Gaussian,
    /// As many terms as dimensions, all of one input.
    ManyTerms,
    /// `sum_j alpha_j e_j u_j^T`.
    Transposed,
    /// Inputs of norm sqrt(d), as in Eq. 1.
    LongInputs,
    /// delta W over its norm in place of its sign, at the sign's rate 1/d.
    Normalised,
    /// The sign with Gaussian embeddings, at its rate 1/d.
    GaussianSign,
}

impl Other {
    /// Four terms if nothing else is said; the size of the change of the first input.
    fn change(self, d: usize, stream: &mut Stream) -> Result<f64, Failure> {
        let (terms, distinct) = if matches!(self, Other::ManyTerms) { (d, 1) } else { (4, 4) };
        let Embeddings { mut inputs, mut outputs } = Embeddings::spherical(distinct, terms, d, stream)?;
        if matches!(self, Other::Gaussian | Other::GaussianSign) {
            let size = (d as f64).sqrt();
            inputs = normal_array2(stream, terms, d) / size;
            outputs = normal_array2(stream, terms, d) / size;
        }
        let alpha: Vec<f64> = (0..terms).map(|_| 0.5 + 0.5 * stream.uniform()).collect();
        if matches!(self, Other::LongInputs) {
            inputs *= (d as f64).sqrt();
        }
        if matches!(self, Other::GaussianSign) {
            return Ok(sign_change(&alpha, &inputs, &outputs) / d as f64);
        }
        let (left, right) = match self {
            Other::Transposed => (&inputs, &outputs),
            _ => (&outputs, &inputs),
        };
        let mut change = Array1::<f64>::zeros(d);
        for (j, alpha) in alpha.iter().enumerate() {
            change.scaled_add(alpha * right.row(j % distinct).dot(&inputs.row(0)), &left.row(j));
        }
        let scale = match self {
            Other::Normalised => {
                let pairs = (0..terms).flat_map(|j| (0..terms).map(move |k| (j, k)));
                let square: f64 = pairs
                    .map(|(j, k)| alpha[j] * alpha[k] * left.row(j).dot(&left.row(k)) * right.row(j).dot(&right.row(k)))
                    .sum();
                1.0 / (d as f64 * square.sqrt())
            }
            _ => 1.0,
        };
        Ok(scale * change.dot(&change).sqrt())
    }
}

/// `|sign(sum_j alpha_j u_j e_j^T) e_0|`, entry by entry, row after row.
fn sign_change(alpha: &[f64], inputs: &Array2<f64>, outputs: &Array2<f64>) -> f64 {
    let (d, mut square) = (inputs.ncols(), 0.0);
    let mut row = Array1::<f64>::zeros(d);
    for i in 0..d {
        row.fill(0.0);
        for (j, alpha) in alpha.iter().enumerate() {
            row.scaled_add(alpha * outputs[[j, i]], &inputs.row(j));
        }
        row.mapv_inplace(f64::signum);
        square += row.dot(&inputs.row(0)).powi(2);
    }
    square.sqrt()
}

/// Plain descent.
#[derive(Clone, Debug, Default)]
pub struct Plain {
    /// Widths and runs.
    pub at: Widths,
}

impl TypedCheck for Plain {
    const CLAIM: &'static str = "heavy-tailed/c1-sgd-W";
    const PLAN: Plan = Plan::new(
        "power of d in the norm of W'e and in its change, for an input of the update and for another one",
        "another power of d at steps of size one; the same power at other steps",
        &[POWER, EXACT],
    )
    .protocol(&["start of Appendix C.1, embeddings on the sphere, and Gaussian ones for the change"])
    .departures(&[
        "four terms, and one, with alpha_j uniform on [1/2, 1]: the document says only that they are of order one",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut boot = setting.stream("bootstrap, C.1")?;
        let norms = |power: f64| self.at.norms(setting, false, 4, power);
        let (slower, slow, right, fast) = (norms(-1.0)?, norms(-0.5)?, norms(0.0)?, norms(0.5)?);
        let single = self.at.norms(setting, false, 1, 0.0)?;
        let mut power = |label: &str, stated: f64, curve: &ErrorCurve| -> Result<Finding, Failure> {
            Ok(at_power(label, stated, curve.slope(&mut boot)?).unit("runs"))
        };
        let changes = single.change_seen.runs().iter();
        let outside = changes.filter(|change| !(0.5 - 1e-12..=1.0 + 1e-12).contains(*change)).count() as f64;
        let evidence = Evidence::of(power("s = 0: power of d in |W'e|, visited input", 0.0, &right.seen)?)
            .and(power("s = 0: power of d in |W'e|, another input", 0.0, &right.unseen)?)
            .and(power("s = 0: power of d in the change, visited input", 0.0, &right.change_seen)?)
            .and(power(
                "Gaussian embeddings, s = 0: power of d in the change, visited input",
                0.0,
                &self.at.other(setting, Other::Gaussian)?,
            )?)
            .and(power("power of d in the entries of δW", -1.0, &right.entry)?)
            .and(power("s = −1/2: power of d in the change, which vanishes", -0.5, &slow.change_seen)?)
            .and(power("s = 1/2: power of d in |W'e|, which explodes", 0.5, &fast.seen)?)
            // The change of the only input is alpha, uniform on [1/2, 1], whatever d.
            .and(
                Finding::identity("one term: changes of its input outside of [1/2, 1]", outside, EXACT)
                    .cases(single.change_seen.runs().len())
                    .unit("updates"),
            )
            .and(
                Finding::near(
                    "one term: mean change of its input at the least d",
                    0.75,
                    0.0,
                    single.change_seen.at(0)?,
                )
                .unit("runs"),
            )
            .twin(power(
                "transposed update: power of d in the change",
                0.0,
                &self.at.other(setting, Other::Transposed)?,
            )?)
            .twin(power(
                "inputs of norm √d: power of d in the change",
                0.0,
                &self.at.other(setting, Other::LongInputs)?,
            )?)
            .twin(power(
                "as many terms as d, all of one input: power of d in the change",
                0.0,
                &self.at.other(setting, Other::ManyTerms)?,
            )?)
            .support(power(
                "s = 0: power of d in the change, another input, as inner products of random inputs have it",
                -0.5,
                &right.change_unseen,
            )?);
        let x = right.seen.x().to_vec();
        let left = Panel::new("|W'e| of a visited input")
            .line("s = −1", &x, &slower.seen.means())
            .line("s = −1/2", &x, &slow.seen.means())
            .line("s = 0, as stated", &x, &right.seen.means())
            .line("s = 1/2", &x, &fast.seen.means());
        let second = Panel::new("its change |(W'−W)e|")
            .line("s = −1", &x, &slower.change_seen.means())
            .line("s = −1/2", &x, &slow.change_seen.means())
            .line("s = 0, as stated", &x, &right.change_seen.means())
            .line("s = 1/2", &x, &fast.change_seen.means());
        Ok(Checked::from(evidence).figure(two_panels("Steps of size dˢ, plain descent", left, second)))
    }
}

fn two_panels(title: &str, left: Panel, right: Panel) -> Figure {
    let axes = |panel: Panel| panel.x_label("d").y_label("norm").log_x().log_y().legend_below();
    Figure::new(title).panel(axes(left)).panel(axes(right)).columns(2).caption(
        "Mean norms after one update with four terms. The right power is the one that is level in both panels.",
    )
}

/// Its sign, which stands for Adam.
#[derive(Clone, Debug, Default)]
pub struct Sign {
    /// Widths and runs.
    pub at: Widths,
}

impl TypedCheck for Sign {
    const CLAIM: &'static str = "heavy-tailed/c1-adam-W";
    const PLAN: Plan = Plan::new(
        "power of d in the norm of W'e and in its change, for an input of the update and for another one",
        "another power of d at steps of size 1/d; the same power at other steps",
        &[POWER],
    )
    .protocol(&[
        "start of Appendix C.1, embeddings on the sphere, and Gaussian ones for the change; the sign entry by entry",
    ])
    .departures(&[
        "one term and four, with alpha_j uniform on [1/2, 1]: the document says only that they are of order one",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut boot = setting.stream("bootstrap, C.1")?;
        let norms = |terms: usize, power: f64| self.at.norms(setting, true, terms, power);
        let mut power = |label: String, stated: f64, curve: &ErrorCurve| -> Result<Finding, Failure> {
            Ok(at_power(label, stated, curve.slope(&mut boot)?).unit("runs"))
        };
        let right = norms(4, -1.0)?;
        let mut evidence = Evidence::of(power(
            "s = −1: power of d in |W'e|, visited input, four terms".to_string(),
            0.0,
            &right.seen,
        )?);
        for (terms, said) in [(1, "one term"), (4, "four terms")] {
            let (slow, right, fast) = (norms(terms, -1.5)?, norms(terms, -1.0)?, norms(terms, -0.5)?);
            for (label, stated, curve) in [
                ("s = −1: power of d in the change", 0.0, &right.change_seen),
                ("s = −1: power of d in |W'e|, another input", 0.0, &right.unseen),
                ("s = −3/2: power of d in the change, which vanishes", -0.5, &slow.change_seen),
                ("s = −1/2: power of d in |W'e|, which explodes", 0.5, &fast.seen),
                ("power of d in the entries of δW before the sign", -1.0, &right.entry),
            ] {
                evidence = evidence.and(power(format!("{label}, {said}"), stated, curve)?);
            }
        }
        evidence = evidence.and(power(
            "Gaussian embeddings, s = −1: power of d in the change, visited input, four terms".to_string(),
            0.0,
            &self.at.other(setting, Other::GaussianSign)?,
        )?);
        let evidence = evidence.twin(power(
            "δW over its norm in place of its sign, s = −1: power of d in the change".to_string(),
            0.0,
            &self.at.other(setting, Other::Normalised)?,
        )?);
        let (slow, fast) = (norms(4, -1.5)?, norms(4, -0.5)?);
        let x = right.seen.x().to_vec();
        let left = Panel::new("|W'e| of a visited input")
            .line("s = −3/2", &x, &slow.seen.means())
            .line("s = −1, as stated", &x, &right.seen.means())
            .line("s = −1/2", &x, &fast.seen.means());
        let second = Panel::new("its change |(W'−W)e|")
            .line("s = −3/2", &x, &slow.change_seen.means())
            .line("s = −1, as stated", &x, &right.change_seen.means())
            .line("s = −1/2", &x, &fast.change_seen.means());
        Ok(Checked::from(evidence).figure(two_panels("Steps of size dˢ, sign of the gradient", left, second)))
    }
}
