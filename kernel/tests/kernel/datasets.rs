//! The files in `datasets/` are the ones that the manifest names, byte for byte.

use std::collections::BTreeSet;
use std::path::Path;

/// Largest file that is kept in the repository.
const LARGEST: u64 = 1_000_000;
/// Files of the folder that are not data.
const NOT_DATA: [&str; 2] = ["README.md", "manifest.toml"];

/// What is wrong with a folder of data.
fn problems(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("manifest.toml")).unwrap();
    let manifest: toml::Table = text.parse().unwrap();
    let mut problems = Vec::new();
    let mut named = BTreeSet::new();
    for entry in manifest["dataset"].as_array().unwrap() {
        let field = |name: &str| entry.get(name).and_then(|value| value.as_str());
        let file = field("file").unwrap_or_default().to_string();
        for name in ["file", "title", "origin", "licence", "sha256", "made_by"] {
            if field(name).is_none_or(|text| text.trim().is_empty()) {
                problems.push(format!("{file}: no `{name}`"));
            }
        }
        match std::fs::read(folder.join(&file)) {
            Err(error) => problems.push(format!("{file}: {error}")),
            Ok(bytes) => {
                let digest = ring::digest::digest(&ring::digest::SHA256, &bytes);
                let sum: String = digest.as_ref().iter().map(|b| format!("{b:02x}")).collect();
                if field("sha256") != Some(&sum) {
                    problems.push(format!("{file}: checksum is {sum}"));
                }
                let bytes = bytes.len() as i64;
                if entry.get("bytes").and_then(|value| value.as_integer()) != Some(bytes) {
                    problems.push(format!("{file}: size is {bytes}"));
                }
            }
        }
        named.insert(file);
    }
    let mut open = vec![folder.to_path_buf()];
    while let Some(place) = open.pop() {
        for entry in std::fs::read_dir(place).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            if NOT_DATA.contains(&name.as_str()) {
                continue;
            }
            if !named.contains(&name) {
                problems.push(format!("{name}: not in the manifest"));
            }
            if std::fs::metadata(&path).unwrap().len() > LARGEST {
                problems.push(format!("{name}: larger than {LARGEST} bytes"));
            }
        }
    }
    problems
}

#[test]
fn the_committed_data_match_their_manifest() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets");
    assert_eq!(problems(&folder), Vec::<String>::new());
}

#[test]
fn a_changed_a_missing_and_an_unnamed_file_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let entry = |file: &str, sum: &str, bytes: usize| {
        format!(
            "[[dataset]]\nfile = \"{file}\"\ntitle = \"t\"\norigin = \"o\"\nlicence = \"CC0-1.0\"\nsha256 = \"{sum}\"\nbytes = {bytes}\nmade_by = \"as published\"\n"
        )
    };
    // SHA-256 of "abc", from FIPS 180-2.
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    write("a.csv", "abc");
    write("manifest.toml", &entry("a.csv", abc, 3));
    assert_eq!(problems(folder.path()), Vec::<String>::new());
    write("a.csv", "abd");
    assert_eq!(problems(folder.path()).len(), 1);
    write("a.csv", "abc");
    write("b.csv", "new");
    let manifest = entry("a.csv", abc, 3) + &entry("gone.csv", abc, 3);
    write("manifest.toml", &manifest);
    let found = problems(folder.path());
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().any(|line| line == "b.csv: not in the manifest"));
    assert!(found.iter().any(|line| line.starts_with("gone.csv: ")));
}
