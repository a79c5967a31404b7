//! Panics of checks, each told in a sentence with its place.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

/// What was heard of panics, with the thread of each.
static HEARD: Mutex<Vec<(ThreadId, String)>> = Mutex::new(Vec::new());
/// Checks under way.
static CHECKS: AtomicUsize = AtomicUsize::new(0);

/// Keeps what the runtime would say of a panic while a check runs, unless `RUST_BACKTRACE` asks for it.
pub fn keep() {
    let loud = is_loud();
    let other = take_hook();
    set_hook(Box::new(move |info| {
        if loud || CHECKS.load(Ordering::Relaxed) == 0 {
            other(info);
        }
        HEARD.lock().unwrap_or_else(PoisonError::into_inner).push((thread::current().id(), told(info)));
    }));
}

/// What a check ends with; a panic is an error that names file, line, message and what to try.
///
/// # Errors
/// As of `check`, or its panic.
pub fn caught<T>(check: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    CHECKS.fetch_add(1, Ordering::Relaxed);
    let end = catch_unwind(AssertUnwindSafe(check));
    CHECKS.fetch_sub(1, Ordering::Relaxed);
    end.unwrap_or_else(|_| {
        let mut heard = HEARD.lock().unwrap_or_else(PoisonError::into_inner);
        let here = thread::current().id();
        // One of a thread that the check started is the last that was heard.
        let at = heard.iter().rposition(|(thread, _)| *thread == here).or(heard.len().checked_sub(1));
        let said = at.map(|at| heard.remove(at).1);
        Err(said.unwrap_or_else(|| "it panicked; set RUST_BACKTRACE=1 to see where".into()))
    })
}

/// Whether backtraces are asked for.
fn is_loud() -> bool {
    std::env::var_os("RUST_BACKTRACE").is_some_and(|asked| asked != "0")
}

/// Place, message and what to try on one line. The standard library's own lines are nobody's to mend.
fn told(info: &PanicHookInfo<'_>) -> String {
    let message = info.payload_as_str().unwrap_or("without a message");
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    // With a backtrace above it there is nothing to set.
    let caller = |what: &str| {
        if is_loud() { format!("see above {what}") } else { format!("set RUST_BACKTRACE=1 to see {what}") }
    };
    match info.location().filter(|at| !at.file().starts_with("/rustc/")) {
        Some(at) => {
            let (file, line, caller) = (at.file(), at.line(), caller("what called it"));
            format!("it panicked at {file}, line {line}: {message}; mend that line, or {caller}")
        }
        None => format!("it panicked in the standard library: {message}; {}", caller("which line of yours called it")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told_of<T>(check: impl FnOnce() -> Result<T, String>) -> String {
        caught(check).err().unwrap_or_default()
    }

    #[test]
    fn a_panic_is_a_sentence_with_file_line_message_and_what_to_try() {
        keep();
        let zero = std::hint::black_box(0);
        let divided = told_of(|| Ok(1 / zero));
        let line = line!() - 1;
        let file = file!();
        let begin = format!("it panicked at {file}, line {line}: attempt to divide by zero; mend that line, or ");
        assert!(divided.starts_with(&begin) && divided.ends_with(" what called it"), "{divided}");
        let compared = told_of(|| {
            assert_eq!(zero, 1, "counts\nof {{runs}}");
            Ok(())
        });
        assert!(compared.contains(": assertion `left == right` failed: counts of {runs} left: 0 right: 1; mend"));
        let elsewhere = told_of(|| thread::spawn(|| panic!("in a thread")).join().map_err(|_| String::new()));
        assert_eq!(elsewhere, "", "what the check itself catches is its own");
        let of_thread = told_of(|| match thread::spawn(|| panic!("in a thread")).join() {
            Ok(()) => Ok(()),
            Err(why) => std::panic::resume_unwind(why),
        });
        assert!(of_thread.contains(": in a thread; mend"), "{of_thread}");
        assert_eq!(caught(|| Ok(1)), Ok(1));
    }
}
