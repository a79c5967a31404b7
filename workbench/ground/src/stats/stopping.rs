//! Every computation of the room that can take long ends when a stop is requested, wherever it is.

use super::*;
use crate::rehearsal::{count, stop_after};
use ndarray::Array2;

/// `work` looks at least `least` times, and ends with `operation` named when the stop comes at its first, a middle or its last look.
fn stops<T>(operation: &str, least: usize, mut work: impl FnMut() -> Result<T, Error>) {
    let (result, looks) = count(&mut work);
    assert!(result.is_ok(), "{operation}");
    assert!(looks >= least, "{operation} looks {looks} times");
    for at in [0, looks / 2, looks - 1] {
        match stop_after(at, &mut work) {
            Err(Error::Stopped(stopped)) => {
                assert_eq!(stopped.operation, operation);
                assert!(stopped.done < stopped.of, "{stopped:?}");
            }
            other => panic!("{operation} at look {at} of {looks}: {:?}", other.err()),
        }
    }
}

#[test]
fn resampling_stops_between_two_resamples() {
    let x: Vec<f64> = (0..9).map(f64::from).collect();
    let stream = || Streams::new(1).stream("b").unwrap();
    let mean_of = |i: &[usize]| i.iter().map(|&k| x[k]).sum::<f64>() / i.len() as f64;
    stops("bootstrap", 2000, || bootstrap(9, 2000, &mut stream(), &mut |i| mean_of(i)));
    // After the look that says stop nothing more is computed.
    let mut calls = 0;
    let result = stop_after(700, || {
        bootstrap(9, 2000, &mut stream(), &mut |i| {
            calls += 1;
            mean_of(i)
        })
    });
    let stopped = crate::work::Stopped { operation: "bootstrap", done: 700, of: 2000 };
    assert!(matches!(result, Err(Error::Stopped(s)) if s == stopped));
    assert_eq!(calls, 701, "the full sample and 700 resamples");
    let runs = Array2::from_shape_fn((8, 5), |(i, j)| (1.0 + 0.01 * i as f64) / (j + 1) as f64);
    let d = [1.0, 2.0, 3.0, 4.0, 5.0];
    stops("power_fit_runs", 1999, || power_fit_runs(&d, &runs, (1.0, 5.0), 1999, &mut stream()));
}

#[test]
fn integration_stops_between_two_intervals() {
    let narrow = |x: f64| 1.0 / ((x - 0.3).powi(2) + 1e-6);
    stops("integrate", 10, || integrate(&narrow, 0.0, 1.0, 1e-10));
    stops("gauss_hermite", 200, || gauss_hermite(400));
}
