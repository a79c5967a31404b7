//! A.1, after Eq. 10: both estimates are unbiased.
//!
//! **Claim** (`mnemosyne/rf-unbiased`). E[phi(x)'phi(y)] = exp(x'y) for FAVOR+ and for its hyperbolic variant, any N and r.
//!
//! The coordinates of a projection are independent, so the mean of a term is a product of one-dimensional integrals. The code that draws the
//! features has a test of its own: with projections around x + y and likelihood weights the weighted term has variance zero, so every single
//! draw must give the kernel; for the hyperbolic map half of the projections lie around -(x + y), and the weight is the density of that
//! mixture. Sampling from the law itself decides nothing for large v = |x + y|^2: a term is log-normal, its second moment lives around g = 2
//! root v, and n draws reach root(2 ln n). At v = 1 it does, and there the mean over block-orthogonal rows meets the kernel, unless a
//! factorisation has left its signs in. Refuted by a bias at any length or angle.

use ndarray::{Array1, s};
use workbench_display::{Figure, Panel};
use workbench_features::{Draws, FeatureMap, MapKind};
use workbench_ground::stats::{Estimate, Stream, log_sum_exp, mean, normal_array2, normal_cdf, unit_sphere};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};

use super::equation_9_blocks::signs_left_in;
use super::term_constants::{PRINTED, Times, log_bias, vector_pairs};
use crate::vocabulary::ROUNDING;

const ENSEMBLE: Margin = Margin::statistical(
    "mean over ensembles",
    0.05,
    "signs left in a factorisation take a sixth of the kernel at v = 1 along an axis of four dimensions; a third of that",
);

/// Dimension of the ensembles that are sampled, and rows of each.
const AXES: usize = 4;

