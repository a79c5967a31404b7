//! Subjects of the benchmark: steps of cells, windows with their gradients, a roll-out, Adam.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use workbench::optimizer::bank::Recipe;
use workbench::optimizer::cell::{Cell, Form, Memory, Mnemosyne};
use workbench::optimizer::classical::{Adam, AdamSettings};
use workbench::optimizer::meta::{
    Derivative, MetaTrainer, Problem, Rollout, RolloutObjective, ScaledProblem, Training,
};
use workbench::optimizer::rivals::{Lstm, LstmForm};
use workbench::optimizer::tasks::Suite;
use workbench::optimizer::{Error as Refused, Layout, Learned, Optimizer, Precision, Split, Task, Tensor};
use workbench::stats::{Stream, Streams};

use crate::machine;

pub type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Steps whose updates are compared with another program's.
const COMPARED: usize = 8;
/// Steps of a window.
const WINDOW: usize = 5;
/// An MLP 49-20-10.
const TASK: &str = "mlp-20-sigmoid@mnist-7";

/// The median of the seconds that `run` takes, repeated for so many; the first time does not count.
pub fn median(seconds: f64, mut run: impl FnMut() -> Outcome<()>) -> Outcome<f64> {
    run()?;
    let (begun, mut times) = (Instant::now(), Vec::new());
    while times.is_empty() || begun.elapsed().as_secs_f64() < seconds {
        let started = Instant::now();
        run()?;
        times.push(started.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

fn layout(n: usize) -> Result<Layout, Refused> {
    Layout::of(&[("x", &[n])])
}

/// Numbers that single precision has too.
fn rounded(values: impl Iterator<Item = f64>) -> Vec<f64> {
    values.map(|value| f64::from(value as f32)).collect()
}

/// A bowl with curvature 1, which costs nothing beside the cell.
#[derive(Debug)]
struct Bowl(Vec<Tensor>);

impl Task for Bowl {
    type Batch = ();

    fn tensors(&self) -> &[Tensor] {
        &self.0
    }
    fn start(&self, stream: &mut Stream) -> Vec<f64> {
        rounded((0..self.len()).map(|_| stream.normal()))
    }
    fn batch(&self, _: Split, _: &mut Stream) {}
    fn gradient(&self, theta: &[f64], _: &(), gradient: &mut [f64]) -> Result<f64, Refused> {
        gradient.copy_from_slice(theta);
        Ok(0.5 * theta.iter().map(|x| x * x).sum::<f64>())
    }
    fn hessian_product(&self, _: &[f64], _: &(), direction: &[f64], product: &mut [f64]) -> Result<(), Refused> {
        product.copy_from_slice(direction);
        Ok(())
    }
}

/// The cells with their weights. No weight is at a value that would hide it, as a bias of zero would.
pub struct Subjects {
    streams: Streams,
    default: (Mnemosyne, Vec<f64>),
    light: (Mnemosyne, Vec<f64>),
    lstm: (Lstm, Vec<f64>),
}

impl Subjects {
    pub fn new() -> Outcome<Subjects> {
        let streams = Streams::new(1);
        let default = Mnemosyne::new(Form::default())?;
        let light = Mnemosyne::new(Form::light())?;
        let lstm = Lstm::new(LstmForm::default().matching(default.trained()))?;
        Ok(Subjects {
            default: (default.clone(), shifted(&default, &mut streams.stream("default")?)?),
            light: (light.clone(), shifted(&light, &mut streams.stream("light")?)?),
            lstm: (lstm.clone(), shifted(&lstm, &mut streams.stream("lstm")?)?),
            streams,
        })
    }

    fn memory_cell(&self, name: &str) -> Outcome<&(Mnemosyne, Vec<f64>)> {
        match name {
            "default" => Ok(&self.default),
            "light" => Ok(&self.light),
            _ => Err(format!("no cell {name}").into()),
        }
    }

    pub fn weights(&self, name: &str) -> Outcome<(&Layout, &[f64])> {
        if name == "lstm" {
            return Ok((self.lstm.0.weights(), &self.lstm.1));
        }
        let (cell, weights) = self.memory_cell(name)?;
        Ok((cell.weights(), weights))
    }

    fn optimizer(&self, name: &str, precision: Precision, n: usize) -> Outcome<Box<dyn Optimizer>> {
        if name == "lstm" {
            return optimizer(&self.lstm, precision, n);
        }
        optimizer(self.memory_cell(name)?, precision, n)
    }

    /// Gradients of some steps, from far below the least that the preprocessing tells apart up to large ones.
    pub fn gradients(&self, n: usize) -> Outcome<Vec<Vec<f64>>> {
        let mut noise = self.streams.restart("gradients")?;
        let size = |i: usize| (f64::from(i as u32 % 14) - 12.0).exp();
        let mut step = || rounded((0..n).map(|i| noise.normal() * size(i)));
        Ok((0..COMPARED).map(|_| step()).collect())
    }

    /// The updates for these gradients, step by step.
    pub fn updates(&self, name: &str, gradients: &[Vec<f64>]) -> Outcome<Vec<f64>> {
        let n = gradients.first().map_or(0, Vec::len);
        let mut optimizer = self.optimizer(name, Precision::Single, n)?;
        let mut all = Vec::new();
        for gradient in gradients {
            let mut update = vec![0.0; n];
            optimizer.step(&mut update, gradient)?;
            all.extend(update);
        }
        Ok(all)
    }

    pub fn step(&self, name: &str, precision: Precision, n: usize, seconds: f64) -> Outcome<f64> {
        let mut optimizer = self.optimizer(name, precision, n)?;
        let (gradient, mut theta) = (self.gradients(n)?.swap_remove(0), vec![0.0; n]);
        median(seconds, || Ok(optimizer.step(&mut theta, &gradient)?))
    }

    /// Where windows start.
    pub fn start(&self, n: usize) -> Outcome<Vec<f64>> {
        Ok(Bowl(layout(n)?.tensors().to_vec()).start(&mut self.streams.restart("start")?))
    }

    fn each_window(
        &self,
        n: usize,
        run: impl FnOnce(&mut dyn FnMut() -> Outcome<Vec<f64>>) -> Outcome<f64>,
    ) -> Outcome<f64> {
        let (layout, (cell, weights)) = (layout(n)?, &self.default);
        let bowl = Bowl(layout.tensors().to_vec());
        let objective =
            RolloutObjective { derivative: Derivative::Exact, imitation: 100.0, ..RolloutObjective::default() };
        let (start, mut batches) = (self.start(n)?, self.streams.restart("batches")?);
        let mut rollout = Rollout::new(cell, weights, &layout, start, objective.expert, Precision::Single)?;
        let setting = ScaledProblem::plain(&bowl);
        run(&mut || {
            let outcome = rollout.window(&setting, &objective, WINDOW, true, &mut batches)?;
            Ok([vec![outcome.loss], outcome.gradient].concat())
        })
    }

    /// Loss and gradient of the first windows.
    pub fn windows(&self, n: usize, count: usize) -> Outcome<Vec<f64>> {
        let mut all = Vec::new();
        self.each_window(n, |window| {
            for _ in 0..count {
                all.extend(window()?);
            }
            Ok(0.0)
        })?;
        Ok(all)
    }

    pub fn meta(&self, n: usize, seconds: f64) -> Outcome<f64> {
        self.each_window(n, |window| median(seconds, || window().map(|_| ())))
    }

    /// A roll-out as the kept optimizers are trained, but with exact derivatives, which take longer.
    pub fn rollout(&self, datasets: &Path) -> Outcome<f64> {
        let training = Recipe::named("default")?.training;
        let objective = RolloutObjective { derivative: Derivative::Exact, ..training.objective };
        let training = Training { objective, ..training };
        let task = Suite::new(datasets).task(TASK)?;
        let problems: Vec<&dyn Problem> = vec![&task];
        let mut trainer = MetaTrainer::new(self.default.0.clone(), problems, training)?;
        let windows = training.rollout.div_ceil(training.window);
        median(0.0, || {
            for _ in 0..windows {
                trainer.step()?;
            }
            Ok(())
        })
    }

    /// Multiplications with an addition that a step of one coordinate cannot do without; roots, quotients and exponentials come on top.
    pub fn multiply_adds(&self, name: &str) -> Outcome<f64> {
        if name == "lstm" {
            return Ok(self.lstm.0.trained() as f64);
        }
        let form = self.memory_cell(name)?.0.form();
        let Memory::Compact { features, map, .. } = form.memory else {
            return Err("the cell has no compact memory".into());
        };
        let (d, inner, inputs) = (form.hidden, form.feed_forward, form.preprocess.inputs());
        let products = 4 * d * d + 2 * d * inner + 2 * map.projections(features)? * d;
        // The sums are multiplied, added to, and read.
        let memory = 3 * features * (d + 1);
        Ok((form.encoders * (products + memory) + d * inputs + d) as f64)
    }

    pub fn memory(&self, n: usize) -> Outcome<f64> {
        let mut optimizer = optimizer(&self.default, Precision::Single, n)?;
        let (gradient, mut theta) = (vec![1e-2; n], vec![0.0; n]);
        for _ in 0..2 {
            optimizer.step(&mut theta, &gradient)?;
        }
        machine::most_resident()
    }
}

fn shifted<C: Cell>(cell: &C, stream: &mut Stream) -> Outcome<Vec<f64>> {
    let mut weights = cell.start(stream)?;
    for weight in &mut weights[..cell.trained()] {
        *weight += 0.1 * stream.normal();
    }
    Ok(rounded(weights.into_iter()))
}

fn optimizer<C: Cell>((cell, weights): &(C, Vec<f64>), precision: Precision, n: usize) -> Outcome<Box<dyn Optimizer>> {
    let of = match precision {
        Precision::Double => Learned::plain,
        Precision::Single => Learned::fused,
    };
    Ok(Box::new(of(cell.clone(), weights.clone(), layout(n)?)?))
}

pub fn adam(n: usize, seconds: f64) -> Outcome<f64> {
    let mut adam = Adam::new(layout(n)?, AdamSettings::default())?;
    let (gradient, mut theta) = (vec![1e-2; n], vec![0.0; n]);
    median(seconds, || Ok(adam.step(&mut theta, &gradient)?))
}
