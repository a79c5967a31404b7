//! Equation 11: weights that gradient descent stores.
//!
//! **Claim** (`heavy-tailed/eq-11`). T steps with batch one lead to a scheme of the form of Eq. 2 with q(x) ~ f^{T p(x)}(0),
//! f: q -> q + gamma / (1 + exp(q) / M), since each x is seen T p(x) times on average.
//!
//! The display that "explains" it has M - 1 where it has M: where nothing else interferes the first is exact with the updates of Eq. 10, inputs
//! of norm one (C.1), and one of the two has to be wrong. On descents of 10^4 steps with d >> N, where the statement is made, W is projected on
//! the stored pairs by least squares: f^{T p(x)}(0) has to be nearer to it than equal weights, times the constant that is best for them, the
//! other idea of what many visits leave. At rate 10 ten times the steps are taken, since the rare inputs are luck before. With Eq. 10 for the gradient M - 1 has to be nearer than M, at the counts n that occurred. The exact gradient moves the wrong classes too, by what Eq. 10 leaves out: it puts
//! M/(M - 1) into the exponent, which the check knows and stands on. The inputs of Eq. 1 stand beside it.

use workbench_display::{Figure, Panel, Table, frame};
use workbench_ground::stats::Stream;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{Gradient, Ideal, IdealUpdate, Method, Parametrization, TrainingTask, rank_correlation};

use super::after_equation_44::{SAME, coefficients};
use super::population_gradient::{
    CLASSES, DIMS, INPUTS, ROOM, counts, descended, drawn, over_runs, own, relative, task,
};
use crate::vocabulary::largest_of;

/// A map with M/(M - 1) in the exponent is told from one without.
const STRETCH: Margin = Margin::statistical(
    "stretch",
    0.15,
    "leaving M/(M - 1) = 5/4 out of the exponent moves coefficients by a fifth, taking M for M - 1 by a twentieth: the first is told apart",
);
const SHARE: Margin = Margin::statistical("share", 0.02, "1/M and 1/(M - 1) are a twentieth apart at M = 5");
const ORDER: Margin = Margin::ours("order", 0.95, "only inputs that are seen about equally often change places");

/// Descents with batch one.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-11",
    metric: "largest relative distance of f^n from the coefficient where nothing interferes; |f^n - q| / |q| with q the coefficients of W on the stored pairs",
    against: "a constant that is off where it should be exact; a map that is no nearer to descent than equal weights",
    protocol: &[
        "N = 100, M = 5, alpha = 2, batch one, constant rate, W = 0 at the start, inputs of norm one (C.1), d >> N",
    ],
    choices: &["T = 10^4, the rarest inputs are seen about once, and 10^5 at rate 10; rates 0.1, 1, 10; d/N = 100"],
    departures: &[
        "the inputs of Eq. 1, d/N from 0.1 on and the exact gradient beside the printed setting, to see what they change",
    ],
    rivals: &["equal weights, times their best constant; M - 1 for M"],
    run,
    ..Check::DEFAULT
};

const RATES: [f64; 3] = [0.1, 1.0, 10.0];
const SIDES: [(Parametrization, &str); 2] =
    [(Parametrization::Unit, "unit inputs"), (Parametrization::Model, "inputs of Eq. 1")];

/// Distances from the projected coefficients of one descent.
#[derive(Clone, Copy, Debug)]
struct Trial {
    /// The printed map and that with both constants, at T p(x), and the first at the counts.
    printed: f64,
    mended: f64,
    at_counts: f64,
    corrected: f64,
    /// M - 1 at the counts, without M/(M - 1).
    unstretched: f64,
    /// With the updates of Eq. 10: M - 1 less M, at the counts.
    constant: f64,
    /// The rate at every visit, as if nothing saturated.
    unsaturated: f64,
    /// Equal weights, times their best constant.
    equal: f64,
    rank: f64,
    /// Share of `|W|^2` that no scheme of the form of Eq. 2 holds.
    outside: f64,
}

/// By kind of input, dimension and rate.
type Trials = [[[Vec<Trial>; 3]; 4]; 2];

