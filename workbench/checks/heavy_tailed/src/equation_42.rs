//! Eq. 42: the error is the mass of a set.
//!
//! **Claim** (`heavy-tailed/eq-42`). For large d and regular p, Q_inf dominates c_gamma ||q||^2/d, and up to constants and logarithms
//! E(f_q) is p{x : d q(x)^2 <= p_* ||q||^2}.
//!
//! The exact expected error is divided by the exact probability of the set. Against the claim speaks a slope of that ratio in ln d which
//! no logarithm can explain. Equal weights are one of the document's own schemes, so they are asked too. On the way the document replaces
//! the cut-off of q^2/Q_inf at 32 c_gamma/d by one at 1/d: the masses that both leave are compared in the same way.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, Stream, mean};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{
    ConditionalDraws, ErrorCurve, Profile, Scheme, Target, Zipf, cut_level, forgotten_set, powers_of_two,
    untruncated_exponent,
};

use super::sections_b_2_to_b_4::{
    CLASSES, EXPONENT_IN_D, FLAT, draws, energy_share, far, floats, last_exponent, p_star, spread, target, truncated,
};
use crate::vocabulary::largest_of;

const A_HUNDREDTH: Margin = Margin::new("a hundredth", 0.01, "less than a hundredth is small by any reading");

/// Error over set probability, for power weights and for equal ones.
#[derive(Clone, Debug)]
pub struct MassOfTheSet {
    /// `(alpha, rho)` with infinitely many inputs.
    pub laws: Vec<(f64, f64)>,
    /// Numbers of classes at `p_* = 3/4`.
    pub classes: Vec<usize>,
    /// `(N, d)` with equal weights on all inputs.
    pub equal: (usize, usize),
    /// `(N, d)` with rho = 1/20, beyond the d at which the last of the inputs leaves the set.
    pub beyond: (usize, usize),
}

impl Default for MassOfTheSet {
    fn default() -> MassOfTheSet {
        MassOfTheSet {
            laws: vec![(2.0, 1.0), (2.0, 0.5), (1.5, 1.0), (3.0, 0.5)],
            classes: vec![2, 3, 5, 9, 33],
            equal: (1000, 1280),
            beyond: (1000, 840),
        }
    }
}

/// The ratio along d.
struct Ratio {
    name: String,
    slope: Estimate,
    means: Vec<f64>,
}

/// One over the probability of `{x : d q^2 <= p_* ||q||^2}` along d, for `p^rho` on the top P(d).
fn over_sets(law: &Zipf, rho: f64, dims: &[f64], top: &dyn Fn(f64) -> Option<usize>) -> Result<Vec<f64>, Failure> {
    let share = p_star(law)?;
    let one = |d: &f64| Ok(1.0 / forgotten_set(law, rho, top(*d), *d, share)?.mass());
    dims.iter().map(one).collect()
}

fn ratio(name: String, curve: &ErrorCurve, factors: &[f64], boot: &mut Stream) -> Result<Ratio, Failure> {
    let ratio = curve.times(factors)?;
    let (slope, means) = (ratio.slope(boot)?, ratio.means());
    Ok(Ratio { name, slope, means })
}

/// The ratios of power weights; those of equal weights on the top d; those with q in place of q^2 in the set.
struct Ratios {
    power: Vec<Ratio>,
    equal: Ratio,
    not_squared: Ratio,
}

impl MassOfTheSet {
    fn ratios(&self, setting: &Setting) -> Result<Ratios, Failure> {
        let (draws, target, (dims, x)) = (draws(setting)?, target()?, far()?);
        let mut boot = setting.stream("bootstrap, eq 42")?;
        let mut power = Vec::new();
        for &(alpha, rho) in &self.laws {
            let law = Zipf::infinite(alpha)?;
            let curve = draws.curve(&law, &target, &Scheme::power(rho)?, &dims)?;
            let factors = over_sets(&law, rho, &x, &|_| None)?;
            power.push(ratio(format!("α = {alpha}, ρ = {rho}"), &curve, &factors, &mut boot)?);
        }
        // 2 rho alpha = 1/2 asks for finitely many inputs.
        let (near, law) = (powers_of_two(28, 44, 2)?, Zipf::new(2.0, 1 << 50)?);
        let curve = draws.curve(&law, &target, &Scheme::power(0.125)?, &near)?;
        let factors = over_sets(&law, 0.125, &floats(&near), &|_| None)?;
        power.push(ratio("α = 2, ρ = 1/8, N = 2^50".to_string(), &curve, &factors, &mut boot)?);

        let law = Zipf::infinite(2.0)?;
        let curve = draws.curve(&law, &target, &truncated(0.0, 1.0)?, &dims)?;
        let factors = over_sets(&law, 0.0, &x, &|d| Some(d as usize))?;
        let equal = ratio("equal weights".to_string(), &curve, &factors, &mut boot)?;
        let curve = draws.curve(&law, &target, &Scheme::power(1.0)?, &dims)?;
        let factors = over_sets(&law, 0.5, &x, &|_| None)?;
        let not_squared = ratio("q, not q²".to_string(), &curve, &factors, &mut boot)?;
        Ok(Ratios { power, equal, not_squared })
    }

