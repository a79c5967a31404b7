//! Section 4.2: the Gaussian mixture.
//!
//! **Claim** (`memformer/gmm-setup`). Means {2.5, 0, -1}, variances {0.5, 1, 2}, weights {0.2, 0.3, 0.5}; each of three heads specialises
//! in one component.
//!
//! Two readings: a *prompt* belongs to a component, as in Theorem 4.1, or each *token* does, as in samples of a mixture. Either way a token
//! has mean 0.2 * 2.5 - 0.5 = 0 and covariance 1.4 Sigma + 1.75 11^T. That our samples of both have the printed numbers is what the check
//! stands on. What could be otherwise, and decides, is that heads specialise: on each component the head that was trained there has to be
//! ahead of the two others. Wrong twins: the farther of the two in its place; other weights, and moments without the spread of the means.

use ndarray::{Array2, Axis};
use workbench_display::{Table, columns};
use workbench_ground::stats::{mean, paired_difference, proportion};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{Batch, GaussianMixture, Parameters, Precision, Prompts, answer_power};

use super::expert_heads::{components, rotated};
use super::gated_mixture::READINGS;
use super::independent_runs::{of_run, score, tested};
use super::task_law::{DIM, EXAMPLES};
use crate::vocabulary::{EXACT, ROUNDING, apart, largest};

const WEIGHTS: [f64; 3] = [0.2, 0.3, 0.5];
const MEANS: [f64; 3] = [2.5, 0.0, -1.0];
const VARIANCES: [f64; 3] = [0.5, 1.0, 2.0];

