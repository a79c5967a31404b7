//! Figure 10: four MLPs trained by Mnemosyne and by others.
//!
//! **Claims**, panel by panel: `mnemosyne/fig-10-panel-1` one hidden layer of 20, sigmoid; `mnemosyne/fig-10-panel-2` two layers;
//! `mnemosyne/fig-10-panel-3` one layer of 40; `mnemosyne/fig-10-panel-4` ReLU. The text says what they show: Mnemosyne trains all four, and
//! faster than RMSprop and Adam with similar asymptotic performance, `mnemosyne/fig-10-faster`; it goes on for thousands of steps where the
//! LSTM optimizer struggles beyond a few hundred, `mnemosyne/fig-10-lstm`.
//!
//! The rates of RMSprop and Adam are not printed. They are run at PyTorch's defaults and at the best rate for the loss that is compared.
//! Curves are those of four finished optimizers; an interval spans all four. Against a panel: a loss that does not fall, or rivals that are
//! ahead. Steps are the document's axis; processor time is the other, in the figures.

use std::sync::Arc;

use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, paired_difference};
use workbench_ledger::{Checked, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_optimizer::score::Run;
use workbench_optimizer::tasks::FIGURE_10;

use super::section_b_1::{
    BANK, DATA, LIGHT, LOST, OPEN, RATE, RIVALS, Rival, SCALED, SIMILAR, TRAINED, TRAININGS, at_rate, best,
    by_training, by_training_times, curve, finished, log_loss, logs, lower, networks, over_tasks_and_draws,
    scaled_down, tuned, widest, widest_difference,
};
use crate::vocabulary::by_scale;

const WRITTEN: [Rival; 2] = [Rival::Adam, Rival::RmsProp];

/// Length and number of the runs.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// Steps; by scale if 0.
    pub steps: usize,
    /// Draws of start and batches; by scale if 0.
    pub seeds: u64,
}

impl Runs {
    fn sizes(&self, setting: &Setting) -> (usize, u64) {
        let seeds = if self.seeds == 0 { setting.scale().pick(5, 8) } else { self.seeds };
        (by_scale(self.steps, setting.scale().pick(200, 1000)), seeds)
    }

    fn of(&self, setting: &Setting, recipe: &str, task: &str) -> Result<Arc<Vec<Vec<Run>>>, Failure> {
        let (steps, seeds) = self.sizes(setting);
        finished(setting, recipe, task, steps, seeds)
    }

    /// Log loss after a step, Mnemosyne minus a rival at its default rate and at its best.
    fn ahead(&self, setting: &Setting, rival: Rival, task: &str, step: usize) -> Result<[Estimate; 2], Failure> {
        let (steps, seeds) = self.sizes(setting);
        let ours = self.of(setting, "default", task)?;
        let plain = at_rate(setting, (rival, rival.default_rate()), task, steps, seeds)?;
        let best = best(setting, rival, task, step, (steps, seeds))?;
        Ok([widest_difference(&ours, &plain, step)?, widest_difference(&ours, &best, step)?])
    }
}

/// Log losses of the trained optimizers after one step minus those after another.
fn change(trained: &[Vec<Run>], from: usize, to: usize) -> Result<Estimate, Failure> {
    let each = trained.iter().map(|runs| paired_difference(&logs(runs, to), &logs(runs, from)));
    widest(&each.collect::<Result<Vec<_>, _>>()?)
}

/// Log loss after a step, Mnemosyne minus the LSTM of the same training.
fn against_lstm(ours: &[Vec<Run>], lstm: &[Vec<Run>], step: usize) -> Result<Estimate, Failure> {
    let each = ours.iter().zip(lstm).map(|(a, b)| paired_difference(&logs(a, step), &logs(b, step)));
    widest(&each.collect::<Result<Vec<_>, _>>()?)
}

