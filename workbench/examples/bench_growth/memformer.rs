//! Memformers of the restricted form, prompts, and first-order methods.

use ndarray::Array2;
use workbench::memformer::{
    Architecture, Batch, Lfom, LinearTransformer, Parameters, Part, Phase, Precision, Prompts, Quadratic, TaskLaw,
    Trainer, TrainingProtocol, conjugate_gradient,
};
use workbench::ndarray;
use workbench::stats::{Streams, normal_array2};

use crate::meter::Meter;
use crate::{Computation, Outcome};

pub const ROWS: &[(&str, Computation)] = &[
    ("prompts-examples", prompts),
    ("draw-prompts", |b, meter| draw(b, 5, 20, meter)),
    ("draw-dim", |d, meter| draw(16, d, 2 * d, meter)),
    ("draw-examples", |n, meter| draw(4096, 5, n, meter)),
    ("pass-prompts", |b, meter| pass(b, 5, 3, meter)),
    ("pass-dim", |d, meter| pass(16, d, 3, meter)),
    ("pass-layers", |l, meter| pass(4096, 5, l, meter)),
    ("train-steps", train),
    ("forward-examples", forward),
    ("conjugate-dim", |d, meter| conjugate(d, 10, meter)),
    ("conjugate-steps", |k, meter| conjugate(64, k, meter)),
    ("lfom-steps", lfom),
];

fn prompts(n: usize, meter: &mut Meter) -> Outcome<()> {
    let law = TaskLaw::isotropic(5)?;
    meter.run(|| Ok(Prompts::draw(&law, n, 64, &mut Streams::new(1).stream("prompts")?)?))
}

fn draw(prompts: usize, d: usize, n: usize, meter: &mut Meter) -> Outcome<()> {
    let law = TaskLaw::isotropic(d)?;
    meter.run(|| Ok(Batch::draw(&law, n, prompts, Precision::Single, &mut Streams::new(1).stream("batch")?)?))
}

fn pass(prompts: usize, d: usize, layers: usize, meter: &mut Meter) -> Outcome<()> {
    let streams = Streams::new(1);
    let law = TaskLaw::isotropic(d)?;
    let batch = Batch::draw(&law, 4 * d, prompts, Precision::Single, &mut streams.stream("batch")?)?;
    let model = Parameters::random(Architecture::new(layers, d)?, 0.01, &mut streams.stream("start")?)?;
    meter.run(|| Ok(batch.loss_and_gradient(&model)?))
}

fn train(steps: usize, meter: &mut Meter) -> Outcome<()> {
    let protocol = TrainingProtocol::document().with_phases(vec![Phase::new(&[Part::Preconditioners], steps, 1e-3)]);
    meter.run(|| {
        let mut stream = Streams::new(1).stream("run")?;
        let mut trainer =
            Trainer::new(Architecture::new(3, 5)?, TaskLaw::isotropic(5)?, protocol.clone(), &mut stream)?;
        trainer.run()?;
        Ok(trainer)
    })
}

fn forward(n: usize, meter: &mut Meter) -> Outcome<()> {
    let streams = Streams::new(1);
    let tokens = Prompts::draw(&TaskLaw::isotropic(5)?, n, 1, &mut streams.stream("prompt")?)?.tokens(0)?;
    let model: LinearTransformer =
        Parameters::random(Architecture::new(3, 5)?, 0.1, &mut streams.stream("start")?)?.transformer(n)?;
    meter.run(|| Ok(model.predict(&tokens)?))
}

/// A well-conditioned function: no method ends before its steps are over.
fn quadratic(d: usize) -> Outcome<Quadratic<f64>> {
    let streams = Streams::new(1);
    let x = normal_array2(&mut streams.stream("x")?, 2 * d, d);
    let hessian: Array2<f64> = x.t().dot(&x) / (2 * d) as f64 + 0.1 * Array2::<f64>::eye(d);
    let target = normal_array2(&mut streams.stream("target")?, 1, d).row(0).to_owned();
    Ok(Quadratic::around(hessian, &target)?)
}

fn conjugate(d: usize, steps: usize, meter: &mut Meter) -> Outcome<()> {
    let f = quadratic(d)?;
    meter.run(|| Ok(conjugate_gradient(&f, &f.origin(), steps)?))
}

fn lfom(steps: usize, meter: &mut Meter) -> Outcome<()> {
    let f = quadratic(4)?;
    let method = Lfom::scalars((0..steps).map(|k| vec![-1e-3; k + 1]).collect())?;
    meter.run(|| Ok(method.run(&f, &f.origin())?))
}
