//! History of this session, as clients ask for it.

use jupyter_protocol::HistoryRequest;
use serde_json::{Value, json};

/// Number of this session; earlier ones are not kept.
const SESSION: i32 = 1;

/// One cell.
#[derive(Debug, Clone)]
struct Entry {
    line: usize,
    input: String,
    output: Option<String>,
}

/// The cells of this session, in order.
#[derive(Debug, Default)]
pub struct History {
    entries: Vec<Entry>,
}

impl History {
    /// Adds a cell and the text of its value.
    pub fn add(&mut self, line: usize, input: String, output: Option<String>) {
        self.entries.push(Entry { line, input, output });
    }

    /// The content of the reply.
    pub fn reply(&self, request: &HistoryRequest) -> Value {
        let (chosen, output): (Vec<&Entry>, bool) = match request {
            HistoryRequest::Tail { n, output, .. } => (last(self.entries.iter().collect(), *n), *output),
            HistoryRequest::Range { session, start, stop, output, .. } => {
                let ours = matches!(session.unwrap_or(0), 0 | SESSION);
                let wanted = |entry: &&Entry| {
                    let line = i32::try_from(entry.line).unwrap_or(i32::MAX);
                    ours && *start <= line && line < *stop
                };
                (self.entries.iter().filter(wanted).collect(), *output)
            }
            HistoryRequest::Search { pattern, unique, output, n, .. } => {
                let pattern: Vec<char> = pattern.chars().collect();
                let mut found: Vec<&Entry> = Vec::new();
                for entry in &self.entries {
                    if matches(&pattern, &entry.input.chars().collect::<Vec<_>>()) {
                        if *unique {
                            found.retain(|other| other.input != entry.input);
                        }
                        found.push(entry);
                    }
                }
                (last(found, *n), *output)
            }
        };
        let rows: Vec<Value> = chosen
            .into_iter()
            .map(|entry| match output {
                true => json!([SESSION, entry.line, [entry.input, entry.output]]),
                false => json!([SESSION, entry.line, entry.input]),
            })
            .collect();
        json!({"status": "ok", "history": rows})
    }
}

fn last(entries: Vec<&Entry>, n: i32) -> Vec<&Entry> {
    let skip = entries.len().saturating_sub(usize::try_from(n).unwrap_or(0));
    entries[skip..].to_vec()
}

/// Whether a pattern of a shell (`*` for any text, `?` for any letter) fits the whole text.
fn matches(pattern: &[char], text: &[char]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                retry = Some((p + 1, t));
                p += 1;
            }
            Some(letter) if *letter == '?' || *letter == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match &mut retry {
                // The last star takes one letter more.
                Some((after, from)) => {
                    *from += 1;
                    (p, t) = (*after, *from);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history() -> History {
        let mut history = History::default();
        for (line, input) in [(1, "let a = 1;"), (2, "a + 1"), (3, "a + 1"), (5, "println!(\"a\")")] {
            let output = (line == 2).then(|| "2".to_owned());
            history.add(line, input.to_owned(), output);
        }
        history
    }

    fn ask(request: Value) -> Vec<Value> {
        let request: HistoryRequest = serde_json::from_value(request).unwrap();
        history().reply(&request)["history"].as_array().unwrap().clone()
    }

    #[test]
    fn the_tail_and_ranges() {
        let tail = ask(json!({"hist_access_type": "tail", "n": 2, "output": false, "raw": true}));
        assert_eq!(tail, [json!([1, 3, "a + 1"]), json!([1, 5, "println!(\"a\")"])]);
        let range = |session: i32, start: i32, stop: i32| {
            let request = json!({"hist_access_type": "range", "session": session, "start": start, "stop": stop,
                "output": true, "raw": true});
            ask(request)
        };
        assert_eq!(range(0, 1, 3), [json!([1, 1, ["let a = 1;", null]]), json!([1, 2, ["a + 1", "2"]])]);
        assert_eq!(range(1, 4, 9).len(), 1);
        assert!(range(-1, 1, 9).is_empty());
    }

    #[test]
    fn search_is_for_the_whole_input_and_can_leave_out_doubles() {
        let search = |pattern: &str, unique: bool, n: i32| {
            let request = json!({"hist_access_type": "search", "pattern": pattern, "unique": unique, "n": n,
                "output": false, "raw": true});
            ask(request).len()
        };
        assert_eq!(search("a*", false, 10), 2);
        assert_eq!(search("a*", true, 10), 1);
        assert_eq!(search("*a*", false, 2), 2);
        assert_eq!(search("a ? 1", false, 10), 2);
        assert_eq!(search("a", false, 10), 0);
    }
}
