//! The law of Section 3.3, and batches of its prompts.

use workbench_ledger::{Failure, Setting};
use workbench_memformer::{Prompts, Quadratic, Statistics, TaskLaw};

/// Dimension d.
pub const DIM: usize = 5;
/// Examples n.
pub const EXAMPLES: usize = 20;
/// Eigenvalues of Sigma.
pub const SPECTRUM: [f64; DIM] = [1.0, 1.0, 0.5, 0.25, 1.0];

/// Prompts of a batch: the document's number, and ten times as many at paper scale.
pub fn batch_size(setting: &Setting) -> usize {
    setting.scale().pick(1000, 10_000)
}

/// The law, its rotation drawn from the stream `rotation`; the same law each time.
pub fn law(setting: &Setting) -> Result<TaskLaw, Failure> {
    Ok(TaskLaw::rotated(&SPECTRUM, &mut setting.streams().restart("rotation")?)?)
}

/// Which of the two independent batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Batch {
    /// What shared numbers are fitted on.
    Training,
    /// Fresh prompts.
    Test,
}

/// A batch of `size` prompts of the law.
pub fn prompts(setting: &Setting, law: &TaskLaw, which: Batch, size: usize) -> Result<Statistics, Failure> {
    let name = match which {
        Batch::Training => "training prompts",
        Batch::Test => "test prompts",
    };
    Ok(Prompts::draw(law, EXAMPLES, size, &mut setting.stream(name)?)?.statistics()?)
}

/// The losses of a batch as quadratics.
pub fn losses(setting: &Setting, law: &TaskLaw, which: Batch, size: usize) -> Result<Vec<Quadratic<f64>>, Failure> {
    Ok(Quadratic::of_batch(&prompts(setting, law, which, size)?)?)
}
