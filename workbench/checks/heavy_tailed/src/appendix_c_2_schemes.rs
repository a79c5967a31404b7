//! Appendix C.2, second catch: lower bound for freer memories.
//!
//! **Claim** (`heavy-tailed/c2-scheme-restriction`). The lower bound is proven for q(x, y) = q(x), with q not optimised with respect to f_*, so
//! it is unclear whether it holds for optimisation-based algorithms, although no different mechanism is expected.
//!
//! Two larger classes of memories are optimised for the very embeddings and labels: any real weights q(x), and any W. The last is the same
//! as any q(x, y), since adding to W what is orthogonal to all u_y e_x^T changes no score. The zero-one error is minimised through the
//! cross-entropy of the first P inputs, for several P. The bound is d^-(alpha - 1); refuted by a class with another power.
//! The bound is one for N = infinity. The power is asked at N = 8000, where the end of the tail, from P = 2.5 d to N, adds .01 to it, and from
//! d = 16 on: at d = 8 the P that is best is not in proportion to d yet. At N = 2000 the other questions are asked.

use std::sync::Arc;

use ndarray::{Array1, Array2, s};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Stream, unit_sphere};
use workbench_ledger::{Check, Done, Failure, Setting, Sheet};
use workbench_memory::{
    ConditionalDraws, Embeddings, ErrorCurve, Freedom, Scheme, ThresholdProfile, Zipf, best_threshold_curve,
    best_trained_errors,
};

use super::learned_embeddings::{CLASSES, EXPONENT, drawn, target};
use super::scaling_curves::DRAWN_EXPONENT;

/// Memories of growing freedom for the same embeddings.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/c2-scheme-restriction",
    metric: "slope of ln error in ln d, of the best W found, 16 ≤ d ≤ 64, and of the best q(x) found less that of the best W on the same inputs",
    against: "a class of memories whose error falls with another power than d^-(α-1)",
    protocol: &["α = 2 and M = 5 as in Figure 8; random embeddings"],
    choices: &[
        "the exponent at N = 8000, d = 16 to 64, below the tipping points and where the best P is in proportion to d; the rest at N = 2000, d = 8 to 64; q(x) on the first 300 inputs, d = 8 to 32",
        "a convex surrogate in place of the zero-one error: what is found is above the minimum",
    ],
    rivals: &[
        "stored inputs P = 1.5, 2, 2.5, 3 and 4 times d for each class, the best on the mean; for the exponent 2, 2.25, 2.5, 2.75, 3 and 3.25 times d, the best for each of the embeddings",
        "equal weights on the best P are drawn beside; they store d/log d pairs, so at these d they are less steep than the bound, and are no measure for it",
    ],
    settled: "more dimensions, at as long a tail",
    run,
    ..Check::DEFAULT
};

/// Inputs N.
const MANY: usize = 2000;
const DIMS: [usize; 4] = [8, 16, 32, 64];
/// Weights q(x) cost N² a step, so they are compared on so many inputs, in the first three dimensions.
const FIRST: usize = 300;
/// Dimensions in which they are.
const SMALL: usize = 3;
/// Embeddings behind the wrong form.
const TWINS: usize = 8;
/// Stored inputs over d that are tried.
const STORED: [f64; 5] = [1.5, 2.0, 2.5, 3.0, 4.0];
/// Inputs behind the power of any W, its dimensions, and the stored inputs over d there.
const LONG: usize = 8000;
const WIDE: [usize; 3] = [16, 32, 64];
const FINE: [f64; 6] = [2.0, 2.25, 2.5, 2.75, 3.0, 3.25];
/// Numbers of inputs that are recalled in full or not: from 2 d upwards, a fifth more each.
const RECALLED: i32 = 7;
/// Dimensions in which the inner products are squared, with half of the embeddings behind a wrong form.
const SQUARED: [usize; 3] = [3, 6, 12];

