//! "Toward generalizable learning of all (linear) first-order methods via memory augmented Transformers": its statements, notebook by
//! notebook in the order of the text.

// Linear attention.
pub mod appendix_a_1;
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
pub mod lemma_2_1;
pub mod lemma_2_1_note;
pub mod section_1_special_cases;
pub mod section_2_1;
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
pub mod section_3_3;
pub mod theorem_3_1;
pub mod theorem_3_2;

// Trained memformers.
pub mod appendix_b;
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
pub mod reproducibility_statement;
pub mod section_1_trainability;
mod section_3_3_abroad;
pub mod section_3_3_gd_plus_plus;
pub mod section_3_3_optimum;
pub mod section_3_3_query_weights;
pub mod section_3_3_setup;
pub mod section_3_3_shared_gamma;
pub mod section_3_3_training;
pub mod section_3_4;
pub mod section_6_efficiency;
pub mod section_6_limitations;

// Out of distribution.
pub mod figure_10;
pub mod figure_7;
pub mod figure_8;
pub mod figure_9;
pub mod figures_9_and_10;
pub mod footnote_2;
pub mod section_4;
pub mod section_4_1;
pub mod section_4_2;
pub mod section_4_2_adaptation;
pub mod section_4_2_experts;
pub mod section_4_2_mixture;
pub mod section_6_experts;
pub mod theorem_4_1;

// Learnable first-order methods.
pub mod appendix_a_5;
pub mod appendix_a_5_chain;
pub mod appendix_a_5_conditions;
pub mod appendix_a_5_uniform_convergence;
pub mod appendix_d;
pub mod appendix_d_dist;
pub mod appendix_d_experiment;
pub mod appendix_d_theorem_3;
pub mod appendix_d_two_stages;
pub mod figure_11;
pub mod figures_18_to_20;
pub mod section_5;
pub mod section_5_small_batches;
pub mod theorem_5_1;

use workbench_checks_vocabulary as vocabulary;
use workbench_ledger::{Check, typed};

/// Its checks, in the order of the text. Those that are not here yet stand in the notebooks.
pub fn all() -> Vec<Check> {
    [linear_attention(), cgd_and_lfom(), trained(), out_of_distribution(), learnable_lfoms()].concat()
}

fn linear_attention() -> Vec<Check> {
    vec![
        typed::<equation_1_1::Consequences>(),
        typed::<section_1_special_cases::Replays>(),
        typed::<equation_2_1::StructureAndLaw>(),
        typed::<equation_2_2::SoftmaxAttention>(),
        typed::<equation_2_3::OtherTokens>(),
        typed::<equation_2_4::TwoOrders>(),
        equation_2_5::CHECK,
        typed::<equation_2_7::BothSigns>(),
        typed::<lemma_2_1::LayerIsStep>(),
        typed::<lemma_2_1_note::AttentionTerm>(),
        typed::<equation_a_1::LabelRow>(),
        typed::<appendix_a_1_points::AdditiveAndLinear>(),
        typed::<appendix_a_1_third_fact::OneVector>(),
        typed::<equations_a_2_to_a_4::FromLabelsToTheta>(),
        typed::<equations_a_5_and_a_6::FactorOfN>(),
        typed::<appendix_a_1_last_display::Signs>(),
        typed::<equation_2_12::Unrolled>(),
        typed::<equation_2_13::ConjugateDirections>(),
        typed::<section_2_2_n_steps::NSteps>(),
    ]
}

fn cgd_and_lfom() -> Vec<Check> {
    vec![
        typed::<theorem_3_1::OneRegister>(),
        typed::<equation_a_9::QuadraticLoss>(),
        typed::<algorithm_cgd::AsPrinted>(),
        typed::<mapping_a_2::Correspondence>(),
        typed::<theorem_3_2::RegisterPerLayer>(),
        typed::<derivation_a_3::FromTokensToCoordinates>(),
        typed::<equation_3_5::DiagonalPreconditioners>(),
        typed::<dimensions::HowRich>(),
        typed::<closing_note_a_3::KindsOfA>(),
        typed::<remark_3_3::SharedNumbers>(),
    ]
}

fn trained() -> Vec<Check> {
    vec![
        typed::<section_1_trainability::Trainability>(),
        typed::<section_3_3_setup::Setup>(),
        typed::<figure_1::SharedScalars>(),
        typed::<figure_2::TrainedPreconditioners>(),
        typed::<figure_3::RegisterWeights>(),
        typed::<section_3_3_shared_gamma::SharedGamma>(),
        typed::<section_3_3_gd_plus_plus::NeumannBlocks>(),
        typed::<figure_4::TrainedBlocks>(),
        typed::<section_3_4::PlottedPoint>(),
        typed::<figures_5_and_6::OnePrompt>(),
        typed::<figures_5_and_6::TenPrompts>(),
        typed::<section_6_efficiency::CostAndTransfer>(),
        typed::<section_6_limitations::Limitations>(),
        typed::<reproducibility_statement::OpenConstants>(),
        typed::<appendix_b_1_and_2::Nesterov>(),
        typed::<appendix_b_1_and_2::Momentum>(),
        typed::<figures_12_and_13::BesideNesterov>(),
        typed::<figures_12_and_13::BesideMomentum>(),
        typed::<appendix_c::MoreLayers>(),
        typed::<figure_15::FiveLayers>(),
        typed::<figure_16::SevenLayers>(),
    ]
}

fn out_of_distribution() -> Vec<Check> {
    vec![
        typed::<section_4_1::SumOfHeads>(),
        typed::<figure_7::OneAgainstFive>(),
        typed::<section_4_2_experts::Gates>(),
        typed::<figure_8::UnseenVariances>(),
        typed::<section_4_2_mixture::Mixture>(),
        typed::<figure_9::TransformerAhead>(),
        typed::<figure_10::GatesOnly>(),
        typed::<figure_10::GammaToo>(),
        typed::<theorem_4_1::SoftGates>(),
        typed::<footnote_2::ConvexCombinations>(),
        typed::<section_4_2_adaptation::TestTime>(),
        typed::<section_6_experts::HowMany>(),
    ]
}

fn learnable_lfoms() -> Vec<Check> {
    vec![
        typed::<theorem_5_1::Learnability>(),
        typed::<figure_11::LearnedMethods>(),
        typed::<section_5_small_batches::SmallBatches>(),
        typed::<appendix_a_5_conditions::Tails>(),
        typed::<appendix_a_5_uniform_convergence::Suprema>(),
        typed::<appendix_a_5_chain::Inequalities>(),
        typed::<appendix_d_two_stages::TwoStages>(),
        typed::<appendix_d_theorem_3::Stationary>(),
        typed::<appendix_d_dist::Distance>(),
        typed::<appendix_d_experiment::Experiment>(),
        typed::<figures_18_to_20::FirstMatrix>(),
        typed::<figures_18_to_20::SecondMatrix>(),
        typed::<figures_18_to_20::ThirdMatrix>(),
    ]
}
