//! B.1: random scaling.
//!
//! **Claim** (`mnemosyne/random-scaling`). To promote generalization, the random-scaling trick of the document's reference \[42\] is used.
//!
//! In training the optimizer is shown $f(c\odot\theta')$ with $\theta'=\theta/c$: the same function, seen through another size for each
//! coordinate, so its gradients are those of $f$ times $c$. That is an identity, and a footing. Whether it promotes generalization is asked of
//! pairs of trainings, with and without it, far from where both have been: other kinds of networks, other data, fifty times as many steps.
//! Refuted by trainings without the trick that do as well there. Networks of Figure 10, at three sizes of gradients, stand beside it: they
//! are near, and twelve pairs do not tell the two apart.

use workbench_display::Figure;
use workbench_ground::stats::paired_difference;
use workbench_ledger::{Check, Done, Margin, Sheet};
use workbench_optimizer::meta::{self, Problem};
use workbench_optimizer::task::{Split, Task};
use workbench_optimizer::tasks::FIGURE_10;

use super::far_tasks::{FAR_TASKS, FULL, far_difference, far_steps};
use super::optimizer_laboratory::{
    BANK, DATA, KEPT, LIGHT, LOST, OPEN, RATE, SCALED, TRAININGS, by_training_times, horizon, lab, log_loss, many,
    means, networks, side_by_side,
};
use crate::vocabulary::ROUNDING;

/// Random scaling.
pub const CHECK: Check = Check {
    claim: "mnemosyne/random-scaling",
    metric: "relative differences of loss and gradient from the plain problem; log validation loss at the end on three far tasks, with minus without",
    against: "trainings without the trick that are ahead on what they have not seen",
    choices: &[
        "c = exp U(-3, 3) for each coordinate in training; tested without scaling, and with the loss times 0.01 and 100",
        FAR_TASKS,
        DATA,
        TRAININGS,
    ],
    departures: &[SCALED, LIGHT, RATE, OPEN, LOST, BANK],
    rivals: &["the same trainings without scaling, the same seeds, batches and meta-steps"],
    settled: FULL,
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.shared_draw(KEPT);
    let far = far_steps(s)?;
    let label = format!("three far tasks: log loss after {far} steps, with minus without");
    let apart = far_difference(s, ["light-64", "unscaled-64"], far)?;
    s.printed(Margin::ZERO).of("trainings").scaled_down().at_most(label, apart);
    let steps = horizon(s)?;
    for factor in s.knobs("factors of the loss", &[1e-2, 1.0, 1e2], 1e-12..)? {
        let of = |recipe: &str| {
            let runs = |task: &str| by_training_times(s, recipe, task, steps, factor);
            means(networks(s), runs, |run| log_loss(run, steps))
        };
        let label =
            format!("loss times {factor}: log loss at the end, with minus without, mean of {} networks", many(s));
        let apart = paired_difference(&of("light")?, &of("unscaled")?)?;
        s.aside(Margin::ZERO).of("trainings").scaled_down().at_most(label, apart);
    }
    identities(s)?;

    let mut figure = Figure::new("Random scaling slows the start and moves the end little")
        .columns(2)
        .caption("Light cell; geometric means over the trainings of each. Two networks of Figure 10, none of them seen in training.");
    for task in [FIGURE_10[0], FIGURE_10[3]] {
        figure = figure.panel(side_by_side(s, task, &[("light", "with"), ("unscaled", "without")], steps)?);
    }
    s.figure(figure);
    Ok(())
}

/// Loss and gradient of a scaled problem against those of the plain one.
fn identities(s: &Sheet) -> Done {
    let task = lab(s)?.suite.task(FIGURE_10[0])?;
    let mut stream = s.stream("scales")?;
    let theta = task.start(&mut stream);
    let scaled = meta::ScaledProblem::scaled(&task, 3.0, &mut stream)?;
    let batch = Problem::draw(&task, Split::Training, &mut stream);
    let (mut plain, mut seen) = (vec![0.0; theta.len()], vec![0.0; theta.len()]);
    let right = task.slope(&theta, &batch, &mut plain)?;
    let moved = scaled.seen(theta.clone());
    let ours = scaled.slope(&moved, &batch, &mut seen)?;
    let undivided = scaled.slope(&theta, &batch, &mut vec![0.0; theta.len()])?;
    let (support, twin) = (s.support(ROUNDING), s.twin(ROUNDING));
    support.same("loss of the scaled problem against the plain one, relative", (ours / right - 1.0).abs());
    twin.same("start not divided by c: loss off by", (undivided / right - 1.0).abs());

    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let c = theta.iter().zip(&moved).map(|(t, m)| t / m);
    let (times, over): (Vec<f64>, Vec<f64>) = c.zip(&plain).map(|(c, g)| (c * g, g / c)).unzip();
    let apart = |wanted: &[f64]| {
        let difference: Vec<f64> = seen.iter().zip(wanted).map(|(a, b)| a - b).collect();
        norm(&difference) / norm(&seen)
    };
    support.same("its gradient against c times the plain one, relative", apart(&times));
    twin.same("gradient divided by c: off by", apart(&over));
    Ok(())
}
