//! Linear transformers with memory registers that learn first-order methods in context.
//!
//! Source: "Toward generalizable learning of all (linear) first-order methods via memory augmented Transformers", Dutta and Sra;
//! "the document" below. Its training protocol and data follow "Transformers learn to implement preconditioned gradient descent for
//! in-context learning", Ahn, Cheng, Daneshmand and Sra.
//!
//! A prompt holds n examples of a linear function and a query. A layer of linear attention takes one preconditioned gradient step on
//! the examples; registers let later layers use the steps of earlier ones.
//!
//! | in the document | here | shape | meaning |
//! | --- | --- | --- | --- |
//! | $n$, $d$, $B$, $L$ | `examples`, `dim`, `batch`, `depth` | | examples per prompt, dimension, prompts, layers |
//! | $\Sigma$, $D_X$, $D_W$ | [`TaskLaw`] | `(d, d)` | law of covariates and targets |
//! | $Z_0$ | [`Prompts::tokens`] | `(d + 1, n + 1)` | the prompt; tokens are columns |
//! | $XX^\top/n$ | [`Statistics`] `gram` | `(B, d, d)` | Hessian of the in-context loss (2.11) |
//! | $P$, $Q$; $A$, $B$ | [`Head`] | `(d + 1, d + 1)`; `(d, d)` | matrices of a head, free or as in (2.8) |
//! | $\operatorname{Attn}$ | [`attention`] | `(d + 1, n + 1)` | masked linear attention (2.4) |
//! | $R$, $\alpha$, $\gamma$, $\Gamma$ | [`LayerMemory`] | | registers of (3.2) and (3.4) |
//! | $\mathrm{TF}_L$ | [`LinearTransformer`] `predict` | | the prediction (2.6); in floats or exact fractions |
//! | $R_{w^\ast}$, $H$ | [`Quadratic`] | `(d)`, `(d, d)` | the in-context loss (2.11) of one prompt |
//! | $\Gamma_i^k$, $\Lambda_i^k$ | [`Lfom`] | triangular | weights of past gradients (1.1) |
//! | $\alpha_n$, $\gamma_n$, $s_n$ | [`SingleMemory`], [`ConjugateRun`] | `(K)` | a method with one memory (2.13) |
//! | $\mathrm{Head}_h$, $\alpha_h$ | [`Gated`] | `(H)` | heads trained alone and their gates (Section 4.2) |
//! | $\theta_k$, $g(x,y,k)$ | [`recovered_theta`], [`query_outputs`] | `(d)` | objects of the proof of Lemma 2.1 |
//!
//! A transformer of two layers learns to descend, on linear tasks in three dimensions, a new batch of prompts at each step:
//!
//! ```
//! use workbench_ground::stats::Streams;
//! use workbench_memformer::{Architecture, Part, Phase, TaskLaw, Trainer, TrainingProtocol};
//! let phases = vec![Phase::new(&[Part::Preconditioners], 300, 0.05)];
//! let mut trainer = Trainer::new(
//!     Architecture::new(2, 3)?,
//!     TaskLaw::isotropic(3)?,
//!     TrainingProtocol::document().with_phases(phases),
//!     &mut Streams::new(1).stream("front page")?,
//! )?;
//! trainer.run()?;
//! let losses = trainer.fresh_losses(); // on each batch before any step on it
//! assert!(losses[2].loss < 0.5 * losses[0].loss);
//! # Ok::<(), workbench_memformer::Error>(())
//! ```
//!
//! Registers have a name for each thing that holds them:
//!
//! | | which registers | what they hold | their weights |
//! | --- | --- | --- | --- |
//! | a trained model of the restricted form | [`RegisterKind`] | one or one for each layer | [`RegisterWeight`], in [`Parameters`] |
//! | a model in plain arrays, any P and Q | [`LayerMemory`] | one for all heads, or one for each head | in the variant itself |
//! | a method on one prompt | [`Lfom`] | past gradients | [`Weight`] |
//!
//! | folder | idea |
//! | --- | --- |
//! | `prompts` | laws of the tasks, batches of prompts, statistics that decide a model's output |
//! | `arithmetic` | the same formulas in floats, complex numbers and exact fractions |
//! | `methods` | classical first-order methods per prompt, and the best shared coefficients |
//! | `constructions` | the paper's constructions evaluated as printed, and what the architecture cannot reach |
//! | `mixture` | mixtures of laws, several heads with gates, what is tuned at test time |
//! | `model` | the architecture, defined once in plain arrays, and the parameters of its restricted form |
//! | `engine` | losses and gradients of the restricted form, vectorised across prompts |
//! | `training` | Adam on fresh prompts, in phases, with checkpoints |
//! | `generalization` | exact risks, finite-sample bounds, training on N prompts, distances to multiples of $\Sigma^{-1}$ |
//! | `comparison` | trained models and classical methods on the same prompts |
//!
#![doc = include_str!("../statements.md")]
#![warn(missing_docs)]

