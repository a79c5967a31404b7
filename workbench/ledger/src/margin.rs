//! What counts as equal, or as large enough, and why.

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
    /// The margin's name; empty for a bare number.
    pub margin: &'static str,
}

impl From<f64> for Allowance {
    fn from(value: f64) -> Allowance {
        Allowance { value, margin: "" }
    }
}

impl From<Margin> for Allowance {
    fn from(margin: Margin) -> Allowance {
        Allowance { value: margin.value, margin: margin.name }
    }
}
