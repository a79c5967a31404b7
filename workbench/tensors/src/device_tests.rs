//! The pass of devices, rehearsed on the machine's own cores, against the fused pass and against candle's gradients; what a run on one
//! processor hands to a run on another.

use crate::{
    AttentionKind, Entries, FullArchitecture, FullParameters, HadamardWeight, Processor, TokenBatch, TokenRegisters,
};
use workbench_ground::Error;
use workbench_ground::stats::Streams;
use workbench_memformer::{Clip, Part, Phase, Precision, Prompts, RunStatus, TaskLaw, Trainer, TrainingProtocol};

const ALL: [Part; 3] = [Part::UpperBlocks, Part::Preconditioners, Part::Registers];

fn kinds(d: usize, n: usize, depth: usize) -> Vec<FullArchitecture> {
    let plain = FullArchitecture::new(depth, d).unwrap();
    let mut kinds = vec![TokenRegisters::None, TokenRegisters::Single];
    for weight in [HadamardWeight::Scalar, HadamardWeight::Rows, HadamardWeight::Full { examples: n }] {
        for tied in [true, false] {
            kinds.push(TokenRegisters::Separate { weight, tied });
        }
    }
    let mut models: Vec<_> = kinds.into_iter().map(|kind| plain.with_registers(kind).unwrap()).collect();
    models.push(models[5].with_heads(2).unwrap());
    models.push(models[0].with_heads(3).unwrap().with_entries(Entries::Held, Entries::Block));
    // Softmax without registers, with one, and with heads and weights of single tokens.
    for model in [models[0], models[1], models[3], models[8]] {
        models.push(model.with_attention(AttentionKind::Softmax));
    }
    models
}

fn start(architecture: FullArchitecture) -> FullParameters {
    let mut stream = Streams::new(5).stream("start").unwrap();
    let mut model = FullParameters::random(architecture, 0.3 / (architecture.dim() + 1) as f64, &mut stream).unwrap();
    model.registers_mut().iter_mut().for_each(|v| *v = 0.8 * *v + 0.1);
    model
}

fn prompts(d: usize, n: usize, batch: usize) -> Prompts {
    let law = TaskLaw::isotropic(d).unwrap();
    Prompts::draw(&law, n, batch, &mut Streams::new(6).stream("prompts").unwrap()).unwrap()
}

/// Largest difference, as a part of the largest number.
fn gap(got: &[f64], want: &[f64]) -> f64 {
    assert_eq!(got.len(), want.len());
    let scale = want.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    got.iter().zip(want).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / scale
}

/// A thousand steps on one batch: the model, and its loss as a part of that at the start.
fn thousand(architecture: FullArchitecture, batch: TokenBatch, processor: Processor, rate: f64) -> (Vec<f64>, f64) {
    let (d, n) = (batch.dim(), batch.examples());
    let phase = Phase::new(&ALL, 1000, rate).halving_every(150);
    let mut protocol = TrainingProtocol::document().with_examples(n).with_phases(vec![phase]);
    protocol.clip = Clip::PerMatrix(0.05);
    let mut stream = Streams::new(7).stream("run").unwrap();
    let mut run =
        start(architecture).trainer(TaskLaw::isotropic(d).unwrap(), protocol, processor, &mut stream).unwrap();
    run.hold(batch).unwrap();
    assert_eq!(run.run().unwrap(), RunStatus::Done);
    let loss = run.batch_loss().unwrap() / run.fresh_losses()[0].loss;
    assert!(loss < 0.9, "{architecture:?}: something to compare");
    (run.parameters().values().to_vec(), loss)
}

/// After a thousand steps of Adam, which divides small gradients by small numbers, parameters agree to so much of the largest one, and
/// losses to so much of the first one.
const AFTER: [(Precision, f64, f64); 2] = [(Precision::Double, 1e-7, 1e-8), (Precision::Single, 5e-2, 2e-3)];

