//! Agreement of a processor's losses, gradients and runs with the machine's own cores.
//!
//! Everything here takes the processor as an argument: a test runs it on the machine's own cores.

use super::ended::distance;
use std::error::Error;
use workbench_ground::stats::Streams;
use workbench_memformer::{Clip, Part, Phase, Precision, Prompts, TaskLaw, TrainingProtocol};
use workbench_tensors::{
    AttentionKind, Entries, FullArchitecture, FullParameters, HadamardWeight, Multiplication, Processor, TokenBatch,
    TokenRegisters,
};

/// d, n, layers, prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes(pub usize, pub usize, pub usize, pub usize);

/// Differences granted to loss, predictions and gradient, and after a run to the loss, as a part of that at the start, and to the
/// parameters: sums of some hundred products in another order on every processor; then Adam, which divides small gradients by small
/// numbers.
pub const TOLERANCES: [(Precision, f64, f64, f64); 2] =
    [(Precision::Single, 1e-4, 2e-3, 5e-2), (Precision::Double, 1e-10, 1e-8, 1e-6)];

/// Sizes at which runs are compared on a device: the documents', and wide matrices.
pub const RUNS: [Sizes; 2] = [Sizes(5, 20, 3, 300), Sizes(17, 30, 2, 32)];

/// What is compared, as a part of the largest number of its kind; losses after a run, of the loss at the start.
#[derive(Clone, Debug)]
pub struct Agreement {
    /// The model.
    pub model: &'static str,
    /// Its sizes.
    pub sizes: Sizes,
    /// The precision of the processor's numbers.
    pub precision: Precision,
    /// What multiplied matrices there.
    pub multiplication: Multiplication,
    /// What is compared: loss, predictions, gradient; after a thousand steps loss and parameters.
    pub what: &'static str,
    /// The largest difference.
    pub difference: f64,
    /// What is granted.
    pub tolerance: f64,
}

impl Agreement {
    /// Whether the difference is within the tolerance.
    pub fn holds(&self) -> bool {
        self.difference <= self.tolerance
    }
}

/// What can multiply matrices on a processor: the machine's own cores have no choice.
pub fn multiplications(processor: Processor) -> &'static [Multiplication] {
    match processor {
        Processor::Cuda(_) => &[Multiplication::Library, Multiplication::Tiles],
        Processor::Cpu | Processor::Rehearsal => &[Multiplication::Library],
    }
}

/// Every kind of register, heads, held entries and softmax.
pub fn models(Sizes(d, n, layers, _): Sizes) -> Result<Vec<(&'static str, FullArchitecture)>, Box<dyn Error>> {
    let plain = FullArchitecture::new(layers, d)?;
    let separate = |weight, tied| plain.with_registers(TokenRegisters::Separate { weight, tied });
    let full = HadamardWeight::Full { examples: n };
    Ok(vec![
        ("no registers", plain),
        ("two heads", plain.with_heads(2)?),
        ("blocks only", plain.with_entries(Entries::Held, Entries::Block)),
        ("one register", plain.with_registers(TokenRegisters::Single)?),
        ("tied numbers", separate(HadamardWeight::Scalar, true)?),
        ("untied numbers", separate(HadamardWeight::Scalar, false)?),
        ("tied rows", separate(HadamardWeight::Rows, true)?),
        ("untied rows", separate(HadamardWeight::Rows, false)?),
        ("tied entries", separate(full, true)?),
        ("untied entries", separate(full, false)?),
        ("softmax", plain.with_attention(AttentionKind::Softmax)),
        (
            "softmax of two heads with rows",
            separate(HadamardWeight::Rows, false)?.with_heads(2)?.with_attention(AttentionKind::Softmax),
        ),
    ])
}

fn start(architecture: FullArchitecture) -> Result<FullParameters, Box<dyn Error>> {
    // Eight cubic layers of larger matrices leave single precision, on any processor.
    let scale = 0.1 / (architecture.dim() + 1) as f64;
    let mut model = FullParameters::random(architecture, scale, &mut Streams::new(3).stream("start")?)?;
    model.registers_mut().iter_mut().for_each(|weight| *weight = 0.7 * *weight + 0.1);
    Ok(model)
}

