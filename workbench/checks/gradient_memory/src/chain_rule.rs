//! Remark below the gradient descent display: the chain rule behind it.
//!
//! **Claim** (`gradient-memory/chain-rule`). dL/dw_i = dL/dy dy/dw_i with dy/dw_i = x, w_i a row of W, y the prediction.
//!
//! y has as many entries as W has rows, and dy/dw_i = x can only speak of the entry that row i makes: dy_i/dw_i = x, and the other entries
//! do not feel w_i. The index is left out in print, as remarks do, and is read here. Both factors come from dual numbers over fractions;
//! against the claim speaks an entry of a Jacobian, or of the gradient, that they miss. Wrong twins: x as the derivative of every entry of
//! y; the entry of the next row; the derivative of the loss in the label in place of the prediction.

use ndarray::Array2;
use workbench_gradient_memory::{Fraction, Loss, entries_that_differ, fraction_matrix, output_jacobian};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};

use crate::vocabulary::{EXACT, Largest, Least, ROUNDING, apart, largest};

/// Both factors, exactly, and wrong readings of their product.
#[derive(Clone, Debug)]
pub struct ChainRule {
    /// Numbers of outputs.
    pub outputs: Vec<usize>,
    /// Dimension of the key.
    pub inputs: usize,
}

impl Default for ChainRule {
    fn default() -> ChainRule {
        ChainRule { outputs: vec![1, 3, 4], inputs: 5 }
    }
}

#[derive(Default)]
struct Seen {
    jacobians: (usize, usize),
    rows: (usize, usize),
    floats: Largest,
    next: (usize, usize),
    label: (usize, usize),
    whole: Least,
    several: usize,
}

fn float(a: &Array2<Fraction>) -> Array2<f64> {
    a.mapv(|x| x.to_f64())
}

impl ChainRule {
    fn compare(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut draws = setting.stream("chain rule")?;
        let (none, one) = (Fraction::new(0, 1), Fraction::new(1, 1));
        let d_k = self.inputs;
        let mut seen = Seen::default();
        for &d_v in &self.outputs {
            let w = fraction_matrix(&mut draws, d_v, d_k);
            let (x, v) = (fraction_matrix(&mut draws, 1, d_k), fraction_matrix(&mut draws, 1, d_v));
            let u = Loss::Squared.exact_output_gradient(&w, &x, &v)?;
            let gradient = Loss::Squared.exact_gradient_by_duals(&w, &x, &v)?;
            let mut rows = gradient.mapv(|_| none.clone());
            for i in 0..d_v {
                // Entry (j, k) is dy_j / dW_ik.
                let jacobian = output_jacobian(&w, &x, i)?;
                let with_index =
                    Array2::from_shape_fn((d_v, d_k), |(j, k)| if j == i { x[[0, k]].clone() } else { none.clone() });
                seen.jacobians.0 += entries_that_differ(&jacobian, &with_index)?;
                seen.jacobians.1 += jacobian.len();
                for k in 0..d_k {
                    rows[[i, k]] = (0..d_v).fold(none.clone(), |sum, j| sum + &u[[0, j]] * &jacobian[[j, k]]);
                }
            }
            seen.rows.0 += entries_that_differ(&rows, &gradient)?;
            seen.rows.1 += rows.len();
            let by_floats = Loss::Squared.gradient(&float(&w), &float(&x), &float(&v))?;
            seen.floats.see(apart(&float(&rows), &by_floats) / largest(&by_floats));
            if d_v > 1 {
                let next = Array2::from_shape_fn((d_v, d_k), |(i, k)| &u[[0, (i + 1) % d_v]] * &x[[0, k]]);
                seen.next.0 += entries_that_differ(&next, &gradient)?;
                seen.next.1 += next.len();
                let total = u.iter().fold(none.clone(), |a, b| &a + b);
                let whole = Array2::from_shape_fn((d_v, d_k), |(_, k)| &total * &x[[0, k]]);
                let gradient = float(&gradient);
                seen.whole.see(apart(&float(&whole), &gradient) / largest(&gradient));
                seen.several += 1;
            }
            // The loss is symmetric in prediction and label: the derivative in the label is that of the prediction, the two exchanged.
            let itself = Array2::from_shape_fn((d_v, d_v), |(i, j)| if i == j { one.clone() } else { none.clone() });
            let prediction = Array2::from_shape_fn((1, d_v), |(_, i)| {
                (0..d_k).fold(none.clone(), |sum, k| sum + &w[[i, k]] * &x[[0, k]])
            });
            let of_label = Loss::Squared.exact_output_gradient(&itself, &v, &prediction)?;
            let product = Array2::from_shape_fn((d_v, d_k), |(i, k)| &of_label[[0, i]] * &x[[0, k]]);
            seen.label.0 += entries_that_differ(&product, &gradient)?;
            seen.label.1 += product.len();
        }
        Ok(seen)
    }
}

impl TypedCheck for ChainRule {
    const CLAIM: &'static str = "gradient-memory/chain-rule";
    const PLAN: Plan = Plan::new(
        "entries that differ in fractions; largest difference over the largest entry of the gradient",
        "an entry of a Jacobian or of the gradient that the two factors miss",
        &[EXACT, ROUNDING],
    )
    .protocol(&["squared error, one to four outputs, five inputs, one pair each"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.compare(setting)?;
        let exact = |label: &str, (wrong, of): (usize, usize)| {
            Finding::identity(label, wrong as f64, EXACT).cases(of).unit("entries")
        };
        let evidence =
            Evidence::of(exact("entries of the Jacobians that differ from x in its own row, exact", seen.jacobians))
                .and(exact("entries of the gradient that the product misses, exact", seen.rows))
                .and(Finding::identity(
                    "the product against the gradient in floating point, relative",
                    seen.floats.0,
                    ROUNDING,
                ))
                .twin(
                    Finding::identity(
                        "rows of the gradient, dy/dw_i = x for the whole y, relative",
                        seen.whole.0,
                        ROUNDING,
                    )
                    .cases(seen.several),
                )
                .twin(exact("the output of the next row: entries of the gradient that the product misses", seen.next))
                .twin(exact("y read as the label: entries of the gradient that the product misses", seen.label));
        Ok(evidence.into())
    }
}
