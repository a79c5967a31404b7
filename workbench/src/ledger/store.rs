//! `ledger.csv` on disk: read, add a row, replace the file in one step.
//!
//! A reader sees the file before a write or after it, never in between: rows go to a temporary file in
//! the same folder, which is synced and then renamed. Writers of several processes queue for a lock on
//! `.ledger.lock`; the lock ends with its process, so a killed run blocks nobody.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::row::{COLUMNS, Row};
use super::{Error, Registry};

/// How long a writer waits for others before it gives up.
const LOCK_WAIT: Duration = Duration::from_secs(30);
const LOCK_POLL: Duration = Duration::from_millis(5);

/// Puts all bytes into an open file; tests replace it to fill the disk.
pub(crate) type WriteAll = fn(&mut File, &[u8]) -> io::Result<()>;

fn write_all(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)
}

/// The ledger file of a results folder.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
    write: WriteAll,
    patience: Duration,
}

impl Store {
    /// The ledger of `folder`; nothing is created until a row is written.
    pub fn new(folder: impl Into<PathBuf>) -> Store {
        Store {
            folder: folder.into(),
            write: write_all,
            patience: LOCK_WAIT,
        }
    }

    #[cfg(test)]
    pub(crate) fn writing_with(mut self, write: WriteAll) -> Store {
        self.write = write;
        self
    }

    /// The path of the file.
    pub fn path(&self) -> PathBuf {
        self.folder.join("ledger.csv")
    }

    /// All rows of the file; none if there is no file.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if it is not a ledger, [`Error::Io`] if it cannot be read.
    pub fn read(&self) -> Result<Vec<Row>, Error> {
        read_rows(&self.path())
    }

    /// Adds a row, or replaces the row of the same claim and scale. Rows are kept in the order of the
    /// registry, quick before paper; rows of unknown claims come last.
    ///
    /// # Errors
    /// [`Error::Corrupt`] (the file is left as it is), [`Error::Locked`] or [`Error::Io`].
    pub fn upsert(&self, row: &Row, registry: &Registry) -> Result<(), Error> {
        std::fs::create_dir_all(&self.folder)
            .map_err(|cause| Error::io("making the results folder", &self.folder, cause))?;
        let _lock = self.lock()?;
        let mut rows = self.read()?;
        rows.retain(|r| (&r.claim, r.scale) != (&row.claim, row.scale));
        rows.push(row.clone());
        rows.sort_by_cached_key(|r| {
            let place = registry.position(&r.claim).unwrap_or(usize::MAX);
            (place, r.claim.clone(), r.scale)
        });
        replace(&self.path(), to_csv(&rows).as_bytes(), self.write)
    }

    fn lock(&self) -> Result<File, Error> {
        let path = self.folder.join(".ledger.lock");
        let failed = |cause| Error::io("locking", &path, cause);
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(failed)?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(cause)) => return Err(failed(cause)),
                Err(TryLockError::WouldBlock) if begun.elapsed() < self.patience => {
                    std::thread::sleep(LOCK_POLL);
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::Locked {
                        path,
                        seconds: self.patience.as_secs(),
                    });
                }
            }
        }
    }
}

/// Saves one row in the temp folder, in the form of a ledger; none if that fails too.
pub(crate) fn save_fallback(row: &Row, registry: &Registry) -> Option<PathBuf> {
    let folder = std::env::temp_dir().join(format!("workbench-ledger-{}", std::process::id()));
    let store = Store::new(&folder);
    store.upsert(row, registry).ok()?;
    Some(store.path())
}

