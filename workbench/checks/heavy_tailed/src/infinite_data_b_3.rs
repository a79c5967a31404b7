//! Threshold that balances two terms, and the rate at the stated one: B.3, infinite data.
//!
//! **Claims.** (`heavy-tailed/b3-threshold`) With q = p^rho on the top P the forgotten set splits into a stored part, of order
//! (d/phi(P))^(-(alpha-1)/2 rho alpha), and the tail, of order P^(1-alpha); equating the two gives ln d - ln P = 2 rho alpha ln P, so
//! P = d^(1/(2 rho alpha + 1)). (`heavy-tailed/b3-rate`) With that P the error is p{d q^2 <= p_* ||q||^2}, of order P^(1-alpha) =
//! d^(-(alpha-1)/(2 rho alpha + 1)), up to logarithms.
//!
//! The second line of the display takes ln P for ln phi(P), as if rho were zero; with phi(P) as it is defined the balance is at
//! P = d^(1/max(1, 2 rho alpha)). Theorem 2 states the exponent that comes out, and is judged by the errors that are measured there. The first is
//! refuted by a balance at another power of d than the last line has, or a set that is not the sum of its two parts or of another order; the
//! second by an error, or a set, of another order than at the stated P. At rho = 0 Theorem 3 prints that P with a logarithm, d / ln d; without
//! it (Table 1) the error stays, which stands beside it.

use workbench_display::{Figure, Panel};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memory::{
    ErrorCurve, Load, Scheme, Zipf, balanced_threshold, best_threshold_exponent, chance_error, forgotten_set,
    power_sum, powers_of_two, stated_threshold_exponent, truncated_exponent, untruncated_exponent,
};

use super::exponents::{
    CLASSES, EXACT_EXPONENT, EXPONENT_IN_D, FLAT, draws, far, last_exponent, over_log, p_star, spread, target,
    theorem_3_curve, truncated,
};
use crate::vocabulary::{ROUNDING, largest_of, least_of};

const LOGARITHM: Margin = Margin::statistical(
    "logarithm at s = 1",
    0.05,
    "at s = 1 the load is a logarithm; 1/ln P is 0.03 at the largest d",
);
const ABOVE: Margin = Margin::ours("ten times", 10.0, "constants that the document hides, within a factor of ten");
const BELOW: Margin = Margin::ours("a tenth", 0.1, "constants that the document hides, within a factor of ten");
const GUESSED: Margin = Margin::statistical(
    "guessed",
    0.02,
    "an error that is all guessing differs from this by rounding P up and by few stored inputs",
);

/// The balance, solved exactly and as printed, at alpha = 2 and at one place at 1.5.
pub const BALANCE: Check = Check {
    claim: "heavy-tailed/b3-threshold",
    metric: "exponent in d of the P at which both terms are equal, between the last two points",
    against: "a balance at another power of d than 1/(2ρα+1); a set that is not the sum of its two parts, or of another order",
    protocol: &["p ≃ x^−α, q = p^ρ on the top P, φ(P) = ‖q‖²"],
    choices: &["α = 2, s = 2ρα from 0 to 4, and α = 1.5 at s = 2; d = 10^6 to 10^16, φ(P) as the exact sum"],
    run: balance,
    ..Check::DEFAULT
};

