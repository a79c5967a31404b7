//! B.1: optimizers that somebody wrote, at their default rates and at their best.

use std::sync::Arc;

use workbench_ledger::{Failure, Setting};
use workbench_optimizer::classical::{Adam, AdamSettings, RmsProp, RmsPropSettings, Sgd, SgdSettings};
use workbench_optimizer::score::{Protocol, Run, Tuned, rates, tune};
use workbench_optimizer::task::Task;
use workbench_optimizer::{Error, Layout, Optimizer};

use super::optimizer_laboratory::{lab, layout, log_loss, protocol, runs};

/// What rivals are given.
pub const RIVALS: &str = "rates of Adam, RMSprop and SGD on a grid from 1e-3 to 1, chosen for each task on seeds of their own by the loss that is tested";

/// An optimizer that somebody wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rival {
    /// Adam.
    Adam,
    /// RMSprop.
    RmsProp,
    /// Gradient descent.
    Sgd,
}

impl Rival {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Rival::Adam => "Adam",
            Rival::RmsProp => "RMSprop",
            Rival::Sgd => "SGD",
        }
    }

    /// The rate that PyTorch gives it.
    pub fn default_rate(self) -> f64 {
        match self {
            Rival::Adam => AdamSettings::default().rate,
            Rival::RmsProp => RmsPropSettings::default().rate,
            Rival::Sgd => SgdSettings::default().rate,
        }
    }

    /// It, with this rate.
    ///
    /// **Errors**: a rate that is not positive.
    pub fn make(self, rate: f64, layout: Layout) -> Result<Box<dyn Optimizer>, Error> {
        Ok(match self {
            Rival::Adam => Box::new(Adam::new(layout, AdamSettings { rate, ..AdamSettings::default() })?),
            Rival::RmsProp => Box::new(RmsProp::new(layout, RmsPropSettings { rate, ..RmsPropSettings::default() })?),
            Rival::Sgd => Box::new(Sgd::new(layout, SgdSettings { rate, ..SgdSettings::default() })?),
        })
    }
}

/// Runs of a rival at one rate.
pub fn at_rate(
    setting: &Setting,
    (rival, rate): (Rival, f64),
    task: &str,
    steps: usize,
    seeds: u64,
) -> Result<Arc<Vec<Run>>, Failure> {
    let name = format!("{} at {rate:e} on {task}, {steps} steps, {seeds} seeds", rival.name());
    setting.shared(&name, |own| {
        let task = lab(own)?.suite.task(task)?;
        runs(own, &task, steps, seeds, |_| rival.make(rate, layout(&task)?))
    })
}

/// The rate on a grid whose loss after `step` is lowest on tuning seeds.
pub fn on_grid<T: Task>(
    setting: &Setting,
    rival: Rival,
    task: &T,
    step: usize,
    grid: &[f64],
) -> Result<Tuned, Failure> {
    let layout = layout(task)?;
    let make = |rate: f64| {
        let mut rule = rival.make(rate, layout.clone());
        move |_: usize, theta: &mut [f64], gradient: &[f64]| match &mut rule {
            Ok(rule) => rule.step(theta, gradient),
            Err(error) => Err(Error::refused("rival", error.to_string(), "choose another rate")),
        }
    };
    let (look, seeds) = (Protocol { every: step, ..protocol(step) }, setting.scale().pick(1, 3));
    Ok(tune(&[task], &look, setting.streams(), seeds, grid, make, |run: &Run| log_loss(run, step))?)
}

/// The same on the grid of all tasks of the suite.
pub fn tuned(setting: &Setting, rival: Rival, task: &str, step: usize) -> Result<Arc<Tuned>, Failure> {
    setting.shared(&format!("{} tuned on {task} for step {step}", rival.name()), |own| {
        let grid = rates(1e-3, 1.0, own.scale().pick(7, 13))?;
        on_grid(own, rival, &lab(own)?.suite.task(task)?, step, &grid)
    })
}

/// The runs of a rival whose rate is best for the loss after `step`.
pub fn best(
    setting: &Setting,
    rival: Rival,
    task: &str,
    step: usize,
    (steps, seeds): (usize, u64),
) -> Result<Arc<Vec<Run>>, Failure> {
    let rate = tuned(setting, rival, task, step)?.best;
    at_rate(setting, (rival, rate), task, steps, seeds)
}
