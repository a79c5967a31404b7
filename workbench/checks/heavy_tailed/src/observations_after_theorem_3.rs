//! The two observations after Theorem 3.
//!
//! **Claims.** (`heavy-tailed/hutter-michaud`) In T the optimal rate is Hutter's law, that of memorising all seen data; in d it is that of
//! Michaud et al., d^(-alpha+1) being the risk of storing the d most frequent tokens only. (`heavy-tailed/q0-two-regimes`) Equal weights
//! have two regimes: overflow for d below the order of N, where the memory is too full to recover any signal, and infinite memory for d
//! above it, where the error is tiny.
//!
//! The first are exact sums, so slopes are asked to three digits; their constants, which the document does not give, are known answers that
//! the sums must meet. The second is about orders of d and speaks of "in essence": it is refuted by a midpoint that does not grow like N,
//! by a signal that is left where d is far below N (with none the error is 1 - 1/M), or by an error that keeps to a power of d/N where d is
//! above N, where Theorem 1 speaks of (d/N)^(-infinity); that it falls as a Gaussian tail, exp(-(M/4) d/N), the estimator must meet. What
//! is left at N/10, and the level at 10N, stand beside.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, power_fit};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{
    ErrorCurve, Scheme, Zipf, chance_error, data_exponent, minimax_exponent, tail_constant, unseen_mass_constant,
};

use super::exponents::{CLASSES, EXACT_EXPONENT, EXPONENT_IN_D, LIMIT, target};
use super::scaling_curves::{GAUSSIAN_TAIL, TINY, draws};

const NO_SIGNAL: Margin = Margin::statistical(
    "no signal above chance",
    0.1,
    "half of the signal that is left at d = N/10, which is 0.2; two hundred draws leave 0.035",
);

const STEEPER: Margin = Margin::statistical(
    "grows steeper",
    -0.02,
    "the margin of every exponent in d, on the side on which the fall is faster than any power",
);

/// The two exact sums.
pub const HUTTER_AND_MICHAUD: Check = Check {
    claim: "heavy-tailed/hutter-michaud",
    metric: "slopes of exact sums in ln d and ln T over the last decade",
    against: "another exponent in the third digit",
    protocol: &["N = ∞, as in Theorem 3; the unseen mass is Σ p(1-p)^T, as in Lemma 1"],
    choices: &[
        "T and d = 10^7 and 10^8; the risk is Σ_{x>d} p(x), where an input that is not stored is always wrong",
        "the cited laws are taken in the exponent α of this document: Michaud et al. write α + 1 for it",
    ],
    run: hutter_and_michaud,
    ..Check::DEFAULT
};

/// Equal weights around d = N.
pub const TWO_REGIMES: Check = Check {
    claim: "heavy-tailed/q0-two-regimes",
    metric: "slope in N of the d at half the chance level; exact expected error at d = N/10^6 against chance; slope of ln error in ln d from 10N to 20N less that from 5N to 10N",
    against: "a midpoint that does not grow like N, an error below chance where d is far below N, a fall that keeps to a power of d where d is above N",
    protocol: &["ρ = 0"],
    choices: &[
        "infinite data, M = 5; N = 400 to 2^40 for the midpoint, N = 2^40 for the two ends; N = 1000 at N/10 and 10N",
    ],
    run: two_regimes,
    ..Check::DEFAULT
};

fn hutter_and_michaud(s: &Sheet) -> Done {
    let (exponent, limit) = (s.printed(EXACT_EXPONENT), s.support(LIMIT));
    for alpha in [2.0, 1.5, 3.0] {
        let (law, in_t, in_d) = (Zipf::infinite(alpha)?, data_exponent(alpha)?, minimax_exponent(alpha)?);
        let (slope, times_power) = far_out(in_t, |t| law.unseen_mass(t));
        exponent.equals(format!("mass not seen in T samples, slope in T, α = {alpha}"), -in_t, slope);
        let label = format!("unseen mass × T^(1-1/α) over C^(1/α) Γ(1-1/α)/α, α = {alpha}");
        limit.equals(label, 1.0, times_power / unseen_mass_constant(&law)?);
        let (slope, times_power) = far_out(in_d, |d| law.tail(d));
        exponent.equals(format!("risk of storing the top d, slope in d, α = {alpha}"), -in_d, slope);
        limit.equals(format!("risk × d^(α-1) over C/(α-1), α = {alpha}"), 1.0, times_power / tail_constant(&law)?);
    }
    let law = Zipf::infinite(2.0)?;
    let (_, twice) = far_out(0.5, |t| law.unseen_mass(2 * t));
    let label = "each sample counted as two: unseen mass × T^(1-1/α) over its limit, α = 2";
    s.twin(LIMIT).equals(label, 1.0, twice / unseen_mass_constant(&law)?);
    let steep = Zipf::infinite(3.0)?;
    let (most_frequent, _) = far_out(2.0, |t| steep.tail(t));
    let label = "the T most frequent tokens known in place of those seen: slope in T, α = 3";
    s.twin(EXACT_EXPONENT).equals(label, -data_exponent(3.0)?, most_frequent);
    let (squares, _) = far_out(1.0, |d| law.moment(2.0, d + 1, None));
    s.twin(EXACT_EXPONENT).equals("p² in place of p in the risk: slope in d, α = 2", -1.0, squares);
    Ok(())
}

