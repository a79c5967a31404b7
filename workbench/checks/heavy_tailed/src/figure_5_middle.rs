//! Figure 5, middle: the effect of the batch size.
//!
//! **Claim** (`heavy-tailed/fig-5-middle`). Splitting the descent into many steps with small batches and large steps is better, even for
//! d < N; gamma is scaled so that the variance of the gradient updates does not depend on the batch size.
//!
//! The variance of gamma_b times the sum over b samples is gamma_b^2 b V, so gamma_b = gamma / sqrt(b). That is measured at one state of a
//! descent, as a footing. Then b = 1, 10, 100, 1000 share the same samples at gamma = 0.1, 1 and 10. That a step of ten is too large for
//! d = N/10 and N/5, so that single samples, which get all of it, do worse there than tens, which get a third, is charged with
//! `heavy-tailed/fig-5-left`.
//! Refuted by a thousand samples at once that end with the lower error, or by another pair at steps up to one.

use ndarray::Array2;
use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memory::{BatchSize, Embeddings, Method, TrainingRun, TrainingRuns, TrainingTask};

use super::hyperparameter_sweeps::{DIMS, INPUTS, SAMPLES, banded, figure_5, labels_one_off, of_inputs, study};

const VARIANCE: Margin = Margin::statistical(
    "same variance",
    0.15,
    "the interval of four thousand updates at batch one is nearly as wide; with gamma or gamma/b, the next scalings anybody would take, it is off by factors of 10 and more",
);

/// Descents with batches of several sizes on the same samples.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/fig-5-middle",
    metric: "generalization error, smaller batch minus larger, the same samples in both; variance of an update over gamma^2 V",
    against: "a batch of all samples that has the lower error; another pair of sizes, at steps up to one, of which the larger has",
    protocol: &[
        "N = 100, M = 5, alpha = 2, f_*(x) = x mod M; parameters and rates as in Appendix C.1; a batch is a sum, Eq. 44, and the variance of an update does not depend on b",
    ],
    choices: &[
        "for such a variance gamma_b = gamma/sqrt(b)",
        "1000 samples as in Figure 10, and 10000 at one place; b up to the 1000 of Figures 11 and 13; gamma of Figures 3, 6 and 7; d from N/10 to 2N",
    ],
    departures: &["more than the ten runs of the caption, because ten do not decide the order"],
    run,
    ..Check::DEFAULT
};

/// Step sizes at batch one.
const BASES: [f64; 3] = [0.1, 1.0, 10.0];
const SIZES: [usize; 4] = [1, 10, 100, 1000];

/// The name of descent with step gamma / sqrt(b) and batch b.
fn name(base: f64, size: usize) -> String {
    format!("γ = {base}/√b, b = {size}")
}

/// Descent with step gamma / sqrt(b) and batch b.
fn scaled(base: f64, size: usize, samples: usize) -> Result<Method, Failure> {
    let method = Method::sgd(base / (size as f64).sqrt())?.batch(BatchSize::Samples(size));
    Ok(method.steps(samples / size).without_moments().label(&name(base, size)))
}

fn run(s: &Sheet) -> Done {
    s.see("heavy-tailed/fig-5-left");
    let (printed, aside) = (s.printed(Margin::ZERO).of("runs"), s.aside(Margin::ZERO).of("runs"));
    let some = s.knob("runs", s.scale().pick(100, 200), 2..)?;
    let in_narrow = |base: f64, sizes: &[usize], samples: usize, runs: usize, stream: &str| {
        let methods = sizes.iter().map(|size| scaled(base, *size, samples)).collect::<Result<_, _>>()?;
        Ok::<_, Failure>(study(methods, &DIMS[..1], runs)?.keep_tables().run(s.streams(), stream)?)
    };
    let [by_one, by_ten, by_hundred, by_thousand] = SIZES.map(|size| name(10.0, size));

    // The largest step in the smallest dimension, where errors scatter.
    let many = s.scale().pick(1000, 2000);
    let crowded = in_narrow(10.0, &[1, 10, 1000], SAMPLES, many, "batches at γ = 10, d = N/10")?;
    printed.at_most("γ = 10/√b, d = N/10: b = 1 minus b = 1000", crowded.difference(&by_one, &by_thousand, 10)?);
    printed.at_most("γ = 10/√b, d = N/10: b = 10 minus b = 1000", crowded.difference(&by_ten, &by_thousand, 10)?);
    aside.at_most("γ = 10/√b, d = N/10: b = 1 minus b = 10", crowded.difference(&by_one, &by_ten, 10)?);
    let label = "inputs counted from zero, γ = 10/√b, d = N/10: b = 1 minus b = 1000";
    s.twin(Margin::ZERO).of("runs").at_most(label, labels_one_off(&crowded, [&by_one, &by_thousand])?);
    let longer = in_narrow(1.0, &[1, 1000], 10 * SAMPLES, some, "batches, ten thousand samples")?;
    let label = "γ = 1/√b, d = N/10, 10000 samples: b = 1 minus b = 1000";
    printed.at_most(label, longer.difference(&name(1.0, 1), &name(1.0, 1000), 10)?);

    let all = BASES.iter().flat_map(|base| SIZES.map(|size| scaled(*base, size, SAMPLES)));
    let runs = study(all.collect::<Result<_, _>>()?, &DIMS, some)?.run(s.streams(), "Fig. 5 middle")?;
    let wider = |d: usize, size: usize| format!("γ = 10/√b, {}: b = 1 minus b = {size}", of_inputs(d));
    aside.at_most(wider(20, 10), runs.difference(&by_one, &by_ten, 20)?);
    printed.at_most(wider(200, 100), runs.difference(&by_one, &by_hundred, 200)?);
    for base in [1.0, 0.1] {
        let label =
            format!("γ = {base}/√b: a batch minus ten times the batch, nearest to zero of 15 in five dimensions");
        printed.at_most(label, nearest_to_zero(&runs, base, &[[1, 10], [10, 100], [100, 1000]])?);
    }
    let label = "γ = 10/√b: b = 1 minus b = 1000, nearest to zero of five dimensions";
    printed.at_most(label, nearest_to_zero(&runs, 10.0, &[[1, 1000]])?);

    for (size, rate) in [(1, 1.0), (10, 1.0 / 10f64.sqrt()), (100, 0.1)] {
        let label = format!("variance of an update over γ²V, b = {size}");
        s.support(VARIANCE).of("updates").equals(label, 1.0, variance(s, size, rate)?);
    }
    let label = "γ_b = γ/b: variance of an update over γ²V, b = 100";
    s.twin(VARIANCE).of("updates").equals(label, 1.0, variance(s, 100, 0.01)?);
    s.table(table(&runs)?);
    s.figure(figure(&runs)?);
    Ok(())
}

