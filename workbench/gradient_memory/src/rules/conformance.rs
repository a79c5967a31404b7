//! Every rule through the same checks.

use ndarray::{Array2, array};

use super::*;
use crate::objective::norm;
use crate::{Error, InnerObjective, Loss, Term, UpdateRule};
use workbench_ground::stats::{Streams, normal_array2};

const D_V: usize = 3;
const D_K: usize = 4;

fn rules() -> Vec<Box<dyn UpdateRule>> {
    let root = normal_array2(&mut Streams::new(2).stream("metric").unwrap(), 2 * D_K, D_K);
    let metric = root.t().dot(&root);
    let huber = Loss::Huber { delta: 0.5 };
    let adam = AdamSettings { rate: 0.05, beta1: 0.8, beta2: 0.9, epsilon: 1e-3 };
    vec![
        Box::new(GradientStep::new(D_V, D_K, 0.3, Loss::TanhSquared).unwrap()),
        Box::new(Hebbian::new(D_V, D_K, 0.3).unwrap()),
        Box::new(DeltaRule::new(D_V, D_K, 0.3).unwrap()),
        Box::new(ImplicitStep::new(D_V, D_K, 0.3).unwrap()),
        Box::new(Nlms::new(D_V, D_K, 0.7, 0.1).unwrap()),
        Box::new(WeightDecay::new(D_V, D_K, 0.3, 0.2, huber).unwrap()),
        Box::new(HeavyBall::new(D_V, D_K, 0.3, 0.6, Loss::Squared).unwrap()),
        Box::new(Preconditioned::new(D_V, metric, 0.3, huber).unwrap()),
        Box::new(Adam::new(D_V, D_K, adam, Loss::Squared).unwrap()),
        Box::new(RecursiveLeastSquares::new(D_V, D_K, 0.9, 0.5).unwrap()),
    ]
}

fn batch(streams: &Streams, i: usize, n: usize) -> (Array2<f64>, Array2<f64>) {
    let mut keys = streams.replicate("keys", i).unwrap();
    let mut values = streams.replicate("values", i).unwrap();
    (normal_array2(&mut keys, n, D_K), normal_array2(&mut values, n, D_V))
}

/// One pair for the rule that takes one at a time, else three.
fn rows(rule: &dyn UpdateRule) -> usize {
    if rule.name().starts_with("NLMS") { 1 } else { 3 }
}

/// The largest entry of the gradient of the objective at `a`, by differences of its value.
fn slope_at(objective: &InnerObjective, a: &Array2<f64>) -> f64 {
    let gradient = objective.gradient_by_differences(a, 1e-2).unwrap();
    gradient.iter().fold(0.0f64, |m, g| m.max(g.abs()))
}

#[test]
fn each_step_is_the_minimiser_of_its_own_objectives() {
    for mut rule in rules() {
        let streams = Streams::new(8);
        let mut noise = streams.stream("noise").unwrap();
        rule.restart(&normal_array2(&mut streams.stream("start").unwrap(), D_V, D_K)).unwrap();
        for t in 0..6 {
            let (keys, values) = batch(&streams, t, rows(&rule));
            let objectives = rule.objectives(&keys, &values).unwrap();
            rule.step(&keys, &values).unwrap();
            let memories = rule.memories();
            assert_eq!(objectives.len(), memories.len());
            for (objective, (name, memory)) in objectives.iter().zip(&memories) {
                let place = format!("{}, step {t}, {name}", rule.name());
                assert_eq!(objective.memory(), *name);
                assert!(slope_at(objective, memory) < 1e-9, "{place}: {}", slope_at(objective, memory));
                let gap = objective.minimise().unwrap() - memory;
                assert!(norm(&gap) < 1e-9 * (1.0 + norm(memory)), "{place}: {}", norm(&gap));
                let (smallest, _) = objective.curvature().unwrap();
                assert!(smallest > 0.0, "{place}: the minimiser is unique");
                let best = objective.value(memory).unwrap();
                for _ in 0..5 {
                    let other = memory + &normal_array2(&mut noise, memory.nrows(), memory.ncols());
                    assert!(objective.value(&other).unwrap() > best, "{place}");
                }
            }
        }
    }
}

