//! B.3, finite data: is the last term negligible?
//!
//! **Claim** (`heavy-tailed/b3-negligible-term`). Because alpha > 1 the term exp(-c_3 (ln T)^alpha + N ln(T+1)) decreases faster than any
//! power of T, and ends up negligible in front of T^(-1+1/alpha).
//!
//! Divided by ln T its logarithm is N - c_3 (ln T)^(alpha-1), a power of T that is to fall below every number. Against the claim speaks a
//! power that grows: the theorem that is proven has N = infinity, and T samples from such a law show about T^(1/alpha) inputs.

use workbench_display::{Figure, Panel, Table, frame};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{Zipf, data_exponent, projection_constant};

use super::sections_b_2_to_b_4::Cases;
use crate::vocabulary::largest_of;

const BELOW_EVERY: Margin = Margin::new("below every power", -1000.0, "the thousandth power stands for every power");
const INVERSE: Margin = Margin::new("inverse", 1e-9, "a formula solved for T and put back, in double precision");
/// The largest ln T looked at.
const FAR: f64 = 1e200;

/// The power of T along ln T.
#[derive(Clone, Debug)]
pub struct LastTerm {
    /// Exponents of the law.
    pub alphas: Vec<f64>,
    /// Numbers of inputs N.
    pub inputs: Vec<f64>,
}

impl Default for LastTerm {
    fn default() -> LastTerm {
        LastTerm { alphas: vec![1.1, 1.5, 2.0], inputs: vec![1.0, 10.0, 100.0, 1000.0] }
    }
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
fn first(alpha: f64, n: f64) -> Result<f64, Failure> {
    Ok(((n + data_exponent(alpha)?) / c_3(alpha)?).powf(1.0 / (alpha - 1.0)))
}

#[derive(Default)]
struct Powers {
    last: Vec<f64>,
    rising: Cases,
    /// The power at the first T plus 1 - 1/alpha, over N.
    inverse: Vec<f64>,
    /// `alpha`, N, and the first ln T.
    firsts: [Vec<f64>; 3],
}

impl LastTerm {
    fn powers(&self) -> Result<Powers, Failure> {
        let ln_t: Vec<f64> = (1..=400).map(|k| 10f64.powf(0.5 * f64::from(k))).collect();
        let mut found = Powers::default();
        for &alpha in &self.alphas {
            let c = c_3(alpha)?;
            for &n in &self.inputs {
                let along: Vec<f64> = ln_t.iter().map(|l| power(*l, c, alpha, n)).collect();
                along.windows(2).for_each(|w| found.rising.see(w[1] > w[0]));
                found.last.push(along[along.len() - 1]);
                let l = first(alpha, n)?;
                found.inverse.push((power(l, c, alpha, n) + data_exponent(alpha)?).abs() / n);
                for (list, value) in found.firsts.iter_mut().zip([alpha, n, l]) {
                    list.push(value);
                }
            }
        }
        Ok(found)
    }

    fn figure(&self) -> Result<Figure, Failure> {
        let n: Vec<f64> = (0..=30).map(|k| 10f64.powf(0.1 * f64::from(k))).collect();
        let mut panel = Panel::new("first T at which the term is below T^{−1+1/α}")
            .x_label("N")
            .y_label("ln T")
            .log_x()
            .log_y()
            .y_limits(0.1, 1e36)
            .hline("T = e^{10⁶}", 1e6);
        for alpha in &self.alphas {
            let l = n.iter().map(|n| first(*alpha, *n)).collect::<Result<Vec<f64>, _>>()?;
            panel = panel.line(&format!("α = {alpha}"), &n, &l);
        }
        Ok(Figure::new("When does the last term become negligible?").panel(panel).caption(
            "The vertical axis is ln T itself. The number of samples grows beyond all means with N, and sooner the nearer α is to one.",
        ))
    }
}

impl TypedCheck for LastTerm {
    const CLAIM: &'static str = "heavy-tailed/b3-negligible-term";
    const PLAN: Plan = Plan::new(
        "logarithm of the term over ln T, a power of T, up to ln T = 10^200",
        "a power that grows with T",
        &[BELOW_EVERY, INVERSE],
    )
    .protocol(&["c_3 = 2^α c_α (1 − 2^(−α/2))² as the mended bound gives it; ln(T+1) as ln T"])
    .departures(&[
        "N = ∞ of Theorem 2 as N = T^(1/α), the inputs that T samples can show; N = ∞ itself makes the term infinite",
    ]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let found = self.powers()?;
        let cases = found.last.len();
        let ln_t = 100.0;
        let shown = power(ln_t, c_3(2.0)?, 2.0, (0.5 * ln_t).exp());
        let exact = |value| Estimate::exact(value);
        let evidence = Evidence::of(Finding::at_most(
            "N = ∞, as the T^(1/α) inputs that data show, α = 2, T = e^100: power of T",
            BELOW_EVERY,
            exact(shown),
        ))
        .condition(
            "for N finite and fixed while T grows; Theorem 2, whose proof this is, has N = ∞",
            vec![
                Finding::at_most(
                    "N fixed: power of T at ln T = 10^200, largest of all α and N",
                    BELOW_EVERY,
                    exact(largest_of(&found.last)),
                )
                .cases(cases)
                .unit("pairs of α and N"),
                found.rising.none("N fixed: steps at which the power rises with T", "steps"),
                Finding::identity(
                    "power at the first T against −1 + 1/α, relative to N",
                    largest_of(&found.inverse),
                    INVERSE,
                )
                .cases(cases)
                .unit("pairs of α and N"),
            ],
        )
        .twin(Finding::at_most(
            "ln T in place of (ln T)^α, N = 10: power of T at ln T = 10^200",
            BELOW_EVERY,
            exact(power(FAR, c_3(1.1)?, 1.0, 10.0)),
        ));
        let [alpha, n, l] = &found.firsts;
        let table = Table::new(frame(&[("α", alpha), ("N", n), ("ln T", l)])?)
            .title("ln T from which the last term is below T^(−1+1/α)")
            .digits(2);
        Ok(Checked::from(evidence).table(table).figure(self.figure()?))
    }
}
