//! Figure 8: variances that no expert has seen.
//!
//! **Claim** (`memformer/fig-8`). On inputs of variance 0.5, 1.5 and 3.5 the trainable gate of three experts (variances 1, 2, 3) adapts
//! effectively, and the model generalises robustly outside of the training variances.
//!
//! There is an exact law: with x -> c x and w* -> w* / c the Hessian becomes c^2 H and answers stay, so preconditioners A have on variance
//! v the loss that v A have on variance one. Any gates with sum_h alpha_h / v_h = 1 / v solve the shift; convex gates keep that sum between
//! 1/3 and 1.

use ndarray::Array2;
use workbench_display::{Figure, Panel, Table, Values, columns};
use workbench_ground::stats::{Estimate, Streams, mean, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{
    Batch, GateKind, Gated, Kind, Measure, Parameters, Precision, Prompts, Quadratic, Statistics, best_layer_gates,
    best_stagewise,
};

use super::expert_heads::{UNSEEN, Variances, variances};
use super::independent_runs::{BEHIND, DEPTH, Scores, TRAINING, conjugate, errors, of_run, score, tested, tuned};
use super::task_law::EXAMPLES;
use crate::vocabulary::largest_of;

const SAME: Margin =
    Margin::rounding("same prompts", 1e-9, "products of four matrices in other units, in double precision");

/// Models, in the order of their scores.
const MODELS: [&str; 10] = [
    "free gates",
    "convex gates",
    "best single expert",
    "mean of experts",
    "pooled model",
    "trained at σ²",
    "one expert, free gate",
    "best fixed method",
    "conjugate gradients",
    "pooled model, free gate",
];
const FREE: usize = 0;
const CONVEX: usize = 1;
const SINGLE: usize = 2;
const MEAN: usize = 3;
const POOLED: usize = 4;
const THERE: usize = 5;
const ONE: usize = 6;
const FIXED: usize = 7;
const CONJUGATE: usize = 8;
const POOLED_GATED: usize = 9;

/// Gates of three experts on unseen variances.
pub const CHECK: Check = Check {
    claim: "memformer/fig-8",
    metric: "log10 of the mean squared error on fresh prompts of the unseen variance, paired over runs",
    against: "one expert, or a model trained on all variances, that does as well with a free gate of its own, fitted on the same prompts",
    protocol: &["three experts for σ² = 1, 2, 3 with four layers; gates fitted at σ² = 0.5, 1.5, 3.5"],
    choices: &["a gate sees 1000 prompts at quick scale and 2000 at paper scale; it is tested on others"],
    departures: &["gates are the best ones by Newton steps, which gates learned by Adam reach (Section 4.2)", TRAINING],
    rivals: &[
        "the expert for variance 2, and one model trained on all variances, each with its best free gate on the same prompts",
        "the single expert that is best on the same prompts, which gates contain; the mean of the experts",
        "shown beside: a model trained at the test variance, as long as an expert; the best fixed scalar method, fitted on the same prompts; conjugate gradients with each prompt's own numbers",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let prompts = s.knob("prompts for gates", tuned(s), 10..)?;
    // Of each variance and model.
    let mut scores = vec![vec![Scores::default(); MODELS.len()]; UNSEEN.len()];
    let mut scale = Vec::new();
    for (run, trained) in variances(s)?.iter().enumerate() {
        let streams = of_run(s, "unseen run", run)?;
        for (k, scores) in scores.iter_mut().enumerate() {
            scale.extend(tried(s, scores, &streams, trained, (k, prompts))?);
        }
    }
    // Decades by which model `b` is ahead of model `a` at variance `k`.
    let ahead = |k: usize, a: usize, b: usize| paired_difference(&scores[k][a].log_of_mean, &scores[k][b].log_of_mean);
    let (shown, better) = (s.aside(BEHIND).of("runs"), s.printed(Margin::ZERO).of("runs"));
    // The caption names neither of those beside.
    let (contained, beside) = (s.support(Margin::ZERO).of("runs"), s.aside(Margin::ZERO).of("runs"));
    for (k, v) in UNSEEN.iter().enumerate() {
        shown.at_most(format!("σ² = {v}: free gates minus a model trained there"), ahead(k, FREE, THERE)?);
        better.at_least(format!("σ² = {v}: one expert with a free gate minus three"), ahead(k, ONE, FREE)?);
        better.at_least(
            format!("σ² = {v}: pooled model with a free gate minus free gates"),
            ahead(k, POOLED_GATED, FREE)?,
        );
        contained.at_least(format!("σ² = {v}: best single expert minus free gates"), ahead(k, SINGLE, FREE)?);
        beside.at_least(format!("σ² = {v}: best fixed scalar method minus free gates"), ahead(k, FIXED, FREE)?);
        beside.at_least(format!("σ² = {v}: conjugate gradients minus free gates"), ahead(k, CONJUGATE, FREE)?);
    }
    for (times, over) in s.each("prompts", scale) {
        let label = "loss at σ² against that of gates times σ² at variance one, same prompts";
        s.support(SAME).same(label, times);
        let label = "gates divided by σ² in place of multiplied: largest relative difference";
        s.twin(SAME).largest().same(label, over);
    }
    let label = "σ² = 3.5, gates left at one third: best single expert minus them";
    s.twin(Margin::ZERO).of("runs").at_least(label, ahead(2, SINGLE, MEAN)?);
    shown.at_most("σ² = 0.5: convex gates minus a model trained there", ahead(0, CONVEX, THERE)?);
    s.figure(figure(&scores)?);
    s.table(table("log₁₀ of the mean squared error, mean over runs", &scores, |s| &s.log_of_mean)?);
    s.table(table("The same as mean of log₁₀ of the squared error", &scores, |s| &s.mean_of_logs)?);
    Ok(())
}

/// Tries all models of one run at an unseen variance; of the first run, how far each prompt is off the law of scale, and off its wrong twin.
fn tried(
    s: &Sheet,
    scores: &mut [Scores],
    streams: &Streams,
    trained: &Variances,
    (k, prompts): (usize, usize),
) -> Result<Vec<(f64, f64)>, Failure> {
    let (v, law) = (UNSEEN[k], trained.law.scaled(UNSEEN[k])?);
    let draw = |name: &str, size: usize| -> Result<Statistics, Failure> {
        Ok(Prompts::draw(&law, EXAMPLES, size, &mut streams.replicate(name, k)?)?.statistics()?)
    };
    let (tune, fresh) = (draw("tune", prompts)?, draw("test", tested(s))?);
    let (adapt, test) = (Batch::new(&tune, Precision::Double)?, Batch::new(&fresh, Precision::Double)?);
    let model = Gated::uniform(trained.experts.clone())?;
    let [one, pooled] = [&trained.experts[1], &trained.pooled].map(|model| Gated::summed(vec![model.clone()]));
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
        gated(&one?, GateKind::Free)?,
        fixed_method(&tune, &fresh, &Measure::Query(law.covariance().clone()))?,
        conjugate(&fresh)?.swap_remove(DEPTH),
        gated(&pooled?, GateKind::Free)?,
    ];
    let first = scores[FREE].log_of_mean.is_empty();
    scores.iter_mut().zip(&list).for_each(|(scores, errors)| scores.push(errors));
    if first {
        let [times, over] = [v / 3.0, 1.0 / (3.0 * v)].map(|gate| off_scale(&model, &fresh, v, gate));
        return Ok(times?.into_iter().zip(over?).collect());
    }
    Ok(Vec::new())
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

/// For each prompt the largest relative difference over layers between the loss at variance v and, of the same prompt in units of
/// variance one, that of other gates.
fn off_scale(model: &Gated, fresh: &Statistics, v: f64, gate: f64) -> Result<Vec<f64>, Failure> {
    let back = Statistics::from_parts(fresh.gram() / v, fresh.query() / v.sqrt(), fresh.truth() * v.sqrt())?;
    let there = Batch::new(fresh, Precision::Double)?.losses(&model.merged())?;
    let here = Batch::new(&back, Precision::Double)?.losses(&model.with_gates(&[gate; 3])?.merged())?;
    Ok(relative_changes(&there, &here))
}

/// For each prompt the largest relative change over layers of its loss.
pub(super) fn relative_changes(before: &Array2<f64>, after: &Array2<f64>) -> Vec<f64> {
    let off = |a: f64, b: f64| (a - b).abs() / (1.0 + a.abs());
    let pairs = before.columns().into_iter().zip(after.columns());
    pairs.map(|(before, after)| largest_of(before.iter().zip(after).map(|(a, b)| off(*a, *b)))).collect()
}

fn figure(all: &[Vec<Scores>]) -> Result<Figure, Failure> {
    let mut panel = Panel::new("");
    for (colour, m) in [FREE, CONVEX, SINGLE, POOLED, THERE, FIXED, CONJUGATE].into_iter().enumerate() {
        let points = all.iter().map(|scores| Ok(mean(&scores[m].log_of_mean)?)).collect::<Result<Vec<_>, Failure>>()?;
        let of = |of: fn(&Estimate) -> f64| points.iter().map(of).collect::<Vec<f64>>();
        // Side by side, so that none hides another.
        let x = UNSEEN.map(|v| v + 0.05 * (colour as f64 - 3.0));
        panel = panel.error_bars(MODELS[m], &x, &of(|e| e.value), &of(|e| e.low), &of(|e| e.high)).colour(colour);
    }
    let panel = panel.x_label("σ² of the test prompts").y_label("log₁₀ mean squared error").legend_below();
    Ok(Figure::new("Free gates restore what a model trained at that variance reaches").panel(panel).caption(
        "Experts for σ² = 1, 2, 3, gates fitted on prompts of their own. Convex gates reach the models trained there only between \
         the trained variances. Bars: 99.9 % intervals over runs; points of one variance stand side by side.",
    ))
}

fn table(title: &str, all: &[Vec<Scores>], of: fn(&Scores) -> &Vec<f64>) -> Result<Table, Failure> {
    let mut list: Vec<(&str, Values)> = vec![("model", MODELS.to_vec().into())];
    for (name, scores) in ["σ² = 0.5", "σ² = 1.5", "σ² = 3.5"].into_iter().zip(all) {
        let values = scores.iter().map(|scores| Ok(mean(of(scores))?.value)).collect::<Result<Vec<_>, Failure>>()?;
        list.push((name, values.into()));
    }
    Ok(Table::new(columns(list)?).title(title).digits(3))
}
