//! Wrong twins of the checks in `notebooks/heavy-tailed-finite-memory.ipynb`: each check is run against the printed misprint, or against
//! a statement that is known to be wrong, and must say so.

use ndarray::array;
use workbench::ledger::{Finding, Outcome};
use workbench::memory::{
    AssociativeMemory, ConditionalDraws, Embeddings, GivenOutputs, InputGroup, ProbeDraws, Profile, SURVIVAL_CONSTANT,
    SurvivalSet, chi_square_cdf, coherence, eta_window, exact_scores, lemma3_lower, lemma3_upper, maximum_chain,
    output_failure_bound, quasi_lower, quasi_survival, quasi_upper, random_lower, random_survival, random_upper,
    student_tail, survival_form, survival_lower,
};
use workbench::ndarray;
use workbench::stats::{Estimate, Stream, Streams, mean, normal_array2, normal_cdf, proportion, unit_sphere};

type Outcomes = Result<(), Box<dyn std::error::Error>>;

fn outcome(finding: Finding) -> Outcome {
    finding.outcome().expect("a finding with finite numbers has an outcome")
}

fn stream(name: &str) -> Stream {
    Streams::new(11).stream(name).expect("fresh name")
}

fn at_most(bound: f64, value: f64) -> Outcome {
    outcome(Finding::at_most("value", bound, Estimate::exact(value)))
}

fn at_least(bound: f64, value: f64) -> Outcome {
    outcome(Finding::at_least("value", bound, Estimate::exact(value)))
}

/// Equal masses, label x mod M.
fn even(weights: &[f64], m: usize) -> Result<Profile, workbench::memory::Error> {
    let labels: Vec<usize> = (0..weights.len()).map(|x| x % m).collect();
    Profile::from_weights(&vec![1.0 / weights.len() as f64; weights.len()], weights, &labels, m)
}

/// One heavy input of class 0 without mass, and one of weight q in each of the classes 1 to 3.
fn at_threshold(q: f64) -> Result<Profile, workbench::memory::Error> {
    Profile::from_weights(&[0.0, 0.4, 0.3, 0.3], &[1.0, q, q, q], &[0, 1, 2, 3], 4)
}

fn error(draws: &ConditionalDraws, profile: &Profile, d: u64) -> Result<Estimate, Box<dyn std::error::Error>> {
    Ok(mean(
        draws.expected_error(profile, d)?.as_slice().expect("one row of draws"),
    )?)
}

#[test]
fn lemma_3_upper_needs_its_logarithm_and_its_sign() -> Outcomes {
    let draws = ConditionalDraws::new(4, 400, &mut stream("draws"))?;
    let d = 1u64 << 10;
    let positive = even(&[1.0, 1.0], 4)?;
    let negative = even(&[-1.0, 1.0], 4)?;
    let against = |profile: &Profile| -> Result<Outcome, Box<dyn std::error::Error>> {
        Ok(outcome(Finding::at_most(
            "error",
            lemma3_upper(profile, d)?,
            error(&draws, profile, d)?,
        )))
    };
    assert_eq!(against(&positive)?, Outcome::Supports);
    assert_eq!(against(&negative)?, Outcome::Contradicts);
    // d q^2 = 4 Q_inf: outside a set without logarithms, where 2 d^-2 would be all that is left.
    let near = error(&draws, &at_threshold(1.0 / 16.0)?, d)?;
    assert_eq!(
        outcome(Finding::at_most("error", 2.0 / (d * d) as f64, near)),
        Outcome::Contradicts
    );
    Ok(())
}

