//! `cargo workbench lint notebooks`: how the notebooks read, and whether their cards, the numbers in their prose, in the pages beside
//! them and in the maps of the documents are those of the record.
//!
//! | file | holds |
//! | --- | --- |
//! | `numeral` | numbers as prose writes them |
//! | [`workbench_queries::links`] | numbers in prose that name their finding, held to the record |
//! | `map` | the map of each document, with the verdicts of today |
//! | `statements` | the tables on the rooms' front pages, from statement to item and claim |
//! | `cards` | the cards that cells show, held to the record |
//! | `charged` | rows that inherit a fault, held to the row that carries it |
//! | `style` | minutes, words, lines and columns; what stands around cards |
//! | `dead_links` | links to files, headings and cells that are not there |
//! | `layout` | cells as rustfmt would have them |
//! | `registered` | claims whose notebook or cell is not there |
//! | `placeholders` | what `new` wrote for somebody to write |

mod cards;
mod charged;
mod dead_links;
mod layout;
mod map;
mod placeholders;
mod registered;
mod statements;
mod style;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use workbench_record::{Claim, Registry, Tables, Verdict, atomic, program};

use dead_links::Linked;
use map::{Map, Sections};
pub use placeholders::UNWRITTEN;
use registered::Recorded;
pub use statements::begun;
use style::Style;
use workbench_base::error::{Error, Result};
use workbench_base::knobs;
use workbench_base::notebook::{CodeCell, Notebook, NotebookError, find, find_all};
use workbench_base::text::count;
use workbench_queries::links::{self, Told, links, rewritten, told};
use workbench_setup::paths::Workspace;

/// Options of `lint`.
#[derive(Args, Clone, Debug)]
pub struct LintArgs {
    /// What is looked at
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Clone, Debug)]
enum What {
    /// How the notebooks read, and whether numbers in prose are those of the record; in a project of your own what is said of lengths, words
    /// and minutes is advice
    Notebooks {
        /// Only these notebooks; all without one
        names: Vec<String>,
        /// Put the record's numbers where the prose has others, rustfmt's layout where it is the same code, today's verdicts into the maps,
        /// and what checks call into the rooms' tables
        #[arg(long)]
        write: bool,
    },
}

/// Prints what is found; the exit status is 0 only if nothing is. In a project of one's own the limits of our own style are advice.
///
/// # Errors
/// If registry, record or a notebook cannot be read, or a rewritten one not be written.
pub fn command(args: &LintArgs) -> Result<i32> {
    let What::Notebooks { names, write } = &args.what;
    let workspace = Workspace::find()?;
    let folder = workspace.notebooks();
    let paths = match names.is_empty() {
        true => {
            let mut all = find_all(&folder);
            all.sort();
            all
        }
        false => {
            names.iter().map(|name| find(&folder, name)).collect::<std::result::Result<Vec<_>, NotebookError>>()?
        }
    };
    let record = Record::read(&workspace)?;
    let (mut whole, mut told, mut sections) = (Style::default(), Counts::default(), Sections::default());
    let mut recorded = Recorded::default();
    for path in paths {
        let mut notebook = Notebook::read(&path)?;
        let style = Style::of(&notebook);
        println!("{}", line(&notebook.name(), &style));
        let complaints = record.notebook(&mut notebook, &style, *write);
        if *write && complaints.iter().any(|complaint| complaint.kind == Kind::Mended) {
            notebook.write(&path)?;
        }
        told.say("  ", &complaints);
        whole = whole.and(&style);
        sections.add(&notebook);
        recorded.add(&notebook, &record.registry);
    }
    println!("{}", line("all", &whole));
    if names.is_empty() {
        let (maps, complaints) = record.maps(&folder, &sections, *write);
        for map in maps.iter().filter(|map| *write && !map.current) {
            put(&folder.join(&map.file), &map.text)?;
        }
        told.say("", &complaints);
        told.say("", &record.registered(&workspace, &recorded));
        let (tables, complaints) = record.statements(&workspace, *write)?;
        for table in tables.iter().filter(|table| *write && !table.current) {
            put(&workspace.root().join(&table.file), &table.text)?;
        }
        told.say("", &complaints);
        for page in pages(&folder)? {
            let (complaints, right) = record.page(&page, *write)?;
            told.say("", &complaints);
            if let Some(right) = right {
                put(&page, &right)?;
            }
        }
    }
    if *write {
        println!("{} mended", told.mended);
    }
    println!("{}", told.line());
    if told.mendable > 0 {
        println!("{} of them `{} lint notebooks --write` mends", told.mendable, program());
    }
    Ok(i32::from(told.found > 0))
}