/// Slope of an exact sum from 10^7 to 10^8, and its value there times the power.
fn far_out(exponent: f64, sum: impl Fn(usize) -> f64) -> (f64, f64) {
    let (before, end) = (10f64.powi(7), 10f64.powi(8));
    let (a, b) = (sum(before as usize), sum(end as usize));
    ((b / a).ln() / (end / before).ln(), b * end.powf(exponent))
}

fn two_regimes(s: &Sheet) -> Done {
    let (draws, target, equal, chance) = (draws(s)?, target()?, Scheme::uniform(), chance_error(CLASSES));
    let slope = midpoints(s, &[400, 1600, 1 << 16, 1 << 20, 1 << 30, 1 << 40], &equal, 1.0)?;
    let label = "dimension of half the chance level against N, slope";
    s.printed(EXPONENT_IN_D).of("values of N").equals(label, 1.0, slope);
    let light = midpoints(s, &[1 << 20, 1 << 30, 1 << 40], &Scheme::power(0.125)?, 0.5)?;
    let label = "weights p^(1/8) in place of equal ones: dimension of half the chance level, slope";
    s.twin(EXPONENT_IN_D).of("values of N").equals(label, 1.0, light);

    let (law, n) = (Zipf::new(2.0, 1 << 40)?, 1usize << 40);
    let nothing = draws.curve(&law, &target, &equal, &[1 << 20])?.at(0)?;
    s.printed(NO_SIGNAL).of("draws").equals("error at d = N/10^6, N = 2^40: chance", chance, nothing);
    let fall = |scheme: &Scheme| -> Result<f64, Failure> {
        let ends = draws.curve(&law, &target, scheme, &[10 * n, 20 * n])?.means();
        Ok((ends[0] / ends[1]).ln() / 10.0)
    };
    let rate = CLASSES as f64 / 4.0;
    let fallen = fall(&equal)?;
    let steeper = |scheme: &Scheme| -> Result<f64, Failure> {
        let errors = draws.curve(&law, &target, scheme, &[5 * n, 10 * n, 20 * n])?.means();
        let slope = |k: usize| (errors[k + 1] / errors[k]).ln() / 2f64.ln();
        Ok(slope(1) - slope(0))
    };
    let label = "slope of ln error in ln d from 10N to 20N less that from 5N to 10N, N = 2^40";
    s.printed(STEEPER).at_most(label, steeper(&equal)?);
    let root = Scheme::power(0.5)?;
    let label = "weights p^(1/2) in place of equal ones: slope from 10N to 20N less that from 5N to 10N";
    s.twin(STEEPER).at_most(label, steeper(&root)?);
    let label = "fall of ln error per unit of d/N from 10 to 20, N = 2^40, against M/4";
    s.support(GAUSSIAN_TAIL).equals(label, rate, fallen);
    let label = "weights p^(1/2) in place of equal ones: fall of ln error per unit of d/N, against M/4";
    s.twin(GAUSSIAN_TAIL).equals(label, rate, fall(&root)?);

    let thousand = draws.curve(&Zipf::new(2.0, 1000)?, &target, &equal, &[100, 10_000])?;
    let label = "error at d = N/10, N = 1000: chance, no signal";
    s.aside(NO_SIGNAL).of("draws").equals(label, chance, thousand.at(0)?);
    s.aside(TINY).of("draws").at_most("error at d = 10 N, N = 1000", thousand.at(1)?);

    let over_n: Vec<f64> = (0..=26).map(|k| 10f64.powf(-4.0 + 0.2 * f64::from(k))).collect();
    let dims: Vec<usize> = over_n.iter().map(|r| (r * 2f64.powi(40)).round() as usize).collect();
    s.figure(figure(&draws.curve(&law, &target, &equal, &dims)?.over(&over_n)?));
    Ok(())
}

/// The dimension at which the error is half the chance level, against N: slope of logarithms. The grid of d is around `N^power`.
fn midpoints(s: &Sheet, inputs: &[usize], scheme: &Scheme, power: f64) -> Result<Estimate, Failure> {
    let (draws, target) = (draws(s)?, target()?);
    let mut boot = s.streams().restart("bootstrap, two regimes")?;
    let mut midpoints = Vec::new();
    for n in inputs {
        let around = (*n as f64).powf(power);
        // From 1/30 to 30 times as much.
        let ratios = (0..=12).map(|k| 10f64.powf(-1.5 + 0.25 * f64::from(k)));
        let dims: Vec<usize> = ratios.map(|r| (r * around).round() as usize).collect();
        let curve = draws.curve(&Zipf::new(2.0, *n)?, &target, scheme, &dims)?;
        midpoints.push(curve.crossing(0.5 * chance_error(CLASSES), &mut boot)?.value);
    }
    let x: Vec<f64> = inputs.iter().map(|n| *n as f64).collect();
    Ok(power_fit(&x, &midpoints, (1.0, 1e15))?.slope)
}

fn figure(curve: &ErrorCurve) -> Figure {
    let panel = Panel::new("equal weights, N = 2^{40}, infinite data")
        .x_label("d / N")
        .y_label("error")
        .log_x()
        .line("exact expectation", curve.x(), &curve.means())
        .hline("chance", chance_error(CLASSES))
        .vline("d = N", 1.0)
        .legend_below();
    Figure::new("From overflow to a memory that holds everything")
        .panel(panel)
        .caption("Equal weights on a million millions of inputs; d/N runs through five decades.")
}
