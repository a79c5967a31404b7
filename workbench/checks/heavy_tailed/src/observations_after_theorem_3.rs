//! The two observations after Theorem 3.
//!
//! **Claims.** (`heavy-tailed/hutter-michaud`) In T the optimal rate is Hutter's law, that of memorising all seen data; in d it is that of Michaud et
//! al., d^(-alpha+1) being the risk of storing the d most frequent tokens only. (`heavy-tailed/q0-two-regimes`) Equal weights have two regimes:
//! overflow for d below the order of N, where the memory is too full to recover any signal, and infinite memory for d above it, where the error is
//! tiny.
//!
//! The first are exact sums, so slopes and constants are asked to three digits. Against the second speaks a midpoint that does not grow like N, an
//! error that is not tiny at 10N, or an error well below chance where the memory should be too full: with no signal it would be 1 - 1/M.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, power_fit};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{
    ErrorCurve, Scheme, Zipf, chance_error, data_exponent, minimax_exponent, tail_constant, unseen_mass_constant,
};

use super::sections_b_2_to_b_4::{CLASSES, EXACT_EXPONENT, EXPONENT_IN_D, LIMIT, target};
use super::theorems_1_to_3::{TINY, draws};

/// The two exact sums.
#[derive(Clone, Debug)]
pub struct HutterAndMichaud {
    /// Exponents of the law; the first is the headline.
    pub alphas: Vec<f64>,
    /// d and T run over these powers of ten.
    pub decades: Vec<i32>,
}

impl Default for HutterAndMichaud {
    fn default() -> HutterAndMichaud {
        HutterAndMichaud { alphas: vec![2.0, 1.5, 3.0], decades: vec![4, 5, 6, 7, 8] }
    }
}

/// Slope of an exact sum over the last decade, and its value times the power at the far end.
struct Rate {
    slope: Estimate,
    constant: f64,
}

impl HutterAndMichaud {
    fn rate(&self, exponent: f64, sum: impl Fn(usize) -> f64) -> Result<Rate, Failure> {
        let x: Vec<f64> = self.decades.iter().map(|k| 10f64.powi(*k)).collect();
        let y: Vec<f64> = x.iter().map(|x| sum(*x as usize)).collect();
        let end = x.len() - 1;
        let far = (y[end] / y[end - 1]).ln() / (x[end] / x[end - 1]).ln();
        Ok(Rate { slope: Estimate::exact(far), constant: y[end] * x[end].powf(exponent) })
    }

    fn both(&self, alpha: f64) -> Result<[Finding; 4], Failure> {
        let law = Zipf::infinite(alpha)?;
        let (e, s) = (data_exponent(alpha)?, minimax_exponent(alpha)?);
        let unseen = self.rate(e, |t| law.unseen_mass(t))?;
        let risk = self.rate(s, |d| law.tail(d))?;
        let slope = |label: &str, exponent: f64, slope| {
            Finding::equals(format!("{label}, α = {alpha}"), -exponent, EXACT_EXPONENT, slope)
        };
        let limit =
            |label: &str, ratio| Finding::equals(format!("{label}, α = {alpha}"), 1.0, LIMIT, Estimate::exact(ratio));
        Ok([
            slope("mass not seen in T samples, slope in T", e, unseen.slope),
            slope("risk of storing the top d, slope in d", s, risk.slope),
            limit("unseen mass × T^(1-1/α) over C^(1/α) Γ(1-1/α)/α", unseen.constant / unseen_mass_constant(&law)?),
            limit("risk × d^(α-1) over C/(α-1)", risk.constant / tail_constant(&law)?),
        ])
    }
}

impl TypedCheck for HutterAndMichaud {
    const CLAIM: &'static str = "heavy-tailed/hutter-michaud";
    const PLAN: Plan = Plan::new(
        "slopes of exact sums in ln d and ln T over the last decade; the sums times their power over the limit",
        "another exponent in the third digit, or a product that has no limit",
        &[EXACT_EXPONENT, LIMIT],
    )
    .protocol(&["N = ∞; unseen mass Σ p(1-p)^T, risk Σ_{x>d} p(x), without the chance level of a guess"])
    .departures(&["the cited laws are taken in the exponent α of this document: Michaud et al. write α + 1 for it"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let mut findings = Vec::new();
        for alpha in &self.alphas {
            findings.extend(self.both(*alpha)?);
        }
        let mut findings = findings.into_iter();
        let headline = findings.next().ok_or("no law to look at")?;
        let law = Zipf::infinite(2.0)?;
        let twice = self.rate(0.5, |t| law.unseen_mass(2 * t))?;
        let squares = self.rate(1.0, |d| law.moment(2.0, d + 1, None))?;
        let evidence = findings
            .fold(Evidence::of(headline), Evidence::and)
            .twin(Finding::equals(
                "each sample counted as two: unseen mass × T^(1-1/α) over its limit, α = 2",
                1.0,
                LIMIT,
                Estimate::exact(twice.constant / unseen_mass_constant(&law)?),
            ))
            .twin(Finding::equals(
                "p² in place of p in the risk: slope in d, α = 2",
                -1.0,
                EXACT_EXPONENT,
                squares.slope,
            ));
        Ok(evidence.into())
    }
}

const SIGNAL: Margin =
    Margin::new("signal above chance", 0.05, "one query in twenty; a memory without any signal is at chance exactly");

/// Equal weights around d = N.
#[derive(Clone, Debug)]
pub struct TwoRegimes {
    /// Numbers of inputs N for the midpoint.
    pub inputs: Vec<usize>,
}

impl Default for TwoRegimes {
    fn default() -> TwoRegimes {
        TwoRegimes { inputs: vec![400, 1600, 1 << 16, 1 << 20, 1 << 30, 1 << 40] }
    }
}

/// d/N, or d over another power of N, from 1/30 to 30.
fn ratios() -> Vec<f64> {
    (0..=12).map(|k| 10f64.powf(-1.5 + 0.25 * f64::from(k))).collect()
}

impl TwoRegimes {
    /// The dimension at which the error is half the chance level, against N: slope of logarithms. The grid of d is around `N^power`.
    fn midpoints(setting: &Setting, inputs: &[usize], scheme: &Scheme, power: f64) -> Result<Estimate, Failure> {
        let (draws, target) = (draws(setting)?, target()?);
        let mut boot = setting.streams().restart("bootstrap, two regimes")?;
        let mut midpoints = Vec::new();
        for n in inputs {
            let around = (*n as f64).powf(power);
            let dims: Vec<usize> = ratios().iter().map(|r| (r * around).round() as usize).collect();
            let curve = draws.curve(&Zipf::new(2.0, *n)?, &target, scheme, &dims)?;
            midpoints.push(curve.crossing(0.5 * chance_error(CLASSES), &mut boot)?.value);
        }
        let x: Vec<f64> = inputs.iter().map(|n| *n as f64).collect();
        Ok(power_fit(&x, &midpoints, (1.0, 1e15))?.slope)
    }

