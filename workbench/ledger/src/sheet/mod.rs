//! Sheet of a check: findings are stated on it where they are computed, each once.
//!
//! A statement names its role, its margin and what it compares:
//!
//! ```
//! use workbench_ledger::{Done, Margin, Sheet};
//! const ROUNDING: Margin = Margin::rounding("rounding", 1e-12, "a few sums of numbers of order one");
//! fn run(s: &Sheet) -> Done {
//!     let mut stream = s.stream("angles")?;
//!     for _ in s.cases("angles", 5, 20)? {
//!         let t: f64 = stream.uniform();
//!         s.printed(ROUNDING).same("cos² + sin² minus one", (t.cos().powi(2) + t.sin().powi(2) - 1.0).abs());
//!         s.twin(ROUNDING).same("cos² − sin² minus one", (t.cos().powi(2) - t.sin().powi(2) - 1.0).abs());
//!     }
//!     Ok(())
//! }
//! ```
//!
//! The same words in several cases are one finding: the worst case for what is claimed, the mildest for a wrong twin. How many cases
//! there were is counted, and they are called what [`Sheet::cases`] or [`Sheet::each`] call them.

mod cases;
mod knobs;
mod says;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Deref;

use workbench_display::{Figure, Table};
use workbench_record::Kind;

pub use cases::Cases;
pub use knobs::{Knob, Turn, Value};
pub use says::Says;

use super::check::{Checked, Failure};
use super::evidence::{Correction, Evidence};
use super::finding::Finding;
use super::setting::Setting;
use super::{Error, margin::Margin};
use cases::Place;
use says::{Role, Stated};

/// How a check ends: what it found stands on its sheet.
pub type Done = Result<(), Failure>;

/// What a check is given, and what it writes on. It is a [`Setting`] too: scale, streams and what checks share.
pub struct Sheet {
    setting: Setting,
    turned: Vec<(String, Value)>,
    state: RefCell<State>,
}

/// What stands on it.
#[derive(Default)]
struct State {
    stated: Vec<Stated>,
    /// What has to change, and of which kind it is; none where it says what is true instead.
    changes: Vec<(Option<Kind>, String)>,
    see: String,
    notes: Vec<String>,
    not_tested: Option<String>,
    tables: Vec<Table>,
    figures: Vec<Figure>,
    knobs: Vec<Knob>,
    place: Place,
    /// Cases so far: each has a number of its own.
    cases: u64,
    /// Whether there was a case, of those that the check goes through, by what they are called.
    entered: BTreeMap<String, bool>,
    /// The first statement that cannot be.
    problem: Option<Error>,
}

impl Deref for Sheet {
    type Target = Setting;

    fn deref(&self) -> &Setting {
        &self.setting
    }
}

impl Sheet {
    /// An empty sheet; `turned` are the knobs that a reader turned.
    pub(crate) fn new(setting: Setting, turned: Vec<(String, Value)>) -> Sheet {
        Sheet { setting, turned, state: RefCell::default() }
    }

