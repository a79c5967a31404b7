//! Appendix A.2, Eq. A.9 and Step 3: the loss as a quadratic.
//!
//! **Claim** (`memformer/eq-A9`). R(w) = (w - w*)^T X X^T (w - w*) / (2n), with Hessian H = X X^T / n; the factor 1/n in the layer accounts
//! for the scaling of the gradient.
//!
//! Refuted by a prompt on which the quadratic is not the loss of Eq. 2.11, by examples or as the other checks use it; by second differences
//! of that loss that are not H; by a token that a layer without 1/n does not move n times as far as a step of descent.

use ndarray::Array1;
use workbench_ledger::{Check, Done, Sheet};
use workbench_memformer::{
    Instance, Mask, Number, fraction_vector, identity, literal_attention, matrix_vector, product,
};

use super::exact::{dot, part, stack, token, whole};
use crate::vocabulary::EXACT;

/// The loss, its Hessian and the layer's factor on random prompts in fractions.
pub const CHECK: Check = Check {
    claim: "memformer/eq-A9",
    metric: "prompts and tokens that differ, in fractions; second differences of a quadratic are exact there",
    against: "a prompt on which one of the three does not hold",
    choices: &["d = 2 to 4, n = 4 to 6"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.note("the factor 1/n could be moved into α");
    let mut stream = s.stream("A.9")?;
    for case in s.cases("prompts", 20, 20)? {
        let (d, n) = (2 + case % 3, 4 + case % 3);
        let prompt = Instance::draw(&mut stream, d, n)?;
        let (f, x, w) = (prompt.quadratic(), prompt.covariates(), fraction_vector(&mut stream, d));
        let xx = product(&x, &x.t().to_owned())?;
        let off = Array1::from_shape_fn(d, |i| w[i].minus(&prompt.target[i]));
        // Eq. 2.11.
        let misses = matrix_vector(&x.t().to_owned(), &off)?;
        let half = part(1, 2 * n as i64);
        let by_examples = half.times(&dot(&misses, &misses)?);
        let form = dot(&off, &matrix_vector(&xx, &off)?)?;
        let quadratic = half.times(&form);
        let differs = by_examples != quadratic || f.value(&w) != quadratic;
        s.printed(EXACT).never("prompts whose loss differs from Eq. 2.11", differs);
        let label = "1/n for 1/(2n): prompts whose loss differs";
        s.twin(EXACT).never(label, by_examples != part(1, n as i64).times(&form));
        let hessian = f.hessian_by_differences();
        let scaled = xx.mapv(|v| v.times(&part(1, n as i64)));
        s.printed(EXACT).never("prompts whose second differences are not X Xᵀ/n", hessian != scaled);
        s.twin(EXACT).never("prompts whose second differences are not X Xᵀ", hessian != xx);
        let term = literal_attention(&stack(&identity(d), 1)?[0], &prompt.tokens, Mask::Printed)?;
        // w_1 with A = I.
        let step = f.gradient(&f.origin()).mapv(|g| g.negated());
        for i in 0..=n {
            let once = dot(&token(&prompt.tokens, i), &step)?.negated();
            let label = "tokens that a layer without 1/n does not move n times as far";
            s.printed(EXACT).of("tokens").never(label, term[[d, i]] != whole(n as i64).times(&once));
            s.twin(EXACT).of("tokens").never("tokens that it does not move just as far", term[[d, i]] != once);
        }
    }
    Ok(())
}
