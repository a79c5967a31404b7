//! Margin: what counts as equal, or as large enough, and why.

/// A tolerance or a bound that a check declares before it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// Its name; checks that ask the same quantity share it.
    pub name: &'static str,
    /// The number, in the units of what it judges.
    pub value: f64,
    /// Why this number and no other.
    pub reason: &'static str,
}

impl Margin {
    /// Zero, which needs no reason: a sign, or equality in exact arithmetic.
    pub const ZERO: Margin = Margin::new("", 0.0, "");

    /// A margin.
    pub const fn new(name: &'static str, value: f64, reason: &'static str) -> Margin {
        Margin { name, value, reason }
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
