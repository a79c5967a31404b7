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
use workbench_ledger::AnyCheck;

/// Its checks, in the order of the text. Those that are not here yet stand in the notebooks.
pub fn all() -> Vec<AnyCheck> {
    [random_features(), compact_memory(), learned_optimizer(), ablations(), fine_tuning()].concat()
}

fn random_features() -> Vec<AnyCheck> {
    vec![
        AnyCheck::of::<equation_9::PositiveFeatures>(),
        AnyCheck::of::<section_a_1_unbiased::Unbiased>(),
        AnyCheck::of::<equation_9_blocks::BlockOrthogonal>(),
        AnyCheck::of::<equation_10::Pairs>(),
        AnyCheck::of::<section_a_1_lower_variance::LowerVariance>(),
        AnyCheck::of::<section_a_1_1_map::Display>(),
        AnyCheck::of::<section_a_1_1_unbiased::StillUnbiased>(),
        AnyCheck::of::<section_a_1_1_bounded::Bounded>(),
        AnyCheck::of::<section_a_1_1_concentration::Concentration>(),
        AnyCheck::of::<section_a_1_1_best_rho::BestRho>(),
        AnyCheck::of::<equation_11::BestParameter>(),
        AnyCheck::of::<section_a_1_1_gamma::OfPairs>(),
        AnyCheck::of::<section_a_1_1_costs::LinearTime>(),
        AnyCheck::of::<section_a_1_1_gamma::OfStream>(),
        AnyCheck::of::<section_a_1_1_collision::Collision>(),
        AnyCheck::of::<section_a_1_1_thick_memory::Thickened>(),
        AnyCheck::of::<section_a_1_1_costs::FactorC>(),
        AnyCheck::of::<section_a_1_1_hyperbolic::HyperbolicVariant>(),
        AnyCheck::of::<section_a_1_accuracy::Accuracy>(),
    ]
}

fn compact_memory() -> Vec<AnyCheck> {
    vec![
        AnyCheck::of::<equations_15_to_17::EnergyChange>(),
        AnyCheck::of::<equation_18::Terms>(),
        AnyCheck::of::<equation_19::Expectations>(),
        AnyCheck::of::<equations_20_to_22::ExpectedChange>(),
        AnyCheck::of::<equation_23::NoiseBound>(),
        AnyCheck::of::<equation_24_and_27::SignalAway>(),
        AnyCheck::of::<equations_25_to_29::LimitAway>(),
        AnyCheck::of::<equation_24_and_27::SignalTowards>(),
        AnyCheck::of::<equations_25_to_29::LimitTowards>(),
        AnyCheck::of::<theorem_a_1_sign::SignOfChange>(),
        AnyCheck::of::<cases_1_and_2::FlipRule>(),
        AnyCheck::of::<theorem_a_1_variance::SixTerms>(),
        AnyCheck::of::<equation_14::Psi>(),
        AnyCheck::of::<equations_30_and_31::Independence>(),
        AnyCheck::of::<theorem_a_1_variance::Expansion>(),
        AnyCheck::of::<equations_34_and_35::Products>(),
        AnyCheck::of::<equation_36::GaussianMoment>(),
        AnyCheck::of::<section_a_1_1_guarantee::StrongestGuarantee>(),
    ]
}

fn learned_optimizer() -> Vec<AnyCheck> {
    vec![
        AnyCheck::of::<section_b_1_cell::Config>(),
        AnyCheck::of::<section_b_1_preprocessing::Transform>(),
        AnyCheck::of::<section_b_1_tasks::Distribution>(),
        AnyCheck::of::<section_b_1_random_scaling::Scaling>(),
        AnyCheck::of::<section_b_1_hybrid_loss::HybridLoss>(),
        AnyCheck::of::<section_b_1_imitation::OnPolicy>(),
        AnyCheck::of::<section_b_1_imitation::Regularises>(),
        AnyCheck::of::<section_b_1_generalises::Memories>(),
        AnyCheck::of::<figure_10::First>(),
        AnyCheck::of::<figure_10::Second>(),
        AnyCheck::of::<figure_10::Third>(),
        AnyCheck::of::<figure_10::Fourth>(),
        AnyCheck::of::<figure_10::Faster>(),
        AnyCheck::of::<figure_10::LongHorizon>(),
        AnyCheck::of::<figure_11::Losses>(),
        AnyCheck::of::<section_b_1_transformers::Transformers>(),
    ]
}

fn ablations() -> Vec<AnyCheck> {
    vec![
        AnyCheck::of::<section_b_2::Cached>(),
        AnyCheck::of::<figure_12_left::CacheLengths>(),
        AnyCheck::of::<section_b_2_costs::Costs>(),
        AnyCheck::of::<figure_12_middle::TwoMaps>(),
        AnyCheck::of::<figure_12_right::LowerVariance>(),
        AnyCheck::of::<figure_13_left::Discounts>(),
        AnyCheck::of::<figure_13_right::Features>(),
        AnyCheck::of::<figure_14::Left>(),
        AnyCheck::of::<figure_14::Right>(),
        AnyCheck::of::<section_b_5::Deep>(),
    ]
}

fn fine_tuning() -> Vec<AnyCheck> {
    vec![
        AnyCheck::of::<table_1::FourSizes>(),
        AnyCheck::of::<section_b_7_1_last_layer::LastLayer>(),
        AnyCheck::of::<section_b_7_1_hybrid::Hybrid>(),
        AnyCheck::of::<figure_15::Matches>(),
        AnyCheck::of::<figure_16::Expert>(),
        AnyCheck::of::<section_b_7_2::Light>(),
        AnyCheck::of::<section_b_8::EmbeddingAndCls>(),
        AnyCheck::of::<section_b_9::UpperLayers>(),
        AnyCheck::of::<table_2::BertBase>(),
        AnyCheck::of::<section_b_10::Split>(),
        AnyCheck::of::<table_4::T5Xxl>(),
        AnyCheck::of::<section_b_11::SoftPrompt>(),
    ]
}
