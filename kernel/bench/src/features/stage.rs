//! A kernel on stage: started, loaded, replaced when a scenario has broken it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use workbench_base::error::Error;
use workbench_client::{Channel, ClientError, Exchange, KernelCommand, Process, Talk, descendants, execute_request};

use super::snippets::Snippets;

/// A kernel that the scenarios are played with.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Name of its column.
    pub name: &'static str,
    /// How to start it.
    pub command: KernelCommand,
    /// What it is given to run.
    pub snippets: &'static Snippets,
    /// Longest time from its start to the end of the cell that loads.
    pub patience: Duration,
}

/// What came of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// As the protocol and the list say.
    Works,
    /// Something of it.
    Partly,
    /// Nothing of it.
    No,
}

impl Mark {
    /// The word in the table.
    pub fn word(self) -> &'static str {
        match self {
            Mark::Works => "works",
            Mark::Partly => "partly",
            Mark::No => "no",
        }
    }
}

/// One cell of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Whether it works.
    pub mark: Mark,
    /// What was measured, in a few words.
    pub fact: String,
}

/// A cell of the table: works, or else partly, or else no.
pub fn seen(works: bool, partly: bool, fact: impl Into<String>) -> Seen {
    let mark = match (works, partly) {
        (true, _) => Mark::Works,
        (false, true) => Mark::Partly,
        (false, false) => Mark::No,
    };
    Seen { mark, fact: fact.into() }
}

/// Longest time for a cell that should take a moment.
pub const MOMENT: Duration = Duration::from_secs(30);

/// Why a scenario could not talk to its kernel.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StageError {
    /// The kernel or a connection to it failed.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The library that the scenarios use could not be loaded.
    #[error("cannot load the library in {kernel}: {why}; is the kernel still running?")]
    Load {
        /// Which kernel.
        kernel: &'static str,
        /// Why not.
        why: String,
    },
}

impl From<StageError> for Error {
    fn from(error: StageError) -> Error {
        Error::Room(Box::new(error))
    }
}

/// Session of the first client.
pub const CLIENT: &str = "scenario-client";

/// A running kernel and its first client.
pub struct Stage {
    /// Which kernel.
    pub subject: Subject,
    /// Its process.
    pub process: Process,
    /// Its client.
    pub talk: Talk,
}

