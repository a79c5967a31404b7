//! The proof of Lemma 1, its first two displays and the inequality between them.
//!
//! **Claims.** (`heavy-tailed/lemma-1-unseen-mass`) The expected error is the unseen mass, sum p (1 - p)^T.
//! (`heavy-tailed/lemma-1-log-inequality`) 2 ln 2 a <= ln(1 + a) <= a for any a >= -1/2. (`heavy-tailed/lemma-1-exp-sandwich`) sum 1{p <=
//! 1/2} p e^(-kpT) <= sum_{x >= 2} p e^(-kpT) <= E(f^) <= sum p e^(-pT) with k = 2 ln 2.
//!
//! The first is refuted by one list of data sets whose fraction differs from the sum's. The second: the gap ln(1 + a) - k a is concave and
//! zero at -1/2 and 0, so it should be positive between and negative outside; the shape is what the check stands on. The third: every x >= 2
//! has p <= 1/2, so the first sum holds all terms of the second, and one more if p(1) <= 1/2; its first sign should turn, and the first sum,
//! now between the second and the error, has to be at most the error. It would not be without its indicator.

use workbench_display::{Figure, Panel};
use workbench_ledger::{Check, Done, Margin, Sheet};
use workbench_memory::{LOG_FACTOR, Zipf, unseen_by_enumeration, unseen_sandwich};

use crate::vocabulary::{EXACT, ROUNDING, largest_of, least_of};

/// All data sets of small problems.
pub const UNSEEN_MASS: Check = Check {
    claim: "heavy-tailed/lemma-1-unseen-mass",
    metric: "the error summed over all data sets against the sum over inputs, in integers over one denominator",
    against: "one case in which the two fractions differ",
    choices: &["all N^T data sets, N up to 4, T up to 6"],
    departures: &["the display's left side, E[f^], is read as the expected error"],
    rivals: &["a memory that answers every unseen input with the class of the most frequent one"],
    run: unseen_mass,
    ..Check::DEFAULT
};

fn unseen_mass(s: &Sheet) -> Done {
    // Weights of the inputs; probabilities are these over their sum.
    let problems: [&[usize]; 7] =
        [&[1, 1], &[2, 1], &[6, 3, 2], &[3, 2, 1], &[12, 6, 4, 3], &[1, 1, 1, 1], &[144, 36, 16, 9]];
    let samples = s.knob("samples T up to", 6u32, 1..=10)?;
    for weights in problems {
        let in_default: Vec<bool> = (0..weights.len()).map(|x| x == 0).collect();
        let total: u128 = weights.iter().map(|w| *w as u128).sum();
        for t in s.each("cases", 1..=samples) {
            let f = unseen_by_enumeration(weights, &in_default, t)?;
            let before = unseen_by_enumeration(weights, &in_default, t - 1)?;
            s.printed(EXACT).never("error against Σ p (1 − p)^T: cases that break it", f.enumerated != f.formula);
            let shorter = f.enumerated != before.formula * total;
            s.twin(EXACT).never("T − 1 in the place of T: cases that break it", shorter);
            let gain = (f.enumerated - f.with_default) as f64 / f.enumerated as f64;
            s.twin(EXACT).largest().same("a memory that guesses: largest part of the error that it saves", gain);
        }
    }
    s.note("for memories that are wrong on every unseen input, as the lemma's is");
    Ok(())
}

/// The two bounds on a logarithm, on grids.
pub const LOG_INEQUALITY: Check = Check {
    claim: "heavy-tailed/lemma-1-log-inequality",
    metric: "smallest and largest ln(1 + a) - 2 ln 2 a, and ln(1 + a) - a, on grids",
    against: "an a of at least -1/2 at which one side is broken",
    choices: &["grids of 20,001 points up to a = 10; concavity by second differences"],
    run: log_inequality,
    ..Check::DEFAULT
};

fn gap(a: f64) -> f64 {
    a.ln_1p() - LOG_FACTOR * a
}

fn grid(from: f64, to: f64) -> impl Iterator<Item = f64> {
    let step = (to - from) / 20_000.0;
    (0..=20_000).map(move |i| from + step * f64::from(i))
}

