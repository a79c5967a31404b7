//! Figure 4: memformers with trained blocks B.
//!
//! **Claim** (`memformer/fig-4`). The memformer of Eq. 3.4 with B_l trained, beside conjugate gradients; the blocks approximate the inverse
//! of the Hessian.
//!
//! The caption names no winner, and says nothing of the model without B; both losses stand beside it. One question remains: is what the
//! blocks do that of an inverse Hessian? If it is, the layer behind B_0 sees a narrower spectrum than H has: the condition number of
//! M H M^T, M = I - lambda B_0 H A_0, in coordinates in which covariates are white, is compared with that of H, prompt by prompt.

use ndarray::Array2;
use ndarray_linalg::{Eigh, Inverse, UPLO};
use workbench_display::{Table, columns};
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{Curve, Parameters, TaskLaw, TestSet};

use super::shared_optimum::optimum;
use super::trained_memformers::{
    LAYERS, Reading, TIED, TIED_PLUS, ahead, both_averages, colour, curve, field, gap_table, group,
};

/// Trained blocks.
pub const CHECK: Check = Check {
    claim: "memformer/fig-4",
    metric: "log10 of a ratio of condition numbers; beside it decades between losses on fresh prompts, paired run by run",
    against: "a spectrum that B does not narrow",
    protocol: &["set-up of Section 3.3, tied Gamma; models of four layers, five rotations"],
    choices: &["A and B first, then Gamma; Appendix D has this order for A and Gamma"],
    departures: &[
        "of the blocks only the first is looked at: what later ones meet is no longer the prompt",
        "models of two and three layers, which the document does not train, stand in a table: with two layers the spectrum grows wider",
        "A and B start at a rate of 0.004 in place of 0.02: the degree of the model grows threefold with each layer, and large steps blow up",
    ],
    rivals: &[
        "shown beside: the same model without B, which the trained one contains and which tied Γ handicaps; the best model without B, in closed form and without registers, as no scalar Γ ends lower; in the table conjugate gradients, as the caption names no winner",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let at = Reading::Variances;
    let cgd = &field(s, at)?.cgd;
    let (plus, tied, best) = (curve(s, at, &TIED_PLUS)?, curve(s, at, &TIED)?, optimum(s, at)?);
    let label = "4 layers, tied Γ: with B below without, decades";
    s.aside(Margin::ZERO).of("runs").at_least(label, ahead(&plus, &tied, LAYERS)?);
    let label = "4 layers: tied Γ and B below the best without B, decades";
    s.aside(Margin::ZERO).of("runs").at_least(label, ahead(&plus, &best, LAYERS)?);
    let depths = [2, 3, 4];
    let widths = depths.into_iter().map(|layers| narrowing(s, layers, 1.0)).collect::<Result<Vec<_>, _>>()?;
    let label = "4 layers: log10 of the condition number behind the first layer over that before it";
    s.printed(Margin::ZERO).of("runs").at_most(label, widths[2]);
    let label = "4 layers, B with the other sign: log10 of the ratio of condition numbers";
    s.twin(Margin::ZERO).of("runs").at_most(label, narrowing(s, LAYERS, -1.0)?);

    let of = |pick: fn(&Estimate) -> f64| widths.iter().map(pick).collect::<Vec<f64>>();
    let frame = columns(vec![
        ("layers", depths.map(|l| l as f64).into()),
        ("log₁₀ of the ratio", of(|e| e.value).into()),
        ("from", of(|e| e.low).into()),
        ("to", of(|e| e.high).into()),
    ])?;
    let table = Table::new(frame).title("Condition number behind the first layer over that before it").digits(2);
    s.table(table.caption("Above zero the block makes the spectrum wider. Intervals at 99.9 % over runs."));
    let rows: [(&str, &Curve, &Curve); 4] = [
        ("tied Γ and B, below tied Γ", &plus, &tied),
        ("tied Γ and B, below the best without", &plus, &best),
        ("tied Γ and B, below conjugate gradients", &plus, cgd),
        ("tied Γ, below conjugate gradients", &tied, cgd),
    ];
    s.table(gap_table("Trained blocks, decades below", &rows, LAYERS)?);
    let series =
        [("tied Γ and B", &*plus, colour::ONE), ("tied Γ", &*tied, colour::TIED), ("CGD", cgd, colour::CONJUGATE)];
    let caption = "Blocks B raise the degree of the error's polynomial threefold with each layer.";
    s.figure(both_averages("Trained blocks B gain more than a decade over tied Γ", &series, LAYERS, caption));
    Ok(())
}

/// log10 of the condition number behind the first layer over that before it, in white coordinates; mean over prompts, then over runs.
fn narrowing(s: &Sheet, layers: usize, sign: f64) -> Result<Estimate, Failure> {
    let prompts = s.knob("prompts of each run whose condition numbers are compared", 200, 1..=4000)?;
    let field = field(s, Reading::Variances)?;
    let models = group(s, Reading::Variances, &TIED_PLUS)?.of_depth(layers);
    let of_run = |((model, law), test): ((&Parameters, &TaskLaw), &TestSet)| -> Result<f64, Failure> {
        let white = law.root()?.inv()?;
        let lambda = sign * model.coefficients()[[0, 0]];
        let mut logs = Vec::new();
        for f in &test.quadratics()[..prompts] {
            let map = Array2::eye(law.dim()) - lambda * &model.b(0)?.dot(&f.hessian).dot(&model.a(0)?);
            let after = white.dot(&map).dot(&f.hessian).dot(&map.t()).dot(&white);
            logs.push((condition(&after)? / condition(&white.dot(&f.hessian).dot(&white))?).log10());
        }
        Ok(logs.iter().sum::<f64>() / logs.len() as f64)
    };
    let runs = models.iter().zip(&field.laws).zip(&field.tests);
    Ok(mean(&runs.map(of_run).collect::<Result<Vec<f64>, _>>()?)?)
}

fn condition(m: &Array2<f64>) -> Result<f64, Failure> {
    let values = (0.5 * (m + &m.t())).eigh(UPLO::Lower)?.0;
    Ok(values[values.len() - 1] / values[0])
}