fn run(s: &Sheet) -> Done {
    let (found, hand) = (found(s)?, by_hand(s)?);
    let mut boot = s.stream("bootstrap, schemes")?;
    let by_hand = hand.slope(&mut boot)?.value;
    let [printed, twin] = [s.printed(EXPONENT), s.twin(EXPONENT)].map(|says| says.of("embeddings"));
    let exponent = long(s)?.slope(&mut boot)?;
    s.printed(DRAWN_EXPONENT).of("embeddings").scaled_down().equals(SLOPE_OF_LONG, -1.0, exponent);
    let shorter = found.any.slope(&mut s.stream("bootstrap, any W")?)?;
    s.aside(DRAWN_EXPONENT).of("embeddings").equals("any W, N = 2000: slope for 8 ≤ d ≤ 64", -1.0, shorter);
    let label = "any q(x) less any W, first 300 inputs: slope for 8 ≤ d ≤ 32";
    printed.equals(label, 0.0, found.weights.relative_slope(&found.same, &mut boot)?);
    let label = "errors counted with equal weights and not with p: slope of any W";
    twin.equals(label, -1.0, found.unweighted.slope(&mut boot)?);
    let label = "most inputs that some W recalls in full, weighted alike: power of d for 8 ≤ d ≤ 64";
    printed.equals(label, 1.0, found.recalled.slope(&mut boot)?);
    let label = "squared inner products in place of W: slope for 3 ≤ d ≤ 12";
    twin.equals(label, -1.0, found.squared.slope(&mut boot)?);
    s.note(format!(
        "slope of equal weights on the best P: {by_hand:.2}; errors at d = 8, 16, 32, 64: {:.3?}, of any W: {:.3?}",
        hand.means(),
        found.any.means()
    ));
    s.note(format!(
        "best of the P that are tried, over d, for any W: {:.1?}; most inputs recalled in full, over d: {:.1?}",
        found.best,
        found.recalled.means().iter().zip(DIMS).map(|(p, d)| p / d as f64).collect::<Vec<_>>()
    ));
    let panel = Panel::new("α = 2, M = 5")
        .x_label("d")
        .y_label("error")
        .log_x()
        .log_y()
        .line("equal weights, best P, N = ∞", hand.x(), &drawn(&hand, 1e-4))
        .line("any q(x), first 300 inputs", found.weights.x(), &drawn(&found.weights, 1e-4))
        .line("any W, first 300 inputs", found.same.x(), &drawn(&found.same, 1e-4))
        .line("any W, N = 2000", found.any.x(), &drawn(&found.any, 1e-4))
        .theory("0.5/d", hand.x(), &hand.law(0.5, -1.0));
    s.figure(Figure::new("Freedom buys a factor and not a power").panel(panel.legend_below()).caption(
        "Means over embeddings. With 300 inputs the tail ends earlier, so both lower curves bend down together.",
    ));
    Ok(())
}

/// What the exponent -(alpha - 1) of the lower bound, at alpha = 2, is compared with.
pub const SLOPE_OF_LONG: &str = "any W, N = 8000: slope for 16 ≤ d ≤ 64";

/// Errors of the best memories found.
struct Freer {
    /// Any W.
    any: ErrorCurve,
    /// Any q(x), first inputs only.
    weights: ErrorCurve,
    /// Any W on the same.
    same: ErrorCurve,
    /// Any W with all inputs given the same weight in the error.
    unweighted: ErrorCurve,
    /// Stored inputs over d that are best for any W, in each dimension.
    best: Vec<f64>,
    /// Inputs that some W recalls in full.
    recalled: ErrorCurve,
    /// Any W on squared inner products.
    squared: ErrorCurve,
}

/// The best memories that are found, computed once.
fn found(setting: &Setting) -> Result<Arc<Freer>, Failure> {
    setting.shared("freer schemes", |own| find(own, own.scale().pick(10, 48)))
}

