//! `cargo workbench doctor`: what this machine has, and what to do about what it lacks.

mod gpu;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use workbench_machine::{Check, ask, look, status};

use workbench_base::progress::table;
use workbench_client::{Client, Interrupt, KernelCommand, Outcome, Transport};
use workbench_setup::openblas::{self, OpenBlas};
use workbench_setup::paths::{SHARED_OBJECT, Workspace, build_folder, kernel_binary};
use workbench_setup::project::Project;
use workbench_setup::python;
use workbench_setup::system::{Machine, System};

/// What evcxr, the compiler and the linker have to do together, in one cell.
const CELL: &str = "let x = vec![1, 2];\nlet y = x.len() + 40;\ny";
/// How long it may take.
const CELL_LIMIT: Duration = Duration::from_secs(60);

/// Prints the table; the exit status is 1 when something that `run` needs is missing.
pub fn command() -> i32 {
    // What a reader's own project links, it says itself.
    let mut links_blas = true;
    let mut checks = match Workspace::find() {
        Ok(workspace) => {
            links_blas = !workspace.is_own();
            let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
            let mut checks = look(&ask, workspace.root(), &workspace.root().join(target));
            checks.extend(project(&workspace));
            checks.push(gpu::check(&workspace, &Machine));
            checks
        }
        Err(error) => vec![Check::new("workspace", true, false, "not found", &error.to_string())],
    };
    if links_blas {
        checks.push(blas(&Machine));
    }
    println!("{}", render(&checks));
    status(&checks)
}

fn render(checks: &[Check]) -> String {
    let row = |check: &Check| vec![check.name.into(), check.mark().into(), check.found.clone(), check.remedy.clone()];
    let rows: Vec<Vec<String>> = checks.iter().map(row).collect();
    table(&["check", "", "found", "what to do"], &rows, &[])
}

fn blas(system: &dyn System) -> Check {
    let blas = openblas::detect(system);
    Check::new(
        "OpenBLAS",
        true,
        blas != OpenBlas::Missing,
        match &blas {
            OpenBlas::System => "linked and found".to_string(),
            OpenBlas::Conda(folder) => format!("conda's, in {}", folder.display()),
            OpenBlas::Missing => "not found by the linker".to_string(),
        },
        "`sudo apt-get install libopenblas-dev`; the command `run` does it when it may",
    )
}

/// One cell in a kernel of its own. Where the crate is not built, the first cell would build it, and that is said instead.
fn cell(workspace: &Workspace, built: bool) -> Check {
    let found = if built { run_cell(workspace) } else { Err("not tried: the crate has to be built first".to_owned()) };
    let remedy = "look at the kernel's last words in .workbench/logs/doctor.log; after an upgrade of the compiler or of evcxr: kernel/UPGRADING.md";
    Check::new("one cell", built, found.is_ok(), found.unwrap_or_else(|why| why), remedy)
}

fn run_cell(workspace: &Workspace) -> Result<String, String> {
    let told = |error: &dyn std::fmt::Display| error.to_string();
    let mut environment = openblas::detect(&Machine).environment(&Machine);
    environment.push(("WORKBENCH_ROOT".into(), workspace.root().display().to_string()));
    let command = KernelCommand {
        argv: vec![
            kernel_binary().map_err(|error| told(&error))?.display().to_string(),
            "kernel".into(),
            "-f".into(),
            "{connection_file}".into(),
        ],
        folder: workspace.notebooks(),
        environment,
        interrupt: Interrupt::Message,
        transport: Transport::IPC,
        log: workspace.logs().ok().map(|logs| logs.join("doctor.log")),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|error| told(&error))?;
    runtime.block_on(async {
        let started = std::time::Instant::now();
        let mut client = Client::start(&command, CELL_LIMIT).await.map_err(|error| told(&error))?;
        let mut shown = String::new();
        let done =
            client.execute(CELL, "doctor", Some(CELL_LIMIT), &mut |message| shown += &format!("{message:?}")).await;
        client.shutdown().await;
        match done.map_err(|error| told(&error))?.outcome {
            Outcome::Ok if shown.contains("42") => {
                Ok(format!("a kernel started and ran it in {:.1} s", started.elapsed().as_secs_f64()))
            }
            Outcome::Ok => Err("it ran, and its value did not come".to_owned()),
            Outcome::Error { name, message } => Err(format!("{name}: {message}")),
            other => Err(format!("it did not run: {other:?}")),
        }
    })
}

