//! B.2, finite data: the Chernoff step and the data term.
//!
//! **Claims.** (`heavy-tailed/b2-chernoff`) With q^ = p^^rho and q = p^rho, P(q^ < q/2^(1/rho)) = P(p^ < p/2) <= exp(-T p/8).
//! (`heavy-tailed/b2-data-term`) The error is sum p exp(-T p/8) + sum p P(wrong | q^ > q/2^(1/rho)), and the first sum has the order
//! T^(-1+1/alpha).
//!
//! Against the first speaks a value of p^ on which the two events differ, and a binomial probability above the bound. Against the
//! second a side that differs, over all data sets of small problems, and a first sum of another order.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{
    DataSets, Scheme, Zipf, chance_error, damped_mass, data_exponent, half_factor, half_factor_printed,
    ln_binomial_below, unseen_mass_constant,
};

use super::sections_b_2_to_b_4::{CLASSES, Cases, LIMIT, ONE, draws, target};
use crate::vocabulary::{ROUNDING, largest_of, least_of};

const ATTAINED: Margin =
    Margin::new("attained", 0.03, "a tenth of the ratio; were every guess wrong, it would be larger by a quarter");

/// The events and the inequality.
#[derive(Clone, Debug)]
pub struct Chernoff {
    /// Sample sizes T of the inequality.
    pub sizes: Vec<usize>,
    /// Exponents of the scheme.
    pub rhos: Vec<f64>,
}

impl Default for Chernoff {
    fn default() -> Chernoff {
        Chernoff { sizes: vec![10, 100, 1000, 10_000], rhos: vec![0.25, 0.5, 1.0, 2.0] }
    }
}

/// `ln P(p^ < factor p)`.
fn ln_below(size: usize, p: f64, factor: f64) -> Result<f64, Failure> {
    Ok(ln_binomial_below(size, p, (factor * size as f64 * p).ceil() as usize)?)
}

impl Chernoff {
    /// `ln P(p^ < p/2) + T p / c`, over a grid of T and p.
    fn excess(&self, c: f64) -> Result<Vec<f64>, Failure> {
        let grid = |size: usize| (0..=80).map(move |i| (size, 10f64.powf(-4.0 + 0.05 * f64::from(i)).min(1.0)));
        let one = |(size, p): (usize, f64)| Ok(ln_below(size, p, 0.5)? + size as f64 * p / c);
        self.sizes.iter().flat_map(|size| grid(*size)).map(one).collect()
    }

    /// Values of p^ on which `p^^rho < factor p^rho` is not `p^ < p/2`. With T = 41 none falls on a boundary.
    fn events(&self, factor: fn(f64) -> f64) -> Cases {
        let mut cases = Cases::default();
        for &rho in &self.rhos {
            for p in [0.1f64, 0.3, 0.7] {
                for seen in (0..=41).map(|k| f64::from(k) / 41.0) {
                    cases.see((seen.powf(rho) < p.powf(rho) * factor(rho)) != (seen < 0.5 * p));
                }
            }
        }
        cases
    }
}

fn chernoff_figure() -> Result<Figure, Failure> {
    let (tp, ten) = ((1..=60).map(|i| 10.0 * f64::from(i)).collect::<Vec<f64>>(), std::f64::consts::LN_10);
    let exact = tp.iter().map(|tp| Ok(ln_below(10_000, tp / 1e4, 0.5)? / ten));
    let exact = exact.collect::<Result<Vec<f64>, Failure>>()?;
    let bound: Vec<f64> = tp.iter().map(|x| -x / 8.0 / ten).collect();
    let panel = Panel::new("T = 10^{4}")
        .x_label("T p")
        .y_label("log₁₀ of the probability")
        .line("P(p̂ < p/2), exact", &tp, &exact)
        .theory("exp(−Tp/8)", &tp, &bound);
    Ok(Figure::new("The exact probability stays below Chernoff's bound")
        .panel(panel)
        .caption("For small p the exact logarithm has the slope −(1 − ln 2)/2 ≈ −0.153, the bound −1/8."))
}

