//! How a program of ours ends: the exit status, what is said of a failure, and a reader who has seen enough.

use std::process::ExitCode;

use crate::error::Error;

/// The exit status of a command; a failure is told on standard error and has the status of its kind.
pub fn status(outcome: anyhow::Result<i32>) -> ExitCode {
    match outcome {
        Ok(status) => ExitCode::from(u8::try_from(status).unwrap_or(1)),
        Err(error) => {
            eprintln!("error: {error:#}");
            let ours = error.downcast_ref::<Error>();
            ours.map_or(ExitCode::FAILURE, |error| ExitCode::from(error.status()))
        }
    }
}

/// `cargo workbench ... | head`: a reader who has seen enough is no reason for a panic.
pub fn end_with_the_reader() {
    let other = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let closed = |text: &str| text.starts_with("failed printing to stdout") && text.contains("Broken pipe");
        if info.payload_as_str().is_some_and(closed) {
            // As a shell tells a program that a closed pipe has ended: 128 and the signal's number.
            std::process::exit(128 + libc::SIGPIPE);
        }
        other(info);
    }));
}
