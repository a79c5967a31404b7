//! The command line: plan, shard, status, submit, merge.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use workbench_ground::work;
use workbench_record::Scale;
use workbench_record::words::count;

use crate::compute::{Computed, How, compute};
use crate::error::{Error, Result};
use crate::merge::merge;
use crate::origin;
use crate::plan::{Plan, Wanted};
use crate::status::{missing, report, states};
use crate::sweep::AnySweep;
use crate::{slurm, sweeps};

/// The program's name in a plan's folder.
const PROGRAM: &str = "workbench-sweep";

/// Compute a grid of parameters times seeds in shards, on this machine or on a cluster.
#[derive(Debug, Parser)]
#[command(name = "cargo workbench sweep", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the sweeps, with the size of their grids
    List,
    /// Write a plan: the grid, the seed, the commit, the number of shards; the program and its data beside it
    Plan(PlanArgs),
    /// Compute one shard, or all that are missing, one after the other
    Shard(ShardArgs),
    /// Say which shards are there and sound
    Status(Place),
    /// Send what is missing to a scheduler
    Submit(SubmitArgs),
    /// Make one table of all shards
    Merge(Place),
}

/// Where the plan is.
#[derive(Args, Clone, Debug)]
struct Place {
    /// Folder of the plan
    #[arg(long, value_name = "DIR", default_value = "sweep")]
    folder: PathBuf,
}

#[derive(Args, Debug)]
struct PlanArgs {
    /// The sweep, as `list` has it
    name: String,
    /// How much is computed: quick or paper
    #[arg(long, default_value = "quick")]
    scale: Scale,
    /// The seed that all draws derive from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of shards
    #[arg(long, default_value_t = 1, value_name = "N")]
    shards: u64,
    /// Replicates of each point, for a pilot: no check takes its runs from one that has not the sweep's own
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    replicates: Option<u64>,
    #[command(flatten)]
    place: Place,
}

#[derive(Args, Debug)]
struct ShardArgs {
    #[command(flatten)]
    place: Place,
    /// Which shard, from 0; or several, as `3,7`, one after the other
    #[arg(long, value_name = "K", value_delimiter = ',', required_unless_present = "all", conflicts_with = "all")]
    index: Vec<u64>,
    /// All shards that are missing, one after the other
    #[arg(long)]
    all: bool,
    /// Tasks side by side; as many as this process has cores if it is not given
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Compute a shard that is there already once more
    #[arg(long)]
    again: bool,
}

#[derive(Args, Debug)]
struct SubmitArgs {
    #[command(flatten)]
    place: Place,
    /// To Slurm, as an array of jobs that are requeued when their node fails
    #[arg(long, required = true)]
    slurm: bool,
    /// Shards that a job computes one after the other: Slurm takes up to some seconds to start a job
    #[arg(long, value_name = "N", default_value = "1")]
    per_job: NonZeroU64,
    /// Print the calls and make none
    #[arg(long)]
    dry_run: bool,
    /// Options for sbatch, as `-- --partition=long --time=2:00:00 --cpus-per-task=4`
    #[arg(last = true)]
    options: Vec<String>,
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    stop_when_asked();
    match run(&Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.status())
        }
    }
}

/// A scheduler asks with SIGTERM before it kills; Ctrl-C is listened to by the first look of [`work::stop_requested`].
fn stop_when_asked() {
    // The first look also finds the words that a request is written to, so that the handler below does no more than one addition.
    let _ = work::stop_requested();
    // SAFETY: after the first look `request_stop` is one atomic addition. If the registration fails, SIGTERM ends the process as ever,
    // and what it has kept so far stays.
    let _ = unsafe { signal_hook::low_level::register(libc::SIGTERM, work::request_stop) };
}

fn run(command: &Command) -> Result<()> {
    match command {
        Command::List => {
            list();
            Ok(())
        }
        Command::Plan(args) => plan(args),
        Command::Shard(args) => shard(args),
        Command::Status(place) => {
            let plan = Plan::read(&place.folder, "sweep status")?;
            println!("{}", report(&plan, &place.folder, &states(&plan, &place.folder)?));
            Ok(())
        }
        Command::Submit(args) => submit(args),
        Command::Merge(place) => {
            let (plan, sweep) = opened(&place.folder, "sweep merge")?;
            let merged = merge(&sweep, &plan, &place.folder)?;
            println!("{}: {}, {:.1} s of computing", merged.path.display(), count(merged.rows, "row"), merged.seconds);
            if merged.processors.len() > 1 {
                println!(
                    "computed on several processors, whose last bits may differ: {}",
                    merged.processors.join(", ")
                );
            }
            Ok(())
        }
    }
}

