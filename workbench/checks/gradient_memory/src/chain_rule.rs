//! Remark below the gradient descent display: the chain rule behind it.
//!
//! **Claim** (`gradient-memory/chain-rule`). dL/dw_i = dL/dy dy/dw_i with dy/dw_i = x, w_i a row of W, y the prediction.
//!
//! Read literally every output has the derivative x in every row, and the product is (sum_j u_j) x for each i. That is right for one
//! output only; what holds is dy_j/dw_i = delta_ij x. Both factors come from dual numbers over fractions.

use ndarray::Array2;
use workbench_gradient_memory::{Loss, Rational, entries_that_differ, output_jacobian, rational_matrix};
use workbench_ledger::{Check, Checked, Evidence, Failure, Finding, Plan, Setting};

use crate::vocabulary::{EXACT, Least, ROUNDING, apart, largest};

/// Both factors, exactly, and three readings of their product.
#[derive(Clone, Debug)]
pub struct ChainRule {
    /// Numbers of outputs.
    pub outputs: Vec<usize>,
    /// Dimension of the key.
    pub inputs: usize,
}

impl Default for ChainRule {
    fn default() -> ChainRule {
        ChainRule {
            outputs: vec![1, 3, 4],
            inputs: 5,
        }
    }
}

#[derive(Default)]
struct Seen {
    jacobians: (usize, usize),
    rows: (usize, usize),
    one_output: (usize, usize),
    printed: Least,
    label: Least,
    several: u64,
}

fn float(a: &Array2<Rational>) -> Array2<f64> {
    a.mapv(Rational::to_f64)
}

impl ChainRule {
    fn compare(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut draws = setting.stream("chain rule")?;
        let (none, one) = (Rational::new(0, 1), Rational::new(1, 1));
        let d_k = self.inputs;
        let mut seen = Seen::default();
        for &d_v in &self.outputs {
            let w = rational_matrix(&mut draws, d_v, d_k);
            let (x, v) = (rational_matrix(&mut draws, 1, d_k), rational_matrix(&mut draws, 1, d_v));
            let u = Loss::Squared.exact_output_gradient(&w, &x, &v)?;
            let gradient = Loss::Squared.exact_gradient_by_duals(&w, &x, &v)?;
            let mut rows = gradient.mapv(|_| none);
            for i in 0..d_v {
                // Entry (j, k) is dy_j / dW_ik.
                let jacobian = output_jacobian(&w, &x, i)?;
                let with_index = Array2::from_shape_fn((d_v, d_k), |(j, k)| if j == i { x[[0, k]] } else { none });
                seen.jacobians.0 += entries_that_differ(&jacobian, &with_index)?;
                seen.jacobians.1 += jacobian.len();
                for k in 0..d_k {
                    rows[[i, k]] = (0..d_v).fold(none, |sum, j| sum + u[[0, j]] * jacobian[[j, k]]);
                }
            }
            seen.rows.0 += entries_that_differ(&rows, &gradient)?;
            seen.rows.1 += rows.len();
            let total = u.iter().fold(none, |a, b| a + *b);
            let printed = Array2::from_shape_fn((d_v, d_k), |(_, k)| total * x[[0, k]]);
            if d_v == 1 {
                seen.one_output.0 += entries_that_differ(&printed, &gradient)?;
                seen.one_output.1 += printed.len();
            } else {
                let gradient = float(&gradient);
                seen.printed
                    .see(apart(&float(&printed), &gradient) / largest(&gradient));
                seen.several += 1;
            }
            let itself = Array2::from_shape_fn((d_v, d_v), |(i, j)| if i == j { one } else { none });
            let at_label = Loss::Squared.exact_output_gradient(&itself, &v, &v)?;
            seen.label
                .see(apart(&float(&at_label), &float(&u)) / largest(&float(&u)));
        }
        Ok(seen)
    }
}

impl Check for ChainRule {
    const CLAIM: &'static str = "gradient-memory/chain-rule";
    const PLAN: Plan = Plan::new(
        "entries that differ in fractions; largest difference over the largest entry of the gradient",
        "a row of the gradient that the product as printed misses",
        &[EXACT, ROUNDING],
    );

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.compare(setting)?;
        let exact = |label: &str, (wrong, of): (usize, usize)| {
            Finding::identity(label, wrong as f64, EXACT)
                .cases(of as u64)
                .unit("entries")
        };
        let evidence = Evidence::of(
            Finding::identity(
                "rows of the gradient, dy/dw_i = x for the whole y, relative",
                seen.printed.0,
                ROUNDING,
            )
            .cases(seen.several),
        )
        .misprint(
            "the index: dy_i/dw_i = x, and dy_j/dw_i = 0 for j other than i; as printed for one output only",
            vec![
                exact("entries of the Jacobians that differ from that, exact", seen.jacobians),
                exact("entries of the gradient that the product misses, exact", seen.rows),
                exact(
                    "one output: entries that the printed form misses, exact",
                    seen.one_output,
                ),
            ],
        )
        .twin(Finding::identity(
            "y read as the label: change of u, relative",
            seen.label.0,
            ROUNDING,
        ));
        Ok(evidence.into())
    }
}
