//! The five verdicts, the three kinds of change, and the two scales.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a check says about a claim. It is derived from evidence, never stated by a notebook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Verdict {
    /// Every finding supports the printed form.
    Holds,
    /// The printed form is contradicted, and a stated correction is supported.
    HoldsWithChange,
    /// A finding contradicts the printed form and no correction is supported.
    Fails,
    /// Nothing contradicts the claim, and not everything supports it.
    Inconclusive,
    /// No check was run, for a stated reason.
    NotTested,
}

impl Verdict {
    /// All verdicts, in the order of the coverage table.
    pub const ALL: [Verdict; 5] =
        [Verdict::Holds, Verdict::HoldsWithChange, Verdict::Fails, Verdict::Inconclusive, Verdict::NotTested];

    /// The words used in files and cards.
    pub fn text(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::HoldsWithChange => "holds with stated change",
            Verdict::Fails => "fails",
            Verdict::Inconclusive => "inconclusive",
            Verdict::NotTested => "not tested",
        }
    }
}

impl Verdict {
    /// What it says, with the kind of change, as the words that a card begins with.
    ///
    /// ```
    /// use workbench_record::{Change, Verdict};
    /// assert_eq!(Verdict::Holds.said(None), "Holds as printed");
    /// assert_eq!(Verdict::HoldsWithChange.said(Some(Change::Weaker)), "A weaker form is true");
    /// ```
    pub fn said(self, kind: Option<Change>) -> &'static str {
        match (self, kind) {
            (Verdict::Holds, _) => "Holds as printed",
            (Verdict::HoldsWithChange, Some(Change::Misprint)) => "True, once a misprint is mended",
            (Verdict::HoldsWithChange, Some(Change::Condition)) => {
                "True under a condition that the document does not state"
            }
            (Verdict::HoldsWithChange, Some(Change::Weaker)) => "A weaker form is true",
            (Verdict::HoldsWithChange, None) => "True with a change",
            (Verdict::Fails, _) => "Fails",
            (Verdict::Inconclusive, _) => "Not decided",
            (Verdict::NotTested, _) => "Not tested",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}

impl FromStr for Verdict {
    type Err = String;

    fn from_str(text: &str) -> Result<Verdict, String> {
        Verdict::ALL.into_iter().find(|v| v.text() == text).ok_or_else(|| {
            let known: Vec<&str> = Verdict::ALL.iter().map(|v| v.text()).collect();
            format!("`{text}` is not a verdict (one of: {})", known.join(", "))
        })
    }
}

/// What kind of change a claim needs to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Change {
    /// A symbol, an index, a factor, a sign or a number is another.
    Misprint,
    /// True only under a condition that the document nowhere states.
    Condition,
    /// A weaker form is true.
    Weaker,
}

impl Change {
    /// All kinds.
    pub const ALL: [Change; 3] = [Change::Misprint, Change::Condition, Change::Weaker];

    /// The word used in files and cards.
    pub fn text(self) -> &'static str {
        match self {
            Change::Misprint => "misprint",
            Change::Condition => "condition",
            Change::Weaker => "weaker",
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}

impl FromStr for Change {
    type Err = String;

    fn from_str(text: &str) -> Result<Change, String> {
        Change::ALL
            .into_iter()
            .find(|c| c.text() == text)
            .ok_or_else(|| format!("`{text}` is no kind of change, use `misprint`, `condition` or `weaker`"))
    }
}

/// How much a run computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Scale {
    /// Small sizes: all notebooks in minutes.
    Quick,
    /// The document's own sizes and run counts.
    Paper,
}

impl Scale {
    /// Both scales.
    pub const ALL: [Scale; 2] = [Scale::Quick, Scale::Paper];

    /// The value for this scale.
    ///
    /// ```
    /// use workbench_record::Scale;
    /// assert_eq!(Scale::Quick.pick(10, 1000), 10);
    /// assert_eq!(Scale::Paper.pick(10, 1000), 1000);
    /// ```
    pub fn pick<T>(self, quick: T, paper: T) -> T {
        match self {
            Scale::Quick => quick,
            Scale::Paper => paper,
        }
    }

    /// The word used in files: `quick` or `paper`.
    pub fn text(self) -> &'static str {
        self.pick("quick", "paper")
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}

impl FromStr for Scale {
    type Err = String;

    fn from_str(text: &str) -> Result<Scale, String> {
        Scale::ALL
            .into_iter()
            .find(|s| s.text() == text)
            .ok_or_else(|| format!("`{text}` is not a scale, use `quick` or `paper`"))
    }
}

/// Serde's view of an enum that is a word in files.
macro_rules! in_words {
    ($($word:ty),*) => {$(
        impl TryFrom<String> for $word {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                text.parse()
            }
        }

        impl From<$word> for &'static str {
            fn from(word: $word) -> &'static str {
                word.text()
            }
        }
    )*};
}
pub(crate) use in_words;
in_words!(Verdict, Change, Scale);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_read_back() {
        for verdict in Verdict::ALL {
            assert_eq!(verdict.to_string().parse::<Verdict>(), Ok(verdict));
        }
        for change in Change::ALL {
            assert_eq!(change.to_string().parse::<Change>(), Ok(change));
        }
        for scale in Scale::ALL {
            assert_eq!(scale.to_string().parse::<Scale>(), Ok(scale));
        }
        assert!("Holds".parse::<Verdict>().unwrap_err().contains("holds"));
        assert!("full".parse::<Scale>().unwrap_err().contains("quick"));
    }
}
