//! Run All: how long one waits from the end of a cell to the begin of the next, where all cells are sent at once and none of them was
//! compiled before.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use workbench_base::error::{Error, Result};
use workbench_client::{Process, Talk};

use super::measure::Subject;

/// How many cells wait behind the first.
const CELLS: usize = 12;
/// How long each of them computes, in milliseconds: longer than it takes to compile the next.
const COMPUTES: u64 = 1000;
/// How long the whole may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// Seconds from the end of each cell to the begin of the next, in `repeats` sessions.
///
/// # Errors
/// The kernel does not start, or a cell fails.
pub fn delays(subject: &Subject, repeats: usize) -> Result<Vec<f64>> {
    let mut found = Vec::new();
    for _ in 0..repeats {
        found.extend(session(subject)?);
    }
    Ok(found)
}

fn session(subject: &Subject) -> Result<Vec<f64>> {
    let mut process = Process::start(&subject.command)?;
    let mut talk = Talk::connect(&mut process, "run-all", Duration::from_secs(120))?;
    let fresh = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let cells = cells(&subject.load, fresh);
    let sent = cells.iter().map(|cell| talk.start_cell(cell)).collect::<std::result::Result<Vec<_>, _>>()?;
    let mut printed = String::new();
    for id in sent {
        let done = talk.finish(&id, PATIENCE);
        if done.status() != "ok" {
            return Err(Error::Failed {
                what: "a cell of the benchmark of Run All".into(),
                status: done.status().to_owned(),
                hint: "run the benchmark again on a machine with less to do".into(),
                tail: done.error().map_or_else(String::new, |(_, message)| message),
            });
        }
        printed.push_str(&done.stream("stdout"));
    }
    process.end();
    Ok(between(&printed))
}

/// The cells, with a number in each that no session had before.
fn cells(load: &str, fresh: u128) -> Vec<String> {
    let first = format!(
        "{load}\nuse workbench::prelude::*;\nfn now() -> f64 {{\n    \
         std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64()\n}}"
    );
    let others = (0..CELLS).map(|n| {
        format!(
            "let begun = now();\n// {fresh}\nlet x{n}: Vec<f64> = (1..100).map(|k| f64::from(k) * {n}.5).collect();\n\
             let frame{n} = frame(&[(\"x\", &x{n})])?;\n\
             let query{n} = frame{n}.clone().lazy().with_column((col(\"x\") * lit({fresh}_f64)).alias(\"y\")).collect()?;\n\
             std::thread::sleep(std::time::Duration::from_millis({COMPUTES}));\n\
             println!(\"{{begun}} {{}}\", now());\nquery{n}"
        )
    });
    std::iter::once(first).chain(others).collect()
}

/// The times between the end of a line's cell and the begin of the next line's.
fn between(printed: &str) -> Vec<f64> {
    let times: Vec<(f64, f64)> = printed
        .lines()
        .filter_map(|line| {
            let (begun, ended) = line.split_once(' ')?;
            Some((begun.parse().ok()?, ended.parse().ok()?))
        })
        .collect();
    times.windows(2).map(|pair| pair[1].0 - pair[0].1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_is_from_one_cells_end_to_the_next_ones_begin() {
        let waits = between("1.0 2.0\nno times\n2.25 3.5\n4.0 5.0\n");
        assert_eq!(waits, [0.25, 0.5]);
        assert_eq!(cells(":dep x", 7).len(), CELLS + 1);
    }
}
