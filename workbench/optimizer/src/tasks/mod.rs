//! Tasks to train optimizers on and to test them with: models with real data, gradients and Hessian-vector products by hand.
//!
//! **Source**: Mnemosyne appendix, B.1 (MLPs and ViTs), B.7.1 (last layers), B.10 (masked language modelling), B.11 (soft prompts).
//!
//! | item | what it is |
//! | --- | --- |
//! | [`Mlp`] | fully connected networks; without hidden layers, a last layer on fixed features |
//! | [`Convolution`] | a small convolutional network |
//! | [`Vit`] | a small vision transformer |
//! | [`Language`] | a transformer that fills gaps in texts |
//! | [`Prompt`] | vectors before the text of a frozen [`Language`] |
//! | [`Started`] | a task that begins with given parameters: fine-tuning |
//! | [`random_features`], [`mlp_features`], [`vit_features`] | what a frozen network makes of images, for a last layer |
//! | [`NoisyQuadratic`] | a bowl of which everything is known |
//! | [`Supervised`] | a model with its data: the [`crate::task::Task`] |
//! | [`ImageSource`], [`GapSource`], [`TextSource`] | where batches come from |
//! | [`Suite`], [`TRAINING`], [`FIGURE_10`], [`UNSEEN`], [`LAST_LAYERS`] | tasks by name, as `mlp-20-sigmoid@mnist-7` |
//! | [`NetworkShape`], [`Network`] | shapes of networks by name, or drawn as B.1 draws them |
//! | [`ModelNumber`] | what models are evaluated in: floats, [`Dual`] and [`Complex`] numbers |
//!
//! Each gradient is written once, for every kind of number. In floats it is the gradient; in dual numbers its slopes are the product of
//! the Hessian with a direction, exactly; in complex numbers its imaginary part is the same again, which tests use.
//!
//! Microseconds on one core with AVX-512, batches of 64, double precision (single precision is 0.7 to 1 times as long):
//!
//! | task | parameters | gradient | loss | Hessian-vector product |
//! | --- | --- | --- | --- | --- |
//! | `mlp-20-relu@mnist-7` | 1,210 | 17 | 12 | 55 |
//! | `mlp-20-sigmoid@mnist-7` | 1,210 | 20 | 14 | 58 |
//! | `mlp-20-sigmoid@mnist-28` | 15,910 | 153 | 100 | 570 |
//! | `conv-4-8@mnist-14` | 1,066 | 880 | 510 | 2,250 |
//! | `vit-l1-h2-d16-k8-m32-p3@mnist-7` | 2,762 | 830 | 420 | 2,650 |
//! | `vit-l2-h2-d32-k8-m32-p3@mnist-7` | 9,802 | 2,260 | 1,030 | 7,400 |

mod convolution;
mod dual;
mod features;
mod language;
mod layers;
mod layout;
mod matrix;
mod mlp;
mod model;
mod network;
mod network_shape;
mod number;
#[cfg(test)]
mod outside;
mod prompt;
mod quadratic;
mod source;
mod started;
mod suite;
#[cfg(test)]
mod tests;
mod transformer;
mod vit;

pub use crate::number::Complex;
pub use convolution::Convolution;
pub use dual::Dual;
pub use features::{mlp_features, random_features, vit_features};
pub use language::Language;
pub use layers::Activation;
pub use layout::{InitialLayout, Law};
pub use mlp::Mlp;
pub use model::{BatchShape, ClassLabel, Examples, Model, Supervised};
pub use network::Network;
pub use network_shape::NetworkShape;
pub use number::ModelNumber;
pub use prompt::Prompt;
pub use quadratic::NoisyQuadratic;
pub use source::{GapSource, ImageSource, Source, TextSource};
pub use started::Started;
pub use suite::{FIGURE_10, LAST_LAYERS, Suite, TRAINING, UNSEEN};
pub use transformer::Sizes;
pub use vit::Vit;
