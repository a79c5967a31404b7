//! Meta-gradients against complex steps of their definition, evolution against whole roll-outs, checkpoints.

use workbench_ground::rehearsal;
use workbench_ground::stats::{Stream, Streams};
use workbench_ground::tabulated::{Tabulated, Values};
use workbench_ground::work::{Observer, Step};

use super::*;
use crate::cell::{Cell, Form, Memory, Mnemosyne, TensorWise};
use crate::classical::Adam;
use crate::number::{CellNumber, Complex};
use crate::task::{Split, Task};
use crate::{Error, Layout, Optimizer, Preprocess, Saved};

mod bowl;
mod definition;

use bowl::bowl;
pub(crate) use definition::agrees_with_complex_steps;

/// A complex step.
const H: f64 = 1e-20;

fn stream(name: &str) -> Stream {
    Streams::new(12).stream(name).unwrap()
}

fn form(memory: Memory) -> Form {
    Form {
        hidden: 4,
        feed_forward: 5,
        memory,
        output_scale: 0.2,
        preprocess: Preprocess::Paper { p: 4.0 },
        ..Form::default()
    }
}

fn cell_and_weights(memory: Memory) -> (Mnemosyne, Vec<f64>) {
    let cell = Mnemosyne::new(form(memory)).unwrap();
    let mut weights = cell.start(&mut stream("weights")).unwrap();
    let mut noise = stream("noise");
    weights[..cell.trained()].iter_mut().for_each(|w| *w += 0.1 * noise.normal());
    (cell, weights)
}

#[test]
fn gradients_of_windows_are_complex_steps() {
    let compact = Memory::Compact { features: 6, map: workbench_features::MapKind::Hyperbolic, tau: 0.1 };
    for memory in [compact, Memory::Cache { steps: 5 }, Memory::Average { tau: 0.1 }, Memory::None] {
        let (cell, weights) = cell_and_weights(memory);
        agrees_with_complex_steps(&cell, &weights);
    }
}

/// Chunks of two: the last one is shorter.
#[test]
fn gradients_of_tensor_wise_windows_are_complex_steps() {
    for memory in [Memory::default_compact(), Memory::Average { tau: 0.1 }] {
        let cell = TensorWise::new(form(memory), 2).unwrap();
        let mut weights = cell.start(&mut stream("weights")).unwrap();
        let mut noise = stream("noise");
        weights[..cell.trained()].iter_mut().for_each(|w| *w += 0.1 * noise.normal());
        agrees_with_complex_steps(&cell, &weights);
    }
}

#[test]
fn registers_give_the_gradient_of_the_definition_up_to_rounding() {
    let (cell, weights) = (Mnemosyne::new(Form::default()).unwrap(), stream("w"));
    let weights = cell.start(&mut weights.clone()).unwrap();
    let bowl = bowl(37, 0.1);
    let layout = Layout::new(bowl.tensors()).unwrap();
    let objective = RolloutObjective { imitation: 100.0, derivative: Derivative::Exact, ..RolloutObjective::default() };
    let gradient = |precision| {
        let theta = bowl.start(&mut stream("start"));
        let mut rollout = Rollout::new(&cell, &weights, &layout, theta, objective.expert, precision).unwrap();
        let mut batches = stream("batches");
        let setting = ScaledProblem::plain(&bowl);
        rollout.window(&setting, &objective, 3, false, &mut batches).unwrap();
        rollout.window(&setting, &objective, 5, true, &mut batches).unwrap().gradient
    };
    let (right, ours) = (gradient(Precision::Double), gradient(Precision::Single));
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let apart: Vec<f64> = right.iter().zip(&ours).map(|(a, b)| a - b).collect();
    assert!(norm(&apart) < 1e-4 * norm(&right), "{} {}", norm(&apart), norm(&right));
}

/// The imitation vanishes for a rule that gives the expert's update, and pulls towards it otherwise.
#[test]
fn the_distance_to_the_expert_is_counted_as_said() {
    let (cell, weights) = cell_and_weights(Memory::None);
    let bowl = bowl(4, 0.0);
    let layout = Layout::new(bowl.tensors()).unwrap();
    let objective = RolloutObjective::default();
    let theta = bowl.start(&mut stream("start"));
    let mut rollout =
        Rollout::new(&cell, &weights, &layout, theta.clone(), objective.expert, Precision::Double).unwrap();
    let mut batches = stream("batches");
    let batch = bowl.batch(Split::Training, &mut batches.clone());
    let outcome = rollout.window(&ScaledProblem::plain(&bowl), &objective, 1, false, &mut batches).unwrap();
    let mut followed = theta.clone();
    let slope = bowl.slope_of(&theta, &batch);
    Adam::new(layout, objective.expert).unwrap().step(&mut followed, &slope).unwrap();
    let apart = rollout.theta().iter().zip(&followed).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / 4.0;
    assert!((outcome.imitation - apart).abs() < 1e-14 && apart > 0.0);
    let columns = outcome.columns().unwrap();
    assert_eq!((columns.x, columns.list.len()), (Some(0), 2));
    assert_eq!(columns.list[1].1, Values::from(&outcome.losses));
}

