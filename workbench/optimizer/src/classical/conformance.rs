//! Conformance tests of every optimizer.

use crate::{Error, Layout, Optimizer, Saved};

/// Makes an optimizer for a layout.
pub(crate) type Make<'a> = &'a dyn Fn(Layout) -> Result<Box<dyn Optimizer>, Error>;

fn layout() -> Layout {
    Layout::of(&[("layers.0.weight", &[3, 2]), ("layers.0.bias", &[3]), ("head", &[20])]).unwrap()
}

/// Gradients of a bowl that is ten times steeper along each third coordinate, with a kick that changes from step to step.
fn gradient(theta: &[f64], step: usize) -> Vec<f64> {
    let steep = |i: usize| if i.is_multiple_of(3) { 10.0 } else { 1.0 };
    let kick = |i: usize| 0.1 * ((step * 7 + i * 3) as f64).sin();
    theta.iter().enumerate().map(|(i, x)| steep(i) * x + kick(i)).collect()
}

fn bits(theta: &[f64]) -> Vec<u64> {
    theta.iter().map(|x| x.to_bits()).collect()
}

fn run(optimizer: &mut dyn Optimizer, theta: &mut [f64], steps: std::ops::Range<usize>) {
    for step in steps {
        let gradient = gradient(theta, step);
        optimizer.step(theta, &gradient).unwrap();
    }
}

fn start() -> Vec<f64> {
    (0..layout().len()).map(|i| 1.0 + 0.1 * (i as f64).cos()).collect()
}

/// All of it.
pub(crate) fn conforms(make: Make<'_>) {
    repeats(make);
    refuses(make);
    resumes(make);
    refuses_states_of_others(make);
    takes_an_empty_layout(make);
}

fn repeats(make: Make<'_>) {
    let (mut a, mut b) = (start(), start());
    let (mut first, mut second) = (make(layout()).unwrap(), make(layout()).unwrap());
    assert!(!first.name().is_empty() && *first.layout() == layout() && first.steps() == 0);
    run(&mut first, &mut a, 0..12);
    run(&mut second, &mut b, 0..12);
    assert_eq!(bits(&a), bits(&b), "{}", first.name());
    assert_ne!(bits(&a), bits(&start()));
    assert_eq!((first.steps(), first.save().steps), (12, 12));
}

fn refuses(make: Make<'_>) {
    let (mut theta, mut optimizer) = (start(), make(layout()).unwrap());
    run(&mut optimizer, &mut theta, 0..3);
    let (before, saved) = (bits(&theta), optimizer.save());
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut gradient = gradient(&theta, 3);
        gradient[7] = bad;
        let error = optimizer.step(&mut theta, &gradient).unwrap_err().to_string();
        assert!(error.contains("layers.0.bias[1]"), "{}: {error}", optimizer.name());
        assert_eq!((bits(&theta), optimizer.save()), (before.clone(), saved.clone()));
    }
    let right = gradient(&theta, 3);
    assert!(matches!(optimizer.step(&mut theta, &right[1..]), Err(Error::Shape { .. })));
    let mut short = theta[1..].to_vec();
    assert!(matches!(optimizer.step(&mut short, &right[1..]), Err(Error::Shape { .. })));
    assert_eq!((bits(&theta), optimizer.save()), (before, saved));
}

fn resumes(make: Make<'_>) {
    let (mut theta, mut whole) = (start(), make(layout()).unwrap());
    run(&mut whole, &mut theta, 0..5);
    let (mut copy, bytes) = (theta.clone(), whole.save().to_bytes());
    run(&mut whole, &mut theta, 5..11);
    let mut resumed = make(layout()).unwrap();
    let mut elsewhere = start();
    run(&mut resumed, &mut elsewhere, 0..2);
    resumed.restore(&Saved::from_bytes(&bytes).unwrap()).unwrap();
    run(&mut resumed, &mut copy, 5..11);
    assert_eq!(bits(&theta), bits(&copy), "{}", whole.name());
    assert_eq!(whole.save(), resumed.save());
}

fn refuses_states_of_others(make: Make<'_>) {
    let (mut theta, mut optimizer) = (start(), make(layout()).unwrap());
    run(&mut optimizer, &mut theta, 0..2);
    let saved = optimizer.save();
    let mut renamed = saved.clone();
    renamed.name.push('x');
    let mut shorter = saved.clone();
    shorter.numbers.push(0.0);
    let mut other = saved.clone();
    other.tensors[0].shape = vec![2, 3];
    let mut set = saved.clone();
    set.settings.push(1.0);
    for bad in [renamed, shorter, other, set] {
        assert!(optimizer.restore(&bad).is_err());
        assert_eq!(optimizer.save(), saved);
    }
}

fn takes_an_empty_layout(make: Make<'_>) {
    let mut optimizer = make(Layout::of(&[]).unwrap()).unwrap();
    optimizer.step(&mut [], &[]).unwrap();
    assert_eq!(optimizer.steps(), 1);
}
