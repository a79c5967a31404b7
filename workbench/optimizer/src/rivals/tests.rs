//! The LSTM optimizers against PyTorch's LSTM, complex steps, and what every optimizer has to do.

use workbench_ground::stats::Streams;

use super::*;
use crate::cell::Cell;
use crate::classical::conformance::conforms;
use crate::learned::tests::follows_its_definition;
use crate::meta::tests::agrees_with_complex_steps;
use crate::{Layout, Learned, Optimizer, Preprocess};

include!("testdata/lstm.in");

fn small(form: LstmForm) -> LstmForm {
    LstmForm { hidden: 3, ..form }
}

fn cell(form: LstmForm) -> (Lstm, Vec<f64>) {
    let cell = Lstm::new(form).unwrap();
    let mut stream = Streams::new(5).stream("weights").unwrap();
    let mut weights = cell.start(&mut stream).unwrap();
    weights.iter_mut().for_each(|w| *w += 0.1 * stream.normal());
    (cell, weights)
}

fn forms() -> [LstmForm; 4] {
    let scaled = LstmForm { embedding: false, ..LstmForm::rnnprop() };
    let embedded =
        LstmForm { embedding: true, layers: 1, inputs: Inputs::Gradient(Preprocess::code()), ..LstmForm::default() };
    [LstmForm::default(), LstmForm::rnnprop(), scaled, embedded]
}

#[test]
fn updates_are_those_of_pytorch() {
    let cell = Lstm::new(small(LstmForm::default())).unwrap();
    let weights: Vec<f64> = (0..cell.trained()).map(|i| 0.6 * (0.37 * i as f64).sin()).collect();
    let mut rule = Learned::plain(cell, weights, Layout::of(&[("x", &[1])]).unwrap()).unwrap();
    for (gradient, update) in GRADIENTS.iter().zip(UPDATES) {
        let mut x = [0.0];
        rule.step(&mut x, &[*gradient]).unwrap();
        assert!((x[0] - update).abs() < 1e-16, "{} {update}", x[0]);
    }
}

#[test]
fn counts_are_those_of_the_layouts() {
    for form in forms() {
        for hidden in [1, 3, 20] {
            let form = LstmForm { hidden, ..form };
            assert_eq!(Lstm::new(form).unwrap().trained(), form.trained());
        }
        let matched = form.matching(4385);
        for hidden in [matched.hidden - 1, matched.hidden + 1] {
            let other = LstmForm { hidden, ..form }.trained();
            assert!(other.abs_diff(4385) >= matched.trained().abs_diff(4385));
        }
    }
}

#[test]
fn gradients_of_windows_are_complex_steps() {
    for form in forms() {
        let (cell, weights) = cell(small(form));
        agrees_with_complex_steps(&cell, &weights);
    }
}

#[test]
fn lstm_optimizers_conform_and_run_over_registers() {
    for form in forms() {
        let (cell, weights) = cell(small(form));
        conforms(&|layout| Ok(Box::new(Learned::plain(cell.clone(), weights.clone(), layout)?)));
        conforms(&|layout| Ok(Box::new(Learned::fused(cell.clone(), weights.clone(), layout)?)));
        follows_its_definition(&cell, &weights);
    }
}

/// Scaled inputs do not change when all gradients are multiplied; bounded updates stay within their bound.
#[test]
fn rnnprop_does_not_see_the_scale_of_gradients() {
    let (cell, weights) = cell(LstmForm::rnnprop());
    let layout = Layout::of(&[("x", &[3])]).unwrap();
    let make = || Learned::plain(cell.clone(), weights.clone(), layout.clone()).unwrap();
    let (mut one, mut two) = (make(), make());
    let mut stream = Streams::new(5).stream("gradients").unwrap();
    for _ in 0..20 {
        let gradient: Vec<f64> = (0..3).map(|_| stream.normal()).collect();
        let larger: Vec<f64> = gradient.iter().map(|g| 1e4 * g).collect();
        let (mut a, mut b) = ([0.0; 3], [0.0; 3]);
        one.step(&mut a, &gradient).unwrap();
        two.step(&mut b, &larger).unwrap();
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-7 && a.abs() <= 0.1));
    }
}

#[test]
fn bad_forms_are_refused() {
    let beta = Inputs::Scaled { beta1: 1.0, beta2: 0.9, epsilon: 1e-8 };
    let base = LstmForm::default();
    let bad = [
        LstmForm { hidden: 0, ..base },
        LstmForm { layers: 0, ..base },
        LstmForm { inputs: beta, ..base },
        LstmForm { output: Output::Bounded(0.0), ..base },
    ];
    assert!(bad.into_iter().all(|form| Lstm::new(form).is_err()));
}
