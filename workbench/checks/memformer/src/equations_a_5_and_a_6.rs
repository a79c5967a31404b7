//! Eqs. A.5 and A.6 (and A.10): the factor 1/n.
//!
//! **Claim** (`memformer/eq-A5-A6`). With f(theta) = (theta + w*)^T X X^T (theta + w*) / (2n): theta_{k+1} = theta_k - A_k grad f(theta) / n;
//! with w_k = -theta_k and f(-w) = R(w): w_{k+1} = w_k - A_k grad R(w_k) / n.
//!
//! grad f holds the factor 1/n of Eq. A.4 already, and Eq. 2.10 has none. Both recursions are run against the forward pass: with
//! symmetric A, so that only the factor can tell them apart, and with general A, as it is drawn at initialisation, where the mended line
//! takes its transpose, which is charged in Lemma 2.1. Refuted by an answer or a theta that the printed lines do not give.

use ndarray::{Array1, Array2};
use ndarray_linalg::c64;
use workbench_ground::stats::{Stream, normal_array2};
use workbench_ledger::{Check, Done, Failure, Sheet};
use workbench_memformer::{
    Fraction, Instance, Mask, Number, Quadratic, fraction_vector, identity, literal_forward, matrix_vector,
    preconditioned_descent, product, recovered_theta,
};

use super::exact::{dot, part, whole};
use super::exact_layers::{answers, general, layers_of, moved, scaled, sizes, symmetric, transposes};
use super::prompts_and_heads::prompts;
use super::task_law::DIM;
use crate::vocabulary::{EXACT, ROUNDING};

/// The recursions with 1/n, without, and with n.
pub const CHECK: Check = Check {
    claim: "memformer/eq-A5-A6",
    metric: "answers, values and steps of theta that differ, in fractions; entries of a gradient, absolute",
    against: "an answer or a theta of the forward pass that the recursions with their 1/n do not give",
    departures: &[
        "fractions have d = 2 or 3, n = 3 to 5 and two layers",
        "the printed lines meet symmetric A, so that only their factor is judged; general A, with and without its transpose, meets the mended line",
    ],
    run,
    ..Check::DEFAULT
};

const LAYERS: usize = 2;
/// For the derivative of an analytic function; its square vanishes beside 1.
const TINY: f64 = 1e-100;

fn run(s: &Sheet) -> Done {
    s.misprint("no 1/n before the gradient, as in Eq. 2.10: the gradient holds it already");
    s.see("memformer/lemma-2-1");
    s.note(
        "A.10 in the proof of Theorem 3.1 repeats A.6 and its factor; at n = 20 its first step is 20 times too short",
    );
    let mut stream = s.stream("A.5 and A.6")?;
    for case in s.cases("prompts", 20, 100)? {
        let (d, n) = sizes(case);
        let prompt = Instance::draw(&mut stream, d, n)?;
        let a = general(&mut stream, LAYERS, d);
        symmetric_a(s, &prompt, &symmetric(&a))?;
        let states = literal_forward(&layers_of(&a)?, &prompt.tokens, Mask::Printed)?;
        let label = "general A, its transpose, no 1/n: answers that differ";
        answers(s.changed(EXACT), label, &prompt, &states, &transposes(&a))?;
        let label = "general A without its transpose, no 1/n: answers that differ";
        answers(s.twin(EXACT), label, &prompt, &states, &a)?;
        let w = fraction_vector(&mut stream, d);
        let (x, half) = (prompt.covariates(), part(1, 2 * n as i64));
        let xx = product(&x, &x.t().to_owned())?;
        // f as printed, at w or at -w.
        let f = |sign: i64| -> Result<Fraction, Failure> {
            let off = moved(&prompt.target, &whole(sign), &w);
            Ok(half.times(&dot(&off, &matrix_vector(&xx, &off)?)?))
        };
        let loss = prompt.quadratic().value(&w);
        s.printed(EXACT).never("f(-w) ≠ R(w)", f(-1)? != loss);
        s.twin(EXACT).never("f at w in the place of -w: values that are not R(w)", f(1)? != loss);
    }
    gradient(s, &mut stream)
}

/// The loss of the prompt as if `target` were its w*; f of the claim at -w*.
fn around<T: Number>(prompt: &Instance<T>, target: &Array1<T>) -> Result<Quadratic<T>, Failure> {
    Ok(Quadratic::around(prompt.quadratic().hessian, target)?)
}

/// Both lines with 1/n and without.
fn symmetric_a(s: &Sheet, prompt: &Instance<Fraction>, a: &[Array2<Fraction>]) -> Done {
    let (d, n) = (prompt.dim(), prompt.examples() as i64);
    let layers = layers_of(a)?;
    let states = literal_forward(&layers, &prompt.tokens, Mask::Printed)?;
    let nth = scaled(&part(1, n), a);
    answers(s.printed(EXACT), "answers that differ from A.6, with its 1/n", prompt, &states, &nth)?;
    answers(s.changed(EXACT), "answers that differ from the recursion without 1/n", prompt, &states, a)?;
    answers(s.twin(EXACT), "with a factor n: answers that differ", prompt, &states, &scaled(&whole(n), a))?;
    let r = prompt.quadratic();
    let first = &preconditioned_descent(&r, &r.origin(), &nth)?.iterates[1];
    let (said, asked) = (&states[1][[d, prompt.examples()]], dot(&prompt.query(), first)?);
    let label = "prompts whose first step is not n times that of A.6";
    s.changed(EXACT).never(label, said.negated() != whole(n).times(&asked));

    let theta = recovered_theta(&layers, prompt, &identity(d), Mask::Printed)?;
    let f = around(prompt, &prompt.target.mapv(|v| v.negated()))?;
    for k in 0..LAYERS {
        let pull = matrix_vector(&a[k], &f.gradient(&theta[k]))?;
        let differs = |share: Fraction| theta[k + 1] != moved(&theta[k], &share, &pull);
        s.printed(EXACT).of("steps").never("steps of θ that differ from A.5, with its 1/n", differs(part(-1, n)));
        s.changed(EXACT).of("steps").never("steps of θ that differ from A.5 without 1/n", differs(whole(-1)));
    }
    Ok(())
}

/// The gradient of f against complex steps, at the document's size.
fn gradient(s: &Sheet, stream: &mut Stream) -> Done {
    let batch = prompts(s)?;
    for b in 0..s.knob("prompts in floats", 20, 1..=1000)? {
        let prompt = Instance::of_prompts(&batch, b)?.complex();
        let f = around(&prompt, &prompt.target.mapv(|v| -v))?;
        let theta = normal_array2(stream, 1, DIM).row(0).mapv(c64::from);
        let exact = f.gradient(&theta);
        for i in s.each("entries", 0..DIM) {
            let mut aside = theta.clone();
            aside[i].im = TINY;
            let off = (f.value(&aside).im / TINY - exact[i].re).abs();
            s.support(ROUNDING).same("gradient of f against complex steps", off);
        }
    }
    Ok(())
}
