//! Word counts of a real text: a law of the inputs that nobody assumed.

use std::path::Path;
use workbench_ground::Error;
use workbench_ground::check::{positive, within};
use workbench_ground::stats::sum_of_powers;
use workbench_ground::work;

/// The words of a text and how often each occurs, most frequent first.
///
/// The relative frequencies play the part of p: rank x is the x-th most frequent word.
///
/// ```
/// use workbench_memory::WordCounts;
/// let counts = WordCounts::new(vec![("the".into(), 6), ("of".into(), 3), ("and".into(), 2)])?;
/// assert_eq!(counts.total(), 11);
/// // p = 6, 3, 2 elevenths is Zipf's law with alpha = 1.
/// assert!((counts.exponent(1, 3)? - 1.0).abs() < 1e-9);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordCounts {
    words: Vec<String>,
    counts: Vec<usize>,
}

impl WordCounts {
    /// Counts given as a list, in any order; zero counts are dropped.
    ///
    /// **Errors**: nothing with a positive count.
    pub fn new(mut list: Vec<(String, usize)>) -> Result<WordCounts, Error> {
        list.retain(|entry| entry.1 > 0);
        positive("WordCounts::new", "number of words", list.len())?;
        list.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let (words, counts) = list.into_iter().unzip();
        Ok(WordCounts { words, counts })
    }

    /// Reads a table with a header and lines `word,count`.
    ///
    /// **Errors**: a file that cannot be read, a line without a count.
    pub fn read(path: impl AsRef<Path>) -> Result<WordCounts, Error> {
        WordCounts::read_at(path.as_ref())
    }

    fn read_at(path: &Path) -> Result<WordCounts, Error> {
        let refuse = |problem: String| {
            let next = "see datasets/README.md for the files that come with the notebooks";
            Error::file("WordCounts::read", path, problem, next)
        };
        let text = std::fs::read_to_string(path).map_err(|e| refuse(e.to_string()))?;
        let mut list = Vec::new();
        for (i, line) in text.lines().enumerate().skip(1) {
            let entry = line
                .rsplit_once(',')
                .and_then(|(word, count)| Some((word.to_string(), count.trim().parse().ok()?)))
                .ok_or_else(|| refuse(format!("line {} is not `word,count`", i + 1)))?;
            list.push(entry);
        }
        WordCounts::new(list)
    }

    /// The words, most frequent first.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// How often each word occurs.
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// The length of the text in words.
    pub fn total(&self) -> usize {
        self.counts.iter().sum()
    }

    /// The number of different words.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are no words; never true.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Relative frequencies, entry i belonging to rank i + 1.
    pub fn frequencies(&self) -> Vec<f64> {
        let total = self.total() as f64;
        self.counts.iter().map(|&c| c as f64 / total).collect()
    }

    /// The exponent $\alpha$ of the Zipf law on the ranks `from..=to` under which the counts there are most likely.
    ///
    /// Ranks come from the counts themselves, which tilts the far tail (ranks that occur once or twice) and is why windows are compared
    /// instead of giving one number an interval.
    ///
    /// **Errors**: an empty window, ranks beyond the words, counts that no exponent between -10 and 30 explains, [`Error::Stopped`].
    pub fn exponent(&self, from: usize, to: usize) -> Result<f64, Error> {
        const OP: &str = "WordCounts::exponent";
        /// Enough to know it to 1e-12.
        const HALVINGS: usize = 46;
        if from == 0 || to <= from || to > self.len() {
            let allowed = "ranks 1 <= from < to <= number of words";
            return Err(Error::parameter(OP, "to", to as f64, allowed));
        }
        let window = &self.counts[from - 1..to];
        let total: f64 = window.iter().map(|&c| c as f64).sum();
        let mean_log: f64 =
            window.iter().enumerate().map(|(i, &c)| c as f64 * ((from + i) as f64).ln()).sum::<f64>() / total;
        // The mean of ln x under the law falls with alpha: bisect for equality with the data.
        let expected = |alpha: f64| {
            let (mut top, mut bottom) = (0.0, 0.0);
            for x in from..=to {
                let x = (x as f64).ln();
                let weight = (-alpha * (x - (from as f64).ln())).exp();
                top += weight * x;
                bottom += weight;
            }
            top / bottom
        };
        let (mut low, mut high) = (-10.0, 30.0);
        let allowed = "a window in which counts fall like a power; widen it";
        let inside = expected(low) > mean_log && mean_log > expected(high);
        within(OP, "mean ln rank", mean_log, inside, allowed)?;
        for done in 0..HALVINGS {
            work::check(OP, done, HALVINGS)?;
            let middle = 0.5 * (low + high);
            if expected(middle) > mean_log { low = middle } else { high = middle }
        }
        Ok(0.5 * (low + high))
    }

