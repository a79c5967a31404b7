//! `cargo workbench power`: how many planted faults some verdict catches.
//!
//! Wrong forms of expressions (a sign, a factor, an exponent, a transposed matrix, a missing 1/n, an index off by one, a wrong average,
//! reused randomness) are generated from the sources of the rooms' methods, drawn by a seed, and planted together in one copy of the
//! workspace, each behind a number. The checks are run on it with one number live at a time. A fault is caught if a verdict, or the
//! outcome of a finding, is another one; what changes a number and no verdict survives, and is told with the finding that came nearest.
//!
//! | file | holds |
//! | --- | --- |
//! | `operator`, `rules` | the kinds of mistake, and the wrong forms of an expression |
//! | `sites`, `draw` | where faults can stand, and which are drawn |
//! | `plant`, `planted` | the copy with faults, and the module in it that says which is live |
//! | `shared_build`, `compile` | its build, and which sites the compiler refuses |
//! | `ask` | one claim asked in a process of its own |
//! | `coverage` | which claims reach which faults, without one that is live |
//! | `compare`, `hunt` | what a fault changes, and the claims asked until one says so |
//! | `cache`, `report` | what was found out so far, and the tables |

mod ask;
mod cache;
mod compare;
mod compile;
mod coverage;
mod draw;
mod error;
mod house;
mod hunt;
mod operator;
mod plant;
#[cfg(test)]
mod planted;
mod report;
mod rules;
mod shared_build;
mod sites;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::Args;

use ask::Asker;
use cache::{Cache, put};
use compile::Copy;
use coverage::{Coverage, Plan};
use draw::Draw;
use error::PowerError;
use house::House;
use report::{Report, short};
use sites::Site;
use workbench_base::args::{jobs, seconds, whole};
use workbench_base::error::{Error, Result};
use workbench_base::progress;
use workbench_base::text::{agree, count};
use workbench_setup::paths::{Workspace, build_folder};
use workbench_setup::project::Project;
use workbench_setup::system::Machine;

/// The seed of the checks: that of the record's first rows.
const SEED: u64 = 1;
/// How often refused sites are replaced before it is given up; each time is a pass of the compiler.
const ROUNDS: usize = 40;

/// Options of `power`.
#[derive(Args, Clone, Debug)]
pub struct PowerArgs {
    /// How many faults are planted
    #[arg(long, value_name = "N", default_value = "64", value_parser = whole::<usize>)]
    pub faults: usize,
    /// The seed of their draw
    #[arg(long, value_name = "N", default_value = "1", value_parser = whole::<u64>)]
    pub seed: u64,
    /// Folder for the copy, its build and what is found out [default: workbench-power in cargo's target folder]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Show what is drawn, and plant nothing
    #[arg(long)]
    pub list: bool,
    /// Hunt only the faults of these numbers
    #[arg(long, value_name = "K", num_args = 1.., value_parser = whole::<u32>)]
    pub only: Vec<u32>,
    /// Claims and faults side by side
    #[arg(long, value_name = "N", default_value = "1", value_parser = jobs)]
    pub jobs: usize,
    /// Seconds for each fault
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub each: f64,
    /// Seconds for all asking; what is left undone then is done by the next call
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub budget: Option<f64>,
    /// Ask only claims that took at most this long in the record
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub within: Option<f64>,
}

