//! Every computation of the room that can take long ends when a stop is requested, wherever it is.

use super::*;
use ndarray::Array2;
use workbench_ground::rehearsal::{count, stop_after};
use workbench_ground::stats::{Stream, Streams};

/// `work` looks at least `least` times, and ends with one of `operations` named when the stop comes at its first, a middle or its last
/// look. On one thread, so that looks can be counted.
fn stops<T>(operations: &[&str], least: usize, work: impl Fn() -> Result<T, Error> + Sync) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let (result, looks) = count(&work);
        assert!(result.is_ok(), "{operations:?}: {:?}", result.err());
        assert!(looks >= least, "{operations:?} look {looks} times");
        for at in [0, looks / 2, looks - 1] {
            match stop_after(at, &work) {
                Err(Error::Stopped(stopped)) => {
                    assert!(operations.contains(&stopped.operation), "{stopped:?}");
                    assert!(stopped.done < stopped.of, "{stopped:?}");
                }
                other => panic!("{operations:?} at look {at} of {looks}: {:?}", other.err()),
            }
        }
    });
}

fn stream(name: &str) -> Stream {
    Streams::new(1).stream(name).unwrap()
}

fn model() -> (Zipf, Target, Scheme) {
    (Zipf::new(1.5, 400).unwrap(), Target::modulo(5).unwrap(), Scheme::power(0.5).unwrap())
}

#[test]
fn experiments_stop_within_a_run() {
    let (law, target, scheme) = model();
    let experiment = Experiment::new(law, target)
        .schemes(vec![Scheme::uniform(), scheme])
        .dims(vec![10, 100])
        .samples(vec![Samples::Population, Samples::Draws(500)])
        .runs(4);
    // At least once for each of the 100 coordinates of each run.
    stops(&["Experiment::run", "Scheme::population_weights", "Zipf::sample_counts"], 400, || {
        experiment.run(&Streams::new(3), "grid")
    });
}

#[test]
fn expected_errors_stop_between_and_within_draws() {
    let (law, target, scheme) = model();
    let draws = ConditionalDraws::new(5, 40, &mut stream("d")).unwrap();
    stops(&["ConditionalDraws::new"], 40, || ConditionalDraws::new(5, 40, &mut stream("d")));
    let profile = Profile::population(&law, &target, &scheme, 64).unwrap();
    stops(&["ConditionalDraws::expected_error"], 40 * 6, || draws.expected_error(&profile, 64));
    stops(&["ConditionalDraws::expected_error"], 40 * 6, || draws.stored_error(&profile, 64));
    stops(&["ConditionalDraws::expected_error"], 2 * 40 * 6, || draws.curve(&law, &target, &scheme, &[16, 64]));
    stops(&["ConditionalDraws::expected_error"], 2 * 40 * 6, || {
        draws.curve_over_inputs(1.5, &target, &scheme, 16, &[50, 100])
    });
    stops(&["ConditionalDraws::sample_curve", "Zipf::sample_counts"], 40 * 2 * 6, || {
        draws.sample_curve(&law, &target, &scheme, 16, &[10, 50], &mut stream("t"))
    });
    let operations = ["ThresholdProfile::compute", "ConditionalDraws::expected_error"];
    stops(&operations, 3 * 40 * 6, || ThresholdProfile::compute(&draws, &law, &target, &scheme, 16, &[4, 16, 64]));
    stops(&operations, 2 * 3 * 40 * 6, || ThresholdProfile::over_dims(&draws, &law, &target, &scheme, &[4, 8], 4.0));
    let profiles = ThresholdProfile::over_dims(&draws, &law, &target, &scheme, &[4, 8], 4.0).unwrap();
    stops(&["threshold_exponent"], 50, || threshold_exponent(&profiles, 50, &mut stream("b")));
}

#[test]
fn listing_many_inputs_stops() {
    let law = Zipf::new(1.2, 3_000_000).unwrap();
    let target = Target::balanced_random(3, 300, &mut stream("labels")).unwrap();
    stops(&["Profile::population"], 40, || Profile::population(&law, &target, &Scheme::uniform(), 8));
    stops(&["Scheme::population_weights"], 2, || Scheme::uniform().population_weights(&law, 8));
    let (_, looks) = count(|| Zipf::infinite(1.5).unwrap().sample_counts(10_000, &mut stream("s")).unwrap());
    assert!(looks > 300, "{looks}");
    stops(&["Zipf::sample_counts"], 300, || Zipf::infinite(1.5)?.sample_counts(10_000, &mut stream("s")));
}

#[test]
fn dense_passes_stop_between_blocks() {
    let (n, m, d) = (300, 4, 60);
    stops(&["Embeddings::draw"], 50, || Embeddings::draw(n, m, d, &mut stream("e")));
    let embeddings = Embeddings::draw(n, m, d, &mut stream("e")).unwrap();
    let labels: Vec<usize> = (0..n).map(|x| x % m).collect();
    let p = vec![1.0 / n as f64; n];
    stops(&["AssociativeMemory::store"], 8, || AssociativeMemory::store(&embeddings, &p, &labels));
    let memory = AssociativeMemory::store(&embeddings, &p, &labels).unwrap();
    stops(&["AssociativeMemory::scores"], 30, || memory.scores(&embeddings.inputs));
    stops(&["AssociativeMemory::scores"], 30, || memory.generalization_error(&embeddings, &labels, &p));
    let w = Array2::eye(d);
    stops(&["cross_entropy"], 30, || cross_entropy(&w, &embeddings, &labels, &p));
    stops(&["cross_entropy_gradient"], 60, || cross_entropy_gradient(&w, &embeddings, &labels, &p));
}

