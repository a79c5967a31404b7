//! `cargo workbench export`: the tables in every format, and notebooks as web pages, PDF and LaTeX.
//!
//! | file | holds |
//! | --- | --- |
//! | `pages` | pages that load nothing from outside their folder, equations included |
//! | `links` | where the links of those pages lead |
//! | `print` | those pages as PDF, printed by a browser of the machine |
//! | `template` | what nbconvert is told to do otherwise than usual |
//! | `clean.py` | what a page and a formula may hold, so that no word that somebody wrote becomes script |

pub(crate) mod formulas;
mod links;
pub mod pages;
mod print;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use workbench_record::{Registry, Tables, program};

use workbench_base::error::{Error, Result};
use workbench_base::notebook::{self, Notebook};
use workbench_base::progress;
use workbench_base::text::{count, tail};
use workbench_queries::links::as_on_paper;
use workbench_setup::Ready;
use workbench_setup::lab;
use workbench_setup::ledger_program;
use workbench_setup::paths::Workspace;
use workbench_setup::system::{Machine, System};

pub use print::{browser, ensure_browser, find_browser, print, print_to};

/// Options of `export`.
#[derive(Args, Clone, Debug)]
pub struct ExportArgs {
    /// Only claims whose id matches one of these patterns; `*` reaches over the slash. With --html, --pdf and --latex only their notebooks
    #[arg(value_name = "GLOB")]
    pub claims: Vec<String>,
    /// Where to write the tables instead of notebooks/results
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Also render every notebook as a web page that works without a network, with an index
    #[arg(long)]
    pub html: bool,
    /// Also print these pages as PDF, with a Chromium of this machine
    #[arg(long)]
    pub pdf: bool,
    /// Also write every notebook as LaTeX; needs pandoc
    #[arg(long)]
    pub latex: bool,
}

/// What cleans pages and formulas, for nbconvert and for Sphinx: file name and text.
pub(crate) const CLEAN: (&str, &str) = ("workbench_clean.py", include_str!("clean.py"));

/// Templates of nbconvert, each a folder: `page` for HTML, `paper` for LaTeX; and the module with their filters.
const TEMPLATES: [(&str, &str); 5] = [
    CLEAN,
    ("page/conf.json", include_str!("template/page/conf.json")),
    ("page/index.html.j2", include_str!("template/page/index.html.j2")),
    ("paper/conf.json", include_str!("template/paper/conf.json")),
    ("paper/index.tex.j2", include_str!("template/paper/index.tex.j2")),
];

/// The filters of the templates.
const FILTERS: &str = "--TemplateExporter.filters={'workbench_clean':'workbench_clean.clean','workbench_tex':'workbench_clean.tex',\
                       'workbench_paper':'workbench_clean.on_paper'}";

/// Writes the tables, and the notebooks in the forms asked for; returns the exit status.
pub fn command(args: &ExportArgs) -> Result<i32> {
    // What the machine lacks, and what is wrong with the tables, is said before anything is built.
    let workspace = Workspace::find()?;
    let render = args.html || args.pdf || args.latex;
    let wanted = look_at(&workspace, &args.claims, render)?;
    if !args.claims.is_empty() && args.out.is_none() {
        return Err(Error::Asked(
            "a part of the record does not take the place of the whole: say where with --out DIR".into(),
        ));
    }
    let browser = if args.pdf { Some(browser(&Machine)?) } else { None };
    if args.latex {
        find_pandoc(&Machine)?;
    }
    let results = workspace.results();
    let out = match &args.out {
        Some(out) => std::path::absolute(out).map_err(|source| Error::io("find the folder", out, source))?,
        None => results.clone(),
    };
    std::fs::create_dir_all(&out).map_err(|source| Error::io("make", &out, source))?;
    let ready = if render { workbench_setup::for_lab(false)? } else { workbench_setup::for_notebooks()? };
    tables(&ready, &results, &out, &args.claims)?;
    let mut notebooks = notebook::find_all(&ready.workspace.notebooks());
    if !args.claims.is_empty() {
        let named = |path: &PathBuf| path.file_stem().is_some_and(|name| wanted.contains_key(&*name.to_string_lossy()));
        notebooks.retain(named);
    }
    if render {
        // One that is damaged is told by its name.
        notebooks.iter().try_for_each(|path| Notebook::read(path).map(drop))?;
    }
    if args.html || args.pdf {
        let folder = out.join("html");
        pages::write(&ready.workspace, &notebooks, &folder)?;
        if let Some(browser) = browser {
            let pages: Vec<PathBuf> = notebooks.iter().map(|path| folder.join(pages::name(path))).collect();
            print(&browser, &pages, &out.join("pdf"))?;
        }
    }
    if args.latex {
        latex(&ready.workspace, &notebooks, &out.join("latex"))?;
    }
    Ok(0)
}

/// Looks whether registry and tables can be read and say something, unless notebooks are rendered; the notebooks of the claims that are
/// asked for, with how many of them each has.
fn look_at(workspace: &Workspace, claims: &[String], render: bool) -> Result<BTreeMap<String, usize>> {
    let registry = Registry::read(&workspace.notebooks().join("claims.toml"))?;
    let record = Tables::read(&workspace.results())?;
    record.gaps().iter().for_each(|told| progress::note(told));
    if record.rows.is_empty() && !render {
        let empty = format!("export: the record has no row yet; `{} run --accept` computes them", program());
        return Err(Error::Asked(empty.into()));
    }
    Ok(registry.only(claims)?.notebooks())
}

