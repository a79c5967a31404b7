//! What `new` wrote for somebody to write, and nobody has.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use workbench_record::Registry;

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

/// In a notebook's prose.
pub fn in_notebook(notebook: &Notebook) -> Vec<String> {
    let texts = notebook.texts();
    texts.iter().filter_map(|(index, text)| left(&format!("cell {}", notebook.id(*index)), text)).collect()
}

/// In the rows of the registry, and in the heads of the checks: what stands in comments there.
pub fn in_registry(registry: &Registry, root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for claim in registry.claims() {
        let text = [claim.place.as_str(), &claim.says, &claim.setup, &claim.check].join("\n");
        found.extend(left(&format!("claims.toml, {}", claim.id), &text));
    }
    let files: BTreeSet<&PathBuf> = registry.checks().iter().map(|check| &check.file).collect();
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
        let found = in_registry(&registry, root.path());
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with(
            "claims.toml, m/a: \"PLACE IN THE DOCUMENT\", \"WHAT IS COMPARED, AND WHICH WRONG FORM IT TELLS APART\" still"
        ));
        assert!(found[1].starts_with("src/eq_1.rs: \"WHAT HAPPENS\", \"TITLE\" still"), "{found:?}");
        std::fs::write(root.path().join("src/eq_1.rs"), check.replace("TITLE.", "x").replace("WHAT H", "h")).unwrap();
        assert_eq!(in_registry(&registry, root.path()).len(), 1, "a name in the code is none");
        let seen = in_notebook(&notebook(&[
            ("markdown", "## SUBTITLES and what happens"),
            ("markdown", "**What we saw.** NOTHING YET: the check is not written."),
        ]));
        assert!(seen.len() == 1 && seen[0].starts_with("cell c1: \"NOTHING YET\" still"), "{seen:?}");
    }
}
