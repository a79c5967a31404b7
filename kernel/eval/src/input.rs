//! Questions of a cell to its reader: `input` messages of the channel, and plain reads of standard input.
//!
//! Descriptor 0 of the process belongs to evcxr's own protocol, so the runtime of cells puts a named pipe in its place while a
//! cell runs. Whether the cell waits for a line is seen from outside: the system tells in which call a thread is, and the call
//! of a process that waits for evcxr's next order is the one to look for. Where the system does not tell, the pipe is at its
//! end from the beginning, as in a program whose input is closed.

use super::descriptors::PROTOCOL_IN;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;

/// Names the pipe that stands for standard input while a cell runs.
pub const STDIN_ENV: &str = "WORKBENCH_STDIN";
/// Longest answer; it must fit the pipe at once.
const ANSWER_LIMIT: usize = 512 << 10;
const PIPE_SIZE: i32 = 1 << 20;
/// How often a running cell is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Takes the reader's line, or why there is none.
pub type Answer = Box<dyn FnOnce(Result<String, String>) + Send>;

/// A question of the running cell.
pub struct Question {
    /// Shown before the line.
    pub prompt: String,
    /// Whether the line must not be seen.
    pub password: bool,
    /// Takes the line.
    pub answer: Answer,
}

impl std::fmt::Debug for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question").field("prompt", &self.prompt).finish_non_exhaustive()
    }
}

/// The pipe on which cells read answers.
pub struct Answers {
    reader: Mutex<File>,
    writer: Arc<File>,
}

impl Answers {
    /// Makes the pipe.
    ///
    /// # Errors
    /// The system has no descriptors left.
    pub fn new() -> std::io::Result<Answers> {
        let (reader, writer) = std::io::pipe()?;
        let (reader, writer) = (OwnedFd::from(reader), OwnedFd::from(writer));
        // SAFETY: plain operations on descriptors that live here. A size that is refused leaves the usual one.
        unsafe {
            libc::fcntl(writer.as_raw_fd(), libc::F_SETPIPE_SZ, PIPE_SIZE);
            libc::fcntl(writer.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK);
        }
        Ok(Answers { reader: Mutex::new(reader.into()), writer: Arc::new(writer.into()) })
    }

    /// The end for the process.
    pub fn raw(&self) -> i32 {
        self.reader.lock().map_or(-1, |reader| reader.as_raw_fd())
    }

    /// Sends one answer to the cell.
    pub fn to_cell(&self) -> Answer {
        let writer = self.writer.clone();
        Box::new(move |answer| {
            let line = match answer {
                Ok(value) if value.len() <= ANSWER_LIMIT => json!({ "value": value }),
                Ok(value) => {
                    json!({ "error": format!("the answer has {} bytes, the limit is {ANSWER_LIMIT}", value.len()) })
                }
                Err(error) => json!({ "error": error }),
            };
            // A cell that is gone reads no answer.
            let _ = (&*writer).write_all(format!("{line}\n").as_bytes());
        })
    }

    /// Throws away answers that no cell has read.
    pub fn drain(&self) {
        let Ok(mut reader) = self.reader.lock() else { return };
        let fd = reader.as_raw_fd();
        loop {
            let mut ready = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
            // SAFETY: one valid structure; a timeout of 0 never waits.
            let count = unsafe { libc::poll(&raw mut ready, 1, 0) };
            let mut bytes = [0; 4096];
            if count <= 0 || ready.revents & libc::POLLIN == 0 || reader.read(&mut bytes).is_err() {
                return;
            }
        }
    }
}

/// Standard input of cells.
pub struct Stdin {
    path: PathBuf,
    /// What the system says of a thread that waits for descriptor 0, where it says anything.
    waiting: Option<String>,
}

