//! Figure 7: schedules.
//!
//! **Claims**. `heavy-tailed/fig-7-left`, N = 10: a big step stores more but may overwrite, so that the error has the higher variance and is
//! better overall; a small step has no loss spikes but stores rare associations slowly; a decreasing schedule such as StepLR gets the best
//! of both. `heavy-tailed/fig-7-right`: the same with N = 30, averaged over a hundred runs.
//!
//! Steps 10 and 0.1, and a rate of 10 that is halved after every 50 of 300 samples. Three more schedules, because the caption gives none,
//! and the constant steps 1 and 2, which it does not name, so that the schedule meets good constant steps too, are a footing. Refuted by a
//! big step that is worse overall or calmer than the small one, a schedule that ends above either, and for N = 30, where the text says why
//! it helps, one that is no faster than the small step at first or breaks no fewer associations late than the big one. Which
//! step is better *overall* turns with the number of samples where d < N; that is charged with `heavy-tailed/fig-5-left`, and shown for
//! N = 30. All of it for inputs of norm one, as Appendix C.1 has them for descent; the two steps and the first schedule are shown with
//! those of Eq. 1 as well.

use std::sync::Arc;

use ndarray::Array1;
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, paired_difference, proportion};
use workbench_ledger::{Check, Done, Failure, Margin, Says, Sheet};
use workbench_memory::{DescentRule, ErrorCurve, Method, Parametrization, Schedule, Visits, log_grid};

use super::descent_visits::{BIG, BOTH_INPUTS, MOSTLY, SMALL, in_words, study};
use super::hyperparameter_sweeps::banded;
use crate::vocabulary::EXACT;

/// Left panel: N = 10.
pub const LEFT: Check = Check {
    claim: "heavy-tailed/fig-7-left",
    metric: "error averaged over the samples and at the end; its variance and its jumps in the second half; paired by runs",
    against: "a big step that is worse overall or calmer; a small step that jumps as often; a schedule that ends above either step",
    protocol: &[
        "N = 10, M = 5, alpha = 1.5, d = 5, batch one; steps 10 and 0.1, and a step of 10 that falls by StepLR",
    ],
    choices: &[
        "300 samples; StepLR halves after every 50; constant steps 1 and 2 beside them; a jump is a rise by a tenth",
    ],
    departures: &["many runs in place of one", BOTH_INPUTS],
    run: left,
    ..Check::DEFAULT
};

fn left(s: &Sheet) -> Done {
    let watched = watch(s, 10, Parametrization::Unit)?;
    let (lower, higher) = (s.printed(Margin::ZERO).of("runs"), s.printed(Margin::ZERO).of("runs"));
    for (fixed, name) in FIXED {
        lower.at_most(format!("error at the end, schedule minus {name} step"), watched.at_end([FALLING, fixed])?);
    }
    lower.at_most("error averaged over the samples, big minus small step", watched.overall()?);
    let unrest = paired_difference(&watched.unrest(BIG_STEP), &watched.unrest(SMALL_STEP))?;
    higher.at_least("variance of the error in the second half, big minus small step", unrest);
    let (big, small) = (watched.jumps(BIG_STEP), watched.jumps(SMALL_STEP));
    higher.at_least("jumps of the error in the second half, big minus small step", paired_difference(&big, &small)?);
    let calm = small.iter().filter(|jumps| **jumps == 0.0).count();
    let label = "small step: runs without a jump of the error in the second half";
    s.aside(MOSTLY).of("runs").at_least(label, proportion(calm, small.len())?);
    of_equation_1(s, 10)?;
    against_between(s.support(Margin::ZERO).of("runs"), &watched)?;
    let label = "halved after every 5 samples: error at the end, minus big step";
    s.twin(Margin::ZERO).of("runs").at_most(label, watched.at_end([FROZEN, BIG_STEP])?);
    s.figure(figure(&watched)?);
    Ok(())
}

/// Right panel: N = 30.
pub const RIGHT: Check = Check {
    claim: "heavy-tailed/fig-7-right",
    metric: "error at the end of 300 samples, a schedule minus each fixed step; error after 100 samples, less that of the small step; associations broken in the second half, less those of the big step; paired by runs",
    against: "a schedule that ends above either fixed step, stores no faster than the small one at first, or breaks as many associations late as the big one",
    protocol: &["as on the left with N = 30"],
    choices: &[
        "300 samples; a rate that is halved after every 50; three more schedules, and constant steps 1 and 2, as a footing",
        "big against small step averaged over 300 and over 3000 samples beside, since the order turns with them; over 3000 with a schedule that is halved every 500",
    ],
    departures: &["more than a hundred runs", BOTH_INPUTS],
    run: right,
    ..Check::DEFAULT
};

