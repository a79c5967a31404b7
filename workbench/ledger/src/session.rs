//! The ledger of one notebook session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use workbench_record::near::{nearest, question};
use workbench_record::words::count;
use workbench_record::{Baseline, Claim, Entry, Registry, Row, Scale, Store, Tables, digest, program, save_fallback};

use super::Error;
use super::card::{Committed, VerdictCard};
use super::entry::{decide, one_line};
use super::evidence::Evidence;
use super::frame::Frames;
use super::setting::Setting;
use super::settings::{Cell, Settings};
use super::summary::Summary;
use super::swept::Sweeps;
use workbench_ground::stats::Streams;

/// The open ledger of a notebook: checks ids, derives verdicts, writes rows as they come.
///
/// The value owns all it needs and every method takes `&self`, so it can live in a notebook variable.
pub struct Ledger {
    notebook: String,
    settings: Settings,
    registry: Registry,
    store: Store,
    streams: Streams,
    sweeps: Option<Arc<dyn Sweeps>>,
    state: Mutex<State>,
}

#[derive(Debug)]
pub(crate) struct State {
    /// When the ledger was opened or a row was last written: where time counts from without a cell file.
    since: Instant,
    /// The cell that recorded each claim.
    recorded: HashMap<String, Cell>,
}

/// One line without the registry, since a cell that ends in `ledger` prints this.
impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "ledger of {}: {}, scale {}, seed {}",
            self.notebook,
            count(self.registry.of_notebook(&self.notebook).len(), "claim"),
            self.settings.scale,
            self.settings.seed
        )
    }
}

impl Ledger {
    /// Opens the ledger of a notebook, named as its file without extension, with the settings of the
    /// environment (see [`Settings::from_env`]).
    ///
    /// # Errors
    /// What [`Settings::from_env`] and [`Ledger::with`] return.
    pub fn open(notebook: &str) -> Result<Ledger, Error> {
        Ledger::with(notebook, Settings::from_env()?)
    }

    /// Opens the ledger of a notebook with stated settings.
    ///
    /// # Errors
    /// [`Error::NotebookName`], [`Error::NoNotebook`], or what [`Registry::read`] returns.
    pub fn with(notebook: &str, settings: Settings) -> Result<Ledger, Error> {
        let registry = Registry::read(&settings.notebooks.join("claims.toml"));
        // The name first: it is what the cell says.
        let mut ledger = Ledger::build(notebook, settings, Registry::empty())?;
        ledger.registry = registry?;
        let (name, registry) = (&ledger.notebook, &ledger.registry);
        let file = ledger.settings.notebooks.join(format!("{name}.ipynb"));
        if registry.of_notebook(name).is_empty() && !file.exists() {
            let notebooks = registry.notebooks();
            let near = question(&nearest(name, notebooks.keys().map(String::as_str), 3));
            return Err(Error::NoNotebook {
                name: name.clone(),
                registry: registry.path().to_path_buf(),
                suggestion: if near.is_empty() { ".".to_string() } else { near },
            });
        }
        Ok(ledger)
    }

    /// The same with a registry that was read before: a program that opens many ledgers reads it, and the sources of the checks, once.
    ///
    /// # Errors
    /// [`Error::NotebookName`].
    pub fn with_registry(notebook: &str, settings: Settings, registry: Registry) -> Result<Ledger, Error> {
        Ledger::build(notebook, settings, registry)
    }

