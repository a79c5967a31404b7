//! Tally of the test command: what passed, what failed, how long each step took, and how that compares with the committed table of times.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use workbench_base::error::{Error, Result};
use workbench_base::progress;

/// The committed times of a complete test from a bare clone on two cores, one row a step.
const TABLE: &str = ".ci/steps.csv";
/// A step is pointed at if, beside its committed time, it took this many times what all steps together took beside theirs.
const SLOWER: f64 = 1.5;
/// Shorter steps vary by as much as they last.
const SHORT: f64 = 20.0;

/// One line of the tally.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub name: String,
    pub ok: bool,
    /// None for what was measured together with others: notebooks share the time of their run.
    pub seconds: Option<f64>,
    /// Whether other steps waited for it, or it ran beside them.
    pub waited_for: bool,
}

/// What passed and what did not, in the order of their ends.
#[derive(Debug, Default)]
pub struct Tally {
    entries: Vec<Entry>,
}

impl Tally {
    /// A step that ended.
    pub fn add(&mut self, name: &str, ok: bool, seconds: f64) {
        println!("{} {name} ({})", word(ok), progress::seconds(seconds));
        self.push(name, ok, Some(seconds));
    }

    /// One of the things that a step looked at, whose time is the step's.
    pub fn count(&mut self, name: &str, ok: bool) {
        println!("{} {name}", word(ok));
        self.push(name, ok, None);
    }

    fn push(&mut self, name: &str, ok: bool, seconds: Option<f64>) {
        self.entries.push(Entry { name: name.to_owned(), ok, seconds, waited_for: true });
    }

    /// Takes over what a test beside this one has found.
    pub fn take_beside(&mut self, others: Vec<Entry>) {
        self.entries.extend(others.into_iter().map(|entry| Entry { waited_for: false, ..entry }));
    }

    pub fn failed(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter(|entry| !entry.ok).map(|entry| entry.name.as_str())
    }

    pub fn closing_line(&self) -> String {
        let failed = self.failed().count();
        format!("{} passed, {failed} failed", self.entries.len() - failed)
    }

    /// Each step's time beside the committed one, and the ratio; what is far slower than the rest is pointed at.
    ///
    /// # Errors
    /// A table that cannot be read.
    pub fn times(&self, root: &Path) -> Result<String> {
        let committed = read(&root.join(TABLE))?;
        let known = |name: &str| committed.iter().find(|(step, _)| step == name).map(|(_, time)| *time);
        let steps: Vec<(&Entry, f64, Option<f64>)> =
            self.entries.iter().filter_map(|entry| Some((entry, entry.seconds?, known(&entry.name)))).collect();
        let (here, there) = steps
            .iter()
            .filter_map(|(_, here, there)| Some((here, (*there)?)))
            .fold((0.0, 0.0), |(a, b), (here, there)| (a + here, b + there));
        let whole = here / there;
        let mut rows: Vec<Vec<String>> = steps
            .iter()
            .map(|(entry, here, there)| {
                let ratio = there.map(|there| here / there);
                let slow = entry.waited_for && *here > SHORT && ratio.is_some_and(|ratio| ratio > SLOWER * whole);
                let remark = match (slow, entry.waited_for) {
                    (true, _) => "slower than the others: look here",
                    (_, false) => "beside the notebooks",
                    _ => "",
                };
                let digits = |value: Option<f64>, digits: usize| {
                    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
                };
                vec![entry.name.clone(), format!("{here:.1}"), digits(*there, 1), digits(ratio, 2), remark.to_owned()]
            })
            .collect();
        if whole.is_finite() {
            rows.push(vec![
                "all that the table has".into(),
                format!("{here:.1}"),
                format!("{there:.1}"),
                format!("{whole:.2}"),
                String::new(),
            ]);
        }
        Ok(progress::table(&["step", "here, s", TABLE, "ratio", ""], &rows, &[1, 2, 3]))
    }

