//! How a reader calls this program: what messages and pages tell to type.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::LazyLock;

/// The program as it was called, or else as it is called around the current folder, or in the project that `WORKBENCH_ROOT` names.
pub fn program() -> &'static str {
    static HERE: LazyLock<&str> = LazyLock::new(|| {
        let named = std::env::var_os("WORKBENCH_ROOT").filter(|root| !root.is_empty()).map(std::path::PathBuf::from);
        let from = named.or_else(|| std::env::current_dir().ok()).unwrap_or_default();
        let root = from.ancestors().find(|folder| folder.join("notebooks/claims.toml").is_file());
        program_of(root.unwrap_or(Path::new("")))
    });
    *HERE
}

/// The same in the project at `root`: a checkout of this one builds the program that it runs, any other has an installed one.
pub fn program_of(root: &Path) -> &'static str {
    let called = called(std::env::args_os().next().as_deref(), std::env::var_os(CALLED));
    called.unwrap_or(if is_checkout(root) { CARGO } else { INSTALLED })
}

/// Whether a checkout of this project stands at `root`.
pub fn is_checkout(root: &Path) -> bool {
    root.join("workbench/Cargo.toml").is_file() && root.join("kernel/Cargo.toml").is_file()
}

/// The program that a shell found by its name was called so; cargo's way to an installed one says it in [`CALLED`].
fn called(first: Option<&OsStr>, by: Option<OsString>) -> Option<&'static str> {
    match by.is_some_and(|by| by == CARGO) {
        true => Some(CARGO),
        false => first.filter(|first| *first == INSTALLED).map(|_| INSTALLED),
    }
}

/// Why standard output or standard error cannot be written, if that is what this panic says.
pub fn unprintable(panic: &str) -> Option<String> {
    let (which, cause) = panic.strip_prefix("failed printing to ")?.split_once(": ")?;
    let name = if which == "stderr" { "standard error" } else { "standard output" };
    Some(format!("{name} cannot be written: {cause}"))
}

/// The variable by which `cargo-workbench` says that it was called.
pub const CALLED: &str = "WORKBENCH_CALLED";
/// The program as cargo's command.
const CARGO: &str = "cargo workbench";
const INSTALLED: &str = "workbench";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_of_ones_own_has_an_installed_program() {
        assert_eq!(program(), "cargo workbench", "tests run in the checkout");
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(program_of(folder.path()), "workbench");
    }

    #[test]
    fn the_program_is_named_as_it_was_called() {
        let by = |first: &str, by: Option<&str>| called(Some(OsStr::new(first)), by.map(OsString::from));
        assert_eq!(by("workbench", None), Some("workbench"));
        assert_eq!(by("/usr/bin/workbench", Some(CARGO)), Some("cargo workbench"));
        assert_eq!(by("target/debug/workbench", None), None, "the project says it");
    }
}
