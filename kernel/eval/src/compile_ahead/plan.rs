//! Plan of compiling ahead: the cells to come, as far as known, and what the worker is given.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use workbench_base::source::without_commands;

/// How many cells a session may have run before the worker would take too long to get where the session is.
const LONG: usize = 300;

/// How a cell came out, as far as evcxr goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum How {
    /// It ran to its end.
    Whole,
    /// A panic left it.
    Panic,
    /// An error left it.
    Error,
    /// It took the process along.
    Died,
}

/// A cell that the worker goes through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its text.
    pub source: String,
    /// The number of its first placeholder, where that is known.
    pub from: Option<usize>,
    /// How it came out, or will as is hoped.
    pub how: How,
}

/// What there is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Nothing yet.
    Wait,
    /// The worker goes on with this cell.
    Go(Step),
    /// The worker has been where the session has not: it is ended.
    Astray,
    /// There is nothing left that it could do.
    Over,
}

/// The cells of a session: those that ran, the one that runs, those that are expected; and those that the worker was given.
#[derive(Debug, Default)]
pub struct Plan {
    ran: Vec<Step>,
    running: Option<Step>,
    expected: VecDeque<String>,
    given: Vec<Step>,
    /// A cell was run that a worker cannot go through.
    lost: bool,
}

impl Plan {
    /// A session that has run nothing, for which the same is expected.
    pub fn anew(&mut self) {
        *self = Plan { expected: std::mem::take(&mut self.expected), ..Plan::default() };
    }

    /// These cells have been asked for, the one that is next or running first.
    pub fn expect(&mut self, sources: Vec<String>) {
        self.expected = sources.into();
        if let Some(running) = &self.running {
            let first = self.expected.pop_front();
            if first.is_some_and(|first| first != running.source) {
                self.expected.clear();
            }
        }
    }

    /// A cell begins; its first placeholder has this number.
    pub fn begin(&mut self, source: String, from: usize) {
        if self.expected.pop_front().is_some_and(|first| first != source) {
            self.expected.clear();
        }
        self.running = Some(Step { source, from: Some(from), how: How::Whole });
    }

    /// The cell that ran has ended; with nothing where none of it ran.
    pub fn end(&mut self, how: Option<How>) {
        let Some(step) = self.running.take() else { return };
        let Some(how) = how else {
            self.expected.clear();
            return;
        };
        if how != How::Whole {
            self.expected.clear();
        }
        self.lost |= !can_be_followed(&step.source) || self.ran.len() >= LONG;
        self.ran.push(Step { how, ..step });
    }

    /// Nothing is expected any more.
    pub fn stop(&mut self) {
        self.expected.clear();
    }

    /// There is no use in another worker for this session.
    pub fn give_up(&mut self) {
        self.lost = true;
        self.stop();
    }

    /// Whether a worker that starts now would find something to do.
    pub fn is_worth_a_worker(&self) -> bool {
        self.running.as_ref().is_some_and(|step| can_be_followed(&step.source))
            && self.expected().next().is_some()
            && !self.lost
    }

    /// A new worker has been given nothing.
    pub fn start_anew(&mut self) {
        self.given.clear();
    }

    /// The worker has gone through what it was given last, whose first placeholder had this number.
    pub fn arrived(&mut self, from: usize) {
        if let Some(step) = self.given.last_mut() {
            step.from = Some(from);
        }
    }

    /// Whether what the worker was given last has run, or runs.
    pub fn is_behind(&self) -> bool {
        self.given.len() <= self.ran.len()
    }

    /// What the worker, which waits, does next.
    pub fn next(&self) -> Next {
        let way: Vec<Step> = self.way().collect();
        let fits = self.given.len() <= way.len()
            && self.given.iter().zip(&way).all(|(given, step)| {
                given.source == step.source
                    && given.how == step.how
                    && (given.from.is_none() || step.from.is_none() || given.from == step.from)
            });
        let runs_alone = self.running.as_ref().is_some_and(|step| !can_be_followed(&step.source));
        match way.into_iter().nth(self.given.len()) {
            _ if self.lost || runs_alone || !fits => Next::Astray,
            Some(step) => Next::Go(step),
            None if self.expected.is_empty() => Next::Over,
            None => Next::Wait,
        }
    }

    /// What was given to the worker.
    pub fn gave(&mut self, step: Step) {
        self.given.push(step);
    }

    /// All cells in their order, those to come as is hoped.
    fn way(&self) -> impl Iterator<Item = Step> {
        let hoped = self.expected().map(|source| Step { source: source.clone(), from: None, how: How::Whole });
        self.ran.iter().chain(&self.running).cloned().chain(hoped)
    }

    /// The cells to come, up to one that the worker cannot go through.
    fn expected(&self) -> impl Iterator<Item = &String> {
        let cells = self.expected.iter().filter(|source| !source.trim().is_empty());
        cells.take_while(|source| can_be_followed(source))
    }
}

