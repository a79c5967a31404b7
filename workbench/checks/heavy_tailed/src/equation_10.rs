//! Equation 10: leading term of the gradient, without eps.
//!
//! **Claim** (`heavy-tailed/eq-10`). Where p_W(z|x) hardly varies over z != f_*(x), and outputs are random,
//! grad_W l(x, f_*(x); W) ~ -(1 - p_W(f_*(x)|x)) u_y e_x^T.
//!
//! The factor and e_x cancel in the relative error, which is |eps| / |u_y - eps| exactly; with equally likely classes and orthogonal
//! outputs this is M^(-1/2). It is measured at W = 0 over M, with its power. That |eps| is no order of magnitude below one at M = 5 is charged
//! where B.5 hopes for it; here the approximation has to close in on the gradient as M grows. Refuted by a relative error with another power.
//! How it compares at M = 5 with no gradient at all, and its growth along training, where the premise fades, stand beside it.

use ndarray::{Array1, Array2, s};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{mean, normal_array2, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{
    Embeddings, ErrorCurve, GradientLines, LeadingTerm, Method, Parametrization, Target, TrainingRun, TrainingTask,
    Zipf,
};

use super::population_gradient::{CLASSES, INPUTS, LEVEL, size};
use super::powers_of_width::POWER;
use crate::vocabulary::ROUNDING;

const BETTER_THAN_NONE: Margin =
    Margin::ours("better than none", 1.0, "what zero in the place of the gradient has, the rival of any approximation");

/// The error at W = 0 and along training.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-10",
    metric: "relative error of Eq. 10 against Eq. 43 in Frobenius norm: its power of M, its value times the root of M",
    against: "a relative error that does not fall as M grows, or falls with another power",
    protocol: &[
        "outputs uniform on the sphere, wrong classes equally likely as at W = 0; M = 5 and N = d = 100 of Figure 3",
    ],
    choices: &["along training batch one, rate 1, 10^4 steps"],
    departures: &[
        "unit inputs along training, since inputs cancel in the error at W = 0 and the scores of B.5 suppose them later",
        "M up to 128 and d = 512 are ours, to see the power",
    ],
    run,
    ..Check::DEFAULT
};

const MANY: [usize; 7] = [2, 4, 8, 16, 32, 64, 128];
const TIMES: [usize; 8] = [0, 10, 30, 100, 300, 1000, 3000, 10_000];

fn run(s: &Sheet) -> Done {
    let runs = s.knob("descents", s.scale().pick(40, 200), 2..)?;
    let [plain, weighted] = along_training(s, "training", (INPUTS, CLASSES, 100), runs)?;
    let crowd = s.scale().pick(4, 20);
    let [_, in_a_crowd] = along_training(s, "training in many classes", (256, 128, 512), crowd)?;
    let first = mean(&plain.runs().column(0).to_vec())?;
    s.see("heavy-tailed/epsilon-norm");
    let start = at_start(s)?;
    s.aside(BETTER_THAN_NONE)
        .of("runs")
        .at_most("relative error at M = 5, d = 100, W = 0; no gradient at all has one", first);
    let level = s.printed(LEVEL).of("draws");
    let root = 5f64.sqrt();
    level.equals("relative error at M = 5, d = 100, times the root of M", 1.0, first.affine(root, 0.0)?);
    for d in [16, 4000] {
        let mut stream = s.stream(&format!("eq 10, d = {d}"))?;
        let mut errors = Vec::new();
        for _ in 0..s.scale().pick(400, 1000) {
            let u = Embeddings::draw(1, CLASSES, d, &mut stream)?.outputs;
            errors.push(LeadingTerm::at(&[0.0; CLASSES], &u.dot(&u.t()), 0)?.relative_error);
        }
        let label = format!("relative error at M = 5, d = {d}, times the root of M");
        level.equals(label, 1.0, mean(&errors)?.affine(root, 0.0)?);
    }
    for (label, curve) in [
        ("relative error at M = 5 after 10⁴ steps minus that at W = 0", &plain),
        ("M = 5, inputs by their share of the gradient: after 10⁴ steps minus at W = 0", &weighted),
        ("M = 128, inputs by their share of the gradient: after 10⁴ steps minus at W = 0", &in_a_crowd),
    ] {
        let growth = paired_difference(&last(curve), &curve.runs().column(0).to_vec())?;
        s.aside(Margin::ZERO).of("runs").at_most(label, growth);
    }
    let late = mean(&last(&in_a_crowd))?;
    s.note(format!(
        "M = 128 after 10⁴ steps, inputs by their share of the gradient: relative error {:.3} [{:.3}, {:.3}]",
        late.value, late.low, late.high
    ));
    s.note(format!("with ε as a sum the relative error at M = 128 is {:.2}", start[1].at(6)?.value));
    s.figure(figure(&start[0], &[plain, weighted])?);
    Ok(())
}

fn last(curve: &ErrorCurve) -> Vec<f64> {
    curve.runs().column(TIMES.len() - 1).to_vec()
}

