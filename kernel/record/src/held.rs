//! Tables of a folder that is locked: what is merged into them, and what is taken out.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::table::{self, Line};
use super::{Entry, Error, FindingLine, Lock, Note, Registry, Row, Run, Stamp, Tables, atomic};

/// The tables of a locked folder. No other run writes them while the lock is held, so they are read again only when a file is not
/// the one that was written last.
#[derive(Debug)]
pub struct Held {
    lock: Arc<Lock>,
    tables: Tables,
    /// The files that `tables` are read from; none before the first look and after a change that failed half way.
    files: Option<Vec<Option<Stamp>>>,
}

impl Held {
    /// The tables of the folder that `lock` holds.
    pub fn new(lock: Arc<Lock>) -> Held {
        Held { lock, tables: Tables::default(), files: None }
    }

    /// The tables as they are now.
    ///
    /// # Errors
    /// As for [`Tables::read`].
    pub fn tables(&mut self) -> Result<&Tables, Error> {
        let files = self.stamps();
        if self.files.as_ref() != Some(&files) {
            self.files = None;
            self.tables = Tables::read(self.lock.folder())?;
            self.files = Some(files);
        }
        Ok(&self.tables)
    }

    /// Puts entries, and the run that computed them, into the tables.
    ///
    /// # Errors
    /// [`Error::Corrupt`] (files are left as they are) or [`Error::Io`].
    pub fn merge(&mut self, entries: Vec<Entry>, run: Option<&Run>, registry: Option<&Registry>) -> Result<(), Error> {
        let mut tables = self.tables()?.clone();
        tables.put(entries);
        if let Some(run) = run {
            tables.runs.retain(|line| line.run != run.run);
            tables.runs.push(run.clone());
        }
        self.save(tables, registry)
    }

    /// Takes out what the tables say of claims that the registry does not have, and gives these claims with their numbers of rows.
    ///
    /// # Errors
    /// As of [`Held::merge`].
    pub fn forget_unknown(&mut self, registry: &Registry) -> Result<BTreeMap<String, usize>, Error> {
        let tables = self.tables()?.clone();
        let mut gone = BTreeMap::new();
        for row in tables.rows.iter().filter(|row| registry.position(&row.claim).is_none()) {
            *gone.entry(row.claim.clone()).or_default() += 1;
        }
        if !gone.is_empty() {
            self.save(tables.only(registry), Some(registry))?;
        }
        Ok(gone)
    }

    fn save(&mut self, mut tables: Tables, registry: Option<&Registry>) -> Result<(), Error> {
        tables.tidy(registry);
        self.files = None;
        let (folder, before) = (self.lock.folder(), &self.tables);
        // The ledger last: a reader who finds a verdict finds what it rests on.
        replace(folder, &before.runs, &tables.runs)?;
        replace(folder, &before.findings, &tables.findings)?;
        replace(folder, &before.notes, &tables.notes)?;
        replace(folder, &before.rows, &tables.rows)?;
        self.tables = tables;
        self.files = Some(self.stamps());
        Ok(())
    }

    fn stamps(&self) -> Vec<Option<Stamp>> {
        [Row::FILE, FindingLine::FILE, Note::FILE, Run::FILE]
            .iter()
            .chain(FindingLine::FILES)
            .map(|file| Stamp::of(&self.lock.folder().join(file)))
            .collect()
    }
}

fn replace<L: Line + PartialEq>(folder: &Path, before: &[L], lines: &[L]) -> Result<(), Error> {
    let whole = folder.join(L::FILE);
    // Written when all lines stood in one file.
    let older = !L::FILES.contains(&L::FILE) && whole.exists();
    for file in L::FILES {
        let path = folder.join(file);
        let same = part(before, file).eq(part(lines, file));
        if same && !older && (path.exists() || part(lines, file).next().is_none()) {
            continue;
        }
        let new: Vec<L> = part(lines, file).cloned().collect();
        atomic::write(&path, &table::to_csv(&new)).map_err(|cause| Error::io("writing", path, cause))?;
    }
    match older {
        true => std::fs::remove_file(&whole).map_err(|cause| Error::io("removing", whole, cause)),
        false => Ok(()),
    }
}

/// The lines of one file of a table.
fn part<'a, L: Line>(lines: &'a [L], file: &str) -> impl Iterator<Item = &'a L> {
    lines.iter().filter(move |line| line.file() == file)
}
