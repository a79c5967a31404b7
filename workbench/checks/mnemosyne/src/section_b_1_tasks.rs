//! B.1: the tasks of meta-training.
//!
//! **Claim** (`mnemosyne/meta-task-distribution`). The optimizer is trained on MNIST with three small MLPs and three small ViTs. MLPs have
//! one or two hidden layers of 20 to 40 with sigmoid or ReLU; ViTs one to three layers and heads, width and MLP width 16 to 64, head width
//! 8 to 16. The optimizee trains for 100 steps on batches of 64.
//!
//! A definition: what is asked is whether it is built. The sampler must reach every printed end and nothing beyond, and the six networks that
//! stand for the document's three and three must lie within the ranges. Roll-outs and batches must have the printed lengths in every training.
//! Refuted by any of these broken. That networks have the parameters that a formula gives them, and that their gradients are derivatives, is a
//! footing.

use std::ops::Range;

use workbench_ground::stats::Stream;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_optimizer::bank::Recipe;
use workbench_optimizer::data::Images;
use workbench_optimizer::task::{Split, Task};
use workbench_optimizer::tasks::{Activation, Complex, ImageSource, Model, NetworkShape, Supervised, TRAINING};

use super::optimizer_laboratory::{DATA, lab};

const DERIVATIVE: Margin = Margin::rounding(
    "rounding in a gradient",
    1e-10,
    "thousands of products in a network, in double precision, with two digits to spare",
);

/// The ranges of B.1 for MLPs: layers, widths.
const MLP: [(usize, usize); 2] = [(1, 2), (20, 40)];
/// For ViTs: layers, heads, width, MLP width, head width.
const VIT: [(usize, usize); 5] = [(1, 3), (1, 3), (16, 64), (16, 64), (8, 16)];

