//! Faults one by one: the claims that reach a fault are asked with it live, cheapest first, until one says something else.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use workbench_record::digest::Digest;

use super::ask::{Asker, End};
use super::compare::{Difference, Moved, difference};
use super::coverage::{Coverage, reaching};
use workbench_base::error::Result;

/// Processor time that a claim has with a fault, on each core: this many times what it took without one, and a little more.
const PATIENCE: f64 = 5.0;
const LEAST: f64 = 20.0;

/// What became of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// A verdict is another one.
    Verdict,
    /// A finding says something else, and its verdict is the same.
    Finding,
    /// A check panicked.
    Panic,
    /// A check ended with an error.
    Error,
    /// A check did not end.
    Endless,
    /// Numbers moved, and nothing that is decided by them.
    Survived,
    /// Numbers moved by their rounding, in an iteration that ends at the same place, for example.
    Rounded,
    /// All claims that reach it say the same to the last bit.
    Equivalent,
    /// No claim reaches it.
    Unreached,
    /// The time was over before all claims were asked, and none of those asked said something else.
    Unfinished,
}

impl Outcome {
    /// All outcomes, in the order of tables.
    pub const ALL: [Outcome; 10] = [
        Outcome::Verdict,
        Outcome::Finding,
        Outcome::Panic,
        Outcome::Error,
        Outcome::Endless,
        Outcome::Survived,
        Outcome::Rounded,
        Outcome::Equivalent,
        Outcome::Unreached,
        Outcome::Unfinished,
    ];

    /// In words, for tables.
    pub fn text(self) -> &'static str {
        match self {
            Outcome::Verdict => "caught by a verdict",
            Outcome::Finding => "caught by a finding",
            Outcome::Panic => "caught by a panic",
            Outcome::Error => "caught by an error",
            Outcome::Endless => "caught: no end",
            Outcome::Survived => "SURVIVED",
            Outcome::Rounded => "only rounding changed",
            Outcome::Equivalent => "no number changed",
            Outcome::Unreached => "reached by no claim",
            Outcome::Unfinished => "time over",
        }
    }

    /// Whether a reader of the ledger would see the fault.
    pub fn is_caught(self) -> bool {
        matches!(self, Outcome::Verdict | Outcome::Finding | Outcome::Panic | Outcome::Error | Outcome::Endless)
    }
}

/// What a hunt found out about one fault.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hunted {
    /// Its number.
    pub fault: u32,
    /// What became of it.
    pub outcome: Outcome,
    /// How many claims reach it.
    pub reached_by: usize,
    /// How many of them were asked.
    pub asked: usize,
    /// The claim that caught it; of a survivor, the one whose finding came nearest.
    pub claim: Option<String>,
    /// Digest of the check that caught it, or of all that were asked in vain.
    pub check: String,
    /// What it says there.
    pub said: String,
    /// The nearest finding, where nothing caught it.
    pub nearest: Option<Moved>,
    /// Wall-clock seconds.
    pub seconds: f64,
}

impl Hunted {
    /// Whether some claim computes something else because of the fault.
    pub fn changes_a_result(&self) -> bool {
        self.outcome.is_caught() || self.outcome == Outcome::Survived || self.nearest.is_some()
    }
}

/// Hunts one fault, for at most `budget`.
///
/// # Errors
/// As [`Asker::ask`].
pub fn hunt(asker: &Asker, coverage: &Coverage, fault: u32, budget: Duration, folder: &Path) -> Result<Hunted> {
    let begun = Instant::now();
    let cores = std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64);
    let mut claims: Vec<_> = reaching(coverage, fault).collect();
    claims.sort_by(|(_, a), (_, b)| a.answer.seconds.total_cmp(&b.answer.seconds));
    let mut hunted = Hunted {
        fault,
        outcome: match claims.is_empty() {
            true => Outcome::Unreached,
            false => Outcome::Equivalent,
        },
        reached_by: claims.len(),
        asked: 0,
        claim: None,
        check: all_checks(coverage, fault),
        said: String::new(),
        nearest: None,
        seconds: 0.0,
    };
    for (claim, base) in claims {
        let left = budget.saturating_sub(begun.elapsed());
        if left.is_zero() {
            hunted.outcome = Outcome::Unfinished;
            break;
        }
        let patience = Duration::from_secs_f64(cores * (PATIENCE * base.answer.seconds + LEAST));
        let limit = patience.min(left.mul_f64(cores));
        let answer = asker.ask(claim, fault, limit, folder)?;
        if answer.end == End::Endless && limit < patience {
            // Cut off before it was clear that it does not end.
            hunted.outcome = Outcome::Unfinished;
            break;
        }
        hunted.asked += 1;
        let difference = difference(&base.answer, &answer, &base.restless);
        if hunted.takes(claim, difference) {
            hunted.check.clone_from(&base.check);
            break;
        }
    }
    hunted.seconds = begun.elapsed().as_secs_f64();
    Ok(hunted)
}

/// Digest of the checks that reach a fault.
fn all_checks(coverage: &Coverage, fault: u32) -> String {
    let mut digest = Digest::default();
    for (claim, base) in reaching(coverage, fault) {
        digest.add(claim);
        digest.add(&base.check);
    }
    digest.finish()
}

