//! Figure 8, left and middle: error over d and T of equal weights and of weights by frequency.
//!
//! **Claims**, at alpha = 0.5, N = 100, M = 5, 100 runs. `heavy-tailed/fig-8-left`, q_0: d is too small and the memory overflows, which leads to a
//! large error, or it is big enough, and with enough data the error is zero. `heavy-tailed/fig-8-middle`, q_1: for small d and big T it avoids
//! overflow and has a smaller error than q_0; for big d it gives rare associations too little and has a bigger one. Both, the caption says, can be
//! interpreted by looking at the matrices of Figure 10, which have N = 10 and alpha = 1: the difference there, at its d = 10 and 50, stands beside.
//!
//! "Zero" means exactly zero in a run, counted with an exact interval. "Large" has no number in the caption: with the same data, the error where
//! d is small is held against that of the memory that is big enough. The differences are paired, on the same embeddings and data.

use std::sync::Arc;

use ndarray::Array2;
use workbench_display::{Figure, Panel};
use workbench_ground::stats::paired_difference;
use workbench_ledger::{Check, Done, Failure, Margin, Says, Sheet, Sourced};
use workbench_memory::{Errors, Experiment, Samples, Scheme, Zipf, log_grid};

use super::error_curves::Curves;
use super::exponents::target;
use super::schemes_along_d::lowest;

const NEARLY_ALL: Margin = Margin::statistical(
    "nearly all runs",
    0.9,
    "a hundred runs without a single error prove no more than nine in ten at this confidence",
);
const MOSTLY_WRONG: Margin =
    Margin::ours("mostly wrong", 0.5, "more queries wrong than right; the caption says large and gives no number");

/// Left panel: equal weights.
pub const LEFT: Check = Check {
    claim: "heavy-tailed/fig-8-left",
    metric: "share of runs with error exactly zero at d = 10N and the most data; error at d = N/10 minus that at d = 10N, paired by run",
    against: "runs with errors where d is big and data are many; an error where d is small that is not above them",
    protocol: &["α = 0.5, N = 100, M = 5, f(x) = x mod 5, 100 runs, as printed"],
    choices: &["d = 5 to 2000, T = 10 to 10^6"],
    run: left,
    ..Check::DEFAULT
};

/// Middle panel: weights by frequency.
pub const MIDDLE: Check = Check {
    claim: "heavy-tailed/fig-8-middle",
    metric: "error of q_1 minus error of q_0, paired by embeddings and data, at T = 10^6",
    against: "a difference of the other sign at d = 10 or at d = 1000",
    protocol: &["as on the left"],
    choices: &["small is d = N/10, big is d = 10N; big T is 10^6"],
    rivals: &["equal weights on the same embeddings and data"],
    run: middle,
    ..Check::DEFAULT
};

const INPUTS: usize = 100;
const ALPHA: f64 = 0.5;
const DIMS: [usize; 18] = [5, 7, 10, 14, 20, 30, 40, 60, 80, 100, 140, 200, 300, 400, 600, 1000, 1400, 2000];
/// Dimensions that the claims speak of: N/10 and 10N.
const SMALL: usize = 10;
const BIG: usize = 1000;
/// The most data of the grid.
const MOST: Samples = Samples::Draws(1_000_000);

fn left(s: &Sheet) -> Done {
    let (runs, [equal, by_frequency, _]) = (errors(s)?, schemes()?);
    let errors = runs.on(s);
    let zero = |says: Says, label: &str, scheme: &Scheme| -> Done {
        says.of("runs").at_least(label, errors.zero_share(scheme, BIG, MOST)?);
        Ok(())
    };
    zero(s.printed(NEARLY_ALL), "share of runs with error exactly zero, d = 1000, T = 10^6", &equal)?;
    let label = "weights by frequency in place of equal ones: share of runs with error exactly zero";
    zero(s.twin(NEARLY_ALL), label, &by_frequency)?;

    // Errors of the runs at one dimension, with the most data.
    let curve = errors.over_dims(&equal, MOST)?;
    let of = |dim: usize| -> Result<Vec<f64>, Failure> {
        let k = DIMS.iter().position(|d| *d == dim).ok_or("no such dimension on the grid")?;
        Ok(curve.runs().column(k).to_vec())
    };
    let label = "error at d = 10 minus that at d = 1000, T = 10^6";
    s.printed(Margin::ZERO).of("runs").at_least(label, paired_difference(&of(SMALL)?, &of(BIG)?)?);
    let lowest = lowest(&errors.over_samples(&equal, SMALL)?)?;
    s.aside(MOSTLY_WRONG).of("runs").at_least("error at d = 10, lowest over T", lowest);
    s.figure(figure(errors)?);
    Ok(())
}