fn balance(sheet: &Sheet) -> Done {
    sheet.misprint("ln φ(P) for ln P in the second line; the two terms are then equal at P = d^(1/max(1, 2ρα))");
    let dims: Vec<f64> = (6..=16).map(|k| 10f64.powi(k)).collect();
    let solve = |alpha: f64, rho: f64, load: Load| {
        dims.iter().map(|d| balanced_threshold(alpha, rho, *d, load)).collect::<Result<Vec<f64>, _>>()
    };
    let mut balances = Vec::new();
    for s in [0.0, 0.5, 1.0, 2.0, 4.0] {
        balances.push((s, solve(2.0, s / 4.0, Load::Sum)?, solve(2.0, s / 4.0, Load::Count)?));
    }
    for (s, sum, count) in balances.iter().rev() {
        let (stated, best) = (stated_threshold_exponent(2.0, s / 4.0)?, best_threshold_exponent(2.0, s / 4.0)?);
        let margin = if *s == 1.0 { LOGARITHM } else { EXACT_EXPONENT };
        let (of_sum, of_count) = (last_exponent(&dims, sum), last_exponent(&dims, count));
        sheet.printed(margin).equals(format!("printed exponent 1/(s+1) of the balance, s = {s}"), stated, of_sum);
        sheet.changed(margin).equals(format!("exponent 1/max(1, s) of the balance, s = {s}"), best, of_sum);
        let label = format!("ln P for ln φ(P): exponent 1/(s+1), s = {s}");
        sheet.support(EXACT_EXPONENT).equals(label, stated, of_count);
        if *s == 1.0 {
            let not_squared = dims.iter().map(|d| balance_with(0.5, *s, *d)).collect::<Result<Vec<f64>, Failure>>()?;
            let label = "Σ q for φ(P) = Σ q² in the balance: exponent 1/max(1, s), s = 1";
            sheet.twin(margin).equals(label, best, last_exponent(&dims, &not_squared));
        }
        if *s == 4.0 {
            sheet.note(format!(
                "s = 4, d = 10^16: the balance is at P = {:.0}, the printed threshold is {:.0}",
                largest_of(sum),
                largest_of(count)
            ));
        }
    }
    // At alpha = 1.5 the exponent 2 rho alpha is told from 4 rho and from rho alpha^2, which are the same at alpha = 2.
    let rho = 2.0 / 3.0;
    let flatter = last_exponent(&dims, &solve(1.5, rho, Load::Sum)?);
    let label = "α = 1.5, ρ = 2/3: exponent 1/max(1, 2ρα) of the balance";
    sheet.changed(EXACT_EXPONENT).equals(label, best_threshold_exponent(1.5, rho)?, flatter);
    set_by_inputs(sheet)?;
    two_terms(sheet)?;
    let mut panel = Panel::new("α = 2").x_label("d").y_label("threshold P").log_x().log_y();
    let shown = balances.iter().filter(|(s, ..)| [0.5, 2.0, 4.0].contains(s));
    for (k, (s, sum, count)) in shown.enumerate() {
        panel = panel
            .line(&format!("exact balance, s = {s}"), &dims, sum)
            .colour(k)
            .theory(&format!("d^{{1/(s+1)}}, s = {s}"), &dims, count)
            .colour(k);
    }
    sheet.figure(
        Figure::new("The two terms balance at a larger threshold than printed").panel(panel.legend_below()).caption(
            "Solid: the balance solved with φ(P) = Σ x⁻ˢ. Dashed: the printed solution, which is that of φ(P) = P.",
        ),
    );
    Ok(())
}

/// P at which d is `P^power` times the sum of `x^-falls` up to P: the balance with any load.
fn balance_with(falls: f64, power: f64, d: f64) -> Result<f64, Failure> {
    let (mut low, mut high) = (0.0f64, d.ln());
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        let load = power_sum(falls, 0.0, 1, Some(middle.exp() as usize))?;
        if power * middle + load.ln() < d.ln() { low = middle } else { high = middle }
    }
    Ok((0.5 * (low + high)).exp())
}

/// The whole set, input by input, against the sum of its stored part and the tail.
fn set_by_inputs(s: &Sheet) -> Done {
    let (law, ranks, share) = (Zipf::new(1.7, 300)?, 300usize, 0.4);
    for rho in [0.0, 0.2, 0.5, 1.0] {
        for top in [1usize, 7, 40, 299] {
            let q = Scheme::power(rho)?.top(top)?.population_weights(&law, 1)?;
            let norm: f64 = q.iter().map(|q| q * q).sum();
            for d in s.each("sets", [3.0, 30.0, 1e3, 1e5]) {
                let forgotten = (1..=ranks).filter(|x| d * q[*x - 1].powi(2) <= share * norm);
                let whole: f64 = forgotten.map(|x| law.probability(x)).sum();
                let set = forgotten_set(&law, rho, Some(top), d, share)?.mass();
                s.both_forms(ROUNDING).same("set identity, worst case", (set - whole).abs());
            }
        }
    }
    Ok(())
}