/// The rows as the text of a ledger file.
pub(crate) fn to_csv(rows: &[Row]) -> String {
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::Any(b'\n'))
        .from_writer(Vec::new());
    // Writing to memory cannot fail, and every record has the same length.
    let _ = writer.write_record(COLUMNS);
    for row in rows {
        let _ = writer.write_record(row.fields());
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads a ledger file; a missing file has no rows.
pub(crate) fn read_rows(path: &Path) -> Result<Vec<Row>, Error> {
    let mut rows: Vec<Row> = Vec::new();
    for (line, fields) in read_table(path, &COLUMNS)? {
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        let corrupt = |problem: String| Error::Corrupt {
            path: path.to_path_buf(),
            line,
            problem,
        };
        let row = Row::from_fields(&fields).map_err(corrupt)?;
        if rows.iter().any(|r| (&r.claim, r.scale) == (&row.claim, row.scale)) {
            return Err(corrupt(format!(
                "a second row for `{}` at scale {}",
                row.claim, row.scale
            )));
        }
        rows.push(row);
    }
    Ok(rows)
}

/// The records of a CSV file with exactly these columns, each with its line number.
pub(crate) fn read_table(path: &Path, columns: &[&str]) -> Result<Vec<(u64, Vec<String>)>, Error> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(cause) => return Err(Error::io("reading", path, cause)),
    };
    let corrupt = |line: u64, problem: String| Error::Corrupt {
        path: path.to_path_buf(),
        line,
        problem,
    };
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(bytes.as_slice());
    let mut records = Vec::new();
    let mut header = false;
    for record in reader.records() {
        let record = record.map_err(|cause| {
            let line = cause.position().map_or(1, |p| p.line());
            corrupt(line, cause.to_string())
        })?;
        let line = record.position().map_or(1, |p| p.line());
        if !header {
            if record.iter().ne(columns.iter().copied()) {
                let found: Vec<&str> = record.iter().collect();
                return Err(corrupt(
                    line,
                    format!("the columns are `{}`, not `{}`", found.join(","), columns.join(",")),
                ));
            }
            header = true;
        } else if record.len() != columns.len() {
            return Err(corrupt(
                line,
                format!("{} fields where {} are due", record.len(), columns.len()),
            ));
        } else {
            records.push((line, record.iter().map(str::to_string).collect()));
        }
    }
    if !header {
        return Err(corrupt(1, "the file is empty".to_string()));
    }
    Ok(records)
}

/// Replaces a file in one step: temporary file beside it, sync, rename, sync of the folder.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace(path, bytes, write_all)
}

