//! The kernel over the protocol: values, variables, failures, changed sources, several kernels.

mod common;
#[path = "common/talk.rs"]
mod talk;

use common::{DEP, Kernel, Project};
use object::{Object, ObjectSection};
use serde_json::json;
use std::time::Duration;
use talk::{Channel, Process, Talk};

#[test]
fn values_variables_and_output() {
    let project = Project::new();
    let mut kernel = Kernel::start(&project);
    assert_eq!(kernel.run("1 + 1").ok().value(), "2");
    kernel.run(DEP).ok();
    assert_eq!(kernel.run("workbench::version()").ok().value(), "1");

    // Types come from the compiler: of std, of private modules behind a re-export, of patterns, of string literals.
    kernel
        .run("let t = workbench::thing();\nlet (a, mut b) = (String::from(\"x\"), vec![1.5]);\nlet s = \"lit\";")
        .ok();
    assert_eq!(
        kernel
            .run("b.push(2.5);\n(a.clone(), b.len(), s, t.clone())")
            .ok()
            .value(),
        "(\"x\", 2, \"lit\", Thing([1, 2]))"
    );
    let vars = kernel.run(":vars").ok().value();
    assert!(vars.contains("workbench::deep::Thing<std::vec::Vec<u8>>"), "{vars}");

    // A type with a display of its own, a value without one, and the unit value.
    assert_eq!(kernel.run("workbench::Shown").ok().value(), "plain");
    assert_eq!(kernel.run("for _ in 0..2 {}").ok().value(), "");
    let shown = kernel.run("struct Plain;\nPlain");
    assert!(shown.error().1.contains("cannot be shown"), "{:?}", shown.error());

    // An error in place of a value is an error; one that was asked for is not.
    let shown = kernel.run("let kept = 3; \"x\".parse::<f64>()");
    assert!(shown.error().1.contains("ParseFloatError"), "{:?}", shown.error());
    assert_eq!(kernel.run("kept").ok().value(), "3");
    assert_eq!(kernel.run("\"1\".parse::<f64>()").ok().value(), "Ok(1.0)");
    assert!(
        kernel
            .run("\"x\".parse::<f64>().is_err()")
            .ok()
            .value()
            .contains("true")
    );

    // Streams apart, partial lines complete, in order with rich output.
    let run = kernel
        .run("print!(\"a\"); eprintln!(\"e\"); println!(\"b\"); print!(\"no newline\");")
        .ok();
    assert_eq!(run.stream(false), "ab\nno newline");
    assert_eq!(run.stream(true), "e\n");

    // Items of a cell serve later cells; redefining replaces.
    kernel.run("fn square(x: f64) -> f64 { x * x }").ok();
    assert_eq!(kernel.run("square(3.0)").ok().value(), "9.0");
    kernel.run("fn square(x: f64) -> f64 { x * x + 1.0 }").ok();
    assert_eq!(kernel.run("square(3.0)").ok().value(), "10.0");
    kernel.shutdown();
}

#[test]
fn the_compiler_gets_what_the_cell_mentions() {
    let project = Project::new();
    let mut kernel = Kernel::start(&project);
    kernel.run(DEP).ok();
    kernel.run("let kept = vec![1.5]; let idle = 7_usize;").ok();
    let own_source = "kept.len(); let file = std::env::var(\"WORKBENCH_CELL_FILE\")?;\n\
        std::fs::read_to_string(std::path::Path::new(&file).with_file_name(\"cell.rs\"))?";
    let compiled = kernel.run(own_source).ok().value();
    assert!(compiled.contains("stringify!(kept)"), "{compiled}");
    // Otherwise evcxr writes other text than `eval::compiled` knows, and cells are slow again.
    for left_out in [
        "stringify!(idle)",
        "mod evcxr_internal_runtime {",
        "struct EvcxrUserCodeError",
    ] {
        assert!(!compiled.contains(left_out), "{left_out}: {compiled}");
    }
    assert_eq!(kernel.run("idle + kept.len()").ok().value(), "8");
    kernel.shutdown();
}

