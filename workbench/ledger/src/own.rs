//! Claims of one's own: stated, checked and shown as those of the registry, and kept apart from the record.

use workbench_record::{Claim, Store};

use super::Error;
use super::card::VerdictCard;
use super::entry::one_line;
use super::evidence::Evidence;
use super::session::Ledger;

impl Ledger {
    /// States a claim of one's own and records what the evidence says about it. Its id is `NAME/id` with the ledger's name; it is
    /// kept in `scratch` in the results folder and never enters the record.
    ///
    /// # Errors
    /// [`Error::OwnClaim`] for an id that is empty, has blanks, or is one of the registry's, and an empty statement; else as
    /// [`Ledger::record`].
    pub fn claim(&self, id: &str, says: &str, evidence: impl Into<Evidence>) -> Result<VerdictCard, Error> {
        self.own_claim(id, says, &evidence.into())
    }

    pub(crate) fn own_claim(&self, id: &str, says: &str, evidence: &Evidence) -> Result<VerdictCard, Error> {
        let claim = self.stated(id, says)?;
        let store = Store::new(self.settings().results.join("scratch"));
        self.decide_and_write(&claim, evidence, &store)
    }

    pub(crate) fn stated(&self, id: &str, says: &str) -> Result<Claim, Error> {
        let refuse = |problem| Err(Error::OwnClaim { id: id.to_string(), problem });
        if id.is_empty() || id.contains(|c: char| c.is_whitespace() || c == '/') {
            return refuse("it is a word without blanks and slashes, as in ledger.claim(\"variance\", ..)");
        }
        if says.trim().is_empty() {
            return refuse("the statement is empty; say in a sentence what is claimed");
        }
        let name = format!("{}/{id}", self.notebook());
        if self.registry().position(&name).is_some() {
            return refuse("the registry has a claim of that id; record that one, or choose another id");
        }
        Ok(Claim {
            id: name,
            paper: self.notebook(),
            place: "a claim of one's own".to_string(),
            kind: "own".to_string(),
            says: one_line(says),
            setup: String::new(),
            check: String::new(),
            reach: String::new(),
            notebook: self.notebook(),
            uses: Vec::new(),
            open: String::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Check;
    use crate::margin::Margin;
    use crate::settings::Settings;
    use workbench_record::Verdict;

    const CLOSE: Margin = Margin::statistical("close", 0.1, "what forty thousand draws resolve");

    const HALF: Check = Check {
        claim: "half",
        says: "A draw is small.",
        metric: "distance",
        against: "a distance above the margin",
        run: |s| {
            let size = s.knob("size", 0.01, 0.0..)?;
            s.printed(CLOSE).same("drawn", size * s.stream("x")?.uniform());
            Ok(())
        },
        ..Check::DEFAULT
    };

    #[test]
    fn what_is_not_tested_is_written_down_with_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::scratch_with("mine", Settings::new(folder.path())).unwrap();
        let open = Check {
            run: |s| {
                s.not_tested("it is not\nwritten yet");
                Ok(())
            },
            ..HALF
        };
        let shown = ledger.own(open).unwrap();
        assert_eq!(shown.card().verdict(), Verdict::NotTested);
        assert_eq!(shown.card().row().note, "it is not written yet");
    }

    #[test]
    fn a_check_of_ones_own_is_kept_beside_the_record_and_a_turned_knob_is_a_preview() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::scratch_with("mine", Settings::new(folder.path())).unwrap();
        let card = ledger.own(HALF).unwrap();
        assert_eq!(card.card().verdict(), Verdict::Holds);
        assert_eq!(card.card().row().claim, "mine/half");
        assert!(card.card().html().contains("knob: size = 0.01"));
        let kept = || workbench_record::Tables::read(&ledger.settings().results.join("scratch")).unwrap().rows.len();
        assert_eq!(kept(), 1);
        let other = ledger.own(HALF.with("size", 1e9)).unwrap();
        assert_eq!(other.card().verdict(), Verdict::Fails);
        assert!(other.card().html().contains("size = 1000000000 (0.01 in the record)"), "{}", other.card().html());
        assert_eq!(kept(), 1, "what a reader turned is shown and not written down");
    }
}
