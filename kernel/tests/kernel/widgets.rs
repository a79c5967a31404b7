//! Knobs and stale marks over the protocol, as a front end with a person behind it sees them.

use crate::common::talk::{Channel, Done, Process, Talk, signal};
use crate::common::{DEP, Project};
use serde_json::{Value, json};

/// A card: markup, which can be marked.
const ITEMS: &str = r#"struct Card(f64);
impl Card { fn evcxr_display(&self) { println!("EVCXR_BEGIN_CONTENT text/plain\ncard {0}\nEVCXR_END_CONTENT\nEVCXR_BEGIN_CONTENT text/html\n<b>card {0}</b>\nEVCXR_END_CONTENT", self.0); } }"#;

fn start() -> (Process, Talk) {
    let mut process = Process::start(Project::shared(), &[]);
    let mut talk = Talk::connect(&mut process);
    talk.run(DEP).ok();
    talk.run(ITEMS).ok();
    (process, talk)
}

/// Runs a cell with an id.
fn cell(talk: &mut Talk, id: &str, code: &str, person: bool) -> Done {
    let message = uuid::Uuid::new_v4().to_string();
    let mut content =
        json!({"code": code, "silent": false, "store_history": true, "user_expressions": {}, "stop_on_error": true});
    content["allow_stdin"] = json!(person);
    let frames = talk.peer().frames(&message, "execute_request", &content, &json!({"cellId": id}), &json!({}));
    send_frames(talk, frames);
    talk.finish(&message)
}

fn send_frames(talk: &mut Talk, frames: Vec<Vec<u8>>) {
    talk.raw().send_frames(Channel::Shell, frames).unwrap();
}

/// Sends what a widget says, and gives what the kernel says until it is idle again.
fn comm(talk: &mut Talk, id: &str, data: &Value) -> Vec<(String, Value)> {
    say(talk, "comm_msg", json!({"comm_id": id, "data": data}))
}

fn say(talk: &mut Talk, kind: &str, content: Value) -> Vec<(String, Value)> {
    let sent = talk.send(Channel::Shell, kind, content);
    let mut heard = Vec::new();
    loop {
        let message = talk.expect("an end", |m| m.channel == Channel::Iopub && m.parent == sent);
        if message.is_idle() {
            return heard;
        }
        heard.push((message.kind.clone(), message.content.clone()));
    }
}

/// The last state of a display that is replaced.
fn updated<'a>(heard: &'a [(String, Value)], place: &Value) -> &'a Value {
    let update = heard
        .iter()
        .rfind(|(kind, content)| kind == "update_display_data" && content["transient"]["display_id"] == *place);
    &update.unwrap_or_else(|| panic!("{place} is not replaced: {heard:?}")).1
}

fn html(content: &Value) -> &str {
    content["data"]["text/html"].as_str().unwrap_or_default()
}