    /// The ratio at d = 2^40 with M varied: even ranks in one class each in turn, odd ranks all in class 0.
    fn by_classes(&self, setting: &Setting) -> Result<Vec<f64>, Failure> {
        let (law, d) = (Zipf::infinite(2.0)?, 1usize << 40);
        let mut found = Vec::new();
        for &m in &self.classes {
            let labels: Vec<usize> = (1..=2 * (m - 1)).map(|x| if x % 2 == 1 { 0 } else { x / 2 }).collect();
            let few = ConditionalDraws::new(m, 200, &mut setting.stream(&format!("draws, M = {m}"))?)?;
            let profile = Profile::population(&law, &Target::table(&labels, m)?, &Scheme::power(1.0)?, d)?;
            let error = mean(&few.expected_error(&profile, d)?.to_vec())?;
            found.push(error.value / forgotten_set(&law, 1.0, None, d as f64, 0.75)?.mass());
        }
        Ok(found)
    }
}

/// Set probability and error of `p^rho` on all of N inputs, alpha = 2.
fn finite(setting: &Setting, rho: f64, (n, d): (usize, usize)) -> Result<(f64, Estimate), Failure> {
    let law = Zipf::new(2.0, n)?;
    let set = forgotten_set(&law, rho, None, d as f64, p_star(&law)?)?.mass();
    let profile = Profile::population(&law, &target()?, &Scheme::power(rho)?, d)?;
    Ok((set, mean(&draws(setting)?.expected_error(&profile, d)?.to_vec())?))
}

/// Largest over smallest ratio at N = 1000, rho = 1, d = 2^20 to 2^36, short of the edge at 7 10^11.
fn before_the_edge(setting: &Setting) -> Result<f64, Failure> {
    let mut found = Vec::new();
    for d in powers_of_two(20, 36, 8)? {
        let (set, error) = finite(setting, 1.0, (1000, d))?;
        found.push(error.value / set);
    }
    Ok(spread(&found))
}

/// `8 c_gamma ||q||^2 / (d Q_inf)` with gamma = 1.
fn further_term(d: f64, rho: f64) -> Result<f64, Failure> {
    let share = energy_share(&Zipf::new(2.0, 1 << 40)?, &target()?, rho)?;
    Ok(8.0 * cut_level(5, d, 1.0) / (d * share))
}

/// `32 c_gamma` with gamma = 1.
fn cut(d: f64) -> f64 {
    32.0 * cut_level(CLASSES, d, 1.0)
}

/// Mass of `{x : q^2 <= 32 c_gamma Q_inf / d}` over that of `{x : q^2 <= Q_inf / d}` along d, with `Q_inf / ||q||^2` given.
fn cut_offs(
    law: &Zipf,
    rho: f64,
    dims: &[f64],
    share: f64,
    top: &dyn Fn(f64) -> Option<usize>,
) -> Result<Vec<f64>, Failure> {
    let one = |d: &f64| {
        let mass = |dim: f64| Ok::<f64, Failure>(forgotten_set(law, rho, top(*d), dim, share)?.mass());
        Ok(mass(d / cut(*d))? / mass(*d)?)
    };
    dims.iter().map(one).collect()
}

/// What lies between the two cut-offs, d = 2^28 to 2^60.
struct Between {
    /// Largest over smallest ratio of the masses over `(32 c_gamma)^e`, with e the exponent of 1/d, worst law.
    flat: f64,
    /// The same over the power 2 e, as q in place of q^2 would have it.
    not_squared: f64,
    /// Equal weights on the top d: slope of the ratio in ln d.
    equal: f64,
}

impl MassOfTheSet {
    fn between_the_cut_offs(&self) -> Result<Between, Failure> {
        let dims = floats(&powers_of_two(28, 60, 4)?);
        let (mut flat, mut not_squared) = (Vec::new(), Vec::new());
        for &(alpha, rho) in &self.laws {
            let law = Zipf::infinite(alpha)?;
            let share = energy_share(&law, &target()?, rho)?;
            let (ratios, e) = (cut_offs(&law, rho, &dims, share, &|_| None)?, untruncated_exponent(alpha, rho)?);
            let over = |power: f64| {
                let one = |(ratio, d): (&f64, &f64)| ratio / cut(*d).powf(power);
                spread(&ratios.iter().zip(&dims).map(one).collect::<Vec<f64>>())
            };
            flat.push(over(e));
            not_squared.push(over(2.0 * e));
        }
        // Equal weights on so many inputs are spread evenly over the classes.
        let even = 1.0 / CLASSES as f64;
        let ratios = cut_offs(&Zipf::infinite(2.0)?, 0.0, &dims, even, &|d| Some(d as usize))?;
        Ok(Between {
            flat: largest_of(&flat),
            not_squared: largest_of(&not_squared),
            equal: last_exponent(&dims, &ratios),
        })
    }
}

