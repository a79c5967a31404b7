//! The tables of one folder: `ledger.csv`, `findings-quick.csv` and `findings-paper.csv`, `notes.csv`, `runs.csv`.
//!
//! All writing goes through a [`Held`], which holds the folder's lock. What belongs to one claim, scale and seed is replaced
//! together, the ledger's line last, so that a verdict is there only with its findings.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::table::{self, Key, Line};
use super::words::count;
use super::{Error, FindingLine, Held, Lock, Note, Registry, Row, Run, program};

/// How long a cell waits for another writer of the same tables before it gives up.
const PATIENCE: Duration = Duration::from_secs(30);

/// All that a check says about one claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The verdict.
    pub row: Row,
    /// What it was derived from.
    pub findings: Vec<FindingLine>,
    /// Remarks.
    pub notes: Vec<Note>,
}

/// The tables of a folder, read at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tables {
    /// Verdicts.
    pub rows: Vec<Row>,
    /// Findings.
    pub findings: Vec<FindingLine>,
    /// Remarks.
    pub notes: Vec<Note>,
    /// Runs.
    pub runs: Vec<Run>,
}

impl Tables {
    /// Reads the tables of a folder; those that do not exist are empty.
    ///
    /// # Errors
    /// [`Error::Corrupt`] or [`Error::Io`].
    pub fn read(folder: &Path) -> Result<Tables, Error> {
        Ok(Tables {
            rows: table::read(folder)?,
            findings: table::read(folder)?,
            notes: table::read(folder)?,
            runs: table::read(folder)?,
        })
    }

    /// What the tables say of a registry's claims, and the runs that said it.
    pub fn only(mut self, registry: &Registry) -> Tables {
        let is_wanted = |claim: &str| registry.position(claim).is_some();
        self.rows.retain(|row| is_wanted(&row.claim));
        self.findings.retain(|line| is_wanted(&line.claim));
        self.notes.retain(|note| is_wanted(&note.claim));
        let runs: HashSet<&str> = self.rows.iter().map(|row| row.run.as_str()).collect();
        self.runs.retain(|run| runs.contains(run.run.as_str()));
        self
    }

    /// Rows that some finding decided, and no table has a finding of.
    pub fn bare(&self) -> Vec<&Row> {
        let keys: HashSet<Key> = self.findings.iter().map(Line::key).collect();
        self.rows.iter().filter(|row| !row.finding.is_empty() && !keys.contains(&row.key())).collect()
    }

    /// What to say of so many rows without findings, if there are any.
    pub fn told_bare(rows: usize) -> Option<String> {
        let again = "restore the tables from version control, or compute these rows again with";
        let told = || format!("the findings of {} are in no table: {again} `{} run`", count(rows, "row"), program());
        (rows > 0).then(told)
    }

    /// What is missing in one table to what stands in another, a sentence for each kind: a file was deleted, or lines of it.
    pub fn gaps(&self) -> Vec<String> {
        let rows: HashSet<Key> = self.rows.iter().map(Line::key).collect();
        let runs: HashSet<&str> = self.runs.iter().map(|run| run.run.as_str()).collect();
        let headless: HashSet<Key> = self.findings.iter().map(Line::key).filter(|key| !rows.contains(key)).collect();
        let unknown = self.rows.iter().filter(|row| !row.run.is_empty() && !runs.contains(row.run.as_str())).count();
        let told = |number: usize, what: &str, table: &str| {
            let again = format!("restore it from version control, or compute them again with `{} run`", program());
            (number > 0).then(|| format!("{table} lacks {what} of {}: {again}", count(number, "verdict")))
        };
        let found = [
            Tables::told_bare(self.bare().len()),
            told(headless.len(), "the rows", Row::FILE),
            told(unknown, "the runs", Run::FILE),
        ];
        found.into_iter().flatten().collect()
    }

    /// What the check of one row said.
    pub fn findings_of(&self, row: &Row) -> Vec<&FindingLine> {
        let key = row.key();
        self.findings.iter().filter(|line| line.key() == key).collect()
    }