/// Loss, predictions and gradient of every kind of model on `processor`, with all that can multiply matrices there, against double precision
/// on the machine's own cores.
pub fn compare(processor: Processor, sizes: Sizes) -> Result<Vec<Agreement>, Box<dyn Error>> {
    let Sizes(d, n, _, prompts) = sizes;
    let data = Prompts::draw(&TaskLaw::isotropic(d)?, n, prompts, &mut Streams::new(3).stream("prompts")?)?;
    let exact = TokenBatch::new(&data, Precision::Double, Processor::Cpu)?;
    let mut out = Vec::new();
    for (name, architecture) in models(sizes)? {
        let model = start(architecture)?;
        let (loss, slopes) = exact.loss_and_gradient(&model)?;
        if loss.is_nan() || loss > 1e6 {
            return Err(format!("{name}, {sizes:?}: a loss of {loss:e} says nothing about a processor").into());
        }
        let answers = exact.predictions(&model)?.to_vec();
        for ((precision, tolerance, ..), how) in
            TOLERANCES.into_iter().flat_map(|t| multiplications(processor).iter().map(move |how| (t, how)))
        {
            how.choose();
            let batch = TokenBatch::new(&data, precision, processor)?;
            let (own, gradient) = batch.loss_and_gradient(&model)?;
            let differences = [
                ("loss", distance(&[own], &[loss])),
                ("predictions", distance(&batch.predictions(&model)?.to_vec(), &answers)),
                ("gradient", distance(gradient.values(), slopes.values())),
            ];
            out.extend(
                differences.map(|(what, difference)| agreement(name, sizes, precision, what, difference, tolerance)),
            );
        }
    }
    Multiplication::default().choose();
    Ok(out)
}

/// A run of so many steps of every kind of model on `processor`, against the same run on the machine's own cores.
pub fn compare_runs(processor: Processor, sizes: Sizes, steps: usize) -> Result<Vec<Agreement>, Box<dyn Error>> {
    let Sizes(d, n, _, prompts) = sizes;
    let parts = [Part::UpperBlocks, Part::Preconditioners, Part::Registers];
    let mut out = Vec::new();
    // With softmax attention the machine's own cores are slow: one head of it is enough here.
    let models = models(sizes)?.into_iter();
    for (name, architecture) in
        models.filter(|(_, model)| model.attention() == AttentionKind::Linear || model.heads() == 1)
    {
        for (precision, _, losses, parameters) in TOLERANCES {
            let mut protocol = TrainingProtocol::document().with_examples(n).with_batch(prompts);
            // In larger steps rounding grows until the runs of two machines are two runs.
            protocol.phases = vec![Phase::new(&parts, steps, 0.001).halving_every((steps / 7).max(1))];
            (protocol.clip, protocol.precision) = (Clip::PerMatrix(0.05), precision);
            let run = |processor: Processor| -> Result<(f64, Vec<f64>), Box<dyn Error>> {
                let mut stream = Streams::new(4).stream("run")?;
                let mut run =
                    start(architecture)?.trainer(TaskLaw::isotropic(d)?, protocol.clone(), processor, &mut stream)?;
                run.run()?;
                Ok((run.batch_loss()? / run.fresh_losses()[0].loss, run.parameters().values().to_vec()))
            };
            let ((loss, own), (other, there)) = (run(Processor::Cpu)?, run(processor)?);
            out.push(agreement(
                name,
                sizes,
                precision,
                "loss after a run",
                if other.is_finite() { (other - loss).abs() } else { f64::INFINITY },
                losses,
            ));
            out.push(agreement(name, sizes, precision, "parameters after a run", distance(&there, &own), parameters));
        }
    }
    Ok(out)
}

fn agreement(
    model: &'static str,
    sizes: Sizes,
    precision: Precision,
    what: &'static str,
    difference: f64,
    tolerance: f64,
) -> Agreement {
    Agreement { model, sizes, precision, multiplication: Multiplication::chosen(), what, difference, tolerance }
}
