//! Chernoff's bound on a halved frequency, and the data term: B.2, finite data.
//!
//! **Claims.** (`heavy-tailed/b2-chernoff`) With q^ = p^^rho and q = p^rho, P(q^ < q/2^(1/rho)) = P(p^ < p/2) <= exp(-T p/8).
//! (`heavy-tailed/b2-data-term`) The error is sum p exp(-T p/8) + sum p P(wrong | q^ > q/2^(1/rho)), and the first sum has the order
//! T^(-1+1/alpha).
//!
//! The first is refuted by a value of p^ on which the two events differ, and by a binomial probability above the bound; the second by a side
//! that differs, over all data sets of small problems, and by a first sum of another order. Its sides are compared with the split that goes
//! before mended, that is with the joint probability for the conditional one; as printed they stand beside.

use std::f64::consts::LN_10;

use workbench_display::{Figure, Panel};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{
    DataSets, Scheme, Zipf, chance_error, damped_mass, data_exponent, half_factor, half_factor_printed,
    ln_binomial_below, unseen_mass_constant,
};

use super::exponents::{CLASSES, LIMIT, ONE, draws, target};
use crate::vocabulary::{ROUNDING, largest_of};

const ATTAINED: Margin = Margin::statistical(
    "attained",
    0.03,
    "a tenth of the ratio; were every guess wrong, it would be larger by a quarter",
);

/// The events and the inequality.
pub const CHERNOFF: Check = Check {
    claim: "heavy-tailed/b2-chernoff",
    metric: "values of p̂ on which two events differ; logarithm of an exact probability over the bound",
    against: "a value on which the events differ; a probability above the bound",
    choices: &["exact binomial probabilities, T up to 10^4, p from 10^-4 to 1; ρ from 1/4 to 2"],
    run: chernoff,
    ..Check::DEFAULT
};

fn chernoff(s: &Sheet) -> Done {
    s.misprint("the factor is 2^ρ");
    for rho in [0.25, 0.5, 1.0, 2.0] {
        for p in [0.1f64, 0.3, 0.7] {
            // With T = 41 none falls on a boundary.
            for seen in s.each("values", (0..=41).map(|k| f64::from(k) / 41.0)) {
                let differs = |factor: f64| (seen.powf(rho) < p.powf(rho) * factor) != (seen < 0.5 * p);
                let label = "factor 2^(1/ρ): values of p̂ on which the two events differ";
                s.printed(Margin::ZERO).never(label, differs(half_factor_printed(rho)));
                let label = "factor 2^ρ: values of p̂ on which the events differ";
                s.changed(Margin::ZERO).never(label, differs(half_factor(rho)));
            }
        }
    }
    let (size, p) = (1000usize, 0.01); // rho = 2: the printed event is p^ < p/2^(1/4)
    let end_to_end = (ln_below(size, p, 0.5f64.powf(0.25))? + size as f64 * p / 8.0).exp();
    s.printed(ONE).at_most("P(q̂ < q/2^(1/ρ)) over exp(−Tp/8) at ρ = 2, T = 1000, p = 0.01", end_to_end);
    // ln P, minus infinity where none falls below, and T p.
    let mut pairs = Vec::new();
    for size in [10, 100, 1000, 10_000] {
        for i in 0..=80 {
            let p = 10f64.powf(-4.0 + 0.05 * f64::from(i)).min(1.0);
            pairs.push((ln_below(size, p, 0.5)?, size as f64 * p));
        }
    }
    let excess = |c: f64| largest_of(pairs.iter().map(|(ln_p, tp)| ln_p + tp / c));
    let (n, unit) = (pairs.len(), "pairs of T and p");
    s.printed(Margin::ZERO).over(n, unit).at_most("largest ln P(p̂ < p/2) + Tp/8", excess(8.0));
    s.twin(Margin::ZERO).over(n, unit).at_most("largest ln P + Tp/6", excess(6.0));
    let tp: Vec<f64> = (1..=60).map(|i| 10.0 * f64::from(i)).collect();
    let exact = tp.iter().map(|tp| Ok(ln_below(10_000, tp / 1e4, 0.5)? / LN_10));
    let bound: Vec<f64> = tp.iter().map(|x| -x / 8.0 / LN_10).collect();
    let panel = Panel::new("T = 10^{4}")
        .x_label("T p")
        .y_label("log₁₀ of the probability")
        .line("P(p̂ < p/2), exact", &tp, &exact.collect::<Result<Vec<f64>, Failure>>()?)
        .theory("exp(−Tp/8)", &tp, &bound);
    s.figure(
        Figure::new("The exact probability stays below Chernoff's bound")
            .panel(panel)
            .caption("For small p the exact logarithm has the slope −(1 − ln 2)/2 ≈ −0.153, the bound −1/8."),
    );
    Ok(())
}

/// `ln P(p^ < factor p)`.
fn ln_below(size: usize, p: f64, factor: f64) -> Result<f64, Failure> {
    // A count that is whole on paper stays so, whatever the rounding of the product.
    Ok(ln_binomial_below(size, p, (factor * size as f64 * p * (1.0 - 1e-12)).ceil() as usize)?)
}

