//! Figure 16: errors and variances of the descents of Figure 15.
//!
//! **Claims**. `heavy-tailed/fig-16-left`: descent with rescaled variance, which plain descent with an adapted learning rate can do as
//! well, performs better than the sign. `heavy-tailed/fig-16-right`: descent loses momentum along the training, since variances of the
//! gradient get smaller and hence the updates.
//!
//! On the left plain descent is rerun with the list of rates that rescaling used, and must give the same W. The order of the two errors
//! depends on two rates that the caption does not give, so it is asked for with each at its best rate for the error at that time, and with
//! first steps of equal length, for unit inputs and for those of Eq. 1; divided by the variance, as printed, and by the deviation. On the right the variance is exact, an
//! expectation over ten inputs. A sign that is ahead, or a variance that rises, counts against it.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, mean, paired_difference};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{BatchSize, DescentRule, ErrorCurve, Method, Schedule, TrainingRun, TrainingTask, log_grid};

use super::appendix_c_1::{POWER, at_power};
use super::appendix_c_2::{
    ALIKE, Descent, Population, RATE, TIMES, column, paths, population, population_of_equation_1, task_count, tuned,
};
use super::section_3_visits::UNIT_INPUTS;
use crate::vocabulary::{Largest, by_scale, largest};

const SAME: Margin = Margin::new("same descent", 1e-9, "fifty steps that each multiply rounding by a few, from 1e-16");

const FALLS: Margin = Margin::new(
    "falls",
    0.99,
    "all but one step in a hundred: smaller along the training, and not at each step of each run",
);

const HENCE: Margin = Margin::new(
    "because of the variance",
    -0.5,
    "half a power of t: more than half of what the steps of plain descent lose is not lost where the deviation is divided out",
);

/// Positions in [`TIMES`].
const THIRD: usize = 2;
const SEVENTH: usize = 3;
const TWENTIETH: usize = 4;
const END: usize = 5;

/// Error and order: the left panel.
#[derive(Clone, Debug, Default)]
pub struct Left {
    /// Tasks, each with its own embeddings; by scale if 0.
    pub tasks: usize,
}

/// Largest relative distance of W under rescaling from W under plain descent with the same rates, fifty steps; and with the rates of the
/// step before, which is a step late.
fn reproduced(tasks: &[TrainingTask], rescaled: &Method, factor: f64) -> Result<(f64, f64), Failure> {
    let (mut same, mut late) = (Largest::default(), Largest::default());
    for task in tasks {
        let mut run = TrainingRun::new(task, rescaled)?;
        let mut rates = Vec::new();
        for _ in 0..50 {
            rates.push(factor / run.gradient_moments()?.variance.sqrt());
            run.population_step()?;
        }
        let delayed = [&rates[..1], &rates[..49]].concat();
        for (rates, gap) in [(rates, &mut same), (delayed, &mut late)] {
            let mut plain = TrainingRun::new(
                task,
                &Method::new(DescentRule::Sgd, Schedule::list(rates)?).batch(BatchSize::Population),
            )?;
            for _ in 0..50 {
                plain.population_step()?;
            }
            let apart = plain.weights() - run.weights();
            gap.see(largest(&apart) / run.norm());
        }
    }
    Ok((same.0, late.0))
}

/// Error at a position of [`TIMES`], one descent minus the sign, each at its best rate for it.
fn at_best(setting: &Setting, population: &Population, descent: Descent, at: usize) -> Result<Estimate, Failure> {
    let (one, sign) = (tuned(setting, population, descent)?, tuned(setting, population, Descent::Sign)?);
    Ok(paired_difference(&one[at].errors, &sign[at].errors)?)
}

