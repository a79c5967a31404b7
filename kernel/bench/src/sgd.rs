//! `cargo workbench bench sgd`: stochastic gradient descent with batch one in this crate and in PyTorch, in turn.

use std::process::Command;

use workbench_base::error::Result;
use workbench_base::progress::{self, table};
use workbench_setup::paths::build_folder;

use super::args::{BenchSgdArgs, at_least_one};
use super::duel::Contestant;
use super::machine;
use super::measure::quantile;

/// Least speed relative to PyTorch.
const SPEED_LIMIT: f64 = 500.0;
/// The whole task on our side; the loop there is cut short, since its steps all cost the same.
const RUNS: u64 = 100;
const STEPS: u64 = 10_000;
const LOOP_STEPS: u64 = 4000;
/// Runs before the first that counts.
const WARM_UP: usize = 1;

/// Runs the benchmark; returns the exit status.
pub fn command(args: &BenchSgdArgs) -> Result<i32> {
    at_least_one(&[("--repeats", args.repeats), ("--cores", args.cores)])?;
    let ready = workbench_setup::for_notebooks()?;
    machine::build(&ready, "bench_sgd")?;
    let venv = machine::torch(&ready)?;
    machine::warn_if_busy();

    let cores = args.cores.to_string();
    let mut ours = Command::new(build_folder()?.join("examples/bench_sgd"));
    ours.arg("--serve").env("RAYON_NUM_THREADS", &cores);
    ours.envs(ready.environment.iter().cloned());
    let (mut ours, _) = Contestant::start("workbench", &mut ours)?;
    let mut torch = Command::new(venv.join("bin/python"));
    torch.arg(ready.workspace.root().join("workbench/benches/sgd_loop.py"));
    torch.arg(&cores);
    let (mut torch, version) = Contestant::start("PyTorch", &mut torch)?;
    progress::step(&format!("{} runs each in turn, {cores} cores, PyTorch {version}", args.repeats));

    let mut pairs = Vec::new();
    for run in 0..WARM_UP + args.repeats {
        let our_step = ours.seconds(&format!("runs {RUNS} {STEPS}"))? / (RUNS * STEPS) as f64;
        let steps = LOOP_STEPS * args.cores as u64;
        let their_step = torch.seconds(&format!("steps {LOOP_STEPS}"))? / steps as f64;
        if run >= WARM_UP {
            pairs.push((our_step, their_step));
        }
    }
    let floor = ours.seconds("floor 0.5")?;
    let (our_error, their_error) = (ours.ask("error")?, torch.ask("error")?);
    println!("\n{}", table(&HEADER, &[row(&pairs, floor)], &[1, 2, 3, 4]));
    println!(
        "\nfloor: the multiply-adds of a step alone, at the peak that this processor was seen to reach in this run"
    );
    println!("\nmean error at the end: {our_error} after {STEPS} steps, {their_error} after {LOOP_STEPS}");
    Ok(0)
}

const HEADER: [&str; 6] =
    ["N 100, M 5, d 100, f64", "ours, ns a step", "of the floor", "PyTorch, ns a step", "ratio", "limit 500"];

/// Medians of neighbouring runs, seconds a step; the ratio is the median of their ratios.
fn row(pairs: &[(f64, f64)], floor: f64) -> Vec<String> {
    let median =
        |of: &dyn Fn(&(f64, f64)) -> f64| quantile(&pairs.iter().map(of).collect::<Vec<_>>(), 0.5).unwrap_or(f64::NAN);
    let ratio = median(&|(ours, theirs)| theirs / ours);
    vec![
        format!("SGD, batch one, {RUNS} runs of {STEPS} steps"),
        format!("{:.1}", 1e9 * median(&|pair| pair.0)),
        format!("{:.0} %", 100.0 * floor / median(&|pair| pair.0)),
        format!("{:.0}", 1e9 * median(&|pair| pair.1)),
        format!("{ratio:.0}"),
        if ratio >= SPEED_LIMIT { "met" } else { "MISSED" }.to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_between_neighbours() {
        let text = row(&[(1e-7, 1e-4), (2e-7, 1e-4), (1e-7, 3e-4)], 2e-8);
        assert_eq!(text[1..], ["100.0", "20 %", "100000", "1000", "met"]);
        assert_eq!(row(&[(1e-6, 4e-4)], 2e-8)[4..], ["400", "MISSED"]);
    }
}
