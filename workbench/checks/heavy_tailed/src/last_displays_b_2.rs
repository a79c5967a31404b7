//! B.2, last displays: the bound with data.
//!
//! **Claim** (`heavy-tailed/b2-final`). With c_rho = 2^(-1/rho) the error is at most T^(-1+1/alpha) + inf_gamma 2 d^-gamma +
//! p{d c_rho^2 q^2 <= c' psi(N)}, which is T^(-1+1/alpha) + (d/psi(N))^(-(alpha-1)/2 rho alpha), hiding logarithms.
//!
//! The steps before give sum p exp(-T p/8) and 2^-rho; putting T^(-1+1/alpha) with the constant one is a further step. Against the claim
//! speaks an expected error, with drawn data, above the middle member, and a memory term with another exponent or another logarithm.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{
    ConditionalDraws, DataBound, Profile, Scheme, Target, Zipf, cut_level, data_load, half_factor, half_factor_printed,
    memory_term, powers_of_two, untruncated_exponent,
};

use super::sections_b_2_to_b_4::{
    CLASSES, Cases, EXPONENT_IN_D, FLAT, ONE, draws, floats, last_exponent, spread, target,
};
use crate::vocabulary::{largest_of, least_of};

/// The bound over dimensions and sizes, and where its constant shows.
#[derive(Clone, Debug)]
pub struct BoundWithData {
    /// Exponents of the scheme, at alpha = 2.
    pub rhos: Vec<f64>,
    /// Dimensions are two to these.
    pub log_dims: Vec<u32>,
    /// `(alpha, rho, decades of d)` for the memory term.
    pub memory: Vec<(f64, f64, i32)>,
}

impl Default for BoundWithData {
    fn default() -> BoundWithData {
        BoundWithData {
            rhos: vec![0.5, 1.0],
            log_dims: vec![16, 24, 40, 60],
            memory: vec![(2.0, 1.0, 60), (2.0, 0.5, 30), (3.0, 0.5, 40), (1.5, 1.0, 44)],
        }
    }
}

/// Error and bound along T at one dimension.
struct Shown {
    log_dim: u32,
    rho: f64,
    error: Vec<f64>,
    high: Vec<f64>,
    bound: Vec<f64>,
}

/// The error over three bounds at alpha = 1.2, rho = 1/2, M = 100, d = 2^60, T = 1000.
struct Hundred {
    printed: Estimate,
    derived: Estimate,
    other_power: Estimate,
}

impl BoundWithData {
    fn curves(&self, setting: &Setting, sizes: &[usize]) -> Result<Vec<Shown>, Failure> {
        let (law, target, draws) = (Zipf::infinite(2.0)?, target()?, draws(setting)?);
        let mut list = Vec::new();
        for &rho in &self.rhos {
            for &log_dim in &self.log_dims {
                let data = &mut setting.stream(&format!("data, {rho} {log_dim}"))?;
                let curve = draws.sample_curve(&law, &target, &Scheme::power(rho)?, 1 << log_dim, sizes, data)?;
                let d = f64::from(log_dim).exp2();
                let bound = sizes.iter().map(|t| Ok(DataBound::derived(&law, rho, 5, d, *t as f64)?.total()));
                list.push(Shown {
                    log_dim,
                    rho,
                    error: curve.means(),
                    high: curve.high()?,
                    bound: bound.collect::<Result<Vec<f64>, Failure>>()?,
                });
            }
        }
        Ok(list)
    }

    /// Spread along d of the memory term over `(d/psi / (ln d)^k)^-e`, for k = 1 and 1 + 1/e, worst and best case.
    fn memory_terms(&self) -> Result<(f64, f64), Failure> {
        let (mut one, mut more) = (Vec::new(), Vec::new());
        for &(alpha, rho, top) in &self.memory {
            let (law, e) = (Zipf::infinite(alpha)?, untruncated_exponent(alpha, rho)?);
            let d: Vec<f64> = (top / 5..=top).step_by(2).map(|k| 10f64.powi(k)).collect();
            let ratio = |d: &f64| Ok(memory_term(&law, rho, 5, *d, half_factor(rho), 1.0)? * (d / d.ln()).powf(e));
            let ratio = d.iter().map(ratio).collect::<Result<Vec<f64>, Failure>>()?;
            let next: Vec<f64> = ratio.iter().zip(&d).map(|(r, d)| r / d.ln()).collect();
            one.push(spread(&ratio));
            more.push(spread(&next));
        }
        Ok((largest_of(&one), least_of(&more)))
    }
}

