//! Section 3, practical considerations: the cross-entropy has no finite minimiser.
//!
//! **Claim** (`heavy-tailed/cross-entropy-divergence`). Minimising the cross-entropy implies p_W(y|x) = 1, which will lead to W diverging
//! to infinity and unstable loss gradients.
//!
//! Descent on the population for 10^5 steps, where all pairs can be stored (d = 10), where two of them contradict each other (one
//! embedding, two classes), and where all are in each other's way (d = 2). That W diverges should
//! show as growth without end: along the smallest W that stores all pairs with margin one, by its norm for each unit of ln t. Unstable is
//! read in three ways, each of which would have to *grow* along the path: the largest eigenvalue of the Hessian, over which a step of two
//! is the largest stable one; the gradient itself; and its noise, the standard deviation over inputs in units of the mean.

use ndarray::Array2;
use ndarray_linalg::Inverse;
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, Stream, mean};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{
    BatchSize, Embeddings, Method, Target, Tracked, TrainingRun, TrainingTask, cross_entropy, hard_margin_norm,
    sharpness,
};

use super::appendix_c_1::{POWER, at_power};
use super::appendix_c_2::law;
use super::section_3_visits::UNIT_INPUTS;
use crate::vocabulary::{Largest, by_scale};

const RATE: Margin = Margin::new(
    "rate of growth",
    0.1,
    "ln t gives the ratio one; the square of ln t would give 1.29 over these decades, its root 0.88",
);
const STOPPED: Margin =
    Margin::new("stopped", 0.1, "a tenth of the growth where all pairs can be stored: less is at an end, more goes on");
const ROUNDED: Margin = Margin::new(
    "running sum",
    1e-6,
    "1e5 additions to the squared norm, each good to 1e-16 of it, with five digits to spare",
);

/// Steps at which a path is looked at.
const DECADES: [usize; 5] = [10, 100, 1000, 10_000, 100_000];

/// Descent where all pairs can be stored, and where not.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// Runs in each dimension; by scale if 0.
    pub runs: usize,
    /// Learning rate.
    pub rate: f64,
}

impl Default for Divergence {
    fn default() -> Divergence {
        Divergence { runs: 0, rate: 2.0 }
    }
}

/// What is measured at one time.
#[derive(Clone, Copy)]
struct Point {
    norm: f64,
    gradient: f64,
    sharpness: f64,
    noise: f64,
}

type Runs = Vec<Vec<Point>>;

#[derive(Default)]
struct Seen {
    storable: Runs,
    crowded: Runs,
    /// Two inputs with one embedding and two classes, in ten dimensions.
    twice: Runs,
    /// Growth in the last decade over ln 10 times the least norm with margin one; and over that with right scores of one, whatever the
    /// other classes get.
    rate: Vec<f64>,
    alone: Vec<f64>,
    /// Largest ln of loss(2 c W) / loss(c W).
    along: Largest,
    /// Largest relative distance of the running norm from that of W.
    norm_gap: Largest,
    separable: usize,
}

impl Divergence {
    fn descend(&self, task: &TrainingTask, stream: &mut Stream) -> Result<(Vec<Point>, TrainingRun), Failure> {
        let method = Method::sgd(self.rate)?.batch(BatchSize::Population).tracking(Tracked::Scores);
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
            });
        }
        Ok((path, run))
    }

    fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let (law, target) = (law()?, Target::modulo(5)?);
        let (labels, p) = (target.labels(10), law.probabilities(10));
        let mut seen = Seen::default();
        let others = by_scale(self.runs, setting.scale().pick(6, 30));
        for i in 0..by_scale(self.runs, setting.scale().pick(14, 30)) {
            for d in [10, 2].into_iter().filter(|d| *d == 10 || i < others) {
                let mut stream = setting.streams().replicate(&format!("divergence, d = {d}"), i)?;
                let embeddings = Embeddings::spherical(10, 5, d, &mut stream)?;
                let task = TrainingTask::new(embeddings.clone(), &labels, &p)?;
                let (path, run) = self.descend(&task, &mut stream)?;
                if d == 2 {
                    seen.crowded.push(path);
                    continue;
                }
                seen.look_closer(&path, &run)?;
                seen.storable.push(path);
                if i >= others {
                    continue;
                }
                let mut inputs = embeddings.inputs.clone();
                inputs.row_mut(1).assign(&embeddings.inputs.row(0));
                let twice = Embeddings::from_parts(inputs, embeddings.outputs)?;
                let task = TrainingTask::new(twice, &labels, &p)?;
                seen.twice.push(self.descend(&task, &mut stream)?.0);
            }
        }
        Ok(seen)
    }
}

