//! Figure 6: what a single step does to the matrix of scores.
//!
//! **Claims**, N = 10, M = 5, alpha = 1.5, d = 5, batch one. `heavy-tailed/fig-6-left`: a step with gamma = 10 that meets an association not
//! yet stored stores it, at the risk of erasing others, similarly to q_0; the optimal W shows two diagonal strips.
//! `heavy-tailed/fig-6-right`: with gamma = 0.1 the step does not store rare memories, similarly to q_rho with large rho.
//!
//! One hit of each run is taken, the first from step 20 on. A big step that mostly fails to store or never erases counts against the
//! first, a small one that mostly stores against the second. *Similarly to q_rho* is asked of the exponent of the coefficients after a
//! hundred steps: nearer to zero, nearer to one. All this is asked of inputs as Eq. 1 has them and of unit inputs. With those of Eq. 1 a
//! big step moves the scores so far that many an input is right before its first visit, which then adds next to nothing; the statement is
//! about what hits store, so the exponent is that of what they wrote.

use ndarray::{Array1, Array2};
use workbench_display::{Figure, Film, Panel};
use workbench_ground::stats::{Estimate, Streams, difference, mean, paired_difference, power_fit};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{
    BatchSize, Embeddings, Method, Parametrization, TrainingRun, TrainingStudy, TrainingTask, Visit, Visits,
};

use super::section_3_visits::{
    BIG, BOTH_INPUTS, Filmed, INPUTS, MOSTLY, SMALL, figure_6, film, late_hits, run_count, stored, visits, with_pairs,
};
use crate::vocabulary::{Largest, ROUNDING, largest};

const HALFWAY: Margin =
    Margin::new("nearer to one end", 0.5, "q_0 has the exponent zero and q_1 one; one half lies between them");
const STRIPS: Margin = Margin::new("strips to be seen", 0.9, "nine of the ten columns have their maximum on a strip");

const WRITTEN: &str = "exponents are those of associations that a hit wrote, with half of the rate or more: an input that is right before its first visit gets a weight of any smallness, which no step stored";

/// Descents at both rates in five dimensions.
#[derive(Clone, Debug)]
pub struct Hits {
    /// Dimension.
    pub dim: usize,
    /// Runs; by scale if 0.
    pub runs: usize,
}

impl Default for Hits {
    fn default() -> Hits {
        Hits { dim: 5, runs: 0 }
    }
}

/// Exponents of the coefficients in p after a hundred and after three hundred steps: of associations that a hit wrote, and of all that
/// are positive.
struct Exponents {
    written: [Estimate; 2],
    positive: [Estimate; 2],
}

