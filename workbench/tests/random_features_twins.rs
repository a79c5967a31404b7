//! Wrong twins of the checks in `notebooks/mnemosyne-random-features.ipynb`: each check is run against a formula, a constant or a method
//! that is known to be wrong, and must say so.

use ndarray::{Array1, Array2, Axis, array};
use workbench::features::moments::{
    log_feature_bound, log_gaussian_moment_by_quadrature, log_relative_term_moment, log_relative_variance,
};
use workbench::features::{
    Direction, Draws, Ensemble, FeatureMap, History, KernelMemory, KeySums, MapKind, PairNorms, RecallMap, RecallTask,
    ThickMemory, a_hat, a_hat_with, best_a_hat, best_a_hat_for_pair, colliding_history, estimated_attention, gamma,
    kendall, log_total_variance_of, operations_of_double_sum, operations_of_gamma, operations_of_thick_memory,
    printed_a_hat, rho_grid, rho_star,
};
use workbench::ledger::{Evidence, Finding, Outcome, Verdict};
use workbench::stats::{Estimate, Streams, log_sum_exp, normal_array2, normal_cdf, unit_sphere};

type Outcomes = Result<(), Box<dyn std::error::Error>>;

fn identity(error: f64, tolerance: f64) -> Outcome {
    let finding = Finding::identity("twin", error, tolerance);
    finding.outcome().expect("finite numbers have an outcome")
}

/// The right error passes a tolerance and every wrong one fails it.
fn separates(right: f64, tolerance: f64, wrong: &[f64]) {
    assert_eq!(identity(right, tolerance), Outcome::Supports, "{right:e}");
    for twin in wrong {
        assert_eq!(identity(twin.abs(), tolerance), Outcome::Contradicts, "{twin:e}");
    }
}

fn normal(name: &str, m: usize, d: usize) -> Array2<f64> {
    let mut stream = Streams::new(11).stream(name).expect("fresh name");
    normal_array2(&mut stream, m, d)
}

/// ln E X - x.y by quadrature with changed constants.
fn log_bias(a: f64, (x, y): (&Array1<f64>, &Array1<f64>), b: f64, c: f64, d: f64) -> f64 {
    let along: f64 = (x + y)
        .iter()
        .map(|s| log_gaussian_moment_by_quadrature(-2.0 * a, b * (1.0 + 4.0 * a).sqrt() * s).expect("a < 1/2"))
        .sum();
    along + 0.5 * d * x.len() as f64 * (1.0 + 4.0 * a).ln() - c * (x.dot(x) + y.dot(y)) - x.dot(y)
}

#[test]
fn the_factor_gamma_of_equation_9() -> Outcomes {
    let map = FeatureMap::favor_plus(Draws::from_rows(normal("w", 12, 5))?)?;
    for norm in [0.1, 5.0, 1e4] {
        let (x, y) = (array![norm, 0.0, 0.0, 0.0, 0.0], array![0.0, norm, 0.0, 0.0, 0.0]);
        let direct = log_sum_exp(&map.draws().rows().dot(&(&x + &y)).to_vec()) - 12f64.ln() - norm * norm;
        let gap = map.log_kernel_estimate(&x, &y)? - direct;
        let scale = (norm * norm).max(1.0);
        // Twins: the norm factor doubled, halved, dropped; 1/r for 1/sqrt(r); no factor in r.
        let wrong = [norm * norm, 0.5 * norm * norm, -norm * norm];
        separates(gap.abs() / scale, 1e-13, &wrong.map(|w| (gap + w) / scale));
        assert_eq!(identity(12f64.ln(), 1e-13), Outcome::Contradicts);
    }
    Ok(())
}

