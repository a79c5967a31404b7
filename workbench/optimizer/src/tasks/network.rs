//! Any of the models, so that tasks of different kinds stand in one list.

use super::layout::InitialLayout;
use super::model::{BatchShape, Model};
use super::{Convolution, Examples, Language, Mlp, ModelNumber, Prompt, Vit};

/// One of the models. It is a [`Model`] itself, at the cost of one branch for each call.
#[derive(Clone, Debug, PartialEq)]
pub enum Network {
    /// Fully connected.
    Mlp(Mlp),
    /// Convolutional.
    Convolution(Convolution),
    /// A vision transformer.
    Vit(Vit),
    /// A transformer that fills gaps.
    Language(Language),
    /// A prompt before a frozen transformer.
    Prompt(Prompt),
}

macro_rules! each {
    ($network:expr, $model:ident => $value:expr) => {
        match $network {
            Network::Mlp($model) => $value,
            Network::Convolution($model) => $value,
            Network::Vit($model) => $value,
            Network::Language($model) => $value,
            Network::Prompt($model) => $value,
        }
    };
}

/// [`Model::scores`] of the model that the network is.
pub(super) fn scores<N: ModelNumber>(network: &Network, theta: &[N], batch: &Examples) -> Vec<N> {
    each!(network, model => model.scores(theta, batch))
}

/// [`Model::gradient`] of the model that the network is.
pub(super) fn gradient<N: ModelNumber>(
    network: &Network,
    theta: &[N],
    batch: &Examples,
    share: f64,
    gradient: &mut [N],
) -> N {
    each!(network, model => model.gradient(theta, batch, share, gradient))
}

impl Model for Network {
    fn layout(&self) -> &InitialLayout {
        each!(self, model => model.layout())
    }

    fn batch_shape(&self) -> BatchShape {
        each!(self, model => model.batch_shape())
    }

    fn scores<N: ModelNumber>(&self, theta: &[N], batch: &Examples) -> Vec<N> {
        N::network_scores(self, theta, batch)
    }

    fn gradient<N: ModelNumber>(&self, theta: &[N], batch: &Examples, share: f64, gradient: &mut [N]) -> N {
        N::network_gradient(self, theta, batch, share, gradient)
    }

    fn at_once(&self) -> usize {
        each!(self, model => model.at_once())
    }
}
