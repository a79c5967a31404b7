//! A session: the process that holds the variables, and how one cell passes through it (see the way of a cell in
//! [`crate`]).

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;

use anyhow::{Context, Result};
use evcxr::{CommandContext, Error, EvalContext, EvalContextOutputs, EvalOutputs};
use serde_json::{Map, Value};

use super::cell::{Care, Prepared};
use super::channel::{Output, Role};
use super::compile_ahead::{CompileAhead, How};
use super::compile_cache::CompileCache;
use super::event::{CellName, Event, Sink};
use super::failure::Failure;
use super::input::{Answers, Stdin};
use super::interrupt::Interrupts;
use super::lost_variables::{LostVariables, Ran};
use super::marks::BEGIN;
use super::output::{Piece, Pipes, Stream};
use super::pump::{Progress, Pump, Reports};
use super::{cell, diagnose, outcome, process, types};
use workbench_base::source;
use workbench_base::text::html;
use workbench_setup::cargo::RUSTC_ENV;
use workbench_setup::features::{self, Features};
use workbench_setup::library::Frozen;
use workbench_setup::library::prebuilt::Prebuilt;
use workbench_setup::project::Project;

/// A session: the process that holds the variables and what is needed to compile for it.
pub struct Session {
    context: CommandContext,
    own: EvalContextOutputs,
    pieces: Receiver<Piece>,
    answers: Answers,
    stdin: Stdin,
    shown: HashSet<String>,
    project: Project,
    frozen: Frozen,
    folder: PathBuf,
    next_type: usize,
    uses_crate: bool,
    has_run: bool,
    interrupts: Interrupts,
    lost: LostVariables,
    ahead: CompileAhead,
}

