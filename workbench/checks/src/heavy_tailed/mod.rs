//! "Associative Memories with Heavy-Tailed Data": its statements, notebook by notebook in the
//! order of the text.

// The model: Sections 1 and 2.

// Scaling laws: Section 3.

// Finite memory: Section 3 with random embeddings.

// Optimization: Section 4.

// Gradient updates.

// Rescaled updates.
pub mod appendix_c_1;
pub mod appendix_c_1_initialisations;
pub mod appendix_c_1_updates_to_embeddings;
pub mod appendix_c_1_updates_to_w;
pub mod appendix_c_2;
pub mod appendix_c_2_adam;
pub mod appendix_c_2_large_batches;
pub mod figure_15;
pub mod figure_16;
pub mod section_3_cross_entropy;
pub mod section_3_direction;

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
    vec![
        AnyCheck::of::<section_3_direction::DirectionOnly>(),
        AnyCheck::of::<section_3_cross_entropy::Divergence>(),
        AnyCheck::of::<appendix_c_1_initialisations::Initialisations>(),
        AnyCheck::of::<appendix_c_1_updates_to_w::Plain>(),
        AnyCheck::of::<appendix_c_1_updates_to_w::Sign>(),
        AnyCheck::of::<appendix_c_1_updates_to_embeddings::Plain>(),
        AnyCheck::of::<appendix_c_1_updates_to_embeddings::Sign>(),
        AnyCheck::of::<appendix_c_2_large_batches::LargeBatches>(),
        AnyCheck::of::<appendix_c_2_adam::Homogenises>(),
        AnyCheck::of::<figure_15::Left>(),
        AnyCheck::of::<figure_15::Middle>(),
        AnyCheck::of::<figure_15::Right>(),
        AnyCheck::of::<figure_16::Left>(),
        AnyCheck::of::<figure_16::Right>(),
    ]
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
