//! Recorder of what cells of a run wrote, taken from the folders of its notebooks into the tables of the run and into the record.
//!
//! A row counts if it carries the identity of this run, lies in the folder of the attempt under way, and names a cell of the
//! notebook that was run. Nothing is inferred from times or from tables changing.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use workbench_record::{Entry, Held, Line, Lock, Registry, Row, Run, Stamp, Tables};

use super::judge::{Fault, Problem};
use workbench_base::error::Result;
use workbench_base::notebook::Notebook;
use workbench_base::text::count;

/// How long rows may wait before they are put into the record; writing its tables takes a while.
const RECORD_EVERY: Duration = Duration::from_secs(15);

/// Takes what cells recorded.
pub struct Recorder {
    run: Run,
    begun: Instant,
    before: f64,
    registry: Registry,
    own: Held,
    /// The record; none for runs with knobs turned.
    record: Option<Held>,
    waiting: Vec<Entry>,
    recorded: Instant,
    seen: HashMap<String, Stamp>,
    last: HashMap<String, String>,
    problems: Vec<Problem>,
}

impl Recorder {
    /// Begins with the locks of the run's own tables and of the record's. What a run that was cut off had computed and could not
    /// put into the record any more goes there now.
    pub fn new(run: Run, registry: Registry, own: Lock, record: Option<Arc<Lock>>) -> Result<Recorder> {
        let (mut own, record) = (Held::new(Arc::new(own)), record.map(Held::new));
        let mut waiting = Vec::new();
        if record.is_some() {
            waiting = own.tables()?.entries();
        }
        let mut recorder = Recorder {
            before: run.seconds,
            run,
            begun: Instant::now(),
            registry,
            own,
            record,
            waiting,
            recorded: Instant::now(),
            seen: HashMap::new(),
            last: HashMap::new(),
            problems: Vec::new(),
        };
        recorder.flush(true)?;
        Ok(recorder)
    }

    /// The claim that a notebook recorded last.
    pub fn last_claim(&self, notebook: &str) -> Option<&str> {
        self.last.get(notebook).map(String::as_str)
    }

    /// What did not belong here.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The run, with the time it has taken so far.
    pub fn run(&self) -> Run {
        Run {
            seconds: ((self.before + self.begun.elapsed().as_secs_f64()) * 1000.0).round() / 1000.0,
            ..self.run.clone()
        }
    }

    /// Takes what the cells of `notebook` have recorded in `attempt` since the last look.
    pub fn take(&mut self, notebook: &Notebook, attempt: &Path) -> Result<()> {
        let name = notebook.name();
        let Some(stamp) = Stamp::of(&attempt.join(Row::FILE)) else {
            return Ok(());
        };
        if self.seen.get(&name) == Some(&stamp) {
            return Ok(());
        }
        let tables = Tables::read(attempt)?;
        let codes: HashMap<String, String> = notebook.digests().into_iter().collect();
        let mut entries = Vec::new();
        for mut entry in tables.entries() {
            let row = &mut entry.row;
            match self.fault(row, &name, &codes) {
                Some(message) => {
                    let problem = Problem {
                        fault: Fault::Verdict,
                        notebook: name.clone(),
                        cell: row.cell.clone(),
                        message: format!("{}: {message}", row.claim),
                    };
                    if !self.problems.contains(&problem) {
                        self.problems.push(problem);
                    }
                }
                None => {
                    row.code = match self.registry.checks().of(&row.claim) {
                        Some(check) => check.digest.clone(),
                        None => codes[&row.cell].clone(),
                    };
                    self.last.insert(name.clone(), row.claim.clone());
                    entries.push(entry);
                }
            }
        }
        let run = self.run();
        self.own.merge(entries.clone(), Some(&run), Some(&self.registry))?;
        self.seen.insert(name, stamp);
        if self.record.is_some() {
            self.waiting.extend(entries);
        }
        self.flush(false)
    }

    /// Puts what waits into the record: now if `at_once`, else when it has waited long enough.
    pub fn flush(&mut self, at_once: bool) -> Result<()> {
        let run = self.run();
        let Some(record) = &mut self.record else {
            return Ok(());
        };
        if self.waiting.is_empty() || !at_once && self.recorded.elapsed() < RECORD_EVERY {
            return Ok(());
        }
        // The same claim may wait twice, from two looks at one notebook: the later one stands.
        let mut latest: HashMap<_, Entry> = HashMap::new();
        for entry in &self.waiting {
            latest.insert(entry.row.key(), entry.clone());
        }
        record.merge(latest.into_values().collect(), Some(&run), Some(&self.registry))?;
        self.waiting.clear();
        self.recorded = Instant::now();
        Ok(())
    }

    /// Takes out of the record what it says of claims that the registry does not have; gives what to say of it.
    pub fn forget_unknown(&mut self) -> Result<Vec<String>> {
        let Some(record) = &mut self.record else { return Ok(Vec::new()) };
        let gone = record.forget_unknown(&self.registry)?;
        let told = |(claim, rows): (String, usize)| {
            format!("claims.toml does not have {claim}: its {} went out of the record", count(rows, "row"))
        };
        Ok(gone.into_iter().map(told).collect())
    }

    /// Why a row is none of this run's.
    fn fault(&self, row: &Row, notebook: &str, codes: &HashMap<String, String>) -> Option<String> {
        let Run { run, scale, seed, .. } = &self.run;
        if row.run != *run || row.scale != *scale || row.seed != *seed {
            return Some(format!(
                "recorded for run {:?}, scale {}, seed {}, and this is run {run:?}, scale {scale}, seed {seed}; does a cell \
                 change WORKBENCH_ variables or the ledger's settings?",
                row.run, row.scale, row.seed
            ));
        }
        if row.notebook != notebook {
            return Some(format!("recorded in the name of notebook {:?}", row.notebook));
        }
        if !codes.contains_key(&row.cell) {
            return Some(format!("recorded by cell {:?}, which the notebook does not have", row.cell));
        }
        None
    }
}
