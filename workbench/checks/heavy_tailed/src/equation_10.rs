//! Equation 10: the gradient without eps.
//!
//! **Claim** (`heavy-tailed/eq-10`). Where p_W(z|x) hardly varies over z != f_*(x), and outputs are random,
//! grad_W l(x, f_*(x); W) ~ -(1 - p_W(f_*(x)|x)) u_y e_x^T.
//!
//! The factor and e_x cancel in the relative error, which is |eps| / |u_y - eps| exactly; with equally likely classes and orthogonal
//! outputs this is M^(-1/2). It is measured at W = 0 over M, with its power, and along training at the document's M = 5. What B.5 calls
//! negligible is an order of magnitude; a relative error above a tenth counts against it.

use ndarray::{Array1, Array2, s};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, mean, normal_array2, paired_difference};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{
    Embeddings, ErrorCurve, GradientLines, LeadingTerm, Method, Parametrization, Target, TrainingRun, TrainingTask,
    Zipf,
};

use super::appendix_c_1::{POWER, at_power};
use super::section_3_gradient::{CLASSES, INPUTS, LEVEL, TENTH, size};
use crate::vocabulary::{Largest, ROUNDING, by_scale};

const MANY: [usize; 7] = [2, 4, 8, 16, 32, 64, 128];
const TIMES: [usize; 8] = [0, 10, 30, 100, 300, 1000, 3000, 10_000];

/// The error at W = 0 and along training.
#[derive(Clone, Debug, Default)]
pub struct LeadingTermOnly {
    /// Draws of outputs; by scale if 0.
    pub draws: usize,
    /// Descents; by scale if 0.
    pub runs: usize,
}

/// Sizes of a descent along which the error is watched.
struct Sizes {
    /// Its name in streams.
    name: &'static str,
    inputs: usize,
    classes: usize,
    dim: usize,
}

/// The document's five classes, and as many as make the error at W = 0 less than a tenth.
const FEW: Sizes = Sizes { name: "training", inputs: INPUTS, classes: CLASSES, dim: 100 };
const CROWD: Sizes = Sizes { name: "training in many classes", inputs: 256, classes: 128, dim: 512 };

impl Sizes {
    fn task(&self, setting: &Setting, run: usize) -> Result<TrainingTask, Failure> {
        let mut stream = setting.streams().replicate(&format!("{}, embeddings", self.name), run)?;
        let raw = Embeddings::draw(self.inputs, self.classes, self.dim, &mut stream)?;
        let (law, target) = (Zipf::new(2.0, self.inputs)?, Target::modulo(self.classes)?);
        Ok(TrainingTask::new(
            Parametrization::Unit.embeddings(&raw, self.dim)?,
            &target.labels(self.inputs),
            &law.probabilities(self.inputs),
        )?)
    }
}

/// Relative errors at W = 0 over M, the same with eps as a sum, and the largest distance of the closed form from matrices.
struct Start {
    error: ErrorCurve,
    sum: ErrorCurve,
    formula: Largest,
}

/// `|sum_z u_z| / |u_y - sum_z u_z|`: eps as a sum over the other classes, where it is a mean.
fn as_a_sum(gram: &Array2<f64>) -> f64 {
    let m = gram.nrows();
    let others = gram.slice(s![1.., 1..]).sum();
    let along = gram.slice(s![0, 1..m]).sum();
    (others / (1.0 - 2.0 * along + others)).sqrt()
}

/// The closed form of the relative error over that of the matrices, minus one.
fn closed_form_off(e: &Embeddings, w: &Array2<f64>) -> Result<f64, Failure> {
    let lines = GradientLines::at(w, e, 0, 3)?;
    let scores = e.outputs.dot(&w.dot(&e.inputs.row(0)));
    let term = LeadingTerm::at(&scores.to_vec(), &e.outputs.dot(&e.outputs.t()), 3)?;
    let (u, input) = (e.outputs.slice(s![3..4, ..]), e.inputs.slice(s![0..1, ..]));
    let leading = u.t().dot(&input) * -term.missing;
    let error = size(&(&lines.lines[4] - &leading)) / size(&lines.lines[4]);
    Ok((error / term.relative_error - 1.0).abs())
}

