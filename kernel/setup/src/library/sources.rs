//! Digest of the sources that the crate was built from. Times alone do not tell: a clock that was set back, an archive that was
//! unpacked and a version control that restores files all make new sources look old.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::project::Project;
use workbench_base::fingerprint::fingerprint;

/// One source file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Source {
    /// Size, inode and the times of the last change to content and to anything: while these stay, the content does.
    state: [i64; 6],
    /// Fingerprint of the content.
    content: u64,
}

/// The sources of the crate and the workspace's lock file, as they were.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sources {
    files: BTreeMap<PathBuf, Source>,
}

impl Sources {
    /// Reads the sources of a project.
    pub fn read(project: &Project) -> Sources {
        let files = list(project)
            .into_iter()
            .filter_map(|file| {
                let state = state(&file)?;
                let content = fingerprint(&fs::read(&file).ok()?);
                Some((file, Source { state, content }))
            })
            .collect();
        Sources { files }
    }

    /// A file that is new, gone or has another content now; nothing when all is as it was. Cost: a look at each file's
    /// metadata, and the content of those that were touched.
    pub fn changed(&self, project: &Project) -> Option<PathBuf> {
        let now = list(project);
        if let Some(file) = now.iter().find(|file| self.differs(file)) {
            return Some(file.clone());
        }
        // Each cell asks: the list is in order, and paths are slow to compare.
        let mut others = self.files.keys().filter(|file| now.binary_search(file).is_err());
        others.find(|file| self.differs(file)).cloned()
    }

    /// Adds what the compiler read beside the listed files, by its own list: build scripts, included data, rooms inside rooms. A
    /// file that has changed since the build was `started` is added as unknown, so that the next look finds it changed.
    pub fn add_read(&mut self, dep_info: &Path, root: &Path, target: &Path, started: SystemTime) {
        let Ok(text) = fs::read_to_string(dep_info) else { return };
        for file in read_by_compiler(&text) {
            if !file.starts_with(root) || file.starts_with(target) || self.files.contains_key(&file) {
                continue;
            }
            let (Some(state), Ok(bytes)) = (state(&file), fs::read(&file)) else {
                continue;
            };
            let old = file.metadata().and_then(|meta| meta.modified()).is_ok_and(|time| time <= started);
            let content = if old { fingerprint(&bytes) } else { 0 };
            let state = if old { state } else { [0; 6] };
            self.files.insert(file, Source { state, content });
        }
    }

    /// Whether `later` differs in what the crate is compiled from. Manifests and the lock file are aside: cargo goes by their content.
    pub fn changed_crate(&self, later: &Sources) -> bool {
        let crate_only = |sources: &Sources| -> Vec<(PathBuf, u64)> {
            let kept = sources.files.iter().filter(|(file, _)| !OF_THE_ROOT.iter().any(|name| file.ends_with(name)));
            kept.map(|(file, source)| (file.clone(), source.content)).collect()
        };
        crate_only(self) != crate_only(later)
    }

    /// Takes one file as it is now.
    pub fn read_again(&mut self, file: &Path) {
        self.files.remove(file);
        if let (Some(state), Ok(bytes)) = (state(file), fs::read(file)) {
            let content = fingerprint(&bytes);
            self.files.insert(file.to_path_buf(), Source { state, content });
        }
    }

    fn differs(&self, file: &Path) -> bool {
        let Some(known) = self.files.get(file) else {
            return true;
        };
        if state(file).is_some_and(|state| state == known.state) {
            return false;
        }
        fs::read(file).map_or(true, |bytes| fingerprint(&bytes) != known.content)
    }
}

fn state(file: &Path) -> Option<[i64; 6]> {
    let meta = file.metadata().ok()?;
    Some([
        i64::try_from(meta.size()).unwrap_or(i64::MAX),
        meta.ino().cast_signed(),
        meta.mtime(),
        meta.mtime_nsec(),
        meta.ctime(),
        meta.ctime_nsec(),
    ])
}

/// Files that say how everything is built, where there are any.
const OF_THE_ROOT: [&str; 5] =
    ["Cargo.toml", "Cargo.lock", ".cargo/config.toml", "rust-toolchain.toml", "rust-toolchain"];

