//! Section 6: how many experts?
//!
//! **Claim** (`memformer/few-experts`). Even a small number of experts gives robust gains out of distribution; which number is right is
//! left open.
//!
//! One, two, three, five and eight experts share one budget of training steps. Two families: experts for variances spread over [1, 3], tried
//! inside and outside; and experts for shapes, covariances U^T D^t U with t spread over [0, 2], which no number turns into each other. One
//! expert must be given what three have, gates fitted on the same prompts: by the law of scale a free gate on one expert already solves
//! a change of variance. Section 4.2 has real gates, so those on its own variances are asked first; a convex gate on one expert is no gate.
//! Wrong twins: three copies of one expert, and three experts without gates.

use ndarray::{Array1, Array2};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Streams, mean, orthonormal};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{Batch, GateKind, Gated, Parameters, Precision, TaskLaw, best_layer_gates, train_experts};

use super::figure_8::best_single;
use super::independent_runs::{
    Scores, VISIBLE, ahead, average, both_averages, errors, of_run, school, score, shape, steps, tested, tied, tuned,
};
use super::task_law::{DIM, EXAMPLES, SPECTRUM};

const HALF: Margin =
    Margin::new("half of the gain", 0.5, "a gain is mostly the experts' if a gate alone does not bring half of it");

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

/// Experts of two families under one budget.
#[derive(Clone, Debug, Default)]
pub struct HowMany {
    /// Runs; by scale if 0.
    pub runs: usize,
}

#[derive(Default)]
struct Seen {
    /// By way and number of experts, mean over laws for each run.
    scales: [[Scores; 5]; 4],
    shapes: [[Scores; 5]; 4],
    /// log10 of the mean error at the first unseen variance: one expert with a free gate, and three copies of it, for each run.
    copies: [Vec<f64>; 2],
}

/// One run: its streams and rotation.
struct Bench<'a> {
    setting: &'a Setting,
    streams: Streams,
    rotation: Array2<f64>,
}

fn spread(low: f64, high: f64, count: usize) -> Vec<f64> {
    if count == 1 {
        return vec![0.5 * (low + high)];
    }
    let step = (high - low) / (count - 1) as f64;
    (0..count).map(|i| low + step * i as f64).collect()
}

impl Bench<'_> {
    /// Covariance v U^T D^t U.
    fn law(&self, variance: f64, power: f64) -> Result<TaskLaw, Failure> {
        let spectrum = SPECTRUM.iter().map(|s| variance * s.powf(power));
        let turned = self.rotation.t().dot(&Array2::from_diag(&Array1::from_iter(spectrum))).dot(&self.rotation);
        Ok(TaskLaw::new(0.5 * (&turned + &turned.t()))?)
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
        seen: &mut [[Scores; 5]; 4],
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
        for (way, of_laws) in seen.iter_mut().zip(&sums) {
            let over = |of: fn(&Scores) -> &Vec<f64>| {
                average(&of_laws.iter().flat_map(|s| of(s).clone()).collect::<Vec<f64>>())
            };
            way[c].log_of_mean.push(over(|s| &s.log_of_mean));
            way[c].mean_of_logs.push(over(|s| &s.mean_of_logs));
        }
        Ok(())
    }
}

