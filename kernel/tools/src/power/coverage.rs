//! Coverage of faults by claims: every claim asked once without a live fault, each in a process of its own.
//!
//! Each in its own, because what several checks share is computed by the first that asks, and only that one would seem to reach it.
//! Claims of which the record says that they take little time come first. What is asked stays in the folder and is not asked again before
//! the check is another one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use workbench_record::{Baseline, FindingLine, Registry, Scale, Tables};

use super::ask::{Answer, Asker, End, folder_of, kept_in};
use super::cache::put;
use super::compare::{restless, same_numbers};
use workbench_base::error::{Error, Result};
use workbench_base::progress;
use workbench_base::text::count;

/// How long a claim may take without a fault.
const LIMIT: Duration = Duration::from_secs(1800);

/// The answer of one claim without a fault.
#[derive(Clone, Debug)]
pub struct Base {
    /// What it says.
    pub answer: Answer,
    /// Which of its findings are never the same twice.
    pub restless: BTreeSet<usize>,
    /// Digest of the check that said so.
    pub check: String,
}

/// Every claim that was asked.
pub type Coverage = BTreeMap<String, Base>;

/// A claim with a check.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its id.
    pub claim: String,
    /// Digest of its check.
    pub check: String,
    /// Seconds that it took in the record; 0 where there is none.
    pub seconds: f64,
}

/// The claims that reach a fault and say something with or without it.
pub fn reaching(coverage: &Coverage, fault: u32) -> impl Iterator<Item = (&String, &Base)> {
    coverage.iter().filter(move |(_, base)| base.answer.end == End::Judged && base.answer.reached.contains(&fault))
}

/// Which claims are asked, and against what.
pub struct Plan {
    /// The claims, cheapest first.
    pub claims: Vec<Asked>,
    record: Tables,
    committed: Baseline,
}

impl Plan {
    /// The claims of a workspace that have checks, those of which the record says that they took at most `within` seconds.
    ///
    /// # Errors
    /// [`Error::Record`] if registry or record do not read.
    pub fn read(notebooks: &Path, results: &Path, seed: u64, within: f64) -> Result<Plan> {
        let registry = Registry::read(&notebooks.join("claims.toml"))?;
        let mut record = Tables::read(results)?;
        record.rows.retain(|row| row.scale == Scale::Quick && row.seed == seed);
        let seconds: BTreeMap<&str, f64> = record.rows.iter().map(|row| (row.claim.as_str(), row.seconds)).collect();
        let known = registry.checks().iter().filter(|check| registry.position(&check.claim).is_some());
        let claims = known.map(|check| Asked {
            claim: check.claim.clone(),
            check: check.digest.clone(),
            seconds: seconds.get(check.claim.as_str()).copied().unwrap_or(0.0),
        });
        let mut claims: Vec<Asked> = claims.filter(|asked| asked.seconds <= within).collect();
        claims.sort_by(|a, b| a.seconds.total_cmp(&b.seconds).then_with(|| a.claim.cmp(&b.claim)));
        let committed = Baseline::read(results)?;
        Ok(Plan { claims, record, committed })
    }

