//! The map of a document: every statement in its order, with the section that asks after it, its verdict and its card.
//!
//! `notebooks/maps/DOCUMENT.md` is written by hand but for the table between two marks, which is made from registry and record.

use std::collections::HashMap;
use std::path::PathBuf;

use workbench_base::notebook::Notebook;
use workbench_record::{Claim, Registry, Row, Scale, Tables, Verdict, program};

const BEGIN: &str = "<!-- the map: written by `";
const END: &str = "<!-- end of the map -->";

/// A map as it stands on disk and as it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// Its file, below the folder of notebooks.
    pub file: PathBuf,
    /// Its text, with the table of today.
    pub text: String,
    /// Whether that is what stands there.
    pub current: bool,
}

/// Headings of notebooks: under which one a cell stands.
#[derive(Clone, Debug, Default)]
pub struct Sections(HashMap<(String, String), Section>);

/// A heading, and the cell of text that it is in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Section {
    heading: String,
    cell: String,
}

impl Sections {
    /// Adds those of a notebook.
    pub fn add(&mut self, notebook: &Notebook) {
        let texts = notebook.texts();
        let each = notebook.cells().iter().map(|cell| {
            let mut before = texts.iter().rev().skip_while(|(index, _)| *index > cell.index);
            let section = before.find_map(|(index, text)| {
                let heading = text.lines().rev().find(|line| line.starts_with('#'))?;
                Some(Section {
                    heading: heading.trim_start_matches('#').trim().to_string(),
                    cell: notebook.id(*index).to_string(),
                })
            });
            ((notebook.name(), cell.id.clone()), section.unwrap_or_default())
        });
        self.0.extend(each);
    }

    /// The section of a row's cell, as a link.
    fn link(&self, row: &Row) -> Option<String> {
        let section = self.0.get(&(row.notebook.clone(), row.cell.clone())).filter(|s| !s.heading.is_empty())?;
        let heading = section.heading.replace('|', "\\|").replace(['[', ']'], "");
        Some(format!("[{heading}](../{}.ipynb#cell-id={})", row.notebook, section.cell))
    }
}

/// The maps of all documents. One in which nobody has written, or that is not there, begins with the document's title of today.
pub fn maps(
    registry: &Registry,
    tables: &Tables,
    sections: &Sections,
    read: impl Fn(&PathBuf) -> Option<String>,
) -> Vec<Map> {
    let papers = registry.papers().iter();
    papers
        .map(|paper| {
            let file = PathBuf::from("maps").join(format!("{}.md", paper.id));
            let found = read(&file);
            let old = found.clone().filter(|text| is_written_in(text));
            let old = old.unwrap_or_else(|| format!("# {}\n", paper.title));
            let claims = registry.claims().iter().filter(|claim| claim.paper == paper.id);
            let text = with_table(&old, &table(claims, tables, sections));
            Map { current: found.as_ref() == Some(&text), file, text }
        })
        .collect()
}

/// Whether somebody has written more into a map than its title and its table.
fn is_written_in(text: &str) -> bool {
    let (before, rest) = text.split_once(BEGIN).unwrap_or((text, ""));
    let after = rest.split_once(END).map_or("", |(_, after)| after);
    before.lines().chain(after.lines()).filter(|line| !line.trim().is_empty() && !line.starts_with("# ")).count() > 0
}

/// The text with this table between the marks; at its end where it has none.
fn with_table(text: &str, table: &str) -> String {
    let made = format!("{BEGIN}{} lint notebooks --write` -->\n\n{table}\n{END}", program());
    match (text.find(BEGIN), text.find(END)) {
        (Some(begin), Some(end)) if begin < end => {
            format!("{}{made}{}", &text[..begin], &text[end + END.len()..])
        }
        _ => format!("{}\n\n{made}\n", text.trim_end()),
    }
}

