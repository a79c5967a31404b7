//! Crates of the reader's own choice beside ours.

use std::os::unix::fs::PermissionsExt;

use crate::common::talk::{Channel, Process, Talk};
use crate::common::{DEP, Kernel, Project};
use serde_json::json;

/// The entry of a package in this project's own lock file, so that no network is needed.
fn locked(name: &str) -> (String, String) {
    let lock = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock")).unwrap();
    let head = format!("[[package]]\nname = \"{name}\"\n");
    let entry = lock.split("\n\n").find(|entry| entry.starts_with(&head)).unwrap();
    let version = entry.lines().find_map(|line| line.strip_prefix("version = ")).unwrap().trim_matches('"');
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

    // A program beside the library is nobody's business here.
    std::fs::write(friend.join("src/main.rs"), "not Rust").unwrap();
    // rustup's proxy would go by it; what builds the crates of both must not.
    std::fs::write(friend.join("rust-toolchain.toml"), "[toolchain]\nchannel = \"1.0.0\"\n").unwrap();

    let mut kernel = Kernel::start_by(&project, &[], "unset RUSTUP_TOOLCHAIN; exec \"$0\" \"$@\"");
    kernel.run(DEP).ok();
    kernel.run(":dep friend = { path = \"../my friend\" }").ok();
    // Beside what is compiled already, and under no name that another crate could have.
    let built = std::fs::read_dir(root.join("target/debug/deps")).unwrap();
    let mut names = built.map(|file| file.unwrap().file_name().into_string().unwrap());
    assert!(names.any(|name| name.starts_with("libfriend-")));
    assert!(!root.join("target/debug/libfriend.rlib").exists());
    assert_eq!(kernel.run("friend::is_left(&workbench::left())").ok().value(), "true");
    kernel.run("let theirs: workbench::either::Either<u8, f64> = friend::right();").ok();
    assert_eq!(kernel.run("(theirs, workbench::version())").ok().value(), "(Right(0.5), 1)");
    kernel.shutdown();
}

/// A project whose lock file has the crate `either`, and a crate `friend` beside it that takes its types.
fn with_a_friend() -> Project {
    let (version, entry) = locked("either");
    let project = Project::new();
    let root = project.root();
    let write = |file: &str, text: String| std::fs::write(root.join(file), text).unwrap();
    let manifest = std::fs::read_to_string(root.join("workbench/Cargo.toml")).unwrap();
    write(
        "workbench/Cargo.toml",
        format!("{manifest}\n[dependencies]\neither = {{ version = \"{version}\", default-features = false }}\n"),
    );
    let ours = "[[package]]\nname = \"workbench\"\nversion = \"0.1.0\"\ndependencies = [\n \"either\",\n]\n";
    write("Cargo.lock", format!("version = 4\n\n{entry}\n\n{ours}"));
    std::fs::create_dir_all(root.join("friend/src")).unwrap();
    write(
        "friend/Cargo.toml",
        "[package]\nname = \"friend\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n".into(),
    );
    write(
        "friend/src/lib.rs",
        "/// How warm it is.\npub struct Warmth(pub f64);\nimpl Warmth { /// In degrees.\npub fn degrees(&self) -> f64 { self.0 } }\n\
         #[macro_export]\nmacro_rules! warm { ($x:expr) => { $crate::Warmth($x) } }\n"
            .into(),
    );
    project
}

#[test]
fn two_kernels_may_have_a_crate_of_one_name_each() {
    let project = with_a_friend();
    let value = |folder: &str, value: u8| {
        let source = project.root().join(folder).join("src/lib.rs");
        std::fs::create_dir_all(source.parent().unwrap()).unwrap();
        std::fs::write(source, format!("pub fn value() -> u8 {{ {value} }}\n")).unwrap();
        let manifest = project.root().join("friend/Cargo.toml");
        let there = project.root().join(folder).join("Cargo.toml");
        std::fs::write(there, std::fs::read_to_string(manifest).unwrap()).unwrap();
    };
    value("friend", 1);
    value("other/friend", 2);
    let start = |folder: &str| {
        let mut kernel = Kernel::start(&project);
        kernel.run(DEP).ok();
        kernel.run(&format!(":dep friend = {{ path = \"../{folder}\" }}")).ok();
        kernel
    };
    let mut one = start("friend");
    assert_eq!(one.run("friend::value()").ok().value(), "1");
    let mut two = start("other/friend");
    assert_eq!(two.run("friend::value()").ok().value(), "2");
    assert_eq!(one.run("friend::value() + 0").ok().value(), "1");
    one.shutdown();
    two.shutdown();
}

