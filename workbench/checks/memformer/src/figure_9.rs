//! Figure 9: a transformer and a memformer on the mixture.
//!
//! **Claim** (`memformer/fig-9`). On the mixture a 3-head, 4-layer linear transformer with gates performs better than a 3-head, 4-layer
//! memformer, because the Gamma_j of each head overfit the individual components.
//!
//! The comparison and its reason are two things. If Gamma overfits a component, a memformer head must be good on its own component and lose
//! more than a transformer head when it leaves it. Both losses are measured. And a tied scalar Gamma_j times A_j is one matrix, so it could
//! overfit nothing that A_j cannot.

use workbench_display::{Table, columns};
use workbench_ground::stats::paired_difference;
use workbench_ledger::{Check, Done, Margin, Sheet};

use super::gated_mixture::{COMMON, GRAY, MODELS, TRANSFORMER, mixed};
use super::independent_runs::{EXPERTS, Scores, average};

/// What rounding leaves of a squared error of four layers.
pub const ABSORBED: Margin = Margin::rounding(
    "absorbed",
    1e-9,
    "products of eight matrices with numbers up to some thousands, in double precision",
);

/// Two gated models and their heads.
pub const CHECK: Check = Check {
    claim: "memformer/fig-9",
    metric: "log10 of the mean squared error on fresh prompts, paired over runs; loss of a head on the mixture over that on its component",
    against: "a memformer that is as good; memformer heads that lose no more than transformer heads when they leave their component",
    protocol: &["three heads of four layers, each trained on its component; gates fitted on prompts of the mixture"],
    choices: &[
        "heads are trained alone, equally long",
        "both readings are run: a component for each prompt, or for each token; the document does not say which",
    ],
    departures: &[
        "Γ is one number for each layer, the same in all later layers; heads with entries of their own for the query, as Eq. 3.4 prints Γ, stand beside",
        "those entries are the best ones on prompts of the head's component, 2000 (1000 at quick scale)",
        EXPERTS,
    ],
    rivals: &["both models with the best gates on the same prompts; a memformer whose heads share one Γ"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.instead(
        "the transformer is better, but not because Γ overfits: a tied memformer is worse already on the component that it was trained \
         on, and leaves it with less damage, with entries of its own for the query too",
    );
    let (printed, changed) = (s.printed(Margin::ZERO).of("runs"), s.changed(Margin::ZERO).of("runs"));
    let seen = mixed(s)?;
    let [prompt, token] = [&seen.readings[0], &seen.readings[1]];
    for (of, reading) in [("by prompt", prompt), ("by token", token)] {
        let score = |model: usize| &reading.scores[model].log_of_mean;
        let gap = paired_difference(score(GRAY), score(TRANSFORMER))?;
        printed.at_least(format!("{of}: memformer minus transformer, decades"), gap);
        changed.at_least(format!("{of}: memformer minus transformer"), gap);
    }
    let [plain, registers] = &prompt.overfit;
    let gap = paired_difference(registers, plain)?;
    let label = "overfitting: log10 of mixture loss over own loss of a head, memformer minus transformer";
    printed.at_least(label, gap);
    changed.at_most("overfitting: memformer minus transformer", gap);
    let gap = paired_difference(&prompt.overfit_query, plain)?;
    let label = "entries for the query: log10 of mixture loss over own loss of a head, memformer minus transformer";
    printed.at_least(label, gap);
    changed.at_most("entries for the query, leaving home: memformer minus transformer", gap);
    let at_home = |memformer: &[f64]| paired_difference(memformer, &seen.at_home[0]);
    let label = "heads on their own component: memformer minus transformer, decades";
    changed.at_least(label, at_home(&seen.at_home[1])?);
    let label = "entries for the query, heads at home: memformer minus transformer, decades";
    changed.at_least(label, at_home(&seen.at_home_query)?);
    let [moved, unscaled] = seen.absorbed.each_ref();
    for change in s.each("errors", moved) {
        let label = "trained Γ_j moved into A_j, Γ_j = 1: largest relative change of a squared error";
        s.changed(ABSORBED).same(label, *change);
    }
    for change in s.each("errors", unscaled) {
        let label = "Γ_j set to 1 and not moved into A_j: largest relative change of a squared error";
        s.twin(ABSORBED).largest().same(label, *change);
    }
    s.note(format!(
        "one Γ for all heads in place of one for each: {:.3} decades better by prompt, {:.3} by token",
        prompt.scores[GRAY].value() - prompt.scores[COMMON].value(),
        token.scores[GRAY].value() - token.scores[COMMON].value()
    ));
    s.figure(seen.figure());
    let of = |k: usize, of: fn(&Scores) -> &Vec<f64>| -> Vec<f64> {
        seen.readings[k].scores.iter().map(|scores| average(of(scores))).collect()
    };
    let models = Table::new(columns(vec![
        ("model", MODELS.to_vec().into()),
        ("by prompt", of(0, |s| &s.log_of_mean).into()),
        ("by token", of(1, |s| &s.log_of_mean).into()),
        ("by prompt, mean of log₁₀", of(0, |s| &s.mean_of_logs).into()),
        ("by token, mean of log₁₀", of(1, |s| &s.mean_of_logs).into()),
    ])?);
    let title = "log₁₀ of the mean squared error after four layers; the mean of log₁₀ beside it";
    s.table(models.title(title).digits(3));
    let heads = Table::new(columns(vec![
        ("heads", vec!["transformer", "memformer"].into()),
        ("own component", seen.at_home.each_ref().map(|v| average(v)).to_vec().into()),
        ("mixture over own component", prompt.overfit.each_ref().map(|v| average(v)).to_vec().into()),
    ])?);
    s.table(heads.title("log₁₀ of the loss of single heads, mean over heads and runs").digits(2));
    Ok(())
}