#[test]
fn cells_link_against_the_name_and_the_metadata_of_the_crate() {
    let project = Project::new();
    let mut kernel = Kernel::start(&project);
    kernel.run(DEP).ok();
    assert_eq!(kernel.run("workbench::version()").ok().value(), "1");
    let frozen = project.root().join(".workbench/frozen");
    let folder = std::fs::read_dir(frozen)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.is_dir())
        .unwrap();
    let parts = |file: &str| {
        let bytes = std::fs::read(folder.join(file)).unwrap();
        let parsed = object::File::parse(&*bytes).unwrap();
        let metadata = parsed.section_by_name(".rustc").unwrap().data().unwrap().to_vec();
        (metadata, parsed.exports().unwrap().count())
    };
    let (whole, interface) = (parts("libworkbench.so"), parts("interface/libworkbench.so"));
    assert!(whole.0 == interface.0 && !whole.0.is_empty());
    assert!(whole.1 > 0);
    assert_eq!(interface.1, 0);
    kernel.shutdown();
}

#[test]
fn a_variable_whose_type_was_defined_anew_is_given_up_and_said() {
    let project = Project::new();
    let mut kernel = Kernel::start(&project);
    kernel
        .run("#[derive(Debug)]\nstruct Rate(f32);\nlet rate = Rate(0.5); let all: Vec<Rate> = vec![Rate(1.0)]; let n = 3;")
        .ok();
    kernel
        .run("#[derive(Debug, Clone)]\nstruct Rate(f32); // the same")
        .ok();
    assert_eq!(kernel.run("(rate.0, all.len())").ok().value(), "(0.5, 1)");
    // The compiler takes both for the same type, because their fields have the same names.
    kernel.run("struct Rate(f64);").ok();
    assert_eq!(kernel.run("n").ok().value(), "3");
    for gone in ["rate", "all"] {
        let run = kernel.run(&format!("{gone};"));
        assert!(run.error().1.contains(gone), "{:?}", run.error());
        assert!(run.stream(true).contains("redefined"), "{}", run.stream(true));
    }
    assert_eq!(
        kernel.run("let rate = Rate(0.25); rate.0 + n as f64").ok().value(),
        "3.25"
    );
    assert_eq!(kernel.run("rate.0").ok().value(), "0.25");
    kernel.shutdown();
}

#[test]
fn a_symbol_that_nobody_has_is_an_error_and_variables_are_kept() {
    let project = Project::new();
    let mut kernel = Kernel::start(&project);
    kernel.run(DEP).ok();
    kernel.run("let kept = vec![7];").ok();
    let run = kernel.run("unsafe extern \"C\" { fn nowhere_at_all() -> i32; }\nunsafe { nowhere_at_all() }");
    assert!(run.error().1.contains("nowhere_at_all"), "{:?}", run.error());
    assert_eq!(kernel.run("kept").ok().value(), "[7]");
    kernel
        .run("unsafe extern \"C\" { fn getpid() -> i32; }\nassert_eq!(unsafe { getpid() }, std::process::id() as i32);")
        .ok();
    assert_eq!(kernel.run("workbench::version() + 1").ok().value(), "2");
    kernel.shutdown();
}

