//! The OpenBLAS that this program is linked with: what it says of itself, and one thread.

use std::ffi::{CStr, c_char, c_int, c_void};

/// A function of OpenBLAS; null where this program has another BLAS.
fn symbol(name: &CStr) -> *mut c_void {
    // SAFETY: the name ends in a zero byte; the default scope is always there.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}

/// Version, build, and the processor that its kernels were chosen for; empty if it does not say.
pub fn config() -> String {
    let function = symbol(c"openblas_get_config");
    if function.is_null() {
        return String::new();
    }
    // SAFETY: OpenBLAS documents `char *openblas_get_config(void)`, a text that lives as long as the library.
    let told = unsafe {
        let function: extern "C" fn() -> *const c_char = std::mem::transmute(function);
        let text = function();
        if text.is_null() {
            return String::new();
        }
        CStr::from_ptr(text)
    };
    told.to_string_lossy().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Has it compute on the thread that calls it: tasks go side by side, and a product that is cut into more pieces rounds otherwise.
pub fn one_thread() {
    let function = symbol(c"openblas_set_num_threads");
    if !function.is_null() {
        // SAFETY: OpenBLAS documents `void openblas_set_num_threads(int)`.
        unsafe {
            let function: extern "C" fn(c_int) = std::mem::transmute(function);
            function(1);
        }
    }
}