/// The files that a list of dependencies in make's form names; blanks in them are escaped.
fn read_by_compiler(text: &str) -> Vec<PathBuf> {
    let lists = text.lines().filter_map(|line| line.split_once(": ").map(|(_, files)| files));
    let mut files = Vec::new();
    for list in lists {
        let mut file = String::new();
        let mut chars = list.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' if chars.peek() == Some(&' ') => file.extend(chars.next()),
                ' ' => files.push(std::mem::take(&mut file)),
                c => file.push(c),
            }
        }
        files.push(file);
    }
    files.retain(|file| !file.is_empty());
    files.into_iter().map(PathBuf::from).collect()
}

fn list(project: &Project) -> Vec<PathBuf> {
    let (root, crates) = (&project.root, project.packages());
    let mut folders: Vec<PathBuf> = crates.iter().map(|folder| root.join(folder).join("src")).collect();
    let of_crates =
        crates.iter().flat_map(|folder| ["Cargo.toml", "build.rs"].map(|name| root.join(folder).join(name)));
    let mut files: Vec<PathBuf> =
        of_crates.chain(OF_THE_ROOT.map(|name| root.join(name))).filter(|file| file.is_file()).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(_) => files.push(entry.path()),
                Err(_) => {}
            }
        }
    }
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn project() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("workbench/src/deep")).unwrap();
        for file in ["workbench/Cargo.toml", "Cargo.lock", "workbench/src/lib.rs", "workbench/src/deep/a.rs"] {
            fs::write(folder.path().join(file), file).unwrap();
        }
        folder
    }

    fn set_time(file: &Path, time: SystemTime) {
        fs::File::options().write(true).open(file).unwrap().set_modified(time).unwrap();
    }

    #[test]
    fn times_alone_change_nothing_and_an_old_looking_edit_is_a_change() {
        let folder = project();
        let file = folder.path().join("workbench/src/deep/a.rs");
        let before = Sources::read(&Project::checkout(folder.path()));
        for time in [SystemTime::UNIX_EPOCH, SystemTime::now() + Duration::from_secs(1 << 30)] {
            set_time(&file, time);
            assert_eq!(before.changed(&Project::checkout(folder.path())), None);
        }
        // The same length, and a time before everything else.
        fs::write(&file, "workbench/src/deep/b.rs").unwrap();
        set_time(&file, SystemTime::UNIX_EPOCH);
        assert_eq!(before.changed(&Project::checkout(folder.path())), Some(file));
    }

    #[test]
    fn new_and_missing_files_are_changes() {
        let folder = project();
        let before = Sources::read(&Project::checkout(folder.path()));
        let new = folder.path().join("workbench/src/new.rs");
        fs::write(&new, "").unwrap();
        assert_eq!(before.changed(&Project::checkout(folder.path())), Some(new.clone()));
        fs::remove_file(new).unwrap();
        assert_eq!(before.changed(&Project::checkout(folder.path())), None);
        let gone = folder.path().join("Cargo.lock");
        fs::remove_file(&gone).unwrap();
        assert_eq!(before.changed(&Project::checkout(folder.path())), Some(gone));
    }

    #[test]
    fn what_only_the_compiler_names_is_looked_at_too() {
        let folder = project();
        let root = folder.path();
        let data = root.join("workbench/assets/my data.txt");
        fs::create_dir_all(data.parent().unwrap()).unwrap();
        fs::write(&data, "1").unwrap();
        let list = root.join("libworkbench.d");
        let text = format!("/x/lib.so: {} /usr/include/a.h\n", data.display().to_string().replace(' ', "\\ "));
        fs::write(&list, text).unwrap();
        let mut before = Sources::read(&Project::checkout(root));
        before.add_read(&list, root, &root.join("target"), SystemTime::now() + Duration::from_secs(9));
        assert_eq!(before.changed(&Project::checkout(root)), None);
        fs::write(&data, "2").unwrap();
        assert_eq!(before.changed(&Project::checkout(root)), Some(data.clone()));
        // It changed while the build ran: what was built is not told.
        let mut during = Sources::read(&Project::checkout(root));
        during.add_read(&list, root, &root.join("target"), SystemTime::UNIX_EPOCH);
        assert_eq!(during.changed(&Project::checkout(root)), Some(data));
        fs::write(root.join("Cargo.toml"), "[workspace]").unwrap();
        assert!(before.changed(&Project::checkout(root)).is_some());
    }

    #[test]
    fn what_was_read_survives_being_written_down() {
        let folder = project();
        let before = Sources::read(&Project::checkout(folder.path()));
        let text = serde_json::to_string(&before).unwrap();
        assert_eq!(serde_json::from_str::<Sources>(&text).unwrap(), before);
    }
}
