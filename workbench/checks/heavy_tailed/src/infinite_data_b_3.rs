//! B.3, infinite data: the threshold that balances two terms, and the rate at the stated one.
//!
//! **Claims.** (`heavy-tailed/b3-threshold`) With q = p^rho on the top P the forgotten set splits into a stored part, of order
//! (d/phi(P))^(-(alpha-1)/2 rho alpha), and the tail, of order P^(1-alpha); equating the two gives ln d - ln P = 2 rho alpha ln P, so
//! P = d^(1/(2 rho alpha + 1)). (`heavy-tailed/b3-rate`) With that P the error is p{d q^2 <= p_* ||q||^2}, of order P^(1-alpha) =
//! d^(-(alpha-1)/(2 rho alpha + 1)), up to logarithms.
//!
//! Against the first speaks a balance, solved with exact sums, at another power of d. Against the second an error, or a set, of
//! another order, at rho = 0 too, where the stated threshold is d itself (Table 1 prints it so, and Eq. 42 is asked the same question).

use workbench_display::{Figure, Panel};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{
    ErrorCurve, Load, Scheme, Zipf, balanced_threshold, best_threshold_exponent, chance_error, forgotten_set,
    power_sum, powers_of_two, stated_threshold_exponent, truncated_exponent, untruncated_exponent,
};

use super::sections_b_2_to_b_4::{
    CLASSES, EXACT_EXPONENT, EXPONENT_IN_D, draws, far, last_exponent, over_log, p_star, ratios, target,
    theorem_3_curve, truncated,
};
use crate::vocabulary::{ROUNDING, largest_of, least_of};

const LOGARITHM: Margin =
    Margin::new("logarithm at s = 1", 0.05, "at s = 1 the load is a logarithm; 1/ln P is 0.03 at the largest d");
const ABOVE: Margin = Margin::new("ten times", 10.0, "constants that the document hides, within a factor of ten");
const BELOW: Margin = Margin::new("a tenth", 0.1, "constants that the document hides, within a factor of ten");
const GUESSED: Margin = Margin::new(
    "guessed",
    0.02,
    "an error that is all guessing differs from this by rounding P up and by few stored inputs",
);

/// The balance, solved exactly and as printed, at alpha = 2 and at one place at 1.5.
#[derive(Clone, Debug)]
pub struct Balance {
    /// Exponents s = 2 rho alpha.
    pub exponents: Vec<f64>,
    /// d runs from 10^6 to ten to this.
    pub decades: i32,
}

impl Default for Balance {
    fn default() -> Balance {
        Balance { exponents: vec![0.0, 0.5, 1.0, 2.0, 4.0], decades: 16 }
    }
}

/// Thresholds along d with the exact load, with P in its place, and with q in place of q^2.
struct Thresholds {
    s: f64,
    exact: Vec<f64>,
    printed: Vec<f64>,
    not_squared: Vec<f64>,
}

/// The set with a threshold, against its inputs one by one: largest difference, cases.
fn set_identity() -> Result<(f64, usize), Failure> {
    let (law, ranks) = (Zipf::new(1.7, 300)?, 300usize);
    let (mut gaps, share) = (Vec::new(), 0.4);
    for rho in [0.0, 0.2, 0.5, 1.0] {
        for top in [1usize, 7, 40, 299] {
            let q = Scheme::power(rho)?.top(top)?.population_weights(&law, 1)?;
            let norm: f64 = q.iter().map(|q| q * q).sum();
            for d in [3.0, 30.0, 1e3, 1e5] {
                let forgotten = (1..=ranks).filter(|x| d * q[*x - 1].powi(2) <= share * norm);
                let whole: f64 = forgotten.map(|x| law.probability(x)).sum();
                gaps.push((forgotten_set(&law, rho, Some(top), d, share)?.mass() - whole).abs());
            }
        }
    }
    Ok((largest_of(&gaps), gaps.len()))
}

