//! Bound for equal weights, and the threshold that follows from it: B.3, finite data, rho = 0.
//!
//! **Claim** (`heavy-tailed/b3-finite-data`). The error is at most c_0 P^(1-alpha) + (T+1)^N exp(-2^alpha T c'_alpha P^-alpha) + sum_{x <= P/2}
//! p(x) P(wrong | x in top_P). For rho = 0 and P = min(c_1 d, T^(-1/alpha)/ln T), with c_1 such that all stored inputs are recalled, it is of
//! order d^(1-alpha) + T^(-1+1/alpha) + exp(-c_3 (ln T)^alpha + N ln(T+1)), up to logarithms.
//!
//! The line before the last of the bound has (T+1)^N before both parts of the sum, and the last before the exponential only. Refuted by an
//! error with another exponent in T or d at that P, a line above the next, and by a probability of leaving the top P, listed exactly, above the
//! term that is to bound it, with the constant of the nearest law: that of the exchange is charged where the document takes the one for the
//! other.

use std::f64::consts::LN_10;

use workbench_display::{Figure, Panel};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memory::{
    ConditionalDraws, DataSets, ErrorCurve, Scheme, Threshold, TieBreak, Zipf, exchange_constant, leaves_top,
    leaving_top, powers_of_two, projection_constant,
};

use super::exponents::{EXPONENT_IN_D, EXPONENT_IN_T, ONE, SUM_ROUNDING, draws, far, floats, over_log, target};

/// The bound and the thresholds for equal weights.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/b3-finite-data",
    metric: "exponents in T and d of the expected error; a line less the next; logarithm of an exact probability over its bound",
    against: "another exponent in T or d; a line above the next; a probability above the term that is to bound it",
    protocol: &["ρ = 0, up to logarithmic factors"],
    choices: &[
        "in T one power of the logarithm, which the mended threshold brings, is divided out",
        "α = 2, N = ∞, M = 5; T = 2^8 to 2^22 at d = 2^60, and d = 2^20 to 2^60 at T = ∞",
        "c_1 = 1/100, with which all that is stored is recalled in these dimensions; an eighth, as in the document's Figure 1, beside it",
    ],
    departures: &["tiny N where a bound has to be compared with exact probabilities"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.misprint(
        "T^(+1/α)/ln T in the place of T^(−1/α)/ln T; and in the line before the last of the bound (T+1)^N before the exponential only",
    );
    s.see("heavy-tailed/b3-kl-swap");
    let figure = thresholds(s)?;
    leaving(s)?;
    one_sided_split(s)?;
    bracket(s)?;
    s.figure(figure);
    Ok(())
}

