//! Eq. 1: the answer is the class whose output embedding fits best.
//!
//! **Claim** (`heavy-tailed/eq-1`). f_W(x) = argmax_y u_y^T W e_x with e_x ~ N(0, I_d) and u_y uniform on the unit sphere.
//!
//! The embeddings must have their laws: |e_x|^2 that of chi-square with d degrees of freedom, |u_y| = 1, and a coordinate of u_y the
//! density proportional to (1 - t^2)^((d-3)/2). The answer must be the class whose sum over entries `u_y[i] W[i][j] e_x[j]`, written out,
//! is largest. Refuted by another answer or another law. What follows from it is what the check stands on: the scale of W changes nothing, nor
//! do the axes, where inputs are turned by R, outputs by S, and W becomes S W R^T.

use ndarray::ArrayView1;
use workbench_ground::stats::{normal_array2, orthonormal};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{Embeddings, Error, chi_square_cdf, kolmogorov_smirnov, sphere_coordinate_cdf};

use super::gaussian_model::{CLASSES, P_VALUE, answers, same_answers};
use crate::vocabulary::{ROUNDING, largest_of};

/// Laws of the embeddings, and what leaves answers alone.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-1",
    metric: "answers that differ from the largest sum, counted; Kolmogorov and Smirnov's test of each law",
    against: "an answer whose sum is not the largest; embeddings whose law is refused; an output of another length",
    choices: &["d = 12, N = 100, M = 5; twenty matrices, 3000 embeddings of each kind"],
    run,
    ..Check::DEFAULT
};

const INPUTS: usize = 100;
/// Embeddings of each kind whose law is tested.
const DRAWS: usize = 3000;

fn run(s: &Sheet) -> Done {
    let (d, mut stream) = (s.knob("dimension d", 12, 2..)?, s.stream("eq 1")?);
    let many = Embeddings::draw(DRAWS, DRAWS, d, &mut stream)?;
    let (unchanged, changes) = (s.support(Margin::ZERO), s.twin(Margin::ZERO));
    for _ in 0..s.knob("matrices", 20, 1..)? {
        let e = Embeddings::draw(INPUTS, CLASSES, d, &mut stream)?;
        let w = normal_array2(&mut stream, d, d);
        let (r, o) = (orthonormal(&mut stream, d, d)?, orthonormal(&mut stream, d, d)?);
        let (plain, both, turned) = (answers(&w, &e), e.turned(&r, &o)?, o.dot(&w).dot(&r.t()));
        let label = "class with the largest sum of u_y[i] W[i][j] e_x[j]: answers that differ";
        same_answers(s.printed(Margin::ZERO), label, &plain, &written_out(|i, j| w[[i, j]], &e));
        let label = "class with the largest sum of u_y[i] W[j][i] e_x[j]: answers that differ";
        same_answers(changes, label, &plain, &written_out(|i, j| w[[j, i]], &e));
        same_answers(unchanged, "W → 17 W: answers that change", &answers(&(&w * 17.0), &e), &plain);
        let label = "inputs turned by R, outputs by S, W → S W Rᵀ: answers that change";
        same_answers(unchanged, label, &answers(&turned, &both), &plain);
        same_answers(changes, "W not turned along: answers that change", &answers(&w, &both), &plain);
        let transposed = turned.t().to_owned();
        same_answers(changes, "W → (S W Rᵀ)ᵀ: answers that change", &answers(&transposed, &both), &plain);
    }

    let off = |u: ArrayView1<f64>| (u.dot(&u).sqrt() - 1.0).abs();
    let norms = largest_of(many.outputs.outer_iter().map(off));
    s.printed(ROUNDING).over(DRAWS, "draws").same("norms of u, largest distance from one", norms);
    let lengths: Vec<f64> = many.inputs.outer_iter().map(|e| e.dot(&e)).collect();
    let coordinates = many.outputs.column(0).to_vec();
    let chi_square = |dof| p_value(&lengths, |x| chi_square_cdf(dof, x));
    let sphere = |dim| p_value(&coordinates, |t| sphere_coordinate_cdf(dim, t));
    let (accepted, refused) = (s.printed(P_VALUE).over(DRAWS, "draws"), s.twin(P_VALUE).over(DRAWS, "draws"));
    accepted.at_least(format!("|e|² against chi-square with {d} degrees of freedom: p-value"), chi_square(d)?);
    refused.at_least("|e|² against one degree of freedom more: p-value", chi_square(d + 1)?);
    accepted.at_least(format!("a coordinate of u against the sphere in {d} dimensions: p-value"), sphere(d)?);
    refused.at_least("a coordinate of u against twice the dimension: p-value", sphere(2 * d)?);
    Ok(())
}

/// The class with the largest sum over i and j of `u_y[i] w(i, j) e_x[j]`, for each input, written out.
fn written_out(w: impl Fn(usize, usize) -> f64, e: &Embeddings) -> Vec<usize> {
    let d = e.inputs.ncols();
    let sum = |y: usize, x: usize| -> f64 {
        (0..d * d).map(|k| e.outputs[[y, k / d]] * w(k / d, k % d) * e.inputs[[x, k % d]]).sum()
    };
    let best = |x: usize| (1..CLASSES).fold(0, |best, y| if sum(y, x) > sum(best, x) { y } else { best });
    (0..INPUTS).map(best).collect()
}

fn p_value(draws: &[f64], law: impl Fn(f64) -> Result<f64, Error>) -> Result<f64, Failure> {
    Ok(kolmogorov_smirnov(draws, &|x| law(x).unwrap_or(f64::NAN))?.p_value)
}
