//! Figure 7: schedules.
//!
//! **Claims**. `heavy-tailed/fig-7-left`, N = 10: a big step stores more but may overwrite, so that the error has the higher variance and is
//! better overall; a small step has no loss spikes but stores rare associations slowly; a decreasing schedule such as StepLR gets the best
//! of both. `heavy-tailed/fig-7-right`: the same with N = 30, averaged over a hundred runs.
//!
//! Steps 10 and 0.1, and a rate of 10 that is halved after every 50 of 300 samples; three more schedules, because the caption gives none,
//! and the constant steps 1 and 2, so that the schedule meets the best constant step and not only the two that are drawn.
//! A big step that is worse overall or calmer than the small one counts against it, a small one that jumps in most runs, and a schedule
//! that ends above either. All of it for unit inputs; the two steps and the schedule of the figure with those of Eq. 1 as well.

use std::sync::Arc;

use ndarray::Array1;
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, paired_difference, proportion};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{DescentRule, ErrorCurve, Method, Parametrization, Schedule, TrainingStudy, Visits, log_grid};

use super::section_3_visits::{BIG, BOTH_INPUTS, MOSTLY, SMALL, figure_6, in_words, run_count};
use crate::vocabulary::{EXACT, by_scale};

/// Descents with fixed and falling rates.
#[derive(Clone, Debug)]
pub struct Schedules {
    /// Inputs N.
    pub inputs: usize,
    /// Samples.
    pub samples: usize,
    /// Factor of each drop of the rate, and samples between drops; the first is the one that is shown.
    pub drops: [(f64, usize); 4],
    /// A rise of the error in one step that counts as a jump: a tenth, the mass of one frequent input.
    pub jump: f64,
    /// Runs; by scale if 0.
    pub runs: usize,
}

impl Schedules {
    fn of(inputs: usize) -> Schedules {
        Schedules { inputs, samples: 300, drops: [(0.5, 50), (0.5, 25), (0.3, 75), (0.1, 100)], jump: 0.1, runs: 0 }
    }
}

const FIVE: usize = 5;
/// Positions of the descents: two fixed rates, the schedules, then two wrong ones.
const BIG_STEP: usize = 0;
const SMALL_STEP: usize = 1;
const FALLING: usize = 2;
const FROZEN: usize = 6;
const RISING: usize = 7;
/// Constant steps between the two of the figure.
const BETWEEN: [(usize, f64); 2] = [(8, 1.0), (9, 2.0)];

fn falling(rate: f64, factor: f64, every: usize) -> Result<Method, Failure> {
    Ok(Method::new(DescentRule::Sgd, Schedule::steps(rate, factor, every)?))
}

impl Schedules {
    fn methods(&self) -> Result<Vec<Method>, Failure> {
        let mut methods = vec![Method::sgd(BIG)?.label("γ = 10"), Method::sgd(SMALL)?.label("γ = 0.1")];
        for (factor, every) in self.drops {
            methods.push(falling(BIG, factor, every)?.label(&format!("×{factor} every {every}")));
        }
        let (factor, every) = self.drops[0];
        methods.push(falling(BIG, factor, every / 10)?);
        methods.push(falling(BIG * factor.powi(5), 1.0 / factor, every)?);
        for (_, rate) in BETWEEN {
            methods.push(Method::sgd(rate)?);
        }
        Ok(methods.into_iter().map(|method| method.steps(self.samples)).collect())
    }

    /// Descents on the same embeddings and data, run by run.
    fn descents(
        &self,
        setting: &Setting,
        inputs: Parametrization,
        methods: &[Method],
        runs: usize,
    ) -> Result<Arc<Watched>, Failure> {
        let name = format!("Fig. 7, {}, N = {}", in_words(inputs), self.inputs);
        setting.shared(&format!("{name} {self:?} {runs}"), |own| {
            let (law, target) = figure_6(self.inputs)?;
            let study = TrainingStudy::new(law, target)
                .methods(methods.to_vec())
                .parametrization(inputs)
                .dims(vec![FIVE])
                .runs(runs);
            Ok(Watched { runs: study.visits(own.streams(), &name)? })
        })
    }

    /// All descents on unit inputs.
    fn watch(&self, setting: &Setting) -> Result<Arc<Watched>, Failure> {
        let runs = run_count(self.runs, setting);
        self.descents(setting, Parametrization::Unit, &self.methods()?, runs)
    }

    /// The two fixed steps and the schedule of the figure with the inputs of Eq. 1.
    fn watch_equation_1(&self, setting: &Setting) -> Result<Arc<Watched>, Failure> {
        let runs = by_scale(self.runs, setting.scale().pick(600, 1200));
        self.descents(setting, Parametrization::Model, &self.methods()?[..=FALLING], runs)
    }

