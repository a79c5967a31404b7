//! Theorem 3.1: a memory register runs conjugate gradients.
//!
//! **Claim** (`memformer/thm-3-1`, Eqs. 3.1 and 3.2). With R_l = Attn(Z_l) + gamma_l R_{l-1}, Z_{l+1} = Z_l + alpha_l R_l / n and A_l = I a
//! memformer implements conjugate gradients on the loss of the prompt.
//!
//! "Implements" has two readings. With alpha and gamma worked out for this prompt every label of every layer must be that of conjugate
//! gradients, in fractions. With one set of numbers for all prompts, which is what the parameters of a network are, conjugate gradients
//! would reach zero loss after d layers on every prompt; the best shared numbers have a closed form, so what they leave is the least
//! possible.

use workbench_ground::stats::mean;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{
    Fraction, Instance, LinearTransformer, Measure, Number, Quadratic, SingleMemory, best_shared_memory,
    conjugate_gradient, identity,
};

use super::exact::{dot, labels, part, stack, whole};
use super::task_law::{Batch, DIM, batch_size, law, losses};
use crate::vocabulary::{EXACT, ROUNDING, largest_of};

const LEFT: Margin =
    Margin::rounding("something left", 1e-9, "a thousand times what rounding leaves of a loss of order one");

/// Both readings.
pub const CHECK: Check = Check {
    claim: "memformer/thm-3-1",
    metric: "labels that differ, in fractions; least mean loss of a batch over its start",
    against: "one label that differs with the prompt's own numbers; loss that the best shared numbers leave after d layers",
    protocol: &["shared numbers: law of Section 3.3, d = 5, n = 20; the document's batches hold 1000 prompts"],
    departures: &[
        "prompts in fractions have d = 2 to 4 and n = 5 or 6, so that equal means equal",
        "at paper scale 10,000 prompts share their numbers",
    ],
    rivals: &["conjugate gradients with each prompt's own numbers; the best shared numbers are exact, not trained"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.weaker(
        "for each prompt there are such coefficients, computed from it outside of the network; no shared ones run conjugate gradients on two prompts",
    );
    own_numbers(s)?;
    shared_numbers(s)
}

/// With the prompt's own numbers, in fractions.
fn own_numbers(s: &Sheet) -> Done {
    let mut stream = s.stream("theorem 3.1")?;
    for case in s.cases("prompts", 6, 24)? {
        let (d, n) = (2 + case % 3, 5 + case % 2);
        let prompt = Instance::draw(&mut stream, d, n)?;
        let f = prompt.quadratic();
        let run = conjugate_gradient(&f, &f.origin(), d)?;
        let layers = stack(&identity(d), d)?;
        let with = |coefficients: &SingleMemory<Fraction>| {
            LinearTransformer::with_one_register(layers.clone(), coefficients)?.forward(&prompt.tokens)
        };
        let states = with(&run.coefficients)?;
        let label = "coefficients of the prompt: labels that differ from those of conjugate gradients";
        labels(s.both_forms(EXACT), label, &prompt, &states, &run.iterates)?;
        let solved = s.changed(EXACT).of("labels");
        let label = "labels of examples not zero, answers not exact, after d layers";
        for i in 0..n {
            solved.never(label, states[d][[d, i]] != whole(0));
        }
        solved.never(label, states[d][[d, n]].negated() != dot(&prompt.query(), &prompt.target)?);
        let mut halved = run.coefficients.clone();
        halved.gamma.iter_mut().for_each(|gamma| *gamma = gamma.times(&part(1, 2)));
        labels(s.twin(EXACT), "every γ halved: labels that differ", &prompt, &with(&halved)?, &run.iterates)?;
    }
    Ok(())
}

/// With the best numbers for a batch, for its first two prompts and for its first.
fn shared_numbers(s: &Sheet) -> Done {
    let steps = 7;
    let size = s.knob("prompts that share one set of numbers", batch_size(s), 2..)?;
    let batch = losses(s, &law(s)?, Batch::Training, size)?;
    let least = |batch: &[Quadratic<f64>], steps: usize| -> Result<Vec<f64>, Failure> {
        Ok(best_shared_memory(batch, steps, &Measure::Loss)?.means)
    };
    let (all, two, one) = (least(&batch, steps)?, least(&batch[..2], DIM)?, least(&batch[..1], DIM)?);
    let over_start = |means: &[f64]| means[DIM] / means[0];
    let label = "one set of coefficients for the batch: least mean loss after d = 5 layers over its start";
    s.printed(ROUNDING).over(size, "prompts").same(label, over_start(&all));
    let label = "a batch of one: mean loss after d layers over its start";
    s.changed(ROUNDING).over(1, "prompt").same(label, over_start(&one));
    let label = "a batch of two: least mean loss after d layers over its start";
    s.changed(LEFT).over(2, "prompts").at_least(label, over_start(&two));

    let runs = batch.iter().map(|f| conjugate_gradient(f, &f.origin(), steps)).collect::<Result<Vec<_>, _>>()?;
    let own = |step: usize| -> Result<f64, Failure> {
        let loss = |(f, i): (&Quadratic<f64>, usize)| largest_of([f.value(&runs[i].iterates[step]), 1e-32]);
        Ok(mean(&batch.iter().zip(0..).map(loss).collect::<Vec<f64>>())?.value)
    };
    let label = "decades by which the least shared mean loss is above that of conjugate gradients after 3 layers";
    s.support(Margin::ZERO).over(size, "prompts").at_least(label, (all[3] / own(3)?).log10());
    let ratios = (1..=4).map(|k| Ok(format!("{:.2}", all[k] / own(k)?))).collect::<Result<Vec<_>, Failure>>()?;
    s.note(format!(
        "least mean loss of shared scalars over the loss of conjugate gradients after 1, 2, 3, 4 layers: {}",
        ratios.join(", ")
    ));
    Ok(())
}
