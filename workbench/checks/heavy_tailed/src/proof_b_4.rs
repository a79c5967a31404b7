//! B.4: the proof of Theorem 3.
//!
//! **Claim** (`heavy-tailed/b4-minimax`). From Eq. 22 with Q_inf = p_* ||q||^2, and as q is invariant to rescaling, at most P memories with
//! 3(d+1) = p_* P fit, which leads to a scaling in the integral of p beyond P, C_alpha P^(1-alpha)/(alpha+1).
//!
//! An input escapes the set of Eq. 22 when q(x)^2 > p_* ||q||^2/3(d+1). If n escape, their squares alone sum to more than n p_* ||q||^2/3(d+1),
//! so n < 3(d+1)/p_*. Against the claim speaks another integral, by quadrature, and weights with which more inputs escape.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{Zipf, forgotten_set, minimax_exponent, rank_integral};

use super::sections_b_2_to_b_4::{
    Cases, EXACT_EXPONENT, FLAT, LIMIT, SUM_ROUNDING, far, last_exponent, over_log, p_star, ratios, spread,
    theorem_3_curve,
};
use crate::vocabulary::{largest_of, least_of};

const QUADRATURE: Margin = Margin::new("quadrature", 1e-9, "nine digits of an integral over infinitely many ranks");

/// The integral, and how many inputs escape.
#[derive(Clone, Debug)]
pub struct Minimax {
    /// Exponents of the law.
    pub alphas: Vec<f64>,
    /// Ranks P.
    pub ranks: Vec<f64>,
    /// Dimensions of the counting step.
    pub dims: Vec<usize>,
    /// Shares p_* of the counting step.
    pub shares: Vec<f64>,
}

impl Default for Minimax {
    fn default() -> Minimax {
        Minimax {
            alphas: vec![1.2, 1.5, 2.0, 3.0],
            ranks: vec![1.0, 10.0, 1e3, 1e6],
            dims: vec![1, 2, 5, 10],
            shares: vec![0.2, 0.35, 0.5, 1.0],
        }
    }
}

/// Relative differences of C P^(1-alpha)/(alpha + k) from the integral, for k = 1, -1, 0.
#[derive(Default)]
struct Integrals {
    plus: Vec<f64>,
    minus: Vec<f64>,
    neither: Vec<f64>,
}

impl Minimax {
    fn integrals(&self) -> Result<Integrals, Failure> {
        let mut found = Integrals::default();
        for &alpha in &self.alphas {
            let law = Zipf::infinite(alpha)?;
            for &p in &self.ranks {
                let area = rank_integral(&law, 0.0, p, f64::INFINITY)?;
                let off = |below: f64| (law.constant() * p.powf(1.0 - alpha) / below / area - 1.0).abs();
                found.plus.push(off(alpha + 1.0));
                found.minus.push(off(alpha - 1.0));
                found.neither.push(off(alpha));
            }
        }
        Ok(found)
    }

    /// Whether equal weights on the top n let just the n below `3(d+1)/p_*` escape, and below `3(d+1) p_*`.
    fn equal_weights(&self) -> Result<[Cases; 2], Failure> {
        let law = Zipf::new(1.5, 400)?;
        let mut found = [Cases::default(); 2];
        for &d in &self.dims {
            for &share in &self.shares {
                let room = 3.0 * (d as f64 + 1.0);
                let mut escape = 0usize;
                for n in 1..=300 {
                    if forgotten_set(&law, 0.0, Some(n), room, share)?.first.is_none() {
                        escape = n;
                    }
                }
                found[0].see(escape as f64 != (room / share).ceil() - 1.0);
                found[1].see(escape as f64 != (room * share).ceil() - 1.0);
            }
        }
        Ok(found)
    }
}

/// Random weights with 3(d+1)/p_* = 6: never six or more above a sixth of the sum of squares.
fn random_weights(setting: &Setting) -> Result<Cases, Failure> {
    let mut stream = setting.stream("random weights")?;
    let mut found = Cases::default();
    for _ in 0..5000 {
        let width = 4.0 * stream.uniform();
        let squares: Vec<f64> = (0..12).map(|_| (width * stream.normal()).exp()).collect();
        let level = squares.iter().sum::<f64>() / 6.0;
        found.see(squares.iter().filter(|q| **q > level).count() >= 6);
    }
    Ok(found)
}

/// Largest mass of fewer than six of eight inputs minus the mass of the five most frequent.
fn subsets() -> Result<f64, Failure> {
    let p = Zipf::new(1.5, 8)?.probabilities(8);
    let mass = |s: u32| (0..8).filter(|x| s >> x & 1 == 1).map(|x| p[x as usize]).sum::<f64>();
    let masses: Vec<f64> = (1u32..256).filter(|s| s.count_ones() < 6).map(mass).collect();
    Ok((largest_of(&masses) - p[..5].iter().sum::<f64>()).abs())
}

