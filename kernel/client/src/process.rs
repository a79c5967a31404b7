//! A kernel process: its ports, its connection file, its log, its group, and its end.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use jupyter_protocol::connection_info::{ConnectionInfo, Transport};
use serde_json::json;
use tokio::process::{Child, Command};
use tokio::runtime::{Handle, Runtime};

use super::error::ClientError;
use workbench_base::names::KERNEL_NAME;
use workbench_base::private::LONGEST_SOCKET;
use workbench_base::scratch::Scratch;
use workbench_base::text::tail;

/// Beginning of the names of session folders; the process id of their client follows.
const SESSION: &str = "workbench-session-";

/// How a kernel wants to be interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// By an `interrupt_request` on the control channel.
    Message,
    /// By SIGINT.
    Signal,
}

/// How to start a kernel.
#[derive(Clone, Debug)]
pub struct KernelCommand {
    /// Program and arguments; `{connection_file}` stands for the path of the connection file.
    pub argv: Vec<String>,
    /// Working folder, which relative paths in cells start from.
    pub folder: PathBuf,
    /// Variables set on top of our own environment.
    pub environment: Vec<(String, String)>,
    /// How it wants to be interrupted.
    pub interrupt: Interrupt,
    /// How it is talked to. [`Transport::IPC`] is sockets in a folder that no other user can enter, where any user of the machine may
    /// connect to a port on loopback and read what cells print; a folder whose path is too long for sockets has ports all the same.
    pub transport: Transport,
    /// File that takes what the kernel itself writes to its output and error streams; without one it is beside the connection
    /// file and goes with it.
    pub log: Option<PathBuf>,
}

/// A kernel process. Dropping it ends the kernel and what it started, and removes its folder.
pub struct Process {
    child: Child,
    group: i32,
    command: KernelCommand,
    info: ConnectionInfo,
    log: PathBuf,
    folder: Scratch,
}

/// Held while ports are taken and a process is started. A process that starts at the same moment holds copies of the
/// listeners until it has become its program, and a client would be connected to nobody.
static SPAWNING: Mutex<()> = Mutex::new(());

impl Process {
    /// Starts a kernel; it may not answer yet.
    ///
    /// # Errors
    /// There is no free port, no place for the files of the session, or no such program.
    pub fn start(command: &KernelCommand) -> Result<Process, ClientError> {
        let _alone = SPAWNING.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = session_folder()?;
        let (info, listeners) = endpoints(command.transport.clone(), folder.path()).map_err(|source| {
            ClientError::Connection { operation: "find free ports on 127.0.0.1", source: source.into() }
        })?;
        let file = folder.path().join("connection.json");
        std::fs::write(&file, json!(info).to_string()).map_err(|source| ClientError::File { path: file, source })?;
        let log = command.log.clone().unwrap_or_else(|| folder.path().join("kernel.log"));
        empty(&log).map_err(|source| ClientError::File { path: log.clone(), source })?;
        let child = spawn(command, folder.path(), &log)?;
        // Other programs are kept from the ports until the kernel is there to take them.
        drop(listeners);
        Ok(Process { group: group_of(&child), child, command: command.clone(), info, log, folder })
    }

    /// Starts it again with the same connection file, as a client does for a restart.
    ///
    /// # Errors
    /// As [`Process::start`].
    pub fn start_again(&mut self) -> Result<(), ClientError> {
        self.end();
        let _alone = SPAWNING.lock().unwrap_or_else(PoisonError::into_inner);
        self.child = spawn(&self.command, self.folder.path(), &self.log)?;
        self.group = group_of(&self.child);
        Ok(())
    }

    /// Where it listens, and the key of the session.
    pub fn info(&self) -> &ConnectionInfo {
        &self.info
    }

    /// The folder of its connection file and of its temporary files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// How it was started.
    pub fn command(&self) -> &KernelCommand {
        &self.command
    }

    /// Process id, which is also that of its group.
    pub fn id(&self) -> i32 {
        self.group
    }