#[test]
fn unbiasedness_needs_every_constant() -> Outcomes {
    let (x, y) = (array![0.4, -0.3, 0.2], array![0.1, 0.8, -0.5]);
    for a in [0.0, a_hat(0.3)?, printed_a_hat(0.3)?] {
        let right = log_bias(a, (&x, &y), 1.0, 0.5, 1.0).abs();
        let mut wrong = vec![
            log_bias(a, (&x, &y), 1.01, 0.5, 1.0),
            log_bias(a, (&x, &y), 1.0, 0.505, 1.0),
            log_bias(a, (&x, &y), 1.0, 0.25, 1.0),
        ];
        if a > 0.0 {
            // D with one percent more, and with the exponents N/2 and N/8 for N/4.
            wrong.extend([1.01, 2.0, 0.5].map(|d| log_bias(a, (&x, &y), 1.0, 0.5, d)));
        }
        separates(right, 1e-12, &wrong);
    }
    Ok(())
}

#[test]
fn fixed_lengths_are_not_gaussian() -> Outcomes {
    let mut stream = Streams::new(11).stream("blocks")?;
    let mut columns = [Vec::new(), Vec::new()];
    for _ in 0..4000 {
        for (column, ensemble) in columns.iter_mut().zip([Ensemble::BlockOrthogonal, Ensemble::FixedNorm]) {
            column.push(Draws::draw(ensemble, 2, 3, &mut stream)?.rows()[(0, 0)]);
        }
    }
    let distance = |column: &mut Vec<f64>| {
        column.sort_by(f64::total_cmp);
        let n = column.len() as f64;
        let gap = |(i, x): (usize, &f64)| (normal_cdf(*x) - i as f64 / n).abs();
        n.sqrt() * column.iter().enumerate().map(gap).fold(0.0, f64::max)
    };
    assert!(distance(&mut columns[0]) < 2.2);
    assert!(distance(&mut columns[1]) > 2.2);
    Ok(())
}

#[test]
fn orthogonal_rows_without_random_signs_would_show() -> Outcomes {
    // Columns of Q as LAPACK gives them: the first entry never changes its sign, so its mean is far from zero.
    use ndarray_linalg::QR;
    let mut stream = Streams::new(11).stream("signs")?;
    let mut mean = [0.0; 2];
    for _ in 0..1000 {
        let (q, _) = normal_array2(&mut stream, 3, 3).qr()?;
        mean[0] += Draws::block_orthogonal(3, 3, &mut stream)?.rows()[(0, 0)].signum() / 1000.0;
        mean[1] += q[(0, 0)].signum() / 1000.0;
    }
    assert!(mean[0].abs() < 0.12 && mean[1].abs() > 0.9, "{mean:?}");
    Ok(())
}

#[test]
fn the_product_sign_is_a_concatenation() -> Outcomes {
    let half = Draws::from_rows(normal("w", 4, 3))?;
    let x = array![0.5, 0.1, -0.4];
    let hyperbolic = FeatureMap::hyperbolic(half.clone())?.log_features(&x)?;
    let antithetic = FeatureMap::favor_plus(half.with_mirror_images())?.log_features(&x)?;
    let gap = |other: &Array1<f64>| (&hyperbolic - other).iter().fold(0.0f64, |w, d| w.max(d.abs()));
    // Twins: a product of each pair is Gamma^2, whatever the draw; plain FAVOR+ on the first half twice.
    let product = Array1::from_elem(8, -x.dot(&x) - 8f64.ln());
    let doubled = Draws::from_rows(ndarray::concatenate![Axis(0), half.rows().view(), half.rows().view()])?;
    let twice = FeatureMap::favor_plus(doubled)?.log_features(&x)?;
    separates(gap(&antithetic), 0.0, &[gap(&product), gap(&twice)]);
    Ok(())
}

#[test]
fn the_ratio_of_variances() -> Outcomes {
    let log = |kind, r, v| log_relative_variance(kind, Ensemble::Independent, r, 5, v);
    for v in [1e-3, 0.5, 3.0] {
        let ratio = (log(MapKind::Hyperbolic, 2, v)? - log(MapKind::FavorPlus, 2, v)?).exp();
        let right = 1.0 - (-v).exp();
        // Twins: the equal-projections ratio, the exponent doubled, no gain.
        let wrong = [0.5 * right, 1.0 - (-2.0 * v).exp(), 1.0];
        separates((ratio / right - 1.0).abs(), 1e-10, &wrong.map(|w| ratio / w - 1.0));
    }
    Ok(())
}

