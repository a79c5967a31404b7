//! Faults around a kernel: killed processes, full disks, damaged caches, clocks that jump. After each the kernel is usable
//! or says what to do, and no notebook is damaged. Clients that leave, come back or come in pairs: `bench/tests/conformance_features.rs`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::common::{DEP, Kernel, Project};
use workbench_client::descendants;

/// Sends a signal to a process that a test has started, directly or through its kernel.
fn kill(id: i32) {
    assert!(id > 1);
    // SAFETY: two integers; `id` was found below a process of this test.
    unsafe { libc::kill(id, libc::SIGKILL) };
}

fn wait_for<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(value) = found() {
            return value;
        }
        assert!(Instant::now() < until, "waited a minute for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A process below `root` whose program has this name and that was started with this word.
fn below_with(root: i32, program: &str, word: &str) -> Option<i32> {
    descendants(root).into_iter().find(|id| {
        let name = fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
        *id != root && name.trim() == program && words(*id).iter().any(|said| said == word)
    })
}

/// The words that a process was started with; none where it has ended.
fn words(id: i32) -> Vec<String> {
    let words = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let words = words.split(|byte| *byte == 0);
    words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// Whether a process is the program as a kernel. Its name does not say: what the runner starts bears the runner's name until it
/// becomes its own program.
fn is_kernel(id: i32) -> bool {
    words(id).get(1).is_some_and(|word| word == "kernel")
}

fn files_below(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut open = vec![folder.to_path_buf()];
    let mut found = Vec::new();
    while let Some(place) = open.pop() {
        for entry in fs::read_dir(place).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(path);
            } else if wanted(&path) {
                found.push(path);
            }
        }
    }
    found
}

fn set_time(file: &Path, time: SystemTime) {
    File::options().write(true).open(file).unwrap().set_modified(time).unwrap();
}

/// The largest file that the process `id`, and what it starts, may write; as if the disk were full.
fn limit_files(id: i32, bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the pointer is to a value that lives through the call; the process is this test's kernel.
    let done = unsafe { libc::prlimit(id, libc::RLIMIT_FSIZE, &limit, std::ptr::null_mut()) };
    assert_eq!(done, 0, "{}", std::io::Error::last_os_error());
}

#[test]
fn a_killed_process_or_build_is_told_and_the_next_cell_runs() {
    let project = Project::new();
    // A crate that takes long to build.
    let slow = "fn main() { std::thread::sleep(std::time::Duration::from_secs(4)); }";
    fs::write(project.root().join("workbench/build.rs"), slow).unwrap();
    let mut kernel = Kernel::start(&project);
    // Beside the build another cargo is asked what completion needs.
    let builds = || below_with(kernel.id(), "cargo", "build");
    kill(wait_for("cargo to build the crate", builds));
    let run = kernel.run("1 + 1");
    let (_, message) = run.error();
    assert!(message.contains("run the cell again") || message.contains("restart the kernel"), "{message}");
    fs::remove_file(project.root().join("workbench/build.rs")).unwrap();
    assert_eq!(kernel.run("1 + 1").ok().value(), "2");
    kernel.run(DEP).ok();

    // The process that runs cells, in a cell.
    kernel.run("let held = 3;").ok();
    let run = kernel.run("println!(\"before\"); std::process::Command::new(\"kill\").args([\"-9\", &std::process::id().to_string()]).status()?; loop {}");
    let (name, message) = run.error();
    assert_eq!(name, "process ended");
    assert!(message.contains("held"), "the message names what is lost: {message}");
    assert_eq!(run.stream(false), "before\n");
    assert_eq!(kernel.run("1 + 2").ok().value(), "3");
    kernel.run(DEP).ok();
    assert_eq!(kernel.run("workbench::version()").ok().value(), "1");

    // The same between two cells.
    kernel.run("let held = 4;").ok();
    let child: i32 = kernel.run("std::process::id()").ok().value().parse().unwrap();
    kill(child);
    let run = kernel.run("held");
    assert!(run.error().1.contains("gone") || run.error().1.contains("held"), "{:?}", run.error());
    assert_eq!(kernel.run("2 + 2").ok().value(), "4");

    // A compiler, in the middle of a cell that takes it long.
    let mut heavy = String::from("let mut total = 0_u64;\n");
    for n in 0..3000 {
        heavy.push_str(&format!("total = total.wrapping_mul({n}).rotate_left({}) ^ {n};\n", n % 60));
    }
    let id = kernel.id();
    let compiles = move || below_with(id, "rustc", "cell.rs");
    let killer = std::thread::spawn(move || kill(wait_for("rustc to compile the cell", compiles)));
    let run = kernel.run(&heavy);
    killer.join().unwrap();
    assert!(!run.error().1.trim().is_empty());
    assert_eq!(kernel.run("3 + 3").ok().value(), "6");

    // Source that a parser cannot descend into must not end the kernel.
    kernel.run("let held = 7;").ok();
    for open in ["(", "if x {", "&"] {
        let run = kernel.run(&open.repeat(100_000));
        assert!(run.error().1.contains("nested too deeply"), "{:?}", run.error());
    }
    assert_eq!(kernel.run("held").ok().value(), "7");
    kernel.shutdown();
}

