//! Scenarios about what a running cell shows.

use std::time::Duration;

use workbench_client::{Exchange, Message};

use super::stage::{MOMENT, Seen, Stage, StageError, saved, seen};

type Outcome = Result<Seen, StageError>;

fn html(message: &Message) -> Option<&str> {
    message.content["data"]["text/html"].as_str()
}

/// Error of a cell in a few words, for a table that says why something did not work.
pub fn why(exchange: &Exchange) -> String {
    match exchange.error() {
        Some((name, message)) => {
            let line = message.lines().find(|l| !l.trim().is_empty()).unwrap_or_default();
            let line: String = line.chars().take(60).collect();
            format!("{name}: {line}")
        }
        None if exchange.reply().is_none() => "no reply".into(),
        None => "no such output".into(),
    }
}

/// Three outputs of one MIME type from one cell.
pub fn three_outputs(stage: &mut Stage) -> Outcome {
    let exchange = stage.run(stage.subject.snippets.three_outputs)?;
    let outputs = exchange.outputs();
    let shown: Vec<&str> = outputs.iter().filter_map(|m| html(m)).collect();
    let works = shown == ["<b>1</b>", "<b>2</b>", "<b>3</b>"];
    Ok(seen(works, shown.len() > 1, format!("{} of 3 arrive", shown.len())))
}

/// Text and rich outputs in the order in which they were produced.
pub fn interleaved(stage: &mut Stage) -> Outcome {
    let exchange = stage.run(stage.subject.snippets.interleaved)?;
    let mut order = String::new();
    for message in exchange.outputs() {
        let content = &message.content;
        match message.kind.as_str() {
            "stream" => order.push_str(content["text"].as_str().unwrap_or_default()),
            _ => match html(message) {
                Some(text) => order.push_str(text),
                None => order.push_str(content["data"]["text/plain"].as_str().unwrap_or_default()),
            },
        }
        order.push(' ');
    }
    let order: Vec<&str> = order.split_whitespace().collect();
    let works = order == ["one", "<b>1</b>", "two", "<b>2</b>", "three", "3"];
    Ok(seen(works, false, format!("order: {}", order.join(" "))))
}

/// A figure comes with a form for readers without graphics.
pub fn plain_fallback(stage: &mut Stage) -> Outcome {
    let exchange = stage.run_within(stage.subject.snippets.figure, MOMENT)?;
    let outputs = exchange.outputs();
    let data = outputs
        .iter()
        .map(|m| &m.content["data"])
        .find(|data| data.get("image/png").is_some() || data.get("image/svg+xml").is_some());
    let Some(data) = data else {
        return Ok(seen(false, false, why(&exchange)));
    };
    let plain = data["text/plain"].as_str().unwrap_or_default();
    let words: String = plain.lines().next().unwrap_or_default().chars().take(40).collect();
    // The name of a type tells nothing of the figure.
    let telling = !plain.is_empty() && !plain.starts_with('<');
    Ok(seen(telling, !plain.is_empty(), format!("plain text: {words:?}")))
}

/// An output is updated where it stands.
pub fn update(stage: &mut Stage) -> Outcome {
    let exchange = stage.run(stage.subject.snippets.update)?;
    let updates = exchange.outputs().iter().filter(|m| m.kind == "update_display_data").count();
    let kept = saved(&exchange);
    let last = kept.last().map(|o| o["data"]["text/html"].clone());
    let right = kept.len() == 1 && last == Some("<i>state 3</i>".into());
    let fact = format!("{updates} updates, {} outputs saved", kept.len());
    Ok(seen(right && updates >= 2, right, fact))
}

/// Ten thousand updates: what is saved, whether memory stays flat, and what one costs the cell.
pub fn many_updates(stage: &mut Stage) -> Outcome {
    let before = stage.memory();
    let exchange = stage.run_within(stage.subject.snippets.many_updates, Duration::from_secs(120))?;
    let grown = (stage.memory() - before).max(0.0);
    let messages: Vec<_> = exchange.outputs().into_iter().filter(|m| m.kind == "update_display_data").collect();
    let kept = saved(&exchange);
    let rich: Vec<_> = kept.iter().filter(|o| o.get("data").is_some()).collect();
    let size: usize = rich.iter().map(|o| o["data"].to_string().len()).sum();
    let final_state = rich.len() == 1 && rich[0]["data"]["text/html"] == "<i>state 10000</i>";
    let each = printed_after(&exchange, "each ").unwrap_or(f64::NAN);
    let fact = format!("{each:.3} ms each, {} messages, {size} bytes saved, memory +{grown:.0} MB", messages.len());
    let works = final_state && !messages.is_empty() && each < 1.0 && grown < 20.0;
    Ok(seen(works, final_state, fact))
}