    /// Writes the times of this test as the committed ones.
    ///
    /// # Errors
    /// A table that cannot be written.
    pub fn keep_times(&self, root: &Path) -> Result<PathBuf> {
        let path = root.join(TABLE);
        let mut text = String::from("step,seconds\n");
        for entry in &self.entries {
            if let Some(seconds) = entry.seconds {
                text += &format!("{},{seconds:.1}\n", entry.name);
            }
        }
        workbench_record::atomic::write(&path, text.as_bytes()).map_err(|source| Error::io("write", &path, source))?;
        Ok(path)
    }

    /// Leaves what was found for the test that this one runs beside.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn hand_over(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string(&self.entries).unwrap_or_default();
        std::fs::write(path, text).map_err(|source| Error::io("write", path, source))
    }
}

/// What a test beside this one left; none if it came to no end.
pub fn handed_over(path: &Path) -> Option<Vec<Entry>> {
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

fn word(ok: bool) -> &'static str {
    if ok { "ok    " } else { "FAILED" }
}

/// The steps of a table and their seconds; none where there is no table.
fn read(path: &Path) -> Result<Vec<(String, f64)>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(Error::io("read", path, source)),
    };
    let rows = text.lines().skip(1).filter_map(|line| {
        let (step, seconds) = line.rsplit_once(',')?;
        Some((step.to_owned(), seconds.parse().ok()?))
    });
    Ok(rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(steps: &[(&str, f64)]) -> Tally {
        let mut tally = Tally::default();
        for (name, seconds) in steps {
            tally.add(name, true, *seconds);
        }
        tally
    }

    #[test]
    fn the_closing_line_counts_every_step_and_notebook() {
        let mut tally = tally(&[("cargo fmt", 1.0), ("notebooks", 5.0)]);
        tally.count("notebook a", true);
        tally.count("notebook b", false);
        assert_eq!(tally.closing_line(), "3 passed, 1 failed");
        assert_eq!(tally.failed().collect::<Vec<_>>(), ["notebook b"]);
    }

    #[test]
    fn what_ran_beside_counts_and_is_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tally");
        assert!(handed_over(&file).is_none());
        let mut side = tally(&[("site", 60.0)]);
        side.add("a sweep", false, 30.0);
        side.hand_over(&file).unwrap();
        let mut whole = tally(&[("notebooks", 100.0)]);
        whole.take_beside(handed_over(&file).unwrap());
        assert_eq!(whole.closing_line(), "2 passed, 1 failed");
        let line = whole.times(folder.path()).unwrap();
        let line = line.lines().find(|line| line.starts_with("site")).unwrap();
        assert!(line.contains("beside the notebooks"), "{line}");
    }

    #[test]
    fn a_step_that_became_slower_is_pointed_at_on_a_slower_machine_too() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".ci")).unwrap();
        let before = tally(&[("build", 100.0), ("cargo test", 100.0), ("site", 30.0)]);
        assert!(!before.times(folder.path()).unwrap().contains("all that"), "no table yet");
        before.keep_times(folder.path()).unwrap();
        let line = |now: &Tally, step: &str| {
            let text = now.times(folder.path()).unwrap();
            text.lines().find(|line| line.starts_with(step)).unwrap().to_owned()
        };
        let slow_machine = tally(&[("build", 200.0), ("cargo test", 200.0), ("site", 60.0), ("new", 1.0)]);
        for step in ["build", "cargo test", "site", "new"] {
            assert!(!line(&slow_machine, step).contains("look here"), "{step}");
        }
        assert!(line(&slow_machine, "all").contains("2.00"));
        assert!(line(&slow_machine, "new").contains(" -"));
        let slow_step = tally(&[("build", 100.0), ("cargo test", 100.0), ("site", 90.0)]);
        assert!(line(&slow_step, "site").contains("look here"));
        assert!(!line(&slow_step, "build").contains("look here"));
    }
}
