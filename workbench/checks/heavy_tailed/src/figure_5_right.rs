//! Figure 5, right: Adam and layer norm with large batches.
//!
//! **Claim** (`heavy-tailed/fig-5-right`). With large batches Adam (beta_1 = beta_2 = 0, the sign of the gradient), by renormalising the
//! variance of updates, helps to optimise the model without large learning rates. Layer norm, which rescales W e_x, does even better than
//! Adam alone.
//!
//! Batches of 1000, rates scaled as in Appendix C.1: gamma for descent, gamma/d for the sign. *Without large rates* is asked at equal base
//! rates 0.1 and 1, and with a sign at 1 against a descent at 10. Layer norm is taken centred, as libraries have it, and as the text's
//! rescaling alone; since a rate far below the best one handicaps the sign, both are also compared each at the best of four rates, on draws
//! that did not choose them, and the sign with layer norm at ten times the largest of them as well. Layer norm may also be read as layer
//! norm with plain descent, which the figure has, too. Refuted by a descent that is ahead of the sign, or a sign that is ahead of layer
//! norm.

use ndarray::{Array1, Array2, Axis};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, normal_array2};
use workbench_ledger::{Check, Done, Failure, Margin, Says, Sheet};
use workbench_memory::{
    BatchSize, DescentRule, Embeddings, LayerNorm, Method, Reduction, Schedule, Target, TrainingRun, TrainingRuns,
    TrainingTask, Zipf,
};

use super::hyperparameter_sweeps::{of_inputs, study};

const SLOPE: Margin = Margin::rounding(
    "slope of the loss",
    1e-8,
    "fourth-order differences with steps of 1e-4 lose eight digits of sixteen",
);

/// Descent and sign, without and with layer norm.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/fig-5-right",
    metric: "generalization error, sign minus descent and sign with layer norm minus sign, the same batches in both",
    against: "a descent ahead of the sign at a rate up to one; a sign ahead of the sign with layer norm",
    protocol: &[
        "N = 100, M = 5, alpha = 2, f_*(x) = x mod M; parameters and rates as in Appendix C.1; Adam with beta_1 = beta_2 = 0",
    ],
    choices: &[
        "batches of 1000 as in Figures 11 and 13, 100 steps and at one place 1000; base rates 0.1, 1, 10, 100; d from N/10 to N/2",
    ],
    departures: &[
        "more than ten runs, because ten do not decide the order",
        "the mean over a batch and not the sum of Eq. 44, so that no rate grows with the batch: the sum is the same descent at a thousand times the rate, and leaves the sign as it is",
    ],
    rivals: &[
        "Adam alone and with layer norm and descent with layer norm, each at the best of the four rates in every dimension, compared on other draws; Adam with layer norm at a rate of 1000 as well",
    ],
    run,
    ..Check::DEFAULT
};

/// Base rates, and one beyond.
const RATES: [f64; 4] = [0.1, 1.0, 10.0, 100.0];
const BEYOND: f64 = 1000.0;
const DIMS: [usize; 3] = [10, 20, 50];
/// Samples of a batch, and steps.
const BATCH: usize = 1000;
const STEPS: usize = 100;
/// The four methods at one rate.
const SGD: &str = "SGD";
const SGD_NORM: &str = "SGD + layer norm";
const ADAM: &str = "Adam";
const ADAM_NORM: &str = "Adam + layer norm";

fn run(s: &Sheet) -> Done {
    s.condition(
        "layer norm is ahead of Adam alone at 0.1 for d from N/10 to N/2 and at 1 for d = N/2, within a hundred steps; each at its best and for d up to N/2, Adam alone is ahead of Adam with layer norm and of descent with it, of the first at d = N/2 by less than a thousandth",
    );
    let mut methods = Vec::new();
    for rate in RATES {
        for rule in [DescentRule::Sgd, DescentRule::Sign] {
            methods.extend([method(rule, rate, None)?, method(rule, rate, Some(LayerNorm::standard()))?]);
        }
    }
    let runs = study(methods, &DIMS, s.scale().pick(16, 60))?.run(s.streams(), "Fig. 5 right")?;
    let chosen = DIMS.iter().map(|d| each_at_its_best(s, &runs, *d)).collect::<Result<Vec<_>, _>>()?;
    s.note(format!(
        "best rates of Adam with layer norm, of Adam alone, and of SGD with layer norm: {}",
        chosen.join("; ")
    ));
    let (printed, changed) = (s.printed(Margin::ZERO).of("runs"), s.changed(Margin::ZERO).of("runs"));
    for d in [10, 50] {
        compare(printed, &runs, (ADAM_NORM, 1.0), (ADAM, 1.0), d)?;
    }
    compare(changed, &runs, (ADAM_NORM, 1.0), (ADAM, 1.0), 50)?;
    for d in DIMS {
        compare(changed, &runs, (ADAM_NORM, 0.1), (ADAM, 0.1), d)?;
    }
    // The half on Adam needs no condition.
    let both = s.both_forms(Margin::ZERO).of("runs");
    for d in [10, 50] {
        compare(both, &runs, (ADAM, 0.1), (SGD, 0.1), d)?;
        compare(both, &runs, (ADAM, 1.0), (SGD, 1.0), d)?;
        compare(both, &runs, (ADAM, 1.0), (SGD, 10.0), d)?;
    }
    compare(changed, &runs, (SGD_NORM, 0.1), (SGD, 0.1), 10)?;
    readings(s)?;
    gradients(s)?;
    s.figure(figure(&runs)?);
    Ok(())
}

