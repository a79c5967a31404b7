//! Figure 1: one register, shared scalars, A = I.
//!
//! **Claim** (`memformer/fig-1`). With A_l = I and globally learned alpha_l, gamma_l the memformer stays competitive with conjugate
//! gradients, which run on each prompt separately.
//!
//! Who is not competitive falls a step behind, as for Figures 15 and 16: after l layers the memformer must be below conjugate gradients
//! after l - 1 steps. And it must be below gradient descent with one constant step, also shared and at its best for each number of steps.
//! How far it is from conjugate gradients after as many steps, whether that is a factor of two, and how much of the way from the constant
//! step it has gone stand beside it. Both averages and both readings of D are asked.

use workbench_ground::stats::{Estimate, mean, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{Averaging, Curve, Parameters, Score};

use super::figure_15::a_step_earlier;
use super::trained_memformers::{
    BEHIND, LAYERS, ONE_AT_IDENTITY, Reading, ahead, ahead_of_logs, at_depth, both_averages, colour, curve, curve_of,
    field, gap_table, group, spread,
};
use super::tuned_rivals::best_descent;

const HALFWAY: Margin = Margin::ours(
    "half of the way",
    0.5,
    "more than half of the way in decades: nearer to conjugate gradients than to a constant step",
);

/// One register without preconditioners, with both readings of D.
pub const CHECK: Check = Check {
    claim: "memformer/fig-1",
    metric: "decades below conjugate gradients a step earlier, and below the best constant step, paired run by run",
    against: "a memformer that is a step behind conjugate gradients, or behind one constant step",
    protocol: &["set-up of Section 3.3; only alpha and gamma are trained, five rotations"],
    departures: &[
        "the document trains models of four layers; one to three layers have models of their own, with D as printed",
        "D as standard deviations, as in the public code, is asked beside D as printed",
    ],
    rivals: &[
        "gradient descent with the best constant step for each number of steps, in the same metric on the same prompts",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.instead(
        "ahead of the best constant step from two layers on; with two layers less than a step behind conjugate gradients, with the figure's four more than one: the gap grows with every layer",
    );
    let at = Reading::Variances;
    let (prompts, one) = (field(s, at)?, curve(s, at, &ONE_AT_IDENTITY)?);
    let (cgd, plain) = (&prompts.cgd, best_descent(s, at, LAYERS)?);
    let keeps = s.printed(Margin::ZERO).of("runs");
    let label = "4 layers against 3 steps of conjugate gradients: decades below them";
    keeps.at_least(label, a_step_earlier(&one, cgd, Averaging::LogOfMeans, LAYERS)?);
    let label = "4 layers against 3 steps of conjugate gradients, mean of the logs: decades below them";
    keeps.at_least(label, a_step_earlier(&one, cgd, Averaging::MeanOfLogs, LAYERS)?);
    let label = "4 layers: decades below the best constant step";
    keeps.at_least(label, ahead(&one, &plain.curve, LAYERS)?);
    let (competes, halfway) = (s.aside(BEHIND).of("runs"), s.aside(HALFWAY).of("runs"));
    competes.at_least("4 layers: decades below conjugate gradients", ahead(&one, cgd, LAYERS)?);
    let label = "4 layers: share of the way from the best constant step to conjugate gradients";
    halfway.at_least(label, share(&one, &plain.curve, cgd)?);
    let label = "4 layers, mean of the logs: decades below conjugate gradients";
    competes.at_least(label, ahead_of_logs(&one, cgd, LAYERS)?);

    let wide = Reading::Deviations;
    let (wide_cgd, wide_plain) = (&field(s, wide)?.cgd, best_descent(s, wide, LAYERS)?);
    let wide_one = at_depth(s, wide, &spread::ONE_AT_IDENTITY, LAYERS)?;
    let label = "D as standard deviations: four layers below three steps of conjugate gradients, decades";
    keeps.at_least(label, a_step_earlier(&wide_one, wide_cgd, Averaging::LogOfMeans, LAYERS)?);
    let label = "4 layers, D as standard deviations: decades below conjugate gradients";
    competes.at_least(label, ahead(&wide_one, wide_cgd, LAYERS)?);
    let label = "4 layers, D as standard deviations: share of the way";
    halfway.at_least(label, share(&wide_one, &wide_plain.curve, wide_cgd)?);

    let more = s.changed(Margin::ZERO).of("runs");
    competes.at_least("1 layer: decades below conjugate gradients", ahead(&one, cgd, 1)?);
    competes.at_least("2 layers: decades below conjugate gradients", ahead(&one, cgd, 2)?);
    for (average, name) in [(Averaging::LogOfMeans, ""), (Averaging::MeanOfLogs, ", mean of the logs")] {
        let label = format!("2 layers against 1 step of conjugate gradients{name}: decades below it");
        more.at_least(label, a_step_earlier(&one, cgd, average, 2)?);
    }
    for layer in 2..=LAYERS {
        let tuned = best_descent(s, at, layer)?;
        let label = format!("{layer} layers: decades below gradient descent with the step that is best for {layer}");
        more.at_least(label, ahead(&one, &tuned.curve, layer)?);
        let gap = |layer: usize| -> Vec<f64> {
            let pairs = decades(&one, layer).into_iter().zip(decades(cgd, layer));
            pairs.map(|(a, b)| a - b).collect()
        };
        let before = layer - 1;
        let label = format!("decades by which the gap to conjugate gradients grows from {before} to {layer} layers");
        more.at_least(label, paired_difference(&gap(layer), &gap(before))?);
    }
    let turned = group(s, at, &ONE_AT_IDENTITY)?.of_depth(LAYERS).into_iter().map(turned).collect::<Vec<_>>();
    let label = "every γ with the other sign: decades below the best constant step";
    let wrong = ahead(&curve_of(&turned, &prompts.tests)?, &plain.curve, LAYERS)?;
    s.twin(Margin::ZERO).of("runs").at_least(label, wrong);

    let rows: [(&str, &Curve, &Curve); 2] =
        [("below conjugate gradients", &one, cgd), ("below the best constant step", &one, &plain.curve)];
    s.table(gap_table("One register, A = I", &rows, LAYERS)?);
    let series = [
        ("one register, A = I", &*one, colour::ONE),
        ("CGD", cgd, colour::CONJUGATE),
        ("best constant step", &plain.curve, colour::MOMENTUM),
    ];
    let title = "Shared scalars between a constant step and conjugate gradients";
    let caption = "Conjugate gradients see each prompt, the others share their numbers.";
    s.figure(both_averages(title, &series, LAYERS, caption));
    Ok(())
}

fn decades(curve: &Curve, layer: usize) -> Vec<f64> {
    curve.decades(Score::Query, Averaging::LogOfMeans).column(layer).to_vec()
}

/// Share of the way from `plain` to `own` that `shared` has gone after four layers, run by run.
fn share(shared: &Curve, plain: &Curve, own: &Curve) -> Result<Estimate, Failure> {
    let [s, p, o] = [shared, plain, own].map(|curve| decades(curve, LAYERS));
    let shares: Vec<f64> = (0..s.len()).map(|r| (p[r] - s[r]) / (p[r] - o[r])).collect();
    Ok(mean(&shares)?)
}

/// A trained model with the sign of every gamma turned.
fn turned(mut model: Parameters) -> Parameters {
    let layers = model.architecture().depth();
    model.registers_mut()[layers..].iter_mut().for_each(|gamma| *gamma = -*gamma);
    model
}
