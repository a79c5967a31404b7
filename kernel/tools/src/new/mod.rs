//! `cargo workbench new claim ID`: a claim more, in every place that it needs. A document more is written by `new/paper.rs`, a project of
//! one's own by `new/project.rs`.
//!
//! | place | what is written |
//! | --- | --- |
//! | `notebooks/claims.toml` | its row, after the last claim of its paper |
//! | `workbench/checks/PAPER/src/NAME.rs`, in one's own project `src/NAME.rs` | a check that compiles and says that it is not written yet |
//! | `lib.rs` beside it | the module |
//! | its notebook | a section: question, claim, what would refute it, the check, what was seen |
//!
//! Everything is refused before anything is written.

mod given;
mod names;
mod paper;
mod project;
mod skeleton;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use workbench_record::{Registry, atomic, checks, program_of};

use given::ClaimText;
use paper::PaperArgs;
use skeleton::Skeleton;
use workbench_base::error::{Error, Result};
use workbench_base::names::KERNEL_NAME;
use workbench_base::notebook::Notebook;
use workbench_setup::own;
use workbench_setup::paths::Workspace;
use workbench_setup::project::Project;

/// What lists the checks of a crate.
const BUILD: &str = "//! Lists the checks of this crate.\n\nfn main() {\n    workbench_checks_list::write();\n}\n";
/// What takes that list into its front page.
const INCLUDED: &str = "include!(concat!(env!(\"OUT_DIR\"), \"/all.rs\"));\n";

/// Options of `new`.
#[derive(Args, Clone, Debug)]
pub struct NewArgs {
    /// What is begun
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Clone, Debug)]
enum What {
    /// A claim of a paper that the registry has: its row, its check, its section of a notebook
    Claim(ClaimArgs),
    /// A paper: its room, its checks, its notebook, and its first claim
    Paper(PaperArgs),
    /// A project of your own for a paper: a package with its methods and checks, its registry, its notebook, and its first claim
    Project(PaperArgs),
}

/// Options of `new claim`.
#[derive(Args, Clone, Debug)]
struct ClaimArgs {
    /// Its id, PAPER/NAME: small letters, digits and hyphens, as `heavy-tailed/eq-6`
    id: String,
    #[command(flatten)]
    given: ClaimText,
    /// The notebook that checks it, without ending; that of the paper's last claim if not given
    #[arg(long, value_name = "NAME")]
    notebook: Option<String>,
}

/// Writes the places of what is begun, and says what to write next.
///
/// # Errors
/// An id that cannot be, or is there already; a file that cannot be written.
pub fn command(args: &NewArgs) -> Result<i32> {
    let registry = |workspace: &Workspace| Registry::read(&workspace.notebooks().join("claims.toml"));
    let mut made = Made(None);
    // What is written, and from where its names are shown.
    let (begun, plan, from) = match &args.what {
        What::Claim(claim) => {
            let workspace = Workspace::find()?;
            let plan = Plan::of(claim, &registry(&workspace)?, &workspace, &[])?;
            write(&plan.files)?;
            (Vec::new(), plan, workspace.root().to_path_buf())
        }
        What::Paper(args) => {
            let workspace = Workspace::find()?;
            let (begun, plan) = with_first(args, &registry(&workspace)?, &workspace)?;
            write(&[begun.as_slice(), &plan.files].concat())?;
            if !workspace.is_own() {
                paper::lock(&workspace)?;
            }
            (begun, plan, workspace.root().to_path_buf())
        }
        What::Project(args) => {
            let args = &PaperArgs { own: true, ..args.clone() };
            let here = std::env::current_dir()
                .map_err(|source| Error::io("read the current folder of", Path::new("."), source))?;
            let folder = args.folder(&here)?;
            let begun = args.files(&folder)?;
            write(&begun)?;
            made.0 = Some(folder.clone());
            let workspace = Workspace::at(&folder)?;
            own::ensure_crates(&workspace)?;
            project::begin_repository(&workspace);
            let mut plan = Plan::of(&first(args), &registry(&workspace)?, &workspace, &[])?;
            plan.next = format!("cd {}; {}", args.name, plan.next);
            write(&plan.files)?;
            made.0 = None;
            let above = workspace.root().parent().unwrap_or(workspace.root()).to_path_buf();
            (begun, plan, above)
        }
    };
    for path in listed(begun.iter().chain(&plan.files), &from) {
        println!("{path}");
    }
    println!("\nNext: {}", plan.next);
    Ok(0)
}

/// The folder of a project that is begun; it goes where the project cannot be written whole.
struct Made(Option<PathBuf>);

