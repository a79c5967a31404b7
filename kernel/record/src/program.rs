//! How a reader calls this program: what messages and pages tell to type.

use std::path::Path;
use std::sync::LazyLock;

/// The program as it is called around the current folder, or in the project that `WORKBENCH_ROOT` names.
pub fn program() -> &'static str {
    static HERE: LazyLock<&str> = LazyLock::new(|| {
        let named = std::env::var_os("WORKBENCH_ROOT").map(std::path::PathBuf::from);
        let from = named.or_else(|| std::env::current_dir().ok()).unwrap_or_default();
        from.ancestors().find(|folder| folder.join("notebooks/claims.toml").is_file()).map_or(INSTALLED, program_of)
    });
    *HERE
}

/// The same in the project at `root`: a checkout of this one builds the program that it runs, any other has an installed one.
pub fn program_of(root: &Path) -> &'static str {
    if is_checkout(root) { "cargo workbench" } else { INSTALLED }
}

/// Whether a checkout of this project stands at `root`.
pub fn is_checkout(root: &Path) -> bool {
    root.join("workbench/Cargo.toml").is_file() && root.join("kernel/Cargo.toml").is_file()
}

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
}
