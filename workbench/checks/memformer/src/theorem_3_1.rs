//! Theorem 3.1: a memory register runs conjugate gradients.
//!
//! **Claim** (`memformer/thm-3-1`, Eqs. 3.1 and 3.2). With R_l = Attn(Z_l) + gamma_l R_{l-1}, Z_{l+1} = Z_l + alpha_l R_l / n and A_l = I a
//! memformer implements conjugate gradients on the loss of the prompt.
//!
//! "Implements" has two readings. With alpha and gamma worked out for this prompt every label of every layer must be that of conjugate
//! gradients, in fractions. With one set of numbers for all prompts, which is what training gives, conjugate gradients would reach zero
//! loss after d layers on every prompt; the best shared numbers have a closed form, so what they leave is the least possible.

use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Fraction, Instance, LinearTransformer, Measure, Number, Quadratic, SingleMemory, best_shared_memory,
    conjugate_gradient, identity,
};

use super::exact::{Tally, dot, labels_off, part, stack, whole};
use super::section_3_3::{Batch, DIM, batch_size, law, losses};
use crate::vocabulary::{EXACT, ROUNDING, by_scale, largest_of};

const LEFT: Margin =
    Margin::new("something left", 1e-9, "a thousand times what rounding leaves of a loss of order one");
const WORSE: Margin = Margin::new("worse", 1.1, "a tenth more than the rival's loss");

/// Both readings.
#[derive(Clone, Debug, Default)]
pub struct OneRegister {
    /// Prompts in fractions; by scale if 0.
    pub prompts: usize,
    /// Prompts that share one set of numbers; by scale if 0.
    pub shared_by: usize,
}

#[derive(Default)]
struct Exact {
    labels: Tally,
    unsolved: Tally,
    halved: Tally,
}

struct Shared {
    size: usize,
    /// Least mean loss after 0, 1, ... layers: of the batch, of its first two prompts, of its first prompt.
    all: Vec<f64>,
    two: Vec<f64>,
    one: Vec<f64>,
    /// Mean loss of conjugate gradients with the prompt's own numbers.
    own: Vec<f64>,
}

impl OneRegister {
    fn exact(&self, setting: &Setting) -> Result<Exact, Failure> {
        let mut stream = setting.stream("theorem 3.1")?;
        let mut seen = Exact::default();
        for case in 0..by_scale(self.prompts, setting.scale().pick(6, 24)) {
            let (d, n) = (2 + case % 3, 5 + case % 2);
            let prompt = Instance::draw(&mut stream, d, n)?;
            let f = prompt.quadratic();
            let run = conjugate_gradient(&f, &f.origin(), d)?;
            let layers = stack(&identity(d), d)?;
            let with = |coefficients: &SingleMemory<Fraction>| {
                LinearTransformer::with_one_register(layers.clone(), coefficients)?.forward(&prompt.tokens)
            };
            let states = with(&run.coefficients)?;
            let labels = (d + 1) * (n + 1);
            seen.labels.add(labels_off(&prompt, &states, &run.iterates)?, labels);
            for i in 0..n {
                seen.unsolved.see(states[d][[d, i]] != whole(0));
            }
            seen.unsolved.see(states[d][[d, n]].negated() != dot(&prompt.query(), &prompt.target)?);
            let mut other = run.coefficients.clone();
            for gamma in &mut other.gamma {
                *gamma = gamma.times(&part(1, 2));
            }
            let states = with(&other)?;
            seen.halved.add(labels_off(&prompt, &states, &run.iterates)?, labels);
        }
        Ok(seen)
    }

    fn shared(&self, setting: &Setting) -> Result<Shared, Failure> {
        let size = by_scale(self.shared_by, batch_size(setting));
        let steps = 7;
        let batch = losses(setting, &law(setting)?, Batch::Training, size)?;
        let best =
            |batch: &[Quadratic<f64>], steps| best_shared_memory(batch, steps, &Measure::Loss).map(|best| best.means);
        let runs = batch.iter().map(|f| conjugate_gradient(f, &f.origin(), steps)).collect::<Result<Vec<_>, _>>()?;
        let mut own = Vec::new();
        for step in 0..=steps {
            let values: Vec<f64> =
                batch.iter().zip(&runs).map(|(f, run)| largest_of([f.value(&run.iterates[step]), 1e-32])).collect();
            own.push(mean(&values)?.value);
        }
        Ok(Shared { size, all: best(&batch, steps)?, two: best(&batch[..2], DIM)?, one: best(&batch[..1], DIM)?, own })
    }
}

impl TypedCheck for OneRegister {
    const CLAIM: &'static str = "memformer/thm-3-1";
    const PLAN: Plan = Plan::new(
        "labels that differ, in fractions; least mean loss of a batch over its start",
        "one label that differs with the prompt's own numbers; loss that the best shared numbers leave after d layers",
        &[EXACT, ROUNDING, LEFT, WORSE],
    )
    .protocol(&["shared numbers: law of Section 3.3, d = 5, n = 20; the document's batches hold 1000 prompts"])
    .departures(&["prompts in fractions have d = 2 to 4 and n = 5 or 6, so that equal means equal"])
    .rivals(&["conjugate gradients with each prompt's own numbers; the best shared numbers are exact, not trained"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (exact, shared) = (self.exact(setting)?, self.shared(setting)?);
        let d = DIM;
        let over_start = |means: &[f64]| means[d] / means[0];
        let over_own: Vec<String> = (1..=4).map(|k| format!("{:.2}", shared.all[k] / shared.own[k])).collect();
        let evidence = Evidence::of(exact.labels.none(
            "coefficients of the prompt: labels that differ from those of conjugate gradients",
            "labels",
        ))
        .and(
            Finding::identity(
                "one set of coefficients for the batch: least mean loss after d = 5 layers over its start",
                over_start(&shared.all),
                ROUNDING,
            )
            .cases(shared.size)
            .unit("prompts"),
        )
        .condition(
            "the coefficients are computed from the prompt, outside of the network; no shared ones run conjugate gradients on two prompts",
            vec![
                exact.labels.none("labels that differ, all tokens and layers", "labels"),
                exact
                    .unsolved
                    .none("labels of examples not zero, answers not exact, after d layers", "labels"),
                Finding::identity(
                    "a batch of one: mean loss after d layers over its start",
                    over_start(&shared.one),
                    ROUNDING,
                ),
                Finding::at_least(
                    "a batch of two: least mean loss after d layers over its start",
                    LEFT,
                    Estimate::exact(over_start(&shared.two)),
                ),
                Finding::at_least(
                    "least shared mean loss over that of conjugate gradients after 3 layers",
                    WORSE,
                    Estimate::exact(shared.all[3] / shared.own[3]),
                ),
            ],
        )
        .twin(exact.halved.none("every γ halved: labels that differ", "labels"))
        .note(format!(
            "least mean loss of shared scalars over the loss of conjugate gradients after 1, 2, 3, 4 layers: {}",
            over_own.join(", ")
        ));
        Ok(evidence.into())
    }
}