fn run(s: &Sheet) -> Done {
    let steps = s.knob("steps T", 10_000, 1..)?;
    let (mut trials, mut longer) = (Trials::default(), Vec::new());
    for i in 0..s.knob("runs", s.scale().pick(6, 16), 2..)? {
        let raw = drawn(ROOM, &mut s.streams().replicate("eq 11, embeddings", i)?)?;
        let data = s.streams().replicate("eq 11, data", i)?;
        for (by_dim, (inputs, _)) in trials.iter_mut().zip(SIDES) {
            for (by_rate, d) in by_dim.iter_mut().zip(DIMS) {
                let task = task(&raw, inputs, d)?;
                for (found, rate) in by_rate.iter_mut().zip(RATES) {
                    found.push(trial(&task, rate, steps, &data)?);
                }
            }
        }
        let room = task(&raw, Parametrization::Unit, ROOM)?;
        longer.push(trial(&room, RATES[2], 10 * steps, &s.streams().replicate("eq 11, more data", i)?)?);
    }
    s.misprint("M − 1 in the place of M, as the display after Eq. 44 has it");
    s.see("heavy-tailed/epsilon-norm");
    without_interference(s)?;
    let [unit, long] = &trials;
    for (found, rate) in [&unit[3][0], &unit[3][1], &longer].into_iter().zip(RATES) {
        let label = format!("f^(Tp(x)) minus equal weights, d/N = 100, γ = {rate}: relative distance from descent");
        s.printed(Margin::ZERO).of("runs").at_most(label, over_runs(found, |t| t.printed - t.equal)?);
        let label = format!("the same with both constants mended, d/N = 100, γ = {rate}");
        s.changed(Margin::ZERO).of("runs").at_most(label, over_runs(found, |t| t.mended - t.equal)?);
    }
    for (found, rate) in unit[3].iter().zip(RATES) {
        let label =
            format!("updates of Eq. 10, d/N = 100, γ = {rate}: distance with M − 1 minus that with M, at the counts");
        s.changed(Margin::ZERO).of("runs").at_most(label, over_runs(found, |t| t.constant)?);
        let label =
            format!("M − 1 and M/(M − 1) at the counts, exact gradient, d/N = 100, γ = {rate}: relative distance");
        s.support(STRETCH).of("runs").at_most(label, over_runs(found, |t| t.corrected)?);
    }
    let [_, one, ten] = &unit[3];
    let label = "share of |W|² outside the form of Eq. 2, exact gradient, d/N = 100, γ = 1: 1/M";
    s.support(SHARE).of("runs").equals(label, 0.2, over_runs(one, |t| t.outside)?);
    let label = "M − 1 without M/(M − 1) at the counts, exact gradient, d/N = 100, γ = 1";
    s.aside(STRETCH).of("runs").at_most(label, over_runs(one, |t| t.unstretched)?);
    let twin = s.twin(STRETCH).of("runs");
    twin.at_most("no saturation, exact gradient, d/N = 100, γ = 1", over_runs(one, |t| t.unsaturated)?);

    for (side, name) in [(unit, SIDES[0].1), (long, SIDES[1].1)] {
        for (found, rate) in side[3].iter().zip(RATES) {
            let label = format!("f^(Tp(x)) as printed, {name}, d/N = 100, γ = {rate}: relative distance");
            s.aside(STRETCH).of("runs").at_most(label, over_runs(found, |t| t.printed)?);
        }
    }
    let label = "M − 1 and M/(M − 1) at the counts, d = N, γ = 1: relative distance, no longer close";
    s.aside(STRETCH).of("runs").at_least(label, over_runs(&unit[1][1], |t| t.corrected)?);
    // Two exchanges of neighbours among four: 1 - 6 * 4 / (4 * 15).
    let known = rank_correlation(&[1.0, 2.0, 3.0, 4.0], &[2.0, 1.0, 4.0, 3.0])?;
    s.support(SAME).same("rank correlation of (1, 2, 3, 4) and (2, 1, 4, 3), less 0.6", (known - 0.6).abs());
    let order = s.aside(ORDER).of("runs");
    order.at_least("rank correlation, d/N = 100, γ = 1", over_runs(one, |t| t.rank)?);
    order.at_most("rank correlation, d/N = 100, γ = 10: weights are nearly equal", over_runs(ten, |t| t.rank)?);
    s.table(table(&trials)?);
    s.figure(figure(s, steps)?);
    Ok(())
}

/// Visits of one input among orthonormal embeddings, with the updates of Eq. 10: M as printed, and M - 1.
fn without_interference(s: &Sheet) -> Done {
    let (visits, rate) = (1000, 0.5);
    let q = coefficients(visits, rate, 1.0, Gradient::Leading)?;
    let off = |competitors: f64| -> Result<f64, Failure> {
        let f = IdealUpdate::new(rate, competitors, 1.0)?.iterates(visits);
        Ok(largest_of(q.iter().zip(&f[1..]).map(|(q, f)| (f / q - 1.0).abs())))
    };
    let m = CLASSES as f64;
    let label = "nothing interferes, updates of Eq. 10: largest relative distance of f^n, M as printed";
    s.printed(SAME).over(visits, "visits").same(label, off(m)?);
    let label = "nothing interferes, updates of Eq. 10: largest relative distance of f^n, M − 1";
    s.changed(SAME).over(visits, "visits").same(label, off(m - 1.0)?);
    Ok(())
}

/// The map with M - 1 and M/(M - 1) on the same data.
fn with_constants(task: &TrainingTask, rate: f64, steps: usize, data: &Stream) -> Result<Vec<f64>, Failure> {
    let method = Method::sgd(rate)?.gradient(Gradient::Ideal(Ideal::corrected(CLASSES)));
    Ok(own(&descended(task, &method, steps, data)?))
}

