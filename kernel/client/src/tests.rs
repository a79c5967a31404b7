//! The client against a scripted kernel.

use std::time::{Duration, Instant};

use jupyter_protocol::JupyterMessageContent;

use super::*;

fn command(folder: &std::path::Path) -> KernelCommand {
    KernelCommand {
        argv: fake_kernel::argv("fake_kernel::process"),
        folder: folder.to_path_buf(),
        environment: Vec::new(),
        interrupt: Interrupt::Message,
        transport: Transport::TCP,
        log: Some(folder.join("kernel.log")),
    }
}

fn with_client<T>(test: impl AsyncFnOnce(&mut Client) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut client = Client::start(&command(folder.path()), Duration::from_secs(30)).await.unwrap();
        let result = test(&mut client).await;
        client.shutdown().await;
        result
    })
}

async fn run(client: &mut Client, code: &str, limit: Option<f64>) -> (Executed, Vec<String>) {
    let mut kinds = Vec::new();
    let limit = limit.map(Duration::from_secs_f64);
    let executed = client
        .execute(code, "cell-a", limit, &mut |content| {
            kinds.push(content.message_type().to_string());
        })
        .await
        .unwrap();
    (executed, kinds)
}

#[test]
fn a_cell_that_ends_well_hands_over_all_its_messages() {
    with_client(async |client| {
        assert_eq!(client.language()["name"], "rust");
        let (executed, kinds) = run(client, "print a\nshow b\nresult 2", None).await;
        assert_eq!(executed.outcome, Outcome::Ok);
        assert_eq!(executed.count, Some(1));
        assert_eq!(kinds, ["stream", "display_data", "execute_result"]);
        let (executed, _) = run(client, "", None).await;
        assert_eq!(executed.count, Some(2));
    });
}

#[test]
fn a_connection_that_breaks_while_it_is_made_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let mut command = command(folder.path());
    let line = format!("while [ ! -e {} ]; do sleep 0.05; done; exec \"$0\" \"$@\"", go.display());
    command.argv.splice(0..0, ["sh".to_owned(), "-c".to_owned(), line]);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let started = Instant::now();
        let mut process = Process::start(&command).unwrap();
        let port = process.info().shell_port;
        let other = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.unwrap();
        let stranger = tokio::spawn(async move {
            drop(other.accept().await.unwrap());
            drop(other);
            std::fs::write(go, "").unwrap();
        });
        Peer::reach(&mut process, "s", started, Duration::from_secs(30)).await.unwrap();
        stranger.await.unwrap();
    });
}

#[test]
fn the_cell_id_travels_with_the_request() {
    with_client(async |client| {
        let mut text = String::new();
        client
            .execute("cell-id", "my-cell", None, &mut |content| {
                if let JupyterMessageContent::StreamContent(stream) = content {
                    text.push_str(&stream.text);
                }
            })
            .await
            .unwrap();
        assert_eq!(text, "my-cell\n");
    });
}

#[test]
fn an_error_reply_carries_its_message() {
    with_client(async |client| {
        let (executed, kinds) = run(client, "print a\nerror assertion failed", None).await;
        let Outcome::Error { name, message } = executed.outcome else {
            panic!("{executed:?}");
        };
        assert_eq!((name.as_str(), message.as_str()), ("Panic", "assertion failed"));
        assert_eq!(kinds, ["stream", "error"]);
        let (executed, _) = run(client, "print still alive", None).await;
        assert_eq!(executed.outcome, Outcome::Ok);
    });
}

#[test]
fn a_kernel_that_dies_under_a_cell_is_noticed() {
    with_client(async |client| {
        let (executed, kinds) = run(client, "print last words\ndie", Some(20.0)).await;
        let Outcome::Died { how } = executed.outcome else {
            panic!("{executed:?}");
        };
        assert!(how.contains("exit status: 7"), "{how}");
        assert!(how.contains("dying as told"), "{how}");
        assert_eq!(kinds, ["stream"]);
        assert!(executed.seconds < 10.0);
    });
}

#[test]
fn a_cell_over_its_time_is_interrupted() {
    with_client(async |client| {
        let (executed, _) = run(client, "sleep 60", Some(0.3)).await;
        let expected = Outcome::TimedOut { seconds: 0.3, killed: false };
        assert_eq!(executed.outcome, expected);
        let (executed, _) = run(client, "print alive", None).await;
        assert_eq!(executed.outcome, Outcome::Ok);
    });
}

#[test]
fn a_kernel_that_ignores_the_interrupt_is_killed() {
    with_client(async |client| {
        let (executed, _) = run(client, "hang 60", Some(0.3)).await;
        let expected = Outcome::TimedOut { seconds: 0.3, killed: true };
        assert_eq!(executed.outcome, expected);
    });
}

#[test]
fn a_kernel_that_cannot_start_and_one_that_ends_at_once_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let start = |argv: &[&str]| {
        let mut command = command(folder.path());
        command.argv = argv.iter().map(|part| part.to_string()).collect();
        runtime.block_on(Client::start(&command, Duration::from_secs(2))).err().unwrap()
    };
    let error = start(&["no-such-kernel-program"]);
    assert!(matches!(error, ClientError::Start { .. }), "{error}");
    let error = start(&["sh", "-c", "echo no license >&2; exit 3"]);
    assert!(error.to_string().contains("no license"), "{error}");
    let error = start(&["sleep", "30"]);
    assert!(matches!(error, ClientError::NoAnswer { .. }), "{error}");
}

/// Whether a process exists and is not a zombie.
fn alive(id: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{id}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn ending_or_dropping_a_client_ends_its_kernel_and_removes_its_folder() {
    let ended = with_client(async |client| {
        run(client, "print a", None).await;
        assert!(alive(client.id()));
        client.id()
    });
    assert!(!alive(ended));

    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (dropped, place) = runtime.block_on(async {
        let client = Client::start(&command(folder.path()), Duration::from_secs(30)).await.unwrap();
        (client.id(), client.process.folder().to_path_buf())
    });
    let deadline = Instant::now() + Duration::from_secs(5);
    while alive(dropped) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!alive(dropped));
    assert!(!place.exists());
}
