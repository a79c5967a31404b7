//! Gradient step as an outer product: the gradient descent display of the simple MLP example.
//!
//! **Claim** (`gradient-memory/eq-gd-outer-product`). W_{t+1} = W_t - eta grad_W L = W_t - eta u (x) x, with u = grad_y L at y = W_t x.
//!
//! The right side is one line, `U^T X`. The left side must know nothing of outer products: dual numbers push one entry of W at a time
//! through the definition of the loss. Over fractions that is exact, so no entry may differ.

use ndarray::{Array2, Axis, s};
use workbench_gradient_memory::{Fraction, Loss, entries_that_differ, fraction_matrix};
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Check, Done, Margin, Says, Sheet};

use crate::vocabulary::{EXACT, ROUNDING, apart, largest};

const DIFFERENCES: Margin = Margin::rounding(
    "differences",
    1e-6,
    "central differences of step 1e-5: error of order 1e-10 from curvature and 1e-11 / 1e-5 from rounding",
);

/// Dual numbers, fractions and differences against the outer product.
pub const CHECK: Check = Check {
    claim: "gradient-memory/eq-gd-outer-product",
    metric: "entries that differ in fractions; largest difference over the largest entry in floats",
    against: "one entry of the gradient that the outer product misses",
    choices: &["five losses; W from 1 by 1 to 7 by 3"],
    departures: &[
        "the document has one sample a step and no bias; batches, for which the display needs a sum, and a bias are known answers beside it",
    ],
    run,
    ..Check::DEFAULT
};

/// Dimension of values, of keys, pairs; one of them a batch, one of them square.
const SIZES: [(usize, usize, usize); 5] = [(1, 1, 1), (3, 7, 1), (7, 3, 1), (4, 4, 1), (5, 6, 8)];
const LOSSES: [Loss; 5] =
    [Loss::Squared, Loss::Huber { delta: 0.5 }, Loss::Logistic, Loss::CrossEntropy, Loss::TanhSquared];

fn run(s: &Sheet) -> Done {
    in_fractions(s)?;
    let mut draws = s.stream("outer product")?;
    for (d_v, d_k, n) in SIZES {
        let (w, mut keys) = (normal_array2(&mut draws, d_v, d_k), normal_array2(&mut draws, n, d_k));
        // A layer with a bias: the last weight of each row.
        keys.column_mut(d_k - 1).fill(1.0);
        let values = Array2::from_elem((n, d_v), 1.0 / d_v as f64);
        for loss in s.each("losses and sizes", LOSSES) {
            let u = loss.output_gradient(&w, &keys, &values)?;
            let outer = u.t().dot(&keys);
            let size = largest(&outer);
            // One class leaves cross-entropy nothing to learn: nothing equals nothing.
            if size == 0.0 {
                continue;
            }
            let duals = loss.gradient_by_duals(&w, &keys, &values)?;
            let differences = loss.gradient_by_differences(&w, &keys, &values, 1e-5)?;
            let (by_duals, by_differences) = (apart(&duals, &outer) / size, apart(&differences, &outer) / size);
            let bias = apart(&duals.column(d_k - 1), &u.sum_axis(Axis(0))) / size;
            s.support(ROUNDING).same("bias column by dual numbers against the sum of u, relative", bias);
            if n > 1 {
                s.support(ROUNDING).same("batch of eight, summed: dual numbers, relative", by_duals);
                continue;
            }
            s.printed(ROUNDING).same("dual numbers, five losses, relative", by_duals);
            s.printed(DIFFERENCES).same("central differences, relative", by_differences);
            if d_v == d_k && d_v > 1 {
                let transposed = apart(&outer.t(), &duals) / size;
                s.twin(ROUNDING).same("transposed outer product, square W, relative", transposed);
            }
        }
    }
    Ok(())
}

fn in_fractions(s: &Sheet) -> Done {
    let mut draws = s.stream("outer product, exact")?;
    let first = |a: &Array2<Fraction>| a.slice(s![..1, ..]).to_owned();
    for n in [1, 1, 3] {
        let w = fraction_matrix(&mut draws, 3, 5);
        let (x, v) = (fraction_matrix(&mut draws, n, 5), fraction_matrix(&mut draws, n, 3));
        for loss in [Loss::Squared, Loss::Huber { delta: 1.5 }] {
            let duals = loss.exact_gradient_by_duals(&w, &x, &v)?;
            let outer = loss.exact_gradient(&w, &x, &v)?;
            if n == 1 {
                let label = "entries that differ from dual numbers, exact fractions";
                none_differs(s.printed(EXACT), label, &duals, &outer)?;
            } else {
                none_differs(s.support(EXACT), "batch of three, summed: entries that differ", &duals, &outer)?;
                let one_pair = loss.exact_gradient(&w, &first(&x), &first(&v))?;
                none_differs(s.twin(EXACT), "batch of three without its sum, entries that differ", &duals, &one_pair)?;
            }
        }
    }
    Ok(())
}

/// States that no entry differs.
pub(crate) fn none_differs(says: Says, label: &str, a: &Array2<Fraction>, b: &Array2<Fraction>) -> Done {
    let wrong = entries_that_differ(a, b)?;
    (0..a.len()).for_each(|k| says.of("entries").never(label, k < wrong));
    Ok(())
}
