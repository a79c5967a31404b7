//! Margin: what counts as equal, or as large enough, where the number comes from, and why.

/// Where the number of a margin comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The document states it.
    Printed,
    /// Floating point, or the digits of a printed number.
    Rounding,
    /// What sampling, a finite size, a fit or an iteration leaves: what the measurement can resolve.
    Statistical,
    /// A number that we put to a word. It turns no verdict.
    Ours,
}

impl Origin {
    /// As a card says it.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Origin::Printed => "printed",
            Origin::Rounding => "rounding",
            Origin::Statistical => "statistical",
            Origin::Ours => "ours, judges nothing",
        }
    }
}

/// A tolerance or a bound that a check declares before it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// Its name; checks that ask the same quantity share it.
    pub name: &'static str,
    /// The number, in the units of what it judges.
    pub value: f64,
    /// Why this number and no other.
    pub reason: &'static str,
    /// Where the number comes from.
    pub origin: Origin,
}

impl Margin {
    /// Zero, which needs no reason: a sign, or equality in exact arithmetic.
    pub const ZERO: Margin = Margin::rounding("", 0.0, "");

    /// A number that the document states.
    pub const fn printed(name: &'static str, value: f64, reason: &'static str) -> Margin {
        Margin { name, value, reason, origin: Origin::Printed }
    }

    /// What floating point leaves, or the digits of a printed number.
    pub const fn rounding(name: &'static str, value: f64, reason: &'static str) -> Margin {
        Margin { name, value, reason, origin: Origin::Rounding }
    }

    /// What the measurement can resolve: sampling, a finite size, the bias of a fit, the end of an iteration.
    pub const fn statistical(name: &'static str, value: f64, reason: &'static str) -> Margin {
        Margin { name, value, reason, origin: Origin::Statistical }
    }

    /// A number that we put to a word, such as ten times for "far". Only [`Sheet::aside`](super::Sheet::aside) and
    /// [`Sheet::support`](super::Sheet::support) take it.
    pub const fn ours(name: &'static str, value: f64, reason: &'static str) -> Margin {
        Margin { name, value, reason, origin: Origin::Ours }
    }
}

/// A tolerance or bound as a finding uses it: a declared margin, or a bare number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowance {
    /// The number.
    pub value: f64,
    /// The margin; none for a bare number.
    margin: Option<Margin>,
}

impl Allowance {
    /// The margin, if it is one with a name.
    pub(crate) fn margin(self) -> Option<Margin> {
        self.margin
    }
}

impl From<f64> for Allowance {
    fn from(value: f64) -> Allowance {
        Allowance { value, margin: None }
    }
}

impl From<Margin> for Allowance {
    fn from(margin: Margin) -> Allowance {
        Allowance { value: margin.value, margin: (!margin.name.is_empty()).then_some(margin) }
    }
}
