//! Figure 10: a memformer on the mixture, with gates only and with Gamma trained at test time.
//!
//! **Claims**. (`memformer/fig-10-gray`, gray line) A 3-head, 4-layer memformer on the mixture with a learned gating scheme only.
//! (`memformer/fig-10-black`, black line, and Section 4.2) With a higher test-time budget, also training the Gamma_j at test time
//! overcomes what the transformer of Figure 9 is ahead by; the main parameters stay fixed.
//!
//! The gray line must lie above the transformer, as the text says, and gates must be worth something: they are compared with the best
//! single head. The black line must reach the transformer. Gamma_j is read in three ways, see [`super::figures_9_and_10`], and every one of
//! them is held to that. The wrong black line has Gamma tuned on prompts of one component.

use workbench_display::{Figure, Panel};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};

use super::figures_9_and_10::{
    BOTH, DIAGONAL, FULL, GRAY, Mixed, NARROW, NEGATED, QUERY, SINGLE, TRANSFORMER, budgets, mixed,
};
use super::section_4::{TRAINING, ahead, average};
use crate::vocabulary::EXACT;

const PROTOCOL: &[&str] = &[
    "memformer heads trained alone on their components; gates fitted on prompts of the mixture, tested on others; both readings of the mixture",
];

/// Decades by which model `b` is ahead of model `a` on a reading.
fn between(seen: &Mixed, label: &str, reading: usize, a: usize, b: usize) -> Result<Finding, Failure> {
    let of = |model: usize| &seen.readings[reading].scores[model].log_of_mean;
    ahead(label, 0.0, of(a), of(b))
}

/// The gray line: gates only.
#[derive(Clone, Debug, Default)]
pub struct GatesOnly;

impl TypedCheck for GatesOnly {
    const CLAIM: &'static str = "memformer/fig-10-gray";
    const PLAN: Plan = Plan::new(
        "log10 of the mean squared error on fresh prompts after four layers, paired over runs",
        "a gray line that is as good as the transformer; gates that are no better than the best single head",
        &[],
    )
    .protocol(PROTOCOL)
    .departures(&[TRAINING])
    .rivals(&["the transformer of Figure 9 with the best gates; the single head that is best on the same prompts"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = mixed(setting)?;
        let evidence =
            Evidence::of(between(&seen, "by prompt: gray minus transformer (Fig. 9), decades", 0, GRAY, TRANSFORMER)?)
                .and(between(&seen, "by token: gray minus transformer (Fig. 9), decades", 1, GRAY, TRANSFORMER)?)
                .and(between(&seen, "by prompt: best single head minus learned gates, decades", 0, SINGLE, GRAY)?)
                .twin(between(
                    &seen,
                    "by prompt, gates of the other sign: best single head minus them, decades",
                    0,
                    SINGLE,
                    NEGATED,
                )?);
        Ok(evidence.into())
    }
}

/// The black line: Gamma as well.
#[derive(Clone, Debug, Default)]
pub struct GammaToo;

fn by_budget(setting: &Setting, seen: &Mixed) -> Figure {
    let x: Vec<f64> = budgets(setting).iter().map(|b| b.0 as f64).collect();
    let mut figure = Figure::new("Γ at test time comes below gates alone and not to the transformer").columns(2);
    for (title, reading) in ["components by prompt", "components by token"].iter().zip(&seen.readings) {
        let mut panel = Panel::new(title).log_x();
        for (k, (name, of)) in ["diagonal Γ", "full Γ"].iter().zip(&reading.budgets).enumerate() {
            let line: Vec<f64> = of.iter().map(|v| average(v)).collect();
            panel = panel.line(name, &x, &line).colour(DIAGONAL + k);
        }
        let ends = [x[0], x[x.len() - 1]];
        for (name, model) in
            [("gates only (gray)", GRAY), ("the query's Γ, best", QUERY), ("transformer, gates", TRANSFORMER)]
        {
            let value = reading.scores[model].value();
            panel = panel.line(name, &ends, &[value, value]).colour(model);
        }
        panel = panel.x_label("steps at test time").y_label("log₁₀ mean squared error");
        figure = figure.panel(panel.legend_below());
    }
    figure.caption("Fresh prompts after four layers, means over runs. Γ as matrices that act on gradients, or as the query's own weights.")
}

impl TypedCheck for GammaToo {
    const CLAIM: &'static str = "memformer/fig-10-black";
    const PLAN: Plan = Plan::new(
        "log10 of the mean squared error on fresh prompts after four layers, paired over runs; numbers of A that changed",
        "a black line that stays above the transformer of Figure 9, or that is no better than gray; a main parameter that moved",
        &[EXACT],
    )
    .protocol(PROTOCOL)
    .departures(&[
        TRAINING,
        "Γ of the examples is one number for each head and layer, as in the training; at test time the query's own entries are free",
        "these entries are the best ones by least squares on the prompts to tune on, since the answer is linear in them",
        "the budget is not said: 1000 prompts and 300 steps of Adam at quick scale, 2000 and 2000 at paper scale",
    ])
    .rivals(&["the transformer of Figure 9 with the best gates; Γ as diagonals and as full matrices that act on gradients, by Adam"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = mixed(setting)?;
        let brings = |label: &str, reading: usize| between(&seen, label, reading, GRAY, QUERY);
        let evidence = Evidence::of(between(
            &seen,
            "by prompt: transformer minus black (query's Γ), decades",
            0,
            TRANSFORMER,
            QUERY,
        )?)
        .and(between(
            &seen,
            "by token: transformer minus black (query's Γ), decades",
            1,
            TRANSFORMER,
            QUERY,
        )?)
        .and(between(
            &seen,
            "by prompt: transformer minus black (full Γ and the query's), decades",
            0,
            TRANSFORMER,
            BOTH,
        )?)
        .and(between(
            &seen,
            "by token: transformer minus black (full Γ and the query's), decades",
            1,
            TRANSFORMER,
            BOTH,
        )?)
        .and(between(&seen, "by prompt: transformer minus black (diagonal Γ), decades", 0, TRANSFORMER, DIAGONAL)?)
        .and(between(&seen, "by token: transformer minus black (diagonal Γ), decades", 1, TRANSFORMER, DIAGONAL)?)
        .and(between(&seen, "by prompt: transformer minus black (matrices Γ), decades", 0, TRANSFORMER, FULL)?)
        .and(between(&seen, "by token: transformer minus black (matrices Γ), decades", 1, TRANSFORMER, FULL)?)
        .and(seen.frozen[0].none("entries of A that changed at test time", "entries"))
        .weaker(
            "Γ trained at test time is better than gates alone, with the main parameters fixed, and stays behind the transformer",
            vec![
                brings("by prompt: gray minus black (query's Γ), decades", 0)?,
                brings("by token: gray minus black (query's Γ), decades", 1)?,
                seen.frozen[0].none("fixed: entries of A that changed", "entries"),
            ],
        )
        .twin(seen.frozen[1].none("everything free: entries of A that changed", "entries"))
        .twin(between(
            &seen,
            "by prompt, the query's Γ tuned on one component: gray minus black, decades",
            0,
            GRAY,
            NARROW,
        )?);
        Ok(Checked::from(evidence).figure(by_budget(setting, &seen)))
    }
}