fn replace(path: &Path, bytes: &[u8], write: WriteAll) -> Result<(), Error> {
    // A link is followed, so that what it points to is replaced and the link stays.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let failed = |cause| Error::io("writing", &path, cause);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ledger-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As an ordinary new file: the umask decides who may read it.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut temporary = builder.tempfile_in(folder).map_err(failed)?;
    write(temporary.as_file_mut(), bytes).map_err(failed)?;
    temporary.as_file().sync_all().map_err(failed)?;
    temporary.persist(&path).map_err(|cause| failed(cause.error))?;
    // The new name is on disk only once the folder is; some file systems cannot sync a folder.
    if let Ok(open) = File::open(folder) {
        let _ = open.sync_all();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::blank;
    use super::*;
    use crate::ledger::{Scale, Verdict};

    fn registry(ids: &[&str]) -> Registry {
        let mut text = "[[paper]]\nid = \"m\"\ntitle = \"M\"\n".to_string();
        for id in ids {
            text += &format!(
                "[[claim]]\nid = \"{id}\"\npaper = \"m\"\nwhere = \"w\"\nkind = \"k\"\nsays = \"s\"\n\
                 setup = \"s\"\ncheck = \"c\"\nreach = \"r\"\nnotebook = \"memory-model\"\n"
            );
        }
        Registry::parse(&text, Path::new("claims.toml")).unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn rows_are_replaced_by_claim_and_scale_and_kept_in_registry_order() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("made/on/demand"));
        let registry = registry(&["m/b", "m/a"]);
        assert!(store.read().unwrap().is_empty());
        for (claim, scale) in [
            ("m/gone", Scale::Quick),
            ("m/a", Scale::Paper),
            ("m/a", Scale::Quick),
            ("m/b", Scale::Quick),
        ] {
            store.upsert(&blank(claim, scale), &registry).unwrap();
        }
        let mut again = blank("m/a", Scale::Paper);
        again.verdict = Verdict::Holds;
        store.upsert(&again, &registry).unwrap();
        let rows = store.read().unwrap();
        let keys: Vec<(&str, Scale)> = rows.iter().map(|r| (r.claim.as_str(), r.scale)).collect();
        assert_eq!(
            keys,
            [
                ("m/b", Scale::Quick),
                ("m/a", Scale::Quick),
                ("m/a", Scale::Paper),
                ("m/gone", Scale::Quick)
            ]
        );
        assert_eq!(rows[2].verdict, Verdict::Holds);
    }

    /// Half of the bytes arrive, then the disk is full.
    fn full_disk(file: &mut File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(&bytes[..bytes.len() / 2])?;
        if Path::new("/dev/full").exists() {
            OpenOptions::new().write(true).open("/dev/full")?.write_all(bytes)
        } else {
            Err(io::ErrorKind::StorageFull.into())
        }
    }

    #[test]
    fn a_full_disk_leaves_the_old_file_and_no_litter() {
        let folder = tempfile::tempdir().unwrap();
        let registry = registry(&["m/a"]);
        let store = Store::new(folder.path());
        store.upsert(&blank("m/a", Scale::Quick), &registry).unwrap();
        let before = std::fs::read(store.path()).unwrap();
        let error = store
            .clone()
            .writing_with(full_disk)
            .upsert(&blank("m/a", Scale::Paper), &registry)
            .unwrap_err();
        assert!(matches!(error, Error::Io { .. }));
        assert!(error.to_string().contains("free some space"), "{error}");
        assert_eq!(std::fs::read(store.path()).unwrap(), before);
        assert_eq!(names(folder.path()), [".ledger.lock", "ledger.csv"]);
    }

    #[test]
    fn what_a_killed_run_leaves_does_not_matter() {
        let folder = tempfile::tempdir().unwrap();
        let registry = registry(&["m/a"]);
        std::fs::write(folder.path().join(".ledger-x7.tmp"), "claim,verd").unwrap();
        std::fs::write(folder.path().join(".ledger.lock"), "").unwrap();
        let store = Store::new(folder.path());
        store.upsert(&blank("m/a", Scale::Quick), &registry).unwrap();
        assert_eq!(store.read().unwrap().len(), 1);
    }

    #[test]
    fn a_corrupt_file_is_refused_and_kept() {
        let good = to_csv(&[blank("m/a", Scale::Quick)]);
        let twice = to_csv(&[blank("m/a", Scale::Quick), blank("m/a", Scale::Quick)]);
        let registry = registry(&["m/a"]);
        for (text, part) in [
            (String::new(), "line 1: the file is empty"),
            ("claim,verdict\n".to_string(), "line 1: the columns are"),
            (format!("{good}<<<<<<< HEAD\n"), "line 3: 1 fields"),
            (good.replace("not tested", "perhaps"), "line 2: `perhaps`"),
            (good.replace("0.25", "NaN"), "line 2: column `seconds`"),
            (twice, "line 3: a second row"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let store = Store::new(folder.path());
            std::fs::write(store.path(), &text).unwrap();
            let error = store.upsert(&blank("m/a", Scale::Paper), &registry).unwrap_err();
            assert!(matches!(error, Error::Corrupt { .. }));
            assert!(error.to_string().contains(part), "{error}");
            assert_eq!(std::fs::read_to_string(store.path()).unwrap(), text);
        }
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        std::fs::write(store.path(), [0xff, 0xfe, b'\n']).unwrap();
        assert!(matches!(store.read(), Err(Error::Corrupt { .. })));
    }

    #[test]
    fn eight_threads_lose_no_row() {
        let folder = tempfile::tempdir().unwrap();
        let ids: Vec<String> = (0..64).map(|i| format!("m/c{i:02}")).collect();
        let names: Vec<&str> = ids.iter().map(String::as_str).collect();
        let registry = registry(&names);
        std::thread::scope(|scope| {
            for chunk in ids.chunks(8) {
                let store = Store::new(folder.path());
                let registry = &registry;
                scope.spawn(move || {
                    for id in chunk {
                        store.upsert(&blank(id, Scale::Quick), registry).unwrap();
                        assert!(store.read().unwrap().iter().any(|r| &r.claim == id));
                    }
                });
            }
        });
        let rows = Store::new(folder.path()).read().unwrap();
        assert_eq!(rows.iter().map(|r| &r.claim).collect::<Vec<_>>(), names);
    }

    #[test]
    fn a_lock_that_is_never_given_back_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::new(folder.path());
        let _held = store.lock().unwrap();
        store.patience = Duration::from_millis(30);
        let error = store
            .upsert(&blank("m/a", Scale::Quick), &registry(&["m/a"]))
            .unwrap_err();
        assert!(matches!(error, Error::Locked { .. }), "{error}");
    }

    #[test]
    fn a_file_in_the_way_of_the_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("results");
        std::fs::write(&file, "").unwrap();
        let error = Store::new(&file)
            .upsert(&blank("m/a", Scale::Quick), &registry(&["m/a"]))
            .unwrap_err();
        assert!(error.to_string().contains("results"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_the_file_and_a_link_stays_a_link() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target.csv");
        let link = folder.path().join("link.csv");
        replace_file(&target, b"a").unwrap();
        let plain = folder.path().join("plain");
        std::fs::write(&plain, "").unwrap();
        let mode = |p: &Path| std::fs::metadata(p).unwrap().permissions().mode();
        assert_eq!(mode(&target), mode(&plain));
        std::os::unix::fs::symlink(&target, &link).unwrap();
        replace_file(&link, b"b").unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"b");
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
