//! Appendix C.1, updates to embeddings: which power of d their steps need.
//!
//! **Claims**. `heavy-tailed/c1-sgd-embeddings`: with delta u_y = sum_j alpha_j W e_{x_j} and delta e_x = sum_j alpha'_j W^T u_{y_j}, of a
//! number of terms that does not depend on d, steps of size one keep |e|, |u|, |W e| and |W^T u| of order one throughout training.
//! `heavy-tailed/c1-adam-embeddings`: sign updates have coordinates of order one, so embeddings keep their norm at steps of 1/sqrt(d).
//!
//! W, e and u are trained together with batch one for 1, 10 and 100 updates, at the stated powers of d and at others. A power that is off
//! by a tenth counts against it, and so does another power that works as well.

use ndarray::{Array1, Array2};
use workbench_ground::stats::{normal_array2, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{
    BatchSize, DescentRule, ErrorCurve, JointNorms, LearnedTraining, Readout, Target, TrainedParts, WidthRates, Zipf,
    joint_update_norms,
};

use super::appendix_c_1::{POWER, at_power, typical_power};
use crate::vocabulary::{Largest, Least, ROUNDING, by_scale, largest, largest_of};

const FALLING: Margin =
    Margin::new("falling power", -0.1, "as far below zero as a power may be that still counts as level");

const SUMS: Margin = Margin::new(
    "the same sums",
    1e-9,
    "a change of an embedding is a difference of numbers of order one, so its rounding is larger by their ratio",
);

/// Widths and runs, common to both rules.
#[derive(Clone, Debug)]
pub struct Training {
    /// Dimensions; by scale if empty.
    pub dims: Vec<usize>,
    /// Trainings in each dimension.
    pub runs: usize,
}

impl Default for Training {
    fn default() -> Training {
        Training { dims: Vec::new(), runs: 100 }
    }
}

impl Training {
    fn dims(&self, setting: &Setting) -> Vec<usize> {
        match self.dims.is_empty() {
            true => setting.scale().pick(vec![16, 64, 256], vec![16, 64, 256, 512]),
            false => self.dims.clone(),
        }
    }

    fn norms(
        &self,
        setting: &Setting,
        rule: DescentRule,
        rates: WidthRates,
        updates: usize,
        name: &str,
    ) -> Result<JointNorms, Failure> {
        let (dims, runs) = (self.dims(setting), by_scale(self.runs, setting.scale().pick(50, 100)));
        Ok(joint_update_norms(rule, rates, updates, &dims, runs, setting.streams(), name)?)
    }

    /// Size of `sum_j alpha_j W e_j` of so many terms, entries of W of variance `d^power`.
    fn one_update(
        &self,
        setting: &Setting,
        name: &str,
        terms: fn(usize) -> usize,
        power: f64,
    ) -> Result<ErrorCurve, Failure> {
        let dims = self.dims(setting);
        let mut columns = Vec::new();
        for &d in &dims {
            let mut stream = setting.stream(&format!("{name}, d = {d}"))?;
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
}

/// The four norms that are to stay, with their names.
fn kept(norms: &JointNorms) -> [(&'static str, &ErrorCurve); 4] {
    [("|e'|", &norms.input), ("|u'|", &norms.output), ("|W'e'|", &norms.hidden), ("|W'ᵀu'|", &norms.backward)]
}

fn after(updates: usize) -> String {
    match updates {
        1 => "1 update".to_string(),
        _ => format!("{updates} updates"),
    }
}

/// The changes of e and u in one step on all inputs against the printed sums, as a part of the largest entry: with W as printed, and with
/// W and its transpose exchanged.
fn sums(setting: &Setting) -> Result<(Largest, Least), Failure> {
    const STEP: f64 = 0.2;
    let (inputs, classes) = (20, 5);
    let (law, target) = (Zipf::new(2.0, inputs)?, Target::modulo(classes)?);
    let (p, labels) = (law.probabilities(inputs), target.labels(inputs));
    let (mut printed, mut exchanged) = (Largest::default(), Least::default());
    for d in [8, 64] {
        let training = LearnedTraining::new(law.clone(), target.clone(), d, Readout::Linear, TrainedParts::Everything)
            .rule(DescentRule::Sgd)
            .rate(STEP)?
            .batch(BatchSize::Population)
            .steps(1);
        let runs = training.run(setting.streams(), &format!("printed sums, d = {d}"), 10)?;
        for i in 0..runs.len() {
            let (start, end) = (runs.start(i)?, runs.model(i)?);
            // What is missing at each pair: p(x) (1{y = f(x)} - p_W(y|x)).
            let scores = start.scores();
            let alpha = Array2::from_shape_fn((inputs, classes), |(x, y)| {
                let all: f64 = (0..classes).map(|z| (scores[[x, z]] - scores[[x, y]]).exp()).sum();
                let goal = if labels[x] == y { 1.0 } else { 0.0 };
                STEP * p[x] * (goal - 1.0 / all)
            });
            let sums = |w: &Array2<f64>| (alpha.dot(&start.outputs).dot(w), alpha.t().dot(&start.inputs).dot(&w.t()));
            let off = |(e, u): (Array2<f64>, Array2<f64>)| {
                let apart = |moved: Array2<f64>, sum: Array2<f64>| largest(&(&moved - &sum)) / largest(&moved);
                largest_of([apart(&end.inputs - &start.inputs, e), apart(&end.outputs - &start.outputs, u)])
            };
            printed.see(off(sums(&start.memory)));
            exchanged.see(off(sums(&start.memory.t().to_owned())));
        }
    }
    Ok((printed, exchanged))
}

/// Plain descent.
#[derive(Clone, Debug, Default)]
pub struct Plain {
    /// Widths and runs.
    pub at: Training,
}

impl TypedCheck for Plain {
    const CLAIM: &'static str = "heavy-tailed/c1-sgd-embeddings";
    const PLAN: Plan = Plan::new(
        "power of d in norms after joint updates of W, e and u, and in the change of the embeddings",
        "another power of d at steps of size one; the same power at other steps; changes that are not the printed sums",
        &[POWER, FALLING, SUMS],
    )
    .protocol(&["start of Appendix C.1, batch one, cross-entropy; the most frequent input and its class"])
    .departures(&["twenty inputs, five classes, base rate 0.2: the document gives powers of d and no constants"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut boot = setting.stream("bootstrap, C.1")?;
        let rates = |embeddings: f64| WidthRates { base: 0.2, memory: 0.0, embeddings };
        let norms = |updates: usize, s: f64| {
            self.at.norms(setting, DescentRule::Sgd, rates(s), updates, &format!("joint {updates}"))
        };
        let ten = norms(10, 0.0)?;
        let mut power = |label: String, stated: f64, curve: &ErrorCurve| -> Result<Finding, Failure> {
            Ok(at_power(label, stated, curve.slope(&mut boot)?).unit("runs"))
        };
        let mut evidence =
            Evidence::of(power("power of d in the change of e, 10 updates".to_string(), 0.0, &ten.input_change)?)
                .and(power("power of d in the change of u, 10 updates".to_string(), 0.0, &ten.output_change)?);
        for (updates, norms) in [(1, &norms(1, 0.0)?), (10, &ten), (100, &norms(100, 0.0)?)] {
            for (name, curve) in kept(norms) {
                evidence = evidence.and(power(format!("power of d in {name}, {}", after(updates)), 0.0, curve)?);
            }
        }
        let (printed, exchanged) = sums(setting)?;
        let steps = |label: &str, off: f64| Finding::identity(label, off, SUMS).cases(20).unit("steps");
        let evidence = evidence
            .and(steps("changes of e and u against the printed sums, relative", printed.0))
            .twin(steps("W and its transpose exchanged in the sums", exchanged.0))
            .and(
                Finding::at_most(
                    "step d^(−1/2): power of d in the change of e, which vanishes",
                    FALLING,
                    norms(10, -0.5)?.input_change.slope(&mut setting.stream("bootstrap, s = -1/2")?)?,
                )
                .unit("runs"),
            )
            .and(
                Finding::at_least(
                    "step d^(1/2): power of d in |e'| run by run, which explodes",
                    POWER,
                    typical_power(&norms(10, 0.5)?.input)?,
                )
                .unit("runs"),
            )
            .twin(power(
                "as many terms as d: power of d in the change of u".to_string(),
                0.0,
                &self.at.one_update(setting, "as many terms as d", |d| d, -1.0)?,
            )?)
            .twin(power(
                "entries of W of variance one: power of d in the change of u".to_string(),
                0.0,
                &self.at.one_update(setting, "entries of variance one", |_| 4, 0.0)?,
            )?)
            .support(power(
                "one update in full, four terms, entries of variance 1/d: power of d in the change of u".to_string(),
                0.0,
                &self.at.one_update(setting, "one update in full", |_| 4, -1.0)?,
            )?);
        Ok(evidence.into())
    }
}

/// Sign updates, which stand for Adam.
#[derive(Clone, Debug, Default)]
pub struct Sign {
    /// Widths and runs.
    pub at: Training,
}

impl TypedCheck for Sign {
    const CLAIM: &'static str = "heavy-tailed/c1-adam-embeddings";
    const PLAN: Plan = Plan::new(
        "power of d in norms after joint sign updates of W, e and u, and in the change of the embeddings",
        "another power of d at steps of 1/sqrt(d); the same power at other steps",
        &[POWER, ROUNDING],
    )
    .protocol(&["start of Appendix C.1, batch one, cross-entropy; W moves at steps of 1/d, as stated for it"])
    .departures(&["twenty inputs, five classes, base rate 1/2: the document gives powers of d and no constants"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut boot = setting.stream("bootstrap, C.1")?;
        let rates = |embeddings: f64| WidthRates { base: 0.5, memory: -1.0, embeddings };
        let norms = |updates: usize, s: f64| {
            self.at.norms(setting, DescentRule::Sign, rates(s), updates, &format!("joint sign {updates}"))
        };
        let mut power = |label: String, stated: f64, curve: &ErrorCurve| -> Result<Finding, Failure> {
            Ok(at_power(label, stated, curve.slope(&mut boot)?).unit("runs"))
        };
        // A sign vector times 0.5 d^s has norm 0.5 d^s sqrt(d) exactly; inputs that were not visited have not moved.
        let (one, ten, far) = (norms(1, -0.5)?, norms(10, -0.5)?, norms(1, 0.0)?);
        let (mut exact, mut counted) = (Largest::default(), [0usize; 2]);
        let moved = |norms: &ErrorCurve| norms.runs().iter().copied().filter(|c| *c > 0.0).collect::<Vec<_>>();
        for change in moved(&one.input_change).into_iter().chain(moved(&one.output_change)) {
            exact.see((change - 0.5).abs());
            counted[0] += 1;
        }
        let mut root = Largest::default();
        for run in far.input_change.runs().outer_iter() {
            let visited = run.iter().zip(far.input_change.x()).filter(|(change, _)| **change > 0.0);
            for (change, d) in visited {
                root.see((change / (0.5 * d.sqrt()) - 1.0).abs());
                counted[1] += 1;
            }
        }
        let mut evidence =
            Evidence::of(power("power of d in the change of e, 10 updates".to_string(), 0.0, &ten.input_change)?)
                .and(power("power of d in the change of u, 10 updates".to_string(), 0.0, &ten.output_change)?);
        for (updates, norms) in [(1, &one), (10, &ten), (100, &norms(100, -0.5)?)] {
            for (name, curve) in kept(norms).into_iter().take(2) {
                evidence = evidence.and(power(format!("power of d in {name}, {}", after(updates)), 0.0, curve)?);
            }
        }
        let plain = WidthRates { base: 0.2, memory: 0.0, embeddings: -0.5 };
        let plain = self.at.norms(setting, DescentRule::Sgd, plain, 10, "plain at the rate of the sign")?;
        let evidence = evidence
            .and(
                Finding::identity("1 update: change of e and u minus the base rate", exact.0, ROUNDING)
                    .cases(counted[0])
                    .unit("embeddings that moved"),
            )
            .and(
                Finding::identity(
                    "s = 0, 1 update: change of e over √d times the base rate, minus one",
                    root.0,
                    ROUNDING,
                )
                .cases(counted[1])
                .unit("embeddings that moved"),
            )
            .and(power(
                "s = −1: power of d in the change of e, which vanishes".to_string(),
                -0.5,
                &norms(10, -1.0)?.input_change,
            )?)
            .and(
                Finding::at_least(
                    "s = 0: power of d in |e'|, 10 updates, which explodes",
                    POWER,
                    norms(10, 0.0)?.input.slope(&mut setting.stream("bootstrap, s = 0")?)?,
                )
                .unit("runs"),
            )
            .twin(power(
                "plain descent at the rate of the sign: power of d in the change of e".to_string(),
                0.0,
                &plain.input_change,
            )?);
        Ok(evidence.into())
    }
}
