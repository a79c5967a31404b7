//! Evaluation of cells: evcxr's context, with the compiler called directly and output read as it is written.
//!
//! [`cell`] prepares a cell's source, [`shim`] is the cargo that evcxr sees, [`library`] is what cells link,
//! [`types`] learns the variables' types, [`output`] reads what a cell writes and [`diagnose`] tells its failures.

pub mod cell;
pub mod diagnose;
pub mod library;
pub mod output;
pub mod prebuilt;
pub mod process;
pub mod shim;
pub mod types;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use evcxr::{CommandContext, EvalContext, EvalContextOutputs};
use serde_json::{Map, Value};

use diagnose::Failure;
use library::{Frozen, Project};
use output::{Piece, Pipes, Stream};

/// What a running cell shows.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Text on one of the streams.
    Text(Stream, String),
    /// One rich output: content by MIME type, and whether it is the value of the last expression.
    Show(Map<String, Value>, bool),
}

/// Receives what a running cell shows, as it happens.
pub type Sink = dyn Fn(Event) + Send + Sync;

/// Names the cell to the code that runs in it (see the ledger).
#[derive(Debug, Clone, Default)]
pub struct CellName {
    /// The notebook format's cell id, where the front end tells it.
    pub id: String,
    /// The execution number.
    pub count: usize,
}

/// A session: the process that holds the variables and what is needed to compile for it.
pub struct Session {
    context: CommandContext,
    own: EvalContextOutputs,
    pieces: Receiver<Piece>,
    project: Project,
    frozen: Frozen,
    folder: PathBuf,
    next_type: usize,
    uses_crate: bool,
    interrupted: Arc<AtomicBool>,
}

/// How long to wait for the last output of a cell after evcxr said that it ended.
const LAST_OUTPUT: Duration = Duration::from_millis(400);

