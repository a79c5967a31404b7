//! Wrong twins of the checks in `notebooks/mnemosyne-compact-memory.ipynb`: each check is run against a printed misprint, a wrong
//! constant or a wrong rule, and must say so.

use workbench::features::compact::{
    DenseMemory, FlipVariance, Guarantee, Interaction, Patterns, Rule, Signs, ball, combination,
    compact_retrieval_rate, joint_moments, log_psi, log_psi_as_printed, log_psi_by_quadrature,
    orthogonal_pair_covariance, scan, scan_of, squared_deviations,
};
use workbench::features::{Ensemble, MapKind, best_a_hat_for_pair};
use workbench::ledger::{Finding, Outcome};
use workbench::stats::{Estimate, Streams, mean};

type Outcomes = Result<(), Box<dyn std::error::Error>>;

fn outcome(finding: Finding) -> Outcome {
    finding.outcome().expect("a finding with finite numbers has an outcome")
}

fn same(label: &str, error: f64, tolerance: f64) -> Outcome {
    outcome(Finding::identity(label, error, tolerance))
}

#[test]
fn energy_has_a_minus_sign() -> Outcomes {
    let code = Patterns::reed_muller(1, 3)?;
    let memory = DenseMemory::new(code.clone(), Interaction::Exponential);
    let input = code.pattern(0)?.flipped(3)?;
    for i in 0..8 {
        let (signal, noise) = memory.signal_and_noise(&input, i, 0)?;
        let change = memory
            .energy(&input.flipped(i)?)?
            .plus(memory.energy(&input)?.minus())
            .value();
        let parts = signal.plus(noise).value();
        let size = memory.energy(&input)?.value().abs();
        assert_eq!(same("minus", (parts - change).abs() / size, 1e-10), Outcome::Supports);
        assert_eq!(same("plus", (parts + change).abs() / size, 1e-10), Outcome::Contradicts);
    }
    Ok(())
}

/// Eq. 23: the middle line without 1/r is not below the last one; a last line too small by e^6 is not above the noise.
#[test]
fn noise_chain() -> Outcomes {
    let code = Patterns::reed_muller(1, 4)?;
    let g = Guarantee::of(&code, 3)?;
    let seen = scan_of(&code, &g, &[0])?;
    let over = |r: usize| Estimate::exact(g.log_noise_middle_as_printed(32, r) - g.log_noise_bound(32));
    assert_eq!(outcome(Finding::at_most("r = 1", 0.0, over(1))), Outcome::Supports);
    for r in [2, 16] {
        assert_eq!(
            outcome(Finding::at_most("as printed", 0.0, over(r))),
            Outcome::Contradicts
        );
    }
    let bound = |factor: f64| {
        outcome(Finding::at_most(
            "noise",
            1.0,
            Estimate::exact(seen.noise_ratio * factor),
        ))
    };
    assert_eq!(
        (bound(1.0), bound(6f64.exp())),
        (Outcome::Supports, Outcome::Contradicts)
    );
    Ok(())
}

/// Eqs. 24 and 27 are attained: a constant that is larger or smaller is seen.
#[test]
fn signal_constants() -> Outcomes {
    let code = Patterns::reed_muller(1, 4)?;
    let seen = scan_of(&code, &Guarantee::of(&code, 2)?, &[0])?;
    for ratio in [seen.away_ratio, seen.towards_ratio] {
        assert_eq!(same("constant", (ratio - 1.0).abs(), 1e-12), Outcome::Supports);
        for twin in [1.01, 0.99, 1.0 / (1.0 - (-2f64).exp())] {
            assert_eq!(same("twin", (ratio * twin - 1.0).abs(), 1e-12), Outcome::Contradicts);
        }
    }
    Ok(())
}

