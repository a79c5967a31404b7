//! `cargo workbench bench features`: what a kernel can do, feature by feature, for our kernel, stock evcxr and ipykernel.
//!
//! Each cell of the table comes from a [`Scenario`] that talks the protocol with a running kernel and measures. The same
//! scenarios are a test of our kernel, so that the table cannot say what is no longer so.

mod asking;
mod output;
mod session;
pub mod snippets;
pub mod stage;
mod stopping;
mod tables;
pub mod wire;

use std::time::{Duration, Instant};

use crate::cli::BenchFeaturesArgs;
use crate::error::{Error, Result};
use crate::progress;
use crate::setup::{self, Ready};
use snippets::{PYTHON, RUST};
use stage::{Mark, Seen, Stage, Subject, seen};
use wire::{Launch, WireError};

/// One row of the table.
#[derive(Clone, Copy)]
pub struct Scenario {
    /// Heading that the row stands under.
    pub group: &'static str,
    /// What is asked of a kernel.
    pub name: &'static str,
    /// Asks it.
    pub play: fn(&mut Stage) -> std::result::Result<Seen, WireError>,
}

const fn row(
    group: &'static str,
    name: &'static str,
    play: fn(&mut Stage) -> std::result::Result<Seen, WireError>,
) -> Scenario {
    Scenario { group, name, play }
}

const OUTPUT: &str = "output";
const STOPPING: &str = "interrupts and failures";
const ASKING: &str = "questions";
const SESSION: &str = "sessions";

/// All rows, in the order of the table. Those that end a kernel come last.
pub const SCENARIOS: [Scenario; 42] = [
    row(
        OUTPUT,
        "several outputs of one MIME type, in order",
        output::three_outputs,
    ),
    row(OUTPUT, "text and outputs interleaved as produced", output::interleaved),
    row(OUTPUT, "a figure has a plain-text form", output::plain_fallback),
    row(OUTPUT, "an output is updated in place", output::update),
    row(OUTPUT, "10,000 updates of one output", output::many_updates),
    row(OUTPUT, "delay of a displayed state", output::latency),
    row(OUTPUT, "progress of a loop, last state saved as text", output::progress),
    row(OUTPUT, "part of a line is shown before its end", output::partial_line),
    row(OUTPUT, "carriage return arrives as written", output::carriage_return),
    row(OUTPUT, "both streams apart, complete before idle", output::streams),
    row(OUTPUT, "clear_output", output::clear),
    row(OUTPUT, "50 MB printed by mistake are cut", output::flood),
    row(
        STOPPING,
        "interrupt of a computation that listens",
        stopping::cooperative,
    ),
    row(STOPPING, "several interrupts in a row", stopping::many_interrupts),
    row(STOPPING, "a panic (Python: an exception)", stopping::panics),
    row(STOPPING, "a failed assertion", stopping::asserts),
    row(
        STOPPING,
        "an error through `?` (Python: from a call)",
        stopping::returns_error,
    ),
    row(STOPPING, "cells queued behind a failure are aborted", stopping::queue),
    row(ASKING, "completion of a library method", asking::method),
    row(ASKING, "completion of a library function, with docs", asking::item),
    row(ASKING, "completion in the middle of a word", asking::middle_of_word),
    row(ASKING, "completion while a cell runs", stopping::complete_while_running),
    row(
        ASKING,
        "inspection of a library function, with docs",
        asking::inspect_item,
    ),
    row(ASKING, "inspection of a variable", asking::inspect_variable),
    row(ASKING, "is_complete", asking::is_complete),
    row(ASKING, "history", asking::history),
    row(ASKING, "comms", asking::comms),
    row(ASKING, "kernel_info for highlighting and export", asking::kernel_info),
    row(ASKING, "input from the client", asking::input),
    row(SESSION, "heartbeat while a cell runs", session::heartbeat),
    row(SESSION, "two clients at once", session::two_clients),
    row(SESSION, "a client leaves and comes back", session::reconnect),
    row(SESSION, "a new client is welcomed (protocol 5.4)", session::welcome),
    row(SESSION, "listens on this machine only", session::loopback),
    row(
        SESSION,
        "unsigned and malformed messages are refused",
        session::refusals,
    ),
    row(SESSION, "a message of 100 MB is refused", session::oversized),
    row(SESSION, "bytes of a stranger without the key", session::hostile_bytes),
    row(STOPPING, "interrupt of code that never looks up", stopping::deaf),
    row(STOPPING, "kill -9 of the process in a cell", stopping::killed),
    row(SESSION, "execution numbers from 1", asking::numbers),
    row(SESSION, "restart", stopping::restart),
    row(SESSION, "shutdown leaves no process behind", stopping::shutdown),
];