impl Drop for Made {
    fn drop(&mut self) {
        self.0.take().map(std::fs::remove_dir_all);
    }
}

/// The names of files, each once, as they stand below `root`.
fn listed<'a>(files: impl Iterator<Item = &'a (PathBuf, String)>, root: &Path) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (path, _) in files {
        // A folder may be reached through a link.
        let path = path.canonicalize().unwrap_or_else(|_| path.clone());
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The first claim of a paper.
fn first(args: &PaperArgs) -> ClaimArgs {
    ClaimArgs { id: args.first(), given: args.given.clone(), notebook: None }
}

/// The files of a new paper, and what its first claim adds to them; nothing is written yet.
///
/// # Errors
/// What speaks against either.
fn with_first(args: &PaperArgs, known: &Registry, workspace: &Workspace) -> Result<(Files, Plan)> {
    let begun = match workspace.is_own() {
        true => vec![paper::row(args, known)?],
        false => paper::files(args, known, workspace)?,
    };
    let registry = Registry::parse(&read(known.path(), &begun)?, known.path())?;
    let plan = Plan::of(&first(args), &registry, workspace, &begun)?;
    Ok((begun, plan))
}

/// Files with their whole texts, in the order in which they are written.
type Files = Vec<(PathBuf, String)>;

/// Writes all, or, where one cannot be written, leaves all as they were.
fn write(files: &[(PathBuf, String)]) -> Result<()> {
    let (mut before, mut made) = (Vec::new(), Vec::new());
    for (path, text) in files {
        made.extend(path.ancestors().skip(1).take_while(|folder| !folder.exists()));
        before.push((path, std::fs::read(path).ok()));
        if let Err(error) = put(path, text.as_bytes()) {
            for (path, text) in before.iter().rev() {
                // What cannot be put back is told by the next command that reads it.
                let _ = text.as_ref().map_or_else(|| std::fs::remove_file(path), |text| atomic::write(path, text));
            }
            // The innermost first; what holds something else stays.
            made.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
            made.into_iter().for_each(|folder| drop(std::fs::remove_dir(folder)));
            return Err(error);
        }
    }
    Ok(())
}

fn put(path: &Path, text: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).map_err(|source| Error::io("make", folder, source))?;
    atomic::write(path, text).map_err(|source| Error::io("write", path, source))
}

/// What will be written, and what to do then.
#[derive(Debug)]
struct Plan {
    files: Files,
    next: String,
}

