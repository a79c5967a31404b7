//! Nanoseconds of a step for each coordinate, on one thread: `cargo run -p workbench-optimizer --example nanoseconds`.

use std::time::Instant;

use workbench_ground::stats::Streams;
use workbench_optimizer::cell::{Cell, Form, Mnemosyne};
use workbench_optimizer::classical::{Adam, AdamSettings};
use workbench_optimizer::{Error, Layout, Learned, Optimizer};

fn nanoseconds(optimizer: &mut dyn Optimizer, n: usize) -> Result<f64, Error> {
    let gradient: Vec<f64> = (0..n).map(|i| (i as f64 * 0.37).sin() * 1e-2).collect();
    let mut theta = vec![0.0; n];
    let steps = (4_000_000 / n / 10).max(3);
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        for _ in 0..steps {
            optimizer.step(&mut theta, &gradient)?;
        }
        best = best.min(start.elapsed().as_secs_f64() / (steps * n) as f64);
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
        }
    }
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
