//! B.1: the memory cell.
//!
//! **Claim** (`mnemosyne/cell-config`). Coordinate by coordinate a gradient enters a cell with two temporal encoders, used like any RNN
//! cell, and a fully connected layer gives the update; discount $\tau=0.1$, $r=16$ random projections, 16 hidden dimensions, one head.
//!
//! A recurrent cell sees one gradient at a time. What makes it a memory is that it equals attention over the *whole* history, each key
//! discounted by its age: that form, with every key and value kept, is computed beside it. That the cell's derivative is right is a footing.
//! Refuted by a step at which the two differ, a state that grows with time, a coordinate that is treated in another way than its neighbour.

use std::collections::BTreeMap;

use workbench_ground::stats::Stream;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_optimizer::cell::{Cell, Form, Mnemosyne};
use workbench_optimizer::number::{CellNumber, Complex};
use workbench_optimizer::{Layout, Learned, Optimizer};

use crate::vocabulary::{ROUNDING, largest_of};

const DIFFERENCE: Margin = Margin::rounding(
    "a difference quotient",
    1e-6,
    "fourth order with a step of 1e-5 leaves rounding, 1e-11 of the derivative, and a kink of the rectified part in between costs up to four digits more",
);

/// The cell of B.1.
pub const CHECK: Check = Check {
    claim: "mnemosyne/cell-config",
    metric: "largest difference from attention over the whole history, as a part of the largest update; numbers remembered; coordinates whose update depends on their place; relative error of derivatives",
    against: "a step at which the two forms differ, a state that grows with time, places that matter",
    protocol: &["two encoders, tau = 0.1, r = 16, 16 hidden dimensions, one head"],
    choices: &["hyperbolic features; random weights, gradients over eight orders of e"],
    departures: &[
        "norms before each part, a feed-forward part of width 32 and the head's scale 0.01 are readings: the document gives none of them",
        "the discount tau = 0.1 is read as a factor of exp(-tau) at each step",
        "r = 16 random projections are read as 16 features, eight projections with both signs; sixteen projections would make 32 features and 1,088 numbers of state",
        "projections are drawn once for each cell and kept",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let cell = Mnemosyne::new(Form::default())?;
    let mut weights = cell.start(&mut s.stream("weights")?)?;
    let mut stream = s.stream("gradients")?;
    weights[..cell.trained()].iter_mut().for_each(|w| *w += 0.1 * stream.normal());
    let steps = s.knob("steps", s.scale().pick(60, 400), 10..=10_000)?;
    let coordinates = s.knob("coordinates", 8, 1..=1000)?;
    let gradients: Vec<f64> = (0..steps).map(|_| stream.normal() * (-8.0 * stream.uniform()).exp()).collect();

    let ours = streamed(&cell, &weights, &gradients);
    let size = largest_of(ours.iter().map(|u| u.abs()));
    let whole = "streaming cell against attention over the whole history";
    for (says, label, reading) in [
        (s.printed(ROUNDING), whole, Reading::Right),
        (s.twin(ROUNDING).largest(), "the past not discounted", Reading::NotDiscounted),
        (s.twin(ROUNDING).largest(), "not divided by the sum of the weights", Reading::NotDivided),
        (s.twin(ROUNDING).largest(), "the present key left out", Reading::WithoutPresent),
    ] {
        let theirs = explicit(&cell, &weights, &gradients, reading);
        for (a, b) in s.each("steps", ours.iter().zip(theirs)) {
            says.same(label, (a - b).abs() / size);
        }
    }

    let along: Vec<f64> = (0..weights.len()).map(|i| if i < cell.trained() { stream.normal() } else { 0.0 }).collect();
    let [complex, difference] = derivatives(&cell, &weights, &gradients[..10], &along);
    let label = "complex step of the cell against differences of the explicit form, relative";
    s.support(DIFFERENCE).same(label, (complex / difference - 1.0).abs());

    let count = |coordinates, steps| remembered(&cell, &weights, coordinates, steps);
    let (one, grown, two) = (count(coordinates, 1)?, count(coordinates, 30)?, count(2 * coordinates, 30)?);
    let exact = s.printed(Margin::ZERO);
    exact.same("numbers remembered after 30 steps less those after one", (grown - one).abs());
    let formula = (2 * 16 * 17 * 2 * coordinates) as f64;
    exact.same("numbers remembered less 2·16·(16 + 1) for each coordinate", (two - formula).abs());
    let unlike = unlike(&cell, &weights, coordinates, &mut stream)?;
    exact.over(coordinates, "coordinates").same("coordinates whose update depends on their place", unlike);
    Ok(())
}

/// How keys of the past are weighed and read: right, or wrong in one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Right,
    NotDiscounted,
    NotDivided,
    WithoutPresent,
}