/// # Errors
/// [`Error::Failed`] if the program of the tables does not write them; it has said why.
fn tables(ready: &Ready, results: &Path, out: &Path, claims: &[String]) -> Result<()> {
    let text = out.display().to_string();
    let mut call = vec!["export", "--out", &text];
    call.extend(claims.iter().map(String::as_str));
    let status = ledger_program::run(ready, results, &call)?;
    match status.success() {
        true => Ok(()),
        false => Err(Error::Failed {
            what: format!("writing the tables into {text}"),
            status: status.to_string(),
            hint: "the line above says why".into(),
            tail: String::new(),
        }),
    }
}

/// Notebooks as LaTeX, figures beside them as PNG; no Inkscape is needed, which nbconvert asks for figures in SVG.
///
/// # Errors
/// [`Error::Failed`] or [`Error::Start`] if nbconvert does not do it, [`Error::Io`].
pub fn latex(workspace: &Workspace, notebooks: &[PathBuf], out: &Path) -> Result<()> {
    let more = [
        "--SVG2PDFPreprocessor.enabled=False",
        "--NbConvertBase.display_data_priority=['application/pdf','image/png','image/jpeg','text/markdown','text/plain']",
        "--ExtractOutputPreprocessor.extract_output_types={'image/png','image/jpeg','application/pdf'}",
    ];
    // nbconvert writes the words of a link inside a document as they stand, and `%` begins a comment there.
    let copies = tempfile::tempdir().map_err(|source| Error::io("make", &std::env::temp_dir(), source))?;
    let mut plain = Vec::new();
    for path in notebooks {
        let mut notebook = Notebook::read(path)?;
        for (index, text) in notebook.texts() {
            notebook.replace_text(index, &as_on_paper(&text));
        }
        let copy = copies.path().join(path.file_name().unwrap_or_default());
        notebook.write(&copy)?;
        plain.push(copy);
    }
    nbconvert(workspace, "latex", "paper", &more, &plain, out)?;
    progress::note(&format!("LaTeX is in {}; pdflatex, xelatex and lualatex take it", out.display()));
    Ok(())
}

/// Looks for pandoc, without which nbconvert writes no LaTeX.
///
/// # Errors
/// [`Error::Start`] that names the package.
pub fn find_pandoc(system: &dyn System) -> Result<()> {
    match system.run("pandoc", &["--version"]) {
        Some(ran) if ran.ok => Ok(()),
        _ => Err(Error::Start {
            program: "pandoc".into(),
            source: std::io::ErrorKind::NotFound.into(),
            hint: "--latex needs it: install it (`sudo apt-get install pandoc`), or use --pdf".into(),
        }),
    }
}

/// Renders notebooks with one of our templates into a folder.
fn nbconvert(
    workspace: &Workspace,
    format: &str,
    template: &str,
    more: &[&str],
    notebooks: &[PathBuf],
    out: &Path,
) -> Result<()> {
    std::fs::create_dir_all(out).map_err(|source| Error::io("make", out, source))?;
    let templates = tempfile::tempdir().map_err(|source| Error::io("make", &std::env::temp_dir(), source))?;
    for (name, text) in TEMPLATES {
        let path = templates.path().join(name);
        workbench_record::atomic::write(&path, text.as_bytes()).map_err(|source| Error::io("write", &path, source))?;
    }
    progress::step(&format!("rendering {} as {format}", count(notebooks.len(), "notebook")));
    let program = workspace.venv_program("jupyter-nbconvert");
    let mut command = Command::new(&program);
    command
        .args(["--to", format, "--template", template, "--log-level", "ERROR"])
        .arg(format!("--TemplateExporter.extra_template_basedirs={}", templates.path().display()))
        .arg(FILTERS)
        .args(more)
        .arg("--output-dir")
        .arg(out)
        .args(notebooks)
        .envs(lab::jupyter_folders(workspace))
        // Where the module of the filters lies.
        .env("PYTHONPATH", templates.path())
        .env("PYTHONDONTWRITEBYTECODE", "1");
    let output = command.output().map_err(|source| Error::Start {
        program: program.display().to_string(),
        source,
        hint: "delete .workbench/venv and try again".into(),
    })?;
    if !output.status.success() {
        return Err(Error::Failed {
            what: "rendering notebooks".into(),
            status: output.status.to_string(),
            hint: format!("check the notebooks with `{} run`", workbench_record::program()),
            tail: tail(&String::from_utf8_lossy(&output.stderr), 8),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    #[test]
    fn a_damaged_table_is_the_projects_fault() {
        let (_folder, workspace) = crate::fixtures::workspace();
        look_at(&workspace, &[], true).unwrap();
        let empty = look_at(&workspace, &[], false).unwrap_err().to_string();
        assert!(empty.contains("no row yet") && empty.contains("run --accept"), "{empty}");
        std::fs::write(workspace.results().join("ledger.csv"), "half a li").unwrap();
        let error = look_at(&workspace, &[], true).unwrap_err();
        assert!(error.status() == 4 && error.to_string().contains("ledger.csv"), "{error}");
    }

    #[test]
    fn a_machine_without_pandoc_is_told_what_to_install() {
        let error = find_pandoc(&Fake::default()).unwrap_err().to_string();
        assert!(error.contains("apt-get install pandoc"), "{error}");
        let machine = Fake::default().answer("pandoc --version", true, "pandoc 3.1");
        assert!(find_pandoc(&machine).is_ok());
    }
}
