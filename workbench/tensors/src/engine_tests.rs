//! The fused passes of `workbench_memformer` against the definition and against candle's gradients, which that room does without.

use crate::autograd;
use ndarray::Array1;
use workbench_ground::stats::Streams;
use workbench_memformer::{Architecture, Parameters, Part, Prompts, RegisterKind, RegisterWeight, TaskLaw};
use workbench_memformer::{Batch, Instructions, Precision};

/// Relative errors granted to gradients: rounding of sums over some hundred prompts.
const SINGLE: f64 = 1e-5;
const DOUBLE: f64 = 1e-10;

fn prompts(d: usize, n: usize, batch: usize) -> Prompts {
    let streams = Streams::new(11);
    let spectrum: Vec<f64> = (0..d).map(|i| 1.0 / (1.0 + i as f64 / 2.0)).collect();
    let law = TaskLaw::rotated(&spectrum, &mut streams.stream("rotation").unwrap()).unwrap();
    Prompts::draw(&law, n, batch, &mut streams.stream("prompts").unwrap()).unwrap()
}

/// Parameters that shrink errors, so that losses are of order one.
fn model(architecture: Architecture) -> Parameters {
    let mut stream = Streams::new(12).stream("model").unwrap();
    let mut parameters = Parameters::random(architecture, 0.15, &mut stream).unwrap();
    let d = architecture.dim();
    for l in 0..architecture.depth() {
        let a = parameters.a(l).unwrap().to_owned() + 0.4 * ndarray::Array2::<f64>::eye(d);
        parameters.set_a(l, &a).unwrap();
    }
    let range = architecture.range(Part::Registers);
    for v in &mut parameters.values_mut()[range] {
        *v = *v * 0.6 + 0.2 * stream.normal();
    }
    parameters
}

fn kinds() -> Vec<RegisterKind> {
    let mut kinds = vec![RegisterKind::None, RegisterKind::Single];
    for weight in [RegisterWeight::Scalar, RegisterWeight::Diagonal, RegisterWeight::Full] {
        for tied in [true, false] {
            kinds.push(RegisterKind::Separate { weight, tied });
        }
    }
    kinds
}

fn models(depth: usize, d: usize) -> Vec<Architecture> {
    let plain = Architecture::new(depth, d).unwrap();
    kinds()
        .into_iter()
        .map(|kind| plain.with_registers(kind))
        .flat_map(|model| [model, model.with_upper_block()])
        .filter(|model| {
            let scalar = !matches!(
                model.registers(),
                RegisterKind::Separate { weight: RegisterWeight::Diagonal | RegisterWeight::Full, .. }
            );
            scalar || !model.upper_block()
        })
        .collect()
}

/// Largest difference as a part of the largest entry.
fn distance(got: &[f64], want: &[f64]) -> f64 {
    assert_eq!(got.len(), want.len());
    let scale = want.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let gap = got.iter().zip(want).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
    assert!(scale > 0.0);
    gap / scale
}

fn against_candle(architecture: Architecture, prompts: &Prompts) {
    let parameters = model(architecture);
    let statistics = prompts.statistics().unwrap();
    let (want_loss, want) = autograd::loss_and_gradient(&parameters, prompts, Precision::Double).unwrap();
    let (single_loss, single) = autograd::loss_and_gradient(&parameters, prompts, Precision::Single).unwrap();
    for instructions in [Instructions::Avx512, Instructions::Avx2, Instructions::Portable] {
        if !instructions.available() {
            continue;
        }
        for (precision, tolerance, want_loss, want) in
            [(Precision::Double, DOUBLE, want_loss, &want), (Precision::Single, SINGLE, single_loss, &single)]
        {
            let batch = Batch::with_instructions(&statistics, precision, instructions).unwrap();
            let (loss, gradient) = batch.loss_and_gradient(&parameters).unwrap();
            assert!((loss / want_loss - 1.0).abs() < tolerance, "{architecture:?} {instructions:?} {loss} {want_loss}");
            let gap = distance(gradient.values(), want);
            assert!(gap < tolerance, "{architecture:?} {instructions:?} {precision:?}: {gap:e}");
            assert_eq!(batch.loss(&parameters).unwrap(), loss);
        }
    }
}

