//! Figure 6: what a single step does to the matrix of scores.
//!
//! **Claims**, N = 10, M = 5, alpha = 1.5, d = 5, batch one. `heavy-tailed/fig-6-left`: a step with gamma = 10 that meets an association not
//! yet stored stores it, at the risk of erasing others, similarly to q_0; the optimal W shows two diagonal strips.
//! `heavy-tailed/fig-6-right`: with gamma = 0.1 the step does not store rare memories, similarly to q_rho with large rho.
//!
//! One hit of each run is taken, the first from step 20 on. The first is refuted by a big step that stores no oftener than a small one, or
//! never erases, the second by a small one that stores rare associations no less often than a big one. *Similarly to q_rho* is asked of the
//! exponent of the coefficients after a hundred steps, of one rate less that of the other. Inputs are of norm one; beside them stand those of
//! Eq. 1. With these a big step moves the scores so far that many an input is right before its first visit, which then adds next to
//! nothing; the statement is about what hits store, so the exponent is that of what they wrote.

use ndarray::{Array1, Array2};
use workbench_display::{Figure, Film, Panel};
use workbench_ground::stats::{Estimate, Streams, difference, mean, paired_difference, power_fit};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memory::{
    BatchSize, Embeddings, Method, Parametrization, TrainingRun, TrainingRuns, TrainingStudy, TrainingTask, Visit,
    Visits, Zipf,
};

use super::descent_visits::{
    BIG, BOTH_INPUTS, Filmed, INPUTS, MOSTLY, SMALL, figure_6, film, late_hits, oftener, stored, study, visits,
    with_pairs,
};
use super::hyperparameter_sweeps::answers;
use super::learned_embeddings::apart;
use crate::vocabulary::ROUNDING;

const HALFWAY: Margin =
    Margin::ours("nearer to one end", 0.5, "half of what tells q_1, exponent one, from q_0, exponent zero");
const STRIPS: Margin = Margin::ours("strips to be seen", 0.9, "nine of the ten columns have their maximum on a strip");

const WRITTEN: &str = "exponents are those of associations that a hit wrote, with half of the rate or more: an input that is right before its first visit gets a weight of any smallness, which no step stored";

/// Dimension.
const DIM: usize = 5;
/// A hit finds p_W(f_*(x)|x) at one half or below and adds at least half of its rate, so what has less was not written by one: an input
/// that is right before its first visit gets 1 - p_W, which with the inputs of Eq. 1 is often below 1e-16.
const BY_A_HIT: f64 = 0.499;

/// Left pair: the big learning rate.
pub const LEFT: Check = Check {
    claim: "heavy-tailed/fig-6-left",
    metric: "share of hits that store their association; associations that such a step breaks; exponent of the coefficients of what hits wrote",
    against: "a big step that stores no oftener than a small one, breaks no more, or stores no more evenly; a best W without strips",
    protocol: &[
        "N = 10, M = 5, alpha = 1.5, f_*(x) = x mod 5, d = 5, batch one, rate 10; 0.1, as in the right pair, against it",
    ],
    choices: &[
        "both rates on the same data; exponents after 100 and 300 steps; the best W after 3000 steps on the population gradient",
        WRITTEN,
    ],
    departures: &["one hit from each of many runs, the first from step 20 on, in place of one run", BOTH_INPUTS],
    run: left,
    ..Check::DEFAULT
};

