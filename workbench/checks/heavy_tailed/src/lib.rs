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
pub mod figure_2;
pub mod gaussian_model;
pub mod rival_memories;
pub mod section_2_data;

// Scaling laws: Theorems 1 to 3.
pub mod error_curves;
pub mod figure_1;
pub mod figure_8;
pub mod figure_8_right;
pub mod figure_9;
pub mod observations_after_theorem_3;
pub mod scaling_curves;
pub mod schemes_along_d;
pub mod table_1;
pub mod theorem_1;
pub mod theorem_1_remarks;
pub mod theorem_2;
pub mod theorem_3;

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
pub mod many_classes;
pub mod profiles;
pub mod quasi_orthogonal_ratio;
pub mod remark_after_33;

// Optimization: Section 3.
pub mod descent_visits;
pub mod figure_14;
pub mod figure_5_left;
pub mod figure_5_middle;
pub mod figure_5_right;
pub mod figure_6;
pub mod figure_7;
pub mod hyperparameter_sweeps;
pub mod section_3_large_rates;
pub mod section_3_small_batches;

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
pub mod population_gradient;

// Rescaled updates.
pub mod appendix_c_1_initialisations;
pub mod appendix_c_1_updates_to_embeddings;
pub mod appendix_c_1_updates_to_w;
pub mod appendix_c_2_adam;
pub mod appendix_c_2_large_batches;
pub mod figure_15;
pub mod figure_16;
pub mod powers_of_width;
pub mod rescaled_descents;
pub mod section_3_cross_entropy;
pub mod section_3_direction;

// Learned embeddings.
pub mod appendix_c_2_schemes;
pub mod appendix_c_2_tipping_number;
pub mod equation_12;
pub mod figure_11_left;
pub mod figure_11_middle;
pub mod figure_11_right;
pub mod figure_12;
pub mod figure_12_right;
pub mod learned_embeddings;
pub mod learned_models;
pub mod section_3_capacity;

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
pub mod exponents;
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
pub mod top_p_b_3;

use workbench_checks_vocabulary as vocabulary;
use workbench_ledger::Check;

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
        section_2_data::CHECK,
        equation_1::CHECK,
        equation_2::CHECK,
        equation_3::CHECK,
        figure_2::CHECK,
        equation_4::CHECK,
        equation_5::CHECK,
        appendix_a_why_errors::CHECK,
        figure_10::LEFT,
        figure_10::MIDDLE_LEFT,
        figure_10::MIDDLE_RIGHT,
        figure_10::RIGHT,
    ]
}

fn scaling_laws() -> Vec<Check> {
    vec![
        theorem_1::CHECK,
        theorem_1_remarks::BY_FREQUENCY,
        theorem_1_remarks::EQUAL_WEIGHTS,
        theorem_2::WITH_THRESHOLD,
        theorem_2::BEST_THRESHOLD,
        theorem_3::NO_WEIGHTS_DO_BETTER,
        theorem_3::ATTAINED,
        observations_after_theorem_3::HUTTER_AND_MICHAUD,
        observations_after_theorem_3::TWO_REGIMES,
        table_1::CHECK,
        figure_1::LEFT,
        figure_1::RIGHT,
        figure_8::LEFT,
        figure_8::MIDDLE,
        figure_8_right::BLUE_CURVE,
        figure_8_right::ORANGE_CURVE,
        figure_8_right::GREEN_CURVE,
        figure_9::ORANGE_DASHED,
        figure_9::GREEN_DASHED,
    ]
}

fn finite_memory() -> Vec<Check> {
    vec![
        lemma_3::UPPER,
        lemma_3::LOWER,
        equation_23::CHECK,
        equation_26::CHECK,
        equation_27::CHECK,
        lemma_3_chernoff::CHECK,
        equation_28::CHECK,
        equation_29::SURVIVAL_BOUND,
        equation_29::ITS_CONSTANT,
        equation_32::CHECK,
        quasi_orthogonal_ratio::CHECK,
        equation_31::CHECK,
        equation_33::CHECK,
        remark_after_33::CHECK,
        equation_35::CHECK,
        equation_36::CHECK,
        equation_37::CHECK,
        equation_38::CHECK,
        equation_40::CHECK,
        equation_41::CHECK,
    ]
}

