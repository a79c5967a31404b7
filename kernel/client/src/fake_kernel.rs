//! A scripted kernel for tests: a test binary that starts itself again and answers on the protocol's sockets.
//!
//! Each line of a cell is an order: `print TEXT`, `show TEXT`, `live TEXT` (shows or updates one display), `clear`, `ask`, `table`, `result TEXT`, `error MESSAGE`, `die`, `sleep SECONDS`
//! (an interrupt ends it), `hang SECONDS` (nothing ends it), `wait-for FILE`, `cell-id`, `record CLAIM VERDICT`
//! (as a cell's ledger does; `... as RUN` pretends to be of another run),
//! `record-seed CLAIM SEED VERDICT OTHER` (the other one from other seeds).

use std::path::PathBuf;
use std::time::{Duration, Instant};

use jupyter_protocol::media::{Media, MediaType};
use jupyter_protocol::*;
use jupyter_zmq_client::*;
use workbench_record::{Entry, Row, Store};

const FILE: &str = "WORKBENCH_FAKE_KERNEL";

/// Command line that starts this kernel; `test` is the path of [`process`] in the test binary.
pub fn argv(test: &str) -> Vec<String> {
    let exe = std::env::current_exe().unwrap().display().to_string();
    let line = format!("{FILE}=\"$0\" exec \"$1\" --exact \"$2\" --ignored --nocapture");
    ["sh", "-c", &line, "{connection_file}", &exe, test].map(String::from).to_vec()
}

/// Not a test: the kernel process.
#[test]
#[ignore = "the kernel process that other tests start"]
fn process() {
    let Some(file) = std::env::var_os(FILE) else {
        return;
    };
    let info = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(serve(info));
}

/// A socket on one of the ports. A process that starts in this moment may hold a copy of what kept the port free: tried for five
/// seconds, as the real kernel does.
macro_rules! bound {
    ($connection:expr) => {{
        let until = Instant::now() + Duration::from_secs(5);
        loop {
            match $connection.await {
                Ok(socket) => break socket,
                Err(_) if Instant::now() < until => tokio::time::sleep(Duration::from_millis(20)).await,
                Err(error) => panic!("{}: {error}", stringify!($connection)),
            }
        }
    }};
}

async fn serve(info: ConnectionInfo) {
    let session = "fake";
    let mut shell = bound!(create_kernel_shell_connection(&info, session));
    let mut control = bound!(create_kernel_control_connection(&info, session));
    let mut iopub = bound!(create_kernel_iopub_connection(&info, session));
    let mut stdin = bound!(create_kernel_stdin_connection(&info, session));
    let mut beat = bound!(create_kernel_heartbeat_connection(&info));
    tokio::spawn(async move { while beat.single_heartbeat().await.is_ok() {} });
    let (interrupt, mut interrupted) = tokio::sync::watch::channel(0u32);
    tokio::spawn(async move {
        while let Ok(request) = control.read().await {
            match request.content {
                JupyterMessageContent::InterruptRequest(_) => {
                    interrupt.send_modify(|count| *count += 1);
                    let reply = InterruptReply::default().as_child_of(&request);
                    control.send(reply).await.unwrap();
                }
                JupyterMessageContent::ShutdownRequest(_) => std::process::exit(0),
                _ => {}
            }
        }
    });
    let mut count = 0;
    while let Ok(request) = shell.read().await {
        iopub.send(Status::busy().as_child_of(&request)).await.unwrap();
        match &request.content {
            JupyterMessageContent::KernelInfoRequest(_) => {
                let reply = serde_json::from_value::<KernelInfoReply>(serde_json::json!({
                    "status": "ok",
                    "protocol_version": "5.3",
                    "implementation": "fake",
                    "implementation_version": "1",
                    "language_info": {"name": "rust", "version": "1", "file_extension": ".rs"},
                    "banner": "",
                }))
                .unwrap();
                shell.send(reply.as_child_of(&request)).await.unwrap();
            }
            JupyterMessageContent::ExecuteRequest(execute) => {
                count += 1;
                let reply = cell(&request, &execute.code, count, &mut iopub, &mut stdin, &mut interrupted).await;
                shell.send(reply.as_child_of(&request)).await.unwrap();
            }
            _ => {}
        }
        iopub.send(Status::idle().as_child_of(&request)).await.unwrap();
    }
}