fn middle(s: &Sheet) -> Done {
    let (runs, [equal, by_frequency, backwards]) = (errors(s)?, schemes()?);
    let errors = runs.on(s);
    let gap = |scheme: &Scheme, d: usize| errors.difference(scheme, &equal, d, MOST);
    let (printed, twin) = (s.printed(Margin::ZERO).of("runs"), s.twin(Margin::ZERO).of("runs"));
    printed.at_most("error of q₁ minus that of q₀, d = 10, T = 10^6", gap(&by_frequency, SMALL)?);
    printed.at_least("error of q₁ minus that of q₀, d = 1000, T = 10^6", gap(&by_frequency, BIG)?);
    let label = "weights in the opposite order of ranks: error minus that of q₀, d = 10, T = 10^6";
    twin.at_most(label, gap(&backwards, SMALL)?);
    let (matrices, beside) = (figure_10(s, &[equal.clone(), by_frequency.clone()])?, s.aside(Margin::ZERO).of("runs"));
    let there = |d: usize| matrices.difference(&by_frequency, &equal, d, Samples::Draws(1000));
    beside.at_most("matrices of Figure 10, d = 10 = N: error of q₁ minus that of q₀", there(10)?);
    beside.at_least("matrices of Figure 10, d = 50 = 5N: error of q₁ minus that of q₀", there(50)?);
    let mut turn = DIMS.len() - 1;
    while turn > 0 && gap(&by_frequency, DIMS[turn - 1])?.value > 0.0 {
        turn -= 1;
    }
    s.note(format!("the sign changes below d = {}", DIMS[turn]));
    Ok(())
}

/// Errors in the setting of Figure 10.
fn figure_10(s: &Sheet, schemes: &[Scheme]) -> Result<Errors, Failure> {
    Ok(Experiment::new(Zipf::new(1.0, 10)?, target()?)
        .schemes(schemes.to_vec())
        .dims(vec![10, 50])
        .samples(vec![Samples::Draws(1000)])
        .runs(s.scale().pick(2000, 10_000))
        .run(s.streams(), "figure 8, matrices of figure 10")?)
}

/// Equal weights, weights by frequency and, as a wrong form, weights p in the opposite order of ranks.
fn schemes() -> Result<[Scheme; 3], Failure> {
    let backwards: Vec<f64> = Zipf::new(ALPHA, INPUTS)?.probabilities(INPUTS).into_iter().rev().collect();
    Ok([Scheme::uniform(), Scheme::power(1.0)?, Scheme::explicit(&backwards)?])
}

/// Errors of the three schemes.
fn errors(s: &Sheet) -> Result<Arc<Sourced<Errors>>, Failure> {
    let runs = s.knob("runs", 100, 2..)?;
    let columns = ["error_equal", "error_by_frequency", "error_backwards"];
    let curves = Curves {
        inputs: INPUTS,
        alpha: ALPHA,
        schemes: columns.into_iter().zip(schemes()?).collect(),
        dims: DIMS.to_vec(),
        samples: log_grid(10, 1_000_000, 2)?.into_iter().map(Samples::Draws).collect(),
        runs,
        stream: "figure 8, left and middle",
    };
    curves.errors(s, &format!("figure 8, {runs} runs"))
}

fn figure(errors: &Errors) -> Result<Figure, Failure> {
    let (t, d, [equal, by_frequency, _]) = (errors.sizes(), errors.dims(), schemes()?);
    let map = |title: &str, values: &Array2<f64>, bar: &str| {
        Panel::new(title).x_label("T").y_label("d").log_x().log_y().heatmap(values, &t, &d, bar)
    };
    let (equal, weighted) = (errors.map(&equal)?, errors.map(&by_frequency)?);
    Ok(Figure::new("Weights by frequency help in few dimensions and cost in many")
        .panel(map("q₀", &equal, "error").colour_limits(0.0, 0.8))
        .panel(map("q₁", &weighted, "error").colour_limits(0.0, 0.8))
        .panel(map("q₁ minus q₀", &(&weighted - &equal), "difference").signed_colour())
        .columns(3)
        .caption("Means of 100 runs; embeddings and data are the same for both schemes. Blue in the right panel: weights by frequency have the smaller error."))
}