impl Hunted {
    /// Whether another hunt would find the same: the check that caught the fault is as it was, or all are that were asked in vain.
    pub fn is_settled(&self, coverage: &Coverage) -> bool {
        let catching = self.claim.as_ref().and_then(|claim| coverage.get(claim));
        match self.outcome {
            outcome if outcome.is_caught() => catching.is_none_or(|base| base.check == self.check),
            Outcome::Unfinished => false,
            _ => self.check == all_checks(coverage, self.fault),
        }
    }

    /// Takes in what one claim says; whether that ends the hunt.
    fn takes(&mut self, claim: &str, difference: Difference) -> bool {
        let (outcome, said) = match difference {
            Difference::Nothing => return false,
            Difference::Rounded => {
                if self.outcome == Outcome::Equivalent {
                    self.outcome = Outcome::Rounded;
                }
                return false;
            }
            Difference::Moved(moved) => {
                self.outcome = Outcome::Survived;
                let nearer = |old: &Moved| moved.share.unwrap_or(0.0) > old.share.unwrap_or(0.0);
                if self.nearest.as_ref().is_none_or(nearer) {
                    self.claim = Some(claim.to_string());
                    self.said = said(&moved);
                    self.nearest = Some(moved);
                }
                return false;
            }
            Difference::Verdict { before, after } => (Outcome::Verdict, format!("{before} -> {after}")),
            Difference::Outcome { what, before, after } => (Outcome::Finding, format!("{what}: {before} -> {after}")),
            Difference::Panic(why) => (Outcome::Panic, why),
            Difference::Error(why) => (Outcome::Error, why),
            Difference::Endless => (Outcome::Endless, "it did not end".to_string()),
        };
        (self.outcome, self.claim, self.said) = (outcome, Some(claim.to_string()), said);
        self.nearest = None;
        true
    }
}

/// A movement in words.
fn said(moved: &Moved) -> String {
    let Moved { what, before, after, share } = moved;
    let way = match share {
        Some(share) => format!("{:.1} % of the way to another outcome", 100.0 * share),
        None => "away from the bound".to_string(),
    };
    format!("{what}: {before:.4e} -> {after:.4e}, {way}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh() -> Hunted {
        Hunted {
            fault: 1,
            outcome: Outcome::Equivalent,
            reached_by: 3,
            asked: 0,
            claim: None,
            check: String::new(),
            said: String::new(),
            nearest: None,
            seconds: 0.0,
        }
    }

    fn moved(share: Option<f64>) -> Difference {
        Difference::Moved(Moved { what: "error".into(), before: 0.5, after: 0.6, share })
    }

    #[test]
    fn the_nearest_finding_is_kept_until_something_catches() {
        let mut hunted = fresh();
        assert!(!hunted.takes("m/a", Difference::Nothing));
        assert_eq!((hunted.outcome, hunted.changes_a_result()), (Outcome::Equivalent, false));
        assert!(!hunted.takes("m/r", Difference::Rounded));
        assert_eq!((hunted.outcome, hunted.changes_a_result()), (Outcome::Rounded, false));
        assert!(!hunted.takes("m/b", moved(Some(0.1))));
        assert!(!hunted.takes("m/r", Difference::Rounded));
        assert!(!hunted.takes("m/c", moved(None)));
        assert_eq!((hunted.outcome, hunted.claim.as_deref()), (Outcome::Survived, Some("m/b")));
        assert!(hunted.said.contains("10.0 % of the way"), "{}", hunted.said);
        let verdict = Difference::Verdict { before: "holds".into(), after: "fails".into() };
        assert!(hunted.takes("m/d", verdict));
        assert_eq!(hunted.said, "holds -> fails");
        assert!(hunted.outcome.is_caught() && hunted.changes_a_result() && hunted.nearest.is_none());
    }

    /// One claim, which reaches fault 7.
    fn coverage(check: &str) -> Coverage {
        use super::super::compare::tests::answer;
        use super::super::coverage::Base;
        let mut reached = answer(workbench_record::Verdict::Holds, &[0.5]);
        reached.reached = vec![7];
        let base = Base { answer: reached, restless: Default::default(), check: check.to_string() };
        Coverage::from([("m/a".to_string(), base)])
    }

    #[test]
    fn what_no_claim_reaches_and_what_has_no_time_is_told_apart() {
        let asker = Asker {
            program: "/nowhere".into(),
            command: None,
            root: "/nowhere".into(),
            seed: 1,
            environment: Vec::new(),
        };
        let folder = Path::new("/nowhere");
        let of = |fault| hunt(&asker, &coverage("c"), fault, Duration::ZERO, folder).unwrap();
        assert_eq!((of(8).outcome, of(8).reached_by), (Outcome::Unreached, 0));
        assert_eq!((of(7).outcome, of(7).reached_by), (Outcome::Unfinished, 1));
        assert!(of(8).is_settled(&coverage("c")) && !of(7).is_settled(&coverage("c")));
    }

    #[test]
    fn a_hunt_that_could_find_more_is_not_settled() {
        let mut hunted = Hunted {
            fault: 7,
            outcome: Outcome::Survived,
            claim: Some("m/a".into()),
            check: all_checks(&coverage("c"), 7),
            ..fresh()
        };
        assert!(hunted.is_settled(&coverage("c")));
        assert!(!hunted.is_settled(&coverage("d")), "the check is another one");
        (hunted.outcome, hunted.check) = (Outcome::Verdict, "c".into());
        assert!(hunted.is_settled(&coverage("c")) && !hunted.is_settled(&coverage("d")));
        assert!(hunted.is_settled(&Coverage::new()), "the claim is not among those that are asked");
    }
}
