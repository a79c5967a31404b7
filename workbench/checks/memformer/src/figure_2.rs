//! Figure 2: one register with trained preconditioners.
//!
//! **Claim** (`memformer/fig-2`). With trained A_l the memformer often beats conjugate gradients, momentum and Nesterov's method on fresh
//! prompts of the same distribution.
//!
//! Twelve comparisons, four layers with three rivals; each counts as won if its interval lies above zero at a level corrected for twelve.
//! A trained A_l comes near a_l Sigma^{-1}, which no prompt tells exactly, so conjugate gradients that know Sigma stand in the table.
//! Against the claim speaks a memformer that wins less than half, or never against conjugate gradients.

use workbench_ground::stats::{CONFIDENCE, Estimate};
use workbench_ledger::{Check, Checked, Evidence, Failure, Finding, Margin, Plan, Setting};
use workbench_memformer::{Averaging, Curve, Family, Score, Solver};

use super::appendix_b::{as_printed, best};
use super::section_3_3_training::{
    LAYERS, ONE, RUNS, Reading, ahead, at_depth, both_averages, colour, curve, curve_of, field, gap_table, group,
    spread,
};

const OFTEN: Margin = Margin::new(
    "half of the comparisons",
    6.0,
    "half of the twelve, the least that a reader would call often",
);
/// Comparisons: four layers with three rivals.
const COMPARISONS: f64 = 12.0;

/// Twelve comparisons.
#[derive(Clone, Debug, Default)]
pub struct TrainedPreconditioners;

/// Whether `a` is below `b` after `layer` layers, at the corrected level.
fn wins(a: &Curve, b: &Curve, averaging: Averaging, layer: usize) -> Result<bool, Failure> {
    let confidence = 1.0 - (1.0 - CONFIDENCE) / COMPARISONS;
    let gap = a.advantage_at(b, Score::Query, averaging, layer, confidence)?;
    Ok(gap.low > 0.0)
}

impl Check for TrainedPreconditioners {
    const CLAIM: &'static str = "memformer/fig-2";
    const PLAN: Plan = Plan::new(
        "comparisons of twelve that are won, at a level corrected for twelve; decades below a rival, paired run by run",
        "fewer than six; no layer at which it is ahead of conjugate gradients",
        &[OFTEN],
    )
    .protocol(&["set-up of Section 3.3, A first, then alpha and gamma; a model for each number of layers, five rotations"])
    .rivals(&[
        "conjugate gradients on each prompt",
        "Nesterov's method and momentum, at each number of steps the best of 288 pairs in the same metric on the same prompts; the printed pairs beside them",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let at = Reading::Variances;
        let (field_, one) = (field(setting, at)?, curve(setting, at, &ONE)?);
        let nag = as_printed(setting, Family::Nesterov, LAYERS)?;
        let mgd = as_printed(setting, Family::Momentum, LAYERS)?;
        let (mut tuned, mut printed, mut logs) = (0u32, 0u32, 0u32);
        for layer in 1..=LAYERS {
            let rivals = [
                best(setting, Family::Nesterov, layer)?,
                best(setting, Family::Momentum, layer)?,
            ];
            for rival in [&field_.cgd, &rivals[0].curve, &rivals[1].curve] {
                tuned += u32::from(wins(&one, rival, Averaging::LogOfMeans, layer)?);
            }
            for rival in [&field_.cgd, &nag[0].curve, &mgd[0].curve] {
                printed += u32::from(wins(&one, rival, Averaging::LogOfMeans, layer)?);
                logs += u32::from(wins(&one, rival, Averaging::MeanOfLogs, layer)?);
            }
        }
        let informed = |law: &workbench_memformer::TaskLaw| Solver::Preconditioned(law.truth_covariance().clone());
        let informed: Vec<Solver> = field_.laws.iter().map(informed).collect();
        let informed = Curve::of_solvers(&informed, &field_.tests, LAYERS)?;
        let mut abroad = group(setting, at, &ONE)?.of_depth(1);
        abroad.rotate_left(1);
        let abroad = curve_of(&abroad, &field_.tests)?;
        let wide = Reading::Deviations;
        let (other, other_one) = (field(setting, wide)?, at_depth(setting, wide, &spread::ONE, 2)?);
        let count = |label: &str, won: u32| {
            Finding::at_least(label, OFTEN, Estimate::exact(f64::from(won)))
                .cases(RUNS)
                .unit("runs")
        };
        let below = |label: &str, a: &Curve, b: &Curve, layer| -> Result<Finding, Failure> {
            Ok(Finding::at_least(label, 0.0, ahead(a, b, layer)?).unit("runs"))
        };
        let evidence = Evidence::of(count(
            "comparisons of twelve that it wins, rivals with their best constants",
            tuned,
        ))
        .and(count(
            "comparisons of twelve that it wins, rivals with the printed constants",
            printed,
        ))
        .and(below(
            "1 layer: decades below conjugate gradients",
            &one,
            &field_.cgd,
            1,
        )?)
        .and(below(
            "2 layers: decades below conjugate gradients",
            &one,
            &field_.cgd,
            2,
        )?)
        .and(count(
            "comparisons of twelve that it wins, mean of the logs, printed constants",
            logs,
        ))
        .and(below(
            "2 layers, D as standard deviations: decades below conjugate gradients",
            &other_one,
            &other.cgd,
            2,
        )?)
        .twin(below(
            "1 layer, A trained for another rotation: decades below conjugate gradients",
            &abroad,
            &field_.cgd,
            1,
        )?);
        let (best_nag, best_mgd) = (
            best(setting, Family::Nesterov, LAYERS)?,
            best(setting, Family::Momentum, LAYERS)?,
        );
        let rows: [(&str, &Curve, &Curve); 5] = [
            ("conjugate gradients", &one, &field_.cgd),
            ("conjugate gradients that know Σ", &one, &informed),
            ("Nesterov, best after 4", &one, &best_nag.curve),
            ("momentum, best after 4", &one, &best_mgd.curve),
            ("Nesterov, printed", &one, &nag[0].curve),
        ];
        let series = [
            ("one register", &*one, colour::ONE),
            ("CGD", &field_.cgd, colour::CONJUGATE),
            ("CGD, knows Σ", &informed, colour::LINEAR),
            ("Nesterov, printed", &nag[0].curve, colour::NESTEROV),
            ("momentum, best after 4", &best_mgd.curve, colour::MOMENTUM),
        ];
        let title = "Trained preconditioners help in the first layers";
        Ok(Checked::from(evidence)
            .table(gap_table("One register, decades below its rivals", &rows, LAYERS)?)
            .figure(both_averages(
                title,
                &series,
                LAYERS,
                "Fresh prompts; D holds variances.",
            )))
    }
}
