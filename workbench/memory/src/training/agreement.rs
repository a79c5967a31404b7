//! Descents that track different numbers against each other, against slow twins, and against what must follow from the definitions.

use crate::*;
use ndarray::Array2;
use workbench_ground::stats::{Streams, normal_array2};
use workbench_ground::tabulated::{Tabulated, Values};

fn task(n: usize, m: usize, d: usize, seed: u64) -> TrainingTask {
    let e = Embeddings::draw(n, m, d, &mut Streams::new(seed).stream("e").unwrap()).unwrap();
    let p = Zipf::new(1.5, n).unwrap().probabilities(n);
    TrainingTask::new(e, &Target::modulo(m).unwrap().labels(n), &p).unwrap()
}

fn with_start(task: &TrainingTask) -> TrainingTask {
    let w = normal_array2(&mut Streams::new(9).stream("w").unwrap(), task.dim(), task.dim());
    task.starting_at(w).unwrap()
}

fn largest(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    (a - b).iter().fold(0.0, |m, x| x.abs().max(m))
}

/// W after the descent, from the gradient of `theory` alone.
fn slow(task: &TrainingTask, batches: &[Vec<usize>], rate: f64, mean: bool) -> Array2<f64> {
    let mut w = task.start().map_or_else(|| Array2::zeros((task.dim(), task.dim())), |start| start.weights.clone());
    for batch in batches {
        let mut weights = vec![0.0; task.n_inputs()];
        let one = if mean { 1.0 / batch.len() as f64 } else { 1.0 };
        batch.iter().for_each(|&x| weights[x] += one);
        let gradient = cross_entropy_gradient(&w, task.embeddings(), task.labels(), &weights).unwrap();
        w.scaled_add(-rate, &gradient);
    }
    w
}

#[test]
fn whatever_is_tracked_the_steps_are_the_same() {
    let mut stream = Streams::new(1).stream("batches").unwrap();
    for (n, m, d, b) in [(12, 3, 5, 1), (12, 3, 5, 7), (6, 4, 9, 30), (5, 1, 2, 2), (4, 2, 1, 3)] {
        for task in [task(n, m, d, 3), with_start(&task(n, m, d, 4))] {
            let batches: Vec<Vec<usize>> =
                (0..40).map(|_| (0..b).map(|_| stream.below(n as u64) as usize).collect()).collect();
            for reduction in [Reduction::Sum, Reduction::Mean] {
                let method = Method::sgd(0.3).unwrap().reduction(reduction);
                let twin = slow(&task, &batches, 0.3, reduction == Reduction::Mean);
                for tracked in [Tracked::Scores, Tracked::Classes, Tracked::Weights] {
                    let mut descent = TrainingRun::new(&task, &method.clone().tracking(tracked)).unwrap();
                    let mut before = descent.weights();
                    for batch in &batches {
                        descent.step(batch).unwrap();
                    }
                    let w = descent.weights();
                    let scale = 1.0 + twin.iter().fold(0.0f64, |m, x| x.abs().max(m));
                    assert!(largest(&w, &twin) < 1e-11 * scale, "{tracked:?} {n} {m} {d} {b}");
                    // Scores, coefficients and norm are those of this W.
                    let e = task.embeddings();
                    let scores = e.inputs.dot(&w.t()).dot(&e.outputs.t());
                    assert!(largest(&descent.scores(), &scores) < 1e-10 * scale * d as f64);
                    before += &e.outputs.t().dot(&descent.coefficients().unwrap().t().dot(&e.inputs));
                    assert!(largest(&before, &twin) < 1e-11 * scale);
                    let norm = twin.iter().map(|w| w * w).sum::<f64>().sqrt();
                    assert!((descent.norm() - norm).abs() < 1e-10 * (1.0 + norm), "{tracked:?}");
                    assert!(
                        largest(
                            &descent.scores_at(2).unwrap().insert_axis(ndarray::Axis(0)).to_owned(),
                            &scores.slice(ndarray::s![2..3, ..]).to_owned()
                        ) < 1e-10 * scale * d as f64
                    );
                }
            }
        }
    }
}

