//! The machine as set-up sees it. A trait, so that a test can play a machine without OpenBLAS, root or network.

use std::path::Path;
use std::process::{Command, Stdio};

use super::cuda::driver::Driver;
use super::cuda::probe;

/// How a program ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// Whether its exit status was 0.
    pub ok: bool,
    /// What it wrote, standard output and then standard error.
    pub output: String,
}

/// What set-up asks of the machine.
pub trait System {
    /// Runs a program to its end; `None` when there is no such program.
    fn run(&self, program: &str, args: &[&str]) -> Option<Ran>;
    /// Whether a path exists.
    fn exists(&self, path: &Path) -> bool;
    /// A variable of the environment.
    fn var(&self, name: &str) -> Option<String>;
    /// A person's answer to a question, yes or no; nothing where there is nobody to ask.
    fn asks(&self, question: &str) -> Option<bool>;
    /// Whether a C program that uses `symbol` of `library` links, with `folders` searched too.
    fn links(&self, library: &str, symbol: &str, folders: &[&Path]) -> bool;
    /// The NVIDIA driver, if there is one.
    fn driver(&self) -> Option<Driver>;
}

/// The real machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Machine;

impl System for Machine {
    fn run(&self, program: &str, args: &[&str]) -> Option<Ran> {
        let output = Command::new(program)
            .args(args)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdin(Stdio::null())
            .output()
            .ok()?;
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        Some(Ran { ok: output.status.success(), output: text })
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn var(&self, name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }

    fn asks(&self, question: &str) -> Option<bool> {
        use std::io::{IsTerminal, Write};
        if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() || std::env::var_os("CI").is_some() {
            return None;
        }
        eprint!("{question} [Y/n] ");
        std::io::stderr().flush().ok()?;
        let mut line = String::new();
        // The end of the input is no yes.
        let read = std::io::stdin().read_line(&mut line).ok()?;
        Some(read > 0 && matches!(line.trim().to_lowercase().as_str(), "" | "y" | "yes"))
    }

    fn links(&self, library: &str, symbol: &str, folders: &[&Path]) -> bool {
        let Ok(folder) = tempfile::tempdir() else {
            return false;
        };
        let source = folder.path().join("probe.c");
        let text = format!("void {symbol}(void);\nint main(void) {{ {symbol}(); return 0; }}\n");
        if std::fs::write(&source, text).is_err() {
            return false;
        }
        let mut command = Command::new("cc");
        command.arg(&source).arg("-o").arg(folder.path().join("probe"));
        for place in folders {
            command.arg("-L").arg(place);
        }
        command
            .arg(format!("-l{library}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    fn driver(&self) -> Option<Driver> {
        probe::look()
    }
}

#[cfg(test)]
pub(crate) mod fake;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_real_machine_runs_and_links() {
        let ran = Machine.run("sh", &["-c", "echo out; exit 3"]).unwrap();
        assert!(!ran.ok);
        assert_eq!(ran.output.trim(), "out");
        assert!(Machine.run("no-such-program-here", &[]).is_none());
        assert!(Machine.links("m", "tgamma", &[]));
        assert!(!Machine.links("no_such_library_here", "nothing", &[]));
    }
}
