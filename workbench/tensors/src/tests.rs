//! Tensors, fused passes and plain arrays against each other, and gradients against complex steps and differences.

use super::architecture::{AttentionKind, Entries, FullArchitecture, HadamardWeight, TokenRegisters};
use super::batch::TokenBatch;
use super::parameters::FullParameters;
use crate::device::processor::Processor;
use candle_core::{Device, Tensor, Var};
use ndarray::{Array2, Array3};
use workbench_ground::Error;
use workbench_ground::stats::Streams;
use workbench_memformer::{
    Head, Instructions, LayerMemory, LinearTransformer, Part, Precision, Prompts, complex_step_gradients,
    masked_softmax_attention,
};

/// Differences granted to numbers of order one: rounding of single precision, and of double precision through a few layers.
const SINGLE: f64 = 1e-5;
const DOUBLE: f64 = 1e-12;

/// Prompts with bounded entries: each layer cubes the tokens, and a single large one would carry its rounding far.
fn prompts(d: usize, n: usize, batch: usize) -> Prompts {
    let mut stream = Streams::new(71).stream("prompts").unwrap();
    let mut entry = || 2.0 * stream.uniform() - 1.0;
    let x = Array3::from_shape_simple_fn((batch, n, d), &mut entry);
    let query = Array2::from_shape_simple_fn((batch, d), &mut entry);
    let truth = Array2::from_shape_simple_fn((batch, d), &mut entry);
    Prompts::from_parts(x, query, truth).unwrap()
}

/// Parameters of a size that keeps predictions of order one.
fn model(architecture: FullArchitecture) -> FullParameters {
    let mut stream = Streams::new(72).stream("model").unwrap();
    let scale = 0.5 / (architecture.dim() as f64 + 1.0);
    let mut parameters = FullParameters::random(architecture, scale, &mut stream).unwrap();
    for v in parameters.registers_mut() {
        *v = 0.6 * *v + 0.2 * stream.normal();
    }
    parameters
}

fn registers(n: usize) -> Vec<TokenRegisters> {
    let mut kinds = vec![TokenRegisters::None, TokenRegisters::Single];
    for weight in [HadamardWeight::Scalar, HadamardWeight::Rows, HadamardWeight::Full { examples: n }] {
        for tied in [true, false] {
            kinds.push(TokenRegisters::Separate { weight, tied });
        }
    }
    kinds
}

fn models(depth: usize, d: usize, n: usize) -> Vec<FullArchitecture> {
    let plain = FullArchitecture::new(depth, d).unwrap();
    registers(n)
        .into_iter()
        .enumerate()
        .map(|(i, kind)| plain.with_heads(1 + i % 3).unwrap().with_registers(kind).unwrap())
        .collect()
}

/// Largest difference as a part of the largest entry, at least one.
fn distance<'a>(got: impl IntoIterator<Item = &'a f64>, want: &[f64]) -> f64 {
    let scale = want.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
    let (mut gap, mut count) = (0.0f64, 0);
    for (got, want) in got.into_iter().zip(want) {
        gap = gap.max((got - want).abs());
        count += 1;
    }
    assert_eq!(count, want.len());
    gap / scale
}

fn batches(prompts: &Prompts) -> Vec<(TokenBatch, f64)> {
    let mut out = Vec::new();
    for instructions in [Instructions::Avx512, Instructions::Avx2, Instructions::Portable] {
        if !instructions.available() {
            continue;
        }
        for (precision, tolerance) in [(Precision::Single, SINGLE), (Precision::Double, DOUBLE)] {
            let batch = TokenBatch::with_instructions(prompts, precision, Processor::Cpu, instructions);
            out.push((batch.unwrap(), tolerance));
        }
    }
    for (precision, tolerance) in [(Precision::Single, SINGLE), (Precision::Double, DOUBLE)] {
        out.push((TokenBatch::new(prompts, precision, Processor::Rehearsal).unwrap(), tolerance));
    }
    out
}

