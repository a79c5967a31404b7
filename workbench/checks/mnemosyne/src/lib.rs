//! Mnemosyne's appendix: its statements, notebook by notebook in the
//! order of the text.

// Random features.
pub mod equation_10;
pub mod equation_11;
pub mod equation_9;
pub mod equation_9_blocks;
pub mod recall_tasks;
pub mod section_a_1_1_best_rho;
pub mod section_a_1_1_bounded;
pub mod section_a_1_1_collision;
pub mod section_a_1_1_concentration;
pub mod section_a_1_1_costs;
pub mod section_a_1_1_gamma;
pub mod section_a_1_1_hyperbolic;
pub mod section_a_1_1_map;
pub mod section_a_1_1_thick_memory;
pub mod section_a_1_1_unbiased;
pub mod section_a_1_accuracy;
pub mod section_a_1_lower_variance;
pub mod section_a_1_unbiased;
pub mod term_constants;

// Compact memories.
pub mod cases_1_and_2;
pub mod code_scans;
pub mod energy_terms;
pub mod equation_14;
pub mod equation_18;
pub mod equation_19;
pub mod equation_23;
pub mod equation_24_and_27;
pub mod equation_36;
pub mod equations_15_to_17;
pub mod equations_20_to_22;
pub mod equations_25_to_29;
pub mod equations_30_and_31;
pub mod equations_34_and_35;
pub mod feature_counts;
pub mod pattern_retrieval;
pub mod section_a_1_1_guarantee;
pub mod theorem_a_1_sign;
pub mod theorem_a_1_variance;

// The learned optimizer.
pub mod expert_cell;
pub mod figure_10;
pub mod figure_11;
pub mod optimizer_laboratory;
pub mod section_b_1_cell;
pub mod section_b_1_generalises;
pub mod section_b_1_hybrid_loss;
pub mod section_b_1_imitation;
pub mod section_b_1_preprocessing;
pub mod section_b_1_random_scaling;
pub mod section_b_1_tasks;
pub mod section_b_1_transformers;
pub mod tuned_rivals;

// Ablations.
pub mod figure_12_left;
pub mod figure_12_middle;
pub mod figure_12_right;
pub mod figure_13_left;
pub mod figure_13_right;
pub mod figure_14;
pub mod meta_curves;
pub mod section_b_2;
pub mod section_b_2_costs;
pub mod section_b_5;
pub mod section_b_6;

// Fine-tuning.
pub mod figure_15;
pub mod figure_16;
pub mod frozen_features;
pub mod printed_tables;
pub mod section_b_10;
pub mod section_b_10_pre_training;
pub mod section_b_11;
pub mod section_b_11_prompt_tuning;
pub mod section_b_7_1_hybrid;
pub mod section_b_7_1_last_layer;
pub mod section_b_7_2;
pub mod section_b_8;
pub mod section_b_8_tensor_wise;
pub mod section_b_9;
pub mod section_b_9_super;
pub mod section_b_rules;
pub mod table_1;
pub mod table_2;
pub mod table_4;

use workbench_checks_vocabulary as vocabulary;
use workbench_ledger::Check;

/// Its checks, in the order of the text. Those that are not here yet stand in the notebooks.
pub fn all() -> Vec<Check> {
    [random_features(), compact_memory(), learned_optimizer(), ablations(), fine_tuning()].concat()
}

fn random_features() -> Vec<Check> {
    vec![
        equation_9::CHECK,
        section_a_1_unbiased::CHECK,
        equation_9_blocks::CHECK,
        equation_10::CHECK,
        section_a_1_lower_variance::CHECK,
        section_a_1_1_map::CHECK,
        section_a_1_1_unbiased::CHECK,
        section_a_1_1_bounded::CHECK,
        section_a_1_1_concentration::CHECK,
        section_a_1_1_best_rho::CHECK,
        equation_11::CHECK,
        section_a_1_1_gamma::OF_PAIRS,
        section_a_1_1_costs::LINEAR_TIME,
        section_a_1_1_gamma::OF_STREAM,
        section_a_1_1_collision::CHECK,
        section_a_1_1_thick_memory::CHECK,
        section_a_1_1_costs::FACTOR_C,
        section_a_1_1_hyperbolic::CHECK,
        section_a_1_accuracy::CHECK,
    ]
}

fn compact_memory() -> Vec<Check> {
    vec![
        equations_15_to_17::CHECK,
        equation_18::CHECK,
        equation_19::CHECK,
        equations_20_to_22::CHECK,
        equation_23::CHECK,
        equation_24_and_27::SIGNAL_AWAY,
        equations_25_to_29::LIMIT_AWAY,
        equation_24_and_27::SIGNAL_TOWARDS,
        equations_25_to_29::LIMIT_TOWARDS,
        theorem_a_1_sign::CHECK,
        cases_1_and_2::CHECK,
        theorem_a_1_variance::SIX_TERMS,
        equation_14::CHECK,
        equations_30_and_31::CHECK,
        theorem_a_1_variance::EXPANSION,
        equations_34_and_35::CHECK,
        equation_36::CHECK,
        section_a_1_1_guarantee::CHECK,
    ]
}

fn learned_optimizer() -> Vec<Check> {
    vec![
        section_b_1_cell::CHECK,
        section_b_1_preprocessing::CHECK,
        section_b_1_tasks::CHECK,
        section_b_1_random_scaling::CHECK,
        section_b_1_hybrid_loss::CHECK,
        section_b_1_imitation::ON_POLICY,
        section_b_1_imitation::REGULARISES,
        section_b_1_generalises::CHECK,
        figure_10::FIRST,
        figure_10::SECOND,
        figure_10::THIRD,
        figure_10::FOURTH,
        figure_10::FASTER,
        figure_10::LONG_HORIZON,
        figure_11::CHECK,
        section_b_1_transformers::CHECK,
    ]
}

fn ablations() -> Vec<Check> {
    vec![
        section_b_2::CHECK,
        figure_12_left::CHECK,
        section_b_2_costs::CHECK,
        figure_12_middle::CHECK,
        figure_12_right::CHECK,
        figure_13_left::CHECK,
        figure_13_right::CHECK,
        figure_14::LEFT,
        figure_14::RIGHT,
        section_b_5::CHECK,
    ]
}

fn fine_tuning() -> Vec<Check> {
    vec![
        table_1::CHECK,
        section_b_7_1_last_layer::CHECK,
        section_b_7_1_hybrid::CHECK,
        figure_15::CHECK,
        figure_16::CHECK,
        section_b_7_2::CHECK,
        section_b_8::CHECK,
        section_b_9::CHECK,
        table_2::CHECK,
        section_b_10::CHECK,
        table_4::CHECK,
        section_b_11::CHECK,
    ]
}
