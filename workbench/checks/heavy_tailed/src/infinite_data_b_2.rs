//! B.2, infinite data: the forgotten set in ranks, and the norm of q.
//!
//! **Claims.** (`heavy-tailed/b2-set-probability`) p{d q(x)^2 <= p_* ||q||^2} is p{x <= (d/||q||^2)^(1/2 rho alpha)} up to constants, and
//! that is (d/||q||^2)^(-(alpha-1)/2 rho alpha). (`heavy-tailed/b2-phi`) phi(N) = ||q||^2 is the integral of x^(-2 rho alpha) from 1 to N,
//! which for 2 rho alpha > 1 reads 1 - N^(1 - 2 rho alpha) and is bounded by one.
//!
//! All members are exact sums. Against the first speaks a member with another exponent in d; weights fall with the rank, so few are kept
//! out by a small d, not many. Against the second speaks an integral, by quadrature, that is not the expression.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, integrate};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{
    Zipf, critical_rank, forgotten_set, load_integral, load_integral_printed, memory_load, power_sum, tail_constant,
    untruncated_exponent,
};

use super::sections_b_2_to_b_4::{Cases, EXACT_EXPONENT, FLAT, LIMIT, ONE, last_exponent, p_star, spread};
use crate::vocabulary::{largest_of, least_of};

const QUADRATURE: Margin = Margin::new("quadrature", 1e-9, "the quadrature is asked for ten digits; nine are compared");

/// The three members of the display along d.
#[derive(Clone, Debug)]
pub struct SetInRanks {
    /// `(alpha, rho)`, with infinitely many inputs.
    pub laws: Vec<(f64, f64)>,
    /// Decades of the critical rank.
    pub decades: u32,
}

impl Default for SetInRanks {
    fn default() -> SetInRanks {
        SetInRanks { laws: vec![(2.0, 1.0), (1.5, 1.0), (3.0, 0.5), (2.0, 0.5)], decades: 12 }
    }
}

struct Members {
    name: String,
    exponent: f64,
    d: Vec<f64>,
    set: Vec<f64>,
    printed: Vec<f64>,
    reversed: Vec<f64>,
    third: Vec<f64>,
    /// First and second (>=) over the third at the largest d, over the constants that a Zipf law gives.
    constants: [f64; 2],
}

impl SetInRanks {
    fn members(&self, alpha: f64, rho: f64) -> Result<Members, Failure> {
        let (law, s) = (Zipf::infinite(alpha)?, 2.0 * rho * alpha);
        let (share, load, exponent) = (p_star(&law)?, power_sum(s, 0.0, 1, None)?, untruncated_exponent(alpha, rho)?);
        let half_decades = 2..=2 * self.decades;
        let d: Vec<f64> = half_decades.map(|k| load * 10f64.powf(0.5 * f64::from(k) * s)).collect();
        let rank = |d: &f64| critical_rank(alpha, rho, load, *d).round() as usize;
        let set = d.iter().map(|d| Ok(forgotten_set(&law, rho, None, *d, share)?.mass()));
        let set = set.collect::<Result<Vec<f64>, Failure>>()?;
        let printed: Vec<f64> = d.iter().map(|d| 1.0 - law.tail(rank(d))).collect();
        let reversed: Vec<f64> = d.iter().map(|d| law.tail(rank(d) - 1)).collect();
        let third: Vec<f64> = d.iter().map(|d| (d / load).powf(-exponent)).collect();
        let (last, tail) = (d.len() - 1, tail_constant(&law)?);
        let constants = [set[last] / third[last] / (tail * share.powf(exponent)), reversed[last] / third[last] / tail];
        let name = format!("α = {alpha}, ρ = {rho}");
        Ok(Members { name, exponent, d, set, printed, reversed, third, constants })
    }

    /// Exponent of the set with q in place of q^2, at the first law; in the nearer half, as its ranks are the squares.
    fn not_squared(&self, members: &Members) -> Result<f64, Failure> {
        let (alpha, rho) = self.laws[0];
        let law = Zipf::infinite(alpha)?;
        let share = p_star(&law)?;
        let near = &members.d[..members.d.len() / 2];
        let set = near.iter().map(|d| Ok(forgotten_set(&law, 0.5 * rho, None, *d, share)?.mass()));
        Ok(last_exponent(near, &set.collect::<Result<Vec<f64>, Failure>>()?))
    }
}

