//! Scenarios about questions: completion, inspection, history and what a kernel says of itself.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use workbench_client::{Channel, Process, Talk, execute_request, without_colours};

use super::output::why;
use super::stage::{MOMENT, Seen, Stage, StageError, seen};

type Outcome = Result<Seen, StageError>;

fn matches(reply: &Value) -> Vec<&str> {
    reply["matches"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn ends_with_name(reply: &Value, name: &str) -> bool {
    // Some kernels offer the path before the name as well.
    matches(reply).iter().any(|m| *m == name || m.ends_with(&format!(".{name}")) || m.ends_with(&format!("::{name}")))
}

/// A method of a library type, of a variable from an earlier cell.
pub fn method(stage: &mut Stage) -> Outcome {
    let (set_up, code, expected) = stage.subject.snippets.method;
    stage.run(set_up)?;
    let asked = Instant::now();
    let reply = stage.completed(code, code.chars().count())?;
    let first = asked.elapsed().as_secs_f64();
    let asked = Instant::now();
    stage.completed(code, code.chars().count())?;
    let second = asked.elapsed().as_secs_f64();
    let found = ends_with_name(&reply, expected);
    let fact = if found {
        format!("first {first:.2} s, then {second:.2} s")
    } else {
        format!("{expected} is not among {} matches", matches(&reply).len())
    };
    Ok(seen(found, false, fact))
}

/// A function of the library, with its documentation.
pub fn item(stage: &mut Stage) -> Outcome {
    let (code, expected, words) = stage.subject.snippets.item;
    let reply = stage.completed(code, code.chars().count())?;
    let found = ends_with_name(&reply, expected);
    let documented = reply["metadata"].to_string().contains(words);
    let fact = match (found, documented) {
        (true, true) => "offered with its documentation".to_string(),
        (true, false) => "offered without documentation".to_string(),
        _ => format!("{expected} is not among {} matches", matches(&reply).len()),
    };
    Ok(seen(found && documented, found, fact))
}

/// The cursor in the middle of a word: the whole word is replaced.
pub fn middle_of_word(stage: &mut Stage) -> Outcome {
    stage.run(stage.subject.snippets.keep)?;
    let code = "kept_number";
    let reply = stage.completed(code, 6)?;
    let found = matches(&reply).contains(&"kept_number");
    let (start, end) = (reply["cursor_start"].as_u64(), reply["cursor_end"].as_u64());
    let whole = start == Some(0) && end == Some(11);
    let fact = match (found, whole) {
        (true, true) => "replaces the whole word".to_string(),
        (true, false) => format!("replaces {} to {}: the rest stays behind", start.unwrap_or(0), end.unwrap_or(0)),
        _ => "the name is not offered".to_string(),
    };
    Ok(seen(found && whole, found, fact))
}

/// What a library function is, with its documentation.
pub fn inspect_item(stage: &mut Stage) -> Outcome {
    let (code, cursor, words) = stage.subject.snippets.inspect;
    let reply = stage.asked("inspect_request", json!({"code": code, "cursor_pos": cursor, "detail_level": 0}))?;
    let found = reply["found"] == true;
    let plain = reply["data"]["text/plain"].as_str().unwrap_or_default();
    let documented = reply["data"].to_string().to_lowercase().contains(words);
    let fact = if found {
        format!(
            "from the middle of the word, {} characters, {} documentation",
            plain.chars().count(),
            if documented { "with" } else { "without" }
        )
    } else {
        "not found".to_string()
    };
    Ok(seen(found && documented, found, fact))
}

/// What a variable is.
pub fn inspect_variable(stage: &mut Stage) -> Outcome {
    stage.run(stage.subject.snippets.keep)?;
    let reply =
        stage.asked("inspect_request", json!({"code": "1 + kept_number", "cursor_pos": 8, "detail_level": 0}))?;
    let text = reply["data"]["text/plain"].as_str().unwrap_or_default();
    let text = without_colours(text);
    let works = reply["found"] == true && (text.contains("i32") || text.contains("int"));
    let told: String = text.lines().next().unwrap_or_default().chars().take(40).collect();
    Ok(seen(works, false, if works { format!("{told:?}") } else { "not found".into() }))
}

/// Whether a cell is complete.
pub fn is_complete(stage: &mut Stage) -> Outcome {
    let (mut right, mut all) = (0, 0);
    let samples = stage.subject.snippets.complete;
    let mut wrong = String::new();
    for (expected, codes) in ["complete", "incomplete", "invalid"].iter().zip(samples) {
        for code in codes {
            let reply = stage.asked("is_complete_request", json!({"code": code}))?;
            all += 1;
            if reply["status"] == *expected {
                right += 1;
            } else if wrong.is_empty() {
                wrong = format!("; {code:?} is called {}", reply["status"].as_str().unwrap_or("nothing"));
            }
        }
    }
    Ok(seen(right == all, right > 1, format!("{right} of {all} samples{wrong}")))
}

/// History: the last inputs, a range, a search, and inputs with their outputs.
pub fn history(stage: &mut Stage) -> Outcome {
    let code = stage.subject.snippets.nothing;
    for _ in 0..2 {
        stage.run(code)?;
    }
    let mut works = Vec::new();
    let tail = json!({"hist_access_type": "tail", "n": 2, "output": false, "raw": true});
    let last = stage.asked("history_request", tail)?;
    let first_entry = last["history"][0].clone();
    if last["history"].as_array().is_some_and(|h| h.len() == 2 && h.iter().all(|e| e[2] == code)) {
        works.push("tail");
    }
    let (session, line) = (first_entry[0].as_i64().unwrap_or(0), first_entry[1].as_i64().unwrap_or(0));
    let range = json!({
        "hist_access_type": "range", "session": session, "start": line, "stop": line + 1, "output": false, "raw": true,
    });
    let part = stage.asked("history_request", range)?;
    if part["history"].as_array().is_some_and(|h| h.len() == 1 && h[0][1] == line) {
        works.push("range");
    }
    let search = json!({
        "hist_access_type": "search", "pattern": "1 +*", "n": 10, "unique": true, "output": false, "raw": true,
    });
    let found = stage.asked("history_request", search)?;
    if found["history"].as_array().is_some_and(|h| h.len() == 1 && h[0][2] == code) {
        works.push("search");
    }
    let with_output = json!({"hist_access_type": "tail", "n": 1, "output": true, "raw": true});
    let pair = stage.asked("history_request", with_output)?;
    if pair["history"][0][2][0] == code {
        works.push("with outputs");
    }
    let fact = if works.is_empty() { "no answer".into() } else { works.join(", ") };
    Ok(seen(works.len() == 4, !works.is_empty(), fact))
}

/// comm_info, and a comm that nobody knows is closed again.
pub fn comms(stage: &mut Stage) -> Outcome {
    let reply = stage.asked("comm_info_request", json!({}))?;
    let listed = reply["status"] == "ok" && reply["comms"].is_object();
    let content = json!({"comm_id": "c-1", "target_name": "nobody.knows", "data": {}});
    let id = stage.talk.send(Channel::Shell, "comm_open", content)?;
    let closed = stage.talk.until(Duration::from_secs(2), |m| m.parent == id && m.kind == "comm_close");
    let fact = format!(
        "{}, unknown target {}",
        if listed { "list answered" } else { "list not answered" },
        if closed { "closed" } else { "left open" }
    );
    Ok(seen(listed && closed, listed, fact))
}

/// Execution numbers: from 1, one for each cell, none for silent ones and questions.
pub fn numbers(stage: &mut Stage) -> Outcome {
    stage.process.end();
    let mut process = Process::start(&stage.subject.command)?;
    let mut talk = Talk::connect(&mut process, "numbers", stage.subject.patience)?;
    let mut counts = Vec::new();
    let mut requests = vec![execute_request("1 + 1"); 4];
    requests[1]["silent"] = true.into();
    requests[1]["store_history"] = false.into();
    for (turn, request) in requests.into_iter().enumerate() {
        let exchange = talk.ask("execute_request", request, MOMENT)?;
        if turn != 1 {
            counts.push(exchange.reply().map_or(-1, |m| m.content["execution_count"].as_i64().unwrap_or(-1)));
        }
    }
    stage.again()?;
    let works = counts == [1, 2, 3];
    Ok(seen(works, counts.first() == Some(&1), format!("{counts:?} with a silent cell between")))
}

/// What a front end needs to highlight and export.
pub fn kernel_info(stage: &mut Stage) -> Outcome {
    let reply = stage.asked("kernel_info_request", json!({}))?;
    let language = &reply["language_info"];
    let fields = ["name", "version", "mimetype", "file_extension", "pygments_lexer", "codemirror_mode"];
    let missing: Vec<&str> =
        fields.into_iter().filter(|field| language[*field].is_null() || language[*field] == "").collect();
    // nbconvert knows these two for scripts of Rust and of Python.
    let exporter = language["nbconvert_exporter"].as_str().unwrap_or("script");
    let exports = exporter == "script" || exporter == "python";
    let fact = format!(
        "protocol {}, missing: {}, exporter {exporter}{}",
        reply["protocol_version"].as_str().unwrap_or("?"),
        if missing.is_empty() { "nothing".into() } else { missing.join(" ") },
        if exports { "" } else { " (nbconvert has none)" },
    );
    Ok(seen(missing.is_empty() && exports, !language.is_null(), fact))
}

/// The cell asks, the client answers.
pub fn input(stage: &mut Stage) -> Outcome {
    let id = stage.talk.start_cell(stage.subject.snippets.input)?;
    let mut asked = None;
    let mut ended = false;
    stage.talk.until(MOMENT, |m| {
        if m.kind == "input_request" {
            asked = Some(m.clone());
        }
        ended = m.parent == id && m.kind == "execute_reply";
        asked.is_some() || ended
    });
    let Some(question) = asked else {
        let exchange = stage.talk.finish(&id, MOMENT);
        return Ok(seen(false, false, format!("no request; {}", why(&exchange))));
    };
    let answer = json!({"value": "Ferris", "status": "ok"});
    stage.talk.answer(&question, "input_reply", answer)?;
    let prompt = &question.content["prompt"];
    let exchange = stage.talk.finish(&id, MOMENT);
    let answered = exchange.stream("stdout").contains("hello Ferris");
    // A client that cannot answer must not be asked.
    let mut request = execute_request(stage.subject.snippets.input);
    request["allow_stdin"] = false.into();
    let alone = stage.talk.ask("execute_request", request, MOMENT)?;
    let refused = alone.status() == "error" && !alone.messages.iter().any(|m| m.kind == "input_request");
    let fact = format!(
        "prompt {prompt}, {}; {} where nobody can answer",
        if answered { "answered" } else { "answer not received" },
        if refused { "an error" } else { "no error" }
    );
    Ok(seen(answered && refused && *prompt == "name? ", answered, fact))
}
