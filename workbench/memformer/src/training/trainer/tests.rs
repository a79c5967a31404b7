//! Runs, their stops, and what goes wrong in them.

use super::*;
use crate::{Batch, Part, Phase, RegisterKind, RegisterWeight};
use workbench_ground::work::Seen;

fn stream(name: &str) -> Stream {
    Streams::new(31).stream(name).unwrap()
}

fn phases(first: usize, second: usize) -> Vec<Phase> {
    vec![
        Phase::new(&[Part::Preconditioners, Part::UpperBlocks], first, 0.03).halving_every(200),
        Phase::new(&[Part::Registers], second, 0.01),
    ]
}

fn model(tied: bool) -> Architecture {
    let weight = RegisterWeight::Scalar;
    Architecture::new(3, 3).unwrap().with_registers(RegisterKind::Separate { weight, tied })
}

fn trainer(architecture: Architecture, protocol: TrainingProtocol) -> Trainer {
    Trainer::new(architecture, TaskLaw::isotropic(3).unwrap(), protocol, &mut stream("run")).unwrap()
}

fn small() -> TrainingProtocol {
    TrainingProtocol::document().with_batch(300).with_phases(phases(400, 300))
}

#[test]
fn each_phase_moves_its_own_parameters_only() {
    let mut trainer = trainer(model(false), small());
    let start = trainer.parameters().clone();
    trainer.run_for(400).unwrap();
    let middle = trainer.parameters().clone();
    assert_eq!(middle.registers(), start.registers());
    assert_ne!(middle.a(0).unwrap(), start.a(0).unwrap());
    assert_eq!(trainer.run().unwrap(), RunStatus::Done);
    let shown = trainer.columns().unwrap();
    assert_eq!((shown.list[0].0.as_str(), shown.list[1].0.as_str(), shown.x), ("step", "loss", Some(0)));
    let end = trainer.parameters();
    assert_eq!(
        (0..3).map(|l| end.a(l).unwrap()).collect::<Vec<_>>(),
        (0..3).map(|l| middle.a(l).unwrap()).collect::<Vec<_>>()
    );
    assert_ne!(end.registers(), middle.registers());
    let fresh = trainer.fresh_losses();
    assert_eq!(fresh.len(), 7);
    assert!((fresh[0].loss - 3.0).abs() < 1.5, "E <w, x>^2 = d: {fresh:?}");
    assert!(fresh[4].loss < 0.2 * fresh[0].loss && fresh[6].loss < 0.2 * fresh[0].loss, "{fresh:?}");
}

#[test]
fn runs_repeat_and_parts_of_a_run_are_the_run() {
    let mut whole = trainer(model(true), small());
    whole.run().unwrap();
    let mut parts = trainer(model(true), small());
    for steps in [1, 57, 250, 10_000] {
        parts.run_for(steps).unwrap();
    }
    assert_eq!(parts.parameters(), whole.parameters());
    assert_eq!(parts.fresh_losses(), whole.fresh_losses());
    let mut other = Trainer::new(model(true), TaskLaw::isotropic(3).unwrap(), small(), &mut stream("other")).unwrap();
    other.run().unwrap();
    assert_ne!(other.parameters(), whole.parameters());
}

#[test]
fn the_batch_of_the_last_step_is_at_hand() {
    let mut run = trainer(model(false), small());
    assert!(run.batch_loss().unwrap_err().to_string().contains("steps taken"));
    run.run_for(1).unwrap();
    let (before, after) = (run.fresh_losses()[0].loss, run.batch_loss().unwrap());
    assert!(after < before && after > 0.5 * before, "{before} {after}");
}

#[test]
fn a_single_layer_finds_the_known_optimum() {
    // With w ~ N(0, I) and x ~ N(0, I) one layer is best at a = n / (n + d + 1) times the identity.
    let (n, d) = (20, 3);
    let mut protocol = TrainingProtocol::document().with_batch(20_000).with_examples(n);
    protocol.phases = vec![Phase::new(&[Part::Preconditioners], 600, 0.05).halving_every(100)];
    let mut trainer = trainer(Architecture::new(1, d).unwrap(), protocol);
    trainer.run().unwrap();
    let a = trainer.parameters().a(0).unwrap().to_owned();
    let want = n as f64 / (n + d + 1) as f64;
    for ((i, j), v) in a.indexed_iter() {
        let want = if i == j { want } else { 0.0 };
        // The optimum of one batch scatters by about 1 / sqrt(B n).
        assert!((v - want).abs() < 0.02, "{a}");
    }
}

