//! The code cells of a notebook file, as the audit and the digests need them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Error;
use super::digest::Digest;

/// The code cells of a notebook, top to bottom: id and source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    code: Vec<(String, String)>,
    /// Ids of all cells, also of those that hold text.
    ids: BTreeSet<String>,
}

impl Cells {
    /// Code cells by id.
    pub fn new(code: Vec<(String, String)>) -> Cells {
        let ids = code.iter().map(|(id, _)| id.clone()).collect();
        Cells { code, ids }
    }

    /// Reads a notebook file.
    ///
    /// # Errors
    /// Why it is none, as a sentence.
    pub fn read(path: &Path) -> Result<Cells, String> {
        let text = std::fs::read_to_string(path).map_err(|cause| cause.to_string())?;
        let json: Value = serde_json::from_str(&text).map_err(|cause| format!("not valid JSON: {cause}"))?;
        let format = json.get("nbformat").and_then(Value::as_u64);
        if format != Some(4) {
            let found = format.map_or("none".to_string(), |v| v.to_string());
            return Err(format!("notebook format {found}, needs 4; open and save it in JupyterLab"));
        }
        let cells = json.get("cells").and_then(Value::as_array).ok_or("it has no list of cells")?;
        let mut found = Cells::default();
        for cell in cells {
            let id = cell.get("id").and_then(Value::as_str).unwrap_or_default();
            if !id.is_empty() {
                found.ids.insert(id.to_string());
            }
            if cell.get("cell_type").and_then(Value::as_str) == Some("code") {
                found.code.push((id.to_string(), source(cell)));
            }
        }
        Ok(found)
    }

    /// The code cells: id and source.
    pub fn code(&self) -> &[(String, String)] {
        &self.code
    }

    /// Whether a cell of this id exists.
    pub fn has(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// For each code cell the digest of all code from the first cell to this one.
    pub fn digests(&self) -> Vec<(String, String)> {
        let mut digest = Digest::default();
        self.code
            .iter()
            .map(|(id, source)| {
                digest.add("cell");
                digest.add_code(source);
                (id.clone(), digest.clone().finish())
            })
            .collect()
    }

    /// The digest of all code from the first cell to the one of this id; empty if there is none.
    pub fn digest_to(&self, id: &str) -> String {
        let found = self.digests().into_iter().find(|(cell, _)| cell == id);
        found.map_or(String::new(), |(_, digest)| digest)
    }
}

/// The source of a cell, which the format allows as one string or as a list of lines.
fn source(cell: &Value) -> String {
    match cell.get("source") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

/// Notebooks by name, and the names of those that could not be read, each with the reason.
pub type Notebooks = (BTreeMap<String, Cells>, Vec<(String, String)>);

/// All notebooks of a folder.
///
/// # Errors
/// [`Error::Io`] if the folder cannot be listed.
pub fn read_all(folder: &Path) -> Result<Notebooks, Error> {
    let failed = |cause| Error::io("listing the notebooks folder", folder, cause);
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|e| e == "ipynb") {
            paths.push(path);
        }
    }
    paths.sort();
    let (mut notebooks, mut broken) = (BTreeMap::new(), Vec::new());
    for path in paths {
        let name = path.file_stem().map_or(String::new(), |s| s.to_string_lossy().into_owned());
        match Cells::read(&path) {
            Ok(cells) => {
                notebooks.insert(name, cells);
            }
            Err(problem) => broken.push((name, problem)),
        }
    }
    Ok((notebooks, broken))
}
