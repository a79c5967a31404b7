//! The Jupyter kernel: sockets in `server`, requests in `shell` and `execute`, the evaluating thread in `engine`, what clients hear
//! in `publish`; knobs in [`workbench_base::knobs`] (their text), `widgets` (the front end's models), `interact` (what turning does) and `lines` (what their lines
//! say); what an output was computed from in `stale` and `note`, and how it is replaced in `display_ids` and `fallback_display`.
//!
//! The public messaging specification (version 5.4) is the contract. A cell comes in as the bytes of an `execute_request`: [`frame_limit`] empties
//! frames that are too long, [`wire`] checks size, signature and header, `server` puts the message into a queue, and `shell` takes one after
//! the other. `execute` gives it its number and hands the text to the evaluating thread of `engine`, in which a session of [`workbench_eval`]
//! compiles and runs it. What it shows comes back as events, which `publish` sends to all clients, and its reply goes to the one that asked.
//! Questions about code are answered beside it (`introspection`, by [`workbench_language`]). A verdict passes only as the card that its cell
//! shows: its row in a table the cell writes itself.
//! The whole way, step by step, is told on the front page of [`workbench_eval`].

#![warn(missing_docs)]

mod display_ids;
mod engine;
mod execute;
mod fallback_display;
pub mod frame_limit;
mod history;
mod info;
mod interact;
mod introspection;
mod lines;
mod note;
mod publish;
mod server;
mod shell;
mod stale;
mod stdin;
mod widgets;
pub mod wire;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use jupyter_protocol::ConnectionInfo;

use workbench_base::control::Control;
use workbench_eval::interrupt::Interrupts;
use workbench_eval::process;
use workbench_setup::library::working_folder;
use workbench_setup::project::Project;

/// Options of a kernel.
#[derive(Args, Clone, Debug)]
pub struct ConnectionArgs {
    /// Connection file that the client wrote
    #[arg(short = 'f', value_name = "FILE")]
    pub file: PathBuf,
    /// What clients such as `jupyter run` pass on to every kernel; nothing here is for us
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    pub rest: Vec<String>,
}

/// Serves one client connection file until the client asks for shutdown.
///
/// # Errors
/// The file cannot be read or is no connection file, an address is not of this machine, or a port is taken.
pub fn serve(connection_file: &Path) -> Result<()> {
    let info = read_connection(connection_file)?;
    let project = Project::find(&std::env::current_dir()?);
    let folder = working_folder(&project.state())?;
    process::prepare_environment(folder.path())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        // Code is parsed on these threads, too, nested as deeply as cells may be (`workbench_base::source`).
        .thread_stack_size(16 << 20)
        .enable_all()
        .build()?;
    let control = Control::create(folder.path()).context("could not make the file for requests to cells")?;
    let outcome = runtime.block_on(server::run(info, folder.path().to_path_buf(), project, Interrupts::new(control)));
    // Sockets of a client that is gone must not hold up the end.
    runtime.shutdown_timeout(std::time::Duration::from_millis(200));
    // A compiler call that was just ended may still have been writing.
    for _ in 0..5 {
        if std::fs::remove_dir_all(folder.path()).is_ok() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    outcome
}

fn read_connection(path: &Path) -> Result<ConnectionInfo> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("could not read the connection file {}", path.display()))?;
    let info: ConnectionInfo =
        serde_json::from_str(&text).with_context(|| format!("{} is not a Jupyter connection file", path.display()))?;
    let loopback = info.ip == "localhost" || info.ip.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
    if !loopback && info.transport.to_string() == "tcp" {
        bail!(
            "the connection file asks to listen on {}: this kernel runs code for its own machine only, so use 127.0.0.1",
            info.ip
        );
    }
    if info.key.is_empty() && info.transport.to_string() == "tcp" {
        bail!(
            "the connection file has an empty key: then any program and any user of this machine could run code here. Let the client \
             write one (Jupyter does; with `--Session.key` given as an empty text it does not), or use the transport `ipc`"
        );
    }
    Ok(info)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(ip: &str) -> tempfile::NamedTempFile {
        file_with(ip, "tcp", "k")
    }

    fn file_with(ip: &str, transport: &str, key: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = serde_json::json!({
            "ip": ip, "transport": transport, "shell_port": 1, "iopub_port": 2, "stdin_port": 3, "control_port": 4,
            "hb_port": 5, "key": key, "signature_scheme": "hmac-sha256", "kernel_name": "workbench"
        });
        std::fs::write(file.path(), text.to_string()).unwrap();
        file
    }

    #[test]
    fn only_loopback_addresses_are_served() {
        assert!(read_connection(file("127.0.0.1").path()).is_ok());
        let message = read_connection(file("0.0.0.0").path()).unwrap_err().to_string();
        assert!(message.contains("127.0.0.1"), "{message}");
    }

    #[test]
    fn an_empty_key_is_refused_where_others_can_connect() {
        let message = read_connection(file_with("127.0.0.1", "tcp", "").path()).unwrap_err().to_string();
        assert!(message.contains("empty key"), "{message}");
        let socket = std::env::temp_dir().join("k");
        assert!(read_connection(file_with(&socket.to_string_lossy(), "ipc", "").path()).is_ok());
    }

    #[test]
    fn a_file_that_is_no_connection_file_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "[]").unwrap();
        let message = read_connection(file.path()).unwrap_err().to_string();
        assert!(message.contains("not a Jupyter connection file"), "{message}");
    }
}