#[test]
fn divergence_is_seen_early_and_named() {
    let mut protocol = small();
    protocol.phases = vec![Phase::new(&[Part::Preconditioners], 500, 50.0)];
    let mut trainer = trainer(model(false), protocol);
    let error = trainer.run().unwrap_err();
    assert!(matches!(error, Error::Diverged { rate: Some(50.0), .. }), "{error}");
    assert!(error.to_string().contains("lower the learning rate"));
    assert!(trainer.parameters().values().iter().all(|v| v.is_finite()));
}

#[test]
fn one_prompt_far_out_is_no_divergence() {
    // With A = B = I a layer maps a curvature h to h (1 - h)^2: prompts with h above 2 blow up, the others do not.
    let mut model = Parameters::neutral(Architecture::new(3, 2).unwrap().with_upper_block());
    for l in 0..3 {
        model.set_a(l, &ndarray::Array2::eye(2)).unwrap();
        model.set_b(l, &ndarray::Array2::eye(2)).unwrap();
    }
    let mut protocol = small().with_batch(1).with_examples(4);
    protocol.resample_every = 1;
    protocol.phases = vec![Phase::new(&[Part::Preconditioners], 300, 1e-9)];
    let mut stream = Streams::new(3).stream("far out").unwrap();
    let law = TaskLaw::isotropic(2).unwrap();
    let mut trainer = Trainer::from_parameters(model, law, protocol, &mut stream).unwrap();
    assert_eq!(trainer.run().unwrap(), RunStatus::Done);
    let losses: Vec<f64> = trainer.fresh_losses().iter().map(|f| f.loss).collect();
    let largest = losses.iter().copied().fold(0.0, f64::max);
    assert!(largest > 1e6 * losses[0], "{largest} {}", losses[0]);
}

#[test]
fn observers_hear_of_it_and_stops_keep_the_state() {
    let mut trainer = trainer(model(false), small());
    let mut record = Seen::default();
    trainer.run_for_watched(100, &mut record).unwrap();
    assert_eq!(record.0.last().map(|s| (s.done, s.of)), Some((100, 700)));
    assert!(record.0.iter().all(|s| s.value.is_some_and(f64::is_finite)));
    let end = workbench_ground::rehearsal::stop_after(40, || trainer.run()).unwrap();
    assert_eq!(end, RunStatus::Stopped);
    let taken = trainer.steps_taken();
    assert!(taken > 100 && taken < 140, "{taken}");
    trainer.run().unwrap();
    let mut whole = super::tests::trainer(model(false), small());
    whole.run().unwrap();
    assert_eq!(trainer.parameters(), whole.parameters());
}

#[test]
fn held_prompts_are_the_only_ones() {
    let law = TaskLaw::isotropic(3).unwrap();
    let batch = || Batch::draw(&law, 20, 1, crate::Precision::Double, &mut stream("one")).unwrap();
    let mut run = trainer(Architecture::new(3, 3).unwrap(), small());
    run.hold(batch()).unwrap();
    run.run_for(390).unwrap();
    assert_eq!(run.fresh_losses().len(), 1);
    // One prompt can be learned by heart.
    assert!(batch().loss(run.parameters()).unwrap() < 1e-2 * run.fresh_losses()[0].loss);
    let error = run.save(std::env::temp_dir().join("held.json")).unwrap_err();
    assert!(error.to_string().contains("given prompts"), "{error}");
    // A loss out of all proportion counts anew for another prompt.
    run.divergence.sees(1e9, &[0.0], 1.0, 0);
    run.hold(batch()).unwrap();
    assert_eq!(run.divergence, Divergence::default());
    let wide = Batch::draw(&TaskLaw::isotropic(2).unwrap(), 2, 1, crate::Precision::Double, &mut stream("two"));
    assert!(run.hold(wide.unwrap()).unwrap_err().to_string().contains("= 2 does not match the shape needed = 3;"));
}

#[test]
fn bad_starts_are_named() {
    let law = TaskLaw::isotropic(4).unwrap();
    let error = Trainer::new(model(true), law, small(), &mut stream("run")).unwrap_err();
    assert!(error.to_string().contains("(4, 4) does not match the shape needed = (3, 3)"), "{error}");
}
