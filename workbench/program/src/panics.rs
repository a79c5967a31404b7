//! Panics of checks, each told in a sentence with its place, checks that end the program, and checks without an end.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use workbench_record::number::rounded;
use workbench_record::unprintable;

/// What was heard of panics, with the thread of each.
static HEARD: Mutex<Vec<(ThreadId, String)>> = Mutex::new(Vec::new());
/// The checks under way.
static UNDER_WAY: Mutex<Vec<UnderWay>> = Mutex::new(Vec::new());
/// How long a check may last before it is said that it lasts; then after twice that time, and so on.
const SILENCE: Duration = Duration::from_secs(10);

/// A check under way.
struct UnderWay {
    claim: &'static str,
    begun: Instant,
    /// When it is said next that it lasts.
    next: Duration,
}

/// The checks under way, also after a panic.
fn under_way() -> MutexGuard<'static, Vec<UnderWay>> {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps what the runtime would say of a panic while a check runs, unless `RUST_BACKTRACE` asks for it.
pub fn keep() {
    let loud = is_loud();
    let other = take_hook();
    set_hook(Box::new(move |info| {
        if let Some(why) = info.payload_as_str().and_then(unprintable) {
            write_all(&format!("error: {why}\n"));
            // SAFETY: ends the process; nothing that was computed waits to be written.
            unsafe { libc::_exit(4) }
        }
        if loud || under_way().is_empty() {
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
        "a check overflowed its stack (look for a call of itself without an end, or for a large array in a function), asked for more \
         memory than there is, or aborted; what stands above says which",
    );
}

/// Says what ended the program and which checks were under way, if any were, and ends it as one whose check failed.
fn left(why: &str) {
    // Another check may begin or end just now; in a handler nobody may wait for it without an end.
    let Some(under_way) = (0..1 << 20).find_map(|_| UNDER_WAY.try_lock().ok()) else { return };
    if under_way.is_empty() {
        return;
    }
    let claims = || under_way.iter().map(|one| one.claim);
    stopped(claims, why)
}

/// Says of these checks why they ended the program, and ends it; allocates nothing.
fn stopped<C: Iterator<Item = &'static str>>(claims: impl FnOnce() -> C, why: &str) -> ! {
    write_all("FAILED");
    claims().for_each(|claim| [" ", claim].into_iter().for_each(write_all));
    [": ", why, "; no further check was run\n"].into_iter().for_each(write_all);
    // SAFETY: ends the process.
    unsafe { libc::_exit(3) }
}

/// Writes to standard error, from a handler of a signal too.
fn write_all(text: &str) {
    // SAFETY: the text is that many bytes long. What cannot be written cannot be told.
    let _ = unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
}

/// Says of checks that last that they do, and ends the program where one lasts longer than the limit.
pub fn watch(limit: Option<f64>) {
    let limit = limit.filter(|seconds| *seconds > 0.0).map(Duration::from_secs_f64);
    // Without this thread nothing is said, and nothing else is lost.
    let _ = thread::Builder::new().spawn(move || {
        loop {
            thread::sleep(Duration::from_millis(100));
            for one in under_way().iter_mut() {
                let lasts = one.begun.elapsed();
                if let Some(limit) = limit.filter(|limit| lasts > *limit) {
                    let why = format!("no end after {} s (--timeout)", rounded(limit.as_secs_f64(), 3));
                    stopped(|| std::iter::once(one.claim), &why);
                }
                if lasts > one.next {
                    write_all(&format!("  {}: {} s so far\n", one.claim, one.next.as_secs()));
                    one.next *= 2;
                }
            }
        }
    });
}

/// What the check of a claim ends with; a panic is an error that names file, line, message and what to try.
///
/// # Errors
/// As of `check`, or its panic.
pub fn caught<T>(claim: &'static str, check: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    under_way().push(UnderWay { claim, begun: Instant::now(), next: SILENCE });
    let end = catch_unwind(AssertUnwindSafe(check));
    let mut left = under_way();
    if let Some(at) = left.iter().position(|one| one.claim == claim) {
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
            Ok("endless") => {
                watch(Some(0.2));
                caught("m/endless", || {
                    thread::sleep(Duration::from_secs(60));
                    Ok(())
                })
                .unwrap();
            }
            Ok("unread") => {
                keep();
                caught("m/unread", || -> Result<(), String> {
                    panic!("failed printing to stdout: No space left on device (os error 28)")
                })
                .unwrap();
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
                let (status, said) = of_process("endless");
                assert!(status == Some(3) && said.contains("FAILED m/endless: no end after 0.2"), "{said}");
                let (status, said) = of_process("unread");
                assert!(status == Some(4) && said.contains("error: standard output cannot be written: No"), "{said}");
                let (status, said) = of_process("deep");
                assert!(status == Some(3) && said.contains("FAILED m/deep: a check overflowed its stack"), "{said}");
            }
        }
    }
}
