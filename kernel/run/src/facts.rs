//! Facts of a run: the identity of a run, and the source, compiler and machine that it runs with.

use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use workbench_record::{Run, Scale, digest};

use workbench_base::error::Result;
use workbench_setup::cuda::{Setting, probe};
use workbench_setup::paths::sources;

/// Describes a run that starts now.
///
/// What this machine cannot tell (no version control, an unknown processor) is left empty.
pub fn describe(root: &Path, environment: &[(String, String)], scale: Scale, seed: u64) -> Result<Run> {
    let now = chrono::Utc::now();
    let random = uuid::Uuid::new_v4().simple().to_string();
    let changes = said(Command::new("git").args(["status", "--porcelain", "--untracked-files=no"]).current_dir(root));
    Ok(Run {
        run: format!("{}-{scale}-{seed}-{}", now.format("%Y%m%dT%H%M%S%3fZ"), &random[..6]),
        commit: said(Command::new("git").args(["rev-parse", "HEAD"]).current_dir(root)),
        dirty: changes.lines().any(|line| !line.contains("notebooks/results/")),
        lock: std::fs::read(root.join("Cargo.lock")).map_or(String::new(), digest::of),
        source: digest::of_sources(root, &sources(root))?,
        compiler: said(Command::new("rustc").arg("--version").current_dir(root)),
        processor: processor(),
        cores: std::thread::available_parallelism().map_or(0, |cores| cores.get() as u64),
        blas: blas(environment),
        device: device(root),
        start: now.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
        seconds: 0.0,
        scale,
        seed,
    })
}

/// What a program says on its output, in one piece; nothing if it fails or is not there.
fn said(command: &mut Command) -> String {
    match command.stdin(std::process::Stdio::null()).output() {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_string(),
        _ => String::new(),
    }
}

fn processor() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = told.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == "model name").then(|| value.trim().to_string())
    });
    model.unwrap_or_else(|| std::env::consts::ARCH.to_string())
}

/// The machine's own cores, and the GPU that cells may use beside them.
fn device(root: &Path) -> String {
    let usable = || {
        let setting = Setting::read(&root.join(".workbench")).ok()??;
        let driver = probe::look()?;
        match setting.complaint(Some(&driver)) {
            None => driver.devices.ok()?.into_iter().next().map(|device| device.name),
            Some(_) => None,
        }
    };
    usable().map_or_else(|| "cpu".to_owned(), |name| format!("cpu and {name}"))
}

/// What OpenBLAS says of itself: version, build, and the processor that it chose its kernels for.
fn blas(environment: &[(String, String)]) -> String {
    const NAME: &str = if cfg!(target_os = "macos") { "libopenblas.dylib" } else { "libopenblas.so.0" };
    let folders = environment
        .iter()
        .filter(|(name, _)| name == "LD_LIBRARY_PATH")
        .flat_map(|(_, paths)| std::env::split_paths(paths).collect::<Vec<_>>());
    let places = folders.map(|folder| folder.join(NAME)).chain([NAME.into()]);
    places.into_iter().find_map(|place| ask(&place)).unwrap_or_default()
}

#[cfg(unix)]
fn ask(library: &Path) -> Option<String> {
    use std::ffi::{CStr, CString, c_char};
    use std::os::unix::ffi::OsStrExt;
    let name = CString::new(library.as_os_str().as_bytes()).ok()?;
    // SAFETY: `name` ends in a zero byte. The library is the one that the crate's own programs load; it stays loaded.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
    if handle.is_null() {
        return None;
    }
    // SAFETY: the handle is valid and the name ends in a zero byte.
    let function = unsafe { libc::dlsym(handle, c"openblas_get_config".as_ptr()) };
    if function.is_null() {
        return None;
    }
    // OpenBLAS writes the text anew into one place at each call: calls side by side would write it twice.
    static ASKING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: OpenBLAS documents `char *openblas_get_config(void)`, a text that lives as long as the library.
    let told = unsafe {
        let function: extern "C" fn() -> *const c_char = std::mem::transmute(function);
        let text = function();
        if text.is_null() {
            return None;
        }
        CStr::from_ptr(text).to_string_lossy().into_owned()
    };
    Some(told.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(not(unix))]
fn ask(_library: &Path) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_never_share_an_identity() {
        let root = tempfile::tempdir().unwrap();
        let run = || describe(root.path(), &[], Scale::Quick, 7).unwrap();
        let (first, second) = (run(), run());
        assert_ne!(first.run, second.run);
        assert!(first.run.contains("-quick-7-"), "{}", first.run);
        assert_eq!((first.commit.as_str(), first.dirty), ("", false), "no version control here");
        assert_eq!(first.source, second.source);
        assert!(first.compiler.starts_with("rustc "), "{}", first.compiler);
        assert!(!first.processor.is_empty() && first.cores > 0);
    }
}