    /// $C\,x^{-\alpha}$ on the ranks `1..=n`, scaled so that ranks `from..=to` have together the mass that the text gives them.
    ///
    /// **Errors**: those of [`WordCounts::exponent`].
    pub fn fitted(&self, from: usize, to: usize) -> Result<Vec<f64>, Error> {
        let alpha = self.exponent(from, to)?;
        let mass: f64 = self.frequencies()[from - 1..to].iter().sum();
        let scale = mass / sum_of_powers(alpha.max(0.0), 0.0, from, Some(to));
        Ok((1..=self.len()).map(|x| scale * (x as f64).powf(-alpha)).collect())
    }

    /// $\sum_xp(x)(1-p(x))^t$ with the frequencies of the text as p.
    ///
    /// **Source**: Lemma 1, first display of the proof.
    pub fn unseen_mass(&self, t: usize) -> f64 {
        self.frequencies().iter().rev().map(|&p| if p >= 1.0 { 0.0 } else { p * (t as f64 * (-p).ln_1p()).exp() }).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::zipf::Zipf;

    fn zipf_text(alpha: f64, n: usize) -> WordCounts {
        let law = Zipf::new(alpha, n).unwrap();
        let list = (1..=n).map(|x| (format!("{x:06}"), (1e12 * law.probability(x)).round() as usize));
        WordCounts::new(list.collect()).unwrap()
    }

    #[test]
    fn finds_the_exponent_of_a_zipf_text() {
        for alpha in [0.7, 1.0, 1.6] {
            let text = zipf_text(alpha, 500);
            for (from, to) in [(1, 500), (1, 20), (100, 400)] {
                assert!((text.exponent(from, to).unwrap() - alpha).abs() < 1e-6);
            }
            let fitted = text.fitted(1, 500).unwrap();
            assert!(fitted.iter().zip(text.frequencies()).all(|(f, p)| (f / p - 1.0).abs() < 1e-4));
            let law = Zipf::new(alpha, 500).unwrap();
            assert!((text.unseen_mass(1000) / law.unseen_mass(1000) - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn reads_a_table_and_refuses_a_bad_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words.csv");
        std::fs::write(&path, "word,count\nb,2\na,5\nc,0\n").unwrap();
        let text = WordCounts::read(&path).unwrap();
        assert_eq!((text.words(), text.counts()), (&["a".to_string(), "b".into()][..], &[5, 2][..]));
        std::fs::write(&path, "word,count\nb\n").unwrap();
        let error = WordCounts::read(&path).unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
        assert!(matches!(WordCounts::read(folder.path().join("none")), Err(Error::File { .. })));
    }

    #[test]
    fn the_committed_text_can_be_read() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/shakespeare-words.csv");
        let text = WordCounts::read(path).unwrap();
        assert_eq!(text.words()[0], "the");
        assert!(text.exponent(10, 300).unwrap() > 0.8 && text.exponent(1000, text.len()).unwrap() > 1.2);
    }

    #[test]
    fn refuses_bad_input() {
        assert!(matches!(WordCounts::new(vec![("a".into(), 0)]), Err(Error::Zero { .. })));
        let text = zipf_text(1.0, 10);
        for (from, to) in [(0, 5), (5, 5), (1, 11)] {
            assert!(matches!(text.exponent(from, to), Err(Error::Parameter { .. })));
        }
    }
}