#[test]
fn many_short_steps_are_single_steps() {
    let task = task(9, 3, 6, 1);
    for gradient in [Gradient::Exact, Gradient::Leading] {
        let method = Method::new(DescentRule::Sgd, Schedule::steps(2.0, 0.5, 100).unwrap())
            .gradient(gradient)
            .tracking(Tracked::Scores);
        let (mut fast, mut slow) =
            (TrainingRun::new(&task, &method).unwrap(), TrainingRun::new(&task, &method).unwrap());
        let streams = Streams::new(4);
        fast.advance(1300, &mut streams.stream("x").unwrap()).unwrap();
        let mut stream = streams.restart("x").unwrap();
        for _ in 0..1300 {
            slow.step(&[task.sample(&mut stream)]).unwrap();
        }
        assert_eq!(fast.steps_done(), 1300);
        assert!(largest(&fast.scores(), &slow.scores()) < 1e-10);
        assert!((fast.norm() - slow.norm()).abs() < 1e-10);
        assert!(largest(&fast.coefficients().unwrap(), &slow.coefficients().unwrap()) < 1e-11);
        let (a, b) = (fast.measure().unwrap(), slow.measure().unwrap());
        assert!((a.update_norm - b.update_norm).abs() < 1e-12 && a.error == b.error);
    }
}

#[test]
fn a_batch_of_copies_is_a_longer_step() {
    let task = task(8, 4, 5, 2);
    let mut copies = TrainingRun::new(&task, &Method::sgd(0.2).unwrap()).unwrap();
    let mut long = TrainingRun::new(&task, &Method::sgd(1.4).unwrap()).unwrap();
    for x in [3, 1, 3, 7] {
        copies.step(&[x; 7]).unwrap();
        long.step(&[x]).unwrap();
    }
    assert!(largest(&copies.weights(), &long.weights()) < 1e-13);
}

#[test]
fn population_steps_are_the_mean_of_all_batches() {
    let task = with_start(&task(7, 3, 4, 5));
    for tracked in [Tracked::Scores, Tracked::Classes, Tracked::Weights] {
        let method = Method::sgd(0.7).unwrap().batch(BatchSize::Population).tracking(tracked);
        let mut descent = TrainingRun::new(&task, &method).unwrap();
        descent.advance(3, &mut Streams::new(1).stream("unused").unwrap()).unwrap();
        let mut w = task.start().unwrap().weights.clone();
        for _ in 0..3 {
            let g = cross_entropy_gradient(&w, task.embeddings(), task.labels(), task.probabilities()).unwrap();
            w.scaled_add(-0.7, &g);
        }
        assert!(largest(&descent.weights(), &w) < 1e-12);
        let loss = cross_entropy(&w, task.embeddings(), task.labels(), task.probabilities()).unwrap();
        assert!((descent.loss().unwrap() - loss).abs() < 1e-12);
    }
}

#[test]
fn moments_of_the_gradient_by_enumeration() {
    let task = with_start(&task(6, 3, 4, 6));
    for method in [
        Method::sgd(0.5).unwrap(),
        Method::sgd(0.5).unwrap().tracking(Tracked::Classes),
        Method::sgd(0.5).unwrap().layer_norm(LayerNorm::standard()),
        Method::sign(0.05).unwrap(),
    ] {
        let mut descent = TrainingRun::new(&task, &method).unwrap();
        [0, 3, 3, 1].iter().for_each(|&x| descent.step(&[x]).unwrap());
        let (mut mean, mut square) = (Array2::<f64>::zeros((4, 4)), 0.0);
        for (x, &p) in task.probabilities().iter().enumerate() {
            let (g, _) = super::dense::gradient(&task, &descent.weights(), &[x], &[1.0], method.layer_norm);
            square += p * g.iter().map(|g| g * g).sum::<f64>();
            mean.scaled_add(p, &g);
        }
        let of_mean = mean.iter().map(|g| g * g).sum::<f64>();
        let moments = descent.gradient_moments().unwrap();
        assert!((moments.mean_square - square).abs() < 1e-12, "{method:?}");
        assert!((moments.square_of_mean - of_mean).abs() < 1e-12);
        assert!((moments.variance - (square - of_mean)).abs() < 1e-12);
    }
}

