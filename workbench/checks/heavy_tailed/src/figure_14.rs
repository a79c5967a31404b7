//! Figure 14: the dynamics in ten dimensions.
//!
//! **Claim** (`heavy-tailed/fig-14`). With d = 10 and a fixed step gamma = 10 descent meets an association that is not stored at t = 0, 4,
//! 5, 6, 8, 9, 11, 30, 32, 37, 49, 62, 75, 90, and stores it; with d = 10, which is enough, everything is stored in the end.
//!
//! The printed times are those of one run. Their number, fourteen, must be one that runs give; hits must get rarer. Each run goes on until
//! all ten are stored, and none may fail to get there; five dimensions are the rival that is not enough, and the small step of Figure 6,
//! on the same data, is one that hits often and stores at few of its hits.

use workbench_display::Figure;
use workbench_ground::stats::{Estimate, mean, paired_difference, proportion};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{Embeddings, Method, Parametrization, TrainingRun, TrainingTask, Visit, Visits};

use super::descent_visits::{
    BIG, BOTH_INPUTS, INPUTS, MOSTLY, figure_6, film, late_hits, oftener, stored, visits, with_pairs,
};
use crate::vocabulary::EXACT;

/// Steps after which a run that has not stored all ten is taken never to do so.
const END: usize = 10_000;
const IN_THE_END: Margin = Margin::ours("in the end", 0.95, "all runs but one in twenty");
const ONE_RUN: Margin =
    Margin::statistical("scatter of one run", 4.0, "fourteen events of one run scatter by about the root of fourteen");

/// Descents at rate 10.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/fig-14",
    metric: "runs in which all ten are never stored; share of runs with all ten stored; hits of a run; share of hits that store",
    against: "a run in ten dimensions in which all ten are never stored; ten dimensions that store everything no oftener than five; hits that do not get rarer, store no oftener than those of a small step, or are many more or fewer than fourteen",
    protocol: &["N = d = 10, M = 5, alpha = 1.5, rate 10, batch one"],
    choices: &[
        "hits are counted in the first hundred steps: the last time that the caption lists is 90",
        "the end, which the caption does not date, is where all ten are stored for the first time, and never if not within 10,000 steps; beside it step 1000",
    ],
    departures: &["many runs in place of one", BOTH_INPUTS],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let runs = s.knob("runs", s.scale().pick(300, 600), 2..)?;
    let ten = visits(s, Parametrization::Unit, 10, runs)?;
    let five = visits(s, Parametrization::Unit, 5, runs)?;
    let long = visits(s, Parametrization::Model, 10, 600)?;
    let (enough, timid, short, long) = (&ten[0], &ten[1], &five[0], &long[0]);

    let mut slowest = 0;
    for (i, run) in s.each("runs", enough.iter().enumerate()) {
        let complete = until_complete(s, 10, i)?;
        s.printed(EXACT)
            .never("d = 10: runs in which all ten are never stored, within 10,000 steps", complete.is_none());
        s.twin(EXACT)
            .never("five dimensions: runs in which all ten are never stored", until_complete(s, 5, i)?.is_none());
        let watched = run.steps.iter().find(|visit| visit.recalled == INPUTS).map(|visit| visit.step);
        let other = watched != complete.filter(|step| *step <= run.steps.len());
        s.support(EXACT).never("runs that are complete at another step than where each visit is watched", other);
        slowest = slowest.max(complete.unwrap_or(END));
    }
    s.note(format!("the last run in ten dimensions to have all ten stored has them after {slowest} steps"));

    let sign = s.printed(Margin::ZERO).of("runs");
    let apart = paired_difference(&all_stored(enough, 1000), &all_stored(short, 1000))?;
    sign.at_least("all stored after 1000 steps, d = 10 minus d = 5", apart);
    let later = paired_difference(&all_stored(enough, 1000), &all_stored(enough, 300))?;
    s.support(Margin::ZERO).of("runs").at_least("all stored, d = 10: after 1000 steps minus after 300", later);
    let end = s.aside(IN_THE_END).of("runs");
    end.at_least("runs with all ten stored after 1000 steps, d = 10", share(enough, 1000)?);
    end.at_least("five dimensions, not enough: runs with all ten stored after 1000 steps", share(short, 1000)?);
    end.at_least("inputs of Eq. 1: runs with all ten stored after 1000 steps", share(long, 1000)?);

    let times = |runs: &[Visits]| mean(&hits(runs, 0, 100));
    let label = "hits in the first 100 steps; the caption lists fourteen times";
    s.printed(ONE_RUN).of("runs").equals(label, 14.0, times(enough)?);
    s.aside(ONE_RUN).of("runs").equals("inputs of Eq. 1: hits in the first 100 steps", 14.0, times(long)?);
    s.twin(ONE_RUN).of("runs").equals("a step of 0.1 in place of 10: hits up to t = 100", 14.0, times(timid)?);
    let rarer = paired_difference(&hits(enough, 50, 100), &hits(enough, 0, 50))?;
    sign.at_most("hits in steps 51 to 100 minus those in steps 1 to 50", rarer);

    let label = "share of late hits that store their association, γ = 10 minus γ = 0.1";
    s.printed(Margin::ZERO).of("hits").at_least(label, oftener(&late_hits(enough, 1), &late_hits(timid, 1))?);
    let storing = s.aside(MOSTLY).of("hits");
    storing.at_least("late hits that store their association, d = 10", stored(&late_hits(enough, 1))?);
    storing.at_least("inputs of Eq. 1: late hits that store", stored(&late_hits(long, 1))?);
    s.note(format!(
        "all stored, d = 10: {:.2} of runs at t = 100, {:.2} at t = 300",
        share(enough, 100)?.value,
        share(enough, 300)?.value
    ));
    let film = film(s.streams(), 10, BIG, 150)?;
    let first: Vec<Visit> = film.visits.hits().into_iter().take(12).collect();
    let figure = with_pairs(Figure::new("The first hits of one run, before and after").columns(6), &film, &first);
    s.figure(figure.size(1320, 800).caption(
        "d = 10, γ = 10. Common colours in each pair: vermilion positive, white zero, blue negative. The frame is the association that the step meets. The goal is two strips, y = x mod 5.",
    ));
    Ok(())
}

