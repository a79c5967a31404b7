//! A library that stands in for the driver's: it has all of its names, and each answers that it is none. Programs that are built for a
//! GPU load with it on a machine that has no driver, and link with it where the toolkit brings no stub.

use std::path::{Path, PathBuf};

use super::driver::LIBRARY;
use crate::features::cargo_args;
use crate::packages::metadata;
use crate::paths::Workspace;
use crate::system::System;
use workbench_base::error::{Error, Result};
use workbench_base::text::tail;

/// The crate whose source lists the driver's names.
const BINDINGS: &str = "cudarc";

/// Folder that programs load it from.
pub fn folder(state: &Path) -> PathBuf {
    super::folder(state).join("no-driver")
}

/// Makes it, and where `link` names a folder also a link of the name that linkers look for.
///
/// # Errors
/// [`Error::Cuda`] if the C compiler refuses, or the bindings' source is not on this machine.
pub fn make(workspace: &Workspace, link: Option<&Path>, system: &dyn System) -> Result<()> {
    let names = names(&bindings(workspace)?)?;
    let folder = folder(&workspace.state());
    let library = compile(&names, &folder, system)?;
    let Some(link) = link else { return Ok(()) };
    std::fs::create_dir_all(link).map_err(|source| Error::io("make", link, source))?;
    let stub = link.join("libcuda.so");
    // A link that leads nowhere is replaced.
    if stub.symlink_metadata().is_ok() {
        std::fs::remove_file(&stub).map_err(|source| Error::io("remove", &stub, source))?;
    }
    std::os::unix::fs::symlink(&library, &stub).map_err(|source| Error::io("make", &stub, source))
}

/// The folder of the bindings' source.
fn bindings(workspace: &Workspace) -> Result<PathBuf> {
    let metadata = metadata(workspace, &cargo_args(&[super::FEATURE.to_owned()].into()))?;
    let packages = metadata["packages"].as_array();
    let manifest = packages
        .into_iter()
        .flatten()
        .find(|package| package["name"] == BINDINGS)
        .and_then(|package| package["manifest_path"].as_str());
    match manifest.and_then(|path| Path::new(path).parent()) {
        Some(folder) => Ok(folder.to_path_buf()),
        None => Err(failed(format!("Cargo.lock has no {BINDINGS}"), "restore it from the repository")),
    }
}

/// The driver's names in the bindings' source.
fn names(bindings: &Path) -> Result<Vec<String>> {
    let file = bindings.join("src/driver/sys/mod.rs");
    let text = std::fs::read_to_string(&file).map_err(|source| Error::io("read", &file, source))?;
    let mut names: Vec<String> = text
        .match_indices("fn cu")
        .map(|(at, _)| text[at + 3..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect())
        .filter(|name: &String| name[2..].starts_with(|c: char| c.is_ascii_uppercase()))
        .collect();
    names.sort();
    names.dedup();
    if names.iter().any(|name| name == "cuInit") {
        return Ok(names);
    }
    Err(failed(
        format!("{} does not list the driver's functions", file.display()),
        "this version of the bindings is not the one of Cargo.lock: run `cargo fetch --locked`",
    ))
}

fn compile(names: &[String], folder: &Path, system: &dyn System) -> Result<PathBuf> {
    const TOLD: [&str; 2] = ["cuGetErrorName", "cuGetErrorString"];
    std::fs::create_dir_all(folder).map_err(|source| Error::io("make", folder, source))?;
    let mut text = String::from("#define STANDS_IN 34\n");
    for (name, told) in TOLD.iter().zip(["CUDA_ERROR_STUB_LIBRARY", "this machine has no NVIDIA driver"]) {
        text.push_str(&format!(
            "int {name}(int outcome, const char **text) {{ (void)outcome; *text = \"{told}\"; return 0; }}\n"
        ));
    }
    for name in names.iter().filter(|name| !TOLD.contains(&name.as_str())) {
        text.push_str(&format!("int {name}(void) {{ return STANDS_IN; }}\n"));
    }
    let source = folder.join("stand_in.c");
    let library = folder.join(LIBRARY);
    std::fs::write(&source, text).map_err(|error| Error::io("write", &source, error))?;
    let (source, file) = (source.display().to_string(), library.display().to_string());
    let soname = format!("-Wl,-soname,{LIBRARY}");
    let args = ["-shared", "-fPIC", "-nostdlib", "-w", &soname, "-o", &file, &source];
    match system.run("cc", &args) {
        Some(ran) if ran.ok => Ok(library),
        Some(ran) => Err(failed(
            format!("the C compiler refused what stands in for a driver{}", tail(&ran.output, 5)),
            "see that `cc` compiles and links a shared library",
        )),
        None => Err(failed(
            "there is no C compiler `cc`".to_owned(),
            "install one (`sudo apt-get install build-essential`)",
        )),
    }
}

fn failed(why: String, hint: &str) -> Error {
    Error::Cuda { what: "prepare for machines without a driver".into(), why, hint: hint.into() }
}

#[cfg(test)]
mod tests {
    use super::super::super::system::Machine;
    use super::*;

    #[test]
    fn every_name_of_the_source_is_answered_with_no_driver() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("src/driver/sys");
        std::fs::create_dir_all(&source).unwrap();
        let text = "pub unsafe fn cuInit(Flags: u32) -> R {\n fn cuInit(Flags: u32) -> R;\n}\nfn cuMemAlloc_v2();fn cuGetErrorName();\nfn culib();";
        std::fs::write(source.join("mod.rs"), text).unwrap();
        let names = names(folder.path()).unwrap();
        assert_eq!(names, ["cuGetErrorName", "cuInit", "cuMemAlloc_v2"]);
        let library = compile(&names, &folder.path().join("made"), &Machine).unwrap();
        let program = folder.path().join("ask.c");
        let text = "extern int cuInit(unsigned); extern int cuMemAlloc_v2(void); extern int cuGetErrorString(int, const char **);\n\
            int main(void) { const char *text; return !(cuInit(0) == 34 && cuMemAlloc_v2() == 34 && cuGetErrorString(34, &text) == 0); }\n";
        std::fs::write(&program, text).unwrap();
        let asks = folder.path().join("ask");
        let (program, asks_) = (program.display().to_string(), asks.display().to_string());
        let ran = Machine.run("cc", &[&program, "-o", &asks_, &library.display().to_string()]);
        assert!(ran.as_ref().is_some_and(|ran| ran.ok), "{ran:?}");
        let ran = std::process::Command::new(asks).env("LD_LIBRARY_PATH", library.parent().unwrap()).status().unwrap();
        assert!(ran.success());
    }

    #[test]
    fn another_source_is_told() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("src/driver/sys")).unwrap();
        std::fs::write(folder.path().join("src/driver/sys/mod.rs"), "fn other() {}").unwrap();
        let error = names(folder.path()).unwrap_err().to_string();
        assert!(error.contains("cargo fetch --locked"), "{error}");
    }
}
