//! The folder of one run: what it set out to do, how far it is, what it has computed.
//!
//! ```text
//! results/runs/ID/run.json            the plan and the state of every notebook
//! results/runs/ID/ledger.csv, ...     the tables of this run alone
//! results/runs/ID/NAME/1/             first attempt at a notebook: its outputs, its tables, the kernel's log
//! ```
//! Only the run itself writes here, and only it is judged by what stands here. An attempt that was cut off is never written again:
//! a process that outlived its runner cannot reach the next one.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use workbench_record::{Run, Scale, atomic};

use workbench_base::error::{Error, Result};
use workbench_base::notebook::Notebook;
use workbench_base::progress;

/// Complete runs of each scale whose folders are kept; older ones are taken away by the next run of that scale, which says so.
const KEPT: usize = 8;
/// Runs of each scale that were cut off whose folders are kept, for `--resume`.
const KEPT_CUT: usize = 4;

/// How far a notebook is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Not started, or cut off.
    Open,
    /// All of it that was asked for has run.
    Done,
    /// A cell failed.
    Failed,
}

/// One notebook of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Name of the notebook.
    pub notebook: String,
    /// Its file.
    pub path: PathBuf,
    /// How many of its code cells are run, from the first.
    pub cells: usize,
    /// Digest of these cells.
    pub code: String,
    /// How far it is.
    pub state: State,
    /// How often it was started.
    pub attempts: u32,
}

/// The plan of a run and its state, as `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The run.
    pub run: Run,
    /// Patterns of the claims that were asked for; all if empty.
    pub claims: Vec<String>,
    /// Values of knobs other than the notebooks' own. Such a run never enters the record.
    pub knobs: Vec<(String, String)>,
    /// The notebooks.
    pub parts: Vec<Part>,
    /// Seeds that the same command has to run after this one.
    pub seeds_left: Vec<u64>,
    /// Whether it came to its end.
    pub complete: bool,
}

/// The folder of a run.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// The plan and the state.
    pub plan: Plan,
}

impl RunFolder {
    /// Makes the folder of a new run, and takes away those of runs of its scale that are long past.
    pub fn create(results: &Path, plan: Plan) -> Result<RunFolder> {
        let runs = results.join("runs");
        for taken in prune(&runs, plan.run.scale) {
            progress::note(&taken);
        }
        let folder = RunFolder { path: runs.join(&plan.run.run), plan };
        folder.save()?;
        Ok(folder)
    }

    /// Opens a run again: the one of this identity (its beginning is enough), or the latest that was cut off.
    ///
    /// **Errors**: [`Error::Option`] where there is none, or where the beginning fits several.
    pub fn reopen(results: &Path, wanted: Option<&str>) -> Result<RunFolder> {
        let runs = results.join("runs");
        let wrong =
            |why: String| Error::Option { option: "--resume", value: wanted.unwrap_or_default().to_string(), why };
        let all = all(&runs);
        let mut fitting: Vec<RunFolder> = match wanted {
            Some(id) => all.into_iter().filter(|run| run.plan.run.run.starts_with(id)).collect(),
            None => all.into_iter().filter(|run| !run.plan.complete).collect(),
        };
        if let (Some(_), 2..) = (wanted, fitting.len()) {
            let names: Vec<&str> = fitting.iter().map(|run| run.plan.run.run.as_str()).collect();
            return Err(wrong(format!("several runs begin so: {}", names.join(", "))));
        }
        match fitting.pop() {
            Some(run) if run.plan.complete => Err(wrong("that run came to its end; start a new one".into())),
            Some(run) => Ok(run),
            None => Err(wrong(match wanted {
                None => format!("no run that was cut off is in {}", runs.display()),
                Some(_) => format!(
                    "no run in {} begins so: there was none, or it was taken away, since of each scale the last {KEPT} complete runs and \
                     the last {KEPT_CUT} that were cut off are kept; {}",
                    runs.display(),
                    cut_off(&runs)
                ),
            })),
        }
    }

    /// Where the run's tables are.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of the present attempt at a notebook.
    pub fn attempt(&self, part: usize) -> PathBuf {
        let part = &self.plan.parts[part];
        self.path.join(&part.notebook).join(part.attempts.to_string())
    }

    /// Writes the plan and the state.
    pub fn save(&self) -> Result<()> {
        let path = self.path.join("run.json");
        // A plan has only text keys and finite numbers.
        let text = serde_json::to_string_pretty(&self.plan).unwrap_or_default();
        atomic::write(&path, text.as_bytes()).map_err(|source| Error::io("write", &path, source))
    }
}

/// The digest of the first `cells` code cells of a notebook.
pub fn code_of(notebook: &Notebook, cells: usize) -> String {
    let sources = notebook.cells().iter().take(cells).map(|cell| cell.source.as_str());
    workbench_record::digest::of_cells(sources)
}

/// The readable runs in a folder, oldest first.
fn all(runs: &Path) -> Vec<RunFolder> {
    let mut found: Vec<RunFolder> = std::fs::read_dir(runs)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let path = entry.path();
            let text = std::fs::read_to_string(path.join("run.json")).ok()?;
            let plan = serde_json::from_str(&text).ok()?;
            Some(RunFolder { path, plan })
        })
        .collect();
    found.sort_by(|a, b| a.plan.run.run.cmp(&b.plan.run.run));
    found
}

