//! The five sockets of a kernel and the tasks that serve them.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use bytes::Bytes;
use jupyter_protocol::{
    ConnectionInfo, ExecutionState, InterruptReply, JupyterMessage, JupyterMessageContent, ReplyStatus, ShutdownReply,
    Status,
};
use jupyter_zmq_client::{
    KernelControlConnection, RouterRecvConnection, RouterSendConnection, create_kernel_control_connection,
    create_kernel_heartbeat_connection, create_kernel_iopub_connection, create_kernel_shell_connection,
    create_kernel_stdin_connection,
};
use tokio::sync::{Notify, mpsc};

use super::engine::Engine;
use super::shell::Shell;
use crate::eval::library::Project;

/// Sends messages to all clients, in the order given, from any thread.
#[derive(Clone)]
pub struct Publisher {
    queue: mpsc::UnboundedSender<JupyterMessage>,
}

impl Publisher {
    /// Publishes `content` as a consequence of `parent`.
    pub fn publish(&self, content: impl Into<JupyterMessageContent>, parent: &JupyterMessage) {
        let content = content.into();
        let topic = Bytes::from(format!("kernel.workbench.{}", content.message_type()));
        let message = JupyterMessage::new(content, Some(parent)).with_zmq_identities(vec![topic]);
        // The receiver lives as long as the kernel.
        let _ = self.queue.send(message);
    }

    /// Publishes that the kernel works on `parent`, or has finished with it.
    pub fn status(&self, state: ExecutionState, parent: &JupyterMessage) {
        self.publish(Status { execution_state: state }, parent);
    }
}

/// Runs until a client asks for shutdown.
pub async fn run(info: ConnectionInfo, folder: PathBuf, project: Project) -> Result<()> {
    let session = uuid::Uuid::new_v4().to_string();
    let taken = "a port of the connection file cannot be used: is another kernel running with the same file?";
    let shell = create_kernel_shell_connection(&info, &session).await.context(taken)?;
    let control = create_kernel_control_connection(&info, &session).await.context(taken)?;
    let stdin = create_kernel_stdin_connection(&info, &session).await.context(taken)?;
    let mut heartbeat = create_kernel_heartbeat_connection(&info).await.context(taken)?;
    let mut iopub = create_kernel_iopub_connection(&info, &session).await.context(taken)?;

    let (queue, mut outgoing) = mpsc::unbounded_channel::<JupyterMessage>();
    let publisher = Publisher { queue };
    let publishing = tokio::spawn(async move {
        while let Some(message) = outgoing.recv().await {
            if let Err(error) = iopub.send(message).await {
                eprintln!("could not publish a message: {error}");
            }
        }
    });
    tokio::spawn(async move { while heartbeat.single_heartbeat().await.is_ok() {} });

    let engine = Engine::start(folder, project)?;
    let finished = Arc::new(Notify::new());
    let shell_state = Shell::new(engine.clone(), publisher.clone(), finished.clone());
    let (send, receive) = shell.split();
    let (requests, queue) = mpsc::unbounded_channel();
    tokio::spawn(read_requests(receive, requests));
    tokio::spawn(shell_state.serve(queue, send));
    tokio::spawn(serve_control(
        control,
        engine.clone(),
        publisher.clone(),
        finished.clone(),
    ));

    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    let mut interrupt = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
    loop {
        tokio::select! {
            () = finished.notified() => break,
            _ = terminate.recv() => break,
            _ = interrupt.recv() => engine.interrupt(),
        }
    }
    engine.kill();
    drop((publisher, stdin));
    // Let the last replies leave.
    let _ = tokio::time::timeout(std::time::Duration::from_millis(200), publishing).await;
    Ok(())
}

/// Reads requests while others are worked on. What is not signed with the session's key, or is malformed, is
/// refused and logged.
async fn read_requests(mut socket: RouterRecvConnection, requests: mpsc::UnboundedSender<JupyterMessage>) {
    let mut failures = 0;
    loop {
        match socket.read().await {
            Ok(message) => {
                failures = 0;
                if requests.send(message).is_err() {
                    return;
                }
            }
            Err(error) => {
                eprintln!("refused a message on the shell channel: {error}");
                failures += 1;
                if failures > 10 {
                    // A socket that only fails would spin.
                    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                }
            }
        }
    }
}

async fn serve_control(
    mut socket: KernelControlConnection,
    engine: Engine,
    publisher: Publisher,
    finished: Arc<Notify>,
) {
    loop {
        let message = match socket.read().await {
            Ok(message) => message,
            Err(error) => {
                eprintln!("refused a message on the control channel: {error}");
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                continue;
            }
        };
        publisher.status(ExecutionState::Busy, &message);
        let mut stop = false;
        let reply: Option<JupyterMessageContent> = match &message.content {
            JupyterMessageContent::InterruptRequest(_) => {
                engine.interrupt();
                Some(InterruptReply::new().into())
            }
            JupyterMessageContent::ShutdownRequest(request) => {
                stop = true;
                let reply = ShutdownReply {
                    restart: request.restart,
                    status: ReplyStatus::Ok,
                    error: None,
                };
                Some(reply.into())
            }
            JupyterMessageContent::KernelInfoRequest(_) => Some(super::shell::kernel_info().into()),
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
        publisher.status(ExecutionState::Idle, &message);
        if stop {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            finished.notify_one();
        }
    }
}

/// Answers on the shell channel.
pub async fn answer(
    socket: &mut RouterSendConnection,
    content: impl Into<JupyterMessageContent>,
    parent: &JupyterMessage,
) {
    if let Err(error) = socket.send(JupyterMessage::new(content, Some(parent))).await {
        eprintln!("could not answer on the shell channel: {error}");
    }
}
