//! Training of Appendix D: three layers, five runs with rotations of their own, followed by their distances from
//! multiples of Sigma^{-1}.
//!
//! Learning rate, number of iterations and size of the start are not in the document; they are those of the public code of preconditioned
//! gradient descent on which it builds.

use std::sync::Arc;

use ndarray::Array2;
use workbench_ledger::{Failure, Setting};
use workbench_memformer::{Alignment, Architecture, Parameters, Part, Phase, TaskLaw, Trainer, TrainingProtocol};

use super::task_law::{DIM, SPECTRUM};

/// Eigenvalues of Sigma.
pub const VARIANCES: [f64; DIM] = [1.0, 1.0, 0.25, 0.0625, 1.0];
/// Layers.
pub const LAYERS: usize = 3;
/// Independent runs.
pub const RUNS: usize = 5;

/// Which training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Training {
    /// As printed: batches of 20,000.
    Printed,
    /// Batches of 1000.
    SmallBatches,
    /// The D of Section 3.3 in place of the one that Appendix D prints.
    OtherSpectrum,
}

impl Training {
    fn name(self) -> &'static str {
        match self {
            Training::Printed => "variances (1, 1, 1/4, 1/16, 1), B = 20,000",
            Training::SmallBatches => "variances (1, 1, 1/4, 1/16, 1), B = 1000",
            Training::OtherSpectrum => "variances (1, 1, 1/2, 1/4, 1), B = 20,000",
        }
    }

    fn batch(self) -> usize {
        match self {
            Training::SmallBatches => 1000,
            _ => 20_000,
        }
    }

    /// Independent runs; fewer at quick scale of what stands beside the printed training.
    fn runs(self, setting: &Setting) -> usize {
        match self {
            Training::OtherSpectrum => setting.scale().pick(2, RUNS),
            _ => RUNS,
        }
    }

    fn spectrum(self) -> [f64; DIM] {
        match self {
            Training::OtherSpectrum => SPECTRUM,
            _ => VARIANCES,
        }
    }
}

/// Which distance of the matrices A_l.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinates {
    /// Dist(Sigma^{1/2} A Sigma^{1/2}, I), that of the document.
    Inverse,
    /// Dist(A, I).
    Plain,
    /// Dist(Sigma^{-1/2} A Sigma^{-1/2}, I).
    Covariance,
}

/// Independent runs.
pub struct Runs {
    /// Their laws.
    pub laws: Vec<TaskLaw>,
    /// Distances along each run.
    pub seen: Vec<Alignment>,
    /// Models at the end.
    pub ends: Vec<Parameters>,
}

impl Runs {
    /// Distances of the matrix of layer `l`: one list for each run.
    pub fn along(&self, of: Coordinates, l: usize) -> Vec<Vec<f64>> {
        let table = |a: &Alignment| match of {
            Coordinates::Inverse => a.inverse.row(l).to_vec(),
            Coordinates::Plain => a.identity.row(l).to_vec(),
            Coordinates::Covariance => a.covariance.row(l).to_vec(),
        };
        self.seen.iter().map(table).collect()
    }

    /// The same at one moment, run by run; the last moment if there are fewer.
    pub fn at(&self, of: Coordinates, l: usize, moment: usize) -> Vec<f64> {
        let runs = self.along(of, l);
        runs.iter().map(|run| run[moment.min(run.len() - 1)]).collect()
    }

    /// At the end, run by run.
    pub fn end(&self, of: Coordinates, l: usize) -> Vec<f64> {
        self.at(of, l, usize::MAX)
    }

    /// Steps at which distances were taken.
    pub fn moments(&self) -> Vec<f64> {
        self.seen[0].steps.iter().map(|s| *s as f64).collect()
    }
}

/// Steps, steps between halvings of the rate, rate.
pub fn schedule(setting: &Setting) -> (usize, usize, f64) {
    setting.scale().pick((2500, 250, 0.1), (30_000, 2000, 0.02))
}

/// The runs of a training, the same each time.
pub fn runs(setting: &Setting, training: Training) -> Result<Arc<Runs>, Failure> {
    setting.shared(&format!("Appendix D, {training:?}"), |own| {
        let (steps, halve, rate) = schedule(own);
        let phase = Phase::new(&[Part::Preconditioners], steps, rate).halving_every(halve);
        let protocol = TrainingProtocol::rotated().with_batch(training.batch()).with_phases(vec![phase]);
        let (mut laws, mut trainers) = (Vec::new(), Vec::new());
        for run in 0..training.runs(own) {
            let name = training.name();
            let rotation = &mut own.streams().replicate(&format!("{name}: rotation"), run)?;
            let law = TaskLaw::rotated(&training.spectrum(), rotation)?;
            trainers.push(Trainer::new(
                Architecture::new(LAYERS, DIM)?,
                law.clone(),
                protocol.clone(),
                &mut own.streams().replicate(&format!("{name}: run"), run)?,
            )?);
            laws.push(law);
        }
        let seen = Alignment::follow_all(&mut trainers, steps / 100)?;
        let ends = trainers.iter().map(|t| t.parameters().clone()).collect();
        Ok(Runs { laws, seen, ends })
    })
}

/// A model of as many layers as multiples, with A_l = a_l M.
pub fn on(multiples: &[f64], matrix: &Array2<f64>) -> Result<Parameters, Failure> {
    let mut model = Parameters::neutral(Architecture::new(multiples.len(), matrix.nrows())?);
    for (l, a) in multiples.iter().enumerate() {
        model.set_a(l, &(*a * matrix))?;
    }
    Ok(model)
}
