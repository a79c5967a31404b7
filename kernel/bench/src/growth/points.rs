//! Points: a computation at a size, each in a process of its own, and the exponents of what they gave.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use workbench_base::error::{Error, Result};
use workbench_base::progress;
use workbench_base::text::tail;
use workbench_setup::Ready;
use workbench_setup::paths::build_folder;

use super::EXAMPLE;
use super::rows::{GrowthRow, SIZES};
use super::tables::{Exponent, Grown};

/// A point that takes longer than so many seconds is measured once.
const LONG: f64 = 15.0;
/// A row whose points lie off their line by more than this, in the mean of squares and natural logarithms, is measured in more rounds,
const OFF: f64 = 0.04;
/// up to so many times as many.
const MORE: usize = 4;

/// What a computation took at a size, at least over all rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Seconds on a processor, at the best pace that it had in all rounds.
    pub seconds: f64,
    /// Bytes resident at most, beyond what the process had before.
    pub bytes: f64,
    /// Seconds of the process.
    pub wall: f64,
}

/// Where the figure is made.
pub fn folder(ready: &Ready) -> Result<PathBuf> {
    let folder = ready.workspace.state().join("bench");
    std::fs::create_dir_all(&folder).map_err(|source| Error::io("make", &folder, source))?;
    Ok(folder)
}

/// All sizes of each row, one right after the other, upwards and in every other round downwards; of each the least of several rounds.
///
/// A machine that others share is faster in some minutes than in others: then it is so for all sizes of a row, and their exponent stays what
/// it is. Every point is also written down as it comes, below the folder of the state, so that a run that is cut off was not for nothing.
pub fn measure(ready: &Ready, rows: &[&GrowthRow], rounds: usize) -> Result<Vec<[Point; SIZES]>> {
    let path = folder(ready)?.join("growth-points.csv");
    let io = |source| Error::io("write", &path, source);
    let mut log = std::fs::File::create(&path).map_err(io)?;
    let none = Point { seconds: f64::INFINITY, bytes: f64::INFINITY, wall: 0.0 };
    let (mut points, mut best) = (vec![[none; SIZES]; rows.len()], f64::INFINITY);
    for round in 0..MORE * rounds {
        let is_open = |row: &GrowthRow, points: &[Point; SIZES]| round < rounds || off_line(row, points) > OFF;
        let open: Vec<bool> = rows.iter().zip(&points).map(|(row, points)| is_open(row, points)).collect();
        let count = open.iter().filter(|open| **open).count();
        if count == 0 {
            break;
        }
        progress::step(&format!("round {}: {count} computations at {SIZES} sizes", round + 1));
        let taken = rows.iter().zip(&mut points).zip(&open).filter(|(_, open)| **open);
        for (row, points) in taken.map(|(taken, _)| taken) {
            for turn in 0..SIZES {
                let at = if round % 2 == 0 { turn } else { SIZES - 1 - turn };
                let kept = &mut points[at];
                if round > 0 && kept.wall > LONG {
                    continue;
                }
                let size = row.sizes()[at];
                let (point, pace) = one(ready, row, size)?;
                let line = format!("{round},{},{size},{:e},{pace:e},{}", row.name, point.seconds, point.bytes);
                writeln!(log, "{line}").map_err(io)?;
                best = best.min(pace);
                kept.seconds = kept.seconds.min(point.seconds);
                kept.bytes = kept.bytes.min(point.bytes);
                kept.wall = point.wall;
            }
        }
    }
    points.iter_mut().flatten().for_each(|point| point.seconds *= best);
    Ok(points)
}

/// How far points lie off the line through their logarithms, in the mean of squares: what else a machine had to do, and not which line.
fn off_line(row: &GrowthRow, points: &[Point; SIZES]) -> f64 {
    let logs: Vec<(f64, f64)> =
        row.sizes().iter().zip(points).map(|(size, point)| ((*size as f64).ln(), point.seconds.ln())).collect();
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

/// A point, its seconds in units of the loop that the example runs beside it, and the seconds of that loop.
fn one(ready: &Ready, row: &GrowthRow, size: usize) -> Result<(Point, f64)> {
    let mut command = example(ready)?;
    command.args([row.name, &size.to_string()]);
    command
        .env("OPENBLAS_NUM_THREADS", "1")
        .env("MALLOC_MMAP_MAX_", "0")
        .env("MALLOC_TRIM_THRESHOLD_", "1099511627776");
    let begun = Instant::now();
    let text = answer(&mut command, "")?;
    match text.split_whitespace().collect::<Vec<_>>()[..] {
        ["loops", loops, "pace", pace, "bytes", bytes] => {
            let wall = begun.elapsed().as_secs_f64();
            Ok((Point { seconds: number(loops)?, bytes: number(bytes)?, wall }, number(pace)?))
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
        let of = |seconds: &dyn Fn(f64) -> f64| {
            let point = |size: usize| Point { seconds: seconds(size as f64), bytes: 0.0, wall: 0.0 };
            off_line(row, &row.sizes().map(point))
        };
        for power in [0.0, 1.0, 2.3] {
            assert!(of(&|size: f64| 3.0 * size.powf(power)) < 1e-9, "{power}");
        }
        let first = row.sizes()[0] as f64;
        let one_slow = of(&|size| size * if size == first { 2.0 } else { 1.0 });
        assert!((0.1..0.3).contains(&one_slow), "{one_slow}");
    }
}
