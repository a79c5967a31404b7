//! The process that compiles ahead: an evcxr of its own that goes through a session's cells without running them.
//!
//! It is this program once more, told by `WORKER_ENV`. What stands in for the process for cells says of each cell what it is told to
//! say: that it has run. So evcxr writes, for the cell after it, what it will write in the session, and the calls of the compiler put what
//! they make where the session's own calls look for it.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Result, bail};
use evcxr::{CommandContext, EvalContext};
use serde::{Deserialize, Serialize};

use super::super::cell::{self, Care};
use super::super::host::{COMPLETE, ORDER};
use super::super::{diagnose, process, session};
use super::plan::{How, Step};
use workbench_base::control::CONTROL_ENV;
use workbench_base::stoppable;

/// Names a worker's folder to it and to what it starts.
const WORKER_ENV: &str = "WORKBENCH_AHEAD_WORKER";
/// What the stand-in says of the next cell, in the worker's folder.
const ANSWER: &str = "answer";
/// The stand-in ends.
const END: &str = "end";
/// The nicest that a process can be.
const NICE: i32 = 19;

/// What a worker says of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// Whether evcxr is now where the session was after it.
    pub arrived: bool,
    /// The number of the cell's first placeholder.
    pub from: usize,
}

/// Whether this process is a worker, or one that it has started.
pub fn is_here() -> bool {
    std::env::var_os(WORKER_ENV).is_some()
}

/// Keeps a worker from building crates: that takes long, and the session does it anyway.
pub fn refuse_to_build() -> Result<()> {
    if is_here() {
        bail!("crates are not built ahead");
    }
    Ok(())
}

/// The command that starts a worker with this folder. It ends with the thread that starts it.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(process::own_binary());
    command
        .env(WORKER_ENV, folder)
        .env("EVCXR_TMPDIR", folder)
        // An interrupt is for the cell that runs.
        .env_remove(CONTROL_ENV)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    stoppable::own_group(&mut command);
    command
}

/// In a worker, goes through cells until there are no more; in the process that stands in for the one for cells, answers for it. Returns
/// anywhere else.
pub fn hook() {
    let Some(folder) = std::env::var_os(WORKER_ENV).map(PathBuf::from) else {
        return;
    };
    if std::env::var_os("EVCXR_IS_RUNTIME").is_some() {
        stand_in(&folder);
    } else {
        // SAFETY: plain integers.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, NICE) };
        // Where memory runs out, this goes before what the reader waits for.
        let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
        // Without an evcxr there are no answers, and whoever waits for them sees that this process is gone.
        let _ = serve(&folder);
    }
    std::process::exit(0);
}

/// Says of each cell what it is told to.
fn stand_in(folder: &Path) {
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        if !line.is_ok_and(|line| line.starts_with(ORDER)) {
            return;
        }
        let answer = std::fs::read_to_string(folder.join(ANSWER)).unwrap_or_default();
        if answer == END || writeln!(out, "{answer}{COMPLETE}").and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

/// The lines that evcxr hears from a cell that came out so.
fn answer(how: How) -> &'static str {
    match how {
        How::Whole => "",
        How::Panic => "EVCXR_PANIC_NOTIFICATION\n",
        How::Error => "EVCXR_ERROR_OCCURRED\n",
        How::Died => END,
    }
}

fn serve(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let (context, _own) = EvalContext::with_subprocess_command(Command::new(process::own_binary()))
        .map_err(|error| anyhow::anyhow!("{error}"))?;
    let mut context = CommandContext::with_eval_context(context);
    session::warm_up(&mut context)?;
    let mut next_type = 0;
    for line in std::io::stdin().lock().lines() {
        let step: Step = serde_json::from_str(&line?)?;
        next_type = step.from.unwrap_or(next_type);
        let from = next_type;
        std::fs::write(folder.join(ANSWER), answer(step.how))?;
        let arrived = go(&mut context, &step, &mut next_type);
        println!("{}", serde_json::to_string(&Said { arrived, from })?);
    }
    Ok(())
}

/// Takes evcxr through a cell, as a session does.
fn go(context: &mut CommandContext, step: &Step, next_type: &mut usize) -> bool {
    let mut ended = Ok(());
    for care in [Care::Usual, Care::EndlessCalls] {
        let code = cell::prepare(&step.source, care, next_type).code;
        ended = context.execute(&code).map(|_| ());
        if !ended.as_ref().is_err_and(diagnose::is_about_untold_types) {
            break;
        }
    }
    match ended {
        Ok(()) => true,
        Err(evcxr::Error::SubprocessTerminated(_)) => step.how == How::Died,
        Err(_) => false,
    }
}
