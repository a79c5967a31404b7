//! Compilers and builds that end when the reader interrupts.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::control::Control;

/// What a build that was ended says.
pub const STOPPED: &str = "stopped by an interrupt";
const EVERY: Duration = Duration::from_millis(20);

/// Puts the command into a process group of its own that ends with this process, so that it can be ended with all that it
/// starts.
pub fn own_group(command: &mut Command) {
    let parent = std::process::id() as i32;
    // SAFETY: only async-signal-safe calls on plain integers between fork and exec.
    unsafe {
        command.process_group(0).pre_exec(move || {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            if libc::getppid() != parent {
                libc::_exit(1);
            }
            Ok(())
        });
    }
}

/// Ends a process group when the running cell is asked to stop; looks away when dropped.
pub struct Watch {
    over: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Watch {
    /// Watches for the group that `id` leads. `control` is the session's file; without it nothing is ever stopped.
    pub fn new(id: u32, control: Option<Arc<Control>>) -> Watch {
        let over = Arc::new(AtomicBool::new(false));
        let seen = over.clone();
        let thread = control.and_then(|control| {
            let watch = move || {
                while !seen.load(Ordering::Relaxed) {
                    if control.stop_requests() > 0 {
                        // SAFETY: two integers. A leader that has just been waited for leaves an error, which changes nothing.
                        unsafe { libc::kill(-(id as i32), libc::SIGKILL) };
                        return;
                    }
                    std::thread::park_timeout(EVERY);
                }
            };
            std::thread::Builder::new().name("stop watch".to_owned()).spawn(watch).ok()
        });
        Watch { over, thread }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

/// Runs a command to its end, or until the running cell is asked to stop; for compiler calls, which learn of it from the
/// environment.
///
/// # Errors
/// The command cannot be started, or the cell was asked to stop (of kind `Interrupted`).
pub fn output(command: &mut Command) -> std::io::Result<Output> {
    let control = Control::look().map(Arc::new);
    let stopped = || control.as_ref().is_some_and(|control| control.stop_requests() > 0);
    let interrupted = || std::io::Error::new(std::io::ErrorKind::Interrupted, STOPPED);
    if stopped() {
        return Err(interrupted());
    }
    own_group(command);
    let child = command.spawn()?;
    let watch = Watch::new(child.id(), control.clone());
    let output = child.wait_with_output();
    drop(watch);
    match output {
        Ok(output) if !output.status.success() && stopped() => Err(interrupted()),
        other => other,
    }
}

/// The exit status for whoever asked; one that a signal has ended has cargo's own for a failed build.
pub fn code_of(status: ExitStatus) -> i32 {
    status.code().unwrap_or(101)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn a_stop_request_ends_a_command_and_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let control = Arc::new(Control::create(folder.path()).unwrap());
        let started = Instant::now();
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 30 & sleep 30"]).stdout(std::process::Stdio::piped());
        own_group(&mut command);
        let child = command.spawn().unwrap();
        let watch = Watch::new(child.id(), Some(control.clone()));
        control.request_stop();
        // The output is closed only when both are gone.
        assert!(!child.wait_with_output().unwrap().status.success());
        drop(watch);
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}