fn find(setting: &Setting, count: usize) -> Result<Freer, Failure> {
    let n = MANY;
    let (p, labels) = (Zipf::new(2.0, n)?.probabilities(n), target(CLASSES)?.labels(n));
    let uniform = vec![1.0 / n as f64; n];
    let mut columns: [Vec<Array1<f64>>; 5] = Default::default();
    let mut best = Vec::new();
    let draw = |d: usize, i: usize| -> Result<Embeddings, Failure> {
        let mut stream = setting.streams().replicate(&format!("schemes, d = {d}"), i)?;
        Ok(Embeddings::spherical(n, CLASSES, d, &mut stream)?)
    };
    let up_to = |d: usize| STORED.map(|r| (r * d as f64) as usize);
    for (k, d) in DIMS.into_iter().enumerate() {
        let stored = up_to(d);
        let whole = (0..count).map(|i| draw(d, i)).collect::<Result<Vec<_>, Failure>>()?;
        let any = |of: &[Embeddings], p: &[f64]| best_stored(Freedom::Memory, of, &labels, p, &stored);
        let (errors, at) = any(&whole, &p)?;
        columns[0].push(Array1::from(errors));
        best.push(at as f64 / d as f64);
        columns[1].push(Array1::from(any(&whole[..TWINS.min(count)], &uniform)?.0));
        columns[4].push(recalled(&whole[..setting.scale().pick(TWINS, count).min(count)], &labels, d)?);
        if k < SMALL {
            let some = first(&whole, FIRST)?;
            for (column, freedom) in [(2, Freedom::Weights), (3, Freedom::Memory)] {
                let (errors, _) = best_stored(freedom, &some, &labels[..FIRST], &p[..FIRST], &stored)?;
                columns[column].push(Array1::from(errors));
            }
        }
    }
    let x = DIMS.map(|d| d as f64);
    let curve = |k: usize| ErrorCurve::from_columns(x[..columns[k].len()].to_vec(), &columns[k]);
    let mut squared = Vec::new();
    for d in SQUARED {
        let mut stream = setting.stream(&format!("squared inner products, d = {d}"))?;
        let of = (0..(TWINS / 2).min(count)).map(|i| squares(&draw(d, i)?, &mut stream));
        let of = of.collect::<Result<Vec<_>, Failure>>()?;
        let (errors, _) = best_stored(Freedom::Memory, &of, &labels, &p, &up_to(d * (d + 1) / 2)[..3])?;
        squared.push(Array1::from(errors));
    }
    Ok(Freer {
        any: curve(0)?,
        unweighted: curve(1)?,
        weights: curve(2)?,
        same: curve(3)?,
        recalled: curve(4)?,
        squared: ErrorCurve::from_columns(SQUARED.map(|d| d as f64).to_vec(), &squared)?,
        best,
    })
}

/// Errors of any W on the P that is best for its embeddings, at the longer tail.
///
/// A mean over embeddings would choose P by the few that lose a frequent input.
///
/// # Errors
/// A wish to stop.
pub fn long(setting: &Setting) -> Result<Arc<ErrorCurve>, Failure> {
    setting.shared("any W, long tail", errors_at_length)
}

fn errors_at_length(setting: &Setting) -> Result<ErrorCurve, Failure> {
    let (p, labels) = (Zipf::new(2.0, LONG)?.probabilities(LONG), target(CLASSES)?.labels(LONG));
    let mut columns = Vec::new();
    for d in WIDE {
        let draw = |i: usize| -> Result<Embeddings, Failure> {
            let mut stream = setting.streams().replicate(&format!("schemes, long tail, d = {d}"), i)?;
            Ok(Embeddings::spherical(LONG, CLASSES, d, &mut stream)?)
        };
        let drawn = (0..setting.scale().pick(40, 80)).map(draw).collect::<Result<Vec<_>, Failure>>()?;
        let stored = FINE.map(|r| (r * d as f64) as usize);
        columns.push(Array1::from(best_trained_errors(Freedom::Memory, &drawn, &labels, &p, &stored, &[0.0])?));
    }
    Ok(ErrorCurve::from_columns(WIDE.map(|d| d as f64).to_vec(), &columns)?)
}