/// The best rates at these times, and whether the grid goes on beyond them.
fn best_rates(setting: &Setting, population: &Population) -> Result<String, Failure> {
    let mut parts = Vec::new();
    for descent in [Descent::Sign, Descent::Deviation, Descent::Variance] {
        let best = tuned(setting, population, descent)?;
        let told = [THIRD, SEVENTH, TWENTIETH, END].map(|at| {
            let edge = if best[at].inside { "" } else { " (at the edge)" };
            format!("{}{edge}", best[at].rate)
        });
        parts.push(format!("{} {}", descent.name(), told.join(", ")));
    }
    Ok(format!("best rates at t = 3, 7, 20, 100: {}", parts.join("; ")))
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

impl TypedCheck for Left {
    const CLAIM: &'static str = "heavy-tailed/fig-16-left";
    const PLAN: Plan = Plan::new(
        "generalization error, by the deviation minus the sign on the same embeddings; relative distance of two W",
        "the sign ahead at t = 3 or 7, in the reading by the deviation or by the variance; another W under plain descent with the same list of rates",
        &[ALIKE, SAME],
    )
    .protocol(&["setting of Figure 14 on the population gradient, as in Figure 15"])
    .departures(&[
        "the caption gives no rates: each at its best, and first steps of equal length",
        UNIT_INPUTS,
        "equal first steps with the inputs of Eq. 1 as well",
    ])
    .rivals(&["the sign at the best of 0.01, ..., 10 and rescaled descent at the best of 1, ..., 1000, for the error at that time"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let count = by_scale(self.tasks, task_count(setting));
        let population = population(setting, count)?;
        let long = population_of_equation_1(setting, RATE, count)?;
        let few = &population.tasks[..20.min(population.tasks.len())];
        let rescaled = population.method(Descent::Deviation)?;
        let (same, late) = reproduced(few, &rescaled, population.rates[Descent::Deviation as usize])?;
        let ahead = |label: String, difference| Finding::at_most(label, 0.0, difference).unit("tasks");
        let alike = |label: &str, difference| Finding::equals(label, 0.0, ALIKE, difference).unit("tasks");
        let tuned = |descent: Descent, at: usize| -> Result<Finding, Failure> {
            let label = format!("each at its best rate: error at t = {}, {} minus the sign", TIMES[at], descent.name());
            Ok(ahead(label, at_best(setting, &population, descent, at)?))
        };
        let equal = |population: &Population, inputs: &str, at: usize| -> Result<Finding, Failure> {
            let label =
                format!("{inputs}, equal first steps: error at t = {}, by the deviation minus the sign", TIMES[at]);
            let difference = population.difference(|path| &path.error, Descent::Deviation, Descent::Sign, at)?;
            Ok(ahead(label, difference))
        };
        let list = |label: &str, gap: f64| Finding::identity(label, gap, SAME).cases(few.len()).unit("tasks");
        let evidence = Evidence::of(tuned(Descent::Deviation, SEVENTH)?)
            .and(tuned(Descent::Deviation, THIRD)?)
            .and(equal(&long, "inputs of Eq. 1", SEVENTH)?)
            .and(equal(&long, "inputs of Eq. 1", THIRD)?)
            .and(equal(&population, "unit inputs", SEVENTH)?)
            .and(tuned(Descent::Variance, THIRD)?)
            .and(tuned(Descent::Variance, SEVENTH)?)
            .weaker(
                "for unit inputs, by the standard deviation, each at its best rate: ahead after three steps, alike from twenty on",
                vec![
                    ahead(
                        "each at its best rate: error after three steps, by the deviation minus the sign".into(),
                        at_best(setting, &population, Descent::Deviation, THIRD)?,
                    ),
                    alike(
                        "each at its best rate: error at t = 20, by the deviation minus the sign",
                        at_best(setting, &population, Descent::Deviation, TWENTIETH)?,
                    ),
                    alike(
                        "each at its best rate: error at t = 100, by the deviation minus the sign",
                        at_best(setting, &population, Descent::Deviation, END)?,
                    ),
                    list(
                        "W of rescaled descent against plain descent with its list of rates, relative",
                        same,
                    ),
                ],
            )
            .twin(list("the list one step late, relative", late))
            .note(best_rates(setting, &population)?);
        Ok(Checked::from(evidence).figure(error_figure(&population)?))
    }
}

/// Variance and updates: the right panel.
#[derive(Clone, Debug)]
pub struct Right {
    /// Tasks, each with its own embeddings; by scale if 0.
    pub tasks: usize,
    /// Steps.
    pub steps: usize,
    /// Window of the powers of t.
    pub window: (usize, usize),
}

impl Default for Right {
    fn default() -> Right {
        Right { tasks: 0, steps: 300, window: (20, 290) }
    }
}

/// Size of one thing at each step, `[task][step]`.
type Sizes = Vec<Vec<f64>>;

impl Right {
    /// Variances before each step and norms of the updates.
    fn sizes(&self, population: &Population, descent: Descent) -> Result<(Sizes, Sizes), Failure> {
        let (mut variances, mut updates) = (Vec::new(), Vec::new());
        for task in &population.tasks {
            let mut run = TrainingRun::new(task, &population.method(descent)?)?;
            let (mut v, mut u) = (vec![run.gradient_moments()?.variance], Vec::new());
            for _ in 0..self.steps {
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
    fn powers(&self, sizes: &Sizes) -> Vec<f64> {
        let (from, to) = self.window;
        let span = (to as f64 / from as f64).ln();
        sizes.iter().map(|size| (size[to] / size[from]).ln() / span).collect()
    }

    fn figure(&self, variances: &Sizes, updates: &Sizes) -> Figure {
        let t: Vec<f64> = (1..=self.steps).map(|t| t as f64).collect();
        let average = |rows: &Sizes, from: usize| -> Vec<f64> {
            (from..from + self.steps).map(|k| rows.iter().map(|row| row[k]).sum::<f64>() / rows.len() as f64).collect()
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
}

impl TypedCheck for Right {
    const CLAIM: &'static str = "heavy-tailed/fig-16-right";
    const PLAN: Plan = Plan::new(
        "steps at which the exact variance falls; powers of t in variance and in the length of the steps",
        "a variance that rises; steps that do not shrink, or not as the root of the variance, as hence asks for",
        &[POWER, SAME, FALLS, HENCE],
    )
    .protocol(&["plain descent at rate 10 on the population gradient, setting of Figure 14"])
    .departures(&[
        UNIT_INPUTS,
        "300 steps and not 100, and powers from step 20 on, where they are level: before that mean and variance fall side by side",
        "mean and variance of the gradient both come from what is still missing, so hence is also asked of a descent that divides by the deviation",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let population = population(setting, by_scale(self.tasks, task_count(setting)))?;
        let (variances, updates) = self.sizes(&population, Descent::Plain)?;
        let falls = |v: &Vec<f64>| v.windows(2).filter(|w| w[1] < w[0]).count() as f64 / self.steps as f64;
        let share = mean(&variances.iter().map(falls).collect::<Vec<f64>>())?;
        let (fast, slow) = (self.powers(&variances), self.powers(&updates));
        let hence: Vec<f64> = slow.iter().zip(&fast).map(|(u, v)| u / v).collect();
        // The step of plain descent is its rate times the mean gradient.
        let mut step = Largest::default();
        for (task, updates) in population.tasks.iter().zip(&updates) {
            let start = TrainingRun::new(task, &population.method(Descent::Plain)?)?.gradient_moments()?;
            step.see((updates[0] / (RATE * start.square_of_mean.sqrt()) - 1.0).abs());
        }
        let (_, of_sign) = self.sizes(&population, Descent::Sign)?;
        let (_, divided) = self.sizes(&population, Descent::Deviation)?;
        let lost = paired_difference(&slow, &self.powers(&divided))?;
        let falling = |label: &str, powers: &[f64]| -> Result<Finding, Failure> {
            Ok(Finding::at_most(label, 0.0, mean(powers)?).unit("tasks"))
        };
        let evidence = Evidence::of(falling(
            &format!("power of t in the variance, steps {} to {}", self.window.0, self.window.1),
            &fast,
        )?)
        .and(Finding::at_least("share of the steps at which the variance falls", FALLS, share).unit("tasks"))
        .and(falling("power of t in the length of the step", &slow)?)
        .and(
            Finding::at_most(
                "power of t in the length of the step, minus that where the deviation is divided out",
                HENCE,
                lost,
            )
            .unit("tasks"),
        )
        .and(at_power("power of the variance in the length of the step", 0.5, mean(&hence)?).unit("tasks"))
        .twin(at_power(
            "the sign of the gradient: power of the variance in the length of the step",
            0.5,
            mean(&self.powers(&of_sign).iter().zip(&fast).map(|(u, v)| u / v).collect::<Vec<f64>>())?,
        ))
        .support(Finding::identity("first step against rate times mean gradient, relative", step.0, SAME));
        Ok(Checked::from(evidence).figure(self.figure(&variances, &updates)))
    }
}
