//! "Toward generalizable learning of all (linear) first-order methods via memory augmented Transformers": its statements, notebook by
//! notebook in the order of the text.

// Linear attention.

// Memory registers: Theorems 3.1 and 3.2.
pub mod algorithm_cgd;
pub mod closing_note_a_3;
pub mod derivation_a_3;
pub mod dimensions;
pub mod equation_3_5;
pub mod equation_a_9;
pub mod exact;
pub mod mapping_a_2;
pub mod remark_3_3;
pub mod section_3_3;
pub mod theorem_3_1;
pub mod theorem_3_2;

use workbench_ledger::AnyCheck;

/// Its checks, in the order of the text. Those that are not here yet stand in the notebooks.
pub fn all() -> Vec<AnyCheck> {
    [linear_attention(), cgd_and_lfom()].concat()
}

fn linear_attention() -> Vec<AnyCheck> {
    vec![]
}

fn cgd_and_lfom() -> Vec<AnyCheck> {
    vec![
        AnyCheck::of::<theorem_3_1::OneRegister>(),
        AnyCheck::of::<equation_a_9::QuadraticLoss>(),
        AnyCheck::of::<algorithm_cgd::AsPrinted>(),
        AnyCheck::of::<mapping_a_2::Correspondence>(),
        AnyCheck::of::<theorem_3_2::RegisterPerLayer>(),
        AnyCheck::of::<derivation_a_3::FromTokensToCoordinates>(),
        AnyCheck::of::<equation_3_5::DiagonalPreconditioners>(),
        AnyCheck::of::<dimensions::HowRich>(),
        AnyCheck::of::<closing_note_a_3::KindsOfA>(),
        AnyCheck::of::<remark_3_3::SharedNumbers>(),
    ]
}
