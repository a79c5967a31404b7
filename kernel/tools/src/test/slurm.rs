//! Sweeps on a real Slurm, with a node that is killed.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::JoinHandle;
use std::time::Instant;

use super::tally::Tally;
use workbench_base::error::{Error, Result};
use workbench_base::progress;
use workbench_setup::programs;
use workbench_setup::system::{Machine, System};
use workbench_setup::{Ready, debian};

/// What Slurm is made of, as Debian has it.
const PACKAGES: [&str; 5] = ["slurmctld", "slurmd", "slurm-client", "slurm-wlm-basic-plugins", "munge"];
/// Programs of these packages.
const PROGRAMS: [&str; 4] = ["munged", "slurmctld", "slurmd", "sbatch"];

/// A sweep that waits, most of the time, for a node that is gone.
pub struct Running {
    ended: JoinHandle<(bool, f64)>,
    said: tempfile::NamedTempFile,
}

/// Starts the script that has a Slurm of its own, where this machine has one; with `install` it gets one if that is allowed.
///
/// # Errors
/// A sweep's program that cannot be built, a script that does not start.
pub fn start(ready: &Ready, install: bool) -> Result<Option<Running>> {
    if let Err(why) = ensure(&Machine, install) {
        println!("skipped: a sweep on Slurm: {why}");
        return Ok(None);
    }
    let program = programs::built(&ready.workspace, programs::SWEEP, &ready.environment)?;
    let in_temporary = |source| Error::io("make a file in", &std::env::temp_dir(), source);
    let said = tempfile::NamedTempFile::new().map_err(in_temporary)?;
    let out = said.reopen().map_err(in_temporary)?;
    let errors = out.try_clone().map_err(in_temporary)?;
    let started = Instant::now();
    let mut script = Command::new("bash")
        .arg(ready.workspace.root().join("workbench/sweep/tests/slurm.sh"))
        .arg(program)
        // Shards at quick scale end before a node could be killed in the middle of one.
        .arg("paper")
        .current_dir(ready.workspace.root())
        .envs(ready.environment.iter().cloned())
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(errors)
        .spawn()
        .map_err(|source| Error::Start {
            program: "bash".into(),
            source,
            hint: "leave the sweep out with --only".into(),
        })?;
    let ended = std::thread::spawn(move || {
        let ok = script.wait().is_ok_and(|status| status.success());
        (ok, started.elapsed().as_secs_f64())
    });
    Ok(Some(Running { ended, said }))
}

impl Running {
    /// Waits for its end, and prints what it said.
    pub fn end(self, tally: &mut Tally) {
        println!("\n==> a sweep on Slurm");
        let (ok, seconds) = self.ended.join().unwrap_or_default();
        // What it said is a comfort.
        print!("{}", std::fs::read_to_string(self.said.path()).unwrap_or_default());
        tally.add("a sweep on Slurm", ok, seconds);
    }
}

fn ensure(system: &dyn System, install: bool) -> std::result::Result<(), String> {
    if !debian::is_root(system) {
        return Err("nodes start jobs for others, which takes root".into());
    }
    let there = || {
        PROGRAMS.iter().all(|name| {
            let folders = ["/usr/bin", "/usr/sbin"].map(Path::new);
            folders.iter().any(|folder| system.exists(&folder.join(name)))
        })
    };
    if there() {
        return Ok(());
    }
    if !install {
        return Err(format!("it is not installed ({})", PACKAGES.join(" ")));
    }
    debian::install(system, "Slurm", &PACKAGES, &mut progress::step)?;
    match there() {
        true => Ok(()),
        false => Err("it was installed and its programs are not where Debian puts them".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    #[test]
    fn slurm_is_taken_where_it_is_and_installed_only_where_asked() {
        assert!(ensure(&Fake::default(), true).unwrap_err().contains("takes root"));
        let root = || Fake::default().answer("id -u", true, "0");
        assert!(ensure(&root(), false).unwrap_err().contains("slurmctld"));
        assert!(ensure(&root(), true).unwrap_err().contains("no apt-get"));
        let mut machine = root();
        machine.files = PROGRAMS.iter().map(|name| Path::new("/usr/sbin").join(name)).collect();
        ensure(&machine, false).unwrap();
        assert!(!machine.calls.borrow().iter().any(|call| call.contains("apt-get")));
    }
}
