//! Eq. 42: the error is the mass of a set.
//!
//! **Claim** (`heavy-tailed/eq-42`). For large d and regular p, Q_inf dominates c_gamma ||q||^2/d, and up to constants and logarithms
//! E(f_q) is p{x : d q(x)^2 <= p_* ||q||^2}.
//!
//! The exact expected error is divided by the exact probability of the set, for p^rho with rho > 0, which B.2 speaks of. Refuted by a slope of
//! that ratio in ln d which no logarithm can explain. Equal weights are asked with the threshold of Theorem 3; with a threshold of d, where a
//! logarithm is missing, they stand beside it: that is charged to Table 1. On the way the document replaces the cut-off of q^2/Q_inf at
//! 32 c_gamma/d by one at 1/d: the masses that both leave are compared in the same way.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memory::{
    ConditionalDraws, Profile, Scheme, Target, Zipf, cut_level, forgotten_set, powers_of_two, untruncated_exponent,
};

use super::exponents::{
    CLASSES, EXPONENT_IN_D, FLAT, ONE, draws, energy_share, far, floats, last_exponent, p_star, spread, target,
    theorem_3_curve, truncated,
};

const PART: Margin =
    Margin::ours("part of the error", 1e-3, "a thousandth of the error would be a constant; an empty set has none");

/// Error over set probability, for power weights and for equal ones.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-42",
    metric: "slope in ln d of ln(expected error / set probability); mass cut off at 32 c_γ/d over mass cut off at 1/d",
    against: "a slope larger than a power of ln d would give; two cut-offs apart by a power of d; a further term above Q∞",
    protocol: &["Zipf laws, q = p^ρ with ρ > 0; for ρ = 0 the top d/ln d of Theorem 3"],
    choices: &[
        "N = ∞, f_*(x) = x mod 5, d = 2^20 to 2^60; ρ = 1/8 with N = 2^50",
        "beside it, judging nothing: ρ = 0 on the top d, a thousand inputs where the set is empty or nearly so, and M varied at p_* = 3/4",
    ],
    run,
    ..Check::DEFAULT
};

/// `(alpha, rho)` with infinitely many inputs.
const LAWS: [(f64, f64); 4] = [(2.0, 1.0), (2.0, 0.5), (1.5, 1.0), (3.0, 0.5)];

fn run(s: &Sheet) -> Done {
    s.see("heavy-tailed/table-1");
    error_over_set(s)?;
    many_classes(s)?;
    few_inputs(s)?;
    for rho in s.each("exponents ρ", [0.25, 0.5, 1.0]) {
        let (d, share) = (2f64.powi(20), energy_share(&Zipf::new(2.0, 1 << 40)?, &target()?, rho)?);
        let label = "8 c_γ ‖q‖²/d over Q∞ at d = 2^20, γ = 1, worst of three ρ: dominated";
        s.printed(ONE).at_most(label, 8.0 * cut_level(5, d, 1.0) / (d * share));
    }
    cut_offs(s)
}

