//! Appendix A.5, uniform convergence.
//!
//! **Claim** (`memformer/a5-uniform-convergence`). With probability at least 1 - delta, sup over Theta of |R_N - R| is at most eps(N,
//! delta), which tends to zero (printed with doubled bars).
//!
//! R_N - R is a quadratic form of theta, so its supremum over a box is found exactly, face by face. It must fall as the root of N, and stay
//! below a bound with constants, tau^2 sqrt((E|g|^4 - |G|_F^2) / (N delta)) with tau^2 = max 1 + |theta|^2 (Chebyshev's inequality), at
//! least as often as 1 - delta. That variance is exact, and the mean square of what samples deviate must meet it. Condition (i) asks for a
//! loss that is bounded or sub-Gaussian: data of signs decide. On normal data it is neither, which is the fault of
//! `memformer/a5-conditions`; what suprema do there stands beside. Wrong twins: a box that grows with N, which is not compact in the end;
//! the bound with N in place of its root.

use ndarray::{Array2, ArrayView1};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, mean, power_fit_runs, quantile};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};

use super::linear_classes::{BOUNDED, Class, DELTA, NORMAL, ROOT, above_the_bound, bars, curve, means, repeats};

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
    protocol: &["p finite, Θ compact, a loss that is bounded (condition (i))"],
    choices: &[
        "signs for all entries of the data, d = 4, one rate and two, box [0, 1]^p, 300 (500) samples of each N; exponents from N = 256 on",
        "shown beside: normal data, d = 20, with the same boxes, for which condition (i) does not hold; see a5-conditions",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.see("memformer/a5-conditions");
    let samples = s.knob("samples of each size", repeats(s), 60..)?;
    let mut boot = s.stream("uniform bootstrap")?;
    let [decides, shown] = [s.printed(ROOT), s.aside(ROOT)].map(|says| says.of("samples"));
    for (says, classes, data) in [(decides, BOUNDED, "signs: "), (shown, NORMAL, "")] {
        for (p, class) in (1..).zip(classes) {
            let curve = curve(s, class, samples)?;
            let slope = power_fit_runs(&curve.sizes, &curve.supremum, (256.0, 1e5), 2000, &mut boot)?.slope;
            let p = if data.is_empty() { format!(", p = {p}") } else { format!(" with p = {p}") };
            says.equals(format!("{data}exponent of the mean supremum in N{p}"), -0.5, slope);
        }
    }
    let (wider, growing) = boxes(s)?;
    let slope = power_fit_runs(&GROWING, &growing, (1.0, 1e5), 2000, &mut boot)?.slope;
    let label = "exponent of the mean supremum on a box that grows as N^(1/4)";
    s.twin(ROOT).of("samples").equals(label, -0.5, slope);
    let label = "signs, worst N: share of samples above the bound from the variance";
    s.printed(DELTA).of("samples").at_most(label, above_the_bound(s, BOUNDED, samples, 0.5)?);
    let label = "worst N: share of samples above the bound from the variance";
    s.aside(DELTA).of("samples").at_most(label, above_the_bound(s, NORMAL, samples, 0.5)?);
    let label = "bound with N in place of its root: share of samples above it";
    s.twin(DELTA).of("samples").at_most(label, above_the_bound(s, BOUNDED, samples, 1.0)?);
    for (data, class) in [("signs, ", BOUNDED[1]), ("", NORMAL[1])] {
        let label = format!("{data}N = 256: mean square of what the moments of samples deviate, over its exact value");
        s.support(VARIANCE).of("samples").equals(label, 1.0, deviation(s, class)?);
    }
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
    let class = BOUNDED[1].linear()?;
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

/// N |G_N - G|_F^2 over what it is on average, E|g|^4 - |G|_F^2.
fn deviation(setting: &Setting, of: Class) -> Result<Estimate, Failure> {
    let (class, exact, size) = (of.linear()?, of.variance()?, 256);
    let square = |m: &Array2<f64>| m.iter().map(|v| v * v).sum::<f64>();
    let name = if of == NORMAL[1] { "deviations of moments" } else { "deviations of moments, signs" };
    let mut stream = setting.stream(name)?;
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
    let (first, mut axis, mut bound) = (BOUNDED[0].bound_for_one()?, Vec::new(), Vec::new());
    for (colour, class) in BOUNDED.into_iter().chain(NORMAL).enumerate() {
        let curve = curve(s, class, samples)?;
        let of = |c: ArrayView1<f64>| quantile(&c.to_vec(), 1.0 - DELTA.value);
        let tops = curve.supremum.columns().into_iter().map(of).collect::<Result<Vec<_>, _>>()?;
        let [value, low, high] = bars(&tops);
        let name = if colour < 2 { class.name() } else { format!("normal, {}", class.name()) };
        left = left.error_bars(&name, &curve.sizes, &value, &low, &high).colour(colour);
        axis = curve.sizes.clone();
    }
    for n in &axis {
        bound.push(first / n.sqrt());
    }
    let left = left
        .theory("bound, signs, p = 1", &axis, &bound)
        .colour(0)
        .x_label("prompts N")
        .y_label("0.9 quantile of the supremum");
    let [value, low, high] = bars(&means(wider)?);
    let far: Vec<f64> = RADII.iter().map(|r| value[7] * (r / 64.0).powi(2)).collect();
    let right = Panel::new("signs, p = 2, N = 1024").log_x().log_y().legend_below();
    let right = right
        .error_bars("mean", &RADII, &value, &low, &high)
        .theory("∝ r²", &RADII, &far)
        .x_label("box [-r, r]²")
        .y_label("supremum");
    let figure = Figure::new("The supremum falls as the root of N, and grows as the square of the box");
    Ok(figure.panel(left).panel(right).columns(2).caption("Suprema are exact for each sample; bars are intervals."))
}