#[test]
fn lemma_3_lower_has_a_direction_and_a_constant() -> Outcomes {
    let draws = ConditionalDraws::new(4, 1000, &mut stream("draws"))?;
    let d = 1000u64;
    let weak = at_threshold((1.0 / (3.0 * (d as f64 + 1.0))).sqrt() * 0.999)?;
    let seen = error(&draws, &weak, d)?;
    let bound = lemma3_lower(&weak, d)?;
    assert!((bound - 0.05).abs() < 1e-12);
    assert_eq!(outcome(Finding::at_least("error", bound, seen)), Outcome::Supports);
    assert_eq!(
        outcome(Finding::at_least("error", 10.0 * bound, seen)),
        Outcome::Contradicts
    );
    let strong = error(&draws, &at_threshold(0.2)?, d)?;
    assert_eq!(outcome(Finding::at_least("error", 0.05, strong)), Outcome::Contradicts);
    Ok(())
}

#[test]
fn characterisation_of_an_error() -> Outcomes {
    // u_2 wins the first input: the lead of class 2 is positive, with the sign turned it is not the same statement.
    let u = [[5, 0], [0, 5], [-3, 4]].map(Vec::from);
    let e = [[5, 0], [3, 4], [4, 3]].map(Vec::from);
    let mut differ = [0u64; 2];
    for x in 0..3usize {
        let scores = exact_scores(&u, &e, &[0, 1, 2], x)?;
        let wrong = scores.iter().any(|s| *s > scores[x]);
        let lead = |sign: i128| {
            scores
                .iter()
                .map(|s| sign * (s - scores[x]))
                .max()
                .expect("three classes")
        };
        differ[0] += u64::from(wrong != (lead(1) > 0));
        differ[1] += u64::from(wrong != (lead(-1) > 0));
    }
    assert!(differ[0] == 0 && differ[1] > 0);
    Ok(())
}

#[test]
fn margin_law_and_its_wrong_covariances() -> Outcomes {
    let mut s = stream("margins");
    let (weights, labels) = ([1.0, 0.8, 1.2, 0.5, 0.9, 0.7], [0usize, 1, 2, 3, 0, 1]);
    let (outputs, e0) = (unit_sphere(&mut s, 4, 5), normal_array2(&mut s, 1, 5));
    let profile = Profile::from_weights(&[1.0 / 6.0; 6], &weights, &labels, 4)?;
    let input = InputGroup {
        mass: 0.0,
        weight: 1.0,
        class: 0,
    };
    let law = GivenOutputs::new(&outputs)?.margin_law(&profile, &input, e0.row(0).dot(&e0.row(0)).sqrt())?;
    let (runs, mut lost) = (4000u64, 0u64);
    for _ in 0..runs {
        let mut inputs = normal_array2(&mut s, 6, 5);
        inputs.row_mut(0).assign(&e0.row(0));
        let e = Embeddings::from_parts(inputs, outputs.clone())?;
        let scores = AssociativeMemory::store(&e, &weights, &labels)?.scores(&e0)?;
        lost += u64::from((1..4).any(|y| scores[[0, y]] >= scores[[0, 0]]));
    }
    let share = proportion(lost, runs)?;
    assert!(share.contains(law.failure()?), "{share:?} {}", law.failure()?);
    for factor in [0.25, 4.0] {
        let mut wrong = law.clone();
        wrong.covariance *= factor;
        assert!(!share.contains(wrong.failure()?));
    }
    let mut flipped = law.clone();
    flipped.mean *= -1.0;
    assert!(!share.contains(flipped.failure()?));
    Ok(())
}

#[test]
fn maximum_of_gaussians_with_the_wrong_events() -> Outcomes {
    let mut printed = 0;
    for rho in [-1.0, -0.5, 0.0, 0.9, 1.0] {
        let chain = maximum_chain(&[-1.0, 0.3], &array![[1.0, rho], [rho, 1.0]])?;
        printed += u32::from(chain.printed[0] > chain.printed[1] + 1e-9);
        assert!((0..3).all(|k| chain.complement[k] <= chain.complement[k + 1] + 1e-9));
    }
    assert!(printed >= 4);
    Ok(())
}

