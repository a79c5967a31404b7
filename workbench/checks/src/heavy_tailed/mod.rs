//! "Associative Memories with Heavy-Tailed Data": its statements, notebook by notebook in the
//! order of the text.

// The model: Sections 1 and 2.

// Scaling laws: Section 3.

// Finite memory: Section 3 with random embeddings.
pub mod equation_23;
pub mod equation_26;
pub mod equation_27;
pub mod equation_28;
pub mod equation_29;
pub mod equation_31;
pub mod equation_32;
pub mod equation_33;
pub mod equation_35;
pub mod equation_36;
pub mod equation_37;
pub mod equation_38;
pub mod equation_40;
pub mod equation_41;
pub mod lemma_3;
pub mod lemma_3_chernoff;
pub mod proof_of_lemma_3;
pub mod quasi_orthogonal_ratio;
pub mod remark_after_33;

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
    vec![
        AnyCheck::of::<lemma_3::Upper>(),
        AnyCheck::of::<lemma_3::Lower>(),
        AnyCheck::of::<equation_23::WrongAnswer>(),
        AnyCheck::of::<equation_26::MarginsAreGaussian>(),
        AnyCheck::of::<equation_27::MaximumOfGaussians>(),
        AnyCheck::of::<lemma_3_chernoff::ChernoffSum>(),
        AnyCheck::of::<equation_28::AnyOutputs>(),
        AnyCheck::of::<equation_29::SurvivalBound>(),
        AnyCheck::of::<equation_29::ItsConstant>(),
        AnyCheck::of::<equation_32::Energies>(),
        AnyCheck::of::<quasi_orthogonal_ratio::RatioFromBelow>(),
        AnyCheck::of::<equation_31::QuasiOrthogonalUpper>(),
        AnyCheck::of::<equation_33::QuasiOrthogonalLower>(),
        AnyCheck::of::<remark_after_33::DroppedTerm>(),
        AnyCheck::of::<equation_35::TwoCases>(),
        AnyCheck::of::<equation_36::RandomOutputsUpper>(),
        AnyCheck::of::<equation_37::RandomOutputsLower>(),
        AnyCheck::of::<equation_38::WithConstants>(),
        AnyCheck::of::<equation_40::QuasiSurvival>(),
        AnyCheck::of::<equation_41::RandomSurvival>(),
    ]
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
