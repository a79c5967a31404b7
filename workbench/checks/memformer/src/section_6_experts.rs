//! Section 6: how many experts?
//!
//! **Claim** (`memformer/few-experts`). Even a small number of experts gives robust gains out of distribution; which number is right is
//! left open.
//!
//! One, two, three, five and eight experts share one budget of training steps. Two families: experts for variances spread over [1, 3],
//! tried inside and outside; and experts for shapes, covariances U^T D^t U with t spread over [0, 2], which no number turns into each
//! other. One expert must be given what three have, gates fitted on the same prompts; a gain is one if it is more than two trainings of one
//! model differ by, as in Figure 7. Section 4.2 has real gates. By the law of scale a real gate on one expert already solves a change of
//! variance: there little is left that experts could gain; whether three add to it is the claim as Section 4.2 has it, and decides, and
//! with its share it is shown how little. Beside it, as experiments of ours, experts are asked where a gate alone cannot do it: for shapes,
//! for variances with convex gates (one on one expert is no gate), and over one expert without a gate. Wrong twin: three experts without
//! gates.

use ndarray::{Array1, Array2};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Streams, mean, orthonormal, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memformer::{Batch, GateKind, Gated, Parameters, Precision, TaskLaw, best_layer_gates, train_experts};

use super::figure_8::best_single;
use super::independent_runs::{
    Scores, average, both_averages, errors, of_run, school, shape, steps, tested, tied, tuned,
};
use super::task_law::{DIM, EXAMPLES, SPECTRUM};

const HALF: Margin =
    Margin::ours("half of the gain", 0.5, "a gain is mostly the experts' if a gate alone does not bring half of it");

/// Numbers of experts; at quick scale those that are compared.
const COUNTS: [usize; 5] = [1, 2, 3, 5, 8];
/// Position of three experts.
const THREE: usize = 2;
/// Shapes have as many experts at most.
const SHAPES_UP_TO: usize = 3;
/// Variances that are tried.
const OUTSIDE: [f64; 4] = [0.5, 1.25, 3.5, 6.0];
/// Powers of the spectrum that are tried.
const POWERS: [f64; 3] = [0.5, 1.5, 3.0];
/// How the experts are joined.
const WAYS: [&str; 4] = ["free gates", "convex gates", "best single expert", "mean of experts"];
const FREE: usize = 0;
const CONVEX: usize = 1;
const SINGLE: usize = 2;
const MEAN: usize = 3;

/// Scores by way and number of experts, mean over laws for each run.
type ByWay = [[Scores; 5]; 4];

