//! Checks as types, the form before the sheet: parameters are fields, and what was found is returned.

use std::fmt::Debug;

use super::check::{Check, Checked, Failure, Turned};
use super::finding::Finding;
use super::setting::Setting;
use super::sheet::{Done, Sheet};
use super::{Error, margin::Margin};

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

/// A computation that speaks about one claim. Its fields are what a reader may turn; the default is the document's setting.
pub trait TypedCheck: Default + Debug {
    /// The claim's id in the registry.
    const CLAIM: &'static str;
    /// For a claim of one's own: what is claimed, in a sentence.
    const SAYS: &'static str = "";
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

/// The check of a type, with its own parameters.
pub const fn typed<C: TypedCheck>() -> Check {
    fn run<C: TypedCheck>(s: &Sheet) -> Done {
        taken(&C::default(), s)
    }
    Check { run: run::<C>, ..of::<C>() }
}

const fn of<C: TypedCheck>() -> Check {
    let Plan { metric, against, protocol, departures, rivals, .. } = C::PLAN;
    Check { claim: C::CLAIM, says: C::SAYS, metric, against, protocol, departures, rivals, ..Check::DEFAULT }
}

fn taken<C: TypedCheck>(check: &C, s: &Sheet) -> Done {
    s.take(C::PLAN.admitted(C::CLAIM, check.run(s))?);
    Ok(())
}

impl<C: TypedCheck + 'static> From<C> for Turned {
    fn from(check: C) -> Turned {
        let recorded = check.is_default();
        Turned::running(of::<C>(), recorded, move |s| taken(&check, s))
    }
}