fn left(s: &Sheet) -> Done {
    let runs = s.knob("runs", s.scale().pick(300, 600), 2..)?;
    let (sign, beside) = (s.printed(Margin::ZERO).of("hits"), s.aside(Margin::ZERO).of("hits"));
    let mostly = s.aside(MOSTLY).of("hits");
    let unit = visits(s, Parametrization::Unit, DIM, runs)?;
    let (big, small) = (late_hits(&unit[0], 1), late_hits(&unit[1], 1));
    sign.at_least("share of hits that store their association, γ = 10 minus γ = 0.1", oftener(&big, &small)?);
    sign.at_least("associations broken, γ = 10 minus γ = 0.1", difference(&broken(&big), &broken(&small))?);
    mostly.at_least("hits at γ = 10 that store their association", stored(&big)?);
    let breaks = mean(&broken(&big))?;
    s.note(format!(
        "a hit at γ = 10 breaks {:.2} [{:.2}, {:.2}] other associations",
        breaks.value, breaks.low, breaks.high
    ));
    let long = visits(s, Parametrization::Model, DIM, runs)?;
    let (big, small) = (late_hits(&long[0], 1), late_hits(&long[1], 1));
    mostly.at_least("inputs of Eq. 1: hits at γ = 10 that store", stored(&big)?);
    let label = "inputs of Eq. 1: associations broken, γ = 10 minus γ = 0.1";
    beside.at_least(label, difference(&broken(&big), &broken(&small))?);

    let even_beside = s.aside(HALFWAY).of("runs");
    let of = |rate: f64| descents(s, rate, Parametrization::Unit);
    let (unit, few, least) = (of(BIG)?, of(SMALL)?, of(0.1 * SMALL)?);
    let less = |runs: &TrainingRuns, rate: f64, record: usize| -> Result<Estimate, Failure> {
        apart(exponent(runs, BY_A_HIT * rate, record)?, exponent(&few, BY_A_HIT * SMALL, record)?)
    };
    let long = descents(s, BIG, Parametrization::Model)?;
    for (record, steps) in [100, 300].into_iter().enumerate() {
        let label = format!("exponent in p of what hits wrote after {steps} steps, γ = 10 minus γ = 0.1");
        s.printed(Margin::ZERO).of("runs").at_most(label, less(&unit, BIG, record)?);
        let label = format!("exponent of what hits wrote in p after {steps} steps, γ = 10");
        even_beside.at_most(label, exponent(&unit, BY_A_HIT * BIG, record)?);
        let label = format!("inputs of Eq. 1: exponent of what hits wrote after {steps} steps, γ = 10");
        even_beside.at_most(label, exponent(&long, BY_A_HIT * BIG, record)?);
    }
    let (early, late) = (exponent(&unit, 0.0, 0)?.value, exponent(&unit, 0.0, 1)?.value);
    s.note(format!(
        "unit inputs, exponent over all positive coefficients: {early:.2} after 100 steps, {late:.2} after 300"
    ));
    let label =
        "inputs of Eq. 1: exponent after 100 steps with the inputs that no hit wrote, of weights down to nothing";
    even_beside.at_most(label, exponent(&long, 0.0, 0)?);
    let label = "γ = 0.01 in the place of 10: exponent after 100 steps, minus that at γ = 0.1";
    s.twin(Margin::ZERO).of("runs").at_most(label, less(&least, 0.1 * SMALL, 0)?);

    let [strips, one_off] = on_strips(s)?;
    let label = "columns with their maximum on the strips minus those with it one class off, 3000 steps on the population gradient";
    s.printed(Margin::ZERO).of("tasks").at_least(label, paired_difference(&strips, &one_off)?);
    let label = "columns with their maximum on the strips, 3000 steps on the population gradient";
    s.aside(STRIPS).of("tasks").at_least(label, mean(&strips)?);
    let films = [film(s.streams(), DIM, BIG, 120)?, film(s.streams(), DIM, SMALL, 120)?];
    let identity = Array2::eye(5);
    for film in &films {
        for visit in &film.visits.steps {
            let (before, after) = film.around(visit);
            let right = after - before - by_kernel(film, visit, visit.input, film.task.gram())?;
            let wrong = after - before - by_kernel(film, visit, visit.input, &identity)?;
            for (right, wrong) in s.each("scores", right.iter().zip(&wrong)) {
                s.support(ROUNDING).same("change of the scores minus γ (G r) kᵀ", right.abs());
                let label = "without the outputs' inner products G: change minus γ r kᵀ";
                s.twin(ROUNDING).largest().same(label, wrong.abs());
            }
        }
    }
    s.figure(figure(&films));
    Ok(())
}

/// Descents whose coefficients are read after a hundred and after three hundred steps.
fn descents(setting: &Setting, rate: f64, inputs: Parametrization) -> Result<TrainingRuns, Failure> {
    let size = match rate {
        BIG => "big",
        SMALL => "small",
        _ => "tiny",
    };
    let of = if inputs == Parametrization::Model { ", inputs of Eq. 1" } else { "" };
    let methods = vec![Method::sgd(rate)?.steps(300).record(vec![100, 300]).label("descent")];
    Ok(study(INPUTS, inputs, methods, DIM)?
        .runs(1200)
        .keep_tables()
        .run(setting.streams(), &format!("rho, {size}{of}"))?)
}