impl Session {
    /// Starts a session whose cells are compiled in `folder`; `progress` is told about a build of the crate.
    pub fn start(
        folder: &Path,
        project: Project,
        interrupted: Arc<AtomicBool>,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Session> {
        let rustc = std::env::var_os(shim::RUSTC_ENV).map_or_else(|| "rustc".into(), PathBuf::from);
        let frozen = project.freeze(&rustc, progress)?;
        frozen.prebuilt.save(folder)?;
        let pipes = Pipes::new().context("could not create the pipes for cells' output")?;
        let command = process::command(&pipes, &frozen, &rustc)?;
        let (context, own) = EvalContext::with_subprocess_command(command)
            .map_err(|e| anyhow::anyhow!("the evaluation process did not start: {e}"))?;
        // The write ends stay open for as long as this process lives.
        std::mem::forget((pipes.out, pipes.err));
        let mut session = Session {
            context: CommandContext::with_eval_context(context),
            own,
            pieces: pipes.pieces,
            project,
            frozen,
            folder: folder.to_path_buf(),
            next_type: 0,
            uses_crate: false,
            interrupted,
        };
        session.warm_up()?;
        Ok(session)
    }

    /// Errors that leave a cell print their message; the first use of `?` would cost a second compilation, so it
    /// is made here.
    fn warm_up(&mut self) -> Result<()> {
        self.context
            .execute(":efmt {}")
            .and_then(|_| self.context.execute(":opt 0"))
            .and_then(|_| self.context.execute("std::str::from_utf8(b\"\")?;"))
            .map_err(|e| anyhow::anyhow!("the first cell of the session failed: {e}"))?;
        while self.pieces.try_recv().is_ok() {}
        Ok(())
    }

    /// A handle for ending the process that runs cells.
    pub fn process(&self) -> Arc<std::sync::Mutex<std::process::Child>> {
        self.context.process_handle()
    }

    /// Variables and their types, for `:vars` and inspection.
    pub fn variables(&self) -> Vec<(String, String)> {
        let table = types::TypeTable::load(&self.folder);
        self.context
            .variables_and_types()
            .map(|(name, ty)| {
                let ty = table.types.get(ty).map_or(ty, String::as_str);
                (name.to_owned(), ty.to_owned())
            })
            .collect()
    }

    /// Candidates for the word at a byte offset of a cell: where it starts and ends, and what may stand there.
    pub fn complete(&mut self, source: &str, offset: usize) -> (usize, usize, Vec<String>) {
        let found = self.context.completions(source, offset);
        let (start, end, mut names) = match found {
            Ok(found) => {
                let names = found.completions.into_iter().map(|c| c.code).collect();
                (found.start_offset, found.end_offset, names)
            }
            Err(_) => (offset, offset, Vec::new()),
        };
        names.sort();
        names.dedup();
        (start, end, names)
    }

    /// Runs one cell.
    pub fn execute(&mut self, source: &str, name: &CellName, sink: &Sink) -> Result<(), Failure> {
        if source.trim() == ":vars" {
            sink(Event::Show(variables_table(&self.variables()), true));
            return Ok(());
        }
        let cell = cell::prepare(source, &mut self.next_type);
        self.uses_crate |= cell.dependencies.iter().any(|d| d == "workbench");
        self.check_sources()?;
        process::name_cell(&self.folder, name);
        self.interrupted.store(false, Ordering::SeqCst);

        let finished = AtomicBool::new(false);
        let died = AtomicBool::new(false);
        let runs = cell.code.contains(cell::BEGIN.seen);
        let (context, pieces) = (&mut self.context, &mut self.pieces);
        let (result, reports) = std::thread::scope(|scope| {
            let pump = Pump {
                finished: &finished,
                died: &died,
                runs,
                sink,
            };
            let pump = scope.spawn(move || pump.run(pieces));
            let result = context.execute(&cell.code);
            died.store(result.is_err(), Ordering::SeqCst);
            finished.store(true, Ordering::SeqCst);
            (result, pump.join().unwrap_or_default())
        });
        // evcxr's own streams carry only what is written outside of cells.
        for text in self.own.stdout.try_iter().chain(self.own.stderr.try_iter()) {
            sink(Event::Text(Stream::Err, text + "\n"));
        }
        if self.interrupted.swap(false, Ordering::SeqCst) && result.is_err() {
            return Err(Failure::new(
                "interrupted",
                "the cell was stopped. Its process held the variables, so they are gone: run the earlier cells again.",
            ));
        }
        let outputs = result.map_err(|e| diagnose::evaluation_failure(&e, source, &cell))?;
        if let Some((kind, fields)) = reports.into_iter().next() {
            let compiled = std::fs::read_to_string(self.folder.join("cell.rs")).unwrap_or_default();
            return Err(diagnose::runtime_failure(&kind, &fields, source, &compiled));
        }
        if !outputs.content_by_mime_type.is_empty() {
            let data = outputs
                .content_by_mime_type
                .into_iter()
                .map(|(mime, content)| (mime, Value::String(content)))
                .collect();
            sink(Event::Show(data, true));
        }
        Ok(())
    }

    /// A kernel whose crate has changed on disk asks for a restart instead of mixing two versions.
    fn check_sources(&self) -> Result<(), Failure> {
        if !self.uses_crate {
            return Ok(());
        }
        let Some(file) = self.frozen.outdated_by(&self.project) else {
            return Ok(());
        };
        let file = file
            .strip_prefix(&self.project.root)
            .unwrap_or(&file)
            .display()
            .to_string();
        Err(Failure::new(
            "restart needed",
            format!(
                "{file} has changed since this kernel started. Restart the kernel: it builds the crate anew and runs the \
                 new code. Until then the variables of this session are kept."
            ),
        ))
    }
}

fn variables_table(variables: &[(String, String)]) -> Map<String, Value> {
    let mut variables = variables.to_vec();
    variables.sort();
    let width = variables.iter().map(|(n, _)| n.chars().count()).max().unwrap_or(0);
    let plain: Vec<String> = variables.iter().map(|(n, t)| format!("{n:width$}  {t}")).collect();
    let rows: String = variables
        .iter()
        .map(|(n, t)| format!("<tr><td>{}</td><td><code>{}</code></td></tr>", escape(n), escape(t)))
        .collect();
    let mut data = Map::new();
    data.insert("text/plain".into(), plain.join("\n").into());
    data.insert(
        "text/html".into(),
        format!("<table><thead><tr><th>variable</th><th>type</th></tr></thead><tbody>{rows}</tbody></table>").into(),
    );
    data
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Passes a cell's output on while the cell runs.
struct Pump<'a> {
    finished: &'a AtomicBool,
    died: &'a AtomicBool,
    runs: bool,
    sink: &'a Sink,
}

/// A panic or error that the cell runtime reported.
type Report = (String, Map<String, Value>);

impl Pump<'_> {
    fn run(self, pieces: &mut Receiver<Piece>) -> Vec<Report> {
        let mut bundle = Bundle::default();
        let mut reports = Vec::new();
        let mut ends = 0;
        let mut since_finish: Option<Instant> = None;
        loop {
            match pieces.recv_timeout(Duration::from_millis(5)) {
                Ok(Piece::Signal(_, kind, _)) if kind == "end" => ends += 1,
                Ok(Piece::Signal(_, kind, _)) if kind == "value" => {
                    bundle.flush(self.sink);
                    bundle.value = true;
                }
                // A panic that the cell's own code caught, or one of another thread, does not end the cell.
                Ok(Piece::Signal(_, kind, fields)) => reports.push((kind, fields)),
                Ok(Piece::Text(stream, text)) => {
                    bundle.flush(self.sink);
                    (self.sink)(Event::Text(stream, text));
                }
                Ok(Piece::Content(mime, content)) => bundle.add(mime, content, self.sink),
                Err(RecvTimeoutError::Timeout) => bundle.flush(self.sink),
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if self.finished.load(Ordering::SeqCst) {
                let waited = since_finish.get_or_insert_with(Instant::now).elapsed();
                let expected = self.runs && !self.died.load(Ordering::SeqCst);
                if (expected && ends >= 2) || (!expected && waited > Duration::from_millis(30)) || waited > LAST_OUTPUT
                {
                    break;
                }
            }
        }
        bundle.flush(self.sink);
        reports
    }
}

/// Contents of several MIME types that belong to one output: they follow each other without text between them and
/// without a type coming twice.
#[derive(Default)]
struct Bundle {
    data: Map<String, Value>,
    value: bool,
}

impl Bundle {
    fn add(&mut self, mime: String, content: String, sink: &Sink) {
        if self.data.contains_key(&mime) || (mime == "text/plain" && !self.data.is_empty()) {
            self.flush(sink);
        }
        self.data.insert(mime, Value::String(content));
    }

    fn flush(&mut self, sink: &Sink) {
        if !self.data.is_empty() {
            sink(Event::Show(
                std::mem::take(&mut self.data),
                std::mem::take(&mut self.value),
            ));
        }
    }
}
