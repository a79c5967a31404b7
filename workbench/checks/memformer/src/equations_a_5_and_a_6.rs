//! Eqs. A.5 and A.6 (and A.10): the factor 1/n.
//!
//! **Claim** (`memformer/eq-A5-A6`). With f(theta) = (theta + w*)^T X X^T (theta + w*) / (2n): theta_{k+1} = theta_k - A_k grad f(theta) / n;
//! with w_k = -theta_k and f(-w) = R(w): w_{k+1} = w_k - A_k grad R(w_k) / n.
//!
//! grad f holds the factor 1/n of Eq. A.4 already, and Eq. 2.10 has none. Both recursions are run against the forward pass: with
//! symmetric A, so that only the factor can tell them apart, and with general A, as it is drawn at initialisation, where the mended line
//! takes its transpose. Against the claim counts an answer or a theta that the printed lines do not give.

use ndarray::Array2;
use ndarray_linalg::c64;
use workbench_ground::stats::{Stream, normal_array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Fraction, Instance, Mask, Number, Prompts, Quadratic, fraction_vector, identity, literal_forward, matrix_vector,
    preconditioned_descent, recovered_theta,
};

use super::appendix_a_1::{answers_off, cases, general, layers_of, moved, scaled, sizes, symmetric, transposes};
use super::exact::{Tally, dot, part, whole};
use super::section_2_1::prompts;
use super::section_3_3::DIM;
use crate::vocabulary::{EXACT, Largest, ROUNDING};

/// The recursions with 1/n, without, and with n.
#[derive(Clone, Debug)]
pub struct FactorOfN {
    /// Prompts in fractions; by scale if 0.
    pub prompts: usize,
    /// Prompts in floats, for the gradient.
    pub floats: usize,
}

impl Default for FactorOfN {
    fn default() -> FactorOfN {
        FactorOfN { prompts: 0, floats: 20 }
    }
}

const LAYERS: usize = 2;
/// For the derivative of an analytic function; its square vanishes beside 1.
const TINY: f64 = 1e-100;

#[derive(Default)]
struct Seen {
    values: Tally,
    a5: Tally,
    a6: Tally,
    a5_without: Tally,
    a6_without: Tally,
    with_n: Tally,
    ratio: Tally,
    /// General A, no factor: with its transpose, and as it stands.
    general: Tally,
    general_as_printed: Tally,
}

/// f of the claim: the loss of the prompt around -w*.
fn mirrored(prompt: &Instance<Fraction>) -> Result<Quadratic<Fraction>, Failure> {
    let target = prompt.target.mapv(|v| v.negated());
    Ok(Quadratic::around(prompt.quadratic().hessian, &target)?)
}

fn compare(prompt: &Instance<Fraction>, a: &[Array2<Fraction>], seen: &mut Seen) -> Result<(), Failure> {
    let (f, n) = (prompt.quadratic(), prompt.examples() as i64);
    let layers = layers_of(a)?;
    let states = literal_forward(&layers, &prompt.tokens, Mask::Printed)?;
    let steps = LAYERS;
    let nth = scaled(&part(1, n), a);
    seen.a6.add(answers_off(prompt, &states, &nth)?, steps);
    seen.a6_without.add(answers_off(prompt, &states, a)?, steps);
    seen.with_n.add(answers_off(prompt, &states, &scaled(&whole(n), a))?, steps);
    let first = &preconditioned_descent(&f, &f.origin(), &nth)?.iterates[1];
    let (said, asked) = (&states[1][[prompt.dim(), prompt.examples()]], dot(&prompt.query(), first)?);
    seen.ratio.see(said.negated() != whole(n).times(&asked));
    let (theta, f) = (recovered_theta(&layers, prompt, &identity(prompt.dim()), Mask::Printed)?, mirrored(prompt)?);
    for k in 0..LAYERS {
        let pull = matrix_vector(&a[k], &f.gradient(&theta[k]))?;
        seen.a5.see(theta[k + 1] != moved(&theta[k], &part(-1, n), &pull));
        seen.a5_without.see(theta[k + 1] != moved(&theta[k], &whole(-1), &pull));
    }
    Ok(())
}

