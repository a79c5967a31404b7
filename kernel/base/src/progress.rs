//! Headings and lines on the terminal; plain lines where there is none.

use std::io::IsTerminal;
use std::time::Duration;

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

/// Something moving on the terminal for as long as the value lives; nothing where there is no terminal.
pub struct Spinner(Option<ProgressBar>);

/// Shows that `text` is under way and for how long.
pub fn spinner(text: &str) -> Spinner {
    Spinner(is_terminal().then(|| {
        let bar = ProgressBar::new_spinner();
        bar.set_style(
            ProgressStyle::with_template("    {spinner} {msg} {elapsed}")
                .unwrap_or_else(|_| ProgressStyle::default_spinner()),
        );
        bar.set_message(text.to_string());
        bar.enable_steady_tick(Duration::from_millis(120));
        bar
    }))
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some(bar) = self.0.take() {
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
