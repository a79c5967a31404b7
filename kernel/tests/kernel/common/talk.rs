//! A kernel with the small crate, and clients that see every message: for tests of the protocol itself. What does not come fails the
//! test.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use jupyter_protocol::ConnectionInfo;
use serde_json::{Value, json};
pub use workbench_client::{Channel, Message};
use workbench_client::{Exchange, Interrupt, KernelCommand, Transport, execute_request};

use super::Project;

/// How long anything may take.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A kernel process.
pub struct Process(workbench_client::Process);

impl Deref for Process {
    type Target = workbench_client::Process;

    fn deref(&self) -> &workbench_client::Process {
        &self.0
    }
}

impl DerefMut for Process {
    fn deref_mut(&mut self) -> &mut workbench_client::Process {
        &mut self.0
    }
}

impl Process {
    pub fn start(project: &Project, environment: &[(&str, &str)]) -> Process {
        let command = KernelCommand {
            argv: [env!("CARGO_BIN_EXE_workbench"), "kernel", "-f", "{connection_file}"].map(str::to_owned).to_vec(),
            folder: project.root().join("notebooks"),
            environment: project.environment(environment),
            interrupt: Interrupt::Message,
            transport: Transport::TCP,
            log: None,
        };
        Process(workbench_client::Process::start(&command).unwrap())
    }

    /// Resident memory of the kernel in bytes.
    pub fn memory(&self) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/statm", self.id())).unwrap();
        text.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
    }

    /// The same, once the thread that learns the crates has come to its end.
    pub fn settled_memory(&self) -> u64 {
        let learns = || {
            let tasks = std::fs::read_dir(format!("/proc/{}/task", self.id())).unwrap();
            tasks
                .flatten()
                .any(|task| std::fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name.trim() == "index"))
        };
        let began = std::time::Instant::now();
        while learns() && began.elapsed().as_secs() < 60 {
            std::thread::sleep(Duration::from_millis(100));
        }
        self.memory()
    }

    /// Sends a signal to the kernel alone.
    pub fn signal(&self, signal: i32) {
        // SAFETY: a signal to a process that this test started.
        unsafe { libc::kill(self.id(), signal) };
    }
}

/// One client of a kernel.
pub struct Talk(workbench_client::Talk);

impl Deref for Talk {
    type Target = workbench_client::Talk;

    fn deref(&self) -> &workbench_client::Talk {
        &self.0
    }
}

impl Talk {
    /// Connects and waits until the kernel answers and its broadcasts arrive.
    pub fn connect(process: &mut Process) -> Talk {
        let session = uuid::Uuid::new_v4().to_string();
        let mut talk = workbench_client::Talk::connect(process, &session, PATIENCE).unwrap();
        talk.log.clear();
        Talk(talk)
    }

    /// Connects, whether the kernel likes it or not.
    pub fn unheard(info: &ConnectionInfo) -> Talk {
        Talk(workbench_client::Talk::unheard(info, &uuid::Uuid::new_v4().to_string()).unwrap())
    }

    pub fn send(&mut self, channel: Channel, kind: &str, content: Value) -> String {
        self.0.send(channel, kind, content).unwrap()
    }

    /// The client itself.
    pub fn raw(&mut self) -> &mut workbench_client::Talk {
        &mut self.0
    }

    /// Answers a question of the kernel.
    pub fn answer(&mut self, question: &Message, content: Value) {
        self.0.answer(question, "input_reply", content).unwrap();
    }

    /// The next message that fits; others are kept for later.
    pub fn wait_for(&mut self, patience: Duration, fits: impl Fn(&Message) -> bool) -> Option<Message> {
        self.0.wait_for(patience, fits)
    }

    pub fn expect(&mut self, what: &str, fits: impl Fn(&Message) -> bool) -> Message {
        match self.wait_for(PATIENCE, fits) {
            Some(message) => message,
            None => panic!("no {what}; there are {:#?}", self.log),
        }
    }

    /// Sends a cell.
    pub fn cell(&mut self, code: &str) -> String {
        self.cell_with(code, json!({}))
    }

    /// Sends a cell with some fields of the request.
    pub fn cell_with(&mut self, code: &str, fields: Value) -> String {
        let mut content = execute_request(code);
        for (name, value) in fields.as_object().unwrap() {
            content[name] = value.clone();
        }
        self.send(Channel::Shell, "execute_request", content)
    }

    /// What a request gave: its reply and the broadcasts between busy and idle.
    pub fn finish(&mut self, id: &str) -> Done {
        self.finish_within(id, PATIENCE)
    }

    pub fn finish_within(&mut self, id: &str, patience: Duration) -> Done {
        let exchange = self.0.finish(id, patience);
        match (exchange.reply().cloned(), exchange.idle().cloned()) {
            (Some(reply), Some(idle)) => Done { replied: reply.at, reply: reply.content, idle, exchange },
            _ => panic!("no end; there are {exchange:#?} and {:#?}", self.log),
        }
    }

    pub fn run(&mut self, code: &str) -> Done {
        let id = self.cell(code);
        self.finish(&id)
    }

    pub fn ask(&mut self, channel: Channel, kind: &str, content: Value) -> Done {
        let id = self.send(channel, kind, content);
        self.finish(&id)
    }

    pub fn interrupt(&mut self) -> String {
        self.send(Channel::Control, "interrupt_request", json!({}))
    }
}

/// What a request gave, to its end.
#[derive(Debug)]
pub struct Done {
    pub reply: Value,
    pub replied: std::time::Instant,
    pub idle: Message,
    exchange: Exchange,
}

impl Deref for Done {
    type Target = Exchange;

    fn deref(&self) -> &Exchange {
        &self.exchange
    }
}

impl Done {
    pub fn ok(self) -> Done {
        assert_eq!(self.reply["status"], "ok", "{self:#?}");
        self
    }

    pub fn error(&self) -> (&str, &str) {
        assert_eq!(self.reply["status"], "error", "{self:#?}");
        (self.reply["ename"].as_str().unwrap(), self.reply["evalue"].as_str().unwrap())
    }

    /// The broadcasts before the idle message.
    fn output(&self) -> impl Iterator<Item = &Message> {
        let all = self.exchange.messages.iter();
        all.filter(|m| m.channel == Channel::Iopub && !m.is_idle())
    }

    pub fn kinds(&self) -> Vec<&str> {
        self.output().map(|m| m.kind.as_str()).collect()
    }

    pub fn all(&self, kind: &str) -> Vec<&Value> {
        self.output().filter(|m| m.kind == kind).map(|m| &m.content).collect()
    }

    /// The outputs in order, each as one word or two.
    pub fn told(&self) -> Vec<String> {
        let mut told: Vec<String> = Vec::new();
        for m in self.output() {
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
        "print!(\"\\x01EVCXR_BEGIN_CONTENT application/x-workbench-display {{}}\\n{{}}\\nEVCXR_END_CONTENT\\n\", std::env::var(\"WORKBENCH_SEAL\").unwrap(), r#\"{{\"data\":{data},\"metadata\":{{}},\"id\":{id},\"update\":{update}}}\"#);"
    )
}

/// Rust code that prints a message to the kernel.
pub fn signal(json: &str) -> String {
    format!(
        "print!(\"\\x01EVCXR_BEGIN_CONTENT application/x-workbench-signal {{}}\\n{{}}\\nEVCXR_END_CONTENT\\n\", std::env::var(\"WORKBENCH_SEAL\").unwrap(), r#\"{json}\"#);"
    )
}
