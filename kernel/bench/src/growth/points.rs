//! Points: a computation at a size, each in a process of its own, and the exponents of what they gave.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use workbench_base::error::{Error, Result};
use workbench_base::progress;
use workbench_base::text::tail;
use workbench_setup::Ready;
use workbench_setup::paths::build_folder;

use super::EXAMPLE;
use super::rows::{GrowthRow, SIZES};
use super::tables::{Exponent, Grown};

/// A computation that takes longer than so many seconds is measured once.
const LONG: f64 = 8.0;
/// A row whose points lie off their line by more than this, in the mean of squares and natural logarithms, is measured in more rounds,
const OFF: f64 = 0.04;
/// up to so many times as many.
const MORE: usize = 4;

/// What a computation took at a size, over all rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Seconds on a processor: the median of the rounds, at the best pace that it had in any.
    pub seconds: f64,
    /// Bytes resident at most, beyond what the process had before, in the round that had fewest.
    pub bytes: f64,
}

/// What a computation took at a size in one round.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Taken {
    /// In units of the loop that runs beside it.
    loops: f64,
    /// Seconds of that loop.
    pace: f64,
    bytes: f64,
}

/// What a row took, at each of its sizes in each round.
type Rounds = [Vec<Taken>; SIZES];

/// Where the figure is made.
pub fn folder(ready: &Ready) -> Result<PathBuf> {
    let folder = ready.workspace.state().join("bench");
    std::fs::create_dir_all(&folder).map_err(|source| Error::io("make", &folder, source))?;
    Ok(folder)
}

/// All sizes of each row, one right after the other, upwards and in every other round downwards; of each the median of several rounds.
///
/// A machine that others share is faster in some minutes than in others: then it is so for all sizes of a row, and their exponent stays what
/// it is. A neighbour may slow the computation as well as the loop that it is counted in, so neither the least nor the mean is taken. Every
/// point is also written down as it comes, below the folder of the state; with `resume` those of a run that was cut off are taken from there.
pub fn measure(ready: &Ready, rows: &[&GrowthRow], rounds: usize, resume: bool) -> Result<Vec<[Point; SIZES]>> {
    let path = folder(ready)?.join("growth-points.csv");
    let io = |source| Error::io("write", &path, source);
    let old = if resume {
        std::fs::read_to_string(&path).map_err(|source| Error::io("read", &path, source))?
    } else {
        String::new()
    };
    let mut taken: Vec<Rounds> = rows.iter().map(|row| written(&old, row)).collect();
    let mut log =
        std::fs::File::options().create(true).write(true).truncate(!resume).append(resume).open(&path).map_err(io)?;
    for round in 0..MORE * rounds {
        let is_open = |(row, taken): (&&GrowthRow, &Rounds)| round < rounds || off_line(row, taken) > OFF;
        let open: Vec<bool> = rows.iter().zip(&taken).map(is_open).collect();
        let count = open.iter().filter(|open| **open).count();
        if count == 0 {
            break;
        }
        progress::step(&format!("round {}: {count} computations at {SIZES} sizes", round + 1));
        let open = rows.iter().zip(&mut taken).zip(&open).filter(|(_, open)| **open);
        for (row, taken) in open.map(|(open, _)| open) {
            for turn in 0..SIZES {
                let at = if round % 2 == 0 { turn } else { SIZES - 1 - turn };
                let is_long = taken[at].first().is_some_and(|first| first.loops * first.pace > LONG);
                if taken[at].len() > round || is_long {
                    continue;
                }
                let size = row.sizes()[at];
                let new = one(ready, row, size)?;
                writeln!(log, "{},{size},{:e},{:e},{}", row.name, new.loops, new.pace, new.bytes).map_err(io)?;
                taken[at].push(new);
            }
        }
    }
    let best = taken.iter().flatten().flatten().map(|taken| taken.pace).fold(f64::INFINITY, f64::min);
    let point = |taken: &Vec<Taken>| Point {
        seconds: best * loops(taken),
        bytes: taken.iter().map(|taken| taken.bytes).fold(f64::INFINITY, f64::min),
    };
    Ok(taken.iter().map(|rounds| rounds.each_ref().map(point)).collect())
}

