//! Theorem 3: the best that any weights can do.
//!
//! **Claims.** (`heavy-tailed/thm-3-lower`, Eq. 8) With N = infinity, for every q there is a p(y|x) with E E(f_q) >= c (d^(-alpha+1) +
//! T^(-1+1/alpha)). (`heavy-tailed/thm-3-attained`) Up to logarithms this is reached by equal weights on the top P, P of the order d/ln d.
//!
//! "Every q" cannot be exhausted. The first is attacked with a family of schemes, one of them with its threshold optimised at each d on
//! held-out draws, and with three maps. A product error * d^(alpha-1) that falls as a power of d refutes it. Beside it stands a floor that
//! holds for all q at once, far below: if all labels are equal, fewer than 3(d+1) inputs can have 3(d+1) q(x)^2 > Q_inf, so Eq. 22 leaves a
//! twentieth of the mass beyond rank 3(d+1). The second is refuted by another power of d than -(alpha-1), and with data by an error over
//! both terms that has a power. The check stands on the power of ln d that the tail beyond P has, and on how rarely stored inputs are lost.

use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{mean, power_fit};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memory::{
    ErrorCurve, PolylogFit, Profile, Scheme, Target, Threshold, ThresholdProfile, Zipf, best_threshold_curve,
    chance_error, data_exponent, minimax_exponent, powers_of_two,
};

use super::exponents::{CLASSES, EXPONENT_IN_D, EXPONENT_IN_T, ONE, last_exponent, target};
use super::scaling_curves::{
    GAUSSIAN_TAIL, along, draws, few_draws, over_law, top_eighth, top_with_logarithm, unseen_constant,
};

const NOT_FALLING: Margin = Margin::statistical(
    "does not fall",
    -0.02,
    "the margin of every exponent in d, on the side that would break the bound",
);
const LOG_POWER: Margin = Margin::statistical(
    "power of the logarithm",
    0.1,
    "tells half powers apart; the fit has the exact tail sum beyond P as its model",
);
const A_HUNDREDTH: Margin =
    Margin::ours("one memory in a hundred", 0.01, "expected number of stored inputs that a memory loses");

/// Eq. 8.
pub const NO_WEIGHTS_DO_BETTER: Check = Check {
    claim: "heavy-tailed/thm-3-lower",
    metric: "slope of ln(error d^(α-1)) in ln d, the lowest of a family of schemes; slope of the unseen mass times T^(1-1/α)",
    against: "a product that falls as a power of d, an unseen mass that falls faster than its power of T",
    protocol: &["N = ∞"],
    choices: &[
        "M = 5, d = 2^6 to 2^38; α = 2, and to 2^26 α = 3/2 and 3 with the two schemes that come nearest; T = 10^4 to 10^8",
    ],
    departures: &["every q is read as six schemes, one of them optimised, on three maps"],
    rivals: &["graded weights q² = 1/4 + ln(P/x), which are not in the document, at their best P"],
    run: no_weights_do_better,
    ..Check::DEFAULT
};

/// Equal weights on the top c d / ln d.
pub const ATTAINED: Check = Check {
    claim: "heavy-tailed/thm-3-attained",
    metric: "power of d in the exact expected error, a power of ln d fitted with it; with data, slope in T of the error over both terms where they have one size",
    against: "a power of d other than -(α-1); an error over the two terms that has a power",
    protocol: &["N = ∞, ρ = 0, P ≃ d/ln d"],
    choices: &[
        "M = 5, P = ⌈c d/ln d⌉, c = 1/4 and 1, d = 2^16 to 2^56",
        "data: α = 2, c = 1/4, the top P of the data, T = 2^6 to 2^16 and the d at which both terms are one size",
        "P ≃ d/ln d is read as for some constant c; c must be below M/(4(α-1)), or too many stored inputs are lost: \
         at α = 3 the constant one is too large, and stands among the wrong forms",
    ],
    run: attained,
    ..Check::DEFAULT
};

