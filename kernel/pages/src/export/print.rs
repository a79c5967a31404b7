//! Pages as PDF, printed by a Chromium of the machine: figures stay vectors, equations are set, no TeX and no Inkscape is needed.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::pages::link;
use workbench_base::error::{Error, Result};
use workbench_base::progress;
use workbench_base::text::{count, tail};
use workbench_setup::debian::{self, is_root};
use workbench_setup::system::{Machine, System};

/// Names under which systems install it.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// Time that a page's scripts may take by their own clock, which runs ahead while they wait; MathJax is done long before.
const BUDGET_MS: u32 = 120_000;
/// Longest time for one page.
const PATIENCE: Duration = Duration::from_secs(300);

/// The browser of this machine.
///
/// # Errors
/// [`Error::Start`] that names the package if there is none.
pub fn browser(system: &dyn System) -> Result<String> {
    find_browser(system).map(str::to_string).ok_or_else(|| Error::Start {
        program: BROWSERS[0].into(),
        source: std::io::ErrorKind::NotFound.into(),
        hint: format!(
            "--pdf prints with a browser ({}): install one (`sudo apt-get install chromium`), or use --html",
            BROWSERS.join(", ")
        ),
    })
}

/// The browser of this machine, if it has one.
pub fn find_browser(system: &dyn System) -> Option<&'static str> {
    BROWSERS.into_iter().find(|name| system.run(name, &["--version"]).is_some_and(|ran| ran.ok))
}

/// The browser of this machine; where there is none it is installed with apt-get, if that is allowed and nobody says no.
///
/// # Errors
/// Why there is none, in words.
pub fn ensure_browser(system: &dyn System, say: &mut dyn FnMut(&str)) -> std::result::Result<&'static str, String> {
    if let Some(found) = find_browser(system) {
        return Ok(found);
    }
    let package = BROWSERS[0];
    debian::install(system, "A browser", &[package], say)?;
    find_browser(system).ok_or_else(|| format!("{package} was installed and does not start"))
}

/// Prints pages into `out`, one PDF for each, of the same name.
///
/// # Errors
/// [`Error::Failed`] if the browser does not print a page, [`Error::Start`], [`Error::Io`].
pub fn print(browser: &str, pages: &[PathBuf], out: &Path) -> Result<()> {
    std::fs::create_dir_all(out).map_err(|source| Error::io("make", out, source))?;
    progress::step(&format!("printing {} with {browser}", count(pages.len(), "notebook")));
    for page in pages {
        let name = page.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let path = out.join(format!("{name}.pdf"));
        print_to(browser, page, &path, PATIENCE)?;
        progress::note(&path.display().to_string());
    }
    Ok(())
}

/// Prints a page into a file, which is whole or as it was before; a browser that is not done after `patience` is ended.
///
/// # Errors
/// As [`print()`].
pub fn print_to(browser: &str, page: &Path, path: &Path, patience: Duration) -> Result<()> {
    // Beside its place, since a packaged browser may not write elsewhere.
    let part = path.with_extension("part.pdf");
    let printed = print_page(browser, page, &part, patience);
    let moved = printed.and_then(|()| std::fs::rename(&part, path).map_err(|source| Error::io("write", path, source)));
    if moved.is_err() {
        // Half a file at most; the error says what there is to say.
        let _ = std::fs::remove_file(&part);
    }
    moved
}

fn print_page(browser: &str, page: &Path, to: &Path, patience: Duration) -> Result<()> {
    let scratch = tempfile::tempdir().map_err(|source| Error::io("make", &std::env::temp_dir(), source))?;
    let said = scratch.path().join("said");
    let log = std::fs::File::create(&said).map_err(|source| Error::io("write", &said, source))?;
    let mut command = Command::new(browser);
    command
        .args(arguments(page, to, &scratch.path().join("profile"), is_root(&Machine)))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log);
    let status = wait(&mut command, patience).map_err(|source| Error::Start {
        program: browser.into(),
        source,
        hint: "install it anew, or use --html".into(),
    })?;
    let failed = |status: String| Error::Failed {
        what: format!("printing {}", page.display()),
        status,
        hint: "open the page in a browser and print it there".into(),
        tail: tail(&complaints(&std::fs::read(&said).unwrap_or_default()), 5),
    };
    match status {
        None => Err(failed(format!("not done after {}", progress::seconds(patience.as_secs_f64())))),
        Some(status) if status.success() && is_pdf(to) => Ok(()),
        Some(status) => Err(failed(status.to_string())),
    }
}

