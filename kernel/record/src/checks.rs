//! Checks that stand in files of their own: which file speaks about which claim, read from the sources.
//!
//! A file of `workbench/checks/src` holds `impl Check for NAME { const CLAIM: &'static str = "id"; ... }`, once or several times. A cell
//! runs such a check by its name, `ledger.check(module::NAME { .. })`, so names lead from cell to file, and the id from file to claim.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::digest::Digest;
use super::scan::{Token, tokens};

/// Where the sources are, below the project's root.
pub const FOLDER: &str = "workbench/checks/src";

/// A check in a file of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckFile {
    /// The claim.
    pub claim: String,
    /// The name of its type with the modules before it: `gradient_memory::definition_1::BestMap`.
    pub name: String,
    /// The file, below the project's root.
    pub file: PathBuf,
    /// Digest of the file's code.
    pub digest: String,
}

/// All of them, by claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checks(BTreeMap<String, CheckFile>);

impl Checks {
    /// Reads the sources below a project's root; a file that cannot be read holds no checks, and its claims' rows are then stale.
    pub fn read(root: &Path) -> Checks {
        let mut found = BTreeMap::new();
        let folder = root.join(FOLDER);
        let mut open = vec![folder.clone()];
        while let Some(place) = open.pop() {
            for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    open.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs")
                    && let Ok(text) = std::fs::read_to_string(&path)
                {
                    for check in checks_in(&text, path.strip_prefix(&folder).unwrap_or(&path)) {
                        found.insert(check.claim.clone(), check);
                    }
                }
            }
        }
        Checks(found)
    }

    /// The check of a claim, if it stands in a file of its own.
    pub fn of(&self, claim: &str) -> Option<&CheckFile> {
        self.0.get(claim)
    }

    /// The check that a cell names, by the end of its path: `definition_1::BestMap`.
    pub fn named(&self, path: &str) -> Option<&CheckFile> {
        let ends = |name: &str| {
            name.strip_suffix(path)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
        };
        let mut fitting = self.0.values().filter(|check| ends(&check.name));
        match (fitting.next(), fitting.next()) {
            (Some(check), None) => Some(check),
            _ => None,
        }
    }

    /// All, in the order of their claims' ids.
    pub fn iter(&self) -> impl Iterator<Item = &CheckFile> {
        self.0.values()
    }
}

/// The checks in a source file, `place` below the folder of sources.
fn checks_in(text: &str, place: &Path) -> Vec<CheckFile> {
    let tokens = tokens(text);
    let word = |at: usize| match tokens.get(at) {
        Some(Token::Word(word)) => word.as_str(),
        _ => "",
    };
    let mut digest = Digest::default();
    digest.add_code(text);
    let digest = digest.finish();
    let modules = place.with_extension("");
    let modules: Vec<String> = modules.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        if [word(at), word(at + 1), word(at + 2)] != ["impl", "Check", "for"] {
            continue;
        }
        let claim = (at + 3..tokens.len())
            .take_while(|at| word(*at) != "impl")
            .skip_while(|at| word(*at) != "CLAIM")
            .find_map(|at| match &tokens[at] {
                Token::Text(id) => Some(id.clone()),
                _ => None,
            });
        if let Some(claim) = claim {
            found.push(CheckFile {
                claim,
                name: format!("{}::{}", modules.join("::"), word(at + 3)),
                file: Path::new(FOLDER).join(place),
                digest: digest.clone(),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "//! impl Check for Nobody { const CLAIM: &str = \"m/no\"; }\n\
        impl Check for Upper { const CLAIM: &'static str = \"m/upper\"; fn run(&self) { let text = \"m/other\"; } }\n\
        impl Lower { fn helper() -> &'static str { \"m/none\" } }\n\
        impl Check for Lower {\n    const CLAIM: &'static str = \"m/lower\";\n}\n";

    #[test]
    fn names_claims_and_files_lead_to_each_other() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join(FOLDER).join("heavy");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("lemma_3.rs"), SOURCE).unwrap();
        std::fs::write(
            folder.join("lemma_4.rs"),
            "impl Check for Upper { const CLAIM: &'static str = \"m/4\"; }",
        )
        .unwrap();
        let checks = Checks::read(root.path());
        assert_eq!(checks.iter().count(), 3);
        let upper = checks.of("m/upper").unwrap();
        assert_eq!(upper.name, "heavy::lemma_3::Upper");
        assert_eq!(upper.file, Path::new("workbench/checks/src/heavy/lemma_3.rs"));
        assert_eq!(upper.digest, checks.of("m/lower").unwrap().digest);
        assert_eq!(checks.named("lemma_3::Upper"), Some(upper));
        assert_eq!(checks.named("Lower").unwrap().claim, "m/lower");
        assert_eq!(checks.named("Upper"), None, "two files have one");
        assert_eq!(checks.named("emma_3::Upper"), None);
        assert_eq!(checks.of("m/none"), None);
        assert_eq!(Checks::read(Path::new("/nowhere")), Checks::default());
    }

    #[test]
    fn the_digest_is_that_of_the_code_and_not_of_its_comments() {
        let of = |text: &str| checks_in(text, Path::new("a/b.rs"))[0].digest.clone();
        assert_eq!(of(SOURCE), of(&format!("// more\n{SOURCE}")));
        assert_ne!(of(SOURCE), of(&SOURCE.replace("helper", "other")));
    }
}