impl Plan {
    /// `begun` are files that will be written before these.
    fn of(claim: &ClaimArgs, registry: &Registry, workspace: &Workspace, begun: &[(PathBuf, String)]) -> Result<Plan> {
        let refuse = |problem: String| Error::Asked(format!("new claim {}: {problem}", claim.id).into());
        let known: Vec<&str> = registry.papers().iter().map(|paper| paper.id.as_str()).collect();
        let example = known.first().unwrap_or(&"PAPER");
        let form = || refuse(format!("write PAPER/NAME, with a paper of {}, as in {example}/eq-6", known.join(", ")));
        let (paper, name) = claim.id.split_once('/').ok_or_else(form)?;
        if paper.is_empty() {
            return Err(form());
        }
        if !known.contains(&paper) {
            let known = known.join(", ");
            return Err(refuse(format!(
                "there is no paper `{paper}`; write the claim of one of {known}, or begin it: `{} new paper {paper} --title ...`",
                workbench_record::program()
            )));
        }
        if let Some(why) = names::misspelt(name) {
            return Err(refuse(format!("{why}, as in {example}/eq-6")));
        }
        if registry.position(&claim.id).is_some() {
            return Err(refuse(
                "the registry has a claim of this id; ids are never used again, so choose another".into(),
            ));
        }
        let last = registry.claims().iter().rev().find(|other| other.paper == paper);
        let notebook = match (&claim.notebook, last) {
            (Some(given), _) => {
                let name = given.strip_suffix(".ipynb").unwrap_or(given);
                if let Some(why) = names::misspelt(name) {
                    return Err(refuse(format!("--notebook: {why}, as in --notebook {paper}")));
                }
                name.to_string()
            }
            (None, Some(last)) => last.notebook.clone(),
            (None, None) => paper.to_string(),
        };
        let folder = match workspace.is_own() {
            true => workspace.root().join(checks::OWN_FOLDER),
            false => workspace.root().join(checks::FOLDER).join(paper.replace('-', "_")).join("src"),
        };
        let library = read(&folder.join("lib.rs"), begun)?;
        let manifest = folder.parent().map(|above| read(&above.join("Cargo.toml"), begun).unwrap_or_default());
        let plain = name.replace('-', "_");
        if let Some(why) = names::taken(&plain, &library, &manifest.unwrap_or_default()) {
            return Err(refuse(format!("{why}; choose another name, as in {paper}/{name}-1")));
        }
        let file = |module: &str| folder.join(module).with_extension("rs");
        // In a project of one's own the checks of all papers lie in one folder.
        let module = match workspace.is_own() && known.len() > 1 && file(&plain).exists() {
            true => format!("{}_{plain}", paper.replace('-', "_")),
            false => plain,
        };
        let check = file(&module);
        if check.exists() {
            let shown = check.strip_prefix(workspace.root()).unwrap_or(&check).display();
            return Err(refuse(format!("{shown} exists; choose another name, or add a constant there")));
        }
        let new = New {
            id: &claim.id,
            paper,
            title: registry.papers().iter().find(|known| known.id == paper).map_or(paper, |paper| &paper.title),
            name,
            module,
            place: &ClaimText::or(&claim.given.place, "PLACE IN THE DOCUMENT"),
            says: &ClaimText::or(&claim.given.says, "WHAT THE DOCUMENT SAYS, RESTATED."),
            given: &claim.given,
            notebook: &notebook,
            opening: match workspace.is_own() {
                true => format!("use {0}::prelude::*;\nuse {0}::*;", Project::at(workspace.root()).library.name),
                false => format!(
                    ":dep workbench = {{ path = \"../workbench\" }}\nuse workbench::prelude::*;\nuse workbench::checks::{}::*;",
                    paper.replace('-', "_")
                ),
            },
        };
        let path = workspace.notebooks().join(&notebook).with_extension("ipynb");
        let files = vec![
            (registry.path().to_path_buf(), new.registry(&read(registry.path(), begun)?)),
            (check.clone(), new.check()),
            (folder.join("lib.rs"), new.listed(&library)),
            (path.clone(), new.section(&path)?),
        ];
        let check = check.strip_prefix(workspace.root()).unwrap_or(&check).display().to_string();
        let program = program_of(workspace.root());
        let missing = match claim.given.missing().as_slice() {
            [] => String::new(),
            fields => format!("say in claims.toml {}; ", fields.join(", ")),
        };
        let methods = match workspace.is_own() {
            true => format!(", with its methods in {}/methods.rs", checks::OWN_FOLDER),
            false => String::new(),
        };
        let then = [
            (format!("verify {} --full", claim.id), "judges it within seconds of an edit"),
            (format!("run --notebook {notebook} --accept"), "runs its notebook and records the verdict"),
            ("lint notebooks --write".to_string(), "puts it on the map"),
        ];
        let wide = then.iter().map(|(words, _)| words.chars().count()).max().unwrap_or(0);
        let then: String = then.iter().map(|(words, what)| format!("\n  {program} {words:wide$}   {what}")).collect();
        let begun = if path.exists() { "" } else { ", a new notebook" };
        let next = format!(
            "{missing}write {check}{methods}, and its section of {notebook}.ipynb{begun}; then{then}\n\
             To take it back: delete {check}, its line in lib.rs, its row in claims.toml, and its section."
        );
        Ok(Plan { files, next })
    }
}

/// A text as it will stand when `begun` is written.
fn read(path: &Path, begun: &[(PathBuf, String)]) -> Result<String> {
    if let Some((_, text)) = begun.iter().find(|(of, _)| of == path) {
        return Ok(text.clone());
    }
    std::fs::read_to_string(path).map_err(|source| Error::io("read", path, source))
}

/// A source as Jupyter writes it.
fn lines(source: &str) -> Vec<&str> {
    source.split_inclusive('\n').collect()
}

/// A claim that begins.
struct New<'a> {
    id: &'a str,
    paper: &'a str,
    /// The paper's title.
    title: &'a str,
    name: &'a str,
    module: String,
    place: &'a str,
    says: &'a str,
    given: &'a ClaimText,
    notebook: &'a str,
    /// What a notebook begins with.
    opening: String,
}

