//! One line of the findings: a prediction beside a measurement; and of `notes.csv`: a remark.

use serde::{Deserialize, Serialize};

use super::Scale;
use super::number;
use super::table::{Key, Line};
use super::verdict::in_words;

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Role {
    /// The statement as printed.
    Printed,
    /// The statement with the stated change.
    Corrected,
    /// A wrong form, which must not pass.
    Twin,
    /// What the check itself stands on.
    Support,
    /// What is shown beside the others and judges nothing: it is measured by a threshold of ours.
    Aside,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 5] = [Role::Printed, Role::Corrected, Role::Twin, Role::Support, Role::Aside];

    /// The word used in files.
    pub fn text(self) -> &'static str {
        match self {
            Role::Printed => "printed",
            Role::Corrected => "corrected",
            Role::Twin => "twin",
            Role::Support => "support",
            Role::Aside => "aside",
        }
    }
}

impl std::str::FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Role, String> {
        Role::ALL
            .into_iter()
            .find(|role| role.text() == text)
            .ok_or_else(|| format!("`{text}` is not a role (one of: printed, corrected, twin, support, aside)"))
    }
}

/// What a finding says about the prediction it compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Outcome {
    /// The measurement agrees, and would not have to.
    Supports,
    /// The measurement rules the prediction out.
    Contradicts,
    /// The interval is too wide to tell.
    Undecided,
}

impl Outcome {
    /// All outcomes.
    pub const ALL: [Outcome; 3] = [Outcome::Supports, Outcome::Contradicts, Outcome::Undecided];

    /// `supports`, `contradicts` or `undecided`.
    pub fn text(self) -> &'static str {
        match self {
            Outcome::Supports => "supports",
            Outcome::Contradicts => "contradicts",
            Outcome::Undecided => "undecided",
        }
    }
}

impl std::str::FromStr for Outcome {
    type Err = String;

    fn from_str(text: &str) -> Result<Outcome, String> {
        Outcome::ALL
            .into_iter()
            .find(|outcome| outcome.text() == text)
            .ok_or_else(|| format!("`{text}` is not an outcome (one of: supports, contradicts, undecided)"))
    }
}

in_words!(Role, Outcome);

/// One comparison of a prediction with a measurement.
///
/// What supports is an interval `[low, high]` inside, or for `near` one that meets, `[expected_low, expected_high]`; an end that is
/// missing is open. For `excludes` both ends are the value that the interval must not hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindingLine {
    /// Claim id.
    pub claim: String,
    /// Scale of the run.
    pub scale: Scale,
    /// Seed of the random streams.
    pub seed: u64,
    /// What it is about.
    pub role: Role,
    /// What is compared.
    pub what: String,
    /// `equals`, `near`, `at most`, `at least`, `excludes` or `identity`.
    pub relation: String,
    /// Lower end of what the prediction allows.
    #[serde(with = "number::optional")]
    pub expected_low: Option<f64>,
    /// Upper end of what the prediction allows.
    #[serde(with = "number::optional")]
    pub expected_high: Option<f64>,
    /// The estimate.
    #[serde(with = "number::exact")]
    pub measured: f64,
    /// Lower end of its interval.
    #[serde(with = "number::exact")]
    pub low: f64,
    /// Upper end of its interval.
    #[serde(with = "number::exact")]
    pub high: f64,
    /// Independent units behind it.
    pub n: u64,
    /// What `n` counts; empty where the check does not say.
    pub unit: String,
    /// What it says.
    pub outcome: Outcome,
}

impl Line for FindingLine {
    const FILE: &'static str = "findings.csv";
    const FILES: &'static [&'static str] = &["findings-quick.csv", "findings-paper.csv"];
    const COLUMNS: &'static [&'static str] = &[
        "claim",
        "scale",
        "seed",
        "role",
        "what",
        "relation",
        "expected_low",
        "expected_high",
        "measured",
        "low",
        "high",
        "n",
        "unit",
        "outcome",
    ];
    const SINGLE: bool = false;

    fn key(&self) -> Key {
        Key::new(&self.claim, self.scale, self.seed)
    }

    fn file(&self) -> &'static str {
        match self.scale {
            Scale::Quick => Self::FILES[0],
            Scale::Paper => Self::FILES[1],
        }
    }
}

/// One remark of a check, for example the parameters of the case that it looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Claim id.
    pub claim: String,
    /// Scale of the run.
    pub scale: Scale,
    /// Seed of the random streams.
    pub seed: u64,
    /// Place among the remarks of the check, from 1.
    pub place: u64,
    /// The remark.
    pub text: String,
}

impl Line for Note {
    const FILE: &'static str = "notes.csv";
    const COLUMNS: &'static [&'static str] = &["claim", "scale", "seed", "place", "text"];
    const SINGLE: bool = false;

    fn key(&self) -> Key {
        Key::new(&self.claim, self.scale, self.seed)
    }
}
