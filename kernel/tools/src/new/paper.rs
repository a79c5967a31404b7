//! `cargo workbench new paper NAME`: a document more, with a room for its methods, a crate for its checks, and its first claim.
//!
//! | place | what is written |
//! | --- | --- |
//! | `notebooks/claims.toml` | the document |
//! | `workbench/NAME/` | its room: front page, table of statements, manifest |
//! | `workbench/checks/NAME/` | the crate of its checks |
//! | `Cargo.toml`, `workbench/Cargo.toml`, `workbench/src/lib.rs` | the members, and what cells see of the room |
//! | `workbench/checks/Cargo.toml`, `workbench/checks/src/lib.rs` | the checks among all checks |
//! | `Cargo.lock` | the members, by cargo |

use std::path::{Path, PathBuf};

use clap::Args;
use workbench_record::{Registry, checks, program};

use super::given::ClaimText;
use super::{BUILD, INCLUDED, names, read};
use crate::inert::inert;
use crate::lint;
use workbench_base::error::{Error, Result};
use workbench_setup::cargo::{cargo, no_cargo};
use workbench_setup::paths::Workspace;

/// Options of `new paper` and `new project`.
#[derive(Args, Clone, Debug)]
pub struct PaperArgs {
    /// Its short name, the part of its claims' ids before the slash, and the folder of a project: small letters, digits and hyphens, as `heavy-tailed`
    pub name: String,
    /// Its title as printed
    #[arg(long, value_name = "TEXT")]
    pub title: String,
    /// The name of its first claim
    #[arg(long, value_name = "NAME", default_value = "eq-1")]
    pub claim: String,
    #[command(flatten)]
    pub given: ClaimText,
    /// Whether a project of one's own is begun for it.
    #[arg(skip)]
    pub own: bool,
}

impl PaperArgs {
    /// The id of its first claim.
    pub fn first(&self) -> String {
        format!("{}/{}", self.name, self.claim)
    }

    /// Why it cannot be begun.
    pub fn refuse(&self, problem: &str) -> Error {
        let what = if self.own { "project" } else { "paper" };
        Error::Asked(format!("new {what} {}: {problem}", self.name).into())
    }

    /// Refuses names and titles that cannot be.
    ///
    /// # Errors
    /// Which, and what to write.
    pub fn check(&self) -> Result<()> {
        if let Some(why) = names::misspelt(&self.name) {
            return Err(self.refuse(&format!("{why}, as in heavy-tailed")));
        }
        if names::is_keyword(&self.name) {
            return Err(self.refuse("its name is a word of Rust; choose another, as in heavy-tailed"));
        }
        if self.title.trim().is_empty() {
            return Err(self.refuse("give the paper's title as printed, on one line: --title \"...\""));
        }
        if let Some(why) = names::unprintable(&self.title) {
            return Err(self.refuse(&format!("--title: {why}; give it as printed, on one line")));
        }
        if let Some(why) = names::misspelt(&self.claim) {
            return Err(self.refuse(&format!("--claim: {why}, as in --claim eq-1")));
        }
        Ok(())
    }
}

/// The registry with a new document.
///
/// # Errors
/// A name that cannot be, or is taken; a registry that cannot be read.
pub fn row(args: &PaperArgs, registry: &Registry) -> Result<(PathBuf, String)> {
    let name = args.name.as_str();
    args.check()?;
    if registry.papers().iter().any(|paper| paper.id == name) {
        return Err(args.refuse(&format!("the registry has it; add a claim: {} new claim {name}/NAME", program())));
    }
    let title = toml::Value::String(args.title.trim().to_string());
    let row = Edit::AfterTable("[[paper]]", format!("\n[[paper]]\nid = \"{name}\"\ntitle = {title}\n"));
    let path = registry.path().to_path_buf();
    let text = row.of(&read(&path, &[])?, &path)?;
    Ok((path, text))
}

/// The files of a new document, whole, in the order in which they are written.
///
/// # Errors
/// A name that cannot be, or is taken; a file that cannot be read or has lost the line after which something is added.
pub fn files(args: &PaperArgs, registry: &Registry, workspace: &Workspace) -> Result<Vec<(PathBuf, String)>> {
    let name = args.name.as_str();
    let (path, registry) = row(args, registry)?;
    let (root, module) = (workspace.root(), name.replace('-', "_"));
    let folders = [root.join("workbench").join(&module), root.join(checks::FOLDER).join(&module)];
    if let Some(taken) = folders.iter().find(|folder| folder.exists()) {
        return Err(args.refuse(&format!("{} exists; choose another name", taken.display())));
    }
    let title = args.title.trim();
    let new = New { name, module: &module, title, told: inert(title) };
    let [room, own] = folders;
    let edited = |path: PathBuf, edits: &[Edit]| -> Result<(PathBuf, String)> {
        let text = edits.iter().try_fold(read(&path, &[])?, |text, edit| edit.of(&text, &path))?;
        Ok((path, text))
    };
    Ok(vec![
        (path, registry),
        (room.join("Cargo.toml"), new.manifest("", &["workbench-ground"])),
        (room.join("src/lib.rs"), new.room()),
        (room.join("statements.md"), lint::begun().to_string()),
        (own.join("Cargo.toml"), new.checks_manifest()),
        (own.join("build.rs"), BUILD.to_string()),
        (own.join("src/lib.rs"), new.checks()),
        edited(
            root.join("Cargo.toml"),
            &[
                Edit::Before("    \"workbench/checks/list\",", format!("    \"workbench/checks/{module}\",\n")),
                Edit::Before("    \"workbench/ground\",", format!("    \"workbench/{module}\",\n")),
                Edit::Before(
                    "workbench-checks-list = ",
                    format!("workbench-checks-{name} = {{ path = \"workbench/checks/{module}\" }}\n"),
                ),
                Edit::Before(
                    "workbench-memory = ",
                    format!("workbench-{name} = {{ path = \"workbench/{module}\" }}\n"),
                ),
            ],
        )?,
        edited(
            root.join("workbench/Cargo.toml"),
            &[Edit::Before("workbench-ground = ", format!("workbench-{name} = {{ workspace = true }}\n"))],
        )?,
        edited(
            root.join("workbench/src/lib.rs"),
            &[Edit::Before("pub use workbench_ground::", new.module("workbench"))],
        )?,
        edited(
            root.join("workbench/checks/Cargo.toml"),
            &[Edit::Before(
                "workbench-checks-vocabulary = ",
                format!("workbench-checks-{name} = {{ workspace = true }}\n"),
            )],
        )?,
        edited(
            root.join("workbench/checks/src/lib.rs"),
            &[
                Edit::Before(
                    "//!\n//! [`all`] lists them",
                    format!("//! | [`{module}`] | \"{}\" |\n", new.told.replace('|', "\\|")),
                ),
                Edit::Before("/// What several say in the same words.", new.module("workbench_checks")),
                Edit::Before("].concat()", format!(", {module}::all()")),
            ],
        )?,
    ])
}

