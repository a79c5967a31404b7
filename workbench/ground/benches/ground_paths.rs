//! Hot paths that every room stands on: draws, exponentials, intervals, exact fractions.

use divan::{Bencher, black_box, counter::ItemsCount};
use ndarray::Array2;
use workbench_ground::exact::Fraction;
use workbench_ground::lanes::{exp64, two_to_32};
use workbench_ground::stats::{Stream, Streams, bootstrap, normal_array2, student_quantile, zeta_tail};
use workbench_ground::vectorized;

fn main() {
    divan::main();
}

fn stream(name: &str) -> Stream {
    Streams::new(1).stream(name).unwrap()
}

/// A million normals of one stream.
#[divan::bench]
fn normals(bencher: Bencher) {
    let mut draws = stream("normals");
    bencher.counter(ItemsCount::new(1_000_000usize)).bench_local(|| normal_array2(&mut draws, 1000, 1000));
}

vectorized! {
    fn exponentials_of(x: &[f64], out: &mut [f64]) {
        for (out, x) in out.iter_mut().zip(x) {
            *out = exp64::<FMA>(*x);
        }
    }
}

vectorized! {
    fn single_exponentials_of(x: &[f32], out: &mut [f32]) {
        for (out, x) in out.iter_mut().zip(x) {
            *out = two_to_32::<FMA>(*x);
        }
    }
}

/// 4096 exponentials: the library's, one by one, and those of loops in double and in single precision.
#[divan::bench(args = ["library", "double", "single"])]
fn exponentials(bencher: Bencher, form: &str) {
    let x: Vec<f64> = (0..4096).map(|i| 0.01 * f64::from(i) - 20.0).collect();
    let short: Vec<f32> = x.iter().map(|x| *x as f32).collect();
    let (mut out, mut short_out) = (vec![0.0f64; x.len()], vec![0.0f32; x.len()]);
    bencher.counter(ItemsCount::new(x.len())).bench_local(|| match form {
        "library" => {
            for (out, x) in out.iter_mut().zip(&x) {
                *out = x.exp();
            }
            black_box(&out);
        }
        "double" => {
            exponentials_of(&x, &mut out);
            black_box(&out);
        }
        _ => {
            single_exponentials_of(&short, &mut short_out);
            black_box(&short_out);
        }
    });
}

/// An interval for a mean of a thousand units from two thousand resamples.
#[divan::bench]
fn bootstrap_of_a_mean(bencher: Bencher) {
    let values: Vec<f64> = (0..1000).map(|i| f64::from(i).sin()).collect();
    let mut draws = stream("resamples");
    bencher.bench_local(|| {
        bootstrap(values.len(), 2000, &mut draws, &mut |units| {
            units.iter().map(|i| values[*i]).sum::<f64>() / units.len() as f64
        })
    });
}

/// What an interval at 99.9 % asks of Student's law.
#[divan::bench(args = [9.0, 1000.0, 1e6])]
fn quantile_of_student(dof: f64) -> f64 {
    student_quantile(black_box(0.9995), dof)
}

/// The mass beyond rank d of a Zipf law.
#[divan::bench]
fn tail_of_zipf() -> f64 {
    zeta_tail(black_box(1.5), black_box(1000))
}

/// A product of matrices of exact fractions, 8 x 8.
#[divan::bench]
fn exact_product(bencher: Bencher) {
    let matrix = |shift: i64| -> Array2<Fraction> {
        Array2::from_shape_fn((8, 8), |(i, j)| {
            Fraction::new((3 * i + 5 * j) as i64 % 7 - shift, 1 + (i + 2 * j) as i64 % 5)
        })
    };
    let (a, b) = (matrix(3), matrix(2));
    bencher.counter(ItemsCount::new(512usize)).bench(|| {
        Array2::from_shape_fn((8, 8), |(i, j)| {
            (0..8).fold(Fraction::from(0), |sum, k| &sum + &(&a[[i, k]] * &b[[k, j]]))
        })
    });
}
