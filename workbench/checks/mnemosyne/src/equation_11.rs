//! Eq. 11: the recommended rho.
//!
//! **Claim** (`mnemosyne/eq-11`). rho* = (root((2 gamma + N)^2 + 8 N gamma) - 2 gamma - N) / 4 gamma, with gamma the mean of |q + k|^2, to be
//! used with A-hat = 1/rho - 1.
//!
//! For one pair with v = |q + k|^2 the log of the second moment is (N/2) ln((1 + 4 A-hat)^2 / (1 + 8 A-hat)) + v / (1 + 8 A-hat), up to terms
//! without A-hat. With rho = 1 / (1 + 8 A-hat) its derivative vanishes where 2 v rho^2 + (2v + N) rho - N = 0, of which Eq. 11 is the
//! positive root; it is linear in v, so over many pairs gamma takes the place of v. With A-hat = 1/rho - 1 as printed the formula is the
//! optimum of nothing. The search assumes no formula: golden section on the exact second moment. The quadratic and the limits, which the document
//! does not print, are footings. Refuted by an optimum elsewhere than at Eq. 11, or a rho* outside (0, 1).

use workbench_display::{Figure, Panel};
use workbench_features::{best_a_hat_for_pair, rho_star, rho_star_as_printed};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};

use crate::vocabulary::{EXACT, ROUNDING, largest_of};

const SEARCH: Margin = Margin::rounding(
    "search",
    1e-6,
    "golden section finds a minimum to the root of rounding, where it is flat to some 1e-7, with a digit to spare",
);
const FAR: Margin = Margin::rounding("limits", 1e-10, "γ is 1e-12 and 1e12 in the limits, next orders are of size N/γ");

/// Dimensions and values of gamma.
pub const CHECK: Check = Check {
    claim: "mnemosyne/eq-11",
    metric: "ρ at the minimum of the exact second moment over ρ of Eq. 11, minus one; residual of the quadratic; limits",
    against: "an optimum elsewhere than at Eq. 11; a root outside (0, 1)",
    protocol: &["Â = 1/ρ - 1, as A.1.1 prints it"],
    choices: &["N = 1, 4, 16, 64 and γ from 0.01 to 300; then a κ-th of the printed Â"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.misprint("Â = (1/ρ-1)/8, so A = (1-1/ρ)/8; Eq. 11 itself is right");
    let kappa = s.knob("κ in Â = (1/ρ-1)/κ", 8.0, 0.1..=100.0)?;
    let gammas = s.knobs("γ", &[0.01, 0.3, 1.0, 5.0, 30.0, 300.0], 1e-6..=1e6)?;
    for (dim, g) in s.each("settings", [1, 4, 16, 64].iter().flat_map(|n| gammas.iter().map(move |g| (*n, *g)))) {
        let (star, n, found) = (rho_star_as_printed(g, dim), dim as f64, best_a_hat_for_pair(dim, g)?);
        let off = |kappa: f64, formula: f64| (1.0 / (1.0 + kappa * found) / formula - 1.0).abs();
        s.printed(SEARCH).same("Â = 1/ρ-1, as printed: searched optimum against Eq. 11, relative", off(1.0, star));
        let reading = |kappa: f64| format!("Â = (1/ρ-1)/{kappa}: searched optimum against Eq. 11, relative");
        s.changed(SEARCH).same(reading(kappa), off(kappa, star));
        let residual = (2.0 * g * star * star + (2.0 * g + n) * star - n).abs() / (2.0 * g + n);
        s.support(ROUNDING).same("residual of 2γρ² + (2γ+N)ρ - N, relative", residual);
        s.both_forms(EXACT).never("settings with ρ* outside (0, 1)", !(star > 0.0 && star < 1.0));

        let wrong = s.twin(SEARCH).largest();
        for other in [2.0, 4.0, 16.0] {
            wrong.same(reading(other), off(other, star));
        }
        for (name, formula) in [
            ("4Nγ for 8Nγ under the root", (((2.0 * g + n).powi(2) + 4.0 * n * g).sqrt() - 2.0 * g - n) / (4.0 * g)),
            ("2γ for 4γ below the line", (((2.0 * g + n).powi(2) + 8.0 * n * g).sqrt() - 2.0 * g - n) / (2.0 * g)),
            ("-N for N in both places", (((2.0 * g - n).powi(2) + 8.0 * n * g).sqrt() - 2.0 * g + n) / (4.0 * g)),
        ] {
            wrong.same(format!("{name}: searched optimum against it, relative"), off(kappa, formula));
        }
    }
    let limits = [rho_star(1e-12, 16)?, rho_star(1e12, 16)? * 1e12 / 8.0].map(|limit| (limit - 1.0).abs());
    s.support(FAR).over(2, "limits").same("limits: distance from 1 at γ = 0 and from N/2γ far out", largest_of(limits));
    s.note(
        "the printed order of operations is 0/0 at γ = 0 and loses digits near it; \
         2N / (√((2γ+N)²+8Nγ) + 2γ + N) does not",
    );
    s.figure(figure()?);
    Ok(())
}

fn figure() -> Result<Figure, Failure> {
    const DIM: usize = 16;
    let gammas: Vec<f64> = (0..60).map(|i| 10f64.powf(-2.0 + 0.08 * f64::from(i))).collect();
    let stars = gammas.iter().map(|g| rho_star(*g, DIM)).collect::<Result<Vec<f64>, _>>()?;
    let found = gammas.iter().map(|g| best_a_hat_for_pair(DIM, *g)).collect::<Result<Vec<f64>, _>>()?;
    let mut panel = Panel::new("N = 16").x_label("γ").y_label("ρ").log_x().y_limits(0.0, 1.0);
    for (name, kappa) in [("Â = 1/ρ − 1, as printed", 1.0), ("Â = (1/ρ − 1)/8", 8.0), ("Â = (1/ρ − 1)/16", 16.0)]
    {
        let searched: Vec<f64> = found.iter().map(|a| 1.0 / (1.0 + kappa * a)).collect();
        panel = panel.line(&format!("optimum if {name}"), &gammas, &searched);
    }
    Ok(Figure::new("Only with an eighth is the searched optimum the printed formula")
        .panel(panel.theory("Eq. 11", &gammas, &stars).legend_below())
        .caption("The optimum of the exact second moment is one Â; which ρ it is depends on the reading."))
}
