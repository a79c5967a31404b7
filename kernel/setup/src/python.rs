//! The project's own Python environments: JupyterLab and what renders notebooks for `lab`, `bench` and HTML export; the public
//! clients alone, which take seconds to install, for the tests; and what `site` needs, once it is called.

use std::path::{Path, PathBuf};

use super::lock::Lock;
use super::openblas::apt_install;
use super::paths::Workspace;
use super::system::System;
use workbench_base::error::{Error, Result};
use workbench_base::text::tail;

/// Name of the file inside the environment that says what was installed into it.
const STAMP: &str = "workbench-requirements.txt";
/// Its name until pip has ended well.
pub(super) const ASKED: &str = "workbench-requirements.new";

/// What the tests need: public suites and clients that drive the kernel, without JupyterLab, and a spell checker.
const CLIENTS: [&str; 5] = ["jupyter_client", "jupyter_kernel_test", "nbclient", "nbformat", "typos"];

/// What makes pages of the record.
const SITE: [&str; 5] = ["sphinx", "myst-nb", "sphinx-book-theme", "sphinx-mathjax-offline", "bleach"];
/// What drives a browser of the machine through the site and through JupyterLab, in the tests.
const BROWSER: [&str; 2] = ["playwright", "axe-core-python"];
/// Of the site's list, what exported pages need too, which are made in JupyterLab's environment.
const SHARED: [&str; 2] = ["sphinx-mathjax-offline", "bleach"];

/// The lists of a reader's own project, which has none: those that this program was made with.
const PACKAGES: &str = include_str!("../../../environment.yml");
const LOCKED: &str = include_str!("../../../environment.lock");

/// Makes the environment, or finds it as it should be; returns its folder.
pub fn ensure(workspace: &Workspace, system: &dyn System, say: &mut dyn FnMut(&str)) -> Result<PathBuf> {
    let list = List::read(workspace)?;
    let venv = workspace.venv();
    if !list.serves_lab(&venv)? {
        let what = "JupyterLab and its companions (locked in environment.lock)";
        ensure_in(&venv, &list.text(list.for_lab())?, what, system, say)?;
    }
    Ok(venv)
}

/// Makes the small environment with the public Jupyter clients, unless the large one is there and has them; returns the
/// folder of the one to use.
pub fn ensure_clients(workspace: &Workspace, system: &dyn System, say: &mut dyn FnMut(&str)) -> Result<PathBuf> {
    let list = List::read(workspace)?;
    let large = workspace.venv();
    if list.serves_lab(&large)? {
        return Ok(large);
    }
    let venv = workspace.clients();
    ensure_in(&venv, &list.text(CLIENTS)?, "the public Jupyter clients", system, say)?;
    Ok(venv)
}

/// Makes the environment that builds the site, which nothing else needs; returns its folder.
pub fn ensure_site(workspace: &Workspace, system: &dyn System, say: &mut dyn FnMut(&str)) -> Result<PathBuf> {
    let venv = workspace.state().join("site");
    let wanted = List::read(workspace)?.text(SITE)?;
    ensure_in(&venv, &wanted, "Sphinx and its companions", system, say)?;
    Ok(venv)
}

/// Makes the environment that drives a browser, in the tests; returns its folder.
pub fn ensure_browser(workspace: &Workspace, system: &dyn System, say: &mut dyn FnMut(&str)) -> Result<PathBuf> {
    let venv = workspace.state().join("browser");
    let wanted = List::read(workspace)?.text(BROWSER)?;
    ensure_in(&venv, &wanted, "what drives a browser", system, say)?;
    Ok(venv)
}

/// The packages of `environment.yml`, and what is locked of them.
struct List {
    pins: Vec<String>,
    lock: Lock,
}

