//! Peak speed of this machine.

use std::hint::black_box;

use crate::subjects::{Outcome, median};

/// A loop that reads what Adam reads, gradient, two means and parameters, and writes what it writes, in its double precision.
pub fn pass(n: usize, seconds: f64) -> Outcome<f64> {
    let gradient = vec![1e-2; n];
    let (mut theta, mut mean, mut square) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    median(seconds, || {
        let means = mean.iter_mut().zip(&mut square);
        for ((x, g), (m, v)) in theta.iter_mut().zip(&gradient).zip(means) {
            *m += g;
            *v += g;
            *x -= g;
        }
        black_box((&mut theta, &mut mean, &mut square));
        Ok(())
    })
}

/// Most bytes that this process has had in memory, where the system tells.
pub fn most_resident() -> Outcome<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let text = line.ok_or("the system does not tell")?;
    Ok(1024.0 * text.trim().trim_end_matches("kB").trim().parse::<f64>()?)
}
