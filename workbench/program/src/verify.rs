//! Checks without a kernel: each is run, and its verdict compared with the committed one.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use workbench_ledger::{
    Baseline, Check, Claim, Committed, Error, Ledger, RecordError, Registry, Scale, Settings, Sweeps, Tables, Verdict,
    VerdictCard,
};
use workbench_record::{Lock, program, words};

pub use crate::options::Options;
use crate::panics;

/// How a check ended.
enum End {
    Same,
    /// No verdict is committed, at either scale.
    New,
    Differs,
    Failed,
}

/// The merged sweeps that checks may take in place of computing, if there are any.
pub type Merged = Option<Arc<dyn Sweeps>>;

/// Runs those of `checks` that the options ask for; `sweeps` is asked once, for the folder of the notebooks.
///
/// The status is 0 if each verdict is the committed one, at this scale or, where none is, at the other; 1 if one differs, 3 if a check failed, 2 for wrong use, and 4 for files that cannot
/// be read.
pub fn verify(checks: &[Check], options: &Options, sweeps: impl FnOnce(&Path) -> Result<Merged, String>) -> ExitCode {
    // What is damaged is told before anything is computed, and apart from wrong use.
    let known = match readable(options) {
        Ok(known) => known,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(4);
        }
    };
    match run(checks, options, &known, sweeps) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// The registry and the verdicts that are compared with.
struct Known {
    registry: Registry,
    committed: Baseline,
}

/// What is known, if it can be read, and so can the tables that are written.
fn readable(options: &Options) -> Result<Known, RecordError> {
    let registry = Registry::read(&options.notebooks.join("claims.toml"))?;
    let settings = settings(options);
    let committed = Baseline::read(&settings.record())?;
    Tables::read(&settings.results)?;
    // Who writes there just now ends before a check does, or each check says it; what can never be written is told before all.
    match Lock::take(&settings.results, "verify", Duration::ZERO) {
        Ok(_) | Err(RecordError::Locked { .. }) => Ok(()),
        Err(other) => Err(other),
    }?;
    Ok(Known { registry, committed })
}

/// Where checks read and write, and at which scale.
fn settings(options: &Options) -> Settings {
    let mut settings = Settings::new(&options.notebooks);
    if let Some(results) = &options.results {
        settings.results.clone_from(results);
    }
    settings.scale = options.scale;
    settings
}

/// What a check may need: a product in OpenBLAS takes half a megabyte of stack, and a factorisation calls itself.
const STACK: usize = 16 << 20;

fn run(
    checks: &[Check],
    options: &Options,
    known: &Known,
    sweeps: impl FnOnce(&Path) -> Result<Merged, String>,
) -> Result<u8, String> {
    let registry = &known.registry;
    // Read once, before the copies are made.
    registry.checks();
    let sweeps = sweeps(&options.notebooks)?;
    panics::keep();
    panics::watch(options.timeout);
    each_of_its_own(checks)?;
    let left_out = left_out(checks, registry, &options.globs)?;
    let (checks, missing) = chosen(checks, registry, &options.globs)?;
    left_out.iter().for_each(|(claim, why)| println!("FAILED {claim}: {why}"));
    let work: Vec<(Check, u64)> =
        checks.into_iter().flat_map(|check| options.seeds.0.iter().map(move |seed| (check, *seed))).collect();
    let begun = Instant::now();
    let (next, ends) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let some = || {
        while let Some((check, seed)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            let end = one(options, known, sweeps.as_ref(), *check, *seed);
            if let Ok(mut ends) = ends.lock() {
                ends.push(end);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.get().min(work.len()) {
            let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, some);
            worker.map_err(|e| format!("no thread could be started for checks: {e}"))?;
        }
        Ok::<(), String>(())
    })?;
    let ends = ends.into_inner().unwrap_or_default();
    let count = |wanted: fn(&End) -> bool| ends.iter().filter(|end| wanted(end)).count();
    let (differ, failed) =
        (count(|end| matches!(end, End::Differs)), count(|end| matches!(end, End::Failed)) + left_out.len());
    println!(
        "{}, {differ} with another verdict than the committed one, {failed} failed, {:.1} s",
        words::count(ends.len(), "check"),
        begun.elapsed().as_secs_f64()
    );
    let new = count(|end| matches!(end, End::New));
    if new > 0 {
        println!(
            "{new} {} no committed verdict to compare with: `{} run --accept` commits what it finds",
            words::agree(new, "has", "have"),
            program()
        );
    }
    if missing > 0 {
        println!(
            "{missing} more of these claims {} checked in notebooks and not computed: `{} run --claim`",
            words::agree(missing, "is", "are"),
            program()
        );
    }
    Ok(match (failed, differ) {
        (0, 0) => 0,
        (0, _) => 1,
        _ => 3,
    })
}

/// Refuses two checks of one claim: one of them has the id of another.
fn each_of_its_own(checks: &[Check]) -> Result<(), String> {
    let mut known = BTreeSet::new();
    match checks.iter().find(|check| !known.insert(check.claim)) {
        None => Ok(()),
        Some(twice) => Err(format!("verify: two checks say that they are of `{}`; correct the id in one", twice.claim)),
    }
}

