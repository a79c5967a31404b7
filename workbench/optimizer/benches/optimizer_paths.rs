//! Hot paths of optimizers: one step on a vector of parameters.

use divan::{Bencher, counter::ItemsCount};
use workbench_ground::stats::Streams;
use workbench_optimizer::cell::{Cell, Form, Mnemosyne};
use workbench_optimizer::classical::{Adam, AdamSettings};
use workbench_optimizer::{Layout, Learned, Optimizer};

const PARAMETERS: usize = 4096;

fn main() {
    divan::main();
}

fn layout() -> Layout {
    Layout::of(&[("w", &[PARAMETERS])]).unwrap()
}

fn step(bencher: Bencher, mut rule: impl Optimizer) {
    let mut stream = Streams::new(1).stream("gradient").unwrap();
    let gradient: Vec<f64> = (0..PARAMETERS).map(|_| stream.normal()).collect();
    let mut theta = vec![0.0; PARAMETERS];
    bencher.counter(ItemsCount::new(PARAMETERS)).bench_local(|| rule.step(&mut theta, &gradient));
}

/// The light cell, fused over registers.
#[divan::bench]
fn learned_step(bencher: Bencher) {
    let cell = Mnemosyne::new(Form::light()).unwrap();
    let weights = cell.start(&mut Streams::new(1).stream("weights").unwrap()).unwrap();
    step(bencher, Learned::fused(cell, weights, layout()).unwrap());
}

#[divan::bench]
fn adam_step(bencher: Bencher) {
    step(bencher, Adam::new(layout(), AdamSettings::default()).unwrap());
}
