//! Wrong twins of the checks in `notebooks/heavy-tailed-scaling-laws.ipynb`: each check is run against a prediction, or on a model,
//! that is known to be wrong, and must say so.

use workbench::ledger::{Finding, Outcome};
use workbench::memory::{
    ConditionalDraws, ErrorCurve, Experiment, Profile, Samples, Scheme, Target, Threshold, ThresholdProfile, Zipf,
    best_threshold_curve, best_threshold_exponent, chance_error, data_exponent, powers_of_two,
    stated_threshold_exponent, tail_constant, threshold_exponent, truncated_exponent, unseen_mass_constant,
    untruncated_exponent,
};
use workbench::stats::{Estimate, Stream, Streams};

type Outcomes = Result<(), Box<dyn std::error::Error>>;

fn outcome(finding: Finding) -> Outcome {
    finding.outcome().expect("a finding with finite numbers has an outcome")
}

fn stream(name: &str) -> Stream {
    Streams::new(7).stream(name).expect("fresh name")
}

fn draws() -> ConditionalDraws {
    ConditionalDraws::new(5, 200, &mut stream("draws")).expect("positive sizes")
}

fn slope(curve: &ErrorCurve) -> Estimate {
    curve.slope(&mut stream("bootstrap")).expect("positive means")
}

/// The true exponent supports, every listed wrong one contradicts.
fn separates(measured: Estimate, right: f64, tolerance: f64, wrong: &[f64]) {
    assert_eq!(
        outcome(Finding::equals("right", right, tolerance, measured)),
        Outcome::Supports,
        "{measured:?} {right}"
    );
    for &twin in wrong {
        assert_eq!(
            outcome(Finding::equals("twin", twin, tolerance, measured)),
            Outcome::Contradicts,
            "{measured:?} {twin}"
        );
    }
}

#[test]
fn theorem_1_exponents() -> Outcomes {
    let (draws, target, far) = (draws(), Target::modulo(5)?, powers_of_two(32, 60, 7)?);
    for (alpha, rho) in [(2.0, 1.0), (1.5, 1.0), (2.0, 0.5)] {
        let curve = draws.curve(&Zipf::infinite(alpha)?, &target, &Scheme::power(rho)?, &far)?;
        let e = untruncated_exponent(alpha, rho)?;
        // Sign flipped, twice, half, the factor 2 rho dropped, Theorem 3 instead.
        let mut wrong = vec![e, -2.0 * e, -0.5 * e, 1.0 - alpha];
        if 2.0 * rho != 1.0 {
            wrong.push(-(alpha - 1.0) / alpha);
        }
        separates(slope(&curve), -e, 0.01, &wrong);
    }
    Ok(())
}

#[test]
fn theorem_1_load() -> Outcomes {
    let (draws, target, light) = (draws(), Target::modulo(5)?, Scheme::power(0.125)?);
    let in_n = draws.curve_over_inputs(2.0, &target, &light, 1 << 36, &powers_of_two(40, 56, 4)?)?;
    // phi = N^(1/2) with exponent 2; twins: no load, load N, load N^(2 rho alpha) with exponent 1.
    separates(slope(&in_n), 1.0, 0.05, &[0.0, 2.0, 0.5]);
    let in_d = draws.curve(&Zipf::new(2.0, 1 << 50)?, &target, &light, &powers_of_two(28, 44, 4)?)?;
    separates(slope(&in_d), -2.0, 0.05, &[2.0, -4.0, -1.0]);
    Ok(())
}

#[test]
fn the_data_term() -> Outcomes {
    let (draws, target, law) = (draws(), Target::modulo(5)?, Zipf::infinite(2.0)?);
    let sizes = powers_of_two(6, 14, 2)?;
    let curve = draws.sample_curve(
        &law,
        &target,
        &Scheme::power(1.0)?,
        1 << 60,
        &sizes,
        &mut stream("data"),
    )?;
    separates(slope(&curve), -data_exponent(2.0)?, 0.05, &[0.5, -1.0, -0.25]);
    // The constant of the unseen mass against the one printed in Lemma 1.
    let measured = Estimate::exact(law.unseen_mass(1_000_000) * 1e3);
    let printed = 2.0 / std::f64::consts::PI.sqrt();
    separates(
        measured,
        unseen_mass_constant(&law)?,
        1e-2,
        &[printed, 2.0 * unseen_mass_constant(&law)?],
    );
    Ok(())
}

#[test]
fn uniform_weights_have_no_step_at_n() -> Outcomes {
    let (draws, target, n) = (draws(), Target::modulo(5)?, 1u64 << 40);
    let curve = draws.curve(
        &Zipf::new(2.0, n)?,
        &target,
        &Scheme::uniform(),
        &[n / 10, 2 * n, 20 * n],
    )?;
    assert_eq!(
        outcome(Finding::at_most("vanishes at 2N", 0.01, curve.at(1)?)),
        Outcome::Contradicts
    );
    assert_eq!(
        outcome(Finding::at_most("vanishes at 20N", 1e-6, curve.at(2)?)),
        Outcome::Supports
    );
    assert_eq!(
        outcome(Finding::equals(
            "no signal at N/10",
            chance_error(5),
            0.05,
            curve.at(0)?
        )),
        Outcome::Contradicts
    );
    Ok(())
}

