//! A copy of the workspace in which every drawn site has its wrong form beside the right one.
//!
//! `EXPR` becomes `(if ::workbench_ground::faults::planted(K) { WRONG } else { EXPR })`: one build serves all faults, and the number in
//! `WORKBENCH_FAULT` says which one is live. A small module that says so, and writes down which sites were reached, is added to the room
//! that all others stand on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::house::House;
use super::sites::Site;
use workbench_base::error::{Error, Result};
use workbench_base::text::tail;

/// The variable that names the live fault.
pub const FAULT: &str = "WORKBENCH_FAULT";
/// The variable that names the file in which reached sites are written down, one number a line.
pub const REACHED: &str = "WORKBENCH_FAULT_REACHED";

/// The module of the copy.
const TEXT: &str = include_str!("planted.rs");

/// Where a site stands in the copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planted {
    /// Its file, below the root.
    pub file: String,
    /// The bytes of the whole `if`.
    pub bytes: (usize, usize),
    /// The bytes of the function around it.
    pub function: (usize, usize),
}

/// Writes the copy into `folder`; what is there and the same stays untouched, so that cargo does not compile it again. The sites have the
/// numbers 1, 2, .. in their order.
///
/// # Errors
/// [`Error::Io`], or [`Error::Failed`] where git does not list the files.
pub fn plant(root: &Path, folder: &Path, sites: &[Site]) -> Result<Vec<Planted>> {
    let mut files = known(root)?;
    // A folder within the workspace holds no part of itself.
    files.retain(|file| !root.join(file).starts_with(folder));
    // Where the module goes, and who declares it.
    let house = House::of(root);
    let (module, declares) =
        (format!("{}/faults.rs", house.ground_sources()), format!("{}/lib.rs", house.ground_sources()));
    files.insert(module.clone());
    let mut by_file: BTreeMap<&str, Vec<(usize, &Site)>> = BTreeMap::new();
    for (at, site) in sites.iter().enumerate() {
        by_file.entry(&site.file).or_default().push((at, site));
    }
    let mut planted = vec![None; sites.len()];
    for file in &files {
        let bytes = match *file == module {
            true => TEXT.as_bytes().to_vec(),
            false => match std::fs::read(root.join(file)) {
                Ok(bytes) => bytes,
                // Listed, and taken away in the working tree.
                Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => continue,
                Err(cause) => return Err(Error::io("read", &root.join(file), cause)),
            },
        };
        let mut bytes = match by_file.get(file.as_str()) {
            Some(sites) => {
                let text = String::from_utf8_lossy(&bytes);
                let (text, places) = rewritten(&text, sites, &house);
                for ((at, _), place) in sites.iter().zip(places) {
                    planted[*at] = Some(place);
                }
                text.into_bytes()
            }
            None => bytes,
        };
        if *file == declares {
            bytes = declared(&bytes);
        }
        put(&folder.join(file), &bytes)?;
    }
    remove_others(folder, &files)?;
    Ok(planted.into_iter().flatten().collect())
}

/// The files that git knows below a root, or would take if asked, by their places there.
fn known(root: &Path) -> Result<BTreeSet<String>> {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(root)
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .stdin(Stdio::null());
    let output = command.output().map_err(|source| Error::Start {
        program: "git".into(),
        source,
        hint: "install git: the copy holds the files that it knows".into(),
    })?;
    if !output.status.success() {
        return Err(Error::Failed {
            what: format!("listing the files of {}", root.display()),
            status: output.status.to_string(),
            hint: "clone the repository: the copy holds the files that git knows".into(),
            tail: tail(&String::from_utf8_lossy(&output.stderr), 5),
        });
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.split('\0').filter(|path| !path.is_empty()).map(str::to_string).collect())
}

/// The text of a file with its sites rewritten, and where they then stand, in the order given.
fn rewritten(text: &str, sites: &[(usize, &Site)], house: &House) -> (String, Vec<Planted>) {
    let mut order: Vec<usize> = (0..sites.len()).collect();
    order.sort_by_key(|&at| sites[at].1.bytes.0);
    let (mut out, mut from) = (String::with_capacity(text.len() + 200 * sites.len()), 0);
    let mut bytes = vec![(0, 0); sites.len()];
    // Where each end of a rewritten piece moves everything behind it, by how much.
    let mut moves: Vec<(usize, usize)> = Vec::new();
    for at in order {
        let (index, site) = sites[at];
        out += &text[from..site.bytes.0];
        let begin = out.len();
        out += &guarded(site, index + 1, house);
        bytes[at] = (begin, out.len());
        from = site.bytes.1;
        moves.push((from, out.len() - from));
    }
    out += &text[from..];
    let moved = |place: usize| place + moves.iter().rev().find(|(from, _)| *from <= place).map_or(0, |(_, by)| *by);
    let planted = sites.iter().zip(bytes).map(|((_, site), bytes)| Planted {
        file: site.file.clone(),
        bytes,
        function: (moved(site.function.0), moved(site.function.1)),
    });
    let planted = planted.collect();
    (out, planted)
}

