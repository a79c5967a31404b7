//! The rows of the table, and how they are played.

use std::time::Instant;

use super::stage::{Seen, Stage, StageError, Subject, seen};
use super::{asking, output, session, stopping};

/// One row of the table.
#[derive(Clone, Copy)]
pub struct Scenario {
    /// Heading that the row stands under.
    pub group: &'static str,
    /// What is asked of a kernel.
    pub name: &'static str,
    /// Asks it.
    pub play: fn(&mut Stage) -> std::result::Result<Seen, StageError>,
}

const fn row(
    group: &'static str,
    name: &'static str,
    play: fn(&mut Stage) -> std::result::Result<Seen, StageError>,
) -> Scenario {
    Scenario { group, name, play }
}

const OUTPUT: &str = "output";
const STOPPING: &str = "interrupts and failures";
const ASKING: &str = "questions";
const SESSION: &str = "sessions";

/// All rows, in the order of the table. Those that end a kernel come last.
pub const SCENARIOS: [Scenario; 42] = [
    row(OUTPUT, "several outputs of one MIME type, in order", output::three_outputs),
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
    row(STOPPING, "interrupt of a computation that listens", stopping::cooperative),
    row(STOPPING, "several interrupts in a row", stopping::many_interrupts),
    row(STOPPING, "a panic (Python: an exception)", stopping::panics),
    row(STOPPING, "a failed assertion", stopping::asserts),
    row(STOPPING, "an error through `?` (Python: from a call)", stopping::returns_error),
    row(STOPPING, "cells queued behind a failure are aborted", stopping::queue),
    row(ASKING, "completion of a library method", asking::method),
    row(ASKING, "completion of a library function, with docs", asking::item),
    row(ASKING, "completion in the middle of a word", asking::middle_of_word),
    row(ASKING, "completion while a cell runs", stopping::complete_while_running),
    row(ASKING, "inspection of a library function, with docs", asking::inspect_item),
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
    row(SESSION, "unsigned and malformed messages are refused", session::refusals),
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
) -> std::result::Result<Vec<Seen>, StageError> {
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
