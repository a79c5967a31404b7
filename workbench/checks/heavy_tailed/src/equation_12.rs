//! Equation 12: any number of memories with learned embeddings.
//!
//! **Claim** (`heavy-tailed/eq-12`). W = I, u_y on the unit sphere for all y in [M] and e_x = u_{f_*(x)} imply
//! f_*(x) = argmax_y u_y^T W e_x.
//!
//! All that is used is u_y^T u_z < 1 for distinct unit vectors. Inputs of one class share their embedding, so one input for each class
//! covers every N. Refuted by a margin that is not positive.

use std::f64::consts::TAU;

use ndarray::{Array2, array};
use workbench_ground::stats::unit_sphere;
use workbench_ledger::{Check, Done, Says, Sheet};
use workbench_memory::{Embeddings, identity_margins, simplex};

use crate::vocabulary::EXACT;

/// Sets of distinct unit vectors, random and regular, in one to fifty dimensions.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-12",
    metric: "inputs that are not recalled",
    against: "one of them",
    protocol: &["W = I, unit vectors u_y, e_x = u_{f_*(x)}"],
    choices: &["u_y distinct, as the outputs of different classes are; d from 1 to 50, M up to 10000, N up to 100000"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let mut stream = s.stream("Eq. 12")?;
    let largest = s.knob("classes of the largest sets", s.scale().pick(2000, 10_000), 2..)?;
    let [printed, twin] = [s.printed(EXACT), s.twin(EXACT)].map(|says| says.of("inputs"));
    let sets = [
        polygon(largest),
        unit_sphere(&mut stream, 300, 2),
        unit_sphere(&mut stream, largest, 3),
        unit_sphere(&mut stream, largest, 20),
        simplex(6)?,
        Array2::eye(50),
        array![[1.0], [-1.0]],
    ];
    for outputs in &sets {
        one_for_each_class(printed, "one input for each class: inputs that are not recalled", outputs)?;
    }
    let many: Vec<usize> = (0..100_000).map(|x| x % 5).collect();
    let label = "100000 inputs of five classes in the plane: inputs that are not recalled";
    recalled(printed, label, &polygon(5), &many)?;
    // Lengths that differ by up to a factor of three: a long rival wins over a short right one.
    let lengths = Array2::from_shape_fn((300, 1), |(k, _)| 1.0 + 2.0 * k as f64 / 299.0);
    one_for_each_class(twin, "without unit norm, 300 outputs in the plane", &(&sets[1] * &lengths))?;
    let mut doubled = polygon(5);
    let first = doubled.row(0).to_owned();
    doubled.row_mut(1).assign(&first);
    one_for_each_class(twin, "two of five outputs equal", &doubled)?;
    s.note("the paper prints S^d for the sphere in R^d, elsewhere S^{d-1}; at d = 1 the sphere has two points, so M = 2 is the largest");
    Ok(())
}

/// No input is lost when each stands on the output of its class.
fn recalled(says: Says, label: &str, outputs: &Array2<f64>, labels: &[usize]) -> Done {
    for margin in identity_margins(&Embeddings::aligned(outputs.clone(), labels)?, labels)? {
        says.never(label, margin <= 0.0);
    }
    Ok(())
}

/// The same with a block of classes at a time.
fn one_for_each_class(says: Says, label: &str, outputs: &Array2<f64>) -> Done {
    let classes: Vec<usize> = (0..outputs.nrows()).collect();
    classes.chunks(500).try_for_each(|labels| recalled(says, label, outputs, labels))
}

/// Corners of a regular polygon.
fn polygon(m: usize) -> Array2<f64> {
    Array2::from_shape_fn((m, 2), |(k, j)| {
        let angle = TAU * k as f64 / m as f64;
        if j == 0 { angle.cos() } else { angle.sin() }
    })
}
