//! The outputs of a run, back into the notebook's own file.

use workbench_record::digest;

use crate::notebook::Notebook;

/// How the outputs of a run got into the notebook's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The file was as it had been read.
    Plain,
    /// The file had been edited during the run: it keeps the edits, and the cells named here, whose code is another one than was
    /// run, keep what they showed.
    Merged(Vec<String>),
    /// The file is not a notebook any more, for this reason, and was left alone.
    LeftAlone(String),
}

impl Notebook {
    /// Writes the outputs of a run of the first `ran` code cells into the notebook's own file. What was edited there since it was read
    /// is kept: outputs go to the cells of the same id and the same code, and cells that were not run keep theirs.
    pub fn write_back(&self, ran: usize) -> crate::error::Result<Kept> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) => return Ok(Kept::LeftAlone(error.to_string())),
        };
        let edited = digest::of(&text) != self.read;
        if !edited && ran >= self.cells.len() {
            self.write(&self.path)?;
            return Ok(Kept::Plain);
        }
        let mut now = match Notebook::parse(&self.path, &text) {
            Ok(now) => now,
            Err(error) => return Ok(Kept::LeftAlone(error.to_string())),
        };
        let mut other = Vec::new();
        let (run, left) = self.cells.split_at(ran.min(self.cells.len()));
        for cell in now.cells.clone() {
            if left.iter().any(|left| left.id == cell.id) {
                continue;
            }
            match run.iter().find(|ran| ran.id == cell.id && ran.source == cell.source) {
                None => other.push(cell.id),
                Some(ran) => {
                    for field in ["outputs", "execution_count"] {
                        now.raw["cells"][cell.index][field] = self.raw["cells"][ran.index][field].clone();
                    }
                }
            }
        }
        now.set_language(self.raw["metadata"]["language_info"].clone());
        now.write(&self.path)?;
        Ok(if edited { Kept::Merged(other) } else { Kept::Plain })
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use nbformat::v4::Output;
    use serde_json::{Value, json};

    use super::*;

    const GOLDEN: &str = include_str!("../../../tests/data/golden.ipynb");

    fn written(folder: &Path, text: &str) -> PathBuf {
        let path = folder.join("n.ipynb");
        std::fs::write(&path, text).unwrap();
        path
    }

    /// The notebook with other outputs in all of its cells.
    fn ran(mut notebook: Notebook) -> Notebook {
        for cell in notebook.cells().to_vec() {
            let shown = Output::Stream {
                name: "stdout".into(),
                text: nbformat::v4::MultilineString(format!("new {}", cell.id)),
            };
            notebook.set_outputs(cell.index, &[shown], Some(7));
        }
        notebook
    }

    fn outputs(path: &Path, cell: &str) -> String {
        let notebook = Notebook::read(path).unwrap();
        let index = notebook.cells().iter().find(|c| c.id == cell).unwrap().index;
        notebook.raw["cells"][index]["outputs"].to_string()
    }

    #[test]
    fn edits_made_during_a_run_and_its_outputs_are_both_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), GOLDEN);
        assert_eq!(ran(Notebook::read(&path).unwrap()).write_back(usize::MAX).unwrap(), Kept::Plain);
        assert!(outputs(&path, "one").contains("new one"));

        // A text is edited, a cell's code is edited, a cell is gone, a cell is new.
        let notebook = ran(Notebook::read(&path).unwrap());
        let before = outputs(&path, "print");
        let mut edited: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let cells = edited["cells"].as_array_mut().unwrap();
        cells[0]["source"] = json!(["A better text."]);
        let at = |cells: &[Value], id: &str| cells.iter().position(|cell| cell["id"] == id).unwrap();
        let print = at(cells, "print");
        cells[print]["source"] = json!(["println!(\"edited\");"]);
        let gone = at(cells, "fails");
        let mut new = cells.remove(gone);
        new["id"] = json!("added");
        new["source"] = json!(["1 + 1"]);
        new["outputs"] = json!([]);
        cells.insert(1, new);
        std::fs::write(&path, edited.to_string()).unwrap();
        let kept = notebook.write_back(usize::MAX).unwrap();
        assert_eq!(kept, Kept::Merged(vec!["added".into(), "print".into()]));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("A better text.") && text.contains("edited"), "{text}");
        assert!(outputs(&path, "one").contains("new one"));
        assert_eq!(outputs(&path, "print"), before, "its code was not run, so it shows what it showed");
        assert_eq!(outputs(&path, "added"), "[]");

        std::fs::write(&path, "{ half").unwrap();
        assert!(matches!(notebook.write_back(usize::MAX).unwrap(), Kept::LeftAlone(_)));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{ half");
    }

    #[test]
    fn cells_that_were_not_run_keep_their_outputs() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), GOLDEN);
        let before = outputs(&path, "figure");
        let notebook = ran(Notebook::read(&path).unwrap());
        assert_eq!(notebook.write_back(2).unwrap(), Kept::Plain);
        assert!(outputs(&path, "empty").contains("new empty") && outputs(&path, "one").contains("new one"));
        assert_eq!(outputs(&path, "figure"), before);
    }
}
