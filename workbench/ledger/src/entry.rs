//! From evidence to what is written down: the verdict, its findings, its remarks.

use workbench_record::{Entry, FindingLine, Note, Role, Row, Verdict};

use super::Error;
use super::evidence::Evidence;
use super::finding::Finding;

/// Fills verdict, numbers and texts of a blank row from evidence, and puts its findings and remarks beside it.
pub(crate) fn decide(mut row: Row, evidence: &Evidence) -> Result<Entry, Error> {
    if let Some(reason) = &evidence.not_tested {
        row.note = one_line(reason);
        return Ok(Entry { row, findings: Vec::new(), notes: Vec::new() });
    }
    row.verdict = evidence.verdict()?;
    let deciding = evidence.deciding()?;
    let measured = deciding.measured();
    row.expected = deciding.expected_text();
    row.measured = Some(measured.value);
    row.low = Some(measured.low);
    row.high = Some(measured.high);
    row.n = Some(measured.n);
    row.finding = deciding.label().to_string();
    let corrected = match evidence.corrections.first() {
        Some(correction) => {
            row.change = one_line(&correction.change);
            // What would be true instead, and is not found to be, is no part of the row.
            if correction.denies && !evidence.instead_holds()? {
                row.change.clear();
            }
            row.kind = correction.kind.filter(|_| row.verdict == Verdict::HoldsWithChange);
            correction.findings.as_slice()
        }
        None => &[],
    };
    row.see = evidence.see.clone();
    if row.verdict == Verdict::Inconclusive {
        row.kind = Some(evidence.open_kind()?);
        row.settled = one_line(&evidence.settling()?);
    }
    let mut findings: Vec<FindingLine> = Vec::new();
    let mut add = |role, of: &[Finding]| -> Result<(), Error> {
        for finding in of {
            findings.push(finding.line(role, &row)?);
        }
        Ok(())
    };
    add(Role::Printed, &evidence.printed)?;
    add(Role::Corrected, corrected)?;
    add(Role::Twin, &evidence.twins)?;
    add(Role::Support, &evidence.supports)?;
    add(Role::Aside, &evidence.asides)?;
    let notes = evidence.notes.iter().enumerate().map(|(place, text)| Note {
        claim: row.claim.clone(),
        scale: row.scale,
        seed: row.seed,
        place: place as u64 + 1,
        text: one_line(text),
    });
    Ok(Entry { notes: notes.collect(), findings, row })
}

/// Runs of white space become one space, so that a text stays on one line of a file.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use workbench_ground::stats::Estimate;
    use workbench_record::{Kind, Outcome, Scale};

    /// A row of a claim, for tests.
    pub(crate) fn blank(claim: &str, scale: Scale) -> Row {
        Row {
            seconds: 0.25,
            notebook: "memory-model".to_string(),
            cell: "c1".to_string(),
            note: "no reason".to_string(),
            ..Row::blank(claim, scale, 1)
        }
    }

    fn quarter() -> Estimate {
        Estimate { value: 0.25, low: 0.24, high: 0.26, n: 9, confidence: 0.999 }
    }

    #[test]
    fn both_numbers_of_a_correction_are_findings_of_their_own() {
        let evidence = Evidence::of(Finding::equals("printed,\n form", 0.5, 0.02, quarter()).unit("prompts"))
            .and(Finding::at_least("also", 0.1, quarter()))
            .corrected("a factor 1/2 is missing", vec![Finding::near("mended", 0.25, 0.0, quarter())])
            .twin(Finding::at_least("flipped", 0.5, quarter()))
            .support(Finding::identity("known answer", 1e-13, 1e-12))
            .note("one; with a semicolon")
            .note("two");
        let Entry { row, findings, notes } = decide(blank("memory/rate", Scale::Quick), &evidence).unwrap();
        assert_eq!(row.verdict, Verdict::HoldsWithChange);
        assert_eq!((row.expected.as_str(), row.finding.as_str()), ("0.5 ± 0.02", "printed, form"));
        assert_eq!(row.change, "a factor 1/2 is missing");
        let roles: Vec<Role> = findings.iter().map(|line| line.role).collect();
        assert_eq!(roles, [Role::Printed, Role::Printed, Role::Corrected, Role::Twin, Role::Support]);
        let bounds: Vec<_> = findings.iter().map(|l| (l.expected_low, l.expected_high)).collect();
        assert_eq!(
            bounds,
            [
                (Some(0.48), Some(0.52)),
                (Some(0.1), None),
                (Some(0.25), Some(0.25)),
                (Some(0.5), None),
                (None, Some(1e-12))
            ]
        );
        assert_eq!((findings[0].unit.as_str(), findings[0].n), ("prompts", 9));
        assert_eq!(findings[0].outcome, Outcome::Contradicts);
        let texts: Vec<&str> = notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(texts, ["one; with a semicolon", "two"]);
        assert_eq!(notes[1].place, 2);
    }

    #[test]
    fn what_is_open_is_of_two_kinds_and_says_what_would_settle_it() {
        let small = Evidence::of(Finding::at_least("gain", 0.5, quarter()).scaled_down());
        let row = decide(blank("memory/rate", Scale::Quick), &small).unwrap().row;
        assert_eq!((row.verdict, row.kind), (Verdict::Inconclusive, Some(Kind::Against)));
        assert_eq!(row.settled, "the size that the document speaks of");
        let wide = Evidence::of(Finding::at_least("gain", 0.245, quarter()));
        let row = decide(blank("memory/rate", Scale::Quick), &wide).unwrap().row;
        assert_eq!((row.verdict, row.kind), (Verdict::Inconclusive, Some(Kind::Undecided)));
        assert_eq!(row.settled, "an interval of half the width 0.005 for \"gain\": some 36 in place of 9");
        let told = Evidence { settled: "twelve trainings".into(), see: "m/a".into(), ..wide };
        let row = decide(blank("memory/rate", Scale::Quick), &told).unwrap().row;
        assert_eq!((row.settled.as_str(), row.see.as_str()), ("twelve trainings", "m/a"));
    }

    #[test]
    fn a_check_whose_footing_gives_way_decides_nothing() {
        let sound = Evidence::of(Finding::equals("slope", 0.25, 0.02, quarter()));
        let blank = || blank("memory/rate", Scale::Quick);
        assert_eq!(decide(blank(), &sound).unwrap().row.verdict, Verdict::Holds);
        let shaken = sound.support(Finding::identity("known answer", 1.0, 1e-12));
        let row = decide(blank(), &shaken).unwrap().row;
        assert_eq!((row.verdict, row.finding.as_str()), (Verdict::Inconclusive, "known answer"));
        let refuted = Evidence::of(Finding::equals("slope", 1.0, 0.02, quarter())).support(Finding::identity(
            "known answer",
            1.0,
            1e-12,
        ));
        assert_eq!(decide(blank(), &refuted).unwrap().row.verdict, Verdict::Inconclusive);
    }
}