fn guarded(site: &Site, number: usize, house: &House) -> String {
    let faults = house.faults_for(&site.room);
    let Site { before, after, .. } = site;
    format!("(if {faults}::planted({number}) {{ {after} }} else {{ {before} }})")
}

/// The front page of the ground with the module.
fn declared(bytes: &[u8]) -> Vec<u8> {
    let mut text = bytes.to_vec();
    text.extend_from_slice(b"\n#[doc(hidden)]\npub mod faults;\n");
    text
}

fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).map_err(|source| Error::io("make", folder, source))?;
    std::fs::write(path, bytes).map_err(|source| Error::io("write", path, source))
}

/// Takes away what an earlier copy has and this one has not.
fn remove_others(folder: &Path, files: &BTreeSet<String>) -> Result<()> {
    fn below(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            match path.is_dir() {
                true => below(&path, found)?,
                false => found.push(path),
            }
        }
        Ok(())
    }
    let mut found = Vec::new();
    below(folder, &mut found).map_err(|source| Error::io("list", folder, source))?;
    for path in found {
        let place = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        let is_source = ["rs", "toml", "lock"].iter().any(|ending| place.ends_with(&format!(".{ending}")));
        if is_source && !files.contains(&place) {
            std::fs::remove_file(&path).map_err(|source| Error::io("remove", &path, source))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::sites::of_file;
    use super::*;
    use crate::fixtures::commit_all;

    const SOURCE: &str = "fn f(a: f64, b: f64) -> f64 {\n    a - b + (-a)\n}\nfn g(x: f64) -> f64 {\n    x.sqrt()\n}\n";

    fn sites(room: &str) -> Vec<Site> {
        of_file(room, &format!("workbench/{room}/src/a.rs"), SOURCE)
    }

    #[test]
    fn the_right_form_stays_beside_the_wrong_one() {
        let all = sites("memory");
        let chosen: Vec<(usize, &Site)> =
            all.iter().enumerate().filter(|(_, site)| site.before == "x.sqrt()" || site.before == "a - b").collect();
        let (text, planted) = rewritten(SOURCE, &chosen, &House::of(Path::new("")));
        let numbers: Vec<usize> = chosen.iter().map(|(at, _)| at + 1).collect();
        for (place, ((_, site), number)) in planted.iter().zip(chosen.iter().zip(numbers)) {
            let Site { before, after, .. } = site;
            assert_eq!(
                &text[place.bytes.0..place.bytes.1],
                format!("(if ::workbench_ground::faults::planted({number}) {{ {after} }} else {{ {before} }})")
            );
            let function = &text[place.function.0..place.function.1];
            assert!(function.starts_with("fn ") && function.ends_with('}'), "{function}");
            assert!(place.function.0 <= place.bytes.0 && place.bytes.1 <= place.function.1);
        }
    }

    #[test]
    fn the_copy_holds_what_git_knows_and_leaves_alone_what_is_the_same() {
        let (root, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("workbench/ground/src/lib.rs", "pub mod a;\n");
        write("workbench/ground/src/a.rs", SOURCE);
        write("b.txt", "one");
        commit_all(root.path());
        write("c.txt", "new");
        write(".gitignore", "d.txt\n");
        write("d.txt", "ignored");
        std::fs::write(copy.path().join("old.rs"), "").unwrap();
        let all = sites("ground");
        let planted = plant(root.path(), copy.path(), &all[..1]).unwrap();
        assert_eq!(planted.len(), 1);
        let read = |name: &str| std::fs::read_to_string(copy.path().join(name)).unwrap_or_default();
        assert!(read("workbench/ground/src/a.rs").contains("(if crate::faults::planted(1) {"));
        assert!(read("workbench/ground/src/lib.rs").contains("pub mod faults;"));
        assert!(read("workbench/ground/src/faults.rs").contains("pub fn planted"));
        assert_eq!(["b.txt", "c.txt", "d.txt"].map(read), ["one".to_string(), "new".into(), String::new()]);
        assert!(!copy.path().join("old.rs").exists());
        let time = || std::fs::metadata(copy.path().join("b.txt")).unwrap().modified().unwrap();
        let before = time();
        plant(root.path(), copy.path(), &[]).unwrap();
        assert_eq!(time(), before);
        assert_eq!(read("workbench/ground/src/a.rs"), SOURCE);
    }
}