/// Equal weights on the best P: exact expectation, N = infinity.
///
/// # Errors
/// None.
pub fn by_hand(setting: &Setting) -> Result<ErrorCurve, Failure> {
    let count = setting.scale().pick(900, 1500);
    let draws = ConditionalDraws::new(CLASSES, count, &mut setting.stream("best P")?)?;
    let (law, target) = (Zipf::infinite(2.0)?, target(CLASSES)?);
    let profiles = ThresholdProfile::over_dims(&draws, &law, &target, &Scheme::uniform(), &DIMS, 1.3)?;
    Ok(best_threshold_curve(&profiles)?)
}

/// Errors of the memories trained on the first P inputs, for the P that is best on the mean over the embeddings; and that P.
fn best_stored(
    freedom: Freedom,
    of: &[Embeddings],
    labels: &[usize],
    p: &[f64],
    stored: &[usize],
) -> Result<(Vec<f64>, usize), Failure> {
    let at = |count: &usize| Ok((best_trained_errors(freedom, of, labels, p, &[*count], &[0.0])?, *count));
    let tried = stored.iter().map(at).collect::<Result<Vec<(Vec<f64>, usize)>, Failure>>()?;
    let best = tried.into_iter().reduce(|a, b| if b.0.iter().sum::<f64>() < a.0.iter().sum() { b } else { a });
    Ok(best.ok_or("no numbers of stored inputs")?)
}

/// These many inputs, with the same outputs.
fn first(of: &[Embeddings], count: usize) -> Result<Vec<Embeddings>, Failure> {
    let cut = |e: &Embeddings| Embeddings::from_parts(e.inputs.slice(s![..count, ..]).to_owned(), e.outputs.clone());
    Ok(of.iter().map(cut).collect::<Result<Vec<_>, _>>()?)
}

/// For each of the embeddings, the most inputs on a grid that some W recalls in full, all of them with the same weight.
fn recalled(of: &[Embeddings], labels: &[usize], d: usize) -> Result<Array1<f64>, Failure> {
    let mut most = vec![d as f64; of.len()];
    let mut left: Vec<usize> = (0..of.len()).collect();
    for k in 0..RECALLED {
        let count = (2.0 * d as f64 * 1.2f64.powi(k)) as usize;
        let some: Vec<Embeddings> = left.iter().map(|i| of[*i].clone()).collect();
        let (some, p) = (first(&some, count)?, vec![1.0 / count as f64; count]);
        let errors = best_trained_errors(Freedom::Memory, &some, &labels[..count], &p, &[count], &[0.0])?;
        let kept = left.iter().zip(&errors).filter(|(_, error)| **error == 0.0);
        left = kept.map(|(i, _)| *i).collect();
        left.iter().for_each(|i| most[*i] = count as f64);
    }
    Ok(Array1::from(most))
}

/// The same inputs with squared inner products: all products of two coordinates, and outputs in as many dimensions.
fn squares(e: &Embeddings, stream: &mut Stream) -> Result<Embeddings, Failure> {
    let (n, d) = e.inputs.dim();
    let pairs: Vec<(usize, usize)> = (0..d).flat_map(|i| (i..d).map(move |j| (i, j))).collect();
    let product = |(x, k): (usize, usize)| {
        let (i, j) = pairs[k];
        let twice = if i == j { 1.0 } else { std::f64::consts::SQRT_2 };
        twice * e.inputs[[x, i]] * e.inputs[[x, j]]
    };
    let inputs = Array2::from_shape_fn((n, pairs.len()), product);
    let outputs = unit_sphere(stream, e.outputs.nrows(), pairs.len());
    Ok(Embeddings::from_parts(inputs, outputs)?)
}
