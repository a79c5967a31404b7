//! Absorbs patterns into a thickened memory and prints time and size.
//!
//! ```console
//! $ cargo run --example bench_thick_memory -- 1000000      # patterns; 64 dimensions, 16 values of rho, r = 64
//! ```

use std::error::Error;
use std::time::Instant;

use workbench::features::{Draws, ThickMemory, rho_grid};
use workbench::stats::{Streams, normal_array2};

const DIM: usize = 64;
const VALUE_DIM: usize = 64;
const FEATURES: usize = 64;
const RHOS: usize = 16;
/// Patterns per call, as a program that reads a stream would give them.
const BATCH: usize = 10_000;

/// Resident memory in MiB, where the system tells.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|text| text.trim().trim_end_matches("kB").trim().parse::<f64>().ok()).unwrap_or(f64::NAN) / 1024.0
}

fn main() -> Result<(), Box<dyn Error>> {
    let patterns: usize = std::env::args().nth(1).map_or(Ok(1_000_000), |text| text.parse())?;
    let streams = Streams::new(1);
    let draws = Draws::block_orthogonal(FEATURES, DIM, &mut streams.stream("projections")?)?;
    let mut memory = ThickMemory::new(&draws, &rho_grid(RHOS)?, VALUE_DIM)?;
    let keys = normal_array2(&mut streams.stream("keys")?, BATCH, DIM) / (DIM as f64).powf(0.25);
    let values = normal_array2(&mut streams.stream("values")?, BATCH, VALUE_DIM);
    memory.absorb_rows(&keys, &values)?;
    let before = resident();
    let started = Instant::now();
    for _ in 0..patterns.div_ceil(BATCH) {
        memory.absorb_rows(&keys, &values)?;
    }
    let seconds = started.elapsed().as_secs_f64();
    let absorbed = patterns.div_ceil(BATCH) * BATCH;
    println!(
        "{absorbed} patterns of {DIM} entries, values of {VALUE_DIM}, {RHOS} rho, r = {FEATURES}: {seconds:.1} s, {:.0} per second",
        absorbed as f64 / seconds
    );
    println!("state: {} numbers; resident {before:.1} MiB before, {:.1} MiB after", memory.state_len(), resident());
    Ok(())
}
