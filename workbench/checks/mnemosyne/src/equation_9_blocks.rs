//! The sentence after Eq. 9: block-orthogonal projections.
//!
//! **Claim** (`mnemosyne/block-orthogonal`). The projections form a block-orthogonal ensemble: orthogonal within blocks of at most N, each
//! of them Gaussian by itself.
//!
//! Directions come from the QR factorisation of a Gaussian block, lengths from the chi law. Tested are the angles, and by Kolmogorov and
//! Smirnov the law of single entries and of a squared length, the same place of each block, so that draws are independent. A factorisation
//! fixes the signs of R's diagonal; left in, they show in the diagonal entries and nowhere else, so two of these are looked at. Ten rows in
//! four dimensions show that a second block is another one. What orthogonality is for can be computed: two projections of one block have
//! covariance e^-v 1F1(N; N/2; v/2) - 1 relative to the squared kernel, with v = |x + y|^2. The document has no such formula, so this is a
//! footing: its ratio of mean squared errors is compared with draws at v = 0.1, where fourth moments are tame, for the hyperbolic map, where
//! the gain is large. Refuted by an angle, a law that is not Gaussian, blocks that are alike.

use ndarray::{Array1, Array2, Axis};
use ndarray_linalg::QR;
use workbench_display::{Figure, Panel};
use workbench_features::moments::{fixed_norm_bias, log_relative_variance};
use workbench_features::{Draws, Ensemble, FeatureMap, MapKind};
use workbench_ground::stats::{Estimate, Stream, bootstrap, mean, normal_array2, normal_cdf};
use workbench_ledger::{Check, Done, Failure, Margin, Says, Sheet};

use crate::vocabulary::{ROUNDING, largest_of};

/// What Kolmogorov's distance may be by chance.
pub const CHANCE: Margin = Margin::statistical(
    "chance",
    2.2,
    "the root of n times Kolmogorov's distance exceeds 2.2 by chance once in ten thousand tests",
);
/// Rows that do not fill whole blocks: four, four and two.
const ROWS: usize = 10;

/// Dimension and block for the laws; the chi-squared law with four degrees is elementary.
const BLOCK: usize = 4;
/// Dimension for the errors, and $v$.
const DIM: usize = 8;
const V: f64 = 0.1;