fn no_weights_do_better(s: &Sheet) -> Done {
    let (law, dims) = (Zipf::infinite(2.0)?, powers_of_two(6, 38, 8)?);
    let (mut boot, says) = (s.stream("bootstrap, theorem 3")?, s.printed(NOT_FALLING).of("draws"));
    let maps = [
        ("f = x mod 5", target()?),
        ("one heavy class", Target::heavy(CLASSES, 20)?),
        ("a single class", Target::single_class(CLASSES)?),
    ];
    for (k, (name, map)) in maps.iter().enumerate() {
        let (curves, mut slopes) = (attempts(s, &law, &dims, map)?, Vec::new());
        for curve in &curves {
            slopes.push(curve.times(curve.x())?.slope(&mut boot)?);
        }
        let (graded, lowest) = (slopes.last(), slopes.iter().min_by(|a, b| a.low.total_cmp(&b.low)));
        let label = format!("slope of ln(error d), lowest of the family, {name}");
        says.at_least(label, *lowest.ok_or("no scheme")?);
        for curve in &curves {
            for (low, d) in s.each("errors", curve.low()?.into_iter().zip(&dims)) {
                let floor = law.tail(3 * (d + 1)) / 20.0;
                s.aside(ONE).at_least("error over the floor that holds for all q, least of all", low / floor);
            }
        }
        if k == 0 {
            let label = "slope of ln(error d) of graded weights at their best P: the bound is met";
            s.aside(EXPONENT_IN_D).of("draws").equals(label, 0.0, *graded.ok_or("no scheme")?);
            s.figure(figure(&curves)?);
        }
    }
    let (flatter, steeper) = (nearest(s, 1.5)?, nearest(s, 3.0)?);
    let mut product_slope = |curve: &ErrorCurve, exponent: f64| {
        let powers: Vec<f64> = curve.x().iter().map(|x| x.powf(exponent)).collect();
        curve.times(&powers)?.slope(&mut boot)
    };
    for (alpha, curves) in [(1.5, &flatter), (3.0, &steeper)] {
        for (curve, name) in curves.iter().zip(["top d/(4 ln d)", "graded, best P"]) {
            let label = format!("α = {alpha}: slope of ln(error d^(α−1)), {name}");
            says.at_least(label, product_slope(curve, minimax_exponent(alpha)?)?);
        }
    }
    // Equal weights fit finitely many inputs.
    let (finite, dims) = (Zipf::new(2.0, 1 << 10)?, powers_of_two(6, 14, 2)?);
    let finite = few_draws(s)?.curve(&finite, &target()?, &Scheme::uniform(), &dims)?;
    let label = "N = 2^10 in place of N = ∞, equal weights, d to 2^14: slope of ln(error d)";
    s.twin(NOT_FALLING).of("draws").at_least(label, product_slope(&finite, 1.0)?);
    for alpha in [1.5, 2.0, 3.0] {
        let (law, exponent) = (Zipf::infinite(alpha)?, data_exponent(alpha)?);
        let sizes: Vec<f64> = (4..=8).map(|k| 10f64.powi(k)).collect();
        let scaled: Vec<f64> = sizes.iter().map(|t| law.unseen_mass(*t as usize) * t.powf(exponent)).collect();
        let slope = power_fit(&sizes, &scaled, (1.0, 1e9))?.slope.value;
        let label = format!("α = {alpha}: slope of ln(unseen mass × T^(1-1/α)) in ln T");
        s.printed(NOT_FALLING).over(sizes.len(), "sums").at_least(label, slope);
    }
    Ok(())
}

/// Names of the schemes, in the order of [`attempts`].
const SCHEMES: [&str; 6] = ["p^{1/2}", "p", "top d/8", "top d/(4 ln d)", "p^{1/8}, top d/2", "graded, best P"];

/// Errors of the schemes; that of graded weights q^2 = 1/4 + ln(P/x) at the P that is best at each d.
fn attempts(s: &Sheet, law: &Zipf, dims: &[usize], map: &Target) -> Result<Vec<ErrorCurve>, Failure> {
    let draws = few_draws(s)?;
    let family = [
        Scheme::power(0.5)?,
        Scheme::power(1.0)?,
        top_eighth()?,
        top_with_logarithm(0.25)?,
        Scheme::power(0.125)?.threshold(Threshold::PerDimension(0.5))?,
    ];
    let mut curves = family.iter().map(|scheme| draws.curve(law, map, scheme, dims)).collect::<Result<Vec<_>, _>>()?;
    let graded = ThresholdProfile::over_dims(&draws, law, map, &Scheme::graded(0.25)?, dims, 2.0)?;
    curves.push(best_threshold_curve(&graded)?);
    Ok(curves)
}