/// The same objective with every term of one kind scaled: a wrong twin.
fn scaled(objective: &InnerObjective, factor: f64) -> InnerObjective {
    objective.terms().iter().fold(InnerObjective::new("twin"), |twin, term| match term {
        Term::Linear { slope } => twin.linear(factor * slope),
        Term::Fit { weight, keys, values } => twin.fit(factor * weight, keys.clone(), values.clone()),
        Term::Metric { metric, centre } => twin.metric(metric.clone(), centre.clone()),
        Term::Anchor { weight, centre } => twin.weighted_anchor(weight.clone(), 0.9 * centre),
    })
}

#[test]
fn a_wrong_twin_of_the_objective_is_not_minimised() {
    for mut rule in rules() {
        let streams = Streams::new(9);
        rule.restart(&normal_array2(&mut streams.stream("start").unwrap(), D_V, D_K)).unwrap();
        for t in 0..2 {
            let (keys, values) = batch(&streams, t, rows(&rule));
            let objectives = rule.objectives(&keys, &values).unwrap();
            rule.step(&keys, &values).unwrap();
            if t == 0 {
                continue; // further memories are still empty before the first step
            }
            for (objective, (name, memory)) in objectives.iter().zip(&rule.memories()) {
                let slope = slope_at(&scaled(objective, 2.0), memory);
                assert!(slope > 1e-3, "{}, {name}: {slope}", rule.name());
            }
        }
    }
}

#[test]
fn bad_batches_are_refused_and_leave_the_state() {
    for mut rule in rules() {
        let streams = Streams::new(10);
        let (keys, values) = batch(&streams, 0, rows(&rule));
        rule.step(&keys, &values).unwrap();
        let before = rule.memories();
        let mut nan = keys.clone();
        nan[[0, 1]] = f64::NAN;
        let wide: Array2<f64> = Array2::ones((keys.nrows(), D_K + 1));
        type Kind = fn(&Error) -> bool;
        let cases: Vec<(Array2<f64>, Array2<f64>, Kind)> = vec![
            (nan, values.clone(), |e| matches!(e, Error::NotFinite { at, .. } if *at == [0, 1])),
            (wide, values.clone(), |e| matches!(e, Error::Shape { .. }) && e.to_string().contains("(3, 4)")),
            (keys.clone(), Array2::ones((keys.nrows() + 1, D_V)), |e| matches!(e, Error::Shape { .. })),
            (keys.clone(), Array2::ones((keys.nrows(), D_V + 2)), |e| matches!(e, Error::Shape { .. })),
            (Array2::zeros((0, D_K)), Array2::zeros((0, D_V)), |e| matches!(e, Error::Empty { .. })),
        ];
        for (keys, values, kind) in cases {
            let wrong = rule.step(&keys, &values).unwrap_err();
            assert!(kind(&wrong), "{}: {wrong}", rule.name());
            assert!(kind(&rule.objectives(&keys, &values).unwrap_err()), "{}", rule.name());
        }
        assert_eq!(rule.memories(), before);
        assert!(matches!(rule.recall(&Array2::ones((1, D_K + 1))), Err(Error::Shape { .. })));
        assert!(matches!(rule.restart(&Array2::ones((D_V, 1))), Err(Error::Shape { .. })));
        assert!(matches!(rule.restart(&Array2::from_elem((D_V, D_K), f64::INFINITY)), Err(Error::NotFinite { .. })));
        let copy = rule.clone();
        rule.restart(&Array2::zeros((D_V, D_K))).unwrap();
        assert_eq!(copy.memories(), before, "a copy has its own state");
        assert!(rule.weights().iter().all(|w| *w == 0.0));
        // After a restart a rule is as new.
        rule.step(&keys, &values).unwrap();
        assert_eq!(rule.memories(), before);
    }
}

#[test]
fn memories_are_asked_for_by_name_through_the_box_too() {
    for rule in rules() {
        for (name, memory) in rule.memories() {
            assert_eq!(rule.memory(name).unwrap(), memory);
        }
        assert_eq!(&rule.memory("weights").unwrap(), rule.weights());
        let error = rule.memory("moment").unwrap_err().to_string();
        assert!(error.contains("\"moment\"") && error.contains("weights"), "{error}");
        // The box is the rule that it holds.
        let again: Box<dyn UpdateRule> = Box::new(rule.clone());
        assert_eq!((again.name(), again.memories()), (rule.name(), rule.memories()));
    }
}

