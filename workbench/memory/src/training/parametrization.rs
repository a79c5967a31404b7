//! Parametrization: how embeddings and first weights scale with the dimension.

use super::rule::DescentRule;
use super::task::TrainingTask;
use crate::store::embedding::Embeddings;
use ndarray::{Array2, Axis, s};
use workbench_ground::Error;
use workbench_ground::stats::Stream;

/// The scale of embeddings, first weights and learning rates.
///
/// Output embeddings are uniform on the unit sphere in all of them.
///
/// | | inputs | $W_0$ | rates |
/// | --- | --- | --- | --- |
/// | `Model` | $N(0,I_d)$, norm about $\sqrt d$ | 0 | as given |
/// | `Unit` | uniform on the unit sphere | 0 | as given |
/// | `MaximalUpdate` | uniform on the unit sphere | entries $N(0,1/d)$ | as given for descent, divided by d for Adam and its sign limit |
///
/// **Source**: Eq. 1 (`Model`); C.1 (`MaximalUpdate`); B.5, where $\lVert e_x\rVert^2=1$ makes Eq. 11 exact for orthogonal embeddings
/// (`Unit`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parametrization {
    /// The model of Eq. 1, with weights that start at zero.
    Model,
    /// Unit inputs, with weights that start at zero.
    Unit,
    /// Maximal feature updates, C.1.
    #[doc(alias = "muP")]
    MaximalUpdate,
}

impl Parametrization {
    /// Embeddings for `dim` dimensions, made of the first coordinates of `raw` (drawn by [`Embeddings::draw`]).
    ///
    /// **Errors**: more dimensions than `raw` has, or none.
    pub fn embeddings(&self, raw: &Embeddings, dim: usize) -> Result<Embeddings, Error> {
        let mut embeddings = raw.truncated(dim)?;
        if *self != Parametrization::Model {
            for mut e in embeddings.inputs.axis_iter_mut(Axis(0)) {
                let norm = e.dot(&e).sqrt();
                e /= norm;
            }
        }
        Ok(embeddings)
    }

    /// A task in `dim` dimensions: embeddings from `raw`, and the first weights from `weights` where there are some.
    ///
    /// The weights are drawn coordinate by coordinate, so that a larger `dim` on the same stream extends a smaller one.
    ///
    /// **Errors**: those of [`TrainingTask::new`] and of [`Parametrization::embeddings`].
    pub fn task(
        &self,
        raw: &Embeddings,
        dim: usize,
        labels: &[usize],
        p: &[f64],
        weights: &mut Stream,
    ) -> Result<TrainingTask, Error> {
        let task = TrainingTask::new(self.embeddings(raw, dim)?, labels, p)?;
        match self {
            Parametrization::MaximalUpdate => task.starting_at(first_weights(dim, weights)),
            _ => Ok(task),
        }
    }

    /// The factor on learning rates of W in `dim` dimensions.
    ///
    /// **Source**: C.1, Updates to W: `Theta(1)` for descent, `Theta(1/d)` for the sign.
    pub fn rate_factor(&self, rule: &DescentRule, dim: usize) -> f64 {
        match self {
            Parametrization::MaximalUpdate if !rule.is_linear() => 1.0 / dim as f64,
            _ => 1.0,
        }
    }
}

/// Weights with independent entries `N(0, 1/d)`, shell by shell of the upper left corner.
fn first_weights(dim: usize, stream: &mut Stream) -> Array2<f64> {
    let mut w = Array2::zeros((dim, dim));
    for k in 0..dim {
        w.slice_mut(s![k, ..=k]).mapv_inplace(|_: f64| stream.normal());
        w.slice_mut(s![..k, k]).mapv_inplace(|_: f64| stream.normal());
    }
    w / (dim as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::target::Target;
    use crate::data::zipf::Zipf;
    use workbench_ground::stats::Streams;

    #[test]
    fn scales_are_as_stated() {
        let streams = Streams::new(2);
        let raw = Embeddings::draw(50, 5, 400, &mut streams.stream("e").unwrap()).unwrap();
        let (labels, p) = (Target::modulo(5).unwrap().labels(50), Zipf::new(2.0, 50).unwrap().probabilities(50));
        let task = |which: Parametrization, d| {
            let mut weights = streams.restart("w").unwrap();
            which.task(&raw, d, &labels, &p, &mut weights).unwrap()
        };
        let model = task(Parametrization::Model, 400);
        assert_eq!(model.embeddings().inputs, raw.inputs);
        assert!((&model.embeddings().outputs - &raw.outputs).iter().all(|u| u.abs() < 1e-15));
        for which in [Parametrization::Unit, Parametrization::MaximalUpdate] {
            let task = task(which, 100);
            assert!(task.squared_norms().iter().all(|k| (k - 1.0).abs() < 1e-12));
            assert_eq!(task.start().is_some(), which == Parametrization::MaximalUpdate);
        }
        let square = |d| task(Parametrization::MaximalUpdate, d).start().unwrap().square / d as f64;
        // |W_0|^2 = d in the mean, with deviation sqrt(2).
        assert!((square(100) - 1.0).abs() < 0.08 && (square(400) - 1.0).abs() < 0.02);
        let (small, large) = (task(Parametrization::MaximalUpdate, 3), task(Parametrization::MaximalUpdate, 5));
        let corner = large.start().unwrap().weights.slice(s![..3, ..3]).to_owned() * (5.0f64 / 3.0).sqrt();
        assert!((&corner - &small.start().unwrap().weights).iter().all(|x| x.abs() < 1e-14));
        let factor = |rule| Parametrization::MaximalUpdate.rate_factor(&rule, 8);
        assert_eq!(
            (factor(DescentRule::Sgd), factor(DescentRule::Sign), factor(DescentRule::ADAM)),
            (1.0, 0.125, 0.125)
        );
        assert_eq!(Parametrization::Model.rate_factor(&DescentRule::Sign, 8), 1.0);
    }
}