impl List {
    fn read(workspace: &Workspace) -> Result<List> {
        let own = workspace.is_own();
        let read = |name: &str, inside: &str| {
            if own {
                return Ok(inside.to_string());
            }
            let file = workspace.root().join(name);
            std::fs::read_to_string(&file).map_err(|source| Error::io("read", &file, source))
        };
        let pins = pip_requirements(&read("environment.yml", PACKAGES)?);
        if pins.is_empty() {
            return Err(Error::Python {
                path: workspace.venv(),
                why: "environment.yml has no `pip:` list".into(),
                hint: "restore environment.yml from the repository".into(),
            });
        }
        let lock = Lock::parse(&read("environment.lock", LOCKED)?);
        Ok(List { pins, lock })
    }

    /// What pip is told to install: these packages and what they need, with the digests of their files.
    fn text<'a>(&self, packages: impl IntoIterator<Item = &'a str>) -> Result<String> {
        self.lock.closure(packages).map_err(|absent| Error::Python {
            path: "environment.lock".into(),
            why: format!("it does not have {}", absent.join(", ")),
            hint: "its first lines say how to write it anew".into(),
        })
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        self.pins.iter().map(|pin| package(pin))
    }

    fn for_lab(&self) -> impl Iterator<Item = &str> {
        let later = |name: &str| !SHARED.contains(&name) && SITE.iter().chain(&BROWSER).any(|other| *other == name);
        self.all().filter(move |name| !later(name))
    }

    /// Whether an environment has what JupyterLab needs; one that conda made has everything.
    fn serves_lab(&self, venv: &Path) -> Result<bool> {
        Ok(is_current(venv, &self.text(self.for_lab())?) || is_current(venv, &self.text(self.all())?))
    }
}

fn package(entry: &str) -> &str {
    entry.split("==").next().unwrap_or_default()
}

/// Makes a Python environment in a folder with what a list of requirements names, in pip's form, or finds it as it should be.
pub fn ensure_in(venv: &Path, wanted: &str, what: &str, system: &dyn System, say: &mut dyn FnMut(&str)) -> Result<()> {
    if is_current(venv, wanted) {
        return Ok(());
    }
    if !venv.join("bin/python").exists() || !is_at_home(venv) {
        say(&format!("making a Python environment in {}", venv.display()));
        make(venv, system, say)?;
    }
    say(&format!("installing {what} with pip"));
    let asked = venv.join(ASKED);
    std::fs::write(&asked, wanted).map_err(|source| Error::io("write", &asked, source))?;
    install(venv, &asked, system)?;
    let stamp = venv.join(STAMP);
    std::fs::rename(&asked, &stamp).map_err(|source| Error::io("write", &stamp, source))
}

/// Makes the environment with conda, for readers who asked for it.
pub fn ensure_conda(workspace: &Workspace, system: &dyn System) -> Result<PathBuf> {
    let venv = workspace.venv();
    let file = match workspace.is_own() {
        false => workspace.root().join("environment.yml"),
        true => {
            let file = workspace.state().join("environment.yml");
            let written = std::fs::create_dir_all(workspace.state()).and_then(|()| std::fs::write(&file, PACKAGES));
            written.map_err(|source| Error::io("write", &file, source))?;
            file
        }
    };
    let (file_text, place) = (file.display().to_string(), venv.display().to_string());
    let list = List::read(workspace)?;
    let wanted = list.text(list.all())?;
    if is_current(&venv, &wanted) {
        return Ok(venv);
    }
    let args = ["env", "create", "--yes", "--prefix", &place, "--file", &file_text];
    for program in ["mamba", "conda"] {
        match system.run(program, &args) {
            Some(ran) if ran.ok => {
                let stamp = venv.join(STAMP);
                std::fs::write(&stamp, wanted).map_err(|source| Error::io("write", &stamp, source))?;
                return Ok(venv);
            }
            Some(ran) => {
                return Err(Error::Python {
                    path: venv,
                    why: format!("`{program} env create` failed{}", tail(&ran.output, 5)),
                    hint: "delete .workbench/venv, or leave out --conda".into(),
                });
            }
            None => {}
        }
    }
    Err(Error::Python {
        path: venv,
        why: "neither mamba nor conda was found".into(),
        hint: "leave out --conda: plain Python 3 is enough".into(),
    })
}