/// Slopes in T, one logarithm divided out, and in d of the error at the thresholds.
fn thresholds(s: &Sheet) -> Result<Figure, Failure> {
    let [right, printed, half] = along_t(s)?;
    let logs = over_log(right.x());
    let share = |c_1: f64| -> Result<ErrorCurve, Failure> {
        let scheme = Scheme::uniform().threshold(Threshold::PerDimension(c_1))?;
        Ok(draws(s)?.curve(&Zipf::infinite(2.0)?, &target()?, &scheme, &far()?.0)?)
    };
    let (safe, fixed) = (share(0.01)?, share(0.125)?);

    let mut boot = s.stream("bootstrap, rho = 0")?;
    let label = "P = T^(1/α)/ln T: slope in T, without its logarithm";
    s.changed(EXPONENT_IN_T).equals(label, -0.5, right.times(&logs)?.slope(&mut boot)?);
    s.both_forms(EXPONENT_IN_D).equals("P = d/100: slope in d", -1.0, safe.slope(&mut boot)?);
    let label = "P = T^(−1/α)/ln T as printed: slope in T, without its logarithm";
    s.printed(EXPONENT_IN_T).equals(label, -0.5, printed.times(&logs)?.slope(&mut boot)?);
    let label = "P = T^(1/2α)/ln T: slope in T, without its logarithm";
    s.twin(EXPONENT_IN_T).equals(label, -0.5, half.times(&logs)?.slope(&mut boot)?);
    let label = "P = d/8, where stored inputs keep failing: slope in d";
    s.aside(EXPONENT_IN_D).equals(label, -1.0, fixed.slope(&mut boot)?);

    let panel = |title, x| Panel::new(title).x_label(x).y_label("error").log_x().log_y();
    let t = right.x();
    let data: Vec<f64> = t.iter().map(|t| 0.5 * t.ln() / t.sqrt()).collect();
    let left = panel("in T, d = 2^{60}", "T")
        .y_limits(1e-3, 1.0)
        .line("P = T^{1/α}/ln T", t, &right.means())
        .colour(0)
        .theory("0.5 ln T / √T", t, &data)
        .colour(0)
        .line("P with T^{−1/α}", t, &printed.means())
        .colour(1);
    let d = safe.x();
    let memory: Vec<f64> = d.iter().map(|d| 49.0 / d).collect();
    let right = panel("in d, T = ∞", "d")
        .y_limits(1e-18, 1.0)
        .line("P = d/100", d, &safe.means())
        .colour(0)
        .theory("49/d", d, &memory)
        .colour(0)
        .line("P = d/8", d, &fixed.means())
        .colour(1);
    let figure = Figure::new("T^{1/α}/ln T reaches the rate, T^{−1/α} stores a single input").panel(left).panel(right);
    Ok(figure.columns(2).caption(
        "Left: with the printed exponent the threshold stays at one input. Right: at P = d/8 the stored inputs keep failing with a constant, \
         small probability; at d/100 it is too small to be seen. Dashed lines have a free constant.",
    ))
}

/// Errors along T of equal weights on the top P(T), N = infinity, d = 2^60: with T^(1/2), T^(-1/2) and T^(1/4) over ln T.
fn along_t(setting: &Setting) -> Result<[ErrorCurve; 3], Failure> {
    let sizes = powers_of_two(8, 22, 2)?;
    let n = setting.scale().pick(60, 300);
    let draws = ConditionalDraws::new(5, n, &mut setting.stream("draws, threshold in T")?)?;
    let (law, target, t) = (Zipf::infinite(2.0)?, target()?, floats(&sizes));
    let mut columns = [Vec::new(), Vec::new(), Vec::new()];
    for (i, (size, tf)) in sizes.iter().zip(&t).enumerate() {
        let up = (tf.sqrt() / tf.ln()).floor().max(1.0);
        let down = (1.0 / tf.sqrt() / tf.ln()).ceil(); // at least one input
        let half = (tf.powf(0.25) / tf.ln()).floor().max(1.0);
        let names = [format!("data {i} {up} {i}"), format!("data {i} {down} {i}"), format!("data, half {i}")];
        for ((list, p), name) in columns.iter_mut().zip([up, down, half]).zip(names) {
            let scheme = Scheme::uniform().top(p as usize)?;
            let curve = draws.sample_curve(&law, &target, &scheme, 1 << 60, &[*size], &mut setting.stream(&name)?)?;
            list.push(curve.runs().column(0).to_owned());
        }
    }
    let curve = |k: usize| ErrorCurve::from_columns(t.clone(), &columns[k]);
    Ok([curve(0)?, curve(1)?, curve(2)?])
}

