//! Gradients of whole roll-outs by evolution: unbiased where truncated windows are not.

use workbench_ground::check::{above_zero, positive, same};
use workbench_ground::stats::Stream;

use super::{Precision, Rollout, RolloutObjective, ScaledProblem};
use crate::cell::Cell;
use crate::{Error, Layout};

/// How the weights are moved from window to window of one roll-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// The same direction all the way: NRES.
    Reused,
    /// A new direction in each window, the estimate made with the sum of all so far: PES.
    Fresh,
}

/// How weights are moved to find a gradient by [`Evolution`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EvolutionSettings {
    /// From window to window.
    pub noise: Noise,
    /// $\sigma>0$.
    pub sigma: f64,
    /// $P\ge1$.
    pub pairs: usize,
}

/// Pairs of roll-outs with weights $\phi\pm\sigma\epsilon$, on the same batches:
///
/// $$ \hat g_w=\frac1P\sum_{i=1}^{P}\frac{\xi_i}{2\sigma}\,\bigl(L_w(\phi+\sigma\epsilon_i)-L_w(\phi-\sigma\epsilon_i)\bigr) $$
///
/// with $\xi_i=\epsilon_i$ for [`Noise::Reused`] and the sum of the roll-out's directions so far for [`Noise::Fresh`]. The sum of
/// $\hat g_w$ over the windows of a roll-out is an unbiased estimate of the gradient of its whole loss, smoothed by the noise.
///
/// **Source**: not in the document; a second opinion on truncation. Persistent evolution strategies (Vicol et al. 2021), noise-reuse
/// evolution strategies (Li et al. 2023). **Cost** $2P$ roll-outs without adjoints.
#[derive(Debug)]
#[doc(alias = "PES")]
#[doc(alias = "NRES")]
pub struct Evolution {
    settings: EvolutionSettings,
    pairs: Vec<Pair>,
}

#[derive(Debug)]
struct Pair {
    rollouts: [Rollout; 2],
    direction: Vec<f64>,
    sum: Vec<f64>,
}

impl EvolutionSettings {
    pub(super) fn check(&self, op: &'static str) -> Result<(), Error> {
        positive(op, "pairs", self.pairs)?;
        above_zero(op, "sigma", self.sigma)?;
        Ok(())
    }
}

impl Evolution {
    /// Pairs at the start of a task, which all begin at `theta`.
    ///
    /// **Errors**: no pairs, a sigma that is not positive, the errors of [`Rollout::new`].
    pub fn new<C: Cell>(
        (cell, weights): (&C, &[f64]),
        (layout, theta): (&Layout, &[f64]),
        objective: &RolloutObjective,
        settings: EvolutionSettings,
        precision: Precision,
    ) -> Result<Evolution, Error> {
        const OP: &str = "Evolution::new";
        settings.check(OP)?;
        let rollout = || Rollout::new(cell, weights, layout, theta.to_vec(), objective.expert, precision);
        let pair = || -> Result<Pair, Error> {
            Ok(Pair { rollouts: [rollout()?, rollout()?], direction: Vec::new(), sum: vec![0.0; cell.trained()] })
        };
        let pairs = (0..settings.pairs).map(|_| pair()).collect::<Result<_, _>>()?;
        Ok(Evolution { settings, pairs })
    }

    /// The next window of all roll-outs around `weights`: mean loss and estimated gradient.
    ///
    /// **Errors**: weights of another number than at the start, the errors of [`Rollout::window`].
    pub fn window(
        &mut self,
        weights: &[f64],
        setting: &ScaledProblem<'_>,
        objective: &RolloutObjective,
        steps: usize,
        (batches, directions): (&mut Stream, &mut Stream),
    ) -> Result<(f64, Vec<f64>), Error> {
        let trained = self.pairs[0].sum.len();
        if weights.len() < trained {
            same("Evolution::window", ("weights", weights.len()), ("trained weights", trained))?;
        }
        let EvolutionSettings { noise, sigma, .. } = self.settings;
        let (count, begin) = (self.pairs.len() as f64, batches.clone());
        let (mut loss, mut gradient) = (0.0, vec![0.0; trained]);
        for pair in &mut self.pairs {
            if pair.direction.is_empty() || noise == Noise::Fresh {
                pair.direction = (0..trained).map(|_| directions.normal()).collect();
                pair.sum.iter_mut().zip(&pair.direction).for_each(|(sum, e)| *sum += e);
            }
            let mut apart = 0.0;
            for (rollout, sign) in pair.rollouts.iter_mut().zip([1.0, -1.0]) {
                let mut moved = weights.to_vec();
                moved.iter_mut().zip(&pair.direction).for_each(|(w, e)| *w += sign * sigma * e);
                rollout.set_weights(&moved);
                *batches = begin.clone();
                let outcome = rollout.window(setting, objective, steps, false, batches)?;
                loss += 0.5 * outcome.loss / count;
                apart += sign * outcome.loss;
            }
            let scale = apart / (2.0 * sigma * count);
            gradient.iter_mut().zip(&pair.sum).for_each(|(g, e)| *g += scale * e);
        }
        Ok((loss, gradient))
    }
}
