//! Section 3, practical considerations: divergence of the minimiser of the cross-entropy.
//!
//! **Claim** (`heavy-tailed/cross-entropy-divergence`). Minimising the cross-entropy implies p_W(y|x) = 1, which will lead to W diverging
//! to infinity and unstable loss gradients.
//!
//! Descent on the population for 10^5 steps, where all pairs can be stored (d = 10), where two of them contradict each other (one
//! embedding, two classes), and where all are in each other's way (d = 2; the document has d < N in many of its experiments). That W
//! diverges should show as growth without end: as much in the last decade of steps as in the one before. How fast it grows, by the norm of
//! the smallest W that stores all pairs with margin one for each unit of ln t, and that the loss falls along cW, are known and a footing. A
//! minimiser exists unless some W leaves no right score behind another and puts some ahead; the sentence has no such condition. The sentence
//! after it says which stability is meant, the numerical one: the gradient holds 1 - p_W, which a computer takes from one, so the relative
//! error of the gradient in single precision, as softmax minus one-hot, should grow as p_W goes to one. Refuted by a norm that stops growing,
//! or by an error that does not grow: the wrong form adds up the probabilities of the other classes, which are small, and loses nothing. In
//! exact arithmetic the gradient could be unstable in three more ways, which are shown beside: by the largest eigenvalue of the Hessian, over
//! which a step of two is the largest stable one, by its size, and by its noise in units of the mean.

use ndarray::Array2;
use ndarray_linalg::Inverse;
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, Stream, mean};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{
    BatchSize, Embeddings, Method, Target, Tracked, TrainingRun, TrainingTask, cross_entropy, hard_margin_norm,
    sharpness,
};

use super::descent_visits::UNIT_INPUTS;
use super::population_gradient::size;
use super::powers_of_width::POWER;
use super::rescaled_descents::law;
use crate::vocabulary::largest_of;

const RATE: Margin = Margin::statistical(
    "rate of growth",
    0.1,
    "ln t gives the ratio one; the square of ln t would give 1.29 over these decades, its root 0.88",
);
const ROUNDED: Margin = Margin::rounding(
    "running sum",
    1e-6,
    "1e5 additions to the squared norm, each good to 1e-16 of it, with five digits to spare",
);

/// Descent where all pairs can be stored, and where not.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/cross-entropy-divergence",
    metric: "growth of the norm of W in the last decade of steps, over that in the one before, and at d = 2 over that at d = 10; power of t in the relative error of the gradient in single precision, over the last two of five decades of steps",
    against: "a norm that stops growing; a rounding error of the gradient that does not grow along the path",
    choices: &[
        "the document has no run for this sentence: the setting of Figure 14, N = 10, M = 5, alpha = 1.5, f_* = x mod 5; population gradient from W = 0; 1e5 steps, rate 2, d = 10 and 2",
        "unstable is read as numerically unstable, as the next sentence has it: the gradient in single precision, softmax minus one-hot; curvature, size and noise of the gradient in exact arithmetic stand beside",
    ],
    departures: &[UNIT_INPUTS],
    rivals: &[
        "the smallest W with margin one by dual coordinate ascent, its norm known to a thousandth from both sides",
    ],
    run,
    ..Check::DEFAULT
};

/// Steps at which a path is looked at.
const DECADES: [usize; 5] = [10, 100, 1000, 10_000, 100_000];

/// What is measured at one time.
#[derive(Clone, Copy)]
struct Point {
    norm: f64,
    gradient: f64,
    sharpness: f64,
    noise: f64,
    /// Relative error of the gradient in single precision, with 1 - p_W as one less a quotient.
    rounding: f64,
    /// The same with 1 - p_W as the sum of p_W over the other classes.
    added: f64,
}

type Runs = Vec<Vec<Point>>;

