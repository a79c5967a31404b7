//! B.1: random scaling.
//!
//! **Claim** (`mnemosyne/random-scaling`). To promote generalization, the random-scaling trick of the document's reference \[42\] is used.
//!
//! In training the optimizer is shown $f(c\odot\theta')$ with $\theta'=\theta/c$: the same function, seen through another size for each
//! coordinate, so its gradients are those of $f$ times $c$. That is an identity. Whether it promotes generalization is asked of twelve
//! pairs of trainings, with and without it, on networks and sizes of gradients that neither has seen. Against it: a function that is not
//! the same, or trainings without the trick that do as well where they have not been.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::paired_difference;
use workbench_ledger::{Checked, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_optimizer::meta::{self, Problem};
use workbench_optimizer::task::{Split, Task};
use workbench_optimizer::tasks::FIGURE_10;

use super::section_b_1::{
    BANK, DATA, LIGHT, LOST, OPEN, RATE, SCALED, TRAININGS, by_training, by_training_times, curve, horizon, lab,
    log_loss, lower, many, networks, scaled_down_beside,
};
use crate::vocabulary::ROUNDING;

/// Random scaling.
#[derive(Clone, Debug)]
pub struct Scaling {
    /// The bound of its exponent.
    pub bound: f64,
    /// Factors of the loss in the test.
    pub factors: Vec<f64>,
    /// Steps of the test; by scale if 0.
    pub steps: usize,
}

impl Default for Scaling {
    fn default() -> Scaling {
        Scaling { bound: 3.0, factors: vec![1e-2, 1.0, 1e2], steps: 0 }
    }
}

/// Relative differences: of the loss; of the gradient from c times that of the plain problem; and from that divided by c, and from the
/// loss at parameters that were not divided.
fn identities(scaling: &Scaling, setting: &Setting) -> Result<[f64; 4], Failure> {
    let task = lab(setting)?.suite.task(FIGURE_10[0])?;
    let mut stream = setting.stream("scales")?;
    let theta = task.start(&mut stream);
    let scaled = meta::ScaledProblem::scaled(&task, scaling.bound, &mut stream)?;
    let batch = Problem::draw(&task, Split::Training, &mut stream);
    let (mut plain, mut seen) = (vec![0.0; theta.len()], vec![0.0; theta.len()]);
    let right = task.slope(&theta, &batch, &mut plain)?;
    let moved = scaled.seen(theta.clone());
    let ours = scaled.slope(&moved, &batch, &mut seen)?;
    let undivided = scaled.slope(&theta, &batch, &mut vec![0.0; theta.len()])?;
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let c = theta.iter().zip(&moved).map(|(t, m)| t / m);
    let (times, over): (Vec<f64>, Vec<f64>) = c.zip(&plain).map(|(c, g)| (c * g, g / c)).unzip();
    let apart = |wanted: &[f64]| {
        let difference: Vec<f64> = seen.iter().zip(wanted).map(|(a, b)| a - b).collect();
        norm(&difference) / norm(&seen)
    };
    Ok([(ours / right - 1.0).abs(), apart(&times), apart(&over), (undivided / right - 1.0).abs()])
}

impl Scaling {
    /// Log loss at the end, mean over the networks of Figure 10, with a factor: for each training.
    fn at_end(&self, setting: &Setting, recipe: &str, factor: f64, steps: usize) -> Result<Vec<f64>, Failure> {
        let mut sums = Vec::new();
        for task in networks(setting) {
            let runs = by_training_times(setting, recipe, task, steps, factor)?;
            sums.resize(runs.len(), 0.0);
            let share = 1.0 / networks(setting).len() as f64;
            sums.iter_mut().zip(runs.iter()).for_each(|(sum, run)| *sum += share * log_loss(run, steps));
        }
        Ok(sums)
    }

    fn figure(&self, setting: &Setting, steps: usize) -> Result<Figure, Failure> {
        let mut figure = Figure::new("Random scaling slows the start and moves the end little")
            .columns(2)
            .caption("Light cell; geometric means over the trainings of each. Two networks of Figure 10, none of them seen in training.");
        for task in [FIGURE_10[0], FIGURE_10[3]] {
            let mut panel = Panel::new(task).x_label("step").y_label("validation loss, nats").log_x().log_y();
            for (recipe, name) in [("light", "with"), ("unscaled", "without")] {
                let runs = by_training(setting, recipe, task, steps)?;
                let (x, y) = curve(&runs.iter().collect::<Vec<_>>());
                panel = panel.line(name, &x[1..], &y[1..]);
            }
            figure = figure.panel(panel);
        }
        Ok(figure)
    }
}

impl TypedCheck for Scaling {
    const CLAIM: &'static str = "mnemosyne/random-scaling";
    const PLAN: Plan = Plan::new(
        "relative differences of loss and gradient from the plain problem; log validation loss at the end, with minus without",
        "a function that changes; trainings without the trick that are ahead on what they have not seen",
        &[ROUNDING],
    )
    .protocol(&["c = exp U(-3, 3) for each coordinate in training; tested without scaling, and with the loss times 0.01 and 100", DATA])
    .departures(&[SCALED, LIGHT, RATE, OPEN, LOST, BANK, TRAININGS])
    .rivals(&["the same twelve trainings without scaling, the same seeds, batches and meta-steps"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let steps = horizon(setting, self.steps);
        let [loss, gradient, over, undivided] = identities(self, setting)?;
        let same = |label: &str, error: f64| Finding::identity(label, error, ROUNDING);
        let exact = vec![
            same("loss of the scaled problem against the plain one, relative", loss),
            same("its gradient against c times the plain one, relative", gradient),
        ];
        let mut findings = Vec::new();
        for factor in &self.factors {
            let of = |recipe| self.at_end(setting, recipe, *factor, steps);
            let label = format!(
                "loss times {factor}: log loss at the end, with minus without, mean of {} networks",
                many(setting)
            );
            findings.push(lower(label, paired_difference(&of("light")?, &of("unscaled")?)?, "trainings"));
        }
        let evidence = scaled_down_beside(exact, findings)?
            .twin(same("gradient divided by c: off by", over))
            .twin(same("start not divided by c: loss off by", undivided));
        Ok(Checked::from(evidence).figure(self.figure(setting, steps)?))
    }
}
