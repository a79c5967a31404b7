//! Report of a compilation to evcxr, in the form of cargo's messages.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use super::marks::{CELL, CRATE};
use workbench_base::text::count;
use workbench_setup::cuda::TURN_ON;

/// Passes rustc's diagnostics on, and names the library that it made.
pub fn compilation(stderr: &[u8], folder: &Path, library: &Path) -> Result<()> {
    for line in String::from_utf8_lossy(stderr).lines() {
        let Ok(mut message) = serde_json::from_str::<Value>(line) else {
            eprintln!("{line}");
            continue;
        };
        if message["$message_type"] != "diagnostic" {
            continue;
        }
        if let Some(told) = missing_symbols(&message).or_else(|| words_of_the_linker(&message)) {
            refuse(&told)?;
            continue;
        }
        as_lib(&mut message);
        say(&json!({"reason": "compiler-message", "message": message}))?;
    }
    say(&json!({
        "reason": "compiler-artifact", "target": {"name": CRATE, "src_path": folder.join("src/lib.rs")},
        "filenames": [library]
    }))
}

/// rustc's diagnostics with the line `to[n]` wherever they name line `n` (from 0) of the cell; lines that `to` does not have stay, as
/// do those of other files.
pub fn with_lines(messages: &str, to: &[usize]) -> String {
    fn turn(value: &mut Value, to: &[usize]) {
        match value {
            Value::Array(values) => values.iter_mut().for_each(|value| turn(value, to)),
            Value::Object(fields) => {
                let of_another = fields.get("file_name").is_some_and(|name| name != CELL);
                for (name, value) in fields.iter_mut() {
                    let place = value.as_u64().and_then(|line| usize::try_from(line).ok()?.checked_sub(1));
                    let place = place.filter(|_| !of_another);
                    match (name.as_str(), place.and_then(|place| to.get(place))) {
                        ("line_start" | "line_end", Some(line)) => *value = json!(line + 1),
                        _ => turn(value, to),
                    }
                }
            }
            _ => {}
        }
    }
    let mut told = String::new();
    for line in messages.lines() {
        match serde_json::from_str::<Value>(line) {
            Ok(mut message) => {
                turn(&mut message, to);
                told.push_str(&message.to_string());
            }
            Err(_) => told.push_str(line),
        }
        told.push('\n');
    }
    told
}

/// Errors that may come from the machine: libraries that are not found, damaged, or of another compiler.
const OF_LIBRARIES: [&str; 9] = ["E0455", "E0458", "E0459", "E0460", "E0461", "E0463", "E0464", "E0514", "E0786"];

/// Whether rustc refused a text for what it says, so that it will refuse it again.
pub fn is_about_the_code(stderr: &[u8]) -> bool {
    let mut refused = false;
    for line in String::from_utf8_lossy(stderr).lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            return false;
        };
        if message["$message_type"] != "diagnostic" || message["level"] != "error" {
            continue;
        }
        match message["code"]["code"].as_str() {
            Some(code) if !OF_LIBRARIES.contains(&code) => refused = true,
            None if message["message"].as_str().is_some_and(|text| text.starts_with("aborting due to ")) => {}
            _ => return false,
        }
    }
    refused
}

/// Reports an error of our own.
pub fn refuse(message: &str) -> Result<()> {
    say(&json!({
        "reason": "compiler-message",
        "message": {
            "$message_type": "diagnostic", "message": message, "code": null, "level": "error",
            "spans": [], "children": [], "rendered": format!("error: {message}\n")
        }
    }))
}

/// What to tell of symbols that no library has. The linker's own words come with all of its arguments.
fn missing_symbols(message: &Value) -> Option<String> {
    if !message["message"].as_str()?.starts_with("linking with ") {
        return None;
    }
    let mut names: Vec<&str> = Vec::new();
    for line in message["children"].as_array()?.iter().filter_map(|c| c["message"].as_str()).flat_map(str::lines) {
        let lld = line.split_once("undefined symbol: ").map(|(_, name)| name.trim());
        let gnu = line.split_once("undefined reference to `").and_then(|(_, rest)| rest.split('\'').next());
        if let Some(name) = lld.or(gnu)
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    (!names.is_empty()).then(|| {
        format!(
            "no library that this cell uses has the symbol `{}`. Name the library that has it, as in \
             `#[link(name = \"m\")]` before the `extern` block.",
            names.join("`, `")
        )
    })
}

/// What the linker says of anything else, without the line of arguments that it was called with.
fn words_of_the_linker(message: &Value) -> Option<String> {
    const SHOWN: usize = 8;
    let text = message["message"].as_str()?;
    if !text.starts_with("linking with ") {
        return None;
    }
    let children = message["children"].as_array().into_iter().flatten();
    let notes = children.filter_map(|child| child["message"].as_str());
    let said: Vec<&str> = notes
        .filter(|note| !note.trim_start().starts_with('"') && !note.starts_with("some arguments are omitted"))
        .flat_map(str::lines)
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.ends_with("ld returned 1 exit status"))
        .collect();
    if said.is_empty() {
        return None;
    }
    let of_cuda = |line: &&str| ["cuda", "cublas", "curand", "nvrtc", "-lmoe"].iter().any(|name| line.contains(name));
    let hint = match said.iter().any(of_cuda) {
        true => format!("\nThese libraries come with the GPU setting: run `{TURN_ON}`, then restart the kernel."),
        false => String::new(),
    };
    let more = match said.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("\n... and {}", count(more, "more line")),
    };
    Some(format!(
        "the cell compiles and does not link. The linker says:\n{}{more}{hint}",
        said[..said.len().min(SHOWN)].join("\n")
    ))
}

