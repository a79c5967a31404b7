//! The classical rules against PyTorch's numbers, and against what every optimizer has to do.

use super::conformance::conforms;
use super::*;
use crate::{Error, Layout, Optimizer};

include!("testdata/trajectories.in");

fn layout(n: usize) -> Layout {
    Layout::of(&[("x", &[n])]).unwrap()
}

fn quadratic(x: &[f64]) -> Vec<f64> {
    let (scale, centre) = ([1.0, 4.0, 25.0], [0.5, -1.0, 0.25]);
    (0..3).map(|i| scale[i] * (x[i] - centre[i])).collect()
}

fn rosenbrock(x: &[f64]) -> Vec<f64> {
    let valley = x[1] - x[0] * x[0];
    vec![-400.0 * x[0] * valley - 2.0 * (1.0 - x[0]), 200.0 * valley]
}

/// After steps 1, 2, 10 and 50.
fn trajectory(mut rule: Box<dyn Optimizer>, start: &[f64], gradient: fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let (mut x, mut kept) = (start.to_vec(), Vec::new());
    for step in 1..=50 {
        let g = gradient(&x);
        rule.step(&mut x, &g).unwrap();
        if [1, 2, 10, 50].contains(&step) {
            kept.extend(&x);
        }
    }
    kept
}

fn agrees(name: &str, make: impl Fn(Layout) -> Box<dyn Optimizer>, bowl: &[f64], valley: &[f64]) {
    let ours =
        [trajectory(make(layout(3)), &[1.0; 3], quadratic), trajectory(make(layout(2)), &[-0.5, 0.7], rosenbrock)];
    for (ours, theirs) in ours.iter().zip([bowl, valley]) {
        assert_eq!(ours.len(), theirs.len());
        for (a, b) in ours.iter().zip(theirs) {
            assert!((a - b).abs() < 4e-14 * (1.0 + b.abs()), "{name}: {a} is not {b}");
        }
    }
}

fn sgd(settings: SgdSettings) -> impl Fn(Layout) -> Box<dyn Optimizer> {
    move |layout| Box::new(Sgd::new(layout, settings).unwrap())
}

fn momentum() -> SgdSettings {
    SgdSettings { rate: 5e-4, momentum: 0.9, ..SgdSettings::default() }
}

#[test]
fn descent_agrees_with_pytorch() {
    let plain = SgdSettings::default();
    let decay = SgdSettings { weight_decay: 0.1, ..plain };
    let dampened = SgdSettings { dampening: 0.3, weight_decay: 0.01, ..momentum() };
    let nesterov = SgdSettings { nesterov: true, ..momentum() };
    agrees("sgd", sgd(plain), &SGD_QUADRATIC, &SGD_ROSENBROCK);
    agrees("decay", sgd(decay), &SGD_DECAY_QUADRATIC, &SGD_DECAY_ROSENBROCK);
    agrees("momentum", sgd(momentum()), &MOMENTUM_QUADRATIC, &MOMENTUM_ROSENBROCK);
    agrees("dampened", sgd(dampened), &DAMPENED_QUADRATIC, &DAMPENED_ROSENBROCK);
    agrees("nesterov", sgd(nesterov), &NESTEROV_QUADRATIC, &NESTEROV_ROSENBROCK);
}

#[test]
fn rmsprop_agrees_with_pytorch() {
    let all =
        RmsPropSettings { rate: 1e-3, alpha: 0.95, epsilon: 1e-6, momentum: 0.8, centered: true, weight_decay: 0.02 };
    let make = |settings| move |layout| Box::new(RmsProp::new(layout, settings).unwrap()) as Box<dyn Optimizer>;
    let plain = make(RmsPropSettings::default());
    agrees("rmsprop", plain, &RMSPROP_QUADRATIC, &RMSPROP_ROSENBROCK);
    agrees("all", make(all), &RMSPROP_ALL_QUADRATIC, &RMSPROP_ALL_ROSENBROCK);
}

#[test]
fn adam_agrees_with_pytorch() {
    let all = AdamSettings { rate: 1e-2, beta1: 0.8, beta2: 0.95, epsilon: 1e-4, weight_decay: 0.05 };
    let plain = AdamSettings { rate: 3e-2, ..AdamSettings::default() };
    let decoupled = AdamSettings { rate: 1e-2, weight_decay: 0.01, ..AdamSettings::default() };
    let adam = |settings| move |layout| Box::new(Adam::new(layout, settings).unwrap()) as Box<dyn Optimizer>;
    let adamw = |layout| Box::new(AdamW::new(layout, decoupled).unwrap()) as Box<dyn Optimizer>;
    agrees("adam", adam(plain), &ADAM_QUADRATIC, &ADAM_ROSENBROCK);
    agrees("all", adam(all), &ADAM_ALL_QUADRATIC, &ADAM_ALL_ROSENBROCK);
    agrees("adamw", adamw, &ADAMW_QUADRATIC, &ADAMW_ROSENBROCK);
}

#[test]
fn the_classical_rules_conform() {
    let nesterov = SgdSettings { nesterov: true, ..momentum() };
    let centered = RmsPropSettings { centered: true, momentum: 0.5, ..RmsPropSettings::default() };
    conforms(&|layout| Ok(Box::new(Sgd::new(layout, SgdSettings::default())?)));
    conforms(&|layout| Ok(Box::new(Sgd::new(layout, momentum())?)));
    conforms(&|layout| Ok(Box::new(Sgd::new(layout, nesterov)?)));
    conforms(&|layout| Ok(Box::new(RmsProp::new(layout, RmsPropSettings::default())?)));
    conforms(&|layout| Ok(Box::new(RmsProp::new(layout, centered)?)));
    conforms(&|layout| Ok(Box::new(Adam::new(layout, AdamSettings::default())?)));
    conforms(&|layout| Ok(Box::new(AdamW::new(layout, AdamSettings::default())?)));
}

#[test]
fn settings_out_of_range_are_refused() {
    for rate in [0.0, -1.0, f64::NAN] {
        let settings = SgdSettings { rate, ..momentum() };
        assert!(matches!(Sgd::new(layout(1), settings), Err(Error::Parameter { name: "rate", .. })));
        let settings = AdamSettings { rate, ..AdamSettings::default() };
        assert!(Adam::new(layout(1), settings).is_err() && AdamW::new(layout(1), settings).is_err());
        let settings = RmsPropSettings { rate, ..RmsPropSettings::default() };
        assert!(RmsProp::new(layout(1), settings).is_err());
    }
    let no_momentum = SgdSettings { nesterov: true, ..SgdSettings::default() };
    assert!(Sgd::new(layout(1), no_momentum).is_err());
    let beta = AdamSettings { beta2: 1.0, ..AdamSettings::default() };
    assert!(Adam::new(layout(1), beta).is_err());
}
