//! Checks that stand in files of their own: which file speaks about which claim, read from the sources.
//!
//! A file of `workbench/checks/DOCUMENT/src`, or in a project with one package of `src`, holds `const NAME: Check = Check { claim: "id", .. }`,
//! once or several times. A cell runs such a check by its name, `ledger.check(module::NAME)`, so names lead from cell to file, and the
//! id from file to claim.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::digest::{Digest, parts_of, rust_files};
use super::scan::{Token, tokens};

/// Where the sources are, below the root of a project that has a crate for the checks of each document.
pub const FOLDER: &str = "workbench/checks";
/// The same in a project that is one package: its checks stand beside its methods.
pub const OWN_FOLDER: &str = "src";
/// The first module of what stands there.
const OWN: &str = "crate";

/// Where the sources of a project's checks are, below its root.
fn folder(root: &Path) -> &'static str {
    if root.join(FOLDER).is_dir() { FOLDER } else { OWN_FOLDER }
}

/// A check in a file of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckFile {
    /// The claim.
    pub claim: String,
    /// Its name with the modules before it: `gradient_memory::definition_1::CHECK`.
    pub name: String,
    /// The file, below the project's root.
    pub file: PathBuf,
    /// Digest of the file's code, and of the code of the files in this folder that it uses.
    pub digest: String,
}

/// All of them, by claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checks(BTreeMap<String, CheckFile>);

impl Checks {
    /// Reads the sources below a project's root; a file that cannot be read holds no checks, and its claims' rows are then stale.
    pub fn read(root: &Path) -> Checks {
        let place = folder(root);
        let mut paths = Vec::new();
        // Without the folder there are no checks in files; what cannot be listed is missing in the same way.
        let _ = rust_files(&root.join(place), &mut paths);
        let sources: Sources = paths
            .into_iter()
            .filter_map(|path| {
                let inside = path.strip_prefix(root.join(place)).ok()?;
                let modules = match place {
                    OWN_FOLDER => modules_of(&Path::new(OWN).join("src").join(inside)),
                    _ => modules_of(inside),
                }?;
                let source = Source::new(&modules, &std::fs::read_to_string(&path).ok()?);
                Some((modules, source))
            })
            .collect();
        let found = sources.iter().flat_map(|(modules, source)| {
            let named = source.checks();
            // Checks of one file share its digest.
            let digest = match named.is_empty() {
                true => String::new(),
                false => digest_of(modules, &sources),
            };
            let file = file_of(modules);
            named.into_iter().map(move |(claim, name)| CheckFile {
                claim,
                name: format!("{}::{name}", modules.join("::")),
                file: file.clone(),
                digest: digest.clone(),
            })
        });
        Checks(found.map(|check| (check.claim.clone(), check)).collect())
    }

    /// The check of a claim, if it stands in a file of its own.
    pub fn of(&self, claim: &str) -> Option<&CheckFile> {
        self.0.get(claim)
    }

    /// The check that a cell names, by the end of its path: `definition_1::CHECK`. Documents have statements of one name, so where several
    /// checks fit it is the one whose claim is `here`, in the notebook of the cell.
    pub fn named(&self, path: &str, here: impl Fn(&str) -> bool) -> Option<&CheckFile> {
        let ends = |name: &str| name.strip_suffix(path).is_some_and(|rest| rest.is_empty() || rest.ends_with("::"));
        let fitting: Vec<&CheckFile> = self.0.values().filter(|check| ends(&check.name)).collect();
        let own: Vec<&CheckFile> = fitting.iter().copied().filter(|check| here(&check.claim)).collect();
        match (&fitting[..], &own[..]) {
            ([check], _) | (_, [check]) => Some(check),
            _ => None,
        }
    }

    /// All, in the order of their claims' ids.
    pub fn iter(&self) -> impl Iterator<Item = &CheckFile> {
        self.0.values()
    }
}

/// The document's crate and the modules that lead to a file of it.
type Modules = Vec<String>;

/// `heavy_tailed/src/lemma_3.rs` is `heavy_tailed::lemma_3`, and `heavy_tailed/src/lib.rs` the crate itself. What stands outside of
/// a crate's sources (tests, the crate that lists all) speaks about no claim.
fn modules_of(place: &Path) -> Option<Modules> {
    let mut parts: Modules = place.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.len() < 3 || parts[1] != "src" {
        return None;
    }
    parts.remove(1);
    if parts.len() == 2 && parts[1] == "lib" {
        parts.pop();
    }
    Some(parts)
}

