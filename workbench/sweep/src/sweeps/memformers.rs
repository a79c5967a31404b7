//! Ensembles of memformers over depth, batch and seed.

use serde::{Deserialize, Serialize};
use workbench_ground::Error;
use workbench_ground::work;
use workbench_memformer::{
    Architecture, ConjugateGradient, FirstOrderMethod, Part, Phase, RegisterKind, RegisterWeight, Score, TaskLaw,
    TestSet, Trainer, TrainingProtocol,
};
use workbench_record::Scale;

use crate::{Column, Draws, Kind, Rows, Sweep};

/// Test losses of memformers trained as in Section 3.3 of the memformer document, beside conjugate gradients on the same prompts.
#[derive(Clone, Copy, Debug)]
pub struct Memformers;

/// A training.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Point {
    /// Layers L.
    pub depth: usize,
    /// Prompts per batch B.
    pub batch: usize,
    /// Steps that train the preconditioners; half as many train the registers after them.
    pub steps: usize,
}

/// The spectrum of the covariates, Section 3.3.
const SPECTRUM: [f64; 5] = [1.0, 1.0, 0.5, 0.25, 1.0];
/// Prompts that no training sees.
const TEST: usize = 1000;

impl Sweep for Memformers {
    type Point = Point;
    const NAME: &'static str = "memformers";
    const TITLE: &'static str = "memformers over depth, batch and seed: losses on prompts that no training saw";
    const COLUMNS: &'static [Column] = &[
        ("layer", Kind::Count),
        ("log10_loss", Kind::Number),
        ("log10_conjugate_gradient", Kind::Number),
        ("diverged", Kind::Count),
    ];

    fn grid(scale: Scale) -> Vec<Point> {
        let batches: &[usize] = scale.pick(&[100, 500], &[1000, 5000, 20_000]);
        let steps = scale.pick(400, 20_000);
        let depths = 1..=scale.pick(3, 6);
        let of_depth = |depth| batches.iter().map(move |batch| Point { depth, batch: *batch, steps });
        depths.flat_map(of_depth).collect()
    }

    fn replicates(scale: Scale) -> usize {
        scale.pick(2, 16)
    }

    fn at(point: &Point, draws: &Draws) -> Result<Rows, Error> {
        let law = TaskLaw::rotated(&SPECTRUM, &mut draws.stream("rotation")?)?;
        let document = TrainingProtocol::document();
        let halvings = (point.steps / 10).max(1);
        let phase = |part, steps, rate| Phase::new(&[part], steps, rate).halving_every(halvings);
        let protocol = document.with_batch(point.batch).with_phases(vec![
            phase(Part::Preconditioners, point.steps, 0.02),
            phase(Part::Registers, point.steps / 2, 0.01),
        ]);
        let registers = RegisterKind::Separate { weight: RegisterWeight::Scalar, tied: true };
        let architecture = Architecture::new(point.depth, SPECTRUM.len())?.with_registers(registers);
        let steps = protocol.steps();
        let examples = protocol.examples;
        let mut trainer = Trainer::new(architecture, law.clone(), protocol, &mut draws.stream("training")?)?;
        let diverged = match trainer.run() {
            // A run that ends early was stopped, and is not the whole training.
            Ok(_) => {
                work::check("Memformers", trainer.steps_taken(), steps)?;
                false
            }
            Err(Error::Diverged { .. }) => true,
            Err(error) => return Err(error),
        };
        let test = TestSet::draw(&law, examples, TEST, &mut draws.stream("test")?)?;
        let losses = |method: &dyn FirstOrderMethod| -> Result<Vec<f64>, Error> {
            Ok(test.losses(method, point.depth)?.log_of_means(Score::Query))
        };
        let own = losses(trainer.parameters())?;
        let rival = losses(&ConjugateGradient)?;
        let layers = own.len();
        Ok(Rows::default().counts(0..layers).numbers(own).numbers(rival).counts(vec![usize::from(diverged); layers]))
    }
}
