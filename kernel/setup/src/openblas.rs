//! OpenBLAS: found by linking with it, installed by apt where that is allowed, taken from conda where conda has it.

use std::path::{Path, PathBuf};

use super::system::System;
use workbench_base::error::{Error, Result};
use workbench_base::text::tail;

/// Where OpenBLAS was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenBlas {
    /// The linker finds it by itself.
    System,
    /// In the library folder of an active conda environment.
    Conda(PathBuf),
    /// Nowhere.
    Missing,
}

/// The package that brings the library and the link `libopenblas.so`.
pub const PACKAGE: &str = "libopenblas-dev";

/// A LAPACK routine that a whole OpenBLAS carries; one built without LAPACK does not serve.
const SYMBOL: &str = "dgetrf_";

/// Looks for OpenBLAS the way the build will: by linking a small program.
pub fn detect(system: &dyn System) -> OpenBlas {
    if system.links("openblas", SYMBOL, &[]) {
        return OpenBlas::System;
    }
    if let Some(prefix) = system.var("CONDA_PREFIX") {
        let folder = Path::new(&prefix).join("lib");
        let library = folder.join(if cfg!(target_os = "macos") { "libopenblas.dylib" } else { "libopenblas.so" });
        if system.exists(&library) {
            return OpenBlas::Conda(folder);
        }
    }
    OpenBlas::Missing
}

impl OpenBlas {
    /// Variables that the build and the kernels need to find the library.
    pub fn environment(&self, system: &dyn System) -> Vec<(String, String)> {
        let OpenBlas::Conda(folder) = self else {
            return Vec::new();
        };
        ["LIBRARY_PATH", "LD_LIBRARY_PATH"]
            .iter()
            .map(|name| {
                let folder = folder.display();
                let value = match system.var(name) {
                    Some(old) => format!("{folder}:{old}"),
                    None => folder.to_string(),
                };
                (name.to_string(), value)
            })
            .collect()
    }
}

/// Finds OpenBLAS or installs it; returns where it is.
///
/// **Errors**: [`Error::NoOpenBlas`] with the command to run, when it is missing and may not be installed from here.
pub fn ensure(system: &dyn System, say: &mut dyn FnMut(&str)) -> Result<OpenBlas> {
    let found = detect(system);
    if found != OpenBlas::Missing {
        return Ok(found);
    }
    let by_hand = format!(
        "run `sudo apt-get install {PACKAGE}` (Debian, Ubuntu), `dnf install openblas-devel` (Fedora), or activate a conda environment with `openblas`, then try again"
    );
    if system.run("cc", &["--version"]).is_none_or(|ran| !ran.ok) {
        return Err(Error::NoOpenBlas {
            why: "there is no C compiler `cc` to link with".into(),
            hint: "install one (`sudo apt-get install build-essential`), then try again".into(),
        });
    }
    if system.run("apt-get", &["--version"]).is_none_or(|ran| !ran.ok) {
        return Err(Error::NoOpenBlas { why: "this machine has no apt-get".into(), hint: by_hand });
    }
    let root = system.run("id", &["-u"]).is_some_and(|ran| ran.output.trim() == "0");
    let prefix: &[&str] = if root {
        &[]
    } else if system.run("sudo", &["-n", "true"]).is_some_and(|ran| ran.ok) {
        &["sudo", "-n"]
    } else {
        return Err(Error::NoOpenBlas {
            why: "neither root nor sudo without a password is available".into(),
            hint: by_hand,
        });
    };
    let question = format!("OpenBLAS is missing. Install the system package {PACKAGE} with apt-get?");
    if system.asks(&question) == Some(false) {
        return Err(Error::NoOpenBlas { why: "you said no to installing it".into(), hint: by_hand });
    }
    say(&format!("OpenBLAS is missing: installing {PACKAGE} with apt-get"));
    apt_install(system, prefix, &[PACKAGE]).map_err(|why| Error::NoOpenBlas { why, hint: by_hand.clone() })?;
    match detect(system) {
        OpenBlas::Missing => Err(Error::NoOpenBlas {
            why: format!("{PACKAGE} was installed and the linker still does not find it"),
            hint: "check `cc -lopenblas` and LIBRARY_PATH".into(),
        }),
        found => Ok(found),
    }
}

/// The proxies of the environment as options of apt-get. Without sudo it reads them there itself; sudo takes the environment away.
fn proxies(system: &dyn System) -> Vec<String> {
    let of = |kind: &str| {
        let name = format!("{kind}_proxy");
        let proxy = system.var(&name).or_else(|| system.var(&name.to_uppercase()))?;
        Some(["-o".to_owned(), format!("Acquire::{kind}::Proxy={proxy}")])
    };
    ["http", "https"].into_iter().filter_map(of).flatten().collect()
}

