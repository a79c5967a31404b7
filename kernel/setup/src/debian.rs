//! Packages of Debian without which tests pass as well: a browser, a scheduler.

use super::openblas::apt_install;
use super::system::System;

/// Installs packages with apt-get where that is allowed and nobody says no. `what` names them in messages: a browser.
///
/// # Errors
/// Why they are not there, in words.
pub fn install(system: &dyn System, what: &str, packages: &[&str], say: &mut dyn FnMut(&str)) -> Result<(), String> {
    let names = packages.join(" ");
    if system.run("apt-get", &["--version"]).is_none_or(|ran| !ran.ok) {
        return Err("there is none on this machine, and no apt-get to install one".into());
    }
    let prefix: &[&str] = if is_root(system) {
        &[]
    } else if system.run("sudo", &["-n", "true"]).is_some_and(|ran| ran.ok) {
        &["sudo", "-n"]
    } else {
        return Err(format!("there is none on this machine (`sudo apt-get install {names}`)"));
    };
    // Tests pass without it, so a person decides; where nobody can answer it is installed, as OpenBLAS is.
    let question = format!("{what} is missing. Install with apt-get: {names}?");
    if system.asks(&question) == Some(false) {
        return Err(format!("you said no to installing {names}"));
    }
    say(&format!("{what} is missing: installing {names} with apt-get"));
    apt_install(system, prefix, packages)
}

/// Whether this process may install without asking for a password.
pub fn is_root(system: &dyn System) -> bool {
    system.run("id", &["-u"]).is_some_and(|ran| ran.output.trim() == "0")
}