/// evcxr looks for its own file name in the spans.
fn as_lib(message: &mut Value) {
    match message {
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                if key == "file_name" && value == CELL {
                    *value = json!("src/lib.rs");
                } else {
                    as_lib(value);
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(as_lib),
        _ => {}
    }
}

fn say(message: &Value) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{message}")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_symbols_are_named_in_the_words_of_either_linker() {
        for words in [
            "rust-lld: error: undefined symbol: f\n>>> referenced by a\n\nrust-lld: error: undefined symbol: g\n",
            "a.o: in function `x':\na.rs:(.text+0x3): undefined reference to `f'\na.rs: undefined reference to `f'\nb: undefined reference to `g'",
        ] {
            let message = json!({
                "message": "linking with `cc` failed: exit status: 1",
                "children": [{"message": " \"cc\" \"-m64\""}, {"message": words}]
            });
            let told = missing_symbols(&message).unwrap();
            assert!(told.contains("`f`, `g`") && told.contains("#[link"), "{told}");
        }
    }

    #[test]
    fn lines_are_turned_wherever_they_are_named() {
        let span = |line: u64| json!({"line_start": line, "line_end": line, "column_start": 2});
        let at = |a, b| json!({"spans": [span(a)], "children": [{"spans": [span(b)]}]}).to_string();
        let told = with_lines(&format!("{}\nno JSON\n", at(2, 3)), &[0, 2, 1]);
        assert_eq!(told, format!("{}\nno JSON\n", at(3, 2)));
        assert_eq!(with_lines(&at(4, 0), &[0, 2, 1]), at(4, 0) + "\n");
        let elsewhere = json!({"file_name": "/library/core.rs", "line_start": 2, "line_end": 3}).to_string() + "\n";
        assert_eq!(with_lines(&elsewhere, &[0, 2, 1]), elsewhere);
    }

    #[test]
    fn only_what_the_code_says_is_about_the_code() {
        let said = |level: &str, code: Value, message: &str| {
            json!({"$message_type": "diagnostic", "level": level, "code": code, "message": message}).to_string()
        };
        let mismatch = said("error", json!({"code": "E0308"}), "mismatched types");
        let end = said("error", Value::Null, "aborting due to 1 previous error");
        let about = |lines: &[&str]| is_about_the_code(lines.join("\n").as_bytes());
        assert!(about(&[&mismatch, &said("warning", Value::Null, "unused"), &end]));
        assert!(!about(&[&end]) && !about(&[]));
        assert!(!about(&[&mismatch, "the compiler panicked"]));
        assert!(!about(&[&mismatch, &said("error", Value::Null, "No space left on device")]));
        assert!(!about(&[&said("error", json!({"code": "E0786"}), "found invalid metadata files")]));
    }

    #[test]
    fn other_errors_are_passed_on() {
        for message in [
            json!({"message": "mismatched types", "children": [{"message": "undefined symbol: f"}]}),
            json!({"message": "linking with `cc` failed", "children": [{"message": "No space left on device"}]}),
        ] {
            assert_eq!(missing_symbols(&message), None);
        }
    }

    #[test]
    fn the_linkers_own_words_are_told_without_its_arguments() {
        let failed = |words: &str| {
            json!({
                "message": "linking with `cc` failed: exit status: 1",
                "children": [
                    {"message": " \"cc\" \"-m64\" \"-lcublas\""},
                    {"message": "some arguments are omitted. use `--verbose` to show all linker arguments"},
                    {"message": words}
                ]
            })
        };
        let told = words_of_the_linker(&failed(
            "rust-lld: error: unable to find library -lmine\ncollect2: error: ld returned 1 exit status\n\n",
        ));
        let told = told.unwrap();
        assert!(told.ends_with("The linker says:\nrust-lld: error: unable to find library -lmine"), "{told}");
        let told = words_of_the_linker(&failed("rust-lld: error: unable to find library -lcudart")).unwrap();
        assert!(told.contains(TURN_ON), "{told}");
        let many = "rust-lld: error: x\n".repeat(20);
        assert!(words_of_the_linker(&failed(&many)).unwrap().contains("12 more lines"));
        assert_eq!(words_of_the_linker(&json!({"message": "mismatched types", "children": []})), None);
    }
}
