//! One comparison of a prediction with a measurement.
//!
//! A [`Finding`] keeps the prediction, the measured interval and the rule that compares them. Its
//! [`Outcome`] is derived. With the interval $[l, h]$ of the measurement:
//!
//! | constructor | supports | contradicts | undecided |
//! | --- | --- | --- | --- |
//! | [`equals`](Finding::equals) | $[l,h]\subseteq[e-t,e+t]$ | $[l,h]\cap[e-t,e+t]=\emptyset$ | else |
//! | [`near`](Finding::near) | $[l,h]\cap[e-a,e+a]\ne\emptyset$, no twin inside | $[l,h]\cap[e-a,e+a]=\emptyset$ | else |
//! | [`at_most`](Finding::at_most) | $h\le b$ | $l>b$ | else |
//! | [`at_least`](Finding::at_least) | $l\ge b$ | $h<b$ | else |
//! | [`excludes`](Finding::excludes) | $a\notin\lbrack l,h\rbrack$ | never | else |
//! | [`identity`](Finding::identity) | $\epsilon\le t$ | $\epsilon>t$ | never |

use workbench_record::number::{shortest, with_interval};
use workbench_record::{FindingLine, Outcome, Role, Row};

use super::{Allowance, Error};
use workbench_ground::stats::{CONFIDENCE, Estimate};

/// How a measurement is compared with its prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rule {
    Equals { expected: f64, tolerance: f64 },
    Near { expected: f64, allowance: f64 },
    AtMost(f64),
    AtLeast(f64),
    Excludes(f64),
    Identity { tolerance: f64 },
}

/// One comparison of a prediction with a measurement.
///
/// Constructors never fail, so that cells stay short; a finding that cannot decide anything (NaN, no
/// samples, a negative tolerance, an interval below 99.9 % confidence) is refused by
/// [`Finding::outcome`] and so by the ledger.
///
/// ```
/// use workbench_ground::stats::Estimate;
/// use workbench_ledger::{Finding, Outcome};
/// let slope = Estimate::new(-0.51, -0.53, -0.49, 20, 0.999)?;
/// let finding = Finding::equals("slope of the tail", -0.5, 0.05, slope);
/// assert_eq!(finding.outcome()?, Outcome::Supports);
/// let twin = Finding::equals("slope with the sign flipped", 0.5, 0.05, slope);
/// assert_eq!(twin.outcome()?, Outcome::Contradicts);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    label: String,
    rule: Rule,
    measured: Estimate,
    unit: String,
    allowance: Allowance,
    scaled_down: bool,
}

impl Finding {
    fn with(label: impl Into<String>, rule: Rule, measured: Estimate, allowance: Allowance) -> Finding {
        Finding {
            label: super::entry::one_line(&label.into()),
            rule,
            measured,
            unit: String::new(),
            allowance,
            scaled_down: false,
        }
    }

    /// The measured quantity is `expected` up to `tolerance`.
    ///
    /// With $B=[e-t,e+t]$: supports if $\lbrack l,h\rbrack\subseteq B$, contradicts if $\lbrack l,h\rbrack\cap B=\emptyset$,
    /// undecided otherwise. A wide interval never supports.
    ///
    /// **Units and ranges**: `tolerance` in the units of `expected`, at least 0. A tolerance of 0
    /// supports a point interval only.
    pub fn equals(
        label: impl Into<String>,
        expected: f64,
        tolerance: impl Into<Allowance>,
        measured: Estimate,
    ) -> Finding {
        let allowance = tolerance.into();
        let rule = Rule::Equals { expected, tolerance: allowance.value };
        Finding::with(label, rule, measured, allowance)
    }

    /// The interval of the measurement reaches `expected` up to `allowance`.
    ///
    /// With $B=[e-a,e+a]$: contradicts if $\lbrack l,h\rbrack\cap B=\emptyset$. Otherwise it supports, unless the
    /// interval is so wide that it also holds a wrong twin of the prediction, one of $-e$, $e/2$,
    /// $2e$ outside $B$; then it is undecided. For $e=0$ the three twins are 0 itself, so the
    /// interval has no bound on its width: prefer [`Finding::equals`] with a tolerance there.
    ///
    /// **Units and ranges**: `allowance` in the units of `expected`, at least 0: rounding of a printed
    /// number, a known bias.
    pub fn near(
        label: impl Into<String>,
        expected: f64,
        allowance: impl Into<Allowance>,
        measured: Estimate,
    ) -> Finding {
        let allowance = allowance.into();
        let rule = Rule::Near { expected, allowance: allowance.value };
        Finding::with(label, rule, measured, allowance)
    }

    /// The measured quantity is at most `bound`.
    ///
    /// Supports if $h\le b$, contradicts if $l>b$, undecided if the interval straddles the bound.
    pub fn at_most(label: impl Into<String>, bound: impl Into<Allowance>, measured: Estimate) -> Finding {
        let bound = bound.into();
        Finding::with(label, Rule::AtMost(bound.value), measured, bound)
    }

