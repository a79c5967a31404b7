//! The process for cells: loads a compiled cell, runs it, and says when it has returned.
//!
//! evcxr's own loop would speak on standard output, which belongs to the cells: a thread that prints after its cell has ended
//! would write into the protocol. Here the three standard streams are the cells' from the first to the last moment, and
//! evcxr's orders and answers go over descriptors of their own.

use std::ffi::{CStr, CString, c_void};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;

use super::descriptors::{CELL_ERR, CELL_OUT, PROTOCOL_ERR, PROTOCOL_IN, PROTOCOL_OUT};

/// What evcxr orders; the file's path and a name follow.
pub(super) const ORDER: &str = "LOAD_AND_RUN ";
/// What it waits for.
pub(super) const COMPLETE: &str = "EVCXR_EXECUTION_COMPLETE";
/// Exit status where an order cannot be carried out, as evcxr has it.
const REFUSED: i32 = 99;

/// A cell: takes the store of variables and gives it back.
type Run = extern "C" fn(*mut c_void) -> *mut c_void;

/// Puts the streams in their places. The process has one thread yet.
pub fn arrange_streams() {
    // SAFETY: plain descriptor numbers.
    unsafe {
        libc::dup2(0, PROTOCOL_IN);
        libc::dup2(1, PROTOCOL_OUT);
        libc::dup2(2, PROTOCOL_ERR);
        libc::dup2(CELL_OUT, 1);
        libc::dup2(CELL_ERR, 2);
        let nothing = libc::open(c"/dev/null".as_ptr(), libc::O_RDONLY);
        if nothing >= 0 {
            libc::dup2(nothing, 0);
            libc::close(nothing);
        }
        // Programs that a cell starts and leaves behind must not keep evcxr's streams open.
        for descriptor in CELL_OUT..=PROTOCOL_IN {
            libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC);
        }
    }
}

/// Carries out orders until there are no more; never returns.
pub fn serve() -> ! {
    // SAFETY: open for as long as this process lives, and nobody else's; never closed here.
    let (orders, mut answers) = unsafe { (descriptor(PROTOCOL_IN), descriptor(PROTOCOL_OUT)) };
    let mut store = std::ptr::null_mut();
    for line in BufReader::new(&*orders).lines() {
        let Ok(line) = line else { break };
        match line.strip_prefix(ORDER).and_then(|rest| rest.rsplit_once(' ')) {
            Some((file, function)) => match load(file, function) {
                Ok(run) => store = run(store),
                Err(why) => refuse(&why),
            },
            None => refuse(&format!("an order that this process does not know: {line}")),
        }
        // Nobody reads any more when the kernel is gone; then the next order does not come.
        let _ = writeln!(answers, "{COMPLETE}");
    }
    std::process::exit(0)
}

unsafe fn descriptor(number: i32) -> ManuallyDrop<File> {
    // SAFETY: as the caller says.
    ManuallyDrop::new(unsafe { File::from_raw_fd(number) })
}

fn refuse(why: &str) -> ! {
    // SAFETY: as in `serve`.
    let mut errors = unsafe { descriptor(PROTOCOL_ERR) };
    let _ = writeln!(errors, "{why}");
    std::process::exit(REFUSED)
}

/// Loads a cell. It stays loaded: variables may hold functions and destructors of its own.
fn load(file: &str, function: &str) -> Result<Run, String> {
    let text = |part: &str| CString::new(part).map_err(|_| format!("a zero byte in {part:?}"));
    let (path, name) = (text(file)?, text(function)?);
    // SAFETY: both are strings that end in a zero byte; the cell's own initialisers run here, as they would for any library.
    let symbol = unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL);
        if library.is_null() {
            return Err(loader_said());
        }
        libc::dlsym(library, name.as_ptr())
    };
    if symbol.is_null() {
        return Err(loader_said());
    }
    // SAFETY: the function of this name was written and compiled for this cell with this signature.
    Ok(unsafe { std::mem::transmute::<*mut c_void, Run>(symbol) })
}

fn loader_said() -> String {
    // SAFETY: the text, if there is one, is valid until the next call of the loader on this thread.
    let text = unsafe {
        let text = libc::dlerror();
        (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
    };
    format!("the cell could not be loaded: {}", text.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_there_is_named() {
        let why = load("/no such place/libctx.so", "run").unwrap_err();
        assert!(why.contains("/no such place/libctx.so"), "{why}");
    }
}
