//! All that a cell has to say about one claim, and the verdict it amounts to.

use workbench_record::number::rounded;
use workbench_record::{Kind, Outcome, Verdict};

use super::Error;
use super::finding::Finding;
use super::words;

/// Evidence on one claim: findings about the printed form, a correction if it needs one, wrong twins
/// that the check must be able to tell apart, and remarks.
///
/// ```
/// use workbench_ground::stats::Estimate;
/// use workbench_ledger::{Evidence, Finding, Verdict};
/// let measured = Estimate::new(0.25, 0.249, 0.251, 400, 0.999)?;
/// let evidence = Evidence::of(Finding::equals("variance, as printed", 0.5, 0.01, measured))
///     .misprint(
///         "the factor is 1/4, not 1/2",
///         vec![Finding::equals("variance, corrected", 0.25, 0.01, measured)],
///     );
/// assert_eq!(evidence.verdict()?, Verdict::HoldsWithChange);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    pub(crate) printed: Vec<Finding>,
    pub(crate) corrections: Vec<Correction>,
    pub(crate) twins: Vec<Finding>,
    pub(crate) supports: Vec<Finding>,
    pub(crate) asides: Vec<Finding>,
    /// The claim in whose row an inherited fault is charged.
    pub(crate) see: String,
    /// What would settle it, where it stays open.
    pub(crate) settled: String,
    pub(crate) notes: Vec<String>,
    /// Why nothing is said about the claim, where nothing is.
    pub(crate) not_tested: Option<String>,
}

/// What has to change for a claim to hold, with what was found about the changed form.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Correction {
    pub(crate) kind: Option<Kind>,
    /// Whether it says what is true instead of the claim.
    pub(crate) denies: bool,
    pub(crate) change: String,
    pub(crate) findings: Vec<Finding>,
}

impl From<Finding> for Evidence {
    fn from(finding: Finding) -> Evidence {
        Evidence::of(finding)
    }
}

impl Evidence {
    /// Begins with the headline finding about the printed form.
    pub fn of(finding: Finding) -> Evidence {
        Evidence {
            printed: vec![finding],
            corrections: Vec::new(),
            twins: Vec::new(),
            supports: Vec::new(),
            asides: Vec::new(),
            see: String::new(),
            settled: String::new(),
            notes: Vec::new(),
            not_tested: None,
        }
    }

    /// Adds a finding about the printed form.
    pub fn and(mut self, finding: Finding) -> Evidence {
        self.printed.push(finding);
        self
    }

    /// Says which misprint has to be mended for the claim to hold (a symbol, an index, a factor, a sign, a number), with the findings
    /// on the mended form.
    pub fn misprint(self, change: impl Into<String>, findings: Vec<Finding>) -> Evidence {
        self.correct(Some(Kind::Misprint), change.into(), findings)
    }

    /// Says under which condition, one that the document nowhere states, the claim holds, with the findings under it.
    pub fn condition(self, change: impl Into<String>, findings: Vec<Finding>) -> Evidence {
        self.correct(Some(Kind::Condition), change.into(), findings)
    }

    /// Says which weaker form of the claim holds, with the findings on it.
    pub fn weaker(self, change: impl Into<String>, findings: Vec<Finding>) -> Evidence {
        self.correct(Some(Kind::Weaker), change.into(), findings)
    }

    /// Says what has to change for the claim to hold, and not which kind of change it is.
    pub fn corrected(self, change: impl Into<String>, findings: Vec<Finding>) -> Evidence {
        self.correct(None, change.into(), findings)
    }

    fn correct(mut self, kind: Option<Kind>, change: String, findings: Vec<Finding>) -> Evidence {
        self.corrections.push(Correction { kind, denies: false, change, findings });
        self
    }

    /// Adds a wrong twin: the same measurement against a prediction that is known to be wrong (sign
    /// flipped, factor dropped). The check has to contradict it: a twin that is supported, or left undecided, shows no power, and a
    /// verdict of "holds" becomes "inconclusive".
    pub fn twin(mut self, finding: Finding) -> Evidence {
        self.twins.push(finding);
        self
    }