/// Experts of two families under one budget.
pub const CHECK: Check = Check {
    claim: "memformer/few-experts",
    metric: "log10 of the mean squared error on fresh prompts, mean over unseen laws, paired over runs",
    against: "three experts that are no better than one that is gated in the same way",
    protocol: &["experts of Section 4.2 with four layers; gates fitted on prompts of the unseen law, tested on others"],
    choices: &["variances 0.5, 1.25, 3.5 and 6, powers of the spectrum 0.5, 1.5 and 3"],
    departures: &[
        "all numbers of experts share one budget of training steps, two and a half times that of an expert elsewhere",
        "experts for shapes, and convex gates, are ours and shown: the document's experts differ in variance only, its gates are real, and there a real gate on one expert does nearly all",
    ],
    rivals: &["one expert with the same kind of gate on the same prompts; shown beside it, one without a gate"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let tried = s.scale().pick(vec![1, 3], COUNTS.to_vec());
    let (mut scales, mut shapes) = (ByWay::default(), ByWay::default());
    for run in 0..s.knob("runs", s.scale().pick(8, 10), 2..)? {
        let streams = of_run(s, "few run", run)?;
        let rotation = orthonormal(&mut streams.stream("rotation")?, DIM, DIM)?;
        let bench = Bench { setting: s, streams, rotation };
        let of_variances = |list: &[f64]| bench.laws(list.iter().map(|v| (*v, 1.0)));
        let of_powers = |list: &[f64]| bench.laws(list.iter().map(|t| (1.0, *t)));
        let (outside, powers) = (of_variances(&OUTSIDE)?, of_powers(&POWERS)?);
        for (c, count) in COUNTS.into_iter().enumerate().filter(|(_, count)| tried.contains(count)) {
            let experts = bench.train(&of_variances(&spread(1.0, 3.0, count))?, "scales", c)?;
            // One expert for shapes is the one for variance 2 in units of variance 1.
            let of_shapes = match count {
                1 => vec![rescaled(&experts[0], 0.5)?],
                _ if count > SHAPES_UP_TO => Vec::new(),
                _ => bench.train(&of_powers(&spread(0.0, 2.0, count))?, "shapes", c)?,
            };
            bench.tried(experts, &outside, ["tune", "test"], c, &mut scales)?;
            if !of_shapes.is_empty() {
                bench.tried(of_shapes, &powers, ["tune shape", "test shape"], c, &mut shapes)?;
            }
        }
    }

    let one = |family: &ByWay, way: usize| family[way][0].log_of_mean.clone();
    let three = |family: &ByWay, way: usize| family[way][THREE].log_of_mean.clone();
    let gain = |family: &ByWay, a: usize, b: usize| paired_difference(&one(family, a), &three(family, b));
    let (bare, gated) = (one(&scales, SINGLE), one(&scales, FREE));
    // Of the gain from one expert without a gate to three with free gates, what a gate on the one does not bring.
    let shares: Vec<f64> = three(&scales, FREE)
        .iter()
        .zip(bare.iter().zip(&gated))
        .map(|(three, (bare, gated))| (gated - three) / (bare - three))
        .collect();
    let label = "scales, free gates: share of the gain that is left to three experts once the one has a gate too";
    s.aside(HALF).of("runs").at_least(label, mean(&shares)?);
    let (printed, shown) = (s.printed(Margin::ZERO).of("runs"), s.aside(Margin::ZERO).of("runs"));
    printed.at_least("scales, free gates: one expert minus three", gain(&scales, FREE, FREE)?);
    // Experts for shapes, and convex gates, are ours.
    shown.at_least("shapes, free gates: one expert minus three", gain(&shapes, FREE, FREE)?);
    shown.at_least("scales: one expert without a gate minus three with free gates", gain(&scales, SINGLE, FREE)?);
    shown.at_least("shapes, convex gates: one expert minus three", gain(&shapes, CONVEX, CONVEX)?);
    shown.at_least("scales, convex gates: one expert minus three", gain(&scales, CONVEX, CONVEX)?);
    let label = "scales, three experts without gates, their mean: one expert with a free gate minus them";
    s.twin(Margin::ZERO).of("runs").at_least(label, gain(&scales, FREE, MEAN)?);

    let mut rows: Vec<(String, &Scores)> = Vec::new();
    for (family, of) in [("variances", &scales), ("shapes", &shapes)] {
        for (way, scores) in WAYS.iter().zip(of).take(3) {
            for (count, scores) in COUNTS.iter().zip(scores).filter(|(_, s)| !s.log_of_mean.is_empty()) {
                rows.push((format!("{family}, {way}, {count}"), scores));
            }
        }
    }
    let rows: Vec<(&str, &Scores)> = rows.iter().map(|(name, scores)| (name.as_str(), *scores)).collect();
    s.table(both_averages("Squared error on unseen laws, by number of experts", &rows)?);
    let caption = "One training budget for all; mean over unseen laws and runs. For variances with free gates one expert is nearly enough.";
    s.figure(
        Figure::new("A few experts help where gates are convex, and where shapes differ")
            .panel(panel("variances", &scales))
            .panel(panel("shapes of the spectrum", &shapes))
            .columns(2)
            .caption(caption),
    );
    Ok(())
}

fn panel(title: &str, scores: &ByWay) -> Panel {
    let mut panel = Panel::new(title).x_label("experts").y_label("log₁₀ mean squared error");
    for way in [FREE, CONVEX, SINGLE] {
        let there: Vec<usize> = (0..COUNTS.len()).filter(|c| !scores[way][*c].log_of_mean.is_empty()).collect();
        let x: Vec<f64> = there.iter().map(|c| COUNTS[*c] as f64).collect();
        let y: Vec<f64> = there.iter().map(|c| scores[way][*c].value()).collect();
        panel = panel.line(WAYS[way], &x, &y).colour(way);
    }
    panel.legend_below()
}

/// One run: its streams and rotation.
struct Bench<'a> {
    setting: &'a Setting,
    streams: Streams,
    rotation: Array2<f64>,
}