/// The ratio along d: power weights, equal weights on the top d, and the set with q in place of q^2.
fn error_over_set(s: &Sheet) -> Done {
    let (draws, target, (dims, x)) = (draws(s)?, target()?, far()?);
    let mut boot = s.stream("bootstrap, eq 42")?;
    let mut cases = Vec::new();
    for (alpha, rho) in LAWS {
        cases.push((format!("α = {alpha}, ρ = {rho}"), Zipf::infinite(alpha)?, rho, dims.clone()));
    }
    // 2 rho alpha = 1/2 asks for finitely many inputs.
    let near = powers_of_two(28, 44, 2)?;
    cases.push(("α = 2, ρ = 1/8, N = 2^50".to_string(), Zipf::new(2.0, 1 << 50)?, 0.125, near));
    let mut panel = Panel::new("N = ∞").x_label("d").y_label("error / set probability").log_x().y_limits(0.0, 1.0);
    for (name, law, rho, dims) in s.each("laws", cases) {
        let error = draws.curve(&law, &target, &Scheme::power(rho)?, &dims)?;
        let ratio = error.times(&over_sets(&law, rho, &floats(&dims), |_| None)?)?;
        let label = format!("{name}: slope of ln(error / set) in ln d");
        s.printed(EXPONENT_IN_D).equals(label, 0.0, ratio.slope(&mut boot)?);
        if dims.len() == x.len() {
            s.printed(FLAT).at_most("largest over smallest ratio along d, worst case", spread(&ratio.means()));
            panel = panel.line(&name, &x, &ratio.means());
        }
    }
    let law = Zipf::infinite(2.0)?;
    let equal = theorem_3_curve(s)?.times(&over_sets(&law, 0.0, &x, |d| Some((d / d.ln()).ceil() as usize))?)?;
    let label = "ρ = 0, N = ∞, P = d/ln d: slope of ln(error / set) in ln d";
    s.printed(EXPONENT_IN_D).equals(label, 0.0, equal.slope(&mut boot)?);
    let overfull = draws.curve(&law, &target, &truncated(0.0, 1.0)?, &dims)?;
    let overfull = overfull.times(&over_sets(&law, 0.0, &x, |d| Some(d as usize))?)?;
    let label = "ρ = 0, N = ∞, P = d, no logarithm: slope of ln(error / set) in ln d";
    s.aside(EXPONENT_IN_D).equals(label, 0.0, overfull.slope(&mut boot)?);
    let error = draws.curve(&law, &target, &Scheme::power(1.0)?, &dims)?;
    let not_squared = error.times(&over_sets(&law, 0.5, &x, |_| None)?)?;
    let label = "the set with q in place of q², α = 2, ρ = 1: slope of the ratio";
    s.twin(EXPONENT_IN_D).equals(label, 0.0, not_squared.slope(&mut boot)?);
    s.figure(Figure::new("For falling weights error and forgotten mass keep one ratio").panel(panel).caption(
        "Exact set probabilities, exact expected errors. A power of ln d would triple the ratio from the left end to the right.",
    ));
    Ok(())
}

/// One over the probability of `{x : d q^2 <= p_* ||q||^2}` along d, for `p^rho` on the top P(d).
fn over_sets(law: &Zipf, rho: f64, dims: &[f64], top: fn(f64) -> Option<usize>) -> Result<Vec<f64>, Failure> {
    let share = p_star(law)?;
    dims.iter().map(|d| Ok(1.0 / forgotten_set(law, rho, top(*d), *d, share)?.mass())).collect()
}

/// The ratio at d = 2^40 and `p_* = 3/4` with M varied: even ranks in one class each in turn, odd ranks all in class 0.
fn many_classes(s: &Sheet) -> Done {
    let (law, d) = (Zipf::infinite(2.0)?, 1usize << 40);
    let mut ratios = Vec::new();
    for m in [2, 3, 5, 9, 33] {
        let labels: Vec<usize> = (1..=2 * (m - 1)).map(|x| if x % 2 == 1 { 0 } else { x / 2 }).collect();
        let few = ConditionalDraws::new(m, 200, &mut s.stream(&format!("draws, M = {m}"))?)?;
        let profile = Profile::population(&law, &Target::table(&labels, m)?, &Scheme::power(1.0)?, d)?;
        let error = mean(&few.expected_error(&profile, d)?.to_vec())?;
        ratios.push(error.value / forgotten_set(&law, 1.0, None, d as f64, 0.75)?.mass());
    }
    let label = "largest over smallest ratio, M = 2 to 33 at p_* = 3/4, d = 2^40";
    s.aside(FLAT).at_most(label, spread(&ratios));
    Ok(())
}

