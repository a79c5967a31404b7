//! Adam: three memories, of gradients, of their squares, and of the pairs.

use ndarray::Array2;

use super::shared;
use crate::Error;
use crate::rule::Weights;
use crate::{InnerObjective, Loss, UpdateRule};
use workbench_ground::check::{above_zero, fraction};

const OP: &str = "Adam";

/// Settings of [`Adam`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamSettings {
    /// Step size $\eta>0$; 0.001 by default.
    pub rate: f64,
    /// Decay $\beta_1\in[0,1)$ of the mean gradient; 0.9 by default.
    pub beta1: f64,
    /// Decay $\beta_2\in[0,1)$ of the mean square; 0.999 by default.
    pub beta2: f64,
    /// $\epsilon>0$, added to the root; 1e-8 by default.
    pub epsilon: f64,
}

impl Default for AdamSettings {
    fn default() -> AdamSettings {
        AdamSettings { rate: 1e-3, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 }
    }
}

/// Adam.
///
/// $$ M_{t+1}=\beta_1M_t+(1-\beta_1)\,G,\qquad V_{t+1}=\beta_2V_t+(1-\beta_2)\,G\odot G,\qquad
/// W_{t+1}=W_t-\eta\,\frac{\hat M}{\sqrt{\hat V}+\epsilon} $$
///
/// with $\hat M=M_{t+1}/(1-\beta_1^{t+1})$ and $\hat V=V_{t+1}/(1-\beta_2^{t+1})$, t from 0. Each memory has its own objective. Momentum:
/// $\frac{\beta_1}2\lVert M-M_t\rVert^2+\frac{1-\beta_1}2\lVert M-G\rVert^2$. Squares:
/// $\frac{\beta_2}2\lVert V-V_t\rVert^2+\frac{1-\beta_2}2\lVert V-G\odot G\rVert^2$. Weights:
/// $\langle W,\hat M\rangle+\frac1{2\eta}\sum_{ij}(\sqrt{\hat V_{ij}}+\epsilon)\,(W-W_t)_{ij}^2$, a metric of its own for every entry.
///
/// **Source**: Kingma and Ba (2015), Algorithm 1; that its three memories are minimisers is ours.
///
/// ```
/// use workbench_gradient_memory::{Adam, AdamSettings, Loss, UpdateRule};
/// use ndarray::array;
/// let settings = AdamSettings { rate: 0.1, ..AdamSettings::default() };
/// let mut rule = Adam::new(1, 2, settings, Loss::Squared)?;
/// rule.step(&array![[1.0, 0.001]], &array![[5.0]])?;
/// // The first step has the size eta in every entry, whatever the gradient.
/// assert!(rule.weights().iter().all(|w| (w - 0.1).abs() < 1e-6));
/// assert!((rule.memory("momentum")?[[0, 0]] + 0.5).abs() < 1e-15); // a tenth of the gradient, -5
/// # Ok::<(), workbench_gradient_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    weights: Weights,
    momentum: Array2<f64>,
    squares: Array2<f64>,
    settings: AdamSettings,
    loss: Loss,
}

impl Adam {
    /// An empty memory (d_v, d_k).
    ///
    /// **Errors**: [`Error::Parameter`] for a setting out of its range, [`Error::Empty`] for a dimension of 0.
    pub fn new(d_v: usize, d_k: usize, settings: AdamSettings, loss: Loss) -> Result<Adam, Error> {
        above_zero(OP, "rate", settings.rate)?;
        fraction(OP, "beta1", settings.beta1)?;
        fraction(OP, "beta2", settings.beta2)?;
        above_zero(OP, "epsilon", settings.epsilon)?;
        Ok(Adam {
            weights: Weights::zeros(OP, d_v, d_k)?,
            momentum: Array2::zeros((d_v, d_k)),
            squares: Array2::zeros((d_v, d_k)),
            settings,
            loss,
        })
    }

    /// Next momentum and squares, and their bias-corrected forms: M, V, M', sqrt(V') + epsilon.
    fn next(&self, gradient: &Array2<f64>) -> [Array2<f64>; 4] {
        let blend = |old: &Array2<f64>, new: &Array2<f64>, beta: f64| beta * old + (1.0 - beta) * new;
        let AdamSettings { beta1, beta2, epsilon, .. } = self.settings;
        let momentum = blend(&self.momentum, gradient, beta1);
        let squares = blend(&self.squares, &(gradient * gradient), beta2);
        let age = (self.weights.steps + 1).min(i32::MAX as usize) as i32;
        let direction = &momentum / (1.0 - beta1.powi(age));
        let width = (&squares / (1.0 - beta2.powi(age))).mapv(|v| v.sqrt() + epsilon);
        [momentum, squares, direction, width]
    }
}

impl UpdateRule for Adam {
    shared!();

    fn name(&self) -> String {
        format!(
            "Adam, η = {}, β = {}, {}, {:?}",
            self.settings.rate, self.settings.beta1, self.settings.beta2, self.loss
        )
    }

    fn memories(&self) -> Vec<(&'static str, Array2<f64>)> {
        vec![
            ("momentum", self.momentum.clone()),
            ("squares", self.squares.clone()),
            ("weights", self.weights.w.clone()),
        ]
    }

    fn objectives(&self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<Vec<InnerObjective>, Error> {
        let gradient = self.loss.gradient(&self.weights.w, keys, values)?;
        let [_, _, direction, width] = self.next(&gradient);
        let average = |name, old: &Array2<f64>, new: Array2<f64>, beta: f64| {
            InnerObjective::new(name).anchor(beta, old.clone()).anchor(1.0 - beta, new)
        };
        let squared = &gradient * &gradient;
        Ok(vec![
            average("momentum", &self.momentum, gradient, self.settings.beta1),
            average("squares", &self.squares, squared, self.settings.beta2),
            InnerObjective::new("weights")
                .linear(direction)
                .weighted_anchor(width / self.settings.rate, self.weights.w.clone()),
        ])
    }

    fn step(&mut self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<(), Error> {
        let gradient = self.loss.gradient(&self.weights.w, keys, values)?;
        let [momentum, squares, direction, width] = self.next(&gradient);
        let next = &self.weights.w - &(self.settings.rate * direction / width);
        self.weights.commit(OP, next)?;
        self.momentum = momentum;
        self.squares = squares;
        Ok(())
    }

    fn restart(&mut self, weights: &Array2<f64>) -> Result<(), Error> {
        self.weights.restart(OP, weights)?;
        self.momentum.fill(0.0);
        self.squares.fill(0.0);
        Ok(())
    }
}