#[test]
fn failures_are_errors_with_a_place_and_keep_variables() {
    let project = Project::new();
    let mut kernel = Kernel::start(&project);
    kernel.run("let kept = vec![7];").ok();

    let run = kernel.run("let other = 1;\nassert_eq!(other, 2, \"one is not two\");");
    assert_eq!(run.error().0, "panic");
    assert!(run.error().1.contains("one is not two"));
    assert!(run.traceback().contains("line 2"), "{}", run.traceback());

    let run = kernel.run("let n: i32 = \"seven\".parse()?;");
    assert_eq!(run.error(), ("error".into(), "invalid digit found in string".into()));
    assert!(run.traceback().contains("line 1"), "{}", run.traceback());

    let run = kernel.run("let ok = 1;\nlet bad = ok + undefined;");
    assert_eq!(run.error().0, "compile error");
    assert!(run.traceback().contains("line 2, column 16"), "{}", run.traceback());

    assert_eq!(kernel.run("let f = |x: i32| x + 1;\nf(1)").ok().value(), "2");
    let run = kernel.run("f(2)");
    assert!(run.error().1.contains("Box"), "{:?}", run.error());

    assert_eq!(kernel.run("kept.len()").ok().value(), "1");

    // An exit takes the process along; the kernel says so and goes on.
    let run = kernel.run("std::process::exit(3);");
    assert_eq!(run.error().0, "process ended");
    assert_eq!(kernel.run("2 + 2").ok().value(), "4");
    kernel.shutdown();
}

#[test]
fn a_failure_does_not_define_its_variables() {
    let project = Project::new();
    let mut kernel = Kernel::start(&project);
    kernel.run("let x = 5;\nlet y: i32 = \"no\".parse()?;");
    let run = kernel.run("x");
    assert_eq!(run.error().0, "compile error");
    kernel.run("let x = 6;").ok();
    assert_eq!(kernel.run("x").ok().value(), "6");
    kernel.shutdown();
}

#[test]
fn a_changed_crate_asks_for_a_restart_and_a_new_kernel_has_the_new_code() {
    let project = Project::new();
    let mut old = Kernel::start(&project);
    old.run(DEP).ok();
    assert_eq!(old.run("workbench::version()").ok().value(), "1");
    // A lock file that is written anew with the same content is no change.
    std::thread::sleep(Duration::from_millis(20));
    let lock = project.root().join("Cargo.lock");
    std::fs::write(&lock, std::fs::read(&lock).unwrap()).unwrap();
    assert_eq!(old.run("workbench::version()").ok().value(), "1");
    project.set_version(2);
    let run = old.run("workbench::version()");
    assert_eq!(run.error().0, "restart needed");
    assert!(run.error().1.contains("workbench/src/lib.rs"), "{:?}", run.error());

    let mut new = Kernel::start(&project);
    new.run(DEP).ok();
    assert_eq!(new.run("workbench::version()").ok().value(), "2");
    // The old kernel still refuses, and nothing of it has crashed.
    assert_eq!(old.run("1").error().0, "restart needed");
    old.shutdown();
    new.shutdown();
}

#[test]
fn several_kernels_at_once_do_not_meet() {
    let project = Project::new();
    let mut kernels: Vec<Kernel> = (0..3).map(|_| Kernel::start(&project)).collect();
    std::thread::scope(|scope| {
        for (i, kernel) in kernels.iter_mut().enumerate() {
            scope.spawn(move || {
                kernel.run(DEP).ok();
                kernel.run(&format!("let x = {i} * 10;")).ok();
                assert_eq!(
                    kernel.run("x + workbench::version() as i32").ok().value(),
                    format!("{}", i * 10 + 1)
                );
            });
        }
    });
    kernels.into_iter().for_each(Kernel::shutdown);
}

#[test]
fn an_interrupt_ends_a_loop_that_does_not_listen() {
    let project = Project::new();
    let mut kernel = Kernel::start(&project);
    kernel.run("1").ok();
    // The client interrupts a cell that is over its time.
    let run = kernel.run_within("loop { std::hint::black_box(1); }", Duration::from_millis(1500));
    assert!(
        run.messages.iter().any(|m| m.message_type() == "error"),
        "{:?}",
        run.messages
    );
    assert_eq!(kernel.run("3").ok().value(), "3");
    kernel.shutdown();
}

