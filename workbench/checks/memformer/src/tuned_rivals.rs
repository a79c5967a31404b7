//! The rivals of Appendix B: Nesterov's method and momentum with the printed constants, and with the best of a grid.
//!
//! A rival stands at its best in the metric that scores it: pairs are searched for the least logarithm of the mean loss after the very
//! number of steps at which they are compared. The grid runs on prompts set aside; its best pairs then run on the test prompts
//! themselves, and the best of those is taken, which favours the rival.

use std::sync::Arc;

use workbench_ground::stats::{Estimate, paired_difference};
use workbench_ledger::{Failure, Setting};
use workbench_memformer::{Averaging, Curve, Family, Grid, Score, TestSet};

use super::task_law::EXAMPLES;
use super::trained_memformers::{Field, Reading, field};

/// Longest horizon at which constants are compared.
pub const HORIZON: usize = 30;
/// Pairs of the grid that run on the test prompts.
const FINALISTS: usize = 6;
/// Rates from 0.005 to 2.1 and memories from 0 to 0.95.
const RATES: (f64, f64, i32) = (0.005, 1.3, 24);
/// Memories of the grid.
pub const BETAS: [f64; 12] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95];

/// The printed pair.
pub fn printed(family: Family) -> (f64, f64) {
    match family {
        Family::Nesterov => (0.03, 0.9),
        Family::Momentum => (0.005, 0.9),
    }
}

/// A pair of constants and its loss on the test prompts.
pub struct Rival {
    /// Rate.
    pub rate: f64,
    /// Memory.
    pub beta: f64,
    /// Loss after each step.
    pub curve: Curve,
}

/// A pair of constants on the test prompts.
pub fn constant(field: &Field, family: Family, (rate, beta): (f64, f64), steps: usize) -> Result<Rival, Failure> {
    let curve = Curve::of_method(&family.method(rate, beta, steps)?, &field.tests, steps)?;
    Ok(Rival { rate, beta, curve })
}

/// The printed pair, and the same with the gradient of the sum over examples, n times that of (2.11).
pub fn as_printed(setting: &Setting, family: Family, steps: usize) -> Result<Arc<[Rival; 2]>, Failure> {
    setting.shared(&format!("{family:?} as printed, {steps} steps"), |own| {
        let (field, (rate, beta)) = (field(own, Reading::Variances)?, printed(family));
        Ok([
            constant(&field, family, (rate, beta), steps)?,
            constant(&field, family, (EXAMPLES as f64 * rate, beta), steps)?,
        ])
    })
}

/// Every pair of the grid on prompts set aside.
pub fn grid(setting: &Setting, reading: Reading, family: Family, betas: &[f64]) -> Result<Arc<Grid>, Failure> {
    setting.shared(&format!("grid of {family:?}, {betas:?}, {reading:?}"), |own| {
        let field = field(own, reading)?;
        let size = own.scale().pick(200, 600);
        let tuning = TestSet::draw(&field.laws[0], EXAMPLES, size, &mut own.stream("tuning prompts")?)?;
        let rates: Vec<f64> = (0..RATES.2).map(|i| RATES.0 * RATES.1.powi(i)).collect();
        Ok(Grid::search_by(family, &tuning, (&rates, betas), HORIZON, Score::Query, Averaging::LogOfMeans)?)
    })
}

/// Memories that are customary (Goodfellow, Bengio and Courville 2016, Section 8.3.2), and rates in steps of 1, 3, 10 around the printed one:
/// the values that one would have tried who chose the printed pair.
const TRIED: ([f64; 3], [f64; 3]) = ([1.0 / 3.0, 1.0, 3.0], [0.5, 0.9, 0.99]);

/// The printed pair and its neighbours after four steps, for a gradient that is `times` that of (2.11).
pub struct Neighbour {
    /// Rate and memory of the best of eight neighbours, chosen on prompts set aside.
    pub pair: (f64, f64),
    /// Decades by which it is behind the printed pair.
    pub behind: Estimate,
    /// The same of the printed rate with a memory of 0.8.
    pub shorter: Estimate,
}

