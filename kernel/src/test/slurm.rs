//! Sweeps on a real Slurm, with a node that is killed.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::Tally;
use crate::error::Result;
use crate::handover;
use crate::progress;
use crate::setup::system::{Machine, System};
use crate::setup::{Ready, debian};

/// What Slurm is made of, as Debian has it.
const PACKAGES: [&str; 5] = [
    "slurmctld",
    "slurmd",
    "slurm-client",
    "slurm-wlm-basic-plugins",
    "munge",
];
/// Programs of these packages.
const PROGRAMS: [&str; 4] = ["munged", "slurmctld", "slurmd", "sbatch"];

/// Runs the script that starts a Slurm of its own, where this machine has one; with `install` it gets one if that is allowed.
pub fn step(ready: &Ready, install: bool, tally: &mut Tally) -> Result<()> {
    println!("\n==> a sweep on Slurm");
    if let Err(why) = ensure(&Machine, install) {
        println!("skipped: a sweep on Slurm: {why}");
        return Ok(());
    }
    let program = handover::built(&ready.workspace, handover::SWEEP, &ready.environment)?;
    let started = Instant::now();
    let ok = Command::new("bash")
        .arg(ready.workspace.root().join("workbench/sweep/tests/slurm.sh"))
        .arg(program)
        // Shards at quick scale end before a node could be killed in the middle of one.
        .arg("paper")
        .current_dir(ready.workspace.root())
        .envs(ready.environment.iter().cloned())
        .stdin(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    tally.add("a sweep on Slurm", ok, started.elapsed().as_secs_f64());
    Ok(())
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
    use crate::setup::system::fake::Fake;

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
