//! Runtime that every cell is linked with: where its output goes, how it reports its end, a failure or a
//! value. Compiled once per toolchain by the kernel and linked into each cell; it depends on `std` alone.
//!
//! The process that runs cells has extra descriptors: the cell's output and error streams, which the kernel reads as
//! they are written and which standard output and standard error are copies of, the kernel's answers to questions, and the
//! streams of evcxr's own protocol.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::{Debug, Display};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::ops::Deref;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::panic::{Location, PanicHookInfo};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{JoinHandle, ThreadId};
use std::time::{Duration, Instant};

pub mod store;

const CELL_OUT: i32 = 200;
const CELL_ERR: i32 = 201;
const PROTOCOL_OUT: i32 = 202;

unsafe extern "C" {
    fn dup2(from: i32, to: i32) -> i32;
    fn fcntl(fd: i32, command: i32, argument: i32) -> i32;
    fn write(fd: i32, bytes: *const u8, count: usize) -> isize;
}

fn write_all(fd: i32, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the pointer and the length describe `bytes`, which is alive for the call.
        let written = unsafe { write(fd, bytes.as_ptr(), bytes.len()) };
        if written <= 0 {
            if written < 0 && std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted {
                continue;
            }
            return;
        }
        bytes = &bytes[written as usize..];
    }
}

/// A message to the kernel, in line with the cell's other output. `fields` are pairs of name and value.
fn signal(fd: i32, kind: &str, fields: &[(&str, &str)]) {
    let _ = std::io::stdout().flush();
    let mut json = format!("{{\"kind\":{}", quoted(kind));
    for (name, value) in fields {
        json.push_str(&format!(",{}:{}", quoted(name), quoted(value)));
    }
    json.push('}');
    write_all(fd, frame("application/x-workbench-signal", &json).as_bytes());
}

