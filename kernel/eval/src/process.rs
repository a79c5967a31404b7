//! The process that runs cells: how it is started, and what it is told before it is.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use serde_json::json;

use super::channel::{CHANNEL_ENV, CHANNEL_VERSION, SEAL_ENV};
use super::descriptors::{ANSWERS, CELL_ERR, CELL_OUT};
use super::event::CellName;
use super::input::{Answers, STDIN_ENV, Stdin};
use super::output::Pipes;
use workbench_base::control::{CONTROL_ENV, Control};
use workbench_setup::cargo::{CARGO_ENV, CARGO_HOME_ENV, OF_THE_USER, PREBUILT_ENV, RUSTC_ENV};
use workbench_setup::library::Frozen;
use workbench_setup::toolchain;

/// The folder with the links under which evcxr finds this binary.
pub const SHIM_DIR_ENV: &str = "WORKBENCH_SHIM_DIR";
/// Names the file that tells a cell who it is; read by the ledger.
pub const CELL_FILE_ENV: &str = "WORKBENCH_CELL_FILE";
const CELL_FILE: &str = "cell.json";

/// Environment of the kernel itself: everything that evcxr starts inherits it. Must run before any thread starts.
pub fn prepare_environment(folder: &Path) -> Result<()> {
    let exe = own_binary();
    let shims = folder.join("bin");
    std::fs::create_dir_all(&shims)?;
    for tool in ["cargo", "rustup"] {
        std::os::unix::fs::symlink(&exe, shims.join(tool))?;
    }
    let [cargo, rustc] = toolchain::real_tools(["cargo", "rustc"]);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let shim_path = std::env::join_paths(std::iter::once(shims.clone()).chain(std::env::split_paths(&path)))?;
    // SAFETY: called from `main` while the process has one thread.
    unsafe {
        std::env::set_var(CARGO_ENV, &cargo);
        std::env::set_var(RUSTC_ENV, &rustc);
        std::env::set_var("WORKBENCH_REAL_PATH", &path);
        for (name, kept) in OF_THE_USER {
            if let Some(value) = std::env::var_os(name) {
                std::env::set_var(kept, value);
            }
        }
        std::env::set_var(SHIM_DIR_ENV, &shims);
        std::env::set_var(PREBUILT_ENV, folder);
        std::env::set_var("PATH", shim_path);
        std::env::set_var("CARGO", shims.join("cargo"));
        // rust-analyzer looks for cargo there first.
        if let Some(home) = std::env::var_os("CARGO_HOME") {
            std::env::set_var(CARGO_HOME_ENV, home);
        }
        std::env::set_var("CARGO_HOME", folder);
        std::env::set_var("RUSTC", &rustc);
        std::env::set_var("EVCXR_TMPDIR", folder);
        // A user's own evcxr start-up files are for the stock kernel.
        std::env::set_var("EVCXR_CONFIG_DIR", folder.join("config"));
        std::env::set_var(CELL_FILE_ENV, folder.join(CELL_FILE));
        std::env::set_var("WORKBENCH_KERNEL", "1");
        std::env::set_var(CHANNEL_ENV, CHANNEL_VERSION);
        std::env::set_var(SEAL_ENV, uuid::Uuid::new_v4().simple().to_string());
        std::env::set_var(CONTROL_ENV, Control::path(folder));
        std::env::set_var(STDIN_ENV, Stdin::path(folder));
    }
    Ok(())
}

/// The binary that this kernel runs, also when a build has replaced the file it was started from: the process for cells
/// and the compiler calls must speak the same protocol as the kernel.
pub(super) fn own_binary() -> PathBuf {
    PathBuf::from(format!("/proc/{}/exe", std::process::id()))
}

/// Tells the running cell its name and when it started.
pub fn name_cell(folder: &Path, name: &CellName) {
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let text = json!({
        "cell_id": name.id, "execution_count": name.count, "started_unix_ms": started as u64
    });
    // Without the file the ledger leaves the cell's name out; the cell itself runs all the same.
    let _ = std::fs::write(folder.join(CELL_FILE), text.to_string());
}

/// The command that starts the process for cells.
pub fn command(pipes: &Pipes, answers: &Answers, frozen: &Frozen) -> Result<Command> {
    let exe = own_binary();
    let mut libraries = vec![frozen.prebuilt.folder.clone(), frozen.libraries.clone()];
    libraries.extend(frozen.load.iter().cloned());
    libraries.extend(std::env::split_paths(&std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default()));
    let mut command = Command::new(exe);
    command
        .env("LD_LIBRARY_PATH", std::env::join_paths(libraries)?)
        .env("PATH", std::env::var_os("WORKBENCH_REAL_PATH").unwrap_or_default())
        .env_remove(PREBUILT_ENV)
        .env_remove("CARGO_HOME")
        .env_remove("CARGO")
        .env_remove("RUSTC");
    if let Some(home) = std::env::var_os(CARGO_HOME_ENV) {
        command.env("CARGO_HOME", home);
    }
    let (out, err) = pipes.raw();
    let answers = answers.raw();
    let parent = std::process::id() as i32;
    // SAFETY: only async-signal-safe calls on plain integers between fork and exec.
    unsafe {
        command.pre_exec(move || {
            for (from, to) in [(out, CELL_OUT), (err, CELL_ERR), (answers, ANSWERS)] {
                if libc::dup2(from, to) < 0 {
                    return Err(std::io::Error::last_os_error());
                }
            }
            // Its own group: an interrupt typed in the terminal is the kernel's to handle.
            libc::setpgid(0, 0);
            // A kernel that is killed leaves no process behind.
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            if libc::getppid() != parent {
                libc::_exit(1);
            }
            Ok(())
        });
    }
    Ok(command)
}
