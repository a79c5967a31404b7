//! The protocol message by message: numbers of cells, answers to every request, messages that are not ours.

use std::time::Duration;

use crate::common::Project;
use crate::common::talk::{Channel, Process, Talk};
use serde_json::json;

#[test]
fn cells_are_numbered_and_quiet_as_the_specification_says() {
    let project = Project::shared();
    let mut process = Process::start(project, &[]);
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
    assert_eq!((done.kinds(), &done.reply["execution_count"]), (vec!["status"], &json!(1)));
    let id = talk.cell_with("print!(\"b\");", json!({"store_history": false}));
    let done = talk.finish(&id).ok();
    assert_eq!((done.told(), &done.reply["execution_count"]), (vec!["stdout:b".to_owned()], &json!(1)));
    assert_eq!(talk.run("  ").ok().reply["execution_count"], 1);
    // Fields that may be left out.
    let done = talk.ask(Channel::Shell, "execute_request", json!({"code": "2 + 1"})).ok();
    assert_eq!((done.value(), &done.reply["execution_count"]), ("3", &json!(2)));

    let id = talk.cell_with("let x = 20;", json!({"user_expressions": {"good": "x + 1", "bad": "nothing_here"}}));
    let reply = talk.finish(&id).ok().reply;
    assert_eq!(reply["user_expressions"]["good"]["data"]["text/plain"], "21");
    assert_eq!(reply["user_expressions"]["good"]["status"], "ok");
    assert_eq!(reply["user_expressions"]["bad"]["status"], "error");

    // Cells that wait behind a failure are not run, unless the request says so.
    let (bad, next) = (talk.cell("panic!(\"no\");"), talk.cell("1"));
    assert_eq!(talk.finish(&bad).error(), ("panic", "no"));
    let done = talk.finish(&next);
    assert_eq!((&done.reply["status"], done.kinds()), (&json!("aborted"), vec!["status"]));
    let (bad, next) = (talk.cell_with("panic!(\"no\");", json!({"stop_on_error": false})), talk.cell("x"));
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
    let project = Project::shared();
    let mut process = Process::start(project, &[]);
    let mut talk = Talk::connect(&mut process);
    talk.run("1").ok();
    for channel in [Channel::Shell, Channel::Control] {
        let info = talk.ask(channel, "kernel_info_request", json!({})).ok();
        assert_eq!(info.reply["protocol_version"], "5.4");
        let language = &info.reply["language_info"];
        assert_eq!((&language["name"], &language["file_extension"]), (&json!("rust"), &json!(".rs")));
        assert!(language["version"].as_str().unwrap().starts_with("1."), "{language}");
        assert_eq!(info.kinds(), ["status"]);
        let debug = talk.ask(channel, "debug_request", json!({"type": "request", "seq": 4, "command": "debugInfo"}));
        assert_eq!((&debug.reply["success"], &debug.reply["request_seq"]), (&json!(false), &json!(4)));
        assert_eq!(talk.ask(channel, "comm_info_request", json!({})).ok().reply["comms"], json!({}));
    }
    let is_complete = talk.ask(Channel::Shell, "is_complete_request", json!({"code": "fn f() {"}));
    assert_eq!(is_complete.reply["status"], "incomplete");

    // A comm that nobody serves is closed.
    let id =
        talk.send(Channel::Shell, "comm_open", json!({"comm_id": "c", "target_name": "jupyter.widget", "data": {}}));
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
        talk.ask(Channel::Control, "shutdown_request", json!({"restart": true})).reply,
        json!({"status": "ok", "restart": true})
    );
    assert!(process.ended_within(Duration::from_secs(4)));
    let mut left: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect();
    left.sort();
    // The client's own; it holds the last one for as long as it lives.
    assert_eq!(left, ["connection.json", "in-use", "kernel.log"]);
}

#[test]
fn messages_that_are_not_ours_are_refused() {
    let project = Project::shared();
    let mut process = Process::start(project, &[]);
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
    assert!(log.contains("shell channel: it is not a message signed with this session's key"), "{log}");
    assert!(log.contains("control channel: it is not a message signed"), "{log}");

    // A long message is refused, too.
    let long = "1".repeat(65 << 20);
    talk.send(Channel::Shell, "execute_request", json!({"code": long}));
    assert_eq!(talk.run("2").ok().value(), "2");
    assert!(process.log().contains("the limit is"), "{}", process.log());

    // So is one that only announces its length, before anything of it is there.
    for port in [process.info().shell_port, process.info().iopub_port, process.info().hb_port] {
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
