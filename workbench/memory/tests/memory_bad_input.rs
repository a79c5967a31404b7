//! Bad input of the heavy-tailed model through its public functions: refused with a message that names the operation, the value and the
//! next thing to try, and never a panic or a table of NaN.

use ndarray::Array2;
use workbench_ground::stats::{Stream, Streams};
use workbench_memory::{
    AssociativeMemory, Counts, Embeddings, Error, Experiment, LearnedTraining, Method, Profile, Readout, Samples,
    Scheme, Target, Threshold, Ties, TrainedParts, TrainingRun, TrainingStudy, TrainingTask, Zipf, data_exponent,
    minimax_exponent, truncated_exponent, unseen_integral, untruncated_exponent,
};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn stream(name: &str) -> Stream {
    Streams::new(11).stream(name).expect("fresh name")
}

/// The message holds every part.
fn says<T>(result: Result<T, Error>, parts: &[&str]) {
    let message = result.err().expect("bad input was taken").to_string();
    for part in parts {
        assert!(message.contains(part), "{message:?} lacks {part:?}");
    }
}

#[test]
fn alpha_at_or_below_zero_and_where_a_theorem_needs_more_than_one() {
    for alpha in [0.0, -1.5, f64::NAN, f64::INFINITY] {
        says(Zipf::new(alpha, 10), &["Zipf law: alpha = ", "use a finite alpha > 0"]);
    }
    for alpha in [1.0, 0.5] {
        assert!(Zipf::new(alpha, 10).is_ok());
        let given = format!("alpha = {alpha}");
        says(Zipf::infinite(alpha), &[&given, "take alpha > 1 or a finite N"]);
        for exponent in [
            untruncated_exponent(alpha, 1.0),
            truncated_exponent(alpha, 1.0),
            minimax_exponent(alpha),
            data_exponent(alpha),
        ] {
            says(exponent, &[&given, "use a finite alpha > 1"]);
        }
        says(unseen_integral(alpha, 10.0), &[&given]);
    }
}

#[test]
fn sizes_of_zero() -> Outcome {
    says(Zipf::new(2.0, 0), &["N", "is zero; use at least 1"]);
    says(Target::modulo(0), &["n_classes (M) is zero"]);
    for (n, m, d, name) in [(0, 1, 1, "(N)"), (1, 0, 1, "(M)"), (1, 1, 0, "(d)")] {
        says(Embeddings::draw(n, m, d, &mut stream(name)), &[name, "is zero; use at least 1"]);
    }
    let law = Zipf::new(2.0, 10)?;
    says(law.sample_counts(0, &mut stream("no data")), &["is zero"]);
    let experiment =
        || Experiment::new(Zipf::new(2.0, 10).unwrap(), Target::modulo(2).unwrap()).schemes(vec![Scheme::uniform()]);
    says(experiment().dims(vec![0]).run(&Streams::new(1), "d"), &["(d)", "is zero"]);
    let no_data = experiment().dims(vec![4]).samples(vec![Samples::Draws(0)]);
    says(no_data.run(&Streams::new(1), "T"), &["T (number of samples) is zero"]);
    Ok(())
}

#[test]
fn thresholds_and_powers() -> Outcome {
    let law = Zipf::new(2.0, 10)?;
    says(Scheme::uniform().top(11)?.population_weights(&law, 4), &["P = 11", "N = 10", "lower P"]);
    says(Scheme::uniform().top(0), &["(P) is zero"]);
    says(Scheme::uniform().threshold(Threshold::PerDimension(-1.0)), &["scale = -1"]);
    for rho in [-0.5, f64::NAN, f64::INFINITY] {
        says(Scheme::power(rho), &["rho = ", "use a finite rho >= 0"]);
        says(untruncated_exponent(2.0, rho), &["rho = ", "use a finite rho >= 0"]);
    }
    Ok(())
}

