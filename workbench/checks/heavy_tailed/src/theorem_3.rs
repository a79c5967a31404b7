//! Theorem 3: the best that any weights can do.
//!
//! **Claims.** (`heavy-tailed/thm-3-lower`, Eq. 8) With N = infinity, for every q there is a p(y|x) with E E(f_q) >= c (d^(-alpha+1) +
//! T^(-1+1/alpha)). (`heavy-tailed/thm-3-attained`) Up to logarithms this is reached by equal weights on the top P, P of the order d/ln d.
//!
//! "Every q" cannot be exhausted. The first is attacked with a family of schemes, one of them with its threshold optimised at each d on held-out
//! draws, with three maps, and with a floor that holds for all q at once: if all labels are equal, fewer than 3(d+1) inputs can have
//! 3(d+1) q(x)^2 > Q_inf, so Eq. 22 leaves a twentieth of the mass beyond rank 3(d+1). A product error * d^(alpha-1) that falls as a power of d
//! would break it. Against the second speak another power of d than -(alpha-1), and stored inputs that are lost.

use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{
    ErrorCurve, PolylogFit, Profile, Scheme, Target, Threshold, ThresholdProfile, Zipf, best_threshold_curve,
    chance_error, data_exponent, minimax_exponent, powers_of_two, unseen_mass_constant,
};

use super::sections_b_2_to_b_4::{CLASSES, EXPONENT_IN_D, ONE, last_exponent, target};
use super::theorems_1_to_3::{
    DOWN_TO_CONSTANTS, UP_TO_CONSTANTS, draws, few_draws, in_d, top_eighth, top_with_logarithm, unseen_constant,
};
use crate::vocabulary::{Largest, Least};

const NOT_FALLING: Margin =
    Margin::new("does not fall", -0.02, "the margin of every exponent in d, on the side that would break the bound");

/// Eq. 8.
#[derive(Clone, Debug)]
pub struct NoWeightsDoBetter {
    /// The offset of the graded weights q^2 = offset + ln(P/x).
    pub offset: f64,
}

impl Default for NoWeightsDoBetter {
    fn default() -> NoWeightsDoBetter {
        NoWeightsDoBetter { offset: 0.25 }
    }
}

/// Names of the schemes, in the order of [`NoWeightsDoBetter::attempts`].
const SCHEMES: [&str; 6] = ["p^{1/2}", "p", "top d/8", "top d/(4 ln d)", "p^{1/8}, top d/2", "graded, best P"];
/// Names of the maps.
const MAPS: [&str; 3] = ["f = x mod 5", "one heavy class", "a single class"];

impl NoWeightsDoBetter {
    fn attempts(
        &self,
        setting: &Setting,
        law: &Zipf,
        dims: &[usize],
        map: &Target,
    ) -> Result<Vec<ErrorCurve>, Failure> {
        let draws = few_draws(setting)?;
        let family = [
            Scheme::power(0.5)?,
            Scheme::power(1.0)?,
            top_eighth()?,
            top_with_logarithm(0.25)?,
            Scheme::power(0.125)?.threshold(Threshold::PerDimension(0.5))?,
        ];
        let mut curves = Vec::new();
        for scheme in &family {
            curves.push(draws.curve(law, map, scheme, dims)?);
        }
        let graded = ThresholdProfile::over_dims(&draws, law, map, &Scheme::graded(self.offset)?, dims, 2.0)?;
        curves.push(best_threshold_curve(&graded)?);
        Ok(curves)
    }

    /// Errors of the two schemes that come nearest to the bound, f = x mod 5, at another alpha.
    fn nearest(&self, setting: &Setting, alpha: f64) -> Result<[ErrorCurve; 2], Failure> {
        let (law, map, draws) = (Zipf::infinite(alpha)?, target()?, few_draws(setting)?);
        let dims = powers_of_two(6, 26, 10)?;
        let top = draws.curve(&law, &map, &top_with_logarithm(0.25)?, &dims)?;
        let graded = ThresholdProfile::over_dims(&draws, &law, &map, &Scheme::graded(self.offset)?, &dims, 2.0)?;
        Ok([top, best_threshold_curve(&graded)?])
    }

    fn figure(curves: &[ErrorCurve]) -> Result<Figure, Failure> {
        let mut panel = Panel::new("f = x mod 5, α = 2").x_label("d").y_label("error × d").log_x().log_y();
        for (name, curve) in SCHEMES.iter().zip(curves) {
            panel = panel.line(name, curve.x(), &curve.times(curve.x())?.means());
        }
        Ok(Figure::new("No scheme falls below the bound, and graded weights stay level")
            .panel(panel.legend_below())
            .caption("A curve that falls would break the bound; one that is flat meets it."))
    }
}

