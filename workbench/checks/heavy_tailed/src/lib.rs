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

include!(concat!(env!("OUT_DIR"), "/all.rs"));
