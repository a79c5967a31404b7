//! Exit of our programs: the status, what is said of a failure, and a reader who has seen enough.

use std::io::Write;
use std::process::ExitCode;

use workbench_record::unprintable;

use crate::error::Error;

/// The exit status of a command; a failure is told on standard error and has the status of its kind.
pub fn status(outcome: anyhow::Result<i32>) -> ExitCode {
    ExitCode::from(number(outcome, &mut std::io::stderr()))
}

/// That status, with the failure told `to` somebody, who may have closed the pipe: the status says it still.
fn number(outcome: anyhow::Result<i32>, to: &mut dyn Write) -> u8 {
    match outcome {
        Ok(status) => u8::try_from(status).unwrap_or(1),
        Err(error) => {
            let _ = writeln!(to, "error: {}", told(&error));
            error.downcast_ref::<Error>().map_or(1, Error::status)
        }
    }
}

/// An error and its causes in one line, each once: many errors, ours among them, name their cause in their own words.
pub fn told(error: &anyhow::Error) -> String {
    let mut line = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !line.contains(&cause) {
            line += ": ";
            line += &cause;
        }
    }
    line
}

/// `cargo workbench ... | head`: a reader who has seen enough is no reason for a panic, nor is a disk that is full.
pub fn end_with_the_reader() {
    let other = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if let Some(why) = info.payload_as_str().and_then(unprintable) {
            if why.contains("Broken pipe") {
                // As a shell tells a program that a closed pipe has ended: 128 and the signal's number.
                std::process::exit(128 + libc::SIGPIPE);
            }
            let _ = writeln!(std::io::stderr(), "error: {why}");
            std::process::exit(4);
        }
        other(info);
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;
    use std::path::Path;

    #[test]
    fn a_failure_has_its_status_also_where_nobody_reads_it() {
        let failure = || Err(Error::Asked("no such name".into()).into());
        let mut heard = Vec::new();
        assert_eq!((number(Ok(3), &mut heard), number(failure(), &mut heard)), (3, 2));
        assert_eq!(heard, b"error: no such name\n");
        let closed: &mut [u8] = &mut [];
        assert_eq!(number(failure(), &mut &mut *closed), 2);
    }

    #[test]
    fn a_cause_is_told_once() {
        let cause = || std::io::Error::other("the cable is out");
        let ours = anyhow::Error::from(Error::io("write", Path::new("a.csv"), cause()));
        assert_eq!(told(&ours).matches("the cable is out").count(), 1, "{}", told(&ours));
        let started = Error::Start { program: "cargo".into(), source: cause(), hint: "install it".into() };
        let outer = Err::<(), _>(started).context("could not build").unwrap_err();
        assert_eq!(told(&outer), "could not build: cannot start \"cargo\": the cable is out; install it");
        // What is not said yet is.
        let plain = Err::<(), _>(cause()).context("could not write").unwrap_err();
        assert_eq!(told(&plain), "could not write: the cable is out");
    }
}
