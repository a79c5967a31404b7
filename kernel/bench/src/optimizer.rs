//! `cargo workbench bench optimizer`: learned optimizers in this crate and in PyTorch, in turn.

use std::path::Path;
use std::process::Command;

use workbench_base::error::{Error, Result};
use workbench_base::progress::{self, table};
use workbench_setup::Ready;
use workbench_setup::paths::build_folder;

use super::args::{BenchOptimizerArgs, at_least_one};
use super::duel::Contestant;
use super::machine;
use super::measure::quantile;

/// Coordinates that fit the caches: the parameters of an MLP 49-20-10 and of one 784-20-10.
const SIZES: [usize; 2] = [1_210, 15_910];
/// Coordinates for Adam: no cache holds them.
const MANY: usize = 10_000_000;
/// Coordinates whose state must fit the memory.
const MILLION: usize = 1_000_000;
/// Steps of a meta-step.
const WINDOW: usize = 5;
/// Turns before the first that counts.
const WARM_UP: usize = 1;
/// Updates may differ by so much of the largest one: both programs calculate in single precision, in another order.
const STEP_TOLERANCE: f64 = 1e-5;
/// The same for the gradient of a window, which sums over coordinates and steps.
const META_TOLERANCE: f64 = 2e-5;

/// What a number is held to.
#[derive(Clone, Copy)]
enum Limit {
    AtLeast(f64),
    AtMost(f64),
}

/// Runs the benchmark; returns the exit status.
pub fn command(args: &BenchOptimizerArgs) -> Result<i32> {
    at_least_one(&[("--repeats", args.repeats), ("--threads", args.threads)])?;
    let ready = workbench_setup::for_notebooks()?;
    let folder = ready.workspace.state().join("bench/optimizer");
    std::fs::create_dir_all(&folder).map_err(|source| Error::io("make", &folder, source))?;
    machine::build(&ready, "bench_optimizer")?;
    let venv = machine::torch(&ready)?;
    machine::warn_if_busy();
    let threads = args.threads.to_string();
    let ours = start_ours(&ready, &folder, &threads)?;
    let mut torch = Command::new(venv.join("bin/python"));
    torch.arg(ready.workspace.root().join("workbench/benches/optimizer.py"));
    torch.arg(&folder).arg(&threads).env("OMP_NUM_THREADS", &threads);
    let (torch, version) = Contestant::start("PyTorch", &mut torch)?;
    progress::step(&format!("{} turns of {} s each, {threads} threads, PyTorch {version}", args.repeats, args.seconds));
    let mut duel = Duel { ours, torch, args };
    let mut rows = duel.rows()?;
    drop(duel);
    // A program of its own, so that nothing else counts.
    let bytes = start_ours(&ready, &folder, &threads)?.seconds(&format!("memory {MILLION}"))?;
    rows.push(resident(bytes));
    println!("\n{}", table(&HEADER, &rows, &[1, 2, 3, 4, 5]));
    println!("\nfloor: the cell's multiply-adds alone, at the peak that this processor was seen to reach in that turn");
    Ok(0)
}

const HEADER: [&str; 7] =
    ["single precision, Adam in double", "coordinates", "ours, ns each", "other, ns each", "measured", "limit", ""];

fn start_ours(ready: &Ready, folder: &Path, threads: &str) -> Result<Contestant> {
    let mut ours = Command::new(build_folder()?.join("examples/bench_optimizer"));
    ours.arg("--serve").arg(folder).arg(ready.workspace.root().join("datasets"));
    ours.env("RAYON_NUM_THREADS", threads).envs(ready.environment.iter().cloned());
    Ok(Contestant::start("workbench", &mut ours)?.0)
}

struct Duel<'a> {
    ours: Contestant,
    torch: Contestant,
    args: &'a BenchOptimizerArgs,
}

