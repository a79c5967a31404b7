//! Times the exact error of one memory, embeddings included, one run per request, so that another program can be timed in turn.
//!
//! ```console
//! $ cargo run --example bench_memory_error -- 1000000 5 1024     # N M d: one run in each precision
//! $ cargo workbench bench memory                                 # in turn with NumPy
//! ```
//!
//! With `--serve` after the sizes it answers each line of standard input: `single` or `double` with the seconds of one run,
//! `error single` or `error double` with the mean error of that precision's runs, `floor SECONDS` with the seconds that the
//! multiply-adds of a run, sums of N embeddings and M scores of each, would take in single precision at the processor's peak. Both
//! precisions see the same embeddings.

use std::error::Error;
use std::io::BufRead;
use std::time::Instant;

use workbench::memory::{EmbeddingField, Precision, Scheme, Target, Zipf};
use workbench::stats::Streams;
use workbench_ground::lanes::multiply_adds_a_second;

struct Bench {
    sizes: (usize, usize, usize),
    labels: Vec<usize>,
    p: Vec<f64>,
    weights: Vec<f64>,
    streams: Streams,
    /// Errors of the runs in single and in double precision.
    errors: [Vec<f64>; 2],
}

impl Bench {
    fn new(n: usize, m: usize, d: usize) -> Result<Bench, Box<dyn Error>> {
        let law = Zipf::new(2.0, n)?;
        Ok(Bench {
            sizes: (n, m, d),
            labels: Target::modulo(m)?.labels(n),
            p: law.probabilities(n),
            weights: Scheme::power(1.0)?.population_weights(&law, d)?,
            streams: Streams::new(1),
            errors: [Vec::new(), Vec::new()],
        })
    }

    fn slot(name: &str) -> Result<(usize, Precision), Box<dyn Error>> {
        match name {
            "single" => Ok((0, Precision::Single)),
            "double" => Ok((1, Precision::Double)),
            _ => Err(format!("unknown precision {name:?}; use single or double").into()),
        }
    }

    fn seconds(&mut self, name: &str) -> Result<f64, Box<dyn Error>> {
        let (slot, precision) = Bench::slot(name)?;
        let (n, m, d) = self.sizes;
        // Every run draws new embeddings.
        let run = self.errors[slot].len();
        let mut stream = self.streams.restart_replicate("memory", run)?;
        let started = Instant::now();
        let field = EmbeddingField::new(n, m, d, &mut stream)?;
        let error = field.generalization_error(&self.weights, &self.labels, &self.p, precision)?;
        let seconds = started.elapsed().as_secs_f64();
        self.errors[slot].push(error);
        Ok(seconds)
    }

    /// Seconds that the multiply-adds alone would take, all threads at once.
    fn floor(&self, seconds: f64) -> f64 {
        let (n, m, d) = self.sizes;
        (n * d * (1 + m)) as f64 / multiply_adds_a_second(seconds)
    }

    fn mean_error(&self, name: &str) -> Result<f64, Box<dyn Error>> {
        let errors = &self.errors[Bench::slot(name)?.0];
        Ok(errors.iter().sum::<f64>() / errors.len() as f64)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (sizes, rest) = arguments.split_at(arguments.len().min(3));
    let sizes: Vec<usize> = sizes.iter().map(|a| a.parse()).collect::<Result<_, _>>()?;
    let size = |at: usize, default: usize| sizes.get(at).copied().unwrap_or(default);
    let mut bench = Bench::new(size(0, 1000), size(1, 5), size(2, 1024))?;
    if rest.first().is_none_or(|a| a != "--serve") {
        for name in ["single", "double"] {
            let seconds = bench.seconds(name)?;
            println!("{name}: {seconds:.4} s, error {:.12}", bench.mean_error(name)?);
        }
        return Ok(());
    }
    println!("ready");
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["error", name] => println!("{}", bench.mean_error(name)?),
            ["floor", seconds] => println!("{}", bench.floor(seconds.parse()?)),
            _ => println!("{}", bench.seconds(line.trim())?),
        }
    }
    Ok(())
}