#[test]
fn a_knob_that_is_turned_runs_its_cell_and_replaces_what_it_showed() {
    let (_process, mut talk) = start();
    let code = "let n = 5; // knob 1..=9\nlet law = \"a\"; // knob \"a\" | \"b\"\nprintln!(\"once\");\nCard(n as f64 + law.len() as f64)";
    let done = cell(&mut talk, "k", code, true).ok();
    let opened = done.all("comm_open");
    let slider = opened.iter().find(|open| open["data"]["state"]["_model_name"] == "IntSliderModel").unwrap();
    assert_eq!(slider["target_name"], "jupyter.widget");
    assert_eq!((&slider["data"]["state"]["min"], &slider["data"]["state"]["value"]), (&json!(1), &json!(5)));
    let shown = done.all("display_data");
    let view = &shown[0]["data"]["application/vnd.jupyter.widget-view+json"];
    assert!(opened.iter().any(|open| open["comm_id"] == view["model_id"]), "{view}");
    assert!(html(shown[0]).contains("<tr><td>n</td><td>1 to 9</td></tr>"), "{}", html(shown[0]));
    // What it prints stands in a display too.
    assert_eq!(shown[1]["data"]["text/plain"], "once");
    assert!(html(shown[2]).contains("card 6"));
    let place = shown[2]["transient"]["display_id"].clone();

    let id = slider["comm_id"].as_str().unwrap().to_owned();
    let heard = comm(&mut talk, &id, &json!({"method": "update", "state": {"value": 8}, "buffer_paths": []}));
    let update = updated(&heard, &place);
    assert!(html(update).contains("card 9"), "{update}");
    // The variable is the session's, and a front end that comes back hears how the knob stands.
    assert_eq!(talk.run("n").ok().value(), "8");
    let heard = comm(&mut talk, &id, &json!({"method": "request_state"}));
    let (_, state) = heard.iter().find(|(kind, _)| kind == "comm_msg").unwrap();
    assert_eq!(state["data"]["state"]["value"], 8);
    let info = talk.ask(Channel::Shell, "comm_info_request", json!({"target_name": "jupyter.widget"})).ok();
    assert_eq!(info.reply["comms"][&id]["target_name"], "jupyter.widget");
    // What is out of its range is not run.
    let heard = comm(&mut talk, &id, &json!({"method": "update", "state": {"value": 80}, "buffer_paths": []}));
    assert!(heard.iter().all(|(kind, _)| kind == "status"), "{heard:?}");

    // Run again by hand, the cell's own text is right; the old models are closed.
    let done = cell(&mut talk, "k", code, true).ok();
    assert!(done.all("comm_close").iter().any(|close| close["comm_id"] == *id));
    assert_eq!(talk.run("n").ok().value(), "5");

    // Where nobody is, the values are plain and a table says what they may be.
    let done = cell(&mut talk, "headless", code, false).ok();
    assert!(done.all("comm_open").is_empty());
    let shown = done.all("display_data");
    assert!(shown[0]["data"].get("application/vnd.jupyter.widget-view+json").is_none());
    assert!(html(shown[0]).contains("<td>n</td><td>5</td><td>1 to 9</td>"));
    assert!(html(done.all("execute_result")[0]).contains("card 6"));
}

#[test]
fn a_quick_cell_follows_what_it_rests_on_if_it_asks_for_that() {
    let (_process, mut talk) = start();
    cell(&mut talk, "a", "let x = 1.0;", true).ok();
    // Twice: the first run of a cell is compiled, which may take longer than what follows by itself may.
    let follower = "// follow\nlet y = 2.0 * x;\nCard(y)";
    cell(&mut talk, "b", follower, true).ok();
    let card = cell(&mut talk, "b", follower, true).ok();
    let place = card.all("display_data")[0]["transient"]["display_id"].clone();
    cell(&mut talk, "c", "Card(y)", true).ok();
    let slow = "// follow\nstd::thread::sleep(std::time::Duration::from_millis(1100));\nCard(10.0 * x)";
    cell(&mut talk, "slow", slow, true).ok();
    let again = cell(&mut talk, "a", "let x = 3.0;", true).ok();
    let updates = again.all("update_display_data");
    let followed = updates.iter().rfind(|update| update["transient"]["display_id"] == place).unwrap();
    assert!(html(followed).contains("<b>card 6</b>") && !html(followed).contains("out of date"), "{followed}");
    // What does not ask, and what is slow, is marked, and the latter says why it does not follow.
    for (old, slow) in [("card 2", false), ("card 10", true)] {
        let marked = updates.iter().find(|update| html(update).contains(old) && html(update).contains("out of date"));
        assert_eq!(marked.map(|marked| html(marked).contains("s when it ran last")), Some(slow), "{old}: {updates:?}");
    }
    assert_eq!(talk.run("y").ok().value(), "6.0");
}

#[test]
fn what_was_computed_from_what_a_cell_made_again_says_so() {
    let (_process, mut talk) = start();
    cell(&mut talk, "a", "let x = 1.0;", true).ok();
    let card = cell(&mut talk, "b", "let y = 2.0 * x;\nCard(y)", true).ok();
    let place = card.all("display_data")[0]["transient"]["display_id"].clone();
    cell(&mut talk, "c", "Card(y)", true).ok();
    cell(&mut talk, "d", "Card(0.5)", true).ok();
    let again = cell(&mut talk, "a", "let x = 3.0;", true).ok();
    let marked = again.all("update_display_data");
    assert_eq!(marked.len(), 2, "{marked:?}");
    let first = marked.iter().find(|update| update["transient"]["display_id"] == place).unwrap();
    assert!(html(first).contains("out of date") && html(first).contains("<b>card 2</b>"), "{first}");
    // A cell that is refused has made nothing.
    cell(&mut talk, "b", "let y = 2.0 * x;\nCard(y)", true).ok();
    let refused = cell(&mut talk, "a", "let x = ;", true);
    assert!(refused.all("update_display_data").is_empty());
}