    /// States a finding about the claim as printed; the first is the headline. The margin is the tolerance or the bound.
    pub fn printed(&self, margin: Margin) -> Says<'_> {
        Says::new(self, Role::Printed, margin)
    }

    /// States a finding about the claim with the change that [`Sheet::misprint`], [`Sheet::condition`] or [`Sheet::weaker`] names.
    pub fn changed(&self, margin: Margin) -> Says<'_> {
        Says::new(self, Role::Changed, margin)
    }

    /// States a finding about the claim as printed that the changed form shares.
    pub fn both_forms(&self, margin: Margin) -> Says<'_> {
        Says::new(self, Role::Both, margin)
    }

    /// States a finding about a wrong twin (sign flipped, factor dropped), which the check has to contradict.
    pub fn twin(&self, margin: Margin) -> Says<'_> {
        Says::new(self, Role::Twin, margin)
    }

    /// States a finding that the check itself stands on: a known answer, a rival that must be sound. Where it does not hold, the check
    /// decides nothing.
    pub fn support(&self, margin: Margin) -> Says<'_> {
        Says::new(self, Role::Support, margin)
    }

    /// States a finding that is shown beside the others and judges nothing: by a threshold of ours, or about a question that the claim
    /// does not ask.
    pub fn aside(&self, margin: Margin) -> Says<'_> {
        Says::new(self, Role::Aside, margin)
    }

    /// Says which misprint has to be mended for the claim to hold: a symbol, an index, a factor, a sign, a number.
    pub fn misprint(&self, change: impl Into<String>) {
        self.change(Some(Kind::Misprint), change.into());
    }

    /// Says under which condition, one that the document nowhere states, the claim holds.
    pub fn condition(&self, change: impl Into<String>) {
        self.change(Some(Kind::Condition), change.into());
    }

    /// Says which weaker form of the claim holds.
    pub fn weaker(&self, change: impl Into<String>) {
        self.change(Some(Kind::Weaker), change.into());
    }

    /// Says which link of a proof is wrong, and which other one leads to the same end.
    pub fn step(&self, change: impl Into<String>) {
        self.change(Some(Kind::Step), change.into());
    }

    /// Says what is true instead, of a claim that fails: a repair that denies it, or the half of it that a reader would quote.
    pub fn instead(&self, change: impl Into<String>) {
        self.change(None, change.into());
    }

    /// Says that this claim inherits a fault that is charged in the row of another, and that it is judged with that fault mended.
    pub fn see(&self, claim: impl Into<String>) {
        self.state.borrow_mut().see = claim.into();
    }

    /// Says what is random and is kept in a file, so that every seed sees the same draw of it.
    pub fn shared_draw(&self, what: &str) {
        self.note(format!("One draw for every seed: {what}"));
    }

    fn change(&self, kind: Option<Kind>, change: String) {
        self.state.borrow_mut().changes.push((kind, change));
    }

    /// Adds a remark, kept with the row; one that is there already is not said again.
    pub fn note(&self, text: impl Into<String>) {
        let (text, notes) = (text.into(), &mut self.state.borrow_mut().notes);
        if !notes.contains(&text) {
            notes.push(text);
        }
    }

    /// Says that the claim is not tested, and why; nothing else may then be stated about it.
    pub fn not_tested(&self, reason: impl Into<String>) {
        self.state.borrow_mut().not_tested = Some(reason.into());
    }

    /// Adds a table to what a notebook shows below the card.
    pub fn table(&self, table: Table) {
        self.state.borrow_mut().tables.push(table);
    }

    /// Adds a figure to what a notebook shows below the card.
    pub fn figure(&self, figure: Figure) {
        self.state.borrow_mut().figures.push(figure);
    }

    /// What stands on it, with the knobs that were asked for.
    pub(crate) fn read(self) -> Result<(Checked, Vec<Knob>), Error> {
        knobs::all_known(&self.turned, &self.state.borrow().knobs)?;
        let State { stated, changes, see, notes, not_tested, tables, figures, knobs, entered, problem, .. } =
            self.state.into_inner();
        if let Some(problem) = problem {
            return Err(problem);
        }
        if let Some((unit, _)) = entered.iter().find(|(_, any)| !**any) {
            return Err(Error::BadFinding {
                label: format!("cases \"{unit}\""),
                problem: "there is none, so what is stated of them is missing; give the check at least one".to_string(),
            });
        }
        let of = |roles: &[Role]| -> Vec<Finding> {
            stated.iter().filter(|one| roles.contains(&one.role)).map(|one| one.finding.clone()).collect()
        };
        let mended = of(&[Role::Changed, Role::Both]);
        let corrections: Vec<Correction> = changes
            .into_iter()
            .map(|(kind, change)| Correction { denies: kind.is_none(), kind, change, findings: mended.clone() })
            .collect();
        let nowhere =
            stated.iter().find(|one| corrections.is_empty() && matches!(one.role, Role::Changed | Role::Both));
        let unnamed =
            |label: &str, problem: &str| Error::BadFinding { label: label.to_string(), problem: problem.to_string() };
        if let Some(one) = nowhere {
            let problem = "it is about a changed form, and nothing says what is changed; say s.misprint(..), s.condition(..), s.weaker(..), s.step(..) or s.instead(..)";
            return Err(unnamed(one.finding.label(), problem));
        }
        let printed = of(&[Role::Printed, Role::Both]);
        if let Some(reason) = &not_tested
            && (reason.trim().is_empty() || !stated.is_empty())
        {
            let problem = "it has a reason and no findings: say what is missing, or take s.not_tested(..) away";
            return Err(unnamed("not tested", problem));
        }
        if printed.is_empty() && not_tested.is_none() {
            return Err(unnamed(
                "claim as printed",
                "the check states nothing about it; say s.printed(MARGIN).equals(..), .at_most(..) or .same(..)",
            ));
        }
        let new = |finding: &Finding| {
            !printed.iter().any(|old| old.compares_alike(finding) && old.measured() == finding.measured())
        };
        if !corrections.is_empty() && !of(&[Role::Changed]).iter().any(new) {
            return Err(unnamed(
                &corrections[0].change,
                "a repair is supported by numbers that the printed form did not have; compute the changed form and say s.changed(MARGIN)",
            ));
        }
        let evidence = Evidence {
            printed,
            corrections,
            twins: of(&[Role::Twin]),
            supports: of(&[Role::Support]),
            asides: of(&[Role::Aside]),
            see,
            settled: String::new(),
            notes,
            not_tested,
        };
        Ok((Checked { evidence, tables, figures }, knobs))
    }
}

#[cfg(test)]
mod tests;
