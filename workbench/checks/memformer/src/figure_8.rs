//! Figure 8: variances that no expert has seen.
//!
//! **Claim** (`memformer/fig-8`). On inputs of variance 0.5, 1.5 and 3.5 the trainable gate of three experts (variances 1, 2, 3) adapts
//! effectively, and the model generalises robustly outside of the training variances.
//!
//! There is an exact law: with x -> c x and w* -> w* / c the Hessian becomes c^2 H and answers stay, so preconditioners A have on variance
//! v the loss that v A have on variance one. Any gates with sum_h alpha_h / v_h = 1 / v solve the shift; convex gates keep that sum
//! between 1/3 and 1.

use workbench_display::{Figure, Panel, Table, Values, columns};
use workbench_ground::stats::{Streams, mean};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Batch, GateKind, Gated, Kind, Measure, Parameters, Precision, Prompts, Quadratic, Statistics, best_layer_gates,
    best_stagewise,
};

use super::section_3_3::EXAMPLES;
use super::section_4::{
    BEHIND, DEPTH, Scores, TRAINING, ahead, behind, conjugate, errors, of_run, score, tested, tuned,
};
use super::section_4_2::{TRAINED, UNSEEN, Variances, variances};
use crate::vocabulary::{Largest, largest_of};

const SAME: Margin = Margin::new("same prompts", 1e-9, "products of four matrices in other units, in double precision");

/// Models, in the order of [`Seen::scores`].
const MODELS: [&str; 9] = [
    "free gates",
    "convex gates",
    "best single expert",
    "mean of experts",
    "pooled model",
    "trained at σ²",
    "one expert, free gate",
    "best fixed method",
    "conjugate gradients",
];
const FREE: usize = 0;
const CONVEX: usize = 1;
const SINGLE: usize = 2;
const MEAN: usize = 3;
const POOLED: usize = 4;
const THERE: usize = 5;

/// Gates of three experts on unseen variances.
#[derive(Clone, Debug, Default)]
pub struct UnseenVariances {
    /// Prompts to fit gates on; by scale if 0.
    pub prompts: usize,
}

struct Seen {
    /// Of each variance and model.
    scores: Vec<Vec<Scores>>,
    /// Largest relative difference of an error from the law of scale, with gates times v, and with gates over v.
    scale: [Largest; 2],
}

/// Squared errors of the best fixed scalar method, fitted on other prompts, in the measure that scores it.
fn fixed_method(tune: &Statistics, test: &Statistics, measure: &Measure) -> Result<Vec<f64>, Failure> {
    let fitted = best_stagewise(&Quadratic::of_batch(tune)?, DEPTH, Kind::Scalar, measure)?;
    let mut errors = Vec::new();
    for (b, f) in Quadratic::of_batch(test)?.iter().enumerate() {
        let run = fitted.method.run(f, &f.origin())?;
        let miss = &test.truth().row(b) - &run.iterates[DEPTH];
        errors.push(miss.dot(&test.query().row(b)).powi(2));
    }
    Ok(errors)
}

/// The expert with the least loss on these prompts.
pub(super) fn best_single<'a>(experts: &'a [Parameters], adapt: &Batch) -> Result<&'a Parameters, Failure> {
    let mut best = (f64::INFINITY, &experts[0]);
    for expert in experts {
        let loss = score(expert, adapt)?;
        if loss < best.0 {
            best = (loss, expert);
        }
    }
    Ok(best.1)
}

/// Largest relative difference between errors at variance v and, of the same prompts in units of variance one, those of other gates.
fn off_scale(model: &Gated, fresh: &Statistics, v: f64, gate: f64) -> Result<f64, Failure> {
    let back = Statistics::from_parts(fresh.gram() / v, fresh.query() / v.sqrt(), fresh.truth() * v.sqrt())?;
    let there = Batch::new(fresh, Precision::Double)?.losses(&model.merged())?;
    let here = Batch::new(&back, Precision::Double)?.losses(&model.with_gates(&[gate; 3])?.merged())?;
    let off = |(a, b): (&f64, &f64)| (a - b).abs() / (1.0 + a.abs());
    Ok(largest_of(there.iter().zip(&here).map(off)))
}

