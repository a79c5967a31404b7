//! What `new` wrote for somebody to write, and nobody has.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use workbench_record::{Claim, Registry};

use workbench_base::notebook::Notebook;

/// The words of `new`; of two at one place the longer one goes first.
const WORDS: [&str; 16] = [
    "PLACE IN THE DOCUMENT",
    "WHAT THE DOCUMENT SAYS, RESTATED",
    "WHAT IS COMPARED, AND WHICH WRONG FORM IT TELLS APART",
    "WHAT IS COMPARED",
    "HOW IT IS TESTED",
    "WHAT HAPPENS",
    "TITLE",
    "THE QUESTION?",
    "WHY ONE WOULD BELIEVE IT, AND ONE CASE SHOWN",
    "**What would count against it**: WHAT.",
    "NOTHING YET",
    "WHAT THE READER WILL SEE, AND WHY IT MATTERS",
    "WHAT IT IS ABOUT, AND WHAT ITS METHODS COMPUTE",
    "A FUNCTION OR A TYPE",
    "An example to write over",
    "PRINTED should read RIGHT",
];

/// What `new` lets a check say. Until somebody writes the check, the words around it say no more.
pub const UNWRITTEN: &str = "s.not_tested(\"its check is not written yet\");";

/// The claims that have just been begun.
pub fn begun(registry: &Registry, root: &Path) -> Vec<Claim> {
    let begun = |claim: &&Claim| {
        let check = registry.checks().of(&claim.id);
        check.is_some_and(|check| {
            std::fs::read_to_string(root.join(&check.file)).is_ok_and(|text| text.contains(UNWRITTEN))
        })
    };
    registry.claims().iter().filter(begun).cloned().collect()
}

/// Which of them stand in a text, as a complaint; nothing where none does.
fn left(place: &str, text: &str) -> Option<String> {
    let mut rest = text.to_string();
    let mut found = Vec::new();
    for word in WORDS {
        if stands(&rest, word) {
            rest = rest.replace(word, "");
            found.push(format!("\"{word}\""));
        }
    }
    let said = match found.len() {
        0 => return None,
        1 => "still stands where `new` wrote it; write what it asks for",
        _ => "still stand where `new` wrote them; write what they ask for",
    };
    Some(format!("{place}: {} {said}", found.join(", ")))
}

/// Whether the words stand there by themselves, and not as a part of another word.
fn stands(text: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !(text[..at].ends_with(joins) || word.ends_with(joins) && text[at + word.len()..].starts_with(joins))
    })
}

/// In the prose of a notebook without a claim that has just been begun.
pub fn in_notebook(notebook: &Notebook, begun: &[Claim]) -> Vec<String> {
    if begun.iter().any(|claim| claim.notebook == notebook.name()) {
        return Vec::new();
    }
    let texts = notebook.texts();
    texts.iter().filter_map(|(index, text)| left(&format!("cell {}", notebook.id(*index)), text)).collect()
}

/// In the rows of the registry, and in the heads of the checks: what stands in comments there. Of claims that have just been begun nothing.
pub fn in_registry(registry: &Registry, root: &Path, begun: &[Claim]) -> Vec<String> {
    let mut found = Vec::new();
    let written = |id: &str| !begun.iter().any(|claim| claim.id == id);
    for claim in registry.claims().iter().filter(|claim| written(&claim.id)) {
        let text = [claim.place.as_str(), &claim.says, &claim.setup, &claim.check].join("\n");
        found.extend(left(&format!("claims.toml, {}", claim.id), &text));
    }
    let files: BTreeSet<&PathBuf> =
        registry.checks().iter().filter(|check| written(&check.claim)).map(|check| &check.file).collect();
    for file in files {
        // A check whose file cannot be read is stale, and said to be.
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
        let comments: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("//")).collect();
        found.extend(left(&file.display().to_string(), &comments.join("\n")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::style::tests::notebook;
    use super::*;

    #[test]
    fn what_new_wrote_is_named_with_its_place_until_it_is_written() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["notebooks", "src"] {
            std::fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        let claims = "[[paper]]\nid = \"m\"\ntitle = \"M\"\n[[claim]]\nid = \"m/a\"\npaper = \"m\"\nwhere = \"PLACE IN THE DOCUMENT\"\n\
            kind = \"lemma\"\nsays = \"s\"\nsetup = \"s\"\ncheck = \"WHAT IS COMPARED, AND WHICH WRONG FORM IT TELLS APART.\"\n\
            reach = \"gpu\"\nnotebook = \"n\"\n";
        let check = "//! Eq. 1: TITLE.\n//! Refuted if WHAT HAPPENS.\nconst TITLE: u8 = 1;\n\
            pub const CHECK: Check = Check { claim: \"m/a\", run };\n";
        std::fs::write(root.path().join("notebooks/claims.toml"), claims).unwrap();
        std::fs::write(root.path().join("src/eq_1.rs"), check).unwrap();
        let registry = Registry::read(&root.path().join("notebooks/claims.toml")).unwrap();
        let found = in_registry(&registry, root.path(), &begun(&registry, root.path()));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with(
            "claims.toml, m/a: \"PLACE IN THE DOCUMENT\", \"WHAT IS COMPARED, AND WHICH WRONG FORM IT TELLS APART\" still"
        ));
        assert!(found[1].starts_with("src/eq_1.rs: \"WHAT HAPPENS\", \"TITLE\" still"), "{found:?}");
        std::fs::write(root.path().join("src/eq_1.rs"), check.replace("TITLE.", "x").replace("WHAT H", "h")).unwrap();
        assert_eq!(in_registry(&registry, root.path(), &[]).len(), 1, "a name in the code is none");
        let prose = notebook(&[
            ("markdown", "## SUBTITLES and what happens"),
            ("markdown", "**What we saw.** NOTHING YET: the check is not written."),
        ]);
        let seen = in_notebook(&prose, &[]);
        assert!(seen.len() == 1 && seen[0].starts_with("cell c1: \"NOTHING YET\" still"), "{seen:?}");
        // A check that says itself that it is not written: nothing is said twice.
        std::fs::write(root.path().join("src/eq_1.rs"), format!("{check}fn run() {{ {UNWRITTEN} }}\n")).unwrap();
        let mut begun = begun(&registry, root.path());
        assert!(begun.len() == 1 && in_registry(&registry, root.path(), &begun).is_empty());
        begun[0].notebook = "another".into();
        assert_eq!(in_notebook(&prose, &begun).len(), 1, "in another notebook");
        begun[0].notebook = prose.name();
        assert!(in_notebook(&prose, &begun).is_empty());
    }
}
