//! The channel between cells and the kernel, over the protocol: outputs, limits, questions, interrupts.

use std::time::{Duration, Instant};

use crate::common::Project;
use crate::common::talk::{Channel, Process, Talk, display, signal};
use serde_json::json;

/// Items that cells of these tests use: what the crate does, by hand.
const ITEMS: &str = r#"
fn show(json: String) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    let seal = std::env::var("WORKBENCH_SEAL").unwrap();
    write!(out, "\x01EVCXR_BEGIN_CONTENT application/x-workbench-display {seal}\n{json}\nEVCXR_END_CONTENT\n").unwrap();
    out.flush().unwrap();
}
fn stop_requests() -> u32 {
    let bytes = std::fs::read(std::env::var("WORKBENCH_CONTROL").unwrap()).unwrap();
    assert_eq!(bytes[..4], 1u32.to_le_bytes());
    u32::from_le_bytes(bytes[4..8].try_into().unwrap())
}
fn ask(prompt: &str) -> String {
    use std::io::{BufRead, Write};
    let seal = std::env::var("WORKBENCH_SEAL").unwrap();
    print!("\x01EVCXR_BEGIN_CONTENT application/x-workbench-signal {seal}\n{{\"kind\":\"input\",\"prompt\":\"{prompt}\",\"password\":\"true\"}}\nEVCXR_END_CONTENT\n");
    std::io::stdout().flush().unwrap();
    let pipe = std::fs::File::open("/dev/fd/204").unwrap();
    let mut line = String::new();
    std::io::BufReader::new(pipe).read_line(&mut line).unwrap();
    line
}
fn wait_for_stop() -> bool {
    for _ in 0..400 {
        if stop_requests() > 0 { return true; }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    false
}
"#;

fn start(environment: &[(&str, &str)]) -> (Process, Talk) {
    let mut process = Process::start(Project::shared(), environment);
    let mut talk = Talk::connect(&mut process);
    talk.run(ITEMS).ok();
    (process, talk)
}

#[test]
fn outputs_come_in_order_and_are_updated_in_place() {
    let (process, mut talk) = start(&[]);
    let one = display(r#"{"text/plain":"one","text/html":"<b>1</b>","application/x-any":{"a":1}}"#, None, false);
    let two = display(r#"{"text/plain":"two"}"#, None, false);
    let done = talk.run(&format!("print!(\"a\"); {one} {two} println!(\"b\"); eprint!(\"e\\r\"); {one} 7")).ok();
    let mut told = done.told();
    // The order between the two streams is the reader's.
    told.retain(|t| !t.starts_with("stderr"));
    assert_eq!(told, ["stdout:a", "show:one", "show:two", "stdout:b\n", "show:one", "value:7"]);
    assert_eq!(done.stream("stderr"), "e\r");
    assert_eq!(done.all("display_data")[0]["data"]["application/x-any"]["a"], 1);

    // A value with a complete output of its own, and one with an id.
    let value = signal(r#"{"kind":"value"}"#);
    let named = display(r#"{"text/plain":"v"}"#, Some("v"), false);
    let done = talk.run(&format!("{value} {named}")).ok();
    assert_eq!(done.all("execute_result")[0]["transient"]["display_id"], "v");

    // An update of an id that was never shown is shown; later cells reach it.
    let first = display(r#"{"text/plain":"0"}"#, Some("p"), true);
    let done = talk.run(&first).ok();
    assert_eq!(done.told(), ["show:0"]);
    assert_eq!(done.all("display_data")[0]["transient"]["display_id"], "p");
    let done = talk.run(&display(r#"{"text/plain":"1"}"#, Some("p"), true)).ok();
    assert_eq!(done.told(), ["update:1"]);
    assert_eq!(done.all("update_display_data")[0]["transient"]["display_id"], "p");

    let done = talk.run(&format!("print!(\"a\"); {} print!(\"b\");", signal(r#"{"kind":"clear","wait":true}"#))).ok();
    assert_eq!(done.told(), ["stdout:a", "clear:true", "stdout:b"]);

    // An error that is told rather than thrown: the cell runs to its end and its variables are kept.
    let told = signal(r#"{"kind":"error","name":"verdict","message":"fails, and holds was expected"}"#);
    let done = talk.run(&format!("let measured = 3;\n{told}\nlet after = 4;"));
    assert_eq!(done.error(), ("verdict", "fails, and holds was expected"));
    assert_eq!(talk.run("measured + after").ok().value(), "7");

    // Ten thousand updates: few messages, flat memory, little time of the computing thread.
    let loops = |n: usize| {
        format!(
            r#"let t = std::time::Instant::now();
for i in 0..{n} {{ show(format!("{{{{\"data\":{{{{\"text/plain\":\"{{i}}\",\"text/html\":\"{{}}\"}}}},\"id\":\"q\",\"update\":true}}}}", "x".repeat(2000))); }}
t.elapsed().as_secs_f64() / {n} as f64"#
        )
    };
    talk.run(&loops(1000)).ok();
    let before = process.memory();
    let done = talk.run(&loops(10_000)).ok();
    let each: f64 = done.value().parse().unwrap();
    let grown = process.memory().saturating_sub(before);
    let updates = done.all("update_display_data");
    println!("{:.1} us an update, {} messages, {} kB more", each * 1e6, updates.len(), grown / 1000);
    assert!(each < 1e-3, "{each}");
    assert!(grown < 8 << 20, "{grown}");
    assert!(updates.len() < 500, "{}", updates.len());
    assert_eq!(updates.last().unwrap()["data"]["text/plain"], "9999");

    // Updates of a cell that goes on arrive while it runs.
    let id = talk.cell("for i in 0..20 { show(format!(\"{{\\\"data\\\":{{\\\"text/plain\\\":\\\"{i}\\\"}},\\\"id\\\":\\\"q\\\",\\\"update\\\":true}}\")); std::thread::sleep(std::time::Duration::from_millis(100)); }");
    let first = talk.expect("update", |m| m.parent == id && m.kind == "update_display_data");
    let done = talk.finish(&id);
    assert!(done.idle.at - first.at > Duration::from_millis(1500));
    assert!(done.all("update_display_data").len() >= 15, "{:?}", done.told());
}

#[test]
fn what_is_too_long_is_cut_and_said() {
    let (process, mut talk) = start(&[]);
    talk.run("let megabyte = \"x\".repeat(1 << 20);").ok();
    let before = process.memory();
    let started = Instant::now();
    let done = talk.run("for _ in 0..50 { println!(\"{megabyte}\"); }\neprintln!(\"end\");").ok();
    let text = done.stream("stdout");
    assert!(text.len() < 6 << 20, "{}", text.len());
    assert!(text.contains("47.2 MB more of text are left out"), "{}", &text[text.len() - 200..]);

    let done = talk
        .run(
            r#"let seal = std::env::var("WORKBENCH_SEAL")?;
print!("\x01EVCXR_BEGIN_CONTENT application/x-workbench-display {seal}\n{{\"data\":{{\"text/html\":\"");
for _ in 0..50 { print!("{megabyte}"); }
print!("\",\"text/plain\":\"a table of 50 MB\"}},\"id\":null,\"update\":false}}\nEVCXR_END_CONTENT\nafter");"#,
        )
        .ok();
    let told = done.told();
    assert_eq!(told.len(), 2);
    assert!(told[0].starts_with("show:a table of 50 MB\n[an output of 52.4 MB is left out"), "{}", told[0]);
    assert_eq!(told[1], "stdout:after");

    let done = talk
        .run(
            r#"let seal = std::env::var("WORKBENCH_SEAL")?;
print!("EVCXR_BEGIN_CONTENT image/svg+xml {seal}\n");
for _ in 0..50 { print!("{megabyte}"); }
print!("\nEVCXR_END_CONTENT\n");"#,
        )
        .ok();
    assert!(done.told()[0].starts_with("show:[image/svg+xml of 52.4 MB is left out"), "{:?}", done.told());
    let grown = process.memory().saturating_sub(before);
    println!("{:.1} s, {} MB more", started.elapsed().as_secs_f64(), grown >> 20);
    assert!(grown < 100 << 20, "{grown}");
    assert_eq!(talk.run("megabyte.len()").ok().value(), "1048576");
}

#[test]
fn questions_go_to_the_client_that_ran_the_cell() {
    let (mut process, mut talk) = start(&[]);
    let mut other = Talk::connect(&mut process);
    let id = talk.cell("let name = ask(\"who? \");\nname.trim()");
    let question = talk.expect("input_request", |m| m.kind == "input_request");
    assert_eq!((question.channel, question.parent.as_str()), (Channel::Stdin, id.as_str()));
    assert_eq!(question.content, json!({"prompt": "who? ", "password": true}));
    talk.answer(&question, json!({"value": "Ada \"L\"", "status": "ok"}));
    assert_eq!(talk.finish(&id).ok().value(), r#""{\"value\":\"Ada \\\"L\\\"\"}""#);
    assert!(other.wait_for(Duration::from_millis(200), |m| m.kind == "input_request").is_none());

    // A reply without a parent, as jupyter_client sends it; an answer to an older question is none.
    let id = talk.cell("ask(\"\")");
    talk.expect("input_request", |m| m.kind == "input_request");
    talk.answer(&question, json!({"value": "old"}));
    talk.send(Channel::Stdin, "input_reply", json!({"value": "new"}));
    assert!(talk.finish(&id).ok().value().contains("new"));

    // Who does not take questions gets none.
    let id = talk.cell_with("ask(\"\")", json!({"allow_stdin": false}));
    let done = talk.finish(&id).ok();
    assert!(done.value().contains("error") && done.value().contains("allow_stdin"), "{}", done.value());

    // Plain reads: the protocol of evcxr is not eaten, the front end is asked, or the input is at its end.
    let read =
        "let mut line = String::new();\nlet count = std::io::stdin().read_line(&mut line)?;\n(count, line.clone())";
    let id = talk.cell_with(read, json!({"allow_stdin": false}));
    assert_eq!(talk.finish(&id).ok().value(), "(0, \"\")");
    let id = talk.cell(read);
    let question = talk.expect("input_request", |m| m.kind == "input_request");
    talk.answer(&question, json!({"value": "plain"}));
    assert_eq!(talk.finish(&id).ok().value(), "(6, \"plain\\n\")");

    // An interrupt is an answer, too.
    let id = talk.cell("ask(\"\")");
    talk.expect("input_request", |m| m.kind == "input_request");
    talk.interrupt();
    let done = talk.finish(&id);
    assert_eq!(done.error().0, "Interrupted");
    assert!(done.value().contains("interrupted"), "{:?}", done.told());
    assert_eq!(talk.run("line.len()").ok().value(), "6");
}

#[test]
fn an_interrupt_keeps_what_can_be_kept() {
    let (process, mut talk) = start(&[("WORKBENCH_GRACE_SECONDS", "1.5")]);
    talk.run("let kept = 41;").ok();

    // Nothing runs: nothing happens, now or to the next cell.
    assert_eq!(talk.ask(Channel::Control, "interrupt_request", json!({})).reply["status"], "ok");
    process.signal(libc::SIGINT);
    // A signal takes its time, and this one must come between cells.
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(talk.run("stop_requests()").ok().value(), "0");

    // A cell that listens ends by itself, also after several interrupts; its variables are kept, waiting cells are not run.
    let stopped = signal(r#"{"kind":"stopped","operation":"training","done":"12","of":"100"}"#);
    let id = talk.cell(&format!("println!(\"go\");\nlet heard = wait_for_stop();\n{stopped}\nlet best = kept + 1;"));
    let (next, last) = (talk.cell("println!(\"next\");"), talk.cell("1"));
    talk.expect("text", |m| m.parent == id && m.kind == "stream");
    let asked = Instant::now();
    talk.interrupt();
    talk.interrupt();
    talk.interrupt();
    let done = talk.finish(&id);
    assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
    let (name, message) = done.error();
    assert_eq!(name, "Interrupted");
    assert!(message.contains("training stopped after 12 of 100") && message.contains("kept"), "{message}");
    assert_eq!(talk.finish(&next).reply["status"], "aborted");
    assert_eq!(talk.finish(&last).reply["status"], "aborted");
    assert_eq!(talk.run("(heard, best)").ok().value(), "(true, 42)");

    // The same by a signal.
    let id = talk.cell("println!(\"go\");\nlet heard = wait_for_stop();");
    talk.expect("text", |m| m.parent == id && m.kind == "stream");
    process.signal(libc::SIGINT);
    assert_eq!(talk.finish(&id).error().0, "Interrupted");

    // One that leaves through an error keeps the earlier variables and says so.
    let id = talk.cell("println!(\"go\");\nwait_for_stop();\nlet worse: i32 = \"x\".parse()?;");
    talk.expect("text", |m| m.parent == id && m.kind == "stream");
    talk.interrupt();
    let done = talk.finish(&id);
    assert!(done.error().1.contains("invalid digit"), "{done:?}");
    assert_eq!(talk.run("best").ok().value(), "42");

    // A loop of its own that does not listen is left all the same, and what earlier cells made is kept.
    talk.run("let mut count = 0_u64;").ok();
    for pause in ["std::thread::sleep(std::time::Duration::from_millis(20));", ""] {
        let id = talk.cell(&format!("let new = 1;\nprintln!(\"go\");\nloop {{ count += 1; {pause} }}"));
        talk.expect("text", |m| m.parent == id && m.kind == "stream");
        let asked = Instant::now();
        talk.interrupt();
        let done = talk.finish(&id);
        assert!(asked.elapsed() < Duration::from_millis(1400), "{:?}", asked.elapsed());
        let (name, message) = done.error();
        assert_eq!(name, "Interrupted");
        assert!(message.contains("stopped in this loop"), "{message}");
        assert_eq!(talk.run("(count > 9, best)").ok().value(), "(true, 42)");
        assert!(talk.run("new").error().1.contains("`new`"));
    }

    // What does not listen elsewhere loses its process after the grace period, and no earlier.
    let id = talk.cell("println!(\"go\");\n(0_u64..).for_each(|i| { std::hint::black_box(i); });");
    talk.expect("text", |m| m.parent == id && m.kind == "stream");
    let asked = Instant::now();
    talk.interrupt();
    std::thread::sleep(Duration::from_millis(300));
    talk.interrupt();
    let done = talk.finish(&id);
    let waited = asked.elapsed();
    assert!(waited > Duration::from_millis(1400) && waited < Duration::from_secs(4), "{waited:?}");
    let (name, message) = done.error();
    assert_eq!(name, "Interrupted");
    assert!(message.contains("did not stop within 2 s"), "{message}");
    assert!(message.contains("`best`, `count`, `heard`, `kept`"), "{message}");
    // A new process is ready, and the functions are still there.
    assert_eq!(talk.run("stop_requests()").ok().value(), "0");
    assert_eq!(talk.run("let kept = 5;\nkept").ok().value(), "5");
}

#[test]
fn an_interrupt_ends_the_compiler() {
    let (_process, mut talk) = start(&[]);
    talk.run("let kept = 41;").ok();
    // A constant that the compiler needs a minute for.
    let slow = "#[allow(long_running_const_eval)]\nconst SLOW: u64 = { let mut i = 0u64; while i < 3_000_000_000 { i += 1; } i };";
    let id = talk.cell(&format!("{slow}\nprintln!(\"ran\");\nlet gone = SLOW;"));
    std::thread::sleep(Duration::from_millis(1500));
    let asked = Instant::now();
    talk.interrupt();
    let done = talk.finish(&id);
    assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
    assert!(done.error().1.contains("while it was being compiled"), "{:?}", done.error());
    assert!(done.told().iter().all(|t| !t.contains("ran")), "{:?}", done.told());
    assert_eq!(talk.run("kept").ok().value(), "41");

    // A command of the shell is ended as well.
    let id = talk.cell("!sleep 60");
    std::thread::sleep(Duration::from_millis(500));
    talk.interrupt();
    let asked = Instant::now();
    let done = talk.finish(&id);
    assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
    assert_eq!(done.error().0, "Interrupted");
    assert_eq!(talk.run("kept").ok().value(), "41");
}
