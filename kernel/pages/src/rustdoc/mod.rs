//! `cargo workbench doc`: the pages of `cargo doc`, with their equations set in MathML.
//!
//! Doc comments hold equations as TeX between dollars, which reads well in an editor, and which JupyterLab sets when the kernel is asked
//! about an item. rustdoc takes them for text. This goes over its pages and puts MathML in their place, which browsers set by themselves:
//! a page needs no script, no font and no network.
//!
//! | file | holds |
//! | --- | --- |
//! | `comments` | the formulas of doc comments, by what Markdown leaves of them |
//! | `page` | a page of rustdoc with its formulas set |

mod comments;
mod page;

use std::path::{Path, PathBuf};
use std::process::Stdio;

use clap::Args;

pub use comments::Formulas;
pub use page::{Typeset, typeset};

use workbench_base::error::{Error, Result};
use workbench_base::progress;
use workbench_base::text::count;
use workbench_setup::cargo::{cargo, no_cargo};
use workbench_setup::own;
use workbench_setup::paths::{Workspace, build_folder};
use workbench_setup::project::Project;
use workbench_setup::system::Machine;

/// The call of cargo: the libraries alone, since a program and the façade share a name. In the checks' sentences brackets belong to
/// formulas, and the façade's pages have them all.
pub const CARGO: [&str; 7] =
    ["doc", "--workspace", "--exclude", "workbench-checks-*", "--lib", "--no-deps", "--locked"];
/// What the call denies; another setting would write all pages anew.
pub const DENIED: (&str, &str) = ("RUSTDOCFLAGS", "-D warnings");

/// Options of `doc`; there are none.
#[derive(Args, Clone, Debug)]
pub struct DocArgs {}

/// Writes the pages and says where they begin; the exit status is 0 if every formula was set.
///
/// # Errors
/// If the machine lacks what the crate needs, or a page cannot be written.
pub fn command(_: &DocArgs) -> Result<i32> {
    let workspace = Workspace::find()?;
    if workspace.is_own() {
        return of_own(&workspace);
    }
    let environment = workbench_setup::environment(&workspace, &Machine, &mut progress::step)?;
    let status = cargo(&workspace)
        .args(CARGO)
        .envs(environment)
        .env(DENIED.0, DENIED.1)
        .stdin(Stdio::null())
        .status()
        .map_err(no_cargo)?;
    if !status.success() {
        return Ok(status.code().unwrap_or(1));
    }
    let folder = folder()?;
    let status = told(&typeset_checkout(workspace.root(), &folder)?);
    println!("{}", folder.join("workbench/index.html").display());
    Ok(status)
}

/// Says what was set; the exit status.
fn told(set: &Set) -> i32 {
    set.wrong.iter().for_each(|text| println!("{text}"));
    println!("{}", set.line());
    i32::from(!set.wrong.is_empty())
}

/// The pages of a reader's own project, and of what its checks are written with.
fn of_own(workspace: &Workspace) -> Result<i32> {
    own::ensure_crates(workspace)?;
    let project = Project::at(workspace.root());
    let lock = workspace.root().join("Cargo.lock");
    let lock = std::fs::read_to_string(&lock).map_err(|source| Error::io("read", &lock, source))?;
    let has = |name: &&str| lock.contains(&format!("name = \"{name}\"\n"));
    let with: Vec<&str> =
        ["workbench-ledger", "workbench-display", "workbench-ground"].into_iter().filter(has).collect();
    let status = cargo(workspace)
        .args(["doc", "--lib", "--no-deps", "--package", &project.library.package])
        .args(with.iter().flat_map(|name| ["--package", name]))
        .stdin(Stdio::null())
        .status()
        .map_err(no_cargo)?;
    if !status.success() {
        return Ok(status.code().unwrap_or(1));
    }
    let crates = own::crates()?;
    let sources: Vec<PathBuf> = checkout_sources(&crates)
        .into_iter()
        .chain([workspace.root().join("src")])
        .filter(|path| path.is_dir())
        .collect();
    let pages = project.built().with_file_name("doc");
    let names: Vec<String> =
        with.into_iter().chain([project.library.package.as_str()]).map(|name| name.replace('-', "_")).collect();
    let status = told(&typeset_all(&sources, &pages, |name| names.iter().any(|one| one == name))?);
    for name in names {
        println!("{}", pages.join(name).join("index.html").display());
    }
    Ok(status)
}

/// Where cargo puts the pages of the build that this program is of.
///
/// # Errors
/// If the system does not say where this program is.
pub fn folder() -> Result<PathBuf> {
    let mut folder = build_folder()?;
    folder.pop();
    Ok(folder.join("doc"))
}

/// What was set.
#[derive(Clone, Debug, Default)]
pub struct Set {
    /// Pages that were looked at.
    pub pages: usize,
    /// Formulas that were set now; those of a page that cargo left alone were set before.
    pub formulas: usize,
    /// Formulas that were not set, each once, with the reason.
    pub wrong: Vec<String>,
}

impl Set {
    /// In a line.
    pub fn line(&self) -> String {
        let (pages, set) = (count(self.pages, "page"), count(self.formulas, "equation"));
        format!("{pages}, {set} set now, {} not", self.wrong.len())
    }
}

/// [`typeset_all`] for the pages of a checkout's crates below `folder`.
///
/// # Errors
/// Those of [`typeset_all`].
pub fn typeset_checkout(root: &Path, folder: &Path) -> Result<Set> {
    // The pages of sources are code. What else cargo wrote there at another time is not of this call.
    let is_ours =
        |name: &str| name == "workbench" || name.starts_with("workbench_") && !name.starts_with("workbench_checks_");
    typeset_all(&checkout_sources(root), folder, is_ours)
}

/// The folders with a checkout's crates.
pub fn checkout_sources(root: &Path) -> [PathBuf; 2] {
    ["workbench", "kernel"].map(|folder| root.join(folder))
}

/// Sets the formulas of the pages in those folders below `folder` whose names are taken, as the sources have them.
///
/// # Errors
/// If a source or a page cannot be read, or a page not be written.
pub fn typeset_all(sources: &[PathBuf], folder: &Path, takes: impl Fn(&str) -> bool) -> Result<Set> {
    let formulas = Formulas::read(sources)?;
    let mut set = Set { wrong: formulas.wrong().to_vec(), ..Set::default() };
    let mut pages = Vec::new();
    for entry in list(folder)? {
        let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if takes(&name) {
            below(&entry, "html", &mut pages)?;
        }
    }
    for path in pages {
        let text = std::fs::read_to_string(&path).map_err(|source| Error::io("read", &path, source))?;
        set.pages += 1;
        let page = typeset(&text, &formulas);
        if page.set > 0 {
            std::fs::write(&path, &page.text).map_err(|source| Error::io("write", &path, source))?;
        }
        set.formulas += page.set;
        let place = path.strip_prefix(folder).unwrap_or(&path).display();
        set.wrong.extend(page.left.iter().map(|text| format!("{place}: no equation of the sources: {text}")));
    }
    Ok(set)
}

/// The files of a folder and of all below it that end so, in order.
fn below(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) -> Result<()> {
    for path in list(folder)? {
        if path.is_dir() {
            below(&path, extension, found)?;
        } else if path.extension().is_some_and(|end| end == extension) {
            found.push(path);
        }
    }
    Ok(())
}

fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |source| Error::io("list", folder, source);
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    let mut paths =
        entries.map(|entry| entry.map(|entry| entry.path()).map_err(failed)).collect::<Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}