impl UnseenVariances {
    fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut seen =
            Seen { scores: vec![vec![Scores::default(); MODELS.len()]; UNSEEN.len()], scale: Default::default() };
        for (run, trained) in variances(setting)?.iter().enumerate() {
            let streams = of_run(setting, "unseen run", run)?;
            for k in 0..UNSEEN.len() {
                self.add(&mut seen, setting, &streams, trained, k)?;
            }
        }
        Ok(seen)
    }

    fn add(
        &self,
        seen: &mut Seen,
        setting: &Setting,
        streams: &Streams,
        trained: &Variances,
        k: usize,
    ) -> Result<(), Failure> {
        let (v, law) = (UNSEEN[k], trained.law.scaled(UNSEEN[k])?);
        let prompts = crate::vocabulary::by_scale(self.prompts, tuned(setting));
        let draw = |name: &str, size: usize| -> Result<Statistics, Failure> {
            let mut stream = streams.replicate(name, k)?;
            Ok(Prompts::draw(&law, EXAMPLES, size, &mut stream)?.statistics()?)
        };
        let (tune, fresh) = (draw("tune", prompts)?, draw("test", tested(setting))?);
        let (adapt, test) = (Batch::new(&tune, Precision::Double)?, Batch::new(&fresh, Precision::Double)?);
        let model = Gated::uniform(trained.experts.clone())?;
        let one = Gated::summed(vec![trained.experts[1].clone()])?;
        let gated = |model: &Gated, kind| -> Result<Vec<f64>, Failure> {
            let fit = best_layer_gates(model, &adapt, kind)?;
            errors(&model.with_gates(&fit.gates)?.merged(), &test)
        };
        let list = [
            gated(&model, GateKind::Free)?,
            gated(&model, GateKind::Convex)?,
            errors(best_single(&trained.experts, &adapt)?, &test)?,
            errors(&model.merged(), &test)?,
            errors(&trained.pooled, &test)?,
            errors(&trained.there[k], &test)?,
            gated(&one, GateKind::Free)?,
            fixed_method(&tune, &fresh, &Measure::Query(law.covariance().clone()))?,
            conjugate(&fresh)?.swap_remove(DEPTH),
        ];
        for (scores, errors) in seen.scores[k].iter_mut().zip(&list) {
            scores.push(errors);
        }
        if seen.scores[k][FREE].log_of_mean.len() == 1 {
            for (most, gate) in seen.scale.iter_mut().zip([v / 3.0, 1.0 / (3.0 * v)]) {
                most.see(off_scale(&model, &fresh, v, gate)?);
            }
        }
        Ok(())
    }
}

impl Seen {
    /// Decades by which model `b` is ahead of model `a` at variance `k`.
    fn ahead(&self, label: &str, k: usize, a: usize, b: usize) -> Result<Finding, Failure> {
        ahead(label, 0.0, &self.scores[k][a].log_of_mean, &self.scores[k][b].log_of_mean)
    }

    fn behind(&self, label: &str, k: usize, a: usize) -> Result<Finding, Failure> {
        let there = &self.scores[k][THERE].log_of_mean;
        behind(label, BEHIND, &self.scores[k][a].log_of_mean, there)
    }

    fn figure(&self) -> Result<Figure, Failure> {
        let mut panel = Panel::new("");
        for (colour, m) in [FREE, CONVEX, SINGLE, POOLED, THERE, 7, 8].into_iter().enumerate() {
            let mut points = Vec::new();
            for scores in &self.scores {
                points.push(mean(&scores[m].log_of_mean)?);
            }
            let of = |of: fn(&workbench_ground::stats::Estimate) -> f64| points.iter().map(of).collect::<Vec<f64>>();
            // Side by side, so that none hides another.
            let x = UNSEEN.map(|v| v + 0.05 * (colour as f64 - 3.0));
            panel = panel.error_bars(MODELS[m], &x, &of(|e| e.value), &of(|e| e.low), &of(|e| e.high)).colour(colour);
        }
        let panel = panel.x_label("σ² of the test prompts").y_label("log₁₀ mean squared error").legend_below();
        Ok(Figure::new("Free gates restore what a model trained at that variance reaches")
            .panel(panel)
            .caption(
                "Experts for σ² = 1, 2, 3, gates fitted on prompts of their own. Convex gates reach the models trained there only between \
                 the trained variances. Bars: 99.9 % intervals over runs; points of one variance stand side by side.",
            ))
    }

