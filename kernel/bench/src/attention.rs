//! `cargo workbench bench attention`: linear attention in this crate and in PyTorch, in turn.

use std::path::Path;
use std::process::Command;

use workbench_base::error::{Error, Result};
use workbench_base::progress::{self, table};
use workbench_setup::Ready;
use workbench_setup::paths::build_folder;

use super::args::BenchAttentionArgs;
use super::duel::Contestant;
use super::machine;
use super::measure::quantile;

/// What is measured, and the least speed relative to PyTorch.
const SPEEDS: [(&str, f64); 2] = [("forward", 2.0), ("causal", 2.3)];
/// Largest time relative to the matrix products alone, by the same kernels. Those run near the processor's peak; beside them exponentials,
/// norms and looks at entries take some 8 % of the time.
const PRODUCTS_LIMIT: f64 = 1.12;
/// Runs before the first that counts.
const WARM_UP: usize = 2;
/// Runs of either program in each turn before the one that counts.
const SETTLES: usize = 2;

/// Runs the benchmark; returns the exit status.
pub fn command(args: &BenchAttentionArgs) -> Result<i32> {
    if args.repeats == 0 {
        return Err(Error::Option {
            option: "--repeats",
            value: "0".into(),
            why: "at least one run has to be measured".into(),
        });
    }
    let ready = workbench_setup::for_notebooks()?;
    let folder = ready.workspace.state().join("bench/attention");
    std::fs::create_dir_all(&folder).map_err(|source| Error::io("make", &folder, source))?;
    machine::build(&ready, "bench_linear_attention")?;
    let venv = machine::torch(&ready)?;
    machine::warn_if_busy();
    for threads in &args.threads {
        duel(&ready, &folder, &venv, *threads, args.repeats)?;
    }
    Ok(0)
}

fn duel(ready: &Ready, folder: &Path, venv: &Path, threads: usize, repeats: usize) -> Result<()> {
    let threads_text = threads.to_string();
    let mut ours = Command::new(build_folder()?.join("examples/bench_linear_attention"));
    ours.arg("--serve").arg(folder).env("RAYON_NUM_THREADS", &threads_text);
    ours.envs(ready.environment.iter().cloned());
    let (mut ours, _) = Contestant::start("workbench", &mut ours)?;
    let mut torch = Command::new(venv.join("bin/python"));
    torch.arg(ready.workspace.root().join("workbench/benches/linear_attention.py"));
    torch.arg(folder).arg(&threads_text).env("OMP_NUM_THREADS", &threads_text);
    let (mut torch, version) = Contestant::start("PyTorch", &mut torch)?;
    progress::step(&format!("{repeats} runs each in turn, {threads} threads, PyTorch {version}"));

    let (mut forward, mut causal, mut products) = (Turns::default(), Turns::default(), Turns::default());
    for run in 0..WARM_UP + repeats {
        for (turns, what) in [(&mut forward, "forward"), (&mut causal, "causal")] {
            let own = ours.settled_seconds(what, SETTLES)?;
            turns.add(run, (own, torch.settled_seconds(what, SETTLES)?));
        }
        let whole = ours.settled_seconds("forward", SETTLES)?;
        products.add(run, (whole, ours.settled_seconds("products", SETTLES)?));
    }
    let mut rows = Vec::new();
    for ((what, limit), turns) in SPEEDS.into_iter().zip([&forward, &causal]) {
        ours.ask(what)?;
        torch.ask(what)?;
        torch.ask("save torch")?;
        let difference = ours.ask("compare torch")?;
        let ratio = turns.ratio(|ours, other| other / ours);
        rows.push(row(what, turns, ratio, limit, ratio >= limit, &difference));
    }
    let ratio = products.ratio(|ours, other| ours / other);
    rows.push(row("forward / own products", &products, ratio, PRODUCTS_LIMIT, ratio <= PRODUCTS_LIMIT, ""));
    let header =
        ["16,384 tokens, d 64, r 256, f32", "ours, ms", "other, ms", "ratio", "limit", "", "largest difference"];
    println!("\n{}", table(&header, &rows, &[1, 2, 3, 4, 6]));
    Ok(())
}

/// Times of neighbouring runs.
#[derive(Default)]
struct Turns {
    pairs: Vec<(f64, f64)>,
}

impl Turns {
    fn add(&mut self, run: usize, pair: (f64, f64)) {
        if run >= WARM_UP {
            self.pairs.push(pair);
        }
    }

    fn median(&self, of: impl Fn(&(f64, f64)) -> f64) -> f64 {
        quantile(&self.pairs.iter().map(of).collect::<Vec<_>>(), 0.5).unwrap_or(f64::NAN)
    }

    fn ratio(&self, of: impl Fn(f64, f64) -> f64) -> f64 {
        self.median(|(a, b)| of(*a, *b))
    }
}

fn row(what: &str, turns: &Turns, ratio: f64, limit: f64, met: bool, difference: &str) -> Vec<String> {
    vec![
        what.to_string(),
        format!("{:.1}", 1e3 * turns.median(|pair| pair.0)),
        format!("{:.1}", 1e3 * turns.median(|pair| pair.1)),
        format!("{ratio:.2}"),
        limit.to_string(),
        if met { "met" } else { "MISSED" }.to_string(),
        difference.to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_between_neighbours_and_warm_up_does_not_count() {
        let mut turns = Turns::default();
        for (run, pair) in [(9.0, 9.0), (9.0, 9.0), (1.0, 3.0), (10.0, 20.0), (2.0, 8.0)].into_iter().enumerate() {
            turns.add(run, pair);
        }
        assert_eq!(turns.pairs.len(), 3);
        assert_eq!(turns.ratio(|a, b| b / a), 3.0);
        assert_eq!(row("x", &turns, 3.0, 2.3, true, "1e-6")[1..6], ["2000.0", "8000.0", "3.00", "2.3", "met"]);
    }
}