#[test]
fn a_full_disk_is_told_and_the_next_cell_runs() {
    let project = Project::new();
    let mut kernel = Kernel::start_ignoring_file_limits(&project);
    kernel.run("let held = 5;").ok();
    limit_files(kernel.id(), 4096);
    let run = kernel.run("let more = held + 1;\nprintln!(\"{more}\");");
    let (_, message) = run.error();
    assert!(message.contains("disk"), "the message says what to look at: {message}");
    limit_files(kernel.id(), libc::RLIM_INFINITY);
    assert_eq!(kernel.run("held + 1").ok().value(), "6");
    kernel.shutdown();

    // No place for the build of the crate: told, and mended in the same kernel.
    project.set_version(2);
    let mut kernel = Kernel::start_with_limit(&project, 8192);
    let run = kernel.run("1");
    assert!(run.error().1.contains("disk"), "{}", run.error().1);
    limit_files(kernel.id(), libc::RLIM_INFINITY);
    kernel.run(DEP).ok();
    assert_eq!(kernel.run("workbench::version()").ok().value(), "2");
    kernel.shutdown();
}

#[test]
fn a_poisoned_cache_is_built_again() {
    let project = Project::new();
    let state = project.root().join(".workbench");
    let target = project.root().join("target");
    let works = |what: &str| {
        let mut kernel = Kernel::start(&project);
        kernel.run(DEP).ok();
        let value = kernel.run("workbench::version()").ok().value();
        assert_eq!(value, "1", "{what}");
        kernel.shutdown();
    };
    works("fresh");
    let shared = |name: &str| name.ends_with("libworkbench.so");
    let objects = || files_below(&target, |f| shared(&f.display().to_string()));
    assert!(!objects().is_empty());

    for text in ["", "{", "[1, 2]", "\u{0}\u{0}\u{0}"] {
        fs::write(state.join("build.json"), text).unwrap();
        works("a note of the last build that is no JSON");
    }
    // Files that end too early, as after a crash. Frozen copies share the bytes, so they are damaged too.
    for object in objects() {
        let length = object.metadata().unwrap().len();
        File::options().write(true).open(&object).unwrap().set_len(length / 2).unwrap();
    }
    works("a shared object that ends early");
    for library in files_below(&target, |f| f.extension().is_some_and(|e| e == "rlib")) {
        fs::write(library, "").unwrap();
    }
    fs::remove_file(state.join("build.json")).unwrap();
    works("empty libraries");
    let frozen = |name: &'static str| files_below(&state.join("frozen"), move |f| f.ends_with(name));
    for name in ["libevcxr_cell.rlib", "libworkbench.so"] {
        let found = frozen(name);
        assert!(!found.is_empty(), "{name}");
        found.iter().for_each(|file| fs::remove_file(file).unwrap());
        works("a frozen folder without one of its files");
    }
    for file in frozen("libevcxr_cell.rlib") {
        fs::write(file, "!<arch>\nnonsense").unwrap();
    }
    works("a frozen folder with a damaged file");

    // Everything that may be deleted, deleted under a live kernel.
    let mut kernel = Kernel::start(&project);
    kernel.run(DEP).ok();
    // The kernel may be writing into it meanwhile.
    let patience = Instant::now() + Duration::from_secs(10);
    while let Err(error) = fs::remove_dir_all(&state) {
        assert!(Instant::now() < patience, "{error}");
    }
    let run = kernel.run("workbench::version() + 1");
    assert!(run.error().1.contains("restart the kernel"), "{}", run.error().1);
    kernel.shutdown();
    works("a new kernel after that");
}

