//! Notebook files: read and checked through the `nbformat` crate, written back byte for byte as Jupyter writes them.
//!
//! The parsed form serves to check and to read; the JSON itself is what is changed and written, so that whatever another
//! tool keeps in a notebook stays in it.

use std::path::{Path, PathBuf};

use nbformat::v4::{Cell, Output};
use serde::Serialize;
use serde_json::{Map, Value, json};
use workbench_record::{Cells, atomic, digest};

use crate::names::KERNEL_NAME;

mod back;
mod error;
mod find;

pub use back::Kept;
pub use error::NotebookError;
pub use find::{find, find_all};

/// A code cell as the runner sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeCell {
    /// Place among all cells of the notebook.
    pub index: usize,
    /// Cell id.
    pub id: String,
    /// Source text.
    pub source: String,
    /// Tags of the cell.
    pub tags: Vec<String>,
}

impl CodeCell {
    /// Whether the cell carries a tag.
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|own| own == tag)
    }
}

/// A notebook in memory.
#[derive(Clone, Debug)]
pub struct Notebook {
    path: PathBuf,
    raw: Value,
    cells: Vec<CodeCell>,
    /// Digest of the file's text when it was read.
    read: String,
}

impl Notebook {
    /// Reads and checks a notebook, whatever its kernel.
    pub fn read(path: &Path) -> Result<Self, NotebookError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| NotebookError::Read { path: path.to_path_buf(), source })?;
        Self::parse(path, &text)
    }

    /// Reads and checks a notebook that our kernel has to run.
    pub fn read_ours(path: &Path) -> Result<Self, NotebookError> {
        let notebook = Self::read(path)?;
        let found = match notebook.raw["metadata"]["kernelspec"]["name"].as_str() {
            Some(name) if name == KERNEL_NAME => return Ok(notebook),
            Some(name) => format!("the kernel {name:?}"),
            None => "no kernel at all".into(),
        };
        Err(NotebookError::ForeignKernel { path: path.to_path_buf(), found })
    }

    /// Checks a notebook given as text.
    pub fn parse(path: &Path, text: &str) -> Result<Self, NotebookError> {
        let path = path.to_path_buf();
        let mut raw: Value =
            serde_json::from_str(text).map_err(|source| NotebookError::NotJson { path: path.clone(), source })?;
        let Some(major) = raw["nbformat"].as_i64() else {
            let why = "it has no `nbformat` number".to_string();
            return Err(NotebookError::Invalid { path, why });
        };
        let minor = raw["nbformat_minor"].as_i64().unwrap_or(0);
        if major < 4 {
            return Err(NotebookError::OldFormat { path, major, minor });
        }
        if (major, minor) > (4, 5) {
            return Err(NotebookError::NewFormat { path, major, minor });
        }
        if minor < 5 {
            give_ids(&mut raw);
        }
        let cells = check(&path, &raw)?;
        let read = digest::of(text);
        Ok(Notebook { path, raw, cells, read })
    }

    /// File that it was read from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// File name without its ending.
    pub fn name(&self) -> String {
        self.path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
    }

    /// The code cells, top to bottom.
    pub fn cells(&self) -> &[CodeCell] {
        &self.cells
    }

    /// Replaces the outputs and the execution count of the cell at `index`.
    pub fn set_outputs(&mut self, index: usize, outputs: &[Output], count: Option<usize>) {
        let outputs: Vec<Value> = outputs.iter().filter_map(output_json).collect();
        if let Some(cell) = self.raw["cells"].get_mut(index) {
            cell["outputs"] = Value::Array(outputs);
            cell["execution_count"] = json!(count);
        }
    }

    /// Takes the outputs of all code cells away, so that none of an earlier run stands for one of this run.
    pub fn clear_outputs(&mut self, keep: impl Fn(&CodeCell) -> bool) {
        let cells: Vec<usize> = self.cells.iter().filter(|cell| !keep(cell)).map(|cell| cell.index).collect();
        for index in cells {
            self.set_outputs(index, &[], None);
        }
    }

    /// Gives a code cell, by its number among the code cells, another source.
    pub fn replace_source(&mut self, number: usize, source: String) {
        let cell = &mut self.cells[number];
        let lines: Vec<&str> = source.split_inclusive('\n').collect();
        self.raw["cells"][cell.index]["source"] = json!(lines);
        cell.source = source;
    }

    /// The cells of text, top to bottom: place among all cells, and source.
    pub fn texts(&self) -> Vec<(usize, String)> {
        let cells = self.raw["cells"].as_array().into_iter().flatten().enumerate();
        cells
            .filter(|(_, cell)| cell["cell_type"] == "markdown")
            .map(|(index, cell)| (index, joined(&cell["source"])))
            .collect()
    }

    /// The id of the cell at a place.
    pub fn id(&self, index: usize) -> &str {
        self.raw["cells"][index]["id"].as_str().unwrap_or_default()
    }

    /// Gives the cell of text at a place another source.
    pub fn replace_text(&mut self, index: usize, source: &str) {
        let lines: Vec<&str> = source.split_inclusive('\n').collect();
        self.raw["cells"][index]["source"] = json!(lines);
    }

    /// For each code cell the digest of all code from the first cell to this one.
    pub fn digests(&self) -> Vec<(String, String)> {
        let cells = self.cells.iter().map(|cell| (cell.id.clone(), cell.source.clone()));
        Cells::new(cells.collect()).digests()
    }

    /// What the code cells show as plain text, in their order: the cell's id, and one text for each value or display.
    pub fn shown(&self) -> impl Iterator<Item = (&str, String)> {
        let cells = self.cells.iter();
        cells.flat_map(|cell| {
            let outputs = self.raw["cells"][cell.index]["outputs"].as_array().into_iter().flatten();
            outputs.map(|output| (cell.id.as_str(), joined(&output["data"]["text/plain"])))
        })
    }

    /// Says in the metadata which language the kernel speaks, as Jupyter does when it saves.
    pub fn set_language(&mut self, language: Value) {
        if language.is_object() {
            self.raw["metadata"]["language_info"] = language;
        }
    }

    /// The notebook as Jupyter writes it: sorted keys, one space of indent, a newline at the end.
    pub fn to_json(&self) -> String {
        let mut bytes = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(b" ");
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
        // Writing a JSON value into memory cannot fail: its keys are strings and a Vec takes every byte.
        let _ = sorted(&self.raw).serialize(&mut serializer);
        bytes.push(b'\n');
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Writes the notebook to `path` in one step.
    pub fn write(&self, path: &Path) -> crate::error::Result<()> {
        atomic::write(path, self.to_json().as_bytes()).map_err(|source| crate::error::Error::io("write", path, source))
    }
}

