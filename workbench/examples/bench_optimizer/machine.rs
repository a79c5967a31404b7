//! What this machine can do at most.

use std::hint::black_box;
use std::time::Instant;

use workbench_ground::lanes::{Lanes, PortableSingle};
#[cfg(target_arch = "x86_64")]
use workbench_ground::lanes::{S8, S16};

use crate::subjects::{Outcome, median};

/// Sums that are added to in turn: more than an addition takes cycles, times the units that do it.
const SUMS: usize = 12;
const ROUNDS: usize = 20_000;

/// Fused multiply-adds of single numbers a second, all threads together, in the widest registers.
pub fn peak(seconds: f64) -> f64 {
    rayon::broadcast(|_| {
        #[cfg(target_arch = "x86_64")]
        {
            if S16::available() {
                return rate::<S16>(seconds);
            }
            if S8::available() {
                return rate::<S8>(seconds);
            }
        }
        rate::<PortableSingle>(seconds)
    })
    .iter()
    .sum()
}

fn rate<V: Lanes<Scalar = f32>>(seconds: f64) -> f64 {
    V::vectorize(
        #[inline(always)]
        || {
            let (half, one) = (V::splat(black_box(0.5)), V::splat(black_box(1.0)));
            // Sums that were the same would be calculated once.
            let (mut sums, mut best) = ([one; SUMS], f64::INFINITY);
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = V::splat(black_box(i as f32));
            }
            let begun = Instant::now();
            while begun.elapsed().as_secs_f64() < seconds {
                let started = Instant::now();
                for _ in 0..ROUNDS {
                    for sum in &mut sums {
                        *sum = one.plus(half, *sum);
                    }
                }
                best = best.min(started.elapsed().as_secs_f64());
            }
            for sum in sums {
                black_box(sum.total());
            }
            (SUMS * ROUNDS * V::N) as f64 / best
        },
    )
}

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
