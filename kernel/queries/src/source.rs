//! Source of a record: the results folder, a run, any folder with tables, or a revision.

use std::io;
use std::path::{Path, PathBuf};

use workbench_record::table::Line;
use workbench_record::{FindingLine, Row, Run, Tables, program};

use super::git::Git;
use super::older;
use super::runs::find_run;
use workbench_base::error::{Error, Result};
use workbench_base::text::count;
use workbench_setup::paths::Workspace;

/// The word for the tables of the results folder.
pub const RECORD: &str = "record";
/// The results folder, from the root of the workspace.
const RESULTS: &str = "notebooks/results";

/// What kind of thing a record was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The results folder.
    Record,
    /// One run.
    Run,
    /// Some other folder.
    Folder,
    /// A revision of the repository.
    Revision,
}

impl Kind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Record => RECORD,
            Kind::Run => "run",
            Kind::Folder => "folder",
            Kind::Revision => "revision",
        }
    }
}

/// A record with where it was read from.
#[derive(Clone, Debug)]
pub struct Source {
    /// What it was read from.
    pub kind: Kind,
    /// `record`, the full id of the run, the folder as it was given, or the revision with its commit.
    pub name: String,
    /// The folder of the tables, where they lie in one.
    pub folder: Option<PathBuf>,
    /// The tables.
    pub tables: Tables,
    /// Why its findings cannot be compared, if they cannot.
    pub no_findings: Option<String>,
    /// Of a run: values of knobs other than the notebooks' own.
    pub knobs: Vec<(String, String)>,
    /// Of a run: whether it has not come to its end.
    pub cut_off: bool,
}

impl Source {
    /// Tables with where they were read from.
    pub fn new(kind: Kind, name: &str, folder: Option<PathBuf>, tables: Tables) -> Source {
        Source { kind, name: name.to_string(), folder, tables, no_findings: None, knobs: Vec::new(), cut_off: false }
    }

    /// The tables of the results folder.
    ///
    /// # Errors
    /// If a table there is corrupt or cannot be read.
    pub fn record(workspace: &Workspace) -> Result<Source> {
        let folder = workspace.results();
        let tables = Tables::read(&folder)?;
        Ok(Source::new(Kind::Record, RECORD, Some(folder), tables))
    }

    /// A run by its id or by a beginning that no other run has. `option` names what the user gave.
    ///
    /// # Errors
    /// If there is none, or several, or its tables are corrupt.
    pub fn run(name: &str, option: &'static str, workspace: &Workspace) -> Result<Source> {
        match find_run(name, option, workspace)? {
            Ok(found) => Ok(found),
            Err(why) => Err(Error::Option {
                option,
                value: name.to_string(),
                why: format!("{why}; `{} list` names the latest run", program()),
            }),
        }
    }

    /// `record`, a run, a folder with tables or a revision, in this order. `option` names what the user gave.
    ///
    /// # Errors
    /// If it is none of these, with what was tried; if the beginning of an id fits several runs; or if a table is corrupt.
    pub fn find(name: &str, option: &'static str, workspace: &Workspace) -> Result<Source> {
        if name == RECORD {
            return Source::record(workspace);
        }
        let no_run = match find_run(name, option, workspace)? {
            Ok(found) => return Ok(found),
            Err(why) => why,
        };
        let no_folder = match find_folder(name)? {
            Ok(found) => return Ok(found),
            Err(why) => why,
        };
        match find_revision(name, workspace)? {
            Ok(found) => Ok(found),
            Err(no_revision) => Err(Error::Option {
                option,
                value: name.to_string(),
                why: format!(
                    "it is not `{RECORD}`; as a run: {no_run}; as a folder: {no_folder}; as a revision: {no_revision}"
                ),
            }),
        }
    }

    /// What it is and how much it holds, on one line.
    pub fn title(&self) -> String {
        let what = match self.kind {
            Kind::Record => format!("{RECORD} ({RESULTS})"),
            kind => format!("{} {}", kind.word(), self.name),
        };
        let findings = match &self.no_findings {
            None => count(self.tables.findings.len(), "finding"),
            Some(why) => format!("no findings: {why}"),
        };
        let mut title = format!("{what}: {}, {findings}", count(self.tables.rows.len(), "row"));
        for (name, value) in &self.knobs {
            title += &format!(", with {name} = {value}");
        }
        if self.cut_off {
            title += ", not come to its end";
        }
        title
    }
}

/// The tables of a folder, or why it has none.
fn find_folder(name: &str) -> Result<Result<Source, String>> {
    let folder = Path::new(name);
    if !folder.is_dir() {
        return Ok(Err("there is no such folder".to_string()));
    }
    if ![Row::FILE, FindingLine::FILE, Run::FILE]
        .iter()
        .chain(FindingLine::FILES)
        .any(|file| folder.join(file).is_file())
    {
        return Ok(Err(format!("it holds no {}", Row::FILE)));
    }
    let read = older::read(folder, |file| -> Result<Option<Vec<u8>>> {
        let path = folder.join(file);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(Error::io("read", &path, cause)),
        }
    })?;
    Ok(Ok(Source {
        no_findings: read.no_findings,
        ..Source::new(Kind::Folder, name, Some(folder.to_path_buf()), read.tables)
    }))
}