#[test]
fn a_bound_with_a_wrong_constant_is_broken() -> Outcomes {
    let (a, z) = (0.3, array![1.0, -0.5]);
    let best = &z * ((1.0_f64 + 4.0 * a).sqrt() / (2.0 * a));
    let top = FeatureMap::favor_plus_plus(Draws::from_rows(best.insert_axis(Axis(0)))?, a)?.log_features(&z)?[0];
    let bound = log_feature_bound(a, 1, 2, z.dot(&z))?;
    // Twins: a larger A-hat (bound too low), and the bound without completing the square (D alone).
    separates(
        (top - bound).abs(),
        1e-12,
        &[
            top - log_feature_bound(0.35, 1, 2, z.dot(&z))?,
            top - 0.5 * (1.0 + 4.0 * a).ln(),
        ],
    );
    Ok(())
}

#[test]
fn concentration_is_not_for_every_rho() -> Outcomes {
    let third = |kind, v| log_relative_term_moment(kind, 3, 3, v);
    let poor = MapKind::FavorPlusPlus {
        a_hat: printed_a_hat(0.05)?,
    };
    assert!(third(poor, 0.1)? > third(MapKind::FavorPlus, 0.1)?);
    let best = MapKind::FavorPlusPlus {
        a_hat: a_hat(rho_star(0.1, 3)?)?,
    };
    assert!(third(best, 0.1)? < third(MapKind::FavorPlus, 0.1)?);
    Ok(())
}

#[test]
fn equation_11_and_its_misprint() -> Outcomes {
    for (dim, g) in [(4, 0.3), (16, 5.0), (64, 300.0)] {
        let (rho, found) = (rho_star(g, dim)?, best_a_hat_for_pair(dim, g)?);
        let off = |kappa: f64| (1.0 / (1.0 + kappa * found)) / rho - 1.0;
        separates(off(8.0).abs(), 1e-6, &[off(1.0), off(2.0), off(4.0), off(16.0)]);
        // Twins of the formula itself: 4N for 8N under the root, 2 gamma for 4 gamma below the line, sign of N.
        let (n, two) = (dim as f64, 2.0 * g);
        let variants = [
            (((two + n).powi(2) + 4.0 * n * g).sqrt() - two - n) / (4.0 * g),
            (((two + n).powi(2) + 8.0 * n * g).sqrt() - two - n) / (2.0 * g),
            (((two - n).powi(2) + 8.0 * n * g).sqrt() - two + n) / (4.0 * g),
        ];
        let found_rho = 1.0 / (1.0 + 8.0 * found);
        separates(
            (found_rho / rho - 1.0).abs(),
            1e-6,
            &variants.map(|twin| found_rho / twin - 1.0),
        );
        assert!(a_hat_with(rho, 1.0)? > a_hat(rho)?);
    }
    Ok(())
}

#[test]
fn the_verdict_on_equation_11_has_both_numbers() -> Outcomes {
    let (rho, found) = (rho_star(5.0, 16)?, best_a_hat_for_pair(16, 5.0)?);
    let reading = |kappa: f64| {
        let off = ((1.0 / (1.0 + kappa * found)) / rho - 1.0).abs();
        Finding::identity(format!("kappa = {kappa}"), off, 1e-6)
    };
    let verdict = |printed: f64, changed: f64| {
        Evidence::of(reading(printed))
            .corrected("another reading", vec![reading(changed)])
            .verdict()
    };
    assert_eq!(verdict(1.0, 8.0)?, Verdict::HoldsWithChange);
    assert_eq!(verdict(1.0, 4.0)?, Verdict::Fails);
    assert_eq!(verdict(8.0, 8.0)?, Verdict::Holds);
    Ok(())
}