impl Seen {
    /// Where all pairs are stored: the rate of growth, the loss along W, the norm in full.
    fn look_closer(&mut self, path: &[Point], run: &TrainingRun) -> Result<(), Failure> {
        if run.error()? > 0.0 {
            return Ok(());
        }
        self.separable += 1;
        let (task, w) = (run.task(), run.weights());
        let full = w.iter().map(|w| w * w).sum::<f64>().sqrt();
        self.norm_gap.see((full / run.norm() - 1.0).abs());
        let loss = |c: f64| cross_entropy(&(&w * c), task.embeddings(), task.labels(), task.probabilities());
        for c in [1.0, 2.0, 4.0] {
            let before = loss(c)?;
            // Far out the loss is nothing to rounding, and there is no fall to ask for.
            if before > 0.0 {
                self.along.see((loss(2.0 * c)? / before).ln());
            }
        }
        let growth = (path[4].norm - path[3].norm) / 10f64.ln();
        self.rate.push(growth / hard_margin_norm(task, 1e-3)?.0);
        self.alone.push(growth / least_norm_of_right_scores(task)?);
        Ok(())
    }
}

/// Least norm of a W with `u_y^T W e_x = 1` for every stored pair: the square is `1^T A^{-1} 1` for their inner products A.
fn least_norm_of_right_scores(task: &TrainingTask) -> Result<f64, Failure> {
    let (kernel, gram, labels) = (task.kernel()?, task.gram(), task.labels());
    let n = task.n_inputs();
    let products = Array2::from_shape_fn((n, n), |(i, j)| kernel[[i, j]] * gram[[labels[i], labels[j]]]);
    Ok(products.inv()?.sum().sqrt())
}

/// Change of the norm in the decade that ends at position `end`.
fn growth(runs: &Runs, end: usize) -> Vec<f64> {
    runs.iter().map(|run| run[end].norm - run[end - 1].norm).collect()
}

/// Power of t over the last two decades, run by run.
fn power(runs: &Runs, of: fn(&Point) -> f64) -> Result<Estimate, Failure> {
    let powers: Vec<f64> = runs.iter().map(|run| (of(&run[4]) / of(&run[2])).log10() / 2.0).collect();
    Ok(mean(&powers)?)
}

fn average(runs: &Runs, of: fn(&Point) -> f64) -> Vec<f64> {
    (0..DECADES.len()).map(|k| runs.iter().map(|run| of(&run[k])).sum::<f64>() / runs.len() as f64).collect()
}

fn figure(seen: &Seen) -> Figure {
    let t: Vec<f64> = DECADES.iter().map(|t| *t as f64).collect();
    let norm = |point: &Point| point.norm;
    let left = Panel::new("norm of W")
        .x_label("steps")
        .y_label("norm of W")
        .log_x()
        .line("d = 10, all pairs can be stored", &t, &average(&seen.storable, norm))
        .line("d = 2, they cannot", &t, &average(&seen.crowded, norm))
        .legend_below();
    let inverse: Vec<f64> = t.iter().map(|t| 10.0 / t).collect();
    let right = Panel::new("d = 10: what could be unstable")
        .x_label("steps")
        .y_label("size")
        .log_x()
        .log_y()
        .line("norm of the gradient", &t, &average(&seen.storable, |point| point.gradient))
        .line("largest eigenvalue of the Hessian", &t, &average(&seen.storable, |point| point.sharpness))
        .line("noise of the gradient over its mean", &t, &average(&seen.storable, |point| point.noise))
        .theory("10 / t", &t, &inverse)
        .legend_below();
    Figure::new("W goes to infinity, and its gradients become calm")
        .panel(left)
        .panel(right)
        .columns(2)
        .caption("Means over runs. A straight line on the left is growth with ln t; on the right a power of t.")
}

