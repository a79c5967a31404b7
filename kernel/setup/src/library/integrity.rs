//! Integrity of a library file, as far as its own headers tell: a disk that was full or a machine that went down leaves
//! files that end too early, and cargo, which looks at times, takes them for fresh.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use memchr::memmem;
use memmap2::Mmap;
use object::{Object, ObjectSection};

/// Whether the file has the length that its headers promise. Files of other kinds only have to be there and not empty.
pub fn is_complete(file: &Path) -> bool {
    let kind = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let checked = match kind {
        "rlib" | "a" => archive(file),
        "so" => shared_object(file),
        _ => file.metadata().map(|m| m.len() > 0),
    };
    checked.unwrap_or(false)
}

/// Whether a shared object asks for the toolchain's standard library and does not carry one.
///
/// That is how cargo links `workbench` when it is built for something else, as by `cargo test --test NAME`; and cargo takes the result
/// for the one that cells need.
pub fn asks_for_std(file: &Path) -> bool {
    let Ok(opened) = File::open(file) else { return false };
    // SAFETY: as for every mapped library: nobody writes into one in place, builds put a new file there.
    let Ok(bytes) = (unsafe { Mmap::map(&opened) }) else {
        return false;
    };
    let names = object::File::parse(&*bytes).and_then(|parsed| match parsed.section_by_name(".dynstr") {
        Some(section) => Ok(section.data()?.to_vec()),
        None => Ok(Vec::new()),
    });
    names.is_ok_and(|names| memmem::find(&names, b"libstd-").is_some())
}

/// An `ar` archive: members follow each other to the very end.
fn archive(file: &Path) -> std::io::Result<bool> {
    let mut file = File::open(file)?;
    let length = file.metadata()?.len();
    let mut magic = [0; 8];
    file.read_exact(&mut magic)?;
    if magic != *b"!<arch>\n" {
        return Ok(false);
    }
    let (mut at, mut padded) = (8, false);
    while at < length {
        let mut header = [0; 60];
        if file.read_exact(&mut header).is_err() || header[58..] != *b"`\n" {
            return Ok(false);
        }
        let size = std::str::from_utf8(&header[48..58]).ok().and_then(|s| s.trim().parse::<u64>().ok());
        let Some(size) = size else { return Ok(false) };
        // Members begin at even offsets.
        padded = size % 2 == 1;
        at += 60 + size + size % 2;
        file.seek(SeekFrom::Start(at))?;
    }
    // The last member need not be padded.
    Ok(at == length || padded && at == length + 1)
}

/// A 64-bit little-endian ELF file: its table of sections comes last.
fn shared_object(file: &Path) -> std::io::Result<bool> {
    let mut file = File::open(file)?;
    let length = file.metadata()?.len();
    let mut header = [0; 64];
    file.read_exact(&mut header)?;
    if header[..6] != *b"\x7fELF\x02\x01" {
        // Another kind of machine: nothing is known of its files.
        return Ok(header[..4] == *b"\x7fELF" || !cfg!(target_os = "linux"));
    }
    let mut offset = [0; 8];
    offset.copy_from_slice(&header[40..48]);
    let number = |at: usize| u64::from(u16::from_le_bytes([header[at], header[at + 1]]));
    let sections = number(58) * number(60);
    Ok(u64::from_le_bytes(offset).saturating_add(sections) <= length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(file: &Path, name: &str, bytes: usize) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join(name);
        let all = std::fs::read(file).unwrap();
        std::fs::write(&copy, &all[..all.len() - bytes]).unwrap();
        (folder, copy)
    }

    #[test]
    fn a_shared_object_that_ends_early_is_not_whole() {
        let own = std::env::current_exe().unwrap();
        for (bytes, whole) in [(0, true), (1, false), (100_000, false)] {
            let (_folder, copy) = cut(&own, "a.so", bytes);
            assert_eq!(is_complete(&copy), whole, "{bytes} bytes cut");
        }
    }

    #[test]
    fn a_library_that_was_linked_for_a_test_asks_for_std_and_one_for_cells_carries_it() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a.rs");
        std::fs::write(&source, "pub fn one() -> String { 1.to_string() }").unwrap();
        for (dynamic, flag) in [(true, "-Cprefer-dynamic=yes"), (false, "-Cprefer-dynamic=no")] {
            let object = folder.path().join(format!("{dynamic}.so"));
            let built = std::process::Command::new("rustc")
                .args(["--crate-type=dylib", "--crate-name=a", flag, "-o"])
                .args([&object, &source])
                .status()
                .unwrap();
            assert!(built.success());
            assert_eq!(asks_for_std(&object), dynamic, "{flag}");
        }
    }

    #[test]
    fn an_archive_that_ends_early_is_not_whole() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.rlib");
        let member = |name: &str, content: &str| {
            let pad = if content.len() % 2 == 1 { "\n" } else { "" };
            format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n{content}{pad}", 0, 0, 0, 644, content.len())
        };
        std::fs::write(&file, format!("!<arch>\n{}{}", member("a/", "odd"), member("b/", "even"))).unwrap();
        assert!(is_complete(&file));
        for bytes in [1, 4, 30, 70] {
            let (_folder, copy) = cut(&file, "b.rlib", bytes);
            assert!(!is_complete(&copy), "{bytes} bytes cut");
        }
        std::fs::write(&file, "").unwrap();
        assert!(!is_complete(&file));
    }
}
