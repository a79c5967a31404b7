//! Scenarios about clients, sockets and what is refused.

use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::json;
use workbench_client::{Channel, Talk, execute_request};

use super::stage::{CLIENT, MOMENT, Seen, Stage, StageError, seen};

type Outcome = Result<Seen, StageError>;

/// A client that goes away while a cell runs and comes back finds the kernel at work and its variables there.
pub fn reconnect(stage: &mut Stage) -> Outcome {
    stage.run(stage.subject.snippets.keep)?;
    stage.talk.start_cell(stage.subject.snippets.waits)?;
    stage.talk.until(Duration::from_millis(500), |_| false);
    // Dropping the first client closes its sockets in the middle of the cell.
    stage.talk = Talk::connect(&mut stage.process, CLIENT, Duration::from_secs(20))?;
    let heard = stage.talk.log.iter().any(|m| m.content["text"] == "done\n")
        || stage.talk.until(Duration::from_secs(4), |m| m.content["text"] == "done\n");
    let kept = stage.still_has_its_variable()?;
    let fact = format!(
        "the rest of the cell {}, variables {}",
        if heard { "is heard" } else { "is missed" },
        if kept { "kept" } else { "gone" }
    );
    Ok(seen(heard && kept, kept, fact))
}

/// Two clients at once: both run cells, each gets its own replies, both hear all outputs.
pub fn two_clients(stage: &mut Stage) -> Outcome {
    let mut second = Talk::connect(&mut stage.process, "second-client", Duration::from_secs(20))?;
    let snippets = stage.subject.snippets;
    let mine = stage.talk.start_cell(snippets.interleaved)?;
    let theirs = second.start_cell(snippets.kept)?;
    let exchange = stage.talk.finish(&mine, MOMENT);
    let other = second.finish(&theirs, MOMENT);
    second.until(Duration::from_millis(200), |_| false);
    let both_run = exchange.value() == "3" && other.value() == "42";
    let heard = second.log.iter().any(|m| m.parent == mine && m.kind == "execute_result");
    let crossed = second.log.iter().any(|m| m.parent == mine && m.kind == "execute_reply")
        || stage.talk.log.iter().any(|m| m.parent == theirs && m.kind == "execute_reply");
    let fact = match (both_run, heard, crossed) {
        (true, true, false) => "both run cells and hear all outputs",
        (false, ..) => "a cell of one of them did not run",
        (_, false, _) => "the second one does not hear the first one's outputs",
        _ => "a reply went to the wrong one",
    };
    Ok(seen(both_run && heard && !crossed, both_run, fact))
}

/// The heartbeat answers while a cell runs.
pub fn heartbeat(stage: &mut Stage) -> Outcome {
    let id = stage.talk.start_cell(stage.subject.snippets.waits)?;
    stage.talk.until(Duration::from_millis(400), |_| false);
    let asked = Instant::now();
    let beats = stage.talk.heart_beats(Duration::from_secs(5));
    let milliseconds = asked.elapsed().as_secs_f64() * 1e3;
    stage.talk.finish(&id, MOMENT);
    let fact = if beats { format!("after {milliseconds:.0} ms") } else { "no answer".into() };
    Ok(seen(beats && milliseconds < 1000.0, beats, fact))
}

/// A message that nobody with the session's key has sent, in its many forms. Each must leave the variable as it was.
pub fn refusals(stage: &mut Stage) -> Outcome {
    stage.run(stage.subject.snippets.keep)?;
    let attack = json!({
        "code": stage.subject.snippets.spoil, "silent": false, "store_history": true,
        "user_expressions": {}, "allow_stdin": false, "stop_on_error": true,
    });
    let good = stage.talk.peer().frames("attack", "execute_request", &attack, &json!({}), &json!({}));
    let mut forms: Vec<(&str, Vec<Vec<u8>>)> = Vec::new();
    let changed = |index: usize, bytes: &[u8]| {
        let mut frames = good.clone();
        frames[index] = bytes.to_vec();
        frames
    };
    forms.push(("unsigned", changed(1, b"")));
    forms.push(("wrong signature", changed(1, "00".repeat(32).as_bytes())));
    forms.push(("signature that is no hex", changed(1, b"zz")));
    forms.push(("changed content", changed(5, attack.to_string().replace("false", "true").as_bytes())));
    forms.push(("no delimiter", good[1..].to_vec()));
    forms.push(("too few frames", good[..4].to_vec()));
    forms.push(("only a delimiter", good[..1].to_vec()));
    forms.push(("an empty frame", vec![Vec::new()]));
    // Signed, but no JSON, no object, no header, an unknown type.
    let parts = |header: &str, content: &str| [header, "{}", "{}", content].map(|p| p.as_bytes().to_vec());
    let header = String::from_utf8_lossy(&good[2]).into_owned();
    forms.push(("content that is no JSON", stage.talk.peer().sign(parts(&header, "{\"code\": "))));
    forms.push(("content that is a list", stage.talk.peer().sign(parts(&header, "[1, 2]"))));
    forms.push(("content without code", stage.talk.peer().sign(parts(&header, "{}"))));
    forms.push(("bytes that are no text", stage.talk.peer().sign([(); 4].map(|()| vec![0xff, 0xfe]))));
    forms.push(("no header", stage.talk.peer().sign(parts("{}", "{}"))));
    let nested = "[".repeat(50_000);
    forms.push(("deeply nested", stage.talk.peer().sign(parts(&header, &nested))));
    let unknown = header.replace("execute_request", "launch_request");
    forms.push(("unknown type", stage.talk.peer().sign(parts(&unknown, "{}"))));
    let all = forms.len();
    for channel in [Channel::Shell, Channel::Control] {
        for (_, frames) in &forms {
            stage.talk.send_frames(channel, frames.clone())?;
        }
    }
    let answers = stage.run(stage.subject.snippets.nothing)?.value() == "2";
    let control = stage.control("kernel_info_request", json!({}), Duration::from_secs(5))?;
    let kept = answers && stage.still_has_its_variable()?;
    let log = stage.process.log().to_lowercase();
    let logged = ["refused", "signature", "invalid", "hmac"].iter().any(|word| log.contains(word));
    let fact = if kept && control {
        format!("{all} forms on two channels refused{}", if logged { " and logged" } else { ", not logged" })
    } else if !answers {
        "no cell runs afterwards".into()
    } else if !control {
        "the control channel is silent afterwards".into()
    } else {
        "a forged cell was run".into()
    };
    Ok(seen(kept && control && logged, kept, fact))
}