    /// Asks every claim that has not been asked yet; stops early when the time is over.
    ///
    /// # Errors
    /// As [`Asker::ask`].
    pub fn ask(&self, asker: &Asker, folder: &Path, jobs: usize, until: Option<Instant>) -> Result<Coverage> {
        let next = AtomicUsize::new(0);
        let found: Mutex<(Coverage, Option<Error>)> = Mutex::default();
        let over = || until.is_some_and(|until| Instant::now() > until);
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| {
                    while let Some(asked) = self.claims.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let place = folder.join(folder_of(&asked.claim));
                        let base = match self.kept(asked, &place) {
                            Ok(None) if over() => continue,
                            Ok(None) => self.base(asker, asked, &place).map(Some),
                            other => other,
                        };
                        let Ok(mut found) = found.lock() else { return };
                        match base {
                            Ok(Some(base)) => {
                                found.0.insert(asked.claim.clone(), base);
                            }
                            Ok(None) => {}
                            Err(error) => {
                                found.1 = Some(error);
                                return;
                            }
                        }
                    }
                });
            }
        });
        match found.into_inner().unwrap_or_default() {
            (_, Some(error)) => Err(error),
            (coverage, None) => Ok(coverage),
        }
    }

    fn kept(&self, asked: &Asked, place: &Path) -> Result<Option<Base>> {
        // Written last: what another check said, or half of an answer, is none.
        let check = std::fs::read_to_string(place.join("check")).unwrap_or_default();
        match kept_in(place)? {
            Some(answer) if check == asked.check => {
                let again = kept_in(&place.join("again"))?;
                Ok(Some(Base::new(answer, again, &asked.check)))
            }
            _ => Ok(None),
        }
    }

    fn base(&self, asker: &Asker, asked: &Asked, place: &Path) -> Result<Base> {
        let Asked { claim, check, .. } = asked;
        let answer = asker.ask(claim, 0, LIMIT, place)?;
        let seconds = progress::seconds(answer.seconds);
        progress::note(&format!("{claim}: {seconds}, reaches {}", count(answer.reached.len(), "fault")));
        // Numbers that are not those of the record may be another machine's, or may be no two runs' the same.
        let again = match answer.end == End::Judged && !self.is_in_the_record(claim, &answer) {
            true => Some(asker.ask(claim, 0, LIMIT, &place.join("again"))?),
            false => None,
        };
        put(&place.join("check"), check.as_bytes())?;
        Ok(Base::new(answer, again, check))
    }

    fn is_in_the_record(&self, claim: &str, answer: &Answer) -> bool {
        let Some(row) = self.record.rows.iter().find(|row| row.claim == claim) else {
            return false;
        };
        let found: Vec<&FindingLine> = answer.tables.findings.iter().collect();
        same_numbers(&self.record.findings_of(row), &found)
    }

    /// The claims that do not say without a fault what is committed, in words.
    pub fn differing(&self, coverage: &Coverage) -> Vec<String> {
        let differs = |(claim, base): (&String, &Base)| {
            let row = base.answer.tables.rows.first();
            match (&base.answer.end, row, self.committed.get(claim, Scale::Quick)) {
                (End::Judged, Some(row), Some(verdict)) if row.verdict == verdict => None,
                (End::Judged, Some(row), Some(verdict)) => {
                    Some(format!("{claim}: {}, committed {verdict}", row.verdict))
                }
                (End::Judged, _, None) => None,
                (end, ..) => Some(format!("{claim}: {end:?}")),
            }
        };
        coverage.iter().filter_map(differs).collect()
    }
}

impl Base {
    fn new(answer: Answer, again: Option<Answer>, check: &str) -> Base {
        let restless = again.map(|again| restless(&answer.tables, &again.tables)).unwrap_or_default();
        Base { answer, restless, check: check.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::compare::tests::answer;
    use super::*;
    use workbench_record::Verdict;

    fn base(verdict: Verdict) -> Base {
        Base::new(answer(verdict, &[0.5]), None, "c")
    }

    #[test]
    fn claims_of_the_project_are_asked_cheapest_first() {
        let notebooks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../notebooks");
        let all = Plan::read(&notebooks, &notebooks.join("results"), 1, f64::INFINITY).unwrap();
        assert!(all.claims.windows(2).all(|pair| pair[0].seconds <= pair[1].seconds));
        let few = Plan::read(&notebooks, &notebooks.join("results"), 1, 1.0).unwrap();
        assert!(!few.claims.is_empty() && few.claims.len() < all.claims.len());
    }

    #[test]
    fn a_verdict_that_is_not_the_committed_one_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let text = "claim,scale,verdict\nm/a,quick,holds\nm/b,quick,holds\n";
        std::fs::write(folder.path().join("expected.csv"), text).unwrap();
        let plan =
            Plan { claims: Vec::new(), record: Tables::default(), committed: Baseline::read(folder.path()).unwrap() };
        let coverage = Coverage::from([
            ("m/a".to_string(), base(Verdict::Holds)),
            ("m/b".to_string(), base(Verdict::Fails)),
            ("m/c".to_string(), base(Verdict::Fails)),
        ]);
        assert_eq!(plan.differing(&coverage), ["m/b: fails, committed holds"]);
    }

    #[test]
    fn an_answer_of_another_check_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let plan = Plan { claims: Vec::new(), record: Tables::default(), committed: Baseline::default() };
        std::fs::write(folder.path().join("end.json"), r#"{"end":"endless","seconds":1.0}"#).unwrap();
        let is_kept = |check: &str| {
            let asked = Asked { claim: "m/a".to_string(), check: check.to_string(), seconds: 0.0 };
            plan.kept(&asked, folder.path()).unwrap().is_some()
        };
        assert!(!is_kept("c"), "the answer was not finished");
        std::fs::write(folder.path().join("check"), "c").unwrap();
        assert!(is_kept("c") && !is_kept("d"));
    }

    #[test]
    fn numbers_that_are_not_the_records_are_asked_for_twice() {
        let (one, two) = (answer(Verdict::Holds, &[0.5]), answer(Verdict::Holds, &[0.6]));
        assert_eq!(Base::new(one.clone(), Some(two), "c").restless, BTreeSet::from([0]));
        assert!(Base::new(one.clone(), Some(one), "c").restless.is_empty());
    }
}
