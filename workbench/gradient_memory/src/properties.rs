//! What holds for any fraction, any loss and any shape.

use ndarray::Array2;
use proptest::prelude::*;
use workbench_ground::stats::{Stream, Streams, normal_array2};

use crate::rational::{Rational, entries_that_differ, rational_matrix};
use crate::scalar::Scalar;
use crate::{GradientStep, Loss, UpdateRule, closed_form_step, exact_first_order_condition, exact_gradient_step};

fn stream(seed: u64) -> Stream {
    Streams::new(seed).stream("property").unwrap()
}

fn fraction() -> impl Strategy<Value = Rational> {
    (-1000i128..1000, 1i128..1000).prop_map(|(top, bottom)| Rational::new(top, bottom))
}

fn shape() -> impl Strategy<Value = (usize, usize, usize)> {
    (1usize..6, 1usize..6, 1usize..6)
}

/// Rows of probabilities, which every loss accepts.
fn probabilities(stream: &mut Stream, n: usize, d: usize) -> Array2<f64> {
    let mut v = normal_array2(stream, n, d).mapv(|x| x * x);
    v.rows_mut().into_iter().for_each(|mut row| row /= row.sum());
    v
}

proptest! {
    #[test]
    fn fractions_are_a_field(x in fraction(), y in fraction(), z in fraction()) {
        prop_assert_eq!(x * (y + z), x * y + x * z);
        prop_assert_eq!((x + y) + z, x + (y + z));
        prop_assert_eq!(x + y - y, x);
        prop_assert_eq!(x - x, Rational::zero());
        if y != Rational::zero() {
            prop_assert_eq!(x / y * y, x);
        }
        prop_assert_eq!(x < y, x.to_f64() < y.to_f64());
    }

    /// Beyond 128 bits nothing equals anything; within them the result is that of a wider computation.
    #[test]
    fn overflow_is_told(a: i128, b in 1i128.., c: i128, d in 1i128..) {
        let (x, y) = (Rational::new(a, b), Rational::new(c, d));
        for result in [x + y, x - y, x * y] {
            prop_assert!(result == result || !result.is_exact());
        }
        let product = x * y;
        if product.is_exact() {
            let float = (a as f64 / b as f64) * (c as f64 / d as f64);
            prop_assert!((product.to_f64() - float).abs() <= 1e-14 * float.abs());
        }
    }

    /// A float that fits is kept bit for bit.
    #[test]
    fn floats_are_kept(mantissa in -(1i64 << 53)..(1i64 << 53), power in -90i32..60) {
        let x = mantissa as f64 * 2f64.powi(power);
        let exact = Rational::from_f64(x);
        prop_assert!(exact.is_exact(), "{x:e}");
        prop_assert_eq!(exact.to_f64(), x);
    }

    /// The gradient as outer products, by dual numbers and by differences.
    #[test]
    fn gradients_agree(seed: u64, (d_v, d_k, n) in shape()) {
        let mut stream = stream(seed);
        let (w, keys) = (normal_array2(&mut stream, d_v, d_k), normal_array2(&mut stream, n, d_k));
        let values = probabilities(&mut stream, n, d_v);
        for loss in [Loss::Squared, Loss::Inner, Loss::Logistic, Loss::CrossEntropy, Loss::TanhSquared] {
            let gradient = loss.gradient(&w, &keys, &values)?;
            let scale = 1.0 + gradient.iter().fold(0.0f64, |a, b| a.max(b.abs()));
            let duals = loss.gradient_by_duals(&w, &keys, &values)?;
            prop_assert!((duals - &gradient).iter().all(|e| e.abs() < 1e-12 * scale), "{loss:?}");
            let differences = loss.gradient_by_differences(&w, &keys, &values, 1e-5)?;
            prop_assert!((differences - &gradient).iter().all(|e| e.abs() < 1e-7 * scale), "{loss:?}");
        }
    }

    /// One step is its closed form, and in fractions it meets the first-order condition of the document's argmin without tolerance.
    #[test]
    fn steps_are_their_closed_forms(seed: u64, (d_v, d_k, n) in shape(), eta in 0.01f64..2.0) {
        let mut stream = stream(seed);
        let (key, value) = (normal_array2(&mut stream, 1, d_k), normal_array2(&mut stream, 1, d_v));
        let mut rule = GradientStep::new(d_v, d_k, eta, Loss::Squared)?;
        for _ in 0..3 {
            let next = closed_form_step(rule.weights(), &key, &value, eta)?;
            rule.step(&key, &value)?;
            let size = 1.0 + next.iter().fold(0.0f64, |a, b| a.max(b.abs()));
            prop_assert!((next - rule.weights()).iter().all(|e| e.abs() < 1e-12 * size));
        }
        let w = rational_matrix(&mut stream, d_v, d_k);
        let (keys, values) = (rational_matrix(&mut stream, n, d_k), rational_matrix(&mut stream, n, d_v));
        let eta = Rational::new(1, 3);
        let after = exact_gradient_step(Loss::Squared, &w, &keys, &values, eta)?;
        let condition = exact_first_order_condition(Loss::Squared, &after, &w, &keys, &values, eta)?;
        prop_assert_eq!(entries_that_differ(&condition, &Array2::from_elem((d_v, d_k), Rational::zero()))?, 0);
    }
}
