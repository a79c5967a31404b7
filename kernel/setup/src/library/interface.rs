//! Interface that cells are linked against: the shared object's name and what the compiler has to know of it, without its code.
//!
//! A linker reads all names of a library before it looks for the few that a cell uses, and most of the time of linking a cell
//! goes there. The process for cells looks them up once more when it loads a cell, so for a cell that names no symbols of its
//! own the first search is left out: it is linked against an interface that has no names, with the toolchain's own linker
//! called directly.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};
use memmap2::Mmap;
use object::{Object, ObjectSection};
use serde::{Deserialize, Serialize};

/// Folder of the interface, inside the folder of what cells link.
const FOLDER: &str = "interface";
/// Section of a Rust library that holds what the compiler has to know.
const METADATA: &str = ".rustc";

/// A quicker way to link cells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interface {
    /// The library without its code, under the library's name.
    pub file: PathBuf,
    /// The toolchain's linker.
    linker: PathBuf,
    /// Where the system's libraries are, in the order in which they are looked through.
    folders: Vec<PathBuf>,
}

impl Interface {
    /// Makes the interface of `object` in `folder`; nothing where the toolchain has no linker of its own among its `tools`,
    /// libraries have another form, or the C compiler does not tell where they are.
    pub fn make(object: &Path, folder: &Path, tools: &Path) -> Result<Option<Interface>> {
        let linker = tools.join("rust-lld");
        if !cfg!(target_os = "linux") || !linker.is_file() {
            return Ok(None);
        }
        let folders = library_folders()?;
        if folders.is_empty() {
            return Ok(None);
        }
        let file = write(object, &folder.join(FOLDER))?;
        Ok(Some(Interface { file, linker, folders }))
    }

    /// Arguments that make rustc link with it; `with_object` where the cell uses the library.
    pub fn rustc_args(&self, with_object: bool) -> Vec<String> {
        let mut args = vec![format!("-Clinker={}", self.linker.display()), "-Clinker-flavor=ld.lld".to_owned()];
        args.extend(self.folders.iter().map(|f| format!("-Clink-arg=-L{}", f.display())));
        if with_object {
            // No name is found in the interface, so the linker would take the library for unused.
            args.push("-Clink-arg=--no-as-needed".to_owned());
            args.push(format!("-Clink-arg={}", self.file.display()));
        }
        args
    }
}

/// Writes a shared object with the name and the metadata of `object` into `folder`.
fn write(object: &Path, folder: &Path) -> Result<PathBuf> {
    let name = object.file_name().unwrap_or_default().to_string_lossy();
    fs::create_dir_all(folder)?;
    let metadata = folder.join("metadata");
    fs::write(&metadata, metadata_of(object)?)?;
    let source = folder.join("interface.s");
    fs::write(
        &source,
        format!(".section {METADATA},\"\",@progbits\n.incbin \"metadata\"\n.section .note.GNU-stack,\"\",@progbits\n"),
    )?;
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-nostdlib"])
        .arg(format!("-Wl,-soname={name}"))
        .args(["interface.s", "-o", &name])
        .current_dir(folder);
    run(&mut cc)?;
    fs::remove_file(metadata)?;
    Ok(folder.join(&*name))
}

/// What the compiler has to know of a library.
pub(super) fn metadata_of(object: &Path) -> Result<Vec<u8>> {
    let what = || format!("could not read {}", object.display());
    let file = File::open(object).with_context(what)?;
    // SAFETY: the file is a build's output in a folder of our own; nobody writes to it in place.
    let bytes = unsafe { Mmap::map(&file) }.with_context(what)?;
    let parsed = object::File::parse(&*bytes).with_context(what)?;
    let section = parsed.section_by_name(METADATA).with_context(|| {
        format!("{} has no section {METADATA}: run `cargo clean` and start again", object.display())
    })?;
    Ok(section.data().with_context(what)?.to_vec())
}

/// The folders in which the C compiler looks for libraries.
fn library_folders() -> Result<Vec<PathBuf>> {
    let output = run(Command::new("cc").arg("-print-search-dirs"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let list = text.lines().find_map(|line| line.strip_prefix("libraries: ="));
    let mut folders = Vec::new();
    for folder in std::env::split_paths(list.unwrap_or_default()) {
        // A folder is often named in several ways.
        if let Ok(folder) = folder.canonicalize()
            && folder.is_dir()
            && !folders.contains(&folder)
        {
            folders.push(folder);
        }
    }
    Ok(folders)
}

fn run(command: &mut Command) -> Result<Output> {
    // In words that can be read here.
    let output = command
        .env("LC_ALL", "C")
        .output()
        .context("could not run the C compiler `cc`: install one (on Debian: `apt-get install gcc`)")?;
    if !output.status.success() {
        bail!("`cc` failed to prepare what cells link: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_without_metadata_is_told() {
        let error = metadata_of(&std::env::current_exe().unwrap()).unwrap_err().to_string();
        assert!(error.contains(".rustc"), "{error}");
    }
}