/// Both axes of one network.
fn figure(runs: &Runs, setting: &Setting, task: &str) -> Result<Figure, Failure> {
    let (steps, seeds) = runs.sizes(setting);
    let mut by_step = Panel::new("by steps").x_label("step").y_label("validation loss, nats").log_x().log_y();
    let mut by_time =
        Panel::new("by processor time").x_label("seconds on one core").y_label("validation loss, nats").log_x().log_y();
    let mut draw = |name: &str, runs: &[&Run]| {
        let (x, y) = curve(runs);
        let at = |k: usize| runs.iter().map(|run| run.seconds()[k]).sum::<f64>() / runs.len() as f64;
        let seconds: Vec<f64> = (1..x.len()).map(at).collect();
        let (step, time) =
            (by_step.clone().line(name, &x[1..], &y[1..]), by_time.clone().line(name, &seconds, &y[1..]));
        (by_step, by_time) = (step, time);
    };
    for (recipe, name) in [("default", "Mnemosyne"), ("default-lstm", "LSTM")] {
        let all = runs.of(setting, recipe, task)?;
        draw(name, &all.iter().flatten().collect::<Vec<_>>());
    }
    for rival in WRITTEN {
        let fast = best(setting, rival, task, TRAINED, (steps, seeds))?;
        draw(&format!("{}, best at step 100", rival.name()), &fast.iter().collect::<Vec<_>>());
        let plain = at_rate(setting, (rival, rival.default_rate()), task, steps, seeds)?;
        draw(&format!("{}, default", rival.name()), &plain.iter().collect::<Vec<_>>());
    }
    Ok(Figure::new(&format!("{task}: validation loss by steps and by time"))
        .panel(by_step)
        .panel(by_time)
        .columns(2)
        .caption("Geometric means: Mnemosyne and LSTM over four trainings each, all over the same draws of start and batches."))
}

fn panel(runs: &Runs, setting: &Setting, at: usize) -> Result<Checked, Failure> {
    let (task, (steps, _)) = (FIGURE_10[at], runs.sizes(setting));
    let (ours, lstm) = (runs.of(setting, "default", task)?, runs.of(setting, "default-lstm", task)?);
    let seeds = |label: String, estimate| lower(label, estimate, "draws");
    let mut findings = vec![
        seeds("log loss after 100 steps minus that at the start".into(), change(&ours, 0, TRAINED)?),
        seeds(format!("log loss after {steps} steps minus that after 100"), change(&ours, TRAINED, steps)?),
    ];
    for rival in WRITTEN {
        let [plain, best] = runs.ahead(setting, rival, task, TRAINED)?;
        let name = rival.name();
        findings.push(seeds(format!("after 100 steps: log loss minus that of {name} at its default rate"), plain));
        findings.push(seeds(format!("after 100 steps: log loss minus that of {name} at its best rate"), best));
    }
    findings.push(seeds(
        format!("after {steps} steps: log loss minus that of the LSTM"),
        against_lstm(&ours, &lstm, steps)?,
    ));
    let uphill = by_training_times(setting, "default", task, TRAINED, -1.0)?;
    let wrong = paired_difference(&logs(&uphill, TRAINED), &logs(&uphill, 0))?;
    let evidence = scaled_down(findings)?.twin(Finding::at_most(
        "gradients with the sign turned: log loss after 100 steps minus that at the start",
        0.0,
        wrong,
    ));
    Ok(Checked::from(evidence).figure(figure(runs, setting, task)?))
}

const PANEL: Plan = Plan::new(
    "log validation loss after 100 steps and at the end, on the same draws; differences from rivals, the interval spans four trainings",
    "a loss that does not fall or that rises again; rivals that are ahead",
    &[],
)
.protocol(&["four trainings of the cell of B.1, two of them at quick scale; 200 steps at quick scale, 1,000 at paper scale", DATA])
.departures(&[SCALED, RATE, OPEN, LOST, BANK, TRAININGS])
.rivals(&[RIVALS, "both at PyTorch's default rates as well", "an LSTM with as many weights, the same losses, batches and meta-steps"]);

/// One hidden layer of 20, sigmoid.
#[derive(Clone, Debug, Default)]
pub struct First {
    /// Length and number of the runs.
    pub runs: Runs,
}

impl TypedCheck for First {
    const CLAIM: &'static str = "mnemosyne/fig-10-panel-1";
    const PLAN: Plan = PANEL;

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        panel(&self.runs, setting, 0)
    }
}

/// Two hidden layers of 20, sigmoid.
#[derive(Clone, Debug, Default)]
pub struct Second {
    /// Length and number of the runs.
    pub runs: Runs,
}

impl TypedCheck for Second {
    const CLAIM: &'static str = "mnemosyne/fig-10-panel-2";
    const PLAN: Plan = PANEL;

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        panel(&self.runs, setting, 1)
    }
}

/// One hidden layer of 40, sigmoid.
#[derive(Clone, Debug, Default)]
pub struct Third {
    /// Length and number of the runs.
    pub runs: Runs,
}

impl TypedCheck for Third {
    const CLAIM: &'static str = "mnemosyne/fig-10-panel-3";
    const PLAN: Plan = PANEL;

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        panel(&self.runs, setting, 2)
    }
}

/// One hidden layer of 20, ReLU.
#[derive(Clone, Debug, Default)]
pub struct Fourth {
    /// Length and number of the runs.
    pub runs: Runs,
}

