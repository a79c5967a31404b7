use super::*;
use crate::{Draws, Ensemble, MapKind, estimated_attention};
use workbench_ground::stats::{Streams, largest_of, normal_array2};

const KINDS: [MapKind; 4] = [
    MapKind::FavorPlus,
    MapKind::Hyperbolic,
    MapKind::FavorPlusPlus { a_hat: 0.2 },
    MapKind::HyperbolicPlusPlus { a_hat: 0.2 },
];

fn normal(name: &str, m: usize, d: usize) -> Array2<f64> {
    normal_array2(&mut Streams::new(6).stream(name).unwrap(), m, d)
}

fn single(x: &Array2<f64>) -> Array2<f32> {
    x.mapv(|x| x as f32)
}

fn worst(a: &Array2<f32>, b: &Array2<f64>) -> f64 {
    // Beside an infinite entry, too, an infinite one is far.
    let gap = |(a, b): (&f32, &f64)| if a.is_finite() { (f64::from(*a) - b).abs() } else { f64::INFINITY };
    largest_of(a.iter().zip(b).map(gap))
}

#[test]
fn agrees_with_the_quadratic_form_in_double_precision() {
    let (q, k, v) = (normal("q", 300, 5) * 0.5, normal("k", 300, 5) * 0.5, normal("v", 300, 3));
    for kind in KINDS {
        let mut stream = Streams::new(1).stream("w").unwrap();
        let map = FeatureMap::draw(kind, Ensemble::BlockOrthogonal, 22, 5, &mut stream).unwrap();
        let fast = LinearAttention::unscaled(&map).unwrap();
        for direction in [Direction::Bidirectional, Direction::Causal] {
            let slow = estimated_attention(&map, &q, &k, &v, direction).unwrap();
            let out = fast.forward(&single(&q), &single(&k), &single(&v), direction).unwrap();
            assert!(worst(&out, &slow) < 2e-5, "{kind:?} {direction:?}: {}", worst(&out, &slow));
        }
    }
}

#[test]
fn blocks_and_tiles_do_not_show() {
    // More than two blocks, with a remainder in block and tile; some rows against the slow form.
    let n = 2 * BLOCK + TILE + 17;
    let (q, k, v) = (normal("q", n, 4) * 0.6, normal("k", n, 4) * 0.6, normal("v", n, 2));
    let map = FeatureMap::favor_plus(Draws::from_rows(normal("w", 10, 4)).unwrap()).unwrap();
    let fast = LinearAttention::unscaled(&map).unwrap();
    let some = [0, TILE - 1, TILE, BLOCK - 1, BLOCK, BLOCK + causal::TILE, n - 1];
    for direction in [Direction::Bidirectional, Direction::Causal] {
        let out = fast.forward(&single(&q), &single(&k), &single(&v), direction).unwrap();
        for i in some {
            let seen = if direction == Direction::Causal { i + 1 } else { n };
            let cut = |x: &Array2<f64>| x.slice(ndarray::s![..seen, ..]).to_owned();
            let one = q.slice(ndarray::s![i..=i, ..]).to_owned();
            let slow = estimated_attention(&map, &one, &cut(&k), &cut(&v), Direction::Bidirectional).unwrap();
            let row = out.slice(ndarray::s![i..=i, ..]).to_owned();
            assert!(worst(&row, &slow) < 5e-5, "{direction:?} {i}: {}", worst(&row, &slow));
        }
    }
}

/// Three parts with a remainder, three blocks with a remainder: both ways of dividing the work, also where only log space survives.
#[test]
fn parts_of_features_agree_with_blocks_of_tokens() {
    let (n, r, d, width) = (2 * BLOCK + causal::TILE + 5, 2 * causal::PART + 6, 3, 2);
    for size in [0.5, 6.0] {
        let (q, k, v) = (normal("q", n, d) * size, normal("k", n, d) * size, normal("v", n, width));
        let map = FeatureMap::favor_plus(Draws::from_rows(normal("w", r, d)).unwrap()).unwrap();
        let fast = LinearAttention::unscaled(&map).unwrap();
        let (q, k, v) = (single(&q), single(&k), single(&v));
        let slices = (q.as_slice().unwrap(), k.as_slice().unwrap(), v.as_slice().unwrap());
        let (mut a, mut b) = (Box::new_uninit_slice(n * width), Box::new_uninit_slice(n * width));
        fast.causal_by_features(slices.0, slices.1, slices.2, width, &mut a, &AtomicBool::new(false));
        fast.causal_by_tokens(slices.0, slices.1, slices.2, width, &mut b, &AtomicBool::new(false));
        // SAFETY: both ways write all of their room.
        let (a, b) = unsafe { (a.assume_init(), b.assume_init()) };
        let gap = largest_of(a.iter().zip(&b).map(|(a, b)| f64::from((a - b).abs())));
        assert!(gap < 2e-4, "{size}: {gap}");
    }
}