impl TypedCheck for Divergence {
    const CLAIM: &'static str = "heavy-tailed/cross-entropy-divergence";
    const PLAN: Plan = Plan::new(
        "norm of W over ln t; powers of t in gradient, curvature and noise over the last two of five decades of steps",
        "a norm that stops growing although all pairs can be stored; gradients that become calmer along the path",
        &[POWER, RATE, STOPPED, ROUNDED],
    )
    .protocol(&["setting of Figure 14: N = 10, M = 5, alpha = 1.5, f_* = x mod 5; population gradient from W = 0"])
    .departures(&[
        "the document has no run for this sentence; 1e5 steps, rate 2 and the dimensions 10 and 2 are ours",
        "the document does not say what unstable means: curvature, size and noise of the gradient are three readings",
        UNIT_INPUTS,
    ])
    .rivals(&[
        "the smallest W with margin one by dual coordinate ascent, its norm known to a thousandth from both sides",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.see(setting)?;
        let last = mean(&growth(&seen.storable, 4))?;
        let ratio: Vec<f64> =
            growth(&seen.storable, 4).iter().zip(growth(&seen.storable, 3)).map(|(late, early)| late / early).collect();
        let over_last = |runs: &Runs| -> Result<Estimate, Failure> {
            let shares: Vec<f64> = growth(runs, 4).iter().map(|g| g / last.value).collect();
            Ok(mean(&shares)?)
        };
        let curvature = power(&seen.storable, |point| point.sharpness)?;
        let slope = power(&seen.storable, |point| point.gradient)?;
        let noise = power(&seen.storable, |point| point.noise)?;
        let changed = vec![
            Finding::at_least("growth of the norm in the last decade of steps, d = 10", 0.0, last).unit("runs"),
            Finding::equals(
                "that growth over ln 10 times the least norm with margin one",
                1.0,
                RATE,
                mean(&seen.rate)?,
            )
            .unit("runs"),
            Finding::at_most(
                "largest ln of the loss at 2cW over that at cW, c = 1, 2, 4",
                0.0,
                Estimate::exact(seen.along.0),
            )
            .cases(3 * seen.separable),
            Finding::equals("growth in the last decade over that in the one before, d = 10", 1.0, RATE, mean(&ratio)?)
                .unit("runs"),
            Finding::at_least(
                "two inputs with one embedding and two classes: growth in the last decade, over that of the others",
                STOPPED,
                over_last(&seen.twice)?,
            )
            .unit("runs"),
            Finding::at_most(
                "growth in the last decade at d = 2, over that at d = 10",
                STOPPED,
                over_last(&seen.crowded)?,
            )
            .unit("runs"),
            at_power("power of t in the largest eigenvalue of the Hessian", -1.0, curvature).unit("runs"),
            at_power("power of t in the gradient", -1.0, slope).unit("runs"),
            at_power("power of t in its noise over its mean", 0.0, noise).unit("runs"),
        ];
        let evidence = Evidence::of(Finding::at_least(
            "power of t in the largest eigenvalue of the Hessian: it must grow to be unstable",
            0.0,
            curvature,
        ));
        let evidence = evidence
            .and(Finding::at_least(
                "power of t in the gradient: it must grow to be unstable",
                0.0,
                slope,
            ))
            .and(Finding::at_least("power of t in its noise over its mean: it must grow", POWER, noise))
            .weaker(
                "W diverges as ln t, unless pairs are in each other's way as at d = 2; the gradients grow calm on the way, gradient and curvature fall as 1/t",
                changed,
            )
            .twin(
                Finding::equals(
                    "that growth over ln 10 times the least norm with right scores one, other classes left out",
                    1.0,
                    RATE,
                    mean(&seen.alone)?,
                )
                .unit("runs"),
            )
            .support(
                Finding::identity("running norm against the norm of W in full, relative", seen.norm_gap.0, ROUNDED)
                    .cases(seen.separable)
                    .unit("runs"),
            )
            .note(format!("{} of {} runs at d = 10 store all pairs", seen.separable, seen.storable.len()));
        Ok(Checked::from(evidence).figure(figure(&seen)))
    }
}
