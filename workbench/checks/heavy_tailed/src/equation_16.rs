//! Eq. 16: the change of variable.
//!
//! **Claim** (`heavy-tailed/eq-16`). With p = C f, f smooth and falling from infinity, u = f(x) and dx = d(f^-1)'(u) = du/f'(f^-1(u)),
//! E(f^) is of the order of int_1^inf -u/f'(f^-1(u)) e^(-uT) du; for p = C x^-alpha the inverse is written u^(-1/beta).
//!
//! As x runs over [1, inf), u = f(x) runs over (0, f(1)]; the printed range belongs to ranks below f^-1(1). Three numbers are compared, for
//! two kinds of f: the integral over ranks, over their image, and over the printed range. Against the claim would count a printed integral
//! of a smaller order; against the substitution itself, an image that differs from the ranks.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, integrate};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::Falling;

use super::proof_of_lemma_3::QUADRATURE;
use crate::vocabulary::{Largest, ROUNDING, largest_of};

const SAME_ORDER: Margin = Margin::new(
    "of one order",
    1e-3,
    "two sides of one order keep a ratio; a power of T more would bring it below a thousandth within these T",
);

/// Three integrals for several functions.
#[derive(Clone, Debug)]
pub struct ChangeOfVariable {
    /// Exponents of the powers x^-alpha; e^-x/x comes last.
    pub alphas: Vec<f64>,
    /// Values of T, rising.
    pub times: Vec<f64>,
}

impl Default for ChangeOfVariable {
    fn default() -> ChangeOfVariable {
        ChangeOfVariable {
            alphas: vec![1.5, 2.0, 3.0],
            times: vec![1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 400.0],
        }
    }
}

/// The three integrals of one function, by T.
struct Integrals {
    function: Falling,
    ranks: Vec<f64>,
    image: Vec<f64>,
    printed: Vec<f64>,
}

fn name(function: Falling) -> String {
    match function {
        Falling::Power(alpha) => format!("f = x^−{alpha}"),
        Falling::Exponential => "f = e^−x/x".to_string(),
    }
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    largest_of(a.iter().zip(b).map(|(a, b)| (a / b - 1.0).abs()))
}

impl Integrals {
    fn of(function: Falling, times: &[f64]) -> Result<Integrals, Failure> {
        let mut found = Integrals { function, ranks: Vec::new(), image: Vec::new(), printed: Vec::new() };
        for &t in times {
            found.ranks.push(function.over_ranks(t, 1.0, f64::INFINITY)?);
            found.image.push(function.over_values(t, 0.0, function.value(1.0))?);
            found.printed.push(function.over_values(t, 1.0, f64::INFINITY)?);
        }
        Ok(found)
    }

    fn panel(&self, times: &[f64]) -> Panel {
        let title = match self.function {
            Falling::Power(alpha) => format!("f(x) = x^{{−{alpha}}}"),
            Falling::Exponential => "f(x) = e^{−x}/x".to_string(),
        };
        Panel::new(&title)
            .x_label("T")
            .y_label("integral")
            .log_x()
            .log_y()
            .y_limits(1e-12, 1.0)
            .line("over ranks 1 to ∞", times, &self.ranks)
            .points("over values 0 to f(1)", times, &self.image)
            .line("over values 1 to ∞, printed", times, &self.printed)
            .legend_below()
    }
}

/// Largest relative error of f(f^-1(u)) = u and (f^-1)' f'(f^-1) = 1, the derivative by a complex step.
fn inverse_error(alphas: &[f64]) -> f64 {
    let mut error = Largest::default();
    for f in alphas.iter().map(|alpha| Falling::Power(*alpha)) {
        for u in [1e-6, 1e-3, 0.1, 0.9] {
            let slope = f.inverse_slope(u).unwrap_or(f64::INFINITY);
            error.see((slope * f.derivative(f.inverse(u)) - 1.0).abs());
            error.see((f.value(f.inverse(u)) / u - 1.0).abs());
        }
    }
    error.0
}

