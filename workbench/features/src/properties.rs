//! Properties of any map, any tokens and any patterns.

use ndarray::Array2;
use proptest::prelude::*;
use workbench_ground::stats::{Stream, Streams, normal_array2};

use crate::compact::{CompactMemory, Signs, ball, ball_size};
use crate::*;

fn stream(seed: u64) -> Stream {
    Streams::new(seed).stream("property").unwrap()
}

fn kind() -> impl Strategy<Value = MapKind> {
    prop_oneof![
        Just(MapKind::FavorPlus),
        Just(MapKind::Hyperbolic),
        (0.0f64..0.5).prop_map(|a_hat| MapKind::FavorPlusPlus { a_hat }),
        (0.0f64..0.5).prop_map(|a_hat| MapKind::HyperbolicPlusPlus { a_hat }),
    ]
}

fn largest_gap(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    a.iter().zip(b).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Rows of a block are orthogonal; with fixed norms all are sqrt(d) long.
    #[test]
    fn blocks_are_orthogonal(seed: u64, n in 1usize..40, dim in 1usize..12, fixed: bool) {
        let mut stream = stream(seed);
        let ensemble = if fixed { Ensemble::FixedNorm } else { Ensemble::BlockOrthogonal };
        let draws = Draws::draw(ensemble, n, dim, &mut stream)?;
        prop_assert_eq!(draws.rows().dim(), (n, dim));
        for i in 0..n {
            let w = draws.row(i);
            prop_assert!(w.dot(&w) > 0.0);
            prop_assert!(!fixed || (w.dot(&w) - dim as f64).abs() < 1e-10);
            for j in i + 1..n.min((i / dim + 1) * dim) {
                let v = draws.row(j);
                prop_assert!(w.dot(&v).abs() < 1e-12 * (w.dot(&w) * v.dot(&v)).sqrt() + 1e-13, "{i} {j}");
            }
        }
    }

    /// Linear attention forward, causal or not, is a memory that absorbs the keys and is read; single precision apart.
    #[test]
    fn attention_is_a_memory(seed: u64, kind in kind(), n in 1usize..300, dim in 1usize..6, width in 1usize..4, pairs in 1usize..20) {
        let mut stream = stream(seed);
        let map = FeatureMap::draw(kind, Ensemble::Independent, 2 * pairs, dim, &mut stream)?;
        let mut tokens = |columns| 0.5 * normal_array2(&mut stream, n, columns);
        let (q, k, v) = (tokens(dim), tokens(dim), tokens(width));
        let single = |x: &Array2<f64>| x.mapv(|x| x as f32);
        let attention = LinearAttention::unscaled(&map)?;
        let causal = attention.forward(&single(&q), &single(&k), &single(&v), Direction::Causal)?;
        let both = attention.forward(&single(&q), &single(&k), &single(&v), Direction::Bidirectional)?;
        let mut memory = KernelMemory::new(map, width, 1.0)?;
        let mut slow = Array2::zeros((n, width));
        for i in 0..n {
            memory.absorb(&k.row(i).to_owned(), &v.row(i).to_owned())?;
            slow.row_mut(i).assign(&memory.read(&q.row(i).to_owned())?);
        }
        prop_assert!(largest_gap(&causal.mapv(f64::from), &slow) < 2e-4);
        for i in 0..n {
            slow.row_mut(i).assign(&memory.read(&q.row(i).to_owned())?);
        }
        prop_assert!(largest_gap(&both.mapv(f64::from), &slow) < 2e-4);
    }

    /// What is read lies between the smallest and the largest value; one key gives its own value back.
    #[test]
    fn readings_are_means(seed: u64, kind in kind(), n in 1usize..10, discount in 0.5f64..1.0) {
        let mut stream = stream(seed);
        let map = FeatureMap::draw(kind, Ensemble::Independent, 8, 3, &mut stream)?;
        let mut memory = KernelMemory::new(map, 1, discount)?;
        let (keys, values) = (normal_array2(&mut stream, n, 3), normal_array2(&mut stream, n, 1));
        memory.absorb_rows(&keys, &values)?;
        let read = memory.read(&keys.row(0).to_owned())?[0];
        let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
        prop_assert!(low - 1e-12 <= read && read <= high + 1e-12, "{read} outside [{low}, {high}]");
    }

    /// Signs as bits, entries and flips; a ball has the size of its formula and holds what lies within its radius.
    #[test]
    fn signs_and_balls(n in 1usize..12, bits: u64, radius in 0usize..4, at in 0usize..12) {
        let bits = bits & ((1 << n) - 1);
        let signs = Signs::from_bits(n, bits)?;
        prop_assert_eq!(&Signs::new(signs.to_array().as_slice().unwrap())?, &signs);
        let at = at % n;
        prop_assert_eq!(signs.flipped(at)?.distance(&signs)?, 1);
        prop_assert_eq!(&signs.flipped(at)?.flipped(at)?, &signs);
        let ball = ball(&signs, radius)?;
        prop_assert_eq!(ball.len() as f64, ball_size(n, radius));
        let mut seen = std::collections::HashSet::new();
        for other in &ball {
            prop_assert!(other.distance(&signs)? <= radius);
            prop_assert!(seen.insert(format!("{other:?}")), "twice in the ball");
        }
    }

    /// The change of a flip is the difference of two energies.
    #[test]
    fn a_flip_changes_the_energy_by_what_it_says(seed: u64, kind in kind(), n in 2usize..10, m in 1usize..6, at in 0usize..10) {
        let mut stream = stream(seed);
        let mut memory = CompactMemory::new(FeatureMap::draw(kind, Ensemble::Independent, 16, n, &mut stream)?);
        for _ in 0..m {
            memory.store(&Signs::random(n, &mut stream)?)?;
        }
        let state = Signs::random(n, &mut stream)?;
        let at = at % n;
        let (before, after) = (memory.energy(&state)?.value(), memory.energy(&state.flipped(at)?)?.value());
        let change = memory.flip_change(&state, at)?.value();
        let gap = (change.abs() - (after - before).abs()).abs();
        prop_assert!(gap <= 1e-10 * (before.abs() + after.abs()), "{change:e}: {before:e} to {after:e}");
    }
}
