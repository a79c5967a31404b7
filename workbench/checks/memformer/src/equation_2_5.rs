//! Eqs. 2.5 and 2.6: layers and output.
//!
//! **Claim** (`memformer/eq-2-5`). Z_{l+1} = Z_l + Attn(Z_l) / n, and the output is TF_L = -[Z_L]_{d+1, n+1}.
//!
//! The model that the other checks train is compared with the printed products taken entry by entry, and the derivatives of its output in
//! all P and Q, from an adjoint pass, with complex steps. Against it counts an entry, an output or a derivative that differs.

use ndarray::Array2;
use workbench_ledger::{Check, Checked, Evidence, Failure, Finding, Plan, Setting};
use workbench_memformer::{
    Head, LayerMemory, LinearTransformer, Mask, complex_step_gradients, largest_difference, literal_attention,
    literal_forward, output, prediction_gradients, relative_difference,
};

use super::section_2_1::{WIDTH, free_head, prompts};
use super::section_3_3::EXAMPLES;
use crate::vocabulary::{EXACT, Largest, Least, ROUNDING, by_scale, largest};

/// The model against the printed products.
#[derive(Clone, Debug)]
pub struct LayersAndOutput {
    /// Prompts; by scale if 0.
    pub prompts: usize,
    /// Layers L.
    pub layers: usize,
}

impl Default for LayersAndOutput {
    fn default() -> LayersAndOutput {
        LayersAndOutput { prompts: 0, layers: 3 }
    }
}

#[derive(Default)]
struct Seen {
    forward: Largest,
    outputs: Largest,
    slopes: Largest,
    silent: Largest,
    unscaled: Least,
    all_tokens: Least,
    unsigned: Least,
    exchanged: Least,
}

fn model(heads: impl IntoIterator<Item = Head>) -> Result<LinearTransformer, Failure> {
    let layers = heads.into_iter().map(|head| vec![head]).collect();
    Ok(LinearTransformer::new(layers, LayerMemory::None)?)
}

/// One prompt `z` and one model.
fn compare(z: &Array2<f64>, heads: &[Head], seen: &mut Seen) -> Result<(), Failure> {
    let model_here = model(heads.iter().cloned())?;
    let (fast, slow) = (model_here.forward(z)?, literal_forward(heads, z, Mask::Printed)?);
    for (a, b) in fast.iter().zip(&slow) {
        seen.forward.see(largest_difference(a, b) / largest(b).max(1.0));
    }
    let (said, entry) = (model_here.predict(z)?, -output(&slow)?);
    let size = entry.abs().max(1.0);
    seen.outputs.see((said + entry).abs() / size);
    seen.unsigned.see((said - entry).abs() / size);
    let change = literal_attention(&heads[0], z, Mask::Printed)?;
    seen.unscaled.see(largest_difference(&(z + &change), &fast[1]));
    let too_short = z + &(&change / (EXAMPLES + 1) as f64);
    seen.all_tokens.see(largest_difference(&too_short, &fast[1]));
    let (adjoint, stepped) = (prediction_gradients(heads, z)?, complex_step_gradients(heads, z)?);
    seen.slopes.see(relative_difference(&stepped, &adjoint));
    let exchange = |g: &Head| Head::new(g.q().clone(), g.p().clone());
    let exchanged = adjoint.iter().map(exchange).collect::<Result<Vec<_>, _>>()?;
    seen.exchanged.see(relative_difference(&stepped, &exchanged));
    let idle = |head: &Head| Head::new(Array2::zeros((WIDTH, WIDTH)), head.q().clone());
    let idle = heads.iter().map(idle).collect::<Result<Vec<_>, _>>()?;
    seen.silent.see(model(idle)?.predict(z)?.abs());
    Ok(())
}

impl Check for LayersAndOutput {
    const CLAIM: &'static str = "memformer/eq-2-5";
    const PLAN: Plan = Plan::new(
        "largest difference beside the largest entry, or beside one",
        "an entry after a layer, an output or a derivative that is not that of the printed products",
        &[EXACT, ROUNDING],
    )
    .protocol(&["d = 5, n = 20, prompts of Section 3.3's law, three layers with normal P and Q of size 0.3"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("layers")?;
        let (batch, mut seen) = (prompts(setting)?, Seen::default());
        let tried = by_scale(self.prompts, setting.scale().pick(5, 20));
        for b in 0..tried {
            let heads = (0..self.layers).map(|_| free_head(&mut stream, 0.3, 0.3));
            compare(&batch.tokens(b)?, &heads.collect::<Result<Vec<_>, _>>()?, &mut seen)?;
        }
        let of = |finding: Finding| finding.cases(tried).unit("prompts");
        let same = |label: &str, error: f64| of(Finding::identity(label, error, ROUNDING));
        let evidence = Evidence::of(same("model against the printed products, relative", seen.forward.0))
            .and(same("output against minus the last entry of the products, relative", seen.outputs.0))
            .and(same("derivatives in all P, Q against complex steps, relative", seen.slopes.0))
            .and(of(Finding::identity("output of layers with P = 0", seen.silent.0, EXACT)))
            .twin(same("layers without the factor 1/n, least of the prompts", seen.unscaled.0))
            .twin(same("layers with 1/(n+1) for 1/n, least of the prompts", seen.all_tokens.0))
            .twin(same("output against the entry without its minus, least of the prompts", seen.unsigned.0))
            .twin(same("derivatives in P and Q exchanged, least of the prompts", seen.exchanged.0));
        Ok(evidence.into())
    }
}