/// The step after which run `i` of [`visits`] at the big rate has all ten stored for the first time, if any does.
fn until_complete(s: &Sheet, dim: usize, i: usize) -> Result<Option<usize>, Failure> {
    let stream = |what: &str| s.streams().restart_replicate(&format!("visits, unit inputs: {what}"), i);
    let (law, target) = figure_6(INPUTS)?;
    let embeddings =
        Parametrization::Unit.embeddings(&Embeddings::draw(INPUTS, 5, dim, &mut stream("embeddings")?)?, dim)?;
    let task = TrainingTask::new(embeddings, &target.labels(INPUTS), &law.probabilities(INPUTS))?;
    let (mut run, mut data) = (TrainingRun::new(&task, &Method::sgd(BIG)?)?, stream("data")?);
    for step in 1..=END {
        run.step(&[task.sample(&mut data)])?;
        if run.margins().iter().all(|margin| *margin > 0.0) {
            return Ok(Some(step));
        }
    }
    Ok(None)
}

/// Hits of each run after step `from` up to step `to`.
fn hits(runs: &[Visits], from: usize, to: usize) -> Vec<f64> {
    let within = |run: &Visits| run.hits().iter().filter(|v| v.step > from && v.step <= to).count() as f64;
    runs.iter().map(within).collect()
}

fn all_stored(runs: &[Visits], step: usize) -> Vec<f64> {
    let all = |run: &Visits| f64::from(u8::from(run.steps[step - 1].recalled == INPUTS));
    runs.iter().map(all).collect()
}

fn share(runs: &[Visits], step: usize) -> Result<Estimate, Failure> {
    let all = all_stored(runs, step);
    Ok(proportion(all.iter().sum::<f64>() as usize, all.len())?)
}