impl TypedCheck for Fourth {
    const CLAIM: &'static str = "mnemosyne/fig-10-panel-4";
    const PLAN: Plan = PANEL;

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        panel(&self.runs, setting, 3)
    }
}

/// Faster, and as good in the end.
#[derive(Clone, Debug, Default)]
pub struct Faster {
    /// Length and number of the runs.
    pub runs: Runs,
}

impl Faster {
    /// Mean over the four networks of log-loss differences at default and at best rates, intervals spanning the trainings.
    fn mean_ahead(&self, setting: &Setting, rival: Rival, step: usize) -> Result<[Estimate; 2], Failure> {
        let (steps, seeds) = self.runs.sizes(setting);
        let (mut plain, mut tuned): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        let add = |sums: &mut Vec<Vec<f64>>, ours: &[Vec<Run>], rival: &[Run]| {
            sums.resize(ours.len(), vec![0.0; rival.len()]);
            for (sums, runs) in sums.iter_mut().zip(ours) {
                let each = runs.iter().zip(rival).map(|(a, b)| log_loss(a, step) - log_loss(b, step));
                sums.iter_mut().zip(each).for_each(|(sum, d)| *sum += d / FIGURE_10.len() as f64);
            }
        };
        for task in FIGURE_10 {
            let ours = self.runs.of(setting, "default", task)?;
            add(&mut plain, &ours, &at_rate(setting, (rival, rival.default_rate()), task, steps, seeds)?);
            add(&mut tuned, &ours, &best(setting, rival, task, step, (steps, seeds))?);
        }
        let all = |sums: &[Vec<f64>]| -> Result<Estimate, Failure> {
            let each = sums.iter().map(|each| workbench_ground::stats::mean(each));
            widest(&each.collect::<Result<Vec<_>, _>>()?)
        };
        Ok([all(&plain)?, all(&tuned)?])
    }

    fn table(&self, setting: &Setting) -> Result<Table, Failure> {
        let (steps, _) = self.runs.sizes(setting);
        let (mut networks, mut rates): (Vec<String>, [Vec<f64>; 4]) = (Vec::new(), Default::default());
        let (mut early, mut late) = (Vec::new(), Vec::new());
        for task in FIGURE_10 {
            networks.push(task.into());
            let ours = self.runs.of(setting, "default", task)?;
            let all: Vec<&Run> = ours.iter().flatten().collect();
            let mean = |step| all.iter().map(|run| log_loss(run, step)).sum::<f64>() / all.len() as f64;
            early.push(mean(TRAINED).exp());
            late.push(mean(steps).exp());
            for (i, rival) in WRITTEN.into_iter().enumerate() {
                rates[2 * i].push(tuned(setting, rival, task, TRAINED)?.best);
                rates[2 * i + 1].push(tuned(setting, rival, task, steps)?.best);
            }
        }
        let [a, b, c, d] = rates;
        let frame = columns(vec![
            ("network", networks.into()),
            ("Mnemosyne, 100", early.into()),
            ("Mnemosyne, end", late.into()),
            ("Adam's rate, 100", a.into()),
            ("Adam's rate, end", b.into()),
            ("RMSprop's rate, 100", c.into()),
            ("RMSprop's rate, end", d.into()),
        ])?;
        Ok(Table::new(frame)
            .title(
                "Validation loss of Mnemosyne after 100 steps and at the end, and the best rates of its rivals there",
            )
            .digits(2))
    }
}

impl TypedCheck for Faster {
    const CLAIM: &'static str = "mnemosyne/fig-10-faster";
    const PLAN: Plan = Plan::new(
        "log validation loss, Mnemosyne minus a rival, mean of the four networks: after 100 steps (faster) and at the end (similar)",
        "rivals that are ahead after 100 steps, or more than a tenth apart at the end",
        &[SIMILAR],
    )
    .protocol(PANEL.protocol)
    .departures(PANEL.departures)
    .rivals(PANEL.rivals);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (steps, _) = self.runs.sizes(setting);
        let mut findings = Vec::new();
        for rival in WRITTEN {
            let name = rival.name();
            let [plain, best] = self.mean_ahead(setting, rival, TRAINED)?;
            findings.push(lower(
                format!("after 100 steps: log loss minus that of {name} at its default rate"),
                plain,
                "draws",
            ));
            findings.push(lower(
                format!("after 100 steps: log loss minus that of {name} at its best rate"),
                best,
                "draws",
            ));
        }
        for rival in WRITTEN {
            let [_, best] = self.mean_ahead(setting, rival, steps)?;
            let label = format!("after {steps} steps: log loss minus that of {} at its best rate", rival.name());
            findings.push(Finding::equals(label, 0.0, SIMILAR, best).unit("draws"));
        }
        let mut differences = Vec::new();
        for task in FIGURE_10 {
            let uphill = by_training_times(setting, "default", task, TRAINED, -1.0)?;
            let adam = at_rate(setting, (Rival::Adam, Rival::Adam.default_rate()), task, TRAINED, uphill.len() as u64)?;
            differences.push(paired_difference(&logs(&uphill, TRAINED), &logs(&adam, TRAINED))?);
        }
        let evidence = scaled_down(findings)?.twin(lower(
            "gradients with the sign turned, after 100 steps: log loss minus that of Adam at its default rate",
            widest(&differences)?,
            "draws",
        ));
        Ok(Checked::from(evidence).table(self.table(setting)?))
    }
}

