//! Tests in a real browser: the site of the record, and JupyterLab with the kernel's outputs and knobs.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::tally::Tally;
use super::{Part, worst};
use workbench_base::error::{Error, Result};
use workbench_base::progress;
use workbench_pages::export;
use workbench_pages::site;
use workbench_setup::Ready;
use workbench_setup::lab;
use workbench_setup::paths::build_folder;
use workbench_setup::system::Machine;

/// The first port that is tried for JupyterLab; readers' own begin lower.
const FIRST_PORT: u16 = 18_888;
/// How long JupyterLab may take to end when it is asked.
const PATIENCE: Duration = Duration::from_secs(20);

/// Builds the site of the record and opens it, then JupyterLab. Where the machine has no browser, and gets none, that is said; with
/// `always` it counts as failed.
pub fn steps(ready: &Ready, always: bool, wanted: &dyn Fn(Part) -> bool, tally: &mut Tally) -> Result<()> {
    // Before the site is built, which prints the errata with it.
    let browser = export::ensure_browser(&Machine, &mut progress::step);
    let built = wanted(Part::Site).then(|| build(ready, tally)).transpose()?.flatten();
    let browser = match browser {
        Ok(browser) => browser,
        Err(why) if always => {
            println!("no site and no JupyterLab in a browser: {why}");
            tally.add("a browser for the site and JupyterLab", false, 0.0);
            return Ok(());
        }
        Err(why) => {
            println!("skipped: the site and JupyterLab in a browser: {why}");
            return Ok(());
        }
    };
    if let Some(built) = built {
        let started = Instant::now();
        let ok = match worst::build(ready) {
            Ok(worst) => script(ready, "site.py", |command| {
                command.arg(&built.folders.html).arg(browser).arg(worst);
            })?,
            Err(error) => {
                println!("{error}");
                false
            }
        };
        tally.add("site in a browser", ok, started.elapsed().as_secs_f64());
    }
    if wanted(Part::Lab) {
        println!("\n==> JupyterLab");
        let started = Instant::now();
        let ok = jupyterlab(browser)?;
        tally.add("JupyterLab in a browser", ok, started.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Builds the site; none where that failed.
fn build(ready: &Ready, tally: &mut Tally) -> Result<Option<site::Built>> {
    println!("\n==> site");
    // Kept from test to test, so that only what changed is built again.
    let folder = build_folder()?.join("../workbench-test/site");
    let started = Instant::now();
    let built = site::build(&ready.workspace, &folder, false);
    let sound = match &built {
        Ok(built) => built.warnings.is_empty(),
        Err(error) => {
            println!("{error}");
            false
        }
    };
    tally.add("site", sound, started.elapsed().as_secs_f64());
    Ok(built.ok())
}

/// Runs a script of the browser tests to its end; whether it found everything as it should be.
fn script(ready: &Ready, name: &str, words: impl FnOnce(&mut Command)) -> Result<bool> {
    let environment = workbench_setup::python::ensure_browser(&ready.workspace, &Machine, &mut progress::step)?;
    let mut command = Command::new(environment.join("bin/python"));
    command.arg(ready.workspace.root().join("kernel/tests/browser").join(name));
    words(&mut command);
    // The scripts lie in the work tree, which stays as it is.
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(command.stdin(Stdio::null()).status().is_ok_and(|status| status.success()))
}

/// A JupyterLab of its own over a folder of its own, as `lab` would start it.
fn jupyterlab(browser: &str) -> Result<bool> {
    let ready = workbench_setup::for_lab(false)?;
    let scratch = tempfile::tempdir().map_err(|source| Error::io("make", &std::env::temp_dir(), source))?;
    let notebooks = scratch.path().join("notebooks");
    std::fs::create_dir(&notebooks).map_err(|source| Error::io("make", &notebooks, source))?;
    let port = lab::choose_port(None, FIRST_PORT)?;
    let token = uuid::Uuid::new_v4().simple().to_string();
    let log = ready.workspace.logs()?.join("jupyterlab-test.log");
    let mut server = start(&ready, port, &token, scratch.path(), &log)?;
    let ok = script(&ready, "lab.py", |command| {
        command
            .args([&format!("http://127.0.0.1:{port}/"), browser])
            .args([&notebooks, &ready.workspace.root().join("workbench")])
            .env("JUPYTER_TOKEN", &token);
    });
    end(&mut server);
    let ok = ok?;
    if !ok {
        println!("what JupyterLab said is in {}", log.display());
    }
    Ok(ok)
}

fn start(ready: &Ready, port: u16, token: &str, folder: &Path, log: &Path) -> Result<Child> {
    let file = || std::fs::File::create(log).map_err(|source| Error::io("write", log, source));
    let (out, errors) = (file()?, file()?);
    let mut command = lab::for_test(ready, port, token, folder)?;
    let program = command.get_program().to_string_lossy().into_owned();
    // A group of its own: what it sends to its kernels when it ends is not for the tests.
    command.process_group(0);
    let child = command.stdin(Stdio::null()).stdout(out).stderr(errors).spawn();
    child.map_err(|source| Error::Start { program, source, hint: "delete .workbench/venv and try again".into() })
}

/// The script asks the server to end, kernels first; one that does not is ended.
fn end(server: &mut Child) {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        match server.try_wait() {
            Ok(None) => std::thread::sleep(Duration::from_millis(50)),
            // It has ended, or nobody knows it any more.
            _ => return,
        }
    }
    let _ = (server.kill(), server.wait());
}