/// The median of the rounds, in units of the loop.
fn loops(taken: &[Taken]) -> f64 {
    let mut loops: Vec<f64> = taken.iter().map(|taken| taken.loops).collect();
    loops.sort_by(f64::total_cmp);
    match loops.len() {
        0 => f64::NAN,
        n => 0.5 * (loops[(n - 1) / 2] + loops[n / 2]),
    }
}

/// The points of a row that stand in a text; a line that was cut off, and sizes that the row does not have any more, say nothing.
fn written(text: &str, row: &GrowthRow) -> Rounds {
    let mut taken = Rounds::default();
    for line in text.lines() {
        let [name, size, loops, pace, bytes] = line.split(',').collect::<Vec<_>>()[..] else { continue };
        let at = row.sizes().iter().position(|of_row| name == row.name && of_row.to_string() == size);
        let numbers = [loops, pace, bytes].map(|number| number.parse().ok());
        if let (Some(at), [Some(loops), Some(pace), Some(bytes)]) = (at, numbers) {
            taken[at].push(Taken { loops, pace, bytes });
        }
    }
    taken
}

/// How far points lie off the line through their logarithms, in the mean of squares: what else a machine had to do, and not which line.
fn off_line(row: &GrowthRow, taken: &Rounds) -> f64 {
    let logs: Vec<(f64, f64)> =
        row.sizes().iter().zip(taken).map(|(size, taken)| ((*size as f64).ln(), loops(taken).ln())).collect();
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / SIZES as f64;
    let (x, y) = (mean(&|log| log.0), mean(&|log| log.1));
    let slope = mean(&|log| (log.0 - x) * (log.1 - y)) / mean(&|log| (log.0 - x).powi(2));
    mean(&|log| (log.1 - y - slope * (log.0 - x)).powi(2)).sqrt()
}

/// The example, on one thread. Memory that is freed stays with the process, so that a large array is not paged in anew each time.
pub fn example(ready: &Ready) -> Result<Command> {
    let mut command = Command::new(build_folder()?.join("examples").join(EXAMPLE));
    command.envs(ready.environment.iter().cloned());
    Ok(command)
}

/// What a computation takes now.
fn one(ready: &Ready, row: &GrowthRow, size: usize) -> Result<Taken> {
    let mut command = example(ready)?;
    command.args([row.name, &size.to_string()]);
    command
        .env("OPENBLAS_NUM_THREADS", "1")
        .env("MALLOC_MMAP_MAX_", "0")
        .env("MALLOC_TRIM_THRESHOLD_", "1099511627776");
    let text = answer(&mut command, "")?;
    match text.split_whitespace().collect::<Vec<_>>()[..] {
        ["loops", loops, "pace", pace, "bytes", bytes] => {
            Ok(Taken { loops: number(loops)?, pace: number(pace)?, bytes: number(bytes)? })
        }
        _ => Err(failed(&format!("it said {text:?} of {} at {size}", row.name), "")),
    }
}

/// A number that the example said.
pub fn number(text: &str) -> Result<f64> {
    text.parse().map_err(|_| failed(&format!("{text:?} is no number"), ""))
}

