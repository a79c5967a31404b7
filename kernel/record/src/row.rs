//! One line of `ledger.csv`: a claim at a scale and a seed, with its verdict.

use serde::{Deserialize, Serialize};

use super::number;
use super::table::{Key, Line};
use super::{Kind, Scale, Verdict};

/// One line of the ledger: a claim at a scale and a seed, its verdict and the numbers that decided it.
///
/// `expected`, `measured`, `low`, `high` and `n` belong to the finding named in `finding`, the one that decided the verdict; all
/// findings stand in `findings-quick.csv` or `findings-paper.csv`, remarks in `notes.csv`, the run in `runs.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Claim id.
    pub claim: String,
    /// The derived verdict.
    pub verdict: Verdict,
    /// The prediction with its tolerance, in words; empty if not tested.
    pub expected: String,
    /// The estimate.
    #[serde(with = "number::optional")]
    pub measured: Option<f64>,
    /// Lower end of its interval.
    #[serde(with = "number::optional")]
    pub low: Option<f64>,
    /// Upper end of its interval.
    #[serde(with = "number::optional")]
    pub high: Option<f64>,
    /// Independent units behind it.
    pub n: Option<u64>,
    /// Seed of the random streams.
    pub seed: u64,
    /// Scale of the run.
    pub scale: Scale,
    /// Wall-clock seconds from the start of the cell.
    #[serde(with = "number::exact")]
    pub seconds: f64,
    /// Notebook, without extension.
    pub notebook: String,
    /// Cell id, empty where the kernel does not name cells.
    pub cell: String,
    /// Label of the finding that decided.
    pub finding: String,
    /// What had to change for the claim to hold.
    pub change: String,
    /// What kind of change that is, or of what is open; empty of checks that do not say.
    pub kind: Option<Kind>,
    /// The claim in whose row a fault is charged that this one inherits, and without which this one is judged.
    pub see: String,
    /// Of an inconclusive row, what would settle it.
    pub settled: String,
    /// Why the claim was not tested; of a claim of one's own, what it says.
    pub note: String,
    /// Identity of the run that computed it; empty outside runs.
    pub run: String,
    /// Digest of the registry's row when it was computed.
    pub statement: String,
    /// Digest of the code that computed it: all code cells from the first to the one that recorded.
    pub code: String,
}

impl Row {
    /// A row without a verdict yet.
    pub fn blank(claim: &str, scale: Scale, seed: u64) -> Row {
        Row {
            claim: claim.to_string(),
            verdict: Verdict::NotTested,
            expected: String::new(),
            measured: None,
            low: None,
            high: None,
            n: None,
            seed,
            scale,
            seconds: 0.0,
            notebook: String::new(),
            cell: String::new(),
            finding: String::new(),
            change: String::new(),
            kind: None,
            see: String::new(),
            settled: String::new(),
            note: String::new(),
            run: String::new(),
            statement: String::new(),
            code: String::new(),
        }
    }

    /// `0.52 [0.50, 0.54]` with the digits that the interval supports, or nothing.
    pub fn measured_text(&self) -> String {
        match (self.measured, self.low, self.high) {
            (Some(value), Some(low), Some(high)) => number::with_interval(value, low, high),
            (Some(value), _, _) => number::rounded(value, 6),
            _ => String::new(),
        }
    }
}

impl Line for Row {
    const FILE: &'static str = "ledger.csv";
    const COLUMNS: &'static [&'static str] = &[
        "claim",
        "verdict",
        "expected",
        "measured",
        "low",
        "high",
        "n",
        "seed",
        "scale",
        "seconds",
        "notebook",
        "cell",
        "finding",
        "change",
        "kind",
        "see",
        "settled",
        "note",
        "run",
        "statement",
        "code",
    ];
    const LATER: &'static [&'static str] = &["kind", "see", "settled"];
    const SINGLE: bool = true;

    fn key(&self) -> Key {
        Key::new(&self.claim, self.scale, self.seed)
    }

    fn check(&self) -> Result<(), String> {
        if self.claim.is_empty() {
            return Err("column `claim` is empty".to_string());
        }
        Ok(())
    }
}
