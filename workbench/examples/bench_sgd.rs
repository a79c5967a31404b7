//! Times stochastic gradient descent with batch one, so that another program can be timed in turn.
//!
//! ```console
//! $ cargo run --example bench_sgd               # median of 9 times 100 runs of 10,000 steps
//! $ cargo workbench bench sgd                   # in turn with PyTorch
//! ```
//!
//! N = 100, M = 5, d = 100, Zipf law with alpha = 2, rate 1: draws of embeddings and data, all steps and the final errors count. With
//! `--serve` it answers each line of standard input: `runs R STEPS` with the seconds of R runs, `error` with their mean final error,
//! `floor SECONDS` with the seconds that the M (N + M) multiply-adds of a step would take in double precision at the processor's peak.

use std::error::Error;
use std::io::{BufRead, Write};
use std::time::Instant;
use workbench::memory::{Method, Target, TrainingStudy, Zipf};
use workbench::stats::Streams;
use workbench_ground::lanes::multiply_adds_a_second;

fn seconds(runs: usize, steps: usize) -> Result<(f64, f64), Box<dyn Error>> {
    let study = TrainingStudy::new(Zipf::new(2.0, 100)?, Target::modulo(5)?)
        .methods(vec![Method::sgd(1.0)?.steps(steps).without_moments()])
        .dims(vec![100])
        .runs(runs);
    let started = Instant::now();
    let result = study.run(&Streams::new(1), "bench")?;
    let seconds = started.elapsed().as_secs_f64();
    let errors = result.final_errors("Sgd", 100)?;
    Ok((seconds, errors.iter().sum::<f64>() / errors.len() as f64))
}

/// A step moves M N scores by one number times another each and goes through the M by M Gram matrix; double precision is half as fast as
/// single.
fn floor(seconds: f64) -> f64 {
    2.0 * 5.0 * (100.0 + 5.0) / multiply_adds_a_second(seconds)
}

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().any(|argument| argument == "--serve") {
        println!("ready");
        let mut error = f64::NAN;
        for line in std::io::stdin().lock().lines() {
            let line = line?;
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                ["runs", runs, steps] => {
                    let (time, mean) = seconds(runs.parse()?, steps.parse()?)?;
                    error = mean;
                    println!("{time}");
                }
                ["floor", seconds] => println!("{}", floor(seconds.parse()?)),
                _ => println!("{error}"),
            }
            std::io::stdout().flush()?;
        }
        return Ok(());
    }
    let mut times = Vec::new();
    for _ in 0..9 {
        times.push(seconds(100, 10_000)?.0);
    }
    times.sort_by(f64::total_cmp);
    println!("100 runs of 10,000 steps: {:.3} s, {:.1} ns a step", times[4], 1e9 * times[4] / 1e6);
    Ok(())
}
