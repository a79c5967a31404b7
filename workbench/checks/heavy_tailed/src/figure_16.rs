//! Figure 16: errors and variances of the descents of Figure 15.
//!
//! **Claims**. `heavy-tailed/fig-16-left`: descent with rescaled variance, which plain descent with an adapted learning rate can do as
//! well, performs better than the sign. `heavy-tailed/fig-16-right`: descent loses momentum along the training, since variances of the
//! gradient get smaller and hence the updates.
//!
//! On the left plain descent is rerun with the list of rates that rescaling used, and must give the same W. The order of the two curves
//! depends on two rates that the caption does not give, so it is asked for with each at its best: the error along the run, averaged over
//! its steps, at the rate of a grid that is best for it. Errors at single times, and at first steps of equal length, are shown. The gradient
//! is divided by the deviation; that the text has the variance is charged with `heavy-tailed/adam-homogenises`. Inputs are of norm one, as
//! Appendix C.1 has them for descent. On the right the variance is exact, an expectation over ten inputs. Refuted by a sign that is ahead,
//! or a variance that rises.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, mean, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{BatchSize, DescentRule, ErrorCurve, Method, Schedule, TrainingRun, TrainingTask, log_grid};

use super::descent_visits::{BOTH_INPUTS, UNIT_INPUTS};
use super::powers_of_width::POWER;
use super::rescaled_descents::{
    ALIKE, Descent, END, Population, RATE, SEVENTH, THIRD, TIMES, TWENTIETH, along_the_run, best_rates, column, paths,
    population, population_of_equation_1, tuned,
};
use crate::vocabulary::apart;

const SAME: Margin =
    Margin::rounding("same descent", 1e-9, "fifty steps that each multiply rounding by a few, from 1e-16");

const FALLS: Margin = Margin::ours(
    "falls",
    0.99,
    "all but one step in a hundred: smaller along the training, and not at each step of each run",
);

/// Error and order: the left panel.
pub const LEFT: Check = Check {
    claim: "heavy-tailed/fig-16-left",
    metric: "generalization error averaged over the steps of the run, by the deviation minus the sign on the same embeddings; relative distance of two W",
    against: "the sign ahead along the run; another W under plain descent with the same list of rates",
    protocol: &["setting of Figure 14 on the population gradient, 100 steps, as in Figure 15"],
    choices: &[
        "the caption gives no rates: each at its best; beside it, first steps of equal length, also with the inputs of Eq. 1",
    ],
    departures: &[
        "the gradient is divided by the standard deviation, and not by the variance as the text has it, which is charged with adam-homogenises and shown beside it",
        BOTH_INPUTS,
    ],
    rivals: &[
        "along the run the sign at the best of 0.1, 0.14, ..., 0.8 and rescaled descent at the best of 5, 7, ..., 40, on tasks that did not choose them; at single times the sign at the best of 0.01, 0.03, ..., 10 and rescaled descent at the best of 1, 3, ..., 1000, for that time",
    ],
    run: left,
    ..Check::DEFAULT
};

/// Variance and updates: the right panel.
pub const RIGHT: Check = Check {
    claim: "heavy-tailed/fig-16-right",
    metric: "powers of t in the exact variance and in the length of the steps",
    against: "a variance that rises; steps that do not shrink, or as much where the deviation is divided out, as hence asks for",
    protocol: &["plain descent at rate 10 on the population gradient, setting of Figure 14"],
    choices: &[
        "powers of t from step 20 on, where they are level: before that mean and variance fall side by side",
        "mean and variance of the gradient both come from what is still missing, so hence is also asked of a descent that divides by the deviation",
    ],
    departures: &[
        "300 steps and not 100: two thirds of the window, steps 20 to 290, lie beyond those of the figure",
        UNIT_INPUTS,
    ],
    run: right,
    ..Check::DEFAULT
};