/// Errors of the two schemes that come nearest to the bound, f = x mod 5, at another alpha.
fn nearest(s: &Sheet, alpha: f64) -> Result<[ErrorCurve; 2], Failure> {
    let (law, map, draws, dims) = (Zipf::infinite(alpha)?, target()?, few_draws(s)?, powers_of_two(6, 26, 10)?);
    let top = draws.curve(&law, &map, &top_with_logarithm(0.25)?, &dims)?;
    let graded = ThresholdProfile::over_dims(&draws, &law, &map, &Scheme::graded(0.25)?, &dims, 2.0)?;
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

fn attained(s: &Sheet) -> Done {
    let (in_d, mut fits) = (s.printed(EXPONENT_IN_D).of("draws"), Vec::new());
    for (alpha, c) in [(2.0, 0.25), (1.5, 0.25), (3.0, 0.25), (2.0, 1.0)] {
        let (exponent, fit) = (minimax_exponent(alpha)?, fit(s, alpha, &top_with_logarithm(c)?)?);
        in_d.equals(format!("power of d, α = {alpha}, c = {c}"), -exponent, fit.exponent);
        let label = format!("power of ln d, α = {alpha}, c = {c}");
        s.support(LOG_POWER).of("draws").equals(label, exponent, fit.log_power);
        fits.push((alpha, c, fit));
    }
    let wrong = s.twin(EXPONENT_IN_D).of("draws");
    for (alpha, c, label) in [
        (3.0, 1.0, "P = d/ln d at α = 3, a constant beyond M/(4(α-1)): power of d"),
        (2.0, 4.0, "P = 4 d/ln d, a constant beyond M/(4(α-1)): power of d, α = 2"),
    ] {
        let fit = fit(s, alpha, &top_with_logarithm(c)?)?;
        wrong.equals(label, -minimax_exponent(alpha)?, fit.exponent);
        fits.push((alpha, c, fit));
    }
    let bare = fit(s, 2.0, &Scheme::uniform().threshold(Threshold::PerDimension(1.0))?)?;
    wrong.equals("P = d, the logarithm left out: power of d, α = 2", -1.0, bare.exponent);
    s.table(table(&fits)?);

    let dims = [1usize << 10, 1 << 20];
    let ([small, _], [large, number]) = (lost(s, dims[0])?, lost(s, dims[1])?);
    s.aside(A_HUNDREDTH).at_most("expected number of stored inputs lost, c = 1, d = 2^20", number);
    let power = last_exponent(&dims.map(|d| d as f64), &[small, large]);
    let label = "exponent in d of the probability that a stored input is lost, c = 1, against -M/4";
    s.support(GAUSSIAN_TAIL).equals(label, -(CLASSES as f64) / 4.0, power);
    with_both(s)
}

/// Powers of d and of ln d in the error.
fn fit(s: &Sheet, alpha: f64, scheme: &Scheme) -> Result<PolylogFit, Failure> {
    let curve = draws(s)?.curve(&Zipf::infinite(alpha)?, &target()?, scheme, &powers_of_two(16, 56, 4)?)?;
    Ok(curve.polylog_fit(&mut s.streams().restart("bootstrap, attained")?)?)
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
    .caption("Fit of error = const · d^s (ln d)^k between d = 2^16 and 2^56. A c above the third column is too large.")
    .digits(3))
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

/// The error over `a ln d/d + c T^(-1/2)`, both constants known, at alpha = 2 with the top d/(4 ln d) of the data, where the two are one size:
/// up to constants it is one.
fn with_both(s: &Sheet) -> Done {
    let law = Zipf::infinite(2.0)?;
    // What is beyond P = d/(4 ln d) has the mass C/P, and is guessed.
    let (beyond, unseen) = (4.0 * chance_error(CLASSES) * law.constant(), unseen_constant(&law)?);
    let (memory, data) = (|d: usize| beyond * (d as f64).ln() / d as f64, |t: f64| unseen / t.sqrt());
    let mut path = Vec::new();
    for k in [6, 8, 10, 12, 14, 16] {
        let t = 1usize << k;
        let d = (16..1 << 20).find(|d| memory(*d) <= data(t as f64)).ok_or("no dimension is large enough")?;
        path.push((law.clone(), d, t));
    }
    let mut stream = s.stream("attained, data")?;
    let curve = along(&*few_draws(s)?, &top_with_logarithm(0.25)?, &path, &mut stream)?;
    let mut boot = s.stream("bootstrap, attained, data")?;
    let over_sum = over_law(&curve, |t| 2.0 * data(t))?.slope(&mut boot)?;
    let label = "data, α = 2: error over a ln d/d + c T^(−1/2) where both are one size, slope in T";
    s.printed(EXPONENT_IN_T).of("draws").equals(label, 0.0, over_sum);
    Ok(())
}
