//! Associative memories with random embeddings on heavy-tailed data.
//!
//! Source: "Associative Memories with Heavy-Tailed Data", Cabannes, Dohmatob and Bietti.
//!
//! A memory stores pairs $(x,f_\ast(x))$ as a sum of outer products of random embeddings, and answers with the class of the highest
//! score. Inputs follow a Zipf law; what is asked is how the error falls with the dimension d and the number of samples T.
//!
//! | in the paper | here | shape | meaning |
//! | --- | --- | --- | --- |
//! | $N$, $M$, $d$, $T$ | `n_inputs`, `n_classes`, `dim`, `total` | | inputs, classes, embedding dimension, samples |
//! | $p$, $\alpha$ | [`Zipf`], `alpha` | `(N)` | law of the inputs and its exponent; ranks start at 1 |
//! | $f_\ast$ | [`Target`] | `(N)` labels | which class belongs to which input |
//! | $q$, $\rho$, $P$ | [`Scheme`], `rho`, `threshold` | `(N)` | weights of the stored pairs |
//! | $e_x$, $u_y$ | [`Embeddings`] `inputs`, `outputs` | `(N, d)`, `(M, d)` | Gaussian inputs, unit-sphere outputs |
//! | $W_q$ | [`AssociativeMemory`] | class sums `(M, d)` | the memory; $W$ itself is `(d, d)` and seldom formed |
//! | $\mathcal E(f)$ | `generalization_error` | | mass of the inputs not recalled, ties counting as errors |
//! | $\mathbb E_{e,u}\,\mathcal E(f)$ | [`ConditionalDraws`] | `(draws)` | its expectation, one value per draw of the rest |
//! | $Q_y$, $Q_\infty$ | [`Profile`] `energy`, `largest_energy` | `(M)` | energy stored per class |
//! | $\varphi(N)$ | [`memory_load`] | | load of Theorem 1 |
//! | $\eta$ | [`coherence`], [`is_quasi_orthogonal`] | `(P, d)` | largest inner product of a family of unit vectors |
//! | $P(\lvert X^\top f_1\rvert\ge\eta)$ | [`cap_probability`], [`CapChain`] | | chance that two random directions are nearly parallel |
//! | $f_1$, $\sigma$ | [`ReluMemory`] | `(P, d)` stored | the memory with exponential capacity |
//! | $Z_y$, $\mu_y$, $\Sigma$ | [`GivenOutputs`], [`MarginLaw`] | `(M-1)` | leads of the other classes, given the outputs |
//! | $\gamma$, $B$, $f$ | [`Method`], [`TrainingStudy`], [`IdealUpdate`] | | descent on the cross-entropy loss and its idealised update |
//! | $\mathbb E[\hat f]$ of Lemma 1 | [`Zipf::unseen_mass`], [`unseen_sandwich`] | | mass of the inputs that the data do not show |
//!
//! Two roads lead to an error. [`Experiment`] simulates memories as in the figures; [`ConditionalDraws`] integrates over the input
//! embeddings exactly and reaches any d and infinite N, which is what the exponents need. [`EmbeddingField`] gives the exact error of
//! one memory at any N without storing its embeddings, [`RecallStudy`] says which inputs are recalled, and [`ErrorSources`] why not.
//!
//! A hundred inputs of a Zipf law in five classes, stored with equal weights and with weights that follow the law, at two dimensions:
//!
//! ```
//! use workbench_ground::stats::Streams;
//! use workbench_memory::{Experiment, Samples, Scheme, Target, Zipf};
//! let equal = Scheme::uniform();
//! let errors = Experiment::new(Zipf::new(2.0, 100)?, Target::modulo(5)?)
//!     .schemes(vec![equal.clone(), Scheme::power(1.0)?])
//!     .dims(vec![10, 1000])
//!     .samples(vec![Samples::Population])
//!     .runs(20)
//!     .run(&Streams::new(1), "front page")?;
//! let error = |dim| errors.mean(&equal, dim, Samples::Population).map(|mean| mean.value);
//! assert!(error(10)? > 0.3 && error(1000)? < 0.01);
//! # Ok::<(), workbench_memory::Error>(())
//! ```
//!
//! | folder | idea |
//! | --- | --- |
//! | `data` | laws of the inputs, targets, counts, and a real corpus |
//! | `store` | what stores the pairs: embeddings, weighting schemes, the memories themselves and the energy that they store |
//! | `theory` | what the document states and proves, theorem by theorem and lemma by lemma, with its proofs |
//! | `generalization` | the error of a memory: simulated, integrated exactly, and per input |
//! | `training` | W learned by descent on the cross-entropy loss |
//! | `fit` | the best threshold |
//!
//! Each folder sees those above it, and `error_curve` holds errors along one axis with their exponents.
//!
//! # What is stated and proved
//!
//! | in the paper | here |
//! | --- | --- |
//! | Theorem 1, Eq. 6 | [`untruncated_exponent`], [`untruncated_rate`], [`memory_load`], [`data_exponent`] |
//! | Theorem 2, Eq. 7 | [`truncated_exponent`], [`stated_threshold_exponent`], [`best_threshold_exponent`] |
//! | Theorem 3, Eq. 8 | [`minimax_exponent`], [`tail_constant`] |
//! | Lemma 1 | [`unseen_sandwich`], [`series_and_integrals`], [`unseen_mass_constant`], [`unseen_by_enumeration`] |
//! | Lemma 2 | [`cap_probability`], [`cap_chain`], [`coherence`], [`union_bound`], [`welch_bound`] |
//! | Lemma 3, Eq. 21 and 22 | [`lemma3_upper`], [`lemma3_lower`], [`GivenOutputs`], [`MarginLaw`] |
//! | its proof, Eq. 27 to 29 | [`maximum_chain`], [`student_tail`] |
//! | its proof, Eq. 31 to 41 | [`survival_form`], [`random_survival`], [`quasi_survival`], [`RatioChain`] |
//! | Lemma 4, Eq. 9 | [`cross_entropy`], [`cross_entropy_gradient`] |
//! | B.2, variance of the noise | [`noise_split`], [`mean_noise_split`] |
//! | B.3, the set that is forgotten and its load | [`forgotten_set`], [`load_integral`], [`balanced_threshold`] |
//! | B.3, Chernoff and the data | [`half_factor`], [`DataBound`], [`DataSets`] |
//! | B.3, method of types | [`types`], [`type_class`], [`divergence`], [`top_projection`] |
//!
//! # Training
//!
//! | in the paper | here | meaning |
//! | --- | --- | --- |
//! | $\ell(x,y;W)$, Eq. 9 | [`TrainingRun::loss`] | cross-entropy |
//! | Eq. 44 | [`TrainingRun::step`] | one update on a batch |
//! | Eq. 10 | [`Gradient::Leading`] | the update without its other classes |
//! | $f$, Eq. 11 and 45 | [`IdealUpdate`], [`Gradient::Ideal`] | the update without interference |
//! | $\gamma$ | [`Schedule`] | learning rate |
//! | Adam, $\beta_1=\beta_2=0$ | [`DescentRule`] | what is done with a gradient |
//! | C.1 | [`Parametrization`] | scales of embeddings, first weights and rates |
//! | learned $e$, $u$; $u_y^\top\mathrm{ReLU}(e_x)$ | [`LearnedTraining`] | the models of Fig. 11 and 12 |
//!
#![doc = include_str!("../statements.md")]
#![warn(missing_docs)]