fn optimization() -> Vec<Check> {
    vec![
        section_3_large_rates::CHECK,
        figure_5_left::CHECK,
        section_3_small_batches::CHECK,
        figure_5_middle::CHECK,
        figure_5_right::CHECK,
        figure_6::LEFT,
        figure_6::RIGHT,
        figure_7::LEFT,
        figure_7::RIGHT,
        figure_14::CHECK,
    ]
}

fn gradient_updates() -> Vec<Check> {
    vec![
        equation_9::CHECK,
        lemma_4::CHECK,
        after_lemma_4::CHECK,
        equation_10::CHECK,
        after_equation_10::CHECK,
        equation_44::CHECK,
        after_equation_44::CHECK,
        equation_11::CHECK,
        equation_45::CHECK,
        last_sentence_b_5::CHECK,
        figure_3::LEFT,
        figure_3::MIDDLE,
        figure_3::RIGHT,
        figure_13::LEFT,
        figure_13::MIDDLE,
        figure_13::RIGHT,
        figure_4::LEFT,
        figure_4::RIGHT,
    ]
}

fn rescaled_updates() -> Vec<Check> {
    vec![
        section_3_direction::CHECK,
        section_3_cross_entropy::CHECK,
        appendix_c_1_initialisations::CHECK,
        appendix_c_1_updates_to_w::PLAIN,
        appendix_c_1_updates_to_w::SIGN,
        appendix_c_1_updates_to_embeddings::PLAIN,
        appendix_c_1_updates_to_embeddings::SIGN,
        appendix_c_2_large_batches::CHECK,
        appendix_c_2_adam::CHECK,
        figure_15::LEFT,
        figure_15::MIDDLE,
        figure_15::RIGHT,
        figure_16::LEFT,
        figure_16::RIGHT,
    ]
}

fn learned_embeddings() -> Vec<Check> {
    vec![
        section_3_capacity::CHECK,
        equation_12::CHECK,
        appendix_c_2_tipping_number::CHECK,
        appendix_c_2_schemes::CHECK,
        figure_11_left::CHECK,
        figure_11_middle::CHECK,
        figure_11_right::CHECK,
        figure_12::LEFT,
        figure_12::MIDDLE,
        figure_12_right::CHECK,
    ]
}

fn useful_lemmas() -> Vec<Check> {
    vec![
        lemma_1::CHECK,
        proof_of_lemma_1::UNSEEN_MASS,
        proof_of_lemma_1::LOG_INEQUALITY,
        proof_of_lemma_1::EXP_SANDWICH,
        equation_15::CHECK,
        equation_16::CHECK,
        lemma_1_last_display::CHECK,
        definition_1::CHECK,
        lemma_2::CHECK,
        equation_18::CHECK,
        equation_19::CHECK,
        proof_of_lemma_2::CAP_BOUND,
        proof_of_lemma_2::ELEMENTARY,
        equation_20::CHECK,
        equation_13::CHECK,
        equation_13_facts::CHECK,
    ]
}

fn theorem_proofs() -> Vec<Check> {
    vec![
        first_paragraph_b_2::CHECK,
        q_infinity_b_2::CHECK,
        equation_42::CHECK,
        infinite_data_b_2::SET_IN_RANKS,
        infinite_data_b_2::NORM_OF_Q,
        finite_data_b_2::CHECK,
        chernoff_b_2::CHERNOFF,
        chernoff_b_2::DATA_TERM,
        jensen_b_2::CHECK,
        last_displays_b_2::CHECK,
        last_sentence_b_2::CHECK,
        infinite_data_b_3::BALANCE,
        infinite_data_b_3::STATED_THRESHOLD,
        method_of_types_b_3::TYPE_PROBABILITY,
        method_of_types_b_3::TYPE_COUNT,
        top_p_b_3::CHECK,
        projection_b_3::EXCHANGE,
        projection_b_3::ZIPF_BOUND,
        finite_data_b_3::CHECK,
        last_term_b_3::CHECK,
        positive_rho_b_3::CHECK,
        proof_b_4::CHECK,
    ]
}
