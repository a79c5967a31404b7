//! Settings that a cell was computed with, and a note among its outputs that says them.
//!
//! A knob that is turned runs its cell with another value than its text has, and what rests on that cell may run before or after. So
//! each cell remembers the values of its own knobs and of those that it rests on, as they were when it ran. Among its outputs it has a
//! place that names these values, and the line of a knob that says another; a page that is saved so says it, whoever saves it. A front end
//! that was loaded again may replace nothing that a file shows, neither figure nor note, and the two stay a pair. Where a front end writes
//! lines, the place is empty as long as these say the values. The place's metadata name the values, so that JupyterLab's server can put them into the lines of the file that it writes
//! (`assets/lab/save.py`).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::stale::banner;
use workbench_base::text::html;
use workbench_eval::CellName;
use workbench_eval::channel::{Output, Role};

/// Under which the metadata of a place are found.
pub const KEY: &str = "workbench";

/// The value of a knob that something was computed with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct With {
    /// The knob's cell.
    pub cell: String,
    /// The knob.
    pub name: String,
    /// The value, as it would stand in the line.
    pub value: String,
}

/// What is known of the line of a knob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The number of its cell.
    pub number: usize,
    /// What it says.
    pub says: String,
    /// What it said when the reader ran the cell.
    pub ran: String,
}

/// A cell as it ran last.
#[derive(Debug, Default)]
struct Noted {
    with: BTreeSet<With>,
    /// Whether its outputs are of that run.
    shows: bool,
    /// The id of its place, and the number of the run that it belongs to.
    place: Option<(String, usize)>,
    /// What stands there.
    told: Option<Output>,
}

/// The cells of a session and what they were computed with.
#[derive(Debug, Default)]
pub struct Notes {
    cells: BTreeMap<String, Noted>,
}

impl Notes {
    /// The reader runs a cell: the front end removes what it showed.
    pub fn begins(&mut self, cell: &str) {
        let noted = self.cells.entry(cell.to_owned()).or_default();
        *noted = Noted { with: std::mem::take(&mut noted.with), ..Noted::default() };
    }

    /// Notes a cell that has run, with its own knobs as `(name, value)` and the cells that it rests on.
    pub fn ran(&mut self, cell: &str, own: Vec<(String, String)>, rests_on: &BTreeSet<String>) {
        let others = rests_on.iter().filter_map(|other| self.cells.get(other));
        let others = others.flat_map(|noted| &noted.with).filter(|with| with.cell != cell);
        let own = own.into_iter().map(|(name, value)| With { cell: cell.to_owned(), name, value });
        let with: BTreeSet<With> = others.cloned().chain(own).collect();
        let noted = self.cells.entry(cell.to_owned()).or_default();
        (noted.with, noted.shows) = (with, true);
    }

    /// Gives a cell a place for its note, if it has none yet and was computed with knobs, or if it may run by itself later. `run` is what
    /// the ids of its outputs begin with.
    pub fn make_place(&mut self, name: &CellName, run: &str, always: bool) {
        let noted = self.cells.entry(name.id.clone()).or_default();
        if noted.place.is_none() && (always || !noted.with.is_empty()) {
            noted.place = Some((format!("{run}-with"), name.count));
        }
    }

    /// The values of a cell's own knobs that its outputs were computed with.
    pub fn own(&self, cell: &str) -> Vec<(String, String)> {
        let shown = self.cells.get(cell).filter(|noted| noted.shows);
        let own = shown.into_iter().flat_map(|noted| &noted.with).filter(|with| with.cell == cell);
        own.map(|with| (with.name.clone(), with.value.clone())).collect()
    }

    /// What stands in all places now.
    pub fn standing(&self) -> impl Iterator<Item = Output> {
        let told = self.cells.values().filter_map(|noted| noted.told.clone());
        told.map(|output| Output { role: Role::Update, ..output })
    }

