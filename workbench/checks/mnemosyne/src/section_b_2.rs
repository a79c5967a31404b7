//! B.2: regular attention over a cache of past gradients.
//!
//! **Claim** (`mnemosyne/regular-attention-memory`). For the baseline a cache of at most h past gradients is kept; self-attention over
//! that history encodes the memory, step after step.
//!
//! A definition, so it is written down twice: as a cell that overwrites the oldest key and value, and as attention that is worked out from
//! the whole list of gradients. The cell keeps keys and values, which for one encoder is the same as keeping gradients; with two, the keys
//! of the upper one were made from what the lower one had read, and an update feels more than h gradients. While h is at least the number of
//! steps, it is full causal attention. Refuted by a step at which the two writings differ. One more limit ties the cache to the compact
//! memory, of which the sentence says nothing, so that the check stands on it: the linear memory without discount is attention too once its
//! features give the kernel exactly, to which random features come as $r^{-1/2}$.

use ndarray::{Array1, Array2};
use workbench_features::{Draws, FeatureMap, KernelMemory, MapKind};
use workbench_ground::stats::{Estimate, Stream, power_fit_runs};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_optimizer::cell::{Cell, Form, Memory, Mnemosyne};

use crate::vocabulary::{ROUNDING, largest_of};

/// The exponent of a rate.
const RATE: Margin = Margin::statistical(
    "a fitted exponent",
    0.05,
    "what sampling and the next power of r leave of a fit from 64 to 1024; without an effect of r the exponent is 0, of a bias 1",
);

/// The dimension of keys and queries for which the kernel has few exact features.
const DIM: usize = 2;
/// The highest power in them.
const POWERS: usize = 30;

