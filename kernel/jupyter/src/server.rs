//! The five sockets of a kernel and the tasks that serve them.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use jupyter_protocol::{ConnectionInfo, ExecutionState, InterruptReply, JupyterMessage, JupyterMessageContent};
use jupyter_zmq_client::{
    KernelControlConnection, RouterRecvConnection, create_kernel_control_connection,
    create_kernel_heartbeat_connection, create_kernel_iopub_xpub_connection, create_kernel_shell_connection,
    create_kernel_stdin_connection,
};
use tokio::sync::{Notify, mpsc};

use super::engine::Engine;
use super::info;
use super::publish::Publisher;
use super::shell::Shell;
use super::stdin::Questions;
use super::wire::{self, Incoming, Refused, Seen};
use workbench_eval::interrupt::Interrupts;
use workbench_setup::project::Project;

/// Runs until a client asks for shutdown.
pub async fn run(info: ConnectionInfo, folder: PathBuf, project: Project, interrupts: Interrupts) -> Result<()> {
    let session = uuid::Uuid::new_v4().to_string();
    let taken = "a port of the connection file cannot be used: is another kernel running with the same file?";
    let (info, proxy) = super::frame_limit::take(&info).await.context(taken)?;
    let shell = create_kernel_shell_connection(&info, &session).await.context(taken)?;
    let control = create_kernel_control_connection(&info, &session).await.context(taken)?;
    let stdin = create_kernel_stdin_connection(&info, &session).await.context(taken)?;
    let mut heartbeat = create_kernel_heartbeat_connection(&info).await.context(taken)?;
    let iopub = create_kernel_iopub_xpub_connection(&info, &session).await.context(taken)?;
    let _sockets = proxy.open();

    super::info::prepare();
    let (publisher, publishing) = Publisher::serve(iopub);
    tokio::spawn(async move {
        loop {
            // A client that goes away in the middle of a beat is no reason to stop.
            if heartbeat.single_heartbeat().await.is_err() {
                tokio::time::sleep(PAUSE).await;
            }
        }
    });

    let engine = Engine::start(folder, project, interrupts)?;
    let finished = Arc::new(Notify::new());
    let kernel = Kernel {
        engine: engine.clone(),
        publisher: publisher.clone(),
        questions: Questions::serve(stdin),
        finished: finished.clone(),
    };
    let state = Shell::new(engine.clone(), publisher.clone(), kernel.questions.clone(), finished.clone());
    let (send, receive) = shell.split();
    let (requests, queue) = mpsc::unbounded_channel();
    tokio::spawn(read_requests(receive, requests));
    tokio::spawn(state.serve(queue, send));
    tokio::spawn(kernel.clone().serve_control(control));

    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    let mut interrupt = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
    loop {
        tokio::select! {
            () = finished.notified() => break,
            _ = terminate.recv() => break,
            _ = interrupt.recv() => kernel.interrupt(),
            () = orphaned() => break,
        }
    }
    let closing = tokio::task::spawn_blocking(move || engine.close());
    let _ = closing.await;
    drop((publisher, kernel));
    // Let the last replies leave.
    let _ = tokio::time::timeout(std::time::Duration::from_millis(200), publishing).await;
    Ok(())
}

/// Returns when the client that started this kernel is gone without a word, as after a crash: nobody could end the kernel then.
async fn orphaned() {
    let named = std::env::var("JPY_PARENT_PID").ok().and_then(|id| id.parse::<u32>().ok());
    let is_ours = || named == Some(std::os::unix::process::parent_id());
    if !is_ours() {
        // Started through something else, which looks after us.
        return std::future::pending().await;
    }
    while is_ours() {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    }
}

/// Waits for requests while others are worked on. What is refused is logged.
async fn read_requests(mut socket: RouterRecvConnection, requests: mpsc::UnboundedSender<Incoming>) {
    let mut seen = Seen::default();
    loop {
        match wire::read(&mut socket, &mut seen).await {
            Ok(message) => {
                if requests.send(message).is_err() {
                    return;
                }
            }
            Err(error) => refuse("shell", &error).await,
        }
    }
}

/// How long to wait after a failure, so that a socket that only fails does not spin.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(50);

async fn refuse(channel: &str, error: &Refused) {
    eprintln!("refused a message on the {channel} channel: {error}");
    if matches!(error, Refused::Socket(_)) {
        tokio::time::sleep(PAUSE).await;
    }
}

/// What the control channel works on.
#[derive(Clone)]
struct Kernel {
    engine: Engine,
    publisher: Publisher,
    questions: Questions,
    finished: Arc<Notify>,
}

impl Kernel {
    /// Stops the running cell, if there is one.
    fn interrupt(&self) {
        if self.engine.interrupts().interrupt() {
            self.questions.interrupt();
            self.engine.ahead().stop();
        }
    }

    /// Requests that must not wait for the running cell.
    async fn serve_control(self, mut socket: KernelControlConnection) {
        let mut seen = Seen::default();
        loop {
            let (message, problem) = match wire::read(&mut socket, &mut seen).await {
                Ok(Incoming::Message(message)) => (message, None),
                Ok(Incoming::Unreadable(message, why)) => (message, Some(why)),
                Err(error) => {
                    refuse("control", &error).await;
                    continue;
                }
            };
            self.publisher.status(ExecutionState::Busy, &message);
            let mut stop = false;
            let reply: Option<JupyterMessageContent> = match &message.content {
                _ if problem.is_some() => {
                    let why = problem.unwrap_or_default();
                    eprintln!("refused {} on the control channel: {why}", message.header.msg_type);
                    Some(info::failed(&message.header.msg_type, "BadRequest", &why))
                }
                JupyterMessageContent::InterruptRequest(_) => {
                    self.interrupt();
                    Some(InterruptReply::new().into())
                }
                JupyterMessageContent::ShutdownRequest(request) => {
                    stop = true;
                    let reply = info::shutdown_reply(request.restart);
                    self.publisher.publish(reply.clone(), &message);
                    Some(reply)
                }
                JupyterMessageContent::KernelInfoRequest(_) => Some(info::kernel_info()),
                JupyterMessageContent::DebugRequest(request) => Some(info::debug_reply(request)),
                JupyterMessageContent::CommInfoRequest(_) => Some(info::comm_info(std::iter::empty(), "")),
                other => {
                    eprintln!("no answer to {} on the control channel", other.message_type());
                    None
                }
            };
            if let Some(reply) = reply
                && let Err(error) = socket.send(JupyterMessage::new(reply, Some(&message))).await
            {
                eprintln!("could not answer on the control channel: {error}");
            }
            self.publisher.status(ExecutionState::Idle, &message);
            if stop {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                self.finished.notify_one();
            }
        }
    }
}
