//! Eqs. 2.5 and 2.6: layers and output.
//!
//! **Claim** (`memformer/eq-2-5`). Z_{l+1} = Z_l + Attn(Z_l) / n, and the output is TF_L = -[Z_L]_{d+1, n+1}.
//!
//! The model that the other checks train is compared with the printed products, written out here. That derivatives of its output in all P
//! and Q, from an adjoint pass, are those of complex steps is what training stands on. Refuted if an entry or an output differs.

use ndarray::Array2;
use workbench_ledger::{Check, Done, Failure, Sheet};
use workbench_memformer::{
    Head, LayerMemory, LinearTransformer, Mask, complex_step_gradients, largest_difference, literal_attention,
    prediction_gradients, relative_difference,
};

use super::prompts_and_heads::{WIDTH, free_head, prompts};
use super::task_law::EXAMPLES;
use crate::vocabulary::{EXACT, ROUNDING, largest, largest_of};

/// The model against the printed products.
pub const CHECK: Check = Check {
    claim: "memformer/eq-2-5",
    metric: "largest difference beside the largest entry, or beside one",
    against: "an entry after a layer or an output that is not that of the printed products",
    choices: &["d = 5, n = 20, prompts of Section 3.3's law, three layers with normal P and Q of size 0.3"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let (mut stream, batch) = (s.stream("layers")?, prompts(s)?);
    let layers = s.knob("layers L", 3, 1..=50)?;
    let (printed, twin) = (s.printed(ROUNDING), s.twin(ROUNDING));
    let mask = Mask::Printed.matrix::<f64>(EXAMPLES);
    for b in s.cases("prompts", 5, 20)? {
        let z = batch.tokens(b)?;
        let heads = (0..layers).map(|_| free_head(&mut stream, 0.3, 0.3)).collect::<Result<Vec<_>, _>>()?;
        let model = model(heads.clone())?;
        // (2.4) in (2.5), as printed.
        let (fast, mut slow) = (model.forward(&z)?, vec![z.clone()]);
        for head in &heads {
            let now = &slow[slow.len() - 1];
            let scores = now.t().dot(head.q()).dot(now);
            let next = now + &(head.p().dot(now).dot(&mask).dot(&scores) / EXAMPLES as f64);
            slow.push(next);
        }
        let apart = fast.iter().zip(&slow).map(|(a, b)| largest_difference(a, b) / largest(b).max(1.0));
        printed.same("model against the printed products, relative", largest_of(apart));

        let (said, entry) = (model.predict(&z)?, slow[layers][[WIDTH - 1, EXAMPLES]]);
        let size = entry.abs().max(1.0);
        printed.same("output against minus the last entry of the products, relative", (said + entry).abs() / size);

        let (adjoint, stepped) = (prediction_gradients(&heads, &z)?, complex_step_gradients(&heads, &z)?);
        let label = "derivatives in all P, Q against complex steps, relative";
        s.support(ROUNDING).same(label, relative_difference(&stepped, &adjoint));
        let idle = heads.iter().map(|head| Head::new(Array2::zeros((WIDTH, WIDTH)), head.q().clone()));
        let idle = idle.collect::<Result<Vec<_>, _>>()?;
        s.support(EXACT).same("output of layers with P = 0", self::model(idle)?.predict(&z)?.abs());

        let change = literal_attention(&heads[0], &z, Mask::Printed)?;
        let after_one = |step: Array2<f64>| largest_difference(&(&z + &step), &fast[1]);
        twin.same("layers without the factor 1/n, least of the prompts", after_one(change.clone()));
        twin.same("layers with 1/(n+1) for 1/n, least of the prompts", after_one(change / (EXAMPLES + 1) as f64));
        twin.same("output against the entry without its minus, least of the prompts", (said - entry).abs() / size);
        let exchanged =
            adjoint.iter().map(|g| Head::new(g.q().clone(), g.p().clone())).collect::<Result<Vec<_>, _>>()?;
        twin.same("derivatives in P and Q exchanged, least of the prompts", relative_difference(&stepped, &exchanged));
    }
    Ok(())
}

fn model(heads: Vec<Head>) -> Result<LinearTransformer, Failure> {
    let layers = heads.into_iter().map(|head| vec![head]).collect();
    Ok(LinearTransformer::new(layers, LayerMemory::None)?)
}
