//! Appendix A.2, Algorithm CGD: the loop as printed.
//!
//! **Claim** (`memformer/cgd-algorithm`). Initialise w_0, r_0 = -grad f(w_0), s_0 = r_0; for n = 1, 2, ...: r_n, gamma_n = |r_n|^2 /
//! |r_{n-1}|^2, s_n = r_n + gamma_n s_{n-1}, alpha_n = |r_n|^2 / <s_n, H s_n>, w_{n+1} = w_n + alpha_n s_n.
//!
//! The loop starts at n = 1 and needs w_1, which nothing has set. Read with w_1 = w_0 it makes s_1 = 2 r_0 and goes half a
//! steepest-descent step. With a step for n = 0 it is conjugate gradients.

use workbench_display::{Figure, Panel};
use workbench_ledger::{Check, Done, Sheet};
use workbench_memformer::{
    Instance, Number, conjugate_gradient, conjugate_gradient_as_printed, line_search, matrix_vector,
};

use super::exact::{dot, part, whole};
use super::task_law::{Batch, DIM, batch_size, law, losses};
use crate::vocabulary::{EXACT, largest_of};

/// The loop in fractions, and in floats on the document's law.
pub const CHECK: Check = Check {
    claim: "memformer/cgd-algorithm",
    metric: "prompts not solved after d steps, in fractions",
    against: "a prompt that the loop as printed does not solve in d steps after its start",
    departures: &["w_1 is not defined in the document; it is read as w_0"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.misprint("the loop starts at n = 0 with γ₀ = 0");
    in_fractions(s)?;
    in_floats(s)
}

fn in_fractions(s: &Sheet) -> Done {
    let mut stream = s.stream("algorithm")?;
    let (mut not_half, mut of) = (0, 0);
    for case in s.cases("prompts", 10, 10)? {
        let d = 3 + case % 2;
        let f = Instance::draw(&mut stream, d, 6)?.quadratic();
        let run = conjugate_gradient(&f, &f.origin(), d)?;
        // w_1 = w_0, then d steps.
        let printed = conjugate_gradient_as_printed(&f, &f.origin(), d + 1)?;
        let solution = f.minimiser()?;
        let label = "loop as printed, w₁ = w₀: prompts not solved after d further steps";
        s.printed(EXACT).never(label, printed[d + 1] != solution);
        s.changed(EXACT).never("prompts not solved after d steps", run.iterates[d] != solution);
        let label = "conjugate gradients stopped one step early: prompts not solved";
        s.twin(EXACT).never(label, run.iterates[d - 1] != solution);
        not_half += usize::from(printed[2] != run.iterates[1].mapv(|v| v.times(&part(1, 2))));
        of += 1;
        for k in 0..d {
            let exact = line_search(&f, &run.iterates[k], &run.directions[k])?;
            let label = "steps that are not the exact line search";
            s.support(EXACT).of("steps").never(label, exact != run.coefficients.alpha[k]);
        }
        for k in 1..d {
            // The conjugacy formula -<r_n, H s_{n-1}> / <s_{n-1}, H s_{n-1}>.
            let hs = matrix_vector(&f.hessian, &run.directions[k - 1])?;
            let (above, below) = (dot(&run.residuals[k], &hs)?, dot(&run.directions[k - 1], &hs)?);
            let gamma = above.negated().over(&below).unwrap_or_else(|| whole(0));
            let label = "γ that differ from the conjugacy formula";
            s.support(EXACT).of("coefficients").never(label, gamma != run.coefficients.gamma[k]);
        }
    }
    s.note(format!("as printed, w₂ is half of the steepest-descent step: exceptions {not_half} of {of}"));
    Ok(())
}

/// Mean loss over its start, with the step for n = 0 and as printed.
fn in_floats(s: &Sheet) -> Done {
    const LAST: usize = 8;
    let batch = losses(s, &law(s)?, Batch::Training, batch_size(s))?;
    let drawn = s.knob("prompts of the figure", 200, 1..=batch.len())?;
    let mut curves = [[0.0; LAST + 1]; 2];
    for f in &batch[..drawn] {
        let start = f.value(&f.origin());
        let run = conjugate_gradient(f, &f.origin(), LAST)?;
        let printed = conjugate_gradient_as_printed(f, &f.origin(), LAST)?;
        for k in 0..=LAST {
            for (curve, w) in curves.iter_mut().zip([&run.iterates[k], &printed[k]]) {
                curve[k] += largest_of([f.value(w), 1e-32]) / start / drawn as f64;
            }
        }
    }
    let [with_step, printed] = curves;
    s.note(format!(
        "floats, d = 5: mean loss over its start {:.1e} at index 5 with the step, {:.1e} at index 6 without",
        with_step[5], printed[6]
    ));
    let x: Vec<f64> = (0..=LAST).map(|k| k as f64).collect();
    let panel = Panel::new(&format!("d = 5, n = 20, {drawn} prompts"))
        .line("step for n = 0", &x, &with_step)
        .line("loop from n = 1, w₁ = w₀", &x, &printed)
        .vline("d", DIM as f64)
        .x_label("index of the iterate")
        .y_label("mean loss / start")
        .log_y()
        .y_limits(1e-18, 3.0)
        .legend_below();
    let figure = Figure::new("Without a step for n = 0 conjugacy is lost and never regained").panel(panel);
    s.figure(figure.caption("With the step for n = 0 the loss falls to rounding at d. The loop as printed does not."));
    Ok(())
}
