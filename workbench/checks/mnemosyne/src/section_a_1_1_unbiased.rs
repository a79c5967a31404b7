//! A.1.1, after the first display: FAVOR++ is still unbiased.
//!
//! **Claim** (`mnemosyne/favor-plus-plus-unbiased`). E[phi_F++(x)'phi_F++(y)] = exp(x'y) for every rho.
//!
//! Quadrature coordinate by coordinate, and single draws: projections from N(B (x + y) / (1 + 4 A-hat), I / (1 + 4 A-hat)) with
//! likelihood weights make the term constant. Nothing here depends on how rho and A-hat are related; both readings that Eq. 11 will need
//! are in. What would count against the claim: a bias; or a check that does not see a constant that is off by one percent.

use ndarray::Array1;
use workbench_features::{Draws, FeatureMap, MapKind, a_hat, printed_a_hat};
use workbench_ground::stats::{Stream, normal_array2, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};

use super::section_a_1::{PRINTED, Times, log_bias};
use crate::vocabulary::{Largest, ROUNDING};

/// Constants that are one percent off.
const WRONG: [(&str, Times); 3] = [
    ("B one percent larger: bias of ln of the mean", Times { b: 1.01, ..PRINTED }),
    ("C one percent larger: bias of ln of the mean", Times { c: 1.01, ..PRINTED }),
    ("exponent of D one percent larger: bias of ln of the mean", Times { d: 1.01, ..PRINTED }),
];

/// Vectors and parameters, and weighted draws at each.
#[derive(Clone, Debug)]
pub struct StillUnbiased {
    /// Dimension N, length of both vectors, ρ.
    pub cases: Vec<(usize, f64, f64)>,
    /// Weighted draws for each.
    pub draws: usize,
}

impl Default for StillUnbiased {
    fn default() -> StillUnbiased {
        StillUnbiased {
            cases: vec![(1, 1.0, 0.3), (3, 0.2, 0.9), (8, 3.0, 0.05), (16, 1.5, 0.5), (64, 2.0, 0.02)],
            draws: 200,
        }
    }
}

/// Largest error of ln of a weighted term, over the size of its exponent.
fn weighted(a: f64, (x, y): (&Array1<f64>, &Array1<f64>), draws: usize, stream: &mut Stream) -> Result<f64, Failure> {
    let (dim, b2) = (x.len(), 1.0 + 4.0 * a);
    let centre = (x + y) / b2.sqrt();
    let rows = normal_array2(stream, draws, dim) / b2.sqrt() + &centre;
    let map = FeatureMap::favor_plus_plus(Draws::from_rows(rows.clone())?, a)?;
    let terms = map.log_features(x)? + map.log_features(y)? + (draws as f64).ln();
    let mut worst = Largest::default();
    for (w, log) in rows.rows().into_iter().zip(&terms) {
        let gap = &w - &centre;
        let weight = -0.5 * w.dot(&w) + 0.5 * b2 * gap.dot(&gap) - 0.5 * dim as f64 * b2.ln();
        worst.see((log + weight - x.dot(y)).abs() / (1.0 + a * w.dot(&w)));
    }
    Ok(worst.0)
}

impl TypedCheck for StillUnbiased {
    const CLAIM: &'static str = "mnemosyne/favor-plus-plus-unbiased";
    const PLAN: Plan = Plan::new(
        "ln of the mean of a term minus x'y, by quadrature; ln of a weighted term minus x'y, over the size of its exponent",
        "a bias at any dimension, length or parameter",
        &[ROUNDING],
    )
    .protocol(&["five dimensions from 1 to 64, each with Â = 1/ρ - 1 and with an eighth of it"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("favor++ unbiased")?;
        let (mut bias, mut tilted) = (Largest::default(), Largest::default());
        let mut wrong = [Largest::default(); 3];
        for &(dim, norm, rho) in &self.cases {
            for a_hat in [printed_a_hat(rho)?, a_hat(rho)?] {
                let (u, kind) = (unit_sphere(&mut stream, 2, dim) * norm, MapKind::FavorPlusPlus { a_hat });
                let (x, y) = (u.row(0).to_owned(), u.row(1).to_owned());
                bias.see(log_bias(kind, (&x, &y), PRINTED)?.abs());
                for (worst, (_, times)) in wrong.iter_mut().zip(WRONG) {
                    worst.see(log_bias(kind, (&x, &y), times)?.abs());
                }
                tilted.see(weighted(a_hat, (&x, &y), self.draws, &mut stream)?);
            }
        }
        let cases = 2 * self.cases.len() as u64;
        let of = |label: &str, bias: f64| Finding::identity(label, bias, ROUNDING).cases(cases).unit("settings");
        let mut evidence = Evidence::of(of("bias of ln of the mean, by quadrature", bias.0)).and(
            Finding::identity("ln of a weighted term minus x·y, over its exponent", tilted.0, ROUNDING)
                .cases(cases * self.draws as u64)
                .unit("draws"),
        );
        for ((label, _), bias) in WRONG.into_iter().zip(wrong) {
            evidence = evidence.twin(of(label, bias.0));
        }
        Ok(evidence.into())
    }
}