/// Samples of the mixture.
pub const CHECK: Check = Check {
    claim: "memformer/gmm-setup",
    metric: "frequencies, means, variances and second moments of samples against the printed numbers; prompts whose tokens and target do not share one component; log10 of the mean squared error of trained heads on each component",
    against: "a head that is behind another on its own component",
    protocol: &["targets have the mean of the covariates (Theorem 4.1)"],
    choices: &[
        "a mean is taken for all coordinates, a variance as a factor of Σ",
        "both readings are drawn: a component for each prompt, or for each token",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    // The law of the first run of the trained components.
    let base = rotated(&of_run(s, "mixture run", 0)?)?;
    let mixture = GaussianMixture::document(&base)?;
    let prompts = s.knob("prompts", s.scale().pick(20_000, 100_000), 100..)?;
    let powers: Vec<f64> = mixture.components().iter().map(answer_power).collect();
    // The sampler is ours, and has to be the printed one.
    let (sampler, twin) = (s.support(EXACT).of("intervals"), s.twin(EXACT).of("intervals"));
    let (near, misses) = (s.support(Margin::ZERO).of("prompts"), s.twin(Margin::ZERO).of("prompts"));
    let (mut shares, mut means, mut variances) = (Vec::new(), Vec::new(), Vec::new());
    for (k, name) in ["by prompt", "by token"].into_iter().enumerate() {
        let mut stream = s.streams().replicate("mixture draws", k)?;
        let drawn = mixture.draw(EXAMPLES, prompts, READINGS[k], &mut stream)?;
        // One token of each prompt, so that draws are independent.
        let x = drawn.prompts.x();
        for (m, law) in mixture.components().iter().enumerate() {
            let own: Vec<usize> = (0..prompts).filter(|b| drawn.tokens[[*b, 0]] == m).collect();
            let centred = |b: &usize| (x[[*b, 0, 1]] - law.mean()[1]).powi(2);
            let unit = law.covariance()[[1, 1]] / VARIANCES[m];
            let share = proportion(own.len(), prompts)?;
            let centre = mean(&own.iter().map(|b| x[[*b, 0, 1]]).collect::<Vec<f64>>())?;
            let variance = mean(&own.iter().map(|b| centred(b) / unit).collect::<Vec<f64>>())?;
            sampler.never("frequencies whose interval misses 0.2, 0.3, 0.5", !share.contains(WEIGHTS[m]));
            twin.never("equal weights: frequencies whose interval misses 1/3", !share.contains(1.0 / 3.0));
            sampler.never("means whose interval misses 2.5, 0, -1", !centre.contains(MEANS[m]));
            let label = "variances over those of Σ whose interval misses 0.5, 1, 2";
            sampler.never(label, !variance.contains(VARIANCES[m]));
            shares.push(share.value);
            means.push(centre.value);
            variances.push(variance.value);
        }
        let products: Vec<f64> = (0..prompts).map(|b| x[[b, 0, 0]] * x[[b, 0, 1]]).collect();
        let second = mean(&products)?;
        let label = format!("second moment of a token, {name}, entry (1, 2)");
        near.near(label, mixture.covariance()[[0, 1]], second);
        let (label, apart) = match k {
            0 => {
                let without = 1.4 * base.covariance()[[0, 1]];
                misses.near("second moment without the spread of the means", without, second);
                ("by prompt: prompts whose tokens and target do not share one component", s.support(EXACT))
            }
            _ => (
                "a component for each token, read as one for each prompt: prompts that do not share one",
                s.twin(EXACT),
            ),
        };
        for (tokens, target) in drawn.tokens.rows().into_iter().zip(&drawn.targets) {
            apart.of("prompts").never(label, tokens.iter().any(|m| m != target));
        }
    }
    let third = Prompts::draw(&mixture.components()[2], 1, prompts, &mut s.stream("powers")?)?;
    let squared = mean(&third.answers().mapv(|a| a * a).to_vec())?;
    near.near("E⟨w*, x⟩² of the third component", powers[2], squared);
    let centre = largest(&mixture.mean().insert_axis(Axis(0)));
    s.support(ROUNDING).same("mean of the mixture, largest entry", centre);
    let formula = 1.4 * base.covariance() + 1.75 * Array2::<f64>::ones((DIM, DIM));
    let label = "covariance of the mixture against 1.4 Σ + 1.75 11ᵀ";
    s.support(ROUNDING).same(label, apart(&mixture.covariance(), &formula));

    let table = Table::new(columns(vec![
        ("reading", [["by prompt"; 3], ["by token"; 3]].concat().into()),
        ("component", [1.0, 2.0, 3.0].repeat(2).into()),
        ("share", shares.into()),
        ("mean", means.into()),
        ("variance / Σ", variances.into()),
        ("E⟨w*, x⟩², exact", powers.repeat(2).into()),
    ])?);
    s.table(table.title("Samples of the mixture").digits(3));
    specialised(s)
}

/// Trained heads on each component: the head that was trained there beside the best of the others.
fn specialised(s: &Sheet) -> Done {
    // By kind of head and component, for each run: the own head, the nearer of the others, and the farther, the twin in its place.
    let mut losses: [[[Vec<f64>; 3]; 3]; 2] = Default::default();
    for (run, trained) in components(s)?.iter().enumerate() {
        let streams = of_run(s, "heads on components", run)?;
        for (m, law) in trained.mixture.components().iter().enumerate() {
            let mut stream = streams.replicate("component", m)?;
            let test = Batch::draw(law, EXAMPLES, tested(s), Precision::Double, &mut stream)?;
            for (of, heads) in losses.iter_mut().zip([&trained.plain, &trained.registers]) {
                let loss = |head: &Parameters| score(head, &test);
                let all = heads.iter().map(loss).collect::<Result<Vec<f64>, Failure>>()?;
                let (next, last) = (all[(m + 1) % 3], all[(m + 2) % 3]);
                of[m][0].push(all[m]);
                of[m][1].push(next.min(last));
                of[m][2].push(next.max(last));
            }
        }
    }
    for (of, kind) in losses.iter().zip(["transformer", "memformer"]) {
        for (m, [own, others, farther]) in of.iter().enumerate() {
            let label =
                format!("component {}: decades by which the {kind} head that was trained there is ahead", m + 1);
            s.printed(Margin::ZERO).of("runs").at_least(label, paired_difference(others, own)?);
            let label = format!("component {}, {kind} heads exchanged: decades ahead", m + 1);
            s.twin(Margin::ZERO).of("runs").at_least(label, paired_difference(own, farther)?);
        }
    }
    Ok(())
}