    fn build(notebook: &str, settings: Settings, registry: Registry) -> Result<Ledger, Error> {
        let name = notebook.strip_suffix(".ipynb").unwrap_or(notebook);
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || "/\\".contains(c)) {
            return Err(Error::NotebookName { name: notebook.to_string() });
        }
        Ok(Ledger {
            notebook: name.to_string(),
            store: Store::new(&settings.results),
            streams: Streams::new(settings.seed),
            settings,
            registry,
            sweeps: None,
            state: Mutex::new(State { since: Instant::now(), recorded: HashMap::new() }),
        })
    }

    /// Opens a ledger for claims of one's own, in any notebook and any folder: [`Ledger::claim`] states and records them. They are
    /// shown and kept (in `scratch` in the results folder, and by a run), and never enter the record.
    ///
    /// ```no_run
    /// use workbench_ground::stats::{mean, normal_array2};
    /// use workbench_ledger::{Finding, Ledger};
    /// let ledger = Ledger::scratch("tails")?;
    /// let draws = normal_array2(&mut ledger.streams().stream("draws")?, 1, 10_000);
    /// let square = mean(&draws.iter().map(|x| x * x).collect::<Vec<_>>())?;
    /// ledger.claim("variance", "The variance is one.", Finding::near("mean square", 1.0, 0.0, square))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotebookName`], [`Error::Setting`].
    pub fn scratch(name: &str) -> Result<Ledger, Error> {
        Ledger::scratch_with(name, Settings::anywhere()?)
    }

    /// As [`Ledger::scratch`], with stated settings.
    ///
    /// # Errors
    /// [`Error::NotebookName`].
    pub fn scratch_with(name: &str, settings: Settings) -> Result<Ledger, Error> {
        Ledger::build(name, settings, Registry::empty())
    }

    /// The same with results of sweeps, which its checks may take in place of computing.
    #[must_use]
    pub fn with_sweeps(self, sweeps: Arc<dyn Sweeps>) -> Ledger {
        Ledger { sweeps: Some(sweeps), ..self }
    }

    /// Where a check of this session runs.
    pub(crate) fn setting(&self) -> Setting {
        let setting = Setting::new(self.scale(), self.seed());
        match &self.sweeps {
            None => setting,
            Some(sweeps) => setting.with_sweeps(Arc::clone(sweeps)),
        }
    }

    /// The notebook's name.
    pub fn notebook(&self) -> String {
        self.notebook.clone()
    }

    /// How much this run computes.
    pub fn scale(&self) -> Scale {
        self.settings.scale
    }

    /// The seed of this run.
    pub fn seed(&self) -> u64 {
        self.settings.seed
    }

    /// The random streams of this session, from the seed of this run. All calls share one record of the
    /// names taken, so a name used twice is an error wherever it happens.
    pub fn streams(&self) -> Streams {
        self.streams.clone()
    }

    /// The settings in force.
    pub fn settings(&self) -> Settings {
        self.settings.clone()
    }

    /// The registry in force.
    pub fn registry(&self) -> Registry {
        self.registry.clone()
    }

    /// Derives the verdict on a claim from evidence and writes its row.
    ///
    /// What was recorded for the same claim, scale and seed is replaced. Within a session a claim belongs to the first
    /// cell that records it; running that cell again replaces the row. (Where the kernel does not name
    /// cells, as stock evcxr, this cannot be seen; the audit finds it in the notebook.)
    ///
    /// # Errors
    /// [`Error::Record`] for a claim that the registry does not have, [`Error::WrongNotebook`], [`Error::RecordedTwice`],
    /// [`Error::StopRequested`], [`Error::RefusedEvidence`], or [`Error::NotWritten`], which carries the card and the path of a
    /// copy, so that nothing computed is lost.
    pub fn record(&self, id: &str, evidence: impl Into<Evidence>) -> Result<VerdictCard, Error> {
        self.record_evidence(id, &evidence.into())
    }

    pub(crate) fn record_evidence(&self, id: &str, evidence: &Evidence) -> Result<VerdictCard, Error> {
        let claim = self.claim_here(id)?;
        self.decide_and_write(claim, evidence, &self.store)
    }

    pub(crate) fn decide_and_write(
        &self,
        claim: &Claim,
        evidence: &Evidence,
        store: &Store,
    ) -> Result<VerdictCard, Error> {
        not_stopped(&claim.id)?;
        self.sees(&claim.id, evidence)?;
        let mut state = self.state();
        let cell = self.settings.cell()?;
        let blank = self.blank_row(claim, cell.as_ref(), &state);
        let entry = refused(&claim.id, decide(blank, evidence))?;
        let committed = self.committed(&entry.row);
        let card = refused(&claim.id, VerdictCard::new(entry, claim, Some(evidence), committed))?;
        self.write(&mut state, cell, card, store)
    }

    /// Writes down that a claim is not tested, and why.
    ///
    /// # Errors
    /// As [`Ledger::record`]; an empty reason is refused.
    pub fn not_tested(&self, id: &str, reason: &str) -> Result<VerdictCard, Error> {
        let claim = self.claim_here(id)?;
        not_stopped(id)?;
        if reason.trim().is_empty() {
            return refused(
                id,
                Err(Error::BadFinding {
                    label: "not tested".to_string(),
                    problem: "the reason is empty; say what is missing".to_string(),
                }),
            );
        }
        let mut state = self.state();
        let cell = self.settings.cell()?;
        let mut row = self.blank_row(claim, cell.as_ref(), &state);
        row.note = one_line(reason);
        let committed = self.committed(&row);
        let entry = Entry { row, findings: Vec::new(), notes: Vec::new() };
        let card = VerdictCard::new(entry, claim, None, committed)?;
        self.write(&mut state, cell, card, &self.store)
    }

    /// Derives the verdict as [`Ledger::record`] does, of a claim of any notebook, and writes nothing.
    ///
    /// # Errors
    /// [`Error::Record`] for a claim that the registry does not have, or [`Error::RefusedEvidence`].
    pub fn preview(&self, id: &str, evidence: impl Into<Evidence>) -> Result<VerdictCard, Error> {
        self.preview_evidence(id, &evidence.into())
    }

    pub(crate) fn preview_evidence(&self, id: &str, evidence: &Evidence) -> Result<VerdictCard, Error> {
        self.decide_and_show(self.registry.get(id)?, evidence)
    }

    /// A claim that another one refers to is there, and is another one.
    fn sees(&self, claim: &str, evidence: &Evidence) -> Result<(), Error> {
        match evidence.see.as_str() {
            "" => Ok(()),
            see if see == claim => refused(
                claim,
                Err(Error::BadFinding {
                    label: format!("see {see}"),
                    problem: "a fault that stands in its own row is charged there; say s.misprint(..) or its like"
                        .to_string(),
                }),
            ),
            see => self.registry.get(see).map(|_| ()).map_err(Error::from),
        }
    }

    pub(crate) fn decide_and_show(&self, claim: &Claim, evidence: &Evidence) -> Result<VerdictCard, Error> {
        let cell = self.settings.cell()?;
        let blank = self.blank_row(claim, cell.as_ref(), &self.state());
        let entry = refused(&claim.id, decide(blank, evidence))?;
        let committed = self.committed(&entry.row);
        refused(&claim.id, VerdictCard::new(entry, claim, Some(evidence), committed)).map(VerdictCard::into_preview)
    }

    /// This notebook's rows at this scale, and its claims that are still open.
    ///
    /// # Errors
    /// What [`Store::read`] returns.
    pub fn summary(&self) -> Result<Summary, Error> {
        let rows = self.store.read()?;
        let Settings { scale, seed, .. } = self.settings;
        Ok(Summary::new(&self.notebook, scale, seed, rows, &self.registry))
    }

    /// What this session and those before it in the same results folder recorded: verdicts, findings, notes and runs as polars
    /// frames.
    ///
    /// # Errors
    /// What [`Tables::read`] returns, or [`Error::Table`].
    pub fn frames(&self) -> Result<Frames, Error> {
        Frames::new(&Tables::read(self.store.folder())?)
    }

    /// The committed record of all notebooks as polars frames, for queries in a cell.
    ///
    /// # Errors
    /// As for [`Ledger::frames`].
    pub fn record_frames(&self) -> Result<Frames, Error> {
        Frames::new(&Tables::read(&self.settings.record())?)
    }

    /// Writes what [`Ledger::frames`] gives, and the table of claims for readers, into `folder`; returns the paths.
    ///
    /// # Errors
    /// What [`super::export`](fn@super::export) returns.
    pub fn export(&self, folder: &str) -> Result<Vec<String>, Error> {
        let tables = Tables::read(self.store.folder())?;
        let paths = super::export::export(&tables, &self.registry, std::path::Path::new(folder))?;
        Ok(paths.iter().map(|p| p.display().to_string()).collect())
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        // The state stays whole if a cell panics: nothing is changed in steps.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn claim_here(&self, id: &str) -> Result<&Claim, Error> {
        let claim = self.registry.get(id)?;
        if claim.notebook != self.notebook {
            return Err(Error::WrongNotebook {
                claim: id.to_string(),
                right: claim.notebook.clone(),
                here: self.notebook.clone(),
            });
        }
        Ok(claim)
    }

    pub(crate) fn blank_row(&self, claim: &Claim, cell: Option<&Cell>, state: &State) -> Row {
        let seconds = match cell {
            Some(cell) => cell.seconds(),
            None => state.since.elapsed().as_secs_f64(),
        };
        let own = claim.kind == "own";
        Row {
            seconds: (seconds * 1000.0).round() / 1000.0,
            notebook: self.notebook.clone(),
            cell: cell.map_or(String::new(), |c| c.cell_id.clone()),
            note: if own { claim.says.clone() } else { String::new() },
            run: self.settings.run.clone().unwrap_or_default(),
            statement: digest::of_claim(claim),
            ..Row::blank(&claim.id, self.settings.scale, self.settings.seed)
        }
    }

    pub(crate) fn committed(&self, row: &Row) -> Committed {
        // What is accepted becomes the committed verdict: a comparison with the one before would be false as soon as it is kept.
        if run_does("accept") {
            return Committed::None;
        }
        match Baseline::read(&self.settings.record()) {
            Err(problem) => Committed::Unreadable(problem.to_string()),
            Ok(baseline) => match baseline.get(&row.claim, row.scale) {
                None => Committed::None,
                Some(verdict) if verdict == row.verdict => Committed::Same,
                Some(verdict) => Committed::Differs(verdict),
            },
        }
    }

    fn write(
        &self,
        state: &mut State,
        cell: Option<Cell>,
        card: VerdictCard,
        store: &Store,
    ) -> Result<VerdictCard, Error> {
        let row = card.row();
        if let (Some(now), Some(before)) = (&cell, state.recorded.get(&row.claim))
            && (now.cell_id != before.cell_id || now.execution_count == before.execution_count)
        {
            let name = |c: &Cell| format!("`{}` (run {})", c.cell_id, c.execution_count);
            return Err(Error::RecordedTwice { claim: row.claim.clone(), first: name(before), second: name(now) });
        }
        // A cell that failed to write may be run again, so the claim is taken only afterwards.
        if let Err(cause) = store.put(card.entry().clone(), Some(&self.registry)) {
            return Err(Error::NotWritten {
                path: store.path(),
                cause: Box::new(cause),
                fallback: save_fallback(card.entry().clone()),
                card: Box::new(card),
            });
        }
        if let Some(cell) = cell {
            state.recorded.insert(row.claim.clone(), cell);
        }
        state.since = Instant::now();
        tell_difference(&card);
        Ok(card)
    }
}

