//! Associative memories: one memory exactly, recall, simulations, descent.

use workbench::memory::{
    AssociativeMemory, ConditionalDraws, DescentRule, EmbeddingField, Embeddings, Experiment, LearnedTraining, Method,
    Precision, Profile, Readout, RecallStudy, Samples, Scheme, Target, TrainedParts, TrainingRun, TrainingTask, Zipf,
};
use workbench::stats::Streams;

use crate::meter::Meter;
use crate::{Computation, Outcome};

pub const ROWS: &[(&str, Computation)] = &[
    ("error-inputs", |n, meter| error(n, 128, meter)),
    ("error-dim", |d, meter| error(1 << 17, d, meter)),
    ("store-inputs", store),
    ("scores-inputs", scores),
    ("recall-inputs", |n, meter| recall(n, 8, meter)),
    ("recall-runs", |runs, meter| recall(500, runs, meter)),
    ("experiment-inputs", |n, meter| experiment(n, 8, meter)),
    ("experiment-runs", |runs, meter| experiment(500, runs, meter)),
    ("conditional-draws", conditional),
    ("training-steps", descent),
    ("learned-steps", |steps, meter| learned(64, steps, meter)),
    ("learned-dim", |d, meter| learned(d, 10, meter)),
    ("zipf-draws", counts),
];

const CLASSES: usize = 5;

fn law(n: usize) -> Outcome<(Zipf, Vec<usize>)> {
    Ok((Zipf::new(2.0, n)?, Target::modulo(CLASSES)?.labels(n)))
}

fn error(n: usize, d: usize, meter: &mut Meter) -> Outcome<()> {
    let (law, labels) = law(n)?;
    let p = law.probabilities(n);
    // The weights of `Scheme::power(1.0)`, which does not list more than 2^24 of them.
    let weights = p.clone();
    let field = EmbeddingField::new(n, CLASSES, d, &mut Streams::new(1).stream("field")?)?;
    meter.run(|| Ok(field.generalization_error(&weights, &labels, &p, Precision::Single)?))
}

fn stored(n: usize, d: usize) -> Outcome<(Embeddings, Vec<f64>, Vec<usize>)> {
    let (law, labels) = law(n)?;
    let embeddings = Embeddings::draw(n, CLASSES, d, &mut Streams::new(1).stream("embeddings")?)?;
    Ok((embeddings, Scheme::power(1.0)?.population_weights(&law, d)?, labels))
}

fn store(n: usize, meter: &mut Meter) -> Outcome<()> {
    let (embeddings, weights, labels) = stored(n, 256)?;
    meter.run(|| Ok(AssociativeMemory::store(&embeddings, &weights, &labels)?))
}

fn scores(n: usize, meter: &mut Meter) -> Outcome<()> {
    let (embeddings, weights, labels) = stored(n, 256)?;
    let memory = AssociativeMemory::store(&embeddings, &weights, &labels)?;
    meter.run(|| Ok(memory.scores(&embeddings.inputs)?))
}

fn recall(n: usize, runs: usize, meter: &mut Meter) -> Outcome<()> {
    let study = RecallStudy::new(Zipf::new(2.0, n)?, Target::modulo(CLASSES)?)
        .memory(Scheme::uniform(), 64)
        .memory(Scheme::uniform(), 256)
        .samples(Samples::Population)
        .runs(runs);
    meter.run(|| Ok(study.run(&Streams::new(1), "recall")?))
}

fn experiment(n: usize, runs: usize, meter: &mut Meter) -> Outcome<()> {
    let experiment = Experiment::new(Zipf::new(2.0, n)?, Target::modulo(CLASSES)?)
        .schemes(vec![Scheme::uniform(), Scheme::power(1.0)?])
        .dims(vec![256])
        .samples(vec![Samples::Population])
        .runs(runs);
    meter.run(|| Ok(experiment.run(&Streams::new(1), "experiment")?))
}

fn conditional(draws: usize, meter: &mut Meter) -> Outcome<()> {
    let (law, target, scheme) = (Zipf::infinite(2.0)?, Target::modulo(CLASSES)?, Scheme::power(1.0)?);
    let profile = Profile::population(&law, &target, &scheme, 64)?;
    let draws = ConditionalDraws::new(CLASSES, draws, &mut Streams::new(1).stream("draws")?)?;
    meter.run(|| Ok(draws.expected_error(&profile, 64)?))
}

fn descent(steps: usize, meter: &mut Meter) -> Outcome<()> {
    let (n, d) = (100, 64);
    let (embeddings, _, labels) = stored(n, d)?;
    let task = TrainingTask::new(embeddings, &labels, &Zipf::new(2.0, n)?.probabilities(n))?;
    let start = TrainingRun::new(&task, &Method::sgd(0.1)?)?;
    meter.run(|| {
        let mut run = start.clone();
        run.advance(steps, &mut Streams::new(1).stream("data")?)?;
        Ok(run)
    })
}

fn learned(d: usize, steps: usize, meter: &mut Meter) -> Outcome<()> {
    let (law, target) = (Zipf::new(2.0, 20)?, Target::modulo(CLASSES)?);
    let training = LearnedTraining::new(law, target, d, Readout::Linear, TrainedParts::Everything)
        .rule(DescentRule::ADAM)
        .rate(0.01)?
        .look_every(1 << 20)
        .steps(steps);
    meter.run(|| Ok(training.run(&Streams::new(1), "learned", 1)?))
}

fn counts(t: usize, meter: &mut Meter) -> Outcome<()> {
    let law = Zipf::infinite(2.0)?;
    meter.run(|| Ok(law.sample_counts(t, &mut Streams::new(1).stream("counts")?)?))
}