fn run(s: &Sheet) -> Done {
    let (target, law) = (Target::modulo(5)?.labels(10), law()?.probabilities(10));
    let others = s.scale().pick(6, 30);
    let (mut storable, mut crowded, mut twice) = (Runs::new(), Runs::new(), Runs::new());
    // Growth in the last decade over ln 10 times the least norm with margin one; and over that with right scores of one, whatever the
    // other classes get.
    let (mut rate, mut alone, mut along) = (Vec::new(), Vec::new(), Vec::new());
    for i in s.each("runs", 0..s.scale().pick(14, 30)) {
        let mut stream = s.streams().replicate("divergence, d = 10", i)?;
        let embeddings = Embeddings::spherical(10, 5, 10, &mut stream)?;
        let task = TrainingTask::new(embeddings.clone(), &target, &law)?;
        let (path, run) = descend(&task, &mut stream)?;
        if run.error()? <= 0.0 {
            let full = run.weights().iter().map(|w| w * w).sum::<f64>().sqrt();
            let label = "running norm against the norm of W in full, relative";
            s.support(ROUNDED).same(label, (full / run.norm() - 1.0).abs());
            along.push(loss_along(&run)?);
            let growth = (path[4].norm - path[3].norm) / 10f64.ln();
            rate.push(growth / hard_margin_norm(&task, 1e-3)?.0);
            alone.push(growth / least_norm_of_right_scores(&task)?);
        }
        storable.push(path);
        if i < others {
            let mut inputs = embeddings.inputs.clone();
            inputs.row_mut(1).assign(&embeddings.inputs.row(0));
            let task = TrainingTask::new(Embeddings::from_parts(inputs, embeddings.outputs)?, &target, &law)?;
            twice.push(descend(&task, &mut stream)?.0);
            let mut stream = s.streams().replicate("divergence, d = 2", i)?;
            let task = TrainingTask::new(Embeddings::spherical(10, 5, 2, &mut stream)?, &target, &law)?;
            crowded.push(descend(&task, &mut stream)?.0);
        }
    }
    let curvature = power(&storable, |point| point.sharpness)?;
    let (slope, noise) = (power(&storable, |point| point.gradient)?, power(&storable, |point| point.noise)?);
    let rounding = power(&storable, |point| point.rounding)?;
    let label = "power of t in the relative error of the gradient in single precision";
    s.both_forms(POWER).of("runs").at_least(label, rounding);
    let added = power(&storable, |point| point.added)?;
    let label = "1 − p_W as the sum over the other classes: power of t in the relative error of the gradient";
    s.twin(POWER).of("runs").at_least(label, added);
    // Instability would be growth here too.
    let grows = s.aside(POWER).of("runs");
    grows.at_least("power of t in the largest eigenvalue of the Hessian, in exact arithmetic", curvature);
    grows.at_least("power of t in the gradient, in exact arithmetic", slope);
    grows.at_least("power of t in its noise over its mean", noise);

    // Change of the norm in the decade that ends at position `end`.
    let growth = |runs: &Runs, end: usize| runs.iter().map(|run| run[end].norm - run[end - 1].norm).collect::<Vec<_>>();
    let (last, before) = (growth(&storable, 4), growth(&storable, 3));
    let grown = mean(&last)?;
    let label = "growth of the norm in the last decade of steps, d = 10";
    s.both_forms(Margin::ZERO).of("runs").at_least(label, grown);
    let label = "largest ln of the loss at 2cW over that at cW, c = 1, 2, 4";
    s.support(Margin::ZERO).over(3 * along.len(), "").at_most(label, largest_of(along));
    let label = "that growth over ln 10 times the least norm with margin one";
    s.support(RATE).of("runs").equals(label, 1.0, mean(&rate)?);
    let ratio: Vec<f64> = last.iter().zip(before).map(|(late, early)| late / early).collect();
    let label = "growth in the last decade over that in the one before, d = 10";
    s.both_forms(RATE).of("runs").equals(label, 1.0, mean(&ratio)?);
    let label = "that growth over ln 10 times the least norm with right scores one, other classes left out";
    s.twin(RATE).of("runs").equals(label, 1.0, mean(&alone)?);
    let over_last = |runs: &Runs| mean(&growth(runs, 4).iter().map(|g| g / grown.value).collect::<Vec<f64>>());
    s.condition("where some W leaves no right score behind another and puts some ahead, as where all pairs can be stored, or all but some that contradict each other; where none does, as with ten pairs in two dimensions, the minimiser is finite and W stops at it");
    let (in_two, label) = (over_last(&crowded)?, "growth in the last decade at d = 2, over that at d = 10");
    s.printed(RATE).of("runs").equals(label, 1.0, in_two);
    s.changed(RATE).of("runs").equals(label, 0.0, in_two);
    let label = "two inputs with one embedding and two classes: growth in the last decade, over that of the others";
    s.changed(Margin::ZERO).of("runs").at_least(label, over_last(&twice)?);
    s.note(format!("{} of {} runs at d = 10 store all pairs", rate.len(), storable.len()));
    s.figure(figure(&storable, &crowded));
    Ok(())
}

fn descend(task: &TrainingTask, stream: &mut Stream) -> Result<(Vec<Point>, TrainingRun), Failure> {
    let method = Method::sgd(2.0)?.batch(BatchSize::Population).tracking(Tracked::Scores);
    let mut run = TrainingRun::new(task, &method)?;
    let mut path = Vec::new();
    for time in DECADES {
        run.advance(time - run.steps_done(), stream)?;
        let moments = run.gradient_moments()?;
        path.push(Point {
            norm: run.norm(),
            gradient: moments.square_of_mean.sqrt(),
            sharpness: sharpness(&run)?,
            noise: (moments.variance / moments.square_of_mean).sqrt(),
            rounding: rounding(&run, |total, _| 1.0 / total - 1.0),
            added: rounding(&run, |total, others| -others / total),
        });
    }
    Ok((path, run))
}

