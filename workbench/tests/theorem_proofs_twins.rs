//! Wrong twins of the checks in `notebooks/heavy-tailed-theorem-proofs.ipynb`: each check is run against the printed misprint, or against
//! a statement that is known to be wrong, and must say so.

use workbench::ledger::{Finding, Outcome};
use workbench::memory::{
    AssociativeMemory, ConditionalDraws, DataBound, DataSets, Embeddings, ErrorCurve, Load, Profile, Scheme, Target,
    Threshold, TieBreak, Zipf, balanced_threshold, best_threshold_exponent, critical_rank, damped_mass, data_exponent,
    data_load, divergence, exchange_constant, exchange_divergence, exchanged, forgotten_set, half_factor,
    half_factor_printed, leaves_top, leaving_bound, leaving_top, ln_binomial_below, load_integral,
    load_integral_printed, mean_noise_split, memory_load, memory_term, power_sum, projection_constant, rank_integral,
    stated_threshold_exponent, top_projection, truncated_exponent, two_class_failure, type_class, type_count, types,
    unseen_mass_constant, untruncated_exponent,
};
use workbench::stats::{Estimate, Stream, Streams, mean, proportion};

type Outcomes = Result<(), Box<dyn std::error::Error>>;

fn outcome(finding: Finding) -> Outcome {
    finding.outcome().expect("a finding with finite numbers has an outcome")
}

fn stream(name: &str) -> Stream {
    Streams::new(7).stream(name).expect("fresh name")
}

/// The right value supports, every listed wrong one contradicts.
fn separates(measured: f64, right: f64, tolerance: f64, wrong: &[f64]) {
    separates_estimate(Estimate::exact(measured), right, tolerance, wrong);
}

fn separates_estimate(measured: Estimate, right: f64, tolerance: f64, wrong: &[f64]) {
    let says = |value| outcome(Finding::equals("value", value, tolerance, measured));
    assert_eq!(says(right), Outcome::Supports, "{measured:?} {right}");
    for &twin in wrong {
        assert_eq!(says(twin), Outcome::Contradicts, "{measured:?} {twin}");
    }
}

fn vanishes(error: f64, tolerance: f64) -> Outcome {
    outcome(Finding::identity("difference", error, tolerance))
}

fn exponent(x: [f64; 2], y: [f64; 2]) -> f64 {
    (y[1] / y[0]).ln() / (x[1] / x[0]).ln()
}

/// `Q_infinity / ||q||^2` of `p^rho`.
fn share(law: &Zipf, target: &Target, rho: f64) -> f64 {
    let profile = Profile::population(law, target, &Scheme::power(rho).unwrap(), 2).unwrap();
    profile.largest_energy() / profile.total_energy()
}

const FAR: [f64; 2] = [1_099_511_627_776.0, 1_152_921_504_606_846_976.0]; // 2^40, 2^60

#[test]
fn noise_of_the_own_class_has_no_factor_1_over_d() -> Outcomes {
    let at = |d| mean_noise_split(&[1.0; 5], 0, 1, 0.5, d).unwrap();
    let (near, far) = (at(1 << 10), at(1 << 20));
    let e = |f: fn(&workbench::memory::NoiseSplit) -> f64| exponent([1024.0, 1_048_576.0], [f(&near), f(&far)]);
    separates(e(|s| s.own), 0.0, 0.01, &[-1.0]); // the attribution of the paper
    separates(e(|s| s.others), -1.0, 0.01, &[0.0]);
    separates(far.others * 1_048_576.0 / 3.0, 2.0, 1e-9, &[1.0]); // 2/d, not 1/d
    // Only d q^2 / Q does not notice a rescaling of q.
    let level = |scale: f64, power: i32| 64.0 * scale.powi(power) / (scale * scale);
    assert_eq!(
        vanishes((level(2.0, 2) / level(1.0, 2) - 1.0).abs(), 1e-12),
        Outcome::Supports
    );
    assert_eq!(
        vanishes((level(2.0, 1) / level(1.0, 1) - 1.0).abs(), 1e-12),
        Outcome::Contradicts
    );
    // Two classes: the same failure whichever class holds the rest of the energy.
    let draws = ConditionalDraws::new(2, 4000, &mut stream("two"))?;
    let exact = two_class_failure(1.0, 5.0, 16)?;
    for labels in [[0, 0], [0, 1]] {
        let profile = Profile::from_weights(&[1.0, 0.0], &[1.0, 2.0], &labels, 2)?;
        let drawn = mean(draws.expected_error(&profile, 16)?.as_slice().unwrap())?;
        separates_estimate(drawn, exact, 0.1 * exact, &[0.5 * exact, 2.0 * exact]);
    }
    Ok(())
}

