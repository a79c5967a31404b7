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
pub mod far_tasks;
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

include!(concat!(env!("OUT_DIR"), "/all.rs"));