/// A cache, and attention.
pub const CHECK: Check = Check {
    claim: "mnemosyne/regular-attention-memory",
    metric: "largest difference of updates, or of what is read, as a part of the largest; exponent of the error in r",
    against: "a step at which the cell with a cache differs from attention over the last h gradients, or from full attention while nothing is dropped",
    protocol: &["at most h past gradients, a self-attention map over them, step after step"],
    choices: &[
        "cache of 5, and one that never overflows; gradients over eight orders of e, random weights; keys in 2 dimensions, whose kernel has exact features up to the 30th power; for the rate 64 to 1024 features and keys with entries of 0.2, since the root of r is a law for r well above the exponential of the squared norms",
    ],
    departures: &[
        "encoders without norms and feed-forward part: what stands around the memory is the same as in the compact cell, where it is checked",
        "the cell keeps the last h keys and values of each encoder, the document's cache the last h gradients: the same for one encoder only, for which it is asked; with two ours is another thing, which feels 2h - 1 gradients",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let steps = s.knob("steps", s.scale().pick(60, 200), 10..)?;
    let h = s.knob("length h of the cache", 5, 2..=50)?;
    let mut stream = s.stream("weights, gradients, histories")?;
    let (printed, twin) = (s.printed(ROUNDING).over(steps, "steps"), s.twin(ROUNDING).over(steps, "steps"));

    let (whole, short) = (bare(1, steps)?, bare(1, h)?);
    let weights: Vec<f64> = whole.start(&mut stream)?.iter().map(|w| 2.0 * w).collect();
    let gradients: Vec<f64> = (0..steps).map(|_| stream.normal() * (-8.0 * stream.uniform()).exp()).collect();
    let attended = |cell, window| explicit(cell, &weights, &gradients, window);
    let full = apart(&streamed(&whole, &weights, &gradients), &attended(&whole, usize::MAX)?);
    printed.same("cache that never overflows against full causal attention", full);
    let cached = streamed(&short, &weights, &gradients);
    let last_h = anew(&short, &weights, &gradients, h)?;
    printed.same("cache of h against attention over the last h gradients", apart(&cached, &last_h));
    let fewer = apart(&cached, &attended(&short, h - 1)?);
    twin.same("cache of h against attention over one gradient fewer", fewer);

    let two = bare(2, h)?;
    let start = two.start(&mut s.stream("weights of two encoders")?)?;
    let doubled: Vec<f64> = start.iter().map(|w| 2.0 * w).collect();
    let cached = streamed(&two, &doubled, &gradients);
    let label = "two encoders with a cache each against attention of each over its own last h keys";
    s.support(ROUNDING).over(steps, "steps").same(label, apart(&cached, &explicit(&two, &doubled, &gradients, h)?));
    let label = "two encoders with a cache each against both worked out anew from the last h gradients";
    s.aside(ROUNDING).over(steps, "steps").same(label, apart(&cached, &anew(&two, &doubled, &gradients, h)?));

    let (history, discount) = (History::draw(40, 0.7, &mut stream), (-0.1f64).exp());
    let (support, twin) = (s.support(ROUNDING).over(40, "steps"), s.twin(ROUNDING).over(40, "steps"));
    let label = "linear memory with exact features and no discount against attention";
    support.same(label, history.linear_apart(true, 1.0));
    twin.same("features without the root of the factorial", history.linear_apart(false, 1.0));
    twin.same("exact features with a discount of 0.1", history.linear_apart(true, discount));

    // Short keys, so that 64 features are many: the error is that of a mean only where r is well above e^v.
    let short_keys = History::draw(16, 0.2, &mut stream);
    let draws = s.knob("draws of features", s.scale().pick(2_500, 8_000), 100..)?;
    let plain = rate(&short_keys, 1.0, draws, &mut stream)?;
    s.support(RATE).of("draws").equals("exponent in r of the error of random features", -0.5, plain);
    let label = "random features with a discount of 0.1: exponent of the error";
    s.twin(RATE).of("draws").equals(label, -0.5, rate(&short_keys, discount, draws / 5, &mut stream)?);
    Ok(())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Softmax attention of a query to keys: $\sum_jw_jv_j/\sum_jw_j$.
fn softmax(query: &[f64], keys: &[Vec<f64>], values: &[Vec<f64>]) -> Vec<f64> {
    let weights: Vec<f64> = keys.iter().map(|key| dot(query, key).exp()).collect();
    let total: f64 = weights.iter().sum();
    let mut out = vec![0.0; values[0].len()];
    for (weight, value) in weights.iter().zip(values) {
        out.iter_mut().zip(value).for_each(|(o, v)| *o += weight / total * v);
    }
    out
}

/// A cell with bare encoders, so that its equations fit on a page.
fn bare(encoders: usize, steps: usize) -> Result<Mnemosyne, Failure> {
    Ok(Mnemosyne::new(Form {
        hidden: 8,
        encoders,
        feed_forward: 0,
        norm: false,
        memory: Memory::Cache { steps },
        ..Form::default()
    })?)
}

fn streamed(cell: &Mnemosyne, weights: &[f64], gradients: &[f64]) -> Vec<f64> {
    let (mut state, mut tape) = (vec![0.0; cell.state_len()], vec![0.0; cell.tape_len()]);
    let step = |(t, g): (usize, &f64)| {
        let mut update = [0.0];
        cell.step(weights, t as u64, &[*g], &mut state, &mut tape, &mut update);
        update[0]
    };
    gradients.iter().enumerate().map(step).collect()
}

/// $h_0=W_\mathrm{in}x+b$, $h_e=h_{e-1}+W_o\operatorname{read}$, $u=s\,(w^\top h_E+b)$, with the keys and values that each encoder made in
/// the last `window` steps.
fn explicit(cell: &Mnemosyne, weights: &[f64], gradients: &[f64], window: usize) -> Result<Vec<f64>, Failure> {
    let form = cell.form();
    let part = |name: &str| {
        let found = cell.weights().tensors().iter().find(|tensor| tensor.name == name);
        found.map(|tensor| &weights[tensor.range.clone()]).ok_or(format!("no tensor {name}"))
    };
    let linear =
        |matrix: &[f64], x: &[f64]| -> Vec<f64> { matrix.chunks_exact(x.len()).map(|row| dot(row, x)).collect() };
    let (input, bias) = (part("input.weight")?, part("input.bias")?);
    let (head, last) = (part("head.weight")?, part("head.bias")?);
    let scale = (form.hidden as f64).powf(-0.25);
    let mut after = Vec::new();
    for g in gradients {
        let mut x = [0.0; 2];
        form.preprocess.apply(*g, &mut x);
        after.push(linear(input, &x).iter().zip(bias).map(|(h, b)| h + b).collect::<Vec<f64>>());
    }
    for encoder in 0..form.encoders {
        let of = |name: &str| part(&format!("encoders.{encoder}.{name}.weight"));
        let (query, key, value, output) = (of("query")?, of("key")?, of("value")?, of("output")?);
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        for h in &mut after {
            let scaled = |matrix| linear(matrix, h).iter().map(|z| z * scale).collect::<Vec<f64>>();
            keys.push(scaled(key));
            values.push(linear(value, h));
            let from = keys.len().saturating_sub(window);
            let read = softmax(&scaled(query), &keys[from..], &values[from..]);
            h.iter_mut().zip(linear(output, &read)).for_each(|(h, o)| *h += o);
        }
    }
    let update = |h: &Vec<f64>| form.output_scale * (dot(head, h) + last[0]);
    Ok(after.iter().map(update).collect())
}

/// The same with a cache of gradients: at each step all encoders are worked out anew from the last `window` of them.
fn anew(cell: &Mnemosyne, weights: &[f64], gradients: &[f64], window: usize) -> Result<Vec<f64>, Failure> {
    let mut updates = Vec::new();
    for end in 1..=gradients.len() {
        let seen = &gradients[end.saturating_sub(window)..end];
        let all = explicit(cell, weights, seen, usize::MAX)?;
        updates.push(*all.last().ok_or("no gradients")?);
    }
    Ok(updates)
}

/// Largest difference of two lists as a part of the largest entry.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let size = largest_of(b.iter().map(|b| b.abs()));
    largest_of(a.iter().zip(b).map(|(a, b)| (a - b).abs() / size))
}

/// Features whose inner product is $e^{q^\top k}$: the powers of its series, $z_1^iz_2^j/\sqrt{i!\,j!}$, or wrongly without the root.
fn exact_features(z: &[f64], root: bool) -> Vec<f64> {
    let powers = |z: f64| {
        let mut term = 1.0;
        let mut all = vec![1.0];
        for n in 1..=POWERS {
            term *= z / if root { (n as f64).sqrt() } else { n as f64 };
            all.push(term);
        }
        all
    };
    let (first, second) = (powers(z[0]), powers(z[1]));
    first.iter().flat_map(|a| second.iter().map(move |b| a * b)).collect()
}

/// Keys, queries and values of a history.
struct History {
    queries: Vec<Vec<f64>>,
    keys: Vec<Vec<f64>>,
    values: Vec<Vec<f64>>,
}

impl History {
    fn draw(steps: usize, length: f64, stream: &mut Stream) -> History {
        let mut draw = |size: f64| -> Vec<Vec<f64>> {
            let mut one = || (0..DIM).map(|_| size * stream.normal()).collect();
            (0..steps).map(|_| one()).collect()
        };
        History { queries: draw(length), keys: draw(length), values: draw(1.0) }
    }

    /// Largest difference of the linear memory with such features from causal attention.
    fn linear_apart(&self, root: bool, discount: f64) -> f64 {
        let mut largest = 0.0;
        let (mut sums, mut psi): (Vec<Vec<f64>>, Vec<f64>) = (Vec::new(), Vec::new());
        for t in 0..self.keys.len() {
            let key = exact_features(&self.keys[t], root);
            sums.resize(key.len(), vec![0.0; DIM]);
            psi.resize(key.len(), 0.0);
            for ((row, psi), feature) in sums.iter_mut().zip(&mut psi).zip(&key) {
                *psi = discount * *psi + feature;
                row.iter_mut().zip(&self.values[t]).for_each(|(sum, v)| *sum = discount * *sum + feature * v);
            }
            let query = exact_features(&self.queries[t], root);
            let below = dot(&query, &psi);
            let right = softmax(&self.queries[t], &self.keys[..=t], &self.values[..=t]);
            for (i, right) in right.iter().enumerate() {
                let above: f64 = query.iter().zip(&sums).map(|(q, row)| q * row[i]).sum();
                largest = largest_of([largest, (above / below - right).abs()]);
            }
        }
        largest
    }

    /// Mean square distance, over all queries, of what a memory with random features reads at the end from attention.
    fn random_square(&self, r: usize, discount: f64, stream: &mut Stream) -> Result<f64, Failure> {
        let map = FeatureMap::over(MapKind::Hyperbolic, Draws::independent(r / 2, DIM, stream)?)?;
        let mut memory = KernelMemory::new(map, DIM, discount)?;
        for (key, value) in self.keys.iter().zip(&self.values) {
            memory.absorb(&Array1::from(key.clone()), &Array1::from(value.clone()))?;
        }
        let mut square = 0.0;
        for query in &self.queries {
            let read = memory.read(&Array1::from(query.clone()))?;
            let right = softmax(query, &self.keys, &self.values);
            square += read.iter().zip(&right).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        }
        Ok(square / self.queries.len() as f64)
    }
}

/// The exponent of the error in r: half of that of its mean square, which has no bias at small r.
fn rate(history: &History, discount: f64, draws: usize, stream: &mut Stream) -> Result<Estimate, Failure> {
    let sizes = [64usize, 256, 1024];
    let mut errors = Array2::zeros((draws, sizes.len()));
    for mut row in errors.rows_mut() {
        for (error, r) in row.iter_mut().zip(sizes) {
            *error = history.random_square(r, discount, stream)?;
        }
    }
    let x = sizes.map(|r| r as f64);
    let fit = power_fit_runs(&x, &errors, (x[0], x[2]), 2000, stream)?;
    Ok(fit.slope.affine(0.5, 0.0)?)
}