#[test]
fn weights_without_content() -> Outcome {
    says(Scheme::explicit(&[0.0; 4]), &["the weights are all zero", "not all zero"]);
    says(Scheme::explicit(&[1.0, f64::NAN]), &["weights[1] = NaN is not finite"]);
    says(Profile::from_weights(&[1.0], &[0.0], &[0], 2), &["weights"]);
    let e = Embeddings::draw(3, 2, 4, &mut stream("e"))?;
    let infinite = AssociativeMemory::store(&e, &[1.0, f64::INFINITY, 0.0], &[0, 1, 0]);
    says(infinite, &["AssociativeMemory::store: weights[1] = inf is not finite"]);
    // Counts that hold none of the weighted inputs store nothing.
    let counts = Counts { seen: vec![(3, 5)], total: 5 };
    says(Scheme::explicit(&[1.0, 1.0, 0.0])?.empirical_weights(&counts, 3, 4), &["weights"]);
    Ok(())
}

#[test]
fn dimensions_that_do_not_match() -> Outcome {
    says(Embeddings::from_parts(Array2::ones((3, 4)), Array2::ones((2, 5))), &["input dim = 4", "output dim = 5"]);
    let e = Embeddings::draw(3, 2, 4, &mut stream("e"))?;
    let memory = AssociativeMemory::store(&e, &[1.0; 3], &[0, 1, 0])?;
    says(memory.scores(&Array2::ones((1, 6))), &["6", "4"]);
    says(AssociativeMemory::store(&e, &[1.0; 2], &[0, 1, 0]), &["weights = 2", "3"]);
    says(AssociativeMemory::store(&e, &[1.0; 3], &[0, 1, 2]), &["no class at position 2, there are 2"]);
    Ok(())
}

#[test]
fn ties_count_as_documented() -> Outcome {
    let e = Embeddings::draw(4, 2, 3, &mut stream("e"))?;
    let (labels, p) = ([0, 1, 0, 1], [0.4, 0.3, 0.2, 0.1]);
    let empty = AssociativeMemory::store(&e, &[0.0; 4], &labels)?; // every score is zero
    assert!((empty.generalization_error(&e, &labels, &p)? - 1.0).abs() < 1e-15);
    for (ties, error) in [(Ties::Errors, 1.0), (Ties::LowestIndex, 0.4), (Ties::Shared, 0.5)] {
        assert!((empty.error_with_ties(&e, &labels, &p, ties)? - error).abs() < 1e-15, "{ties:?}");
    }
    Ok(())
}

#[test]
fn descent_that_diverges_is_stopped_with_step_and_norm() -> Outcome {
    let (law, target) = (Zipf::new(2.0, 10)?, Target::modulo(2)?);
    let e = Embeddings::draw(10, 2, 5, &mut stream("e"))?;
    let task = TrainingTask::new(e, &target.labels(10), &law.probabilities(10))?;
    let wild = Method::sgd(1e20)?.steps(50);
    let mut descent = TrainingRun::new(&task, &wild)?;
    says(
        descent.advance(50, &mut stream("x")),
        &["diverged at step 1: norm of the weights", "at learning rate 1.000e20", "lower the rate"],
    );
    let study = TrainingStudy::new(law, target).methods(vec![wild]).dims(vec![5]).runs(2);
    says(study.run(&Streams::new(1), "wild"), &["diverged at step", "norm"]);
    // A study of learned embeddings goes on with the other runs, names the step and keeps its table finite.
    let (law, target) = (Zipf::new(2.0, 12)?, Target::modulo(3)?);
    let learned = LearnedTraining::new(law, target, 4, Readout::Linear, TrainedParts::Everything).rate(1e6)?.steps(300);
    let runs = learned.run(&Streams::new(1), "learned", 2)?;
    assert!(runs.diverged().iter().all(|d| d.is_some_and(|d| d.step <= 300 && d.norm >= 1e9)));
    assert!(runs.errors().iter().all(|e| e.is_finite()));
    for rate in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(Method::sgd(rate).is_err());
    }
    Ok(())
}
