//! A small batch with its loss and gradient on a processor, for a program in another language to compute the same.

use super::agreement::Sizes;
use std::error::Error;
use std::fs;
use std::path::Path;
use workbench_ground::stats::Streams;
use workbench_memformer::{Precision, Prompts, TaskLaw};
use workbench_tensors::{AttentionKind, FullArchitecture, FullParameters, Processor, TokenBatch};

/// Writes `same_linear.csv` or `same_softmax.csv` into `folder`, if there is one: a line for each array, its name first, in double precision
/// and in row order. Tokens are `(B, n + 1, d + 1)` with the query last, values and gradient `(2, L, d + 1, d + 1)`, all P before all Q.
pub fn write(
    processor: Processor,
    sizes: Sizes,
    attention: AttentionKind,
    folder: Option<&Path>,
) -> Result<(), Box<dyn Error>> {
    let Some(folder) = folder else { return Ok(()) };
    let Sizes(d, n, layers, count) = sizes;
    let streams = Streams::new(6);
    let prompts = Prompts::draw(&TaskLaw::isotropic(d)?, n, count, &mut streams.stream("prompts")?)?;
    let scale = 0.4 / (d + 1) as f64;
    let architecture = FullArchitecture::new(layers, d)?.with_attention(attention);
    let model = FullParameters::random(architecture, scale, &mut streams.stream("start")?)?;
    let batch = TokenBatch::new(&prompts, Precision::Double, processor)?;
    let (loss, gradient) = batch.loss_and_gradient(&model)?;
    let mut tokens = Vec::new();
    for b in 0..count {
        tokens.extend(prompts.tokens(b)?.t().iter().copied());
    }
    let arrays = [
        ("sizes", vec![d as f64, n as f64, layers as f64, count as f64]),
        ("tokens", tokens),
        ("answers", prompts.answers().to_vec()),
        ("values", model.values().to_vec()),
        ("loss", vec![loss]),
        ("gradient", gradient.values().to_vec()),
    ];
    let line = |(name, numbers): &(&str, Vec<f64>)| {
        let numbers = numbers.iter().map(|number| format!(",{number:e}"));
        format!("{name}{}\n", numbers.collect::<String>())
    };
    let name = format!("same_{}.csv", format!("{attention:?}").to_lowercase());
    fs::create_dir_all(folder)?;
    fs::write(folder.join(name), arrays.iter().map(line).collect::<String>())?;
    Ok(())
}