/// Small steps on inputs that all come equally often.
fn equally_often(setting: &Setting) -> Result<TrainingRuns, Failure> {
    let methods = vec![Method::sgd(SMALL)?.steps(100).record(vec![100]).label("descent")];
    let study = TrainingStudy::new(Zipf::new(1e-6, INPUTS)?, figure_6(INPUTS)?.1).methods(methods);
    let study = study.parametrization(Parametrization::Unit).dims(vec![DIM]).runs(1200).keep_tables();
    Ok(study.run(setting.streams(), "rho, equally often")?)
}

/// Exponent in p of the coefficients above `least`, at the first or second record.
fn exponent(runs: &TrainingRuns, least: f64, record: usize) -> Result<Estimate, Failure> {
    let p = figure_6(INPUTS)?.0.probabilities(INPUTS);
    let mut slopes = Vec::new();
    for run in 0..runs.n_runs() {
        let c = runs.coefficients("descent", DIM, run, record)?;
        let stored = (0..INPUTS).map(|x| (p[x], c[[x, (x + 1) % 5]]));
        let (x, y): (Vec<f64>, Vec<f64>) = stored.filter(|(_, q)| *q > least).unzip();
        if x.len() > 2 {
            slopes.push(power_fit(&x, &y, (1e-6, 1.0))?.slope.value);
        }
    }
    Ok(mean(&slopes)?)
}

/// What a step changes by the kernel formula, `gamma (G r) k^T`, where r is what is missing to the right answer.
fn by_kernel(film: &Filmed, visit: &Visit, input: usize, gram: &Array2<f64>) -> Result<Array2<f64>, Failure> {
    let column = film.around(visit).0.column(visit.input);
    let total: f64 = column.iter().map(|s| s.exp()).sum();
    let right = film.task.labels()[visit.input];
    let missing = Array1::from_shape_fn(column.len(), |z| f64::from(u8::from(z == right)) - column[z].exp() / total);
    let change = gram.dot(&missing) * film.rate;
    let kernel = film.task.kernel()?;
    Ok(Array2::from_shape_fn(film.around(visit).0.dim(), |(z, x)| change[z] * kernel[[input, x]]))
}

/// Share of inputs whose largest score lies on the strips after many steps on the population gradient, and of those where it lies one
/// class off, task by task.
fn on_strips(setting: &Setting) -> Result<[Vec<f64>; 2], Failure> {
    let (law, target) = figure_6(INPUTS)?;
    let mut shares = [Vec::new(), Vec::new()];
    for i in 0..setting.scale().pick(100, 200) {
        let embeddings = Embeddings::spherical(INPUTS, 5, DIM, &mut setting.streams().replicate("strips", i)?)?;
        let task = TrainingTask::new(embeddings, &target.labels(INPUTS), &law.probabilities(INPUTS))?;
        let mut run = TrainingRun::new(&task, &Method::sgd(BIG)?.batch(BatchSize::Population))?;
        for _ in 0..3000 {
            run.population_step()?;
        }
        let found = answers(&run.scores());
        for (off, shares) in shares.iter_mut().enumerate() {
            let there = found.iter().enumerate().filter(|(x, y)| (x + 1 + off) % 5 == **y).count();
            shares.push(there as f64 / INPUTS as f64);
        }
    }
    Ok(shares)
}

fn broken(hits: &[Visit]) -> Vec<f64> {
    hits.iter().map(|hit| hit.broken as f64).collect()
}

/// Three hits at each rate, before and after.
fn figure(films: &[Filmed]) -> Figure {
    let figure = Figure::new("The matrix of scores before and after a hit").columns(4);
    let figure = (0..3).fold(figure, |figure, k| {
        films.iter().fold(figure, |figure, film| {
            let late: Vec<Visit> = film.visits.hits().into_iter().filter(|v| v.step >= 20).collect();
            with_pairs(figure, film, late.get(3 * k..=3 * k).unwrap_or_default())
        })
    });
    figure
        .size(1100, 640)
        .caption("Two left columns γ = 10, two right ones γ = 0.1; same embeddings and data. Blue is negative, white zero, vermilion positive; the full colour is the largest score of a pair. The frame is the association that the step meets.")
}

