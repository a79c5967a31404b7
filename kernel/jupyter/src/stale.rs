//! Stale outputs: cards, figures and tables that were computed from what a cell has made again since.
//!
//! A cell rests on another where it mentions a name that the other was the last to write. When the other one runs again, the
//! outputs of all that rests on it say so, in place, until their own cells run again. So they do when a cell takes a name over from
//! another: one that was edited so that it makes the name, or a new one in place of one that was deleted. A new cell that makes a name once
//! more while the other one is still there is read as the next section of a text, and marks nothing: the kernel is not told the order of
//! cells. A cell that has the line `// follow` is run again by itself then, if it is quick and rests on nothing that is out of date, and says
//! why where it is not; `:stale` runs all of them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Map, Value};

use super::display_ids::Places;
use super::fallback_display::FallbackDisplay;
use workbench_eval::CellName;
use workbench_eval::channel::{Output, Role};
use workbench_eval::dataflow::Dataflow;

/// Most bytes of outputs that are kept of one cell, and of all.
const OF_CELL: usize = 4 << 20;
const OF_ALL: usize = 64 << 20;
/// A line of a cell that wants to be run again when what it rests on was made again.
const FOLLOW: &str = "// follow";
/// What takes longer, in seconds, is never run by itself.
const QUICK: f64 = 1.0;
/// What stands in the place of an output that was too large to be kept.
const LOST: &str = "(too large to be shown again on a page that was loaded again: run this cell)";

/// A cell as it ran last.
#[derive(Debug)]
struct Cell {
    /// Names that it took from others, with the cell that wrote each.
    rests_on: BTreeMap<String, String>,
    makes: BTreeSet<String>,
    /// What it makes and what it changes.
    writes: BTreeSet<String>,
    /// What it shows, each with an id.
    shown: Vec<Output>,
    /// Why its outputs are out of date, if they are.
    stale: Option<String>,
    /// Whether what it rests on was made again since it was last given out to be run by itself.
    due: bool,
    number: usize,
    rerun: Rerun,
}

/// A cell as it can be run again without its front end.
#[derive(Debug, Clone)]
pub struct Rerun {
    /// Who it is.
    pub name: CellName,
    /// Its text when it ran last.
    pub source: String,
    /// Where its outputs stand.
    pub places: Places,
    /// How long it ran last.
    pub seconds: f64,
}

impl Cell {
    /// Whether it follows what it rests on, and is quick enough for that.
    fn is_quick(&self) -> bool {
        follows(&self.rerun.source) && self.rerun.seconds <= QUICK
    }

    /// Where it asks to follow, why it does not: `waits_for` is the number of the first cell, maybe itself, that does not run by itself.
    fn why_it_does_not_follow(&self, waits_for: Option<usize>) -> String {
        let Some(first) = waits_for.filter(|_| follows(&self.rerun.source)) else {
            return String::new();
        };
        if first == self.number {
            let seconds = self.rerun.seconds;
            return format!(
                " It took {seconds:.1} s when it ran last: `{FOLLOW}` is for what takes {QUICK} s at most."
            );
        }
        format!(" `{FOLLOW}` waits for cell [{first}], which does not run by itself.")
    }

    /// What it shows now.
    fn standing(&self) -> Vec<Output> {
        let Places { ids, rest, again, .. } = &self.rerun.places;
        let rest = rest.iter().filter(|_| *again).map(FallbackDisplay::output);
        let lost = ids.iter().filter(|id| *again && self.shown.iter().all(|output| output.id.as_ref() != Some(id)));
        let lost = lost.map(|id| Output { id: Some(id.clone()), ..Output::text(LOST) });
        let kept = self.shown.iter().map(|output| match &self.stale {
            Some(why) if can_be_marked(output) => marked(output, why),
            _ => output.clone(),
        });
        rest.chain(lost).chain(kept).map(|output| Output { role: Role::Update, ..output }).collect()
    }
}

/// Whether a cell wants to follow what it rests on.
pub fn follows(source: &str) -> bool {
    source.lines().any(|line| line.trim() == FOLLOW)
}

/// The cells of a session and what rests on what.
#[derive(Debug, Default)]
pub struct Stale {
    cells: BTreeMap<String, Cell>,
    /// Who wrote a name last.
    writers: BTreeMap<String, String>,
    /// Cells that were deleted.
    deleted: HashSet<String>,
}