/// Whether a cell has no command but for crates; others do things that are not done twice.
fn can_be_followed(source: &str) -> bool {
    let (rust, _) = without_commands(source);
    let lines = source.lines().zip(rust.lines());
    let mut commands = lines.filter(|(line, rust)| line != rust);
    commands.all(|(line, _)| line.trim_start().starts_with(":dep "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(sources: &[&str]) -> Vec<String> {
        sources.iter().map(|source| (*source).to_owned()).collect()
    }

    /// What the worker is given until there is no more.
    fn go(plan: &mut Plan) -> (Vec<String>, Next) {
        let mut gone = Vec::new();
        loop {
            match plan.next() {
                Next::Go(step) => {
                    gone.push(step.source.clone());
                    let from = step.from.unwrap_or(gone.len());
                    plan.gave(step);
                    plan.arrived(from);
                }
                other => return (gone, other),
            }
        }
    }

    #[test]
    fn the_scout_goes_through_what_ran_and_on_to_what_is_expected() {
        let mut plan = Plan::default();
        plan.begin("a".into(), 1);
        plan.end(Some(How::Whole));
        plan.expect(sources(&["b", "c", "d"]));
        assert!(!plan.is_worth_a_worker(), "none of them runs yet");
        plan.begin("b".into(), 2);
        assert!(plan.is_worth_a_worker());
        assert_eq!(go(&mut plan), (sources(&["a", "b", "c", "d"]), Next::Wait));
        // Another one comes while `b` runs.
        plan.expect(sources(&["b", "c", "d", "e"]));
        assert_eq!(go(&mut plan).0, ["e"]);
        for (cell, number) in [("b", 2), ("c", 3), ("d", 4), ("e", 1)] {
            if cell != "b" {
                plan.begin(cell.into(), number);
            }
            plan.end(Some(How::Whole));
            assert_ne!(plan.next(), Next::Astray, "{cell}");
        }
        assert_eq!(plan.next(), Next::Over);
    }

    #[test]
    fn a_wrong_guess_ends_the_scout() {
        let begun = || {
            let mut plan = Plan::default();
            plan.expect(sources(&["a", "b", "c"]));
            plan.begin("a".into(), 1);
            assert_eq!(go(&mut plan).0, ["a", "b", "c"]);
            plan
        };
        for how in [None, Some(How::Panic), Some(How::Error), Some(How::Died)] {
            let mut plan = begun();
            plan.end(how);
            assert_eq!(plan.next(), Next::Astray, "{how:?}");
        }
        let mut plan = begun();
        plan.end(Some(How::Whole));
        plan.begin("another".into(), 2);
        assert_eq!(plan.next(), Next::Astray);
        let mut plan = begun();
        plan.end(Some(How::Whole));
        plan.begin("b".into(), 7);
        assert_eq!(plan.next(), Next::Astray, "its placeholders have other numbers");
    }

    #[test]
    fn how_a_cell_came_out_is_part_of_the_way() {
        let mut plan = Plan::default();
        plan.begin("a".into(), 1);
        plan.end(Some(How::Panic));
        plan.begin("wrong".into(), 2);
        plan.end(None);
        plan.expect(sources(&["b", "c"]));
        plan.begin("b".into(), 3);
        let Next::Go(first) = plan.next() else { panic!() };
        assert_eq!((first.source.as_str(), first.how), ("a", How::Panic));
        assert_eq!(go(&mut plan).0, ["a", "b", "c"]);
    }

    #[test]
    fn what_is_expected_is_expected_of_the_next_session_too() {
        let mut plan = Plan::default();
        plan.expect(sources(&["a", "b"]));
        plan.give_up();
        plan.expect(sources(&["a", "b"]));
        plan.anew();
        plan.begin("a".into(), 1);
        assert!(plan.is_worth_a_worker());
        assert_eq!(go(&mut plan).0, ["a", "b"]);
    }

    #[test]
    fn commands_are_not_carried_out_twice() {
        for alone in ["!ls", ":clear", ":opt 2\n1", ":vars"] {
            let mut plan = Plan::default();
            plan.expect(sources(&["a", alone, "b"]));
            plan.begin("a".into(), 1);
            assert!(!plan.is_worth_a_worker(), "{alone}");
            plan.end(Some(How::Whole));
            plan.begin(alone.into(), 1);
            assert!(!plan.is_worth_a_worker(), "{alone}");
            assert_eq!(plan.next(), Next::Astray, "{alone}");
            plan.end(Some(How::Whole));
            plan.begin("b".into(), 1);
            plan.expect(sources(&["b", "c"]));
            assert!(!plan.is_worth_a_worker(), "{alone}");
        }
        assert!(can_be_followed(":dep a = \"1\"\nlet x = 1;\n!x"));
    }
}
