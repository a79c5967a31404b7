//! The program: stopped, killed, taken up again; without a scheduler; the copy that travels.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_workbench-sweep");

/// The program in the repository, so that a plan knows its commit and data.
fn command(words: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(words).current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn run(words: &[&str]) -> Output {
    command(words).output().unwrap()
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn ok(words: &[&str]) -> String {
    let output = run(words);
    assert!(output.status.success(), "{words:?}: {}", said(&output));
    said(&output)
}

fn path(folder: &tempfile::TempDir) -> &str {
    folder.path().to_str().unwrap()
}

/// The bytes of the whole sweep, in one process.
fn whole() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let at = ["--folder", path(&folder)];
    ok(&[&["plan", "rehearsal", "--seed", "3"], &at[..]].concat());
    ok(&[&["shard", "--all"], &at[..]].concat());
    let told = ok(&[&["merge"], &at[..]].concat());
    assert!(told.contains("64 rows"), "{told}");
    std::fs::read(folder.path().join("data.parquet")).unwrap()
}

/// Waits until a child listens to SIGTERM, the last thing that it sees to before it computes, or has ended. Without `/proc` it is taken to.
fn listens(child: &Child) {
    let (status, begun) = (format!("/proc/{}/status", child.id()), Instant::now());
    while begun.elapsed() < Duration::from_secs(60) {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        if text.contains("State:\tZ") || caught.is_none_or(|mask| mask >> (libc::SIGTERM - 1) & 1 == 1) {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Ends a child by its own id, and within a bounded time.
fn end(child: &mut Child, signal: i32) -> std::process::ExitStatus {
    // SAFETY: the child has not been waited for, so its id is still its own.
    unsafe { libc::kill(child.id() as i32, signal) };
    let begun = Instant::now();
    loop {
        match child.try_wait().unwrap() {
            Some(status) => return status,
            None if begun.elapsed() > Duration::from_secs(60) => {
                child.kill().unwrap();
                panic!("the program did not end");
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

#[test]
fn stopped_or_killed_in_the_middle_it_goes_on_to_the_same_bytes() {
    let expected = whole();
    for (signal, status) in [(libc::SIGINT, Some(130)), (libc::SIGTERM, Some(130)), (libc::SIGKILL, None)] {
        let folder = tempfile::tempdir().unwrap();
        let at = ["--folder", path(&folder)];
        ok(&[&["plan", "rehearsal", "--seed", "3", "--shards", "2"], &at[..]].concat());
        let mut shard = command(&[&["shard", "--all", "--threads", "1"], &at[..]].concat());
        let mut child = shard.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        listens(&child);
        std::thread::sleep(Duration::from_millis(120));
        let ended = end(&mut child, signal);
        // On a machine that is done before the signal comes, the bytes are compared all the same.
        if !ended.success() {
            assert_eq!(ended.code(), status, "signal {signal}");
            let told = said(&run(&[&["merge"], &at[..]].concat()));
            assert!(told.contains("shards of") && told.contains("missing"), "{told}");
        }
        ok(&[&["shard", "--all"], &at[..]].concat());
        ok(&[&["merge"], &at[..]].concat());
        assert!(std::fs::read(folder.path().join("data.parquet")).unwrap() == expected, "signal {signal}");
    }
}

#[test]
fn what_was_stopped_is_told_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let at = ["--folder", path(&folder)];
    ok(&[&["plan", "rehearsal", "--scale", "paper"], &at[..]].concat());
    let mut shard = command(&[&["shard", "--index", "0", "--threads", "1"], &at[..]].concat());
    let mut child = shard.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    listens(&child);
    // The first task is stopped within; with one second for each, some may be done before.
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(end(&mut child, libc::SIGTERM).code(), Some(130));
    let told = ok(&[&["status"], &at[..]].concat());
    assert!(told.contains("of 64 tasks kept") && told.contains("1 shard to compute: 0"), "{told}");
}

#[test]
fn a_disk_that_fills_leaves_no_half_of_a_shard_or_of_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let at = ["--folder", path(&folder)];
    ok(&[&["plan", "rehearsal", "--seed", "3", "--shards", "2"], &at[..]].concat());
    // No file may grow beyond this, as on a disk that fills while it is written.
    let short = |words: &[&str]| {
        let mut command = command(&[words, &at[..]].concat());
        let limit = || {
            let most = libc::rlimit { rlim_cur: 300, rlim_max: 300 };
            // SAFETY: both calls are allowed between fork and exec, and touch nothing of ours.
            unsafe {
                libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
                libc::setrlimit(libc::RLIMIT_FSIZE, &most);
            }
            Ok(())
        };
        // SAFETY: as above.
        unsafe { command.pre_exec(limit) };
        command.output().unwrap()
    };
    let files = |place: &str| -> Vec<String> {
        let entries = std::fs::read_dir(folder.path().join(place)).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().to_string_lossy().into()).collect();
        names.sort();
        names
    };
    let refused = short(&["shard", "--all"]);
    let told = said(&refused);
    assert_eq!(refused.status.code(), Some(4), "{told}");
    assert!(told.contains("sweep shard: ") && told.contains("finished shards are kept"), "{told}");
    assert!(files("shards").is_empty(), "{:?}", files("shards"));
    ok(&[&["shard", "--all"], &at[..]].concat());
    let before = files("");
    let refused = short(&["merge"]);
    let told = said(&refused);
    assert_eq!(refused.status.code(), Some(4), "{told}");
    assert!(told.contains("sweep merge: "), "{told}");
    let left: Vec<String> = files("").into_iter().filter(|name| !before.contains(name)).collect();
    assert!(left.iter().all(|name| !name.contains("data") && !name.contains("tmp")), "{left:?}");
    ok(&[&["merge"], &at[..]].concat());
    assert!(std::fs::read(folder.path().join("data.parquet")).unwrap() == whole());
}

#[test]
fn a_slurm_that_is_not_there_is_said_with_what_else_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let at = ["--folder", path(&folder)];
    ok(&[&["plan", "rehearsal", "--shards", "8"], &at[..]].concat());
    let dry = ok(&[&["submit", "--slurm", "--dry-run"], &at[..], &["--", "--time=10"]].concat());
    assert!(dry.contains("--array=0-7") && dry.contains("--requeue") && dry.contains("--time=10"), "{dry}");
    // Three jobs of three shards, the last of two.
    let dry = ok(&[&["submit", "--slurm", "--dry-run", "--per-job", "3"], &at[..]].concat());
    assert!(dry.contains("--array=0-2"), "{dry}");
    for (job, shards) in [("1", "3,4,5"), ("2", "6,7")] {
        let mut script = Command::new("sh");
        script.arg(folder.path().join("slurm.sh")).arg("0");
        // What stands behind `exec`, shown and not run.
        let text = std::fs::read_to_string(folder.path().join("slurm.sh")).unwrap();
        std::fs::write(folder.path().join("slurm.sh"), text.replace("exec ", "echo ")).unwrap();
        let shown = script.env("SLURM_ARRAY_TASK_ID", job).output().unwrap();
        let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
        assert!(shown.contains(&format!("--index {shards} --threads 1")), "{shown}");
    }
    let mut submit = command(&[&["submit", "--slurm"], &at[..]].concat());
    let output = submit.env("PATH", folder.path()).output().unwrap();
    let told = said(&output);
    assert_eq!(output.status.code(), Some(4), "{told}");
    assert!(told.contains("cannot start `sbatch`") && told.contains("sweep shard --all"), "{told}");
}

#[test]
fn the_copy_beside_the_plan_needs_nothing_of_the_project() {
    let folder = tempfile::tempdir().unwrap();
    ok(&["plan", "rehearsal", "--shards", "2", "--folder", path(&folder)]);
    let elsewhere = tempfile::tempdir().unwrap();
    let moved = elsewhere.path().join("moved");
    std::fs::rename(folder.path(), &moved).unwrap();
    std::fs::create_dir(folder.path()).unwrap();
    let program = moved.join("workbench-sweep");
    for words in [&["shard", "--index", "1"][..], &["shard", "--all"], &["merge"]] {
        let mut command = Command::new(&program);
        let output = command.args(words).args(["--folder", "."]).current_dir(&moved).env_clear().output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", said(&output));
    }
    assert!(Path::new(&moved).join("runs.csv").is_file());
}

#[test]
fn statuses_tell_kinds_of_failure_apart() {
    let folder = tempfile::tempdir().unwrap();
    let at = ["--folder", path(&folder)];
    let status = |words: &[&str]| run(&[words, &at[..]].concat()).status.code();
    assert_eq!(status(&["plan", "figure-99"]), Some(2));
    assert_eq!(status(&["merge"]), Some(2));
    ok(&[&["plan", "rehearsal", "--shards", "2"], &at[..]].concat());
    assert_eq!(status(&["shard", "--index", "2"]), Some(2));
    assert_eq!(status(&["merge"]), Some(1));
    let plan = folder.path().join("plan.json");
    let text = std::fs::read_to_string(&plan).unwrap();
    std::fs::write(&plan, text.replace("\"seed\": 1", "\"seed\": 2")).unwrap();
    assert_eq!(status(&["shard", "--index", "0"]), Some(4));
}