/// `apt-get update` and `apt-get install`, with `prefix` (`sudo -n` or nothing) before each.
pub fn apt_install(system: &dyn System, prefix: &[&str], packages: &[&str]) -> Result<(), String> {
    let through = if prefix.is_empty() { Vec::new() } else { proxies(system) };
    let through: Vec<&str> = through.iter().map(String::as_str).collect();
    let update = vec!["update"];
    let install = [&["install", "-y", "--no-install-recommends"], packages].concat();
    for step in [update, install] {
        // What is shown has no proxy in it, and no password of one.
        let line = [prefix, &["apt-get"], &step].concat();
        let whole = [prefix, &["apt-get"], &through, &step].concat();
        let spinner = workbench_base::progress::spinner(&line.join(" "));
        let ran = system.run(whole[0], &whole[1..]);
        drop(spinner);
        match ran {
            Some(ran) if ran.ok => {}
            Some(ran) => {
                return Err(format!("`{}` failed (is the network up?){}", line.join(" "), tail(&ran.output, 3)));
            }
            None => return Err(format!("`{}` could not be started", line.join(" "))),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::system::fake::Fake;
    use super::*;

    const INSTALL: &str = "apt-get install -y --no-install-recommends libopenblas-dev";

    fn debian() -> Fake {
        Fake::default().answer("cc --version", true, "cc 12").answer("apt-get --version", true, "apt 2")
    }

    #[test]
    fn sudo_takes_no_proxy_away_and_messages_show_none() {
        let vars = [("http_proxy", "http://me:secret@proxy:3128"), ("HTTPS_PROXY", "http://other:1")];
        let machine =
            || Fake { vars: vars.map(|(name, value)| (name.to_owned(), value.to_owned())).into(), ..Fake::default() };
        let through = "sudo -n apt-get -o Acquire::http::Proxy=http://me:secret@proxy:3128 -o Acquire::https::Proxy=http://other:1";
        let good = machine().answer(&format!("{through} update"), true, "").answer(
            &format!("{through} install -y --no-install-recommends gcc"),
            true,
            "",
        );
        assert_eq!(apt_install(&good, &["sudo", "-n"], &["gcc"]), Ok(()));
        let bad = machine().answer(&format!("{through} update"), false, "no route");
        let told = apt_install(&bad, &["sudo", "-n"], &["gcc"]).unwrap_err();
        assert!(told.contains("`sudo -n apt-get update` failed") && !told.contains("secret"), "{told}");
        // A process of root's has the environment.
        let root = machine().answer("apt-get update", true, "").answer(
            "apt-get install -y --no-install-recommends gcc",
            true,
            "",
        );
        assert_eq!(apt_install(&root, &[], &["gcc"]), Ok(()));
    }

    #[test]
    fn found_by_the_linker_installs_nothing() {
        let machine = Fake { links_after: Some(String::new()), ..Fake::default() };
        assert_eq!(ensure(&machine, &mut |_| ()).unwrap(), OpenBlas::System);
        assert!(machine.calls.borrow().is_empty());
    }

    #[test]
    fn root_on_debian_installs_it() {
        let mut machine =
            debian().answer("id -u", true, "0\n").answer("apt-get update", true, "").answer(INSTALL, true, "");
        machine.links_after = Some("install".into());
        let mut said = String::new();
        let found = ensure(&machine, &mut |text| said.push_str(text)).unwrap();
        assert_eq!(found, OpenBlas::System);
        assert!(said.contains("libopenblas-dev"), "{said}");
        let calls = machine.calls.borrow();
        let update = calls.iter().position(|c| c == "apt-get update").unwrap();
        let install = calls.iter().position(|c| c == INSTALL).unwrap();
        assert!(update < install);
    }

    #[test]
    fn a_person_is_asked_and_a_no_is_heard() {
        for (person, installs) in [(Some(true), true), (None, true), (Some(false), false)] {
            let mut machine =
                debian().answer("id -u", true, "0\n").answer("apt-get update", true, "").answer(INSTALL, true, "");
            machine.links_after = Some("-y".into());
            machine.person = person;
            let found = ensure(&machine, &mut |_| ());
            assert_eq!(found.is_ok(), installs, "{person:?}");
            assert_eq!(machine.calls.borrow().iter().any(|call| call == INSTALL), installs, "{person:?}");
        }
    }

    #[test]
    fn sudo_without_a_password_is_used() {
        let mut machine = debian()
            .answer("id -u", true, "1000\n")
            .answer("sudo -n true", true, "")
            .answer("sudo -n apt-get update", true, "")
            .answer(&format!("sudo -n {INSTALL}"), true, "");
        machine.links_after = Some("install".into());
        assert_eq!(ensure(&machine, &mut |_| ()).unwrap(), OpenBlas::System);
    }

    #[test]
    fn no_root_and_no_sudo_says_what_to_run() {
        let machine = debian().answer("id -u", true, "1000\n");
        let error = ensure(&machine, &mut |_| ()).unwrap_err().to_string();
        assert!(error.contains("sudo apt-get install libopenblas-dev"), "{error}");
    }

    #[test]
    fn no_network_names_the_step() {
        let machine = debian().answer("id -u", true, "0").answer("apt-get update", false, "E: Could not resolve host");
        let error = ensure(&machine, &mut |_| ()).unwrap_err().to_string();
        assert!(error.contains("`apt-get update` failed"), "{error}");
        assert!(error.contains("Could not resolve host"), "{error}");
    }

    #[test]
    fn no_compiler_is_said_first() {
        let error = ensure(&Fake::default(), &mut |_| ()).unwrap_err().to_string();
        assert!(error.contains("no C compiler"), "{error}");
    }

    #[test]
    fn conda_brings_its_own() {
        let mut machine = Fake::default();
        machine.vars.insert("CONDA_PREFIX".into(), "/opt/conda".into());
        machine.vars.insert("LD_LIBRARY_PATH".into(), "/old".into());
        machine.files.push(Path::new("/opt/conda/lib/libopenblas.so").to_path_buf());
        let found = detect(&machine);
        assert_eq!(found, OpenBlas::Conda("/opt/conda/lib".into()));
        let environment = found.environment(&machine);
        assert!(environment.contains(&("LIBRARY_PATH".into(), "/opt/conda/lib".into())));
        assert!(environment.contains(&("LD_LIBRARY_PATH".into(), "/opt/conda/lib:/old".into())));
    }
}