/// The exact set over the sum of the two terms, where `d >= phi(P)`.
fn over_two_terms() -> Result<Vec<f64>, Failure> {
    let mut found = Vec::new();
    for (alpha, rho) in [(2.0, 1.0), (2.0, 0.5), (2.0, 0.125), (1.5, 0.5)] {
        let (law, s) = (Zipf::infinite(alpha)?, 2.0 * rho * alpha);
        for p in powers_of_two(1, 20, 2)? {
            let load = power_sum(s, 0.0, 1, Some(p))?;
            for d in (1..=30).map(|k| 10f64.powf(0.5 * f64::from(k))).filter(|d| *d >= load) {
                let two = (d / load).powf(-untruncated_exponent(alpha, rho)?) + (p as f64).powf(1.0 - alpha);
                found.push(forgotten_set(&law, rho, Some(p), d, 0.5)?.mass() / two);
            }
        }
    }
    Ok(found)
}

impl Balance {
    fn dims(&self) -> Vec<f64> {
        (6..=self.decades).map(|k| 10f64.powi(k)).collect()
    }

    fn thresholds(&self, alpha: f64, s: f64) -> Result<Thresholds, Failure> {
        let dims = self.dims();
        let solve = |rho: f64, load: Load| {
            let one = |d: &f64| balanced_threshold(alpha, rho, *d, load);
            dims.iter().map(one).collect::<Result<Vec<f64>, _>>()
        };
        Ok(Thresholds {
            s,
            exact: solve(s / (2.0 * alpha), Load::Sum)?,
            printed: solve(s / (2.0 * alpha), Load::Count)?,
            not_squared: solve(s / (4.0 * alpha), Load::Sum)?,
        })
    }

    fn figure(&self, list: &[Thresholds]) -> Figure {
        let dims = self.dims();
        let mut panel = Panel::new("α = 2").x_label("d").y_label("threshold P").log_x().log_y();
        let shown = list.iter().filter(|one| [0.5, 2.0, 4.0].contains(&one.s));
        for (k, one) in shown.enumerate() {
            panel = panel
                .line(&format!("exact balance, s = {}", one.s), &dims, &one.exact)
                .colour(k)
                .theory(&format!("d^{{1/(s+1)}}, s = {}", one.s), &dims, &one.printed)
                .colour(k);
        }
        Figure::new("The two terms balance at a larger threshold than printed").panel(panel.legend_below()).caption(
            "Solid: the balance solved with φ(P) = Σ x⁻ˢ. Dashed: the printed solution, which is that of φ(P) = P.",
        )
    }
}