fn power(x: &[f64], exponent: f64) -> Vec<f64> {
    x.iter().map(|x| x.powf(exponent)).collect()
}

/// The unseen mass of a law times `T^(1-1/alpha)` over its limit, least over T = 10 to 10^8 and three laws.
fn least_unseen() -> Result<f64, Failure> {
    let mut least = Least::default();
    for alpha in [1.5, 2.0, 3.0] {
        let law = Zipf::infinite(alpha)?;
        for k in 1..=8 {
            let t = 10usize.pow(k);
            let scaled = law.unseen_mass(t) * (t as f64).powf(data_exponent(alpha)?);
            least.see(scaled / unseen_mass_constant(&law)?);
        }
    }
    Ok(least.0)
}

impl TypedCheck for NoWeightsDoBetter {
    const CLAIM: &'static str = "heavy-tailed/thm-3-lower";
    const PLAN: Plan = Plan::new(
        "slope of ln(error d^(α-1)) in ln d, the lowest of a family of schemes; error over a floor for all q; unseen mass times T^(1-1/α) over its limit",
        "a product that falls as a power of d, an error below the floor, an unseen mass that falls faster",
        &[NOT_FALLING, EXPONENT_IN_D, ONE, DOWN_TO_CONSTANTS],
    )
    .protocol(&["N = ∞, M = 5, d = 2^6 to 2^38; α = 2, and to 2^26 α = 3/2 and 3 with the two schemes that come nearest"])
    .departures(&["every q is read as six schemes, one of them optimised, on three maps, and the floor that Eq. 22 gives for all q"])
    .rivals(&["graded weights q² = 1/4 + ln(P/x), which are not in the document, at their best P"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (law, dims) = (Zipf::infinite(2.0)?, powers_of_two(6, 38, 8)?);
        let mut boot = setting.stream("bootstrap, theorem 3")?;
        let maps = [target()?, Target::heavy(CLASSES, 20)?, Target::single_class(CLASSES)?];
        let (mut findings, mut floor, mut first, mut sharp) = (Vec::new(), Least::default(), Vec::new(), None);
        for (map, name) in maps.iter().zip(MAPS) {
            let curves = self.attempts(setting, &law, &dims, map)?;
            let mut slopes = Vec::new();
            for curve in &curves {
                slopes.push(curve.times(curve.x())?.slope(&mut boot)?);
                for (low, d) in curve.low()?.iter().zip(&dims) {
                    floor.see(low / (law.tail(3 * (d + 1)) / 20.0));
                }
            }
            sharp = sharp.or(slopes.last().copied());
            let lowest = slopes.into_iter().min_by(|a, b| a.low.total_cmp(&b.low));
            let label = format!("slope of ln(error d), lowest of the family, {name}");
            findings.push(not_falling(&label, lowest.ok_or("no scheme")?));
            if first.is_empty() {
                first = curves;
            }
        }
        let mut findings = findings.into_iter();
        let headline = findings.next().ok_or("no map")?;
        let (flatter, steeper) = (self.nearest(setting, 1.5)?, self.nearest(setting, 3.0)?);
        let wrong_power = steeper[0].times(&power(steeper[0].x(), 1.5))?.slope(&mut boot)?;
        let mut evidence = findings.fold(Evidence::of(headline), Evidence::and);
        for (alpha, curves) in [(1.5, &flatter), (3.0, &steeper)] {
            for (curve, name) in curves.iter().zip(["top d/(4 ln d)", "graded, best P"]) {
                let product = curve.times(&power(curve.x(), minimax_exponent(alpha)?))?.slope(&mut boot)?;
                evidence =
                    evidence.and(not_falling(&format!("α = {alpha}: slope of ln(error d^(α−1)), {name}"), product));
            }
        }
        let steep = steeper[0].times(steeper[0].x())?.slope(&mut boot)?;
        let evidence = evidence
            .and(
                Finding::equals(
                    "slope of ln(error d) of graded weights at their best P: the bound is met",
                    0.0,
                    EXPONENT_IN_D,
                    sharp.ok_or("no scheme")?,
                )
                .unit("draws"),
            )
            .and(Finding::at_least(
                "error over the floor that holds for all q, least of all",
                ONE,
                Estimate::exact(floor.0),
            ))
            .and(
                Finding::at_least(
                    "unseen mass times T^(1-1/α) over its limit, least over α and T",
                    DOWN_TO_CONSTANTS,
                    Estimate::exact(least_unseen()?),
                )
                .cases(24)
                .unit("sums"),
            )
            .twin(not_falling("inputs of a law with α = 3: slope of ln(error d), top d/(4 ln d)", steep))
            .twin(not_falling(
                "d^(α/2) in place of d^(α−1), α = 3: slope of the logarithm of the product",
                wrong_power,
            ));
        Ok(Checked::from(evidence).figure(NoWeightsDoBetter::figure(&first)?))
    }
}

/// A product that must not fall: its slope is at least zero, up to what an exponent may be off.
fn not_falling(label: &str, slope: Estimate) -> Finding {
    Finding::at_least(label, NOT_FALLING, slope).unit("draws")
}

const LOG_POWER: Margin = Margin::new(
    "power of the logarithm",
    0.1,
    "tells half powers apart; the fit has the exact tail sum beyond P as its model",
);
const FORGETTING: Margin = Margin::new(
    "exponent of forgetting",
    0.1,
    "a Gaussian tail has 1/√(ln d) as a factor, which adds 0.05 to the exponent at d = 2^15",
);
const A_HUNDREDTH: Margin =
    Margin::new("one memory in a hundred", 0.01, "expected number of stored inputs that a memory loses");

/// Equal weights on the top c d / ln d.
#[derive(Clone, Debug)]
pub struct Attained {
    /// `(alpha, c)`.
    pub laws: Vec<(f64, f64)>,
    /// A constant that is too large for alpha = 2, beyond M/(4(alpha - 1)).
    pub too_large: f64,
}

impl Default for Attained {
    fn default() -> Attained {
        Attained { laws: vec![(2.0, 0.25), (1.5, 0.25), (3.0, 0.25), (2.0, 1.0)], too_large: 4.0 }
    }
}

impl Attained {
    fn fit(&self, setting: &Setting, alpha: f64, scheme: &Scheme) -> Result<PolylogFit, Failure> {
        let (law, wide) = (Zipf::infinite(alpha)?, powers_of_two(16, 56, 4)?);
        let curve = draws(setting)?.curve(&law, &target()?, scheme, &wide)?;
        let stream = setting.streams().restart("bootstrap, attained")?;
        Ok(curve.polylog_fit(&mut { stream })?)
    }