    /// What the kernel itself has written.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    /// Waits for the end of the process.
    ///
    /// # Errors
    /// Of the system.
    pub async fn wait(&mut self) -> std::io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Waits until the process has ended; false when it has not. For callers that may block.
    pub fn ended_within(&mut self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        while matches!(self.child.try_wait(), Ok(None)) {
            if Instant::now() >= until {
                return false;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        true
    }

    /// Ends the kernel and everything that it started, now.
    pub async fn kill(&mut self) {
        signal_group(self.group, libc::SIGKILL);
        // Reaped if it is still there; nothing is left to do if not.
        let _ = self.child.wait().await;
    }

    /// The same for callers that may block.
    pub fn end(&mut self) {
        signal_group(self.group, libc::SIGKILL);
        while !self.ended_within(Duration::from_secs(1)) {}
    }

    /// Sends SIGINT to the kernel's group, as a terminal does.
    pub(super) fn signal_interrupt(&self) {
        signal_group(self.group, libc::SIGINT);
    }

    pub(super) fn ended_early(&self, status: std::io::Result<ExitStatus>) -> ClientError {
        ClientError::EndedEarly { status: describe(status), log: self.log.clone(), tail: self.log_tail() }
    }

    pub(super) fn no_answer(&self, started: Instant) -> ClientError {
        ClientError::NoAnswer { seconds: started.elapsed().as_secs_f64(), log: self.log.clone(), tail: self.log_tail() }
    }

    pub(super) fn log_tail(&self) -> String {
        tail(&self.log(), 5)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        signal_group(self.group, libc::SIGKILL);
    }
}

/// One runtime for all clients of this program that have none of their own.
pub(super) fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        // Only a machine without threads or file descriptors refuses.
        #[allow(clippy::expect_used)]
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime needs a thread and a file descriptor")
    })
}

/// Where a kernel will listen, and a fresh key. Ports are free now, and held until the listeners are dropped.
fn endpoints(transport: Transport, folder: &Path) -> std::io::Result<(ConnectionInfo, Vec<TcpListener>)> {
    let base = folder.join("kernel").display().to_string();
    let sockets = transport == Transport::IPC && base.len() + "-5".len() <= LONGEST_SOCKET;
    let mut listeners = Vec::new();
    let mut channel = |number: u16| {
        if sockets {
            return Ok(number);
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        listeners.push(listener);
        std::io::Result::Ok(port)
    };
    let info = ConnectionInfo {
        transport: if sockets { Transport::IPC } else { Transport::TCP },
        shell_port: channel(1)?,
        iopub_port: channel(2)?,
        stdin_port: channel(3)?,
        control_port: channel(4)?,
        hb_port: channel(5)?,
        ip: if sockets { base } else { Ipv4Addr::LOCALHOST.to_string() },
        key: uuid::Uuid::new_v4().to_string(),
        signature_scheme: "hmac-sha256".into(),
        kernel_name: Some(KERNEL_NAME.into()),
    };
    Ok((info, listeners))
}

/// A folder that keeps the session's key from others.
fn session_folder() -> Result<Scratch, ClientError> {
    let place = std::env::temp_dir();
    let made = Scratch::make(&place, SESSION, &format!("{}-", std::process::id()));
    made.map_err(|source| ClientError::File { path: place, source })
}

fn empty(log: &Path) -> std::io::Result<()> {
    if let Some(folder) = log.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::File::create(log).map(|_| ())
}

fn spawn(command: &KernelCommand, folder: &Path, log: &Path) -> Result<Child, ClientError> {
    let log_failed = |source| ClientError::File { path: log.to_path_buf(), source };
    let output = std::fs::File::options().append(true).open(log).map_err(log_failed)?;
    let errors = output.try_clone().map_err(log_failed)?;
    let file = folder.join("connection.json").display().to_string();
    let mut argv = command.argv.iter().map(|part| part.replace("{connection_file}", &file));
    let program = argv.next().unwrap_or_default();
    let mut process = Command::new(&program);
    process
        .args(argv)
        .current_dir(&command.folder)
        .env("JPY_PARENT_PID", std::process::id().to_string())
        // What a killed kernel leaves behind goes with the folder of the session.
        .env("TMPDIR", folder)
        .envs(command.environment.iter().cloned())
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors)
        .kill_on_drop(true);
    own_group(&mut process);
    // A child is watched by a runtime: the caller's, or else ours.
    let runtime = Handle::try_current().unwrap_or_else(|_| runtime().handle().clone());
    let _inside = runtime.enter();
    process.spawn().map_err(|source| ClientError::Start { program, source })
}

/// Gives the kernel a process group of its own: Ctrl-C in the terminal reaches the runner first, and a kill reaches
/// everything that the kernel started. On Linux the kernel also ends when the thread that started it does.
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

fn group_of(child: &Child) -> i32 {
    child.id().and_then(|id| i32::try_from(id).ok()).unwrap_or(0)
}

fn signal_group(group: i32, signal: i32) {
    if group > 1 {
        // SAFETY: kill takes two integers; a group that is gone gives an error that changes nothing.
        unsafe { libc::kill(-group, signal) };
    }
}

pub(super) fn describe(status: std::io::Result<ExitStatus>) -> String {
    match status {
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    }
}
