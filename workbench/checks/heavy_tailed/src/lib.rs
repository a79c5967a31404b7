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
use workbench_ledger::{Check, typed};

/// Its checks, in the order of the text. Those that are not here yet stand in the notebooks.
pub fn all() -> Vec<Check> {
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

fn model() -> Vec<Check> {
    vec![
        typed::<section_2_data::ZipfData>(),
        typed::<equation_1::ArgMax>(),
        typed::<equation_2::OuterProducts>(),
        typed::<equation_3::WrongAnswers>(),
        typed::<figure_2::Overwriting>(),
        typed::<equation_4::WeightsFromData>(),
        typed::<equation_5::TopInputs>(),
        typed::<appendix_a_why_errors::TwoSources>(),
        typed::<figure_10::Left>(),
        typed::<figure_10::MiddleLeft>(),
        typed::<figure_10::MiddleRight>(),
        typed::<figure_10::Right>(),
    ]
}

fn scaling_laws() -> Vec<Check> {
    vec![
        theorem_1::CHECK,
        typed::<theorem_1_remarks::ByFrequency>(),
        typed::<theorem_1_remarks::EqualWeights>(),
        typed::<theorem_2::WithThreshold>(),
        typed::<theorem_2::BestThreshold>(),
        typed::<theorem_3::NoWeightsDoBetter>(),
        typed::<theorem_3::Attained>(),
        typed::<observations_after_theorem_3::HutterAndMichaud>(),
        typed::<observations_after_theorem_3::TwoRegimes>(),
        typed::<table_1::TwoSchemes>(),
        typed::<figure_1::Left>(),
        typed::<figure_1::Right>(),
        typed::<figure_8::Left>(),
        typed::<figure_8::Middle>(),
        typed::<figure_8_right::Blue>(),
        typed::<figure_8_right::Orange>(),
        typed::<figure_8_right::Green>(),
        typed::<figure_9::OrangeDashed>(),
        typed::<figure_9::GreenDashed>(),
    ]
}

fn finite_memory() -> Vec<Check> {
    vec![
        typed::<lemma_3::Upper>(),
        typed::<lemma_3::Lower>(),
        typed::<equation_23::WrongAnswer>(),
        typed::<equation_26::MarginsAreGaussian>(),
        typed::<equation_27::MaximumOfGaussians>(),
        typed::<lemma_3_chernoff::ChernoffSum>(),
        typed::<equation_28::AnyOutputs>(),
        typed::<equation_29::SurvivalBound>(),
        typed::<equation_29::ItsConstant>(),
        typed::<equation_32::Energies>(),
        typed::<quasi_orthogonal_ratio::RatioFromBelow>(),
        typed::<equation_31::QuasiOrthogonalUpper>(),
        typed::<equation_33::QuasiOrthogonalLower>(),
        typed::<remark_after_33::DroppedTerm>(),
        typed::<equation_35::TwoCases>(),
        typed::<equation_36::RandomOutputsUpper>(),
        typed::<equation_37::RandomOutputsLower>(),
        typed::<equation_38::WithConstants>(),
        equation_40::CHECK,
        typed::<equation_41::RandomSurvival>(),
    ]
}

fn optimization() -> Vec<Check> {
    vec![
        typed::<section_3_large_rates::LargeRates>(),
        typed::<figure_5_left::Left>(),
        typed::<section_3_small_batches::SmallBatches>(),
        typed::<figure_5_middle::Middle>(),
        typed::<figure_5_right::Right>(),
        typed::<figure_6::Left>(),
        typed::<figure_6::Right>(),
        typed::<figure_7::Left>(),
        typed::<figure_7::Right>(),
        typed::<figure_14::Dynamics>(),
    ]
}

fn gradient_updates() -> Vec<Check> {
    vec![
        typed::<equation_9::Loss>(),
        typed::<lemma_4::Gradient>(),
        typed::<after_lemma_4::Epsilon>(),
        typed::<equation_10::LeadingTermOnly>(),
        typed::<after_equation_10::Regimes>(),
        typed::<equation_44::BatchUpdate>(),
        typed::<after_equation_44::Increment>(),
        typed::<equation_11::Iterates>(),
        typed::<equation_45::LargeBatches>(),
        typed::<last_sentence_b_5::ExactCounts>(),
        typed::<figure_3::Left>(),
        typed::<figure_3::Middle>(),
        typed::<figure_3::Right>(),
        typed::<figure_13::Left>(),
        typed::<figure_13::Middle>(),
        typed::<figure_13::Right>(),
        typed::<figure_4::Left>(),
        typed::<figure_4::Right>(),
    ]
}

fn rescaled_updates() -> Vec<Check> {
    vec![
        typed::<section_3_direction::DirectionOnly>(),
        typed::<section_3_cross_entropy::Divergence>(),
        typed::<appendix_c_1_initialisations::Initialisations>(),
        typed::<appendix_c_1_updates_to_w::Plain>(),
        typed::<appendix_c_1_updates_to_w::Sign>(),
        typed::<appendix_c_1_updates_to_embeddings::Plain>(),
        typed::<appendix_c_1_updates_to_embeddings::Sign>(),
        typed::<appendix_c_2_large_batches::LargeBatches>(),
        typed::<appendix_c_2_adam::Homogenises>(),
        typed::<figure_15::Left>(),
        typed::<figure_15::Middle>(),
        typed::<figure_15::Right>(),
        typed::<figure_16::Left>(),
        typed::<figure_16::Right>(),
    ]
}

fn learned_embeddings() -> Vec<Check> {
    vec![
        typed::<section_3_capacity::Capacity>(),
        typed::<equation_12::Aligned>(),
        typed::<appendix_c_2_tipping_number::TippingNumber>(),
        typed::<appendix_c_2_schemes::FreerSchemes>(),
        typed::<figure_11_left::Left>(),
        typed::<figure_11_middle::Middle>(),
        typed::<figure_11_right::Right>(),
        typed::<figure_12::Left>(),
        typed::<figure_12::Middle>(),
        typed::<figure_12_right::Right>(),
    ]
}

fn useful_lemmas() -> Vec<Check> {
    vec![
        typed::<lemma_1::InfiniteMemory>(),
        typed::<proof_of_lemma_1::UnseenMass>(),
        typed::<proof_of_lemma_1::LogInequality>(),
        typed::<proof_of_lemma_1::ExpSandwich>(),
        typed::<equation_15::SeriesAgainstIntegrals>(),
        typed::<equation_16::ChangeOfVariable>(),
        typed::<lemma_1_last_display::GammaIntegral>(),
        typed::<definition_1::QuasiOrthogonality>(),
        typed::<lemma_2::Families>(),
        typed::<equation_18::UnionBound>(),
        typed::<equation_19::CapFormula>(),
        typed::<proof_of_lemma_2::CapBound>(),
        typed::<proof_of_lemma_2::Elementary>(),
        typed::<equation_20::Implications>(),
        typed::<equation_13::ReluCapacity>(),
        typed::<equation_13_facts::TwoFacts>(),
    ]
}

fn theorem_proofs() -> Vec<Check> {
    vec![
        typed::<first_paragraph_b_2::SignalAndNoise>(),
        typed::<q_infinity_b_2::LargestEnergy>(),
        typed::<equation_42::MassOfTheSet>(),
        typed::<infinite_data_b_2::SetInRanks>(),
        typed::<infinite_data_b_2::NormOfQ>(),
        typed::<finite_data_b_2::SplitByAnEvent>(),
        typed::<chernoff_b_2::Chernoff>(),
        typed::<chernoff_b_2::DataTerm>(),
        typed::<jensen_b_2::JensenStep>(),
        typed::<last_displays_b_2::BoundWithData>(),
        typed::<last_sentence_b_2::EqualWeights>(),
        typed::<infinite_data_b_3::Balance>(),
        typed::<infinite_data_b_3::StatedThreshold>(),
        typed::<method_of_types_b_3::TypeProbability>(),
        typed::<method_of_types_b_3::TypeCount>(),
        typed::<top_p_b_3::LeavingTheTop>(),
        typed::<projection_b_3::Exchange>(),
        typed::<projection_b_3::ZipfBound>(),
        typed::<finite_data_b_3::BoundAndThreshold>(),
        typed::<last_term_b_3::LastTerm>(),
        typed::<positive_rho_b_3::BothEvents>(),
        typed::<proof_b_4::Minimax>(),
    ]
}
