//! A step of the test command that is one call of cargo: headings and closing lines as they come, the end of the output where it fails.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use workbench_base::error::{Error, Result};
use workbench_base::text::tail;
use workbench_setup::Ready;
use workbench_setup::cargo::{cargo, no_cargo};

/// Whether the command ended well. It has `more` variables beside those of the machine.
pub fn run(ready: &Ready, name: &str, args: &[&str], more: &[(String, String)]) -> Result<bool> {
    let mut command: Command = cargo(&ready.workspace);
    let mut child = command
        .args(args)
        .envs(ready.environment.iter().chain(more).cloned())
        // What is tested is called by its own name, however this command was.
        .env_remove(workbench_record::CALLED)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(no_cargo)?;
    let file = format!("{}.log", name.replace([' ', '-'], "_"));
    let path = ready.workspace.logs()?.join(file);
    let mut log = std::fs::File::create(&path).map_err(|source| Error::io("write", &path, source))?;
    let stderr = child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut lines = Vec::new();
        let mut packages = 0;
        if let Some(stderr) = stderr {
            for line in BufReader::new(stderr).lines().map_while(|line| line.ok()) {
                if is_heading(&line) {
                    println!("{line}");
                }
                if is_package(&line) {
                    packages += 1;
                    if packages % HEARTBEAT == 0 {
                        println!("    {packages} packages compiled or checked");
                    }
                }
                lines.push(line);
            }
        }
        lines
    });
    let mut output = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines().map_while(|line| line.ok()) {
            if line.starts_with("test result:") {
                println!("    {line}");
            }
            output.push(line);
        }
    }
    let status = child.wait().map_err(|source| Error::io("wait for cargo in", ready.workspace.root(), source))?;
    let errors = reader.join().unwrap_or_default();
    let text = format!("{}\n{}\n", output.join("\n"), errors.join("\n"));
    log.write_all(text.as_bytes()).map_err(|source| Error::io("write", &path, source))?;
    if status.success() {
        return Ok(true);
    }
    println!("{}", tail(&failures(&output).join("\n"), 60));
    println!("{}", tail(&errors.join("\n"), 40));
    let missing = errors
        .iter()
        .any(|line| line.contains("is not installed for the toolchain") || line.contains("no such command"));
    if missing {
        println!("    run `rustup component add rustfmt clippy`, then try again");
    }
    println!("    the whole output is in {}", path.display());
    Ok(false)
}

/// What test programs say of their failures; what passed between them is left out.
fn failures(output: &[String]) -> Vec<&str> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in output {
        inside |= line == "failures:";
        if inside {
            found.push(line.as_str());
        }
        inside &= !line.starts_with("test result:");
    }
    found
}

/// After how many packages a line says that work goes on.
const HEARTBEAT: usize = 50;

/// Lines of cargo's error stream that say that a package is being built.
fn is_package(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("Compiling ") || line.starts_with("Checking ")
}

/// Lines of cargo's error stream that say which test program runs.
fn is_heading(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("Running ") || line.starts_with("Doc-tests ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_shown_without_what_passed_after_them() {
        let said = "running 2 tests\ntest a ... ok\nfailures:\n---- b ----\nfailures:\n    b\ntest result: FAILED.\n\
                    running 1 test\ntest c ... ok\ntest result: ok.";
        let said: Vec<String> = said.lines().map(str::to_owned).collect();
        let shown = ["failures:", "---- b ----", "failures:", "    b", "test result: FAILED."];
        assert_eq!(failures(&said), shown);
    }

    #[test]
    fn headings_are_told_from_compiler_lines() {
        assert!(is_heading("     Running unittests src/lib.rs (target/debug/deps/x)"));
        assert!(is_heading("   Doc-tests workbench"));
        assert!(!is_heading("   Compiling polars v0.55.2"));
        assert!(is_package("   Compiling polars v0.55.2"));
        assert!(is_package("    Checking serde v1.0.0"));
        assert!(!is_package("   Doc-tests workbench"));
    }
}