/// The exact set over the sum of the two terms, where `d >= phi(P)`.
fn two_terms(s: &Sheet) -> Done {
    for (alpha, rho) in [(2.0, 1.0), (2.0, 0.5), (2.0, 0.125), (1.5, 0.5)] {
        let law = Zipf::infinite(alpha)?;
        for p in powers_of_two(1, 20, 2)? {
            let load = power_sum(2.0 * rho * alpha, 0.0, 1, Some(p))?;
            let dims = (1..=30).map(|k| 10f64.powf(0.5 * f64::from(k))).filter(|d| *d >= load);
            for d in s.each("pairs of P and d", dims) {
                let two = (d / load).powf(-untruncated_exponent(alpha, rho)?) + (p as f64).powf(1.0 - alpha);
                let ratio = forgotten_set(&law, rho, Some(p), d, 0.5)?.mass() / two;
                s.aside(BELOW).at_least("exact set over the two terms, smallest", ratio);
                s.aside(ABOVE).at_most("exact set over the two terms, largest", ratio);
            }
        }
        // Along d = phi(P) P^(2 rho alpha) / 4 both terms are of one order, and some of the stored inputs are forgotten.
        let (e, two_rho_alpha) = (untruncated_exponent(alpha, rho)?, 2.0 * rho * alpha);
        let tops = [1usize << 18, 1 << 22];
        let ratio = |p: usize| {
            let load = power_sum(two_rho_alpha, 0.0, 1, Some(p))?;
            let d = 0.25 * load * (p as f64).powf(two_rho_alpha);
            let two = (d / load).powf(-e) + (p as f64).powf(1.0 - alpha);
            Ok::<_, Failure>(forgotten_set(&law, rho, Some(p), d, 0.5)?.mass() / two)
        };
        let both = [ratio(tops[0])?, ratio(tops[1])?];
        let label = format!(
            "exponent in P of the exact set over the two terms where they are of one order, α = {alpha}, ρ = {rho}"
        );
        s.both_forms(EXACT_EXPONENT).equals(label, 0.0, last_exponent(&tops.map(|p| p as f64), &both));
    }
    Ok(())
}

/// Error and set at the stated threshold.
pub const STATED_THRESHOLD: Check = Check {
    claim: "heavy-tailed/b3-rate",
    metric: "exponent in d of the set probability and of the expected error; spread along d of error over set",
    against: "an error or a set of another order than d^(−(α−1)/(2ρα+1))",
    protocol: &["P = ⌈d^{1/(2ρα+1)}⌉; for ρ = 0 Theorem 3's P = d/ln d"],
    choices: &["N = ∞, M = 5, d = 2^20 to 2^60; α = 2 and 1.5, ρ from 0 to 1"],
    departures: &["at ρ = 0 the threshold has its logarithm; P = d without it, charged in Table 1, stands beside it"],
    run: stated_threshold,
    ..Check::DEFAULT
};

