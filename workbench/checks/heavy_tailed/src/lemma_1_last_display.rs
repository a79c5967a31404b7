//! The last display of the proof of Lemma 1: a Gamma function.
//!
//! **Claim** (`heavy-tailed/lemma-1-gamma-integral`). int_1^inf x^-alpha exp(-T x^-alpha) dx = alpha / Gamma((alpha-1)/alpha)
//! T^(-(alpha-1)/alpha).
//!
//! The substitution u = T x^-alpha gives gamma(1 - 1/alpha, T) T^(-(1 - 1/alpha)) / alpha with the lower incomplete function, so the power
//! should agree and the constant be the reciprocal of the printed one. Against the claim: quadrature over another constant; against the
//! mended form, quadrature that differs from it at any T.

use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{
    Falling, data_exponent, unseen_integral, unseen_integral_constant, unseen_integral_constant_printed,
};

use super::proof_of_lemma_3::QUADRATURE;
use crate::vocabulary::Largest;

/// The integral by quadrature.
#[derive(Clone, Debug)]
pub struct GammaIntegral {
    /// Exponents, each above one.
    pub alphas: Vec<f64>,
    /// Last power of ten of T.
    pub decades: i32,
}

impl Default for GammaIntegral {
    fn default() -> GammaIntegral {
        GammaIntegral { alphas: vec![1.1, 1.5, 2.0, 3.0, 5.0], decades: 6 }
    }
}

struct Row {
    alpha: f64,
    /// T^(1 - 1/alpha) times the integral at the last T.
    constant: f64,
    right: f64,
    printed: f64,
    /// Gamma(1/alpha)/alpha.
    other: f64,
}

impl GammaIntegral {
    /// The constants; the largest relative distance from the closed form; the largest distance of the last exponent.
    fn rows(&self) -> Result<(Vec<Row>, f64, f64), Failure> {
        let (mut rows, mut closed, mut power) = (Vec::new(), Largest::default(), Largest::default());
        for &alpha in &self.alphas {
            let f = Falling::Power(alpha);
            let mut last = [1.0; 2];
            for t in (0..=self.decades).map(|k| 10f64.powi(k)) {
                let value = f.over_ranks(t, 1.0, f64::INFINITY)?;
                closed.see((value / unseen_integral(alpha, t)? - 1.0).abs());
                last = [last[1], value];
            }
            let exponent = data_exponent(alpha)?;
            power.see(((last[1] / last[0]).log10() + exponent).abs());
            let dual = alpha / (alpha - 1.0); // 1 - 1/dual = 1/alpha
            rows.push(Row {
                alpha,
                constant: last[1] * 10f64.powi(self.decades).powf(exponent),
                right: unseen_integral_constant(alpha)?,
                printed: unseen_integral_constant_printed(alpha)?,
                other: unseen_integral_constant(dual)? * dual / alpha,
            });
        }
        Ok((rows, closed.0, power.0))
    }

    fn figure(&self, rows: &[Row]) -> Result<Figure, Failure> {
        let alphas: Vec<f64> = (0..200).map(|i| 1.08 + 4.2 * f64::from(i) / 199.0).collect();
        let right = alphas.iter().map(|a| unseen_integral_constant(*a));
        let printed = alphas.iter().map(|a| unseen_integral_constant_printed(*a));
        let (right, printed) = (right.collect::<Result<Vec<f64>, _>>()?, printed.collect::<Result<Vec<f64>, _>>()?);
        let found: Vec<f64> = rows.iter().map(|row| row.constant).collect();
        let panel = Panel::new("constant of T^{−(1−1/α)}")
            .x_label("α")
            .y_label("constant")
            .log_y()
            .points(&format!("quadrature, T = 10^{{{}}}", self.decades), &self.alphas, &found)
            .line("Γ(1 − 1/α)/α", &alphas, &right)
            .line("α/Γ(1 − 1/α), printed", &alphas, &printed);
        Ok(Figure::new("The printed constant of Lemma 1 is upside down")
            .panel(panel)
            .caption("The two curves are reciprocals of one another and cross once, near α = 1.9."))
    }
}

fn table(rows: &[Row]) -> Result<Table, Failure> {
    let column = |of: fn(&Row) -> f64| rows.iter().map(of).collect::<Vec<f64>>();
    let list = vec![
        ("α", column(|row| row.alpha).into()),
        ("quadrature", column(|row| row.constant).into()),
        ("Γ(1 − 1/α)/α", column(|row| row.right).into()),
        ("α/Γ(1 − 1/α), printed", column(|row| row.printed).into()),
    ];
    Ok(Table::new(columns(list)?).title("The constant of T^−(1 − 1/α)").digits(4))
}

impl TypedCheck for GammaIntegral {
    const CLAIM: &'static str = "heavy-tailed/lemma-1-gamma-integral";
    const PLAN: Plan = Plan::new(
        "constant by quadrature at the largest T over a formula's; relative difference from the closed form at every T",
        "a constant that is not the formula's",
        &[QUADRATURE],
    )
    .protocol(&["alpha = 1.1 to 5, T = 1 to 10^6; power and constant apart"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let (rows, closed, power) = self.rows()?;
        let over = |label: &str, row: &Row, by: f64| {
            let label = format!("{label}, α = {}", row.alpha);
            Finding::equals(label, 1.0, QUADRATURE, Estimate::exact(row.constant / by))
        };
        let mut printed = rows.iter().map(|row| over("constant over the printed one", row, row.printed));
        let first = printed.next().ok_or("give one alpha at least")?;
        let mut mended = vec![
            Finding::identity(
                "γ(1 − 1/α, T) T^−(1 − 1/α)/α against quadrature: largest relative difference",
                closed,
                QUADRATURE,
            )
            .cases(rows.len() * (self.decades as usize + 1))
            .unit("integrals"),
            Finding::identity("exponent over the last decade: largest distance from −(1 − 1/α)", power, QUADRATURE)
                .cases(rows.len())
                .unit("exponents"),
        ];
        mended.extend(rows.iter().map(|row| over("constant over Γ(1 − 1/α)/α", row, row.right)));
        let evidence = printed.fold(Evidence::of(first), Evidence::and).misprint(
            "the constant is Γ(1 - 1/α)/α, in the limit of large T; for finite T Γ is the lower incomplete function γ(1 - 1/α, T)",
            mended,
        );
        let wrong = rows
            .iter()
            .filter(|row| row.alpha != 2.0)
            .map(|row| over("Γ(1/α) in the place of Γ(1 − 1/α)", row, row.other));
        let evidence = wrong
            .take(1)
            .fold(evidence, Evidence::twin)
            .note("the rate of Lemma 1 is not touched; for the law p = C x^-α the constant is C^(1/α) Γ(1 - 1/α)/α");
        Ok(Checked::from(evidence).table(table(&rows)?).figure(self.figure(&rows)?))
    }
}