#[test]
fn gradients_are_those_of_candle_for_every_model() {
    // 133 prompts: no multiple of any register's lanes.
    let prompts = prompts(5, 20, 133);
    for architecture in models(3, 5) {
        against_candle(architecture, &prompts);
    }
}

#[test]
fn gradients_are_those_of_candle_in_other_dimensions_and_depths() {
    for (d, depth, batch) in [(1, 2, 40), (2, 1, 17), (3, 5, 9), (4, 2, 33), (7, 4, 20), (13, 3, 20)] {
        let prompts = prompts(d, 2 * d + 3, batch);
        for architecture in models(depth, d) {
            against_candle(architecture, &prompts);
        }
    }
    let prompts = prompts(25, 40, 19);
    against_candle(Architecture::new(3, 25).unwrap(), &prompts);
}

#[test]
fn losses_after_each_layer_are_those_of_the_definition() {
    let (depth, d, n) = (4, 5, 12);
    let prompts = prompts(d, n, 37);
    let batch = Batch::new(&prompts.statistics().unwrap(), Precision::Double).unwrap();
    for architecture in models(depth, d) {
        let parameters = model(architecture);
        let losses = batch.losses(&parameters).unwrap();
        let mean = losses.row(depth).sum() / 37.0;
        assert!((mean / batch.loss(&parameters).unwrap() - 1.0).abs() < 1e-12);
        let Ok(transformer) = parameters.transformer(n) else {
            continue;
        };
        let want = transformer.losses(&prompts).unwrap();
        assert!((losses - want).iter().all(|v| v.abs() < 1e-10), "{architecture:?}");
    }
}

#[test]
fn chunks_and_threads_do_not_change_the_numbers() {
    let prompts = prompts(5, 7, 13_000);
    let batch = Batch::new(&prompts.statistics().unwrap(), Precision::Single).unwrap();
    for architecture in [Architecture::new(3, 5).unwrap(), Architecture::new(3, 5).unwrap().with_upper_block()] {
        let parameters = model(architecture);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| batch.loss_and_gradient(&parameters).unwrap())
        };
        let one = run(1);
        for threads in [2, 3, 8] {
            let (loss, gradient) = run(threads);
            assert_eq!(loss, one.0);
            assert_eq!(gradient, one.1);
        }
        let losses: Array1<f64> = batch.losses(&parameters).unwrap().row(3).to_owned();
        assert!((losses.mean().unwrap() / one.0 - 1.0).abs() < 1e-5);
    }
}

#[test]
fn bad_requests_are_named() {
    let statistics = prompts(3, 5, 4).statistics().unwrap();
    let batch = Batch::new(&statistics, Precision::Single).unwrap();
    let model = |d: usize| Parameters::neutral(Architecture::new(2, d).unwrap());
    let error = batch.loss(&model(4)).unwrap_err().to_string();
    assert!(error.contains("= 4 does not match the shape needed = 3;"), "{error}");
    let full = Architecture::new(2, 3).unwrap().with_upper_block();
    let full = full.with_registers(RegisterKind::Separate { weight: RegisterWeight::Full, tied: true });
    let error = batch.loss(&Parameters::neutral(full)).unwrap_err().to_string();
    assert!(error.contains("use scalar weights"), "{error}");
}

#[test]
fn a_pass_stops() {
    let statistics = prompts(2, 3, 5000).statistics().unwrap();
    let batch = Batch::new(&statistics, Precision::Double).unwrap();
    let parameters = Parameters::neutral(Architecture::new(2, 2).unwrap());
    let stopped = workbench_ground::rehearsal::stop_after(2, || batch.loss(&parameters));
    assert!(stopped.is_err());
    let stopped = workbench_ground::rehearsal::stop_after(2, || batch.losses(&parameters));
    assert!(stopped.is_err());
}