    /// The measured quantity is at least `bound`.
    ///
    /// Supports if $l\ge b$, contradicts if $h<b$, undecided if the interval straddles the bound.
    pub fn at_least(label: impl Into<String>, bound: impl Into<Allowance>, measured: Estimate) -> Finding {
        let bound = bound.into();
        Finding::with(label, Rule::AtLeast(bound.value), measured, bound)
    }

    /// The measurement rules out `alternative`, for example "no effect".
    ///
    /// Supports if $a\notin\lbrack l,h\rbrack$, undecided otherwise: failing to exclude a value proves nothing.
    pub fn excludes(label: impl Into<String>, alternative: f64, measured: Estimate) -> Finding {
        Finding::with(label, Rule::Excludes(alternative), measured, 0.0.into())
    }

    /// Two deterministic computations agree: their largest difference is within `tolerance`.
    ///
    /// Supports if $\epsilon\le t$, contradicts if $\epsilon>t$.
    ///
    /// **Units and ranges**: `max_error` is absolute or relative as the label says, at least 0.
    pub fn identity(label: impl Into<String>, max_error: f64, tolerance: impl Into<Allowance>) -> Finding {
        let allowance = tolerance.into();
        let measured = Estimate { value: max_error, low: max_error, high: max_error, n: 1, confidence: 1.0 };
        let rule = Rule::Identity { tolerance: allowance.value };
        Finding::with(label, rule, measured, allowance)
    }

    /// States how many cases an exact finding looked at (`n` in the ledger).
    ///
    /// For findings built from an estimate `n` is already there and is replaced. A negative number is no count: it is taken as 0, which
    /// [`Finding::outcome`] refuses.
    pub fn cases(mut self, n: impl TryInto<u64>) -> Finding {
        self.measured.n = n.try_into().unwrap_or(0);
        self
    }

    /// Says that it was measured on a smaller system than the statement speaks of: where it contradicts, it says little about the large
    /// one, so it stays a finding against the statement and leaves the verdict open.
    pub fn scaled_down(mut self) -> Finding {
        self.scaled_down = true;
        self
    }

    /// Whether it was measured on a smaller system than the statement speaks of.
    pub fn is_scaled_down(&self) -> bool {
        self.scaled_down
    }

    /// The same rule: equal but for label, measurement and unit.
    pub(crate) fn compares_alike(&self, other: &Finding) -> bool {
        self.rule == other.rule && self.allowance == other.allowance
    }

    /// Another exact value, with so many more cases behind it.
    pub(crate) fn measure(&mut self, value: f64, more: u64) {
        self.measured = Estimate { n: self.measured.n + more, ..Estimate::exact(value) };
    }

    /// States what `n` counts: `prompts`, `draws`, `runs`.
    pub fn unit(mut self, unit: impl Into<String>) -> Finding {
        self.unit = unit.into();
        self
    }

    /// What was compared.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The tolerance or bound, with the name of the margin that it is.
    pub fn allowance(&self) -> Allowance {
        self.allowance
    }

    /// How it is compared.
    pub(crate) fn rule(&self) -> Rule {
        self.rule
    }

    /// What `n` counts; empty if nobody said.
    pub(crate) fn unit_text(&self) -> &str {
        &self.unit
    }

    /// The measurement.
    pub fn measured(&self) -> Estimate {
        self.measured
    }

    /// The prediction in words, every number exact: `1.5 ± 0.1`, `at most 3`.
    pub fn expected_text(&self) -> String {
        let number = shortest;
        match self.rule {
            Rule::Equals { expected, tolerance } => format!("{} ± {}", number(expected), number(tolerance)),
            Rule::Near { expected, allowance: 0.0 } => format!("interval contains {}", number(expected)),
            Rule::Near { expected, allowance } => {
                format!("interval reaches {} ± {}", number(expected), number(allowance))
            }
            Rule::AtMost(bound) => format!("at most {}", number(bound)),
            Rule::AtLeast(bound) => format!("at least {}", number(bound)),
            Rule::Excludes(alternative) => format!("interval excludes {}", number(alternative)),
            Rule::Identity { tolerance } => format!("error at most {}", number(tolerance)),
        }
    }

    /// Whether it is expected to be one number and nothing near it.
    pub(crate) fn is_exact(&self) -> bool {
        matches!(self.rule, Rule::Equals { tolerance: 0.0, .. })
    }

    /// How far the measured value is from the nearest value at which it would be judged otherwise.
    pub(crate) fn distance(&self) -> f64 {
        let value = self.measured.value;
        match self.rule {
            Rule::Equals { expected, tolerance: t } | Rule::Near { expected, allowance: t } => {
                ((value - expected).abs() - t).abs()
            }
            Rule::AtMost(bound) | Rule::AtLeast(bound) | Rule::Excludes(bound) => (value - bound).abs(),
            Rule::Identity { tolerance } => (value - tolerance).abs(),
        }
    }

    /// The measurement in words, with the digits that its interval supports: `1.51 [1.48, 1.54]`.
    pub fn measured_text(&self) -> String {
        with_interval(self.measured.value, self.measured.low, self.measured.high)
    }