#[test]
fn chernoff_exponents() -> Outcomes {
    // One rival: Phi(-s) <= exp(-s^2/2), and not exp(-s^2).
    for s in [0.5f64, 2.0, 6.0] {
        assert_eq!(at_most((-0.5 * s * s).exp(), normal_cdf(-s)), Outcome::Supports);
    }
    assert_eq!(at_most((-36.0f64).exp(), normal_cdf(-6.0)), Outcome::Contradicts);
    // Eq. 28 and the same with -d in the exponent.
    let outputs = GivenOutputs::random(4, 40, &mut stream("u"))?;
    let profile = even(&[1.0; 12], 4)?;
    let (low, high) = outputs.error_between(&profile)?;
    assert_eq!(at_most(outputs.chernoff_bound(&profile)?, high), Outcome::Supports);
    let doubled = GivenOutputs::from_gram(outputs.gram().clone(), 80)?.chernoff_bound(&profile)?;
    assert_eq!(at_most(doubled, low), Outcome::Contradicts);
    // A negative weight is always wrong, and Eq. 28 cannot see it.
    let negative = even(&[-1.0, 0.5], 4)?;
    assert_eq!(
        at_most(outputs.chernoff_bound(&negative)?, outputs.error_between(&negative)?.0),
        Outcome::Contradicts
    );
    Ok(())
}

#[test]
fn survival_constant_and_events() -> Outcomes {
    // Exactly at d R = 1 the error is P(t_d > 1) > 0.158; 0.16 is too much, 0.079 is safe.
    for d in [1.0, 10.0, 1e4, 1e12] {
        assert_eq!(at_least(SURVIVAL_CONSTANT, student_tail(1.0, d)), Outcome::Supports);
    }
    assert_eq!(at_least(0.16, student_tail(1.0, 1e12)), Outcome::Contradicts);
    // The printed first line is a success probability.
    let outputs = GivenOutputs::equiangular(4, 0.0, 200)?;
    let profile = even(&[1.0; 4], 4)?;
    let g = profile.groups()[0];
    let success = 1.0 - outputs.pairwise_failure(&profile, &g, 1)?;
    assert_eq!(
        at_most(outputs.error_between(&profile)?.1, success),
        Outcome::Contradicts
    );
    for d in [1u64, 2, 100, 10_000] {
        assert_eq!(at_least(0.5, chi_square_cdf(d, d as f64)?), Outcome::Supports);
        assert_eq!(at_most(0.5, chi_square_cdf(d, d as f64)?), Outcome::Contradicts);
    }
    Ok(())
}

#[test]
fn energies_and_ratios() -> Outcomes {
    let profile = even(&[1.0, 2.0, -3.0, 1.0], 3)?;
    assert_eq!(profile.energy(), [2.0, 4.0, 9.0]);
    assert_ne!(profile.total_energy(), 1.0); // the sum of q instead of q^2
    // An extremal family: all pulls as large as eta allows, the factor 1/4 cannot be dropped.
    let h = 0.2;
    let outputs = GivenOutputs::from_gram(array![[1.0, h, -h], [h, 1.0, h], [-h, h, 1.0]], 20)?;
    let heavy_third = Profile::from_weights(&[0.5, 0.3, 0.2], &[1.0, 0.01, 10.0], &[0, 1, 2], 3)?;
    let chain = outputs.ratio_chain(&heavy_third, &heavy_third.groups()[0], 1, h)?;
    assert_eq!(at_most(1.0, chain.lower_last / chain.ratio), Outcome::Supports);
    assert_eq!(at_most(1.0, 4.0 * chain.lower_last / chain.ratio), Outcome::Contradicts);
    // The display before Eq. 33: the square is needed.
    assert_eq!(
        at_most(1.0, chain.upper_first / chain.upper_squared - 1e-12),
        Outcome::Supports
    );
    assert_eq!(
        at_most(1.0, chain.upper_first / chain.upper_printed),
        Outcome::Contradicts
    );
    // A coherence smaller than that of the family breaks the elementary inequalities.
    let e = outputs.elementary(0, 1, 0.1)?;
    assert!(e.signal < 0.0 && e.others < 0.0);
    Ok(())
}

