//! Asking the person at the keyboard.

use std::fs::File;
use std::io::{BufRead, IsTerminal, Read, Write};
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Error;
use workbench_ground::{channel, work};

/// Where answers arrive, as lines of JSON: `{"value":"..."}` or `{"error":"..."}`.
const ANSWERS: i32 = 204;
/// How often a waiting cell looks whether it should stop.
const LOOK_EVERY_MS: i32 = 50;
/// How long the kernel's own word on an interrupt is waited for.
const LAST_WORD: Duration = Duration::from_millis(500);

/// Asks for one line of text and waits for it.
///
/// Under our kernel the notebook shows a field with the prompt; in a plain run a line is read from the terminal.
///
/// **Errors**: [`Error::Input`] where nobody can answer (no terminal, stock evcxr, a run without a person), when the answer does not
/// come, and when a stop is requested while waiting.
///
/// ```no_run
/// let name = workbench_display::input("Your name: ")?;
/// println!("Hello, {name}");
/// # Ok::<(), workbench_display::Error>(())
/// ```
pub fn input(prompt: &str) -> Result<String, Error> {
    ask(prompt, false)
}

/// As [`input()`], for a secret: what is typed is not shown, and is not saved in the notebook.
///
/// **Errors**: as [`input()`].
pub fn password(prompt: &str) -> Result<String, Error> {
    ask(prompt, true)
}

fn ask(prompt: &str, secret: bool) -> Result<String, Error> {
    let answer = match channel::host() {
        channel::Host::Kernel => ask_kernel(prompt, secret),
        channel::Host::Stock => {
            Err("this kernel cannot ask; set a variable in a cell, or use the kernel \"Rust (Workbench)\"".into())
        }
        channel::Host::Plain => ask_terminal(prompt, secret),
    };
    answer.map_err(|problem| Error::Input { prompt: prompt.trim_end().to_string(), problem })
}

fn ask_kernel(prompt: &str, secret: bool) -> Result<String, String> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the kernel gives every process that runs cells this descriptor; never closed here. If it is missing, reading fails.
    let mut answers = ManuallyDrop::new(unsafe { File::from_raw_fd(ANSWERS) });
    let mut buffer = [0; 4096];
    // An answer that came too late for an interrupted question is not one to this.
    while ready(0)? {
        if !matches!(answers.read(&mut buffer), Ok(1..)) {
            return Err(gone());
        }
    }
    let secret = if secret { "true" } else { "false" };
    channel::signal("input", &[("prompt", prompt.into()), ("password", secret.into())]);
    let (mut line, mut stopped) = (Vec::new(), None);
    while !line.contains(&b'\n') {
        if work::stop_requested() {
            let since = *stopped.get_or_insert_with(Instant::now);
            if since.elapsed() > LAST_WORD {
                return Err(STOPPED.into());
            }
        }
        if ready(LOOK_EVERY_MS)? {
            match answers.read(&mut buffer) {
                Ok(0) => return Err(gone()),
                Ok(count) => line.extend_from_slice(&buffer[..count]),
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return Err(gone()),
            }
        }
    }
    read_answer(&line)
}

const STOPPED: &str = "stopped as you asked, without an answer; run the cell again";

fn gone() -> String {
    "the kernel takes no answers; restart it, or set a variable in a cell".to_string()
}

/// Whether something can be read within `wait` milliseconds.
fn ready(wait: i32) -> Result<bool, String> {
    let mut poll = libc::pollfd { fd: ANSWERS, events: libc::POLLIN, revents: 0 };
    // SAFETY: one entry, which is ours for the call.
    let count = unsafe { libc::poll(&mut poll, 1, wait) };
    if count > 0 && poll.revents & libc::POLLNVAL != 0 {
        return Err(gone());
    }
    Ok(count > 0)
}

fn read_answer(line: &[u8]) -> Result<String, String> {
    let end = line.iter().position(|b| *b == b'\n').unwrap_or(line.len());
    let json: serde_json::Value = serde_json::from_slice(&line[..end]).map_err(|_| gone())?;
    if let Some(value) = json["value"].as_str() {
        return Ok(value.to_string());
    }
    match json["error"].as_str() {
        Some(_) if work::stop_requested() => Err(STOPPED.into()),
        Some(problem) => Err(problem.to_string()),
        None => Err(gone()),
    }
}

fn ask_terminal(prompt: &str, secret: bool) -> Result<String, String> {
    if !std::io::stdin().is_terminal() {
        return Err("standard input is no terminal, so nobody can answer; set a variable instead".into());
    }
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(prompt.as_bytes()).and_then(|()| out.flush());
    let quiet = secret.then(Quiet::begin);
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    if quiet.is_some() {
        // The line break that ended the secret was not shown either.
        let _ = out.write_all(b"\n").and_then(|()| out.flush());
    }
    match read {
        Ok(0) => Err("the input ended without an answer; run it again and type a line".into()),
        Ok(_) => Ok(line.trim_end_matches(['\r', '\n']).to_string()),
        Err(e) => Err(format!("cannot read from the terminal: {e}")),
    }
}

/// A terminal that does not show what is typed, until dropped.
struct Quiet(Option<libc::termios>);

impl Quiet {
    fn begin() -> Quiet {
        // SAFETY: the structure is ours, and descriptor 0 was found to be a terminal.
        unsafe {
            let mut old: libc::termios = std::mem::zeroed();
            if libc::tcgetattr(0, &mut old) != 0 {
                return Quiet(None);
            }
            let mut new = old;
            new.c_lflag &= !libc::ECHO;
            libc::tcsetattr(0, libc::TCSAFLUSH, &new);
            Quiet(Some(old))
        }
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        if let Some(old) = &self.0 {
            // SAFETY: as in `begin`.
            unsafe { libc::tcsetattr(0, libc::TCSAFLUSH, old) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_values_or_problems() {
        assert_eq!(read_answer(b"{\"value\":\"Ada \\u00e9\"}\n"), Ok("Ada é".into()));
        assert_eq!(read_answer(b"{\"value\":\"\"}\n"), Ok(String::new()));
        let refused = read_answer(b"{\"error\":\"this client does not answer; set a variable\"}\n");
        assert!(refused.unwrap_err().contains("does not answer"));
        for broken in ["{}\n", "\n", "x\n", "{\"value\":3}\n"] {
            assert_eq!(read_answer(broken.as_bytes()), Err(gone()), "{broken}");
        }
        let stopped = workbench_ground::rehearsal::stop_after(0, || read_answer(b"{\"error\":\"interrupted\"}\n"));
        assert!(stopped.unwrap_err().starts_with("stopped as you asked"));
    }

    #[test]
    fn without_a_terminal_it_is_an_error() {
        if !std::io::stdin().is_terminal() {
            let error = input("name? ").unwrap_err();
            assert!(error.to_string().starts_with("input \"name?\": standard input is no terminal"), "{error}");
            assert!(password("secret? ").is_err());
        }
    }
}