/// Angles, laws and gain.
pub const CHECK: Check = Check {
    claim: "mnemosyne/block-orthogonal",
    metric: "largest cosine; root of n times Kolmogorov's distance; mean inner product of rows of two blocks over N; mean squared error of blocks over that of independent projections",
    against: "an angle within a block; a marginal law that is not Gaussian; two blocks that are alike",
    choices: &[
        "laws in 4 dimensions, entries (0, 0), (0, 1) and (3, 3) of a block; two blocks and a half in 4 dimensions",
        "errors with N = 8 and one whole block, v = 0.1",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    one_block(s)?;
    several_blocks(s)?;
    gain(s)?;
    let bias = 100.0 * fixed_norm_bias(8, 4.0)?;
    s.note(format!("lengths fixed at √N would bias the estimate by {bias:.1} % at N = 8, v = 4"));
    Ok(())
}

/// Angles and laws.
fn one_block(s: &Sheet) -> Done {
    let (mut stream, mut other) = (s.stream("blocks")?, s.stream("rows without blocks")?);
    let mut signs = s.stream("signs left in")?;
    let (mut blocks, mut signed) = (Vec::new(), Vec::new());
    for _ in s.cases("blocks", 8_000, 100_000)? {
        let block = Draws::block_orthogonal(BLOCK, BLOCK, &mut stream)?;
        s.printed(ROUNDING).same("largest cosine within a block", largest_cosine(&block));
        let independent = largest_cosine(&Draws::independent(BLOCK, BLOCK, &mut other)?);
        s.twin(ROUNDING).largest().same("rows without the factorisation: largest cosine", independent);
        signed.push(signs_left_in(BLOCK, &mut signs)?);
        blocks.push(block);
    }
    let square = |block: &Draws| block.row(0).dot(&block.row(0));
    let law = |says: Says, label: &str, samples: Vec<f64>, cdf: fn(f64) -> f64| {
        says.over(samples.len(), "blocks").at_most(label, kolmogorov(samples, cdf));
    };
    let entry = |draws: &[Draws], i: usize, j: usize| draws.iter().map(|block| block.rows()[(i, j)]).collect();
    let gaussian = "√n times the distance of an entry's law from N(0, 1)";
    law(s.printed(CHANCE), gaussian, entry(&blocks, 0, 1), normal_cdf);
    law(s.printed(CHANCE), "the same of the first entry of the diagonal", entry(&blocks, 0, 0), normal_cdf);
    law(s.printed(CHANCE), "the same of the last entry of the diagonal", entry(&blocks, 3, 3), normal_cdf);
    let squares = blocks.iter().map(square).collect();
    law(s.printed(CHANCE), "√n times the distance of a squared length's law from χ² with 4 degrees", squares, chi2_4);
    let label = "signs of the factorisation left in: √n times the distance of the first entry's law";
    law(s.twin(CHANCE), label, entry(&signed, 0, 0), normal_cdf);
    let fixed = blocks.iter().map(|block| (BLOCK as f64 / square(block)).sqrt() * block.rows()[(0, 1)]).collect();
    law(s.twin(CHANCE), &format!("all lengths √N: {gaussian}"), fixed, normal_cdf);
    Ok(())
}

/// Two blocks and a half at once.
fn several_blocks(s: &Sheet) -> Done {
    let mut stream = s.stream("several blocks")?;
    let (mut between, mut repeated) = (Vec::new(), Vec::new());
    for _ in s.cases("draws", 1_000, 10_000)? {
        let draws = Draws::block_orthogonal(ROWS, BLOCK, &mut stream)?;
        for i in 0..ROWS {
            for j in i + 1..ROWS.min((i / BLOCK + 1) * BLOCK) {
                s.printed(ROUNDING).same("ten rows: largest cosine within a block", cosine(&draws, i, j));
            }
        }
        let (first, second) = (draws.row(0), draws.row(BLOCK));
        let scale = (second.dot(&second) / first.dot(&first)).sqrt();
        between.push(first.dot(&second) / BLOCK as f64);
        repeated.push(scale * first.dot(&first) / BLOCK as f64);
    }
    let label = "ten rows: inner product of two blocks' first rows over N";
    s.printed(Margin::ZERO).of("draws").near(label, 0.0, mean(&between)?);
    let label = "directions of the first block used again: the same product";
    s.twin(Margin::ZERO).of("draws").near(label, 0.0, mean(&repeated)?);
    Ok(())
}

/// What orthogonality is for.
fn gain(s: &Sheet) -> Done {
    let draws = s.knob("draws for the errors", s.scale().pick(10_000, 60_000), 2..)?;
    let mut stream = s.stream("block errors")?;
    let gain = [Ensemble::BlockOrthogonal, Ensemble::Independent];
    let plain = measured_ratio(MapKind::FavorPlus, gain, draws, &mut stream)?;
    let hyperbolic = measured_ratio(MapKind::Hyperbolic, gain, draws, &mut stream)?;
    let none = [Ensemble::Independent; 2];
    let without = measured_ratio(MapKind::Hyperbolic, none, draws.div_ceil(5), &mut s.stream("no blocks")?)?;
    let exact = exact_ratio(MapKind::Hyperbolic, 2 * DIM, DIM, V)?;
    let label = "hyperbolic map: mean squared error, blocks over independent";
    s.support(Margin::ZERO).of("draws").near(label, exact, hyperbolic);
    let label = "independent projections in place of blocks: the same ratio";
    s.twin(Margin::ZERO).of("draws").near(label, exact, without);
    s.figure(figure([plain, hyperbolic])?);
    Ok(())
}

/// Block-orthogonal rows as a careless implementation draws them: Q as the factorisation gives it, with the signs of R's diagonal.
pub fn signs_left_in(dim: usize, stream: &mut Stream) -> Result<Draws, Failure> {
    let (q, _) = normal_array2(stream, dim, dim).qr()?;
    let lengths = normal_array2(stream, dim, dim).map_axis(Axis(1), |g| g.dot(&g).sqrt());
    let rows = Array2::from_shape_fn((dim, dim), |(i, j)| q[[j, i]] * lengths[i]);
    Ok(Draws::from_rows(rows)?)
}

fn cosine(draws: &Draws, i: usize, j: usize) -> f64 {
    let (a, b) = (draws.row(i), draws.row(j));
    (a.dot(&b) / (a.dot(&a) * b.dot(&b)).sqrt()).abs()
}

/// The largest over all pairs of rows.
fn largest_cosine(draws: &Draws) -> f64 {
    largest_of((0..BLOCK).flat_map(|i| (0..i).map(move |j| cosine(draws, i, j))))
}

/// $\sqrt n$ times the distance of an empirical law from a continuous one.
pub fn kolmogorov(mut samples: Vec<f64>, cdf: fn(f64) -> f64) -> f64 {
    samples.sort_by(f64::total_cmp);
    let n = samples.len() as f64;
    let apart = |(i, x): (usize, &f64)| [i, i + 1].map(|i| (cdf(*x) - i as f64 / n).abs());
    n.sqrt() * largest_of(samples.iter().enumerate().flat_map(apart))
}

/// The chi-squared law with four degrees of freedom.
fn chi2_4(x: f64) -> f64 {
    1.0 - (-0.5 * x).exp() * (1.0 + 0.5 * x)
}

/// Mean squared error of the first ensemble over that of the second, one whole block of projections at $x=y$.
fn measured_ratio(kind: MapKind, of: [Ensemble; 2], draws: usize, stream: &mut Stream) -> Result<Estimate, Failure> {
    let x = Array1::from_elem(DIM, (V / (4.0 * DIM as f64)).sqrt());
    let r = if kind.is_hyperbolic() { 2 * DIM } else { DIM };
    let mut squares = Vec::new();
    for _ in 0..draws {
        for ensemble in of {
            let map = FeatureMap::draw(kind, ensemble, r, DIM, stream)?;
            squares.push((map.kernel_estimate(&x, &x)? / x.dot(&x).exp() - 1.0).powi(2));
        }
    }
    let sum = |which: usize, units: &[usize]| units.iter().map(|i| squares[2 * i + which]).sum::<f64>();
    Ok(bootstrap(draws, 2000, stream, &mut |units| sum(0, units) / sum(1, units))?)
}

fn exact_ratio(kind: MapKind, r: usize, dim: usize, v: f64) -> Result<f64, Failure> {
    let log = |ensemble| log_relative_variance(kind, ensemble, r, dim, v);
    Ok((log(Ensemble::BlockOrthogonal)? - log(Ensemble::Independent)?).exp())
}

fn figure(measured: [Estimate; 2]) -> Result<Figure, Failure> {
    let vs: Vec<f64> = (0..60).map(|i| 10f64.powf(-2.0 + 0.06 * f64::from(i))).collect();
    let kinds = [("FAVOR+, r = N", MapKind::FavorPlus, 1), ("hyperbolic, r = 2N", MapKind::Hyperbolic, 2)];
    let mut figure = Figure::new("Orthogonal blocks never cost, and help hyperbolic features most");
    for ((title, kind, times), point) in kinds.into_iter().zip(measured) {
        let y = "variance: block / independent";
        let mut panel = Panel::new(title).x_label("v = ‖x + y‖²").y_label(y).log_x().y_limits(0.0, 1.25);
        for (colour, n) in [2, 8, 64, 256].into_iter().enumerate() {
            let ratios = vs.iter().map(|v| exact_ratio(kind, times * n, n, *v));
            let curve = ratios.collect::<Result<Vec<f64>, Failure>>()?;
            panel = panel.line(&format!("N = {n}"), &vs, &curve).colour(colour);
        }
        figure = figure.panel(panel.estimates("measured, N = 8", &[V], &[point]).colour(1).legend_below());
    }
    Ok(figure.caption(
        "Exact ratios of variances; the points are measured, with 99.9 % intervals. Plain features gain most for v between one and two. \
         Hyperbolic ones gain at every smaller v: orthogonal directions together see the whole length of x + y, and only the spread of \
         the lengths of the projections is left.",
    ))
}
