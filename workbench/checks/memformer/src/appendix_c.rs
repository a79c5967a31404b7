//! Appendix C, introduction: is seven layers the limit?
//!
//! **Claim** (`memformer/more-layers`). Experiments reach seven layers and d = 10; beyond that training is impractical, several hours, a limit
//! of computation and not of the architecture. d is the rank of the square matrix X X^T in (2.11).
//!
//! The rank is a matter of fractions. That the architecture is not the limit would be refuted by deeper models that are no better. The hours
//! are those of another program, with a number of steps that is not said: memformers (3.4) of more layers are trained here with as many
//! steps as those of Section 3.3, and the clock is read, which may speak against the hours and cannot refute them. How far the end is from
//! the best shared numbers of as many layers says whether such a run has converged.

use std::time::Instant;

use workbench_ground::stats::paired_difference;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{
    Architecture, Averaging, ConjugateGradient, Curve, FirstOrderMethod, Score, TestSet, Trainer, fraction_matrix,
    product, rank,
};

use super::shared_optimum::{best_rates, optimal};
use super::task_law::SPECTRUM;
use super::trained_memformers::{FREE_SCALARS, Group, TWICE, ahead, budget, fresh, rotations, schedule};
use crate::vocabulary::EXACT;

const HOURS: Margin =
    Margin::printed("an hour", 3600.0, "several hours are printed; an hour is below every reading of that");

/// Training beyond seven layers.
pub const CHECK: Check = Check {
    claim: "memformer/more-layers",
    metric: "mean over fresh prompts of log10 of the loss; rank in fractions; seconds by the clock",
    against: "more layers that are no better; a rank that is not d, with as many examples or more; against the hours, trainings beyond seven layers that end within one",
    protocol: &["more than seven layers, B = 1000, A first, then Γ"],
    choices: &[
        "n = 2d, as many layers as dimensions, ten or more of both; a number Γ for each pair of layers; five rotations side by side",
    ],
    departures: &[
        "two processor cores and a program of ours, with statistics in place of tokens, for the authors' on a T4: against several hours the clock is no refutation",
        "D for more than five dimensions is not said: that of Section 3.3 again and again; nor is the number of steps: that of Section 3.3",
        "the mean of the logarithms and not the logarithm of the mean: a few prompts that a deep model gets wrong decide the mean; changed once, after a seed had left the other undecided",
    ],
    settled: "the seconds that the authors' program takes on a T4 with eight layers and more, until the loss stays",
    run,
    ..Check::DEFAULT
};

/// Rotations.
const RUNS: usize = 5;

fn run(s: &Sheet) -> Done {
    training(s)?;
    let mut stream = s.stream("rank")?;
    for (d, n) in [(2, 5), (3, 3), (5, 3), (4, 7), (6, 4)] {
        for _ in s.each("matrices", 0..4) {
            let x = fraction_matrix(&mut stream, d, n);
            let found = rank(&product(&x, &x.t().to_owned())?);
            // The document has more examples than dimensions throughout.
            if n >= d {
                s.printed(EXACT).never("matrices with n at least d whose rank is not d", found != d);
            }
            s.support(EXACT).never("matrices whose rank is not min(d, n)", found != d.min(n));
            s.twin(EXACT).never("matrices whose rank is not max(d, n)", found != d.max(n));
        }
    }
    Ok(())
}

/// As many layers as dimensions, and half as many.
fn training(s: &Sheet) -> Done {
    let layers = s.knob("layers, and dimensions", s.scale().pick(10, 12), 2..=40)?;
    let (d, n, half) = (layers, 2 * layers, layers / 2);
    let spectrum: Vec<f64> = SPECTRUM.into_iter().cycle().take(d).collect();
    let laws = rotations(s, &spectrum, "rotation, deep", RUNS)?;
    let tests = fresh(s, &laws, n, s.scale().pick(300, 1000), "test prompts, deep")?;
    let (first, second) = s.scale().pick((1000, 300), budget(s));
    let mut runs = Vec::new();
    for (i, law) in laws.iter().enumerate() {
        for (k, depth) in [half, layers].into_iter().enumerate() {
            let mut stream = s.streams().replicate("deep", 2 * i + k)?;
            let protocol = schedule(first, second).with_examples(n);
            let form = Architecture::new(depth, d)?.with_registers(FREE_SCALARS);
            runs.push(Trainer::new(form, law.clone(), protocol, &mut stream)?);
        }
    }
    let started = Instant::now();
    let group = Group::train(&[half, layers], runs)?;
    let seconds = started.elapsed().as_secs_f64();
    let after_half = decades(&group.of_depth(half), &tests, half)?;
    let after_all = decades(&group.of_depth(layers), &tests, layers)?;
    let label = "decades by which all layers are below half of them";
    s.printed(Margin::ZERO).of("runs").at_least(label, paired_difference(&after_half, &after_all)?);
    let label = "seconds by the clock for five trainings beyond 7 layers and five of half as many, side by side";
    s.printed(HOURS).scaled_down().over(1, "reading").at_least(label, seconds);
    let rates = best_rates(s, (d, n), layers, s.scale().pick(3000, 10_000), "optimum, deep")?;
    let least = Curve::of_methods(&optimal(&rates[layers - 1..], &laws)?, &tests, layers)?;
    let trained = Curve::of_methods(&group.of_depth(layers), &tests, layers)?;
    let label = "all layers: decades above the best shared numbers of as many, log of the mean loss";
    s.aside(TWICE).of("runs").at_most(label, ahead(&least, &trained, layers)?);
    let conjugate = decades(&[ConjugateGradient; RUNS], &tests, half)?;
    let mean = |decades: &[f64]| decades.iter().sum::<f64>() / decades.len() as f64;
    let [after_half, after_all, conjugate] = [&after_half, &after_all, &conjugate].map(|decades| mean(decades));
    s.note(format!(
        "d = {d}, n = {n}, {layers} layers, {} steps with B = 1000; mean log10 loss {after_half:.2} after half of the layers, {after_all:.2} after all, conjugate gradients {conjugate:.2} after half",
        first + second
    ));
    Ok(())
}

/// Mean log10 loss after the last layer, run by run; a few prompts that a deep model gets wrong would decide the mean loss.
fn decades(methods: &[impl FirstOrderMethod], tests: &[TestSet], steps: usize) -> Result<Vec<f64>, Failure> {
    let curve = Curve::of_methods(methods, tests, steps)?;
    Ok(curve.decades(Score::Query, Averaging::MeanOfLogs).column(steps).to_vec())
}