/// The distribution of tasks.
pub const CHECK: Check = Check {
    claim: "mnemosyne/meta-task-distribution",
    metric: "numbers drawn outside the printed ranges; printed ends not reached; lengths of roll-outs and batches; parameters built less those of a formula; relative error of gradients",
    against: "a number outside its range, an end never reached, a roll-out or a batch of another length",
    protocol: &["MNIST, MLPs and ViTs within the printed ranges; 100 steps on batches of 64"],
    choices: &[DATA, "counts of parameters at 28 x 28, gradients at 7 x 7"],
    departures: &[
        "scaled down: the trainings see images of 7 x 7 for 28 x 28",
        "ranges are printed and no law: each number is drawn uniformly; no patches are printed: sides of 3 pixels at 7 x 7",
        "the three and three networks are not printed: ours are fixed, within the ranges, and none of them one of Figure 10",
        "three MLPs and three ViTs are printed; the trainings of this notebook see three MLPs, and the three ViTs are in the training `with-vits` alone",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let count = s.knob("networks of each kind", s.scale().pick(2_000, 20_000), 100..)?;
    let mut stream = s.stream("networks")?;
    let mlps: Vec<NetworkShape> = (0..count).map(|_| NetworkShape::draw_mlp(&mut stream)).collect();
    let vits: Vec<NetworkShape> = (0..count).map(|_| NetworkShape::draw_vit(&mut stream, 3)).collect();
    let (printed, twin) = (s.printed(Margin::ZERO), s.twin(Margin::ZERO).largest());
    let drawn = printed.over(2 * count, "networks");
    drawn.same("numbers drawn outside the printed ranges", outside(&mlps) + outside(&vits));
    drawn.same("printed ends and activations never drawn", unreached(&mlps, &vits));
    let short: Vec<NetworkShape> = (0..count).map(|_| half_open(1..2, 20..40, &mut stream)).collect();
    let wide: Vec<NetworkShape> = (0..count).map(|_| half_open(1..4, 20..42, &mut stream)).collect();
    let label = "upper ends left out: ends and activations never drawn";
    twin.over(2 * count, "networks").same(label, unreached(&short, &vits));
    twin.over(count, "networks").same("one beyond each upper end: numbers outside", outside(&wide));

    for shape in s.each("networks", mlps[..100].iter().chain(&vits[..100])) {
        let (layout, formula) = (shape.build([28, 28], 10)?.layout().clone(), shape.parameters([28, 28], 10));
        let vectors = layout.tensors().iter().filter(|tensor| tensor.shape.len() == 1);
        let matrices = layout.len() - vectors.map(|tensor| tensor.range.len()).sum::<usize>();
        let label = "parameters built less those of the formula, largest";
        s.support(Margin::ZERO).same(label, layout.len().abs_diff(formula) as f64);
        twin.same("vectors not counted: parameters off, largest", matrices.abs_diff(formula) as f64);
    }
    let few = [&mlps[..4], &vits[..s.scale().pick(2, 4)]].concat();
    // The folder is looked for once, and the images are those of the tasks.
    let lab = lab(s)?;
    let images = lab.images(7)?;
    for shape in s.each("networks", &few) {
        let off = slope_off(shape, &images, &mut stream, false)?;
        s.support(DERIVATIVE).same("gradient along a direction against a complex step, relative", off);
    }
    for shape in s.each("networks", &few) {
        let off = slope_off(shape, &images, &mut stream, true)?;
        s.twin(DERIVATIVE).largest().same("gradient of another batch, relative", off);
    }
    for recipe in s.each("trainings", Recipe::all()) {
        let off = (recipe.training.rollout as f64 - 100.0).abs();
        s.printed(Margin::ZERO).same("steps of a roll-out less 100, largest over the trainings", off);
    }
    let mut batches = s.stream("batches")?;
    for name in s.each("networks", TRAINING) {
        let drawn = lab.suite.task(name)?.batch(Split::Training, &mut batches);
        s.printed(Margin::ZERO).same("images of a batch less 64, largest", (drawn.count as f64 - 64.0).abs());
    }
    let ours = TRAINING.iter().filter_map(|name| name.split_once('@'));
    let ours = ours.map(|(network, _)| NetworkShape::parse(network)).collect::<Result<Vec<_>, _>>()?;
    let label = "numbers outside the ranges in the six fixed networks that stand for the three and three";
    printed.over(ours.len(), "networks").same(label, outside(&ours));
    Ok(())
}

/// The numbers of a network with their printed ranges; nothing for other kinds.
fn numbers(shape: &NetworkShape) -> Vec<(usize, (usize, usize))> {
    match shape {
        NetworkShape::Mlp { hidden, .. } => {
            let widths = hidden.iter().map(|width| (*width, MLP[1]));
            widths.chain([(hidden.len(), MLP[0])]).collect()
        }
        NetworkShape::Vit { sizes: s, .. } => {
            [s.layers, s.heads, s.width, s.mlp_width, s.head_width].into_iter().zip(VIT).collect()
        }
        NetworkShape::Convolution { .. } => Vec::new(),
    }
}

fn outside(shapes: &[NetworkShape]) -> f64 {
    let each = shapes.iter().flat_map(numbers);
    each.filter(|(value, (low, high))| value < low || value > high).count() as f64
}

/// Printed ends that no draw reaches, and activations that never occur.
fn unreached(mlps: &[NetworkShape], vits: &[NetworkShape]) -> f64 {
    let reached = |shapes: &[NetworkShape], kind: usize, end: usize| {
        shapes.iter().any(|shape| match shape {
            NetworkShape::Mlp { hidden, .. } if kind == 0 => hidden.len() == end,
            NetworkShape::Mlp { hidden, .. } => hidden.contains(&end),
            other => numbers(other).get(kind).is_some_and(|(value, _)| *value == end),
        })
    };
    let ends = |shapes: &[NetworkShape], ranges: &[(usize, usize)]| {
        let each = ranges.iter().enumerate().flat_map(|(kind, (low, high))| [(kind, *low), (kind, *high)]);
        each.filter(|(kind, end)| !reached(shapes, *kind, *end)).count()
    };
    let silent = [Activation::Sigmoid, Activation::Relu]
        .iter()
        .filter(|wanted| {
            !mlps.iter().any(|s| matches!(s, NetworkShape::Mlp { activation, .. } if activation == *wanted))
        })
        .count();
    (ends(mlps, &MLP) + ends(vits, &VIT) + silent) as f64
}

/// A sampler of other ends, the upper ones left out, as a loop over a half-open range would draw.
fn half_open(layers: Range<usize>, widths: Range<usize>, stream: &mut Stream) -> NetworkShape {
    let mut of = |range: &Range<usize>| range.start + stream.below(range.len() as u64) as usize;
    NetworkShape::Mlp { hidden: (0..of(&layers)).map(|_| of(&widths)).collect(), activation: Activation::Sigmoid }
}

/// Relative error of a gradient along a direction against a complex step; `stale` takes the gradient of another batch.
fn slope_off(shape: &NetworkShape, images: &Images, stream: &mut Stream, stale: bool) -> Result<f64, Failure> {
    const H: f64 = 1e-20;
    let model = shape.build(images.sides(), images.classes())?;
    let task = Supervised::new("drawn", model, ImageSource::new(images.clone())?, 64)?;
    let theta = task.start(stream);
    let along: Vec<f64> = theta.iter().map(|_| stream.normal()).collect();
    let [batch, other] = [task.batch(Split::Training, stream), task.batch(Split::Training, stream)];
    let mut gradient = vec![0.0; theta.len()];
    task.gradient(&theta, if stale { &other } else { &batch }, &mut gradient)?;
    let ours: f64 = gradient.iter().zip(&along).map(|(g, d)| g * d).sum();
    let turned = theta.iter().zip(&along).map(|(t, d)| Complex { re: *t, im: H * d });
    let loss = task.gradient_in(&turned.collect::<Vec<_>>(), &batch, &mut vec![Complex::default(); theta.len()])?;
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    Ok((ours - loss.im / H).abs() / (norm(&gradient) * norm(&along)))
}
