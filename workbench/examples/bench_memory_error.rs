//! Times the exact error of one memory, embeddings included; `benches/memory_error.py` runs it beside the straightforward NumPy program.
//!
//! `cargo run --offline --example bench_memory_error -- [N [M [d [repeats]]]]` prints the medians, one line for each precision,
//! as `name,N,M,d,repeats,median_seconds,error`.

use std::error::Error;
use std::time::Instant;
use workbench::memory::{EmbeddingField, Precision, Scheme, Target, Zipf};
use workbench::stats::Streams;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<usize>());
    let mut next = |default: usize| arguments.next().unwrap_or(Ok(default));
    let (n, m, d, repeats) = (next(1000)?, next(5)?, next(1024)?, next(51)?.max(1));
    let law = Zipf::new(2.0, n as u64)?;
    let (labels, p) = (Target::modulo(m)?.labels(n), law.probabilities(n));
    let weights = Scheme::power(1.0)?.population_weights(&law, d as u64)?;
    let streams = Streams::new(1);
    for (name, precision) in [("single", Precision::Single), ("double", Precision::Double)] {
        let (mut seconds, mut sum) = (Vec::new(), 0.0);
        for i in 0..repeats as u64 {
            // Every repeat draws new embeddings; both precisions see the same ones.
            let mut stream = streams.restart_replicate("memory", i)?;
            let started = Instant::now();
            let field = EmbeddingField::new(n, m, d, &mut stream)?;
            sum += field.generalization_error(&weights, &labels, &p, precision)?;
            seconds.push(started.elapsed().as_secs_f64());
        }
        seconds.sort_by(f64::total_cmp);
        println!(
            "{name},{n},{m},{d},{repeats},{:.6e},{:.12}",
            seconds[repeats / 2],
            sum / repeats as f64
        );
    }
    Ok(())
}
