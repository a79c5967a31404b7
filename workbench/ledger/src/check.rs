//! Check: a computation that speaks about one claim, with all that is fixed before it runs.

use std::fmt;

use workbench_display::{Figure, Table, emit};

use super::Error;
use super::card::VerdictCard;
use super::evidence::Evidence;
use super::known::known_answers;
use super::margin::Margin;
use super::session::Ledger;
use super::setting::Setting;
use super::sheet::{Done, Knob, Sheet, Value};

/// Why a check came to no end: any error of what it computes with.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A check: what is fixed before it runs, and what runs.
///
/// It stands at the head of its file as data, so that nobody has to take the check's word for it:
///
/// ```
/// use workbench_ledger::{Check, Done, Margin, Sheet};
///
/// pub const CHECK: Check = Check {
///     claim: "memory/eq-1",
///     metric: "largest difference of an entry",
///     against: "an entry that differs",
///     protocol: &["d = 5"],
///     run,
///     ..Check::DEFAULT
/// };
///
/// fn run(s: &Sheet) -> Done {
///     let d = s.knob("width d", 5, 1..)?;
///     s.printed(Margin::ZERO).over(d, "entries").same("entries of W", 0.0);
///     Ok(())
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Check {
    /// The claim's id in the registry; for a claim of one's own one word.
    pub claim: &'static str,
    /// What is claimed, in a sentence: for a claim of one's own. The registry says it of its own claims.
    pub says: &'static str,
    /// What is compared, and in which measure.
    pub metric: &'static str,
    /// What would count against the claim.
    pub against: &'static str,
    /// The document's own setting, as it is run here.
    pub protocol: &'static [&'static str],
    /// What the document leaves open, as it was chosen here: sizes, counts, grids.
    pub choices: &'static [&'static str],
    /// Where the check departs from it, each with its reason.
    pub departures: &'static [&'static str],
    /// What the claim is compared with, and what that is given.
    pub rivals: &'static [&'static str],
    /// What would settle it, where it stays open: which number, at which size.
    pub settled: &'static str,
    /// Computes, and states what it finds on the sheet.
    pub run: fn(&Sheet) -> Done,
}

impl Check {
    /// A check without anything, for `..Check::DEFAULT`.
    pub const DEFAULT: Check = Check {
        claim: "",
        says: "",
        metric: "",
        against: "",
        protocol: &[],
        choices: &[],
        departures: &[],
        rivals: &[],
        settled: "",
        run: |_| Ok(()),
    };

    /// The check with a knob turned, as `CHECK.with("layers L", 5)`: its result is shown and stays out of the record.
    #[must_use]
    pub fn with(self, knob: &str, value: impl Into<Value>) -> Turned {
        Turned::from(self).with(knob, value)
    }

    /// Runs it and gives what it found.
    ///
    /// # Errors
    /// Whatever its computations return, or a statement that cannot be.
    pub fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        Ok(Turned::from(*self).found(setting)?.0)
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "check of {}", self.claim)
    }
}

/// A check with knobs turned.
pub struct Turned {
    check: Check,
    knobs: Vec<(String, Value)>,
}

impl From<Check> for Turned {
    fn from(check: Check) -> Turned {
        Turned { check, knobs: Vec::new() }
    }
}

impl Turned {
    /// One more knob turned.
    #[must_use]
    pub fn with(mut self, knob: &str, value: impl Into<Value>) -> Turned {
        self.knobs.push((knob.to_string(), value.into()));
        self
    }

    fn found(&self, setting: &Setting) -> Result<(Checked, Vec<Knob>), Error> {
        let sheet = Sheet::new(setting.clone(), self.knobs.clone());
        let failed = |cause: Failure| match cause.downcast::<Error>() {
            Ok(known) => *known,
            Err(cause) => Error::CheckFailed { claim: self.check.claim.to_string(), cause },
        };
        (self.check.run)(&sheet).map_err(failed)?;
        let (mut checked, knobs) = sheet.read()?;
        checked.evidence.settled = self.check.settled.to_string();
        Ok((checked, knobs))
    }
}

