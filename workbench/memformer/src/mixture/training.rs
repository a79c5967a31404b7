//! Training: experts side by side, a model on a mixture, several heads in one register.

use super::experts::Gated;
use super::law::{GaussianMixture, Level};
use super::tuner::{TunedParts, Tuner};
use crate::{Architecture, Batch, Error, FreshLoss, Parameters, Part, RunStatus, TaskLaw, Trainer, TrainingProtocol};
use rand::RngCore;
use rayon::prelude::*;
use workbench_ground::check::positive;
use workbench_ground::stats::{Stream, Streams};
use workbench_ground::work::{self, Stopped};

/// One model for each law, trained alone by the same protocol, side by side on all threads.
///
/// The experts of Section 4.2: with one-hot gates joint training would touch no other head, so training alone is the same.
///
/// **Source**: Section 4.2, Mixture of Experts.
/// **Errors**: no law, as [`Trainer::new`] and [`Trainer::run`], a stop request.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::{Architecture, Part, Phase, TaskLaw, TrainingProtocol, train_experts};
/// let protocol = TrainingProtocol::document().with_batch(200).with_phases(vec![Phase::new(&[Part::Preconditioners], 200, 0.05)]);
/// let law = TaskLaw::isotropic(2)?;
/// let mut stream = Streams::new(1).stream("experts")?;
/// let experts = train_experts(Architecture::new(2, 2)?, &[law.clone(), law.scaled(3.0)?], &protocol, &mut stream)?;
/// // Three times the variance asks for a third of the step.
/// let ratio = experts[1].a(0)?[[0, 0]] / experts[0].a(0)?[[0, 0]];
/// assert!((ratio - 1.0 / 3.0).abs() < 0.2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn train_experts(
    architecture: Architecture,
    laws: &[TaskLaw],
    protocol: &TrainingProtocol,
    stream: &mut Stream,
) -> Result<Vec<Parameters>, Error> {
    const OP: &str = "train_experts";
    positive(OP, "the number of laws", laws.len())?;
    let streams = Streams::new(stream.next_u64());
    let mut runs = Vec::new();
    for (i, law) in laws.iter().enumerate() {
        let mut stream = streams.replicate("expert", i)?;
        runs.push(Trainer::new(architecture, law.clone(), protocol.clone(), &mut stream)?);
    }
    let train = |mut run: Trainer| -> Result<Parameters, Error> {
        let end = run.run()?;
        whole(OP, end, run.steps_taken(), protocol.steps())?;
        Ok(run.parameters().clone())
    };
    match runs.len() {
        // On the thread that asked, which a rehearsed stop request is seen by.
        1 => runs.into_iter().map(train).collect(),
        _ => runs.into_par_iter().map(train).collect(),
    }
}

/// One model trained on prompts of a mixture, by the same protocol and with fresh prompts as often.
///
/// **Source**: Section 4.2, Gaussian Mixture Models.
/// **Errors**: as [`train_experts`], n zero.
pub fn train_on_mixture(
    architecture: Architecture,
    mixture: &GaussianMixture,
    level: Level,
    protocol: &TrainingProtocol,
    stream: &mut Stream,
) -> Result<Parameters, Error> {
    const OP: &str = "train_on_mixture";
    let mut run = Trainer::new(architecture, mixture.components()[0].clone(), protocol.clone(), stream)?;
    let every = match protocol.resample_every {
        0 => protocol.steps(),
        every => every,
    };
    while run.steps_taken() < protocol.steps() {
        let batch = mixture.batch(protocol.examples, protocol.batch, level, protocol.precision, stream)?;
        run.hold(batch)?;
        let end = run.run_for(every)?;
        whole(OP, end, run.steps_taken(), protocol.steps())?;
    }
    Ok(run.parameters().clone())
}

/// Trains heads that are added up in one register (every gate 1), each with moments of its own, and says how the loss fell.
///
/// All heads see the gradient of the sum, so that Adam moves them alike: H heads at rate r are one head at rate H r, started at the
/// sum of their starts, for every batch. Fresh prompts come from the same streams as a [`Trainer`]'s.
///
/// **Source**: Section 4.1. **Errors**: as [`Gated::summed`], a law of another dimension, a stop request.
pub fn train_heads(
    heads: Vec<Parameters>,
    law: &TaskLaw,
    protocol: &TrainingProtocol,
    stream: &mut Stream,
) -> Result<(Gated, Vec<FreshLoss>), Error> {
    const OP: &str = "train_heads";
    protocol.check()?;
    let seed = stream.next_u64();
    let mut model = Gated::summed(heads)?;
    let (mut fresh, mut batch): (Vec<FreshLoss>, Option<(usize, Batch)>) = (Vec::new(), None);
    let of = protocol.steps();
    let mut step = 0;
    for phase in &protocol.phases {
        let parts = TunedParts {
            gates: false,
            registers: phase.parts.contains(&Part::Registers),
            preconditioners: phase.parts.contains(&Part::Preconditioners),
        };
        let mut tuner = Tuner::new(model, parts)?.with_clip(protocol.clip).with_betas(protocol.betas);
        for within in 0..phase.steps {
            work::check(OP, step, of)?;
            let index = step.checked_div(protocol.resample_every).unwrap_or(0);
            let renew = batch.as_ref().is_none_or(|(held, _)| *held != index);
            if renew {
                let mut stream = Streams::new(seed).restart_replicate("batch", index)?;
                let drawn = Batch::draw(law, protocol.examples, protocol.batch, protocol.precision, &mut stream)?;
                batch = Some((index, drawn));
            }
            // Drawn above.
            let Some((_, prompts)) = &batch else { break };
            let loss = tuner.step(prompts, phase.rate_at(within))?;
            if renew {
                fresh.push(FreshLoss { step, loss });
            }
            step += 1;
        }
        model = tuner.model().clone();
    }
    Ok((model, fresh))
}