#[test]
fn divergence_names_the_step_and_the_norm() {
    let mut rule = DeltaRule::new(1, 1, 10.0).unwrap();
    let (key, value) = (array![[1.0]], array![[1.0]]);
    let error = (0..1000).find_map(|_| rule.step(&key, &value).err()).unwrap();
    // The residual grows by 9 in each step, so the norm is 9^t - 1 up to sign.
    let Error::Diverged { step, value: norm, .. } = error else { panic!("{error}") };
    assert_eq!(step, (100.0 / 9f64.log10()).ceil() as usize);
    assert!(norm > 1e100 && rule.weights()[[0, 0]].abs() < 1e100);
    let text = error.to_string();
    assert!(text.contains(&format!("step {step}")) && text.contains("step size"), "{text}");
}

#[test]
fn parameters_out_of_range_are_refused() {
    let s = Loss::Squared;
    let adam = |settings| Adam::new(1, 1, settings, s);
    let usual = AdamSettings::default();
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = [
            GradientStep::new(1, 1, bad, s).is_err(),
            Hebbian::new(1, 1, bad).is_err(),
            DeltaRule::new(1, 1, bad).is_err(),
            ImplicitStep::new(1, 1, bad).is_err(),
            Nlms::new(1, 1, bad, 0.0).is_err(),
            WeightDecay::new(1, 1, bad, 0.0, s).is_err(),
            HeavyBall::new(1, 1, bad, 0.5, s).is_err(),
            Preconditioned::new(1, array![[1.0]], bad, s).is_err(),
            adam(AdamSettings { rate: bad, ..usual }).is_err(),
            adam(AdamSettings { epsilon: bad, ..usual }).is_err(),
            RecursiveLeastSquares::new(1, 1, 1.0, bad).is_err(),
            RecursiveLeastSquares::new(1, 1, bad, 1.0).is_err(),
        ];
        assert_eq!(refused, [true; 12], "{bad}");
    }
    for beta in [-0.1, 1.0, f64::NAN] {
        for error in [
            HeavyBall::new(1, 1, 0.1, beta, s).unwrap_err(),
            adam(AdamSettings { beta1: beta, ..usual }).unwrap_err(),
            adam(AdamSettings { beta2: beta, ..usual }).unwrap_err(),
        ] {
            assert!(matches!(error, Error::Parameter { .. }) && error.to_string().contains("[0, 1)"), "{error}");
        }
    }
    assert!(Nlms::new(1, 1, 2.0, 0.0).is_err() && Nlms::new(1, 1, 1.0, -1.0).is_err());
    assert!(WeightDecay::new(1, 1, 1.0, 1.0, s).is_err() && WeightDecay::new(1, 1, 1.0, -0.1, s).is_err());
    assert!(matches!(Preconditioned::new(1, array![[1.0, 0.0], [0.0, -1.0]], 0.1, s), Err(Error::Outside { .. })));
    assert!(matches!(Preconditioned::new(1, Array2::ones((1, 2)), 0.1, s), Err(Error::Shape { .. })));
    assert!(matches!(DeltaRule::new(0, 1, 0.1), Err(Error::Empty { .. })));
}

#[test]
fn normalised_updates_refuse_zero_keys_and_batches() {
    let mut rule = Nlms::new(1, 2, 1.0, 0.0).unwrap();
    let zero = rule.step(&Array2::zeros((1, 2)), &array![[1.0]]).unwrap_err();
    assert!(zero.to_string().contains("key 0 is zero") && zero.to_string().contains("epsilon"));
    assert!(matches!(
        rule.step(&Array2::ones((2, 2)), &Array2::ones((2, 1))),
        Err(Error::Refused { problem, .. }) if problem == "a batch of 2 pairs"
    ));
    let mut guarded = Nlms::new(1, 2, 1.0, 1e-3).unwrap();
    guarded.step(&Array2::zeros((1, 2)), &array![[1.0]]).unwrap();
}