    /// The places whose notes are to be shown anew. `line` tells what is known of a knob's line, and `marked` whether a cell's outputs say
    /// already that they are out of date; these say nothing of other cells' knobs. Where no front end writes `lines`, every value is told.
    pub fn due(
        &mut self,
        line: impl Fn(&With) -> Option<Line>,
        marked: impl Fn(&str) -> bool,
        lines: bool,
    ) -> Vec<Output> {
        let mut due = Vec::new();
        for (cell, noted) in &mut self.cells {
            let Some((place, count)) = &noted.place else { continue };
            let others = !marked(cell);
            let told = |with: &&With| noted.shows && (others || with.cell == *cell);
            let with = noted.with.iter().filter(told);
            let mut output = note(cell, with, &line, lines);
            output.id = Some(place.clone());
            // A page that is loaded again has no place if there was nothing to say when it was saved, and makes it anew.
            output.metadata[KEY]["cell"] = json!(cell);
            output.metadata[KEY]["count"] = json!(count);
            if noted.told.as_ref() != Some(&output) {
                let role = if noted.told.is_some() { Role::Update } else { Role::Show };
                noted.told = Some(output.clone());
                due.push(Output { role, ..output });
            }
        }
        due
    }
}

/// The note of a cell. Where somebody writes `lines`, it is empty as long as these say what it was computed with.
fn note<'a>(
    cell: &str,
    with: impl Iterator<Item = &'a With>,
    line: impl Fn(&With) -> Option<Line>,
    lines: bool,
) -> Output {
    let (mut told, mut differs, mut knobs) = (Vec::new(), false, Vec::new());
    for one in with {
        let With { name, value, .. } = one;
        let own = one.cell == cell;
        let line = line(one);
        if let Some(Line { says, number, .. }) = line.as_ref().filter(|line| line.says != *value) {
            let whose = if own { "this cell".to_owned() } else { format!("cell [{number}]") };
            told.push(format!("computed with {name} = {value}; the line of {whose} says {says}"));
            differs = true;
        } else if !lines {
            told.push(format!("computed with {name} = {value}"));
        }
        let mut knob = json!({"name": name, "value": value});
        match line {
            _ if !own => knob["cell"] = json!(one.cell),
            Some(line) => knob["ran"] = json!(line.ran),
            None => {}
        }
        knobs.push(knob);
    }
    let mut output = Output::text(told.join("\n"));
    if differs {
        let lines: Vec<String> = told.iter().map(|line| html(line)).collect();
        let note = Value::String(banner(&lines.join("<br>")));
        output.data.insert("text/html".to_owned(), note);
    }
    output.metadata.insert(KEY.to_owned(), json!({"knobs": knobs}));
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(id: &str) -> CellName {
        CellName { id: id.to_owned(), count: 3 }
    }

    /// A session in which a cell runs with a knob `d`, of which the line says 144, or that rests on others.
    fn ran(notes: &mut Notes, cell: &str, own: Option<&str>, rests_on: &[&str], by_hand: bool) {
        if by_hand {
            notes.begins(cell);
        }
        let own = own.map(|value| ("d".to_owned(), value.to_owned()));
        let others = rests_on.iter().map(|cell| (*cell).to_owned()).collect();
        notes.ran(cell, own.into_iter().collect(), &others);
        notes.make_place(&named(cell), &format!("{cell}-3"), false);
    }

    fn due(notes: &mut Notes, says: &str) -> Vec<String> {
        let line = |_: &With| Some(Line { number: 3, says: says.to_owned(), ran: "144".to_owned() });
        let told = |output: Output| format!("{} {:?}: {}", output.id.unwrap(), output.role, output.data["text/plain"]);
        notes.due(line, |cell| cell == "marked", true).into_iter().map(told).collect()
    }

    #[test]
    fn a_value_that_the_line_does_not_say_is_told_until_it_does() {
        let mut notes = Notes::default();
        ran(&mut notes, "a", Some("144"), &[], true);
        assert_eq!(due(&mut notes, "144"), ["a-3-with Show: \"\""]);
        assert_eq!(due(&mut notes, "144"), Vec::<String>::new());
        ran(&mut notes, "a", Some("30"), &[], false);
        let told = "a-3-with Update: \"computed with d = 30; the line of this cell says 144\"";
        assert_eq!(due(&mut notes, "144"), [told]);
        // A front end has written the line, or the knob is turned back.
        assert_eq!(due(&mut notes, "30"), ["a-3-with Update: \"\""]);
        assert_eq!(due(&mut notes, "144"), [told]);
        ran(&mut notes, "a", Some("144"), &[], false);
        assert_eq!(due(&mut notes, "144"), ["a-3-with Update: \"\""]);
        // One that the reader runs and that is refused was computed with nothing.
        ran(&mut notes, "a", Some("30"), &[], false);
        due(&mut notes, "144");
        notes.begins("a");
        notes.make_place(&named("a"), "a-3", true);
        assert_eq!(due(&mut notes, "144"), ["a-3-with Show: \"\""]);
    }

    #[test]
    fn what_rests_on_a_knob_keeps_the_value_that_it_was_computed_with() {
        let mut notes = Notes::default();
        ran(&mut notes, "a", Some("144"), &[], true);
        ran(&mut notes, "b", None, &["a"], true);
        ran(&mut notes, "c", None, &["b"], true);
        ran(&mut notes, "marked", None, &["b"], true);
        ran(&mut notes, "other", None, &[], true);
        assert_eq!(due(&mut notes, "144").len(), 4);
        ran(&mut notes, "a", Some("30"), &[], false);
        ran(&mut notes, "c", None, &["a", "b"], false);
        let told = due(&mut notes, "144");
        assert!(told.len() == 2 && told[1].contains("with d = 30; the line of cell [3] says 144"), "{told:?}");
        // Once the line says 30, what was not run again says so.
        let told = due(&mut notes, "30");
        assert!(told[1].contains("b-3-with") && told[1].contains("with d = 144; the line of cell [3] says 30"));
        assert!(told[2].contains("c-3-with") && told[2].contains("with d = 144;"), "{told:?}");
    }

    #[test]
    fn where_nobody_writes_lines_outputs_say_their_values_before_a_knob_is_turned() {
        let mut notes = Notes::default();
        ran(&mut notes, "a", Some("144"), &[], true);
        ran(&mut notes, "b", None, &["a"], true);
        let line = |_: &With| Some(Line { number: 3, says: "144".to_owned(), ran: "144".to_owned() });
        // What a file keeps that nothing is replaced in, of a cell that rests on a line edited since, too.
        let told = |outputs: Vec<Output>| outputs.into_iter().map(|output| output.data["text/plain"].clone());
        let said = told(notes.due(line, |_| false, false)).collect::<Vec<_>>();
        assert_eq!(said, ["computed with d = 144", "computed with d = 144"]);
        assert_eq!(notes.due(line, |_| false, false), []);
        // A front end that writes lines takes over.
        assert_eq!(told(notes.due(line, |_| false, true)).collect::<Vec<_>>(), ["", ""]);
    }

    #[test]
    fn metadata_name_the_values_for_those_who_save() {
        let mut notes = Notes::default();
        ran(&mut notes, "a", Some("30"), &[], true);
        ran(&mut notes, "b", None, &["a"], true);
        let line = |_: &With| Some(Line { number: 3, says: "<1>".to_owned(), ran: "144".to_owned() });
        let shown = notes.due(line, |_| false, true);
        let knob = json!({"knobs": [{"name": "d", "value": "30", "ran": "144"}], "cell": "a", "count": 3});
        assert_eq!(shown[0].metadata[KEY], knob);
        assert!(shown[0].data["text/html"].as_str().unwrap().contains("says &lt;1&gt;</div>"));
        let knob = json!({"knobs": [{"name": "d", "value": "30", "cell": "a"}], "cell": "b", "count": 3});
        assert_eq!(shown[1].metadata[KEY], knob);
        // One who comes later hears the same.
        let later: Vec<Output> = notes.standing().collect();
        let same =
            |(later, shown): (&Output, &Output)| (&later.data, &later.metadata) == (&shown.data, &shown.metadata);
        assert!(later.len() == 2 && later.iter().zip(&shown).all(same) && later[0].role == Role::Update);
        assert_eq!(notes.own("a"), [("d".to_owned(), "30".to_owned())]);
        assert_eq!(notes.own("b"), []);
        notes.begins("a");
        assert_eq!(notes.own("a"), []);
    }
}