fn whole(operation: &'static str, end: RunStatus, done: usize, of: usize) -> Result<(), Error> {
    match end {
        RunStatus::Done => Ok(()),
        RunStatus::Stopped => Err(Error::Stopped(Stopped { operation, done, of })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Phase, Precision, RegisterKind, RegisterWeight};
    use workbench_ground::stats::largest_of;

    fn protocol(steps: usize, rate: f64) -> TrainingProtocol {
        let mut protocol = TrainingProtocol::document()
            .with_batch(200)
            .with_phases(vec![Phase::new(&[Part::Preconditioners], steps, rate).halving_every(100)]);
        protocol.precision = Precision::Double;
        protocol
    }

    fn stream(name: &str) -> Stream {
        Streams::new(12).stream(name).unwrap()
    }

    fn model() -> Architecture {
        let kind = RegisterKind::Separate { weight: RegisterWeight::Scalar, tied: true };
        Architecture::new(3, 2).unwrap().with_registers(kind)
    }

    #[test]
    fn several_heads_are_one_head_with_a_larger_rate() {
        let law = TaskLaw::isotropic(2).unwrap();
        let mut start = stream("heads");
        let heads: Vec<Parameters> = (0..4).map(|_| Parameters::random(model(), 1e-3, &mut start).unwrap()).collect();
        let one = Gated::summed(heads.clone()).unwrap().merged();
        let train = |heads: Vec<Parameters>, rate: f64| {
            train_heads(heads, &law, &protocol(250, rate), &mut stream("run")).unwrap()
        };
        let (many, several) = train(heads, 0.005);
        let (single, alone) = train(vec![one.clone()], 0.02);
        for (a, b) in several.iter().zip(&alone) {
            assert!((a.loss / b.loss - 1.0).abs() < 1e-9, "{a:?} {b:?}");
        }
        let (many, single) = (many.merged(), single.merged());
        let gap = many.values().iter().zip(single.values()).map(|(a, b)| (a - b).abs());
        assert!(largest_of(gap) < 1e-9);
        // One head here is the trainer's run.
        let mut trainer = Trainer::from_parameters(one, law.clone(), protocol(250, 0.02), &mut stream("run")).unwrap();
        trainer.run().unwrap();
        for (a, b) in trainer.fresh_losses().iter().zip(&alone) {
            assert!(a.step == b.step && (a.loss / b.loss - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_mixture_of_equal_laws_is_the_law() {
        // One layer, whose best matrix is a multiple of the identity: nothing for chance to choose but the prompts, so batches are large.
        let school = protocol(600, 0.05).with_batch(8000);
        let (law, one) = (TaskLaw::isotropic(2).unwrap(), Architecture::new(1, 2).unwrap());
        let mixture = GaussianMixture::pooled(&law, &[1.0, 1.0]).unwrap();
        let mixed = train_on_mixture(one, &mixture, Level::Prompt, &school, &mut stream("m")).unwrap();
        let plain = train_experts(one, std::slice::from_ref(&law), &school, &mut stream("p")).unwrap();
        let test = Batch::draw(&law, 20, 2000, Precision::Double, &mut stream("t")).unwrap();
        let (a, b) = (test.loss(&mixed).unwrap(), test.loss(&plain[0]).unwrap());
        assert!((a / b - 1.0).abs() < 0.05, "{a} {b}");
    }

    #[test]
    fn bad_requests_and_stops() {
        let law = TaskLaw::isotropic(2).unwrap();
        assert!(
            train_experts(model(), &[], &protocol(10, 0.1), &mut stream("a")).unwrap_err().to_string().contains("laws")
        );
        let wrong = TaskLaw::isotropic(3).unwrap();
        assert!(train_experts(model(), &[law.clone(), wrong], &protocol(10, 0.1), &mut stream("b")).is_err());
        let heads = vec![Parameters::neutral(model())];
        let mut bad = protocol(10, 0.1);
        bad.batch = 0;
        assert!(train_heads(heads.clone(), &law, &bad, &mut stream("c")).is_err());
        let stopped = workbench_ground::rehearsal::stop_after(5, || {
            train_heads(heads.clone(), &law, &protocol(100, 0.1), &mut stream("d"))
        });
        assert!(matches!(stopped, Err(Error::Stopped(_))));
        let stopped = workbench_ground::rehearsal::stop_after(5, || {
            train_experts(model(), std::slice::from_ref(&law), &protocol(100, 0.1), &mut stream("e"))
        });
        assert!(matches!(stopped, Err(Error::Stopped(_))));
        let mixture = GaussianMixture::pooled(&law, &[1.0]).unwrap();
        let stopped = workbench_ground::rehearsal::stop_after(9, || {
            train_on_mixture(model(), &mixture, Level::Token, &protocol(100, 0.1), &mut stream("f"))
        });
        assert!(matches!(stopped, Err(Error::Stopped(_))));
    }
}