/// Whether an output can be marked: a card, a figure or a table rather than a plain value.
pub fn can_be_marked(output: &Output) -> bool {
    output.data.keys().any(|mime| mime == "text/html" || mime.starts_with("image/"))
}

impl Stale {
    /// Notes a cell that has run, with what it showed, and gives the outputs of other cells that are to be replaced.
    pub fn ran(
        &mut self,
        id: &str,
        number: usize,
        dataflow: &Dataflow,
        mut shown: Vec<Output>,
        rerun: Rerun,
    ) -> Vec<Output> {
        let before = self.cells.get(id);
        let rests_on = dataflow.reads.iter().filter_map(|name| {
            let writer = self.writers.get(name)?;
            // What it has changed itself still comes from who made it.
            let writer = if writer == id { before?.rests_on.get(name)? } else { writer };
            Some((name.clone(), writer.clone()))
        });
        let rests_on = rests_on.collect();
        if shown.iter().map(Output::size).sum::<usize>() > OF_CELL {
            shown.clear();
        }
        self.deleted.remove(id);
        let made_before = before.map(|cell| &cell.makes);
        let of_another = |name: &String| {
            let writer = self.writers.get(name).filter(|writer| *writer != id)?;
            let takes = match made_before {
                Some(made) => !made.contains(name),
                None => self.deleted.contains(writer),
            };
            takes.then(|| (name.clone(), writer.clone()))
        };
        let taken_over: BTreeMap<String, String> = dataflow.makes.iter().filter_map(of_another).collect();
        // What no cell has made is nobody's variable.
        let changed = dataflow.changes.iter().filter(|name| self.writers.contains_key(*name));
        let writes: BTreeSet<String> = dataflow.makes.iter().chain(changed).cloned().collect();
        let cell = Cell {
            rests_on,
            makes: dataflow.makes.clone(),
            writes: writes.clone(),
            shown,
            stale: None,
            due: false,
            number,
            rerun,
        };
        self.cells.insert(id.to_owned(), cell);
        self.forget_old();
        for name in writes {
            self.writers.insert(name, id.to_owned());
        }
        self.mark_all_that_rest_on(id, number, &taken_over)
    }

    /// Notes that a reader ran a cell and it did not compile: what it showed is gone, and its new text is what follows from now on.
    pub fn was_refused(&mut self, id: &str, rerun: Rerun) {
        if let Some(cell) = self.cells.get_mut(id) {
            cell.shown.clear();
            cell.rerun = rerun;
        }
    }

    /// Notes that the front end has deleted a cell: whoever makes its names from now on takes its place.
    pub fn was_deleted(&mut self, id: &str) {
        self.cells.remove(id);
        self.deleted.insert(id.to_owned());
    }

    /// The first cell that is to be run by itself now, but those that were already: what follows each other in a circle would never end. One
    /// that rests on what is out of date waits, or it would show that as if it were right. One that cannot be run, because it does not
    /// compile with what was made, is given again when that was made once more.
    pub fn due(&mut self, but: &HashSet<String>) -> Option<Rerun> {
        let waits = |cell: &Cell| cell.rests_on.values().any(|other| self.is_stale(other));
        let due = |id: &String, cell: &Cell| cell.due && cell.is_quick() && !waits(cell) && !but.contains(id);
        let all = self.cells.iter().filter(|(id, cell)| due(id, cell));
        let first = all.min_by_key(|(_, cell)| cell.number)?.0.clone();
        let first = self.cells.get_mut(&first)?;
        first.due = false;
        Some(first.rerun.clone())
    }

    fn is_stale(&self, id: &str) -> bool {
        self.cells.get(id).is_some_and(|cell| cell.stale.is_some())
    }

    /// What cells show now whose outputs are out of date or that have run by themselves: a page that was loaded again may show what was
    /// saved before.
    pub fn standing(&self) -> impl Iterator<Item = Output> {
        let changed = self.cells.values().filter(|cell| cell.stale.is_some() || cell.rerun.places.again);
        changed.flat_map(Cell::standing)
    }

    /// The first cell that is out of date, but those of `but`: one that rests on no other such cell, if there is one.
    pub fn next(&self, but: &HashSet<String>) -> Option<Rerun> {
        let stale = |id: &String| !but.contains(id) && self.is_stale(id);
        let all = self.cells.iter().filter(|(id, _)| stale(id));
        let (_, first) = all.min_by_key(|(_, cell)| (cell.rests_on.values().any(stale), cell.number))?;
        Some(first.rerun.clone())
    }

