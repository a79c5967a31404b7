//! Layout of a model's parameters, and their start.

use workbench_ground::stats::Stream;

use crate::task::Tensor;

/// The law that the entries of a tensor start with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// Uniform in [-bound, bound].
    Uniform {
        /// Half the width.
        bound: f64,
    },
    /// Normal with mean 0.
    Normal {
        /// The standard deviation.
        deviation: f64,
    },
    /// One value for all.
    Constant(f64),
}

/// The tensors of a model in order, without gaps, each with the law that its entries start with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InitialLayout {
    tensors: Vec<Tensor>,
    laws: Vec<Law>,
}

impl InitialLayout {
    /// Adds a tensor and gives back where it starts.
    pub(super) fn add(&mut self, name: String, shape: &[usize], law: Law) -> usize {
        let start = self.len();
        self.tensors.push(Tensor {
            name,
            shape: shape.to_vec(),
            range: start..start + shape.iter().product::<usize>(),
        });
        self.laws.push(law);
        start
    }

    /// The tensors.
    pub fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    /// The laws, one for each tensor.
    pub fn laws(&self) -> &[Law] {
        &self.laws
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.tensors.last().map_or(0, |tensor| tensor.range.end)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Starting values, drawn tensor by tensor; a constant draws nothing.
    pub fn start(&self, stream: &mut Stream) -> Vec<f64> {
        let mut values = Vec::with_capacity(self.len());
        for (tensor, &law) in self.tensors.iter().zip(&self.laws) {
            values.extend(tensor.range.clone().map(|_| match law {
                Law::Uniform { bound } => bound * (2.0 * stream.uniform() - 1.0),
                Law::Normal { deviation } => deviation * stream.normal(),
                Law::Constant(value) => value,
            }));
        }
        values
    }
}