#[test]
fn all_that_is_out_of_date_runs_again_where_it_stands() {
    let (_process, mut talk) = start();
    let nothing = cell(&mut talk, "s", ":stale", true).ok();
    assert_eq!(nothing.stream("stdout"), "nothing is out of date\n");
    cell(&mut talk, "a", "let x = 1.0;", true).ok();
    cell(&mut talk, "b", "let y = 2.0 * x;", true).ok();
    let card = cell(&mut talk, "c", "println!(\"y is {y}\");\nCard(y)", true).ok();
    let place = card.all("display_data")[0]["transient"]["display_id"].clone();
    cell(&mut talk, "a", "let x = 3.0;", true).ok();
    let again = cell(&mut talk, "s", ":stale", true).ok();
    let updates = again.all("update_display_data");
    let last = updates.iter().rfind(|update| update["transient"]["display_id"] == place).unwrap();
    assert!(html(last).contains("<b>card 6</b>") && !html(last).contains("out of date"), "{last}");
    // What a cell prints has no place of its own to be replaced in.
    assert!(again.stream("stdout").contains("y is 6"), "{:?}", again.stream("stdout"));
    assert_eq!(cell(&mut talk, "s", ":stale", true).ok().stream("stdout"), "nothing is out of date\n");
    // One that fails says which it was, and what rests on it stays out of date.
    cell(&mut talk, "a", "let x = true;", true).ok();
    let failed = cell(&mut talk, "s", ":stale", true);
    assert!(failed.reply["evalue"].as_str().is_some_and(|told| told.contains("cell [")), "{:?}", failed.reply);
}

#[test]
fn text_errors_and_outputs_beyond_the_first_run_have_a_place_under_a_knob() {
    let (_process, mut talk) = start();
    let done = cell(&mut talk, "text", "let n = 5; // knob 1..=9\nprintln!(\"{}\", n * n);", true).ok();
    let rest = done.all("display_data")[1];
    assert_eq!(rest["data"]["text/plain"], "25");
    let place = rest["transient"]["display_id"].clone();
    let heard = comm(&mut talk, &slider(&done), &turned_to(6));
    assert_eq!(updated(&heard, &place)["data"]["text/plain"], "36");

    // The first run fails and shows nothing; a good value shows what it gives, a bad one its error.
    let code = "let n = 0; // knob 0..=9\nassert!(n > 0, \"n is {n}\");\nCard(f64::from(n))";
    let done = cell(&mut talk, "fails", code, true);
    let place = done.all("display_data")[1]["transient"]["display_id"].clone();
    let slider = slider(&done);
    let heard = comm(&mut talk, &slider, &turned_to(4));
    assert!(html(updated(&heard, &place)).contains("card 4"), "{heard:?}");
    let heard = comm(&mut talk, &slider, &turned_to(0));
    let told = updated(&heard, &place)["data"]["text/plain"].as_str().unwrap().to_owned();
    assert!(told.contains("n is 0") && !told.contains("card 4"), "{told}");

    // A line that cannot have a knob says so, and the cell runs.
    let done = cell(&mut talk, "refused", "let n = 50; // knob 1..=9\nn", true).ok();
    let printed = done.stream("stdout");
    assert!(printed.contains("50 is outside of 1..=9"), "{printed}");
    assert_eq!(done.value(), "50");

    values_that_no_line_says_are_told(&mut talk);
}

/// The place of a cell's note: what it says, what its metadata name, and its id.
fn note(done: &Done) -> (String, Value, Value) {
    let shown = done.all("display_data");
    let place = shown.into_iter().rfind(|shown| shown["metadata"]["workbench"].is_object());
    let place = place.unwrap();
    let knobs = place["metadata"]["workbench"]["knobs"].clone();
    (plain(place).to_owned(), knobs, place["transient"]["display_id"].clone())
}

