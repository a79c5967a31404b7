//! Wrong twins of the checks in `notebooks/heavy-tailed-useful-lemmas.ipynb`: each check is run against the printed misprint, or against
//! a statement that is known to be wrong, and must say so.

use ndarray::Array2;
use workbench::ledger::{Finding, Outcome};
use workbench::memory::{
    CapChain, Embeddings, ErrorCurve, Falling, LOG_FACTOR, ReluMemory, Target, Zipf, cap_bound, cap_bound_printed,
    cap_chain, cap_probability, coherence, data_exponent, equiangular, failure_bound, granted_eta, is_quasi_orthogonal,
    rank_integral, relu_capacity, series_and_integrals, simplex, union_bound, unseen_by_enumeration, unseen_integral,
    unseen_integral_constant, unseen_integral_constant_printed, unseen_mass_constant, unseen_sandwich, welch_bound,
};
use workbench::ndarray;
use workbench::stats::{Estimate, Stream, Streams, proportion, unit_sphere};

type Outcomes = Result<(), Box<dyn std::error::Error>>;

fn outcome(finding: Finding) -> Outcome {
    finding.outcome().expect("a finding with finite numbers has an outcome")
}

fn stream(name: &str) -> Stream {
    Streams::new(7).stream(name).expect("fresh name")
}

/// The right value supports, every listed wrong one contradicts.
fn separates(measured: f64, right: f64, tolerance: f64, wrong: &[f64]) {
    let measured = Estimate::exact(measured);
    let says = |value| outcome(Finding::equals("value", value, tolerance, measured));
    assert_eq!(says(right), Outcome::Supports, "{measured:?} {right}");
    for &twin in wrong {
        assert_eq!(says(twin), Outcome::Contradicts, "{measured:?} {twin}");
    }
}

fn vanishes(error: f64, tolerance: f64) -> Outcome {
    outcome(Finding::identity("difference", error, tolerance))
}

#[test]
fn lemma_1_order_and_constant() -> Outcomes {
    for alpha in [1.5, 2.0, 3.0] {
        let law = Zipf::infinite(alpha)?;
        let (early, late) = (law.unseen_mass(1_000_000), law.unseen_mass(10_000_000));
        let e = data_exponent(alpha)?;
        // Sign flipped, twice, half, and 1/alpha in the place of 1 - 1/alpha (the same at alpha = 2).
        let mut wrong = vec![e, -2.0 * e, -0.5 * e];
        if alpha != 2.0 {
            wrong.push(-1.0 / alpha);
        }
        separates((late / early).log10(), -e, 1e-3, &wrong);
        let printed = law.constant().powf(1.0 / alpha) * unseen_integral_constant_printed(alpha)?;
        let right = unseen_mass_constant(&law)?;
        separates(
            late * 1e7f64.powf(e),
            right,
            1e-3,
            &[printed, right * alpha, right / law.constant().powf(1.0 / alpha)],
        );
    }
    // At finite N the power law ends.
    let finite = Zipf::new(2.0, 1000)?;
    let slope = (finite.unseen_mass(100_000_000) / finite.unseen_mass(10_000_000)).log10();
    assert!(slope < -5.0);
    Ok(())
}

#[test]
fn unseen_mass_by_enumeration() -> Outcomes {
    let f = unseen_by_enumeration(&[6, 3, 2], &[true, false, false], 4)?;
    let shorter = unseen_by_enumeration(&[6, 3, 2], &[true, false, false], 3)?;
    let value = |numerator: u128, f: &workbench::memory::UnseenFraction| numerator as f64 / f.denominator as f64;
    assert_eq!(
        vanishes(value(f.enumerated, &f) - value(f.formula, &f), 0.0),
        Outcome::Supports
    );
    let exponent = (value(f.enumerated, &f) - value(shorter.formula, &shorter)).abs();
    assert_eq!(vanishes(exponent, 1e-12), Outcome::Contradicts);
    assert_eq!(
        vanishes(value(f.enumerated, &f) - value(f.with_default, &f), 1e-12),
        Outcome::Contradicts
    );
    Ok(())
}

