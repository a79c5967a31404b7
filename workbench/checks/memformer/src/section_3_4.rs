//! Section 3.4, first paragraph: what is plotted.
//!
//! **Claim** (`memformer/batch-comparison-3-4`). In Figures 2 and 3 conjugate gradients compute their parameters for each of B = 1000
//! prompts of the same distribution, the memformer shares its own; plotted is the average log loss against layers.
//!
//! Refuted by conjugate gradients that share a number. Two things to know about such a plot stand beside it: how far a plotted point, an
//! average over five runs, scatters from batch to batch, and how far apart the two readings of "average log loss" lie.

use std::collections::BTreeSet;

use workbench_ground::stats::paired_difference;
use workbench_ledger::{Check, Done, Margin, Sheet};
use workbench_memformer::{Averaging, ConjugateGradient, Curve, Score, TestSet, conjugate_gradient};

use super::task_law::EXAMPLES;
use super::trained_memformers::{
    LAYERS, ONE, RUNS, Reading, TWICE, both_averages, colour, curve, field, gap_table, group,
};
use crate::vocabulary::EXACT;

const SCATTER: Margin = Margin::ours(
    "scatter",
    0.15,
    "half of the factor of two that counts as a difference; it was .3 for a while, for a point of a single batch and not of five runs",
);

/// Batches of the document's size.
pub const CHECK: Check = Check {
    claim: "memformer/batch-comparison-3-4",
    metric: "different step sizes and memories in a batch; beside them the standard deviation of a plotted point over batches, in decades",
    against: "fewer step sizes or memories than prompts",
    protocol: &["B = 1000, four layers; a plotted point is the mean over five runs"],
    departures: &[
        "scatter is that of the first rotation, whose batches are like those of the others, divided by the root of five",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let at = Reading::Variances;
    let prompts = field(s, at)?;
    let batch = s.knob("prompts B", 1000, 2..)?;
    let one_batch = TestSet::draw(&prompts.laws[0], EXAMPLES, batch, &mut s.stream("one batch")?)?;
    let (mut alphas, mut gammas, mut first) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for f in one_batch.quadratics() {
        let own = conjugate_gradient(f, &f.origin(), 2)?.coefficients;
        alphas.insert(own.alpha[1].to_bits());
        gammas.insert(own.gamma[1].to_bits());
        first.insert(own.gamma[0].to_bits());
    }
    let lacking = |found: usize| found.abs_diff(batch) as f64;
    let label = "step sizes of conjugate gradients in their second iteration, minus B";
    s.printed(EXACT).over(batch, "prompts").same(label, lacking(alphas.len()));
    let label = "memories γ of conjugate gradients in their second iteration, minus B";
    s.printed(EXACT).over(batch, "prompts").same(label, lacking(gammas.len()));
    let label = "memories γ in the first iteration, minus B";
    s.twin(EXACT).over(batch, "prompts").same(label, lacking(first.len()));

    let mut batches = Vec::new();
    for i in 0..s.knob("batches", s.scale().pick(12, 40), 2..)? {
        let mut stream = s.streams().replicate("batches", i)?;
        batches.push(TestSet::draw(&prompts.laws[0], EXAMPLES, batch, &mut stream)?);
    }
    let shown = &group(s, at, &ONE)?.of_depth(LAYERS)[0];
    let model = Curve::of_method(shown, &batches, LAYERS)?;
    let cgd = Curve::of_method(&ConjugateGradient, &batches, LAYERS)?;
    let point = s.aside(SCATTER).over(batches.len(), "batches");
    point.at_most("4 layers: scatter of a plotted point of the memformer, decades", scatter(&model));
    point.at_most("4 layers: scatter of a plotted point of conjugate gradients, decades", scatter(&cgd));

    let at_layer = |averaging, layer: usize| cgd.decades(Score::Query, averaging).column(layer).to_vec();
    let apart = |layer: usize| {
        paired_difference(&at_layer(Averaging::LogOfMeans, layer), &at_layer(Averaging::MeanOfLogs, layer))
    };
    let label = "conjugate gradients after 4 steps: log of the mean minus mean of the log, decades";
    s.aside(TWICE).of("batches").at_least(label, apart(LAYERS)?);

    let one = curve(s, at, &ONE)?;
    let rows: [(&str, &Curve, &Curve); 1] = [("one register, below conjugate gradients", &one, &prompts.cgd)];
    s.table(gap_table("Two readings of the average log loss", &rows, LAYERS)?);
    let series = [("one register", &*one, colour::ONE), ("CGD", &prompts.cgd, colour::CONJUGATE)];
    let title = "The order of mean and logarithm moves conjugate gradients most";
    s.figure(both_averages(title, &series, LAYERS, "The same prompts and models in both panels."));
    Ok(())
}

/// Standard deviation over batches of the mean of five runs after four layers.
fn scatter(curve: &Curve) -> f64 {
    let values = curve.decades(Score::Query, Averaging::LogOfMeans).column(LAYERS).to_vec();
    let middle = values.iter().sum::<f64>() / values.len() as f64;
    let square: f64 = values.iter().map(|v| (v - middle).powi(2)).sum();
    (square / (values.len() - 1) as f64 / RUNS as f64).sqrt()
}