/// Both sides of the display, and the order of its first sum.
pub const DATA_TERM: Check = Check {
    claim: "heavy-tailed/b2-data-term",
    metric: "left over right side, all data sets; first sum over its limit",
    against: "two sides that differ; a first sum of another order in T",
    protocol: &["Zipf laws, with N = ∞ for the order"],
    choices: &["d = 2^60, ρ = 1 for the error"],
    departures: &["two classes, tiny N and T where both sides have to be exact"],
    run: data_term,
    ..Check::DEFAULT
};

/// `(alpha, N, T, d)` of problems whose data sets are listed.
const PROBLEMS: [(f64, usize, usize, usize); 5] =
    [(1.0, 2, 6, 8), (1.5, 3, 8, 8), (2.0, 3, 12, 30), (1.2, 4, 10, 30), (1.2, 4, 10, 1000)];
/// Exponents of laws with infinitely many inputs.
const ALPHAS: [f64; 3] = [1.5, 2.0, 3.0];

fn data_term(s: &Sheet) -> Done {
    s.see("heavy-tailed/b2-decomposition");
    s.misprint("≤ in place of the second =, as Chernoff's bound is one; the order of the first sum is as stated");
    for (alpha, n, size, d) in PROBLEMS {
        for rho in s.each("problems", [0.5, 1.0]) {
            let p = Zipf::new(alpha, n)?.probabilities(n);
            let sets = DataSets::two_classes(&p, size, &Scheme::power(rho)?, d)?;
            let (mut right, mut joint) = (0.0, 0.0);
            for (x, p) in p.iter().enumerate() {
                let split = sets.split(x + 1, &|s| 2.0 * s.counts[x] as f64 > size as f64 * p)?;
                let chernoff = (-(size as f64) * p / 8.0).exp();
                right += p * (chernoff + split.error_inside);
                joint += p * (chernoff + split.error_inside * (1.0 - split.outside));
            }
            let ratio = sets.error() / right;
            // Chernoff's bound on the right is no equality even where the split before it is mended.
            let label =
                "a true split, P(wrong and q̂ > q/2^(1/ρ)) on the right: distance of the sides, worst small problem";
            s.printed(ROUNDING).same(label, (1.0 - sets.error() / joint).abs());
            s.aside(ROUNDING).same("one minus left over right side as printed, worst small problem", 1.0 - ratio);
            s.changed(Margin::ZERO).never("≤ with a true split: small problems that break it", sets.error() > joint);
            s.changed(Margin::ZERO).never("≤ as printed: small problems that break it", ratio > 1.0);
        }
    }
    let (law, sizes, mut data) = (Zipf::infinite(2.0)?, [256usize, 65_536], s.stream("data term")?);
    let curve = draws(s)?.sample_curve(&law, &target()?, &Scheme::power(1.0)?, 1 << 60, &sizes, &mut data)?;
    let over_sum = curve.at(1)?.affine(1.0 / damped_mass(&law, 65_536.0 / 8.0)?, 0.0)?;
    // Unseen inputs are guessed; Lemma 1 has exp(-T p) where the first sum has exp(-T p/8).
    let guessing = chance_error(CLASSES) / 8f64.sqrt();
    s.support(ATTAINED).equals("error over the first sum, T = 65536: guessing among the unseen", guessing, over_sum);

    for alpha in ALPHAS {
        let label = format!("first sum over its limit, α = {alpha}, T = 10^10");
        s.changed(LIMIT).equals(label, 1.0, over_limit(alpha, 1e10, 8.0)?);
    }
    s.twin(LIMIT).equals("exp(−Tp) in the first sum, α = 2", 1.0, over_limit(2.0, 1e10, 1.0)?);

    let t: Vec<f64> = (1..=10).map(|k| 10f64.powi(k)).collect();
    let panel = Panel::new("N = ∞").x_label("T").y_label("Σ p exp(−Tp/8) over its limit");
    let mut panel = panel.log_x().y_limits(0.8, 1.6).hline("1", 1.0);
    for alpha in ALPHAS {
        let along = t.iter().map(|t| over_limit(alpha, *t, 8.0)).collect::<Result<Vec<f64>, _>>()?;
        panel = panel.line(&format!("α = {alpha}"), &t, &along);
    }
    s.figure(Figure::new("The data term reaches the limit that Lemma 1 gives").panel(panel).caption(
        "Exact sums over all ranks, divided by the limit that Lemma 1 gives: order T^{−1+1/α}, with its constant.",
    ));
    Ok(())
}

/// `sum p exp(-T p/c)` over `(T/8)^(-1 + 1/alpha)` times the constant of Lemma 1.
fn over_limit(alpha: f64, t: f64, c: f64) -> Result<f64, Failure> {
    let law = Zipf::infinite(alpha)?;
    let limit = unseen_mass_constant(&law)? * (t / 8.0).powf(-data_exponent(alpha)?);
    Ok(damped_mass(&law, t / c)? / limit)
}