fn left(s: &Sheet) -> Done {
    let (unit, long) = (population(s)?, population_of_equation_1(s, RATE)?);
    let (printed, ahead) = (s.printed(Margin::ZERO).of("tasks"), s.aside(Margin::ZERO).of("tasks"));
    s.see("heavy-tailed/adam-homogenises");
    let best = along_the_run(s, &unit)?;
    let [along, of_sign, by_variance] = &*best;
    let label = "each at its best rate: error averaged over 100 steps, by the deviation minus the sign";
    printed.at_most(label, paired_difference(&along.errors, &of_sign.errors)?);
    let label = "each at its best rate: error averaged over 100 steps, by the variance minus the sign";
    ahead.at_most(label, paired_difference(&by_variance.errors, &of_sign.errors)?);
    s.note(format!(
        "best rates for the error along the run: sign {}, by the deviation {}, by the variance {}",
        of_sign.told(),
        along.told(),
        by_variance.told()
    ));
    let at_best = |descent: Descent, at: usize| -> Result<Estimate, Failure> {
        let (one, sign) = (tuned(s, &unit, descent)?, tuned(s, &unit, Descent::Sign)?);
        Ok(paired_difference(&one[at].errors, &sign[at].errors)?)
    };
    let label = |at: usize, descent: Descent| {
        format!("each at its best rate: error at t = {}, {} minus the sign", TIMES[at], descent.name())
    };
    for at in [SEVENTH, THIRD] {
        ahead.at_most(label(at, Descent::Deviation), at_best(Descent::Deviation, at)?);
    }
    for (population, inputs, at) in
        [(&long, "inputs of Eq. 1", SEVENTH), (&long, "inputs of Eq. 1", THIRD), (&unit, "unit inputs", SEVENTH)]
    {
        let label = format!("{inputs}, equal first steps: error at t = {}, by the deviation minus the sign", TIMES[at]);
        ahead.at_most(label, population.difference(|path| &path.error, Descent::Deviation, Descent::Sign, at)?);
    }
    for at in [THIRD, SEVENTH] {
        ahead.at_most(label(at, Descent::Variance), at_best(Descent::Variance, at)?);
    }
    for at in [TWENTIETH, END] {
        let label = label(at, Descent::Deviation);
        s.aside(ALIKE).of("tasks").equals(label, 0.0, at_best(Descent::Deviation, at)?);
    }
    for task in s.each("tasks", unit.tasks.iter().take(20)) {
        reproduced(s, task, &unit)?;
    }
    s.note(best_rates(s, &unit, &[Descent::Sign, Descent::Deviation, Descent::Variance], " (at the edge)")?);
    s.figure(error_figure(&unit)?);
    Ok(())
}

/// W under rescaling against W under plain descent with the same rates, fifty steps; and with the rates of the step before, which is a
/// step late.
fn reproduced(s: &Sheet, task: &TrainingTask, population: &Population) -> Done {
    let mut run = TrainingRun::new(task, &population.method(Descent::Deviation)?)?;
    let mut rates = Vec::new();
    for _ in 0..50 {
        rates.push(population.rates[Descent::Deviation as usize] / run.gradient_moments()?.variance.sqrt());
        run.population_step()?;
    }
    let under = |rates: Vec<f64>| -> Result<f64, Failure> {
        let method = Method::new(DescentRule::Sgd, Schedule::list(rates)?).batch(BatchSize::Population);
        let mut plain = TrainingRun::new(task, &method)?;
        for _ in 0..50 {
            plain.population_step()?;
        }
        Ok(apart(&plain.weights(), &run.weights()) / run.norm())
    };
    let late = under([&rates[..1], &rates[..49]].concat())?;
    let label = "W of rescaled descent against plain descent with its list of rates, relative";
    s.printed(SAME).same(label, under(rates)?);
    s.twin(SAME).largest().same("the list one step late, relative", late);
    Ok(())
}

/// Ends of the window of the powers of t.
const WINDOW: (usize, usize) = (20, 290);
const STEPS: usize = 300;

