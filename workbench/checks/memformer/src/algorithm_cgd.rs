//! Appendix A.2, Algorithm CGD: the loop as printed.
//!
//! **Claim** (`memformer/cgd-algorithm`). Initialise w_0, r_0 = -grad f(w_0), s_0 = r_0; for n = 1, 2, ...: r_n, gamma_n = |r_n|^2 /
//! |r_{n-1}|^2, s_n = r_n + gamma_n s_{n-1}, alpha_n = |r_n|^2 / <s_n, H s_n>, w_{n+1} = w_n + alpha_n s_n.
//!
//! The loop starts at n = 1 and needs w_1, which nothing has set. Read with w_1 = w_0 it makes s_1 = 2 r_0 and goes half a
//! steepest-descent step. With a step for n = 0 it is conjugate gradients.

use workbench_display::{Figure, Panel};
use workbench_ledger::{Checked, Evidence, Failure, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Instance, Number, conjugate_gradient, conjugate_gradient_as_printed, line_search, matrix_vector,
};

use super::exact::{Tally, dot, part, whole};
use super::section_3_3::{Batch, DIM, batch_size, law, losses};
use crate::vocabulary::{EXACT, largest_of};

/// The loop in fractions, and in floats on the document's law.
#[derive(Clone, Debug)]
pub struct AsPrinted {
    /// Prompts in fractions.
    pub prompts: usize,
    /// Prompts of the figure.
    pub drawn: usize,
}

impl Default for AsPrinted {
    fn default() -> AsPrinted {
        AsPrinted { prompts: 10, drawn: 200 }
    }
}

#[derive(Default)]
struct Seen {
    with_step: Tally,
    one_early: Tally,
    printed: Tally,
    line: Tally,
    formula: Tally,
    half_step: Tally,
}

/// The last index of the curves.
const LAST: usize = 8;

impl AsPrinted {
    fn exact(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut stream = setting.stream("algorithm")?;
        let mut seen = Seen::default();
        for case in 0..self.prompts {
            let d = 3 + case % 2;
            let f = Instance::draw(&mut stream, d, 6)?.quadratic();
            let run = conjugate_gradient(&f, &f.origin(), d)?;
            // w_1 = w_0, then d steps.
            let printed = conjugate_gradient_as_printed(&f, &f.origin(), d + 1)?;
            let solution = f.minimiser()?;
            seen.with_step.see(run.iterates[d] != solution);
            seen.one_early.see(run.iterates[d - 1] != solution);
            seen.printed.see(printed[d + 1] != solution);
            let half = run.iterates[1].mapv(|v| v.times(&part(1, 2)));
            seen.half_step.see(printed[2] != half);
            for k in 0..d {
                let exact = line_search(&f, &run.iterates[k], &run.directions[k])?;
                seen.line.see(exact != run.coefficients.alpha[k]);
                if k > 0 {
                    // The conjugacy formula -<r_n, H s_{n-1}> / <s_{n-1}, H s_{n-1}>.
                    let hs = matrix_vector(&f.hessian, &run.directions[k - 1])?;
                    let (above, below) = (dot(&run.residuals[k], &hs)?, dot(&run.directions[k - 1], &hs)?);
                    let gamma = above.negated().over(&below).unwrap_or_else(|| whole(0));
                    seen.formula.see(gamma != run.coefficients.gamma[k]);
                }
            }
        }
        Ok(seen)
    }

    /// Mean loss over its start, with the step for n = 0 and as printed.
    fn curves(&self, setting: &Setting) -> Result<[Vec<f64>; 2], Failure> {
        let size = batch_size(setting);
        let batch = losses(setting, &law(setting)?, Batch::Training, size)?;
        let mut curves = [vec![0.0; LAST + 1], vec![0.0; LAST + 1]];
        for f in batch.iter().take(self.drawn) {
            let start = f.value(&f.origin());
            let run = conjugate_gradient(f, &f.origin(), LAST)?;
            let printed = conjugate_gradient_as_printed(f, &f.origin(), LAST)?;
            for k in 0..=LAST {
                for (curve, w) in curves.iter_mut().zip([&run.iterates[k], &printed[k]]) {
                    curve[k] += largest_of([f.value(w), 1e-32]) / start / self.drawn as f64;
                }
            }
        }
        Ok(curves)
    }

    fn figure(&self, [with_step, printed]: &[Vec<f64>; 2]) -> Figure {
        let x: Vec<f64> = (0..=LAST).map(|k| k as f64).collect();
        let panel = Panel::new(&format!("d = 5, n = 20, {} prompts", self.drawn))
            .line("step for n = 0", &x, with_step)
            .line("loop from n = 1, w₁ = w₀", &x, printed)
            .vline("d", DIM as f64)
            .x_label("index of the iterate")
            .y_label("mean loss / start")
            .log_y()
            .y_limits(1e-18, 3.0)
            .legend_below();
        Figure::new("Without a step for n = 0 conjugacy is lost and never regained")
            .panel(panel)
            .caption("With the step for n = 0 the loss falls to rounding at d. The loop as printed does not.")
    }
}

impl TypedCheck for AsPrinted {
    const CLAIM: &'static str = "memformer/cgd-algorithm";
    const PLAN: Plan = Plan::new(
        "prompts not solved after d steps, in fractions",
        "a prompt that the loop as printed does not solve in d steps after its start",
        &[EXACT],
    )
    .departures(&["w_1 is not defined in the document; it is read as w_0"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (seen, curves) = (self.exact(setting)?, self.curves(setting)?);
        let evidence = Evidence::of(
            seen.printed.none("loop as printed, w₁ = w₀: prompts not solved after d further steps", "prompts"),
        )
        .misprint(
            "the loop starts at n = 0 with γ₀ = 0",
            vec![
                seen.with_step.none("prompts not solved after d steps", "prompts"),
                seen.line.none("steps that are not the exact line search", "steps"),
                seen.formula.none("γ that differ from the conjugacy formula", "coefficients"),
            ],
        )
        .twin(seen.one_early.none("conjugate gradients stopped one step early: prompts not solved", "prompts"))
        .note(format!(
            "as printed, w₂ is half of the steepest-descent step: exceptions {} of {}",
            seen.half_step.off, seen.half_step.of
        ))
        .note(format!(
            "floats, d = 5: mean loss over its start {:.1e} at index 5 with the step, {:.1e} at index 6 without",
            curves[0][5], curves[1][6]
        ));
        Ok(Checked::from(evidence).figure(self.figure(&curves)))
    }
}
