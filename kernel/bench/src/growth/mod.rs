//! `cargo workbench bench growth`: how time and memory of the crate's computations grow, beside what their documentation states.
//!
//! Each row of [`rows`] is one computation along one of its sizes. `workbench/examples/bench_growth` runs it at one size in a process of
//! its own; the sizes of a row follow one another, the median of several rounds counts, and a line through the logarithms gives the exponent.
//! The cost that a row states is quoted from the documentation of its function: [`quoted`] looks whether it stands there.

mod points;
mod quoted;
mod rows;
mod tables;
mod wide;

use workbench_base::error::{Error, Result};
use workbench_base::progress;
use workbench_setup::Ready;

use super::args::{BenchGrowthArgs, at_least_one};
use super::machine;
use rows::GrowthRow;

/// The example that runs the computations.
const EXAMPLE: &str = "bench_growth";

/// Runs the benchmark; returns the exit status, 1 for a cost that is not as stated and for a limit that is missed.
pub fn command(args: &BenchGrowthArgs) -> Result<i32> {
    at_least_one(&[("--rounds", args.rounds)])?;
    let part = args.only.as_deref().unwrap_or("");
    let rows: Vec<&GrowthRow> = rows::all().into_iter().filter(|row| row.name.contains(part)).collect();
    if rows.is_empty() {
        let why = "no row has a name with it".to_string();
        return Err(Error::Option { option: "--only", value: part.into(), why });
    }
    let ready = workbench_setup::for_notebooks()?;
    quoted::all(ready.workspace.root(), &rows)?;
    machine::build_with(&ready, EXAMPLE, &["--features", "workbench/tensors"])?;
    machine::warn_if_busy();
    let points = points::measure(&ready, &rows, args.rounds, args.resume)?;
    let folder = points::folder(&ready)?;
    let grown = points::fitted(&ready, &folder, &rows, &points)?;
    let wide = if args.only.is_none() { wide::measure(&ready)? } else { Vec::new() };
    println!("\n{}", tables::text(&grown));
    if !wide.is_empty() {
        println!("\n{}", tables::text_of_wide(&wide));
        keep(&ready, args, &grown, &wide)?;
    }
    let faults = grown.iter().filter(|grown| !grown.as_stated()).count() + wide.iter().filter(|w| !w.met()).count();
    Ok(i32::from(faults > 0))
}

/// Writes the table as CSV and Markdown, and the figure beside it.
fn keep(ready: &Ready, args: &BenchGrowthArgs, grown: &[tables::Grown<'_>], wide: &[wide::WideLayer]) -> Result<()> {
    let place = args.out.clone().unwrap_or_else(|| ready.workspace.root().join("kernel/bench"));
    std::fs::create_dir_all(&place).map_err(|source| Error::io("make", &place, source))?;
    let figure = points::folder(ready)?.join("growth.svg");
    let svg = std::fs::read(&figure).map_err(|source| Error::io("read", &figure, source))?;
    let texts = [
        ("growth.csv", tables::csv(grown).into_bytes()),
        ("growth.md", tables::markdown(grown, wide).into_bytes()),
        ("growth.svg", svg),
    ];
    for (name, bytes) in texts {
        let path = place.join(name);
        workbench_record::atomic::write(&path, &bytes).map_err(|source| Error::io("write", &path, source))?;
    }
    progress::note(&format!("table: {}", place.join("growth.md").display()));
    Ok(())
}
