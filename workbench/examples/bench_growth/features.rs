//! Random features, the memories made of them, and attention.

use ndarray::Array2;
use workbench::features::compact::{CompactMemory, DenseMemory, Interaction, Patterns};
use workbench::features::{
    Direction, Draws, FeatureMap, KernelMemory, LinearAttention, ThickMemory, rho_grid, softmax_attention,
};
use workbench::ndarray;
use workbench::stats::{Streams, normal_array2};

use crate::meter::Meter;
use crate::{Computation, Outcome};

pub const ROWS: &[(&str, Computation)] = &[
    ("draws-dim", draws),
    ("map-tokens", |n, meter| map(n, 256, 64, meter)),
    ("map-features", |r, meter| map(512, r, 64, meter)),
    ("map-dim", |dim, meter| map(512, 256, dim, meter)),
    ("write-patterns", |n, meter| write(n, 128, meter)),
    ("write-features", |r, meter| write(2048, r, meter)),
    ("read-features", read),
    ("thick-patterns", thick),
    ("linear-tokens", |n, meter| linear(n, 128, Direction::Bidirectional, meter)),
    ("linear-features", |r, meter| linear(4096, r, Direction::Bidirectional, meter)),
    ("causal-tokens", |n, meter| linear(n, 128, Direction::Causal, meter)),
    ("softmax-tokens", softmax),
    ("compact-patterns", compact),
    ("dense-patterns", dense),
];

/// Dimension of keys and values.
const DIM: usize = 64;

/// Vectors of the size at which softmax attention is neither flat nor a maximum.
fn vectors(name: &str, n: usize, dim: usize) -> Outcome<Array2<f64>> {
    Ok(normal_array2(&mut Streams::new(1).stream(name)?, n, dim) / (dim as f64).powf(0.25))
}

fn favor(r: usize, dim: usize) -> Outcome<FeatureMap> {
    Ok(FeatureMap::favor_plus(Draws::block_orthogonal(r, dim, &mut Streams::new(2).stream("projections")?)?)?)
}

fn draws(dim: usize, meter: &mut Meter) -> Outcome<()> {
    meter.run(|| Ok(Draws::block_orthogonal(2048, dim, &mut Streams::new(1).stream("projections")?)?))
}

fn map(n: usize, r: usize, dim: usize, meter: &mut Meter) -> Outcome<()> {
    let (map, z) = (favor(r, dim)?, vectors("z", n, dim)?);
    meter.run(|| Ok(map.log_features_of_rows(&z)?))
}

fn write(n: usize, r: usize, meter: &mut Meter) -> Outcome<()> {
    let (keys, values) = (vectors("keys", n, DIM)?, vectors("values", n, DIM)?);
    let empty = KernelMemory::new(favor(r, DIM)?, DIM, 1.0)?;
    meter.run(|| {
        let mut memory = empty.clone();
        memory.absorb_rows(&keys, &values)?;
        Ok(memory)
    })
}

fn read(r: usize, meter: &mut Meter) -> Outcome<()> {
    let (keys, values) = (vectors("keys", 16, DIM)?, vectors("values", 16, DIM)?);
    let mut memory = KernelMemory::new(favor(r, DIM)?, DIM, 1.0)?;
    memory.absorb_rows(&keys, &values)?;
    let query = keys.row(0).to_owned();
    meter.run(|| Ok(memory.read(&query)?))
}

fn thick(n: usize, meter: &mut Meter) -> Outcome<()> {
    let (keys, values) = (vectors("keys", n, DIM)?, vectors("values", n, DIM)?);
    let draws = Draws::block_orthogonal(64, DIM, &mut Streams::new(2).stream("projections")?)?;
    let empty = ThickMemory::new(&draws, &rho_grid(8)?, DIM)?;
    meter.run(|| {
        let mut memory = empty.clone();
        memory.absorb_rows(&keys, &values)?;
        Ok(memory)
    })
}

fn linear(n: usize, r: usize, direction: Direction, meter: &mut Meter) -> Outcome<()> {
    let attention = LinearAttention::new(&favor(r, DIM)?)?;
    let single = |name| -> Outcome<Array2<f32>> { Ok(vectors(name, n, DIM)?.mapv(|x| x as f32)) };
    let (q, k, v) = (single("q")?, single("k")?, single("v")?);
    meter.run(|| Ok(attention.forward(&q, &k, &v, direction)?))
}

fn softmax(n: usize, meter: &mut Meter) -> Outcome<()> {
    let (q, k, v) = (vectors("q", n, DIM)?, vectors("k", n, DIM)?, vectors("v", n, DIM)?);
    meter.run(|| Ok(softmax_attention(&q, &k, &v, Direction::Bidirectional)?))
}

fn compact(m: usize, meter: &mut Meter) -> Outcome<()> {
    let patterns = Patterns::random(m, DIM, &mut Streams::new(1).stream("patterns")?)?;
    let map = favor(512, DIM)?;
    meter.run(|| Ok(CompactMemory::of(map.clone(), &patterns)?))
}

fn dense(m: usize, meter: &mut Meter) -> Outcome<()> {
    let patterns = Patterns::random(m, DIM, &mut Streams::new(1).stream("patterns")?)?;
    let state = patterns.pattern(0)?;
    let memory = DenseMemory::new(patterns, Interaction::Exponential);
    meter.run(|| Ok(memory.flip_change(&state, 3)?))
}
