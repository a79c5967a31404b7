//! Passes a cell's output on while the cell runs: in order, at a bearable rate, within the limits.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::channel::{CONTENT_LIMIT, Output, Role, TEXT_LIMIT, size};
use super::event::{Event, Sink};
use super::input::{self, Answers, Question};
use super::interrupt::Interrupts;
use super::output::{Piece, Stream};

/// How often the latest state of a display is passed on.
const UPDATE_EVERY: Duration = Duration::from_millis(50);
/// Large updates are passed on less often: this many bytes a second.
const UPDATE_RATE: f64 = 20e6;
/// How long text is gathered into one message.
const TEXT_EVERY: Duration = Duration::from_millis(20);
const TEXT_PIECE: usize = 64 << 10;
/// How long parts of one output may come after each other.
const PARTS_WITHIN: Duration = Duration::from_millis(50);
/// How long to wait for the last output of a cell after evcxr said that it ended.
const LAST_OUTPUT: Duration = Duration::from_millis(400);
const AFTER_DEATH: Duration = Duration::from_millis(30);

/// A panic or error that the cell runtime reported, or a computation that stopped: its kind and fields.
pub type Report = (String, Map<String, Value>);

/// What a cell reported.
#[derive(Debug, Default)]
pub struct Reports {
    /// The error that the cell answers with, or the panic that left it.
    pub failure: Option<Report>,
    /// The last panic of the cell's own thread, as long as it is not known whether it left the cell.
    panic: Option<Report>,
    /// Computations that ended early on request.
    pub stopped: Vec<Map<String, Value>>,
}

/// Where evcxr stands with the cell.
#[derive(Default)]
pub struct Progress {
    /// evcxr is done with the cell.
    pub finished: AtomicBool,
    /// The cell's code did not run to a normal end.
    pub failed: AtomicBool,
}

/// The thread that passes output on.
pub struct Pump<'a> {
    /// Where evcxr stands.
    pub progress: &'a Progress,
    /// Whether the cell has code that runs.
    pub runs: bool,
    /// Takes the output.
    pub sink: &'a Sink,
    /// Ids that the front ends know.
    pub shown: &'a mut HashSet<String>,
    /// Told when the cell's code begins and ends.
    pub interrupts: &'a Interrupts,
    /// Takes the answers to the cell's questions.
    pub answers: &'a Answers,
    /// Notices reads of standard input.
    pub reads: input::Reads<'a>,
}

impl Pump<'_> {
    /// Runs until the cell has ended and its output is complete.
    pub fn run(mut self, pieces: &mut Receiver<Piece>) -> Reports {
        let mut out = Outflow::new(self.sink, self.shown);
        let mut reports = Reports::default();
        let mut ends = 0;
        let mut since_finish: Option<Instant> = None;
        loop {
            let quiet = match pieces.recv_timeout(Duration::from_millis(5)) {
                Ok(Piece::Signal(_, kind, fields)) => {
                    match kind.as_str() {
                        "begin" => self.interrupts.code_began(),
                        "end" => {
                            ends += 1;
                            self.interrupts.code_ended();
                            if fields.get("state").is_some_and(|state| state == "done")
                                && let Some((_, panic)) = reports.panic.take()
                            {
                                out.text(Stream::Err, &told(&panic));
                            }
                        }
                        "shows" | "shown" => {}
                        "value" => out.value_follows(),
                        "clear" => out.clear(fields.get("wait").is_some_and(is_true)),
                        "input" => {
                            out.flush();
                            let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
                            (self.sink)(Event::Ask(Question {
                                prompt: text("prompt").to_owned(),
                                password: fields.get("password").is_some_and(is_true),
                                answer: self.answers.to_cell(),
                            }));
                        }
                        "stopped" => reports.stopped.push(fields),
                        // A panic that the cell's own code caught, or one of another thread, does not end the cell.
                        "panic" => {
                            let of_cell = fields.get("of").is_none_or(|of| of == "cell");
                            let aside = if of_cell {
                                reports.panic.replace((kind, fields)).map(|(_, fields)| fields)
                            } else {
                                Some(fields)
                            };
                            if let Some(panic) = aside {
                                out.text(Stream::Err, &told(&panic));
                            }
                        }
                        _ => reports.failure = reports.failure.or(Some((kind, fields))),
                    }
                    false
                }
                Ok(Piece::Text(stream, text)) => {
                    out.text(stream, &text);
                    false
                }
                Ok(Piece::Content(mime, content)) => {
                    out.part(mime, content);
                    false
                }
                Ok(Piece::Output(output)) => {
                    out.output(output);
                    false
                }
                Ok(Piece::TooLong(long)) => {
                    out.output(long.stand_in());
                    false
                }
                Err(RecvTimeoutError::Timeout) => true,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            out.tick(quiet);
            if quiet && self.interrupts.in_code() && self.reads.waiting() {
                out.flush();
                (self.sink)(Event::Ask(Question {
                    prompt: String::new(),
                    password: false,
                    answer: self.reads.answer(),
                }));
            }
            if self.progress.finished.load(Ordering::SeqCst) {
                let waited = since_finish.get_or_insert_with(Instant::now).elapsed();
                let expected = self.runs && !self.progress.failed.load(Ordering::SeqCst);
                if (expected && ends >= 2) || (!expected && quiet && waited > AFTER_DEATH) || waited > LAST_OUTPUT {
                    break;
                }
            }
        }
        out.end();
        reports.failure = reports.failure.or(reports.panic.take());
        reports
    }
}

