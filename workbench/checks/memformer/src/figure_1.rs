//! Figure 1: one register, shared scalars, A = I.
//!
//! **Claim** (`memformer/fig-1`). With A_l = I and globally learned alpha_l, gamma_l the memformer stays competitive with conjugate
//! gradients, which run on each prompt separately.
//!
//! "Competitive" is a factor of two in the loss after the figure's four layers. Between conjugate gradients and gradient descent with one
//! constant step, also shared and at its best for each number of steps, there is room; a memformer that is competitive with the first is
//! nearer to it than to the second. Against it speaks a gap that grows from layer to layer. Both averages and both readings of D are asked.

use workbench_ground::stats::{Estimate, mean, paired_difference};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{Averaging, Curve, Parameters, Score};

use super::appendix_b::best_descent;
use super::section_3_3_training::{
    BEHIND, LAYERS, ONE_AT_IDENTITY, Reading, ahead, ahead_of_logs, at_depth, both_averages, colour, curve, curve_of,
    field, gap_table, group, spread,
};

const HALFWAY: Margin = Margin::new(
    "half of the way",
    0.5,
    "more than half of the way in decades: nearer to conjugate gradients than to a constant step",
);

/// One register without preconditioners, with both readings of D.
#[derive(Clone, Debug, Default)]
pub struct SharedScalars;

fn decades(curve: &Curve, layer: usize) -> Vec<f64> {
    curve.decades(Score::Query, Averaging::LogOfMeans).column(layer).to_vec()
}

/// Share of the way from `plain` to `own` that `shared` has gone after `layer` layers, run by run.
fn share(shared: &Curve, plain: &Curve, own: &Curve, layer: usize) -> Result<Estimate, Failure> {
    let (s, p, o) = (decades(shared, layer), decades(plain, layer), decades(own, layer));
    let shares: Vec<f64> = (0..s.len()).map(|r| (p[r] - s[r]) / (p[r] - o[r])).collect();
    Ok(mean(&shares)?)
}

/// The trained models with the sign of every gamma turned.
fn turned(models: Vec<Parameters>) -> Vec<Parameters> {
    let turn = |mut model: Parameters| {
        let layers = model.architecture().depth();
        model.registers_mut()[layers..].iter_mut().for_each(|gamma| *gamma = -*gamma);
        model
    };
    models.into_iter().map(turn).collect()
}

impl TypedCheck for SharedScalars {
    const CLAIM: &'static str = "memformer/fig-1";
    const PLAN: Plan = Plan::new(
        "share of the decades between the best constant step and conjugate gradients; decades below conjugate gradients",
        "a memformer nearer to the constant step than to conjugate gradients, by a gap that grows with the layers",
        &[HALFWAY, BEHIND],
    )
    .protocol(&["set-up of Section 3.3; only alpha and gamma are trained, a model for each number of layers, five rotations"])
    .departures(&[
        "the figure's margin is not printed: half of the way, and a factor of two, are ours",
        "the document trains models of four layers; one to three layers have models of their own, with D as printed",
    ])
    .rivals(&["gradient descent with the best constant step for each number of steps, in the same metric on the same prompts"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (at, layers) = (Reading::Variances, LAYERS);
        let (field_, one) = (field(setting, at)?, curve(setting, at, &ONE_AT_IDENTITY)?);
        let plain = best_descent(setting, at, layers)?;
        let wide = Reading::Deviations;
        let other = field(setting, wide)?;
        let other_one = at_depth(setting, wide, &spread::ONE_AT_IDENTITY, layers)?;
        let other_plain = best_descent(setting, wide, layers)?;
        let wrong = curve_of(&turned(group(setting, at, &ONE_AT_IDENTITY)?.of_depth(layers)), &field_.tests)?;
        let gap = |layer: usize| -> Vec<f64> {
            let pairs = decades(&one, layer).into_iter().zip(decades(&field_.cgd, layer));
            pairs.map(|(a, b)| a - b).collect()
        };
        let runs = |finding: Finding| finding.unit("runs");
        let competes = |label: &str, gap: Estimate| runs(Finding::at_least(label, BEHIND, gap));
        let after = |layer: usize| -> Result<Finding, Failure> {
            let plural = if layer == 1 { "" } else { "s" };
            let label = format!("{layer} layer{plural}: decades below conjugate gradients");
            Ok(competes(&label, ahead(&one, &field_.cgd, layer)?))
        };
        let mut weaker = vec![after(1)?, after(2)?];
        for layer in 2..=layers {
            let tuned = best_descent(setting, at, layer)?;
            let label =
                format!("{layer} layers: decades below gradient descent with the step that is best for {layer}");
            weaker.push(runs(Finding::at_least(label, 0.0, ahead(&one, &tuned.curve, layer)?)));
        }
        for layer in 2..=layers {
            let before = layer - 1;
            let label =
                format!("decades by which the gap to conjugate gradients grows from {before} to {layer} layers");
            let growth = paired_difference(&gap(layer), &gap(before))?;
            weaker.push(runs(Finding::at_least(label, 0.0, growth)));
        }
        let share_of = |label: &str, share: Estimate| runs(Finding::at_least(label, HALFWAY, share));
        let evidence = Evidence::of(after(layers)?)
        .and(share_of(
            "4 layers: share of the way from the best constant step to conjugate gradients",
            share(&one, &plain.curve, &field_.cgd, layers)?,
        ))
        .and(competes(
            "4 layers, mean of the logs: decades below conjugate gradients",
            ahead_of_logs(&one, &field_.cgd, layers)?,
        ))
        .and(competes(
            "4 layers, D as standard deviations: decades below conjugate gradients",
            ahead(&other_one, &other.cgd, layers)?,
        ))
        .and(share_of(
            "4 layers, D as standard deviations: share of the way",
            share(&other_one, &other_plain.curve, &other.cgd, layers)?,
        ))
        .weaker(
            "within a factor of two of conjugate gradients for one and two layers, and ahead of the best constant step from two layers on; the gap to conjugate gradients grows with every layer",
            weaker,
        )
        .twin(runs(Finding::at_least(
            "every γ with the other sign: decades below the best constant step",
            0.0,
            ahead(&wrong, &plain.curve, layers)?,
        )));
        let rows: [(&str, &Curve, &Curve); 2] =
            [("below conjugate gradients", &one, &field_.cgd), ("below the best constant step", &one, &plain.curve)];
        let series = [
            ("one register, A = I", &*one, colour::ONE),
            ("CGD", &field_.cgd, colour::CONJUGATE),
            ("best constant step", &plain.curve, colour::MOMENTUM),
        ];
        let caption = "Conjugate gradients see each prompt, the others share their numbers.";
        Ok(Checked::from(evidence).table(gap_table("One register, A = I", &rows, layers)?).figure(both_averages(
            "Shared scalars between a constant step and conjugate gradients",
            &series,
            layers,
            caption,
        )))
    }
}