/// What the neighbours of the printed pair reach, on batches of their own: two pairs that are near each other differ by less than five
/// runs tell apart.
pub fn neighbour(setting: &Setting, family: Family, times: f64, steps: usize) -> Result<Arc<Neighbour>, Failure> {
    setting.shared(&format!("neighbours of {family:?}, {times} times"), |own| {
        let (laws, (rate, beta)) = (&field(own, Reading::Variances)?.laws, printed(family));
        let at = (times * rate, beta);
        let draw = |name: &str, i: usize| -> Result<TestSet, Failure> {
            Ok(TestSet::draw(&laws[i % laws.len()], EXAMPLES, 10_000, &mut own.streams().replicate(name, i)?)?)
        };
        let loss = |test: &TestSet, (rate, beta): (f64, f64)| -> Result<f64, Failure> {
            Ok(test.losses(&family.method(rate, beta, steps)?, steps)?.log_of_means(Score::Query)[steps])
        };
        let aside = (0..laws.len()).map(|i| draw("neighbours, set aside", i)).collect::<Result<Vec<_>, _>>()?;
        let mut best = (f64::INFINITY, at);
        for pair in TRIED.0.iter().flat_map(|f| TRIED.1.map(|beta| (f * at.0, beta))).filter(|pair| *pair != at) {
            let all = aside.iter().map(|test| loss(test, pair)).sum::<Result<f64, Failure>>()?;
            if all < best.0 {
                best = (all, pair);
            }
        }
        let (mut here, mut there, mut shorter) = (Vec::new(), Vec::new(), Vec::new());
        // After small steps batches are alike; after large ones a few prompts decide.
        let batches = if times == 1.0 { 10 } else { own.scale().pick(60, 200) };
        for i in 0..batches {
            let test = draw("neighbours", i)?;
            here.push(loss(&test, at)?);
            there.push(loss(&test, best.1)?);
            shorter.push(loss(&test, (at.0, 0.8))?);
        }
        let behind = |losses: &[f64]| paired_difference(losses, &here);
        Ok(Neighbour { pair: best.1, behind: behind(&there)?, shorter: behind(&shorter)? })
    })
}

/// The best pair after `steps` steps; with `plain` the best gradient descent.
fn search(
    setting: &Setting,
    reading: Reading,
    (family, plain): (Family, bool),
    steps: usize,
) -> Result<Arc<Rival>, Failure> {
    let name = format!("best {family:?}, plain {plain}, {steps} steps, {reading:?}");
    setting.shared(&name, |own| {
        let field = field(own, reading)?;
        let betas: &[f64] = if plain { &[0.0] } else { &BETAS };
        let ranked = grid(own, reading, family, betas)?.ranked(steps);
        let mut best: Option<(f64, Rival)> = None;
        for pair in ranked.into_iter().take(FINALISTS) {
            let rival = constant(&field, family, (pair.rate, pair.beta), steps)?;
            let loss = rival.curve.line(Score::Query, Averaging::LogOfMeans)[steps];
            if best.as_ref().is_none_or(|(least, _)| loss < *least) {
                best = Some((loss, rival));
            }
        }
        best.map(|(_, rival)| rival).ok_or_else(|| Failure::from("no pair of the grid has a finite loss"))
    })
}

/// The best pair after `steps` steps, D as printed.
pub fn best(setting: &Setting, family: Family, steps: usize) -> Result<Arc<Rival>, Failure> {
    best_at(setting, Reading::Variances, family, steps)
}

/// The same for one reading of D.
pub fn best_at(setting: &Setting, reading: Reading, family: Family, steps: usize) -> Result<Arc<Rival>, Failure> {
    search(setting, reading, (family, false), steps)
}

/// Gradient descent with the best constant step after `steps` steps.
pub fn best_descent(setting: &Setting, reading: Reading, steps: usize) -> Result<Arc<Rival>, Failure> {
    search(setting, reading, (Family::Momentum, true), steps)
}
