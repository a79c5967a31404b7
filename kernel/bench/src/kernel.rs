//! `cargo workbench bench kernel`: start, first table, first let and warm cells of the three kernels.

use std::path::Path;

use workbench_base::error::{Error, Result};
use workbench_base::progress::{self, table};

use super::args::BenchKernelArgs;
use super::measure::{self, Times, quantile};
use super::subjects::{ours, python, stock_subject, tour, unchanged, warm_up_stock};
use super::{cells, machine, routine, run_all};

/// Our own limits, in seconds: name of the row and the limit.
const LIMITS: [(&str, f64); 4] = [
    ("start to first table", 1.5),
    ("first let", 0.4),
    ("warm cell, median", 0.2),
    ("warm cell, 95th percentile", 0.4),
];
/// What is felt between two cells that were sent together, in seconds: name of the row and the limit.
const RUN_ALL: (&str, f64) = ("Run All, felt delay a cell", 0.1);
/// From the request of a cell that was compiled before to the begin of its code, in seconds: name of the row and the limit.
const BEGIN: (&str, f64) = ("unchanged cell, request to begin", 0.02);
/// Largest accepted ratio of a routine called from a cell to the same in a release build.
const ROUTINE_LIMIT: f64 = 1.05;

/// Runs the benchmark; returns the exit status.
pub fn command(args: &BenchKernelArgs) -> Result<i32> {
    if args.repeats == 0 {
        return Err(Error::Option {
            option: "--repeats",
            value: "0".into(),
            why: "at least one session has to be measured".into(),
        });
    }
    let ready = if args.no_python { workbench_setup::for_notebooks()? } else { workbench_setup::for_lab(false)? };
    let folder = ready.workspace.state().join("bench");
    std::fs::create_dir_all(&folder).map_err(|source| Error::io("make", &folder, source))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| Error::io("start the client in", Path::new("."), source))?;
    let tour = tour(&ready)?;
    machine::warn_if_busy();

    let mut results: Vec<(&'static str, Times)> = Vec::new();
    let ours = ours(&ready, &folder, &tour)?;
    progress::step(&format!("{}: {} sessions", ours.name, args.repeats));
    results.push((ours.name, runtime.block_on(measure::measure(&ours, args.repeats))?));
    let unchanged = unchanged(&ready, &folder, &tour)?;
    progress::step(&format!("{}: {} sessions after one that compiles them", unchanged.name, args.repeats));
    runtime.block_on(measure::measure(&unchanged, 1))?;
    results.push((unchanged.name, runtime.block_on(measure::measure(&unchanged, args.repeats))?));
    progress::step("cells that tell when they begin, after one session that compiles them");
    runtime.block_on(measure::until_begun(&unchanged, 1))?;
    let begins = runtime.block_on(measure::until_begun(&unchanged, args.repeats))?;
    progress::step("cells that are sent together, each new and computing for a second");
    let waits = run_all::delays(&unchanged, args.repeats)?;
    progress::step("the numeric routine: from a cell and in a release build, in turns");
    let release = routine::Release::build(&ready.workspace)?;
    let mut turns = Vec::new();
    for _ in 0..args.repeats {
        let (outcome, text) = runtime.block_on(measure::printed(&ours, cells::ROUTINE))?;
        match text.trim().parse::<f64>() {
            Ok(in_cell) => turns.push((in_cell, release.time()?)),
            Err(_) => progress::note(&format!("no time came from the cell: {outcome:?}")),
        }
    }

    let mut stock_cold = None;
    if !args.no_stock {
        let stock = stock_subject(&ready, &folder, &tour)?;
        stock_cold = warm_up_stock(&runtime, &stock, &folder)?;
        progress::step(&format!("{}: {} sessions", stock.name, args.repeats));
        results.push((stock.name, runtime.block_on(measure::measure(&stock, args.repeats))?));
    }
    if !args.no_python {
        let python = python(&ready, &folder);
        progress::step(&format!("{}: {} sessions", python.name, args.repeats));
        results.push((python.name, runtime.block_on(measure::measure(&python, args.repeats))?));
    }

    let mut rows = rows(&results);
    rows.push(own_row(RUN_ALL, &waits, 0, results.len()));
    rows.push(own_row(BEGIN, &begins, 1, results.len()));
    if let Some(seconds) = stock_cold {
        let mut row = vec!["first cell, nothing built".to_string()];
        row.extend(results.iter().map(
            |(name, _)| {
                if *name == "stock evcxr" { number(Some(seconds)) } else { String::new() }
            },
        ));
        row.push(String::new());
        rows.push(row);
    }
    let mut header = vec!["seconds (median of sessions)"];
    header.extend(results.iter().map(|(name, _)| *name));
    header.push("our limit");
    let right: Vec<usize> = (1..header.len()).collect();
    println!("\n{}", table(&header, &rows, &right));
    if let Some(slowest) = quantile(&waits, 1.0) {
        println!("Run All, the longest of {} waits: {slowest:.3} s", waits.len());
    }
    print_routine(&turns);
    print_details(&results);
    let csv = args.csv.clone().unwrap_or_else(|| folder.join("kernel.csv"));
    write_csv(&csv, &results, &[(RUN_ALL.0, &waits), (BEGIN.0, &begins)], &turns, stock_cold)?;
    println!("\nall times: {}", csv.display());
    Ok(0)
}

