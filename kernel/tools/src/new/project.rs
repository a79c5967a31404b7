//! `workbench new project NAME`: a paper in a repository of one's own.
//!
//! | place | what is written |
//! | --- | --- |
//! | `NAME/Cargo.toml`, `build.rs`, `Cargo.lock` | a package whose library notebooks have at hand, on the ledger and the display of this project |
//! | `NAME/src/lib.rs` | the library: methods and checks |
//! | `NAME/src/methods.rs` | an empty page for its methods |
//! | `NAME/src/main.rs` | the program that `verify` and `export` call |
//! | `NAME/notebooks/claims.toml` | the registry, with the paper |
//! | `NAME/README.md`, `.gitignore` | what to do, and what stays out of version control |
//!
//! Its first claim is then written as any other.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::names;
use super::paper::PaperArgs;
use super::skeleton::filled;
use crate::inert::inert;
use workbench_base::error::Result;
use workbench_record::program;
use workbench_setup::own;
use workbench_setup::paths::Workspace;

impl PaperArgs {
    /// Its folder, made below `here`.
    ///
    /// # Errors
    /// A name that cannot be, or is taken; a place inside of another project.
    pub fn folder(&self, here: &Path) -> Result<PathBuf> {
        self.check()?;
        // What cargo would refuse later: names of its own crates, of the crates below, and of the program.
        let taken = ["alloc", "core", "std", "test", "proc-macro", "workbench"];
        if taken.contains(&self.name.as_str())
            || names::ROOTS.contains(&self.name.replace('-', "_").as_str())
            || self.name.starts_with("workbench-")
        {
            return Err(self.refuse("other crates have that name; choose another"));
        }
        if let Ok(around) = Workspace::find_from(here) {
            let (root, program) = (around.root().display(), program());
            return Err(self.refuse(&format!(
                "{} is inside of the project {root}; begin elsewhere, or give that one a paper more: {program} new paper {}",
                here.display(),
                self.name
            )));
        }
        let folder = here.join(&self.name);
        match folder.exists() {
            true => Err(self.refuse(&format!("{} exists; choose another name", folder.display()))),
            false => Ok(folder),
        }
    }

    /// The files of the project, without its first claim.
    ///
    /// # Errors
    /// A program that has no list of packages; a first claim whose name is taken.
    pub fn files(&self, folder: &Path) -> Result<Vec<(PathBuf, String)>> {
        let title = self.title.trim();
        let quoted = |text: &str| toml::Value::String(text.to_string()).to_string();
        let of = |text: &str| {
            let words = [
                ("{name}", self.name.clone()),
                ("{crate}", self.name.replace('-', "_")),
                ("{rust}", env!("CARGO_PKG_RUST_VERSION").to_string()),
                ("{description}", quoted(&format!("{title}: its claims, recomputed"))),
                ("{quoted}", quoted(title)),
                ("{title}", inert(title)),
            ];
            filled(text, &words.each_ref().map(|(word, said)| (*word, said.as_str())))
        };
        let mut files = TEMPLATES.map(|(name, text)| (folder.join(name), of(text))).to_vec();
        files.push((folder.join("build.rs"), super::BUILD.to_string()));
        let lock = own::lock()?;
        if lock.lines().any(|line| line == format!("name = \"{}\"", self.name)) {
            return Err(self.refuse("a crate that it stands on has that name; choose another"));
        }
        files.push((folder.join("Cargo.lock"), lock));
        // Its first claim is written when the rest stands, and must not fail then.
        let text = |name: &str| {
            let found = files.iter().find(|(path, _)| path.ends_with(name));
            found.map_or("", |(_, text)| text.as_str())
        };
        if let Some(why) = names::taken(&self.claim.replace('-', "_"), text("src/lib.rs"), text("Cargo.toml")) {
            return Err(self.refuse(&format!("--claim {}: {why}; choose another, as in --claim eq-1", self.claim)));
        }
        Ok(files)
    }
}

/// The files of a project; words in braces are filled in.
const TEMPLATES: [(&str, &str); 7] = [
    ("Cargo.toml", include_str!("../../../assets/project/Cargo.toml.in")),
    ("src/lib.rs", include_str!("../../../assets/project/lib.rs.in")),
    ("src/methods.rs", include_str!("../../../assets/project/methods.rs.in")),
    ("src/main.rs", include_str!("../../../assets/project/main.rs.in")),
    ("notebooks/claims.toml", include_str!("../../../assets/project/claims.toml.in")),
    ("README.md", include_str!("../../../assets/project/README.md.in")),
    (".gitignore", include_str!("../../../assets/project/gitignore.in")),
];

/// Begins a repository, as `cargo new` does: rows of the record name the commit that they were computed from.
pub fn begin_repository(workspace: &Workspace) {
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.args(words).current_dir(workspace.root()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        git.status().is_ok_and(|status| status.success())
    };
    // Without git everything works but what asks for commits.
    let _ = git(&["rev-parse", "--git-dir"]) || git(&["init", "--quiet"]);
}
