//! The plan of a sweep: what is computed, from what, and in how many shards. A file that everybody reads and nobody edits.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use workbench_record::digest::{self, Digest};
use workbench_record::{Scale, atomic};

use crate::draws::{Draws, name_of};
use crate::error::{Error, Result};
use crate::origin;
use crate::sweep::AnySweep;

/// The plan's file.
pub const FILE: &str = "plan.json";
/// Its last line begins so; the digest is that of all that stands before.
const DIGEST: &str = "  \"digest\": ";

/// What is computed, from what, in how many shards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The sweep.
    pub sweep: String,
    /// How much is computed.
    pub scale: Scale,
    /// The seed that all draws derive from.
    pub seed: u64,
    /// Replicates of each point.
    pub replicates: u64,
    /// The grid.
    pub points: Vec<Map<String, Value>>,
    /// Names and kinds of the columns.
    pub columns: Vec<String>,
    /// Files of data, each with its digest.
    pub files: Vec<(String, String)>,
    /// Commit that was planned; empty outside version control.
    pub commit: String,
    /// Whether the tree differed from it.
    pub dirty: bool,
    /// Digest of the lock file; empty where there was none.
    pub lock: String,
    /// Digest of the sources of the program that planned.
    pub source: String,
    /// Its compiler.
    pub compiler: String,
    /// How many shards.
    pub shards: u64,
    /// When it was planned.
    pub planned: String,
}

/// What a plan is made for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// How much is computed.
    pub scale: Scale,
    /// The seed.
    pub seed: u64,
    /// How many shards.
    pub shards: u64,
    /// Replicates of each point for a pilot, which no check takes its runs from; the sweep's own where it is none.
    pub replicates: Option<u64>,
}