/// What the example says when it is given this as its input.
pub fn answer(command: &mut Command, input: &str) -> Result<String> {
    let start = |source| Error::Start { program: EXAMPLE.into(), source, hint: "run `cargo workbench doctor`".into() };
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(start)?;
    // The end of its input ends what it reads; one that has failed reads no more, and says why below.
    let _ = child.stdin.take().map(|mut pipe| pipe.write_all(input.as_bytes()));
    let output = child.wait_with_output().map_err(start)?;
    if !output.status.success() {
        return Err(failed(&output.status.to_string(), &String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn failed(status: &str, said: &str) -> Error {
    Error::Failed {
        what: format!("the example {EXAMPLE}"),
        status: status.into(),
        hint: "run it by hand to see its message".into(),
        tail: tail(said, 8),
    }
}

/// Lines of the rows' seconds, and of their bytes where these are to grow.
fn lines(rows: &[&GrowthRow], points: &[[Point; SIZES]]) -> String {
    let mut out = String::new();
    for (row, points) in rows.iter().zip(points) {
        let mut say = |quantity: &str, of: &dyn Fn(&Point) -> f64| {
            for (size, point) in row.sizes().iter().zip(points) {
                // No page more than before is half a page: a logarithm is taken of it.
                let value = of(point).max(2048.0 * f64::from(quantity == "bytes"));
                out.push_str(&format!("{},{},{quantity},{size},{value:e}\n", row.room, row.name));
            }
        };
        say("seconds", &|point| point.seconds);
        if row.memory.is_some_and(|exponent| exponent > 0.0) {
            say("bytes", &|point| point.bytes);
        }
    }
    out
}

/// The exponents, by the example: it has the fit and its interval, and draws the figure.
pub fn fitted<'a>(
    ready: &Ready,
    folder: &Path,
    rows: &[&'a GrowthRow],
    points: &[[Point; SIZES]],
) -> Result<Vec<Grown<'a>>> {
    let mut command = example(ready)?;
    let text = answer(command.arg("--fit").arg(folder), &lines(rows, points))?;
    let mut exponents = Vec::new();
    for line in text.lines() {
        let [row, quantity, value, low, high, local] = line.split(',').collect::<Vec<_>>()[..] else {
            return Err(failed(&format!("it said {line:?} of a fit"), ""));
        };
        let exponent =
            Exponent { value: number(value)?, low: number(low)?, high: number(high)?, local: local.to_string() };
        exponents.push((row.to_string(), quantity.to_string(), exponent));
    }
    let find = |row: &str, quantity: &str| {
        let found = exponents.iter().find(|(of, what, _)| of == row && what == quantity);
        found.map(|(_, _, exponent)| exponent.clone())
    };
    let mut grown = Vec::new();
    for (row, points) in rows.iter().copied().zip(points) {
        let time = find(row.name, "seconds").ok_or_else(|| failed(&format!("no fit of {}", row.name), ""))?;
        grown.push(Grown { row, points: *points, time, memory: find(row.name, "bytes") });
    }
    Ok(grown)
}

#[cfg(test)]
mod tests {
    use super::super::rows;
    use super::*;

    #[test]
    fn what_lies_on_a_line_is_not_off_it_whichever_line() {
        let row = rows::all()[0];
        let taken = |loops| Taken { loops, pace: 1.0, bytes: 0.0 };
        let of = |loops: &dyn Fn(f64) -> f64| off_line(row, &row.sizes().map(|size| vec![taken(loops(size as f64))]));
        for power in [0.0, 1.0, 2.3] {
            assert!(of(&|size: f64| 3.0 * size.powf(power)) < 1e-9, "{power}");
        }
        let first = row.sizes()[0] as f64;
        let one_slow = of(&|size| size * if size == first { 2.0 } else { 1.0 });
        assert!((0.1..0.3).contains(&one_slow), "{one_slow}");
    }

    #[test]
    fn a_run_that_was_cut_off_is_gone_on_with() {
        let row = rows::all()[0];
        let [first, second, ..] = row.sizes();
        let name = row.name;
        let text = format!(
            "{name},{first},3e0,1e-3,4096\nother,{first},9,1,0\n{name},{first},5,2e-3,0\n{name},7,1,1,1\n{name},{second},4,1e-"
        );
        let taken = written(&text, row);
        assert_eq!(taken[0].iter().map(|taken| taken.loops).collect::<Vec<_>>(), [3.0, 5.0]);
        assert!(taken[1..].iter().all(Vec::is_empty), "{taken:?}");
        assert_eq!(loops(&taken[0]), 4.0);
    }
}