/// Cells that print alone, so that nothing of theirs is marked.
fn values_that_no_line_says_are_told(talk: &mut Talk) {
    let done = cell(talk, "a", "let d = 144; // knob 10..=200\nprintln!(\"{d}\");", true).ok();
    let (told, knobs, own) = note(&done);
    let named = |value: &str| json!([{"name": "d", "value": value, "ran": "144"}]);
    // Nobody is there who writes lines.
    const SAID: &str = "computed with d = 144";
    assert_eq!((told.as_str(), knobs), (SAID, named("144")));
    let count = done.reply["execution_count"].clone();
    let slider = slider(&done);
    let follower = "println!(\"{}\", 2 * d);";
    let (told, knobs, other) = note(&cell(talk, "b", follower, true).ok());
    assert_eq!((told.as_str(), knobs), (SAID, json!([{"name": "d", "value": "144", "cell": "a"}])));

    let heard = comm(talk, &slider, &turned_to(30));
    let update = updated(&heard, &own);
    assert_eq!(plain(update), "computed with d = 30; the line of this cell says 144");
    assert!(html(update).contains(plain(update)), "{update}");
    assert_eq!(update["metadata"]["workbench"]["knobs"], named("30"));
    let (told, _, other_again) = note(&cell(talk, "b", follower, true).ok());
    assert_eq!(told, format!("computed with d = 30; the line of cell [{count}] says 144"));
    assert_ne!(other, other_again);

    // A front end that can write the line hears how it stands, and is asked to.
    let heard = say(talk, "comm_open", offer());
    assert_eq!(plain(updated(&heard, &own)), "computed with d = 30; the line of this cell says 144");
    let lines = json!({"cell": "a", "lines": [{"name": "d", "value": "30", "ran": "144"}]});
    assert!(heard.iter().any(|(kind, content)| kind == "comm_msg" && content["data"] == lines), "{heard:?}");
    let heard = comm(talk, &slider, &turned_to(40));
    let update = updated(&heard, &own);
    assert_eq!((plain(update), &update["metadata"]["workbench"]["knobs"]), ("", &named("40")));
    let other = updated(&heard, &other_again);
    assert_eq!(plain(other), format!("computed with d = 30; the line of cell [{count}] says 40"));
    let (_, asked) = heard.iter().find(|(kind, _)| kind == "comm_msg").unwrap();
    let written = json!({"cell": "a", "lines": [{"name": "d", "value": "40"}]});
    assert_eq!((&asked["comm_id"], &asked["data"]), (&json!("lines"), &written));
    assert!(comm(talk, "lines", &written).iter().all(|(kind, _)| kind == "status"));
    // It may not find the line.
    let heard = comm(talk, "lines", &json!({"cell": "a", "lines": [{"name": "d", "value": null}]}));
    assert_eq!(plain(updated(&heard, &own)), "computed with d = 40; the line of this cell says 144");
    // A page that was closed says nothing.
    let heard = comm(talk, &slider, &turned_to(50));
    assert!(plain(updated(&heard, &own)).is_empty(), "{heard:?}");
    let told = "computed with d = 50; the line of this cell says 144";
    talk.expect("a note", |m| m.kind == "update_display_data" && plain(&m.content) == told);
    let heard = comm(talk, &slider, &turned_to(60));
    assert_eq!(plain(updated(&heard, &own)), told.replace("50", "60"));
    assert!(heard.iter().any(|(kind, _)| kind == "comm_msg"), "{heard:?}");
    say(talk, "comm_close", json!({"comm_id": "lines", "data": {}}));
    let heard = comm(talk, &slider, &turned_to(144));
    assert_eq!(plain(updated(&heard, &own)), SAID);
    assert!(heard.iter().all(|(kind, _)| kind != "comm_msg"), "{heard:?}");

    // What is of no front end is closed, and a headless run has no note.
    let heard = say(talk, "comm_open", json!({"comm_id": "x", "target_name": "x", "data": {}}));
    assert!(heard.iter().any(|(kind, _)| kind == "comm_close"), "{heard:?}");
    let done = cell(talk, "headless", "let d = 144; // knob 10..=200\nprintln!(\"{d}\");", false).ok();
    let noted = done.all("display_data");
    assert!(noted.iter().all(|shown| shown["metadata"].get("workbench").is_none()), "{noted:?}");
}