/// Models of one size after a thousand steps, here and on the other processor.
fn same_after_a_thousand_steps((d, n, batch): (usize, usize, usize), rate: f64, kinds: &[FullArchitecture]) {
    let data = prompts(d, n, batch);
    for (architecture, (precision, parameters, losses)) in
        kinds.iter().flat_map(|kind| AFTER.map(|after| (*kind, after)))
    {
        let run = |processor| {
            let batch = TokenBatch::new(&data, precision, processor).unwrap();
            thousand(architecture, batch, processor, rate)
        };
        let ((own, loss), (device, other)) = (run(Processor::Cpu), run(Processor::Rehearsal));
        let apart = (gap(&device, &own), (other - loss).abs());
        println!("{architecture:?} {precision:?}: {loss:.3}, {apart:?}");
        assert!(apart.0 < parameters && apart.1 < losses, "{architecture:?} {precision:?}: {apart:?}");
    }
}

#[test]
fn a_thousand_steps_lead_to_the_same_small_model() {
    same_after_a_thousand_steps((2, 6, 16), 0.01, &kinds(2, 6, 2));
}

/// In large steps rounding grows too much for more parameters than prompts, so here and with wide matrices the steps are smaller.
#[test]
fn a_thousand_steps_lead_to_the_same_model_of_three_layers() {
    same_after_a_thousand_steps((4, 9, 12), 0.001, &kinds(4, 9, 3));
}

#[test]
fn a_thousand_steps_lead_to_the_same_model_at_the_documents_size() {
    same_after_a_thousand_steps((5, 20, 40), 0.01, &kinds(5, 20, 3)[5..6]);
}

/// From d = 16 on heads are apart.
#[test]
fn a_thousand_steps_lead_to_the_same_wide_model() {
    same_after_a_thousand_steps((17, 6, 4), 0.001, &kinds(17, 6, 2));
}

#[test]
fn heads_that_are_apart_have_the_same_gradients() {
    // From d = 16 on the products of heads are not joined.
    let (d, n) = (17, 20);
    let data = prompts(d, n, 40);
    for architecture in kinds(d, n, 2) {
        let model = start(architecture);
        let of = |processor| {
            let batch = TokenBatch::new(&data, Precision::Double, processor).unwrap();
            batch.loss_and_gradient(&model).unwrap()
        };
        let ((loss, slopes), (other, gradient)) = (of(Processor::Cpu), of(Processor::Rehearsal));
        let apart = gap(gradient.values(), slopes.values()).max((other / loss - 1.0).abs());
        println!("{architecture:?}: {apart:e}");
        assert!(apart < 1e-10, "{architecture:?} {apart:e}");
    }
}

#[test]
fn groups_and_chunks_are_one_batch() {
    // Three groups; then chunks of a quarter and less, whose gradients are added up.
    let (d, n, batch) = (3, 9, 1100);
    let data = prompts(d, n, batch);
    for architecture in kinds(d, n, 3) {
        let model = start(architecture);
        for (precision, tolerance) in [(Precision::Double, 1e-11), (Precision::Single, 1e-4)] {
            let own = TokenBatch::new(&data, Precision::Double, Processor::Cpu).unwrap();
            let (loss, slopes) = own.loss_and_gradient(&model).unwrap();
            let device = || TokenBatch::new(&data, precision, Processor::Rehearsal).unwrap();
            for batch in [device(), device().within(2_500_000), device().within(1_000_000)] {
                let (other, gradient) = batch.loss_and_gradient(&model).unwrap();
                let apart = gap(gradient.values(), slopes.values()).max((other / loss - 1.0).abs());
                assert!(apart < tolerance, "{architecture:?} {precision:?} {apart:e}");
                let (layers, want) = (batch.losses(&model).unwrap(), own.losses(&model).unwrap());
                let flat = |a: &ndarray::Array2<f64>| a.iter().copied().collect::<Vec<_>>();
                assert!(gap(&flat(&layers), &flat(&want)) < tolerance, "{architecture:?} {precision:?}");
            }
        }
    }
}

