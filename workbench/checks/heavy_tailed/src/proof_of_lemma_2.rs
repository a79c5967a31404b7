//! The proof of Lemma 2, after Eq. 19: the bound on the cap probability, and the two facts that it uses.
//!
//! **Claims.** (`heavy-tailed/lemma-2-cap-bound`) P = 2 Gamma(d/2 + 1/2)/(sqrt(pi) Gamma(d/2 + 1/2)) int (1 - t^2)^((d-1)/2), at most
//! 2 sqrt(d/2 + 1)/sqrt(pi) int t/eta (1 - t^2)^((d-1)/2), at most sqrt(2/(pi eta^2 d)) exp(-eta^2 d/2).
//! (`heavy-tailed/lemma-2-elementary`) The fraction (d+2)/(d+1)^2 is (d+1+1)/(d+1)/(d+1), is (1 + 1/(d+1))/(1 + 1/d)/d, and is at most
//! 1/d; and for x in (-1, 1) ln(1+x) <= x, hence (1+x)^n <= exp(nx).
//!
//! The chain starts from the density of the display before, that of d + 2 dimensions, a fault that is charged there. So each member in d is
//! compared with the probability in d + 2; the Gamma functions of its first member cancel and should not. From the right density the steps
//! give the bound with d - 1 in the place of d; the printed end is smaller, and is a bound from three dimensions on, where Lemmas 2 and 3 use
//! it. Refuted by a link that does not hold, or a dimension in which the probability is above the bound. Of the facts the first is checked in
//! integers. In the second n is not specified; the proof uses n = (d+1)/2, so n is positive here. For negative n the sign turns, which is
//! run as the wrong twin: Eq. 31 needs the fact there, and pays for it.

use workbench_display::{Figure, Panel};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{cap_bound, cap_bound_printed, cap_chain, cap_probability};

use super::exponents::ONE;
use super::profiles::QUADRATURE;
use crate::vocabulary::EXACT;

/// Below this a probability leaves the range of doubles.
const SMALLEST: f64 = 1e-290;

/// The chain on a grid, its end for every dimension.
pub const CAP_BOUND: Check = Check {
    claim: "heavy-tailed/lemma-2-cap-bound",
    metric: "exact probability over a bound, largest over eta; relative difference where an equality is printed",
    against: "a ratio above one; an equality whose sides differ",
    choices: &["the end for every d = 2 to 2000 and 199 values of eta; the links for six d and ten values of eta"],
    departures: &[
        "the density of the display before is mended: a member in d is read as one for d + 2 dimensions",
        "first inequality: from the last member of the display before, whose Gamma functions do not cancel",
    ],
    run: cap_bound_and_its_chain,
    ..Check::DEFAULT
};

fn cap_bound_and_its_chain(s: &Sheet) -> Done {
    let etas: Vec<f64> = (1..200).map(|k| f64::from(k) / 200.0).collect();
    s.see("heavy-tailed/lemma-2-cap-formula");
    s.misprint(
        "Γ(d/2 + 1) stands above the bar, as in the display before; with the density of that display mended, the steps give the bound with d - 1 in the place of d; the printed end is true from d = 3 on and false for d = 1 and 2",
    );
    for d in [2usize, 3, 5, 10, 50, 200] {
        for &eta in s.each("pairs of d and η", etas.iter().step_by(20)) {
            let c = cap_chain(d, eta)?;
            let apart = |a: f64, b: f64| (a / b - 1.0).abs();
            let (equal, over) = (s.both_forms(QUADRATURE), s.both_forms(ONE));
            let mended = cap_probability(d + 2, eta)?;
            let label = "first equality, density mended: smallest relative difference";
            s.printed(QUADRATURE).least().same(label, apart(c.cancelled, mended));
            let label = "first equality with Γ(d/2 + 1), density mended: largest relative difference";
            s.changed(QUADRATURE).same(label, apart(c.gammas, mended));
            over.at_most("first inequality: largest ratio", c.gammas / c.stretched);
            equal.same("second equality: largest relative difference", apart(c.stretched, c.closed));
            over.at_most("second inequality: largest ratio", c.closed / c.bound);
        }
    }
    let line = 1.0 / cap_bound_printed(1, 0.9)?;
    s.aside(ONE)
        .over(1, "pairs of d and η")
        .at_most("d = 1, the probability is one: over the printed end, η = 0.9", line);
    for d in 2..=s.knob("dimensions up to", 2000usize, 3..)? {
        let k = d as f64 - 1.0;
        for &eta in s.each("pairs of d and η", &etas) {
            let exact = cap_probability(d, eta)?;
            if exact < SMALLEST {
                break;
            }
            let printed = exact / cap_bound_printed(d, eta)?;
            match d {
                2 => s.aside(ONE).at_most("d = 2: probability over the printed end, largest", printed),
                _ => s.both_forms(ONE).at_most("d ≥ 3: probability over the printed end, largest", printed),
            }
            let bound = cap_bound(d, eta)?;
            s.changed(ONE).at_most("d − 1 in the place of d: probability over the bound, d ≥ 2", exact / bound);
            let closed = (2.0 / std::f64::consts::PI / k).sqrt() / eta * (-0.5 * eta * eta * k).exp();
            s.changed(ONE).at_most("its last step, 1 − η² ≤ e^(−η²): largest ratio", bound / closed);
            let steep = exact / (bound * (1.0 - eta * eta).sqrt());
            s.twin(ONE).largest().at_most("exponent d/2 in the place of (d − 1)/2: largest ratio", steep);
        }
    }
    s.figure(figure(&etas)?);
    Ok(())
}