/// Claims that the patterns name whose check stands in a file that is no part of the crate, and what to do.
fn left_out(all: &[Check], registry: &Registry, globs: &[String]) -> Result<Vec<(String, String)>, String> {
    let mut wanted: Vec<&Claim> = registry.claims().iter().collect();
    if !globs.is_empty() {
        let matching = globs.iter().map(|glob| registry.matching(glob).map_err(|error| error.to_string()));
        let named: Vec<&Claim> = matching.collect::<Result<Vec<_>, String>>()?.into_iter().flatten().collect();
        wanted.retain(|claim| named.iter().any(|one| one.id == claim.id));
    }
    let out = wanted.into_iter().filter(|claim| !all.iter().any(|check| check.claim == claim.id)).filter_map(|claim| {
        let file = &registry.checks().of(&claim.id)?.file;
        let module = file.file_stem().unwrap_or_default().to_string_lossy();
        let why = format!(
            "its check stands in {}, which is no part of the crate; write `pub mod {module};` into the library",
            file.display()
        );
        Some((claim.id.clone(), why))
    });
    Ok(out.collect())
}

/// The checks of the claims that the patterns name, and how many of those claims have none here.
///
/// A pattern of which no claim has a check is refused: nothing would be computed, and nothing may pass for it.
fn chosen(all: &[Check], registry: &Registry, globs: &[String]) -> Result<(Vec<Check>, usize), String> {
    if globs.is_empty() {
        return Ok((all.to_vec(), 0));
    }
    let mut wanted: BTreeSet<&str> = BTreeSet::new();
    for glob in globs {
        let claims = registry.matching(glob).map_err(|error| error.to_string())?;
        let has_check = |claim: &&Claim| all.iter().any(|check| check.claim == claim.id);
        if !claims.iter().any(has_check) {
            if let Some(check) = all.iter().find(|check| registry.position(check.claim).is_none()) {
                return Err(format!(
                    "verify: no check of {glob} stands in the crate, but one of `{}`, which claims.toml does not have; correct its id",
                    check.claim
                ));
            }
            let notebooks: BTreeSet<&str> = claims.iter().map(|claim| claim.notebook.as_str()).collect();
            let notebooks: Vec<&str> = notebooks.into_iter().collect();
            return Err(format!(
                "verify: no check of {glob} stands in the crate yet; run `{} run --claim '{glob}'` ({})",
                program(),
                notebooks.join(", ")
            ));
        }
        wanted.extend(claims.iter().map(|claim| claim.id.as_str()));
    }
    let claims = wanted.len();
    let checks: Vec<Check> = all.iter().filter(|check| wanted.contains(check.claim)).copied().collect();
    let missing = claims - checks.len();
    Ok((checks, missing))
}

fn one(options: &Options, known: &Known, sweeps: Option<&Arc<dyn Sweeps>>, check: Check, seed: u64) -> End {
    let registry = &known.registry;
    let begun = Instant::now();
    // A check that panics is one that failed; the others go on.
    let card = panics::caught(check.claim, || {
        record(options, registry, sweeps, check, seed).map_err(|error| error.to_string())
    });
    let seconds = begun.elapsed().as_secs_f64();
    let file = registry.checks().of(check.claim).map_or_else(String::new, |check| check.file.display().to_string());
    let (end, said) = match &card {
        Err(error) => (End::Failed, format!("FAILED {}: {error}\n  {}", check.claim, file)),
        Ok(card) => {
            let row = card.row();
            let (end, against) = match card.committed() {
                Committed::Same => (End::Same, String::new()),
                Committed::None => at_the_other_scale(options.scale, &known.committed, check.claim, row.verdict, &file),
                Committed::Differs(other) => (End::Differs, format!(", COMMITTED: {other}; {file}")),
                other => (End::Failed, format!(", not compared with the committed verdict: {other:?}")),
            };
            let text = match options.full {
                true => card.text(),
                false => {
                    // Where sweeps are offered a reader wants to know which numbers are theirs; the notes say it.
                    let notes = card.entry().notes.iter().filter(|_| sweeps.is_some());
                    let notes: String = notes.map(|note| format!("\n  note: {}", note.text)).collect();
                    format!("{:26} {}\n  {}{notes}", row.verdict.to_string(), row.claim, card.decided())
                }
            };
            (end, format!("{text}\n  {seconds:.2} s, seed {seed}{against}"))
        }
    };
    println!("{said}");
    end
}

/// How a verdict compares with the committed one of the other scale, where there is none of its own.
fn at_the_other_scale(scale: Scale, committed: &Baseline, claim: &str, verdict: Verdict, file: &str) -> (End, String) {
    let other = match scale {
        Scale::Quick => Scale::Paper,
        Scale::Paper => Scale::Quick,
    };
    match committed.get(claim, other) {
        None => (End::New, ", nothing committed".to_string()),
        Some(same) if same == verdict => (End::Same, format!(", as committed at {other} scale")),
        Some(differs) => (End::Differs, format!(", COMMITTED at {other} scale: {differs}; {file}")),
    }
}

fn record(
    options: &Options,
    registry: &Registry,
    sweeps: Option<&Arc<dyn Sweeps>>,
    check: Check,
    seed: u64,
) -> Result<VerdictCard, Error> {
    let mut settings = settings(options);
    settings.seed = seed;
    let notebook = &registry.get(check.claim)?.notebook;
    let mut ledger = Ledger::with_registry(notebook, settings, registry.clone())?;
    if let Some(sweeps) = sweeps {
        ledger = ledger.with_sweeps(Arc::clone(sweeps));
    }
    Ok(ledger.check(check)?.card().clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_checks_of_one_claim_are_refused() {
        let of = |claim| Check { claim, ..Check::DEFAULT };
        assert_eq!(each_of_its_own(&[of("a/b"), of("a/c")]), Ok(()));
        let said = each_of_its_own(&[of("a/b"), of("a/c"), of("a/b")]).unwrap_err();
        assert!(said.contains("two checks say that they are of `a/b`"), "{said}");
    }
}
