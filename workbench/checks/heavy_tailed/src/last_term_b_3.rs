//! Is the last term negligible? B.3, finite data.
//!
//! **Claim** (`heavy-tailed/b3-negligible-term`). Because alpha > 1 the term exp(-c_3 (ln T)^alpha + N ln(T+1)) decreases faster than any
//! power of T, and ends up negligible in front of T^(-1+1/alpha).
//!
//! Divided by ln T its logarithm is N - c_3 (ln T)^(alpha-1), a power of T that is to fall below every number, so like a positive power of
//! ln T. Refuted by a power that grows: the theorem that is proven has N = infinity, and T samples from such a law show about T^(1/alpha)
//! inputs.

use workbench_display::{Figure, Panel, Table, frame};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{Zipf, data_exponent, projection_constant};

use super::exponents::{EXACT_EXPONENT, last_exponent};

const INVERSE: Margin = Margin::rounding("inverse", 1e-9, "a formula solved for T and put back, in double precision");

/// The power of T along ln T.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/b3-negligible-term",
    metric: "logarithm of the term over ln T, a power of T: its change with T, and its exponent in ln T",
    against: "a power that grows with T, or does not fall below every number",
    protocol: &["α > 1"],
    choices: &[
        "N from 1 to 1000, α from 1.1 to 2, ln T up to 10^200; ln(T+1) as ln T",
        "c_3 = 2^α c_α (1 − 2^(−α/2))², as the mended bound gives it; the document has no number",
    ],
    departures: &[
        "N = ∞ of Theorem 2 as N = T^(1/α), the inputs that T samples can show; N = ∞ itself makes the term infinite",
    ],
    run,
    ..Check::DEFAULT
};

const ALPHAS: [f64; 3] = [1.1, 1.5, 2.0];

fn run(s: &Sheet) -> Done {
    s.condition("for N finite and fixed while T grows; Theorem 2, whose proof this is, has N = ∞");
    let shown = |ln_t: f64| (0.5 * ln_t).exp();
    let at = |ln_t: f64| Ok::<_, Failure>(power(ln_t, c_3(2.0)?, 2.0, shown(ln_t)));
    let label = "N = ∞, as the T^(1/α) inputs that data show, α = 2: power of T at e^100 minus that at e^50";
    s.printed(Margin::ZERO).at_most(label, at(100.0)? - at(50.0)?);

    let ln_t: Vec<f64> = (1..=400).map(|k| 10f64.powf(0.5 * f64::from(k))).collect();
    let mut rows = Vec::new();
    for alpha in ALPHAS {
        for n in s.each("pairs of α and N", s.knobs("numbers of inputs N", &[1.0, 10.0, 100.0, 1000.0], 1.0..)?) {
            let c = c_3(alpha)?;
            let along: Vec<f64> = ln_t.iter().map(|l| power(*l, c, alpha, n)).collect();
            let fall: Vec<f64> = along.iter().map(|power| -power).collect();
            let label = "N fixed: exponent of minus the power in ln T, over α − 1";
            s.changed(EXACT_EXPONENT).equals(label, 1.0, last_exponent(&ln_t, &fall) / (alpha - 1.0));
            for two in along.windows(2) {
                let label = "N fixed: steps at which the power rises with T";
                s.changed(Margin::ZERO).of("steps").never(label, two[1] > two[0]);
            }
            let first = first_ln_t(alpha, n)?;
            let off = (power(first, c, alpha, n) + data_exponent(alpha)?).abs() / n;
            s.support(INVERSE).same("power at the first T against −1 + 1/α, relative to N", off);
            rows.push([alpha, n, first]);
        }
    }
    let growing = |ln_t: f64| Ok::<_, Failure>(power(ln_t, c_3(1.1)?, 1.1, ln_t).abs());
    let label = "N = ln T in place of a fixed N, α = 1.1: exponent of the power's size in ln T, over α − 1";
    let (near, far) = (growing(1e100)?, growing(1e200)?);
    s.twin(EXACT_EXPONENT).equals(label, 1.0, last_exponent(&[1e100, 1e200], &[near, far]) / 0.1);

    let column = |k: usize| rows.iter().map(|row| row[k]).collect::<Vec<f64>>();
    s.table(
        Table::new(frame(&[("α", &column(0)), ("N", &column(1)), ("ln T", &column(2))])?)
            .title("ln T from which the last term is below T^(−1+1/α)")
            .digits(2),
    );
    s.figure(figure()?);
    Ok(())
}

/// `c_3 = 2^alpha c_alpha (1 - 2^(-alpha/2))^2`, with P = T^(1/alpha)/ln T in the mended bound.
fn c_3(alpha: f64) -> Result<f64, Failure> {
    Ok(alpha.exp2() * Zipf::infinite(alpha)?.constant() * projection_constant(alpha))
}

/// The term as a power of T at ln T, with ln(T+1) as ln T.
fn power(ln_t: f64, c_3: f64, alpha: f64, n: f64) -> f64 {
    n - c_3 * ln_t.powf(alpha - 1.0)
}

/// ln T from which the term is below `T^(-1 + 1/alpha)`.
fn first_ln_t(alpha: f64, n: f64) -> Result<f64, Failure> {
    Ok(((n + data_exponent(alpha)?) / c_3(alpha)?).powf(1.0 / (alpha - 1.0)))
}

fn figure() -> Result<Figure, Failure> {
    let n: Vec<f64> = (0..=30).map(|k| 10f64.powf(0.1 * f64::from(k))).collect();
    let mut panel = Panel::new("first T at which the term is below T^{−1+1/α}")
        .x_label("N")
        .y_label("ln T")
        .log_x()
        .log_y()
        .y_limits(0.1, 1e36)
        .hline("T = e^{10⁶}", 1e6);
    for alpha in ALPHAS {
        let l = n.iter().map(|n| first_ln_t(alpha, *n)).collect::<Result<Vec<f64>, _>>()?;
        panel = panel.line(&format!("α = {alpha}"), &n, &l);
    }
    Ok(Figure::new("When does the last term become negligible?").panel(panel).caption(
        "The vertical axis is ln T itself. The number of samples grows beyond all means with N, and sooner the nearer α is to one.",
    ))
}