impl Plan {
    /// The plan of a sweep, from the repository at `root`; nothing is written.
    ///
    /// # Errors
    /// More shards than tasks, or none; a data file that cannot be read; a grid that repeats a point or has none.
    pub fn new(sweep: &AnySweep, wanted: Wanted, root: Option<&Path>) -> Result<Plan> {
        const OP: &str = "sweep plan";
        let points = sweep.grid(wanted.scale).map_err(|problem| Error::table(OP, problem))?;
        let mut names: Vec<String> = points.iter().map(name_of).collect();
        names.sort();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::table(OP, format!("the grid of {} has {} twice", sweep.name, twice[0])));
        }
        let parameters = points.first().into_iter().flat_map(|point| point.keys().map(String::as_str));
        let mut columns: Vec<&str> = parameters.chain(["replicate"]).collect();
        columns.extend(sweep.columns.iter().map(|(name, _)| *name));
        columns.sort_unstable();
        if let Some(twice) = columns.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::table(OP, format!("the table of {} would have two columns `{}`", sweep.name, twice[0])));
        }
        let replicates = wanted.replicates.unwrap_or(sweep.replicates(wanted.scale) as u64);
        let tasks = points.len() as u64 * replicates;
        if tasks == 0 {
            return Err(Error::table(OP, format!("the grid of {} is empty", sweep.name)));
        }
        if wanted.shards == 0 || wanted.shards > tasks {
            return Err(Error::Option {
                op: OP,
                option: "--shards",
                value: wanted.shards.to_string(),
                next: format!("{} at scale {} has {tasks} tasks; use 1 to {tasks}", sweep.name, wanted.scale),
            });
        }
        let data = root.map(|root| root.join("datasets")).unwrap_or_default();
        let file = |name: &&str| -> Result<(String, String)> {
            let path = data.join(name);
            let bytes = std::fs::read(&path).map_err(|error| Error::io(OP, &path, error))?;
            Ok((name.to_string(), digest::of(bytes)))
        };
        let lock = root.and_then(|root| std::fs::read(root.join("Cargo.lock")).ok());
        Ok(Plan {
            sweep: sweep.name.to_string(),
            scale: wanted.scale,
            seed: wanted.seed,
            replicates,
            points,
            columns: kinds(sweep),
            files: sweep.files.iter().map(file).collect::<Result<_>>()?,
            commit: root.map(origin::commit).unwrap_or_default(),
            dirty: root.is_some_and(origin::dirty),
            lock: lock.map_or(String::new(), digest::of),
            source: origin::SOURCE.to_string(),
            compiler: origin::COMPILER.to_string(),
            shards: wanted.shards,
            planned: origin::now(),
        })
    }

    /// Writes the plan and its data into a folder. A folder that holds the same plan already is left as it is.
    ///
    /// # Errors
    /// A folder that holds another plan, or an edited one; files that cannot be copied or written.
    pub fn write(&self, folder: &Path, data: &Path) -> Result<()> {
        const OP: &str = "sweep plan";
        let path = folder.join(FILE);
        if path.exists() {
            let held = Plan::read(folder, OP)?;
            return match held.work() == self.work() && held.shards == self.shards {
                true => Ok(()),
                false => Err(Error::OtherPlan { folder: folder.to_path_buf(), held: held.words() }),
            };
        }
        for (name, _) in &self.files {
            let (from, to) = (data.join(name), data_folder(folder).join(name));
            let bytes = std::fs::read(&from).map_err(|error| Error::io(OP, &from, error))?;
            atomic::write(&to, &bytes).map_err(|error| Error::io(OP, &to, error))?;
        }
        let shards = shards_folder(folder);
        std::fs::create_dir_all(&shards).map_err(|error| Error::io(OP, &shards, error))?;
        let text = self.text()?;
        atomic::write(&path, text.as_bytes()).map_err(|error| Error::io(OP, &path, error))
    }

    /// The plan of a folder, as it was written.
    ///
    /// # Errors
    /// No plan, or an edited one; `op` is named in the message.
    pub fn read(folder: &Path, op: &'static str) -> Result<Plan> {
        let path = folder.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::NoPlan { op, folder: folder.to_path_buf() });
            }
            Err(error) => return Err(Error::io(op, &path, error)),
        };
        let edited = |problem: String| Error::Edited { op, path: path.clone(), problem };
        let Some((head, tail)) = text.rsplit_once(DIGEST) else {
            return Err(edited("it has no digest at its end".into()));
        };
        let (found, written) = (digest::of(head), tail.trim_end_matches(['}', '\n']).trim_matches('"'));
        if found != written {
            return Err(edited(format!("it was edited after it was planned (digest {found}, written {written})")));
        }
        let head = head.trim_end().trim_end_matches(',');
        serde_json::from_str(&format!("{head}}}")).map_err(|error| edited(format!("it is of another version: {error}")))
    }

    fn text(&self) -> Result<String> {
        let text = serde_json::to_string_pretty(self).map_err(|error| Error::table("sweep plan", error))?;
        let head = format!("{},\n", text.trim_end_matches('}').trim_end());
        Ok(format!("{head}{DIGEST}\"{}\"\n}}\n", digest::of(&head)))
    }

    /// Digest of all that the result depends on: not of the number of shards, nor of when it was planned.
    pub fn work(&self) -> String {
        let mut digest = Digest::default();
        for part in [&self.sweep, self.scale.text(), &self.commit, &self.lock, &self.source, &self.compiler] {
            digest.add(part);
        }
        digest.add(self.seed.to_le_bytes());
        digest.add(self.replicates.to_le_bytes());
        digest.add([u8::from(self.dirty)]);
        for list in [
            self.points.iter().map(name_of).collect(),
            self.columns.clone(),
            self.files.iter().map(|(name, sum)| format!("{name} {sum}")).collect::<Vec<String>>(),
        ] {
            digest.add((list.len() as u64).to_le_bytes());
            list.iter().for_each(|part| digest.add(part));
        }
        digest.finish()
    }

    /// The plan in words.
    pub fn words(&self) -> String {
        let plural = if self.shards == 1 { "" } else { "s" };
        format!(
            "{} at scale {}, seed {}, {} tasks in {} shard{plural}",
            self.sweep,
            self.scale,
            self.seed,
            self.tasks(),
            self.shards
        )
    }

    /// How many tasks.
    pub fn tasks(&self) -> u64 {
        self.points.len() as u64 * self.replicates
    }

    /// The tasks of a shard, ascending: every `shards`-th, so that the points that take long are dealt out.
    pub fn tasks_of(&self, index: u64) -> Vec<u64> {
        (index..self.tasks()).step_by(usize::try_from(self.shards).unwrap_or(usize::MAX)).collect()
    }

    /// Position of a task's point, and its replicate.
    pub fn place(&self, task: u64) -> (usize, u64) {
        ((task / self.replicates) as usize, task % self.replicates)
    }

    /// The draws of a task.
    pub(crate) fn draws(&self, task: u64, folder: &Path) -> Draws {
        let (point, replicate) = self.place(task);
        Draws::new(self.seed, &self.sweep, &self.points[point], replicate, &data_folder(folder))
    }

    /// Refuses a program of other sources than the one that planned.
    ///
    /// # Errors
    /// [`Error::OtherProgram`].
    pub fn same_program(&self, folder: &Path, op: &'static str) -> Result<()> {
        match self.source == origin::SOURCE {
            true => Ok(()),
            false => Err(Error::OtherProgram {
                op,
                folder: folder.to_path_buf(),
                planned: self.source.clone(),
                own: origin::SOURCE.to_string(),
            }),
        }
    }

    /// Refuses data that are not those that were planned with.
    ///
    /// # Errors
    /// A file that is not there, or another one.
    pub(crate) fn same_data(&self, folder: &Path, op: &'static str) -> Result<()> {
        for (name, sum) in &self.files {
            let path = data_folder(folder).join(name);
            let bytes = std::fs::read(&path).map_err(|error| Error::io(op, &path, error))?;
            if digest::of(bytes) != *sum {
                let problem = format!("it is not the file that was planned with (digest {sum})");
                return Err(Error::Edited { op, path, problem });
            }
        }
        Ok(())
    }
}

/// Names and kinds of a sweep's columns.
pub(crate) fn kinds(sweep: &AnySweep) -> Vec<String> {
    sweep.columns.iter().map(|(name, kind)| format!("{name}: {kind:?}")).collect()
}

/// Where the data of a plan lie.
pub fn data_folder(folder: &Path) -> PathBuf {
    folder.join("data")
}

/// Where its shards lie.
pub fn shards_folder(folder: &Path) -> PathBuf {
    folder.join("shards")
}
