//! Headings and lines on the terminal; plain lines where there is none.

use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Whether progress bars can be drawn.
pub fn is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// Says which step begins.
pub fn step(text: &str) {
    eprintln!("==> {text}");
}

/// Says something about the step under way.
pub fn note(text: &str) {
    eprintln!("    {text}");
}

/// How long something goes on without a line where there is no terminal.
const SILENCE: Duration = Duration::from_secs(10);

/// Something moving on the terminal for as long as the value lives; a line now and then where there is no terminal.
pub enum Spinner {
    /// What moves.
    Bar(ProgressBar),
    /// Who writes the lines ends when this does.
    Lines(Sender<()>),
}

/// Shows that `text` is under way and for how long.
pub fn spinner(text: &str) -> Spinner {
    if is_terminal() {
        let bar = ProgressBar::new_spinner();
        bar.set_style(
            ProgressStyle::with_template("    {spinner} {msg} {elapsed}")
                .unwrap_or_else(|_| ProgressStyle::default_spinner()),
        );
        bar.set_message(text.to_string());
        bar.enable_steady_tick(Duration::from_millis(120));
        return Spinner::Bar(bar);
    }
    let (alive, gone) = mpsc::channel();
    let (text, begun) = (text.to_string(), Instant::now());
    std::thread::spawn(move || {
        while gone.recv_timeout(SILENCE) == Err(RecvTimeoutError::Timeout) {
            note(&format!("{text}, {} so far", seconds(begun.elapsed().as_secs_f64())));
        }
    });
    Spinner::Lines(alive)
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Spinner::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// Seconds as `3.2 s` or `2 min 05 s`.
pub fn seconds(seconds: f64) -> String {
    if seconds < 60.0 {
        format!("{seconds:.1} s")
    } else {
        let whole = seconds.round() as u64;
        format!("{} min {:02} s", whole / 60, whole % 60)
    }
}

/// A table of text with aligned columns; `right` lists the columns that are right-aligned.
pub fn table(header: &[&str], rows: &[Vec<String>], right: &[usize]) -> String {
    let count = header.len();
    let width = |column: usize| {
        rows.iter()
            .map(|row| row.get(column).map_or(0, |cell| cell.chars().count()))
            .chain([header[column].chars().count()])
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let line = |cells: Vec<&str>| {
        let text: Vec<String> = cells
            .iter()
            .enumerate()
            .map(|(column, cell)| {
                let pad = " ".repeat(widths[column].saturating_sub(cell.chars().count()));
                if right.contains(&column) { format!("{pad}{cell}") } else { format!("{cell}{pad}") }
            })
            .collect();
        text.join("  ").trim_end().to_string()
    };
    let mut lines =
        vec![line(header.to_vec()), widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>().join("  ")];
    for row in rows {
        let cells: Vec<&str> = (0..count).map(|column| row.get(column).map_or("", String::as_str)).collect();
        lines.push(line(cells));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = vec![vec!["a".to_string(), "10".into()], vec!["bcd".into(), "7".into()]];
        let text = table(&["name", "n"], &rows, &[1]);
        assert_eq!(text, "name   n\n----  --\na     10\nbcd    7");
    }

    #[test]
    fn times_read_well() {
        assert_eq!(seconds(3.21), "3.2 s");
        assert_eq!(seconds(125.0), "2 min 05 s");
    }
}