impl TypedCheck for Chernoff {
    const CLAIM: &'static str = "heavy-tailed/b2-chernoff";
    const PLAN: Plan = Plan::new(
        "values of p̂ on which two events differ; logarithm of an exact probability over the bound",
        "a value on which the events differ; a probability above the bound",
        &[ONE],
    )
    .protocol(&["exact binomial probabilities, T up to 10^4, p from 10^-4 to 1"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let (printed, mended) = (self.events(half_factor_printed), self.events(half_factor));
        let excess = self.excess(8.0)?;
        let (size, p) = (1000usize, 0.01); // rho = 2: the printed event is p^ < p/2^(1/4)
        let end_to_end = (ln_below(size, p, 0.5f64.powf(0.25))? + size as f64 * p / 8.0).exp();
        let evidence =
            Evidence::of(printed.none("factor 2^(1/ρ): values of p̂ on which the two events differ", "values"))
                .and(Finding::at_most(
                    "P(q̂ < q/2^(1/ρ)) over exp(−Tp/8) at ρ = 2, T = 1000, p = 0.01",
                    ONE,
                    Estimate::exact(end_to_end),
                ))
                .and(
                    Finding::at_most("largest ln P(p̂ < p/2) + Tp/8", 0.0, Estimate::exact(largest_of(&excess)))
                        .cases(excess.len())
                        .unit("pairs of T and p"),
                )
                .misprint(
                    "the factor is 2^ρ",
                    vec![mended.none("factor 2^ρ: values of p̂ on which the events differ", "values")],
                )
                .twin(Finding::at_most("largest ln P + Tp/6", 0.0, Estimate::exact(largest_of(&self.excess(6.0)?))));
        Ok(Checked::from(evidence).figure(chernoff_figure()?))
    }
}

/// Both sides of the display, and the order of its first sum.
#[derive(Clone, Debug)]
pub struct DataTerm {
    /// `(alpha, N, T, d)` of problems whose data sets are listed.
    pub problems: Vec<(f64, usize, usize, usize)>,
    /// Exponents of laws with infinitely many inputs.
    pub alphas: Vec<f64>,
}

impl Default for DataTerm {
    fn default() -> DataTerm {
        DataTerm {
            problems: vec![(1.0, 2, 6, 8), (1.5, 3, 8, 8), (2.0, 3, 12, 30), (1.2, 4, 10, 30), (1.2, 4, 10, 1000)],
            alphas: vec![1.5, 2.0, 3.0],
        }
    }
}

impl DataTerm {
    /// Left over right side of the display.
    fn sides(&self) -> Result<Vec<f64>, Failure> {
        let mut found = Vec::new();
        for &(alpha, n, size, d) in &self.problems {
            for rho in [0.5, 1.0] {
                let p = Zipf::new(alpha, n)?.probabilities(n);
                let sets = DataSets::two_classes(&p, size, &Scheme::power(rho)?, d)?;
                let mut right = 0.0;
                for (x, p) in p.iter().enumerate() {
                    let split = sets.split(x + 1, &|s| 2.0 * s.counts[x] as f64 > size as f64 * p)?;
                    right += p * ((-(size as f64) * p / 8.0).exp() + split.error_inside);
                }
                found.push(sets.error() / right);
            }
        }
        Ok(found)
    }
}

/// `sum p exp(-T p/c)` over `(T/8)^(-1 + 1/alpha)` times the constant of Lemma 1.
fn over_limit(alpha: f64, t: f64, c: f64) -> Result<f64, Failure> {
    let law = Zipf::infinite(alpha)?;
    let limit = unseen_mass_constant(&law)? * (t / 8.0).powf(-data_exponent(alpha)?);
    Ok(damped_mass(&law, t / c)? / limit)
}

fn term_figure(alphas: &[f64]) -> Result<Figure, Failure> {
    let t: Vec<f64> = (1..=10).map(|k| 10f64.powi(k)).collect();
    let mut panel = Panel::new("N = ∞")
        .x_label("T")
        .y_label("Σ p exp(−Tp/8) over its limit")
        .log_x()
        .y_limits(0.8, 1.6)
        .hline("1", 1.0);
    for alpha in alphas {
        let list = t.iter().map(|t| over_limit(*alpha, *t, 8.0)).collect::<Result<Vec<f64>, _>>()?;
        panel = panel.line(&format!("α = {alpha}"), &t, &list);
    }
    Ok(Figure::new("The data term reaches the limit that Lemma 1 gives").panel(panel).caption(
        "Exact sums over all ranks, divided by the limit that Lemma 1 gives: order T^{−1+1/α}, with its constant.",
    ))
}

impl TypedCheck for DataTerm {
    const CLAIM: &'static str = "heavy-tailed/b2-data-term";
    const PLAN: Plan = Plan::new(
        "left over right side, all data sets; first sum over its limit; error over the first sum",
        "two sides that differ; a first sum, or an error, of another order in T",
        &[ROUNDING, LIMIT, ATTAINED],
    )
    .protocol(&["Zipf laws with N = ∞ for the order; d = 2^60, ρ = 1 for the error"])
    .departures(&["two classes, tiny N and T where both sides have to be exact"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let sides = self.sides()?;
        let (law, sizes, far) = (Zipf::infinite(2.0)?, [256usize, 65_536], 1e10);
        let data = &mut setting.stream("data term")?;
        let curve = draws(setting)?.sample_curve(&law, &target()?, &Scheme::power(1.0)?, 1 << 60, &sizes, data)?;
        let late = curve.at(1)?.affine(1.0 / damped_mass(&law, 65_536.0 / 8.0)?, 0.0)?;
        let mut above = Cases::default();
        sides.iter().for_each(|side| above.see(*side > 1.0));
        let mut mended = vec![
            above.none("≤: small problems that break it", "problems"),
            // Unseen inputs are guessed; Lemma 1 has exp(-T p) where the first sum has exp(-T p/8).
            Finding::equals(
                "error over the first sum, T = 65536: guessing among the unseen",
                chance_error(CLASSES) / 8f64.sqrt(),
                ATTAINED,
                late,
            ),
        ];
        for alpha in &self.alphas {
            let label = format!("first sum over its limit, α = {alpha}, T = 10^10");
            mended.push(Finding::equals(label, 1.0, LIMIT, Estimate::exact(over_limit(*alpha, far, 8.0)?)));
        }
        let worst = 1.0 - least_of(&sides);
        let evidence = Evidence::of(
            Finding::identity("one minus left over right side, worst small problem", worst, ROUNDING)
                .cases(above.count())
                .unit("problems"),
        )
        .misprint("≤ in place of the first =; the order of the first sum is as stated", mended)
        .twin(Finding::equals(
            "exp(−Tp) in the first sum, α = 2",
            1.0,
            LIMIT,
            Estimate::exact(over_limit(2.0, far, 1.0)?),
        ));
        Ok(Checked::from(evidence).figure(term_figure(&self.alphas)?))
    }
}