mod blocks;
mod data;
mod error_curve;
mod fit;
mod generalization;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod stopping;
mod store;
mod theory;
mod training;

pub use data::corpus::WordCounts;
pub use data::goodness::{GoodnessOfFit, chi_square_cdf, chi_square_fit, kolmogorov_smirnov};
pub use data::power_sum::power_sum;
pub use data::samples::Samples;
pub use data::target::Target;
pub use data::zipf::{Counts, Zipf};
pub use error_curve::{ErrorCurve, PolylogFit, log_grid, power_law, powers_of_two};
pub use fit::best_threshold::{ThresholdProfile, best_threshold_curve, geometric_thresholds, threshold_exponent};
pub use generalization::expected_error::ConditionalDraws;
pub use generalization::experiment::Experiment;
pub use generalization::probe::ProbeDraws;
pub use generalization::recall::RecallStudy;
pub use generalization::recalls::Recalls;
pub use generalization::regenerated::EmbeddingField;
pub use generalization::results::Errors;
pub use store::associative_memory::AssociativeMemory;
pub use store::chosen_embeddings::identity_margins;
pub use store::embedding::Embeddings;
pub use store::interference::{ErrorSources, Interference, Ties, exact_scores};
pub use store::profile::{InputGroup, Profile};
pub use store::relu_memory::ReluMemory;
pub use store::scheme::{Scheme, Threshold, TieBreak};
pub use theory::lemma_1::enumeration::{UnseenFraction, top_set_law, unseen_by_enumeration};
pub use theory::lemma_1::unseen::{
    Falling, LOG_FACTOR, SeriesAndIntegrals, UnseenSandwich, rank_integral, series_and_integrals, unseen_integral,
    unseen_integral_constant, unseen_integral_constant_printed, unseen_sandwich,
};
pub use theory::lemma_2::cap::{
    CapChain, cap_bound, cap_bound_printed, cap_chain, cap_probability, sphere_coordinate_cdf,
};
pub use theory::lemma_2::quasi_orthogonal::{
    coherence, equiangular, failure_bound, granted_eta, is_quasi_orthogonal, relu_capacity, simplex, union_bound,
    welch_bound,
};
pub use theory::lemma_3::bounds::{lemma3_lower, lemma3_upper};
pub use theory::lemma_3::orthant::{MaximumChain, maximum_chain, orthant_below};
pub use theory::lemma_3::outputs::{GivenOutputs, MarginLaw};
pub use theory::lemma_3::ratio_chain::{Elementary, RatioChain};
pub use theory::lemma_3::survival::{
    SURVIVAL_CONSTANT, SurvivalSet, eta_window, output_failure_bound, quasi_lower, quasi_survival, quasi_upper,
    random_lower, random_survival, random_upper, survival_form, survival_lower,
};
pub use theory::lemma_4::{cross_entropy, cross_entropy_gradient};
pub use theory::proofs::data_sets::{DataSet, DataSets, EventSplit, two_class_failure};
pub use theory::proofs::finite_data::{
    DataBound, cut_level, damped_mass, half_factor, half_factor_printed, ln_binomial_below, ln_binomial_tail,
    memory_term, proof_cut_level,
};
pub use theory::proofs::load::{
    ForgottenSet, Load, balanced_threshold, critical_rank, data_load, forgotten_set, load_integral,
    load_integral_printed,
};
pub use theory::proofs::noise::{NoiseSplit, mean_noise_split, noise_split};
pub use theory::proofs::projection::{
    TopProjection, exchange_constant, exchange_divergence, exchanged, leaving_bound, projection_constant,
    top_projection,
};
pub use theory::proofs::types::{
    LeavingTop, TypeClass, divergence, leaves_top, leaving_top, type_class, type_count, types,
};
pub use theory::theorems::{
    best_threshold_exponent, best_truncated_exponent, chance_error, data_exponent, memory_load, minimax_exponent,
    stated_threshold_exponent, tail_constant, truncated_exponent, unseen_mass_constant, untruncated_exponent,
    untruncated_rate,
};
pub use training::best_weights::{Freedom, best_trained_error, best_trained_errors, threshold_errors};
pub use training::capacity::{OutputSharing, Similarity, StoredPairs, recall_of_all, recall_of_all_watched};
pub use training::curvature::sharpness;
pub use training::hard_margin::hard_margin_norm;
pub use training::ideal::IdealUpdate;
pub use training::leading::{GradientLines, LeadingTerm, rank_correlation};
pub use training::learned::{LearnedGradient, LearnedMemory, Readout};
pub use training::learned_runs::{Divergence, LearnedRuns};
pub use training::learned_training::{LearnedTraining, MemoryStart, TrainedParts};
pub use training::measures::{GradientMoments, Measures, Quantity};
pub use training::method::{BatchSize, Gradient, Ideal, LayerNorm, Method, Reduction, Tracked};
pub use training::parametrization::Parametrization;
pub use training::rule::{DescentRule, Moments};
pub use training::run::TrainingRun;
pub use training::runs::TrainingRuns;
pub use training::schedule::Schedule;
pub use training::sectors::sectors;
pub use training::study::TrainingStudy;
pub use training::task::TrainingTask;
pub use training::visits::{Visit, Visits, film_visits};
pub use training::width::{
    EmbeddingStart, JointNorms, MemoryUpdate, UpdateNorms, WidthRates, initial_norms, joint_update_norms,
    memory_update_norms,
};
pub use workbench_ground::Error;
pub use workbench_ground::lanes::Precision;
pub use workbench_ground::stats::student_tail;