/// What a browser wrote, without its complaints about the desktop that servers lack.
fn complaints(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
    let lines: Vec<&str> = text.lines().filter(|line| !line.contains("dbus")).collect();
    lines.join("\n")
}

fn arguments(page: &Path, to: &Path, profile: &Path, root: bool) -> Vec<String> {
    let mut arguments: Vec<String> = [
        "--headless",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-extensions",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        // The pages need no network, and what the browser itself would ask there is none of their business.
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--no-pdf-header-footer",
        // Tags are a third of a printed page, which stands beside one that can be read aloud.
        "--disable-pdf-tagging",
        "--run-all-compositor-stages-before-draw",
    ]
    .map(String::from)
    .to_vec();
    if root {
        // As root it does not start otherwise; the pages are our own.
        arguments.push("--no-sandbox".into());
    }
    arguments.extend([
        format!("--virtual-time-budget={BUDGET_MS}"),
        format!("--user-data-dir={}", profile.display()),
        format!("--print-to-pdf={}", to.display()),
        format!("file://{}", link(&page.to_string_lossy())),
    ]);
    arguments
}

/// Waits for a program; none if it was ended for taking too long.
fn wait(command: &mut Command, patience: Duration) -> std::io::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    let mut child = command.spawn()?;
    while begun.elapsed() < patience {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

fn is_pdf(path: &Path) -> bool {
    use std::io::Read;
    let mut begin = [0; 5];
    std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut begin)).is_ok() && &begin == b"%PDF-"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    #[test]
    fn the_first_browser_that_starts_is_taken() {
        let error = browser(&Fake::default()).unwrap_err().to_string();
        assert!(error.contains("apt-get install chromium"), "{error}");
        let machine = Fake::default().answer("chromium-browser --version", false, "requires the chromium snap").answer(
            "google-chrome --version",
            true,
            "Google Chrome 150",
        );
        assert_eq!(browser(&machine).unwrap(), "google-chrome");
    }

    #[test]
    fn a_browser_that_is_missing_is_installed_where_that_is_allowed() {
        let none = |_: &str| ();
        let ensure = |machine: &Fake| ensure_browser(machine, &mut { none }).unwrap_err();
        assert!(ensure(&Fake::default()).contains("no apt-get"));
        let plain = Fake::default().answer("apt-get --version", true, "apt 3");
        assert!(ensure(&plain).contains("sudo apt-get install chromium"));
        let mut root = Fake::default()
            .answer("apt-get --version", true, "apt 3")
            .answer("id -u", true, "0")
            .answer("apt-get update", true, "")
            .answer("apt-get install -y --no-install-recommends chromium", true, "");
        // Nobody is there, as in CI.
        assert!(ensure(&root).contains("does not start"));
        assert!(root.calls.borrow().iter().any(|call| call.contains("install -y")));
        root.calls.borrow_mut().clear();
        root.person = Some(false);
        assert!(ensure(&root).contains("you said no"));
        assert!(!root.calls.borrow().iter().any(|call| call.contains("install -y")));
        let there = root.answer("chromium --version", true, "Chromium 150");
        assert_eq!(ensure_browser(&there, &mut { none }), Ok("chromium"));
    }

    #[test]
    fn a_browser_that_does_not_end_is_ended() {
        let begun = Instant::now();
        let ended = wait(Command::new("sleep").arg("60"), Duration::from_millis(100)).unwrap();
        assert!(ended.is_none() && begun.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn only_root_goes_without_the_sandbox() {
        let of = |root| arguments(Path::new("/a b/p.html"), Path::new("/o/p.pdf"), Path::new("/t"), root);
        assert!(of(true).contains(&"--no-sandbox".to_string()));
        assert!(!of(false).contains(&"--no-sandbox".to_string()));
        assert_eq!(of(false).last().map(String::as_str), Some("file:///a%20b/p.html"));
    }

    #[test]
    fn a_browser_that_prints_nothing_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("p.html");
        std::fs::write(&page, "").unwrap();
        let out = folder.path().join("pdf");
        let error = print("true", std::slice::from_ref(&page), &out).unwrap_err();
        assert!(matches!(&error, Error::Failed { .. }), "{error}");
        assert_eq!(std::fs::read_dir(&out).unwrap().count(), 0);
        let error = print("/no/such/browser", &[page], &out).unwrap_err();
        assert!(matches!(&error, Error::Start { .. }), "{error}");
    }
}
