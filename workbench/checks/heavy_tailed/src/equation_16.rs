//! Eq. 16: the change of variable.
//!
//! **Claim** (`heavy-tailed/eq-16`). With p = C f, f smooth and falling from infinity, u = f(x) and dx = d(f^-1)'(u) = du/f'(f^-1(u)),
//! E(f^) is of the order of int_1^inf -u/f'(f^-1(u)) e^(-uT) du; for p = C x^-alpha the inverse is written u^(-1/beta).
//!
//! As x runs over [1, inf), u = f(x) runs over (0, f(1)]; the printed range belongs to ranks below f^-1(1). Three numbers are compared, for
//! two kinds of f: the integral over ranks, over their image, and over the printed range. The claim is refuted by a printed integral
//! of a smaller order, the substitution itself by an image that differs from the ranks.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::integrate;
use workbench_ledger::{Check, Done, Margin, Sheet};
use workbench_memory::Falling;

use super::profiles::QUADRATURE;
use crate::vocabulary::ROUNDING;

const ORDER_IN_T: Margin = Margin::statistical(
    "order in T",
    0.5,
    "two sides of one order have a ratio without a power of T; half of what one power would change",
);

/// Three integrals for several functions.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-16",
    metric: "exponent in T of the integral over the printed range over that of the ranks; relative difference of image and ranks",
    against: "a ratio that falls or grows with T; an image that differs from the ranks",
    protocol: &["f = x^-alpha"],
    choices: &["alpha = 1.5, 2, 3, and e^-x/x beside the powers; T = 1 to 400"],
    run,
    ..Check::DEFAULT
};

const FUNCTIONS: [(Falling, &str, &str); 4] = [
    (Falling::Power(1.5), "f = x^−1.5", "f(x) = x^{−1.5}"),
    (Falling::Power(2.0), "f = x^−2", "f(x) = x^{−2}"),
    (Falling::Power(3.0), "f = x^−3", "f(x) = x^{−3}"),
    (Falling::Exponential, "f = e^−x/x", "f(x) = e^{−x}/x"),
];

fn run(s: &Sheet) -> Done {
    s.misprint("the range is (0, f(1)], dx = (f^-1)'(u) du, and β is α");
    let times = s.knobs("T", &[1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 400.0], 0.1..=1e4)?;
    let mut figure = Figure::new("Over the image of the ranks the change of variable is right").columns(2).caption(
        "Dots on the line: over the image of the ranks the substitution keeps the integral. The printed range begins where the ranks end.",
    );
    for (f, name, title) in FUNCTIONS {
        let (mut ranks, mut image, mut printed) = (Vec::new(), Vec::new(), Vec::new());
        for &t in s.each("integrals", &times) {
            let right = f.over_ranks(t, 1.0, f64::INFINITY)?;
            let value = f.over_values(t, 0.0, f.value(1.0))?;
            let label = "image of the ranks against ranks: largest relative difference";
            s.changed(QUADRATURE).same(label, (value / right - 1.0).abs());
            // The substitution without dx = du/f'.
            let wrong = integrate(&|u: f64| u * (-u * t).exp(), 0.0, f.value(1.0), 1e-10)?;
            let label = "without the slope f' in dx: largest relative difference";
            s.twin(QUADRATURE).largest().same(label, (wrong.value / right - 1.0).abs());
            ranks.push(right);
            image.push(value);
            printed.push(f.over_values(t, 1.0, f64::INFINITY)?);
        }
        let end = times.len() - 1;
        if f != FUNCTIONS[0].0 {
            let before = end.saturating_sub(1);
            let ratio = |k: usize| printed[k] / ranks[k];
            let exponent = (ratio(end) / ratio(before)).ln() / (times[end] / times[before]).ln();
            let label =
                format!("printed range over ranks: exponent in T, {name}, T = {} to {}", times[before], times[end]);
            s.printed(ORDER_IN_T).over(2, "values of T").equals(label, 0.0, exponent);
        }
        if f == Falling::Power(2.0) || f == Falling::Exponential {
            let panel = Panel::new(title).x_label("T").y_label("integral").log_x().log_y().y_limits(1e-12, 1.0);
            figure = figure.panel(
                panel
                    .line("over ranks 1 to ∞", &times, &ranks)
                    .points("over values 0 to f(1)", &times, &image)
                    .line("over values 1 to ∞, printed", &times, &printed)
                    .legend_below(),
            );
        }
    }
    let square = Falling::Power(2.0);
    let exponent = (square.over_values(1e8, 0.0, 1.0)? / square.over_values(1e4, 0.0, 1.0)?).log10() / 4.0;
    s.changed(QUADRATURE).equals("exponent in T over the image, α = 2, T = 10^4 to 10^8", -0.5, exponent);
    // The derivative of the inverse by a complex step.
    let mut wrong = Vec::new();
    for (f, ..) in FUNCTIONS.into_iter().take(3) {
        for u in [1e-6, 1e-3, 0.1, 0.9] {
            let slope = f.inverse_slope(u).unwrap_or(f64::INFINITY) * f.derivative(f.inverse(u));
            if let Falling::Power(alpha) = f {
                let other = f.value(u.powf(-1.0 / (alpha + 1.0))) / u - 1.0;
                wrong.push(other.abs());
            }
            for off in s.each("values", [slope - 1.0, f.value(f.inverse(u)) / u - 1.0]) {
                let label = "β = α: f(f^−1(u)) = u and (f^−1)' f'(f^−1) = 1, largest error";
                s.changed(ROUNDING).same(label, off.abs());
            }
        }
    }
    for off in s.each("values", wrong) {
        s.twin(ROUNDING).largest().same("β = α + 1: largest error of f(f^−1(u)) = u", off);
    }
    s.figure(figure);
    Ok(())
}