fn figure(etas: &[f64]) -> Result<Figure, Failure> {
    let mut panel = Panel::new("exact probability over the printed bound")
        .x_label("η")
        .y_label("ratio")
        .y_limits(0.0, 1.15)
        .hline("bound", 1.0);
    for d in [2usize, 3, 5, 10, 50] {
        let ratio = |eta: &f64| Ok(cap_probability(d, *eta)? / cap_bound_printed(d, *eta)?);
        let ratios = etas.iter().map(ratio).collect::<Result<Vec<f64>, Failure>>()?;
        panel = panel.line(&format!("d = {d}"), etas, &ratios);
    }
    Ok(Figure::new("The printed bound holds from three dimensions on")
        .panel(panel)
        .caption("Above the dashed line the printed bound is smaller than the probability."))
}

/// The two facts.
pub const ELEMENTARY: Check = Check {
    claim: "heavy-tailed/lemma-2-elementary",
    metric: "dimensions in which a fraction differs, in integers; largest logarithm of (1+x)^n over e^(nx)",
    against: "a fraction that differs; a logarithm above zero",
    protocol: &["x in (-1, 1), n = (d+1)/2 as the proof uses it"],
    choices: &["d = 1 to 10^4; 399 values of x, n = 0 to 500.5"],
    run: elementary,
    ..Check::DEFAULT
};

fn elementary(s: &Sheet) -> Done {
    let x: Vec<f64> = (1..400).map(|i| -1.0 + f64::from(i) / 200.0).collect();
    let log = |n: f64, x: f64| n * (x.ln_1p() - x) + 0.0; // no negative zero
    for &x in &x {
        for n in s.each("pairs of x and n", [0.0, 0.5, 1.0, 1.5, 2.0, 5.5, 25.5, 500.5]) {
            s.printed(Margin::ZERO).at_most("n ≥ 0: largest ln[(1+x)^n / e^(nx)]", log(n, x));
        }
        for n in s.each("pairs of x and n", [-0.5, -1.0, -5.0, -25.0]) {
            let label = "n = −d/2, as Eq. 31 needs it: largest ln[(1+x)^n / e^(nx)]";
            s.twin(Margin::ZERO).largest().at_most(label, log(n, x));
        }
    }
    for &x in s.each("pairs of x and n", &x) {
        s.printed(Margin::ZERO).at_most("n = 1: largest ln(1+x) − x", log(1.0, x));
    }
    let differ = |(a, b): (usize, usize), (c, e): (usize, usize)| a * e != c * b;
    for d in 1..=s.knob("dimensions up to", 10_000usize, 1..=1_000_000)? {
        let left = (d + 2, (d + 1) * (d + 1));
        let (printed, twin) = (s.printed(EXACT).of("cases"), s.twin(EXACT).of("cases"));
        // (1 + 1/(d+1)) / (1 + 1/d) / d = (d + 2)/(d + 1) d/(d + 1) / d.
        let third = ((d + 2) * d, (d + 1) * (d + 1) * d);
        printed.never("(d+2)/(d+1)² against the third member: cases that break it", differ(left, third));
        // No more than another way to write d + 2.
        let (known, second) = (s.support(EXACT).of("cases"), (d + 1 + 1, (d + 1) * (d + 1)));
        known.never("(d+2)/(d+1)² against the second member: cases that break it", differ(left, second));
        printed.never("(d+2)/(d+1)² ≤ 1/d: cases that break it", left.0 * d > left.1);
        // (1 + 1/d) / (1 + 1/(d+1)) / d.
        let exchanged = ((d + 1) * (d + 1), d * d * (d + 2));
        twin.never("d and d + 1 exchanged in the third member: cases that break it", differ(left, exchanged));
    }
    Ok(())
}
