//! "Associative Memories with Heavy-Tailed Data": its statements, notebook by notebook in the
//! order of the text.

// The model: Sections 1 and 2.
pub mod appendix_a_why_errors;
pub mod equation_1;
pub mod equation_2;
pub mod equation_3;
pub mod equation_4;
pub mod equation_5;
pub mod figure_10;
pub mod figure_10_memories;
pub mod figure_2;
pub mod section_2_data;
pub mod section_2_model;

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
    vec![
        AnyCheck::of::<section_2_data::ZipfData>(),
        AnyCheck::of::<equation_1::ArgMax>(),
        AnyCheck::of::<equation_2::OuterProducts>(),
        AnyCheck::of::<equation_3::WrongAnswers>(),
        AnyCheck::of::<figure_2::Overwriting>(),
        AnyCheck::of::<equation_4::WeightsFromData>(),
        AnyCheck::of::<equation_5::TopInputs>(),
        AnyCheck::of::<appendix_a_why_errors::TwoSources>(),
        AnyCheck::of::<figure_10::Left>(),
        AnyCheck::of::<figure_10::MiddleLeft>(),
        AnyCheck::of::<figure_10::MiddleRight>(),
        AnyCheck::of::<figure_10::Right>(),
    ]
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