#[test]
fn a_page_that_is_loaded_again_hears_what_cells_show_now_and_finds_its_places() {
    let (_process, mut talk) = start();
    let knob = cell(&mut talk, "k", "let n = 5.0; // knob 1..=9 step 1\nprintln!(\"n is {n}\");\nCard(n)", true).ok();
    let [_, follower] = ["f", "f"].map(|id| cell(&mut talk, id, "// follow\nCard(10.0 * n)", true).ok());
    let other = cell(&mut talk, "o", "Card(100.0 * n)", true).ok();
    let apart = cell(&mut talk, "a", "Card(0.5)", true).ok();
    let place = |done: &Done, card: &str| {
        let shown = done.all("display_data");
        let card = shown.into_iter().find(|shown| html(shown).contains(card)).unwrap();
        // The file of a notebook keeps what stands in the metadata.
        assert_eq!(card["metadata"]["workbench"]["display"], card["transient"]["display_id"]);
        card["transient"]["display_id"].clone()
    };
    let apart = place(&apart, "card 0.5");
    let opened = knob.all("comm_open");
    let slider = opened.iter().find(|open| open["data"]["state"]["_model_name"] == "FloatSliderModel").unwrap();
    comm(&mut talk, slider["comm_id"].as_str().unwrap(), &turned_to(7));
    let heard = say(&mut talk, "comm_open", offer());
    for (done, before, now) in [(&knob, "card 5", "<b>card 7</b>"), (&follower, "card 50", "<b>card 70</b>")] {
        let update = updated(&heard, &place(done, before));
        assert!(html(update).contains(now) && !html(update).contains("out of date"), "{update}");
        assert_eq!(update["metadata"]["workbench"]["display"], update["transient"]["display_id"]);
    }
    let update = updated(&heard, &place(&other, "card 500"));
    assert!(html(update).contains("<b>card 500</b>") && html(update).contains("out of date"), "{update}");
    assert!(heard.iter().any(|(_, content)| plain(content) == "n is 7"), "{heard:?}");
    assert!(heard.iter().all(|(_, content)| content["transient"]["display_id"] != apart), "{heard:?}");
    // Where a note stands, for a page whose file does not have it.
    let (_, note) = heard.iter().find(|(_, content)| content["metadata"]["workbench"]["cell"] == "k").unwrap();
    assert_eq!(note["metadata"]["workbench"]["count"], knob.reply["execution_count"]);
}

fn offer() -> Value {
    json!({"comm_id": "lines", "target_name": "workbench.lines", "data": {}})
}

/// The slider of a cell that has one.
fn slider(done: &Done) -> String {
    let opened = done.all("comm_open");
    let slider = opened.iter().find(|open| open["data"]["state"]["_model_name"] == "IntSliderModel");
    slider.unwrap()["comm_id"].as_str().unwrap().to_owned()
}

fn turned_to(value: i64) -> Value {
    json!({"method": "update", "state": {"value": value}, "buffer_paths": []})
}

fn plain(content: &Value) -> &str {
    content["data"]["text/plain"].as_str().unwrap_or_default()
}

/// A display with an id, as `Live` and `Progress` make them.
const OWN: &str = r#"fn own(id: &str, text: String, update: bool) {
    let seal = std::env::var("WORKBENCH_SEAL").unwrap();
    println!("\x01EVCXR_BEGIN_CONTENT application/x-workbench-display {seal}\n{{\"data\":{{\"text/plain\":\"{text}\"}},\"id\":\"{id}\",\"update\":{update}}}\nEVCXR_END_CONTENT");
}"#;

#[test]
fn a_display_with_an_id_of_its_own_is_replaced_when_its_cell_runs_by_itself() {
    let (_process, mut talk) = start();
    talk.run(OWN).ok();
    // A fresh id in each run, as a bar of progress has it.
    let code = "let n = 5; // knob 1..=9\nlet id = format!(\"own-{n}\");\nown(&id, format!(\"begun {n}\"), false);\n\
                own(&id, format!(\"done {n}\"), true);";
    let done = cell(&mut talk, "k", code, true).ok();
    let shown = done.all("display_data");
    let first = shown.iter().find(|shown| plain(shown) == "begun 5").unwrap();
    assert_eq!(first["transient"]["display_id"], "own-5");
    let heard = comm(&mut talk, &slider(&done), &turned_to(7));
    assert_eq!(plain(updated(&heard, &json!("own-5"))), "done 7");
    // Another cell that kept the display knows it by its own id; the front end knows the place.
    let later = cell(&mut talk, "later", "own(&id, \"later\".to_owned(), true);", true).ok();
    let updates = later.all("update_display_data");
    assert_eq!((updates.len(), plain(updates[0])), (1, "later"));
    assert_eq!(updates[0]["transient"]["display_id"], "own-5");
    // Run again as a whole, the cell shows it anew.
    cell(&mut talk, "k", &code.replace("= 5", "= 7"), true).ok();
    let later = cell(&mut talk, "later", "own(&id, \"later\".to_owned(), true);", true).ok();
    assert_eq!(later.all("update_display_data")[0]["transient"]["display_id"], "own-7");
}