/// A panic that did not end the cell.
fn told(panic: &Map<String, Value>) -> String {
    let text = |name: &str| panic.get(name).and_then(Value::as_str).unwrap_or_default();
    match text("of") {
        "thread" => format!("thread '{}' panicked: {}\n", text("thread"), text("message")),
        _ => format!("a panic that the cell caught: {}\n", text("message")),
    }
}

fn is_true(value: &Value) -> bool {
    *value == Value::Bool(true) || value == "true"
}

/// Output on its way to the front ends: what waits to be put together, and what was cut.
struct Outflow<'a> {
    sink: &'a Sink,
    shown: &'a mut HashSet<String>,
    text: Option<(Stream, String)>,
    text_since: Instant,
    text_bytes: usize,
    text_cut: [u64; 2],
    parts: Map<String, Value>,
    parts_since: Instant,
    value: bool,
    updates: Vec<(String, Output)>,
    next_updates: Instant,
    content_bytes: usize,
    content_cut: u64,
}

impl<'a> Outflow<'a> {
    fn new(sink: &'a Sink, shown: &'a mut HashSet<String>) -> Self {
        let now = Instant::now();
        Outflow {
            sink,
            shown,
            text: None,
            text_since: now,
            text_bytes: 0,
            text_cut: [0; 2],
            parts: Map::new(),
            parts_since: now,
            value: false,
            updates: Vec::new(),
            next_updates: now,
            content_bytes: 0,
            content_cut: 0,
        }
    }

    fn text(&mut self, stream: Stream, text: &str) {
        self.flush_parts();
        let mut room = (TEXT_LIMIT - self.text_bytes).min(text.len());
        while !text.is_char_boundary(room) {
            room -= 1;
        }
        self.text_bytes += room;
        if room < text.len() {
            let cut = &mut self.text_cut[stream as usize];
            *cut += (text.len() - room) as u64;
        }
        if room == 0 {
            return;
        }
        match &mut self.text {
            Some((same, waiting)) if *same == stream => waiting.push_str(&text[..room]),
            _ => {
                self.flush_text();
                self.text_since = Instant::now();
                self.text = Some((stream, text[..room].to_owned()));
            }
        }
        if self.text.as_ref().is_some_and(|(_, waiting)| waiting.len() >= TEXT_PIECE) {
            self.flush_text();
        }
    }

    fn value_follows(&mut self) {
        self.flush();
        self.value = true;
    }

    /// Content of one type. Contents of several types are one output when they follow each other without text between
    /// them and without a type coming twice.
    fn part(&mut self, mime: String, content: String) {
        self.flush_text();
        if self.parts.contains_key(&mime) || (mime == "text/plain" && !self.parts.is_empty()) {
            self.flush_parts();
        }
        self.parts_since = Instant::now();
        let is_json = mime == "application/json" || mime.ends_with("+json");
        let value = is_json.then(|| serde_json::from_str(&content).ok()).flatten().unwrap_or(Value::String(content));
        self.parts.insert(mime, value);
    }

    fn output(&mut self, mut output: Output) {
        self.flush_parts();
        let id = output.id.clone();
        if output.role == Role::Update
            && let Some(id) = &id
            && self.shown.contains(id)
        {
            match self.updates.iter_mut().find(|(other, _)| other == id) {
                Some((_, waiting)) => *waiting = output,
                None => self.updates.push((id.clone(), output)),
            }
            return;
        }
        self.flush();
        if let Some(id) = id {
            self.shown.insert(id);
        }
        output.role = if std::mem::take(&mut self.value) { Role::Value } else { Role::Show };
        self.show(output);
    }

    fn show(&mut self, output: Output) {
        let bytes = output.size();
        if output.role != Role::Update {
            if self.content_bytes + bytes > CONTENT_LIMIT {
                self.content_cut += bytes as u64;
                return;
            }
            self.content_bytes += bytes;
        }
        (self.sink)(Event::Show(output));
    }

    fn clear(&mut self, wait: bool) {
        self.flush();
        // The limits are about what the reader's front end holds.
        self.text_bytes = 0;
        self.content_bytes = 0;
        (self.sink)(Event::Clear(wait));
    }

