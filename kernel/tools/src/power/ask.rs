//! One claim asked of the copy: a process that computes its check, with a fault or without one.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use workbench_record::Tables;

use super::plant::{FAULT, REACHED};
use workbench_base::error::{Error, Result};

/// Address space that a process may have: a fault that asks for more is stopped before the machine is.
#[cfg(unix)]
const MEMORY: libc::rlim_t = 16 << 30;
/// Times the processor time that a process has, it may take on the wall: on a machine with other work it waits.
const WAITING: u32 = 20;
/// How often a process is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// How the check of a claim ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// With a verdict.
    Judged,
    /// With an error, in its words.
    Refused(String),
    /// With a panic or a signal, in its words.
    Panicked(String),
    /// Not within its time.
    Endless,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// How it ended.
    pub end: End,
    /// What was written down, if it ended with a verdict.
    pub tables: Tables,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// The numbers of the sites that were reached.
    pub reached: Vec<u32>,
}

/// What is kept of an answer beside its tables.
#[derive(Serialize, Deserialize)]
struct Cache {
    end: End,
    seconds: f64,
}

/// The program of the copy, and how it is called.
#[derive(Clone)]
pub struct Asker {
    /// The program.
    pub program: PathBuf,
    /// What it is told before the claim.
    pub command: Option<&'static str>,
    /// The root of the copy.
    pub root: PathBuf,
    /// The seed of the checks.
    pub seed: u64,
    /// Variables that the program needs.
    pub environment: Vec<(String, String)>,
}

impl Asker {
    /// Asks; what is written down goes into `folder`, which is emptied first. `limit` is processor time, of all threads together.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Start`] or [`Error::Record`]; whatever the check itself does is an answer.
    pub fn ask(&self, claim: &str, fault: u32, limit: Duration, folder: &Path) -> Result<Answer> {
        if folder.exists() {
            std::fs::remove_dir_all(folder).map_err(|source| Error::io("empty", folder, source))?;
        }
        std::fs::create_dir_all(folder).map_err(|source| Error::io("make", folder, source))?;
        let begun = Instant::now();
        let mut child = self.command(claim, fault, limit, folder)?;
        let status = loop {
            match child.try_wait().map_err(|source| Error::io("wait for the check in", folder, source))? {
                Some(status) => break Some(status),
                None if begun.elapsed() > limit.saturating_mul(WAITING) => {
                    // Neither matters: the process is gone, or goes.
                    let _ = child.kill();
                    let _ = child.wait();
                    break None;
                }
                None => std::thread::sleep(LOOK),
            }
        };
        let seconds = begun.elapsed().as_secs_f64();
        let text =
            |name: &str| std::fs::read(folder.join(name)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let (out, errors) = (text("out").unwrap_or_default(), text("err").unwrap_or_default());
        let end = match status {
            None => End::Endless,
            Some(status) if is_over(status) => End::Endless,
            Some(status) => end(status.code(), &out, &errors),
        };
        let kept = serde_json::to_vec(&Cache { end, seconds }).unwrap_or_default();
        let path = folder.join("end.json");
        std::fs::write(&path, kept).map_err(|source| Error::io("write", &path, source))?;
        match kept_in(folder)? {
            Some(answer) => Ok(answer),
            None => Err(Error::io("read", &path, std::io::ErrorKind::InvalidData.into())),
        }
    }

    fn command(&self, claim: &str, fault: u32, limit: Duration, folder: &Path) -> Result<std::process::Child> {
        let file = |name: &str| {
            let path = folder.join(name);
            File::create(&path).map_err(|source| Error::io("make", &path, source))
        };
        let mut command = Command::new(&self.program);
        command
            .args(self.command)
            .args([claim, "--scale", "quick", "--seeds", &self.seed.to_string(), "--notebooks"])
            .arg(self.root.join("notebooks"))
            .arg("--results")
            .arg(folder)
            .current_dir(&self.root)
            .envs(self.environment.iter().cloned())
            .env(FAULT, fault.to_string())
            .env(REACHED, folder.join("reached"))
            .stdin(Stdio::null())
            .stdout(file("out")?)
            .stderr(file("err")?);
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            let both = |most: libc::rlim_t| libc::rlimit { rlim_cur: most, rlim_max: most };
            let limits =
                [(libc::RLIMIT_AS, both(MEMORY)), (libc::RLIMIT_CPU, both(limit.as_secs().max(1) as libc::rlim_t))];
            // SAFETY: setrlimit is safe to call between fork and exec, and touches nothing but its argument.
            unsafe {
                command.pre_exec(move || {
                    for (what, limit) in &limits {
                        if libc::setrlimit(*what, limit) != 0 {
                            return Err(std::io::Error::last_os_error());
                        }
                    }
                    Ok(())
                });
            }
        }
        command.spawn().map_err(|source| Error::Start {
            program: self.program.display().to_string(),
            source,
            hint: "name a new folder with --out, where the copy is built anew".into(),
        })
    }
}