#[test]
fn eq_31_and_33_at_their_edges() -> Outcomes {
    let outputs = GivenOutputs::equiangular(4, 0.0, 2000)?;
    let profile = even(&[1.0; 80], 4)?;
    let (low, high) = outputs.error_between(&profile)?;
    assert_eq!(at_most(quasi_upper(&profile, 2000, 0.0)?, high), Outcome::Supports);
    assert_eq!(at_most(quasi_upper(&profile, 4000, 0.0)?, low), Outcome::Contradicts); // d in the place of d/2
    let (x, d) = (1.0f64, 10.0);
    assert_eq!(
        at_most((-0.5 * d * x).exp(), (1.0 + x).powf(-0.5 * d)),
        Outcome::Contradicts
    );
    assert_eq!(
        at_most((-0.5 * d * x / (1.0 + x)).exp(), (1.0 + x).powf(-0.5 * d)),
        Outcome::Supports
    );
    let d = 1u64 << 30;
    let at = |factor: f64| at_threshold((factor / (d as f64 + 1.0)).sqrt() * (1.0 - 1e-9));
    let orthonormal = GivenOutputs::equiangular(4, 0.0, d)?;
    let near = orthonormal.error_between(&at(1.0)?)?.0;
    assert_eq!(at_least(quasi_lower(&at(1.0)?, d, 0.0, 1)?, near), Outcome::Supports);
    assert_eq!(
        at_least(SURVIVAL_CONSTANT, orthonormal.error_between(&at(4.0)?)?.0),
        Outcome::Contradicts
    );
    Ok(())
}

#[test]
fn the_dropped_term_is_there() -> Outcomes {
    let mut s = stream("probe");
    let energy: Vec<f64> = vec![1.0; 32];
    let threshold = |d: u64, s: &mut Stream| -> Result<Estimate, Box<dyn std::error::Error>> {
        let parts = ProbeDraws::new(&energy, 0, d, 1200, s)?.split(12)?;
        let values: Vec<f64> = parts
            .iter()
            .map(|p| p.weight_at(0.5).map(|q| d as f64 * q * q))
            .collect::<Result<_, _>>()?;
        Ok(mean(&values)?)
    };
    let (small, large) = (threshold(28, &mut s)?, threshold(2048, &mut s)?);
    assert!(small.low > large.high, "{small:?} {large:?}");
    Ok(())
}

#[test]
fn output_failures_and_conditional_means() -> Outcomes {
    let (m, d, eta, runs) = (8usize, 20usize, 0.6, 4000u64);
    let mut s = stream("failures");
    let mut failures = 0;
    for _ in 0..runs {
        failures += u64::from(coherence(&unit_sphere(&mut s, m, d))? > eta);
    }
    let share = proportion(failures, runs)?;
    let bound = output_failure_bound(m as u64, d as u64, eta)?;
    assert_eq!(outcome(Finding::at_most("share", bound, share)), Outcome::Supports);
    let steeper = output_failure_bound(m as u64, 2 * d as u64, eta)?;
    assert_eq!(outcome(Finding::at_most("share", steeper, share)), Outcome::Contradicts);
    // Z = -1 with P(E) = 1/2 breaks both sides of Eq. 35, Z = 1 neither.
    for (z, holds) in [(-1.0f64, false), (1.0, true)] {
        let (p, on, all) = (0.5, z, z);
        assert_eq!(p * on <= all, holds);
        assert!(!holds || all <= 1.0 - p + on);
    }
    Ok(())
}