    fn figure(curve: &ErrorCurve) -> Figure {
        let panel = Panel::new("equal weights, N = 2^{40}, infinite data")
            .x_label("d / N")
            .y_label("error")
            .log_x()
            .line("exact expectation", curve.x(), &curve.means())
            .hline("chance", chance_error(CLASSES))
            .vline("d = N", 1.0)
            .legend_below();
        Figure::new("From overflow to a memory that holds everything")
            .panel(panel)
            .caption("Equal weights on a million millions of inputs; d/N runs through five decades.")
    }
}

impl TypedCheck for TwoRegimes {
    const CLAIM: &'static str = "heavy-tailed/q0-two-regimes";
    const PLAN: Plan = Plan::new(
        "exact expected error at d = N/10 and 10N against chance and zero; slope in N of the d at half the chance level",
        "a midpoint that does not grow like N, an error at 10N that is not tiny, an error at N/10 below chance",
        &[SIGNAL, TINY, EXPONENT_IN_D],
    )
    .protocol(&["ρ = 0, infinite data, M = 5; N = 1000 for the two ends, N = 400 to 2^40 for the midpoint"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (draws, target, equal) = (draws(setting)?, target()?, Scheme::uniform());
        let thousand = draws.curve(&Zipf::new(2.0, 1000)?, &target, &equal, &[100, 10_000])?;
        let n = 1usize << 40;
        let over_n: Vec<f64> = (0..=26).map(|k| 10f64.powf(-4.0 + 0.2 * f64::from(k))).collect();
        let dims: Vec<usize> = over_n.iter().map(|r| (r * n as f64).round() as usize).collect();
        let wide = draws.curve(&Zipf::new(2.0, n)?, &target, &equal, &dims)?.over(&over_n)?;
        let nothing = draws.curve(&Zipf::new(2.0, n)?, &target, &equal, &[1 << 20])?.at(0)?;
        let slope = TwoRegimes::midpoints(setting, &self.inputs, &equal, 1.0)?;
        let few = [1usize << 20, 1 << 30, 1 << 40];
        let light = TwoRegimes::midpoints(setting, &few, &Scheme::power(0.125)?, 0.5)?;
        let chance = chance_error(CLASSES);
        let drawn = |finding: Finding| finding.unit("draws");
        let grows = |label: &str, slope| Finding::equals(label, 1.0, EXPONENT_IN_D, slope).unit("values of N");
        let regimes = [
            drawn(Finding::at_most("error at d = 10 N, N = 1000", TINY, thousand.at(1)?)),
            grows("dimension of half the chance level against N, slope", slope),
        ];
        let evidence = Evidence::of(drawn(Finding::equals(
            "error at d = N/10, N = 1000: chance, no signal",
            chance,
            SIGNAL,
            thousand.at(0)?,
        )));
        let evidence = regimes
            .into_iter()
            .fold(evidence, Evidence::and)
            .weaker(
                "overflow fades the signal and does not destroy it: the error tends to chance only as d/N tends to zero",
                vec![
                    drawn(Finding::at_least(
                        "chance less the error at d = N/10, N = 1000",
                        SIGNAL,
                        thousand.at(0)?.affine(-1.0, chance)?,
                    )),
                    drawn(Finding::equals(
                        "error at d = N/10^6, N = 2^40: chance",
                        chance,
                        SIGNAL,
                        nothing,
                    )),
                ],
            )
            .twin(grows(
                "weights p^(1/8) in place of equal ones: dimension of half the chance level, slope",
                light,
            ));
        Ok(Checked::from(evidence).figure(TwoRegimes::figure(&wide)))
    }
}
