//! `cargo workbench bench site`: the site of the record from nothing, after one claim has changed, and after nothing has.
//!
//! The record is edited in a copy of the notebooks; the rest of the project is linked beside it, so that the pages are those of the
//! project.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use workbench_base::error::{Error, Result};
use workbench_base::progress::{self, table};
use workbench_pages::site;
use workbench_record::table::{Line, to_csv};
use workbench_record::{Row, Tables, atomic};
use workbench_setup::paths::Workspace;

use super::args::{BenchSiteArgs, at_least_one};
use super::machine;
use super::measure::quantile;

/// What is built, and the longest median that is asked for, in seconds.
const LIMITS: [(&str, f64); 2] = [("everything", 60.0), ("one claim changed", 15.0)];
/// Most megabytes of pages, those of the checks' sources left out.
const MOST: f64 = 30.0;
/// Entries of the project that the copy does without or has of its own.
const LEFT_OUT: [&str; 2] = ["notebooks", "target"];

/// Runs the benchmark; returns the exit status, 1 for a limit that is missed.
pub fn command(args: &BenchSiteArgs) -> Result<i32> {
    at_least_one(&[("--repeats", args.repeats)])?;
    let project = Workspace::find()?;
    let scratch = tempfile::tempdir().map_err(|source| Error::io("make", &std::env::temp_dir(), source))?;
    let copy = copied(&project, &scratch.path().join("project"))?;
    machine::warn_if_busy();
    progress::step("a first build, which installs what is missing and is not counted");
    let out = scratch.path().join("first");
    site::build(&copy, &out, false)?;
    let (mut whole, mut one) = (Vec::new(), Vec::new());
    for round in 0..args.repeats {
        let out = scratch.path().join(format!("site-{round}"));
        whole.push(seconds(|| site::build(&copy, &out, false))?);
        edit(&copy, round)?;
        one.push(seconds(|| site::build(&copy, &out, false))?);
    }
    let megabytes = size(&out.join("html"))? as f64 / 1e6;
    let mut rows: Vec<Vec<String>> = [&whole, &one]
        .iter()
        .zip(LIMITS)
        .map(|(seconds, (what, limit))| {
            let median = quantile(seconds, 0.5).unwrap_or(f64::NAN);
            row(what, median, "s", limit)
        })
        .collect();
    rows.push(row("size, sources of checks left out", megabytes, "MB", MOST));
    println!("\n{}", table(&["site", "median", "", "limit", ""], &rows, &[1, 3]));
    Ok(i32::from(rows.iter().any(|row| row[4] != "met")))
}

fn row(what: &str, value: f64, unit: &str, limit: f64) -> Vec<String> {
    vec![
        what.to_string(),
        format!("{value:.1}"),
        unit.to_string(),
        format!("{limit:.0}"),
        if value <= limit { "met" } else { "MISSED" }.to_string(),
    ]
}

fn seconds<T>(work: impl FnOnce() -> Result<T>) -> Result<f64> {
    let begun = Instant::now();
    work()?;
    Ok(begun.elapsed().as_secs_f64())
}

/// A project in `folder` with notebooks and record of its own; everything else is a link.
fn copied(project: &Workspace, folder: &Path) -> Result<Workspace> {
    let io = |path: &Path| {
        let path = path.to_path_buf();
        move |source| Error::io("copy", &path, source)
    };
    fs::create_dir_all(folder).map_err(io(folder))?;
    for entry in fs::read_dir(project.root()).map_err(io(project.root()))?.flatten() {
        if !LEFT_OUT.iter().any(|name| entry.file_name() == *name) {
            let place = folder.join(entry.file_name());
            std::os::unix::fs::symlink(entry.path(), &place).map_err(io(&place))?;
        }
    }
    copy(&project.notebooks(), &folder.join("notebooks"))?;
    Workspace::at(folder)
}

/// Copies a folder, but for runs and outputs that no commit has.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let io = |path: &Path| {
        let path = path.to_path_buf();
        move |source| Error::io("copy", &path, source)
    };
    fs::create_dir_all(to).map_err(io(to))?;
    for entry in fs::read_dir(from).map_err(io(from))?.flatten() {
        let (path, place) = (entry.path(), to.join(entry.file_name()));
        let made = ["runs", "quick", "lab", "failed"].iter().any(|name| entry.file_name() == *name);
        if path.is_dir() && !made {
            copy(&path, &place)?;
        } else if path.is_file() {
            fs::copy(&path, &place).map_err(io(&place))?;
        }
    }
    Ok(())
}

/// Says something new about one claim, another one each time.
fn edit(copy: &Workspace, round: usize) -> Result<()> {
    let mut rows = Tables::read(&copy.results())?.rows;
    let claim = rows.get(97 * (round + 1) % rows.len().max(1)).map(|row| row.claim.clone());
    for row in rows.iter_mut().filter(|row| Some(&row.claim) == claim.as_ref()) {
        row.note += &format!(" Edited for the benchmark, round {round}.");
    }
    let path = copy.results().join(Row::FILE);
    atomic::write(&path, &to_csv(&rows)).map_err(|source| Error::io("write", &path, source))
}

/// Bytes of all files but those of the checks' sources.
fn size(html: &Path) -> Result<u64> {
    let (mut total, mut open): (u64, Vec<PathBuf>) = (0, vec![html.to_path_buf()]);
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).map_err(|source| Error::io("read", &folder, source))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() && path != html.join("checks") {
                open.push(path);
            } else if path.is_file() {
                total += fs::metadata(&path).map_or(0, |file| file.len());
            }
        }
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_of_checks_do_not_count() {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in [("index.html", 10), ("claims/a.html", 5), ("checks/b.html", 1000)] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, vec![b'x'; bytes]).unwrap();
        }
        assert_eq!(size(folder.path()).unwrap(), 15);
        assert_eq!(row("size", 31.0, "MB", 30.0)[4], "MISSED");
    }
}