/// A frame with the session's word behind its type, so that printed data cannot pass for one.
fn frame(mime: &str, content: &str) -> String {
    static SEAL: OnceLock<String> = OnceLock::new();
    let seal = SEAL.get_or_init(|| std::env::var("WORKBENCH_SEAL").unwrap_or_default());
    format!("\x01EVCXR_BEGIN_CONTENT {mime} {seal}\n{content}\nEVCXR_END_CONTENT\n")
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Passes a value through. The compiler's listing of this call names the value's type; `N` tells the calls apart.
#[inline(never)]
pub fn evcxr_typed<T, const N: usize>(value: T) -> T {
    value
}

/// The thread that runs the cell: a panic of another one does not end it.
static CELL_THREAD: Mutex<Option<ThreadId>> = Mutex::new(None);
/// The number of the cell's statement that runs.
static STATEMENT: AtomicUsize = AtomicUsize::new(0);

/// The statement with this number begins.
#[inline(never)]
pub fn at(statement: usize) {
    STATEMENT.store(statement, Ordering::Relaxed);
}

/// Set once the cell was asked to stop and has gone on all the same.
static STOP: AtomicBool = AtomicBool::new(false);

/// A loop of the reader's code goes round. One that was asked to stop and does not listen is left by a panic, so that the session keeps its
/// process and the variables in it.
#[inline(never)]
#[track_caller]
pub fn turn() {
    if STOP.load(Ordering::Relaxed) {
        stop_here();
    }
}

#[cold]
#[track_caller]
fn stop_here() {
    let of_cell = *CELL_THREAD.lock().unwrap_or_else(PoisonError::into_inner) == Some(std::thread::current().id());
    // A second panic, in what is dropped, would end the process.
    // The word may be of the cell before, whose thread looked as it ended.
    if of_cell && !std::thread::panicking() && Deafness::new().requests() > 0 {
        panic!("it was stopped in this loop");
    }
}

/// Whether the cell has been asked to stop for so long that it cannot be listening.
struct Deafness {
    control: Option<File>,
    asked: Option<Instant>,
    patience: Duration,
}

impl Deafness {
    fn new() -> Deafness {
        const PATIENCE: f64 = 1.0;
        let grace = std::env::var("WORKBENCH_GRACE_SECONDS").ok().and_then(|text| text.parse::<f64>().ok());
        // Well before the process is ended.
        let patience = grace.filter(|grace| *grace >= 0.0).map_or(PATIENCE, |grace| PATIENCE.min(grace / 3.0));
        Deafness {
            control: std::env::var_os("WORKBENCH_CONTROL").and_then(|path| File::open(path).ok()),
            asked: None,
            patience: Duration::from_secs_f64(patience),
        }
    }

    /// How often the cell was asked to stop.
    fn requests(&self) -> u32 {
        // The version of the layout stands before it.
        let mut words = [0; 8];
        let read = self.control.as_ref().is_some_and(|file| file.read_exact_at(&mut words, 0).is_ok());
        let [1, 0, 0, 0, requests @ ..] = words else { return 0 };
        if read { u32::from_le_bytes(requests) } else { 0 }
    }

    fn look(&mut self) -> bool {
        if self.requests() == 0 {
            self.asked = None;
            return false;
        }
        self.asked.get_or_insert_with(Instant::now).elapsed() >= self.patience
    }
}

/// From here on the cell shows something by itself: frames without the session's word count, too.
pub fn shows() {
    signal(CELL_OUT, "shows", &[]);
}

/// What it showed is complete.
pub fn shown() {
    signal(CELL_OUT, "shown", &[]);
}

/// A cell that runs, until it is dropped.
pub struct Guard {
    done: Cell<bool>,
    ended: Arc<AtomicBool>,
    flusher: Option<JoinHandle<()>>,
}

/// Begins a cell.
pub fn enter() -> Guard {
    kept_statics();
    open_stdin();
    *CELL_THREAD.lock().unwrap_or_else(PoisonError::into_inner) = Some(std::thread::current().id());
    STATEMENT.store(0, Ordering::Relaxed);
    STOP.store(false, Ordering::Relaxed);
    signal(CELL_OUT, "begin", &[]);
    std::panic::set_hook(Box::new(panicked));
    let ended = Arc::new(AtomicBool::new(false));
    Guard {
        done: Cell::new(false),
        flusher: flush_often(ended.clone()),
        ended,
    }
}

/// Standard output is buffered until the end of a line. A reader waits for the part before it: a prompt, a percentage. The same thread
/// looks whether the cell listens.
fn flush_often(ended: Arc<AtomicBool>) -> Option<JoinHandle<()>> {
    let flush = move || {
        let mut deafness = Deafness::new();
        while !ended.load(Ordering::Relaxed) {
            std::thread::park_timeout(Duration::from_millis(50));
            let _ = std::io::stdout().flush();
            if deafness.look() && !ended.load(Ordering::Relaxed) {
                STOP.store(true, Ordering::Relaxed);
            }
        }
    };
    std::thread::Builder::new().name("flush".to_owned()).stack_size(64 << 10).spawn(flush).ok()
}

/// Puts the kernel's pipe in the place of descriptor 0.
fn open_stdin() {
    const NONBLOCK: i32 = if cfg!(target_os = "macos") { 4 } else { 0o4000 };
    const SET_FLAGS: i32 = 4;
    let open = |path: &std::ffi::OsStr, flags| OpenOptions::new().read(true).custom_flags(flags).open(path);
    // Opening a pipe that nobody writes to would wait for a writer.
    let pipe = std::env::var_os("WORKBENCH_STDIN").and_then(|path| open(&path, NONBLOCK).ok());
    if let Some(file) = pipe.or_else(|| open("/dev/null".as_ref(), 0).ok()) {
        // SAFETY: an open descriptor; the copy outlives the file.
        unsafe {
            fcntl(file.as_raw_fd(), SET_FLAGS, 0);
            dup2(file.as_raw_fd(), 0);
        }
    }
}

impl Guard {
    /// True; the compiler cannot know it.
    #[inline(never)]
    pub fn goes_on(&self) -> bool {
        std::hint::black_box(true)
    }

    /// The next output is the value of the cell's last expression.
    pub fn value(&self) {
        signal(CELL_OUT, "value", &[]);
    }

    /// The cell ran to its end.
    pub fn done(&self) {
        self.done.set(true);
    }
}

/// Stands for a value that is never made, which the compiler cannot know.
pub fn absent<T>() -> T {
    unreachable!("a value that is never made")
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(flusher) = &self.flusher {
            flusher.thread().unpark();
        }
        let _ = std::io::stdout().flush();
        let state = if self.done.get() { "done" } else { "left" };
        signal(CELL_OUT, "end", &[("state", state)]);
        signal(CELL_ERR, "end", &[("state", state)]);
    }
}

fn panicked(info: &PanicHookInfo<'_>) {
    let message = info
        .payload_as_str()
        .unwrap_or("a panic whose payload is not text");
    let (file, line, column) = place(info.location());
    let thread = std::thread::current();
    let of_cell = *CELL_THREAD.lock().unwrap_or_else(PoisonError::into_inner) == Some(thread.id());
    signal(
        CELL_OUT,
        "panic",
        &[
            ("message", message),
            ("file", &file),
            ("line", &line),
            ("column", &column),
            ("thread", thread.name().unwrap_or("unnamed")),
            ("of", if of_cell { "cell" } else { "thread" }),
            ("statement", &STATEMENT.load(Ordering::Relaxed).to_string()),
        ],
    );
}

fn place(location: Option<&Location<'_>>) -> (String, String, String) {
    location.map_or_else(Default::default, |l| {
        (l.file().to_owned(), l.line().to_string(), l.column().to_string())
    })
}

