//! `cargo workbench bench features`: what a kernel can do, feature by feature, for our kernel, stock evcxr and ipykernel.
//!
//! Each cell of the table comes from a [`Scenario`] that talks the protocol with a running kernel and measures. The same
//! scenarios are a test of our kernel, so that the table cannot say what is no longer so.

mod asking;
mod output;
mod scenarios;
mod session;
pub mod snippets;
pub mod stage;
mod stopping;
mod tables;

use std::time::Duration;

use workbench_base::error::{Error, Result};
use workbench_base::progress;
use workbench_client::{Interrupt, KernelCommand, Transport};
use workbench_setup::Ready;

use super::args::BenchFeaturesArgs;
use snippets::{PYTHON, RUST};
use stage::{Mark, Subject};

pub use scenarios::{SCENARIOS, Scenario, play};

/// Runs the benchmark; returns the exit status, 1 when our kernel lacks something.
pub fn command(args: &BenchFeaturesArgs) -> Result<i32> {
    let ready = workbench_setup::for_lab(false)?;
    let folder = ready.workspace.state().join("bench");
    std::fs::create_dir_all(&folder).map_err(|source| Error::io("make", &folder, source))?;
    let mut columns = Vec::new();
    let mut subjects = vec![ours(&ready, &folder)?];
    if !args.no_stock {
        subjects.push(stock(&ready, &folder)?);
    }
    if !args.no_python {
        subjects.push(python(&ready, &folder));
    }
    for subject in &subjects {
        progress::step(&format!("{}: {} scenarios", subject.name, SCENARIOS.len()));
        let column = play(subject, args.only.as_deref().unwrap_or(""), &mut |scenario, seen, seconds| {
            println!("  {:7} {} ({}; {seconds:.1} s)", seen.mark.word(), scenario.name, seen.fact);
        })?;
        columns.push((subject.name, column));
    }
    if args.only.is_some() {
        // A part of the table is for looking, not for keeping.
        return Ok(0);
    }
    println!("\n{}", tables::text(&columns));
    let place = args.out.clone().unwrap_or_else(|| ready.workspace.root().join("kernel/bench"));
    std::fs::create_dir_all(&place).map_err(|source| Error::io("make", &place, source))?;
    for (name, text) in [("features.csv", tables::csv(&columns)), ("features.md", tables::markdown(&columns))] {
        let path = place.join(name);
        workbench_record::atomic::write(&path, text.as_bytes()).map_err(|source| Error::io("write", &path, source))?;
    }
    progress::note(&format!("table: {}", place.join("features.md").display()));
    let lacking = columns[0].1.iter().filter(|seen| seen.mark != Mark::Works).count();
    Ok(i32::from(lacking > 0))
}

/// Our kernel, serving this workspace.
pub fn ours(ready: &Ready, folder: &std::path::Path) -> Result<Subject> {
    Ok(Subject {
        name: "workbench",
        command: super::subjects::our_command(ready, folder)?,
        snippets: &RUST,
        patience: Duration::from_secs(300),
    })
}

fn stock(ready: &Ready, folder: &std::path::Path) -> Result<Subject> {
    let place = super::subjects::stock_folder(folder);
    std::fs::create_dir_all(&place).map_err(|source| Error::io("make", &place, source))?;
    if !place.join("target").exists() {
        progress::step("stock evcxr compiles its dependencies first (about 15 minutes, once)");
    }
    Ok(Subject {
        name: "stock evcxr",
        command: super::subjects::stock_command(ready, folder)?,
        snippets: &RUST,
        patience: Duration::from_secs(3600),
    })
}

fn python(ready: &Ready, folder: &std::path::Path) -> Subject {
    let subject = super::subjects::python(ready, folder);
    Subject { name: subject.name, command: subject.command, snippets: &PYTHON, patience: Duration::from_secs(120) }
}

/// Our kernel with any binary and project: what tests play the scenarios with.
pub fn kernel_of(binary: &std::path::Path, root: &std::path::Path, environment: Vec<(String, String)>) -> Subject {
    let mut variables = vec![("WORKBENCH_ROOT".to_string(), root.display().to_string())];
    variables.extend(environment);
    let argv = [&binary.display().to_string(), "kernel", "-f", "{connection_file}"];
    Subject {
        name: "workbench",
        command: KernelCommand {
            argv: argv.iter().map(|part| (*part).to_string()).collect(),
            folder: root.join("notebooks"),
            environment: variables,
            interrupt: Interrupt::Message,
            transport: Transport::TCP,
            log: None,
        },
        snippets: &RUST,
        patience: Duration::from_secs(300),
    }
}
