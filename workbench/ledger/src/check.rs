//! A check: a computation that speaks about one claim, with all that is fixed before it runs.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use workbench_display::{Figure, Table};
use workbench_ground::stats::{Stream, Streams};
use workbench_record::Scale;

use super::card::VerdictCard;
use super::evidence::Evidence;
use super::finding::Finding;
use super::known::known_answers;
use super::session::Ledger;
use super::shared::shared;
use super::swept::{Sourced, Sweeps, Swept};
use super::{Error, margin::Margin};

/// Why a check came to no end: any error of what it computes with.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What is fixed about a check before it runs.
///
/// It stands at the head of the check's file as data, so that nobody has to take the check's word for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// What is compared, and in which measure.
    pub metric: &'static str,
    /// What would count against the claim.
    pub against: &'static str,
    /// The document's setting, as it is run here.
    pub protocol: &'static [&'static str],
    /// Where the check departs from it, each with its reason.
    pub departures: &'static [&'static str],
    /// What the claim is compared with, and what that is given.
    pub rivals: &'static [&'static str],
    /// What findings may use as tolerances and bounds.
    pub margins: &'static [Margin],
}

impl Plan {
    /// A plan with what every check has; the lists are added by name.
    pub const fn new(metric: &'static str, against: &'static str, margins: &'static [Margin]) -> Plan {
        Plan { metric, against, protocol: &[], departures: &[], rivals: &[], margins }
    }

    /// Adds the document's setting.
    pub const fn protocol(self, protocol: &'static [&'static str]) -> Plan {
        Plan { protocol, ..self }
    }

    /// Adds departures from the document's setting.
    pub const fn departures(self, departures: &'static [&'static str]) -> Plan {
        Plan { departures, ..self }
    }

    /// Adds rivals.
    pub const fn rivals(self, rivals: &'static [&'static str]) -> Plan {
        Plan { rivals, ..self }
    }

    /// What was computed for a claim, if it was computed and the plan admits all its findings.
    pub(crate) fn admitted(&self, claim: &str, checked: Result<Checked, Failure>) -> Result<Checked, Error> {
        let checked = checked.map_err(|cause| Error::CheckFailed { claim: claim.to_string(), cause })?;
        checked.evidence.all().try_for_each(|finding| self.admits(finding))?;
        Ok(checked)
    }

    /// Refuses a finding whose tolerance or bound is none of the declared margins. Zero needs no margin.
    fn admits(&self, finding: &Finding) -> Result<(), Error> {
        let allowed = finding.allowance();
        if allowed.value == 0.0 || self.margins.iter().any(|margin| allowed == (*margin).into()) {
            return Ok(());
        }
        Err(Error::BadFinding {
            label: finding.label().to_string(),
            problem: format!(
                "its tolerance or bound {} is no margin that the check's plan declares; declare it there with its reason",
                allowed.value
            ),
        })
    }
}

/// Where a check runs: how much it computes, its random streams, and the results of sweeps that it may take in place of computing.
#[derive(Clone, Debug)]
pub struct Setting {
    scale: Scale,
    streams: Streams,
    sweeps: Option<Arc<dyn Sweeps>>,
}

impl Setting {
    /// A setting of its own: a check that runs twice draws the same numbers twice.
    pub fn new(scale: Scale, seed: u64) -> Setting {
        Setting { scale, streams: Streams::new(seed), sweeps: None }
    }

    /// The same with results of sweeps, which checks may take in place of computing.
    #[must_use]
    pub fn with_sweeps(self, sweeps: Arc<dyn Sweeps>) -> Setting {
        Setting { sweeps: Some(sweeps), ..self }
    }

    /// How much is computed.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// The random streams.
    pub fn streams(&self) -> &Streams {
        &self.streams
    }

    /// The random stream of this name.
    ///
    /// # Errors
    /// As [`Streams::stream`]: a name used twice.
    pub fn stream(&self, name: &str) -> Result<Stream, Failure> {
        Ok(self.streams.stream(name)?)
    }

