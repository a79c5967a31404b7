//! Properties of any loss and any shape.

use ndarray::Array2;
use proptest::prelude::*;
use workbench_ground::stats::{Stream, Streams, normal_array2};

use crate::exact::{Fraction, entries_that_differ, fraction_matrix};
use crate::{GradientStep, Loss, UpdateRule, closed_form_step, exact_first_order_condition, exact_gradient_step};

fn stream(seed: u64) -> Stream {
    Streams::new(seed).stream("property").unwrap()
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
        let w = fraction_matrix(&mut stream, d_v, d_k);
        let (keys, values) = (fraction_matrix(&mut stream, n, d_k), fraction_matrix(&mut stream, n, d_v));
        let eta = Fraction::new(1, 3);
        let after = exact_gradient_step(Loss::Squared, &w, &keys, &values, &eta)?;
        let condition = exact_first_order_condition(Loss::Squared, &after, &w, &keys, &values, &eta)?;
        prop_assert_eq!(entries_that_differ(&condition, &Array2::from_elem((d_v, d_k), Fraction::from(0)))?, 0);
    }
}