#[test]
fn evolution_agrees_with_the_gradient_of_the_whole_rollout_and_truncation_does_not() {
    let cell = Mnemosyne::new(Form {
        hidden: 2,
        encoders: 1,
        feed_forward: 0,
        norm: false,
        memory: Memory::Average { tau: 0.1 },
        output_scale: 0.5,
        preprocess: Preprocess::Raw,
        ..Form::default()
    })
    .unwrap();
    let weights = cell.start(&mut stream("weights")).unwrap();
    let bowl = bowl(3, 0.0);
    let layout = Layout::new(bowl.tensors()).unwrap();
    let objective = RolloutObjective { derivative: Derivative::Exact, ..RolloutObjective::default() };
    let (setting, theta) = (ScaledProblem::plain(&bowl), bowl.start(&mut stream("start")));
    // Windows of two steps draw three batches each; the whole roll-out is given the same ones, so it is made of windows of two steps
    // whose truncation is undone: by complex steps through all three of them.
    let whole = |weights: &[Complex]| {
        let (len, mut tape) = (cell.state_len(), vec![Complex::zero(); cell.tape_len()]);
        let mut x: Vec<Complex> = theta.iter().map(|x| Complex::of(*x)).collect();
        let mut state = vec![Complex::zero(); 3 * len];
        let (mut batches, mut loss) = (stream("batches"), Complex::zero());
        for window in 0..3 {
            let drawn: Vec<Vec<f64>> = (0..3).map(|_| bowl.batch(Split::Training, &mut batches)).collect();
            for t in 0..2 {
                let slope = bowl.slope_of(&x, &drawn[t]);
                for i in 0..3 {
                    let (mut update, own) = ([Complex::zero()], &mut state[i * len..(i + 1) * len]);
                    cell.step(weights, 2 * window + t as u64, &slope[i..i + 1], own, &mut tape, &mut update);
                    x[i] += update[0];
                }
                loss += bowl.value_of(&x, &drawn[t + 1]);
            }
        }
        loss
    };
    let trained = cell.trained();
    let exact: Vec<f64> = (0..trained)
        .map(|i| {
            let mut turned: Vec<Complex> = weights.iter().map(|w| Complex::of(*w)).collect();
            turned[i].im = H;
            whole(&turned).im / H
        })
        .collect();
    let mut truncated = vec![0.0; trained];
    let mut rollout =
        Rollout::new(&cell, &weights, &layout, theta.clone(), objective.expert, Precision::Double).unwrap();
    let mut batches = stream("batches");
    for _ in 0..3 {
        let outcome = rollout.window(&setting, &objective, 2, true, &mut batches).unwrap();
        truncated.iter_mut().zip(&outcome.gradient).for_each(|(sum, g)| *sum += g);
    }
    let norm = exact.iter().map(|g| g * g).sum::<f64>().sqrt();
    let along = |g: &[f64]| g.iter().zip(&exact).map(|(a, b)| a * b).sum::<f64>() / norm;
    for noise in [Noise::Reused, Noise::Fresh] {
        let mut directions = stream("directions");
        let draws: Vec<f64> = (0..3000)
            .map(|_| {
                let pair = EvolutionSettings { noise, sigma: 1e-3, pairs: 1 };
                let model = (&cell, &weights[..]);
                let mut evolution =
                    Evolution::new(model, (&layout, &theta), &objective, pair, Precision::Double).unwrap();
                let mut batches = stream("batches");
                let mut sum = vec![0.0; trained];
                for _ in 0..3 {
                    let random = (&mut batches, &mut directions);
                    let (_, g) = evolution.window(&weights, &setting, &objective, 2, random).unwrap();
                    sum.iter_mut().zip(&g).for_each(|(sum, g)| *sum += g);
                }
                along(&sum)
            })
            .collect();
        let mean = workbench_ground::stats::mean(&draws).unwrap();
        assert!(mean.low < norm && norm < mean.high, "{noise:?}: {mean:?}, exact {norm}");
        let cut = along(&truncated);
        assert!(cut < mean.low || cut > mean.high, "{noise:?}: {mean:?}, truncated {cut}");
    }
}

fn training() -> Training {
    Training {
        window: 3,
        rollout: 7,
        rate: 2e-3,
        scaling: Some(1.0),
        objective: RolloutObjective { imitation: 10.0, ..RolloutObjective::default() },
        ..Training::default()
    }
}

