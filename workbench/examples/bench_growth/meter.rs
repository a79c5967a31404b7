//! Time and memory of a computation.

use std::hint::black_box;

use workbench::optimizer::score::cpu_seconds;

use crate::Outcome;

/// Repetitions of a computation stop when they have taken so long together, and there were enough.
const SECONDS: f64 = 0.25;
/// Fewest repetitions of a computation that is over before [`SECONDS`].
const LEAST: usize = 3;
/// A first repetition that takes longer is the only one; one that is shorter has met memory that no one had touched, and counts for nothing.
const LONG: f64 = 4.0;
/// A repetition takes so long: shorter computations are done several times in it.
const REPETITION: f64 = 0.02;

/// Products of the loop that the processor's pace is read off: about a millisecond.
const PACE: u64 = 1_000_000;

/// Measures what is run with it. Processors change their pace within seconds, by half where others share them, so a computation is counted
/// in units of a loop of a fixed number of products, run just before and just after it.
pub struct Meter {
    before: f64,
    least: Option<f64>,
    pace: f64,
    peak: f64,
    once: bool,
}

impl Meter {
    /// From here on memory counts.
    pub fn started() -> Outcome<Meter> {
        // What the start of the process had for a moment is forgotten, where the system can.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        Ok(Meter { before: status("VmRSS:")?, once: false, ..Meter::once() })
    }

    /// Runs a computation once, and measures nothing of use.
    pub fn once() -> Meter {
        Meter { before: 0.0, least: None, pace: f64::INFINITY, peak: 0.0, once: true }
    }

    /// Runs the computation until its time is known.
    pub fn run<T>(&mut self, mut computation: impl FnMut() -> Outcome<T>) -> Outcome<()> {
        let (mut all, mut each, mut paced) = (0.0, 1, pace());
        for repetition in 0.. {
            let begun = cpu_seconds();
            for _ in 0..each {
                black_box(computation()?);
            }
            let seconds = cpu_seconds() - begun;
            all += seconds;
            if repetition == 0 {
                // The first has met cold caches, and the memory of one is all of it.
                self.peak = status("VmHWM:")?;
                each = (REPETITION / seconds.max(1e-9)).ceil().clamp(1.0, 1e6) as usize;
            }
            if repetition > 0 || seconds > LONG {
                let before = std::mem::replace(&mut paced, pace());
                let one = seconds / if repetition == 0 { 1.0 } else { each as f64 } / (0.5 * (before + paced));
                self.least = Some(self.least.map_or(one, |least| least.min(one)));
                self.pace = self.pace.min(paced);
            }
            let enough = repetition >= LEAST || repetition > 0 && all >= 4.0 * SECONDS || all > LONG;
            if self.once || all >= SECONDS && enough {
                break;
            }
        }
        Ok(())
    }

    /// One computation in units of the loop, the least seconds of the loop, and bytes at most.
    pub fn measured(self) -> Outcome<[f64; 3]> {
        Ok([self.least.ok_or("nothing was measured")?, self.pace, (self.peak - self.before).max(0.0)])
    }
}

/// Seconds of the loop, now.
fn pace() -> f64 {
    let begun = cpu_seconds();
    black_box((0..black_box(PACE)).fold(1u64, |x, n| black_box(x).wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(n)));
    cpu_seconds() - begun
}

/// A number of bytes that the system tells of this process.
pub fn status(name: &str) -> Outcome<f64> {
    let text = std::fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)).ok_or("the system does not tell its memory")?;
    Ok(1024.0 * line.trim().trim_end_matches("kB").trim().parse::<f64>()?)
}
