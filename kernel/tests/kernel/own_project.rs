//! A project of a reader's own, begun by `new project`: the front door knows it, loads its library into cells, and judges its claims.
//!
//! The crates that such a project depends on take minutes to compile; a library without them stands in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the program says in a folder, with its exit status.
fn workbench(folder: &Path, words: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_workbench"))
        .args(words)
        .current_dir(folder)
        .env("XDG_CACHE_HOME", folder.join("../cache"))
        .env_remove("WORKBENCH_ROOT")
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

/// A new project whose library stands on nothing.
fn project(place: &Path) -> PathBuf {
    let (status, said) = workbench(place, &["new", "project", "my-paper", "--title", "On \"one\" thing"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("\nNext: cd my-paper; ") && said.matches("claims.toml\n").count() == 1, "{said}");
    let root = place.join("my-paper");
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let (before, rest) = manifest.split_once("[dependencies]").unwrap();
    let (_, after) = rest.split_once("[workspace]").unwrap();
    let profile = after.split_once("[profile.dev.package]").unwrap().0;
    fs::write(root.join("Cargo.toml"), format!("{before}[workspace]{profile}")).unwrap();
    fs::remove_file(root.join("build.rs")).unwrap();
    fs::remove_file(root.join("Cargo.lock")).unwrap();
    root
}

#[test]
fn a_new_project_is_known_wherever_one_stands_in_it() {
    let place = tempfile::tempdir().unwrap();
    let root = project(place.path());
    for folder in [root.clone(), root.join("notebooks")] {
        let (status, said) = workbench(&folder, &["list"]);
        assert_eq!(status, Some(0), "{said}");
        assert!(said.contains("my-paper/eq-1") && said.contains("1 claim open"), "{said}");
        // The program is called as it was installed.
        assert!(said.contains("run `workbench run --notebook my-paper`") && !said.contains("cargo"), "{said}");
    }
    let (_, said) = workbench(&root, &["run", "--help"]);
    assert!(said.contains("Usage: workbench run "), "{said}");
    // Help and a wrong option are answered before its program is built; sweeps are not offered.
    for (words, hint) in
        [(&["verify", "--help"][..], "--full"), (&["help", "verify"], "--full"), (&["verify", "--full2"], "--full")]
    {
        let (_, said) = workbench(&root, words);
        assert!(said.contains(hint) && !said.contains("building") && !said.contains("--sweeps"), "{said}");
    }
    assert!(!root.join("target").exists());
    for wrong in [&["--notebook", "none"][..], &["--claim", "none"], &["--resume", "none"]] {
        let (status, said) = workbench(&root, &[&["run"], wrong].concat());
        assert!(status == Some(2) && !said.contains("building"), "{said}");
    }
    for command in ["test", "sweep", "bench", "bundle"] {
        let words: &[&str] = if command == "bundle" { &["bundle", "--out", "x"] } else { &[command] };
        let (status, said) = workbench(&root, words);
        assert_eq!(status, Some(2), "{command}: {said}");
        assert!(said.contains("belongs to the repository of Workbench"), "{said}");
    }
    let (status, said) = workbench(place.path(), &["new", "project", "my-paper", "--title", "Again"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("exists; choose another name"), "{said}");
    let (status, said) = workbench(&root, &["new", "claim", "my-paper/eq-2", "--where", "Eq. 2"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("\n  workbench verify my-paper/eq-2 --full"), "{said}");
    assert!(fs::read_to_string(root.join("src/lib.rs")).unwrap().contains("pub mod eq_1;\npub mod eq_2;\n"));
}

#[test]
fn its_library_is_built_for_a_run_and_its_claims_are_asked_for() {
    let place = tempfile::tempdir().unwrap();
    let root = project(place.path());
    fs::write(root.join("src/lib.rs"), "//! A library.\n\n/// Six times seven.\npub fn answer() -> u8 {\n    42\n}\n")
        .unwrap();
    fs::write(
        root.join("src/main.rs"),
        "fn main() {\n    println!(\"{:?}\", std::env::args().skip(1).collect::<Vec<_>>());\n}\n",
    )
    .unwrap();
    let path = root.join("notebooks/my-paper.ipynb");
    let text = fs::read_to_string(&path).unwrap();
    let mut notebook: serde_json::Value = serde_json::from_str(&text).unwrap();
    notebook["cells"].as_array_mut().unwrap().retain(|cell| cell["id"] != "eq-1");
    notebook["cells"][1]["source"] = "use my_paper::answer;\nassert_eq!(answer(), 42);\nanswer()".into();
    fs::write(&path, notebook.to_string()).unwrap();
    let (status, said) = workbench(&root, &["run"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("libmy_paper.so") && said.contains("my-paper: 1 code cell"), "{said}");
    assert!(said.contains("my-paper/eq-1"), "a claim that no cell records is told: {said}");
    assert!(root.join("notebooks/results/quick").is_dir());
    let (_, said) = workbench(&root, &["verify", "my-paper/*", "--full"]);
    assert!(
        said.contains("[\"verify\", \"my-paper/*\", \"--full\", \"--notebooks\", "),
        "its own program is called: {said}"
    );
}
