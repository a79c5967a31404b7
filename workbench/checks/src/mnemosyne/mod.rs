//! Mnemosyne's appendix, part A: its statements, notebook by notebook in the
//! order of the text.

// Random features.

// Compact memories.

use workbench_ledger::AnyCheck;

/// Its checks, in the order of the text. Those that are not here yet stand in the notebooks.
pub fn all() -> Vec<AnyCheck> {
    [random_features(), compact_memory()].concat()
}

fn random_features() -> Vec<AnyCheck> {
    vec![]
}

fn compact_memory() -> Vec<AnyCheck> {
    vec![]
}