/// Slope in N of the probability of the memory term's set, at gamma = 1, alpha = 2, rho = 1/4, d = 10^13, with a power of N as the load.
fn slope_in_n(load: impl Fn(f64) -> f64) -> Result<Estimate, Failure> {
    let (sizes, rho, d) = ([1e8, 1e12], 0.25, 1e13);
    let one = |n: &f64| {
        let law = Zipf::new(2.0, *n as usize)?;
        let level = 16.0 * cut_level(5, d, 1.0) * load(*n) / (d * half_factor(rho).powi(2));
        // q^2 = p^(1/2) = c^(1/2) / x is at most the level from here on.
        let from = (law.constant().sqrt() / level).ceil();
        Ok(law.mass(from as usize, None))
    };
    let sets = sizes.iter().map(one).collect::<Result<Vec<f64>, Failure>>()?;
    Ok(Estimate::exact(last_exponent(&sizes, &sets)))
}

/// Largest over smallest memory term of the bound over `(d / psi(N) / ln d)^-e` along N = 10^8 to 10^12, alpha = 2, rho = 1/4, d = 10^13, where
/// e = 1 and psi(N) is the square root of N. With fewer inputs the set is empty.
fn along_n() -> Result<f64, Failure> {
    let d = 1e13f64;
    let one = |n: usize| {
        let bound = DataBound::derived(&Zipf::new(2.0, n)?, 0.25, CLASSES, d, 1.0)?;
        Ok(bound.memory * d / d.ln() / (n as f64).sqrt())
    };
    let sizes = [100_000_000, 10_000_000_000, 1_000_000_000_000];
    let ratios = sizes.into_iter().map(one).collect::<Result<Vec<f64>, Failure>>()?;
    Ok(spread(&ratios))
}

/// Below rho = 1/2, where the load psi(N) is a power of N: alpha = 1.2, rho = 1/10, N = 4096, weights of the population, as with T infinite.
struct BelowHalf {
    /// Upper end of the error over the memory term, d = 2^18 to 2^22.
    ratios: Vec<f64>,
    /// Where that memory term is not below one.
    empty: Cases,
    /// At d = 2048: the error over the memory term with one in place of psi(N).
    without_load: Estimate,
}

impl BelowHalf {
    fn new(setting: &Setting) -> Result<BelowHalf, Failure> {
        let (law, rho, target, draws) = (Zipf::new(1.2, 4096)?, 0.1, target()?, draws(setting)?);
        let error = |d: usize| -> Result<Estimate, Failure> {
            let profile = Profile::population(&law, &target, &Scheme::power(rho)?, d)?;
            Ok(mean(&draws.expected_error(&profile, d)?.to_vec())?)
        };
        let (mut ratios, mut empty) = (Vec::new(), Cases::default());
        for d in powers_of_two(18, 22, 1)? {
            let bound = DataBound::derived(&law, rho, CLASSES, d as f64, 1.0)?.memory;
            ratios.push(error(d)?.high / bound);
            empty.see(bound >= 1.0);
        }
        let without_load = memory_term(&law, rho, CLASSES, 2048.0, half_factor(rho), 1.0)?;
        Ok(BelowHalf { ratios, empty, without_load: error(2048)?.affine(1.0 / without_load, 0.0)? })
    }
}

/// The memory term with a factor at rho = 2, alpha = 2, d = 2^60, over that with the factor that half of the frequency has.
fn over_half_factor(factor: f64) -> Result<f64, Failure> {
    let (law, d) = (Zipf::infinite(2.0)?, 2f64.powi(60));
    Ok(memory_term(&law, 2.0, 5, d, factor, 1.0)? / memory_term(&law, 2.0, 5, d, half_factor(2.0), 1.0)?)
}

fn hundred(setting: &Setting) -> Result<Hundred, Failure> {
    let (law, m, t) = (Zipf::infinite(1.2)?, 100, 1000.0);
    let n = setting.scale().pick(60, 200);
    let draws = ConditionalDraws::new(m, n, &mut setting.stream("draws, M = 100")?)?;
    let data = &mut setting.stream("data, M = 100")?;
    let (target, scheme) = (Target::modulo(m)?, Scheme::power(0.5)?);
    let error = draws.sample_curve(&law, &target, &scheme, 1 << 60, &[100, 1000], data)?.at(1)?;
    let d = 2f64.powi(60);
    let printed = DataBound::printed(&law, 0.5, m, d, t)?;
    let derived = DataBound::derived(&law, 0.5, m, d, t)?;
    let over = |bound: f64| error.affine(1.0 / bound, 0.0);
    Ok(Hundred {
        printed: over(printed.total())?,
        derived: over(derived.total())?,
        other_power: over(t.powf(-1.0 / law.alpha()) + derived.memory)?,
    })
}