/// A thousand inputs: before and beyond the d at which the last of them leaves the set.
fn few_inputs(s: &Sheet) -> Done {
    let d = 1280;
    let (set, error) = set_and_error(s, 0.0, d)?;
    let label = format!("ρ = 0, N = 1000, d = {d}: set probability over error");
    s.aside(PART).at_least(label, set / error.value);
    s.note(format!(
        "equal weights: the set is everything up to d = p_* N and empty beyond; at N = 1000, d = {d} the error is {:.3}",
        error.value
    ));
    let d = 840;
    let (set, error) = set_and_error(s, 0.05, d)?;
    let label = format!("ρ = 1/20, N = 1000, d = {d}, beyond it, where the set is empty: set probability over error");
    s.aside(PART).at_least(label, set / error.value);
    // The edge is at 7 10^11.
    let mut ratios = Vec::new();
    for d in powers_of_two(20, 36, 8)? {
        let (set, error) = set_and_error(s, 1.0, d)?;
        ratios.push(error.value / set);
    }
    let label = "N = 1000, ρ = 1, d = 2^20 to 2^36, short of that edge: largest over smallest ratio";
    s.aside(FLAT).at_most(label, spread(&ratios));
    Ok(())
}

/// Set probability and error of `p^rho` on all of 1000 inputs, alpha = 2.
fn set_and_error(setting: &Setting, rho: f64, d: usize) -> Result<(f64, Estimate), Failure> {
    let law = Zipf::new(2.0, 1000)?;
    let set = forgotten_set(&law, rho, None, d as f64, p_star(&law)?)?.mass();
    let profile = Profile::population(&law, &target()?, &Scheme::power(rho)?, d)?;
    Ok((set, mean(&draws(setting)?.expected_error(&profile, d)?.to_vec())?))
}

/// Mass of `{x : q^2 <= 32 c_gamma Q_inf / d}` over that of `{x : q^2 <= Q_inf / d}`, gamma = 1, d = 2^28 to 2^60.
fn cut_offs(s: &Sheet) -> Done {
    let dims = floats(&powers_of_two(28, 60, 4)?);
    let cut = |d: f64| 32.0 * cut_level(CLASSES, d, 1.0);
    // With Q_inf / ||q||^2 given.
    let along_d = |law: &Zipf, rho: f64, share: f64, top: fn(f64) -> Option<usize>| -> Result<Vec<f64>, Failure> {
        let mass = |d: f64, at: f64| Ok::<_, Failure>(forgotten_set(law, rho, top(d), at, share)?.mass());
        dims.iter().map(|d| Ok(mass(*d, d / cut(*d))? / mass(*d, *d)?)).collect()
    };
    for (alpha, rho) in s.each("laws", LAWS) {
        let (law, e) = (Zipf::infinite(alpha)?, untruncated_exponent(alpha, rho)?);
        let ratios = along_d(&law, rho, energy_share(&law, &target()?, rho)?, |_| None)?;
        let over = |power: f64| {
            let flat = ratios.iter().zip(&dims).map(|(ratio, d)| ratio / cut(*d).powf(power));
            spread(&flat.collect::<Vec<f64>>())
        };
        let label = "cut at 32 c_γ/d over cut at 1/d, over (32 c_γ)^((α−1)/2ρα), γ = 1: largest over smallest, worst of four laws";
        s.printed(FLAT).at_most(label, over(e));
        let label = "the two cut-offs with q in place of q²: mass over (32 c_γ)^((α−1)/ρα), worst law";
        s.twin(FLAT).largest().at_most(label, over(2.0 * e));
    }
    // Equal weights on so many inputs are spread evenly over the classes.
    let ratios = along_d(&Zipf::infinite(2.0)?, 0.0, 1.0 / CLASSES as f64, |d| Some(d as usize))?;
    let label = "equal weights on the top d: cut at 32 c_γ/d over cut at 1/d, slope in ln d";
    s.aside(EXPONENT_IN_D).equals(label, 0.0, last_exponent(&dims, &ratios));
    Ok(())
}
