//! Definition 1: quasi-orthogonal families.
//!
//! **Claim** (`heavy-tailed/def-1`, Eq. 17). A family is eta-quasi orthogonal if all norms are one and |<u_z, u_z'>| <= eta for all pairs.
//!
//! The least such eta is the coherence. As a predicate it has to know families whose coherence is known: an orthonormal basis (0), the
//! corners of a simplex (1/d), a repeated vector (1), vectors that are too long (none). And no family is below the Welch bound, sqrt((P -
//! d)/(d (P - 1))). One wrong answer, or a family below the bound, would count against the definition as it is computed here.

use ndarray::{Array2, Axis, concatenate, s};
use workbench_ground::stats::{Estimate, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{coherence, is_quasi_orthogonal, simplex, welch_bound};

use super::sections_b_2_to_b_4::{Cases, ONE};
use crate::vocabulary::{EXACT, Largest, Least, ROUNDING};

/// Families with known coherence, and random ones.
#[derive(Clone, Debug)]
pub struct QuasiOrthogonality {
    /// Dimensions of the known families.
    pub dims: Vec<usize>,
    /// Numbers of vectors and dimensions of the random families, ten of each.
    pub random: Vec<(usize, usize)>,
}

impl Default for QuasiOrthogonality {
    fn default() -> QuasiOrthogonality {
        QuasiOrthogonality {
            dims: vec![2, 3, 5, 10, 50, 200],
            random: vec![(3, 2), (10, 3), (50, 10), (300, 30), (1000, 100)],
        }
    }
}

/// A family, an eta, and the right answer.
type Question = (Array2<f64>, f64, bool);

fn known(d: usize) -> Result<[Question; 6], Failure> {
    let (basis, corners, inner) = (Array2::<f64>::eye(d), simplex(d)?, 1.0 / d as f64);
    let repeated = concatenate(Axis(0), &[basis.view(), basis.slice(s![..1, ..])])?;
    let long = &basis * 1.001;
    Ok([
        (basis, 0.0, true),
        (corners.clone(), inner + 1e-12, true),
        (corners, inner - 1e-6, false),
        (repeated.clone(), 1.0, true),
        (repeated, 0.999, false),
        (long, 0.5, false),
    ])
}

/// All inner products of two different vectors.
fn products(family: &Array2<f64>) -> Vec<f64> {
    let gram = family.dot(&family.t());
    let pairs = (0..gram.nrows()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.map(|pair| gram[pair]).collect()
}

/// The definition without absolute values.
fn signed(family: &Array2<f64>, eta: f64) -> bool {
    let unit = family.outer_iter().all(|u| (u.dot(&u) - 1.0).abs() < 1e-12);
    unit && products(family).into_iter().all(|product| product <= eta)
}

impl TypedCheck for QuasiOrthogonality {
    const CLAIM: &'static str = "heavy-tailed/def-1";
    const PLAN: Plan = Plan::new(
        "answers of the predicate on families with known coherence; coherence of random families over the Welch bound",
        "a wrong answer; a family below the Welch bound",
        &[EXACT, ROUNDING, ONE],
    );

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("definition 1")?;
        let (mut wrong, mut unsigned) = (Cases::default(), Cases::default());
        let mut distance = Largest::default();
        for &d in &self.dims {
            let questions = known(d)?;
            for (family, eta, right) in &questions {
                wrong.see(is_quasi_orthogonal(family, *eta)? != *right);
                unsigned.see(signed(family, *eta) != *right);
            }
            let values = [(0, 0.0), (1, 1.0 / d as f64), (3, 1.0)];
            for (k, value) in values {
                distance.see((coherence(&questions[k].0)? - value).abs());
            }
        }
        let (mut welch, mut averaged) = (Least::default(), Least::default());
        for &(p, d) in &self.random {
            for _ in 0..10 {
                let family = unit_sphere(&mut stream, p, d);
                let (bound, all) = (welch_bound(p, d)?, products(&family));
                let sum: f64 = all.iter().map(|product| product.abs()).sum();
                welch.see(coherence(&family)? / bound);
                averaged.see(sum / all.len() as f64 / bound);
            }
        }
        let over = |label: &str, value: f64| {
            Finding::at_least(label, ONE, Estimate::exact(value)).cases(10 * self.random.len()).unit("families")
        };
        Ok(Evidence::of(wrong.none("wrong answers on families with known coherence", "questions"))
            .and(
                Finding::identity("coherence of basis, simplex and repeated vector: error", distance.0, ROUNDING)
                    .cases(3 * self.dims.len())
                    .unit("families"),
            )
            .and(over("coherence of random families over the Welch bound, smallest", welch.0))
            .twin(unsigned.none("without the absolute value: wrong answers", "questions"))
            .twin(over("mean in the place of the largest inner product, over the Welch bound", averaged.0))
            .into())
    }
}