/// The scan can see a wrong sign: beyond the limit in the worst case, and below twins of the limit.
#[test]
fn the_scan_sees_wrong_signs() -> Outcomes {
    let wrong = |petals: usize| -> Result<u64, Box<dyn std::error::Error>> {
        let set = Patterns::sunflower(petals, 1, 2)?;
        Ok(scan(&set, &Guarantee::of(&set, 1)?)?.wrong)
    };
    let g = Guarantee::of(&Patterns::sunflower(2, 1, 2)?, 1)?;
    let printed = g.log_limit().exp().floor() as usize; // 3
    assert_eq!(wrong(printed - 1)?, 0);
    assert_eq!(wrong(7)?, 0); // M = 8, the last that the sharp condition allows
    assert!(wrong(8)? > 0);
    // Twins of the limit: the factor 1/e^2 dropped, or the exponent with tau - rho instead of tau - 2 rho.
    let dropped = (g.log_limit() + 2.0).exp().floor() as usize;
    let exponent = (g.log_limit() + 2.0 * g.dim() as f64 * g.rho()).exp().floor() as usize;
    assert!(wrong(dropped - 1)? > 0 && wrong(exponent - 1)? > 0);
    Ok(())
}

#[test]
fn the_rule_of_the_flip() -> Outcomes {
    let code = Patterns::reed_muller(1, 3)?;
    let memory = DenseMemory::new(code.clone(), Interaction::Exponential);
    let mut stream = Streams::new(7).stream("order")?;
    for input in ball(&code.pattern(9)?, 1)? {
        let down = memory.retrieve(&input, Rule::Descend, 20, &mut stream)?;
        assert!(down.converged && down.state == code.pattern(9)?);
        assert!(memory.retrieve(&input, Rule::Ascend, 20, &mut stream)?.state != code.pattern(9)?);
    }
    let kind = MapKind::FavorPlusPlus {
        a_hat: best_a_hat_for_pair(8, 28.0)?,
    };
    let rate = |rule| {
        compact_retrieval_rate(
            &code,
            kind,
            Ensemble::Independent,
            4096,
            1,
            rule,
            60,
            &Streams::new(7),
            "r",
        )
    };
    let at_least = |e| outcome(Finding::at_least("retrieved", 0.5, e));
    assert_eq!(at_least(rate(Rule::Descend)?), Outcome::Supports);
    assert_eq!(at_least(rate(Rule::Ascend)?), Outcome::Contradicts);
    Ok(())
}

/// Psi: every factor that a misprint could touch.
#[test]
fn psi() -> Outcomes {
    for a_hat in [0.02, 0.1, 0.4, 1.5] {
        let x = [4.0, 2.0, 0.0, -2.0, 2.0, 4.0];
        let (n, norm2) = (6.0, 44.0);
        let truth = log_psi_by_quadrature(&x, a_hat)?;
        let right = log_psi(6, a_hat, norm2)?;
        assert_eq!(same("1 + 8A", (right - truth).abs(), 1e-10), Outcome::Supports);
        let twins = [
            log_psi_as_printed(6, a_hat, norm2)?,
            right - 0.5 * n * (1.0 + 4.0 * a_hat).ln(), // D^2
            right + n,                                  // exp(-N)
            right + n * (1.0 + 8.0 * a_hat).ln(),       // the other sign of the power
            right - 0.5 * n * (1.0 + 8.0 * a_hat).ln(), // (1 + 8A)^-N
            right + (1.0 + 4.0 * a_hat) * norm2 / (2.0 * (1.0 + 8.0 * a_hat)), // the factor 2 dropped
        ];
        for twin in twins {
            assert_eq!(
                same("twin", (twin - truth).abs(), 1e-10),
                Outcome::Contradicts,
                "{a_hat}"
            );
        }
    }
    Ok(())
}