impl Duel<'_> {
    fn rows(&mut self) -> Result<Vec<Vec<String>>> {
        let mut rows = Vec::new();
        for n in SIZES {
            self.check("eager", n)?;
            let pairs = self.against_torch("step default", "step eager", n)?;
            rows.push(ratio("step / eager", n, n, &pairs, Limit::AtLeast(12.0)));
            rows.push(self.compiled(n)?);
            rows.extend(self.own_time("default", n, Limit::AtMost(300.0))?);
        }
        for n in SIZES {
            rows.extend(self.own_time("light", n, Limit::AtMost(60.0))?);
        }
        for n in SIZES {
            self.check("meta", n)?;
            let pairs = self.against_torch("meta", "meta", n)?;
            rows.push(ratio("meta-step / eager", n, WINDOW * n, &pairs, Limit::AtLeast(12.0)));
            rows.push(time("meta-step, a step of it", n, WINDOW * n, &pairs, Limit::AtMost(1000.0)));
        }
        rows.push(self.rollout()?);
        let n = SIZES[0];
        self.check("lstm", n)?;
        let pairs = self.against_torch("step lstm", "step lstm", n)?;
        rows.push(ratio("LSTM rival / torch.nn.LSTMCell", n, n, &pairs, Limit::AtLeast(5.0)));
        let seconds = self.args.seconds;
        let pairs = self.turns(|duel| {
            let adam = duel.ours.seconds(&format!("adam {MANY} {seconds}"))?;
            Ok((duel.ours.seconds(&format!("pass {MANY} {seconds}"))?, adam))
        })?;
        let pairs: Vec<(f64, f64)> = pairs.iter().map(|(pass, adam)| (*adam, *pass)).collect();
        rows.push(over("Adam / a loop over its memory", MANY, &pairs, Limit::AtMost(1.5)));
        Ok(rows)
    }

    fn turns(&mut self, mut turn: impl FnMut(&mut Self) -> Result<(f64, f64)>) -> Result<Vec<(f64, f64)>> {
        for _ in 0..WARM_UP {
            turn(self)?;
        }
        (0..self.args.repeats).map(|_| turn(self)).collect()
    }

    fn against_torch(&mut self, own: &str, theirs: &str, n: usize) -> Result<Vec<(f64, f64)>> {
        let seconds = self.args.seconds;
        self.turns(|duel| {
            Ok((
                duel.ours.seconds(&format!("{own} {n} {seconds}"))?,
                duel.torch.seconds(&format!("{theirs} {n} {seconds}"))?,
            ))
        })
    }

    /// Whether the two programs calculate the same; times of different things are not compared.
    fn check(&mut self, form: &str, n: usize) -> Result<()> {
        let answer = self.torch.ask(&format!("check {form} {n}"))?;
        let tolerance = if form == "meta" { META_TOLERANCE } else { STEP_TOLERANCE };
        match answer.parse::<f64>() {
            Ok(difference) if difference <= tolerance => {
                progress::step(&format!("{form}, {n} coordinates: the largest difference is {difference:.0e}"));
                Ok(())
            }
            _ => Err(Error::Failed {
                what: format!("the comparison with PyTorch, {form}, {n} coordinates"),
                status: format!("the largest difference is {answer}; {tolerance:.0e} is allowed"),
                hint: "make workbench/benches/optimizer.py calculate what the crate does".into(),
                tail: String::new(),
            }),
        }
    }

    fn compiled(&mut self, n: usize) -> Result<Vec<String>> {
        let (name, limit) = ("step / compiled", Limit::AtLeast(4.0));
        if self.args.no_compile {
            return Ok(not_measured(name, n, limit));
        }
        progress::step(&format!("torch.compile for {n} coordinates"));
        let answer = self.torch.ask(&format!("check compiled {n}"))?;
        if let Some(why) = answer.strip_prefix("no: ") {
            progress::note(&format!("torch.compile cannot be had: {why}"));
            return Ok(not_measured(name, n, limit));
        }
        self.check("compiled", n)?;
        let pairs = self.against_torch("step default", "step compiled", n)?;
        Ok(ratio(name, n, n, &pairs, limit))
    }

    /// The time of a step beside the floor.
    fn own_time(&mut self, cell: &str, n: usize, limit: Limit) -> Result<[Vec<String>; 2]> {
        let seconds = self.args.seconds;
        let pairs = self.turns(|duel| {
            let step = duel.ours.seconds(&format!("step {cell} {n} {seconds}"))?;
            let floor = duel.ours.seconds(&format!("floor {cell} {seconds}"))?;
            Ok((step, n as f64 * floor))
        })?;
        let named = |what: &str| format!("step, {cell} cell{what}");
        let share = 100.0 * median(&pairs, |(step, floor)| floor / step);
        let mut beside = numbers(&named(" / floor"), n, n, &pairs);
        beside.extend([format!("{share:.0} %"), String::new(), String::new()]);
        Ok([time(&named(""), n, n, &pairs, limit), beside])
    }

    fn rollout(&mut self) -> Result<Vec<String>> {
        let times = self.turns(|duel| Ok((duel.ours.seconds("rollout")?, f64::NAN)))?;
        let seconds = median(&times, |pair| pair.0);
        let n = SIZES[0];
        let mut row = vec!["roll-out of 100 steps, MLP 49-20-10".to_string(), n.to_string()];
        row.extend([format!("{:.0}", 1e9 * seconds / (100 * n) as f64), String::new()]);
        row.extend(verdict(seconds, "s", Limit::AtMost(0.15)));
        Ok(row)
    }
}