/// The file of these modules, below the project's root.
fn file_of(modules: &Modules) -> PathBuf {
    let inside = match &modules[1..] {
        [] => PathBuf::from("lib"),
        inside => inside.iter().collect(),
    };
    let folder = match modules[0].as_str() {
        OWN => PathBuf::from(OWN_FOLDER),
        document => Path::new(FOLDER).join(document).join("src"),
    };
    folder.join(inside).with_extension("rs")
}

type Sources = BTreeMap<Modules, Source>;

/// A source file, read once: many digests take it.
struct Source {
    tokens: Vec<Token>,
    /// Its code as a digest takes it.
    parts: Vec<u8>,
    /// What it may use, by name; not each is a file.
    uses: Vec<Modules>,
}

impl Source {
    fn new(modules: &Modules, text: &str) -> Source {
        let tokens = tokens(text);
        let mut uses = Vec::new();
        for at in 0..tokens.len() {
            // `super::name` and `crate::name`: each prefix that is a file. What the crate's front page takes in under its own name
            // (the vocabulary) is a crate beside it.
            let bases: &[&[String]] = match word(&tokens, at) {
                "super" => &[&modules[..modules.len() - 1]],
                "crate" => &[&modules[..1], &[]],
                _ => continue,
            };
            for base in bases {
                let path = (at + 3..).step_by(3).map(|at| word(&tokens, at));
                let mut used = base.to_vec();
                for name in path.take_while(|name| !name.is_empty()) {
                    used.push(name.to_string());
                    uses.push(used.clone());
                }
            }
        }
        Source { parts: parts_of(&tokens), tokens, uses }
    }

    /// The claims that its checks speak about, with the names under which they stand: of `const CHECK: Check = Check { claim: "id", .. }`.
    fn checks(&self) -> Vec<(String, String)> {
        let tokens = &self.tokens;
        let word = |at: usize| word(tokens, at);
        let mut found = Vec::new();
        for at in 0..tokens.len() {
            let ["const", name, "", "Check"] = [word(at), word(at + 1), word(at + 2), word(at + 3)] else {
                continue;
            };
            let claim = (at + 4..tokens.len())
                .take_while(|at| !["impl", "fn"].contains(&word(*at)))
                .skip_while(|at| word(*at) != "claim")
                .find_map(|at| match &tokens[at] {
                    Token::Text(id) => Some(id.clone()),
                    _ => None,
                });
            // A claim of one's own has an id without a document.
            if let Some(claim) = claim.filter(|claim| claim.contains('/')) {
                found.push((claim, name.to_string()));
            }
        }
        found
    }
}

fn word(tokens: &[Token], at: usize) -> &str {
    match tokens.get(at) {
        Some(Token::Word(word)) => word,
        _ => "",
    }
}