    /// The run that computed a row, if it is known.
    pub fn run_of(&self, row: &Row) -> Option<&Run> {
        self.runs.iter().find(|run| run.run == row.run)
    }

    /// Adds entries, each in place of what was there for its claim, scale and seed.
    pub fn put(&mut self, entries: impl IntoIterator<Item = Entry>) {
        let entries: Vec<Entry> = entries.into_iter().collect();
        let keys: HashSet<Key> = entries.iter().map(|entry| entry.row.key()).collect();
        self.rows.retain(|line| !keys.contains(&line.key()));
        self.findings.retain(|line| !keys.contains(&line.key()));
        self.notes.retain(|line| !keys.contains(&line.key()));
        for entry in entries {
            self.rows.push(entry.row);
            self.findings.extend(entry.findings);
            self.notes.extend(entry.notes);
        }
    }

    /// The entries of all rows.
    pub fn entries(&self) -> Vec<Entry> {
        self.rows
            .iter()
            .map(|row| {
                let key = row.key();
                Entry {
                    row: row.clone(),
                    findings: self.findings_of(row).into_iter().cloned().collect(),
                    notes: self.notes.iter().filter(|note| note.key() == key).cloned().collect(),
                }
            })
            .collect()
    }

    /// Sorts by the registry's order of claims, then scale, then seed; claims that it does not know come last. Runs that no row
    /// names are taken out.
    pub(super) fn tidy(&mut self, registry: Option<&Registry>) {
        let place = |key: &Key| {
            let place = registry.and_then(|registry| registry.position(&key.name));
            (place.unwrap_or(usize::MAX), key.clone())
        };
        // Stable, so that the findings of one check keep their order.
        self.rows.sort_by_cached_key(|line| place(&line.key()));
        self.findings.sort_by_cached_key(|line| place(&line.key()));
        self.notes.sort_by_cached_key(|line| place(&line.key()));
        let named: HashSet<&str> = self.rows.iter().map(|row| row.run.as_str()).collect();
        self.runs.retain(|run| named.contains(run.run.as_str()));
        self.runs.sort_by(|a, b| (&a.start, &a.run).cmp(&(&b.start, &b.run)));
    }
}

/// The tables of a results folder.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
    patience: Duration,
}