fn median(pairs: &[(f64, f64)], of: impl Fn(&(f64, f64)) -> f64) -> f64 {
    quantile(&pairs.iter().map(of).collect::<Vec<_>>(), 0.5).unwrap_or(f64::NAN)
}

/// The first columns: medians of both, in nanoseconds for one of `parts`.
fn numbers(what: &str, n: usize, parts: usize, pairs: &[(f64, f64)]) -> Vec<String> {
    let each = |seconds: f64| {
        let nanoseconds = 1e9 * seconds / parts as f64;
        let digits = usize::from(nanoseconds < 100.0);
        format!("{nanoseconds:.digits$}")
    };
    vec![what.to_string(), n.to_string(), each(median(pairs, |pair| pair.0)), each(median(pairs, |pair| pair.1))]
}

/// How many times as long the other takes: the median of the ratios of neighbours.
fn ratio(what: &str, n: usize, parts: usize, pairs: &[(f64, f64)], limit: Limit) -> Vec<String> {
    let mut row = numbers(what, n, parts, pairs);
    row.extend(verdict(median(pairs, |(ours, other)| other / ours), "times", limit));
    row
}

/// How many times as long ours takes.
fn over(what: &str, n: usize, pairs: &[(f64, f64)], limit: Limit) -> Vec<String> {
    let mut row = numbers(what, n, n, pairs);
    row.extend(verdict(median(pairs, |(ours, other)| ours / other), "times", limit));
    row
}

/// How long ours takes.
fn time(what: &str, n: usize, parts: usize, pairs: &[(f64, f64)], limit: Limit) -> Vec<String> {
    let nanoseconds = 1e9 * median(pairs, |pair| pair.0) / parts as f64;
    let mut row = numbers(what, n, parts, pairs);
    row[3].clear();
    row.extend(verdict(nanoseconds, "ns", limit));
    row
}

fn resident(bytes: f64) -> Vec<String> {
    let mut row = vec!["resident memory, default cell".to_string(), MILLION.to_string()];
    row.extend([String::new(), String::new()]);
    row.extend(verdict(1e-9 * bytes, "GB", Limit::AtMost(4.0)));
    row
}

fn not_measured(what: &str, n: usize, limit: Limit) -> Vec<String> {
    let mut row = vec![what.to_string(), n.to_string(), String::new(), String::new()];
    let [_, limit, _] = verdict(f64::NAN, "times", limit);
    row.extend([String::new(), limit, "not measured".into()]);
    row
}

/// The number, its limit, and whether it is met; no number meets no limit.
fn verdict(value: f64, unit: &str, limit: Limit) -> [String; 3] {
    let (met, limit) = match limit {
        Limit::AtLeast(least) => (value >= least, format!("at least {least}")),
        Limit::AtMost(most) => (value <= most, format!("at most {most}")),
    };
    let digits = if value < 10.0 { 2 } else { 1 };
    [format!("{value:.digits$} {unit}"), limit, if met { "met" } else { "MISSED" }.to_string()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_decide_from_either_side() {
        let pairs = [(1e-4, 2e-3), (2e-4, 2e-3), (1e-4, 1e-3)];
        let row = ratio("step / eager", 1_000, 1_000, &pairs, Limit::AtLeast(12.0));
        assert_eq!(row[2..], ["100", "2000", "10.0 times", "at least 12", "MISSED"]);
        let row = over("Adam", 1_000, &pairs, Limit::AtMost(1.5));
        assert_eq!(row[4..], ["0.10 times", "at most 1.5", "met"]);
        let row = time("step", 1_000, 1_000, &pairs, Limit::AtMost(60.0));
        assert_eq!(row[2..], ["100", "", "100.0 ns", "at most 60", "MISSED"]);
    }

    #[test]
    fn what_was_not_measured_is_not_met() {
        assert_eq!(verdict(f64::NAN, "times", Limit::AtMost(1.5))[2], "MISSED");
        assert_eq!(verdict(f64::NAN, "times", Limit::AtLeast(1.5))[2], "MISSED");
        let row = not_measured("step / compiled", 1_210, Limit::AtLeast(4.0));
        assert_eq!(row[4..], ["", "at least 4", "not measured"]);
    }

    #[test]
    fn the_memory_has_a_limit() {
        assert_eq!(resident(2.4e9)[4..], ["2.40 GB", "at most 4", "met"]);
        assert_eq!(resident(4.1e9)[6], "MISSED");
    }
}
