//! The kinds of fault that are planted.

use serde::{Deserialize, Serialize};

/// What a tired programmer does to a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    /// A plus for a minus, or a minus that is forgotten.
    Sign,
    /// A factor that is wrong or forgotten.
    Factor,
    /// A wrong power, or a root that is forgotten.
    Exponent,
    /// A matrix or an index pair the wrong way round.
    Transposed,
    /// A sum that is not divided by what it is a sum of.
    MissingN,
    /// A loop or an index that is one short or one too far.
    OffByOne,
    /// An average over the wrong axis, over all but the first, or by the wrong count.
    Average,
    /// Draws that are used twice.
    Randomness,
}

impl Operator {
    /// All of them.
    pub const ALL: [Operator; 8] = [
        Operator::Sign,
        Operator::Factor,
        Operator::Exponent,
        Operator::Transposed,
        Operator::MissingN,
        Operator::OffByOne,
        Operator::Average,
        Operator::Randomness,
    ];

    /// In words, for tables.
    pub fn text(self) -> &'static str {
        match self {
            Operator::Sign => "sign",
            Operator::Factor => "factor",
            Operator::Exponent => "exponent",
            Operator::Transposed => "transposed",
            Operator::MissingN => "missing 1/n",
            Operator::OffByOne => "off by one",
            Operator::Average => "wrong average",
            Operator::Randomness => "reused randomness",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_words_of_its_own() {
        let mut words: Vec<&str> = Operator::ALL.iter().map(|operator| operator.text()).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), Operator::ALL.len());
    }
}
