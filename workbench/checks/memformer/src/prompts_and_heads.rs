//! Section 2.1: the prompts that the checks of its equations share.

use std::sync::Arc;

use ndarray::Array2;
use workbench_ground::stats::{Stream, normal_array2};
use workbench_ledger::{Failure, Setting};
use workbench_memformer::{Head, Prompts};

use super::task_law::{DIM, EXAMPLES, law};

/// Rows of Z: a covariate of d entries and a label.
pub const WIDTH: usize = DIM + 1;

/// A batch of prompts with d = 5 and n = 20, of the law that Section 3.3 trains on.
pub fn prompts(setting: &Setting) -> Result<Arc<Prompts>, Failure> {
    let size = setting.scale().pick(20_000, 100_000);
    setting.shared("prompts of Section 2.1", |own| {
        Ok(Prompts::draw(&law(own)?, EXAMPLES, size, &mut own.stream("prompts")?)?)
    })
}

/// A head with free matrices: normal entries of the given sizes in P and in Q.
pub fn free_head(stream: &mut Stream, p: f64, q: f64) -> Result<Head, Failure> {
    let left = p * normal_array2(stream, WIDTH, WIDTH);
    Ok(Head::new(left, q * normal_array2(stream, WIDTH, WIDTH))?)
}

/// The softmax as it is written down: each column of the scores, exponentiated and divided by its sum.
pub fn softmax_of_columns(scores: &Array2<f64>) -> Array2<f64> {
    let e = scores.mapv(f64::exp);
    &e / &e.sum_axis(ndarray::Axis(0))
}
