//! Why a cell failed, in words and with its place in the reader's cell.

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
}

impl Failure {
    /// A failure without a place in the cell.
    pub fn new(name: &str, message: impl Into<String>) -> Failure {
        let message = message.into();
        Failure {
            traceback: vec![format!("{RED}{name}{PLAIN}: {message}")],
            name: name.to_owned(),
            message,
        }
    }

    /// Says what to do where the message is only the system's "no space left", in one of its forms.
    pub fn with_remedy(mut self) -> Failure {
        let full = [
            "No space left",
            "os error 28",
            "File too large",
            "os error 27",
            "Disk quota",
            "os error 122",
        ];
        if full
            .iter()
            .any(|sign| self.message.contains(sign) || self.traceback.iter().any(|line| line.contains(sign)))
        {
            let remedy = "The disk is full, or what you may use of it: free some space (`df -h` shows where the temporary folder and \
                the project's target/ are), then run the cell again. The variables that there were are kept.";
            self.message = format!("{}\n{remedy}", self.message);
            self.traceback.push(remedy.to_owned());
        }
        self
    }

    /// With the line of the cell and a mark under the place.
    pub(super) fn with_place(mut self, source: &str, line: usize, column: usize, width: usize, label: &str) -> Failure {
        self.traceback.extend(excerpt(source, line, column, width, label));
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
