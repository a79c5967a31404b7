//! Figure 9: a transformer and a memformer on the mixture.
//!
//! **Claim** (`memformer/fig-9`). On the mixture a 3-head, 4-layer linear transformer with gates performs better than a 3-head, 4-layer
//! memformer, because the Gamma_j of each head overfit the individual components.
//!
//! The comparison and its reason are two things. If Gamma overfits a component, a memformer head must be good on its own component and
//! lose more than a transformer head when it leaves it. Both losses are measured. And a tied scalar Gamma_j times A_j is one matrix, so it
//! could overfit nothing that A_j cannot.

use workbench_display::{Table, columns};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use super::figures_9_and_10::{COMMON, GRAY, MODELS, TRANSFORMER, mixed};
use super::section_4::{Scores, TRAINING, ahead, average, behind, runs, tested};

const ABSORBED: Margin =
    Margin::new("absorbed", 1e-9, "products of eight matrices with numbers up to some thousands, in double precision");

/// Two gated models and their heads.
#[derive(Clone, Debug, Default)]
pub struct TransformerAhead;

impl TypedCheck for TransformerAhead {
    const CLAIM: &'static str = "memformer/fig-9";
    const PLAN: Plan = Plan::new(
        "log10 of the mean squared error on fresh prompts, paired over runs; loss of a head on the mixture over that on its component",
        "a memformer that is as good; memformer heads that lose no more than transformer heads when they leave their component",
        &[ABSORBED],
    )
    .protocol(&["heads trained alone on their components, equally long; one set of gates fitted on prompts of the mixture"])
    .departures(&[
        "both readings are run: a component for each prompt, or for each token; the document does not say which",
        "Γ is one number for each layer, the same in all later layers; heads with entries of their own for the query, as Eq. 3.4 prints Γ, stand beside",
        "those entries are the best ones on prompts of the head's component, 2000 (1000 at quick scale)",
        TRAINING,
    ])
    .rivals(&["both models with the best gates on the same prompts; a memformer whose heads share one Γ"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = mixed(setting)?;
        let (prompt, token) = (&seen.readings[0], &seen.readings[1]);
        let score = |s: &Scores| s.log_of_mean.clone();
        let by_prompt = |label: &str| {
            let (a, b) = (score(&prompt.scores[GRAY]), score(&prompt.scores[TRANSFORMER]));
            ahead(label, 0.0, &a, &b)
        };
        let by_token = |label: &str| {
            let (a, b) = (score(&token.scores[GRAY]), score(&token.scores[TRANSFORMER]));
            ahead(label, 0.0, &a, &b)
        };
        let [plain, registers] = &prompt.overfit;
        let cases = |finding: Finding| {
            let errors = 2 * runs(setting) * tested(setting);
            finding.cases(errors).unit("errors")
        };
        let evidence = Evidence::of(by_prompt("by prompt: memformer minus transformer, decades")?)
            .and(by_token("by token: memformer minus transformer, decades")?)
            .and(ahead(
                "overfitting: log10 of mixture loss over own loss of a head, memformer minus transformer",
                0.0,
                registers,
                plain,
            )?)
            .and(ahead(
                "entries for the query: log10 of mixture loss over own loss of a head, memformer minus transformer",
                0.0,
                &prompt.overfit_query,
                plain,
            )?)
            .weaker(
                "the transformer is better, but not because Γ overfits: a tied memformer is worse already on the component that it was trained \
                 on, and leaves it with less damage, with entries of its own for the query too",
                vec![
                    by_prompt("by prompt: memformer minus transformer")?,
                    by_token("by token: memformer minus transformer")?,
                    ahead(
                        "heads on their own component: memformer minus transformer, decades",
                        0.0,
                        &seen.at_home[1],
                        &seen.at_home[0],
                    )?,
                    behind("overfitting: memformer minus transformer", 0.0, registers, plain)?,
                    ahead(
                        "entries for the query, heads at home: memformer minus transformer, decades",
                        0.0,
                        &seen.at_home_query,
                        &seen.at_home[0],
                    )?,
                    behind(
                        "entries for the query, leaving home: memformer minus transformer",
                        0.0,
                        &prompt.overfit_query,
                        plain,
                    )?,
                    cases(Finding::identity(
                        "trained Γ_j moved into A_j, Γ_j = 1: largest relative change of a squared error",
                        seen.absorbed[0].0,
                        ABSORBED,
                    )),
                ],
            )
            .twin(cases(Finding::identity(
                "Γ_j set to 1 and not moved into A_j: largest relative change of a squared error",
                seen.absorbed[1].0,
                ABSORBED,
            )))
            .note(format!(
                "one Γ for all heads in place of one for each: {:.3} decades better by prompt, {:.3} by token",
                prompt.scores[GRAY].value() - prompt.scores[COMMON].value(),
                token.scores[GRAY].value() - token.scores[COMMON].value()
            ));
        let heads = Table::new(columns(vec![
            ("heads", vec!["transformer", "memformer"].into()),
            ("own component", seen.at_home.iter().map(|v| average(v)).collect::<Vec<f64>>().into()),
            ("mixture over own component", prompt.overfit.iter().map(|v| average(v)).collect::<Vec<f64>>().into()),
        ])?)
        .title("log₁₀ of the loss of single heads, mean over heads and runs")
        .digits(2);
        let of = |k: usize, of: fn(&Scores) -> &Vec<f64>| -> Vec<f64> {
            seen.readings[k].scores.iter().map(|s| average(of(s))).collect()
        };
        let models = Table::new(columns(vec![
            ("model", MODELS.to_vec().into()),
            ("by prompt", of(0, |s| &s.log_of_mean).into()),
            ("by token", of(1, |s| &s.log_of_mean).into()),
            ("by prompt, mean of log₁₀", of(0, |s| &s.mean_of_logs).into()),
            ("by token, mean of log₁₀", of(1, |s| &s.mean_of_logs).into()),
        ])?)
        .title("log₁₀ of the mean squared error after four layers; the mean of log₁₀ beside it")
        .digits(3);
        Ok(Checked::from(evidence).figure(seen.figure()).table(models).table(heads))
    }
}
