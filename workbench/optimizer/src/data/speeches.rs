//! Documents of two lengths.

use std::path::Path;

use super::SEE;
use super::idx::read_bytes;
use crate::Error;

/// One address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speech {
    /// Year and speaker, as `1790_george_washington_n`; the last letters are those of the party.
    pub title: String,
    /// The words, one space between them.
    pub text: String,
}

/// State of the Union addresses: short ones of 1790 to 1800 and 1934 to 1945, long ones of 1895 to 1912. A text to fill gaps in, of two
/// document lengths as the document's Table 3 has (37,000 and 592 tokens there; about 17,000 and 3,000 words here).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speeches {
    speeches: Vec<Speech>,
}

impl Speeches {
    /// From `speeches.txt.gz` in the folder `datasets`: 41 documents, 2.7 MB. Cost: 10 ms.
    ///
    /// **Errors**: [`Error::File`]: those of [`Speeches::read`].
    pub fn kept(folder: impl AsRef<Path>) -> Result<Speeches, Error> {
        Speeches::read(folder.as_ref().join("speeches.txt.gz"))
    }

    /// Reads a text, gzipped or plain, in which a line `# TITLE` stands before each document.
    ///
    /// **Errors**: [`Error::File`]: a file that cannot be read or unpacked, that is not UTF-8 or does not start with a title, a document
    /// without words.
    pub fn read(path: impl AsRef<Path>) -> Result<Speeches, Error> {
        let path = path.as_ref();
        let refuse = |problem: String| Error::file("Speeches::read", path, problem, SEE);
        let bytes = read_bytes(path).map_err(refuse)?;
        let text = String::from_utf8(bytes).map_err(|error| refuse(error.to_string()))?;
        let mut speeches: Vec<Speech> = Vec::new();
        for line in text.lines() {
            match (line.strip_prefix("# "), speeches.last_mut()) {
                (Some(title), _) => speeches.push(Speech { title: title.to_string(), text: String::new() }),
                (None, Some(speech)) => {
                    for word in line.split_whitespace() {
                        if !speech.text.is_empty() {
                            speech.text.push(' ');
                        }
                        speech.text.push_str(word);
                    }
                }
                (None, None) => return Err(refuse("the first line is no `# TITLE`".into())),
            }
        }
        if speeches.is_empty() {
            return Err(refuse("no documents".into()));
        }
        if let Some(empty) = speeches.iter().find(|speech| speech.text.is_empty()) {
            return Err(refuse(format!("no words under `# {}`", empty.title)));
        }
        Ok(Speeches { speeches })
    }

    /// All addresses, by year.
    pub fn all(&self) -> &[Speech] {
        &self.speeches
    }
}

#[cfg(test)]
mod tests {
    use super::super::folder;
    use super::*;

    #[test]
    fn the_kept_speeches_have_two_lengths() {
        let speeches = Speeches::kept(folder()).unwrap();
        assert_eq!(speeches.all().len(), 41);
        let mean = |from: &str, to: &str| {
            let words: Vec<f64> = speeches
                .all()
                .iter()
                .filter(|speech| (from..to).contains(&speech.title.as_str()))
                .map(|speech| speech.text.split(' ').count() as f64)
                .collect();
            words.iter().sum::<f64>() / words.len() as f64
        };
        let (short, long) = (mean("1790", "1801"), mean("1895", "1913"));
        assert!(short < 2_500.0 && long > 16_000.0, "{short} {long}");
    }

    #[test]
    fn bad_texts_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.txt");
        for (text, expected) in [
            (&b"words\n# a\nb"[..], "first line"),
            (b"", "no documents"),
            (b"# a\n# b\nc", "under `# a`"),
            (b"# a\n\xff", "utf-8"),
            (b"\x1f\x8b\x08", "cut short"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = Speeches::read(&path).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