#[test]
fn the_largest_energy_is_the_share_at_one_half_only() -> Outcomes {
    let law = Zipf::new(2.0, 1 << 40)?;
    for classes in [2, 5, 20] {
        let target = Target::modulo(classes)?;
        let ratio = |rho| share(&law, &target, rho) / share(&law, &target, 0.5);
        assert_eq!(vanishes((ratio(0.5) - 1.0f64).abs(), 1e-12), Outcome::Supports);
        for rho in [0.25, 0.45, 0.55, 1.0] {
            assert_eq!(
                vanishes((ratio(rho) - 1.0f64).abs(), 1e-3),
                Outcome::Contradicts,
                "{classes} {rho}"
            );
        }
    }
    // The footnote: equalising changes a constant and no exponent.
    let (law, target) = (Zipf::infinite(2.0)?, Target::modulo(5)?);
    let draws = ConditionalDraws::new(5, 200, &mut stream("footnote"))?;
    let ratio = |d: u64| -> f64 {
        let plain = Profile::population(&law, &target, &Scheme::power(1.0).unwrap(), d).unwrap();
        let even = plain.equalised().unwrap();
        assert!(even.energy().iter().all(|q| (q - 0.2).abs() < 1e-15));
        draws.expected_error(&even, d).unwrap().sum() / draws.expected_error(&plain, d).unwrap().sum()
    };
    separates(
        exponent(FAR, [ratio(1 << 40), ratio(1 << 60)]),
        0.0,
        0.01,
        &[0.025, -0.025],
    );
    let alone = Profile::from_weights(&[1.0], &[1.0], &[0], 2)?;
    assert!(alone.equalised().is_err());
    Ok(())
}

#[test]
fn the_error_is_the_mass_of_the_set() -> Outcomes {
    let (law, target) = (Zipf::infinite(2.0)?, Target::modulo(5)?);
    let p_star = share(&law, &target, 0.5);
    let draws = ConditionalDraws::new(5, 300, &mut stream("eq 42"))?;
    let ratio = |d: u64, power: f64| {
        let profile = Profile::population(&law, &target, &Scheme::power(1.0).unwrap(), d).unwrap();
        let set = forgotten_set(&law, 1.0, None, (d as f64).powf(power), p_star)
            .unwrap()
            .mass();
        draws.expected_error(&profile, d).unwrap().mean().unwrap() / set
    };
    let slope = |power| exponent(FAR, [ratio(1 << 40, power), ratio(1 << 60, power)]);
    separates(slope(1.0), 0.0, 0.02, &[0.25, -0.25]);
    // d to a wrong power in the set: the same check refuses.
    for power in [0.5, 1.5] {
        assert_eq!(
            outcome(Finding::equals("slope", 0.0, 0.02, Estimate::exact(slope(power)))),
            Outcome::Contradicts
        );
    }
    // Equal weights: an empty set beside an error that is not zero.
    let full = Zipf::new(2.0, 1000)?;
    let empty = forgotten_set(&full, 0.0, None, 1280.0, share(&full, &target, 0.5))?.mass();
    let error = draws
        .expected_error(&Profile::population(&full, &target, &Scheme::uniform(), 1280)?, 1280)?
        .mean()
        .unwrap();
    assert!(empty == 0.0 && error > 0.05, "{empty} {error}");
    Ok(())
}