    /// What several checks compute alike: the first that asks computes it, with streams of its own, and it is kept as long as the
    /// process lives. The name tells it from others of its type, so it holds whatever parameters a reader may turn.
    ///
    /// # Errors
    /// Whatever the computation returns; it is then not kept.
    pub fn shared<T: Any + Send + Sync>(
        &self,
        name: &str,
        compute: impl FnOnce(&Setting) -> Result<T, Failure>,
    ) -> Result<Arc<T>, Failure> {
        let seed = self.streams.seed();
        let mut own = Setting::new(self.scale, seed);
        own.sweeps.clone_from(&self.sweeps);
        match &self.sweeps {
            None => shared(self.scale, seed, name, || compute(&own)),
            Some(sweeps) => shared(self.scale, seed, &format!("{name}, {sweeps:?}"), || compute(&own)),
        }
    }

    /// As [`Setting::shared`], of what a sweep may have computed: `take` finds it in the sweep's rows, or says what is not there. Without
    /// sweeps, or where this one is missing, stale or holds less, it is computed, and [`Sourced::noted`] says so.
    ///
    /// # Errors
    /// Whatever the computation returns; it is then not kept.
    pub fn swept<T: Any + Send + Sync>(
        &self,
        name: &str,
        sweep: &str,
        take: impl FnOnce(&Swept) -> Result<T, String>,
        compute: impl FnOnce(&Setting) -> Result<T, Failure>,
    ) -> Result<Arc<Sourced<T>>, Failure> {
        self.shared(name, |own| {
            let Some(sweeps) = &own.sweeps else {
                return Ok(Sourced::computed(compute(own)?));
            };
            let why = match sweeps.result(sweep, own.scale, own.streams.seed()) {
                Ok(rows) => match take(&rows) {
                    Ok(value) => return Ok(Sourced::taken(value, &rows)),
                    Err(why) => format!("sweep missing: {why}"),
                },
                Err(sentence) => sentence,
            };
            Ok(Sourced::in_spite_of(compute(own)?, why))
        })
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

impl From<Evidence> for Checked {
    fn from(evidence: Evidence) -> Checked {
        Checked { evidence, tables: Vec::new(), figures: Vec::new() }
    }
}

impl Checked {
    /// Adds a table.
    pub fn table(mut self, table: Table) -> Checked {
        self.tables.push(table);
        self
    }

    /// Adds a figure.
    pub fn figure(mut self, figure: Figure) -> Checked {
        self.figures.push(figure);
        self
    }

    /// Its tables and figures beside the card of its evidence.
    pub(crate) fn beside(self, card: VerdictCard) -> CheckCard {
        CheckCard::new(card, self.tables, self.figures)
    }
}

/// A computation that speaks about one claim. Its fields are what a reader may turn; the default is the document's setting.
pub trait Check: Default + Debug {
    /// The claim's id in the registry.
    const CLAIM: &'static str;
    /// What is fixed before it runs.
    const PLAN: Plan;

    /// Computes.
    ///
    /// # Errors
    /// Whatever its computations return.
    fn run(&self, setting: &Setting) -> Result<Checked, Failure>;

    /// Whether the fields are the document's.
    fn is_default(&self) -> bool {
        format!("{self:?}") == format!("{:?}", Self::default())
    }
}

/// A check without its type, for those that go through many.
#[derive(Clone, Copy)]
pub struct AnyCheck {
    /// The claim's id.
    pub claim: &'static str,
    /// What is fixed before it runs.
    pub plan: Plan,
    /// The path of its type, as the compiler knows it.
    pub path: &'static str,
    run: fn(&Setting) -> Result<Checked, Failure>,
}

impl AnyCheck {
    /// The check `C` with the document's setting.
    pub fn of<C: Check>() -> AnyCheck {
        AnyCheck {
            claim: C::CLAIM,
            plan: C::PLAN,
            path: std::any::type_name::<C>(),
            run: |setting| C::default().run(setting),
        }
    }

    /// Runs it.
    ///
    /// # Errors
    /// As [`Check::run`].
    pub fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        (self.run)(setting)
    }
}

impl Debug for AnyCheck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "check of {} ({})", self.claim, self.path)
    }
}

