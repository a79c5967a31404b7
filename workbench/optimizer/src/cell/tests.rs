//! Cells against their definitions.

use workbench_features::{Draws, FeatureMap, KernelMemory, MapKind, discount_of};
use workbench_ground::stats::{Stream, Streams};

use super::count::{cache_count, count, readings, state_of};
use super::*;
use crate::number::Complex;

include!("testdata/cell.in");

fn stream(name: &str) -> Stream {
    Streams::new(4).stream(name).unwrap()
}

fn small(memory: Memory) -> Form {
    Form { hidden: 5, feed_forward: 7, memory, output_scale: 0.3, ..Form::default() }
}

fn compact(map: MapKind) -> Memory {
    Memory::Compact { features: 6, map, tau: 0.1 }
}

pub(crate) fn forms() -> Vec<Form> {
    let mut all = vec![
        small(compact(MapKind::Hyperbolic)),
        small(compact(MapKind::FavorPlus)),
        small(compact(MapKind::FavorPlusPlus { a_hat: 0.3 })),
        small(compact(MapKind::HyperbolicPlusPlus { a_hat: 0.2 })),
        small(Memory::Cache { steps: 3 }),
        small(Memory::Cache { steps: 100 }),
        small(Memory::Average { tau: 0.2 }),
        small(Memory::None),
    ];
    all.push(Form { norm: false, attention_bias: true, ..all[0] });
    all.push(Form { feed_forward: 0, hidden: 9, encoders: 3, preprocess: Preprocess::code(), ..all[0] });
    all.push(Form { norm: false, feed_forward: 0, preprocess: Preprocess::Raw, ..all[4] });
    all
}

use crate::Preprocess;

/// Updates over a history of gradients.
fn updates(cell: &Mnemosyne, weights: &[f64], gradients: &[f64]) -> Vec<f64> {
    let (mut state, mut tape) = (vec![0.0; cell.state_len()], vec![0.0; cell.tape_len()]);
    let step = |(t, g): (usize, &f64)| {
        let mut update = [0.0];
        cell.step(weights, t as u64, &[*g], &mut state, &mut tape, &mut update);
        update[0]
    };
    gradients.iter().enumerate().map(step).collect()
}

#[test]
fn counts_are_those_of_the_layouts() {
    for form in forms().iter().chain(&readings(&Form::default())).chain(&readings(&Form::light())) {
        let (cell, count) = (Mnemosyne::new(*form).unwrap(), count(form).unwrap());
        let fixed = cell.weights().len() - cell.trained();
        assert_eq!((cell.trained(), fixed, cell.state_len()), (count.trained, count.fixed, count.state));
        let layout = Layout::of(&[("w", &[7, 2])]).unwrap();
        assert_eq!(state_of(form, &layout), 14 * count.state);
    }
    assert_eq!(readings(&Form::default()).len(), 16);
    let cache = cache_count(100, 16).unwrap();
    assert_eq!((cache.cache, cache.row, cache.map), (3200, 100, 5050));
    assert!(cache_count(0, 16).is_err());
}

/// The streaming cell against explicit attention over the whole history, written for PyTorch.
#[test]
fn updates_are_those_of_attention_over_the_whole_history() {
    let form = Form {
        hidden: 6,
        feed_forward: 7,
        output_scale: 0.3,
        memory: Memory::Compact { features: 4, map: MapKind::Hyperbolic, tau: 0.1 },
        ..Form::default()
    };
    let cell = Mnemosyne::new(form).unwrap();
    let mut weights: Vec<f64> = (0..cell.weights().len()).map(|i| 0.5 * (0.37 * i as f64 + 0.1).sin()).collect();
    for tensor in cell.weights().tensors().iter().filter(|tensor| tensor.name.ends_with(".gain")) {
        weights[tensor.range.clone()].iter_mut().for_each(|w| *w += 1.0);
    }
    for (ours, theirs) in updates(&cell, &weights, &GRADIENTS).iter().zip(UPDATES) {
        assert!((ours - theirs).abs() < 1e-13, "{ours} {theirs}");
    }
}

#[test]
fn bad_forms_are_refused() {
    let refused = |form| Mnemosyne::new(form).unwrap_err().to_string();
    let memory = |features, tau| Memory::Compact { features, map: MapKind::Hyperbolic, tau };
    assert!(refused(small(memory(7, 0.1))).contains("r = 7 is odd"));
    assert!(refused(small(memory(6, -0.1))).contains("tau"));
    assert!(refused(small(Memory::Cache { steps: 0 })).contains("length of the cache h"));
    let bad = [
        Form { hidden: 0, ..Form::default() },
        Form { encoders: 0, ..Form::default() },
        Form { output_scale: 0.0, ..Form::default() },
    ];
    assert!(bad.into_iter().all(|form| Mnemosyne::new(form).is_err()));
}