/// The law of the estimate is that of sums of independent gradients, at any weights and whatever is tracked.
#[test]
fn variance_of_an_update_is_that_of_so_many_gradients() {
    let task = with_start(&task(6, 3, 4, 8));
    let mut draws = Streams::new(2).stream("updates").unwrap();
    for (b, reduction, tracked) in [
        (1, Reduction::Sum, Tracked::Scores),
        (5, Reduction::Sum, Tracked::Classes),
        (5, Reduction::Mean, Tracked::Weights),
    ] {
        let method = Method::sgd(0.3).unwrap().batch(BatchSize::Samples(b)).reduction(reduction);
        let descent = TrainingRun::new(&task, &method.tracking(tracked)).unwrap();
        let v = descent.gradient_moments().unwrap().variance;
        let power = if reduction == Reduction::Sum { 1 } else { -1 };
        let expected = 0.09 * (b as f64).powi(power) * v;
        let seen = descent.update_variance(4000, &mut draws).unwrap();
        assert!(seen.low < expected && expected < seen.high, "{tracked:?}: {seen:?} {expected}");
        assert!(seen.half_width() < 0.2 * expected, "{tracked:?}: {seen:?}");
        assert_eq!(descent.steps_done(), 0);
        assert!(descent.update_variance(1, &mut draws).is_err());
    }
    for method in [
        Method::sign(0.1).unwrap(),
        Method::sgd(0.1).unwrap().batch(BatchSize::Population),
        Method::sgd(0.1).unwrap().gradient(Gradient::Leading),
    ] {
        let descent = TrainingRun::new(&task, &method).unwrap();
        assert!(descent.update_variance(10, &mut draws).is_err(), "{method:?}");
    }
}

#[test]
fn rescaled_descent_is_descent_at_other_rates() {
    let task = task(7, 3, 8, 7);
    let schedule = Schedule::constant(0.2).unwrap();
    let method = Method::new(DescentRule::Rescaled { power: 1.0 }, schedule).batch(BatchSize::Population);
    let mut descent = TrainingRun::new(&task, &method).unwrap();
    let mut rates = Vec::new();
    for _ in 0..10 {
        rates.push(0.2 / descent.gradient_moments().unwrap().variance);
        descent.population_step().unwrap();
    }
    let plain = Method::new(DescentRule::Sgd, Schedule::list(rates).unwrap()).batch(BatchSize::Population);
    for tracked in [Tracked::Scores, Tracked::Classes, Tracked::Weights] {
        let mut twin = TrainingRun::new(&task, &plain.clone().tracking(tracked)).unwrap();
        twin.advance(10, &mut Streams::new(1).stream("u").unwrap()).unwrap();
        assert!(largest(&descent.weights(), &twin.weights()) < 1e-11);
        let mut other = TrainingRun::new(&task, &method.clone().tracking(tracked)).unwrap();
        other.advance(10, &mut Streams::new(1).stream("u").unwrap()).unwrap();
        assert!(largest(&descent.weights(), &other.weights()) < 1e-11);
    }
}

#[test]
fn adam_moves_all_entries_by_its_own_recursion() {
    let task = with_start(&task(6, 3, 4, 8));
    let rule = DescentRule::Adam { beta1: 0.5, beta2: 0.75, epsilon: 1e-2 };
    let method = Method::new(rule, Schedule::constant(0.1).unwrap());
    let mut descent = TrainingRun::new(&task, &method).unwrap();
    let (mut w, mut m, mut v) =
        (task.start().unwrap().weights.clone(), Array2::<f64>::zeros((4, 4)), Array2::<f64>::zeros((4, 4)));
    for (t, x) in [0usize, 2, 2, 5, 1].into_iter().enumerate() {
        descent.step(&[x]).unwrap();
        let mut weights = vec![0.0; 6];
        weights[x] = 1.0;
        let g = cross_entropy_gradient(&w, task.embeddings(), task.labels(), &weights).unwrap();
        m = &m * 0.5 + &g * 0.5;
        v = &v * 0.75 + &g * &g * 0.25;
        let t = t as i32 + 1;
        let (mc, vc) = (1.0 - 0.5f64.powi(t), 1.0 - 0.75f64.powi(t));
        w = &w - &(&m / mc * 0.1 / ((&v / vc).mapv(f64::sqrt) + 1e-2));
        assert!(largest(&descent.weights(), &w) < 1e-13);
        let norm = w.iter().map(|w| w * w).sum::<f64>().sqrt();
        assert!((descent.norm() - norm).abs() < 1e-12);
    }
    assert!(descent.coefficients().is_none());
}