/// The committed tables of a revision, or why it has none.
fn find_revision(name: &str, workspace: &Workspace) -> Result<Result<Source, String>> {
    let git = Git::at(workspace.root());
    let found = git.commit(name).and_then(|commit| Ok((git.files(&commit, RESULTS)?, commit)));
    let (files, commit) = match found {
        Ok(found) => found,
        Err(why) => return Ok(Err(why)),
    };
    let short: String = commit.chars().take(10).collect();
    if !files.iter().any(|file| file == Row::FILE) {
        return Ok(Err(format!("commit {short} has no {RESULTS}/{}", Row::FILE)));
    }
    // The folder serves messages only: `abcdef0123:notebooks/results/ledger.csv`.
    let place = PathBuf::from(format!("{short}:{RESULTS}"));
    let read = older::read(&place, |file| -> Result<Option<Vec<u8>>> {
        if !files.iter().any(|known| known == file) {
            return Ok(None);
        }
        let shown = git.show(&commit, &format!("{RESULTS}/{file}"));
        let failed = |why: String| Error::io("read", &place.join(file), io::Error::other(why));
        shown.map(Some).map_err(failed)
    })?;
    let name = match commit.starts_with(name) {
        true => short,
        false => format!("{name} ({short})"),
    };
    Ok(Ok(Source { no_findings: read.no_findings, ..Source::new(Kind::Revision, &name, None, read.tables) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::commit_all;
    use crate::fixtures::{record, row, save, workspace};
    use workbench_record::Scale;

    const ONE: &str = "20261122T094512Z-quick-1-3fa9c2";
    const TWO: &str = "20261122T101500Z-paper-1-00beef";

    fn refused(name: &str, workspace: &Workspace) -> String {
        Source::find(name, "A", workspace).unwrap_err().to_string()
    }

    #[test]
    fn the_record_a_run_a_beginning_of_it_and_a_folder_are_found() {
        let (_folder, workspace) = workspace();
        assert_eq!(Source::find("record", "A", &workspace).unwrap().tables, Tables::default());
        let tables = record(&workspace);
        save(&workspace.results(), &tables);
        for id in [ONE, TWO] {
            save(&workspace.results().join("runs").join(id), &tables);
        }
        let find = |name: &str| Source::find(name, "A", &workspace).unwrap();
        assert_eq!(find("record").title(), "record (notebooks/results): 3 rows, 3 findings");
        assert_eq!(find(ONE).name, ONE);
        let short = find("20261122T10");
        assert_eq!((short.kind, short.name.as_str(), &short.tables), (Kind::Run, TWO, &tables));
        let error = refused("20261122", &workspace);
        assert!(error.contains("2 runs begin with it") && error.contains(ONE) && error.contains(TWO), "{error}");
        let folder = workspace.results().join("runs").join(ONE);
        let found = find(folder.to_str().unwrap());
        assert_eq!((found.kind, found.tables), (Kind::Folder, tables));
    }

    #[test]
    fn what_is_nothing_says_what_was_tried() {
        let (_folder, workspace) = workspace();
        let error = refused("no-such", &workspace);
        for part in ["no-such", "not `record`", "there are no runs yet", "no such folder", "no such revision"] {
            assert!(error.contains(part), "{error}");
        }
        save(&workspace.results().join("runs").join(ONE), &Tables::default());
        let error = Source::run("2025", "--run", &workspace).unwrap_err().to_string();
        assert!(error.contains("--run") && error.contains(&format!("there is 1 run: {ONE}")), "{error}");
        assert!(refused("", &workspace).contains("none begins with it"));
        let empty = tempfile::tempdir().unwrap();
        assert!(refused(empty.path().to_str().unwrap(), &workspace).contains("it holds no ledger.csv"));
    }

    #[test]
    fn a_corrupt_table_is_named_and_not_taken_for_something_else() {
        let (_folder, workspace) = workspace();
        save(&workspace.results().join("runs").join(ONE), &record(&workspace));
        let ledger = workspace.results().join("runs").join(ONE).join("ledger.csv");
        let text = std::fs::read_to_string(&ledger).unwrap();
        std::fs::write(&ledger, text.replace("holds", "perhaps")).unwrap();
        let error = refused(ONE, &workspace);
        assert!(error.contains("ledger.csv, line 2") && error.contains("perhaps"), "{error}");
        let folder = ledger.parent().unwrap().to_str().unwrap().to_string();
        assert!(refused(&folder, &workspace).contains("perhaps"));
        // A list of runs that cannot be read is part of what was tried.
        std::fs::write(workspace.results().join("runs.csv"), "x\n").unwrap();
        assert!(refused("2027", &workspace).contains("runs.csv, line 1"));
    }

    #[test]
    fn a_revision_gives_its_committed_tables() {
        let (folder, workspace) = workspace();
        commit_all(folder.path());
        let error = refused("main", &workspace);
        assert!(error.contains("has no notebooks/results/ledger.csv"), "{error}");
        let mut tables = record(&workspace);
        save(&workspace.results(), &tables);
        commit_all(folder.path());
        let then = tables.clone();
        tables.rows.push(row(&workspace, "m/c", Scale::Quick, 1, "r1"));
        save(&workspace.results(), &tables);
        let found = Source::find("main", "A", &workspace).unwrap();
        assert_eq!((found.kind, &found.tables), (Kind::Revision, &then));
        assert!(found.name.starts_with("main ("), "{}", found.name);
        let commit = Git::at(folder.path()).commit("main").unwrap();
        assert_eq!(Source::find(&commit[..9], "A", &workspace).unwrap().name, &commit[..10]);
    }
}