/// Reports an error that leaves the cell through `?`.
#[track_caller]
pub fn user_error<E: Display>(error: &E) {
    let (file, line, column) = place(Some(Location::caller()));
    signal(
        CELL_OUT,
        "error",
        &[
            ("message", &error.to_string()),
            ("type", std::any::type_name::<E>()),
            ("file", &file),
            ("line", &line),
            ("column", &column),
        ],
    );
}

/// What `?` makes of an error that leaves a cell: it has been reported.
pub struct UserError;

impl<T: Display> From<T> for UserError {
    #[track_caller]
    fn from(error: T) -> Self {
        user_error(&error);
        protocol(store::USER_ERROR_OCCURRED);
        UserError
    }
}

/// Sends a line of evcxr's own protocol from inside a cell.
pub fn protocol(line: &str) {
    write_all(PROTOCOL_OUT, format!("{line}\n").as_bytes());
}

/// Names the place of the kept statics in this process to every cell's copy of this code.
const KEPT_ENV: &str = "WORKBENCH_KEPT_STATICS";

/// The statics of all cells, by the key of the cell that defined them.
type Statics = Mutex<BTreeMap<String, usize>>;

/// The one list of kept statics in this process. The first cell makes it, before any thread of the reader's runs.
fn kept_statics() -> &'static Statics {
    let known = std::env::var(KEPT_ENV).ok().and_then(|place| {
        let (process, place) = place.split_once(' ')?;
        (process.parse() == Ok(std::process::id())).then(|| place.parse::<usize>().ok())?
    });
    match known {
        // SAFETY: a cell of this process wrote the address of a list that is never freed; all cells have the same compiler.
        Some(place) => unsafe { &*(place as *const Statics) },
        None => {
            let made: &'static Statics = Box::leak(Box::default());
            let place = format!("{} {}", std::process::id(), std::ptr::from_ref(made) as usize);
            // SAFETY: called when the first cell begins, while the process has one thread that looks at its environment.
            unsafe { std::env::set_var(KEPT_ENV, place) };
            made
        }
    }
}

/// A static of a cell, in one place over all cells.
pub struct Kept<T: 'static> {
    key: &'static str,
    make: fn() -> T,
    place: OnceLock<&'static T>,
}

impl<T: Send + Sync> Kept<T> {
    /// The static under a key, and how the first cell that uses it makes it.
    pub const fn new(key: &'static str, make: fn() -> T) -> Kept<T> {
        Kept { key, make, place: OnceLock::new() }
    }
}

impl<T: Send + Sync> Deref for Kept<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.place.get_or_init(|| {
            let known = |all: &Statics| all.lock().unwrap_or_else(PoisonError::into_inner).get(self.key).copied();
            let place = known(kept_statics()).unwrap_or_else(|| {
                // Made outside of the lock: what makes it may use another one.
                let made = Box::into_raw(Box::new((self.make)())) as usize;
                *kept_statics().lock().unwrap_or_else(PoisonError::into_inner).entry(self.key.to_owned()).or_insert(made)
            });
            // SAFETY: a key stands for one type of the standard library, made by the same compiler, and is never freed.
            unsafe { &*(place as *const T) }
        })
    }
}

/// A lazy static of a cell: used as what it holds.
pub struct KeptLazy<T: 'static>(Kept<T>);

impl<T: Send + Sync> KeptLazy<T> {
    /// As [`Kept::new`].
    pub const fn new(key: &'static str, make: fn() -> T) -> KeptLazy<T> {
        KeptLazy(Kept::new(key, make))
    }
}

impl<T: Deref + Send + Sync> Deref for KeptLazy<T> {
    type Target = T::Target;

    fn deref(&self) -> &T::Target {
        &**self.0
    }
}

/// How a value is shown when its type has no display of its own.
///
/// Implemented for references, so that a display method of the type itself is found first.
pub trait Fallback {
    /// Shows the value's `Debug` form; nothing for `()`.
    fn evcxr_display(&self);
}

impl<T: Debug + ?Sized> Fallback for &T {
    fn evcxr_display(&self) {
        if std::any::type_name::<T>() == "()" {
            return;
        }
        let text = format!("{self:?}");
        let _ = std::io::stdout().flush();
        let json = format!("{{\"data\":{{\"text/plain\":{}}}}}", quoted(&text));
        write_all(CELL_OUT, frame("application/x-workbench-display", &json).as_bytes());
        // An error in place of a value: the cell keeps its variables, and its reply says that the value is missing.
        if std::any::type_name::<T>().starts_with("core::result::Result<") && text.starts_with("Err(") {
            let message = format!("the value is an error: {text}; with `?` behind the expression its message is shown");
            signal(CELL_OUT, "error", &[("name", "NoValue"), ("message", &message)]);
        }
    }
}