#[test]
fn a_crate_that_does_not_build_is_told_and_can_be_mended() {
    let project = Project::new();
    std::fs::write(
        project.root().join("workbench/src/lib.rs"),
        "pub fn version() -> u32 { nonsense }",
    )
    .unwrap();
    let mut kernel = Kernel::start(&project);
    let run = kernel.run("1");
    assert!(run.error().1.contains("nonsense"), "{:?}", run.error());
    project.set_version(4);
    kernel.run(DEP).ok();
    assert_eq!(kernel.run("workbench::version()").ok().value(), "4");
    kernel.shutdown();
}

#[test]
fn shutdown_leaves_no_process_behind() {
    let project = Project::new();
    let mut kernel = Kernel::start(&project);
    let child: u32 = kernel.run("std::process::id()").ok().value().parse().unwrap();
    assert!(std::path::Path::new(&format!("/proc/{child}")).exists());
    kernel.shutdown();
    let gone = (0..50).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        !std::path::Path::new(&format!("/proc/{child}")).exists()
    });
    assert!(gone, "process {child} is still there");
}

#[test]
fn killing_the_kernel_kills_the_process_for_cells() {
    let project = Project::new();
    let mut kernel = Kernel::start(&project);
    let child: u32 = kernel.run("std::process::id()").ok().value().parse().unwrap();
    // SAFETY: a signal to a process that this test started.
    unsafe { libc::kill(kernel.id(), libc::SIGKILL) };
    let gone = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        !std::path::Path::new(&format!("/proc/{child}")).exists()
    });
    assert!(gone, "process {child} outlived its kernel");
}

