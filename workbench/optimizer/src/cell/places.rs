//! Places of weights, and their starting values.

use std::ops::Range;

use workbench_ground::stats::Stream;

use super::layers::{Linear, Norm};
use crate::{Error, Layout};

/// Gives out places for weights.
#[derive(Default)]
pub(crate) struct Places {
    named: Vec<(String, Vec<usize>)>,
    next: usize,
}

impl Places {
    pub(crate) fn take(&mut self, name: String, shape: &[usize]) -> Range<usize> {
        let start = self.next;
        self.next += shape.iter().product::<usize>();
        self.named.push((name, shape.to_vec()));
        start..self.next
    }

    pub(crate) fn linear(&mut self, name: &str, rows: usize, columns: usize, bias: bool) -> Linear {
        Linear {
            weight: self.take(format!("{name}.weight"), &[rows, columns]),
            bias: bias.then(|| self.take(format!("{name}.bias"), &[rows])),
            rows,
            columns,
        }
    }

    pub(crate) fn norm(&mut self, name: &str, width: usize) -> Norm {
        Norm { gain: self.take(format!("{name}.gain"), &[width]), bias: self.take(format!("{name}.bias"), &[width]) }
    }

    pub(crate) fn len(&self) -> usize {
        self.next
    }

    pub(crate) fn layout(&self) -> Result<Layout, Error> {
        let named: Vec<(&str, &[usize])> = self.named.iter().map(|(name, shape)| (name.as_str(), &shape[..])).collect();
        Layout::of(&named)
    }
}

/// Matrices uniform within $\pm1/\sqrt{\text{columns}}$, vectors zero, gains one.
pub(crate) fn uniform(layout: &Layout, stream: &mut Stream) -> Vec<f64> {
    let mut weights = vec![0.0; layout.len()];
    for tensor in layout.tensors() {
        let values = &mut weights[tensor.range.clone()];
        if let [_, columns] = tensor.shape[..] {
            let bound = (columns as f64).powf(-0.5);
            values.iter_mut().for_each(|w| *w = bound * (2.0 * stream.uniform() - 1.0));
        } else if tensor.name.ends_with(".gain") {
            values.fill(1.0);
        }
    }
    weights
}
