//! Appendix B.5, the display after Equation 44: increment of a stored weight at one visit.
//!
//! **Claim** (`heavy-tailed/q-increment`). With the approximate updates, batch one and exp(u_z^T W e_x) ~ 1 for z != f_*(x),
//! q_{t+1}(x) - q_t(x) = 1{x_t = x} gamma (1 - p_W) ~ 1{x_t = x} gamma / (1 + exp(q_t(x)) / (M - 1)).
//!
//! On exactly orthonormal embeddings (inputs have norm one in Appendix C.1) no other memory interferes, exp(u_z^T W e_x) is one for z !=
//! f_*(x) with the approximate updates, and the second sign has to be an equality. One input is visited a thousand times. Refuted by a
//! coefficient that is off, by an increment that is not gamma (1 - p_W), or by one at an input that is not visited. What two other settings
//! change is known and supports the check: with |e_x|^2 = 100, as in Eq. 1 in a hundred dimensions, the score of the pair is 100 q; with
//! the exact gradient the other classes lose together what the right one gains, which stretches the gap by M/(M - 1).

use ndarray::{Array2, s};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{Embeddings, Gradient, IdealUpdate, Method, TrainingRun, TrainingTask};

use super::population_gradient::{CLASSES, INPUTS, law, own, target};
use crate::vocabulary::largest_of;

/// A coefficient that is the same after many visits.
pub const SAME: Margin = Margin::rounding(
    "same coefficient",
    1e-10,
    "a thousand steps that carry rounding on, from 1e-16, with three digits to spare",
);

/// Visits of one input.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/q-increment",
    metric: "largest relative distance of the coefficient from the iterates over all visits",
    against: "a coefficient that is off; an increment other than γ (1 − p_W) at the visited input, or than none at another",
    protocol: &[
        "approximate updates, batch one, exp(u_z W e_x) = 1 for the other classes, inputs of norm one as in C.1",
    ],
    choices: &[
        "orthonormal outputs and orthogonal inputs, so that nothing else interferes; rate 0.5 over |e|^2, a thousand visits",
    ],
    departures: &[
        "inputs as long as those of Eq. 1, and the exact gradient, beside the printed setting, to see what they change",
    ],
    run,
    ..Check::DEFAULT
};

/// The input that is visited.
const VISITED: usize = 7;
/// Squared norm of an input of Eq. 1 in a hundred dimensions.
const LONG: f64 = 100.0;

fn run(s: &Sheet) -> Done {
    let (visits, rate) = (s.knob("visits", 1000, 1..)?, s.knob("rate times |e|²", 0.5, 0.0..)?);
    let after = |norm: f64, gradient| coefficients(visits, rate / norm, norm, gradient);
    // Largest relative distance from the iterates of `q + rate / (1 + exp(stretch q) / competitors)`.
    let off = |q: &[f64], norm: f64, competitors: f64, stretch: f64| -> Result<f64, Failure> {
        let f = IdealUpdate::new(rate / norm, competitors, stretch)?.iterates(q.len());
        Ok(largest_of(q.iter().zip(&f[1..]).map(|(q, f)| (f / q - 1.0).abs())))
    };
    let m = CLASSES as f64;
    let (others, gap) = (m - 1.0, m / (m - 1.0));
    let [printed, twin, known, beside] =
        [s.printed(SAME), s.twin(SAME), s.support(SAME), s.aside(SAME)].map(|says| says.over(visits, "visits"));

    let (short, long) = (after(1.0, Gradient::Leading)?, after(LONG, Gradient::Leading)?);
    printed.same("approximate updates, |e|² = 1, exp(q) as printed", off(&short, 1.0, others, 1.0)?);
    first_sign(s, rate)?;
    twin.same("M in the place of M − 1, |e|² = 1", off(&short, 1.0, m, 1.0)?);
    twin.same("exp(2q) in the place of exp(q), |e|² = 1", off(&short, 1.0, others, 2.0)?);
    known.same("approximate updates, |e|² = 100, exp(|e|² q)", off(&long, LONG, others, LONG)?);
    beside.same("approximate updates, |e|² = 100, exp(q)", off(&long, LONG, others, 1.0)?);

    let (short, long) = (after(1.0, Gradient::Exact)?, after(LONG, Gradient::Exact)?);
    known.same("exact gradient, |e|² = 1, exp(5/4 q)", off(&short, 1.0, others, gap)?);
    known.same("exact gradient, |e|² = 100, exp(5/4 |e|² q)", off(&long, LONG, others, gap * LONG)?);
    beside.same("exact gradient in the place of the approximate one, |e|² = 1, exp(q)", off(&short, 1.0, others, 1.0)?);
    Ok(())
}

/// The first sign: what each of a hundred visits adds, against gamma (1 - p_W) from the scores before it; and what other inputs get.
fn first_sign(s: &Sheet, rate: f64) -> Done {
    let task = orthonormal(1.0)?;
    let mut run = TrainingRun::new(&task, &Method::sgd(rate)?.gradient(Gradient::Leading))?;
    let mut before = 0.0;
    for _ in s.each("visits", 0..100usize) {
        let missing = run.leading_terms()?[VISITED].missing;
        run.step(&[VISITED])?;
        let mut q = own(&run);
        let now = q.swap_remove(VISITED);
        let off = ((now - before) / (rate * missing) - 1.0).abs();
        s.printed(SAME).same("increment over γ (1 − p_W), minus one", off);
        s.printed(SAME).same("inputs that are not visited: largest coefficient", largest_of(q.iter().map(|q| q.abs())));
        before = now;
    }
    Ok(())
}

/// Orthonormal outputs and orthogonal inputs of this squared norm.
fn orthonormal(squared_norm: f64) -> Result<TrainingTask, Failure> {
    let eye = Array2::<f64>::eye(INPUTS);
    let e = Embeddings::from_parts(&eye * squared_norm.sqrt(), eye.slice(s![..CLASSES, ..]).to_owned())?;
    Ok(TrainingTask::new(e, &target()?.labels(INPUTS), &law()?.probabilities(INPUTS))?)
}

/// The coefficient after each visit, on orthonormal outputs and orthogonal inputs of this squared norm.
///
/// # Errors
/// Those of the run.
pub fn coefficients(visits: usize, rate: f64, squared_norm: f64, gradient: Gradient) -> Result<Vec<f64>, Failure> {
    let task = orthonormal(squared_norm)?;
    let mut run = TrainingRun::new(&task, &Method::sgd(rate)?.gradient(gradient))?;
    let mut q = Vec::new();
    for _ in 0..visits {
        run.step(&[VISITED])?;
        q.push(own(&run)[VISITED]);
    }
    Ok(q)
}
