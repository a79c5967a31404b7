//! Failure of a cell, in words and with its place in the reader's cell.

use std::path::Path;

use super::cell::Prepared;
use super::lost_variables::LostVariables;
use super::remedy::{TWO_VERSIONS, remedy, two_versions};

pub(super) const RED: &str = "\u{1b}[1;31m";
pub(super) const BLUE: &str = "\u{1b}[1;34m";
pub(super) const PLAIN: &str = "\u{1b}[0m";

/// Why a cell failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Kind: `panic`, `error`, `compile error`, `Interrupted`, `process ended`, `restart needed` or `kernel`.
    pub name: String,
    /// One or more lines for a person.
    pub message: String,
    /// The message with its place in the cell, for terminals.
    pub traceback: Vec<String>,
    /// The line of the cell on which it failed while it ran.
    pub(super) line: Option<usize>,
}

impl Failure {
    /// A failure without a place in the cell.
    pub fn new(name: &str, message: impl Into<String>) -> Failure {
        let message = message.into();
        Failure {
            traceback: vec![format!("{RED}{name}{PLAIN}: {message}")],
            name: name.to_owned(),
            message,
            line: None,
        }
    }

    /// Says what to do where the message does not.
    pub fn with_remedy(mut self) -> Failure {
        let texts = std::iter::once(&self.message).chain(&self.traceback);
        let found = remedy(texts.map(String::as_str)).map(str::to_owned);
        self.add(found);
        self
    }

    /// Says which version of a crate the project has, where there are two. `root` is the folder with its lock file.
    pub(super) fn with_versions(mut self, root: &Path) -> Failure {
        if self.traceback.iter().any(|line| line.contains(TWO_VERSIONS)) {
            let lock = std::fs::read_to_string(root.join("Cargo.lock")).unwrap_or_default();
            let found = two_versions(self.traceback.iter().map(String::as_str), &lock);
            self.add(found);
        }
        self
    }

    fn add(&mut self, remedy: Option<String>) {
        if let Some(remedy) = remedy {
            self.message = format!("{}\n{remedy}", self.message);
            self.traceback.push(remedy);
        }
    }

    /// Says which variables are gone with the error. `before` are those that there were, `after` those that there are.
    pub(super) fn with_lost_variables(mut self, cell: &Prepared, [before, after]: [&[String]; 2]) -> Failure {
        let line = self.line.unwrap_or(usize::MAX);
        let gone = |name: &String| !after.contains(name);
        let new = cell.makes.iter().filter(|(name, ends)| *ends < line && gone(name) && !before.contains(name));
        if let Some((lost, one)) = listed(new.map(|(name, _)| name)) {
            let (are, they, their) = if one { ("is", "it", "its") } else { ("are", "they", "their") };
            self.traceback.push(format!(
                "  {BLUE}note{PLAIN}: {lost} {are} gone: a cell's new variables are kept when it has run to its end. What it did to older ones \
                 stays. In a cell of {their} own, before the one that fails, {they} would be kept."
            ));
        }
        let old = cell.makes.iter().filter(|(name, _)| gone(name) && before.contains(name));
        if let Some((lost, one)) = listed(old.map(|(name, _)| name)) {
            let (are, new, cells) = if one {
                ("is", "the new one", "the cell that makes it")
            } else {
                ("are", "the new ones", "the cells that make them")
            };
            self.traceback.push(format!(
                "  {BLUE}note{PLAIN}: {lost} {are} gone with {new} that this cell was to bind: run {cells} again."
            ));
        }
        self
    }

    /// Says what became of the names that the compiler did not find.
    pub(super) fn with_reasons(mut self, lost: &LostVariables) -> Failure {
        let names = self.message.split("cannot find ").skip(1).filter_map(|rest| rest.split('`').nth(1));
        let mut reasons: Vec<String> = names.filter_map(|name| lost.explain(name)).collect();
        reasons.dedup();
        for reason in reasons {
            self.message.push('\n');
            self.message.push_str(&reason);
            self.traceback.push(format!("  {BLUE}note{PLAIN}: {reason}"));
        }
        self
    }

    /// With the line of the cell and a mark under the place.
    pub(super) fn with_place(mut self, source: &str, line: usize, column: usize, width: usize, label: &str) -> Failure {
        self.traceback.extend(excerpt(source, line, column, width, label));
        self.line = Some(line);
        self
    }
}

/// Names in a sentence, each once, and whether it is one; nothing where there is none.
fn listed<'n>(names: impl Iterator<Item = &'n String>) -> Option<(String, bool)> {
    let mut quoted: Vec<String> = Vec::new();
    for name in names {
        let name = format!("`{name}`");
        if !quoted.contains(&name) {
            quoted.push(name);
        }
    }
    (!quoted.is_empty()).then(|| (quoted.join(", "), quoted.len() == 1))
}

/// The line of the cell with a mark under the place.
pub(super) fn excerpt(source: &str, line: usize, column: usize, width: usize, label: &str) -> Vec<String> {
    let Some(text) = source.lines().nth(line.saturating_sub(1)) else {
        return Vec::new();
    };
    let number = line.to_string();
    let margin = " ".repeat(number.len());
    let room = text.chars().count().saturating_sub(column - 1).max(1);
    vec![
        format!("{BLUE}{margin}-->{PLAIN} cell, line {line}, column {column}"),
        format!("{BLUE}{number} |{PLAIN} {text}"),
        format!(
            "{BLUE}{margin} |{PLAIN} {}{RED}{} {label}{PLAIN}",
            " ".repeat(column - 1),
            "^".repeat(width.clamp(1, room))
        ),
    ]
}
