//! Mnemosyne's appendix: its statements, notebook by notebook in the
//! order of the text.

// Random features.
pub mod equation_10;
pub mod equation_11;
pub mod equation_9;
pub mod equation_9_blocks;
pub mod section_a_1;
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
pub mod section_a_1_recall;
pub mod section_a_1_unbiased;

// Compact memories.
pub mod cases_1_and_2;
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
pub mod section_a_1_1_guarantee;
pub mod section_a_2;
pub mod section_a_2_features;
pub mod section_a_2_retrieval;
pub mod section_a_2_scans;
pub mod theorem_a_1_sign;
pub mod theorem_a_1_variance;

// The learned optimizer.
pub mod figure_10;
pub mod figure_11;
pub mod section_b_1;
pub mod section_b_1_cell;
pub mod section_b_1_expert;
pub mod section_b_1_generalises;
pub mod section_b_1_hybrid_loss;
pub mod section_b_1_imitation;
pub mod section_b_1_preprocessing;
pub mod section_b_1_random_scaling;
pub mod section_b_1_tasks;
pub mod section_b_1_transformers;

// Ablations.
pub mod figure_12_left;
pub mod figure_12_middle;
pub mod figure_12_right;
pub mod figure_13_left;
pub mod figure_13_right;
pub mod figure_14;
pub mod section_b_2;
pub mod section_b_2_costs;
pub mod section_b_2_to_b_5;
pub mod section_b_5;
pub mod section_b_6;

// Fine-tuning.
pub mod figure_15;
pub mod figure_16;
pub mod section_b;
pub mod section_b_10;
pub mod section_b_10_pre_training;
pub mod section_b_11;
pub mod section_b_11_prompt_tuning;
pub mod section_b_7_1;
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
use workbench_ledger::{Check, typed};

/// Its checks, in the order of the text. Those that are not here yet stand in the notebooks.
pub fn all() -> Vec<Check> {
    [random_features(), compact_memory(), learned_optimizer(), ablations(), fine_tuning()].concat()
}

fn random_features() -> Vec<Check> {
    vec![
        typed::<equation_9::PositiveFeatures>(),
        typed::<section_a_1_unbiased::Unbiased>(),
        typed::<equation_9_blocks::BlockOrthogonal>(),
        typed::<equation_10::Pairs>(),
        typed::<section_a_1_lower_variance::LowerVariance>(),
        typed::<section_a_1_1_map::Display>(),
        typed::<section_a_1_1_unbiased::StillUnbiased>(),
        typed::<section_a_1_1_bounded::Bounded>(),
        typed::<section_a_1_1_concentration::Concentration>(),
        typed::<section_a_1_1_best_rho::BestRho>(),
        typed::<equation_11::BestParameter>(),
        typed::<section_a_1_1_gamma::OfPairs>(),
        typed::<section_a_1_1_costs::LinearTime>(),
        typed::<section_a_1_1_gamma::OfStream>(),
        typed::<section_a_1_1_collision::Collision>(),
        typed::<section_a_1_1_thick_memory::Thickened>(),
        typed::<section_a_1_1_costs::FactorC>(),
        typed::<section_a_1_1_hyperbolic::HyperbolicVariant>(),
        typed::<section_a_1_accuracy::Accuracy>(),
    ]
}

fn compact_memory() -> Vec<Check> {
    vec![
        typed::<equations_15_to_17::EnergyChange>(),
        typed::<equation_18::Terms>(),
        typed::<equation_19::Expectations>(),
        typed::<equations_20_to_22::ExpectedChange>(),
        typed::<equation_23::NoiseBound>(),
        typed::<equation_24_and_27::SignalAway>(),
        typed::<equations_25_to_29::LimitAway>(),
        typed::<equation_24_and_27::SignalTowards>(),
        typed::<equations_25_to_29::LimitTowards>(),
        typed::<theorem_a_1_sign::SignOfChange>(),
        typed::<cases_1_and_2::FlipRule>(),
        typed::<theorem_a_1_variance::SixTerms>(),
        typed::<equation_14::Psi>(),
        typed::<equations_30_and_31::Independence>(),
        typed::<theorem_a_1_variance::Expansion>(),
        typed::<equations_34_and_35::Products>(),
        typed::<equation_36::GaussianMoment>(),
        typed::<section_a_1_1_guarantee::StrongestGuarantee>(),
    ]
}

fn learned_optimizer() -> Vec<Check> {
    vec![
        typed::<section_b_1_cell::Config>(),
        typed::<section_b_1_preprocessing::Transform>(),
        typed::<section_b_1_tasks::Distribution>(),
        typed::<section_b_1_random_scaling::Scaling>(),
        typed::<section_b_1_hybrid_loss::HybridLoss>(),
        typed::<section_b_1_imitation::OnPolicy>(),
        typed::<section_b_1_imitation::Regularises>(),
        typed::<section_b_1_generalises::Memories>(),
        typed::<figure_10::First>(),
        typed::<figure_10::Second>(),
        typed::<figure_10::Third>(),
        typed::<figure_10::Fourth>(),
        typed::<figure_10::Faster>(),
        typed::<figure_10::LongHorizon>(),
        typed::<figure_11::Losses>(),
        typed::<section_b_1_transformers::Transformers>(),
    ]
}

fn ablations() -> Vec<Check> {
    vec![
        typed::<section_b_2::Cached>(),
        typed::<figure_12_left::CacheLengths>(),
        typed::<section_b_2_costs::Costs>(),
        typed::<figure_12_middle::TwoMaps>(),
        typed::<figure_12_right::LowerVariance>(),
        typed::<figure_13_left::Discounts>(),
        typed::<figure_13_right::Features>(),
        typed::<figure_14::Left>(),
        typed::<figure_14::Right>(),
        typed::<section_b_5::Deep>(),
    ]
}

fn fine_tuning() -> Vec<Check> {
    vec![
        typed::<table_1::FourSizes>(),
        typed::<section_b_7_1_last_layer::LastLayer>(),
        typed::<section_b_7_1_hybrid::Hybrid>(),
        typed::<figure_15::Matches>(),
        typed::<figure_16::Expert>(),
        typed::<section_b_7_2::Light>(),
        typed::<section_b_8::EmbeddingAndCls>(),
        typed::<section_b_9::UpperLayers>(),
        typed::<table_2::BertBase>(),
        typed::<section_b_10::Split>(),
        typed::<table_4::T5Xxl>(),
        typed::<section_b_11::SoftPrompt>(),
    ]
}
