//! Figure 4: memformers with trained blocks B.
//!
//! **Claim** (`memformer/fig-4`). The memformer of Eq. 3.4 with B_l trained, beside conjugate gradients; the blocks approximate the inverse
//! of the Hessian.
//!
//! The caption names no winner. Two questions remain: does the model reach a lower loss than the same model without B; and is what the
//! blocks do that of an inverse Hessian? If it were, the layer behind B_0 would see a narrower spectrum than H has: the condition number of
//! M H M^T, M = I - lambda B_0 H A_0, in coordinates in which covariates are white, is compared with that of H, prompt by prompt.

use ndarray::Array2;
use ndarray_linalg::{Eigh, Inverse, UPLO};
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Check, Checked, Evidence, Failure, Finding, Plan, Setting};
use workbench_memformer::{Curve, Parameters, TaskLaw, TestSet};

use super::section_3_3_training::{
    LAYERS, Reading, TIED, TIED_PLUS, ahead, both_averages, colour, curve, field, gap_table, group,
};

/// Trained blocks.
#[derive(Clone, Debug)]
pub struct TrainedBlocks {
    /// Prompts of each run whose condition numbers are compared.
    pub prompts: usize,
}

impl Default for TrainedBlocks {
    fn default() -> TrainedBlocks {
        TrainedBlocks { prompts: 200 }
    }
}

fn condition(m: &Array2<f64>) -> Result<f64, Failure> {
    let values = (0.5 * (m + &m.t())).eigh(UPLO::Lower)?.0;
    Ok(values[values.len() - 1] / values[0])
}

/// Mean over prompts of log10 of the condition number behind the first layer over that before it, in white coordinates.
fn narrowing(model: &Parameters, law: &TaskLaw, test: &TestSet, prompts: usize, sign: f64) -> Result<f64, Failure> {
    let white = law.root()?.inv()?;
    let lambda = sign * model.coefficients()[[0, 0]];
    let mut logs = Vec::new();
    for f in &test.quadratics()[..prompts] {
        let map = Array2::eye(law.dim()) - lambda * &model.b(0)?.dot(&f.hessian).dot(&model.a(0)?);
        let after = white.dot(&map).dot(&f.hessian).dot(&map.t()).dot(&white);
        logs.push((condition(&after)? / condition(&white.dot(&f.hessian).dot(&white))?).log10());
    }
    Ok(logs.iter().sum::<f64>() / logs.len() as f64)
}

impl TrainedBlocks {
    fn narrowed(&self, setting: &Setting, layers: usize, sign: f64) -> Result<Estimate, Failure> {
        let field = field(setting, Reading::Variances)?;
        let models = group(setting, Reading::Variances, &TIED_PLUS)?.of_depth(layers);
        let runs = models.iter().zip(&field.laws).zip(&field.tests);
        let all = runs.map(|((model, law), test)| narrowing(model, law, test, self.prompts, sign));
        Ok(mean(&all.collect::<Result<Vec<f64>, _>>()?)?)
    }
}

impl Check for TrainedBlocks {
    const CLAIM: &'static str = "memformer/fig-4";
    const PLAN: Plan = Plan::new(
        "decades between losses on fresh prompts, paired run by run; log10 of a ratio of condition numbers",
        "a loss that is not below that of the same model without B; a spectrum that B does not narrow",
        &[],
    )
    .protocol(&["set-up of Section 3.3, A and B first, then tied Gamma; five rotations"])
    .departures(&["A and B start at a rate of 0.004 in place of 0.02: the degree of the model grows threefold with each layer, and large steps blow up"])
    .rivals(&["the same model without B; conjugate gradients in the table"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let at = Reading::Variances;
        let field_ = field(setting, at)?;
        let (plus, tied) = (curve(setting, at, &TIED_PLUS)?, curve(setting, at, &TIED)?);
        let lower = |layer: usize| -> Result<Finding, Failure> {
            let label = format!("{layer} layers, tied Γ: with B below without, decades");
            Ok(Finding::at_least(label, 0.0, ahead(&plus, &tied, layer)?).unit("runs"))
        };
        let narrower = |label: &str, change: Estimate| Finding::at_most(label, 0.0, change).unit("runs");
        let narrowed = |layers: usize, sign: f64| self.narrowed(setting, layers, sign);
        let evidence = Evidence::of(lower(4)?)
            .and(lower(2)?)
            .and(narrower(
                "4 layers: log10 of the condition number behind the first layer over that before it",
                narrowed(4, 1.0)?,
            ))
            .twin(narrower(
                "4 layers, B with the other sign: log10 of the ratio of condition numbers",
                narrowed(4, -1.0)?,
            ))
            .note(format!(
                "models of two and of three layers: log10 of the ratio of condition numbers {:.2} and {:.2}",
                narrowed(2, 1.0)?.value,
                narrowed(3, 1.0)?.value
            ));
        let rows: [(&str, &Curve, &Curve); 3] = [
            ("tied Γ and B, below tied Γ", &plus, &tied),
            ("tied Γ and B, below conjugate gradients", &plus, &field_.cgd),
            ("tied Γ, below conjugate gradients", &tied, &field_.cgd),
        ];
        let series = [
            ("tied Γ and B", &*plus, colour::ONE),
            ("tied Γ", &*tied, colour::TIED),
            ("CGD", &field_.cgd, colour::CONJUGATE),
        ];
        let caption = "Blocks B raise the degree of the error's polynomial threefold with each layer.";
        Ok(Checked::from(evidence)
            .table(gap_table("Trained blocks, decades below", &rows, LAYERS)?)
            .figure(both_averages("What trained blocks B bring", &series, LAYERS, caption)))
    }
}
