//! First names with the sex of their bearers, and surnames.

use std::path::Path;

use super::SEE;
use crate::Error;

/// The sex that more bearers of a name have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sex {
    /// Class 0.
    Female,
    /// Class 1.
    Male,
}

/// A first name.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// In small letters a to z.
    pub text: String,
    /// Percentage of women who bear it.
    pub female: f64,
    /// Percentage of men who bear it.
    pub male: f64,
}

impl Name {
    /// The sex that more bearers have; none when both are equally frequent.
    pub fn sex(&self) -> Option<Sex> {
        match self.female.partial_cmp(&self.male)? {
            std::cmp::Ordering::Greater => Some(Sex::Female),
            std::cmp::Ordering::Less => Some(Sex::Male),
            std::cmp::Ordering::Equal => None,
        }
    }
}

/// First names in the United States, census of 1990: a small classification of texts by their characters.
///
/// ```no_run
/// use workbench_optimizer::data::{Names, Sex};
/// let names = Names::kept("../datasets")?;
/// let mary = names.all().iter().find(|name| name.text == "mary");
/// assert_eq!(mary.and_then(|name| name.sex()), Some(Sex::Female));
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Names {
    names: Vec<Name>,
}

impl Names {
    /// From `first-names.csv` in the folder `datasets`.
    ///
    /// **Errors**: [`Error::File`]: those of [`Names::read`].
    pub fn kept(folder: impl AsRef<Path>) -> Result<Names, Error> {
        Names::read(folder.as_ref().join("first-names.csv"))
    }

    /// Reads a table with a header and lines `name,female,male`, both percentages.
    ///
    /// **Errors**: [`Error::File`]: a file that cannot be read, a line of another form, percentages that are negative, no names.
    pub fn read(path: impl AsRef<Path>) -> Result<Names, Error> {
        let path = path.as_ref();
        let names = lines("Names::read", path, "`name,female,male`", |fields| match fields {
            [text, female, male] => {
                Some(Name { text: (*text).to_string(), female: percentage(female)?, male: percentage(male)? })
            }
            _ => None,
        })?;
        Ok(Names { names })
    }

    /// All names, in the order of the file.
    pub fn all(&self) -> &[Name] {
        &self.names
    }

    /// Names and classes (0 female, 1 male) of those that more bearers of one sex have.
    pub fn labelled(&self) -> (Vec<&str>, Vec<usize>) {
        let labelled = |name: &Name| name.sex().map(|sex| usize::from(sex == Sex::Male));
        self.names.iter().filter_map(|name| Some((name.text.as_str(), labelled(name)?))).unzip()
    }
}

/// Surnames in the United States, census of 1990, most frequent first: texts to pre-train a model of characters on.
#[derive(Clone, Debug, PartialEq)]
pub struct Surnames {
    names: Vec<(String, f64)>,
}

impl Surnames {
    /// From `surnames.csv` in the folder `datasets`.
    ///
    /// **Errors**: [`Error::File`]: those of [`Surnames::read`].
    pub fn kept(folder: impl AsRef<Path>) -> Result<Surnames, Error> {
        Surnames::read(folder.as_ref().join("surnames.csv"))
    }

    /// Reads a table with a header and lines `name,percent`.
    ///
    /// **Errors**: [`Error::File`]: a file that cannot be read, a line of another form, percentages that are negative, no names.
    pub fn read(path: impl AsRef<Path>) -> Result<Surnames, Error> {
        let path = path.as_ref();
        let names = lines("Surnames::read", path, "`name,percent`", |fields| match fields {
            [text, percent] => Some(((*text).to_string(), percentage(percent)?)),
            _ => None,
        })?;
        Ok(Surnames { names })
    }

    /// Names and the percentages of people who bear them.
    pub fn all(&self) -> &[(String, f64)] {
        &self.names
    }

    /// The names alone.
    pub fn texts(&self) -> Vec<&str> {
        self.names.iter().map(|(text, _)| text.as_str()).collect()
    }
}

fn percentage(field: &str) -> Option<f64> {
    let value: f64 = field.trim().parse().ok()?;
    (value.is_finite() && value >= 0.0).then_some(value)
}

fn lines<T>(op: &'static str, path: &Path, form: &str, entry: impl Fn(&[&str]) -> Option<T>) -> Result<Vec<T>, Error> {
    let refuse = |problem: String| Error::file(op, path, problem, SEE);
    let text = std::fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
    let mut entries = Vec::new();
    for (at, line) in text.lines().enumerate().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let named = fields.first().is_some_and(|name| !name.trim().is_empty());
        let found = named.then(|| entry(&fields)).flatten();
        entries.push(found.ok_or_else(|| refuse(format!("line {} is not {form}", at + 1)))?);
    }
    if entries.is_empty() {
        return Err(refuse("no names".into()));
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::super::folder;
    use super::*;

    #[test]
    fn the_kept_names_are_read() {
        let names = Names::kept(folder()).unwrap();
        assert_eq!(names.all().len(), 5_163);
        let sex = |text: &str| names.all().iter().find(|name| name.text == text).and_then(Name::sex);
        assert_eq!((sex("mary"), sex("james"), sex("leslie")), (Some(Sex::Female), Some(Sex::Male), Some(Sex::Female)));
        let (texts, classes) = names.labelled();
        assert_eq!(texts.len(), classes.len());
        let men = classes.iter().sum::<usize>();
        assert!(men > 900 && classes.len() > 5_100, "{men} of {}", classes.len());
        let surnames = Surnames::kept(folder()).unwrap();
        assert_eq!((surnames.all().len(), &surnames.all()[0]), (20_000, &("smith".to_string(), 1.006)));
        assert_eq!(surnames.texts()[1], "johnson");
    }

    #[test]
    fn bad_tables_are_refused_with_the_line() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("names.csv");
        for (text, expected) in [
            ("name,female,male\nann,1,0\nbob,2\n", "line 3"),
            ("name,female,male\nann,-1,0\n", "line 2"),
            ("name,female,male\nann,x,0\n", "line 2"),
            ("name,female,male\n,1,0\n", "line 2"),
            ("name,female,male\n", "no names"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = Names::read(&path).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        assert!(Surnames::read(place.path().join("none")).is_err());
    }
}
