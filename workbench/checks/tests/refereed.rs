//! Twenty rows, drawn and not chosen, have a page that says how they were refereed.

use std::path::{Path, PathBuf};

use workbench::ledger::Registry;
use workbench::stats::Streams;

const ROWS: usize = 20;
const PARTS: [&str; 6] = [
    "## What is printed",
    "## What is computed",
    "## Would a wrong form pass?",
    "## What a referee would object to",
    "## What was done about it",
    "## Verdict",
];

fn notebooks() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../notebooks")
}

fn drawn() -> Vec<String> {
    let registry = Registry::read(&notebooks().join("claims.toml")).unwrap();
    let claims = registry.claims();
    let order = Streams::new(306)
        .stream("rows to referee")
        .unwrap()
        .permutation(claims.len());
    order.into_iter().take(ROWS).map(|at| claims[at].id.clone()).collect()
}

#[test]
fn each_drawn_row_has_its_page() {
    let mut missing = Vec::new();
    for id in drawn() {
        let path = notebooks().join(format!("refereed/{id}.md"));
        let Ok(text) = std::fs::read_to_string(&path) else {
            missing.push(format!("{id}: no page"));
            continue;
        };
        missing.extend(
            PARTS
                .iter()
                .filter(|part| !text.contains(*part))
                .map(|part| format!("{id}: no `{part}`")),
        );
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