fn figure(x: &[f64], ratios: &Ratios) -> Figure {
    let mut panel = Panel::new("N = ∞").x_label("d").y_label("error / set probability").log_x().y_limits(0.0, 1.0);
    for ratio in ratios.power.iter().filter(|ratio| ratio.means.len() == x.len()) {
        panel = panel.line(&ratio.name, x, &ratio.means);
    }
    Figure::new("For falling weights error and forgotten mass keep one ratio").panel(panel).caption(
        "Exact set probabilities, exact expected errors. A power of ln d would triple the ratio from the left end to the right.",
    )
}

impl TypedCheck for MassOfTheSet {
    const CLAIM: &'static str = "heavy-tailed/eq-42";
    const PLAN: Plan = Plan::new(
        "slope in ln d of ln(expected error / set probability); mass cut off at 32 c_γ/d over mass cut off at 1/d",
        "a slope larger than a power of ln d would give; an empty set beside an error that is not zero; two cut-offs apart by a power of d",
        &[EXPONENT_IN_D, FLAT, A_HUNDREDTH],
    )
    .protocol(&["Zipf laws with N = ∞, f_*(x) = x mod 5, d = 2^20 to 2^60; ρ = 1/8 with N = 2^50"])
    .departures(&["one target with p_* = 3/4 whatever M is, to vary M alone"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let ratios = self.ratios(setting)?;
        let (set, error) = finite(setting, 0.0, self.equal)?;
        let (beyond_set, beyond_error) = finite(setting, 0.05, self.beyond)?;
        let (n, d) = self.equal;
        let slope = |ratio: &Ratio| {
            let label = format!("{}: slope of ln(error / set) in ln d", ratio.name);
            Finding::equals(label, 0.0, EXPONENT_IN_D, ratio.slope)
        };
        let between = self.between_the_cut_offs()?;
        let mut mended: Vec<Finding> = ratios.power.iter().map(slope).collect();
        let within: Vec<f64> = ratios.power.iter().map(|ratio| spread(&ratio.means)).collect();
        let further =
            [0.25, 0.5, 1.0].map(|rho| further_term(2f64.powi(20), rho)).into_iter().collect::<Result<Vec<_>, _>>()?;
        mended.extend([
            Finding::at_most(
                "N = 1000, ρ = 1, d = 2^20 to 2^36, short of that edge: largest over smallest ratio",
                FLAT,
                Estimate::exact(before_the_edge(setting)?),
            ),
            Finding::at_most(
                format!(
                    "ρ = 1/20, N = {}, d = {}, beyond it: set probability over error",
                    self.beyond.0, self.beyond.1
                ),
                A_HUNDREDTH,
                Estimate::exact(beyond_set / beyond_error.low),
            ),
            Finding::at_most(
                "largest over smallest ratio along d, worst case",
                FLAT,
                Estimate::exact(largest_of(&within)),
            ),
            Finding::at_most(
                "largest over smallest ratio, M = 2 to 33 at p_* = 3/4, d = 2^40",
                FLAT,
                Estimate::exact(spread(&self.by_classes(setting)?)),
            ),
            Finding::at_most(
                "8 c_γ ‖q‖²/d over Q∞ at d = 2^20, γ = 1, worst of three ρ",
                A_HUNDREDTH,
                Estimate::exact(largest_of(&further)),
            ),
            Finding::at_most(
                "cut at 32 c_γ/d over cut at 1/d, over (32 c_γ)^((α−1)/2ρα), γ = 1: largest over smallest, worst of four laws",
                FLAT,
                Estimate::exact(between.flat),
            ),
        ]);
        let evidence = Evidence::of(Finding::equals(
            "ρ = 0, N = ∞, P = d: slope of ln(error / set) in ln d",
            0.0,
            EXPONENT_IN_D,
            ratios.equal.slope,
        ))
        .and(Finding::at_least(
            format!("ρ = 0, N = {n}, d = {d}: set probability over error"),
            A_HUNDREDTH,
            Estimate::exact(set / error.value),
        ))
        .and(Finding::equals(
            "equal weights on the top d: cut at 32 c_γ/d over cut at 1/d, slope in ln d",
            0.0,
            EXPONENT_IN_D,
            Estimate::exact(between.equal),
        ))
        .condition(
            "for ρ > 0 and d below p_* ‖q‖²/q(N)², in particular N = ∞: there the ratio is constant, without a logarithm; beyond, the set is empty",
            mended,
        )
        .twin(Finding::equals(
            "the set with q in place of q², α = 2, ρ = 1: slope of the ratio",
            0.0,
            EXPONENT_IN_D,
            ratios.not_squared.slope,
        ))
        .twin(Finding::at_most(
            "the two cut-offs with q in place of q²: mass over (32 c_γ)^((α−1)/ρα), worst law",
            FLAT,
            Estimate::exact(between.not_squared),
        ))
        .note(format!(
            "equal weights: the set is everything up to d = p_* N and empty beyond; at N = {n}, d = {d} the error is {:.3}",
            error.value
        ));
        Ok(Checked::from(evidence).figure(figure(&far()?.1, &ratios)))
    }
}
