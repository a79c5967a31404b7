//! Two long-lived programs that run the same computation in turn, one request at a time.
//!
//! Each reads requests as lines and answers each with one line, most of them with the seconds that it took. Taking turns within one
//! run means that whatever else the machine does falls on both alike; ratios are taken between neighbours.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use workbench_base::error::{Error, Result};

/// A program that answers lines.
pub struct Contestant {
    name: &'static str,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Contestant {
    /// Starts the program and waits for its line that begins with `ready`; returns the rest of that line too.
    pub fn start(name: &'static str, command: &mut Command) -> Result<(Contestant, String)> {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(|source| {
                Error::Start { program: name.into(), source, hint: "run `cargo workbench doctor`".into() }
            })?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(name, "started without pipes"));
        };
        let mut contestant = Contestant { name, child, input: Some(input), output: BufReader::new(output) };
        let line = contestant.line()?;
        match line.strip_prefix("ready") {
            Some(rest) => Ok((contestant, rest.trim().to_string())),
            None => Err(failed(name, &format!("said {line:?} instead of `ready`"))),
        }
    }

    /// Sends one request and returns the answer.
    pub fn ask(&mut self, request: &str) -> Result<String> {
        let sent = self.input.as_mut().map(|input| writeln!(input, "{request}").and_then(|()| input.flush()));
        match sent {
            Some(Ok(())) => self.line(),
            _ => Err(failed(self.name, "ended early")),
        }
    }

    /// Sends one request `before + 1` times and returns the seconds of the last.
    ///
    /// The idle workers of a BLAS or OpenMP pool spin for a while after their program has answered, and caches hold its data: runs
    /// that are not counted keep both out of the next program's time, which matters most to the one with the shorter run.
    pub fn settled_seconds(&mut self, request: &str, before: usize) -> Result<f64> {
        for _ in 0..before {
            self.seconds(request)?;
        }
        self.seconds(request)
    }

    /// Sends one request that is answered with seconds.
    pub fn seconds(&mut self, request: &str) -> Result<f64> {
        let answer = self.ask(request)?;
        answer.parse().map_err(|_| failed(self.name, &format!("answered {answer:?} to {request:?} instead of seconds")))
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(n) if n > 0 => Ok(line.trim().to_string()),
            _ => Err(failed(self.name, "ended early")),
        }
    }
}

impl Drop for Contestant {
    fn drop(&mut self) {
        // The end of its input ends the program; killing is for one that does not listen.
        drop(self.input.take());
        std::thread::sleep(std::time::Duration::from_millis(50));
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn failed(name: &str, what: &str) -> Error {
    Error::Failed {
        what: format!("{name} in the benchmark"),
        status: what.into(),
        hint: "run it by hand to see its message".into(),
        tail: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn requests_are_answered_in_turn() {
        let script = "echo ready 1.2; while read x; do echo 0.5; done";
        let (mut program, version) = Contestant::start("a shell", &mut shell(script)).unwrap();
        assert_eq!(version, "1.2");
        assert_eq!(program.seconds("run").unwrap(), 0.5);
        assert_eq!(program.ask("again").unwrap(), "0.5");
    }

    #[test]
    fn runs_before_the_last_do_not_count() {
        let script = "echo ready; n=0; while read x; do n=$((n + 1)); echo $n; done";
        let (mut program, _) = Contestant::start("a shell", &mut shell(script)).unwrap();
        assert_eq!(program.settled_seconds("run", 3).unwrap(), 4.0);
        assert_eq!(program.settled_seconds("run", 0).unwrap(), 5.0);
    }

    #[test]
    fn programs_that_do_not_answer_are_named() {
        let silent = Contestant::start("a shell", &mut shell("exit 3")).err().unwrap();
        assert!(silent.to_string().contains("a shell"), "{silent}");
        let (mut program, _) = Contestant::start("a shell", &mut shell("echo ready; read x; echo what")).unwrap();
        let error = program.seconds("run").unwrap_err().to_string();
        assert!(error.contains("what") && error.contains("seconds"), "{error}");
        assert!(program.ask("more").is_err());
    }
}
