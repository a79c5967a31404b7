//! Appendix C.1, updates to W: scaling of its learning rate with the width.
//!
//! **Claims**. `heavy-tailed/c1-sgd-W`: with delta W = sum_j alpha_j u_{y_j} e_{x_j}^T of a number of terms that does not depend on d,
//! steps of size one keep |W' e_x| of order one for any input. `heavy-tailed/c1-adam-W`: with the sign of delta W, whose entries are of
//! order one instead of 1/d, it takes steps of size 1/d.
//!
//! The step is given every power d^s of a grid, on both sides of the stated one. The right power must leave |W' e| bounded and, as
//! Appendix C.1 is about maximal feature learning, the change of a visited input visible. That other powers fail one of the two is
//! printed for the sign, whose step "needs to be taken" as 1/d: there they are wrong forms. For plain descent the text says only that
//! steps of order one do, and the others are a footing. One term and four, because the sign of a matrix of rank one is again of rank
//! one. Refuted by a power that is off by a tenth.

use ndarray::{Array1, Array2};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Stream, normal_array2};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{Embeddings, ErrorCurve, MemoryUpdate, UpdateNorms, memory_update_norms};

use super::powers_of_width::{POWER, in_d};
use crate::vocabulary::EXACT;

/// Plain descent.
pub const PLAIN: Check = Check {
    claim: "heavy-tailed/c1-sgd-W",
    metric: "power of d in the norm of W'e and in its change, for an input of the update and for another one",
    against: "another power of d at steps of size one",
    protocol: &["start of Appendix C.1"],
    choices: &[
        "of the two starts embeddings on the sphere; Gaussian ones for the change only",
        "four terms, and one, with alpha_j uniform on [1/2, 1]: the document says that they are of order one; d from 32 to 2048",
    ],
    run: plain,
    ..Check::DEFAULT
};

/// Its sign, which stands for Adam.
pub const SIGN: Check = Check {
    claim: "heavy-tailed/c1-adam-W",
    metric: "power of d in the norm of W'e, for an input of the update and for another one, in the change of the first, and in the entries of delta W",
    against: "another power of d at steps of size 1/d; the same power at other steps",
    protocol: &["start of Appendix C.1; the sign entry by entry"],
    choices: &[
        "of the two starts embeddings on the sphere; Gaussian ones for the change only",
        "one term and four, with alpha_j uniform on [1/2, 1]: the document says that they are of order one; d from 32 to 2048",
    ],
    run: sign,
    ..PLAIN
};

fn plain(s: &Sheet) -> Done {
    let boot = &mut s.stream("bootstrap, C.1")?;
    let (printed, footing, twin) = (s.printed(POWER), s.support(POWER), s.twin(POWER));
    let rates = [("s = −1", -1.0), ("s = −1/2", -0.5), ("s = 0, as stated", 0.0), ("s = 1/2", 0.5)];
    let [slower, slow, right, fast] = rates.map(|(_, power)| norms(s, false, 4, power));
    let (slower, slow, right, fast) = (slower?, slow?, right?, fast?);
    in_d(printed, "s = 0: power of d in |W'e|, visited input", 0.0, &right.seen, boot)?;
    in_d(printed, "s = 0: power of d in |W'e|, another input", 0.0, &right.unseen, boot)?;
    in_d(printed, "s = 0: power of d in the change, visited input", 0.0, &right.change_seen, boot)?;
    let label = "Gaussian embeddings, s = 0: power of d in the change, visited input";
    in_d(printed, label, 0.0, &change_along_d(s, Other::Gaussian)?, boot)?;
    // What the text says of the sign, and that other steps do not serve, which it does not say here.
    in_d(footing, "power of d in the entries of δW", -1.0, &right.entry, boot)?;
    in_d(footing, "s = −1/2: power of d in the change, which vanishes", -0.5, &slow.change_seen, boot)?;
    in_d(footing, "s = 1/2: power of d in |W'e|, which explodes", 0.5, &fast.seen, boot)?;

    // The change of the only input is alpha, uniform on [1/2, 1], whatever d.
    let single = norms(s, false, 1, 0.0)?.change_seen;
    for change in single.runs() {
        let outside = !(0.5 - 1e-12..=1.0 + 1e-12).contains(change);
        s.support(EXACT).of("updates").never("one term: changes of its input outside of [1/2, 1]", outside);
    }
    let label = "one term: mean change of its input at the least d";
    s.support(Margin::ZERO).of("runs").near(label, 0.75, single.at(0)?);

    for (label, other) in [
        ("transposed update: power of d in the change", Other::Transposed),
        ("inputs of norm √d: power of d in the change", Other::LongInputs),
        ("as many terms as d, all of one input: power of d in the change", Other::ManyTerms),
    ] {
        in_d(twin, label, 0.0, &change_along_d(s, other)?, boot)?;
    }
    let label = "s = 0: power of d in the change, another input, as inner products of random inputs have it";
    in_d(footing, label, -0.5, &right.change_unseen, boot)?;
    let lines = rates.map(|(name, _)| name).into_iter().zip([slower, slow, right, fast]);
    s.figure(figure("Steps of size dˢ, plain descent", &lines.collect::<Vec<_>>()));
    Ok(())
}

