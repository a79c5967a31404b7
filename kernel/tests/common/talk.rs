//! A client that sees every message: for tests of the protocol itself.

#![allow(dead_code)]

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use jupyter_protocol::{ConnectionInfo, Header, JupyterMessage, JupyterMessageContent, UnknownMessage};
use jupyter_zmq_client::*;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use zeromq::SocketRecv;

use super::Project;

/// How long anything may take.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A received message.
#[derive(Debug, Clone)]
pub struct Got {
    pub channel: &'static str,
    pub kind: String,
    pub parent: String,
    pub content: Value,
    pub header: Header,
    pub at: Instant,
}

/// A kernel process and its connection file.
pub struct Process {
    pub child: Child,
    pub info: ConnectionInfo,
    pub folder: tempfile::TempDir,
}

impl Process {
    pub fn start(project: &Project, environment: &[(&str, &str)]) -> Process {
        let folder = tempfile::tempdir().unwrap();
        let listeners: Vec<_> = (0..5)
            .map(|_| std::net::TcpListener::bind("127.0.0.1:0").unwrap())
            .collect();
        let port = |i: usize| listeners[i].local_addr().unwrap().port();
        let info = json!({
            "ip": "127.0.0.1", "transport": "tcp", "shell_port": port(0), "iopub_port": port(1), "stdin_port": port(2),
            "control_port": port(3), "hb_port": port(4), "key": "a key of the test", "signature_scheme": "hmac-sha256",
            "kernel_name": "workbench"
        });
        let file = folder.path().join("connection.json");
        std::fs::write(&file, info.to_string()).unwrap();
        drop(listeners);
        let log = std::fs::File::create(folder.path().join("kernel.log")).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_workbench"))
            .args(["kernel", "-f"])
            .arg(&file)
            .current_dir(project.root().join("notebooks"))
            .env("WORKBENCH_ROOT", project.root())
            .env("CARGO_TARGET_DIR", project.root().join("target"))
            .env("TMPDIR", folder.path())
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        Process {
            child,
            info: serde_json::from_value(info).unwrap(),
            folder,
        }
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("kernel.log")).unwrap_or_default()
    }

    pub fn log_path(&self) -> PathBuf {
        self.folder.path().join("kernel.log")
    }

    /// Ends the kernel; its connection file remains, with ports that are free again.
    pub fn connection_file_of_an_ended_kernel(mut self) -> tempfile::TempDir {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap())
    }

    /// Resident memory of the kernel in bytes.
    pub fn memory(&self) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/statm", self.child.id())).unwrap();
        text.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
    }

    /// The same, once the thread that learns the crates has come to its end.
    pub fn settled_memory(&self) -> u64 {
        let learns = || {
            let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
            tasks
                .flatten()
                .any(|task| std::fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name.trim() == "index"))
        };
        let began = std::time::Instant::now();
        while learns() && began.elapsed().as_secs() < 60 {
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        self.memory()
    }

    pub fn signal(&self, signal: i32) {
        // SAFETY: a signal to a process that this test started.
        unsafe { libc::kill(self.child.id() as i32, signal) };
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One client of a kernel.
pub struct Talk {
    runtime: tokio::runtime::Runtime,
    out: UnboundedSender<(&'static str, JupyterMessage)>,
    incoming: UnboundedReceiver<Got>,
    kept: Vec<Got>,
    session: String,
}

impl Talk {
    /// Connects and waits until the kernel answers and its broadcasts arrive.
    pub fn connect(info: &ConnectionInfo) -> Talk {
        let mut talk = Talk::unheard(info);
        let deadline = Instant::now() + PATIENCE;
        loop {
            let id = talk.send("shell", "kernel_info_request", json!({}));
            let patience = Duration::from_millis(500);
            let answered = talk.wait_for(patience, |m| m.parent == id && m.channel == "shell");
            if answered.is_some() && talk.wait_for(patience, |m| m.parent == id && is_idle(m)).is_some() {
                talk.kept.clear();
                return talk;
            }
            assert!(Instant::now() < deadline, "the kernel does not answer");
        }
    }

    /// Connects, whether the kernel likes it or not.
    pub fn unheard(info: &ConnectionInfo) -> Talk {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let session = uuid::Uuid::new_v4().to_string();
        let (out, mut queue) = unbounded_channel::<(&'static str, JupyterMessage)>();
        let (to, incoming) = unbounded_channel();
        let (info, name) = (info.clone(), session.clone());
        runtime.block_on(async {
            let identity = || peer_identity_for_session(&name).unwrap();
            let shell = create_client_shell_connection_with_identity(&info, &name, identity())
                .await
                .unwrap();
            let stdin = create_client_stdin_connection_with_identity(&info, &name, identity())
                .await
                .unwrap();
            let control = create_client_control_connection(&info, &name).await.unwrap();
            let mut iopub = create_client_iopub_connection(&info, "", &name).await.unwrap();
            let (mut shell, mut shell_in) = shell.split();
            let (mut stdin, mut stdin_in) = stdin.split();
            let (mut control, mut control_in) = control.split();
            macro_rules! receive {
                ($socket:ident, $name:literal) => {
                    let to = to.clone();
                    tokio::spawn(async move {
                        // Read as JSON: the types of the protocol crate know less than the specification allows.
                        while let Ok(parts) = $socket.socket.recv().await {
                            let raw = RawMessage::from_multipart(parts, &$socket.mac).unwrap();
                            let part = |i: usize| serde_json::from_slice::<Value>(&raw.jparts[i]).unwrap();
                            let header: Header = serde_json::from_value(part(0)).unwrap();
                            let got = Got {
                                channel: $name,
                                kind: header.msg_type.clone(),
                                parent: part(1)["msg_id"].as_str().unwrap_or_default().to_owned(),
                                content: part(3),
                                header,
                                at: Instant::now(),
                            };
                            if to.send(got).is_err() {
                                return;
                            }
                        }
                    });
                };
            }
            receive!(shell_in, "shell");
            receive!(stdin_in, "stdin");
            receive!(control_in, "control");
            receive!(iopub, "iopub");
            tokio::spawn(async move {
                while let Some((channel, message)) = queue.recv().await {
                    match channel {
                        "shell" => shell.send(message).await.unwrap(),
                        "stdin" => stdin.send(message).await.unwrap(),
                        _ => control.send(message).await.unwrap(),
                    }
                }
            });
        });
        Talk {
            runtime,
            out,
            incoming,
            kept: Vec::new(),
            session,
        }
    }

    pub fn send(&self, channel: &'static str, kind: &str, content: Value) -> String {
        self.send_with(channel, kind, content, json!({}), None)
    }

    pub fn send_with(
        &self,
        channel: &'static str,
        kind: &str,
        content: Value,
        metadata: Value,
        parent: Option<&Header>,
    ) -> String {
        let content = JupyterMessageContent::UnknownMessage(UnknownMessage {
            msg_type: kind.to_owned(),
            content,
        });
        let mut message = JupyterMessage::new(content, None)
            .with_metadata(metadata)
            .with_session(&self.session);
        message.parent_header = parent.cloned();
        let id = message.header.msg_id.clone();
        self.out.send((channel, message)).unwrap();
        id
    }

    /// The next message that fits; others are kept for later.
    pub fn wait_for(&mut self, patience: Duration, fits: impl Fn(&Got) -> bool) -> Option<Got> {
        if let Some(at) = self.kept.iter().position(&fits) {
            return Some(self.kept.remove(at));
        }
        let deadline = Instant::now() + patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let next = self
                .runtime
                .block_on(async { tokio::time::timeout(left, self.incoming.recv()).await });
            match next {
                Ok(Some(got)) if fits(&got) => return Some(got),
                Ok(Some(got)) => self.kept.push(got),
                _ => return None,
            }
        }
    }

    pub fn expect(&mut self, what: &str, fits: impl Fn(&Got) -> bool) -> Got {
        match self.wait_for(PATIENCE, fits) {
            Some(got) => got,
            None => panic!("no {what}; there are {:#?}", self.kept),
        }
    }

    /// Sends a cell.
    pub fn cell(&self, code: &str) -> String {
        self.cell_with(code, json!({}))
    }

    /// Sends a cell with some fields of the request.
    pub fn cell_with(&self, code: &str, fields: Value) -> String {
        let mut content = json!({
            "code": code, "silent": false, "store_history": true, "user_expressions": {}, "allow_stdin": true,
            "stop_on_error": true
        });
        for (name, value) in fields.as_object().unwrap() {
            content[name] = value.clone();
        }
        self.send("shell", "execute_request", content)
    }

    /// What a request gave: its reply and the broadcasts between busy and idle.
    pub fn finish(&mut self, id: &str) -> Done {
        let reply = self.expect("reply", |m| {
            m.parent == id && m.channel != "iopub" && m.channel != "stdin"
        });
        let idle = self.expect("idle", |m| m.parent == id && is_idle(m));
        let (mine, others) = std::mem::take(&mut self.kept)
            .into_iter()
            .partition(|m| m.parent == id && m.channel == "iopub");
        self.kept = others;
        Done {
            reply: reply.content,
            output: mine,
            idle,
        }
    }

    pub fn run(&mut self, code: &str) -> Done {
        let id = self.cell(code);
        self.finish(&id)
    }

    pub fn ask(&mut self, channel: &'static str, kind: &str, content: Value) -> Done {
        let id = self.send(channel, kind, content);
        self.finish(&id)
    }

    pub fn interrupt(&self) -> String {
        self.send("control", "interrupt_request", json!({}))
    }
}

pub fn is_idle(message: &Got) -> bool {
    message.kind == "status" && message.content["execution_state"] == "idle"
}

/// What a request gave.
#[derive(Debug)]
pub struct Done {
    pub reply: Value,
    pub output: Vec<Got>,
    pub idle: Got,
}

impl Done {
    pub fn ok(self) -> Done {
        assert_eq!(self.reply["status"], "ok", "{self:#?}");
        self
    }

    pub fn error(&self) -> (&str, &str) {
        assert_eq!(self.reply["status"], "error", "{self:#?}");
        (
            self.reply["ename"].as_str().unwrap(),
            self.reply["evalue"].as_str().unwrap(),
        )
    }

    pub fn kinds(&self) -> Vec<&str> {
        self.output.iter().map(|m| m.kind.as_str()).collect()
    }

    pub fn all(&self, kind: &str) -> Vec<&Value> {
        self.output
            .iter()
            .filter(|m| m.kind == kind)
            .map(|m| &m.content)
            .collect()
    }

    pub fn stream(&self, name: &str) -> String {
        let streams = self.all("stream").into_iter().filter(|c| c["name"] == name);
        streams.map(|c| c["text"].as_str().unwrap()).collect()
    }

    pub fn value(&self) -> &str {
        self.all("execute_result")
            .first()
            .and_then(|c| c["data"]["text/plain"].as_str())
            .unwrap_or_default()
    }

    /// The outputs in order, each as one word or two.
    pub fn told(&self) -> Vec<String> {
        let mut told: Vec<String> = Vec::new();
        for m in &self.output {
            let c = &m.content;
            let plain = c["data"]["text/plain"].as_str().unwrap_or_default();
            match m.kind.as_str() {
                "stream" => {
                    let (name, text) = (c["name"].as_str().unwrap(), c["text"].as_str().unwrap());
                    match told.last_mut() {
                        Some(last) if last.starts_with(&format!("{name}:")) => last.push_str(text),
                        _ => told.push(format!("{name}:{text}")),
                    }
                }
                "display_data" => told.push(format!("show:{plain}")),
                "update_display_data" => told.push(format!("update:{plain}")),
                "execute_result" => told.push(format!("value:{plain}")),
                "clear_output" => told.push(format!("clear:{}", c["wait"])),
                "error" => told.push(format!("error:{}", c["ename"].as_str().unwrap())),
                _ => {}
            }
        }
        told
    }
}

/// Rust code that prints a complete output.
pub fn display(data: &str, id: Option<&str>, update: bool) -> String {
    let id = id.map_or("null".to_owned(), |id| format!("\"{id}\""));
    format!(
        "print!(\"\\x01EVCXR_BEGIN_CONTENT application/x-workbench-display\\n{{}}\\nEVCXR_END_CONTENT\\n\", r#\"{{\"data\":{data},\"metadata\":{{}},\"id\":{id},\"update\":{update}}}\"#);"
    )
}

/// Rust code that prints a message to the kernel.
pub fn signal(json: &str) -> String {
    format!(
        "print!(\"\\x01EVCXR_BEGIN_CONTENT application/x-workbench-signal\\n{{}}\\nEVCXR_END_CONTENT\\n\", r#\"{json}\"#);"
    )
}