/// Thousands of steps, and the LSTM.
#[derive(Clone, Debug, Default)]
pub struct LongHorizon {
    /// Steps; by scale if 0.
    pub steps: usize,
}

/// Steps after which the LSTM is said to struggle.
const FEW_HUNDRED: usize = 300;
/// Draws of start and batches for each training at paper scale.
const DRAWS: u64 = 4;
const ON_FOUR: &str = "each training on four draws at paper scale; with one draw, as at first, seeds differed in whether the first two findings were decided";

impl LongHorizon {
    fn figure(setting: &Setting, steps: usize) -> Result<Figure, Failure> {
        let mut figure = Figure::new("The light cell ends below the LSTM, far beyond its training")
            .columns(2)
            .caption("Geometric means over the trainings of each, the same losses, batches and meta-steps.");
        for task in [FIGURE_10[0], FIGURE_10[3]] {
            let mut panel = Panel::new(task).x_label("step").y_label("validation loss, nats").log_x().log_y();
            for (recipe, name) in [("light", "Mnemosyne, light"), ("lstm", "LSTM")] {
                let runs = by_training(setting, recipe, task, steps)?;
                let (x, y) = curve(&runs.iter().collect::<Vec<_>>());
                panel = panel.line(name, &x[1..], &y[1..]);
            }
            figure = figure.panel(panel.vline("a few hundred", FEW_HUNDRED as f64));
        }
        Ok(figure)
    }
}

impl TypedCheck for LongHorizon {
    const CLAIM: &'static str = "mnemosyne/fig-10-lstm";
    const PLAN: Plan = Plan::new(
        "log validation loss at the end minus that after 300 steps, mean of four networks; Mnemosyne minus LSTM at the end",
        "Mnemosyne's loss rises after 300 steps; the LSTM's falls by more than a tenth; the LSTM ends as low",
        &[SIMILAR],
    )
    .protocol(&["light cell and LSTM, twelve trainings each, pairs of the same seed; networks of Figure 10", DATA])
    .departures(&[SCALED, LIGHT, RATE, OPEN, LOST, BANK, TRAININGS, ON_FOUR, "400 steps at quick scale and 2,000 at paper scale"])
    .rivals(&["an LSTM of two layers with as many trained weights, the same losses, scaling, batches and meta-steps"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let steps = by_scale(self.steps, setting.scale().pick(FEW_HUNDRED + TRAINED, 2000));
        let runs = (steps, setting.scale().pick(1, DRAWS));
        let at = |recipe, step| over_tasks_and_draws(setting, recipe, networks(setting), runs, step);
        let further = |recipe| -> Result<Estimate, Failure> {
            Ok(paired_difference(&at(recipe, steps)?, &at(recipe, FEW_HUNDRED)?)?)
        };
        let ends = paired_difference(&at("light", steps)?, &at("lstm", steps)?)?;
        let falls = |label: &str, change| lower(label, change, "trainings");
        let reversed = paired_difference(&at("light", TRAINED)?, &at("lstm", steps)?)?;
        let evidence = scaled_down(vec![
            falls("Mnemosyne: log loss at the end minus that after 300 steps", further("light")?),
            Finding::at_least(
                "LSTM: log loss minus that after 300 steps, plus a tenth",
                0.0,
                further("lstm")?.affine(1.0, SIMILAR.value)?,
            )
            .unit("trainings"),
            falls("log loss at the end, Mnemosyne minus LSTM", ends),
        ])?
        .twin(falls("Mnemosyne after 100 steps for its end, minus the LSTM at its end", reversed));
        Ok(Checked::from(evidence).figure(LongHorizon::figure(setting, steps)?))
    }
}
