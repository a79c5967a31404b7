//! Detection of an NVIDIA driver, asked of libraries that play one.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder that passes for a checkout, with a driver's library beside it.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    /// With a driver that knows CUDA `version`, whose `cuInit` answers `start`, with devices of capability 9.0.
    fn new(version: u32, start: i32, devices: u32) -> Machine {
        let machine = Machine { folder: tempfile::tempdir().unwrap() };
        let text = format!(
            "#include <string.h>\n\
             int cuDriverGetVersion(int *v) {{ if ({version} == 0) return 34; *v = {version}; return 0; }}\n\
             int cuInit(unsigned f) {{ return {start}; }}\n\
             int cuDeviceGetCount(int *n) {{ *n = {devices}; return 0; }}\n\
             int cuDeviceGet(int *d, int i) {{ *d = i; return 0; }}\n\
             int cuDeviceGetName(char *t, int n, int d) {{ strncpy(t, \"Device of a test\", n); return 0; }}\n\
             int cuDeviceGetAttribute(int *v, int a, int d) {{ *v = a == 75 ? 9 : 0; return 0; }}\n\
             int cuGetErrorName(int e, const char **t) {{ *t = \"CUDA_ERROR_NO_DEVICE\"; return 0; }}\n"
        );
        let source = machine.place("driver.c");
        std::fs::write(&source, text).unwrap();
        let status = Command::new("cc")
            .args(["-shared", "-fPIC", "-w", "-o"])
            .args([machine.place("libcuda.so.1"), source])
            .status()
            .unwrap();
        assert!(status.success());
        for part in ["workbench", "kernel"] {
            std::fs::create_dir_all(machine.place(part)).unwrap();
            std::fs::write(machine.place(part).join("Cargo.toml"), "").unwrap();
        }
        std::fs::create_dir_all(machine.place("notebooks/results")).unwrap();
        machine
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn workbench(&self, words: &[&str]) -> (Option<i32>, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_workbench"))
            .args(words)
            .current_dir(self.folder.path())
            .env("WORKBENCH_ROOT", self.folder.path())
            .env("LD_LIBRARY_PATH", self.folder.path())
            .env_remove("CUDA_HOME")
            .env_remove("CUDA_PATH")
            .env_remove("CUDA_ROOT")
            .env_remove("CUDA_COMPUTE_CAP")
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8_lossy(&text).into_owned())
    }

    /// The row of `doctor`.
    fn row(&self) -> String {
        let (_, text) = self.workbench(&["doctor"]);
        let row = text.lines().find(|line| line.starts_with("GPU "));
        row.unwrap_or_else(|| panic!("{text}")).to_owned()
    }

    fn set(&self, toolkit: &Path) {
        let setting = serde_json::json!({"toolkit": {"root": toolkit, "version": [13, 0]}, "capability": "9.0"});
        std::fs::create_dir_all(self.place(".workbench")).unwrap();
        std::fs::write(self.place(".workbench/cuda.json"), setting.to_string()).unwrap();
    }
}

#[test]
fn doctor_has_a_row_for_each_state_of_driver_and_setting() {
    let row = Machine::new(13000, 0, 2).row();
    assert!(row.contains("Device of a test, capability 9.0"), "{row}");
    assert!(row.contains("CUDA 13.0") && row.contains("setup --cuda"), "{row}");
    let row = Machine::new(13000, 100, 0).row();
    assert!(row.contains("no device (CUDA_ERROR_NO_DEVICE)") && row.contains(" ok "), "{row}");
    // A library that only stands in for a driver is none.
    let row = Machine::new(0, 34, 0).row();
    assert!(row.contains("no NVIDIA driver"), "{row}");
    let machine = Machine::new(13000, 0, 1);
    machine.set(Path::new("/nowhere"));
    let row = machine.row();
    assert!(row.contains("MISSING") && row.contains("toolkit is gone"), "{row}");
}

#[test]
fn setup_refuses_what_cannot_work_before_it_builds_or_records_anything() {
    let too_old = Machine::new(12040, 0, 1);
    let toolkit = too_old.place("toolkit");
    std::fs::create_dir_all(toolkit.join("bin")).unwrap();
    let nvcc = toolkit.join("bin/nvcc");
    std::fs::write(&nvcc, "#!/bin/sh\necho 'Cuda compilation tools, release 13.0, V13.0.88'\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&nvcc, mode).unwrap();
    let run = |home: &Path| {
        let output = Command::new(env!("CARGO_BIN_EXE_workbench"))
            .args(["setup", "--cuda"])
            .current_dir(too_old.folder.path())
            .env("WORKBENCH_ROOT", too_old.folder.path())
            .env("LD_LIBRARY_PATH", too_old.folder.path())
            .env("CUDA_HOME", home)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(4), "{text}");
        assert!(!too_old.place(".workbench/cuda.json").exists());
        text
    };
    let text = run(&toolkit);
    assert!(text.contains("knows CUDA 12.4") && text.contains("update the driver"), "{text}");
    let text = run(&too_old.place("elsewhere"));
    assert!(text.contains("no bin/nvcc is"), "{text}");

    // Without a device there is nothing to ask for the capability, and a slip in it is wrong use.
    let (code, text) = Machine::new(13000, 100, 0).workbench(&["setup", "--cuda"]);
    assert_eq!(code, Some(4), "{text}");
    assert!(text.contains("--capability 9.0"), "{text}");
    let (code, text) = Machine::new(13000, 100, 0).workbench(&["setup", "--cuda", "--capability", "new"]);
    assert_eq!(code, Some(2), "{text}");
}

#[test]
fn a_bundle_without_the_setting_is_refused() {
    let machine = Machine::new(13000, 0, 1);
    let (code, text) = machine.workbench(&["bundle", "--out", "bundle"]);
    assert_eq!(code, Some(4), "{text}");
    assert!(text.contains("cargo workbench setup --cuda"), "{text}");
    assert!(!machine.place("bundle").exists());
}