impl Store {
    /// The tables of `folder`; nothing is created until something is written.
    pub fn new(folder: impl Into<PathBuf>) -> Store {
        Store { folder: folder.into(), patience: PATIENCE }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path of the ledger.
    pub fn path(&self) -> PathBuf {
        self.folder.join(Row::FILE)
    }

    /// All rows of the ledger; none if there is no file.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if it is not a ledger, [`Error::Io`] if it cannot be read.
    pub fn read(&self) -> Result<Vec<Row>, Error> {
        table::read(&self.folder)
    }

    /// Adds what a check says in place of what was there for its claim, scale and seed.
    ///
    /// # Errors
    /// [`Error::Corrupt`] (the file is left as it is), [`Error::Locked`] or [`Error::Io`].
    pub fn put(&self, entry: Entry, registry: Option<&Registry>) -> Result<(), Error> {
        let lock = Lock::take(&self.folder, "a notebook's cell", self.patience)?;
        Held::new(Arc::new(lock)).merge(vec![entry], None, registry)
    }
}

/// Saves one entry in a fresh folder under the system's temporary one, in the form of a record; none if that fails too.
pub fn save_fallback(entry: Entry) -> Option<PathBuf> {
    let folder = tempfile::Builder::new().prefix("workbench-record-").tempdir().ok()?.keep();
    let store = Store::new(&folder);
    store.put(entry, None).ok()?;
    Some(store.path())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{Outcome, Role, Scale, Verdict};

    fn registry(ids: &[&str]) -> Registry {
        let mut text = "[[paper]]\nid = \"m\"\ntitle = \"M\"\n".to_string();
        for id in ids {
            text += &format!(
                "[[claim]]\nid = \"{id}\"\npaper = \"m\"\nwhere = \"w\"\nkind = \"lemma\"\nsays = \"s\"\n\
                 setup = \"s\"\ncheck = \"c\"\nreach = \"gpu\"\nnotebook = \"memory-model\"\n"
            );
        }
        Registry::parse(&text, Path::new("claims.toml")).unwrap()
    }

    fn entry(claim: &str, scale: Scale, seed: u64) -> Entry {
        let note = Note { claim: claim.into(), scale, seed, place: 1, text: "n".into() };
        Entry { row: Row::blank(claim, scale, seed), findings: Vec::new(), notes: vec![note] }
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_deleted_of_one_table_is_missed_by_the_others() {
        let finding = FindingLine {
            claim: "m/a".into(),
            scale: Scale::Quick,
            seed: 1,
            role: Role::Printed,
            what: "error".into(),
            relation: "at most".into(),
            expected_low: None,
            expected_high: Some(1.0),
            measured: 0.5,
            low: 0.4,
            high: 0.6,
            n: 9,
            unit: String::new(),
            outcome: Outcome::Supports,
        };
        let row = Row { finding: "error".into(), run: "r".into(), ..Row::blank("m/a", Scale::Quick, 1) };
        let text =
            format!("{}\nr,c,false,l,s,rustc,cpu,2,b,d,2026-01-31T12:00:00Z,1,quick,1\n", Run::COLUMNS.join(","));
        let run: Run = table::parse(text.as_bytes(), Path::new(Run::FILE)).unwrap().remove(0);
        let all = Tables { rows: vec![row], findings: vec![finding], notes: Vec::new(), runs: vec![run] };
        assert!(all.gaps().is_empty());
        let without = |take: fn(&mut Tables)| {
            let mut tables = all.clone();
            take(&mut tables);
            tables.gaps()
        };
        for (gaps, told) in [
            (without(|tables| tables.rows.clear()), "ledger.csv lacks the rows of 1 verdict"),
            (without(|tables| tables.runs.clear()), "runs.csv lacks the runs of 1 verdict"),
            (without(|tables| tables.findings.clear()), "the findings of 1 row are in no table"),
        ] {
            assert!(gaps.len() == 1 && gaps[0].contains(told), "{gaps:?}");
        }
    }

    #[test]
    fn rows_of_claims_that_are_gone_are_taken_out_and_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut held = Held::new(Arc::new(Lock::take(folder.path(), "t", Duration::ZERO).unwrap()));
        let entries = [("m/a", 1), ("m/gone", 1), ("m/gone", 2)].map(|(claim, seed)| entry(claim, Scale::Quick, seed));
        held.merge(entries.to_vec(), None, None).unwrap();
        let registry = registry(&["m/a"]);
        assert_eq!(held.forget_unknown(&registry).unwrap(), BTreeMap::from([("m/gone".to_string(), 2)]));
        assert!(held.forget_unknown(&registry).unwrap().is_empty());
        let left = Tables::read(folder.path()).unwrap();
        assert_eq!((left.rows.len(), left.notes.len(), left.rows[0].claim.as_str()), (1, 1, "m/a"));
    }

    #[test]
    fn a_part_of_the_record_is_that_of_the_claims_that_were_asked_for() {
        let registry = registry(&["m/eq-1", "m/eq-2", "m/fig-1"]);
        let mut tables = Tables::default();
        tables.put(["m/eq-1", "m/eq-2", "m/fig-1", "own"].map(|claim| entry(claim, Scale::Quick, 1)));
        let only = |patterns: &[&str]| registry.only(&patterns.iter().map(|p| p.to_string()).collect::<Vec<_>>());
        let part = only(&["m/eq-*", "m/eq-2"]).unwrap();
        assert_eq!((part.claims().len(), part.papers().len(), part.position("m/eq-2")), (2, 1, Some(1)));
        let tables = tables.only(&part);
        assert_eq!((tables.rows.len(), tables.notes.len()), (2, 2));
        assert_eq!(only(&[]).unwrap().claims().len(), 3);
        assert!(only(&["m/eq-*", "x"]).unwrap_err().to_string().contains("no claim matches"));
    }

    #[test]
    fn scales_and_seeds_stand_side_by_side_in_registry_order() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("made/on/demand"));
        let registry = registry(&["m/b", "m/a"]);
        assert!(store.read().unwrap().is_empty());
        for (claim, scale, seed) in [
            ("m/gone", Scale::Quick, 1),
            ("m/a", Scale::Paper, 1),
            ("m/a", Scale::Quick, 2),
            ("m/a", Scale::Quick, 1),
            ("m/b", Scale::Quick, 1),
        ] {
            store.put(entry(claim, scale, seed), Some(&registry)).unwrap();
        }
        let mut again = entry("m/a", Scale::Paper, 1);
        again.row.verdict = Verdict::Holds;
        again.notes.clear();
        store.put(again, Some(&registry)).unwrap();
        let tables = Tables::read(store.folder()).unwrap();
        let keys: Vec<(&str, Scale, u64)> = tables.rows.iter().map(|r| (r.claim.as_str(), r.scale, r.seed)).collect();
        assert_eq!(
            keys,
            [
                ("m/b", Scale::Quick, 1),
                ("m/a", Scale::Quick, 1),
                ("m/a", Scale::Quick, 2),
                ("m/a", Scale::Paper, 1),
                ("m/gone", Scale::Quick, 1)
            ]
        );
        assert_eq!(tables.rows[3].verdict, Verdict::Holds);
        assert_eq!(tables.notes.len(), 4, "the notes of the row that was replaced are gone with it");
    }

    #[test]
    fn runs_stay_as_long_as_a_row_names_them() {
        let folder = tempfile::tempdir().unwrap();
        let mut held = Held::new(Arc::new(Lock::take(folder.path(), "test", Duration::ZERO).unwrap()));
        let run = |name: &str| Run {
            run: name.into(),
            commit: String::new(),
            dirty: false,
            lock: String::new(),
            source: String::new(),
            compiler: String::new(),
            processor: String::new(),
            cores: 1,
            blas: String::new(),
            device: "cpu".into(),
            start: format!("2026-01-0{}T00:00:00Z", name.len()),
            seconds: 1.0,
            scale: Scale::Quick,
            seed: 1,
        };
        for (name, claims) in [("r", ["m/a", "m/b"]), ("rr", ["m/a", "m/c"]), ("rrr", ["m/b", "m/c"])] {
            let entries = claims.map(|claim| {
                let mut entry = entry(claim, Scale::Quick, 1);
                entry.row.run = name.to_string();
                entry
            });
            held.merge(entries.to_vec(), Some(&run(name)), None).unwrap();
            assert_eq!(&Tables::read(folder.path()).unwrap(), held.tables().unwrap());
        }
        // What another program changes under the lock is seen.
        let path = folder.path().join("runs.csv");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace(",1,quick", ",12,quick")).unwrap();
        let tables = Tables::read(folder.path()).unwrap();
        assert_eq!(&tables, held.tables().unwrap());
        let runs: Vec<&str> = tables.runs.iter().map(|run| run.run.as_str()).collect();
        assert_eq!(runs, ["rr", "rrr"]);
        assert_eq!(tables.run_of(&tables.rows[0]).map(|run| run.seconds), Some(12.0));
    }

    #[test]
    fn findings_have_a_file_for_each_scale_also_where_they_were_one() {
        let finding = |scale, what: &str| FindingLine {
            claim: "m/a".into(),
            scale,
            seed: 1,
            role: crate::Role::Printed,
            what: what.into(),
            relation: "identity".into(),
            expected_low: None,
            expected_high: Some(1.0),
            measured: 0.5,
            low: 0.5,
            high: 0.5,
            n: 1,
            unit: String::new(),
            outcome: crate::Outcome::Supports,
        };
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let store = Store::new(folder.path());
        let old = [finding(Scale::Paper, "first"), finding(Scale::Quick, "second")];
        std::fs::write(at("findings.csv"), table::to_csv(&old)).unwrap();
        assert_eq!(table::read::<FindingLine>(folder.path()).unwrap(), old);
        let mut quick = entry("m/a", Scale::Quick, 1);
        quick.findings = vec![finding(Scale::Quick, "again")];
        store.put(quick, None).unwrap();
        assert!(!at("findings.csv").exists(), "its lines stand in two files now");
        let paper = std::fs::read(at("findings-paper.csv")).unwrap();
        assert_eq!(paper, table::to_csv(&old[..1]));
        let quick = std::fs::read(at("findings-quick.csv")).unwrap();
        assert_eq!(quick, table::to_csv(&[finding(Scale::Quick, "again")]));
        // A writer that was cut off before it took the one file away has left the findings as they were.
        std::fs::write(at("findings.csv"), table::to_csv(&old)).unwrap();
        assert_eq!(table::read::<FindingLine>(folder.path()).unwrap(), old);
        // An older program that shares the folder writes the one file with what it knows: nothing else is lost by that.
        std::fs::write(at("findings.csv"), table::to_csv(&old[1..])).unwrap();
        let lines = table::read::<FindingLine>(folder.path()).unwrap();
        assert_eq!(lines, [old[1].clone(), old[0].clone()]);
    }

    #[test]
    fn what_a_killed_run_leaves_does_not_matter() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(".x7.tmp"), "claim,verd").unwrap();
        std::fs::write(folder.path().join(".record.lock"), "").unwrap();
        let store = Store::new(folder.path());
        store.put(entry("m/a", Scale::Quick, 1), None).unwrap();
        assert_eq!(store.read().unwrap().len(), 1);
    }

    #[test]
    fn a_corrupt_file_is_refused_and_every_table_kept() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        store.put(entry("m/a", Scale::Quick, 1), None).unwrap();
        let good = std::fs::read_to_string(store.path()).unwrap();
        for table in ["ledger.csv", "notes.csv"] {
            let path = folder.path().join(table);
            let before = std::fs::read_to_string(&path).unwrap();
            std::fs::write(&path, format!("{before}half\n")).unwrap();
            let error = store.put(entry("m/b", Scale::Quick, 1), None).unwrap_err();
            assert!(matches!(error, Error::Corrupt { .. }), "{error}");
            assert!(std::fs::read_to_string(store.path()).unwrap().starts_with(&good));
            std::fs::write(&path, before).unwrap();
        }
    }

    #[test]
    fn eight_threads_lose_no_row() {
        let folder = tempfile::tempdir().unwrap();
        let ids: Vec<String> = (0..64).map(|i| format!("m/c{i:02}")).collect();
        let expected: Vec<&str> = ids.iter().map(String::as_str).collect();
        let registry = registry(&expected);
        std::thread::scope(|scope| {
            for chunk in ids.chunks(8) {
                let store = Store::new(folder.path());
                let registry = &registry;
                scope.spawn(move || {
                    for id in chunk {
                        store.put(entry(id, Scale::Quick, 1), Some(registry)).unwrap();
                        assert!(store.read().unwrap().iter().any(|r| &r.claim == id));
                    }
                });
            }
        });
        let rows = Store::new(folder.path()).read().unwrap();
        assert_eq!(rows.iter().map(|r| &r.claim).collect::<Vec<_>>(), expected);
        assert_eq!(names(folder.path()), [".record.lock", "ledger.csv", "notes.csv"]);
    }

    #[test]
    fn a_lock_that_is_never_given_back_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::new(folder.path());
        let _held = Lock::take(folder.path(), "run r1", Duration::ZERO).unwrap();
        store.patience = Duration::from_millis(30);
        let error = store.put(entry("m/a", Scale::Quick, 1), None).unwrap_err();
        assert!(matches!(error, Error::Locked { .. }), "{error}");
    }

    #[test]
    fn a_file_in_the_way_of_the_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("results");
        std::fs::write(&file, "").unwrap();
        let error = Store::new(&file).put(entry("m/a", Scale::Quick, 1), None).unwrap_err();
        assert!(error.to_string().contains("results"), "{error}");
    }
}