#[test]
fn ideal_updates_are_iterates() {
    let task = task(5, 3, 4, 9);
    let method = Method::ideal(2.0, 3).unwrap();
    let mut descent = TrainingRun::new(&task, &method).unwrap();
    [0, 1, 0, 0].iter().for_each(|&x| descent.step(&[x]).unwrap());
    let f = IdealUpdate::printed(2.0, 3).unwrap();
    let (c, labels) = (descent.coefficients().unwrap(), task.labels());
    assert_eq!(c[[0, labels[0]]], f.iterates(3)[3]);
    assert_eq!(c[[1, labels[1]]], f.iterates(1)[1]);
    assert_eq!(c.iter().filter(|c| **c != 0.0).count(), 2);
    // The error is that of the memory of Eq. 2 with these weights.
    let q: Vec<f64> = (0..5).map(|x| c[[x, labels[x]]]).collect();
    let memory = AssociativeMemory::store(task.embeddings(), &q, labels).unwrap();
    let error = memory.generalization_error(task.embeddings(), labels, task.probabilities());
    assert_eq!(descent.error().unwrap(), error.unwrap());
    let norm = memory.matrix().iter().map(|w| w * w).sum::<f64>().sqrt();
    assert!((descent.norm() - norm).abs() < 1e-12);
    // Expected counts: Eq. 45 whatever the data, with f at the rate gamma b p(x).
    let ideal = Ideal { with_norms: true, ..Ideal::printed(3).expected() };
    let mut descent = TrainingRun::new(&task, &method.gradient(Gradient::Ideal(ideal))).unwrap();
    descent.step(&[1, 1, 4]).unwrap();
    descent.step(&[2, 2, 2]).unwrap();
    for (x, &y) in labels.iter().enumerate() {
        let k = task.squared_norms()[x];
        let f = IdealUpdate::new(2.0 * 3.0 * task.probabilities()[x], 3.0, k).unwrap();
        let q = descent.coefficients().unwrap()[[x, y]];
        assert!((q - f.iterates(2)[2]).abs() < 1e-14);
    }
    assert!(TrainingRun::new(&with_start(&task), &Method::ideal(1.0, 3).unwrap()).is_err());
}

#[test]
fn leading_updates_are_exact_without_other_classes() {
    // Orthonormal inputs and outputs: scores of the wrong classes stay zero under Eq. 10, so q follows f with M - 1 exactly.
    let (n, m) = (6, 3);
    let e = Embeddings { inputs: Array2::eye(n), outputs: Array2::eye(n).slice(ndarray::s![..m, ..]).to_owned() };
    let p = vec![1.0 / n as f64; n];
    let task = TrainingTask::new(e, &Target::modulo(m).unwrap().labels(n), &p).unwrap();
    let mut descent = TrainingRun::new(&task, &Method::sgd(0.8).unwrap().gradient(Gradient::Leading)).unwrap();
    (0..50).for_each(|_| descent.step(&[4]).unwrap());
    let q = descent.coefficients().unwrap()[[4, task.labels()[4]]];
    let f = IdealUpdate::new(0.8, 2.0, 1.0).unwrap();
    assert!((q - f.iterates(50)[50]).abs() < 1e-13);
    // The exact gradient takes from the other classes what it gives to the right one: the corrected form.
    let mut exact = TrainingRun::new(&task, &Method::sgd(0.8).unwrap()).unwrap();
    let ideal = Gradient::Ideal(Ideal::corrected(m));
    let mut corrected = TrainingRun::new(&task, &Method::sgd(0.8).unwrap().gradient(ideal)).unwrap();
    for x in [4, 4, 1, 4, 0, 1, 4, 4] {
        exact.step(&[x]).unwrap();
        corrected.step(&[x]).unwrap();
    }
    for (x, &y) in task.labels().iter().enumerate() {
        let (a, b) = (exact.coefficients().unwrap()[[x, y]], corrected.coefficients().unwrap()[[x, y]]);
        assert!((a - b).abs() < 1e-14, "{a} {b}");
    }
    let printed = IdealUpdate::printed(0.8, m).unwrap();
    assert!((q - printed.iterates(50)[50]).abs() > 0.1);
}