impl New<'_> {
    /// The registry with its row after the last claim of its paper.
    fn registry(&self, text: &str) -> String {
        let quoted = |text: &str| toml::Value::String(text.to_string()).to_string();
        let row = format!(
            "\n[[claim]]\nid = {}\npaper = {}\nwhere = {}\nkind = {}\nsays = {}\nsetup = {}\ncheck = {}\nreach = \"cpu-seconds\"\n\
             notebook = {}\n",
            quoted(self.id),
            quoted(self.paper),
            quoted(self.place),
            quoted(self.given.kind.as_deref().unwrap_or("statement")),
            quoted(self.says),
            quoted(&ClaimText::or(&self.given.setup, "Not given.")),
            quoted(&ClaimText::or(&self.given.check, "WHAT IS COMPARED, AND WHICH WRONG FORM IT TELLS APART.")),
            quoted(self.notebook)
        );
        let own = format!("paper = \"{}\"", self.paper);
        // After the last row of the paper comes another table, a rule, or the end.
        let end = text.rfind(&own).map_or(text.len(), |at| {
            let rest = &text[at..];
            ["\n[[", "\n# --"].iter().filter_map(|mark| rest.find(mark)).min().map_or(text.len(), |found| at + found)
        });
        let (before, after) = text.split_at(end);
        format!("{}\n{row}{after}", before.trim_end())
    }

    /// Its check, not written yet.
    fn check(&self) -> String {
        let given = |text: &Option<String>| ClaimText::or(text, "");
        let (setup, check) = (given(&self.given.setup), given(&self.given.check));
        Skeleton { id: self.id, title: self.title, place: self.place, says: self.says, setup: &setup, check: &check }
            .text()
    }

    /// The crate's front page with the module after the others.
    fn listed(&self, text: &str) -> String {
        let module = format!("pub mod {};\n", self.module);
        let line_after = |at: usize| text[at..].find('\n').map_or(text.len(), |line| at + line + 1);
        match (text.rfind("\npub mod "), text.find("\ninclude!(")) {
            (Some(at), _) => format!("{}{module}{}", &text[..line_after(at + 1)], &text[line_after(at + 1)..]),
            (None, Some(at)) => format!("{}\n{module}{}", &text[..at], &text[at..]),
            (None, None) => format!("{text}\n{module}"),
        }
    }

    /// The notebook with a section for it at the end, or a notebook that begins with it.
    fn section(&self, path: &Path) -> Result<String> {
        let mut raw = match path.exists() {
            true => serde_json::from_str(&Notebook::read_ours(path)?.to_json()).unwrap_or(Value::Null),
            false => self.notebook(),
        };
        let cell = |kind: &str, id: String, source: String| {
            let mut cell = json!({ "cell_type": kind, "id": id, "metadata": {}, "source": lines(&source) });
            if kind == "code" {
                (cell["execution_count"], cell["outputs"]) = (Value::Null, json!([]));
            }
            cell
        };
        let (place, says, name) = (self.place, self.says, self.name);
        let new = [format!("{name}-md"), name.to_string(), format!("{name}-after")];
        if let Some(cells) = raw["cells"].as_array_mut() {
            let is_taken = |id: &&String| cells.iter().any(|cell| cell["id"] == **id);
            if let Some(taken) = new.iter().find(is_taken) {
                let problem = format!("{} has a cell `{taken}`; choose another name, as in {name}-1", self.notebook);
                return Err(Error::Asked(format!("new claim {}: {problem}", self.id).into()));
            }
            let [text, check, after] = new;
            cells.push(cell(
                "markdown",
                text,
                format!(
                    "## THE QUESTION?\n\n**The claim** ({place}). {says}\n\nWHY ONE WOULD BELIEVE IT, AND ONE CASE SHOWN.\n\n\
                     **What would count against it**: WHAT."
                ),
            ));
            cells.push(cell("code", check, format!("ledger.check({}::CHECK)?", self.module)));
            let seen = "**What we saw.** NOTHING YET: the check is not written.".to_string();
            cells.push(cell("markdown", after, seen));
        }
        Ok(Notebook::parse(path, &raw.to_string())?.to_json())
    }

    /// A notebook with its opening alone.
    fn notebook(&self) -> Value {
        let open = format!("{}\nlet ledger = Ledger::open(\"{}\")?;", self.opening, self.notebook);
        // The first notebook of a paper is the paper's; another one is named by what it shows.
        let about = if self.notebook == self.paper { self.title.to_string() } else { self.notebook.replace('-', " ") };
        let title = format!("# {about}\n\nWHAT THE READER WILL SEE, AND WHY IT MATTERS.");
        json!({
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": { "kernelspec": { "display_name": "Rust (Workbench)", "language": "rust", "name": KERNEL_NAME } },
            "cells": [
                { "cell_type": "markdown", "id": "title", "metadata": {}, "source": lines(&title) },
                { "cell_type": "code", "id": "load", "metadata": {}, "execution_count": null, "outputs": [], "source": lines(&open) }
            ]
        })
    }
}

#[cfg(test)]
mod tests;
