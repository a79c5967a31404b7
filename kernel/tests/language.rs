//! Completion and inspection: of the real project's crates, and over the protocol while a cell runs.

mod common;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{DEP, Project};
use jupyter_protocol::{ConnectionInfo, JupyterMessage, JupyterMessageContent, UnknownMessage};
use jupyter_zmq_client::{
    DealerRecvConnection, DealerSendConnection, create_client_iopub_connection,
    create_client_shell_connection_with_identity, peer_identity_for_session,
};
use serde_json::{Value, json};
use workbench_kernel::language::Language;

/// What a question may take on a busy machine.
const LIMIT: Duration = Duration::from_millis(300);

/// The cursor is at `§`.
fn split(cell: &str) -> (String, usize) {
    let cursor = cell.chars().position(|c| c == '§').unwrap();
    (cell.replacen('§', "", 1), cursor)
}

#[test]
fn the_projects_own_crates_are_known() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let before = resident();
    let start = Instant::now();
    let language = Arc::new(Language::default());
    eprintln!("std: {:?}", start.elapsed());
    language.learn(root);
    while !language.is_ready() {
        assert!(start.elapsed() < Duration::from_secs(240), "no index");
        std::thread::sleep(Duration::from_millis(5));
    }
    eprintln!(
        "first index: {:?}, {} MB more",
        start.elapsed(),
        (resident() - before) >> 20
    );
    let before = resident();
    let start = Instant::now();
    let language = Arc::new(Language::default());
    language.learn(root);
    while !language.is_ready() {
        std::thread::sleep(Duration::from_millis(1));
    }
    eprintln!(
        "index from disk: {:?}, {} MB more",
        start.elapsed(),
        (resident() - before) >> 20
    );

    let variables = [
        ("zipf", "workbench::memory::Zipf"),
        ("df", "workbench::polars::prelude::DataFrame"),
        (
            "a",
            "workbench::ndarray::ArrayBase<workbench::ndarray::OwnedRepr<f64>, workbench::ndarray::Dim<[usize; 2]>>",
        ),
        ("v", "std::vec::Vec<f64>"),
        ("curves", "std::vec::Vec<workbench::memory::ErrorCurve>"),
    ];
    let variables = variables
        .iter()
        .map(|(n, t)| ((*n).to_owned(), (*t).to_owned()))
        .collect();
    let start = format!("{DEP}\nuse workbench::prelude::*;\nuse workbench::memory::{{self, *}};");
    language.ran(&start, variables);

    let mut slowest = Duration::ZERO;
    let mut missing = Vec::new();
    let mut complete = |cell: &str, wanted: &[&str]| {
        let (code, cursor) = split(cell);
        let start = Instant::now();
        let found = language.complete(&code, cursor);
        slowest = slowest.max(start.elapsed());
        eprintln!("{:?} {cell}: {} found", start.elapsed(), found.items.len());
        for name in wanted {
            if !found.items.iter().any(|c| c.text == *name) {
                missing.push(format!("{name} at {cell}"));
            }
        }
    };
    complete("zipf.§", &["clone"]);
    complete("Zipf::§", &["new", "infinite"]);
    complete("memory::§", &["Zipf", "Scheme"]);
    complete("stats::§", &["mean", "power_fit", "Streams"]);
    complete("workbench::display::§", &["Figure", "Table", "emit"]);
    complete("workbench::§", &["memory", "stats", "polars", "ndarray"]);
    complete("Figure::new(\"x\").pan§", &["panel"]);
    complete("Figure::new(\"x\").panel(Panel::new(\"y\").x_la§", &["x_label"]);
    complete("df.§", &["column", "height", "lazy", "clone", "head", "filter"]);
    complete(
        "df.clone().lazy().§",
        &["filter", "select", "with_column", "group_by", "collect"],
    );
    complete(
        "df.clone().lazy().filter(col(\"a\").§",
        &["gt", "lt_eq", "alias", "sum", "mean"],
    );
    complete("df.column(\"x\")?.§", &["len", "name"]);
    complete("a.§", &["row", "column", "dot", "shape", "mapv", "sum", "t", "iter"]);
    complete("a.row(0).§", &["to_vec", "dot", "len"]);
    complete("Array2::§", &["zeros", "from_shape_vec", "eye"]);
    complete("v.§", &["push", "iter", "len"]);
    complete("v.iter().map(|x| x.sq§", &["sqrt"]);
    complete("let fit = power_fit(&v, &v, (1.0, 2.0))?;\nfit.§", &["slope"]);
    complete("Verdict::§", &["Holds", "Fails"]);
    complete("Threshold::PowerOfDimension { §", &["scale", "exponent"]);
    complete("for c in &curves { c.§ }", &["means", "slope"]);
    complete(
        "let ledger = Ledger::open(\"tour\")?;\nledger.record(\"x\", Evidence::of(Finding::eq§",
        &["equals"],
    );
    complete("let f = frame(&[(\"x\", &v)])?;\nf.heig§", &["height"]);
    complete("Led§", &["Ledger"]);
    complete("§", &["zipf", "Figure", "let", "println!", "workbench"]);
    assert!(missing.is_empty(), "{missing:#?}");

    let mut inspect = |cell: &str, wanted: &[&str]| {
        let (code, cursor) = split(cell);
        let start = Instant::now();
        let found = language.inspect(&code, cursor, 0);
        slowest = slowest.max(start.elapsed());
        let text = found.map(|f| f.markdown).unwrap_or_default();
        eprintln!("{:?} {cell}: {} characters", start.elapsed(), text.len());
        for word in wanted {
            assert!(text.contains(word), "{word} is not in what {cell} tells:\n{text}");
        }
    };
    inspect("zi§pf", &["zipf: Zipf", "struct Zipf"]);
    inspect("Zipf::infin§ite(2.0)", &["fn infinite(", "alpha"]);
    inspect("power_fit(§", &["fn power_fit("]);
    inspect("fra§me(&[(\"x\", &v)])", &["fn frame("]);
    inspect("let zi§pf2 = Zipf::infinite(2.0)?;", &["zipf2: Zipf"]);
    inspect("mem§ory::Zipf", &["mod workbench::memory"]);
    inspect("workbe§nch::memory", &["crate workbench"]);
    inspect("df.col§umn(\"x\")", &["fn column(&self, name: &str)"]);
    inspect("a.ma§pv(|x| x)", &["fn mapv"]);
    inspect("Stri§ng::new()", &["struct String"]);
    eprintln!("slowest answer: {slowest:?}");
    assert!(slowest < LIMIT, "{slowest:?}");
}

fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

/// A kernel and one client that sees every message.
struct Talk {
    child: Child,
    shell: DealerSendConnection,
    replies: DealerRecvConnection,
    iopub: tokio::sync::mpsc::UnboundedReceiver<JupyterMessage>,
    runtime: tokio::runtime::Runtime,
    _folder: tempfile::TempDir,
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Talk {
    fn start(project: &Project) -> Talk {
        let folder = tempfile::tempdir().unwrap();
        let held: Vec<_> = (0..5)
            .map(|_| std::net::TcpListener::bind("127.0.0.1:0").unwrap())
            .collect();
        let port = |i: usize| held[i].local_addr().unwrap().port();
        let info = json!({
            "ip": "127.0.0.1", "transport": "tcp", "shell_port": port(0), "iopub_port": port(1), "stdin_port": port(2),
            "control_port": port(3), "hb_port": port(4), "key": "test", "signature_scheme": "hmac-sha256",
            "kernel_name": "workbench"
        });
        let file = folder.path().join("connection.json");
        std::fs::write(&file, info.to_string()).unwrap();
        drop(held);
        let child = Command::new(env!("CARGO_BIN_EXE_workbench"))
            .args(["kernel", "-f"])
            .arg(&file)
            .current_dir(project.root().join("notebooks"))
            .env("WORKBENCH_ROOT", project.root())
            .env("CARGO_TARGET_DIR", project.root().join("target"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let info: ConnectionInfo = serde_json::from_value(info).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let session = uuid::Uuid::new_v4().to_string();
        let (shell, iopub) = runtime.block_on(async {
            let mut last = None;
            for _ in 0..200 {
                let identity = peer_identity_for_session(&session).unwrap();
                match create_client_shell_connection_with_identity(&info, &session, identity).await {
                    Ok(shell) => {
                        let iopub = create_client_iopub_connection(&info, "", &session).await.unwrap();
                        return (shell, iopub);
                    }
                    Err(error) => last = Some(error),
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            panic!("no kernel: {last:?}");
        });
        let (to, messages) = tokio::sync::mpsc::unbounded_channel();
        runtime.spawn(async move {
            let mut iopub = iopub;
            while let Ok(message) = iopub.read().await {
                if to.send(message).is_err() {
                    return;
                }
            }
        });
        let (shell, replies) = shell.split();
        let mut talk = Talk {
            child,
            shell,
            replies,
            iopub: messages,
            runtime,
            _folder: folder,
        };
        talk.run("1").unwrap();
        talk
    }

    fn send(&mut self, kind: &str, content: Value) -> String {
        let message = JupyterMessage::new(
            JupyterMessageContent::UnknownMessage(UnknownMessage {
                msg_type: kind.to_owned(),
                content,
            }),
            None,
        );
        let id = message.header.msg_id.clone();
        self.runtime.block_on(self.shell.send(message)).unwrap();
        id
    }

    fn reply(&mut self, id: &str) -> Value {
        let replies = &mut self.replies;
        self.runtime.block_on(async {
            loop {
                let message = tokio::time::timeout(Duration::from_secs(90), replies.read())
                    .await
                    .expect("no reply")
                    .unwrap();
                if message.parent_header.as_ref().is_some_and(|p| p.msg_id == id) {
                    return serde_json::to_value(&message.content).unwrap();
                }
            }
        })
    }

    fn ask(&mut self, kind: &str, content: Value) -> (Value, Duration) {
        let start = Instant::now();
        let id = self.send(kind, content);
        (self.reply(&id), start.elapsed())
    }

    fn run(&mut self, code: &str) -> Result<(), String> {
        let content = json!({"code": code, "silent": false, "store_history": true, "user_expressions": {}, "allow_stdin": false, "stop_on_error": true});
        let (reply, _) = self.ask("execute_request", content);
        match reply["status"].as_str() {
            Some("ok") => Ok(()),
            _ => Err(reply.to_string()),
        }
    }

    fn complete(&mut self, cell: &str) -> (Value, Vec<String>) {
        let (code, cursor) = split(cell);
        let (reply, took) = self.ask("complete_request", json!({"code": code, "cursor_pos": cursor}));
        assert!(took < 4 * LIMIT, "{cell} took {took:?}");
        assert_eq!(reply["status"], "ok");
        let matches = reply["matches"].as_array().unwrap().iter();
        let matches = matches.map(|m| m.as_str().unwrap().to_owned()).collect();
        (reply, matches)
    }

    fn inspect(&mut self, cell: &str, detail: u32) -> Value {
        let (code, cursor) = split(cell);
        let content = json!({"code": code, "cursor_pos": cursor, "detail_level": detail});
        self.ask("inspect_request", content).0
    }

    /// States of the kernel in order, with the kind of request they are about.
    fn states(&mut self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        while let Ok(message) = self.iopub.try_recv() {
            if let JupyterMessageContent::Status(status) = &message.content {
                let about = message.parent_header.map(|p| p.msg_type).unwrap_or_default();
                let state = serde_json::to_value(&status.execution_state).unwrap();
                all.push((about, state.as_str().unwrap_or_default().to_owned()));
            }
        }
        all
    }
}

#[test]
fn questions_are_answered_over_the_protocol_and_beside_a_running_cell() {
    let project = Project::new();
    std::fs::write(
        project.root().join("workbench/src/lib.rs"),
        "//! A crate.\n\n/// Sums of outer products.\npub mod memory {\n    /// A memory.\n    ///\n    /// It has $n$ inputs.\n    \
         #[derive(Clone)]\n    pub struct Memory { /// Rows are inputs.\n        pub weights: Vec<f64> }\n    impl Memory {\n        \
         /// An empty memory of a size.\n        pub fn new(size: usize) -> Memory { Memory { weights: vec![0.0; size] } }\n        \
         /// The best output.\n        ///\n        /// **Errors**: none.\n        pub fn retrieve(&self, input: usize) -> f64 { self.weights[input] }\n    }\n}\n",
    )
    .unwrap();
    let mut talk = Talk::start(&project);
    talk.run(DEP).unwrap();
    talk.run("use workbench::memory::Memory;\nlet memory = Memory::new(3);\n/// Twice.\nfn double(x: f64) -> f64 { 2.0 * x }")
        .unwrap();
    let start = Instant::now();
    while !talk.complete("memory.§").1.contains(&"retrieve".to_owned()) {
        assert!(start.elapsed() < Duration::from_secs(30), "the crate was not indexed");
        std::thread::sleep(Duration::from_millis(50));
    }

    // From every place in a word, the whole word is replaced; positions count characters, not bytes or UTF-16 units.
    let before = "let s = \"größe 𝛼\"; ";
    let word = "memory.retrieve(1)";
    let at = before.chars().count();
    for inside in 0..=8 {
        let cell: String = format!("{before}{word}");
        let cursor = at + 7 + inside;
        let marked: String = cell
            .chars()
            .take(cursor)
            .chain(['§'])
            .chain(cell.chars().skip(cursor))
            .collect();
        let (reply, matches) = talk.complete(&marked);
        assert_eq!(reply["cursor_start"], at + 7, "{marked}");
        assert_eq!(reply["cursor_end"], at + 15, "{marked}");
        assert!(matches.contains(&"retrieve".to_owned()), "{marked}: {matches:?}");
        let types = reply["metadata"]["_jupyter_types_experimental"].as_array().unwrap();
        let one = types.iter().find(|t| t["text"] == "retrieve").unwrap();
        assert_eq!(one["type"], "method");
        assert_eq!(one["signature"], "fn retrieve(&self, input: usize) -> f64");
        assert_eq!(one["documentation"], "The best output.");
        let told = talk.inspect(&marked, 0);
        assert_eq!(told["found"], true, "{marked}");
        assert!(
            told["data"]["text/markdown"]
                .as_str()
                .unwrap()
                .contains("**Errors**: none."),
            "{told}"
        );
        assert!(
            !told["data"]["text/plain"]
                .as_str()
                .unwrap()
                .contains("self.weights[input]")
        );
    }
    assert!(
        talk.inspect("memory.retr§ieve(1)", 1)["data"]["text/plain"]
            .as_str()
            .unwrap()
            .contains("self.weights[input]")
    );
    assert_eq!(talk.complete("dou§").1[0], "double");
    assert!(
        talk.inspect("dou§ble(1.0)", 0)["data"]["text/plain"]
            .as_str()
            .unwrap()
            .contains("Twice.")
    );
    assert!(
        talk.inspect("mem§ory", 0)["data"]["text/plain"]
            .as_str()
            .unwrap()
            .contains("memory: Memory")
    );
    assert!(
        talk.inspect("Memory::new(§", 0)["data"]["text/plain"]
            .as_str()
            .unwrap()
            .contains("An empty memory of a size.")
    );
    let nothing = talk.inspect("unkn§own", 0);
    assert_eq!((&nothing["found"], &nothing["status"]), (&json!(false), &json!("ok")));
    assert_eq!(nothing["data"], json!({}));
    assert_eq!(talk.complete("unknown_w§").1, [""; 0]);

    for (code, status) in [
        ("let x = 1;", "complete"),
        (":vars", "complete"),
        ("let s = \"two\nlines", "incomplete"),
        ("/* x", "incomplete"),
        ("#[derive(Debug)]", "incomplete"),
        ("x.", "incomplete"),
        ("let x =", "incomplete"),
        ("let s = \"}\";", "complete"),
        ("}", "invalid"),
    ] {
        assert_eq!(
            talk.ask("is_complete_request", json!({"code": code})).0["status"],
            status,
            "{code}"
        );
    }

    // Beside a running cell.
    while !talk.states().is_empty() {
        std::thread::sleep(Duration::from_millis(100));
    }
    let content = json!({"code": "std::thread::sleep(std::time::Duration::from_secs(4)); let after = memory.clone();",
        "silent": false, "store_history": true, "user_expressions": {}, "allow_stdin": false, "stop_on_error": true});
    let cell = talk.send("execute_request", content);
    std::thread::sleep(Duration::from_millis(1500));
    let waiting = talk.send(
        "history_request",
        json!({"hist_access_type": "tail", "n": 1, "output": false, "raw": true}),
    );
    let start = Instant::now();
    assert!(talk.complete("memory.§").1.contains(&"retrieve".to_owned()));
    assert_eq!(talk.inspect("mem§ory", 0)["found"], true);
    assert_eq!(
        talk.ask("is_complete_request", json!({"code": "f("})).0["status"],
        "incomplete"
    );
    assert!(
        start.elapsed() < Duration::from_secs(2),
        "answers waited for the cell: {:?}",
        start.elapsed()
    );
    let reply = talk.reply(&cell);
    assert_eq!(reply["status"], "ok", "{reply}");
    talk.reply(&waiting);
    std::thread::sleep(Duration::from_millis(300));
    let states = talk.states();
    let of_cell: Vec<&str> = states
        .iter()
        .filter(|(about, _)| about == "execute_request")
        .map(|(_, state)| state.as_str())
        .collect();
    // Told again that it is busy after each answer, and idle once.
    assert_eq!(of_cell, ["busy", "busy", "busy", "busy", "idle"], "{states:?}");
    assert!(talk.complete("after.§").1.contains(&"weights".to_owned()));
}