#[test]
fn too_little_memory_is_named_before_the_run() {
    let data = prompts(4, 9, 300);
    let model = start(FullArchitecture::new(4, 4).unwrap());
    let batch = TokenBatch::new(&data, Precision::Single, Processor::Rehearsal).unwrap().within(80_000);
    let error = batch.loss(&model).unwrap_err();
    assert!(matches!(error, Error::Refused { .. }), "{error:?}");
    let error = error.to_string();
    for part in ["B = 300", "d = 4", "n = 9", "L = 4", "0.080 MB free", "take B = ", "Processor::Cpu"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    // The batch serves on with more.
    assert!(batch.within(10_000_000).loss(&model).unwrap().is_finite());
}

#[test]
fn a_batch_made_on_one_thread_is_used_on_another_and_passes_do_not_mix() {
    let (d, n) = (3, 8);
    let data = prompts(d, n, 700);
    let models: Vec<_> = kinds(d, n, 2).into_iter().map(start).collect();
    let batch = std::thread::scope(|scope| {
        let made = scope.spawn(|| TokenBatch::new(&data, Precision::Double, Processor::Rehearsal).unwrap());
        made.join().unwrap()
    });
    let want: Vec<_> = models.iter().map(|m| batch.loss_and_gradient(m).unwrap()).collect();
    std::thread::scope(|scope| {
        for (model, want) in models.iter().zip(&want) {
            let batch = &batch;
            scope.spawn(move || {
                for _ in 0..5 {
                    assert_eq!(batch.loss_and_gradient(model).unwrap(), *want);
                }
            });
        }
    });
}

#[test]
fn a_run_goes_on_on_another_processor() {
    let weight = HadamardWeight::Scalar;
    let registers = TokenRegisters::Separate { weight, tied: false };
    let architecture = FullArchitecture::new(2, 3).unwrap().with_registers(registers).unwrap();
    let law = TaskLaw::isotropic(3).unwrap();
    let mut protocol =
        TrainingProtocol::document().with_batch(64).with_examples(8).with_phases(vec![Phase::new(&ALL, 120, 0.005)]);
    (protocol.resample_every, protocol.precision) = (30, Precision::Double);
    let run = |processor| {
        let mut stream = Streams::new(8).stream("run").unwrap();
        start(architecture).trainer(law.clone(), protocol.clone(), processor, &mut stream).unwrap()
    };
    let mut whole = run(Processor::Cpu);
    whole.run().unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (first, second) in [(Processor::Cpu, Processor::Rehearsal), (Processor::Rehearsal, Processor::Cpu)] {
        let path = folder.path().join("run.json");
        let mut begun = run(first);
        begun.keep(&path, 1000);
        begun.run_for(50).unwrap();
        let mut other = FullParameters::load_trainer(&path, second).unwrap();
        assert_eq!(other.steps_taken(), 50);
        other.run().unwrap();
        assert!(gap(other.parameters().values(), whole.parameters().values()) < 1e-9);
        let fresh = |run: &Trainer<FullParameters>| run.fresh_losses().iter().map(|f| f.loss).collect::<Vec<_>>();
        assert!(gap(&fresh(&other), &fresh(&whole)) < 1e-9);
    }
}

#[test]
fn numbers_that_are_none_end_a_run_and_keep_its_checkpoint() {
    let law = TaskLaw::isotropic(2).unwrap();
    let protocol = TrainingProtocol::document().with_batch(32).with_phases(vec![Phase::new(&ALL, 400, 20.0)]);
    let mut stream = Streams::new(9).stream("run").unwrap();
    let model = start(FullArchitecture::new(3, 2).unwrap());
    let mut run = model.trainer(law, protocol, Processor::Rehearsal, &mut stream).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    run.keep(&path, 1);
    let error = run.run().unwrap_err();
    assert!(matches!(error, Error::Diverged { .. }), "{error}");
    let kept = FullParameters::load_trainer(&path, Processor::Cpu).unwrap();
    assert_eq!(kept.steps_taken(), run.steps_taken());
    assert!(kept.parameters().values().iter().all(|v| v.is_finite()));
}
