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
use workbench_ledger::AnyCheck;

/// Its checks, in the order of the text. Those that are not here yet stand in the notebooks.
pub fn all() -> Vec<AnyCheck> {
    [linear_attention(), cgd_and_lfom(), trained(), out_of_distribution(), learnable_lfoms()].concat()
}

fn linear_attention() -> Vec<AnyCheck> {
    vec![
        AnyCheck::of::<equation_1_1::Consequences>(),
        AnyCheck::of::<section_1_special_cases::Replays>(),
        AnyCheck::of::<equation_2_1::StructureAndLaw>(),
        AnyCheck::of::<equation_2_2::SoftmaxAttention>(),
        AnyCheck::of::<equation_2_3::OtherTokens>(),
        AnyCheck::of::<equation_2_4::TwoOrders>(),
        AnyCheck::of::<equation_2_5::LayersAndOutput>(),
        AnyCheck::of::<equation_2_7::BothSigns>(),
        AnyCheck::of::<lemma_2_1::LayerIsStep>(),
        AnyCheck::of::<lemma_2_1_note::AttentionTerm>(),
        AnyCheck::of::<equation_a_1::LabelRow>(),
        AnyCheck::of::<appendix_a_1_points::AdditiveAndLinear>(),
        AnyCheck::of::<appendix_a_1_third_fact::OneVector>(),
        AnyCheck::of::<equations_a_2_to_a_4::FromLabelsToTheta>(),
        AnyCheck::of::<equations_a_5_and_a_6::FactorOfN>(),
        AnyCheck::of::<appendix_a_1_last_display::Signs>(),
        AnyCheck::of::<equation_2_12::Unrolled>(),
        AnyCheck::of::<equation_2_13::ConjugateDirections>(),
        AnyCheck::of::<section_2_2_n_steps::NSteps>(),
    ]
}

fn cgd_and_lfom() -> Vec<AnyCheck> {
    vec![
        AnyCheck::of::<theorem_3_1::OneRegister>(),
        AnyCheck::of::<equation_a_9::QuadraticLoss>(),
        AnyCheck::of::<algorithm_cgd::AsPrinted>(),
        AnyCheck::of::<mapping_a_2::Correspondence>(),
        AnyCheck::of::<theorem_3_2::RegisterPerLayer>(),
        AnyCheck::of::<derivation_a_3::FromTokensToCoordinates>(),
        AnyCheck::of::<equation_3_5::DiagonalPreconditioners>(),
        AnyCheck::of::<dimensions::HowRich>(),
        AnyCheck::of::<closing_note_a_3::KindsOfA>(),
        AnyCheck::of::<remark_3_3::SharedNumbers>(),
    ]
}

fn trained() -> Vec<AnyCheck> {
    vec![
        AnyCheck::of::<section_1_trainability::Trainability>(),
        AnyCheck::of::<section_3_3_setup::Setup>(),
        AnyCheck::of::<figure_1::SharedScalars>(),
        AnyCheck::of::<figure_2::TrainedPreconditioners>(),
        AnyCheck::of::<figure_3::RegisterWeights>(),
        AnyCheck::of::<section_3_3_shared_gamma::SharedGamma>(),
        AnyCheck::of::<section_3_3_gd_plus_plus::NeumannBlocks>(),
        AnyCheck::of::<figure_4::TrainedBlocks>(),
        AnyCheck::of::<section_3_4::PlottedPoint>(),
        AnyCheck::of::<figures_5_and_6::OnePrompt>(),
        AnyCheck::of::<figures_5_and_6::TenPrompts>(),
        AnyCheck::of::<section_6_efficiency::CostAndTransfer>(),
        AnyCheck::of::<section_6_limitations::Limitations>(),
        AnyCheck::of::<reproducibility_statement::OpenConstants>(),
        AnyCheck::of::<appendix_b_1_and_2::Nesterov>(),
        AnyCheck::of::<appendix_b_1_and_2::Momentum>(),
        AnyCheck::of::<figures_12_and_13::BesideNesterov>(),
        AnyCheck::of::<figures_12_and_13::BesideMomentum>(),
        AnyCheck::of::<appendix_c::MoreLayers>(),
        AnyCheck::of::<figure_15::FiveLayers>(),
        AnyCheck::of::<figure_16::SevenLayers>(),
    ]
}

fn out_of_distribution() -> Vec<AnyCheck> {
    vec![
        AnyCheck::of::<section_4_1::SumOfHeads>(),
        AnyCheck::of::<figure_7::OneAgainstFive>(),
        AnyCheck::of::<section_4_2_experts::Gates>(),
        AnyCheck::of::<figure_8::UnseenVariances>(),
        AnyCheck::of::<section_4_2_mixture::Mixture>(),
        AnyCheck::of::<figure_9::TransformerAhead>(),
        AnyCheck::of::<figure_10::GatesOnly>(),
        AnyCheck::of::<figure_10::GammaToo>(),
        AnyCheck::of::<theorem_4_1::SoftGates>(),
        AnyCheck::of::<footnote_2::ConvexCombinations>(),
        AnyCheck::of::<section_4_2_adaptation::TestTime>(),
        AnyCheck::of::<section_6_experts::HowMany>(),
    ]
}

fn learnable_lfoms() -> Vec<AnyCheck> {
    vec![
        AnyCheck::of::<theorem_5_1::Learnability>(),
        AnyCheck::of::<figure_11::LearnedMethods>(),
        AnyCheck::of::<section_5_small_batches::SmallBatches>(),
        AnyCheck::of::<appendix_a_5_conditions::Tails>(),
        AnyCheck::of::<appendix_a_5_uniform_convergence::Suprema>(),
        AnyCheck::of::<appendix_a_5_chain::Inequalities>(),
        AnyCheck::of::<appendix_d_two_stages::TwoStages>(),
        AnyCheck::of::<appendix_d_theorem_3::Stationary>(),
        AnyCheck::of::<appendix_d_dist::Distance>(),
        AnyCheck::of::<appendix_d_experiment::Experiment>(),
        AnyCheck::of::<figures_18_to_20::FirstMatrix>(),
        AnyCheck::of::<figures_18_to_20::SecondMatrix>(),
        AnyCheck::of::<figures_18_to_20::ThirdMatrix>(),
    ]
}