mod arithmetic;
mod comparison;
mod constructions;
mod engine;
mod generalization;
mod methods;
mod mixture;
mod model;
mod prompts;
#[cfg(test)]
mod properties;
mod training;

pub use arithmetic::algebra::{
    identity, inner_product, largest_difference, largest_gap, matrix_vector, product, rank, solve,
};
pub use arithmetic::number::{Fraction, Number, fraction_matrix, fraction_vector};
pub use comparison::curve::{Averaging, Curve};
pub use comparison::losses::{Losses, Score, TestSet};
pub use comparison::tuning::{Family, Grid, Pair};
pub use constructions::adjoint::{complex_step_gradients, prediction_gradients, relative_difference};
pub use constructions::instance::Instance;
pub use constructions::lemma::{label_rows, query_outputs, recovered_theta};
pub use constructions::literal::{Associations, Mask, associations, literal_attention, literal_forward, output};
pub use constructions::reach::{
    gamma_jacobian, hadamard_distance, lambda_jacobian, nearest_diagonal, nearest_hadamard, nearest_iterate,
};
pub use engine::batch::Batch;
pub use generalization::alignment::Alignment;
pub use generalization::bounds::covering_bound;
pub use generalization::class::{Covariates, LinearClass};
pub use generalization::curve::{CurveSettings, LearningCurve};
pub use generalization::distance::{conjugated, distance_at, distance_to_identity, expected_distance, mean_diagonal};
pub use generalization::learned::{
    FixedPrompts, TrainedOnPrompts, conjugate_losses, descent_parameters, method_losses, method_of, train_on_prompts,
};
pub use generalization::sample::Sample;
pub use generalization::symmetry::{best_multiples, symmetrised};
pub use generalization::whitened::{
    WhitenedOptimum, best_whitened, spectral_moments, whitened_gradient, whitened_moment, whitened_risk,
};
pub use methods::adaptive::{AdaptiveRun, adagrad, adam};
pub use methods::conjugate::{
    ConjugateRun, conjugate_gradient, conjugate_gradient_as_printed, line_search, preconditioned_conjugate_gradient,
    steepest_descent,
};
pub use methods::first_order::{
    AdaGrad, Adam, ConjugateGradient, FirstOrderMethod, GdPlusPlus, Nesterov, PreconditionedConjugateGradient,
    PreconditionedDescent, SteepestDescent,
};
pub use methods::lfom::{Lfom, Trajectory, Weight};
pub use methods::nesterov::{NesterovRun, nesterov, nesterov_lfom, nesterov_lfom_on_quadratics};
pub use methods::newton::{gd_plus_plus, neumann_inverse, newton_step, preconditioned_descent};
pub use methods::objective::{LogCosh, Objective, SingleExamples};
pub use methods::optimum::{Measure, SharedOptimum, best_shared_memory, one_layer_best, one_layer_loss};
pub use methods::quadratic::Quadratic;
pub use methods::single_memory::SingleMemory;
pub use methods::stagewise::{Kind, LeastSquares, Stagewise, best_stagewise, least_squares};
pub use mixture::answers::{Answers, best_in_context, final_answers};
pub use mixture::experts::Gated;
pub use mixture::gates::{GateFit, GateKind, best_layer_gates, best_output_gates, layer_gate_gradient};
pub use mixture::law::{GaussianMixture, Level, MixturePrompts, answer_power};
pub use mixture::tokens::{gated_registers, update_rank};
pub use mixture::training::{train_experts, train_heads, train_on_mixture};
pub use mixture::tuner::{TunedParts, Tuner};
pub use model::architecture::{Architecture, Part, RegisterKind, RegisterWeight};
pub use model::attention::{Head, Layer, attention, masked_softmax_attention, unmasked_attention};
pub use model::forward::RegisterRun;
pub use model::memory::LayerMemory;
pub use model::pairs::Sharing;
pub use model::parameters::Parameters;
pub use model::transformer::LinearTransformer;
pub use prompts::batch::Prompts;
pub use prompts::law::TaskLaw;
pub use prompts::statistics::Statistics;
pub use training::protocol::{Clip, Phase, TrainingProtocol};
pub use training::trainable::Trainable;
pub use training::trainer::{FreshLoss, Trainer};
pub use training::trainers::Trainers;
pub use workbench_ground::Error;
pub use workbench_ground::counted::{Counted, Operations, count_operations};
pub use workbench_ground::lanes::{Instructions, Precision};
pub use workbench_ground::work::RunStatus;
