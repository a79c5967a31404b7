//! The three kernels that are measured, and the cells that they are given.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use workbench_base::error::{Error, Result};
use workbench_base::notebook::{self, Notebook};
use workbench_base::progress;
use workbench_client::{Interrupt, KernelCommand, Outcome, Transport};
use workbench_eval::compile_cache::COMPILE_ENV;
use workbench_setup::Ready;
use workbench_setup::paths::{build_folder, kernel_binary};

use super::measure::{BenchCell, Subject};
use super::{cells, measure, stock};

/// Cells of the tour, with their ids.
pub fn tour(ready: &Ready) -> Result<Vec<BenchCell>> {
    let folder = ready.workspace.notebooks();
    let path = notebook::find_all(&folder)
        .into_iter()
        .find(|path| path.file_stem().is_some_and(|stem| stem.to_string_lossy().contains("tour")))
        .map_or_else(|| notebook::find(&folder, "tour"), Ok)?;
    let notebook = Notebook::read_ours(&path)?;
    Ok(notebook
        .cells()
        .iter()
        .filter(|cell| !cell.source.trim().is_empty() && !cell.has_tag("skip-execution"))
        .map(|cell| BenchCell {
            id: cell.id.clone(),
            code: cell.source.clone(),
            may_fail: cell.has_tag("raises-exception"),
            computes: cell.has_tag("computes"),
        })
        .collect())
}

/// Our kernel, compiling every cell.
pub fn ours(ready: &Ready, folder: &Path, tour: &[BenchCell]) -> Result<Subject> {
    let mut subject = unchanged(ready, folder, tour)?;
    subject.name = "workbench";
    subject.command.environment.push((COMPILE_ENV.to_owned(), "1".to_owned()));
    Ok(subject)
}

/// Our kernel, with cells that it compiled in an earlier session.
pub fn unchanged(ready: &Ready, folder: &Path, tour: &[BenchCell]) -> Result<Subject> {
    Ok(Subject {
        name: "unchanged cells",
        command: our_command(ready, folder)?,
        cells: tour.to_vec(),
        load: cells::LOAD.into(),
        first_let: cells::FIRST_LET.into(),
        limit: Duration::from_secs(300),
    })
}

/// The kernel of evcxr_jupyter as it comes.
pub fn stock_subject(ready: &Ready, folder: &Path, tour: &[BenchCell]) -> Result<Subject> {
    Ok(Subject {
        name: "stock evcxr",
        command: stock_command(ready, folder)?,
        cells: tour.to_vec(),
        load: cells::LOAD.into(),
        first_let: cells::FIRST_LET.into(),
        limit: Duration::from_secs(3600),
    })
}

/// Build folder that stock evcxr keeps between sessions, so that it too compiles its dependencies once.
pub fn stock_folder(folder: &Path) -> PathBuf {
    folder.join("evcxr")
}

/// Has stock evcxr compile its dependencies; returns the time if they were not there yet.
pub fn warm_up_stock(runtime: &tokio::runtime::Runtime, stock: &Subject, folder: &Path) -> Result<Option<f64>> {
    let place = stock_folder(folder);
    if place.join("target").exists() {
        return Ok(None);
    }
    std::fs::create_dir_all(&place).map_err(|source| Error::io("make", &place, source))?;
    progress::step("stock evcxr: compiling its dependencies (about 15 minutes, once)");
    let started = Instant::now();
    let (outcome, _) = runtime.block_on(measure::printed(stock, "1 + 1"))?;
    if outcome != Outcome::Ok {
        progress::note(&format!("its first cell ended with {outcome:?}"));
    }
    Ok(Some(started.elapsed().as_secs_f64()))
}

/// How our kernel starts.
pub fn our_command(ready: &Ready, folder: &Path) -> Result<KernelCommand> {
    rust_command(ready, folder, "kernel", &kernel_binary()?, &["kernel", "-f"])
}

