//! Job arrays of Slurm for the shards that are missing.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use workbench_record::atomic;

use crate::error::{Error, Result};
use crate::plan::Plan;
use crate::status::ranges;

const OP: &str = "sweep submit";
/// The script of the array's jobs, in the plan's folder.
const SCRIPT: &str = "slurm.sh";
/// Slurm's own limit of the positions in an array, unless `MaxArraySize` says otherwise: positions below it are allowed.
const POSITIONS: u64 = 1000;

/// A call of `sbatch`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its arguments.
    pub args: Vec<String>,
}

impl Call {
    /// As it is typed.
    pub fn line(&self) -> String {
        let quoted = |arg: &String| match arg.contains([' ', '%', '$']) {
            true => format!("'{arg}'"),
            false => arg.clone(),
        };
        format!("sbatch {}", self.args.iter().map(quoted).collect::<Vec<_>>().join(" "))
    }
}

/// The script of one job, which computes `each` shards in turn: the place in the array, and what the array begins at, make its number.
///
/// # Errors
/// A folder that cannot be written.
pub fn script(plan: &Plan, each: NonZeroU64, folder: &Path, program: &Path) -> Result<PathBuf> {
    let quote = |path: &Path| format!("'{}'", path.display().to_string().replace('\'', r"'\''"));
    let text = format!(
        "#!/bin/sh\n# Some shards: first place of the array, then the place of this job in it.\n\
         first=$((($1 + SLURM_ARRAY_TASK_ID) * {each}))\nlast=$((first + {each} - 1))\n\
         [ $last -lt {shards} ] || last=$(({shards} - 1))\n\
         exec {} shard --folder {} --index \"$(seq -s, $first $last)\" --threads \"${{SLURM_CPUS_PER_TASK:-1}}\"\n",
        quote(program),
        quote(folder),
        shards = plan.shards,
    );
    let path = folder.join(SCRIPT);
    atomic::write(&path, text.as_bytes()).map_err(|error| Error::io(OP, &path, error))?;
    Ok(path)
}

/// The calls that submit these shards, `each` to a job: one call for each thousand of jobs, with the user's own options before the
/// script.
pub fn calls(
    plan: &Plan,
    missing: &[u64],
    each: NonZeroU64,
    folder: &Path,
    script: &Path,
    options: &[String],
) -> Vec<Call> {
    let mut calls = Vec::new();
    let mut jobs: Vec<u64> = missing.iter().map(|index| *index / each).collect();
    jobs.dedup();
    for block in jobs.chunk_by(|a, b| a / POSITIONS == b / POSITIONS) {
        let first = block[0] / POSITIONS * POSITIONS;
        let places: Vec<u64> = block.iter().map(|job| job - first).collect();
        let mut args = vec![
            "--parsable".to_string(),
            "--requeue".to_string(),
            format!("--job-name=sweep-{}", plan.sweep),
            format!("--array={}", ranges(&places)),
            format!("--output={}/logs/%A_%a.txt", folder.display()),
        ];
        args.extend(options.iter().cloned());
        args.extend([script.display().to_string(), first.to_string()]);
        calls.push(Call { args });
    }
    calls
}

/// Makes the calls; the numbers of the jobs.
///
/// # Errors
/// A Slurm that is not there or refuses.
pub fn submit(calls: &[Call], folder: &Path) -> Result<Vec<String>> {
    let logs = folder.join("logs");
    std::fs::create_dir_all(&logs).map_err(|error| Error::io(OP, &logs, error))?;
    let one = |call: &Call| -> Result<String> {
        let ran = Command::new("sbatch").args(&call.args).stdin(Stdio::null()).output();
        let output = ran.map_err(|error| Error::Scheduler {
            problem: format!("cannot start `sbatch`: {error}"),
            next: "call it where Slurm is installed, or compute with `sweep shard --all`, GNU parallel or Snakemake"
                .into(),
        })?;
        let (said, complained) = (
            String::from_utf8_lossy(&output.stdout).trim().to_string(),
            String::from_utf8_lossy(&output.stderr).trim().to_string(),
        );
        match output.status.success() {
            true => Ok(said),
            false => Err(Error::Scheduler {
                problem: format!("`{}` ended with {}: {complained}", call.line(), output.status),
                next: "`sinfo` says whether the controller answers; options for sbatch stand after `--`".into(),
            }),
        }
    };
    calls.iter().map(one).collect()
}
