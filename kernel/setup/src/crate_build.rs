//! Builds the crate that notebooks load, once.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::building::{Work, watched};
use super::cargo::cargo;
use super::cuda::Setting;
use super::features;
use super::own;
use super::packages::{metadata, needed_packages};
use super::paths::{SHARED_OBJECT, Workspace, build_folder};
use crate::project::Project;
use workbench_base::error::{Error, Result};
use workbench_base::progress;
use workbench_base::text::{count, tail};

/// What a build gave and how long its parts took.
#[derive(Clone, Debug)]
pub struct Built {
    /// The shared object that cells link.
    pub shared_object: PathBuf,
    /// Packages that were compiled now; 0 when everything was fresh.
    pub compiled: usize,
    /// Time to download packages.
    pub download: Duration,
    /// Time to compile and link.
    pub compile: Duration,
    /// The longest waits between two finished packages, and the package that ended each.
    pub longest: Vec<(String, Duration)>,
}

/// Builds what cells and their kernel need: of a checkout in the profile and with the features of common dependencies that `cargo run`
/// uses, so that nothing is compiled twice; of a reader's own project its library, by its own lock file and profile. Where a kernel has seen
/// a build of today's sources, there is nothing to do.
///
/// **Errors**: [`Error::NoNetwork`] when packages have to be downloaded and cannot be; [`Error::Failed`] with the
/// compiler's last lines otherwise.
pub fn build(workspace: &Workspace, environment: &[(String, String)]) -> Result<Built> {
    let project = Project::at(workspace.root());
    if let Some(shared_object) = project.current_object() {
        return Ok(Built {
            shared_object,
            compiled: 0,
            download: Duration::ZERO,
            compile: Duration::ZERO,
            longest: Vec::new(),
        });
    }
    let started = Instant::now();
    let own = workspace.is_own();
    let (mut command, needed) = if own {
        project.usable().map_err(|why| Error::Room(why.into()))?;
        let needed = needed_packages(&own::metadata(workspace)?, &[&project.library.package]);
        (project.cargo_build(), needed)
    } else {
        let features = features::args_of(workspace)?;
        let metadata = metadata(workspace, &features)?;
        let mut command = cargo(workspace);
        command
            .args(["build", "--locked", "--offline", "--message-format=json-render-diagnostics"])
            .args(features::package_args(workspace.root()))
            .args(&features);
        (command, needed_packages(&metadata, &features::packages(workspace.root())))
    };
    let download = started.elapsed();

    let shared_object = match own {
        true => project.built().join(project.shared_object()),
        false => build_folder()?.join(SHARED_OBJECT),
    };
    if !shared_object.is_file() {
        progress::step(&format!("building {} and what it stands on, once: some minutes", project.told()));
    }
    let started = Instant::now();
    let Work { status, said, tally, .. } = watched(command.envs(environment.iter().cloned()), needed.len())?;
    write_log(workspace, &said);
    if !status.success() {
        return Err(Error::Failed {
            what: format!("building {}", project.told()),
            status: status.to_string(),
            hint: "the whole log is in .workbench/logs/build.log".into(),
            tail: tail(&said, 25),
        });
    }
    if !shared_object.is_file() {
        return Err(Error::Failed {
            what: "the build ended well but left no library for cells".into(),
            status: shared_object.display().to_string(),
            hint: match own {
                true => "see that the profile `dev` builds into `debug`".into(),
                false => "run through `cargo workbench`, which uses the profile that the build uses".into(),
            },
            tail: String::new(),
        });
    }
    if !own {
        note_setting(workspace)?;
    }
    Ok(Built {
        shared_object,
        compiled: tally.compiled.len(),
        download,
        compile: started.elapsed(),
        longest: tally.longest(5),
    })
}

/// Notes for which GPU setting the crate is built now, for `doctor`.
fn note_setting(workspace: &Workspace) -> Result<()> {
    let file = workspace.state().join(features::BUILT);
    let Some(setting) = Setting::read(&workspace.state())? else {
        // It may never have been there.
        let _ = std::fs::remove_file(file);
        return Ok(());
    };
    std::fs::write(&file, setting.describe()).map_err(|source| Error::io("write", &file, source))
}

impl Built {
    /// A line or two on where the time went; nothing when everything was fresh.
    pub fn report(&self) -> Vec<String> {
        if self.compiled == 0 {
            return Vec::new();
        }
        let mut lines = vec![format!(
            "compiled {} in {:.0} s (download {:.0} s)",
            count(self.compiled, "package"),
            self.compile.as_secs_f64(),
            self.download.as_secs_f64()
        )];
        if !self.longest.is_empty() {
            let waits: Vec<String> =
                self.longest.iter().map(|(name, wait)| format!("{name} {:.0} s", wait.as_secs_f64())).collect();
            lines.push(format!("longest waits ended with: {}", waits.join(", ")));
        }
        lines
    }
}

fn write_log(workspace: &Workspace, text: &str) {
    // The log is a convenience: a build must not fail because its log could not be kept.
    if let Ok(logs) = workspace.logs() {
        let _ = std::fs::write(logs.join("build.log"), text);
    }
}