#[test]
fn projection_finds_stored_coefficients() {
    let task = task(8, 3, 12, 10);
    let mut descent = TrainingRun::new(&task, &Method::sgd(1.0).unwrap().gradient(Gradient::Leading)).unwrap();
    [0, 1, 2, 0, 5, 7].iter().for_each(|&x| descent.step(&[x]).unwrap());
    let (q, outside) = descent.on_stored_pairs().unwrap();
    let c = descent.coefficients().unwrap();
    for (x, &y) in task.labels().iter().enumerate() {
        assert!((q[x] - c[[x, y]]).abs() < 1e-9, "{x}: {} {}", q[x], c[[x, y]]);
    }
    assert!(outside < 1e-9);
    // The true gradient leaves their span; the share is that of the residual matrix.
    let mut descent = TrainingRun::new(&task, &Method::sgd(1.0).unwrap()).unwrap();
    [0, 1, 2, 0, 5, 7].iter().for_each(|&x| descent.step(&[x]).unwrap());
    let (q, outside) = descent.on_stored_pairs().unwrap();
    let memory = AssociativeMemory::store(task.embeddings(), &q.to_vec(), task.labels()).unwrap();
    let w = descent.weights();
    let square = |a: &Array2<f64>| a.iter().map(|x| x * x).sum::<f64>();
    let share = square(&(&w - &memory.matrix())) / square(&w);
    assert!((outside - share).abs() < 1e-9 && share > 0.01, "{outside} {share}");
}

#[test]
fn divergence_names_the_step_and_the_norm() {
    let task = task(6, 3, 4, 11);
    let mut stream = Streams::new(1).stream("x").unwrap();
    let mut first = TrainingRun::new(&task, &Method::sgd(1e3).unwrap()).unwrap();
    first.step(&[0]).unwrap();
    let limit = 1.2 * first.norm();
    for tracked in [Tracked::Scores, Tracked::Classes, Tracked::Weights] {
        let method = Method::sgd(1e3).unwrap().norm_limit(limit).tracking(tracked);
        let mut descent = TrainingRun::new(&task, &method).unwrap();
        match (0..6).try_for_each(|x| descent.step(&[x])) {
            Err(Error::Diverged { step, value: norm, rate, .. }) => {
                assert!(
                    step == descent.steps_done()
                        && step > 1
                        && norm > limit
                        && norm < 100.0 * limit
                        && rate == Some(1e3)
                );
            }
            other => panic!("{tracked:?}: {other:?}"),
        }
        let mut descent = TrainingRun::new(&task, &method).unwrap();
        let result = descent.advance(10_000, &mut stream);
        assert!(matches!(result, Err(Error::Diverged { step, .. }) if step < 10_000), "{tracked:?}");
    }
    for rate in [1e155, 1e300] {
        let mut descent = TrainingRun::new(&task, &Method::sgd(rate).unwrap().norm_limit(f64::INFINITY)).unwrap();
        let result = descent.advance(50, &mut stream).and_then(|()| descent.error().map(|_| ()));
        assert!(matches!(result, Err(Error::Diverged { .. })), "{rate:e}: {result:?}");
    }
    let error = TrainingRun::new(&task, &Method::sgd(1e20).unwrap()).unwrap().step(&[0]).unwrap_err();
    assert!(error.to_string().contains("at step 1: norm") && error.to_string().contains("lower the rate"));
}

#[test]
fn refuses_bad_batches() {
    let mut descent = TrainingRun::new(&task(6, 3, 4, 11), &Method::sgd(1.0).unwrap()).unwrap();
    assert!(matches!(descent.step(&[]), Err(Error::Zero { .. })));
    assert!(matches!(descent.step(&[2, 6]), Err(Error::NoSuch { index: 6, len: 6, .. })));
    assert!(matches!(descent.scores_at(6), Err(Error::NoSuch { .. })));
    assert_eq!(descent.steps_done(), 0);
}

