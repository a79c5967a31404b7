//! Section 3.4, first paragraph: what is plotted.
//!
//! **Claim** (`memformer/batch-comparison-3-4`). In Figures 2 and 3 conjugate gradients compute their parameters for each of B = 1000
//! prompts of the same distribution, the memformer shares its own; plotted is the average log loss against layers.
//!
//! Two things to know about such a plot: how far a plotted point, an average over five runs, scatters from batch to batch, and how far
//! apart the two readings of "average log loss" lie. Against it speaks a scatter as large as what is to be seen.

use std::collections::BTreeSet;

use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{Averaging, ConjugateGradient, Curve, Score, TestSet, conjugate_gradient};

use super::section_3_3::EXAMPLES;
use super::section_3_3_training::{
    LAYERS, ONE, RUNS, Reading, TWICE, both_averages, colour, curve, field, gap_table, group,
};
use crate::vocabulary::{EXACT, by_scale};

const SCATTER: Margin = Margin::new(
    "scatter",
    0.15,
    "half of the factor of two that counts as a difference; it was .3 for a while, for a point of a single batch and not of five runs",
);

/// Batches of the document's size.
#[derive(Clone, Debug)]
pub struct PlottedPoint {
    /// Prompts of a batch.
    pub batch: usize,
    /// Batches; by scale if 0.
    pub batches: usize,
}

impl Default for PlottedPoint {
    fn default() -> PlottedPoint {
        PlottedPoint { batch: 1000, batches: 0 }
    }
}

fn decades(curve: &Curve, averaging: Averaging, layer: usize) -> Vec<f64> {
    curve.decades(Score::Query, averaging).column(layer).to_vec()
}

/// Standard deviation over batches of the mean of five runs after four layers.
fn scatter(curve: &Curve) -> f64 {
    let values = decades(curve, Averaging::LogOfMeans, LAYERS);
    let middle = values.iter().sum::<f64>() / values.len() as f64;
    let square: f64 = values.iter().map(|v| (v - middle).powi(2)).sum();
    (square / (values.len() - 1) as f64 / RUNS as f64).sqrt()
}

impl TypedCheck for PlottedPoint {
    const CLAIM: &'static str = "memformer/batch-comparison-3-4";
    const PLAN: Plan = Plan::new(
        "different step sizes in a batch; standard deviation of a plotted point over batches, in decades",
        "fewer step sizes than prompts; points that scatter as far as methods differ",
        &[EXACT, SCATTER, TWICE],
    )
    .protocol(&["B = 1000, four layers; a plotted point is the mean over five runs"])
    .departures(&["scatter is that of the first rotation, whose batches are like those of the others, divided by the root of five"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let at = Reading::Variances;
        let field_ = field(setting, at)?;
        let one_batch = TestSet::draw(&field_.laws[0], EXAMPLES, self.batch, &mut setting.stream("one batch")?)?;
        let (mut alphas, mut gammas) = (BTreeSet::new(), BTreeSet::new());
        for f in one_batch.quadratics() {
            let own = conjugate_gradient(f, &f.origin(), 2)?.coefficients;
            alphas.insert(own.alpha[1].to_bits());
            gammas.insert(own.gamma[0].to_bits());
        }
        let mut batches = Vec::new();
        for i in 0..by_scale(self.batches, setting.scale().pick(12, 40)) {
            let mut stream = setting.streams().replicate("batches", i)?;
            batches.push(TestSet::draw(&field_.laws[0], EXAMPLES, self.batch, &mut stream)?);
        }
        let shown = &group(setting, at, &ONE)?.of_depth(LAYERS)[0];
        let model = Curve::of_method(shown, &batches, LAYERS)?;
        let cgd = Curve::of_method(&ConjugateGradient, &batches, LAYERS)?;
        let apart = |layer: usize| -> Result<Estimate, Failure> {
            let means = decades(&cgd, Averaging::LogOfMeans, layer);
            let logs = decades(&cgd, Averaging::MeanOfLogs, layer);
            Ok(mean(&means.iter().zip(logs).map(|(a, b)| a - b).collect::<Vec<f64>>())?)
        };
        let distinct = |label: &str, found: usize| {
            Finding::identity(label, found.abs_diff(self.batch) as f64, EXACT).cases(self.batch).unit("prompts")
        };
        let point = |label: &str, of: &Curve| {
            Finding::at_most(label, SCATTER, Estimate::exact(scatter(of))).cases(batches.len()).unit("batches")
        };
        let evidence = Evidence::of(distinct(
            "step sizes of conjugate gradients in their second iteration, minus B",
            alphas.len(),
        ))
        .and(point("4 layers: scatter of a plotted point of the memformer, decades", &model))
        .and(point("4 layers: scatter of a plotted point of conjugate gradients, decades", &cgd))
        .and(
            Finding::at_least(
                "conjugate gradients after 4 steps: log of the mean minus mean of the log, decades",
                TWICE,
                apart(LAYERS)?,
            )
            .unit("batches"),
        )
        .twin(distinct("memories γ in the first iteration, minus B", gammas.len()))
        .twin(
            Finding::at_least("before the first step: log of the mean minus mean of the log", TWICE, apart(0)?)
                .unit("batches"),
        );
        let one = curve(setting, at, &ONE)?;
        let rows: [(&str, &Curve, &Curve); 1] = [("one register, below conjugate gradients", &one, &field_.cgd)];
        let series = [("one register", &*one, colour::ONE), ("CGD", &field_.cgd, colour::CONJUGATE)];
        let title = "The order of mean and logarithm moves conjugate gradients most";
        Ok(Checked::from(evidence)
            .table(gap_table("Two readings of the average log loss", &rows, LAYERS)?)
            .figure(both_averages(title, &series, LAYERS, "The same prompts and models in both panels.")))
    }
}