/// Eqs. 12, 13 and 32: the printed readings and others against integration.
#[test]
fn six_terms() -> Outcomes {
    let mut stream = Streams::new(7).stream("sets")?;
    for (n, m, a_hat) in [(2, 2, 0.3), (3, 4, 0.3), (3, 2, 1.0)] {
        let set = Patterns::random(m, n, &mut stream)?;
        let input = set.pattern(0)?;
        let seen = joint_moments(&set, &input, 1, a_hat, 40)?;
        let truth = seen.second - seen.mean * seen.mean;
        let flip = FlipVariance::new(&set, &input, 1, a_hat)?;
        let v = flip.log_terms();
        let psi = flip.log_psi_terms_as_printed()?;
        let eq12 = [1.0, 1.0, -2.0, -1.0, -1.0, 2.0];
        let error = |c, v| (combination(c, v).value() / truth - 1.0).abs();
        assert_eq!(same("right", error(eq12, v), 1e-8), Outcome::Supports);
        let wrong = [
            (eq12, [v[0], v[1], v[2], flip.log_v4_as_printed(), v[4], v[5]]),
            ([1.0, 1.0, -2.0, -1.0, -1.0, -2.0], v),
            (eq12, [psi[0], psi[1], psi[2], v[3], v[4], v[5]]),
            ([1.0, 1.0, -1.0, -1.0, -1.0, 2.0], v),
            ([1.0, 1.0, -2.0, 0.0, 0.0, 0.0], v),
        ];
        for (k, (c, v)) in wrong.into_iter().enumerate() {
            assert_eq!(same("twin", error(c, v), 1e-8), Outcome::Contradicts, "{k}");
        }
    }
    Ok(())
}

#[test]
fn independence_is_needed() -> Outcomes {
    let set = Patterns::reed_muller(1, 1)?.first(2)?;
    let input = set.pattern(0)?;
    let flip = FlipVariance::new(&set, &input, 0, 1.0)?;
    let one = flip.log_relative_variance(false)?.exp();
    let pair = orthogonal_pair_covariance(&set, &input, 0, 1.0)? / flip.mean().value().powi(2);
    let scaled = |ensemble| -> Result<Estimate, Box<dyn std::error::Error>> {
        let squares = squared_deviations(
            &set,
            &input,
            0,
            1.0,
            ensemble,
            2,
            60_000,
            &Streams::new(7),
            &format!("{ensemble:?}"),
        )?;
        Ok(mean(&squares)?.affine(2.0 / one, 0.0)?)
    };
    let near = |expected, e| outcome(Finding::near("r Var", expected, 0.0, e));
    let (independent, orthogonal) = (scaled(Ensemble::Independent)?, scaled(Ensemble::BlockOrthogonal)?);
    let exact = 1.0 + pair / one;
    assert_eq!(
        (near(1.0, independent), near(1.0, orthogonal)),
        (Outcome::Supports, Outcome::Contradicts)
    );
    assert_eq!(
        (near(exact, orthogonal), near(exact, independent)),
        (Outcome::Supports, Outcome::Contradicts)
    );
    Ok(())
}

/// The comparison of maps has power: a badly chosen parameter of FAVOR++ loses against FAVOR+.
#[test]
fn a_bad_parameter_loses() -> Outcomes {
    let code = Patterns::reed_muller(1, 5)?;
    let input = code.pattern(0)?.flipped_at(&[0, 1, 2, 3, 4])?;
    let need = |a_hat: f64| FlipVariance::new(&code, &input, 31, a_hat)?.log_relative_variance(false);
    let gain = |a_hat: f64| -> Result<Outcome, Box<dyn std::error::Error>> {
        Ok(outcome(Finding::at_most(
            "FAVOR++ minus FAVOR+",
            0.0,
            Estimate::exact(need(a_hat)? - need(0.0)?),
        )))
    };
    assert_eq!(gain(best_a_hat_for_pair(32, 108.0)?)?, Outcome::Supports);
    assert_eq!(gain(1.0 / 0.5 - 1.0)?, Outcome::Supports);
    assert_eq!(gain(1.0 / 0.001 - 1.0)?, Outcome::Contradicts);
    Ok(())
}

#[test]
fn single_patterns_have_no_noise() -> Outcomes {
    let one = Patterns::from_signs(vec![Signs::plus(10)?])?;
    let seen = scan(&one, &Guarantee::of(&one, 4)?)?;
    assert_eq!((seen.wrong, seen.noise_ratio), (0, 0.0));
    Ok(())
}