fn set_figure(m: &Members) -> Figure {
    let panel = Panel::new(&format!("{}, N = ∞", m.name))
        .x_label("d")
        .y_label("probability")
        .log_x()
        .log_y()
        .y_limits(1e-14, 2.0)
        .line("p{d q² ≤ p_*‖q‖²}", &m.d, &m.set)
        .line("p{x ≤ …} as printed", &m.d, &m.printed)
        .line("p{x ≥ …}", &m.d, &m.reversed)
        .theory("third member", &m.d, &m.third);
    Figure::new("Large ranks fall as the set does, small ranks do not").panel(panel).caption(
        "The set of large ranks runs parallel to the first and third member; the set of small ranks tends to one.",
    )
}

impl TypedCheck for SetInRanks {
    const CLAIM: &'static str = "heavy-tailed/b2-set-probability";
    const PLAN: Plan = Plan::new(
        "exponent in d between the last two points; ratio of two members at the largest d",
        "a member with another exponent than −(α − 1)/2ρα",
        &[EXACT_EXPONENT, LIMIT],
    )
    .protocol(&["Zipf laws with N = ∞, q = p^ρ; d so large that the critical rank runs from 10 to 10^12"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let members: Vec<Members> = self.laws.iter().map(|l| self.members(l.0, l.1)).collect::<Result<_, _>>()?;
        let exponent = |label: String, m: &Members, values: &[f64]| {
            let measured = Estimate::exact(last_exponent(&m.d, values));
            Finding::equals(label, -m.exponent, EXACT_EXPONENT, measured)
        };
        let mut mended = Vec::new();
        for m in &members {
            mended.push(exponent(format!("exponent of the first member, {}", m.name), m, &m.set));
            mended.push(exponent(format!("exponent of the second member with ≥, {}", m.name), m, &m.reversed));
        }
        for (k, label) in ["first over third member", "second (≥) over third member"].into_iter().enumerate() {
            let gaps: Vec<f64> = members.iter().map(|m| (m.constants[k] - 1.0).abs()).collect();
            let label = format!("{label} over its constant, largest d: distance from one, worst case");
            mended.push(Finding::identity(label, largest_of(&gaps), LIMIT));
        }
        let first = &members[0];
        let label = format!("exponent of the second member as printed, {}", first.name);
        let evidence = Evidence::of(exponent(label, first, &first.printed))
            .misprint("the second set is {x ≥ (d/‖q‖²)^{1/2ρα}}", mended)
            .twin(Finding::equals(
                "the set with q in place of q²: its exponent",
                -first.exponent,
                EXACT_EXPONENT,
                Estimate::exact(self.not_squared(first)?),
            ));
        Ok(Checked::from(evidence).figure(set_figure(first)))
    }
}

/// Sum, integral and expression.
#[derive(Clone, Debug)]
pub struct NormOfQ {
    /// Exponents s = 2 rho alpha.
    pub exponents: Vec<f64>,
    /// N runs from 10 to ten to this.
    pub decades: i32,
}

impl Default for NormOfQ {
    fn default() -> NormOfQ {
        NormOfQ { exponents: vec![0.2, 0.5, 1.0, 1.5, 2.0, 4.0], decades: 6 }
    }
}

#[derive(Default)]
struct Norms {
    mended: Vec<f64>,
    printed: Vec<f64>,
    /// Exponent s in place of s - 1 below the bar.
    over_s: Vec<f64>,
    above_one: Vec<f64>,
    sandwich: Cases,
    /// Spread over N of sum / phi, and of sum / N^(1 - s/2).
    regimes: Vec<f64>,
    other_power: Vec<f64>,
}

impl NormOfQ {
    fn norms(&self) -> Result<Norms, Failure> {
        let mut found = Norms::default();
        for &s in &self.exponents {
            let (mut over_phi, mut over_other) = (Vec::new(), Vec::new());
            for n in (1..=self.decades).map(|k| 10f64.powi(k)) {
                let area = integrate(&|t: f64| ((1.0 - s) * t).exp(), 0.0, n.ln(), 1e-10)?.value; // x = e^t
                let sum = power_sum(s, 0.0, 1, Some(n as usize))?;
                found.mended.push((load_integral(s, n)? / area - 1.0).abs());
                if s > 1.0 {
                    let printed = load_integral_printed(s, n);
                    found.printed.push((printed / area - 1.0).abs());
                    found.over_s.push((printed / s / area - 1.0).abs());
                    found.above_one.push(area);
                }
                let slack = 1e-12;
                found.sandwich.see(sum < area * (1.0 - slack) || sum > area + 1.0 + slack);
                over_phi.push(sum / memory_load(s, 0.5, n)); // 2 rho alpha = s at rho = 1/2
                over_other.push(sum / n.powf(1.0 - 0.5 * s));
            }
            found.regimes.push(spread(&over_phi));
            if s < 1.0 {
                found.other_power.push(spread(&over_other));
            }
        }
        Ok(found)
    }
}

fn norm_figure() -> Result<Figure, Failure> {
    let s: Vec<f64> = (0..=60).map(|i| 1.1 + 0.05 * f64::from(i)).collect();
    let n = 1e6;
    let area = s.iter().map(|s| load_integral(*s, n)).collect::<Result<Vec<f64>, _>>()?;
    let sum = s.iter().map(|s| power_sum(*s, 0.0, 1, Some(n as usize))).collect::<Result<Vec<f64>, _>>()?;
    let printed: Vec<f64> = s.iter().map(|s| load_integral_printed(*s, n)).collect();
    let panel = Panel::new("N = 10^{6}")
        .x_label("s = 2ρα")
        .y_label("integral or sum of x⁻ˢ")
        .log_y()
        .line("integral", &s, &area)
        .line("sum, x = 1 … N", &s, &sum)
        .theory("1 − N^{1−s}, printed", &s, &printed);
    Ok(Figure::new("The printed norm is right at s = 2 only").panel(panel).caption(
        "The printed expression meets the integral at s = 2. The sum lies between the integral and the integral plus one.",
    ))
}

impl TypedCheck for NormOfQ {
    const CLAIM: &'static str = "heavy-tailed/b2-phi";
    const PLAN: Plan = Plan::new(
        "relative difference of expression and quadrature; spread over N of the sum over φ(N)",
        "an integral that is not the expression, or is above one; a sum that leaves the regimes of Theorem 1",
        &[QUADRATURE, ONE, FLAT],
    )
    .protocol(&["s = 2ρα from 0.2 to 4, N from 10 to 10^6"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let found = self.norms()?;
        let evidence = Evidence::of(Finding::identity(
            "relative error of 1 − N^(1−s), worst s > 1",
            largest_of(&found.printed),
            QUADRATURE,
        ))
        .and(Finding::at_most("largest integral with s > 1", ONE, Estimate::exact(largest_of(&found.above_one))))
        .misprint(
            "the integral is (1 − N^(1−s))/(s − 1), bounded by 1/(s − 1); the regimes 1, ln N, N^(1−s) of Theorem 1 are right up to constants",
            vec![
                Finding::identity(
                    "relative error of (1 − N^(1−s))/(s − 1), and its forms for s ≤ 1",
                    largest_of(&found.mended),
                    QUADRATURE,
                ),
                found.sandwich.none("integral ≤ sum ≤ integral + 1: cases that break it", "cases"),
                Finding::at_most(
                    "sum over φ(N) of Theorem 1: largest over smallest, worst s",
                    FLAT,
                    Estimate::exact(largest_of(&found.regimes)),
                ),
            ],
        )
        .twin(Finding::identity("(1 − N^(1−s))/s: its best relative error", least_of(&found.over_s), QUADRATURE))
        .twin(Finding::at_most(
            "N^(1−s/2), q in place of q²: largest over smallest, best s",
            FLAT,
            Estimate::exact(least_of(&found.other_power)),
        ));
        Ok(Checked::from(evidence).figure(norm_figure()?))
    }
}
