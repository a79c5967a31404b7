//! Section 3, Effect of key hyperparameters: small batches.
//!
//! **Claim** (`heavy-tailed/small-batches`). In a batch an input counts in proportion to its frequency p(x); taken by itself, a new input is
//! stored as if q_gamma(x) = 1 (Figure 4). Hence small batches should do better.
//!
//! The same thousand samples at rate 10 from W = 0, one by one and as one batch. The coefficient q(x) of u_{f_*(x)} e_x^T in W is read off.
//! For one batch it is gamma (1 - 1/M) times the count, exactly, with counts taken from the data and not from the memory. Refuted by
//! weights that are not even one by one, a batch that does not count, or a lower error of the batch.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, mean, paired_difference, power_fit};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memory::{BatchSize, Embeddings, Method, Parametrization, TrainingRuns, TrainingTask};

use super::descent_visits::UNIT_INPUTS;
use super::hyperparameter_sweeps::{INPUTS, SAMPLES, figure_5, of_inputs, study};
use super::population_gradient::counts;
use super::rescaled_descents::EVEN;

const WHOLE: Margin =
    Margin::rounding("whole count", 1e-9, "counts of up to a thousand in double precision, with four digits to spare");
const AS_ONE: Margin = Margin::ours(
    "stored as one",
    0.5,
    "the most frequent input comes 600 times as often; within half of one is as if each had been set once",
);

/// One thousand samples, one by one and at once.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/small-batches",
    metric: "exponent of the coefficients q(x) in the counts of x, for d = 10N; error one by one minus error of one batch",
    against: "an exponent far from zero one by one or from one in a batch; a lower error of the batch",
    protocol: &["alpha = 2, rate 10 and q = 0 at the start, as in Figure 4"],
    choices: &[
        "N = 100, M = 5 and p(x) in proportion to x^-2, as in Figure 5; a thousand samples; d = N/10, N/2 and 10N",
    ],
    departures: &[UNIT_INPUTS],
    run,
    ..Check::DEFAULT
};

/// The large step size.
const RATE: f64 = 10.0;
/// Dimensions; coefficients are read in the last.
const DIMS: [usize; 3] = [10, 50, 1000];
/// Name of the streams.
const STREAMS: &str = "small batches";
/// The methods; the last one is a wrong twin.
const ONE_BY_ONE: &str = "one by one";
const AT_ONCE: &str = "at once";
const TINY_STEPS: &str = "one by one, tiny steps";

fn run(s: &Sheet) -> Done {
    let descents = descents(s, s.knob("runs", s.scale().pick(100, 200), 2..)?)?;
    let of_data = counts_of_data(s, descents.n_runs())?;
    let exponent = |method: &str| -> Result<Estimate, Failure> {
        let of_run = |(run, counts): (usize, &Vec<f64>)| -> Result<f64, Failure> {
            let q = coefficients(&descents, method, run)?;
            let (n, q): (Vec<f64>, Vec<f64>) = counts.iter().zip(&q).filter(|(n, _)| **n > 0.5).unzip();
            Ok(power_fit(&n, &q, (0.5, 2000.0))?.slope.value)
        };
        Ok(mean(&of_data.iter().enumerate().map(of_run).collect::<Result<Vec<f64>, _>>()?)?)
    };
    let label = "one by one: exponent of the coefficients in the counts";
    s.printed(EVEN).of("runs").equals(label, 0.0, exponent(ONE_BY_ONE)?);
    let label = "steps of a ten-thousandth, one by one: exponent in the counts";
    s.twin(EVEN).of("runs").equals(label, 0.0, exponent(TINY_STEPS)?);
    let label = "one batch: exponent of the coefficients in the counts";
    s.aside(WHOLE).of("runs").equals(label, 1.0, exponent(AT_ONCE)?);

    let (whole, twin, mut once) = (s.printed(WHOLE), s.twin(WHOLE).largest(), [Vec::new(), Vec::new()]);
    for (run, counts) in of_data.iter().enumerate() {
        let (batch, single) = (coefficients(&descents, AT_ONCE, run)?, coefficients(&descents, ONE_BY_ONE, run)?);
        for (x, q) in s.each("coefficients", batch.iter().enumerate()) {
            let (unit, next) = (RATE * 0.8, counts[(x + 1) % INPUTS]);
            whole.same("one batch: distance of q/(γ(1 − 1/M)) from the count", (q / unit - counts[x]).abs());
            twin.same("one batch: distance from the count of the next input", (q / unit - next).abs());
            twin.same("without the factor 1 − 1/M: distance of q/γ from a count", (q / RATE - counts[x]).abs());
        }
        let seen_once: Vec<usize> = (0..INPUTS).filter(|x| counts[*x] == 1.0).collect();
        if !seen_once.is_empty() {
            let over_first = |q: &[f64]| seen_once.iter().map(|x| q[*x]).sum::<f64>() / seen_once.len() as f64 / q[0];
            once[0].push(over_first(&single));
            once[1].push(over_first(&batch));
        }
    }
    let [single, batch] = once;
    let label = "inputs seen once over the most frequent input: one by one minus one batch";
    s.printed(Margin::ZERO).of("runs").at_least(label, paired_difference(&single, &batch)?);
    s.aside(AS_ONE).of("runs").equals("one by one: inputs seen once over the most frequent input", 1.0, mean(&single)?);
    for d in DIMS {
        let label = format!("{}: error one by one minus one batch", of_inputs(d));
        s.printed(Margin::ZERO).of("runs").at_most(label, descents.difference(ONE_BY_ONE, AT_ONCE, d)?);
    }
    s.figure(figure(&descents)?);
    Ok(())
}

