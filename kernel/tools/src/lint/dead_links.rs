//! Links to files, headings and cells that are not there.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use workbench_base::notebook::Notebook;

/// The notebooks that links lead to, each read once.
#[derive(Default)]
pub struct Linked(RefCell<HashMap<PathBuf, Option<Notebook>>>);

impl Linked {
    /// Those of a notebook, with the cells that they stand in.
    pub fn dead_in(&self, notebook: &Notebook) -> Vec<String> {
        let folder = notebook.path().parent().unwrap_or(Path::new("."));
        let texts = notebook.texts();
        let own: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
        let is_here = |place: &str| has_cell(notebook, place) || has_heading(&own, place);
        let of_cell = |(index, text): &(usize, String)| {
            self.dead(folder, &format!("cell {}", notebook.id(*index)), text, &is_here)
        };
        texts.iter().flat_map(of_cell).collect()
    }

    /// Those of a page in this folder.
    pub fn dead_on(&self, folder: &Path, name: &str, text: &str) -> Vec<String> {
        self.dead(folder, name, text, &|place| has_heading(&[text], place))
    }

    fn dead(&self, folder: &Path, at: &str, text: &str, is_here: &dyn Fn(&str) -> bool) -> Vec<String> {
        let targets =
            text.match_indices("](").map(|(at, _)| text[at + 2..].split([')', ' ']).next().unwrap_or_default());
        let is_dead = |target: &&str| {
            let (file, place) = target.split_once('#').unwrap_or((target, ""));
            // Elsewhere, or a number of a claim, which is held to the record.
            if target.contains(':') || file.is_empty() && place.contains('/') {
                return false;
            }
            // A map that is not written yet has no folder that one could go up from.
            let path = plain(folder.join(file));
            match file {
                "" => !is_here(place),
                _ if place.is_empty() || !file.ends_with(".ipynb") => !path.exists(),
                _ => !self.has_place(path, place),
            }
        };
        let told = |target| format!("{at}: dead link: {target}; correct it, or write what it leads to");
        targets.filter(is_dead).map(told).collect()
    }

    fn has_place(&self, path: PathBuf, place: &str) -> bool {
        let mut known = self.0.borrow_mut();
        let notebook = known.entry(path).or_insert_with_key(|path| Notebook::read(path).ok());
        notebook.as_ref().is_some_and(|notebook| {
            let texts = notebook.texts();
            has_cell(notebook, place)
                || has_heading(&texts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), place)
        })
    }
}

/// A path without steps up.
fn plain(path: PathBuf) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if plain.file_name().is_some() => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// Whether a notebook has this cell, as `cell-id=x`.
fn has_cell(notebook: &Notebook, place: &str) -> bool {
    place.strip_prefix("cell-id=").is_some_and(|id| {
        notebook.cells().iter().any(|cell| cell.id == id)
            || notebook.texts().iter().any(|(index, _)| notebook.id(*index) == id)
    })
}

/// Whether texts have a heading whose words, joined by hyphens as Jupyter joins them, are these, or such an anchor.
fn has_heading(texts: &[&str], place: &str) -> bool {
    let anchor = |line: &str| line.trim_start_matches('#').trim().replace(' ', "-");
    let mut lines = texts.iter().flat_map(|text| text.lines());
    lines.any(|line| line.starts_with('#') && anchor(line) == place || line.contains(&format!("id=\"{place}\"")))
}

#[cfg(test)]
mod tests {
    use super::super::style::tests::notebook;
    use super::*;

    #[test]
    fn links_lead_somewhere() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("there.ipynb"), "").unwrap();
        let text = "## A part\n[a](there.ipynb) [b](gone.ipynb) [c](https://x.y) [d](#m/a \"n\") [e](#A-part) [f](#no-part) \
            [g](#cell-id=c0) [h](#cell-id=c9) [i](n.ipynb#A-part) [j](n.ipynb#gone)";
        let path = folder.path().join("n.ipynb");
        let placed = Notebook::parse(&path, &notebook(&[("markdown", text)]).to_json()).unwrap();
        std::fs::write(&path, placed.to_json()).unwrap();
        let told = |at: &str, dead: &[&str]| -> Vec<String> {
            let told = |target| format!("{at}: dead link: {target}; correct it, or write what it leads to");
            dead.iter().map(told).collect()
        };
        let dead = ["gone.ipynb", "#no-part", "#cell-id=c9", "n.ipynb#gone"];
        assert_eq!(Linked::default().dead_in(&placed), told("cell c0", &dead));
        let beside = folder.path().join("maps");
        assert_eq!(Linked::default().dead_on(&beside, "m.md", "[a](../n.ipynb#A-part)"), [""; 0], "no folder yet");
        let dead = ["gone.ipynb", "#no-part", "#cell-id=c0", "#cell-id=c9", "n.ipynb#gone"];
        assert_eq!(Linked::default().dead_on(folder.path(), "page.md", text), told("page.md", &dead));
    }
}