/// Relative error of the gradient in single precision against double: softmax minus one-hot, its own entry `-(1 - p_W(y|x))` computed from
/// e^(score - own score) summed over all and over the other classes, times the embeddings.
fn rounding(run: &TrainingRun, computed: fn(f32, f32) -> f32) -> f64 {
    let (task, mut exact) = (run.task(), run.scores());
    let mut single = exact.mapv(|_| 0.0f32);
    let pairs = task.labels().iter().zip(task.probabilities());
    for ((mut row, mut rough), (own, weight)) in exact.outer_iter_mut().zip(single.outer_iter_mut()).zip(pairs) {
        let own_score = row[*own];
        row.mapv_inplace(|score| (score - own_score).exp());
        rough.zip_mut_with(&row, |rough, lead| *rough = *lead as f32);
        row[*own] = 0.0;
        let (others, total) = (row.sum(), rough.sum());
        rough[*own] = 0.0;
        let own_entry = computed(total, rough.sum());
        row.mapv_inplace(|lead| weight * lead / (1.0 + others));
        row[*own] = -weight * others / (1.0 + others);
        rough.mapv_inplace(|lead| *weight as f32 * (lead / total));
        rough[*own] = *weight as f32 * own_entry;
    }
    let (u, e) = (&task.embeddings().outputs, &task.embeddings().inputs);
    let exact = u.t().dot(&exact.t()).dot(e);
    let single = u.mapv(|x| x as f32).t().dot(&single.t()).dot(&e.mapv(|x| x as f32));
    size(&(single.mapv(f64::from) - &exact)) / size(&exact)
}

/// Largest ln of the loss at 2cW over that at cW, c = 1, 2, 4.
fn loss_along(run: &TrainingRun) -> Result<f64, Failure> {
    let (task, w) = (run.task(), run.weights());
    let loss = |c: f64| cross_entropy(&(&w * c), task.embeddings(), task.labels(), task.probabilities());
    let [one, two, four, eight] = [loss(1.0)?, loss(2.0)?, loss(4.0)?, loss(8.0)?];
    // Far out the loss is nothing to rounding, and there is no fall to ask for.
    let falls = [(one, two), (two, four), (four, eight)].into_iter().filter(|(before, _)| *before > 0.0);
    Ok(largest_of(falls.map(|(before, after)| (after / before).ln())))
}

/// Least norm of a W with `u_y^T W e_x = 1` for every stored pair: the square is `1^T A^{-1} 1` for their inner products A.
fn least_norm_of_right_scores(task: &TrainingTask) -> Result<f64, Failure> {
    let (kernel, gram, labels) = (task.kernel()?, task.gram(), task.labels());
    let n = task.n_inputs();
    let products = Array2::from_shape_fn((n, n), |(i, j)| kernel[[i, j]] * gram[[labels[i], labels[j]]]);
    Ok(products.inv()?.sum().sqrt())
}

/// Power of t over the last two decades, run by run.
fn power(runs: &Runs, of: fn(&Point) -> f64) -> Result<Estimate, Failure> {
    let powers: Vec<f64> = runs.iter().map(|run| (of(&run[4]) / of(&run[2])).log10() / 2.0).collect();
    Ok(mean(&powers)?)
}

fn average(runs: &Runs, of: fn(&Point) -> f64) -> Vec<f64> {
    (0..DECADES.len()).map(|k| runs.iter().map(|run| of(&run[k])).sum::<f64>() / runs.len() as f64).collect()
}

fn figure(storable: &Runs, crowded: &Runs) -> Figure {
    let t: Vec<f64> = DECADES.iter().map(|t| *t as f64).collect();
    let norm = |point: &Point| point.norm;
    let left = Panel::new("norm of W")
        .x_label("steps")
        .y_label("norm of W")
        .log_x()
        .line("d = 10, all pairs can be stored", &t, &average(storable, norm))
        .line("d = 2, they cannot", &t, &average(crowded, norm))
        .legend_below();
    let inverse: Vec<f64> = t.iter().map(|t| 10.0 / t).collect();
    let right = Panel::new("d = 10: what could be unstable")
        .x_label("steps")
        .y_label("size")
        .log_x()
        .log_y()
        .line("norm of the gradient", &t, &average(storable, |point| point.gradient))
        .line("largest eigenvalue of the Hessian", &t, &average(storable, |point| point.sharpness))
        .line("noise of the gradient over its mean", &t, &average(storable, |point| point.noise))
        .line("rounding error of the gradient, relative", &t, &average(storable, |point| point.rounding))
        .theory("10 / t", &t, &inverse)
        .legend_below();
    Figure::new(
        "W goes to infinity; in exact arithmetic its gradients become calm, on a computer they lose their digits",
    )
    .panel(left)
    .panel(right)
    .columns(2)
    .caption("Means over runs. A straight line on the left is growth with ln t; on the right a power of t.")
}