/// The relative error at W = 0 over M, and the same with eps as a sum over the other classes, where it is a mean.
fn at_start(s: &Sheet) -> Result<[ErrorCurve; 2], Failure> {
    let mut stream = s.stream("eq 10")?;
    let draws = s.knob("draws of outputs", s.scale().pick(60, 400), 2..)?;
    let (mut errors, mut sums, mut off) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..draws {
        let outputs = Embeddings::draw(1, 128, 512, &mut stream)?.outputs;
        let gram = outputs.dot(&outputs.t());
        for m in MANY {
            let part = gram.slice(s![..m, ..m]).to_owned();
            errors.push(LeadingTerm::at(&vec![0.0; m], &part, 0)?.relative_error);
            let (others, along) = (part.slice(s![1.., 1..]).sum(), part.slice(s![0, 1..m]).sum());
            sums.push((others / (1.0 - 2.0 * along + others)).sqrt());
        }
        if i < 20 {
            let e = Embeddings::draw(2, 5, 8, &mut stream)?;
            off.push(closed_form_off(&e, &normal_array2(&mut stream, 8, 8))?);
        }
    }
    let curve = |values: Vec<f64>| -> Result<ErrorCurve, Failure> {
        let runs = Array2::from_shape_vec((draws, MANY.len()), values)?;
        Ok(ErrorCurve::new(MANY.map(|m| m as f64).to_vec(), runs)?)
    };
    let (error, sum) = (curve(errors)?, curve(sums)?);
    let power = s.printed(POWER).of("draws");
    power.equals("power of M in the relative error, M = 2 to 128", -0.5, error.slope(&mut stream)?);
    for off in s.each("memories", off) {
        s.support(ROUNDING).same("error of the matrices against |ε|/|u − ε|, relative", off);
    }
    let crowded = error.at(6)?.affine(128f64.sqrt(), 0.0)?;
    let label = "relative error at M = 128, d = 512, times the root of M";
    s.printed(LEVEL).of("draws").equals(label, 1.0, crowded);
    let wrong = sum.slope(&mut s.stream("eq 10, as a sum")?)?;
    s.twin(POWER).of("draws").equals("ε as a sum over classes, where it is a mean: power of M", -0.5, wrong);
    Ok([error, sum])
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

/// Mean relative error over inputs at [`TIMES`], and the mean that weighs an input by its share `p (1 - p_W)` of the gradient.
fn along_training(
    s: &Sheet,
    name: &str,
    (n, m, d): (usize, usize, usize),
    runs: usize,
) -> Result<[ErrorCurve; 2], Failure> {
    let (law, target) = (Zipf::new(2.0, n)?.probabilities(n), Target::modulo(m)?.labels(n));
    let (mut plain, mut weighted) = (Array2::zeros((runs, TIMES.len())), Array2::zeros((runs, TIMES.len())));
    for i in 0..runs {
        let mut stream = s.streams().replicate(&format!("{name}, embeddings"), i)?;
        let raw = Embeddings::draw(n, m, d, &mut stream)?;
        let task = TrainingTask::new(Parametrization::Unit.embeddings(&raw, d)?, &target, &law)?;
        let mut data = s.streams().replicate(&format!("{name}, data"), i)?;
        let mut run = TrainingRun::new(&task, &Method::sgd(1.0)?)?;
        for (k, time) in TIMES.into_iter().enumerate() {
            run.advance(time - run.steps_done(), &mut data)?;
            let terms = run.leading_terms()?;
            let errors: Array1<f64> = terms.iter().map(|term| term.relative_error).collect();
            let share: Array1<f64> = terms.iter().zip(task.probabilities()).map(|(t, p)| p * t.missing).collect();
            plain[[i, k]] = errors.sum() / n as f64;
            weighted[[i, k]] = errors.dot(&share) / share.sum();
        }
    }
    let after: Vec<f64> = TIMES.iter().map(|t| *t as f64 + 1.0).collect();
    Ok([ErrorCurve::new(after.clone(), plain)?, ErrorCurve::new(after, weighted)?])
}

fn figure(start: &ErrorCurve, training: &[ErrorCurve; 2]) -> Result<Figure, Failure> {
    let axes = |title, x| Panel::new(title).x_label(x).y_label("relative error of Eq. 10").log_x();
    let left = axes("at W = 0, d = 512", "M")
        .log_y()
        .points("mean", start.x(), &start.means())
        .theory("M^{−1/2}", start.x(), &start.law(1.0, -0.5))
        .hline("one tenth", 0.1)
        .legend_below();
    let mut right = axes("along descent, M = 5, γ = 1, unit inputs", "samples + 1").y_limits(0.0, 1.0);
    for (curve, name) in training.iter().zip(["mean over inputs", "weighted by p(x)(1 − p_W)"]) {
        right = right.error_bars(name, curve.x(), &curve.means(), &curve.low()?, &curve.high()?);
    }
    Ok(Figure::new("What the leading term misses falls as M^{−1/2}, and grows with time")
        .panel(left)
        .panel(right.hline("5^{−1/2}", (CLASSES as f64).recip().sqrt()).legend_below())
        .columns(2)
        .caption("Left: random outputs; dots are means, dashed is M^{−1/2}. Right: means over runs with 99.9 % intervals; dashed is the value at W = 0."))
}