fn figure(sizes: &[usize], shown: &[Shown]) -> Figure {
    let t = floats(sizes);
    let mut panel = Panel::new("α = 2, ρ = 1/2, M = 5, N = ∞").x_label("T").y_label("error").log_x().log_y();
    let ends = shown.iter().filter(|s| s.rho == 0.5 && (s.log_dim == 16 || s.log_dim == 60));
    for (k, one) in ends.enumerate() {
        panel = panel
            .line(&format!("error, d = 2^{{{}}}", one.log_dim), &t, &one.error)
            .colour(k)
            .theory(&format!("bound, d = 2^{{{}}}", one.log_dim), &t, &one.bound)
            .colour(k);
    }
    Figure::new("The error stays well below the bound with data").panel(panel).caption(
        "Solid: exact expected error, data sets drawn. Dashed: the bound that the steps of the proof give. Where the data decide both run \
         parallel; in a small dimension the memory term of the bound stops its fall first.",
    )
}

impl TypedCheck for BoundWithData {
    const CLAIM: &'static str = "heavy-tailed/b2-final";
    const PLAN: Plan = Plan::new(
        "expected error over the bound; spread along d of the memory term over its rate",
        "an error above the bound; a memory term with another power of d or of ln d",
        &[ONE, FLAT, EXPONENT_IN_D],
    )
    .protocol(&["N = ∞, α = 2, M = 5, d = 2^16 to 2^60, T = 16 to 65536, data sets drawn"])
    .departures(&[
        "one law with a large constant, α = 1.2 and M = 100, to see whether the constant is one",
        "ρ below one half, where ψ(N) is not one, with the weights of the population and N = 4096",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let sizes = powers_of_two(4, 16, 3)?;
        let (hundred, shown) = (hundred(setting)?, self.curves(setting, &sizes)?);
        let (mut above, mut empty, mut ratios) = (Cases::default(), Cases::default(), Vec::new());
        for one in &shown {
            for (high, bound) in one.high.iter().zip(&one.bound) {
                above.see(high > bound);
                empty.see(*bound >= 1.0);
                ratios.push(high / bound);
            }
        }
        let (one_log, more_logs) = self.memory_terms()?;
        let below_half = BelowHalf::new(setting)?;
        let evidence = Evidence::of(Finding::at_least(
            "ρ = 2: memory term with c_ρ = 2^(−1/ρ) over the one that the event p̂ ≥ p/2 gives",
            ONE,
            Estimate::exact(over_half_factor(half_factor_printed(2.0))?),
        ))
        .and(Finding::at_most(
            "α = 1.2, ρ = 1/2, M = 100, T = 1000: error over the middle member as printed",
            ONE,
            hundred.printed,
        ))
        .misprint(
            "c_ρ = 2^−ρ; and ≲ in the first line as in the second: the data term Σ p exp(−Tp/8) is a constant times T^(−1+1/α)",
            vec![
                Finding::equals(
                    "set at ρ = 1/4, γ = 1, N = 10^8 to 10^12, d = 10^13: slope in N",
                    0.5,
                    EXPONENT_IN_D,
                    slope_in_n(|n| data_load(0.25, n))?,
                ),
                Finding::at_most("the same error over the bound that the steps give", ONE, hundred.derived),
                above.none("α = 2, M = 5: upper ends of errors above the bound", "points"),
                empty.none("points where the bound is not below one", "points"),
                Finding::at_most("upper end of the error over the bound, largest", ONE, Estimate::exact(largest_of(&ratios))),
                Finding::at_most(
                    "ρ = 1/10, N = 4096, d = 2^18 to 2^22, ψ(N) = N^0.8: upper end of the error over the memory term, largest",
                    ONE,
                    Estimate::exact(largest_of(&below_half.ratios)),
                ),
                below_half.empty.none("ρ = 1/10: points where the memory term is not below one", "points"),
                Finding::at_most(
                    "memory term over (d/ψ ln d)^(−(α−1)/2ρα): largest over smallest, worst case",
                    FLAT,
                    Estimate::exact(one_log),
                ),
                Finding::at_most(
                    "the same at ρ = 1/4 along N = 10^8 to 10^12, where ψ(N) = √N: largest over smallest",
                    FLAT,
                    Estimate::exact(along_n()?),
                ),
            ],
        )
        .twin(Finding::equals(
            "N^(1−ρ) for ψ(N): slope in N of the set at ρ = 1/4",
            0.5,
            EXPONENT_IN_D,
            slope_in_n(|n| n.powf(0.75))?,
        ))
        .twin(Finding::at_most(
            "1 for ψ(N), ρ = 1/10, N = 4096, d = 2048: error over the memory term",
            ONE,
            below_half.without_load,
        ))
        .twin(Finding::at_most(
            "one more power of ln d: largest over smallest, best case",
            FLAT,
            Estimate::exact(more_logs),
        ))
        .twin(Finding::at_most(
            "T^(−1/α) for T^(−1+1/α): error over the bound",
            ONE,
            hundred.other_power,
        ));
        Ok(Checked::from(evidence).figure(figure(&sizes, &shown)))
    }
}