impl LeadingTermOnly {
    fn at_start(&self, setting: &Setting) -> Result<(Start, Estimate, Estimate), Failure> {
        let mut stream = setting.stream("eq 10")?;
        let (mut errors, mut sums, mut formula) = (Vec::new(), Vec::new(), Largest::default());
        for i in 0..by_scale(self.draws, setting.scale().pick(60, 400)) {
            let outputs = Embeddings::draw(1, 128, 512, &mut stream)?.outputs;
            let gram = outputs.dot(&outputs.t());
            for m in MANY {
                let part = gram.slice(s![..m, ..m]).to_owned();
                errors.push(LeadingTerm::at(&vec![0.0; m], &part, 0)?.relative_error);
                sums.push(as_a_sum(&part));
            }
            if i < 20 {
                let e = Embeddings::draw(2, 5, 8, &mut stream)?;
                formula.see(closed_form_off(&e, &normal_array2(&mut stream, 8, 8))?);
            }
        }
        let curve = |values: Vec<f64>| -> Result<ErrorCurve, Failure> {
            let runs = Array2::from_shape_vec((values.len() / MANY.len(), MANY.len()), values)?;
            Ok(ErrorCurve::new(MANY.map(|m| m as f64).to_vec(), runs)?)
        };
        let (error, sum) = (curve(errors)?, curve(sums)?);
        let slope = error.slope(&mut stream)?;
        let wrong = sum.slope(&mut setting.stream("eq 10, as a sum")?)?;
        Ok((Start { error, sum, formula }, slope, wrong))
    }

    /// Mean relative error at W = 0 and M = 5 in `d` dimensions.
    fn in_dimension(&self, setting: &Setting, d: usize) -> Result<Estimate, Failure> {
        let mut stream = setting.stream(&format!("eq 10, d = {d}"))?;
        let mut errors = Vec::new();
        for _ in 0..by_scale(self.draws, setting.scale().pick(400, 1000)) {
            let u = Embeddings::draw(1, CLASSES, d, &mut stream)?.outputs;
            errors.push(LeadingTerm::at(&[0.0; CLASSES], &u.dot(&u.t()), 0)?.relative_error);
        }
        Ok(mean(&errors)?)
    }

    /// Mean relative error over inputs at [`TIMES`], and the mean that weighs an input by its share `p (1 - p_W)` of the gradient.
    fn along_training(&self, setting: &Setting, sizes: &Sizes, runs: usize) -> Result<[ErrorCurve; 2], Failure> {
        let (mut plain, mut weighted) = (Array2::zeros((runs, TIMES.len())), Array2::zeros((runs, TIMES.len())));
        for i in 0..runs {
            let task = sizes.task(setting, i)?;
            let mut data = setting.streams().replicate(&format!("{}, data", sizes.name), i)?;
            let mut run = TrainingRun::new(&task, &Method::sgd(1.0)?)?;
            for (k, time) in TIMES.into_iter().enumerate() {
                run.advance(time - run.steps_done(), &mut data)?;
                let terms = run.leading_terms()?;
                let errors: Array1<f64> = terms.iter().map(|term| term.relative_error).collect();
                let share: Array1<f64> = terms.iter().zip(task.probabilities()).map(|(t, p)| p * t.missing).collect();
                plain[[i, k]] = errors.sum() / sizes.inputs as f64;
                weighted[[i, k]] = errors.dot(&share) / share.sum();
            }
        }
        let after: Vec<f64> = TIMES.iter().map(|t| *t as f64 + 1.0).collect();
        Ok([ErrorCurve::new(after.clone(), plain)?, ErrorCurve::new(after, weighted)?])
    }
}

fn figure(start: &ErrorCurve, training: &[ErrorCurve; 2]) -> Result<Figure, Failure> {
    let left = Panel::new("at W = 0, d = 512")
        .x_label("M")
        .y_label("relative error of Eq. 10")
        .log_x()
        .log_y()
        .points("mean", start.x(), &start.means())
        .theory("M^{−1/2}", start.x(), &start.law(1.0, -0.5))
        .hline("one tenth", TENTH.value)
        .legend_below();
    let mut right = Panel::new("along descent, M = 5, γ = 1, unit inputs")
        .x_label("samples + 1")
        .y_label("relative error of Eq. 10")
        .log_x()
        .y_limits(0.0, 1.0);
    for (curve, name) in training.iter().zip(["mean over inputs", "weighted by p(x)(1 − p_W)"]) {
        right = right.error_bars(name, curve.x(), &curve.means(), &curve.low()?, &curve.high()?);
    }
    Ok(Figure::new("What the leading term misses falls as M^{−1/2}, and grows with time")
        .panel(left)
        .panel(right.hline("5^{−1/2}", (CLASSES as f64).recip().sqrt()).legend_below())
        .columns(2)
        .caption("Left: random outputs; dots are means, dashed is M^{−1/2}. Right: means over runs with 99.9 % intervals; dashed is the value at W = 0."))
}

