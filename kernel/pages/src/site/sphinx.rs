//! Sphinx, from a Python environment of the project's own, and what it is told.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::tree::Tree;
use crate::export::{CLEAN, pages};
use workbench_base::error::{Error, Result};
use workbench_base::text::tail;
use workbench_setup::lab;
use workbench_setup::paths::Workspace;

/// Files that every site has, with their places below the root of its source.
const THEME: [(&str, &str); 5] = [
    ("conf.py", include_str!("theme/conf.py")),
    ("_ext/workbench_site.py", include_str!("theme/workbench_site.py")),
    ("_static/workbench.css", include_str!("theme/workbench.css")),
    ("_static/workbench.js", include_str!("theme/workbench.js")),
    ("_static/logo.svg", include_str!("../../../wheel/data/share/jupyter/kernels/workbench/logo-svg.svg")),
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
        Folders { source: out.join("source"), doctrees: out.join("doctrees"), html: out.join("html") }
    }
}

/// What `conf.py` calls a site that has no title of its own.
const TITLE: &str = "\"Workbench\"";

/// Puts settings, styles and MathJax among the source, and calls the site by its title. Where the settings are others than before, what Sphinx has kept is taken away:
/// it would not see that every page is another one.
///
/// # Errors
/// [`Error::Python`] if the environment has no MathJax; [`Error::Io`].
pub fn settings(tree: &mut Tree, title: Option<&str>, environment: &Path, folders: &Folders) -> Result<()> {
    let mut others = false;
    let (name, clean) = CLEAN;
    others |= tree.put(Path::new("_ext").join(name), clean)?;
    for (place, text) in THEME {
        let text = match title {
            // A string of JSON is one of Python.
            Some(title) if place == "conf.py" => text.replace(TITLE, &serde_json::json!(title).to_string()),
            _ => text.to_string(),
        };
        others |= tree.put(place, text)? && place.ends_with(".py");
    }
    if others && folders.doctrees.exists() {
        let failed = |source| Error::io("take away", &folders.doctrees, source);
        std::fs::remove_dir_all(&folders.doctrees).map_err(failed)?;
    }
    let mathjax = pages::mathjax(environment)?;
    let bytes = std::fs::read(&mathjax).map_err(|source| Error::io("read", &mathjax, source))?;
    tree.put(Path::new("_static").join(pages::MATHJAX), bytes)?;
    Ok(())
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
    Ok(said.lines().filter(|line| !line.trim().is_empty()).map(str::to_string).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_settings_take_away_what_sphinx_has_kept() {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::new(&folder.path().join("out"));
        let environment = folder.path().join("environment");
        let mathjax = environment.join("lib/python3/site-packages/sphinx-mathjax-offline/static");
        std::fs::create_dir_all(mathjax.join("mathjax")).unwrap();
        std::fs::write(mathjax.join(pages::MATHJAX), "x").unwrap();
        std::fs::create_dir_all(&folders.source).unwrap();
        let titled = |title| settings(&mut Tree::new(&folders.source), title, &environment, &folders).unwrap();
        let settings = || titled(None);
        settings();
        std::fs::create_dir_all(&folders.doctrees).unwrap();
        settings();
        assert!(folders.doctrees.exists(), "nothing has changed");
        std::fs::write(folders.source.join("_static/workbench.css"), "").unwrap();
        settings();
        assert!(folders.doctrees.exists(), "a style is no setting");
        std::fs::write(folders.source.join("conf.py"), "").unwrap();
        settings();
        assert!(!folders.doctrees.exists());
        titled(Some("A \"small\" memory"));
        let conf = std::fs::read_to_string(folders.source.join("conf.py")).unwrap();
        assert!(conf.contains("\nproject = html_title = \"A \\\"small\\\" memory\"\n"), "{conf}");
        assert!(folders.source.join("_static").join(pages::MATHJAX).is_file());
    }
}