#[test]
fn outputs_that_a_cell_removes_have_no_place_when_it_runs_by_itself() {
    let (_process, mut talk) = start();
    let code = format!(
        "let n = 4; // knob 1..=9\nfor i in 0..n {{ {} Card(f64::from(i)).evcxr_display(); }}",
        signal(r#"{"kind":"clear","wait":true}"#)
    );
    let done = cell(&mut talk, "k", &code, true).ok();
    let shown = done.all("display_data");
    let last = shown.iter().find(|shown| html(shown).contains("card 3")).unwrap();
    let place = last["transient"]["display_id"].clone();
    let heard = comm(&mut talk, &slider(&done), &turned_to(7));
    assert!(html(updated(&heard, &place)).contains("card 6"), "{heard:?}");
}

#[test]
fn a_run_that_does_not_compile_leaves_what_stands_and_says_why() {
    let (_process, mut talk) = start();
    let code = "let v = 5; // knob 5 | \"a\" | 6\nprintln!(\"printed\");\nCard(f64::from(v))";
    let done = cell(&mut talk, "k", code, true).ok();
    let shown = done.all("display_data");
    let (rest, card) = (&shown[1]["transient"]["display_id"], &shown[2]["transient"]["display_id"]);
    let opened = done.all("comm_open");
    let list = opened.iter().find(|open| open["data"]["state"]["_model_name"] == "DropdownModel");
    let list = list.unwrap()["comm_id"].as_str().unwrap();
    let to = |index: i64| json!({"method": "update", "state": {"index": index}, "buffer_paths": []});
    let heard = comm(&mut talk, list, &to(1));
    let told = plain(updated(&heard, rest));
    assert!(told.starts_with("printed\ncompile error: "), "{told}");
    let others = heard
        .iter()
        .filter(|(kind, content)| kind == "update_display_data" && content["transient"]["display_id"] == *card);
    assert_eq!(others.count(), 0, "{heard:?}");
    let heard = comm(&mut talk, list, &to(2));
    assert!(html(updated(&heard, card)).contains("card 6"));
    assert_eq!(plain(updated(&heard, rest)), "printed");
}

#[test]
fn a_cell_that_cannot_follow_once_follows_again() {
    let (_process, mut talk) = start();
    cell(&mut talk, "a", "let x = 1.0;", true).ok();
    let follower = "// follow\nCard(2.0 * x)";
    cell(&mut talk, "b", follower, true).ok();
    let card = cell(&mut talk, "b", follower, true).ok();
    let place = card.all("display_data")[0]["transient"]["display_id"].clone();
    let refused = cell(&mut talk, "a", "let x = true;", true).ok();
    let told = refused.all("update_display_data");
    assert!(told.iter().any(|update| plain(update).contains("compile error: ")), "{told:?}");
    let again = cell(&mut talk, "a", "let x = 4.0;", true).ok();
    let updates = again.all("update_display_data");
    let followed = updates.iter().rfind(|update| update["transient"]["display_id"] == place);
    assert!(html(followed.unwrap()).contains("<b>card 8</b>"), "{updates:?}");

    // One that was edited and refused follows with the text that stands there.
    let edited = "// follow\nCard(more * x)";
    let rest = cell(&mut talk, "b", edited, true).all("display_data")[0]["transient"]["display_id"].clone();
    cell(&mut talk, "more", "let more = 3.0;", true).ok();
    let again = cell(&mut talk, "a", "let x = 5.0;", true).ok();
    let updates = again.all("update_display_data");
    let followed = updates.iter().rfind(|update| update["transient"]["display_id"] == rest);
    assert!(followed.is_some_and(|update| html(update).contains("card 15")), "{updates:?}");
}

#[test]
fn long_text_is_shown_while_its_cell_runs_on() {
    let (_process, mut talk) = start();
    let code = "// follow\nprintln!(\"{}\", \"c\".repeat(8000));\nstd::thread::sleep(std::time::Duration::from_millis(40));\n\
                println!(\"tail\");\nstd::thread::sleep(std::time::Duration::from_millis(800));\nCard(1.0)";
    let told = cell(&mut talk, "k", code, true).ok().told();
    let tail = told.iter().position(|told| told.ends_with("tail")).unwrap();
    let card = told.iter().position(|told| told.ends_with("card 1")).unwrap();
    assert!(tail < card, "{tail} {card}");
}