    /// Adds a finding that the check itself stands on: a known answer that its estimator must meet, a rival that must be sound.
    /// Where it does not hold, the check says nothing, and every verdict becomes "inconclusive".
    pub fn support(mut self, finding: Finding) -> Evidence {
        self.supports.push(finding);
        self
    }

    /// Adds a remark, kept with the row.
    pub fn note(mut self, text: impl Into<String>) -> Evidence {
        self.notes.push(text.into());
        self
    }

    /// The verdict that the findings amount to.
    ///
    /// With $P$ the findings on the printed form, $C$ those on the correction, $T$ the wrong twins:
    ///
    /// - some finding that the check stands on does not support: *inconclusive*;
    /// - some $p\in P$ that is not [scaled down](Finding::scaled_down) contradicts: *fails*, unless $C\ne\emptyset$, all of $C$ support
    ///   and no $t\in T$ does; then *holds with stated change* if each $t\in T$ contradicts, else *inconclusive*;
    /// - where $C$ is about what is true instead, *fails* stands for *holds with stated change*;
    /// - all of $P$ support: *holds* if each $t\in T$ contradicts, else *inconclusive*;
    /// - otherwise *inconclusive*.
    ///
    /// # Errors
    /// [`Error::BadFinding`] from any finding (a correction or a twin included), for a correction
    /// without text or findings, and for a second correction.
    pub fn verdict(&self) -> Result<Verdict, Error> {
        let printed = outcomes(&self.printed)?;
        let twins = outcomes(&self.twins)?;
        let blind = twins.contains(&Outcome::Supports);
        let apart = twins.iter().all(|o| *o == Outcome::Contradicts);
        if let Some(second) = self.corrections.get(1) {
            return Err(Error::BadFinding {
                label: second.change.clone(),
                problem: "a second correction; a claim takes one, join them".to_string(),
            });
        }
        let (mut mended, mut repaired) = (false, Verdict::HoldsWithChange);
        if let Some(Correction { change, findings, denies, .. }) = self.corrections.first() {
            if *denies {
                repaired = Verdict::Fails;
            }
            let problem = match (change.trim().is_empty(), findings.is_empty()) {
                (true, _) => Some("the correction does not say what has to change"),
                (_, true) => Some("the correction has no findings; measure the changed form too"),
                _ => None,
            };
            if let Some(problem) = problem {
                return Err(Error::BadFinding { label: change.clone(), problem: problem.to_string() });
            }
            mended = outcomes(findings)?.iter().all(|o| *o == Outcome::Supports);
        }
        let stands = outcomes(&self.supports)?.iter().all(|o| *o == Outcome::Supports);
        Ok(if !stands {
            Verdict::Inconclusive
        } else if self.refutation(&printed).is_some() {
            match mended && !blind {
                true if apart => repaired,
                true => Verdict::Inconclusive,
                false => Verdict::Fails,
            }
        } else if printed.iter().all(|o| *o == Outcome::Supports) && apart {
            Verdict::Holds
        } else {
            Verdict::Inconclusive
        })
    }

    /// Whether what is said to be true instead was found to be.
    pub(crate) fn instead_holds(&self) -> Result<bool, Error> {
        let found =
            self.corrections.iter().flat_map(|c| &c.findings).map(Finding::outcome).collect::<Result<Vec<_>, _>>()?;
        Ok(found.iter().all(|o| *o == Outcome::Supports))
    }

