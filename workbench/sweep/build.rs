//! Tells the crate which sources it is compiled from: a digest of the rooms that compute, of this crate, and of the lock file.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a number of a sweep depends on.
const SOURCES: [&str; 8] = [
    "build.rs",
    "src",
    "../features/src",
    "../ground/src",
    "../memformer/src",
    "../memory/src",
    "../optimizer/src",
    "../../Cargo.lock",
];

fn main() {
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
        collect(Path::new(source), &mut files);
    }
    files.sort();
    let mut digest = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    for file in files {
        let name = file.to_string_lossy().replace('\\', "/");
        digest = fnv(fnv(digest, name.as_bytes()), b"\0");
        // A file that cannot be read stops the compiler too.
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//");
        for line in text.lines().map(str::trim).filter(is_code) {
            digest = fnv(fnv(digest, line.as_bytes()), b"\n");
        }
    }
    println!("cargo::rustc-env=WORKBENCH_SWEEP_SOURCE={digest:032x}");
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let told = Command::new(compiler).arg("--version").output();
    let told = told.map_or(String::new(), |output| String::from_utf8_lossy(&output.stdout).trim().to_string());
    println!("cargo::rustc-env=WORKBENCH_SWEEP_COMPILER={told}");
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        files.push(path.to_path_buf());
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        collect(&entry.path(), files);
    }
}

/// FNV-1a, 128 bits, from a state.
fn fnv(state: u128, bytes: &[u8]) -> u128 {
    const PRIME: u128 = 0x0100_0000_0000_0000_0000_013b;
    bytes.iter().fold(state, |h, byte| (h ^ u128::from(*byte)).wrapping_mul(PRIME))
}