/// The same without the factor for A that are not symmetric.
fn compare_general(prompt: &Instance<Fraction>, a: &[Array2<Fraction>], seen: &mut Seen) -> Result<(), Failure> {
    let states = literal_forward(&layers_of(a)?, &prompt.tokens, Mask::Printed)?;
    let steps = LAYERS;
    seen.general.add(answers_off(prompt, &states, &transposes(a))?, steps);
    seen.general_as_printed.add(answers_off(prompt, &states, a)?, steps);
    Ok(())
}

impl FactorOfN {
    /// The gradient of f against complex steps, at the document's size.
    fn slopes(&self, prompts: &Prompts, stream: &mut Stream) -> Result<Largest, Failure> {
        let mut off = Largest::default();
        for b in 0..self.floats {
            let prompt = Instance::of_prompts(prompts, b)?.complex();
            let f = Quadratic::around(prompt.quadratic().hessian, &prompt.target.mapv(|v| -v))?;
            let theta = normal_array2(stream, 1, DIM).row(0).mapv(c64::from);
            let exact = f.gradient(&theta);
            for i in 0..DIM {
                let mut aside = theta.clone();
                aside[i].im = TINY;
                off.see((f.value(&aside).im / TINY - exact[i].re).abs());
            }
        }
        Ok(off)
    }
}

impl TypedCheck for FactorOfN {
    const CLAIM: &'static str = "memformer/eq-A5-A6";
    const PLAN: Plan = Plan::new(
        "answers, values and steps of theta that differ, in fractions; entries of a gradient, absolute",
        "an answer or a theta of the forward pass that the recursions with their 1/n do not give",
        &[EXACT, ROUNDING],
    )
    .departures(&[
        "fractions have d = 2 or 3, n = 3 to 5 and two layers",
        "the printed lines meet symmetric A, so that only their factor is judged; general A, with and without its transpose, meets the mended line",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let batch = prompts(setting)?;
        let mut stream = setting.stream("A.5 and A.6")?;
        let mut seen = Seen::default();
        for case in 0..cases(setting, self.prompts) {
            let (d, n) = sizes(case);
            let prompt = Instance::draw(&mut stream, d, n)?;
            let a = general(&mut stream, LAYERS, d);
            compare(&prompt, &symmetric(&a), &mut seen)?;
            compare_general(&prompt, &a, &mut seen)?;
            let w = fraction_vector(&mut stream, d);
            let at_minus = mirrored(&prompt)?.value(&w.mapv(|v| v.negated()));
            seen.values.see(at_minus != prompt.quadratic().value(&w));
        }
        let slopes = self.slopes(&batch, &mut stream)?;
        let evidence = Evidence::of(seen.a6.none("answers that differ from A.6, with its 1/n", "answers"))
            .and(seen.a5.none("steps of θ that differ from A.5, with its 1/n", "steps"))
            .and(seen.values.none("f(-w) ≠ R(w)", "prompts"))
            .misprint(
                "no 1/n before the gradient, as in Eq. 2.10: the gradient holds it already; where A is not symmetric, its transpose",
                vec![
                    seen.a6_without
                        .none("answers that differ from the recursion without 1/n", "answers"),
                    seen.a5_without.none("steps of θ that differ from A.5 without 1/n", "steps"),
                    seen.general.none(
                        "general A, its transpose, no 1/n: answers that differ",
                        "answers",
                    ),
                    Finding::identity("gradient of f against complex steps", slopes.0, ROUNDING)
                        .cases(self.floats * DIM)
                        .unit("entries"),
                    seen.ratio
                        .none("prompts whose first step is not n times that of A.6", "prompts"),
                ],
            )
            .twin(seen.with_n.none("with a factor n: answers that differ", "answers"))
            .twin(seen.general_as_printed.none(
                "general A without its transpose, no 1/n: answers that differ",
                "answers",
            ))
            .note("A.10 in the proof of Theorem 3.1 repeats A.6 and its factor; at n = 20 its first step is 20 times too short");
        Ok(evidence.into())
    }
}
