//! Simple MLP example, gradient descent display: a gradient step is an outer product.
//!
//! **Claim** (`gradient-memory/eq-gd-outer-product`). W_{t+1} = W_t - eta grad_W L = W_t - eta u (x) x, with u = grad_y L at y = W_t x.
//!
//! The right side is one line, `U^T X`. The left side must know nothing of outer products: dual numbers push one entry of W at a time
//! through the definition of the loss. Over fractions that is exact, so no entry may differ.

use ndarray::{Array2, Axis, s};
use workbench_gradient_memory::{Fraction, Loss, entries_that_differ, fraction_matrix};
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use crate::vocabulary::{EXACT, Largest, Least, ROUNDING, apart, largest};

const DIFFERENCES: Margin = Margin::new(
    "differences",
    1e-6,
    "central differences of step 1e-5: error of order 1e-10 from curvature and 1e-11 / 1e-5 from rounding",
);

/// Dual numbers, fractions and differences against the outer product.
#[derive(Clone, Debug)]
pub struct OuterProduct {
    /// Dimension of values, of keys, pairs; one of them a batch, one of them square.
    pub sizes: Vec<(usize, usize, usize)>,
    /// Pairs of the exact cases, 3 by 5.
    pub exact_pairs: Vec<usize>,
}

impl Default for OuterProduct {
    fn default() -> OuterProduct {
        OuterProduct { sizes: vec![(1, 1, 1), (3, 7, 1), (7, 3, 1), (4, 4, 1), (5, 6, 8)], exact_pairs: vec![1, 1, 3] }
    }
}

#[derive(Default)]
struct Floats {
    duals: Largest,
    differences: Largest,
    bias: Largest,
    transposed: Least,
}

#[derive(Default)]
struct Fractions {
    wrong: usize,
    compared: usize,
    wrong_without_sum: usize,
}

impl OuterProduct {
    const LOSSES: [Loss; 5] =
        [Loss::Squared, Loss::Huber { delta: 0.5 }, Loss::Logistic, Loss::CrossEntropy, Loss::TanhSquared];

    fn in_floats(&self, setting: &Setting) -> Result<Floats, Failure> {
        let mut draws = setting.stream("outer product")?;
        let mut seen = Floats::default();
        for &(d_v, d_k, n) in &self.sizes {
            let (w, mut keys) = (normal_array2(&mut draws, d_v, d_k), normal_array2(&mut draws, n, d_k));
            // A layer with a bias: the last weight of each row.
            keys.column_mut(d_k - 1).fill(1.0);
            let values = Array2::from_elem((n, d_v), 1.0 / d_v as f64);
            for loss in Self::LOSSES {
                let u = loss.output_gradient(&w, &keys, &values)?;
                let outer = u.t().dot(&keys);
                // One class leaves cross-entropy nothing to learn: its gradient is zero, and no part of it can be taken.
                let size = match largest(&outer) {
                    0.0 => 1.0,
                    size => size,
                };
                let duals = loss.gradient_by_duals(&w, &keys, &values)?;
                seen.duals.see(apart(&duals, &outer) / size);
                let differences = loss.gradient_by_differences(&w, &keys, &values, 1e-5)?;
                seen.differences.see(apart(&differences, &outer) / size);
                let bias = &outer.column(d_k - 1) - &u.sum_axis(Axis(0));
                seen.bias.see(largest(&bias.insert_axis(Axis(0))));
                if d_v == d_k && d_v > 1 {
                    seen.transposed.see(apart(&outer.t().to_owned(), &duals) / size);
                }
            }
        }
        Ok(seen)
    }

    fn in_fractions(&self, setting: &Setting) -> Result<Fractions, Failure> {
        let mut draws = setting.stream("outer product, exact")?;
        let mut seen = Fractions::default();
        let first = |a: &Array2<Fraction>| a.slice(s![..1, ..]).to_owned();
        for &n in &self.exact_pairs {
            let w = fraction_matrix(&mut draws, 3, 5);
            let (x, v) = (fraction_matrix(&mut draws, n, 5), fraction_matrix(&mut draws, n, 3));
            for loss in [Loss::Squared, Loss::Huber { delta: 1.5 }] {
                let duals = loss.exact_gradient_by_duals(&w, &x, &v)?;
                seen.wrong += entries_that_differ(&duals, &loss.exact_gradient(&w, &x, &v)?)?;
                seen.compared += duals.len();
                if n > 1 {
                    let one_pair = loss.exact_gradient(&w, &first(&x), &first(&v))?;
                    seen.wrong_without_sum += entries_that_differ(&duals, &one_pair)?;
                }
            }
        }
        Ok(seen)
    }
}

impl TypedCheck for OuterProduct {
    const CLAIM: &'static str = "gradient-memory/eq-gd-outer-product";
    const PLAN: Plan = Plan::new(
        "entries that differ in fractions; largest difference over the largest entry in floats",
        "one entry of the gradient that the outer product misses",
        &[EXACT, ROUNDING, DIFFERENCES],
    )
    .departures(&[
        "the document has one sample a step; for a batch the display needs a sum over it, which is checked too",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (floats, fractions) = (self.in_floats(setting)?, self.in_fractions(setting)?);
        let cases = self.sizes.len() * Self::LOSSES.len();
        let evidence = Evidence::of(
            Finding::identity("entries that differ from dual numbers, exact fractions", fractions.wrong as f64, EXACT)
                .cases(fractions.compared),
        )
        .and(Finding::identity("dual numbers, five losses, relative", floats.duals.0, ROUNDING).cases(cases))
        .and(Finding::identity("central differences, relative", floats.differences.0, DIFFERENCES).cases(cases))
        .and(Finding::identity("bias column against the sum of u", floats.bias.0, ROUNDING).cases(cases))
        .twin(Finding::identity("transposed outer product, square W, relative", floats.transposed.0, ROUNDING))
        .twin(Finding::identity(
            "batch of three without its sum, entries that differ",
            fractions.wrong_without_sum as f64,
            EXACT,
        ));
        Ok(evidence.into())
    }
}
