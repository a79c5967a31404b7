//! Another compiler, another folder, other letters: it works, or says what to do.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{DEP, Kernel, Project};
use workbench_setup::crate_build;
use workbench_setup::paths::Workspace;

fn tool(toolchain: &str, name: &str) -> Option<PathBuf> {
    let output = Command::new("rustup").args(["which", "--toolchain", toolchain, name]).output().ok()?;
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    (output.status.success() && path.is_file()).then_some(path)
}

fn script(folder: &Path, name: &str, body: &str) {
    let file = folder.join(name);
    std::fs::write(&file, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_new_compiler_at_the_same_path_builds_the_crate_again() {
    let (Some(old), Some(new), Some(cargo)) =
        (tool("stable", "rustc"), tool("nightly", "rustc"), tool("stable", "cargo"))
    else {
        println!("skipped: two toolchains are needed, stable and nightly");
        return;
    };
    let project = Project::new();
    let bin = project.root().join("toolchain");
    std::fs::create_dir(&bin).unwrap();
    script(&bin, "cargo", &format!("exec '{}' \"$@\"", cargo.display()));
    script(&bin, "rustup", &format!("echo '{}'/$2", bin.display()));
    script(&bin, "rustc", &format!("exec '{}' \"$@\"", old.display()));
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let environment = [("PATH", path.as_str())];
    let mut kernel = Kernel::start_with(&project, &environment);
    kernel.run(DEP).ok();
    assert_eq!(kernel.run("let kept = 1; workbench::version()").ok().value(), "1");

    // As an update does it: same path, other compiler.
    script(&bin, "rustc", &format!("exec '{}' \"$@\" # newer", new.display()));
    let run = kernel.run("kept");
    assert_eq!(run.error().0, "restart needed");
    assert!(run.error().1.contains("compiler has been updated"), "{:?}", run.error());
    kernel.shutdown();
    let mut kernel = Kernel::start_with(&project, &environment);
    kernel.run(DEP).ok();
    assert_eq!(kernel.run("workbench::version()").ok().value(), "1");
    kernel.shutdown();
}

#[test]
fn a_temporary_folder_with_blanks_and_other_letters_serves() {
    let project = Project::new();
    let place = project.root().join("für Notizen & more");
    std::fs::create_dir(&place).unwrap();
    let mut kernel = Kernel::start_in(&project, &place);
    kernel.run(DEP).ok();
    kernel.run("let x = vec![workbench::version()];").ok();
    assert_eq!(kernel.run("x.len()").ok().value(), "1");
    kernel.shutdown();
}

/// Whether a process may have mounts of its own here.
fn can_mount() -> bool {
    let tried = Command::new("unshare").args(["-m", "true"]).status();
    let can = tried.is_ok_and(|status| status.success());
    if !can {
        println!("skipped: mounts of one's own are not allowed here");
    }
    can
}

#[test]
fn a_temporary_folder_that_runs_no_programs_is_gone_around() {
    if !can_mount() {
        return;
    }
    let project = Project::new();
    let place = project.root().join("tmp");
    std::fs::create_dir(&place).unwrap();
    let mut kernel = Kernel::start_where(
        &project,
        &format!("mount -t tmpfs -o noexec none '{0}' && export TMPDIR='{0}'", place.display()),
    );
    kernel.run(DEP).ok();
    kernel.run("let x = vec![workbench::version()];").ok();
    assert_eq!(kernel.run("x.len()").ok().value(), "1");
    kernel.shutdown();
    let left = std::fs::read_dir(project.root().join(".workbench/tmp")).unwrap();
    assert_eq!(left.count(), 0, "the kernel's folder goes with it");
}

#[test]
fn a_checkout_that_cannot_be_written_serves_where_nothing_needs_building() {
    if !can_mount() {
        return;
    }
    let project = Project::new();
    let mut kernel = Kernel::start(&project);
    kernel.run(DEP).ok();
    kernel.shutdown();
    let root = project.root().display();
    let cache = tempfile::tempdir().unwrap();
    let mut kernel = Kernel::start_where(
        &project,
        &format!(
            "mount --bind '{root}' '{root}' && mount -o remount,ro,bind '{root}' && ! touch '{root}/x' 2>/dev/null \
             && export XDG_CACHE_HOME='{}'",
            cache.path().display()
        ),
    );
    kernel.run(DEP).ok();
    kernel.run("let x = vec![workbench::version()];").ok();
    assert_eq!(kernel.run("x.len()").ok().value(), "1");
    kernel.shutdown();
}

#[test]
fn a_source_that_was_only_touched_is_no_reason_to_build() {
    let project = Project::new();
    for part in ["kernel", "kernel/record"] {
        std::fs::create_dir_all(project.root().join(part)).unwrap();
        std::fs::write(project.root().join(part).join("Cargo.toml"), "").unwrap();
    }
    let mut kernel = Kernel::start(&project);
    kernel.run(DEP).ok();
    kernel.shutdown();
    let workspace = Workspace::at(project.root()).unwrap();
    let source = project.root().join("workbench/src/lib.rs");
    let touched = std::fs::File::options().append(true).open(&source).unwrap();
    touched.set_modified(std::time::SystemTime::now()).unwrap();
    let built = crate_build::build(&workspace, &[]).unwrap();
    assert_eq!(built.compiled, 0);
    assert!(built.shared_object.ends_with("target/debug/libworkbench.so"));
    project.set_version(2);
    assert!(!matches!(crate_build::build(&workspace, &[]), Ok(built) if built.compiled == 0));
}

#[test]
fn a_root_that_is_no_checkout_is_told_by_the_first_cell() {
    let project = Project::new();
    std::fs::remove_file(project.root().join("workbench/Cargo.toml")).unwrap();
    let mut kernel = Kernel::start(&project);
    let run = kernel.run("1 + 1");
    assert!(run.error().1.contains("set WORKBENCH_ROOT to the folder of one"), "{:?}", run.error());
    kernel.shutdown();
}
