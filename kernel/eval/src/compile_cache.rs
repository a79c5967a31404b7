//! Cells that were compiled before: the same text, against the same libraries, by the same compiler, is compiled once.
//!
//! A restart, another seed, the paper's scale after the quick one: each runs code that is compiled already. What a compilation gave is
//! kept under the digest of everything that it depends on: the text that the compiler sees (with the types of the variables that the
//! cell uses and the definitions of the cells before it), the compiler, its options, and the libraries. Code is kept, and never what
//! it computes. That a text does not compile is kept too (evcxr finds out in this way which form a cell must have); a cell that reads a
//! file or the environment while it is compiled is not.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use workbench_record::digest::Digest;

/// Set where every cell shall be compiled, also one that was compiled before.
pub const COMPILE_ENV: &str = "WORKBENCH_COMPILE_ALWAYS";

/// What the folder may hold, in bytes: some ten thousand cells.
const AT_MOST: u64 = 512 << 20;
/// Bytes that tell how long the description before the library is.
const LENGTH: usize = 8;

/// The folder of a project's kept cells.
#[derive(Debug, Clone)]
pub struct CompileCache {
    folder: PathBuf,
}

/// What a compilation gave beside the library.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiled {
    /// Types of the variables that are new, by placeholder.
    pub types: BTreeMap<String, String>,
    /// What the compiler said, as it wrote it.
    pub messages: String,
    /// Whether it refused the text; there is no library then.
    pub failed: bool,
    /// Digest of the library.
    library: String,
}

impl Compiled {
    /// A compilation with these new types and messages.
    pub fn new(types: BTreeMap<String, String>, messages: &[u8]) -> Compiled {
        Compiled { types, messages: String::from_utf8_lossy(messages).into_owned(), ..Compiled::default() }
    }

    /// A text that the compiler refused with these messages.
    pub fn failed(messages: &[u8]) -> Compiled {
        Compiled { failed: true, ..Compiled::new(BTreeMap::new(), messages) }
    }
}

impl CompileCache {
    /// What is kept in this folder.
    pub fn at(folder: &Path) -> CompileCache {
        CompileCache { folder: folder.to_path_buf() }
    }

    /// What was kept under `key`, with the library written to `library`; nothing where nothing whole is there.
    pub fn take(&self, key: &str, library: &Path) -> Option<Compiled> {
        let file = self.folder.join(key);
        let bytes = fs::read(&file).ok()?;
        let Some((compiled, object)) = parse(&bytes) else {
            // Cut short by a full disk or another fault: compiled again, and kept again.
            let _ = fs::remove_file(&file);
            return None;
        };
        if !compiled.failed {
            fs::write(library, object).ok()?;
        }
        // The time of its last use decides what goes first where the folder is full; a file that cannot be touched only goes earlier.
        let _ = fs::File::options().append(true).open(&file).and_then(|file| file.set_modified(SystemTime::now()));
        Some(compiled)
    }

    /// Keeps a compilation whose library stands at `library`, if there is one.
    ///
    /// # Errors
    /// The library cannot be read, or the folder cannot be written.
    pub fn put(&self, key: &str, mut compiled: Compiled, library: Option<&Path>) -> Result<()> {
        let object = match library {
            Some(library) => fs::read(library).with_context(|| format!("could not read {}", library.display()))?,
            None => Vec::new(),
        };
        compiled.library = digest_of(&object);
        let head = serde_json::to_vec(&compiled)?;
        fs::create_dir_all(&self.folder)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&(head.len() as u64).to_le_bytes())?;
        file.write_all(&head)?;
        file.write_all(&object)?;
        file.persist(self.folder.join(key))?;
        Ok(())
    }

    /// Removes what was not used for longest where there is more than the folder may hold.
    pub fn tidy(&self) {
        self.tidy_to(AT_MOST);
    }

    fn tidy_to(&self, at_most: u64) {
        let mut files: Vec<(SystemTime, u64, PathBuf)> = fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let meta = entry.metadata().ok()?;
                Some((meta.modified().ok()?, meta.len(), entry.path()))
            })
            .collect();
        let mut total: u64 = files.iter().map(|(_, length, _)| length).sum();
        files.sort();
        for (_, length, file) in files {
            if total <= at_most {
                return;
            }
            // Another kernel may have removed it already.
            let _ = fs::remove_file(file);
            total -= length;
        }
    }
}

/// The digest of everything that a compilation depends on: the code, and the words that tell how it is compiled and with what.
pub fn key<'a>(code: &str, with: impl IntoIterator<Item = &'a str>) -> String {
    let mut digest = Digest::default();
    digest.add(code);
    for word in with {
        digest.add(word);
    }
    digest.finish()
}