#[test]
fn regret_sees_a_fixed_parameter() -> Outcomes {
    for scale in [0.3, 1.5] {
        // Equal lengths: a mean of logarithms is then nearly the logarithm of the mean.
        let sphere = |name: &str| -> Result<Array2<f64>, workbench::stats::Error> {
            Ok(unit_sphere(&mut Streams::new(11).stream(name)?, 10, 8) * scale)
        };
        let (q, k) = (sphere("q")?, sphere("k")?);
        let pairs = PairNorms::of(&q, &k)?;
        let least = log_total_variance_of(best_a_hat(&pairs)?, &pairs)?;
        let regret = |a: f64| log_total_variance_of(a, &pairs).map(|log| log - least);
        let star = regret(a_hat(rho_star(gamma(&q, &k)?, 8)?)?)?;
        assert!((-1e-9..0.2).contains(&star), "{star}");
        assert!(regret(a_hat(if scale < 1.0 { 0.2 } else { 0.98 })?)? > 0.2);
    }
    Ok(())
}

#[test]
fn gammas_as_printed() -> Outcomes {
    let (q, k) = (
        array![[1.0, 2.0], [0.0, -1.0], [3.0, 1.0]],
        array![[2.0, 0.0], [1.0, 1.0], [-1.0, 4.0]],
    );
    let double = PairNorms::of(&q, &k)?.gamma();
    let squares = q.iter().chain(&k).map(|x| x * x).sum::<f64>();
    let cross = 2.0 * q.sum_axis(Axis(0)).dot(&k.sum_axis(Axis(0)));
    // Twins: as printed, no factor 2 in the cross part, its sign.
    let twins = [
        (squares + cross) / 9.0,
        squares / 3.0 + cross / 18.0,
        squares / 3.0 - cross / 9.0,
    ];
    separates((gamma(&q, &k)? - double).abs(), 1e-12, &twins.map(|twin| twin - double));
    let mut sums = KeySums::new(2)?;
    for key in k.rows() {
        sums.absorb(&key.to_owned())?;
    }
    let query = array![1.0, -2.0];
    let direct = k
        .rows()
        .into_iter()
        .map(|k| (&query + &k).mapv(|x| x * x).sum())
        .sum::<f64>()
        / 3.0;
    let printed = (query.dot(&query) + sums.squares + 2.0 * query.dot(&sums.sum)) / 3.0;
    separates((sums.gamma(&query)? - direct).abs(), 1e-12, &[printed - direct]);
    Ok(())
}

#[test]
fn counts_tell_linear_from_quadratic() -> Outcomes {
    let second_difference = |count: fn(usize, usize) -> Result<u64, workbench::features::Error>| -> Result<f64, workbench::features::Error> {
        let [a, b, c] = [count(8, 3)?, count(16, 3)?, count(24, 3)?].map(|n| n as f64);
        Ok((c - 2.0 * b + a).abs())
    };
    separates(
        second_difference(operations_of_gamma)?,
        0.0,
        &[second_difference(operations_of_double_sum)?],
    );
    let [one, two, four] = [1, 2, 4].map(|c| operations_of_thick_memory(c, 3, 4, 2, 50));
    let (one, two, four) = (one?, two?, four?);
    assert_eq!(four.absorb[0] - two.absorb[0], 2 * (two.absorb[0] - one.absorb[0]));
    assert!(
        one.absorb
            .iter()
            .chain(&one.stored)
            .all(|n| *n == one.absorb[0] || *n == one.stored[0])
    );
    Ok(())
}

#[test]
fn a_state_does_not_determine_another_rho() -> Outcomes {
    let draws = Draws::from_rows(normal("w", 4, 2))?;
    let map = |rho: f64| -> Result<FeatureMap, workbench::features::Error> {
        FeatureMap::favor_plus_plus(draws.clone(), a_hat(rho)?)
    };
    let first = History {
        keys: normal("k", 5, 2) * 0.5,
        values: normal("v", 5, 1),
    };
    let second = colliding_history(&map(0.5)?, &first, &(&first.keys + &(normal("move", 5, 2) * 0.2)))?;
    let gap = |rho: f64| -> Result<f64, Box<dyn std::error::Error>> {
        let mut states = Vec::new();
        for history in [&first, &second] {
            let mut memory = KernelMemory::new(map(rho)?, 1, 1.0)?;
            memory.absorb_rows(&history.keys, &history.values)?;
            states.push(memory.log_psi());
        }
        Ok((&states[0] - &states[1]).iter().fold(0.0, |w, d| w.max(d.abs())))
    };
    separates(gap(0.5)?, 1e-11, &[gap(0.3)?, gap(0.7)?]);
    Ok(())
}