/// Whether the runner said that it does this with verdicts: `collect` where it compares all of them at its end, `accept` where they
/// become the committed ones.
fn run_does(what: &str) -> bool {
    std::env::var("WORKBENCH_VERDICTS").is_ok_and(|how| how == what)
}

/// In a live session a verdict that is not the committed one makes the cell's reply an error, so that nobody misses it; the
/// cell runs to its end and keeps its variables.
fn tell_difference(card: &VerdictCard) {
    let Committed::Differs(expected) = card.committed() else {
        return;
    };
    if run_does("collect") {
        return;
    }
    let row = card.row();
    let message = format!(
        "{}: the verdict is `{}`, the committed one is `{}`. The row is in the ledger and all variables are kept. Undo your change \
         to the cell, or accept the new verdict with `{} run --notebook {} --accept`.",
        row.claim,
        row.verdict.text(),
        expected.text(),
        program(),
        row.notebook
    );
    let fields = [("name", "UnexpectedVerdict".into()), ("message", message.into())];
    workbench_ground::channel::signal("error", &fields);
}

/// Loops that were stopped leave numbers behind that look like results.
fn not_stopped(id: &str) -> Result<(), Error> {
    if workbench_ground::work::stop_requested() {
        return Err(Error::StopRequested { id: id.to_string() });
    }
    Ok(())
}

pub(crate) fn refused<T>(claim: &str, result: Result<T, Error>) -> Result<T, Error> {
    result.map_err(|cause| Error::RefusedEvidence { claim: claim.to_string(), cause: Box::new(cause) })
}