#[test]
fn thresholds_of_theorem_2() -> Outcomes {
    let few = ConditionalDraws::new(5, 60, &mut stream("draws"))?;
    let (target, dims) = (Target::modulo(5)?, powers_of_two(10, 26, 8)?);
    for (alpha, rho) in [(2.0, 0.125), (2.0, 0.5)] {
        let (law, power) = (Zipf::infinite(alpha)?, Scheme::power(rho)?);
        let scans = ThresholdProfile::over_dims(&few, &law, &target, &power, &dims, 2.0)?;
        let exponent = threshold_exponent(&scans, 200, &mut stream("bootstrap"))?;
        let stated = stated_threshold_exponent(alpha, rho)?;
        assert_eq!(
            outcome(Finding::equals("printed threshold", stated, 0.05, exponent)),
            Outcome::Contradicts
        );
        let best = best_threshold_curve(&scans)?;
        let curve = |e: f64| -> Result<ErrorCurve, Box<dyn std::error::Error>> {
            let rule = Threshold::PowerOfDimension {
                scale: 1.0,
                exponent: e,
            };
            Ok(few.curve(&law, &target, &power.clone().threshold(rule)?, &dims)?)
        };
        let loss = |curve: &ErrorCurve| curve.relative_slope(&best, &mut stream("bootstrap"));
        assert_eq!(
            outcome(Finding::at_least(
                "printed threshold loses",
                0.05,
                loss(&curve(stated)?)?
            )),
            Outcome::Supports
        );
        let corrected = loss(&curve(best_threshold_exponent(alpha, rho)?)?)?;
        separates(corrected, 0.0, 0.02, &[best_threshold_exponent(alpha, rho)? - stated]);
        let e = truncated_exponent(alpha, rho)?;
        separates(slope(&curve(stated)?), -e, 0.03, &[-0.5 * e, -2.0 * e, e]);
    }
    Ok(())
}

#[test]
fn how_many_inputs_fit() -> Outcomes {
    let (draws, law, target) = (draws(), Zipf::infinite(2.0)?, Target::modulo(5)?);
    let long = powers_of_two(16, 44, 4)?;
    let rule = |t: Threshold| -> Result<ErrorCurve, Box<dyn std::error::Error>> {
        Ok(draws.curve(&law, &target, &Scheme::uniform().threshold(t)?, &long)?)
    };
    // Table 1 as printed, and the constant of Theorem 3 taken too large.
    let top_d = rule(Threshold::PerDimension(1.0))?;
    assert_eq!(
        outcome(Finding::equals("top d", -1.0, 0.1, slope(&top_d))),
        Outcome::Contradicts
    );
    let fit = |curve: ErrorCurve| curve.polylog_fit(&mut stream("bootstrap"));
    separates(
        fit(rule(Threshold::PerLogDimension(0.25))?)?.exponent,
        -1.0,
        0.02,
        &[-0.5, -2.0, 0.0],
    );
    let large = fit(rule(Threshold::PerLogDimension(4.0))?)?.exponent;
    assert_eq!(
        outcome(Finding::equals("c = 4", -1.0, 0.02, large)),
        Outcome::Contradicts
    );
    // The lower bound: the best curve keeps d error flat; against d^0.9 error it must be seen to fall.
    let graded = draws.curve(
        &law,
        &target,
        &Scheme::graded(0.25)?.threshold(Threshold::PerDimension(0.5))?,
        &long,
    )?;
    let product = slope(&graded.times(graded.x())?);
    assert_eq!(outcome(Finding::at_least("bound", -0.02, product)), Outcome::Supports);
    assert_eq!(
        outcome(Finding::at_least("bound with d^0.9", -0.02, product.affine(1.0, -0.1)?)),
        Outcome::Contradicts
    );
    Ok(())
}

#[test]
fn figure_9_constants() -> Outcomes {
    let eighth = Scheme::uniform().threshold(Threshold::PerDimension(0.125))?;
    let errors = Experiment::new(Zipf::new(2.0, 1000)?, Target::modulo(5)?)
        .schemes(vec![Scheme::power(1.0)?, eighth])
        .dims(vec![32, 64, 128, 256, 512])
        .samples(vec![Samples::Population])
        .runs(100)
        .run(&Streams::new(7), "figure 9")?;
    let (orange, green) = (errors.over_dims(0, 0)?, errors.over_dims(1, 0)?);
    let amplitude = green.amplitude(1.0, &mut stream("bootstrap"))?;
    // Twins: the chance level dropped, the threshold d instead of d/8, tail constant C/(alpha + 1) of B.4.
    let exact = 8.0 * chance_error(5) * tail_constant(&Zipf::infinite(2.0)?)?;
    separates(amplitude, 3.5, 0.35, &[3.5 / chance_error(5), 3.5 / 8.0, exact / 3.0]);
    separates(slope(&green), -1.0, 0.1, &[-0.5, -2.0, 1.0]);
    separates(slope(&orange), -0.25, 0.1, &[-0.5, 0.25, -1.0]);
    Ok(())
}

#[test]
fn a_mislabelled_memory_is_seen() -> Outcomes {
    // Stored under x mod 5, judged under (x + 1) mod 5: the error must leave the level that the right labels give.
    let law = Zipf::new(2.0, 100)?;
    let target = Target::modulo(5)?;
    let profile = Profile::population(&law, &target, &Scheme::uniform(), 2000)?;
    let right = draws().expected_error(&profile, 2000)?.mean().unwrap_or(1.0);
    let shifted: Vec<usize> = target.labels(100).iter().map(|y| (y + 1) % 5).collect();
    let embeddings = workbench::memory::Embeddings::draw(100, 5, 2000, &mut stream("embeddings"))?;
    let weights = Scheme::uniform().population_weights(&law, 2000)?;
    let memory = workbench::memory::AssociativeMemory::store(&embeddings, &weights, &target.labels(100))?;
    let p = law.probabilities(100);
    assert_eq!(memory.generalization_error(&embeddings, &target.labels(100), &p)?, 0.0);
    assert!(right < 1e-9);
    assert!(memory.generalization_error(&embeddings, &shifted, &p)? > 0.999);
    Ok(())
}