#[test]
fn what_cannot_be_built_beside_the_project_is_refused_and_leaves_what_was_loaded() {
    let project = with_a_friend();
    let root = project.root();
    let write = |file: &str, text: &str| {
        let file = root.join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    let package = |name: &str, rest: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n{rest}")
    };
    // The same below another crate, and as a copy; a shared library; nothing at all.
    write("below/src/lib.rs", "");
    write("below/Cargo.toml", &package("below", "[dependencies]\nworkbench = { path = \"../copy\" }\n"));
    write("needs/src/lib.rs", "");
    write("needs/Cargo.toml", &package("needs", "[dependencies]\nbelow = { path = \"../below\" }\n"));
    write("copy/src/lib.rs", "");
    std::fs::copy(root.join("workbench/Cargo.toml"), root.join("copy/Cargo.toml")).unwrap();
    write("shared/src/lib.rs", "");
    write("shared/Cargo.toml", &package("shared", "[lib]\ncrate-type = [\"cdylib\", \"rlib\"]\n"));
    let mut kernel = Kernel::start(&project);
    kernel.run(DEP).ok();
    kernel.run(":dep friend = { path = \"../friend\" }").ok();
    for (asked, why) in [
        (":dep workbench = { path = \"../copy\" }", "`workbench` is a package of this kernel's project"),
        (":dep needs = { path = \"../needs\" }", "is a package of"),
        (":dep shared = { path = \"../shared\" }", "leave `dylib` and `cdylib` out"),
        (":dep nowhere = { path = \"../nowhere\" }", "nowhere"),
    ] {
        let run = kernel.run(asked);
        let told = format!("{} {}", run.error().1, run.traceback());
        let collision = asked.contains("needs") && told.contains("collision");
        assert!(told.contains(why) || collision, "{asked}: {told}");
    }
    assert_eq!(kernel.run("friend::Warmth(2.0).degrees()").ok().value(), "2.0");
    // A manifest that changes is read again, also one below.
    write("below/Cargo.toml", &package("below", ""));
    kernel.run(":dep needs = { path = \"../needs\" }").ok();
    assert_eq!(kernel.run("friend::Warmth(3.0).degrees()").ok().value(), "3.0");
    write("below/Cargo.toml", &package("below", "[dependencies]\nworkbench = { path = \"../workbench\" }\n"));
    let told = kernel.run("friend::Warmth(4.0).degrees()").traceback();
    assert!(told.contains("`needs` needs `workbench`, which is a package of"), "{told}");
    kernel.shutdown();
}

#[test]
fn a_profile_of_the_project_names_what_it_names() {
    let project = with_a_friend();
    let manifest = project.root().join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text + "\n[profile.dev.package.friend]\nopt-level = 1\n").unwrap();
    let mut kernel = Kernel::start(&project);
    kernel.run(DEP).ok();
    kernel.run(":dep friend = { path = \"../friend\" }").ok();
    assert_eq!(kernel.run("friend::Warmth(2.0).degrees()").ok().value(), "2.0");
    kernel.shutdown();
}

