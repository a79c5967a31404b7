//! Equation 12: any number of memories with learned embeddings.
//!
//! **Claim** (`heavy-tailed/eq-12`). W = I, u_y on the unit sphere for all y in [M] and e_x = u_{f_*(x)} imply
//! f_*(x) = argmax_y u_y^T W e_x.
//!
//! All that is used is u_y^T u_z < 1 for distinct unit vectors. Inputs of one class share their embedding, so one input for each class
//! covers every N. A margin that is not positive counts against it.

use std::f64::consts::TAU;

use ndarray::{Array2, array};
use workbench_ground::stats::unit_sphere;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{Embeddings, identity_margins, simplex};

use crate::vocabulary::EXACT;

/// Sets of distinct unit vectors, random and regular, in one to fifty dimensions.
#[derive(Clone, Debug, Default)]
pub struct Aligned {
    /// Classes of the largest sets; by scale if 0.
    pub classes: usize,
}

/// Corners of a regular polygon.
fn polygon(m: usize) -> Array2<f64> {
    Array2::from_shape_fn((m, 2), |(k, j)| {
        let angle = TAU * k as f64 / m as f64;
        if j == 0 { angle.cos() } else { angle.sin() }
    })
}

/// Inputs that are not recalled when each stands on the output of its class, and how many there are.
fn lost(outputs: &Array2<f64>, labels: &[usize]) -> Result<usize, Failure> {
    let margins = identity_margins(&Embeddings::aligned(outputs.clone(), labels)?, labels)?;
    Ok(margins.iter().filter(|margin| **margin <= 0.0).count())
}

/// One input for each class, a block of classes at a time.
fn lost_of_all(outputs: &Array2<f64>) -> Result<usize, Failure> {
    let classes: Vec<usize> = (0..outputs.nrows()).collect();
    classes.chunks(500).map(|labels| lost(outputs, labels)).sum()
}

impl TypedCheck for Aligned {
    const CLAIM: &'static str = "heavy-tailed/eq-12";
    const PLAN: Plan = Plan::new("inputs that are not recalled", "one of them", &[EXACT]).protocol(&[
        "W = I, distinct unit vectors u_y, e_x = u_{f_*(x)}; d from 1 to 50, M up to 10000, N up to 100000",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("Eq. 12")?;
        let largest = match self.classes {
            0 => setting.scale().pick(2000, 10_000),
            given => given,
        };
        let sets = [
            polygon(largest),
            unit_sphere(&mut stream, 300, 2),
            unit_sphere(&mut stream, largest, 3),
            unit_sphere(&mut stream, largest, 20),
            simplex(6)?,
            Array2::eye(50),
            array![[1.0], [-1.0]],
        ];
        let (mut failures, mut seen) = (0, 0);
        for outputs in &sets {
            failures += lost_of_all(outputs)?;
            seen += outputs.nrows();
        }
        let many: Vec<usize> = (0..100_000).map(|x| x % 5).collect();
        let count =
            |label: &str, lost: usize, of: usize| Finding::identity(label, lost as f64, EXACT).cases(of).unit("inputs");
        // Lengths that differ by up to a factor of three: a long rival wins over a short right one.
        let lengths = Array2::from_shape_fn((300, 1), |(k, _)| 1.0 + 2.0 * k as f64 / 299.0);
        let stretched = &sets[1] * &lengths;
        let mut doubled = polygon(5);
        let first = doubled.row(0).to_owned();
        doubled.row_mut(1).assign(&first);
        let evidence = Evidence::of(count("one input for each class: inputs that are not recalled", failures, seen))
            .and(count(
                "100000 inputs of five classes in the plane: inputs that are not recalled",
                lost(&polygon(5), &many)?,
                many.len(),
            ))
            .twin(count("without unit norm, 300 outputs in the plane", lost_of_all(&stretched)?, 300))
            .twin(count("two of five outputs equal", lost_of_all(&doubled)?, 5))
            .note("the paper prints S^d for the sphere in R^d, elsewhere S^{d-1}; at d = 1 the sphere has two points, so M = 2 is the largest");
        Ok(evidence.into())
    }
}