/// Runs two rules side by side on single pairs and returns the largest distance of their weights.
fn distance(mut a: Box<dyn UpdateRule>, mut b: Box<dyn UpdateRule>) -> f64 {
    let streams = Streams::new(11);
    let mut worst = 0.0f64;
    for t in 0..20 {
        let (keys, values) = batch(&streams, t, 1);
        a.step(&keys, &values).unwrap();
        b.step(&keys, &values).unwrap();
        worst = worst.max(norm(&(a.weights() - b.weights())));
    }
    worst
}

#[test]
fn limits_reduce_to_simpler_rules() {
    let s = Loss::Squared;
    let step = |loss| Box::new(GradientStep::new(D_V, D_K, 0.1, loss).unwrap());
    let delta = || Box::new(DeltaRule::new(D_V, D_K, 0.1).unwrap());
    assert!(distance(step(s), delta()) < 1e-13);
    assert!(distance(step(Loss::Inner), Box::new(Hebbian::new(D_V, D_K, 0.1).unwrap())) < 1e-13);
    assert!(distance(delta(), Box::new(WeightDecay::new(D_V, D_K, 0.1, 0.0, s).unwrap())) < 1e-13);
    assert!(distance(delta(), Box::new(HeavyBall::new(D_V, D_K, 0.1, 0.0, s).unwrap())) < 1e-13);
    let identity = Preconditioned::new(D_V, Array2::eye(D_K), 0.1, s).unwrap();
    assert!(distance(delta(), Box::new(identity)) < 1e-13);
    // NLMS with mu = 1 is the implicit step with eta = 1 / epsilon; another mu is not.
    let nlms = |mu| Box::new(Nlms::new(D_V, D_K, mu, 0.25).unwrap());
    let implicit = || Box::new(ImplicitStep::new(D_V, D_K, 4.0).unwrap());
    assert!(distance(nlms(1.0), implicit()) < 1e-12);
    assert!(distance(nlms(0.9), implicit()) > 1e-2);
}

#[test]
fn recursive_least_squares_is_the_ridge_memory_of_all_pairs_so_far() {
    let streams = Streams::new(12);
    let mut rule = RecursiveLeastSquares::new(D_V, D_K, 1.0, 0.3).unwrap();
    let (keys, values) = batch(&streams, 0, 15);
    for t in 0..15 {
        let upto = |a: &Array2<f64>, n: usize| a.slice(ndarray::s![..n, ..]).to_owned();
        rule.step(&keys.slice(ndarray::s![t..=t, ..]).to_owned(), &values.slice(ndarray::s![t..=t, ..]).to_owned())
            .unwrap();
        let ridge = crate::ridge_memory(&upto(&keys, t + 1), &upto(&values, t + 1), 0.3).unwrap();
        assert!(norm(&(ridge - rule.weights())) < 1e-11);
    }
    // In one batch, the same.
    let mut at_once = RecursiveLeastSquares::new(D_V, D_K, 1.0, 0.3).unwrap();
    at_once.step(&keys, &values).unwrap();
    assert!(norm(&(at_once.weights() - rule.weights())) < 1e-11);
    // The stored inverse is that of the correlation.
    let product = rule.inverse_times_correlation();
    assert!(norm(&(product - Array2::<f64>::eye(D_K))) < 1e-11);
}

#[test]
fn the_projection_stores_the_pair_and_nothing_else_moves() {
    let streams = Streams::new(13);
    let mut rule = Nlms::new(D_V, D_K, 1.0, 0.0).unwrap();
    rule.restart(&normal_array2(&mut streams.stream("start").unwrap(), D_V, D_K)).unwrap();
    let (key, value) = batch(&streams, 0, 1);
    let before = rule.weights().clone();
    rule.step(&key, &value).unwrap();
    assert!(norm(&(rule.recall(&key).unwrap() - &value)) < 1e-13);
    // Any direction orthogonal to the key is answered as before.
    let mut other = normal_array2(&mut streams.stream("other").unwrap(), 1, D_K);
    let overlap = (&other * &key).sum() / (&key * &key).sum();
    other.scaled_add(-overlap, &key);
    assert!(norm(&(rule.recall(&other).unwrap() - other.dot(&before.t()))) < 1e-13);
}