/// Whether a compilation read nothing but its source, by the compiler's own list of what it read.
pub fn reads_only(source: &str, list: &Path) -> bool {
    let Ok(text) = fs::read_to_string(list) else {
        return false;
    };
    text.lines().all(|line| {
        let line = line.trim();
        let files = line.split_once(": ").map_or("", |(_, files)| files);
        line.is_empty()
            || line == format!("{source}:")
            || (!line.starts_with('#') && files.split(' ').all(|f| f == source))
    })
}

fn digest_of(bytes: &[u8]) -> String {
    let mut digest = Digest::default();
    digest.add(bytes);
    digest.finish()
}

fn parse(bytes: &[u8]) -> Option<(Compiled, &[u8])> {
    let (length, rest) = bytes.split_at_checked(LENGTH)?;
    let length = u64::from_le_bytes(length.try_into().ok()?);
    let (head, object) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    let compiled: Compiled = serde_json::from_slice(head).ok()?;
    (compiled.library == digest_of(object)).then_some((compiled, object))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> (tempfile::TempDir, CompileCache, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let library = root.path().join("libctx.so");
        fs::write(&library, b"object code").unwrap();
        let kept = CompileCache::at(&root.path().join("cells"));
        (root, kept, library)
    }

    fn compiled() -> Compiled {
        Compiled::new([("EvcxrType1".to_owned(), "f64".to_owned())].into(), b"a warning\n")
    }

    #[test]
    fn what_was_kept_comes_back_whole() {
        let (root, kept, library) = kept();
        let other = root.path().join("other.so");
        assert_eq!(kept.take("k", &other), None);
        kept.put("k", compiled(), Some(&library)).unwrap();
        let back = kept.take("k", &other).unwrap();
        assert_eq!((back.types, back.messages), (compiled().types, compiled().messages));
        assert_eq!(fs::read(other).unwrap(), b"object code");
    }

    #[test]
    fn that_a_text_was_refused_is_kept_without_a_library() {
        let (root, kept, _) = kept();
        kept.put("k", Compiled::failed(b"an error\n"), None).unwrap();
        let library = root.path().join("other.so");
        let back = kept.take("k", &library).unwrap();
        assert!(back.failed && back.messages == "an error\n" && !library.exists());
    }

    #[test]
    fn what_was_cut_short_or_changed_is_nothing() {
        let (_root, kept, library) = kept();
        kept.put("k", compiled(), Some(&library)).unwrap();
        let file = kept.folder.join("k");
        let whole = fs::read(&file).unwrap();
        let mut changed = whole.clone();
        *changed.last_mut().unwrap() ^= 1;
        for damaged in [&whole[..4], &whole[..20], &whole[..whole.len() - 1], &changed] {
            fs::write(&file, damaged).unwrap();
            assert_eq!(kept.take("k", &library), None, "{} bytes", damaged.len());
            assert!(!file.exists());
        }
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let (_root, kept, library) = kept();
        for key in ["a", "b", "c"] {
            kept.put(key, compiled(), Some(&library)).unwrap();
        }
        let length = kept.folder.join("a").metadata().unwrap().len();
        assert!(kept.take("a", &library).is_some());
        kept.tidy_to(2 * length);
        let there = |key: &str| kept.folder.join(key).exists();
        assert_eq!([there("a"), there("b"), there("c")], [true, false, true]);
        kept.tidy();
        assert!(there("a"));
    }

    #[test]
    fn the_key_is_that_of_the_code_and_of_what_it_is_compiled_with() {
        assert_eq!(key("fn f() {}", ["1", "2"]), key("fn f() {}", ["1", "2"]));
        assert_ne!(key("fn f() {}", ["1", "2"]), key("fn f() {}", ["1", "3"]));
        assert_ne!(key("fn f() {}", []), key("\nfn f() {}", []), "a panic names its line");
    }

    #[test]
    fn a_cell_that_reads_something_else_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("ctx.d");
        let reads = |text: &str| {
            fs::write(&list, text).unwrap();
            reads_only("cell.rs", &list)
        };
        assert!(reads("out/libctx.so: cell.rs\n\nout/ctx.d: cell.rs\n\ncell.rs:\n"));
        assert!(!reads("out/libctx.so: cell.rs data.csv\n\ncell.rs:\ndata.csv:\n"));
        assert!(!reads("out/libctx.so: cell.rs\n\ncell.rs:\n\n# env-dep:HOME=/home\n"));
        assert!(!reads_only("cell.rs", &folder.path().join("absent")));
    }
}