#[test]
fn eq_36_to_38_as_printed_and_corrected() -> Outcomes {
    let draws = ConditionalDraws::new(4, 400, &mut stream("draws"))?;
    let weak = even(&[1.0; 40], 4)?;
    let seen = error(&draws, &weak, 32)?;
    assert_eq!(
        outcome(Finding::at_most("error", random_upper(&weak, 32, 100.0)?, seen)),
        Outcome::Contradicts
    );
    assert_eq!(
        outcome(Finding::at_most("error", random_upper(&weak, 32, 0.5)?, seen)),
        Outcome::Supports
    );
    assert!(random_upper(&weak, 32, 1e-6)? > 1e4);
    let d = 1u64 << 40;
    let eta = (25.0 / d as f64).sqrt();
    let edge =
        |factor: f64| at_threshold((factor * (1.0 - eta) / (1.0 + eta) / (d as f64 + 1.0)).sqrt() * (1.0 - 1e-12));
    let outputs = GivenOutputs::random(4, d, &mut stream("u"))?;
    let high = outputs.error_between(&edge(2.0)?)?.1;
    assert_eq!(
        at_least(random_lower(&edge(2.0)?, d, eta, 2.0)?, high),
        Outcome::Contradicts
    );
    let low = outputs.error_between(&edge(1.0)?)?.0;
    assert_eq!(
        at_least(random_lower(&edge(1.0)?, d, eta, 1.0)?, low),
        Outcome::Supports
    );
    assert!(eta_window(4, 15).is_none() && eta_window(4, 23).is_some());
    let third = at_threshold((1.0 / (3.0 * 16.0f64)).sqrt() * 0.999)?;
    let of_third = error(&draws, &third, 15)?;
    assert_eq!(
        outcome(Finding::at_least("error", survival_lower(&third, 15)?, of_third)),
        Outcome::Supports
    );
    assert_eq!(
        outcome(Finding::at_least("error", 0.52, of_third)),
        Outcome::Contradicts
    );
    Ok(())
}

#[test]
fn survival_forms_as_printed_and_corrected() -> Outcomes {
    let profile = even(&[1.0; 4], 4)?;
    let (mut right, mut steep) = (0, 0);
    for i in 0..80 {
        let t = 0.1 * 1.15f64.powi(i);
        let form = survival_form(&profile, 200, 0.2, t)?;
        let (slow, fast) = ((-0.25 * t * 0.64).exp() * 4.0, (-0.5 * t * 0.64).exp() * 4.0);
        let left = quasi_upper(&profile, 200, 0.2)?;
        right += u32::from(left > form * (1.0 + 1e-12));
        steep += u32::from(left > form - slow + fast);
    }
    assert!(right == 0 && steep > 0);
    let d = 1u64 << 30;
    let c = 4f64.ln() + 2.0 * (d as f64).ln();
    let edge = at_threshold((1.0001 * c / d as f64).sqrt())?;
    let seen = GivenOutputs::equiangular(4, 0.0, d)?.error_between(&edge)?;
    assert_eq!(at_most((d as f64).powi(-2), seen.0), Outcome::Contradicts); // 1 in the place of 48
    assert_eq!(at_most(quasi_survival(&edge, d, 2.0)?, seen.1), Outcome::Supports);
    // Eq. 41: as printed an overfull memory would be right, with the comparison turned alone a faint one.
    let draws = ConditionalDraws::new(4, 300, &mut stream("draws"))?;
    let many = even(&vec![1.0; 4000], 4)?;
    let overfull = error(&draws, &many, 64)?;
    let faint = at_threshold((2.0 / d as f64).sqrt())?;
    let of_faint = error(&draws, &faint, d)?;
    let against =
        |profile: &Profile, d: u64, set: SurvivalSet, seen: Estimate| -> Result<Outcome, Box<dyn std::error::Error>> {
            Ok(outcome(Finding::at_most(
                "error",
                random_survival(profile, d, 4.0, set)?,
                seen,
            )))
        };
    assert_eq!(
        against(&many, 64, SurvivalSet::Printed, overfull)?,
        Outcome::Contradicts
    );
    assert_eq!(against(&faint, d, SurvivalSet::Turned, of_faint)?, Outcome::Contradicts);
    assert_eq!(against(&many, 64, SurvivalSet::Bracketed, overfull)?, Outcome::Supports);
    assert_eq!(against(&faint, d, SurvivalSet::Bracketed, of_faint)?, Outcome::Supports);
    Ok(())
}
