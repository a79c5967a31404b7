//! Checks without a kernel: `workbench-verify GLOB ..` runs them and compares each verdict with the committed one.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use clap::Parser;
use workbench_checks::{all, file_of};
use workbench_ledger::{AnyCheck, Committed, Error, Ledger, Registry, Scale, Settings, VerdictCard};

/// Runs checks without a kernel and compares their verdicts with the committed ones.
#[derive(Parser)]
#[command(name = "cargo workbench verify")]
struct Options {
    /// Ids of claims, or patterns as `gradient-memory/*`; all checks without one
    globs: Vec<String>,
    /// How much is computed: quick or paper
    #[arg(long, default_value = "quick")]
    scale: Scale,
    /// Seeds, one run each
    #[arg(long, value_delimiter = ',', default_value = "1")]
    seeds: Vec<u64>,
    /// Checks side by side
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Print the whole card of each check
    #[arg(long)]
    full: bool,
    /// Folder of claims.toml
    #[arg(long, value_name = "DIR")]
    notebooks: PathBuf,
    /// Folder for the tables of what was computed
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
}

/// How a check ended.
enum End {
    Same,
    Differs,
    Failed,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<u8, Error> {
    let registry = Registry::read(&options.notebooks.join("claims.toml"))?;
    let work: Vec<(AnyCheck, u64)> = chosen(&registry, &options.globs)?
        .into_iter()
        .flat_map(|check| options.seeds.iter().map(move |seed| (check, *seed)))
        .collect();
    let begun = Instant::now();
    let (next, ends) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.clamp(1, work.len().max(1)) {
            scope.spawn(|| {
                while let Some((check, seed)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let end = one(options, &registry, check, *seed);
                    if let Ok(mut ends) = ends.lock() {
                        ends.push(end);
                    }
                }
            });
        }
    });
    let ends = ends.into_inner().unwrap_or_default();
    let count = |wanted: fn(&End) -> bool| ends.iter().filter(|end| wanted(end)).count();
    let (differ, failed) = (
        count(|end| matches!(end, End::Differs)),
        count(|end| matches!(end, End::Failed)),
    );
    println!(
        "{} checks, {differ} with another verdict than the committed one, {failed} failed, {:.1} s",
        ends.len(),
        begun.elapsed().as_secs_f64()
    );
    Ok(match (failed, differ) {
        (0, 0) => 0,
        (0, _) => 1,
        _ => 3,
    })
}

/// The checks of the claims that the patterns name.
fn chosen(registry: &Registry, globs: &[String]) -> Result<Vec<AnyCheck>, Error> {
    if globs.is_empty() {
        return Ok(all());
    }
    let mut wanted = Vec::new();
    for glob in globs {
        wanted.extend(registry.matching(glob)?);
    }
    let checks: Vec<AnyCheck> = all()
        .into_iter()
        .filter(|check| wanted.iter().any(|claim| claim.id == check.claim))
        .collect();
    for claim in wanted {
        if !checks.iter().any(|check| check.claim == claim.id) {
            eprintln!(
                "{}: its check stands in notebook {} and needs a kernel",
                claim.id, claim.notebook
            );
        }
    }
    Ok(checks)
}

fn one(options: &Options, registry: &Registry, check: &AnyCheck, seed: u64) -> End {
    let begun = Instant::now();
    let card = record(options, registry, check, seed);
    let seconds = begun.elapsed().as_secs_f64();
    let (end, said) = match &card {
        Err(error) => (
            End::Failed,
            format!("FAILED {}: {error}\n  {}", check.claim, file_of(check)),
        ),
        Ok(card) => {
            let row = card.row();
            let (end, against) = match card.committed() {
                Committed::Same => (End::Same, String::new()),
                Committed::None => (End::Same, ", nothing committed".to_string()),
                Committed::Differs(other) => (End::Differs, format!(", COMMITTED: {other}; {}", file_of(check))),
                other => (
                    End::Failed,
                    format!(", not compared with the committed verdict: {other:?}"),
                ),
            };
            let decided = format!("{}: {} (expected {})", row.finding, row.measured_text(), row.expected);
            let text = match options.full {
                true => card.text(),
                false => format!("{:26} {}\n  {decided}", row.verdict.to_string(), row.claim),
            };
            (end, format!("{text}\n  {seconds:.2} s, seed {seed}{against}"))
        }
    };
    println!("{said}");
    end
}

fn record(options: &Options, registry: &Registry, check: &AnyCheck, seed: u64) -> Result<VerdictCard, Error> {
    let mut settings = Settings::new(&options.notebooks);
    if let Some(results) = &options.results {
        settings.results.clone_from(results);
    }
    settings.scale = options.scale;
    settings.seed = seed;
    let ledger = Ledger::with(&registry.get(check.claim)?.notebook, settings)?;
    Ok(ledger.check_any(check)?.card().clone())
}
