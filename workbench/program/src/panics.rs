//! Panics of checks, each told in a sentence with its place, and checks that end the program.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

/// What was heard of panics, with the thread of each.
static HEARD: Mutex<Vec<(ThreadId, String)>> = Mutex::new(Vec::new());
/// The claims of the checks under way.
static UNDER_WAY: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

/// Keeps what the runtime would say of a panic while a check runs, unless `RUST_BACKTRACE` asks for it.
pub fn keep() {
    let loud = is_loud();
    let other = take_hook();
    set_hook(Box::new(move |info| {
        if loud || UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
            other(info);
        }
        HEARD.lock().unwrap_or_else(PoisonError::into_inner).push((thread::current().id(), told(info)));
    }));
    // SAFETY: both functions may be called at any time: they lock nothing that they would wait for, and allocate nothing.
    unsafe {
        // Who prints into a pipe that nobody reads any more ends as a shell expects it, and panics nowhere.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        libc::atexit(ended);
        libc::signal(libc::SIGABRT, aborted as *const () as libc::sighandler_t);
    }
}

extern "C" fn ended() {
    left("a check ended the program with `exit`; let it return what it found, or an error");
}

extern "C" fn aborted(_: libc::c_int) {
    left(
        "a check overflowed its stack or aborted; look for a call of itself without an end, or for a large array in a function",
    );
}

/// Says what ended the program and which checks were under way, if any were, and ends it as one whose check failed.
fn left(why: &str) {
    // Another check may begin or end just now; in a handler nobody may wait for it without an end.
    let Some(under_way) = (0..1 << 20).find_map(|_| UNDER_WAY.try_lock().ok()) else { return };
    if under_way.is_empty() {
        return;
    }
    let say = |text: &str| {
        // SAFETY: the text is that many bytes long. What cannot be written cannot be told.
        let _ = unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
    };
    say("FAILED");
    under_way.iter().for_each(|claim| [" ", claim].into_iter().for_each(say));
    [": ", why, "; no further check was run\n"].into_iter().for_each(say);
    // SAFETY: ends the process.
    unsafe { libc::_exit(3) }
}

/// What the check of a claim ends with; a panic is an error that names file, line, message and what to try.
///
/// # Errors
/// As of `check`, or its panic.
pub fn caught<T>(claim: &'static str, check: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let under_way = || UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
    under_way().push(claim);
    let end = catch_unwind(AssertUnwindSafe(check));
    let mut left = under_way();
    if let Some(at) = left.iter().position(|one| *one == claim) {
        left.remove(at);
    }
    drop(left);
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
        caught("m/a", check).err().unwrap_or_default()
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
        assert_eq!(caught("m/a", || Ok(1)), Ok(1));
    }

    /// In a process of its own: what is told if a check ends it.
    fn of_process(way: &str) -> (Option<i32>, String) {
        let name = "panics::tests::a_check_that_ends_the_program_is_named";
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        let output = command.args(["--exact", name, "--nocapture"]).env(WAY, way).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    const WAY: &str = "WORKBENCH_TEST_ENDS";

    #[allow(unconditional_recursion)]
    fn deep(x: [u8; 4096]) -> u8 {
        std::hint::black_box(deep(std::hint::black_box(x))) + x[0]
    }

    #[test]
    fn a_check_that_ends_the_program_is_named() {
        match std::env::var(WAY).as_deref() {
            Ok("exit") => {
                keep();
                caught("m/exits", || -> Result<(), String> { std::process::exit(0) }).unwrap();
            }
            Ok("deep") => {
                keep();
                caught("m/deep", || Ok(deep([0; 4096]))).unwrap();
            }
            _ => {
                let (status, said) = of_process("exit");
                assert!(
                    status == Some(3) && said.contains("FAILED m/exits: a check ended the program with `exit`"),
                    "{said}"
                );
                let (status, said) = of_process("deep");
                assert!(status == Some(3) && said.contains("FAILED m/deep: a check overflowed its stack"), "{said}");
            }
        }
    }
}
