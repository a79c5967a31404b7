//! `cargo workbench bench memory`: the exact error of one associative memory in this crate and in NumPy, in turn.

use std::process::Command;

use workbench_base::error::{Error, Result};
use workbench_base::progress::{self, table};
use workbench_setup::paths::build_folder;
use workbench_setup::python;
use workbench_setup::system::Machine;

use super::args::BenchMemoryArgs;
use super::duel::Contestant;
use super::machine;
use super::measure::quantile;

/// NumPy, in an environment of its own.
const NUMPY: &str = "numpy==2.4.6";
/// Least speed relative to NumPy.
const SPEED_LIMIT: f64 = 20.0;
/// Inputs, outputs and dimension.
const SIZES: [&str; 3] = ["1000", "5", "1024"];
/// Runs before the first that counts.
const WARM_UP: usize = 3;
/// Runs of this crate in each turn before the one that counts: about as long as one of NumPy's.
const SETTLES: usize = 60;
/// Runs of NumPy in each turn before the one that counts.
const NUMPY_SETTLES: usize = 1;

/// Runs the benchmark; returns the exit status.
pub fn command(args: &BenchMemoryArgs) -> Result<i32> {
    if args.repeats == 0 {
        return Err(Error::Option {
            option: "--repeats",
            value: "0".into(),
            why: "at least one run has to be measured".into(),
        });
    }
    let ready = workbench_setup::for_notebooks()?;
    machine::build(&ready, "bench_memory_error")?;
    let venv = ready.workspace.state().join("numpy");
    python::ensure_in(&venv, NUMPY, "NumPy", &Machine, &mut progress::step)?;
    machine::warn_if_busy();

    let mut ours = Command::new(build_folder()?.join("examples/bench_memory_error"));
    ours.args(SIZES).arg("--serve").envs(ready.environment.iter().cloned());
    let (mut ours, _) = Contestant::start("workbench", &mut ours)?;
    let mut numpy = Command::new(venv.join("bin/python"));
    numpy.arg(ready.workspace.root().join("workbench/benches/memory_error.py"));
    numpy.args(SIZES);
    let (mut numpy, version) = Contestant::start("NumPy", &mut numpy)?;
    progress::step(&format!("{} runs each in turn, NumPy {version}", args.repeats));

    let mut rounds = Vec::new();
    for run in 0..WARM_UP + args.repeats {
        let theirs = numpy.settled_seconds("run", NUMPY_SETTLES)?;
        let single = ours.settled_seconds("single", SETTLES)?;
        let round = (theirs, single, ours.settled_seconds("double", SETTLES)?);
        if run >= WARM_UP {
            rounds.push(round);
        }
    }
    // Double precision is half as fast as single.
    let floor = ours.seconds("floor 0.5")?;
    let rows = [
        row("single", &rounds.iter().map(|r| (r.1, r.0)).collect::<Vec<_>>(), floor),
        row("double", &rounds.iter().map(|r| (r.2, r.0)).collect::<Vec<_>>(), 2.0 * floor),
    ];
    println!("\n{}", table(&HEADER, &rows, &[1, 2, 3, 4]));
    println!(
        "\nfloor: sums and scores alone, at the peak that this processor was seen to reach in this run; drawing N d normal numbers, which \
         both do too, is not in it"
    );
    println!(
        "\nmean error: {} single, {} double, {} NumPy (other draws)",
        ours.ask("error single")?,
        ours.ask("error double")?,
        numpy.ask("error")?
    );
    Ok(0)
}

const HEADER: [&str; 6] = ["N 1000, M 5, d 1024", "ours, ms", "of the floor", "NumPy, ms", "ratio", "limit 20"];

/// Medians over the runs, seconds; the ratio is the median of the ratios of neighbours.
fn row(name: &str, pairs: &[(f64, f64)], floor: f64) -> Vec<String> {
    let median =
        |of: &dyn Fn(&(f64, f64)) -> f64| quantile(&pairs.iter().map(of).collect::<Vec<_>>(), 0.5).unwrap_or(f64::NAN);
    let ratio = median(&|(ours, theirs)| theirs / ours);
    vec![
        format!("exact error of one memory, {name} precision"),
        format!("{:.2}", 1e3 * median(&|pair| pair.0)),
        format!("{:.0} %", 100.0 * floor / median(&|pair| pair.0)),
        format!("{:.1}", 1e3 * median(&|pair| pair.1)),
        format!("{ratio:.1}"),
        if ratio >= SPEED_LIMIT { "met" } else { "MISSED" }.to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_decides() {
        let pairs = [(0.002, 0.05), (0.003, 0.06), (0.002, 0.06)];
        assert_eq!(row("double", &pairs, 5e-4)[1..], ["2.00", "25 %", "60.0", "25.0", "met"]);
        assert_eq!(row("double", &[(0.01, 0.05)], 5e-4)[4..], ["5.0", "MISSED"]);
    }
}
