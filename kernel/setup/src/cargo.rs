//! Calls of cargo: with the environment of the user, not with what `cargo run` or a kernel has put into it.

use std::path::PathBuf;
use std::process::Command;

use workbench_base::error::Error;

use crate::paths::Workspace;

/// Set for the processes that evcxr starts: the folder that describes what cells link.
pub const PREBUILT_ENV: &str = "WORKBENCH_PREBUILT";
/// The real cargo and rustc, as found when the kernel started.
pub const CARGO_ENV: &str = "WORKBENCH_REAL_CARGO";
/// See [`CARGO_ENV`].
pub const RUSTC_ENV: &str = "WORKBENCH_REAL_RUSTC";

/// The user's own `CARGO_HOME`, where one is set.
pub const CARGO_HOME_ENV: &str = "WORKBENCH_REAL_CARGO_HOME";

/// Where cargo leaves what it makes on the way.
pub const BUILD_DIR: &str = "CARGO_BUILD_BUILD_DIR";
/// See [`OF_THE_USER`].
pub const REAL_BUILD_DIR: &str = "WORKBENCH_REAL_BUILD_DIR";
/// What evcxr sets for its own calls of cargo, and the names under which the user's values are kept.
pub const OF_THE_USER: [(&str, &str); 3] = [
    (BUILD_DIR, REAL_BUILD_DIR),
    ("RUSTFLAGS", "WORKBENCH_REAL_RUSTFLAGS"),
    ("RUSTC_WRAPPER", "WORKBENCH_REAL_RUSTC_WRAPPER"),
];

/// A cargo command in the workspace, without what `cargo run` put into our own environment.
pub fn cargo(workspace: &Workspace) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace.root());
    forget_cargo_run(&mut command);
    command
}

/// The error of a cargo that did not start.
pub fn no_cargo(source: std::io::Error) -> Error {
    Error::Start { program: "cargo".into(), source, hint: "install Rust with rustup".into() }
}

/// Takes from a command's environment what `cargo run` put there. Build scripts that watch those variables would run
/// again, and with them everything that depends on them.
pub fn forget_cargo_run(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(from_cargo_run) {
            command.env_remove(name);
        }
    }
}

/// Whether `cargo run` sets a variable for the program that it starts, after the package that holds it.
fn from_cargo_run(name: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"].iter().any(|prefix| name.starts_with(prefix))
        || ["CARGO_CRATE_NAME", "CARGO_PRIMARY_PACKAGE", "OUT_DIR"].contains(&name)
}

/// The program that a variable names, or else the one of this name on the path.
pub fn real(variable: &str, fallback: &str) -> PathBuf {
    std::env::var_os(variable).map_or_else(|| fallback.into(), PathBuf::from)
}

/// The real cargo, with the environment it had before the kernel took its name.
pub fn real_cargo() -> Command {
    let mut command = Command::new(real(CARGO_ENV, "cargo"));
    forget_cargo_run(&mut command);
    command.env_remove("CARGO").env_remove("RUSTC");
    // Not rustup's proxy, which the sources of a dependency can tell to be another compiler.
    if let Some(rustc) = std::env::var_os(RUSTC_ENV) {
        command.env("RUSTC", rustc);
    }
    // Inside a kernel it is the kernel's own; elsewhere it is the user's.
    if std::env::var_os(PREBUILT_ENV).is_some() {
        command.env_remove("CARGO_HOME");
    }
    if let Some(home) = std::env::var_os(CARGO_HOME_ENV) {
        command.env("CARGO_HOME", home);
    }
    if let Some(path) = std::env::var_os("WORKBENCH_REAL_PATH") {
        command.env("PATH", path);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_run_sets_is_told_from_what_a_user_sets() {
        for name in ["CARGO_PKG_NAME", "CARGO_PKG_VERSION_MAJOR", "CARGO_MANIFEST_DIR", "CARGO_BIN_NAME", "OUT_DIR"] {
            assert!(from_cargo_run(name), "{name}");
        }
        for name in ["CARGO", "CARGO_HOME", "CARGO_TARGET_DIR", "CARGO_NET_OFFLINE", "PATH"] {
            assert!(!from_cargo_run(name), "{name}");
        }
    }
}
