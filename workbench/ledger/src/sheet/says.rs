//! Statement of a finding: role, margin, what is compared, over which cases.

use workbench_ground::stats::Estimate;

use super::super::margin::{Margin, Origin};
use super::super::{Error, finding::Finding};
use super::{Sheet, State};

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Printed,
    Changed,
    Both,
    Twin,
    Support,
    Aside,
}

/// Which of several cases speaks for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extreme {
    Largest,
    Least,
}

/// A finding that stands on the sheet, with what the next case needs to join it.
pub(super) struct Stated {
    pub(super) role: Role,
    pub(super) finding: Finding,
    /// The case that spoke last; none outside of cases.
    case: Option<u64>,
    joins: Joins,
}

/// How a case joins those before it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Joins {
    /// An interval stands alone.
    Not,
    Extreme(Extreme),
    /// The farthest from what is expected, or the nearest.
    Distance(f64, Extreme),
    Sum,
}

/// Begins a statement; the role and the margin are given, the cases are those that the sheet is in.
#[derive(Clone, Copy)]
pub struct Says<'s> {
    sheet: &'s Sheet,
    role: Role,
    margin: Margin,
    unit: &'s str,
    over: Option<u64>,
    extreme: Option<Extreme>,
    scaled_down: bool,
}

impl<'s> Says<'s> {
    pub(super) fn new(sheet: &'s Sheet, role: Role, margin: Margin) -> Says<'s> {
        Says { sheet, role, margin, unit: "", over: None, extreme: None, scaled_down: false }
    }

    /// What the cases, or the samples behind an interval, are called: `runs`, `draws`, `prompts`.
    #[must_use]
    pub fn of(self, unit: &'s str) -> Says<'s> {
        Says { unit, ..self }
    }

    /// How many cases stand behind one number that was computed elsewhere, and what they are called.
    #[must_use]
    pub fn over(self, n: usize, unit: &'s str) -> Says<'s> {
        Says { over: Some(n as u64), unit, ..self }
    }

    /// The largest of the cases speaks for all, whatever the role.
    #[must_use]
    pub fn largest(self) -> Says<'s> {
        Says { extreme: Some(Extreme::Largest), ..self }
    }

    /// The least of the cases speaks for all, whatever the role.
    #[must_use]
    pub fn least(self) -> Says<'s> {
        Says { extreme: Some(Extreme::Least), ..self }
    }

    /// Measured on a smaller system than the statement speaks of: where it contradicts, the verdict stays open.
    #[must_use]
    pub fn scaled_down(self) -> Says<'s> {
        Says { scaled_down: true, ..self }
    }

    /// Two computations agree: their difference, absolute or relative as the label says, is within the margin.
    pub fn same(&self, label: impl Into<String>, error: f64) {
        self.state(Finding::identity(label, error, self.margin), Joins::Extreme(self.worst(Extreme::Largest)));
    }

    /// It never happens: the cases in which it does are counted, and none is allowed beyond the margin.
    pub fn never(&self, label: impl Into<String>, happens: bool) {
        self.state(Finding::identity(label, f64::from(u8::from(happens)), self.margin), Joins::Sum);
    }

    /// The measured quantity is `expected` up to the margin; a wide interval supports nothing.
    pub fn equals(&self, label: impl Into<String>, expected: f64, measured: impl Into<Estimate>) {
        let joins = Joins::Distance(expected, self.worst(Extreme::Largest));
        self.state(Finding::equals(label, expected, self.margin, measured.into()), joins);
    }

    /// The interval of the measurement reaches `expected` up to the margin and excludes half of it, twice it and its opposite.
    pub fn near(&self, label: impl Into<String>, expected: f64, measured: impl Into<Estimate>) {
        self.state(Finding::near(label, expected, self.margin, measured.into()), Joins::Not);
    }

    /// The measured quantity is at most the margin.
    pub fn at_most(&self, label: impl Into<String>, measured: impl Into<Estimate>) {
        let joins = Joins::Extreme(self.worst(Extreme::Largest));
        self.state(Finding::at_most(label, self.margin, measured.into()), joins);
    }

    /// The measured quantity is at least the margin.
    pub fn at_least(&self, label: impl Into<String>, measured: impl Into<Estimate>) {
        let joins = Joins::Extreme(self.worst(Extreme::Least));
        self.state(Finding::at_least(label, self.margin, measured.into()), joins);
    }