#[test]
fn the_set_holds_the_large_ranks() -> Outcomes {
    for (alpha, rho) in [(2.0, 1.0), (1.5, 1.0), (3.0, 0.5)] {
        let (law, s) = (Zipf::infinite(alpha)?, 2.0 * rho * alpha);
        let load = power_sum(s, 0.0, 1, None)?;
        let d = [10.0, 11.0].map(|k: f64| load * 10f64.powf(k * s));
        let set = d.map(|d| forgotten_set(&law, rho, None, d, 0.6).unwrap().mass());
        let e = untruncated_exponent(alpha, rho)?;
        separates(exponent(d, set), -e, 1e-3, &[e, -2.0 * e, -0.5 * e, 0.0]);
        let printed = d.map(|d| 1.0 - law.tail(critical_rank(alpha, rho, load, d).round() as u64));
        separates(exponent(d, printed), 0.0, 1e-3, &[-e]);
    }
    Ok(())
}

#[test]
fn the_load_integral_has_a_factor() -> Outcomes {
    for s in [1.2, 1.5, 4.0] {
        let exact = rank_integral(&Zipf::infinite(s)?, 0.0, 1.0, 1e4)? / Zipf::infinite(s)?.constant();
        separates(load_integral(s, 1e4)?, exact, 1e-8, &[load_integral_printed(s, 1e4)]);
    }
    assert!(load_integral(1.5, 1e6)? > 1.9); // "bounded by one"
    // The regimes of Theorem 1, and two wrong ones.
    let drift = |s: f64, phi: &dyn Fn(f64) -> f64| {
        let ratio = [1e3, 1e6].map(|n: f64| power_sum(s, 0.0, 1, Some(n as u64)).unwrap() / phi(n));
        (ratio[1] / ratio[0]).ln().abs()
    };
    for s in [0.5, 1.0, 2.0] {
        assert!(drift(s, &|n| memory_load(s, 0.5, n)) < 0.1);
    }
    assert!(drift(0.5, &|n| n) > 1.0 && drift(1.0, &|_| 1.0) > 0.5);
    Ok(())
}

#[test]
fn the_split_is_one_sided() -> Outcomes {
    let p = Zipf::new(1.5, 3)?.probabilities(3);
    let sets = DataSets::two_classes(&p, 5, &Scheme::power(0.5)?, 10)?;
    let split = sets.split(2, &|s| s.counts[1] >= 1)?;
    assert_eq!(vanishes((split.exact() - split.error).abs(), 1e-14), Outcome::Supports);
    assert_eq!(
        vanishes((split.printed() - split.error).abs(), 1e-3),
        Outcome::Contradicts
    );
    assert!(split.error <= split.printed());
    assert!(split.error > split.error_inside && split.error < split.outside + split.error_inside);
    Ok(())
}

#[test]
fn chernoff_with_the_right_factor() -> Outcomes {
    let worst = |rate: f64| {
        let mut worst = f64::NEG_INFINITY;
        for t in [10u64, 100_000] {
            for p in [0.001, 0.01, 0.05, 0.5] {
                let below = (0.5 * t as f64 * p).ceil() as u64;
                worst = f64::max(worst, ln_binomial_below(t, p, below).unwrap() + rate * t as f64 * p);
            }
        }
        worst
    };
    assert!(worst(1.0 / 8.0) <= 0.0 && worst(1.0 / 6.0) > 0.0 && worst(1.0 / 4.0) > 0.0);
    let differ = |factor: fn(f64) -> f64, rho: f64| {
        (0..=41)
            .filter(|&k| ((k as f64 / 41.0).powf(rho) < 0.3f64.powf(rho) * factor(rho)) != (k as f64 / 41.0 < 0.15))
            .count()
    };
    for rho in [0.25, 0.5, 1.0, 2.0] {
        assert_eq!(differ(half_factor, rho), 0);
        assert_eq!(differ(half_factor_printed, rho) > 0, rho != 1.0, "{rho}");
    }
    // At rho = 2 the printed event is more likely than the bound.
    let printed = ln_binomial_below(1000, 0.01, (10.0 * 0.5f64.powf(0.25)).ceil() as u64)?.exp();
    assert!(printed > (-1.25f64).exp());
    Ok(())
}