#[test]
fn the_thick_memory_reads_the_nearest_slice() -> Outcomes {
    let draws = Draws::from_rows(normal("w", 8, 3))?;
    let (k, v, q) = (normal("k", 20, 3), normal("v", 20, 1), normal("q", 1, 3));
    let mut thick = ThickMemory::new(&draws, &rho_grid(8)?, 1)?;
    thick.absorb_rows(&k, &v)?;
    let answer = thick.read(&q.row(0).to_owned())?;
    let scratch = |rho: f64| -> Result<f64, Box<dyn std::error::Error>> {
        let map = FeatureMap::favor_plus_plus(draws.clone(), a_hat(rho)?)?;
        let out = estimated_attention(&map, &q, &k, &v, Direction::Bidirectional)?[(0, 0)];
        Ok((out - answer.value[0]).abs())
    };
    // Twins: the neighbouring slices, and the same rho in the printed reading.
    let printed = FeatureMap::favor_plus_plus(draws.clone(), printed_a_hat(answer.rho)?)?;
    let misread = estimated_attention(&printed, &q, &k, &v, Direction::Bidirectional)?[(0, 0)] - answer.value[0];
    separates(
        scratch(answer.rho)?,
        1e-11,
        &[scratch(answer.rho - 0.125)?, scratch(answer.rho + 0.125)?, misread],
    );
    Ok(())
}

#[test]
fn the_hyperbolic_variant_does_not_always_help() -> Outcomes {
    let ratio = |a_hat: f64, v: f64| -> Result<f64, workbench::features::Error> {
        let log = |kind| log_relative_variance(kind, Ensemble::Independent, 2, 16, v);
        Ok((log(MapKind::HyperbolicPlusPlus { a_hat })? - log(MapKind::FavorPlusPlus { a_hat })?).exp())
    };
    assert!(ratio(a_hat(0.3)?, 0.1)? > 1.5);
    assert!(ratio(a_hat(0.9)?, 0.5)? < 0.7);
    // The edge is where the covariance vanishes: N/2 ln(1 + 16 A^2 / (1 + 8 A)); half of it is not the edge.
    let a = a_hat(0.5)?;
    let edge = 8.0 * (1.0 + 16.0 * a * a / (1.0 + 8.0 * a)).ln();
    separates(
        (ratio(a, edge)? - 1.0).abs(),
        1e-12,
        &[ratio(a, 0.5 * edge)? - 1.0, ratio(a, 2.0 * edge)? - 1.0],
    );
    Ok(())
}

#[test]
fn rank_correlation_sees_a_shuffled_ranking() -> Outcomes {
    let maps: Vec<RecallMap> = [0.0, 0.1, 0.5, 3.0]
        .map(|a_hat| RecallMap::Positive(MapKind::FavorPlusPlus { a_hat }))
        .to_vec();
    let task = RecallTask {
        dim: 8,
        pairs: 24,
        value_dim: 3,
        key_scale: 0.5,
        length_spread: 0.2,
        noise: 0.2,
        discount: 0.97,
    };
    let mut stream = Streams::new(11).stream("recall")?;
    let (mut kernel, mut recall) = (vec![0.0; 4], vec![0.0; 4]);
    for _ in 0..60 {
        for (i, errors) in task.run(&maps, 64, &mut stream)?.iter().enumerate() {
            kernel[i] += errors.kernel;
            recall[i] += errors.to_softmax;
        }
    }
    let tau = Estimate::exact(kendall(&kernel, &recall)?);
    assert_eq!(Finding::at_least("right", 0.6, tau).outcome()?, Outcome::Supports);
    let reversed: Vec<f64> = recall.iter().map(|x| -x).collect();
    let twin = Estimate::exact(kendall(&kernel, &reversed)?);
    assert_eq!(
        Finding::at_least("reversed", 0.6, twin).outcome()?,
        Outcome::Contradicts
    );
    Ok(())
}