/// The name of a method at a rate.
fn at_rate(method: &str, rate: f64) -> String {
    format!("{method}, γ = {rate}")
}

fn method(rule: DescentRule, rate: f64, norm: Option<LayerNorm>) -> Result<Method, Failure> {
    let name = match (rule, norm) {
        (DescentRule::Sgd, None) => SGD,
        (DescentRule::Sgd, Some(_)) => SGD_NORM,
        (_, None) => ADAM,
        (_, Some(_)) => ADAM_NORM,
    };
    let method = Method::new(rule, Schedule::constant(rate)?)
        .label(&at_rate(name, rate))
        .batch(BatchSize::Samples(BATCH))
        .reduction(Reduction::Mean)
        .steps(STEPS)
        .without_moments();
    Ok(match norm {
        Some(norm) => method.layer_norm(norm),
        None => method,
    })
}

/// Error of method `a` at its rate minus that of `b` at its rate.
fn compare(says: Says, runs: &TrainingRuns, (a, of_a): (&str, f64), (b, of_b): (&str, f64), d: usize) -> Done {
    let label = match of_a == of_b {
        true => format!("{}, γ = {of_a}: {a} minus {b}", of_inputs(d)),
        false => format!("{}: {a} at γ = {of_a} minus {b} at γ = {of_b}", of_inputs(d)),
    };
    says.at_most(label, runs.difference(&at_rate(a, of_a), &at_rate(b, of_b), d)?);
    Ok(())
}

/// Against the sign alone, each at its best rate in this dimension, on fresh draws: the sign with layer norm, descent with it, and the
/// sign with it beyond the grid. Gives the best rates.
fn each_at_its_best(s: &Sheet, runs: &TrainingRuns, d: usize) -> Result<String, Failure> {
    let best = |method: &str| -> Result<usize, Failure> {
        let error = |rate: &f64| Ok(runs.mean(&at_rate(method, *rate), d)?.value);
        let errors = RATES.iter().map(error).collect::<Result<Vec<f64>, Failure>>()?;
        Ok((0..RATES.len()).min_by(|a, b| errors[*a].total_cmp(&errors[*b])).unwrap_or_default())
    };
    let places = [best(ADAM_NORM)?, best(ADAM)?, best(SGD_NORM)?];
    let [norm, alone, descent] = places.map(|place| RATES[place]);
    let normed = |rule: DescentRule, rate: f64| method(rule, rate, Some(LayerNorm::standard()));
    let methods = vec![
        normed(DescentRule::Sign, norm)?,
        method(DescentRule::Sign, alone, None)?,
        normed(DescentRule::Sgd, descent)?,
        normed(DescentRule::Sign, BEYOND)?,
    ];
    let found = study(methods, &[d], s.scale().pick(60, 200))?;
    let found = found.run(s.streams(), &format!("each at its best, d = {d}"))?;
    let compare = |label: String, method: &str, rate: f64| -> Done {
        let difference = found.difference(&at_rate(method, rate), &at_rate(ADAM, alone), d)?;
        s.printed(Margin::ZERO).of("runs").at_most(label, difference);
        Ok(())
    };
    let at_best = format!("{}, each at the best of four rates", of_inputs(d));
    compare(format!("{at_best}: Adam + layer norm minus Adam"), ADAM_NORM, norm)?;
    compare(format!("{at_best}: SGD + layer norm minus Adam"), SGD_NORM, descent)?;
    let label = format!("{}: Adam + layer norm at γ = {BEYOND} minus Adam at the best of four rates", of_inputs(d));
    compare(label, ADAM_NORM, BEYOND)?;
    let told = |place: usize| match place {
        0 | 3 => format!("{} (end of the grid)", RATES[place]),
        _ => RATES[place].to_string(),
    };
    Ok(format!("{} at {}", places.map(told).join(", "), of_inputs(d)))
}

