//! Crates of the reader's own choice beside ours.

mod common;

use common::{DEP, Kernel, Project};

/// The entry of a package in this project's own lock file, so that no network is needed.
fn locked(name: &str) -> (String, String) {
    let lock = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock")).unwrap();
    let head = format!("[[package]]\nname = \"{name}\"\n");
    let entry = lock.split("\n\n").find(|entry| entry.starts_with(&head)).unwrap();
    let version = entry
        .lines()
        .find_map(|line| line.strip_prefix("version = "))
        .unwrap()
        .trim_matches('"');
    (version.to_owned(), entry.to_owned())
}

#[test]
fn a_crate_that_takes_types_of_a_crate_of_ours_can_be_used_with_ours() {
    let (version, entry) = locked("either");
    let project = Project::new();
    let root = project.root();
    let manifest = root.join("workbench/Cargo.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(
        &manifest,
        format!("{text}\n[dependencies]\neither = {{ version = \"{version}\", default-features = false }}\n"),
    )
    .unwrap();
    let source = root.join("workbench/src/lib.rs");
    let text = std::fs::read_to_string(&source).unwrap();
    std::fs::write(
        &source,
        text + "pub use either;\npub fn left() -> either::Either<u8, f64> { either::Either::Left(3) }\n",
    )
    .unwrap();
    let ours = "[[package]]\nname = \"workbench\"\nversion = \"0.1.0\"\ndependencies = [\n \"either\",\n]\n";
    std::fs::write(root.join("Cargo.lock"), format!("version = 4\n\n{entry}\n\n{ours}")).unwrap();
    let friend = root.join("my friend");
    std::fs::create_dir_all(friend.join("src")).unwrap();
    std::fs::write(
        friend.join("Cargo.toml"),
        "[package]\nname = \"friend\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\neither = { version = \"1\", default-features = false }\n\n[workspace]\n",
    )
    .unwrap();
    std::fs::write(
        friend.join("src/lib.rs"),
        "pub fn is_left(e: &either::Either<u8, f64>) -> bool { e.is_left() }\npub fn right() -> either::Either<u8, f64> { either::Either::Right(0.5) }\n",
    )
    .unwrap();

    let mut kernel = Kernel::start(&project);
    kernel.run(DEP).ok();
    kernel.run(":dep friend = { path = \"../my friend\" }").ok();
    assert_eq!(kernel.run("friend::is_left(&workbench::left())").ok().value(), "true");
    kernel
        .run("let theirs: workbench::either::Either<u8, f64> = friend::right();")
        .ok();
    assert_eq!(
        kernel.run("(theirs, workbench::version())").ok().value(),
        "(Right(0.5), 1)"
    );
    kernel.shutdown();
}