fn list() {
    for sweep in sweeps::all() {
        println!("{:14} {}", sweep.name, sweep.title);
        for scale in Scale::ALL {
            let points = sweep.grid(scale).map_or(0, |grid| grid.len());
            println!("{:14} {scale}: {points} points, {} replicates each", "", sweep.replicates(scale));
        }
    }
}

/// The plan of a folder, with its sweep.
fn opened(folder: &Path, op: &'static str) -> Result<(Plan, AnySweep)> {
    let plan = Plan::read(folder, op)?;
    let sweep = sweeps::named(&plan.sweep)?;
    Ok((plan, sweep))
}

fn plan(args: &PlanArgs) -> Result<()> {
    const OP: &str = "sweep plan";
    let (sweep, root) = (sweeps::named(&args.name)?, origin::root());
    let wanted = Wanted { scale: args.scale, seed: args.seed, shards: args.shards, replicates: args.replicates };
    let plan = Plan::new(&sweep, wanted, root.as_deref())?;
    let folder = &args.place.folder;
    plan.write(folder, &root.map(|root| root.join("datasets")).unwrap_or_default())?;
    let program = folder.join(PROGRAM);
    let own = std::env::current_exe().map_err(|error| Error::io(OP, PROGRAM, error))?;
    // A program that is running cannot be written over: a copy that is there stays, its sources are those of the plan.
    if !program.exists() {
        let beside = folder.join(format!(".{PROGRAM}-{}", std::process::id()));
        let copied = std::fs::copy(&own, &beside).and_then(|_| std::fs::rename(&beside, &program));
        copied.map_err(|error| Error::io(OP, &program, error))?;
    }
    println!("{}", plan.words());
    if plan.dirty {
        println!("the tree differs from its commit {}: no check will take the result", plan.commit);
    }
    let folder = folder.display();
    println!("next: cargo workbench sweep shard --folder {folder} --all, or submit --slurm; then merge");
    Ok(())
}

fn shard(args: &ShardArgs) -> Result<()> {
    const OP: &str = "sweep shard";
    let folder = &args.place.folder;
    let (plan, sweep) = opened(folder, OP)?;
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let how = How { threads: args.threads.unwrap_or_else(cores), progress: true, anew: args.again };
    if how.threads == 0 {
        return Err(Error::Option { op: OP, option: "--threads", value: "0".into(), next: "use at least 1".into() });
    }
    let indices = match (args.all, args.again) {
        (false, _) => args.index.clone(),
        (true, true) => (0..plan.shards).collect(),
        (true, false) => missing(&states(&plan, folder)?),
    };
    for index in indices {
        match compute(&sweep, &plan, folder, index, how)? {
            Computed::AlreadyThere => println!("shard {index} is there and sound"),
            Computed::Now { computed, kept: 0 } => println!("shard {index}: {computed} tasks"),
            Computed::Now { computed, kept } => {
                println!("shard {index}: {computed} tasks, and {kept} kept from before")
            }
        }
    }
    Ok(())
}

fn submit(args: &SubmitArgs) -> Result<()> {
    const OP: &str = "sweep submit";
    let (plan, _) = opened(&args.place.folder, OP)?;
    let folder = &args.place.folder;
    let folder = folder.canonicalize().map_err(|error| Error::io(OP, folder, error))?;
    let open = missing(&states(&plan, &folder)?);
    if open.is_empty() {
        println!("all {} shards are there and sound: nothing to submit", plan.shards);
        return Ok(());
    }
    let script = slurm::script(&plan, args.per_job, &folder, &folder.join(PROGRAM))?;
    let calls = slurm::calls(&plan, &open, args.per_job, &folder, &script, &args.options);
    if args.dry_run {
        calls.iter().for_each(|call| println!("{}", call.line()));
        return Ok(());
    }
    let jobs = slurm::submit(&calls, &folder)?;
    println!("{} submitted as {}", count(open.len(), "shard"), jobs.join(", "));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
        for bad in [
            &["shard"][..],
            &["shard", "--index", "1", "--all"],
            &["shard", "--index", "-1"],
            &["submit"],
            &["submit", "--slurm", "--per-job", "0"],
            &["plan"],
            &["plan", "figure-8", "--scale", "huge"],
        ] {
            assert!(Cli::try_parse_from([&["sweep"], bad].concat()).is_err(), "{bad:?}");
        }
        let line = ["sweep", "submit", "--slurm", "--", "--partition=long"];
        let Command::Submit(args) = Cli::try_parse_from(line).unwrap().command else {
            panic!("submit did not parse as submit");
        };
        assert_eq!((args.per_job.get(), &args.options[..]), (1, &["--partition=long".to_string()][..]));
    }
}
