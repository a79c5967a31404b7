//! Sphinx, from a Python environment of the project's own, and what it is told.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::tree::Tree;
use crate::error::{Error, Result};
use crate::export::pages;
use crate::lab;
use crate::setup::paths::Workspace;
use crate::setup::system::tail;

/// Files that every site has, with their places below the root of its source.
const THEME: [(&str, &str); 4] = [
    ("conf.py", include_str!("theme/conf.py")),
    ("_ext/workbench_site.py", include_str!("theme/workbench_site.py")),
    ("_static/workbench.css", include_str!("theme/workbench.css")),
    ("_static/workbench.js", include_str!("theme/workbench.js")),
];

/// The folders of a site.
#[derive(Clone, Debug)]
pub struct Folders {
    /// What is read: pages in Markdown, notebooks, pictures.
    pub source: PathBuf,
    /// What Sphinx keeps between builds.
    pub doctrees: PathBuf,
    /// What a browser opens.
    pub html: PathBuf,
}

impl Folders {
    /// Those below `out`.
    pub fn new(out: &Path) -> Folders {
        Folders {
            source: out.join("source"),
            doctrees: out.join("doctrees"),
            html: out.join("html"),
        }
    }
}

/// Puts settings, styles and MathJax among the source.
///
/// # Errors
/// [`Error::Python`] if the environment has no MathJax; [`Error::Io`].
pub fn settings(tree: &mut Tree, environment: &Path) -> Result<()> {
    for (place, text) in THEME {
        tree.put(place, text)?;
    }
    let mathjax = pages::mathjax(environment)?;
    let bytes = std::fs::read(&mathjax).map_err(|source| Error::io("read", &mathjax, source))?;
    tree.put(Path::new("_static").join(pages::MATHJAX), bytes)
}

/// Builds the pages whose source has changed; returns what Sphinx warns of, line by line.
///
/// # Errors
/// [`Error::Failed`] if Sphinx does not come to its end, [`Error::Start`] if it does not begin.
pub fn build(workspace: &Workspace, environment: &Path, folders: &Folders) -> Result<Vec<String>> {
    let python = environment.join("bin/python");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut command = Command::new(&python);
    command
        .args(["-m", "sphinx", "-b", "html", "-q", "-j", &cores.to_string(), "-d"])
        .arg(&folders.doctrees)
        .arg(&folders.source)
        .arg(&folders.html)
        .stdin(Stdio::null())
        // Sphinx's own words are English and without colours, wherever it runs.
        .env("LC_ALL", "C.UTF-8")
        .env("NO_COLOR", "1")
        .env("PYTHONHASHSEED", "0")
        .envs(lab::jupyter_folders(workspace));
    let output = command.output().map_err(|source| Error::Start {
        program: python.display().to_string(),
        source,
        hint: "delete .workbench/site and try again".into(),
    })?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(Error::Failed {
            what: "Sphinx".into(),
            status: output.status.to_string(),
            hint: "delete the folder of the site and build it anew".into(),
            tail: tail(&said, 12),
        });
    }
    Ok(said
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(str::to_string)
        .collect())
}