fn project(workspace: &Workspace) -> Vec<Check> {
    let project = Project::at(workspace.root());
    let object = match workspace.is_own() {
        true => project.built().join(project.shared_object()),
        false => build_folder().unwrap_or_default().join(SHARED_OBJECT),
    };
    let built = modified(&object);
    let newest = newest_source(workspace);
    let fresh =
        built.is_some_and(|built| newest.is_none_or(|source| built >= source)) || project.current_object().is_some();
    let results = workspace.results();
    let writable = tempfile::tempfile_in(&results).is_ok();
    // What other systems need is downloaded by none.
    let platform = workbench_setup::packages::host_triple().map(|host| ["--filter-platform".to_owned(), host]);
    let cached = std::process::Command::new("cargo")
        .args(["metadata", "--offline", "--locked", "--format-version", "1"])
        .args(platform.into_iter().flatten())
        .current_dir(workspace.root())
        .output()
        .is_ok_and(|output| output.status.success());
    let spec = workspace.kernelspec().join("kernel.json");
    let spec_ok = std::fs::read_to_string(&spec).is_ok_and(|text| {
        serde_json::from_str::<serde_json::Value>(&text)
            .is_ok_and(|spec| spec["argv"][0].as_str().is_some_and(|binary| is_this_kernel(Path::new(binary))))
    });
    vec![
        Check::new(
            "shared object",
            true,
            fresh,
            match (built, fresh) {
                (None, _) => "not built".to_string(),
                (Some(_), false) => "older than the crate's source".to_string(),
                (Some(_), true) => object.display().to_string(),
            },
            "the command `setup` builds it (minutes the first time)",
        ),
        cell(workspace, fresh),
        Check::new(
            "packages",
            true,
            cached,
            if cached { "all in the local cache, no network needed" } else { "some are not downloaded yet" },
            "connect to the network and run `cargo fetch --locked`",
        ),
        results_folder(&results, fresh, writable),
        Check::new(
            "Python environment",
            false,
            python::matches(workspace),
            ".workbench/venv",
            "the command `lab` makes it",
        ),
        Check::new("kernelspec", false, spec_ok, spec.display().to_string(), "the command `lab` installs it"),
    ]
}

/// Whether a kernelspec names the kernel of this build: in a copied checkout it names that of the other one.
fn is_this_kernel(binary: &Path) -> bool {
    let ours = kernel_binary().ok().and_then(|path| path.canonicalize().ok());
    ours.is_some() && ours == binary.canonicalize().ok()
}

/// A built checkout that cannot be written, as one of several readers may have, serves: runs write elsewhere.
fn results_folder(results: &Path, built: bool, writable: bool) -> Check {
    Check::new(
        "results folder",
        !built,
        writable,
        format!("{}{}", results.display(), if writable { "" } else { " cannot be written" }),
        "make it writable, or run with --results DIR",
    )
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|data| data.modified()).ok()
}

fn newest_source(workspace: &Workspace) -> Option<SystemTime> {
    let mut open: Vec<PathBuf> =
        workbench_setup::paths::sources(workspace.root()).iter().map(|folder| workspace.root().join(folder)).collect();
    let mut newest = modified(&workspace.root().join("Cargo.lock"));
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else {
                newest = newest.max(modified(&path));
            }
        }
    }
    newest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    #[test]
    fn a_built_checkout_that_cannot_be_written_serves() {
        let of = |built, writable| results_folder(Path::new("/opt/notebooks/results"), built, writable);
        assert_eq!(status(&[of(true, false)]), 0);
        assert!(of(true, false).remedy.contains("--results"));
        assert_eq!(status(&[of(false, false)]), 1);
        assert!(of(false, true).ok);
    }

    #[test]
    fn a_machine_without_openblas_is_told_what_to_install() {
        let mut machine = Fake::default();
        let check = blas(&machine);
        assert_eq!(status(std::slice::from_ref(&check)), 1);
        assert!(render(&[check]).contains("libopenblas-dev"));
        machine.links_after = Some(String::new());
        assert!(blas(&machine).ok);
    }
}