    /// What they show: the big step against the small one overall, and the schedule against both at the end.
    fn of_equation_1(&self, setting: &Setting) -> Result<[Finding; 3], Failure> {
        let watched = self.watch_equation_1(setting)?;
        let schedule = |fixed: usize, name: &str| -> Result<Finding, Failure> {
            let label = format!("inputs of Eq. 1: at the end, schedule minus {name} step");
            Ok(lower(label, watched.after([FALLING, fixed], self.samples)?))
        };
        Ok([
            lower(
                "inputs of Eq. 1: averaged over the samples, big minus small step",
                watched.overall([BIG_STEP, SMALL_STEP])?,
            ),
            schedule(BIG_STEP, "big")?,
            schedule(SMALL_STEP, "small")?,
        ])
    }

    fn single(&self, watched: &Watched, names: &[Method]) -> Panel {
        let t: Vec<f64> = (1..=self.samples).map(|t| t as f64).collect();
        let panel = Panel::new("one run").x_label("samples").y_label("error");
        [BIG_STEP, SMALL_STEP, FALLING]
            .into_iter()
            .fold(panel, |panel, m| panel.line(names[m].label_text(), &t, &watched.runs[m][1].errors()).colour(m))
    }

    fn average(&self, watched: &Watched, names: &[Method]) -> Result<Panel, Failure> {
        let steps = log_grid(1, self.samples, 12)?;
        let x: Vec<f64> = steps.iter().map(|s| *s as f64).collect();
        let mut panel = Panel::new("mean over runs").x_label("samples").y_label("error").log_x().log_y();
        for m in [BIG_STEP, SMALL_STEP, FALLING] {
            let columns: Vec<_> = steps.iter().map(|s| Array1::from(watched.errors(m, *s))).collect();
            let curve = ErrorCurve::from_columns(x.clone(), &columns)?;
            panel = panel
                .band("", &x, &curve.low()?, &curve.high()?)
                .colour(m)
                .line(names[m].label_text(), &x, &curve.means())
                .colour(m);
        }
        Ok(panel)
    }

    fn figure(&self, watched: &Watched) -> Result<Figure, Failure> {
        let names = self.methods()?;
        let title = format!("Error along the samples for two fixed steps and a falling one, N = {}", self.inputs);
        Ok(Figure::new(&title)
            .columns(2)
            .panel(self.single(watched, &names).legend_below())
            .panel(self.average(watched, &names)?.legend_below())
            .caption("d = 5. The falling step starts as γ = 10. Bands are 99.9 % intervals of the mean over runs."))
    }
}

/// The visits of all descents, `[method][run]`.
#[derive(Debug)]
struct Watched {
    runs: Vec<Vec<Visits>>,
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

    /// The schedule against the constant steps between the two.
    fn against_between(&self, samples: usize) -> Result<Vec<Finding>, Failure> {
        let against = |(method, rate): (usize, f64)| -> Result<Finding, Failure> {
            let label = format!("error at the end, schedule minus a constant step of {rate}");
            Ok(lower(label, self.after([FALLING, method], samples)?))
        };
        BETWEEN.into_iter().map(against).collect()
    }

    /// Error averaged over all samples, method `a` minus method `b`.
    fn overall(&self, [a, b]: [usize; 2]) -> Result<Estimate, Failure> {
        let average = |method: usize| -> Vec<f64> {
            let runs = self.runs[method].iter();
            runs.map(|run| run.errors().iter().sum::<f64>() / run.steps.len() as f64).collect()
        };
        Ok(paired_difference(&average(a), &average(b))?)
    }

    /// Variance of the error over the second half of the samples, around a straight line.
    fn unrest(&self, method: usize) -> Vec<f64> {
        self.runs[method].iter().map(|run| around_line(&second_half(run))).collect()
    }

