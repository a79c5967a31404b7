//! Runs notebooks headless: kernel, outputs, verdicts, exit status. No Python is involved.
//!
//! Every run has an identity and a folder of its own ([`folder`]); a verdict counts for a run only if a cell of that run recorded
//! it there ([`recorder`]). One run at a time writes the tables of a results folder.
//!
//! | file | idea |
//! | --- | --- |
//! | `args`, `choose`, `knobs` | what is run |
//! | `facts`, `folder` | which run it is, and how far |
//! | `order`, `drive`, `session`, `outputs` | cells through kernels (by [`workbench_client`]), outputs into files |
//! | `recorder`, `claims`, `judge` | what was recorded, what had to be, whether it is right |
//! | `outcome`, `report` | what a run gave, and how it is told |
//!
//! A verdict is written by the cell that computes it, into the folder that the run has named to its kernel. After each cell `recorder` reads
//! what is new there, keeps what is of this run and of a claim that the notebook may record, and writes it into the tables of the results
//! folder; `judge` compares it with the committed one, and the worst of all is the exit status.

#![warn(missing_docs)]

pub mod args;
pub mod choose;
pub mod claims;
pub mod display;
pub mod drive;
pub mod facts;
pub mod folder;
pub mod judge;
pub mod knobs;
mod order;
pub mod outcome;
pub mod outputs;
pub mod recorder;
pub mod report;
pub mod session;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use workbench_record::{Baseline, Lock, Tables, atomic, table};

use args::RunArgs;
use choose::{Chosen, Wish};
use claims::{accept, due, registry, scratch};
use drive::{Job, Shared};
use folder::{Part, Plan, RunFolder, State, code_of};
use judge::{Demands, Fault, Problem};
use outcome::{NotebookTime, Outcome};
use recorder::Recorder;
use workbench_base::error::{Error, Result};
use workbench_base::notebook::Notebook;
use workbench_base::progress;
use workbench_base::text::{agree, count};
use workbench_setup::Ready;
use workbench_setup::paths::Workspace;

/// How long `--wait` waits for another run.
const A_DAY: Duration = Duration::from_secs(86_400);

/// `cargo workbench run`: returns the exit status.
pub fn command(args: &RunArgs) -> Result<i32> {
    let workspace = Workspace::find()?;
    look_at(args, &workspace)?;
    let ready = if args.kernel_argv.is_some() {
        Ready { workspace, environment: Vec::new() }
    } else {
        let paths = args.notebook.iter().map(PathBuf::from).filter(|path| path.is_file());
        workbench_setup::for_notebooks_and(&paths.collect::<Vec<_>>())?
    };
    let outcomes = run(args, &ready)?;
    let status = report::tell(args, &ready, &results_folder(args, &ready.workspace)?, &outcomes)?;
    Ok(status)
}

/// Whether the options can be carried out, and whether what is run can be read: before anything is built.
///
/// **Errors**: [`Error::Option`], a name or pattern that fits nothing, a registry, notebook or table that cannot be read, and a place for
/// the report that cannot be written.
fn look_at(args: &RunArgs, workspace: &Workspace) -> Result<()> {
    let knobs = knobs::parse_all(&args.param)?;
    args.seeds.as_deref().map(choose::seeds).transpose()?;
    let results = results_folder(args, workspace)?;
    Baseline::read(&workspace.results())?;
    Tables::read(&results)?;
    match &args.resume {
        Some(wanted) => drop(RunFolder::reopen(&results, wanted.as_deref())?),
        None => {
            let wish = Wish { notebooks: &args.notebook, claims: &args.claim };
            let chosen = choose::choose(&workspace.notebooks(), &registry(workspace)?, wish)?;
            if !knobs.is_empty() {
                let mut notebooks: Vec<Notebook> = chosen.into_iter().map(|one| one.notebook).collect();
                knobs::turn(&mut notebooks, &knobs)?;
            }
        }
    }
    match &args.junit {
        None => Ok(()),
        Some(file) => report::has_place(file),
    }
}