impl Stage {
    /// Starts the kernel and runs the cell that loads.
    pub fn open(subject: &Subject) -> Result<Stage, StageError> {
        let mut starts = 1;
        loop {
            let mut process = Process::start(&subject.command)?;
            match Talk::connect(&mut process, CLIENT, subject.patience) {
                Ok(talk) => {
                    let mut stage = Stage { subject: subject.clone(), process, talk };
                    stage.load()?;
                    return Ok(stage);
                }
                // A port that was found free was taken by another program.
                Err(error) if starts < 3 && error.is_port_taken() => starts += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn load(&mut self) -> Result<(), StageError> {
        let (code, patience) = (self.subject.snippets.load, self.subject.patience);
        let exchange = self.talk.ask("execute_request", execute_request(code), patience)?;
        if exchange.status() == "ok" {
            return Ok(());
        }
        Err(StageError::Load {
            kernel: self.subject.name,
            why: format!("{:?} {}", exchange.error(), exchange.stream("stderr")),
        })
    }

    /// Makes sure that a cell runs; starts the kernel anew where none does.
    pub fn ready(&mut self) -> Result<(), StageError> {
        // One that went away may still be on its way out.
        match !self.process.ended_within(Duration::ZERO) && self.runs_cells().unwrap_or(false) {
            true => Ok(()),
            false => self.again(),
        }
    }

    fn runs_cells(&mut self) -> Result<bool, StageError> {
        let snippets = self.subject.snippets;
        let loaded = self.run_within(snippets.loaded, Duration::from_secs(8))?;
        Ok(loaded.status() == "ok" && self.run(snippets.keep)?.status() == "ok")
    }

    /// Replaces the kernel by a fresh one.
    pub fn again(&mut self) -> Result<(), StageError> {
        self.process.end();
        *self = Stage::open(&self.subject)?;
        self.run(self.subject.snippets.keep).map(|_| ())
    }

    /// Runs a cell to its end.
    pub fn run(&mut self, code: &str) -> Result<Exchange, StageError> {
        self.run_within(code, MOMENT)
    }

    /// Runs a cell and waits this long for its end.
    pub fn run_within(&mut self, code: &str, patience: Duration) -> Result<Exchange, StageError> {
        Ok(self.talk.ask("execute_request", execute_request(code), patience)?)
    }

    /// Sends a request on the shell channel and returns the content of its reply; null when none came in time.
    pub fn asked(&mut self, kind: &str, content: Value) -> Result<Value, StageError> {
        let exchange = self.talk.ask(kind, content, MOMENT)?;
        Ok(exchange.reply().map_or(Value::Null, |m| m.content.clone()))
    }

    /// Interrupts.
    pub fn interrupt(&mut self) -> Result<(), StageError> {
        self.talk.interrupt(&self.process)?;
        Ok(())
    }

    /// Whether `kept_number` is still there.
    pub fn still_has_its_variable(&mut self) -> Result<bool, StageError> {
        Ok(self.run(self.subject.snippets.kept)?.value() == "42")
    }

    /// Starts a cell, interrupts it after `delay`, waits up to `patience` for its end: what it gave, and seconds from the
    /// interrupt to idle, if it became idle.
    pub fn interrupted(
        &mut self,
        code: &str,
        delay: Duration,
        patience: Duration,
    ) -> Result<(Exchange, Option<f64>), StageError> {
        let id = self.talk.start_cell(code)?;
        self.until_started(&id);
        self.talk.until(delay, |_| false);
        let at = Instant::now();
        self.interrupt()?;
        let exchange = self.talk.finish(&id, patience);
        let seconds = exchange.idle().map(|m| (m.at.saturating_duration_since(at)).as_secs_f64());
        Ok((exchange, seconds))
    }

    /// Waits until the cell says that it runs: compiling takes what it takes.
    pub fn until_started(&mut self, id: &str) {
        self.talk.until(MOMENT, |m| {
            m.parent == id
                && (m.kind == "execute_reply" || m.content["text"].as_str().is_some_and(|t| t.contains("started")))
        });
    }

    /// Completion of `code` at its end: matches, and everything the reply says, as text.
    pub fn completed(&mut self, code: &str, cursor: usize) -> Result<Value, StageError> {
        self.asked("complete_request", json!({"code": code, "cursor_pos": cursor}))
    }

    /// Processes that run on behalf of this kernel: of its group, or with it among their ancestors.
    pub fn processes(&self) -> Vec<i32> {
        descendants(self.process.id())
    }

    /// Memory of the kernel and its processes that is in use now, in MB.
    pub fn memory(&self) -> f64 {
        self.processes()
            .iter()
            .filter_map(|id| std::fs::read_to_string(format!("/proc/{id}/statm")).ok())
            .filter_map(|text| text.split(' ').nth(1).and_then(|pages| pages.parse::<f64>().ok()))
            .sum::<f64>()
            * 4096.0
            / 1e6
    }

    /// A control request; returns whether its reply came in time.
    pub fn control(&mut self, kind: &str, content: Value, patience: Duration) -> Result<bool, StageError> {
        let id = self.talk.send(Channel::Control, kind, content)?;
        Ok(self.talk.until(patience, |m| m.parent == id && m.kind.ends_with("_reply")))
    }
}

/// The outputs that a notebook would save after these messages: an update replaces, a clear removes.
pub fn saved(exchange: &Exchange) -> Vec<Value> {
    let mut saved: Vec<Value> = Vec::new();
    for message in exchange.outputs() {
        let content = &message.content;
        match message.kind.as_str() {
            "clear_output" => saved.clear(),
            "update_display_data" => {
                let id = &content["transient"]["display_id"];
                for output in saved.iter_mut().filter(|o| o["id"] == *id && !id.is_null()) {
                    output["data"] = content["data"].clone();
                }
            }
            "stream" => {
                let text = content["text"].as_str().unwrap_or_default();
                match saved.last_mut() {
                    Some(last) if last["name"] == content["name"] && !content["name"].is_null() => {
                        let joined = format!("{}{text}", last["text"].as_str().unwrap_or_default());
                        last["text"] = joined.into();
                    }
                    _ => saved.push(json!({"name": content["name"], "text": text})),
                }
            }
            kind => saved.push(json!({
                "type": kind, "data": content["data"], "id": content["transient"]["display_id"],
            })),
        }
    }
    saved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_works_partly_or_no() {
        assert_eq!(seen(true, false, "").mark, Mark::Works);
        assert_eq!(seen(false, true, "").mark.word(), "partly");
        assert_eq!(seen(false, false, "x").fact, "x");
    }
}