async fn cell(
    request: &JupyterMessage,
    code: &str,
    count: usize,
    iopub: &mut KernelIoPubConnection,
    stdin: &mut KernelStdinConnection,
    interrupted: &mut tokio::sync::watch::Receiver<u32>,
) -> ExecuteReply {
    interrupted.mark_unchanged();
    let mut reply = ExecuteReply { execution_count: count.into(), ..Default::default() };
    for line in code.lines() {
        let (order, rest) = line.split_once(' ').unwrap_or((line, ""));
        let media = || Media::new(vec![MediaType::Plain(rest.to_string())]);
        let seconds = || Duration::from_secs_f64(rest.parse().unwrap());
        let mut failure = None;
        let message: Option<JupyterMessage> = match order {
            "print" => Some(StreamContent::stdout(&format!("{rest}\n")).as_child_of(request)),
            "cell-id" => {
                let id = request.metadata["cellId"].as_str().unwrap();
                Some(StreamContent::stdout(&format!("{id}\n")).as_child_of(request))
            }
            "table" => {
                let html = Media::new(vec![MediaType::Html("<table></table>".into())]);
                Some(DisplayData::new(html).as_child_of(request))
            }
            "live" => {
                let transient = Transient { display_id: Some("live".into()) };
                Some(if rest == "0" {
                    let mut shown = DisplayData::new(media());
                    shown.transient = Some(transient);
                    shown.as_child_of(request)
                } else {
                    UpdateDisplayData::new(media(), "live").as_child_of(request)
                })
            }
            "clear" => Some(ClearOutput { wait: true }.as_child_of(request)),
            "ask" => {
                stdin.send(InputRequest::default().as_child_of(request)).await.unwrap();
                let JupyterMessageContent::InputReply(reply) = stdin.read().await.unwrap().content else {
                    panic!("no input_reply");
                };
                let told = reply.error.unwrap().evalue;
                Some(StreamContent::stdout(&format!("{:?}: {told}\n", reply.status)).as_child_of(request))
            }
            "show" => Some(DisplayData::new(media()).as_child_of(request)),
            "result" => Some(ExecuteResult::new(count.into(), media()).as_child_of(request)),
            "error" => {
                failure = Some(("Panic", rest));
                None
            }
            "die" => {
                eprintln!("dying as told");
                tokio::time::sleep(Duration::from_millis(50)).await;
                std::process::exit(7);
            }
            "sleep" => {
                tokio::select! {
                    () = tokio::time::sleep(seconds()) => {}
                    _ = interrupted.changed() => failure = Some(("Interrupted", "stopped")),
                }
                None
            }
            "wait-for" => {
                while !std::path::Path::new(rest).exists() && failure.is_none() {
                    tokio::select! {
                        () = tokio::time::sleep(Duration::from_millis(20)) => {}
                        _ = interrupted.changed() => failure = Some(("Interrupted", "stopped")),
                    }
                }
                None
            }
            "hang" => {
                std::thread::sleep(seconds());
                None
            }
            "record-seed" => {
                let words: Vec<&str> = rest.split_whitespace().collect();
                let first = std::env::var("WORKBENCH_SEED").unwrap() == words[1];
                let verdict = if first { words[2] } else { words[3] };
                record(&format!("{} {verdict}", words[0]), request.metadata["cellId"].as_str().unwrap());
                None
            }
            "record" => {
                record(rest, request.metadata["cellId"].as_str().unwrap());
                None
            }
            _ => None,
        };
        if let Some(message) = message {
            iopub.send(message).await.unwrap();
        }
        if let Some((name, message)) = failure {
            let error = ErrorOutput { ename: name.into(), evalue: message.into(), traceback: vec![message.into()] };
            iopub.send(error.as_child_of(request)).await.unwrap();
            reply.status = ReplyStatus::Error;
            reply.error = Some(Box::new(ReplyError { ename: name.into(), evalue: message.into(), traceback: vec![] }));
            break;
        }
    }
    reply
}

/// Records a verdict as a cell's ledger does. `record CLAIM VERDICT [RUN]` can pretend to be of another run.
fn record(order: &str, cell: &str) {
    let (claim, rest) = order.split_once(' ').unwrap();
    let (verdict, pretended) = rest.split_once(" as ").map_or((rest, None), |(verdict, run)| (verdict, Some(run)));
    let set = |name: &str| std::env::var(name).unwrap();
    // The runner gives every attempt at a notebook a folder: NAME/NUMBER.
    let results = PathBuf::from(set("WORKBENCH_RESULTS"));
    let row = Row {
        verdict: verdict.parse().unwrap(),
        expected: "1 ± 0.2".into(),
        measured: Some(1.0),
        low: Some(0.9),
        high: Some(1.1),
        n: Some(10),
        seconds: 0.1,
        notebook: results.parent().unwrap().file_name().unwrap().to_str().unwrap().into(),
        cell: cell.into(),
        finding: "slope".into(),
        run: pretended.map_or_else(|| set("WORKBENCH_RUN"), str::to_string),
        statement: "s".into(),
        ..Row::blank(claim, set("WORKBENCH_SCALE").parse().unwrap(), set("WORKBENCH_SEED").parse().unwrap())
    };
    let entry = Entry { row, findings: Vec::new(), notes: Vec::new() };
    Store::new(results).put(entry, None).unwrap();
}
