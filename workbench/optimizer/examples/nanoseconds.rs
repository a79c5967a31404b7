//! Nanoseconds of a step, and of a step of a meta-training window, for each coordinate, on one thread: `cargo run -p workbench-optimizer --example nanoseconds`.

use std::time::Instant;

use workbench_ground::stats::{Stream, Streams};
use workbench_optimizer::cell::{Cell, Form, Mnemosyne};
use workbench_optimizer::classical::{Adam, AdamSettings};
use workbench_optimizer::meta::{Derivative, Objective, Precision, Rollout, Setting};
use workbench_optimizer::rivals::{Lstm, LstmForm};
use workbench_optimizer::{Error, Layout, Learned, Optimizer, Split, Task, Tensor};

/// A bowl with curvature 1, which costs nothing beside the cell.
#[derive(Debug)]
struct Bowl(Vec<Tensor>);

impl Task for Bowl {
    type Batch = ();

    fn tensors(&self) -> &[Tensor] {
        &self.0
    }
    fn start(&self, stream: &mut Stream) -> Vec<f64> {
        (0..self.len()).map(|_| stream.normal()).collect()
    }
    fn batch(&self, _: Split, _: &mut Stream) {}
    fn gradient(&self, theta: &[f64], _: &(), gradient: &mut [f64]) -> Result<f64, Error> {
        gradient.copy_from_slice(theta);
        Ok(0.5 * theta.iter().map(|x| x * x).sum::<f64>())
    }
    fn hessian_product(&self, _: &[f64], _: &(), direction: &[f64], product: &mut [f64]) -> Result<(), Error> {
        product.copy_from_slice(direction);
        Ok(())
    }
}

/// A step of a window of five with its adjoint.
fn meta_nanoseconds<C: Cell>(cell: &C, weights: &[f64], n: usize, precision: Precision) -> Result<f64, Error> {
    let layout = Layout::of(&[("x", &[n])])?;
    let bowl = Bowl(layout.tensors().to_vec());
    let objective = Objective {
        derivative: Derivative::Exact,
        imitation: 100.0,
        ..Objective::default()
    };
    let mut stream = Streams::new(1).stream("batches")?;
    let theta = bowl.start(&mut stream);
    let mut rollout = Rollout::new(cell, weights, &layout, theta, objective.expert, precision)?;
    let mut best = f64::INFINITY;
    for _ in 0..(60_000 / n).max(3) {
        let start = Instant::now();
        rollout.window(&Setting::plain(&bowl), &objective, 5, true, &mut stream)?;
        best = best.min(start.elapsed().as_secs_f64() / (5 * n) as f64);
    }
    Ok(1e9 * best)
}

fn nanoseconds(optimizer: &mut dyn Optimizer, n: usize) -> Result<f64, Error> {
    let gradient: Vec<f64> = (0..n).map(|i| (i as f64 * 0.37).sin() * 1e-2).collect();
    let mut theta = vec![0.0; n];
    // Trials of a few milliseconds, so that some of them run undisturbed on a machine in use.
    let trial = |steps: usize, theta: &mut [f64], optimizer: &mut dyn Optimizer| -> Result<f64, Error> {
        let start = Instant::now();
        for _ in 0..steps {
            optimizer.step(theta, &gradient)?;
        }
        Ok(start.elapsed().as_secs_f64() / (steps * n) as f64)
    };
    let first = trial(1, &mut theta, optimizer)?;
    let steps = ((2e-3 / (first * n as f64)) as usize).max(1);
    let mut best = f64::INFINITY;
    for _ in 0..200.min((2.0 / (first * (n * steps) as f64)) as usize + 3) {
        best = best.min(trial(steps, &mut theta, optimizer)?);
    }
    Ok(1e9 * best)
}

fn run() -> Result<(), Error> {
    let streams = Streams::new(1);
    for (name, form) in [("default", Form::default()), ("light", Form::light())] {
        let cell = Mnemosyne::new(form)?;
        let weights = cell.start(&mut streams.stream(name)?)?;
        for n in [256, 1_210, 15_910] {
            let layout = Layout::of(&[("x", &[n])])?;
            let mut plain = Learned::plain(cell.clone(), weights.clone(), layout.clone())?;
            let mut fused = Learned::fused(cell.clone(), weights.clone(), layout)?;
            let (plain, fused) = (nanoseconds(&mut plain, n)?, nanoseconds(&mut fused, n)?);
            println!("{name:8} {n:6} coordinates: plain {plain:7.0} ns, fused {fused:6.1} ns");
            let double = meta_nanoseconds(&cell, &weights, n, Precision::Double)?;
            let single = meta_nanoseconds(&cell, &weights, n, Precision::Single)?;
            println!("{name:8} {n:6} window of 5: plain {double:7.0} ns, fused {single:6.1} ns");
        }
    }
    let lstm = Lstm::new(LstmForm::default().matching(4385))?;
    let weights = lstm.start(&mut streams.stream("lstm")?)?;
    let layout = Layout::of(&[("x", &[1_210])])?;
    let (mut plain, mut fused) = (
        Learned::plain(lstm.clone(), weights.clone(), layout.clone())?,
        Learned::fused(lstm.clone(), weights.clone(), layout)?,
    );
    let (plain, fused) = (nanoseconds(&mut plain, 1_210)?, nanoseconds(&mut fused, 1_210)?);
    println!("lstm       1210 coordinates: plain {plain:7.0} ns, fused {fused:6.1} ns");
    let n = 1_000_000;
    let mut adam = Adam::new(Layout::of(&[("x", &[n])])?, AdamSettings::default())?;
    println!("adam {n} coordinates: {:.2} ns", nanoseconds(&mut adam, n)?);
    Ok(())
}

fn main() -> Result<(), Error> {
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(run),
        Err(_) => run(),
    }
}