#[test]
fn the_data_term_has_order_and_constant() -> Outcomes {
    for alpha in [1.5, 2.0, 3.0] {
        let law = Zipf::infinite(alpha)?;
        let e = data_exponent(alpha)?;
        let (early, late) = (damped_mass(&law, 1e6 / 8.0)?, damped_mass(&law, 1e7 / 8.0)?);
        let mut wrong = vec![e, -2.0 * e, -0.5 * e];
        if alpha != 2.0 {
            wrong.push(-1.0 / alpha);
        }
        separates((late / early).log10(), -e, 1e-3, &wrong);
        let limit = unseen_mass_constant(&law)? * 8f64.powf(e);
        separates(late * 1e7f64.powf(e) / limit, 1.0, 1e-3, &[8f64.powf(-e), 8f64.powf(e)]);
    }
    // The first line with "=" overcounts.
    let p = Zipf::new(1.5, 3)?.probabilities(3);
    let sets = DataSets::two_classes(&p, 8, &Scheme::power(1.0)?, 8)?;
    let line: f64 = (0..3)
        .map(|x| {
            let split = sets.split(x + 1, &|s| 2.0 * s.counts[x] as f64 > 8.0 * p[x]).unwrap();
            p[x] * ((-p[x]).exp() + split.error_inside)
        })
        .sum();
    assert!(sets.error() < 0.9 * line);
    Ok(())
}

#[test]
fn jensen_is_sharp() -> Outcomes {
    let largest = |rho: f64, n: usize| {
        types(n, 6)
            .unwrap()
            .iter()
            .map(|a| {
                a.iter()
                    .filter(|c| **c > 0)
                    .map(|c| (*c as f64 / 6.0).powf(2.0 * rho))
                    .sum::<f64>()
            })
            .fold(0.0, f64::max)
    };
    for rho in [0.1, 0.25, 0.5, 0.6, 1.0] {
        for n in [2usize, 3] {
            let bound = data_load(rho, n as f64);
            separates(largest(rho, n) / bound, 1.0, 1e-12, &[0.99]); // reached by uniform counts or one input
        }
    }
    assert!(largest(0.25, 3) > 3f64.powf(0.25)); // the twin N^(1/2 - rho)
    assert!(data_load(0.375, 1e6) > 10.0 * memory_load(2.0, 0.375, 1e6)); // psi is not phi
    Ok(())
}

#[test]
fn the_data_bound_needs_its_constant() -> Outcomes {
    let (law, target) = (Zipf::infinite(1.2)?, Target::modulo(100)?);
    let draws = ConditionalDraws::new(100, 40, &mut stream("hundred"))?;
    let curve = draws.sample_curve(
        &law,
        &target,
        &Scheme::power(0.5)?,
        1 << 60,
        &[1000],
        &mut stream("hundred, data"),
    )?;
    let error = curve.at(0)?;
    let d = 2f64.powi(60);
    let says = |bound: f64| outcome(Finding::at_most("error", bound, error));
    assert_eq!(
        says(DataBound::printed(&law, 0.5, 100, d, 1000.0)?.total()),
        Outcome::Contradicts
    );
    assert_eq!(
        says(DataBound::derived(&law, 0.5, 100, d, 1000.0)?.total()),
        Outcome::Supports
    );
    // The logarithm in the memory term has the power of the exponent.
    let law = Zipf::infinite(2.0)?;
    let drift = |power: f64| {
        let [a, b] = [1e15, 1e60]
            .map(|d: f64| memory_term(&law, 1.0, 5, d, 0.5, 1.0).unwrap() * d.powf(0.25) / d.ln().powf(power));
        (b / a).ln().abs()
    };
    assert!(drift(0.25) < 0.15 && drift(1.25) > 1.0 && drift(-0.75) > 1.0);
    Ok(())
}

#[test]
fn many_seen_inputs_make_the_errors() -> Outcomes {
    let (labels, mut few, mut many) = (Target::modulo(5)?.labels(200), 0, 0);
    let streams = Streams::new(5);
    for i in 0..40 {
        let mut draw = streams.replicate("memory", i)?;
        for (seen, lost) in [(16, &mut few), (200, &mut many)] {
            let e = Embeddings::draw(200, 5, 40, &mut draw)?;
            let q: Vec<f64> = (0..200).map(|x| f64::from(u8::from(x < seen))).collect();
            let margins = AssociativeMemory::store(&e, &q, &labels)?.margins(&e, &labels)?;
            let wrong = margins.iter().take(seen).filter(|m| **m <= 0.0).count();
            *lost += u64::from(wrong as f64 > 0.2 * seen as f64);
        }
    }
    let says = |low, share: u64| {
        outcome(if low {
            Finding::at_most("share", 0.25, proportion(share, 40).unwrap())
        } else {
            Finding::at_least("share", 0.75, proportion(share, 40).unwrap())
        })
    };
    assert_eq!(
        (says(true, few), says(false, many)),
        (Outcome::Supports, Outcome::Supports)
    );
    assert_eq!(
        (says(false, few), says(true, many)),
        (Outcome::Contradicts, Outcome::Contradicts)
    ); // as printed
    Ok(())
}