#[test]
fn clocks_that_jump_hide_no_change_and_make_none_up() {
    let project = Project::new();
    let source = project.root().join("workbench/src/lib.rs");
    let day = Duration::from_secs(86_400);
    let mut kernel = Kernel::start(&project);
    kernel.run(DEP).ok();
    // Times from the past and the future on the same content are no change.
    for time in [SystemTime::UNIX_EPOCH + day, SystemTime::now() + 1000 * day] {
        set_time(&source, time);
        assert_eq!(kernel.run("workbench::version()").ok().value(), "1");
    }
    kernel.shutdown();

    // New content is a change, whatever its time says, in a live kernel and in a new one.
    for (version, time) in
        [(2, SystemTime::UNIX_EPOCH + day), (3, SystemTime::now() + 1000 * day), (4, SystemTime::now() - 1000 * day)]
    {
        let mut old = Kernel::start(&project);
        old.run(DEP).ok();
        old.run("workbench::version()").ok();
        project.set_version(version);
        set_time(&source, time);
        assert_eq!(old.run("workbench::version()").error().0, "restart needed");
        let mut new = Kernel::start(&project);
        new.run(DEP).ok();
        assert_eq!(new.run("workbench::version()").ok().value(), version.to_string());
        old.shutdown();
        new.shutdown();
    }
}

const NOTEBOOK: &str = r#"{
 "cells": [
  {"cell_type": "code", "execution_count": 1, "id": "one", "metadata": {}, "outputs": [], "source": ["let a = 1;"]},
  {"cell_type": "code", "execution_count": 2, "id": "two", "metadata": {}, "outputs": [], "source": ["SOURCE"]}
 ],
 "metadata": {"kernelspec": {"display_name": "Rust (Workbench)", "name": "workbench"}},
 "nbformat": 4, "nbformat_minor": 5
}
"#;

/// A notebook in the project, and the command that runs it headless with the outputs going into it.
fn headless(project: &Project, source: &str, limit: &str) -> (PathBuf, std::process::Command) {
    let root = project.root();
    fs::create_dir_all(root.join("kernel")).unwrap();
    fs::write(root.join("kernel/Cargo.toml"), "").unwrap();
    fs::write(root.join("notebooks/claims.toml"), "").unwrap();
    let notebook = root.join("notebooks/n.ipynb");
    fs::write(&notebook, NOTEBOOK.replace("SOURCE", source)).unwrap();
    let binary = env!("CARGO_BIN_EXE_workbench");
    let argv = serde_json::json!([binary, "kernel", "-f", "{connection_file}"]).to_string();
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", &format!("trap '' XFSZ; {limit} exec \"$0\" \"$@\""), binary])
        .args(["run", "--no-coverage", "--in-place", "--kernel-argv", &argv])
        .env("WORKBENCH_ROOT", root)
        .env("CARGO_TARGET_DIR", root.join("target"))
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    (notebook, command)
}

#[test]
fn a_killed_kernel_and_a_full_disk_leave_the_notebook_as_it_was() {
    let project = Project::new();
    let long = "loop { std::hint::black_box(1); }";
    let (notebook, mut command) = headless(&project, long, "");
    let before = fs::read(&notebook).unwrap();
    let runner = command.spawn().unwrap();
    let id = i32::try_from(runner.id()).unwrap();
    let kernel = wait_for("the kernel", || descendants(id).into_iter().find(|id| is_kernel(*id)));
    // Below it the process that runs cells, which takes a processor once the loop runs; a compiler does so before.
    let busy = |id: &i32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        if !stat.contains("(exe)") {
            return false;
        }
        let fields: Vec<String> = stat.rsplit(')').next().unwrap_or("").split_whitespace().map(str::to_owned).collect();
        fields.get(11).and_then(|ticks| ticks.parse::<u64>().ok()).unwrap_or(0) > 50
    };
    let cells = wait_for("the loop", || descendants(kernel).into_iter().filter(|id| *id != kernel).find(busy));
    kill(kernel);
    let output = runner.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "a cell failed");
    let told = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("two"), "the cell is named: {told}");
    assert_eq!(fs::read(&notebook).unwrap(), before);
    wait_for("the process for cells to end", || (!descendants(cells).contains(&cells)).then_some(()));

    // Outputs larger than what the disk takes: the notebook stays, and nothing half-written lies beside it. Four megabytes (in blocks
    // of 512 bytes) are enough for what the compiler and the linker write, and too few for five of text.
    let (notebook, mut command) = headless(&project, "\\\"text \\\".repeat(1_000_000)", "ulimit -f 8000;");
    let before = fs::read(&notebook).unwrap();
    let output = command.output().unwrap();
    let told = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(4), "the machine is not in order: {told}");
    assert!(told.contains("n.ipynb"), "{told}");
    assert_eq!(fs::read(&notebook).unwrap(), before, "{told}");
    let left = files_below(&project.root().join("notebooks"), |f| f.extension().is_some_and(|e| e == "tmp"));
    assert!(left.is_empty(), "{left:?}");
}
