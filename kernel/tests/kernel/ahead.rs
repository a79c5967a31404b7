//! Cells that wait behind a running one are compiled while it runs; what was expected and does not happen changes no answer.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::common::talk::{Channel, Process, Talk};
use crate::common::{DEP, Kernel, Project};
use serde_json::json;

/// How long what happens beside a cell may take on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A kernel whose folder the test knows, and a gate that a cell waits at.
struct Session {
    talk: Talk,
    process: Process,
    project: Project,
}

impl Session {
    fn start(environment: &[(&str, &str)]) -> Session {
        let project = Project::new();
        let place = project.root().join("tmp");
        std::fs::create_dir(&place).unwrap();
        let mut all = vec![("TMPDIR", place.to_str().unwrap())];
        all.extend(environment);
        let mut process = Process::start(&project, &all);
        let mut talk = Talk::connect(&mut process);
        talk.run(DEP).ok();
        Session { talk, process, project }
    }

    /// What a cell says that goes on when the gate `name` is open.
    fn wait_at(&self, name: &str) -> String {
        let gate = self.project.root().join(name).display().to_string();
        format!(
            "while !std::path::Path::new({gate:?}).exists() {{ std::thread::sleep(std::time::Duration::from_millis(5)); }}"
        )
    }

    fn open(&self, name: &str) {
        std::fs::write(self.project.root().join(name), "").unwrap();
    }

    /// Waits until so many texts have been compiled ahead.
    fn wait_for_ahead(&self, count: usize) {
        wait_for_ahead(&self.project, count);
    }

    /// What the compiler calls for cells came to since `from`.
    fn calls(&self, from: usize) -> Vec<String> {
        let log = log(&self.project);
        let cells = log.iter().filter(|line| line.starts_with("cell "));
        cells.skip(from).map(|line| line.split(' ').nth(1).unwrap().to_owned()).collect()
    }

    /// Waits until nothing compiles ahead.
    fn wait_until_alone(&self) {
        wait_until_alone(self.project.root());
    }
}

/// What the calls of the compiler have come to.
fn log(project: &Project) -> Vec<String> {
    let folder = std::fs::read_dir(project.root().join("tmp")).unwrap().flatten();
    let kernel = folder.map(|entry| entry.path()).find(|path| path.join("prebuilt.json").is_file());
    let text = kernel.map(|folder| std::fs::read_to_string(folder.join("compiling/log")).unwrap_or_default());
    text.unwrap_or_default().lines().map(str::to_owned).collect()
}

