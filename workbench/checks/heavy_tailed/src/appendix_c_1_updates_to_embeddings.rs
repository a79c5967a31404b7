//! Appendix C.1, updates to embeddings: scaling of their learning rate with the width.
//!
//! **Claims**. `heavy-tailed/c1-sgd-embeddings`: with delta u_y = sum_j alpha_j W e_{x_j} and delta e_x = sum_j alpha'_j W^T u_{y_j}, of a
//! number of terms that does not depend on d, steps of size one keep |e|, |u|, |W e| and |W^T u| of order one throughout training.
//! `heavy-tailed/c1-adam-embeddings`: sign updates have coordinates of order one, so embeddings keep their norm at steps of 1/sqrt(d).
//!
//! W, e and u are trained together with batch one for 1, 10 and 100 updates, at the stated powers of d and at others. Refuted by a power
//! that is off by a tenth, and under the sign, which is said to need its power, by another one that works as well. For plain descent
//! the text says that steps of order one do; that others do not is a footing.

use ndarray::{Array1, Array2};
use workbench_ground::stats::{normal_array2, unit_sphere};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{
    BatchSize, DescentRule, ErrorCurve, JointNorms, LearnedTraining, Readout, Target, TrainedParts, WidthRates, Zipf,
    joint_update_norms,
};

use super::powers_of_width::{POWER, in_d, typical_power};
use crate::vocabulary::{ROUNDING, apart, largest, largest_of};

const FALLING: Margin =
    Margin::statistical("falling power", -0.1, "as far below zero as a fit may find a power that is zero");

const SUMS: Margin = Margin::rounding(
    "the same sums",
    1e-9,
    "a change of an embedding is a difference of numbers of order one, so its rounding is larger by their ratio",
);

/// Plain descent.
pub const PLAIN: Check = Check {
    claim: "heavy-tailed/c1-sgd-embeddings",
    metric: "power of d in norms after joint updates of W, e and u, and in the change of the embeddings",
    against: "another power of d at steps of size one; changes that are not the printed sums",
    protocol: &["start of Appendix C.1, cross-entropy"],
    choices: &[
        "batch one; the most frequent of twenty inputs and its class, of five; base rate 0.2: the document gives powers of d and no constants",
    ],
    run: plain,
    ..Check::DEFAULT
};

/// Sign updates, which stand for Adam.
pub const SIGN: Check = Check {
    claim: "heavy-tailed/c1-adam-embeddings",
    metric: "power of d in norms after joint sign updates of W, e and u, and in the change of the embeddings",
    against: "another power of d at steps of 1/sqrt(d); the same power at other steps",
    protocol: &["start of Appendix C.1, cross-entropy; W moves at steps of 1/d, as stated for it"],
    choices: &[
        "batch one; twenty inputs, five classes, base rate 1/2: the document gives powers of d and no constants",
    ],
    run: sign,
    ..Check::DEFAULT
};

fn plain(s: &Sheet) -> Done {
    let boot = &mut s.stream("bootstrap, C.1")?;
    let (printed, twin) = (s.printed(POWER), s.twin(POWER));
    let after = |updates: usize, power: f64| {
        let rates = WidthRates { base: 0.2, memory: 0.0, embeddings: power };
        norms(s, DescentRule::Sgd, rates, updates, &format!("joint {updates}"))
    };
    let ten = after(10, 0.0)?;
    in_d(printed, "power of d in the change of e, 10 updates", 0.0, &ten.input_change, boot)?;
    in_d(printed, "power of d in the change of u, 10 updates", 0.0, &ten.output_change, boot)?;
    for (updates, norms) in [("1 update", &after(1, 0.0)?), ("10 updates", &ten), ("100 updates", &after(100, 0.0)?)] {
        for (name, curve) in kept(norms) {
            in_d(printed, format!("power of d in {name}, {updates}"), 0.0, curve, boot)?;
        }
    }
    printed_sums(s)?;
    let label = "step d^(−1/2): power of d in the change of e, which vanishes";
    let slow = after(10, -0.5)?.input_change.slope(&mut s.stream("bootstrap, s = -1/2")?)?;
    s.support(FALLING).of("runs").at_most(label, slow);
    let label = "step d^(1/2): power of d in |e'| run by run, which explodes";
    s.support(POWER).of("runs").at_least(label, typical_power(&after(10, 0.5)?.input)?);
    let label = "as many terms as d: power of d in the change of u";
    in_d(twin, label, 0.0, &one_update(s, "as many terms as d", |d| d, -1.0)?, boot)?;
    let label = "entries of W of variance one: power of d in the change of u";
    in_d(twin, label, 0.0, &one_update(s, "entries of variance one", |_| 4, 0.0)?, boot)?;
    let label = "one update in full, four terms, entries of variance 1/d: power of d in the change of u";
    in_d(s.support(POWER), label, 0.0, &one_update(s, "one update in full", |_| 4, -1.0)?, boot)
}

