//! "Associative Memories with Heavy-Tailed Data": its statements, notebook by notebook in the
//! order of the text.

// The model: Sections 1 and 2.

// Scaling laws: Section 3.

// Finite memory: Section 3 with random embeddings.

// Optimization: Section 4.

// Gradient updates.

// Rescaled updates.

// Learned embeddings.

// Useful lemmas.

// Proofs of the theorems.

use workbench_ledger::AnyCheck;

/// Its checks, in the order of the text. Those that are not here yet stand in the notebooks.
pub fn all() -> Vec<AnyCheck> {
    [
        model(),
        scaling_laws(),
        finite_memory(),
        optimization(),
        gradient_updates(),
        rescaled_updates(),
        learned_embeddings(),
        useful_lemmas(),
        theorem_proofs(),
    ]
    .concat()
}

fn model() -> Vec<AnyCheck> {
    vec![]
}

fn scaling_laws() -> Vec<AnyCheck> {
    vec![]
}

fn finite_memory() -> Vec<AnyCheck> {
    vec![]
}

fn optimization() -> Vec<AnyCheck> {
    vec![]
}

fn gradient_updates() -> Vec<AnyCheck> {
    vec![]
}

fn rescaled_updates() -> Vec<AnyCheck> {
    vec![]
}

fn learned_embeddings() -> Vec<AnyCheck> {
    vec![]
}

fn useful_lemmas() -> Vec<AnyCheck> {
    vec![]
}

fn theorem_proofs() -> Vec<AnyCheck> {
    vec![]
}
