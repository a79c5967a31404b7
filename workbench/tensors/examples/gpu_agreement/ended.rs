//! A fault as it should end: an error that says what to do, and a run that goes on from its last checkpoint on the machine's own cores.

use std::error::Error;
use workbench_ground::stats::Streams;
use workbench_memformer::{Clip, Part, Phase, Precision, TaskLaw, TrainingProtocol};
use workbench_tensors::{FullArchitecture, FullParameters, Processor, TokenRegisters};

pub type Doubtful<T> = Result<T, Box<dyn Error>>;

/// Difference granted to parameters of a run that goes on elsewhere, in double precision.
const APART: f64 = 1e-9;
/// After so many steps something happens, before the batch is changed at the tenth.
const BEGUN: usize = 8;
const STEPS: usize = 40;

/// A run that a fault has ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The error.
    pub said: String,
    /// Steps in the checkpoint that was left.
    pub kept: usize,
    /// Largest difference of the parameters from those of a run that nothing has ended, as a part of the largest.
    pub apart: f64,
}

/// A fault, and whether it ended as it should.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What went wrong.
    pub what: &'static str,
    /// The error.
    pub said: String,
    /// Whether the error says what is to be done, and the run that it ended could go on.
    pub holds: bool,
}

impl Fault {
    /// Of something that is refused, with these words in it.
    pub fn refusal(what: &'static str, said: String, names: &str) -> Fault {
        let holds = said.contains(names) && said.contains("Processor::Cpu");
        Fault { what, said, holds }
    }

    /// Of a run that was ended, with one of these words in its error.
    pub fn end(what: &'static str, ended: Ended, names: &[&str]) -> Fault {
        let goes_on = ended.kept >= BEGUN && ended.apart < APART;
        let holds =
            goes_on && names.iter().any(|name| ended.said.contains(name)) && ended.said.contains("Processor::Cpu");
        let said = ended.said;
        Fault { what, said, holds }
    }
}

/// A run that keeps a checkpoint every third step, in which `happens` after [`BEGUN`] steps.
pub fn ended(processor: Processor, happens: impl FnOnce() -> Doubtful<()>) -> Doubtful<Ended> {
    let (d, n, batch) = (3, 9, 700);
    let parts = [Part::UpperBlocks, Part::Preconditioners, Part::Registers];
    let mut protocol = TrainingProtocol::document()
        .with_examples(n)
        .with_batch(batch)
        .with_phases(vec![Phase::new(&parts, STEPS, 0.002)]);
    (protocol.clip, protocol.resample_every) = (Clip::PerMatrix(0.05), 10);
    protocol.precision = Precision::Double;
    let architecture = FullArchitecture::new(3, d)?.with_registers(TokenRegisters::Single)?;
    let run = |processor| -> Doubtful<_> {
        let streams = Streams::new(8);
        let model = FullParameters::random(architecture, 0.3 / (d + 1) as f64, &mut streams.stream("start")?)?;
        let (law, mut stream) = (TaskLaw::isotropic(d)?, streams.stream("run")?);
        Ok(model.trainer(law, protocol.clone(), processor, &mut stream)?)
    };
    let mut whole = run(Processor::Cpu)?;
    whole.run()?;
    let path = std::env::temp_dir().join(format!("gpu_agreement-{}.json", std::process::id()));
    let mut begun = run(processor)?;
    begun.keep(&path, 3);
    begun.run_for(BEGUN)?;
    happens()?;
    let said = match begun.run() {
        Ok(_) => return Err("the run came to its end all the same".into()),
        Err(error) => error.to_string(),
    };
    let mut on = FullParameters::load_trainer(&path, Processor::Cpu)?;
    std::fs::remove_file(&path)?;
    let kept = on.steps_taken();
    on.run()?;
    let apart = distance(on.parameters().values(), whole.parameters().values());
    Ok(Ended { said, kept, apart })
}

/// Largest difference as a part of the largest entry; infinite for different lengths or entries that are not numbers.
pub fn distance(got: &[f64], want: &[f64]) -> f64 {
    let scale = want.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let gaps = got.iter().zip(want).map(|(a, b)| (a - b).abs());
    let gap = gaps.fold(0.0, |m: f64, g| if g.is_nan() { f64::INFINITY } else { m.max(g) });
    if got.len() == want.len() && scale.is_finite() { gap / scale } else { f64::INFINITY }
}
