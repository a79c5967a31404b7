//! `cargo workbench bundle`: a small folder that, on a machine with a driver and nothing of the project, compares a GPU with the
//! machine's own cores, times it, beside PyTorch where that is, and writes tables.
//!
//! NVIDIA's libraries are not in it: the linear algebra alone is several times its size, and PyTorch or a toolkit brings them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;

use workbench_base::error::{Error, Result};
use workbench_base::progress;
use workbench_base::text::tail;
use workbench_setup::cargo::{cargo, no_cargo};
use workbench_setup::cuda::{FEATURE, Setting, TURN_ON};
use workbench_setup::features::cargo_args;
use workbench_setup::paths::{Workspace, build_folder};
use workbench_setup::system::{Machine, System};

/// The programs in it, examples of the tensors' room and of the variables'.
const PROGRAMS: [&str; 2] = ["gpu_agreement", "device_door"];
/// What goes beside it as it stands.
const FILES: [(&str, &str); 2] = [
    ("run.sh", include_str!("../../assets/bundle/run.sh")),
    ("README.md", include_str!("../../assets/bundle/README.md")),
];
/// PyTorch's part of the comparison, and the folder of the checkout that has it.
const SCRIPTS: [&str; 3] = ["full_gpu.py", "full.py", "lfom.py"];
const SCRIPTS_IN: &str = "workbench/benches";
/// Libraries of this machine that the program needs and another one may lack.
const TAKEN_ALONG: [&str; 3] = ["libopenblas", "libgfortran", "libquadmath"];
/// Largest bundle, in bytes.
const LIMIT: u64 = 64 << 20;

