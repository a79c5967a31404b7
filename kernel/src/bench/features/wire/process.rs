//! A kernel process: started with a connection file, interrupted, started again, ended.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Channel, Peer, WireError};

/// How to start a kernel.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Program and arguments; `{connection_file}` stands for the path of the connection file.
    pub argv: Vec<String>,
    /// Working folder.
    pub folder: PathBuf,
    /// Variables on top of our own environment.
    pub environment: Vec<(String, String)>,
    /// Whether an interrupt is SIGINT instead of a message.
    pub interrupt_by_signal: bool,
}

/// The five ports and the key of a session.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Shell, iopub, stdin, control, heartbeat.
    pub ports: [u16; 5],
    /// Key that signs messages.
    pub key: String,
}

/// A kernel process. Dropping it kills the kernel and what it started.
pub struct Process {
    child: Child,
    /// Where it listens.
    pub connection: Connection,
    /// What the kernel itself writes.
    pub log: PathBuf,
    /// Folder that holds the connection file, the log and the kernel's temporary files.
    pub folder: tempfile::TempDir,
    launch: Launch,
}

impl Process {
    /// Starts a kernel; it may not answer yet.
    pub fn start(launch: &Launch) -> Result<Process, WireError> {
        let folder = tempfile::Builder::new().prefix("workbench-session-").tempdir()?;
        let connection = Connection {
            ports: free_ports()?,
            key: uuid::Uuid::new_v4().to_string(),
        };
        let log = folder.path().join("kernel.log");
        std::fs::write(&log, "")?;
        let child = spawn(launch, &connection, folder.path(), &log)?;
        Ok(Process {
            child,
            connection,
            log,
            folder,
            launch: launch.clone(),
        })
    }

    /// Starts it again with the same ports and key, as a client does for a restart.
    pub fn start_again(&mut self) -> Result<(), WireError> {
        self.kill();
        self.child = spawn(&self.launch, &self.connection, self.folder.path(), &self.log)?;
        Ok(())
    }

    /// Process id, which is also that of its group.
    pub fn id(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap_or(0)
    }

    /// What the kernel wrote itself.
    pub fn log_text(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    /// Waits until the process has ended; false when it has not.
    pub fn ended_within(&mut self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        loop {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Ends it and its group by force.
    pub fn kill(&mut self) {
        let group = self.id();
        if group > 1 {
            // SAFETY: kill takes two integers; a group that is gone changes nothing.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
        // Reaps it; a process that is gone already has nothing to tell.
        let _ = self.child.wait();
    }

    /// Asks it to stop what it is doing, in the way its kernelspec names.
    pub fn interrupt(&self, client: &mut Peer) -> Result<(), WireError> {
        if self.launch.interrupt_by_signal {
            // SAFETY: a signal to a process that this value owns and has not reaped.
            unsafe { libc::kill(self.id(), libc::SIGINT) };
            return Ok(());
        }
        client
            .send(Channel::Control, "interrupt_request", json!({}))
            .map(|_| ())
    }

    pub(super) fn silent(&self, patience: Duration) -> WireError {
        WireError::Silent {
            seconds: patience.as_secs_f64(),
            log: self.log.clone(),
            tail: crate::setup::system::tail(&self.log_text(), 5),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Ports that are free now. Another program may take one before the kernel does; the caller sees a kernel that ends.
fn free_ports() -> std::io::Result<[u16; 5]> {
    let listeners: Vec<std::net::TcpListener> = (0..5)
        .map(|_| std::net::TcpListener::bind("127.0.0.1:0"))
        .collect::<std::io::Result<_>>()?;
    let mut ports = [0; 5];
    for (port, listener) in ports.iter_mut().zip(&listeners) {
        *port = listener.local_addr()?.port();
    }
    Ok(ports)
}

fn spawn(launch: &Launch, connection: &Connection, folder: &Path, log: &Path) -> Result<Child, WireError> {
    let [shell, iopub, stdin, control, heartbeat] = connection.ports;
    let file = folder.join("connection.json");
    let text = json!({
        "transport": "tcp", "ip": "127.0.0.1", "shell_port": shell, "iopub_port": iopub, "stdin_port": stdin,
        "control_port": control, "hb_port": heartbeat, "key": connection.key, "signature_scheme": "hmac-sha256",
        "kernel_name": crate::setup::kernelspec::KERNEL_NAME,
    });
    std::fs::write(&file, text.to_string())?;
    let output = std::fs::File::options().append(true).open(log)?;
    let scratch = folder.join("tmp");
    std::fs::create_dir_all(&scratch)?;
    let file = file.display().to_string();
    let mut argv = launch.argv.iter().map(|part| part.replace("{connection_file}", &file));
    let program = argv.next().unwrap_or_default();
    let mut command = Command::new(&program);
    command
        .args(argv)
        .current_dir(&launch.folder)
        .env("JPY_PARENT_PID", std::process::id().to_string())
        .env("TMPDIR", scratch)
        .envs(launch.environment.iter().cloned())
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().map_err(|source| WireError::Start { program, source })
}