impl ChangeOfVariable {
    fn integrals(&self) -> Result<Vec<Integrals>, Failure> {
        let powers = self.alphas.iter().map(|alpha| Falling::Power(*alpha));
        let all = powers.chain([Falling::Exponential]);
        all.map(|function| Integrals::of(function, &self.times)).collect()
    }

    /// The substitution without dx = du/f': largest relative difference from the integral over ranks.
    fn without_slope(&self, integrals: &[Integrals]) -> Result<f64, Failure> {
        let mut off = Largest::default();
        for found in integrals {
            for (t, ranks) in self.times.iter().zip(&found.ranks) {
                let wrong = integrate(&|u: f64| u * (-u * t).exp(), 0.0, found.function.value(1.0), 1e-10)?;
                off.see((wrong.value / ranks - 1.0).abs());
            }
        }
        Ok(off.0)
    }
}

impl TypedCheck for ChangeOfVariable {
    const CLAIM: &'static str = "heavy-tailed/eq-16";
    const PLAN: Plan = Plan::new(
        "integral over the printed range over that of the ranks; relative difference of image and ranks",
        "a ratio that goes to zero with T; an image that differs from the ranks",
        &[SAME_ORDER, QUADRATURE, ROUNDING],
    )
    .protocol(&["f = x^-1.5, x^-2, x^-3 and e^-x/x, T = 1 to 400; the document names no other f than the powers"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let integrals = self.integrals()?;
        let end = self.times.len() - 1;
        let printed = |found: &Integrals| {
            let label = format!("printed range over ranks, {}, T = {}", name(found.function), self.times[end]);
            Finding::at_least(label, SAME_ORDER, Estimate::exact(found.printed[end] / found.ranks[end]))
        };
        let differences: Vec<f64> = integrals.iter().map(|found| apart(&found.image, &found.ranks)).collect();
        let square = Falling::Power(2.0);
        let far = [1e4, 1e8].map(|t| square.over_values(t, 0.0, 1.0));
        let [near, far] = far;
        let exponent = (far? / near?).log10() / 4.0;
        let other = square.value(0.1f64.powf(-1.0 / 3.0)) / 0.1 - 1.0;
        let mut findings = integrals.iter().skip(1).map(printed);
        let first = findings.next().ok_or("two functions to look at are needed: give one more alpha")?;
        let evidence = findings
            .fold(Evidence::of(first), Evidence::and)
            .misprint(
                "the range is (0, f(1)], dx = (f^-1)'(u) du, and β is α",
                vec![
                    Finding::identity(
                        "image of the ranks against ranks: largest relative difference",
                        largest_of(&differences),
                        QUADRATURE,
                    )
                    .cases(integrals.len() * self.times.len())
                    .unit("integrals"),
                    Finding::equals(
                        "exponent in T over the image, α = 2, T = 10^4 to 10^8",
                        -0.5,
                        QUADRATURE,
                        Estimate::exact(exponent),
                    ),
                    Finding::identity(
                        "β = α: f(f^−1(u)) = u and (f^−1)' f'(f^−1) = 1, largest error",
                        inverse_error(&self.alphas),
                        ROUNDING,
                    )
                    .cases(8 * self.alphas.len())
                    .unit("values"),
                ],
            )
            .twin(Finding::identity(
                "without the slope f' in dx: largest relative difference",
                self.without_slope(&integrals)?,
                QUADRATURE,
            ))
            .twin(Finding::identity("β = α + 1, α = 2: error of f(f^−1(u)) = u", other.abs(), ROUNDING));
        let panels =
            integrals.iter().filter(|found| found.function == square || found.function == Falling::Exponential);
        let figure = panels.fold(
            Figure::new("Over the image of the ranks the change of variable is right").columns(2).caption(
                "Dots on the line: over the image of the ranks the substitution keeps the integral. The printed range begins where the ranks end.",
            ),
            |figure, found| figure.panel(found.panel(&self.times)),
        );
        Ok(Checked::from(evidence).figure(figure))
    }
}