#[test]
fn fits_stop_between_replicates() {
    let runs = Array2::from_shape_fn((8, 5), |(i, j)| (1.0 + 0.01 * (i * j) as f64) / (j + 2) as f64);
    let curve = ErrorCurve::new((2..7).map(f64::from).collect(), runs).unwrap();
    // The name is that of the statistics room, without a second wrapping.
    stops(&["bootstrap", "power_fit_runs"], 1999, || curve.slope(&mut stream("b")));
    stops(&["bootstrap"], 1999, || curve.amplitude(1.0, &mut stream("b")));
    stops(&["bootstrap"], 2 * 1999, || curve.polylog_fit(&mut stream("b")));
    let stopped = stop_after(5, || curve.amplitude(1.0, &mut stream("b"))).unwrap_err();
    assert!(stopped.to_string().starts_with("bootstrap: stopped as you asked, after 5 of "), "{stopped}");
}

#[test]
fn loops_of_one_problem_stop() {
    let e = Embeddings::spherical(6, 3, 12, &mut stream("e")).unwrap();
    let (labels, p) = ([0, 1, 2, 0, 1, 2], [1.0 / 6.0; 6]);
    let task = TrainingTask::new(e.clone(), &labels, &p).unwrap();
    let run = TrainingRun::new(&task, &Method::sgd(1.0).unwrap()).unwrap();
    let counts = Counts { seen: Vec::new(), total: 10_000_000 };
    let law = Zipf::infinite(1.1).unwrap();
    let words = WordCounts::new(vec![("the".into(), 6), ("of".into(), 3), ("and".into(), 2)]).unwrap();
    let probe = ProbeDraws::new(&[1.0; 4], 0, 30, 50, &mut stream("probe")).unwrap();
    let best = || best_trained_error(Freedom::Memory, &e, &labels, &p, &[6], &[1.0]);
    for (operation, error) in [
        ("hard_margin_norm", stop_after(1, || hard_margin_norm(&task, 1e-3)).err()),
        ("sharpness", stop_after(1, || sharpness(&run)).err()),
        ("best_trained_error", stop_after(1, best).err()),
        ("GradientLines::at", stop_after(1, || GradientLines::at(&Array2::eye(12), &e, 0, 0)).err()),
        ("chi_square_fit", stop_after(1, || chi_square_fit(&counts, &law, 10.0)).err()),
        ("WordCounts::exponent", stop_after(1, || words.exponent(1, 3)).err()),
        ("ProbeDraws::weight_at", stop_after(1, || probe.weight_at(0.5)).err()),
        ("equiangular", stop_after(1, || equiangular(9, 0.5)).err()),
    ] {
        let named = matches!(error, Some(Error::Stopped(stopped)) if stopped.operation == operation);
        assert!(named, "{operation}");
    }
    let pairs = StoredPairs {
        similarity: Similarity::Exponential,
        sharing: OutputSharing::Classes(3),
        dim: 100,
        sizes: vec![300],
    };
    // All are recalled: once for each block of 256 queries of each run.
    stops(&["recall_of_all"], 4, || recall_of_all(&pairs, 2, &Streams::new(1), "capacity"));
}

#[test]
fn descents_stop_at_a_finished_step() {
    let (law, target, _) = model();
    let methods = vec![
        Method::sgd(0.1).unwrap().steps(400),
        Method::sgd(0.1).unwrap().batch(BatchSize::Samples(50)).steps(20),
        Method::sgd(0.1).unwrap().batch(BatchSize::Population).steps(5),
        Method::sign(0.1).unwrap().batch(BatchSize::Population).steps(5),
        Method::ideal(0.1, 5).unwrap().batch(BatchSize::Samples(10_000)).steps(3),
    ];
    let study = TrainingStudy::new(law.clone(), target.clone()).methods(methods).dims(vec![10, 250]).runs(2);
    stops(&["TrainingRun::advance", "TrainingTask::kernel", "Embeddings::draw"], 200, || {
        study.run(&Streams::new(3), "study")
    });
    // What was finished stays: the run goes on where it stood.
    let e = Embeddings::draw(400, 5, 10, &mut stream("e")).unwrap();
    let task = TrainingTask::new(e, &target.labels(400), &law.probabilities(400)).unwrap();
    let method = Method::sgd(0.1).unwrap().batch(BatchSize::Samples(10_000));
    let mut descent = TrainingRun::new(&task, &method).unwrap();
    let mut data = stream("x");
    let stopped = stop_after(5, || descent.advance(7, &mut data)).unwrap_err();
    assert!(matches!(stopped, Error::Stopped(_)) && descent.steps_done() < 7);
    let mut twin = descent.clone();
    let mut rest = data.clone();
    descent.advance(2, &mut data).unwrap();
    twin.advance(2, &mut rest).unwrap();
    assert_eq!(descent.scores(), twin.scores());
}