    /// All findings, whatever they are about.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Finding> {
        let corrected = self.corrections.iter().flat_map(|c| &c.findings);
        self.printed.iter().chain(corrected).chain(&self.twins).chain(&self.supports).chain(&self.asides)
    }

    /// Which of the two kinds of open it is: against, where a finding on the printed form contradicts on a smaller system than the
    /// statement speaks of and the check stands; else undecided.
    pub(crate) fn open_kind(&self) -> Result<Kind, Error> {
        let stands = outcomes(&self.supports)?.iter().all(|o| *o == Outcome::Supports);
        let against = outcomes(&self.printed)?.contains(&Outcome::Contradicts);
        Ok(if stands && against { Kind::Against } else { Kind::Undecided })
    }

    /// What would settle it: what the check says, else what the deciding finding asks for.
    pub(crate) fn settling(&self) -> Result<String, Error> {
        if !self.settled.trim().is_empty() {
            return Ok(self.settled.clone());
        }
        let deciding = self.deciding()?;
        let measured = deciding.measured();
        let (half, gap) = (0.5 * (measured.high - measured.low), deciding.distance());
        Ok(match self.open_kind()? {
            Kind::Against => "the size that the document speaks of".to_string(),
            // However many runs: no interval lies within a single number.
            _ if half > 0.0 && deciding.is_exact() => format!(
                "a margin for \"{}\": an interval is never {}; name how far from it the statement could be and still be true",
                deciding.label(),
                words::expected(deciding)
            ),
            _ if half > 0.0 && gap > 0.0 => {
                let n = (measured.n as f64 * (half / gap).powi(2)).ceil();
                format!(
                    "an interval of half the width {} for \"{}\": some {n} in place of {}",
                    rounded(gap, 2),
                    deciding.label(),
                    measured.n
                )
            }
            _ => format!("a measurement that tells \"{}\" apart", deciding.label()),
        })
    }

    /// The first finding on the printed form that refutes it: it contradicts, at the size that the statement speaks of.
    fn refutation(&self, printed: &[Outcome]) -> Option<usize> {
        let refutes =
            |(finding, outcome): (&Finding, &Outcome)| *outcome == Outcome::Contradicts && !finding.is_scaled_down();
        self.printed.iter().zip(printed).position(refutes)
    }

    /// The finding that decides the verdict: one that the check stands on and that does not hold; else, on the printed form, the
    /// first that refutes, the first that contradicts at a smaller size, the first undecided; else a twin that is not told apart; else
    /// the headline.
    pub(crate) fn deciding(&self) -> Result<&Finding, Error> {
        let supports = outcomes(&self.supports)?;
        if let Some(at) = supports.iter().position(|o| *o != Outcome::Supports) {
            return Ok(&self.supports[at]);
        }
        let printed = outcomes(&self.printed)?;
        let at = |wanted| printed.iter().position(|o| *o == wanted);
        let against = self.refutation(&printed).or_else(|| at(Outcome::Contradicts));
        if let Some(index) = against.or_else(|| at(Outcome::Undecided)) {
            return Ok(&self.printed[index]);
        }
        let twins = outcomes(&self.twins)?;
        let passes = twins.iter().position(|o| *o != Outcome::Contradicts);
        Ok(passes.map_or(&self.printed[0], |at| &self.twins[at]))
    }
}

