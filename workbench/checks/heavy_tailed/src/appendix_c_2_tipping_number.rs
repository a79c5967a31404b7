//! Appendix C.2, first catch: the tipping number.
//!
//! **Claim** (`heavy-tailed/c2-tipping-number`). "The lower bound is true when N = 100, otherwise the error can actually reach zero" when d
//! becomes larger than a tipping number d_t which compares to N (Figure 8). Increasing N augments d_t and rectifies the learning curve
//! (Figure 9).
//!
//! Figure 8 has N = 100 and errors that reach zero, so the first half is asked at N = 100, as printed, and at N = infinity. A lower bound
//! c/d keeps d times the error from falling. d_t is the smallest d at which the expected number of inputs that are not recalled is at most
//! 0.05, so that 95 % of embeddings have error zero; the expectation is exact over the input embeddings. It is asked of the two schemes
//! that Figure 8 says it of, equal weights on all inputs and on the top d/8. Refuted by a product that falls as a power of d, a d_t that
//! does not go as N, or a curve that is no straighter at larger N.

use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memory::{ConditionalDraws, ErrorCurve, Profile, Zipf, log_grid};

use super::learned_embeddings::{CLASSES, EXPONENT, drawn, over, target};
use super::scaling_curves::{DRAWN_EXPONENT, top_eighth};

const KEEPS: Margin = Margin::statistical(
    "keeps to its bound",
    -0.25,
    "a bound c/d keeps d times the error from falling; half of what tells its power, zero, from the next half power, which the shape of a curve on a decade stays below",
);

/// Tipping numbers, and learning curves at three N.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/c2-tipping-number",
    metric: "power of d in d times the expected error; power of N in d_t; slope of the learning curve for 60 ≤ d ≤ 500",
    against: "a product that falls; a d_t that does not go as N; a curve that is no straighter at larger N",
    protocol: &[
        "α = 2, M = 5, infinite data, equal weights on all inputs and on the top d/8, N = 100 and 1000, as in Figures 8 and 9",
    ],
    choices: &[
        "N from 50 to 1000 for the tipping numbers",
        "at most 0.05 lost inputs on average stands for error zero, which no finite d makes certain",
    ],
    run,
    ..Check::DEFAULT
};

/// Inputs that may be lost on average.
const LOST: f64 = 0.05;

/// Numbers of inputs.
const MANY: [usize; 5] = [50, 100, 200, 500, 1000];

fn run(s: &Sheet) -> Done {
    let (curves, mut boot) = (curves(s)?, s.stream("bootstrap, tipping")?);
    let label = "N = 100: power of d in d times the error between d near 90 and d near 675";
    s.printed(KEEPS).of("draws").at_least(label, kept(&curves[0], 75.0, 650.0)?);
    s.misprint("the lower bound is true when N = ∞, not when N = 100");
    let label = "N = ∞: power of d in d times the error between d near 90 and d near 9000";
    s.changed(KEEPS).of("draws").at_least(label, kept(&curves[2], 75.0, 7499.0)?);

    let (hundred, thousand) = (curves[0].between(60.0, 500.0)?, curves[1].between(60.0, 500.0)?);
    let label = "N = 100 in place of 1000: slope for 60 ≤ d ≤ 500";
    s.twin(DRAWN_EXPONENT).of("draws").equals(label, -1.0, hundred.slope(&mut boot)?);
    let slope = s.both_forms(DRAWN_EXPONENT).of("draws");
    slope.equals("N = 1000: slope for 60 ≤ d ≤ 500", -1.0, thousand.slope(&mut boot)?);
    let straighter = thousand.relative_slope(&hundred, &mut boot)?;
    s.both_forms(Margin::ZERO).of("draws").at_least("slope at N = 1000 less that at N = 100", straighter);
    s.figure(figure(&curves));
    tipping_numbers(s)
}

/// The power of N in the tipping numbers.
fn tipping_numbers(s: &Sheet) -> Done {
    let count = s.knob("draws", s.scale().pick(30, 300), 2..)?;
    // By scheme, set of draws and N.
    let mut tips: [Vec<Vec<f64>>; 3] = Default::default();
    for i in 0..s.knob("sets of draws", 6, 2..)? {
        let draws = ConditionalDraws::new(CLASSES, count, &mut s.streams().replicate("tipping", i)?)?;
        for ((_, weights), tips) in SCHEMES.iter().zip(&mut tips) {
            let of = |n: &usize| tipping(&draws, *n, *weights);
            tips.push(MANY.iter().map(of).collect::<Result<Vec<f64>, Failure>>()?);
        }
    }
    let mut list = vec![("N", MANY.map(|n| n as f64).into())];
    for ((name, _), tips) in SCHEMES.iter().zip(&tips) {
        let powers: Vec<f64> = tips.iter().map(|tips| (tips[4] / tips[0]).ln() / 20f64.ln()).collect();
        // Nothing beyond d/8 is stored, so there d_t is 8 N by construction.
        let says = match *name {
            "q₀" => s.both_forms(EXPONENT),
            "q₁" => s.twin(EXPONENT),
            _ => s.aside(EXPONENT),
        };
        says.of("sets").equals(format!("{name}: power of N in d_t"), 1.0, mean(&powers)?);
        list.push((*name, tips[0].clone().into()));
    }
    let table = Table::new(columns(list)?)
        .title("Tipping numbers d_t")
        .caption("Smallest d at which 0.05 inputs are lost on average; one set of draws.")
        .digits(3);
    s.table(table);
    Ok(())
}

