//! Optimizers: steps, windows with their adjoint, states as bytes.

use workbench::features::MapKind;
use workbench::optimizer::cell::{Cell, Form, Memory, Mnemosyne};
use workbench::optimizer::classical::{Adam, AdamSettings};
use workbench::optimizer::meta::{Derivative, Rollout, RolloutObjective, ScaledProblem};
use workbench::optimizer::{Error, Layout, Learned, Optimizer, Precision, Saved, Split, Task, Tensor, bank};
use workbench::stats::{Stream, Streams};

use crate::meter::Meter;
use crate::{Computation, Outcome};

pub const ROWS: &[(&str, Computation)] = &[
    ("adam-coordinates", adam),
    ("light-coordinates", |n, meter| learned(n, Form::light(), meter)),
    ("default-coordinates", |n, meter| learned(n, Form::default(), meter)),
    ("practical-coordinates", practical),
    ("light-features", |r, meter| learned(512, with_features(r), meter)),
    ("window-steps", |steps, meter| window(4, steps, meter)),
    ("window-coordinates", |n, meter| window(n, 5, meter)),
    ("save-numbers", save),
    ("load-numbers", load),
];

fn layout(n: usize) -> Result<Layout, Error> {
    Layout::of(&[("x", &[n])])
}

fn adam(n: usize, meter: &mut Meter) -> Outcome<()> {
    let mut adam = Adam::new(layout(n)?, AdamSettings::default())?;
    let (gradient, mut theta) = (vec![1e-2; n], vec![0.0; n]);
    meter.run(|| Ok(adam.step(&mut theta, &gradient)?))
}

fn with_features(features: usize) -> Form {
    Form { memory: Memory::Compact { features, map: MapKind::Hyperbolic, tau: 0.1 }, ..Form::light() }
}

/// Gradients of many sizes.
fn gradient(n: usize) -> Outcome<Vec<f64>> {
    let mut noise = Streams::new(2).stream("gradient")?;
    Ok((0..n).map(|i| noise.normal() * (f64::from(i as u32 % 14) - 12.0).exp()).collect())
}

/// The fused step of the cell of this form.
pub fn fused(n: usize, form: Form) -> Outcome<Learned<Mnemosyne>> {
    let cell = Mnemosyne::new(form)?;
    let weights = cell.start(&mut Streams::new(1).stream("weights")?)?;
    Ok(Learned::fused(cell, weights, layout(n)?)?)
}

fn learned(n: usize, form: Form, meter: &mut Meter) -> Outcome<()> {
    let mut optimizer = fused(n, form)?;
    let (gradient, mut theta) = (gradient(n)?, vec![0.0; n]);
    meter.run(|| Ok(optimizer.step(&mut theta, &gradient)?))
}

fn practical(n: usize, meter: &mut Meter) -> Outcome<()> {
    let kept = bank::trained("practical")?;
    let mut optimizer = kept.first().ok_or("no practical rule is kept")?.optimizer(layout(n)?)?;
    let (gradient, mut theta) = (gradient(n)?, vec![0.0; n]);
    meter.run(|| Ok(optimizer.step(&mut theta, &gradient)?))
}

/// A bowl with curvature 1, which costs nothing beside the cell.
#[derive(Debug)]
struct Bowl(Vec<Tensor>);

impl Task for Bowl {
    type Batch = ();

    fn tensors(&self) -> &[Tensor] {
        &self.0
    }
    fn start(&self, stream: &mut Stream) -> Vec<f64> {
        (0..self.len()).map(|_| stream.normal()).collect()
    }
    fn batch(&self, _: Split, _: &mut Stream) {}
    fn gradient(&self, theta: &[f64], _: &(), gradient: &mut [f64]) -> Result<f64, Error> {
        gradient.copy_from_slice(theta);
        Ok(0.5 * theta.iter().map(|x| x * x).sum::<f64>())
    }
    fn hessian_product(&self, _: &[f64], _: &(), direction: &[f64], product: &mut [f64]) -> Result<(), Error> {
        product.copy_from_slice(direction);
        Ok(())
    }
}

fn window(n: usize, steps: usize, meter: &mut Meter) -> Outcome<()> {
    let streams = Streams::new(1);
    let (layout, cell) = (layout(n)?, Mnemosyne::new(Form::light())?);
    let weights = cell.start(&mut streams.stream("weights")?)?;
    let bowl = Bowl(layout.tensors().to_vec());
    let objective = RolloutObjective { derivative: Derivative::Exact, ..RolloutObjective::default() };
    let (start, mut batches) = (bowl.start(&mut streams.stream("start")?), streams.stream("batches")?);
    let mut rollout = Rollout::new(&cell, &weights, &layout, start, objective.expert, Precision::Single)?;
    let setting = ScaledProblem::plain(&bowl);
    meter.run(|| Ok(rollout.window(&setting, &objective, steps, true, &mut batches)?))
}

fn state(n: usize) -> Outcome<Saved> {
    let mut adam = Adam::new(layout(n)?, AdamSettings::default())?;
    adam.step(&mut vec![0.0; n], &gradient(n)?)?;
    Ok(adam.save())
}

fn save(n: usize, meter: &mut Meter) -> Outcome<()> {
    let state = state(n)?;
    meter.run(|| Ok(state.to_bytes()))
}

fn load(n: usize, meter: &mut Meter) -> Outcome<()> {
    let bytes = state(n)?.to_bytes();
    meter.run(|| Ok(Saved::from_bytes(&bytes)?))
}