fn right(s: &Sheet) -> Done {
    let watched = watch(s, 30, Parametrization::Unit)?;
    let lower = s.printed(Margin::ZERO).of("runs");
    s.see("heavy-tailed/fig-5-left");
    let beside = s.aside(Margin::ZERO).of("runs");
    beside.at_most("error averaged over 300 samples, big minus small step", watched.overall()?);
    let long = watch_longer(s)?;
    beside.at_most("error averaged over 3000 samples, big minus small step", long.overall()?);
    for (fixed, name) in FIXED {
        let label = format!("halved after every 500 of 3000 samples, minus {name} step at the end");
        beside.at_most(label, long.at_end([FALLING, fixed])?);
    }
    // The caption gives no schedule: the first is judged, the others are not to differ.
    let others = s.support(Margin::ZERO).of("runs");
    for (k, (factor, every)) in DROPS.into_iter().enumerate() {
        for (fixed, name) in FIXED {
            let label = format!("×{factor} every {every} minus {name} step at the end");
            let says = if k == 0 { lower } else { others };
            says.at_most(label, watched.at_end([FALLING + k, fixed])?);
        }
    }
    lower.at_most("error after 100 samples, schedule minus small step", watched.after([FALLING, SMALL_STEP], 100)?);
    let fewer = paired_difference(&watched.broken(FALLING), &watched.broken(BIG_STEP))?;
    lower.at_most("associations broken in the second half, schedule minus big step", fewer);
    against_between(others, &watched)?;
    of_equation_1(s, 30)?;
    let label = "a rate that rises by 2 every 50: minus big step at the end";
    s.twin(Margin::ZERO).of("runs").at_most(label, watched.at_end([RISING, BIG_STEP])?);
    let same = watched.after([FALLING, BIG_STEP], 50)?;
    s.support(EXACT).of("runs").equals("before the first drop: schedule minus big step", 0.0, same);
    s.figure(figure(&watched)?);
    Ok(())
}

/// Factor of each drop of the rate, and samples between drops; the first is the one that is shown.
const DROPS: [(f64, usize); 4] = [(0.5, 50), (0.5, 25), (0.3, 75), (0.1, 100)];
/// A rise of the error in one step that counts as a jump: a tenth, the mass of one frequent input.
const JUMP: f64 = 0.1;
/// Positions of the descents: two fixed rates, the schedules, then two wrong ones.
const BIG_STEP: usize = 0;
const SMALL_STEP: usize = 1;
const FALLING: usize = 2;
const FROZEN: usize = 6;
const RISING: usize = 7;
/// Constant steps between the two of the figure.
const BETWEEN: [(usize, f64); 2] = [(8, 1.0), (9, 2.0)];
/// The two of the figure, in words.
const FIXED: [(usize, &str); 2] = [(BIG_STEP, "big"), (SMALL_STEP, "small")];

fn falling(rate: f64, factor: f64, every: usize) -> Result<Method, Failure> {
    Ok(Method::new(DescentRule::Sgd, Schedule::steps(rate, factor, every)?))
}

fn methods(samples: usize) -> Result<Vec<Method>, Failure> {
    let mut methods = vec![Method::sgd(BIG)?.label("γ = 10"), Method::sgd(SMALL)?.label("γ = 0.1")];
    for (factor, every) in DROPS {
        methods.push(falling(BIG, factor, every)?.label(&format!("×{factor} every {every}")));
    }
    methods.extend([falling(BIG, 0.5, 5)?, falling(BIG * 0.5f64.powi(5), 2.0, 50)?]);
    methods.extend([Method::sgd(BETWEEN[0].1)?, Method::sgd(BETWEEN[1].1)?]);
    Ok(methods.into_iter().map(|method| method.steps(samples)).collect())
}

/// The descents on the same embeddings and data, `[method][run]`.
struct Watched {
    inputs: usize,
    samples: usize,
    runs: Vec<Vec<Visits>>,
}

/// All descents on unit inputs; the two fixed steps and the schedule of the figure, on twice as many runs, with those of Eq. 1.
fn watch(s: &Sheet, inputs: usize, length: Parametrization) -> Result<Arc<Watched>, Failure> {
    let samples = s.knob("samples", 300, 100..)?;
    let runs = s.knob("runs", s.scale().pick(300, 600), 2..)?;
    let (kept, runs) = match length {
        Parametrization::Model => (FALLING + 1, 2 * runs),
        _ => (usize::MAX, runs),
    };
    let name = format!("Fig. 7, {}, N = {inputs}", in_words(length));
    s.shared(&format!("{name}, {samples} samples, {runs} runs"), |own| {
        let methods = methods(samples)?.into_iter().take(kept).collect();
        let runs = study(inputs, length, methods, 5)?.runs(runs).visits(own.streams(), &name)?;
        Ok(Watched { inputs, samples, runs })
    })
}

/// The two fixed steps and a schedule that fits, on ten times the samples, N = 30.
fn watch_longer(s: &Sheet) -> Result<Watched, Failure> {
    let methods =
        vec![Method::sgd(BIG)?.label("γ = 10"), Method::sgd(SMALL)?.label("γ = 0.1"), falling(BIG, 0.5, 500)?];
    let methods = methods.into_iter().map(|method| method.steps(3000)).collect();
    let study = study(30, Parametrization::Unit, methods, 5)?.runs(s.scale().pick(60, 200));
    Ok(Watched { inputs: 30, samples: 3000, runs: study.visits(s.streams(), "Fig. 7, longer")? })
}

