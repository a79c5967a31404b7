//! The files of a site: written only where their text has changed, so that what is unchanged is not built again, and taken away
//! where nothing has them any more.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use workbench_record::program;

use super::error::SiteError;
use workbench_base::error::{Error, Result};

/// The file that says that a folder is a site of ours.
const MARK: &str = ".workbench-site";

/// Takes a folder for a site: a new one, an empty one, or one that has been a site before.
///
/// # Errors
/// [`SiteError::Occupied`] if it holds anything else; [`Error::Io`].
pub fn take(folder: &Path) -> Result<()> {
    let failed = |source| Error::io("make", folder, source);
    let occupied = || SiteError::Occupied { path: folder.to_path_buf() };
    if folder.exists() && !folder.is_dir() {
        return Err(occupied().into());
    }
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mark = folder.join(MARK);
    if mark.is_file() {
        return Ok(());
    }
    if std::fs::read_dir(folder).map_err(failed)?.next().is_some() {
        return Err(occupied().into());
    }
    put(&mark, format!("A site written by `{} site`, which may write here again.\n", program()).as_bytes())
}

/// Writes a file. One that is cut short has another text than it should, and is written again the next time.
fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |source| Error::io("write", path, source);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(path, bytes).map_err(failed)
}

/// A folder of files that is brought to a new state.
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
    kept: BTreeSet<PathBuf>,
    written: usize,
}

/// What bringing a tree to its new state has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Files of the new state.
    pub files: usize,
    /// Files that were new or had another text.
    pub written: usize,
    /// Files that nothing has any more, below the tree's root; they are gone.
    pub gone: Vec<PathBuf>,
}

impl Tree {
    /// A tree below `root`.
    pub fn new(root: &Path) -> Tree {
        Tree { root: root.to_path_buf(), kept: BTreeSet::new(), written: 0 }
    }

    /// A file of the new state, by its place below the root; says whether it was new or had another text.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written.
    pub fn put(&mut self, place: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> Result<bool> {
        let (place, bytes) = (place.as_ref(), bytes.as_ref());
        let path = self.root.join(place);
        self.kept.insert(place.to_path_buf());
        let same = std::fs::metadata(&path).is_ok_and(|found| found.len() == bytes.len() as u64)
            && std::fs::read(&path).is_ok_and(|old| old == bytes);
        if !same {
            put(&path, bytes)?;
            self.written += 1;
        }
        Ok(!same)
    }

    /// Takes away what the new state does not have.
    ///
    /// # Errors
    /// [`Error::Io`] if a folder cannot be read or a file not be taken away.
    pub fn finish(self) -> Result<Changes> {
        let mut gone = Vec::new();
        let mut open = vec![self.root.clone()];
        while let Some(folder) = open.pop() {
            let failed = |source| Error::io("read", &folder, source);
            for entry in std::fs::read_dir(&folder).map_err(failed)? {
                let path = entry.map_err(failed)?.path();
                if path.is_dir() {
                    open.push(path);
                    continue;
                }
                let place = path.strip_prefix(&self.root).unwrap_or(&path);
                if !self.kept.contains(place) {
                    gone.push(place.to_path_buf());
                    std::fs::remove_file(&path).map_err(|source| Error::io("take away", &path, source))?;
                }
            }
        }
        gone.sort();
        Ok(Changes { files: self.kept.len(), written: self.written, gone })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changed_is_written_and_what_is_gone_is_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let bring = |files: &[(&str, &str)]| {
            let mut tree = Tree::new(folder.path());
            for (place, text) in files {
                tree.put(place, text).unwrap();
            }
            tree.finish().unwrap()
        };
        let first = bring(&[("a.md", "one"), ("deep/b.md", "two")]);
        assert_eq!((first.files, first.written, first.gone.len()), (2, 2, 0));
        let second = bring(&[("a.md", "one"), ("c.md", "new")]);
        assert_eq!((second.files, second.written), (2, 1));
        assert_eq!(second.gone, [PathBuf::from("deep/b.md")]);
        assert!(!folder.path().join("deep/b.md").exists());
        assert_eq!(bring(&[("a.md", "ONE"), ("c.md", "new")]).written, 1);
    }

    #[test]
    fn a_full_disk_is_said_and_the_page_is_written_the_next_time() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("deep/a.md");
        std::fs::create_dir(folder.path().join("deep")).unwrap();
        std::os::unix::fs::symlink("/dev/full", &place).unwrap();
        let error = Tree::new(folder.path()).put("deep/a.md", "text").unwrap_err().to_string();
        assert!(error.contains("deep/a.md") && error.contains("the disk is full"), "{error}");
        std::fs::remove_file(&place).unwrap();
        // What was cut short has another text.
        std::fs::write(&place, "te").unwrap();
        assert!(Tree::new(folder.path()).put("deep/a.md", "text").unwrap());
        assert_eq!(std::fs::read_to_string(place).unwrap(), "text");
    }

    #[test]
    fn a_folder_that_holds_something_else_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().join("site");
        take(&site).unwrap();
        std::fs::write(site.join("index.html"), "x").unwrap();
        take(&site).unwrap();
        std::fs::write(folder.path().join("thesis.tex"), "x").unwrap();
        for place in [folder.path().to_path_buf(), folder.path().join("thesis.tex")] {
            let error = take(&place).unwrap_err();
            assert!(error.to_string().contains("no site of Workbench"), "{error}");
            assert_eq!(error.status(), 2);
        }
        assert!(!folder.path().join(MARK).exists());
    }
}