    /// The measurement rules out `alternative`, for example "no effect". The margin is not used.
    pub fn excludes(&self, label: impl Into<String>, alternative: f64, measured: impl Into<Estimate>) {
        self.state(Finding::excludes(label, alternative, measured.into()), Joins::Not);
    }

    /// The case that is worst for what is claimed, and mildest for a wrong twin.
    fn worst(&self, worst: Extreme) -> Extreme {
        match (self.extreme, self.role, worst) {
            (Some(given), ..) => given,
            (None, Role::Twin, Extreme::Largest) => Extreme::Least,
            (None, Role::Twin, Extreme::Least) => Extreme::Largest,
            (None, ..) => worst,
        }
    }

    fn state(&self, finding: Finding, joins: Joins) {
        let state = &mut *self.sheet.state.borrow_mut();
        if self.margin.origin == Origin::Ours && !matches!(self.role, Role::Support | Role::Aside) {
            state.problem.get_or_insert(Error::BadFinding {
                label: finding.label().to_string(),
                problem: format!(
                    "its margin \"{}\" is a number of ours, which turns no verdict; ask for the sign or for what is printed, and show \
                     this with s.aside(..)",
                    self.margin.name
                ),
            });
        }
        if self.margin.value.is_nan() {
            state.problem.get_or_insert(Error::BadFinding {
                label: finding.label().to_string(),
                problem: format!("its margin \"{}\" is NaN; declare a number that is not below 0", self.margin.name),
            });
        }
        let exact = finding.measured().confidence == 1.0;
        let place = state.place.clone();
        let mut finding = match (self.over, self.unit) {
            (Some(n), unit) => finding.cases(n).unit(unit),
            (None, "") if exact => finding.unit(place.unit),
            (None, unit) => finding.unit(unit),
        };
        if self.scaled_down {
            finding = finding.scaled_down();
        }
        let case = place.case;
        // An interval, and a number over so many cases, speaks for itself.
        let joins = if exact && self.over.is_none() { joins } else { Joins::Not };
        let before =
            state.stated.iter().position(|one| one.role == self.role && one.finding.label() == finding.label());
        match before {
            None => state.stated.push(Stated { role: self.role, finding: nan_is_no_number(finding), case, joins }),
            Some(at) => {
                if let Some(problem) = state.stated[at].join(finding, case, joins) {
                    state.refuse(at, problem);
                }
            }
        }
    }
}

impl State {
    fn refuse(&mut self, at: usize, problem: &str) {
        let label = self.stated[at].finding.label().to_string();
        self.problem.get_or_insert(Error::BadFinding { label, problem: problem.to_string() });
    }
}

impl Stated {
    /// Takes one more case, or says why it cannot.
    fn join(&mut self, finding: Finding, case: Option<u64>, joins: Joins) -> Option<&'static str> {
        if joins == Joins::Not || joins != self.joins || !self.finding.compares_alike(&finding) {
            return Some(
                "it is stated twice, with another number expected, an interval or a count of its own, or in another way; state how far \
                 each is off, as in `.same(label, a - b)`, or give the second words of its own",
            );
        }
        if case.is_none() && joins != Joins::Sum {
            return Some(
                "it is stated twice outside of cases; say over which cases it goes, as in `for x in s.each(\"draws\", draws)`",
            );
        }
        let (old, new) = (self.finding.measured().value, nan_is_no_number(finding).measured().value);
        let takes = |extreme, old: f64, new: f64| match extreme {
            Extreme::Largest => new > old,
            Extreme::Least => new < old,
        };
        let value = match joins {
            Joins::Sum => old + new,
            _ if !old.is_finite() || !new.is_finite() => f64::INFINITY,
            Joins::Extreme(extreme) if takes(extreme, old, new) => new,
            Joins::Distance(from, extreme) if takes(extreme, (old - from).abs(), (new - from).abs()) => new,
            _ => old,
        };
        let another = joins == Joins::Sum || case != self.case;
        self.finding.measure(value, u64::from(another));
        self.case = case;
        None
    }
}

/// A NaN would lose against every number; infinite, it is refused.
fn nan_is_no_number(mut finding: Finding) -> Finding {
    if finding.measured().value.is_nan() {
        finding.measure(f64::INFINITY, 0);
    }
    finding
}
