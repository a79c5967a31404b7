//! The crate and the kernel together: displays updated in place, progress, interrupts that keep variables, questions. With the crate of
//! this repository, which the first cell builds if need be.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::Project;
use crate::common::talk::{Channel, Done, Message, Process, Talk};
use serde_json::{Value, json};

/// Building the crate may take this long.
const BUILD: Duration = Duration::from_secs(900);
/// An interrupted computation of the crate ends within a second; other tests may run beside this one.
const SOON: Duration = Duration::from_secs(3);

struct Session {
    process: Process,
    talk: Talk,
    _project: Project,
}

fn start() -> Session {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    // The program under test lies in the folder of the build.
    let target = Path::new(env!("CARGO_BIN_EXE_workbench")).ancestors().nth(2).unwrap();
    let project = Project::new();
    let environment = [
        ("WORKBENCH_ROOT", repository.to_str().unwrap()),
        ("CARGO_TARGET_DIR", target.to_str().unwrap()),
        ("WORKBENCH_GRACE_SECONDS", "20"),
    ];
    let mut process = Process::start(&project, &environment);
    let mut talk = Talk::connect(&mut process);
    let path = repository.join("workbench");
    let id = talk.cell(&format!(
        ":dep workbench = {{ path = \"{}\" }}\nuse workbench::prelude::*;\nuse workbench::{{memory, work}};",
        path.display()
    ));
    talk.finish_within(&id, BUILD).ok();
    Session { process, talk, _project: project }
}

fn plain(content: &Value) -> &str {
    content["data"]["text/plain"].as_str().unwrap_or_default()
}

fn id(content: &Value) -> &Value {
    &content["transient"]["display_id"]
}

/// Sends a cell, waits for an output that fits, interrupts; what the cell gave and how long it went on.
fn interrupt_at(talk: &mut Talk, code: &str, fits: impl Fn(&Message) -> bool) -> (Done, Duration) {
    let cell = talk.cell(code);
    // The message is for the test only; what follows is enough for the checks after it.
    talk.expect("the output to interrupt at", |m| m.parent == cell && fits(m));
    let asked = Instant::now();
    // Impatient: the second one changes nothing.
    let interrupts = [talk.interrupt(), talk.interrupt()];
    let done = talk.finish(&cell);
    let took = done.replied.duration_since(asked);
    // One that arrived later would be for the next cell.
    for id in interrupts {
        talk.expect("an answer to the interrupt", |m| m.parent == id && m.kind == "interrupt_reply");
    }
    (done, took)
}

#[test]
fn ten_thousand_updates_cost_little_and_leave_the_last() {
    let mut session = start();
    let code = "let mut live = Live::new();\nlet began = std::time::Instant::now();\n\
        for k in 0..10_000 { live.show(&format!(\"state {k} {}\", \"x\".repeat(400)))?; }\n\
        let each = began.elapsed().as_secs_f64() / 1e4;\nprintln!(\"{:.1} µs\", each * 1e6);\nassert!(each < 1e-3);";
    session.talk.run(code).ok();
    let before = session.process.settled_memory();
    let done = session.talk.run(code).ok();
    let after = session.process.memory();
    let shown = done.all("display_data");
    assert_eq!(shown.len(), 1);
    let updates = done.all("update_display_data");
    assert!(updates.iter().all(|u| id(u) == id(shown[0]) && id(u).is_string()));
    assert!(updates.len() < 1000, "coalesced: {}", updates.len());
    assert!(plain(updates.last().unwrap()).starts_with("state 9999 "));
    println!(
        "{} updates sent on, {} on the computing thread, kernel {} -> {} KiB",
        updates.len(),
        done.stream("stdout").trim(),
        before >> 10,
        after >> 10
    );
    assert!(after < before + (16 << 20), "{before} {after}");

    // A display of an earlier cell is updated where it is.
    let done = session.talk.run("live.show(\"from a later cell\")?;").ok();
    assert_eq!(done.all("display_data").len(), 0);
    assert_eq!(plain(done.all("update_display_data")[0]), "from a later cell");

    // Any number of outputs of any type, in order, and a value.
    let code = "Figure::new(\"F\").panel(Panel::new(\"\").line(\"y\", &[1.0, 2.0], &[3.0, 4.0])).evcxr_display();\n\
        println!(\"between\");\nframe(&[(\"x\", &[1.0])])?.evcxr_display();\n\
        emit(&Bundle::new(\"own\").with(display::Mime::parse(\"application/x-own+json\")?, \"{\\\"a\\\": 1}\"));\nTable::new(frame(&[(\"z\", &[1.0])])?)";
    let done = session.talk.run(code).ok();
    let told = done.told();
    let kinds: Vec<&str> = told.iter().map(|t| t.split(':').next().unwrap()).collect();
    assert_eq!(kinds, ["show", "stdout", "show", "show", "value"], "{told:?}");
    let shown = done.all("display_data");
    assert!(shown[0]["data"]["image/svg+xml"].is_string() && shown[0]["data"]["image/png"].is_string());
    assert_eq!(shown[2]["data"]["application/x-own+json"]["a"], 1);
}

