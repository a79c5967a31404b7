//! Figure 1: error against dimension and against data.
//!
//! **Claims.** (`heavy-tailed/fig-1-left`) The error of equal weights on the top P = d/8, against d for several T, agrees with d^(-alpha+1) +
//! T^(-1+1/alpha) at alpha = 2, 100 runs; (`heavy-tailed/fig-1-right`) and so it does against T for several d.
//!
//! Both panels come from one grid of simulations. The sign in the caption is "of the order of": up to constants on both sides. So the
//! exponents are asked where one term rules, and where both terms have one size, along d of about 8 sqrt(T), the ratio of the error to
//! a/d + c/sqrt(T), with the exact limits a and c, must have no power. The caption gives no constants: that the plateaus meet exact sums is
//! what the check stands on. A joint fit of the sum is not asked for: where the two terms are equal the error is less than their sum, since
//! an input that is both rare and beyond the threshold is lost once.

use std::sync::Arc;

use workbench_display::{Figure, Panel};
use workbench_ground::stats::Stream;
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memory::{
    ErrorCurve, Errors, Experiment, Samples, Scheme, Zipf, chance_error, data_exponent, minimax_exponent, power_law,
    tail_constant,
};

use super::exponents::{CLASSES, target};
use super::scaling_curves::{
    DOWN_TO_CONSTANTS, DRAWN_EXPONENT, UP_TO_CONSTANTS, top_eighth, top_power, unseen_constant,
};

const PLATEAU: Margin = Margin::statistical(
    "plateau",
    0.1,
    "a hundred runs leave half of it; without the chance level of a guess it is off by a quarter",
);

/// Left panel: against d.
pub const LEFT: Check = Check {
    claim: "heavy-tailed/fig-1-left",
    metric: "slope of ln error in ln d where data do not limit; slope of the error over a/d + c/√T where both terms have one size",
    against: "another exponent, or a ratio that has a power",
    protocol: &["α = 2, ρ = 0, P = d/8, 100 runs, as printed"],
    choices: &[
        "d = 8 to 1024, T = 10 to 10^6",
        "N, M are not in the caption: M = 5, N far above every threshold; among equal counts the more frequent input is kept",
    ],
    run: left,
    ..Check::DEFAULT
};

/// Right panel: against T.
pub const RIGHT: Check = Check {
    claim: "heavy-tailed/fig-1-right",
    metric: "slope of ln error in ln T where the memory does not limit; slope of the error over a/d + c/√T where both terms have one size",
    run: right,
    ..LEFT
};

const DIMS: [usize; 8] = [8, 16, 32, 64, 128, 256, 512, 1024];
const SIZES: [usize; 9] = [10, 30, 100, 300, 1000, 3000, 10_000, 100_000, 1_000_000];
const MOST: Samples = Samples::Draws(1_000_000);

fn left(s: &Sheet) -> Done {
    let (errors, law, mut boot) = (errors(s)?, law(s)?, s.stream("bootstrap, figure 1, left")?);
    let (eighth, root, exponent) = (top_eighth()?, top_power(0.0, 0.5)?, -minimax_exponent(2.0)?);
    let window = |errors: &Errors, scheme: &Scheme| errors.over_dims(scheme, MOST)?.between(32.0, 1024.0);
    let slope = window(&errors, &eighth)?.slope(&mut boot)?;
    s.printed(DRAWN_EXPONENT).of("runs").equals("slope in d at T = 10^6, 32 ≤ d ≤ 1024", exponent, slope);
    let unseen = chance_error(CLASSES) * law.unseen_mass(1000);
    let plateau = errors.mean(&eighth, 1024, Samples::Draws(1000))?.affine(1.0 / unseen, 0.0)?;
    let label = "plateau at d = 1024, T = 1000, over (1 - 1/M) of the unseen mass";
    s.support(PLATEAU).of("runs").equals(label, 1.0, plateau);
    both_terms(s, &errors, "d", &mut boot)?;
    let other = simulated(s, law, (&DIMS, &[1_000_000]), &root, 20, "figure 1, root")?;
    let wrong = window(&other, &root)?.slope(&mut boot)?;
    s.twin(DRAWN_EXPONENT).of("runs").equals("P = √d in place of d/8: slope in d", exponent, wrong);
    s.figure(figure(&errors)?);
    Ok(())
}

fn right(s: &Sheet) -> Done {
    let (errors, law, mut boot) = (errors(s)?, law(s)?, s.stream("bootstrap, figure 1, right")?);
    let (eighth, exponent) = (top_eighth()?, -data_exponent(2.0)?);
    let slope = errors.over_samples(&eighth, 1024)?.between(10.0, 1000.0)?.slope(&mut boot)?;
    s.printed(DRAWN_EXPONENT).of("runs").equals("slope in T at d = 1024, 10 ≤ T ≤ 1000", exponent, slope);
    let beyond = chance_error(CLASSES) * law.tail(64 / 8);
    let plateau = errors.mean(&eighth, 64, MOST)?.affine(1.0 / beyond, 0.0)?;
    let label = "plateau at d = 64, T = 10^6, over (1 - 1/M) of the tail beyond 8";
    s.support(PLATEAU).of("runs").equals(label, 1.0, plateau);
    both_terms(s, &errors, "T", &mut boot)?;
    // T from 10 to 1000.
    let other = simulated(s, Zipf::new(4.0, 300)?, (&[1024], &SIZES[..5]), &eighth, 100, "figure 1, other law")?;
    let wrong = other.over_samples(&eighth, 1024)?.slope(&mut boot)?;
    s.twin(DRAWN_EXPONENT).of("runs").equals("inputs of a law with α = 4: slope in T", exponent, wrong);
    Ok(())
}