/// The runs that can be resumed, in words.
fn cut_off(runs: &Path) -> String {
    let all = all(runs);
    let cut: Vec<&str> = all.iter().filter(|run| !run.plan.complete).map(|run| run.plan.run.run.as_str()).collect();
    match cut.is_empty() {
        true => "none was cut off".to_string(),
        false => format!("cut off were {}", cut.join(", ")),
    }
}

/// Takes away the folders of all but the latest runs of a scale, and says which and why. What cannot be taken away stays: it is only
/// disk space.
fn prune(runs: &Path, scale: Scale) -> Vec<String> {
    let of_scale = all(runs).into_iter().filter(|run| run.plan.run.scale == scale);
    let (complete, cut): (Vec<RunFolder>, Vec<RunFolder>) = of_scale.partition(|run| run.plan.complete);
    let mut said = Vec::new();
    for (old, kept, kind) in [(complete, KEPT, "complete runs"), (cut, KEPT_CUT, "runs that were cut off")] {
        let past = old.len().saturating_sub(kept);
        let (past, _) = old.split_at(past);
        let taken: Vec<&str> = past
            .iter()
            .filter(|run| std::fs::remove_dir_all(&run.path).is_ok())
            .map(|run| run.plan.run.run.as_str())
            .collect();
        if !taken.is_empty() {
            said.push(format!(
                "took away the folder of {}: of {kind} at scale {scale} the last {kept} are kept",
                taken.join(", ")
            ));
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(id: &str, complete: bool) -> Plan {
        let mut run = crate::facts::describe(Path::new("."), &[], Scale::Quick, 1).unwrap();
        run.run = id.to_string();
        // Two plans that are compared may be made on both sides of a second.
        run.start = "2026-01-01T00:00:00Z".into();
        Plan {
            run,
            claims: Vec::new(),
            knobs: vec![("n".into(), "3".into())],
            parts: vec![Part {
                notebook: "tour".into(),
                path: "tour.ipynb".into(),
                cells: 2,
                code: "c".into(),
                state: State::Open,
                attempts: 1,
            }],
            seeds_left: vec![2],
            complete,
        }
    }

    #[test]
    fn a_run_that_was_cut_off_is_found_again() {
        let results = tempfile::tempdir().unwrap();
        for (id, complete) in [("20260101-a", false), ("20260102-b", false), ("20260103-c", true)] {
            RunFolder::create(results.path(), plan(id, complete)).unwrap();
        }
        let reopened = RunFolder::reopen(results.path(), None).unwrap();
        assert_eq!(reopened.plan, plan("20260102-b", false));
        assert!(reopened.attempt(0).ends_with("20260102-b/tour/1"));
        let told = |wanted: &str| RunFolder::reopen(results.path(), Some(wanted)).unwrap_err().to_string();
        assert!(RunFolder::reopen(results.path(), Some("20260101")).is_ok());
        assert!(told("2026").contains("several runs begin so"), "{}", told("2026"));
        assert!(told("20260103").contains("came to its end"));
        let none = told("x");
        assert!(none.contains("there was none, or it was taken away"), "{none}");
        assert!(none.ends_with("cut off were 20260101-a, 20260102-b"), "{none}");
        let empty = tempfile::tempdir().unwrap();
        let told = |wanted| RunFolder::reopen(empty.path(), wanted).unwrap_err().to_string();
        assert!(told(None).contains("no run that was cut off"));
        assert!(told(Some("x")).ends_with("none was cut off"));
    }

    #[test]
    fn only_the_latest_runs_are_kept() {
        let results = tempfile::tempdir().unwrap();
        for number in 10..30 {
            RunFolder::create(results.path(), plan(&format!("r{number}"), number % 2 == 0)).unwrap();
        }
        let left = all(&results.path().join("runs"));
        let complete = left.iter().filter(|run| run.plan.complete).count();
        // The last one was made after the others were pruned.
        assert_eq!((complete, left.len() - complete), (KEPT, KEPT_CUT + 1));
        assert_eq!(left.last().map(|run| run.plan.run.run.as_str()), Some("r29"));
    }

    #[test]
    fn a_run_of_another_scale_takes_nothing_away_and_what_is_taken_is_named() {
        let results = tempfile::tempdir().unwrap();
        let runs = results.path().join("runs");
        let mut paper = plan("r10", false);
        paper.run.scale = Scale::Paper;
        RunFolder::create(results.path(), paper).unwrap();
        for number in 20..40 {
            RunFolder::create(results.path(), plan(&format!("r{number}"), false)).unwrap();
        }
        let kept = RunFolder::reopen(results.path(), Some("r10")).unwrap();
        assert_eq!(kept.plan.run.scale, Scale::Paper);
        assert_eq!(prune(&runs, Scale::Paper), [""; 0]);
        assert_eq!(
            prune(&runs, Scale::Quick),
            ["took away the folder of r35: of runs that were cut off at scale quick the last 4 are kept"]
        );
        assert!(!runs.join("r35").exists() && runs.join("r36").exists());
    }
}
