//! Memformers with free P and Q.

use crate::Computation;

#[cfg(not(feature = "tensors"))]
pub const ROWS: &[(&str, Computation)] = &[];

#[cfg(feature = "tensors")]
pub const ROWS: &[(&str, Computation)] = &[
    ("free-prompts", |b, meter| free::pass(b, 5, 3, 20, meter)),
    ("free-layers", |l, meter| free::pass(512, 5, l, 20, meter)),
    ("free-examples", |n, meter| free::pass(64, 5, 3, n, meter)),
    ("free-dim", |d, meter| free::pass(16, d, 1, d, meter)),
];

#[cfg(feature = "tensors")]
mod free {
    use workbench::memformer::{Precision, TaskLaw};
    use workbench::stats::Streams;
    use workbench::tensors::{FullArchitecture, FullParameters, Processor, TokenBatch};

    use crate::Outcome;
    use crate::meter::Meter;

    pub fn pass(prompts: usize, d: usize, layers: usize, n: usize, meter: &mut Meter) -> Outcome<()> {
        let (streams, law) = (Streams::new(1), TaskLaw::isotropic(d)?);
        let mut stream = streams.stream("prompts")?;
        let batch = TokenBatch::draw(&law, n, prompts, Precision::Single, Processor::Cpu, &mut stream)?;
        let model = FullParameters::random(FullArchitecture::new(layers, d)?, 0.01, &mut streams.stream("start")?)?;
        meter.run(|| Ok(batch.loss_and_gradient(&model)?))
    }
}