/// The memory inside the cell against the streaming memory of the features room.
#[test]
fn the_memory_is_that_of_the_features_room() {
    use super::memory::{Asked, Kept};
    for map in [
        MapKind::Hyperbolic,
        MapKind::FavorPlus,
        MapKind::FavorPlusPlus { a_hat: 0.4 },
        MapKind::HyperbolicPlusPlus { a_hat: 0.1 },
    ] {
        let kept = Kept::new("test", compact(map), 11).unwrap();
        let Kept::Compact(own) = &kept else { unreachable!() };
        let draws = Draws::block_orthogonal(own.projections, 11, &mut stream("draws")).unwrap();
        let features = FeatureMap::over(map, draws).unwrap();
        let fixed: Vec<f64> = features.draws().rows().iter().chain(features.offsets()).copied().collect();
        let mut theirs = KernelMemory::new(features, 11, discount_of(0.1).unwrap()).unwrap();
        let mut numbers = stream("numbers");
        let (mut state, mut tape) = (vec![0.0; compact(map).state_len(11)], vec![0.0; kept.tape_len()]);
        for time in 0..30 {
            let mut draw = || (0..11).map(|_| 0.8 * numbers.normal()).collect::<Vec<f64>>();
            let (query, key, value) = (draw(), draw(), draw());
            let asked = Asked { query: &query, key: &key, value: &value };
            let mut read = [0.0; 11];
            kept.forward(&fixed, time, asked, &mut state, &mut tape, &mut read);
            theirs.absorb(&key.into(), &value.into()).unwrap();
            let right = theirs.read(&query.into()).unwrap();
            assert!(read.iter().zip(&right).all(|(a, b)| (a - b).abs() < 1e-12), "{map:?}");
        }
    }
}

/// A cache that never overflows is full causal attention; one that does forgets wholly.
#[test]
fn a_cache_is_attention_over_the_last_steps() {
    use super::memory::{Asked, Kept};
    let (d, steps) = (4, 3);
    let kept = Kept::new("test", Memory::Cache { steps }, d).unwrap();
    let mut numbers = stream("cache");
    let (mut state, mut tape) = (vec![0.0; 2 * steps * d], vec![0.0; kept.tape_len()]);
    let mut past: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    for time in 0..8 {
        let mut draw = || (0..d).map(|_| 2.0 * numbers.normal()).collect::<Vec<f64>>();
        let (query, key, value) = (draw(), draw(), draw());
        past.push((key.clone(), value.clone()));
        let mut read = vec![0.0; d];
        let asked = Asked { query: &query, key: &key, value: &value };
        kept.forward(&[], time, asked, &mut state, &mut tape, &mut read);
        let last = &past[past.len().saturating_sub(steps)..];
        let weight = |k: &[f64]| k.iter().zip(&query).map(|(a, b)| a * b).sum::<f64>().exp();
        let total: f64 = last.iter().map(|(k, _)| weight(k)).sum();
        for (i, read) in read.iter().enumerate() {
            let right: f64 = last.iter().map(|(k, v)| weight(k) * v[i] / total).sum();
            assert!((read - right).abs() < 1e-12, "{time}");
        }
    }
}

#[test]
fn an_input_is_felt_at_every_lag_by_the_compact_memory_and_never_beyond_the_cache() {
    let mut numbers = stream("lags");
    let history: Vec<f64> = (0..40).map(|_| 0.1 * numbers.normal()).collect();
    let mut other = history.clone();
    other[0] = 5.0;
    let differences = |memory| {
        // One encoder: a cache above a cache sees farther than its length.
        let form = Form { encoders: 1, ..small(memory) };
        let cell = Mnemosyne::new(form).unwrap();
        let weights = cell.start(&mut stream("weights")).unwrap();
        let (a, b) = (updates(&cell, &weights, &history), updates(&cell, &weights, &other));
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).collect::<Vec<f64>>()
    };
    let cache = differences(Memory::Cache { steps: 4 });
    assert!(cache[..4].iter().all(|d| *d > 0.0) && cache[4..].iter().all(|d| *d == 0.0));
    let compact = differences(compact(MapKind::Hyperbolic));
    assert!(compact.iter().all(|d| *d > 0.0) && compact[39] < 0.2 * compact[1], "{compact:?}");
    assert!(differences(Memory::None)[1..].iter().all(|d| *d == 0.0));
}

