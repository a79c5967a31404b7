//! Figure 14: the dynamics in ten dimensions.
//!
//! **Claim** (`heavy-tailed/fig-14`). With d = 10 and a fixed step gamma = 10 descent meets an association that is not stored at t = 0, 4,
//! 5, 6, 8, 9, 11, 30, 32, 37, 49, 62, 75, 90, and stores it; with d = 10, which is enough, everything is stored in the end.
//!
//! The printed times are those of one run. Their number, fourteen, must be one that runs give; hits must get rarer; and in the end no
//! association may be missing. Five dimensions are the rival that is not enough, and the small step of Figure 6, on the same data, is one
//! that hits often and stores at few of its hits.

use workbench_display::Figure;
use workbench_ground::stats::{Estimate, mean, paired_difference, proportion};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{Parametrization, Visits};

use super::section_3_visits::{
    BIG, BOTH_INPUTS, INPUTS, MOSTLY, film, late_hits, run_count, stored, visits, with_pairs,
};
use crate::vocabulary::by_scale;

const IN_THE_END: Margin = Margin::new("in the end", 0.95, "all runs but one in twenty");
const ONE_RUN: Margin =
    Margin::new("scatter of one run", 4.0, "fourteen events of one run scatter by about the root of fourteen");

/// Descents at rate 10.
#[derive(Clone, Debug)]
pub struct Dynamics {
    /// The dimension that is enough, and one that is not.
    pub dims: [usize; 2],
    /// Runs; by scale if 0.
    pub runs: usize,
}

impl Default for Dynamics {
    fn default() -> Dynamics {
        Dynamics { dims: [10, 5], runs: 0 }
    }
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

impl Dynamics {
    fn figure(&self, setting: &Setting) -> Result<Figure, Failure> {
        let film = film(setting.streams(), self.dims[0], BIG, 150)?;
        let hits = film.visits.hits();
        let figure = Figure::new("The first hits of one run, before and after").columns(6);
        Ok(with_pairs(figure, &film, &hits[..hits.len().min(12)])
            .size(1320, 800)
            .caption("d = 10, γ = 10. Common colours in each pair: vermilion positive, white zero, blue negative. The frame is the association that the step meets. The goal is two strips, y = x mod 5."))
    }
}

impl TypedCheck for Dynamics {
    const CLAIM: &'static str = "heavy-tailed/fig-14";
    const PLAN: Plan = Plan::new(
        "share of runs with all ten stored; hits of a run; share of hits that store",
        "a run that still misses an association in the end; hits that do not get rarer, or many more or fewer of them than fourteen",
        &[IN_THE_END, ONE_RUN, MOSTLY],
    )
    .protocol(&["N = d = 10, M = 5, alpha = 1.5, rate 10, batch one; hits within the first hundred steps, as the caption has them"])
    .departures(&[
        "the end, which the caption does not date, is step 1000",
        "many runs in place of one",
        BOTH_INPUTS,
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let runs = run_count(self.runs, setting);
        let (enough, short) = (
            visits(setting, Parametrization::Unit, self.dims[0], runs)?,
            visits(setting, Parametrization::Unit, self.dims[1], runs)?,
        );
        let (enough, timid, short) = (&enough[0], &enough[1], &short[0]);
        let long = visits(setting, Parametrization::Model, self.dims[0], by_scale(self.runs, 600))?;
        let long = &long[0];
        let times = |label: &str, runs: &[Visits]| -> Result<Finding, Failure> {
            Ok(Finding::equals(label, 14.0, ONE_RUN, mean(&hits(runs, 0, 100))?).unit("runs"))
        };
        let storing = |label: &str, runs: &[Visits]| -> Result<Finding, Failure> {
            Ok(Finding::at_least(label, MOSTLY, stored(&late_hits(runs, 1))?).unit("hits"))
        };
        let end = |label: &str, share: Estimate| Finding::at_least(label, IN_THE_END, share).unit("runs");
        let rarer = paired_difference(&hits(enough, 50, 100), &hits(enough, 0, 50))?;
        let evidence = Evidence::of(end("runs with all ten stored after 1000 steps, d = 10", share(enough, 1000)?))
            .and(times("hits in the first 100 steps; the caption lists fourteen times", enough)?)
            .and(storing("late hits that store their association, d = 10", enough)?)
            .and(Finding::at_most("hits in steps 51 to 100 minus those in steps 1 to 50", 0.0, rarer).unit("runs"))
            .and(
                Finding::at_least(
                    "all stored after 1000 steps, d = 10 minus d = 5",
                    0.0,
                    paired_difference(&all_stored(enough, 1000), &all_stored(short, 1000))?,
                )
                .unit("runs"),
            )
            .and(end("inputs of Eq. 1: runs with all ten stored after 1000 steps", share(long, 1000)?))
            .and(times("inputs of Eq. 1: hits in the first 100 steps", long)?)
            .and(storing("inputs of Eq. 1: late hits that store", long)?)
            .twin(end("five dimensions, not enough: runs with all ten stored after 1000 steps", share(short, 1000)?))
            .twin(times("a step of 0.1 in place of 10: hits up to t = 100", timid)?)
            .twin(storing("a step of 0.1 in place of 10: late hits that store", timid)?)
            .note(format!(
                "all stored, d = 10: {:.2} of runs at t = 100, {:.2} at t = 300",
                share(enough, 100)?.value,
                share(enough, 300)?.value
            ));
        Ok(Checked::from(evidence).figure(self.figure(setting)?))
    }
}
