//! Chain rule behind a gradient step: the remark below the gradient descent display.
//!
//! **Claim** (`gradient-memory/chain-rule`). dL/dw_i = dL/dy dy/dw_i with dy/dw_i = x, w_i a row of W, y the prediction.
//!
//! y has as many entries as W has rows, and dy/dw_i = x can only speak of the entry that row i makes: dy_i/dw_i = x, and the other entries
//! do not feel w_i. The index is left out in print, as remarks do, and is read here. Both factors come from dual numbers over fractions.
//! Refuted by an entry of a Jacobian, or of the gradient, that they miss. Wrong twins: x as the derivative of every entry of y; the entry of
//! the next row; the derivative of the loss in the label in place of the prediction.

use ndarray::Array2;
use workbench_gradient_memory::{Fraction, Loss, fraction_matrix, output_jacobian};
use workbench_ledger::{Check, Done, Sheet};

use super::gradient_step::none_differs;
use crate::vocabulary::{EXACT, ROUNDING, apart, largest};

/// Both factors, exactly, and wrong readings of their product.
pub const CHECK: Check = Check {
    claim: "gradient-memory/chain-rule",
    metric: "entries that differ in fractions; largest difference over the largest entry of the gradient",
    against: "an entry of a Jacobian or of the gradient that the two factors miss",
    choices: &["squared error, one to four outputs, five inputs, one pair each"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let mut draws = s.stream("chain rule")?;
    let (none, one) = (Fraction::new(0, 1), Fraction::new(1, 1));
    let d_k = 5;
    for d_v in s.each("numbers of outputs", s.knobs("numbers of outputs", &[1, 3, 4], 1..=20)?) {
        let w = fraction_matrix(&mut draws, d_v, d_k);
        let (x, v) = (fraction_matrix(&mut draws, 1, d_k), fraction_matrix(&mut draws, 1, d_v));
        let u = Loss::Squared.exact_output_gradient(&w, &x, &v)?;
        let gradient = Loss::Squared.exact_gradient_by_duals(&w, &x, &v)?;
        let times_x =
            |of_row: &dyn Fn(usize) -> Fraction| Array2::from_shape_fn((d_v, d_k), |(i, k)| &of_row(i) * &x[[0, k]]);

        let mut product = gradient.mapv(|_| none.clone());
        for i in 0..d_v {
            // Entry (j, k) is dy_j / dW_ik.
            let jacobian = output_jacobian(&w, &x, i)?;
            let with_index = times_x(&|j| if j == i { one.clone() } else { none.clone() });
            let label = "entries of the Jacobians that differ from x in its own row, exact";
            none_differs(s.printed(EXACT), label, &jacobian, &with_index)?;
            product.row_mut(i).assign(&times(&u, &jacobian).row(0));
        }
        let label = "entries of the gradient that the product misses, exact";
        none_differs(s.printed(EXACT), label, &product, &gradient)?;
        let by_floats = Loss::Squared.gradient(&float(&w), &float(&x), &float(&v))?;
        let off = apart(&float(&product), &by_floats) / largest(&by_floats);
        s.printed(ROUNDING).same("the product against the gradient in floating point, relative", off);

        if d_v > 1 {
            let next = times_x(&|i| u[[0, (i + 1) % d_v]].clone());
            let label = "the output of the next row: entries of the gradient that the product misses";
            none_differs(s.twin(EXACT), label, &next, &gradient)?;
            let whole = float(&times_x(&|_| sum(u.iter().cloned())));
            let off = apart(&whole, &float(&gradient)) / largest(&float(&gradient));
            s.twin(ROUNDING).same("rows of the gradient, dy/dw_i = x for the whole y, relative", off);
        }
        // The loss is symmetric in prediction and label: the derivative in the label is that of the prediction, the two exchanged.
        let itself = Array2::from_shape_fn((d_v, d_v), |(i, j)| if i == j { one.clone() } else { none.clone() });
        let prediction = times(&x, &w.t().to_owned());
        let of_label = Loss::Squared.exact_output_gradient(&itself, &v, &prediction)?;
        let label = "y read as the label: entries of the gradient that the product misses";
        none_differs(s.twin(EXACT), label, &times_x(&|i| of_label[[0, i]].clone()), &gradient)?;
    }
    Ok(())
}

fn float(a: &Array2<Fraction>) -> Array2<f64> {
    a.mapv(|x| x.to_f64())
}

fn times(a: &Array2<Fraction>, b: &Array2<Fraction>) -> Array2<Fraction> {
    let entry = |i: usize, j: usize| sum((0..a.ncols()).map(|k| &a[[i, k]] * &b[[k, j]]));
    Array2::from_shape_fn((a.nrows(), b.ncols()), |(i, j)| entry(i, j))
}

fn sum(terms: impl Iterator<Item = Fraction>) -> Fraction {
    terms.fold(Fraction::new(0, 1), |a, b| &a + &b)
}
