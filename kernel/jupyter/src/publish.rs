//! Messages to clients: those that all of them get, and the answer to one request.

use bytes::Bytes;
use jupyter_protocol::{ExecutionState, IoPubWelcome, JupyterMessage, JupyterMessageContent, Status};
use jupyter_zmq_client::{KernelIoPubXPubConnection, RouterSendConnection, SubscriptionEvent};
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Sends messages to all clients, in the order given, from any thread.
#[derive(Clone)]
pub struct Publisher {
    queue: mpsc::UnboundedSender<JupyterMessage>,
}

impl Publisher {
    /// Sends from now on what is published, and welcomes who subscribes; the task ends when no publisher is left.
    pub fn serve(mut iopub: KernelIoPubXPubConnection) -> (Publisher, JoinHandle<()>) {
        let (queue, mut outgoing) = mpsc::unbounded_channel::<JupyterMessage>();
        let publishing = tokio::spawn(async move {
            loop {
                let message = tokio::select! {
                    message = outgoing.recv() => message,
                    event = iopub.recv_subscription() => match event {
                        // Who subscribed hears everything from here on.
                        Ok(SubscriptionEvent::Subscribe(topic)) => Some(welcome(topic)),
                        Ok(SubscriptionEvent::Unsubscribe(_)) => continue,
                        // A client that goes away.
                        Err(_) => {
                            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
                            continue;
                        }
                    },
                };
                let Some(message) = message else { return };
                if let Err(error) = iopub.send(message).await {
                    eprintln!("could not publish a message: {error}");
                }
            }
        });
        (Publisher { queue }, publishing)
    }

    /// Publishes `content` as a consequence of `parent`.
    pub fn publish(&self, content: impl Into<JupyterMessageContent>, parent: &JupyterMessage) {
        self.publish_with(content, Value::Object(Map::new()), parent);
    }

    /// As [`Publisher::publish`], with metadata.
    pub fn publish_with(&self, content: impl Into<JupyterMessageContent>, metadata: Value, parent: &JupyterMessage) {
        let content = content.into();
        let topic = Bytes::from(format!("kernel.workbench.{}", content.message_type()));
        let mut message = JupyterMessage::new(content, Some(parent)).with_zmq_identities(vec![topic]);
        message.metadata = metadata;
        // The receiver lives as long as the kernel.
        let _ = self.queue.send(message);
    }

    /// Publishes that the kernel works on `parent`, or has finished with it.
    pub fn status(&self, state: ExecutionState, parent: &JupyterMessage) {
        self.publish(Status { execution_state: state }, parent);
    }
}

/// What a client that subscribes to `topic` hears first.
fn welcome(topic: String) -> JupyterMessage {
    let identity = Bytes::from(topic.clone().into_bytes());
    JupyterMessage::new(IoPubWelcome::new(topic), None).with_zmq_identities(vec![identity])
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