/// Runs what `args` names, once for each seed.
pub fn run(args: &RunArgs, ready: &Ready) -> Result<Vec<Outcome>> {
    let results = results_folder(args, &ready.workspace)?;
    let holder = format!("`workbench run` since {}", chrono::Local::now().format("%H:%M:%S"));
    let patience = if args.wait { A_DAY } else { Duration::ZERO };
    let lock = Arc::new(Lock::take(&results, &holder, patience)?);
    // Only a run writes here, and this is the one: what lies here half-written is of runs that were killed.
    for folder in [&results, &ready.workspace.notebooks()] {
        atomic::sweep(folder);
    }
    let mut seeds = match &args.seeds {
        Some(seeds) => choose::seeds(seeds)?,
        None => vec![args.seed],
    };
    // A table that is damaged is told before anything is computed, not when the rows are there and have no place.
    let committed = Baseline::read(&ready.workspace.results())?;
    Tables::read(&results)?;
    let mut outcomes = Vec::new();
    let mut reopened = None;
    if let Some(wanted) = &args.resume {
        let folder = RunFolder::reopen(&results, wanted.as_deref())?;
        seeds = [vec![folder.plan.run.seed], folder.plan.seeds_left.clone()].concat();
        reopened = Some(folder);
    }
    while !seeds.is_empty() {
        let seed = seeds.remove(0);
        let begun = Instant::now();
        // The other seeds are compared with what the first one commits, and do not take its place.
        let args = &RunArgs { accept: args.accept && outcomes.is_empty(), ..args.clone() };
        let (folder, jobs) = match reopened.take() {
            Some(folder) => again(folder, ready)?,
            None => match begin(args, ready, &results, seed, &seeds)? {
                Some(begun) => begun,
                None => continue,
            },
        };
        let outcome = once(args, ready, folder, jobs, &lock, begun)?;
        let cancelled = outcome.cancelled;
        outcomes.push(outcome);
        if cancelled {
            break;
        }
    }
    if args.accept {
        claims::take_back(&committed, &ready.workspace, &mut outcomes)?;
    }
    Ok(outcomes)
}

/// Plans a new run; nothing if `--changed` leaves nothing to do.
fn begin(
    args: &RunArgs,
    ready: &Ready,
    results: &Path,
    seed: u64,
    seeds_left: &[u64],
) -> Result<Option<(RunFolder, Vec<Job>)>> {
    let workspace = &ready.workspace;
    let registry = registry(workspace)?;
    let wish = Wish { notebooks: &args.notebook, claims: &args.claim };
    let mut chosen = choose::choose(&workspace.notebooks(), &registry, wish)?;
    let run = facts::describe(workspace.root(), &ready.environment, choose::scale(args.scale), seed)?;
    if args.changed {
        chosen = choose::only_changed(chosen, &Tables::read(results)?, &registry, &run);
        if chosen.is_empty() {
            progress::step(&format!(
                "nothing has changed since the verdicts at scale {}, seed {seed} were recorded",
                run.scale
            ));
            return Ok(None);
        }
        for one in &chosen {
            progress::note(&format!("{}: {}", one.notebook.name(), one.why.as_deref().unwrap_or_default()));
        }
    }
    let knobs = knobs::parse_all(&args.param)?;
    let parts = chosen.iter().map(part).collect();
    let mut notebooks: Vec<Notebook> = chosen.into_iter().map(|one| one.notebook).collect();
    if !knobs.is_empty() {
        knobs::turn(&mut notebooks, &knobs)?;
    }
    let plan = Plan { run, claims: args.claim.clone(), knobs, parts, seeds_left: seeds_left.to_vec(), complete: false };
    let folder = RunFolder::create(results, plan)?;
    let jobs = notebooks.into_iter().enumerate().map(|(part, notebook)| Job { part, notebook }).collect();
    Ok(Some((folder, jobs)))
}

fn part(chosen: &Chosen) -> Part {
    Part {
        notebook: chosen.notebook.name(),
        path: chosen.notebook.path().to_path_buf(),
        cells: chosen.cells,
        code: code_of(&chosen.notebook, chosen.cells),
        state: State::Open,
        attempts: 0,
    }
}