/// Quadrature over pairs of vectors, weighted draws, and what samples see.
pub const CHECK: Check = Check {
    claim: "mnemosyne/rf-unbiased",
    metric: "ln of the mean of a term minus x'y, by quadrature; ln of a weighted term minus x'y, over the squared length; mean estimate over the kernel",
    against: "a bias at any length, angle or dimension",
    choices: &[
        "1, 4 and 16 dimensions, lengths 0.1 to 4, random, equal and opposite vectors",
        "block-orthogonal rows: four in four dimensions, x = y along an axis, v = 1",
    ],
    departures: &[
        "beyond v = 1 no plain sample decides: its variance is unreliable from v near 3 on, as the figure shows",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    for (x, y) in s.each("pairs", vector_pairs(s)?) {
        let bias = |kind, times| Ok::<f64, Failure>(log_bias(kind, (&x, &y), times)?.abs());
        let (printed, twin) = (s.printed(ROUNDING), s.twin(ROUNDING));
        printed.same("bias of ln of the mean, FAVOR+, by quadrature", bias(MapKind::FavorPlus, PRINTED)?);
        printed.same("bias of ln of the mean, hyperbolic, by quadrature", bias(MapKind::Hyperbolic, PRINTED)?);
        let norms = bias(MapKind::FavorPlus, Times { c: 1.02, ..PRINTED })?;
        twin.same("norm factor exp(-0.51 |z|²): bias of FAVOR+, least", norms);
        let longer = bias(MapKind::Hyperbolic, Times { b: 1.01, ..PRINTED })?;
        twin.largest().same("projections one percent longer: bias of the hyperbolic map, largest", longer);
    }
    weighted(s)?;
    let sets = s.knob("ensembles", s.scale().pick(8_000, 100_000), 2..)?;
    let fair =
        over_kernel(sets, &mut s.stream("fair blocks")?, |stream| Ok(Draws::block_orthogonal(AXES, AXES, stream)?))?;
    let label = "block-orthogonal rows, FAVOR+ at v = 1 along an axis: mean estimate over the kernel";
    s.printed(ENSEMBLE).of("ensembles").equals(label, 1.0, fair);
    let signed = over_kernel(sets, &mut s.stream("blocks with signs")?, |stream| signs_left_in(AXES, stream))?;
    let label = "signs of the factorisation left in: mean estimate over the kernel";
    s.twin(ENSEMBLE).of("ensembles").equals(label, 1.0, signed);
    s.figure(sample_figure(s)?);
    Ok(())
}

/// Weighted draws, each of which must give the kernel.
fn weighted(sheet: &Sheet) -> Done {
    let (streams, n) = (sheet.streams(), sheet.knob("weighted draws", 1000, 1..)?);
    for norm in [0.5, 3.0, 30.0] {
        let u = unit_sphere(&mut streams.replicate("tilted", norm as usize)?, 2, 8) * norm;
        let (x, y) = (u.row(0).to_owned(), u.row(1).to_owned());
        let s = &x + &y;
        let mut rows = normal_array2(&mut streams.replicate("tilted draws", norm as usize)?, n, 8) + &s;
        let map = FeatureMap::favor_plus(Draws::from_rows(rows.clone())?)?;
        let terms = map.log_features(&x)? + map.log_features(&y)? + (n as f64).ln();
        let weights = -map.draws().rows().dot(&s) + 0.5 * s.dot(&s);
        let off = |log: f64| (log - x.dot(&y)).abs() / norm.max(1.0).powi(2);
        // Every other projection around -(x + y).
        let mut odd = rows.slice_mut(s![1..;2, ..]);
        odd -= &(2.0 * &s);
        let map = FeatureMap::hyperbolic(Draws::from_rows(rows)?)?;
        let pairs = map.log_features(&x)? + map.log_features(&y)?;
        let along = map.draws().rows().dot(&s);
        for i in sheet.each("draws", 0..n) {
            let label = "ln of a weighted term minus x·y, over the squared length";
            sheet.printed(ROUNDING).same(label, off(terms[i] + weights[i]));
            // ln of the density of the mixture of N(s, I) and N(-s, I), over that of N(0, I).
            let density = log_sum_exp(&[along[i], -along[i]]) - 2f64.ln() - 0.5 * s.dot(&s);
            let pair = log_sum_exp(&[pairs[i], pairs[n + i]]) + (n as f64).ln();
            let label = "hyperbolic: ln of a weighted pair minus x·y, over the squared length";
            sheet.printed(ROUNDING).same(label, off(pair - density));
            // All projections weighted as if they lay around s.
            let one = along[i] - 0.5 * s.dot(&s);
            let label = "hyperbolic, the density of one component for that of the mixture: the same, largest";
            sheet.twin(ROUNDING).largest().same(label, off(pair - one));
        }
    }
    Ok(())
}

/// The mean of the estimate over the kernel, for x = y along an axis with |x + y| = 1, over ensembles of as many rows as dimensions.
fn over_kernel(
    draws: usize,
    stream: &mut Stream,
    ensemble: impl Fn(&mut Stream) -> Result<Draws, Failure>,
) -> Result<Estimate, Failure> {
    let x = Array1::from_shape_fn(AXES, |i| if i == 0 { 0.5 } else { 0.0 });
    let mut ratios = Vec::with_capacity(draws);
    for _ in 0..draws {
        let map = FeatureMap::favor_plus(ensemble(stream)?)?;
        ratios.push(map.kernel_estimate(&x, &x)? / x.dot(&x).exp());
    }
    Ok(mean(&ratios)?)
}

/// Sample variances over the true one, and the part of the second moment that a sample of this size can reach.
fn sample_figure(setting: &Setting) -> Result<Figure, Failure> {
    let n = setting.scale().pick(100_000, 2_000_000);
    let levels: Vec<f64> = (1..=24).map(|i| 0.5 * f64::from(i)).collect();
    let (x, y) = ("v = ‖x + y‖²", "sample variance / true variance");
    let mut panel = Panel::new(&format!("{n} draws each")).x_label(x).y_label(y).log_y().y_limits(1e-4, 10.0);
    for sample in 0..5 {
        let mut stream = setting.streams().replicate("sample variances", sample)?;
        let g: Vec<f64> = (0..n).map(|_| stream.normal()).collect();
        let ratio = |v: &f64| {
            let terms = g.iter().map(|g| (v.sqrt() * g - 0.5 * v).exp());
            let (sum, squares) = terms.fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
            (squares / n as f64 - (sum / n as f64).powi(2)) / v.exp_m1()
        };
        let name = if sample == 0 { "five samples" } else { "" };
        panel = panel.points(name, &levels, &levels.iter().map(ratio).collect::<Vec<f64>>()).colour(0);
    }
    let reach = |v: &f64| normal_cdf((2.0 * (n as f64).ln()).sqrt() - 2.0 * v.sqrt());
    let reach: Vec<f64> = levels.iter().map(reach).collect();
    let panel = panel.theory("Φ(√(2 ln n) − 2√v)", &levels, &reach).hline("truth", 1.0);
    Ok(Figure::new("Sample variances of a log-normal lie").panel(panel).caption(
        "A dot is the variance of a whole sample over the exact one. For large v nearly all are far too small, and none of them says so. \
         The dashed line is the share of the second moment within reach of n draws.",
    ))
}