#[test]
fn an_interrupted_loop_keeps_its_state_and_every_variable() {
    let mut session = start();
    let talk = &mut session.talk;
    talk.run("let mut w = 1.0_f64;\nlet mut steps = 0_usize;\nlet progress = Progress::new(\"training\").log_curve();")
        .ok();
    let training = "for _ in progress.over(0..1_000_000) {\n    w *= 0.999;\n    steps += 1;\n    progress.value(\"loss\", w);\n\
        std::thread::sleep(std::time::Duration::from_millis(1));\n}";
    let (done, took) =
        interrupt_at(talk, training, |m| m.content["data"]["text/plain"].to_string().contains(", loss "));
    let (name, message) = done.error();
    assert_eq!(name, "Interrupted");
    assert!(
        message.contains("training stopped after ")
            && message.contains(" of 1000000")
            && message.contains("All variables are kept"),
        "{message}"
    );
    assert!(took < SOON, "{took:?}");
    println!("training ended {took:?} after the interrupt");
    let last = done.all("update_display_data").into_iter().rfind(|u| plain(u).starts_with("training: "));
    let last = last.expect("a last state");
    assert!(
        plain(last).contains("stopped at step ") && plain(last).contains(" of 1,000,000 as you asked"),
        "{}",
        plain(last)
    );
    let value = talk
        .run("(steps > 0, steps == progress.done(), progress.stopped(), w == 0.999_f64.powi(steps as i32) || w < 1.0)")
        .ok();
    assert_eq!(value.value(), "(true, true, true, true)");

    // Running the cell again goes on where it was, in a display of its own.
    let before: usize = talk.run("steps").ok().value().parse().unwrap();
    let again = training.replace("1_000_000", "50");
    let done = talk.run(&again).ok();
    assert!(!done.all("display_data").is_empty());
    assert_eq!(talk.run("steps").ok().value(), (before + 50).to_string());

    // Variables of the interrupted cell itself, and several interrupts in a row.
    let code = "let mut count = 0_usize;\nlet counting = Progress::new(\"counting\");\n\
        for _ in counting.over(0_usize..) { count += 1; std::thread::sleep(std::time::Duration::from_millis(1)); }\nlet after = count * 2;";
    let (done, _) = interrupt_at(talk, code, |m| m.content["data"]["text/plain"].to_string().contains("counting: "));
    assert_eq!(done.error().0, "Interrupted");
    assert_eq!(talk.run("(count == counting.done(), after == 2 * count)").ok().value(), "(true, true)");

    // A computation whose parts mean nothing ends with an error that says where it was; earlier variables stay.
    let code = "let streams = Streams::new(1);\nlet mut watch = Progress::new(\"simulation\").unit(\"runs\");\n\
        let errors = memory::Experiment::new(memory::Zipf::new(1.5, 2000)?, memory::Target::modulo(20)?)\n\
            .dims(vec![3000]).runs(100_000).run_watched(&streams, \"e\", &mut watch)?;";
    let (done, took) =
        interrupt_at(talk, code, |m| m.content["data"]["text/plain"].to_string().contains("simulation: "));
    let (name, message) = done.error();
    assert_eq!(name, "Interrupted");
    assert!(message.contains("Experiment::run: stopped as you asked, after "), "{message}");
    assert!(took < SOON, "{took:?}");
    println!("experiment ended {took:?} after the interrupt");
    let last = done.all("update_display_data").into_iter().rfind(|u| plain(u).contains("simulation: ")).map(plain);
    assert!(last.is_some_and(|text| text.contains("stopped at run ")), "{last:?}");
    assert_eq!(talk.run("steps > 0 && !work::stop_requested()").ok().value(), "true");
}

