//! The five verdicts, the kinds of a change and of what is open, and the two scales.

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
    /// use workbench_record::{Kind, Verdict};
    /// assert_eq!(Verdict::Holds.said(None), "Holds as printed");
    /// assert_eq!(Verdict::HoldsWithChange.said(Some(Kind::Weaker)), "A weaker form is true");
    /// assert_eq!(Verdict::Inconclusive.said(Some(Kind::Against)), "Against it, at our size");
    /// ```
    pub fn said(self, kind: Option<Kind>) -> &'static str {
        match (self, kind) {
            (Verdict::Holds, _) => "Holds as printed",
            (Verdict::HoldsWithChange, Some(Kind::Misprint)) => "True, once a misprint is mended",
            (Verdict::HoldsWithChange, Some(Kind::Condition)) => {
                "True under a condition that the document does not state"
            }
            (Verdict::HoldsWithChange, Some(Kind::Weaker)) => "A weaker form is true",
            (Verdict::HoldsWithChange, Some(Kind::Step)) => "True, once a step of its proof is replaced",
            (Verdict::HoldsWithChange, _) => "True with a change",
            (Verdict::Fails, _) => "Fails",
            (Verdict::Inconclusive, Some(Kind::Against)) => "Against it, at our size",
            (Verdict::Inconclusive, _) => "Not decided",
            (Verdict::NotTested, _) => "Not tested",
        }
    }

    /// The verdict in tables: a change by its kind, and what is open by which of the two it is.
    ///
    /// ```
    /// use workbench_record::{Kind, Verdict};
    /// assert_eq!(Verdict::HoldsWithChange.word(Some(Kind::Step)), "step");
    /// assert_eq!(Verdict::Inconclusive.word(Some(Kind::Undecided)), "not decided");
    /// ```
    pub fn word(self, kind: Option<Kind>) -> &'static str {
        match (self, kind) {
            (Verdict::HoldsWithChange, Some(kind)) => kind.text(),
            (Verdict::Inconclusive, Some(Kind::Against)) => "against, at our size",
            (Verdict::Inconclusive, Some(_)) => "not decided",
            _ => self.text(),
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

/// What a verdict leaves to say: the kind of change that a claim needs to hold, or why it is inconclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Kind {
    /// A change: a symbol, an index, a factor, a sign or a number is another.
    Misprint,
    /// A change: true only under a condition that the document nowhere states.
    Condition,
    /// A change: a weaker form is true.
    Weaker,
    /// A change: a link of the proof is wrong, and another leads to the same end.
    Step,
    /// Inconclusive: what was found speaks against the claim, on a smaller system than it speaks of.
    Against,
    /// Inconclusive: the intervals hold both.
    Undecided,
}

impl Kind {
    /// The kinds of a change.
    pub const CHANGES: [Kind; 4] = [Kind::Misprint, Kind::Condition, Kind::Weaker, Kind::Step];
    /// All kinds.
    pub const ALL: [Kind; 6] =
        [Kind::Misprint, Kind::Condition, Kind::Weaker, Kind::Step, Kind::Against, Kind::Undecided];

    /// The word used in files and cards.
    pub fn text(self) -> &'static str {
        match self {
            Kind::Misprint => "misprint",
            Kind::Condition => "condition",
            Kind::Weaker => "weaker",
            Kind::Step => "step",
            Kind::Against => "against",
            Kind::Undecided => "undecided",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Kind, String> {
        Kind::ALL.into_iter().find(|kind| kind.text() == text).ok_or_else(|| {
            let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.text()).collect();
            format!("`{text}` is no kind of change, and no kind of what is open (one of: {})", known.join(", "))
        })
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
in_words!(Verdict, Kind, Scale);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_read_back() {
        for verdict in Verdict::ALL {
            assert_eq!(verdict.to_string().parse::<Verdict>(), Ok(verdict));
        }
        for kind in Kind::ALL {
            assert_eq!(kind.to_string().parse::<Kind>(), Ok(kind));
        }
        for scale in Scale::ALL {
            assert_eq!(scale.to_string().parse::<Scale>(), Ok(scale));
        }
        assert!("Holds".parse::<Verdict>().unwrap_err().contains("holds"));
        assert!("full".parse::<Scale>().unwrap_err().contains("quick"));
    }
}
