//! The process that a case runs in, with what a kernel, stock evcxr or a plain run give it, and what it has said.

use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// Words of the control file.
pub const FRESH: [u32; 16] = [1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

#[derive(Clone, Copy, PartialEq)]
pub enum Host {
    Kernel,
    Stock,
    Plain,
}

/// A process that runs one of the cases of [`child`].
pub struct Cell {
    pub child: Child,
    control: tempfile::NamedTempFile,
    /// Our end of the answers to questions.
    pub answers: std::io::PipeWriter,
}

impl Cell {
    pub fn start(case: &str, host: Host) -> Cell {
        let control = tempfile::NamedTempFile::new().unwrap();
        let (theirs, answers) = std::io::pipe().unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "child", "--ignored", "--nocapture", "--test-threads=1"])
            .env("WORKBENCH_CASE", case)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for name in ["WORKBENCH_KERNEL", "WORKBENCH_CHANNEL", "WORKBENCH_CONTROL", "EVCXR_IS_RUNTIME"] {
            command.env_remove(name);
        }
        // Whoever runs the tests may ignore Ctrl-C, as a shell does for a job in the background; the child must not inherit that.
        // SAFETY: `signal` may be called between fork and exec.
        unsafe {
            std::os::unix::process::CommandExt::pre_exec(&mut command, || {
                libc::signal(libc::SIGINT, libc::SIG_DFL);
                Ok(())
            });
        }
        match host {
            Host::Kernel => {
                command
                    .env("WORKBENCH_KERNEL", "1")
                    .env("WORKBENCH_CHANNEL", "1")
                    .env("WORKBENCH_CONTROL", control.path());
            }
            Host::Stock => {
                command.env("EVCXR_IS_RUNTIME", "1");
            }
            Host::Plain => {}
        }
        let from = theirs.as_raw_fd();
        // SAFETY: between fork and exec only `dup2` is called, which is allowed there.
        unsafe {
            command.pre_exec(
                move || {
                    if libc::dup2(from, 204) < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
                },
            );
        }
        write_words(control.path(), &FRESH);
        let child = command.spawn().unwrap();
        Cell { child, control, answers }
    }

    /// What an interrupt of the kernel does.
    pub fn interrupt(&self) {
        let mut words = FRESH;
        words[1] = 1;
        write_words(self.control.path(), &words);
    }

    /// Everything it wrote, and how it ended.
    pub fn finish(mut self) -> (Vec<Piece>, String, std::process::ExitStatus) {
        let mut stderr = self.child.stderr.take().unwrap();
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).unwrap();
            text
        });
        let mut bytes = Vec::new();
        self.child.stdout.take().unwrap().read_to_end(&mut bytes).unwrap();
        let status = self.child.wait().unwrap();
        let errors = errors.join().unwrap();
        (pieces(&String::from_utf8(bytes).unwrap()), errors, status)
    }
}

pub fn write_words(path: &std::path::Path, words: &[u32]) {
    use std::os::unix::fs::FileExt;
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    // In place: the other side has mapped the file.
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.write_all_at(&bytes, 0).unwrap();
}

#[derive(Debug)]
pub enum Piece {
    Text(String),
    Frame(String, String),
}

pub fn pieces(mut text: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    while let Some(at) = text.find("EVCXR_BEGIN_CONTENT ") {
        let before = text[..at].trim_end_matches('\x01');
        out.push(Piece::Text(before.to_string()));
        let rest = &text[at + "EVCXR_BEGIN_CONTENT ".len()..];
        let end = rest.find("\nEVCXR_END_CONTENT\n").expect("every frame is closed");
        let (mime, content) = rest[..end].split_once('\n').unwrap();
        out.push(Piece::Frame(mime.to_string(), content.to_string()));
        text = &rest[end + "\nEVCXR_END_CONTENT\n".len()..];
    }
    out.push(Piece::Text(text.to_string()));
    out
}

pub fn of_mime(pieces: &[Piece], wanted: &str) -> Vec<Value> {
    let contents = pieces.iter().filter_map(|piece| match piece {
        Piece::Frame(mime, content) if mime == wanted => Some(content),
        _ => None,
    });
    contents
        .map(|content| {
            assert!(!content.contains('\n'), "one line");
            serde_json::from_str(content).unwrap()
        })
        .collect()
}

pub fn displays(pieces: &[Piece]) -> Vec<Value> {
    of_mime(pieces, "application/x-workbench-display")
}

pub fn signals(pieces: &[Piece]) -> Vec<Value> {
    of_mime(pieces, "application/x-workbench-signal")
}

pub fn plain(display: &Value) -> &str {
    display["data"]["text/plain"].as_str().unwrap()
}