/// What a check computed: the evidence, and what a notebook shows beside the card.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Findings, twins and remarks.
    pub evidence: Evidence,
    /// Tables, in order.
    pub tables: Vec<Table>,
    /// Figures, in order.
    pub figures: Vec<Figure>,
}

/// What was fixed before a check ran, as its card shows it.
#[derive(Clone, Debug)]
pub(crate) struct Fixed {
    pub(crate) check: Check,
    /// The file of the check, below the project's root; empty for a check in a cell.
    pub(crate) file: String,
    /// The margins that its findings use, each once.
    pub(crate) margins: Vec<Margin>,
    pub(crate) knobs: Vec<Knob>,
}

impl Ledger {
    /// Runs a check with the scale and seed of this session and records what it found. With a knob turned the verdict is shown and
    /// not written down.
    ///
    /// # Errors
    /// [`Error::CheckFailed`] with the error of its computation, [`Error::BadFinding`] for a statement that cannot be,
    /// [`Error::Knob`], else as [`Ledger::record`].
    pub fn check(&self, check: impl Into<Turned>) -> Result<CheckCard, Error> {
        let turned = check.into();
        let claim = turned.check.claim;
        let registry = self.registry();
        let file = registry.checks().of(claim);
        let file = file.map_or_else(String::new, |check| check.file.to_string_lossy().replace('\\', "/"));
        self.judged(&turned, file, |evidence, recorded| match recorded {
            true => self.record_evidence(claim, evidence),
            false => self.preview_evidence(claim, evidence),
        })
    }

    /// Runs a check of a claim of one's own ([`Check::says`]) with the scale and seed of this session, and keeps what it found as
    /// [`Ledger::claim`] does. With a knob turned the verdict is shown and not written down.
    ///
    /// # Errors
    /// As [`Ledger::check`] and [`Ledger::claim`].
    pub fn own(&self, check: impl Into<Turned>) -> Result<CheckCard, Error> {
        let turned = check.into();
        let (id, says) = (turned.check.claim, turned.check.says);
        self.judged(&turned, String::new(), |evidence, recorded| match recorded {
            true => self.own_claim(id, says, evidence),
            false => self.decide_and_show(&self.stated(id, says)?, evidence),
        })
    }

    fn judged(
        &self,
        turned: &Turned,
        file: String,
        judge: impl FnOnce(&Evidence, bool) -> Result<VerdictCard, Error>,
    ) -> Result<CheckCard, Error> {
        // Nothing is judged by estimators that do not give known answers.
        known_answers()
            .map_err(|cause| Error::CheckFailed { claim: turned.check.claim.to_string(), cause: Box::new(cause) })?;
        let (Checked { evidence, tables, figures }, knobs) = turned.found(&self.setting())?;
        let card = judge(&evidence, turned.knobs.is_empty())?;
        let mut margins: Vec<Margin> = Vec::new();
        for margin in evidence.all().filter_map(|finding| finding.allowance().margin()) {
            if !margins.contains(&margin) {
                margins.push(margin);
            }
        }
        let card = card.with_fixed(Fixed { check: turned.check, file, margins, knobs });
        Ok(CheckCard { card, tables, figures, folded: false })
    }
}

/// What a check shows: its card, then its tables and figures.
#[derive(Clone, Debug)]
pub struct CheckCard {
    card: VerdictCard,
    tables: Vec<Table>,
    figures: Vec<Figure>,
    folded: bool,
}

impl CheckCard {
    /// The card.
    pub fn card(&self) -> &VerdictCard {
        &self.card
    }

    /// The same with its figures behind a line that opens them: they repeat what the notebook has just drawn, or nobody needs them to
    /// follow.
    pub fn folded(mut self) -> CheckCard {
        self.folded = true;
        self
    }

    /// Called by notebook kernels on the last expression of a cell.
    pub fn evcxr_display(&self) {
        self.card.evcxr_display();
        self.tables.iter().for_each(Table::evcxr_display);
        for figure in &self.figures {
            match self.folded.then(|| figure.folded("the figure of the check")) {
                Some(Ok(bundle)) => emit(&bundle),
                // What cannot be drawn says so itself.
                Some(Err(_)) | None => figure.evcxr_display(),
            }
        }
    }
}