impl Stdin {
    /// Where the pipe of a session is.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join("stdin")
    }

    /// Makes the pipe in the session's folder.
    ///
    /// # Errors
    /// The file system has no named pipes.
    pub fn new(folder: &Path) -> std::io::Result<Stdin> {
        let path = Self::path(folder);
        let name = std::ffi::CString::new(path.as_os_str().as_encoded_bytes())?;
        // SAFETY: a text that ends in a zero byte and lives for the call.
        if unsafe { libc::mkfifo(name.as_ptr(), 0o600) } != 0 {
            return Err(std::io::Error::last_os_error());
        }
        Ok(Stdin { path, waiting: None })
    }

    /// Learns what waiting for descriptor 0 looks like, from a process that waits for evcxr's next order on another one.
    pub fn learn(&mut self, process: u32) {
        self.waiting = (0..20).find_map(|_| {
            std::thread::sleep(Duration::from_millis(1));
            let call = std::fs::read_to_string(format!("/proc/{process}/syscall")).ok()?;
            let mut words = call.split(' ');
            let (number, descriptor) = (words.next()?, words.next()?);
            number.parse::<u32>().ok()?;
            (descriptor == format!("{PROTOCOL_IN:#x}")).then(|| format!("{number} 0x0 "))
        });
    }

    /// Watches the process during a cell, where a question can be asked at all.
    pub fn reads(&self, process: Option<u32>) -> Reads<'_> {
        let pipe = process.and(self.waiting.as_ref()).and_then(|_| {
            // Open in both directions, the pipe is not at its end although nobody has written yet.
            let options = File::options().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(&self.path);
            options.ok()
        });
        Reads {
            stdin: self,
            process: process.unwrap_or_default(),
            pipe: Arc::new(Mutex::new(pipe)),
            next_look: Instant::now() + LOOK_EVERY,
            asked: Arc::default(),
        }
    }
}

/// The reads of one cell. When dropped, the pipe is at its end.
pub struct Reads<'a> {
    stdin: &'a Stdin,
    process: u32,
    pipe: Arc<Mutex<Option<File>>>,
    next_look: Instant,
    asked: Arc<std::sync::atomic::AtomicBool>,
}

impl Reads<'_> {
    /// Whether the cell waits for a line that nobody was asked for yet.
    pub fn waiting(&mut self) -> bool {
        use std::sync::atomic::Ordering;
        let Some(call) = &self.stdin.waiting else { return false };
        if Instant::now() < self.next_look || self.asked.load(Ordering::SeqCst) {
            return false;
        }
        self.next_look = Instant::now() + LOOK_EVERY;
        let open = self.pipe.lock().is_ok_and(|pipe| pipe.as_ref().is_some_and(|pipe| unread(pipe) == 0));
        if !open {
            return false;
        }
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.process));
        let waits = threads.into_iter().flatten().flatten().any(|thread| {
            std::fs::read_to_string(thread.path().join("syscall")).is_ok_and(|now| now.starts_with(call.as_str()))
        });
        if waits {
            self.asked.store(true, Ordering::SeqCst);
        }
        waits
    }

    /// Writes the line to the cell; without one its input is at its end.
    pub fn answer(&self) -> Answer {
        let (pipe, asked) = (self.pipe.clone(), self.asked.clone());
        Box::new(move |answer| {
            let Ok(mut pipe) = pipe.lock() else { return };
            match answer {
                Ok(value) => {
                    let line = format!("{value}\n");
                    // A line longer than the pipe is cut short; so is one that nobody reads.
                    let _ = pipe.as_mut().map(|pipe| pipe.write_all(line.as_bytes()));
                }
                Err(_) => *pipe = None,
            }
            asked.store(false, std::sync::atomic::Ordering::SeqCst);
        })
    }
}

fn unread(pipe: &File) -> i32 {
    let mut count = 0;
    // SAFETY: the call writes one integer.
    let status = unsafe { libc::ioctl(pipe.as_raw_fd(), libc::FIONREAD, &raw mut count) };
    if status == 0 { count } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_lines_and_old_ones_are_thrown_away() {
        let answers = Answers::new().unwrap();
        answers.to_cell()(Ok("old".into()));
        answers.drain();
        answers.to_cell()(Ok("a \"b\"".into()));
        answers.to_cell()(Err("no".into()));
        answers.to_cell()(Ok("x".repeat(ANSWER_LIMIT + 1)));
        let mut bytes = [0; 256];
        let count = answers.reader.lock().unwrap().read(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], [r#"{"value":"a \"b\""}"#, r#"{"error":"no"}"#]);
        assert!(lines[2].contains("the limit is"), "{text}");
    }
}