/// Tensors of the cell by name.
struct Parts<'a> {
    form: Form,
    tensors: BTreeMap<&'a str, &'a [f64]>,
}

impl<'a> Parts<'a> {
    fn of(cell: &'a Mnemosyne, weights: &'a [f64]) -> Parts<'a> {
        let tensors = cell.weights().tensors().iter();
        Parts { form: *cell.form(), tensors: tensors.map(|t| (t.name.as_str(), &weights[t.range.clone()])).collect() }
    }

    fn get(&self, name: &str) -> &'a [f64] {
        self.tensors.get(name).copied().unwrap_or(&[])
    }

    /// $Wx+b$.
    fn linear(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let rows = self.get(&format!("{name}.weight")).chunks_exact(x.len());
        let product = rows.map(|row| row.iter().zip(x).map(|(w, x)| w * x).sum::<f64>());
        let bias = self.get(&format!("{name}.bias"));
        product.enumerate().map(|(i, y)| y + bias.get(i).copied().unwrap_or(0.0)).collect()
    }

    fn norm(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let n = x.len() as f64;
        let mean = x.iter().sum::<f64>() / n;
        let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        let scales = self.get(&format!("{name}.gain")).iter().zip(self.get(&format!("{name}.bias")));
        x.iter().zip(scales).map(|(x, (gain, bias))| bias + gain * (x - mean) / (variance + 1e-5).sqrt()).collect()
    }

    /// Eq. 10 on $z/d^{1/4}$.
    fn features(&self, e: usize, z: &[f64]) -> Vec<f64> {
        let scale = (self.form.hidden as f64).powf(-0.25);
        let z: Vec<f64> = z.iter().map(|z| z * scale).collect();
        let half = 0.5 * z.iter().map(|z| z * z).sum::<f64>();
        let rows = self.get(&format!("encoders.{e}.projections")).chunks_exact(z.len());
        let along: Vec<f64> = rows.map(|row| row.iter().zip(&z).map(|(w, z)| w * z).sum()).collect();
        let r = 2.0 * along.len() as f64;
        let gamma = (-half).exp() / r.sqrt();
        along.iter().map(|a| gamma * a.exp()).chain(along.iter().map(|a| gamma * (-a).exp())).collect()
    }
}

/// Keys, as features, and values of all steps so far.
type History = Vec<(Vec<f64>, Vec<f64>)>;

fn attend(history: &History, query: &[f64], reading: Reading) -> Vec<f64> {
    let now = history.len() - 1;
    let (mut above, mut below) = (vec![0.0; history[0].1.len()], 0.0);
    for (j, (key, value)) in history.iter().enumerate() {
        let age = if reading == Reading::NotDiscounted { 0.0 } else { (now - j) as f64 };
        let present = if reading == Reading::WithoutPresent && j == now && now > 0 { 0.0 } else { 1.0 };
        let weight = present * (-0.1 * age).exp() * key.iter().zip(query).map(|(k, q)| k * q).sum::<f64>();
        below += weight;
        above.iter_mut().zip(value).for_each(|(a, v)| *a += weight * v);
    }
    let below = if reading == Reading::NotDivided { 1.0 } else { below };
    above.iter().map(|a| a / below).collect()
}