/// Predictions and gradients of every way to compute them.
fn agree(architecture: FullArchitecture, prompts: &Prompts) {
    let parameters = model(architecture);
    let plain = parameters.transformer(prompts.examples()).unwrap();
    let want: Vec<f64> = (0..prompts.batch()).map(|b| plain.predict(&prompts.tokens(b).unwrap()).unwrap()).collect();
    let losses: Vec<f64> = plain.losses(prompts).unwrap().into_iter().collect();
    let mut reference: Option<Vec<f64>> = None;
    // Double precision first: its gradient is what the others are compared with.
    let mut all = batches(prompts);
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    for (batch, tolerance) in all {
        let say = format!("{architecture:?} {:?} {tolerance:e}", batch.precision());
        let got = batch.predictions(&parameters).unwrap();
        assert!(distance(&got, &want) < tolerance, "{say}");
        assert!(distance(&batch.losses(&parameters).unwrap(), &losses) < 4.0 * tolerance, "{say}");
        let (by_tensors, slopes) = batch.by_definition(&parameters, true).unwrap();
        let (fused, gradient) = batch.loss_and_gradient(&parameters).unwrap();
        let mean = losses[losses.len() - want.len()..].iter().sum::<f64>() / want.len() as f64;
        assert!((by_tensors - mean).abs() < 4.0 * tolerance * mean.max(1.0), "{say}");
        assert!((fused - mean).abs() < 4.0 * tolerance * mean.max(1.0), "{say}");
        assert_eq!(batch.loss(&parameters).unwrap(), fused);
        let reference = reference.get_or_insert_with(|| slopes.clone());
        assert!(reference.iter().any(|g| g.abs() > 1e-3), "a gradient to compare: {say}");
        assert!(distance(&slopes, reference) < 10.0 * tolerance, "{say}");
        assert!(distance(gradient.values(), reference) < 10.0 * tolerance, "{say}");
    }
}

#[test]
fn every_model_is_the_definition() {
    let prompts = prompts(3, 7, 37);
    for architecture in models(3, 3, 7) {
        agree(architecture, &prompts);
    }
}

#[test]
fn other_sizes_are_the_definition() {
    // With fewer tokens than rows, and with more.
    for (depth, d, n, batch) in [(1, 1, 1, 5), (3, 6, 4, 18), (2, 5, 20, 19), (5, 2, 3, 33), (1, 4, 9, 16)] {
        let prompts = prompts(d, n, batch);
        for architecture in models(depth, d, n) {
            agree(architecture, &prompts);
        }
        agree(FullArchitecture::new(depth, d).unwrap().with_heads(2).unwrap(), &prompts);
    }
}

#[test]
fn large_matrices_are_the_definition() {
    let prompts = prompts(30, 33, 3);
    for architecture in models(2, 30, 33) {
        agree(architecture, &prompts);
    }
}

#[test]
fn gradients_are_those_of_complex_steps() {
    let prompts = prompts(3, 6, 2);
    let parameters = model(FullArchitecture::new(3, 3).unwrap());
    let head = |l: usize| parameters.head(l, 0).unwrap();
    let layers: Vec<Head> = (0..3).map(head).collect();
    let mut want = vec![0.0; parameters.values().len()];
    let batch = TokenBatch::new(&prompts, Precision::Double, Processor::Cpu).unwrap();
    let predictions = batch.predictions(&parameters).unwrap();
    for b in 0..2 {
        let error = predictions[b] - prompts.answers()[b];
        let slopes = complex_step_gradients(&layers, &prompts.tokens(b).unwrap()).unwrap();
        let all = slopes.iter().flat_map(|s| s.p()).chain(slopes.iter().flat_map(|s| s.q()));
        // Mean over two prompts of the square's derivative.
        want.iter_mut().zip(all).for_each(|(want, slope)| *want += error * slope);
    }
    let (_, gradient) = batch.loss_and_gradient(&parameters).unwrap();
    assert!(distance(gradient.values(), &want) < 1e-12);
    assert!(distance(&batch.by_definition(&parameters, true).unwrap().1, &want) < 1e-12);
}

