//! Scenarios about cells that are stopped, fail or die.

use std::time::Duration;

use workbench_client::{Channel, Exchange, Talk, descendants};

use super::output::why;
use super::stage::{CLIENT, Seen, Stage, StageError, seen};

type Outcome = Result<Seen, StageError>;

/// Longest time that the scenarios wait for an interrupted cell.
const PATIENCE: Duration = Duration::from_secs(15);

fn stopped_in(seconds: Option<f64>) -> String {
    seconds.map_or(format!("still busy after {} s", PATIENCE.as_secs()), |s| format!("idle after {s:.2} s"))
}

/// An interrupt of a computation that listens: it stops, and what it reached is there.
pub fn cooperative(stage: &mut Stage) -> Outcome {
    let (exchange, seconds) =
        stage.interrupted(stage.subject.snippets.long_work, Duration::from_millis(1500), PATIENCE)?;
    let kept = seconds.is_some() && stage.still_has_its_variable()?;
    let reached: u64 = match seconds {
        Some(_) => stage.run(stage.subject.snippets.reached)?.value().parse().unwrap_or(0),
        None => 0,
    };
    let told = exchange.status() == "error";
    let fact = format!(
        "{}, earlier variables {}, its own result {}",
        stopped_in(seconds),
        if kept { "kept" } else { "gone" },
        if reached > 100 { "kept" } else { "gone" },
    );
    let works = told && kept && reached > 100 && seconds.is_some_and(|s| s < 1.0);
    Ok(seen(works, kept, fact))
}

/// An interrupt of code that never looks up: the kernel is usable again, and says what was lost.
pub fn deaf(stage: &mut Stage) -> Outcome {
    let (exchange, seconds) =
        stage.interrupted(stage.subject.snippets.deaf_work, Duration::from_millis(1500), PATIENCE)?;
    let Some(seconds) = seconds else {
        return Ok(seen(false, false, stopped_in(None)));
    };
    let usable = stage.run(stage.subject.snippets.nothing)?.value() == "2";
    let kept = stage.still_has_its_variable()?;
    let (_, message) = exchange.error().unwrap_or_default();
    let says = kept || ["lost", "gone", "variables"].iter().any(|word| message.contains(word));
    let fact = format!(
        "{}, variables {}{}",
        stopped_in(Some(seconds)),
        if kept { "kept" } else { "gone" },
        match (kept, says) {
            (true, _) => "",
            (false, true) => ", says so",
            (false, false) => ", does not say so",
        }
    );
    Ok(seen(usable && says && seconds < 8.0, usable, fact))
}

/// Several interrupts in a row, also with nothing running, leave the kernel as it was.
pub fn many_interrupts(stage: &mut Stage) -> Outcome {
    stage.interrupt()?;
    stage.talk.until(Duration::from_millis(300), |_| false);
    let calm = stage.run(stage.subject.snippets.nothing)?.value() == "2";
    let id = stage.talk.start_cell(stage.subject.snippets.long_work)?;
    stage.until_started(&id);
    stage.talk.until(Duration::from_millis(500), |_| false);
    for _ in 0..4 {
        stage.interrupt()?;
        stage.talk.until(Duration::from_millis(60), |_| false);
    }
    let exchange = stage.talk.finish(&id, PATIENCE);
    let stopped = exchange.idle().is_some() && exchange.status() == "error";
    let after = stopped && stage.run(stage.subject.snippets.nothing)?.value() == "2";
    let kept = after && stage.still_has_its_variable()?;
    let fact = match (calm, stopped, after, kept) {
        (true, true, true, true) => "five in all: stopped once, variables kept".to_string(),
        (false, ..) => "an interrupt with nothing running hits the next cell".to_string(),
        (_, false, ..) => "the cell does not stop".to_string(),
        (_, _, false, _) => "the next cell does not run".to_string(),
        _ => "stopped, variables gone".to_string(),
    };
    Ok(seen(calm && kept, calm && after, fact))
}

/// Cells that wait behind a failed one are not run, and say so.
pub fn queue(stage: &mut Stage) -> Outcome {
    let snippets = stage.subject.snippets;
    let first = stage.talk.start_cell(snippets.fails)?;
    let waiting = [stage.talk.start_cell(snippets.nothing)?, stage.talk.start_cell(snippets.nothing)?];
    let failed = stage.talk.finish(&first, PATIENCE).status().to_owned();
    let states: Vec<String> = waiting.iter().map(|id| stage.talk.finish(id, PATIENCE).status().to_owned()).collect();
    let after = stage.run(snippets.nothing)?.status() == "ok";
    let fact = format!("{failed}, then {}", states.join(", "));
    let works = failed == "error" && states.iter().all(|s| s == "aborted") && after;
    Ok(seen(works, false, fact))
}

fn failure(stage: &mut Stage, code: &str, word: &str) -> Outcome {
    let exchange = stage.run(code)?;
    let kept = stage.still_has_its_variable()?;
    let (_, message) = exchange.error().unwrap_or_default();
    let readable = message.contains(word);
    let place = marks_line_two(&exchange, code);
    let fact = match exchange.status() {
        "error" => format!(
            "error reply, message {}, place {}, variables {}",
            if readable { "readable" } else { "missing" },
            if place { "marked" } else { "not marked" },
            if kept { "kept" } else { "gone" },
        ),
        other => format!("the reply says {other:?}"),
    };
    let error = exchange.status() == "error";
    Ok(seen(error && readable && place && kept, error && readable, fact))
}