/// A weighted sum of the updates of a window that follows other steps, differentiated by complex steps and by the adjoint.
#[test]
fn adjoints_are_complex_steps() {
    const H: f64 = 1e-20;
    for form in forms() {
        let cell = Mnemosyne::new(form).unwrap();
        let mut numbers = stream("adjoint");
        let mut weights = cell.start(&mut numbers).unwrap();
        // Biases and gains off their starting values.
        weights[..cell.trained()].iter_mut().for_each(|w| *w += 0.1 * numbers.normal());
        let gradients: Vec<f64> = (0..9).map(|i| numbers.normal() * f64::from(-i).exp()).collect();
        let sums: Vec<f64> = (0..5).map(|_| numbers.normal()).collect();
        let mut state = vec![0.0; cell.state_len()];
        let mut spare = vec![0.0; cell.tape_len()];
        for (t, g) in gradients[..4].iter().enumerate() {
            cell.step(&weights, t as u64, &[*g], &mut state, &mut spare, &mut [0.0]);
        }
        let len = cell.tape_len();
        let (before, mut tapes) = (state.clone(), vec![0.0; 5 * len]);
        for (t, g) in gradients[4..].iter().enumerate() {
            let tape = &mut tapes[t * len..(t + 1) * len];
            cell.step(&weights, 4 + t as u64, &[*g], &mut state, tape, &mut [0.0]);
        }
        let mut d_weights = vec![0.0; weights.len()];
        let (mut carry, mut scratch) = (vec![0.0; cell.carry_len(5)], vec![0.0; cell.scratch_len()]);
        let mut derived = vec![0.0; cell.derived_len()];
        let mut d_gradients = [0.0; 5];
        for at in (0..5).rev() {
            let down = Downward {
                update: &sums[at..at + 1],
                gradient: &mut d_gradients[at..at + 1],
                weights: &mut d_weights,
                carry: &mut carry,
                scratch: &mut scratch,
                derived: &mut derived,
            };
            let window = Window { time: 4, state: &before, tapes: &tapes };
            cell.adjoint(&weights, window, at, down);
            let gathered = Gathered {
                tapes: &tapes,
                window: tapes.len(),
                start: at * len,
                derived: &derived,
                each: derived.len(),
            };
            cell.gather(gathered, &mut d_weights);
        }
        let complex = |values: &[f64]| values.iter().map(|v| Complex::of(*v)).collect::<Vec<_>>();
        let sum = |weights: &[Complex], gradients: &[Complex]| {
            let (mut state, mut tape) = (complex(&before), complex(&spare));
            let mut sum = Complex::zero();
            for (t, g) in gradients.iter().enumerate() {
                let mut update = [Complex::zero()];
                cell.step(weights, 4 + t as u64, &[*g], &mut state, &mut tape, &mut update);
                sum += update[0] * Complex::of(sums[t]);
            }
            sum.im / H
        };
        let (at, history) = (complex(&weights), complex(&gradients[4..]));
        let check = |i: usize, ours: f64, right: f64| {
            let name = cell.weights().place(i);
            assert!((ours - right).abs() < 1e-11 * (1.0 + right.abs()), "{form:?} {name}: {ours} {right}");
        };
        for i in 0..cell.trained() {
            let mut turned = at.clone();
            turned[i].im = H;
            check(i, d_weights[i], sum(&turned, &history));
        }
        for i in 0..5 {
            let mut turned = history.clone();
            turned[i].im = H;
            let right = sum(&at, &turned);
            let ours = d_gradients[i];
            assert!((ours - right).abs() < 1e-10 * (1.0 + right.abs()), "{form:?} gradient {i}: {ours} {right}");
        }
    }
}

/// One token for each chunk: coordinates of a chunk share it, chunks do not hear of each other, and the state counts chunks.
#[test]
fn a_tensor_wise_cell_has_one_memory_for_each_chunk() {
    use crate::{Learned, Optimizer};
    let cell = TensorWise::new(small(compact(MapKind::Hyperbolic)), 4).unwrap();
    let weights = cell.start(&mut stream("weights")).unwrap();
    let layout = Layout::of(&[("a", &[2, 3]), ("b", &[3])]).unwrap();
    assert_eq!(units(&layout, 4), [0..4, 4..6, 6..9]);
    let make = || Learned::plain(cell.clone(), weights.clone(), layout.clone()).unwrap();
    assert_eq!(make().state_len(), 3 * cell.state_len());
    let run = |first: f64| {
        let (mut theta, mut rule) = ([0.0; 9], make());
        for _ in 0..3 {
            rule.step(&mut theta, &[first, 0.1, 0.1, 0.1, 0.2, 0.1, 0.1, -0.1, 0.1]).unwrap();
        }
        theta
    };
    let (one, other) = (run(0.1), run(-3.0));
    assert!(one[1] == one[2] && one[1] == one[3] && one[0] == one[1]);
    assert!(one[1] != other[1] && one[4..] == other[4..] && one[6] == one[8] && one[6] != one[7]);
    assert!(Learned::fused(cell.clone(), weights.clone(), layout.clone()).is_err());
    assert!(TensorWise::new(Form::default(), 0).is_err());
    crate::classical::conformance::conforms(&|layout| {
        Ok(Box::new(Learned::plain(cell.clone(), weights.clone(), layout)?))
    });
}
