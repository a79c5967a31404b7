//! Requests to stop: the kernel's control file, Ctrl-C in a plain run, or the program itself.

use std::cell::Cell;
use std::fs::OpenOptions;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use memmap2::{MmapOptions, MmapRaw};

/// Words of the control file, little-endian `u32`: the version of its layout, requests to stop the running cell, the cell's number.
const WORDS: usize = 3;
const LAYOUT: u32 = 1;
const REQUESTS: usize = 1;
const CELL: usize = 2;

/// The words in use: the mapped control file, or [`OWN`]; null until they are first read.
static PLACE: AtomicPtr<AtomicU32> = AtomicPtr::new(std::ptr::null_mut());
/// The words of a process without a control file.
static OWN: [AtomicU32; WORDS] = [AtomicU32::new(LAYOUT), AtomicU32::new(0), AtomicU32::new(0)];

/// True when the user has asked the running cell, or the program, to stop.
///
/// Under our kernel an interrupt is such a request, and the next cell starts without it. In a plain run the first Ctrl-C is one and a
/// second one ends the process; the first call of this function installs that (where Ctrl-C is ignored it stays ignored).
///
/// Cost: three loads and two comparisons; the first call opens the control file.
#[inline]
pub fn stop_requested() -> bool {
    if let Some(answer) = crate::rehearsal::answer() {
        return answer;
    }
    word(REQUESTS).load(Ordering::Relaxed) != 0
}

/// How long after a stop was requested a short pass may still be finished.
const GRACE: Duration = Duration::from_millis(100);

thread_local! {
    static NOTICED: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// True once a tenth of a second has passed since this thread first asked here after a request to stop. A function that finishes a short
/// pass in spite of a request asks this, so that a caller that repeats it without asking [`stop_requested`] ends too.
pub fn overdue() -> bool {
    if !stop_requested() {
        NOTICED.set(None);
        return false;
    }
    let now = Instant::now();
    let noticed = NOTICED.get().unwrap_or(now);
    NOTICED.set(Some(noticed));
    now.duration_since(noticed) > GRACE
}

/// Asks running computations to stop, as an interrupt of the kernel does. For programs and tests.
pub fn request_stop() {
    word(REQUESTS).fetch_add(1, Ordering::Relaxed);
}

/// Takes all requests back, as the kernel does before each cell.
pub fn clear_stop() {
    word(REQUESTS).store(0, Ordering::Relaxed);
}

/// The number of the running cell; 0 without our kernel.
pub fn cell() -> u32 {
    word(CELL).load(Ordering::Relaxed)
}

#[inline]
fn word(index: usize) -> &'static AtomicU32 {
    let place = PLACE.load(Ordering::Acquire);
    let place = if place.is_null() { find() } else { place };
    // SAFETY: `find` only ever gives the start of `OWN` or of a mapping of at least `WORDS` aligned words that lives for ever, and
    // `index` is one of the constants above.
    unsafe { &*place.add(index) }
}

/// Opens the control file, or falls back to words of our own; the first caller decides for all.
#[cold]
fn find() -> *mut AtomicU32 {
    static MAPPED: OnceLock<Option<MmapRaw>> = OnceLock::new();
    let mapped = MAPPED.get_or_init(|| {
        let mapped = std::env::var_os("WORKBENCH_CONTROL").and_then(|path| map(Path::new(&path)));
        if mapped.is_none() && crate::channel::host() == crate::channel::Host::Plain {
            listen_to_ctrl_c();
        }
        mapped
    });
    let place = match mapped {
        Some(mapped) => mapped.as_mut_ptr().cast::<AtomicU32>(),
        None => OWN.as_ptr().cast_mut(),
    };
    PLACE.store(place, Ordering::Release);
    place
}

/// `None` for a file that is missing, too short or of a layout that we do not know: then nobody can ask.
fn map(path: &Path) -> Option<MmapRaw> {
    let file = OpenOptions::new().read(true).write(true).open(path).ok()?;
    let mapped = MmapOptions::new().map_raw(&file).ok()?;
    if mapped.len() < WORDS * size_of::<AtomicU32>() {
        return None;
    }
    // SAFETY: the mapping begins at a page, so it is aligned, and is long enough for one word. The kernel never shortens the file.
    let layout = unsafe { (*mapped.as_ptr().cast::<AtomicU32>()).load(Ordering::Relaxed) };
    (u32::from_le(layout) == LAYOUT).then_some(mapped)
}

/// The first Ctrl-C asks, the second ends the process as if nobody had listened.
fn listen_to_ctrl_c() {
    const HINT: &[u8] = b"\nstopping at the next step; press Ctrl-C again to end the process at once\n";
    if ctrl_c_is_ignored() {
        return;
    }
    // SAFETY: the action does only what a signal handler may do: an atomic addition, `write`, and ending the process. If the
    // registration fails, Ctrl-C ends the process as ever.
    let _ = unsafe {
        signal_hook::low_level::register(libc::SIGINT, || {
            if OWN[REQUESTS].fetch_add(1, Ordering::Relaxed) > 0 {
                let _ = signal_hook::low_level::emulate_default_handler(libc::SIGINT);
            } else {
                libc::write(libc::STDERR_FILENO, HINT.as_ptr().cast(), HINT.len());
            }
        })
    };
}

/// A shell starts background jobs with Ctrl-C ignored.
fn ctrl_c_is_ignored() -> bool {
    // SAFETY: `sigaction` with a null new action only reads the present one into memory that is ours.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGINT, std::ptr::null(), &mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(words: &[u32]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        std::fs::write(file.path(), bytes).unwrap();
        file
    }

    #[test]
    fn a_request_is_overdue_after_a_while() {
        crate::rehearsal::stop_after(1, || {
            assert!(!overdue() && !overdue());
            std::thread::sleep(GRACE + Duration::from_millis(5));
            assert!(overdue());
        });
        assert!(!overdue());
    }

    #[test]
    fn only_a_file_of_the_known_layout_is_mapped() {
        let mut words = [0; 16];
        assert!(map(file(&words).path()).is_none());
        words[0] = 2;
        assert!(map(file(&words).path()).is_none());
        words[0] = 1;
        assert!(map(file(&words[..2]).path()).is_none());
        assert!(map(file(&[]).path()).is_none());
        assert!(map(Path::new("/nonexistent/control")).is_none());
        let control = file(&words);
        let mapped = map(control.path()).unwrap();
        // What another process writes into the file is seen through the mapping.
        words[REQUESTS] = 3;
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        use std::os::unix::fs::FileExt;
        OpenOptions::new().write(true).open(control.path()).unwrap().write_all_at(&bytes, 0).unwrap();
        // SAFETY: 16 words are mapped.
        let seen = unsafe { (*mapped.as_ptr().cast::<AtomicU32>().add(REQUESTS)).load(Ordering::Relaxed) };
        assert_eq!(seen, 3);
    }
}