fn log_inequality(s: &Sheet) -> Done {
    let end = s.knob("end of the grid", 10.0, 0.1..=1e6)?;
    let right = |from: f64| largest_of(grid(from, end).map(|a| a.ln_1p() - a));
    let inside = least_of(grid(-0.5, 0.0).map(gap));
    let beyond: Vec<f64> = grid(0.0, end).map(gap).collect();
    let points = beyond.len();
    let printed = s.printed(Margin::ZERO);
    let (changed, shape) = (s.changed(Margin::ZERO), |n: usize| s.support(Margin::ZERO).over(n, "values of a"));
    let left = least_of(beyond.iter().chain([&inside]));
    // Both grids have a = 0.
    printed
        .over(2 * points - 1, "values of a")
        .at_least(format!("smallest ln(1+a) − 2 ln 2 a, −1/2 ≤ a ≤ {end}"), left);
    let label = format!("largest ln(1+a) − a, −1/2 ≤ a ≤ {end}");
    s.both_forms(Margin::ZERO).over(points, "values of a").at_most(label, right(-0.5));

    s.condition("the left side holds for -1/2 ≤ a ≤ 0 only; the right side as printed");
    changed.over(points, "values of a").at_least("between the zeros: smallest gap, −1/2 ≤ a ≤ 0", inside);
    shape(points - 1).at_most(format!("right of them: largest gap, 0 < a ≤ {end}"), largest_of(&beyond[1..]));
    let before: Vec<f64> = grid(-0.99, -0.5).map(gap).collect();
    let label = "left of them: largest gap, −0.99 ≤ a < −1/2";
    shape(points - 1).at_most(label, largest_of(&before[..points - 1]));
    let whole: Vec<f64> = grid(-0.99, end).map(gap).collect();
    let bend = whole.windows(3).map(|w| w[0] - 2.0 * w[1] + w[2]);
    shape(points - 2).at_most("concave: largest second difference of the gap", largest_of(bend));
    s.support(ROUNDING)
        .over(2, "values of a")
        .same("the zeros: gap at −1/2 and at 0", largest_of([-0.5, 0.0].map(|a| gap(a).abs())));
    s.aside(Margin::ZERO)
        .over(points, "values of a")
        .at_most(format!("the right side further left: −0.999 ≤ a ≤ {end}"), right(-0.999));

    let single = least_of(grid(-0.5, 0.0).map(|a| a.ln_1p() - std::f64::consts::LN_2 * a));
    let twin = s.twin(Margin::ZERO).over(points, "values of a");
    twin.at_least("ln 2 in the place of 2 ln 2: smallest gap, −1/2 ≤ a ≤ 0", single);
    s.note("the proof uses a = -p(x) ≥ -1/2 only, where both sides are right");
    s.figure(log_figure());
    Ok(())
}

fn log_figure() -> Figure {
    let a: Vec<f64> = grid(-0.7, 1.0).collect();
    let of = |f: fn(f64) -> f64| a.iter().map(|a| f(*a)).collect::<Vec<f64>>();
    let panel = Panel::new("two bounds on ln(1 + a)")
        .x_label("a")
        .y_label("value")
        .line("a", &a, &a)
        .line("ln(1 + a)", &a, &of(f64::ln_1p))
        .line("2 ln 2 · a", &a, &of(|a| LOG_FACTOR * a))
        .vline("−1/2", -0.5)
        .vline("0", 0.0);
    Figure::new("The lower line holds between −1/2 and 0 only")
        .panel(panel)
        .caption("The line 2 ln 2 · a cuts the logarithm twice, at −1/2 and at 0.")
}

/// The four members of the second display.
pub const EXP_SANDWICH: Check = Check {
    claim: "heavy-tailed/lemma-1-exp-sandwich",
    metric: "cases in which an inequality is broken by more than rounding, each inequality on its own",
    against: "one such case",
    protocol: &["Zipf laws on [N], the data model of the lemma"],
    choices: &[
        "alpha = 0.5 to 3, N = 2 to 10^4, T = 1 to 10^5: with p(1) above one half and below; below alpha = 1 too, where N is finite",
    ],
    run: exp_sandwich,
    ..Check::DEFAULT
};

/// By more than the rounding of a sum of ten thousand terms.
fn exceeds(a: f64, b: f64) -> bool {
    a > b * (1.0 + 1e-12) + 1e-300
}

fn exp_sandwich(s: &Sheet) -> Done {
    s.misprint(
        "the first two sums change places: the sum from x = 2 is at most the first one, and that is at most the error",
    );
    let (printed, shared, changed, twin) = (s.printed(EXACT), s.both_forms(EXACT), s.changed(EXACT), s.twin(EXACT));
    let (mut cases, mut flat, mut worst) = (0, 0, 0.0f64);
    for alpha in [0.5, 1.0, 1.2, 1.5, 2.0, 3.0] {
        for inputs in s.knobs("inputs N", &[2usize, 10, 100, 10_000], 2..)? {
            let law = Zipf::new(alpha, inputs)?;
            let p = law.probability(1);
            for t in s.each("cases", [1usize, 10, 100, 1000, 10_000, 100_000]) {
                let m = unseen_sandwich(&law, t)?;
                printed.never(
                    "first ≤, as printed: cases that break it by more than rounding",
                    exceeds(m.indicated, m.from_second),
                );
                let label = "p(1) ≤ 1/2, the first sum has one term more: cases";
                s.aside(EXACT).never(label, p <= 0.5);
                shared.never("second ≤: cases that break it", exceeds(m.from_second, m.error));
                shared.never("third ≤: cases that break it", exceeds(m.error, m.upper));
                let label = "first sign turned, ≥: second sum less the first, largest";
                s.changed(ROUNDING).at_most(label, m.from_second - m.indicated);
                changed.never("first sum at most the error: cases that break it", exceeds(m.indicated, m.error));
                let first = |factor: f64| p * (-factor * p * t as f64).exp();
                let without = exceeds(m.from_second + first(LOG_FACTOR), m.error);
                twin.never("first sum without its indicator at most the error: cases that break it", without);
                let slow_below = exceeds(m.upper - first(1.0), m.error);
                twin.never("e^(−pT) in the second member: cases that break it", slow_below);
                let fast_above = exceeds(m.error, m.from_second + first(LOG_FACTOR));
                twin.never("e^(−2 ln 2 pT) in the last member: cases that break it", fast_above);
                (cases, flat) = (cases + 1, flat + usize::from(p <= 0.5));
                if m.from_second > 0.0 {
                    worst = worst.max(m.indicated / m.from_second);
                }
            }
        }
    }
    s.note(format!("first over second member at most {worst:.2}; {flat} of {cases} cases have p(1) ≤ 1/2"));
    Ok(())
}