#[test]
fn printed_inequalities_break_where_they_should() -> Outcomes {
    // ln(1 + a) >= 2 ln 2 a: right at -1/4, wrong at 1 and at -0.6.
    let gap = |a: f64| a.ln_1p() - LOG_FACTOR * a;
    assert!(gap(-0.25) > 0.0 && gap(1.0) < 0.0 && gap(-0.6) < 0.0 && gap(-0.5).abs() < 1e-15);
    // First sign of the sandwich: wrong with p(1) <= 1/2, an equality with p(1) > 1/2.
    let flat = unseen_sandwich(&Zipf::new(0.5, 100)?, 10)?;
    assert!(flat.indicated > 1.01 * flat.from_second && flat.indicated <= flat.error);
    let steep = unseen_sandwich(&Zipf::new(3.0, 100)?, 10)?;
    assert!((steep.indicated / steep.from_second - 1.0).abs() < 1e-14);
    // Last member of the series-integral chain, printed and mended; and a sandwich with its factors exchanged.
    let chain = series_and_integrals(&Zipf::new(2.0, 100_000)?, 100_000)?;
    assert!(chain.upper_printed < chain.error && chain.upper_series <= chain.upper);
    assert!(flat.upper > flat.error && flat.error > flat.from_second);
    Ok(())
}

#[test]
fn integral_of_eq_15_and_its_neighbours() -> Outcomes {
    let law = Zipf::infinite(2.0)?;
    let ratio = |s: f64| -> Result<f64, Box<dyn std::error::Error>> {
        Ok(law.unseen_mass(1_000_000) / rank_integral(&law, s, 1.0, f64::INFINITY)?)
    };
    assert!((ratio(1e6)? - 1.0).abs() < 1e-5);
    assert!((ratio(LOG_FACTOR * 1e6)? - LOG_FACTOR.sqrt()).abs() < 1e-3);
    Ok(())
}

#[test]
fn change_of_variable() -> Outcomes {
    for f in [Falling::Power(2.0), Falling::Exponential] {
        let ranks = f.over_ranks(50.0, 1.0, f64::INFINITY)?;
        let image = f.over_values(50.0, 0.0, f.value(1.0))?;
        let printed = f.over_values(50.0, 1.0, f64::INFINITY)?;
        assert_eq!(vanishes((image / ranks - 1.0).abs(), 1e-8), Outcome::Supports);
        assert_eq!(vanishes((printed / ranks - 1.0).abs(), 1e-8), Outcome::Contradicts);
        assert!(printed < 1e-15 * ranks);
    }
    Ok(())
}

#[test]
fn gamma_constant() -> Outcomes {
    for alpha in [1.1, 1.5, 2.0, 3.0, 5.0] {
        let measured = Falling::Power(alpha).over_ranks(1e6, 1.0, f64::INFINITY)? * 1e6f64.powf(data_exponent(alpha)?);
        let right = unseen_integral_constant(alpha)?;
        separates(
            measured,
            right,
            1e-4,
            &[unseen_integral_constant_printed(alpha)?, right * alpha, -right],
        );
        assert!((unseen_integral(alpha, 1e6)? * 1e6f64.powf(data_exponent(alpha)?) / right - 1.0).abs() < 1e-9);
    }
    Ok(())
}

#[test]
fn quasi_orthogonality() -> Outcomes {
    let corners = simplex(4)?;
    assert!(is_quasi_orthogonal(&corners, 0.25 + 1e-12)? && !is_quasi_orthogonal(&corners, 0.2)?);
    assert!(!is_quasi_orthogonal(&(&corners * 1.01), 0.9)?);
    // Half of the granted eta is refused for the families that Lemma 2 is shown with.
    let mut stream = stream("families");
    for (p, d) in [(3u64, 8u64), (54, 16), (403, 24)] {
        let eta = granted_eta(p, d)?;
        let best = (0..20)
            .map(|_| coherence(&unit_sphere(&mut stream, p as usize, d as usize)))
            .collect::<Result<Vec<f64>, _>>()?
            .into_iter()
            .fold(1.0, f64::min);
        assert!(best <= eta && best >= welch_bound(p, d)?);
        if p > 3 {
            assert!(best > 0.5 * eta);
        }
    }
    Ok(())
}

#[test]
fn union_bound_counts_all_pairs() -> Outcomes {
    let (p, d, eta, runs) = (10usize, 10u64, 0.7, 4000u64);
    let mut stream = stream("union");
    let mut hits = 0;
    for _ in 0..runs {
        hits += u64::from(coherence(&unit_sphere(&mut stream, p, d as usize))? <= eta);
    }
    let (share, bound) = (proportion(hits, runs)?, union_bound(p as u64, d, eta)?);
    assert!(share.high >= bound, "{share:?} {bound}");
    let half = 1.0 - 0.5 * (1.0 - bound);
    assert!(share.high < half, "{share:?} {half}");
    Ok(())
}