/// Pairs of d and T of the grid at which the two terms have one size.
const ONE_SIZE: [(usize, usize); 6] = [(32, 30), (64, 100), (128, 300), (256, 1000), (512, 3000), (1024, 10_000)];

/// The slope, in d or in T, of the error over a/d + c/sqrt(T) where both terms have one size; and the ratio on the whole grid beside it.
fn both_terms(s: &Sheet, errors: &Errors, axis: &str, boot: &mut Stream) -> Done {
    let ([a, c], eighth, mut columns) = (constants()?, top_eighth()?, Vec::new());
    for (d, t) in ONE_SIZE {
        let curve = errors.over_samples(&eighth, d)?;
        let at = curve.x().iter().position(|x| *x == t as f64).ok_or("no such size on the grid")?;
        columns.push(curve.runs().column(at).to_owned());
    }
    let over = ONE_SIZE.map(|(d, t)| 1.0 / (a / d as f64 + c / (t as f64).sqrt()));
    let x = ONE_SIZE.map(|(d, t)| if axis == "d" { d as f64 } else { t as f64 });
    let curve = ErrorCurve::from_columns(x.to_vec(), &columns)?;
    let label = format!("error over a/d + c/√T where both have one size: slope in {axis}");
    s.printed(DRAWN_EXPONENT).of("runs").equals(label, 0.0, curve.times(&over)?.slope(boot)?);
    for d in DIMS {
        for t in s.each("pairs of d and T", SIZES) {
            let error = errors.mean(&eighth, d, Samples::Draws(t))?;
            let law = a / d as f64 + c / (t as f64).sqrt();
            s.aside(DOWN_TO_CONSTANTS).at_least("error over a/d + c/√T, lowest of the grid", error.low / law);
            s.aside(UP_TO_CONSTANTS).at_most("error over a/d + c/√T, highest of the grid", error.high / law);
        }
    }
    Ok(())
}

/// The law of the inputs: N is far above all thresholds.
fn law(s: &Sheet) -> Result<Zipf, Failure> {
    Ok(Zipf::new(2.0, s.knob("inputs N", s.scale().pick(1500, 10_000), 1000..)?)?)
}

/// Errors of the scheme of the figure on the grid of both panels.
fn errors(s: &Sheet) -> Result<Arc<Errors>, Failure> {
    let law = law(s)?;
    let name = format!("figure 1, {law:?}");
    s.shared(&name, |own| simulated(own, law, (&DIMS, &SIZES), &top_eighth()?, 100, "figure 1"))
}

fn simulated(
    setting: &Setting,
    law: Zipf,
    (dims, sizes): (&[usize], &[usize]),
    scheme: &Scheme,
    runs: usize,
    stream: &str,
) -> Result<Errors, Failure> {
    Ok(Experiment::new(law, target()?)
        .schemes(vec![scheme.clone()])
        .dims(dims.to_vec())
        .samples(sizes.iter().copied().map(Samples::Draws).collect())
        .runs(runs)
        .run(setting.streams(), stream)?)
}

/// The constants a of 1/d and c of T^(-1/2): unstored inputs and unseen inputs are guessed.
fn constants() -> Result<[f64; 2], Failure> {
    let law = Zipf::infinite(2.0)?;
    Ok([8.0 * chance_error(CLASSES) * tail_constant(&law)?, unseen_constant(&law)?])
}

fn figure(errors: &Errors) -> Result<Figure, Failure> {
    let ([a, c], x, t) = (constants()?, errors.dims(), errors.sizes());
    let scheme = top_eighth()?;
    let mut left = panel("error against d", "d");
    let sizes = [("T = 100", 100), ("T = 1000", 1000), ("T = 10^{4}", 10_000), ("T = 10^{6}", 1_000_000)];
    for (k, (name, t)) in sizes.into_iter().enumerate() {
        let curve = errors.over_dims(&scheme, Samples::Draws(t))?;
        let [low, high] = curve.spread();
        left = left.band("", &x, &low, &high).colour(k).line(name, &x, &curve.means()).colour(k);
    }
    let mut right = panel("error against T", "T");
    for (k, d) in [16, 64, 256, 1024].into_iter().enumerate() {
        let curve = errors.over_samples(&scheme, d)?;
        let [low, high] = curve.spread();
        right = right.band("", &t, &low, &high).colour(k).line(&format!("d = {d}"), &t, &curve.means()).colour(k);
    }
    Ok(Figure::new("The error falls along each term until the other one takes over")
        .panel(left.theory("a / d", &x, &power_law(&x, a, -1.0)))
        .panel(right.theory("c T^{−1/2}", &t, &power_law(&t, c, -0.5)))
        .columns(2)
        .size(1050, 470)
        .caption("Dashed: the two terms with their exact constants, nothing fitted. Means of 100 runs; bands: one standard deviation between runs."))
}

fn panel(title: &str, x: &str) -> Panel {
    Panel::new(title).x_label(x).y_label("error").log_x().log_y().legend_below()
}