fn sign(s: &Sheet) -> Done {
    let boot = &mut s.stream("bootstrap, C.1")?;
    let (printed, twin) = (s.printed(POWER), s.twin(POWER));
    let after = |updates: usize, power: f64| {
        let rates = WidthRates { base: 0.5, memory: -1.0, embeddings: power };
        norms(s, DescentRule::Sign, rates, updates, &format!("joint sign {updates}"))
    };
    let (one, ten, far) = (after(1, -0.5)?, after(10, -0.5)?, after(1, 0.0)?);
    in_d(printed, "power of d in the change of e, 10 updates", 0.0, &ten.input_change, boot)?;
    in_d(printed, "power of d in the change of u, 10 updates", 0.0, &ten.output_change, boot)?;
    for (updates, norms) in [("1 update", &one), ("10 updates", &ten), ("100 updates", &after(100, -0.5)?)] {
        for (name, curve) in kept(norms).into_iter().take(2) {
            in_d(printed, format!("power of d in {name}, {updates}"), 0.0, curve, boot)?;
        }
    }
    // A sign vector times 0.5 d^s has norm 0.5 d^s sqrt(d) exactly; inputs that were not visited have not moved.
    let changes = one.input_change.runs().iter().chain(one.output_change.runs());
    for change in s.each("embeddings that moved", changes.filter(|change| **change > 0.0)) {
        s.support(ROUNDING).same("1 update: change of e and u minus the base rate", (change - 0.5).abs());
    }
    for run in far.input_change.runs().outer_iter() {
        let visited = run.iter().zip(far.input_change.x()).filter(|(change, _)| **change > 0.0);
        for (change, d) in s.each("embeddings that moved", visited) {
            let label = "s = 0, 1 update: change of e over √d times the base rate, minus one";
            s.support(ROUNDING).same(label, (change / (0.5 * d.sqrt()) - 1.0).abs());
        }
    }
    // Steps of other powers, which the text says do not serve, are to be level as the right one is: wrong forms.
    let label = "s = −1: power of d in the change of e, which vanishes";
    in_d(twin, label, 0.0, &after(10, -1.0)?.input_change, boot)?;
    let label = "s = 0: power of d in |e'|, 10 updates, which explodes";
    in_d(twin, label, 0.0, &after(10, 0.0)?.input, &mut s.stream("bootstrap, s = 0")?)?;
    let rates = WidthRates { base: 0.2, memory: 0.0, embeddings: -0.5 };
    let plain = norms(s, DescentRule::Sgd, rates, 10, "plain at the rate of the sign")?;
    let label = "plain descent at the rate of the sign: power of d in the change of e";
    in_d(twin, label, 0.0, &plain.input_change, boot)
}

fn dims(s: &Sheet) -> Result<Vec<usize>, Failure> {
    s.knobs("dimensions", s.scale().pick(&[16, 64, 256][..], &[16, 64, 256, 512]), 1..)
}

fn norms(s: &Sheet, rule: DescentRule, rates: WidthRates, updates: usize, name: &str) -> Result<JointNorms, Failure> {
    let runs = s.knob("trainings in each dimension", 100, 2..)?;
    Ok(joint_update_norms(rule, rates, updates, &dims(s)?, runs, s.streams(), name)?)
}

/// The four norms that are to stay, with their names.
fn kept(norms: &JointNorms) -> [(&'static str, &ErrorCurve); 4] {
    [("|e'|", &norms.input), ("|u'|", &norms.output), ("|W'e'|", &norms.hidden), ("|W'ᵀu'|", &norms.backward)]
}

/// Size of `sum_j alpha_j W e_j` of so many terms, entries of W of variance `d^power`.
fn one_update(s: &Sheet, name: &str, terms: fn(usize) -> usize, power: f64) -> Result<ErrorCurve, Failure> {
    let dims = dims(s)?;
    let mut columns = Vec::new();
    for &d in &dims {
        let mut stream = s.stream(&format!("{name}, d = {d}"))?;
        let size = |_| {
            let e = unit_sphere(&mut stream, terms(d), d);
            let alpha = Array1::from_shape_fn(terms(d), |_| 0.5 + 0.5 * stream.uniform());
            let w = normal_array2(&mut stream, d, d) * (d as f64).powf(power / 2.0);
            let image = w.dot(&alpha.dot(&e));
            image.dot(&image).sqrt()
        };
        columns.push((0..30).map(size).collect());
    }
    Ok(ErrorCurve::from_columns(dims.iter().map(|d| *d as f64).collect(), &columns)?)
}

/// The changes of e and u in one step on all inputs against the printed sums, as a part of the largest entry.
fn printed_sums(s: &Sheet) -> Done {
    const STEP: f64 = 0.2;
    let (inputs, classes) = (20, 5);
    let (law, target) = (Zipf::new(2.0, inputs)?, Target::modulo(classes)?);
    let (p, labels) = (law.probabilities(inputs), target.labels(inputs));
    for d in [8, 64] {
        let training = LearnedTraining::new(law.clone(), target.clone(), d, Readout::Linear, TrainedParts::Everything)
            .rule(DescentRule::Sgd)
            .rate(STEP)?
            .batch(BatchSize::Population)
            .steps(1);
        let runs = training.run(s.streams(), &format!("printed sums, d = {d}"), 10)?;
        for i in s.each("steps", 0..runs.len()) {
            let (start, end) = (runs.start(i)?, runs.model(i)?);
            // What is missing at each pair: p(x) (1{y = f(x)} - p_W(y|x)).
            let scores = start.scores();
            let alpha = Array2::from_shape_fn((inputs, classes), |(x, y)| {
                let all: f64 = (0..classes).map(|z| (scores[[x, z]] - scores[[x, y]]).exp()).sum();
                let goal = if labels[x] == y { 1.0 } else { 0.0 };
                STEP * p[x] * (goal - 1.0 / all)
            });
            let (e, u) = (&end.inputs - &start.inputs, &end.outputs - &start.outputs);
            let off = |w: &Array2<f64>| {
                let (for_e, for_u) = (alpha.dot(&start.outputs).dot(w), alpha.t().dot(&start.inputs).dot(&w.t()));
                largest_of([apart(&e, &for_e) / largest(&e), apart(&u, &for_u) / largest(&u)])
            };
            s.printed(SUMS).same("changes of e and u against the printed sums, relative", off(&start.memory));
            s.twin(SUMS).same("W and its transpose exchanged in the sums", off(&start.memory.t().to_owned()));
        }
    }
    Ok(())
}