    /// Jumps of the error in the second half of the samples.
    fn jumps(&self, method: usize, by: f64) -> Vec<f64> {
        let count = |run: &Visits| second_half(run).windows(2).filter(|w| w[1] > w[0] + by).count() as f64;
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

fn lower(label: impl Into<String>, difference: Estimate) -> Finding {
    Finding::at_most(label, 0.0, difference).unit("runs")
}

/// Left panel: N = 10.
#[derive(Clone, Debug)]
pub struct Left {
    /// The descents.
    pub schedules: Schedules,
}

impl Default for Left {
    fn default() -> Left {
        Left { schedules: Schedules::of(10) }
    }
}

impl TypedCheck for Left {
    const CLAIM: &'static str = "heavy-tailed/fig-7-left";
    const PLAN: Plan = Plan::new(
        "error averaged over the samples and at the end; its variance and its jumps in the second half; paired by runs",
        "a big step that is worse overall or calmer; jumps of the small step in most runs; a schedule that ends above either step",
        &[MOSTLY],
    )
    .protocol(&["N = 10, M = 5, alpha = 1.5, d = 5, batch one, 300 samples; steps 10, 0.1, and 10 halved after every 50; constant steps 1 and 2 beside them"])
    .departures(&["the caption gives no parameters of StepLR; many runs in place of one", BOTH_INPUTS]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let s = &self.schedules;
        let watched = s.watch(setting)?;
        let jumps = |method: usize| watched.jumps(method, s.jump);
        let calm = jumps(SMALL_STEP).iter().filter(|jumps| **jumps == 0.0).count();
        let restless = paired_difference(&watched.unrest(BIG_STEP), &watched.unrest(SMALL_STEP))?;
        let evidence = Evidence::of(lower(
            "error at the end, schedule minus big step",
            watched.after([FALLING, BIG_STEP], s.samples)?,
        ))
        .and(lower("error at the end, schedule minus small step", watched.after([FALLING, SMALL_STEP], s.samples)?))
        .and(lower("error averaged over the samples, big minus small step", watched.overall([BIG_STEP, SMALL_STEP])?))
        .and(
            Finding::at_least("variance of the error in the second half, big minus small step", 0.0, restless)
                .unit("runs"),
        )
        .and(
            Finding::at_least(
                "small step: runs without a jump of the error in the second half",
                MOSTLY,
                proportion(calm, watched.runs[SMALL_STEP].len())?,
            )
            .unit("runs"),
        )
        .and(
            Finding::at_least(
                "jumps of the error in the second half, big minus small step",
                0.0,
                paired_difference(&jumps(BIG_STEP), &jumps(SMALL_STEP))?,
            )
            .unit("runs"),
        );
        let evidence = s.of_equation_1(setting)?.into_iter().fold(evidence, Evidence::and);
        let between = watched.against_between(s.samples)?;
        let evidence = between.into_iter().fold(evidence, Evidence::and).twin(lower(
            "halved after every 5 samples: error at the end, minus big step",
            watched.after([FROZEN, BIG_STEP], s.samples)?,
        ));
        Ok(Checked::from(evidence).figure(s.figure(&watched)?))
    }
}

/// Right panel: N = 30.
#[derive(Clone, Debug)]
pub struct Right {
    /// The descents.
    pub schedules: Schedules,
}

impl Default for Right {
    fn default() -> Right {
        Right { schedules: Schedules::of(30) }
    }
}

impl TypedCheck for Right {
    const CLAIM: &'static str = "heavy-tailed/fig-7-right";
    const PLAN: Plan = Plan::new(
        "error at the end of 300 samples, four schedules minus each fixed step; error averaged over the samples; paired by runs",
        "a schedule that ends above either fixed step; a big step that is worse overall than the small one",
        &[EXACT],
    )
    .protocol(&["as on the left with N = 30"])
    .departures(&[
        "the caption gives no parameters of StepLR: four of them; more than a hundred runs",
        BOTH_INPUTS,
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let s = &self.schedules;
        let watched = s.watch(setting)?;
        let mut unit = vec![
            lower("error averaged over the samples, big minus small step", watched.overall([BIG_STEP, SMALL_STEP])?),
            lower("×0.5 every 50 minus big step at the end", watched.after([FALLING, BIG_STEP], s.samples)?),
            lower("×0.5 every 50 minus small step at the end", watched.after([FALLING, SMALL_STEP], s.samples)?),
        ];
        for (k, (factor, every)) in s.drops.iter().enumerate().skip(1) {
            for (fixed, name) in [(BIG_STEP, "big"), (SMALL_STEP, "small")] {
                unit.push(lower(
                    format!("×{factor} every {every} minus {name} step at the end"),
                    watched.after([FALLING + k, fixed], s.samples)?,
                ));
            }
        }
        unit.extend(watched.against_between(s.samples)?);
        let [overall, schedules @ ..] = s.of_equation_1(setting)?;
        let (factor, every) = s.drops[0];
        let same = watched.after([FALLING, BIG_STEP], every)?;
        let evidence = schedules.into_iter().fold(Evidence::of(overall), Evidence::and);
        let evidence = evidence
            .condition(
                "for unit inputs: with those of Eq. 1 a step of 10 is five times as large and its error, averaged over the samples, is above that of the small step",
                unit,
            )
            .twin(lower(
                format!(
                    "a rate that rises by {} every {every}: minus big step at the end",
                    1.0 / factor
                ),
                watched.after([RISING, BIG_STEP], s.samples)?,
            ))
            .support(Finding::equals("before the first drop: schedule minus big step", 0.0, EXACT, same).unit("runs"));
        Ok(Checked::from(evidence).figure(s.figure(&watched)?))
    }
}
