//! Eqs. 14 and 37: Psi in closed form.
//!
//! **Claim** (`mnemosyne/eq-14-37`). Psi(x) = D^4 exp(-2N) (1 + 8 A-hat)^{-N/2} exp(B^2 |x|^2 / 2(1 - 8 A-hat)).
//!
//! Eq. 36 with A = -4 A-hat gives 1 + 8 A-hat in both places; printed is 1 - 8 A-hat in the second, which divides by zero at 1/8 and turns
//! the exponent's sign beyond. The integral decides, and each other factor is spoiled in turn. Refuted by a parameter and a dimension where
//! form and integral differ.

use workbench_display::{Table, frame};
use workbench_features::compact::{log_psi, log_psi_as_printed, log_psi_by_quadrature};
use workbench_ledger::{Check, Done, Sheet};

use super::energy_terms::LOGS;

/// Psi at sums of four sign vectors.
pub const CHECK: Check = Check {
    claim: "mnemosyne/eq-14-37",
    metric: "ln of the form minus ln of the integral",
    against: "a parameter and a dimension where the two differ",
    protocol: &["sums of four sign vectors, as Eq. 13 has them"],
    choices: &["N = 2, 8 and 16; seven Â on both sides of 1/8, where the printed form divides by zero"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.misprint("the exponent has 1 + 8Â in its denominator");
    let lengths = s.knobs("lengths N", &[2, 8, 16], 1..)?;
    let mut rows: Vec<[f64; 4]> = Vec::new();
    for a_hat in s.knobs("Â", &[0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 3.0], 1e-3..=100.0)? {
        for &n in s.each("settings", &lengths) {
            // A sum of four sign vectors.
            let x: Vec<f64> = (0..n).map(|j| [4.0, 2.0, 0.0, -2.0][j % 4]).collect();
            let norm2 = x.iter().map(|x| x * x).sum();
            let integral = log_psi_by_quadrature(&x, a_hat)?;
            let (printed, mended) = (log_psi_as_printed(n, a_hat, norm2)?, log_psi(n, a_hat, norm2)?);
            s.printed(LOGS).same("ln Ψ as printed minus quadrature, largest", (printed - integral).abs());
            s.changed(LOGS).same("ln Ψ with 1 + 8Â minus quadrature, largest", (mended - integral).abs());
            for (name, [of_d, of_e, of_width, halves]) in WRONG {
                let (length, b2, width) = (n as f64, 1.0 + 4.0 * a_hat, 1.0 + 8.0 * a_hat);
                let form = of_d * 0.25 * length * b2.ln() - of_e * length - of_width * length * width.ln()
                    + b2 * norm2 / (halves * width);
                s.twin(LOGS).same(format!("{name}: least difference"), (form - integral).abs());
            }
            if n == 8 {
                rows.push([a_hat, printed, mended, integral]);
            }
        }
    }
    let [a_hats, printed, mended, integrals] =
        [0, 1, 2, 3].map(|k| rows.iter().map(|row| row[k]).collect::<Vec<f64>>());
    let frame = frame(&[
        ("Â", &a_hats),
        ("ln Ψ, printed", &printed),
        ("ln Ψ, 1 + 8Â", &mended),
        ("ln Ψ, quadrature", &integrals),
    ])?;
    s.table(Table::new(frame).title("Ψ at N = 8").digits(6));
    Ok(())
}

/// The power of D, of e^{-N}, of 1 + 8 A-hat (times -N), and the 2 under B^2, which are 4, 2, 1/2 and 2; each spoiled in turn.
const WRONG: [(&str, [f64; 4]); 5] = [
    ("D² for D⁴", [2.0, 2.0, 0.5, 2.0]),
    ("exp(-N) for exp(-2N)", [4.0, 1.0, 0.5, 2.0]),
    ("the power N/2 for -N/2", [4.0, 2.0, -0.5, 2.0]),
    ("the power -N for -N/2", [4.0, 2.0, 1.0, 2.0]),
    ("B² without its half", [4.0, 2.0, 0.5, 1.0]),
];