/// Formats before 4.5 have no cell ids: gives each cell one that does not change from run to run.
fn give_ids(raw: &mut Value) {
    if let Some(cells) = raw["cells"].as_array_mut() {
        for (index, cell) in cells.iter_mut().enumerate() {
            if let Some(cell) = cell.as_object_mut() {
                cell.entry("id").or_insert_with(|| json!(format!("cell-{index}")));
            }
        }
    }
    raw["nbformat_minor"] = json!(5);
}

fn check(path: &Path, raw: &Value) -> Result<Vec<CodeCell>, NotebookError> {
    let invalid = |why: String| NotebookError::Invalid { path: path.to_path_buf(), why };
    let notebook = match nbformat::parse_notebook(&raw.to_string()) {
        Ok(nbformat::Notebook::V4(notebook)) => notebook,
        Ok(nbformat::Notebook::V4QuirksMode(quirks)) => {
            let cells: Vec<String> = quirks
                .quirks()
                .iter()
                .map(|quirk| match quirk {
                    nbformat::Quirk::MissingCellId { cell_index } => {
                        format!("cell {} has no id", cell_index + 1)
                    }
                    other => format!("{other:?}"),
                })
                .collect();
            return Err(invalid(cells.join(", ")));
        }
        Ok(_) => return Err(invalid("it is not a format 4 notebook".into())),
        Err(error) => return Err(invalid(error.to_string())),
    };
    let cells = notebook.cells.iter().enumerate();
    Ok(cells
        .filter_map(|(index, cell)| match cell {
            Cell::Code { id, metadata, source, .. } => Some(CodeCell {
                index,
                id: id.to_string(),
                source: source.concat(),
                tags: metadata.tags.clone().unwrap_or_default(),
            }),
            _ => None,
        })
        .collect())
}

/// A source as one text; files have it as one string or as lines.
fn joined(source: &Value) -> String {
    match source {
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().unwrap_or_default().to_string(),
    }
}