fn trial(task: &TrainingTask, rate: f64, steps: usize, data: &Stream) -> Result<Trial, Failure> {
    let (q, outside) = descended(task, &Method::sgd(rate)?, steps, data)?.on_stored_pairs()?;
    let q = q.to_vec();
    let better = with_constants(task, rate, steps, data)?;
    let (printed, seen) = (IdealUpdate::printed(rate, CLASSES)?, counts(task, steps, data));
    let expected: Vec<f64> = task.probabilities().iter().map(|p| p * steps as f64).collect();
    let leading = own(&descended(task, &Method::sgd(rate)?.gradient(Gradient::Leading), steps, data)?);
    let (m, stretch) = (CLASSES as f64, CLASSES as f64 / (CLASSES as f64 - 1.0));
    let both = IdealUpdate::new(rate, m - 1.0, stretch)?;
    let unstretched = IdealUpdate::new(rate, m - 1.0, 1.0)?.after(&seen)?;
    let unsaturated: Vec<f64> = seen.iter().map(|n| n * printed.apply(0.0)).collect();
    let even = q.iter().sum::<f64>() / q.len() as f64;
    let constant = relative(&unstretched, &leading) - relative(&printed.after(&seen)?, &leading);
    Ok(Trial {
        constant,
        printed: relative(&printed.after(&expected)?, &q),
        mended: relative(&both.after(&expected)?, &q),
        at_counts: relative(&printed.after(&seen)?, &q),
        corrected: relative(&better, &q),
        unstretched: relative(&unstretched, &q),
        unsaturated: relative(&unsaturated, &q),
        equal: relative(&vec![even; q.len()], &q),
        rank: rank_correlation(&better, &q)?,
        outside,
    })
}

/// Coefficients and two maps over x, in three settings.
fn figure(s: &Sheet, steps: usize) -> Result<Figure, Failure> {
    let raw = drawn(ROOM, &mut s.stream("eq 11, picture")?)?;
    let rank: Vec<f64> = (1..=INPUTS).map(|x| x as f64).collect();
    let mut figure = Figure::new("With both constants mended the map is what descent leaves");
    for (inputs, d, title) in [
        (Parametrization::Unit, ROOM, "unit inputs, d/N = 100"),
        (Parametrization::Unit, 10, "unit inputs, d/N = 0.1"),
        (Parametrization::Model, ROOM, "inputs of Eq. 1, d/N = 100"),
    ] {
        let task = task(&raw, inputs, d)?;
        let data = s.stream(&format!("eq 11, picture: {title}"))?;
        let (q, _) = descended(&task, &Method::sgd(1.0)?, steps, &data)?.on_stored_pairs()?;
        let printed = IdealUpdate::printed(1.0, CLASSES)?.after(&counts(&task, steps, &data))?;
        let panel = Panel::new(title)
            .x_label("x")
            .y_label("q(x)")
            .log_x()
            .points("descent, projected", &rank, &q.to_vec())
            .line("fⁿ as printed", &rank, &printed)
            .line("fⁿ with M − 1 and M/(M − 1)", &rank, &with_constants(&task, 1.0, steps, &data)?)
            .legend_below();
        figure = figure.panel(if d == 10 { panel.y_limits(-10.0, 20.0) } else { panel });
    }
    Ok(figure
        .columns(3)
        .size(1180, 560)
        .caption("One run each, rate 1; n is the number of visits that occurred. Dots are least-squares coefficients of W on the stored pairs."))
}

fn table(trials: &Trials) -> Result<Table, Failure> {
    let cells = SIDES.map(|(_, name)| DIMS.map(|d| RATES.map(|rate| (name, d as f64 / INPUTS as f64, rate))));
    let (inputs, ratios, rates): (Vec<&str>, Vec<f64>, Vec<f64>) = cells.concat().concat().into_iter().collect();
    let column = |of: fn(&Trial) -> f64| -> Result<Vec<f64>, Failure> {
        trials.iter().flatten().flatten().map(|found| Ok(over_runs(found, of)?.value)).collect()
    };
    let frame = frame!(
        "inputs" => inputs,
        "d/N" => ratios,
        "γ" => rates,
        "printed, T p(x)" => column(|t| t.printed)?,
        "printed, counts" => column(|t| t.at_counts)?,
        "changed, counts" => column(|t| t.corrected)?,
        "rank correlation" => column(|t| t.rank)?,
        "outside" => column(|t| t.outside)?,
    )?;
    Ok(Table::new(frame)
        .title("Distance of the maps from the coefficients of descent")
        .caption("Relative distances; 0 is perfect, 1 is what weights of zero get. Rank correlation of the changed map; share of |W|² outside the form of Eq. 2.")
        .rows(24)
        .digits(2))
}