/// Inputs of Eq. 1: the big step against the small one overall, and the schedule against both at the end.
fn of_equation_1(s: &Sheet, inputs: usize) -> Done {
    let (watched, lower) = (watch(s, inputs, Parametrization::Model)?, s.aside(Margin::ZERO).of("runs"));
    lower.at_most("inputs of Eq. 1: averaged over the samples, big minus small step", watched.overall()?);
    for (fixed, name) in FIXED {
        let label = format!("inputs of Eq. 1: at the end, schedule minus {name} step");
        lower.at_most(label, watched.at_end([FALLING, fixed])?);
    }
    Ok(())
}

/// The schedule against the constant steps between the two.
fn against_between(says: Says, watched: &Watched) -> Done {
    for (method, rate) in BETWEEN {
        let label = format!("error at the end, schedule minus a constant step of {rate}");
        says.at_most(label, watched.at_end([FALLING, method])?);
    }
    Ok(())
}

impl Watched {
    fn errors(&self, method: usize, samples: usize) -> Vec<f64> {
        self.runs[method].iter().map(|run| run.steps[samples - 1].error).collect()
    }

    /// Error after so many samples, method `a` minus method `b`.
    fn after(&self, [a, b]: [usize; 2], samples: usize) -> Result<Estimate, Failure> {
        let at = |method: usize| self.errors(method, samples);
        Ok(paired_difference(&at(a), &at(b))?)
    }

    fn at_end(&self, pair: [usize; 2]) -> Result<Estimate, Failure> {
        self.after(pair, self.samples)
    }

    /// Error averaged over all samples, big minus small step.
    fn overall(&self) -> Result<Estimate, Failure> {
        let mean = |run: &Visits| run.errors().iter().sum::<f64>() / run.steps.len() as f64;
        let [big, small] = [BIG_STEP, SMALL_STEP].map(|method| self.runs[method].iter().map(mean).collect::<Vec<_>>());
        Ok(paired_difference(&big, &small)?)
    }

    /// Variance of the error over the second half of the samples, around a straight line.
    fn unrest(&self, method: usize) -> Vec<f64> {
        self.runs[method].iter().map(|run| around_line(&second_half(run))).collect()
    }

    /// Associations that steps in the second half of the samples broke, run by run.
    fn broken(&self, method: usize) -> Vec<f64> {
        let late = |run: &Visits| run.steps[run.steps.len() / 2..].iter().map(|visit| visit.broken as f64).sum::<f64>();
        self.runs[method].iter().map(late).collect()
    }

    /// Jumps of the error in the second half of the samples.
    fn jumps(&self, method: usize) -> Vec<f64> {
        let count = |run: &Visits| second_half(run).windows(2).filter(|w| w[1] > w[0] + JUMP).count() as f64;
        self.runs[method].iter().map(count).collect()
    }
}

fn second_half(run: &Visits) -> Vec<f64> {
    let errors = run.errors();
    errors[errors.len() / 2..].to_vec()
}

/// Mean square of what a straight line leaves.
fn around_line(e: &[f64]) -> f64 {
    let n = e.len() as f64;
    let t = |i: usize| i as f64 - (n - 1.0) / 2.0;
    let m = e.iter().sum::<f64>() / n;
    let along: f64 = e.iter().enumerate().map(|(i, e)| t(i) * e).sum();
    let square: f64 = (0..e.len()).map(|i| t(i) * t(i)).sum();
    let left = |(i, e): (usize, &f64)| (e - m - along / square * t(i)).powi(2);
    e.iter().enumerate().map(left).sum::<f64>() / n
}

fn figure(watched: &Watched) -> Result<Figure, Failure> {
    let (names, steps) = (methods(watched.samples)?, log_grid(1, watched.samples, 12)?);
    let t: Vec<f64> = (1..=watched.samples).map(|t| t as f64).collect();
    let x: Vec<f64> = steps.iter().map(|s| *s as f64).collect();
    let mut single = Panel::new("one run").x_label("samples").y_label("error");
    let mut average = Panel::new("mean over runs").x_label("samples").y_label("error").log_x().log_y();
    for m in [BIG_STEP, SMALL_STEP, FALLING] {
        let name = names[m].label_text();
        single = single.line(name, &t, &watched.runs[m][1].errors()).colour(m);
        let columns: Vec<_> = steps.iter().map(|s| Array1::from(watched.errors(m, *s))).collect();
        average = banded(average, name, &ErrorCurve::from_columns(x.clone(), &columns)?, m)?;
    }
    let title = format!("Error along the samples for two fixed steps and a falling one, N = {}", watched.inputs);
    Ok(Figure::new(&title)
        .columns(2)
        .panel(single.legend_below())
        .panel(average.legend_below())
        .caption("d = 5. The falling step starts as γ = 10. Bands are 99.9 % intervals of the mean over runs."))
}