/// Measures and prints; the exit status is 0 if every claim was asked, every fault hunted to its end, and at least 95 % of those that
/// change a result are caught.
///
/// # Errors
/// If the copy cannot be made or built, or the checks do not say without a fault what is committed.
pub fn command(args: &PowerArgs) -> Result<i32> {
    if args.faults == 0 {
        let why = "nothing would be planted; ask for at least one".into();
        return Err(Error::Option { option: "--faults", value: "0".into(), why });
    }
    let workspace = Workspace::find()?;
    let candidates = sites::all(workspace.root())?;
    let all = candidates.len();
    if all == 0 {
        let why = "no method has an expression that could be another one; write the methods first".to_string();
        return Err(PowerError::NoSite { why }.into());
    }
    let mut draw = Draw::new(candidates, args.seed);
    draw.fill(args.faults);
    let out = args.out.clone().unwrap_or_else(|| default_out(&workspace));
    let kept = Cache::open(&out, &cache::digest_of(workspace.root(), draw.drawn())?)?;
    let settled = kept.faults();
    let shown = settled.as_deref().unwrap_or(draw.drawn());
    numbered(&args.only, shown.len())?;
    if args.list {
        println!("{}", listed(shown, &args.only));
        println!("{} drawn of {all} sites with seed {}", shown.len(), args.seed);
        if settled.is_none() {
            println!("not built yet: what the compiler refuses then gives way to others, and numbers after it change");
        }
        return Ok(0);
    }
    // A table that is damaged is told before minutes of building.
    let read = |within| Plan::read(&workspace.notebooks(), &workspace.results(), SEED, within);
    let (every, plan) = (read(f64::INFINITY)?, read(args.within.unwrap_or(f64::INFINITY))?);
    let (sites, asker) = build(&workspace, &out, &kept, draw, args.faults)?;
    numbered(&args.only, sites.len())?;
    let until = args.budget.map(|budget| Instant::now() + Duration::from_secs_f64(budget));
    progress::step(&format!("asking {} without a fault", count(plan.claims.len(), "claim")));
    let coverage = plan.ask(&asker, &kept.without(), args.jobs, until)?;
    let differing = plan.differing(&coverage);
    if !differing.is_empty() {
        return Err(PowerError::NotCommitted {
            count: differing.len(),
            all: coverage.len(),
            first: differing.iter().take(5).cloned().collect::<Vec<_>>().join("; "),
        }
        .into());
    }
    hunt_all(args, &asker, &kept, &coverage, sites.len(), until)?;
    let hunted = kept.hunted();
    let report = Report::new(&sites, &hunted, (coverage.len(), every.claims.len()));
    put(&kept.report("csv"), &report.csv())?;
    put(&kept.report("md"), report.markdown().as_bytes())?;
    println!("{}", report.terminal());
    println!("{}", kept.report("csv").display());
    Ok(i32::from(!report.is_enough()))
}

/// Refuses a number that none of so many faults has.
fn numbered(only: &[u32], count: usize) -> Result<()> {
    match only.iter().find(|&&number| number == 0 || number as usize > count) {
        Some(&number) => Err(PowerError::NoFault { number, count }.into()),
        None => Ok(()),
    }
}

/// Where the copy is built if nobody says so: where cargo builds for this project, which the environment or a configuration may move.
fn default_out(workspace: &Workspace) -> PathBuf {
    Project::at(workspace.root()).target().join("workbench-power")
}

/// The copy with as many faults as are asked for, built: sites that the compiler refuses give way to the next that are drawn.
fn build(workspace: &Workspace, out: &Path, kept: &Cache, mut draw: Draw, faults: usize) -> Result<(Vec<Site>, Asker)> {
    let (source, target) = (out.join("src"), out.join("target"));
    let environment = workbench_setup::environment(workspace, &Machine, &mut progress::step)?;
    let house = House::of(workspace.root());
    let ours = match workspace.is_own() {
        true => Project::at(workspace.root()).built(),
        false => build_folder()?,
    };
    if ours.file_name().is_some_and(|name| name == "debug") {
        shared_build::link(&ours, &target.join("debug"), &house.own)?;
    }
    let none = |why: &str| PowerError::NoSite { why: why.to_string() };
    let sites = match kept.faults() {
        Some(sites) => {
            plant::plant(workspace.root(), &source, &sites)?;
            sites
        }
        None => {
            let mut rounds = 0;
            loop {
                draw.fill(faults);
                if draw.drawn().is_empty() || rounds == ROUNDS {
                    return Err(none(
                        "the compiler refuses what is drawn; see that `cargo build --workspace` passes, then try again",
                    )
                    .into());
                }
                let planted = plant::plant(workspace.root(), &source, draw.drawn())?;
                progress::step(&format!("checking a copy with {}", count(planted.len(), "fault")));
                let copy = Copy::new(&source, &target, environment.clone())?;
                let refused = copy.refused(&planted)?;
                if refused.is_empty() {
                    break;
                }
                progress::note(&format!(
                    "{} {} not compile, and others are drawn",
                    refused.len(),
                    agree(refused.len(), "does", "do")
                ));
                draw.refuse(&refused);
                rounds += 1;
            }
            kept.settle(draw.drawn())?;
            draw.drawn().to_vec()
        }
    };
    progress::step(&format!("building it in {}", target.display()));
    let program = Copy::new(&source, &target, environment.clone())?.build()?;
    let asker = Asker { program, command: house.command, root: source, seed: SEED, environment };
    Ok((sites, asker))
}