#[test]
fn norms_that_only_log_space_survives() {
    // Norms up to 40: exp(-|x|^2 / 2) is below 1e-300. Growing keys make every causal tile shift its sums.
    let n = 200;
    let grow = Array2::from_shape_fn((n, 3), |(i, j)| 0.15 * i as f64 * if j == i % 3 { 1.0 } else { 0.4 });
    let (q, v) = (normal("q", n, 3) * 8.0, normal("v", n, 2));
    for kind in KINDS {
        let mut stream = Streams::new(1).stream("w").unwrap();
        let map = FeatureMap::draw(kind, Ensemble::Independent, 16, 3, &mut stream).unwrap();
        let fast = LinearAttention::unscaled(&map).unwrap();
        for direction in [Direction::Bidirectional, Direction::Causal] {
            let slow = estimated_attention(&map, &q, &grow, &v, direction).unwrap();
            let out = fast.forward(&single(&q), &single(&grow), &single(&v), direction).unwrap();
            // Single precision carries logarithms near 1000 to 1e-4.
            assert!(worst(&out, &slow) < 5e-3, "{kind:?} {direction:?}: {}", worst(&out, &slow));
        }
    }
}

/// No key of the only block is near its bound: every feature of them would underflow.
#[test]
fn keys_that_are_all_far_get_the_largest_logarithms() {
    let n = 90;
    let (q, k, v) = (normal("q", n, 4) * 0.5, normal("k", n, 4) * 2.0 + 12.0, normal("v", n, 2));
    let map = FeatureMap::favor_plus(Draws::from_rows(normal("w", 24, 4)).unwrap()).unwrap();
    let fast = LinearAttention::unscaled(&map).unwrap();
    let slow = estimated_attention(&map, &q, &k, &v, Direction::Bidirectional).unwrap();
    let out = fast.forward(&single(&q), &single(&k), &single(&v), Direction::Bidirectional).unwrap();
    assert!(worst(&out, &slow) < 5e-3, "{}", worst(&out, &slow));
}

#[test]
fn no_logarithm_exceeds_its_bound_and_the_bound_is_reached() {
    let keys = normal("k", 200, 3) * 3.0;
    for kind in KINDS {
        let mut stream = Streams::new(4).stream("w").unwrap();
        let map = FeatureMap::draw(kind, Ensemble::Independent, 14, 3, &mut stream).unwrap();
        let fast = LinearAttention::with_scale(&map, 0.8).unwrap();
        // Along each vector of weights, as far as its logarithm rises, lies the key that reaches the bound.
        let along = |r: usize| -> Vec<f32> { fast.weights.iter().skip(r).step_by(fast.r()).copied().collect() };
        for r in 0..fast.r() {
            let best: Vec<f32> = along(r).iter().map(|w| w / (-2.0 * fast.of_norm)).collect();
            let logarithm = |key: &[f32]| {
                let product: f32 = key.iter().zip(along(r)).map(|(x, w)| x * w).sum();
                product + fast.of_norm * key.iter().map(|x| x * x).sum::<f32>() + fast.offsets[r]
            };
            let all: Vec<f32> = single(&keys).iter().copied().chain(best.iter().copied()).collect();
            let bound = fast.bounds(&fast.levels(&all, &AtomicBool::new(false)), &fast.lengths())[r];
            assert!(all.chunks(3).all(|key| logarithm(key) <= bound + 1e-3), "{kind:?} {r}");
            assert!(logarithm(&best) > bound - 1.001, "{kind:?} {r}: {} {bound}", logarithm(&best));
        }
    }
}

