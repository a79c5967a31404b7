//! Eq. 2.13: conjugate gradients.
//!
//! **Claim** (`memformer/eq-2-13`). gamma_n = |grad f(w_n)|^2 / |grad f(w_{n-1})|^2, s_n = -grad f(w_n) + gamma_n s_{n-1}, a line search along
//! s_n; the directions are conjugate to the previous ones, and it converges faster than gradient descent.
//!
//! In fractions conjugacy, <s_i, H s_j> = 0, is exact or false. Gradient descent has an exact line search too, and is compared from the
//! second step on; the first is the same. What the check stands on: orthogonal gradients, and that each iterate is the best of its Krylov
//! space, span{b, Hb, H^2 b, ...}, whose minimiser a direct solution gives. Refuted by a pair that is not conjugate, a step after which
//! gradient descent is as low.

use ndarray::{Array1, Array2};
use workbench_ledger::{Check, Done, Failure, Sheet};
use workbench_memformer::{
    Fraction, Number, Quadratic, SingleMemory, conjugate_gradient, fraction_matrix, fraction_vector, line_search,
    matrix_vector, product, solve, steepest_descent,
};

use super::exact::{dot, part, whole};
use super::exact_layers::moved;
use crate::vocabulary::EXACT;

/// Conjugate gradients on random quadratics in fractions.
pub const CHECK: Check = Check {
    claim: "memformer/eq-2-13",
    metric: "pairs, iterates and steps that differ, in fractions",
    against: "a pair of directions that is not conjugate, a step from the second on after which gradient descent is as low",
    rivals: &["gradient descent with an exact line search"],
    departures: &["quadratics of six examples in four dimensions, so that equal means equal"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.note("γ₀ is not defined by the formula; it multiplies no direction and is taken as 0");
    let mut stream = s.stream("conjugate gradients")?;
    let d = s.knob("dimension d", 4, 3..=8)?;
    let (printed, support, twin, zero) = (s.printed(EXACT), s.support(EXACT), s.twin(EXACT), whole(0));
    for _ in s.cases("quadratics", 5, 20)? {
        let x = fraction_matrix(&mut stream, d, d + 2);
        let f = Quadratic::of_prompt(&x, &fraction_vector(&mut stream, d + 2))?;
        let run = conjugate_gradient(&f, &f.origin(), d)?;
        for i in 0..d {
            for j in 0..i {
                let (newer, older) = (&run.directions[i], &run.directions[j]);
                let conjugate = dot(newer, &matrix_vector(&f.hessian, older)?)? == zero;
                printed.of("pairs").never("pairs of directions that are not conjugate", !conjugate);
                let orthogonal = dot(&run.residuals[i], &run.residuals[j])? == zero;
                support.of("pairs").never("pairs of gradients that are not orthogonal", !orthogonal);
                let label = "orthogonal in place of conjugate: pairs of directions";
                twin.of("pairs").never(label, dot(newer, older)? != zero);
            }
        }
        for i in 0..d {
            let best = best_in_krylov(&f, i)?;
            support
                .of("iterates")
                .never("iterates that do not minimise over the Krylov space", best != run.iterates[i + 1]);
            let exact = line_search(&f, &run.iterates[i], &run.directions[i])?;
            let label = "steps <r,r>/<s,Hs> that are not the exact line search";
            support.of("steps").never(label, exact != run.coefficients.alpha[i]);
        }
        let descent = steepest_descent(&f, &f.origin(), d)?.iterates;
        for (plain, conjugate) in descent.iter().zip(&run.iterates).skip(2) {
            let as_low = f.value(plain) <= f.value(conjugate);
            printed.of("steps").never("steps after which gradient descent is as low", as_low);
        }
        let halved = run.coefficients.gamma.iter().map(|g| g.times(&part(1, 2))).collect();
        let wrong = SingleMemory::new(run.coefficients.alpha.clone(), halved)?.run(&f, &f.origin())?.iterates;
        let moves: Vec<_> = wrong.windows(2).map(|pair| moved(&pair[1], &whole(-1), &pair[0])).collect();
        for i in 1..d {
            for j in 0..i {
                let conjugate = dot(&moves[i], &matrix_vector(&f.hessian, &moves[j])?)? == zero;
                twin.of("pairs").never("every γ halved: pairs of moves that are not conjugate", !conjugate);
            }
        }
    }
    Ok(())
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
