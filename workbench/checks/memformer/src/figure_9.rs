//! Figure 9: a transformer and a memformer on the mixture.
//!
//! **Claim** (`memformer/fig-9`). On the mixture a 3-head, 4-layer linear transformer with gates performs better than a 3-head, 4-layer
//! memformer, because the Gamma_j of each head overfit the individual components.
//!
//! The comparison and its reason are two things. If Gamma overfits a component, a memformer head must be good on its own component and lose
//! more than a transformer head when it leaves it. Both losses are measured, of heads in the order of Appendix D: A as a transformer, then a
//! row of Gamma on the component. Heads of one number for all tokens, trained inside of Eq. 3.4, stand beside. And a tied scalar Gamma_j times A_j is one matrix, so as one number for all tokens it could
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
        "Γ_j as (3.4) prints it, the numbers of all examples taken as one beside that of the query, the same in all later layers: fitted by least squares on 2000 prompts (1000 at quick scale) of the \
         head's component, after A was trained as a transformer, as Appendix D has it",
        "shown beside: one number for all tokens, trained by Adam after A was trained inside of (3.4), which is a worse head at home",
        EXPERTS,
    ],
    rivals: &["both models with the best gates on the same prompts"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.instead(
        "the transformer is better, but not because Γ overfits: with Γ as numbers, as (3.4) prints it, a memformer head is behind on the component that \
         Γ was trained on, and loses no more than a transformer head when it leaves it",
    );
    let [printed, changed, both] =
        [s.printed(Margin::ZERO), s.changed(Margin::ZERO), s.both_forms(Margin::ZERO)].map(|says| says.of("runs"));
    let shown = s.aside(Margin::ZERO).of("runs");
    let seen = mixed(s)?;
    let [prompt, token] = [&seen.readings[0], &seen.readings[1]];
    let [plain, registers] = &prompt.overfit;
    let gap = paired_difference(&prompt.overfit_row, plain)?;
    let label = "overfitting: log10 of mixture loss over own loss of a head, memformer minus transformer";
    printed.at_least(label, gap);
    changed.at_most("overfitting: memformer minus transformer", gap);
    for (of, reading) in [("by prompt", prompt), ("by token", token)] {
        let than = |scores: &Scores| paired_difference(&scores.log_of_mean, &reading.scores[TRANSFORMER].log_of_mean);
        both.at_least(format!("{of}: memformer minus transformer, decades"), than(&reading.row)?);
        shown.at_least(
            format!("{of}, one number for all tokens: memformer minus transformer"),
            than(&reading.scores[GRAY])?,
        );
    }
    let at_home = |memformer: &[f64]| paired_difference(memformer, &seen.at_home[0]);
    changed.at_least("heads on their own component: memformer minus transformer, decades", at_home(&seen.at_home_row)?);
    let label = "one number for all tokens, heads at home: memformer minus transformer, decades";
    shown.at_least(label, at_home(&seen.at_home[1])?);
    let label = "one number for all tokens, leaving home: memformer minus transformer";
    shown.at_most(label, paired_difference(registers, plain)?);
    let [moved, unscaled] = seen.absorbed.each_ref();
    for change in s.each("errors", moved) {
        let label = "one number for all tokens, moved into A_j, Γ_j = 1: largest relative change of a squared error";
        s.support(ABSORBED).same(label, *change);
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
        let reading = &seen.readings[k];
        reading.scores.iter().chain([&reading.row]).map(|scores| average(of(scores))).collect()
    };
    let models = Table::new(columns(vec![
        ("model", MODELS.into_iter().chain(["memformer, A first and then Γ, gates"]).collect::<Vec<_>>().into()),
        ("by prompt", of(0, |s| &s.log_of_mean).into()),
        ("by token", of(1, |s| &s.log_of_mean).into()),
        ("by prompt, mean of log₁₀", of(0, |s| &s.mean_of_logs).into()),
        ("by token, mean of log₁₀", of(1, |s| &s.mean_of_logs).into()),
    ])?);
    let title = "log₁₀ of the mean squared error after four layers; the mean of log₁₀ beside it";
    s.table(models.title(title).digits(3));
    let home = [&seen.at_home[0], &seen.at_home_row, &seen.at_home[1]];
    let away = [plain, &prompt.overfit_row, registers];
    let heads = Table::new(columns(vec![
        ("heads", vec!["transformer", "memformer", "memformer, one number for all tokens"].into()),
        ("own component", home.map(|v| average(v)).to_vec().into()),
        ("mixture over own component", away.map(|v| average(v)).to_vec().into()),
    ])?);
    s.table(heads.title("log₁₀ of the loss of single heads, mean over heads and runs").digits(2));
    Ok(())
}