/// Whether the environment was made from these requirements, and for the place where it is.
pub fn is_current(venv: &Path, wanted: &str) -> bool {
    venv.join("bin/python").exists()
        && std::fs::read_to_string(venv.join(STAMP)).is_ok_and(|old| old == wanted)
        && is_at_home(venv)
}

/// Whether the programs of an environment run its own Python. In a copied or moved checkout they run the one of the old place, or none.
fn is_at_home(venv: &Path) -> bool {
    let pip = std::fs::read_to_string(venv.join("bin/pip")).unwrap_or_default();
    let python = pip.lines().next().and_then(|line| line.strip_prefix("#!")).map(|path| Path::new(path.trim()));
    match python.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python"))) {
        // A path that is too long for the first line, or no pip: nothing speaks against it.
        None => true,
        Some(python) => python.parent().and_then(|bin| bin.canonicalize().ok()) == venv.join("bin").canonicalize().ok(),
    }
}

/// Whether the environment is what `environment.lock` says; for `doctor`.
pub fn matches(workspace: &Workspace) -> bool {
    List::read(workspace).is_ok_and(|list| list.serves_lab(&workspace.venv()).is_ok_and(|serves| serves))
}

fn make(venv: &Path, system: &dyn System, say: &mut dyn FnMut(&str)) -> Result<()> {
    let place = venv.display().to_string();
    let failed = |why: String, hint: &str| Error::Python { path: venv.to_path_buf(), why, hint: hint.into() };
    if system.run("python3", &["--version"]).is_none_or(|ran| !ran.ok) {
        return Err(failed(
            "there is no `python3`".into(),
            "install it (`sudo apt-get install python3 python3-venv`); the command `run` needs none",
        ));
    }
    let first = system.run("python3", &["-m", "venv", "--clear", &place]);
    if first.as_ref().is_some_and(|ran| ran.ok) {
        return Ok(());
    }
    let why = first.map(|ran| tail(&ran.output, 3)).unwrap_or_default();
    // Debian splits the module off: install the package, or go round it with virtualenv or the system's pip.
    let root = system.run("id", &["-u"]).is_some_and(|ran| ran.output.trim() == "0");
    let sudo = !root && system.run("sudo", &["-n", "true"]).is_some_and(|ran| ran.ok);
    if root || sudo {
        say("python3-venv is missing: installing it with apt-get");
        let prefix: &[&str] = if root { &[] } else { &["sudo", "-n"] };
        if apt_install(system, prefix, &["python3-venv"]).is_ok()
            && system.run("python3", &["-m", "venv", "--clear", &place]).is_some_and(|ran| ran.ok)
        {
            return Ok(());
        }
    }
    if system.run("python3", &["-m", "virtualenv", "--clear", &place]).is_some_and(|ran| ran.ok) {
        return Ok(());
    }
    let bare = system.run("python3", &["-m", "venv", "--clear", "--without-pip", &place]).is_some_and(|ran| ran.ok);
    if bare && system.run("python3", &["-m", "pip", "--version"]).is_some_and(|ran| ran.ok) {
        return Ok(());
    }
    Err(failed(format!("`python3 -m venv` failed{why}"), "run `sudo apt-get install python3-venv`, then try again"))
}

