//! Texts as numbers.

use std::collections::HashMap;

use workbench_ground::check;

use crate::Error;

/// How a text is cut into symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    Characters,
    Words,
}

/// The symbols of a text and their numbers. Three come first: [`Vocabulary::PADDING`], [`Vocabulary::MASK`] and
/// [`Vocabulary::UNKNOWN`]; then those of the text, most frequent first, equally frequent ones by their spelling.
///
/// Letters are made small; words are longest runs of letters, digits and apostrophes.
///
/// ```
/// use workbench_optimizer::data::Vocabulary;
/// let words = Vocabulary::words(["to be or not to be"], 2)?;
/// assert_eq!(words.symbols(), ["be", "to"]);
/// assert_eq!(words.numbers("To be, or not."), [4, 3, 2, 2]);
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    cut: Cut,
    symbols: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Vocabulary {
    /// Fills a text up to a length.
    pub const PADDING: usize = 0;
    /// Stands where a model has to say what was there.
    pub const MASK: usize = 1;
    /// Stands for everything that is not in the vocabulary.
    pub const UNKNOWN: usize = 2;
    /// The number of the first symbol of a text.
    pub const FIRST: usize = 3;

    /// The characters of these texts that occur at least `fewest` times.
    ///
    /// **Errors**: no such characters.
    pub fn characters<'a>(texts: impl IntoIterator<Item = &'a str>, fewest: usize) -> Result<Vocabulary, Error> {
        Vocabulary::count("Vocabulary::characters", Cut::Characters, texts, usize::MAX, fewest)
    }

    /// The `most` most frequent words of these texts.
    ///
    /// **Errors**: `most` of zero, texts without words.
    pub fn words<'a>(texts: impl IntoIterator<Item = &'a str>, most: usize) -> Result<Vocabulary, Error> {
        const OP: &str = "Vocabulary::words";
        check::positive(OP, "number of words", most)?;
        Vocabulary::count(OP, Cut::Words, texts, most, 1)
    }

    fn count<'a>(
        op: &'static str,
        cut: Cut,
        texts: impl IntoIterator<Item = &'a str>,
        most: usize,
        fewest: usize,
    ) -> Result<Vocabulary, Error> {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for text in texts {
            cut.each(text, |symbol| match counts.get_mut(symbol) {
                Some(count) => *count += 1,
                None => {
                    counts.insert(symbol.to_string(), 1);
                }
            });
        }
        let mut counted: Vec<(String, usize)> = counts.into_iter().filter(|entry| entry.1 >= fewest).collect();
        if counted.is_empty() {
            return Err(Error::empty(op, "the vocabulary", "pass texts, and a lower bound on counts"));
        }
        counted.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        counted.truncate(most);
        let symbols: Vec<String> = counted.into_iter().map(|entry| entry.0).collect();
        let numbers = (Vocabulary::FIRST..).zip(&symbols).map(|(number, symbol)| (symbol.clone(), number));
        Ok(Vocabulary { cut, numbers: numbers.collect(), symbols })
    }

    /// How many numbers there are, the three of no text among them.
    pub fn len(&self) -> usize {
        Vocabulary::FIRST + self.symbols.len()
    }

    /// Whether there are no symbols of a text; never true.
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// The symbols that texts are made of; the first one has the number [`Vocabulary::FIRST`].
    pub fn symbols(&self) -> &[String] {
        &self.symbols
    }

    /// The number of a symbol, if it is in the vocabulary.
    pub fn number(&self, symbol: &str) -> Option<usize> {
        self.numbers.get(symbol).copied()
    }

    /// The numbers of a text.
    pub fn numbers(&self, text: &str) -> Vec<usize> {
        let mut numbers = Vec::new();
        self.cut.each(text, |symbol| numbers.push(self.number(symbol).unwrap_or(Vocabulary::UNKNOWN)));
        numbers
    }

    /// The numbers of a text at a fixed length: filled up with padding, or cut.
    pub fn padded(&self, text: &str, length: usize) -> Vec<usize> {
        let mut numbers = self.numbers(text);
        numbers.resize(length, Vocabulary::PADDING);
        numbers
    }
}

impl Cut {
    /// Calls `symbol` with each symbol of a text, in order.
    fn each(self, text: &str, mut symbol: impl FnMut(&str)) {
        let text = text.to_lowercase();
        match self {
            Cut::Characters => {
                let mut place = [0; 4];
                text.chars().for_each(|character| symbol(character.encode_utf8(&mut place)));
            }
            Cut::Words => text
                .split(|c: char| !(c.is_alphanumeric() || c == '\''))
                .filter(|word| !word.is_empty())
                .for_each(symbol),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Speeches, Surnames, folder};
    use super::*;

    #[test]
    fn symbols_come_by_count_and_spelling() {
        let characters = Vocabulary::characters(["bab", "Ab c"], 2).unwrap();
        assert_eq!(characters.symbols(), ["b", "a"]);
        assert_eq!(characters.len(), 5);
        assert_eq!(characters.padded("cab", 4), [2, 4, 3, 0]);
        assert_eq!(characters.padded("abab", 2), [4, 3]);
        assert!(Vocabulary::characters(["ab"], 2).is_err());
        assert!(Vocabulary::words(["..."], 3).is_err() && Vocabulary::words(["a"], 0).is_err());
    }

    #[test]
    fn real_texts_have_the_letters_and_words_of_english() {
        let surnames = Surnames::kept(folder()).unwrap();
        assert_eq!(Vocabulary::characters(surnames.texts(), 1).unwrap().len(), 3 + 26);
        let speeches = Speeches::kept(folder()).unwrap();
        let texts = || speeches.all().iter().map(|speech| speech.text.as_str());
        assert_eq!(Vocabulary::words(texts(), 3).unwrap().symbols(), ["the", "of", "and"]);
        assert_eq!(Vocabulary::characters(texts(), 1).unwrap().symbols()[..2], [" ", "e"]);
    }
}
