//! Section 6, "Limitations".
//!
//! **Claim** (`memformer/limitations`). On quadratic tasks memformers do not drastically outperform advanced methods (Figures 2 and 3);
//! Newton's and other second-order methods are usually faster and more accurate than linear first-order ones.
//!
//! "Drastically" is a factor of ten after four layers. Against the claim speaks a memformer ahead of conjugate gradients by more, or a
//! second-order method that is no better than first-order ones: Newton's after one step, GD++ after three layers.

use workbench_ground::stats::Estimate;
use workbench_ledger::{Check, Checked, Evidence, Failure, Finding, Margin, Plan, Setting};
use workbench_memformer::newton_step;

use super::section_3_3_training::{LAYERS, ONE, Reading, TIED, TIED_PLUS, ahead, at_depth, curve, field, spread};
use crate::vocabulary::Largest;

const DRASTIC: Margin = Margin::new("drastic", 1.0, "a factor of ten, one decade");
const SOLVED: Margin = Margin::new(
    "solved",
    1e-10,
    "rounding of 1e-16 times a condition number of a thousand, with room for the worst of 200 prompts",
);

/// Figures 2 and 3 once more, and Newton's step.
#[derive(Clone, Debug)]
pub struct Limitations {
    /// Prompts for Newton's step.
    pub prompts: usize,
}

impl Default for Limitations {
    fn default() -> Limitations {
        Limitations { prompts: 200 }
    }
}

impl Check for Limitations {
    const CLAIM: &'static str = "memformer/limitations";
    const PLAN: Plan = Plan::new(
        "decades below conjugate gradients on fresh prompts; error of Newton's first step against the prompt's own w*",
        "a memformer ahead by more than a decade; a second-order method that is not ahead",
        &[DRASTIC, SOLVED],
    )
    .protocol(&["set-up of Section 3.3, four layers; Newton's method on 200 fresh prompts"])
    .rivals(&["conjugate gradients on each prompt; the same memformer without the blocks of GD++"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let at = Reading::Variances;
        let field_ = field(setting, at)?;
        let (one, tied) = (curve(setting, at, &ONE)?, curve(setting, at, &TIED)?);
        let plus = curve(setting, at, &TIED_PLUS)?;
        let wide = Reading::Deviations;
        let (other, other_one) = (field(setting, wide)?, at_depth(setting, wide, &spread::ONE, LAYERS)?);
        let (test, mut whole, mut half) = (&field_.tests[0], Largest::default(), Largest::default());
        for (b, f) in test.quadratics()[..self.prompts].iter().enumerate() {
            let truth = test.statistics().truth().row(b).to_owned();
            let step = newton_step(f, &f.origin())?;
            let size = truth.dot(&truth).sqrt();
            let error = |w: &ndarray::Array1<f64>| ((w - &truth).dot(&(w - &truth))).sqrt() / size;
            whole.see(error(&step));
            half.see(error(&(0.5 * &step)));
        }
        let runs = |finding: Finding| finding.unit("runs");
        let newton = |label: &str, error: f64| {
            Finding::at_most(label, SOLVED, Estimate::exact(error))
                .cases(self.prompts as u64)
                .unit("prompts")
        };
        let below = |label: &str, gap: Estimate| runs(Finding::at_most(label, DRASTIC, gap));
        let evidence = Evidence::of(below(
            "4 layers: one register below conjugate gradients, decades",
            ahead(&one, &field_.cgd, LAYERS)?,
        ))
        .and(below("4 layers: tied Γ below conjugate gradients, decades", ahead(&tied, &field_.cgd, LAYERS)?))
        .and(below(
            "4 layers, D as standard deviations: one register below conjugate gradients, decades",
            ahead(&other_one, &other.cgd, LAYERS)?,
        ))
        .and(newton("Newton after one step: largest relative error", whole.0))
        .and(runs(Finding::at_least(
            "3 layers, tied Γ: with the blocks of GD++ below without, decades",
            0.0,
            ahead(&plus, &tied, 3)?,
        )))
        .twin(newton("half of Newton's step: largest relative error", half.0))
        .note("Newton's step solves d equations, some d³/3 operations; conjugate gradients take d products with the Hessian for the same result");
        Ok(evidence.into())
    }
}