#[test]
fn the_balance_uses_the_load() -> Outcomes {
    for s in [0.0, 0.5, 2.0, 4.0] {
        let rho = s / 4.0;
        let d = [1e14, 1e16];
        let exact = d.map(|d| balanced_threshold(2.0, rho, d, Load::Sum).unwrap());
        let count = d.map(|d| balanced_threshold(2.0, rho, d, Load::Count).unwrap());
        let (best, stated) = (best_threshold_exponent(2.0, rho)?, stated_threshold_exponent(2.0, rho)?);
        let wrong: &[f64] = if s == 0.0 { &[0.5, 2.0] } else { &[stated, 2.0 * best] };
        separates(exponent(d, exact), best, 0.005, wrong);
        separates(exponent(d, count), stated, 1e-6, &[if s == 0.0 { 0.5 } else { best }]);
    }
    Ok(())
}

#[test]
fn the_rate_at_the_stated_threshold() -> Outcomes {
    let (law, target) = (Zipf::infinite(2.0)?, Target::modulo(5)?);
    let draws = ConditionalDraws::new(5, 200, &mut stream("rate"))?;
    let error = |rho: f64, d: u64| {
        let e = stated_threshold_exponent(2.0, rho).unwrap();
        let rule = Threshold::PowerOfDimension {
            scale: 1.0,
            exponent: e,
        };
        let scheme = Scheme::power(rho).unwrap().threshold(rule).unwrap();
        draws
            .expected_error(&Profile::population(&law, &target, &scheme, d).unwrap(), d)
            .unwrap()
            .mean()
            .unwrap()
    };
    for rho in [0.125, 0.5] {
        let slope = exponent(FAR, [error(rho, 1 << 40), error(rho, 1 << 60)]);
        let right = truncated_exponent(2.0, rho)?;
        separates(
            slope,
            -right,
            0.01,
            &[right, -2.0 * right, -0.5 * right, -untruncated_exponent(2.0, rho)?],
        );
    }
    let flat = exponent(FAR, [error(0.0, 1 << 40), error(0.0, 1 << 60)]);
    separates(flat, 0.0, 0.01, &[-1.0]); // rho = 0, P = d
    Ok(())
}

#[test]
fn types_have_their_probability() -> Outcomes {
    let p = Zipf::new(1.5, 3)?.probabilities(3);
    let (mut right, mut swapped, mut doubled) = (0.0f64, 0.0f64, f64::NEG_INFINITY);
    for counts in types(3, 9)?.iter().filter(|c| c.iter().all(|c| *c > 0)) {
        let a = type_class(counts, &p)?;
        let frequencies: Vec<f64> = counts.iter().map(|c| *c as f64 / 9.0).collect();
        right = right.max((a.ln_probability() - a.ln_size + 9.0 * (a.entropy + a.divergence)).abs());
        swapped =
            swapped.max((a.ln_probability() - a.ln_size + 9.0 * (a.entropy + divergence(&p, &frequencies)?)).abs());
        doubled = doubled.max(a.ln_probability() + 18.0 * a.divergence);
        assert!(a.ln_probability() <= -9.0 * a.divergence + 1e-12);
    }
    assert_eq!(vanishes(right, 1e-12), Outcome::Supports);
    assert_eq!(vanishes(swapped, 1e-2), Outcome::Contradicts);
    assert!(doubled > 0.0);
    Ok(())
}