/// Hunts the faults that are not settled yet, until the time is over.
fn hunt_all(
    args: &PowerArgs,
    asker: &Asker,
    kept: &Cache,
    coverage: &Coverage,
    all: usize,
    until: Option<Instant>,
) -> Result<()> {
    let before = kept.hunted();
    let wanted = |fault: &u32| args.only.is_empty() || args.only.contains(fault);
    let open = |fault: &u32| before.get(fault).is_none_or(|hunted| !hunted.is_settled(coverage));
    let faults: Vec<u32> = (1..=all as u32).filter(wanted).filter(open).collect();
    progress::step(&format!("hunting {}", count(faults.len(), "fault")));
    let (next, ended) = (AtomicUsize::new(0), Mutex::new(Ok(())));
    std::thread::scope(|scope| {
        for _ in 0..args.jobs {
            scope.spawn(|| {
                while let Some(&fault) = faults.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if until.is_some_and(|until| Instant::now() > until) {
                        return;
                    }
                    let each = Duration::from_secs_f64(args.each);
                    let hunted = hunt::hunt(asker, coverage, fault, each, &kept.with(fault));
                    let done = hunted.and_then(|hunted| {
                        let claim = hunted.claim.as_deref().unwrap_or("");
                        let seconds = progress::seconds(hunted.seconds);
                        progress::note(&format!("{fault}: {} {claim}, {seconds}", hunted.outcome.text()));
                        kept.add(&hunted)
                    });
                    if let (Err(error), Ok(mut ended)) = (done, ended.lock()) {
                        *ended = Err(error);
                        return;
                    }
                }
            });
        }
    });
    ended.into_inner().unwrap_or(Ok(()))
}

/// What is drawn, or only the faults of these numbers, as a table.
fn listed(sites: &[Site], only: &[u32]) -> String {
    let rows: Vec<Vec<String>> = (1..)
        .zip(sites)
        .filter(|(number, _)| only.is_empty() || only.contains(number))
        .map(|(number, site)| {
            let place = format!("{}:{}", site.file.trim_start_matches("workbench/"), site.line);
            vec![
                number.to_string(),
                place,
                site.operator.text().to_string(),
                short(&site.before, 44),
                short(&site.after, 44),
            ]
        })
        .collect();
    progress::table(&["fault", "where", "operator", "before", "after"], &rows, &[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_names_file_line_and_both_forms() {
        let text = "fn f(x: f64) -> f64 {\n    -x\n}\n";
        let sites = sites::of_file("memory", "workbench/memory/src/a.rs", text);
        let table = listed(&sites, &[]);
        assert!(table.contains("1  memory/src/a.rs:2  sign      -x      x"), "{table}");
        assert!(!listed(&sites, &[2]).contains("a.rs"));
        assert!(numbered(&[1], 1).is_ok() && numbered(&[1, 2], 1).is_err() && numbered(&[0], 1).is_err());
    }

    #[test]
    fn the_copy_is_built_where_cargo_builds() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let write = |name: &str, text: &str| {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("notebooks/claims.toml", "");
        write("src/lib.rs", "");
        write("Cargo.toml", "[package]\nname = \"mine\"\n[package.metadata.jupyter]\nlibrary = true\n[workspace]\n");
        let there = match std::env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => root.join(folder),
            None => root.join("elsewhere"),
        };
        write(".cargo/config.toml", "[build]\ntarget-dir = \"elsewhere\"\n");
        assert_eq!(default_out(&Workspace::at(&root).unwrap()), there.join("workbench-power"));
    }

    #[test]
    fn in_a_process_without_a_live_fault_none_is_planted() {
        assert!((0..200).filter(|&fault| planted::planted(fault)).all(|fault| fault == 0));
    }
}