/// The measured quantities of a kernel, in the order of the table.
fn quantities(times: &Times) -> [(&'static str, Option<f64>); 6] {
    [
        ("kernel start", quantile(&times.start, 0.5)),
        (LIMITS[0].0, quantile(&times.first_table, 0.5)),
        (LIMITS[1].0, quantile(&times.first_let, 0.5)),
        (LIMITS[2].0, quantile(&times.warm, 0.5)),
        (LIMITS[3].0, quantile(&times.warm, 0.95)),
        ("warm cell, slowest", quantile(&times.warm, 1.0)),
    ]
}

fn rows(results: &[(&'static str, Times)]) -> Vec<Vec<String>> {
    let columns: Vec<_> = results.iter().map(|(_, times)| quantities(times)).collect();
    let mut rows: Vec<Vec<String>> = (0..6)
        .map(|index| {
            let name = columns[0][index].0;
            let mut row = vec![name.to_string()];
            row.extend(columns.iter().map(|column| number(column[index].1)));
            let limit = LIMITS.iter().find(|(limited, _)| *limited == name);
            row.push(limit.map_or(String::new(), |(_, limit)| {
                let met = columns[0][index].1.is_some_and(|value| value <= *limit);
                format!("{limit} {}", if met { "met" } else { "MISSED" })
            }));
            row
        })
        .collect();
    let mut count = |name: &str, of: &dyn Fn(&Times) -> usize| {
        let mut row = vec![name.to_string()];
        row.extend(results.iter().map(|(_, times)| of(times).to_string()));
        row.push(String::new());
        rows.push(row);
    };
    count("warm cells timed", &|times| times.warm.len());
    count("cells failed", &|times| times.failed.len());
    rows
}

/// The row of what only our kernel is asked for, with its median in one of the columns.
fn own_row((name, limit): (&str, f64), waits: &[f64], column: usize, columns: usize) -> Vec<String> {
    let median = quantile(waits, 0.5);
    let mut row = vec![String::new(); columns + 1];
    row[0] = name.to_owned();
    row[column + 1] = number(median);
    let met = median.is_some_and(|wait| wait <= limit);
    row.push(format!("{limit} {}", if met { "met" } else { "MISSED" }));
    row
}

fn number(value: Option<f64>) -> String {
    value.map_or("-".into(), |value| format!("{value:.3}"))
}

fn print_details(results: &[(&'static str, Times)]) {
    for (name, times) in results {
        let slowest: Vec<String> =
            times.by_cell.iter().take(3).map(|(id, seconds)| format!("{id} {seconds:.2} s")).collect();
        if !slowest.is_empty() {
            println!("{name}, slowest warm cells: {}", slowest.join(", "));
        }
        let computing: Vec<f64> = times.computing.iter().map(|(_, seconds)| *seconds).collect();
        if let Some((id, _)) = times.computing.first() {
            let median = number(measure::quantile(&computing, 0.5));
            println!("{name}, cell {id} computes for {median} s, which is not counted");
        }
        for (id, message) in times.failed.iter().take(3) {
            println!("{name}, cell {id} failed: {message}");
        }
    }
}

/// What the numeric routine took in turns: called from a cell, and in a release build.
fn print_routine(turns: &[(f64, f64)]) {
    let middle = |of: fn(&(f64, f64)) -> f64| quantile(&turns.iter().map(of).collect::<Vec<_>>(), 0.5);
    if let (Some(in_cell), Some(in_release), Some(ratio)) =
        (middle(|turn| turn.0), middle(|turn| turn.1), middle(|turn| turn.0 / turn.1))
    {
        println!(
            "\nnumeric routine (medians of {} turns): {in_cell:.5} s called from a cell, {in_release:.5} s in a release build, \
             ratio {ratio:.3} (limit {ROUTINE_LIMIT}): {}",
            turns.len(),
            if ratio <= ROUTINE_LIMIT { "met" } else { "MISSED" }
        );
    }
}

fn write_csv(
    path: &Path,
    results: &[(&'static str, Times)],
    waits: &[(&str, &[f64])],
    turns: &[(f64, f64)],
    stock_cold: Option<f64>,
) -> Result<()> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |error: String| Error::Results {
        operation: "write",
        path: path.to_path_buf(),
        why: error,
        hint: "name another file with --csv",
    };
    let mut put = |kernel: &str, what: &str, seconds: f64| {
        writer.write_record([kernel, what, &seconds.to_string()]).map_err(|error| failed(error.to_string()))
    };
    for (name, times) in results {
        let lists = [("start", &times.start), ("first table", &times.first_table), ("first let", &times.first_let)];
        for (what, values) in lists {
            for value in values {
                put(name, what, *value)?;
            }
        }
        for (id, seconds) in &times.by_cell {
            put(name, &format!("warm cell {id}"), *seconds)?;
        }
    }
    for (what, values) in waits {
        for wait in *values {
            put("workbench", what, *wait)?;
        }
    }
    for (in_cell, in_release) in turns {
        put("workbench", "routine from a cell", *in_cell)?;
        put("release build", "routine", *in_release)?;
    }
    if let Some(seconds) = stock_cold {
        put("stock evcxr", "first cell, nothing built", seconds)?;
    }
    let mut bytes = b"kernel,what,seconds\n".to_vec();
    bytes.extend(writer.into_inner().map_err(|error| failed(error.to_string()))?);
    workbench_record::atomic::write(path, &bytes).map_err(|source| Error::io("write", path, source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_compares_our_column_with_the_limits() {
        let ours = Times {
            start: vec![0.5],
            first_table: vec![3.0, 4.0, 9.0],
            first_let: vec![2.5],
            warm: vec![0.1, 0.2, 0.3],
            ..Times::default()
        };
        let other = Times::default();
        let rows = rows(&[("workbench", ours), ("ipykernel", other)]);
        let find = |name: &str| rows.iter().find(|row| row[0] == name).unwrap().clone();
        assert_eq!(find("start to first table")[1..], ["4.000", "-", "1.5 MISSED"]);
        assert_eq!(find("first let")[3], "0.4 MISSED");
        assert_eq!(find("warm cell, median")[3], "0.2 met");
        assert_eq!(find("warm cell, median")[1], "0.200");
        assert_eq!(find("warm cell, 95th percentile")[1], "0.300");
        assert_eq!(find("warm cells timed")[1..3], ["3", "0"]);
        assert_eq!(own_row(RUN_ALL, &[0.05, 0.3, 0.06], 0, 2)[1..], ["0.060", "", "0.1 met"]);
        assert_eq!(own_row(BEGIN, &[0.03, 0.01, 0.025], 1, 2)[1..], ["", "0.025", "0.02 MISSED"]);
        assert_eq!(own_row(BEGIN, &[], 1, 2)[1..], ["", "-", "0.02 MISSED"]);
    }

    #[test]
    fn times_are_written_one_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kernel.csv");
        let times = Times { start: vec![0.5, 0.25], by_cell: vec![("c1".into(), 0.125)], ..Times::default() };
        write_csv(&path, &[("workbench", times)], &[(RUN_ALL.0, &[0.5])], &[(1.0, 2.0)], None).unwrap();
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "kernel,what,seconds\nworkbench,start,0.5\nworkbench,start,0.25\nworkbench,warm cell c1,0.125\nworkbench,\"Run All, felt delay a cell\",0.5\nworkbench,routine from a cell,1\nrelease build,routine,2\n"
        );
    }
}
