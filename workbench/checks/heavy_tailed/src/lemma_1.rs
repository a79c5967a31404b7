//! Lemma 1: finite data, infinite memory.
//!
//! **Claim** (`heavy-tailed/lemma-1`, Eq. 14). A memory that answers every input it has seen, and errs on all others, has after T samples
//! of a Zipf law with exponent alpha > 1 the expected error T^(-1 + 1/alpha), up to constants.
//!
//! The expected error is the sum of p (1 - p)^T, exact to twelve digits also for infinitely many inputs. Refuted by a product T^(1 - 1/alpha)
//! E(f^) that drifts, or an exponent that differs. The lemma names no constants; the substitution u = T C x^-alpha gives the limit, C^(1/alpha)
//! Gamma(1 - 1/alpha)/alpha, a known answer for the sums. With N inputs the law of powers ends near T = N^alpha; the proof lets N go to infinity.

use workbench_display::{Figure, Panel};
use workbench_ledger::{Check, Done, Failure, Sheet};
use workbench_memory::{Zipf, data_exponent, power_law, unseen_mass_constant};

use super::exponents::{EXACT_EXPONENT, FLAT, LIMIT, floats, last_exponent, spread};

/// Order and limit of the unseen mass.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/lemma-1",
    metric: "exponent in T of the exact unseen mass over the last decade; largest over smallest of its product with T^(1-1/alpha), over the limit of each law",
    against: "an exponent that is not -1 + 1/alpha, or a product T^(1 - 1/alpha) E(f^) that drifts",
    protocol: &["Zipf laws with alpha > 1 and N = ∞, as the proof takes them"],
    choices: &["alpha = 1.2, 1.5, 2, 3; T = 10 to 10^8"],
    departures: &[
        "the statement says x in [N]; with finite N the power law ends near T = N^alpha, run as a wrong twin",
    ],
    run,
    ..Check::DEFAULT
};

/// One law: its unseen mass, and that times T^(1 - 1/alpha) over the predicted limit.
struct Curve {
    alpha: f64,
    errors: Vec<f64>,
    over_limit: Vec<f64>,
}

fn unseen(law: &Zipf, sizes: &[usize]) -> Vec<f64> {
    sizes.iter().map(|size| law.unseen_mass(*size)).collect()
}

fn run(s: &Sheet) -> Done {
    let sizes: Vec<usize> = (1..=s.knob("decades of T", 8u32, 2..=9)?).map(|k| 10usize.pow(k)).collect();
    let t = floats(&sizes);
    let mut curves = Vec::new();
    for alpha in [1.2, 1.5, 2.0, 3.0] {
        let law = Zipf::infinite(alpha)?;
        let (limit, exponent) = (unseen_mass_constant(&law)?, data_exponent(alpha)?);
        let errors = unseen(&law, &sizes);
        let over_limit: Vec<f64> = errors.iter().zip(&t).map(|(error, t)| error * t.powf(exponent) / limit).collect();
        let found = last_exponent(&t, &errors);
        s.printed(EXACT_EXPONENT).equals(format!("exponent in T, α = {alpha}"), -exponent, found);
        let label = format!("unseen mass over its limit, α = {alpha}");
        s.support(LIMIT).equals(label, 1.0, over_limit[over_limit.len() - 1]);
        curves.push(Curve { alpha, errors, over_limit });
    }
    let products: Vec<f64> = curves.iter().flat_map(|curve| curve.over_limit.clone()).collect();
    let drift = s.printed(FLAT).over(products.len(), "products");
    drift.at_most("largest over smallest product T^(1−1/α) E over its limit, all T and α", spread(&products));

    let ended = unseen(&Zipf::new(2.0, 1000)?, &sizes);
    let label = "N = 1000 inputs, all seen by then: exponent, α = 2";
    s.twin(EXACT_EXPONENT).equals(label, -0.5, last_exponent(&t, &ended));
    // It knows as many inputs as there are samples, and not those that it has seen.
    let law = Zipf::infinite(3.0)?;
    let most_frequent: Vec<f64> = sizes.iter().map(|size| law.tail(*size)).collect();
    let label = "a memory that knows the T most frequent inputs: exponent, α = 3";
    s.twin(EXACT_EXPONENT).equals(label, -data_exponent(3.0)?, last_exponent(&t, &most_frequent));
    s.figure(figure(&t, &curves, &ended)?);
    Ok(())
}

fn figure(t: &[f64], curves: &[Curve], ended: &[f64]) -> Result<Figure, Failure> {
    let (mut left, mut right) = (Panel::new("exact sums"), Panel::new("distance from the limit"));
    for (k, curve) in curves.iter().enumerate() {
        let alpha = curve.alpha;
        let limit = unseen_mass_constant(&Zipf::infinite(alpha)?)?;
        let law = power_law(t, limit, -data_exponent(alpha)?);
        let distance: Vec<f64> = curve.over_limit.iter().map(|ratio| (ratio - 1.0).abs()).collect();
        left = left
            .points(&format!("α = {alpha}"), t, &curve.errors)
            .colour(k)
            .theory(&format!("limit, α = {alpha}"), t, &law)
            .colour(k);
        right = right.points(&format!("α = {alpha}"), t, &distance).colour(k);
    }
    let left = left.line("α = 2, N = 1000", t, ended).colour(5).x_label("T").y_label("unseen mass");
    let right = right.theory("1/T", t, &power_law(t, 1.0, -1.0)).x_label("T").y_label("|sum over limit − 1|");
    Ok(Figure::new("The unseen mass is a power of T from the first samples on")
            .panel(left.log_x().log_y().y_limits(1e-7, 1.0).legend_below())
            .panel(right.log_x().log_y().y_limits(1e-10, 1.0).legend_below())
            .columns(2)
            .caption(
                "Left: dots are exact sums over infinitely many inputs, dashed lines the predicted limits without a free constant; \
                 with N = 1000 the power law ends near T = N^{α}. Right: how far sum and limit are apart.",
            ))
}