impl Ledger {
    /// Runs a check with the scale and seed of this session and records what it found. With fields that are not the document's the
    /// verdict is shown and not written down.
    ///
    /// # Errors
    /// [`Error::CheckFailed`] with the error of its computation, [`Error::BadFinding`] for a finding that the plan does not admit,
    /// else as [`Ledger::record`].
    pub fn check<C: Check>(&self, check: C) -> Result<CheckCard, Error> {
        let found = self.computed(|setting| check.run(setting));
        self.checked(C::CLAIM, &C::PLAN, found, check.is_default())
    }

    /// As [`Ledger::check`], of a check without its type.
    ///
    /// # Errors
    /// As [`Ledger::check`].
    pub fn check_any(&self, check: &AnyCheck) -> Result<CheckCard, Error> {
        self.checked(check.claim, &check.plan, self.computed(|setting| check.run(setting)), true)
    }

    /// Nothing is judged by estimators that do not give known answers.
    fn computed(&self, run: impl FnOnce(&Setting) -> Result<Checked, Failure>) -> Result<Checked, Failure> {
        known_answers()?;
        run(&self.setting())
    }

    fn checked(
        &self,
        claim: &str,
        plan: &Plan,
        checked: Result<Checked, Failure>,
        recorded: bool,
    ) -> Result<CheckCard, Error> {
        let checked = plan.admitted(claim, checked)?;
        let registry = self.registry();
        let file = registry.checks().of(claim);
        let file = file.map_or_else(String::new, |check| check.file.to_string_lossy().replace('\\', "/"));
        let card = match recorded {
            true => self.record_evidence(claim, &checked.evidence)?,
            false => self.preview_evidence(claim, &checked.evidence)?,
        };
        Ok(checked.beside(card.with_plan(*plan, file)))
    }
}

/// What a check shows: its card, then its tables and figures.
#[derive(Clone, Debug)]
pub struct CheckCard {
    card: VerdictCard,
    tables: Vec<Table>,
    figures: Vec<Figure>,
}

impl CheckCard {
    pub(crate) fn new(card: VerdictCard, tables: Vec<Table>, figures: Vec<Figure>) -> CheckCard {
        CheckCard { card, tables, figures }
    }

    /// The card.
    pub fn card(&self) -> &VerdictCard {
        &self.card
    }

    /// Called by notebook kernels on the last expression of a cell.
    pub fn evcxr_display(&self) {
        self.card.evcxr_display();
        self.tables.iter().for_each(Table::evcxr_display);
        self.figures.iter().for_each(Figure::evcxr_display);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOSE: Margin = Margin::new("close", 0.1, "a tenth is what a reader would call close");

    #[derive(Debug)]
    struct Half {
        of: f64,
    }
    impl Default for Half {
        fn default() -> Half {
            Half { of: 1.0 }
        }
    }
    impl Check for Half {
        const CLAIM: &'static str = "m/half";
        const PLAN: Plan = Plan::new("distance", "a distance above the margin", &[CLOSE]);
        fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
            let drawn = self.of * setting.stream("x")?.uniform();
            Ok(Evidence::of(Finding::identity("drawn", drawn, CLOSE)).into())
        }
    }

    #[test]
    fn a_check_draws_the_same_twice_and_knows_whose_fields_it_has() {
        let setting = || Setting::new(Scale::Quick, 1);
        let any = AnyCheck::of::<Half>();
        assert_eq!(any.claim, "m/half");
        assert!(any.path.ends_with("check::tests::Half"), "{}", any.path);
        let (a, b) = (any.run(&setting()).unwrap(), Half::default().run(&setting()).unwrap());
        assert_eq!(a.evidence, b.evidence);
        assert!(Half::default().is_default() && !Half { of: 2.0 }.is_default());
    }

    #[test]
    fn only_declared_margins_are_admitted() {
        let plan = Half::PLAN;
        assert!(plan.admits(&Finding::identity("x", 0.0, CLOSE)).is_ok());
        assert!(plan.admits(&Finding::identity("x", 0.0, 0.0)).is_ok(), "exact");
        for finding in [
            Finding::identity("x", 0.0, 0.1),
            Finding::identity("x", 0.0, Margin::new("other", 0.1, "r")),
            Finding::identity("x", 0.0, 1e-12),
        ] {
            let error = plan.admits(&finding).unwrap_err().to_string();
            assert!(error.contains("declare it"), "{error}");
        }
    }
}