fn outcomes(findings: &[Finding]) -> Result<Vec<Outcome>, Error> {
    findings.iter().map(Finding::outcome).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::Estimate;

    fn half() -> Estimate {
        Estimate { value: 0.5, low: 0.49, high: 0.51, n: 100, confidence: 0.999 }
    }
    fn yes() -> Finding {
        Finding::equals("right", 0.5, 0.02, half())
    }
    fn no() -> Finding {
        Finding::equals("wrong factor", 1.0, 0.02, half())
    }
    fn open() -> Finding {
        Finding::at_most("too close", 0.5, half())
    }

    fn verdict(evidence: Evidence) -> Verdict {
        evidence.verdict().unwrap()
    }

    #[test]
    fn the_whole_table() {
        let fix = |findings: Vec<Finding>| ("drop the factor 2", findings);
        assert_eq!(verdict(Evidence::of(yes())), Verdict::Holds);
        assert_eq!(verdict(Evidence::of(yes()).and(yes())), Verdict::Holds);
        assert_eq!(verdict(Evidence::of(yes()).and(open())), Verdict::Inconclusive);
        assert_eq!(verdict(Evidence::of(yes()).and(no())), Verdict::Fails);
        assert_eq!(verdict(Evidence::of(open()).and(no())), Verdict::Fails);
        for (findings, expected) in [
            (vec![yes()], Verdict::HoldsWithChange),
            (vec![yes(), open()], Verdict::Fails),
            (vec![no()], Verdict::Fails),
        ] {
            let (text, findings) = fix(findings);
            assert_eq!(verdict(Evidence::of(no()).corrected(text, findings)), expected);
        }
        let (text, findings) = fix(vec![yes()]);
        assert_eq!(verdict(Evidence::of(yes()).corrected(text, findings.clone())), Verdict::Holds);
        assert_eq!(verdict(Evidence::of(open()).corrected(text, findings)), Verdict::Inconclusive);
    }

    #[test]
    fn an_interval_that_should_be_one_number_asks_for_a_margin_and_not_for_runs() {
        let settling = |finding| Evidence::of(finding).settling().unwrap();
        let narrow = settling(Finding::equals("half", 0.5, 0.005, half()));
        assert!(narrow.contains(": some 40") && narrow.ends_with("in place of 100"), "{narrow}");
        let exact = settling(Finding::equals("half", 0.5, 0.0, half()));
        assert!(exact.starts_with("a margin for \"half\"") && exact.contains("never exactly 0.5"), "{exact}");
    }

    #[test]
    fn a_scaled_down_comparison_against_a_claim_leaves_it_open_and_stays_a_finding() {
        let small = || no().scaled_down();
        assert_eq!(verdict(Evidence::of(small())), Verdict::Inconclusive);
        assert_eq!(verdict(Evidence::of(yes()).and(small()).twin(no())), Verdict::Inconclusive);
        assert_eq!(verdict(Evidence::of(small()).and(no())), Verdict::Fails);
        assert_eq!(verdict(Evidence::of(yes().scaled_down()).twin(no())), Verdict::Holds);
        assert_eq!(
            verdict(Evidence::of(small()).corrected("c", vec![yes()])),
            Verdict::Inconclusive,
            "what is not refuted needs no repair"
        );
        let deciding = |evidence: Evidence| evidence.deciding().unwrap().is_scaled_down();
        assert!(deciding(Evidence::of(open()).and(small())));
        assert!(!deciding(Evidence::of(small()).and(no())));
    }

    #[test]
    fn a_check_that_its_twin_passes_cannot_hold() {
        assert_eq!(verdict(Evidence::of(yes()).twin(no())), Verdict::Holds);
        assert_eq!(verdict(Evidence::of(yes()).twin(open())), Verdict::Inconclusive);
        let mended = Evidence::of(no()).corrected("c", vec![yes()]);
        assert_eq!(verdict(mended.clone().twin(no())), Verdict::HoldsWithChange);
        assert_eq!(verdict(mended.twin(no()).twin(open())), Verdict::Inconclusive);
        let blind = Finding::equals("twin", 0.52, 0.05, half());
        assert_eq!(verdict(Evidence::of(yes()).twin(blind.clone())), Verdict::Inconclusive);
        assert_eq!(verdict(Evidence::of(no()).corrected("c", vec![yes()]).twin(blind)), Verdict::Fails);
    }

    #[test]
    fn bad_evidence_is_refused_wherever_it_hides() {
        let nan = || Finding::identity("nan", f64::NAN, 1e-9);
        for evidence in [
            Evidence::of(nan()),
            Evidence::of(yes()).and(nan()),
            Evidence::of(yes()).twin(nan()),
            Evidence::of(no()).corrected("c", vec![yes(), nan()]),
            Evidence::of(no()).corrected("c", vec![]),
            Evidence::of(no()).corrected(" ", vec![yes()]),
            Evidence::of(no()).corrected("c", vec![yes()]).corrected("d", vec![yes()]),
        ] {
            assert!(matches!(evidence.verdict(), Err(Error::BadFinding { .. })), "{evidence:?}");
        }
    }

    #[test]
    fn the_deciding_finding_is_the_worst_one() {
        let label = |evidence: Evidence| evidence.deciding().unwrap().label().to_string();
        assert_eq!(label(Evidence::of(yes()).and(open())), "too close");
        assert_eq!(label(Evidence::of(open()).and(yes()).and(no())), "wrong factor");
        assert_eq!(label(Evidence::of(yes()).twin(no())), "right");
        assert_eq!(label(Evidence::of(yes()).twin(no()).twin(open())), "too close");
    }
}
