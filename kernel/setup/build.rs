//! Takes the sources of the crates that a reader's own project depends on into a program that is made to be installed. A program that is
//! built in a checkout for that checkout names its folders instead, so that an edit there does not build the kernel anew.

use std::path::{Path, PathBuf};

const FOLDERS: [&str; 6] = [
    "kernel/record",
    "workbench/checks/list",
    "workbench/display",
    "workbench/ground",
    "workbench/ledger",
    "workbench/program",
];
/// Not needed by who depends on a crate.
const LEFT_OUT: [&str; 3] = ["benches", "target", "tests"];

fn main() {
    let variable = |name: &str| std::env::var_os(name).unwrap_or_default();
    let root = Path::new(&variable("CARGO_MANIFEST_DIR")).join("../..");
    println!("cargo::rerun-if-changed=build.rs");
    let installed = variable("PROFILE") == "release" || std::env::var_os("CARGO_FEATURE_STANDALONE").is_some();
    let mut files = Vec::new();
    if installed {
        files.extend(["Cargo.toml", "Cargo.lock"].map(PathBuf::from));
        for folder in FOLDERS {
            println!("cargo::rerun-if-changed=../../{folder}");
            list(&root, Path::new(folder), &mut files);
        }
    }
    files.sort();
    let mut text = String::from(
        "/// The files of the crates, below the root of their workspace; none in a program that is built for its checkout.\n",
    );
    text += "const SOURCES: &[(&str, &[u8])] = &[\n";
    for file in files {
        text += &format!(
            "    ({:?}, include_bytes!({:?})),\n",
            file.display().to_string(),
            root.join(&file).display().to_string()
        );
    }
    text += "];\n";
    let out = Path::new(&variable("OUT_DIR")).join("crates.rs");
    if let Err(why) = std::fs::write(&out, text) {
        println!("cargo::error=cannot write {}: {why}", out.display());
    }
}

fn list(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
        let inside = folder.join(entry.file_name());
        match entry.path().is_dir() {
            true if LEFT_OUT.iter().any(|name| inside.ends_with(name)) => {}
            true => list(root, &inside, files),
            false => files.push(inside),
        }
    }
}