    fn table(&self, title: &str, of: fn(&Scores) -> &Vec<f64>) -> Result<Table, Failure> {
        let mut list: Vec<(&str, Values)> = vec![("model", MODELS.to_vec().into())];
        for (name, scores) in ["σ² = 0.5", "σ² = 1.5", "σ² = 3.5"].into_iter().zip(&self.scores) {
            let mut values = Vec::new();
            for scores in scores {
                values.push(mean(of(scores))?.value);
            }
            list.push((name, values.into()));
        }
        Ok(Table::new(columns(list)?).title(title).digits(3))
    }
}

impl TypedCheck for UnseenVariances {
    const CLAIM: &'static str = "memformer/fig-8";
    const PLAN: Plan = Plan::new(
        "log10 of the mean squared error on fresh prompts of the unseen variance, paired over runs",
        "a single expert or a pooled model that does as well as gates; gates that stay behind a model trained at that variance",
        &[BEHIND, SAME],
    )
    .protocol(&["three experts for σ² = 1, 2, 3 with four layers; gates fitted on prompts of σ² = 0.5, 1.5, 3.5, tested on others"])
    .departures(&[
        "gates are the best ones by Newton steps, which gates learned by Adam reach (Section 4.2)",
        TRAINING,
        "how many prompts a gate may see is not said: 1000 at quick scale and 2000 at paper scale",
    ])
    .rivals(&[
        "the single expert that is best on the same prompts; the mean of the experts; one model trained on all variances",
        "a model trained at the test variance, as long as an expert",
        "the best fixed scalar method, fitted on the same prompts; conjugate gradients with each prompt's own numbers",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.see(setting)?;
        let cases = |finding: Finding| finding.cases(TRAINED.len() * tested(setting)).unit("prompts");
        let evidence = Evidence::of(seen.behind("σ² = 0.5: free gates minus a model trained there", 0, FREE)?)
            .and(seen.behind("σ² = 1.5: free gates minus a model trained there", 1, FREE)?)
            .and(seen.behind("σ² = 3.5: free gates minus a model trained there", 2, FREE)?)
            .and(seen.ahead("σ² = 0.5: best single expert minus free gates", 0, SINGLE, FREE)?)
            .and(seen.ahead("σ² = 1.5: best single expert minus free gates", 1, SINGLE, FREE)?)
            .and(seen.ahead("σ² = 3.5: best single expert minus free gates", 2, SINGLE, FREE)?)
            .and(seen.ahead("σ² = 0.5: pooled model minus free gates", 0, POOLED, FREE)?)
            .and(seen.ahead("σ² = 1.5: pooled model minus free gates", 1, POOLED, FREE)?)
            .and(seen.ahead("σ² = 3.5: pooled model minus free gates", 2, POOLED, FREE)?)
            .and(cases(Finding::identity(
                "loss at σ² against that of gates times σ² at variance one, same prompts",
                seen.scale[0].0,
                SAME,
            )))
            .twin(seen.behind("σ² = 0.5: convex gates minus a model trained there", 0, CONVEX)?)
            .twin(seen.behind("σ² = 3.5: the mean of experts minus a model trained there", 2, MEAN)?)
            .twin(cases(Finding::identity(
                "gates divided by σ² in place of multiplied: largest relative difference",
                seen.scale[1].0,
                SAME,
            )));
        Ok(Checked::from(evidence)
            .figure(seen.figure()?)
            .table(seen.table("log₁₀ of the mean squared error, mean over runs", |s| &s.log_of_mean)?)
            .table(seen.table("The same as mean of log₁₀ of the squared error", |s| &s.mean_of_logs)?))
    }
}