fn descents(setting: &Setting, runs: usize) -> Result<TrainingRuns, Failure> {
    let one_by_one = |rate: f64, label: &str| Ok::<_, Failure>(Method::sgd(rate)?.steps(SAMPLES).label(label));
    let at_once = Method::sgd(RATE)?.batch(BatchSize::Samples(SAMPLES)).steps(1).label(AT_ONCE);
    let methods = vec![one_by_one(RATE, ONE_BY_ONE)?, at_once, one_by_one(RATE / 1e4, TINY_STEPS)?];
    let study = study(methods, &DIMS, runs)?.parametrization(Parametrization::Unit).keep_tables();
    Ok(study.run(setting.streams(), STREAMS)?)
}

/// Coefficients of the right pairs in the last dimension.
fn coefficients(descents: &TrainingRuns, method: &str, run: usize) -> Result<Vec<f64>, Failure> {
    let c = descents.coefficients(method, DIMS[2], run, 0)?;
    Ok((0..INPUTS).map(|x| c[[x, (x + 1) % 5]]).collect())
}

/// How often each input occurs in the data of each run.
fn counts_of_data(setting: &Setting, runs: usize) -> Result<Vec<Vec<f64>>, Failure> {
    let (law, target) = figure_5()?;
    let any = Embeddings::draw(INPUTS, 5, 2, &mut setting.stream("small batches, any embeddings")?)?;
    let task = TrainingTask::new(any, &target.labels(INPUTS), &law.probabilities(INPUTS))?;
    let data = |run: usize| setting.streams().restart_replicate(&format!("{STREAMS}: data"), run);
    (0..runs).map(|run| Ok(counts(&task, SAMPLES, &data(run)?))).collect()
}

fn figure(descents: &TrainingRuns) -> Result<Figure, Failure> {
    let (batch, single) = (coefficients(descents, AT_ONCE, 0)?, coefficients(descents, ONE_BY_ONE, 0)?);
    let seen: Vec<usize> = (0..INPUTS).filter(|x| batch[*x] > 0.5).collect();
    let of = |q: &[f64]| seen.iter().map(|x| q[*x]).collect::<Vec<f64>>();
    let ranks: Vec<f64> = seen.iter().map(|x| *x as f64 + 1.0).collect();
    let panel = Panel::new("").x_label("rank x of the input").y_label("coefficient q(x)").log_x().log_y();
    let panel =
        panel.points("one by one", &ranks, &of(&single)).points("one batch", &ranks, &of(&batch)).legend_below();
    Ok(Figure::new("One by one all inputs weigh alike, in one batch as often as they come")
        .panel(panel)
        .caption("Inputs seen in the first run, d = 10N, γ = 10. In one batch the coefficient is the count; one by one all inputs that were seen have about the same."))
}