    /// Marks what rests on the cell `first`, and on names that it has taken over from the cells that had them.
    fn mark_all_that_rest_on(
        &mut self,
        first: &str,
        number: usize,
        taken_over: &BTreeMap<String, String>,
    ) -> Vec<Output> {
        let mut replaced = Vec::new();
        // With the number of a cell that does not run by itself.
        let mut open = vec![(first.to_owned(), None)];
        while let Some((id, waits_for)) = open.pop() {
            let writes = self.cells.get(&id).map(|cell| cell.writes.clone()).unwrap_or_default();
            for (other, cell) in &mut self.cells {
                let because = cell
                    .rests_on
                    .iter()
                    .find(|(name, writer)| {
                        let taken = id == first && taken_over.get(*name) == Some(*writer);
                        taken || **writer == id && writes.contains(*name)
                    })
                    .map(|(name, _)| name.clone());
                let Some(name) = because.filter(|_| other != first) else {
                    continue;
                };
                cell.due = true;
                if cell.stale.is_none() {
                    let mut why = if id == first {
                        format!("`{name}` was made again by cell [{number}]")
                    } else {
                        format!("`{name}` rests on what cell [{number}] has made again")
                    };
                    why += ", after this was computed. Run this cell again, or `:stale` for all.";
                    let waits_for = waits_for.or_else(|| (!cell.is_quick()).then_some(cell.number));
                    why += &cell.why_it_does_not_follow(waits_for);
                    replaced.extend(
                        cell.shown.iter().filter(|output| can_be_marked(output)).map(|output| marked(output, &why)),
                    );
                    cell.stale = Some(why);
                    open.push((other.clone(), waits_for));
                }
            }
        }
        replaced
    }

    /// The cells that made what a cell took from others when it ran last.
    pub fn rests_on(&self, id: &str) -> BTreeSet<String> {
        let cell = self.cells.get(id);
        cell.map(|cell| cell.rests_on.values().cloned().collect()).unwrap_or_default()
    }

    /// Whether outputs of a cell say that they are out of date.
    pub fn is_marked(&self, id: &str) -> bool {
        let cell = self.cells.get(id);
        cell.is_some_and(|cell| cell.stale.is_some() && cell.shown.iter().any(can_be_marked))
    }

    /// The oldest cells' outputs go first.
    fn forget_old(&mut self) {
        let size = |cell: &Cell| cell.shown.iter().map(Output::size).sum::<usize>();
        let mut all: usize = self.cells.values().map(size).sum();
        while all > OF_ALL {
            let oldest = self.cells.values_mut().filter(|cell| !cell.shown.is_empty());
            let Some(oldest) = oldest.min_by_key(|cell| cell.number) else {
                return;
            };
            all -= size(oldest);
            oldest.shown.clear();
        }
    }
}

/// An output as markup, if it is a card, a figure or a table.
pub fn markup(output: &Output) -> Option<String> {
    let text = |mime: &str| output.data.get(mime).and_then(Value::as_str);
    let image = |png: &str| format!("<img src=\"data:image/png;base64,{}\">", png.replace('\n', ""));
    let drawn = text("text/html").or_else(|| text("image/svg+xml")).map(str::to_owned);
    drawn.or_else(|| text("image/png").map(image))
}

/// An output with a note above it.
fn marked(output: &Output, why: &str) -> Output {
    let note = format!("out of date: {why}");
    let mut data = Map::new();
    for (mime, value) in &output.data {
        let value = match (mime.as_str(), value) {
            ("text/plain" | "text/markdown", Value::String(text)) => Value::String(format!("[{note}]\n\n{text}")),
            _ => value.clone(),
        };
        data.insert(mime.clone(), value);
    }
    if let Some(body) = markup(output) {
        data.insert("text/html".to_owned(), Value::String(banner(&escaped(&note)) + &body));
    }
    Output { data, role: Role::Update, ..output.clone() }
}

/// A note of the kernel's, as markup around markup.
pub fn banner(note: &str) -> String {
    format!("<div style=\"border-left:3px solid #b58900;padding:.1em .6em;margin:.2em 0\" role=\"note\">{note}</div>")
}

/// With names in backquotes as code.
fn escaped(note: &str) -> String {
    let text = note.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let parts = text.split('`').enumerate();
    parts.map(|(index, part)| if index % 2 == 1 { format!("<code>{part}</code>") } else { part.to_owned() }).collect()
}

#[cfg(test)]
mod tests;