fn install(venv: &Path, requirements: &Path, system: &dyn System) -> Result<()> {
    let python = venv.join("bin/python").display().to_string();
    let requirements = requirements.display().to_string();
    let own_pip = system.run(&python, &["-m", "pip", "--version"]).is_some_and(|ran| ran.ok);
    // Without a pip of its own the environment is filled by the system's pip from outside.
    let (program, mut args): (&str, Vec<&str>) =
        if own_pip { (&python, vec!["-m", "pip"]) } else { ("python3", vec!["-m", "pip", "--python", &python]) };
    args.extend(["install", "--disable-pip-version-check", "--quiet", "-r", &requirements]);
    let failed = |why: String| Error::Python {
        path: venv.to_path_buf(),
        why,
        hint: "check the network; a wheelhouse works too: set PIP_FIND_LINKS and PIP_NO_INDEX=1".into(),
    };
    let spinner = workbench_base::progress::spinner("pip install");
    let ran = system.run(program, &args);
    drop(spinner);
    match ran {
        Some(ran) if ran.ok => Ok(()),
        Some(ran) => Err(failed(format!("`pip install` failed{}", tail(&ran.output, 5)))),
        None => Err(failed(format!("`{program}` could not be started"))),
    }
}

/// The entries of the `pip:` list of a conda environment file.
pub fn pip_requirements(text: &str) -> Vec<String> {
    let mut entries = Vec::new();
    let mut list_indent = None;
    for line in text.lines() {
        let content = line.split(" #").next().unwrap_or("").trim_end();
        let trimmed = content.trim_start();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let indent = content.len() - trimmed.len();
        if trimmed == "- pip:" {
            list_indent = Some(indent);
            continue;
        }
        match list_indent {
            Some(list) if indent > list => {
                if let Some(entry) = trimmed.strip_prefix("- ") {
                    entries.push(entry.trim_matches(['"', '\'']).to_string());
                }
            }
            Some(_) => list_indent = None,
            None => {}
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::super::system::fake::Fake;
    use super::*;

    #[test]
    fn the_committed_environment_pins_every_version() {
        let requirements = pip_requirements(include_str!("../../../environment.yml"));
        assert!(requirements.iter().any(|r| r.starts_with("jupyterlab==")));
        for requirement in &requirements {
            assert!(requirement.contains("=="), "{requirement} is not pinned");
        }
    }

    #[test]
    fn an_environment_that_was_copied_is_not_at_home() {
        let folder = tempfile::tempdir().unwrap();
        let venv = folder.path().join("venv");
        std::fs::create_dir_all(venv.join("bin")).unwrap();
        assert!(is_at_home(&venv), "without pip nothing speaks against it");
        let with = |line: &str| {
            std::fs::write(venv.join("bin/pip"), format!("{line}\nimport sys\n")).unwrap();
            is_at_home(&venv)
        };
        assert!(with(&format!("#!{}/bin/python3.11", venv.display())));
        assert!(!with("#!/another/checkout/.workbench/venv/bin/python3"));
        assert!(with("#!/bin/sh"), "too long for the first line of a program");
    }

    #[test]
    fn the_clients_of_the_tests_are_pinned_too() {
        let requirements = pip_requirements(include_str!("../../../environment.yml"));
        for name in CLIENTS.iter().chain(&SITE).chain(&BROWSER) {
            let pinned = requirements.iter().any(|r| r.starts_with(&format!("{name}==")));
            assert!(pinned, "{name} is not in environment.yml");
        }
    }

    #[test]
    fn jupyterlab_goes_without_what_other_commands_install_when_they_are_first_called() {
        let pins = ["jupyterlab==1", "sphinx==9", "sphinx-mathjax-offline==0", "playwright==1"];
        let line = |pin: &&str| format!("{pin} \\\n    --hash=sha256:aa\n");
        let list = List {
            pins: pins.map(String::from).to_vec(),
            lock: Lock::parse(&pins.iter().map(line).collect::<String>()),
        };
        assert_eq!(list.for_lab().collect::<Vec<_>>(), ["jupyterlab", "sphinx-mathjax-offline"]);
        let venv = tempfile::tempdir().unwrap();
        std::fs::create_dir(venv.path().join("bin")).unwrap();
        std::fs::write(venv.path().join("bin/python"), "").unwrap();
        let (lab, all) = (list.text(list.for_lab()).unwrap(), list.text(list.all()).unwrap());
        for (stamp, serves) in [(lab, true), (all, true), (list.text(["sphinx"]).unwrap(), false)] {
            std::fs::write(venv.path().join(STAMP), stamp).unwrap();
            assert_eq!(list.serves_lab(venv.path()).unwrap(), serves);
        }
        assert!(list.text(["numpy"]).unwrap_err().to_string().contains("numpy"));
    }

    #[test]
    fn pip_gets_the_locked_list_as_a_file_and_the_list_stays_as_a_stamp() {
        let venv = tempfile::tempdir().unwrap();
        std::fs::create_dir(venv.path().join("bin")).unwrap();
        std::fs::write(venv.path().join("bin/python"), "").unwrap();
        let python = venv.path().join("bin/python").display().to_string();
        let install = format!(
            "{python} -m pip install --disable-pip-version-check --quiet -r {}",
            venv.path().join(ASKED).display()
        );
        let machine = |ok| {
            Fake::default().answer(&format!("{python} -m pip --version"), true, "pip 23").answer(
                &install,
                ok,
                "HASHES DO NOT MATCH",
            )
        };
        let wanted = "a==1 \\\n    --hash=sha256:aa\n";
        let error = ensure_in(venv.path(), wanted, "a", &machine(false), &mut |_| ()).unwrap_err();
        assert!(error.to_string().contains("DO NOT MATCH"), "{error}");
        assert!(!is_current(venv.path(), wanted));
        ensure_in(venv.path(), wanted, "a", &machine(true), &mut |_| ()).unwrap();
        assert!(is_current(venv.path(), wanted));
    }

    #[test]
    fn only_the_pip_list_is_read() {
        let text =
            "dependencies:\n  - python>=3.10\n  - pip\n  - pip:\n      - a==1  # why\n      - \"b==2\"\n  - other\n";
        assert_eq!(pip_requirements(text), vec!["a==1", "b==2"]);
    }

    #[test]
    fn no_python_is_said_plainly() {
        let error = make(Path::new("/v"), &Fake::default(), &mut |_| ()).unwrap_err().to_string();
        assert!(error.contains("no `python3`"), "{error}");
        assert!(error.contains("`run` needs none"), "{error}");
    }

    #[test]
    fn without_the_venv_module_the_systems_pip_serves() {
        let machine = Fake::default()
            .answer("python3 --version", true, "Python 3.11")
            .answer("python3 -m venv --clear /v", false, "ensurepip is not available")
            .answer("id -u", true, "1000")
            .answer("python3 -m venv --clear --without-pip /v", true, "")
            .answer("python3 -m pip --version", true, "pip 23")
            .answer(
                "python3 -m pip --python /v/bin/python install --disable-pip-version-check --quiet -r /v/list",
                true,
                "",
            );
        make(Path::new("/v"), &machine, &mut |_| ()).unwrap();
        install(Path::new("/v"), Path::new("/v/list"), &machine).unwrap();
    }

    #[test]
    fn no_venv_and_no_pip_names_the_package() {
        let machine = Fake::default().answer("python3 --version", true, "Python 3.11").answer(
            "python3 -m venv --clear /v",
            false,
            "ensurepip is not available",
        );
        let error = make(Path::new("/v"), &machine, &mut |_| ()).unwrap_err().to_string();
        assert!(error.contains("apt-get install python3-venv"), "{error}");
        assert!(error.contains("ensurepip is not available"), "{error}");
    }

    #[test]
    fn no_network_for_pip_is_an_error_with_a_way_out() {
        let machine = Fake::default().answer("/v/bin/python -m pip --version", true, "pip 23").answer(
            "/v/bin/python -m pip install --disable-pip-version-check --quiet -r /v/list",
            false,
            "ERROR: No matching distribution found for a==1",
        );
        let error = install(Path::new("/v"), Path::new("/v/list"), &machine).unwrap_err().to_string();
        assert!(error.contains("PIP_FIND_LINKS"), "{error}");
        assert!(error.contains("No matching distribution"), "{error}");
    }
}
