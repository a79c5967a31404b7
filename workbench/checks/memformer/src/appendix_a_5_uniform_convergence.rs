//! Appendix A.5, uniform convergence.
//!
//! **Claim** (`memformer/a5-uniform-convergence`). With probability at least 1 - delta, sup over Theta of |R_N - R| is at most eps(N,
//! delta), which tends to zero (printed with doubled bars).
//!
//! R_N - R is a quadratic form of theta, so its supremum over a box is found exactly, face by face. It must fall as the root of N, and stay
//! below a bound with constants, tau^2 sqrt((E|g|^4 - |G|_F^2) / (N delta)) with tau^2 = max 1 + |theta|^2 (Chebyshev's inequality), at
//! least as often as 1 - delta. That variance is exact, and the mean square of what samples deviate must meet it. Wrong twins: a box that
//! grows with N, which is not compact in the end; the bound with N in place of its root.

use ndarray::{Array2, ArrayView1};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, mean, power_fit_runs, quantile};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};

use super::linear_classes::{Class, DELTA, ROOT, above_the_bound, bars, curve, means, repeats};

const VARIANCE: Margin =
    Margin::statistical("variance", 0.25, "half of what a term that is forgotten or counted twice would change");

/// Half-widths of the box at N = 1024.
const RADII: [f64; 8] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
/// Sizes at which the box grows as the fourth root of N.
const GROWING: [f64; 4] = [64.0, 256.0, 1024.0, 4096.0];

/// Suprema over boxes.
pub const CHECK: Check = Check {
    claim: "memformer/a5-uniform-convergence",
    metric: "exponent of the mean supremum in N; share of samples above the bound",
    against: "suprema that do not fall, or that are above the bound more often than in a share δ of the samples",
    protocol: &["p finite, Θ compact: a box"],
    choices: &["p = 1 and 2 rates in d = 20, box [0, 1]^p, 300 (500) samples of each N; exponents from N = 256 on"],
    departures: &["Gaussian data with a finite variance, for which condition (i) does not hold; see a5-conditions"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let samples = s.knob("samples of each size", repeats(s), 60..)?;
    let mut boot = s.stream("uniform bootstrap")?;
    let root = s.printed(ROOT).of("samples");
    for (p, class) in [(1, Class::Rates(1)), (2, Class::Rates(2))] {
        let curve = curve(s, class, samples)?;
        let slope = power_fit_runs(&curve.sizes, &curve.supremum, (256.0, 1e5), 2000, &mut boot)?.slope;
        root.equals(format!("exponent of the mean supremum in N, p = {p}"), -0.5, slope);
    }
    let (wider, growing) = boxes(s)?;
    let slope = power_fit_runs(&GROWING, &growing, (1.0, 1e5), 2000, &mut boot)?.slope;
    let label = "exponent of the mean supremum on a box that grows as N^(1/4)";
    s.twin(ROOT).of("samples").equals(label, -0.5, slope);
    let label = "worst N: share of samples above the bound from the variance";
    s.printed(DELTA).of("samples").at_most(label, above_the_bound(s, samples, 0.5)?);
    let label = "bound with N in place of its root: share of samples above it";
    s.twin(DELTA).of("samples").at_most(label, above_the_bound(s, samples, 1.0)?);
    let label = "N = 256: mean square of what the moments of samples deviate, over its exact value";
    s.support(VARIANCE).of("samples").equals(label, 1.0, deviation(s)?);
    let wide = means(&wider)?;
    s.note(format!(
        "the supremum grows with the box as its square, from r = 32 to 64 by a factor {:.2}; on an unbounded Θ it is infinite",
        wide[7].value / wide[6].value
    ));
    s.figure(figure(s, samples, &wider)?);
    Ok(())
}

/// sup over [-r, r]^2 at N = 1024, by radius, and with r = N^(1/4) / 2, by size.
fn boxes(setting: &Setting) -> Result<(Array2<f64>, Array2<f64>), Failure> {
    let class = Class::Rates(2).linear()?;
    let mut stream = setting.stream("boxes")?;
    let (mut wider, mut growing) = (Array2::zeros((60, RADII.len())), Array2::zeros((60, GROWING.len())));
    for run in 0..60 {
        let mut sample = class.empty();
        for (c, size) in GROWING.iter().enumerate() {
            let more = *size as usize - sample.count();
            class.extend(&mut sample, more, &mut stream)?;
            let r = 0.5 * size.powf(0.25);
            growing[[run, c]] = sample.supremum(&class, -r, r)?;
            if *size == 1024.0 {
                for (k, r) in RADII.iter().enumerate() {
                    wider[[run, k]] = sample.supremum(&class, -r, *r)?;
                }
            }
        }
    }
    Ok((wider, growing))
}

/// N |G_N - G|_F^2 over what it is on average, E|g|^4 - |G|_F^2, for p = 2.
fn deviation(setting: &Setting) -> Result<Estimate, Failure> {
    let (class, size) = (Class::Rates(2).linear()?, 256);
    let square = |m: &Array2<f64>| m.iter().map(|v| v * v).sum::<f64>();
    let exact = class.fourth_moment()? - square(class.moments());
    let mut stream = setting.stream("deviations of moments")?;
    let mut seen = Vec::new();
    for _ in 0..setting.scale().pick(1500, 6000) {
        let mut sample = class.empty();
        class.extend(&mut sample, size, &mut stream)?;
        seen.push(size as f64 * square(&(sample.moments()? - class.moments())) / exact);
    }
    Ok(mean(&seen)?)
}

fn figure(s: &Sheet, samples: usize, wider: &Array2<f64>) -> Result<Figure, Failure> {
    let mut left = Panel::new("fixed box [0, 1]^p").log_x().log_y().legend_below();
    let first = Class::Rates(1).linear()?;
    let (mut axis, mut bound) = (Vec::new(), Vec::new());
    for (colour, class) in [Class::Rates(1), Class::Rates(2)].into_iter().enumerate() {
        let curve = curve(s, class, samples)?;
        let of = |c: ArrayView1<f64>| quantile(&c.to_vec(), 1.0 - DELTA.value);
        let tops = curve.supremum.columns().into_iter().map(of).collect::<Result<Vec<_>, _>>()?;
        let [value, low, high] = bars(&tops);
        left = left.error_bars(&class.name(), &curve.sizes, &value, &low, &high).colour(colour);
        axis = curve.sizes.clone();
    }
    for n in &axis {
        bound.push(first.variance_bound(0.0, 1.0, *n as usize, DELTA.value)?);
    }
    let left = left
        .theory("bound, p = 1", &axis, &bound)
        .colour(0)
        .x_label("prompts N")
        .y_label("0.9 quantile of the supremum");
    let [value, low, high] = bars(&means(wider)?);
    let far: Vec<f64> = RADII.iter().map(|r| value[7] * (r / 64.0).powi(2)).collect();
    let right = Panel::new("p = 2, N = 1024").log_x().log_y().legend_below();
    let right = right
        .error_bars("mean", &RADII, &value, &low, &high)
        .theory("∝ r²", &RADII, &far)
        .x_label("box [-r, r]²")
        .y_label("supremum");
    let figure = Figure::new("The supremum falls as the root of N, and grows as the square of the box");
    Ok(figure.panel(left).panel(right).columns(2).caption("Suprema are exact for each sample; bars are intervals."))
}