/// Lets cargo write the new members into `Cargo.lock`; no package of a registry changes.
///
/// # Errors
/// A cargo that does not start, or that refuses the workspace.
pub fn lock(workspace: &Workspace) -> Result<()> {
    let made = cargo(workspace).args(["update", "--workspace", "--offline", "--quiet"]).output().map_err(no_cargo)?;
    match made.status.success() {
        true => Ok(()),
        false => Err(Error::Room(
            format!("cargo cannot read the workspace: {}", String::from_utf8_lossy(&made.stderr)).into(),
        )),
    }
}

/// An addition to a file that is there.
enum Edit {
    /// Before the first place with this text.
    Before(&'static str, String),
    /// After the last table of this name.
    AfterTable(&'static str, String),
}

impl Edit {
    fn of(&self, text: &str, path: &Path) -> Result<String> {
        let (mark, at, added) = match self {
            Edit::Before(mark, added) => (mark, text.find(mark), added),
            Edit::AfterTable(mark, added) => {
                let end = |begin: usize| text[begin..].find("\n\n").map_or(text.len(), |length| begin + length + 1);
                (mark, text.rfind(mark).map(end), added)
            }
        };
        match at {
            Some(at) => Ok(format!("{}{added}{}", &text[..at], &text[at..])),
            None => {
                let problem =
                    format!("new paper: {} has no `{}`; put it back, or add by hand", path.display(), mark.trim());
                Err(Error::Room(problem.into()))
            }
        }
    }
}

/// A document that begins.
struct New<'a> {
    name: &'a str,
    module: &'a str,
    title: &'a str,
    /// The title as doc comments have it.
    told: String,
}

impl New<'_> {
    fn manifest(&self, part: &str, below: &[&str]) -> String {
        let title = toml::Value::String(format!(
            "{}{}",
            self.title,
            if part.is_empty() { "" } else { ": the check of each statement" }
        ));
        let below: String = below.iter().map(|name| format!("{name} = {{ workspace = true }}\n")).collect();
        format!(
            "[package]\nname = \"workbench-{part}{}\"\ndescription = {title}\nversion.workspace = true\nedition.workspace = true\n\
             rust-version.workspace = true\nlicense.workspace = true\n\n[dependencies]\n{below}\n[lints]\nworkspace = true\n",
            self.name
        )
    }

    fn checks_manifest(&self) -> String {
        let room = format!("workbench-{}", self.name);
        let mut below =
            vec!["workbench-checks-vocabulary", "workbench-display", &room, "workbench-ground", "workbench-ledger"];
        below.sort_unstable();
        let own = "# The tests of all checks stand in `workbench-checks`.\n[lib]\ntest = false\ndoctest = false\n\n\
                   [build-dependencies]\nworkbench-checks-list = { workspace = true }\n\n[lints]";
        self.manifest("checks-", &below).replace("[lints]", own)
    }

    fn room(&self) -> String {
        format!(
            "//! {0}.\n//!\n//! Source: \"{0}\". WHAT IT IS ABOUT, AND WHAT ITS METHODS COMPUTE.\n//!\n\
             //! | in the paper | here | shape | meaning |\n//! | --- | --- | --- | --- |\n\
             //! | SYMBOL | A FUNCTION OR A TYPE | | WHAT IT IS |\n//!\n\
             #![doc = include_str!(\"../statements.md\")]\n#![warn(missing_docs)]\n\npub use workbench_ground::Error;\n",
            self.told
        )
    }

    fn checks(&self) -> String {
        format!("//! \"{}\": the check of each statement.\n\n{INCLUDED}", self.told)
    }

    /// What another crate shows of it.
    fn module(&self, of: &str) -> String {
        format!(
            "/// {}.\npub mod {module} {{\n    #[doc(inline)]\n    pub use {of}_{module}::*;\n}}\n\n",
            self.told,
            module = self.module
        )
    }
}
