//! The best that shared numbers can do after l layers, in closed form, for the laws of Section 3.3.
//!
//! With A_l = a_l Sigma^{-1} everything happens in coordinates in which covariates are white, and after l layers the error is p(H~) w~*
//! with one polynomial p of degree l, p(0) = 1, for all prompts. The best p is that of conjugate gradients on the direct sum of many
//! prompts. Its zeros are real and positive, so plain preconditioned descent, without any register, ends there too.

use std::sync::Arc;

use workbench_ledger::{Failure, Setting};
use workbench_memformer::{
    Architecture, Curve, Measure, Parameters, Prompts, Quadratic, SingleMemory, TaskLaw, best_shared_memory,
    one_layer_best, one_layer_loss,
};

use super::task_law::{DIM, EXAMPLES};
use super::trained_memformers::{Reading, field};

/// Rates a_1, ..., a_L of the best polynomial of each degree L up to `depth`, for white covariates in `d` dimensions.
pub fn best_rates(
    own: &Setting,
    (d, n): (usize, usize),
    depth: usize,
    size: usize,
    name: &str,
) -> Result<Vec<Vec<f64>>, Failure> {
    let prompts = Prompts::draw(&TaskLaw::isotropic(d)?, n, size, &mut own.stream(name)?)?;
    let batch = Quadratic::of_batch(&prompts.statistics()?)?;
    let best = best_shared_memory(&batch, depth, &Measure::Distance)?.method;
    let cut = |l: usize| Ok(SingleMemory::new(best.alpha[..l].to_vec(), best.gamma[..l].to_vec())?.memoryless()?);
    (1..=depth).map(cut).collect()
}

/// Linear transformers with A_l = a_l Sigma^{-1}, run after run, of 1, 2, ... layers.
pub fn optimal(rates: &[Vec<f64>], laws: &[TaskLaw]) -> Result<Vec<Parameters>, Failure> {
    let mut models = Vec::new();
    for law in laws {
        for rates in rates {
            let mut model = Parameters::neutral(Architecture::new(rates.len(), law.dim())?);
            for (l, a) in rates.iter().enumerate() {
                model.set_a(l, &(*a * law.truth_covariance()))?;
            }
            models.push(model);
        }
    }
    Ok(models)
}

/// The rates for d = 5, n = 20, up to five layers.
pub fn rates(setting: &Setting) -> Result<Arc<Vec<Vec<f64>>>, Failure> {
    setting.shared("best rates of Section 3.3", |own| {
        best_rates(own, (DIM, EXAMPLES), DIM, own.scale().pick(10_000, 50_000), "optimum")
    })
}

/// Loss of the best shared numbers on the fresh prompts.
pub fn optimum(setting: &Setting, reading: Reading) -> Result<Arc<Curve>, Failure> {
    setting.shared(&format!("best shared numbers, {reading:?}"), |own| {
        let field = field(own, reading)?;
        Ok(Curve::of_models(&optimal(&rates(own)?, &field.laws)?, &field.tests)?)
    })
}

/// Exact loss of the fitted rate for one layer over the least possible.
pub fn one_layer_excess(setting: &Setting) -> Result<f64, Failure> {
    let fitted = one_layer_loss(rates(setting)?[0][0], EXAMPLES, DIM)?;
    Ok(fitted / one_layer_loss(one_layer_best(EXAMPLES, DIM)?, EXAMPLES, DIM)?)
}