/// How many complaints were told.
#[derive(Default)]
struct Counts {
    /// Those that stand.
    found: usize,
    /// Those of them that `--write` mends.
    mendable: usize,
    /// Those that are no more.
    mended: usize,
    /// Those that a reader may leave.
    advice: usize,
}

impl Counts {
    /// In a line.
    fn line(&self) -> String {
        let complaints = count(self.found, "complaint");
        match self.advice {
            0 => complaints,
            advice => format!("{complaints}, {} of advice", count(advice, "piece")),
        }
    }

    /// Tells what was mended, then what stands, then what is advice.
    fn say(&mut self, indent: &str, complaints: &[Complaint]) {
        let kinds = [
            (Kind::Mended, "mended: ", &mut self.mended),
            (Kind::Stands, "", &mut self.found),
            (Kind::Advice, "advice: ", &mut self.advice),
        ];
        for (kind, word, seen) in kinds {
            for one in complaints.iter().filter(|one| one.kind == kind) {
                println!("{indent}{word}{}", one.text);
                *seen += 1;
            }
        }
        self.mendable += complaints.iter().filter(|one| one.mendable && one.kind == Kind::Stands).count();
    }
}

fn put(path: &Path, text: &str) -> Result<()> {
    let failed = |source| Error::io("write", path, source);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    atomic::write(path, text.as_bytes()).map_err(failed)
}

/// What the command says of all notebooks, pages and maps, in words.
///
/// # Errors
/// If registry, record or a notebook cannot be read.
pub fn complaints(workspace: &Workspace) -> Result<Vec<String>> {
    let record = Record::read(workspace)?;
    let (mut wrong, mut sections, mut recorded) = (Vec::new(), Sections::default(), Recorded::default());
    for path in find_all(&workspace.notebooks()) {
        let mut notebook = Notebook::read(&path)?;
        let (name, style) = (notebook.name(), Style::of(&notebook));
        let complaints = record.notebook(&mut notebook, &style, false);
        let due = complaints.into_iter().filter(|complaint| complaint.kind != Kind::Advice);
        wrong.extend(due.map(|complaint| format!("{name}, {}", complaint.text)));
        sections.add(&notebook);
        recorded.add(&notebook, &record.registry);
    }
    wrong.extend(record.registered(workspace, &recorded).into_iter().map(|complaint| complaint.text));
    let (_, mut complaints) = record.maps(&workspace.notebooks(), &sections, false);
    complaints.extend(record.statements(workspace, false)?.1);
    wrong.extend(complaints.into_iter().map(|complaint| complaint.text));
    for page in pages(&workspace.notebooks())? {
        let (complaints, _) = record.page(&page, false)?;
        wrong.extend(complaints.into_iter().map(|complaint| complaint.text));
    }
    Ok(wrong)
}

/// The pages that stand beside the notebooks, in the order of their names.
fn pages(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |source| Error::io("read", folder, source);
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    pages.sort();
    Ok(pages)
}

fn line(name: &str, style: &Style) -> String {
    let [median, high, longest] = style.spread();
    format!(
        "{name:38} {:3} min, {:5.1} words a line, cells {median:2} {high:2} {longest:2}, {:4} lines, {:3} wide, {:3} links",
        style.minutes(),
        style.ratio(),
        style.lines(),
        style.wide,
        style.links
    )
}

/// What becomes of a complaint.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It stands, and turns the exit status.
    Stands,
    /// It is no more.
    Mended,
    /// A reader may leave it.
    Advice,
}

struct Complaint {
    text: String,
    kind: Kind,
    /// Whether `--write` mends it.
    mendable: bool,
}

impl Complaint {
    fn of(text: String) -> Complaint {
        Complaint { text, kind: Kind::Stands, mendable: false }
    }

    /// One that is mended, or stands until `--write` mends it.
    fn with(text: String, mended: bool) -> Complaint {
        Complaint { text, kind: if mended { Kind::Mended } else { Kind::Stands }, mendable: true }
    }
}

/// Lines that ask for a knob and cannot have one, or have one that another line of their cell has.
fn refused_knobs(notebook: &Notebook) -> Vec<String> {
    let told = |cell: &CodeCell| {
        let names: Vec<String> = knobs::of(&cell.source).into_iter().map(|knob| knob.name).collect();
        let is_twice = |(at, name): &(usize, &String)| names[..*at].contains(name);
        let twice =
            names.iter().enumerate().filter(is_twice).map(|(_, name)| format!("two knobs `{name}`; rename one"));
        let all = knobs::refused(&cell.source).into_iter().chain(twice);
        all.map(|why| format!("cell {}: {why}", cell.id)).collect::<Vec<_>>()
    };
    notebook.cells().iter().flat_map(told).collect()
}

