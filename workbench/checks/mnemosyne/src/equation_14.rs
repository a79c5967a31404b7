//! Eqs. 14 and 37: Psi in closed form.
//!
//! **Claim** (`mnemosyne/eq-14-37`). Psi(x) = D^4 exp(-2N) (1 + 8 A-hat)^{-N/2} exp(B^2 |x|^2 / 2(1 - 8 A-hat)).
//!
//! Eq. 36 with A = -4 A-hat gives 1 + 8 A-hat in both places; printed is 1 - 8 A-hat in the second, which divides by zero at 1/8 and turns
//! the exponent's sign beyond. The integral decides, and each other factor is spoiled in turn. What would count against it: a parameter
//! and a dimension where form and integral differ.

use workbench_display::{Table, frame};
use workbench_features::compact::{log_psi, log_psi_as_printed, log_psi_by_quadrature};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};

use super::section_a_2::LOGS;
use crate::vocabulary::{Largest, Least};

/// Psi at sums of four sign vectors.
#[derive(Clone, Debug)]
pub struct Psi {
    /// Parameters of FAVOR++, on both sides of 1/8.
    pub a_hats: Vec<f64>,
    /// Lengths N.
    pub lengths: Vec<usize>,
}

impl Default for Psi {
    fn default() -> Psi {
        Psi { a_hats: vec![0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 3.0], lengths: vec![2, 8, 16] }
    }
}

/// Psi with exponents that can be wrong: of D, of e^{-N}, of 1 + 8 A-hat (times -N), and the 2 under B^2.
#[derive(Clone, Copy)]
struct Form {
    of_d: f64,
    of_e: f64,
    of_width: f64,
    halves: f64,
}

const MENDED: Form = Form { of_d: 4.0, of_e: 2.0, of_width: 0.5, halves: 2.0 };

/// Wrong forms, each with one exponent or factor spoiled.
const WRONG: [(&str, Form); 5] = [
    ("D² for D⁴", Form { of_d: 2.0, ..MENDED }),
    ("exp(-N) for exp(-2N)", Form { of_e: 1.0, ..MENDED }),
    ("the power N/2 for -N/2", Form { of_width: -0.5, ..MENDED }),
    ("the power -N for -N/2", Form { of_width: 1.0, ..MENDED }),
    ("B² without its half", Form { halves: 1.0, ..MENDED }),
];

impl Form {
    fn log(self, n: usize, a_hat: f64, norm2: f64) -> f64 {
        let (n, b2, width) = (n as f64, 1.0 + 4.0 * a_hat, 1.0 + 8.0 * a_hat);
        self.of_d * 0.25 * n * b2.ln() - self.of_e * n - self.of_width * n * width.ln()
            + b2 * norm2 / (self.halves * width)
    }
}

#[derive(Default)]
struct Seen {
    printed: Largest,
    mended: Largest,
    wrong: [Least; WRONG.len()],
    /// At N = 8: A-hat, printed, mended, integral.
    rows: Vec<[f64; 4]>,
    cases: u64,
}

impl Psi {
    fn see(&self) -> Result<Seen, Failure> {
        let mut seen = Seen::default();
        for &a_hat in &self.a_hats {
            for &n in &self.lengths {
                // A sum of four sign vectors.
                let x: Vec<f64> = (0..n).map(|j| [4.0, 2.0, 0.0, -2.0][j % 4]).collect();
                let norm2 = x.iter().map(|x| x * x).sum();
                let integral = log_psi_by_quadrature(&x, a_hat)?;
                let printed = log_psi_as_printed(n, a_hat, norm2)?;
                let mended = log_psi(n, a_hat, norm2)?;
                seen.printed.see((printed - integral).abs());
                seen.mended.see((mended - integral).abs());
                for (least, (_, form)) in seen.wrong.iter_mut().zip(WRONG) {
                    least.see((form.log(n, a_hat, norm2) - integral).abs());
                }
                seen.cases += 1;
                if n == 8 {
                    seen.rows.push([a_hat, printed, mended, integral]);
                }
            }
        }
        Ok(seen)
    }
}

impl TypedCheck for Psi {
    const CLAIM: &'static str = "mnemosyne/eq-14-37";
    const PLAN: Plan = Plan::new(
        "ln of the form minus ln of the integral",
        "a parameter and a dimension where the two differ",
        &[LOGS],
    )
    .protocol(&["sums of four sign vectors, as Eq. 13 has them; A-hat on both sides of 1/8, where the printed form divides by zero"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let seen = self.see()?;
        let of = |label: &str, error: f64| Finding::identity(label, error, LOGS).cases(seen.cases);
        let mut evidence = Evidence::of(of("ln Ψ as printed minus quadrature, largest", seen.printed.0)).misprint(
            "the exponent has 1 + 8Â in its denominator",
            vec![of("ln Ψ with 1 + 8Â minus quadrature, largest", seen.mended.0)],
        );
        for (least, (name, _)) in seen.wrong.iter().zip(WRONG) {
            evidence = evidence.twin(of(&format!("{name}: least difference"), least.0));
        }
        let column = |k: usize| seen.rows.iter().map(|row| row[k]).collect::<Vec<f64>>();
        let frame = frame(&[
            ("Â", &column(0)),
            ("ln Ψ, printed", &column(1)),
            ("ln Ψ, 1 + 8Â", &column(2)),
            ("ln Ψ, quadrature", &column(3)),
        ])?;
        Ok(Checked::from(evidence).table(Table::new(frame).title("Ψ at N = 8").digits(6)))
    }
}
