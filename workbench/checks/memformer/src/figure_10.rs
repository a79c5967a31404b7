//! Figure 10: a memformer on the mixture, with gates only and with Gamma trained at test time.
//!
//! **Claims**. (`memformer/fig-10-gray`, gray line) A 3-head, 4-layer memformer on the mixture with a learned gating scheme only.
//! (`memformer/fig-10-black`, black line, and Section 4.2) With a higher test-time budget, also training the Gamma_j at test time overcomes
//! what the transformer of Figure 9 is ahead by; the main parameters stay fixed.
//!
//! The gray line must lie above the transformer, as the text says, and gates must be worth something: they are compared with the best
//! single head. The black line must reach the transformer. Gamma_j is read in three ways, see [`super::gated_mixture`], and every one of
//! them is held to that. Refuted by a line on the other side of its rival. The wrong black line has Gamma tuned on prompts of one
//! component.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::paired_difference;
use workbench_ledger::{Check, Done, Margin, Says, Setting, Sheet};

use super::gated_mixture::{
    BOTH, DIAGONAL, FULL, GRAY, Mixed, NARROW, QUERY, SINGLE, TRANSFORMER, UNTUNED, budgets, mixed,
};
use super::independent_runs::{TRAINING, average};
use crate::vocabulary::EXACT;

const PROTOCOL: &[&str] =
    &["three memformer heads of four layers, each trained on its component; gates fitted on prompts of the mixture"];
const CHOICES: &[&str] = &[
    "heads are trained alone; tests are on prompts that no gate has seen",
    "both readings of the mixture: a component for each prompt, or for each token",
];

/// The gray line: gates only.
pub const GATES_ONLY: Check = Check {
    claim: "memformer/fig-10-gray",
    metric: "log10 of the mean squared error on fresh prompts after four layers, paired over runs",
    against: "a gray line that is as good as the transformer; gates that are no better than the best single head",
    protocol: PROTOCOL,
    choices: CHOICES,
    departures: &[TRAINING],
    rivals: &["the transformer of Figure 9 with the best gates; the single head that is best on the same prompts"],
    run: gates_only,
    ..Check::DEFAULT
};

fn gates_only(s: &Sheet) -> Done {
    let seen = mixed(s)?;
    let (printed, twin) = (s.printed(Margin::ZERO), s.twin(Margin::ZERO));
    let transformer = (GRAY, TRANSFORMER);
    ahead(printed, "by prompt: gray minus transformer (Fig. 9), decades", &seen, 0, transformer)?;
    ahead(printed, "by token: gray minus transformer (Fig. 9), decades", &seen, 1, transformer)?;
    let label = "by prompt: best single head minus learned gates, decades";
    ahead(printed, label, &seen, 0, (SINGLE, GRAY))?;
    let label = "by prompt, gates left at one third: best single head minus them, decades";
    ahead(twin, label, &seen, 0, (SINGLE, UNTUNED))
}

/// The black line: Gamma as well.
pub const GAMMA_TOO: Check = Check {
    claim: "memformer/fig-10-black",
    metric: "log10 of the mean squared error on fresh prompts after four layers, paired over runs; numbers of A that changed",
    against: "a black line that stays above the transformer of Figure 9, or that is no better than gray; a main parameter that moved",
    protocol: PROTOCOL,
    choices: CHOICES,
    departures: &[
        TRAINING,
        "Γ of the examples is one number for each head and layer, as in the training; at test time the query's own entries are free",
        "these entries are the best ones by least squares on the prompts to tune on, since the answer is linear in them",
        "the budget is not said: 1000 prompts and 300 steps of Adam at quick scale, 2000 and 2000 at paper scale",
    ],
    rivals: &[
        "the transformer of Figure 9 with the best gates; Γ as diagonals and as full matrices that act on gradients, by Adam",
    ],
    run: gamma_too,
    ..Check::DEFAULT
};

fn gamma_too(s: &Sheet) -> Done {
    s.instead("Γ trained at test time is better than gates alone, with the main parameters fixed, and stays behind the transformer");
    let seen = mixed(s)?;
    let (printed, changed, twin) = (s.printed(Margin::ZERO), s.changed(Margin::ZERO), s.twin(Margin::ZERO));
    let black =
        [("query's Γ", QUERY), ("full Γ and the query's", BOTH), ("diagonal Γ", DIAGONAL), ("matrices Γ", FULL)];
    for (name, model) in black {
        for (reading, of) in ["by prompt", "by token"].into_iter().enumerate() {
            let label = format!("{of}: transformer minus black ({name}), decades");
            ahead(printed, &label, &seen, reading, (TRANSFORMER, model))?;
        }
    }
    ahead(changed, "by prompt: gray minus black (query's Γ), decades", &seen, 0, (GRAY, QUERY))?;
    ahead(changed, "by token: gray minus black (query's Γ), decades", &seen, 1, (GRAY, QUERY))?;
    let label = "by prompt, the query's Γ tuned on one component: gray minus black, decades";
    ahead(twin, label, &seen, 0, (GRAY, NARROW))?;
    let [fixed, free] = &seen.moved;
    for moved in fixed {
        s.printed(EXACT).of("entries").never("entries of A that changed at test time", *moved);
        s.changed(EXACT).of("entries").never("fixed: entries of A that changed", *moved);
    }
    for moved in free {
        s.twin(EXACT).of("entries").never("everything free: entries of A that changed", *moved);
    }
    s.figure(by_budget(s, &seen));
    Ok(())
}

/// States that on a reading of the mixture the second model is ahead of the first.
fn ahead(says: Says, label: &str, seen: &Mixed, reading: usize, models: (usize, usize)) -> Done {
    let of = |model: usize| &seen.readings[reading].scores[model].log_of_mean;
    says.of("runs").at_least(label, paired_difference(of(models.0), of(models.1))?);
    Ok(())
}

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
