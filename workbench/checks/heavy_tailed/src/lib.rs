//! "Associative Memories with Heavy-Tailed Data": its statements, notebook by notebook in the
//! order of the text.

// The model: Section 2 and Appendix A.
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

// Scaling laws: Theorems 1 to 3.
pub mod error_curves;
pub mod figure_1;
pub mod figure_8;
pub mod figure_8_right;
pub mod figure_9;
pub mod figures_8_and_9;
pub mod observations_after_theorem_3;
pub mod table_1;
pub mod theorem_1;
pub mod theorem_1_remarks;
pub mod theorem_2;
pub mod theorem_3;
pub mod theorems_1_to_3;

// Finite memory: the proof of Lemma 3.
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
pub mod many_classes_b_1;
pub mod proof_of_lemma_3;
pub mod quasi_orthogonal_ratio;
pub mod remark_after_33;

// Optimization: Section 3.
pub mod figure_14;
pub mod figure_5_left;
pub mod figure_5_middle;
pub mod figure_5_right;
pub mod figure_6;
pub mod figure_7;
pub mod section_3_hyperparameters;
pub mod section_3_large_rates;
pub mod section_3_small_batches;
pub mod section_3_visits;

// Gradient updates.
pub mod after_equation_10;
pub mod after_equation_44;
pub mod after_lemma_4;
pub mod equation_10;
pub mod equation_11;
pub mod equation_44;
pub mod equation_45;
pub mod equation_9;
pub mod figure_13;
pub mod figure_3;
pub mod figure_4;
pub mod last_sentence_b_5;
pub mod lemma_4;
pub mod section_3_gradient;

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
pub mod appendix_c_2_schemes;
pub mod appendix_c_2_tipping_number;
pub mod equation_12;
pub mod figure_11_left;
pub mod figure_11_middle;
pub mod figure_11_models;
pub mod figure_11_right;
pub mod figure_12;
pub mod figure_12_right;
pub mod section_3_capacity;
pub mod section_3_learning;

// Useful lemmas.
pub mod definition_1;
pub mod equation_13;
pub mod equation_13_facts;
pub mod equation_15;
pub mod equation_16;
pub mod equation_18;
pub mod equation_19;
pub mod equation_20;
pub mod lemma_1;
pub mod lemma_1_last_display;
pub mod lemma_2;
pub mod proof_of_lemma_1;
pub mod proof_of_lemma_2;

// Proofs of the theorems.
pub mod chernoff_b_2;
pub mod equation_42;
pub mod finite_data_b_2;
pub mod finite_data_b_3;
pub mod first_paragraph_b_2;
pub mod infinite_data_b_2;
pub mod infinite_data_b_3;
pub mod jensen_b_2;
pub mod last_displays_b_2;
pub mod last_sentence_b_2;
pub mod last_term_b_3;
pub mod method_of_types_b_3;
pub mod positive_rho_b_3;
pub mod projection_b_3;
pub mod proof_b_4;
pub mod q_infinity_b_2;
pub mod sections_b_2_to_b_4;
pub mod top_p_b_3;

use workbench_checks_vocabulary as vocabulary;
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
    vec![
        AnyCheck::of::<theorem_1::WithoutThreshold>(),
        AnyCheck::of::<theorem_1_remarks::ByFrequency>(),
        AnyCheck::of::<theorem_1_remarks::EqualWeights>(),
        AnyCheck::of::<theorem_2::WithThreshold>(),
        AnyCheck::of::<theorem_2::BestThreshold>(),
        AnyCheck::of::<theorem_3::NoWeightsDoBetter>(),
        AnyCheck::of::<theorem_3::Attained>(),
        AnyCheck::of::<observations_after_theorem_3::HutterAndMichaud>(),
        AnyCheck::of::<observations_after_theorem_3::TwoRegimes>(),
        AnyCheck::of::<table_1::TwoSchemes>(),
        AnyCheck::of::<figure_1::Left>(),
        AnyCheck::of::<figure_1::Right>(),
        AnyCheck::of::<figure_8::Left>(),
        AnyCheck::of::<figure_8::Middle>(),
        AnyCheck::of::<figure_8_right::Blue>(),
        AnyCheck::of::<figure_8_right::Orange>(),
        AnyCheck::of::<figure_8_right::Green>(),
        AnyCheck::of::<figure_9::OrangeDashed>(),
        AnyCheck::of::<figure_9::GreenDashed>(),
    ]
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
    vec![
        AnyCheck::of::<section_3_large_rates::LargeRates>(),
        AnyCheck::of::<figure_5_left::Left>(),
        AnyCheck::of::<section_3_small_batches::SmallBatches>(),
        AnyCheck::of::<figure_5_middle::Middle>(),
        AnyCheck::of::<figure_5_right::Right>(),
        AnyCheck::of::<figure_6::Left>(),
        AnyCheck::of::<figure_6::Right>(),
        AnyCheck::of::<figure_7::Left>(),
        AnyCheck::of::<figure_7::Right>(),
        AnyCheck::of::<figure_14::Dynamics>(),
    ]
}