/// Options of `bundle`.
#[derive(Args, Clone, Debug)]
pub struct BundleArgs {
    /// The folder to write
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// Makes the bundle from the GPU setting's build; returns the exit status.
pub fn command(args: &BundleArgs) -> Result<i32> {
    let workspace = Workspace::checkout("bundle")?;
    let setting = setting(&workspace)?;
    let environment = workbench_setup::environment(&workspace, &Machine, &mut progress::step)?;
    let cuda = setting.toolkit.version.to_string();
    let bytes = make(&workspace, &environment, &cuda, &args.out)?;
    progress::step(&format!(
        "{} ({:.1} MiB, {}): take it to a machine with a GPU and run `sh run.sh` in it",
        args.out.display(),
        bytes as f64 / f64::from(1u32 << 20),
        setting.describe()
    ));
    Ok(0)
}

/// The setting, without which the program could use no device.
fn setting(workspace: &Workspace) -> Result<Setting> {
    Setting::read(&workspace.state())?.ok_or_else(|| Error::Cuda {
        what: "make a bundle for a GPU".into(),
        why: "the GPU setting is off, so a program built here could use none".into(),
        hint: format!(
            "run `{TURN_ON}` first, with `--capability 9.0` or that of the device where this machine has none"
        ),
    })
}

/// Builds the program with the variables of `environment`, for CUDA `cuda`, and writes the bundle; its size in bytes.
///
/// # Errors
/// A build that fails, and a bundle that is too large to be carried.
pub fn make(workspace: &Workspace, environment: &[(String, String)], cuda: &str, out: &Path) -> Result<u64> {
    let programs = build(workspace, environment)?;
    std::fs::create_dir_all(out).map_err(|source| Error::io("make", out, source))?;
    // What an earlier bundle unpacked there would be run in place of this one.
    let unpacked = out.join("unpacked");
    if unpacked.is_dir() {
        std::fs::remove_dir_all(&unpacked).map_err(|source| Error::io("remove", &unpacked, source))?;
    }
    let stage = tempfile::tempdir_in(out).map_err(|source| Error::io("make a folder in", out, source))?;
    for (name, program) in &programs {
        let stripped = stage.path().join(name);
        run("strip", &["-o", &shown(&stripped), &shown(program)], "strip a program")?;
    }
    let libraries = stage.path().join("lib");
    std::fs::create_dir_all(&libraries).map_err(|source| Error::io("make", &libraries, source))?;
    for (_, program) in &programs {
        for (name, file) in taken_along(&said_by_ldd(program, environment)?) {
            let to = libraries.join(name);
            std::fs::copy(&file, &to).map_err(|source| Error::io("copy", &file, source))?;
        }
    }
    let version = stage.path().join("cuda-version");
    std::fs::write(&version, cuda).map_err(|source| Error::io("write", &version, source))?;
    let archive = out.join("program.tar.gz");
    run("tar", &["czf", &shown(&archive), "-C", &shown(stage.path()), "."], "pack the programs")?;
    let mut bytes = archive.metadata().map_or(0, |meta| meta.len());
    for (name, text) in FILES {
        let file = out.join(name);
        std::fs::write(&file, text).map_err(|source| Error::io("write", &file, source))?;
        bytes += text.len() as u64;
    }
    for name in SCRIPTS {
        let from = workspace.root().join(SCRIPTS_IN).join(name);
        bytes += std::fs::copy(&from, out.join(name)).map_err(|source| Error::io("copy", &from, source))?;
    }
    within(bytes, out)?;
    Ok(bytes)
}

fn within(bytes: u64, out: &Path) -> Result<()> {
    if bytes <= LIMIT {
        return Ok(());
    }
    Err(Error::Failed {
        what: format!("the bundle in {}", out.display()),
        status: format!("{} MiB, and {} can be carried", bytes >> 20, LIMIT >> 20),
        hint: format!("look at what is in program.tar.gz: {} and {}", PROGRAMS.join(", "), TAKEN_ALONG.join(", ")),
        tail: String::new(),
    })
}

/// The programs and their files.
fn build(workspace: &Workspace, environment: &[(String, String)]) -> Result<Vec<(&'static str, PathBuf)>> {
    progress::step(&format!("building {}", PROGRAMS.join(" and ")));
    let output = cargo(workspace)
        .args(["build", "--workspace", "--locked", "--quiet"])
        .args(PROGRAMS.iter().flat_map(|name| ["--example", name]))
        .args(cargo_args(&[FEATURE.to_owned()].into()))
        .envs(environment.iter().cloned())
        .stdin(Stdio::null())
        .output()
        .map_err(no_cargo)?;
    let folder = build_folder()?.join("examples");
    let programs = PROGRAMS.map(|name| (name, folder.join(name)));
    if output.status.success() && programs.iter().all(|(_, program)| program.is_file()) {
        return Ok(programs.to_vec());
    }
    Err(Error::Failed {
        what: format!("building {}", PROGRAMS.join(" and ")),
        status: output.status.to_string(),
        hint: format!("`{TURN_ON}` again finds out whether the toolkit is whole"),
        tail: tail(&String::from_utf8_lossy(&output.stderr), 20),
    })
}

/// What the loader finds for a program.
fn said_by_ldd(program: &Path, environment: &[(String, String)]) -> Result<String> {
    let output =
        Command::new("ldd").arg(program).envs(environment.iter().cloned()).stdin(Stdio::null()).output().map_err(
            |source| Error::Start { program: "ldd".into(), source, hint: "it comes with the C library".into() },
        )?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Names and files of the libraries that are taken along.
fn taken_along(ldd: &str) -> Vec<(&str, PathBuf)> {
    let lines = ldd.lines().filter_map(|line| line.trim().split_once(" => "));
    lines
        .filter(|(name, _)| TAKEN_ALONG.iter().any(|taken| name.starts_with(taken)))
        .filter_map(|(name, found)| Some((name, PathBuf::from(found.split(" (").next()?))))
        .filter(|(_, file)| file.is_absolute())
        .collect()
}

fn run(program: &str, args: &[&str], what: &str) -> Result<()> {
    match Machine.run(program, args) {
        Some(ran) if ran.ok => Ok(()),
        ran => Err(Error::Failed {
            what: what.into(),
            status: format!("`{program}` {}", if ran.is_some() { "failed" } else { "is not on this machine" }),
            hint: "install binutils and tar, and see that the disk is not full".into(),
            tail: tail(&ran.unwrap_or_default().output, 5),
        }),
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_the_setting_the_next_step_is_named() {
        let folder = tempfile::tempdir().unwrap();
        for part in ["workbench", "kernel"] {
            std::fs::create_dir_all(folder.path().join(part)).unwrap();
            std::fs::write(folder.path().join(part).join("Cargo.toml"), "").unwrap();
        }
        let workspace = Workspace::at(folder.path()).unwrap();
        let error = setting(&workspace).unwrap_err().to_string();
        assert!(error.contains(TURN_ON) && error.contains("--capability"), "{error}");
    }

    #[test]
    fn only_what_another_machine_may_lack_is_taken_along() {
        let ldd = "\tlibopenblas.so.0 => /usr/lib/libopenblas.so.0 (0x1)\n\tlibc.so.6 => /lib/libc.so.6 (0x2)\n\
            \tlibgfortran.so.5 => not found\n\tlibcublas.so.13 => /t/libcublas.so.13 (0x3)\n\tlinux-vdso.so.1 (0x4)\n";
        assert_eq!(taken_along(ldd), [("libopenblas.so.0", PathBuf::from("/usr/lib/libopenblas.so.0"))]);
    }

    #[test]
    fn a_bundle_that_cannot_be_carried_is_refused() {
        assert!(within(LIMIT, Path::new("b")).is_ok());
        let error = within(LIMIT + (1 << 20), Path::new("b")).unwrap_err().to_string();
        assert!(error.contains("65 MiB, and 64"), "{error}");
    }

    /// A bundle with a program that only says that it ran, on this machine with libraries of the test's own.
    fn ran(libraries: &[&str], needs: &[&str]) -> std::process::Output {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        let cc = |args: &[&str]| {
            let status = Command::new("cc").args(args).current_dir(place).status().unwrap();
            assert!(status.success(), "{args:?}");
        };
        std::fs::create_dir_all(place.join("there")).unwrap();
        std::fs::create_dir_all(place.join("gone")).unwrap();
        std::fs::create_dir_all(place.join("stage/lib")).unwrap();
        std::fs::write(place.join("empty.c"), "int nothing;\n").unwrap();
        let mut links = Vec::new();
        for name in needs {
            let kept = if libraries.contains(name) { "there" } else { "gone" };
            let (file, soname) = (format!("{kept}/{name}"), format!("-Wl,-soname,{name}"));
            cc(&["-shared", "-fPIC", &soname, "empty.c", "-o", &file]);
            links.push(file);
        }
        let program = "#include <stdio.h>\nint main(int n, char **a) { FILE *f; char p[999]; snprintf(p, 999, \"%s/timings.csv\", a[3]);\n\
            f = fopen(p, \"w\"); fputs(\"ran\\n\", f); fclose(f); return 0; }\n";
        std::fs::write(place.join("program.c"), program).unwrap();
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        cc(&[&["-Wl,--no-as-needed", "program.c", "-o", "stage/gpu_agreement"], &links[..]].concat());
        std::fs::copy(place.join("stage/gpu_agreement"), place.join("stage/device_door")).unwrap();
        std::fs::write(place.join("stage/cuda-version"), "13.0").unwrap();
        let packed =
            Command::new("tar").args(["czf", "program.tar.gz", "-C", "stage", "."]).current_dir(place).status();
        assert!(packed.unwrap().success());
        for (name, text) in FILES {
            std::fs::write(place.join(name), text).unwrap();
        }
        let output = Command::new("sh")
            .args(["run.sh", "--out", "my tables"])
            .current_dir(place)
            .env("LD_LIBRARY_PATH", place.join("there"))
            .output()
            .unwrap();
        if output.status.success() {
            assert_eq!(std::fs::read_to_string(place.join("my tables/timings.csv")).unwrap(), "ran\n");
            assert!(place.join("my tables/device.txt").is_file());
        }
        output
    }

    #[test]
    fn the_script_runs_the_program_and_says_what_a_machine_lacks() {
        let all = ["libcuda.so.1", "libcublas_of_a_test.so.13"];
        let output = ran(&all, &all);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let output = ran(&all[..1], &all);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(said.contains("libcublas_of_a_test.so.13") && said.contains("CUDA 13.0"), "{said}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_script_says_that_there_is_no_driver_in_one_sentence() {
        if workbench_setup::cuda::probe::is_there() {
            return;
        }
        let output = ran(&[], &["libcuda.so.1"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.contains("no NVIDIA driver"), "{said}");
    }
}