/// A hit finds p_W(f_*(x)|x) at one half or below and adds at least half of its rate, so what has less was not written by one: an input
/// that is right before its first visit gets 1 - p_W, which with the inputs of Eq. 1 is often below 1e-16.
fn rho(setting: &Setting, dim: usize, rate: f64, inputs: Parametrization) -> Result<Exponents, Failure> {
    let (law, target) = figure_6(INPUTS)?;
    let p = law.probabilities(INPUTS);
    let size = if rate == BIG { "big" } else { "small" };
    let name = match inputs {
        Parametrization::Model => format!("rho, {size}, inputs of Eq. 1"),
        _ => format!("rho, {size}"),
    };
    let runs = TrainingStudy::new(law, target)
        .methods(vec![Method::sgd(rate)?.steps(300).record(vec![100, 300]).label("descent")])
        .dims(vec![dim])
        .runs(1200)
        .parametrization(inputs)
        .keep_tables()
        .run(setting.streams(), &name)?;
    let above = |least: f64, record: usize| -> Result<Estimate, Failure> {
        let mut slopes = Vec::new();
        for run in 0..runs.n_runs() {
            let c = runs.coefficients("descent", dim, run, record)?;
            let stored = (0..INPUTS).map(|x| (p[x], c[[x, (x + 1) % 5]]));
            let (x, y): (Vec<f64>, Vec<f64>) = stored.filter(|(_, q)| *q > least).unzip();
            if x.len() > 2 {
                slopes.push(power_fit(&x, &y, (1e-6, 1.0))?.slope.value);
            }
        }
        Ok(mean(&slopes)?)
    };
    let after = |least: f64| -> Result<[Estimate; 2], Failure> { Ok([above(least, 0)?, above(least, 1)?]) };
    Ok(Exponents { written: after(0.499 * rate)?, positive: after(0.0)? })
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

/// Largest distance of a step from the kernel formula, and from the one without inner products of outputs.
fn kernel_gaps(films: &[Filmed]) -> Result<(f64, f64), Failure> {
    let (mut right, mut wrong) = (Largest::default(), Largest::default());
    for film in films {
        let identity = Array2::eye(film.task.n_classes());
        for visit in &film.visits.steps {
            let (before, after) = film.around(visit);
            let distance = |change: Array2<f64>| largest(&(after - before - change));
            right.see(distance(by_kernel(film, visit, visit.input, film.task.gram())?));
            wrong.see(distance(by_kernel(film, visit, visit.input, &identity)?));
        }
    }
    Ok((right.0, wrong.0))
}

/// Share of late hits that store their association if the update is written at the next input.
fn written_elsewhere(setting: &Setting, dim: usize) -> Result<Estimate, Failure> {
    let mut hits = Vec::new();
    for i in 0..100 {
        let streams = Streams::new(setting.streams().seed() + 1000 * (i + 1));
        let film = film(&streams, dim, BIG, 60)?;
        for mut hit in late_hits(std::slice::from_ref(&film.visits), 1) {
            let next = (hit.input + 1) % INPUTS;
            let scores = film.around(&hit).0 + &by_kernel(&film, &hit, next, film.task.gram())?;
            let right = film.task.labels()[hit.input];
            hit.stored = (0..5).all(|z| z == right || scores[[z, hit.input]] < scores[[right, hit.input]]);
            hits.push(hit);
        }
    }
    stored(&hits)
}

/// Share of inputs whose largest score lies on the strips after many steps on the population gradient.
fn on_strips(setting: &Setting, dim: usize) -> Result<Estimate, Failure> {
    let (law, target) = figure_6(INPUTS)?;
    let mut shares = Vec::new();
    for i in 0..setting.scale().pick(100, 200) {
        let embeddings = Embeddings::spherical(INPUTS, 5, dim, &mut setting.streams().replicate("strips", i)?)?;
        let task = TrainingTask::new(embeddings, &target.labels(INPUTS), &law.probabilities(INPUTS))?;
        let mut run = TrainingRun::new(&task, &Method::sgd(BIG)?.batch(BatchSize::Population))?;
        for _ in 0..3000 {
            run.population_step()?;
        }
        let right = run.margins().iter().filter(|margin| **margin > 0.0).count();
        shares.push(right as f64 / INPUTS as f64);
    }
    Ok(mean(&shares)?)
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

/// Left pair: the big learning rate.
#[derive(Clone, Debug, Default)]
pub struct Left {
    /// The descents.
    pub hits: Hits,
}

impl TypedCheck for Left {
    const CLAIM: &'static str = "heavy-tailed/fig-6-left";
    const PLAN: Plan = Plan::new(
        "share of hits that store their association; associations that such a step breaks; exponent of the coefficients of what hits wrote",
        "a big step that mostly does not store, breaks no more than a small one, or stores in proportion to p",
        &[MOSTLY, HALFWAY, STRIPS, ROUNDING],
    )
    .protocol(&["N = 10, M = 5, alpha = 1.5, f_*(x) = x mod 5, d = 5, batch one, rate 10 against 0.1 on the same data"])
    .departures(&[
        "one hit from each of many runs, the first from step 20 on, in place of one run",
        WRITTEN,
        BOTH_INPUTS,
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let count = run_count(self.hits.runs, setting);
        let runs = visits(setting, Parametrization::Unit, self.hits.dim, count)?;
        let (big, small) = (late_hits(&runs[0], 1), late_hits(&runs[1], 1));
        let runs = visits(setting, Parametrization::Model, self.hits.dim, count)?;
        let (long_big, long_small) = (late_hits(&runs[0], 1), late_hits(&runs[1], 1));
        let films =
            [film(setting.streams(), self.hits.dim, BIG, 120)?, film(setting.streams(), self.hits.dim, SMALL, 120)?];
        let (kernel, no_gram) = kernel_gaps(&films)?;
        let identity = |label: &str, gap: f64| Finding::identity(label, gap, ROUNDING).cases(240 * 50).unit("scores");
        let stores = |label: &str, share: Estimate| Finding::at_least(label, MOSTLY, share).unit("hits");
        let even = |label: &str, exponent: Estimate| Finding::at_most(label, HALFWAY, exponent).unit("runs");
        let breaks_more = |label: &str, big: &[Visit], small: &[Visit]| -> Result<Finding, Failure> {
            Ok(Finding::at_least(label, 0.0, difference(&broken(big), &broken(small))?).unit("hits"))
        };
        let unit = rho(setting, self.hits.dim, BIG, Parametrization::Unit)?;
        let long = rho(setting, self.hits.dim, BIG, Parametrization::Model)?;
        let breaks = mean(&broken(&big))?;
        let evidence = Evidence::of(stores("hits at γ = 10 that store their association", stored(&big)?))
            .and(stores("inputs of Eq. 1: hits at γ = 10 that store", stored(&long_big)?))
            .and(breaks_more("associations broken, γ = 10 minus γ = 0.1", &big, &small)?)
            .and(breaks_more(
                "inputs of Eq. 1: associations broken, γ = 10 minus γ = 0.1",
                &long_big,
                &long_small,
            )?)
            .and(even(
                "exponent of what hits wrote in p after 100 steps, γ = 10",
                unit.written[0],
            ))
            .and(even(
                "exponent of what hits wrote in p after 300 steps, γ = 10",
                unit.written[1],
            ))
            .and(even(
                "inputs of Eq. 1: exponent of what hits wrote after 100 steps, γ = 10",
                long.written[0],
            ))
            .and(even(
                "inputs of Eq. 1: exponent of what hits wrote after 300 steps, γ = 10",
                long.written[1],
            ))
            .and(
                Finding::at_least(
                    "columns with their maximum on the strips, 3000 steps on the population gradient",
                    STRIPS,
                    on_strips(setting, self.hits.dim)?,
                )
                .unit("tasks"),
            )
            .and(identity("change of the scores minus γ (G r) kᵀ", kernel))
            .twin(even(
                "inputs of Eq. 1: exponent after 100 steps with the inputs that no hit wrote, of weights down to nothing",
                long.positive[0],
            ))
            .twin(stores(
                "update written at the next input: hits that store their association",
                written_elsewhere(setting, self.hits.dim)?,
            ))
            .twin(identity(
                "without the outputs' inner products G: change minus γ r kᵀ",
                no_gram,
            ))
            .note(format!(
                "a hit at γ = 10 breaks {:.2} [{:.2}, {:.2}] other associations",
                breaks.value, breaks.low, breaks.high
            ))
            .note(format!(
                "unit inputs, exponent over all positive coefficients: {:.2} after 100 steps, {:.2} after 300",
                unit.positive[0].value, unit.positive[1].value
            ));
        Ok(Checked::from(evidence).figure(figure(&films)))
    }
}

/// Right pair: the small learning rate.
#[derive(Clone, Debug, Default)]
pub struct Right {
    /// The descents.
    pub hits: Hits,
}

/// Ranks that count as rare: the second half.
const RARE: usize = 6;

fn errors_after(runs: &[Visits], steps: usize) -> Vec<f64> {
    runs.iter().map(|run| run.steps[steps - 1].error).collect()
}

/// Share of hits whose own score rises, stored or not: too weak a criterion.
fn own_score_rises(setting: &Setting, dim: usize) -> Result<Estimate, Failure> {
    let mut hits = Vec::new();
    for i in 0..100 {
        let streams = Streams::new(setting.streams().seed() + 1000 * (i + 1));
        let film = film(&streams, dim, SMALL, 60)?;
        for mut hit in late_hits(std::slice::from_ref(&film.visits), RARE) {
            let own = (film.task.labels()[hit.input], hit.input);
            let (before, after) = film.around(&hit);
            hit.stored = after[own] > before[own];
            hits.push(hit);
        }
    }
    stored(&hits)
}

impl TypedCheck for Right {
    const CLAIM: &'static str = "heavy-tailed/fig-6-right";
    const PLAN: Plan = Plan::new(
        "share of hits at rate 0.1 that store their association, all and rare ones; exponent of the coefficients; error after 100 steps",
        "a small step that mostly stores, or stores evenly",
        &[MOSTLY, HALFWAY],
    )
    .protocol(&["as on the left, rate 0.1; rare are the ranks 6 to 10"])
    .departures(&[
        "one hit from each of many runs, the first from step 20 on, in place of one run",
        WRITTEN,
        BOTH_INPUTS,
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let runs = visits(setting, Parametrization::Unit, self.hits.dim, run_count(self.hits.runs, setting))?;
        let long = visits(setting, Parametrization::Model, self.hits.dim, run_count(self.hits.runs, setting))?;
        let rarely = |label: &str, share: Estimate| Finding::at_most(label, MOSTLY, share).unit("hits");
        let in_proportion = |label: &str, exponent: Estimate| Finding::at_least(label, HALFWAY, exponent).unit("runs");
        let behind = paired_difference(&errors_after(&runs[1], 100), &errors_after(&runs[0], 100))?;
        let evidence =
            Evidence::of(rarely("hits on ranks 6 to 10 at γ = 0.1 that store", stored(&late_hits(&runs[1], RARE))?))
                .and(rarely("hits on all ranks at γ = 0.1 that store", stored(&late_hits(&runs[1], 1))?))
                .and(in_proportion(
                    "exponent of the coefficients in p after 100 steps, γ = 0.1",
                    rho(setting, self.hits.dim, SMALL, Parametrization::Unit)?.written[0],
                ))
                .and(in_proportion(
                    "inputs of Eq. 1: exponent after 100 steps, γ = 0.1",
                    rho(setting, self.hits.dim, SMALL, Parametrization::Model)?.written[0],
                ))
                .and(rarely(
                    "inputs of Eq. 1: hits on ranks 6 to 10 at γ = 0.1 that store",
                    stored(&late_hits(&long[1], RARE))?,
                ))
                .and(Finding::at_least("error after 100 steps, γ = 0.1 minus γ = 10", 0.0, behind).unit("runs"))
                .twin(rarely(
                    "counted as stored where only the own score rises, ranks 6 to 10",
                    own_score_rises(setting, self.hits.dim)?,
                ));
        Ok(evidence.into())
    }
}
