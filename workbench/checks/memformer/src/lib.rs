//! "Toward generalizable learning of all (linear) first-order methods via memory augmented Transformers": its statements, notebook by
//! notebook in the order of the text.

// Linear attention.
pub mod appendix_a_1_last_display;
pub mod appendix_a_1_points;
pub mod appendix_a_1_third_fact;
pub mod equation_1_1;
pub mod equation_2_1;
pub mod equation_2_12;
pub mod equation_2_13;
pub mod equation_2_2;
pub mod equation_2_3;
pub mod equation_2_4;
pub mod equation_2_5;
pub mod equation_2_7;
pub mod equation_a_1;
pub mod equations_a_2_to_a_4;
pub mod equations_a_5_and_a_6;
pub mod exact_layers;
pub mod lemma_2_1;
pub mod lemma_2_1_note;
pub mod prompts_and_heads;
pub mod section_1_special_cases;
pub mod section_2_2_n_steps;

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
pub mod task_law;
pub mod theorem_3_1;
pub mod theorem_3_2;

// Trained memformers.
pub mod appendix_b_1_and_2;
pub mod appendix_c;
pub mod figure_1;
pub mod figure_15;
pub mod figure_16;
pub mod figure_2;
pub mod figure_3;
pub mod figure_4;
pub mod figures_12_and_13;
pub mod figures_5_and_6;
mod other_rotations;
pub mod query_weights;
pub mod reproducibility_statement;
pub mod section_1_trainability;
pub mod section_3_3_gd_plus_plus;
pub mod section_3_3_setup;
pub mod section_3_3_shared_gamma;
pub mod section_3_4;
pub mod section_6_efficiency;
pub mod section_6_limitations;
pub mod shared_optimum;
pub mod trained_memformers;
pub mod tuned_rivals;

// Out of distribution.
pub mod expert_heads;
pub mod figure_10;
pub mod figure_7;
pub mod figure_8;
pub mod figure_9;
pub mod footnote_2;
mod gamma_together;
pub mod gated_mixture;
pub mod independent_runs;
pub mod section_4_1;
pub mod section_4_2_adaptation;
pub mod section_4_2_experts;
pub mod section_4_2_mixture;
pub mod section_6_experts;
pub mod theorem_4_1;

// Learnable first-order methods.
pub mod aligned_training;
pub mod appendix_a_5_chain;
pub mod appendix_a_5_conditions;
pub mod appendix_a_5_uniform_convergence;
pub mod appendix_d_dist;
pub mod appendix_d_experiment;
pub mod appendix_d_theorem_3;
pub mod appendix_d_two_stages;
pub mod figure_11;
pub mod figures_18_to_20;
pub mod learned_methods;
pub mod linear_classes;
pub mod section_5_small_batches;
pub mod theorem_5_1;

use workbench_checks_vocabulary as vocabulary;

include!(concat!(env!("OUT_DIR"), "/all.rs"));