fn stated_threshold(s: &Sheet) -> Done {
    s.see("heavy-tailed/table-1");
    let (in_d, of_set) = (s.printed(EXPONENT_IN_D), s.printed(EXACT_EXPONENT));
    let (dims, x) = far()?;
    let mut boot = s.stream("bootstrap, B.3")?;
    let mut panel =
        Panel::new("N = ∞, P = ⌈d^{1/(s+1)}⌉").x_label("d").y_label("probability").log_x().log_y().y_limits(1e-20, 1.0);
    let (mut over_set, mut spreads) = (Vec::new(), Vec::new());
    for (k, (alpha, rho)) in [(2.0, 0.125), (2.0, 0.5), (2.0, 1.0), (1.5, 0.5)].into_iter().enumerate() {
        let (set, error) = (set(alpha, rho)?, error(s, alpha, rho)?);
        let (name, exponent) = (format!("α = {alpha}, ρ = {rho}"), -truncated_exponent(alpha, rho)?);
        in_d.equals(format!("slope of the error, {name}"), exponent, error.slope(&mut boot)?);
        of_set.equals(format!("slope of the set probability, {name}"), exponent, last_exponent(&x, &set));
        let ratios: Vec<f64> = error.means().iter().zip(&set).map(|(error, set)| error / set).collect();
        spreads.push(spread(&ratios));
        over_set.extend(ratios);
        panel = with_set(panel, k, &name, &x, &error, &set);
    }
    let label = "ρ > 0: error over set probability along d, largest over smallest, worst law";
    s.printed(FLAT).over(spreads.len(), "laws").at_most(label, largest_of(&spreads));
    let guessing = chance_error(CLASSES);
    let label = "ρ > 0: error over set probability, smallest: guessing beyond P";
    s.support(GUESSED).equals(label, guessing, least_of(&over_set));
    let label = "ρ > 0: error over set probability, largest: guessing beyond P";
    s.support(GUESSED).equals(label, guessing, largest_of(&over_set));

    let with_log = theorem_3_curve(s)?.times(&over_log(&x))?.slope(&mut boot)?;
    in_d.equals("ρ = 0, P = d/ln d: slope of the error over ln d", -1.0, with_log);
    let (set, error) = (set(2.0, 0.0)?, error(s, 2.0, 0.0)?);
    let label = "ρ = 0, P = d, no logarithm: slope of the error";
    s.aside(EXPONENT_IN_D).equals(label, -1.0, error.slope(&mut boot)?);
    panel = with_set(panel, 4, "α = 2, ρ = 0", &x, &error, &set);
    let plain = draws(s)?.curve(&Zipf::infinite(2.0)?, &target()?, &Scheme::power(1.0)?, &dims)?;
    let label = "no threshold, α = 2, ρ = 1: slope of the error";
    s.twin(EXPONENT_IN_D).equals(label, -truncated_exponent(2.0, 1.0)?, plain.slope(&mut boot)?);
    s.figure(Figure::new("At the stated threshold error and set fall alike").panel(panel.legend_below()).caption(
        "Lines: exact expected error. Dots: exact set probability. For ρ = 0 the threshold here is d itself, without the logarithm of \
         Theorem 3: the set shrinks while the stored inputs keep failing.",
    ));
    Ok(())
}

/// Probability of the forgotten set at the stated threshold along d.
fn set(alpha: f64, rho: f64) -> Result<Vec<f64>, Failure> {
    let (law, e) = (Zipf::infinite(alpha)?, stated_threshold_exponent(alpha, rho)?);
    let share = p_star(&law)?;
    let set = |d: &f64| Ok(forgotten_set(&law, rho, Some(d.powf(e).ceil() as usize), *d, share)?.mass());
    far()?.1.iter().map(set).collect()
}

/// Expected error at the stated threshold along d.
fn error(setting: &Setting, alpha: f64, rho: f64) -> Result<ErrorCurve, Failure> {
    let scheme = truncated(rho, stated_threshold_exponent(alpha, rho)?)?;
    Ok(draws(setting)?.curve(&Zipf::infinite(alpha)?, &target()?, &scheme, &far()?.0)?)
}

fn with_set(panel: Panel, colour: usize, name: &str, x: &[f64], error: &ErrorCurve, set: &[f64]) -> Panel {
    let panel = panel.line(&format!("error, {name}"), x, &error.means()).colour(colour);
    panel.points(&format!("set, {name}"), x, set).colour(colour)
}