    /// Passes on what has waited long enough.
    fn tick(&mut self, quiet: bool) {
        if self.text.is_some() && (quiet || self.text_since.elapsed() >= TEXT_EVERY) {
            self.flush_text();
        }
        // Nothing follows a value, so its parts wait for the end of the cell.
        if !self.parts.is_empty() && !self.value && self.parts_since.elapsed() >= PARTS_WITHIN {
            self.flush_parts();
        }
        if !self.updates.is_empty() && Instant::now() >= self.next_updates {
            self.flush_updates();
        }
    }

    fn flush_text(&mut self) {
        if let Some((stream, text)) = self.text.take() {
            (self.sink)(Event::Text(stream, text));
        }
    }

    fn flush_parts(&mut self) {
        if !self.parts.is_empty() {
            let data = std::mem::take(&mut self.parts);
            let role = if std::mem::take(&mut self.value) { Role::Value } else { Role::Show };
            self.flush_text();
            self.show(Output { role, ..Output::show(data) });
        }
    }

    fn flush_updates(&mut self) {
        let mut bytes = 0;
        for (_, output) in std::mem::take(&mut self.updates) {
            bytes += output.size();
            self.show(output);
        }
        let pause = Duration::from_secs_f64(bytes as f64 / UPDATE_RATE);
        self.next_updates = Instant::now() + pause.max(UPDATE_EVERY);
    }

    fn flush(&mut self) {
        self.flush_parts();
        self.flush_text();
        self.flush_updates();
    }

    fn end(&mut self) {
        self.flush();
        for stream in [Stream::Out, Stream::Err] {
            let cut = self.text_cut[stream as usize];
            if cut > 0 {
                let text = format!(
                    "\n[{} more of text are left out: a cell shows {}. Print less, or write to a file.]\n",
                    size(cut),
                    size(TEXT_LIMIT as u64)
                );
                (self.sink)(Event::Text(stream, text));
            }
        }
        if self.content_cut > 0 {
            let text = format!(
                "[{} more of outputs are left out: a cell shows {}. Show fewer, or update one in place.]",
                size(self.content_cut),
                size(CONTENT_LIMIT as u64)
            );
            (self.sink)(Event::Show(Output::text(text)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// What reaches the sink, told in words.
    fn told(write: impl FnOnce(&mut Outflow)) -> Vec<String> {
        let told = Mutex::new(Vec::new());
        let told = std::sync::Arc::new(told);
        let to = told.clone();
        let sink = move |event: Event| {
            let words = match event {
                Event::Text(stream, text) => format!("{stream:?} {text}"),
                Event::Show(o) => format!("{:?} {:?} {}", o.role, o.id.unwrap_or_default(), Value::Object(o.data)),
                Event::Clear(wait) => format!("clear {wait}"),
                Event::Ask(_) => "ask".into(),
            };
            to.lock().unwrap().push(words);
        };
        let mut shown = HashSet::new();
        let mut out = Outflow::new(&sink, &mut shown);
        write(&mut out);
        out.end();
        let told = told.lock().unwrap();
        told.clone()
    }

    fn live(id: &str, text: &str) -> Output {
        Output { id: Some(id.into()), role: Role::Update, ..Output::text(text) }
    }

    #[test]
    fn updates_are_put_together_and_the_last_one_is_never_lost() {
        let events = told(|out| {
            for step in 0..1000 {
                out.output(live("p", &step.to_string()));
                out.output(live("q", "x"));
                out.tick(false);
            }
            out.text(Stream::Out, "done");
        });
        assert_eq!(events[0], "Show \"p\" {\"text/plain\":\"0\"}", "{events:?}");
        assert!(events.len() < 100, "{}", events.len());
        assert!(events.contains(&"Update \"p\" {\"text/plain\":\"999\"}".to_owned()));
    }

    #[test]
    fn parts_of_one_output_are_one_output() {
        let events = told(|out| {
            out.part("text/plain".into(), "a".into());
            out.part("text/html".into(), "b".into());
            out.text(Stream::Out, "t");
            out.value_follows();
            out.part("application/json".into(), "[1]".into());
        });
        let expected =
            ["Show \"\" {\"text/html\":\"b\",\"text/plain\":\"a\"}", "Out t", "Value \"\" {\"application/json\":[1]}"];
        assert_eq!(events, expected);
    }

    #[test]
    fn text_is_put_together_by_stream_and_cut_at_the_limit() {
        let events = told(|out| {
            out.text(Stream::Out, "a");
            out.text(Stream::Out, "b");
            out.text(Stream::Err, "c");
            out.text(Stream::Out, &"ä".repeat(TEXT_LIMIT));
        });
        assert_eq!(events[..2], ["Out ab", "Err c"]);
        assert!(events[2].len() <= TEXT_LIMIT + 4);
        assert!(events[3].contains("MB more of text are left out"), "{}", events[3]);
    }

    #[test]
    fn outputs_beyond_the_limit_are_counted() {
        let events = told(|out| {
            for _ in 0..12 {
                out.output(Output::text("x".repeat(9 << 20)));
            }
        });
        assert_eq!(events.len(), 12);
        assert!(events[11].contains("more of outputs are left out"));
    }
}