#[test]
fn training_learns_and_resumes_to_the_same_bits() {
    let (one, two) = (bowl(6, 0.0), bowl(20, 0.1));
    let cell = || Mnemosyne::new(form(Memory::default_compact())).unwrap();
    for precision in [Precision::Double, Precision::Single] {
        let settings = Training { precision, ..training() };
        let trainer = || MetaTrainer::new(cell(), vec![&one, &two], settings).unwrap();
        #[derive(Default)]
        struct Losses(Vec<f64>);
        impl Observer for Losses {
            fn observe(&mut self, step: Step) {
                assert_eq!(step.done, self.0.len() + 1);
                self.0.extend(step.value);
            }
        }
        let (mut whole, mut losses) = (trainer(), Losses::default());
        whole.run_watched(400, &mut losses).unwrap();
        let mean = |losses: &[f64]| losses.iter().sum::<f64>() / losses.len() as f64;
        let (first, last) = (mean(&losses.0[..60]), mean(&losses.0[340..]));
        assert!(last < first, "{first} {last}");
        for halt in [1, 3, 41] {
            let (mut before, mut after) = (trainer(), trainer());
            before.run(halt).unwrap();
            let bytes = before.save().to_bytes();
            after.run(5).unwrap();
            after.restore(&Saved::from_bytes(&bytes).unwrap()).unwrap();
            before.run(halt + 30).unwrap();
            after.run(halt + 30).unwrap();
            assert_eq!(before.save().to_bytes(), after.save().to_bytes(), "{precision:?} {halt}");
        }
    }
}

#[test]
fn training_by_evolution_learns_and_resumes_to_the_same_bits() {
    let (one, two) = (bowl(6, 0.0), bowl(20, 0.1));
    let evolution = Some(EvolutionSettings { noise: Noise::Reused, sigma: 0.05, pairs: 2 });
    let settings = Training { evolution, horizons: Some([7, 20]), rate: 1e-2, scaling: None, ..training() };
    let trainer = || {
        let cell = Mnemosyne::new(form(Memory::default_compact())).unwrap();
        MetaTrainer::new(cell, vec![&one, &two], settings).unwrap()
    };
    let (mut whole, mut half, mut rest) = (trainer(), trainer(), trainer());
    let losses: Vec<f64> = (0..800).map(|_| whole.step().unwrap().loss).collect();
    let mean = |losses: &[f64]| losses.iter().sum::<f64>() / losses.len() as f64;
    let (first, last) = (mean(&losses[..50]), mean(&losses[700..]));
    assert!(last < 0.95 * first, "{first} {last}");
    half.run(150).unwrap();
    assert!(half.is_between_rollouts());
    rest.restore(&Saved::from_bytes(&half.save().to_bytes()).unwrap()).unwrap();
    rest.run(800).unwrap();
    assert_eq!(rest.save().to_bytes(), whole.save().to_bytes());
    let adjoint = Training { evolution: None, ..settings };
    assert!(MetaTrainer::new(whole.cell().clone(), vec![&one, &two], adjoint).unwrap().restore(&half.save()).is_err());
    let none = Some(EvolutionSettings { noise: Noise::Reused, sigma: 0.0, pairs: 1 });
    let refused = MetaTrainer::new(whole.cell().clone(), vec![&one], Training { evolution: none, ..settings });
    assert!(refused.unwrap_err().to_string().contains("sigma"));
}

#[test]
fn training_stops_when_asked_and_says_when_it_diverges() {
    let good = bowl(4, 0.0);
    let cell = || Mnemosyne::new(form(Memory::None)).unwrap();
    let mut trainer = MetaTrainer::new(cell(), vec![&good], training()).unwrap();
    let ended = rehearsal::stop_after(4, || trainer.run(100).unwrap());
    assert_eq!(ended, workbench_ground::work::RunStatus::Stopped);
    assert_eq!(trainer.steps(), 4);
    let mut bad = bowl(4, 0.0);
    bad.breaks = 30;
    let mut trainer = MetaTrainer::new(cell(), vec![&bad], training()).unwrap();
    let error = trainer.run(100).unwrap_err();
    assert!(matches!(&error, Error::Diverged { name: "loss of the task", .. }), "{error}");
    assert!(trainer.steps() > 5 && trainer.weights().iter().all(|w| w.is_finite()));
}

#[test]
fn bad_settings_and_foreign_checkpoints_are_refused() {
    let good = bowl(4, 0.0);
    let cell = || Mnemosyne::new(form(Memory::None)).unwrap();
    let refused = |training: Training| MetaTrainer::new(cell(), vec![&good], training).unwrap_err().to_string();
    let longer = Training { window: 8, ..training() };
    assert!(refused(longer).contains("a window of 8 steps in a roll-out of 7"));
    assert!(refused(Training { window: 0, ..training() }).contains("window"));
    assert!(refused(Training { rate: 0.0, ..training() }).contains("rate"));
    let objective = RolloutObjective { imitation: -1.0, ..RolloutObjective::default() };
    assert!(refused(Training { objective, ..training() }).contains("imitation"));
    assert!(MetaTrainer::new(cell(), Vec::new(), training()).is_err());
    let mut trainer = MetaTrainer::new(cell(), vec![&good], training()).unwrap();
    trainer.run(2).unwrap();
    let saved = trainer.save();
    let other = Training { seed: 2, ..training() };
    assert!(MetaTrainer::new(cell(), vec![&good], other).unwrap().restore(&saved).is_err());
    let mut cut = saved.clone();
    cut.parts.clear();
    assert!(trainer.restore(&cut).is_err() && trainer.save() == saved);
}