/// Goes on with a run that was cut off: notebooks that were done stay done, the others run from their first cell.
///
/// **Errors**: [`Error::Option`] if sources, packages or a notebook changed since: the numbers would not be those of one run.
fn again(mut folder: RunFolder, ready: &Ready) -> Result<(RunFolder, Vec<Job>)> {
    let plan = &folder.plan;
    let now = facts::describe(ready.workspace.root(), &ready.environment, plan.run.scale, plan.run.seed)?;
    let changed = |what: &str| Error::Option {
        option: "--resume",
        value: plan.run.run.clone(),
        why: format!("{what} changed since it began, so its numbers would not be those of one source; start a new run"),
    };
    for (what, then, now) in [
        ("the crate's code", &plan.run.source, &now.source),
        ("Cargo.lock", &plan.run.lock, &now.lock),
        ("the compiler", &plan.run.compiler, &now.compiler),
    ] {
        if then != now {
            return Err(changed(what));
        }
    }
    let mut notebooks = Vec::new();
    for part in &plan.parts {
        let notebook = Notebook::read_ours(&part.path)?;
        if code_of(&notebook, part.cells) != part.code {
            return Err(changed(&format!("notebook {}", part.notebook)));
        }
        notebooks.push(notebook);
    }
    if !plan.knobs.is_empty() {
        knobs::turn(&mut notebooks, &plan.knobs)?;
    }
    // What it has recorded so far is read at its end, too.
    Tables::read(folder.path())?;
    let jobs: Vec<Job> = notebooks
        .into_iter()
        .enumerate()
        .map(|(part, notebook)| Job { part, notebook })
        .filter(|job| plan.parts[job.part].state != State::Done)
        .collect();
    let done = plan.parts.len() - jobs.len();
    let all = count(plan.parts.len(), "notebook");
    progress::step(&format!("resuming run {}: {done} of {all} {} done", plan.run.run, agree(done, "is", "are")));
    for part in &mut folder.plan.parts {
        if part.state == State::Failed {
            part.state = State::Open;
        }
    }
    Ok((folder, jobs))
}

/// One run, from its first kernel to its verdicts.
fn once(
    args: &RunArgs,
    ready: &Ready,
    folder: RunFolder,
    mut jobs: Vec<Job>,
    lock: &Arc<Lock>,
    begun: Instant,
) -> Result<Outcome> {
    let registry = registry(&ready.workspace)?;
    let run = folder.plan.run.clone();
    let into_record = folder.plan.knobs.is_empty();
    progress::step(&format!(
        "running {} at scale {}, seed {}, as run {}",
        count(jobs.len(), "notebook"),
        run.scale,
        run.seed,
        run.run
    ));
    let own = Lock::take(folder.path(), &run.run, Duration::ZERO)?;
    let recorder = Recorder::new(run.clone(), registry.clone(), own, into_record.then(|| lock.clone()))?;
    let shared = Shared::new(args, ready, lock.folder(), folder, recorder);
    if args.jobs > 1 {
        order::longest_first(&mut jobs, &table::read(&ready.workspace.results())?, run.scale);
    }
    let reports = drive::all(jobs, &shared)?;

    let mut live = shared.live();
    let mut outcome = Outcome {
        run: run.run.clone(),
        seed: run.seed,
        problems: [live.problems.clone(), live.recorder.problems().to_vec()].concat(),
        ..Outcome::default()
    };
    for report in &reports {
        outcome.cancelled |= report.cancelled;
        if let Some(failure) = &report.failure {
            outcome.problems.push(Problem {
                fault: failure.fault,
                notebook: report.notebook.name(),
                cell: failure.cell.clone(),
                message: failure.message.clone(),
            });
        }
        outcome.notebooks.push(NotebookTime::of(report));
    }
    let due = due(&live.folder.plan, &registry)?;
    outcome.passed = due.keys().cloned().collect();
    let tables = Tables::read(live.folder.path())?;
    outcome.scratch = scratch(&live.folder)?;
    let mut baseline = Baseline::read(&ready.workspace.results())?;
    let mut said = live.remarks.clone();
    if args.accept && !outcome.cancelled && into_record {
        baseline.retain(|claim| registry.position(claim).is_some());
        said.extend(accept(&mut baseline, &ready.workspace, &tables.rows, &due, run.scale)?);
        said.extend(live.recorder.forget_unknown()?);
    }
    outcome.expected = if into_record { baseline.at(run.scale) } else { BTreeMap::new() };
    let demands = Demands {
        scale: run.scale,
        expected: &outcome.expected,
        due: &due,
        strict: args.strict && into_record,
        turned: !into_record,
    };
    let mut verdicts = judge::judge(tables.rows, &demands);
    verdicts.answer(&tables.findings);
    verdicts.remarks.extend(said);
    outcome.problems.extend(verdicts.problems.clone());
    outcome.verdicts = verdicts;
    let done = live.folder.plan.parts.iter().all(|part| part.state == State::Done);
    live.folder.plan.complete = done && outcome.problems.iter().all(|problem| problem.fault == Fault::Verdict);
    live.folder.plan.run = live.recorder.run();
    live.folder.save()?;
    outcome.seconds = begun.elapsed().as_secs_f64();
    Ok(outcome)
}

fn results_folder(args: &RunArgs, workspace: &Workspace) -> Result<PathBuf> {
    match &args.results {
        None => Ok(workspace.results()),
        Some(folder) => {
            std::path::absolute(folder).map_err(|source| Error::io("find the results folder", folder, source))
        }
    }
}