#[test]
fn cap_probability_and_its_printed_forms() -> Outcomes {
    let at_zero = CapChain::at_zero(3)?;
    separates(cap_probability(3, 0.5)?, 0.5, 1e-9, &{
        let c = cap_chain(3, 0.5)?;
        [c.slices, c.integral, c.gammas, c.cancelled]
    });
    assert!((at_zero[3] - 1.0).abs() < 1e-12 && (at_zero[1] - 1.0).abs() > 0.1);
    // The printed end of the chain is no bound at d = 2, the corrected one is; at d = 3 both are.
    assert!(cap_probability(2, 0.9)? > cap_bound_printed(2, 0.9)?);
    for d in [2, 3, 4, 10, 100] {
        for k in 1..100 {
            let eta = f64::from(k) / 100.0;
            let exact = cap_probability(d, eta)?;
            assert!(exact <= cap_bound(d, eta)?);
            assert!(d == 2 || exact <= cap_bound_printed(d, eta)?);
        }
    }
    // Half of the corrected bound is refused.
    assert!(cap_probability(100, 0.2)? > 0.5 * cap_bound(100, 0.2)?);
    Ok(())
}

#[test]
fn lemma_2_conclusion_needs_its_constant() -> Outcomes {
    for (p, d) in [(3u64, 5u64), (4, 50), (200, 400)] {
        let eta = granted_eta(p, d)?;
        assert!(union_bound(p, d, eta)? > 0.8);
    }
    assert!(union_bound(200, 400, granted_eta(200, 400)? / 2f64.sqrt())? < 0.0);
    Ok(())
}

#[test]
fn relu_memory_capacity_and_its_twins() -> Outcomes {
    let (eta, d) = (0.7, 40.0);
    let p = relu_capacity(eta, d) as usize;
    let (labels, mut stream) = (Target::modulo(5)?.labels(p), stream("relu"));
    let recalls = |e: &Embeddings| -> Result<bool, workbench::memory::Error> {
        ReluMemory::store(e, &labels, eta)?.recalls_all()
    };
    for _ in 0..20 {
        assert!(recalls(&Embeddings::spherical(p, 5, 40, &mut stream)?)?);
    }
    // Inputs of length sqrt(d), and many more inputs than claimed.
    let large = relu_capacity(0.7, 52.0) as usize;
    let many = Target::modulo(5)?.labels(large);
    let gaussian = Embeddings::draw(large, 5, 52, &mut stream)?;
    assert!(!ReluMemory::store(&gaussian, &many, eta)?.recalls_all()?);
    let crowded = Embeddings::spherical(4000, 5, 8, &mut stream)?;
    assert!(!ReluMemory::store(&crowded, &Target::modulo(5)?.labels(4000), 0.3)?.recalls_all()?);
    // The error follows the tail of the law, P^(1 - alpha): exponents half and twice are refused.
    let law = Zipf::infinite(2.0)?;
    let sizes: Vec<f64> = [48.0, 64.0, 80.0, 96.0]
        .iter()
        .map(|d| relu_capacity(0.5, *d).floor())
        .collect();
    let tails = Array2::from_shape_fn((2, 4), |(_, j)| law.tail(sizes[j] as u64));
    let slope = ErrorCurve::new(sizes, tails)?.slope(&mut Streams::new(1).stream("boot")?)?;
    separates(slope.value, -1.0, 0.05, &[-0.5, -2.0, 1.0]);
    Ok(())
}

#[test]
fn the_two_facts_are_sharp() -> Outcomes {
    assert!((failure_bound(relu_capacity(0.5, 64.0), 64.0, 0.5) - 1.0).abs() < 1e-12);
    let fails = |c: f64, eta: f64, crowd: usize| -> Result<bool, Box<dyn std::error::Error>> {
        let mut labels = vec![1; crowd + 1];
        labels[0] = 0;
        let e = Embeddings::from_parts(equiangular(crowd + 1, c)?, Array2::eye(crowd + 1))?;
        Ok(!ReluMemory::store(&e, &labels, eta)?.recalls_all()?)
    };
    assert!(!fails(0.4999, 0.5, 200)?);
    assert!(fails(0.55, 0.5, 12)?);
    assert!(fails(0.2, 1.0, 3)?);
    Ok(())
}