/// The answer that a folder keeps, if it keeps one.
///
/// # Errors
/// [`Error::Record`] if its tables do not read.
pub fn kept_in(folder: &Path) -> Result<Option<Answer>> {
    let Ok(bytes) = std::fs::read(folder.join("end.json")) else {
        return Ok(None);
    };
    let Ok(Cache { end, seconds }) = serde_json::from_slice(&bytes) else {
        return Ok(None);
    };
    let reached = std::fs::read_to_string(folder.join("reached")).unwrap_or_default();
    let mut reached: Vec<u32> = reached.lines().filter_map(|line| line.parse().ok()).collect();
    reached.sort_unstable();
    reached.dedup();
    let tables = match end {
        End::Judged => Tables::read(folder)?,
        _ => Tables::default(),
    };
    Ok(Some(Answer { end, tables, seconds, reached }))
}

/// Whether a process was ended because its processor time was over.
#[cfg(unix)]
fn is_over(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    // Where soft and hard limit are one, Linux kills; nothing else here does.
    matches!(status.signal(), Some(libc::SIGXCPU | libc::SIGKILL))
}

/// The same where there are no such limits.
#[cfg(not(unix))]
fn is_over(_: ExitStatus) -> bool {
    false
}

/// How a process ended that wrote this.
fn end(status: Option<i32>, out: &str, errors: &str) -> End {
    let first = |text: &str, mark: &str| {
        let mut lines = text.lines().skip_while(|line| !line.contains(mark));
        let line = lines.next().unwrap_or_default().to_string();
        let next = lines.next().unwrap_or_default().trim().to_string();
        if line.ends_with(':') { format!("{line} {next}") } else { line }
    };
    match status {
        Some(0 | 1) => End::Judged,
        Some(3) if !out.contains("it panicked") => End::Refused(first(out, "FAILED")),
        Some(3) => End::Panicked(first(out, "it panicked")),
        Some(code) if errors.contains("panicked at") => {
            End::Panicked(format!("{} (exit status {code})", first(errors, "panicked at")))
        }
        Some(_) => End::Refused(first(errors, "error")),
        None => End::Panicked(format!("ended by a signal {}", first(errors, "panicked at")).trim().to_string()),
    }
}

/// A claim's id as the name of a folder.
pub fn folder_of(claim: &str) -> String {
    claim.replace('/', "--")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_told_apart() {
        assert_eq!(end(Some(1), "", ""), End::Judged);
        let refused = end(Some(3), "FAILED m/a: the fit has no slope\n  file", "");
        assert_eq!(refused, End::Refused("FAILED m/a: the fit has no slope".into()));
        let said = "FAILED m/a: it panicked at a.rs, line 1: index out of bounds; mend that line";
        assert_eq!(end(Some(3), &format!("{said}\n  file"), ""), End::Panicked(said.into()));
        assert!(matches!(end(None, "", ""), End::Panicked(why) if why == "ended by a signal"));
        assert!(matches!(end(Some(2), "", "error: no such claim"), End::Refused(_)));
    }

    #[cfg(unix)]
    fn asker(folder: &Path, script: &str) -> Asker {
        use std::os::unix::fs::PermissionsExt;
        let program = folder.join("verify");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        Asker { program, command: None, root: folder.to_path_buf(), seed: 1, environment: Vec::new() }
    }

    #[cfg(unix)]
    #[test]
    fn an_answer_is_kept_with_what_was_reached() {
        let folder = tempfile::tempdir().unwrap();
        let asker = asker(
            folder.path(),
            "printf '3\\n1\\n3\\n' > $WORKBENCH_FAULT_REACHED; echo \"FAILED $1 $WORKBENCH_FAULT\"; exit 3",
        );
        let place = folder.path().join("answer");
        let answer = asker.ask("m/a", 7, Duration::from_secs(20), &place).unwrap();
        assert_eq!(answer.end, End::Refused("FAILED m/a 7".into()));
        assert_eq!(answer.reached, [1, 3]);
        let kept = kept_in(&place).unwrap().unwrap();
        assert_eq!((kept.end, kept.reached), (answer.end, answer.reached));
        assert!(kept_in(folder.path()).unwrap().is_none());
    }

    #[cfg(unix)]
    #[test]
    fn what_does_not_end_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        for (script, limit) in [("exec sleep 60", 50), ("while :; do :; done", 1000)] {
            let asker = asker(folder.path(), script);
            let place = folder.path().join("answer");
            let answer = asker.ask("m/a", 0, Duration::from_millis(limit), &place).unwrap();
            assert_eq!(answer.end, End::Endless, "{script}");
            assert!(answer.seconds < 30.0);
        }
    }
}