/// Whether the traceback shows line 2 of the cell, by its number and its text.
fn marks_line_two(exchange: &Exchange, code: &str) -> bool {
    let text = exchange.traceback();
    let line = code.lines().nth(1).unwrap_or_default();
    text.contains(line) && text.lines().any(|l| l.split(|c: char| !c.is_ascii_digit()).any(|n| n == "2"))
}

/// A panic.
pub fn panics(stage: &mut Stage) -> Outcome {
    failure(stage, stage.subject.snippets.panics, "as asked")
}

/// A failed assertion.
pub fn asserts(stage: &mut Stage) -> Outcome {
    failure(stage, stage.subject.snippets.asserts, "not equal")
}

/// An error that leaves the cell.
pub fn returns_error(stage: &mut Stage) -> Outcome {
    failure(stage, stage.subject.snippets.returns_error, "invalid")
}

/// kill -9 of the process that runs cells, in a cell.
pub fn killed(stage: &mut Stage) -> Outcome {
    let exchange = stage.run_within(stage.subject.snippets.kill_self, PATIENCE)?;
    let error = exchange.status() == "error";
    let usable = error && stage.run_within(stage.subject.snippets.nothing, PATIENCE)?.value() == "2";
    let (_, message) = exchange.error().unwrap_or_default();
    let says = message.contains("variables") || message.contains("run the earlier cells");
    let fact = match (error, usable) {
        (true, true) if says => "error reply that says what was lost; the next cell runs".to_string(),
        (true, true) => format!("next cell runs; {}", why(&exchange)),
        (true, false) => "error reply, then no cell runs".to_string(),
        _ => "no reply: the kernel is gone".to_string(),
    };
    Ok(seen(usable && says, usable, fact))
}

/// Shutdown leaves no process behind.
pub fn shutdown(stage: &mut Stage) -> Outcome {
    stage.run(stage.subject.snippets.nothing)?;
    let before = stage.processes();
    let replied = stage.control("shutdown_request", serde_json::json!({"restart": false}), Duration::from_secs(5))?;
    let ended = stage.process.ended_within(Duration::from_secs(5));
    let left = |ids: &[i32]| ids.iter().filter(|id| descendants(**id).contains(id)).count();
    let mut alive = left(&before);
    for _ in 0..40 {
        if alive == 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
        alive = left(&before);
    }
    let fact =
        format!("{}; {alive} of {} processes left", if replied { "replies" } else { "does not reply" }, before.len());
    Ok(seen(replied && ended && alive == 0, ended && alive == 0, fact))
}

/// Restart with the same connection file: a fresh session, numbers from 1.
pub fn restart(stage: &mut Stage) -> Outcome {
    let _ = stage.control("shutdown_request", serde_json::json!({"restart": true}), Duration::from_secs(5))?;
    stage.process.ended_within(Duration::from_secs(5));
    let started = std::time::Instant::now();
    stage.process.start_again()?;
    stage.talk = Talk::connect(&mut stage.process, CLIENT, Duration::from_secs(60))?;
    let exchange = stage.run_within(stage.subject.snippets.nothing, Duration::from_secs(60))?;
    let seconds = started.elapsed().as_secs_f64();
    let number = exchange.reply().map(|m| m.content["execution_count"].clone());
    let fresh = stage.run(stage.subject.snippets.kept)?.status() == "error";
    let works = exchange.value() == "2" && number == Some(1.into()) && fresh;
    let fact = format!("first cell after {seconds:.1} s, number {}", number.unwrap_or_default());
    // The scenarios after this one need what the others use.
    stage.again()?;
    Ok(seen(works, exchange.value() == "2", fact))
}

/// Asks for completion while a cell runs, on the same client.
pub fn complete_while_running(stage: &mut Stage) -> Outcome {
    let (set_up, code, expected) = stage.subject.snippets.method;
    stage.run(set_up)?;
    // The first completion may have to load; that is measured elsewhere.
    stage.completed(code, code.chars().count())?;
    let id = stage.talk.start_cell(stage.subject.snippets.waits)?;
    stage.talk.until(Duration::from_millis(700), |_| false);
    let asked = std::time::Instant::now();
    let request = serde_json::json!({"code": code, "cursor_pos": code.chars().count()});
    let question = stage.talk.send(Channel::Shell, "complete_request", request)?;
    let mut found = false;
    stage.talk.until(Duration::from_secs(20), |m| {
        let here = m.parent == question && m.kind == "complete_reply";
        found |= here && m.content["matches"].to_string().contains(expected);
        here
    });
    let seconds = asked.elapsed().as_secs_f64();
    stage.talk.finish(&id, PATIENCE);
    let running = seconds < 1.0;
    let fact = format!("answer after {seconds:.2} s of a 2 s cell{}", if found { "" } else { ", without the name" });
    Ok(seen(running && found, false, fact))
}
