//! Search for notebooks in a folder.

use std::path::{Path, PathBuf};

use crate::notebook::error::NotebookError;

/// All notebooks under `folder`, sorted by path; results, checkpoints and hidden folders are left out.
pub fn find_all(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(place) = open.pop() {
        for entry in std::fs::read_dir(&place).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') {
                continue;
            }
            if path.is_dir() {
                if name != "results" {
                    open.push(path);
                }
            } else if path.extension().is_some_and(|ending| ending == "ipynb") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The notebook that `name` means: a path, a file name, or a file name without its ending.
pub fn find(folder: &Path, name: &str) -> Result<PathBuf, NotebookError> {
    let all = find_all(folder);
    let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let wanted = name.strip_suffix(".ipynb").unwrap_or(name);
    if let Some(path) = all.iter().find(|path| stem(path) == wanted) {
        return Ok(path.clone());
    }
    let path = Path::new(name);
    if path.extension().is_some_and(|ending| ending == "ipynb") && path.is_file() {
        return Ok(path.to_path_buf());
    }
    let known: Vec<String> = all.iter().map(|path| stem(path)).collect();
    Err(NotebookError::Missing {
        name: name.to_string(),
        known: if known.is_empty() { format!("none in {folder:?}") } else { known.join(", ") },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_notebook_lists_those_that_exist() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.ipynb", "a.ipynb", "results/old.ipynb", ".hidden.ipynb"] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let error = find(folder.path(), "tour").unwrap_err().to_string();
        assert!(error.ends_with("there are: a, b"), "{error}");
        for name in ["a", "a.ipynb"] {
            let found = find(folder.path(), name).unwrap();
            assert_eq!(found, folder.path().join("a.ipynb"));
        }
        assert_eq!(find_all(folder.path()).len(), 2);
    }
}
