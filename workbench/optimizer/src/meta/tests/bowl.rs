//! A small task over any number.

use std::sync::atomic::{AtomicU64, Ordering};

use workbench_ground::stats::Stream;

use super::stream;
use crate::number::CellNumber;
use crate::task::{Split, Task, Tensor};
use crate::{Error, Layout};

/// $f(\theta)=\frac12\theta^\top A\theta+\frac\kappa4\sum\theta_i^4-b^\top\theta$ with $b$ drawn for each batch.
#[derive(Debug)]
pub(super) struct Bowl {
    tensors: Vec<Tensor>,
    matrix: Vec<Vec<f64>>,
    quartic: f64,
    /// After so many gradients the loss is no number.
    pub breaks: u64,
    asked: AtomicU64,
}

pub(super) fn bowl(p: usize, quartic: f64) -> Bowl {
    let mut draw = stream("bowl");
    let root: Vec<Vec<f64>> = (0..p).map(|_| (0..p).map(|_| draw.normal()).collect()).collect();
    let entry = |i: usize, j: usize| -> f64 {
        let product: f64 = (0..p).map(|k| root[i][k] * root[j][k]).sum();
        product / p as f64 + if i == j { 0.3 } else { 0.0 }
    };
    Bowl {
        tensors: Layout::of(&[("x", &[p])]).unwrap().tensors().to_vec(),
        matrix: (0..p).map(|i| (0..p).map(|j| entry(i, j)).collect()).collect(),
        quartic,
        breaks: u64::MAX,
        asked: AtomicU64::new(0),
    }
}

impl Bowl {
    pub fn slope_of<N: CellNumber>(&self, x: &[N], b: &[f64]) -> Vec<N> {
        let row = |i: usize| {
            let linear = (0..x.len()).fold(-N::of(b[i]), |sum, j| sum.plus(N::of(self.matrix[i][j]), x[j]));
            linear.plus(N::of(self.quartic), x[i] * x[i] * x[i])
        };
        (0..x.len()).map(row).collect()
    }

    pub fn value_of<N: CellNumber>(&self, x: &[N], b: &[f64]) -> N {
        let slope = self.slope_of(x, b);
        // Half of the quadratic part, a quarter of the quartic one, and b once.
        (0..x.len()).fold(N::zero(), |sum, i| {
            let quartic = N::of(self.quartic) * x[i] * x[i] * x[i];
            let term = (slope[i] - quartic) * N::of(0.5) + quartic * N::of(0.25) - N::of(0.5 * b[i]);
            sum.plus(term, x[i])
        })
    }
}

impl Task for Bowl {
    type Batch = Vec<f64>;

    fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    fn start(&self, stream: &mut Stream) -> Vec<f64> {
        (0..self.len()).map(|_| stream.normal()).collect()
    }

    fn batch(&self, _: Split, stream: &mut Stream) -> Vec<f64> {
        (0..self.len()).map(|_| 0.3 * stream.normal()).collect()
    }

    fn gradient(&self, theta: &[f64], batch: &Vec<f64>, gradient: &mut [f64]) -> Result<f64, Error> {
        gradient.copy_from_slice(&self.slope_of(theta, batch));
        if self.asked.fetch_add(1, Ordering::Relaxed) >= self.breaks {
            return Ok(f64::NAN);
        }
        Ok(self.value_of(theta, batch))
    }

    fn hessian_product(
        &self,
        theta: &[f64],
        _: &Vec<f64>,
        direction: &[f64],
        product: &mut [f64],
    ) -> Result<(), Error> {
        for i in 0..self.len() {
            let linear: f64 = self.matrix[i].iter().zip(direction).map(|(a, d)| a * d).sum();
            product[i] = linear + 3.0 * self.quartic * theta[i] * theta[i] * direction[i];
        }
        Ok(())
    }
}