impl TypedCheck for LeadingTermOnly {
    const CLAIM: &'static str = "heavy-tailed/eq-10";
    const PLAN: Plan = Plan::new(
        "relative error of Eq. 10 against Eq. 43 in Frobenius norm: its value at M = 5, its power of M",
        "a relative error that is no order of magnitude below one at the document's M = 5",
        &[TENTH, POWER, LEVEL, ROUNDING],
    )
    .protocol(&["outputs uniform on the sphere; along training N = d = 100, M = 5, batch one, rate 1"])
    .departures(&[
        "unit inputs along training, since inputs cancel in the error at W = 0 and the scores of B.5 suppose them later",
        "M up to 128 and d = 512 are ours, to see the power",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (start, slope, wrong) = self.at_start(setting)?;
        let training = self.along_training(setting, &FEW, by_scale(self.runs, setting.scale().pick(40, 200)))?;
        let crowd = self.along_training(setting, &CROWD, setting.scale().pick(4, 20))?;
        let first = mean(&training[0].runs().column(0).to_vec())?;
        let last = |curve: &ErrorCurve| curve.runs().column(TIMES.len() - 1).to_vec();
        let growth = |curve: &ErrorCurve| paired_difference(&last(curve), &curve.runs().column(0).to_vec());
        let level = |label: &str, factor: f64, value: Estimate| -> Result<Finding, Failure> {
            Ok(Finding::equals(label, 1.0, LEVEL, value.affine(factor, 0.0)?).unit("draws"))
        };
        let changed = vec![
            at_power("power of M in the relative error, M = 2 to 128", -0.5, slope).unit("draws"),
            level("relative error at M = 5, d = 100, times the root of M", 5f64.sqrt(), first)?,
            level(
                "relative error at M = 5, d = 16, times the root of M",
                5f64.sqrt(),
                self.in_dimension(setting, 16)?,
            )?,
            level(
                "relative error at M = 5, d = 4000, times the root of M",
                5f64.sqrt(),
                self.in_dimension(setting, 4000)?,
            )?,
            level("relative error at M = 128, d = 512, times the root of M", 128f64.sqrt(), start.error.at(6)?)?,
            Finding::identity("error of the matrices against |ε|/|u − ε|, relative", start.formula.0, ROUNDING)
                .cases(20)
                .unit("memories"),
            Finding::at_least(
                "relative error at M = 5 after 10⁴ steps minus that at W = 0",
                0.0,
                growth(&training[0])?,
            )
            .unit("runs"),
            Finding::at_least(
                "M = 5, inputs by their share of the gradient: after 10⁴ steps minus at W = 0",
                0.0,
                growth(&training[1])?,
            )
            .unit("runs"),
            Finding::at_least(
                "M = 128, inputs by their share of the gradient: after 10⁴ steps minus at W = 0",
                0.0,
                growth(&crowd[1])?,
            )
            .unit("runs"),
        ];
        let late = mean(&last(&crowd[1]))?;
        let evidence = Evidence::of(
            Finding::at_most("relative error at M = 5, W = 0: an order of magnitude below one", TENTH, first).unit("runs"),
        )
        .condition(
            "with many classes, while the wrong ones are equally likely: at W = 0 the relative error is M^(−1/2) in few and in many dimensions, 0.45 at M = 5 and below a tenth only for M > 100; it grows along training, at M = 5 by a fifth and in 128 classes by a twentieth of itself",
            changed,
        )
        .twin(at_power("ε as a sum over classes, where it is a mean: power of M", -0.5, wrong).unit("draws"))
        .note(format!(
            "M = 128 after 10⁴ steps, inputs by their share of the gradient: relative error {:.3} [{:.3}, {:.3}]",
            late.value, late.low, late.high
        ))
        .note(format!(
            "with ε as a sum the relative error at M = 128 is {:.2}",
            start.sum.at(6)?.value
        ));
        Ok(Checked::from(evidence).figure(figure(&start.error, &training)?))
    }
}