#[test]
fn studies_are_paired_and_repeatable() {
    let study = |methods: Vec<Method>| {
        TrainingStudy::new(Zipf::new(1.5, 12).unwrap(), Target::modulo(3).unwrap())
            .methods(methods)
            .dims(vec![4, 10])
            .runs(3)
            .keep_tables()
    };
    let single = Method::sgd(0.5).unwrap().steps(60).record(vec![0, 20, 60]);
    let adam = Method::new(DescentRule::ADAM, Schedule::constant(0.1).unwrap()).batch(BatchSize::Samples(5)).steps(12);
    let both = study(vec![single.clone(), adam.clone()]).run(&Streams::new(2), "s").unwrap();
    let alone = study(vec![single]).run(&Streams::new(2), "s").unwrap();
    for d in [4, 10] {
        assert_eq!(both.errors("Sgd", d).unwrap(), alone.errors("Sgd", d).unwrap());
        assert_eq!(both.scores("Sgd", d, 2, 1).unwrap(), alone.scores("Sgd", d, 2, 1).unwrap());
    }
    // Moments left out change nothing else.
    let short = Method::sgd(0.5).unwrap().steps(60).record(vec![0, 20, 60]).without_moments();
    let short = study(vec![short]).run(&Streams::new(2), "s").unwrap();
    assert_eq!(short.errors("Sgd", 10).unwrap(), both.errors("Sgd", 10).unwrap());
    assert!(short.values(Quantity::GradientVariance, "Sgd", 4).unwrap().iter().all(|v| v.is_nan()));
    // The start knows nothing: error one, loss ln M.
    assert!(both.errors("Sgd", 4).unwrap().column(0).iter().all(|e| (e - 1.0).abs() < 1e-12));
    let loss = both.values(Quantity::Loss, "Sgd", 10).unwrap();
    assert!(loss.column(0).iter().all(|l| (l - 3f64.ln()).abs() < 1e-12));
    assert_eq!(both.samples("Adam").unwrap(), vec![60.0]);
    let table = both.columns().unwrap().list;
    assert!(table.len() == 12 && table.iter().all(|(_, values)| values.len() == 8));
    // Dimensions innermost but for records: the last row is Adam's in 10 dimensions.
    let Values::Estimates(errors) = &table[4].1 else { panic!("{:?}", table[4]) };
    assert_eq!(errors[7].unwrap(), both.mean("Adam", 10).unwrap());
    assert_eq!(both.labels(), vec!["Sgd", "Adam"]);
    assert_eq!(both.over_dims("Adam").unwrap().x(), &[4.0, 10.0]);
    let gap = both.difference("Adam", "Sgd", 10).unwrap();
    let means = |label: &str| both.mean(label, 10).unwrap().value;
    assert!((gap.value - (means("Adam") - means("Sgd"))).abs() < 1e-15);
    // Batches of five see the same samples as five steps with batch one: replay one run by hand.
    let streams = Streams::new(2);
    let raw = Embeddings::draw(12, 3, 10, &mut streams.replicate("s: embeddings", 1).unwrap()).unwrap();
    let p = Zipf::new(1.5, 12).unwrap().probabilities(12);
    let labels = Target::modulo(3).unwrap().labels(12);
    let task = TrainingTask::new(raw.truncated(10).unwrap(), &labels, &p).unwrap();
    let mut data = streams.replicate("s: data", 1).unwrap();
    let samples: Vec<usize> = (0..60).map(|_| task.sample(&mut data)).collect();
    let mut descent = TrainingRun::new(&task, &adam).unwrap();
    samples.chunks(5).for_each(|batch| descent.step(batch).unwrap());
    assert_eq!(descent.scores(), both.scores("Adam", 10, 1, 0).unwrap());
    for bad in [both.scores("Sgd", 4, 3, 0), both.scores("Sgd", 4, 0, 3)] {
        assert!(matches!(bad, Err(Error::NoSuch { .. })));
    }
    for (bad, there) in [
        (both.errors("Adma", 4), "no method \"Adma\"; there are \"Adam\", \"Sgd\""),
        (both.errors("Sgd", 9), "no d 9; there are 10, 4"),
    ] {
        let said = bad.unwrap_err().to_string();
        assert!(said.contains(there), "{said}");
    }
    assert!(study(vec![]).run(&Streams::new(2), "s").is_err());
}