/// A weight for each rank in dimension d.
type Weights = fn(usize, usize) -> f64;

/// Equal weights, equal weights on the top d/8, and, as a wrong form, weights by frequency.
const SCHEMES: [(&str, Weights); 3] = [
    ("q₀", |_, _| 1.0),
    ("top d/8", |x, d| f64::from(u8::from(x <= (d / 8).max(1)))),
    ("q₁", |x, _| (x as f64).powi(-2)),
];
/// Expected number of inputs that are not recalled.
fn lost(draws: &ConditionalDraws, n: usize, weights: Weights, d: usize) -> Result<f64, Failure> {
    let q: Vec<f64> = (1..=n).map(|x| weights(x, d)).collect();
    let uniform = vec![1.0 / n as f64; n];
    let profile = Profile::from_weights(&uniform, &q, &target(CLASSES)?.labels(n), CLASSES)?;
    let errors = draws.expected_error(&profile, d)?;
    Ok(errors.sum() / errors.len() as f64 * n as f64)
}

/// The smallest d at which so few are lost, to a thousandth, by bisection.
fn tipping(draws: &ConditionalDraws, n: usize, weights: Weights) -> Result<f64, Failure> {
    let (mut low, mut high) = (1usize, 1 << 50);
    while high - low > 1 && high as f64 / low as f64 > 1.001 {
        let middle = ((low as f64 * high as f64).sqrt() as usize).clamp(low + 1, high - 1);
        match lost(draws, n, weights, middle)? <= LOST {
            true => high = middle,
            false => low = middle,
        }
    }
    Ok(high as f64)
}

/// Exact expectations with weights on the top d/8 at N = 100, 1000 and infinity.
fn curves(setting: &Setting) -> Result<[ErrorCurve; 3], Failure> {
    let draws = ConditionalDraws::new(CLASSES, 400, &mut setting.stream("tipping curve")?)?;
    let grid: Vec<usize> = log_grid(16, 16_000, 8)?.into_iter().collect();
    let (target, scheme) = (target(CLASSES)?, top_eighth()?);
    let finite = |n: usize| -> Result<ErrorCurve, Failure> {
        // Beyond 8N there is nothing left to store.
        let below: Vec<usize> = grid.iter().copied().filter(|d| *d <= 8 * n).collect();
        Ok(draws.curve(&Zipf::new(2.0, n)?, &target, &scheme, &below)?)
    };
    Ok([finite(100)?, finite(1000)?, draws.curve(&Zipf::infinite(2.0)?, &target, &scheme, &grid)?])
}

/// Power of d in d times the error, from the first point from `low` on to the first point from `high` on.
fn kept(curve: &ErrorCurve, low: f64, high: f64) -> Result<Estimate, Failure> {
    let (a, b) = (curve.between(low, 1e9)?, curve.between(high, 1e9)?);
    let grown = b.x()[0] / a.x()[0];
    let kept = over(b.at(0)?, a.at(0)?)?;
    let power = |kept: f64| (grown * kept).ln() / grown.ln();
    Ok(Estimate::new(power(kept.value), power(kept.low), power(kept.high), kept.n, kept.confidence)?)
}

fn figure(curves: &[ErrorCurve; 3]) -> Figure {
    let mut panel = Panel::new("top d/8, α = 2").x_label("d").y_label("error").log_x().log_y().y_limits(1e-6, 1.0);
    for (curve, name) in curves.iter().zip(["N = 100", "N = 1000", "N = ∞"]) {
        panel = panel.line(name, curve.x(), &drawn(curve, 1e-6));
    }
    let panel =
        panel.theory("4/d", curves[2].x(), &curves[2].law(4.0, -1.0)).vline("8 · 100", 800.0).vline("8 · 1000", 8000.0);
    Figure::new("A finite number of inputs bends the learning curve down to zero").panel(panel.legend_below()).caption(
        "Exact expected errors. A curve ends at d = 8N, where every input is stored; at N = ∞ it stays a power of d.",
    )
}