#[test]
fn where_two_of_one_crate_meet_the_projects_is_named() {
    let project = with_a_friend();
    let source = project.root().join("workbench/src/lib.rs");
    let text = std::fs::read_to_string(&source).unwrap();
    let left = "pub fn left() -> either::Either<u8, f64> { either::Either::Left(3) }\n";
    std::fs::write(&source, text + left).unwrap();
    let mut kernel = Kernel::start(&project);
    kernel.run(DEP).ok();
    kernel.run(":dep either = { version = \"1\", features = [\"use_std\"] }").ok();
    let run = kernel.run("let e: either::Either<u8, f64> = workbench::left();");
    let ours = format!("`:dep either = \"={}\"`", locked("either").0);
    assert!(run.error().1.contains(&ours), "{:?}", run.error());
    assert!(run.traceback().contains("different versions of crate `either`"), "{}", run.traceback());
    kernel.shutdown();
}

#[test]
fn a_crate_of_the_readers_choice_is_completed_and_inspected() {
    let project = with_a_friend();
    let mut process = Process::start(&project, &[]);
    let mut talk = Talk::connect(&mut process);
    talk.run(DEP).ok();
    talk.run(":dep friend = { path = \"../friend\" }").ok();
    let matches = |talk: &mut Talk, code: &str| {
        let content = json!({"code": code, "cursor_pos": code.chars().count()});
        let reply = talk.ask(Channel::Shell, "complete_request", content).ok().reply;
        reply["matches"].to_string()
    };
    assert!(matches(&mut talk, "friend::").contains("\"Warmth\""));
    assert!(matches(&mut talk, "friend::wa").contains("\"warm!\""));
    talk.run("let w = friend::warm!(2.5);").ok();
    assert!(matches(&mut talk, "w.de").contains("\"degrees\""));
    let code = "w.degrees";
    let asked = json!({"code": code, "cursor_pos": 4, "detail_level": 0});
    let told = talk.ask(Channel::Shell, "inspect_request", asked).ok().reply;
    assert!(told["data"].to_string().contains("In degrees"), "{told}");
}

#[test]
fn cargo_is_asked_once_for_crates_of_a_registry() {
    let project = with_a_friend();
    let bin = project.root().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let asked = project.root().join("asked");
    let which = |name: &str| {
        let output = std::process::Command::new("rustup").args(["which", name]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let scripts = [
        ("rustup", format!("[ $2 = cargo ] && echo '{}/cargo' || echo '{}'", bin.display(), which("rustc"))),
        ("cargo", format!("echo \"$1\" >> '{}'\nexec '{}' \"$@\"", asked.display(), which("cargo"))),
    ];
    for (name, body) in scripts {
        let file = bin.join(name);
        std::fs::write(&file, format!("#!/bin/sh\n{body}\n")).unwrap();
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut kernel = Kernel::start_with(&project, &[("PATH", &path)]);
    kernel.run(DEP).ok();
    kernel.run(":dep either = { version = \"1\", features = [\"use_std\"] }").ok();
    kernel.run("let e: either::Either<u8, u8> = either::Either::Left(1);").ok();
    let builds = || std::fs::read_to_string(&asked).unwrap().lines().filter(|line| *line == "build").count();
    let before = builds();
    assert!(before > 0);
    assert_eq!(kernel.run("let x = 2; e.left()").ok().value(), "Some(1)");
    assert_eq!(kernel.run("x + 1").ok().value(), "3");
    assert_eq!(builds(), before);
    kernel.shutdown();
}

#[test]
fn cells_beside_a_crate_of_a_registry_are_compiled_once() {
    let project = with_a_friend();
    let kept = || std::fs::read_dir(project.root().join(".workbench/cells")).map_or(0, Iterator::count);
    let session = || {
        let mut kernel = Kernel::start(&project);
        kernel.run(DEP).ok();
        kernel.run(":dep either = { version = \"1\", features = [\"use_std\"] }").ok();
        let before = kept();
        kernel.run("let e: either::Either<u8, u8> = either::Either::Left(1);").ok();
        assert_eq!(kernel.run("e.left()").ok().value(), "Some(1)");
        kernel.shutdown();
        kept() - before
    };
    let first = session();
    assert!(first >= 2, "{first} kept");
    assert_eq!(session(), 0, "a later session compiled something again");
}
