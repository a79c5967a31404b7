//! A kernel on stage: started, loaded, replaced when a scenario has broken it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::snippets::Snippets;
use super::wire::{Channel, Exchange, Launch, Peer, Process, WireError};

/// A kernel that the scenarios are played with.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Name of its column.
    pub name: &'static str,
    /// How to start it.
    pub launch: Launch,
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
    Seen {
        mark,
        fact: fact.into(),
    }
}

/// Longest time for a cell that should take a moment.
pub const MOMENT: Duration = Duration::from_secs(30);

/// A running kernel and its first client.
pub struct Stage {
    /// Which kernel.
    pub subject: Subject,
    /// Its process.
    pub process: Process,
    /// Its client.
    pub peer: Peer,
}

impl Stage {
    /// Starts the kernel and runs the cell that loads.
    pub fn open(subject: &Subject) -> Result<Stage, WireError> {
        let mut last = None;
        // A port that was found free may be taken by another program: then the kernel ends, and is started again.
        for _ in 0..3 {
            let mut process = Process::start(&subject.launch)?;
            match Peer::connect(&mut process, "scenario-client", subject.patience) {
                Ok(peer) => {
                    let mut stage = Stage {
                        subject: subject.clone(),
                        process,
                        peer,
                    };
                    stage.load()?;
                    return Ok(stage);
                }
                Err(error) if process.log_text().contains("in use") => last = Some(error),
                Err(error) => return Err(error),
            }
        }
        Err(last.unwrap_or_else(|| WireError::Socket {
            operation: "find free ports".into(),
            why: "three starts failed".into(),
        }))
    }

    fn load(&mut self) -> Result<(), WireError> {
        let (code, patience) = (self.subject.snippets.load, self.subject.patience);
        let exchange = self
            .peer
            .ask("execute_request", super::wire::execute_request(code), patience)?;
        if exchange.status() == "ok" {
            return Ok(());
        }
        Err(WireError::Socket {
            operation: format!("load the library in {}", self.subject.name),
            why: format!("{:?} {}", exchange.error(), exchange.stream("stderr")),
        })
    }

    /// Makes sure that a cell runs; starts the kernel anew where none does.
    pub fn ready(&mut self) -> Result<(), WireError> {
        let snippets = self.subject.snippets;
        if !self.process.ended_within(Duration::ZERO)
            && self.run_within(snippets.loaded, Duration::from_secs(8))?.status() == "ok"
            && self.run(snippets.keep)?.status() == "ok"
        {
            return Ok(());
        }
        self.again()
    }

    /// Replaces the kernel by a fresh one.
    pub fn again(&mut self) -> Result<(), WireError> {
        self.process.kill();
        *self = Stage::open(&self.subject)?;
        self.run(self.subject.snippets.keep).map(|_| ())
    }

    /// Runs a cell to its end.
    pub fn run(&mut self, code: &str) -> Result<Exchange, WireError> {
        self.run_within(code, MOMENT)
    }

    /// Runs a cell and waits this long for its end.
    pub fn run_within(&mut self, code: &str, patience: Duration) -> Result<Exchange, WireError> {
        self.peer
            .ask("execute_request", super::wire::execute_request(code), patience)
    }

    /// Sends a request on the shell channel and returns the content of its reply; null when none came in time.
    pub fn asked(&mut self, kind: &str, content: Value) -> Result<Value, WireError> {
        let exchange = self.peer.ask(kind, content, MOMENT)?;
        Ok(exchange.reply().map_or(Value::Null, |m| m.content.clone()))
    }

    /// Interrupts.
    pub fn interrupt(&mut self) -> Result<(), WireError> {
        self.process.interrupt(&mut self.peer)
    }

    /// Whether `kept_number` is still there.
    pub fn still_has_its_variable(&mut self) -> Result<bool, WireError> {
        Ok(self.run(self.subject.snippets.kept)?.value() == "42")
    }

    /// Starts a cell, interrupts it after `delay`, waits up to `patience` for its end: what it gave, and seconds from the
    /// interrupt to idle, if it became idle.
    pub fn interrupted(
        &mut self,
        code: &str,
        delay: Duration,
        patience: Duration,
    ) -> Result<(Exchange, Option<f64>), WireError> {
        let id = self.peer.start_cell(code)?;
        self.until_started(&id);
        self.peer.until(delay, |_| false);
        let at = Instant::now();
        self.interrupt()?;
        let exchange = self.peer.finish(&id, patience);
        let seconds = exchange
            .idle()
            .map(|m| (m.at.saturating_duration_since(at)).as_secs_f64());
        Ok((exchange, seconds))
    }

    /// Waits until the cell says that it runs: compiling takes what it takes.
    pub fn until_started(&mut self, id: &str) {
        self.peer.until(MOMENT, |m| {
            m.parent == id
                && (m.kind == "execute_reply" || m.content["text"].as_str().is_some_and(|t| t.contains("started")))
        });
    }

    /// Completion of `code` at its end: matches, and everything the reply says, as text.
    pub fn completed(&mut self, code: &str, cursor: usize) -> Result<Value, WireError> {
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
    pub fn control(&mut self, kind: &str, content: Value, patience: Duration) -> Result<bool, WireError> {
        let id = self.peer.send(Channel::Control, kind, content)?;
        Ok(self
            .peer
            .until(patience, |m| m.parent == id && m.kind.ends_with("_reply")))
    }
}

/// `root` and every process below it, also those with a process group of their own.
pub fn descendants(root: i32) -> Vec<i32> {
    let mut parents: Vec<(i32, i32)> = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        // The fields after the name, which may hold anything and ends with the last parenthesis.
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        if let [state, parent, ..] = fields.as_slice()
            && *state != "Z"
            && let Ok(parent) = parent.parse()
        {
            parents.push((id, parent));
        }
    }
    let mut found: Vec<i32> = parents
        .iter()
        .filter(|(id, _)| *id == root)
        .map(|(id, _)| *id)
        .collect();
    let mut next = 0;
    while next < found.len() {
        let parent = found[next];
        found.extend(parents.iter().filter(|(_, p)| *p == parent).map(|(id, _)| *id));
        next += 1;
    }
    found
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
    fn this_process_is_among_its_own_and_init_is_not() {
        let me = i32::try_from(std::process::id()).unwrap();
        let mut child = std::process::Command::new("sleep").arg("5").spawn().unwrap();
        let found = descendants(me);
        assert!(found.contains(&me) && found.contains(&i32::try_from(child.id()).unwrap()));
        assert!(!found.contains(&1) || me == 1);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn marks_are_works_partly_or_no() {
        assert_eq!(seen(true, false, "").mark, Mark::Works);
        assert_eq!(seen(false, true, "").mark.word(), "partly");
        assert_eq!(seen(false, false, "x").fact, "x");
    }
}
