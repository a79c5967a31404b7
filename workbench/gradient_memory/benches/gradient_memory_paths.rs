//! Hot path of gradient steps: one pair absorbed by each rule.

use divan::Bencher;
use workbench_gradient_memory::{GradientStep, Loss, RecursiveLeastSquares, UpdateRule};
use workbench_ground::stats::{Streams, normal_array2};

fn main() {
    divan::main();
}

fn step(bencher: Bencher, mut rule: impl UpdateRule) {
    let mut stream = Streams::new(1).stream("pairs").unwrap();
    let (key, value) = (0.1 * normal_array2(&mut stream, 1, 64), normal_array2(&mut stream, 1, 64));
    bencher.bench_local(|| rule.step(&key, &value));
}

/// An outer product added to a matrix of 64 by 64.
#[divan::bench]
fn outer_product_step(bencher: Bencher) {
    step(bencher, GradientStep::new(64, 64, 0.1, Loss::Squared).unwrap());
}

#[divan::bench]
fn recursive_least_squares_step(bencher: Bencher) {
    step(bencher, RecursiveLeastSquares::new(64, 64, 1.0, 1.0).unwrap());
}
