//! Theorem 3: the best that any weights can do.
//!
//! **Claims.** (`heavy-tailed/thm-3-lower`, Eq. 8) With N = infinity, for every q there is a p(y|x) with E E(f_q) >= c (d^(-alpha+1) +
//! T^(-1+1/alpha)). (`heavy-tailed/thm-3-attained`) Up to logarithms this is reached by equal weights on the top P, P of the order d/ln d.
//!
//! "Every q" cannot be exhausted. The first is attacked with a family of schemes, one of them with its threshold optimised at each d on held-out
//! draws, with three maps, and with a floor that holds for all q at once: if all labels are equal, fewer than 3(d+1) inputs can have
//! 3(d+1) q(x)^2 > Q_inf, so Eq. 22 leaves a twentieth of the mass beyond rank 3(d+1). A product error * d^(alpha-1) that falls as a power of d
//! refutes it. The second is refuted by another power of d than -(alpha-1), and by stored inputs that are lost.

use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::mean;
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memory::{
    ErrorCurve, PolylogFit, Profile, Scheme, Target, Threshold, ThresholdProfile, Zipf, best_threshold_curve,
    chance_error, data_exponent, minimax_exponent, powers_of_two, unseen_mass_constant,
};

use super::exponents::{CLASSES, EXPONENT_IN_D, ONE, last_exponent, target};
use super::scaling_curves::{
    DOWN_TO_CONSTANTS, UP_TO_CONSTANTS, draws, few_draws, sample_sizes, top_eighth, top_with_logarithm, unseen_constant,
};

const NOT_FALLING: Margin =
    Margin::new("does not fall", -0.02, "the margin of every exponent in d, on the side that would break the bound");
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

/// Eq. 8.
pub const NO_WEIGHTS_DO_BETTER: Check = Check {
    claim: "heavy-tailed/thm-3-lower",
    metric: "slope of ln(error d^(α-1)) in ln d, the lowest of a family of schemes; error over a floor for all q; unseen mass times T^(1-1/α) over its limit",
    against: "a product that falls as a power of d, an error below the floor, an unseen mass that falls faster",
    protocol: &[
        "N = ∞, M = 5, d = 2^6 to 2^38; α = 2, and to 2^26 α = 3/2 and 3 with the two schemes that come nearest",
    ],
    departures: &[
        "every q is read as six schemes, one of them optimised, on three maps, and the floor that Eq. 22 gives for all q",
    ],
    rivals: &["graded weights q² = 1/4 + ln(P/x), which are not in the document, at their best P"],
    run: no_weights_do_better,
    ..Check::DEFAULT
};