#[test]
fn gradients_of_registers_and_of_softmax_are_slopes() {
    let prompts = prompts(2, 4, 6);
    let batch = TokenBatch::new(&prompts, Precision::Double, Processor::Cpu).unwrap();
    for kind in registers(4) {
        for attention in [AttentionKind::Linear, AttentionKind::Softmax] {
            let architecture =
                FullArchitecture::new(3, 2).unwrap().with_registers(kind).unwrap().with_attention(attention);
            let parameters = model(architecture);
            let (_, gradient) = batch.loss_and_gradient(&parameters).unwrap();
            for i in (0..architecture.count()).step_by(5).chain(architecture.range(Part::Registers)) {
                let at = |h: f64| {
                    let mut moved = parameters.clone();
                    moved.values_mut()[i] += h;
                    batch.loss(&moved).unwrap()
                };
                // A central difference, good to about eight digits.
                let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                let got = gradient.values()[i];
                assert!((got - slope).abs() < 1e-7 * slope.abs().max(1.0), "{architecture:?} {i} {got} {slope}");
            }
        }
    }
}

#[test]
fn softmax_is_that_of_the_plain_definition() {
    let (depth, d, n) = (3, 3, 8);
    let prompts = prompts(d, n, 5);
    let architecture = FullArchitecture::new(depth, d).unwrap().with_attention(AttentionKind::Softmax);
    let parameters = model(architecture);
    for (precision, tolerance) in [(Precision::Single, SINGLE), (Precision::Double, DOUBLE)] {
        let batch = TokenBatch::new(&prompts, precision, Processor::Cpu).unwrap();
        let got = batch.predictions(&parameters).unwrap();
        let linear = model(FullArchitecture::new(depth, d).unwrap());
        assert!(distance(&got, batch.predictions(&linear).unwrap().as_slice().unwrap()) > 1e-2);
        for b in 0..5 {
            let mut z = prompts.tokens(b).unwrap();
            for l in 0..depth {
                let step = masked_softmax_attention(&parameters.head(l, 0).unwrap(), &z).unwrap();
                z += &(step / n as f64);
            }
            assert!((got[b] + z[[d, n]]).abs() < tolerance);
        }
    }
}

#[test]
fn a_transformer_comes_back_as_it_went() {
    let n = 5;
    for architecture in models(3, 2, n) {
        let parameters = model(architecture);
        let plain = parameters.transformer(n).unwrap();
        assert_eq!(FullParameters::from_transformer(&plain, architecture).unwrap(), parameters);
        let widest = FullArchitecture::of(&plain).unwrap();
        let again = FullParameters::from_transformer(&plain, widest).unwrap();
        assert_eq!(again.transformer(n).unwrap(), plain);
    }
}

#[test]
fn neutral_models_leave_prompts_alone_and_held_entries_have_no_gradient() {
    let prompts = prompts(2, 5, 9);
    let batch = TokenBatch::new(&prompts, Precision::Double, Processor::Cpu).unwrap();
    for architecture in models(3, 2, 5) {
        let neutral = FullParameters::neutral(architecture);
        assert!(batch.predictions(&neutral).unwrap().iter().all(|p| *p == 0.0));
        let parameters = model(architecture);
        let (_, whole) = batch.loss_and_gradient(&parameters).unwrap();
        let held = architecture.with_entries(Entries::Block, Entries::Held);
        let held = FullParameters::from_values(held, parameters.values().to_vec()).unwrap();
        let (_, part) = batch.loss_and_gradient(&held).unwrap();
        let free: Vec<usize> = held.architecture().ranges(Part::UpperBlocks).into_iter().flatten().collect();
        for i in 0..architecture.range(Part::Registers).start {
            let want = if free.contains(&i) { whole.values()[i] } else { 0.0 };
            assert_eq!(part.values()[i], want);
        }
        assert_eq!(part.registers(), whole.registers());
    }
}

