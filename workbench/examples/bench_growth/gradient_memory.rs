//! Gradient steps as memories: rules along a stream, and the optima.

use ndarray::Array2;
use workbench::gradient_memory::{
    GradientStep, Loss, RecursiveLeastSquares, UpdateRule, descend, pseudo_inverse_memory, retention_by_age,
    ridge_memory, run_stream,
};
use workbench::ndarray;
use workbench::stats::{Streams, normal_array2};

use crate::meter::Meter;
use crate::{Computation, Outcome};

pub const ROWS: &[(&str, Computation)] = &[
    ("step-examples", step),
    ("recursive-dim", recursive),
    ("stream-steps", stream),
    ("retention-pairs", |pairs, meter| retention(pairs, 2, meter)),
    ("retention-runs", |runs, meter| retention(200, runs, meter)),
    ("descend-examples", descent),
    ("pseudo-inverse-examples", pseudo_inverse),
    ("pseudo-inverse-many", pseudo_inverse_of_many),
    ("ridge-examples", |n, meter| ridge(n, DIM, meter)),
    ("ridge-dim", |d, meter| ridge(d, d, meter)),
];

/// Dimension of keys and values.
const DIM: usize = 32;

fn pairs(n: usize, dim: usize) -> Outcome<(Array2<f64>, Array2<f64>)> {
    let streams = Streams::new(1);
    let scale = (dim as f64).sqrt();
    let keys = normal_array2(&mut streams.stream("keys")?, n, dim) / scale;
    Ok((keys, normal_array2(&mut streams.stream("values")?, n, dim) / scale))
}

fn step(n: usize, meter: &mut Meter) -> Outcome<()> {
    let (keys, values) = pairs(n, DIM)?;
    let start = GradientStep::new(DIM, DIM, 1e-6, Loss::Squared)?;
    meter.run(|| {
        let mut rule = start.clone();
        rule.step(&keys, &values)?;
        Ok(rule)
    })
}

fn recursive(dim: usize, meter: &mut Meter) -> Outcome<()> {
    let (key, value) = pairs(1, dim)?;
    let mut rule = RecursiveLeastSquares::new(dim, dim, 1.0, 1.0)?;
    meter.run(|| Ok(rule.step(&key, &value)?))
}

fn stream(steps: usize, meter: &mut Meter) -> Outcome<()> {
    let (keys, values) = pairs(steps, DIM)?;
    meter.run(|| {
        let mut rule: Box<dyn UpdateRule> = Box::new(GradientStep::new(DIM, DIM, 0.1, Loss::Squared)?);
        Ok(run_stream(&mut rule, Loss::Squared, &keys, &values)?)
    })
}

fn retention(pairs: usize, runs: usize, meter: &mut Meter) -> Outcome<()> {
    let rule = GradientStep::new(DIM, DIM, 0.5, Loss::Squared)?;
    meter.run(|| Ok(retention_by_age(&rule, pairs, &[0, 10, 100], runs, &Streams::new(1), "ages")?))
}

fn descent(n: usize, meter: &mut Meter) -> Outcome<()> {
    let (keys, values) = pairs(n, DIM)?;
    // A tolerance that is not reached: as many steps at each size.
    meter.run(|| Ok(descend(Loss::Squared, &keys, &values, 0.0, 1e-300, 20)?))
}

fn pseudo_inverse(n: usize, meter: &mut Meter) -> Outcome<()> {
    let (keys, values) = pairs(n, DIM)?;
    meter.run(|| Ok(pseudo_inverse_memory(&keys, &values)?))
}

/// From where the decomposition takes the way that is linear; fewer pairs, as those that go before, would take the other.
const MANY: usize = 46_341;

fn pseudo_inverse_of_many(n: usize, meter: &mut Meter) -> Outcome<()> {
    if n < MANY { Err("too few pairs".into()) } else { pseudo_inverse(n, meter) }
}

fn ridge(n: usize, dim: usize, meter: &mut Meter) -> Outcome<()> {
    let (keys, values) = pairs(n, dim)?;
    meter.run(|| Ok(ridge_memory(&keys, &values, 0.1)?))
}