impl TypedCheck for Balance {
    const CLAIM: &'static str = "heavy-tailed/b3-threshold";
    const PLAN: Plan = Plan::new(
        "exponent in d of the P at which both terms are equal, between the last two points",
        "a balance at another power of d than 1/(2ρα + 1)",
        &[EXACT_EXPONENT, LOGARITHM, ROUNDING, ABOVE, BELOW],
    )
    .protocol(&["α = 2, s = 2ρα from 0 to 4, and α = 1.5 at s = 2; d = 10^6 to 10^16, φ(P) as the exact sum"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let (dims, (gap, sets), terms) = (self.dims(), set_identity()?, over_two_terms()?);
        let list = self.exponents.iter().map(|s| self.thresholds(2.0, *s)).collect::<Result<Vec<_>, _>>()?;
        let exponent = |values: &[f64]| Estimate::exact(last_exponent(&dims, values));
        let (mut printed, mut mended) = (Vec::new(), Vec::new());
        for one in &list {
            let (s, rho) = (one.s, one.s / 4.0);
            let margin = if s == 1.0 { LOGARITHM } else { EXACT_EXPONENT };
            let (stated, best) = (stated_threshold_exponent(2.0, rho)?, best_threshold_exponent(2.0, rho)?);
            let label = format!("printed exponent 1/(s+1) of the balance, s = {s}");
            printed.push(Finding::equals(label, stated, margin, exponent(&one.exact)));
            let label = format!("exponent 1/max(1, s) of the balance, s = {s}");
            mended.push(Finding::equals(label, best, margin, exponent(&one.exact)));
            let label = format!("exponent with φ(P) = P, s = {s}");
            mended.push(Finding::equals(label, stated, EXACT_EXPONENT, exponent(&one.printed)));
        }
        // At alpha = 1.5 the exponent 2 rho alpha is told from 4 rho and from rho alpha^2, which are the same at alpha = 2.
        let (flatter, rho) = (self.thresholds(1.5, 2.0)?, 2.0 / 3.0);
        mended.push(Finding::equals(
            "α = 1.5, ρ = 2/3: exponent 1/max(1, 2ρα) of the balance",
            best_threshold_exponent(1.5, rho)?,
            EXACT_EXPONENT,
            exponent(&flatter.exact),
        ));
        let headline = printed.pop().ok_or("no exponent to look at")?;
        let evidence = printed.into_iter().fold(Evidence::of(headline), Evidence::and);
        let last = list.last().ok_or("no exponent to look at")?;
        let evidence = evidence
            .and(Finding::equals(
                "α = 1.5, ρ = 2/3: printed exponent 1/(2ρα + 1) of the balance",
                stated_threshold_exponent(1.5, rho)?,
                EXACT_EXPONENT,
                exponent(&flatter.exact),
            ))
            .and(Finding::identity("set identity, worst case", gap, ROUNDING).cases(sets).unit("sets"))
            .and(
                Finding::at_least("exact set over the two terms, smallest", BELOW, Estimate::exact(least_of(&terms)))
                    .cases(terms.len())
                    .unit("pairs of P and d"),
            )
            .and(
                Finding::at_most("exact set over the two terms, largest", ABOVE, Estimate::exact(largest_of(&terms)))
                    .cases(terms.len())
                    .unit("pairs of P and d"),
            )
            .condition(
                "for ρ = 0, where φ(P) = P; for ρ > 0 the balance is at P = d^{1/max(1, 2ρα)}, a larger threshold",
                mended,
            )
            .twin(Finding::equals(
                "q in place of q² in the balance: exponent 1/max(1, s), s = 4",
                best_threshold_exponent(2.0, last.s / 4.0)?,
                EXACT_EXPONENT,
                exponent(&last.not_squared),
            ))
            .note(format!(
                "s = {}, d = 10^{}: the balance is at P = {:.0}, the printed threshold is {:.0}",
                last.s,
                self.decades,
                largest_of(&last.exact),
                largest_of(&last.printed)
            ));
        Ok(Checked::from(evidence).figure(self.figure(&list)))
    }
}

/// Error and set at the stated threshold.
#[derive(Clone, Debug)]
pub struct StatedThreshold {
    /// `(alpha, rho)` with rho above zero, N = infinity.
    pub laws: Vec<(f64, f64)>,
}

impl Default for StatedThreshold {
    fn default() -> StatedThreshold {
        StatedThreshold { laws: vec![(2.0, 0.125), (2.0, 0.5), (2.0, 1.0), (1.5, 0.5)] }
    }
}

struct Rate {
    name: String,
    exponent: f64,
    set: Vec<f64>,
    error: ErrorCurve,
}

fn rate(setting: &Setting, alpha: f64, rho: f64) -> Result<Rate, Failure> {
    let (law, e, (dims, x)) = (Zipf::infinite(alpha)?, stated_threshold_exponent(alpha, rho)?, far()?);
    let share = p_star(&law)?;
    let set = x.iter().map(|d| Ok(forgotten_set(&law, rho, Some(d.powf(e).ceil() as usize), *d, share)?.mass()));
    Ok(Rate {
        name: format!("α = {alpha}, ρ = {rho}"),
        exponent: truncated_exponent(alpha, rho)?,
        set: set.collect::<Result<Vec<f64>, Failure>>()?,
        error: draws(setting)?.curve(&law, &target()?, &truncated(rho, e)?, &dims)?,
    })
}

fn rate_figure(x: &[f64], rates: &[Rate]) -> Figure {
    let mut panel =
        Panel::new("N = ∞, P = ⌈d^{1/(s+1)}⌉").x_label("d").y_label("probability").log_x().log_y().y_limits(1e-20, 1.0);
    for (k, one) in rates.iter().enumerate() {
        panel = panel
            .line(&format!("error, {}", one.name), x, &one.error.means())
            .colour(k)
            .points(&format!("set, {}", one.name), x, &one.set)
            .colour(k);
    }
    Figure::new("At the stated threshold error and set fall alike").panel(panel.legend_below()).caption(
        "Lines: exact expected error. Dots: exact set probability. For ρ = 0 the threshold here is d itself, without the logarithm of \
         Theorem 3: the set shrinks while the stored inputs keep failing.",
    )
}

impl TypedCheck for StatedThreshold {
    const CLAIM: &'static str = "heavy-tailed/b3-rate";
    const PLAN: Plan = Plan::new(
        "exponent in d of the set probability and of the expected error; error over set",
        "an error or a set of another order than d^(−(α−1)/(2ρα+1))",
        &[EXACT_EXPONENT, EXPONENT_IN_D, GUESSED],
    )
    .protocol(&["N = ∞, M = 5, P = ⌈d^{1/(2ρα+1)}⌉, d = 2^20 to 2^60; for ρ = 0 beside it Theorem 3's P = d/ln d"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let x = far()?.1;
        let mut boot = setting.stream("bootstrap, B.3")?;
        let mut rates = self.laws.iter().map(|l| rate(setting, l.0, l.1)).collect::<Result<Vec<_>, _>>()?;
        let mut findings = Vec::new();
        let mut over_set = Vec::new();
        for one in &rates {
            over_set.extend(ratios(&one.error.means(), &one.set));
            let set = Estimate::exact(last_exponent(&x, &one.set));
            let error = one.error.slope(&mut boot)?;
            findings.push(Finding::equals(
                format!("slope of the error, {}", one.name),
                -one.exponent,
                EXPONENT_IN_D,
                error,
            ));
            let label = format!("slope of the set probability, {}", one.name);
            findings.push(Finding::equals(label, -one.exponent, EXACT_EXPONENT, set));
        }
        let with_log = theorem_3_curve(setting)?.times(&over_log(&x))?.slope(&mut boot)?;
        rates.push(rate(setting, 2.0, 0.0)?);
        let without_log = rates[rates.len() - 1].error.slope(&mut boot)?;
        let guessed =
            |label: &str, value| Finding::equals(label, chance_error(CLASSES), GUESSED, Estimate::exact(value));
        let headline =
            Finding::equals("ρ = 0, P = d, no logarithm: slope of the error", -1.0, EXPONENT_IN_D, without_log);
        let with_log =
            Finding::equals("ρ = 0, P = d/ln d: slope of the error over ln d", -1.0, EXPONENT_IN_D, with_log);
        let mut mended = findings;
        mended.extend([
            guessed("ρ > 0: error over set probability, smallest: guessing beyond P", least_of(&over_set)),
            guessed("ρ > 0: error over set probability, largest: guessing beyond P", largest_of(&over_set)),
            with_log,
        ]);
        let evidence = Evidence::of(headline)
            .condition("for ρ > 0; at ρ = 0 the threshold needs the logarithm of Theorem 3, P = d/ln d", mended)
            .twin(Finding::equals(
                "no threshold, α = 2, ρ = 1: slope of the error",
                -truncated_exponent(2.0, 1.0)?,
                EXPONENT_IN_D,
                plain(setting)?.slope(&mut boot)?,
            ));
        Ok(Checked::from(evidence).figure(rate_figure(&x, &rates)))
    }
}

/// All inputs stored with `q = p`, alpha = 2.
fn plain(setting: &Setting) -> Result<ErrorCurve, Failure> {
    Ok(draws(setting)?.curve(&Zipf::infinite(2.0)?, &target()?, &Scheme::power(1.0)?, &far()?.0)?)
}