/// One output as it stands in a file. Python's writer splits an empty text into no lines, ours into one empty line.
fn output_json(output: &Output) -> Option<Value> {
    let mut value = serde_json::to_value(output).ok()?;
    if value["text"] == json!([""]) {
        value["text"] = json!([]);
    }
    Some(value)
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            let entries = keys.into_iter().map(|key| (key.clone(), sorted(&map[key])));
            Value::Object(entries.collect::<Map<String, Value>>())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOLDEN: &str = include_str!("../../../tests/data/golden.ipynb");
    const MINIMAL: &str = include_str!("../../../tests/data/minimal.ipynb");

    fn parse(text: &str) -> Result<Notebook, NotebookError> {
        Notebook::parse(Path::new("a/tour.ipynb"), text)
    }

    fn written(folder: &Path, text: &str) -> PathBuf {
        let path = folder.join("n.ipynb");
        std::fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn files_of_the_reference_implementation_come_back_byte_for_byte() {
        for golden in [GOLDEN, MINIMAL] {
            assert_eq!(parse(golden).unwrap().to_json(), golden);
        }
    }

    #[test]
    fn outputs_set_again_give_the_same_bytes() {
        let mut notebook = parse(GOLDEN).unwrap();
        let typed = match nbformat::parse_notebook(GOLDEN).unwrap() {
            nbformat::Notebook::V4(typed) => typed,
            other => panic!("{other:?}"),
        };
        for (index, cell) in typed.cells.iter().enumerate() {
            if let Cell::Code { outputs, execution_count, .. } = cell {
                let count = execution_count.map(|count| count as usize);
                notebook.set_outputs(index, outputs, count);
            }
        }
        assert_eq!(notebook.to_json(), GOLDEN);
    }

    #[test]
    fn code_cells_come_with_ids_sources_and_tags() {
        let notebook = parse(GOLDEN).unwrap();
        assert_eq!(notebook.name(), "tour");
        let ids: Vec<&str> = notebook.cells().iter().map(|c| c.id.as_str()).collect();
        assert_eq!(ids, vec!["empty", "one", "print", "figure", "fails"]);
        let print = &notebook.cells()[2];
        assert_eq!(print.index, 3);
        assert_eq!(print.source, "println!(\"a\");\nprintln!(\"b\");");
        assert!(print.has_tag("raises-exception"));
        assert!(!print.has_tag("skip-execution"));
    }

    #[test]
    fn not_json_says_where() {
        let error = parse("{\n<<<<<<< ours\n").unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
        assert!(error.contains("git checkout"), "{error}");
    }

    #[test]
    fn json_that_is_no_notebook_is_refused() {
        let error = parse("[1, 2]").unwrap_err();
        assert!(matches!(error, NotebookError::Invalid { .. }), "{error}");
        let error = parse(r#"{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}"#).unwrap_err();
        assert!(error.to_string().contains("cells"), "{error}");
    }

    #[test]
    fn old_and_new_formats_say_how_to_convert() {
        let old = parse(r#"{"nbformat": 3, "nbformat_minor": 0, "worksheets": []}"#).unwrap_err();
        assert!(old.to_string().contains("has format 3.0"), "{old}");
        assert!(old.to_string().contains("--nbformat 4 --inplace"), "{old}");
        let new = parse(r#"{"nbformat": 5, "nbformat_minor": 0, "cells": []}"#).unwrap_err();
        assert!(matches!(new, NotebookError::NewFormat { .. }), "{new}");
    }

    #[test]
    fn cells_without_an_id_are_refused_in_4_5_and_numbered_before() {
        let cell = r#"{"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": "1"}"#;
        let text =
            |minor: u8| format!(r#"{{"cells": [{cell}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": {minor}}}"#);
        let error = parse(&text(5)).unwrap_err().to_string();
        assert!(error.contains("cell 1 has no id"), "{error}");
        let notebook = parse(&text(4)).unwrap();
        assert_eq!(notebook.cells()[0].id, "cell-0");
        assert!(notebook.to_json().contains("\"nbformat_minor\": 5"));
    }

    #[test]
    fn a_foreign_or_missing_kernel_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let foreign = MINIMAL.replace("\"workbench\"", "\"python3\"");
        let error = Notebook::read_ours(&written(folder.path(), &foreign)).unwrap_err();
        assert!(error.to_string().contains("\"python3\""), "{error}");
        assert!(error.to_string().contains("Change Kernel"), "{error}");
        let none = r#"{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}"#;
        let error = Notebook::read_ours(&written(folder.path(), none)).unwrap_err();
        assert!(error.to_string().contains("no kernel at all"), "{error}");
        assert!(Notebook::read_ours(&written(folder.path(), MINIMAL)).is_ok());
    }

    #[test]
    fn a_file_that_is_gone_is_an_error() {
        let error = Notebook::read(Path::new("no/such.ipynb")).unwrap_err();
        assert!(matches!(error, NotebookError::Read { .. }), "{error}");
    }
}