fn table<'a>(claims: impl Iterator<Item = &'a Claim>, tables: &Tables, sections: &Sections) -> String {
    let mut out = String::from("| place | section | verdict | card |\n| --- | --- | --- | --- |\n");
    for claim in claims {
        let row = shown(&claim.id, tables);
        let name = claim.id.split_once('/').map_or(claim.id.as_str(), |(_, name)| name);
        let name = match row {
            Some(row) if !row.cell.is_empty() => {
                format!("[{name}](../{}.ipynb#cell-id={})", row.notebook, row.cell)
            }
            _ => name.to_string(),
        };
        let section = match row {
            Some(row) => sections.link(row).unwrap_or_else(|| format!("[{0}](../{0}.ipynb)", row.notebook)),
            None => "none yet".to_string(),
        };
        let place = claim.place.replace('|', "\\|");
        out += &format!("| {place} | {section} | {} | {name} |\n", verdict(row));
    }
    out
}

/// The row that speaks for a claim: the paper's scale before the quick one, the first seed before others.
fn shown<'a>(claim: &str, tables: &'a Tables) -> Option<&'a Row> {
    let rows = tables.rows.iter().filter(|row| row.claim == claim);
    rows.min_by_key(|row| (row.scale != Scale::Paper, row.seed))
}

fn verdict(row: Option<&Row>) -> String {
    match row {
        None => "open".to_string(),
        Some(row) => match (row.verdict, row.kind) {
            (Verdict::HoldsWithChange, Some(kind)) => format!("with a change: {kind}"),
            (Verdict::HoldsWithChange, None) => "with a change".to_string(),
            (verdict, kind) => verdict.word(kind).to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_record::Kind;

    #[test]
    fn the_table_stands_between_its_marks_and_the_rest_stays() {
        const MARK: &str = "<!-- the map: written by `cargo workbench lint notebooks --write` -->";
        let old = format!("# A\n\nWritten by hand.\n\n{BEGIN}workbench` -->\nold\n{END}\n\n## Questions\n");
        let new = with_table(&old, "| new |\n");
        assert_eq!(new, format!("# A\n\nWritten by hand.\n\n{MARK}\n\n| new |\n\n{END}\n\n## Questions\n"));
        assert_eq!(with_table(&new, "| new |\n"), new);
        assert!(with_table("# B\n", "| t |\n").ends_with(&format!("# B\n\n{MARK}\n\n| t |\n\n{END}\n")));
    }

    #[test]
    fn a_map_in_which_nobody_has_written_has_the_title_of_today() {
        let registry = "[[paper]]\nid = \"m\"\ntitle = \"New\"\n";
        let registry = Registry::parse(registry, std::path::Path::new("claims.toml")).unwrap();
        let old = with_table("# Old\n", "| t |\n");
        for (text, title) in [(old.clone(), "# New\n"), (format!("{old}\n## Questions\n"), "# Old\n")] {
            let made = maps(&registry, &Tables::default(), &Sections::default(), |_| Some(text.clone()));
            assert!(made[0].text.starts_with(title), "{}", made[0].text);
        }
    }

    #[test]
    fn a_cell_stands_under_the_last_heading_before_it() {
        let text = r###"{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
            {"cell_type": "markdown", "id": "m", "metadata": {}, "source": ["# A\n", "words\n", "## Is |x| small?"]},
            {"cell_type": "code", "id": "c", "metadata": {}, "outputs": [], "execution_count": null, "source": []}]}"###;
        let mut sections = Sections::default();
        sections.add(&Notebook::parse(std::path::Path::new("n.ipynb"), text).unwrap());
        let row = Row { notebook: "n".into(), cell: "c".into(), ..Row::blank("m/a", Scale::Quick, 1) };
        assert_eq!(sections.link(&row).unwrap(), r"[Is \|x\| small?](../n.ipynb#cell-id=m)");
        assert_eq!(sections.link(&Row { cell: "none".into(), ..row }), None);
    }

    #[test]
    fn a_row_of_the_paper_s_scale_speaks_for_its_claim() {
        let row = |scale, verdict, kind| Row {
            verdict,
            kind,
            notebook: "n".into(),
            cell: "c".into(),
            ..Row::blank("m/a", scale, 1)
        };
        let tables = Tables {
            rows: vec![
                row(Scale::Quick, Verdict::Fails, None),
                row(Scale::Paper, Verdict::HoldsWithChange, Some(Kind::Misprint)),
            ],
            ..Tables::default()
        };
        assert_eq!(verdict(shown("m/a", &tables)), "with a change: misprint");
        assert_eq!(verdict(shown("m/b", &tables)), "open");
    }
}