/// Plays all scenarios whose name contains `filter` with one kernel; `told` hears of each result.
///
/// # Errors
/// The kernel does not start, or does not start again after a scenario has ended it.
pub fn play(
    subject: &Subject,
    filter: &str,
    told: &mut dyn FnMut(&Scenario, &Seen, f64),
) -> std::result::Result<Vec<Seen>, WireError> {
    let mut stage = Stage::open(subject)?;
    let mut column = Vec::new();
    for scenario in SCENARIOS.iter().filter(|s| s.name.contains(filter)) {
        stage.ready()?;
        let started = Instant::now();
        // A kernel that goes away under a scenario does not have the feature.
        let found = (scenario.play)(&mut stage).unwrap_or_else(|error| {
            let line: String = error.to_string().chars().take(80).collect();
            seen(false, false, format!("broke off: {line}"))
        });
        told(scenario, &found, started.elapsed().as_secs_f64());
        column.push(found);
    }
    Ok(column)
}

/// Runs the benchmark; returns the exit status, 1 when our kernel lacks something.
pub fn command(args: &BenchFeaturesArgs) -> Result<i32> {
    let ready = setup::for_lab(false)?;
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
        let column = play(
            subject,
            args.only.as_deref().unwrap_or(""),
            &mut |scenario, seen, seconds| {
                println!(
                    "  {:7} {} ({}; {seconds:.1} s)",
                    seen.mark.word(),
                    scenario.name,
                    seen.fact
                );
            },
        )?;
        columns.push((subject.name, column));
    }
    if args.only.is_some() {
        // A part of the table is for looking, not for keeping.
        return Ok(0);
    }
    println!("\n{}", tables::text(&columns));
    let place = args
        .out
        .clone()
        .unwrap_or_else(|| ready.workspace.root().join("kernel/bench"));
    std::fs::create_dir_all(&place).map_err(|source| Error::io("make", &place, source))?;
    for (name, text) in [
        ("features.csv", tables::csv(&columns)),
        ("features.md", tables::markdown(&columns)),
    ] {
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
        launch: launch(&super::subjects::rust_command(ready, folder, "kernel")?, false),
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
    let mut launch = launch(&super::subjects::rust_command(ready, folder, "stock-kernel")?, false);
    launch
        .environment
        .push(("EVCXR_TMPDIR".into(), place.display().to_string()));
    Ok(Subject {
        name: "stock evcxr",
        launch,
        snippets: &RUST,
        patience: Duration::from_secs(3600),
    })
}

fn python(ready: &Ready, folder: &std::path::Path) -> Subject {
    let subject = super::subjects::python(ready, folder);
    Subject {
        name: subject.name,
        launch: launch(&subject.command, true),
        snippets: &PYTHON,
        patience: Duration::from_secs(120),
    }
}

fn launch(command: &crate::run::client::KernelCommand, interrupt_by_signal: bool) -> Launch {
    Launch {
        argv: command.argv.clone(),
        folder: command.folder.clone(),
        environment: command.environment.clone(),
        interrupt_by_signal,
    }
}

/// Our kernel with any binary and project: what tests play the scenarios with.
pub fn kernel_of(binary: &std::path::Path, root: &std::path::Path, environment: Vec<(String, String)>) -> Subject {
    let mut variables = vec![("WORKBENCH_ROOT".to_string(), root.display().to_string())];
    variables.extend(environment);
    let argv = [&binary.display().to_string(), "kernel", "-f", "{connection_file}"];
    Subject {
        name: "workbench",
        launch: Launch {
            argv: argv.iter().map(|part| (*part).to_string()).collect(),
            folder: root.join("notebooks"),
            environment: variables,
            interrupt_by_signal: false,
        },
        snippets: &RUST,
        patience: Duration::from_secs(300),
    }
}
