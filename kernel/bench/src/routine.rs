//! The fixed numeric routine of the crate in a program of its own, built in cargo's release profile.

use std::path::{Path, PathBuf};
use std::process::Command;

use workbench_base::error::{Error, Result};
use workbench_base::text::tail;
use workbench_setup::cargo::{cargo, no_cargo};
use workbench_setup::paths::Workspace;

/// The routine as a program, built in cargo's release profile.
pub struct Release {
    program: PathBuf,
    _folder: tempfile::TempDir,
}

impl Release {
    /// Builds it.
    pub fn build(workspace: &Workspace) -> Result<Release> {
        let folder =
            tempfile::tempdir().map_err(|source| Error::io("make a folder in", &std::env::temp_dir(), source))?;
        let source = workspace.root().join("workbench/src/timing.rs");
        let program = project(folder.path(), &source)?;
        let output = cargo(workspace)
            .args(["build", "--release", "--offline", "--manifest-path"])
            .arg(folder.path().join("Cargo.toml"))
            .env("CARGO_TARGET_DIR", folder.path().join("target"))
            .output()
            .map_err(no_cargo)?;
        if !output.status.success() {
            let status = output.status.to_string();
            return Err(failed("building the routine in release", status, &output.stderr));
        }
        Ok(Release { program, _folder: folder })
    }

    /// Best time of the routine in one run, in seconds.
    pub fn time(&self) -> Result<f64> {
        let ran = Command::new(&self.program).output().map_err(|source| Error::io("run", &self.program, source))?;
        let text = String::from_utf8_lossy(&ran.stdout);
        text.trim().parse().map_err(|_| failed("timing the routine in release", text.to_string(), &ran.stderr))
    }
}

fn failed(what: &str, status: String, text: &[u8]) -> Error {
    Error::Failed {
        what: what.into(),
        status,
        hint: "check workbench/src/timing.rs, which must need the standard library only".into(),
        tail: tail(&String::from_utf8_lossy(text), 8),
    }
}

/// Writes a package with the routine's own source file; returns the path that its program will have.
fn project(folder: &Path, source: &Path) -> Result<PathBuf> {
    let write = |name: &str, text: String| {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|source| Error::io("write", &path, source))
    };
    std::fs::create_dir_all(folder.join("src")).map_err(|source| Error::io("make", folder, source))?;
    write(
        "Cargo.toml",
        "[package]\nname = \"routine\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n".into(),
    )?;
    let timing = std::fs::read_to_string(source).map_err(|cause| Error::io("read", source, cause))?;
    write("src/timing.rs", timing)?;
    write("src/main.rs", "mod timing;\n\nfn main() {\n    println!(\"{}\", timing::best_time(100));\n}\n".into())?;
    Ok(folder.join("target/release/routine"))
}