struct Record {
    registry: Registry,
    tables: Tables,
    /// Of a reader's own project, where the limits of our own style are advice.
    is_own: bool,
    /// Claims that have just been begun: what `new` wrote around them may still stand.
    begun: Vec<Claim>,
    /// The notebooks that links lead to.
    linked: Linked,
}

impl Record {
    fn read(workspace: &Workspace) -> Result<Record> {
        let claims: &Path = &workspace.notebooks().join("claims.toml");
        let registry = Registry::read(claims)?;
        Ok(Record {
            begun: placeholders::begun(&registry, workspace.root()),
            registry,
            tables: Tables::read(&workspace.results())?,
            is_own: workspace.is_own(),
            linked: Linked::default(),
        })
    }

    /// Whether a claim has numbers: one that was not tested has a reason instead, and one that has just been begun has nothing yet.
    fn is_tested(&self, claim: &str) -> bool {
        let mut rows = self.tables.rows.iter().filter(|row| row.claim == claim);
        rows.all(|row| row.verdict != Verdict::NotTested) && !self.begun.iter().any(|begun| begun.id == claim)
    }

    /// What of a notebook is not as it should be; with `write` its text gets the record's numbers.
    fn notebook(&self, notebook: &mut Notebook, style: &Style, write: bool) -> Vec<Complaint> {
        let mut complaints = self.numbers(notebook, write);
        for other in layout::otherwise_laid_out(notebook) {
            match other.right {
                None => complaints.push(Complaint::of(other.text)),
                Some(right) => {
                    complaints.push(Complaint::with(other.text, write));
                    if write {
                        notebook.replace_source(other.number, right);
                    }
                }
            }
        }
        let around = style::around_cards(notebook, &self.registry, |claim| self.is_tested(claim));
        // What `new` has just added may take a notebook beyond them, too, until it is written.
        let has_begun = self.begun.iter().any(|claim| claim.notebook == notebook.name());
        let taste = if self.is_own || has_begun { Kind::Advice } else { Kind::Stands };
        let of_style = style
            .beyond()
            .into_iter()
            .chain(style::crowded(notebook))
            .chain(style::promised_minutes(notebook, style))
            .chain(style::wide(notebook));
        complaints.extend(of_style.map(|text| Complaint { kind: taste, ..Complaint::of(text) }));
        complaints.extend(
            around
                .into_iter()
                .chain(self.linked.dead_in(notebook))
                .chain(refused_knobs(notebook))
                .chain(placeholders::in_notebook(notebook, &self.begun))
                .chain(cards::cards(notebook, &self.registry, &self.tables))
                .map(Complaint::of),
        );
        complaints
    }

    /// What of registry and checks is not as it should be: faults charged nowhere, notebooks and cells that are not there, what is left to
    /// be written.
    fn registered(&self, workspace: &Workspace, recorded: &Recorded) -> Vec<Complaint> {
        let mut complaints = charged::charged_nowhere(&self.tables);
        complaints.extend(registered::missing_notebooks(&self.registry, &workspace.notebooks()));
        complaints.extend(recorded.without_cells(&self.registry));
        complaints.extend(placeholders::in_registry(&self.registry, workspace.root(), &self.begun));
        complaints.into_iter().map(Complaint::of).collect()
    }

    /// Holds the numbers in a notebook's prose to the record; with `write`, puts the record's in their place.
    fn numbers(&self, notebook: &mut Notebook, write: bool) -> Vec<Complaint> {
        let mut complaints = Vec::new();
        for (index, text) in notebook.texts() {
            let place = format!("cell {}", notebook.id(index));
            let (found, right) = self.text(&place, &text, write);
            complaints.extend(found);
            if right != text {
                notebook.replace_text(index, &right);
            }
        }
        complaints
    }

    /// The same for one text; with `write` it comes back with the record's numbers.
    fn text(&self, place: &str, text: &str, write: bool) -> (Vec<Complaint>, String) {
        let (mut complaints, mut changes) = (Vec::new(), Vec::new());
        for link in links(text) {
            let said = &text[link.text.clone()];
            if links::is_in_formula(text, &link) {
                complaints.push(Complaint::of(format!(
                    "{place}: the link of {said} stands inside a formula, where none is set"
                )));
            }
            match told(&link, said, &self.registry, &self.tables) {
                Told::Right => {}
                Told::Unknown(why) => complaints.push(Complaint::of(format!("{place}: {why}"))),
                Told::Wrong(right) => {
                    let (claim, words) = (&link.claim, &link.words);
                    let text = format!("{place}: {said} is {right} in the record ({claim}, \"{words}\")");
                    complaints.push(Complaint::with(text, write));
                    changes.push((link.text, right));
                }
            }
        }
        let changes = if write { changes } else { Vec::new() };
        (complaints, rewritten(text, &changes))
    }

