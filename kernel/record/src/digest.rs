//! Short digests of what a verdict depends on, the same on every machine.

use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::scan::{Token, tokens};
use super::{Claim, Error};

/// Bytes of a digest that are kept, as twice as many letters.
const KEPT: usize = 8;

/// A digest under way: a sequence of parts, each told from its neighbours.
#[derive(Clone, Default)]
pub struct Digest(Sha256);

impl Digest {
    /// Adds a part.
    pub fn add(&mut self, part: impl AsRef<[u8]>) {
        let part = part.as_ref();
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// Adds Rust code by its tokens: comments, white space and line breaks do not count.
    pub fn add_code(&mut self, source: &str) {
        self.add_parts(&parts_of(&tokens(source)));
    }

    /// Adds what [`parts_of`] has made ready.
    pub(crate) fn add_parts(&mut self, parts: &[u8]) {
        self.0.update(parts);
    }

    /// The digest as sixteen letters.
    pub fn finish(self) -> String {
        let bytes = self.0.finalize();
        bytes[..KEPT].iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A part for each token, as a digest takes them: made once where many digests take the same file.
pub(crate) fn parts_of(tokens: &[Token]) -> Vec<u8> {
    let mut parts = Vec::new();
    let mut add = |kind: u8, text: &[u8]| {
        parts.extend((text.len() as u64 + 1).to_le_bytes());
        parts.push(kind);
        parts.extend(text);
    };
    for token in tokens {
        match token {
            Token::Word(text) => add(b'w', text.as_bytes()),
            Token::Text(text) => add(b't', text.as_bytes()),
            Token::Mark(mark) => add(b'm', mark.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    parts
}

/// Digest of one text.
pub fn of(text: impl AsRef<[u8]>) -> String {
    let mut digest = Digest::default();
    digest.add(text);
    digest.finish()
}

/// Digest of what the registry says about a claim and its check. Where it is checked and what it rests on do not count.
pub fn of_claim(claim: &Claim) -> String {
    let mut digest = Digest::default();
    for part in [&claim.id, &claim.place, &claim.kind, &claim.says, &claim.setup, &claim.check] {
        digest.add(part);
    }
    digest.finish()
}

/// Digest of the code cells of a notebook from the first one on.
pub fn of_cells<'a>(sources: impl IntoIterator<Item = &'a str>) -> String {
    let mut digest = Digest::default();
    for source in sources {
        digest.add("cell");
        digest.add_code(source);
    }
    digest.finish()
}

/// Digest of all Rust files below `folders`, by name and tokens, in the order of their paths.
///
/// # Errors
/// [`Error::Io`] for a folder or file that cannot be read; a folder that does not exist holds nothing.
pub fn of_sources(root: &Path, folders: &[impl AsRef<Path>]) -> Result<String, Error> {
    let mut digest = Digest::default();
    for folder in folders {
        let mut files = Vec::new();
        rust_files(&root.join(folder.as_ref()), &mut files)?;
        files.sort();
        for path in files {
            let text = std::fs::read_to_string(&path).map_err(|cause| Error::io("reading the source", &path, cause))?;
            digest.add(path.strip_prefix(root).unwrap_or(&path).to_string_lossy().as_bytes());
            digest.add_code(&text);
        }
    }
    Ok(digest.finish())
}

/// The Rust files below a folder; a folder that does not exist holds none.
pub(crate) fn rust_files(folder: &Path, found: &mut Vec<std::path::PathBuf>) -> Result<(), Error> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(cause) => return Err(Error::io("listing the sources in", folder, cause)),
    };
    for entry in entries {
        let path = entry.map_err(|cause| Error::io("listing the sources in", folder, cause))?.path();
        if path.is_dir() {
            rust_files(&path, found)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_layout_do_not_count_and_everything_else_does() {
        let base = of_cells(["let x = 1; // one", "f(x)"]);
        assert_eq!(base, of_cells(["let x =\n    1;", "/* call */ f( x )"]));
        let mut seen = std::collections::HashSet::new();
        for other in [
            &["let x = 2;", "f(x)"][..],
            &["let x = 1;", "f(y)"],
            &["let x = 1;"],
            &["let x = 1; f(x)"],
            &["let x = 1;", "f(\"x\")"],
            &["let x = 1;", "f(x);"],
            &["let x = 1;", "f('x')"],
            &["let x = 1;", "f('y')"],
            &["let x = 1;", "f(\"\\n\")"],
            &["let x = 1;", "f(\"n\")"],
        ] {
            let digest = of_cells(other.iter().copied());
            assert_ne!(base, digest, "{other:?}");
            assert!(seen.insert(digest), "{other:?}");
        }
        assert_eq!(base.len(), 16);
    }

    #[test]
    fn neighbouring_parts_do_not_run_together() {
        let of = |parts: &[&str]| {
            let mut digest = Digest::default();
            parts.iter().for_each(|part| digest.add(part));
            digest.finish()
        };
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&[""]), of(&[]));
    }

    #[test]
    fn sources_count_by_name_and_tokens() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("src/a.rs", "fn a() {}");
        let first = of_sources(root.path(), &["src", "none"]).unwrap();
        write("src/a.rs", "/// Documented.\nfn a() { }\n");
        write("src/notes.md", "text");
        assert_eq!(of_sources(root.path(), &["src", "none"]).unwrap(), first);
        write("src/deep/b.rs", "");
        assert_ne!(of_sources(root.path(), &["src", "none"]).unwrap(), first);
    }
}