/// Smaller batch minus larger, which is to be negative: of these pairs and all dimensions the one whose interval reaches highest.
fn nearest_to_zero(runs: &TrainingRuns, base: f64, pairs: &[[usize; 2]]) -> Result<Estimate, Failure> {
    let all = DIMS
        .iter()
        .flat_map(|d| pairs.iter().map(|[small, large]| runs.difference(&name(base, *small), &name(base, *large), *d)));
    let worst = all.collect::<Result<Vec<_>, _>>()?.into_iter().max_by(|a, b| a.high.total_cmp(&b.high));
    worst.ok_or_else(|| "no comparison".into())
}

/// Square of the distance of updates from their mean over `gamma^2 V`, after twenty steps on the population gradient.
fn variance(setting: &Setting, size: usize, rate: f64) -> Result<Estimate, Failure> {
    let (law, target) = figure_5()?;
    let mut stream = setting.stream(&format!("variance of updates, b = {size}, rate {rate:e}"))?;
    let embeddings = Embeddings::spherical(INPUTS, 5, 20, &mut setting.streams().restart("variance of updates")?)?;
    let task = TrainingTask::new(embeddings, &target.labels(INPUTS), &law.probabilities(INPUTS))?;
    let method = Method::sgd(rate)?.batch(BatchSize::Samples(size));
    let mut before = TrainingRun::new(&task, &Method::sgd(1.0)?)?;
    for _ in 0..20 {
        before.population_step()?;
    }
    let variance = before.gradient_moments()?.variance;
    let start = TrainingRun::new(&task.starting_at(before.weights())?, &method)?;
    let origin = start.weights();
    let mut updates = Vec::new();
    for _ in 0..setting.scale().pick(4000, 20_000) {
        let mut run = start.clone();
        run.advance(1, &mut stream)?;
        updates.push(run.weights() - &origin);
    }
    let sum = updates.iter().fold(Array2::<f64>::zeros(origin.dim()), |sum, u| sum + u);
    let centre = sum / updates.len() as f64;
    let square = |u: &Array2<f64>| (u - &centre).mapv(|d: f64| d * d).sum() / variance;
    Ok(mean(&updates.iter().map(square).collect::<Vec<f64>>())?)
}

fn table(runs: &TrainingRuns) -> Result<Table, Failure> {
    let rows: Vec<(f64, usize)> = BASES.iter().flat_map(|base| DIMS.map(|d| (*base, d))).collect();
    let rates: Vec<String> = rows.iter().map(|(base, _)| format!("{base}/√b")).collect();
    let dims: Vec<i64> = rows.iter().map(|(_, d)| *d as i64).collect();
    let mut list = vec![("γ_b", rates.into()), ("d", dims.into())];
    for (title, size) in ["b = 1", "b = 10", "b = 100", "b = 1000"].into_iter().zip(SIZES) {
        let errors = rows.iter().map(|(base, d)| Ok(runs.mean(&name(*base, size), *d)?.value));
        list.push((title, errors.collect::<Result<Vec<f64>, Failure>>()?.into()));
    }
    Ok(Table::new(columns(list)?)
        .title(&format!("Mean error after {SAMPLES} samples, N = {INPUTS}"))
        .caption("The same samples in batches of b, with steps of equal variance.")
        .rows(15)
        .digits(2))
}

fn figure(runs: &TrainingRuns) -> Result<Figure, Failure> {
    let mut figure = Figure::new("Smaller batches are better, but for large steps in few dimensions").columns(3);
    for base in BASES {
        let mut panel =
            Panel::new(&format!("γ = {base}/√b")).x_label("d").y_label("error").log_x().log_y().y_limits(1e-2, 0.3);
        for (i, size) in SIZES.into_iter().enumerate() {
            panel = banded(panel, &format!("b = {size}"), &runs.over_dims(&name(base, size))?, i)?;
        }
        figure = figure.panel(panel.legend_below());
    }
    Ok(figure
        .size(1080, 440)
        .caption("Columns: the step size at batch one. Bands are 99.9 % intervals of the mean over runs."))
}