    /// The finding as a line of the findings' table, on the claim of `row`.
    ///
    /// # Errors
    /// As for [`Finding::outcome`].
    pub(crate) fn line(&self, role: Role, row: &Row) -> Result<FindingLine, Error> {
        let (relation, expected_low, expected_high) = match self.rule {
            Rule::Equals { expected: e, tolerance: t } => ("equals", Some(e - t), Some(e + t)),
            Rule::Near { expected: e, allowance: a } => ("near", Some(e - a), Some(e + a)),
            Rule::AtMost(bound) => ("at most", None, Some(bound)),
            Rule::AtLeast(bound) => ("at least", Some(bound), None),
            Rule::Excludes(alternative) => ("excludes", Some(alternative), Some(alternative)),
            Rule::Identity { tolerance } => ("identity", None, Some(tolerance)),
        };
        Ok(FindingLine {
            claim: row.claim.clone(),
            scale: row.scale,
            seed: row.seed,
            role,
            what: self.label.clone(),
            relation: relation.to_string(),
            expected_low,
            expected_high,
            measured: self.measured.value,
            low: self.measured.low,
            high: self.measured.high,
            n: self.measured.n,
            unit: self.unit.clone(),
            outcome: self.outcome()?,
        })
    }

    /// What the finding says, by the rule in its constructor.
    ///
    /// # Errors
    /// [`Error::BadFinding`] if the label is empty, a number is NaN or infinite, the interval is
    /// reversed or does not hold its value, no samples stand behind it, the confidence is below
    /// [`CONFIDENCE`], or a tolerance is negative.
    pub fn outcome(&self) -> Result<Outcome, Error> {
        self.check()?;
        let (low, high) = (self.measured.low, self.measured.high);
        let meets = |from: f64, to: f64| low <= to && high >= from;
        let decide = |supports: bool, contradicts: bool| match (supports, contradicts) {
            (true, _) => Outcome::Supports,
            (false, true) => Outcome::Contradicts,
            (false, false) => Outcome::Undecided,
        };
        Ok(match self.rule {
            Rule::Equals { expected, tolerance } => {
                let (from, to) = (expected - tolerance, expected + tolerance);
                decide(from <= low && high <= to, !meets(from, to))
            }
            Rule::Near { expected, allowance } => {
                let reaches = meets(expected - allowance, expected + allowance);
                let blind = [-expected, expected / 2.0, 2.0 * expected]
                    .into_iter()
                    .any(|twin| (twin - expected).abs() > allowance && meets(twin, twin));
                decide(reaches && !blind, !reaches)
            }
            Rule::AtMost(bound) => decide(high <= bound, low > bound),
            Rule::AtLeast(bound) => decide(low >= bound, high < bound),
            Rule::Excludes(alternative) => decide(!meets(alternative, alternative), false),
            Rule::Identity { tolerance } => decide(high <= tolerance, high > tolerance),
        })
    }

    fn check(&self) -> Result<(), Error> {
        let bad = |problem: String| Err(Error::BadFinding { label: self.label.clone(), problem });
        if self.label.trim().is_empty() {
            return bad("the label is empty; say what is compared".to_string());
        }
        // A line of a table, in which no sign may end the line or turn its direction.
        let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if let Some(sign) = self.label.chars().find(|c| c.is_control() || turns(*c)) {
            return bad(format!("the label has {sign:?}; say on one line what is compared"));
        }
        let (prediction, width) = match self.rule {
            Rule::Equals { expected, tolerance } => (expected, ("tolerance", tolerance)),
            Rule::Near { expected, allowance } => (expected, ("allowance", allowance)),
            Rule::AtMost(bound) | Rule::AtLeast(bound) => (bound, ("tolerance", 0.0)),
            Rule::Excludes(alternative) => (alternative, ("tolerance", 0.0)),
            Rule::Identity { tolerance } => (0.0, ("tolerance", tolerance)),
        };
        if !prediction.is_finite() {
            return bad(format!("the prediction is {prediction}; a finite number is needed to compare with"));
        }
        if !width.1.is_finite() || width.1 < 0.0 {
            return bad(format!("the {} is {}; it must be finite and at least 0", width.0, width.1));
        }
        let Estimate { value, low, high, n, confidence } = self.measured;
        if !(value.is_finite() && low.is_finite() && high.is_finite()) {
            // A sheet keeps a NaN as an infinity, which loses against every number.
            let what = if value.is_finite() { "has no finite interval" } else { "is infinite or not a number (NaN)" };
            return bad(format!("the measurement {what}; find where the computation leaves the finite numbers"));
        }
        if matches!(self.rule, Rule::Identity { .. }) && value < 0.0 {
            return bad(format!("the largest error is {value}; an error is at least 0, take the absolute value"));
        }
        if !(low <= value && value <= high) {
            return bad(format!("the interval [{low}, {high}] does not hold its value {value}"));
        }
        if n == 0 {
            return bad("no samples stand behind it (n = 0); run the experiment first".to_string());
        }
        if !(CONFIDENCE - 1e-9..=1.0).contains(&confidence) {
            return bad(format!(
                "the interval has confidence {confidence}; with hundreds of checks at least {CONFIDENCE} is needed to keep false alarms out"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
