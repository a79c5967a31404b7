use super::*;
use crate::{Draws, FeatureMap};
use ndarray::{Array2, array};
use workbench_ground::stats::Streams;

const KINDS: [MapKind; 5] = [
    MapKind::FavorPlus,
    MapKind::Hyperbolic,
    MapKind::FavorPlusPlus { a_hat: 0.05 },
    MapKind::FavorPlusPlus { a_hat: 3.0 },
    MapKind::HyperbolicPlusPlus { a_hat: 0.4 },
];

/// E of the k-th power of the term of one projection by quadrature over each coordinate of omega, relative to the kernel.
fn by_quadrature(kind: MapKind, k: u32, s: &[f64]) -> f64 {
    let (a, order, dim) = (kind.a_hat(), f64::from(k), s.len() as f64);
    let v: f64 = s.iter().map(|x| x * x).sum();
    let signs: Vec<f64> =
        if kind.is_hyperbolic() { (0..=k).map(|j| order - 2.0 * f64::from(j)).collect() } else { vec![order] };
    let mut binomial = if kind.is_hyperbolic() { 0.5f64.powi(k as i32) } else { 1.0 };
    let mut total = 0.0;
    for (j, times) in signs.iter().enumerate() {
        let b = times * (1.0 + 4.0 * a).sqrt();
        let log: f64 = s.iter().map(|x| log_gaussian_moment_by_quadrature(-2.0 * order * a, b * x).unwrap()).sum();
        total += binomial * log.exp();
        binomial *= f64::from(k - j as u32) / (j as f64 + 1.0);
    }
    total.ln() + 0.5 * dim * order * (1.0 + 4.0 * a).ln() - 0.5 * order * v
}

#[test]
fn moments_agree_with_quadrature() {
    for s in [vec![0.3], vec![1.0, -0.5, 0.2], vec![0.0, 2.0]] {
        let v: f64 = s.iter().map(|x| x * x).sum();
        for kind in KINDS {
            for k in 1..=4 {
                let exact = log_relative_term_moment(kind, k, s.len(), v).unwrap();
                assert!((exact - by_quadrature(kind, k, &s)).abs() < 1e-11, "{kind:?} {k}");
            }
            assert!(log_relative_term_moment(kind, 1, s.len(), v).unwrap().abs() < 1e-12, "unbiased");
            let second = log_relative_term_moment(kind, 2, s.len(), v).unwrap();
            let variance = log_relative_term_variance(kind, s.len(), v).unwrap();
            assert!((variance.exp() - second.exp_m1()).abs() < 1e-11 * second.exp(), "{kind:?}");
        }
    }
}

#[test]
fn variances_survive_tiny_and_huge_arguments() {
    let tiny = log_relative_term_variance(MapKind::Hyperbolic, 3, 1e-12).unwrap();
    assert!((tiny - (0.5e-24f64).ln()).abs() < 1e-9);
    let huge = log_relative_term_variance(MapKind::FavorPlus, 3, 1e6).unwrap();
    assert_eq!(huge, 1e6);
    let zero = log_relative_term_variance(MapKind::FavorPlus, 3, 0.0).unwrap();
    assert_eq!(zero, f64::NEG_INFINITY);
    for top in [0.999, 1.001] {
        let kind = MapKind::HyperbolicPlusPlus { a_hat: 1e-3 };
        let v = top * 1.008;
        let direct = {
            let flat = 1.5 * (16e-6f64 / 1.008).ln_1p();
            0.5 * ((flat + v / 1.008).exp() - 1.0 + (flat - v).exp() - 1.0)
        };
        let exact = log_relative_term_variance(kind, 3, v).unwrap();
        assert!((exact.exp() / direct - 1.0).abs() < 1e-12);
    }
}

/// In two dimensions an orthogonal pair is (cos t, sin t) and its lengths are Rayleigh: a double integral by quadrature.
#[test]
fn orthogonal_covariance_agrees_with_quadrature() {
    for v in [0.1, 1.0, 6.0] {
        let root: f64 = v;
        let root = root.sqrt();
        let rayleigh = |t: f64| integrate(&|r: f64| r * (t * r - 0.5 * r * r).exp(), 0.0, 30.0, 1e-12).unwrap().value;
        let around = integrate(
            &|t: f64| rayleigh(root * t.cos()) * rayleigh(root * t.sin()),
            0.0,
            2.0 * std::f64::consts::PI,
            1e-11,
        )
        .unwrap();
        let relative = around.value / (2.0 * std::f64::consts::PI) / v.exp() - 1.0;
        assert!((orthogonal_covariance(2, v).unwrap() - relative).abs() < 1e-10, "{v}");
    }
    assert!(orthogonal_covariance(64, 900.0).unwrap() >= -1.0);
}

#[test]
fn fixed_norms_bias_by_quadrature() {
    // N = 3: the component of a uniform direction is uniform on [-1, 1].
    let v: f64 = 2.5;
    let scale = (3.0 * v).sqrt();
    let exact = scale.sinh() / scale;
    assert!((fixed_norm_bias(3, v).unwrap() - (exact / (0.5 * v).exp() - 1.0)).abs() < 1e-13);
}

