//! A kernel outside of a checkout: in a folder with nothing, and in a cargo package of the reader's own.

use std::fs;
use std::path::Path;

use crate::common::{Kernel, Project};

/// A kernel in `folder`, with a cache of its own in `place`.
fn outside(place: &Path, folder: &Path) -> Kernel {
    let line = format!(
        "unset WORKBENCH_ROOT CARGO_TARGET_DIR; cd '{}' && XDG_CACHE_HOME='{}' exec \"$0\" \"$@\"",
        folder.display(),
        place.join("cache").display()
    );
    Kernel::start_by(Project::shared(), &[], &line)
}

/// Names of what lies in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn an_empty_folder_is_enough_and_stays_empty() {
    let place = tempfile::Builder::new().prefix("anders wo ").tempdir().unwrap();
    let folder = place.path().join("notes");
    fs::create_dir(&folder).unwrap();
    let mut kernel = outside(place.path(), &folder);
    let first = kernel.run("let x = 41;").ok();
    assert_eq!(first.stream(true), "", "a saved notebook would tell of it");
    assert_eq!(kernel.run("x + 1").ok().value(), "42");
    // What has no size is shown behind a reference, as a reader would write it.
    assert_eq!(kernel.run("vec![1, 2, 3][1..]").ok().value(), "[2, 3]");
    assert_eq!(kernel.run("*\"abc\"").ok().value(), "\"abc\"");
    let (name, message) = kernel.run("let mut s = 250_u8; for _ in 0..10 { s += 1; } s").error();
    assert_eq!((name.as_str(), message.contains("overflow")), ("panic", true), "{message}");
    assert_eq!(kernel.run("x").ok().value(), "41");
    kernel.shutdown();
    assert_eq!(names(&folder), Vec::<String>::new());
    assert_eq!(names(&place.path().join("cache")), ["workbench"]);
}

#[test]
fn a_package_of_the_readers_own_is_at_hand_and_is_built_again_when_it_is_saved() {
    let place = tempfile::Builder::new().prefix("eigenes ").tempdir().unwrap();
    let root = place.path().join("my-notes");
    let folder = root.join("notebooks");
    fs::create_dir_all(&folder).unwrap();
    fs::create_dir_all(root.join("src")).unwrap();
    let manifest = "[package]\nname = \"my-notes\"\nversion = \"0.3.0\"\nedition = \"2021\"\n\n[workspace]\n";
    fs::write(root.join("Cargo.toml"), format!("{manifest}\n[package.metadata.jupyter]\nlibrary = true\n")).unwrap();
    let library = |step: u32| {
        let text = format!(
            "use std::sync::atomic::{{AtomicU32, Ordering}};\nstatic N: AtomicU32 = AtomicU32::new(0);\n\
             /// Counts.\npub fn next() -> u32 {{ N.fetch_add({step}, Ordering::SeqCst) }}\n\
             #[derive(Debug, Clone)]\npub struct Point {{ pub x: f64 }}\n"
        );
        fs::write(root.join("src/lib.rs"), text).unwrap();
    };
    library(1);
    let mut kernel = outside(place.path(), &folder);
    // No line but `use`; a static is one over cells, a variable of the library's type is kept.
    assert_eq!(kernel.run("use my_notes::*;\nnext()").ok().value(), "0");
    assert_eq!(kernel.run("next()").ok().value(), "1");
    kernel.run("let p = Point { x: 1.5 };").ok();
    assert_eq!(kernel.run("p.x + f64::from(my_notes::next())").ok().value(), "3.5");
    library(10);
    let run = kernel.run("my_notes::next()");
    assert_eq!(run.error().0, "restart needed");
    assert!(run.error().1.contains("src/lib.rs has changed"), "{:?}", run.error());
    kernel.shutdown();
    let mut kernel = outside(place.path(), &folder);
    assert_eq!(kernel.run("(my_notes::next(), my_notes::next())").ok().value(), "(0, 10)");
    kernel.shutdown();
    // A library that does not compile is told with the compiler's words, and with whose it is.
    fs::write(root.join("src/lib.rs"), "pub fn next() -> u32 { \"x\" }\n").unwrap();
    let mut kernel = outside(place.path(), &folder);
    let (_, message) = kernel.run("1").error();
    assert!(
        message.contains("the library `my_notes` does not build") && message.contains("mismatched types"),
        "{message}"
    );
    kernel.shutdown();
    assert_eq!(names(&folder), Vec::<String>::new());
    assert_eq!(names(&root), ["Cargo.lock", "Cargo.toml", "notebooks", "src", "target"]);
}
