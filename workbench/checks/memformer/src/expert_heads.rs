//! The heads of Section 4.2, each trained alone on its law: experts for variances, and experts for the components of the mixture.

use std::sync::Arc;

use workbench_ground::stats::Streams;
use workbench_ledger::{Failure, Setting};
use workbench_memformer::{GaussianMixture, Level, Parameters, RegisterKind, TaskLaw, train_experts, train_on_mixture};

use super::independent_runs::{of_run, runs, school, shape, steps, tied};
use super::task_law::SPECTRUM;

/// Variances that experts are trained at.
pub const TRAINED: [f64; 3] = [1.0, 2.0, 3.0];
/// Variances that no expert has seen.
pub const UNSEEN: [f64; 3] = [0.5, 1.5, 3.5];

/// One run of the experts for variances.
pub struct Variances {
    /// The law at variance one.
    pub law: TaskLaw,
    /// A head for each of [`TRAINED`].
    pub experts: Vec<Parameters>,
    /// A model trained at each of [`UNSEEN`]: what adaptation would like to reach.
    pub there: Vec<Parameters>,
    /// One model trained on all of [`TRAINED`] together.
    pub pooled: Parameters,
}

/// One run of the experts for components.
pub struct Components {
    /// The law whose covariance the components share.
    pub base: TaskLaw,
    /// The document's mixture.
    pub mixture: GaussianMixture,
    /// Transformer heads, one for each component.
    pub plain: Vec<Parameters>,
    /// Memformer heads, one for each component.
    pub registers: Vec<Parameters>,
}

/// A law with a rotation of its own, from the stream `rotation` of a run.
pub fn rotated(streams: &Streams) -> Result<TaskLaw, Failure> {
    Ok(TaskLaw::rotated(&SPECTRUM, &mut streams.stream("rotation")?)?)
}

/// The experts for variances, trained once for all checks.
pub fn variances(setting: &Setting) -> Result<Arc<Vec<Variances>>, Failure> {
    setting
        .shared("section 4.2, experts for variances", |own| (0..runs(own)).map(|run| variances_of(own, run)).collect())
}

fn variances_of(setting: &Setting, run: usize) -> Result<Variances, Failure> {
    let streams = of_run(setting, "experts run", run)?;
    let law = rotated(&streams)?;
    let protocol = school(steps(setting), true);
    let train = |list: &[f64], name: &str| -> Result<Vec<Parameters>, Failure> {
        let laws = list.iter().map(|v| law.scaled(*v)).collect::<Result<Vec<_>, _>>()?;
        Ok(train_experts(shape(tied())?, &laws, &protocol, &mut streams.stream(name)?)?)
    };
    let (experts, there) = (train(&TRAINED, "experts")?, train(&UNSEEN, "oracles")?);
    let together = GaussianMixture::pooled(&law, &TRAINED)?;
    let mut stream = streams.stream("pooled")?;
    Ok(Variances {
        experts,
        there,
        pooled: train_on_mixture(shape(tied())?, &together, Level::Prompt, &protocol, &mut stream)?,
        law,
    })
}

/// The experts for components, trained once for all checks.
pub fn components(setting: &Setting) -> Result<Arc<Vec<Components>>, Failure> {
    setting.shared("section 4.2, experts for components", |own| {
        (0..runs(own)).map(|run| components_of(own, run)).collect()
    })
}

fn components_of(setting: &Setting, run: usize) -> Result<Components, Failure> {
    let streams = of_run(setting, "mixture run", run)?;
    let base = rotated(&streams)?;
    let mixture = GaussianMixture::document(&base)?;
    let train = |registers: RegisterKind, name: &str| -> Result<Vec<Parameters>, Failure> {
        let protocol = school(setting.scale().pick(3, 2) * steps(setting), registers != RegisterKind::None);
        let mut stream = streams.stream(name)?;
        Ok(train_experts(shape(registers)?, mixture.components(), &protocol, &mut stream)?)
    };
    let (plain, registers) = (train(RegisterKind::None, "plain")?, train(tied(), "registers")?);
    Ok(Components { base, plain, registers, mixture })
}