/// The rescaling alone, ten times the steps, and an Adam that is no sign.
fn readings(s: &Sheet) -> Done {
    let norm = |norm: LayerNorm, rate: f64| method(DescentRule::Sign, rate, Some(norm));
    let sign = |rate: f64| method(DescentRule::Sign, rate, None);
    let minus = |a: Method, b: Method, d: usize, stream: &str| -> Result<Estimate, Failure> {
        let (of_a, of_b) = (a.label_text().to_string(), b.label_text().to_string());
        let runs = study(vec![a, b], &[d], s.scale().pick(20, 60))?.run(s.streams(), stream)?;
        Ok(runs.difference(&of_a, &of_b, d)?)
    };
    let printed = s.printed(Margin::ZERO).of("runs");
    let rescaled = minus(norm(LayerNorm::rescaling(), 1.0)?, sign(1.0)?, 10, "rescaling alone")?;
    printed.at_most("d = N/10, γ = 1: Adam with rescaling and no centring minus Adam", rescaled);
    let (long, long_sign) = (norm(LayerNorm::standard(), 0.1)?.steps(10 * STEPS), sign(0.1)?.steps(10 * STEPS));
    let longer = minus(long, long_sign, 10, "a thousand steps")?;
    printed.at_most("d = N/10, γ = 0.1, 1000 steps: Adam with layer norm minus Adam", longer);
    let smoothed = method(DescentRule::Adam { beta1: 0.0, beta2: 0.0, epsilon: 1.0 }, 0.1, None)?;
    let smoothed = minus(smoothed, method(DescentRule::Sgd, 0.1, None)?, 50, "Adam with a large epsilon")?;
    let label = "Adam with ε = 1, far above the entries, d = N/2, γ = 0.1: minus SGD";
    s.twin(Margin::ZERO).of("runs").at_most(label, smoothed);
    Ok(())
}

/// Minus the gradient of the mean loss when h = W e_x is normalised, without what the norm itself gives: its size is taken for a constant.
fn size_held_constant(task: &TrainingTask, w: &Array2<f64>, norm: LayerNorm) -> Array2<f64> {
    let e = task.embeddings();
    let mut gradient = Array2::zeros(w.dim());
    for (x, input) in e.inputs.outer_iter().enumerate() {
        let mut h = w.dot(&input);
        if norm.centred {
            h -= h.sum() / h.len() as f64;
        }
        let size = (h.dot(&h) / h.len() as f64 + norm.epsilon).sqrt();
        let scores = e.outputs.dot(&h) * (norm.gain / size);
        let total: f64 = scores.iter().map(|s| s.exp()).sum();
        let missing = Array1::from_shape_fn(scores.len(), |y| {
            f64::from(u8::from(task.labels()[x] == y)) - scores[y].exp() / total
        });
        let back = e.outputs.t().dot(&missing) * (task.probabilities()[x] * norm.gain / size);
        gradient += &back.insert_axis(Axis(1)).dot(&input.insert_axis(Axis(0)));
    }
    gradient
}

/// Gradients against differences of the loss along random directions: of the crate, and with the size held constant.
fn gradients(s: &Sheet) -> Done {
    let (law, target, stream) = (Zipf::new(2.0, 30)?, Target::modulo(5)?, &mut s.stream("layer norm gradient")?);
    let embeddings = Embeddings::spherical(30, 5, 8, stream)?;
    let task = TrainingTask::new(embeddings, &target.labels(30), &law.probabilities(30))?;
    for norm in [LayerNorm::standard(), LayerNorm::rescaling()] {
        let w = normal_array2(stream, 8, 8);
        let method = Method::sgd(1.0)?.batch(BatchSize::Population).layer_norm(norm);
        let mut run = TrainingRun::new(&task.starting_at(w.clone())?, &method)?;
        run.population_step()?;
        let downhill = run.weights() - &w;
        let constant = size_held_constant(&task, &w, norm);
        for _ in s.each("directions", 0..20) {
            let v = normal_array2(stream, 8, 8);
            let loss = |h: f64| -> Result<f64, Failure> {
                Ok(TrainingRun::new(&task.starting_at(&w + &(h * &v))?, &method)?.loss()?)
            };
            let h = 1e-4;
            let slope = (8.0 * (loss(h)? - loss(-h)?) - (loss(2.0 * h)? - loss(-2.0 * h)?)) / (12.0 * h);
            let label = "gradient with layer norm minus differences of the loss";
            s.support(SLOPE).same(label, (slope + (&downhill * &v).sum()).abs());
            let label = "size of W e_x held constant: gradient minus differences of the loss";
            s.twin(SLOPE).largest().same(label, (slope + (&constant * &v).sum()).abs());
        }
    }
    Ok(())
}

fn figure(runs: &TrainingRuns) -> Result<Figure, Failure> {
    let mut figure = Figure::new("Error with large batches, by rule and layer norm").columns(4);
    for rate in RATES {
        let panel = Panel::new(&format!("base rate γ = {rate}")).x_label("d").y_label("error").log_x().log_y();
        let mut panel = panel.y_limits(1e-3, 0.3);
        for (i, name) in [SGD, SGD_NORM, ADAM, ADAM_NORM].into_iter().enumerate() {
            let curve = runs.over_dims(&at_rate(name, rate))?;
            panel = panel.line(name, curve.x(), &curve.means()).colour(i);
        }
        figure = figure.panel(panel.legend_below());
    }
    let caption = "Batches of 1000, 100 steps, means over runs. Adam is the sign of the gradient at rate γ/d.";
    Ok(figure.size(1200, 440).caption(caption))
}