#[test]
fn the_loss_is_a_node_of_a_graph() {
    let prompts = prompts(2, 5, 40);
    for attention in [AttentionKind::Linear, AttentionKind::Softmax] {
        let architecture = FullArchitecture::new(2, 2).unwrap().with_attention(attention);
        let parameters = model(architecture);
        let batch = TokenBatch::new(&prompts, Precision::Double, Processor::Cpu).unwrap();
        let (loss, gradient) = batch.loss_and_gradient(&parameters).unwrap();
        // 3 loss^2 + sum of the values: its gradient is 6 loss times that of the loss, and one.
        let values = Var::from_tensor(&Tensor::new(parameters.values(), &Device::Cpu).unwrap()).unwrap();
        let node = batch.loss_tensor(&architecture, values.as_tensor()).unwrap();
        let total = ((node.sqr().unwrap() * 3.0).unwrap() + values.sum_all().unwrap()).unwrap();
        let slopes = total.backward().unwrap();
        let slopes: Vec<f64> = slopes.get(&values).unwrap().to_vec1().unwrap();
        let want: Vec<f64> = gradient.values().iter().map(|g| 6.0 * loss * g + 1.0).collect();
        assert!(distance(&slopes, &want) < 1e-12);
        let short = values.narrow(0, 0, 3).unwrap();
        let error = batch.loss_tensor(&architecture, &short).unwrap_err().to_string();
        assert!(error.contains("= 3 does not match the shape needed = 36;"), "{error}");
    }
}

#[test]
fn chunks_and_threads_do_not_change_the_numbers() {
    let prompts = prompts(4, 6, 3000);
    let batch = TokenBatch::new(&prompts, Precision::Single, Processor::Cpu).unwrap();
    for parameters in [0, 7].map(|i| model(models(3, 4, 6)[i])) {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| batch.loss_and_gradient(&parameters).unwrap())
        };
        let one = run(1);
        for threads in [2, 5] {
            assert_eq!(run(threads), one);
        }
        let (loss, slopes) = batch.by_definition(&parameters, true).unwrap();
        assert!((loss / one.0 - 1.0).abs() < SINGLE);
        assert!(distance(one.1.values(), &slopes) < 10.0 * SINGLE);
    }
}

#[test]
fn passes_stop() {
    let prompts = prompts(2, 3, 400);
    let batch = TokenBatch::new(&prompts, Precision::Double, Processor::Cpu).unwrap();
    let linear = FullParameters::neutral(FullArchitecture::new(2, 2).unwrap());
    let softmax = FullArchitecture::new(2, 2).unwrap().with_attention(AttentionKind::Softmax);
    for parameters in [linear, FullParameters::neutral(softmax)] {
        let stop = workbench_ground::rehearsal::stop_after(0, || batch.loss_and_gradient(&parameters));
        assert!(matches!(stop, Err(Error::Stopped(_))));
        let stop = workbench_ground::rehearsal::stop_after(0, || batch.losses(&parameters));
        assert!(matches!(stop, Err(Error::Stopped(_))));
    }
    let draw = || TokenBatch::new(&prompts, Precision::Double, Processor::Cpu);
    assert!(workbench_ground::rehearsal::stop_after(0, draw).is_err());
}

#[test]
fn bad_input_is_named() {
    let data = prompts(3, 5, 4);
    let batch = TokenBatch::new(&data, Precision::Single, Processor::Cpu).unwrap();
    let say = |r: Result<f64, Error>| r.unwrap_err().to_string();
    let wide = FullParameters::neutral(FullArchitecture::new(2, 4).unwrap());
    assert!(say(batch.loss(&wide)).contains("(5, 5) does not match the shape needed = (4, 4)"));
    let weight = HadamardWeight::Full { examples: 6 };
    let long =
        FullArchitecture::new(2, 3).unwrap().with_registers(TokenRegisters::Separate { weight, tied: true }).unwrap();
    assert!(
        say(batch.loss(&FullParameters::neutral(long))).contains("(4, 7) does not match the shape needed = (4, 6)")
    );
    let mut spoiled = FullParameters::neutral(FullArchitecture::new(1, 3).unwrap());
    spoiled.values_mut()[5] = f64::NAN;
    assert!(say(batch.loss(&spoiled)).contains("NaN"));
    // Beyond single precision.
    let x = Array3::from_elem((1, 2, 1), 1e30);
    let huge = Prompts::from_parts(x, Array2::ones((1, 1)), Array2::from_elem((1, 1), 1e20)).unwrap();
    let error = TokenBatch::new(&huge, Precision::Single, Processor::Cpu).unwrap_err();
    assert!(error.to_string().contains("inf"), "{error}");
    assert!(TokenBatch::new(&huge, Precision::Double, Processor::Cpu).is_ok());
    let nan = Prompts::from_parts(Array3::from_elem((1, 2, 1), f64::NAN), Array2::ones((1, 1)), Array2::ones((1, 1)));
    assert!(nan.unwrap_err().to_string().contains("NaN"));
    let error = TokenBatch::new(&data, Precision::Single, Processor::Cuda(77)).unwrap_err();
    assert!(error.to_string().contains("Processor::Cpu"), "{error}");
}