/// `ln P(x not in top_P)` at alpha = 3, N = 4, x = 1, P = 2 along T, and the logarithms of two terms that are to bound it.
fn leaving(s: &Sheet) -> Done {
    let (alpha, top) = (3.0, 2usize);
    let law = Zipf::new(alpha, 4)?;
    let p = law.probabilities(4);
    let at_half = law.constant() * (0.5 * top as f64).powf(-alpha); // c 2^alpha P^-alpha
    let [mut sizes, mut exact, mut printed, mut mended] = [const { Vec::new() }; 4];
    for t in s.each("sizes T", (20..=300usize).step_by(20)) {
        let out = leaving_top(&p, t, 1, top, TieBreak::Rare)?;
        let bound = |constant: f64| out.ln_count_bound() - t as f64 * constant * at_half;
        let (as_printed, nearest) = (bound(exchange_constant(alpha)), bound(projection_constant(alpha)));
        let label = "term with the constant of the exchange, α = 3, N = 4, P = 2: largest ln of the probability of leaving over it";
        s.aside(Margin::ZERO).at_most(label, out.ln_probability - as_printed);
        let label = "term with (1 − 2^(−α/2))²: largest ln of the probability of leaving over it";
        s.both_forms(Margin::ZERO).at_most(label, out.ln_probability - nearest);
        sizes.push(t as f64);
        exact.push(out.ln_probability / LN_10);
        printed.push(as_printed / LN_10);
        mended.push(nearest / LN_10);
    }
    let panel = Panel::new("α = 3, N = 4, x = 1, P = 2")
        .x_label("T")
        .y_label("log₁₀ of the probability or bound")
        .line("P(x ∉ top P), exact", &sizes, &exact)
        .theory("printed term", &sizes, &printed)
        .theory("with (1 − 2^{−α/2})²", &sizes, &mended);
    s.figure(Figure::new("The printed term falls below the probability that it should bound").panel(panel).caption(
        "A bound has to stay above the solid line. The constant of the exchange makes the printed term fall faster than the probability.",
    ));
    Ok(())
}

/// Errors of the inputs up to P/2 minus the one-sided split, over all data sets; and without its first part, that they leave the top P.
fn one_sided_split(s: &Sheet) -> Done {
    for (alpha, n, top) in [(1.5, 4, 2), (2.0, 4, 3), (2.0, 5, 4), (1.2, 5, 2)] {
        for (size, d) in s.each("problems", [(6, 8), (10, 30), (14, 1000)]) {
            let (law, scheme) = (Zipf::new(alpha, n)?, Scheme::uniform().top(top)?);
            let sets = DataSets::two_classes(&law.probabilities(n), size, &scheme, d)?;
            let (mut excess, mut without) = (0.0, 0.0);
            for x in 1..=top / 2 {
                let split = sets.split(x, &|s| !leaves_top(&s.counts, x, top, TieBreak::Frequent))?;
                let p = law.probability(x);
                excess += p * (split.error - split.outside - split.error_inside);
                without += p * (split.error - split.error_inside);
            }
            let label = "errors up to P/2 minus the one-sided split, all data sets, worst problem";
            s.both_forms(SUM_ROUNDING).at_most(label, excess);
            let label = "the split without the inputs that leave the top P, worst problem";
            s.twin(SUM_ROUNDING).largest().at_most(label, without);
        }
    }
    Ok(())
}

/// The last two lines of the bound where many samples make the exponential small: alpha = 3, P = 2, and the constant of the nearest law.
fn bracket(s: &Sheet) -> Done {
    let (alpha, top, size) = (3.0f64, 2usize, 60usize);
    for n in s.each("numbers of inputs", [3usize, 4]) {
        let law = Zipf::new(alpha, n)?;
        let sets = DataSets::two_classes(&law.probabilities(n), size, &Scheme::uniform().top(top)?, 8)?;
        let types = (size as f64 + 1.0).powi(n as i32);
        let leaves = |x: f64| (-(size as f64) * projection_constant(alpha) * law.constant() * x.powf(-alpha)).exp();
        let (mut out, mut wrong) = (0.0, 0.0);
        for x in 1..=top / 2 {
            let split = sets.split(x, &|s| !leaves_top(&s.counts, x, top, TieBreak::Frequent))?;
            out += law.probability(x) * leaves(x as f64);
            wrong += law.probability(x) * split.error_inside;
        }
        let last = types * leaves(0.5 * top as f64) + wrong;
        let label = "line with (T+1)^N before both parts, over the last line of the bound, T = 60, P = 2";
        s.printed(ONE).at_most(label, types * (out + wrong) / last);
        let label = "line with (T+1)^N before the exponential only, over the last line of the bound";
        s.changed(ONE).at_most(label, (types * out + wrong) / last);
    }
    Ok(())
}
