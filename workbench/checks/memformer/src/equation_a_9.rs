//! Appendix A.2, Eq. A.9 and Step 3: the loss as a quadratic.
//!
//! **Claim** (`memformer/eq-A9`). R(w) = (w - w*)^T X X^T (w - w*) / (2n), with Hessian H = X X^T / n; the factor 1/n in the layer accounts
//! for the scaling of the gradient.

use ndarray::Array1;
use workbench_ledger::{Checked, Evidence, Failure, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Instance, Mask, Number, fraction_vector, identity, literal_attention, matrix_vector, product,
};

use super::exact::{Tally, dot, part, stack, token, whole};
use crate::vocabulary::EXACT;

/// The loss, its Hessian and the layer's factor on random prompts in fractions.
#[derive(Clone, Debug)]
pub struct QuadraticLoss {
    /// Prompts.
    pub prompts: usize,
}

impl Default for QuadraticLoss {
    fn default() -> QuadraticLoss {
        QuadraticLoss { prompts: 20 }
    }
}

impl TypedCheck for QuadraticLoss {
    const CLAIM: &'static str = "memformer/eq-A9";
    const PLAN: Plan = Plan::new(
        "prompts and tokens that differ, in fractions; second differences of a quadratic are exact there",
        "a prompt on which one of the three does not hold",
        &[EXACT],
    );

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("A.9")?;
        let [mut values, mut curved, mut unscaled, mut steps] = [Tally::default(); 4];
        for case in 0..self.prompts {
            let (d, n) = (2 + case % 3, 4 + case % 3);
            let prompt = Instance::draw(&mut stream, d, n)?;
            let (f, x, w) = (prompt.quadratic(), prompt.covariates(), fraction_vector(&mut stream, d));
            let xx = product(&x, &x.t().to_owned())?;
            let off = Array1::from_shape_fn(d, |i| w[i].minus(&prompt.target[i]));
            // Eq. 2.11.
            let misses = matrix_vector(&x.t().to_owned(), &off)?;
            let half = part(1, 2 * n as i64);
            let by_examples = half.times(&dot(&misses, &misses)?);
            values.see(by_examples != half.times(&dot(&off, &matrix_vector(&xx, &off)?)?));
            let hessian = f.hessian_by_differences();
            curved.see(hessian != xx.mapv(|v| v.times(&part(1, n as i64))));
            unscaled.see(hessian != xx);
            let term = literal_attention(&stack(&identity(d), 1)?[0], &prompt.tokens, Mask::Printed)?;
            // w_1 with A = I.
            let step = f.gradient(&f.origin()).mapv(|g| g.negated());
            for i in 0..=n {
                let far = whole(-(n as i64)).times(&dot(&token(&prompt.tokens, i), &step)?);
                steps.see(term[[d, i]] != far);
            }
        }
        let evidence = Evidence::of(values.none("prompts whose loss differs from Eq. 2.11", "prompts"))
            .and(curved.none("prompts whose second differences are not X Xᵀ/n", "prompts"))
            .and(steps.none("tokens that a layer without 1/n does not move n times as far", "tokens"))
            .twin(unscaled.none("prompts whose second differences are not X Xᵀ", "prompts"))
            .note("the factor 1/n could be moved into α");
        Ok(evidence.into())
    }
}
