//! Public suites and clients that were not written here, against our kernel: `jupyter_kernel_test`, nbclient,
//! `jupyter execute`, `jupyter run`, and the blocking and asynchronous clients of jupyter_client.

use std::path::Path;
use std::process::Command;

use crate::common::Project;
use workbench_setup::kernelspec;
use workbench_setup::paths::Workspace;
use workbench_setup::python::ensure_clients;
use workbench_setup::system::Machine;

/// Tests of the suite that do not apply, with the reason.
const NOT_APPLICABLE: [(&str, &str); 1] = [("test_pager", "payloads are deprecated and Rust has no pager")];

#[test]
fn public_clients_find_nothing_to_object_to() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let venv = ensure_clients(&Workspace::at(root).unwrap(), &Machine, &mut |line| println!("{line}")).unwrap();

    let project = Project::new();
    let data = tempfile::tempdir().unwrap();
    let set = |name: &str, value: std::path::PathBuf| (name.to_owned(), value.display().to_string());
    let environment =
        [set("WORKBENCH_ROOT", project.root().to_owned()), set("CARGO_TARGET_DIR", project.root().join("target"))];
    let binary = Path::new(env!("CARGO_BIN_EXE_workbench"));
    kernelspec::install(&data.path().join("kernels/workbench"), binary, &environment).unwrap();

    let output = Command::new(venv.join("bin/python"))
        .arg(root.join("kernel/tests/data/conformance.py"))
        .current_dir(project.root().join("notebooks"))
        .env("PATH", format!("{}:{}", venv.join("bin").display(), std::env::var("PATH").unwrap()))
        .env("JUPYTER_PATH", data.path())
        .env("JUPYTER_PLATFORM_DIRS", "1")
        .env("JUPYTER_RUNTIME_DIR", data.path().join("runtime"))
        .env("JUPYTER_CONFIG_DIR", data.path().join("config"))
        .env("IPYTHONDIR", data.path().join("ipython"))
        .env("CONFORMANCE_FOLDER", data.path())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    println!("{told}");
    assert!(output.status.success(), "{}\n{told}", String::from_utf8_lossy(&output.stdout));

    // A suite that skips what it was meant to test would pass too.
    for line in told.lines().filter(|line| line.contains("... skipped")) {
        let known = NOT_APPLICABLE.iter().any(|(test, _)| line.starts_with(test));
        assert!(known, "skipped: {line}");
    }
    // "Ran 27 tests in 52.6s": the lines of single tests may be broken by what a client logs.
    let ran = told.lines().find_map(|line| line.strip_prefix("Ran ")?.split(' ').next()?.parse::<usize>().ok());
    assert!(ran >= Some(25), "only {ran:?} tests ran:\n{told}");
}