/// Updates by attention over the whole history.
fn explicit(cell: &Mnemosyne, weights: &[f64], gradients: &[f64], reading: Reading) -> Vec<f64> {
    let parts = Parts::of(cell, weights);
    let form = parts.form;
    let mut histories: Vec<History> = vec![Vec::new(); form.encoders];
    let mut step = |g: &f64| {
        let mut inputs = [0.0; 2];
        form.preprocess.apply(*g, &mut inputs);
        let mut h = parts.linear("input", &inputs);
        for (e, history) in histories.iter_mut().enumerate() {
            let name = |part: &str| format!("encoders.{e}.{part}");
            let a = parts.norm(&name("attention.norm"), &h);
            let of = |part: &str| parts.linear(&name(part), &a);
            history.push((parts.features(e, &of("key")), of("value")));
            let read = attend(history, &parts.features(e, &of("query")), reading);
            let add = |h: &mut Vec<f64>, more: Vec<f64>| h.iter_mut().zip(more).for_each(|(h, m)| *h += m);
            add(&mut h, parts.linear(&name("output"), &read));
            let b = parts.norm(&name("feed_forward.norm"), &h);
            let up: Vec<f64> = parts.linear(&name("up"), &b).iter().map(|x| x.max(0.0)).collect();
            add(&mut h, parts.linear(&name("down"), &up));
        }
        form.output_scale * parts.linear("head", &h)[0]
    };
    gradients.iter().map(&mut step).collect()
}

/// Updates of the recurrent cell over any numbers.
fn streamed<N: CellNumber<Shared = N>>(cell: &Mnemosyne, weights: &[N], gradients: &[f64]) -> Vec<N> {
    let (mut state, mut tape) = (vec![N::zero(); cell.state_len()], vec![N::zero(); cell.tape_len()]);
    let step = |(t, g): (usize, &f64)| {
        let mut update = [N::zero()];
        cell.step(weights, t as u64, &[N::of(*g)], &mut state, &mut tape, &mut update);
        update[0]
    };
    gradients.iter().enumerate().map(step).collect()
}

/// The derivative of the sum of all updates along a direction: by a complex step, and by a difference of the explicit form.
fn derivatives(cell: &Mnemosyne, weights: &[f64], gradients: &[f64], along: &[f64]) -> [f64; 2] {
    const H: f64 = 1e-20;
    let turned = |(w, d): (&f64, &f64)| Complex { re: *w, im: H * d };
    let turned: Vec<Complex> = weights.iter().zip(along).map(turned).collect();
    let complex: f64 = streamed(cell, &turned, gradients).iter().map(|u| u.im / H).sum();
    // Fourth order in the step, so that little is left but rounding.
    let at = |t: f64| -> f64 {
        let moved: Vec<f64> = weights.iter().zip(along).map(|(w, d)| w + t * d).collect();
        explicit(cell, &moved, gradients, Reading::Right).iter().sum()
    };
    let t = 1e-5;
    [complex, (8.0 * (at(t) - at(-t)) - (at(2.0 * t) - at(-2.0 * t))) / (12.0 * t)]
}

/// Numbers remembered after one step and after all, for this many coordinates.
fn remembered(cell: &Mnemosyne, weights: &[f64], coordinates: usize, steps: usize) -> Result<f64, Failure> {
    let layout = Layout::of(&[("x", &[coordinates])])?;
    let mut rule = Learned::plain(cell.clone(), weights.to_vec(), layout)?;
    let mut theta = vec![0.0; coordinates];
    for _ in 0..steps {
        rule.step(&mut theta, &vec![0.1; coordinates])?;
    }
    Ok(rule.save().numbers.len() as f64)
}

/// Updates of permuted gradients that are not the permuted updates.
fn unlike(cell: &Mnemosyne, weights: &[f64], n: usize, stream: &mut Stream) -> Result<f64, Failure> {
    let order = stream.permutation(n);
    let make = || Learned::plain(cell.clone(), weights.to_vec(), Layout::of(&[("x", &[n])])?);
    let (mut straight, mut turned) = (make()?, make()?);
    let (mut a, mut b) = (vec![0.0; n], vec![0.0; n]);
    for _ in 0..20 {
        let gradient: Vec<f64> = (0..n).map(|_| stream.normal()).collect();
        let permuted: Vec<f64> = order.iter().map(|i| gradient[*i]).collect();
        straight.step(&mut a, &gradient)?;
        turned.step(&mut b, &permuted)?;
    }
    Ok(order.iter().zip(&b).filter(|(i, b)| a[**i].to_bits() != b.to_bits()).count() as f64)
}