impl Bench<'_> {
    /// Covariances v U^T D^t U for pairs of a variance v and a power t.
    fn laws(&self, pairs: impl Iterator<Item = (f64, f64)>) -> Result<Vec<TaskLaw>, Failure> {
        let law = |(variance, power): (f64, f64)| {
            let spectrum = SPECTRUM.iter().map(|s| variance * s.powf(power));
            let turned = self.rotation.t().dot(&Array2::from_diag(&Array1::from_iter(spectrum))).dot(&self.rotation);
            Ok(TaskLaw::new(0.5 * (&turned + &turned.t()))?)
        };
        pairs.map(law).collect()
    }

    fn train(&self, laws: &[TaskLaw], name: &str, c: usize) -> Result<Vec<Parameters>, Failure> {
        let budget = school(5 * steps(self.setting) / 2 / laws.len(), true);
        let mut stream = self.streams.replicate(name, c)?;
        Ok(train_experts(shape(tied())?, laws, &budget, &mut stream)?)
    }

    /// Errors in every way, over all laws together: each law's errors over its mean answer, which is d for all of them.
    fn tried(
        &self,
        experts: Vec<Parameters>,
        laws: &[TaskLaw],
        names: [&str; 2],
        c: usize,
        family: &mut ByWay,
    ) -> Result<(), Failure> {
        let model = Gated::uniform(experts)?;
        let mut sums: [Vec<Scores>; 4] = Default::default();
        for (k, law) in laws.iter().enumerate() {
            let draw = |size: usize, mut stream| Batch::draw(law, EXAMPLES, size, Precision::Double, &mut stream);
            let tune = self.streams.replicate(names[0], 10 * c + k)?;
            let test = self.streams.restart_replicate(names[1], k)?;
            let (adapt, test) = (draw(tuned(self.setting), tune)?, draw(tested(self.setting), test)?);
            let gated = |kind| -> Result<Parameters, Failure> {
                Ok(model.with_gates(&best_layer_gates(&model, &adapt, kind)?.gates)?.merged())
            };
            let models = [
                gated(GateKind::Free)?,
                gated(GateKind::Convex)?,
                best_single(model.heads(), &adapt)?.clone(),
                model.merged(),
            ];
            for (sums, model) in sums.iter_mut().zip(&models) {
                let mut scores = Scores::default();
                scores.push(&errors(model, &test)?);
                sums.push(scores);
            }
        }
        for (way, of_laws) in family.iter_mut().zip(&sums) {
            let over = |of: fn(&Scores) -> &Vec<f64>| {
                average(&of_laws.iter().flat_map(|s| of(s).clone()).collect::<Vec<f64>>())
            };
            way[c].log_of_mean.push(over(|s| &s.log_of_mean));
            way[c].mean_of_logs.push(over(|s| &s.mean_of_logs));
        }
        Ok(())
    }
}

/// An expert for another variance by the law of scale: preconditioners divided by `factor`.
fn rescaled(expert: &Parameters, factor: f64) -> Result<Parameters, Failure> {
    let mut other = expert.clone();
    for layer in 0..expert.architecture().depth() {
        other.set_a(layer, &(&expert.a(layer)? / factor))?;
    }
    Ok(other)
}

fn spread(low: f64, high: f64, count: usize) -> Vec<f64> {
    if count == 1 {
        return vec![0.5 * (low + high)];
    }
    let step = (high - low) / (count - 1) as f64;
    (0..count).map(|i| low + step * i as f64).collect()
}
