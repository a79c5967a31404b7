//! The folded lines of a card: its findings as tables, and what was fixed before the run.

use workbench_display::escape;
use workbench_record::number::rounded;
use workbench_record::{Outcome, Role};

use crate::check::Fixed;
use crate::sheet::Knob;
use crate::show::{Side, outcome_mark, table};

/// A finding, as a card tells it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) role: Role,
    pub(super) label: String,
    pub(super) measured: String,
    pub(super) expected: String,
    pub(super) n: String,
    pub(super) outcome: Outcome,
}

/// Lines as a table; nothing for none.
pub(super) fn rows(name: &str, lines: &[&Line]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let columns = [
        ("", Side::Left),
        ("finding", Side::Left),
        ("measured", Side::Right),
        ("expected", Side::Short),
        ("from", Side::Short),
    ];
    let cells = |line: &&Line| {
        let (mark, words) = says(line);
        vec![
            format!("<span title=\"{words}\" aria-label=\"{words}\">{mark}</span>"),
            format!("{}{}", prefix(line.role), escape::html(&line.label)),
            escape::html(&line.measured),
            escape::html(&line.expected),
            escape::html(&line.n),
        ]
    };
    table(name, &columns, &lines.iter().map(cells).collect::<Vec<_>>())
}

/// Style sheets of some viewers make a summary a block, which takes away the mark that it can be opened.
const MARKED: &str = "style=\"cursor:pointer;display:list-item\"";

pub(super) fn folded(summary: &str, lines: &[&Line]) -> String {
    closed(summary, &rows(summary, lines))
}

/// Behind a summary that opens it; nothing for nothing.
pub(super) fn closed(summary: &str, inside: &str) -> String {
    match inside {
        "" => String::new(),
        inside => format!(
            "<details style=\"margin:4px 0\"><summary {MARKED}>{}</summary>{inside}</details>",
            escape::html(summary)
        ),
    }
}

/// What was fixed before the run, as a folded list.
pub(super) fn fixed_before(fixed: &Fixed) -> String {
    let Fixed { check: plan, file, margins, knobs } = fixed;
    let mut out = format!(
        "<details style=\"margin:4px 0\"><summary {MARKED}>fixed before the run</summary><ul style=\"margin:2px 0\">"
    );
    let mut item = |name: &str, text: &str| {
        out += &format!("<li>{name}: {}</li>", escape::html(text));
    };
    item("measure", plan.metric);
    item("would count against it", plan.against);
    for (name, texts) in [
        ("as in the paper", plan.protocol),
        ("our choice", plan.choices),
        ("departure", plan.departures),
        ("rival", plan.rivals),
    ] {
        texts.iter().for_each(|text| item(name, text));
    }
    for margin in margins {
        let value = rounded(margin.value, 6);
        item("margin", &format!("{} {value} ({}), because {}", margin.name, margin.origin.text(), margin.reason));
    }
    for Knob { name, value, default } in knobs {
        let of_record = if value == default { String::new() } else { format!(" ({default} in the record)") };
        item("knob", &format!("{name} = {value}{of_record}"));
    }
    if !file.is_empty() {
        let file = escape::html(file);
        out += &format!("<li>the check: <a href=\"../{file}\">{file}</a></li>");
    }
    out + "</ul></details>"
}

pub(super) fn prefix(role: Role) -> &'static str {
    match role {
        Role::Printed => "",
        Role::Corrected => "changed: ",
        Role::Twin => "wrong form: ",
        Role::Support => "control: ",
        Role::Aside => "shown beside: ",
    }
}

/// What a line says, with its mark; a wrong form is judged by whether the check tells it apart.
pub(super) fn says(line: &Line) -> (&'static str, &'static str) {
    match (line.role, line.outcome) {
        (Role::Twin, Outcome::Supports) => ("✗", "passes too, the check is blind"),
        (Role::Twin, Outcome::Contradicts) => ("✓", "rejected, as it should be"),
        (Role::Twin, Outcome::Undecided) => ("?", "not told apart"),
        (_, outcome) => (outcome_mark(outcome), outcome.text()),
    }
}
