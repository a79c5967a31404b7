//! The computation of a shard: tasks side by side, kept as they come, so that what was stopped or killed goes on where it was.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use workbench_display::Progress;
use workbench_ground::work;

use crate::blas;
use crate::draws::name_of;
use crate::error::{Error, Result};
use crate::origin::Machine;
use crate::plan::Plan;
use crate::shard::{self, Done, Shard};
use crate::sweep::AnySweep;

const OP: &str = "sweep shard";
/// What is done is written at least this often, so that a process that is killed loses no more.
const KEEP_EVERY: Duration = Duration::from_secs(30);

/// How a shard is computed.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// Tasks side by side.
    pub threads: usize,
    /// Whether progress is shown.
    pub progress: bool,
    /// Whether a shard that is there already is computed all the same.
    pub anew: bool,
}

impl Default for How {
    fn default() -> How {
        How { threads: 1, progress: false, anew: false }
    }
}

/// What [`compute`] did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Computed {
    /// The shard was there, and is sound.
    AlreadyThere,
    /// So many tasks were computed, and so many taken over from a process that was stopped.
    Now {
        /// Computed.
        computed: usize,
        /// Taken over.
        kept: usize,
    },
}

/// What the threads share.
struct Running {
    done: Vec<Done>,
    kept_at: Instant,
    failed: Option<Error>,
}

/// Computes a shard and writes its file. Tasks that a stopped process has left are taken over.
///
/// # Errors
/// An index out of range; a program or data other than those that were planned with; a task that fails; a file that cannot be written;
/// [`Error::Stopped`] with what is done kept.
pub fn compute(sweep: &AnySweep, plan: &Plan, folder: &Path, index: u64, how: How) -> Result<Computed> {
    if index >= plan.shards {
        return Err(Error::Index { index, folder: folder.to_path_buf(), shards: plan.shards });
    }
    plan.same_program(folder, OP)?;
    if !how.anew {
        match Shard::read(plan, index, folder, OP) {
            Ok(Some(_)) => return Ok(Computed::AlreadyThere),
            // What does not read is computed again.
            Ok(None) | Err(Error::Damaged { .. }) => (),
            Err(error) => return Err(error),
        }
    }
    plan.same_data(folder, OP)?;
    blas::one_thread();
    let (begun, machine) = (Instant::now(), Machine::here(how.threads));
    let part = shard::part(plan, index, folder);
    let (done, before) = match Shard::read_part(plan, index, folder).filter(|_| !how.anew) {
        Some(shard) => (shard.done(sweep).unwrap_or_default(), shard.facts.wall),
        None => (Vec::new(), 0.0),
    };
    let kept = done.len();
    let own = plan.tasks_of(index);
    let open: Vec<u64> = own.iter().copied().filter(|task| done.iter().all(|done| done.task != *task)).collect();
    let running = Mutex::new(Running { done, kept_at: Instant::now(), failed: None });
    let wall = || before + begun.elapsed().as_secs_f64();
    let save = |running: &mut Running| -> Result<()> {
        running.kept_at = Instant::now();
        let done = std::mem::take(&mut running.done);
        let mut shard = Shard::of(plan, index, done, wall(), machine.clone())?;
        running.done = shard.done(sweep).unwrap_or_default();
        shard.write(&part)
    };
    let progress = Progress::new(&format!("{}, shard {index}", plan.sweep)).of(own.len()).unit("tasks");
    if how.progress && kept > 0 {
        progress.advance(kept);
    }
    let (next, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
    let each = || {
        while !ended.load(Ordering::Relaxed) && !work::stop_requested() {
            let Some(task) = open.get(next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            let result = one(sweep, plan, folder, *task);
            let mut running = lock(&running);
            let kept = match result {
                Ok(done) => {
                    running.done.push(done);
                    match running.kept_at.elapsed() > KEEP_EVERY {
                        true => save(&mut running),
                        false => Ok(()),
                    }
                }
                Err(error) => Err(error),
            };
            drop_in(&mut running, kept, &ended);
            if how.progress {
                progress.advance(1);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..how.threads.clamp(1, open.len().max(1)) {
            scope.spawn(|| alone(each));
        }
    });
    let mut running = running.into_inner().unwrap_or_else(PoisonError::into_inner);
    let stopped = running.failed.is_none() && running.done.len() < own.len();
    if let Some(error) = running.failed.take() {
        // What is sound is kept; that it could not be is no news beside the error.
        let _ = save(&mut running);
        return Err(error);
    }
    if stopped {
        save(&mut running)?;
        return Err(Error::Stopped { index, done: running.done.len(), of: own.len() });
    }
    let mut whole = Shard::of(plan, index, running.done, wall(), machine)?;
    whole.write(&shard::file(plan, index, folder))?;
    // A part that cannot be removed is litter: the shard is there.
    let _ = std::fs::remove_file(&part);
    Ok(Computed::Now { computed: open.len(), kept })
}

/// Keeps the first error and has the other threads end. A wish to stop is none.
fn drop_in(running: &mut MutexGuard<Running>, kept: Result<()>, ended: &AtomicBool) {
    if let Err(error) = kept {
        ended.store(true, Ordering::Relaxed);
        let stopped = matches!(&error, Error::Task { source, .. } if is_stop(source));
        if !stopped && running.failed.is_none() {
            running.failed = Some(error);
        }
    }
}

fn is_stop(error: &workbench_ground::Error) -> bool {
    match error {
        workbench_ground::Error::Stopped(_) => true,
        workbench_ground::Error::During { source, .. } => is_stop(source),
        _ => false,
    }
}

fn lock(running: &Mutex<Running>) -> MutexGuard<'_, Running> {
    running.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `each` with a pool of one thread, so that what a room does in parallel stays on this one.
fn alone(each: impl FnOnce() + Send) {
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(each),
        Err(_) => each(),
    }
}

fn one(sweep: &AnySweep, plan: &Plan, folder: &Path, task: u64) -> Result<Done> {
    let (at, replicate) = plan.place(task);
    let (point, begun) = (&plan.points[at], Instant::now());
    let rows = sweep.at(point, &plan.draws(task, folder)).map_err(|source| Error::Task {
        sweep: plan.sweep.clone(),
        point: name_of(point),
        replicate,
        source: Box::new(source),
    })?;
    if let Some(problem) = rows.problem(sweep.columns) {
        return Err(Error::table(OP, format!("{} at {}: {problem}", plan.sweep, name_of(point))));
    }
    let seconds = begun.elapsed().as_secs_f64();
    Ok(Done { task, rows, seconds })
}