/// Bounds serve the first block of keys and the first tiles of queries; far vectors after them, of which the bounds say too little, get
/// the largest logarithms.
#[test]
fn vectors_far_beyond_the_bounds_fall_back_by_themselves() {
    let n = BLOCK + 40;
    let far = |name: &str, factor: f64| {
        let mut x = normal(name, n, 4) * 0.7;
        x.slice_mut(ndarray::s![BLOCK.., ..]).mapv_inplace(|x| factor * x);
        x
    };
    let map = FeatureMap::favor_plus(Draws::from_rows(normal("w", 24, 4)).unwrap()).unwrap();
    let fast = LinearAttention::unscaled(&map).unwrap();
    let v = normal("v", n, 2);
    for (queries, keys) in [(1.0, 1.0), (25.0, 1.0), (1.0, 25.0), (25.0, 25.0)] {
        let (q, k) = (far("q", queries), far("k", keys));
        let out = fast.forward(&single(&q), &single(&k), &single(&v), Direction::Bidirectional).unwrap();
        let some: Vec<usize> = (0..n).step_by(37).chain(BLOCK..n).collect();
        let slow =
            estimated_attention(&map, &q.select(ndarray::Axis(0), &some), &k, &v, Direction::Bidirectional).unwrap();
        let gap = worst(&out.select(ndarray::Axis(0), &some), &slow);
        assert!(gap < 1e-3, "{queries} {keys}: {gap}");
    }
}

#[test]
fn scale_is_a_scale() {
    let (q, k, v) = (normal("q", 40, 4), normal("k", 40, 4), normal("v", 40, 2));
    let map = FeatureMap::favor_plus(Draws::from_rows(normal("w", 8, 4)).unwrap()).unwrap();
    let scaled = LinearAttention::with_scale(&map, 0.5).unwrap();
    let direction = Direction::Bidirectional;
    let a = scaled.forward(&single(&q), &single(&k), &single(&v), direction).unwrap();
    let (hq, hk) = (single(&(&q * 0.5)), single(&(&k * 0.5)));
    let b = LinearAttention::unscaled(&map).unwrap().forward(&hq, &hk, &single(&v), direction).unwrap();
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-5));
    // The usual scale is the fourth root of the dimension: here of 4.
    let usual = LinearAttention::new(&map).unwrap();
    assert_eq!(usual, LinearAttention::with_scale(&map, 0.5f64.sqrt()).unwrap());
}

#[test]
fn refuses_bad_input() {
    let map = FeatureMap::favor_plus(Draws::from_rows(normal("w", 8, 4)).unwrap()).unwrap();
    let fast = LinearAttention::unscaled(&map).unwrap();
    let x = Array2::<f32>::zeros((3, 4));
    let run = |q: &Array2<f32>, k: &Array2<f32>, v: &Array2<f32>| fast.forward(q, k, v, Direction::Causal);
    assert!(matches!(run(&Array2::zeros((0, 4)), &x, &x), Err(Error::Zero { .. })));
    assert!(matches!(run(&x, &x, &Array2::zeros((3, 0))), Err(Error::Zero { .. })));
    let wide = run(&Array2::zeros((3, 5)), &x, &x);
    assert!(matches!(wide, Err(Error::Shape { left, right, .. }) if left == [5] && right == [4]));
    assert!(matches!(run(&x, &x, &Array2::zeros((2, 1))), Err(Error::Shape { .. })));
    assert!(matches!(run(&Array2::zeros((2, 4)), &x, &x), Err(Error::Shape { .. })));
    let mut bad = x.clone();
    bad[(1, 2)] = f32::NAN;
    assert!(matches!(run(&x, &bad, &x), Err(Error::NotFinite { at, .. }) if at == [6]));
    bad[(1, 2)] = 1e30;
    assert!(matches!(run(&x, &bad, &x), Err(Error::Refused { problem, .. }) if problem.contains("overflows")));
    // Wherever such an entry stands, also in the last tile of the last block, and in either direction.
    let (n, x) = (BLOCK + TILE + 3, normal("x", BLOCK + TILE + 3, 4).mapv(|x| 0.1 * x as f32));
    for (row, direction) in [0, n - 1]
        .into_iter()
        .flat_map(|row| [Direction::Bidirectional, Direction::Causal].map(|direction| (row, direction)))
    {
        for entry in [f32::NAN, f32::INFINITY, 1e30] {
            let mut bad = x.clone();
            bad[(row, 1)] = entry;
            assert!(fast.forward(&bad, &x, &x, direction).is_err(), "query {entry} in row {row}, {direction:?}");
            assert!(fast.forward(&x, &bad, &x, direction).is_err(), "key {entry} in row {row}, {direction:?}");
            let values = fast.forward(&x, &x, &bad, direction);
            assert_eq!(values.is_err(), !entry.is_finite(), "value {entry} in row {row}, {direction:?}");
        }
    }
    assert!(LinearAttention::with_scale(&map, 0.0).is_err());
}
