//! Profiles and draws of output embeddings, for Lemma 3 and its proof (B.1).

use std::sync::Arc;

use ndarray::Array2;
use workbench_ground::stats::{Estimate, Stream, mean, normal_array2};
use workbench_ledger::{Failure, Margin, Setting};
use workbench_memory::{AssociativeMemory, ConditionalDraws, Embeddings, Profile};

/// A bound is broken as soon as what it bounds exceeds it.
pub const BOUND: Margin =
    Margin::printed("the bound", 1.0, "a quantity over its bound: past one the bound is broken, by however little");

/// Cells in which a bound says something.
pub const MANY: Margin = Margin::ours(
    "informative",
    20.0,
    "with fewer than twenty cells in which the bound says anything, nothing has been tried",
);

/// Two ways to one integral.
pub const QUADRATURE: Margin =
    Margin::rounding("quadrature", 1e-9, "adaptive integrals are asked for eleven digits or more; two to spare");

/// Inputs of equal mass.
pub fn even(weights: &[f64], labels: &[usize], n_classes: usize) -> Result<Profile, Failure> {
    let masses = vec![1.0 / weights.len() as f64; weights.len()];
    Ok(Profile::from_weights(&masses, weights, labels, n_classes)?)
}

/// Inputs of equal mass, their classes in turn.
pub fn in_turn(weights: &[f64], n_classes: usize) -> Result<Profile, Failure> {
    even(weights, &turns(weights.len(), n_classes), n_classes)
}

/// The labels 0, 1, ..., M-1, 0, 1, ... of `n` inputs.
pub fn turns(n: usize, n_classes: usize) -> Vec<usize> {
    (0..n).map(|x| x % n_classes).collect()
}

/// One input of weight one in class 0, without mass, and an input of weight `q` in each of the other three classes.
pub fn beside_a_heavy_one(q: f64) -> Result<Profile, Failure> {
    let (masses, weights) = ([0.0, 0.4, 0.3, 0.3], [1.0, q, q, q]);
    Ok(Profile::from_weights(&masses, &weights, &[0, 1, 2, 3], 4)?)
}

/// Draws of output embeddings for four, five and sixteen classes.
pub struct Draws {
    /// Of M = 4.
    pub four: ConditionalDraws,
    /// Of M = 5.
    pub five: ConditionalDraws,
    /// Of M = 16.
    pub sixteen: ConditionalDraws,
}

/// The draws that all expected errors over random outputs use.
pub fn draws(setting: &Setting) -> Result<Arc<Draws>, Failure> {
    setting.shared("lemma 3: draws of outputs", |own| {
        let (n, mut stream) = (own.scale().pick(300, 2000), own.stream("draws")?);
        Ok(Draws {
            four: ConditionalDraws::new(4, n, &mut stream)?,
            five: ConditionalDraws::new(5, n, &mut stream)?,
            sixteen: ConditionalDraws::new(16, n, &mut stream)?,
        })
    })
}

/// The error expected over input and output embeddings, with its interval.
pub fn expected_error(draws: &ConditionalDraws, profile: &Profile, d: usize) -> Result<Estimate, Failure> {
    Ok(mean(&draws.expected_error(profile, d)?.to_vec())?)
}

/// The error of memories whose output embeddings are held fixed, inputs of equal mass, over `runs` draws of input embeddings.
pub fn simulate(
    outputs: &Array2<f64>,
    q: &[f64],
    labels: &[usize],
    runs: usize,
    stream: &mut Stream,
) -> Result<Estimate, Failure> {
    let p = vec![1.0 / q.len() as f64; q.len()];
    let mut errors = Vec::with_capacity(runs);
    for _ in 0..runs {
        let inputs = normal_array2(stream, q.len(), outputs.ncols());
        let e = Embeddings::from_parts(inputs, outputs.clone())?;
        errors.push(AssociativeMemory::store(&e, q, labels)?.generalization_error(&e, labels, &p)?);
    }
    Ok(mean(&errors)?)
}

/// Whether `a` exceeds `b` by more than rounding.
pub fn exceeds(a: f64, b: f64) -> bool {
    a > b * (1.0 + 1e-10) + 1e-300
}
