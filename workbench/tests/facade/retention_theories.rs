//! Theories of retention against simulations, and against wrong theories that the same comparison must tell apart.

use workbench::gradient_memory::{
    DeltaRule, Frequencies, HeavyBall, Hebbian, Keys, Loss, RecursiveLeastSquares, Retention, UpdateRule, WeightDecay,
    geometric_retention, least_squares_retention, momentum_retention, retention_by_age,
};
use workbench::ledger::{Finding, Outcome};
use workbench::stats::{Estimate, Streams};

type Outcomes = Result<(), Box<dyn std::error::Error>>;

fn by_age(rule: &dyn UpdateRule) -> Retention {
    retention_by_age(rule, 80, &AGES, 600, &Streams::new(7), "ages").expect("valid input")
}

const AGES: [usize; 4] = [0, 8, 24, 79];

/// The right theory is within one and a half half-widths everywhere, every wrong one is beyond two somewhere.
fn follows(kept: &Retention, right: Vec<f64>, wrong: &[Vec<f64>]) {
    let distance = |theory: &[f64]| kept.worst_distance(theory).expect("one value for each age");
    assert!(distance(&right) < 1.5, "{}: {}", kept.rule(), distance(&right));
    for twin in wrong {
        assert!(distance(twin) > 2.0, "{}: {}", kept.rule(), distance(twin));
    }
}

#[test]
fn retention_theories_and_their_twins() -> Outcomes {
    let d = 16;
    let n = d as f64;
    let fades = |start: f64, factor: f64| geometric_retention(start, factor, &AGES);
    follows(
        &by_age(&DeltaRule::new(d, d, 1.0)?),
        fades(1.0, 1.0 - 1.0 / n),
        &[fades(1.0, 1.0 - 0.5 / n), fades(1.0, 1.0 - 2.0 / n), fades(1.0, 1.0), fades(0.5, 1.0 - 1.0 / n)],
    );
    follows(
        &by_age(&WeightDecay::new(d, d, 0.5, 0.05, Loss::Squared)?),
        fades(0.5, 1.0 - 0.025 - 0.5 / n),
        &[fades(0.5, 1.0 - 0.5 / n), fades(0.5, 1.0 - 0.05 - 0.5 / n), fades(0.5, 1.0 - 0.025)],
    );
    follows(
        &by_age(&HeavyBall::new(d, d, 0.25, 0.75, Loss::Squared)?),
        momentum_retention(0.25, 0.75, d, &AGES)?,
        &[fades(0.25, 1.0 - 0.25 / n), fades(1.0, 1.0 - 1.0 / n), momentum_retention(0.25, 0.5, d, &AGES)?],
    );
    follows(
        &by_age(&RecursiveLeastSquares::new(d, d, 1.0, 1e-6)?),
        least_squares_retention(1.0, d, 80, &AGES)?,
        &[least_squares_retention(0.95, d, 80, &AGES)?, fades(1.0, 1.0 - 1.0 / n)],
    );
    // The budget: a rule that corrects its errors holds d pairs, one that does not holds them all.
    let total = |kept: Retention| kept.total().expect("many runs");
    assert_eq!(
        Finding::equals("budget", n, 1.5, total(by_age(&RecursiveLeastSquares::new(d, d, 1.0, 1e-6)?))).outcome()?,
        Outcome::Supports
    );
    assert_eq!(
        Finding::equals("budget", n, 1.5, total(by_age(&Hebbian::new(d, d, 1.0)?))).outcome()?,
        Outcome::Contradicts
    );
    Ok(())
}

#[test]
fn frequencies_and_single_sights() -> Outcomes {
    let weights: Vec<f64> = (1..=400).map(|x| f64::from(x).powf(-1.2)).collect();
    let total: f64 = weights.iter().sum();
    let law: Vec<f64> = weights.iter().map(|w| w / total).collect();
    let (streams, d) = (Streams::new(7), 12);
    let items = Frequencies::new(law, 300).keys(Keys::Sphere).ranks(&[1, 20, 400]).runs(200);
    let rule = DeltaRule::new(d, d, 0.5)?;
    let seen = items.retention(&rule, &streams, "items")?;
    let gap = |eta: f64, i: usize| -> Result<Estimate, Box<dyn std::error::Error>> {
        Ok(seen.minus(&items.expected_delta(eta, (d, d), &streams, "items")?, i)?)
    };
    for i in 0..3 {
        let gap = gap(0.5, i)?;
        assert!(gap.value.abs() < 1.5 * gap.half_width(), "{i} {gap}");
    }
    let once = items.once_seen(&rule, 3, &streams, "once")?;
    let mean = items.expected_delta_once_seen(0.5, (d, d), 3, &streams, "once")?;
    for i in 0..3 {
        let gap = once.minus(&mean, i)?;
        assert!(gap.value.abs() < 1.5 * gap.half_width(), "{i} {gap}");
    }
    for wrong in [0.02, 1.5] {
        let twin = items.expected_delta_once_seen(wrong, (d, d), 3, &streams, "once")?;
        let gaps: Vec<Estimate> = (0..3).map(|i| once.minus(&twin, i)).collect::<Result<_, _>>()?;
        let far = gaps.iter().map(|g| g.value.abs() / g.half_width()).fold(0.0, f64::max);
        assert!(far > 2.0, "step size {wrong}: {far} {gaps:?}");
    }
    // Forgetting by traffic is not forgetting at one rate for all directions.
    let equal = geometric_retention(0.5, 1.0 - 0.5 / d as f64, &(100..200).collect::<Vec<_>>());
    let equal = equal.iter().sum::<f64>() / 100.0;
    assert!(once.at(1)?.low > 2.0 * equal, "{} {equal}", once.at(1)?);
    Ok(())
}