#[test]
fn counts_of_types() {
    let (mut display, mut twin, mut follows) = (0, 0, 0);
    for n in 2..=12u32 {
        for t in 1..=12u32 {
            let count = type_count(u64::from(n), u64::from(t)).unwrap();
            display += usize::from(count > u128::from(t + 1).pow(n));
            twin += usize::from(count > u128::from(t + 1).pow(n - 2));
            follows += usize::from(u128::from(n + 1).pow(t) > u128::from(t + 1).pow(n));
        }
    }
    assert!(display == 0 && twin > 0 && follows > 0);
}

#[test]
fn the_logarithm_belongs_inside() -> Outcomes {
    let p = Zipf::new(2.0, 3)?.probabilities(3);
    for ties in [TieBreak::Frequent, TieBreak::Rare] {
        let out = leaving_top(&p, 200, 1, 1, ties)?;
        assert!(out.ln_probability <= out.ln_type_sum && out.ln_type_sum <= out.ln_bound());
        assert!(out.ln_bound() < -5.0 && out.bound_printed() > 1.0);
        assert!(out.ln_type_sum > out.ln_largest); // the supremum alone is no bound
    }
    let five = Zipf::new(1.1, 5)?.probabilities(5);
    let out = leaving_top(&five, 15, 4, 4, TieBreak::Rare)?;
    assert!(out.ln_type_sum.exp() > out.bound_printed()); // the printed link breaks
    Ok(())
}

#[test]
fn the_exchange_is_not_the_projection() -> Outcomes {
    let p = Zipf::new(2.0, 4)?.probabilities(4);
    let out = leaving_top(&p, 200, 1, 2, TieBreak::Rare)?;
    let nearest = -out.ln_largest / 200.0;
    separates(
        nearest,
        top_projection(&p, 1, 2)?.divergence,
        0.01,
        &[exchange_divergence(p[0], p[1]), exchange_divergence(p[0], p[2])],
    );
    let moved = exchanged(&p, 1, 2)?;
    assert_eq!(moved.iter().filter(|a| **a > moved[0]).count(), 1); // still in the top 2
    let formula = exchange_divergence(p[0], p[2]);
    let law = exchanged(&p, 1, 3)?;
    separates(
        divergence(&law, &p)?,
        formula,
        1e-14,
        &[-formula, 2.0 * formula, (p[0] - p[2]) * (p[2] / p[0]).ln()],
    );
    separates(divergence(&p, &law)?, formula, 1e-14, &[0.0]);
    Ok(())
}

#[test]
fn the_zipf_constant_counts_once() -> Outcomes {
    for alpha in [1.1, 2.0, 3.0] {
        let law = Zipf::infinite(alpha)?;
        let p = law.probabilities(201);
        let member = law.constant() * 7f64.powf(-alpha) * exchange_constant(alpha);
        separates(exchange_constant(alpha) * p[6] / member, 1.0, 1e-12, &[law.constant()]);
        for x in [1usize, 7, 40, 99] {
            assert!(exchange_divergence(p[x - 1], p[199]) >= exchange_constant(alpha) * p[x - 1]);
            assert!(top_projection(&p, x, 200)?.divergence >= projection_constant(alpha) * p[x - 1]);
        }
        // The constant of the exchange is not one of the projection.
        assert!(top_projection(&p, 90, 200)?.divergence < exchange_constant(alpha) * p[89]);
    }
    Ok(())
}

#[test]
fn the_printed_rate_of_leaving_is_crossed() -> Outcomes {
    let law = Zipf::new(3.0, 4)?;
    let p = law.probabilities(4);
    let out = leaving_top(&p, 300, 1, 3, TieBreak::Rare)?;
    let bound = |rate: f64| out.ln_count_bound() - 300.0 * rate * p[0];
    assert!(out.ln_probability > bound(law.constant() * exchange_constant(3.0)));
    assert!(out.ln_probability < bound(projection_constant(3.0)));
    // The bound without N is a bound, and half of it is not one everywhere.
    let infinite = Zipf::infinite(2.0)?;
    let runs = 400;
    let mut left = 0;
    let streams = Streams::new(2);
    for i in 0..runs {
        let counts = infinite.sample_counts(150, &mut streams.replicate("data", i)?)?;
        let own = counts.seen.iter().find(|s| s.0 == 6).map_or(0, |s| s.1);
        left += u64::from(own == 0 || counts.seen.iter().filter(|s| s.0 != 6 && s.1 >= own).count() >= 8);
    }
    assert!(proportion(left, runs)?.low <= leaving_bound(&infinite, 6, 8, 150)?);
    assert!(leaving_bound(&infinite, 2, 16, 20_000)? < 1e-6);
    assert!(leaves_top(&[3, 5, 5], 1, 2, TieBreak::Frequent));
    Ok(())
}