fn gradient_updates() -> Vec<AnyCheck> {
    vec![
        AnyCheck::of::<equation_9::Loss>(),
        AnyCheck::of::<lemma_4::Gradient>(),
        AnyCheck::of::<after_lemma_4::Epsilon>(),
        AnyCheck::of::<equation_10::LeadingTermOnly>(),
        AnyCheck::of::<after_equation_10::Regimes>(),
        AnyCheck::of::<equation_44::BatchUpdate>(),
        AnyCheck::of::<after_equation_44::Increment>(),
        AnyCheck::of::<equation_11::Iterates>(),
        AnyCheck::of::<equation_45::LargeBatches>(),
        AnyCheck::of::<last_sentence_b_5::ExactCounts>(),
        AnyCheck::of::<figure_3::Left>(),
        AnyCheck::of::<figure_3::Middle>(),
        AnyCheck::of::<figure_3::Right>(),
        AnyCheck::of::<figure_13::Left>(),
        AnyCheck::of::<figure_13::Middle>(),
        AnyCheck::of::<figure_13::Right>(),
        AnyCheck::of::<figure_4::Left>(),
        AnyCheck::of::<figure_4::Right>(),
    ]
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
    vec![
        AnyCheck::of::<section_3_capacity::Capacity>(),
        AnyCheck::of::<equation_12::Aligned>(),
        AnyCheck::of::<appendix_c_2_tipping_number::TippingNumber>(),
        AnyCheck::of::<appendix_c_2_schemes::FreerSchemes>(),
        AnyCheck::of::<figure_11_left::Left>(),
        AnyCheck::of::<figure_11_middle::Middle>(),
        AnyCheck::of::<figure_11_right::Right>(),
        AnyCheck::of::<figure_12::Left>(),
        AnyCheck::of::<figure_12::Middle>(),
        AnyCheck::of::<figure_12_right::Right>(),
    ]
}

fn useful_lemmas() -> Vec<AnyCheck> {
    vec![
        AnyCheck::of::<lemma_1::InfiniteMemory>(),
        AnyCheck::of::<proof_of_lemma_1::UnseenMass>(),
        AnyCheck::of::<proof_of_lemma_1::LogInequality>(),
        AnyCheck::of::<proof_of_lemma_1::ExpSandwich>(),
        AnyCheck::of::<equation_15::SeriesAgainstIntegrals>(),
        AnyCheck::of::<equation_16::ChangeOfVariable>(),
        AnyCheck::of::<lemma_1_last_display::GammaIntegral>(),
        AnyCheck::of::<definition_1::QuasiOrthogonality>(),
        AnyCheck::of::<lemma_2::Families>(),
        AnyCheck::of::<equation_18::UnionBound>(),
        AnyCheck::of::<equation_19::CapFormula>(),
        AnyCheck::of::<proof_of_lemma_2::CapBound>(),
        AnyCheck::of::<proof_of_lemma_2::Elementary>(),
        AnyCheck::of::<equation_20::Implications>(),
        AnyCheck::of::<equation_13::ReluCapacity>(),
        AnyCheck::of::<equation_13_facts::TwoFacts>(),
    ]
}

fn theorem_proofs() -> Vec<AnyCheck> {
    vec![
        AnyCheck::of::<first_paragraph_b_2::SignalAndNoise>(),
        AnyCheck::of::<q_infinity_b_2::LargestEnergy>(),
        AnyCheck::of::<equation_42::MassOfTheSet>(),
        AnyCheck::of::<infinite_data_b_2::SetInRanks>(),
        AnyCheck::of::<infinite_data_b_2::NormOfQ>(),
        AnyCheck::of::<finite_data_b_2::SplitByAnEvent>(),
        AnyCheck::of::<chernoff_b_2::Chernoff>(),
        AnyCheck::of::<chernoff_b_2::DataTerm>(),
        AnyCheck::of::<jensen_b_2::JensenStep>(),
        AnyCheck::of::<last_displays_b_2::BoundWithData>(),
        AnyCheck::of::<last_sentence_b_2::EqualWeights>(),
        AnyCheck::of::<infinite_data_b_3::Balance>(),
        AnyCheck::of::<infinite_data_b_3::StatedThreshold>(),
        AnyCheck::of::<method_of_types_b_3::TypeProbability>(),
        AnyCheck::of::<method_of_types_b_3::TypeCount>(),
        AnyCheck::of::<top_p_b_3::LeavingTheTop>(),
        AnyCheck::of::<projection_b_3::Exchange>(),
        AnyCheck::of::<projection_b_3::ZipfBound>(),
        AnyCheck::of::<finite_data_b_3::BoundAndThreshold>(),
        AnyCheck::of::<last_term_b_3::LastTerm>(),
        AnyCheck::of::<positive_rho_b_3::BothEvents>(),
        AnyCheck::of::<proof_b_4::Minimax>(),
    ]
}