#[test]
fn a_kernel_whose_client_crashed_ends() {
    let project = Project::new();
    // A client that starts a kernel, names itself as its parent, and never ends it.
    let mut ended = Process::start(&project, &[]);
    ended.end();
    let script = "export JPY_PARENT_PID=$$; \"$0\" kernel -f \"$1\" & echo $!; wait";
    let mut client = std::process::Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_workbench")])
        .arg(ended.folder().join("connection.json"))
        .current_dir(project.root().join("notebooks"))
        .env("WORKBENCH_ROOT", project.root())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut id = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(client.stdout.take().unwrap()), &mut id).unwrap();
    let kernel = format!("/proc/{}/cmdline", id.trim());
    let lives = || std::fs::read(&kernel).is_ok_and(|command| !command.is_empty());
    std::thread::sleep(Duration::from_secs(2));
    assert!(lives());
    client.kill().unwrap();
    client.wait().unwrap();
    let began = std::time::Instant::now();
    while lives() {
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "the kernel outlives its client"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn cells_are_numbered_and_quiet_as_the_specification_says() {
    let project = Project::new();
    let mut process = Process::start(&project, &[]);
    let mut talk = Talk::connect(&mut process);
    // The first cell tells of the build.
    let id = talk.cell_with("1", json!({"silent": true}));
    talk.finish(&id).ok();

    let done = talk.run("print!(\"a\");\n1").ok();
    assert_eq!(done.kinds(), ["status", "execute_input", "stream", "execute_result"]);
    assert_eq!(done.reply["execution_count"], 1);
    assert_eq!(done.all("execute_input")[0]["execution_count"], 1);
    assert_eq!(done.all("execute_result")[0]["execution_count"], 1);

    // Silent: nothing but the state; not counted, not in the history.
    let id = talk.cell_with("print!(\"quiet\");\n7", json!({"silent": true}));
    let done = talk.finish(&id).ok();
    assert_eq!(
        (done.kinds(), &done.reply["execution_count"]),
        (vec!["status"], &json!(1))
    );
    let id = talk.cell_with("print!(\"b\");", json!({"store_history": false}));
    let done = talk.finish(&id).ok();
    assert_eq!(
        (done.told(), &done.reply["execution_count"]),
        (vec!["stdout:b".to_owned()], &json!(1))
    );
    assert_eq!(talk.run("  ").ok().reply["execution_count"], 1);
    // Fields that may be left out.
    let done = talk
        .ask(Channel::Shell, "execute_request", json!({"code": "2 + 1"}))
        .ok();
    assert_eq!((done.value(), &done.reply["execution_count"]), ("3", &json!(2)));

    let id = talk.cell_with(
        "let x = 20;",
        json!({"user_expressions": {"good": "x + 1", "bad": "nothing_here"}}),
    );
    let reply = talk.finish(&id).ok().reply;
    assert_eq!(reply["user_expressions"]["good"]["data"]["text/plain"], "21");
    assert_eq!(reply["user_expressions"]["good"]["status"], "ok");
    assert_eq!(reply["user_expressions"]["bad"]["status"], "error");

    // Cells that wait behind a failure are not run, unless the request says so.
    let (bad, next) = (talk.cell("panic!(\"no\");"), talk.cell("1"));
    assert_eq!(talk.finish(&bad).error(), ("panic", "no"));
    let done = talk.finish(&next);
    assert_eq!(
        (&done.reply["status"], done.kinds()),
        (&json!("aborted"), vec!["status"])
    );
    let (bad, next) = (
        talk.cell_with("panic!(\"no\");", json!({"stop_on_error": false})),
        talk.cell("x"),
    );
    assert_eq!(talk.finish(&bad).error(), ("panic", "no"));
    assert_eq!(talk.finish(&next).ok().value(), "20");

    let tail = json!({"hist_access_type": "tail", "n": 3, "output": true, "raw": true});
    let history = talk.ask(Channel::Shell, "history_request", tail).reply["history"].clone();
    assert_eq!(history[2], json!([1, 6, ["x", "20"]]));
    let all = json!({"hist_access_type": "range", "session": 0, "start": 1, "stop": 100, "output": false, "raw": true});
    let history = talk.ask(Channel::Shell, "history_request", all).reply["history"].clone();
    assert_eq!(history.as_array().unwrap().len(), 6);
    assert!(!history.to_string().contains("quiet"));
}

#[test]
fn every_request_is_answered_on_its_channel() {
    let project = Project::new();
    let mut process = Process::start(&project, &[]);
    let mut talk = Talk::connect(&mut process);
    talk.run("1").ok();
    for channel in [Channel::Shell, Channel::Control] {
        let info = talk.ask(channel, "kernel_info_request", json!({})).ok();
        assert_eq!(info.reply["protocol_version"], "5.4");
        let language = &info.reply["language_info"];
        assert_eq!(
            (&language["name"], &language["file_extension"]),
            (&json!("rust"), &json!(".rs"))
        );
        assert!(language["version"].as_str().unwrap().starts_with("1."), "{language}");
        assert_eq!(info.kinds(), ["status"]);
        let debug = talk.ask(
            channel,
            "debug_request",
            json!({"type": "request", "seq": 4, "command": "debugInfo"}),
        );
        assert_eq!(
            (&debug.reply["success"], &debug.reply["request_seq"]),
            (&json!(false), &json!(4))
        );
        assert_eq!(
            talk.ask(channel, "comm_info_request", json!({})).ok().reply["comms"],
            json!({})
        );
    }
    let is_complete = talk.ask(Channel::Shell, "is_complete_request", json!({"code": "fn f() {"}));
    assert_eq!(is_complete.reply["status"], "incomplete");

    // A comm that nobody serves is closed.
    let id = talk.send(
        Channel::Shell,
        "comm_open",
        json!({"comm_id": "c", "target_name": "jupyter.widget", "data": {}}),
    );
    let close = talk.expect("comm_close", |m| m.parent == id && m.kind == "comm_close");
    assert_eq!(close.content["comm_id"], "c");

    // What is unknown is passed over, what cannot be read is answered, and the kernel goes on.
    for channel in [Channel::Shell, Channel::Control] {
        let id = talk.send(channel, "brand_new_request", json!({"x": 1}));
        talk.expect("idle", |m| m.parent == id && m.is_idle());
        let bad = talk.ask(channel, "execute_request", json!({"code": 5}));
        assert_eq!(bad.error().0, "BadRequest");
    }
    assert!(process.log().contains("brand_new_request"), "{}", process.log());
    assert_eq!(talk.run("2").ok().value(), "2");

    // An interrupt and a question about the kernel are answered while a cell runs.
    let id = talk.cell("print!(\"go\");\nstd::thread::sleep(std::time::Duration::from_secs(2));");
    talk.expect("text", |m| m.parent == id && m.kind == "stream");
    let info = talk.ask(Channel::Control, "kernel_info_request", json!({})).ok();
    assert!(info.idle.at < talk.finish(&id).idle.at);

    // The reply comes first, then the end.
    let folder = process.folder().to_owned();
    assert_eq!(
        talk.ask(Channel::Control, "shutdown_request", json!({"restart": true}))
            .reply,
        json!({"status": "ok", "restart": true})
    );
    assert!(process.ended_within(Duration::from_secs(4)));
    let mut left: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    left.sort();
    // The client's own; it holds the last one for as long as it lives.
    assert_eq!(left, ["connection.json", "in-use", "kernel.log"]);
}

#[test]
fn messages_that_are_not_ours_are_refused() {
    let project = Project::new();
    let mut process = Process::start(&project, &[]);
    let mut talk = Talk::connect(&mut process);
    let mut wrong = process.info().clone();
    wrong.key = "another key".to_owned();
    let mut none = process.info().clone();
    none.key = String::new();
    for info in [wrong, none] {
        let mut stranger = Talk::unheard(&info);
        for channel in [Channel::Shell, Channel::Control, Channel::Stdin] {
            stranger.send(channel, "shutdown_request", json!({"restart": false}));
            stranger.send(channel, "execute_request", json!({"code": "std::process::exit(0)"}));
        }
        std::thread::sleep(Duration::from_millis(300));
    }
    assert_eq!(talk.run("1").ok().value(), "1");
    let log = process.log();
    assert!(
        log.contains("shell channel: it is not a message signed with this session's key"),
        "{log}"
    );
    assert!(log.contains("control channel: it is not a message signed"), "{log}");

    // A long message is refused, too.
    let long = "1".repeat(65 << 20);
    talk.send(Channel::Shell, "execute_request", json!({"code": long}));
    assert_eq!(talk.run("2").ok().value(), "2");
    assert!(process.log().contains("the limit is"), "{}", process.log());

    // So is one that only announces its length, before anything of it is there.
    for port in [
        process.info().shell_port,
        process.info().iopub_port,
        process.info().hb_port,
    ] {
        use std::io::{Read, Write};
        let mut stranger = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
        let mut greeting = [0; 64];
        (greeting[0], greeting[8], greeting[9], greeting[10]) = (0xff, 1, 0x7f, 3);
        greeting[12..16].copy_from_slice(b"NULL");
        stranger.write_all(&greeting).unwrap();
        stranger.write_all(&[2, 0, 0, 4, 0, 0, 0, 0, 0]).unwrap();
        stranger.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        // The kernel greets, and hangs up.
        assert!(stranger.read_to_end(&mut Vec::new()).is_ok());
    }
    assert_eq!(talk.run("2").ok().value(), "2");
    assert!(process.log().contains("announces a frame"), "{}", process.log());

    // A client that comes back under its old name, beside another one.
    let mut other = Talk::connect(&mut process);
    assert_eq!(other.run("let mine = 3;\nmine").ok().value(), "3");
    drop(other);
    let mut other = Talk::connect(&mut process);
    let (a, b) = (talk.cell("mine"), other.cell("mine + 1"));
    assert_eq!(talk.finish(&a).ok().value(), "3");
    assert_eq!(other.finish(&b).ok().value(), "4");
}
