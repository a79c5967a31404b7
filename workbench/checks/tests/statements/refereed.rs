//! Twenty rows, drawn and not chosen, have a page that says how they were refereed; so may others.

use std::collections::BTreeSet;
use std::path::Path;

use workbench_ledger::Registry;

use super::root;

/// The first twenty in the order that the stream "rows to referee" of seed 306 gave the 306 claims of our four documents. The draw stands
/// here as it came out: claims that are added take no part in it, and change nothing of it.
const DRAWN: [&str; 20] = [
    "gradient-memory/eq-reformulation-yu",
    "heavy-tailed/b3-finite-data",
    "heavy-tailed/c1-sgd-W",
    "heavy-tailed/c1-sgd-embeddings",
    "heavy-tailed/eq-9",
    "heavy-tailed/fig-10-middle-left",
    "heavy-tailed/fig-16-left",
    "heavy-tailed/fig-16-right",
    "heavy-tailed/fig-3-right",
    "heavy-tailed/fig-4-right",
    "heavy-tailed/hutter-michaud",
    "heavy-tailed/lemma-2-cap-bound",
    "memformer/eq-A5-A6",
    "memformer/fig-1",
    "memformer/fig-2",
    "mnemosyne/b11-prompt-count",
    "mnemosyne/block-orthogonal",
    "mnemosyne/eq-25-26",
    "mnemosyne/fig-13-left",
    "mnemosyne/rf-unbiased",
];

const PARTS: [&str; 6] = [
    "## What is printed",
    "## What is computed",
    "## Would a wrong form pass?",
    "## What a referee would object to",
    "## What was done about it",
    "## Verdict",
];

/// The claims that have a page in a folder, by the names of the files below it.
fn pages(folder: &Path, before: &str, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            pages(&path, &format!("{before}{name}/"), found);
        } else if let Some(name) = name.strip_suffix(".md") {
            found.insert(format!("{before}{name}"));
        }
    }
}

#[test]
fn each_drawn_row_has_its_page_and_each_page_its_claim_and_its_parts() {
    let folder = root().join("notebooks/refereed");
    let registry = Registry::read(&root().join("notebooks/claims.toml")).unwrap();
    let mut found = BTreeSet::new();
    pages(&folder, "", &mut found);
    let missing = DRAWN.iter().filter(|id| !found.contains(**id));
    let mut wrong: Vec<String> = missing.map(|id| format!("{id}: no page")).collect();
    for id in &found {
        if registry.position(id).is_none() {
            wrong.push(format!("{id}: a page, and no such claim"));
        }
        let text = std::fs::read_to_string(folder.join(format!("{id}.md"))).unwrap();
        let absent = PARTS.iter().filter(|part| !text.contains(*part));
        wrong.extend(absent.map(|part| format!("{id}: no `{part}`")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
