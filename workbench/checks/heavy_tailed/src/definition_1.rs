//! Definition 1: quasi-orthogonal families.
//!
//! **Claim** (`heavy-tailed/def-1`, Eq. 17). A family is eta-quasi orthogonal if all norms are one and |<u_z, u_z'>| <= eta for all pairs.
//!
//! The least such eta is the coherence. As a predicate it has to know families whose coherence is known: an orthonormal basis (0), the
//! corners of a simplex (1/d), a repeated vector (1), vectors that are too long (none). And no family is below the Welch bound, sqrt((P -
//! d)/(d (P - 1))). Refuted by one wrong answer; that coherences are computed right, and none below Welch's bound, is what the check stands
//! on.

use ndarray::{Array2, Axis, concatenate, s};
use workbench_ground::stats::unit_sphere;
use workbench_ledger::{Check, Done, Failure, Sheet};
use workbench_memory::{coherence, is_quasi_orthogonal, simplex, welch_bound};

use super::exponents::ONE;
use crate::vocabulary::{EXACT, ROUNDING};

/// Families with known coherence, and random ones.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/def-1",
    metric: "answers of the predicate on families with known coherence",
    against: "a wrong answer",
    choices: &["d = 2 to 200; random families of 3 to 1000 vectors"],
    run,
    ..Check::DEFAULT
};

fn run(sheet: &Sheet) -> Done {
    for d in sheet.knobs("dimensions", &[2usize, 3, 5, 10, 50, 200], 2..)? {
        let questions = known(d)?;
        for (family, eta, right) in sheet.each("questions", &questions) {
            let wrong = is_quasi_orthogonal(family, *eta)? != *right;
            sheet.printed(EXACT).never("wrong answers on families with known coherence", wrong);
            let unsigned = signed(family, *eta) != *right;
            sheet.twin(EXACT).never("without the absolute value: wrong answers", unsigned);
        }
        for (k, value) in sheet.each("families", [(0, 0.0), (1, 1.0 / d as f64), (3, 1.0)]) {
            let error = (coherence(&questions[k].0)? - value).abs();
            sheet.support(ROUNDING).same("coherence of basis, simplex and repeated vector: error", error);
        }
    }
    let mut stream = sheet.stream("definition 1")?;
    for (p, d) in [(3, 2), (10, 3), (50, 10), (300, 30), (1000, 100)] {
        for _ in sheet.each("families", 0..10) {
            let family = unit_sphere(&mut stream, p, d);
            let (bound, all) = (welch_bound(p, d)?, products(&family));
            let over = coherence(&family)? / bound;
            sheet.support(ONE).at_least("coherence of random families over the Welch bound, smallest", over);
            let mean = all.iter().map(|product| product.abs()).sum::<f64>() / all.len() as f64;
            let label = "mean in the place of the largest inner product, over the Welch bound";
            sheet.twin(ONE).least().at_least(label, mean / bound);
        }
    }
    Ok(())
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
