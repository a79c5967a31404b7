//! The kernel's process: its connection file, its group, its log.

use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Instant;

use jupyter_protocol::connection_info::ConnectionInfo;
use serde_json::json;
use tokio::process::{Child, Command};

use super::{ClientError, KernelCommand};

/// Beginning of the names of session folders; the process id of their runner follows.
pub(super) const SESSION: &str = "workbench-session-";

/// Removes the session folders of runners that were killed and could not clean up.
pub(super) fn sweep(place: &std::path::Path) {
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let owner = name
            .strip_prefix(SESSION)
            .and_then(|rest| rest.split('-').next())
            .and_then(|id| id.parse::<i32>().ok());
        // SAFETY: signal 0 changes nothing; it only asks whether the process exists.
        let dead = owner.is_some_and(|id| unsafe { libc::kill(id, 0) } != 0 && last_error_is_no_such_process());
        if dead {
            // A folder that another user owns stays; it is theirs to remove.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn last_error_is_no_such_process() -> bool {
    std::io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH)
}

pub(super) fn write_connection(info: &ConnectionInfo) -> Result<(tempfile::TempDir, PathBuf), ClientError> {
    sweep(&std::env::temp_dir());
    // A temporary folder is readable by its owner only, which keeps the key from others.
    let folder = tempfile::Builder::new()
        .prefix(&format!("{SESSION}{}-", std::process::id()))
        .tempdir()
        .map_err(|source| ClientError::File {
            path: std::env::temp_dir(),
            source,
        })?;
    let file = folder.path().join("connection.json");
    std::fs::write(&file, json!(info).to_string()).map_err(|source| ClientError::File {
        path: file.clone(),
        source,
    })?;
    Ok((folder, file))
}

pub(super) fn spawn(command: &KernelCommand, file: &std::path::Path) -> Result<Child, ClientError> {
    let log = |path: &PathBuf| {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::File::create(path)
    };
    let log_failed = |source| ClientError::File {
        path: command.log.clone(),
        source,
    };
    let output = log(&command.log).map_err(log_failed)?;
    let errors = output.try_clone().map_err(log_failed)?;
    let scratch = file.parent().map_or_else(std::env::temp_dir, PathBuf::from);
    let file = file.display().to_string();
    let mut argv = command.argv.iter().map(|part| part.replace("{connection_file}", &file));
    let program = argv.next().unwrap_or_default();
    let mut process = Command::new(&program);
    process
        .args(argv)
        .current_dir(&command.folder)
        .envs(command.environment.iter().cloned())
        .env("JPY_PARENT_PID", std::process::id().to_string())
        // What a killed kernel leaves behind goes with our own temporary folder.
        .env("TMPDIR", scratch)
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors)
        .kill_on_drop(true);
    own_group(&mut process);
    process.spawn().map_err(|source| ClientError::Start { program, source })
}

/// Gives the kernel a process group of its own: Ctrl-C in the terminal reaches the runner first, and a kill reaches
/// everything that the kernel started. On Linux the kernel also ends when the runner is killed.
#[cfg(unix)]
fn own_group(process: &mut Command) {
    process.process_group(0);
    #[cfg(target_os = "linux")]
    // SAFETY: prctl is async-signal-safe, takes no pointers here and touches only the new process.
    unsafe {
        process.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
}

#[cfg(not(unix))]
fn own_group(_process: &mut Command) {}

pub(super) fn kill_group(group: i32) {
    signal_group(group, libc::SIGKILL);
}

pub(super) fn signal_group(group: i32, signal: i32) {
    if group > 1 {
        // SAFETY: kill takes two integers; a group that is gone gives an error that changes nothing.
        unsafe { libc::kill(-group, signal) };
    }
}

pub(super) async fn ended_early(status: std::io::Result<ExitStatus>, command: &KernelCommand) -> ClientError {
    ClientError::EndedEarly {
        status: describe(status),
        log: command.log.clone(),
        tail: log_tail(&command.log),
    }
}

pub(super) fn no_answer(started: Instant, command: &KernelCommand) -> ClientError {
    ClientError::NoAnswer {
        seconds: started.elapsed().as_secs_f64(),
        log: command.log.clone(),
        tail: log_tail(&command.log),
    }
}

pub(super) fn describe(status: std::io::Result<ExitStatus>) -> String {
    match status {
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    }
}

pub(super) fn says_in_use(log: &std::path::Path) -> bool {
    let text = std::fs::read(log).unwrap_or_default();
    String::from_utf8_lossy(&text).contains("in use")
}

pub(super) fn log_tail(log: &std::path::Path) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    crate::setup::system::tail(&String::from_utf8_lossy(&text), 5)
}