    fn table(fits: &[(f64, f64, PolylogFit)]) -> Result<Table, Failure> {
        let column = |f: &dyn Fn(&(f64, f64, PolylogFit)) -> f64| fits.iter().map(f).collect::<Vec<f64>>();
        Ok(Table::new(columns(vec![
            ("α", column(&|f| f.0).into()),
            ("c", column(&|f| f.1).into()),
            ("M/(4(α−1))", column(&|f| CLASSES as f64 / (4.0 * (f.0 - 1.0))).into()),
            ("power of d", column(&|f| f.2.exponent.value).into()),
            ("power of ln d", column(&|f| f.2.log_power.value).into()),
        ])?)
        .title("Equal weights on the top c d / ln d")
        .caption(
            "Fit of error = const · d^s (ln d)^k between d = 2^16 and 2^56. A c above the third column is too large.",
        )
        .digits(3))
    }
}

/// Probability that one stored input is lost, and the expected number of lost ones: c = 1, alpha = 2.
fn lost(setting: &Setting, d: usize) -> Result<[f64; 2], Failure> {
    let (law, scheme) = (Zipf::infinite(2.0)?, top_with_logarithm(1.0)?);
    let profile = Profile::population(&law, &target()?, &scheme, d)?;
    let mass = mean(&draws(setting)?.stored_error(&profile, d)?.to_vec())?.value;
    let stored = scheme.stored_at(d).ok_or("a scheme with a threshold")?;
    // All stored inputs have one weight, and so, but for the sizes of their classes, one probability to be lost.
    let one = mass / law.mass(1, Some(stored));
    Ok([one, one * stored as f64])
}

/// Lowest and highest end of the error over `a ln d/d + c T^(-1/2)`, both constants known, at alpha = 2 with the top d/(4 ln d) of the data;
/// and without a threshold at d = 2^8 and the largest T.
fn with_both(setting: &Setting) -> Result<[f64; 3], Failure> {
    let (draws, law, target) = (few_draws(setting)?, Zipf::infinite(2.0)?, target()?);
    let sizes = powers_of_two(6, 16, 2)?;
    // What is beyond P = d/(4 ln d) has the mass C/P, and is guessed.
    let (beyond, unseen) = (4.0 * chance_error(CLASSES) * law.constant(), unseen_constant(&law)?);
    let bound = |d: usize, t: usize| beyond * (d as f64).ln() / d as f64 + unseen / (t as f64).sqrt();
    let (mut low, mut high) = (Least::default(), Largest::default());
    let top = top_with_logarithm(0.25)?;
    for d in powers_of_two(6, 16, 2)? {
        let data = &mut setting.stream(&format!("attained, data, d = {d}"))?;
        let curve = draws.sample_curve(&law, &target, &top, d, &sizes, data)?;
        for (i, t) in sizes.iter().enumerate() {
            let error = curve.at(i)?;
            low.see(error.low / bound(d, *t));
            high.see(error.high / bound(d, *t));
        }
    }
    let (d, t) = (1 << 8, sizes[sizes.len() - 1]);
    let data = &mut setting.stream("attained, data, no threshold")?;
    let all = draws.sample_curve(&law, &target, &Scheme::uniform(), d, &[t], data)?;
    Ok([low.0, high.0, all.at(0)?.low / bound(d, t)])
}

impl TypedCheck for Attained {
    const CLAIM: &'static str = "heavy-tailed/thm-3-attained";
    const PLAN: Plan = Plan::new(
        "powers of d and of ln d in the exact expected error; probability that a stored input is lost; with data, error over both terms",
        "a power of d other than -(α-1); stored inputs that are lost; an error that is not of the size of the two terms",
        &[
            EXPONENT_IN_D,
            LOG_POWER,
            FORGETTING,
            A_HUNDREDTH,
            DOWN_TO_CONSTANTS,
            UP_TO_CONSTANTS,
        ],
    )
    .protocol(&[
        "N = ∞, M = 5, ρ = 0, P = ⌈c d/ln d⌉, d = 2^16 to 2^56",
        "data: α = 2, c = 1/4, the top P of the data, d and T = 2^6 to 2^16",
    ])
    .departures(&[
        "P ≃ d/ln d is read as for some constant c, as ≃ is throughout; c must be below M/(4(α-1)), or too many stored inputs are lost: \
         at α = 3 the constant one is too large, and stands among the wrong forms",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut fits = Vec::new();
        for (alpha, c) in &self.laws {
            fits.push((*alpha, *c, self.fit(setting, *alpha, &top_with_logarithm(*c)?)?));
        }
        let too_large = self.fit(setting, 2.0, &top_with_logarithm(self.too_large)?)?;
        let one_at_three = self.fit(setting, 3.0, &top_with_logarithm(1.0)?)?;
        let bare = Scheme::uniform().threshold(Threshold::PerDimension(1.0))?;
        let bare = self.fit(setting, 2.0, &bare)?;
        let dims = [1usize << 10, 1 << 20];
        let [small, large] = [lost(setting, dims[0])?, lost(setting, dims[1])?];
        let power = last_exponent(&dims.map(|d| d as f64), &[small[0], large[0]]);
        let (mut powers, mut logs) = (Vec::new(), Vec::new());
        for (alpha, c, fit) in &fits {
            let exponent = minimax_exponent(*alpha)?;
            powers.push(in_d(format!("power of d, α = {alpha}, c = {c}"), exponent, fit.exponent));
            let label = format!("power of ln d, α = {alpha}, c = {c}");
            logs.push(Finding::equals(label, exponent, LOG_POWER, fit.log_power).unit("draws"));
        }
        let mut rest = powers.into_iter().chain(logs);
        let headline = rest.next().ok_or("no law to look at")?;
        let evidence = Evidence::of(headline)
            .and(Finding::at_most(
                "expected number of stored inputs lost, c = 1, d = 2^20",
                A_HUNDREDTH,
                Estimate::exact(large[1]),
            ))
            .and(Finding::equals(
                "exponent in d of the probability that a stored input is lost, c = 1, against -M/4",
                -(CLASSES as f64) / 4.0,
                FORGETTING,
                Estimate::exact(power),
            ));
        let [low, high, unthresholded] = with_both(setting)?;
        let both = |finding: Finding| finding.cases(36).unit("pairs of d and T");
        let evidence = rest
            .fold(evidence, Evidence::and)
            .and(both(Finding::at_most(
                "data, α = 2: error over a ln d/d + c T^(−1/2), highest of the grid",
                UP_TO_CONSTANTS,
                Estimate::exact(high),
            )))
            .and(both(Finding::at_least(
                "data, α = 2: error over a ln d/d + c T^(−1/2), lowest of the grid",
                DOWN_TO_CONSTANTS,
                Estimate::exact(low),
            )))
            .twin(Finding::at_most(
                "data, no threshold, d = 2^8, T = 2^16: error over a ln d/d + c T^(−1/2)",
                UP_TO_CONSTANTS,
                Estimate::exact(unthresholded),
            ))
            .twin(in_d("P = d, the logarithm left out: power of d, α = 2", 1.0, bare.exponent))
            .twin(in_d(
                "P = d/ln d at α = 3, a constant beyond M/(4(α-1)): power of d",
                minimax_exponent(3.0)?,
                one_at_three.exponent,
            ))
            .twin(in_d("P = 4 d/ln d, a constant beyond M/(4(α-1)): power of d, α = 2", 1.0, too_large.exponent));
        fits.push((3.0, 1.0, one_at_three));
        fits.push((2.0, self.too_large, too_large));
        Ok(Checked::from(evidence).table(Attained::table(&fits)?))
    }
}