/// A signed cell of 100 MB.
pub fn oversized(stage: &mut Stage) -> Outcome {
    let before = stage.memory();
    let code = format!("/* {} */ 1", "x".repeat(100 << 20));
    let id = stage.talk.send(Channel::Shell, "execute_request", execute_request(&code))?;
    drop(code);
    let exchange = stage.talk.finish(&id, Duration::from_secs(5));
    let refused = exchange.status() != "ok";
    let usable = stage.run(stage.subject.snippets.nothing)?.value() == "2";
    let kept = usable && stage.still_has_its_variable()?;
    let log = stage.process.log();
    let logged = log.contains("refused") && (log.contains("large") || log.contains("bytes") || log.contains("MB"));
    let grown = (stage.memory() - before).max(0.0);
    let fact = match (usable, refused) {
        (true, true) => format!("refused{}, memory +{grown:.0} MB", if logged { " and logged" } else { "" }),
        (true, false) => format!("accepted, memory +{grown:.0} MB"),
        _ => "no cell runs afterwards".into(),
    };
    Ok(seen(usable && kept && refused && logged, usable && kept, fact))
}

/// A stranger without the key who announces a frame of a petabyte, and one who sends noise.
pub fn hostile_bytes(stage: &mut Stage) -> Outcome {
    let info = stage.process.info();
    let ports = [info.shell_port, info.iopub_port, info.stdin_port, info.control_port, info.hb_port];
    for port in ports {
        // The greeting and handshake of ZMTP 3.0, then a frame header with an absurd length.
        let mut bytes = vec![0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 0];
        bytes.extend(b"NULL");
        bytes.resize(64, 0);
        let mut ready = b"\x05READY\x0bSocket-Type".to_vec();
        ready.extend(6_u32.to_be_bytes());
        ready.extend(b"DEALER");
        bytes.push(4);
        bytes.push(u8::try_from(ready.len()).unwrap_or(0));
        bytes.extend(ready);
        bytes.push(2);
        bytes.extend((1_u64 << 50).to_be_bytes());
        bytes.extend([0; 1000]);
        let noise: Vec<u8> = (0..4096_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for attack in [bytes, noise] {
            if let Ok(mut stream) = std::net::TcpStream::connect(("127.0.0.1", port)) {
                let _ = stream.set_write_timeout(Some(Duration::from_secs(1)));
                // A kernel that closes the connection is right to.
                let _ = stream.write_all(&attack);
                std::thread::sleep(Duration::from_millis(100));
            }
        }
    }
    let alive = !stage.process.ended_within(Duration::from_millis(300));
    let usable = alive && stage.run_within(stage.subject.snippets.nothing, Duration::from_secs(8))?.value() == "2";
    let kept = usable && stage.still_has_its_variable()?;
    let fact = match (alive, usable) {
        (true, true) => "goes on",
        (true, false) => "runs, and answers no more",
        _ => "the kernel is gone, with all variables",
    };
    Ok(seen(usable && kept, usable, fact))
}

/// Where the kernel's processes listen: on this machine only.
pub fn loopback(stage: &mut Stage) -> Outcome {
    let sockets: Vec<String> = stage
        .processes()
        .iter()
        .flat_map(|id| std::fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten().flatten())
        .filter_map(|entry| std::fs::read_link(entry.path()).ok())
        .filter_map(|link| Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned()))
        .collect();
    let (mut here, mut elsewhere) = (0, Vec::new());
    for table in ["/proc/net/tcp", "/proc/net/tcp6", "/proc/net/udp", "/proc/net/udp6"] {
        let text = std::fs::read_to_string(table).unwrap_or_default();
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let (Some(local), Some(state), Some(inode)) = (fields.get(1), fields.get(3), fields.get(9)) else {
                continue;
            };
            // 0A: listening; a datagram socket that is bound has 07.
            if !matches!(*state, "0A" | "07") || !sockets.iter().any(|s| s == inode) {
                continue;
            }
            let address = local.split(':').next().unwrap_or_default();
            // Little-endian 127.x.x.x, or ::1.
            if address.ends_with("7F") && address.len() == 8 || address == "00000000000000000000000001000000" {
                here += 1;
            } else {
                elsewhere.push((*local).to_owned());
            }
        }
    }
    let fact = format!("{here} sockets on 127.0.0.1, {} elsewhere {}", elsewhere.len(), elsewhere.join(" "));
    Ok(seen(here >= 5 && elsewhere.is_empty(), false, fact.trim_end()))
}

/// A client that subscribes is welcomed, so that it knows when it will hear everything (protocol 5.4).
pub fn welcome(stage: &mut Stage) -> Outcome {
    let talk = Talk::connect(&mut stage.process, "third-client", Duration::from_secs(20))?;
    let welcomed = talk.log.iter().any(|m| m.kind == "iopub_welcome");
    Ok(seen(welcomed, false, if welcomed { "welcomed" } else { "not welcomed" }))
}