/// That the mass beyond 3(d+1)/p_*, over 20, goes with the exponent of Theorem 3.
fn lower_exponent(alpha: f64, x: &[f64]) -> Result<Finding, Failure> {
    Ok(Finding::equals(
        format!("exponent of the lower bound in d, α = {alpha}"),
        -minimax_exponent(alpha)?,
        EXACT_EXPONENT,
        Estimate::exact(last_exponent(x, &lower_bound(&Zipf::infinite(alpha)?, x)?)),
    ))
}

fn lower_bound(law: &Zipf, x: &[f64]) -> Result<Vec<f64>, Failure> {
    let share = p_star(law)?;
    let bound = |d: &f64| law.tail((3.0 * (d + 1.0) / share) as usize) / 20.0;
    Ok(x.iter().map(bound).collect())
}

fn figure(x: &[f64], error: &[f64], lower: &[f64]) -> Figure {
    let panel = Panel::new("α = 2, N = ∞, T = ∞")
        .x_label("d")
        .y_label("error")
        .log_x()
        .log_y()
        .line("error, top d/ln d", x, error)
        .theory("tail beyond 3(d+1)/p_*, over 20", x, lower);
    Figure::new("The best equal weights run beside the lower bound, a logarithm off").panel(panel).caption(
        "Dashed: the mass of the inputs that must be forgotten, times the constant of Eq. 22. Equal weights on the top d/ln d have its exponent, \
         up to their logarithm.",
    )
}

impl TypedCheck for Minimax {
    const CLAIM: &'static str = "heavy-tailed/b4-minimax";
    const PLAN: Plan = Plan::new(
        "relative difference of expression and integral; largest number of inputs that escape",
        "another integral; weights with which more inputs escape than 3(d+1)/p_*",
        &[QUADRATURE, SUM_ROUNDING, LIMIT, EXACT_EXPONENT, FLAT],
    )
    .protocol(&["Zipf laws with N = ∞; equal weights at every n, random weights, all subsets of eight inputs"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (integrals, [over_share, times_share]) = (self.integrals()?, self.equal_weights()?);
        let (law, x, safe) = (Zipf::infinite(2.0)?, far()?.1, theorem_3_curve(setting)?.means());
        let lower = lower_bound(&law, &x)?;
        let over_lower = ratios(&safe, &lower);
        let attained: Vec<f64> = over_lower.iter().zip(over_log(&x)).map(|(r, l)| r * l).collect();
        let area = rank_integral(&law, 0.0, 1e6, f64::INFINITY)?;
        let exact = |value| Estimate::exact(value);
        let evidence = Evidence::of(Finding::identity(
            "C P^(1−α)/(α + 1): its best relative difference from the integral",
            least_of(&integrals.plus),
            QUADRATURE,
        ))
        .and(
            over_share.none(
                "equal weights: the number that escapes is not the largest below 3(d+1)/p_*",
                "pairs of d and p_*",
            ),
        )
        .and(random_weights(setting)?.none("random weights: as many as 3(d+1)/p_* escape", "weights"))
        .misprint(
            "the constant is C/(α − 1)",
            vec![
                Finding::identity(
                    "C P^(1−α)/(α − 1): relative difference, largest",
                    largest_of(&integrals.minus),
                    QUADRATURE,
                ),
                Finding::identity(
                    "largest mass that can escape minus that of the most frequent, all subsets of 8",
                    subsets()?,
                    SUM_ROUNDING,
                )
                .cases(255)
                .unit("subsets"),
                Finding::equals(
                    "exact tail over the integral at P = 10^6, α = 2",
                    1.0,
                    LIMIT,
                    exact(law.tail(1_000_000) / area),
                ),
                lower_exponent(2.0, &x)?,
                lower_exponent(1.5, &x)?,
                lower_exponent(3.0, &x)?,
                Finding::at_most(
                    "error of the top d/ln d over the lower bound and ln d: largest over smallest",
                    FLAT,
                    exact(spread(&attained)),
                ),
            ],
        )
        .twin(Finding::identity("C P^(1−α)/α: its best relative difference", least_of(&integrals.neither), QUADRATURE))
        .twin(times_share.none("3(d+1) p_* in place of 3(d+1)/p_*: another number escapes", "pairs of d and p_*"));
        Ok(Checked::from(evidence).figure(figure(&x, &safe, &lower)))
    }
}