impl Session {
    /// Starts a session whose cells are compiled in `folder`; `progress` is told about a build of the crate.
    pub fn start(
        folder: &Path,
        project: Project,
        interrupts: Interrupts,
        ahead: CompileAhead,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Session> {
        let rustc = std::env::var_os(RUSTC_ENV).map_or_else(|| "rustc".into(), PathBuf::from);
        let frozen = project.freeze(&rustc, Some(interrupts.control()), progress)?;
        frozen.prebuilt.save(folder)?;
        CompileCache::at(&frozen.prebuilt.kept).tidy();
        let pipes = Pipes::new().context("could not create the pipes for cells' output")?;
        let answers = Answers::new().context("could not create the pipe for answers")?;
        let _ = std::fs::remove_file(Stdin::path(folder));
        let stdin = Stdin::new(folder).context("could not create the pipe for standard input")?;
        let command = process::command(&pipes, &answers, &frozen)?;
        let (context, own) = EvalContext::with_subprocess_command(command)
            .map_err(|e| anyhow::anyhow!("the evaluation process did not start: {e}"))?;
        // The write ends stay open for as long as this process lives.
        std::mem::forget((pipes.out, pipes.err));
        let mut session = Session {
            context: CommandContext::with_eval_context(context),
            own,
            pieces: pipes.pieces,
            answers,
            stdin,
            shown: HashSet::new(),
            project,
            frozen,
            folder: folder.to_path_buf(),
            next_type: 0,
            uses_crate: false,
            has_run: false,
            interrupts,
            lost: LostVariables::default(),
            ahead,
        };
        warm_up(&mut session.context)?;
        while session.pieces.try_recv().is_ok() {}
        session.ahead.anew();
        if let Some(process) = session.process_id() {
            session.stdin.learn(process);
        }
        Ok(session)
    }

    /// A handle for ending the process that runs cells.
    pub fn process(&self) -> Arc<std::sync::Mutex<std::process::Child>> {
        self.context.process_handle()
    }

    fn process_id(&self) -> Option<u32> {
        self.process().lock().ok().map(|child| child.id())
    }

    /// Variables and their types, for `:vars` and inspection.
    pub fn variables(&self) -> Vec<(String, String)> {
        let table = types::TypeTable::load(&self.folder);
        self.context
            .variables_and_types()
            .filter_map(|(name, ty)| Some((name.to_owned(), table.type_of(ty)?.to_owned())))
            .collect()
    }

    /// The names of the variables, and of those that evcxr takes for variables and that lived in their cell only.
    fn names(&self) -> [Vec<String>; 2] {
        let table = types::TypeTable::load(&self.folder);
        let (mut kept, mut nameless) = (Vec::new(), Vec::new());
        for (name, of) in self.context.variables_and_types() {
            let list = if table.type_of(of).is_some() { &mut kept } else { &mut nameless };
            list.push(name.to_owned());
        }
        kept.sort();
        [kept, nameless]
    }

    /// The features that a cell asks for and the crate of this session does not have.
    ///
    /// # Errors
    /// Features that it cannot have.
    pub fn lacks(&self, source: &str) -> Result<Features, Failure> {
        let library = &self.frozen.prebuilt.library;
        let of_ours = |spec: &toml::Value| self.frozen.prebuilt.serves(library, spec);
        let asked = features::asked(source, library, &of_ours);
        self.project.allows(&asked).map_err(|why| Failure::new("feature", format!("{why}.")))?;
        Ok(asked.difference(&self.frozen.features()).cloned().collect())
    }

    /// Whether a cell has run, so that another session in this one's place would be missed.
    pub fn has_run(&self) -> bool {
        self.has_run
    }

    /// Runs one cell. With `may_ask`, a plain read of standard input is a question too.
    pub fn execute(&mut self, source: &str, name: &CellName, may_ask: bool, sink: &Sink) -> Result<(), Failure> {
        if source::without_commands(source).0.lines().all(is_quiet)
            && source.lines().filter(|line| !is_quiet(line)).all(|line| line.trim() == ":vars")
            && source.contains(":vars")
        {
            let role = Role::Value;
            sink(Event::Show(Output { role, ..Output::show(variables_table(&self.variables())) }));
            return Ok(());
        }
        if source::is_too_deep(&source::without_commands(source).0) {
            return Err(Failure::new(
                "error",
                "the cell is nested too deeply to be read: take some of its brackets apart. Nothing was run.",
            ));
        }
        let first_type = self.next_type;
        let mut cell = cell::prepare(source, Care::Usual, &mut self.next_type);
        let Prebuilt { library, at_hand, .. } = &self.frozen.prebuilt;
        self.uses_crate |= *at_hand && source.contains(library.as_str()) || cell.dependencies.contains(library);
        self.check_sources()?;
        process::name_cell(&self.folder, name);
        self.answers.drain();
        self.ahead.begin(source, first_type);
        let [before, _] = self.names();
        let (mut result, mut reports) = self.attempt(&cell, may_ask, sink);
        if result.as_ref().is_err_and(diagnose::is_about_untold_types) && self.interrupts.requests() == 0 {
            // Nothing has run. What the compiler takes for the end of the cell is made to look as if it went on.
            cell = cell::prepare(source, Care::EndlessCalls, &mut self.next_type);
            (result, reports) = self.attempt(&cell, may_ask, sink);
        }
        let [after, nameless] = self.names();
        let ran = match &result {
            Ok(_) if reports.failure.as_ref().is_some_and(leaves_the_cell) => Some(Ran::Partly),
            Ok(_) => Some(Ran::Whole),
            Err(Error::SubprocessTerminated(_)) => Some(Ran::Died),
            Err(_) => None,
        };
        self.ahead.end(ran.map(|ran| match (ran, &reports.failure) {
            (Ran::Whole, _) => How::Whole,
            (Ran::Partly, Some((kind, _))) if kind == "panic" => How::Panic,
            (Ran::Partly, _) => How::Error,
            (Ran::Died, _) => How::Died,
        }));
        let compiled = || std::fs::read_to_string(self.folder.join("cell.rs")).unwrap_or_default();
        self.has_run |= ran.is_some();
        let (outputs, failure) = match result {
            Ok(outputs) => {
                let failure = reports.failure.as_ref();
                let told =
                    failure.map(|(kind, fields)| diagnose::runtime_failure(kind, fields, source, &cell, &compiled()));
                let told = match ran {
                    Some(Ran::Partly) => told.map(|failure| failure.with_lost_variables(&cell, [&before, &after])),
                    _ => told,
                };
                (Some(outputs), told)
            }
            Err(error) => {
                let failure = diagnose::evaluation_failure(&error, source, &cell, &before);
                let failure = failure.with_reasons(&self.lost).with_versions(&self.project.root);
                (None, Some(failure))
            }
        };
        if source.lines().any(|line| line.trim() == ":clear") {
            // The next cell would do without, and take longer.
            let _ = first_cell(&mut self.context);
            while self.pieces.try_recv().is_ok() {}
        }
        if let Some(ran) = ran {
            self.lost.note(name.count, ran, &cell, [&before, &after, &nameless], source);
        }
        if self.interrupts.requests() > 0 {
            let ran = outputs.is_some();
            return Err(outcome::interrupted(&self.interrupts, &reports, ran, failure, &before));
        }
        if let Some(failure) = failure {
            return Err(failure);
        }
        let content = outputs.map(|outputs| outputs.content_by_mime_type).unwrap_or_default();
        if !content.is_empty() {
            let table = types::TypeTable::load(&self.folder);
            let data = content
                .into_iter()
                .map(|(mime, content)| {
                    let told = match mime.as_str() {
                        "text/html" => table.told(&content, html),
                        _ => table.told(&content, str::to_owned),
                    };
                    (mime, Value::String(told))
                })
                .collect();
            let role = Role::Value;
            sink(Event::Show(Output { role, ..Output::show(data) }));
        }
        Ok(())
    }

    /// Compiles and runs a prepared cell, and passes on what it shows.
    fn attempt(&mut self, cell: &Prepared, may_ask: bool, sink: &Sink) -> (Result<EvalOutputs, Error>, Reports) {
        let progress = Progress::default();
        let runs = cell.code.contains(BEGIN.seen);
        let process = self.process_id().filter(|_| may_ask);
        let (context, pieces) = (&mut self.context, &mut self.pieces);
        let pump = Pump {
            progress: &progress,
            runs,
            sink,
            shown: &mut self.shown,
            interrupts: &self.interrupts,
            answers: &self.answers,
            reads: self.stdin.reads(process),
        };
        let (result, reports) = std::thread::scope(|scope| {
            let pump = scope.spawn(move || pump.run(pieces));
            let result = context.execute(&cell.code);
            progress.failed.store(result.is_err(), Ordering::SeqCst);
            progress.finished.store(true, Ordering::SeqCst);
            (result, pump.join().unwrap_or_default())
        });
        self.interrupts.returned();
        // evcxr's own streams carry only what is written outside of cells.
        for text in self.own.stdout.try_iter().chain(self.own.stderr.try_iter()) {
            sink(Event::Text(Stream::Err, text + "\n"));
        }
        (result, reports)
    }

    /// A kernel whose crate has changed on disk asks for a restart instead of mixing two versions.
    fn check_sources(&self) -> Result<(), Failure> {
        if !self.frozen.is_there() {
            return Err(Failure::new(
                "restart needed",
                "the built crate that this kernel links has been deleted (it lay in .workbench/), so no cell can be compiled: \
                 restart the kernel, which puts it there again.",
            ));
        }
        if self.frozen.has_another_compiler() {
            return Err(Failure::new(
                "restart needed",
                "the Rust compiler has been updated since this kernel started, and what the old one built is of no use to it: restart \
                 the kernel, which builds the crate again (minutes, once). Until then the variables of this session are kept.",
            ));
        }
        if !self.uses_crate {
            return Ok(());
        }
        let Some(file) = self.frozen.outdated_by(&self.project) else {
            return Ok(());
        };
        let file = file.strip_prefix(&self.project.root).unwrap_or(&file).display().to_string();
        Err(Failure::new(
            "restart needed",
            format!(
                "{file} has changed since this kernel started. Restart the kernel: it builds the crate anew and runs the \
                 new code. Until then the variables of this session are kept."
            ),
        ))
    }
}

/// What a session does before its first cell: errors that leave a cell print their message, and cells are compiled quickly.
pub(super) fn warm_up(context: &mut CommandContext) -> Result<()> {
    for command in [":efmt {}", ":opt 0"] {
        context.execute(command).map_err(|e| anyhow::anyhow!("the session could not be set up: {e}"))?;
    }
    first_cell(context)
}

/// The first use of `?` would cost a second compilation, so it is made here.
fn first_cell(context: &mut CommandContext) -> Result<()> {
    context
        .execute("std::str::from_utf8(b\"\")?;")
        .map_err(|e| anyhow::anyhow!("the first cell of the session failed: {e}"))?;
    Ok(())
}

/// Whether a line is blank or a comment.
fn is_quiet(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with("//")
}

/// Whether the cell ended there. An error with a name is the cell's answer, which ran on.
fn leaves_the_cell((kind, fields): &(String, Map<String, Value>)) -> bool {
    kind == "panic" || !fields.contains_key("name")
}

fn variables_table(variables: &[(String, String)]) -> Map<String, Value> {
    let mut variables = variables.to_vec();
    variables.sort();
    let width = variables.iter().map(|(n, _)| n.chars().count()).max().unwrap_or(0);
    let plain: Vec<String> = variables.iter().map(|(n, t)| format!("{n:width$}  {t}")).collect();
    let rows: String = variables
        .iter()
        .map(|(n, t)| format!("<tr><td>{}</td><td><code>{}</code></td></tr>", html(n), html(t)))
        .collect();
    let mut data = Map::new();
    data.insert("text/plain".into(), plain.join("\n").into());
    data.insert(
        "text/html".into(),
        format!("<table><thead><tr><th>variable</th><th>type</th></tr></thead><tbody>{rows}</tbody></table>").into(),
    );
    data
}
