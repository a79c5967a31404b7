//! Identities that hold for any arguments: special functions, sums in log space, intervals, draws.

use proptest::prelude::*;

use super::special::{beta_quantile, beta_tails, binomial_tails};
use super::*;

fn close(got: f64, want: f64, relative: f64) -> Result<(), TestCaseError> {
    prop_assert!((got - want).abs() <= relative * want.abs(), "{got:e} against {want:e}");
    Ok(())
}

/// Finite numbers over sixteen decades and both signs.
fn number() -> impl Strategy<Value = f64> {
    (-1.0f64..1.0, -8i32..8).prop_map(|(x, power)| x * 10f64.powi(power))
}

proptest! {
    /// The tail from n is its first term and the tail from n + 1; head and tail make the whole.
    #[test]
    fn zeta_recurs(alpha in 1.001f64..30.0, n in 1usize..10_000_000) {
        close(zeta_tail(alpha, n), (n as f64).powf(-alpha) + zeta_tail(alpha, n + 1), 1e-13)?;
        let head = sum_of_powers(alpha, 0.0, 1, Some(n));
        close(head + zeta_tail(alpha, n + 1), zeta_tail(alpha, 1), 1e-13)?;
    }

    /// I_x(a, b) = 1 - I_{1-x}(b, a), the two tails make one, and I_x(a, b) is the weighted mean of its neighbours:
    /// (a + b) I_x(a, b) = a I_x(a + 1, b) + b I_x(a, b + 1).
    #[test]
    fn incomplete_beta_is_symmetric_and_recurs(a in 0.05f64..3e4, b in 0.05f64..3e4, x in 0.0f64..1.0) {
        let (y, x) = (1.0 - x, 1.0 - (1.0 - x)); // so that x + y is exactly one
        let (lower, upper) = beta_tails(a, b, x, y);
        prop_assert_eq!(beta_tails(b, a, y, x), (upper, lower));
        prop_assert!((lower + upper - 1.0).abs() < 1e-15);
        let mean = (a * beta_tails(a + 1.0, b, x, y).0 + b * beta_tails(a, b + 1.0, x, y).0) / (a + b);
        prop_assert!((lower - mean).abs() <= 1e-10 * lower + 1e-300, "{lower:e} against {mean:e}");
    }

    #[test]
    fn quantiles_invert_and_are_odd(p in 1e-12f64..0.5, dof in 1.0f64..5e4, a in 0.3f64..500.0, b in 0.3f64..500.0) {
        close(normal_cdf(normal_quantile(p)), p, 1e-12)?;
        prop_assert_eq!(normal_quantile(1.0 - p), -normal_quantile(1.0 - (1.0 - p)));
        let t = student_quantile(p, dof);
        prop_assert!(t <= normal_quantile(p) * (1.0 - 1e-12) + 1e-12, "Student's tails are the heavier ones: {t}");
        let x = beta_quantile(p, a, b);
        // Where x nears one, 1 - x holds few digits.
        prop_assert!(x > 0.999 || (beta_tails(a, b, x, 1.0 - x).0 / p - 1.0).abs() < 1e-9, "{x}");
    }

    /// The binomial law as a sum of its terms.
    #[test]
    fn binomial_tails_are_sums(n in 1usize..60, k in 0usize..60, q in 0.001f64..0.999) {
        let k = k.min(n);
        let (mut term, mut sum) = ((1.0 - q).powi(n as i32), 0.0);
        for i in 0..=k {
            sum += term;
            term *= (n - i) as f64 / (i + 1) as f64 * q / (1.0 - q);
        }
        close(binomial_tails(k, n, q).0, sum, 1e-11)?;
    }

    /// Sums of exponentials do not see a shift, and one number after the other gives the same.
    #[test]
    fn log_sums_shift(logs in prop::collection::vec(-700.0f64..700.0, 1..20), shift in -1e5f64..1e5) {
        let whole = log_sum_exp(&logs);
        let shifted: Vec<f64> = logs.iter().map(|x| x + shift).collect();
        prop_assert!((log_sum_exp(&shifted) - shift - whole).abs() < 1e-10);
        let mut sum = LogSum::new();
        logs.iter().for_each(|&x| sum.add(x));
        close(sum.value() + 1.0, whole + 1.0, 1e-13)?;
        let (a, b) = (logs[0], logs[logs.len() - 1]);
        let both = log_add_exp(a, b);
        // What is taken away comes back with the digits that it has beside the whole.
        if both - a < 20.0 {
            prop_assert!((log_diff_exp(both, b) - a).abs() <= 1e-13 * (both - a).exp() * (1.0 + both.abs()));
        }
    }

    /// A mean follows its data: moved and scaled values give the moved and scaled interval.
    #[test]
    fn means_follow_their_data(values in prop::collection::vec(-10.0f64..10.0, 3..30), factor in 0.1f64..10.0, shift in -10.0f64..10.0) {
        let (plain, moved) = (mean(&values)?, mean(&values.iter().map(|x| factor * x + shift).collect::<Vec<_>>())?);
        let expected = plain.affine(factor, shift)?;
        for (got, want) in [(moved.value, expected.value), (moved.low, expected.low), (moved.high, expected.high)] {
            prop_assert!((got - want).abs() < 1e-9, "{got} against {want}");
        }
        prop_assert!(plain.contains(plain.value));
    }

    /// A power law is found again, from any units.
    #[test]
    fn power_laws_are_found(exponent in -4.0f64..4.0, factor in 1e-6f64..1e6, unit in 1e-3f64..1e3) {
        let x: Vec<f64> = (0..8).map(|i| unit * 1.7f64.powi(i)).collect();
        let y: Vec<f64> = x.iter().map(|x| factor * x.powf(exponent)).collect();
        let fit = power_fit(&x, &y, (x[0], x[7]))?;
        prop_assert!((fit.slope.value - exponent).abs() < 1e-10, "{}", fit.slope.value);
        close(fit.predict(3.0 * unit), factor * (3.0 * unit).powf(exponent), 1e-9)?;
    }

    /// An estimate that is shown as exact, or moved, keeps its interval around its value.
    #[test]
    fn estimates_keep_their_order(value in number(), below in 0.0f64..1.0, above in 0.0f64..1.0, factor in number()) {
        let estimate = Estimate::new(value, value - below, value + above, 5, CONFIDENCE)?;
        let moved = estimate.affine(factor, 1.0)?;
        prop_assert!(moved.low <= moved.value && moved.value <= moved.high, "{moved:?}");
    }

    /// Names and replicates are streams of their own; each begins anew with the same numbers. Draws lie where they should.
    #[test]
    fn streams_are_named_and_in_range(seed: u64, name in "[a-z]{1,8}", i in 0usize..100, n in 1u64..1000, length in 0usize..50) {
        let streams = Streams::new(seed);
        let draw = |stream: &mut Stream| (0..4).map(|_| stream.uniform()).collect::<Vec<_>>();
        let (first, other) = (draw(&mut streams.stream(&name)?), draw(&mut streams.replicate(&name, i)?));
        prop_assert_ne!(&first, &other);
        prop_assert_eq!(&first, &draw(&mut Streams::new(seed).stream(&name)?));
        prop_assert!(first.iter().all(|x| (0.0..1.0).contains(x)));
        let mut stream = streams.stream(&format!("{name}-2"))?;
        prop_assert!((0..20).all(|_| stream.below(n) < n));
        let mut order = stream.permutation(length);
        order.sort_unstable();
        prop_assert!(order.into_iter().eq(0..length));
        let sphere = unit_sphere(&mut stream, 3, 1 + length);
        prop_assert!(sphere.rows().into_iter().all(|row| (row.dot(&row) - 1.0).abs() < 1e-14));
    }
}