#[test]
fn cross_moments_reduce_to_second_moments_and_agree_with_quadrature() {
    let (x, y, z) = (array![0.4, -0.2], array![0.1, 0.9], array![-0.5, 0.3]);
    for kind in KINDS {
        let same = log_cross_moment(kind, (&x, &y), (&x, &y)).unwrap();
        let sum = &x + &y;
        let second = log_relative_term_moment(kind, 2, 2, sum.dot(&sum)).unwrap() + 2.0 * x.dot(&y);
        assert!((same - second).abs() < 1e-13, "{kind:?}");
    }
    let kind = MapKind::FavorPlusPlus { a_hat: 0.4 };
    let s = &x + &y + &x + &z;
    let quadrature: f64 = s.iter().map(|s| log_gaussian_moment_by_quadrature(-1.6, 2.6f64.sqrt() * s).unwrap()).sum();
    let constant = 2.0 * 2.6f64.ln() - 0.5 * (2.0 * x.dot(&x) + y.dot(&y) + z.dot(&z));
    let exact = log_cross_moment(kind, (&x, &y), (&x, &z)).unwrap();
    assert!((exact - constant - quadrature).abs() < 1e-12);
}

#[test]
fn features_stay_below_their_bound_and_reach_it() {
    let z = array![0.7, -0.4, 1.1];
    let (a, b) = (0.35f64, (1.0 + 4.0 * 0.35f64).sqrt());
    let bound = log_feature_bound(a, 1, 3, z.dot(&z)).unwrap();
    let log_feature = |w: &Array1<f64>| {
        let rows = Array2::from_shape_vec((1, 3), w.to_vec()).unwrap();
        let map = FeatureMap::favor_plus_plus(Draws::from_rows(rows).unwrap(), a).unwrap();
        map.log_features(&z).unwrap()[0]
    };
    let best = &z * (b / (2.0 * a));
    assert!((log_feature(&best) - bound).abs() < 1e-13);
    let mut stream = Streams::new(1).stream("around").unwrap();
    for _ in 0..200 {
        let w = &best + &Array1::from_shape_simple_fn(3, || stream.normal());
        assert!(log_feature(&w) <= bound);
    }
    // The term of a pair x = y is the square of a feature.
    let term = log_relative_term_bound(a, 3, 4.0 * z.dot(&z)).unwrap() + z.dot(&z);
    assert!((term - 2.0 * bound).abs() < 1e-12);
}

/// A sampled mean squared error at small v, where the fourth moment is tame.
#[test]
fn variances_agree_with_samples_where_samples_can_be_trusted() {
    let (x, y, r) = (array![0.3, 0.1, 0.0, 0.2], array![0.2, -0.2, 0.1, 0.3], 8);
    let mut stream = Streams::new(9).stream("w").unwrap();
    let kernel: f64 = f64::exp(x.dot(&y));
    for ensemble in [Ensemble::Independent, Ensemble::BlockOrthogonal] {
        for kind in [MapKind::FavorPlus, MapKind::Hyperbolic] {
            let n = 4000;
            let errors: Vec<f64> = (0..n)
                .map(|_| {
                    let map = FeatureMap::draw(kind, ensemble, r, 4, &mut stream).unwrap();
                    (map.kernel_estimate(&x, &y).unwrap() / kernel - 1.0).powi(2)
                })
                .collect();
            let sum = &x + &y;
            let v = sum.dot(&sum);
            let exact = log_relative_variance(kind, ensemble, r, 4, v).unwrap().exp();
            let mse = workbench_ground::stats::mean(&errors).unwrap();
            assert!(mse.contains(exact), "{kind:?} {ensemble:?}: {mse:?} {exact}");
        }
    }
}

#[test]
fn refuses_bad_input() {
    assert!(matches!(log_gaussian_moment(0.5, 1.0, 2), Err(Error::Parameter { name: "a", .. })));
    assert!(log_gaussian_moment_by_quadrature(0.7, 1.0).is_err());
    assert!(matches!(log_relative_term_moment(MapKind::FavorPlus, 0, 2, 1.0), Err(Error::Zero { .. })));
    assert!(matches!(log_relative_term_variance(MapKind::FavorPlus, 2, -1.0), Err(Error::Parameter { .. })));
    assert!(matches!(
        log_relative_variance(MapKind::Hyperbolic, Ensemble::Independent, 3, 2, 1.0),
        Err(Error::Refused { problem, .. }) if problem.starts_with("r = 3 is odd")
    ));
    assert!(log_relative_variance(MapKind::FavorPlus, Ensemble::FixedNorm, 3, 2, 1.0).is_err());
    let (x, y) = (array![1.0], array![1.0, 2.0]);
    assert!(matches!(
        log_second_moment(MapKind::FavorPlus, Ensemble::Independent, 2, &x, &y),
        Err(Error::Shape { .. })
    ));
    let huge = array![1e200];
    assert!(matches!(
        log_variance(MapKind::FavorPlus, Ensemble::Independent, 2, &x, &huge),
        Err(Error::Refused { problem, .. }) if problem.contains("overflows")
    ));
    assert!(log_feature_bound(0.0, 1, 1, 1.0).is_err());
    assert!(log_relative_term_bound(0.1, 0, 1.0).is_err());
}