#[test]
fn a_threshold_that_falls_with_the_data_learns_nothing() -> Outcomes {
    let (law, target) = (Zipf::infinite(2.0)?, Target::modulo(5)?);
    let draws = ConditionalDraws::new(5, 60, &mut stream("threshold"))?;
    let sizes = [1u64 << 12, 1 << 20];
    let error = |power: f64, name: &str| -> [f64; 2] {
        sizes.map(|t| {
            let tf = t as f64;
            let p = (tf.powf(power) / tf.ln()).floor().max(1.0) as u64;
            let scheme = Scheme::uniform().top(p).unwrap();
            let curve: ErrorCurve = draws
                .sample_curve(
                    &law,
                    &target,
                    &scheme,
                    1 << 60,
                    &[t],
                    &mut stream(&format!("{name} {t}")),
                )
                .unwrap();
            curve.means()[0] / tf.ln()
        })
    };
    let x = sizes.map(|t| t as f64);
    separates(exponent(x, error(0.5, "up")), -0.5, 0.05, &[-1.0, -0.25]);
    assert!(exponent(x, error(-0.5, "down")) > -0.2);
    Ok(())
}

#[test]
fn the_last_term_needs_a_fixed_n() {
    let power = |l: f64, alpha: f64, n: f64| n - 2f64.powf(alpha) * projection_constant(alpha) * l.powf(alpha - 1.0);
    for n in [1.0, 1000.0] {
        assert!(power(1e200, 1.1, n) < -1e3);
        assert!(power(1e200, 1.0, 10.0) > 0.0); // alpha = 1: a fixed power
    }
    assert!(power(100.0, 2.0, 50f64.exp()) > 0.0); // N = T^(1/2)
}

#[test]
fn both_terms_with_a_power_scheme() -> Outcomes {
    let (law, target) = (Zipf::infinite(2.0)?, Target::modulo(5)?);
    let draws = ConditionalDraws::new(5, 200, &mut stream("power"))?;
    let rule = Threshold::PowerOfDimension {
        scale: 1.0,
        exponent: stated_threshold_exponent(2.0, 0.5)?,
    };
    let scheme = Scheme::power(0.5)?.threshold(rule)?;
    let curve = draws.sample_curve(
        &law,
        &target,
        &scheme,
        1 << 60,
        &[256, 4096, 65_536],
        &mut stream("power, data"),
    )?;
    let slope = curve.slope(&mut stream("power, bootstrap"))?;
    separates_estimate(slope, -0.5, 0.06, &[-1.0, -0.25, -1.0 / 3.0]);
    Ok(())
}

#[test]
fn the_tail_constant_of_the_lower_bound() -> Outcomes {
    for alpha in [1.5, 2.0, 3.0] {
        let law = Zipf::infinite(alpha)?;
        let area = rank_integral(&law, 0.0, 100.0, f64::INFINITY)? / (law.constant() * 100f64.powf(1.0 - alpha));
        separates(area, 1.0 / (alpha - 1.0), 1e-9, &[1.0 / (alpha + 1.0), 1.0 / alpha]);
    }
    // Escaping inputs: the largest whole number below 3 (d + 1) / p_*.
    let law = Zipf::new(1.5, 400)?;
    for (d, p_star) in [(1.0, 0.5), (4.0, 0.35), (9.0, 1.0)] {
        let limit = 3.0 * (d + 1.0);
        let escapes = |n: u64| {
            forgotten_set(&law, 0.0, Some(n), limit, p_star)
                .unwrap()
                .first
                .is_none()
        };
        let most = (1..=200).filter(|n| escapes(*n)).max().unwrap() as f64;
        separates(
            most,
            (limit / p_star).ceil() - 1.0,
            0.0,
            &[(limit * p_star).floor(), (limit / p_star).ceil()],
        );
    }
    Ok(())
}