fn right(s: &Sheet) -> Done {
    let population = population(s)?;
    let (variances, updates) = sizes(&population, Descent::Plain)?;
    let (fast, slow) = (powers(&variances), powers(&updates));
    // That the length goes as the root of the variance is ours.
    let (printed, root) = (s.printed(Margin::ZERO).of("tasks"), s.support(POWER).of("tasks"));
    let label = format!("power of t in the variance, steps {} to {}", WINDOW.0, WINDOW.1);
    printed.at_most(label, mean(&fast)?);
    let falls = |v: &Vec<f64>| v.windows(2).filter(|w| w[1] < w[0]).count() as f64 / STEPS as f64;
    let share = mean(&variances.iter().map(falls).collect::<Vec<f64>>())?;
    s.aside(FALLS).of("tasks").at_least("share of the steps at which the variance falls", share);
    printed.at_most("power of t in the length of the step", mean(&slow)?);
    let label = "power of t in the length of the step, minus that where the deviation is divided out";
    let (their_variances, their_updates) = sizes(&population, Descent::Deviation)?;
    let divided = powers(&their_updates);
    printed.at_most(label, paired_difference(&slow, &divided)?);
    let ratios = |u: &[f64], v: &[f64]| mean(&u.iter().zip(v).map(|(u, v)| u / v).collect::<Vec<f64>>());
    root.equals("power of the variance in the length of the step", 0.5, ratios(&slow, &fast)?);
    let label = "where the deviation is divided out: power of the variance in the length of the step";
    s.twin(POWER).of("tasks").equals(label, 0.5, ratios(&divided, &powers(&their_variances))?);
    // The step of plain descent is its rate times the mean gradient.
    for (task, updates) in s.each("tasks", population.tasks.iter().zip(&updates)) {
        let start = TrainingRun::new(task, &population.method(Descent::Plain)?)?.gradient_moments()?;
        let off = (updates[0] / (RATE * start.square_of_mean.sqrt()) - 1.0).abs();
        s.support(SAME).same("first step against rate times mean gradient, relative", off);
    }
    s.figure(sizes_figure(&variances, &updates));
    Ok(())
}

/// Size of one thing at each step, `[task][step]`.
type Sizes = Vec<Vec<f64>>;

/// Variances before each step and norms of the updates.
fn sizes(population: &Population, descent: Descent) -> Result<(Sizes, Sizes), Failure> {
    let (mut variances, mut updates) = (Vec::new(), Vec::new());
    for task in &population.tasks {
        let mut run = TrainingRun::new(task, &population.method(descent)?)?;
        let (mut v, mut u) = (vec![run.gradient_moments()?.variance], Vec::new());
        for _ in 0..STEPS {
            run.population_step()?;
            let measures = run.measure()?;
            v.push(measures.gradient_variance);
            u.push(measures.update_norm);
        }
        variances.push(v);
        updates.push(u);
    }
    Ok((variances, updates))
}

/// Power of t between the ends of the window, task by task.
fn powers(sizes: &Sizes) -> Vec<f64> {
    let (from, to) = WINDOW;
    let span = (to as f64 / from as f64).ln();
    sizes.iter().map(|size| (size[to] / size[from]).ln() / span).collect()
}

fn error_figure(population: &Population) -> Result<Figure, Failure> {
    let times: Vec<usize> = log_grid(1, 100, 8)?.into_iter().collect();
    let x: Vec<f64> = times.iter().map(|t| *t as f64).collect();
    let mut panel = Panel::new("").x_label("steps").y_label("generalization error").log_x();
    for (k, descent) in Descent::ALL.into_iter().enumerate() {
        let paths = paths(&population.tasks, &population.method(descent)?, &times)?;
        let columns: Vec<_> = (0..times.len()).map(|at| column(&paths, |path| &path.error, at).into()).collect();
        let curve = ErrorCurve::from_columns(x.clone(), &columns)?;
        panel = panel
            .band("", &x, &curve.low()?, &curve.high()?)
            .colour(k)
            .line(descent.name(), &x, &curve.means())
            .colour(k);
    }
    Ok(Figure::new("At equal first steps the sign leads, and the deviation catches up")
        .panel(panel.legend_below())
        .caption(
            "Means over embeddings with 99.9 % intervals. The order at early times depends on the rates; see the card.",
        ))
}

fn sizes_figure(variances: &Sizes, updates: &Sizes) -> Figure {
    let t: Vec<f64> = (1..=STEPS).map(|t| t as f64).collect();
    let average = |rows: &Sizes, from: usize| -> Vec<f64> {
        (from..from + STEPS).map(|k| rows.iter().map(|row| row[k]).sum::<f64>() / rows.len() as f64).collect()
    };
    let panel = Panel::new("")
        .x_label("steps")
        .y_label("size")
        .log_x()
        .log_y()
        .line("variance of the gradient", &t, &average(variances, 1))
        .line("norm of the update", &t, &average(updates, 0))
        .legend_below();
    Figure::new("Variance and steps of plain descent fall together")
        .panel(panel)
        .caption("Means over embeddings, rate 10. The variance is exact, an expectation over the ten inputs.")
}