fn printed_after(exchange: &Exchange, word: &str) -> Option<f64> {
    let text = exchange.stream("stdout");
    let rest = text.split(word).nth(1)?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Time from a state in the cell to the client.
pub fn latency(stage: &mut Stage) -> Outcome {
    let exchange = stage.run(stage.subject.snippets.timed_updates)?;
    let mut delays: Vec<f64> = exchange
        .outputs()
        .iter()
        .filter_map(|m| {
            let sent: f64 = m.content["data"]["text/plain"].as_str()?.trim().parse().ok()?;
            (sent > 1e9).then_some((m.wall - sent) * 1e3)
        })
        .collect();
    delays.sort_by(f64::total_cmp);
    let Some(median) = delays.get(delays.len() / 2).copied() else {
        return Ok(seen(false, false, why(&exchange)));
    };
    let fact = format!("median {median:.0} ms, {} of 20 states", delays.len());
    Ok(seen(delays.len() >= 19 && median < 100.0, delays.len() > 1, fact))
}

/// The first half of a line is there before the second.
pub fn partial_line(stage: &mut Stage) -> Outcome {
    let exchange = stage.run(stage.subject.snippets.partial_line)?;
    let at = |part: &str| {
        exchange
            .messages
            .iter()
            .find(|m| m.kind == "stream" && m.content["text"].as_str().is_some_and(|t| t.contains(part)))
            .map(|m| m.at)
    };
    let (Some(first), Some(second)) = (at("50 %"), at("100 %")) else {
        return Ok(seen(false, false, why(&exchange)));
    };
    let ahead = second.saturating_duration_since(first).as_secs_f64();
    let whole = exchange.stream("stdout") == "50 % 100 %\n";
    Ok(seen(whole && ahead > 0.5, whole, format!("{ahead:.2} s ahead of the rest")))
}

/// A line that is written over arrives as it was written.
pub fn carriage_return(stage: &mut Stage) -> Outcome {
    let exchange = stage.run(stage.subject.snippets.carriage_return)?;
    let text = exchange.stream("stdout");
    Ok(seen(text == "10 %\r20 %\n", false, format!("{text:?}")))
}

/// Both streams apart, and complete before the cell is idle.
pub fn streams(stage: &mut Stage) -> Outcome {
    let exchange = stage.run(stage.subject.snippets.both_streams)?;
    let idle = exchange.messages.iter().position(|m| m.kind == "status" && m.content["execution_state"] == "idle");
    let late = exchange.messages.iter().skip(idle.unwrap_or(usize::MAX)).filter(|m| m.kind == "stream").count();
    let lines = |name: &str, word: &str| {
        let text = exchange.stream(name);
        let expected: String = (0..2000).map(|n| format!("{word} {n}\n")).collect();
        (text == expected, text.lines().count())
    };
    let (out, err) = (lines("stdout", "out"), lines("stderr", "err"));
    let fact = format!("{} + {} of 2000 + 2000 lines, {late} messages late", out.1, err.1);
    Ok(seen(out.0 && err.0 && late == 0, out.0 || err.0, fact))
}

/// A cell takes its outputs back.
pub fn clear(stage: &mut Stage) -> Outcome {
    let exchange = stage.run(stage.subject.snippets.clear)?;
    let kept = saved(&exchange);
    let right = kept.len() == 1 && kept[0]["text"] == "new\n";
    let cleared = exchange.outputs().iter().any(|m| m.kind == "clear_output");
    let fact = if cleared { "cleared" } else { "both lines stay" };
    Ok(seen(right && cleared, false, fact))
}

/// A progress display: moves while the loop runs, and its last state is saved as text.
pub fn progress(stage: &mut Stage) -> Outcome {
    let exchange = stage.run(stage.subject.snippets.progress)?;
    let moves = exchange.outputs().iter().filter(|m| m.kind == "update_display_data" || m.kind == "stream").count();
    let kept: Vec<String> = saved(&exchange)
        .iter()
        .filter_map(|o| o["data"]["text/plain"].as_str().or(o["text"].as_str()).map(str::to_owned))
        .collect();
    let last = kept.join(" ");
    let whole = last.contains("200 of 200") || last.contains("200/200");
    let works = kept.len() == 1 && whole && last.contains("loss") && moves >= 3;
    let told = last.trim().lines().last().unwrap_or_default();
    let told: String = told.rsplit('\r').next().unwrap_or_default().chars().take(70).collect();
    let fact = if exchange.status() == "ok" { format!("{moves} states seen, saved: {told:?}") } else { why(&exchange) };
    Ok(seen(works, exchange.status() == "ok" && !last.is_empty(), fact))
}

/// Fifty megabytes printed by mistake.
pub fn flood(stage: &mut Stage) -> Outcome {
    let exchange = stage.run_within(stage.subject.snippets.flood, Duration::from_secs(120))?;
    let bytes: usize = exchange.outputs().iter().map(|m| m.size).sum();
    let all: String = exchange.stream("stdout") + &exchange.stream("stderr");
    let notice = ["cut", "left out", "truncated", "not shown"].iter().any(|word| all.contains(word));
    let alive = stage.run(stage.subject.snippets.nothing)?.value() == "2";
    let megabytes = bytes as f64 / 1e6;
    let fact = format!("{megabytes:.1} MB of 50 MB sent{}", if notice { ", with a notice" } else { ", no notice" });
    Ok(seen(alive && notice && megabytes < 15.0, false, fact))
}