impl Seen {
    /// One expert with a free gate beside three copies of it with free gates, on the same prompts of one law.
    fn copied(&mut self, bench: &Bench<'_>, expert: &Parameters, law: &TaskLaw) -> Result<(), Failure> {
        let draw = |size: usize, name: &str| -> Result<Batch, Failure> {
            Ok(Batch::draw(law, EXAMPLES, size, Precision::Double, &mut bench.streams.stream(name)?)?)
        };
        let adapt = draw(tuned(bench.setting), "tune copies")?;
        let test = draw(tested(bench.setting), "test copies")?;
        for (list, count) in self.copies.iter_mut().zip([1, 3]) {
            let model = Gated::uniform(vec![expert.clone(); count])?;
            let gates = best_layer_gates(&model, &adapt, GateKind::Free)?.gates;
            list.push(score(&model.with_gates(&gates)?.merged(), &test)?);
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

impl HowMany {
    fn see(&self, setting: &Setting, counts: &[usize]) -> Result<Seen, Failure> {
        let mut seen = Seen::default();
        let runs = match self.runs {
            0 => setting.scale().pick(8, 10),
            runs => runs,
        };
        for run in 0..runs {
            let streams = of_run(setting, "few run", run)?;
            let bench = Bench { rotation: orthonormal(&mut streams.stream("rotation")?, DIM, DIM)?, streams, setting };
            seen.add(&bench, counts)?;
        }
        Ok(seen)
    }
}

impl Seen {
    fn add(&mut self, bench: &Bench<'_>, counts: &[usize]) -> Result<(), Failure> {
        let laws = |list: &[f64], of: &dyn Fn(f64) -> Result<TaskLaw, Failure>| {
            list.iter().map(|v| of(*v)).collect::<Result<Vec<_>, Failure>>()
        };
        let (scale, power) = (|v| bench.law(v, 1.0), |t| bench.law(1.0, t));
        let (outside, powers) = (laws(&OUTSIDE, &scale)?, laws(&POWERS, &power)?);
        for (c, count) in COUNTS.into_iter().enumerate().filter(|(_, count)| counts.contains(count)) {
            let experts = bench.train(&laws(&spread(1.0, 3.0, count), &scale)?, "scales", c)?;
            if count == 1 {
                self.copied(bench, &experts[0], &outside[0])?;
            }
            // One expert for shapes is the one for variance 2 in units of variance 1.
            let shapes = match count {
                1 => vec![rescaled(&experts[0], 0.5)?],
                _ if count > SHAPES_UP_TO => Vec::new(),
                _ => bench.train(&laws(&spread(0.0, 2.0, count), &power)?, "shapes", c)?,
            };
            bench.tried(experts, &outside, ["tune", "test"], c, &mut self.scales)?;
            if !shapes.is_empty() {
                bench.tried(shapes, &powers, ["tune shape", "test shape"], c, &mut self.shapes)?;
            }
        }
        Ok(())
    }

    fn figure(&self) -> Figure {
        let panel = |title: &str, scores: &[[Scores; 5]; 4], ways: &[usize]| {
            let mut panel = Panel::new(title).x_label("experts").y_label("log₁₀ mean squared error");
            for way in ways {
                let there: Vec<usize> =
                    (0..COUNTS.len()).filter(|c| !scores[*way][*c].log_of_mean.is_empty()).collect();
                let x: Vec<f64> = there.iter().map(|c| COUNTS[*c] as f64).collect();
                let y: Vec<f64> = there.iter().map(|c| scores[*way][*c].value()).collect();
                panel = panel.line(WAYS[*way], &x, &y).colour(*way);
            }
            panel.legend_below()
        };
        Figure::new("A few experts help where gates are convex, and where shapes differ")
            .panel(panel("variances", &self.scales, &[FREE, CONVEX, SINGLE]))
            .panel(panel("shapes of the spectrum", &self.shapes, &[FREE, CONVEX, SINGLE]))
            .columns(2)
            .caption("One training budget for all; mean over unseen laws and runs. For variances with free gates one expert is nearly enough.")
    }
}

impl TypedCheck for HowMany {
    const CLAIM: &'static str = "memformer/few-experts";
    const PLAN: Plan = Plan::new(
        "log10 of the mean squared error on fresh prompts, mean over unseen laws, paired over runs",
        "three experts that are no better than one that is gated in the same way, by what a reader can see; a gain that is the gate's",
        &[VISIBLE, HALF],
    )
    .protocol(&["experts of Section 4.2 with four layers; gates fitted on prompts of the unseen law, tested on others"])
    .departures(&[
        "all numbers of experts share one budget of training steps, two and a half times that of an expert elsewhere",
        "experts for shapes are ours: the document's differ in variance only",
    ])
    .rivals(&["one expert with the same kind of gate on the same prompts; one expert without a gate"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let counts = setting.scale().pick(vec![1, 3], COUNTS.to_vec());
        let seen = self.see(setting, &counts)?;
        let more = |label: &str, of: &[[Scores; 5]; 4], one: usize, three: usize| -> Result<Finding, Failure> {
            ahead(label, VISIBLE, &of[one][0].log_of_mean, &of[three][THREE].log_of_mean)
        };
        let of = |way: usize, c: usize| &seen.scales[way][c].log_of_mean;
        // Of the gain from one expert without a gate to three with free gates, what a gate on the one does not bring.
        let shares: Vec<f64> = of(SINGLE, 0)
            .iter()
            .zip(of(FREE, 0))
            .zip(of(FREE, THREE))
            .map(|((bare, gated), three)| (gated - three) / (bare - three))
            .collect();
        let evidence = Evidence::of(
            Finding::at_least(
                "scales, free gates: share of the gain that is left to three experts once the one has a gate too",
                HALF,
                mean(&shares)?,
            )
            .unit("runs"),
        )
        .and(more("scales, free gates: one expert minus three", &seen.scales, FREE, FREE)?)
        .and(more(
            "shapes, free gates: one expert minus three",
            &seen.shapes,
            FREE,
            FREE,
        )?)
        .and(more(
            "scales: one expert without a gate minus three with free gates",
            &seen.scales,
            SINGLE,
            FREE,
        )?)
        .condition(
            "where the laws differ in more than their variance, or gates are convex, so that one expert has none; for variances with the real gates of Section 4.2 a gate on one expert brings nearly all of it",
            vec![
                more("both gated freely, other shapes of the spectrum: one expert minus three", &seen.shapes, FREE, FREE)?,
                more("shapes, convex gates: one expert minus three", &seen.shapes, CONVEX, CONVEX)?,
                more("scales, convex gates: one expert minus three", &seen.scales, CONVEX, CONVEX)?,
            ],
        )
        .twin(more(
            "scales, three experts without gates, their mean: one expert minus them",
            &seen.scales,
            SINGLE,
            MEAN,
        )?)
        .twin(ahead(
            "σ² = 0.5, three copies of one expert with free gates: that expert with a gate minus them",
            VISIBLE,
            &seen.copies[0],
            &seen.copies[1],
        )?);
        let mut rows: Vec<(String, &Scores)> = Vec::new();
        for (family, of) in [("variances", &seen.scales), ("shapes", &seen.shapes)] {
            for (way, scores) in WAYS.iter().zip(of).take(3) {
                for (count, scores) in COUNTS.iter().zip(scores).filter(|(_, s)| !s.log_of_mean.is_empty()) {
                    rows.push((format!("{family}, {way}, {count}"), scores));
                }
            }
        }
        let rows: Vec<(&str, &Scores)> = rows.iter().map(|(name, scores)| (name.as_str(), *scores)).collect();
        let table = both_averages("Squared error on unseen laws, by number of experts", &rows)?;
        Ok(Checked::from(evidence).figure(seen.figure()).table(table))
    }
}
