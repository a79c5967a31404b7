//! The last display of the proof of Lemma 1: a Gamma function.
//!
//! **Claim** (`heavy-tailed/lemma-1-gamma-integral`). int_1^inf x^-alpha exp(-T x^-alpha) dx = alpha / Gamma((alpha-1)/alpha)
//! T^(-(alpha-1)/alpha).
//!
//! The substitution u = T x^-alpha gives gamma(1 - 1/alpha, T) T^(-(1 - 1/alpha)) / alpha with the lower incomplete function, so the power
//! should agree and the constant be the reciprocal of the printed one. The claim is refuted by quadrature over another constant, the
//! mended form by quadrature that differs from it at any T.

use workbench_display::{Figure, Panel, Table, columns};
use workbench_ledger::{Check, Done, Failure, Sheet};
use workbench_memory::{
    Falling, data_exponent, unseen_integral, unseen_integral_constant, unseen_integral_constant_printed,
};

use super::profiles::QUADRATURE;

/// The integral by quadrature.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/lemma-1-gamma-integral",
    metric: "constant by quadrature at the largest T over a formula's; relative difference from the closed form at every T",
    against: "a constant that is not the formula's",
    choices: &["alpha = 1.1 to 5, T = 1 to 10^6; power and constant apart"],
    run,
    ..Check::DEFAULT
};

/// Exponents, each above one.
const ALPHAS: [f64; 5] = [1.1, 1.5, 2.0, 3.0, 5.0];
/// Last power of ten of T.
const DECADES: i32 = 6;

fn run(s: &Sheet) -> Done {
    s.misprint(
        "the constant is Γ(1 - 1/α)/α, in the limit of large T; for finite T Γ is the lower incomplete function γ(1 - 1/α, T)",
    );
    let mut constants = Vec::new();
    for alpha in s.each("exponents", ALPHAS) {
        let (f, mut last) = (Falling::Power(alpha), [1.0; 2]);
        for t in s.each("integrals", (0..=DECADES).map(|k| 10f64.powi(k))) {
            let value = f.over_ranks(t, 1.0, f64::INFINITY)?;
            let label = "γ(1 − 1/α, T) T^−(1 − 1/α)/α against quadrature: largest relative difference";
            s.changed(QUADRATURE).same(label, (value / unseen_integral(alpha, t)? - 1.0).abs());
            last = [last[1], value];
        }
        let exponent = data_exponent(alpha)?;
        let label = "exponent over the last decade: largest distance from −(1 − 1/α)";
        s.changed(QUADRATURE).same(label, ((last[1] / last[0]).log10() + exponent).abs());
        // T^(1 - 1/alpha) times the integral at the last T.
        constants.push(last[1] * 10f64.powi(DECADES).powf(exponent));
    }
    for (alpha, constant) in ALPHAS.into_iter().zip(&constants) {
        let printed = unseen_integral_constant_printed(alpha)?;
        s.printed(QUADRATURE).equals(format!("constant over the printed one, α = {alpha}"), 1.0, constant / printed);
        let right = unseen_integral_constant(alpha)?;
        s.changed(QUADRATURE).equals(format!("constant over Γ(1 − 1/α)/α, α = {alpha}"), 1.0, constant / right);
    }
    let alpha = ALPHAS[0];
    let dual = alpha / (alpha - 1.0); // 1 - 1/dual = 1/alpha
    let other = unseen_integral_constant(dual)? * dual / alpha;
    let label = format!("Γ(1/α) in the place of Γ(1 − 1/α), α = {alpha}");
    s.twin(QUADRATURE).equals(label, 1.0, constants[0] / other);
    s.note("the rate of Lemma 1 is not touched; for the law p = C x^-α the constant is C^(1/α) Γ(1 - 1/α)/α");
    s.table(table(&constants)?);
    s.figure(figure(&constants)?);
    Ok(())
}

fn table(constants: &[f64]) -> Result<Table, Failure> {
    let of = |constant: fn(f64) -> _| ALPHAS.into_iter().map(constant).collect::<Result<Vec<f64>, _>>();
    let list = vec![
        ("α", ALPHAS.to_vec().into()),
        ("quadrature", constants.to_vec().into()),
        ("Γ(1 − 1/α)/α", of(unseen_integral_constant)?.into()),
        ("α/Γ(1 − 1/α), printed", of(unseen_integral_constant_printed)?.into()),
    ];
    Ok(Table::new(columns(list)?).title("The constant of T^−(1 − 1/α)").digits(4))
}

fn figure(found: &[f64]) -> Result<Figure, Failure> {
    let alphas: Vec<f64> = (0..200).map(|i| 1.08 + 4.2 * f64::from(i) / 199.0).collect();
    let right = alphas.iter().map(|a| unseen_integral_constant(*a));
    let printed = alphas.iter().map(|a| unseen_integral_constant_printed(*a));
    let (right, printed) = (right.collect::<Result<Vec<f64>, _>>()?, printed.collect::<Result<Vec<f64>, _>>()?);
    let panel = Panel::new("constant of T^{−(1−1/α)}")
        .x_label("α")
        .y_label("constant")
        .log_y()
        .points(&format!("quadrature, T = 10^{{{DECADES}}}"), &ALPHAS, found)
        .line("Γ(1 − 1/α)/α", &alphas, &right)
        .line("α/Γ(1 − 1/α), printed", &alphas, &printed);
    Ok(Figure::new("The printed constant of Lemma 1 is upside down")
        .panel(panel)
        .caption("The two curves are reciprocals of one another and cross once, near α = 1.9."))
}
