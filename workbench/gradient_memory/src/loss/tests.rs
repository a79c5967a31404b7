//! Gradients in every way, values by hand, and what is refused.

use super::*;
use crate::{entries_that_differ, fraction_matrix};
use ndarray::array;
use workbench_ground::rehearsal::stop_after;
use workbench_ground::stats::{Streams, normal_array2};

const LOSSES: [Loss; 6] =
    [Loss::Squared, Loss::Inner, Loss::Huber { delta: 0.75 }, Loss::Logistic, Loss::CrossEntropy, Loss::TanhSquared];

/// Rows of probabilities, which every loss accepts.
fn probabilities(n: usize, d: usize, streams: &Streams) -> Array2<f64> {
    let mut v = normal_array2(&mut streams.stream("v").unwrap(), n, d).mapv(|x| x * x);
    for mut row in v.rows_mut() {
        let total = row.sum();
        row /= total;
    }
    v
}

#[test]
fn outer_products_agree_with_duals_and_differences_for_every_shape() {
    for (seed, (d_v, d_k, n)) in [(1, 1, 1), (3, 5, 1), (5, 3, 4), (2, 7, 9)].into_iter().enumerate() {
        let streams = Streams::new(seed as u64);
        let w = normal_array2(&mut streams.stream("w").unwrap(), d_v, d_k);
        let keys = normal_array2(&mut streams.stream("k").unwrap(), n, d_k);
        let values = probabilities(n, d_v, &streams);
        for loss in LOSSES {
            let gradient = loss.gradient(&w, &keys, &values).unwrap();
            let scale = 1.0 + gradient.iter().fold(0.0f64, |a, b| a.max(b.abs()));
            let duals = loss.gradient_by_duals(&w, &keys, &values).unwrap();
            assert!((&duals - &gradient).iter().all(|e| e.abs() < 1e-13 * scale), "{loss:?}");
            let differences = loss.gradient_by_differences(&w, &keys, &values, 1e-5).unwrap();
            // Rounding 1e-16 / 1e-5 and truncation 1e-10, with the third derivatives of these losses.
            assert!((&differences - &gradient).iter().all(|e| e.abs() < 1e-8 * scale), "{loss:?}");
        }
    }
}

#[test]
fn exact_gradients_agree_without_tolerance() {
    let streams = Streams::new(5);
    let w = fraction_matrix(&mut streams.stream("w").unwrap(), 3, 4);
    let keys = fraction_matrix(&mut streams.stream("k").unwrap(), 5, 4);
    let values = fraction_matrix(&mut streams.stream("v").unwrap(), 5, 3);
    for loss in [Loss::Squared, Loss::Inner, Loss::Huber { delta: 0.75 }] {
        let outer = loss.exact_gradient(&w, &keys, &values).unwrap();
        let duals = loss.exact_gradient_by_duals(&w, &keys, &values).unwrap();
        assert_eq!(entries_that_differ(&outer, &duals).unwrap(), 0);
    }
    let stopped = stop_after(3, || Loss::Squared.exact_gradient_by_duals(&w, &keys, &values));
    assert!(matches!(stopped, Err(Error::Stopped(stopped)) if (stopped.done, stopped.of) == (3, 12)));
    for loss in [Loss::Logistic, Loss::CrossEntropy, Loss::TanhSquared] {
        assert!(matches!(loss.exact_gradient(&w, &keys, &values), Err(Error::Unavailable { .. })));
    }
}

#[test]
fn values_by_hand_and_far_out() {
    let w = array![[1.0], [0.0]];
    let total = |loss: Loss, x: f64, v: [f64; 2]| loss.total(&w, &array![[x]], &array![[v[0], v[1]]]).unwrap();
    assert_eq!(total(Loss::Squared, 3.0, [1.0, 2.0]), 4.0);
    assert_eq!(total(Loss::Inner, 3.0, [1.0, 2.0]), -3.0);
    assert_eq!(total(Loss::Huber { delta: 1.0 }, 3.0, [0.0, 0.5]), 2.5 + 0.125);
    assert!((total(Loss::Logistic, 0.0, [1.0, 0.0]) - 2.0 * 2f64.ln()).abs() < 1e-15);
    assert!((total(Loss::CrossEntropy, 2f64.ln(), [1.0, 0.0]) - 1.5f64.ln()).abs() < 1e-15);
    assert_eq!(total(Loss::TanhSquared, 0.0, [0.0, 1.0]), 0.5);
    // Outputs where e^y is infinite.
    assert_eq!(total(Loss::Logistic, 1e4, [0.0, 0.0]), 1e4 + 2f64.ln());
    assert_eq!(total(Loss::CrossEntropy, 1e4, [0.0, 1.0]), 1e4);
    let u = Loss::CrossEntropy.output_gradient(&w, &array![[1e4]], &array![[0.0, 1.0]]).unwrap();
    assert_eq!(u, array![[1.0, -1.0]]);
}

#[test]
fn bad_input_is_named() {
    let (w, x, v) = (array![[1.0, 2.0]], array![[1.0, 1.0]], array![[0.5]]);
    let loss = Loss::Squared;
    let message = |r: Result<f64, Error>| r.unwrap_err().to_string();
    let wrong = message(loss.total(&w, &array![[1.0, 1.0, 1.0]], &v));
    assert!(wrong.contains("(1, 2)") && wrong.contains("(1, 3)"), "{wrong}");
    let wrong = message(loss.total(&w, &x, &array![[1.0, 2.0]]));
    assert!(wrong.contains("d_v"), "{wrong}");
    let wrong = message(loss.total(&w, &x, &array![[1.0], [2.0]]));
    assert!(wrong.contains("(1, 2)") && wrong.contains("(2, 1)"), "{wrong}");
    assert!(matches!(loss.total(&w, &Array2::zeros((0, 2)), &Array2::zeros((0, 1))), Err(Error::Empty { .. })));
    assert!(matches!(
        loss.total(&w, &array![[f64::NAN, 1.0]], &v),
        Err(Error::NotFinite { at, .. }) if at == [0, 0]
    ));
    assert!(matches!(loss.total(&(&w * f64::INFINITY), &x, &v), Err(Error::NotFinite { name: "W", .. })));
    assert!(matches!(Loss::Huber { delta: 0.0 }.total(&w, &x, &v), Err(Error::Parameter { .. })));
    assert!(matches!(
        Loss::CrossEntropy.total(&w, &x, &v),
        Err(Error::Refused { problem, .. }) if problem.starts_with("row 0 of the values is no target")
    ));
    assert!(matches!(
        Loss::Logistic.total(&w, &x, &array![[1.5]]),
        Err(Error::Refused { problem, .. }) if problem.starts_with("row 0 of the values is no target")
    ));
    assert!(matches!(loss.gradient_by_differences(&w, &x, &v, 0.0), Err(Error::Parameter { .. })));
}
