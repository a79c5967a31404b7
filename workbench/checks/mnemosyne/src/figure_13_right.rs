//! Figure 13, right: numbers of random features.
//!
//! **Claim** (`mnemosyne/fig-13-right`). Numbers of random features in the hyperbolic mechanism, compared.
//!
//! The sentence names no winner. What follows from it is the document's choice, r = 16; refuted by another number that ends lower by half of
//! what a wrong discount changes. What the kept trainings show beside that is that the number hardly matters there, from two features to
//! sixty-four. Why more features should help at all is exact: the variance of the kernel estimate falls as 1/r.

use workbench_features::moments::log_relative_variance;
use workbench_features::{Ensemble, FeatureMap, MapKind};
use workbench_ground::stats::{Estimate, Stream, mean};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};

use super::meta_curves::{ALIKE, DATA, OPEN, PICTURE, SCALED, again, best, figure, late, table, trend};
use crate::vocabulary::ROUNDING;

/// Numbers of features, and the variants that have them.
pub const SIZES: [(f64, &str); 6] =
    [(2.0, "r-2"), (4.0, "r-4"), (8.0, "r-8"), (16.0, "k-2"), (32.0, "r-32"), (64.0, "r-64")];

const SHOWN: [(&str, &str); 6] =
    [("k-2", "r = 16"), ("r-2", "r = 2"), ("r-4", "r = 4"), ("r-8", "r = 8"), ("r-32", "r = 32"), ("r-64", "r = 64")];

/// The width of the cell.
const DIM: usize = 8;
/// $\lVert q+k\rVert^2$ of the sample.
const V: f64 = 1.0;

/// Six numbers of features.
pub const CHECK: Check = Check {
    claim: "mnemosyne/fig-13-right",
    metric: "late log meta-loss, r = 16 minus the best other number; variance of the kernel estimate times r; sampled squared errors over the exact variance",
    against: "another number of features that ends lower by half of what a wrong discount changes; a variance that does not fall as 1/r",
    protocol: &["r = 16, the document's own, and others; hyperbolic features"],
    choices: &["r = 2, 4, 8, 16, 32, 64; kernel at |q + k|^2 = 1 in 8 dimensions, independent projections", DATA],
    departures: &[SCALED, OPEN, PICTURE, "the values of r are ours"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let best = best(s, &["r-2", "r-4", "r-8", "r-32", "r-64"])?;
    let label = "log meta-loss, r = 16 minus the best other number, late";
    s.printed(ALIKE).of("trainings").scaled_down().at_most(label, late(s, "k-2", best)?);
    let beside = s.aside(ALIKE).of("trainings").scaled_down();
    beside.equals("log meta-loss, r = 16 minus r = 64, late", 0.0, late(s, "k-2", "r-64")?);
    let slope = trend(s, &SIZES)?;
    let doublings = (SIZES[SIZES.len() - 1].0 / SIZES[0].0).ln();
    let label = "slope of the late log meta-loss in ln r, from r = 2 to 64 in all";
    beside.equals(label, 0.0, slope.affine(doublings, 0.0)?);
    let label = "no memory in the place of r = 16: log meta-loss minus the best other number, late";
    s.twin(ALIKE).of("trainings").at_most(label, late(s, "no-memory", best)?);
    s.note(format!(
        "slope of the late log meta-loss in ln r: {:.4} [{:.4}, {:.4}]; the best other number is {best}",
        slope.value, slope.low, slope.high
    ));

    let first = variance(MapKind::Hyperbolic, 2)?;
    for (size, _) in s.each("sizes", SIZES) {
        let found = variance(MapKind::Hyperbolic, size as usize)?;
        let off = |power: f64| (found * size.powf(power) / (first * 2f64.powf(power)) - 1.0).abs();
        s.printed(ROUNDING).same("variance of the kernel estimate times r, relative difference", off(1.0));
        s.twin(ROUNDING).largest().same("variance times the square of r, relative difference", off(2.0));
    }
    let (mut stream, draws) = (s.stream("features")?, s.knob("draws", s.scale().pick(4_000, 40_000), 100..)?);
    let label = "sampled squared error over the exact variance, all sizes";
    let right = sampled(MapKind::Hyperbolic, &mut stream, draws)?;
    s.printed(Margin::ZERO).of("draws").near(label, 1.0, right);
    let label = "over the variance of FAVOR+: sampled squared error";
    let wrong = sampled(MapKind::FavorPlus, &mut stream, draws)?;
    s.twin(Margin::ZERO).of("draws").near(label, 1.0, wrong);

    again(s, &SHOWN.map(|(name, _)| name))?;
    s.table(table(s, "Numbers of features, late in training", &SHOWN)?);
    s.figure(figure(s, "Two features train as well as sixty-four", &SHOWN)?);
    Ok(())
}

fn variance(kind: MapKind, r: usize) -> Result<f64, Failure> {
    Ok(log_relative_variance(kind, Ensemble::Independent, r, DIM, V)?.exp())
}

/// Squared errors of the estimate over the exact variance of a map, all sizes together.
fn sampled(kind: MapKind, stream: &mut Stream, draws: usize) -> Result<Estimate, Failure> {
    // q = k, so that |q + k|^2 = 4 |q|^2.
    let x = ndarray::Array1::from_elem(DIM, (0.25 * V / DIM as f64).sqrt());
    let mut errors = Vec::new();
    for (r, _) in SIZES {
        let (r, exact) = (r as usize, variance(kind, r as usize)?);
        for _ in 0..draws {
            let map = FeatureMap::draw(MapKind::Hyperbolic, Ensemble::Independent, r, DIM, stream)?;
            errors.push((map.kernel_estimate(&x, &x)? / x.dot(&x).exp() - 1.0).powi(2) / exact);
        }
    }
    Ok(mean(&errors)?)
}
