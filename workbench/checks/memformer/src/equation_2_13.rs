//! Eq. 2.13: conjugate gradients.
//!
//! **Claim** (`memformer/eq-2-13`). gamma_n = |grad f(w_n)|^2 / |grad f(w_{n-1})|^2, s_n = -grad f(w_n) + gamma_n s_{n-1}, a line search along
//! s_n; the directions are conjugate to the previous ones.
//!
//! In fractions conjugacy, <s_i, H s_j> = 0, is exact or false. So are orthogonal gradients, and that each iterate is the best of its
//! Krylov space, span{b, Hb, H^2 b, ...}, whose minimiser a direct solution gives. Against the claim counts a pair that is not conjugate,
//! an iterate that is not the best.

use ndarray::{Array1, Array2};
use workbench_ledger::{Checked, Evidence, Failure, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Fraction, Number, Quadratic, SingleMemory, conjugate_gradient, fraction_matrix, fraction_vector, line_search,
    matrix_vector, product, solve,
};

use super::exact::{Tally, dot, part, whole};
use crate::vocabulary::{EXACT, by_scale};

/// Conjugate gradients on random quadratics in fractions.
#[derive(Clone, Debug)]
pub struct ConjugateDirections {
    /// Quadratics; by scale if 0.
    pub problems: usize,
    /// Dimension d, and number of steps.
    pub dim: usize,
}

impl Default for ConjugateDirections {
    fn default() -> ConjugateDirections {
        ConjugateDirections { problems: 0, dim: 4 }
    }
}

#[derive(Default)]
struct Seen {
    conjugate: Tally,
    plain: Tally,
    gradients: Tally,
    best: Tally,
    searched: Tally,
    halved: Tally,
}

/// The minimiser of f over the span of b, Hb, ..., H^i b.
fn best_in_krylov(f: &Quadratic<Fraction>, i: usize) -> Result<Array1<Fraction>, Failure> {
    let mut krylov = vec![f.linear.clone()];
    for k in 0..i {
        krylov.push(matrix_vector(&f.hessian, &krylov[k])?);
    }
    let basis = Array2::from_shape_fn((f.dim(), i + 1), |(r, c)| krylov[c][r].clone());
    let transposed = basis.t().to_owned();
    let small = product(&product(&transposed, &f.hessian)?, &basis)?;
    Ok(matrix_vector(&basis, &solve(&small, &matrix_vector(&transposed, &f.linear)?)?)?)
}

fn compare(f: &Quadratic<Fraction>, d: usize, seen: &mut Seen) -> Result<(), Failure> {
    let run = conjugate_gradient(f, &f.origin(), d)?;
    let zero = whole(0);
    for i in 0..d {
        for j in 0..i {
            let (s, t) = (&run.directions[i], &run.directions[j]);
            seen.conjugate.see(dot(s, &matrix_vector(&f.hessian, t)?)? != zero);
            seen.plain.see(dot(s, t)? != zero);
            seen.gradients.see(dot(&run.residuals[i], &run.residuals[j])? != zero);
        }
        let exact = line_search(f, &run.iterates[i], &run.directions[i])?;
        seen.searched.see(exact != run.coefficients.alpha[i]);
        seen.best.see(best_in_krylov(f, i)? != run.iterates[i + 1]);
    }
    let half = |g: &Fraction| g.times(&part(1, 2));
    let halved = run.coefficients.gamma.iter().map(half).collect();
    let gradients = SingleMemory::new(run.coefficients.alpha.clone(), halved)?.run(f, &f.origin())?.gradients;
    for i in 2..d {
        for j in 0..i {
            seen.halved.see(dot(&gradients[i], &gradients[j])? != zero);
        }
    }
    Ok(())
}

impl TypedCheck for ConjugateDirections {
    const CLAIM: &'static str = "memformer/eq-2-13";
    const PLAN: Plan = Plan::new(
        "pairs, iterates and steps that differ, in fractions",
        "a pair of directions that is not conjugate, an iterate that is not the best of its Krylov space",
        &[EXACT],
    )
    .departures(&["quadratics of six examples in four dimensions, so that equal means equal"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("conjugate gradients")?;
        let mut seen = Seen::default();
        for _ in 0..by_scale(self.problems, setting.scale().pick(5, 20)) {
            let x = fraction_matrix(&mut stream, self.dim, self.dim + 2);
            let f = Quadratic::of_prompt(&x, &fraction_vector(&mut stream, self.dim + 2))?;
            compare(&f, self.dim, &mut seen)?;
        }
        let evidence = Evidence::of(seen.conjugate.none("pairs of directions that are not conjugate", "pairs"))
            .and(seen.gradients.none("pairs of gradients that are not orthogonal", "pairs"))
            .and(seen.best.none("iterates that do not minimise over the Krylov space", "iterates"))
            .and(seen.searched.none("steps <r,r>/<s,Hs> that are not the exact line search", "steps"))
            .twin(seen.halved.none("every γ halved: pairs of gradients not orthogonal", "pairs"))
            .twin(seen.plain.none("orthogonal in place of conjugate: pairs of directions", "pairs"))
            .note("γ₀ is not defined by the formula; it multiplies no direction and is taken as 0");
        Ok(evidence.into())
    }
}