fn sign(s: &Sheet) -> Done {
    let boot = &mut s.stream("bootstrap, C.1")?;
    let (printed, twin) = (s.printed(POWER), s.twin(POWER));
    let right = norms(s, true, 4, -1.0)?;
    in_d(printed, "s = −1: power of d in |W'e|, visited input, four terms", 0.0, &right.seen, boot)?;
    for (terms, said) in [(1, "one term"), (4, "four terms")] {
        let of = |power: f64| norms(s, true, terms, power);
        let (slow, right, fast) = (of(-1.5)?, of(-1.0)?, of(-0.5)?);
        // Steps of other powers, which the text says do not serve, are to be level as the right one is: wrong forms.
        for (says, label, stated, curve) in [
            (printed, "s = −1: power of d in the change", 0.0, &right.change_seen),
            (printed, "s = −1: power of d in |W'e|, another input", 0.0, &right.unseen),
            (twin, "s = −3/2: power of d in the change, which vanishes", 0.0, &slow.change_seen),
            (twin, "s = −1/2: power of d in |W'e|, which explodes", 0.0, &fast.seen),
            (printed, "power of d in the entries of δW before the sign", -1.0, &right.entry),
        ] {
            in_d(says, format!("{label}, {said}"), stated, curve, boot)?;
        }
    }
    let label = "Gaussian embeddings, s = −1: power of d in the change, visited input, four terms";
    in_d(printed, label, 0.0, &change_along_d(s, Other::GaussianSign)?, boot)?;
    let label = "δW over its norm in place of its sign, s = −1: power of d in the change";
    in_d(twin, label, 0.0, &change_along_d(s, Other::Normalised)?, boot)?;
    let (slow, fast) = (norms(s, true, 4, -1.5)?, norms(s, true, 4, -0.5)?);
    let lines = [("s = −3/2", slow), ("s = −1, as stated", right), ("s = −1/2", fast)];
    s.figure(figure("Steps of size dˢ, sign of the gradient", &lines));
    Ok(())
}

fn dims(s: &Sheet) -> Result<Vec<usize>, Failure> {
    s.knobs("dimensions", s.scale().pick(&[32, 128, 512][..], &[32, 128, 512, 2048]), 1..)
}

fn runs(s: &Sheet) -> Result<usize, Failure> {
    s.knob("updates", s.scale().pick(150, 60), 2..)
}

/// One update at rate `d^power`.
fn norms(s: &Sheet, sign: bool, terms: usize, power: f64) -> Result<UpdateNorms, Failure> {
    let name = if sign { format!("W, sign of {terms}") } else { "W, plain".to_string() };
    Ok(memory_update_norms(MemoryUpdate { sign, terms, power }, &dims(s)?, runs(s)?, s.streams(), &name)?)
}

/// Size of the change of a visited input under another update.
fn change_along_d(s: &Sheet, other: Other) -> Result<ErrorCurve, Failure> {
    let (dims, runs) = (dims(s)?, runs(s)?);
    let mut columns = Vec::new();
    for &d in &dims {
        let mut stream = s.stream(&format!("{other:?} update of W, d = {d}"))?;
        let sizes = (0..runs).map(|_| other.change(d, &mut stream));
        columns.push(sizes.collect::<Result<Vec<f64>, Failure>>()?.into());
    }
    Ok(ErrorCurve::from_columns(dims.iter().map(|d| *d as f64).collect(), &columns)?)
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
        let transposed = matches!(self, Other::Transposed);
        let (left, right) = if transposed { (&inputs, &outputs) } else { (&outputs, &inputs) };
        let mut change = Array1::<f64>::zeros(d);
        for (j, alpha) in alpha.iter().enumerate() {
            change.scaled_add(alpha * right.row(j % distinct).dot(&inputs.row(0)), &left.row(j));
        }
        let size = change.dot(&change).sqrt();
        if !matches!(self, Other::Normalised) {
            return Ok(size);
        }
        let pairs = (0..terms).flat_map(|j| (0..terms).map(move |k| (j, k)));
        let product = |(j, k): (usize, usize)| {
            alpha[j] * alpha[k] * left.row(j).dot(&left.row(k)) * right.row(j).dot(&right.row(k))
        };
        Ok(1.0 / (d as f64 * pairs.map(product).sum::<f64>().sqrt()) * size)
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

fn figure(title: &str, lines: &[(&str, UpdateNorms)]) -> Figure {
    let axes = |title: &str| Panel::new(title).x_label("d").y_label("norm").log_x().log_y().legend_below();
    let (mut left, mut right) = (axes("|W'e| of a visited input"), axes("its change |(W'−W)e|"));
    for (name, norms) in lines {
        left = left.line(name, norms.seen.x(), &norms.seen.means());
        right = right.line(name, norms.seen.x(), &norms.change_seen.means());
    }
    Figure::new(title).panel(left).panel(right).columns(2).caption(
        "Mean norms after one update with four terms. The right power is the one that is level in both panels.",
    )
}
