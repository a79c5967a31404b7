//! Why a cell failed, in words and with its place in the reader's cell.

use super::cell::Prepared;
use super::gone::Gone;
use super::remedy::remedy;

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
        if let Some(remedy) = remedy(texts.map(String::as_str)) {
            self.message = format!("{}\n{remedy}", self.message);
            self.traceback.push(remedy.to_owned());
        }
        self
    }

    /// Says which of the cell's new variables are gone with the error. `after` are those that there are.
    pub(super) fn with_lost_variables(mut self, cell: &Prepared, after: &[String]) -> Failure {
        let line = self.line.unwrap_or(usize::MAX);
        let mut lost: Vec<String> = Vec::new();
        for (name, ends) in &cell.makes {
            let name = format!("`{name}`");
            if *ends < line && !lost.contains(&name) && !after.contains(&name) {
                lost.push(name);
            }
        }
        if !lost.is_empty() {
            let (are, they) = if lost.len() == 1 { ("is", "it") } else { ("are", "they") };
            self.traceback.push(format!(
                "  {BLUE}note{PLAIN}: {} {are} gone: a cell's new variables are kept when it has run to its end. What it did to older ones \
                 stays. In a cell of {they_own}, before the one that fails, {they} would be kept.",
                lost.join(", "),
                they_own = if lost.len() == 1 { "its own" } else { "their own" },
            ));
        }
        self
    }

    /// Says what became of the names that the compiler did not find.
    pub(super) fn with_reasons(mut self, gone: &Gone) -> Failure {
        let names = self
            .message
            .split("cannot find ")
            .skip(1)
            .filter_map(|rest| rest.split('`').nth(1));
        let mut reasons: Vec<String> = names.filter_map(|name| gone.explain(name)).collect();
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
