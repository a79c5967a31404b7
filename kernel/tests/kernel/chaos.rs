//! Processes killed at random moments of runs with two notebooks side by side, and of two runs at once in one checkout. Afterwards no
//! row is lost, none is false, no notebook is damaged, and a run that was cut off can be resumed.
//!
//! `WORKBENCH_CHAOS_ROUNDS=200 cargo test --workspace --test kernel chaos -- --nocapture` prints the table of what was hit.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::workspace::{Workspace, told, wait_until_gone};
use workbench_client::descendants;
use workbench_record::{Line, Tables, Verdict};

/// Rounds where nobody asks for more.
const ROUNDS: u64 = 4;
/// Claims of each of the two notebooks.
const CLAIMS: usize = 4;

/// A stream of numbers that is the same for a seed (SplitMix64).
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }
}

/// What each claim's cell computes: odd ones hold, even ones fail.
fn right(claim: usize) -> Verdict {
    if claim % 2 == 1 { Verdict::Holds } else { Verdict::Fails }
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn project() -> Workspace {
    let workspace = Workspace::new();
    let claims: Vec<(String, String)> = ["first", "second"]
        .iter()
        .flat_map(|name| (1..=CLAIMS).map(move |claim| (format!("a/{name}-{claim}"), name.to_string())))
        .collect();
    let pairs: Vec<(&str, &str)> = claims.iter().map(|(id, notebook)| (id.as_str(), notebook.as_str())).collect();
    workspace.claims(&pairs);
    for name in ["first", "second"] {
        let open = format!(
            ":dep workbench = {{ path = \"{}\" }}\nuse workbench::prelude::*;\nlet ledger = Ledger::open(\"{name}\")?;",
            repository().join("workbench").display()
        );
        let checks: Vec<String> = (1..=CLAIMS)
            .map(|claim| {
                let error = if right(claim) == Verdict::Holds { 0.0 } else { 1.0 };
                format!(
                    "std::thread::sleep(std::time::Duration::from_millis(100));\n\
                     ledger.record(\"a/{name}-{claim}\", Evidence::of(Finding::identity(\"x\", {error:?}, 1e-9)).note(\"n\"))?"
                )
            })
            .collect();
        let mut cells: Vec<(&str, &[&str])> = vec![(open.as_str(), &[])];
        cells.extend(checks.iter().map(|source| (source.as_str(), &[][..])));
        workspace.notebook(name, &cells);
    }
    workspace
}

/// The runner with our own kernel, which finds the crate of this repository.
fn command(workspace: &Workspace, args: &[&str]) -> Command {
    let binary = env!("CARGO_BIN_EXE_workbench");
    let target = Path::new(binary).ancestors().nth(2).unwrap();
    let argv = serde_json::json!([
        "env",
        format!("WORKBENCH_ROOT={}", repository().display()),
        format!("CARGO_TARGET_DIR={}", target.display()),
        binary,
        "kernel",
        "-f",
        "{connection_file}"
    ]);
    let mut command = Command::new(binary);
    command
        .args(["run", "--no-coverage", "--jobs", "2", "--scale", "paper", "--start-timeout", "900", "--kernel-argv"])
        .arg(argv.to_string())
        .args(args)
        .env("WORKBENCH_ROOT", workspace.root.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn environment_of(id: i32) -> String {
    let bytes = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', "\n")
}

/// A process of a kind below the runner, if there is one now.
fn victim(kind: &str, runner: i32, pick: u64) -> Option<i32> {
    let is = |id: &i32| {
        let line = std::fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default().replace('\0', " ");
        let name = std::fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
        match kind {
            "kernel" => line.contains(" kernel -f ") && name.trim() != "env",
            "cells" => environment_of(*id).contains("EVCXR_IS_RUNTIME") && name.trim() != "rustc",
            "compiler" => name.trim() == "rustc",
            _ => false,
        }
    };
    if kind == "runner" {
        return Some(runner);
    }
    let found: Vec<i32> = descendants(runner).into_iter().filter(is).collect();
    found.get(pick as usize % found.len().max(1)).copied()
}

/// Everything that has to hold whatever was killed.
fn check(workspace: &Workspace, notebooks: &BTreeMap<PathBuf, serde_json::Value>, known: &mut usize, round: u64) {
    let results = workspace.path("notebooks/results");
    let tables = Tables::read(&results).unwrap_or_else(|error| panic!("round {round}: {error}"));
    assert!(tables.rows.len() >= *known, "round {round}: rows were lost");
    *known = tables.rows.len();
    for row in &tables.rows {
        let claim = row.claim.rsplit('-').next().unwrap().parse().unwrap();
        assert_eq!(row.verdict, right(claim), "round {round}: a false row: {row:?}");
        assert!(tables.run_of(row).is_some(), "round {round}: a row of an unknown run: {row:?}");
        assert_eq!(tables.findings_of(row).len(), 1, "round {round}: {row:?}");
        assert!(tables.notes.iter().any(|note| note.key() == row.key()), "round {round}: {row:?}");
        assert!(!row.code.is_empty() && !row.run.is_empty());
    }
    for (path, before) in notebooks {
        let text = std::fs::read_to_string(path).unwrap();
        let now: serde_json::Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("round {round}: {error}"));
        let sources = |notebook: &serde_json::Value| -> Vec<String> {
            notebook["cells"].as_array().unwrap().iter().map(|cell| cell["source"].to_string()).collect()
        };
        assert_eq!(sources(&now), sources(before), "round {round}: {} is damaged", path.display());
    }
}

/// Half-written files outside of the folders of runs, which go with their runs.
fn litter(workspace: &Workspace) -> Vec<PathBuf> {
    let runs = workspace.path("notebooks/results/runs");
    let left = workspace.leftovers().into_iter();
    left.filter(|path| !path.starts_with(&runs)).collect()
}

/// What a run that came to its end by itself may say.
fn honest(status: Option<i32>, text: &str, round: u64) {
    match status {
        Some(0) => assert!(text.contains(&format!("{CLAIMS} holds")), "round {round}: {text}"),
        // A kernel, its cells or a compiler was killed: the cell is named. Where nothing ran yet that is the machine's fault,
        // as is another run that holds the folder.
        Some(3) => assert!(text.contains("FAILED "), "round {round}: {text}"),
        Some(4) => assert!(text.contains("is being written by") || text.contains("FAILED "), "round {round}: {text}"),
        None => {}
        other => panic!("round {round}: status {other:?}: {text}"),
    }
}

#[test]
fn killed_at_random_nothing_is_lost_and_nothing_is_false() {
    let rounds = std::env::var("WORKBENCH_CHAOS_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let mut draws = Draws(20_261_122);
    let workspace = project();
    let notebooks: BTreeMap<PathBuf, serde_json::Value> = ["first", "second"]
        .iter()
        .map(|name| {
            let name = format!("notebooks/{name}.ipynb");
            (workspace.path(&name), workspace.json(&name))
        })
        .collect();
    // Builds what the kernels need, once.
    let (status, text) = told(command(&workspace, &[]).output().unwrap());
    assert_eq!(status, Some(0), "{text}");
    let (mut known, mut table) = (0, BTreeMap::<(String, String), u64>::new());
    check(&workspace, &notebooks, &mut known, 0);
    let begun = Instant::now();
    let (status, text) = told(command(&workspace, &[]).output().unwrap());
    assert_eq!(status, Some(0), "{text}");
    let whole = u64::try_from(begun.elapsed().as_millis()).unwrap();

    for round in 1..=rounds {
        let kind = ["runner", "kernel", "cells", "compiler"][draws.below(4) as usize];
        let two = draws.below(2) == 1;
        let mut children: Vec<Child> = vec![command(&workspace, &[]).spawn().unwrap()];
        if two {
            let waits: &[&str] = if draws.below(2) == 1 { &["--wait"] } else { &[] };
            children.push(command(&workspace, waits).spawn().unwrap());
        }
        let at = Duration::from_millis(draws.below(whole));
        let (pick, of) = (draws.below(100), draws.below(children.len() as u64) as usize);
        std::thread::sleep(at);
        // From the drawn moment on, the first process of that kind.
        let runner = children[of].id() as i32;
        let until = Instant::now() + Duration::from_millis(300);
        let hit = loop {
            match victim(kind, runner, pick) {
                Some(id) => {
                    // SAFETY: two integers; the process is a child of this test or was found below one.
                    unsafe { libc::kill(id, libc::SIGKILL) };
                    break true;
                }
                None if Instant::now() > until => break false,
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        let mut statuses = Vec::new();
        for child in children {
            let (status, text) = told(child.wait_with_output().unwrap());
            honest(status, &text, round);
            statuses.push(status.map_or("killed".to_string(), |status| status.to_string()));
        }
        wait_until_gone(workspace.root.path());
        check(&workspace, &notebooks, &mut known, round);
        // What a killed process left half-written is swept when the next run begins.
        if statuses.iter().all(|status| status == "0") && !hit {
            assert_eq!(litter(&workspace), Vec::<PathBuf>::new(), "round {round}");
        }
        let what = format!("{}{}", if hit { kind } else { "nobody (not there)" }, if two { ", two runs" } else { "" });
        *table.entry((what, statuses.join(" and "))).or_default() += 1;
        if statuses.iter().any(|status| status == "killed") && draws.below(2) == 1 {
            let (status, text) = told(command_resume(&workspace).output().unwrap());
            // Killed before the plan was written or after all was done, there is nothing to resume.
            assert!(matches!(status, Some(0 | 2)), "round {round}: {text}");
            check(&workspace, &notebooks, &mut known, round);
            let told = if status == Some(0) { "0" } else { "nothing to resume" };
            *table.entry(("then resumed".to_string(), told.to_string())).or_default() += 1;
        }
    }
    assert_eq!(known, 2 * CLAIMS);
    let (status, text) = told(command(&workspace, &[]).output().unwrap());
    assert_eq!(status, Some(0), "{text}");
    assert_eq!(litter(&workspace), Vec::<PathBuf>::new());
    for ((what, outcome), count) in &table {
        println!("{what:<32} status {outcome:<24} {count:>4}");
    }
}

fn command_resume(workspace: &Workspace) -> Command {
    let plain = command(workspace, &[]);
    let args: Vec<String> = plain.get_args().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let mut resumed = Command::new(plain.get_program());
    // The scale is the run's own.
    let scale = args.iter().position(|arg| arg == "--scale").unwrap();
    resumed
        .args(&args[..scale])
        .args(&args[scale + 2..])
        .arg("--resume")
        .env("WORKBENCH_ROOT", workspace.root.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    resumed
}