    /// The same for a page; its text comes back if it has to be written.
    fn page(&self, path: &Path, write: bool) -> Result<(Vec<Complaint>, Option<String>)> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::io("read", path, source))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let (mut complaints, right) = self.text(&name, &text, write);
        let folder = path.parent().unwrap_or(Path::new("."));
        complaints.extend(self.linked.dead_on(folder, &name, &text).into_iter().map(Complaint::of));
        Ok((complaints, (right != text).then_some(right)))
    }

    /// The maps with the numbers of the record, and what is wrong with those on disk.
    fn maps(&self, folder: &Path, sections: &Sections, write: bool) -> (Vec<Map>, Vec<Complaint>) {
        let read = |file: &PathBuf| std::fs::read_to_string(folder.join(file)).ok();
        let mut complaints = Vec::new();
        let mut maps = map::maps(&self.registry, &self.tables, sections, read);
        for map in &mut maps {
            let place = map.file.display().to_string();
            if !map.current {
                complaints.push(Complaint::with(format!("{place}: its table is not that of today"), write));
            }
            let (found, right) = self.text(&place, &map.text, write);
            complaints.extend(found);
            let beside = folder.join(&map.file);
            let beside = beside.parent().unwrap_or(folder);
            complaints.extend(self.linked.dead_on(beside, &place, &map.text).into_iter().map(Complaint::of));
            map.current &= right == map.text;
            map.text = right;
        }
        (maps, complaints)
    }

    /// The tables of the rooms' front pages, and what is wrong with those on disk.
    fn statements(&self, workspace: &Workspace, write: bool) -> Result<(Vec<Map>, Vec<Complaint>)> {
        let tables = statements::statements(&self.registry, workspace.root())?;
        let old = tables.iter().filter(|table| !table.current);
        let complaints = old
            .map(|table| Complaint::with(format!("{}: not what the checks call today", table.file.display()), write));
        let complaints = complaints.collect();
        Ok((tables, complaints))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_style_are_advice_in_a_project_of_ones_own_and_what_is_wrong_is_wrong_there_too() {
        let cell = format!("let x = \"{}\";\n", "y".repeat(100)).repeat(21)
            + "let far = 7; // knob 0..=5\nlet a = 1; // knob 0..=5\nlet a = 2; // knob 0..=5";
        let text = "**Reading**: 90 minutes. [gone](gone.ipynb) [3](#m/none \"it\") [1](#a/b \"c\") [2](#a/b \"d\") [4](#a/b \"e\")";
        let mut told = [false, true].map(|is_own| {
            let (registry, tables) = (Registry::empty(), Tables::default());
            let record = Record { registry, tables, is_own, begun: Vec::new(), linked: Linked::default() };
            let mut notebook = style::tests::notebook(&[("markdown", text), ("code", cell.trim())]);
            let style = Style::of(&notebook);
            let complaints = record.notebook(&mut notebook, &style, false);
            let mut counts = Counts::default();
            counts.say("", &complaints);
            (counts, complaints)
        });
        let (here, own) = (&told[0].0, &told[1].0);
        assert_eq!((here.advice, here.found), (0, own.advice + own.found), "here all stand");
        assert_eq!(own.line(), format!("{} complaints, {} pieces of advice", own.found, own.advice));
        let (advice, wrong): (Vec<Complaint>, Vec<Complaint>) =
            told[1].1.drain(..).partition(|one| one.kind == Kind::Advice);
        let advice: Vec<String> = advice.into_iter().map(|one| one.text).collect();
        for part in
            ["words for each line", "longest cell", "a paragraph with 4 numbers", "90 minutes of reading", "columns"]
        {
            assert!(advice.iter().any(|text| text.contains(part)), "{part}: {advice:?}");
        }
        let wrong: Vec<String> = wrong.into_iter().map(|one| one.text).collect();
        for part in ["dead link: gone.ipynb", "`m/none`", "no knob for `let far = 7;`", "two knobs `a`"] {
            assert!(wrong.iter().any(|text| text.contains(part)), "{part}: {wrong:?}");
        }
    }

    #[test]
    fn what_is_mended_is_counted_by_itself() {
        let mut told = Counts::default();
        told.say("", &[Complaint::of("stands".into()), Complaint::with("was".into(), true)]);
        told.say("", &[Complaint::with("is".into(), false)]);
        assert_eq!((told.found, told.mended, told.mendable), (2, 1, 1));
    }
}