/// How stock evcxr starts.
pub fn stock_command(ready: &Ready, folder: &Path) -> Result<KernelCommand> {
    let mut command = rust_command(ready, folder, "stock-kernel", &stock::program(folder)?, &[stock::CONTROL_FILE])?;
    let place = stock_folder(folder).display().to_string();
    command.environment.push(("EVCXR_TMPDIR".into(), place));
    Ok(command)
}

/// How `program` starts as the Rust kernel `name`, with `words` before the connection file, in an environment as a user has it.
fn rust_command(ready: &Ready, folder: &Path, name: &str, program: &Path, words: &[&str]) -> Result<KernelCommand> {
    let workspace = &ready.workspace;
    let results = folder.join("results");
    std::fs::create_dir_all(&results).map_err(|source| Error::io("make", &results, source))?;
    let mut environment = ready.environment.clone();
    let set = [
        ("WORKBENCH_ROOT", workspace.root().display().to_string()),
        ("WORKBENCH_SCALE", "quick".to_string()),
        ("WORKBENCH_RESULTS", results.display().to_string()),
        ("WORKBENCH_NOTEBOOKS", workspace.notebooks().display().to_string()),
        // Stock evcxr looks here for kernels to update; ours are none of its business.
        ("JUPYTER_DATA_DIR", folder.join("jupyter").display().to_string()),
    ];
    environment.extend(set.map(|(name, value)| (name.to_string(), value)));
    environment.push(("LD_LIBRARY_PATH".into(), libraries_of_a_user(&environment)?));
    Ok(KernelCommand {
        argv: std::iter::once(program.display().to_string())
            .chain(words.iter().map(|word| (*word).to_owned()))
            .chain(["{connection_file}".to_owned()])
            .collect(),
        folder: workspace.notebooks(),
        environment,
        interrupt: Interrupt::Message,
        transport: Transport::TCP,
        log: Some(folder.join(format!("{name}.log"))),
    })
}

/// The library path that a kernel would have when Jupyter starts it. `cargo run` puts our build folder and the toolchain in
/// front of it; stock evcxr would load our copy of the crate from there instead of the one that it built.
fn libraries_of_a_user(environment: &[(String, String)]) -> Result<String> {
    let given = environment
        .iter()
        .rfind(|(name, _)| name == "LD_LIBRARY_PATH")
        .map(|(_, value)| value.clone())
        .or_else(|| std::env::var("LD_LIBRARY_PATH").ok())
        .unwrap_or_default();
    let built = build_folder()?;
    let kept: Vec<&str> = given
        .split(':')
        .filter(|place| !place.is_empty() && !Path::new(place).starts_with(&built) && !place.contains("/rustlib/"))
        .filter(|place| !place.contains("/.rustup/toolchains/"))
        .collect();
    Ok(kept.join(":"))
}

/// Python's kernel.
pub fn python(ready: &Ready, folder: &Path) -> Subject {
    let python = ready.workspace.venv_program("python").display().to_string();
    let argv = [&python, "-m", "ipykernel_launcher", "-f", "{connection_file}"];
    Subject {
        name: "ipykernel",
        command: KernelCommand {
            argv: argv.iter().map(|part| part.to_string()).collect(),
            folder: folder.to_path_buf(),
            environment: workbench_setup::lab::jupyter_folders(&ready.workspace)
                .into_iter()
                .map(|(name, path)| (name.to_string(), path.display().to_string()))
                .collect(),
            interrupt: Interrupt::Signal,
            transport: Transport::TCP,
            log: Some(folder.join("ipykernel.log")),
        },
        cells: cells::PYTHON
            .iter()
            .enumerate()
            .map(|(number, code)| BenchCell {
                id: format!("python-{}", number + 1),
                code: code.to_string(),
                may_fail: false,
                computes: false,
            })
            .collect(),
        load: cells::PYTHON[0].into(),
        first_let: cells::PYTHON_LET.into(),
        limit: Duration::from_secs(300),
    }
}
