//! `cargo workbench bench sweep`: what a shard costs beside its task, from the start of its process to its file.
//!
//! Shards of one short task each: the time of all processes less the time of all tasks, over their number. What a scheduler adds is not in
//! it; `workbench/sweep/tests/slurm.sh PROGRAM paper speed` measures two nodes of a real Slurm.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use workbench_base::error::{Error, Result};
use workbench_base::progress::{self, table};
use workbench_base::text::tail;

use super::machine;

/// Tasks of the rehearsal, each in a shard of its own.
const SHARDS: usize = 64;
/// Seconds that a shard may cost beside its task.
const LIMIT: f64 = 0.3;

/// Runs the benchmark; returns the exit status, 1 for a limit that is missed.
pub fn command() -> Result<i32> {
    let ready = workbench_setup::for_notebooks()?;
    let root = ready.workspace.root().to_path_buf();
    let scratch = tempfile::tempdir().map_err(|source| Error::io("make", &std::env::temp_dir(), source))?;
    let folder = scratch.path().display().to_string();
    let sweep = |program: &Path, words: &[&str]| -> Result<()> {
        let mut command = Command::new(program);
        command.args(words).args(["--folder", &folder]).current_dir(&root);
        command.envs(ready.environment.iter().cloned()).env("WORKBENCH_ROOT", &root);
        run(&mut command)
    };
    machine::warn_if_busy();
    let front = beside("workbench");
    let shards = SHARDS.to_string();
    sweep(&front, &["sweep", "plan", "rehearsal", "--shards", &shards])?;
    let program = scratch.path().join("workbench-sweep");
    progress::step(&format!("{SHARDS} shards, one after the other"));
    let mut wall = 0.0;
    for index in 0..SHARDS {
        let begun = Instant::now();
        sweep(&program, &["shard", "--threads", "1", "--index", &index.to_string()])?;
        wall += begun.elapsed().as_secs_f64();
    }
    sweep(&program, &["merge"])?;
    let path = scratch.path().join("times.csv");
    let times = std::fs::read_to_string(&path).map_err(|source| Error::io("read", &path, source))?;
    let tasks = of_tasks(&times);
    let cost = (wall - tasks) / SHARDS as f64;
    let met = cost <= LIMIT;
    let row = vec![
        format!("{:.3}", wall / SHARDS as f64),
        format!("{:.3}", tasks / SHARDS as f64),
        format!("{cost:.3}"),
        format!("{LIMIT}"),
        if met { "met" } else { "MISSED" }.to_string(),
    ];
    let header = ["a shard's process, s", "its task, s", "beside it, s", "limit", ""];
    println!("\n{}", table(&header, &[row], &[0, 1, 2, 3]));
    Ok(i32::from(!met))
}

/// A program that is built beside this one.
fn beside(name: &str) -> PathBuf {
    let own = std::env::current_exe().ok();
    let folder = own.as_deref().and_then(Path::parent);
    folder.map_or_else(|| PathBuf::from(name), |folder| folder.join(name))
}

fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|source| Error::Start {
        program: program.clone(),
        source,
        hint: "build it with `cargo workbench setup`".into(),
    })?;
    match output.status.success() {
        true => Ok(()),
        false => Err(Error::Failed {
            what: program,
            status: output.status.to_string(),
            hint: "run it by hand to see its message".into(),
            tail: tail(&String::from_utf8_lossy(&output.stderr), 8),
        }),
    }
}

/// Seconds of all tasks: of each point, their number times their mean.
fn of_tasks(times: &str) -> f64 {
    let of_point = |line: &str| {
        let parts: Vec<&str> = line.rsplit(',').collect();
        let [_, mean, tasks, ..] = parts[..] else {
            return None;
        };
        Some(mean.parse::<f64>().ok()? * tasks.parse::<f64>().ok()?)
    };
    times.lines().filter_map(of_point).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_all_tasks_is_that_of_all_points() {
        let times = "point,tasks,mean_seconds,longest_seconds\nsets=2 size=3,8,0.5000,0.7000\nsize=4,2,0.2500,0.3000\n";
        assert_eq!(of_tasks(times), 4.5);
    }
}
