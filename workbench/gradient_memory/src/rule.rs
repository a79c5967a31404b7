//! Update rule: a state it owns, one step, and the objectives that the step minimises.

use std::fmt::Debug;

use ndarray::Array2;

use super::objective::{InnerObjective, norm};
use crate::Error;
use crate::pairs::{KEY_DIMENSION, fits_finite};
use workbench_ground::check::{finite_matrix, same};

/// Weights whose norm would pass this are called diverged: their squares would soon overflow.
const LARGEST_NORM: f64 = 1e100;

/// One way to write a batch of (key, value) pairs into a linear memory W.
///
/// A rule owns its state: the weights and its further memories. [`objectives`](UpdateRule::objectives) states what the
/// next step minimises, one problem for each memory, in the order of [`memories`](UpdateRule::memories);
/// [`step`](UpdateRule::step) then takes the step by the rule's own recursion. That both agree is what the conformance test of
/// this room checks for every rule. A `Box<dyn UpdateRule>` is a rule as well, so `&rule` serves wherever a rule is asked for.
///
/// **Source**: ours, but for [`GradientStep`](crate::GradientStep), which is the document's.
pub trait UpdateRule: Debug + Send + Sync {
    /// The rule in words, with its parameters.
    fn name(&self) -> String;

    /// The weights W, (d_v, d_k).
    fn weights(&self) -> &Array2<f64>;

    /// Every memory of the rule by name; the weights are last.
    fn memories(&self) -> Vec<(&'static str, Array2<f64>)> {
        vec![("weights", self.weights().clone())]
    }

    /// The memory of this name, as [`memories`](UpdateRule::memories) has it.
    ///
    /// **Errors**: a name that the rule has no memory of.
    fn memory(&self, name: &str) -> Result<Array2<f64>, Error> {
        let mut names = Vec::new();
        for (own, memory) in self.memories() {
            if own == name {
                return Ok(memory);
            }
            names.push(own);
        }
        let problem = format!("{} has no memory \"{name}\"", self.name());
        Err(Error::refused("memory", problem, format!("use one of: {}", names.join(", "))))
    }

    /// What the next step on this batch minimises, one objective for each of [`memories`](UpdateRule::memories).
    ///
    /// **Errors**: as [`UpdateRule::step`].
    fn objectives(&self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<Vec<InnerObjective>, Error>;

    /// Writes the batch, keys (n, d_k) and values (n, d_v), into the memory.
    ///
    /// **Errors**: shapes, an empty batch, entries that are not finite, what the rule itself refuses, and [`Error::Diverged`].
    /// After an error the state is as before the step. Cost O(n d_v d_k); with a metric on keys O(n d_k (d_v + d_k)).
    fn step(&mut self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<(), Error>;

    /// Forgets everything and begins at `weights`, of the same shape.
    ///
    /// **Errors**: another shape, entries that are not finite.
    fn restart(&mut self, weights: &Array2<f64>) -> Result<(), Error>;

    /// A copy with its state.
    fn boxed(&self) -> Box<dyn UpdateRule>;

    /// The outputs $y=Wx$ for all keys (n, d_k), as rows (n, d_v).
    ///
    /// **Errors**: keys of another dimension.
    fn recall(&self, keys: &Array2<f64>) -> Result<Array2<f64>, Error> {
        if keys.ncols() != self.weights().ncols() {
            let memory = ("W", self.weights().dim());
            return Err(Error::shape("recall", memory, ("keys", keys.dim()), KEY_DIMENSION));
        }
        Ok(keys.dot(&self.weights().t()))
    }
}

impl UpdateRule for Box<dyn UpdateRule> {
    fn name(&self) -> String {
        (**self).name()
    }
    fn weights(&self) -> &Array2<f64> {
        (**self).weights()
    }
    fn memories(&self) -> Vec<(&'static str, Array2<f64>)> {
        (**self).memories()
    }
    fn objectives(&self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<Vec<InnerObjective>, Error> {
        (**self).objectives(keys, values)
    }
    fn step(&mut self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<(), Error> {
        (**self).step(keys, values)
    }
    fn restart(&mut self, weights: &Array2<f64>) -> Result<(), Error> {
        (**self).restart(weights)
    }
    fn boxed(&self) -> Box<dyn UpdateRule> {
        (**self).boxed()
    }
}

impl Clone for Box<dyn UpdateRule> {
    fn clone(&self) -> Box<dyn UpdateRule> {
        self.boxed()
    }
}

/// Weights and the number of steps that made them: the part of the state that all rules share.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weights {
    pub w: Array2<f64>,
    pub steps: usize,
}

impl Weights {
    pub fn zeros(op: &'static str, d_v: usize, d_k: usize) -> Result<Weights, Error> {
        if d_v == 0 || d_k == 0 {
            let what = "a memory with a dimension of 0";
            return Err(Error::empty(op, what, "give at least one"));
        }
        let w = Array2::zeros((d_v, d_k));
        Ok(Weights { w, steps: 0 })
    }

    pub fn check(&self, op: &'static str, keys: &Array2<f64>, values: &Array2<f64>) -> Result<(), Error> {
        fits_finite(op, &self.w, keys, values)
    }

    /// Takes the new weights unless they diverged.
    pub fn commit(&mut self, op: &'static str, next: Array2<f64>) -> Result<(), Error> {
        let size = norm(&next);
        // The negation refuses NaN as well.
        if size.is_nan() || size > LARGEST_NORM {
            let step = self.steps + 1;
            return Err(Error::Diverged {
                op,
                step,
                name: "norm of the weights",
                value: size,
                rate: None,
                next: "lower the step size".into(),
            });
        }
        self.w = next;
        self.steps += 1;
        Ok(())
    }

    pub fn restart(&mut self, op: &'static str, weights: &Array2<f64>) -> Result<(), Error> {
        same(op, ("W", self.w.dim()), ("the new weights", weights.dim()))?;
        finite_matrix(op, "the new weights", weights)?;
        self.w = weights.clone();
        self.steps = 0;
        Ok(())
    }
}