#[test]
fn models_that_do_not_fit_are_named() {
    let n = 4;
    let head = || Head::restricted(&Array2::eye(2)).unwrap();
    let mut gamma = vec![vec![Array2::from_elem((3, n + 1), 1.0)]];
    gamma[0][0][[1, 2]] = 2.0;
    let model = LinearTransformer::new(vec![vec![head()]], LayerMemory::Separate { gamma }).unwrap();
    let of = |weight: HadamardWeight| {
        FullArchitecture::new(1, 2).unwrap().with_registers(TokenRegisters::Separate { weight, tied: true }).unwrap()
    };
    let say = |r: Result<FullParameters, Error>| r.unwrap_err().to_string();
    assert!(say(FullParameters::from_transformer(&model, of(HadamardWeight::Scalar))).contains("vary"));
    assert!(say(FullParameters::from_transformer(&model, of(HadamardWeight::Rows))).contains("along"));
    let full = of(HadamardWeight::Full { examples: n });
    assert!(FullParameters::from_transformer(&model, full).is_ok());
    let other = of(HadamardWeight::Full { examples: n + 1 });
    assert!(
        say(FullParameters::from_transformer(&model, other))
            .contains("(3, 5) does not match the shape needed = (3, 6)")
    );
    let plain = FullArchitecture::new(1, 2).unwrap();
    assert!(say(FullParameters::from_transformer(&model, plain)).contains("memory"));
    let uneven = LinearTransformer::new(vec![vec![head()], vec![head(), head()]], LayerMemory::None).unwrap();
    assert!(
        FullArchitecture::of(&uneven).unwrap_err().to_string().contains("= 2 does not match the shape needed = 1;")
    );
    let gamma = vec![vec![vec![Array2::from_elem((3, n + 1), 1.0); 2]]];
    let apart = LinearTransformer::new(vec![vec![head(), head()]], LayerMemory::PerHead { gamma }).unwrap();
    let two = full.with_heads(2).unwrap();
    for refused in
        [FullArchitecture::of(&apart).unwrap_err().to_string(), say(FullParameters::from_transformer(&apart, two))]
    {
        assert!(refused.contains("LayerMemory::Separate"), "{refused}");
    }
    let soft = FullParameters::neutral(plain.with_attention(AttentionKind::Softmax));
    assert!(soft.transformer(3).unwrap_err().to_string().contains("softmax"));
    assert!(
        FullParameters::neutral(full)
            .transformer(9)
            .unwrap_err()
            .to_string()
            .contains("(3, 5) does not match the shape needed = (3, 10)")
    );
    let mut parameters = FullParameters::neutral(plain);
    assert!(parameters.head(1, 0).unwrap_err().to_string().contains("no layer"));
    let wide = Head::with_block(&Array2::eye(3), &Array2::eye(3)).unwrap();
    assert!(
        parameters
            .set_head(0, 0, &wide)
            .unwrap_err()
            .to_string()
            .contains("(4, 4) does not match the shape needed = (3, 3)")
    );
    assert!(
        FullParameters::from_values(plain, vec![0.0; 3])
            .unwrap_err()
            .to_string()
            .contains("= 3 does not match the shape needed = 18;")
    );
    let mut stream = Streams::new(1).stream("start").unwrap();
    assert!(FullParameters::random(plain, f64::NAN, &mut stream).is_err());
}