/// The two descents of the figure as a film.
///
/// # Errors
/// None with these numbers.
pub fn as_film(streams: &Streams) -> Result<Film, Failure> {
    let films = [film(streams, 5, BIG, 40)?, film(streams, 5, SMALL, 40)?];
    let frame = |t: usize| {
        let figure = Figure::new(&format!("Scores after {t} steps, d = 5")).columns(2).size(680, 260);
        films.iter().fold(figure, |figure, film| {
            let recalled = film.visits.steps[t - 1].recalled;
            let panel: Panel = film.frame(t, &format!("γ = {}: {recalled} of 10 stored", film.rate));
            figure.panel(panel)
        })
    };
    Ok(Film::new((1..=40).map(frame).collect(), 0.5))
}

/// Right pair: the small learning rate.
pub const RIGHT: Check = Check {
    claim: "heavy-tailed/fig-6-right",
    metric: "share of hits on rare inputs that store their association, and exponent in p of what hits wrote, at rate 0.1 less at rate 10",
    against: "a small step that stores rare associations as often as a big one, or no less evenly",
    protocol: &["as on the left, rate 0.1"],
    choices: &["rare are the ranks 6 to 10; exponents, and errors beside them, after 100 steps", WRITTEN],
    departures: &["one hit from each of many runs, the first from step 20 on, in place of one run", BOTH_INPUTS],
    run: right,
    ..Check::DEFAULT
};

/// Ranks that count as rare: the second half.
const RARE: usize = 6;

fn right(s: &Sheet) -> Done {
    let runs = s.knob("runs", s.scale().pick(300, 600), 2..)?;
    let unit = visits(s, Parametrization::Unit, DIM, runs)?;
    let long = visits(s, Parametrization::Model, DIM, runs)?;
    let hits_at = |runs: &[Vec<Visits>], rate: usize, from: usize| late_hits(&runs[rate], from);
    let label = "share of hits on ranks 6 to 10 that store, γ = 0.1 minus γ = 10";
    s.printed(Margin::ZERO).of("hits").at_most(label, oftener(&hits_at(&unit, 1, RARE), &hits_at(&unit, 0, RARE))?);
    let rarely = s.aside(MOSTLY).of("hits");
    rarely.at_most("hits on ranks 6 to 10 at γ = 0.1 that store", stored(&hits_at(&unit, 1, RARE))?);
    rarely.at_most("hits on all ranks at γ = 0.1 that store", stored(&hits_at(&unit, 1, 1))?);
    rarely.at_most("inputs of Eq. 1: hits on ranks 6 to 10 at γ = 0.1 that store", stored(&hits_at(&long, 1, RARE))?);

    let of = |inputs: Parametrization| exponent(&descents(s, SMALL, inputs)?, BY_A_HIT * SMALL, 0);
    let small = of(Parametrization::Unit)?;
    let big = exponent(&descents(s, BIG, Parametrization::Unit)?, BY_A_HIT * BIG, 0)?;
    let label = "exponent in p of what hits wrote after 100 steps, γ = 0.1 minus γ = 10";
    s.printed(Margin::ZERO).of("runs").at_least(label, apart(small, big)?);
    let label = "exponent of what hits wrote in p after 100 steps, γ = 0.1";
    s.aside(HALFWAY).of("runs").at_least(label, small);
    let label = "inputs of Eq. 1: exponent after 100 steps, γ = 0.1";
    s.aside(HALFWAY).of("runs").at_least(label, of(Parametrization::Model)?);
    let label = "each input as often as any other, weights against p all the same: exponent after 100 steps, γ = 0.1 minus γ = 10";
    let equal = exponent(&equally_often(s)?, BY_A_HIT * SMALL, 0)?;
    s.twin(Margin::ZERO).of("runs").at_least(label, apart(equal, big)?);
    let errors = |runs: &[Visits]| runs.iter().map(|run| run.steps[99].error).collect::<Vec<f64>>();
    let behind = paired_difference(&errors(&unit[1]), &errors(&unit[0]))?;
    // The caption does not speak of the error.
    s.aside(Margin::ZERO).of("runs").at_least("error after 100 steps, γ = 0.1 minus γ = 10", behind);
    Ok(())
}