#[test]
fn loops_inside_loops_are_one_output_and_questions_are_answered() {
    let mut session = start();
    let talk = &mut session.talk;
    let code = "let outer = Progress::new(\"epochs\").unit(\"epochs\");\nfor epoch in outer.over(0..3) {\n\
        for batch in Progress::new(\"batches\").over(0..4) { std::thread::sleep(std::time::Duration::from_millis(60)); }\n}";
    let done = talk.run(code).ok();
    assert_eq!(done.all("display_data").len(), 1, "{:?}", done.told());
    let updates = done.all("update_display_data");
    assert!(updates.iter().any(|u| plain(u).contains("\nbatches: ")), "{:?}", done.told());
    let last = plain(updates.last().unwrap());
    assert!(last.starts_with("epochs: 3 of 3 epochs, ") && !last.contains("batches"), "{last}");
    assert_eq!(done.stream("stderr"), "", "nothing on the terminal's side");

    let cell = talk.cell(
        "let name = display::input(\"Name: \")?;\nprintln!(\"[{name}]\");\ndisplay::password(\"Secret: \")?.len()",
    );
    for (prompt, secret, answer) in [("Name: ", false, "Ada"), ("Secret: ", true, "1234")] {
        let asked = talk.expect("a question", |m| m.channel == Channel::Stdin && m.parent == cell);
        assert_eq!((&asked.content["prompt"], &asked.content["password"]), (&json!(prompt), &json!(secret)));
        talk.answer(&asked, json!({"status": "ok", "value": answer}));
    }
    let done = talk.finish(&cell).ok();
    assert_eq!((done.stream("stdout").as_str(), done.value()), ("[Ada]\n", "4"));

    // A client that takes no questions gets an error that says so.
    let cell = talk.cell_with("let nobody = display::input(\"Name: \")?;", json!({"allow_stdin": false}));
    let done = talk.finish(&cell);
    assert!(done.error().1.contains("input \"Name:\": "), "{:?}", done.error());

    let done = talk
        .run("let mut shown = Live::new();\nshown.show(\"old\")?;\ndisplay::clear(true);\nshown.show(\"new\")?;")
        .ok();
    assert_eq!(done.told(), ["show:old", "clear:true", "show:new"]);
}

/// A notebooks folder with one claim that is expected to hold.
const VERDICTS: &str = r#"let folder = std::env::temp_dir().join(format!("workbench-verdict-{}", std::process::id()));
std::fs::create_dir_all(folder.join("results"))?;
std::fs::write(folder.join("claims.toml"), "[[paper]]\nid = \"p\"\ntitle = \"A paper\"\n\n[[claim]]\nid = \"p/a\"\npaper = \"p\"\nwhere = \"1\"\nkind = \"bound\"\nsays = \"x is at most one\"\nsetup = \"not given\"\ncheck = \"compare\"\nreach = \"cpu-seconds\"\nnotebook = \"n\"\n")?;
std::fs::write(folder.join("results/expected.csv"), "claim,scale,verdict\np/a,quick,holds\n")?;
unsafe { std::env::set_var("WORKBENCH_NOTEBOOKS", &folder) };
let ledger = Ledger::open("n")?;"#;

#[test]
fn a_verdict_that_is_not_the_committed_one_is_an_error_reply() {
    let Session { talk, .. } = &mut start();
    talk.run(VERDICTS).ok();
    let record = |x: f64| {
        format!(
            "let x = {x:?};\nledger.record(\"p/a\", Evidence::of(Finding::at_most(\"x\", 1.0, Estimate::exact(x))))?"
        )
    };
    let fails = talk.run(&record(2.0));
    let (name, message) = fails.error();
    assert_eq!(name, "UnexpectedVerdict");
    assert!(message.contains("p/a: the verdict is `fails`, the committed one is `holds`"), "{message}");
    // The statement and the card are there, and so is the variable of the cell.
    let shown = [fails.all("execute_result"), fails.all("display_data")].concat();
    for part in ["x is at most one", "p/a"] {
        assert!(shown.iter().any(|m| plain(m).contains(part)), "{part}");
    }
    assert_eq!(talk.run("x").ok().value(), "2.0");
    talk.run(&record(0.5)).ok();
    talk.run("std::fs::remove_dir_all(&folder)?;").ok();
}

#[test]
fn what_cannot_be_shown_is_an_error_reply_and_keeps_the_cell() {
    let Session { talk, .. } = &mut start();
    let broken = [
        "let k = 1;\nFigure::new(\"broken\").panel(Panel::new(\"p\").line(\"l\", &[1.0, 2.0], &[1.0]))",
        "let k = 1;\nTable::new(frame(&[(\"x\", &[1.0])])?).digits(400)",
        "let k = 1;\nframe(&[(\"x\", &[1.0]), (\"x\", &[2.0])])",
    ];
    for source in broken {
        let failed = talk.run(source);
        let (name, message) = failed.error();
        assert!(["NotShown", "NoValue"].contains(&name), "{name}: {message}");
        assert_eq!(talk.run("k").ok().value(), "1", "{message}");
        talk.run("let k = 0;").ok();
    }
    // What is shown well stays well.
    talk.run("Table::new(frame(&[(\"x\", &[1.0])])?)").ok();
}

#[test]
fn messages_of_libraries_that_leave_the_reader_alone_get_a_next_step() {
    let Session { talk, .. } = &mut start();
    let made =
        "let a = Array2::<f64>::zeros((2, 3));\nlet b = Array1::<f64>::zeros(2);\nlet df = frame(&[(\"x\", &[1.0])])?;";
    talk.run(made).ok();
    for (source, next) in [
        ("&a + &b", "`b.shape()`"),
        ("a[[2, 0]]", "`a.get([i, j])`"),
        ("df.column(\"zz\")?.len()", "`df.get_column_names()`"),
    ] {
        let failed = talk.run(source);
        assert!(failed.error().1.contains(next), "{:?}", failed.error());
    }
    assert_eq!(talk.run("a.len() + b.len() + df.height()").ok().value(), "9");
}