/// Equal weights on the top c d / ln d.
pub const ATTAINED: Check = Check {
    claim: "heavy-tailed/thm-3-attained",
    metric: "powers of d and of ln d in the exact expected error; probability that a stored input is lost; with data, error over both terms",
    against: "a power of d other than -(α-1); stored inputs that are lost; an error that is not of the size of the two terms",
    protocol: &[
        "N = ∞, M = 5, ρ = 0, P = ⌈c d/ln d⌉, d = 2^16 to 2^56",
        "data: α = 2, c = 1/4, the top P of the data, d and T = 2^6 to 2^16",
    ],
    departures: &[
        "P ≃ d/ln d is read as for some constant c, as ≃ is throughout; c must be below M/(4(α-1)), or too many stored inputs are lost: \
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
                s.printed(ONE).at_least("error over the floor that holds for all q, least of all", low / floor);
            }
        }
        if k == 0 {
            let label = "slope of ln(error d) of graded weights at their best P: the bound is met";
            s.printed(EXPONENT_IN_D).of("draws").equals(label, 0.0, *graded.ok_or("no scheme")?);
            s.figure(figure(&curves)?);
        }
    }
    let (flatter, steeper) = (nearest(s, 1.5)?, nearest(s, 3.0)?);
    let mut product_slope = |curve: &ErrorCurve, exponent: f64| {
        let powers: Vec<f64> = curve.x().iter().map(|x| x.powf(exponent)).collect();
        curve.times(&powers)?.slope(&mut boot)
    };
    let (twin, label) =
        (s.twin(NOT_FALLING).of("draws"), "d^(α/2) in place of d^(α−1), α = 3: slope of the logarithm of the product");
    twin.at_least(label, product_slope(&steeper[0], 1.5)?);
    for (alpha, curves) in [(1.5, &flatter), (3.0, &steeper)] {
        for (curve, name) in curves.iter().zip(["top d/(4 ln d)", "graded, best P"]) {
            let label = format!("α = {alpha}: slope of ln(error d^(α−1)), {name}");
            says.at_least(label, product_slope(curve, minimax_exponent(alpha)?)?);
        }
    }
    let label = "inputs of a law with α = 3: slope of ln(error d), top d/(4 ln d)";
    twin.at_least(label, product_slope(&steeper[0], 1.0)?);
    for alpha in [1.5, 2.0, 3.0] {
        let law = Zipf::infinite(alpha)?;
        for t in s.each("sums", (1..=8).map(|k| 10usize.pow(k))) {
            let scaled = law.unseen_mass(t) * (t as f64).powf(data_exponent(alpha)?);
            let label = "unseen mass times T^(1-1/α) over its limit, least over α and T";
            s.printed(DOWN_TO_CONSTANTS).at_least(label, scaled / unseen_mass_constant(&law)?);
        }
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
        s.printed(LOG_POWER).of("draws").equals(label, exponent, fit.log_power);
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
    s.printed(A_HUNDREDTH).at_most("expected number of stored inputs lost, c = 1, d = 2^20", number);
    let power = last_exponent(&dims.map(|d| d as f64), &[small, large]);
    let label = "exponent in d of the probability that a stored input is lost, c = 1, against -M/4";
    s.printed(FORGETTING).equals(label, -(CLASSES as f64) / 4.0, power);
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

/// The error over `a ln d/d + c T^(-1/2)`, both constants known, at alpha = 2 with the top d/(4 ln d) of the data; and without a threshold at
/// d = 2^8 and the largest T.
fn with_both(s: &Sheet) -> Done {
    let (draws, law, target, sizes) = (few_draws(s)?, Zipf::infinite(2.0)?, target()?, sample_sizes()?);
    // What is beyond P = d/(4 ln d) has the mass C/P, and is guessed.
    let (beyond, unseen) = (4.0 * chance_error(CLASSES) * law.constant(), unseen_constant(&law)?);
    let bound = |d: usize, t: usize| beyond * (d as f64).ln() / d as f64 + unseen / (t as f64).sqrt();
    for d in powers_of_two(6, 16, 2)? {
        let data = &mut s.stream(&format!("attained, data, d = {d}"))?;
        let curve = draws.sample_curve(&law, &target, &top_with_logarithm(0.25)?, d, &sizes, data)?;
        for (i, t) in s.each("pairs of d and T", sizes.iter().enumerate()) {
            let error = curve.at(i)?;
            let label = "data, α = 2: error over a ln d/d + c T^(−1/2), highest of the grid";
            s.printed(UP_TO_CONSTANTS).at_most(label, error.high / bound(d, *t));
            let label = "data, α = 2: error over a ln d/d + c T^(−1/2), lowest of the grid";
            s.printed(DOWN_TO_CONSTANTS).at_least(label, error.low / bound(d, *t));
        }
    }
    let (d, t) = (1 << 8, sizes[sizes.len() - 1]);
    let data = &mut s.stream("attained, data, no threshold")?;
    let all = draws.sample_curve(&law, &target, &Scheme::uniform(), d, &[t], data)?;
    let label = "data, no threshold, d = 2^8, T = 2^16: error over a ln d/d + c T^(−1/2)";
    s.twin(UP_TO_CONSTANTS).at_most(label, all.at(0)?.low / bound(d, t));
    Ok(())
}