/// Digest of a file and, through `super::` and `crate::`, of all files that it uses.
fn digest_of(modules: &Modules, sources: &Sources) -> String {
    let mut reached: BTreeMap<&Modules, &Source> = BTreeMap::new();
    let mut open = vec![modules];
    while let Some(modules) = open.pop() {
        if let Some((modules, source)) = sources.get_key_value(modules)
            && reached.insert(modules, source).is_none()
        {
            open.extend(&source.uses);
        }
    }
    let mut digest = Digest::default();
    for (modules, source) in reached {
        digest.add(modules.join("::"));
        digest.add_parts(&source.parts);
    }
    digest.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "//! const NOBODY: Check = Check { claim: \"m/no\" };\n\
        pub const UPPER: Check = Check { claim: \"m/upper\", metric: \"m/metric\", run, ..Check::DEFAULT };\n\
        fn helper() -> &'static str { \"m/none\" }\n\
        pub const LOWER: Check = Check {\n    claim: \"m/lower\",\n    ..Check::DEFAULT\n};\n\
        pub const OWN: Check = Check { claim: \"own\", ..Check::DEFAULT };\n";

    #[test]
    fn names_claims_and_files_lead_to_each_other() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join(FOLDER).join("heavy/src");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("lemma_3.rs"), SOURCE).unwrap();
        std::fs::write(folder.join("lemma_4.rs"), "const UPPER: Check = Check { claim: \"m/4\" };").unwrap();
        let checks = Checks::read(root.path());
        assert_eq!(checks.iter().count(), 3);
        let upper = checks.of("m/upper").unwrap();
        assert_eq!(upper.name, "heavy::lemma_3::UPPER");
        assert_eq!(upper.file, Path::new("workbench/checks/heavy/src/lemma_3.rs"));
        assert_eq!(upper.digest, checks.of("m/lower").unwrap().digest);
        let (nowhere, everywhere) = (|_: &str| false, |_: &str| true);
        assert_eq!(checks.named("lemma_3::UPPER", nowhere), Some(upper));
        assert_eq!(checks.named("LOWER", nowhere).unwrap().claim, "m/lower");
        assert_eq!(checks.named("UPPER", nowhere), None, "two files have one");
        assert_eq!(checks.named("UPPER", everywhere), None, "and both are of this notebook");
        assert_eq!(
            checks.named("UPPER", |claim| claim == "m/4").unwrap().claim,
            "m/4",
            "the notebook tells them apart"
        );
        assert_eq!(checks.named("emma_3::UPPER", everywhere), None);
        assert_eq!(checks.of("m/none"), None);
        assert_eq!(Checks::read(Path::new("/nowhere")), Checks::default());
    }

    #[test]
    fn in_a_project_of_one_package_checks_stand_beside_their_methods() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("src")).unwrap();
        let write = |name: &str, text: &str| std::fs::write(root.path().join("src").join(name), text).unwrap();
        write("lib.rs", "pub mod lemma_3;\npub mod records;\npub mod other;\n");
        write("lemma_3.rs", &format!("use crate::records::count;\n{SOURCE}"));
        write("records.rs", "pub fn count() -> u8 { 1 }");
        write("other.rs", "pub fn other() -> u8 { 1 }");
        let upper = |checks: &Checks| checks.of("m/upper").cloned().unwrap();
        let before = upper(&Checks::read(root.path()));
        assert_eq!(
            (before.name.as_str(), before.file.as_path()),
            ("crate::lemma_3::UPPER", Path::new("src/lemma_3.rs"))
        );
        write("other.rs", "pub fn other() -> u8 { 2 }");
        assert_eq!(upper(&Checks::read(root.path())).digest, before.digest, "a file that it does not use");
        write("records.rs", "pub fn count() -> u8 { 2 }");
        assert_ne!(upper(&Checks::read(root.path())).digest, before.digest, "a method that it uses");
    }

    #[test]
    fn the_digest_is_that_of_the_code_and_of_what_it_uses() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join(FOLDER);
        std::fs::create_dir_all(folder.join("heavy/src")).unwrap();
        std::fs::create_dir_all(folder.join("words/src")).unwrap();
        let files = [
            ("heavy/src/lemma_3.rs", format!("use super::law::LAW;\nuse super::missing::X;\n{SOURCE}")),
            ("heavy/src/law.rs", "use crate::words::{A, B}; pub const LAW: u8 = 1;".to_string()),
            ("heavy/src/other.rs", "pub const OTHER: u8 = 1;".to_string()),
            ("words/src/lib.rs", "pub const A: u8 = 1;".to_string()),
        ];
        let with = |changed: &str, from: &str, to: &str| {
            for (name, text) in &files {
                let text = if *name == changed { text.replace(from, to) } else { text.clone() };
                std::fs::write(folder.join(name), text).unwrap();
            }
            Checks::read(root.path()).of("m/upper").unwrap().digest.clone()
        };
        let before = with("", "", "");
        assert_eq!(with("heavy/src/lemma_3.rs", "//!", "//! more"), before, "a comment");
        assert_eq!(with("heavy/src/other.rs", "1", "2"), before, "a file that it does not use");
        assert_ne!(with("heavy/src/lemma_3.rs", "helper", "other"), before);
        assert_ne!(with("heavy/src/law.rs", "LAW: u8 = 1", "LAW: u8 = 2"), before, "a file that it uses");
        assert_ne!(with("words/src/lib.rs", "1", "2"), before, "one that is used there");
    }
}