fn wait_for_ahead(project: &Project, count: usize) {
    let began = Instant::now();
    while log(project).iter().filter(|line| line.starts_with("ahead compiled")).count() < count {
        assert!(began.elapsed() < PATIENCE, "{:#?}", log(project));
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn wait_until_alone(root: &Path) {
    let began = Instant::now();
    while !scouts(root).is_empty() {
        assert!(began.elapsed() < PATIENCE, "{:?}", scouts(root));
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Processes that compile ahead for a kernel below this folder, and what they have started.
fn scouts(root: &Path) -> Vec<PathBuf> {
    let wanted = format!("WORKBENCH_AHEAD_WORKER={}", root.display());
    let processes = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    processes
        .filter(|process| {
            let environment = std::fs::read(process.join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable.starts_with(wanted.as_bytes()))
        })
        .collect()
}

#[test]
fn what_waits_behind_a_cell_is_compiled_while_it_runs_and_found_when_its_turn_comes() {
    let mut session = Session::start(&[]);
    let cells = [
        &*format!("let (v, w) = (vec![1.5], vec![2_u8]);\n{}", session.wait_at("gate")),
        // It moves one and makes others; evcxr writes its lines in another way then.
        "#[derive(Debug, Clone)]\nstruct P { x: f64 }\nlet taken = v;\nlet p = P { x: taken[0] };",
        "use std::collections::BTreeMap;\nfn twice(p: &P) -> f64 { 2.0 * p.x }\nlet f = |x: f64| x + 1.0;\nlet g = twice;",
        "let all: BTreeMap<&str, f64> = [(\"p\", g(&p))].into();\n\"1.5\".parse::<f64>()?;",
        "(all, w, workbench::version(), taken)",
    ];
    let ids: Vec<String> = cells.iter().map(|cell| session.talk.cell(cell)).collect();
    let begun = session.calls(0).len();
    // Moved variables, in the second cell and in the last, are found out by an attempt that the compiler refuses.
    session.wait_for_ahead(6);
    assert_eq!(session.calls(begun), ["compiled"], "the others have not begun");
    session.open("gate");
    let last = ids.iter().map(|id| session.talk.finish(id).ok()).last().unwrap();
    assert_eq!(last.told(), ["value:({\"p\": 3.0}, [2], 1, [1.5])"]);
    let calls = session.calls(begun);
    assert!(calls.len() >= 7 && calls[1..].iter().all(|call| call == "found"), "{calls:?}");
    session.wait_until_alone();
}

#[test]
fn a_cell_that_fails_ends_what_was_compiled_behind_it_and_changes_no_answer() {
    let mut session = Session::start(&[]);
    session.talk.run("let n = 1;").ok();
    for (number, failure) in ["panic!(\"no\");", "Err::<(), _>(\"no\")?;"].iter().enumerate() {
        let gate = format!("gate-{number}");
        let first = session.talk.cell(&format!("let n = {number} + 5;\n{}\n{failure}", session.wait_at(&gate)));
        let second = session.talk.cell("let m = n * 2;");
        session.wait_for_ahead(2 * number + 1);
        session.open(&gate);
        assert_eq!(session.talk.finish(&first).error().0, if number == 0 { "panic" } else { "error" });
        assert_eq!(session.talk.finish(&second).reply["status"], "aborted");
        session.wait_until_alone();
        // evcxr has taken the new `n` for the old one's end: neither is left, and the next worker knows it.
        assert!(session.talk.run("n").error().1.contains("n"));
        session.talk.run("let n = 1;").ok();
        let gate = format!("again-{number}");
        let first = session.talk.cell(&format!("let k = n + {number};\n{}", session.wait_at(&gate)));
        let second = session.talk.cell("(n, k)");
        session.wait_for_ahead(2 * number + 2);
        let begun = session.calls(0).len();
        session.open(&gate);
        session.talk.finish(&first).ok();
        assert_eq!(session.talk.finish(&second).ok().told(), [format!("value:(1, {})", 1 + number)]);
        assert_eq!(session.calls(begun), ["found"]);
    }
}

#[test]
fn where_cells_go_on_after_an_error_they_see_what_it_left() {
    let mut session = Session::start(&[]);
    session.talk.run("let n = 1;\nlet moved = vec![1];").ok();
    let on = json!({"stop_on_error": false});
    let code = format!("let taken = moved;\n{}\nif n == 1 {{ panic!(\"no\") }}", session.wait_at("gate"));
    let first = session.talk.cell_with(&code, on.clone());
    let second = session.talk.cell_with("n + 1", on);
    session.wait_for_ahead(1);
    session.open("gate");
    assert_eq!(session.talk.finish(&first).error().0, "panic");
    assert_eq!(session.talk.finish(&second).ok().told(), ["value:2"]);
}

#[test]
fn an_interrupt_is_heard_and_ends_what_compiles_ahead() {
    let mut session = Session::start(&[("WORKBENCH_GRACE_SECONDS", "20")]);
    let first = session.talk.cell("let mut turns = 0_u64;\nloop { turns += 1; std::thread::sleep(std::time::Duration::from_millis(5)); if turns == 0 { break } }");
    let second = session.talk.cell("turns");
    session.wait_for_ahead(1);
    session.talk.interrupt();
    assert_eq!(session.talk.finish(&first).error().0, "Interrupted");
    assert_eq!(session.talk.finish(&second).reply["status"], "aborted");
    session.wait_until_alone();
    assert_eq!(session.talk.run("1 + 1").ok().told(), ["value:2"]);
}

#[test]
fn commands_are_carried_out_once_and_in_their_turn() {
    let mut session = Session::start(&[]);
    let mark = session.project.root().join("mark");
    let cells = [
        format!("let n = 1;\n{}", session.wait_at("gate")),
        "let m = n + 1;".to_owned(),
        format!("!echo once >> '{}'", mark.display()),
        "m".to_owned(),
    ];
    let ids: Vec<String> = cells.iter().map(|cell| session.talk.cell(cell)).collect();
    session.wait_for_ahead(1);
    assert!(!mark.exists());
    session.open("gate");
    let last = ids.iter().map(|id| session.talk.finish(id).ok()).last().unwrap();
    assert_eq!(last.told(), ["value:2"]);
    assert_eq!(std::fs::read_to_string(mark).unwrap(), "once\n");
}

#[test]
fn a_cell_that_does_not_compile_is_told_as_ever() {
    let told = |ahead: &str| {
        let mut session = Session::start(&[("WORKBENCH_COMPILE_AHEAD", ahead)]);
        let first = session.talk.cell(&format!("let n = 1;\n{}", session.wait_at("gate")));
        let (second, third) = (session.talk.cell("let text: usize = \"x\";"), session.talk.cell("n"));
        if ahead == "1" {
            session.wait_for_ahead(1);
        }
        session.open("gate");
        session.talk.finish(&first).ok();
        let failed = session.talk.finish(&second);
        assert_eq!(session.talk.finish(&third).reply["status"], "aborted");
        assert_eq!(session.talk.run("n").ok().told(), ["value:1"]);
        let compiled = log(&session.project).iter().any(|line| line.starts_with("ahead "));
        (failed.reply["traceback"].to_string(), compiled)
    };
    let (with, without) = (told("1"), told("0"));
    assert_eq!((with.0, with.1, without.1), (without.0, true, false));
}

#[test]
fn a_kernel_that_ends_or_is_killed_leaves_nothing_that_compiles() {
    for killed in [false, true] {
        let mut session = Session::start(&[]);
        session.talk.cell(&format!("let n = 1;\n{}", session.wait_at("gate")));
        for number in 0..10 {
            session.talk.cell(&format!("let m{number} = n + {number};"));
        }
        session.wait_for_ahead(1);
        if killed {
            session.process.signal(libc::SIGKILL);
        } else {
            session.talk.send(Channel::Control, "shutdown_request", json!({"restart": false}));
        }
        session.wait_until_alone();
        let began = Instant::now();
        let left = || std::fs::read_dir(session.project.root().join("tmp")).unwrap().count();
        while !killed && left() > 0 {
            assert!(began.elapsed() < PATIENCE, "a folder is left");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn a_client_that_sends_cells_one_by_one_may_tell_which_come_next() {
    let project = Project::new();
    let place = project.root().join("tmp");
    std::fs::create_dir(&place).unwrap();
    let mut kernel = Kernel::start_in(&project, &place);
    kernel.run(DEP).ok();
    let gate = project.root().join("gate");
    let code = format!("let n = 1;\nwhile !std::path::Path::new({:?}).exists() {{}}", gate.display().to_string());
    kernel.announce(&["n + 1"]);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            wait_for_ahead(&project, 1);
            std::fs::write(&gate, "").unwrap();
        });
        kernel.run(&code).ok();
    });
    assert_eq!(kernel.run("n + 1").ok().value(), "2");
    assert!(log(&project).last().unwrap().starts_with("cell found "), "{:#?}", log(&project));
    kernel.shutdown();
}
