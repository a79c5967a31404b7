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
use workbench_display::{Table, columns};
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memformer::{Curve, Parameters, TaskLaw, TestSet};

use super::section_3_3_optimum::optimum;
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

impl TypedCheck for TrainedBlocks {
    const CLAIM: &'static str = "memformer/fig-4";
    const PLAN: Plan = Plan::new(
        "decades between losses on fresh prompts, paired run by run; log10 of a ratio of condition numbers",
        "a loss that is not below that of the same model without B; a spectrum that B does not narrow",
        &[],
    )
    .protocol(&["set-up of Section 3.3, A and B first, then tied Gamma; models of four layers, as in the document; five rotations"])
    .departures(&[
        "of the blocks only the first is looked at: what later ones meet is no longer the prompt",
        "models of two and three layers, which the document does not train, stand in a table: with two layers the spectrum grows wider",
        "A and B start at a rate of 0.004 in place of 0.02: the degree of the model grows threefold with each layer, and large steps blow up",
    ])
    .rivals(&[
        "the same model without B; in the table conjugate gradients, as the caption names no winner, and the best model without registers and without B",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let at = Reading::Variances;
        let field_ = field(setting, at)?;
        let (plus, tied) = (curve(setting, at, &TIED_PLUS)?, curve(setting, at, &TIED)?);
        let best = optimum(setting, at)?;
        let lower = |label: &str, rival: &Curve| -> Result<Finding, Failure> {
            Ok(Finding::at_least(label, 0.0, ahead(&plus, rival, LAYERS)?).unit("runs"))
        };
        let narrower = |label: &str, change: Estimate| Finding::at_most(label, 0.0, change).unit("runs");
        let narrowed = |layers: usize, sign: f64| self.narrowed(setting, layers, sign);
        let evidence = Evidence::of(lower("4 layers, tied Γ: with B below without, decades", &tied)?)
            .and(narrower(
                "4 layers: log10 of the condition number behind the first layer over that before it",
                narrowed(4, 1.0)?,
            ))
            .twin(narrower(
                "4 layers, B with the other sign: log10 of the ratio of condition numbers",
                narrowed(4, -1.0)?,
            ));
        let (depths, mut widths) = ([2, 3, 4], Vec::new());
        for layers in depths {
            widths.push(narrowed(layers, 1.0)?);
        }
        let of = |pick: fn(&Estimate) -> f64| widths.iter().map(pick).collect::<Vec<f64>>();
        let widths = Table::new(columns(vec![
            ("layers", depths.map(|l| l as f64).to_vec().into()),
            ("log₁₀ of the ratio", of(|e| e.value).into()),
            ("from", of(|e| e.low).into()),
            ("to", of(|e| e.high).into()),
        ])?)
        .title("Condition number behind the first layer over that before it")
        .caption("Above zero the block makes the spectrum wider. Intervals at 99.9 % over runs.")
        .digits(2);
        let rows: [(&str, &Curve, &Curve); 4] = [
            ("tied Γ and B, below tied Γ", &plus, &tied),
            ("tied Γ and B, below the best without", &plus, &best),
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
            .table(widths)
            .table(gap_table("Trained blocks, decades below", &rows, LAYERS)?)
            .figure(both_averages("Trained blocks B gain more than a decade over tied Γ", &series, LAYERS, caption)))
    }
}
